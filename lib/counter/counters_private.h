/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of counters.c; nothing outside lib/load uses it. */
#pragma once

#include "counter/counters.h"
#include "counter/counter.h"
#include "host/nldev_devices.h"
#include "host/rtnl.h"
#include "kernel/sysfs.h"

/* A counter by its name in one source, once for all the ports that have it. */
struct counter_entry {
	enum counter_source source;
	char *file;			 /* the name as the kernel has it, for paths */
	char *kernel_name;		 /* clean */
	char *counter;			 /* canonical */
	const struct counter_name *name; /* NULL: not in the catalogue */
	unsigned int rank;		 /* place in the catalogue; UINT_MAX: none */
	bool wanted;
};

/* Names and causes that readings borrow, each kept once for the life of the loader. */
struct counter_pool {
	struct counter_entry **entries; /* a hash table, NULL where free; a power of two */
	size_t entry_slots, entry_count;
	struct strings causes;
};

/*
 * The counters of the previous port by netlink: ports of one driver have the same counters in the
 * same order, so theirs need not be looked up again.
 */
struct counter_layout {
	enum counter_source source;
	size_t count;
	const struct counter_entry **entries; /* in the order of the reply */
	size_t *shown;			      /* which of them are wanted, in the order shown */
	size_t shown_count;
};

/* The counters that one port, device or netdev has in one source. */
struct counter_place {
	const struct device *device;
	const struct port *port;
	const char *netdev;
	enum counter_source source;
	bool listed; /* `entries` are what the folder holds */
	int error;   /* -errno of listing it */
	const struct counter_entry **entries;
	size_t entry_count;
	bool extended; /* the PMA has the counters of 64 bits */
	bool old_cm;   /* class infiniband_cm */
	bool told;     /* netlink did, in this round: */
	struct counter_list values;
	uint64_t taken_nsec;
	bool found; /* there are counters, wanted or not */
};

struct counter_loader {
	struct counters_request request;
	struct root root;
	struct netlink *nldev; /* NULL: not live, or no answer */
	struct netlink *rtnl;
	struct counter_pool pool;
	struct counter_layout layout;
	struct counter_place *places;
	size_t place_count;
	bool noted; /* why netlink does not tell: once is enough */
};

/* The entry of that name, made if it is new; `file` as the kernel has it. */
const struct counter_entry *counter_pool_entry(struct counter_loader *loader,
					       enum counter_source source, const char *file);
/* Keeps a copy. */
const char *counter_pool_cause(struct counter_pool *pool, const char *cause);
void counter_pool_free(struct counter_pool *pool);

/* Makes the layout that of these values. */
void counter_layout_make(struct counter_loader *loader, enum counter_source source,
			 const struct counter_list *values);
void counter_layout_clear(struct counter_layout *layout);
/* Lists the folder of a place if that has not been done yet. */
void counter_place_list(struct counter_loader *loader, struct counter_place *place);
/* Why an entry's file is not a number; NULL if it is one, in *ret_value. */
const char *counter_place_read(struct counter_loader *loader, const struct counter_place *place,
			       const struct counter_entry *entry, uint64_t *ret_value);
/* Orders an array of entries as they are shown. */
void counter_entries_sort(const struct counter_entry **entries, size_t count);
int counter_entry_compare(const struct counter_entry *left, const struct counter_entry *right);
