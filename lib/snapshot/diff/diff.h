/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The differences between two lists of records of one schema, field by field: what a reboot, a
 * firmware or a driver has changed. It knows nothing of the subject: a kind says which fields name
 * a record, which identify it under another name, and which change by themselves.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "schema/problem.h"
#include "schema/schema.h"

/*
 * Names of objects, as a tree of tsearch(3): a host may have thousands of objects, so no list of
 * them is walked for each value. NULL is an empty tree.
 */
struct names;

struct name {
	char *text;
	char *later; /* name on the later side, if it was renamed */
};

/* Adds the first `length` bytes of the text, unless the name is there already. */
void diff_names_add(struct names **names, const char *text, size_t length, const char *later);
const struct name *diff_names_find(struct names *names, const char *text); /* NULL: not there */
/* Whether the object is one of the names, or part of one. */
bool diff_names_cover(struct names *names, const char *object);
void diff_names_free(struct names *names);

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

struct diff_kind {
	const char *name; /* plural: devices */
	const struct schema *schema;
	/* Lists of keys, separated by commas; NULL: none. */
	const char *keys;     /* name the record: device,port gives mlx5_0/1 */
	const char *identity; /* records match if they alone share one of these values */
	const char *moving;   /* not compared, besides keys, counters, secrets and records */
	bool partial;	      /* lists may be incomplete: ignore what only one side has */
	const char *distinct; /* added to the name if several on one side would share it */
};

enum diff_change { DIFF_CHANGED, DIFF_GONE, DIFF_NEW, DIFF_RENAMED };

/* The record of differences_schema. Strings are owned. */
struct difference {
	const char *kind;     /* of struct diff_kind */
	char *object;	      /* its name in the later list, if it is there */
	struct number change; /* enum diff_change */
	char *field;	      /* NULL: the record as a whole */
	char *before, *after; /* NULL: none */
};

extern const struct schema differences_schema;

/* One side of a comparison. */
struct diff_rows {
	const void *const *rows;
	size_t count;
	/* What could not be read: an unknown value of such an object is not a difference. */
	const struct problems *problems;
	bool answers; /* netlink and verbs answer; else every unknown value is merely unknown */
};

struct diff {
	struct difference *items;
	size_t count;
	struct names *renamed; /* tree of the earlier names of renamed objects */
	struct names *absent;  /* tree of what only one side has: its parts are not reported */
	struct diff_unknown *unknowns;
	size_t unknown_count;
};

/* Kinds whose records other records name (devices by ports) come first. */
void diff_compare(struct diff *diff, const struct diff_kind *kind, const struct diff_rows *before,
		  const struct diff_rows *after);
/* Reports which fields only one side knows; `names` are those of the two sides. */
void diff_note_unknowns(const struct diff *diff, const char *const names[DIFF_SIDES],
			struct problems *problems);
void diff_clear(struct diff *diff);
