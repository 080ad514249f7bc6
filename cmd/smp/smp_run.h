/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl smp: smp.c parses the command line, smp_get.c reads, smp_set.c writes, smp_command.c
 * commands subnet managers.
 */
#pragma once

#include "cmd/mad/mad_listing.h"

#define SMP_BYTES 64u /* size of the data of an SMP: 14.2.1 */

struct smp_args {
	struct mad_args mad;
	bool all_ports, all;
	bool raw;
	const char *set;
	bool yes, force;
	struct number command; /* to a subnet manager: modifier of SMInfo */
};

extern const struct schema smp_raw_schema; /* of --raw */

/*
 * Checks that the words after a destination are ports or entries as the attribute has them;
 * otherwise the listing fails.
 */
bool smp_words_fit(struct listing *listing, const struct smp_args *args,
		   const struct mad_attribute *attribute, const struct mad_destination *at);
/* Whether the attribute is shown as one record rather than a table. */
bool smp_is_record(const struct mad_attribute *attribute);
/* These return the exit status; `words` are the destination and its indexes. */
int smp_get(const struct ctx *ctx, const struct smp_args *args,
	    const struct mad_attribute *attribute, char **words);
int smp_set(const struct ctx *ctx, const struct smp_args *args,
	    const struct mad_attribute *attribute, char **words);
int smp_send_command(const struct ctx *ctx, const struct smp_args *args,
		     const struct mad_attribute *attribute, char **words);
extern const struct enum_name smp_command_names[];
/* Opens the session and finds the destinations; sminfo without one queries the subnet manager. */
bool smp_begin(struct mad_listing *mad, const struct ctx *ctx, const struct smp_args *args,
	       const struct mad_attribute *attribute, const struct schema *schema, char **words);
