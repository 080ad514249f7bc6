/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the files of a snapshot contain, and how each kind is changed. */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise_private.h"
#include "snapshot/collect.h"

/* Whether its name matches one of the patterns, which blanks separate. */
static bool is_named(const struct content *content, const char *patterns)
{
	return collect_matches(patterns, content_name(content->path));
}

/* The length without trailing white space. */
static size_t trimmed(const struct content *content)
{
	size_t length = content->length;

	while (length && strchr(" \t\n", content->bytes[length - 1]))
		length--;
	return length;
}

/* Files in which four numbers separated by dots are an address. */
static bool holds_ipv4(const struct content *content)
{
	/*
	 * A process may have the name of a server: nfs4_schedule_state_manager(), fs/nfs. Options
	 * of modules also have addresses: arp_ip_target of bonding, networks of lnet.
	 */
	return is_named(content, "kmsg arp_ip_target address cmdline comm stat status") ||
	       strstr(content->path, "proc/net/bonding/") || strstr(content->path, "modprobe.d/");
}

/* Like text_read_hex(), but more text may follow. */
static bool read_digits(const char *text, uint8_t *bytes, size_t count)
{
	_cleanup_(freep) char *digits = mem_format("%.*s", (int)(2 * count), text);

	return text_read_hex(digits, bytes, count);
}

/* The serial number of hfi1 is the last part of its GUID. */
static bool change_hfi1_serial(const struct anonymiser *anonymiser, struct content *content)
{
	uint8_t guid[8] = {0x00, 0x11, 0x75, 0x01, 0x01};

	if (trimmed(content) != 10 || strncmp(content->bytes, "0x", 2) ||
	    !read_digits(content->bytes + 4, guid + 5, 3))
		return false;
	anonymise_guid(anonymiser, guid);
	text_write_hex(content->bytes + 4, guid + 5, 3);
	if (content->length > 10)
		content->bytes[10] = '\n';
	return true;
}

/* mlx5 writes the GUID of the system in memory order: mlx5e_rep_get_port_parent_id(). */
static void change_switch_guid(const struct anonymiser *anonymiser, uint8_t *bytes)
{
	uint64_t number, guid;

	memcpy(&number, bytes, sizeof(number));
	number = le64toh(number);
	guid = htobe64(number);
	if (!known_has(&anonymiser->guids, (const uint8_t *)&guid)) {
		anonymise_guid(anonymiser, bytes);
		return;
	}
	number = htole64(anonymise_guid_number(anonymiser, number));
	memcpy(bytes, &number, sizeof(number));
}

static void change_serial(const struct anonymiser *anonymiser, struct content *content)
{
	const size_t length = trimmed(content);
	const char after = content->bytes[length];
	uint8_t bytes[8];

	if (!strcmp(content_name(content->path), "serial") &&
	    change_hfi1_serial(anonymiser, content))
		return;
	/* A switch is identified by one of its addresses. */
	if ((length == 12 || length == 16) && read_digits(content->bytes, bytes, length / 2)) {
		if (length == 12)
			anonymise_mac(anonymiser, bytes);
		else
			change_switch_guid(anonymiser, bytes);
		text_write_hex(content->bytes, bytes, length / 2);
		content->bytes[length] = after;
		return;
	}
	anonymise_word(anonymiser, content->bytes, length);
}

/* Interface, destination, gateway, flags, ..., mask: numbers in memory order, proc(5). */
static char *change_route(const struct anonymiser *anonymiser, const char *line)
{
	char name[64];
	unsigned int destination, gateway, flags, references, use, metric, mask;
	int end = 0;

	if (sscanf(line, "%63s %8x %8x %4x %u %u %u %8x%n", name, &destination, &gateway, &flags,
		   &references, &use, &metric, &mask, &end) != 8)
		return mem_string(line);
	anonymise_ipv4(anonymiser, (uint8_t *)&destination);
	anonymise_ipv4(anonymiser, (uint8_t *)&gateway);
	destination &= mask;
	return mem_format("%s\t%08X\t%08X\t%04X\t%u\t%u\t%u\t%08X%.511s", name, destination,
			  gateway, flags, references, use, metric, mask, line + end);
}

