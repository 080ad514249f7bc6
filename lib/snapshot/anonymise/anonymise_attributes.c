/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include <endian.h>
#include <string.h>

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/nldev.h"
#include "snapshot/anonymise/anonymise_private.h"

/* Limit of nested attributes; messages of the kernel have at most five levels. */
#define DEEPEST 8

void bytes_add(struct bytes *bytes, const void *data, size_t length)
{
	if (bytes->length + length > bytes->room) {
		bytes->room = 2 * (bytes->length + length);
		bytes->data = mem_resize(bytes->data, bytes->room, 1);
	}
	if (length)
		memcpy(bytes->data + bytes->length, data, length);
	bytes->length += length;
}

/* The attributes that remain to be read. */
struct walk {
	const uint8_t *data;
	size_t left;
};

/* Takes the next attribute. Returns false if there is none, or if it is damaged. */
static bool next(struct walk *walk, struct nlattr *ret_header, const uint8_t **ret_payload)
{
	size_t whole;

	if (walk->left < sizeof(*ret_header))
		return false;
	memcpy(ret_header, walk->data, sizeof(*ret_header));
	if (ret_header->nla_len < sizeof(*ret_header) || ret_header->nla_len > walk->left)
		return false;
	*ret_payload = walk->data + sizeof(*ret_header);
	whole = NLA_ALIGN((size_t)ret_header->nla_len);
	whole = whole < walk->left ? whole : walk->left;
	walk->data += whole;
	walk->left -= whole;
	return true;
}

const uint8_t *attributes_find(const uint8_t *data, size_t length, uint16_t type,
			       size_t *ret_length)
{
	struct walk walk = {data, length};
	const uint8_t *payload;
	struct nlattr header;

	while (next(&walk, &header, &payload)) {
		if ((header.nla_type & NLA_TYPE_MASK) != type)
			continue;
		*ret_length = header.nla_len - sizeof(header);
		return payload;
	}
	return NULL;
}

int64_t attributes_number(const uint8_t *data, size_t length, uint16_t type)
{
	size_t size = 0;
	const uint8_t *payload = attributes_find(data, length, type, &size);
	uint32_t word;
	uint16_t half;

	if (!payload || (size != sizeof(uint8_t) && size != sizeof(half) && size != sizeof(word)))
		return -1;
	if (size == sizeof(uint8_t))
		return *payload;
	memcpy(&half, payload, sizeof(half));
	if (size == sizeof(half))
		return half;
	memcpy(&word, payload, sizeof(word));
	return word;
}

void attributes_change_guid(const struct attribute_change *change, uint8_t *guid)
{
	if (change->learning)
		known_add(&change->anonymiser->guids, guid);
	else
		anonymise_guid(change->anonymiser, guid);
}

/* Each of these changes the bytes in place. Returns false if the bytes are not as expected. */

static bool change_guid(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	uint64_t guid;

	if (length != sizeof(guid))
		return false;
	memcpy(&guid, bytes, sizeof(guid));
	guid = htobe64(guid);
	attributes_change_guid(change, (uint8_t *)&guid);
	guid = be64toh(guid);
	memcpy(bytes, &guid, sizeof(guid));
	return true;
}

/* Treats the prefix as the upper half of a GID whose lower half is zero. */
static bool change_prefix(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	uint8_t gid[GID_BYTES] = {0};
	uint64_t prefix;

	if (length != sizeof(prefix))
		return false;
	memcpy(&prefix, bytes, sizeof(prefix));
	prefix = htobe64(prefix);
	memcpy(gid, &prefix, sizeof(prefix));
	if (!change->learning)
		anonymise_gid(change->anonymiser, gid);
	memcpy(&prefix, gid, sizeof(prefix));
	prefix = be64toh(prefix);
	memcpy(bytes, &prefix, sizeof(prefix));
	return true;
}

