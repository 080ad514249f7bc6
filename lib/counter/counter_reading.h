/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One counter of one port, device or netdev at one moment, as shown by the schema `counters`. A
 * reading borrows everything: device, port and netdev from the inventory, names and problems from
 * the counter_loader that read it (counter/counters.h). It can therefore be copied, and is valid as
 * long as both exist.
 */
#pragma once

#include "counter/names/counter_names.h"
#include "host/device.h"

struct counter_reading {
	const struct device *device;
	const struct port *port; /* NULL for a counter of the device */
	const char *netdev;	 /* source netdev only: the network device; else NULL */
	enum counter_source source;
	bool netlink;	     /* read from RDMA netlink rather than sysfs */
	const char *counter; /* canonical name, or the kernel's if there is none; NULL: port without
				counters */
	const char *kernel_name;	 /* clean; cm_tx_msgs/req for counters of the CM */
	const struct counter_name *name; /* NULL if not in the catalogue */
	struct number value;	  /* in its unit: bytes where the kernel counts 4-byte words */
	unsigned char width_bits; /* of a saturating counter; 0 if unknown or not saturating */
	bool saturated;		  /* at the maximum that its bits hold */
	bool mark;		  /* for tables: show a saturated value as text, prefixed with >= */
	const char *problem;	  /* why the value is unknown: N/A (no PMA), Invalid argument */
	uint64_t taken_nsec;	  /* clock_nsec() when it was read */
};

struct counter_readings {
	struct counter_reading *items;
	size_t count;
};

extern const struct schema counter_schema; /* `counters` */

/* mlx5_0/1, mlx5_0 or eth0; the caller frees it. */
char *counter_reading_object(const struct counter_reading *reading);
/* Getters for the fields of any record whose first member is a reading. */
void counter_get_object(const void *record, struct value *value);
void counter_get_device(const void *record, struct value *value);
void counter_get_port(const void *record, struct value *value);
void counter_get_counter(const void *record, struct value *value);
void counter_get_kernel_name(const void *record, struct value *value);
void counter_get_source(const void *record, struct value *value);
void counter_get_unit(const void *record, struct value *value);
void counter_get_direction(const void *record, struct value *value);
void counter_get_severity(const void *record, struct value *value);
void counter_get_group(const void *record, struct value *value);
void counter_get_meaning(const void *record, struct value *value);
void counter_get_problem(const void *record, struct value *value);
/* The catalogue's row, or for a counter that it lacks one that says so: a plain number. */
const struct counter_name *counter_reading_name(const struct counter_reading *reading);

/*
 * Sets the value from the kernel's number, with the factor, width and saturation from the
 * catalogue. A width_bits of 64 beforehand means that data and packet counters of the PMA have that
 * width.
 */
void counter_reading_set(struct counter_reading *reading, uint64_t kernel_value);
/* Orders readings by their counter; 0 if both are of the same counter. */
int counter_reading_compare(const struct counter_reading *a, const struct counter_reading *b);
/*
 * Returns the growth from one reading to the next. It is unknown if either value is unknown, or if
 * the counter is a gauge, decreased (it was cleared, or the device was reset), or is saturated.
 */
struct number counter_reading_growth(const struct counter_reading *before,
				     const struct counter_reading *after);

/* Drops each reading from `first` on that another reading of the same port makes redundant. */
void counter_readings_leave_out_repeated(struct counter_readings *readings, size_t first);
void counter_readings_clear(struct counter_readings *readings);

/*
 * The meaning of a counter: one record for each meaning, with all the names that the kernel has for
 * it. Records borrow from the catalogue but own their aliases.
 */
struct counter_meaning {
	struct counter_reading reading; /* its names, from the first row with this meaning */
	struct strings aliases;		/* pma:port_xmit_data, efa:tx_bytes */
};

struct counter_meanings {
	struct counter_meaning *items;
	size_t count;
};

extern const struct schema counter_meaning_schema; /* `counter_meanings` */

/*
 * Appends the meanings of a canonical name or of a kernel name, which may differ between sources.
 * Returns false for an unknown name; *ret_closest is then the most similar name, or NULL.
 */
bool counter_meanings_find(struct counter_meanings *meanings, const char *name,
			   const char **ret_closest);
void counter_meanings_clear(struct counter_meanings *meanings);
