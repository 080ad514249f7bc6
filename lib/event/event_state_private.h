/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the files of event_state.h; nothing else uses it. */
#pragma once

#include "event/event_state.h"

/* Compares two strings, each of which may be NULL. */
bool event_same_text(const char *a, const char *b);
char *event_copy_text(const char *text);

void event_clear_gids(struct tracked_gids *gids);
/* Removes everything that is known of the port. */
void event_port_lose(struct event_state *state, const struct tracked_device *device,
		     struct tracked_port *port, const struct event_cause *cause);
