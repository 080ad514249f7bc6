/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Counters of single objects, from RDMA netlink: counters that queue pairs are bound to, by hand or
 * by the kernel for each type or process (drivers/infiniband/core/counters.c), and counters of
 * memory regions with on-demand paging. No privilege is needed. struct object_counter owns its
 * strings and its counters; device and port of a row are borrowed from the inventory.
 */
#pragma once

#include "counter/counter.h"
#include "counter/counter_change.h"
#include "kernel/netlink/nldev.h"

enum object_counter_kind { OBJECT_COUNTER_QP, OBJECT_COUNTER_MR };

struct object_counter {
	struct number port;   /* of the device; unknown for memory regions */
	struct number id;     /* the counter's, or the memory region's */
	struct number mode;   /* enum rdma_nl_counter_mode: how queue pairs were bound to it */
	struct number type;   /* enum ib_qp_type, if it is for one type */
	struct number thread; /* if it is for one process: the thread that made the queue pairs */
	struct number pid;    /* the process; filled by the caller, as is `command` */
	char *command;
	char *kernel_name;   /* the part of the kernel, for queue pairs of the kernel */
	struct strings qpns; /* the queue pairs that are bound to it now */
	struct counter_list counters;
};

struct object_counters {
	struct object_counter *items;
	size_t count;
};

void object_counters_clear(struct object_counters *list);

/*
 * Appends the counters of a device. Returns 0 or -errno; -EOPNOTSUPP for a kernel before 5.3 (queue
 * pairs) or 5.5 (memory regions); -ENODEV if the device is gone. Omits memory regions without
 * counters.
 */
int object_counters_read(struct netlink *nldev, enum object_counter_kind kind,
			 uint32_t device_index, struct object_counters *list);
/* Parses the attributes of one message, aligned to 4 bytes. -EBADMSG if they are damaged. */
int object_counters_parse(enum object_counter_kind kind, const void *attributes, size_t length,
			  struct object_counters *list);
/* Return the counter of that number, or the one that the queue pair is bound to; NULL if none. */
const struct object_counter *object_counters_find(const struct object_counters *list, uint64_t id);
const struct object_counter *object_counters_of_qp(const struct object_counters *list,
						   uint64_t qpn);
/*
 * Returns the counter of the same number in a list that was read before, or NULL if it is known to
 * have been another, because mlx5 gives a free number to the next counter. Only in auto mode by
 * `pid` does a counter have a thread; otherwise one of another process may look the same.
 */
const struct object_counter *object_counters_find_earlier(const struct object_counters *list,
							  const struct object_counter *counter);

/* How a port counts its queue pairs. */
struct qp_counting {
	struct counter_reading reading; /* device and port, for the table; it has no value */
	struct number mode;		/* enum rdma_nl_counter_mode */
	struct number mask;		/* in auto mode: enum rdma_nl_counter_mask */
	enum tristate optional;		/* in auto mode, since Linux 6.15 */
};

extern const struct enum_name qp_counting_masks[];
/* Word after the properties if the counters also count what the optional counters do. */
#define QP_COUNTING_OPTIONAL "optional"
extern const struct schema qp_counting_schema;

/* Returns 0 or -errno; -EOPNOTSUPP for a kernel before 5.3. */
int qp_counting_read(struct netlink *nldev, uint32_t device_index, uint32_t port,
		     struct qp_counting *ret_counting);
/*
 * Returns "off", or the properties that a counter is for: "type,pid,optional". The caller frees it.
 */
char *qp_counting_word(const struct qp_counting *counting);

/* One row: a counter of an object, and perhaps how fast it grew. */
struct object_counter_row {
	struct counter_change change;
	struct object_counter object; /* borrowed */
};

extern const struct schema qp_counter_schema, mr_counter_schema;

/* Appends a reading for each counter of the object, which must outlive the readings. */
void object_counter_readings(const struct object_counter *object, const struct device *device,
			     const struct port *port, uint64_t taken_nsec,
			     struct counter_readings *readings);
