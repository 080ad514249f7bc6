/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the ports: state, rate, errors, partitions. */
#include "doctor/check.h"

void check_port_state(struct doctor_context *run)
{
	const struct port *port = run->port;

	if (!port->state.known || !port->physical_state.known) {
		doctor_unknown(run, "the state of the port");
		return;
	}
	doctor_evidence(run, NULL, "state %s, physical state %s",
			enum_word(port_state_names, port->state.value, "unknown"),
			enum_word(physical_state_names, port->physical_state.value, "unknown"));
	if (port->state.value == PORT_STATE_ACTIVE)
		doctor_ok(run, "the port is active");
	else
		doctor_error(run, "the port is not active");
}
