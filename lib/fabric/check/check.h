/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The faults of a subnet, as records. checks.def has a row for each check; the input is what was
 * read from the subnet. An unknown fact is never a finding.
 */
#pragma once

#include "fabric/graph/view.h"
#include "fabric/route/forwarding.h"
#include "fabric/scan/port_counters.h"
#include "schema/problem.h"

struct fabric_finding {
	struct fabric_row at; /* a port; FABRIC_NONE: the subnet as a whole */
	bool of_node;	      /* it is about the node; the port is just one of its ports */
	struct finding finding;
};

/* The list owns its findings, and borrows the view. */
struct fabric_findings {
	struct fabric_finding *items;
	size_t count;
};

extern const struct schema fabric_check_schema;
extern const struct enum_name fabric_check_names[]; /* by struct finding's id */

/* All but the view may be missing: then the checks that need it find nothing. */
struct fabric_check_input {
	const struct fabric_view *view;
	const struct fabric_managers *managers;
	const struct forwarding *forwarding; /* all linear tables */
	const struct port_errors *counters;
	const struct port_errors *before; /* an earlier reading: errors that grew are looked for */
	double seconds;			  /* between the two readings; 0: not known */
	uint64_t least;			  /* growth of an error counter that is a finding */
	struct strings not_checked;	  /* why something is missing, a sentence each */
};

/* Appends the findings of all checks, the worst first. */
void fabric_check(const struct fabric_check_input *input, struct fabric_findings *findings);
void fabric_findings_clear(struct fabric_findings *findings);

/*
 * For the functions of the checks: when each is called, with the members of struct check_run that
 * are set.
 */
enum check_scope {
	CHECK_SUBNET,	/* the subnet, once */
	CHECK_NODE,	/* each node: node */
	CHECK_PORT,	/* each port with PortInfo, port 0 included: place, port, peer */
	CHECK_LINK,	/* each link that is up at its known ends, once: place, port, peer */
	CHECK_COUNTERS, /* each port whose counters were read: either errors or growth */
};

struct check_run {
	const struct fabric_check_input *input;
	const struct fabric *fabric; /* of the input's view */
	struct fabric_findings *findings;
	unsigned int id; /* of the check that runs */
	/*
	 * The LID of the subnet manager by most ports; 0: no port knows one. `misled`: the only
	 * master has another one, which is this then.
	 */
	uint16_t manager_lid;
	bool misled;
	uint32_t node;	/* its index in the graph */
	uint32_t place; /* of the port; a link is seen from a switch if it has one */
	const struct fabric_port *port;
	const struct fabric_port *peer; /* NULL: not known, or without PortInfo */
	const struct port_errors_row *errors;
	const struct port_growth_row *growth; /* of the two readings */
};

/* Fills in the LID of the subnet manager. */
void check_find_manager(struct check_run *run);
/* Reports a finding at a port, or FABRIC_NONE, and takes the evidence over. */
struct fabric_finding *check_report(struct check_run *run, uint32_t port, char *evidence);
/* Reports a finding about a node. */
void check_report_node(struct check_run *run, uint32_t node, char *evidence);

/* `8x NDR`; to be freed. */
char *check_rate_text(unsigned int lanes, enum lane_speed speed);
/* Reports what cannot be judged because a text of another tool lacks it. */
void check_report_unknown(struct check_run *run);

#define CHECK(name_, ...) void check_##name_(struct check_run *run);
#include "fabric/check/checks.def"
#undef CHECK
