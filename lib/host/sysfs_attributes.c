/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/sysfs_attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/port.h"
#include "kernel/sysfs.h"

static bool is_known(const struct sysfs_attribute *attribute, const void *member)
{
	if (attribute->kind == ATTRIBUTE_TEXT)
		return *(char *const *)member;
	if (attribute->kind == ATTRIBUTE_SPEED)
		return ((const struct real *)member)->known;
	return ((const struct number *)member)->known;
}

bool sysfs_attributes_wanted(const struct sysfs_attributes *table, uint64_t needs,
			     const void *record)
{
	for (size_t i = 0; i < table->count; i++)
		if (needs & table->items[i].need &&
		    !is_known(&table->items[i], (const char *)record + table->items[i].offset))
			return true;
	return false;
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

static int parse_code(const char *text, struct number *number)
{
	char digits[8];
	size_t length = strcspn(text, ":");
	uint64_t code;

	if (length >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, length);
	digits[length] = '\0';
	if (text_parse_u64(digits, 10, UINT8_MAX, &code))
		return -EINVAL;
	number_set(number, code);
	return 0;
}

static int parse_number(const char *text, int base, struct number *number)
{
	uint64_t value;
	int rc = text_parse_u64(text, base, UINT64_MAX, &value);

	if (!rc)
		number_set(number, value);
	return rc;
}

int sysfs_parse_real(const char *text, struct real *real, const char **ret_rest)
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

static int parse(const struct sysfs_attribute *attribute, const char *text, void *member)
{
	const char *rest;
	uint64_t guid;

	switch (attribute->kind) {
	case ATTRIBUTE_TEXT:
		*(char **)member = text_clean(text, strlen(text));
		return 0;
	case ATTRIBUTE_LAYER:
		return parse_layer(text, member);
	case ATTRIBUTE_CODE:
		return parse_code(text, member);
	case ATTRIBUTE_GUID:
		if (guid_parse(text, &guid))
			return -EINVAL;
		number_set(member, guid);
		return 0;
	case ATTRIBUTE_POSITIVE:
		return strcmp(text, "0") ? parse_number(text, 10, member) : 0;
	case ATTRIBUTE_SIGNED:
		return strcmp(text, "-1") ? parse_number(text, 10, member) : 0;
	case ATTRIBUTE_SPEED:
		/* The kernel says "Unknown" if the link has no speed, drivers/pci/pci-sysfs.c. */
		return strcmp(text, "Unknown") ? sysfs_parse_real(text, member, &rest) : 0;
	case ATTRIBUTE_HEX:
		return parse_number(text, 16, member);
	default:
		return parse_number(text, 10, member);
	}
}

/* The key of the field that shows the member. */
static const char *key_of(const struct sysfs_attribute *attribute, const struct schema *schema)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (!schema->fields[i].get && schema->fields[i].offset == attribute->offset)
			return schema->fields[i].key;
	return attribute->path;
}

void sysfs_attributes_read(const struct sysfs_attributes *table, const struct root *root,
			   const char *directory, const char *object, uint64_t needs, void *record,
			   struct problems *problems)
{
	char text[SYSFS_TEXT_SIZE];

	for (size_t i = 0; i < table->count; i++) {
		const struct sysfs_attribute *attribute = &table->items[i];
		void *member = (char *)record + attribute->offset;
		ssize_t length;

		if (!(needs & attribute->need) || is_known(attribute, member))
			continue;
		length = sysfs_read(root, text, "%s/%s", directory, attribute->path);
		if (length == -ENOENT && !attribute->required)
			continue;
		if (length < 0)
			problem_add(problems, object, key_of(attribute, table->schema), "sysfs",
				    (int)length, NULL);
		/* A missing directory is one problem for all of its attributes. */
		if (length < 0 && !sysfs_has_directory(root, directory))
			return;
		if (length >= 0 && parse(attribute, text, member))
			sysfs_note_text(problems, object, key_of(attribute, table->schema), text);
	}
}
