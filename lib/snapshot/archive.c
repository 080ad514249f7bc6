/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"

LIBRARY_NOTE(LIBARCHIVE, "snapshot", "snapshot, diff and --root FILE");

/* The library has no symbol versions. */
#define ARCHIVE_FUNCTIONS(MUST)                           \
	MUST(archive_read_new, NULL)                      \
	MUST(archive_read_free, NULL)                     \
	MUST(archive_read_support_format_tar, NULL)       \
	MUST(archive_read_support_filter_gzip, NULL)      \
	MUST(archive_read_support_filter_xz, NULL)        \
	MUST(archive_read_support_filter_zstd, NULL)      \
	MUST(archive_read_open, NULL)                     \
	MUST(archive_read_next_header, NULL)              \
	MUST(archive_read_data, NULL)                     \
	MUST(archive_entry_new, NULL)                     \
	MUST(archive_entry_free, NULL)                    \
	MUST(archive_entry_clear, NULL)                   \
	MUST(archive_entry_pathname, NULL)                \
	MUST(archive_entry_symlink, NULL)                 \
	MUST(archive_entry_hardlink, NULL)                \
	MUST(archive_entry_filetype, NULL)                \
	MUST(archive_entry_size, NULL)                    \
	MUST(archive_entry_set_pathname, NULL)            \
	MUST(archive_entry_set_symlink, NULL)             \
	MUST(archive_entry_set_filetype, NULL)            \
	MUST(archive_entry_set_perm, NULL)                \
	MUST(archive_entry_set_size, NULL)                \
	MUST(archive_entry_set_mtime, NULL)               \
	MUST(archive_write_new, NULL)                     \
	MUST(archive_write_free, NULL)                    \
	MUST(archive_write_set_format_gnutar, NULL)       \
	MUST(archive_write_add_filter_gzip, NULL)         \
	MUST(archive_write_add_filter_xz, NULL)           \
	MUST(archive_write_add_filter_zstd, NULL)         \
	MUST(archive_write_add_filter_none, NULL)         \
	MUST(archive_write_set_bytes_in_last_block, NULL) \
	MUST(archive_write_open, NULL)                    \
	MUST(archive_write_header, NULL)                  \
	MUST(archive_write_data, NULL)                    \
	MUST(archive_write_close, NULL)                   \
	MUST(archive_errno, NULL)

struct archive_functions {
	ARCHIVE_FUNCTIONS(LIBRARY_MEMBER)
};

#define LIBRARY_RECORD struct archive_functions

static const struct library_symbol symbols[] = {ARCHIVE_FUNCTIONS(LIBRARY_MUST)};

char *archive_hint(int error)
{
	return library_hint(LIBARCHIVE, error,
			    "install libarchive13 (Debian), libarchive13t64 (Ubuntu) or libarchive "
			    "(Fedora, RHEL)");
}

enum {
	READ_BLOCK = 1 << 16,
	READ_PIECE = 1 << 20,
	/* tar(5) */
	TAR_BLOCK = 512,
	TAR_MAGIC_AT = 257,
	/* The largest snapshot that is allowed takes some 10 s on a slow machine. */
	MOST_MSEC = 120 * 1000,
};

