/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The commands to run on the other host. */
#include <arpa/inet.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/interop/interop.h"

static char *server_address(const struct interop_options *options)
{
	char text[IP_TEXT_SIZE];

	if (!options->address || !options->address->family)
		return mem_string("ADDRESS");
	ip_format(options->address, text);
	return mem_string(text);
}

/* How the user there finds the device, and the GID index that matches the one here. */
static char *gid_advice(const struct endpoint *local)
{
	struct ip_address ip = local->ip;
	char text[IP_TEXT_SIZE];

	if (local->link_layer == LINK_LAYER_INFINIBAND)
		return mem_string("ibv_devices there shows DEV");
	if (!ip.family)
		ip = gid_to_ip(&local->gid);
	ip_format(&ip, text);
	return mem_format("rdmactl gids --to %s there shows DEV and INDEX; without rdmactl: "
			  "ibv_devinfo -v, the index of an %s GID%s",
			  text, gid_is_ipv4_mapped(&local->gid) ? "IPv4" : "IPv6",
			  local->gid_type == GID_TYPE_ROCE_V2 ? " of RoCE v2" : "");
}

/* " -q 16", or nothing without a number. */
static char *numbered(const char *option, uint64_t number)
{
	return number ? mem_format(" %s %" PRIu64, option, number) : mem_string("");
}

char *pingpong_command(const struct interop_options *options)
{
	const bool with_gid = options->local->link_layer != LINK_LAYER_INFINIBAND;
	_cleanup_(freep) char *gid = gid_advice(options->local);
	_cleanup_(freep) char *address = server_address(options);
	_cleanup_(freep) char *mtu = numbered("-m", options->mtu_bytes);
	_cleanup_(freep) char *qps = numbered("-q", options->qps);
	_cleanup_(freep) char *port = numbered("-p",
					       options->port == PINGPONG_PORT ? 0 : options->port);

	return mem_format("%s -d DEV%s%s%s -s %" PRIu64 " -n %" PRIu64 "%s%s%s (%s)",
			  options->program, with_gid ? " -g INDEX" : "", port, qps, options->bytes,
			  options->iterations, mtu, options->peer_serves ? "" : " ",
			  options->peer_serves ? "" : address, gid);
}

/* perftest chooses a GID itself, but not always the one that fits. */
char *perftest_command(const struct interop_options *options)
{
	const bool with_gid = options->local->link_layer != LINK_LAYER_INFINIBAND;
	_cleanup_(freep) char *gid = gid_advice(options->local);
	_cleanup_(freep) char *address = server_address(options);
	_cleanup_(freep) char *port = numbered("-p",
					       options->port == PINGPONG_PORT ? 0 : options->port);

	return mem_format("%s -d DEV%s%s -s %" PRIu64 " -n %" PRIu64 " -m %" PRIu32 "%s%s (%s)",
			  options->program, with_gid ? " -x INDEX" : "", port, options->bytes,
			  options->iterations, options->mtu_bytes, options->peer_serves ? "" : " ",
			  options->peer_serves ? "" : address, gid);
}

char *ucmatose_command(const struct interop_options *options)
{
	_cleanup_(freep) char *address = server_address(options);

	return mem_format("ucmatose %s %s -p %" PRIu32 " -C %" PRIu64 " -S %" PRIu64,
			  options->peer_serves ? "-b" : "-s", address, options->port,
			  options->iterations, options->bytes);
}

/* The peer of a sender receives; -b is that host's own address. */
char *mckey_command(const struct interop_options *options)
{
	const struct interop_group *group = options->group;
	char text[INET6_ADDRSTRLEN + 1];

	if (group->ip.family)
		ip_format(&group->ip, text);
	else
		inet_ntop(AF_INET6, group->gid.raw, text, sizeof(text));
	return mem_format("mckey %s %s -b ADDRESS%s -C %" PRIu64 " -S %" PRIu64,
			  group->ip.family ? "-m" : "-M", text, options->peer_serves ? "" : " -s",
			  options->iterations, options->bytes);
}

char *rping_command(const struct interop_options *options)
{
	_cleanup_(freep) char *address = server_address(options);

	return mem_format("rping %s -a %s -p %" PRIu32 " -S %" PRIu64 " -C %" PRIu64 " -v%s",
			  options->peer_serves ? "-s" : "-c", address, options->port,
			  options->bytes, options->iterations, options->peer_serves ? "" : " -V");
}
