/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The full screen of rdmactl top: its title, how its lines are divided, processes, events, help;
 * and which counters its model uses from which source.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "top/top_view.h"

#define NOON "2026-11-22T12:00:00.000Z"

struct host {
	struct top top;
	struct process_usage_list processes;
	struct top_view view;
};

static void add_ports(struct host *host, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct top_port *row = mem_append(&host->top.ports, &host->top.port_count,
						  sizeof(*host->top.ports));

		row->object = mem_format("p%zu", i + 1);
		row->device = mem_string("p");
	}
}

static struct process_usage *add_process(struct host *host)
{
	struct process_usage *usage = mem_append(&host->processes.items, &host->processes.count,
						 sizeof(*host->processes.items));

	usage->command = mem_format("run%zu", host->processes.count);
	return usage;
}

static void add_event(struct host *host, uint64_t second)
{
	const struct event_time time = {.wall_nsec = second * 1000000000};

	event_list_add(&host->top.events, EVENT_GAP, &time, EVENT_SOURCE_POLL);
}

static int begin(void **state)
{
	struct host *host = mem_alloc_zero(1, sizeof(*host));

	host->view = (struct top_view){.width = 80, .height = 24, .interval_msec = 1000};
	*state = host;
	return 0;
}

static int end(void **state)
{
	struct host *host = *state;

	process_usage_list_clear(&host->processes);
	top_clear(&host->top);
	free(host);
	return 0;
}

static char *screen(struct host *host)
{
	return top_text(&host->top, &host->processes, &host->view);
}

/*
 * One letter per line: Title, Headings, p for a port, blank, C and c for commands, E and e for
 * events, Keys.
 */
static void assert_shape(size_t height, size_t ports, size_t processes, size_t events,
			 const char *wanted)
{
	void *state = NULL;
	struct host *host;
	_cleanup_(freep) char *text = NULL, *shape = NULL;
	char *line, *rest;

	begin(&state);
	host = state;
	host->view.height = height;
	add_ports(host, ports);
	for (size_t i = 0; i < processes; i++)
		add_process(host);
	for (size_t i = 0; i < events; i++)
		add_event(host, i);
	rest = text = screen(host);
	shape = mem_string("");
	while ((line = strsep(&rest, "\n")))
		mem_extend(&shape, "%s",
			   !strncmp(line, "--:--:--", 8) ? "T"
			   : !strncmp(line, "PORT", 4)	 ? "H"
			   : *line == 'p'		 ? "p"
			   : !*line			 ? "."
			   : strstr(line, "COMMAND")	 ? "C"
			   : strstr(line, " run")	 ? "c"
			   : !strcmp(line, "EVENTS")	 ? "E"
			   : strstr(line, " gap")	 ? "e"
			   : !strncmp(line, "q:quit", 6) ? "K"
							 : "?");
	assert_string_equal(shape, wanted);
	end(&state);
}

static void shares(void **state)
{
	(void)state;
	assert_shape(15, 20, 5, 10, "THppp.Ccc.EeeeK");
	/* One line less: only the ports fit. */
	assert_shape(14, 20, 5, 10, "THpppppppppppK");
	assert_shape(15, 20, 1, 1, "THpppppp.Cc.EeK");
	assert_shape(15, 2, 5, 10, "THpp.Cccc.EeeeK");
	assert_shape(15, 2, 1, 10, "THpp.Cc.EeeeeeK");
	assert_shape(15, 2, 0, 0, "THppK");
	assert_shape(15, 2, 0, 1, "THpp.EeK");
	assert_shape(15, 2, 1, 0, "THpp.CcK");
	assert_shape(8, 2, 5, 0, "THpp.CcK");
	/* A part without room for a row is omitted. */
	assert_shape(7, 2, 5, 5, "THppK");
	assert_shape(7, 2, 0, 5, "THppK");
	assert_shape(8, 2, 0, 5, "THpp.EeK");
	assert_shape(4, 3, 0, 0, "THpK");
	assert_shape(3, 3, 0, 0, "THpK");
	assert_shape(1, 3, 0, 0, "THpK");
}

