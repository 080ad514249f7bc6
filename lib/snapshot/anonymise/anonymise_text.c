/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses and names in texts: found by their form, changed, and written in the same form. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise_private.h"

/* Reads hexadecimal digits, with or without marks between them. Returns the number of bytes. */
static size_t read_bytes(const char *text, size_t length, uint8_t bytes[static IPOIB_BYTES])
{
	size_t digits = 0;

	for (size_t i = 0; i < length; i++) {
		const int digit = text_hex_digit(text[i]);

		if (strchr(":-.", text[i]))
			continue;
		if (digit < 0 || digits == 2 * IPOIB_BYTES)
			return 0;
		bytes[digits / 2] = (uint8_t)(digits & 1 ? bytes[digits / 2] | digit : digit << 4);
		digits++;
	}
	return digits / 2;
}

/* Writes the bytes over the digits that they came from. */
static void write_bytes(char *text, size_t length, const uint8_t *bytes)
{
	size_t digits = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned int digit;

		if (strchr(":-.", text[i]))
			continue;
		digit = digits & 1 ? bytes[digits / 2] & 15 : bytes[digits / 2] >> 4;
		text[i] = "0123456789abcdef"[digit];
		digits++;
	}
}

/* The number of digits in each group if all groups have the same, else 0. */
static size_t group_size(const char *text, size_t length)
{
	size_t first = 0, group = 0;

	for (size_t i = 0; i <= length; i++) {
		if (i < length && text[i] != ':') {
			group++;
			continue;
		}
		if (!group || (first && group != first))
			return 0;
		first = group;
		group = 0;
	}
	return first;
}

/* The size of the address that a run of hexadecimal digits and colons is, or 0. */
static size_t address_bytes(const char *text, size_t length)
{
	static const struct {
		size_t group, length, bytes;
	} forms[] = {
		{2, 59, IPOIB_BYTES}, {2, 17, ETHERNET_BYTES}, {2, 23, GUID_BYTES},
		{4, 39, GID_BYTES},   {4, 19, GUID_BYTES},
	};
	const size_t group = group_size(text, length);

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].group == group && forms[i].length == length)
			return forms[i].bytes;
	return 0;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == ':';
}

/*
 * A colon may separate an address from a word, 0c:42:a1:a1:b2:c0: link up, or from the number of a
 * port, 0c42:a103:00a1:b2c0:1. Then the address is what comes before it.
 */
static size_t address_length(const char *text)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF:"), port;

	if (is_word(text[length]))
		while (length && text[length - 1] != ':')
			length--;
	if (length > 1 && text[length - 1] == ':' && text[length - 2] != ':')
		length--;
	for (port = length; port && isdigit((unsigned char)text[port - 1]);)
		port--;
	if (port && text[port - 1] == ':' && length - port < 4 && !group_size(text, length) &&
	    address_bytes(text, port - 1))
		length = port - 1;
	return length;
}

/*
 * Whether a run of digits and colons may begin here: not after a letter or a digit, and after a
 * colon only if that ends a word other than a group of digits, as in mac:0c:42:a1:a1:b2:c0.
 */
static bool may_begin_run(const char *begin, const char *at)
{
	bool digits = true;

	if (at == begin || !is_word(at[-1]))
		return true;
	if (at[-1] != ':')
		return false;
	for (at--; at > begin && is_of_name(at[-1]); at--)
		digits &= isxdigit((unsigned char)at[-1]) != 0;
	return !digits;
}

void anonymiser_learn_text(struct anonymiser *anonymiser, const char *text)
{
	uint8_t bytes[IPOIB_BYTES];

	for (const char *at = text; *at;) {
		const size_t length = may_begin_run(text, at) ? address_length(at) : 0;
		const size_t count = length ? address_bytes(at, length) : 0;

		if (count)
			read_bytes(at, length, bytes);
		if (count == ETHERNET_BYTES)
			known_add(&anonymiser->macs, bytes);
		if (count == GUID_BYTES)
			known_add(&anonymiser->guids, bytes);
		if (count == IPOIB_BYTES)
			known_add(&anonymiser->guids, bytes + IPOIB_BYTES - GUID_BYTES);
		at += length ? length : 1;
	}
}

static void change_address(const struct anonymiser *anonymiser, uint8_t *bytes, size_t count)
{
	if (count == ETHERNET_BYTES)
		anonymise_mac(anonymiser, bytes);
	else if (count == GUID_BYTES)
		anonymise_guid(anonymiser, bytes);
	else if (count == GID_BYTES)
		anonymise_gid(anonymiser, bytes);
	else
		anonymise_gid(anonymiser, bytes + IPOIB_BYTES - GID_BYTES);
}

