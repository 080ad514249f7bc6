/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The entries of a port's P_Key table, and how to read them from sysfs. */
#pragma once

#include "schema/schema.h"

struct port;
struct problems;
struct root;

struct pkey {
	char *device; /* borrowed from the device */
	struct number port;
	struct number index;
	struct number pkey;	/* all 16 bits; 0 or 0x8000 is an empty slot's value */
	struct strings netdevs; /* IPoIB netdevs that use it */
};

extern const struct schema pkey_schema;

void pkey_clear(struct pkey *pkey);
/* Appends the entries of the table; a port without one (iWARP, EFA) gets none. */
void pkey_table_read_sysfs(const struct root *root, struct port *port, struct problems *problems);
