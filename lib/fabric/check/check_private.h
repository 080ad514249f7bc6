/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The arguments of the function of a check, and how it reports a finding. */
#pragma once

#include "fabric/check/check.h"

/* When the function is called, with the members of struct check_run that are set. */
enum check_scope {
	CHECK_SUBNET,	/* the subnet, once */
	CHECK_PORT,	/* each port with PortInfo, port 0 included: place, port, peer */
	CHECK_LINK,	/* each link that is up at its known ends, once: place, port, peer */
	CHECK_COUNTERS, /* each port whose counters were read: either errors or growth */
};

struct check_run {
	const struct fabric_check_input *input;
	const struct fabric *fabric; /* of the input's view */
	struct fabric_findings *findings;
	unsigned int id;      /* of the check that runs */
	uint16_t manager_lid; /* of the subnet manager; 0: no port knows one */
	uint32_t place;	      /* of the port; a link is seen from a switch if it has one */
	const struct fabric_port *port;
	const struct fabric_port *peer; /* NULL: not known, or without PortInfo */
	const struct port_errors_row *errors;
	const struct port_growth_row *growth; /* of the two readings */
};

/* Reports a finding at a port, or FABRIC_NONE, and takes the evidence over. */
struct fabric_finding *check_report(struct check_run *run, uint32_t port, char *evidence);
/* Reports a finding about a node. */
void check_report_node(struct check_run *run, uint32_t node, char *evidence);

static inline bool check_is_up(const struct fabric_port *port)
{
	return fabric_physical_state(port) == PHYSICAL_LINK_UP;
}

#define CHECK(name_, ...) void check_##name_(struct check_run *run);
#include "fabric/check/checks.def"
#undef CHECK
