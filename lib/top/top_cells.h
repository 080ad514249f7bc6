/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of ports on the screen: the columns that fit, and their text. */
#pragma once

#include "base/text.h"
#include "top/top.h"

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
