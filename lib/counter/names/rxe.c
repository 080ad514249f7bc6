/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/sw/rxe/rxe_hw_counters.c */
static const struct counter_name rows[] = {
	{"sent_pkts", TX_PACKETS},
	{"rcvd_pkts", RX_PACKETS},
	{"sent_bytes", TX_BYTES},
	{"rcvd_bytes", RX_BYTES},
	{"duplicate_request", RX_DUPLICATE_REQUESTS},
	{"out_of_seq_request", RX_OUT_OF_SEQUENCE},
	{"rcvd_rnr_err", RX_RNR_NAKS},
	{"send_rnr_err", TX_RNR_NAKS},
	{"rcvd_seq_err", RX_SEQUENCE_NAKS},
	{"ack_deferred", "ack_deferred", RX(EVENTS, ROCE, INFO, OTHER),
	 "Times that work on an answer was deferred because other answers were waiting before it."},
	{"retry_exceeded_err", TRANSPORT_RETRIES_EXCEEDED},
	{"retry_rnr_exceeded_err", RNR_RETRIES_EXCEEDED},
	{"completer_retry_err", "completer_retries",
	 TX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),
	 "Times that the completer sent requests again: a timeout, a NAK or a lost response."},
	{"send_err", "tx_errors", TX(PACKETS, ERRORS, SERIOUS, ERROR),
	 "Packets that the network layer below could not send, and that were lost.", .lost = true},
	{"link_downed", "link_downed", NONE(EVENTS, LINK, SERIOUS, ERROR),
	 "Times that the port went from active to down, as with its netdev."},
	{"rdma_sends", "tx_sends", TX(REQUESTS, REQUESTS, INFO, OTHER),
	 "Send operations completed."},
	{"rdma_recvs", "rx_sends", RX(REQUESTS, REQUESTS, INFO, OTHER),
	 "Receive operations completed."},
};

const struct counter_names counter_names_rxe = COUNTER_TABLE(HW, "rxe", rows);
