/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/hostlist.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/* Longer numbers are taken for serial numbers, which form no ranges. */
#define MOST_DIGITS 9

struct part {
	const char *name;
	size_t prefix; /* bytes before the number */
	size_t digits; /* 0 without a number */
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

/* Returns whether the name is the next one when a reader counts on from the first. */
static bool follows(const struct part *first, const struct part *last, const struct part *part)
{
	return same_prefix(last, part) && part->number == last->number + 1 &&
	       (first->padded ? part->digits == first->digits : !part->padded);
}

/* Returns the length of the range that begins with the first name. */
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

/* Adds all names with the prefix of the first; returns their number. */
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

/* Cuts the text after the last comma that fits. */
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
	_cleanup_(freep) const char **sorted = mem_alloc_zero(count + 1, sizeof(*sorted));
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
	return text_buffer_take(&text);
}

/* The state of parsing: names, or the parts of them that are known so far. */
struct parsed {
	char **names;
	size_t count;
	size_t most;
	char **ret_message;
};

static int refuse(const struct parsed *parsed, const char *text, size_t length, const char *reason)
{
	_cleanup_(freep) char *clean = text_clean(text, length < 64 ? length : 64);

	*parsed->ret_message = mem_format("'%s': %s", clean, reason);
	return -EINVAL;
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

struct range {
	uint64_t first, last;
	int width; /* least number of digits */
};

/* Parses `7`, `1-3` or `001-128`; returns what is wrong, or NULL. */
static const char *parse_range(const char *text, size_t length, struct range *range)
{
	const char *dash = memchr(text, '-', length);
	const size_t low = dash ? (size_t)(dash - text) : length;
	const size_t high = dash ? length - low - 1 : length;
	const char *low_end = text, *start = text + length - high, *end = start;

	if (!low || !high)
		return "one end of a range is missing";
	if (low > MOST_DIGITS || high > MOST_DIGITS)
		return "a number has too many digits";
	if (text_take_u64(&low_end, 10, UINT32_MAX, &range->first) || low_end != text + low ||
	    text_take_u64(&end, 10, UINT32_MAX, &range->last) || end != text + length)
		return "not a number";
	range->width = low > 1 && *text == '0' ? (int)low : 0;
	if (range->last < range->first)
		return "the range runs backwards";
	if (dash && *start == '0' && high > 1 && high != low)
		return "the ends of a range are padded differently";
	return NULL;
}

/* Appends each number in the brackets to each of the names so far. */
static int multiply(struct parsed *parsed, const char *text, size_t length)
{
	char **names = NULL;
	size_t count = 0;

	for (size_t i = 0; i < parsed->count; i++)
		for (size_t start = 0, end; start <= length; start = end + 1) {
			const char *comma = memchr(text + start, ',', length - start);
			const char *reason;
			struct range range;

			end = comma ? (size_t)(comma - text) : length;
			reason = parse_range(text + start, end - start, &range);
			if (!reason && range.last - range.first >= parsed->most - count)
				reason = "too many hosts";
			if (reason) {
				free_names(names, count);
				return refuse(parsed, text + start, end - start, reason);
			}
			for (uint64_t number = range.first; number <= range.last; number++)
				MEM_ADD(names, count) = mem_format("%s%0*" PRIu64, parsed->names[i],
								   range.width, number);
		}
	free_names(parsed->names, parsed->count);
	parsed->names = names;
	parsed->count = count;
	return 0;
}

static int add_plain(struct parsed *parsed, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("-_.:", text[i]))
			return refuse(parsed, text, length, "not a valid host name");
	for (size_t i = 0; i < parsed->count; i++) {
		char *name = mem_format("%s%.*s", parsed->names[i], (int)length, text);

		free(parsed->names[i]);
		parsed->names[i] = name;
		if (strlen(name) > HOSTLIST_MOST_NAME)
			return refuse(parsed, name, strlen(name), "the name is too long");
	}
	return 0;
}

/* Parses one entry of the list: `n7`, `n[1-3]`, `rack[1-2]n[01-16]`. */
static int parse_entry(struct parsed *parsed, const char *text, size_t length)
{
	const char *rest = text, *end = text + length;
	int rc = 0;

	MEM_ADD(parsed->names, parsed->count) = mem_string("");
	while (!rc) {
		const char *open = memchr(rest, '[', (size_t)(end - rest)), *close;

		rc = add_plain(parsed, rest, (size_t)((open ? open : end) - rest));
		if (!open || rc)
			break;
		close = memchr(open, ']', (size_t)(end - open));
		if (!close)
			return refuse(parsed, text, length, "a ']' is missing");
		rc = multiply(parsed, open + 1, (size_t)(close - open - 1));
		rest = close + 1;
	}
	return rc;
}

/* Returns the length of an entry, which ends at a comma or blank outside brackets. */
static size_t entry_length(const char *text)
{
	bool inside = false;
	size_t length = 0;

	for (; text[length]; length++) {
		if (text[length] == '[')
			inside = true;
		else if (text[length] == ']')
			inside = false;
		else if (!inside && strchr(", \t\n", text[length]))
			break;
	}
	return length;
}

static size_t hash_name(const char *name)
{
	size_t hash = 5381;

	while (*name)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

/* Keeps the first occurrence of each name. */
static void drop_repeated(char **names, size_t *count)
{
	const size_t places = *count * 2 + 1;
	_cleanup_(freep) char **seen = mem_alloc_zero(places, sizeof(*seen));
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		size_t at = hash_name(names[i]) % places;

		while (seen[at] && strcmp(seen[at], names[i]) != 0)
			at = (at + 1) % places;
		if (seen[at]) {
			free(names[i]);
			continue;
		}
		seen[at] = names[kept++] = names[i];
	}
	*count = kept;
}

int hostlist_parse(const char *text, size_t most, char ***ret_names, size_t *ret_count,
		   char **ret_message)
{
	char **names = NULL;
	size_t count = 0;
	int rc = 0;

	while (!rc && *text) {
		struct parsed parsed = {.most = most - count, .ret_message = ret_message};
		const size_t length = entry_length(text);

		if (length)
			rc = parse_entry(&parsed, text, length);
		if (!rc && parsed.count > most - count)
			rc = refuse(&parsed, text, length, "too many hosts");
		for (size_t i = 0; !rc && i < parsed.count; i++)
			MEM_ADD(names, count) = mem_string(parsed.names[i]);
		free_names(parsed.names, parsed.count);
		text += length + (text[length] != '\0');
	}
	if (!rc && !count) {
		*ret_message = mem_string("the list names no hosts");
		rc = -EINVAL;
	}
	if (rc) {
		free_names(names, count);
		return rc;
	}
	drop_repeated(names, &count);
	*ret_names = names;
	*ret_count = count;
	return 0;
}
