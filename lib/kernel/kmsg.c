/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/sysfs.h"

/* CONSOLE_EXT_LOG_MAX, include/linux/printk.h: a read with less room than its record fails. */
#define LARGEST_RECORD 8192

/* More lines than fit the largest log of distributions, 2 MiB (CONFIG_LOG_BUF_SHIFT). */
#define MOST_RECORDS 100000

/* Device number of /dev/kmsg: devlist[], drivers/char/mem.c. */
enum { MEM_MAJOR = 1, KMSG_MINOR = 11 };

/* Parses a number that must end with `end`, and advances past that. */
static int take_number(const char **at, const char *limit, char end, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *start = *at;

	for (; *at < limit && **at >= '0' && **at <= '9'; (*at)++) {
		if (value > (UINT64_MAX - 9) / 10)
			return -EBADMSG;
		value = value * 10 + (uint64_t)(**at - '0');
	}
	if (*at == start || *at == limit || **at != end)
		return -EBADMSG;
	(*at)++;
	*ret_value = value;
	return 0;
}

/* Looks for " DEVICE=+pci:0000:3b:00.0" on a separate line after the text. */
static void find_device(const char *at, const char *limit, struct kmsg_record *record)
{
	static const char key[] = " DEVICE=";
	const size_t length = sizeof(key) - 1;

	while (at < limit) {
		const char *end = memchr(at, '\n', (size_t)(limit - at));

		if (!end)
			end = limit;
		if ((size_t)(end - at) > length && !memcmp(at, key, length)) {
			record->device = at + length;
			record->device_length = (size_t)(end - at) - length;
		}
		at = end + 1;
	}
}

/* "6,339,5140900,-;text"; later kernels may add fields: Documentation/ABI/testing/dev-kmsg. */
int kmsg_parse(const char *bytes, size_t length, struct kmsg_record *ret_record)
{
	const char *at = bytes, *limit = bytes + length, *end;
	struct kmsg_record record = {.device = NULL};
	uint64_t priority, sequence;

	if (take_number(&at, limit, ',', &priority) || take_number(&at, limit, ',', &sequence) ||
	    take_number(&at, limit, ',', &record.usec))
		return -EBADMSG;
	at = memchr(at, ';', (size_t)(limit - at));
	if (!at)
		return -EBADMSG;
	at++;
	end = memchr(at, '\n', (size_t)(limit - at));
	record.level = priority & 7;
	record.facility = (unsigned int)(priority >> 3);
	record.text = at;
	record.text_length = (size_t)((end ? end : limit) - at);
	if (end)
		find_device(end + 1, limit, &record);
	*ret_record = record;
	return 0;
}

static int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat status;

	if (fd < 0)
		return -errno;
	/* Some containers have put the console there, where reading swallows what is typed. */
	if (!fstat(fd, &status) && S_ISCHR(status.st_mode) &&
	    status.st_rdev == makedev(MEM_MAJOR, KMSG_MINOR))
		return fd;
	close(fd);
	return -ENXIO;
}

/* Length of a record in a snapshot's file: its line, and the next ones that begin with a blank. */
static size_t record_length(const char *text)
{
	const char *at = text;

	do {
		at += strcspn(at, "\n");
		at += *at == '\n';
	} while (*at == ' ');
	return (size_t)(at - text);
}

static int read_recorded(const struct root *root, kmsg_taker *take, void *context)
{
	const struct root folder = {.fd = root->snapshot};
	_cleanup_(freep) char *text = NULL;
	int rc = root->recorded ? sysfs_read_file(&folder, &text, "kmsg") : -ENODATA;
	size_t length;

	if (rc)
		return rc == -ENOENT ? -ENODATA : rc;
	for (const char *at = text; *at; at += length) {
		struct kmsg_record record;

		length = record_length(at);
		if (!kmsg_parse(at, length, &record) && !record.facility)
			take(context, &record);
	}
	return 0;
}

static int read_live(kmsg_taker *take, void *context)
{
	_cleanup_(closep) int fd = open_log();
	struct kmsg_record record;
	char bytes[LARGEST_RECORD];

	if (fd < 0)
		return fd;
	for (unsigned int count = 0; count < MOST_RECORDS; count++) {
		const ssize_t length = read(fd, bytes, sizeof(bytes));

		/* EPIPE: lines were overwritten meanwhile; reading resumes at the oldest left. */
		if (length < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (length < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		if (!length)
			return 0;
		if (!kmsg_parse(bytes, (size_t)length, &record) && !record.facility)
			take(context, &record);
	}
	return 0;
}

int kmsg_read(const struct root *root, kmsg_taker *take, void *context)
{
	return !root || root->live ? read_live(take, context) : read_recorded(root, take, context);
}
