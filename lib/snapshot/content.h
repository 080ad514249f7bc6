/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The contents of a snapshot: named blocks of bytes, links and empty folders, in memory. Collectors
 * and recorders add to the list, anonymising changes it, archive_write() writes it. A path is below
 * the archive's only folder: manifest.json, kmsg, root/sys/class/infiniband/mlx5_0, netlink/...,
 * verbs/...
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The folder that all members of an archive are in. */
#define SNAPSHOT_FOLDER "rdmactl-snapshot"
/* Below it, the tree that --root reads instead of /. */
#define SNAPSHOT_ROOT "root"

enum content_kind {
	CONTENT_FILE,
	CONTENT_LINK, /* symbolic; the bytes are its target */
	CONTENT_FOLDER,
	/* Only archives from elsewhere have these, and are refused. */
	CONTENT_HARD_LINK,
	CONTENT_OTHER, /* a device, a FIFO, a socket */
};

struct content {
	enum content_kind kind;
	char *path;
	char *bytes; /* followed by a NUL, which length does not count */
	size_t length;
};

struct contents {
	struct content *items;
	size_t count;
	uint64_t bytes; /* of all items, with their paths */
};

/* Adds a copy of the bytes. The path must not be in the list yet: see contents_find(). */
void contents_add(struct contents *contents, enum content_kind kind, const char *path,
		  const void *bytes, size_t length);
/* The same with bytes from malloc(), which the list owns from now on. */
void contents_take(struct contents *contents, enum content_kind kind, const char *path, char *bytes,
		   size_t length);
/* Sorts by path, byte by byte, and drops duplicates. Counts the bytes of changed items, too. */
void contents_sort(struct contents *contents);
/* Drops the marked items; the array is as long as the list. */
void contents_drop(struct contents *contents, const bool *marked);
/* Returns NULL if there is no such path. The list must be sorted. */
struct content *contents_find(const struct contents *contents, const char *path);
void contents_clear(struct contents *contents);

/* What follows the last slash. */
const char *content_name(const char *path);
/* Whether it is a file without NULs. */
bool content_is_text(const struct content *content);
/* Replaces the bytes by a text from malloc(). */
void content_replace(struct content *content, char *text);
