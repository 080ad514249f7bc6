/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/endpoint/endpoint_search.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/endpoint/endpoint.h"
#include "host/netdev.h"

int endpoint_fail(const struct endpoint_search *search, int error, char *reason, char *hint)
{
	*search->ret_reason = reason;
	*search->ret_hint = hint;
	return error;
}

/* Whether the netdev is `own` or a master above it, such as the bridge that its bond belongs to. */
static bool is_or_is_above(const struct link_list *links, const struct link *link,
			   const struct link *own)
{
	for (int level = 0; own && level < LINK_MOST_LEVELS; level++) {
		if (link == own)
			return true;
		own = link_by_index(links, &own->master_index);
	}
	return false;
}

/*
 * True for the netdev, its masters, and a VLAN on one of these: all of them give the port GIDs
 * (is_eth_port_of_netdev_filter(), core/roce_gid_mgmt.c). Other kinds of netdevs do not belong to a
 * port (a tunnel), or have a lower index that does not mean a netdev below: a veth's is its peer.
 */
static bool stands_on(const struct link_list *links, const struct link *link, const char *netdev)
{
	const struct link *own = link_by_name(links, netdev);

	for (int depth = 0; own && link && depth < LINK_MOST_LEVELS; depth++) {
		if (is_or_is_above(links, link, own))
			return true;
		link = link->vlan_id.known && !link->lower_elsewhere
			       ? link_by_index(links, &link->lower_index)
			       : NULL;
	}
	return false;
}

bool endpoint_is_of_port(const struct inventory *inventory, const struct port *port,
			 const struct link *link)
{
	return stands_on(&inventory->links, link, port->netdev) || port_has_ipoib(port, link);
}

const struct link *endpoint_link_of(const struct inventory *inventory, const struct ip_address *ip)
{
	for (size_t i = 0; i < inventory->addresses.count; i++)
		if (ip_equal(&inventory->addresses.items[i].ip, ip))
			return link_by_index(&inventory->links,
					     &inventory->addresses.items[i].link_index);
	return NULL;
}

/* Returns an address for librdmacm: the requested one, else IPv4, global IPv6, link-local. */
static struct ip_address netdev_address(const struct endpoint_search *search,
					const struct port *port)
{
	const struct inventory *inventory = search->inventory;
	struct ip_address best = {0};
	unsigned int best_rank = 0;

	for (size_t i = 0; i < inventory->addresses.count; i++) {
		const struct link_address *address = &inventory->addresses.items[i];
		const struct link *link = link_by_index(&inventory->links, &address->link_index);
		unsigned int rank = RANK_USABLE;

		if (!link || !endpoint_is_of_port(inventory, port, link))
			continue;
		if (search->wish->family && address->ip.family != search->wish->family)
			continue;
		if (search->ip && ip_equal(search->ip, &address->ip))
			rank |= RANK_ADDRESS;
		if (address->ip.family == search->family)
			rank |= RANK_FAMILY;
		if (address->ip.family == AF_INET)
			rank |= RANK_IPV4;
		if (!ip_is_link_local(&address->ip))
			rank |= RANK_GLOBAL;
		if (rank > best_rank) {
			best = address->ip;
			best_rank = rank;
		}
	}
	return best;
}

static bool has_prefix(const struct gid *a, const struct gid *b, unsigned int bits)
{
	for (unsigned int i = 0; i < bits && i < 128; i++)
		if ((a->raw[i / 8] ^ b->raw[i / 8]) & (0x80u >> i % 8))
			return false;
	return true;
}

static bool is_in_subnet(const struct gid_entry *entry, const struct endpoint *far)
{
	enum { SUBNET_PREFIX_BITS = 64, MAPPED_BITS = 96 };
	const struct gid *gid = &entry->gid.gid;
	const struct gid *peer = &far->gid;
	const bool ipv4 = gid_is_ipv4_mapped(gid);

	/* An iWARP GID is the MAC, so it is not in any subnet. */
	if (entry->type.value == GID_TYPE_IB)
		return far->link_layer == LINK_LAYER_INFINIBAND &&
		       has_prefix(gid, peer, SUBNET_PREFIX_BITS);
	if (gid_is_link_local(gid))
		return gid_is_link_local(peer);
	return entry->prefix_length.known && ipv4 == gid_is_ipv4_mapped(peer) &&
	       has_prefix(gid, peer,
			  (unsigned int)entry->prefix_length.value + (ipv4 ? MAPPED_BITS : 0));
}

/* True if the entry is in use and of the requested kind. */
static bool is_usable(const struct endpoint_search *search, const struct gid_entry *entry)
{
	const struct endpoint_wish *wish = search->wish;
	const bool ipv4 = gid_is_ipv4_mapped(&entry->gid.gid);

	if (!entry->gid.known || gid_is_zero(&entry->gid.gid) || !entry->type.known)
		return false;
	if (wish->gid_index.known && entry->index.value != wish->gid_index.value)
		return false;
	if (entry->type.value == GID_TYPE_IB)
		return wish->gid_index.known || !entry->index.value;
	if (wish->gid_type.known && entry->type.value != wish->gid_type.value)
		return false;
	if (wish->family && ipv4 != (wish->family == AF_INET))
		return false;
	return !wish->peer || (entry->type.value == wish->peer->gid_type &&
			       ipv4 == gid_is_ipv4_mapped(&wish->peer->gid));
}

