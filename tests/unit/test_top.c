/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What rdmactl top computes from readings, and the lines of its screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "top/top_view.h"

#define NOON "2026-11-22T12:00:00.000Z"

/* Two adapters with one port each; the second is a software device, which counts no bytes. */
struct host {
	struct inventory inventory;
	struct counter_changes changes;
	struct top top;
	struct process_usage_list processes;
	struct top_view view;
};

static void add_port(struct host *host, const char *name, const char *netdev)
{
	struct device *device = device_list_add(&host->inventory.devices, name);
	struct port *port = device_add_port(device, 1);

	number_set(&port->state, PORT_STATE_ACTIVE);
	port->rate_gbps = real_of(100);
	port->netdev = mem_string(netdev);
}

static int begin(void **state)
{
	struct host *host = mem_alloc_zero(1, sizeof(*host));

	add_port(host, "mlx5_0", "eth0");
	add_port(host, "rxe0", "eth1");
	host->top.watched = true;
	host->view = (struct top_view){.width = 80, .height = 24, .interval_msec = 1000};
	*state = host;
	return 0;
}

static int end(void **state)
{
	struct host *host = *state;

	counter_changes_clear(&host->changes);
	device_list_clear(&host->inventory.devices);
	process_usage_list_clear(&host->processes);
	top_clear(&host->top);
	free(host);
	return 0;
}

/* Adds a change of the counter with this kernel name, in one second. */
static struct counter_change *change(struct host *host, size_t device, enum counter_source source,
				     const char *name, uint64_t growth)
{
	struct counter_change *change = mem_append(&host->changes.items, &host->changes.count,
						   sizeof(*host->changes.items));

	change->reading.device = &host->inventory.devices.items[device];
	change->reading.port = &change->reading.device->ports[0];
	change->reading.source = source;
	change->reading.kernel_name = name;
	change->reading.name = counter_name_find_in(source, name);
	assert_non_null(change->reading.name);
	change->reading.counter = change->reading.name->canonical;
	number_set(&change->state, CHANGE_COUNTED);
	change->growth = number_of(growth);
	change->rate_per_sec = real_of((double)growth);
	return change;
}

static void update(struct host *host, const char *time)
{
	top_update(&host->top, &host->inventory, &host->changes, time);
	counter_changes_clear(&host->changes);
}

/* 50 Gb/s out, 1 Mb/s in, losses and congestion; the netdev of the other device sends 1 Gb/s. */
static void add_traffic(struct host *host)
{
	change(host, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 6250000000);
	change(host, 0, COUNTER_SOURCE_PMA, "port_rcv_data", 125000);
	change(host, 0, COUNTER_SOURCE_PMA, "port_xmit_packets", 1500000);
	change(host, 0, COUNTER_SOURCE_PMA, "port_rcv_packets", 250);
	change(host, 0, COUNTER_SOURCE_PMA, "port_xmit_wait", 0);
	change(host, 0, COUNTER_SOURCE_HW, "out_of_buffer", 12);
	change(host, 0, COUNTER_SOURCE_HW, "packet_seq_err", 3);
	change(host, 0, COUNTER_SOURCE_HW, "np_ecn_marked_roce_packets", 2000);
	change(host, 0, COUNTER_SOURCE_HW, "np_cnp_sent", 1000);
	/* The netdev counts the same bytes as the adapter. */
	change(host, 0, COUNTER_SOURCE_NETDEV, "tx_bytes", 1);
	change(host, 1, COUNTER_SOURCE_HW, "sent_pkts", 100);
	change(host, 1, COUNTER_SOURCE_HW, "rcvd_pkts", 50);
	change(host, 1, COUNTER_SOURCE_NETDEV, "tx_bytes", 125000000);
	change(host, 1, COUNTER_SOURCE_NETDEV, "rx_bytes", 0);
}

