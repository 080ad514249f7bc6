/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/anonymise/anonymise.h"

#include <ctype.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "snapshot/anonymise/anonymise_private.h"

enum { TURNS = 6 };

static int compare_known(const void *one, const void *other)
{
	return memcmp(one, other, sizeof(uint64_t));
}

static bool is_zero(const uint8_t *bytes, size_t length)
{
	while (length && !bytes[length - 1])
		length--;
	return !length;
}

/* The prefix of link-local GIDs, fe80:0000:0000:0000, has the form of a GUID. */
static bool is_local_prefix(const uint8_t *bytes)
{
	return bytes[0] == 0xfe && bytes[1] == 0x80 && is_zero(bytes + 2, GUID_BYTES - 2);
}

void known_add(struct known *known, const uint8_t *bytes)
{
	if (known->size == GUID_BYTES && is_local_prefix(bytes))
		return;
	memcpy(mem_append(&known->items, &known->count, sizeof(*known->items)), bytes, known->size);
}

bool known_has(const struct known *known, const uint8_t *bytes)
{
	uint64_t wanted = 0;

	memcpy(&wanted, bytes, known->size);
	return MEM_FIND(&wanted, known->items, known->count, compare_known);
}

void anonymiser_prepare(struct anonymiser *anonymiser)
{
	MEM_SORT(anonymiser->macs.items, anonymiser->macs.count, compare_known);
	MEM_SORT(anonymiser->guids.items, anonymiser->guids.count, compare_known);
}

/* A keyed hash of the kind and the value; anonymiser_new() has already found any failure. */
static void noise(const struct anonymiser *anonymiser, char kind, const void *bytes, size_t length,
		  uint8_t out[static HMAC_BYTES])
{
	uint8_t text[1 + 256] = {(uint8_t)kind};

	if (length > sizeof(text) - 1)
		length = sizeof(text) - 1;
	memcpy(text + 1, bytes, length);
	memset(out, 0, HMAC_BYTES);
	hmac_sha256(anonymiser->key, sizeof(anonymiser->key), text, 1 + length, out);
}

/* A permutation of the numbers of `bits` bits, an even number: a Feistel network. */
static uint32_t permute(const struct anonymiser *anonymiser, char kind, uint32_t value,
			unsigned int bits)
{
	const unsigned int half = bits / 2;
	const uint32_t mask = (1u << half) - 1;
	uint32_t left = value >> half, right = value & mask;

	for (uint8_t turn = 0; turn < TURNS; turn++) {
		const uint8_t input[3] = {turn, (uint8_t)(right >> 8), (uint8_t)right};
		uint8_t hash[HMAC_BYTES];
		uint32_t mixed;

		noise(anonymiser, kind, input, sizeof(input), hash);
		mixed = ((uint32_t)hash[0] << 8 | hash[1]) & mask;
		mixed ^= left;
		left = right;
		right = mixed;
	}
	return left << half | right;
}

/* Changes the last three bytes of MAC addresses and GUIDs; ports of one adapter stay neighbours. */
static void change_serial(const struct anonymiser *anonymiser, uint8_t serial[static 3])
{
	const uint32_t value = (uint32_t)serial[0] << 16 | (uint32_t)serial[1] << 8 | serial[2];
	const uint32_t changed = permute(anonymiser, 's', value >> 4, 20) << 4 | (value & 15);

	serial[0] = (uint8_t)(changed >> 16);
	serial[1] = (uint8_t)(changed >> 8);
	serial[2] = (uint8_t)changed;
}

void anonymise_mac(const struct anonymiser *anonymiser, uint8_t mac[static 6])
{
	static const uint8_t solicited[] = {0x33, 0x33, 0xff};

	/* Multicast addresses are well known, except those that end like an address: RFC 2464. */
	if (!is_zero(mac, 6) && (!(mac[0] & 1) || !memcmp(mac, solicited, sizeof(solicited))))
		change_serial(anonymiser, mac + 3);
}

bool is_solicited(const uint8_t *gid)
{
	static const uint8_t middle[] = {0, 0, 0, 1, 0xff};

	return gid[0] == 0xff && !memcmp(gid + 8, middle, sizeof(middle));
}

/*
 * Changes GUIDs and the lower halves of GIDs. The kind follows only from the bytes, so that
 * archives with one key agree: the middle of a GUID that was made from a MAC address, or that
 * Mellanox, QLogic and Intel assign, shows that a vendor comes before it. All others may be random.
 */
