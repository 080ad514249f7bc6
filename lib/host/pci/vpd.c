/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/vpd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Resource tags: large ones have bit 7 and two bytes of length, small ones three bits of length. */
enum {
	TAG_LARGE = 0x80,
	TAG_NAME = 0x82,
	TAG_READ_ONLY = 0x90,
	TAG_WRITABLE = 0x91,
	TAG_END = 0x78,
	TAG_SMALL_LENGTH = 0x07,
};

/* The unparsed rest of the data or of a resource. */
struct rest {
	const uint8_t *data;
	size_t length;
};

/* A resource, or a field in one. */
struct part {
	const uint8_t *header; /* the tag, or the two letters of the keyword */
	struct vpd_text text;
};

static int take_part(struct rest *rest, size_t header, size_t length, struct part *ret_part)
{
	if (rest->length - header < length)
		return -EBADMSG;
	ret_part->header = rest->data;
	ret_part->text = (struct vpd_text){(const char *)rest->data + header, length};
	rest->data += header + length;
	rest->length -= header + length;
	return 0;
}

/* Returns -ENOENT at the end tag; if that is missing, the data are incomplete. */
static int take_resource(struct rest *rest, struct part *ret_resource)
{
	const bool large = rest->length && rest->data[0] & TAG_LARGE;
	const size_t header = large ? 3 : 1;

	if (rest->length < header)
		return -EBADMSG;
	if (rest->data[0] == TAG_END)
		return -ENOENT;
	return take_part(rest, header,
			 large ? rest->data[1] | (size_t)rest->data[2] << 8
			       : rest->data[0] & (size_t)TAG_SMALL_LENGTH,
			 ret_resource);
}

/* Takes a two-byte keyword, a length byte and the text; -ENOENT at the end of the resource. */
static int take_field(struct rest *rest, struct part *ret_field)
{
	enum { HEADER = 3 };

	if (!rest->length)
		return -ENOENT;
	return rest->length < HEADER ? -EBADMSG : take_part(rest, HEADER, rest->data[2], ret_field);
}

static struct rest inside(const struct part *resource)
{
	return (struct rest){(const uint8_t *)resource->text.text, resource->text.length};
}

static bool is_setting(const char *word, size_t length, const char *name)
{
	const size_t name_length = strlen(name);

	return length > name_length && !memcmp(word, name, name_length) && word[name_length] == '=';
}

static bool find_in_field(const struct vpd_text *field, const char *name,
			  struct vpd_text *ret_value)
{
	const char *end = field->text + field->length, *colon;

	for (const char *word = field->text; word < end; word = colon + 1) {
		colon = memchr(word, ':', (size_t)(end - word));
		if (!colon)
			colon = end;
		if (is_setting(word, (size_t)(colon - word), name)) {
			ret_value->text = word + strlen(name) + 1;
			ret_value->length = (size_t)(colon - ret_value->text);
			return true;
		}
	}
	return false;
}

static int find_in_resource(const struct part *resource, const char *name,
			    struct vpd_text *ret_value)
{
	struct rest fields = inside(resource);
	struct part field;
	int rc;

	/* Vendor keywords are V0 .. VZ. */
	while (!(rc = take_field(&fields, &field)))
		if (field.header[0] == 'V' && find_in_field(&field.text, name, ret_value))
			return 0;
	return rc;
}

int vpd_find(const uint8_t *data, size_t length, const char *name, struct vpd_text *ret_value)
{
	struct rest rest = {data, length};
	struct part resource;
	int rc;

	while (!(rc = take_resource(&rest, &resource))) {
		if (resource.header[0] != TAG_READ_ONLY && resource.header[0] != TAG_WRITABLE)
			continue;
		rc = find_in_resource(&resource, name, ret_value);
		if (rc != -ENOENT)
			return rc;
	}
	return rc;
}

void vpd_field(const uint8_t *data, size_t length, const char *keyword, struct vpd_text *ret_value)
{
	struct rest rest = {data, length};
	struct part resource, field;

	*ret_value = (struct vpd_text){"", 0};
	while (!take_resource(&rest, &resource)) {
		struct rest fields = inside(&resource);

		while (resource.header[0] == TAG_READ_ONLY && !take_field(&fields, &field))
			if (!memcmp(field.header, keyword, 2))
				*ret_value = field.text;
	}
}

void vpd_product(const uint8_t *data, size_t length, struct vpd_text *ret_name,
		 struct vpd_text *ret_part_number)
{
	struct rest rest = {data, length};
	struct part resource;

	*ret_name = (struct vpd_text){"", 0};
	while (!take_resource(&rest, &resource))
		if (resource.header[0] == TAG_NAME)
			*ret_name = resource.text;
	vpd_field(data, length, "PN", ret_part_number);
}
