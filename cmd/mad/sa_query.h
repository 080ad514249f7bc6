/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One query of the subnet administrator, its component mask and its records. */
#pragma once

#include "cmd/mad/mad_session.h"

/* Of the administrator as a whole, and not one of its records */
#define SA_CLASS_PORT_INFO 0x01u

struct sa_args {
	struct mad_args mad;
	const char *from, *to;
	bool count;
};

extern const struct schema sa_count_schema; /* of --count */

/* Returns the exit status; `words` are FIELD=VALUE. */
int sa_query(const struct ctx *ctx, const struct sa_args *args,
	     const struct mad_attribute *attribute, char **words);
