/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Destinations over Ethernet: the local port and GID that reach them. */
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/text.h"
#include "host/endpoint/endpoint.h"
#include "host/endpoint/gid_choice.h"
#include "cmd/mad/ping_run.h"

static bool load(const char *via, uint64_t needs, struct inventory *inventory)
{
	_cleanup_(freep) char *copy = mem_string_or_null(via), *message = NULL;
	char *words[] = {copy, NULL};
	_cleanup_(objects_free) struct objects objects = {0};
	struct inventory_request request = {.needs = needs, .objects = &objects};

	return !objects_parse(&objects, words, true, &message) &&
	       !inventory_load(inventory, &request, NULL, NULL);
}

/*
 * Whether the port of `via`, by default the best one of the host, has no LIDs. The simulator of a
 * fabric starts its thread when the first file is opened, and that thread must not get the signals
 * that end a session.
 */
static bool port_is_ethernet(const char *via)
{
	_cleanup_(signals_release) struct signals signals = SIGNALS_NONE;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	_cleanup_(inventory_free) struct inventory inventory = {0};
	_cleanup_(mad_port_clear) struct mad_port port = {0};

	mad_session_catch(&signals);
	if (!load(via, MAD_PORT_NEEDS, &inventory))
		return false;
	return !mad_port_choose(&inventory, true, &port, &reason, &hint) && !port.smi_device;
}

static bool is_ethernet(const struct ping_args *args, const char *word)
{
	struct ip_address address;

	if (args->smp || args->openib || args->mad.lid || args->mad.guid || args->mad.direct ||
	    args->mad.node)
		return false;
	return (!ip_parse(word, &address) && address.family == AF_INET) ||
	       port_is_ethernet(args->mad.via);
}

/* Converts a GID to the IP address in the routing table; copies any other name. */
static char *address_of(const struct inventory *inventory, const char *name, bool named)
{
	const struct device *device = inventory->devices.count ? inventory->devices.items : NULL;
	const char *netdev = named && device && device->port_count ? device->ports[0].netdev : NULL;
	struct ip_address address;
	char text[IP_TEXT_SIZE];
	struct gid gid;

	if (strchr(name, '%') || gid_parse(name, &gid))
		return mem_string(name);
	address = gid_to_ip(&gid);
	ip_format(&address, text);
	return gid_is_link_local(&gid) && netdev ? mem_format("%s%%%s", text, netdev)
						 : mem_string(text);
}

/* Why the endpoint cannot send management datagrams to the peer, or NULL if it can. */
static char *refuse(const struct endpoint *endpoint, const struct ip_address *peer,
		    bool index_given)
{
	_cleanup_(freep) char *device = text_clean(endpoint->device, strlen(endpoint->device));
	const unsigned int version = peer->family == AF_INET ? 4 : 6;

	if (endpoint->link_layer == LINK_LAYER_INFINIBAND)
		return mem_format("the path leaves by InfiniBand port %s/%u: give a LID or GUID",
				  device, endpoint->port);
	if (endpoint->transport != TRANSPORT_ROCE)
		return mem_format(
			"the path leaves by %s/%u, which does not support management datagrams",
			device, endpoint->port);
	if (gid_is_ipv4_mapped(&endpoint->gid) == (peer->family == AF_INET))
		return NULL;
	return index_given
		       ? mem_format("GID index %u of %s/%u is not for IPv%u", endpoint->gid_index,
				    device, endpoint->port, version)
		       : mem_format("%s/%u has no GID for IPv%u: GID index %u is of another kind",
				    device, endpoint->port, version, endpoint->gid_index);
}

static bool is_number(const char *name)
{
	return !strncmp(name, "0x", 2) || !name[strspn(name, "0123456789")] || strchr(name, ',');
}

static bool find_path(const struct inventory *inventory, const struct ping_args *args,
		      const char *name, struct endpoint *ret_endpoint, struct ip_address *ret_peer,
		      char **ret_reason, char **ret_hint)
{
	_cleanup_(freep) char *address = address_of(inventory, name, args->mad.via);
	const struct endpoint_wish wish = {
		.gid_index = args->gid_index,
		.gid_type = args->gid_index.known ? (struct number){0}
						  : number_of(GID_TYPE_ROCE_V2),
		.named = args->mad.via,
	};

	_cleanup_(freep) char *other_hint = NULL;
	struct route route = {0};

	if (is_number(name)) {
		*ret_reason = mem_string("on Ethernet a destination is an IP address, a GID or a "
					 "host name");
		*ret_hint = mem_string("LIDs, GUIDs and directed routes need an InfiniBand "
				       "port: name one with --via");
		return false;
	}
	if (peer_find(address, inventory, ret_peer, &route, NULL, ret_reason, ret_hint))
		return false;
	if (endpoint_by_route(inventory, address, ret_peer, &route, &wish, ret_endpoint, ret_reason,
			      &other_hint)) {
		/* other_hint is meant for selftest. */
		*ret_hint = mem_format(
			"name a port with --via; rdmactl gids --to %s shows the path", address);
		return false;
	}
	*ret_reason = refuse(ret_endpoint, ret_peer, args->gid_index.known);
	return !*ret_reason;
}

/* All destinations must be reached by the port of the first. */
static bool uses_same_port(struct ping_paths *paths, const struct endpoint *endpoint,
			   char **ret_reason, char **ret_hint)
{
	_cleanup_(freep) char *via = mem_format("%s/%u", endpoint->device, endpoint->port);
	_cleanup_(freep) char *clean = text_clean(via, strlen(via)), *first = NULL;

	if (!paths->via)
		paths->via = mem_string(via);
	if (!strcmp(paths->via, via))
		return true;
	first = text_clean(paths->via, strlen(paths->via));
	*ret_reason = mem_format("the path leaves by %s, that of other destinations by %s", clean,
				 first);
	*ret_hint = mem_string("ping it in a separate run, or name the port with --via");
	return false;
}

bool ping_find_paths(const struct ping_args *args, char *const *words, struct ping_paths *ret)
{
	_cleanup_(inventory_free) struct inventory inventory = {0};

	if (!is_ethernet(args, words[0]) || !load(args->mad.via, ENDPOINT_NEEDS, &inventory))
		return false;
	*ret = (struct ping_paths){0};
	for (; *words; words++) {
		_cleanup_(freep) char *reason = NULL, *hint = NULL;
		char *clean = text_clean(*words, strlen(*words));
		struct endpoint endpoint = {.port = 0};
		struct ip_address peer = {0};

		if (!find_path(&inventory, args, *words, &endpoint, &peer, &reason, &hint) ||
		    !uses_same_port(ret, &endpoint, &reason, &hint)) {
			problem_add_text(&ret->problems, clean, NULL, NULL, reason, hint);
			free(clean);
			continue;
		}
		MEM_ADD(ret->items, ret->count) = (struct ping_path){
			.name = clean,
			.gid = ip_to_gid(&peer),
			.gid_index = (uint8_t)endpoint.gid_index,
		};
	}
	return true;
}

void ping_paths_free(struct ping_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i].name);
	free(paths->items);
	free(paths->via);
	problems_free(&paths->problems);
}
