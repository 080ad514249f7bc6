/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "plug/cable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/need.h"
#include "kernel/netlink/genl.h"
#include "kernel/root.h"
#include "roce/netdevs.h"
#include "schema/problem.h"

static const char source[] = "ethtool netlink";
static const char root_hint[] =
	"reading the memory of a module takes CAP_NET_ADMIN: run as root, or sudo rdmactl cables";
static const char infiniband_hint[] =
	"rdmactl fabric cables reads the modules of InfiniBand ports through management datagrams";
static const char driver_hint[] =
	"the driver gives no access to a module, or Linux is older than 5.13: ethtool -m NETDEV "
	"may have it";
static const char tree_hint[] = "rdmactl snapshot keeps what the kernel answers, if run as root";
static const char plug_hint[] =
	"the driver cannot reach a module: check how it is plugged in; dmesg may say more";

const uint64_t port_cables_needs = NEED_NETDEV | NEED_LINK_LAYER | NEED_LINK_LIST | NEED_LINK_KIND |
				   NEED_LINK_STATE;

struct reader {
	const struct inventory *inventory;
	struct problems *problems;
	struct netlink *generic;
	uint16_t family;
	int rc; /* of opening it; 0: netlink can be used */
};

static void open_reader(struct reader *reader)
{
	const char *const name = ETHTOOL_FAMILY;
	struct root root;

	reader->rc = root_open(reader->inventory->root, &root);
	if (reader->rc)
		return;
	reader->rc = genl_open(&root, &reader->generic);
	if (!reader->rc)
		reader->rc = genl_find(reader->generic, &name, &reader->family, 1);
	if (!reader->rc && !reader->family)
		reader->rc = -EOPNOTSUPP;
	root_close(&root);
}

/* Reads the parts of the module's memory that are worth it. Returns the -errno of the first one. */
static int read_memory(struct reader *reader, uint32_t index, struct plug_memory *memory,
		       int *ret_page_rc)
{
	unsigned int tried = 0;
	enum plug_part part;

	*ret_page_rc = 0;
	while (plug_next_part(memory, tried, &part)) {
		const struct plug_place *place = &plug_places[part];
		const struct ethtool_module_bytes which = {
			.address = place->address,
			.page = place->page,
			.offset = place->offset,
			.length = PLUG_PART_BYTES,
		};
		int rc = ethtool_get_module_bytes(reader->generic, reader->family, index, &which,
						  memory->bytes[part], &memory->length[part]);

		tried |= 1u << part;
		if (rc && part == PLUG_LOWER)
			return rc;
		if (rc && !*ret_page_rc)
			*ret_page_rc = rc;
	}
	return 0;
}

/* The object of a problem: the port, or a member of its bond, which may have several. */
static char *object_of(const struct port *port, const struct link *link)
{
	return port->netdev && strcmp(link->name, port->netdev) ? mem_string(link->name)
								: port_object(port);
}

/* `hint` is for errors without a hint of their own; or NULL. */
static void note(struct reader *reader, const struct port *port, const struct link *link,
		 const char *attribute, int rc, const char *hint)
{
	_cleanup_(freep) char *object = object_of(port, link);

	if (!reader->inventory->answers)
		inventory_add_unanswered(reader->problems, object, attribute, source, tree_hint);
	else
		problem_add(reader->problems, object, attribute, source, rc,
			    rc == -EPERM				    ? root_hint
			    : rc == -ENODATA				    ? tree_hint
			    : rc == -EOPNOTSUPP && port_is_infiniband(port) ? infiniband_hint
									    : hint);
}

static void read_plug(struct reader *reader, const struct port *port, const struct link *link,
		      struct port_cable *cable)
{
	struct plug_memory memory = {.length = {0}};
	int page_rc, rc = read_memory(reader, (uint32_t)link->index.value, &memory, &page_rc);
	_cleanup_(freep) char *unknown = plug_unknown_text(&memory), *object = NULL;

