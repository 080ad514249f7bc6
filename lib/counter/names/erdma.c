/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/hw/erdma/erdma_verbs.c */
static const struct counter_name rows[] = {
	{"tx_reqs_cnt", "tx_requests", TX(REQUESTS, REQUESTS, INFO, OTHER),
	 "Requests of all kinds sent."},
	{"tx_packets_cnt", TX_PACKETS},
	{"tx_bytes_cnt", TX_BYTES},
	{"tx_disable_drop_cnt", "tx_disabled_drops", TX(PACKETS, DROPS, SERIOUS, ERROR),
	 "Packets dropped because sending was disabled."},
	{"tx_bps_limit_drop_cnt", "tx_bandwidth_limit_drops",
	 TX(PACKETS, CONGESTION, WARNING, CONGESTION),
	 "Packets dropped because the instance's bandwidth limit was reached on sending.",
	 .lost = true},
	{"tx_pps_limit_drop_cnt", "tx_packet_rate_limit_drops",
	 TX(PACKETS, CONGESTION, WARNING, CONGESTION),
	 "Packets dropped because the instance's limit of packets per second was reached on "
	 "sending.",
	 .lost = true},
	{"rx_packets_cnt", RX_PACKETS},
	{"rx_bytes_cnt", RX_BYTES},
	{"rx_disable_drop_cnt", "rx_disabled_drops", RX(PACKETS, DROPS, SERIOUS, ERROR),
	 "Packets dropped because receiving was disabled."},
	{"rx_bps_limit_drop_cnt", "rx_bandwidth_limit_drops",
	 RX(PACKETS, CONGESTION, WARNING, CONGESTION),
	 "Packets dropped because the instance's bandwidth limit was reached on receiving.",
	 .lost = true},
	{"rx_pps_limit_drop_cnt", "rx_packet_rate_limit_drops",
	 RX(PACKETS, CONGESTION, WARNING, CONGESTION),
	 "Packets dropped because the instance's limit of packets per second was reached on "
	 "receiving.",
	 .lost = true},
};

const struct counter_names counter_names_erdma = COUNTER_TABLE(HW, "erdma", rows);
