/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/names/node_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static int compare_guids(const void *left, const void *right)
{
	const struct node_name *a = left, *b = right;

	return COMPARE(a->guid, b->guid);
}

static int compare_lines(const void *left, const void *right)
{
	const struct node_name *a = left, *b = right;

	return compare_guids(left, right) ?: COMPARE(a->line, b->line);
}

/* The first line of a GUID counts, as in ibnetdiscover. */
static void drop_repeated(struct node_names *names)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->count; i++) {
		if (kept && names->items[kept - 1].guid == names->items[i].guid)
			free(names->items[i].name);
		else
			names->items[kept++] = names->items[i];
	}
	names->count = kept;
}

/* `GUID "name"` or `GUID name`; an empty line has no name. */
static int parse_line(char *line, unsigned int number, struct node_names *names)
{
	char *rest = line + strspn(line, " \t\r"), *guid = rest, *end;
	struct node_name *entry;
	uint64_t value;

	if (!*rest || *rest == '#')
		return 0;
	rest += strcspn(rest, " \t");
	if (!*rest)
		return -EINVAL;
	*rest++ = '\0';
	if (text_parse_u64(guid, 16, UINT64_MAX, &value))
		return -EINVAL;
	rest += strspn(rest, " \t");
	if (*rest == '"') {
		end = strchr(++rest, '"');
		if (!end)
			return -EINVAL;
	} else {
		end = rest + strcspn(rest, "#\r");
		while (end > rest && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
	}
	if (end == rest)
		return -EINVAL;
	entry = mem_append(&names->items, &names->count, sizeof(*entry));
	entry->guid = value;
	entry->line = number;
	entry->name = text_clean(rest, (size_t)(end - rest));
	return 0;
}

int node_names_parse(const char *text, size_t length, struct node_names *names,
		     unsigned int *ret_line)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line;
	struct node_names found = {.items = NULL};
	unsigned int number = 0;

	while ((line = strsep(&rest, "\n"))) {
		number++;
		/* The last line ends at a NUL: the end of the text, or a stray one. */
		if (parse_line(line, number, &found) || (!rest && strlen(text) != length)) {
			node_names_clear(&found);
			*ret_line = number;
			return -EINVAL;
		}
	}
	if (found.count)
		qsort(found.items, found.count, sizeof(*found.items), compare_lines);
	drop_repeated(&found);
	*names = found;
	return 0;
}

const char *node_names_find(const struct node_names *names, uint64_t guid)
{
	const struct node_name key = {.guid = guid};
	const struct node_name *found = NULL;

	if (names && names->count)
		found = bsearch(&key, names->items, names->count, sizeof(key), compare_guids);
	return found ? found->name : NULL;
}

void node_names_clear(struct node_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i].name);
	free(names->items);
	*names = (struct node_names){.items = NULL};
}
