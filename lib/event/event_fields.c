/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "base/clock.h"
#include "event/event.h"
#include "host/netdev.h"
#include "mad/format/codes.h"
#include "host/port.h"

static void get_time(const void *record, struct value *value)
{
	const struct event *event = record;

	if (!event->time.wall_nsec)
		return;
	utc_format(event->time.wall_nsec, value->scratch);
	value_set_string(value, value->scratch);
}

#define WAS " before"
/* The values before and after of a member of struct event_port or event_netdev. */
#define NUMBER_PAIR(kind, side, member, key, heading, help)                                   \
	kind##_FIELD(struct event, side##_before.member, key "_before", heading " BEFORE",    \
		     FIELD_RIGHT, 0, help WAS),                                               \
		kind##_FIELD(struct event, side##_after.member, key, heading, FIELD_RIGHT, 0, \
			     help)
#define ENUM_PAIR(side, member, names, key, heading, help)                                         \
	ENUM_FIELD(struct event, side##_before.member, names, key "_before", heading " BEFORE", 0, \
		   0, help WAS),                                                                   \
		ENUM_FIELD(struct event, side##_after.member, names, key, heading, 0, 0, help)

static const struct field event_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_time, "time", "TIME", FIELD_DEFAULT, 0,
		       "when it was reported, RFC 3339 in UTC"),
	STRING_FIELD(struct event, object, "object", "OBJECT", FIELD_DEFAULT, 0,
		     "affected device, port (DEV/PORT) or netdev"),
	ENUM_FIELD(struct event, word, event_names, "event", "EVENT", FIELD_DEFAULT, 0,
		   "what happened"),
	STRING_FIELD(struct event, change, "change", "CHANGE", FIELD_DEFAULT, 0,
		     "what changed, before and after, as text"),
	ENUM_FIELD(struct event, severity, severity_names, "severity", "SEVERITY", 0, 0,
		   "info, notice, warning or error"),
	ENUM_FIELD(struct event, source, event_source_names, "source", "SOURCE", 0, 0,
		   "source: verbs, uevent, nldev, rtnl, counters, poll, resync or start"),
	STRING_FIELD(struct event, device, "device", "DEVICE", 0, 0,
		     "the RDMA device, or the one that the netdev belongs to"),
	UNSIGNED_FIELD(struct event, port, "port", "PORT", FIELD_RIGHT, 0, "its port"),
	STRING_FIELD(struct event, netdev, "netdev", "NETDEV", 0, 0,
		     "the netdev, or the netdev of the port"),
	ENUM_PAIR(port, state, port_state_names, "state", "STATE", "state of the port"),
	ENUM_PAIR(port, physical_state, physical_state_names, "physical_state", "PHYSICAL STATE",
		  "physical state"),
	NUMBER_PAIR(REAL, port, rate_gbps, "rate_gbps", "RATE Gb/s", "rate, gigabits a second"),
	NUMBER_PAIR(UNSIGNED, port, active_mtu_bytes, "active_mtu_bytes", "MTU",
		    "active MTU of the port"),
	NUMBER_PAIR(UNSIGNED, port, lid, "lid", "LID", "LID of the port"),
	NUMBER_PAIR(UNSIGNED, port, sm_lid, "sm_lid", "SM LID", "LID of the subnet manager"),
	STRING_FIELD(struct event, attached_before, "port_netdev_before", "PORT NETDEV BEFORE", 0,
		     0, "netdev-attached, netdev-detached: the port's netdev before"),
	STRING_FIELD(struct event, attached, "port_netdev", "PORT NETDEV", 0, 0,
		     "netdev-attached, netdev-detached: the port's netdev"),
	UNSIGNED_FIELD(struct event, gid_index, "gid_index", "GID INDEX", FIELD_RIGHT, 0,
		       "index in the port's GID table"),
	GID_FIELD(struct event, gid_before.gid, "gid_before", "GID BEFORE", 0, 0, "the GID" WAS),
	GID_FIELD(struct event, gid_after.gid, "gid", "GID", 0, 0, "the GID"),
	ENUM_FIELD(struct event, gid_before.type, gid_type_names, "gid_type_before",
		   "GID TYPE BEFORE", 0, 0, "its type" WAS),
	ENUM_FIELD(struct event, gid_after.type, gid_type_names, "gid_type", "GID TYPE", 0, 0,
		   "its type: ib, roce-v1 or roce-v2"),
	STRING_FIELD(struct event, gid_before.netdev, "gid_netdev_before", "GID NETDEV BEFORE", 0,
		     0, "its netdev" WAS),
	STRING_FIELD(struct event, gid_after.netdev, "gid_netdev", "GID NETDEV", 0, 0,
		     "its netdev"),
	BOOL_FIELD(struct event, netdev_before.enabled, "netdev_enabled_before", "ENABLED BEFORE",
		   0, 0, "whether the netdev was set up" WAS),
	BOOL_FIELD(struct event, netdev_after.enabled, "netdev_enabled", "ENABLED", 0, 0,
		   "whether the netdev is set up (IFF_UP)"),
	BOOL_FIELD(struct event, netdev_before.running, "netdev_running_before", "RUNNING BEFORE",
		   0, 0, "whether it carried packets" WAS),
	BOOL_FIELD(struct event, netdev_after.running, "netdev_running", "RUNNING", 0, 0,
		   "whether it carries packets (IFF_RUNNING)"),
	ENUM_PAIR(netdev, operstate, operstate_names, "operstate", "OPERSTATE",
		  "operational state of the netdev"),
	NUMBER_PAIR(UNSIGNED, netdev, mtu_bytes, "netdev_mtu_bytes", "NETDEV MTU",
		    "MTU of the netdev"),
	STRING_FIELD(struct event, netdev_before.master, "netdev_master_before", "MASTER BEFORE", 0,
		     0, "the bond, bridge or VRF that it belonged to" WAS),
	STRING_FIELD(struct event, netdev_after.master, "netdev_master", "MASTER", 0, 0,
		     "the bond, bridge or VRF that it belongs to"),
	IP_FIELD(struct event, address, "address", "ADDRESS", 0, 0,
		 "address-added, address-removed: the IP address"),
	UNSIGNED_FIELD(struct event, prefix_length, "prefix_length", "PREFIX", FIELD_RIGHT, 0,
		       "its prefix length"),
	STRING_FIELD(struct event, name_before, "name_before", "NAME BEFORE", 0, 0,
		     "device-renamed, netdev-renamed: the old name"),
	STRING_FIELD(struct event, counter, "counter", "COUNTER", 0, 0, "counter: its name"),
	REAL_FIELD(struct event, threshold, "threshold_per_sec", "THRESHOLD /s", FIELD_RIGHT, 0,
		   "counter: the limit of its growth"),
	REAL_FIELD(struct event, rate_per_sec, "rate_per_sec", "RATE /s", FIELD_RIGHT, 0,
		   "counter: how fast it grew"),
	UNSIGNED_FIELD(struct event, value, "value", "VALUE", FIELD_RIGHT, 0,
		       "counter: its present value"),
	UNSIGNED_FIELD(struct event, down_msec, "down_msec", "DOWN ms", FIELD_RIGHT, 0,
		       "port-active: how long it was down; port-flapping: the total"),
	UNSIGNED_FIELD(struct event, flaps, "flaps", "FLAPS", FIELD_RIGHT, 0,
		       "port-flapping: how often it was down"),
	UNSIGNED_FIELD(struct event, flap_window_msec, "flap_window_msec", "WINDOW ms", FIELD_RIGHT,
		       0, "port-flapping: the period in which it was down"),
};

const struct schema event_schema = SCHEMA(
	"events", struct event, event_fields,
	"something that happened to a device, a port or a netdev");
