/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All ports of this host and those of a peer at once: which belong together, what each carries
 * alone, and what all of them carry together.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "selftest/record/record.h"
#include "selftest/wire/message.h"

/* What the inventory must have been loaded with. */
#define RAIL_NEEDS (ENDPOINT_NEEDS | NEED_PCI_ADDRESS | NEED_NUMA)

/* More than one host has. */
#define MOST_RAILS 64u

/* The active ports, each with its best GID, in the order of the PCI addresses; to be freed. */
void rails_list(const struct inventory *inventory, const struct number *gid_index,
		struct listed_port **ret_ports, size_t *ret_count);

/* The counterpart of a port. */
struct rail_choice {
	size_t far; /* SIZE_MAX: none */
	enum rail_match match;
};

/* What is known of two ports: whether they can talk, and whether they are in one subnet. */
struct rail_reach {
	bool kind, subnet;
};

/*
 * Chooses the counterpart of each of `near_count` ports; reach[i * far_count + j] is that of the
 * port i here and the port j there. No port has two.
 */
void rails_match(const struct rail_reach *reach, size_t near_count, size_t far_count,
		 struct rail_choice *ret_choices);

/* A port and its counterpart. Strings are borrowed. */
struct rail {
	struct endpoint near, far;
	enum rail_match match;
	uint32_t share, shares, far_share, far_shares; /* of the processors near each of them */
	struct selftest_path path;		       /* what its packets carry */
	bool software;	      /* no hardware of its own: it takes the processors' time */
	bool both_ways;	      /* its figures are the sums of both directions; rails_run() */
	const char *bus;      /* what the PCIe link is called that it shares with others; or NULL */
	struct real bus_gbps; /* what that carries each way */
	/* What was measured. */
	struct real alone_gbps, together_gbps;
	/* The other rail beside which it is slowest, in pairs, and what it does then; or NULL. */
	const struct rail *beside;
	struct real beside_gbps;
};

/*
 * Asks the server for its ports. The request names the peer and nothing else of it is used. 0, or
 * -errno and a failed row has the reason; -EINTR: the user ended it. The array is to be freed.
 */
int rails_ask(const struct selftest_request *request, struct selftest_results *results,
	      struct listed_port **ret_ports, size_t *ret_count);

/*
 * Measures each rail alone and then all together, one process a rail: a row for each rail and size,
 * and one for their sum. 0, or -EINTR: the user ended it.
 */
int rails_run(const struct selftest_request *request, struct rail *rails, size_t count,
	      struct selftest_results *results);

/* A rail is slower together with others if it does less than this part of what it does alone. */
#define RAIL_SLOW 0.9

bool rail_is_slow(const struct rail *rail);
/*
 * The sentence about a rail that is slower beside the others, and the next step; false if it is not
 * slower. What is not proved by the speed of a link is called a guess. The caller frees both.
 */
bool rails_judge(const struct rail *rails, size_t count, size_t index, char **ret_reason,
		 char **ret_hint);