/*
 * The size of the address if digits without colons were seen with colons, or have the length of a
 * GID and contain such a GUID; else 0.
 */
static size_t known_bytes(const struct anonymiser *anonymiser, const char *text, size_t length)
{
	uint8_t bytes[IPOIB_BYTES];

	if (memchr(text, ':', length) || length > 2 * IPOIB_BYTES || length % 2 ||
	    !read_bytes(text, length, bytes))
		return 0;
	if (length == 2 * ETHERNET_BYTES && known_has(&anonymiser->macs, bytes))
		return ETHERNET_BYTES;
	if (length == 2 * GUID_BYTES && known_has(&anonymiser->guids, bytes))
		return GUID_BYTES;
	if (length == 2 * GID_BYTES &&
	    (known_has(&anonymiser->guids, bytes) ||
	     known_has(&anonymiser->guids, bytes + GUID_BYTES) || is_solicited(bytes) ||
	     (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80)))
		return GID_BYTES;
	if (length == 2 * IPOIB_BYTES &&
	    known_has(&anonymiser->guids, bytes + IPOIB_BYTES - GUID_BYTES))
		return IPOIB_BYTES;
	return 0;
}

/* Changes fe80::1, or an address with all groups but without their leading zeros. */
static bool change_ipv6(const struct anonymiser *anonymiser, const char *text, size_t length,
			struct text_buffer *out)
{
	_cleanup_(freep) char *copy = mem_format("%.*s", (int)length, text);
	char written[INET6_ADDRSTRLEN];
	uint8_t before[GID_BYTES], gid[GID_BYTES];
	size_t colons = 0;

	for (size_t i = 0; i < length; i++)
		colons += text[i] == ':';
	if (length < 3 || (!strstr(copy, "::") && colons != 7) ||
	    inet_pton(AF_INET6, copy, before) != 1)
		return false;
	memcpy(gid, before, sizeof(gid));
	anonymise_gid(anonymiser, gid);
	/* An address of no host keeps its form: the line of a control group begins with 0:: */
	if (!memcmp(gid, before, sizeof(gid)))
		return false;
	inet_ntop(AF_INET6, gid, written, sizeof(written));
	text_buffer_add(out, "%s", written);
	return true;
}

/*
 * A run of another form may contain an address that was seen elsewhere: a GID with something after
 * it. Only GUIDs and MAC addresses are searched for, because they distinguish hosts.
 */
static bool change_inside(const struct anonymiser *anonymiser, char *text, size_t length)
{
	static const size_t sizes[] = {GUID_BYTES, ETHERNET_BYTES};
	bool changed = false;

	for (size_t at = 0; at < length; at++) {
		if (at && text[at - 1] != ':')
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			const size_t part = sizes[i] == GUID_BYTES ? 19 : 17;
			uint8_t bytes[IPOIB_BYTES];

			if (at + part > length || address_bytes(text + at, part) != sizes[i] ||
			    read_bytes(text + at, part, bytes) != sizes[i] ||
			    !known_has(i ? &anonymiser->macs : &anonymiser->guids, bytes))
				continue;
			change_address(anonymiser, bytes, sizes[i]);
			write_bytes(text + at, part, bytes);
			changed = true;
			at += part;
			break;
		}
	}
	return changed;
}

void anonymise_digits(const struct anonymiser *anonymiser, const char *text, size_t length,
		      size_t count, struct text_buffer *out)
{
	_cleanup_(freep) char *copy = mem_format("%.*s", (int)length, text);
	const bool upper = strpbrk(copy, "ABCDEF");
	uint8_t bytes[IPOIB_BYTES];

	read_bytes(copy, length, bytes);
	change_address(anonymiser, bytes, count);
	write_bytes(copy, length, bytes);
	for (size_t i = 0; upper && i < length; i++)
		copy[i] = (char)toupper((unsigned char)copy[i]);
	text_buffer_add(out, "%s", copy);
}

/* Includes an end in the form of IPv4: ::ffff:10.1.2.3, ip6_compressed_string() of the kernel. */
static size_t mixed_length(const char *text, size_t length)
{
	size_t mixed = length + strspn(text + length, "0123456789.");

	while (mixed > length && text[mixed - 1] == '.')
		mixed--;
	return is_word(text[mixed]) ? length : mixed;
}

/* Returns the length of what was replaced, or 0. */
static size_t change_run(const struct anonymiser *anonymiser, const char *text,
			 struct text_buffer *out)
{
	const size_t length = address_length(text), mixed = mixed_length(text, length);
	_cleanup_(freep) char *copy = NULL;
	size_t count;

