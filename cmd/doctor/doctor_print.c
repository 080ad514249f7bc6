/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict in readable form. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/doctor/doctor_run.h"

enum { EVIDENCE_MOST = 3 };

/* Collects the evidence of all objects: once if it is the same, else with the object's name. */
static void gather_evidence(const struct doctor_block *block, struct strings *evidence)
{
	bool differ = false;
	size_t more = 0;

	for (size_t i = 1; i < block->count; i++)
		differ |= strcmp(block->results[i]->finding.evidence ?: "",
				 block->results[0]->finding.evidence ?: "") != 0;
	for (size_t i = 0; i < block->count && (differ || !i); i++) {
		const struct finding *finding = &block->results[i]->finding;
		_cleanup_(freep) char *line = NULL;

		if (!finding->evidence)
			continue;
		if (evidence->count == EVIDENCE_MOST) {
			more++;
			continue;
		}
		line = differ && finding->object
			       ? mem_format("%s: %s", finding->object, finding->evidence)
			       : mem_string(finding->evidence);
		strings_add(evidence, line);
	}
	if (more) {
		_cleanup_(freep) char *line = mem_format("and %zu more: -o all shows each", more);

		strings_add(evidence, line);
	}
}

static int print_block(FILE *out, const struct render_options *options,
		       const struct doctor_block *block, size_t width)
{
	const struct finding *finding = &block->results[0]->finding;
	const bool wrong = finding->severity.value >= SEVERITY_NOTICE;
	_cleanup_(freep) char *object = doctor_block_object(block), *summary = NULL;
	_cleanup_(freep) char *next_step = wrong ? doctor_block_step(block) : NULL;
	_cleanup_(strings_free) struct strings evidence = {.items = NULL};

	summary = block->dependents
			  ? mem_format("%s; %zu check%s not run because of it", finding->summary,
				       block->dependents, text_plural_s(block->dependents))
			  : mem_string(finding->summary);
	if (wrong)
		gather_evidence(block, &evidence);
	return render_finding(
		out, options,
		&(const struct finding_block){
			.verdict = enum_find(verdict_names, finding->severity.value),
			.check = enum_word(doctor_check_names, finding->id.value, "?"),
			.object = object,
			.summary = summary,
			.evidence = &evidence,
			.next_step = next_step,
			.verdict_width = (int)width,
		});
}

static void add_count(char **text, size_t count, const char *singular, const char *plural)
{
	if (count)
		mem_extend(text, "%s%zu %s", *text ? ", " : "", count,
			   count == 1 ? singular : plural);
}

/* Returns "44 checked: 41 ok, 2 notes, 1 warning; 5 need root, 6 do not apply" */
static char *coverage_line(const struct doctor_results *results, size_t *ret_checked)
{
	struct doctor_coverage coverage;
	_cleanup_(freep) char *made = NULL, *rest = NULL;

	doctor_count(results, &coverage);
	*ret_checked = coverage.checked;
	add_count(&made, coverage.made[SEVERITY_OK], "ok", "ok");
	add_count(&made, coverage.made[SEVERITY_NOTICE], "note", "notes");
	add_count(&made, coverage.made[SEVERITY_WARNING], "warning", "warnings");
	add_count(&made, coverage.made[SEVERITY_ERROR], "error", "errors");
	add_count(&rest, coverage.because, "not run because of another",
		  "not run because of others");
	for (size_t i = 0; i < DOCTOR_NEED_BITS; i++) {
		static const char *const needs[DOCTOR_NEED_BITS][2] = {
			{"needs root", "need root"},
			{"needs the live host", "need the live host"},
			{"needs --interval or --since", "need --interval or --since"},
			{"needs --probe", "need --probe"},
			{"needs --peer", "need --peer"},
			{"needs --expect", "need --expect"},
		};

		add_count(&rest, coverage.needs[i], needs[i][0], needs[i][1]);
	}
	add_count(&rest, coverage.unknown, "could not be completed", "could not be completed");
	add_count(&rest, coverage.partial, "object could not be checked",
		  "objects could not be checked");
	add_count(&rest, coverage.not_applicable, "does not apply", "do not apply");
	return mem_format("%zu checked%s%s%s%s", coverage.checked, made ? ": " : "",
			  made ? made : "", rest ? "; " : "", rest ? rest : "");
}

int doctor_print(FILE *out, const struct render_options *options,
		 const struct doctor_results *results, bool all)
{
	size_t checked;
	_cleanup_(freep) char *coverage = coverage_line(results, &checked), *line = NULL;
	struct doctor_blocks blocks;
	bool any = false;
	int rc = 0;

	doctor_blocks_make(results, &blocks);
	for (size_t i = 0; i < blocks.count && !rc; i++) {
		if (!all && blocks.items[i].results[0]->finding.severity.value < SEVERITY_NOTICE)
			continue;
		any = true;
		rc = print_block(out, options, &blocks.items[i],
				 strlen(all ? "not-checked" : "warning"));
	}
	doctor_blocks_free(&blocks);
	line = mem_format("%s%s (profile %s%s)\n",
			  any || !checked ? "" : "nothing wrong: ", coverage,
			  enum_word(doctor_profile_names, results->profile, "?"),
			  all ? "" : "; -a lists all");
	return rc ? rc : render_text(out, line);
}
