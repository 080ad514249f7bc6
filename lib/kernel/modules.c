/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/utsname.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/config_files.h"
#include "kernel/sysfs.h"

enum { RULES_MOST = 65536 };

/* modprobe.d(5) treats dashes and underscores in names as equal. */
static bool is_same_name(const char *a, size_t length, const char *b)
{
	for (size_t i = 0; i < length; i++)
		if (!b[i] || (a[i] == '-' ? '_' : a[i]) != (b[i] == '-' ? '_' : b[i]))
			return false;
	return !b[length];
}

static void add_rule(struct module_rules *rules, enum module_rule_kind kind, const char *module,
		     size_t length, const char *text, const char *place, unsigned int line)
{
	struct module_rule *rule;

	if (!length || rules->count >= RULES_MOST)
		return;
	rule = mem_append(&rules->items, &rules->count, sizeof(*rule));
	*rule = (struct module_rule){
		.kind = kind,
		.module = text_clean(module, length),
		.text = text_clean(text, strlen(text)),
		.place = line ? mem_format("%s:%u", place, line) : mem_string(place),
	};
	for (char *c = rule->module; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* Returns where the shell stops reading: a word that begins with # begins a comment. */
static size_t find_comment(const char *command)
{
	size_t at = 0;

	while (command[at] && (command[at] != '#' || (at && !strchr(" \t;&|", command[at - 1]))))
		at++;
	return at;
}

/*
 * Commands such as "/bin/false" or ":" replace loading the module. A command that names modprobe or
 * insmod most likely does load it, after something else. kmod passes the command to system(3):
 * command_do(), libkmod/libkmod-module.c.
 */
static bool loads_module(const char *command)
{
	const size_t length = find_comment(command);

	return memmem(command, length, "modprobe", strlen("modprobe")) ||
	       memmem(command, length, "insmod", strlen("insmod"));
}

/* Parses a command of modprobe.d(5): blacklist NAME, install NAME COMMAND; others are ignored. */
static void parse_line(struct module_rules *rules, const char *line, const char *place,
		       unsigned int number)
{
	const char *word = line + strspn(line, " \t"), *name, *command;
	size_t word_length = strcspn(word, " \t"), name_length;

	if (line[0] == '#')
		return;
	name = word + word_length + strspn(word + word_length, " \t");
	name_length = strcspn(name, " \t");
	command = name + name_length + strspn(name + name_length, " \t");
	if (word_length == strlen("blacklist") && !strncmp(word, "blacklist", word_length))
		add_rule(rules, MODULE_BLACKLIST, name, name_length, word, place, number);
	else if (word_length == strlen("install") && !strncmp(word, "install", word_length) &&
		 *command && !loads_module(command))
		add_rule(rules, MODULE_INSTALL, name, name_length, word, place, number);
}

/* A backslash at the end of a line joins it to the next (freadline_wrapped() of kmod). */
void module_rules_parse(struct module_rules *rules, const char *text, const char *place)
{
	_cleanup_(freep) char *line = mem_alloc_zero(strlen(text) + 1, 1);
	unsigned int number = 1, first = 1;
	size_t at = 0;

	for (const char *c = text;; c++) {
		if (*c == '\\' && c[1] == '\n') {
			number++;
			c++;
			continue;
		}
		if (*c == '\\' && c[1])
			c++;
		if (*c && *c != '\n') {
			line[at++] = *c;
			continue;
		}
		line[at] = '\0';
		parse_line(rules, line, place, first);
		if (!*c)
			return;
		at = 0;
		first = ++number;
	}
}

/* Parses NAME=A,B,C from the kernel command line; dashes are legal: parameq(), kernel/params.c. */
static void parse_parameter(struct module_rules *rules, const char *parameter)
{
	static const struct {
		const char *name;
		enum module_rule_kind kind;
	} names[] = {
		{"module_blacklist", MODULE_BOOT_REFUSED},
		{"modprobe.blacklist", MODULE_BOOT_BLACKLIST},
		{"rd.driver.blacklist", MODULE_BOOT_INITIAL},
	};
	const char *value = strchr(parameter, '=');

	for (size_t i = 0; value && i < ARRAY_SIZE(names); i++) {
		if (!is_same_name(parameter, (size_t)(value - parameter), names[i].name))
			continue;
		for (const char *name = value + 1;; name++) {
			size_t length = strcspn(name, ",");

			add_rule(rules, names[i].kind, name, length, parameter, "/proc/cmdline", 0);
			name += length;
			if (!*name)
				return;
		}
	}
}

static void rule_clear(struct module_rule *rule)
{
	free(rule->module);
	free(rule->text);
	free(rule->place);
}

/* Only the last module_blacklist= counts: core_param() in kernel/module. */
static void drop_refused(struct module_rules *rules)
{
	size_t kept = 0;

	for (size_t i = 0; i < rules->count; i++) {
		if (rules->items[i].kind != MODULE_BOOT_REFUSED)
			rules->items[kept++] = rules->items[i];
		else
			rule_clear(&rules->items[i]);
	}
	rules->count = kept;
}

/* The kernel stops at "--": parse_args(). A quote may begin a parameter or a value. */
void module_rules_parse_boot(struct module_rules *rules, const char *text)
{
	_cleanup_(freep) char *parameter = mem_alloc_zero(strlen(text) + 1, 1);
	bool quoted = false;
	size_t at = 0;

	for (const char *c = text;; c++) {
		if (*c == '"') {
			quoted = !quoted;
			continue;
		}
		if (*c && (quoted || !strchr(" \t\n", *c))) {
			parameter[at++] = *c;
			continue;
		}
		parameter[at] = '\0';
		if (!strcmp(parameter, "--"))
			return;
		if (is_same_name(parameter, strcspn(parameter, "="), "module_blacklist"))
			drop_refused(rules);
		parse_parameter(rules, parameter);
		at = 0;
		if (!*c)
			return;
	}
}

static void note_unread(struct module_rules *rules, const char *path, int rc)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));
	_cleanup_(freep) char *place = mem_format("/%s", clean);

	if (!rules->unread.count)
		rules->unread_rc = rc;
	strings_add(&rules->unread, place);
}

