/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/endpoint/endpoint.h"
#include "host/endpoint/endpoint_search.h"
#include "host/endpoint/gid_choice.h"
#include "host/netdev.h"
#include "mad/format/codes.h"

/* A port and its rank. */
struct candidate {
	const struct device *device;
	const struct port *port;
	unsigned int rank; /* 0 if there is no candidate */
};

int endpoint_of_port(const struct inventory *inventory, const struct device *device,
		     const struct port *port, const struct endpoint_wish *wish,
		     struct endpoint *ret_endpoint, char **ret_reason, char **ret_hint)
{
	const struct endpoint_search search = {.inventory = inventory,
					       .wish = wish,
					       .ret_reason = ret_reason,
					       .ret_hint = ret_hint};

	return endpoint_make(&search, device, port, ret_endpoint);
}

/* Returns the port that `rank_port` ranks highest; the first among equals. */
static struct candidate find_port(const struct endpoint_search *search, const void *context,
				  unsigned int (*rank_port)(const struct endpoint_search *search,
							    const struct device *device,
							    const struct port *port,
							    const void *context))
{
	struct candidate best = {0};

	for_each_port (device, port, &search->inventory->devices) {
		unsigned int rank = rank_port(search, device, port, context);

		if (rank > best.rank)
			best = (struct candidate){device, port, rank};
	}
	return best;
}

static unsigned int rank_named(const struct endpoint_search *search, const struct device *device,
			       const struct port *port, const void *context)
{
	(void)search;
	(void)device;
	(void)context;
	return endpoint_is_active(port) ? 2 : 1;
}

/* Ranks RoCE above any other device on the netdev. */
static unsigned int rank_on_link(const struct endpoint_search *search, const struct device *device,
				 const struct port *port, const void *link)
{
	if (!endpoint_is_of_port(search->inventory, port, link))
		return 0;
	if (device_port_transport(device, port) == TRANSPORT_ROCE)
		return endpoint_is_active(port) ? 4 : 2;
	return endpoint_is_active(port) ? 3 : 1;
}

static int explain_route(const struct endpoint_search *search, const char *name,
			 const struct link *link, bool local)
{
	const struct candidate any = find_port(search, NULL, rank_named);
	_cleanup_(freep) char *port = any.rank ? port_object(any.port) : mem_string("DEV/PORT");
	char *reason;

	if (local)
		reason = mem_format("%s is an address of this host%s%s, which belongs to no RDMA "
				    "device",
				    name, link ? ", on netdev " : "", link ? link->name : "");
	else
		reason = mem_format(
			"the route to %s leaves by %s%s, which belongs to no RDMA device", name,
			link ? "netdev " : "", link ? link->name : "a netdev that is not here");
	return endpoint_fail(search, -ENODEV, reason,
			     mem_format("name one: rdmactl selftest %s --peer %s", port, name));
}

int endpoint_by_route(const struct inventory *inventory, const char *name,
		      const struct ip_address *peer, const struct route *route,
		      const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
		      char **ret_reason, char **ret_hint)
{
	struct gid_question question = {.peer = *peer,
					.route = *route,
					.links = &inventory->links,
					.devices = &inventory->devices};
	const struct link *link = route->local
					  ? endpoint_link_of(inventory, peer)
					  : link_by_index(&inventory->links, &route->link_index);
	struct endpoint_search search = {.inventory = inventory,
					 .wish = wish,
					 .ip = route->source.known ? &route->source.address : NULL,
					 .netdev = link ? link->name : NULL,
					 .family = peer->family,
					 .ret_reason = ret_reason,
					 .ret_hint = ret_hint};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	const struct gid_entry *entry = gid_choose(&question, &reason, &hint);
	struct candidate found = {0};

	if (entry) {
		for_each_port (device, port, &inventory->devices)
			if (entry >= port->gids && entry < port->gids + port->gid_count)
				found = (struct candidate){device, port, 1};
		search.netdev = entry->netdev ? entry->netdev : search.netdev;
		search.ip = entry->ip.known ? &entry->ip.address : search.ip;
	} else if (link) {
		found = find_port(&search, link, rank_on_link);
	}
	/* The route leads to a RoCE port, but no GID has its source address. */
	if (found.rank && !entry && !wish->named && !wish->gid_index.known &&
	    endpoint_is_active(found.port) &&
	    device_port_transport(found.device, found.port) == TRANSPORT_ROCE)
		return endpoint_fail(&search, -EADDRNOTAVAIL, mem_string(reason),
				     mem_format("choose a GID: rdmactl selftest %s/%" PRIu64
						" --gid-index N --peer %s; rdmactl gids shows them",
						found.device->name, found.port->port.value, name));
	if (!found.rank && wish->named)
		found = find_port(&search, NULL, rank_named);
	if (found.rank)
		return endpoint_make(&search, found.device, found.port, ret_endpoint);
	return explain_route(&search, name, link, route->local);
}