	if (length < 3)
		return 0;
	count = address_bytes(text, length);
	if (!count)
		count = known_bytes(anonymiser, text, length);
	if (count) {
		anonymise_digits(anonymiser, text, length, count, out);
		return length;
	}
	if (change_ipv6(anonymiser, text, mixed, out))
		return mixed;
	if (mixed > length && change_ipv6(anonymiser, text, length, out))
		return length;
	copy = mem_format("%.*s", (int)length, text);
	if (!change_inside(anonymiser, copy, length))
		return 0;
	text_buffer_add(out, "%s", copy);
	return length;
}

/* Whether the word that ends before `at` has more than hexadecimal digits, as in mac0c:42:... */
static bool ends_other_word(const char *begin, const char *at)
{
	while (at > begin && is_of_name(at[-1]))
		if (!isxdigit((unsigned char)*--at))
			return true;
	return false;
}

/* Changes a MAC address with colons that touches a word: its form is still unmistakable. */
static size_t change_glued(const struct anonymiser *anonymiser, const char *begin, const char *at,
			   struct text_buffer *out)
{
	const size_t length = 3 * ETHERNET_BYTES - 1;
	size_t run = 0;

	/* This happens at each character, and a run may be as long as the text: read no further. */
	while (run < length + 2 && (isxdigit((unsigned char)at[run]) || at[run] == ':'))
		run++;
	/* A colon may follow. */
	if ((run != length && (run != length + 1 || at[length] != ':')) ||
	    address_bytes(at, length) != ETHERNET_BYTES ||
	    (at > begin && is_of_name(at[-1]) && !ends_other_word(begin, at)))
		return 0;
	anonymise_digits(anonymiser, at, length, ETHERNET_BYTES, out);
	return length;
}

/*
 * Names that udev makes from addresses: enxMAC, protocol and GUID, or rdmaxGUID (by_guid() of
 * rdma-core's kernel-boot/rdma_rename.c); names of Fibre Channel nodes and ports, as NVMe has them
 * (nvme_fc_create_ctrl()); and numbers after 0x. Returns the length of the part before the digits.
 */
static size_t prefix_length(const char *text)
{
	static const char *const prefixes[] = {"enx",	 "rocex", "ibx",   "ibpx",  "iwx", "opax",
					       "usnicx", "rdmax", "nn-0x", "pn-0x", "0x"};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
			return strlen(prefixes[i]);
	return 0;
}

/*
 * Changes a number that is an address without leading zeros: 0x2c903001a2b3c, as %llx writes it.
 * The zeros are part of the vendor, which stays, so the new value has as many.
 */
static bool change_short(const struct anonymiser *anonymiser, const char *digits, size_t length,
			 struct text_buffer *out)
{
	static const size_t sizes[] = {ETHERNET_BYTES, GUID_BYTES};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const size_t zeros = length < 2 * sizes[i] ? 2 * sizes[i] - length : 0;
		_cleanup_(freep) char *whole = mem_format("0000000%.*s", (int)length, digits);
		struct text_buffer other = {.text = NULL};
		const char *text = whole + strlen("0000000") - zeros;

		if (!zeros || zeros > 7 || *digits == '0' ||
		    known_bytes(anonymiser, text, 2 * sizes[i]) != sizes[i])
			continue;
		anonymise_digits(anonymiser, text, 2 * sizes[i], sizes[i], &other);
		text_buffer_add(out, "0x%s", other.text + strspn(other.text, "0"));
		free(other.text);
		return true;
	}
	return false;
}

static size_t change_prefixed(const struct anonymiser *anonymiser, const char *text,
			      struct text_buffer *out)
{
	const size_t prefix = prefix_length(text);
	const char *digits = text + prefix;
	const size_t length = prefix ? strspn(digits, "0123456789abcdefABCDEF") : 0;
	size_t count;

	/* In the kernel's log a colon follows the name of a device. */
	if (!length || isalnum((unsigned char)digits[length]))
		return 0;
	count = known_bytes(anonymiser, digits, length);
	if (!count && *text == '0' && change_short(anonymiser, digits, length, out))
		return prefix + length;
	/* With such a name it is an address; a number may be anything. */
	if (!count && *text != '0' && (length == 2 * ETHERNET_BYTES || length == 2 * GUID_BYTES))
		count = length / 2;
	if (!count)
		return 0;
	text_buffer_add(out, "%.*s", (int)prefix, text);
	anonymise_digits(anonymiser, digits, length, count, out);
	return prefix + length;
}