static void change_routes(const struct anonymiser *anonymiser, struct content *content)
{
	struct text_buffer out = {.text = NULL};

	for_each_word (line, content->bytes, "\n") {
		_cleanup_(freep) char *changed = change_route(anonymiser, line);

		text_buffer_add(&out, "%s%s", changed, line_rest ? "\n" : "");
	}
	content_replace(content, text_buffer_take(&out));
}

/* Extended capabilities of the config space: number 3 is the serial number, made from a MAC. */
static void change_config(struct content *content)
{
	uint8_t *bytes = (uint8_t *)content->bytes;
	size_t at = 0x100;

	for (unsigned int count = 0; count < 64 && at + 12 <= content->length && at >= 0x100;
	     count++) {
		if (bytes[at] == 3 && bytes[at + 1] == 0)
			memset(bytes + at + 4, 0, 8);
		at = ((size_t)bytes[at + 3] << 4 | bytes[at + 2] >> 4) & ~(size_t)3;
	}
}

/* The checksum byte, which makes the sum of all bytes up to it 0. */
static void set_checksum(uint8_t *bytes, size_t at)
{
	uint8_t sum = 0;

	for (size_t i = 0; i < at; i++)
		sum = (uint8_t)(sum + bytes[i]);
	bytes[at] = (uint8_t)-sum;
}

/* A value that is not text may be an address in binary, and becomes zero. */
static void change_field(const struct anonymiser *anonymiser, uint8_t *value, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (value[i] < ' ' || value[i] > '~') {
			memset(value, 0, length);
			return;
		}
	anonymise_word(anonymiser, (char *)value, length);
}

/*
 * Each field has a keyword of two letters and a length byte. Only part number and revision of the
 * board do not identify a single board.
 */
static void change_fields(const struct anonymiser *anonymiser, uint8_t *bytes, size_t at,
			  size_t end)
{
	enum { HEADER = 3 };

	while (at + HEADER <= end) {
		uint8_t *value = bytes + at + HEADER;
		const size_t length = value[-1];

		if (at + HEADER + length > end)
			memset(value, 0, end - at - HEADER);
		else if (!memcmp(bytes + at, "RV", 2) && length)
			set_checksum(bytes, at + HEADER);
		else if (memcmp(bytes + at, "PN", 2) && memcmp(bytes + at, "EC", 2))
			change_field(anonymiser, value, length);
		at += HEADER + length;
	}
}

/*
 * Vital product data: a sequence of resources, PCI 3.0, appendix I. A truncated resource, and
 * whatever follows the end, become zero.
 */
static void change_vpd(const struct anonymiser *anonymiser, struct content *content)
{
	enum { LARGE = 0x80, NAME = 0x82, END = 0x78, SMALL_LENGTH = 0x07 };
	uint8_t *bytes = (uint8_t *)content->bytes;
	size_t at = 0;

	while (at < content->length && bytes[at] != END) {
		const bool large = bytes[at] & LARGE;
		const size_t begin = at + (large ? 3 : 1);
		size_t size = bytes[at] & SMALL_LENGTH;

		if (large && begin <= content->length)
			size = bytes[at + 1] | (size_t)bytes[at + 2] << 8;
		if (begin + size > content->length) {
			at = begin;
			break;
		}
		if (large && bytes[at] != NAME)
			change_fields(anonymiser, bytes, begin, begin + size);
		at = begin + size;
	}
	at += at < content->length && bytes[at] == END;
	if (at < content->length)
		memset(bytes + at, 0, content->length - at);
}

/* "unique_id 12345" of an accelerator, and "hive_id" of those that XGMI connects; 0 means none. */
static void change_unique_ids(const struct anonymiser *anonymiser, struct content *content)
{
	static const char *const names[] = {"unique_id ", "hive_id "};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *at = strstr(content->bytes, names[i]);
		size_t length;

		if (!at)
			continue;
		at += strlen(names[i]);
		length = strspn(at, "0123456789");
		if (length > 1 || *at != '0')
			anonymise_word(anonymiser, at, length);
	}
}