/* The newest events are shown as far as they fit. */
static void last_events(void **state)
{
	struct host *host = *state;
	_cleanup_(freep) char *text = NULL;

	add_ports(host, 1);
	for (uint64_t i = 0; i < 10; i++)
		add_event(host, i);
	host->view.height = 8;
	text = screen(host);
	assert_non_null(strstr(text, "EVENTS\n00:00:08Z - gap \n00:00:09Z - gap \nq:"));
}

static void assert_title(struct host *host, const char *wanted)
{
	_cleanup_(freep) char *text = screen(host);

	text[strcspn(text, "\n")] = '\0';
	assert_string_equal(text, wanted);
}

static void titles(void **state)
{
	struct host *host = *state;

	assert_title(host, "--:--:-- every 1 s, 0 ports");
	host->top.time = mem_string(NOON);
	add_ports(host, 1);
	assert_title(host, "12:00:00Z every 1 s, 1 port");
	host->view.interval_msec = 1500;
	host->view.problem_count = 1;
	assert_title(host, "12:00:00Z every 1.5 s, 1 port, 1 problem: shown at the end");
	host->view.problem_count = 2;
	add_ports(host, 2);
	assert_title(host, "12:00:00Z every 1.5 s, 3 ports, 2 problems: shown at the end");
	host->view.problem_count = 0;
	host->view.order = TOP_BY_RX;
	host->view.paused = true;
	strcpy(host->view.filter, "p");
	assert_title(host, "PAUSED 12:00:00Z every 1.5 s, only 'p', 3 ports, by rx");
	/* A part of the title that does not fit is omitted, and a later one may still fit. */
	host->view.width = 54;
	assert_title(host, "PAUSED 12:00:00Z every 1.5 s, only 'p', 3 ports, by rx");
	host->view.width = 53;
	assert_title(host, "PAUSED 12:00:00Z every 1.5 s, only 'p', 3 ports");
	host->view.width = 16;
	assert_title(host, "PAUSED 12:00:00Z");
	host->view.width = 15;
	assert_title(host, "PAUSED , by rx");
	host->view.paused = false;
	host->view.filter[0] = '\0';
	host->view.order = TOP_BY_PORT;
	host->view.width = 9;
	assert_title(host, "12:00:00Z");
	host->view.width = 8;
	assert_title(host, "");
	/* Which ports are visible; the first one never exceeds the number of ports. */
	host->view.width = 80;
	host->view.height = 5;
	assert_title(host, "12:00:00Z every 1.5 s, ports 1-2 of 3");
	host->view.first = 9;
	assert_title(host, "12:00:00Z every 1.5 s, ports 2-3 of 3");
	assert_int_equal(host->view.first, 1);
	host->view.height = 6;
	assert_title(host, "12:00:00Z every 1.5 s, 3 ports");
	assert_int_equal(host->view.first, 0);
}

static void assert_part(struct host *host, const char *wanted)
{
	_cleanup_(freep) char *text = screen(host);

	if (!strstr(text, wanted))
		fail_msg("no '%s' in:\n%s", wanted, text);
}

