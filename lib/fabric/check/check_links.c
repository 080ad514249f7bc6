/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of ports and links, by their PortInfo. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/check_private.h"
#include "fabric/graph/link.h"
#include "mad/format/codes.h"

static const char *state_word(const struct fabric_port *port)
{
	return enum_word(port_state_names, fabric_port_state(port), "?");
}

static bool has_state(const struct fabric_port *port, unsigned int state)
{
	return port && fabric_port_state(port) == state;
}

static bool is_active(const struct check_run *run)
{
	return has_state(run->port, PORT_STATE_ACTIVE) &&
	       (!run->peer || has_state(run->peer, PORT_STATE_ACTIVE));
}

/* `8x NDR` */
static char *rate_text(unsigned int lanes, enum lane_speed speed)
{
	return mem_format("%ux %s", lanes, enum_word(lane_speed_names, speed, "?"));
}

void check_link_below_best(struct check_run *run)
{
	_cleanup_(freep) char *active = NULL, *best = NULL;
	enum lane_speed speed;
	unsigned int lanes;

	if (!fabric_could_be(run->fabric, run->place, &lanes, &speed))
		return;
	active = rate_text(fabric_lanes(run->port), fabric_speed(run->port));
	best = rate_text(lanes, speed);
	check_report(run, run->place,
		     mem_format("the link runs at %s; both ends support %s", active, best));
}

/* Without a subnet manager no port is active, and one finding says why. */
static void report_state(struct check_run *run)
{
	if (!run->manager_lid)
		return;
	check_report(run, run->place,
		     run->peer ? mem_format("the link is up; its state is %s here and %s at the "
					    "other end",
					    state_word(run->port), state_word(run->peer))
			       : mem_format("the link is up; its state is %s",
					    state_word(run->port)));
}

static bool is_init(const struct check_run *run)
{
	return has_state(run->port, PORT_STATE_INIT) || has_state(run->peer, PORT_STATE_INIT);
}

void check_port_init(struct check_run *run)
{
	if (!is_active(run) && is_init(run))
		report_state(run);
}

void check_link_not_active(struct check_run *run)
{
	if (!is_active(run) && !is_init(run))
		report_state(run);
}

void check_mtu_mismatch(struct check_run *run)
{
	unsigned int here = fabric_mtu(run->port), there = run->peer ? fabric_mtu(run->peer) : 0;

	if (is_active(run) && here && there && here != there)
		check_report(run, run->place,
			     mem_format("%u bytes here, %u at the other end", here, there));
}

void check_mtu_low(struct check_run *run)
{
	unsigned int here = fabric_mtu(run->port), most = fabric_most_mtu(run->port);

	if (!is_active(run) || !run->peer || !here || fabric_mtu(run->peer) != here)
		return;
	if (fabric_most_mtu(run->peer) < most)
		most = fabric_most_mtu(run->peer);
	if (here < most)
		check_report(run, run->place,
			     mem_format("%u bytes; both ends support %u", here, most));
}

void check_vl_mismatch(struct check_run *run)
{
	unsigned int here = fabric_vls(run->port), there = run->peer ? fabric_vls(run->peer) : 0;

	if (is_active(run) && here && there && here != there)
		check_report(run, run->place,
			     mem_format("%u data VLs here, %u at the other end", here, there));
}

void check_one_way_link(struct check_run *run)
{
	const struct fabric_port *peer;
	_cleanup_(freep) char *name = NULL;

	if (!run->port->number || run->port->peer == FABRIC_NONE)
		return;
	peer = &run->fabric->ports[run->port->peer];
	if (run->peer && check_is_up(run->port) && !check_is_up(peer))
		check_report(run, run->place,
			     mem_format("the link is up here, %s at the other end",
					enum_word(physical_state_names, fabric_physical_state(peer),
						  "?")));
	if (peer->peer == run->place || peer->peer == FABRIC_NONE)
		return;
	name = fabric_port_name(run->input->view, peer->peer);
	check_report(run, run->place, mem_format("the other end is cabled to %s", name));
}

/* A port that is not active has not been configured yet, and has a finding for that. */
static bool should_have_lid(const struct check_run *run)
{
	return run->manager_lid && fabric_is_end_port(run->fabric, run->place) &&
	       (!run->port->number || has_state(run->port, PORT_STATE_ACTIVE));
}

void check_no_lid(struct check_run *run)
{
	if (should_have_lid(run) && !fabric_port_lid(run->port))
		check_report(run, run->place,
			     mem_format("the subnet manager is at LID %u", run->manager_lid));
}

void check_sm_lid_mismatch(struct check_run *run)
{
	const uint16_t lid = fabric_port_manager_lid(run->port);

	if (should_have_lid(run) && fabric_port_lid(run->port) && lid != run->manager_lid)
		check_report(run, run->place,
			     mem_format("the port says LID %u, most ports say LID %u", lid,
					run->manager_lid));
}
