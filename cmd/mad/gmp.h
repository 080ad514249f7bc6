/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads and sets the attributes of a management class by name: rdmactl cc, and rdmactl mad vendor.
 * gmp.c reads, gmp_set.c writes.
 */
#pragma once

#include "cmd/mad/mad_listing.h"

#define GMP_ENTRIES_MOST 0x10000u

struct gmp_args {
	struct mad_args mad;
	bool all;
	const char *set;
	bool yes;
};

struct gmp_run {
	struct mad_listing mad;
	const struct gmp_args *args;
	const struct mad_attribute *attribute;
	uint64_t key; /* of the class */
	struct mad_record *records;
	size_t record_count;
};

/* Sends one request. Returns false if it failed, which is reported. */
bool gmp_call(struct gmp_run *run, size_t destination, uint8_t method, uint32_t modifier,
	      const unsigned char *data, unsigned char *ret_data);
/* The description of the node; NULL if unknown, or if no column needs it. The caller frees it. */
char *gmp_describe(struct gmp_run *run, size_t destination);
/* Adds a row to the records; `data` are its bytes. */
struct mad_record *gmp_add(struct gmp_run *run, size_t destination, const char *description);
/* Begins the listing, then reads or sets; the run() of a command whose `data` is the attribute. */
int gmp_run(const struct ctx *ctx, const void *args, char **words);
void gmp_set(struct gmp_run *run);
