/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the checks of the group roce; see doctor/frame/roce.def for the checks. */
#include "doctor/roce/roce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "roce/cma.h"

bool roce_is_port(struct doctor_context *run)
{
	return roce_is_roce(run->device, run->port);
}

bool roce_is_hardware_port(struct doctor_context *run)
{
	return roce_is_port(run) && !run->device->software;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool roce_is_alike(struct doctor_context *run, const struct device *device, const struct port *port)
{
	return roce_is_hardware_port(run) && roce_is_roce(device, port) && !device->software &&
	       number_is(&run->port->state, PORT_STATE_ACTIVE) &&
	       number_is(&port->state, PORT_STATE_ACTIVE) &&
	       is_same(run->device->driver, device->driver) &&
	       is_same(run->device->board_id, device->board_id);
}

const struct link *roce_own_netdev(struct doctor_context *run)
{
	const struct link *own = roce_port_link(&run->facts->inventory, run->port);

	if (!own && (run->facts->inventory.links.incomplete || run->port->netdev))
		doctor_unknown(run, "the netdev of the port");
	else if (!own)
		doctor_not_checked(run, 0,
				   "the port has no netdev in this network namespace, so its "
				   "addresses and routes cannot be seen from here");
	return own;
}

struct netlink *roce_rtnl(struct doctor_facts *facts, int *ret_rc)
{
	struct doctor_roce *roce = DOCTOR_PART(facts, roce);

	if (doctor_is_first(&roce->rtnl_was_opened))
		roce->rtnl_rc = rtnl_open(&facts->root, &roce->rtnl);
	*ret_rc = roce->rtnl_rc;
	return roce->rtnl;
}

const struct roce_dcb *roce_dcb(struct doctor_facts *facts, const struct link *link)
{
	const struct link_list *links = &facts->inventory.links;
	struct doctor_roce *roce = DOCTOR_PART(facts, roce);
	struct roce_dcb *dcb;
	struct netlink *rtnl;
	int rc;

	if (!roce->dcbs)
		roce->dcbs = mem_alloc_zero(links->count, sizeof(*roce->dcbs));
	dcb = &roce->dcbs[link - links->items];
	if (dcb->netdev)
		return dcb;
	rtnl = roce_rtnl(facts, &rc);
	dcb->netdev = link->name;
	dcb->rc = rtnl ? dcb_get(rtnl, link->name, &dcb->dcb) : rc;
	dcb->trust_rc = roce_read_trust(&facts->root, link->name, &dcb->dcb);
	if (dcb->trust_rc == -ENOENT)
		dcb->trust_rc = 0;
	return dcb;
}

void doctor_roce_free(struct doctor_roce *roce)
{
	if (!roce)
		return;
	free(roce->dcbs);
	free(roce->ecns);
	netlink_free(roce->rtnl);
	free(roce);
}
