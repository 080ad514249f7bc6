/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/hw/cxgb4/provider.c */
#define IP_ROWS(v_)                                                                              \
	{"ip" v_ "InSegs", "rx_ipv" v_ "_packets", RX(PACKETS, TRAFFIC, INFO, TRAFFIC_RECEIVED), \
	 "TCP segments over IPv" v_ " that the adapter's offload engine received."},             \
		{"ip" v_ "OutSegs", "tx_ipv" v_ "_packets",                                      \
		 TX(PACKETS, TRAFFIC, INFO, TRAFFIC_SENT),                                       \
		 "TCP segments over IPv" v_ " that the adapter's offload engine sent."},         \
		{"ip" v_ "RetransSegs", "tx_ipv" v_ "_retransmitted_segments",                   \
		 TX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION),                           \
		 "TCP segments over IPv" v_                                                      \
		 " that were sent again: they or their acknowledgements were lost."},            \
		{"ip" v_ "OutRsts", "tx_ipv" v_ "_resets", TX(PACKETS, ERRORS, SERIOUS, ERROR),  \
		 "TCP resets over IPv" v_ " sent: connections were broken off."},

static const struct counter_name rows[] = {IP_ROWS("4") IP_ROWS("6")};

const struct counter_names counter_names_cxgb4 = COUNTER_TABLE(HW, "cxgb4", rows);
