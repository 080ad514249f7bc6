/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The state of rdmactl top's screen, and how keys change it. No terminal is involved: keys are
 * bytes, and the screen is a text whose lines are at most as wide and as many as the screen's.
 */
#pragma once

#include "base/text.h"
#include "resource/processes.h"
#include "top/top.h"

enum top_order {
	TOP_BY_PORT,
	TOP_BY_TX,
	TOP_BY_RX,
	TOP_BY_PACKETS,
	TOP_BY_DROPS,
	TOP_BY_RETRANSMISSIONS,
	TOP_BY_CONGESTION,
	TOP_BY_FLAPS,
	TOP_ORDERS,
};

extern const struct enum_name top_order_names[];

enum { TOP_FILTER_SIZE = 32 };

/* What the terminal has sent of a key: ESC may be one, or begin that of another. */
enum top_escape { TOP_NO_ESCAPE, TOP_AFTER_ESCAPE, TOP_IN_SEQUENCE };

struct top_view {
	size_t width, height;
	bool color;
	enum top_order order;
	uint64_t interval_msec;
	bool paused;
	bool help;
	bool typing; /* keys go to the filter */
	enum top_escape escape;
	char filter[TOP_FILTER_SIZE]; /* only ports that have it in name, netdev or state */
	size_t first;		      /* ports above the first line that is shown */
	size_t problem_count;	      /* things that could not be read */
};

enum top_action { TOP_NOTHING, TOP_DRAW, TOP_QUIT };

/*
 * Takes the bytes that were typed; returns the action that they require. If `view->escape` is set
 * then, the rest of a key is missing, and top_keys_end() takes what is there if it does not come.
 */
enum top_action top_keys(struct top_view *view, const char *bytes, size_t count);
enum top_action top_keys_end(struct top_view *view);

/*
 * Returns the rows that pass the filter, in the view's order. The caller frees the array; the rows
 * are the model's.
 */
const struct top_port **top_choose(const struct top *top, const struct top_view *view,
				   size_t *ret_count);
/* The table of ports on the screen: the columns that fit, and their text. */
enum top_column {
	TOP_COLUMN_PORT,
	TOP_COLUMN_STATE,
	TOP_COLUMN_TX,
	TOP_COLUMN_TX_BAR,
	TOP_COLUMN_RX,
	TOP_COLUMN_RX_BAR,
	TOP_COLUMN_PACKETS,
	TOP_COLUMN_DROPS,
	TOP_COLUMN_RETRANSMISSIONS,
	TOP_COLUMN_CONGESTION,
	TOP_COLUMN_ECN,
	TOP_COLUMN_CNP,
	TOP_COLUMN_WAIT,
	TOP_COLUMN_FLAPS,
	TOP_COLUMN_WORST,
	TOP_COLUMNS,
};

struct top_cells {
	size_t widths[TOP_COLUMNS]; /* 0: not shown */
	bool color;
};

struct top_cells top_cells_layout(const struct top_port *const *rows, size_t count, size_t width,
				  bool color);
void top_cells_add_headings(struct text_buffer *text, const struct top_cells *cells);
void top_cells_add_row(struct text_buffer *text, const struct top_cells *cells,
		       const struct top_port *row);

/*
 * Returns the complete screen; the caller frees it. `view->first` is corrected if it is too large.
 */
char *top_text(const struct top *top, const struct process_usage_list *processes,
	       struct top_view *view);
