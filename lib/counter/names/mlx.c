/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/hw/mlx5/counters.c, with the optional counters, and hw/mlx4/main.c, whose
 * diagnostic counters distinguish responders (rq) and requesters (sq).
 */

/*
 * The counters of queue pairs. A port that represents a virtual port (switchdev) has only these,
 * with the prefix.
 */
#define QUEUE_COUNTERS(prefix_)                                                                    \
	{prefix_ "rx_write_requests", RX_WRITE_REQUESTS},                                          \
		{prefix_ "rx_read_requests", RX_READ_REQUESTS},                                    \
		{prefix_ "rx_atomic_requests", RX_ATOMIC_REQUESTS},                                \
		{prefix_ "rx_dct_connect", "rx_dct_connects", RX(REQUESTS, REQUESTS, INFO, OTHER), \
		 "Connect requests received for dynamically connected targets (DCT)."},            \
		{prefix_ "out_of_buffer", RX_OUT_OF_BUFFER},                                       \
		{prefix_ "out_of_sequence", RX_OUT_OF_SEQUENCE},                                   \
		{prefix_ "duplicate_request", RX_DUPLICATE_REQUESTS},                              \
		{prefix_ "rnr_nak_retry_err", RX_RNR_NAKS},                                        \
		{prefix_ "packet_seq_err", RX_SEQUENCE_NAKS},                                      \
		{prefix_ "implied_nak_seq_err", IMPLIED_SEQUENCE_NAKS},                            \
		{prefix_ "local_ack_timeout_err", ACK_TIMEOUTS},                                   \
		{prefix_ "resp_local_length_error", RESPONDER_LOCAL_LENGTH_ERRORS},                \
		{prefix_ "resp_cqe_error", RESPONDER_COMPLETION_ERRORS},                           \
		{prefix_ "req_cqe_error", REQUESTER_COMPLETION_ERRORS},                            \
		{prefix_ "req_remote_invalid_request", REQUESTER_REMOTE_INVALID_REQUESTS},         \
		{prefix_ "req_remote_access_errors", REQUESTER_REMOTE_ACCESS_ERRORS},              \
		{prefix_ "resp_remote_access_errors", RESPONDER_REMOTE_ACCESS_ERRORS},             \
		{prefix_ "resp_cqe_flush_error", RESPONDER_FLUSHED_COMPLETIONS},                   \
		{prefix_ "req_cqe_flush_error", REQUESTER_FLUSHED_COMPLETIONS},                    \
		{prefix_ "req_transport_retries_exceeded", TRANSPORT_RETRIES_EXCEEDED},            \
		{prefix_ "req_rnr_retries_exceeded", RNR_RETRIES_EXCEEDED},                        \
		{prefix_ "roce_adp_retrans", "roce_adaptive_retransmissions",                      \
		 TX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),                              \
		 "Adaptive retransmissions of RoCE packets: packets were lost and sent again "     \
		 "before the "                                                                     \
		 "timeout."},                                                                      \
		{prefix_ "roce_adp_retrans_to", "roce_adaptive_retransmission_timeouts",           \
		 TX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),                              \
		 "Times that adaptive retransmission of RoCE packets reached its timeout."},       \
		{prefix_ "roce_slow_restart", "roce_slow_restarts",                                \
		 TX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),                              \
		 "Times that RoCE slow restart was used: sending resumed slowly after a loss."},   \
		{prefix_ "roce_slow_restart_cnps", "roce_slow_restart_cnps",                       \
		 TX(PACKETS, CONGESTION, WARNING, CONGESTION),                                     \
		 "Congestion notification packets that RoCE slow restart generated."},             \
		{prefix_ "roce_slow_restart_trans", "roce_slow_restart_transitions",               \
		 TX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),                              \
		 "Times that a flow changed to the state of RoCE slow restart."},

