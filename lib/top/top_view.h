/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the screen of rdmactl top looks now, and what a key changes of it. Pure: keys are bytes, the
 * screen is a text. The lines of the text are as wide as the screen at most, and as many as it has.
 */
#pragma once

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

struct top_view {
	size_t width, height;
	bool color;
	enum top_order order;
	uint64_t interval_msec;
	bool paused;
	bool help;
	bool typing;		      /* keys go to the filter */
	char filter[TOP_FILTER_SIZE]; /* only ports that have it in name, netdev or state */
	size_t first;		      /* ports above the first line that is shown */
	size_t problem_count;	      /* of what could not be read */
};

enum top_action { TOP_NOTHING, TOP_DRAW, TOP_QUIT };

/* Takes what was typed; returns what has to be done then. */
enum top_action top_keys(struct top_view *view, const char *bytes, size_t count);

/*
 * The rows that pass the filter, in the view's order. The caller frees the array, whose rows are
 * the model's.
 */
const struct top_port **top_choose(const struct top *top, const struct top_view *view,
				   size_t *ret_count);
/* The whole screen; the caller frees it. `view->first` is corrected if it is too large. */
char *top_text(const struct top *top, const struct process_usage_list *processes,
	       struct top_view *view);