/* Ranks the entry; 0 if it is not usable. */
static unsigned int rank_gid(const struct endpoint_search *search, const struct gid_entry *entry)
{
	const struct gid *gid = &entry->gid.gid;
	const bool ipv4 = gid_is_ipv4_mapped(gid);
	unsigned int rank = RANK_USABLE;

	if (!is_usable(search, entry))
		return 0;
	if (search->wish->peer && is_in_subnet(entry, search->wish->peer))
		rank |= RANK_SUBNET;
	if (search->ip && entry->ip.known && ip_equal(&entry->ip.address, search->ip))
		rank |= RANK_ADDRESS;
	if (search->netdev && entry->netdev && !strcmp(entry->netdev, search->netdev))
		rank |= RANK_NETDEV;
	if (entry->netdev)
		rank |= RANK_HERE;
	if (entry->type.value == GID_TYPE_ROCE_V2)
		rank |= RANK_V2;
	if (search->family && ipv4 == (search->family == AF_INET))
		rank |= RANK_FAMILY;
	if (ipv4)
		rank |= RANK_IPV4;
	if (!gid_is_link_local(gid))
		rank |= RANK_GLOBAL;
	return rank;
}

const struct gid_entry *endpoint_best_gid(const struct endpoint_search *search,
					  const struct port *port, unsigned int *ret_rank)
{
	const struct gid_entry *best = NULL;
	unsigned int best_rank = 0;

	for (size_t i = 0; i < port->gid_count; i++) {
		unsigned int rank = rank_gid(search, &port->gids[i]);

		if (rank > best_rank) {
			best = &port->gids[i];
			best_rank = rank;
		}
	}
	*ret_rank = best_rank;
	return best;
}

/* Longer names are cut, but the kernel's names are not longer than the members. */
static void copy_name(char *member, size_t size, const char *name)
{
	size_t length = name ? strnlen(name, size - 1) : 0;

	if (length)
		memcpy(member, name, length);
	memset(member + length, 0, size - length);
}

void endpoint_describe_port(const struct device *device, const struct port *port,
			    struct endpoint *endpoint)
{
	*endpoint = (struct endpoint){
		.port = (uint32_t)port->port.value,
		.link_layer = (uint32_t)port->link_layer.value,
		.transport = device_port_transport(device, port),
		.state = port->state.known ? (uint32_t)port->state.value : 0,
		.operstate = (uint32_t)port->netdev_operstate.value,
		.mtu_bytes = (uint32_t)port->active_mtu_bytes.value,
		.rate_mbps = (uint64_t)(port->rate_gbps.value * 1000 + 0.5),
	};
	if (endpoint->link_layer == LINK_LAYER_INFINIBAND)
		endpoint->lid = (uint32_t)port->lid.value;
	copy_name(endpoint->device, sizeof(endpoint->device), device->kernel_name);
	copy_name(endpoint->netdev, sizeof(endpoint->netdev), port->netdev);
}

void endpoint_describe_gid(const struct endpoint_search *search, const struct port *port,
			   const struct gid_entry *entry, struct endpoint *endpoint)
{
	endpoint->gid_index = (uint32_t)entry->index.value;
	endpoint->gid = entry->gid.gid;
	endpoint->gid_type = (uint32_t)entry->type.value;
	if (endpoint->transport == TRANSPORT_ROCE)
		copy_name(endpoint->netdev, sizeof(endpoint->netdev), entry->netdev);
	/* The netdev may lack the IP address if the GID is derived from the MAC. */
	if (entry->ip.known && (!search->inventory->addresses.count ||
				endpoint_link_of(search->inventory, &entry->ip.address)))
		endpoint->ip = entry->ip.address;
	else
		endpoint->ip = netdev_address(search, port);
}

bool endpoint_is_active(const struct port *port)
{
	return !port->state.known || port->state.value == PORT_STATE_ACTIVE;
}

static int explain_state(const struct endpoint_search *search, const struct endpoint *endpoint)
{
	char *reason = NULL, *hint = NULL;

	endpoint_is_down(endpoint, NULL, &reason, &hint);
	return endpoint_fail(search, -ENETDOWN, reason, hint);
}

