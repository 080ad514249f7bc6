/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One change of an RDMA device, a port or its netdev: its time, its object, and the state before
 * and after. An event owns its strings; a list owns its events. A pair of members that does not
 * apply to an event is unknown.
 */
#pragma once

#include "schema/problem.h"

/* Word, severity and meaning of each event: for the enumeration, tables and the help. */
#define EVENT_WORDS(WORD)                                                                          \
	WORD(DEVICE_ADDED, "device-added", NOTICE, "an RDMA device was added")                     \
	WORD(DEVICE_REMOVED, "device-removed", WARNING, "an RDMA device was removed")              \
	WORD(DEVICE_RENAMED, "device-renamed", NOTICE, "an RDMA device was renamed")               \
	WORD(DEVICE_FATAL, "device-fatal", ERROR,                                                  \
	     "the device has a fatal error or is being removed")                                   \
	WORD(PORT_ACTIVE, "port-active", NOTICE, "the port can carry data")                        \
	WORD(PORT_DOWN, "port-down", ERROR, "the port can no longer carry data")                   \
	WORD(PORT_INIT, "port-init", WARNING, "the port waits for a subnet manager")               \
	WORD(PORT_ARMED, "port-armed", INFO, "the subnet manager is about to make it active")      \
	WORD(LID_CHANGE, "lid-change", WARNING, "the LID of the port changed")                     \
	WORD(SM_CHANGE, "sm-change", NOTICE, "the subnet manager or its address changed")          \
	WORD(PKEY_CHANGE, "pkey-change", NOTICE, "the P_Key table of the port changed")            \
	WORD(CLIENT_REREGISTER, "client-reregister", NOTICE,                                       \
	     "the subnet manager asks clients to register again")                                  \
	WORD(RATE_CHANGE, "rate-change", WARNING, "the rate of an active port changed")            \
	WORD(MTU_CHANGE, "mtu-change", WARNING, "the MTU of an active port changed")               \
	WORD(SPEED_CHANGE, "speed-change", NOTICE, "the driver reports a new effective speed")     \
	WORD(GID_ADDED, "gid-added", INFO, "a GID was added to the port's table")                  \
	WORD(GID_REMOVED, "gid-removed", NOTICE, "a GID was removed from the port's table")        \
	WORD(GID_CHANGED, "gid-changed", NOTICE,                                                   \
	     "an entry of the port's GID table, or its netdev, changed")                           \
	WORD(NETDEV_ATTACHED, "netdev-attached", NOTICE, "a netdev was attached to the port")      \
	WORD(NETDEV_DETACHED, "netdev-detached", WARNING, "the netdev was detached from the port") \
	WORD(NETDEV_UP, "netdev-up", NOTICE, "the netdev can carry packets")                       \
	WORD(NETDEV_DOWN, "netdev-down", WARNING, "the netdev can no longer carry packets")        \
	WORD(NETDEV_ENABLED, "netdev-enabled", INFO, "the netdev was set up (ip link set up)")     \
	WORD(NETDEV_DISABLED, "netdev-disabled", NOTICE,                                           \
	     "the netdev was set down (ip link set down)")                                         \
	WORD(NETDEV_MTU, "netdev-mtu", NOTICE, "the MTU of the netdev changed")                    \
	WORD(NETDEV_RENAMED, "netdev-renamed", NOTICE, "the netdev was renamed")                   \
	WORD(NETDEV_MASTER, "netdev-master", NOTICE,                                               \
	     "the netdev joined or left a bond, bridge or VRF")                                    \
	WORD(ADDRESS_ADDED, "address-added", INFO, "an IP address was added to the netdev")        \
	WORD(ADDRESS_REMOVED, "address-removed", NOTICE,                                           \
	     "an IP address was removed from the netdev")                                          \
	WORD(COUNTER, "counter", WARNING,                                                          \
	     "a counter of the port grew faster than --counter allows")                            \
	WORD(PORT_FLAPPING, "port-flapping", WARNING,                                              \
	     "the port went down as often as --flap says")                                         \
	WORD(GAP, "gap", WARNING, "reports were lost; the state is read and compared")

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
	uint64_t monotonic_nsec; /* CLOCK_BOOTTIME */
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

/* Appends an event with the severity of its word. */
struct event *event_list_add(struct event_list *list, enum event_word word,
			     const struct event_time *time, enum event_source source);
void event_clear(struct event *event);
void event_list_clear(struct event_list *list);
/* Sets `change` from all other members: `state active -> down, rate 100 -> - Gb/s`. */
void event_describe(struct event *event);
