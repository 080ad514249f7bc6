/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "top/top_view.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "render/format.h"

enum { CELL_SIZE = 96, LONGEST_PORT = 24, LEAST_BAR = 6, WIDEST_BAR = 26, LEAST_WORST = 24 };
enum { WIDEST_WORST = 60 };

struct cell {
	const struct column *column;
	char text[CELL_SIZE];
	size_t width;
	enum tone tone;
};

struct column {
	const char *heading;
	size_t width;
	bool left;
	void (*put)(const struct top_port *row, struct cell *cell);
	size_t member; /* a struct real of the row */
	enum top_sum sum;
	enum tone tone; /* while the sum grows */
};

static const struct real *real_of_cell(const struct top_port *row, const struct cell *cell)
{
	return (const struct real *)((const char *)row + cell->column->member);
}

/* Three digits: 0.44, 12.3, 400. A flow too slow for that is "<.01" rather than 0. */
static int format_rate(double value, char *text, size_t size)
{
	if (value > 0 && value < 0.005)
		return snprintf(text, size, "<.01");
	if (value < 9.995)
		return snprintf(text, size, "%.2f", value);
	return snprintf(text, size, value < 99.95 ? "%.1f" : "%.0f", value);
}

/* At most four characters: 999, 1.2k, 12k, 345M. */
static int format_count(double value, char *text, size_t size)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t unit = 0;

	while (value >= 999.5 && unit + 1 < ARRAY_SIZE(units)) {
		value /= 1000;
		unit++;
	}
	return snprintf(text, size, unit && value < 9.95 ? "%.1f%s" : "%.0f%s", value, units[unit]);
}

static void put_port(const struct top_port *row, struct cell *cell)
{
	snprintf(cell->text, sizeof(cell->text), "%s", row->object);
}

static void put_state(const struct top_port *row, struct cell *cell)
{
	const struct enum_name *name = row->state.known
					       ? enum_find(port_state_names, row->state.value)
					       : NULL;

	if (row->present == TRISTATE_NO) {
		snprintf(cell->text, sizeof(cell->text), "gone");
		cell->tone = TONE_BAD;
	} else if (name) {
		snprintf(cell->text, sizeof(cell->text), "%s", name->word);
		cell->tone = name->tone;
	}
}

/* Marks a number of the netdev with n, because it includes more than RDMA. */
static void put_gbps(const struct top_port *row, struct cell *cell)
{
	const struct real *gbps = real_of_cell(row, cell);
	int length;

	if (!gbps->known)
		return;
	length = format_rate(gbps->value, cell->text, sizeof(cell->text));
	if (row->bytes_source.known && row->bytes_source.value == COUNTER_SOURCE_NETDEV)
		snprintf(cell->text + length, sizeof(cell->text) - (size_t)length, "n");
}

/* [###   ]: in proportion to the rate; any traffic has at least one mark. */
static void put_bar(const struct top_port *row, struct cell *cell)
{
	const struct real *percent = real_of_cell(row, cell);
	const size_t width = cell->width, room = width - 2;
	size_t marks;

	if (!percent->known)
		return;
	marks = (size_t)((percent->value > 100 ? 100 : percent->value) * (double)room / 100 + 0.5);
	if (!marks && percent->value > 0)
		marks = 1;
	memset(cell->text, ' ', width);
	cell->text[0] = '[';
	memset(cell->text + 1, '#', marks);
	cell->text[width - 1] = ']';
	cell->text[width] = 0;
}

static void put_packets(const struct top_port *row, struct cell *cell)
{
	const struct real *tx = &row->per_sec[TOP_TX_PACKETS], *rx = &row->per_sec[TOP_RX_PACKETS];

	if (tx->known || rx->known)
		format_count(tx->value + rx->value, cell->text, sizeof(cell->text));
}

/* The sum since the start, with a + if it moved in the last round. */
static void put_sum(const struct number *total, const struct real *per_sec, const char *unit,
		    enum tone tone, struct cell *cell)
{
	int length;

	if (!total->known)
		return;
	length = format_count((double)total->value, cell->text, sizeof(cell->text));
	snprintf(cell->text + length, sizeof(cell->text) - (size_t)length, "%s%s", unit,
		 per_sec->known && per_sec->value > 0 ? "+" : "");
	if (per_sec->known && per_sec->value > 0)
		cell->tone = tone;
}

static void put_total(const struct top_port *row, struct cell *cell)
{
	const struct column *column = cell->column;

	put_sum(&row->totals[column->sum], &row->per_sec[column->sum], "", column->tone, cell);
}

