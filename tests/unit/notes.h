/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For the tests of kernel notifications: lines that handlers log, and a socket pair. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "base/mem.h"

#define LINE_BYTES 160

struct notes {
	size_t count;
	char lines[8][LINE_BYTES];
};

static inline char *next_line(struct notes *notes)
{
	assert_true(notes->count < ARRAY_SIZE(notes->lines));
	return notes->lines[notes->count++];
}

#define note(notes, ...) snprintf(next_line(notes), LINE_BYTES, __VA_ARGS__)

static inline void pair(int fds[static 2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
}
