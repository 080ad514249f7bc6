/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads open files. */
#include "base/file.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

enum { FIRST_PIECE = 4096 };

int file_read_some(int fd, size_t most, char **ret_text, size_t *ret_length)
{
	_cleanup_(freep) char *text = NULL;
	size_t length = 0, size = 0;
	ssize_t got = 1;

	while (got && length < most) {
		if (length == size) {
			size = size ? size * 2 : FIRST_PIECE;
			size = size < most ? size : most;
			text = mem_resize(text, size + 1, 1);
		}
		got = read(fd, text + length, size - length);
		if (got < 0 && errno != EINTR)
			return -errno;
		length += got > 0 ? (size_t)got : 0;
	}
	/* A host may have 200,000 files of a few bytes: do not keep a page for each. */
	text = mem_resize(text, length + 1, 1);
	text[length] = '\0';
	*ret_text = text;
	*ret_length = length;
	text = NULL;
	return 0;
}

int file_read_fd(int fd, size_t most, char **ret_text, size_t *ret_length)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;
	int rc = file_read_some(fd, most + 1, &text, &length);

	if (!rc && length > most)
		rc = -EFBIG;
	if (rc)
		return rc;
	*ret_text = text;
	*ret_length = length;
	text = NULL;
	return 0;
}