static void change_identifier(const struct anonymiser *anonymiser, uint8_t bytes[static 8])
{
	static const uint8_t usual[][2] = {{0xff, 0xfe}, {0x03, 0x00}, {0x02, 0x00}, {0, 0},
					   {0xff, 0xff}, {0x01, 0x01}, {0x01, 0x02}};
	uint8_t hash[HMAC_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++)
		if (!memcmp(bytes + 3, usual[i], sizeof(usual[i]))) {
			change_serial(anonymiser, bytes + 5);
			return;
		}
	/* Neighbours differ only in the last byte, and must still do so. */
	noise(anonymiser, 't', bytes, 7, hash);
	memcpy(bytes, hash, 7);
	bytes[7] ^= hash[7] & 0xf0;
}

void anonymise_guid(const struct anonymiser *anonymiser, uint8_t guid[static 8])
{
	if (is_zero(guid, 8) || is_local_prefix(guid))
		return;
	if (is_zero(guid + 6, 2) && known_has(&anonymiser->macs, guid))
		anonymise_mac(anonymiser, guid);
	else
		change_identifier(anonymiser, guid);
}

uint64_t anonymise_guid_number(const struct anonymiser *anonymiser, uint64_t number)
{
	uint8_t guid[GUID_BYTES];

	number = htobe64(number);
	memcpy(guid, &number, sizeof(guid));
	anonymise_guid(anonymiser, guid);
	memcpy(&number, guid, sizeof(guid));
	return be64toh(number);
}

/* Blocks without public addresses: RFC 1122, RFC 1918, RFC 3927, and from multicast upwards. */
static const struct block {
	uint32_t network;
	unsigned int bits;
	bool stays;
} blocks[] = {
	{0x00000000, 8, true},	 {0x0a000000, 8, false},  {0x7f000000, 8, true},
	{0xa9fe0000, 16, false}, {0xac100000, 12, false}, {0xc0a80000, 16, false},
	{0xe0000000, 3, true},
};

static bool begin_alike(uint32_t one, uint32_t other, unsigned int bits)
{
	return !bits || (one ^ other) >> (32 - bits) == 0;
}

/* Whether bit number `bit` may be flipped: no address may enter or leave a block. */
static bool may_turn(uint32_t address, unsigned int bit)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (begin_alike(address, blocks[i].network,
				bit < blocks[i].bits ? bit : blocks[i].bits) &&
		    (blocks[i].stays || bit < blocks[i].bits))
			return false;
	return true;
}

/* Whether all addresses that begin with this byte are public. */
static bool is_public(uint32_t first)
{
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		if (begin_alike(first << 24, blocks[i].network,
				blocks[i].bits < 8 ? blocks[i].bits : 8))
			return false;
	return true;
}

/*
 * Each bit is flipped depending on the bits before it, so that addresses of one subnet stay in one,
 * and no two become the same. First bytes that are entirely public are permuted, because otherwise
 * those next to a private network would stay.
 */
void anonymise_ipv4(const struct anonymiser *anonymiser, uint8_t address[static 4])
{
	const bool public = is_public(address[0]);
	uint8_t hash[HMAC_BYTES];
	uint32_t value, out;

	memcpy(&value, address, sizeof(value));
	out = value = be32toh(value);
	for (unsigned int bit = public ? 8 : 0; bit < 32; bit++) {
		const uint32_t before = bit ? value >> (32 - bit) : 0;
		const uint8_t input[5] = {(uint8_t)bit, (uint8_t)(before >> 24),
					  (uint8_t)(before >> 16), (uint8_t)(before >> 8),
					  (uint8_t)before};

		if (!may_turn(value, bit))
			continue;
		noise(anonymiser, '4', input, sizeof(input), hash);
		out ^= (uint32_t)(hash[0] & 1) << (31 - bit);
	}
	out = htobe32(out);
	memcpy(address, &out, sizeof(out));
	if (!public)
		return;
	/* Repeating a permutation of all bytes eventually leads back to a public one. */
	do
		address[0] = (uint8_t)permute(anonymiser, 'o', address[0], 8);
	while (!is_public(address[0]));
}

