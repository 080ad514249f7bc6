/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Macros for the tables of this directory, used only by the tables and counter_names.c. A row is
 * {the kernel's name, canonical name, TX, RX or NONE for its direction, meaning, others}.
 */
#pragma once

#include "base/mem.h"
#include "counter/names/counter_names.h"

/* Unit, direction, group, severity and class, without the prefixes of the enumerators. */
#define TX(unit_, group_, severity_, class_) COUNTS(unit_, TX, group_, severity_, class_)
#define RX(unit_, group_, severity_, class_) COUNTS(unit_, RX, group_, severity_, class_)
#define NONE(unit_, group_, severity_, class_) \
	COUNTS(unit_, NO_DIRECTION, group_, severity_, class_)
#define COUNTS(unit_, direction_, group_, severity_, class_)                                     \
	COUNTER_UNIT_##unit_, COUNTER_##direction_, COUNTER_GROUP_##group_, COUNTER_##severity_, \
		COUNTER_##class_

/* Counters that drivers have under different names: each is a row without the kernel's name. */
#define ACK_TIMEOUTS                                                                           \
	"ack_timeouts", TX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),                   \
		"Times that no acknowledgement came before the queue pair's timeout, and the " \
		"request was sent again."
#define CONGESTED_QP_EVENTS                                         \
	"congested_qp_events", TX(EVENTS, CONGESTION, INFO, OTHER), \
		"Times that a queue pair entered congestion."
#define IMPLIED_SEQUENCE_NAKS                                                               \
	"implied_sequence_naks", RX(EVENTS, RETRANSMISSION, WARNING, RETRANSMISSION),       \
		"Times that an acknowledgement went beyond what was expected of a read or " \
		"atomic: its response was lost, and it was requested again."
#define MEMORY_MANAGEMENT_ERRORS                                        \
	"memory_management_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR), \
		"Memory management operations (bind, register, invalidate) that failed."
#define RATE_INCREASES                                         \
	"rate_increases", TX(EVENTS, CONGESTION, INFO, OTHER), \
		"Times that congestion control let a queue pair send faster again."
#define READ_RESPONSE_SEQUENCE_ERRORS                                                          \
	"read_response_sequence_errors", RX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION), \
		"Read responses received with a wrong sequence number: some before them were " \
		"lost."
#define RECOVERED_QP_EVENTS                                         \
	"recovered_qp_events", TX(EVENTS, CONGESTION, INFO, OTHER), \
		"Times that a queue pair came out of congestion."
#define REQUESTER_BAD_RESPONSES                                        \
	"requester_bad_responses", TX(ERRORS, ERRORS, SERIOUS, ERROR), \
		"Responses received that match no request."
#define REQUESTER_COMPLETION_ERRORS                                        \
	"requester_completion_errors", TX(ERRORS, ERRORS, WARNING, ERROR), \
		"Completions with an error on the requester's side, including flushed ones."
#define REQUESTER_FLUSHED_COMPLETIONS                                                              \
	"requester_flushed_completions", TX(ERRORS, ERRORS, INFO, OTHER),                          \
		"Send work requests flushed because their queue pair went to the error state, as " \
		"happens at every orderly close."
#define REQUESTER_LOCAL_PROTECTION_ERRORS                                        \
	"requester_local_protection_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR), \
		"Send work requests whose local key or address was wrong."
#define REQUESTER_LOCAL_QP_ERRORS                                                                 \
	"requester_local_qp_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR),                          \
		"Local queue pair operation errors of requesters: a work request that the queue " \
		"pair cannot carry out."
#define REQUESTER_REMOTE_ACCESS_ERRORS                                                        \
	"requester_remote_access_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR),                 \
		"Requests that the far end refused for a wrong remote key, address range or " \
		"access right."
#define REQUESTER_REMOTE_INVALID_REQUESTS                                                          \
	"requester_remote_invalid_requests", TX(ERRORS, ERRORS, SERIOUS, ERROR),                   \
		"Requests that the far end refused as invalid: its queue pair does not allow the " \
		"operation, or its buffer is too short."
#define REQUESTER_REMOTE_OPERATION_ERRORS                                        \
	"requester_remote_operation_errors", TX(ERRORS, ERRORS, SERIOUS, ERROR), \
		"Requests that the far end could not complete because of an error on its side."
