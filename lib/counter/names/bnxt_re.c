/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/hw/bnxt_re/hw_counters.c */
#define COUNTED_OBJECTS(OBJECT)                                                                \
	OBJECT("pds", "Protection domains", "protection domains")                              \
	OBJECT("ahs", "Address handles", "address handles")                                    \
	OBJECT("qps", "Queue pairs", "queue pairs")                                            \
	OBJECT("rc_qps", "Reliable connected queue pairs", "reliable connected queue pairs")   \
	OBJECT("ud_qps", "Unreliable datagram queue pairs", "unreliable datagram queue pairs") \
	OBJECT("srqs", "Shared receive queues", "shared receive queues")                       \
	OBJECT("cqs", "Completion queues", "completion queues")                                \
	OBJECT("mrs", "Memory regions", "memory regions")                                      \
	OBJECT("mws", "Memory windows", "memory windows")

#define IN_USE(name_, many_, what_)                                               \
	{"active_" name_, "active_" name_, NONE(OBJECTS, RESOURCES, INFO, OTHER), \
	 many_ " in use.", .kind = COUNTER_GAUGE},
#define MOST_IN_USE(name_, many_, what_)                                           \
	{"watermark_" name_, "most_" name_, NONE(OBJECTS, RESOURCES, INFO, OTHER), \
	 "Most " what_ " that were in use at once.", .kind = COUNTER_GAUGE},

#define RX_GOOD_PACKETS                                            \
	"rx_roce_good_packets", RX(PACKETS, TRAFFIC, INFO, OTHER), \
		"RoCE packets received without an error.", .part = true
#define RX_GOOD_BYTES                                          \
	"rx_roce_good_bytes", RX(BYTES, TRAFFIC, INFO, OTHER), \
		"Bytes of RoCE packets received without an error.", .part = true

