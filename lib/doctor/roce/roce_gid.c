/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* gid-present: every IP address of a RoCE port has a GID. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"
#include "host/endpoint/endpoint_search.h"

/* The GIDs of a port, as far as they could be read. */
struct gid_survey {
	const struct gid_entry *gids;
	size_t count;
	bool is_full;			/* the table has no empty slot */
	size_t addresses, addresses_v2; /* GIDs for IP addresses, except link-local */
	bool has_v2;			/* a GID of any address is one of RoCE v2 */
};

static struct gid_survey survey(const struct gid_entry *gids, size_t count)
{
	struct gid_survey survey = {.gids = gids, .count = count};

	for_each_in (gid, gids, count) {
		survey.has_v2 |= number_is(&gid->type, GID_TYPE_ROCE_V2);
		if (!gid->gid.known || !gid->ip.known || ip_is_link_local(&gid->ip.address))
			continue;
		survey.addresses++;
		if (gid->type.known && gid->type.value == GID_TYPE_ROCE_V2)
			survey.addresses_v2++;
	}
	return survey;
}

/* Returns the best GID type for an address: GID_TYPE_ROCE_V2, else GID_TYPE_ROCE_V1; -1: no GID. */
static int best_type(const struct gid_survey *survey, const struct ip_address *ip,
		     const struct link *link)
{
	int best = -1;

	for_each_in (gid, survey->gids, survey->count) {
		if (!gid->ip.known || !ip_equal(&gid->ip.address, ip))
			continue;
		/* Another netdev may have the same address, but its GID leads elsewhere. */
		if (gid->netdev && strcmp(gid->netdev, link->name))
			continue;
		if (gid->type.known && (int)gid->type.value > best)
			best = (int)gid->type.value;
	}
	return best;
}

/* Addresses of the port's netdevs, except link-local ones: how many, and what they lack. */
struct address_survey {
	size_t addresses, missing, only_v1;
};

/*
 * A bond's addresses become GIDs of all members' ports, or, in modes with one active member, only
 * of that member's port (is_eth_port_of_netdev_filter(), core/roce_gid_mgmt.c).
 */
static bool is_idle_leg(const struct doctor_context *run)
{
	const struct link *own = roce_port_link(&run->facts->inventory, run->port);
	const struct link *bond = roce_port_bond(&run->facts->inventory, run->port);
	char active[SYSFS_TEXT_SIZE];

	return bond && own && bond != own &&
	       sysfs_read(&run->facts->root, active, "sys/class/net/%s/bonding/active_slave",
			  bond->name) > 0 &&
	       strcmp(active, own->name);
}

static const char *why_missing(const struct gid_survey *gids, const struct link *link)
{
	if (gids->is_full)
		return ", the GID table is full";
	if (link->enabled == TRISTATE_NO)
		return ", the netdev is not up";
	return "";
}

static struct address_survey compare(struct doctor_context *run, const struct gid_survey *gids,
				     bool tell)
{
	const struct inventory *inventory = &run->facts->inventory;
	struct address_survey found = {.addresses = 0};

	for_each (address, &inventory->addresses) {
		const struct link *link = link_by_index(&inventory->links, &address->link_index);
		char text[IP_TEXT_SIZE];
		int type;

		if (!link || !endpoint_is_of_port(inventory, run->port, link) ||
		    ip_is_link_local(&address->ip))
			continue;
		found.addresses++;
		type = best_type(gids, &address->ip, link);
		found.missing += type < 0;
		found.only_v1 += type >= 0 && type != GID_TYPE_ROCE_V2;
		ip_format(&address->ip, text);
		if (tell && type < 0)
			doctor_evidence(run, "rtnetlink, ports/N/gids", "%s on %s has no GID%s",
					text, link->name, why_missing(gids, link));
		else if (tell && type != GID_TYPE_ROCE_V2)
			doctor_evidence(run, "rtnetlink, ports/N/gids", "%s on %s has RoCE v1 only",
					text, link->name);
	}
	return found;
}

static void clear_gids(struct port *port)
{
	for_each_in (gid, port->gids, port->gid_count)
		gid_entry_clear(gid);
	free(port->gids);
	port->gids = NULL;
	port->gid_count = 0;
}

static struct gid_survey finish(struct port *port)
{
	const struct number roce = {.value = TRANSPORT_ROCE, .known = true};

