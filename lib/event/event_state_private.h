/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Between the files of lib/model/event_state.h; nothing else uses it. */
#pragma once

#include "event/event_state.h"

/* Two texts, each of which may be NULL. */
bool event_same_text(const char *a, const char *b);
char *event_copy_text(const char *text);

void event_clear_gids(struct tracked_gids *gids);
/* Everything of the port goes. */
void event_port_lose(struct event_state *state, const struct tracked_device *device,
		     struct tracked_port *port, const struct event_cause *cause);
