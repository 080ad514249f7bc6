/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Queries of verbs recorded for a snapshot, or answered from one (kernel/recording.h). A question
 * has the kind of query, a port number and a device name; an answer has the result and the
 * structure of libibverbs, which is the same on all hosts whose recordings begin with the same
 * line. Newer releases of the library may append to a structure: missing members are zero, as in
 * the library.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct recording;

enum verbs_question {
	VERBS_ASK_LIBRARY = 1, /* whether it exists and can list devices */
	VERBS_ASK_OPEN,	       /* struct verbs_identity */
	VERBS_ASK_LIMITS,      /* struct verbs_limits, lib/host/verbs.c */
	VERBS_ASK_PORT,	       /* struct ibv_port_attr */
	VERBS_ASK_GIDS,	       /* an array of struct ibv_gid_entry */
	VERBS_ASK_LIST,	       /* an array of struct verbs_item, in the order of libibverbs */
};

/* A device of the list. Its GUID is an address, which anonymous recordings replace. */
struct verbs_item {
	uint64_t node_guid;
	int32_t transport; /* enum ibv_transport_type */
	char name[64];	   /* IBV_SYSFS_NAME_MAX */
};

/* Facts about an open device that need no further query. */
struct verbs_identity {
	int32_t transport; /* enum ibv_transport_type */
	int32_t num_comp_vectors;
};

/* As recording_choose() returns them; neither if libibverbs answers, and nothing is recorded. */
struct verbs_record {
	int fd;			     /* for writing the record, or -1 */
	struct recording *recording; /* answers instead of libibverbs; or NULL */
};

/* Records the result of a query if a snapshot is being made. */
void verbs_record_note(const struct verbs_record *record, enum verbs_question question,
		       const char *device, uint64_t port, int rc, const void *bytes, size_t length);
/*
 * Returns the recorded result of a query, and its bytes. -ENODATA: it was not recorded; -EBADMSG:
 * the recording is damaged.
 */
int verbs_record_find(const struct verbs_record *record, enum verbs_question question,
		      const char *device, uint64_t port, const uint8_t **ret_bytes,
		      size_t *ret_length);
/* Like verbs_record_find(), but copies the bytes into a structure. */
int verbs_record_read(const struct verbs_record *record, enum verbs_question question,
		      const char *device, uint64_t port, void *structure, size_t size);
