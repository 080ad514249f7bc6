/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sa: sa_query.c makes the query from the command line, sa.c sends it and prints. */
#pragma once

#include "cmd/mad/mad_listing.h"

struct sa_args {
	struct mad_args mad;
	const char *from, *to;
	bool count;
};

/* The answer of --count. */
struct sa_count {
	const char *record;
	struct number count;
	enum tristate complete;
};

struct sa_run {
	struct mad_listing mad;
	const struct sa_args *args;
	const struct mad_attribute *attribute; /* describes the query's fields */
	const struct mad_attribute *answer;    /* describes the records */
	const struct mad_attribute *asked_for; /* named on the command line */
	struct mad_request request;
	struct mad_record query; /* provides the data of the request */
	uint64_t given;		 /* components that the user named */
	struct mad_record *records;
	struct sa_count count;
	struct mad_item item; /* result of the request */
};

/* Fills the query's data and component mask. Returns false with the reason in the listing. */
bool sa_make_query(struct sa_run *run, char **words);