static void rates(void **state)
{
	struct host *host = *state;
	const struct top_port *port;

	add_traffic(host);
	update(host, NOON);
	assert_int_equal(host->top.port_count, 2);
	port = &host->top.ports[0];
	assert_string_equal(port->object, "mlx5_0/1");
	assert_true(port->tx_gbps.known && port->tx_gbps.value == 50);
	assert_true(port->tx_percent.known && port->tx_percent.value == 50);
	assert_true(port->rx_gbps.known && port->rx_gbps.value == 0.001);
	assert_int_equal(port->bytes_source.value, COUNTER_SOURCE_PMA);
	assert_int_equal(port->totals[TOP_DROPS].value, 12);
	assert_int_equal(port->totals[TOP_RETRANSMISSIONS].value, 3);
	assert_int_equal(port->totals[TOP_ECN].value, 2000);
	assert_int_equal(port->totals[TOP_CNP].value, 1000);
	assert_true(port->totals[TOP_WAIT].known && !port->totals[TOP_WAIT].value);
	assert_string_equal(port->worst.counter, "rx_out_of_buffer");
	port = &host->top.ports[1];
	assert_int_equal(port->bytes_source.value, COUNTER_SOURCE_NETDEV);
	assert_true(port->tx_gbps.value == 1);
	assert_true(port->per_sec[TOP_TX_PACKETS].value == 100);
	assert_false(port->totals[TOP_WAIT].known);
	assert_null(port->worst.counter);
}

/* Each counter belongs to one sum, or to none. */
static void sums(void **state)
{
	enum { NO_SUM = TOP_SUMS };
	static const struct {
		enum counter_source source;
		const char *name;
		unsigned int sum;
	} cases[] = {
		{COUNTER_SOURCE_PMA, "port_xmit_data", TOP_TX_BYTES},
		{COUNTER_SOURCE_PMA, "port_rcv_data", TOP_RX_BYTES},
		{COUNTER_SOURCE_PMA, "port_xmit_packets", TOP_TX_PACKETS},
		{COUNTER_SOURCE_PMA, "port_rcv_packets", TOP_RX_PACKETS},
		{COUNTER_SOURCE_PMA, "unicast_rcv_packets", NO_SUM},
		{COUNTER_SOURCE_PMA, "port_xmit_wait", TOP_WAIT},
		{COUNTER_SOURCE_PMA, "port_xmit_discards", TOP_DROPS},
		{COUNTER_SOURCE_PMA, "VL15_dropped", TOP_DROPS},
		{COUNTER_SOURCE_PMA, "symbol_error", NO_SUM},
		{COUNTER_SOURCE_PMA, "link_downed", NO_SUM},
		{COUNTER_SOURCE_HW, "out_of_buffer", TOP_DROPS},
		{COUNTER_SOURCE_HW, "packet_seq_err", TOP_RETRANSMISSIONS},
		{COUNTER_SOURCE_HW, "rp_cnp_handled", TOP_CNP},
		{COUNTER_SOURCE_HW, "rp_cnp_ignored", TOP_CNP},
		{COUNTER_SOURCE_HW, "np_cnp_sent", TOP_CNP},
		{COUNTER_SOURCE_HW, "np_ecn_marked_roce_packets", TOP_ECN},
		{COUNTER_SOURCE_HW, "cc_rx_ce_pkts", TOP_ECN},
		{COUNTER_SOURCE_HW, "cc_rx_cnp_pkts", TOP_CNP},
		{COUNTER_SOURCE_HW, "cc_tx_cnp_pkts", TOP_CNP},
		{COUNTER_SOURCE_HW, "DcMarkFcn", TOP_ECN},
		{COUNTER_SOURCE_HW, "DcMarkFcnVl0", NO_SUM},
		{COUNTER_SOURCE_HW, "DcRcvFcn", NO_SUM},
		{COUNTER_SOURCE_HW, "TxWait", NO_SUM},
		{COUNTER_SOURCE_HW, "TxWaitVL0", NO_SUM},
		{COUNTER_SOURCE_HW, "TxFlowStall,32", NO_SUM},
		{COUNTER_SOURCE_HW, "LoopPkts", NO_SUM},
		{COUNTER_SOURCE_HW, "TxPktVL0", NO_SUM},
		{COUNTER_SOURCE_HW, "TxFlitVL0", NO_SUM},
		{COUNTER_SOURCE_HW, "ecn_doorbell", NO_SUM},
		{COUNTER_SOURCE_HW, "current_rate", NO_SUM},
		{COUNTER_SOURCE_NETDEV, "tx_bytes", TOP_TX_BYTES},
		{COUNTER_SOURCE_NETDEV, "rx_packets", TOP_RX_PACKETS},
		{COUNTER_SOURCE_NETDEV, "rx_dropped", NO_SUM},
	};
	struct host *host = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct top_port *row;

		change(host, 0, cases[i].source, cases[i].name, 7);
		update(host, NOON);
		row = &host->top.ports[0];
		for (unsigned int sum = 0; sum < TOP_SUMS; sum++)
			if (row->totals[sum].known != (sum == cases[i].sum) ||
			    row->per_sec[sum].known != (sum == cases[i].sum))
				fail_msg("%s: sum %u", cases[i].name, sum);
		if (cases[i].sum != NO_SUM)
			assert_int_equal(row->totals[cases[i].sum].value, 7);
		top_clear(&host->top);
	}
}

