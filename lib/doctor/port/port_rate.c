/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a port is as fast as others of its kind, with all of its lanes. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/check.h"
#include "doctor/port/port_facts.h"

static bool has_speed(const struct port *port, const char *speed)
{
	return port->speed && !strcmp(port->speed, speed);
}

/* HDR100, NDR200 and the like: since HDR, links of two lanes are a separate product. */
static bool may_have_two_lanes(const struct port *port)
{
	return has_speed(port, "HDR") || has_speed(port, "NDR") || has_speed(port, "XDR");
}

/* All adapters of these drivers can do more than 2.5 Gb/s per lane. */
static bool is_at_its_slowest(const struct device *device, const struct port *port)
{
	return device->driver && has_speed(port, "SDR") &&
	       (!strncmp(device->driver, "mlx4", 4) || !strncmp(device->driver, "mlx5", 4));
}

/* Describes a rate: "400 Gb/s (4X NDR)"; only InfiniBand has lanes and speed names. */
static char *describe(double rate_gbps, const struct port *port)
{
	if (port_is_infiniband(port) && port->width_lanes.known && port->speed)
		return mem_format("%g Gb/s (%lluX %s)", rate_gbps,
				  (unsigned long long)port->width_lanes.value, port->speed);
	return mem_format("%g Gb/s", rate_gbps);
}

/* Returns what is wrong with the lanes or their speed, regardless of other ports, or NULL. */
static const char *fault_of_lanes(const struct doctor_context *run)
{
	const struct port *port = run->port;

	if (!port_is_infiniband(port) || doctor_is_plane(run->facts, run->device))
		return NULL;
	if (number_is(&port->width_lanes, 1) ||
	    (number_is(&port->width_lanes, 2) && !may_have_two_lanes(port)))
		return "the link runs with only some of its lanes";
	if (is_at_its_slowest(run->device, port))
		return "the link runs at the lowest InfiniBand speed";
	return NULL;
}

static void say_peers(struct doctor_context *run, const struct port_peers *peers)
{
	_cleanup_(freep) char *board = doctor_board_name(run->device);
	_cleanup_(freep) char *best = describe(peers->best_gbps, peers->best);

	doctor_evidence(run, NULL, "%s/%u%s of %s in this position: %s", peers->best->device,
			(unsigned int)peers->best->port.value,
			peers->as_fast > 1 ? " and more ports" : "", board, best);
}

struct judged check_port_rate(struct doctor_context *run)
{
	_cleanup_(freep) char *own = NULL;
	const struct real rate = doctor_rate(run->facts, run->port);
	const char *fault = fault_of_lanes(run);
	struct port_peers peers;

	if (run->device->software)
		return doctor_does_not_apply(run);
	if (!rate.known)
		return doctor_unknown(run, "the rate of the port");
	own = describe(rate.value, run->port);
	doctor_evidence(run, port_is_infiniband(run->port) ? "ports/N/rate" : "speed of the netdev",
			"%s", own);
	doctor_peers(run->facts, run->device, run->port, &peers);
	if (peers.best)
		say_peers(run, &peers);
	if (fault)
		return doctor_warning(run, "%s", fault);
	if (peers.best && rate.value < peers.best_gbps)
		return doctor_warning(run, "the port is slower than others like it");
	if (peers.best)
		return doctor_ok(run, "the port is as fast as others like it");
	return doctor_ok(run, "the rate shows no fault, but there is no port like this one to "
			      "compare it with");
}
