/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Management datagrams from files, whoever wrote them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/dump.h"
#include "cmd/mad/mad_run.h"

/* Text takes up to so many characters for a byte, offsets and the like included. */
#define CHARACTERS 8u

struct decode_run {
	struct listing listing;
	struct mad_decoded *decoded;
	size_t count;
};

int mad_read_file(const char *path, size_t most, unsigned char **ret_bytes, size_t *ret_count)
{
	const bool standard = !strcmp(path, "-");
	_cleanup_(closep) int opened = standard ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(freep) unsigned char *bytes = NULL;
	size_t count = 0, room = 0;
	ssize_t got;

	if (!standard && opened < 0)
		return -errno;
	do {
		if (count == room) {
			room = room ? 2 * room : 4096;
			bytes = mem_resize(bytes, room, 1);
		}
		got = read(standard ? STDIN_FILENO : opened, bytes + count, room - count);
		if (got < 0 && errno != EINTR)
			return -errno;
		count += got > 0 ? (size_t)got : 0;
		if (count > most)
			return -EFBIG;
	} while (got);
	*ret_bytes = bytes;
	bytes = NULL;
	*ret_count = count;
	return 0;
}

static void note(struct decode_run *run, const char *name, char *text, const char *hint)
{
	problem_add_text(&run->listing.problems, name, NULL, "file", text, hint);
	free(text);
}

static void note_file(struct decode_run *run, const char *name, int rc, size_t line)
{
	if (rc == -EINVAL)
		note(run, name, mem_format("line %zu is no hexadecimal dump", line),
		     "bytes as pairs of digits, an offset before them if there is one");
	else if (rc == -ENODATA)
		note(run, name, mem_string("there are no bytes in it"), NULL);
	else if (rc == -EFBIG)
		note(run, name, mem_format("more than %u bytes", MAD_DUMP_MOST), NULL);
	else
		note(run, name, mem_string(strerror(-rc)), NULL);
}

static void decode_piece(struct decode_run *run, const char *name, size_t index,
			 const unsigned char *mad, size_t bytes)
{
	struct mad_decoded decoded;
	struct mad_decoded *kept;

	if (mad_decode(mad, bytes, &decoded)) {
		note(run, name,
		     mem_format("datagram %zu is cut short: %zu bytes are less than its header",
				index, bytes),
		     NULL);
		return;
	}
	decoded.object = mem_string(name);
	decoded.index = number_of(index);
	kept = mem_append(&run->decoded, &run->count, sizeof(*kept));
	*kept = decoded;
	if (bytes < MAD_BYTES)
		note(run, name,
		     mem_format("datagram %zu is cut short: %zu of 256 bytes", index, bytes), NULL);
}

static void decode_file(struct decode_run *run, const char *path)
{
	_cleanup_(freep) char *name = !strcmp(path, "-") ? mem_string("stdin")
							 : text_clean(path, strlen(path));
	_cleanup_(freep) unsigned char *file = NULL;
	struct mad_dump dump = {.bytes = NULL};
	struct mad_piece piece;
	size_t length, index = 0;
	int rc = mad_read_file(path, MAD_DUMP_MOST * CHARACTERS, &file, &length);

	if (!rc)
		rc = mad_dump_read(file, length, &dump);
	if (rc)
		note_file(run, name, rc, dump.bad_line);
	while (!rc && mad_dump_next(&dump, &piece))
		decode_piece(run, name, index++, dump.bytes + piece.at, piece.bytes);
	mad_dump_free(&dump);
}

int mad_decode_files(const struct ctx *ctx, const struct mad_command_args *args, char **words)
{
	struct decode_run run = {.decoded = NULL};
	int status;

	if (listing_begin_as(&run.listing, ctx, &mads_schema, false)) {
		if (!words[0])
			listing_fail(&run.listing, STATUS_USAGE, "decode needs a file",
				     "- is standard input: rdmactl mad decode - <dump");
		for (; *words; words++)
			decode_file(&run, *words);
		if (!run.count && run.listing.status == STATUS_DONE)
			run.listing.status = STATUS_FAILED;
	}
	if (mad_show_wanted(ctx)) {
		for (size_t i = 0; i < run.count; i++)
			mad_show(ctx, &run.decoded[i], args->raw, !i);
		status = listing_end_quietly(&run.listing, 0);
	} else {
		for (size_t i = 0; i < run.count; i++)
			listing_add(&run.listing, &run.decoded[i]);
		status = listing_end(&run.listing);
	}
	for (size_t i = 0; i < run.count; i++)
		mad_decoded_clear(&run.decoded[i]);
	free(run.decoded);
	return status;
}