static void keys_and_help(void **state)
{
	struct host *host = *state;

	host->view.height = 12;
	assert_part(host, "\nno RDMA port now\nq:quit h:help p:pause s:sort /:filter + -:interval");
	host->view.width = 10;
	assert_part(host, "\nno RDMA po\nq:quit");
	host->view.width = 13;
	assert_part(host, "\nq:quit h:help");
	host->view.width = 80;
	strcpy(host->view.filter, "x");
	assert_part(host, "\nno port matches; ESC shows all\nq:quit");
	host->view.typing = true;
	assert_part(host, "\nonly: x_");
	host->view.width = 7;
	assert_part(host, "\nonly: x");
	host->view.width = 80;
	host->view.typing = false;
	host->view.filter[0] = '\0';
	add_process(host);
	add_event(host, 0);
	host->view.help = true;
	assert_part(host, "no RDMA port now\n\n"
			  "s S   next, previous order     / f   only ports with this in name or "
			  "state\n"
			  "p     pause, go on             + -   longer, shorter interval\n"
			  "j k   scroll (arrows)          ESC   no filter     h  no help     q  "
			  "quit\n"
			  "DROPS RETR ECN CNP WAIT FLAPS count since the start; a + moves now\n"
			  "12.3n: bytes of the netdev, which are not only RDMA\n"
			  "CONG: ECN marks and CNPs; 12t: ticks of waiting to send\nq:quit");
	add_ports(host, 1);
	host->view.height = 6;
	host->view.width = 20;
	assert_part(host, "\n\ns S   next, previous\nq:quit");
}

static void bytes(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {{0, "0B"},	     {1023, "1023B"},	 {1024, "1.0K"},    {10188, "9.9K"},
		     {10189, "10K"}, {1048063, "1023K"}, {1048064, "1.0M"}, {UINT64_MAX, "16E"}};
	struct host *host = *state;
	struct process_usage *usage = add_process(host);

	usage->pid = number_of(1234567);
	usage->counts[RESOURCE_QP] = number_of(5);
	assert_part(host, "\n1234567 run1                 5         -      -          - -\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *line = NULL;

		usage->pinned_bytes = number_of(cases[i].value);
		usage->registered_bytes = number_of(cases[i].value);
		line = mem_format("     5 %9s      - %10s -\n", cases[i].text, cases[i].text);
		assert_part(host, line);
	}
}

/* Columns of processes at the smallest widths that have room for them. */
static void widths_of_processes(void **state)
{
	static const struct {
		size_t width;
		const char *line;
	} cases[] = {
		{6, "\n\n\n"},
		{7, "\n    PID\n      -\n"},
		{23, "\n    PID COMMAND        \n      - run1           \n"},
		{66, "\n    PID COMMAND             QP    PINNED     MR REGISTERED \n"
		     "      - run1                 -         -      -          - \n"},
		{67, "\n    PID COMMAND             QP    PINNED     MR REGISTERED DEVICES\n"
		     "      - run1                 -         -      -          - mlx5_0,m\n"},
		{75,
		 "\n      - run1                 -         -      -          - mlx5_0,mlx5_1\n"},
	};
	struct host *host = *state;
	struct process_usage *usage = add_process(host);

	strings_add(&usage->devices, "mlx5_0");
	strings_add(&usage->devices, "mlx5_1");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		host->view.width = cases[i].width;
		if (cases[i].width < 67 && cases[i].width > 7) {
			_cleanup_(freep) char *text = screen(host);

			assert_null(strstr(text, "DEVICES"));
		}
		if (cases[i].width >= 75)
			assert_part(host, cases[i].line + 1);
		else
			assert_part(host, cases[i].line);
	}
}

/* ---- The model: what is counted once, and what is omitted ---- */

struct model {
	struct inventory inventory;
	struct counter_changes changes;
	struct counter_readings readings;
	struct top top;
};

static void add_device(struct model *model, const char *name, unsigned int ports)
{
	struct device *device = device_list_add(&model->inventory.devices, name);

	for (unsigned int i = 1; i <= ports; i++)
		device_add_port(device, i);
}

static struct counter_reading reading_of(const struct model *model, size_t device, int port,
					 enum counter_source source, const char *name)
{
	struct counter_reading reading = {
		.device = &model->inventory.devices.items[device],
		.source = source,
		.kernel_name = name,
		.name = counter_name_find_in(source, name),
	};

	assert_non_null(reading.name);
	reading.counter = reading.name->canonical;
	if (port >= 0)
		reading.port = &reading.device->ports[port];
	return reading;
}

