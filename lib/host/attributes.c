/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/port.h"
#include "kernel/netlink/netlink.h"
#include "kernel/sysfs.h"

static bool is_text(const struct attribute *attribute)
{
	return attribute->kind == ATTRIBUTE_TEXT || attribute->kind == ATTRIBUTE_ADDRESS;
}

static bool is_known(const struct attribute *attribute, const void *member)
{
	if (is_text(attribute))
		return *(char *const *)member;
	if (attribute->kind == ATTRIBUTE_SPEED)
		return ((const struct real *)member)->known;
	return ((const struct number *)member)->known;
}

/* Returns aa:bb:cc..., or NULL for a netdev without an address. */
static char *address_text(const struct nlattr *attribute)
{
	const uint8_t *bytes = nla_data(attribute);
	size_t length = (size_t)nla_len(attribute);
	char *text, *out;

	if (!length)
		return NULL;
	text = out = mem_alloc_zero(length * 3, 1);
	for (size_t i = 0; i < length; i++, out += 3) {
		text_write_hex(out, &bytes[i], 1);
		out[2] = i + 1 < length ? ':' : '\0';
	}
	return text;
}

int attributes_take(const struct attributes *table, struct nlattr *const *message, void *record)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct attribute *attribute = &table->items[i];
		const struct nlattr *found = attribute->netlink ? message[attribute->netlink]
								: NULL;
		void *member = (char *)record + attribute->offset;

		if (!found)
			continue;
		if (attribute->kind == ATTRIBUTE_TEXT)
			netlink_get_text(found, member);
		else if (is_text(attribute) && !is_known(attribute, member))
			*(char **)member = address_text(found);
		else if (!is_text(attribute) && netlink_get_number(found, member))
			return -EBADMSG;
	}
	return 0;
}

static int parse_layer(const char *text, struct number *number)
{
	static const struct enum_name words[] = {
		{LINK_LAYER_INFINIBAND, "InfiniBand"},
		{LINK_LAYER_ETHERNET, "Ethernet"},
		{LINK_LAYER_UNSPECIFIED, "Unspecified"},
		{LINK_LAYER_UNSPECIFIED, "Unknown"},
		{0, NULL},
	};
	const struct enum_name *name = enum_find_word(words, text);

	if (!name)
		return -EINVAL;
	number_set(number, name->value);
	return 0;
}

/* Words from operstate_show(), net/core/net-sysfs.c, in the order of their codes. */
static int parse_operstate(const char *text, struct number *number)
{
	static const char *const words[] = {"unknown", "notpresent", "down", "lowerlayerdown",
					    "testing", "dormant",    "up"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(text, words[i]))
			number_set(number, i);
	return number->known ? 0 : -EINVAL;
}

/*
 * The kernel prints "4: ACTIVE", a code of one byte without zeros before it:
 * drivers/infiniband/core/sysfs.c.
 */
static int parse_code(const char *text, struct number *number)
{
	enum { MOST_DIGITS = 3 };
	uint64_t code;

	if (strcspn(text, ":") > MOST_DIGITS || text_take_u64(&text, 10, UINT8_MAX, &code) ||
	    (*text && *text != ':'))
		return -EINVAL;
	number_set(number, code);
	return 0;
}

static int parse_number(const char *text, int base, uint64_t most, struct number *number)
{
	uint64_t value;
	int rc = text_parse_u64(text, base, most, &value);

	if (!rc)
		number_set(number, value);
	return rc;
}

/* The speed is -1 without carrier, which old kernels show unsigned. */
static int parse_netdev_speed(const char *text, struct number *number)
{
	struct number speed = {0};
	int rc = strcmp(text, "-1") ? parse_number(text, 10, UINT64_MAX, &speed) : 0;

	if (speed.value != UINT32_MAX)
		*number = speed;
	return rc;
}

int attribute_parse_real(const char *text, struct real *real, const char **ret_rest)
{
	char *end;
	double value;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	value = strtod(text, &end);
	if (end != text + strspn(text, "0123456789.") || value >= 1e9)
		return -EINVAL; /* strtod also takes hexadecimal and exponents */
	real->value = value;
	real->known = true;
	*ret_rest = end;
	return 0;
}

/* Pairs of digits separated by colons: sysfs_format_mac(), net/ethernet/eth.c. */
static bool is_address(const char *text)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	for (;; text += 3) {
		if (strspn(text, digits) != 2)
			return false;
		if (text[2] != ':')
			return !text[2];
	}
}

