/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_table.h"

/*
 * The port's performance management agent, with counter names from core/sysfs.c. Meanings and
 * widths come from the InfiniBand Architecture Specification, volume 1, 16.1.3.5 PortCounters and
 * 16.1.4.11 PortCountersExtended: data is counted in words of 4 bytes, and all counters saturate.
 * Data and packet counters have 64 bits if the device has the extended counters, else 32.
 */

/* The row of a counter that stops at the maximum of this width; 0: of either 32 or 64 bits. */
#define BITS(bits_, ...)                                                     \
	{                                                                    \
		__VA_ARGS__, .kind = COUNTER_SATURATING, .width_bits = bits_ \
	}

/* The counters of data and packets, which old devices have with two widths and two names. */
#define DATA_ROWS(bits_, after_)                                                                  \
	BITS(bits_, "port_xmit_data" after_, "tx_bytes", TX(BYTES, TRAFFIC, INFO, OTHER),         \
	     "Bytes of packets sent by the port, except link packets.", .factor = 4),             \
		BITS(bits_, "port_rcv_data" after_, "rx_bytes", RX(BYTES, TRAFFIC, INFO, OTHER),  \
		     "Bytes of packets received by the port, except link packets.", .factor = 4), \
		BITS(bits_, "port_xmit_packets" after_, "tx_packets",                             \
		     TX(PACKETS, TRAFFIC, INFO, TRAFFIC_SENT),                                    \
		     "Packets sent by the port, including those with errors, except link "        \
		     "packets.",                                                                  \
		     .fallback = true),                                                           \
		BITS(bits_, "port_rcv_packets" after_, "rx_packets",                              \
		     RX(PACKETS, TRAFFIC, INFO, TRAFFIC_RECEIVED),                                \
		     "Packets received by the port, including those with errors, except link "    \
		     "packets.",                                                                  \
		     .fallback = true)
#define CAST_ROW(name_, canonical_, direction_, what_)                                    \
	BITS(64, name_, canonical_ "_packets", direction_(PACKETS, TRAFFIC, INFO, OTHER), \
	     what_ " by the port, including those with errors.", .part = true)
#define CAST_ROWS(before_)                                                                  \
	CAST_ROW(before_ "unicast_xmit_packets", "tx_unicast", TX, "Unicast packets sent"), \
		CAST_ROW(before_ "unicast_rcv_packets", "rx_unicast", RX,                   \
			 "Unicast packets received"),                                       \
		CAST_ROW(before_ "multicast_xmit_packets", "tx_multicast", TX,              \
			 "Multicast packets sent"),                                         \
		CAST_ROW(before_ "multicast_rcv_packets", "rx_multicast", RX,               \
			 "Multicast packets received")

static const struct counter_name rows[] = {
	DATA_ROWS(0, ""),
	CAST_ROWS(""),
	BITS(32, "port_xmit_wait", "tx_wait_ticks", TX(TICKS, CONGESTION, INFO, CONGESTION),
	     "Ticks in which the port had data to send but no credit or no turn: the far end or "
	     "the fabric is congested."),
	BITS(16, "symbol_error", "symbol_errors", RX(ERRORS, LINK, WARNING, ERROR),
	     "Minor link errors, that is, invalid symbols on one or more lanes: a growing number "
	     "points at the cable or a connector."),
	BITS(8, "link_error_recovery", "link_error_recoveries", NONE(EVENTS, LINK, WARNING, ERROR),
	     "Times that the link failed and was retrained successfully: check the cable and the "
	     "port at its other end."),
	BITS(8, "link_downed", "link_downed", NONE(EVENTS, LINK, SERIOUS, ERROR),
	     "Times that the link failed, could not be recovered, and went down."),
	BITS(16, "port_rcv_errors", "rx_errors", RX(PACKETS, ERRORS, SERIOUS, ERROR),
	     "Packets received with an error (CRC, length, virtual lane, buffer overrun) and "
	     "discarded.",
	     .lost = true),
	BITS(16, "port_rcv_remote_physical_errors", "rx_remote_physical_errors",
	     RX(PACKETS, ERRORS, WARNING, ERROR),
	     "Packets received that were marked bad on the way: the fault is on a link further "
	     "away.",
	     .lost = true),
	BITS(16, "port_rcv_switch_relay_errors", "rx_switch_relay_errors",
	     RX(PACKETS, DROPS, WARNING, ERROR),
	     "Packets that the switch received and could not forward: no route, wrong virtual "
	     "lane, or back to where they came from."),
	BITS(16, "port_xmit_discards", "tx_discards", TX(PACKETS, DROPS, SERIOUS, ERROR),
	     "Packets discarded instead of sent because the port was down, or they waited too long "
	     "for credits."),
	BITS(8, "port_xmit_constraint_errors", "tx_constraint_errors",
	     TX(PACKETS, DROPS, WARNING, ERROR),
	     "Packets not sent because of a partition key or the raw packet filter."),
	BITS(8, "port_rcv_constraint_errors", "rx_constraint_errors",
	     RX(PACKETS, DROPS, WARNING, ERROR),
	     "Packets received and discarded because of a partition key or the raw packet filter."),
	BITS(4, "local_link_integrity_errors", "local_link_integrity_errors",
	     RX(EVENTS, LINK, SERIOUS, ERROR),
	     "Times that local physical errors passed their threshold: the link is bad enough to "
	     "be retrained."),
	BITS(4, "excessive_buffer_overrun_errors", "excessive_buffer_overruns",
	     RX(EVENTS, LINK, SERIOUS, ERROR),
	     "Times that receive buffers overran for several flow control updates in a row: the "
	     "other end sends without credits.",
	     .lost = true),
	BITS(16, "VL15_dropped", "vl15_dropped", RX(PACKETS, DROPS, WARNING, ERROR),
	     "Subnet management packets dropped because the port had no buffer for them: the "
	     "subnet manager asks too fast, or the agent hangs."),
};

const struct counter_names counter_names_pma = COUNTER_TABLE(PMA, NULL, rows);

/*
 * ports/N/counters_ext of the vendor's stack for old devices, whose data and packet counters in
 * ports/N/counters have 32 bits. The kernel has no such directory.
 */
static const struct counter_name ext_rows[] = {
	DATA_ROWS(64, "_64"),
	CAST_ROWS("port_"),
};

const struct counter_names counter_names_pma_ext = COUNTER_TABLE(PMA, NULL, ext_rows);
