/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The libraries and the kernel that this program uses, with their versions. */
#pragma once

#include "schema/schema.h"

struct component {
	char *name;
	char *built;   /* version that it was compiled with */
	char *running; /* version that is in use now */
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
 * libibverbs, the kernel and its RDMA core: those of a saved tree, or the live ones if it is NULL.
 */
void components_load(struct component_list *list, const char *root_directory);
void component_list_clear(struct component_list *list);
