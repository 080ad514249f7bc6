/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of ports and links, by their PortInfo and their counters. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/check/check.h"

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

char *check_rate_text(unsigned int lanes, enum lane_speed speed)
{
	return mem_format("%ux %s", lanes, enum_word(lane_speed_names, speed, "?"));
}

void check_link_below_best(struct check_run *run)
{
	_cleanup_(freep) char *active = NULL, *best = NULL;

	if (!fabric_is_slow(run->fabric, run->place))
		return;
	active = check_rate_text(fabric_lanes(run->port), fabric_speed(run->port));
	best = check_rate_text(fabric_best_lanes(run->fabric, run->place),
			       fabric_best_speed(run->fabric, run->place));
	check_report(run, run->place, "the link runs at %s; both ends support %s%s", active, best,
		     fabric_is_at_enabled_best(run->fabric, run->place) ? ", but no more is enabled"
									: "");
}

/* Without a subnet manager no port is active; the finding no-sm says so once. */
static void report_state(struct check_run *run)
{
	if (!run->manager_lid)
		return;
	if (run->peer)
		check_report(run, run->place,
			     "the link is up; its state is %s here and %s at the other end",
			     state_word(run->port), state_word(run->peer));
	else
		check_report(run, run->place, "the link is up; its state is %s",
			     state_word(run->port));
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

static void report_mismatch(struct check_run *run,
			    unsigned int (*value_of)(const struct fabric_port *port),
			    const char *unit)
{
	unsigned int here = value_of(run->port), there = run->peer ? value_of(run->peer) : 0;

	if (is_active(run) && here && there && here != there)
		check_report(run, run->place, "%u %s here, %u at the other end", here, unit, there);
}

void check_mtu_mismatch(struct check_run *run)
{
	report_mismatch(run, fabric_mtu, "bytes");
}

void check_vl_mismatch(struct check_run *run)
{
	report_mismatch(run, fabric_vls, "data VLs");
}

void check_mtu_low(struct check_run *run)
{
	unsigned int here = fabric_mtu(run->port), most = fabric_most_mtu(run->port);

	if (!is_active(run) || !run->peer || !here || fabric_mtu(run->peer) != here)
		return;
	if (fabric_most_mtu(run->peer) < most)
		most = fabric_most_mtu(run->peer);
	if (here < most)
		check_report(run, run->place, "%u bytes; both ends support %u", here, most);
}

void check_one_way_link(struct check_run *run)
{
	const struct fabric_port *peer;
	_cleanup_(freep) char *name = NULL;

	if (!run->port->number || run->port->peer == FABRIC_NONE)
		return;
	peer = &run->fabric->ports[run->port->peer];
	if (run->peer && fabric_is_up(run->port) && !fabric_is_up(peer))
		check_report(run, run->place, "the link is up here, %s at the other end",
			     enum_word(physical_state_names, fabric_physical_state(peer), "?"));
	if (peer->peer == run->place || peer->peer == FABRIC_NONE)
		return;
	name = fabric_port_name(run->input->view, peer->peer);
	check_report(run, run->place, "the other end is cabled to %s", name);
}

/* Unwanted multicast, and datagrams dropped by a busy manager, are normal. */
static bool is_mild(const struct port_counter_growth *growth)
{
	const char *key = growth->field->key;

	return !strcmp(key, "rcv_switch_relay_errors") || !strcmp(key, "vl15_dropped") ||
	       !strcmp(key, "qp1_dropped");
}

enum damage { DAMAGE_NONE, DAMAGE_MILD, DAMAGE_STOPPED, DAMAGE_GRAVE };

/* How bad the growth of the error counters of a port is. */
static enum damage damage_of(const struct port_growth_row *row, uint64_t least)
{
	bool stopped = false;

	if (!row->errors)
		return DAMAGE_NONE;
	for_each_in (growth, row->counters, row->count) {
		const bool saturated = growth->state.value == CHANGE_SATURATED;
		/* A reset counter has grown by its value; the growth of a new one is unknown. */
		const uint64_t grown = growth->state.value == CHANGE_CLEARED ? growth->value.value
									     : growth->growth.value;

		if (growth->field->tag != PERF_GROUP_ERRORS)
			continue;
		stopped |= saturated;
		if (!saturated && !is_mild(growth) && grown && grown >= least)
			return DAMAGE_GRAVE;
	}
	if (stopped)
		return DAMAGE_STOPPED;
	return row->error_count.value >= least ? DAMAGE_MILD : DAMAGE_NONE;
}

static struct fabric_finding *report_growth(struct check_run *run)
{
	const struct port_growth_row *row = run->growth;

	if (!row->rates.interval_sec.known)
		return check_report(run, row->at.place, "%s", row->errors);
	return check_report(run, row->at.place, "%s, in %.4g s", row->errors,
			    row->rates.interval_sec.value);
}

void check_errors(struct check_run *run)
{
	const enum damage damage = run->growth ? damage_of(run->growth, run->input->least)
					       : DAMAGE_NONE;

	if (damage == DAMAGE_GRAVE)
		report_growth(run);
	if (damage == DAMAGE_MILD)
		check_change(
			report_growth(run), SEVERITY_NOTICE,
			"leave the cable: unwanted multicast, wrong destinations or a busy agent "
			"cause this; rdmactl perf LID PORT --errors shows the counters");
}

void check_saturated(struct check_run *run)
{
	if (run->growth) {
		if (damage_of(run->growth, run->input->least) == DAMAGE_STOPPED)
			report_growth(run);
		return;
	}
	for_each_in (field, perf_schema.fields, perf_schema.field_count) {
		if (field->tag != PERF_GROUP_ERRORS ||
		    !strings_contain(&run->errors->counters.saturated, field->key))
			continue;
		check_report(run, run->errors->at.place, "%s", run->errors->errors);
		return;
	}
}

static const struct port_counter_growth *find_growth(const struct port_growth_row *row,
						     const char *key)
{
	for (size_t i = 0; i < row->count; i++)
		if (!strcmp(row->counters[i].field->key, key))
			return row->counters[i].growth.known ? &row->counters[i] : NULL;
	return NULL;
}

/*
 * A tick is the device's own unit (16.1.3.5), about the time of one four-byte word: a port with as
 * many ticks as words has waited as long as it has sent.
 */
void check_congestion(struct check_run *run)
{
	const struct port_counter_growth *wait, *sent;

	if (!run->growth)
		return;
	wait = find_growth(run->growth, "xmit_wait_ticks");
	sent = find_growth(run->growth, "xmit_data_bytes");
	if (!wait || !sent || !wait->growth.value || wait->growth.value < sent->growth.value / 4)
		return;
	check_report(run, run->growth->at.place,
		     "waited %" PRIu64 " ticks while it sent %" PRIu64 " words of 4 bytes",
		     wait->growth.value, sent->growth.value / 4);
}

void check_no_counters(struct check_run *run)
{
	const struct port_errors *counters = run->input->counters;

	for (size_t i = 0; counters && i < counters->failure_count; i++) {
		const struct fabric_failure *failure = &counters->failures[i];
		_cleanup_(freep) char *object = NULL, *message = NULL;

		port_errors_failure_text(run->input->view, failure, &object, &message);
		check_report(run, failure->port, "%s", message)->of_node =
			!run->fabric->ports[failure->port].number;
	}
}
