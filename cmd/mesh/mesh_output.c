/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict on a mesh: the status, and what people read. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mesh/mesh_run.h"

void mesh_fail_early(struct mesh_work *work, const char *rest, const char *hint)
{
	listing_fail_format(&work->listing, STATUS_FAILED, hint, "%s%s",
			    signals_take(&work->signals) == SIGALRM ? "gave up after --timeout"
								    : "interrupted",
			    rest);
}

char *mesh_join_text(const struct mesh_host *host)
{
	char *text = mem_format("%s joined, with %u rail%s", host->name, host->rail_count,
				text_plural_s(host->rail_count));

	if (host->gap_count)
		mem_extend(&text, "; %zu port%s cannot be used%s: %s", host->gap_count,
			   text_plural_s(host->gap_count), host->gap_count > 1 ? ", the first" : "",
			   host->gaps[0].reason ?: "its agent does not say why");
	return text;
}

void mesh_decide_status(struct mesh_work *work)
{
	bool missing = false, fault = false;

	for (size_t i = 0; i < work->findings.count; i++) {
		const struct finding *finding = &work->findings.items[i].finding;

		if (finding->id.value == JUDGE_ABSENT || finding->id.value == JUDGE_REFUSED ||
		    finding->id.value == JUDGE_LOST || finding->id.value == JUDGE_UNTRIED ||
		    finding->id.value == JUDGE_APART)
			missing = true;
		else if (finding->severity.value >= SEVERITY_WARNING)
			fault = true;
	}
	if (work->outcome.interrupted) {
		_cleanup_(freep) char *hint = mesh_rows_hint(work);

		mesh_fail_early(work, ": the findings cover the pairs so far", hint);
		return;
	}
	if (work->listing.status == STATUS_DONE)
		work->listing.status = fault	 ? STATUS_FAULT
				       : missing ? STATUS_PARTIAL
						 : STATUS_DONE;
}

static char *headline(const struct mesh_summary *summary)
{
	const uint64_t missing = summary->hosts_missing.value;
	char *text = mem_format("%" PRIu64 " host%s, %" PRIu64 " rail%s: %" PRIu64
				" pair%s in %" PRIu64 " round%s, %.1f s",
				summary->hosts_present.value,
				text_plural_s(summary->hosts_present.value), summary->rails.value,
				text_plural_s(summary->rails.value), summary->pairs.value,
				text_plural_s(summary->pairs.value), summary->rounds.value,
				text_plural_s(summary->rounds.value), summary->seconds.value);

	if (missing)
		mem_extend(&text, "; %" PRIu64 " host%s missing", missing, text_plural_s(missing));
	if (summary->median_gbps.known)
		mem_extend(&text, "; median %.1f Gb/s", summary->median_gbps.value);
	if (summary->median_both_gbps.known)
		mem_extend(&text, ", %.1f Gb/s both ways at once", summary->median_both_gbps.value);
	if (summary->median_latency_usec.known)
		mem_extend(&text, "%s%.2f us", summary->median_gbps.known ? ", " : "; median ",
			   summary->median_latency_usec.value);
	mem_extend(&text, "\n");
	if (summary->rehearsed == TRISTATE_YES)
		mem_extend(&text, "REHEARSAL: the results are made up\n");
	if (summary->pairs_left_out.value)
		mem_extend(&text, "%" PRIu64 " pair%s left out: --budget\n",
			   summary->pairs_left_out.value,
			   text_plural_s(summary->pairs_left_out.value));
	return text;
}