static struct counter_change *add_change(struct model *model, int port, enum counter_source source,
					 const char *name, uint64_t growth)
{
	struct counter_change *change = mem_append(&model->changes.items, &model->changes.count,
						   sizeof(*model->changes.items));

	change->reading = reading_of(model, 0, port, source, name);
	change->state = number_of(CHANGE_COUNTED);
	change->growth = number_of(growth);
	change->rate_per_sec = real_of((double)growth);
	return change;
}

static void update(struct model *model, const char *time)
{
	top_update(&model->top, &model->inventory, &model->changes, time);
	counter_changes_clear(&model->changes);
}

static int begin_model(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct model));
	return 0;
}

static int end_model(void **state)
{
	struct model *model = *state;

	counter_changes_clear(&model->changes);
	counter_readings_clear(&model->readings);
	device_list_clear(&model->inventory.devices);
	top_clear(&model->top);
	free(model);
	return 0;
}

/* Which counters are read at all. */
static void wanted(void **state)
{
	static const struct {
		enum counter_source source;
		const char *name;
		bool wanted;
	} cases[] = {
		{COUNTER_SOURCE_PMA, "port_xmit_data", true},
		{COUNTER_SOURCE_PMA, "port_rcv_packets", true},
		{COUNTER_SOURCE_PMA, "port_xmit_wait", true},
		{COUNTER_SOURCE_PMA, "link_downed", true},
		{COUNTER_SOURCE_PMA, "unicast_rcv_packets", false},
		{COUNTER_SOURCE_HW, "np_cnp_sent", true},
		{COUNTER_SOURCE_HW, "np_ecn_marked_roce_packets", true},
		{COUNTER_SOURCE_HW, "cc_rx_ce_pkts", true},
		{COUNTER_SOURCE_HW, "packet_seq_err", true},
		{COUNTER_SOURCE_HW, "rdma_read_wrs", false},
		{COUNTER_SOURCE_HW, "send_bytes", false},
		{COUNTER_SOURCE_HW, "keep_alive_rcvd", false},
		{COUNTER_SOURCE_NETDEV, "tx_bytes", true},
		{COUNTER_SOURCE_NETDEV, "rx_packets", true},
		{COUNTER_SOURCE_NETDEV, "rx_dropped", false},
		{COUNTER_SOURCE_NETDEV, "rx_errors", false},
	};

	(void)state;
	assert_false(top_wants(COUNTER_SOURCE_HW, NULL));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct counter_name *name = counter_name_find_in(cases[i].source,
								       cases[i].name);

		assert_non_null(name);
		if (top_wants(cases[i].source, name) != cases[i].wanted)
			fail_msg("%s", cases[i].name);
		assert_false(top_wants(COUNTER_SOURCE_CM, name));
	}
}