bool archive_choose_filter(const char *path, enum archive_filter *ret_filter)
{
	static const struct {
		const char *end;
		enum archive_filter filter;
	} names[] = {
		{".tar.zst", ARCHIVE_ZSTD}, {".tzst", ARCHIVE_ZSTD}, {".tar.gz", ARCHIVE_GZIP},
		{".tgz", ARCHIVE_GZIP},	    {".tar.xz", ARCHIVE_XZ}, {".txz", ARCHIVE_XZ},
		{".tar", ARCHIVE_PLAIN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (text_ends_with(path, names[i].end)) {
			*ret_filter = names[i].filter;
			return true;
		}
	return false;
}

struct output {
	struct archive_functions call;
	struct archive *archive;
	struct archive_entry *entry;
	FILE *file;
	const struct signals *signals;
	uint64_t end_msec;
	int error; /* of the file */
};

static la_ssize_t write_block(struct archive *archive, void *context, const void *bytes,
			      size_t length)
{
	struct output *output = context;

	(void)archive;
	if (clock_msec() > output->end_msec)
		output->error = -ETIMEDOUT;
	else if (signals_wait(output->signals, 0))
		output->error = -EINTR;
	else if (fwrite(bytes, 1, length, output->file) != length)
		output->error = errno ? -errno : -EIO;
	return output->error ? -1 : (la_ssize_t)length;
}

/* For a compression that it was built without, the library would start a program, zstd or xz. */
static int add_filter(struct output *output, enum archive_filter filter)
{
	const struct archive_functions *call = &output->call;
	int (*const adders[])(struct archive *) = {
		[ARCHIVE_PLAIN] = call->archive_write_add_filter_none,
		[ARCHIVE_ZSTD] = call->archive_write_add_filter_zstd,
		[ARCHIVE_GZIP] = call->archive_write_add_filter_gzip,
		[ARCHIVE_XZ] = call->archive_write_add_filter_xz,
	};

	return adders[filter](output->archive) == ARCHIVE_OK ? 0 : -ENOTSUP;
}

/* The error of the file, or else the library's. */
static int output_error(const struct output *output)
{
	const int error = output->call.archive_errno(output->archive);

	if (output->error)
		return output->error;
	return error > 0 ? -error : -EIO;
}

static int write_content(struct output *output, const struct content *content, int64_t time)
{
	static const unsigned int types[] = {
		[CONTENT_FILE] = AE_IFREG, [CONTENT_LINK] = AE_IFLNK, [CONTENT_FOLDER] = AE_IFDIR};
	const struct archive_functions *call = &output->call;
	struct archive_entry *entry = call->archive_entry_clear(output->entry);
	_cleanup_(freep) char *path = mem_format(SNAPSHOT_FOLDER "/%s", content->path);

	call->archive_entry_set_pathname(entry, path);
	call->archive_entry_set_filetype(entry, types[content->kind]);
	call->archive_entry_set_perm(entry, content->kind == CONTENT_FILE ? 0644 : 0755);
	call->archive_entry_set_mtime(entry, (time_t)time, 0);
	if (content->kind == CONTENT_LINK)
		call->archive_entry_set_symlink(entry, content->bytes);
	if (content->kind == CONTENT_FILE)
		call->archive_entry_set_size(entry, (la_int64_t)content->length);
	if (call->archive_write_header(output->archive, entry) < ARCHIVE_WARN)
		return output_error(output);
	if (content->kind != CONTENT_FILE || !content->length)
		return 0;
	if (call->archive_write_data(output->archive, content->bytes, content->length) !=
	    (la_ssize_t)content->length)
		return output_error(output);
	return 0;
}

static int write_contents(struct output *output, const struct contents *contents, int64_t time)
{
	int rc = 0;

	if (output->call.archive_write_open(output->archive, output, NULL, write_block, NULL) !=
	    ARCHIVE_OK)
		return output_error(output);
	for (size_t i = 0; !rc && i < contents->count; i++)
		rc = write_content(output, &contents->items[i], time);
	if (!rc && output->call.archive_write_close(output->archive) != ARCHIVE_OK)
		rc = output_error(output);
	return rc;
}

int archive_write(FILE *file, enum archive_filter filter, const struct contents *contents,
		  int64_t time, const struct signals *signals)
{
	struct output output = {
		.file = file, .signals = signals, .end_msec = clock_msec() + MOST_MSEC};
	int rc = library_open(LIBARCHIVE, symbols, ARRAY_SIZE(symbols), &output.call);

	if (rc)
		return rc;
	output.archive = mem_check(output.call.archive_write_new());
	output.entry = mem_check(output.call.archive_entry_new());
	/* The format of GNU tar keeps names unchanged, whatever bytes they contain. */
	output.call.archive_write_set_format_gnutar(output.archive);
	/* No zeros after the compressed data. */
	output.call.archive_write_set_bytes_in_last_block(output.archive, 1);
	rc = add_filter(&output, filter) ?: write_contents(&output, contents, time);
	output.call.archive_entry_free(output.entry);
	output.call.archive_write_free(output.archive);
	return rc;
}

struct input {
	struct archive_functions call;
	struct archive *archive;
	struct archive_entry *entry; /* owned by the library */
	struct member_sum sum;
	uint64_t end_msec;
	int fd, error; /* of the file */
	char block[READ_BLOCK];
	int (*take)(void *context, const struct content *content);
	void *context;
	char *why;
};

/* As in add_filter(): only what the library can do without another program. */
static void support(struct input *input, int (*filter)(struct archive *))
{
	struct archive *trial = mem_check(input->call.archive_read_new());

	if (filter(trial) == ARCHIVE_OK)
		filter(input->archive);
	input->call.archive_read_free(trial);
}

static enum content_kind kind_of(const struct input *input)
{
	if (input->call.archive_entry_hardlink(input->entry))
		return CONTENT_HARD_LINK;
	switch (input->call.archive_entry_filetype(input->entry)) {
	case AE_IFREG:
		return CONTENT_FILE;
	case AE_IFLNK:
		return CONTENT_LINK;
	case AE_IFDIR:
		return CONTENT_FOLDER;
	default:
		return CONTENT_OTHER;
	}
}

static int refuse(struct input *input, const char *path, const char *why)
{
	_cleanup_(freep) char *clean = path ? text_clean(path, strlen(path)) : mem_string("?");

	input->why = mem_format("is refused: its member '%.100s' %s", clean, why);
	return -EBADMSG;
}

/* The library may replace the error of the file by its own: "truncated gzip input". */
static la_ssize_t read_block(struct archive *archive, void *context, const void **ret_bytes)
{
	struct input *input = context;
	ssize_t length;

	(void)archive;
	do
		length = read(input->fd, input->block, READ_BLOCK);
	while (length < 0 && errno == EINTR);
	if (length < 0)
		input->error = -errno;
	*ret_bytes = input->block;
	return length;
}

static int damaged(struct input *input)
{
	if (input->error)
		return input->error;
	if (input->call.archive_errno(input->archive) == ENOMEM)
		return -ENOMEM;
	input->why = mem_string(input->sum.count ? "is damaged or cut off"
						 : "is not an archive, or is damaged");
	return -EBADMSG;
}

/* Reads no more than the header has announced; less means that the end is missing. */
static int read_bytes(struct input *input, size_t length, char **ret_bytes)
{
	_cleanup_(freep) char *bytes = NULL;
	size_t have = 0;

	do {
		const size_t most = have > READ_PIECE ? have : READ_PIECE;
		const size_t piece = length - have < most ? length - have : most;
		la_ssize_t got;

		/*
		 * Memory is allocated as the data arrive, doubling each time: a header alone costs
		 * nothing, and data are copied only a few times.
		 */
		bytes = mem_resize(bytes, have + piece + 1, 1);
		got = piece ? input->call.archive_read_data(input->archive, bytes + have, piece)
			    : 0;
		if (got < 0 || (piece && !got))
			return damaged(input);
		have += (size_t)got;
		if (clock_msec() > input->end_msec)
			return -ETIMEDOUT;
	} while (have < length);
	bytes[length] = '\0';
	*ret_bytes = bytes;
	bytes = NULL;
	return 0;
}

static int read_member(struct input *input)
{
	const struct archive_functions *call = &input->call;
	const char *place = call->archive_entry_pathname(input->entry);
	const char *target = call->archive_entry_symlink(input->entry), *why;
	struct content content = {.kind = kind_of(input)};
	const bool is_file = content.kind == CONTENT_FILE;
	/* A negative size is larger than any. */
	const uint64_t size = is_file ? (uint64_t)call->archive_entry_size(input->entry) : 0;
	_cleanup_(freep) char *path = NULL, *bytes = NULL;
	int rc = 0;

	why = member_refuse(&input->sum, content.kind, place, target, size);
	if (why)
		return refuse(input, place, why);
	path = mem_string(member_inner_path(place));
	if (*path && path[strlen(path) - 1] == '/')
		path[strlen(path) - 1] = '\0';
	if (!*path)
		return 0;
	if (is_file)
		rc = read_bytes(input, (size_t)size, &bytes);
	else
		bytes = mem_string(content.kind == CONTENT_LINK ? target : "");
	if (rc)
		return rc;
	content.path = path;
	content.bytes = bytes;
	content.length = is_file ? (size_t)size : strlen(bytes);
	rc = input->take(input->context, &content);
	if (rc == -EEXIST || rc == -ENOTDIR)
		return refuse(input, place, "appears twice, or is both a file and a folder");
	return rc;
}

static int read_members(struct input *input)
{
	int rc = 0;

	for (;;) {
		const int got = input->call.archive_read_next_header(input->archive, &input->entry);

		if (got == ARCHIVE_EOF)
			break;
		if (got < ARCHIVE_WARN)
			return damaged(input);
		rc = read_member(input);
		if (!rc && clock_msec() > input->end_msec)
			rc = -ETIMEDOUT;
		if (rc)
			return rc;
	}
	/* To the library, an error between two parts of compressed data looks like their end. */
	if (input->error)
		return input->error;
	if (!input->sum.count) {
		input->why = mem_string("is empty");
		return -EBADMSG;
	}
	return 0;
}

static int open_and_read(struct input *input)
{
	input->call.archive_read_support_format_tar(input->archive);
	support(input, input->call.archive_read_support_filter_gzip);
	support(input, input->call.archive_read_support_filter_xz);
	support(input, input->call.archive_read_support_filter_zstd);
	if (input->call.archive_read_open(input->archive, input, NULL, read_block, NULL) !=
	    ARCHIVE_OK)
		return damaged(input);
	return read_members(input);
}

/*
 * A tar archive ends with two blocks of zeros, but the library does not notice if they are missing:
 * a file cut off between two members would look like a complete one with fewer. Compressed data
 * have their own end.
 */
static bool has_end(struct input *input, off_t size)
{
	static const char zeros[2 * TAR_BLOCK], magic[] = "ustar";
	const off_t end = size - (off_t)sizeof(zeros);
	char block[sizeof(zeros)];
	ssize_t length = pread(input->fd, block, TAR_BLOCK, 0);

	if (length >= 0 &&
	    (length < TAR_BLOCK || memcmp(block + TAR_MAGIC_AT, magic, strlen(magic))))
		return true;
	if (length >= 0)
		length = pread(input->fd, block, sizeof(block), end > 0 ? end : 0);
	if (length < 0)
		input->error = -errno;
	return length == (ssize_t)sizeof(block) && !memcmp(block, zeros, sizeof(zeros));
}

int archive_read(const char *path, int (*take)(void *context, const struct content *content),
		 void *context, char **ret_why)
{
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct input input = {.take = take, .context = context, .fd = fd};
	struct stat status;
	int rc;

	if (fd < 0 || fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -ENXIO;
	rc = library_open(LIBARCHIVE, symbols, ARRAY_SIZE(symbols), &input.call);
	if (rc)
		return rc;
	input.end_msec = clock_msec() + MOST_MSEC;
	input.archive = mem_check(input.call.archive_read_new());
	rc = open_and_read(&input);
	if (!rc && !has_end(&input, status.st_size))
		rc = damaged(&input);
	input.call.archive_read_free(input.archive);
	*ret_why = input.why;
	return rc;
}