	/* A software netdev has no module; only that of IPoIB has the hardware of the port. */
	if (rc == -EOPNOTSUPP && link->kind && !link_is_ipoib(link))
		return;
	if (rc || page_rc)
		note(reader, port, link, rc ? "module" : "pages of the module", rc ? rc : page_rc,
		     (rc ? rc : page_rc) == -EIO ? plug_hint
		     : rc == -EOPNOTSUPP	 ? driver_hint
						 : NULL);
	if (unknown) {
		object = object_of(port, link);
		problem_add_text(reader->problems, object, "module", source, unknown,
				 "ethtool -m NETDEV hex on prints its bytes");
	}
	plug_decode(&memory, &cable->plug);
}

/* A request that the kernel or the driver does not support is no problem; others may succeed. */
static void note_unless_lacking(struct reader *reader, const struct port *port,
				const struct link *link, const char *attribute, int rc)
{
	if (rc && rc != -EOPNOTSUPP && rc != -ENODATA)
		note(reader, port, link, attribute, rc, NULL);
}

static void read_netdev(struct reader *reader, const struct port *port, const struct link *link,
			struct port_cable *cable)
{
	const uint32_t index = (uint32_t)link->index.value;

	cable->netdev = link->name;
	cable->link.up = link->carrier;
	if (reader->rc || !link->index.known) {
		note(reader, port, link, "module", reader->rc ? reader->rc : -ENODEV,
		     reader->rc == -EOPNOTSUPP ? driver_hint : NULL);
		return;
	}
	read_plug(reader, port, link, cable);
	note_unless_lacking(reader, port, link, "link",
			    ethtool_get_link_state(reader->generic, reader->family, index,
						   &cable->link));
	/*
	 * A driver may leave this to the carrier, which is shown elsewhere: __ethtool_get_link().
	 */
	if (cable->link.up == TRISTATE_UNKNOWN)
		cable->link.up = link->carrier;
	note_unless_lacking(reader, port, link, "power_mode",
			    ethtool_get_module(reader->generic, reader->family, index,
					       &cable->module));
	note_unless_lacking(reader, port, link, "fec",
			    ethtool_get_fec(reader->generic, reader->family, index, true,
					    &cable->fec));
}

static struct port_cable *add(struct port_cables *list, const struct device *device,
			      const struct port *port)
{
	struct port_cable *cable = mem_append(&list->items, &list->count, sizeof(*cable));

	cable->device = device->name;
	cable->port = port->port;
	return cable;
}

/*
 * Without a netdev, nothing here describes the module. A port of neither link layer, such as EFA's
 * (efa_port_link_layer()), never has one: there is nothing that could not be read.
 */
static void note_no_netdev(struct reader *reader, const struct port *port)
{
	_cleanup_(freep) char *object = port_object(port);

	if (!port->netdev && port->link_layer.known &&
	    port->link_layer.value == LINK_LAYER_UNSPECIFIED)
		return;
	problem_add_text(reader->problems, object, "module", source,
			 port->netdev || port->netdev_unknown ? "its netdev cannot be seen"
							      : "the port has no netdev here",
			 port_is_infiniband(port) ? infiniband_hint : NULL);
}

static void read_port(struct reader *reader, const struct device *device, const struct port *port,
		      struct port_cables *list)
{
	const struct link *link = roce_port_link(reader->inventory, port), *leg = NULL;

	if (!link) {
		struct port_cable *cable = add(list, device, port);

		cable->netdev = port->netdev;
		note_no_netdev(reader, port);
		return;
	}
	while ((leg = roce_next_member(reader->inventory, link, leg)))
		read_netdev(reader, port, leg, add(list, device, port));
}

void port_cables_read(const struct inventory *inventory, struct port_cables *list,
		      struct problems *problems)
{
	struct reader reader = {.inventory = inventory, .problems = problems};

	open_reader(&reader);
	for_each_port (device, port, &inventory->devices)
		read_port(&reader, device, port, list);
	netlink_free(reader.generic);
}

void port_cables_clear(struct port_cables *list)
{
	for (size_t i = 0; i < list->count; i++)
		plug_clear(&list->items[i].plug);
	free(list->items);
	*list = (struct port_cables){.items = NULL};
}
