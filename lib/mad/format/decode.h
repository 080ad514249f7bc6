/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A management datagram of any class in words: its header, and its attribute as far as there is a
 * field table for it. Every byte may be hostile and any number of them may be missing behind the
 * common header: a field that is not there whole is unknown.
 */
#pragma once

#include "mad/format/header.h"

/* One field of the class's header, or of the attribute. Strings are owned. */
struct mad_pair {
	struct number entry; /* of the table that the data are; not known: they are one record */
	char *key;
	char *value; /* as a table shows it; NULL: not known */
};

extern const struct schema mad_pair_schema;

/* Strings are owned; mad_decoded_clear() frees them. */
struct mad_decoded {
	char *object; /* where it came from: the caller's */
	struct number index;
	struct number bytes, missing_bytes; /* of the 256 that a datagram has */
	struct number class_code, class_version, method_code, status_code;
	struct number transaction_id, attribute_id, attribute_modifier;
	char *method, *status, *attribute; /* method and attribute NULL: not known */
	struct number tries;		   /* if it answers a request of ours */
	struct real round_trip_usec;
	struct mad_pair *header; /* what the class has besides */
	size_t header_count;
	struct mad_pair *fields; /* of the attribute */
	size_t field_count;
	size_t data_offset; /* where the attribute's data begin; not beyond the end */
	char *data;	    /* those, as hexadecimal digits */
	bool known;	    /* there is a field table for the attribute */
};

extern const struct schema mads_schema;

/*
 * Decodes one datagram; more than 256 bytes are the segments of an SA table that were put together.
 * -EMSGSIZE: less than a header.
 */
int mad_decode(const unsigned char *mad, size_t bytes, struct mad_decoded *ret_decoded);
void mad_decoded_clear(struct mad_decoded *decoded);
/* Two digits for each byte; the caller frees it. */
char *mad_hex(const unsigned char *bytes, size_t count);
