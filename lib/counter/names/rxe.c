/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/sw/rxe/rxe_hw_counters.c
 */
static const struct counter_name rows[] = {
	{"sent_pkts", "tx_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_TRAFFIC_SENT,
	 "RDMA packets sent."},
	{"rcvd_pkts", "rx_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO), COUNTER_TRAFFIC_RECEIVED,
	 "RDMA packets received."},
	{"duplicate_request", "rx_duplicate_requests", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Requests received a second time: the answer was lost or came after the sender's "
	 "timeout."},
	{"out_of_seq_request", "rx_out_of_sequence", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Packets received out of sequence: packets before them were lost or overtaken on the way "
	 "here."},
	{"rcvd_rnr_err", "rx_rnr_naks", COUNTS(PACKETS, RX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs received: the far end had no receive work request posted, and "
	 "the request was sent again."},
	{"send_rnr_err", "tx_rnr_naks", COUNTS(PACKETS, TX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs sent: a message came and no receive work request was posted "
	 "here."},
	{"rcvd_seq_err", "rx_sequence_naks", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Sequence-error NAKs received: packets sent from here were lost on the way, and were sent "
	 "again."},
	{"ack_deferred", "ack_deferred", COUNTS(EVENTS, RX, ROCE, INFO), COUNTER_OTHER,
	 "Times that the work on an answer was put off because other answers waited before it."},
	{"retry_exceeded_err", "transport_retries_exceeded", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Requests given up because no acknowledgement came after all retries: the connection "
	 "broke."},
	{"retry_rnr_exceeded_err", "rnr_retries_exceeded", COUNTS(ERRORS, TX, RNR, SERIOUS),
	 COUNTER_RNR,
	 "Requests given up because the far end stayed without receive work requests for all "
	 "retries: the connection broke."},
	{"completer_retry_err", "completer_retries", COUNTS(EVENTS, TX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Times that the completer sent requests again: a timeout, a NAK or a lost response."},
	{"send_err", "tx_errors", COUNTS(PACKETS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Packets that the network below could not send and that are lost.", .drop = true},
	{"link_downed", "link_downed", COUNTS(EVENTS, NO_DIRECTION, LINK, SERIOUS), COUNTER_ERROR,
	 "Times that the port went from active to down, as with its netdev."},
	{"rdma_sends", "tx_sends", COUNTS(REQUESTS, TX, REQUESTS, INFO), COUNTER_OTHER,
	 "Send operations completed."},
	{"rdma_recvs", "rx_sends", COUNTS(REQUESTS, RX, REQUESTS, INFO), COUNTER_OTHER,
	 "Receive operations completed."},
};

const struct counter_names counter_names_rxe = {
	.source = COUNTER_SOURCE_HW,
	.driver = "rxe",
	.rows = rows,
	.count = ARRAY_SIZE(rows),
};
