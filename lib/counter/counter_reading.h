/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One counter of one port, device or netdev at one moment, as the schema `counters` prints it. A
 * reading borrows everything: device, port and netdev from the inventory, names and problems from
 * the counter_loader that read it (lib/load/counters.h). So it may be copied, and is good as long
 * as those two live.
 */
#pragma once

#include "counter/names/counter_names.h"
#include "host/device.h"

struct counter_reading {
	const struct device *device;
	const struct port *port; /* NULL: of the whole device */
	const char *netdev;	 /* of the netdev source: whose it is. Else NULL */
	enum counter_source source;
	bool netlink;			 /* from RDMA netlink, not sysfs */
	const char *counter;		 /* canonical name, or the kernel's; NULL: it has none */
	const char *kernel_name;	 /* clean; cm_tx_msgs/req of the CM's */
	const struct counter_name *name; /* NULL: not in the catalogue */
	struct number value;		 /* in its unit: bytes, where the kernel has words of 4 */
	unsigned char width_bits;	 /* of one that saturates; 0: not known, or it does not */
	bool saturated;			 /* it is at the most that its bits hold */
	bool mark;	     /* show a saturated value as text, with >= before it: tables */
	const char *problem; /* why the value is unknown: N/A (no PMA), Invalid argument */
	uint64_t taken_nsec; /* clock_nsec() when it was read */
};

struct counter_readings {
	struct counter_reading *items;
	size_t count;
};

extern const struct schema counter_schema; /* `counters` */

/* mlx5_0/1, mlx5_0 or eth0; the caller frees it. */
char *counter_reading_object(const struct counter_reading *reading);
/* Getters for the fields of any record that begins with a reading. */
void counter_get_object(const void *record, struct value *value);
void counter_get_device(const void *record, struct value *value);
void counter_get_port(const void *record, struct value *value);
void counter_get_counter(const void *record, struct value *value);
void counter_get_kernel_name(const void *record, struct value *value);
void counter_get_source(const void *record, struct value *value);
void counter_get_group(const void *record, struct value *value);
void counter_get_problem(const void *record, struct value *value);
enum counter_group counter_reading_group(const struct counter_reading *reading);
enum counter_severity counter_reading_severity(const struct counter_reading *reading);
enum counter_unit counter_reading_unit(const struct counter_reading *reading);
enum counter_kind counter_reading_kind(const struct counter_reading *reading);
/*
 * Takes the kernel's number in: factor, width and saturation as the catalogue has them for it. A
 * width_bits of 64 beforehand tells that data and packets of the PMA have so many.
 */
void counter_reading_set(struct counter_reading *reading, uint64_t kernel_value);
/* Orders readings by the counter that they are of; 0: both are of the same one. */
int counter_reading_compare(const struct counter_reading *a, const struct counter_reading *b);
/*
 * The growth from one reading to the next. Unknown if one of them is unknown, it is a
 * gauge, it went back (cleared, or the device was reset), or it stands at its most.
 */
struct number counter_reading_growth(const struct counter_reading *before,
				     const struct counter_reading *after);

void counter_readings_clear(struct counter_readings *readings);