static int parse(const struct attribute *attribute, const char *text, void *member)
{
	const char *rest;
	uint64_t guid;

	switch (attribute->kind) {
	case ATTRIBUTE_ADDRESS:
		if (!is_address(text))
			return -EINVAL;
		*(char **)member = mem_string(text);
		return 0;
	case ATTRIBUTE_TEXT:
		/* Some drivers return just a NUL. */
		*(char **)member = *text ? text_clean(text, strlen(text)) : NULL;
		return 0;
	case ATTRIBUTE_OPERSTATE:
		return parse_operstate(text, member);
	case ATTRIBUTE_NETDEV_SPEED:
		return parse_netdev_speed(text, member);
	case ATTRIBUTE_LAYER:
		return parse_layer(text, member);
	case ATTRIBUTE_CODE:
		return parse_code(text, member);
	case ATTRIBUTE_GUID:
		if (guid_parse(text, &guid))
			return -EINVAL;
		number_set(member, guid);
		return 0;
	case ATTRIBUTE_SIGNED:
		return strcmp(text, "-1") ? parse_number(text, 10, UINT64_MAX, member) : 0;
	case ATTRIBUTE_LANES:
		/* 0: the link is down; 255: pci-sysfs.c, for a function without the capability. */
		if (!strcmp(text, "0") || !strcmp(text, "255"))
			return 0;
		return parse_number(text, 10, UINT64_MAX, member);
	case ATTRIBUTE_SPEED:
		/* "Unknown", or "Unknown speed" before 5.7, if the link has none: pci-sysfs.c. */
		return strncmp(text, "Unknown", 7) ? attribute_parse_real(text, member, &rest) : 0;
	case ATTRIBUTE_HEX:
		return parse_number(text, 16, UINT64_MAX, member);
	case ATTRIBUTE_PKEY:
		return parse_number(text, 16, UINT16_MAX, member);
	default:
		return parse_number(text, 10, UINT64_MAX, member);
	}
}

/* Returns the key of the field that shows the member. */
static const char *key_of(const struct attribute *attribute, const struct schema *schema)
{
	for (size_t i = 0; schema && i < schema->field_count; i++)
		if (!schema->fields[i].get && schema->fields[i].offset == attribute->offset)
			return schema->fields[i].key;
	return attribute->key ? attribute->key : attribute->path;
}

const struct attribute *attribute_find(const struct attributes *table, const char *key)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(key_of(&table->items[i], table->schema), key))
			return &table->items[i];
	return NULL;
}

/* The directory of a record's attributes. */
struct place {
	struct sysfs_folder folder;
	char *driver; /* looked up for the first attribute that needs it */
	bool has_driver;
};

static void place_clear(struct place *place)
{
	sysfs_folder_close(&place->folder);
	free(place->driver);
}

static bool is_driven_by(struct place *place, const char *drivers)
{
	size_t length;

	if (!place->has_driver && !sysfs_is_software(place->folder.root, place->folder.path))
		place->driver = sysfs_driver(place->folder.root, place->folder.path);
	place->has_driver = true;
	length = place->driver ? strlen(place->driver) : 0;
	for (const char *name = drivers; length && *name; name += strspn(name, " ")) {
		const size_t end = strcspn(name, " ");

		if (end == length && !strncmp(name, place->driver, length))
			return true;
		name += end;
	}
	return false;
}

/* Whether the absence of the file is a problem. */
static bool is_due(const struct attribute *attribute, struct place *place)
{
	char text[SYSFS_TEXT_SIZE];

	switch (attribute->due) {
	case DUE_ALWAYS:
		return true;
	case DUE_WITH:
		return sysfs_folder_read(&place->folder, text, NULL, attribute->with) != -ENOENT;
	case DUE_DRIVERS:
		return is_driven_by(place, attribute->with);
	default:
		return false;
	}
}

static bool is_wanted(const struct attribute *attribute, uint64_t needs, const void *record)
{
	return needs & attribute->need && attribute->path &&
	       !is_known(attribute, (const char *)record + attribute->offset);
}

size_t attributes_wanted(const struct attributes *table, uint64_t needs, const void *record)
{
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += is_wanted(&table->items[i], needs, record);
	return count;
}

/* Returns 0, or the -errno of opening the directory. */
static int folder_error(const struct sysfs_folder *folder)
{
	return folder->fd < 0 ? sysfs_open_directory(folder->root, folder->path) : 0;
}

void attributes_read(const struct attributes *table, const struct root *root, const char *directory,
		     const char *object, uint64_t needs, void *record, struct problems *problems)
{
	_cleanup_(place_clear) struct place place = {
		.folder = {.root = root, .path = mem_string(directory), .fd = -EACCES}};
	char text[SYSFS_TEXT_SIZE];

	/* Opening the folder costs two system calls; -EACCES: files are read by their full path. */
	if (attributes_wanted(table, needs, record) > 2)
		sysfs_folder_open(root, place.folder.path, &place.folder);
	for (size_t i = 0; i < table->count; i++) {
		const struct attribute *attribute = &table->items[i];
		size_t size = 0;
		ssize_t length;

		if (!is_wanted(attribute, needs, record))
			continue;
		length = sysfs_folder_read(&place.folder, text, &size, attribute->path);
		/* A missing directory means that the record is gone: always a problem. */
		if (length == -ENOENT && !is_due(attribute, &place) &&
		    folder_error(&place.folder) != -ENOENT)
			continue;
		/* Reading the speed fails while a netdev is down. */
		if (length == -EINVAL && attribute->kind == ATTRIBUTE_NETDEV_SPEED)
			continue;
		if (length < 0)
			problem_add(problems, object, key_of(attribute, table->schema), "sysfs",
				    (int)length, NULL);
		/* A missing directory is one problem for all, also if it was removed meanwhile. */
		if (length < 0 && sysfs_open_directory(root, directory))
			return;
		/* The kernel ends every text with a newline, even an empty one. */
		if (length == 0 && is_text(attribute) && size)
			continue;
		if (length == 0 ||
		    (length > 0 && parse(attribute, text, (char *)record + attribute->offset)))
			sysfs_note_text(problems, object, key_of(attribute, table->schema), text);
	}
}
