/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/config_files.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"

enum { FILES_MOST = 1024 };

static bool has_file(const struct config_files *files, const char *name)
{
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(files->items[i].name, name))
			return true;
	return false;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct config_file *)a)->name, ((const struct config_file *)b)->name);
}

int config_files_add(const struct root *root, const char *directory, struct config_files *files)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	int rc = sysfs_list(root, &names, "%s", directory);

	for (size_t i = 0; !rc && i < names.count && files->count < FILES_MOST; i++)
		if (text_ends_with(names.items[i], ".conf") && !has_file(files, names.items[i]))
			MEM_ADD(files->items, files->count) = (struct config_file){
				mem_string(names.items[i]), mem_path(directory, names.items[i])};
	MEM_SORT(files->items, files->count, compare_files);
	return rc;
}

void config_files_clear(struct config_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->items[i].name);
		free(files->items[i].path);
	}
	free(files->items);
	*files = (struct config_files){.count = 0};
}

/* Removes white space at both ends of the text. */
static char *trim(char *text)
{
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	for (length = strlen(text); length && isspace((unsigned char)text[length - 1]); length--)
		;
	text[length] = '\0';
	return text;
}

/* A comment begins at a semicolon after white space. */
static char *value_of(char *text)
{
	for (char *end = text; *end; end++)
		if (*end == ';' && end > text && isspace((unsigned char)end[-1]))
			*end-- = '\0';
	return trim(text);
}

/*
 * ini_parse_stream() in UCX's src/ucs/config/ini.c: the last value wins, and an indented line
 * replaces the value of the name above it.
 */
char *ucx_conf_find(const char *text, const char *name)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line, *value = NULL;
	bool any = false, ours = false;

	while ((line = strsep(&rest, "\n"))) {
		char *start = trim(line), *found = NULL;
		const size_t length = strcspn(start, "=:");

		if (!*start || strchr(";#", *start))
			continue;
		if (any && start > line) {
			found = start;
		} else if (*start == '[' && strchr(start, ']')) {
			break;
		} else if (start[length]) {
			start[length] = '\0';
			found = value_of(start + length + 1);
			ours = !strcmp(trim(start), name);
			any = true;
		}
		if (found && ours) {
			free(value);
			value = mem_string(found);
		}
	}
	return value;
}
