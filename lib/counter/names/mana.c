/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/hw/mana/counters.c */
static const struct counter_name port_rows[] = {
	{"requester_timeout", ACK_TIMEOUTS},
	{"requester_oos_nak", RX_SEQUENCE_NAKS},
	{"requester_rnr_nak", RX_RNR_NAKS},
	{"responder_rnr_nak", TX_RNR_NAKS},
	{"responder_oos", RX_OUT_OF_SEQUENCE},
	{"responder_dup_request", RX_DUPLICATE_REQUESTS},
	{"requester_implicit_nak", IMPLIED_SEQUENCE_NAKS},
	{"requester_readresp_psn_mismatch", READ_RESPONSE_SEQUENCE_ERRORS},
	{"nak_inv_req", "invalid_request_naks", NONE(PACKETS, ERRORS, SERIOUS, ERROR),
	 "NAKs for invalid requests."},
	{"nak_access_error", "access_error_naks", NONE(PACKETS, ERRORS, SERIOUS, ERROR),
	 "NAKs for remote access errors."},
	{"nak_opp_error", "operation_error_naks", NONE(PACKETS, ERRORS, SERIOUS, ERROR),
	 "NAKs for remote operation errors."},
	{"nak_inv_read", "invalid_read_naks", NONE(PACKETS, ERRORS, SERIOUS, ERROR),
	 "NAKs for invalid reads."},
	{"responder_local_len_error", RESPONDER_LOCAL_LENGTH_ERRORS},
	{"requestor_local_prot_error", REQUESTER_LOCAL_PROTECTION_ERRORS},
	{"responder_rem_access_error", RESPONDER_REMOTE_ACCESS_ERRORS},
	{"responder_local_qp_error", RESPONDER_LOCAL_QP_ERRORS},
	{"responder_malformed_wqe", "responder_work_request_format_errors",
	 RX(ERRORS, ERRORS, SERIOUS, ERROR), "Receive work requests with a format error."},
	{"general_hw_error", "hardware_errors", NONE(ERRORS, ERRORS, SERIOUS, ERROR),
	 "General errors of the hardware."},
	{"requester_rnr_nak_retries_exceeded", RNR_RETRIES_EXCEEDED},
	{"requester_retries_exceeded", TRANSPORT_RETRIES_EXCEEDED},
	{"total_fatal_error", "unrecoverable_errors", NONE(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Errors that the device could not recover from: the queue pair went to the error state."},
	{"received_cnps", RX_CNP_PACKETS},
	{"num_qps_congested", CONGESTED_QP_EVENTS},
	{"rate_inc_events", RATE_INCREASES},
	{"num_qps_recovered", RECOVERED_QP_EVENTS},
	{"current_rate", "congestion_control_rate", TX(NUMBER, CONGESTION, INFO, OTHER),
	 "Rate that congestion control allows now, in the device's own unit.",
	 .kind = COUNTER_GAUGE},
	{"dup_rx_requests", "responder_duplicate_requests",
	 RX(PACKETS, RETRANSMISSION, WARNING, OTHER),
	 "Requests received a second time: the answer was lost or came after the sender's "
	 "timeout."},
	{"tx_bytes", TX_BYTES},
	{"rx_bytes", RX_BYTES},
	{"rx_send_requests", RX_SENDS},
	{"rx_write_requests", RX_WRITE_REQUESTS},
	{"rx_read_requests", RX_READ_REQUESTS},
	{"tx_packets", TX_PACKETS},
	{"rx_packets", RX_PACKETS},
};

static const struct counter_name device_rows[] = {
	{"sent_cnps", TX_CNP_PACKETS},
	{"received_ecns", RX_ECN_MARKED_PACKETS},
	/* The ports count these, too. */
	{"received_cnp_count", RX_CNP_PACKETS, .fallback = true},
	{"qp_congested_events", CONGESTED_QP_EVENTS},
	{"qp_recovered_events", RECOVERED_QP_EVENTS},
	{"rate_inc_events", RATE_INCREASES},
};

const struct counter_names counter_names_mana = COUNTER_TABLE(HW, "mana", port_rows);
const struct counter_names counter_names_mana_device = COUNTER_TABLE(HW, "mana_device",
								     device_rows);
