/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/verbs/loader_config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"

#define LOADER_FOLDER "ld.so.conf.d"

enum { PARTS_MOST = 1024 };

/* Does the same as parse_conf() and add_dir_1() of glibc's ldconfig.c. */
char *loader_config_take_line(const char **text)
{
	while (**text) {
		const char *line = *text;
		const size_t whole = strcspn(line, "\n");
		size_t length = strcspn(line, "#\n"), blanks = strspn(line, " \t\r");

		*text += whole + (line[whole] == '\n');
		if (blanks >= length)
			continue;
		while (strchr(" \t\r", line[length - 1]))
			length--;
		while (length > blanks + 1 && line[length - 1] == '/')
			length--;
		return mem_format("%.*s", (int)(length - blanks), line + blanks);
	}
	return NULL;
}

const char *loader_config_includes(const char *line)
{
	static const char word[] = "include";

	if (strncmp(line, word, strlen(word)) || !strspn(line + strlen(word), " \t"))
		return NULL;
	return line + strlen(word);
}

const char *loader_config_pattern(const char *word)
{
	static const char absolute[] = "/etc/", folder[] = LOADER_FOLDER "/";

	word += strncmp(word, absolute, strlen(absolute)) ? 0 : strlen(absolute);
	if (strncmp(word, folder, strlen(folder)))
		return NULL;
	word += strlen(folder);
	return strchr(word, '/') ? NULL : word;
}

/* Keeps that the directory is named, else the first error. */
static void merge(int *found, int other)
{
	if (other > 0 || !*found)
		*found = other;
}

/* Files that a file of the folder includes in turn are not looked at. */
static int read_part(const struct root *root, const char *name, const char *directory)
{
	_cleanup_(freep) char *text = NULL;
	int found = sysfs_read_long(root, &text, "etc/" LOADER_FOLDER "/%s", name);
	const char *rest = text;
	char *line;

	if (found)
		return found;
	while (found <= 0 && (line = loader_config_take_line(&rest))) {
		merge(&found, loader_config_includes(line) ? -ENOTSUP : !strcmp(line, directory));
		free(line);
	}
	return found;
}

static int read_parts(const struct root *root, const char *pattern, const char *directory)
{
	_cleanup_(strings_free) struct strings files = {.known = false};
	int found = sysfs_list(root, &files, "etc/" LOADER_FOLDER);

	/* A pattern that matches no file is no error. Hidden files are not listed. */
	if (found == -ENOENT)
		found = 0;
	for (size_t i = 0; i < files.count && i < PARTS_MOST && found <= 0; i++)
		if (!fnmatch(pattern, files.items[i], 0))
			merge(&found, read_part(root, files.items[i], directory));
	return found;
}

static int read_included(const struct root *root, const char *words, const char *directory)
{
	_cleanup_(freep) char *copy = mem_string(words);
	char *rest = copy, *word;
	int found = 0;

	while (found <= 0 && (word = strsep(&rest, " \t"))) {
		const char *pattern = loader_config_pattern(word);

		if (*word)
			merge(&found, pattern ? read_parts(root, pattern, directory) : -ENOTSUP);
	}
	return found;
}

int loader_config_names(const struct root *root, const char *directory)
{
	_cleanup_(freep) char *text = NULL;
	int found = sysfs_read_long(root, &text, LOADER_CONFIG);
	const char *rest = text;
	char *line;

	if (found)
		return found;
	while (found <= 0 && (line = loader_config_take_line(&rest))) {
		const char *words = loader_config_includes(line);

		merge(&found,
		      words ? read_included(root, words, directory) : !strcmp(line, directory));
		free(line);
	}
	return found;
}
