/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/endpoint/gid_choice.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/endpoint/endpoint_search.h"
#include "host/fib/fib.h"
#include "host/netdev.h"
#include "host/rtnl.h"

/* How well an entry fits; larger is better. */
enum fit { FIT_NONE, FIT_ROCE_V1, FIT_ROCE_V2, FIT_INFINIBAND };

struct search {
	const struct gid_question *question;
	const struct link
		*out; /* the netdev that leads to the peer; NULL if the peer is this host */
	struct gid_entry *best;
	enum fit best_fit;
};

static const char *family_word(int family)
{
	return family == AF_INET ? "IPv4" : "IPv6";
}

static char *address_text(const struct ip_address *address)
{
	char text[IP_TEXT_SIZE];

	ip_format(address, text);
	return mem_string(text);
}

static char *judge_roce(const struct search *search, const struct gid_entry *entry,
			enum fit *ret_fit)
{
	const struct known_ip *source = &search->question->route.source;
	char text[IP_TEXT_SIZE];

	if (entry->ip.address.family != search->question->peer.family)
		return mem_format("%s entry, the peer is %s", family_word(entry->ip.address.family),
				  family_word(search->question->peer.family));
	if (!entry->netdev)
		return mem_string("its netdev is not in this network namespace");
	if (search->out && strcmp(entry->netdev, search->out->name))
		return mem_format("netdev %s, but the route leaves by %s", entry->netdev,
				  search->out->name);
	if (source->known && !ip_equal(&entry->ip.address, &source->address)) {
		ip_format(&source->address, text);
		return mem_format("not the source address of the route, %s", text);
	}
	*ret_fit = entry->type.value == GID_TYPE_ROCE_V2 ? FIT_ROCE_V2 : FIT_ROCE_V1;
	return NULL;
}

/* If IPoIB leads to the peer, others know the port by its first GID. */
static char *find_infiniband_objection(const struct search *search, const struct port *port,
				       const struct gid_entry *entry, enum fit *ret_fit)
{
	if (!search->out)
		return mem_string("the peer is an address of this host");
	/* A port without a netdev is a sub-device of the one with the same GUID. */
	if ((!port->netdev && !port->netdev_unknown) || !link_has_guid_of(search->out, port))
		return mem_format(
			"the route leaves by %s, which is not an IPoIB netdev of this port",
			search->out->name);
	if (entry->index.value)
		return mem_string("not the port's first GID");
	*ret_fit = FIT_INFINIBAND;
	return NULL;
}

/* Returns the reason against an entry, or NULL and how well it fits. */
static char *find_objection(const struct search *search, const struct device *device,
			    const struct port *port, const struct gid_entry *entry,
			    enum fit *ret_fit)
{
	if (gid_is_zero(&entry->gid.gid))
		return mem_string("empty slot");
	if (!entry->type.known)
		return mem_string("its type cannot be read");
	if (port->state.known && port->state.value != PORT_STATE_ACTIVE)
		return mem_string("the port is not active");
	if (device_port_transport(device, port) == TRANSPORT_ROCE)
		return judge_roce(search, entry, ret_fit);
	if (port->link_layer.value == LINK_LAYER_INFINIBAND)
		return find_infiniband_objection(search, port, entry, ret_fit);
	return mem_string("this transport does not address by GID index");
}

static void drop(struct gid_entry *entry, const struct gid_entry *better)
{
	bool same_port = !strcmp(entry->device, better->device) &&
			 entry->port.value == better->port.value;
	_cleanup_(freep) char *name = same_port ? mem_format("index %" PRIu64, better->index.value)
						: mem_format("%s/%" PRIu64, better->device,
							     better->port.value);

	entry->selected = TRISTATE_NO;
	free(entry->why);
	if (entry->type.value != better->type.value)
		entry->why = mem_format("RoCE v1, and %s %s RoCE v2 with this address", name,
					same_port ? "is" : "has");
	else
		entry->why = mem_format("%s is equally good and comes first", name);
}

static void consider(struct search *search, const struct device *device, const struct port *port,
		     struct gid_entry *entry)
{
	enum fit fit = FIT_NONE;

	entry->selected = TRISTATE_NO;
	free(entry->why);
	entry->why = find_objection(search, device, port, entry, &fit);
	if (entry->why)
		return;
	if (search->best && fit <= search->best_fit) {
		drop(entry, search->best);
		return;
	}
	if (search->best)
		drop(search->best, entry);
	search->best = entry;
	search->best_fit = fit;
}

