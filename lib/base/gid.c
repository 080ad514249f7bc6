/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/gid.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "base/text.h"

/* Plain loops, because a table of thousands of GIDs should not go through printf. */
static void put_groups(char *text, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i += 2, text += 5) {
		text_write_hex(text, bytes + i, 2);
		text[4] = i + 2 < count ? ':' : '\0';
	}
}

void guid_format(uint64_t guid, char text[static GUID_TEXT_SIZE])
{
	const uint64_t wire = htobe64(guid);

	put_groups(text, (const uint8_t *)&wire, sizeof(wire));
}

int guid_parse(const char *text, uint64_t *ret_guid)
{
	const bool colons = strchr(text, ':');
	char digits[17] = "";

	if (!colons && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	for (size_t i = 0; i < 16; i++) {
		if ((colons && i && i % 4 == 0 && *text++ != ':') || text_hex_digit(*text) < 0)
			return -EINVAL;
		digits[i] = *text++;
	}
	return *text ? -EINVAL : text_parse_u64(digits, 16, UINT64_MAX, ret_guid);
}

void gid_format(const struct gid *gid, char text[static GID_TEXT_SIZE])
{
	put_groups(text, gid->raw, sizeof(gid->raw));
}

int gid_parse(const char *text, struct gid *ret_gid)
{
	struct gid gid;

	if (inet_pton(AF_INET6, text, gid.raw) != 1)
		return -EINVAL;
	*ret_gid = gid;
	return 0;
}

bool gid_is_zero(const struct gid *gid)
{
	static const struct gid zero;

	return !memcmp(gid, &zero, sizeof(zero));
}

bool gid_is_ipv4_mapped(const struct gid *gid)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

bool gid_is_link_local(const struct gid *gid)
{
	return gid->raw[0] == 0xfe && (gid->raw[1] & 0xc0) == 0x80;
}

static uint64_t load_be64(const uint8_t *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

uint64_t gid_interface_id(const struct gid *gid)
{
	return load_be64(gid->raw + 8);
}

uint64_t gid_subnet_prefix(const struct gid *gid)
{
	return load_be64(gid->raw);
}

struct ip_address gid_to_ip(const struct gid *gid)
{
	struct ip_address address = {.family = AF_INET6};

	if (gid_is_ipv4_mapped(gid)) {
		address.family = AF_INET;
		memcpy(address.raw, gid->raw + 12, 4);
	} else {
		memcpy(address.raw, gid->raw, 16);
	}
	return address;
}

int ip_parse(const char *text, struct ip_address *ret_address)
{
	struct ip_address address = {.family = AF_INET};
	char plain[IP_TEXT_SIZE];
	size_t length = strcspn(text, "%");

	if (length >= sizeof(plain))
		return -EINVAL;
	memcpy(plain, text, length);
	plain[length] = '\0';
	if (inet_pton(AF_INET, text, address.raw) != 1) {
		address.family = AF_INET6;
		if (inet_pton(AF_INET6, plain, address.raw) != 1)
			return -EINVAL;
	}
	/* ::ffff:10.0.0.1 is an IPv4 address. */
	if (address.family == AF_INET6 && gid_is_ipv4_mapped((const struct gid *)address.raw))
		address = gid_to_ip((const struct gid *)address.raw);
	*ret_address = address;
	return 0;
}

void ip_format(const struct ip_address *address, char text[static IP_TEXT_SIZE])
{
	if (!address->family || !inet_ntop(address->family, address->raw, text, IP_TEXT_SIZE))
		text[0] = '\0';
}

bool ip_is_loopback(const struct ip_address *address)
{
	static const uint8_t loopback[16] = {[15] = 1};

	return address->family == AF_INET ? address->raw[0] == IN_LOOPBACKNET
					  : !memcmp(address->raw, loopback, sizeof(loopback));
}

bool ip_equal(const struct ip_address *a, const struct ip_address *b)
{
	return a->family == b->family && !memcmp(a->raw, b->raw, a->family == AF_INET ? 4 : 16);
}

int ip_network_parse(const char *text, struct ip_network *ret_network)
{
	struct ip_network network = {0};
	char plain[IP_TEXT_SIZE];
	const size_t length = strcspn(text, "/");
	uint64_t most, bits;

	if (length >= sizeof(plain) || strchr(text, '%'))
		return -EINVAL;
	memcpy(plain, text, length);
	plain[length] = '\0';
	if (ip_parse(plain, &network.address))
		return -EINVAL;
	most = network.address.family == AF_INET ? 32 : 128;
	/* ::ffff:10.0.0.0/104 would be an IPv4 network with another number of bits. */
	if (most == 32 && strchr(plain, ':'))
		return -EINVAL;
	bits = most;
	if (text[length] && text_parse_u64(text + length + 1, 10, most, &bits))
		return -EINVAL;
	network.bits = (unsigned int)bits;
	*ret_network = network;
	return 0;
}

bool ip_network_contains(const struct ip_network *network, const struct ip_address *address)
{
	const uint8_t *a = network->address.raw, *b = address->raw;
	const unsigned int bytes = network->bits / 8, rest = network->bits % 8;

	return network->address.family == address->family && !memcmp(a, b, bytes) &&
	       (!rest || (a[bytes] ^ b[bytes]) >> (8 - rest) == 0);
}

bool ip_is_link_local(const struct ip_address *address)
{
	return address->family == AF_INET6 && gid_is_link_local((const struct gid *)address->raw);
}

struct gid ip_to_gid(const struct ip_address *address)
{
	struct gid gid = {{0}};

	if (address->family == AF_INET) {
		gid.raw[10] = 0xff;
		gid.raw[11] = 0xff;
		memcpy(gid.raw + 12, address->raw, 4);
	} else {
		memcpy(gid.raw, address->raw, 16);
	}
	return gid;
}
