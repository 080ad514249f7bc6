/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/hw/irdma/verbs.c */
#define IP_ROWS(v_)                                                                                \
	{"ip" v_ "InOctets", "rx_ipv" v_ "_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),                \
	 "Bytes of IPv" v_ " packets received for RDMA."},                                         \
		{"ip" v_ "InPkts", "rx_ipv" v_ "_packets",                                         \
		 RX(PACKETS, TRAFFIC, INFO, TRAFFIC_RECEIVED),                                     \
		 "IPv" v_ " packets received for RDMA."},                                          \
		{"ip" v_ "InMcastOctets", "rx_ipv" v_ "_multicast_bytes",                          \
		 RX(BYTES, TRAFFIC, INFO, OTHER),                                                  \
		 "Bytes of IPv" v_ " multicast packets received for RDMA.", .part = true},         \
		{"ip" v_ "InMcastPkts", "rx_ipv" v_ "_multicast_packets",                          \
		 RX(PACKETS, TRAFFIC, INFO, OTHER),                                                \
		 "IPv" v_ " multicast packets received for RDMA.", .part = true},                  \
		{"ip" v_ "OutOctets", "tx_ipv" v_ "_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),       \
		 "Bytes of IPv" v_ " packets sent for RDMA."},                                     \
		{"ip" v_ "OutPkts", "tx_ipv" v_ "_packets",                                        \
		 TX(PACKETS, TRAFFIC, INFO, TRAFFIC_SENT), "IPv" v_ " packets sent for RDMA."},    \
		{"ip" v_ "OutMcastOctets", "tx_ipv" v_ "_multicast_bytes",                         \
		 TX(BYTES, TRAFFIC, INFO, OTHER),                                                  \
		 "Bytes of IPv" v_ " multicast packets sent for RDMA.", .part = true},             \
		{"ip" v_ "OutMcastPkts", "tx_ipv" v_ "_multicast_packets",                         \
		 TX(PACKETS, TRAFFIC, INFO, OTHER), "IPv" v_ " multicast packets sent for RDMA.",  \
		 .part = true},                                                                    \
		{"ip" v_ "InDiscards", "rx_ipv" v_ "_discards",                                    \
		 RX(PACKETS, DROPS, SERIOUS, ERROR),                                               \
		 "IPv" v_ " packets received for RDMA and dropped."},                              \
		{"ip" v_ "InTruncatedPkts", "rx_ipv" v_ "_truncated_packets",                      \
		 RX(PACKETS, ERRORS, SERIOUS, ERROR),                                              \
		 "IPv" v_ " packets received shorter than their header says, and dropped.",        \
		 .lost = true},                                                                    \
		{"ip" v_ "InReasmRqd", "rx_ipv" v_ "_fragments",                                   \
		 RX(PACKETS, TRAFFIC, INFO, OTHER),                                                \
		 "Fragments of IPv" v_ " packets received that had to be reassembled.",            \
		 .part = true},                                                                    \
		{"ip" v_ "OutNoRoutes", "tx_ipv" v_ "_no_route",                                   \
		 TX(PACKETS, DROPS, SERIOUS, ERROR),                                               \
		 "IPv" v_ " packets not sent because there was no route or neighbour for them."},  \
		{"ip" v_ "OutSegRqd", "tx_ipv" v_ "_segmented", TX(PACKETS, TRAFFIC, INFO, OTHER), \
		 "IPv" v_ " packets that had to be cut into segments before sending.",             \
		 .part = true},

