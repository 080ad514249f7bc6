/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/interop/interop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"

/* Where the fields of an address line begin. */
enum { LINE_LID = 0, LINE_QPN = 5, LINE_PSN = 12, LINE_GID = 19, LINE_END = 51 };

/* QPNs 0 and 1 belong to the management interfaces (SMI, GSI). */
#define FIRST_QPN 2u

void pingpong_format(const struct pingpong_address *address, char line[static PINGPONG_LINE_BYTES])
{
	size_t end = (size_t)snprintf(line, PINGPONG_LINE_BYTES,
				      "%04x:%06x:%06x:", address->lid & 0xffff,
				      address->qpn & 0xffffff, address->psn & 0xffffff);

	for (size_t i = 0; i < sizeof(address->gid.raw); i++)
		end += (size_t)snprintf(line + end, PINGPONG_LINE_BYTES - end, "%02x",
					address->gid.raw[i]);
}

static int parse_hex(const char *digits, size_t count, uint32_t *ret)
{
	uint32_t value = 0;

	for (size_t i = 0; i < count; i++) {
		char digit = digits[i];

		if (digit >= '0' && digit <= '9')
			value = value << 4 | (uint32_t)(digit - '0');
		else if (digit >= 'a' && digit <= 'f')
			value = value << 4 | (uint32_t)(digit - 'a' + 10);
		else if (digit >= 'A' && digit <= 'F')
			value = value << 4 | (uint32_t)(digit - 'A' + 10);
		else
			return -EPROTO;
	}
	*ret = value;
	return 0;
}

int pingpong_parse(const char line[static PINGPONG_LINE_BYTES], struct pingpong_address *ret)
{
	struct pingpong_address address;
	uint32_t byte;

	if (line[LINE_QPN - 1] != ':' || line[LINE_PSN - 1] != ':' || line[LINE_GID - 1] != ':' ||
	    line[LINE_END] != '\0')
		return -EPROTO;
	if (parse_hex(line + LINE_LID, 4, &address.lid) ||
	    parse_hex(line + LINE_QPN, 6, &address.qpn) ||
	    parse_hex(line + LINE_PSN, 6, &address.psn))
		return -EPROTO;
	for (size_t i = 0; i < sizeof(address.gid.raw); i++) {
		if (parse_hex(line + LINE_GID + 2 * i, 2, &byte))
			return -EPROTO;
		address.gid.raw[i] = (uint8_t)byte;
	}
	if (address.qpn < FIRST_QPN)
		return -EPROTO;
	*ret = address;
	return 0;
}

static void put_big(uint64_t value, size_t count, uint8_t *bytes)
{
	for (size_t i = count; i-- > 0; value >>= 8)
		bytes[i] = (uint8_t)value;
}

static uint64_t get_big(const uint8_t *bytes, size_t count)
{
	uint64_t value = 0;

	for (size_t i = 0; i < count; i++)
		value = value << 8 | bytes[i];
	return value;
}

void rping_info_encode(const struct rping_info *info, uint8_t bytes[static RPING_INFO_BYTES])
{
	put_big(info->address, 8, bytes);
	put_big(info->key, 4, bytes + 8);
	put_big(info->bytes, 4, bytes + 12);
}

void rping_info_decode(const uint8_t bytes[static RPING_INFO_BYTES], struct rping_info *ret)
{
	ret->address = get_big(bytes, 8);
	ret->key = (uint32_t)get_big(bytes + 8, 4);
	ret->bytes = (uint32_t)get_big(bytes + 12, 4);
}

static const char text_lead[] = "rdma-ping-";

/* The characters after the lead, in turn. */
enum { TEXT_FIRST = 'A', TEXT_COUNT = 'z' - 'A' + 1 };

void rping_text_fill(uint8_t *text, size_t bytes, uint64_t number)
{
	char lead[sizeof(text_lead) + 24];
	size_t length = (size_t)snprintf(lead, sizeof(lead), "%s%" PRIu64 ": ", text_lead, number);
	unsigned int turn = (unsigned int)(number % TEXT_COUNT);

	if (!bytes)
		return;
	if (length > bytes)
		length = bytes;
	memcpy(text, lead, length);
	for (size_t i = length; i < bytes; i++) {
		text[i] = (uint8_t)(TEXT_FIRST + turn);
		turn = turn + 1 < TEXT_COUNT ? turn + 1 : 0;
	}
	text[bytes - 1] = '\0';
}

bool rping_text_is_usual(const uint8_t *text, size_t bytes)
{
	return bytes >= RPING_LEAST_BYTES && !memcmp(text, text_lead, sizeof(text_lead) - 1);
}

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

char *pingpong_command(const struct interop_options *options)
{
	const bool with_gid = options->local->link_layer != LINK_LAYER_INFINIBAND;
	_cleanup_(freep) char *gid = gid_advice(options->local);
	_cleanup_(freep) char *address = server_address(options);
	_cleanup_(freep) char *port = options->port == PINGPONG_PORT
					      ? mem_string("")
					      : mem_format(" -p %" PRIu32, options->port);

	return mem_format("ibv_rc_pingpong -d DEV%s%s -s %" PRIu64 " -n %" PRIu64 " -m %" PRIu32
			  "%s%s (%s)",
			  with_gid ? " -g INDEX" : "", port, options->bytes, options->iterations,
			  options->mtu_bytes, options->peer_serves ? "" : " ",
			  options->peer_serves ? "" : address, gid);
}

char *rping_command(const struct interop_options *options)
{
	_cleanup_(freep) char *address = server_address(options);

	return mem_format("rping %s -a %s -p %" PRIu32 " -S %" PRIu64 " -C %" PRIu64 " -v%s",
			  options->peer_serves ? "-s" : "-c", address, options->port,
			  options->bytes, options->iterations, options->peer_serves ? "" : " -V");
}
