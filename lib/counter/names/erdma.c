/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/hw/erdma/erdma_verbs.c
 */
static const struct counter_name rows[] = {
	{"tx_reqs_cnt", "tx_requests", COUNTS(REQUESTS, TX, REQUESTS, INFO), COUNTER_OTHER,
	 "Requests of all kinds sent."},
	{"tx_packets_cnt", "tx_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_TRAFFIC_SENT,
	 "RDMA packets sent."},
	{"tx_bytes_cnt", "tx_bytes", COUNTS(BYTES, TX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes of RDMA packets sent."},
	{"tx_disable_drop_cnt", "tx_disabled_drops", COUNTS(PACKETS, TX, DROPS, SERIOUS),
	 COUNTER_ERROR, "Packets dropped because sending was disabled.", .drop = true},
	{"tx_bps_limit_drop_cnt", "tx_bandwidth_limit_drops",
	 COUNTS(PACKETS, TX, CONGESTION, WARNING), COUNTER_CONGESTION,
	 "Packets dropped because the instance's limit of bandwidth was reached on sending.",
	 .drop = true},
	{"tx_pps_limit_drop_cnt", "tx_packet_rate_limit_drops",
	 COUNTS(PACKETS, TX, CONGESTION, WARNING), COUNTER_CONGESTION,
	 "Packets dropped because the instance's limit of packets a second was reached on sending.",
	 .drop = true},
	{"rx_packets_cnt", "rx_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO),
	 COUNTER_TRAFFIC_RECEIVED, "RDMA packets received."},
	{"rx_bytes_cnt", "rx_bytes", COUNTS(BYTES, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes of RDMA packets received."},
	{"rx_disable_drop_cnt", "rx_disabled_drops", COUNTS(PACKETS, RX, DROPS, SERIOUS),
	 COUNTER_ERROR, "Packets dropped because receiving was disabled.", .drop = true},
	{"rx_bps_limit_drop_cnt", "rx_bandwidth_limit_drops",
	 COUNTS(PACKETS, RX, CONGESTION, WARNING), COUNTER_CONGESTION,
	 "Packets dropped because the instance's limit of bandwidth was reached on receiving.",
	 .drop = true},
	{"rx_pps_limit_drop_cnt", "rx_packet_rate_limit_drops",
	 COUNTS(PACKETS, RX, CONGESTION, WARNING), COUNTER_CONGESTION,
	 "Packets dropped because the instance's limit of packets a second was reached on "
	 "receiving.",
	 .drop = true},
};

const struct counter_names counter_names_erdma = COUNTER_TABLE(HW, "erdma", rows);