/* An event counted in two places counts once: mana by port and device, mlx5 if configured. */
static void counted_twice(void **state)
{
	struct host *host = *state;

	change(host, 0, COUNTER_SOURCE_HW, "received_cnps", 5);
	change(host, 0, COUNTER_SOURCE_DEVICE, "sent_cnps", 2)->reading.port = NULL;
	change(host, 0, COUNTER_SOURCE_DEVICE, "received_cnp_count", 5)->reading.port = NULL;
	change(host, 1, COUNTER_SOURCE_HW, "np_cnp_sent", 3);
	change(host, 1, COUNTER_SOURCE_HW, "cc_tx_cnp_pkts", 3);
	update(host, NOON);
	assert_int_equal(host->top.ports[0].totals[TOP_CNP].value, 7);
	assert_int_equal(host->top.ports[1].totals[TOP_CNP].value, 3);
}

/* Counters that belong to no row are skipped, and those after them are not. */
static void without_rows(void **state)
{
	struct host *host = *state;
	struct device *two = device_list_add(&host->inventory.devices, "two");

	device_add_port(two, 1);
	device_add_port(two, 2);
	/* A counter of a device with two ports, of a missing port, and of no device. */
	change(host, 2, COUNTER_SOURCE_HW, "out_of_buffer", 1)->reading.port = NULL;
	change(host, 2, COUNTER_SOURCE_HW, "out_of_buffer", 1);
	change(host, 2, COUNTER_SOURCE_HW, "out_of_buffer", 1)->reading.device = NULL;
	host->changes.items[2].reading.port = NULL;
	change(host, 0, COUNTER_SOURCE_HW, "out_of_buffer", 2)->reading.port = NULL;
	change(host, 1, COUNTER_SOURCE_HW, "out_of_buffer", 4);
	host->inventory.devices.count = 2;
	top_update(&host->top, &host->inventory, &host->changes, NOON);
	host->inventory.devices.count = 3;
	assert_int_equal(host->top.port_count, 2);
	assert_int_equal(host->top.ports[0].totals[TOP_DROPS].value, 2);
	assert_int_equal(host->top.ports[1].totals[TOP_DROPS].value, 4);
}

/* Sums accumulate while rates are those of one round; the worst counter stays with its time. */
static void rounds(void **state)
{
	struct host *host = *state;
	const struct top_port *port;

	add_traffic(host);
	update(host, NOON);
	change(host, 0, COUNTER_SOURCE_HW, "out_of_buffer", 0);
	change(host, 0, COUNTER_SOURCE_PMA, "link_downed", 0);
	update(host, "2026-11-22T12:00:01.000Z");
	port = &host->top.ports[0];
	assert_int_equal(port->totals[TOP_DROPS].value, 12);
	assert_true(port->per_sec[TOP_DROPS].known && port->per_sec[TOP_DROPS].value == 0);
	assert_false(port->tx_gbps.known);
	assert_string_equal(port->worst.counter, "rx_out_of_buffer");
	assert_string_equal(port->worst.time, NOON);
	assert_false(port->worst.per_sec.known);
	/* A serious counter is worse than a faster one. */
	change(host, 0, COUNTER_SOURCE_HW, "out_of_buffer", 1000);
	change(host, 0, COUNTER_SOURCE_PMA, "link_downed", 1);
	update(host, "2026-11-22T12:00:02.000Z");
	port = &host->top.ports[0];
	assert_string_equal(port->worst.counter, "link_downed");
	assert_int_equal(port->totals[TOP_DROPS].value, 1012);
}