/* The other rows that Linux 7.2 (but not yet 6.12) has without the protocol in their names. */
#define TCP_ROWS(tcp_)                                                                            \
	{tcp_ "InSegs", "rx_tcp_segments", RX(PACKETS, TRAFFIC, INFO, OTHER),                     \
	 "TCP segments of iWARP connections received.", .part = true},                            \
		{tcp_ "OutSegs", "tx_tcp_segments", TX(PACKETS, TRAFFIC, INFO, OTHER),            \
		 "TCP segments of iWARP connections sent.", .part = true},                        \
		{tcp_ "RetransSegs", "tx_tcp_retransmitted_segments",                             \
		 TX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION),                            \
		 "TCP segments of iWARP connections that were sent again: they or their "         \
		 "acknowledgements were lost."},                                                  \
		{tcp_ "InOptErrors", "rx_tcp_option_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR), \
		 "TCP segments received with options that could not be understood."},             \
		{tcp_ "InProtoErrors", "rx_tcp_protocol_errors",                                  \
		 RX(PACKETS, ERRORS, SERIOUS, ERROR),                                             \
		 "TCP segments received that broke the protocol."},
#define RDMA_ROWS(iw_)                                                                           \
	{iw_ "InRdmaReads", RX_READ_REQUESTS}, {iw_ "InRdmaSends", RX_SENDS},                    \
		{iw_ "InRdmaWrites", RX_WRITE_REQUESTS}, {iw_ "OutRdmaReads", TX_READ_REQUESTS}, \
		{iw_ "OutRdmaSends", TX_SENDS}, {iw_ "OutRdmaWrites", TX_WRITE_REQUESTS},
#define BIND_ROWS(iw_)                                                                \
	{iw_ "RdmaBnd", "memory_window_binds", NONE(REQUESTS, REQUESTS, INFO, OTHER), \
	 "Memory window bind operations."},                                           \
	{                                                                             \
		iw_ "RdmaInv", "invalidates", NONE(REQUESTS, REQUESTS, INFO, OTHER),  \
			"Invalidate operations."                                      \
	}

static const struct counter_name rows[] = {
	IP_ROWS("4") IP_ROWS("6") TCP_ROWS("tcp") RDMA_ROWS("iw") BIND_ROWS("iw"),
	{"rxVlanErrors", "rx_vlan_errors", RX(PACKETS, DROPS, SERIOUS, ERROR),
	 "Packets received with a VLAN tag that does not fit, and dropped."},
	{"RxUDP", "rx_udp_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "UDP packets received: RoCE v2.", .part = true},
	{"TxUDP", "tx_udp_packets", TX(PACKETS, TRAFFIC, INFO, OTHER), "UDP packets sent: RoCE v2.",
	 .part = true},
	{"RxECNMrkd", RX_ECN_MARKED_PACKETS},
	{"cnpSent", TX_CNP_PACKETS},
	{"cnpHandled", RX_CNP_HANDLED},
	{"cnpIgnored", RX_CNP_IGNORED},
	{"RNR sent", TX_RNR_NAKS},
	{"RNR received", RX_RNR_NAKS},
	{"ord limit count", "ord_limit_reached", TX(EVENTS, REQUESTS, INFO, OTHER),
	 "Times that a read or atomic had to wait because the queue pair had as many outstanding "
	 "as it may have."},
	{"ird limit count", "ird_limit_reached", RX(EVENTS, REQUESTS, INFO, OTHER),
	 "Times that as many reads or atomics were received as the queue pair may serve at once."},
	{"Rx atomics", RX_ATOMIC_REQUESTS},
	{"Tx atomics", TX_ATOMIC_REQUESTS},
	{"Nak Sequence Error", RX_SEQUENCE_NAKS},
	{"Nak Sequence Error Implied", IMPLIED_SEQUENCE_NAKS},
	{"RTO", ACK_TIMEOUTS},
	{"Rcvd Out of order packets", RX_OUT_OF_SEQUENCE},
	{"CRC errors", RX_ICRC_ERRORS},
};

static const struct counter_name new_rows[] = {TCP_ROWS("") BIND_ROWS(""), RDMA_ROWS("")};

const struct counter_names counter_names_irdma_new = COUNTER_TABLE(HW, "irdma", new_rows);
const struct counter_names counter_names_irdma = COUNTER_TABLE(HW, "irdma", rows);
