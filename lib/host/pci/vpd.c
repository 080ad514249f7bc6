/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/vpd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Tags of resources: large ones have bit 7 and two bytes of length, small ones three bits. */
enum {
	TAG_LARGE = 0x80,
	TAG_READ_ONLY = 0x90,
	TAG_WRITABLE = 0x91,
	TAG_END = 0x78,
	TAG_SMALL_LENGTH = 0x07,
};

static bool is_setting(const char *word, size_t length, const char *name)
{
	const size_t name_length = strlen(name);

	return length > name_length && !memcmp(word, name, name_length) && word[name_length] == '=';
}

static bool find_in_field(const char *text, size_t length, const char *name, const char **ret_value,
			  size_t *ret_length)
{
	const char *end = text + length, *colon;

	for (const char *word = text; word < end; word = colon + 1) {
		colon = memchr(word, ':', (size_t)(end - word));
		if (!colon)
			colon = end;
		if (is_setting(word, (size_t)(colon - word), name)) {
			*ret_value = word + strlen(name) + 1;
			*ret_length = (size_t)(colon - *ret_value);
			return true;
		}
	}
	return false;
}

/* One resource: fields of a keyword of two bytes, a byte of length, and the text. */
static int find_in_resource(const uint8_t *data, size_t length, const char *name,
			    const char **ret_value, size_t *ret_length)
{
	enum { HEADER = 3 };

	for (size_t at = 0; at < length; at += HEADER + data[at + 2]) {
		if (length - at < HEADER || length - at - HEADER < data[at + 2])
			return -EBADMSG;
		/* Keywords of vendors: V0 .. VZ. */
		if (data[at] == 'V' && find_in_field((const char *)data + at + HEADER, data[at + 2],
						     name, ret_value, ret_length))
			return 0;
	}
	return -ENOENT;
}

int vpd_find(const uint8_t *data, size_t length, const char *name, const char **ret_value,
	     size_t *ret_length)
{
	size_t at = 0, header, size;
	int rc;

	for (; at < length && data[at] != TAG_END; at += header + size) {
		const bool large = data[at] & TAG_LARGE;

		header = large ? 3 : 1;
		if (length - at < header)
			return -EBADMSG;
		size = large ? data[at + 1] | (size_t)data[at + 2] << 8
			     : data[at] & (size_t)TAG_SMALL_LENGTH;
		if (length - at - header < size)
			return -EBADMSG;
		if (data[at] != TAG_READ_ONLY && data[at] != TAG_WRITABLE)
			continue;
		rc = find_in_resource(data + at + header, size, name, ret_value, ret_length);
		if (rc != -ENOENT)
			return rc;
	}
	/* Without the tag that ends the data, a part of them is missing. */
	return at < length ? -ENOENT : -EBADMSG;
}
