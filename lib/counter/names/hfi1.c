/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * drivers/infiniband/hw/hfi1/chip.c and sw/rdmavt. The 32 in a name is the width of the register,
 * which the driver extends to 64 bits. A flit of the link has 8 bytes of data, a word has 4.
 */

/* Counters of the verbs layer that hfi1 and qib share: include/rdma/rdma_vt.h. */
#define VT_RC_RESENDS                                                                       \
	"tx_retransmitted_requests", TX(REQUESTS, RETRANSMISSION, WARNING, RETRANSMISSION), \
		"Requests of reliable connections that were sent again."
#define VT_OTHER_NAKS                                         \
	"rx_other_naks", RX(PACKETS, ERRORS, SERIOUS, ERROR), \
		"NAKs received for invalid requests, remote access or remote operation errors."
#define VT_LOOP_PKTS                                             \
	"loopback_packets", NONE(PACKETS, TRAFFIC, INFO, OTHER), \
		"Packets from this port to itself, which never saw the wire.", .part = true
#define VT_PKT_DROPS                                    \
	"rx_drops", RX(PACKETS, DROPS, SERIOUS, ERROR), \
		"Packets received that the verbs layer dropped."
#define VT_DMAWAIT                                       \
	"tx_dma_waits", TX(EVENTS, DRIVER, INFO, OTHER), \
		"Times that a queue pair had to wait for room in a send engine."
#define VT_UNALIGNED                                              \
	"tx_unaligned_packets", TX(PACKETS, DRIVER, INFO, OTHER), \
		"Packets whose data was not aligned to words."
#define VT_RC_DUPREQ                                                                               \
	"rx_duplicate_requests", RX(PACKETS, RETRANSMISSION, WARNING, OTHER),                      \
		"Requests received a second time: the answer was lost or came after the sender's " \
		"timeout."
#define VT_RC_CRWAITS                                                                          \
	"tx_credit_waits", TX(EVENTS, RNR, INFO, OTHER),                                       \
		"Times that a queue pair had to wait because the far end had no receive work " \
		"request for "                                                                 \
		"it."
#define VT_RC_ACKS                                     \
	"rx_acks", RX(PACKETS, REQUESTS, INFO, OTHER), \
		"Acknowledgements of reliable connections received."
#define VT_RC_QACKS                                           \
	"tx_queued_acks", TX(PACKETS, REQUESTS, INFO, OTHER), \
		"Acknowledgements that were queued because they could not be sent at once."
#define VT_RC_DELAYED_COMP                                                                      \
	"delayed_completions", TX(EVENTS, REQUESTS, INFO, OTHER),                               \
		"Completions of reliable connections deferred because the packet was still in " \
		"the send engine."
#define VT_TXWAIT                                            \
	"tx_request_waits", TX(EVENTS, DRIVER, INFO, OTHER), \
		"Times that a queue pair had to wait for a send request of the driver."
#define VT_PIOWAIT                                       \
	"tx_pio_waits", TX(EVENTS, DRIVER, INFO, OTHER), \
		"Times that a queue pair had to wait for a send buffer."

