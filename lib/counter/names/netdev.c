/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * struct rtnl_link_stats64, include/uapi/linux/if_link.h; the names are those in
 * /sys/class/net/IF/statistics, and rtnetlink has the same counters.
 */
static const struct counter_name rows[] = {
	{"rx_bytes", "rx_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes received by the netdev; hardware RDMA traffic usually bypasses it."},
	{"tx_bytes", "tx_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),
	 "Bytes sent by the netdev; hardware RDMA traffic usually bypasses it."},
	{"rx_packets", "rx_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Packets received by the netdev; hardware RDMA traffic usually bypasses it."},
	{"tx_packets", "tx_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Packets sent by the netdev; hardware RDMA traffic usually bypasses it."},
	{"multicast", "rx_multicast_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Multicast packets received by the netdev.", .part = true},
	{"rx_compressed", "rx_compressed_packets", RX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Compressed packets received (SLIP, PPP).", .part = true},
	{"tx_compressed", "tx_compressed_packets", TX(PACKETS, TRAFFIC, INFO, OTHER),
	 "Compressed packets sent (SLIP, PPP).", .part = true},
	{"rx_errors", "rx_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received with an error and discarded: usually the sum of all kinds of errors.",
	 .lost = true},
	{"tx_errors", "tx_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets that could not be sent: usually the sum of all kinds of errors.", .lost = true},
	{"rx_dropped", "rx_discards", RX(PACKETS, DROPS, WARNING, OTHER),
	 "Packets received and dropped before they reached the stack: no memory, an unknown VLAN "
	 "or protocol."},
	{"tx_dropped", "tx_discards", TX(PACKETS, DROPS, WARNING, OTHER),
	 "Packets dropped on their way out, usually for lack of room."},
	{"rx_missed_errors", "rx_missed_packets", RX(PACKETS, DROPS, SERIOUS, OTHER),
	 "Packets that the host missed because the adapter's receive buffers were full."},
	{"rx_nohandler", "rx_no_handler_packets", RX(PACKETS, DROPS, INFO, OTHER),
	 "Packets received by a netdev that takes none now, such as the standby member of a bond."},
	{"rx_otherhost_dropped", "rx_other_host_discards", RX(PACKETS, DROPS, INFO, OTHER),
	 "Packets received and dropped because their MAC address is another host's."},
	{"rx_length_errors", "rx_length_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received with a wrong length, and dropped.", .lost = true},
	{"rx_over_errors", "rx_overruns", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received that found no room in the receive buffers.", .lost = true},
	{"rx_crc_errors", "rx_crc_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received with a wrong CRC: check the cable and the port at its other end.",
	 .lost = true},
	{"rx_frame_errors", "rx_frame_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets received that were not aligned to bytes.", .lost = true},
	{"rx_fifo_errors", "rx_fifo_errors", RX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets lost because the receive FIFO overran.", .lost = true},
	{"tx_aborted_errors", "tx_aborted_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets whose sending was aborted.", .lost = true},
	{"tx_carrier_errors", "tx_carrier_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets that were not sent because there was no carrier: a cable or port that comes and "
	 "goes.",
	 .lost = true},
	{"tx_fifo_errors", "tx_fifo_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets lost because the send FIFO ran empty.", .lost = true},
	{"tx_heartbeat_errors", "tx_heartbeat_errors", TX(ERRORS, ERRORS, WARNING, OTHER),
	 "Heartbeat errors of half-duplex Ethernet."},
	{"tx_window_errors", "tx_window_errors", TX(PACKETS, ERRORS, SERIOUS, OTHER),
	 "Packets not sent because of late collisions.", .lost = true},
	{"collisions", "tx_collisions", TX(EVENTS, ERRORS, WARNING, OTHER),
	 "Collisions of half-duplex Ethernet: if there are any, one end is misconfigured."},
};

const struct counter_names counter_names_netdev = COUNTER_TABLE(NETDEV, NULL, rows);
