/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The known state of the watched devices, ports, GID tables, netdevs and addresses. Each function
 * takes a report or a reading, compares it with the known state, and appends the differences as
 * events. The functions are pure: they make no queries.
 *
 * The state owns its devices (whose addresses do not change), links and addresses.
 */
#pragma once

#include "event/event.h"
#include "host/netdev.h"

struct tracked_gid {
	unsigned int index;
	struct gid gid;
	struct number type; /* enum gid_type */
	struct number netdev_index;
	char *netdev;
};

struct tracked_gids {
	struct tracked_gid *items; /* sorted by index */
	size_t count;
};

/* One time that the port was down and came back. */
struct tracked_flap {
	uint64_t back_nsec; /* CLOCK_BOOTTIME */
	uint64_t down_nsec; /* duration */
};

/* The events reported for a port, each as often as it was reported: EVENT_PORT_DOWN ... */
struct event_reports {
	enum event_word *words;
	size_t count;
};

/* The parts of a port to read. */
enum stale {
	STALE_STATE = 1 << 0,
	STALE_NETDEV = 1 << 1,
	STALE_GIDS = 1 << 2,
	STALE_ALL = STALE_STATE | STALE_NETDEV | STALE_GIDS,
};

struct tracked_port {
	unsigned int number;
	bool ethernet; /* true if its link layer is Ethernet */
	struct event_port now;
	struct event_port active; /* its state when it was last active */
	struct number netdev_index;
	char *netdev;
	struct tracked_gids gids;
	uint64_t down_since_nsec; /* CLOCK_BOOTTIME; 0 if it is up, or its going down was not
				     observed */
	struct tracked_flap *flaps;
	size_t flap_count;
	unsigned int credit;  /* readings that showed it down before the report did */
	uint64_t credit_nsec; /* CLOCK_BOOTTIME of the last of these */
	unsigned int doubts;  /* reports that it went down while it was down */
	uint64_t doubt_nsec;  /* CLOCK_BOOTTIME of the last of these */
	bool told_active;     /* it was reported to be active, ... */
	uint64_t told_nsec;   /* ... last at this time of CLOCK_BOOTTIME */
	/* For the watcher: */
	unsigned int stale;	  /* enum stale */
	enum event_source source; /* the source that reported the change */
	bool gids_later; /* no source reports GIDs: read them again when they have settled */
	bool unread;	 /* its state could not be read: it is polled until it can */
	struct event_reports reports; /* since it was last read */
};

struct tracked_device {
	char *name;
	char *kernel_name;
	struct tracked_port *ports;
	size_t port_count;
};

struct event_state {
	struct tracked_device **devices;
	size_t device_count;
	struct link_list links;
	struct link_address_list addresses;
	unsigned int flap_count;   /* this number of flaps ... */
	uint64_t flap_window_nsec; /* ... within this time makes a port flapping; 0 disables it */
};

/* The current state of a port, as far as it could be read. */
struct port_reading {
	bool has_state, has_netdev, has_gids;
	struct event_port state;
	struct number netdev_index;
	char *netdev;
	struct tracked_gids gids;
};

/* The reason for a comparison. */
struct event_cause {
	struct event_time time;
	enum event_source source;
	bool all;		   /* also make events of reports that changed nothing */
	struct event_list *events; /* NULL if events are not wanted */
};

void event_state_clear(struct event_state *state);

/* Adds a device without ports. */
struct tracked_device *event_state_add_device(struct event_state *state, const char *name,
					      const char *kernel_name,
					      const struct event_cause *cause);
struct tracked_port *tracked_device_add_port(struct tracked_device *device, unsigned int number);
/* Removes the device with everything its ports had; `device` is then invalid. */
void event_state_remove_device(struct event_state *state, struct tracked_device *device,
			       const struct event_cause *cause);
void event_state_rename_device(struct tracked_device *device, const char *name,
			       const char *kernel_name, const struct event_cause *cause);
/*
 * Adds an event of the device or, if they are not NULL, of this port or this netdev of the port.
 * Returns NULL if events are not wanted.
 */
struct event *event_state_add_event(const struct event_cause *cause, enum event_word word,
				    const struct tracked_device *device,
				    const struct tracked_port *port, const char *netdev);

/*
 * Takes the reports about a port (NULL: none), and then its reading, which is empty afterwards. A
 * change that was reported and undone before the reading still becomes an event.
 */
void event_state_update_port(struct event_state *state, const struct tracked_device *device,
			     struct tracked_port *port, struct port_reading *reading,
			     const struct event_reports *reports, const struct event_cause *cause);
struct tracked_gid *tracked_gids_add(struct tracked_gids *gids);
void tracked_gids_clear(struct tracked_gids *gids);
/* Forgets everything that is known of the port, because it is removed. */
void event_state_lose_port(struct event_state *state, const struct tracked_device *device,
			   struct tracked_port *port, const struct event_cause *cause);

/*
 * Take netdevs and addresses as rtnetlink reports them. All are tracked; those of a port make
 * events. Return whether a netdev of a port changed, so that the port has to be read again.
 */
bool event_state_take_link(struct event_state *state, const struct link *link, bool deleted,
			   const struct event_cause *cause);
bool event_state_take_address(struct event_state *state, const struct link_address *address,
			      bool deleted, const struct event_cause *cause);
/* Take the complete lists; anything missing from them is deleted. */
void event_state_take_links(struct event_state *state, const struct link_list *links,
			    const struct event_cause *cause);
void event_state_take_addresses(struct event_state *state,
				const struct link_address_list *addresses,
				const struct event_cause *cause);

/* True if the netdev is the port's, its master, one on top of it, or one of its GIDs. */
bool tracked_port_has_link(const struct event_state *state, const struct tracked_port *port,
			   const struct link *link);
