/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Errors in detail, and those that the link's encoding found and mended: IBA 1, 16.1.4. */
#include "base/mem.h"
#include "mad/format/pm_counters.h"
#include "mad/format/pm_table.h"

#define ERROR(byte_, key_, heading_, help_)                                                     \
	PERF_COUNTER(PERF_GROUP_ERRORS, MAD_AT(byte_, 0), 16, 1, key_, heading_, FIELD_DEFAULT, \
		     help_)
#define FEC(byte_, width_, key_, heading_, flags_, help_) \
	PERF_COUNTER(PERF_GROUP_FEC, MAD_AT(byte_, 0), width_, 1, key_, heading_, flags_, help_)

/* PortRcvErrorDetails */
static const struct field rcv_errors_fields[] = {
	PERF_FIELDS_SELECT,
	ERROR(4, "local_physical_errors", "PHYSICAL", "packets with a physical error of this link"),
	ERROR(6, "malformed_packet_errors", "MALFORMED", "packets with a malformed header"),
	ERROR(8, "buffer_overrun_errors", "OVERRUNS", "packets that the buffer had no room for"),
	ERROR(10, "dlid_mapping_errors", "DLID MAPPING", "packets to a LID without a way out"),
	ERROR(12, "vl_mapping_errors", "VL MAPPING", "packets of a service level without a VL"),
	ERROR(14, "looping_errors", "LOOPING", "packets that would leave by the port they came by"),
};

/* PortXmitDiscardDetails */
static const struct field xmit_discards_fields[] = {
	PERF_FIELDS_SELECT,
	ERROR(4, "inactive_discards", "INACTIVE", "packets thrown away while the port was down"),
	ERROR(6, "neighbor_mtu_discards", "MTU", "packets longer than the neighbor's MTU"),
	ERROR(8, "switch_lifetime_limit_discards", "LIFETIME",
	      "packets that were too long in the switch"),
	ERROR(10, "switch_hoq_lifetime_limit_discards", "HOQ LIFETIME",
	      "packets that were too long at the head of the queue"),
};

#define LANES(ROW)                                                                            \
	ROW(0, FIELD_DEFAULT), ROW(1, FIELD_DEFAULT), ROW(2, FIELD_DEFAULT),                  \
		ROW(3, FIELD_DEFAULT), ROW(4, 0), ROW(5, 0), ROW(6, 0), ROW(7, 0), ROW(8, 0), \
		ROW(9, 0), ROW(10, 0), ROW(11, 0)
#define DETECTED(lane_, flags_)                                                         \
	FEC(20 + 2 * (lane_), 16, "error_detection_lane" #lane_, "DETECTED " #lane_, 0, \
	    "bad blocks on lane " #lane_)
#define CORRECTABLE(lane_, flags_)                                                           \
	FEC(44 + 4 * (lane_), 32, "fec_correctable_blocks_lane" #lane_, "CORRECTED " #lane_, \
	    flags_, "blocks corrected on lane " #lane_)
#define UNCORRECTABLE(lane_, flags_)                                                              \
	FEC(92 + 4 * (lane_), 32, "fec_uncorrectable_blocks_lane" #lane_, "LOST " #lane_, flags_, \
	    "blocks beyond correction on lane " #lane_)
#define CORRECTED_SYMBOLS(lane_, flags_)                                                          \
	FEC(44 + 4 * (lane_), 32, "fec_corrected_symbols_lane" #lane_, "SYMBOLS " #lane_, flags_, \
	    "symbols corrected on lane " #lane_)

#define SPEEDS_FIELDS                                                            \
	PERF_FIELDS,                                                             \
		MAD_HEX(MAD_AT(8, 0), 64, "counter_select", "COUNTER SELECT", 0, \
			"counters that a write concerns, a bit each"),           \
		FEC(16, 16, "sync_header_errors", "SYNC ERRORS", FIELD_DEFAULT,  \
		    "blocks with a bad synchronization header"),                 \
		FEC(18, 16, "unknown_blocks", "UNKNOWN BLOCKS", FIELD_DEFAULT,   \
		    "blocks of no known type")

/* PortExtendedSpeedsCounters: of links that encode 64 bits in 66 */
static const struct field speeds_fields[] = {
	SPEEDS_FIELDS,
	LANES(DETECTED),
	LANES(CORRECTABLE),
	LANES(UNCORRECTABLE),
};

/* The same attribute while RS-FEC is the active mode: codewords are of all lanes. */
static const struct field speeds_rsfec_fields[] = {
	SPEEDS_FIELDS,
	FEC(140, 32, "fec_correctable_blocks", "CORRECTED", FIELD_DEFAULT, "codewords corrected"),
	FEC(144, 32, "fec_uncorrectable_blocks", "LOST", FIELD_DEFAULT,
	    "codewords beyond correction"),
	FEC(148, 32, "fec_corrected_symbols", "SYMBOLS", FIELD_DEFAULT, "symbols corrected"),
	LANES(CORRECTED_SYMBOLS),
};

const struct schema perf_rcv_errors_schema = MAD_SCHEMA("perf_rcv_errors", rcv_errors_fields,
							"why received packets were in error");
const struct schema perf_xmit_discards_schema = MAD_SCHEMA(
	"perf_xmit_discards", xmit_discards_fields, "why packets were not sent");
const struct schema perf_extended_speeds_schema = MAD_SCHEMA(
	"perf_extended_speeds", speeds_fields, "errors of the encoding of a port, lane by lane");
const struct schema perf_extended_speeds_rsfec_schema = MAD_SCHEMA(
	"perf_extended_speeds_rsfec", speeds_rsfec_fields,
	"errors of the encoding of a port whose link has RS-FEC");
