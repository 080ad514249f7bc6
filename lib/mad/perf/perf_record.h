/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The rows of rdmactl perf: each combines the data of several attributes of performance management
 * for one port. A counter that both PortCounters and PortCountersExtended have appears once, 64
 * bits wide if the device supports that. Data are in bytes, waits in ticks of the port. Everything
 * is pure: bytes and capabilities in, records out. A record owns its strings.
 */
#pragma once

#include <stddef.h>

#include "mad/format/pm_counters.h"

/* A counter with all bits set has stopped there: the true value is that or more. */
struct perf_counter {
	uint64_t value; /* in the unit of the key */
	bool known;
	bool saturated;
};

/* One record serves all schemas of a listing; each schema shows the members that concern it. */
struct perf_record {
	char *object, *node; /* the queried node, as named; its description */
	struct number lid, port;
	struct number lane, vl, sl; /* of the row; unknown if it covers the complete port */
	struct number width_bits;   /* of the data counters */
	struct number op_code;
	struct number fec;	    /* code of the active mode, as in PortInfoExtended */
	struct number summed_ports; /* of the row; unknown if it covers only one */
	struct number summed_by;    /* enum perf_summed */
	size_t source;		    /* index of its port in perf->ports */
	struct strings saturated;
	bool mark; /* show the number of a saturated counter as text, prefixed with >= */

	/* From here on there are only counters: see PERF_COUNTERS_MOST. */
	struct perf_counter symbol_errors, link_error_recoveries, link_downed, rcv_errors;
	struct perf_counter rcv_remote_physical_errors, rcv_switch_relay_errors, xmit_discards;
	struct perf_counter xmit_constraint_errors, rcv_constraint_errors;
	struct perf_counter local_link_integrity_errors, excessive_buffer_overruns;
	struct perf_counter qp1_dropped, vl15_dropped;
	struct perf_counter xmit_data_bytes, rcv_data_bytes, xmit_packets, rcv_packets;
	struct perf_counter unicast_xmit_packets, unicast_rcv_packets;
	struct perf_counter multicast_xmit_packets, multicast_rcv_packets;
	struct perf_counter xmit_wait_ticks;

	struct perf_counter flow_control_update_errors, op_packets, op_data_bytes;
	struct perf_counter congestions, xmit_time_congested_ticks;
	struct perf_counter rcv_fecn_packets, rcv_becn_packets;
	struct perf_counter sync_header_errors, unknown_blocks, error_detections;
	struct perf_counter correctable_blocks, uncorrectable_blocks, corrected_symbols;

	struct perf_counter local_physical_errors, malformed_packet_errors, buffer_overrun_errors;
	struct perf_counter dlid_mapping_errors, vl_mapping_errors, looping_errors;
	struct perf_counter inactive_discards, neighbor_mtu_discards;
	struct perf_counter switch_lifetime_limit_discards, switch_hoq_lifetime_limit_discards;
	struct perf_counter xmit_flow_packets, rcv_flow_packets;
	struct perf_counter op_rcv_packets, op_rcv_data_bytes;
};

enum {
	PERF_COUNTERS_MOST = (sizeof(struct perf_record) -
			      offsetof(struct perf_record, symbol_errors)) /
			     sizeof(struct perf_counter)
};

/* The counter of a field of the schemas below whose tag is the counter's group. */
static inline const struct perf_counter *perf_counter_of(const struct field *field,
							 const struct perf_record *row)
{
	return (const struct perf_counter *)(const void *)((const char *)row + field->offset);
}

/* The counters in a row of several ports were added up by the agent or by this program. */
enum perf_summed { PERF_SUMMED_AGENT = 1, PERF_SUMMED_HERE };

/*
 * The field of a counter has the counter's group as tag, and the offset of its struct perf_counter.
 */
extern const struct schema perf_schema;

enum perf_listing {
	PERF_OF_PORT,	    /* one row per port */
	PERF_OF_VL,	    /* one row per virtual lane */
	PERF_OF_FEC,	    /* one row per port and one per lane of the link */
	PERF_OF_CONGESTION, /* one row per port, VL and SL */
	PERF_OF_SL,	    /* one row per service level */
	PERF_OF_DETAILS,    /* one row per port */
	PERF_OF_FLOW,	    /* one row per port */
};

/* The listings other than that of ports, which is perf_schema. */
extern const struct schema perf_schemas[];

enum { PERF_PARTS_MOST = 8 };

/* An attribute that a listing needs. */
struct perf_part {
	uint16_t id;
	bool always;   /* every port has it */
	bool extended; /* only devices with perf_has_extended() have it */
};

extern const struct perf_part perf_parts[][PERF_PARTS_MOST]; /* by listing; ended by id 0 */
const struct schema *perf_listing_schema(enum perf_listing listing);

/* The capabilities of a device: CapabilityMask and CapabilityMask2 of its ClassPortInfo. */
struct perf_caps {
	uint32_t mask, mask2;
};

struct perf_caps perf_caps_of(const unsigned char *class_port_info);
/* True if the device has PortCountersExtended. */
bool perf_has_extended(struct perf_caps caps);

/* The data that were read from one port. */
struct perf_reading {
	struct perf_caps caps;
	const unsigned char
		*parts[PERF_PARTS_MOST]; /* data of the attributes in perf_parts; NULL if missing */
	struct number fec;		 /* PortInfoExtended: FECModeActive */
	unsigned int lanes;		 /* of the link; 0 if unknown */
	bool all;			 /* include VLs and SLs with nothing but zeros */
};

/*
 * Appends the rows of a port to an array that the caller frees, after perf_record_clear() of each;
 * none if no part is present. The caller fills in object, node, lid and port.
 */
void perf_rows(enum perf_listing listing, const struct perf_reading *reading,
	       struct perf_record **rows, size_t *row_count);
void perf_record_clear(struct perf_record *record);
void perf_rows_free(struct perf_record *rows, size_t count);
/*
 * Adds the counters of a port's row to a sum, which begins as a copy of one of the rows without its
 * strings. A counter that any row lacks is unknown in the sum; one that has stopped in any row has
 * stopped in the sum.
 */
void perf_record_add(const struct schema *schema, struct perf_record *sum,
		     const struct perf_record *row);
/* Fills `saturated` of the row. */
void perf_record_find_saturated(const struct schema *schema, struct perf_record *row);

/*
 * The rates of the counters of a row, from two readings. A counter that was reset between them, is
 * saturated, or is missing in one reading has no rate, rather than a negative one or 0.
 */
struct perf_rates {
	char *time; /* of the second reading, RFC 3339; all strings are owned */
	char *object, *node;
	struct number lid, port, lane, vl, sl;
	struct real interval_sec;
	struct real xmit_gbps, rcv_gbps;
	struct real xmit_packets_per_sec, rcv_packets_per_sec;
	struct real errors_per_sec; /* sum of all error counters */
	struct real xmit_wait_ticks_per_sec;
	/* Listings other than that of ports have rates here, in the order of struct perf_record. */
	struct real counters[PERF_COUNTERS_MOST];
	struct strings saturated;
};

const struct schema *perf_rates_schema_of(enum perf_listing listing);
/* All schemas but the one of ports, ended by NULL. */
extern const struct schema *const perf_more_schemas[];

/* Fills the rates and the saturated counters. */
void perf_rates_of(enum perf_listing listing, const struct perf_record *before,
		   const struct perf_record *after, double seconds, struct perf_rates *rates);
void perf_rates_clear(struct perf_rates *rates);