/* The length of a number in an IPv4 address, or of a pattern: `*`, [1,4-9/2]. 0: neither. */
static size_t part_length(const char *text)
{
	const size_t digits = strspn(text, "0123456789");
	const size_t inside = *text == '[' ? strspn(text + 1, "0123456789,-/") : 0;

	if (digits || *text == '*')
		return digits ? digits : 1;
	return inside && text[1 + inside] == ']' ? inside + 2 : 0;
}

/*
 * Changes an address, or a pattern in lnet's options (ip2nets, routes): the numbers before its
 * first wildcard change as in addresses. The rest cannot be changed, and becomes `*`.
 */
static size_t change_ipv4(const struct anonymiser *anonymiser, const char *text,
			  struct text_buffer *out)
{
	uint8_t address[IPV4_BYTES] = {0};
	size_t length = 0, numbers = 0, last;
	const char *end;

	for (size_t i = 0; i < IPV4_BYTES; i++) {
		const size_t part = part_length(text + length);
		const bool is_number = isdigit((unsigned char)text[length]);
		const unsigned long number = is_number ? strtoul(text + length, NULL, 10) : 0;

		if (!part || number > UINT8_MAX ||
		    (is_number && (part > 3 || (part > 1 && text[length] == '0'))))
			return 0;
		if (is_number && numbers == i)
			address[numbers++] = (uint8_t)number;
		length += part;
		if (i + 1 < IPV4_BYTES && text[length++] != '.')
			return 0;
	}
	/* Versions have more numbers; a dot may also end a sentence. */
	if (text[length] == '.' && part_length(text + length + 1))
		return 0;
	/* 10.0.0.1-9 is also a range. */
	last = text[length] == '-' ? strspn(text + length + 1, "0123456789") : 0;
	end = text + length + 1 + last;
	if (last && last <= 3 && !is_of_name(*end) && (*end != '.' || !part_length(end + 1))) {
		length += 1 + last;
		numbers = numbers < 3 ? numbers : 3;
	}
	anonymise_ipv4(anonymiser, address);
	for (size_t i = 0; i < IPV4_BYTES; i++) {
		const char *dot = i ? "." : "";

		if (i < numbers)
			text_buffer_add(out, "%s%u", dot, address[i]);
		else
			text_buffer_add(out, "%s*", dot);
	}
	return length;
}

/*
 * Whether the dash belongs to a version, 23.10-1.1.9.0, rather than follows an address that has
 * been replaced. A private network begins with at least two digits.
 */
static bool is_version(const char *begin, const char *dash)
{
	const char *at = dash;
	bool dots = false;

	for (; at > begin && (isdigit((unsigned char)at[-1]) || at[-1] == '.'); at--)
		dots |= at[-1] == '.';
	return dots && (at == begin || !isalnum((unsigned char)at[-1])) && dash[2] == '.';
}

/* Whether an IPv4 address may begin here; `done` is the end of the last replacement. */
static bool may_begin_ipv4(const char *at, char before, const char *done)
{
	/* The second address of a range follows a dash. */
	if (before == '-')
		return !is_version(done, at - 1);
	/* MGC10.0.0.1@o2ib is Lustre's management client of a server: lustre_start_mgc(). */
	if (isalpha((unsigned char)before) || before == '_')
		return at[strspn(at, "0123456789.")] == '@';
	return !is_of_name(before) && before != '.';
}

char *anonymise_text(const struct anonymiser *anonymiser, const char *text, bool ipv4)
{
	struct text_buffer out = {.text = NULL};
	const char *done = text;

	for (const char *at = text; *at;) {
		const char before = at == text ? ' ' : at[-1];
		struct text_buffer other = {.text = NULL};
		size_t length = 0;

		if (may_begin_run(text, at))
			length = change_run(anonymiser, at, &other);
		if (!length && !isalnum((unsigned char)before))
			length = change_prefixed(anonymiser, at, &other);
		if (!length && before != ':')
			length = change_glued(anonymiser, text, at, &other);
		if (!length && !is_of_name(before))
			length = anonymise_other_marks(anonymiser, at, before, &other);
		if (!length && ipv4 && may_begin_ipv4(at, before, done))
			length = change_ipv4(anonymiser, at, &other);
		if (!length && !is_of_name(before))
			length = anonymise_host(anonymiser, at, &other);
		if (length) {
			text_buffer_add(&out, "%.*s%s", (int)(at - done), done, other.text);
			done = at + length;
		}
		free(other.text);
		at += length ? length : 1;
	}
	text_buffer_add(&out, "%s", done);
	return text_buffer_take(&out);
}
