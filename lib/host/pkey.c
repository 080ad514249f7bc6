/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pkey.h"

#include <stdlib.h>

#include "base/mem.h"
#include "host/need.h"

/* The top bit is the membership, InfiniBand Architecture Specification volume 1, 10.9.3. */
enum { FULL_MEMBER = 0x8000 };

static void get_membership(const void *record, struct value *value)
{
	const struct pkey *pkey = record;

	if (pkey->pkey.known && pkey->pkey.value & ~(uint64_t)FULL_MEMBER)
		value_set_string(value, pkey->pkey.value & FULL_MEMBER ? "full" : "limited");
}

static const struct field pkey_fields[] = {
	STRING_FIELD(struct pkey, device, "device", "DEVICE", FIELD_DEFAULT, NEED_PKEYS,
		     "name of the device"),
	UNSIGNED_FIELD(struct pkey, port, "port", "PORT", FIELD_DEFAULT | FIELD_RIGHT, NEED_PKEYS,
		       "number of the port"),
	UNSIGNED_FIELD(struct pkey, index, "index", "INDEX", FIELD_DEFAULT | FIELD_RIGHT,
		       NEED_PKEYS, "index in the port's P_Key table"),
	HEX_FIELD(struct pkey, pkey, 4, "pkey", "P_KEY", FIELD_DEFAULT, NEED_PKEYS,
		  "partition key, with the membership bit"),
	COMPUTED_FIELD(FIELD_STRING, get_membership, "membership", "MEMBERSHIP", FIELD_DEFAULT,
		       NEED_PKEYS, "full or limited"),
	LIST_FIELD(struct pkey, netdevs, "netdevs", "NETDEVS", FIELD_DEFAULT,
		   NEED_PKEYS | NEED_NETDEV | NEED_LINKS | NEED_LINK_LAYER,
		   "IPoIB netdevs that use it"),
};

const struct schema pkey_schema = {
	.name = "pkeys",
	.version = 1,
	.summary = "an entry of a port's P_Key table",
	.fields = pkey_fields,
	.field_count = ARRAY_SIZE(pkey_fields),
	.record_size = sizeof(struct pkey),
};

void pkey_clear(struct pkey *pkey)
{
	strings_free(&pkey->netdevs);
}
