/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * struct rtnl_link_stats64, include/uapi/linux/if_link.h; the names are those in
 * /sys/class/net/IF/statistics, and rtnetlink has the same counters.
 */
static const struct counter_name rows[] = {
	{"rx_bytes", "rx_bytes", COUNTS(BYTES, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes received by the netdev; hardware RDMA traffic usually bypasses it."},
	{"tx_bytes", "tx_bytes", COUNTS(BYTES, TX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Bytes sent by the netdev; hardware RDMA traffic usually bypasses it."},
	{"rx_packets", "rx_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Packets received by the netdev; hardware RDMA traffic usually bypasses it."},
	{"tx_packets", "tx_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Packets sent by the netdev; hardware RDMA traffic usually bypasses it."},
	{"multicast", "rx_multicast_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO), COUNTER_OTHER,
	 "Multicast packets received by the netdev.", .part = true},
	{"rx_compressed", "rx_compressed_packets", COUNTS(PACKETS, RX, TRAFFIC, INFO),
	 COUNTER_OTHER, "Compressed packets received (SLIP, PPP).", .part = true},
	{"tx_compressed", "tx_compressed_packets", COUNTS(PACKETS, TX, TRAFFIC, INFO),
	 COUNTER_OTHER, "Compressed packets sent (SLIP, PPP).", .part = true},
	{"rx_errors", "rx_errors", COUNTS(PACKETS, RX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets received with an error and discarded: usually the sum of all kinds "
	 "of errors.",
	 .drop = true},
	{"tx_errors", "tx_errors", COUNTS(PACKETS, TX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets that could not be sent: usually the sum of all kinds of errors.", .drop = true},
	{"rx_dropped", "rx_discards", COUNTS(PACKETS, RX, DROPS, WARNING), COUNTER_OTHER,
	 "Packets received and dropped before they reached the stack: no memory, an unknown "
	 "VLAN or protocol.",
	 .drop = true},
	{"tx_dropped", "tx_discards", COUNTS(PACKETS, TX, DROPS, WARNING), COUNTER_OTHER,
	 "Packets dropped on their way out, usually for lack of room.", .drop = true},
	{"rx_missed_errors", "rx_missed_packets", COUNTS(PACKETS, RX, DROPS, SERIOUS),
	 COUNTER_OTHER,
	 "Packets that the host missed because the adapter's receive buffers were full.",
	 .drop = true},
	{"rx_nohandler", "rx_no_handler_packets", COUNTS(PACKETS, RX, DROPS, INFO), COUNTER_OTHER,
	 "Packets received by a netdev that takes none now, as the waiting member of a bond.",
	 .drop = true},
	{"rx_otherhost_dropped", "rx_other_host_discards", COUNTS(PACKETS, RX, DROPS, INFO),
	 COUNTER_OTHER, "Packets received and dropped because their MAC address is another host's.",
	 .drop = true},
	{"rx_length_errors", "rx_length_errors", COUNTS(PACKETS, RX, ERRORS, SERIOUS),
	 COUNTER_OTHER, "Packets received with a wrong length, and dropped.", .drop = true},
	{"rx_over_errors", "rx_overruns", COUNTS(PACKETS, RX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets received that found no room in the receive buffers.", .drop = true},
	{"rx_crc_errors", "rx_crc_errors", COUNTS(PACKETS, RX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets received with a wrong CRC: check the cable and the port at its other end.",
	 .drop = true},
	{"rx_frame_errors", "rx_frame_errors", COUNTS(PACKETS, RX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets received that were not aligned to bytes.", .drop = true},
	{"rx_fifo_errors", "rx_fifo_errors", COUNTS(PACKETS, RX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets lost because the receive FIFO overran.", .drop = true},
	{"tx_aborted_errors", "tx_aborted_errors", COUNTS(PACKETS, TX, ERRORS, SERIOUS),
	 COUNTER_OTHER, "Packets whose sending was broken off.", .drop = true},
	{"tx_carrier_errors", "tx_carrier_errors", COUNTS(PACKETS, TX, ERRORS, SERIOUS),
	 COUNTER_OTHER,
	 "Packets that were not sent because there was no carrier: a cable or port that comes and "
	 "goes.",
	 .drop = true},
	{"tx_fifo_errors", "tx_fifo_errors", COUNTS(PACKETS, TX, ERRORS, SERIOUS), COUNTER_OTHER,
	 "Packets lost because the send FIFO ran empty.", .drop = true},
	{"tx_heartbeat_errors", "tx_heartbeat_errors", COUNTS(ERRORS, TX, ERRORS, WARNING),
	 COUNTER_OTHER, "Heartbeat errors of half-duplex Ethernet."},
	{"tx_window_errors", "tx_window_errors", COUNTS(PACKETS, TX, ERRORS, SERIOUS),
	 COUNTER_OTHER, "Packets not sent because of late collisions.", .drop = true},
	{"collisions", "tx_collisions", COUNTS(EVENTS, TX, ERRORS, WARNING), COUNTER_OTHER,
	 "Collisions of half-duplex Ethernet: one end is wrongly set where there are any."},
};

const struct counter_names counter_names_netdev = COUNTER_TABLE(NETDEV, NULL, rows);
