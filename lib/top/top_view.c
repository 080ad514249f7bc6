/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys, order and filter. */
#include "top/top_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const struct enum_name top_order_names[] = {
	{TOP_BY_PORT, "port", TONE_PLAIN, "names of devices and ports"},
	{TOP_BY_TX, "tx", TONE_PLAIN, "bytes sent"},
	{TOP_BY_RX, "rx", TONE_PLAIN, "bytes received"},
	{TOP_BY_PACKETS, "packets", TONE_PLAIN, "packets sent and received"},
	{TOP_BY_DROPS, "drops", TONE_PLAIN, "packets lost since the start"},
	{TOP_BY_RETRANSMISSIONS, "retransmissions", TONE_PLAIN, "since the start"},
	{TOP_BY_CONGESTION, "congestion", TONE_PLAIN,
	 "ECN marks and CNPs since the start, then ticks of waiting"},
	{TOP_BY_FLAPS, "flaps", TONE_PLAIN, "times that the port went down since the start"},
	{0, NULL},
};

static const uint64_t intervals_msec[] = {100,	 200,	500,   1000,   2000,  5000,
					  10000, 30000, 60000, 300000, 600000};

enum { ESCAPE = 0x1b, DELETE = 0x7f, BACKSPACE = 0x08, ERASE_ALL = 0x15 };

/* Sets the next interval of the list that is longer, or shorter. */
static void set_interval(struct top_view *view, bool longer)
{
	const size_t count = ARRAY_SIZE(intervals_msec);

	for (size_t i = 0; i < count; i++) {
		const uint64_t msec = intervals_msec[longer ? i : count - 1 - i];

		if (longer ? msec > view->interval_msec : msec < view->interval_msec) {
			view->interval_msec = msec;
			return;
		}
	}
}

/* A key while the filter is being typed. */
static void type_key(struct top_view *view, unsigned char key)
{
	const size_t length = strlen(view->filter);

	if (key == '\r' || key == '\n') {
		view->typing = false;
	} else if (key == ESCAPE) {
		view->typing = false;
		view->filter[0] = 0;
	} else if (key == DELETE || key == BACKSPACE) {
		if (length)
			view->filter[length - 1] = 0;
	} else if (key == ERASE_ALL) {
		view->filter[0] = 0;
	} else if (key >= ' ' && key < DELETE && length + 1 < sizeof(view->filter)) {
		view->filter[length] = (char)key;
		view->filter[length + 1] = 0;
	}
	view->first = 0;
}

static enum top_action take_key(struct top_view *view, unsigned char key)
{
	switch (key) {
	case 'q':
	case 'Q':
		return TOP_QUIT;
	case 's':
		view->order = (view->order + 1) % TOP_ORDERS;
		break;
	case 'S':
		view->order = (view->order + TOP_ORDERS - 1) % TOP_ORDERS;
		break;
	case '/':
	case 'f':
		view->typing = true;
		view->filter[0] = 0;
		view->first = 0;
		break;
	case 'p':
	case ' ':
		view->paused = !view->paused;
		break;
	case '+':
	case '=':
		set_interval(view, true);
		break;
	case '-':
		set_interval(view, false);
		break;
	case 'h':
	case '?':
		view->help = !view->help;
		break;
	case 'j':
		view->first++;
		break;
	case 'k':
		view->first -= view->first > 0;
		break;
	case ESCAPE:
		view->help = false;
		view->filter[0] = 0;
		break;
	default:
		return TOP_NOTHING;
	}
	return TOP_DRAW;
}

static enum top_action take_key_or_type(struct top_view *view, char key)
{
	if (!view->typing)
		return take_key(view, (unsigned char)key);
	type_key(view, (unsigned char)key);
	return TOP_DRAW;
}

static enum top_action take_sequence(struct top_view *view, char last)
{
	if (view->typing)
		return TOP_NOTHING;
	if (last == 'A')
		return take_key(view, 'k');
	return last == 'B' ? take_key(view, 'j') : TOP_NOTHING;
}

/*
 * A terminal sends some keys as a control sequence (ECMA-48, 5.4: CSI, parameters, a final byte
 * from @ to ~), or as ESC O and a letter.
 */