static bool change_ip(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	if (length == IPV4_BYTES && !change->learning)
		anonymise_ipv4(change->anonymiser, bytes);
	else if (length == GID_BYTES && !change->learning)
		anonymise_gid(change->anonymiser, bytes);
	return length == IPV4_BYTES || length == GID_BYTES;
}

/* Bits past the prefix length stay zero. */
static bool change_network(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	if (!change_ip(change, bytes, length))
		return false;
	for (size_t bit = change->network_bits; bit < 8 * length; bit++)
		bytes[bit / 8] &= (uint8_t) ~(0x80 >> bit % 8);
	return true;
}

static bool change_hardware(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	struct anonymiser *anonymiser = change->anonymiser;

	if (length == ETHERNET_BYTES && change->learning)
		known_add(&anonymiser->macs, bytes);
	else if (length == IPOIB_BYTES && change->learning)
		known_add(&anonymiser->guids, bytes + IPOIB_BYTES - GUID_BYTES);
	else if (length == ETHERNET_BYTES)
		anonymise_mac(anonymiser, bytes);
	else if (length == GUID_BYTES && !change->learning)
		anonymise_guid(anonymiser, bytes);
	else if (length == IPOIB_BYTES)
		anonymise_gid(anonymiser, bytes + IPOIB_BYTES - GID_BYTES);
	else
		return length == GUID_BYTES || change_ip(change, bytes, length);
	return true;
}

static bool change_via(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	const size_t family = sizeof(((struct rtvia *)NULL)->rtvia_family);

	return length > family && change_ip(change, bytes + family, length - family);
}

/* Zeroes everything but the address, its port and its scope. */
static bool change_socket(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	size_t address, size, scope = 0, end;
	sa_family_t family;

	if (length < sizeof(family))
		return false;
	memcpy(&family, bytes, sizeof(family));
	if (family == AF_INET) {
		address = offsetof(struct sockaddr_in, sin_addr);
		size = IPV4_BYTES;
	} else if (family == AF_INET6 || family == NLDEV_FAMILY_IB) {
		/* The port of AF_IB is part of the service ID, which follows the address. */
		address = NLDEV_IB_ADDRESS_AT;
		size = GID_BYTES;
		scope = family == NLDEV_FAMILY_IB ? sizeof(uint64_t) : sizeof(uint32_t);
		_Static_assert(offsetof(struct sockaddr_in6, sin6_addr) == NLDEV_IB_ADDRESS_AT,
			       "one place for both");
	} else {
		return false;
	}
	end = address + size + scope;
	if (length < end || !change_ip(change, bytes + address, size))
		return false;
	memset(bytes + end, 0, length - end);
	/* The flow information, which nobody reads. */
	if (family != AF_INET)
		memset(bytes + NLDEV_IB_ADDRESS_AT - sizeof(uint32_t), 0, sizeof(uint32_t));
	return true;
}

static bool change_vf_mac(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	const size_t mac = offsetof(struct ifla_vf_mac, mac), end = mac + ETHERNET_BYTES;

	if (length < end)
		return false;
	memset(bytes + end, 0, length - end);
	return change_hardware(change, bytes + mac, ETHERNET_BYTES);
}

static bool change_vf_guid(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	return length == sizeof(struct ifla_vf_guid) &&
	       change_guid(change, bytes + offsetof(struct ifla_vf_guid, guid), GUID_BYTES);
}

static bool change_module(const struct attribute_change *change, uint8_t *bytes, size_t length)
{
	if (!change->learning)
		anonymise_module(change->anonymiser, &change->module, bytes, length);
	return true;
}

/* The classes that need more than a check of the length. */
static bool (*const changes[])(const struct attribute_change *, uint8_t *, size_t) = {
	[CLASS_GUID] = change_guid,	    [CLASS_PREFIX] = change_prefix,
	[CLASS_HARDWARE] = change_hardware, [CLASS_IP] = change_ip,
	[CLASS_NETWORK] = change_network,   [CLASS_VIA] = change_via,
	[CLASS_SOCKET] = change_socket,	    [CLASS_VF_MAC] = change_vf_mac,
	[CLASS_VF_GUID] = change_vf_guid,   [CLASS_MODULE] = change_module,
};

