/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/port.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "host/need.h"
#include "kernel/sysfs.h"

/* The top bit is the membership: InfiniBand Architecture Specification volume 1, 10.9.3. */
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

static void read_pkey(const struct root *root, struct port *port, const char *slot,
		      struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t index, value;
	struct pkey *pkey;
	ssize_t length;

	if (!port_table_slot(slot, &index))
		return;
	length = sysfs_read(root, text, PORT_DIRECTORY "/pkeys/%s", port->kernel_name,
			    (unsigned int)port->port.value, slot);
	if (length < 0) {
		port_note(problems, port, "pkeys", slot, (int)length);
		return;
	}
	if (text_parse_u64(text, 16, UINT16_MAX, &value)) {
		port_note_text(problems, port, "pkeys", slot, text);
		return;
	}
	pkey = mem_append(&port->pkeys, &port->pkey_count, sizeof(*port->pkeys));
	pkey->device = port->device;
	pkey->port = port->port;
	number_set(&pkey->index, index);
	number_set(&pkey->pkey, value);
}

void pkey_table_read_sysfs(const struct root *root, struct port *port, struct problems *problems)
{
	struct strings slots = {0};
	int rc = sysfs_list(root, &slots, PORT_DIRECTORY "/pkeys", port->kernel_name,
			    (unsigned int)port->port.value);

	/* iWARP and EFA ports have no P_Keys and no directory for them. */
	if (rc && rc != -ENOENT)
		port_note(problems, port, "pkeys", NULL, rc);
	for (size_t i = 0; i < slots.count; i++)
		read_pkey(root, port, slots.items[i], problems);
	strings_free(&slots);
}