/* Packets in two counters count once; counters of the device belong to its only port. */
static void counted_once(void **state)
{
	struct model *model = *state;
	struct counter_change *gone;
	const struct top_port *port;

	add_device(model, "m0", 1);
	add_change(model, 0, COUNTER_SOURCE_HW, "cc_tx_cnp_pkts", 5);
	add_change(model, 0, COUNTER_SOURCE_HW, "np_cnp_sent", 7);
	add_change(model, 0, COUNTER_SOURCE_HW, "rp_cnp_handled", 2);
	add_change(model, 0, COUNTER_SOURCE_HW, "cc_rx_ce_pkts", 4);
	add_change(model, -1, COUNTER_SOURCE_PMA, "port_xmit_data", 125);
	add_change(model, 0, COUNTER_SOURCE_NETDEV, "tx_bytes", 1000);
	gone = add_change(model, 0, COUNTER_SOURCE_PMA, "port_rcv_data", 9);
	gone->state = number_of(CHANGE_GONE);
	gone->growth.known = false;
	add_change(model, 0, COUNTER_SOURCE_NETDEV, "rx_bytes", 250);
	update(model, NOON);
	port = &model->top.ports[0];
	assert_int_equal(port->totals[TOP_CNP].value, 9);
	assert_int_equal(port->totals[TOP_ECN].value, 4);
	assert_int_equal(port->totals[TOP_TX_BYTES].value, 125);
	/* If a counter disappears, the next best takes its place. */
	assert_int_equal(port->totals[TOP_RX_BYTES].value, 250);
	assert_int_equal(port->bytes_source.value, COUNTER_SOURCE_NETDEV);
	/* Without a link rate, there is no share of it. */
	assert_true(port->tx_gbps.known);
	assert_false(port->tx_percent.known);
	model->inventory.devices.items[0].ports[0].rate_gbps = real_of(0);
	add_change(model, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1250000000);
	update(model, NOON);
	assert_false(model->top.ports[0].tx_percent.known);
	model->inventory.devices.items[0].ports[0].rate_gbps = real_of(40);
	add_change(model, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1250000000);
	update(model, NOON);
	assert_true(model->top.ports[0].tx_percent.known);
	assert_float_equal(model->top.ports[0].tx_percent.value, 25, 1e-9);
	assert_int_equal(model->top.ports[0].totals[TOP_TX_BYTES].value, 2500000125);
}

/* Counters of a device with two ports belong to neither; new ports are inserted in order. */
static void ports_of_devices(void **state)
{
	struct model *model = *state;

	add_device(model, "m10", 2);
	add_change(model, -1, COUNTER_SOURCE_PMA, "port_xmit_data", 125);
	add_change(model, 1, COUNTER_SOURCE_PMA, "port_xmit_data", 250);
	update(model, NOON);
	assert_int_equal(model->top.port_count, 2);
	assert_false(model->top.ports[0].totals[TOP_TX_BYTES].known);
	assert_int_equal(model->top.ports[1].totals[TOP_TX_BYTES].value, 250);
	add_device(model, "m9", 1);
	update(model, NOON);
	assert_int_equal(model->top.port_count, 3);
	assert_string_equal(model->top.ports[0].object, "m9/1");
	assert_string_equal(model->top.ports[1].object, "m10/1");
	assert_int_equal(model->top.ports[2].totals[TOP_TX_BYTES].value, 250);
	assert_false(model->top.ports[2].flaps.known);
}

/* The most serious counter that moves, and the fastest of these. */
static void the_worst(void **state)
{
	struct model *model = *state;

	add_device(model, "m0", 1);
	add_change(model, 0, COUNTER_SOURCE_PMA, "port_xmit_data", 1000);
	add_change(model, 0, COUNTER_SOURCE_PMA, "link_downed", 0);
	update(model, NOON);
	assert_null(model->top.ports[0].worst.counter);
	add_change(model, 0, COUNTER_SOURCE_HW, "out_of_buffer", 3);
	add_change(model, 0, COUNTER_SOURCE_HW, "packet_seq_err", 5);
	add_change(model, 0, COUNTER_SOURCE_HW, "out_of_sequence", 4);
	update(model, NOON);
	assert_string_equal(model->top.ports[0].worst.counter,
			    counter_name_find_in(COUNTER_SOURCE_HW, "packet_seq_err")->canonical);
	assert_int_equal(model->top.ports[0].worst.severity.value, COUNTER_WARNING);
	add_change(model, 0, COUNTER_SOURCE_PMA, "link_downed", 1);
	add_change(model, 0, COUNTER_SOURCE_HW, "packet_seq_err", 500);
	add_change(model, 0, COUNTER_SOURCE_NETDEV, "rx_errors", 900);
	update(model, "2026-11-22T12:00:01.000Z");
	assert_string_equal(model->top.ports[0].worst.counter, "link_downed");
	assert_string_equal(model->top.ports[0].worst.time, "2026-11-22T12:00:01.000Z");
	assert_true(model->top.ports[0].worst.per_sec.value == 1);
	/* The next round starts without one, and the last one that moved is kept. */
	add_change(model, 0, COUNTER_SOURCE_HW, "packet_seq_err", 1);
	update(model, "2026-11-22T12:00:02.000Z");
	assert_int_equal(model->top.ports[0].worst.severity.value, COUNTER_WARNING);
}

