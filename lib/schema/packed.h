/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Fields that are bits of packed bytes (network formats): field.bit and field.width, counted from
 * the member at field.offset, which is an array of bytes. One row of a field table decodes, encodes
 * and shows them:
 *
 *	FIELD_UNSIGNED, FIELD_HEX, FIELD_GUID, FIELD_ENUM, FIELD_FLAGS	up to 64 bits
 *	FIELD_BOOL	any bits: yes unless all are 0
 *	FIELD_STRING	bytes of text, to the first NUL; cleaned when shown
 *	FIELD_GID, FIELD_IP	128 bits
 *
 * FIELD_UNSIGNED and FIELD_REAL with `names` are codes: the word is the number that the code means
 * (1 -> "256"); a code without a word is unknown.
 */
#pragma once

#include "schema/schema.h"

/* field_get() for such a field. */
void packed_get(const struct field *field, const void *record, struct value *value);
/* The raw bits of a field of up to 64 bits. */
uint64_t packed_number(const struct field *field, const void *record);
/*
 * Parses text in the form in which the field is shown (numbers also in hex, enumerations also by
 * code, flags as words separated by commas) and writes the bits. Returns 0, -EINVAL, or -ERANGE if
 * the bits cannot hold it; the record is then unchanged.
 */
int packed_parse(const struct field *field, void *record, const char *text);

#define PACKED_ROW(record_, member_, kind_, bit_, width_, key_, heading_, flags_, help_)          \
	.key = FIELD_TEXT(key_, heading_, help_), .kind = kind_, .flags = flags_,                 \
	.offset = FIELD_OFFSET(record_, member_, unsigned char[sizeof(((record_ *)0)->member_)]), \
	.bit = bit_, .width = width_
