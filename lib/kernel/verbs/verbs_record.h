/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries of verbs noted for a snapshot, or answered by one (kernel/recording.h). A question is
 * what is asked, the number of a port and the name of a device; an answer is the result and the
 * structure of libibverbs, whose layout is the same on all hosts of one byte order and size of
 * pointers. Releases of the library add to the end of a structure: the rest is zero, as the library
 * does it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct root;
struct verbs_device;
struct verbs_record;

enum verbs_question {
	VERBS_ASK_LIBRARY = 1, /* whether there is one, and devices can be listed */
	VERBS_ASK_OPEN,	       /* struct verbs_identity */
	VERBS_ASK_LIMITS,      /* struct verbs_limits, lib/host/verbs.c */
	VERBS_ASK_PORT,	       /* struct ibv_port_attr */
	VERBS_ASK_GIDS,	       /* an array of struct ibv_gid_entry */
	VERBS_ASK_LIST,	       /* an array of struct verbs_item, in the order of libibverbs */
};

/* A device of the list. Its GUID is an address, which is replaced in an anonymous recording. */
struct verbs_item {
	uint64_t node_guid;
	int32_t transport; /* enum ibv_transport_type */
	char name[64];	   /* IBV_SYSFS_NAME_MAX */
};

/* What is known of an open device without a further query. */
struct verbs_identity {
	int32_t transport; /* enum ibv_transport_type */
	int32_t num_comp_vectors;
};

/* NULL if the root is live and nothing is noted. -EOPNOTSUPP: it is a saved tree. */
int verbs_record_open(const struct root *root, struct verbs_record **ret_record);
void verbs_record_free(struct verbs_record *record);
/* Whether the record answers, in place of libibverbs. */
bool verbs_record_answers(const struct verbs_record *record);
/* Notes the result of a query, if it is to be. */
void verbs_record_note(const struct verbs_record *record, enum verbs_question question,
		       const char *device, uint64_t port, int rc, const void *bytes, size_t length);
/*
 * The result of a query when it was made, with the bytes. -ENODATA: it was not; -EBADMSG: the
 * recording is damaged.
 */
int verbs_record_find(const struct verbs_record *record, enum verbs_question question,
		      const char *device, uint64_t port, const uint8_t **ret_bytes,
		      size_t *ret_length);
/* The same into a structure. */
int verbs_record_read(const struct verbs_record *record, enum verbs_question question,
		      const char *device, uint64_t port, void *structure, size_t size);
