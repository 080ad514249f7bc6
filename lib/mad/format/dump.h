/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Management datagrams in what people keep of them: binary files, and the hexadecimal text of od,
 * xxd, hexdump -C, tcpdump -x or a debugger, with or without offsets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* One datagram: where in the bytes, and how many they are. */
struct mad_piece {
	size_t at, bytes;
};

/* How far mad_dump_next() has come. */
struct mad_dump_cursor {
	size_t part, at, end; /* of the part */
	size_t step, skip;    /* bytes of one, and of what is before the datagram */
};

/* The bytes of a file, and where in them a datagram begins anew. The arrays are owned. */
struct mad_dump {
	unsigned char *bytes;
	size_t byte_count;
	size_t *starts; /* of the parts; the first one is 0 */
	size_t start_count;
	size_t bad_line; /* of -EINVAL, from 1 on */
	struct mad_dump_cursor cursor;
};

#define MAD_DUMP_MOST (4u << 20) /* bytes: 16384 datagrams */

/*
 * Reads text or binary, whatever it is. In text an offset that begins anew, and an empty line,
 * begin another part; a `*` line repeats the one before it up to the next offset. -EINVAL: a line
 * is no hexadecimal; -EFBIG: more than MAD_DUMP_MOST; -ENODATA: there is none. The dump is to be
 * freed in every case.
 */
int mad_dump_read(const unsigned char *file, size_t length, struct mad_dump *ret_dump);
void mad_dump_free(struct mad_dump *dump);
/*
 * The next datagram: 256 bytes each, or with the 64 bytes of the umad header before them, which are
 * left out; the last one of a part may be shorter, and an SA table longer. False: there are no
 * more.
 */
bool mad_dump_next(struct mad_dump *dump, struct mad_piece *ret_piece);
