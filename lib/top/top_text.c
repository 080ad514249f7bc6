/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of the screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/format.h"
#include "top/top_view.h"

/*
 * The title, the headings and the line of keys are always there. A part below the ports has an
 * empty line, headings and rows; it gets a little room even if there are many ports, provided that
 * the screen is high enough.
 */
enum { FIXED_LINES = 3, PART_LINES = 2, ENOUGH_LINES = 12, LEAST_PROCESSES = 4, LEAST_EVENTS = 5 };
enum { WIDEST_COMMAND = 15, DEVICES_LEAST = 8 };

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* "2026-11-22T10:22:33.123Z": the time of day. */
static void add_time(struct text_buffer *text, const char *time)
{
	const char *clock = time ? strchr(time, 'T') : NULL;

	if (clock && strlen(clock) > 9)
		text_buffer_add(text, "%.8sZ", clock + 1);
	else
		text_buffer_add(text, "--:--:--");
}

/* Appends the piece if the line has room for it. */
__attribute__((format(printf, 3, 4))) static void add_piece(struct text_buffer *text, size_t *room,
							    const char *format, ...)
{
	_cleanup_(freep) char *piece = NULL;
	va_list arguments;

	va_start(arguments, format);
	piece = mem_format_list(format, arguments);
	va_end(arguments);
	if (strlen(piece) > *room)
		return;
	text_buffer_add(text, "%s", piece);
	*room -= strlen(piece);
}

/* Adds the pieces in order of importance: those that do not fit are omitted. */
static void add_title(struct text_buffer *text, const struct top *top, const struct top_view *view,
		      size_t shown, size_t count)
{
	size_t room = view->width;

	if (view->paused)
		add_piece(text, &room, "PAUSED ");
	if (room >= 9) {
		add_time(text, top->time);
		room -= 9;
	}
	add_piece(text, &room, " every %g s", (double)view->interval_msec / 1000);
	if (*view->filter)
		add_piece(text, &room, ", only '%s'", view->filter);
	if (shown < count)
		add_piece(text, &room, ", ports %zu-%zu of %zu", view->first + 1,
			  view->first + shown, count);
	else
		add_piece(text, &room, ", %zu port%s", count, text_plural_s(count));
	if (view->order)
		add_piece(text, &room, ", by %s", enum_word(top_order_names, view->order, ""));
	if (view->problem_count)
		add_piece(text, &room, ", %zu problem%s: shown at the end", view->problem_count,
			  text_plural_s(view->problem_count));
	text_buffer_add(text, "\n");
}

static void add_keys(struct text_buffer *text, const struct top_view *view)
{
	static const char *const keys[] = {"q:quit",  " h:help",   " p:pause",
					   " s:sort", " /:filter", " + -:interval"};
	char piece[64];
	size_t room = view->width;

	if (view->typing) {
		snprintf(piece, sizeof(piece), "only: %s_", view->filter);
		text_buffer_add(text, "%.*s", (int)room, piece);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		add_piece(text, &room, "%s", keys[i]);
}

static void add_help(struct text_buffer *text, const struct top_view *view, size_t lines)
{
	static const char *const help[] = {
		"",
		"s S   next, previous order     / f   only ports with this in name or state",
		"p     pause, go on             + -   longer, shorter interval",
		"j k   scroll (arrows)          ESC   no filter     h  no help     q  quit",
		"DROPS RETR ECN CNP WAIT FLAPS count since the start; a + moves now",
		"12.3n: bytes of the netdev, which are not only RDMA",
		"CONG: ECN marks and CNPs; 12t: ticks of waiting to send",
	};

	for (size_t i = 0; i < ARRAY_SIZE(help) && i < lines; i++)
		text_buffer_add(text, "%.*s\n", (int)view->width, help[i]);
}

/* Up to four digits and a unit: 640B, 1.5G. */
static void format_bytes(const struct number *number, char text[static 16])
{
	static const char units[] = "BKMGTPE";
	double value = (double)number->value;
	size_t unit = 0;

	if (!number->known) {
		snprintf(text, 16, "-");
		return;
	}
	while (value >= 1023.5 && units[unit + 1]) {
		value /= 1024;
		unit++;
	}
	snprintf(text, 16, unit && value < 9.95 ? "%.1f%c" : "%.0f%c", value, units[unit]);
}

static void format_number(const struct number *number, char text[static 16])
{
	if (number->known)
		snprintf(text, 16, "%llu", (unsigned long long)number->value);
	else
		snprintf(text, 16, "-");
}

/* Puts the words side by side: PID, COMMAND, QP, PINNED, MR, REGISTERED, DEVICES. */
static void add_process_line(struct text_buffer *text, const struct top_view *view,
			     const char *const words[static 6], const char *devices)
{
	static const int widths[] = {7, -WIDEST_COMMAND, 6, 9, 6, 10};
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		const size_t width = (size_t)abs(widths[i]);

		if (used + width > view->width)
			break;
		text_buffer_add(text, "%*.*s", widths[i], (int)text_cut(words[i], width), words[i]);
		used += width;
		if (used < view->width)
			text_buffer_add(text, " ");
		used++;
	}
	if (used + DEVICES_LEAST <= view->width)
		text_buffer_add(text, "%.*s", (int)text_cut(devices, view->width - used), devices);
	text_buffer_add(text, "\n");
}