static bool is_of_kind(const struct device *device, const struct port *port,
		       const struct endpoint *peer)
{
	return !peer || (device_port_transport(device, port) == peer->transport &&
			 port->link_layer.value == peer->link_layer);
}

/* Combines RANK_SUBNET, RANK_ADDRESS and whether the port is active. */
static unsigned int rank_for_client(const struct endpoint_search *search,
				    const struct device *device, const struct port *port,
				    const void *link)
{
	unsigned int rank = 0;

	if (!is_of_kind(device, port, search->wish->peer))
		return 0;
	endpoint_best_gid(search, port, &rank);
	rank &= RANK_SUBNET | RANK_ADDRESS;
	if (link && endpoint_is_of_port(search->inventory, port, link))
		rank |= RANK_ADDRESS;
	if (!rank && !search->wish->named)
		return 0;
	/* An inactive port is the last choice; then the caller reports its state. */
	return (rank | RANK_USABLE) + (endpoint_is_active(port) ? RANK_SUBNET << 1 : 0);
}

int endpoint_of_address(const struct inventory *inventory, const struct ip_address *local,
			const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
			char **ret_reason, char **ret_hint)
{
	const struct link *link = endpoint_link_of(inventory, local);
	const struct endpoint_search search = {.inventory = inventory,
					       .wish = wish,
					       .ip = local,
					       .netdev = link ? link->name : NULL,
					       .family = local->family,
					       .ret_reason = ret_reason,
					       .ret_hint = ret_hint};
	struct candidate found = find_port(&search, link, rank_for_client);
	char text[IP_TEXT_SIZE];

	/* If the port's kind differs from the client's, endpoint_make() fails with the reason. */
	if (!found.rank && link)
		found = find_port(&search, link, rank_on_link);
	if (found.rank)
		return endpoint_make(&search, found.device, found.port, ret_endpoint);
	ip_format(local, text);
	return endpoint_fail(&search, -ENODEV,
			     mem_format("no RDMA device that matches the client's has the address "
					"%s%s%s, or one in the subnet of its GID",
					text, link ? " of netdev " : "", link ? link->name : ""),
			     mem_string("name a port: rdmactl selftest --serve DEV/PORT"));
}

/* Number of device names that an answer shows. */
#define SHOWN_DEVICES 6u

static char *list_devices(const struct inventory *inventory)
{
	char *names = NULL;

	for (size_t i = 0; i < inventory->devices.count && i <= SHOWN_DEVICES; i++)
		mem_extend(&names, "%s%s", i ? ", " : "",
			   i < SHOWN_DEVICES ? inventory->devices.items[i].name : "...");
	return names ? names : mem_string("none at all");
}

static int explain_name(const struct endpoint_search *search, const struct device *device,
			const char *name, uint32_t port)
{
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));
	_cleanup_(freep) char *names = list_devices(search->inventory);

	if (device)
		return endpoint_fail(search, -ENODEV,
				     mem_format("%s has no port %" PRIu32, clean, port),
				     mem_string("rdmactl ports there shows those it has"));
	return endpoint_fail(search, -ENODEV,
			     mem_format("no RDMA device '%s' here, but %s", clean, names),
			     mem_string("rdmactl devices there shows them"));
}

int endpoint_of_name(const struct inventory *inventory, const char *name, uint32_t number,
		     const struct endpoint_wish *wish, struct endpoint *ret_endpoint,
		     char **ret_reason, char **ret_hint)
{
	const struct endpoint_search search = {.inventory = inventory,
					       .wish = wish,
					       .ret_reason = ret_reason,
					       .ret_hint = ret_hint};
	const struct device *device = device_list_find_kernel_name(&inventory->devices, name);
	const struct port *port = NULL;

	for (size_t i = 0; device && i < device->port_count; i++) {
		const struct port *candidate = &device->ports[i];

		if (number ? candidate->port.value == number
			   : !port || (!endpoint_is_active(port) && endpoint_is_active(candidate)))
			port = candidate;
	}
	if (!port)
		return explain_name(&search, device, name, number);
	return endpoint_make(&search, device, port, ret_endpoint);
}

int endpoint_list_gids(const struct inventory *inventory, const struct device *device,
		       const struct port *port, struct endpoint **ret_endpoints, size_t *ret_count,
		       char **ret_reason, char **ret_hint)
{
	static const struct endpoint_wish any;
	const struct endpoint_search search = {.inventory = inventory,
					       .wish = &any,
					       .ret_reason = ret_reason,
					       .ret_hint = ret_hint};
	struct endpoint *endpoints = NULL, first;
	size_t count = 0;
	int rc = endpoint_make(&search, device, port, &first);

	if (rc)
		return rc;
	for (size_t i = 0; first.transport != TRANSPORT_IWARP && i < port->gid_count; i++) {
		const struct gid_entry *entry = &port->gids[i];
		struct endpoint *endpoint;

		if (!entry->type.known || gid_is_zero(&entry->gid.gid))
			continue;
		endpoint = mem_append(&endpoints, &count, sizeof(*endpoints));
		endpoint_describe_port(device, port, endpoint);
		endpoint_describe_gid(&search, port, entry, endpoint);
	}
	if (first.transport == TRANSPORT_IWARP)
		MEM_ADD(endpoints, count) = first;
	*ret_endpoints = endpoints;
	*ret_count = count;
	return 0;
}