static const struct counter_name rows[] = {
	COUNTED_OBJECTS(IN_USE)
		COUNTED_OBJECTS(MOST_IN_USE){"resize_cq_cnt", "completion_queue_resizes",
					     NONE(REQUESTS, RESOURCES, INFO, OTHER),
					     "Completion queues that were resized."},
	{"rx_pkts", RX_PACKETS},
	{"rx_bytes", RX_BYTES},
	{"tx_pkts", TX_PACKETS},
	{"tx_bytes", TX_BYTES},
	{"recoverable_errors", "rx_recoverable_errors", RX(ERRORS, ERRORS, WARNING, ERROR),
	 "Errors of received packets that the device could recover from."},
	{"tx_roce_errors", TX_ERRORS},
	{"tx_roce_discards", "tx_discards", TX(PACKETS, DROPS, SERIOUS, ERROR),
	 "RoCE packets discarded instead of sent."},
	{"rx_roce_errors", RX_ERRORS},
	{"rx_roce_discards", "rx_discards", RX(PACKETS, DROPS, SERIOUS, ERROR),
	 "RoCE packets received and discarded, usually for lack of buffers."},
	{"to_retransmits", ACK_TIMEOUTS},
	{"seq_err_naks_rcvd", RX_SEQUENCE_NAKS},
	{"max_retry_exceeded", TRANSPORT_RETRIES_EXCEEDED},
	{"rnr_naks_rcvd", RX_RNR_NAKS},
	{"missing_resp", "missing_responses", RX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),
	 "Responses of reads or atomics that were missing and were requested again."},
	{"unrecoverable_err", "unrecoverable_errors", NONE(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Errors that the device could not recover from: the queue pair went to the error state."},
	{"bad_resp_err", REQUESTER_BAD_RESPONSES},
	{"local_qp_op_err", REQUESTER_LOCAL_QP_ERRORS},
	{"local_protection_err", REQUESTER_LOCAL_PROTECTION_ERRORS},
	{"mem_mgmt_op_err", MEMORY_MANAGEMENT_ERRORS},
	{"remote_invalid_req_err", REQUESTER_REMOTE_INVALID_REQUESTS},
	{"remote_access_err", REQUESTER_REMOTE_ACCESS_ERRORS},
	{"remote_op_err", REQUESTER_REMOTE_OPERATION_ERRORS},
	{"dup_req", RX_DUPLICATE_REQUESTS},
	{"res_exceed_max", "responder_local_length_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),
	 "Messages received that were longer than allowed."},
	{"res_length_mismatch", "responder_length_mismatches", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Requests received whose payload length differs from that in their header."},
	{"res_exceeds_wqe", "responder_exceeds_receive_buffers", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Messages received that did not fit the receive work request posted for them."},
	{"res_opcode_err", "responder_opcode_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Requests received whose operation code did not fit the sequence before it."},
	{"res_rx_invalid_rkey", "responder_rx_invalid_rkeys", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Writes and atomics received with an invalid remote key."},
	{"res_rx_domain_err", "responder_rx_domain_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Writes and atomics received with a remote key of another protection domain."},
	{"res_rx_no_perm", "responder_rx_no_permission", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Writes and atomics received with a remote key that does not permit them."},
	{"res_rx_range_err", "responder_rx_range_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Writes and atomics received beyond the range of their remote key."},
	{"res_tx_invalid_rkey", "responder_tx_invalid_rkeys", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Reads received with an invalid remote key."},
	{"res_tx_domain_err", "responder_tx_domain_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Reads received with a remote key of another protection domain."},
	{"res_tx_no_perm", "responder_tx_no_permission", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Reads received with a remote key that does not permit them."},
	{"res_tx_range_err", "responder_tx_range_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Reads received beyond the range of their remote key."},
	{"res_irrq_oflow", "responder_read_queue_overflows", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Times that more reads and atomics were received at once than the queue pair may serve."},
	{"res_unsup_opcode", "responder_unsupported_opcodes", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Requests received with an operation code that the device does not support."},
	{"res_unaligned_atomic", "responder_unaligned_atomics", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Atomics received whose address was not a multiple of 8."},
	{"res_rem_inv_err", "responder_remote_invalidate_errors",
	 RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Sends with invalidate received whose invalidation failed."},
	{"res_mem_err", "responder_memory_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Memory errors while requests were received, such as parity errors."},
	{"res_srq_err", "responder_srq_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Errors of the shared receive queue of a queue pair."},
	{"res_cmp_err", "responder_completion_queue_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Completion queues of responders that were full or not valid."},
	{"res_invalid_dup_rkey", "responder_invalid_duplicate_rkeys",
	 RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Reads received a second time with another remote key or an invalid one."},
	{"res_wqe_format_err", "responder_work_request_format_errors",
	 RX(ERRORS, ERRORS, SERIOUS, OTHER), "Receive work requests with a format error."},
	{"res_cq_load_err", "responder_completion_queue_load_errors",
	 RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Times that the device could not load the context of a completion queue."},
	{"res_srq_load_err", "responder_srq_load_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Times that the device could not load the context of a shared receive queue."},
	{"res_tx_pci_err", "responder_tx_pci_errors", TX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "PCI errors of responders on transmit."},
	{"res_rx_pci_err", "responder_rx_pci_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "PCI errors of responders on receive."},
	{"oos_drop_count", "rx_out_of_sequence_drops",
	 RX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION),
	 "Packets dropped because they came out of sequence: packets before them were lost on the "
	 "way here.",
	 .lost = true},
	{"tx_atomic_req", TX_ATOMIC_REQUESTS},
	{"tx_read_req", TX_READ_REQUESTS},
	{"tx_read_resp", "tx_read_responses", TX(REQUESTS, REQUESTS, INFO, OTHER),
	 "RDMA Read responses sent."},
	{"tx_write_req", TX_WRITE_REQUESTS},
	{"tx_send_req", TX_SENDS},
	{"tx_roce_only_pkts", "tx_roce_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "RoCE packets sent.", .part = true},
	{"tx_roce_only_bytes", "tx_roce_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes of RoCE packets sent.", .part = true},
	{"rx_atomic_req", RX_ATOMIC_REQUESTS},
	{"rx_read_req", RX_READ_REQUESTS},
	{"rx_read_resp", "rx_read_responses", RX(REQUESTS, REQUESTS, INFO, OTHER),
	 "RDMA Read responses received."},
	{"rx_write_req", RX_WRITE_REQUESTS},
	{"rx_send_req", RX_SENDS},
	{"rx_roce_only_pkts", "rx_roce_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "RoCE packets received.", .part = true},
	{"rx_roce_only_bytes", "rx_roce_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes of RoCE packets received.", .part = true},
	{"rx_roce_good_pkts", RX_GOOD_PACKETS},
	{"rx_roce_good_bytes", RX_GOOD_BYTES},
	{"rx_out_of_buffer", RX_OUT_OF_BUFFER},
	{"rx_out_of_sequence", "rx_out_of_sequence", RX(PACKETS, RETRANSMISSION, WARNING, OTHER),
	 "Packets received out of sequence: packets before them were lost or overtaken on the way "
	 "here."},
	{"tx_cnp_pkts", TX_CNP_PACKETS},
	{"rx_cnp_pkts", RX_CNP_PACKETS},
	{"rx_ecn_marked_pkts", RX_ECN_MARKED_PACKETS},
	{"pacing_reschedule", "doorbell_pacing_reschedules", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that the pacing of doorbells was prolonged because the doorbell FIFO was still "
	 "full."},
	{"pacing_complete", "doorbell_pacing_ends", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that the pacing of doorbells ended because the doorbell FIFO had drained."},
	{"pacing_alerts", "doorbell_pacing_alerts", TX(EVENTS, CONGESTION, WARNING, CONGESTION),
	 "Times that applications had to slow their doorbells down: more is posted than the device "
	 "takes."},
	{"db_fifo_register", "doorbell_fifo_register", NONE(NUMBER, DRIVER, INFO, OTHER),
	 "Value of the device's doorbell FIFO register: its low bits show how much room there is.",
	 .kind = COUNTER_GAUGE},
};

/*
 * Linux 7.2 uses mlx5's names for most of these; np_cnp_pkts is new. The other two are from the
 * vendor's own driver: AMD's node-scraper, plugins/inband/rdma/rdmadata.py.
 */
static const struct counter_name new_rows[] = {
	{"np_cnp_pkts", TX_CNP_PACKETS},
	{"rx_good_pkts", RX_GOOD_PACKETS},
	{"rx_good_bytes", RX_GOOD_BYTES},
};

const struct counter_names counter_names_bnxt_re_new = COUNTER_TABLE(HW, "bnxt_re", new_rows);
const struct counter_names counter_names_bnxt_re = COUNTER_TABLE(HW, "bnxt_re", rows);
