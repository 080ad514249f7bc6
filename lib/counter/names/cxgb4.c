/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/hw/cxgb4/provider.c
 */
static const struct counter_name rows[] = {
	{"ip4InSegs", "rx_ipv4_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO),
	 COUNTER_TRAFFIC_RECEIVED,
	 "TCP segments over IPv4 that the adapter's offload engine received."},
	{"ip4OutSegs", "tx_ipv4_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_TRAFFIC_SENT,
	 "TCP segments over IPv4 that the adapter's offload engine sent."},
	{"ip4RetransSegs", "tx_ipv4_retransmitted_segments",
	 COUNTS(PACKETS, TX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "TCP segments over IPv4 that were sent again: they or their acknowledgements were lost."},
	{"ip4OutRsts", "tx_ipv4_resets", COUNTS(PACKETS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "TCP resets over IPv4 sent: connections were broken off."},
	{"ip6InSegs", "rx_ipv6_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO),
	 COUNTER_TRAFFIC_RECEIVED,
	 "TCP segments over IPv6 that the adapter's offload engine received."},
	{"ip6OutSegs", "tx_ipv6_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_TRAFFIC_SENT,
	 "TCP segments over IPv6 that the adapter's offload engine sent."},
	{"ip6RetransSegs", "tx_ipv6_retransmitted_segments",
	 COUNTS(PACKETS, TX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "TCP segments over IPv6 that were sent again: they or their acknowledgements were lost."},
	{"ip6OutRsts", "tx_ipv6_resets", COUNTS(PACKETS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "TCP resets over IPv6 sent: connections were broken off."},
};

const struct counter_names counter_names_cxgb4 = COUNTER_TABLE(HW, "cxgb4", rows);
