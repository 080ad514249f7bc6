/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sources of doctor/frame/growth.h: the ports' counters of faults, under the key "OBJECT SOURCE
 * NAME" with the words that `counters` shows ("mlx5_0/1 pma symbol_errors", "eth2 netdev
 * rx_crc_errors"), and how often the ports' netdevs lost their carrier ("eth2 carrier_down_count",
 * "eth2 carrier_changes"). Ports whose counters must not be read are skipped: see
 * doctor/port/port_facts.h.
 */
#pragma once

#include "doctor/frame/growth.h"

struct doctor_counters;

void growth_read_counters(struct doctor_facts *facts, const struct doctor_request *request,
			  struct growth_reading *reading);
void growth_read_carriers(struct doctor_facts *facts, const struct doctor_request *request,
			  struct growth_reading *reading);
/*
 * Reads request->since, and how long ago it was written: 0 if unknown. Counters of devices that
 * were replaced since are skipped. -errno, with the problem reported, if the file cannot be read or
 * is from another host or another boot.
 */
int growth_read_saved(struct doctor_facts *facts, const struct doctor_request *request,
		      struct growth_reading *reading, double *ret_seconds,
		      struct problems *problems);
/*
 * Returns how long a driver may answer from its cache, in milliseconds, for the ports whose
 * counters were read: update_hw_stats(), core/sysfs.c.
 */
uint64_t growth_cache_msec(const struct doctor_facts *facts);
/*
 * Calls `act` for each netdev whose carrier is the port's: the port's netdev, and if that is a
 * bond, the members of the bond.
 */
void growth_each_netdev(const struct doctor_facts *facts, const struct port *port,
			void (*act)(void *context, const char *netdev), void *context);
void doctor_counters_free(struct doctor_counters *counters);