/* Bytes that the adapter counts but that cannot be read are unknown: the netdev's are others. */
static void unreadable(void **state)
{
	struct host *host = *state;
	struct counter_change *bytes = change(host, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1);

	number_set(&bytes->state, CHANGE_UNREADABLE);
	bytes->growth.known = bytes->rate_per_sec.known = false;
	change(host, 0, COUNTER_SOURCE_NETDEV, "tx_bytes", 1);
	update(host, NOON);
	assert_false(host->top.ports[0].tx_gbps.known);
	assert_false(host->top.ports[0].bytes_source.known);
}

/* An old kernel has a file for a counter that the driver lacks: another place counts. */
static void absent(void **state)
{
	struct host *host = *state;
	struct counter_change *bytes = change(host, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1);

	number_set(&bytes->state, CHANGE_UNREADABLE);
	bytes->growth.known = bytes->rate_per_sec.known = false;
	bytes->reading.problem = "N/A (no PMA)";
	change(host, 0, COUNTER_SOURCE_NETDEV, "tx_bytes", 125);
	update(host, NOON);
	assert_int_equal(host->top.ports[0].totals[TOP_TX_BYTES].value, 125);
	assert_int_equal(host->top.ports[0].bytes_source.value, COUNTER_SOURCE_NETDEV);
}

static void flap(struct host *host, const char *device, enum event_word word)
{
	const struct event_time time = {.wall_nsec = 1795348800000000000};
	struct event_list events = {0};
	struct event *event = event_list_add(&events, word, &time, EVENT_SOURCE_POLL);

	event->device = mem_string(device);
	event->object = mem_format("%s/1", device);
	event->port = number_of(1);
	event->change = mem_string("state active -> down");
	top_take_events(&host->top, &events);
	assert_int_equal(events.count, 0);
}

static void events(void **state)
{
	struct host *host = *state;

	update(host, NOON);
	assert_true(host->top.ports[0].flaps.known && !host->top.ports[0].flaps.value);
	for (int i = 0; i < TOP_EVENTS + 1; i++)
		flap(host, "mlx5_0", EVENT_PORT_DOWN);
	flap(host, "rxe0", EVENT_PORT_ACTIVE);
	flap(host, "unknown", EVENT_PORT_DOWN);
	assert_int_equal(host->top.ports[0].flaps.value, TOP_EVENTS + 1);
	assert_int_equal(host->top.ports[1].flaps.value, 0);
	assert_int_equal(host->top.events.count, TOP_EVENTS);
	assert_string_equal(host->top.events.items[TOP_EVENTS - 1].device, "unknown");
}

/* A port that is gone keeps its row and its sums. */
static void gone(void **state)
{
	struct host *host = *state;
	const struct inventory none = {.root = NULL};

	add_traffic(host);
	update(host, NOON);
	top_update(&host->top, &none, &host->changes, NOON);
	assert_int_equal(host->top.port_count, 2);
	assert_int_equal(host->top.ports[0].present, TRISTATE_NO);
	assert_false(host->top.ports[0].state.known);
	assert_int_equal(host->top.ports[0].totals[TOP_DROPS].value, 12);
	update(host, NOON);
	assert_int_equal(host->top.ports[0].present, TRISTATE_YES);
}

static void add_processes(struct host *host)
{
	struct process_usage *usage = mem_append(&host->processes.items, &host->processes.count,
						 sizeof(*host->processes.items));

	usage->pid = number_of(4711);
	usage->command = mem_string("a-very-long-command");
	usage->counts[RESOURCE_QP] = number_of(64);
	usage->counts[RESOURCE_MR] = number_of(1200);
	usage->pinned_bytes = number_of(UINT64_C(5) << 30);
	usage->registered_bytes = number_of(1536);
	strings_add(&usage->devices, "mlx5_0");
	usage = mem_append(&host->processes.items, &host->processes.count,
			   sizeof(*host->processes.items));
	usage->command = mem_string("[ib_ipoib]");
	usage->counts[RESOURCE_QP] = number_of(2);
}