/* Fails if the port cannot talk to the peer's. */
static int check_kind(const struct endpoint_search *search, const struct endpoint *endpoint)
{
	const struct endpoint *peer = search->wish->peer;
	_cleanup_(freep) char *near = NULL, *far_port = NULL, *far = NULL;
	char *reason, *hint;

	if (!peer ||
	    (endpoint->transport == peer->transport && endpoint->link_layer == peer->link_layer))
		return 0;
	near = endpoint_port_name(endpoint);
	far_port = endpoint_port_name(peer);
	far = mem_format("%s of the peer", far_port);
	endpoint_mismatch(endpoint, near, peer, far, &reason, &hint);
	return endpoint_fail(search, -ENODEV, reason, hint);
}

static const char *type_words(const struct number *type)
{
	if (!type->known)
		return "";
	return type->value == GID_TYPE_ROCE_V2 ? "RoCE v2 " : "RoCE v1 ";
}

/* The type that a GID must have to be usable; unknown: any. */
static struct number needed_type(const struct endpoint_wish *wish)
{
	if (wish->peer && wish->peer->transport == TRANSPORT_ROCE)
		return number_of(wish->peer->gid_type);
	return wish->gid_type;
}

/* Returns "RoCE v2 IPv4 GID", for what a GID must be to be usable; the caller frees it. */
static char *needed_gid(const struct endpoint_wish *wish)
{
	const struct number type = needed_type(wish);
	int family = wish->family;

	if (wish->peer && wish->peer->transport == TRANSPORT_ROCE)
		family = gid_is_ipv4_mapped(&wish->peer->gid) ? AF_INET : AF_INET6;
	return mem_format("%s%sGID", type_words(&type),
			  family == AF_INET    ? "IPv4 "
			  : family == AF_INET6 ? "IPv6 "
					       : "");
}

static int explain_index(const struct endpoint_search *search, const struct port *port)
{
	const uint64_t index = search->wish->gid_index.value;
	const struct gid_entry *entry = gid_entry_at(port, index);
	_cleanup_(freep) char *name = port_object(port), *needed = needed_gid(search->wish);
	char text[GID_TEXT_SIZE];

	if (!entry || gid_is_zero(&entry->gid.gid))
		return endpoint_fail(search, -EINVAL,
				     mem_format("%s has no GID at index %" PRIu64, name, index),
				     mem_format("rdmactl gids %s shows those it has", name));
	gid_format(&entry->gid.gid, text);
	return endpoint_fail(search, -EINVAL,
			     mem_format("index %" PRIu64 " of %s, %sGID %s, is not a usable %s",
					index, name, type_words(&entry->type), text, needed),
			     mem_format("rdmactl gids %s shows the others", name));
}

static int explain_no_gid(const struct endpoint_search *search, const struct port *port)
{
	const struct endpoint_wish *wish = search->wish;
	_cleanup_(freep) char *name = port_object(port), *needed = needed_gid(wish);

	if (wish->gid_index.known)
		return explain_index(search, port);
	return endpoint_fail(
		search, -EADDRNOTAVAIL, mem_format("%s has no usable %s", name, needed),
		needed_type(wish).known ? mem_format("rdmactl gids %s shows those it has", name)
		: port->netdev		? mem_format("give its netdev %s an address (ip addr add); "
							      "rdmactl gids --all shows the table",
						     port->netdev)
			       : mem_string("its netdev may be in another network namespace; "
					    "rdmactl gids --all shows the table"));
}

/* iWARP connects only by IP addresses; its GID is the MAC. */
static int make_iwarp(const struct endpoint_search *search, const struct port *port,
		      struct endpoint *endpoint)
{
	const struct gid_entry *first = gid_entry_at(port, 0);
	_cleanup_(freep) char *name = port_object(port);

	if (first)
		endpoint->gid = first->gid.gid;
	if (search->wish->gid_index.known && search->wish->gid_index.value)
		return explain_index(search, port);
	endpoint->ip = netdev_address(search, port);
	if (endpoint->ip.family)
		return 0;
	return endpoint_fail(
		search, -EADDRNOTAVAIL,
		mem_format("%s has no IP address on its netdev%s%s, and iWARP connects "
			   "only by IP address",
			   name, port->netdev ? " " : "", port->netdev ? port->netdev : ""),
		port->netdev ? mem_format("ip addr add ADDRESS/PREFIX dev %s", port->netdev)
			     : NULL);
}

int endpoint_make(const struct endpoint_search *search, const struct device *device,
		  const struct port *port, struct endpoint *ret_endpoint)
{
	const struct gid_entry *entry;
	struct endpoint endpoint;
	unsigned int rank;
	int rc;

	endpoint_describe_port(device, port, &endpoint);
	if (!endpoint_is_active(port))
		return explain_state(search, &endpoint);
	rc = check_kind(search, &endpoint);
	if (rc)
		return rc;
	if (endpoint.transport == TRANSPORT_IWARP) {
		rc = make_iwarp(search, port, &endpoint);
	} else {
		entry = endpoint_best_gid(search, port, &rank);
		if (!entry)
			return explain_no_gid(search, port);
		endpoint_describe_gid(search, port, entry, &endpoint);
	}
	if (!rc)
		*ret_endpoint = endpoint;
	return rc;
}
