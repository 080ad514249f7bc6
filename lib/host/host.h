/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The host itself: its name and processors, which it reports to queries over the fabric, and the
 * versions of the libraries and the kernel that this program uses.
 */
#pragma once

#include <stdio.h>

#include "schema/schema.h"

/* Returns the host name, with its domain if one is set; the caller frees it. */
char *host_name(void);
/*
 * Returns one line per processor, "cpu 0: model NAME MHZ 2199.998", in the format of ibsysstat(8),
 * with `?` for unknown values. Empty if nothing can be read. The caller frees it.
 */
char *host_processors(void);
/* Like host_processors(), for the text of another /proc/cpuinfo. */
char *host_read_processors(FILE *file);

struct component {
	char *name;
	char *built;   /* version at compile time */
	char *running; /* version in use now */
	char *note;    /* its purpose, or what is missing */
};

struct component_list {
	struct component *items;
	size_t count;
};

extern const struct schema component_schema;

/* Strings may be NULL and are copied. */
void component_add(struct component_list *list, const char *name, const char *built,
		   const char *running, const char *note);
/*
 * Lists the libraries, the kernel and its RDMA core: those of a saved tree, or of the live system
 * if this is NULL. Returns 0, or the -errno of opening the tree: then the kernel's row has no
 * facts.
 */
int components_load(struct component_list *list, const char *root_directory);
void component_list_clear(struct component_list *list);