static void read_config(const struct root *root, struct module_rules *rules, const char *path)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));
	_cleanup_(freep) char *place = mem_format("/%s", clean);
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_file(root, &text, "%s", path);

	/* A link to /dev/null masks a file; a saved tree does not have its target. */
	if (rc && rc != -ENOENT && rc != -ENXIO)
		note_unread(rules, path, rc);
	if (!rc)
		module_rules_parse(rules, text, place);
}

/* In the order of modprobe.d(5). */
static const char *const directories[] = {
	"etc/modprobe.d",     "run/modprobe.d", "usr/local/lib/modprobe.d",
	"usr/lib/modprobe.d", "lib/modprobe.d",
};

void module_rules_read(const struct root *root, struct module_rules *rules)
{
	_cleanup_(config_files_clear) struct config_files files = {.count = 0};
	_cleanup_(freep) char *boot = NULL;
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		rc = config_files_add(root, directories[i], &files);
		if (rc && rc != -ENOENT && rc != -ENOTDIR)
			note_unread(rules, directories[i], rc);
		rules->has_config |= !rc;
	}
	for (size_t i = 0; i < files.count; i++)
		read_config(root, rules, files.items[i].path);
	rc = sysfs_read_long(root, &boot, "proc/cmdline");
	rules->has_boot = !rc;
	if (!rc)
		module_rules_parse_boot(rules, boot);
	else if (rc != -ENOENT)
		note_unread(rules, "proc/cmdline", rc);
}

void module_rules_clear(struct module_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++)
		rule_clear(&rules->items[i]);
	free(rules->items);
	strings_free(&rules->unread);
	*rules = (struct module_rules){.count = 0};
}

