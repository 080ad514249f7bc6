/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/netdevs.h"

#include "base/text.h"
#include "kernel/netlink/dcb.h"

bool roce_is_roce(const struct device *device, const struct port *port)
{
	return device_port_transport(device, port) == TRANSPORT_ROCE;
}

const struct link *roce_port_link(const struct inventory *inventory, const struct port *port)
{
	return link_by_name(&inventory->links, port->netdev);
}

const struct link *roce_port_bond(const struct inventory *inventory, const struct port *port)
{
	const struct link *link = roce_port_link(inventory, port);
	const struct link *master = link ? link_by_index(&inventory->links, &link->master_index)
					 : NULL;

	if (link_is_bond(link))
		return link;
	return link_is_bond(master) ? master : NULL;
}

const struct link *roce_next_member(const struct inventory *inventory, const struct link *netdev,
				    const struct link *leg)
{
	const struct link_list *links = &inventory->links;
	const struct link *next = leg ? leg + 1 : links->items;

	if (!link_is_bond(netdev))
		return leg ? NULL : netdev;
	for (; next < links->items + links->count; next++)
		if (link_by_index(links, &next->master_index) == netdev)
			return next;
	return NULL;
}

/*
 * The headers that the kernel reserves room for: GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4
 * bytes (iboe_get_mtu(), include/rdma/ib_addr.h).
 */
unsigned int roce_mtu(uint64_t netdev_mtu)
{
	enum { HEADERS = 96, LARGEST = 4096, SMALLEST = 256 };

	for (unsigned int mtu = LARGEST; mtu >= SMALLEST; mtu /= 2)
		if (netdev_mtu >= mtu + HEADERS)
			return mtu;
	return 0;
}

char *roce_priorities(unsigned int mask)
{
	struct text_buffer buffer = {.text = NULL};

	for (unsigned int i = 0; i < DCB_PRIORITIES; i++)
		if (mask & 1u << i)
			text_buffer_add(&buffer, "%s%u", buffer.length ? ", " : "", i);
	if (!buffer.length)
		text_buffer_add(&buffer, "none");
	return text_buffer_take(&buffer);
}
