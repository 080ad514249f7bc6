/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "schema/problem.h"

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

void problems_free(struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++) {
		free(problems->items[i].object);
		free(problems->items[i].attribute);
		free(problems->items[i].source);
		free(problems->items[i].error);
		free(problems->items[i].hint);
	}
	free(problems->items);
	*problems = (struct problems){0};
}

char *problem_line(const struct problem *problem)
{
	const char *object = problem->object ? problem->object : "";
	const char *colon = problem->object ? ": " : "";

	if (!problem->attribute)
		return mem_format("%s%s%s", object, colon, problem->error);
	return mem_format("%s%scannot read %s: %s", object, colon, problem->attribute,
			  problem->error);
}

/* The device that a problem is about, or whose port: the length of its name in the object. */
static size_t device_length(const struct problem *problem)
{
	return strcspn(problem->object, "/");
}

static int compare_words(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "");
}

static int compare_causes(const struct problem *one, const struct problem *other)
{
	const size_t length = device_length(one), other_length = device_length(other);
	int rc = length == other_length	 ? strncmp(one->object, other->object, length)
		 : length < other_length ? -1
					 : 1;

	rc = rc ? rc : compare_words(one->error, other->error);
	rc = rc ? rc : compare_words(one->source, other->source);
	return rc ? rc : compare_words(one->hint, other->hint);
}

/* Sorts the problems of one cause together, in their order. */
static int compare_places(const void *one, const void *other)
{
	const struct problem *const *a = one, *const *b = other;
	int rc = compare_causes(*a, *b);

	return rc ? rc : *a < *b ? -1 : 1;
}

size_t *problems_causes(const struct problems *problems)
{
	_cleanup_(freep) const struct problem **sorted = mem_alloc_zero(problems->count + 1,
									sizeof(*sorted));
	size_t *first = mem_alloc_zero(problems->count + 1, sizeof(*first)), count = 0;

	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *problem = &problems->items[i];

		first[i] = i;
		if (problem->object && problem->attribute)
			sorted[count++] = problem;
	}
	qsort(sorted, count, sizeof(*sorted), compare_places);
	for (size_t i = 1; i < count; i++)
		if (!compare_causes(sorted[i - 1], sorted[i]))
			first[sorted[i] - problems->items] = first[sorted[i - 1] - problems->items];
	return first;
}

char *problem_line_of_many(const struct problems *problems, const size_t *first, size_t index)
{
	enum { NAMED = 3 };
	const struct problem *one = &problems->items[index];
	_cleanup_(freep) char *names = mem_string("");
	struct strings named = {0};
	bool same_object = true, cut = false;
	size_t count = 0;

	for (size_t i = index; i < problems->count; i++) {
		const struct problem *other = &problems->items[i];

		if (first[i] != index)
			continue;
		count++;
		same_object &= !strcmp(one->object, other->object);
		if (strings_contain(&named, other->attribute))
			continue;
		cut |= named.count == NAMED;
		if (cut)
			continue;
		strings_add(&named, other->attribute);
		mem_extend(&names, "%s%s", named.count > 1 ? ", " : "", other->attribute);
	}
	strings_free(&named);
	return mem_format("%.*s: cannot read %zu values (%s%s): %s",
			  (int)(same_object ? strlen(one->object) : device_length(one)),
			  one->object, count, names, cut ? " ...; -v lists them" : "", one->error);
}

const struct enum_name severity_names[] = {
	{SEVERITY_INFO, "info", TONE_PLAIN, "all is well"},
	{SEVERITY_NOTICE, "notice", TONE_PLAIN, "worth knowing"},
	{SEVERITY_WARNING, "warning", TONE_WARNING, "may hurt"},
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