static const struct counter_name rows[] = {
	{"TxPkt", "tx_engine_packets", TX(PACKETS, TRAFFIC, INFO, TRAFFIC_SENT),
	 "Packets sent by the port's send engine.", .fallback = true, .part = true},
	{"RxPkt", "rx_engine_packets", RX(PACKETS, TRAFFIC, INFO, TRAFFIC_RECEIVED),
	 "Packets received by the port's receive engine.", .fallback = true, .part = true},
	{"TxWords", "tx_engine_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes sent by the port's send engine.", .factor = 4, .part = true},
	{"RxWords", "rx_engine_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes received by the port's receive engine.", .factor = 4, .part = true},
	{"TxWait", "tx_engine_wait_ticks", TX(TICKS, CONGESTION, INFO, OTHER),
	 "Ticks in which the port had data to send but no credit or no turn: the far end or the "
	 "fabric is congested."},
	{"TxPktVL*", "tx_vl*_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Packets sent on one virtual lane.", .part = true},
	{"TxFlitVL*", "tx_vl*_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes sent on one virtual lane.", .factor = 8, .part = true},
	{"TxWaitVL*", "tx_vl*_wait_ticks", TX(TICKS, CONGESTION, INFO, OTHER),
	 "Ticks in which a virtual lane had data to send but no credit or no turn."},
	{"TxUnVLErr,32", "tx_unsupported_vl_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets not sent because their virtual lane is not in use.", .lost = true},
	{"TxInvalLen,32", "tx_length_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets not sent because of an invalid length.", .lost = true},
	{"TxMMLenErr,32", "tx_length_limit_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets not sent because they were shorter than the minimum or longer than the maximum "
	 "length.",
	 .lost = true},
	{"TxUnderrun,32", "tx_underruns", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets that were sent damaged because their data did not come in time.", .lost = true},
	{"TxFlowStall,32", "tx_flow_stalls", TX(EVENTS, CONGESTION, WARNING, OTHER),
	 "Times that sending stopped for lack of credits."},
	{"TxDropped,32", "tx_drops", TX(PACKETS, DROPS, SERIOUS, ERROR),
	 "Packets that the send engine dropped."},
	{"TxHdrErr,32", "tx_header_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets not sent because of an error in their header.", .lost = true},
	{"SwLinkDown,32", "driver_link_downs", NONE(EVENTS, LINK, SERIOUS, OTHER),
	 "Times that the driver saw the link go down."},
	{"SwLinkUp,32", "driver_link_ups", NONE(EVENTS, LINK, INFO, OTHER),
	 "Times that the driver saw the link come up."},
	{"UnknownFrame", "rx_unknown_frames", RX(PACKETS, DROPS, WARNING, OTHER),
	 "Frames received of a kind that the driver does not know."},
	{"XmitDscd,32", "driver_tx_discards", TX(PACKETS, DROPS, SERIOUS, OTHER),
	 "Packets discarded instead of sent because the port was down, or they waited too long for "
	 "credits."},
	{"XmitDscdVl*,32", "tx_vl*_discards", TX(PACKETS, DROPS, SERIOUS, OTHER),
	 "Packets of one virtual lane that were discarded instead of sent."},
	{"XmitCstrErr", "driver_tx_constraint_errors", TX(PACKETS, DROPS, WARNING, OTHER),
	 "Packets not sent because of a partition key or the raw packet filter."},
	{"RcvCstrErr", "driver_rx_constraint_errors", RX(PACKETS, DROPS, WARNING, OTHER),
	 "Packets received and discarded because of a partition key or the raw packet filter."},
	{"LoopPkts", VT_LOOP_PKTS},
	{"RcResend", VT_RC_RESENDS},
	{"RcTimeOut", ACK_TIMEOUTS},
	{"SeqNak", RX_SEQUENCE_NAKS},
	{"RcSeqNak", TX_SEQUENCE_NAKS},
	{"RdmaSeq", READ_RESPONSE_SEQUENCE_ERRORS},
	{"RcDupRew", VT_RC_DUPREQ},
	{"RnrNak", RX_RNR_NAKS},
	{"OtherNak", VT_OTHER_NAKS},
	{"PktDrop", VT_PKT_DROPS},
	{"DmaWait", VT_DMAWAIT},
	{"RcCrWait", VT_RC_CRWAITS},
	{"Unaligned", VT_UNALIGNED},
	{"RcAcks", VT_RC_ACKS},
	{"RcQacks", VT_RC_QACKS},
	{"RcDelayComp", VT_RC_DELAYED_COMP},
	{"RcvHdrOvr*", "rx_context*_header_queue_overflows", RX(PACKETS, DROPS, SERIOUS, OTHER),
	 "Packets dropped because the header queue of a receive context was full: its process does "
	 "not keep up."},
	{"RcvOverflow,32", "rx_buffer_overflows", RX(PACKETS, DROPS, SERIOUS, OTHER),
	 "Packets dropped because the receive buffer of the device was full."},
	{"RxICrcErr,32", "rx_icrc_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR),
	 "Packets dropped because their invariant CRC was wrong: they were damaged or changed on "
	 "the way.",
	 .lost = true},
	{"RxEbpCnt,32", "rx_marked_bad", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Packets received that were marked bad on the way (EBP).", .lost = true},
	{"RxLenErr,32", "rx_length_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR),
	 "Packets received with a wrong length, and dropped.", .lost = true},
	{"RxShrErr,32", "rx_short_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received that were too short, and dropped.", .lost = true},
	{"RxCtxEgrS,32", "rx_eager_stalls", RX(EVENTS, DRIVER, WARNING, OTHER),
	 "Times that receiving stalled because a context had no eager buffer."},
	{"RxTIDFullEr,32", "rx_tid_full_errors", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Packets for receive buffers (TID) that were full."},
	{"RxTIDInvalid,32", "rx_tid_invalid", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Packets for receive buffers (TID) that are not valid."},
	{"RxTidFLGMs,32", "rx_tid_generation_mismatches", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Packets whose receive flow (TID) had a different generation."},
	{"RxTidFLSMs,32", "rx_tid_sequence_mismatches", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Packets whose receive flow (TID) had a different sequence number."},
	{"DcXmitPkts", "tx_link_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Packets sent, as the link counts them.", .part = true},
	{"DcRcvPkts", "rx_link_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Packets received, as the link counts them.", .part = true},
	{"DcXmitFlits", "tx_link_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes sent, as the link counts them.", .factor = 8, .part = true},
	{"DcRcvFlits", "rx_link_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes received, as the link counts them.", .factor = 8, .part = true},
	{"DcMcXmitPkts", "tx_multicast_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Multicast packets sent by the port, including those with errors.", .part = true},
	{"DcMcRcvPkts", "rx_multicast_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Multicast packets received by the port, including those with errors.", .part = true},
	{"DcRxPktVl*", "rx_vl*_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Packets received on one virtual lane.", .part = true},
	{"DcRxFlitVl*", "rx_vl*_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes received on one virtual lane.", .factor = 8, .part = true},
	{"DcXmitFCntl", "tx_flow_control_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Link flow control packets sent.", .part = true},
	{"DcRxFCntl", "rx_flow_control_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Link flow control packets received.", .part = true},
	{"DcRcvFcn", "rx_fecn_packets", RX(PACKETS, CONGESTION, INFO, OTHER),
	 "Packets received with the forward congestion mark: there is congestion on the way here."},
	{"DcRcvBcn", "rx_becn_packets", RX(PACKETS, CONGESTION, INFO, OTHER),
	 "Packets received with the backward congestion mark: traffic sent from here meets "
	 "congestion."},
	{"DcMarkFcn", "tx_fecn_marked_packets", TX(PACKETS, CONGESTION, INFO, OTHER),
	 "Packets that this port gave the forward congestion mark."},
	{"DcRcvBbl", "rx_bubbles", RX(TICKS, CONGESTION, INFO, OTHER),
	 "Ticks within packets received in which the link had no data for them."},
	{"DcRecvErr", "rx_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received with an error and discarded, as the link counts them.", .lost = true},
	{"DcRmtPhyErr", "rx_remote_physical_errors", RX(PACKETS, ERRORS, WARNING, OTHER),
	 "Packets received that were marked bad on the way: the fault is on a link further away.",
	 .lost = true},
	{"DcDroppedPkt", "rx_link_drops", RX(PACKETS, DROPS, SERIOUS, OTHER),
	 "Packets that the link dropped on receiving."},
	{"DcFmCfgErr", "fabric_configuration_errors", NONE(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Errors in what the fabric manager configured: virtual lanes, partitions, routes."},
	{"DcUnctblErr", "uncorrectable_errors", NONE(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Errors inside the device that could not be corrected."},
	{"DcXmitCorr", "tx_correctable_errors", TX(ERRORS, LINK, INFO, OTHER),
	 "Correctable errors on the way out."},
	{"DcRcvCorrCnt", "rx_correctable_errors", RX(ERRORS, LINK, INFO, OTHER),
	 "Correctable errors on the way in."},
	{"DcTotCrc", "rx_link_crc_errors", RX(ERRORS, LINK, WARNING, OTHER),
	 "CRC errors of the link transfer layer, on all lanes: corrupted data is sent again by the "
	 "link."},
	{"DcCrcLn*", "rx_lane*_crc_errors", RX(ERRORS, LINK, WARNING, OTHER),
	 "CRC errors of the link transfer layer on one lane."},
	{"DcMultLn", "rx_multiple_lane_crc_errors", RX(ERRORS, LINK, WARNING, OTHER),
	 "CRC errors of the link transfer layer on several lanes at once."},
	{"DcTxReplay", "tx_link_replays", TX(EVENTS, LINK, WARNING, OTHER),
	 "Times that the link sent its last data again because the far end had not understood it."},
	{"DcRxReplay", "rx_link_replays", RX(EVENTS, LINK, WARNING, OTHER),
	 "Times that the link asked for data again because of a CRC error."},
	{"DcLinkSeqCrc", "rx_link_sequence_errors", RX(ERRORS, LINK, WARNING, OTHER),
	 "CRC errors of the link that hit several units in a row."},
	{"DRIVER_CtxtsOpen", "open_contexts", NONE(OBJECTS, RESOURCES, INFO, OTHER),
	 "Contexts of processes that are open now.", .kind = COUNTER_GAUGE},
	{"DRIVER_EgrBufFull", "driver_eager_buffer_full", RX(EVENTS, DROPS, SERIOUS, OTHER),
	 "Times that the eager buffers of a kernel context were full."},
	{"DRIVER_EgrHdrFull", "driver_header_queue_full", RX(EVENTS, DROPS, SERIOUS, OTHER),
	 "Times that the header queue of a kernel context was full."},
	{"DRIVER_ErrorIntr", "driver_error_interrupts", NONE(EVENTS, DRIVER, WARNING, OTHER),
	 "Error interrupts that the driver served."},
	{"DRIVER_HW_Errs", "hardware_errors", NONE(ERRORS, ERRORS, SERIOUS, OTHER),
	 "General errors of the hardware."},
	{"DRIVER_KernIntr", "driver_interrupts", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts that the driver served."},
	{"DRIVER_NoPIOBufs", "driver_no_send_buffers", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that no send buffer was free."},
	{"DRIVER_RcvLen_Errs", "driver_rx_length_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Packets received with a length that the driver did not expect."},
	{"DRIVER_Rcv_Errs", "driver_rx_errors", RX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Receive errors that the driver saw."},
	{"DRIVER_Tx_Errs", "driver_tx_errors", TX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Send errors that the driver saw."},
	{"Intr", "interrupts", NONE(EVENTS, DRIVER, INFO, OTHER), "Interrupts of all processors."},
	{"RcvLimit", "rx_limit_hits", RX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that receive work was deferred to a thread because there was too much for one "
	 "interrupt."},
	{"SeqDrop0", "rx_context0_sequence_drops", RX(PACKETS, DROPS, WARNING, OTHER),
	 "Packets of the control context dropped because of a wrong sequence number."},
	{"vTxWait", VT_TXWAIT},
	{"PioWait", VT_PIOWAIT},
	{"PioDrain", "tx_pio_drain_waits", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that a queue pair had to wait until send buffers had drained."},
	{"KmemWait", "tx_memory_waits", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that a queue pair had to wait for kernel memory."},
	{"TidWait", "tx_tid_waits", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that a queue pair had to wait for receive buffers (TID)."},
	{"SendSched", "tx_schedules", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that a queue pair was scheduled for sending."},
	{"Cce LATriggered", "logic_analyzer_triggers", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "Times that the device's logic analyzer was triggered."},
	{"CceErrInt,32", "error_interrupts", NONE(EVENTS, DRIVER, WARNING, OTHER),
	 "Error interrupts of the device."},
	{"CceMiscInt,32", "general_interrupts", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "General interrupts of the device."},
	{"CcePciCrSt,32", "pcie_credit_stalls", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "Times that the device stopped for lack of PCIe credits."},
	{"CcePciTrSt,32", "pcie_target_stalls", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "Times that PCIe accesses to the device stalled."},
	{"CcePioWrSt,32", "pio_write_stalls", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Times that writes to send buffers stalled."},
	{"CceRcvAvInt,32", "receive_available_interrupts", RX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts for packets received."},
	{"CceRcvUrgInt,32", "receive_urgent_interrupts", RX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts for urgent packets received."},
	{"CceSdmaInt,32", "sdma_interrupts", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts of the send DMA engines."},
	{"CceSndCrInt,32", "credit_return_interrupts", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts for send credits that were returned."},
	{"SDMAInt*,32", "sdma*_interrupts", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts of one send DMA engine."},
	{"SDEDscFdCn*,32", "sdma*_descriptors", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Descriptors that one send DMA engine fetched."},
	{"DcRcvFcnVl*", "rx_vl*_fecn_packets", RX(PACKETS, CONGESTION, INFO, OTHER),
	 "Packets received on one virtual lane with the forward congestion mark."},
	{"DcRcvBcnVl*", "rx_vl*_becn_packets", RX(PACKETS, CONGESTION, INFO, OTHER),
	 "Packets received on one virtual lane with the backward congestion mark."},
	{"DcMarkFcnVl*", "tx_vl*_fecn_marked_packets", TX(PACKETS, CONGESTION, INFO, OTHER),
	 "Packets of one virtual lane that this port gave the forward congestion mark."},
	{"DcRcvBblVl*", "rx_vl*_bubbles", RX(TICKS, CONGESTION, INFO, OTHER),
	 "Ticks within packets of one virtual lane in which the link had no data for them."},
	{"DcEsc0", "rx_lane0_escapes", RX(ERRORS, LINK, WARNING, OTHER),
	 "Link transfer packets received with a CRC error that one lane's check did not see (class "
	 "0)."},
	{"DcEsc1", "rx_lane1_escapes", RX(ERRORS, LINK, WARNING, OTHER),
	 "Link transfer packets received with a CRC error that one lane's check did not see (class "
	 "1)."},
	{"DcEsc0Plus2", "rx_lane2_escapes", RX(ERRORS, LINK, WARNING, OTHER),
	 "Link transfer packets received with a CRC error that one lane's check did not see (class "
	 "2)."},
	{"DcReinitPeer", "peer_reinitializations", RX(EVENTS, LINK, WARNING, OTHER),
	 "Times that the far end of the link asked to reinitialize it."},
	{"DcSbe", "link_single_bit_errors", NONE(ERRORS, LINK, WARNING, OTHER),
	 "Single bit errors in the link's memory, which were corrected."},
	{"DcMiscFlg", "link_other_errors", NONE(ERRORS, LINK, WARNING, OTHER),
	 "Errors of the link that have no counter of their own."},
	{"DcGoodLTP", "rx_good_link_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Link transfer packets received without an error.", .part = true},
	{"DcAccLTP", "rx_accepted_link_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Link transfer packets received and accepted.", .part = true},
	{"DcPrfRxFlit", "rx_link_transfer_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes received, as the link's transfer layer counts them.", .factor = 8, .part = true},
	{"DcPrfTxFlit", "tx_link_transfer_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes sent, as the link's transfer layer counts them.", .factor = 8, .part = true},
	{"DcPrfClk", "link_clock_ticks", NONE(TICKS, DRIVER, INFO, OTHER),
	 "Ticks of the link's clock."},
	{"DcFltCrdts", "link_credits", TX(NUMBER, CONGESTION, INFO, OTHER),
	 "Credits that the link has now for sending.", .kind = COUNTER_GAUGE},
	{"DcPauseComp", "link_pauses", NONE(EVENTS, LINK, INFO, OTHER),
	 "Times that the link paused and resumed."},
	{"DcStsTxSbe", "tx_link_single_bit_errors", TX(ERRORS, LINK, WARNING, OTHER),
	 "Single bit errors in the link's send memory, which were corrected."},
	{"DcStsTxMbe", "tx_link_multiple_bit_errors", TX(ERRORS, LINK, SERIOUS, OTHER),
	 "Errors of several bits in the link's send memory, which could not be corrected."},
	{"SDMAErrCt*,32", "sdma*_errors", TX(ERRORS, ERRORS, SERIOUS, OTHER),
	 "Errors of one send DMA engine."},
	{"SDMAIdInt*,32", "sdma*_idle_interrupts", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts of one send DMA engine because it was idle."},
	{"SDMAPrIntCn*,32", "sdma*_progress_interrupts", TX(EVENTS, DRIVER, INFO, OTHER),
	 "Interrupts of one send DMA engine because it made progress."},
};

/* drivers/infiniband/hw/qib/qib_sysfs.c, in diag_counters of the port; Linux 7.2 has no qib. */
static const struct counter_name qib_rows[] = {
	{"rc_resends", VT_RC_RESENDS},
	{"seq_naks", RX_SEQUENCE_NAKS},
	{"rdma_seq", READ_RESPONSE_SEQUENCE_ERRORS},
	{"rnr_naks", RX_RNR_NAKS},
	{"other_naks", VT_OTHER_NAKS},
	{"rc_timeouts", ACK_TIMEOUTS},
	{"loop_pkts", VT_LOOP_PKTS},
	{"pkt_drops", VT_PKT_DROPS},
	{"dmawait", VT_DMAWAIT},
	{"unaligned", VT_UNALIGNED},
	{"rc_dupreq", VT_RC_DUPREQ},
	{"rc_seqnak", TX_SEQUENCE_NAKS},
	{"rc_crwaits", VT_RC_CRWAITS},
	{"rc_acks", VT_RC_ACKS},
	{"rc_qacks", VT_RC_QACKS},
	{"rc_delayed_comp", VT_RC_DELAYED_COMP},
};

/* Names in the text `stats` of the vendor's driver of 2009. */
static const struct counter_name qib_old_rows[] = {
	{"RC resends", VT_RC_RESENDS},
	{"RC SEQ NAKs", RX_SEQUENCE_NAKS},
	{"RC RDMA seq", READ_RESPONSE_SEQUENCE_ERRORS},
	{"RC RNR NAKs", RX_RNR_NAKS},
	{"RC OTH NAKs", VT_OTHER_NAKS},
	{"RC timeouts", ACK_TIMEOUTS},
	{"loop pkts", VT_LOOP_PKTS},
	{"PKT drops", VT_PKT_DROPS},
	{"wait DMA", VT_DMAWAIT},
	{"unaligned", VT_UNALIGNED},
	{"RCr dup req", VT_RC_DUPREQ},
	{"RCr SEQ NAK", TX_SEQUENCE_NAKS},
	{"RC QACKs", VT_RC_QACKS},
	{"RC DComp", VT_RC_DELAYED_COMP},
	{"wait piobuf", VT_PIOWAIT},
	{"wait TX", VT_TXWAIT},
};

const struct counter_names counter_names_qib = COUNTER_TABLE(HW, "qib", qib_rows);
const struct counter_names counter_names_qib_old = COUNTER_TABLE(HW, "qib", qib_old_rows);
const struct counter_names counter_names_hfi1 = COUNTER_TABLE(HW, "hfi1", rows);
