/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/graph/hostlist.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/text_buffer.h"

/* So many digits are a number that can be counted on from; more are a serial number. */
#define MOST_DIGITS 9

struct part {
	const char *name;
	size_t prefix; /* bytes before the number */
	size_t digits; /* 0: there is none */
	bool padded;
	unsigned long number;
};

static int compare(const void *left, const void *right)
{
	return text_compare_natural(*(const char *const *)left, *(const char *const *)right);
}

static struct part take_apart(const char *name)
{
	struct part part = {.name = name, .prefix = strlen(name)};

	while (part.prefix && isdigit((unsigned char)name[part.prefix - 1])) {
		part.prefix--;
		part.digits++;
	}
	if (part.digits > MOST_DIGITS)
		return (struct part){.name = name, .prefix = part.prefix + part.digits};
	part.padded = part.digits > 1 && name[part.prefix] == '0';
	part.number = strtoul(name + part.prefix, NULL, 10);
	return part;
}

static bool same_prefix(const struct part *a, const struct part *b)
{
	return a->digits && b->digits && a->prefix == b->prefix &&
	       !memcmp(a->name, b->name, a->prefix);
}

/* Whether a reader that counts from the first to the last writes this one the same way. */
static bool follows(const struct part *first, const struct part *last, const struct part *part)
{
	return same_prefix(last, part) && part->number == last->number + 1 &&
	       (first->padded ? part->digits == first->digits : !part->padded);
}

/* The end of the range that begins with the first of the names. */
static size_t range_length(const char *const *names, size_t count)
{
	struct part first = take_apart(names[0]), last = first;
	size_t length = 1;

	for (; length < count; length++) {
		struct part part = take_apart(names[length]);

		if (!follows(&first, &last, &part))
			break;
		last = part;
	}
	return length;
}

/* All names of one prefix, from the first on; returns how many. */
static size_t add_group(struct text_buffer *text, const char *const *names, size_t count)
{
	struct part first = take_apart(names[0]);
	size_t end = 1;

	while (end < count) {
		struct part part = take_apart(names[end]);

		if (!same_prefix(&first, &part))
			break;
		end++;
	}
	if (end == 1) {
		text_buffer_add(text, "%s", names[0]);
		return 1;
	}
	text_buffer_add(text, "%.*s[", (int)first.prefix, first.name);
	for (size_t i = 0, length; i < end; i += length) {
		length = range_length(names + i, end - i);
		text_buffer_add(text, "%s%s", i ? "," : "", names[i] + first.prefix);
		if (length > 1)
			text_buffer_add(text, "-%s", names[i + length - 1] + first.prefix);
	}
	text_buffer_add(text, "]");
	return end;
}

/* Behind the last comma that leaves enough. */
static void cut(struct text_buffer *text, size_t most)
{
	if (!most || text->length <= most)
		return;
	while (most && text->text[most] != ',')
		most--;
	if (!most)
		return;
	text->length = most;
	text_buffer_add(text, ",...%s",
			memrchr(text->text, '[', most) > memrchr(text->text, ']', most) ? "]" : "");
}

char *hostlist_format(const char *const *names, size_t count, size_t most)
{
	const char **sorted = mem_alloc_zero(count + 1, sizeof(*sorted));
	struct text_buffer text = {.text = NULL};
	size_t kept = 0;

	if (count)
		memcpy(sorted, names, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp(sorted[kept - 1], sorted[i]) != 0)
			sorted[kept++] = sorted[i];
	for (size_t i = 0; i < kept;) {
		text_buffer_add(&text, "%s", i ? "," : "");
		i += add_group(&text, sorted + i, kept - i);
	}
	cut(&text, most);
	free(sorted);
	return text_buffer_take(&text);
}
