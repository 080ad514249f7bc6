/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The screen of rdmactl top at its limits: when numbers change their form, at which width each
 * column appears, how lines are divided, what each key does, and what each order and filter
 * selects.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "borrowed.h"
#include "top/top_view.h"

/* The screen width at which each column appears, which is that of all columns up to it. */
enum {
	TO_RX = 16,
	TO_STATE = 23,
	TO_DROPS = 29,
	TO_RETRANSMISSIONS = 35,
	TO_BARS = 49,
	TO_CONGESTION = 56,
	TO_FLAPS = 62,
	TO_PACKETS = 68,
	TO_ECN = 79,
	TO_WORST = 104,
};

/* Returns a line of the table, at most as wide as the screen: the headings, or one row. */
static char *line_of(const struct top_port *row, size_t width, bool headings)
{
	const struct top_cells cells = top_cells_layout(&row, 1, width, false);
	struct text_buffer text = {0};

	if (headings)
		top_cells_add_headings(&text, &cells);
	else
		top_cells_add_row(&text, &cells, row);
	return text_buffer_take(&text);
}

/* Checks the text of a column by its position among the words of the line; none has blanks. */
static void assert_cell(const struct top_port *row, size_t width, unsigned int place,
			const char *wanted)
{
	_cleanup_(freep) char *line = line_of(row, width, false);
	char *rest = line, *word = NULL;

	for (unsigned int i = 0; i <= place; i++)
		word = strtok_r(i ? NULL : line, " \n", &rest);
	assert_non_null(word);
	assert_string_equal(word, wanted);
}

/* Each column appears at exactly the width that has room for it. */
static void columns(void **state)
{
	static const struct {
		size_t width;
		const char *headings;
	} cases[] = {
		{TO_RX - 1, "PORT\n"},
		{TO_RX, "PORT    TX    RX\n"},
		{TO_STATE - 1, "PORT    TX    RX\n"},
		{TO_STATE, "PORT STATE     TX    RX\n"},
		{TO_DROPS - 1, "PORT STATE     TX    RX\n"},
		{TO_DROPS, "PORT STATE     TX    RX DROPS\n"},
		{TO_RETRANSMISSIONS - 1, "PORT STATE     TX    RX DROPS\n"},
		{TO_RETRANSMISSIONS, "PORT STATE     TX    RX DROPS  RETR\n"},
		{TO_BARS - 1, "PORT STATE     TX    RX DROPS  RETR\n"},
		{TO_BARS, "PORT STATE     TX Gb/s      RX Gb/s   DROPS  RETR\n"},
		/* The remaining width makes the bars wider. */
		{TO_BARS + 2, "PORT STATE     TX Gb/s       RX Gb/s    DROPS  RETR\n"},
		{TO_CONGESTION, "PORT STATE     TX Gb/s      RX Gb/s   DROPS  RETR   CONG\n"},
		{TO_FLAPS, "PORT STATE     TX Gb/s      RX Gb/s   DROPS  RETR   CONG FLAPS\n"},
		{TO_PACKETS,
		 "PORT STATE     TX Gb/s      RX Gb/s   PKT/S DROPS  RETR   CONG FLAPS\n"},
		{TO_ECN,
		 "PORT STATE     TX Gb/s      RX Gb/s   PKT/S DROPS  RETR   ECN   CNP  WAIT "
		 "FLAPS\n"},
		{TO_WORST, "PORT STATE     TX Gb/s      RX Gb/s   PKT/S DROPS  RETR   ECN   CNP  "
			   "WAIT FLAPS WORST\n"},
	};
	const struct top_port row = {.object = borrowed("p")};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *line = line_of(&row, cases[i].width, true);

		assert_string_equal(line, cases[i].headings);
	}
	for (size_t width = TO_BARS; width < 200; width++) {
		_cleanup_(freep) char *before = line_of(&row, width - 1, true);
		_cleanup_(freep) char *line = line_of(&row, width, true);

		assert_true(strlen(line) - 1 <= width);
		/* A column is added only at these widths. */
		if (width != TO_BARS && width != TO_CONGESTION && width != TO_FLAPS &&
		    width != TO_PACKETS && width != TO_ECN && width != TO_WORST) {
			assert_int_equal(!strstr(line, "CONG"), !strstr(before, "CONG"));
			assert_int_equal(!strstr(line, "FLAPS"), !strstr(before, "FLAPS"));
			assert_int_equal(!strstr(line, "PKT/S"), !strstr(before, "PKT/S"));
			assert_int_equal(!strstr(line, "WORST"), !strstr(before, "WORST"));
		}
	}
}

