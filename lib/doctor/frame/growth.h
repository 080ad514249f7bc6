/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two readings of numbers that must not grow. Totals since boot say nothing about today, so error
 * checks look at growth: between two readings `--interval` apart, or since a file written by
 * `counters --save`, which has the counters of ports but not the other sources. A reading is a set
 * of numbers by key: "mlx5_0/1 pma symbol_errors", "0000:3b:00.0 aer_dev_fatal TLP".
 */
#pragma once

#include "doctor/frame/facts.h"
#include "schema/problem.h"

struct doctor_context;
struct doctor_counters;

enum growth_state {
	GROWTH_KNOWN,
	GROWTH_SATURATED,  /* at its maximum: it no longer counts */
	GROWTH_UNREADABLE, /* exists, but has no readable value */
};

struct growth_reading {
	struct growth_value {
		char *key;
		uint64_t value;
		enum growth_state state;
	} * items;
	size_t count;
};

struct doctor_growth {
	struct growth_reading before, after; /* sorted by key */
	double seconds;			     /* between the two; 0: unknown */
	struct doctor_counters *counters;    /* private to growth.c */
};

/* Adds a known number; the caller may change the returned value's state until the next call. */
struct growth_value *growth_add(struct growth_reading *reading, uint64_t value,
				const char *key_format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Takes both readings, from the sources that the selected checks need, and waits in between. Does
 * nothing if neither --interval nor --since was given, or if --interval was given for a snapshot. 0
 * or -errno, with the problem reported.
 */
int doctor_growth_load(struct doctor_facts *facts);
/*
 * Computes how much the number grew between the readings. 0; -ENODATA if both readings lack it;
 * -ESTALE if one of them does, such as a saved file without the device; -EIO if it exists but could
 * not be read; -ERANGE if it decreased, so that it was reset in between; -EOVERFLOW if it was at
 * its maximum already. If it reached its maximum in between, the growth is a lower bound.
 */
int doctor_growth(const struct doctor_facts *facts, uint64_t *ret_growth, const char *key_format,
		  ...) __attribute__((format(printf, 3, 4)));
/*
 * Iterates over the numbers whose keys begin with the prefix, except those that were reset in
 * between: returns the rest of the key, and the growth (0 included); NULL: no more. *position is 0
 * at first.
 */
const char *doctor_growth_next(const struct doctor_facts *facts, const char *prefix,
			       size_t *position, uint64_t *ret_growth);
/* Returns the seconds between the readings; 0 if unknown. */
double doctor_growth_seconds(const struct doctor_facts *facts);
/*
 * Gives an --interval check's verdict that nothing grew: ok, but not for a saved tree, which does
 * not change unless somebody changes it.
 */
struct judged doctor_nothing_grew(struct doctor_context *run, const char *summary);
/*
 * Returns the netdevs whose carrier is the port's: the port's netdev, and if that is a bond, the
 * members of the bond. The caller frees them.
 */
struct strings growth_netdevs(const struct doctor_facts *facts, const struct port *port);
void doctor_growth_free(struct doctor_growth *growth);

/* Further sources of a reading. */

/* Reads the PCIe error counters: pcie/errors.c. */
void growth_read_aer(struct doctor_facts *facts, struct growth_reading *reading);
/* Reads the error correction counters by netdev: adapter/ethernet.c. */
void fec_read_growth(struct doctor_facts *facts, struct growth_reading *reading);
/* Reads the recoveries of all reporters: adapter/adapters.c. */
void adapters_read_recoveries(struct doctor_facts *facts, struct growth_reading *reading);

/* Pure functions of port/port_growth.c: how much growth in how many seconds is too much. */

/*
 * Whether a number that grew by `growth` in `seconds` (0: unknown) exceeds `limit` per `period`
 * seconds. A reading shorter than the period proves that only with enough events: ten, or more than
 * the limit.
 */
bool growth_exceeds(uint64_t growth, double seconds, uint64_t limit, unsigned int period);
/* Returns the verdict on that many flaps in that many seconds (0: unknown). */
enum severity judge_flaps(uint64_t flaps, double seconds);
/* Returns "10.0 s", "25 min", "12.5 h"; the caller frees it. */
char *growth_window(double seconds);
