/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/problem.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/rows.h"

#define RECORD struct problem
static const struct field problem_fields[] = {
	TEXT(object, "OBJECT", SHOWN, 0,
	     "device, device/port or other thing it is about; null: the host"),
	TEXT(attribute, "ATTRIBUTE", SHOWN, 0, "what could not be read"),
	TEXT(source, "SOURCE", SHOWN, 0, "the interface that was asked"),
	TEXT(error, "ERROR", SHOWN, 0, "the cause"),
	TEXT(hint, "HINT", SHOWN, 0, "the next step"),
};

const struct schema problem_schema = SCHEMA("problems", struct problem, problem_fields,
					    "something that could not be read or done");

void problem_add_text(struct problems *problems, const char *object, const char *attribute,
		      const char *source, const char *error, const char *hint)
{
	if (!problems)
		return;
	MEM_ADD(problems->items, problems->count) = (struct problem){
		.object = mem_string_or_null(object),
		.attribute = mem_string_or_null(attribute),
		.source = mem_string_or_null(source),
		.error = mem_string_or_null(error),
		.hint = mem_string_or_null(hint),
	};
}

void problem_add(struct problems *problems, const char *object, const char *attribute,
		 const char *source, int error, const char *hint)
{
	problem_add_text(problems, object, attribute, source, strerror(error < 0 ? -error : error),
			 hint);
}

void problem_add_format(struct problems *problems, const char *object, const char *attribute,
			const char *source, const char *hint, const char *format, ...)
{
	_cleanup_(freep) char *error = NULL;
	va_list arguments;

	va_start(arguments, format);
	error = mem_format_list(format, arguments);
	va_end(arguments);
	problem_add_text(problems, object, attribute, source, error, hint);
}

void problems_add_new(struct problems *problems, struct strings *noted,
		      const struct problems *found)
{
	for_each (problem, found) {
		_cleanup_(freep) char *key = mem_format(
			"%s %s %s", problem->object ? problem->object : "",
			problem->attribute ? problem->attribute : "",
			problem->error ? problem->error : "");

		if (strings_contain(noted, key))
			continue;
		strings_add(noted, key);
		problem_add_text(problems, problem->object, problem->attribute, problem->source,
				 problem->error, problem->hint);
	}
}

bool problems_hide(const struct problems *problems, const char *list)
{
	_cleanup_(strings_free) struct strings values = {.known = false};

	strings_add_list(&values, list);
	for_each (problem, problems) {
		const char *missing = problem->attribute ?: problem->object;

		if (problem->source && (!list || !missing || strings_contain(&values, missing)))
			return true;
	}
	return false;
}

void problems_free(struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		record_clear(&problem_schema, &problems->items[i]);
	free(problems->items);
	*problems = (struct problems){0};
}

const struct enum_name severity_names[] = {
	{SEVERITY_INFO, "info", TONE_PLAIN, "all is well"},
	{SEVERITY_NOTICE, "notice", TONE_PLAIN, "worth knowing"},
	{SEVERITY_WARNING, "warning", TONE_WARNING, "may cause trouble"},
	{SEVERITY_ERROR, "error", TONE_BAD, "something does not work"},
	{0, NULL},
};

void finding_clear(struct finding *finding)
{
	free(finding->object);
	free(finding->summary);
	free(finding->evidence);
	free(finding->next_step);
	*finding = (struct finding){.object = NULL};
}