/* Bars grow from 6 to 26, the last column from 24 to 60. */
static void widths(void **state)
{
	static const struct {
		size_t width, bar, worst;
	} cases[] = {
		{TO_BARS, 6, 0},	  {TO_BARS + 1, 6, 0},	   {TO_BARS + 2, 7, 0},
		{TO_BARS + 6, 9, 0},	  {TO_WORST, 6, 24},	   {TO_WORST + 2, 6, 26},
		{TO_WORST + 3, 7, 25},	  {TO_WORST + 30, 16, 34}, {TO_WORST + 59, 25, 45},
		{TO_WORST + 60, 26, 44},  {TO_WORST + 76, 26, 60}, {TO_WORST + 77, 26, 60},
		{TO_WORST + 200, 26, 60},
	};
	static const char *const ports[] = {"123456789012345678901234", /* 24 */
					    "1234567890123456789012345"};
	const struct top_port row = {.object = borrowed("p")};
	const struct top_port *rows[] = {&row};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct top_cells cells = top_cells_layout(rows, 1, cases[i].width, true);

		assert_true(cells.color);
		assert_int_equal(cells.widths[TOP_COLUMN_TX_BAR], cases[i].bar);
		assert_int_equal(cells.widths[TOP_COLUMN_RX_BAR], cases[i].bar);
		assert_int_equal(cells.widths[TOP_COLUMN_WORST], cases[i].worst);
	}
	/* A name takes at most a third of the line, but at least 8 columns and at most 24. */
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		const struct top_port named = {.object = borrowed(ports[i])};
		const struct top_port *both[] = {&row, &named};

		assert_int_equal(top_cells_layout(both, 2, 200, false).widths[0], 24);
		assert_int_equal(top_cells_layout(both, 2, 72, false).widths[0], 24);
		assert_int_equal(top_cells_layout(both, 2, 71, false).widths[0], 23);
		assert_int_equal(top_cells_layout(both, 2, 24, false).widths[0], 8);
		assert_int_equal(top_cells_layout(both, 2, 23, false).widths[0], 24);
		assert_int_equal(top_cells_layout(both, 1, 72, false).widths[0], 4);
	}
	assert_int_equal(top_cells_layout(NULL, 0, 72, false).widths[0], 4);
}

static void rates(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0.00"},      {0.0001, "<.01"}, {0.00499, "<.01"},
		     {0.0051, "0.01"}, {9.994, "9.99"},	 {9.996, "10.0"},
		     {99.94, "99.9"},  {99.96, "100"},	 {400, "400"}};
	struct top_port row = {.object = borrowed("p")};

	(void)state;
	assert_cell(&row, TO_RX, 1, "-");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		row.tx_gbps = real_of(cases[i].value);
		assert_cell(&row, TO_RX, 1, cases[i].text);
	}
	assert_cell(&row, TO_RX, 2, "-");
	row.rx_gbps = real_of(2.5);
	assert_cell(&row, TO_RX, 2, "2.50");
	row.bytes_source = number_of(COUNTER_SOURCE_NETDEV);
	assert_cell(&row, TO_RX, 2, "2.50n");
	row.bytes_source = number_of(COUNTER_SOURCE_HW);
	assert_cell(&row, TO_RX, 2, "2.50");
}