enum { OPER_DOWN = 2, OPER_LOWER_LAYER_DOWN = 3 }; /* IF_OPER_*, linux/if.h */

char *endpoint_port_name(const struct endpoint *endpoint)
{
	_cleanup_(freep) char *device = text_clean(endpoint->device, sizeof(endpoint->device));

	return mem_format("%s/%" PRIu32, device, endpoint->port);
}

static char *state_hint(const struct endpoint *endpoint, const char *port, const char *netdev)
{
	const bool infiniband = endpoint->link_layer == LINK_LAYER_INFINIBAND;

	if (infiniband &&
	    (endpoint->state == PORT_STATE_INIT || endpoint->state == PORT_STATE_ARMED))
		return mem_string("no subnet manager has brought it up: rdmactl smp sminfo shows "
				  "whether one (such as opensm) is running");
	if (infiniband || !netdev[0])
		return mem_format("check the cable and the other end; rdmactl ports %s shows the "
				  "physical state",
				  port);
	if (endpoint->operstate == OPER_DOWN)
		return mem_format("ip link set %s up", netdev);
	if (endpoint->operstate == OPER_LOWER_LAYER_DOWN)
		return mem_format("%s has no carrier: check the cable and the other end (ethtool "
				  "%s, ip link show %s)",
				  netdev, netdev, netdev);
	return mem_format("check ip link show %s and the kernel log (dmesg)", netdev);
}

bool endpoint_is_down(const struct endpoint *endpoint, const char *peer, char **ret_reason,
		      char **ret_hint)
{
	_cleanup_(freep) char *port = NULL, *netdev = NULL, *carrier = NULL, *hint = NULL;

	if (!endpoint || !endpoint->device[0] || !endpoint->state ||
	    endpoint->state == PORT_STATE_ACTIVE)
		return false;
	port = endpoint_port_name(endpoint);
	netdev = text_clean(endpoint->netdev, sizeof(endpoint->netdev));
	hint = state_hint(endpoint, port, netdev);
	if (netdev[0] && endpoint->operstate)
		carrier = mem_format(" (its netdev %s is %s)", netdev,
				     enum_word(operstate_names, endpoint->operstate, "unknown"));
	*ret_reason = mem_format(
		"port %s%s%s is not ACTIVE but %s%s", port, peer ? " of " : "", peer ? peer : "",
		enum_word(port_state_names, endpoint->state, "in an unknown state"),
		carrier ? carrier : "");
	*ret_hint = peer ? mem_format("on %s: %s", peer, hint) : mem_string(hint);
	return true;
}

static const char *kind_of(const struct endpoint *endpoint)
{
	switch (endpoint->transport) {
	case TRANSPORT_ROCE:
		return endpoint->gid_type == GID_TYPE_ROCE_V1 ? "RoCE v1" : "RoCE v2";
	case TRANSPORT_IWARP:
		return "iWARP";
	case TRANSPORT_INFINIBAND:
		return "InfiniBand";
	case TRANSPORT_OPA:
		return "Omni-Path";
	default:
		return "of another transport";
	}
}

static const char *family_of(const struct endpoint *endpoint)
{
	return gid_is_ipv4_mapped(&endpoint->gid) ? "IPv4" : "IPv6";
}

bool endpoint_mismatch(const struct endpoint *near, const char *near_name,
		       const struct endpoint *far, const char *far_name, char **ret_reason,
		       char **ret_hint)
{
	const bool type = near->gid_type != far->gid_type;

	if (near->transport != far->transport || near->link_layer != far->link_layer) {
		*ret_reason = mem_format("%s is %s, %s is %s: they cannot talk to each other",
					 near_name, kind_of(near), far_name, kind_of(far));
		*ret_hint = mem_string("name ports of one kind on both sides: rdmactl devices "
				       "shows the transport");
		return true;
	}
	if (near->transport != TRANSPORT_ROCE || (!type && family_of(near) == family_of(far)))
		return false;
	*ret_reason = mem_format("GIDs of different %s cannot talk to each other: index %" PRIu32
				 " of %s is %s, index %" PRIu32 " of %s is %s",
				 type ? "types" : "families", near->gid_index, near_name,
				 type ? kind_of(near) : family_of(near), far->gid_index, far_name,
				 type ? kind_of(far) : family_of(far));
	*ret_hint = mem_format(
		"choose GIDs of one %s with --gid-index on both sides: rdmactl gids %s",
		type ? "type" : "family",
		type ? "--type roce-v2 lists them" : "shows the IP addresses");
	return true;
}
