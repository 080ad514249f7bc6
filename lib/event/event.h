/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One change of an RDMA device, a port or its netdev: its time, its object, and the state before
 * and after. An event owns its strings; a list owns its events. A pair of members that does not
 * apply to an event is unknown.
 */
#pragma once

#include "schema/finding.h"

/* Word, severity and meaning of each event: for the enumeration, tables and the help. */
#define EVENT_WORDS(WORD)                                                                          \
	WORD(DEVICE_ADDED, "device-added", NOTICE, "an RDMA device came")                          \
	WORD(DEVICE_REMOVED, "device-removed", WARNING, "an RDMA device went")                     \
	WORD(DEVICE_RENAMED, "device-renamed", NOTICE, "an RDMA device has another name")          \
	WORD(DEVICE_FATAL, "device-fatal", ERROR, "the device reports a fatal error, or goes")     \
	WORD(PORT_ACTIVE, "port-active", NOTICE, "the port carries data")                          \
	WORD(PORT_DOWN, "port-down", ERROR, "the port carries no data any more")                   \
	WORD(PORT_INIT, "port-init", WARNING, "the port waits for a subnet manager")               \
	WORD(PORT_ARMED, "port-armed", INFO, "the subnet manager is about to make it active")      \
	WORD(LID_CHANGE, "lid-change", WARNING, "the port has another LID")                        \
	WORD(SM_CHANGE, "sm-change", NOTICE, "another subnet manager, or at another place")        \
	WORD(PKEY_CHANGE, "pkey-change", NOTICE, "the P_Key table of the port changed")            \
	WORD(CLIENT_REREGISTER, "client-reregister", NOTICE,                                       \
	     "the subnet manager wants multicast groups and the like joined again")                \
	WORD(RATE_CHANGE, "rate-change", WARNING, "an active port has another rate")               \
	WORD(MTU_CHANGE, "mtu-change", WARNING, "an active port has another MTU")                  \
	WORD(SPEED_CHANGE, "speed-change", NOTICE, "the driver tells of another effective speed")  \
	WORD(GID_ADDED, "gid-added", INFO, "a GID came into the port's table")                     \
	WORD(GID_REMOVED, "gid-removed", NOTICE, "a GID went from the port's table")               \
	WORD(GID_CHANGED, "gid-changed", NOTICE,                                                   \
	     "an entry of the port's GID table is another, or of another netdev")                  \
	WORD(NETDEV_ATTACHED, "netdev-attached", NOTICE, "the port has got a netdev")              \
	WORD(NETDEV_DETACHED, "netdev-detached", WARNING, "the port has lost its netdev")          \
	WORD(NETDEV_UP, "netdev-up", NOTICE, "the netdev carries packets")                         \
	WORD(NETDEV_DOWN, "netdev-down", WARNING, "the netdev carries no packets any more")        \
	WORD(NETDEV_ENABLED, "netdev-enabled", INFO, "somebody set the netdev up")                 \
	WORD(NETDEV_DISABLED, "netdev-disabled", NOTICE, "somebody set the netdev down")           \
	WORD(NETDEV_MTU, "netdev-mtu", NOTICE, "the netdev has another MTU")                       \
	WORD(NETDEV_RENAMED, "netdev-renamed", NOTICE, "the netdev has another name")              \
	WORD(NETDEV_MASTER, "netdev-master", NOTICE,                                               \
	     "the netdev came to a bond, bridge or VRF, or left it")                               \
	WORD(ADDRESS_ADDED, "address-added", INFO, "the netdev has got an IP address")             \
	WORD(ADDRESS_REMOVED, "address-removed", NOTICE, "the netdev has lost an IP address")      \
	WORD(COUNTER, "counter", WARNING, "a counter of the port grew faster than --counter says") \
	WORD(PORT_FLAPPING, "port-flapping", WARNING, "the port was down as often as --flap says") \
	WORD(GAP, "gap", WARNING, "something was missed; what it changed comes out by comparison")

#define EVENT_CODE(code, ...) EVENT_##code,
enum event_word { EVENT_WORDS(EVENT_CODE) EVENT_WORD_COUNT };
#undef EVENT_CODE

/* The source of the event, or the comparison that found it. */
enum event_source {
	EVENT_SOURCE_VERBS,
	EVENT_SOURCE_UEVENT,
	EVENT_SOURCE_NLDEV,
	EVENT_SOURCE_RTNL,
	EVENT_SOURCE_COUNTERS,
	EVENT_SOURCE_POLL,
	EVENT_SOURCE_RESYNC,
	EVENT_SOURCE_START, /* the state was present when watching began */
};

/* A moment: wall-clock time for output, monotonic time for differences. */
struct event_time {
	uint64_t wall_nsec;	 /* since 1970 */
	uint64_t monotonic_nsec; /* CLOCK_MONOTONIC */
};

/* A port before or after an event. */
struct event_port {
	struct number state;	      /* enum ib_port_state */
	struct number physical_state; /* PortInfo:PortPhysicalState */
	struct real rate_gbps;
	struct number active_mtu_bytes;
	struct number lid, sm_lid; /* InfiniBand link layer only */
};

/* A netdev before or after an event. */
struct event_netdev {
	enum tristate enabled, running; /* IFF_UP, IFF_RUNNING */
	struct number operstate;	/* IF_OPER_* */
	struct number mtu_bytes;
	char *master;
};

/* An entry of a GID table before or after an event. */
struct event_gid {
	struct known_gid gid;
	struct number type; /* enum gid_type */
	char *netdev;
};

struct event {
	struct event_time time;
	char *object; /* mlx5_0/1, mlx5_0, eth0; NULL is the host */
	char *device;
	struct number port;
	char *netdev;
	struct number word;	/* enum event_word */
	struct number severity; /* enum severity */
	struct number source;	/* enum event_source */
	char *change;		/* text for people; see event_describe() */
	struct event_port port_before, port_after;
	struct event_netdev netdev_before, netdev_after;
	struct number gid_index;
	struct event_gid gid_before, gid_after;
	char *attached_before, *attached; /* the port's netdev; for NETDEV_ATTACHED and DETACHED */
	char *name_before;		  /* for DEVICE_RENAMED and NETDEV_RENAMED */
	struct known_ip address;
	struct number prefix_length;
	char *counter;
	struct real threshold, rate_per_sec;
	struct number value;
	struct number down_msec; /* how long the port was down; for PORT_FLAPPING the total */
	struct number flaps, flap_window_msec;
};

struct event_list {
	struct event *items;
	size_t count;
};

extern const struct schema event_schema;
extern const struct enum_name event_names[]; /* indexed by enum event_word */
extern const struct enum_name event_bits[];  /* the same by 1 << word, for options */
extern const struct enum_name event_source_names[];

enum severity event_severity_of(enum event_word word);

/* Appends an event with the severity of its word. */
struct event *event_list_add(struct event_list *list, enum event_word word,
			     const struct event_time *time, enum event_source source);
void event_clear(struct event *event);
void event_list_clear(struct event_list *list);
/* Sets `change` from all other members: `state active -> down, rate 100 -> - Gb/s`. */
void event_describe(struct event *event);
