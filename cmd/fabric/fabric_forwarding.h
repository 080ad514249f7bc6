/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The forwarding tables for the commands that show them: tables, balance. They are read from the
 * switches by the session's engine, so there is none of a graph from a file.
 */
#pragma once

#include "fabric/route/forwarding.h"
#include "cmd/fabric/fabric_run.h"

/* Fills empty tables as forwarding_read() does; what did not come is noted. */
void fabric_forwarding_read(struct fabric_run *run, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding);
/* Notes that the linear tables of all switches are known, and empty. */
void fabric_forwarding_note_empty(struct fabric_run *run, const struct forwarding *forwarding);
