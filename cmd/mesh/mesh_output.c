/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict on a mesh for people. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"

static char *headline(const struct mesh_summary *summary)
{
	const uint64_t missing = summary->hosts_missing.value;
	char *text = mem_format("%" PRIu64 " host%s, %" PRIu64 " rails: %" PRIu64
				" pairs in %" PRIu64 " rounds, %.1f s",
				summary->hosts_present.value,
				summary->hosts_present.value == 1 ? "" : "s", summary->rails.value,
				summary->pairs.value, summary->rounds.value,
				summary->seconds.value);

	if (missing)
		mem_extend(&text, "; %" PRIu64 " host%s missing", missing, missing == 1 ? "" : "s");
	if (summary->median_gbps.known)
		mem_extend(&text, "; median %.1f Gb/s", summary->median_gbps.value);
	if (summary->median_latency_usec.known)
		mem_extend(&text, "%s%.2f us", summary->median_gbps.known ? ", " : "; median ",
			   summary->median_latency_usec.value);
	mem_extend(&text, "\n");
	if (summary->rehearsed == TRISTATE_YES)
		mem_extend(&text, "REHEARSAL: the results are made up\n");
	if (summary->pairs_left_out.value)
		mem_extend(&text, "%" PRIu64 " pairs left out: --budget\n",
			   summary->pairs_left_out.value);
	return text;
}

static int print_finding(const struct render_options *options, const struct judge_finding *found)
{
	const struct finding *finding = &found->finding;
	struct strings evidence = {.known = true};
	int rc;

	if (finding->evidence)
		strings_add(&evidence, finding->evidence);
	rc = render_finding(
		stdout, options,
		&(const struct finding_block){
			.verdict = enum_find(severity_names, finding->severity.value),
			.check = enum_word(judge_finding_names, finding->id.value, "?"),
			.object = finding->object,
			.summary = judge_finding_summary((unsigned int)finding->id.value),
			.evidence = &evidence,
			.next_step = finding->next_step,
			.verdict_width = strlen("warning"),
		});
	strings_free(&evidence);
	return rc;
}

int mesh_print(struct mesh_work *work)
{
	const struct render_options options = listing_options(&work->listing);
	_cleanup_(freep) char *head = headline(&work->summary);
	int rc = render_text(stdout, head);

	for (size_t i = 0; i < work->findings.count && !rc; i++)
		rc = print_finding(&options, &work->findings.items[i]);
	if (!rc && !work->findings.count)
		rc = render_text(stdout, work->outcome.interrupted ? "nothing wrong so far\n"
								   : "nothing wrong\n");
	return rc;
}
