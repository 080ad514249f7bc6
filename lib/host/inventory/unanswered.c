/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of its own: tests replace the functions of inventory.c, but not this one. */
#include "host/inventory/inventory.h"

void inventory_add_unanswered(struct problems *problems, const char *object, const char *attribute,
			      const char *source, const char *hint)
{
	problem_add_text(problems, object, attribute, source,
			 "a saved tree does not hold what netlink answers",
			 hint ?: "rdmactl snapshot keeps what the kernel answers");
}