static char *praise(const struct search *search)
{
	if (search->best_fit == FIT_INFINIBAND)
		return mem_format("first GID of the port of IPoIB netdev %s", search->out->name);
	if (!search->out)
		return mem_format("%s, the peer's own address on this host",
				  search->best_fit == FIT_ROCE_V2 ? "RoCE v2" : "RoCE v1");
	return mem_format("%s, and the route leaves by %s with this address",
			  search->best_fit == FIT_ROCE_V2 ? "RoCE v2" : "RoCE v1 (no v2 entry)",
			  search->out->name);
}

static void explain(const struct search *search, char **ret_reason, char **ret_hint)
{
	const struct route *route = &search->question->route;
	_cleanup_(freep) char *peer = address_text(&search->question->peer);
	_cleanup_(freep) char *source = route->source.known ? address_text(&route->source.address)
							    : NULL;

	if (search->out)
		*ret_reason = mem_format("no GID leads to %s: the route leaves by %s%s%s", peer,
					 search->out->name, source ? " with source " : "",
					 source ? source : "");
	else
		*ret_reason = mem_format(
			"no GID leads to %s: it is an address of this host, but not "
			"of an RDMA netdev",
			peer);
	*ret_hint = mem_string("rdmactl netdevs shows the netdevs of RDMA devices; route the peer "
			       "through one of them (ip route)");
}

const struct gid_entry *gid_choose(const struct gid_question *question, char **ret_reason,
				   char **ret_hint)
{
	struct search search = {.question = question};

	if (!question->route.local)
		search.out = link_by_index(question->links, &question->route.link_index);
	if (!search.out && !question->route.local) {
		*ret_reason = mem_string("the route leaves by a netdev that does not exist");
		*ret_hint = NULL;
		return NULL;
	}
	for_each_port (device, port, question->devices)
		for (size_t i = 0; i < port->gid_count; i++)
			consider(&search, device, port, &port->gids[i]);
	if (!search.best) {
		explain(&search, ret_reason, ret_hint);
		return NULL;
	}
	search.best->selected = TRISTATE_YES;
	search.best->why = praise(&search);
	return search.best;
}

static void add_line(struct strings *lines, char *line)
{
	strings_add(lines, line);
	free(line);
}

void gid_env_lines(const struct gid_entry *entry, const char *peer, bool roce,
		   struct strings *ret_lines)
{
	uint64_t port = entry->port.value, index = entry->index.value;
	const char *device = entry->device;

	/* NCCL treats a name without = as a prefix: mlx5_1 would also select mlx5_10 to mlx5_19. */
	add_line(ret_lines, mem_format("NCCL_IB_HCA==%s:%" PRIu64, device, port));
	if (roce)
		add_line(ret_lines, mem_format("NCCL_IB_GID_INDEX=%" PRIu64, index));
	add_line(ret_lines, mem_format("UCX_NET_DEVICES=%s:%" PRIu64, device, port));
	if (roce)
		add_line(ret_lines, mem_format("UCX_IB_GID_INDEX=%" PRIu64, index));
	if (roce)
		add_line(ret_lines, mem_format("FI_VERBS_GID_IDX=%" PRIu64, index));
	add_line(ret_lines,
		 mem_format("# perftest: ib_write_bw -d %s -i %" PRIu64 " -x %" PRIu64 " %s",
			    device, port, index, peer));
}