/* Tunnels have IP addresses as hardware addresses: 0a:01:02:03, or sixteen bytes. */
static bool change_tunnel(const struct anonymiser *anonymiser, struct content *content)
{
	const size_t count = (trimmed(content) + 1) / 3;
	uint8_t bytes[GID_BYTES];
	char digits[3];

	if (!is_named(content, "address broadcast") || trimmed(content) != 3 * count - 1 ||
	    (count != IPV4_BYTES && count != GID_BYTES))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!read_digits(content->bytes + 3 * i, &bytes[i], 1))
			return false;
	if (count == IPV4_BYTES)
		anonymise_ipv4(anonymiser, bytes);
	else
		anonymise_gid(anonymiser, bytes);
	for (size_t i = 0; i < count; i++) {
		text_write_hex(digits, &bytes[i], 1);
		memcpy(content->bytes + 3 * i, digits, 2);
	}
	return true;
}

/*
 * GUIDs of virtual functions, which mlx4 writes without colons and leading zeros:
 * show_admin_alias_guid() of hw/mlx4/sysfs.c. No GUID has all bits set.
 */
static bool change_alias_guid(const struct anonymiser *anonymiser, struct content *content)
{
	_cleanup_(freep) char *digits = mem_format("%.*s", (int)trimmed(content), content->bytes);
	uint64_t number;

	if (!strstr(content->path, "/admin_guids/") ||
	    text_parse_u64(digits, 16, UINT64_MAX, &number))
		return false;
	if (!number || number == UINT64_MAX)
		return true;
	number = anonymise_guid_number(anonymiser, number);
	content_replace(content, mem_format("%" PRIx64 "\n", number));
	return true;
}

static void change_text(const struct anonymiser *anonymiser, struct content *content)
{
	char *settings = anonymise_settings(anonymiser, content->path, content->bytes);
	const char *name = content_name(content->path);

	if (strstr(content->path, "proc/net/route"))
		change_routes(anonymiser, content);
	if (settings)
		content_replace(content, settings);
	if (!strcmp(name, "cgroup") && strstr(content->path, "/proc/"))
		content_replace(content, anonymise_cgroups(anonymiser, content->bytes));
	if (!strcmp(name, "mountinfo"))
		content_replace(content, anonymise_mounts(anonymiser, content->bytes));
	if (is_named(content, "comm stat status"))
		anonymise_cut_addresses(anonymiser, content->bytes);
	if (!strcmp(name, "properties"))
		change_unique_ids(anonymiser, content);
	if (!strcmp(name, "kmsg")) {
		anonymise_qualified_names(anonymiser, content->bytes);
		anonymise_file_systems(anonymiser, content->bytes);
		anonymise_spoken_serials(anonymiser, content->bytes);
		content_replace(content, anonymise_spoken_guids(anonymiser, content->bytes));
	}
	if (!strcmp(name, "qsfp"))
		anonymise_module_text(anonymiser, content->bytes);
	anonymise_uuids(anonymiser, content->bytes);
	content_replace(content, anonymise_text(anonymiser, content->bytes, holds_ipv4(content)));
}

bool anonymise_knows_file(const struct content *content)
{
	return content_is_text(content) || is_named(content, "config vpd");
}

void anonymise_file(const struct anonymiser *anonymiser, struct content *content)
{
	const char *name = content_name(content->path);

	if (!strcmp(name, "vpd"))
		change_vpd(anonymiser, content);
	else if (!content_is_text(content))
		change_config(content);
	/* These contain only a serial number or another unique identifier. */
	else if (is_named(content, "*serial* phys_switch_id phys_port_id ifalias boot_id"))
		change_serial(anonymiser, content);
	else if (!strcmp(name, "node_desc"))
		content_replace(content, anonymise_description(anonymiser, content));
	else if (!change_tunnel(anonymiser, content) && !change_alias_guid(anonymiser, content))
		change_text(anonymiser, content);
}
