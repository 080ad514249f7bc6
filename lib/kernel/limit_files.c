/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/limit_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"

void limit_setting_clear(struct limit_setting *setting)
{
	free(setting->value);
	free(setting->file);
	*setting = (struct limit_setting){.value = NULL};
}

bool limit_is_none(const struct limit_setting *setting)
{
	static const char *const words[] = {"infinity", "unlimited", "-1", "infinity:infinity"};

	for (size_t i = 0; setting->value && i < ARRAY_SIZE(words); i++)
		if (!strcmp(setting->value, words[i]))
			return true;
	return false;
}

/*
 * KEY=VALUE, with blanks around both, systemd.syntax(7). systemd refuses an empty limit, and keeps
 * what it had before: rlimit_parse(), src/basic/rlimit-util.c.
 */
char *limit_parse_unit(const char *text, const char *key)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line, *value = NULL;

	while ((line = strsep(&rest, "\n"))) {
		char *equals, *end;

		line += strspn(line, " \t");
		equals = strchr(line, '=');
		if (!equals || strncmp(line, key, strlen(key)))
			continue;
		if (line + strlen(key) + strspn(line + strlen(key), " \t") != equals)
			continue;
		equals += 1 + strspn(equals + 1, " \t");
		for (end = equals + strlen(equals); end > equals && strchr(" \t\r", end[-1]);)
			end--;
		if (end == equals)
			continue;
		free(value);
		value = text_clean(equals, (size_t)(end - equals));
	}
	return value;
}

/* DOMAIN TYPE ITEM VALUE, limits.conf(5); the type - is soft and hard. */
char *limit_parse_logins(const char *text)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line, *value = NULL;

	while ((line = strsep(&rest, "\n"))) {
		char domain[8], type[8], item[16], number[32];

		line[strcspn(line, "#")] = '\0';
		if (sscanf(line, " %7s %7s %15s %31s", domain, type, item, number) != 4)
			continue;
		if (strcmp(domain, "*") || strcmp(item, "memlock") ||
		    (strcmp(type, "-") && strcmp(type, "soft")))
			continue;
		free(value);
		value = text_clean(number, strlen(number));
	}
	return value;
}

/* Returns whether there is such a file. */
static bool take_file(const struct root *root, const char *path, const char *key,
		      struct limit_setting *setting)
{
	_cleanup_(freep) char *text = NULL, *value = NULL;

	if (sysfs_read_long(root, &text, "%s", path))
		return false;
	value = key ? limit_parse_unit(text, key) : limit_parse_logins(text);
	if (!value)
		return true;
	limit_setting_clear(setting);
	setting->value = value;
	setting->file = mem_format("/%s", path);
	value = NULL;
	return true;
}

/* A file that adds to others, and where it is. */
struct drop_in {
	char *name, *path;
};

struct drop_ins {
	struct drop_in *items;
	size_t count;
};

static struct drop_in *find_drop_in(struct drop_ins *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	MEM_ADD(list->items, list->count) = (struct drop_in){.name = mem_string(name)};
	return &list->items[list->count - 1];
}

/* The .conf files of a directory, which hide those of the same name in the ones before. */
static void find_drop_ins(const struct root *root, const char *directory, struct drop_ins *list)
{
	struct strings names = {.known = true};

	if (sysfs_list(root, &names, "%s", directory))
		return;
	for (size_t i = 0; i < names.count; i++) {
		struct drop_in *drop_in;

		if (!text_ends_with(names.items[i], ".conf"))
			continue;
		drop_in = find_drop_in(list, names.items[i]);
		free(drop_in->path);
		drop_in->path = mem_format("%s/%s", directory, names.items[i]);
	}
	strings_free(&names);
}

static int compare_drop_ins(const void *a, const void *b)
{
	return strcmp(((const struct drop_in *)a)->name, ((const struct drop_in *)b)->name);
}

/* By their names, as bytes, wherever they are: the last one wins. Frees the list. */
static void take_drop_ins(const struct root *root, struct drop_ins *list, const char *key,
			  struct limit_setting *setting)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_drop_ins);
	for (size_t i = 0; i < list->count; i++) {
		take_file(root, list->items[i].path, key, setting);
		free(list->items[i].name);
		free(list->items[i].path);
	}
	free(list->items);
}

/*
 * A file in /etc hides one of the same name in /run, and that one in /usr/lib: both the unit's own
 * and drop-ins, systemd.unit(5). Drop-ins of a prefix of the name are not looked for.
 */
static void take_unit(const struct root *root, const char *directory, const char *unit,
		      const char *key, struct limit_setting *setting)
{
	static const char *const places[] = {"etc/systemd", "run/systemd", "lib/systemd",
					     "usr/lib/systemd"};
	struct drop_ins drop_ins = {.count = 0};
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_(freep) char *path = mem_format("%s%s/%s", places[i], directory, unit);

		found = found || take_file(root, path, key, setting);
	}
	for (size_t i = ARRAY_SIZE(places); i-- > 0;) {
		_cleanup_(freep) char *path = mem_format("%s%s/%s.d", places[i], directory, unit);

		find_drop_ins(root, path, &drop_ins);
	}
	take_drop_ins(root, &drop_ins, key, setting);
}

void limit_of_unit(const struct root *root, const char *unit, const char *key,
		   struct limit_setting *ret_setting)
{
	*ret_setting = (struct limit_setting){.value = NULL};
	if (!strchr(unit, '/'))
		take_unit(root, "/system", unit, key, ret_setting);
}

void limit_of_manager(const struct root *root, const char *key, struct limit_setting *ret_setting)
{
	*ret_setting = (struct limit_setting){.value = NULL};
	take_unit(root, "", "system.conf", key, ret_setting);
}

/* limits.conf(5): the files of limits.d come after it, in the order of their names. */
void limit_of_logins(const struct root *root, struct limit_setting *ret_setting)
{
	struct drop_ins drop_ins = {.count = 0};

	*ret_setting = (struct limit_setting){.value = NULL};
	take_file(root, "etc/security/limits.conf", NULL, ret_setting);
	find_drop_ins(root, "etc/security/limits.d", &drop_ins);
	take_drop_ins(root, &drop_ins, NULL, ret_setting);
}