static void assert_screen(struct host *host, size_t width, size_t height, const char *wanted)
{
	_cleanup_(freep) char *text = NULL;

	host->view.width = width;
	host->view.height = height;
	text = top_text(&host->top, &host->processes, &host->view);
	assert_string_equal(text, wanted);
}

static void fill(struct host *host)
{
	update(host, NOON);
	flap(host, "mlx5_0", EVENT_PORT_DOWN);
	add_traffic(host);
	update(host, NOON);
	add_processes(host);
}

static void at_80(void **state)
{
	fill(*state);
	assert_screen(
		*state, 80, 24,
		"12:00:00Z every 1 s, 2 ports\n"
		"PORT     STATE     TX Gb/s          RX Gb/s       PKT/S DROPS  RETR   CONG FLAPS\n"
		"mlx5_0/1 active  50.0 [####    ]  <.01 [#       ]  1.5M   12+    3+  3.0k+     1\n"
		"rxe0/1   active 1.00n [#       ] 0.00n [        ]   150     -     -      -     0\n"
		"\n"
		"    PID COMMAND             QP    PINNED     MR REGISTERED DEVICES\n"
		"   4711 a-very-long-com     64      5.0G   1200       1.5K mlx5_0\n"
		"      - [ib_ipoib]           2         -      -          - -\n"
		"\n"
		"EVENTS\n"
		"12:00:00Z mlx5_0/1 port-down state active -> down\n"
		"q:quit h:help p:pause s:sort /:filter + -:interval");
}

static void at_40(void **state)
{
	fill(*state);
	assert_screen(*state, 40, 24,
		      "12:00:00Z every 1 s, 2 ports\n"
		      "PORT     STATE     TX    RX DROPS  RETR\n"
		      "mlx5_0/1 active  50.0  <.01   12+    3+\n"
		      "rxe0/1   active 1.00n 0.00n     -     -\n"
		      "\n"
		      "    PID COMMAND             QP    PINNED\n"
		      "   4711 a-very-long-com     64      5.0G\n"
		      "      - [ib_ipoib]           2         -\n"
		      "\n"
		      "EVENTS\n"
		      "12:00:00Z mlx5_0/1 port-down state active -> down\n"
		      "q:quit h:help p:pause s:sort /:filter");
}

static void at_132(void **state)
{
	fill(*state);
	assert_screen(*state, 132, 24,
		      "12:00:00Z every 1 s, 2 ports\n"
		      "PORT     STATE     TX Gb/s              RX Gb/s           PKT/S DROPS  RETR "
		      "  ECN   CNP  WAIT FLAPS WORST\n"
		      "mlx5_0/1 active  50.0 [######      ]  <.01 [#           ]  1.5M   12+    3+ "
		      "2.0k+ 1.0k+     0     1 12 rx_out_of_buffer/s\n"
		      "rxe0/1   active 1.00n [#           ] 0.00n [            ]   150     -     - "
		      "    -     -     -     0 -\n"
		      "\n"
		      "    PID COMMAND             QP    PINNED     MR REGISTERED DEVICES\n"
		      "   4711 a-very-long-com     64      5.0G   1200       1.5K mlx5_0\n"
		      "      - [ib_ipoib]           2         -      -          - -\n"
		      "\n"
		      "EVENTS\n"
		      "12:00:00Z mlx5_0/1 port-down state active -> down\n"
		      "q:quit h:help p:pause s:sort /:filter + -:interval");
}

static void at_200(void **state)
{
	fill(*state);
	assert_screen(*state, 200, 24,
		      "12:00:00Z every 1 s, 2 ports\n"
		      "PORT     STATE     TX Gb/s                          RX Gb/s                 "
		      "      PKT/S DROPS  RETR   ECN   CNP  WAIT FLAPS WORST\n"
		      "mlx5_0/1 active  50.0 [############            ]  <.01 [#                   "
		      "    ]  1.5M   12+    3+ 2.0k+ 1.0k+     0     1 12 rx_out_of_buffer/s\n"
		      "rxe0/1   active 1.00n [#                       ] 0.00n [                    "
		      "    ]   150     -     -     -     -     -     0 -\n"
		      "\n"
		      "    PID COMMAND             QP    PINNED     MR REGISTERED DEVICES\n"
		      "   4711 a-very-long-com     64      5.0G   1200       1.5K mlx5_0\n"
		      "      - [ib_ipoib]           2         -      -          - -\n"
		      "\n"
		      "EVENTS\n"
		      "12:00:00Z mlx5_0/1 port-down state active -> down\n"
		      "q:quit h:help p:pause s:sort /:filter + -:interval");
}