static void counts(void **state)
{
	static const struct {
		uint64_t value;
		const char *text;
	} cases[] = {{0, "0"},		{9, "9"},	    {999, "999"},     {1000, "1.0k"},
		     {9949, "9.9k"},	{9951, "10k"},	    {999499, "999k"}, {999500, "1.0M"},
		     {1000000, "1.0M"}, {UINT64_MAX, "18E"}};
	struct top_port row = {.object = borrowed("p")};

	(void)state;
	assert_cell(&row, TO_DROPS, 4, "-");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		row.totals[TOP_DROPS] = number_of(cases[i].value);
		assert_cell(&row, TO_DROPS, 4, cases[i].text);
	}
	/* A + marks a sum that grew in the last round. */
	row.totals[TOP_DROPS] = number_of(7);
	row.per_sec[TOP_DROPS] = real_of(0);
	assert_cell(&row, TO_DROPS, 4, "7");
	row.per_sec[TOP_DROPS] = real_of(0.001);
	assert_cell(&row, TO_DROPS, 4, "7+");
	row.totals[TOP_RETRANSMISSIONS] = number_of(8);
	assert_cell(&row, TO_RETRANSMISSIONS, 5, "8");
}

/* Room for four marks: rounded, but at least one for any traffic. */
static void bars(void **state)
{
	static const struct {
		double percent;
		const char *bar;
	} cases[] = {{0, "[    ]"},    {0.001, "[#   ]"}, {37.4, "[#   ]"}, {37.6, "[##  ]"},
		     {87.4, "[### ]"}, {87.6, "[####]"},  {100, "[####]"},  {250, "[####]"}};
	struct top_port row = {.object = borrowed("p")};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *wanted = NULL;
		_cleanup_(freep) char *line = NULL;

		row.tx_percent = real_of(cases[i].percent);
		wanted = mem_format("p    -          - %s     - -          -     -\n",
				    cases[i].bar);
		line = line_of(&row, TO_BARS, false);
		assert_string_equal(line, wanted);
	}
}

/* Congestion: marks and packets together; wait ticks only without these. */
static void congestion(void **state)
{
	enum { NONE = -1 };
	static const struct {
		int ecn, cnp, wait;
		double ecn_rate, cnp_rate, wait_rate;
		const char *text;
	} cases[] = {
		{NONE, NONE, NONE, 0, 0, 0, "-"}, {0, NONE, NONE, 0, 0, 0, "0"},
		{NONE, 0, NONE, 0, 0, 0, "0"},	  {NONE, NONE, 0, 0, 0, 0, "0"},
		{NONE, NONE, 5, 0, 0, 0, "5t"},	  {NONE, NONE, 5, 0, 0, 1, "5t+"},
		{0, 0, 5, 0, 0, 0, "5t"},	  {3, 4, 5, 0, 0, 1, "7"},
		{3, 4, NONE, 1, 0, 0, "7+"},	  {3, 4, 0, 0, 1, 0, "7+"},
		{1, NONE, 5, 0, 0, 0, "1"},	  {NONE, 1, 5, 0, 0, 0, "1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct top_port row = {.object = borrowed("p")};

		if (cases[i].ecn >= 0)
			row.totals[TOP_ECN] = number_of((uint64_t)cases[i].ecn);
		if (cases[i].cnp >= 0)
			row.totals[TOP_CNP] = number_of((uint64_t)cases[i].cnp);
		if (cases[i].wait >= 0)
			row.totals[TOP_WAIT] = number_of((uint64_t)cases[i].wait);
		row.per_sec[TOP_ECN] = real_of(cases[i].ecn_rate);
		row.per_sec[TOP_CNP] = real_of(cases[i].cnp_rate);
		row.per_sec[TOP_WAIT] = real_of(cases[i].wait_rate);
		assert_cell(&row, TO_CONGESTION, 8, cases[i].text);
	}
}

static void packets_and_flaps(void **state)
{
	struct top_port row = {.object = borrowed("p")};

	(void)state;
	assert_cell(&row, TO_PACKETS, 6, "-");
	row.per_sec[TOP_TX_PACKETS] = real_of(3);
	assert_cell(&row, TO_PACKETS, 6, "3");
	row.per_sec[TOP_RX_PACKETS] = real_of(4);
	assert_cell(&row, TO_PACKETS, 6, "7");
	row.per_sec[TOP_TX_PACKETS] = (struct real){.known = false};
	assert_cell(&row, TO_PACKETS, 6, "4");
	assert_cell(&row, TO_FLAPS, 9, "-");
	row.flaps = number_of(2);
	assert_cell(&row, TO_FLAPS, 9, "2");
	row.totals[TOP_CNP] = number_of(5);
	row.totals[TOP_WAIT] = number_of(6);
	assert_cell(&row, TO_ECN, 10, "5");
	assert_cell(&row, TO_ECN, 11, "6");
}

/* The worst counter: its rate, or when it last moved; its colour shows its severity. */
static void worst(void **state)
{
	static const struct {
		enum counter_severity severity;
		double per_sec; /* below 0: not now */
		const char *time, *text;
	} cases[] = {
		{COUNTER_WARNING, 0.25, "", "\033[33m0.2 lost/s\033[0m\n"},
		{COUNTER_SERIOUS, 9.94, "", "\033[31m9.9 lost/s\033[0m\n"},
		{COUNTER_SERIOUS, 9.96, "", "\033[31m10 lost/s\033[0m\n"},
		{COUNTER_SERIOUS, 1200, "", "\033[31m1.2k lost/s\033[0m\n"},
		{COUNTER_SERIOUS, -1, "2026-11-22T12:34:56.000Z", "12:34:56Z lost\n"},
		{COUNTER_SERIOUS, -1, "2026-11-22T12:34:56Z", "12:34:56Z lost\n"},
		{COUNTER_SERIOUS, -1, "2026-11-22T12:34:56", "--:--:--Z lost\n"},
	};
	struct top_port row = {.object = borrowed("p")};
	const struct top_port *rows[] = {&row};
	const struct top_cells cells = top_cells_layout(rows, 1, TO_WORST, true);

	(void)state;
	row.worst.counter = borrowed("lost");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct text_buffer text = {0};
		_cleanup_(freep) char *line = NULL;

		row.worst.severity = number_of(cases[i].severity);
		row.worst.per_sec = (struct real){.known = cases[i].per_sec >= 0,
						  .value = cases[i].per_sec};
		row.worst.time = borrowed(cases[i].time);
		top_cells_add_row(&text, &cells, &row);
		line = text_buffer_take(&text);
		assert_true(strlen(line) > strlen(cases[i].text));
		assert_string_equal(line + strlen(line) - strlen(cases[i].text), cases[i].text);
	}
}

