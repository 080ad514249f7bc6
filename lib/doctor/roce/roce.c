/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the checks of the group roce share; see doctor/roce.def for the checks. */
#include "doctor/roce/roce.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/endpoint/endpoint_search.h"

bool roce_is_port(struct doctor_context *run)
{
	return endpoint_transport(run->device, run->port) == TRANSPORT_ROCE;
}

bool roce_is_hardware_port(struct doctor_context *run)
{
	return roce_is_port(run) && !run->device->software;
}

static bool is_active(const struct port *port)
{
	return port->state.known && port->state.value == PORT_STATE_ACTIVE;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool roce_is_alike(struct doctor_context *run, const struct device *device, const struct port *port)
{
	struct doctor_context other = *run;

	other.device = device;
	other.port = port;
	return roce_is_hardware_port(run) && roce_is_hardware_port(&other) &&
	       is_active(run->port) && is_active(port) &&
	       is_same(run->device->driver, device->driver) &&
	       is_same(run->device->board_id, device->board_id);
}

bool roce_is_of_port(const struct doctor_context *run, const struct port *port,
		     const struct link *link)
{
	return endpoint_is_of_port(&run->facts->inventory, port, link);
}

const struct link *roce_link(const struct doctor_context *run, const struct port *port)
{
	return link_by_name(&run->facts->inventory.links, port->netdev);
}

static bool is_bond(const struct link *link)
{
	return link && link->kind && !strcmp(link->kind, "bond");
}

const struct link *roce_bond(const struct doctor_context *run, const struct port *port)
{
	const struct link *link = roce_link(run, port);
	const struct link *master = link ? link_by_index(&run->facts->inventory.links,
							 &link->master_index)
					 : NULL;

	if (is_bond(link))
		return link;
	return is_bond(master) ? master : NULL;
}

const struct link *roce_next_leg(const struct doctor_context *run, const struct link *netdev,
				 const struct link *leg)
{
	const struct link_list *links = &run->facts->inventory.links;
	const struct link *next = leg ? leg + 1 : links->items;

	if (!is_bond(netdev))
		return leg ? NULL : netdev;
	for (; next < links->items + links->count; next++)
		if (link_by_index(links, &next->master_index) == netdev)
			return next;
	return NULL;
}

void roce_no_netdev(struct doctor_context *run)
{
	if (run->facts->inventory.links.incomplete || run->port->netdev)
		doctor_unknown(run, "the netdev of the port");
	else
		doctor_not_checked(run, 0,
				   "the port has no netdev in this network namespace, so its "
				   "addresses and routes cannot be seen from here");
}

struct doctor_roce *doctor_roce(struct doctor_facts *facts)
{
	if (!facts->roce)
		facts->roce = mem_alloc_zero(1, sizeof(*facts->roce));
	return facts->roce;
}

struct netlink *roce_rtnl(struct doctor_facts *facts, int *ret_rc)
{
	struct doctor_roce *roce = doctor_roce(facts);

	if (!roce->rtnl_was_opened)
		roce->rtnl_rc = rtnl_open(&roce->rtnl);
	roce->rtnl_was_opened = true;
	*ret_rc = roce->rtnl_rc;
	return roce->rtnl;
}

void roce_set_rtnl(struct doctor_facts *facts, struct netlink *rtnl)
{
	struct doctor_roce *roce = doctor_roce(facts);

	netlink_free(roce->rtnl);
	roce->rtnl = rtnl;
	roce->rtnl_rc = 0;
	roce->rtnl_was_opened = true;
}

const struct roce_dcb *roce_dcb(struct doctor_facts *facts, const char *netdev)
{
	struct doctor_roce *roce = doctor_roce(facts);
	struct roce_dcb *dcb;
	struct netlink *rtnl;
	int rc;

	for (size_t i = 0; i < roce->dcb_count; i++)
		if (!strcmp(roce->dcbs[i].netdev, netdev))
			return &roce->dcbs[i];
	rtnl = roce_rtnl(facts, &rc);
	dcb = mem_append(&roce->dcbs, &roce->dcb_count, sizeof(*dcb));
	dcb->netdev = mem_string(netdev);
	dcb->rc = rtnl ? dcb_get(rtnl, netdev, &dcb->dcb) : rc;
	return dcb;
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

/*
 * The headers that the kernel leaves room for: GRH 40, UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4
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

void doctor_roce_free(struct doctor_roce *roce)
{
	if (!roce)
		return;
	for (size_t i = 0; i < roce->dcb_count; i++)
		free(roce->dcbs[i].netdev);
	free(roce->dcbs);
	free(roce->ecns);
	netlink_free(roce->rtnl);
	free(roce);
}