static void add_process(struct text_buffer *text, const struct top_view *view,
			const struct process_usage *usage)
{
	char pid[16], pinned[16], registered[16], queue_pairs[16], regions[16];
	_cleanup_(freep) char *devices = strings_join(&usage->devices, ",");

	format_number(&usage->pid, pid);
	format_number(&usage->counts[RESOURCE_QP], queue_pairs);
	format_number(&usage->counts[RESOURCE_MR], regions);
	format_bytes(&usage->pinned_bytes, pinned);
	format_bytes(&usage->registered_bytes, registered);
	add_process_line(text, view,
			 (const char *const[]){pid, usage->command ? usage->command : "-",
					       queue_pairs, pinned, regions, registered},
			 *devices ? devices : "-");
}

static void add_processes(struct text_buffer *text, const struct top_view *view,
			  const struct process_usage_list *processes, size_t lines)
{
	if (lines <= PART_LINES)
		return;
	text_buffer_add(text, "\n");
	add_process_line(text, view,
			 (const char *const[]){"PID", "COMMAND", "QP", "PINNED", "MR",
					       "REGISTERED"},
			 "DEVICES");
	for (size_t i = 0; i < processes->count && i < lines - PART_LINES; i++)
		add_process(text, view, &processes->items[i]);
}

static void add_event(struct text_buffer *text, const struct top_view *view,
		      const struct event *event)
{
	const struct enum_name *word = enum_find(event_names, event->word.value);
	const struct enum_name *severity = enum_find(severity_names, event->severity.value);
	const char *color = view->color && severity ? format_tone(severity->tone) : NULL;
	char time[UTC_TEXT_SIZE];
	_cleanup_(freep) char *line = NULL;

	utc_format(event->time.wall_nsec, time);
	line = mem_format("%.8sZ %s %s %s", strchr(time, 'T') + 1,
			  event->object ? event->object : "-", word ? word->word : "-",
			  event->change ? event->change : "");
	/* The screen cuts lines that are too long, and knows how wide a character is. */
	text_buffer_add(text, "%s%s%s\n", color ? color : "", line, color ? FORMAT_PLAIN : "");
}

static void add_events(struct text_buffer *text, const struct top_view *view,
		       const struct event_list *events, size_t lines)
{
	size_t count;

	if (lines <= PART_LINES)
		return;
	text_buffer_add(text, "\nEVENTS\n");
	count = smaller(events->count, lines - PART_LINES);
	for (size_t i = events->count - count; i < events->count; i++)
		add_event(text, view, &events->items[i]);
}

/* How many lines each part gets. */
struct shares {
	size_t ports, processes, events;
};

static struct shares share(size_t lines, size_t ports, size_t processes, size_t events)
{
	const size_t wanted_processes = processes ? processes + PART_LINES : 0;
	const size_t wanted_events = events ? events + PART_LINES : 0;
	size_t kept_processes = 0, kept_events = 0;
	struct shares shares;

	if (lines >= ENOUGH_LINES) {
		kept_processes = smaller(wanted_processes, LEAST_PROCESSES);
		kept_events = smaller(wanted_events, LEAST_EVENTS);
	}
	shares.ports = smaller(ports, lines - kept_processes - kept_events);
	lines -= shares.ports;
	/* The ports have left at least the lines that were kept. */
	shares.processes = smaller(wanted_processes, lines - kept_events);
	lines -= shares.processes;
	shares.events = smaller(wanted_events, lines);
	return shares;
}

static void add_ports(struct text_buffer *text, const struct top_view *view,
		      const struct top_port *const *rows, size_t count, size_t shown)
{
	const struct top_cells cells = top_cells_layout(rows, count, view->width, view->color);

	top_cells_add_headings(text, &cells);
	for (size_t i = 0; i < shown; i++)
		top_cells_add_row(text, &cells, rows[view->first + i]);
	if (!count)
		text_buffer_add(text, "%.*s\n", (int)view->width,
				*view->filter ? "no port matches; ESC shows all"
					      : "no RDMA port now");
}

char *top_text(const struct top *top, const struct process_usage_list *processes,
	       struct top_view *view)
{
	const size_t lines = view->height > FIXED_LINES ? view->height - FIXED_LINES : 1;
	struct text_buffer text = {0};
	struct shares shares;
	size_t count;
	_cleanup_(freep) const struct top_port **rows = top_choose(top, view, &count);

	shares = share(lines, count ? count : 1, processes->count, top->events.count);
	shares.ports = smaller(shares.ports, count);
	view->first = smaller(view->first, count - shares.ports);
	add_title(&text, top, view, shares.ports, count);
	add_ports(&text, view, rows, count, shares.ports);
	if (view->help) {
		add_help(&text, view, lines - shares.ports);
	} else {
		add_processes(&text, view, processes, shares.processes);
		add_events(&text, view, &top->events, shares.events);
	}
	add_keys(&text, view);
	return text_buffer_take(&text);
}
