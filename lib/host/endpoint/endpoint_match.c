/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/endpoint/endpoint_match.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/link.h"
#include "mad/format/codes.h"

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
		return mem_string("no subnet manager has brought it up: sminfo shows whether one "
				  "runs; opensm is one");
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
	return mem_format("look at ip link show %s and the kernel log (dmesg)", netdev);
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
	*ret_hint = mem_format("choose one %s with --gid-index on both sides: rdmactl gids %s",
			       type ? "type" : "family",
			       type ? "--type roce-v2 lists them" : "shows the IP addresses");
	return true;
}
