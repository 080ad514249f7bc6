/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands to run on the other host. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/port.h"
#include "selftest/interop/interop.h"

/* Family 0: not known. */
static const struct ip_address *server_ip(const struct interop *session)
{
	static const uint8_t any[sizeof(((struct ip_address *)NULL)->raw)];
	const struct selftest_request *request = session->request;
	const bool bound = request->bind.family && memcmp(request->bind.raw, any, sizeof(any)) != 0;
	const struct ip_address *own = bound ? &request->bind : &session->local->ip;

	return session->server ? own : &request->peer_ip;
}

/* A link-local address needs the netdev of the host that uses it: ipv6(7), sin6_scope_id. */
static char *address_text(const struct ip_address *address)
{
	char text[IP_TEXT_SIZE];

	ip_format(address, text);
	return mem_format("%s%s", text, ip_is_link_local(address) ? "%NETDEV" : "");
}

static char *server_address(const struct interop *session)
{
	const struct ip_address *address = server_ip(session);

	return address->family ? address_text(address) : mem_string("ADDRESS");
}

/*
 * Tells how the user there finds the device, and the GID index that matches the one here. All
 * programs use port 1 of the device unless told otherwise.
 */
static char *gid_advice(const struct endpoint *local)
{
	struct ip_address ip = local->ip;
	_cleanup_(freep) char *text = NULL;

	if (local->link_layer == LINK_LAYER_INFINIBAND)
		return mem_string("ibv_devices there shows DEV; add -i PORT unless that is 1");
	if (!ip.family)
		ip = gid_to_ip(&local->gid);
	text = address_text(&ip);
	return mem_format("rdmactl gids --to %s there shows DEV and INDEX; add -i PORT unless that "
			  "is 1; without rdmactl: "
			  "ibv_devinfo -v, the index of an %s GID%s",
			  text, gid_is_ipv4_mapped(&local->gid) ? "IPv4" : "IPv6",
			  local->gid_type == GID_TYPE_ROCE_V2 ? " of RoCE v2" : "");
}

/* " -q 16", or nothing without a number. */
static char *numbered(const char *option, uint64_t number)
{
	return number ? mem_format(" %s %" PRIu64, option, number) : mem_string("");
}

/*
 * For programs that exchange addresses over TCP; `index` is their option for the GID, `more` what
 * else they need.
 */
static char *exchange_command(const struct interop *session, const char *index, const char *more)
{
	const bool with_gid = session->local->link_layer != LINK_LAYER_INFINIBAND;
	_cleanup_(freep) char *gid = gid_advice(session->local);
	_cleanup_(freep) char *address = server_address(session);
	/* A datagram is one packet, so ibv_ud_pingpong has no option for the MTU. */
	_cleanup_(freep) char *mtu = numbered(
		"-m", session->role->kind == QP_UD ? 0 : session->mtu_bytes);
	_cleanup_(freep) char *qps = numbered("-q", session->role->srq ? session->qps : 0);
	_cleanup_(freep) char *port = numbered("-p",
					       session->port == PINGPONG_PORT ? 0 : session->port);

	return mem_format("%s -d DEV%s%s%s -s %" PRIu64 " -n %" PRIu64 "%s%s%s%s (%s)",
			  session->role->program, with_gid ? index : "", port, qps, session->bytes,
			  session->iterations, mtu, more, session->server ? " " : "",
			  session->server ? address : "", gid);
}

char *pingpong_command(const struct interop *session)
{
	return exchange_command(session, " -g INDEX", "");
}

/*
 * perftest chooses a GID itself, but not always the one that fits. It only resolves and listens on
 * IPv4 addresses unless told otherwise (ai_family in perftest_communication.c of release 6.29);
 * 4.5 has no such option, and cannot use IPv6.
 */
char *perftest_command(const struct interop *session)
{
	return exchange_command(session, " -x INDEX",
				server_ip(session)->family == AF_INET6 ? " --ipv6-addr" : "");
}

char *ucmatose_command(const struct interop *session)
{
	_cleanup_(freep) char *address = server_address(session);

	return mem_format("ucmatose %s %s -p %" PRIu32 " -C %" PRIu64 " -S %" PRIu64,
			  session->server ? "-s" : "-b", address, session->port,
			  session->iterations, session->bytes);
}

/* The peer of a sender receives; -b takes that host's own address. */
char *mckey_command(const struct interop *session)
{
	const struct interop_group *group = &session->request->group;
	char text[INET6_ADDRSTRLEN + 1];

	if (group->ip.family)
		ip_format(&group->ip, text);
	else
		inet_ntop(AF_INET6, group->gid.raw, text, sizeof(text));
	return mem_format("mckey %s %s -b ADDRESS%s -C %" PRIu64 " -S %" PRIu64,
			  group->ip.family ? "-m" : "-M", text, session->server ? " -s" : "",
			  session->iterations, session->bytes);
}

char *rping_command(const struct interop *session)
{
	_cleanup_(freep) char *address = server_address(session);

	return mem_format("rping %s -a %s -p %" PRIu32 " -S %" PRIu64 " -C %" PRIu64 " -v%s",
			  session->server ? "-c" : "-s", address, session->port, session->bytes,
			  session->iterations, session->server ? " -V" : "");
}
