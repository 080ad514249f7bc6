/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests of the host's checks: everything that they have reported, as one text. */
#pragma once

#include "doctor_bed.h"

static inline void told_add(char **text, const struct doctor_result *result)
{
	const struct finding *finding = &result->finding;
	const char *remedy = doctor_check((enum doctor_check_id)finding->id.value)->remedy;

	mem_extend(text, "%s %s: %s", enum_word(verdict_names, finding->severity.value, "?"),
		   finding->object ? finding->object : "-", finding->summary);
	if (finding->evidence)
		mem_extend(text, " | %s", finding->evidence);
	for (size_t i = 0; i < result->sources.count; i++)
		mem_extend(text, "%s%s", i ? ", " : " < ", result->sources.items[i]);
	/* Texts that come from the tables are not repeated here. */
	if (result->needs.known)
		mem_extend(text, " needs %u", (unsigned int)result->needs.value);
	else if (finding->next_step)
		mem_extend(text, " -> %s",
			   remedy && !strcmp(finding->next_step, remedy) ? "the remedy"
									 : finding->next_step);
	if (result->expected)
		mem_extend(text, " [%s, wanted %s]", result->actual, result->expected);
	mem_extend(text, "%s\n", result->blocks ? " and blocks" : "");
}

/* What the checks have reported since the last call, and what they could not read. */
static inline char *doctor_told(struct doctor_results *results, struct problems *problems)
{
	char *text = mem_string("");

	for (size_t i = 0; i < results->count; i++)
		told_add(&text, &results->items[i]);
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *problem = &problems->items[i];

		mem_extend(&text, "unread %s: %s < %s: %s\n",
			   problem->object ? problem->object : "-",
			   problem->attribute ? problem->attribute : "-",
			   problem->source ? problem->source : "-", problem->error);
	}
	doctor_results_free(results);
	*results = (struct doctor_results){.items = NULL};
	problems_free(problems);
	*problems = (struct problems){.items = NULL};
	return text;
}

__attribute__((format(printf, 2, 3))) static inline void assert_told(struct bed *bed,
								     const char *format, ...)
{
	char *text = doctor_told(&bed->results, &bed->problems), *wanted = NULL;
	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&wanted, format, arguments) >= 0);
	va_end(arguments);
	assert_string_equal(text, wanted);
	free(wanted);
	free(text);
}