const struct module_rule *module_rules_find(const struct module_rules *rules, const char *module,
					    bool by_name)
{
	const struct module_rule *found = NULL;

	for (size_t i = 0; i < rules->count; i++) {
		const struct module_rule *rule = &rules->items[i];

		if (strcmp(rule->module, module))
			continue;
		if (by_name && rule->kind != MODULE_INSTALL && rule->kind != MODULE_BOOT_REFUSED)
			continue;
		/* A rule for the initial RAM disk ends with it, so any other takes precedence. */
		if (!found || found->kind == MODULE_BOOT_INITIAL)
			found = rule;
	}
	return found;
}

enum tristate module_is_loaded(const struct root *root, const char *module)
{
	_cleanup_(freep) char *path = mem_format("sys/module/%s", module);
	int rc = sysfs_open_directory(root, path);

	if (!rc)
		return TRISTATE_YES;
	return rc == -ENOENT ? TRISTATE_NO : TRISTATE_UNKNOWN;
}

/* The letters are documented in Documentation/ABI/testing/sysfs-module. */
int module_loaded_origin(const struct root *root, const char *module,
			 enum module_origin *ret_origin)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, "sys/module/%s/taint", module);

	if (length < 0)
		return (int)length;
	*ret_origin = strchr(text, 'O') ? MODULE_ORIGIN_OTHER : MODULE_ORIGIN_KERNEL;
	return 0;
}

static char *read_release(const struct root *root)
{
	char text[SYSFS_TEXT_SIZE];
	struct utsname names;

	if (root->live)
		return uname(&names) ? NULL : mem_string(names.release);
	/* Reject a release that would lead out of lib/modules. */
	if (sysfs_read(root, text, "proc/sys/kernel/osrelease") <= 0 || strchr(text, '/') ||
	    text[0] == '.')
		return NULL;
	return text_clean(text, strlen(text));
}

void module_files_read(const struct root *root, struct module_files *files)
{
	sysfs_list(root, &files->others, "lib/modules");
	files->release = read_release(root);
	if (!files->release) {
		files->rc = -ENODATA;
		return;
	}
	/* Debian's file for 6.12 is 0.6 MiB. */
	files->rc = sysfs_read_file(root, &files->files, "lib/modules/%s/modules.dep",
				    files->release);
}

char *modules_read_built_in(const struct root *root)
{
	_cleanup_(freep) char *release = read_release(root);
	char *names = NULL;

	if (release)
		sysfs_read_file(root, &names, "lib/modules/%s/modules.builtin", release);
	return names;
}

void module_files_clear(struct module_files *files)
{
	free(files->release);
	free(files->files);
	strings_free(&files->others);
	*files = (struct module_files){.rc = 0};
}

/* Finds the module's line: kernel/drivers/infiniband/hw/mlx5/mlx5_ib.ko.xz: DEPENDENCIES */
static const char *find_line(const char *text, const char *module, size_t *ret_length)
{
	for (const char *line = text; line && *line;) {
		size_t length = strcspn(line, ":\n");
		const char *name = memrchr(line, '/', length), *end;

		name = name ? name + 1 : line;
		end = memmem(name, (size_t)(line + length - name), ".ko", 3);
		if (end && is_same_name(name, (size_t)(end - name), module)) {
			*ret_length = length;
			return line;
		}
		line = strchr(line + length, '\n');
		if (line)
			line++;
	}
	return NULL;
}

bool module_is_built_in(const char *built_in, const char *module)
{
	size_t length;

	return find_line(built_in, module, &length);
}

char *module_file(const struct module_files *files, const char *module)
{
	size_t length;
	const char *line = find_line(files->files, module, &length);

	return line ? text_clean(line, length) : NULL;
}

/*
 * The kernel's modules are installed below kernel/, others below updates/, extra/ or the like:
 * scripts/Makefile.modinst.
 */
enum module_origin module_file_origin(const char *file)
{
	return strncmp(file, "kernel/", strlen("kernel/")) ? MODULE_ORIGIN_OTHER
							   : MODULE_ORIGIN_KERNEL;
}
