/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of counters.c; nothing outside lib/counter uses it. */
#pragma once

#include "counter/counters.h"
#include "counter/counter.h"
#include "host/nldev_devices.h"
#include "host/rtnl.h"
#include "kernel/sysfs.h"

/* A counter identified by its name in one source, stored once for all the ports that have it. */
struct counter_entry {
	enum counter_source source;
	char *file;			 /* the name as the kernel has it, for paths */
	char *kernel_name;		 /* clean */
	char *counter;			 /* canonical */
	const struct counter_name *name; /* NULL if not in the catalogue */
	unsigned int rank;		 /* position in the catalogue; UINT_MAX if not in it */
	bool wanted;
};

/* Names and causes that readings borrow, each stored once for the lifetime of the loader. */
struct counter_pool {
	struct counter_entry *
		*entries; /* a hash table, NULL where free; its size is a power of two */
	size_t entry_slots, entry_count;
	struct strings causes;
};

/*
 * The counters of the previous port in netlink: ports of one driver have the same counters in the
 * same order, so later ports need no lookup.
 */
struct counter_layout {
	enum counter_source source;
	size_t count;
	const struct counter_entry **entries; /* in the order of the reply */
	size_t *shown;			      /* indexes of the wanted ones, in output order */
	size_t shown_count;
};

/* The counters of one port, device or netdev in one source. */
struct counter_place {
	const struct device *device;
	const struct port *port;
	const char *netdev;
	enum counter_source source;
	bool listed; /* `entries` has the contents of the directory */
	int error;   /* -errno of listing it */
	const struct counter_entry **entries;
	size_t entry_count;
	bool extended; /* the PMA has the 64-bit counters */
	bool old_cm;   /* class infiniband_cm */
	bool reported; /* netlink reported it in this round */
	struct counter_list values;
	uint64_t taken_nsec;
	bool found; /* counters exist, wanted or not */
};

struct counter_loader {
	struct counters_request request;
	struct root root;
	struct netlink *nldev; /* NULL if not live, or it does not answer */
	struct netlink *rtnl;
	struct counter_pool pool;
	struct counter_layout layout;
	struct counter_place *places;
	size_t place_count;
	bool noted; /* the netlink failure has been reported once */
};

/* Returns the entry with that name, creating it if necessary; `file` is the kernel's spelling. */
const struct counter_entry *counter_pool_entry(struct counter_loader *loader,
					       enum counter_source source, const char *file);
/* Stores a copy of the text. */
const char *counter_pool_cause(struct counter_pool *pool, const char *cause);
void counter_pool_free(struct counter_pool *pool);

/* Sets the layout to that of these values. */
void counter_layout_make(struct counter_loader *loader, enum counter_source source,
			 const struct counter_list *values);
void counter_layout_clear(struct counter_layout *layout);
/* Lists the directory of a place unless that has been done. */
void counter_place_list(struct counter_loader *loader, struct counter_place *place);
/* Returns NULL with the number in *ret_value, or the reason why an entry's file has none. */
const char *counter_place_read(struct counter_loader *loader, const struct counter_place *place,
			       const struct counter_entry *entry, uint64_t *ret_value);
/* Sorts entries into output order. */
void counter_entries_sort(const struct counter_entry **entries, size_t count);
int counter_entry_compare(const struct counter_entry *left, const struct counter_entry *right);
