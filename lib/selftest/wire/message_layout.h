/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the messages lie on the wire: a table of fields for each type, read by message.c. */
#pragma once

#include "selftest/wire/message.h"

enum wire_kind {
	WIRE_NUMBER, /* uint32_t or uint64_t, by `size` */
	WIRE_TEXT,   /* any bytes, then NULs to the end: to be cleaned by who shows it */
	WIRE_RAW,
	WIRE_IP,     /* family byte and 16 bytes */
	WIRE_RECORD, /* of another layout */
	WIRE_ITEMS,  /* `most` records at most; the number of them is in the field before */
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

/* By enum message_type; a type without a name does not exist. */
extern const struct wire_layout message_layouts[MESSAGE_TYPES];