static void take(struct model *model, size_t device, int port, enum counter_source source,
		 const char *name)
{
	*(struct counter_reading *)mem_append(
		&model->readings.items, &model->readings.count,
		sizeof(*model->readings.items)) = reading_of(model, device, port, source, name);
}

/* Whether all ports count the bytes that they send. */
static void bytes_of_all_ports(void **state)
{
	struct model *model = *state;

	assert_true(top_has_bytes(&model->inventory, &model->readings));
	add_device(model, "m0", 2);
	add_device(model, "m1", 1);
	take(model, 0, 0, COUNTER_SOURCE_PMA, "port_rcv_data");
	take(model, 0, 0, COUNTER_SOURCE_PMA, "port_xmit_data");
	take(model, 0, 0, COUNTER_SOURCE_PMA, "port_xmit_data");
	take(model, 0, -1, COUNTER_SOURCE_PMA, "port_xmit_data");
	take(model, 0, 1, COUNTER_SOURCE_PMA, "port_xmit_packets");
	take(model, 0, 1, COUNTER_SOURCE_NETDEV, "tx_bytes");
	take(model, 1, -1, COUNTER_SOURCE_PMA, "port_xmit_data");
	assert_false(top_has_bytes(&model->inventory, &model->readings));
	take(model, 0, 1, COUNTER_SOURCE_PMA, "port_xmit_data");
	assert_true(top_has_bytes(&model->inventory, &model->readings));
	/* An old kernel has the file without a PMA: it counts nothing. */
	model->readings.items[model->readings.count - 1].problem = "N/A (no PMA)";
	assert_false(top_has_bytes(&model->inventory, &model->readings));
}

/*
 * An event on something else, or without a device, is no flap; the oldest events are dropped first.
 */
static void flaps(void **state)
{
	struct model *model = *state;
	struct event_list events = {0};

	add_device(model, "m0", 1);
	model->top.watched = true;
	update(model, NOON);
	for (uint64_t i = 0; i < TOP_EVENTS + 2; i++) {
		const struct event_time time = {.wall_nsec = i};
		struct event *event = event_list_add(
			&events, i % 2 ? EVENT_PORT_DOWN : EVENT_NETDEV_DOWN, &time, 0);

		event->port = number_of(i % 4 == 3 ? 2 : 1);
		event->device = i ? mem_string("m0") : NULL;
	}
	event_list_add(&events, EVENT_PORT_DOWN, &(struct event_time){.wall_nsec = 99}, 0);
	top_take_events(&model->top, &events);
	assert_null(events.items);
	assert_int_equal(model->top.ports[0].flaps.value, (TOP_EVENTS + 2 + 3) / 4);
	assert_int_equal(model->top.events.count, TOP_EVENTS);
	for (size_t i = 0; i + 1 < TOP_EVENTS; i++)
		assert_int_equal(model->top.events.items[i].time.wall_nsec, i + 3);
	assert_int_equal(model->top.events.items[TOP_EVENTS - 1].time.wall_nsec, 99);
}

#define SCREEN(name_) cmocka_unit_test_setup_teardown(name_, begin, end)
#define MODEL(name_)  cmocka_unit_test_setup_teardown(name_, begin_model, end_model)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		SCREEN(last_events),
		SCREEN(titles),
		SCREEN(keys_and_help),
		SCREEN(bytes),
		SCREEN(widths_of_processes),
		cmocka_unit_test(wanted),
		MODEL(counted_once),
		MODEL(ports_of_devices),
		MODEL(the_worst),
		MODEL(bytes_of_all_ports),
		MODEL(flaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