/* Congestion control packets if there are any, else ticks of waiting, which InfiniBand has. */
static void put_congestion(const struct top_port *row, struct cell *cell)
{
	const struct number *ecn = &row->totals[TOP_ECN], *cnp = &row->totals[TOP_CNP];
	const struct real rate = {
		.value = row->per_sec[TOP_ECN].value + row->per_sec[TOP_CNP].value,
		.known = true,
	};
	const struct number sum = number_of(ecn->value + cnp->value);
	const struct number *wait = &row->totals[TOP_WAIT];

	if (wait->known && wait->value && !sum.value)
		put_sum(wait, &row->per_sec[TOP_WAIT], "t", TONE_PLAIN, cell);
	else if (ecn->known || cnp->known || wait->known)
		put_sum(&sum, &rate, "", TONE_PLAIN, cell);
}

static void put_flaps(const struct top_port *row, struct cell *cell)
{
	if (!row->flaps.known)
		return;
	format_count((double)row->flaps.value, cell->text, sizeof(cell->text));
	if (row->flaps.value)
		cell->tone = TONE_BAD;
}

static void put_worst(const struct top_port *row, struct cell *cell)
{
	const struct top_worst *worst = &row->worst;
	char rate[16];

	if (!worst->counter)
		return;
	if (worst->per_sec.known) {
		if (worst->per_sec.value < 9.95)
			snprintf(rate, sizeof(rate), "%.1f", worst->per_sec.value);
		else
			format_count(worst->per_sec.value, rate, sizeof(rate));
		snprintf(cell->text, sizeof(cell->text), "%s %s/s", rate, worst->counter);
		cell->tone = worst->severity.value == COUNTER_SERIOUS ? TONE_BAD : TONE_WARNING;
	} else {
		/* RFC 3339: the time of day has a fixed place. */
		snprintf(cell->text, sizeof(cell->text), "%.8sZ %s",
			 strlen(worst->time) > 19 ? worst->time + 11 : "--:--:--", worst->counter);
	}
}

/* In the order of the screen. */
#define MEMBER(member_)	 .member = offsetof(struct top_port, member_)
#define SUM(sum_, tone_) put_total, .sum = sum_, .tone = tone_
static const struct column columns[TOP_COLUMNS] = {
	[TOP_COLUMN_PORT] = {"PORT", 0, true, put_port},
	[TOP_COLUMN_STATE] = {"STATE", 6, true, put_state},
	[TOP_COLUMN_TX] = {"TX", 5, false, put_gbps, MEMBER(tx_gbps)},
	[TOP_COLUMN_TX_BAR] = {"Gb/s", LEAST_BAR, true, put_bar, MEMBER(tx_percent)},
	[TOP_COLUMN_RX] = {"RX", 5, false, put_gbps, MEMBER(rx_gbps)},
	[TOP_COLUMN_RX_BAR] = {"Gb/s", LEAST_BAR, true, put_bar, MEMBER(rx_percent)},
	[TOP_COLUMN_PACKETS] = {"PKT/S", 5, false, put_packets},
	[TOP_COLUMN_DROPS] = {"DROPS", 5, false, SUM(TOP_DROPS, TONE_BAD)},
	[TOP_COLUMN_RETRANSMISSIONS] = {"RETR", 5, false, SUM(TOP_RETRANSMISSIONS, TONE_WARNING)},
	[TOP_COLUMN_CONGESTION] = {"CONG", 6, false, put_congestion},
	[TOP_COLUMN_ECN] = {"ECN", 5, false, SUM(TOP_ECN, TONE_PLAIN)},
	[TOP_COLUMN_CNP] = {"CNP", 5, false, SUM(TOP_CNP, TONE_PLAIN)},
	[TOP_COLUMN_WAIT] = {"WAIT", 5, false, SUM(TOP_WAIT, TONE_PLAIN)},
	[TOP_COLUMN_FLAPS] = {"FLAPS", 5, false, put_flaps},
	[TOP_COLUMN_WORST] = {"WORST", LEAST_WORST, true, put_worst},
};

/* Groups of columns that appear together, the most important ones first. */
static const enum top_column steps[][3] = {
	{TOP_COLUMN_PORT, TOP_COLUMN_TX, TOP_COLUMN_RX},
	{TOP_COLUMN_STATE, TOP_COLUMNS},
	{TOP_COLUMN_DROPS, TOP_COLUMNS},
	{TOP_COLUMN_RETRANSMISSIONS, TOP_COLUMNS},
	{TOP_COLUMN_TX_BAR, TOP_COLUMN_RX_BAR, TOP_COLUMNS},
	{TOP_COLUMN_CONGESTION, TOP_COLUMNS},
	{TOP_COLUMN_FLAPS, TOP_COLUMNS},
	{TOP_COLUMN_PACKETS, TOP_COLUMNS},
	{TOP_COLUMN_ECN, TOP_COLUMN_CNP, TOP_COLUMN_WAIT}, /* instead of their sum */
	{TOP_COLUMN_WORST, TOP_COLUMNS},
};

