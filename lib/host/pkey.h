/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One entry of a port's P_Key table. */
#pragma once

#include "schema/schema.h"

struct pkey {
	char *device; /* borrowed from the device */
	struct number port;
	struct number index;
	struct number pkey;	/* all 16 bits; 0 or 0x8000 is an empty slot's value */
	struct strings netdevs; /* IPoIB netdevs that use it */
};

extern const struct schema pkey_schema;

void pkey_clear(struct pkey *pkey);
