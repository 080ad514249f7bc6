/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Faults of a subnet, as records. checks.def has one row per check; the input is the data read from
 * the subnet. An unknown fact is never a finding.
 */
#pragma once

#include "fabric/credit/credit.h"
#include "fabric/graph/view.h"
#include "fabric/route/forwarding.h"
#include "fabric/scan/port_counters.h"
#include "schema/problem.h"

struct fabric_finding {
	struct fabric_row at; /* a port; FABRIC_NONE: the subnet as a whole */
	bool of_node;	      /* about the node; the port is just one of its ports */
	struct finding finding;
};

/* The list owns its findings and borrows the view. */
struct fabric_findings {
	struct fabric_finding *items;
	size_t count;
};

extern const struct schema fabric_check_schema;
extern const struct enum_name fabric_check_names[]; /* names of struct finding's id */

/* All members except the view may be missing; the checks that need a missing one find nothing. */
struct fabric_check_input {
	const struct fabric_view *view;
	const struct fabric_managers *managers;
	const struct forwarding *forwarding; /* all linear tables */
	const struct credit_study *credit;   /* of these tables */
	const struct port_errors *counters;
	const struct port_errors *before; /* an earlier reading, to find errors that grew */
	double seconds;			  /* between the two readings; 0: not known */
	uint64_t least;			  /* least growth of an error counter that is a finding */
	struct strings not_checked;	  /* why something is missing, one sentence each */
};

/* Appends the findings of all checks, worst first. */
void fabric_check(const struct fabric_check_input *input, struct fabric_findings *findings);
void fabric_findings_clear(struct fabric_findings *findings);

/* For the check functions: when each is called, and which members of struct check_run are set. */
enum check_scope {
	CHECK_SUBNET,	/* once for the subnet */
	CHECK_NODE,	/* for each node; sets node */
	CHECK_PORT,	/* for each port, port 0 included; sets place, port, peer */
	CHECK_LINK,	/* once per link that is up at its known ends; sets place, port, peer */
	CHECK_COUNTERS, /* for each port whose counters were read; sets errors or growth */
};

struct check_run {
	const struct fabric_check_input *input;
	const struct fabric *fabric; /* of the input's view */
	struct fabric_findings *findings;
	unsigned int id; /* the check that is running */
	/*
	 * LID of the subnet manager according to most ports; 0 if no port knows one. If the only
	 * master has a different LID, this is the master's, and `misled` is set.
	 */
	uint16_t manager_lid;
	bool misled;
	uint32_t node;	/* index in the graph */
	uint32_t place; /* of the port; a link is seen from its switch end if it has one */
	const struct fabric_port *port;
	const struct fabric_port *peer; /* NULL if unknown, or without PortInfo */
	const struct port_errors_row *errors;
	const struct port_growth_row *growth; /* between the two readings */
};

void check_find_manager(struct check_run *run);
/* Reports a finding at a port, or FABRIC_NONE, with the evidence. */
struct fabric_finding *check_report(struct check_run *run, uint32_t port, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Gives a finding another severity and next step than those of its check. */
void check_change(struct fabric_finding *found, enum severity severity, const char *next_step);

/* Returns a rate as in `8x NDR`; to be freed. */
char *check_rate_text(unsigned int lanes, enum lane_speed speed);
/* Reports why the check of credit loops does not say everything. */
void check_report_credit(struct check_run *run);
/* Reports the checks for which a text of another tool lacks the facts. */
void check_report_unknown(struct check_run *run);

#define CHECK(name_, ...) void check_##name_(struct check_run *run);
#include "fabric/check/checks.def"
#undef CHECK
