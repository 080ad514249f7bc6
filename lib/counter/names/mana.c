/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/hw/mana/counters.c
 */
static const struct counter_name port_rows[] = {
	{"requester_timeout", "ack_timeouts", COUNTS(EVENTS, TX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Times that no acknowledgement came before the queue pair's timeout, and the request was "
	 "sent again."},
	{"requester_oos_nak", "rx_sequence_naks", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Sequence-error NAKs received: packets sent from here were lost on the way, and were sent "
	 "again."},
	{"requester_rnr_nak", "rx_rnr_naks", COUNTS(PACKETS, RX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs received: the far end had no receive work request posted, and "
	 "the request was sent again."},
	{"responder_rnr_nak", "tx_rnr_naks", COUNTS(PACKETS, TX, RNR, WARNING), COUNTER_RNR,
	 "Receiver-not-ready NAKs sent: a message came and no receive work request was posted "
	 "here."},
	{"responder_oos", "rx_out_of_sequence", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_RETRANSMISSION,
	 "Packets received out of sequence: packets before them were lost or overtaken on the way "
	 "here."},
	{"responder_dup_request", "rx_duplicate_requests",
	 COUNTS(PACKETS, RX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Requests received a second time: the answer was lost or came after the sender's "
	 "timeout."},
	{"requester_implicit_nak", "implied_sequence_naks",
	 COUNTS(EVENTS, RX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Times that an answer acknowledged more than was expected of a read or atomic: its "
	 "response was lost, and it was requested again."},
	{"requester_readresp_psn_mismatch", "read_response_sequence_errors",
	 COUNTS(PACKETS, RX, RETRANSMISSION, WARNING), COUNTER_RETRANSMISSION,
	 "Read responses received with a wrong sequence number: some before them were lost."},
	{"nak_inv_req", "invalid_request_naks", COUNTS(PACKETS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_ERROR, "NAKs for invalid requests."},
	{"nak_access_error", "access_error_naks", COUNTS(PACKETS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_ERROR, "NAKs for remote access errors."},
	{"nak_opp_error", "operation_error_naks", COUNTS(PACKETS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_ERROR, "NAKs for remote operation errors."},
	{"nak_inv_read", "invalid_read_naks", COUNTS(PACKETS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_ERROR, "NAKs for invalid reads."},
	{"responder_local_len_error", "responder_local_length_errors",
	 COUNTS(ERRORS, RX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Messages received that were longer than the receive work request posted for them."},
	{"requestor_local_prot_error", "requester_local_protection_errors",
	 COUNTS(ERRORS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Send work requests whose local key or address was wrong."},
	{"responder_rem_access_error", "responder_remote_access_errors",
	 COUNTS(ERRORS, RX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Requests received and refused here for a wrong remote key, address range or access "
	 "right."},
	{"responder_local_qp_error", "responder_local_qp_errors",
	 COUNTS(ERRORS, RX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Local queue pair operation errors of responders."},
	{"responder_malformed_wqe", "responder_work_request_format_errors",
	 COUNTS(ERRORS, RX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Receive work requests with a format error."},
	{"general_hw_error", "hardware_errors", COUNTS(ERRORS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_ERROR, "General errors of the hardware."},
	{"requester_rnr_nak_retries_exceeded", "rnr_retries_exceeded",
	 COUNTS(ERRORS, TX, RNR, SERIOUS), COUNTER_RNR,
	 "Requests given up because the far end stayed without receive work requests for all "
	 "retries: the connection broke."},
	{"requester_retries_exceeded", "transport_retries_exceeded",
	 COUNTS(ERRORS, TX, ERRORS, SERIOUS), COUNTER_ERROR,
	 "Requests given up because no acknowledgement came after all retries: the connection "
	 "broke."},
	{"total_fatal_error", "unrecoverable_errors", COUNTS(ERRORS, NO_DIRECTION, ERRORS, SERIOUS),
	 COUNTER_OTHER,
	 "Errors that the device could not recover from: the queue pair went to the error state."},
	{"received_cnps", "rx_cnp_packets", COUNTS(PACKETS, RX, CONGESTION, INFO),
	 COUNTER_CONGESTION,
	 "Congestion notification packets received: traffic sent from here meets congestion."},
	{"num_qps_congested", "congested_qp_events", COUNTS(EVENTS, TX, CONGESTION, INFO),
	 COUNTER_OTHER, "Times that a queue pair entered congestion."},
	{"rate_inc_events", "rate_increases", COUNTS(EVENTS, TX, CONGESTION, INFO), COUNTER_OTHER,
	 "Times that congestion control let a queue pair send faster again."},
	{"num_qps_recovered", "recovered_qp_events", COUNTS(EVENTS, TX, CONGESTION, INFO),
	 COUNTER_OTHER, "Times that a queue pair came out of congestion."},
	{"current_rate", "congestion_control_rate", COUNTS(NUMBER, TX, CONGESTION, INFO),
	 COUNTER_OTHER, "Rate that congestion control allows now, in the device's own unit.",
	 .kind = COUNTER_GAUGE},
	{"dup_rx_req", "responder_duplicate_requests", COUNTS(PACKETS, RX, RETRANSMISSION, WARNING),
	 COUNTER_OTHER,
	 "Requests received a second time: the answer was lost or came after the sender's "
	 "timeout."},
	{"tx_bytes", "tx_bytes", COUNTS(BYTES, TX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes of RDMA packets sent."},
	{"rx_bytes", "rx_bytes", COUNTS(BYTES, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes of RDMA packets received."},
	{"rx_send_req", "rx_sends", COUNTS(REQUESTS, RX, REQUESTS, INFO), COUNTER_OTHER,
	 "Send operations received."},
	{"rx_write_req", "rx_write_requests", COUNTS(REQUESTS, RX, REQUESTS, INFO), COUNTER_OTHER,
	 "RDMA Write requests received."},
	{"rx_read_req", "rx_read_requests", COUNTS(REQUESTS, RX, REQUESTS, INFO), COUNTER_OTHER,
	 "RDMA Read requests received."},
	{"tx_pkt", "tx_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_TRAFFIC_SENT,
	 "RDMA packets sent."},
	{"rx_pkt", "rx_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO), COUNTER_TRAFFIC_RECEIVED,
	 "RDMA packets received."},
};

static const struct counter_name device_rows[] = {
	{"sent_cnps", "tx_cnp_packets", COUNTS(PACKETS, TX, CONGESTION, INFO), COUNTER_CONGESTION,
	 "Congestion notification packets sent because marked packets came in."},
	{"received_ecns", "rx_ecn_marked_packets", COUNTS(PACKETS, RX, CONGESTION, INFO),
	 COUNTER_CONGESTION,
	 "RoCE packets received that a switch had marked: there is congestion on the way here."},
	{"received_cnp_count", "rx_cnp_packets", COUNTS(PACKETS, RX, CONGESTION, INFO),
	 COUNTER_OTHER,
	 "Congestion notification packets received: traffic sent from here meets congestion."},
	{"qp_congested_events", "congested_qp_events", COUNTS(EVENTS, TX, CONGESTION, INFO),
	 COUNTER_OTHER, "Times that a queue pair entered congestion."},
	{"qp_recovered_events", "recovered_qp_events", COUNTS(EVENTS, TX, CONGESTION, INFO),
	 COUNTER_OTHER, "Times that a queue pair came out of congestion."},
	{"dev_rate_inc_events", "rate_increases", COUNTS(EVENTS, TX, CONGESTION, INFO),
	 COUNTER_OTHER, "Times that congestion control let a queue pair send faster again."},
};

const struct counter_names counter_names_mana = COUNTER_TABLE(HW, "mana", port_rows);
const struct counter_names counter_names_mana_device = COUNTER_TABLE(HW, "mana_device",
								     device_rows);
