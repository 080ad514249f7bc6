/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The modules of the kernel: which are loaded, which the running kernel has on disk, and what keeps
 * one from being loaded. Only files are read, and nothing is loaded. Names have underscores, as in
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
	/* Kernel command line: modprobe.blacklist=, the same as MODULE_BLACKLIST. */
	MODULE_BOOT_BLACKLIST,
	/* Kernel command line: module_blacklist=. The kernel refuses the module. */
	MODULE_BOOT_REFUSED,
	/* Kernel command line: rd.driver.blacklist= of dracut. Holds in the initial RAM disk. */
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
	bool has_config, has_boot; /* there is a modprobe.d, and a kernel command line */
	struct strings unread;	   /* configuration files that could not be read */
	int unread_rc;		   /* the first error */
};

/* modprobe.d(5) with the precedence of its directories, and the kernel command line. */
void module_rules_read(const struct root *root, struct module_rules *rules);
void module_rules_clear(struct module_rules *rules);
/*
 * The rule that keeps the module from being loaded, or NULL. With `by_name`, for a module that is
 * loaded because another one depends on it, a blacklist does not count: it only hides aliases.
 */
const struct module_rule *module_rules_find(const struct module_rules *rules, const char *module,
					    bool by_name);

/* The pure parts. */
void module_rules_parse(struct module_rules *rules, const char *text, const char *place);
void module_rules_parse_boot(struct module_rules *rules, const char *text);

/* Whether the module is in the kernel: loaded, or built in with parameters of its own. */
enum tristate module_is_loaded(const struct root *root, const char *module);

/* Where the code of a loaded module is from: the letters of /sys/module/NAME/taint. */
enum module_origin {
	MODULE_ORIGIN_UNKNOWN,
	MODULE_ORIGIN_KERNEL, /* built with the kernel */
	MODULE_ORIGIN_OTHER,  /* out of tree: taint O, or a file that is not below kernel/ */
};

/* -ENOENT: it is not loaded, or built in; the origin is unknown then. */
int module_loaded_origin(const struct root *root, const char *module,
			 enum module_origin *ret_origin);

/* The modules of the running kernel on disk. */
struct module_files {
	char *release; /* of the running kernel; NULL: unknown */
	char *files;   /* modules.dep */
	char *built_in;
	int rc;		       /* why the two are not there; -ENOENT: no directory of the release */
	struct strings others; /* releases that have a directory */
};

void module_files_read(const struct root *root, struct module_files *files);
void module_files_clear(struct module_files *files);
bool module_is_built_in(const struct module_files *files, const char *module);
/* The file of the module, relative to the directory of the release, cleaned; NULL: none. */
char *module_file(const struct module_files *files, const char *module);
enum module_origin module_file_origin(const char *file);
