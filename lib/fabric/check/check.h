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