static size_t width_of_ports(const struct top_port *const *rows, size_t count, size_t width)
{
	size_t widest = strlen(columns[TOP_COLUMN_PORT].heading);

	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i]->object) > widest)
			widest = strlen(rows[i]->object);
	if (widest > LONGEST_PORT)
		widest = LONGEST_PORT;
	/* The numbers matter more than the end of a long name. */
	return widest > width / 3 && width / 3 >= 8 ? width / 3 : widest;
}

/* Adds a step if there is room for it; returns false if not. */
static bool add_step(struct top_cells *cells, const enum top_column step[static 3], size_t *used,
		     size_t width)
{
	const bool splits = step[0] == TOP_COLUMN_ECN;
	size_t more = 0;

	for (size_t i = 0; i < 3 && step[i] != TOP_COLUMNS; i++)
		more += columns[step[i]].width + 1;
	if (splits)
		more -= cells->widths[TOP_COLUMN_CONGESTION] + 1;
	/* The last column needs no blank after it. */
	if (*used + more > width + 1)
		return false;
	for (size_t i = 0; i < 3 && step[i] != TOP_COLUMNS; i++)
		cells->widths[step[i]] = columns[step[i]].width;
	if (splits)
		cells->widths[TOP_COLUMN_CONGESTION] = 0;
	*used += more;
	return true;
}

/* Gives the rest of the line to the bars, and a third of it to the last column. */
static void widen(struct top_cells *cells, size_t rest)
{
	size_t bar = cells->widths[TOP_COLUMN_WORST] ? rest / 3 : rest / 2;

	if (!cells->widths[TOP_COLUMN_TX_BAR])
		return;
	if (bar > WIDEST_BAR - LEAST_BAR)
		bar = WIDEST_BAR - LEAST_BAR;
	cells->widths[TOP_COLUMN_TX_BAR] += bar;
	cells->widths[TOP_COLUMN_RX_BAR] += bar;
	if (!cells->widths[TOP_COLUMN_WORST])
		return;
	cells->widths[TOP_COLUMN_WORST] += rest - 2 * bar;
	if (cells->widths[TOP_COLUMN_WORST] > WIDEST_WORST)
		cells->widths[TOP_COLUMN_WORST] = WIDEST_WORST;
}

struct top_cells top_cells_layout(const struct top_port *const *rows, size_t count, size_t width,
				  bool color)
{
	const size_t port = width_of_ports(rows, count, width);
	struct top_cells cells = {.color = color};
	size_t used = port;

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (!add_step(&cells, steps[i], &used, width))
			break;
	cells.widths[TOP_COLUMN_PORT] = port;
	widen(&cells, width + 1 > used ? width + 1 - used : 0);
	return cells;
}

static void add_cell(struct text_buffer *text, const struct top_cells *cells,
		     enum top_column column, const struct cell *cell, bool last)
{
	const int width = (int)cells->widths[column];
	const char *color = cells->color ? format_tone(cell->tone) : NULL;
	const int length = (int)text_cut(cell->text, cells->widths[column]);
	const int blanks = width - length;

	text_buffer_add(text, "%*s%s%.*s%s%*s", columns[column].left ? 0 : blanks, "",
			color ? color : "", length, cell->text, color ? FORMAT_PLAIN : "",
			columns[column].left && !last ? blanks : 0, "");
	text_buffer_add(text, last ? "\n" : " ");
}

static enum top_column last_column(const struct top_cells *cells)
{
	enum top_column last = TOP_COLUMN_PORT;

	for (enum top_column i = 0; i < TOP_COLUMNS; i++)
		if (cells->widths[i])
			last = i;
	return last;
}

void top_cells_add_headings(struct text_buffer *text, const struct top_cells *cells)
{
	const enum top_column last = last_column(cells);

	for (enum top_column i = 0; i < TOP_COLUMNS; i++) {
		struct cell cell = {.tone = TONE_PLAIN};

		if (!cells->widths[i])
			continue;
		snprintf(cell.text, sizeof(cell.text), "%s", columns[i].heading);
		add_cell(text, cells, i, &cell, i == last);
	}
}

void top_cells_add_row(struct text_buffer *text, const struct top_cells *cells,
		       const struct top_port *row)
{
	const enum top_column last = last_column(cells);

	for (enum top_column i = 0; i < TOP_COLUMNS; i++) {
		const struct column *column = &columns[i];
		struct cell cell = {column, .text = "-", .width = cells->widths[i]};

		if (!cell.width)
			continue;
		column->put(row, &cell);
		add_cell(text, cells, i, &cell, i == last);
	}
}
