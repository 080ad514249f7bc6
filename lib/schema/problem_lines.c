/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Turns a list of problems into lines for standard error. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/problem.h"

enum {
	SAME_CAUSE = 3, /* from so many on, values of a device share a line */
	SAME_TEXT = 9,	/* from so many on, objects do: the eight adapters of a host may be named */
	SHOWN_NAMES = 3,
};

struct line {
	size_t at;    /* index of its first problem; lines are in this order */
	char *object; /* NULL: the host */
	char *text;   /* NULL: an earlier line covers it */
	const char *hint;
};

struct lines {
	struct line *items;
	size_t count;
};

static void lines_clear(struct lines *lines)
{
	for (size_t i = 0; i < lines->count; i++) {
		free(lines->items[i].object);
		free(lines->items[i].text);
	}
	free(lines->items);
}

static char *describe(const struct problem *problem)
{
	if (!problem->attribute)
		return mem_string(problem->error);
	return mem_format("cannot read %s: %s", problem->attribute, problem->error);
}

static char *join(const char *object, const char *text)
{
	return object ? mem_format("%s: %s", object, text) : mem_string(text);
}

char *problem_line(const struct problem *problem)
{
	_cleanup_(freep) char *text = describe(problem);

	return join(problem->object, text);
}

/* Length of the device's name in the object of a problem with it or with one of its ports. */
static size_t device_length(const struct problem *problem)
{
	return strcspn(problem->object, "/");
}

static int compare_words(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "");
}

/*
 * Equal: values of one device, or of its ports, that a source could not give for the same reason.
 */
static int compare_causes(const struct problem *one, const struct problem *other)
{
	const size_t length = device_length(one), other_length = device_length(other);

	return COMPARE(length, other_length)
		       ?: strncmp(one->object, other->object, length)
		       ?: compare_words(one->error, other->error)
		       ?: compare_words(one->source, other->source)
		       ?: compare_words(one->hint, other->hint);
}

/* Sorts problems with the same cause together, in their order. */
static int compare_places(const void *one, const void *other)
{
	const struct problem *const *a = one, *const *b = other;

	return compare_causes(*a, *b) ?: COMPARE(*a, *b);
}

static void add_line(struct lines *lines, const struct problems *problems,
		     const struct problem *problem, char *object, char *text)
{
	MEM_ADD(lines->items, lines->count) = (struct line){
		.at = (size_t)(problem - problems->items),
		.object = object,
		.text = text,
		.hint = problem->hint,
	};
}

/* Adds one line for all problems of a group. */
static void add_values(struct lines *lines, const struct problems *problems,
		       const struct problem *const *group, size_t count)
{
	_cleanup_(freep) char *names = mem_string("");
	struct strings named = {0};
	bool same_object = true, cut = false;

	for (size_t i = 0; i < count; i++) {
		same_object &= !strcmp(group[0]->object, group[i]->object);
		if (strings_contain(&named, group[i]->attribute))
			continue;
		cut |= named.count == SHOWN_NAMES;
		if (cut)
			continue;
		strings_add(&named, group[i]->attribute);
		mem_extend(&names, "%s%s", named.count > 1 ? ", " : "", group[i]->attribute);
	}
	strings_free(&named);
	add_line(lines, problems, group[0],
		 mem_format("%.*s",
			    (int)(same_object ? strlen(group[0]->object) : device_length(group[0])),
			    group[0]->object),
		 mem_format("cannot read %zu values (%s%s): %s", count, names,
			    cut ? " ...; -v lists them" : "", group[0]->error));
}

static void make_lines(struct lines *lines, const struct problems *problems, bool each)
{
	_cleanup_(freep) const struct problem **sorted = mem_alloc_zero(problems->count + 1,
									sizeof(*sorted));
	size_t count = 0, same;

	for_each (problem, problems) {
		if (!each && problem->object && problem->attribute)
			sorted[count++] = problem;
		else
			add_line(lines, problems, problem, mem_string_or_null(problem->object),
				 describe(problem));
	}
	qsort(sorted, count, sizeof(*sorted), compare_places);
	for (size_t i = 0; i < count; i += same) {
		for (same = 1; i + same < count && !compare_causes(sorted[i], sorted[i + same]);)
			same++;
		for (size_t j = i; same < SAME_CAUSE && j < i + same; j++)
			add_line(lines, problems, sorted[j], mem_string(sorted[j]->object),
				 describe(sorted[j]));
		if (same >= SAME_CAUSE)
			add_values(lines, problems, &sorted[i], same);
	}
}

static int compare_texts(const struct line *one, const struct line *other)
{
	return !one->object - !other->object ?: strcmp(one->text, other->text)
		       ?: compare_words(one->hint, other->hint);
}

static int compare_order(const void *one, const void *other)
{
	const struct line *a = one, *b = other;

	return COMPARE(a->at, b->at);
}

static int compare_lines(const void *one, const void *other)
{
	return compare_texts(one, other) ?: compare_order(one, other);
}

/* Makes the first of the lines, which differ only in their objects, cover all of them. */
static void merge(struct line *lines, size_t count)
{
	char *objects = NULL;

	for (size_t i = 0; i < SHOWN_NAMES; i++)
		mem_extend(&objects, "%s%s", i ? ", " : "", lines[i].object);
	mem_extend(&objects, " and %zu more (-v lists them)", count - SHOWN_NAMES);
	free(lines[0].object);
	lines[0].object = objects;
	for (size_t i = 1; i < count; i++) {
		free(lines[i].text);
		lines[i].text = NULL;
	}
}

static void merge_lines(struct lines *lines)
{
	struct line *items = lines->items;
	size_t same;

	qsort(items, lines->count, sizeof(*items), compare_lines);
	for (size_t i = 0; i < lines->count; i += same) {
		for (same = 1;
		     i + same < lines->count && !compare_texts(&items[i], &items[i + same]);)
			same++;
		if (same >= SAME_TEXT && items[i].object)
			merge(&items[i], same);
	}
}

void problems_tell(const struct problems *problems, bool each,
		   void (*tell)(const void *context, const char *line, const char *hint),
		   const void *context)
{
	_cleanup_(lines_clear) struct lines lines = {.count = 0};
	_cleanup_(strings_free) struct strings told = {0};

	make_lines(&lines, problems, each);
	if (!each && lines.count)
		merge_lines(&lines);
	MEM_SORT(lines.items, lines.count, compare_order);
	for_each (line, &lines) {
		_cleanup_(freep) char *text = line->text ? join(line->object, line->text) : NULL;
		const bool is_new = line->hint && !strings_contain(&told, line->hint);

		if (!text)
			continue;
		tell(context, text, is_new ? line->hint : NULL);
		if (is_new)
			strings_add(&told, line->hint);
	}
}
