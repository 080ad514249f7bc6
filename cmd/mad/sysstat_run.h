/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the client (sysstat.c) and the server (mad_serve.c): both list the same records. */
#pragma once

#include "cmd/mad/mad_listing.h"

struct sysstat_args {
	struct mad_args mad;
	bool serve;
};

/* A row is about a destination, one of its processors, or a client (--serve). Strings are owned. */
struct sysstat_record {
	char *object;
	struct number lid;
	struct number query; /* enum sysstat_query */
	struct real round_trip;
	char *host;
	struct number cpu;
	char *model;
	struct real mhz;
	struct number requests;
};

extern const struct schema sysstat_schema;
void sysstat_record_clear(struct sysstat_record *record);
