/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A subnet as ibnetdiscover(8) of infiniband-diags 44 prints it, byte for byte: switches, then
 * adapters, then routers, each the other way round than they were come by. What that version has no
 * word for, a speed of XDR, is called so.
 */
#pragma once

#include <time.h>

#include "fabric/graph/view.h"

/* The whole text, to be freed; `now` is the date in its head, in local time. */
char *ibnetdiscover_text(const struct fabric_view *view, time_t now);
