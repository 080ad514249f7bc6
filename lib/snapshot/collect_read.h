/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes single files into a snapshot; private to this folder. */
#pragma once

#include "snapshot/collect.h"

enum source_how {
	SOURCE_FILES,
	SOURCE_TREE,
	SOURCE_TEXTS,
	SOURCE_NAMES,
	SOURCE_CONFIG,	   /* of PCI: adapters, accelerators and bridges */
	SOURCE_VPD,	   /* of PCI: network adapters */
	SOURCE_PARAMETERS, /* of modules, except keys */
	SOURCE_LIBRARY,	   /* libibverbs.so.1: the version of its interface to providers */
	SOURCE_UNITS,	   /* of systemd: limits of locked memory */
	SOURCE_MOUNTS,	   /* of control groups and pstore */
	SOURCE_BOOT,	   /* of the host: its time */
};

/* Adds to the list, below root/; the bytes from malloc() belong to the list from now on. */
void collect_take(struct collection *collection, enum content_kind kind, const char *path,
		  char *bytes, size_t length);
/* Keeps the -errno of the live system, or of a saved tree's link, as a link instead of the file. */
void collect_error(struct collection *collection, const char *path, int error);
/* Notes what is omitted from the snapshot. */
void collect_note(struct collection *collection, const char *path, const char *why);
/* Takes a regular file. Returns 0, or the -errno that was kept. */
int collect_file(struct collection *collection, const char *path, enum source_how how);
/* Hides the values of passwords, keys and tokens in the text, in place. */
void collect_hide_secrets(char *text);
