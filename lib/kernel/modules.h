/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Kernel modules: which are loaded, which ones the running kernel has on disk, and what keeps one
 * from being loaded. Only files are read, and nothing is loaded. Names have underscores, as in
 * sysfs; files may write them with dashes. Functions return 0 or -errno.
 */
#pragma once

#include "kernel/root.h"
#include "schema/value.h"

/* What keeps a module from being loaded. */
enum module_rule_kind {
	/* modprobe.d: blacklist NAME. Its aliases are ignored, so that no device loads it. */
	MODULE_BLACKLIST,
	/* modprobe.d: install NAME COMMAND, where the command does not load the module. */
	MODULE_INSTALL,
	/* Kernel command line: modprobe.blacklist=, same effect as MODULE_BLACKLIST. */
	MODULE_BOOT_BLACKLIST,
	/* Kernel command line: module_blacklist=. The kernel refuses the module. */
	MODULE_BOOT_REFUSED,
	/* Kernel command line: dracut's rd.driver.blacklist=. Applies in the initial RAM disk. */
	MODULE_BOOT_INITIAL,
};

struct module_rule {
	enum module_rule_kind kind;
	char *module;
	char *text;  /* the line or the parameter, clean, for messages */
	char *place; /* /etc/modprobe.d/rdma.conf:3, or /proc/cmdline */
};

struct module_rules {
	struct module_rule *items;
	size_t count;
	bool has_config, has_boot; /* modprobe.d exists; the command line was read */
	struct strings unread;	   /* configuration files that could not be read */
	int unread_rc;		   /* the first error */
};

/* Reads modprobe.d(5) with the precedence of its directories, and the kernel command line. */
void module_rules_read(const struct root *root, struct module_rules *rules);
void module_rules_clear(struct module_rules *rules);
/*
 * Returns the rule that keeps the module from being loaded, or NULL. `by_name` is for a module that
 * is loaded because another one depends on it: then a blacklist does not count, since it only hides
 * aliases.
 */
const struct module_rule *module_rules_find(const struct module_rules *rules, const char *module,
					    bool by_name);

/* Pure functions. */
void module_rules_parse(struct module_rules *rules, const char *text, const char *place);
void module_rules_parse_boot(struct module_rules *rules, const char *text);

/* Whether the kernel has the module: loaded, or built in with parameters. */
enum tristate module_is_loaded(const struct root *root, const char *module);

/* Where the code of a loaded module comes from, judged by the letters of /sys/module/NAME/taint. */
enum module_origin {
	MODULE_ORIGIN_UNKNOWN,
	MODULE_ORIGIN_KERNEL, /* built with the kernel */
	MODULE_ORIGIN_OTHER,  /* out of tree: taint O, or a file that is not below kernel/ */
};

/* -ENOENT: the module is not loaded, or is built in; then the origin is unknown. */
int module_loaded_origin(const struct root *root, const char *module,
			 enum module_origin *ret_origin);

/* Modules on disk for the running kernel. */
struct module_files {
	char *release;	       /* of the running kernel; NULL: unknown */
	char *files;	       /* modules.dep */
	int rc;		       /* why that is missing; -ENOENT: no directory of the release */
	struct strings others; /* releases that have a directory */
};

void module_files_read(const struct root *root, struct module_files *files);
void module_files_clear(struct module_files *files);
/* Returns the module's file relative to the directory of the release, cleaned; NULL: none. */
char *module_file(const struct module_files *files, const char *module);
enum module_origin module_file_origin(const char *file);

/*
 * Returns modules.builtin of the running kernel, which is a hundred times shorter than modules.dep;
 * NULL: unreadable, or a kernel without built-in modules.
 */
char *modules_read_built_in(const struct root *root);
bool module_is_built_in(const char *built_in, const char *module);