#define RESPONDER_COMPLETION_ERRORS                                        \
	"responder_completion_errors", RX(ERRORS, ERRORS, WARNING, ERROR), \
		"Completions with an error on the responder's side, including flushed ones."
#define RESPONDER_FLUSHED_COMPLETIONS                                                              \
	"responder_flushed_completions", RX(ERRORS, ERRORS, INFO, OTHER),                          \
		"Receive work requests flushed because their queue pair went to the error state, " \
		"as happens at every orderly close."
#define RESPONDER_LOCAL_LENGTH_ERRORS                                                          \
	"responder_local_length_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),                   \
		"Messages received that were longer than the receive work request posted for " \
		"them."
#define RESPONDER_LOCAL_QP_ERRORS                                        \
	"responder_local_qp_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR), \
		"Local queue pair operation errors of responders."
#define RESPONDER_REMOTE_ACCESS_ERRORS                                                         \
	"responder_remote_access_errors", RX(ERRORS, ERRORS, SERIOUS, ERROR),                  \
		"Requests received and refused here for a wrong remote key, address range or " \
		"access right."
#define RESPONDER_REMOTE_INVALID_REQUESTS                                        \
	"responder_remote_invalid_requests", RX(ERRORS, ERRORS, SERIOUS, ERROR), \
		"Requests received and refused here as invalid."
#define RNR_RETRIES_EXCEEDED                                                                       \
	"rnr_retries_exceeded", TX(ERRORS, RNR, SERIOUS, RNR),                                     \
		"Requests given up because the far end had no receive work request on any retry: " \
		"the connection broke."
#define RX_ATOMIC_REQUESTS \
	"rx_atomic_requests", RX(REQUESTS, REQUESTS, INFO, OTHER), "Atomic requests received."
#define RX_BYTES "rx_bytes", RX(BYTES, TRAFFIC, INFO, OTHER), "Bytes of RDMA packets received."
#define RX_CNP_HANDLED                                               \
	"rx_cnp_handled", RX(PACKETS, CONGESTION, INFO, CONGESTION), \
		"Congestion notification packets received that slowed a flow of this port down."
#define RX_CNP_IGNORED                                                                            \
	"rx_cnp_ignored", RX(PACKETS, CONGESTION, WARNING, CONGESTION),                           \
		"Congestion notification packets received and ignored: check that ECN is on for " \
		"this port and priority."
#define RX_CNP_PACKETS                                                                    \
	"rx_cnp_packets", RX(PACKETS, CONGESTION, INFO, CONGESTION),                      \
		"Congestion notification packets received: traffic sent from here meets " \
		"congestion."
#define RX_DUPLICATE_REQUESTS                                                                      \
	"rx_duplicate_requests", RX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION),             \
		"Requests received a second time: the answer was lost or came after the sender's " \
		"timeout."
#define RX_ECN_MARKED_PACKETS                                                                     \
	"rx_ecn_marked_packets", RX(PACKETS, CONGESTION, INFO, CONGESTION),                       \
		"RoCE packets received that a switch had marked: there is congestion on the way " \
		"here."
#define RX_ERRORS                                         \
	"rx_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR), \
		"RoCE packets received with an error and discarded.", .lost = true
#define RX_ICRC_ERRORS                                                                           \
	"rx_icrc_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR),                                   \
		"RoCE packets dropped because their invariant CRC was wrong: they were damaged " \
		"or changed on the way.",                                                        \
		.lost = true
#define RX_OUT_OF_BUFFER                                                                       \
	"rx_out_of_buffer", RX(PACKETS, RNR, WARNING, RNR),                                    \
		"Packets dropped because no receive work request was posted: the application " \
		"posts too few, or too late.",                                                 \
		.lost = true
#define RX_OUT_OF_SEQUENCE                                                                         \
	"rx_out_of_sequence", RX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION),                \
		"Packets received out of sequence: packets before them were lost or overtaken on " \
		"the way here."
#define RX_PACKETS \
	"rx_packets", RX(PACKETS, TRAFFIC, INFO, TRAFFIC_RECEIVED), "RDMA packets received."