/* Adds the first port that cannot be used and is no finding. */
static void add_left_out(const struct mesh_work *work, char **text)
{
	const uint64_t left_out = work->summary.ports_left_out.value;

	for (uint32_t i = 0; i < work->count && left_out; i++)
		for (size_t j = 0; j < work->hosts[i].gap_count; j++) {
			const struct mesh_gap *gap = &work->hosts[i].gaps[j];

			if (work->hosts[i].presence != MESH_PRESENT || gap->rail.known)
				continue;
			mem_extend(text,
				   "%" PRIu64
				   " port%s cannot be used and %s not counted; %son %s: %s\n",
				   left_out, text_plural_s(left_out), left_out > 1 ? "are" : "is",
				   left_out > 1 ? "the first, " : "", work->hosts[i].name,
				   gap->reason ?: "its agent does not say why");
			return;
		}
}

/* Whether it is about a host itself, not about what was measured there. */
static bool is_of_host(const struct judge_finding *found)
{
	const uint64_t id = found->finding.id.value;

	return found->host_name && (id == JUDGE_DOCTOR || id == JUDGE_ABSENT ||
				    id == JUDGE_REFUSED || id == JUDGE_LOST);
}

/* What follows the host in the object of such a finding. */
static const char *part_of_host(const struct judge_finding *found)
{
	return found->finding.object + strlen(found->host_name);
}

static bool is_alike(const struct judge_finding *one, const struct judge_finding *other)
{
	return is_of_host(one) && one->finding.id.value == other->finding.id.value &&
	       one->finding.severity.value == other->finding.severity.value &&
	       !strcmp(one->finding.evidence, other->finding.evidence) &&
	       !strcmp(one->finding.next_step ?: "", other->finding.next_step ?: "") &&
	       !strcmp(part_of_host(one), part_of_host(other));
}

char *mesh_shown_object(const struct judge_findings *findings, size_t number)
{
	const struct judge_finding *found = &findings->items[number];
	_cleanup_(strings_free) struct strings hosts = {.known = true};
	_cleanup_(freep) char *list = NULL;

	if (!is_of_host(found))
		return mem_string(found->finding.object ?: "");
	for (size_t i = 0; i < findings->count; i++) {
		if (!is_alike(&findings->items[i], found))
			continue;
		if (i < number)
			return NULL;
		/* Findings of one kind are sorted by host (findings_sort()). */
		if (!hosts.count ||
		    strcmp(hosts.items[hosts.count - 1], findings->items[i].host_name) != 0)
			strings_add(&hosts, findings->items[i].host_name);
	}
	list = hostlist_format((const char *const *)hosts.items, hosts.count, MOST_OF_NAMES);
	if (hosts.count == 1)
		return mem_string(found->finding.object);
	return mem_format("%zu hosts, %s%s", hosts.count, list, part_of_host(found));
}

static int print_finding(FILE *out, const struct render_options *options,
			 const struct judge_finding *found, const char *object)
{
	const struct finding *finding = &found->finding;
	const struct enum_name *kind = enum_find(judge_finding_names, finding->id.value);
	const struct strings evidence = {.items = (char *[]){finding->evidence},
					 .count = finding->evidence != NULL};

	return render_finding(out, options,
			      &(const struct finding_block){
				      .verdict = enum_find(severity_names, finding->severity.value),
				      .check = kind->word,
				      .object = *object ? object : NULL,
				      .summary = kind->help,
				      .evidence = &evidence,
				      .next_step = finding->next_step,
				      .verdict_width = strlen("warning"),
			      });
}

#define MOST_BARS   12u
#define BAR_COLUMNS 40u
#define MAP_COLUMNS 80u

static void add_bars(char **text, const struct judge_bar *bars, size_t count)
{
	uint64_t most = 1;

	for (size_t i = 0; i < count; i++)
		most = bars[i].count > most ? bars[i].count : most;
	for (size_t i = 0; i < count; i++) {
		const int length = (int)((bars[i].count * BAR_COLUMNS + most - 1) / most);

		mem_extend(text, "%10.4g - %-10.4g %8" PRIu64 " %.*s\n", bars[i].least,
			   bars[i].below, bars[i].count, length,
			   "########################################");
	}
}