	gid_table_finish(port, &roce, false);
	return survey(port->gids, port->gid_count);
}

/*
 * Reads only as many slots as needed: a table can have thousands, and the GIDs of addresses are
 * among the first. `port` must not have GIDs yet.
 */
static struct gid_survey read_until_found(struct doctor_context *run, struct port *port,
					  struct problems *problems)
{
	enum { FIRST = 4, MOST = 65536 };
	struct gid_survey gids = {.count = 0};
	struct address_survey found;
	bool more = true;

	/*
	 * Doubles the slots each time, because comparing takes longer than reading in a full table.
	 */
	for (unsigned int at = 0, slots = FIRST; more && at < MOST; at += slots, slots = at) {
		more = gid_table_read_slots(&run->facts->root, port, at, slots, problems);
		gids = finish(port);
		found = compare(run, &gids, false);
		if (!found.missing && !found.only_v1)
			break;
	}
	/* If there is no hole, the slot after the last GID is either empty or past the end. */
	gids.is_full = !more && gids.count &&
		       port->gids[gids.count - 1].index.value + 1 == gids.count &&
		       !gid_table_read_slots(&run->facts->root, port, (unsigned int)gids.count, 1,
					     NULL);
	return gids;
}

/*
 * Whether a part of the table could not be read, so that an unseen GID is not necessarily missing.
 */
static bool is_table_incomplete(const struct doctor_context *run)
{
	_cleanup_(freep) char *object = port_object(run->port);

	for_each (problem, run->facts->problems)
		if (problem->object && problem->attribute && !strcmp(problem->object, object) &&
		    !strncmp(problem->attribute, "gid", strlen("gid")))
			return true;
	return false;
}

/*
 * The kernel adds GIDs from a work queue after the address was added (addr_event(),
 * core/roce_gid_mgmt.c), so a missing one may be on its way: retries for a quarter of a second in
 * total.
 */
static struct address_survey compare_patiently(struct doctor_context *run, struct port *port)
{
	enum { TIMES = 5 };
	const struct timespec pause = {.tv_nsec = 50000000};
	struct gid_survey gids = read_until_found(run, port, run->facts->problems);

	/* A full table gets no more GIDs. */
	for (int i = 0; i < TIMES && !gids.is_full && compare(run, &gids, false).missing; i++) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
		clear_gids(port);
		gids = read_until_found(run, port, NULL);
	}
	return compare(run, &gids, !is_table_incomplete(run));
}

/*
 * If an address exists but is not in the table, removing and adding it announces it again. Which
 * types of GIDs a port should have depends only on the driver (PORT_CAP_TO_GID_TYPE[],
 * core/roce_gid_mgmt.c).
 */
static void advise(struct doctor_context *run, size_t addresses, bool missing)
{
	_cleanup_(freep) char *netdev = text_quote(run->port->netdev ? run->port->netdev
								     : "NETDEV");

	if (missing)
		doctor_next_step(run,
				 "ip link set dev %s up; if the GIDs do not appear, remove each "
				 "address and add it again (not over a connection that uses it), "
				 "and then the routes that went with it: ip address del "
				 "ADDRESS/LENGTH dev %s && ip address add ADDRESS/LENGTH dev %s",
				 netdev, netdev, netdev);
	else if (addresses)
		doctor_next_step(run,
				 "let peers in the same subnet use RoCE v1, too, unless the "
				 "adapter has a setting for RoCE v2: most likely the driver offers "
				 "v1 only");
	else
		doctor_next_step(run,
				 "if the port is to be used: ip link set dev %s up && ip address "
				 "add ADDRESS/LENGTH dev %s",
				 netdev, netdev);
}

/*
 * Whether the driver also has adapters without RoCE v2, where nothing on this host can change that:
 * ConnectX-3 has v1, ConnectX-3 Pro v2, too (mlx4_port_immutable(), hw/mlx4/main.c).
 */
static bool may_lack_v2(const struct device *device)
{
	return device->driver && !strncmp(device->driver, "mlx4_", strlen("mlx4_"));
}