#define RX_READ_REQUESTS \
	"rx_read_requests", RX(REQUESTS, REQUESTS, INFO, OTHER), "RDMA Read requests received."
#define RX_RNR_NAKS                                                                          \
	"rx_rnr_naks", RX(PACKETS, RNR, WARNING, RNR),                                       \
		"Receiver-not-ready NAKs received: the far end had no receive work request " \
		"posted, and the request was sent again."
#define RX_SENDS "rx_sends", RX(REQUESTS, REQUESTS, INFO, OTHER), "Send operations received."
#define RX_SEQUENCE_NAKS                                                                          \
	"rx_sequence_naks", RX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION),                 \
		"Sequence-error NAKs received: packets sent from here were lost on the way, and " \
		"were sent again."
#define RX_WRITE_REQUESTS \
	"rx_write_requests", RX(REQUESTS, REQUESTS, INFO, OTHER), "RDMA Write requests received."
#define TRANSPORT_RETRIES_EXCEEDED                                                          \
	"transport_retries_exceeded", TX(ERRORS, ERRORS, SERIOUS, ERROR),                   \
		"Requests given up because no acknowledgement came after all retries: the " \
		"connection broke."
#define TX_ATOMIC_REQUESTS \
	"tx_atomic_requests", TX(REQUESTS, REQUESTS, INFO, OTHER), "Atomic requests sent."
#define TX_BYTES "tx_bytes", TX(BYTES, TRAFFIC, INFO, OTHER), "Bytes of RDMA packets sent."
#define TX_CNP_PACKETS                                               \
	"tx_cnp_packets", TX(PACKETS, CONGESTION, INFO, CONGESTION), \
		"Congestion notification packets sent because marked packets came in."
#define TX_ERRORS                                         \
	"tx_errors", TX(PACKETS, ERRORS, SERIOUS, ERROR), \
		"RoCE packets that could not be sent because of an error.", .lost = true
#define TX_PACKETS "tx_packets", TX(PACKETS, TRAFFIC, INFO, TRAFFIC_SENT), "RDMA packets sent."
#define TX_READ_REQUESTS \
	"tx_read_requests", TX(REQUESTS, REQUESTS, INFO, OTHER), "RDMA Read requests sent."
#define TX_RETRANSMITTED_BYTES                                               \
	"tx_retransmitted_bytes", TX(BYTES, RETRANSMISSION, WARNING, OTHER), \
		"Bytes of packets that were sent again."
#define TX_RETRANSMITTED_PACKETS                                                          \
	"tx_retransmitted_packets", TX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION), \
		"Packets that were sent again: they or their acknowledgements were lost or late."
#define TX_RNR_NAKS                                                                             \
	"tx_rnr_naks", TX(PACKETS, RNR, WARNING, RNR),                                          \
		"Receiver-not-ready NAKs sent: a message came and no receive work request was " \
		"posted here."
#define TX_SENDS "tx_sends", TX(REQUESTS, REQUESTS, INFO, OTHER), "Send operations sent."
#define TX_SEQUENCE_NAKS                                                          \
	"tx_sequence_naks", TX(PACKETS, RETRANSMISSION, WARNING, RETRANSMISSION), \
		"Sequence-error NAKs sent: packets were lost on the way here."
#define TX_WRITE_REQUESTS \
	"tx_write_requests", TX(REQUESTS, REQUESTS, INFO, OTHER), "RDMA Write requests sent."

#define COUNTER_TABLE(source_, driver_, rows_)                                        \
	{                                                                             \
		.source = COUNTER_SOURCE_##source_, .driver = driver_, .rows = rows_, \
		.count = ARRAY_SIZE(rows_)                                            \
	}

extern const struct counter_names counter_names_pma, counter_names_pma_ext, counter_names_rxe,
	counter_names_mlx5, counter_names_mlx5_vport, counter_names_mlx4, counter_names_bnxt_re,
	counter_names_bnxt_re_new, counter_names_irdma, counter_names_irdma_new,
	counter_names_cxgb4, counter_names_hns, counter_names_efa, counter_names_erdma,
	counter_names_mana, counter_names_mana_device, counter_names_ionic, counter_names_hfi1,
	counter_names_hfi1_chip, counter_names_qib, counter_names_qib_old, counter_names_cm,
	counter_names_netdev;