static const struct counter_name mlx5_rows[] = {
	QUEUE_COUNTERS(""){"rp_cnp_ignored", RX_CNP_IGNORED},
	{"rp_cnp_handled", RX_CNP_HANDLED},
	{"np_ecn_marked_roce_packets", RX_ECN_MARKED_PACKETS},
	{"np_cnp_sent", TX_CNP_PACKETS},
	{"rx_icrc_encapsulated", RX_ICRC_ERRORS},
	{"cc_rx_ce_pkts", "rx_rdma_ecn_marked_packets", RX(PACKETS, CONGESTION, INFO, CONGESTION),
	 "RoCE packets received that a switch had marked: there is congestion on the way here "
	 "(optional counter).",
	 .fallback = true},
	{"cc_rx_cnp_pkts", "rx_rdma_cnp_packets", RX(PACKETS, CONGESTION, INFO, CONGESTION),
	 "Congestion notification packets received: traffic sent from here meets congestion "
	 "(optional counter).",
	 .fallback = true},
	{"cc_tx_cnp_pkts", "tx_rdma_cnp_packets", TX(PACKETS, CONGESTION, INFO, CONGESTION),
	 "Congestion notification packets sent because marked packets came in (optional counter).",
	 .fallback = true},
	{"rdma_tx_packets", "tx_rdma_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "RDMA packets sent (optional counter).", .part = true},
	{"rdma_tx_bytes", "tx_rdma_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes of RDMA packets sent (optional counter).", .part = true},
	{"rdma_rx_packets", "rx_rdma_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "RDMA packets received (optional counter).", .part = true},
	{"rdma_rx_bytes", "rx_rdma_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes of RDMA packets received (optional counter).", .part = true},
	/* For memory regions with on-demand paging: fill_stat_mr_entry(), hw/mlx5/restrack.c */
	{"page_faults", "page_faults", NONE(EVENTS, RESOURCES, INFO, OTHER),
	 "Pages that the device needed and that were not present: it waited for them."},
	{"page_invalidations", "page_invalidations", NONE(EVENTS, RESOURCES, INFO, OTHER),
	 "Pages that the kernel took back from the device."},
	{"page_prefetch", "prefetched_pages", NONE(EVENTS, RESOURCES, INFO, OTHER),
	 "Pages that programs prefetched for the device."},
};

static const struct counter_name mlx5_vport_rows[] = {QUEUE_COUNTERS("vport_")};

static const struct counter_name mlx4_rows[] = {
	{"rq_num_lle", RESPONDER_LOCAL_LENGTH_ERRORS},
	{"sq_num_lle", "requester_local_length_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Send work requests or responses whose length did not fit the posted buffers."},
	{"rq_num_lqpoe", RESPONDER_LOCAL_QP_ERRORS},
	{"sq_num_lqpoe", REQUESTER_LOCAL_QP_ERRORS},
	{"rq_num_lpe", "responder_local_protection_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Receive work requests whose local key or address was wrong."},
	{"sq_num_lpe", REQUESTER_LOCAL_PROTECTION_ERRORS},
	{"rq_num_wrfe", RESPONDER_FLUSHED_COMPLETIONS},
	{"sq_num_wrfe", REQUESTER_FLUSHED_COMPLETIONS},
	{"sq_num_mwbe", "memory_window_bind_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Memory window binds that failed."},
	{"sq_num_bre", REQUESTER_BAD_RESPONSES},
	{"rq_num_rire", RESPONDER_REMOTE_INVALID_REQUESTS},
	{"sq_num_rire", REQUESTER_REMOTE_INVALID_REQUESTS},
	{"rq_num_rae", RESPONDER_REMOTE_ACCESS_ERRORS},
	{"sq_num_rae", REQUESTER_REMOTE_ACCESS_ERRORS},
	{"sq_num_roe", REQUESTER_REMOTE_OPERATION_ERRORS},
	{"sq_num_tree", TRANSPORT_RETRIES_EXCEEDED},
	{"sq_num_rree", RNR_RETRIES_EXCEEDED},
	{"rq_num_rnr", TX_RNR_NAKS},
	{"sq_num_rnr", RX_RNR_NAKS},
	{"rq_num_oos", RX_OUT_OF_SEQUENCE},
	{"sq_num_oos", RX_SEQUENCE_NAKS},
	{"rq_num_dup", RX_DUPLICATE_REQUESTS},
	{"sq_num_to", ACK_TIMEOUTS},
	{"rq_num_udsdprd", "rx_ud_discards", RX(PACKETS, DROPS, WARNING, OTHER),
	 "Datagrams (UD) dropped because no receive work request was posted."},
	{"num_cqovf", "completion_queue_overflows", NONE(EVENTS, ERRORS, SERIOUS, ERROR),
	 "Completion queues that overflowed: the application made them too small, or polls too "
	 "rarely."},
	/* Only in the vendor stack, in diag_counters of the device. RD is reliable datagram. */
	{"rq_num_leeoe", "responder_local_ee_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Local operation errors of end-to-end contexts of responders (RD)."},
	{"sq_num_leeoe", "requester_local_ee_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Local operation errors of end-to-end contexts of requesters (RD)."},
	{"rq_num_lae", "responder_local_access_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Receive work requests whose memory may not be written."},
	{"rq_num_roe", "responder_remote_operation_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Requests received that could not be completed because of an error on this side."},
	{"sq_num_rabrte", "requester_remote_aborts", TX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Requests that the far end aborted (RD)."},
	{"sq_num_ieecne", "requester_invalid_ee_numbers", TX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Send work requests that name an end-to-end context that does not exist (RD)."},
	{"sq_num_ieecse", "requester_invalid_ee_states", TX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Send work requests whose end-to-end context is in a wrong state (RD)."},
	{"rq_num_rsync", "rx_resyncs", RX(REQUESTS, RETRANSMISSION, WARNING, OTHER),
	 "RESYNC requests received (RD)."},
	{"sq_num_rsync", "tx_resyncs", TX(REQUESTS, RETRANSMISSION, WARNING, OTHER),
	 "RESYNC requests sent (RD)."},
	{"rq_num_mce", "rx_bad_multicast_packets", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Multicast packets received with an error, and dropped.", .lost = true},
	{"rq_num_ucsdprd", "rx_uc_discards", RX(PACKETS, DROPS, WARNING, OTHER),
	 "Packets of unreliable connections (UC) dropped because no receive work request was "
	 "posted."},
	{"num_eqovf", "event_queue_overflows", NONE(EVENTS, ERRORS, SERIOUS, ERROR),
	 "Event queues that overflowed: the driver did not keep up, and events were lost."},
	{"num_baddb", "bad_doorbells", NONE(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Doorbells that made no sense: a driver or a library is faulty."},
};

const struct counter_names counter_names_mlx5 = COUNTER_TABLE(HW, "mlx5", mlx5_rows);
const struct counter_names counter_names_mlx5_vport = COUNTER_TABLE(HW, "mlx5", mlx5_vport_rows);
const struct counter_names counter_names_mlx4 = COUNTER_TABLE(HW, "mlx4", mlx4_rows);
