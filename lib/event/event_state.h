/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is known of the devices, ports, GID tables, netdevs and addresses that are watched, and the
 * events that come of knowing better: each function takes in what was told or read, compares it
 * with what was known, and appends what is different. Pure: it asks nobody.
 *
 * The state owns its devices (whose addresses stay the same), links and addresses.
 */
#pragma once

#include "event/event.h"
#include "host/link.h"

struct tracked_gid {
	unsigned int index;
	struct gid gid;
	struct number type; /* enum gid_type */
	struct number netdev_index;
	char *netdev;
};

struct tracked_gids {
	struct tracked_gid *items; /* by index */
	size_t count;
};

/* Once that the port was down and came back. */
struct tracked_flap {
	uint64_t back_nsec; /* CLOCK_MONOTONIC */
	uint64_t down_nsec; /* for so long */
};

struct tracked_port {
	unsigned int number;
	bool ethernet; /* by its link layer */
	struct event_port now;
	struct event_port active; /* as it was when it was last active */
	struct number netdev_index;
	char *netdev;
	struct tracked_gids gids;
	uint64_t down_since_nsec; /* CLOCK_MONOTONIC; 0: it is not, or nobody saw it go */
	struct tracked_flap *flaps;
	size_t flap_count;
	unsigned int credit;  /* so often it was read that it went down, and not told yet */
	uint64_t credit_nsec; /* the last time; CLOCK_MONOTONIC */
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
	unsigned int flap_count;   /* so many times ... */
	uint64_t flap_window_nsec; /* ... in that time make a port flapping; 0: none does */
};

/* The current state of a port, as far as it was read. */
struct port_reading {
	bool has_state, has_netdev, has_gids;
	struct event_port state;
	struct number netdev_index;
	char *netdev;
	struct tracked_gids gids;
};

/* The events reported for a port, each as often as it came: EVENT_PORT_DOWN ... */
struct event_told {
	enum event_word *words;
	size_t count;
};

/* Why one compares. */
struct event_cause {
	struct event_time time;
	enum event_source source;
	bool all;		   /* reports that changed nothing are events, too */
	struct event_list *events; /* NULL: nobody wants to know */
};

void event_state_clear(struct event_state *state);

/* The device is known from now on, without ports. */
struct tracked_device *event_state_add_device(struct event_state *state, const char *name,
					      const char *kernel_name,
					      const struct event_cause *cause);
struct tracked_device *event_state_find_device(const struct event_state *state,
					       const char *kernel_name);
struct tracked_port *tracked_device_add_port(struct tracked_device *device, unsigned int number);
struct tracked_port *tracked_device_port(const struct tracked_device *device, unsigned int number);
/* With all that its ports had. `device` is gone then. */
void event_state_remove_device(struct event_state *state, struct tracked_device *device,
			       const struct event_cause *cause);
void event_state_rename_device(struct tracked_device *device, const char *name,
			       const char *kernel_name, const struct event_cause *cause);
/* An event of the device as such. */
void event_state_tell_device(const struct tracked_device *device, enum event_word word,
			     const struct event_cause *cause);

/*
 * Takes in what was told of a port (NULL: nothing), and then what it reads, which is empty
 * afterwards. What was told and undone again before it was read are events all the same.
 */
void event_state_update_port(struct event_state *state, const struct tracked_device *device,
			     struct tracked_port *port, struct port_reading *reading,
			     const struct event_told *told, const struct event_cause *cause);
void port_reading_clear(struct port_reading *reading);
struct tracked_gid *tracked_gids_add(struct tracked_gids *gids);

/*
 * Netdevs and addresses as rtnetlink tells them. All are known, those behind a port make events.
 * Returns whether it was a change to a netdev behind a port, so that the port may read otherwise.
 */
bool event_state_take_link(struct event_state *state, const struct link *link, bool deleted,
			   const struct event_cause *cause);
bool event_state_take_address(struct event_state *state, const struct link_address *address,
			      bool deleted, const struct event_cause *cause);
/* All that there are; what is not among them is deleted. */
void event_state_take_links(struct event_state *state, const struct link_list *links,
			    const struct event_cause *cause);
void event_state_take_addresses(struct event_state *state,
				const struct link_address_list *addresses,
				const struct event_cause *cause);

/* Whether the netdev is the port's, the master of that, one on top of it, or one of its GIDs. */
bool tracked_port_has_link(const struct event_state *state, const struct tracked_port *port,
			   const struct link *link);
