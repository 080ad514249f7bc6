/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of a row, for JSON and for tables of every round. */
#include "base/mem.h"
#include "host/need.h"
#include "schema/rows.h"
#include "top/top.h"

#define RECORD struct top_port
#define RATE(sum, key, heading, flags, help) \
	REAL_FIELD(RECORD, per_sec[sum], key, heading, (flags) | FIELD_RIGHT, 0, help)
#define TOTAL(sum, key, heading, flags, help) \
	NUMBER_AS(key, totals[sum], heading, flags, 0, help ", since the start")

static const struct field fields[] = {
	TEXT(time, "TIME", SHOWN, 0, "when the round was read, UTC"),
	TEXT(object, "PORT", SHOWN, 0, "DEV/PORT"),
	TEXT(device, "DEVICE", 0, 0, "name of the device"),
	NUMBER(port, "NUMBER", 0, 0, "port number"),
	YES_NO(present, "PRESENT", 0, 0, "whether it is there now; no: it was removed"),
	TEXT(netdev, "NETDEV", 0, NEED_NETDEV, "network device of the port"),
	WORD(state, port_state_names, "STATE", SHOWN, NEED_STATE, "logical state"),
	REAL(rate_gbps, "RATE", 0, NEED_RATE, "rate of the link, Gb/s"),
	REAL(tx_gbps, "TX Gb/s", SHOWN, 0, "bytes sent, in 10^9 bits per second"),
	REAL(rx_gbps, "RX Gb/s", SHOWN, 0, "bytes received, in 10^9 bits per second"),
	REAL(tx_percent, "TX %", 0, NEED_RATE,
	     "transmit rate as a percentage of the rate of the link"),
	REAL(rx_percent, "RX %", 0, NEED_RATE,
	     "receive rate as a percentage of the rate of the link"),
	WORD(bytes_source, counter_source_names, "BYTES OF", 0, 0,
	     "source of the byte counts; netdev: all traffic of the network device"),
	RATE(TOP_TX_PACKETS, "tx_packets_per_sec", "TX PKT/S", SHOWN, "packets sent per second"),
	RATE(TOP_RX_PACKETS, "rx_packets_per_sec", "RX PKT/S", SHOWN,
	     "packets received per second"),
	RATE(TOP_DROPS, "drops_per_sec", "DROPS/S", 0, "packets lost per second"),
	TOTAL(TOP_DROPS, "drops", "DROPS", SHOWN, "packets that the adapter lost"),
	RATE(TOP_RETRANSMISSIONS, "retransmissions_per_sec", "RETR/S", 0,
	     "retransmissions and their causes per second"),
	TOTAL(TOP_RETRANSMISSIONS, "retransmissions", "RETR", SHOWN,
	      "packets sent again, and events that cause it"),
	RATE(TOP_ECN, "ecn_marked_per_sec", "ECN/S", 0,
	     "packets received with ECN marks per second"),
	TOTAL(TOP_ECN, "ecn_marked", "ECN", SHOWN, "packets received with ECN marks"),
	RATE(TOP_CNP, "cnps_per_sec", "CNP/S", 0,
	     "congestion notification packets sent, handled and ignored per second"),
	TOTAL(TOP_CNP, "cnps", "CNP", SHOWN,
	      "congestion notification packets sent, handled and ignored"),
	RATE(TOP_WAIT, "wait_ticks_per_sec", "WAIT/S", 0,
	     "ticks per second that it waited to send"),
	TOTAL(TOP_WAIT, "wait_ticks", "WAIT", SHOWN,
	      "ticks in which it had data to send and could not"),
	NUMBER(flaps, "FLAPS", SHOWN, 0, "times that the port went down since the start"),
	TEXT_AS("worst_counter", worst.counter, "WORST", SHOWN, 0,
		"the error counter that moved last; the worst if several did"),
	WORD_AS("worst_severity", worst.severity, counter_severity_names, "SEVERITY", 0, 0,
		"how serious that is"),
	REAL_FIELD(RECORD, worst.per_sec, "worst_per_sec", "WORST/S", SHOWN | FIELD_RIGHT, 0,
		   "how fast it grew in this round; unknown if it did not"),
	TEXT_AS("worst_time", worst.time, "WORST TIME", 0, 0, "when it moved last"),
};

const struct schema top_schema = SCHEMA("top", struct top_port, fields,
					"a port in a round of rdmactl top");
