/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is wrong with a subnet, as records: from the graph alone (findings_graph.c), from forwarding
 * tables (findings_forwarding.c), from subnet managers and counters. A thing that is not known is
 * no finding. The list owns the evidence, and borrows the view.
 */
#pragma once

#include "fabric/route/forwarding.h"
#include "fabric/scan/scan.h"
#include "fabric/scan/port_counters.h"
#include "fabric/graph/view.h"
#include "event/event.h"

/* Word, severity, what it means, and the next step. The order is that of equal severity. */
#define FINDING_WORDS(WORD)                                                                       \
	WORD(NO_SM, "no-sm", ERROR, "the subnet has no subnet manager that answers",              \
	     "start one: opensm; rdmactl smp sminfo shows whether it answers")                    \
	WORD(TWO_MASTERS, "two-masters", ERROR, "more than one subnet manager is the master",     \
	     "stop all but one, then look at the keys and priorities of both")                    \
	WORD(DUPLICATE_GUID, "duplicate-guid", ERROR, "two nodes have the same GUID",             \
	     "write the right GUID to the firmware of one of them")                               \
	WORD(DUPLICATE_LID, "duplicate-lid", ERROR, "two ports have the same LID",                \
	     "restart the subnet manager without its old LID assignments")                        \
	WORD(UNANSWERED, "unanswered", ERROR, "something did not answer in the scan",             \
	     "look after the node behind the port: rdmactl smp nodeinfo -D PATH")                 \
	WORD(ONE_WAY_LINK, "one-way-link", ERROR, "the two ends of a link tell different things", \
	     "scan again; if it stays, replug or replace the cable")                              \
	WORD(LFT_HOLE, "lft-hole", ERROR, "a switch forwards packets to a LID nowhere",           \
	     "have the subnet manager route anew: kill -HUP of opensm")                           \
	WORD(LFT_LOOP, "lft-loop", ERROR, "switches send packets to a LID round in a circle",     \
	     "see the way: rdmactl fabric route; have the subnet manager route anew")             \
	WORD(SM_LID_MISMATCH, "sm-lid-mismatch", WARNING,                                         \
	     "the port believes the subnet manager elsewhere than the others do",                 \
	     "have the subnet manager configure anew: kill -HUP of opensm")                       \
	WORD(SM_UNANSWERED, "sm-unanswered", WARNING,                                             \
	     "the port says that it has a subnet manager, which does not answer",                 \
	     "look after opensm on that node")                                                    \
	WORD(NO_LID, "no-lid", WARNING, "the port has no LID though there is a subnet manager",   \
	     "look for the port in the subnet manager's log")                                     \
	WORD(PORT_INIT, "port-init", WARNING,                                                     \
	     "the link is up, and the subnet manager has not configured it",                      \
	     "look for the port in the subnet manager's log; kill -HUP of opensm sweeps anew")    \
	WORD(LINK_NOT_ACTIVE, "link-not-active", WARNING, "the link is up, but not active",       \
	     "look for the port in the subnet manager's log")                                     \
	WORD(LINK_BELOW_BEST, "link-below-best", WARNING,                                         \
	     "the link is narrower or slower than both ends support",                             \
	     "reseat or replace the cable; see what is enabled: rdmactl smp portinfo")            \
	WORD(MTU_MISMATCH, "mtu-mismatch", WARNING, "the ends of a link use different MTUs",      \
	     "have the subnet manager configure anew: kill -HUP of opensm")                       \
	WORD(MTU_LOW, "mtu-low", WARNING, "the MTU of a link is lower than both ends support",    \
	     "see what the subnet manager is told to set")                                        \
	WORD(VL_MISMATCH, "vl-mismatch", WARNING,                                                 \
	     "the ends of a link use different numbers of virtual lanes",                         \
	     "have the subnet manager configure anew: kill -HUP of opensm")                       \
	WORD(ERRORS, "errors", WARNING, "error counters of the port grow",                        \
	     "reseat or replace the cable; rdmactl perf LID PORT --errors")                       \
	WORD(NO_COUNTERS, "no-counters", WARNING, "the counters of the port cannot be read",      \
	     "look after the node: rdmactl perf LID")                                             \
	WORD(SATURATED, "counter-saturated", NOTICE,                                              \
	     "error counters of the port have stopped at their maximum",                          \
	     "clear them, so that they count again: rdmactl perf LID PORT --reset")               \
	WORD(CONGESTION, "congestion", NOTICE,                                                    \
	     "the port waits for credits as long as it sends, or longer",                         \
	     "follow the way that the data takes: rdmactl fabric route")                          \
	WORD(NOT_CHECKED, "not-checked", INFO, "something could not be looked at",                \
	     "take away what the evidence tells, and check again")

#define FINDING_CODE(code, ...) FINDING_##code,
enum finding { FINDING_WORDS(FINDING_CODE) };
#undef FINDING_CODE

struct fabric_finding {
	struct fabric_row at; /* a port; FABRIC_NONE: the subnet as a whole */
	bool of_node;	      /* it is about the node, and the port is just one of its ports */
	struct number finding;
	struct number severity; /* enum event_severity */
	char *evidence;
};

struct fabric_findings {
	struct fabric_finding *items;
	size_t count;
};

extern const struct enum_name finding_names[];
extern const struct schema fabric_check_schema;

/* Of the finding's own severity; takes the evidence over. Returns it until the next is added. */
struct fabric_finding *findings_add(struct fabric_findings *findings,
				    const struct fabric_view *view, enum finding finding,
				    uint32_t port, char *evidence);
/* The same of the node. */
struct fabric_finding *findings_add_node(struct fabric_findings *findings,
					 const struct fabric_view *view, enum finding finding,
					 uint32_t node, char *evidence);
/* The worst first. */
void findings_sort(struct fabric_findings *findings);
void findings_clear(struct fabric_findings *findings);

/* All that the graph tells by itself. */
void findings_of_graph(const struct fabric_view *view, struct fabric_findings *findings);
/* What their ports and they themselves say; NULL: they were not asked. */
void findings_of_managers(const struct fabric_view *view, const struct fabric_managers *managers,
			  struct fabric_findings *findings);
/* Errors that grew by `least` or more, and congestion. */
void findings_of_growth(const struct port_growth_row *row, uint64_t least,
			struct fabric_findings *findings);
void findings_of_saturation(const struct port_errors_row *row, struct fabric_findings *findings);
/* From the linear tables of all switches: LIDs that they send where these are not, or round. */
void findings_of_forwarding(const struct fabric_view *view, const struct forwarding *forwarding,
			    struct fabric_findings *findings);