static char *histograms(const struct mesh_work *work)
{
	static const char *const units[JUDGE_FIGURES] = {
		[JUDGE_BANDWIDTH] = "Gb/s",
		[JUDGE_LATENCY] = "us",
		[JUDGE_BOTH_SUM] = "Gb/s, both ways at once",
	};
	struct judge_bar bars[MOST_BARS];
	char *text = mem_string("");

	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		for (unsigned int figure = 0; figure < JUDGE_FIGURES; figure++) {
			const size_t count = judge_histogram(
				work->judge, rail, (enum judge_figure)figure, bars, MOST_BARS);

			if (count)
				mem_extend(&text, "rail %u, %s:\n", rail, units[figure]);
			add_bars(&text, bars, count);
		}
	return text;
}

/* Pairs that share what they measure show only whether they passed. */
void mesh_add_to_map(struct mesh_work *work, const struct mesh_result *result)
{
	struct mesh_result shown = *result;

	if (result->stage < work->plan.count &&
	    judge_is_shared(work->plan.stages[result->stage].mode))
		for (int end = 0; end < MESH_ENDS; end++)
			shown.gbps[end].known = shown.both_gbps[end].known = false;
	heat_take(work->heat, &shown);
}

/* 0 if it is unknown. */
static void fill_medians(const struct mesh_work *work, double medians[static HEAT_MAPS])
{
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++) {
		medians[rail] = judge_median(work->judge, rail, JUDGE_BANDWIDTH).value;
		medians[HEAT_BOTH_WAYS + rail] =
			judge_median(work->judge, rail, JUDGE_BOTH_SUM).value;
	}
}

static int print(const struct mesh_work *work, FILE *out)
{
	const struct render_options options = listing_options(&work->listing);
	_cleanup_(freep) char *head = headline(&work->summary);
	int rc;

	add_left_out(work, &head);
	rc = render_text(out, head);
	for (size_t i = 0; i < work->findings.count && !rc; i++) {
		_cleanup_(freep) char *object = mesh_shown_object(&work->findings, i);

		if (object)
			rc = print_finding(out, &options, &work->findings.items[i], object);
	}
	if (!rc && !work->findings.count)
		rc = render_text(out, work->outcome.interrupted ? "nothing wrong so far\n"
								: "nothing wrong\n");
	if (!rc && work->args->histogram) {
		_cleanup_(freep) char *text = histograms(work);

		rc = render_text(out, text);
	}
	if (!rc && work->args->map) {
		_cleanup_(freep) char *text = NULL;
		double medians[HEAT_MAPS];

		fill_medians(work, medians);
		text = heat_text(work->heat, medians, MAP_COLUMNS);
		rc = render_text(out, text);
	}
	return rc;
}

static int write_map(void *context, FILE *file)
{
	const struct mesh_work *work = context;
	_cleanup_(freep) char *svg = NULL;
	double medians[HEAT_MAPS];

	fill_medians(work, medians);
	svg = heat_svg(work->heat, medians);
	return render_text(file, svg);
}

/* Output that does not go to standard output goes to standard error, for people. */
int mesh_output(struct mesh_work *work)
{
	const struct mesh_args *args = work->args;
	const struct globals *globals = &work->listing.ctx->globals;
	int rc = work->shown_rc;

	if (!work->judge)
		return listing_end(&work->listing);
	if (args->heat_map) {
		const int failed = file_replace(args->heat_map, write_map, work);

		if (failed)
			listing_fail_to_write(&work->listing, args->heat_map, failed);
	}
	if (args->exclude_list.known) {
		_cleanup_(freep) char *text = exclude_text(
			&work->findings, (enum exclude_form)args->exclude_list.value);

		rc = render_text(stdout, text);
	}
	if (args->exclude_list.known || globals->jsonl) {
		if (!globals->quiet)
			print(work, stderr);
		return listing_end_quietly(&work->listing, rc);
	}
	if (listing_is_for_people(&work->listing))
		return listing_end_quietly(&work->listing, print(work, stdout));
	return listing_end(&work->listing);
}