static int resolve(const char *name, struct ip_address *address, char **ret_error)
{
	struct addrinfo hints = {.ai_flags = AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	int rc;

	if (!ip_parse(name, address))
		return 0;
	rc = getaddrinfo(name, NULL, &hints, &found);
	if (rc) {
		_cleanup_(freep) char *clean = text_clean(name, strlen(name));

		*ret_error = mem_format("cannot find the address of '%s': %s", clean,
					gai_strerror(rc));
		return -ENOENT;
	}
	address->family = (uint8_t)found->ai_family;
	if (found->ai_family == AF_INET)
		memcpy(address->raw, &((struct sockaddr_in *)(void *)found->ai_addr)->sin_addr, 4);
	else
		memcpy(address->raw, &((struct sockaddr_in6 *)(void *)found->ai_addr)->sin6_addr,
		       16);
	freeaddrinfo(found);
	return 0;
}

/* Finds the index of the netdev after the % of a link-local address, or 0. */
static int find_zone(const char *name, const struct ip_address *address,
		     const struct link_list *links, unsigned int *ret_index, char **ret_error)
{
	const char *zone = strchr(name, '%');
	const struct link *link = zone ? link_by_name(links, zone + 1) : NULL;

	if (zone && !link) {
		_cleanup_(freep) char *clean = text_clean(zone + 1, strlen(zone + 1));

		*ret_error = mem_format("no netdev '%s' for the peer's address", clean);
		return -ENODEV;
	}
	if (ip_is_link_local(address) && !link) {
		*ret_error = mem_format("%s is a link-local address: name its netdev, %s%%NETDEV",
					name, name);
		return -EINVAL;
	}
	*ret_index = link ? (unsigned int)link->index.value : 0;
	return 0;
}

/* Asks the kernel or the recording; if the snapshot lacks the answer, looks it up in its tables. */
static int find_route(struct netlink *rtnl, const struct link_list *links,
		      const struct route_question *question, struct route *ret_route,
		      struct strings *doubts)
{
	_cleanup_(fib_clear) struct fib fib = {.routes = NULL};
	int rc = rtnl_get_route(rtnl, question, ret_route);

	/* Happens once: a snapshot asks about the host itself for this, after everything else. */
	if (!rc && ret_route->local)
		fib_record(rtnl);
	if (rc != -ENODATA || !doubts)
		return rc;
	rc = fib_load(rtnl, question->destination.family, &fib);
	if (!rc)
		rc = fib_lookup(&fib, links, question, ret_route, doubts);
	return rc;
}

int peer_find(const char *name, const struct inventory *inventory, struct ip_address *ret_address,
	      struct route *ret_route, struct strings *doubts, char **ret_error, char **ret_hint)
{
	_cleanup_(netlink_freep) struct netlink *rtnl = NULL;
	struct route_question question = {.link_index = 0};
	int rc = resolve(name, ret_address, ret_error);

	*ret_hint = rc ? mem_string("check the name, or give the address itself") : NULL;
	if (!rc)
		rc = find_zone(name, ret_address, &inventory->links, &question.link_index,
			       ret_error);
	if (rc)
		return rc;
	if (doubts && inventory->root && ip_parse(name, &question.destination))
		strings_add(doubts, "the name was looked up on this host, not on the snapshot's");
	question.destination = *ret_address;
	rc = inventory_open_rtnl(inventory, &rtnl);
	if (!rc)
		rc = find_route(rtnl, &inventory->links, &question, ret_route, doubts);
	if (rc == -ENODATA) {
		*ret_error = mem_format("the snapshot does not hold the route to %s", name);
		*ret_hint = mem_string(
			"it has the routes to neighbours but no routing tables, because it is "
			"anonymised or from an older rdmactl, or the tables are too large");
		return rc;
	}
	if (rc == -E2BIG) {
		*ret_error = mem_format(
			"the route to %s cannot be found: the routing tables of the "
			"snapshot are too large",
			name);
		return rc;
	}
	if (rc == -EINVAL)
		rc = -EHOSTUNREACH; /* a blackhole route; elsewhere -EINVAL means a mistake of the
				       caller */
	if (rc) {
		*ret_error = mem_format("no route to %s: %s", name, strerror(-rc));
		*ret_hint = mem_format("ip route get %s%s shows how the kernel routes it", name,
				       inventory->root ? " on that host" : "");
	}
	return rc;
}

uint32_t address_zone(const char *text)
{
	const char *zone = strchr(text, '%');

	return zone ? if_nametoindex(zone + 1) : 0;
}

bool peer_is_reached_from(const struct inventory *inventory, const struct port *port,
			  const struct ip_address *source, const struct ip_address *peer)
{
	const struct route_question question = {.destination = *peer, .source = *source};
	_cleanup_(netlink_freep) struct netlink *rtnl = NULL;
	struct route route = {0};
	const struct link *link;

	if (source->family != peer->family || ip_is_link_local(source) ||
	    inventory_open_rtnl(inventory, &rtnl) || rtnl_get_route(rtnl, &question, &route))
		return false;
	link = link_by_index(&inventory->links, &route.link_index);
	return route.local || (link && endpoint_is_of_port(inventory, port, link));
}