/* Changes global and local prefixes, and a subnet prefix that an administrator chose. */
static void change_prefix(const struct anonymiser *anonymiser, uint8_t *prefix)
{
	uint8_t hash[HMAC_BYTES];

	/* The port ID of SRP has two GUIDs, and no prefix. */
	if (known_has(&anonymiser->guids, prefix)) {
		anonymise_guid(anonymiser, prefix);
	} else if (prefix[0] != 0xfe && !is_zero(prefix, 8)) {
		noise(anonymiser, 'p', prefix, 6, hash);
		/* 2000::/3 becomes 2001:db8::/32, which is reserved for documentation: RFC 3849. */
		if (prefix[0] >> 5 == 1) {
			static const uint8_t documentation[] = {0x20, 0x01, 0x0d, 0xb8};

			memcpy(prefix, documentation, sizeof(documentation));
			memcpy(prefix + 4, hash, 2);
		} else {
			memcpy(prefix + 1, hash, 5);
		}
	} else if (!is_zero(prefix + 2, 5)) {
		noise(anonymiser, 'i', prefix + 2, 6, hash);
		memcpy(prefix + 2, hash, 6);
	}
}

void anonymise_gid(const struct anonymiser *anonymiser, uint8_t gid[static 16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	uint8_t *tail = gid + 8;

	/* Other multicast groups are well known. */
	if (is_solicited(gid))
		change_serial(anonymiser, gid + 13);
	if (is_zero(gid, 16) || gid[0] == 0xff)
		return;
	if (!memcmp(gid, mapped, sizeof(mapped))) {
		anonymise_ipv4(anonymiser, gid + 12);
		return;
	}
	/* The GID of an iWARP device begins with its MAC address. */
	if (is_zero(gid + 6, 10) && known_has(&anonymiser->macs, gid)) {
		anonymise_mac(anonymiser, gid);
		return;
	}
	change_prefix(anonymiser, gid);
	if (!is_zero(tail, 6))
		change_identifier(anonymiser, tail);
}

void anonymise_word(const struct anonymiser *anonymiser, char *text, size_t length)
{
	uint8_t hash[HMAC_BYTES];

	noise(anonymiser, 'w', text, length, hash);
	for (size_t i = 0; i < length; i++) {
		const unsigned char c = (unsigned char)text[i];

		if (i && i % (HMAC_BYTES / 2) == 0)
			noise(anonymiser, 'w', hash, sizeof(hash), hash);
		if (isdigit(c))
			text[i] = (char)('0' + hash[i % (HMAC_BYTES / 2)] % 10);
		else if (isxdigit(c) && islower(c))
			text[i] = (char)('a' + hash[i % (HMAC_BYTES / 2)] % 6);
		else if (isalpha(c))
			text[i] = (char)((isupper(c) ? 'A' : 'a') +
					 hash[i % (HMAC_BYTES / 2)] % 26);
	}
}

char *anonymise_name(const struct anonymiser *anonymiser, const char *name, size_t length)
{
	_cleanup_(freep) char *lower = mem_format("%.*s", (int)length, name);
	uint8_t hash[HMAC_BYTES];

	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	noise(anonymiser, 'h', lower, length, hash);
	return mem_format("host-%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
}

char *anonymise_group(const struct anonymiser *anonymiser, const char *name, size_t length)
{
	uint8_t hash[HMAC_BYTES];

	noise(anonymiser, 'g', name, length, hash);
	return mem_format("group-%02x%02x%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3],
			  hash[4], hash[5]);
}

int anonymiser_new(const void *key, size_t length, struct anonymiser **ret_anonymiser)
{
	struct anonymiser *anonymiser = mem_alloc_zero(1, sizeof(*anonymiser));
	int rc;

	anonymiser->macs.size = 6;
	anonymiser->guids.size = 8;
	/* Allows keys of any length, and shows that the library works. */
	rc = hmac_sha256("rdmactl snapshot", strlen("rdmactl snapshot"), key, length,
			 anonymiser->key);
	if (rc) {
		free(anonymiser);
		return rc;
	}
	*ret_anonymiser = anonymiser;
	return 0;
}

void anonymiser_free(struct anonymiser *anonymiser)
{
	if (!anonymiser)
		return;
	free(anonymiser->macs.items);
	free(anonymiser->guids.items);
	strings_free(&anonymiser->names);
	free(anonymiser->domain);
	memset(anonymiser->key, 0, sizeof(anonymiser->key));
	free(anonymiser);
}
