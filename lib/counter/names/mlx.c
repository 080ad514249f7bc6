/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/hw/mlx5/counters.c, with the optional counters, and hw/mlx4/main.c, whose
 * diagnostic counters distinguish responders (rq) and requesters (sq).
 */
static const struct counter_name mlx5_rows[] = {
	{"rx_write_requests", "rx_write_requests", COUNTS(REQUESTS, RX, REQUESTS, INFO),
	 COUNTER_OTHER, "RDMA Write requests received."},
	{"rx_read_requests", "rx_read_requests", COUNTS(REQUESTS, RX, REQUESTS, INFO),
	 COUNTER_OTHER, "RDMA Read requests received."},
	{"rx_atomic_requests", "rx_atomic_requests", COUNTS(REQUESTS, RX, REQUESTS, INFO),
	 COUNTER_OTHER, "Atomic requests received."},
	{"rx_dct_connect", "rx_dct_connects", COUNTS(REQUESTS, RX, REQUESTS, INFO), COUNTER_OTHER,
	 "Connect requests received for dynamically connected targets (DCT)."},
	{"out_of_buffer", "rx_out_of_buffer", COUNTS(PACKETS, RX, RNR, WARNING), COUNTER_RNR,
	 "Packets dropped because no receive work request was posted: the application posts too "
	 "few, or too late.",
	 .drop = true},
	{"out_of_sequence", "rx_out_of_sequence", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Packets received out of sequence: packets before them were lost or overtaken on the way "
	 "here."},
	{"duplicate_request", "rx_duplicate_requests", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Requests received a second time: the answer was lost or came after the sender's "
	 "timeout."},
	{"rnr_nak_retry_err", "rx_rnr_naks", COUNTS(PACKETS, RX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs received: the far end had no receive work request posted, and "
	 "the request was sent again."},
	{"packet_seq_err", "rx_sequence_naks", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Sequence-error NAKs received: packets sent from here were lost on the way, and were sent "
	 "again."},
	{"implied_nak_seq_err", "implied_sequence_naks",
	 COUNTS(EVENTS, RX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Times that an answer acknowledged more than was expected of a read or atomic: its "
	 "response was lost, and it was requested again."},
	{"local_ack_timeout_err", "ack_timeouts", COUNTS(EVENTS, TX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Times that no acknowledgement came before the queue pair's timeout, and the request was "
	 "sent again."},
	{"resp_local_length_error", "responder_local_length_errors",
	 COUNTS(ERRORS, RX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Messages received that were longer than the receive work request posted for them."},
	{"resp_cqe_error", "responder_completion_errors", COUNTS(ERRORS, RX, ERRORS, WARNING),
	 COUNTER_ERROR,
	 "Completions with an error on the responder's side, flushed ones among them."},
	{"req_cqe_error", "requester_completion_errors", COUNTS(ERRORS, TX, ERRORS, WARNING),
	 COUNTER_ERROR,
	 "Completions with an error on the requester's side, flushed ones among them."},
	{"req_remote_invalid_request", "requester_remote_invalid_requests",
	 COUNTS(ERRORS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Requests that the far end refused as invalid: its queue pair does not allow the "
	 "operation, or its buffer is too short."},
	{"req_remote_access_errors", "requester_remote_access_errors",
	 COUNTS(ERRORS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Requests that the far end refused for a wrong remote key, address range or access "
	 "right."},
	{"resp_remote_access_errors", "responder_remote_access_errors",
	 COUNTS(ERRORS, RX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Requests received and refused here for a wrong remote key, address range or access "
	 "right."},
	{"resp_cqe_flush_error", "responder_flushed_completions", COUNTS(ERRORS, RX, ERRORS, INFO),
	 COUNTER_OTHER,
	 "Receive work requests flushed because their queue pair went to the error state, as at "
	 "every orderly close."},
	{"req_cqe_flush_error", "requester_flushed_completions", COUNTS(ERRORS, TX, ERRORS, INFO),
	 COUNTER_OTHER,
	 "Send work requests flushed because their queue pair went to the error state, as at every "
	 "orderly close."},
	{"req_transport_retries_exceeded", "transport_retries_exceeded",
	 COUNTS(ERRORS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Requests given up because no acknowledgement came after all retries: the connection "
	 "broke."},
	{"req_rnr_retries_exceeded", "rnr_retries_exceeded", COUNTS(ERRORS, TX, RNR, SERIOUS),
	 COUNTER_RNR,
	 "Requests given up because the far end stayed without receive work requests for all "
	 "retries: the connection broke."},
	{"roce_adp_retrans", "roce_adaptive_retransmissions",
	 COUNTS(EVENTS, TX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Adaptive retransmissions of RoCE packets: packets were lost and sent again before the "
	 "timeout."},
	{"roce_adp_retrans_to", "roce_adaptive_retransmission_timeouts",
	 COUNTS(EVENTS, TX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Times that adaptive retransmission of RoCE packets reached its timeout."},
	{"roce_slow_restart", "roce_slow_restarts", COUNTS(EVENTS, TX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Times that RoCE slow restart was used: sending went on slowly after a loss."},
	{"roce_slow_restart_cnps", "roce_slow_restart_cnps",
	 COUNTS(PACKETS, TX, CONGESTION, WARNING), COUNTER_CONGESTION,
	 "Congestion notification packets that RoCE slow restart made."},
	{"roce_slow_restart_trans", "roce_slow_restart_transitions",
	 COUNTS(EVENTS, TX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Times that a flow changed to the state of RoCE slow restart."},
	{"rp_cnp_ignored", "rx_cnp_ignored", COUNTS(PACKETS, RX, CONGESTION, WARNING),
	 COUNTER_CONGESTION,
	 "Congestion notification packets received and ignored: check that ECN is on for this "
	 "port and priority."},
	{"rp_cnp_handled", "rx_cnp_handled", COUNTS(PACKETS, RX, CONGESTION, INFO),
	 COUNTER_CONGESTION,
	 "Congestion notification packets received that slowed a flow of this port down."},
	{"np_ecn_marked_roce_packets", "rx_ecn_marked_packets",
	 COUNTS(PACKETS, RX, CONGESTION, INFO), COUNTER_CONGESTION,
	 "RoCE packets received that a switch had marked: there is congestion on the way here."},
	{"np_cnp_sent", "tx_cnp_packets", COUNTS(PACKETS, TX, CONGESTION, INFO), COUNTER_CONGESTION,
	 "Congestion notification packets sent because marked packets came in."},
	{"rx_icrc_encapsulated", "rx_icrc_errors", COUNTS(PACKETS, RX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "RoCE packets dropped because their invariant CRC was wrong: they were damaged or changed "
	 "on the way.",
	 .drop = true},
	{"cc_rx_ce_pkts", "rx_rdma_ecn_marked_packets", COUNTS(PACKETS, RX, CONGESTION, INFO),
	 COUNTER_CONGESTION,
	 "RoCE packets received that a switch had marked: there is congestion on the way here "
	 "(optional counter)."},
	{"cc_rx_cnp_pkts", "rx_rdma_cnp_packets", COUNTS(PACKETS, RX, CONGESTION, INFO),
	 COUNTER_CONGESTION,
	 "Congestion notification packets received: traffic sent from here meets congestion "
	 "(optional counter)."},
	{"cc_tx_cnp_pkts", "tx_rdma_cnp_packets", COUNTS(PACKETS, TX, CONGESTION, INFO),
	 COUNTER_CONGESTION,
	 "Congestion notification packets sent because marked packets came in (optional counter)."},
	{"rdma_tx_packets", "tx_rdma_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_OTHER,
	 "RDMA packets sent (optional counter).", .part = true},
	{"rdma_tx_bytes", "tx_rdma_bytes", COUNTS(BYTES, TX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes of RDMA packets sent (optional counter).", .part = true},
	{"rdma_rx_packets", "rx_rdma_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "RDMA packets received (optional counter).", .part = true},
	{"rdma_rx_bytes", "rx_rdma_bytes", COUNTS(BYTES, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes of RDMA packets received (optional counter).", .part = true},
};

static const struct counter_name mlx4_rows[] = {
	{"rq_num_lle", "responder_local_length_errors", COUNTS(ERRORS, RX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Messages received that were longer than the receive work request posted for them."},
	{"sq_num_lle", "requester_local_length_errors", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Send work requests or responses whose length did not fit the posted buffers."},
	{"rq_num_lqpoe", "responder_local_qp_errors", COUNTS(ERRORS, RX, ERRORS, SERIOUS),
	 COUNTER_ERROR, "Local queue pair operation errors of responders."},
	{"sq_num_lqpoe", "requester_local_qp_errors", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Local queue pair operation errors of requesters: a work request that the queue pair "
	 "cannot carry out."},
	{"rq_num_lpe", "responder_local_protection_errors", COUNTS(ERRORS, RX, ERRORS, SERIOUS),
	 COUNTER_ERROR, "Receive work requests whose local key or address was wrong."},
	{"sq_num_lpe", "requester_local_protection_errors", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR, "Send work requests whose local key or address was wrong."},
	{"rq_num_wrfe", "responder_flushed_completions", COUNTS(ERRORS, RX, ERRORS, INFO),
	 COUNTER_OTHER,
	 "Receive work requests flushed because their queue pair went to the error state, as at "
	 "every orderly close."},
	{"sq_num_wrfe", "requester_flushed_completions", COUNTS(ERRORS, TX, ERRORS, INFO),
	 COUNTER_OTHER,
	 "Send work requests flushed because their queue pair went to the error state, as at every "
	 "orderly close."},
	{"sq_num_mwbe", "memory_window_bind_errors", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR, "Memory window binds that failed."},
	{"sq_num_bre", "requester_bad_responses", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR, "Responses received that match no request."},
	{"rq_num_rire", "responder_remote_invalid_requests", COUNTS(ERRORS, RX, ERRORS, SERIOUS),
	 COUNTER_ERROR, "Requests received and refused here as invalid."},
	{"sq_num_rire", "requester_remote_invalid_requests", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Requests that the far end refused as invalid: its queue pair does not allow the "
	 "operation, or its buffer is too short."},
	{"rq_num_rae", "responder_remote_access_errors", COUNTS(ERRORS, RX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Requests received and refused here for a wrong remote key, address range or access "
	 "right."},
	{"sq_num_rae", "requester_remote_access_errors", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Requests that the far end refused for a wrong remote key, address range or access "
	 "right."},
	{"sq_num_roe", "requester_remote_operation_errors", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Requests that the far end could not complete because of an error on its side."},
	{"sq_num_tree", "transport_retries_exceeded", COUNTS(ERRORS, TX, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Requests given up because no acknowledgement came after all retries: the connection "
	 "broke."},
	{"sq_num_rree", "rnr_retries_exceeded", COUNTS(ERRORS, TX, RNR, SERIOUS), COUNTER_RNR,
	 "Requests given up because the far end stayed without receive work requests for all "
	 "retries: the connection broke."},
	{"rq_num_rnr", "tx_rnr_naks", COUNTS(PACKETS, TX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs sent: a message came and no receive work request was posted "
	 "here."},
	{"sq_num_rnr", "rx_rnr_naks", COUNTS(PACKETS, RX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs received: the far end had no receive work request posted, and "
	 "the request was sent again."},
	{"rq_num_oos", "rx_out_of_sequence", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Packets received out of sequence: packets before them were lost or overtaken on the way "
	 "here."},
	{"sq_num_oos", "rx_sequence_naks", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Sequence-error NAKs received: packets sent from here were lost on the way, and were sent "
	 "again."},
	{"rq_num_dup", "rx_duplicate_requests", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Requests received a second time: the answer was lost or came after the sender's "
	 "timeout."},
	{"sq_num_to", "ack_timeouts", COUNTS(EVENTS, TX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Times that no acknowledgement came before the queue pair's timeout, and the request was "
	 "sent again."},
	{"rq_num_udsdprd", "rx_ud_discards", COUNTS(PACKETS, RX, DROPS, WARNING), COUNTER_OTHER,
	 "Datagrams (UD) dropped because no receive work request was posted.", .drop = true},
	{"num_cqovf", "completion_queue_overflows", COUNTS(EVENTS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_ERROR,
	 "Completion queues that overflowed: the application made them too short, or polls too "
	 "seldom."},
};

const struct counter_names counter_names_mlx5 = COUNTER_TABLE(HW, "mlx5", mlx5_rows);
const struct counter_names counter_names_mlx4 = COUNTER_TABLE(HW, "mlx4", mlx4_rows);