static bool change_bytes(const struct attribute_change *change, enum class class, uint8_t *bytes,
			 size_t length)
{
	switch (class) {
	case CLASS_SMALL:
		return length == 1 || length == 2;
	case CLASS_NUMBER:
		return length == 1 || length == 2 || length == 4 || length == 8;
	case CLASS_NUMBERS:
		return length % sizeof(uint64_t) == 0;
	case CLASS_BLOCK:
	case CLASS_FLAG:
		return true;
	default:
		return changes[class](change, bytes, length);
	}
}

static void add_text(const struct attribute_change *change, const uint8_t *payload, size_t length,
		     struct bytes *out)
{
	const size_t used = strnlen((const char *)payload, length);
	_cleanup_(freep) char *text = mem_alloc_zero(used + 1, 1), *changed = NULL;

	memcpy(text, payload, used);
	changed = anonymise_text(change->anonymiser, text, false);
	bytes_add(out, changed, strlen(changed) + (used < length));
}

static const struct attribute_class *class_of(const struct attribute_table *table, uint16_t type)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->rows[i].type == (type & NLA_TYPE_MASK))
			return &table->rows[i];
	return NULL;
}

static void change_all(struct attribute_change *change, const struct attribute_table *table,
		       struct walk *walk, unsigned int depth, struct bytes *out);

/* Adds the changed payload. Returns false if it must be omitted. */
static bool add_value(struct attribute_change *change, const struct attribute_table *table,
		      const struct attribute_class *row, const uint8_t *payload, size_t length,
		      unsigned int depth, struct bytes *out)
{
	const size_t start = out->length;

	if (row->class == CLASS_NEST) {
		struct walk inside = {payload, length};

		if (depth == DEEPEST)
			return false;
		change_all(change, row->inside ? row->inside : table, &inside, depth + 1, out);
		return true;
	}
	if (row->class == CLASS_TEXT) {
		if (!change->learning)
			add_text(change, payload, length, out);
		return true;
	}
	if (row->class == CLASS_FLAG || (row->class == CLASS_BLOCK && length > row->most))
		length = row->most;
	bytes_add(out, payload, length);
	return change_bytes(change, row->class, out->data + start, length);
}

static void change_all(struct attribute_change *change, const struct attribute_table *table,
		       struct walk *walk, unsigned int depth, struct bytes *out)
{
	const uint8_t padding[NLA_ALIGNTO] = {0};
	const uint8_t *payload;
	struct nlattr header;

	while (next(walk, &header, &payload)) {
		const struct attribute_class *row = class_of(table, header.nla_type);
		const size_t start = out->length;
		size_t length;

		if (!row)
			continue;
		bytes_add(out, &header, sizeof(header));
		if (row->class == CLASS_VFS) {
			struct walk rest = {payload, (size_t)(walk->data + walk->left - payload)};

			change_all(change, row->inside, &rest, depth + 1, out);
			walk->left = 0;
		} else if (!add_value(change, table, row, payload, header.nla_len - sizeof(header),
				      depth, out) ||
			   out->length - start > UINT16_MAX) {
			out->length = start;
			continue;
		}
		length = out->length - start;
		header.nla_len = (uint16_t)length;
		memcpy(out->data + start, &header, sizeof(header));
		bytes_add(out, padding, NLA_ALIGN(length) - length);
	}
}

void attributes_change(struct attribute_change *change, const struct attribute_table *table,
		       const uint8_t *data, size_t length, struct bytes *out)
{
	struct walk walk = {data, length};

	change_all(change, table, &walk, 0, out);
}