static enum top_action take_byte(struct top_view *view, char byte)
{
	const enum top_escape escape = view->escape;
	enum top_action action = TOP_NOTHING;

	if (escape == TOP_IN_SEQUENCE) {
		if (byte < '@' || byte > '~')
			return TOP_NOTHING;
		view->escape = TOP_NO_ESCAPE;
		return take_sequence(view, byte);
	}
	if (escape == TOP_AFTER_ESCAPE && (byte == '[' || byte == 'O')) {
		view->escape = TOP_IN_SEQUENCE;
		return TOP_NOTHING;
	}
	if (escape == TOP_AFTER_ESCAPE)
		action = take_key_or_type(view, ESCAPE);
	view->escape = byte == ESCAPE ? TOP_AFTER_ESCAPE : TOP_NO_ESCAPE;
	if (byte != ESCAPE) {
		const enum top_action next = take_key_or_type(view, byte);

		action = next == TOP_NOTHING ? action : next;
	}
	return action;
}

enum top_action top_keys(struct top_view *view, const char *bytes, size_t count)
{
	enum top_action action = TOP_NOTHING;

	for (size_t i = 0; i < count && action != TOP_QUIT; i++) {
		const enum top_action next = take_byte(view, bytes[i]);

		if (next != TOP_NOTHING)
			action = next;
	}
	return action;
}

enum top_action top_keys_end(struct top_view *view)
{
	const bool key = view->escape == TOP_AFTER_ESCAPE;

	view->escape = TOP_NO_ESCAPE;
	return key ? take_key_or_type(view, ESCAPE) : TOP_NOTHING;
}

static bool passes(const struct top_port *port, const char *filter)
{
	const char *state = port->present == TRISTATE_NO ? "gone"
			    : port->state.known ? enum_word(port_state_names, port->state.value, "")
						: "";

	return !*filter || strcasestr(port->object, filter) ||
	       (port->netdev && strcasestr(port->netdev, filter)) || strcasestr(state, filter);
}

static double or_zero(const struct real *real)
{
	return real->known ? real->value : 0;
}

static double weight(const struct top_port *port, enum top_order order)
{
	const struct number *totals = port->totals;

	switch (order) {
	case TOP_BY_TX:
		return or_zero(&port->tx_gbps);
	case TOP_BY_RX:
		return or_zero(&port->rx_gbps);
	case TOP_BY_PACKETS:
		return or_zero(&port->per_sec[TOP_TX_PACKETS]) +
		       or_zero(&port->per_sec[TOP_RX_PACKETS]);
	case TOP_BY_DROPS:
		return (double)totals[TOP_DROPS].value;
	case TOP_BY_RETRANSMISSIONS:
		return (double)totals[TOP_RETRANSMISSIONS].value;
	case TOP_BY_CONGESTION:
		/* Ticks are another unit, and many: they count only where there are no packets. */
		return totals[TOP_ECN].value || totals[TOP_CNP].value
			       ? (double)(totals[TOP_ECN].value + totals[TOP_CNP].value)
			       : (double)totals[TOP_WAIT].value / 1e12;
	case TOP_BY_FLAPS:
		return (double)port->flaps.value;
	default:
		return 0;
	}
}

/* For qsort_r(). */
static int compare_rows(const void *a, const void *b, void *context)
{
	const enum top_order order = *(const enum top_order *)context;
	const struct top_port *one = *(const struct top_port *const *)a;
	const struct top_port *other = *(const struct top_port *const *)b;

	return COMPARE(weight(other, order), weight(one, order)) ?: COMPARE(one, other);
}

const struct top_port **top_choose(const struct top *top, const struct top_view *view,
				   size_t *ret_count)
{
	const struct top_port **rows = mem_alloc_zero(top->port_count + 1, sizeof(*rows));
	enum top_order order = view->order;
	size_t count = 0;

	for (size_t i = 0; i < top->port_count; i++)
		if (passes(&top->ports[i], view->filter))
			rows[count++] = &top->ports[i];
	qsort_r(rows, count, sizeof(*rows), compare_rows, &order);
	*ret_count = count;
	return rows;
}