/* ---- Keys ---- */

/* The keys, and a while in which no other follows. */
static enum top_action press(struct top_view *view, const char *keys)
{
	const enum top_action action = top_keys(view, keys, strlen(keys));
	const enum top_action last = top_keys_end(view);

	return last == TOP_NOTHING ? action : last;
}

static void intervals(void **state)
{
	static const uint64_t steps[] = {100,	200,   500,   1000,   2000,  5000,
					 10000, 30000, 60000, 300000, 600000};
	struct top_view view = {.interval_msec = 100};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		assert_int_equal(view.interval_msec, steps[i]);
		assert_int_equal(press(&view, i % 2 ? "+" : "="), TOP_DRAW);
	}
	for (size_t i = ARRAY_SIZE(steps); i-- > 0;) {
		assert_int_equal(view.interval_msec, steps[i]);
		assert_int_equal(press(&view, "-"), TOP_DRAW);
	}
	assert_int_equal(view.interval_msec, 100);
}

static void keys(void **state)
{
	struct top_view view = {.order = TOP_BY_PORT};

	(void)state;
	assert_int_equal(press(&view, ""), TOP_NOTHING);
	assert_int_equal(press(&view, "Q"), TOP_QUIT);
	/*
	 * Keys after the one that quits are ignored, and a key without effect does not hide others.
	 */
	assert_int_equal(press(&view, "qs"), TOP_QUIT);
	assert_int_equal(view.order, TOP_BY_PORT);
	assert_int_equal(press(&view, "sx"), TOP_DRAW);
	assert_int_equal(view.order, TOP_BY_TX);
	assert_int_equal(press(&view, "k"), TOP_DRAW);
	assert_int_equal(view.first, 0);
	press(&view, "jjjk");
	assert_int_equal(view.first, 2);
	press(&view, "h");
	assert_true(view.help);
	press(&view, "?");
	assert_false(view.help);
	press(&view, "?\033");
	assert_false(view.help);
	/* A sequence ends with its final byte: the next byte is a key. */
	press(&view, "\033[1;5Cs");
	assert_int_equal(view.order, TOP_BY_RX);
	press(&view, "\033[@s\033[1~s");
	assert_int_equal(view.order, TOP_BY_DROPS);
	press(&view, "\033xs");
	assert_int_equal(view.order, TOP_BY_RETRANSMISSIONS);
	assert_int_equal(press(&view, "\033[A\033[B"), TOP_DRAW);
	assert_int_equal(view.first, 2);
}

