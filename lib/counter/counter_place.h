/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts of a counter_loader: its names, each stored once for all ports, which readings borrow;
 * and its directories of counters.
 */
#pragma once

#include "counter/counter.h"
#include "counter/counters.h"
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
	const struct counters_request *request;
	void *entries; /* a tree of tsearch(3) */
	struct strings causes;
};

/* Returns the entry with that name, creating it if necessary; `file` is the kernel's spelling. */
const struct counter_entry *counter_pool_entry(struct counter_pool *pool,
					       enum counter_source source, const char *file);
/* Returns the pool's copy of the text; equal texts share one. */
const char *counter_pool_cause(struct counter_pool *pool, const char *cause);
/* Puts pointers to entries, or records that begin with one, into output order, by qsort(). */
int counter_entries_compare(const void *a, const void *b);
void counter_pool_free(struct counter_pool *pool);

/*
 * Directory of a vendor's stack for old devices, with 64 bits where `counters` has 32. It is listed
 * before `counters`, because the counters that both have are read from here.
 */
#define COUNTERS_EXTENDED "counters_ext"
/*
 * A directory of the port with qib, and of the device with a vendor's mlx4. RDMA netlink does not
 * report it.
 */
#define COUNTERS_DIAGNOSTIC "diag_counters"
/* A file of the device in which a vendor's ib_qib of 2009 has what is in diag_counters today. */
#define COUNTERS_TEXT "stats"

struct counter_value {
	const struct counter_entry *entry; /* first, for counter_entries_compare() */
	uint64_t value;
};

/* The counters of one port, device or netdev in one source. */
struct counter_place {
	const struct device *device;
	const struct port *port;
	const char *netdev;
	enum counter_source source;
	const char *folder; /* below the port, device or netdev; NULL for the CM */
	bool listed;	    /* `entries` has the contents of the directory */
	int error;	    /* -errno of listing the directory */
	const struct counter_entry **entries;
	size_t entry_count;
	bool extended;		     /* the PMA has the 64-bit counters */
	unsigned int cm_form;	     /* CM_OF_PORT ... */
	bool reported;		     /* netlink reported it in this round */
	struct counter_value *taken; /* from netlink in this round, wanted or not */
	size_t taken_count;
	struct counter_list values; /* from a text */
	uint64_t taken_nsec;
	bool found; /* counters exist, wanted or not */
};

/* The classes with folders of places: sys/class/infiniband, infiniband_cm, net. */
enum counter_class_folder { CLASS_RDMA, CLASS_CM, CLASS_NET, CLASS_FOLDERS };

/* The folder of one place, and those of the classes, which stay open once they were needed. */
struct counter_shelf {
	const struct root *root;
	struct sysfs_folder of_place, classes[CLASS_FOLDERS];
};

#define COUNTER_SHELF(root_)                                                          \
	(struct counter_shelf)                                                        \
	{                                                                             \
		.root = (root_), .of_place = SYSFS_FOLDER_NONE,                       \
		.classes = {SYSFS_FOLDER_NONE, SYSFS_FOLDER_NONE, SYSFS_FOLDER_NONE}, \
	}

void counter_shelf_close(struct counter_shelf *shelf);
/* Returns the folder with the files of the place's entries, valid until the next call. */
const struct sysfs_folder *counter_place_open(const struct counter_place *place,
					      struct counter_shelf *shelf);
bool counter_place_is_text(const struct counter_place *place);
/* Reads the counters of a text into `values`. Returns 0 or -errno; -EBADMSG if there are none. */
int counter_place_read_text(struct counter_place *place, const struct root *root);
/*
 * Finds the wanted counters in the directory. The extended directory of a port must be listed
 * first; its place is the one before this. Returns the folder as counter_place_open() does; NULL
 * for a text.
 */
const struct sysfs_folder *counter_place_list(struct counter_place *place,
					      struct counter_pool *pool,
					      struct counter_shelf *shelf);
