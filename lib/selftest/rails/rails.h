/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * All ports of this host and those of a peer at once: which ports belong together, what each
 * carries alone, and what all of them carry together.
 */
#pragma once

#include "host/inventory/inventory.h"
#include "selftest/record/record.h"
#include "selftest/wire/message.h"

/* What the inventory must be loaded with. */
#define RAIL_NEEDS (ENDPOINT_NEEDS | NEED_PCI_ADDRESS | NEED_NUMA)

/* More ports than a host has. */
#define MOST_RAILS 64u

/*
 * Lists the active ports, each with its best GID, in the order of their PCI addresses. The caller
 * frees the array.
 */
void rails_list(const struct inventory *inventory, const struct number *gid_index,
		struct listed_port **ret_ports, size_t *ret_count);

struct rail_choice {
	size_t far; /* SIZE_MAX: none */
	enum rail_match match;
};

/* What is known about two ports: whether they can communicate, and are in one subnet. */
struct rail_reach {
	bool kind, subnet;
};

/*
 * Chooses the counterpart of each of `near_count` ports; reach[i * far_count + j] describes port i
 * here and port j there. No port gets two counterparts.
 */
void rails_match(const struct rail_reach *reach, size_t near_count, size_t far_count,
		 struct rail_choice *ret_choices);

/* A port and its counterpart. Strings are borrowed. */
struct rail {
	struct endpoint near, far;
	enum rail_match match;
	uint32_t share, shares, far_share, far_shares; /* part of the processors near each device */
	struct selftest_path path;		       /* path attributes of the packets */
	bool software;	      /* no hardware of its own: it uses the processors' time */
	bool both_ways;	      /* its figures are sums over both directions; rails_run() */
	const char *bus;      /* name of a PCIe link shared with other rails; or NULL */
	struct real bus_gbps; /* what the link carries each way */
	struct real alone_gbps, together_gbps;
	/* The rail beside which this one is slowest, in pairs, and its speed there; or NULL. */
	const struct rail *beside;
	struct real beside_gbps;
};

/*
 * Asks the server for its ports. Only the peer's address and the connection options of the request
 * are used. Returns 0; -EINTR: the user ended it; -errno: a failed row has the reason. The caller
 * frees the array.
 */
int rails_ask(const struct selftest_request *request, struct selftest_results *results,
	      struct listed_port **ret_ports, size_t *ret_count);

/*
 * Measures each rail alone and then all together, in one process per rail: adds a row for each rail
 * and size, and one for their sum. Returns 0, or -EINTR if the user ended it.
 */
int rails_run(const struct selftest_request *request, struct rail *rails, size_t count,
	      struct selftest_results *results);

/* A rail is slow if together with others it carries less than this part of what it does alone. */
#define RAIL_SLOW 0.9

bool rail_is_slow(const struct rail *rail);
/*
 * Explains why a rail is slower beside the others, and the next step; false if it is not slower. A
 * cause that the speed of a link does not prove is called a guess. The caller frees both texts.
 */
bool rails_judge(const struct rail *rails, size_t count, size_t index, char **ret_reason,
		 char **ret_hint);

/* The result of one process. A flat record: it comes through a socket. */
struct rail_report {
	bool done;    /* the test ran, and `gbps` is known */
	bool skipped; /* not measurable here; the reason says why */
	double gbps;
	char reason[400], next_step[300];
	char cpus[128], far_cpus[128]; /* processors to which both sides are bound */
};

/*
 * Runs the request's tests on those rails, each in its own process; all begin to measure at the
 * same time. Returns 0, or -EINTR if the user ended it.
 */
int rails_process(const struct selftest_request *request, const struct rail *const *rails,
		  size_t count, struct rail_report *ret_reports);
