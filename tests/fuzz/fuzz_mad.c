/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams: the input is both a file as `mad decode` takes it, and one datagram, whose
 * class and attribute are those of its bytes. Missing bytes are unknown, and no text controls a
 * terminal.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/decode.h"
#include "mad/format/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			abort();
}

static void check_pairs(const struct mad_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!pairs[i].key)
			abort();
		check_text(pairs[i].key);
		check_text(pairs[i].value);
	}
}

/* Every field of the row can be shown. */
static void check_row(const struct mad_decoded *decoded)
{
	struct value value;

	for (size_t i = 0; i < mads_schema.field_count; i++) {
		field_get(&mads_schema.fields[i], decoded, &value);
		if (value.kind == VALUE_STRING)
			check_text(value.string);
	}
}

static void try_datagram(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	unsigned char *copy = malloc(size ? size : 1);
	struct mad_decoded decoded;
	int rc;

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	rc = mad_decode(copy, size, &decoded);
	free(copy);
	if ((rc == -EMSGSIZE) != (size < MAD_HEADER_BYTES))
		abort();
	if (rc)
		return;
	check_row(&decoded);
	check_pairs(decoded.header, decoded.header_count);
	check_pairs(decoded.fields, decoded.field_count);
	if (decoded.data_offset > size ||
	    strlen(decoded.data) != 2 * (size - decoded.data_offset) ||
	    (decoded.field_count && !decoded.known))
		abort();
	mad_decoded_clear(&decoded);
}

/* The pieces are in order, do not overlap, and are within the bytes. */
static void try_file(const uint8_t *data, size_t size)
{
	struct mad_dump dump;
	struct mad_piece piece;
	size_t end = 0, count = 0;
	int rc = mad_dump_read(data, size, &dump);

	if (rc && rc != -EINVAL && rc != -ENODATA && rc != -EFBIG)
		abort();
	if ((rc == -EINVAL) != (dump.bad_line != 0) && rc != -EFBIG)
		abort();
	while (!rc && mad_dump_next(&dump, &piece)) {
		if (piece.at < end || !piece.bytes || piece.at + piece.bytes > dump.byte_count)
			abort();
		end = piece.at + piece.bytes;
		if (count++ < 4)
			try_datagram(dump.bytes + piece.at, piece.bytes);
	}
	if (!rc && !count)
		abort();
	mad_dump_free(&dump);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_file(data, size);
	try_datagram(data, size);
	return 0;
}
