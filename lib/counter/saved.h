/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Readings of counters as stored in a file (counters --save, fabric errors --save) for later
 * comparison: their objects and times, and the facts that determine whether they can be compared
 * at all.
 */
#pragma once

#include "counter/counter_reading.h"

struct saved_head {
	char *time;		   /* RFC 3339, UTC; strings are owned */
	char *host;		   /* the host's name, or NULL if unknown, like boot_id */
	char *boot_id;		   /* the kernel's boot id, which every restart changes */
	struct number uptime_msec; /* CLOCK_BOOTTIME: does not change when the clock is set */
};

/* A file of records that have a schema, with the host and time of their reading. */
struct saved_list {
	struct saved_head head;
	void *records;
	size_t count;
};

/* A kind of file: its records and its limits. */
struct saved_kind {
	const struct schema *schema;
	const char *command; /* the command that writes it: rdmactl counters --save */
	size_t most_bytes;
};

/*
 * Fills an empty head: from the live system, or from a saved tree (`root`, else NULL) as far as the
 * tree has the facts. The time of a snapshot is when it was taken. Unavailable facts stay unknown.
 */
void saved_head_read(const char *root, struct saved_head *head);
void saved_head_clear(struct saved_head *head);
/* True if the host was restarted in between, which resets all counters; false if unknown. */
bool saved_is_of_other_boot(const struct saved_head *then, const struct saved_head *now);
/* True if the names differ and no boot id says that it is the same host under a new name. */
bool saved_is_of_other_host(const struct saved_head *then, const struct saved_head *now);
/*
 * Returns why counters saved at `path` cannot be compared with those of now: another host or boot.
 * NULL: they can. The caller frees it; *ret_hint is the next step.
 */
char *saved_objection(const char *path, const struct saved_head *then, const struct saved_head *now,
		      const char **ret_hint);
/* Seconds between two moments of the same host; 0 if unknown. */
double saved_seconds_between(const struct saved_head *then, const struct saved_head *now);
/*
 * Reads a file. On failure *ret_message, which the caller frees, says what failed and why; -EINVAL
 * or -ENOMSG: the file is not of this kind.
 */
int saved_list_read(struct saved_list *list, const char *path, const struct saved_kind *kind,
		    char **ret_message);
/* Writes a file. Returns as file_replace() does. */
int saved_list_write(const struct saved_list *list, const char *path,
		     const struct saved_kind *kind);
void saved_list_clear(struct saved_list *list, const struct schema *schema);

struct saved_counter {
	char *device; /* strings are owned, or borrowed from a reading */
	struct number device_index;
	struct number node_guid;
	struct number port;
	char *netdev;
	struct number source; /* enum counter_source */
	char *counter;
	char *kernel_name;
	struct number unit; /* enum counter_unit */
	struct number value;
	enum tristate saturated;
};

extern const struct schema saved_head_schema;
extern const struct schema saved_counters_schema; /* `saved_counters` */
extern const struct saved_kind saved_counters_kind;

/* The saved form of a reading; borrows from it. */
struct saved_counter saved_counter_of(const struct counter_reading *reading);

/* Devices with their ports, and readings of their counters, as loaded from a file. */
struct saved_readings {
	struct device_list devices;
	struct counter_readings readings;
};

/*
 * Loading has two steps, so that devices and ports can be filtered in between: first the devices,
 * then the readings of the remaining ones, which borrow from both. Counters without a device, a
 * source or a name are skipped.
 */
void saved_readings_devices(struct saved_readings *saved, const struct saved_counter *counters,
			    size_t count);
void saved_readings_make(struct saved_readings *saved, const struct saved_counter *counters,
			 size_t count);
void saved_readings_clear(struct saved_readings *saved);