/* Five lines: the ports take priority over the rest. */
static void low(void **state)
{
	fill(*state);
	assert_screen(*state, 40, 5,
		      "12:00:00Z every 1 s, 2 ports\n"
		      "PORT     STATE     TX    RX DROPS  RETR\n"
		      "mlx5_0/1 active  50.0  <.01   12+    3+\n"
		      "rxe0/1   active 1.00n 0.00n     -     -\n"
		      "q:quit h:help p:pause s:sort /:filter");
	assert_screen(*state, 40, 4,
		      "12:00:00Z every 1 s, ports 1-1 of 2\n"
		      "PORT     STATE     TX    RX DROPS  RETR\n"
		      "mlx5_0/1 active  50.0  <.01   12+    3+\n"
		      "q:quit h:help p:pause s:sort /:filter");
	assert_screen(*state, 12, 2,
		      "12:00:00Z\n"
		      "PORT\n"
		      "mlx5_0/1\n"
		      "q:quit");
}

/* Names with multibyte characters are cut between characters. */
static void wide_names(void **state)
{
	struct host *host = *state;

	add_port(host, "\303\244\303\266\303\274\303\244\303\266\303\274\303\244", "eth2");
	update(host, NOON);
	assert_screen(host, 40, 24,
		      "12:00:00Z every 1 s, 3 ports\n"
		      "PORT          STATE     TX    RX DROPS\n"
		      "mlx5_0/1      active     -     -     -\n"
		      "rxe0/1        active     -     -     -\n"
		      "\303\244\303\266\303\274\303\244\303\266\303\274  active     -     -     -\n"
		      "q:quit h:help p:pause s:sort /:filter");
}

static void gone_and_color(void **state)
{
	struct host *host = *state;
	const struct inventory none = {.root = NULL};

	add_traffic(host);
	update(host, NOON);
	add_traffic(host);
	host->inventory.devices.count = 1;
	update(host, "2026-11-22T12:00:01.000Z");
	host->view.color = true;
	assert_screen(host, 132, 24,
		      "12:00:01Z every 1 s, 2 ports\n"
		      "PORT     STATE     TX Gb/s              RX Gb/s           PKT/S DROPS  RETR "
		      "  ECN   CNP  WAIT FLAPS WORST\n"
		      "mlx5_0/1 \033[32mactive\033[0m  50.0 [######      ]  <.01 [#           ]  "
		      "1.5M   \033[31m24+\033[0m    \033[33m6+\033[0m 4.0k+ 2.0k+     0     0 "
		      "\033[33m12 rx_out_of_buffer/s\033[0m\n"
		      "rxe0/1   \033[31mgone\033[0m       - -                  - -                 "
		      " -     -     -     -     -     -     0 -\n"
		      "q:quit h:help p:pause s:sort /:filter + -:interval");
	host->inventory.devices.count = 2;
	top_update(&host->top, &none, &host->changes, NOON);
}

static enum top_action press(struct host *host, const char *keys)
{
	const size_t length = strlen(keys);
	char *bytes = mem_alloc_zero(length, 1);
	enum top_action action, last;

	/*
	 * Without a terminating NUL, as read(2) returns them: the sanitizer sees one byte too many.
	 */
	memcpy(bytes, keys, length);
	action = top_keys(&host->view, bytes, length);
	last = top_keys_end(&host->view);
	free(bytes);
	return last == TOP_NOTHING ? action : last;
}

