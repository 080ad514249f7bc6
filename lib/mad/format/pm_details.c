/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Detailed error counters, errors that the link's encoding found and corrected, and sampling:
 * counters that run for an interval and count what CounterSelect chooses. IBA 1, 16.1.3, 16.1.4.
 */
#include "base/mem.h"
#include "mad/format/pm_counters.h"

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
	ERROR(4, "inactive_discards", "INACTIVE", "packets discarded while the port was down"),
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
			"counters that a write affects, a bit each"),            \
		FEC(16, 16, "sync_header_errors", "SYNC ERRORS", FIELD_DEFAULT,  \
		    "blocks with a bad synchronization header"),                 \
		FEC(18, 16, "unknown_blocks", "UNKNOWN BLOCKS", FIELD_DEFAULT,   \
		    "blocks of no known type")

/* PortExtendedSpeedsCounters of links that encode 64 bits in 66 */
static const struct field speeds_fields[] = {
	SPEEDS_FIELDS,
	LANES(DETECTED),
	LANES(CORRECTABLE),
	LANES(UNCORRECTABLE),
};

/* The same attribute while RS-FEC is the active mode: codewords span all lanes. */
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

/* CounterWidth and ExtendedWidth are codes for numbers of bits: 16.1.3.2. */
static const struct enum_name counter_width_names[] = {
	{0, "16"}, {1, "20"}, {2, "24"}, {3, "28"}, {4, "32"}, {0, NULL},
};

static const struct enum_name extended_width_names[] = {
	{1, "48"},
	{2, "64"},
	{0, NULL},
};

static const struct enum_name sample_status_names[] = {
	{0, "done"},
	{1, "waiting"}, /* SampleStart has not passed */
	{2, "running"},
	{0, NULL},
};

#define COUNTERS(ROW)                                                                            \
	ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6), ROW(7), ROW(8), ROW(9), ROW(10), \
		ROW(11), ROW(12), ROW(13), ROW(14)

/* Three bits each: two spare bits and ten masks, then a spare bit and five. */
#define MASK(n_)                                                                       \
	MAD_HEX((n_) < 10 ? MAD_AT(4, 2) + 3 * (n_) : MAD_AT(8, 1) + 3 * ((n_)-10), 3, \
		"counter" #n_ "_mask", "MASK " #n_, 0,                                 \
		"kinds of quantities that counter " #n_ " can count")
#define SELECT(n_)                                                                       \
	MAD_HEX(MAD_AT(38 + 2 * (n_), 0), 16, "counter" #n_ "_select", "SELECT " #n_, 0, \
		"what counter " #n_ " counts")
#define RESULT(n_)                                                                              \
	MAD_UNSIGNED(MAD_AT(4 + 4 * (n_), 0), 32, "counter" #n_, "COUNTER " #n_, FIELD_DEFAULT, \
		     "counter " #n_ " at the end of the interval")
#define EXTENDED_RESULT(n_)                                                                     \
	MAD_UNSIGNED(MAD_AT(8 + 8 * (n_), 0), 64, "counter" #n_, "COUNTER " #n_, FIELD_DEFAULT, \
		     "counter " #n_ " at the end of the interval")

/* PortSamplesControl, 16.1.3.2 */
static const struct field control_fields[] = {
	PERF_FIELDS,
	MAD_HEX(MAD_AT(0, 0), 8, "op_code", "OP CODE", 0,
		"operation code of the packets that are counted"),
	MAD_UNSIGNED(MAD_AT(2, 0), 8, "tick", "TICK", FIELD_DEFAULT,
		     "length of a tick of the sampling clock, in the port's own code"),
	MAD_CODED(FIELD_UNSIGNED, MAD_AT(3, 5), 3, counter_width_names, "counter_width_bits",
		  "WIDTH", FIELD_DEFAULT, "width of the counters"),
	COUNTERS(MASK),
	MAD_HEX(MAD_AT(10, 0), 8, "sample_mechanisms", "MECHANISMS", 0,
		"sampling mechanisms of the port, in its own code"),
	MAD_ENUM(MAD_AT(11, 6), 2, sample_status_names, "sample_status", "STATUS", FIELD_DEFAULT,
		 "how far sampling got"),
	MAD_HEX(MAD_AT(12, 0), 64, "option_mask", "OPTIONS", FIELD_DEFAULT,
		"optional attributes of the port, a bit each"),
	MAD_HEX(MAD_AT(20, 0), 64, "vendor_mask", "VENDOR", 0,
		"attributes of the vendor's, a bit each"),
	MAD_UNSIGNED(MAD_AT(28, 0), 32, "sample_start_ticks", "START", 0,
		     "ticks from the request to the start of the interval"),
	MAD_UNSIGNED(MAD_AT(32, 0), 32, "sample_interval_ticks", "INTERVAL", FIELD_DEFAULT,
		     "length of the interval in ticks"),
	MAD_HEX(MAD_AT(36, 0), 16, "tag", "TAG", FIELD_DEFAULT,
		"tag of the request that started sampling"),
	COUNTERS(SELECT),
	MAD_HEX(MAD_AT(72, 0), 64, "samples_only_option_mask", "SAMPLES ONLY", 0,
		"optional quantities that can only be sampled, a bit each"),
};

#define RESULT_FIELDS                                                                     \
	MAD_OBJECT_FIELDS(FIELD_DEFAULT), MAD_PORT_FIELD(FIELD_DEFAULT),                  \
		MAD_HEX(MAD_AT(0, 0), 16, "tag", "TAG", FIELD_DEFAULT,                    \
			"tag of the request that started sampling"),                      \
		MAD_ENUM(MAD_AT(3, 6), 2, sample_status_names, "sample_status", "STATUS", \
			 FIELD_DEFAULT, "how far sampling got")

/* PortSamplesResult, 16.1.3.4 */
static const struct field result_fields[] = {
	RESULT_FIELDS,
	COUNTERS(RESULT),
};

/* PortSamplesResultExtended */
static const struct field extended_result_fields[] = {
	RESULT_FIELDS,
	MAD_CODED(FIELD_UNSIGNED, MAD_AT(4, 0), 2, extended_width_names, "counter_width_bits",
		  "WIDTH", FIELD_DEFAULT, "width of the counters"),
	COUNTERS(EXTENDED_RESULT),
};

const struct schema perf_samples_control_schema = MAD_SCHEMA("perf_samples_control", control_fields,
							     "the sampling of a port");
const struct schema perf_samples_result_schema = MAD_SCHEMA("perf_samples_result", result_fields,
							    "the counters of sampling");
const struct schema perf_extended_samples_result_schema = MAD_SCHEMA(
	"perf_extended_samples_result", extended_result_fields,
	"the counters of sampling, in 64 bits");
