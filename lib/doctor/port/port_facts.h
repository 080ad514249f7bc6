/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts that the checks of ports share: whether the performance counters of a port may be read, and
 * which ports have the same role.
 */
#pragma once

#include "counter/pma_probe.h"
#include "doctor/frame/facts.h"

/*
 * Reads one counter of the port, once for all checks and both readings of growth: a restricted
 * function answers each reading of a counter with an error and a line in the kernel log.
 * *ret_error is the -errno of PMA_REFUSED.
 */
enum pma_state doctor_pma(struct doctor_facts *facts, const struct device *device,
			  const struct port *port, int *ret_error);
/*
 * 1 if the device is one that manages the NVSwitches of the host; 0 if not; -ENODEV: it is of a
 * model that cannot be one; another -errno if its vital product data, which tell, cannot be read.
 */
int doctor_manages_nvswitches(struct doctor_facts *facts, const struct device *device);
/* Whether reading counters is out of the question for any port of the device. */
bool doctor_counters_are_restricted(struct doctor_facts *facts, const struct device *device);

/*
 * The ports of other devices that have the same role, as far as sysfs tells: the same board, link
 * layer, port number and number of the PCI function. Virtual functions, subfunctions and
 * sub-devices have no role: they are made for others.
 */
struct port_peers {
	size_t count, active;
	const struct port *best; /* the fastest active one, or NULL */
	double best_gbps;
	size_t as_fast; /* ports of that rate */
};

void doctor_peers(struct doctor_facts *facts, const struct device *device, const struct port *port,
		  struct port_peers *ret_peers);
/* "the board MT_0000000838", or "this model" if the board has no name; the caller frees it. */
char *doctor_board_name(const struct device *device);
/* For an Ethernet port the speed of its netdev, because the driver may have no rate for it. */
struct real doctor_rate(struct doctor_facts *facts, const struct device *device,
			const struct port *port);
/* Whether it is a sub-device that has the planes of another device's port, of one lane each. */
bool doctor_is_plane(const struct doctor_facts *facts, const struct device *device);
void doctor_ports_free(struct doctor_ports *ports);
