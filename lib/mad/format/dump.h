/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams from the files that people keep: binary files, and the hexadecimal text of
 * od, xxd, hexdump -C, tcpdump -x or a debugger, with or without offsets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The position and size of one datagram. */
struct mad_piece {
	size_t at, bytes;
};

/* The position of mad_dump_next(). */
struct mad_dump_cursor {
	size_t part, at, end; /* of the part */
	size_t step, skip;    /* size of a block, and of the header before its datagram */
};

/* The bytes of a file, and the offsets in them at which a new part starts. The arrays are owned. */
struct mad_dump {
	unsigned char *bytes;
	size_t byte_count;
	size_t *starts; /* offsets of the parts; the first one is 0 */
	size_t start_count;
	size_t bad_line; /* number from 1 of the line that caused -EINVAL */
	struct mad_dump_cursor cursor;
};

#define MAD_DUMP_MOST (4u << 20) /* bytes: 16384 datagrams */

/*
 * Reads text or binary, whichever it is. In text, an offset of 0 or an empty line starts another
 * part; a `*` line repeats the previous line up to the next offset. -EINVAL: a line is not
 * hexadecimal; -EFBIG: more than MAD_DUMP_MOST; -ENODATA: the file is empty. The dump must be freed
 * in every case.
 */
int mad_dump_read(const unsigned char *file, size_t length, struct mad_dump *ret_dump);
void mad_dump_free(struct mad_dump *dump);
/*
 * Gets the next datagram: 256 bytes each, or preceded by the 64 bytes of the umad header, which are
 * skipped; the last one of a part may be shorter, and an SA table longer. Returns false after the
 * last one.
 */
bool mad_dump_next(struct mad_dump *dump, struct mad_piece *ret_piece);