/* A sequence may arrive in any two pieces; ESC is a key only if nothing follows, or another key. */
static void pieces(void **state)
{
	static const char down[] = "\033[1;2B";
	struct top_view view = {.help = true};

	(void)state;
	for (size_t i = 1; i < strlen(down); i++) {
		assert_int_equal(top_keys(&view, down, i), TOP_NOTHING);
		assert_true(view.help);
		assert_int_not_equal(view.escape, TOP_NO_ESCAPE);
		assert_int_equal(top_keys(&view, down + i, strlen(down) - i), TOP_DRAW);
		assert_int_equal(view.escape, TOP_NO_ESCAPE);
		assert_int_equal(view.first, i);
	}
	/* What is left of a sequence is no letter of the filter. */
	press(&view, "/x");
	top_keys(&view, "\033[", 2);
	top_keys(&view, "A", 1);
	assert_string_equal(view.filter, "x");
	top_keys(&view, "\033[1", 3);
	assert_int_equal(top_keys_end(&view), TOP_NOTHING);
	assert_true(view.typing);
	assert_int_equal(top_keys(&view, "\033", 1), TOP_NOTHING);
	assert_int_equal(top_keys_end(&view), TOP_DRAW);
	assert_false(view.typing);
	assert_int_equal(top_keys_end(&view), TOP_NOTHING);
	assert_int_equal(top_keys(&view, "\033\033", 2), TOP_DRAW);
	assert_false(view.help);
	assert_int_equal(top_keys(&view, "OA", 2), TOP_DRAW);
	assert_int_equal(view.first, 0);
	view.help = true;
	assert_int_equal(top_keys(&view, "\033", 1), TOP_NOTHING);
	assert_int_equal(top_keys(&view, "x", 1), TOP_DRAW);
	assert_false(view.help);
}

static void filter(void **state)
{
	struct top_view view = {.first = 3, .filter = "old"};

	(void)state;
	assert_int_equal(press(&view, "f"), TOP_DRAW);
	assert_true(view.typing);
	assert_string_equal(view.filter, "");
	assert_int_equal(view.first, 0);
	/* There is nothing to erase; arrows have no effect while a filter is typed. */
	press(&view, "\b\177");
	assert_string_equal(view.filter, "");
	assert_int_equal(press(&view, "\033[B"), TOP_NOTHING);
	assert_int_equal(view.first, 0);
	press(&view, " ~\037\177a");
	assert_string_equal(view.filter, " a");
	press(&view, "b\bc");
	assert_string_equal(view.filter, " ac");
	view.first = 2;
	press(&view, "\025");
	assert_string_equal(view.filter, "");
	assert_int_equal(view.first, 0);
	assert_true(view.typing);
	press(&view, "x\n");
	assert_false(view.typing);
	press(&view, "/yz\033");
	assert_false(view.typing);
	assert_string_equal(view.filter, "");
	press(&view, "/1234567890123456789012345678901");
	assert_int_equal(strlen(view.filter), TOP_FILTER_SIZE - 1);
	press(&view, "2");
	assert_string_equal(view.filter, "1234567890123456789012345678901");
}

/* ---- Order and filter ---- */

static char *order_of(const struct top *top, enum top_order order, const char *only)
{
	struct top_view view = {.order = order};
	_cleanup_(freep) const struct top_port **rows = NULL;
	char *text = mem_string("");
	size_t count;

	strcpy(view.filter, only);
	rows = top_choose(top, &view, &count);
	for (size_t i = 0; i < count; i++)
		mem_extend(&text, "%s", rows[i]->object);
	return text;
}

#define assert_order(top_, order_, only_, wanted_)                            \
	do {                                                                  \
		_cleanup_(freep) char *text_ = order_of(top_, order_, only_); \
                                                                              \
		assert_string_equal(text_, wanted_);                          \
	} while (0)

