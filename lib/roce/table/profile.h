/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles: groups of settings that make RoCE lossless, or let it run well without being lossless.
 * Which settings and values they consist of depends on the netdev's current state, which is read.
 */
#pragma once

#include "change/change.h"
#include "schema/value.h"

enum roce_profile { ROCE_PROFILE_LOSSLESS = 1, ROCE_PROFILE_LOSSY };

/* The values of NVIDIA's examples and of most switches: AF31 on priority 3. */
enum { ROCE_PROFILE_DSCP = 26, ROCE_PROFILE_PRIORITY = 3 };

extern const struct enum_name roce_profile_names[];

struct roce_ecn;

struct roce_wish {
	enum roce_profile profile;
	unsigned int dscp, priority;
};

/* A setting, and the text that a user would enter for it. */
struct roce_part {
	const struct setting *setting;
	char *text;
};

struct roce_parts {
	struct roce_part *items;
	size_t count;
};

/*
 * Return the parts for a netdev, in the order in which they must be written, and those for a port,
 * which come last: traffic moves to the class once it is ready. Parts that the driver lacks and a
 * lossless class can do without are omitted.
 */
void roce_profile_of_netdev(const struct roce_wish *wish, struct change_host *host,
			    const char *netdev, struct roce_parts *ret_parts);
/* Returns the text for both ends of congestion control: what each has now, plus the priority. */
char *roce_profile_ecn(const struct roce_ecn *now, unsigned int priority);
void roce_profile_of_port(const struct roce_wish *wish, struct roce_parts *ret_parts);
void roce_parts_clear(struct roce_parts *parts);
