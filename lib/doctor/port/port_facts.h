/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts shared by the checks of ports: whether a port's performance counters may be read, and which
 * ports have the same role.
 */
#pragma once

#include "counter/pma_probe.h"
#include "doctor/frame/facts.h"

/*
 * Reads one counter of the port, once for all checks and for both readings of growth: a restricted
 * function answers each read with an error and a line in the kernel log. *ret_error is the -errno
 * of PMA_REFUSED.
 */
enum pma_state doctor_pma(struct doctor_facts *facts, const struct device *device,
			  const struct port *port, int *ret_error);
/*
 * Whether the device manages the NVSwitches of the host: 1 or 0; -ENODEV: its model cannot; another
 * -errno if its vital product data, which would show it, cannot be read.
 */
int doctor_manages_nvswitches(struct doctor_facts *facts, const struct device *device);
/* Whether counters of any port of the device must not be read. */
bool doctor_counters_are_restricted(struct doctor_facts *facts, const struct device *device);

/*
 * Ports of other devices with the same role, as far as sysfs shows: the same board, link layer,
 * port number and PCI function number. Virtual functions, subfunctions and sub-devices have no
 * role: they are made for other users.
 */
struct port_peers {
	size_t count, active;
	const struct port *best; /* the fastest active one, or NULL */
	double best_gbps;
	size_t as_fast; /* ports with that rate */
};

void doctor_peers(struct doctor_facts *facts, const struct device *device, const struct port *port,
		  struct port_peers *ret_peers);
/*
 * Returns "the board MT_0000000838", or "this model" if the board has no name; the caller frees it.
 */
char *doctor_board_name(const struct device *device);
/*
 * Returns the port's rate. For Ethernet that is the netdev's speed, as the driver may report no
 * rate.
 */
struct real doctor_rate(const struct doctor_facts *facts, const struct port *port);
/* Whether it is a sub-device for the planes of another device's port, which have one lane each. */
bool doctor_is_plane(const struct doctor_facts *facts, const struct device *device);
void doctor_ports_free(struct doctor_ports *ports);