/* The largest comes first, and equal ones stay in the order of their names. */
static void orders(void **state)
{
	struct top_port ports[4] = {{.object = borrowed("a")},
				    {.object = borrowed("b")},
				    {.object = borrowed("c")},
				    {.object = borrowed("d")}};
	struct top top = {.ports = ports, .port_count = ARRAY_SIZE(ports)};

	(void)state;
	for (enum top_order order = 0; order < TOP_ORDERS; order++)
		assert_order(&top, order, "", "abcd");
	ports[1].tx_gbps = ports[2].rx_gbps = real_of(1);
	/* An unknown value counts as nothing. */
	ports[3].tx_gbps.value = ports[3].rx_gbps.value = 9;
	assert_order(&top, TOP_BY_TX, "", "bacd");
	assert_order(&top, TOP_BY_RX, "", "cabd");
	ports[0].per_sec[TOP_TX_PACKETS] = real_of(3);
	ports[1].per_sec[TOP_TX_PACKETS] = real_of(2);
	ports[1].per_sec[TOP_RX_PACKETS] = real_of(2);
	ports[2].per_sec[TOP_RX_PACKETS] = real_of(5);
	assert_order(&top, TOP_BY_PACKETS, "", "cbad");
	ports[3].totals[TOP_DROPS] = ports[2].totals[TOP_RETRANSMISSIONS] = number_of(1);
	assert_order(&top, TOP_BY_DROPS, "", "dabc");
	assert_order(&top, TOP_BY_RETRANSMISSIONS, "", "cabd");
	/* Any packet counts more than all wait ticks. */
	ports[0].totals[TOP_WAIT] = number_of(1000000);
	ports[1].totals[TOP_WAIT] = number_of(2000000);
	ports[2].totals[TOP_CNP] = number_of(1);
	ports[3].totals[TOP_CNP] = number_of(1);
	ports[3].totals[TOP_ECN] = number_of(1);
	assert_order(&top, TOP_BY_CONGESTION, "", "dcba");
	ports[2].totals[TOP_ECN] = number_of(7);
	ports[2].totals[TOP_CNP] = number_of(0);
	assert_order(&top, TOP_BY_CONGESTION, "", "cdba");
	ports[2].flaps = number_of(1);
	ports[3].flaps = number_of(2);
	assert_order(&top, TOP_BY_FLAPS, "", "dcab");
}

static void filters(void **state)
{
	struct top_port ports[3] = {
		{.object = borrowed("mlx5_0/1"),
		 .netdev = borrowed("eth0"),
		 .present = TRISTATE_YES,
		 .state = {.known = true, .value = PORT_STATE_ACTIVE}},
		{.object = borrowed("rxe0/1"),
		 .present = TRISTATE_YES,
		 .state = {.known = true, .value = PORT_STATE_DOWN}},
		{.object = borrowed("siw0/1"), .netdev = borrowed("eth2"), .present = TRISTATE_NO},
	};
	const struct top top = {.ports = ports, .port_count = ARRAY_SIZE(ports)};

	(void)state;
	assert_order(&top, TOP_BY_PORT, "", "mlx5_0/1rxe0/1siw0/1");
	assert_order(&top, TOP_BY_PORT, "MLX", "mlx5_0/1");
	assert_order(&top, TOP_BY_PORT, "eth", "mlx5_0/1siw0/1");
	assert_order(&top, TOP_BY_PORT, "DOWN", "rxe0/1");
	assert_order(&top, TOP_BY_PORT, "gone", "siw0/1");
	assert_order(&top, TOP_BY_PORT, "active", "mlx5_0/1");
	assert_order(&top, TOP_BY_PORT, "x", "mlx5_0/1rxe0/1");
	assert_order(&top, TOP_BY_PORT, "none", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(widths),
		cmocka_unit_test(rates),
		cmocka_unit_test(counts),
		cmocka_unit_test(bars),
		cmocka_unit_test(congestion),
		cmocka_unit_test(packets_and_flaps),
		cmocka_unit_test(worst),
		cmocka_unit_test(intervals),
		cmocka_unit_test(keys),
		cmocka_unit_test(filter),
		cmocka_unit_test(pieces),
		cmocka_unit_test(orders),
		cmocka_unit_test(filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
