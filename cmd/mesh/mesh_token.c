/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The token of a run, which nobody but its agents may see: it is passed in the environment of the
 * launcher, in the first line of its standard input, or in a file that only its owner can read;
 * never on a command line.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mesh/mesh_run.h"

#define RANDOM_BYTES 24
#define INPUT_MSEC   5000

_Static_assert(2 * RANDOM_BYTES < MESH_TOKEN_BYTES, "the token fits");

int mesh_token_make(char token[static MESH_TOKEN_BYTES])
{
	uint8_t bytes[RANDOM_BYTES];

	/* So few bytes come all at once, see getrandom(2). */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -EIO;
	text_write_hex(token, bytes, sizeof(bytes));
	return 0;
}

/*
 * Takes a word that can be compared and passed on. Returns false if it is empty, too long, or has
 * blanks or unprintable characters.
 */
static bool take_word(const char *text, char token[static MESH_TOKEN_BYTES])
{
	const size_t length = strcspn(text, "\r\n");

	if (!length || length >= MESH_TOKEN_BYTES)
		return false;
	for (size_t i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	memcpy(token, text, length);
	token[length] = '\0';
	return true;
}

static char *explain_file(const char *path, const char *why)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	return mem_format("cannot take the token from %s: %s", clean, why);
}

static int read_file(const char *path, char token[static MESH_TOKEN_BYTES], char **ret_reason)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char text[MESH_TOKEN_BYTES + 2] = "";
	struct stat status;
	ssize_t got;

	if (fd < 0 || fstat(fd, &status)) {
		int rc = -errno;

		*ret_reason = explain_file(path, strerror(-rc));
		return rc;
	}
	if (!S_ISREG(status.st_mode) || status.st_mode & (S_IRWXG | S_IRWXO) ||
	    (status.st_uid != geteuid() && status.st_uid)) {
		*ret_reason = explain_file(path, "it must be a regular file of this user that "
						 "nobody else may read: chmod 600");
		return -EPERM;
	}
	got = read(fd, text, sizeof(text) - 1);
	if (got < 0 || !take_word(text, token)) {
		*ret_reason = explain_file(path, "it does not hold one word of at most 63 bytes");
		return -EINVAL;
	}
	return 0;
}

int mesh_token_file(const char *path, char token[static MESH_TOKEN_BYTES], bool *ret_made,
		    char **ret_reason)
{
	_cleanup_(closep) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
					S_IRUSR | S_IWUSR);
	ssize_t wrote;
	int rc;

	if (fd < 0 && errno == EEXIST)
		return read_file(path, token, ret_reason);
	if (fd < 0) {
		rc = -errno;
		*ret_reason = explain_file(path, strerror(-rc));
		return rc;
	}
	*ret_made = true;
	rc = mesh_token_make(token);
	if (!rc) {
		wrote = write(fd, token, strlen(token));
		if (wrote != (ssize_t)strlen(token))
			rc = wrote < 0 ? -errno : -EIO;
	}
	if (rc)
		*ret_reason = explain_file(path, strerror(-rc));
	return rc;
}

/* Reads the first line in a bounded time: a launcher may leave standard input open and empty. */
static bool read_input(char token[static MESH_TOKEN_BYTES])
{
	const uint64_t end = clock_msec() + INPUT_MSEC;
	char text[MESH_TOKEN_BYTES + 1] = "";
	size_t length = 0;
	struct stat status;

	/* A terminal belongs to the user, and a file or device has nothing for us. */
	if (fstat(STDIN_FILENO, &status) ||
	    (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)))
		return false;
	while (length < MESH_TOKEN_BYTES && !strchr(text, '\n')) {
		struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
		ssize_t got;

		if (poll(&input, 1, clock_msec_until(end)) <= 0)
			return false;
		got = read(STDIN_FILENO, text + length, 1);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	return take_word(text, token);
}

int mesh_token_find(const char *path, bool from_input, char token[static MESH_TOKEN_BYTES],
		    char **ret_reason)
{
	const char *word = getenv("RDMACTL_TOKEN");

	if (word && take_word(word, token))
		return 0;
	if (word && *word) {
		*ret_reason = mem_string("RDMACTL_TOKEN: the token is not one word of at most 63 "
					 "bytes");
		return -EINVAL;
	}
	if (path)
		return read_file(path, token, ret_reason);
	return from_input && read_input(token) ? 0 : -ENOENT;
}
