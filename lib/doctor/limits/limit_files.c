/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/limits/limit_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/config_files.h"
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
 * KEY=VALUE, with optional white space around both, systemd.syntax(7). systemd rejects an empty
 * limit and keeps the earlier value: rlimit_parse(), src/basic/rlimit-util.c.
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

/* DOMAIN TYPE ITEM VALUE, limits.conf(5); the type "-" means both soft and hard. */
char *limit_parse_logins(const char *text, const char *wanted)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line, *value = NULL;

	while ((line = strsep(&rest, "\n"))) {
		char domain[8], type[8], item[16], number[32];

		line[strcspn(line, "#")] = '\0';
		if (sscanf(line, " %7s %7s %15s %31s", domain, type, item, number) != 4)
			continue;
		if (strcmp(domain, "*") || strcmp(item, "memlock") ||
		    (strcmp(type, "-") && strcmp(type, wanted)))
			continue;
		free(value);
		value = text_clean(number, strlen(number));
	}
	return value;
}

/*
 * default_ulimits = ["NAME=SOFT:HARD", ...], crio.conf(5), or with single quotes, as in any TOML. A
 * list replaces that of an earlier file, even if it lacks the name.
 */
char *limit_parse_crio(const char *text, const char *name)
{
	_cleanup_(freep) char *list = mem_string(""), *copy = mem_string(text);
	_cleanup_(freep) char *key = mem_format("%s=", name);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		if (*list || !strncmp(line + strspn(line, " \t"), "default_ulimits", 15))
			mem_extend(&list, "%s\n", line);
	}
	if (!*list)
		return NULL;
	list[strcspn(list, "]")] = '\0';
	for (char *at = list; (at = strstr(at, key)); at += strlen(key))
		if (strchr("\"'", at[-1]))
			return text_clean(at + strlen(key), strcspn(at + strlen(key), "\"'\n"));
	return mem_string("");
}

typedef char *limit_parser(const char *text, const char *key);

/* Takes the setting of a file, if any. Returns whether the file exists. */
static bool take_file(const struct root *root, const char *path, limit_parser *parse,
		      const char *key, struct limit_setting *setting)
{
	_cleanup_(freep) char *text = NULL;
	char *value;

	if (sysfs_read_long(root, &text, "%s", path))
		return false;
	value = parse(text, key);
	if (value) {
		limit_setting_clear(setting);
		*setting = (struct limit_setting){value, mem_format("/%s", path)};
	}
	return true;
}

/* Takes the settings of all files; the last one wins. Frees the list. */
static void take_files(const struct root *root, struct config_files *files, limit_parser *parse,
		       const char *key, struct limit_setting *setting)
{
	for (size_t i = 0; i < files->count; i++)
		take_file(root, files->items[i].path, parse, key, setting);
	config_files_clear(files);
}

/*
 * A file in /etc hides one with the same name in /run, and that one in /usr/lib: both for the unit
 * file itself and for drop-ins, systemd.unit(5). Drop-ins for a prefix of the name are not
 * searched.
 */
static void take_unit(const struct root *root, const char *directory, const char *unit,
		      const char *key, struct limit_setting *setting)
{
	static const char *const places[] = {"etc/systemd", "run/systemd", "lib/systemd",
					     "usr/lib/systemd"};
	struct config_files drop_ins = {.count = 0};
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_(freep) char *path = mem_format("%s%s/%s", places[i], directory, unit);
		_cleanup_(freep) char *folder = mem_format("%s.d", path);

		found = found || take_file(root, path, limit_parse_unit, key, setting);
		config_files_add(root, folder, &drop_ins);
	}
	take_files(root, &drop_ins, limit_parse_unit, key, setting);
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

/* limits.conf(5): the files of limits.d follow it, sorted by name. */
static void read_logins(const struct root *root, const char *type, struct limit_setting *setting)
{
	struct config_files files = {.count = 0};

	take_file(root, "etc/security/limits.conf", limit_parse_logins, type, setting);
	config_files_add(root, "etc/security/limits.d", &files);
	take_files(root, &files, limit_parse_logins, type, setting);
}

/* pam_limits lowers the soft limit to the hard one: setup_limits(), pam_limits.c. */
bool limit_of_logins(const struct root *root, bool hard_is_none, struct limit_setting *ret_setting)
{
	struct limit_setting soft = {.value = NULL}, hard = {.value = NULL};

	read_logins(root, "soft", &soft);
	read_logins(root, "hard", &hard);
	if (hard.value)
		hard_is_none = limit_is_none(&hard);
	if (limit_is_none(&soft) && hard.value && !hard_is_none) {
		*ret_setting = hard;
		limit_setting_clear(&soft);
		return false;
	}
	*ret_setting = soft;
	limit_setting_clear(&hard);
	return limit_is_none(&soft) && hard_is_none;
}

/*
 * CRI-O reads all files of the folder, whatever their names, in the order of filepath.Walk():
 * UpdateFromPath(), config.go.
 */
void limit_of_crio(const struct root *root, struct limit_setting *ret_setting)
{
	static const char folder[] = "etc/crio/crio.conf.d";
	_cleanup_(strings_free) struct strings names = {.known = false};

	*ret_setting = (struct limit_setting){.value = NULL};
	take_file(root, "etc/crio/crio.conf", limit_parse_crio, "memlock", ret_setting);
	sysfs_list_by_bytes(root, &names, "%s", folder);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *path = mem_path(folder, names.items[i]);

		take_file(root, path, limit_parse_crio, "memlock", ret_setting);
	}
}
