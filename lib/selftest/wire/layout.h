/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records on the wire. A message is a header (magic, version, type, length of the body, 32 bits
 * each, big endian) and a body: the fields of a record, as listed in its layout. Encoding and
 * decoding are pure; a decoded record has passed every check that needs no state. Text in a record
 * is as the peer sent it: clean it before showing it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WIRE_HEADER_BYTES 16u

/* No MTU is larger than 4096 bytes (IBTA 1.0 14.2.5.6, NeighborMTU); iWARP may report more. */
#define LIMIT_MTU 65536

enum wire_kind {
	WIRE_NUMBER, /* uint32_t or uint64_t, by `size` */
	WIRE_TEXT,
	WIRE_BYTES,
	WIRE_IP,     /* family byte and 16 bytes */
	WIRE_RECORD, /* of another layout */
	WIRE_ITEMS,  /* at most `most` records; the field before holds their number */
};

struct wire_layout;

struct wire_field {
	const char *name;
	enum wire_kind kind;
	size_t offset, size; /* in the record */
	uint64_t least, most;
	const struct wire_layout *layout;
};

struct wire_layout {
	const char *name;
	const struct wire_field *fields;
	size_t count;
	size_t record_size;
};

struct message_row {
	const char *name;
	const struct wire_layout *layout;
	uint32_t reply; /* to an order: type of the reply if the order was carried out; else 0 */
};

/* A set of messages; hello and refused have the same layout in all versions of the header. */
struct wire_protocol {
	uint32_t magic, version;
	const struct message_row *rows; /* by type */
	uint32_t types;			/* number of rows */
	uint32_t hello, refused;
};

/* The layout of struct endpoint (lib/host/endpoint/endpoint.h). */
extern const struct wire_layout endpoint_layout;

/* Returns the layout of a message type, or NULL if there is no such type. */
const struct wire_layout *wire_layout_of(const struct wire_protocol *protocol, uint32_t type);
/*
 * Encodes a message and returns its length, header included. `bytes` must have room for the longest
 * message of this type.
 */
size_t wire_encode(const struct wire_protocol *protocol, uint32_t type, const void *record,
		   uint8_t *bytes);
/*
 * Reads the message type and the length of the body from a header. Returns 0; -EPROTO: not this
 * protocol; -EPROTONOSUPPORT: another version of it; -EMSGSIZE: a length that the type cannot have.
 */
int wire_decode_header(const struct wire_protocol *protocol,
		       const uint8_t bytes[static WIRE_HEADER_BYTES], uint32_t *ret_type,
		       size_t *ret_body_bytes);
/*
 * Decodes into a zeroed record. Returns 0; -EMSGSIZE: the body is not as long as its fields;
 * -ERANGE: a field is out of its range. On an error *ret_field names the field, and the record may
 * hold anything.
 */
int wire_decode(const struct wire_layout *layout, const uint8_t *body, size_t length, void *record,
		const char **ret_field);
/* Write and read big endian numbers of 4 or 8 bytes. */
void wire_put(uint8_t *bytes, uint64_t number, size_t size);
uint64_t wire_take(const uint8_t *bytes, size_t size);
/* Returns the value of a member of kind WIRE_NUMBER. */
uint64_t wire_number(const void *member, size_t size);