/* `has_v2`: the port has a GID of RoCE v2, of whichever address. */
static struct judged judge(struct doctor_context *run, const struct address_survey *found,
			   bool has_v2)
{
	advise(run, found->addresses, found->missing || (found->only_v1 && has_v2));
	if (found->missing)
		return doctor_error(run, "IP addresses of the port have no GID");
	if (found->only_v1)
		return doctor_verdict(run,
				      has_v2 || !may_lack_v2(run->device) ? SEVERITY_WARNING
									  : SEVERITY_NOTICE,
				      "IP addresses of the port have only RoCE v1 GIDs");
	if (!found->addresses)
		return doctor_note(run,
				   "the port has no IP address, so its GIDs are link-local only");
	return doctor_ok(run, "every IP address of the port has a RoCE v2 GID");
}

/* A saved tree has the GIDs, but not the addresses that they should derive from. */
static struct judged judge_saved(struct doctor_context *run, struct port *port)
{
	struct gid_survey gids;

	gid_table_read_sysfs(&run->facts->root, port, false, true, run->facts->problems);
	gids = finish(port);
	if (is_table_incomplete(run))
		return doctor_unknown(run, "part of the GID table");
	doctor_evidence(run, "ports/N/gids, gid_attrs",
			"%zu GID%s, %zu of them for IP addresses, of these %zu RoCE v2", gids.count,
			text_plural_s(gids.count), gids.addresses, gids.addresses_v2);
	if (!gids.count && !endpoint_is_active(run->port))
		return doctor_note(run, "the port is not active and has no GID");
	if (!gids.count)
		return doctor_not_checked(
			run, NEEDS_LIVE,
			"the port has no GID at all, not even a link-local one; only "
			"RDMA netlink shows whether it offers RoCE");
	if (!gids.addresses_v2)
		return judge(run,
			     &(const struct address_survey){.addresses = gids.addresses,
							    .only_v1 = gids.addresses},
			     gids.has_v2);
	return doctor_not_checked(run, NEEDS_LIVE,
				  "the GIDs of IP addresses are there, but a saved tree does not "
				  "hold the addresses to compare them with");
}

/*
 * A port that carries only raw packets looks like RoCE in sysfs, but has no GIDs at all, and RDMA
 * netlink reports no protocol (fill_dev_info(), core/nldev.c). Examples are the representors of
 * mlx5, including the uplink's (mlx5_port_rep_immutable()), and all mlx5 ports without enable_roce.
 */
static bool has_no_roce(const struct doctor_context *run, const struct port *port)
{
	return !port->gid_count && !run->device->protocol;
}

static struct judged judge_no_roce(struct doctor_context *run)
{
	const char *address = run->device->pci_address ? run->device->pci_address : "ADDRESS";

	doctor_evidence(run, "RDMA netlink", "no protocol");
	doctor_next_step(run,
			 "nothing to do in switchdev mode (devlink dev eswitch show pci/%s), where "
			 "RoCE is for the virtual functions and subfunctions; otherwise check "
			 "enable_roce in devlink dev param show pci/%s",
			 address, address);
	return doctor_note(run,
			   "the device offers no RoCE: its port has no GID, not even a link-local "
			   "one");
}

static struct judged judge_live(struct doctor_context *run, struct port *port)
{
	const struct address_survey found = compare_patiently(run, port);

	if (is_table_incomplete(run))
		return doctor_unknown(run, "part of the GID table");
	if (has_no_roce(run, port))
		return judge_no_roce(run);
	if (!found.missing && !found.only_v1)
		doctor_evidence(run, "rtnetlink, ports/N/gids", "%zu IP address%s", found.addresses,
				found.addresses == 1 ? "" : "es");
	return judge(run, &found, survey(port->gids, port->gid_count).has_v2);
}

struct judged check_gid_present(struct doctor_context *run)
{
	/* Borrows everything except the GIDs, which are read only for this check. */
	struct port port = *run->port;

	if (run->facts->inventory.answers && !roce_own_netdev(run))
		return doctor_judged(run);
	if (is_idle_leg(run)) {
		doctor_evidence(run, "bonding/active_slave", "%s is not the active member",
				run->port->netdev);
		return doctor_ok(run, "the GIDs are those of the active member of the bond");
	}
	port.gids = NULL;
	port.gid_count = 0;
	if (run->facts->inventory.answers)
		judge_live(run, &port);
	else
		judge_saved(run, &port);
	clear_gids(&port);
	return doctor_judged(run);
}
