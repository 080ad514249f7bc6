/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Decodes a management datagram of any class to text: its header, and its attribute if there is a
 * field table for it. Every byte may be hostile, and any number of bytes may be missing after the
 * common header: a field that is incomplete is unknown.
 */
#pragma once

#include "mad/format/header.h"

/* One field of the class's header, or of the attribute. It owns its strings. */
struct mad_pair {
	struct number entry; /* index in the table; unknown if the data are one record */
	char *key;
	char *value; /* as shown in a table; NULL if unknown */
};

/* A decoded datagram. It owns its strings; mad_decoded_clear() frees them. */
struct mad_decoded {
	char *object; /* where it came from, set by the caller */
	struct number index;
	struct number bytes, missing_bytes; /* of the 256 bytes of a datagram */
	struct number class_code, class_version, method_code, status_code;
	struct number transaction_id, attribute_id, attribute_modifier;
	char *method, *status, *attribute; /* method and attribute are NULL if unknown */
	struct number tries;		   /* known if it answers a request of ours */
	struct real round_trip_usec;
	struct mad_pair *header; /* the class's additional fields */
	size_t header_count;
	struct mad_pair *fields; /* the attribute's fields */
	size_t field_count;
	size_t data_offset; /* start of the attribute's data, at most the end */
	char *data;	    /* the data as hexadecimal digits */
	bool known;	    /* there is a field table for the attribute */
};

extern const struct schema mads_schema;

/*
 * Decodes one datagram; more than 256 bytes are the reassembled segments of an SA table. -EMSGSIZE:
 * shorter than a header.
 */
int mad_decode(const unsigned char *mad, size_t bytes, struct mad_decoded *ret_decoded);
void mad_decoded_clear(struct mad_decoded *decoded);
