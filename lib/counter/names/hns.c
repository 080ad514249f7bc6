/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/* drivers/infiniband/hw/hns/hns_roce_main.c */
#define TRANSPORT_ROW(way_, direction_, name_, what_)                                  \
	{                                                                              \
		way_ "_" name_ "_pkt", way_ "_" name_ "_packets",                      \
			direction_(PACKETS, TRAFFIC, INFO, OTHER), what_, .part = true \
	}
#define TRANSPORT_ROWS(way_, direction_, end_)                                                   \
	TRANSPORT_ROW(way_, direction_, "rc", "Packets of reliable connections" end_),           \
		TRANSPORT_ROW(way_, direction_, "uc", "Packets of unreliable connections" end_), \
		TRANSPORT_ROW(way_, direction_, "ud", "Unreliable datagrams" end_),              \
		TRANSPORT_ROW(way_, direction_, "xrc",                                           \
			      "Packets of extended reliable connections" end_)

static const struct counter_name rows[] = {
	{"rx_pkt", RX_PACKETS},
	{"tx_pkt", TX_PACKETS},
	TRANSPORT_ROWS("rx", RX, " received."),
	TRANSPORT_ROWS("tx", TX, " sent."),
	{"rx_err_pkt", RX_ERRORS},
	{"tx_err_pkt", TX_ERRORS},
	{"rx_cnp_pkt", RX_CNP_PACKETS},
	{"tx_cnp_pkt", TX_CNP_PACKETS},
	{"trp_get_mpt_err_pkt", "rx_memory_protection_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR),
	 "Packets for which the device could not read the entry of their memory region."},
	{"trp_get_irrl_err_pkt", "rx_read_list_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR),
	 "Packets for which the device could not read the list of reads and atomics to serve."},
	{"ecn_doorbell", "ecn_doorbells", NONE(EVENTS, CONGESTION, INFO, OTHER),
	 "Doorbells of the congestion control engine."},
	{"rx_buffer", "rx_buffers", RX(OBJECTS, DRIVER, INFO, OTHER),
	 "Receive buffers that the device has in use.", .kind = COUNTER_GAUGE},
	{"trp_rx_sof", "rx_frame_starts", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Starts of frames that the transport engine received.", .part = true},
	{"cq_cqe", "completions", NONE(EVENTS, REQUESTS, INFO, OTHER), "Completions written."},
	{"cq_poe", "completion_queue_polls", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "Completion events over the device's direct path (POE)."},
	{"cq_notify", "completion_notifications", NONE(EVENTS, DRIVER, INFO, OTHER),
	 "Notifications of completion queues."},
};

const struct counter_names counter_names_hns = COUNTER_TABLE(HW, "hns", rows);
