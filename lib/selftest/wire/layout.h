/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records on the wire. A message is a header (magic, version, type, length of the body, 32 bits
 * each, big endian) and a body: the fields of a record, as its layout lists them. Encoding and
 * decoding are pure; a decoded record has passed every check that needs no state. Text in it is as
 * the peer sent it: clean it before it is shown.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define WIRE_HEADER_BYTES 16u

/* No MTU is larger than 4096 bytes (IBTA 1.0 14.2.5.6, NeighborMTU); iWARP may say more. */
#define LIMIT_MTU 65536

enum wire_kind {
	WIRE_NUMBER, /* uint32_t or uint64_t, by `size` */
	WIRE_TEXT,
	WIRE_BYTES,
	WIRE_IP,     /* family byte and 16 bytes */
	WIRE_RECORD, /* of another layout */
	WIRE_ITEMS,  /* at most `most` records; their number is in the field before */
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
	uint32_t reply; /* to an order: the type of the reply when it was carried out; else 0 */
};

/* A set of messages; those two have the same layout in all versions of the header. */
struct wire_protocol {
	uint32_t magic, version;
	const struct message_row *rows; /* by type */
	uint32_t types;			/* how many rows */
	uint32_t hello, refused;
};

/* struct endpoint of lib/host/endpoint/endpoint.h. */
extern const struct wire_layout endpoint_layout;

/* NULL: there is no such type. */
const struct wire_layout *wire_layout_of(const struct wire_protocol *protocol, uint32_t type);
/* Bytes of the message, header included. There must be room for as many as the layout can have. */
size_t wire_encode(const struct wire_protocol *protocol, uint32_t type, const void *record,
		   uint8_t *bytes);
/*
 * Reads the type and the bytes of the body that follow from a header. -EPROTO: not this protocol;
 * -EPROTONOSUPPORT: another version of it; -EMSGSIZE: a length that the type cannot have.
 */
int wire_decode_header(const struct wire_protocol *protocol,
		       const uint8_t bytes[static WIRE_HEADER_BYTES], uint32_t *ret_type,
		       size_t *ret_body_bytes);
/*
 * Decodes into a zeroed record. -EMSGSIZE: the body is not as long as its fields; -ERANGE: a field
 * is out of its range, *ret_field names it. The record may hold anything then.
 */
int wire_decode(const struct wire_layout *layout, const uint8_t *body, size_t length, void *record,
		const char **ret_field);
/* Numbers in big endian, of 4 or 8 bytes. */
void wire_put(uint8_t *bytes, uint64_t number, size_t size);
uint64_t wire_take(const uint8_t *bytes, size_t size);
/* The value of a member of type WIRE_NUMBER. */
uint64_t wire_number(const void *member, size_t size);
