/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/diff/diff.h"

#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static int compare(const void *a, const void *b)
{
	const struct name *first = a, *second = b;

	return strcmp(first->text, second->text);
}

static void free_name(void *item)
{
	struct name *name = item;

	free(name->text);
	free(name->later);
	free(name);
}

void diff_names_add(struct names **names, const char *text, size_t length, const char *later)
{
	struct name *name = mem_alloc_zero(1, sizeof(*name));
	struct name *const *found;
	void *root = *names;

	name->text = mem_format("%.*s", (int)length, text);
	found = mem_check(tsearch(name, &root, compare));
	*names = root;
	if (*found == name)
		name->later = mem_string_or_null(later);
	else
		free_name(name);
}

const struct name *diff_names_find(struct names *names, const char *text)
{
	const struct name wanted = {.text = (char *)(uintptr_t)text};
	void *const root = names;
	struct name *const *found = tfind(&wanted, &root, compare);

	return found ? *found : NULL;
}

bool diff_names_cover(struct names *names, const char *object)
{
	_cleanup_(freep) char *whole = names ? mem_string(object) : NULL;

	while (whole && !diff_names_find(names, whole)) {
		char *slash = strrchr(whole, '/');

		if (!slash)
			return false;
		*slash = '\0';
	}
	return whole;
}

void diff_names_free(struct names *names)
{
	tdestroy(names, free_name);
}