static void keys(void **state)
{
	struct host *host = *state;
	struct top_view *view = &host->view;

	assert_int_equal(press(host, "x"), TOP_NOTHING);
	assert_int_equal(press(host, "q"), TOP_QUIT);
	assert_int_equal(press(host, "s"), TOP_DRAW);
	assert_int_equal(view->order, TOP_BY_TX);
	press(host, "SS");
	assert_int_equal(view->order, TOP_BY_FLAPS);
	press(host, "s");
	assert_int_equal(view->order, TOP_BY_PORT);
	press(host, "+++");
	assert_int_equal(view->interval_msec, 10000);
	for (int i = 0; i < 20; i++)
		press(host, "+");
	assert_int_equal(view->interval_msec, 600000);
	for (int i = 0; i < 20; i++)
		press(host, "-");
	assert_int_equal(view->interval_msec, 100);
	view->interval_msec = 700;
	press(host, "-");
	assert_int_equal(view->interval_msec, 500);
	press(host, "p");
	assert_true(view->paused);
	press(host, " ");
	assert_false(view->paused);
	press(host, "\033[B\033OB");
	assert_int_equal(view->first, 2);
	press(host, "\033[A");
	assert_int_equal(view->first, 1);
	/* Other sequences, complete or not, are not keys. */
	assert_int_equal(press(host, "\033[1;5C\033[15~"), TOP_NOTHING);
	assert_int_equal(press(host, "\033["), TOP_NOTHING);
	assert_int_equal(press(host, "\377\200"), TOP_NOTHING);
	/* While a filter is typed, letters are not keys, and controls are not letters. */
	assert_int_equal(press(host, "/q\001\303\266s"), TOP_DRAW);
	assert_true(view->typing);
	assert_string_equal(view->filter, "qs");
	press(host, "\177\r");
	assert_false(view->typing);
	assert_string_equal(view->filter, "q");
	press(host, "\033");
	assert_string_equal(view->filter, "");
	press(host, "/0123456789012345678901234567890123456789\n");
	assert_int_equal(strlen(view->filter), TOP_FILTER_SIZE - 1);
}

static void assert_order(struct host *host, const char *wanted)
{
	_cleanup_(freep) const struct top_port **rows = NULL;
	_cleanup_(freep) char *text = NULL;
	size_t count;

	rows = top_choose(&host->top, &host->view, &count);
	text = mem_string("");
	for (size_t i = 0; i < count; i++)
		mem_extend(&text, "%s ", rows[i]->object);
	assert_string_equal(text, wanted);
}

static void order_and_filter(void **state)
{
	struct host *host = *state;

	update(host, NOON);
	flap(host, "rxe0", EVENT_PORT_DOWN);
	add_traffic(host);
	update(host, NOON);
	assert_order(host, "mlx5_0/1 rxe0/1 ");
	host->view.order = TOP_BY_FLAPS;
	assert_order(host, "rxe0/1 mlx5_0/1 ");
	for (enum top_order order = TOP_BY_TX; order < TOP_BY_FLAPS; order++) {
		host->view.order = order;
		assert_order(host, "mlx5_0/1 rxe0/1 ");
	}
	press(host, "/ETH1\r");
	assert_order(host, "rxe0/1 ");
	press(host, "/activ\r");
	assert_order(host, "mlx5_0/1 rxe0/1 ");
	press(host, "/down\r");
	assert_order(host, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rates, begin, end),
		cmocka_unit_test_setup_teardown(sums, begin, end),
		cmocka_unit_test_setup_teardown(counted_twice, begin, end),
		cmocka_unit_test_setup_teardown(without_rows, begin, end),
		cmocka_unit_test_setup_teardown(rounds, begin, end),
		cmocka_unit_test_setup_teardown(unreadable, begin, end),
		cmocka_unit_test_setup_teardown(absent, begin, end),
		cmocka_unit_test_setup_teardown(events, begin, end),
		cmocka_unit_test_setup_teardown(gone, begin, end),
		cmocka_unit_test_setup_teardown(at_40, begin, end),
		cmocka_unit_test_setup_teardown(at_80, begin, end),
		cmocka_unit_test_setup_teardown(at_132, begin, end),
		cmocka_unit_test_setup_teardown(at_200, begin, end),
		cmocka_unit_test_setup_teardown(low, begin, end),
		cmocka_unit_test_setup_teardown(wide_names, begin, end),
		cmocka_unit_test_setup_teardown(gone_and_color, begin, end),
		cmocka_unit_test_setup_teardown(keys, begin, end),
		cmocka_unit_test_setup_teardown(order_and_filter, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
