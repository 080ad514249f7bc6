/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/dump.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"

#define UMAD_HEADER  64u /* struct ib_user_mad_hdr of the kernel, Documentation/.../user_mad.rst */
#define LEAST_OFFSET 6u	 /* digits: od writes 6 or 7, xxd and hexdump 8 */
#define MOST_OFFSET  8u
#define BASES	     3u
#define LONGEST_WORD 4u /* maximum digits of a word after an offset without a colon */

struct reader {
	struct mad_dump *dump;
	size_t part;	   /* start of the current part */
	size_t last_line;  /* start of the bytes of the previous line */
	bool repeated;	   /* a * line followed it */
	bool offsets;	   /* lines of the part have offsets */
	unsigned int base; /* of offsets, once known: 8, 10 or 16 */
};

static bool put(struct reader *reader, unsigned char byte)
{
	struct mad_dump *dump = reader->dump;

	if (dump->byte_count == MAD_DUMP_MOST)
		return false;
	MEM_ADD(dump->bytes, dump->byte_count) = byte;
	return true;
}

static void begin_part(struct reader *reader)
{
	struct mad_dump *dump = reader->dump;

	reader->part = reader->last_line = dump->byte_count;
	reader->repeated = reader->offsets = false;
	reader->base = 0; /* another program may have written this part */
	if (dump->start_count && dump->starts[dump->start_count - 1] == dump->byte_count)
		return;
	MEM_ADD(dump->starts, dump->start_count) = dump->byte_count;
}

/* Adds pairs of digits, which colons may separate; a single digit is also a byte. */
static int put_word(struct reader *reader, const char *word, size_t length)
{
	if (length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		word += 2;
		length -= 2;
	}
	if (length == 1 && text_hex_digit(word[0]) >= 0)
		return put(reader, (unsigned char)text_hex_digit(word[0])) ? 0 : -EFBIG;
	for (size_t i = 0; i < length;) {
		int high = text_hex_digit(word[i]);
		int low = i + 1 < length ? text_hex_digit(word[i + 1]) : -1;

		if (high < 0 || low < 0)
			return -EINVAL;
		if (!put(reader, (unsigned char)(high << 4 | low)))
			return -EFBIG;
		i += 2;
		if (i < length && word[i] == ':')
			i++;
	}
	return 0;
}

/* od writes seven digits, octal or decimal; all others, and od -A x, write hexadecimal. */
static const unsigned int *bases_of(const char *offset)
{
	static const unsigned int of_od[BASES] = {8, 10, 16}, of_others[BASES] = {16, 8, 10};

	return strlen(offset) == 7 ? of_od : of_others;
}

/* The text's value in one of the possible bases, if it equals the current offset of the dump. */
static bool is_next_offset(struct reader *reader, const char *text)
{
	const unsigned int *bases = bases_of(text);
	const uint64_t here = reader->dump->byte_count - reader->part;
	uint64_t number;

	for (size_t i = 0; i < BASES; i++) {
		if (reader->base && reader->base != bases[i])
			continue;
		if (text_parse_u64(text, (int)bases[i], UINT64_MAX, &number) || number != here)
			continue;
		if (number > 9)
			reader->base = bases[i];
		return true;
	}
	return false;
}

/* Repeats the bytes of the line before the * up to the offset. */
static int repeat_to(struct reader *reader, const char *text)
{
	const struct mad_dump *dump = reader->dump;
	const size_t from = reader->last_line, size = dump->byte_count - from;
	const unsigned int *bases = bases_of(text);
	uint64_t number = 0, here = dump->byte_count - reader->part;
	bool found = false;

	for (size_t i = 0; i < BASES && !found && size; i++)
		found = (!reader->base || reader->base == bases[i]) &&
			!text_parse_u64(text, (int)bases[i], MAD_DUMP_MOST, &number) &&
			number > here && !((number - here) % size) &&
			reader->part + number <= MAD_DUMP_MOST;
	if (!found)
		return -EINVAL;
	for (uint64_t i = 0; i < number - here; i++)
		if (!put(reader, dump->bytes[from + i % size]))
			return -EFBIG;
	reader->repeated = false;
	return 0;
}

static size_t word_length(const char *text)
{
	return strcspn(text, " \t\r,");
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r,");
}

/*
 * Recognizes an offset without a colon: longer than the words after it, or alone on the last line
 * of od.
 */
static bool is_offset(const struct reader *reader, const char *word, size_t length,
		      const char *rest)
{
	size_t next = word_length(rest);

	if (length < LEAST_OFFSET || length > MOST_OFFSET || next > LONGEST_WORD ||
	    (!next && !reader->offsets))
		return false;
	for (size_t i = 0; i < length; i++)
		if (text_hex_digit(word[i]) < 0)
			return false;
	return true;
}

/*
 * Takes the offset at the beginning of a line, if there is one, and advances *text past it. It has
 * to be the current offset of the dump, or 0, which starts a new part.
 */
static int take_offset(struct reader *reader, const char **text, bool *ret_colon)
{
	const char *line = *text;
	size_t length = word_length(line);
	_cleanup_(freep) char *word = mem_format("%.*s", (int)(length < 32 ? length : 32), line);
	char *number = !strncmp(word, "0x", 2) ? word + 2 : word;
	const char *rest = skip_blanks(line + length);
	uint64_t value;

	*ret_colon = length > 1 && length < 32 && strchr(word, ':') == word + length - 1;
	if (*ret_colon)
		word[length - 1] = '\0';
	else if (!is_offset(reader, number, strlen(number), rest))
		return 0;
	if (text_parse_u64(number, 16, UINT64_MAX, &value))
		return 0;
	*text = rest;
	if (reader->repeated)
		return repeat_to(reader, number);
	if (!is_next_offset(reader, number)) {
		if (value || !*rest)
			return -EINVAL;
		begin_part(reader);
	}
	reader->offsets = true;
	return 0;
}

/* Removes the text column next to the bytes. */
static void cut_text(char *line, bool colon)
{
	char *end = strpbrk(line, "|>");

	if (end)
		*end = '\0';
	/* xxd and tcpdump -X separate it with two blanks. */
	end = colon ? strstr(line, "  ") : NULL;
	if (end)
		*end = '\0';
}

static int read_line(struct reader *reader, const char *bytes, size_t length)
{
	_cleanup_(freep) char *line = mem_alloc_zero(length + 1, 1);
	const char *text = line;
	size_t begin;
	bool colon;
	int rc;

	memcpy(line, bytes, length);
	text = skip_blanks(text);
	if (!*text) {
		begin_part(reader);
		return 0;
	}
	if (*text == '#')
		return 0;
	if (*text == '*' && !*skip_blanks(text + 1)) {
		reader->repeated = true;
		return reader->dump->byte_count > reader->last_line ? 0 : -EINVAL;
	}
	rc = take_offset(reader, &text, &colon);
	cut_text(line + (text - line), colon);
	begin = reader->dump->byte_count;
	while (!rc && *text) {
		rc = put_word(reader, text, word_length(text));
		text = skip_blanks(text + word_length(text));
	}
	if (reader->dump->byte_count > begin)
		reader->last_line = begin;
	return rc;
}

static int read_text(const char *file, size_t length, struct mad_dump *dump)
{
	struct reader reader = {.dump = dump};
	size_t number = 0;

	begin_part(&reader);
	while (length) {
		const char *end = memchr(file, '\n', length);
		size_t bytes = end ? (size_t)(end - file) : length;
		int rc = read_line(&reader, file, bytes);

		number++;
		if (rc) {
			dump->bad_line = number;
			return rc;
		}
		bytes += end != NULL;
		file += bytes;
		length -= bytes;
	}
	return dump->byte_count ? 0 : -ENODATA;
}

/*
 * A binary datagram begins with the base version, 1, and has bytes that are 0: no text, in ASCII or
 * UTF-8, has such characters.
 */
static bool is_text(const unsigned char *file, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (file[i] == 0x7f || (file[i] < ' ' && !strchr("\t\n\r", file[i])) || !file[i])
			return false;
	return true;
}

int mad_dump_read(const unsigned char *file, size_t length, struct mad_dump *ret_dump)
{
	*ret_dump = (struct mad_dump){.bytes = NULL};
	if (!length)
		return -ENODATA;
	if (is_text(file, length))
		return read_text((const char *)file, length, ret_dump);
	if (length > MAD_DUMP_MOST)
		return -EFBIG;
	ret_dump->bytes = mem_alloc_zero(length, 1);
	memcpy(ret_dump->bytes, file, length);
	ret_dump->byte_count = length;
	MEM_ADD(ret_dump->starts, ret_dump->start_count) = 0;
	return 0;
}

void mad_dump_free(struct mad_dump *dump)
{
	free(dump->bytes);
	free(dump->starts);
	*dump = (struct mad_dump){.bytes = NULL};
}

/* True if a datagram begins at `at` in each block of `step` bytes. */
static bool fits(const unsigned char *bytes, size_t count, size_t step, size_t at)
{
	if (count % step)
		return false;
	for (size_t i = at; i < count; i += step)
		if (bytes[i] != 1)
			return false;
	return true;
}

/* Reassembled segments: a reply of the SA with a table, 15.4.2. */
static bool is_table(const unsigned char *bytes, size_t count)
{
	return count > MAD_BYTES && bytes[1] == UMAD_CLASS_SUBN_ADM && (bytes[3] & 0x80) &&
	       !fits(bytes, count, MAD_BYTES, 0);
}

static void lay_out(const unsigned char *bytes, size_t count, size_t *ret_step, size_t *ret_at)
{
	*ret_at = 0;
	*ret_step = MAD_BYTES;
	if (fits(bytes, count, MAD_BYTES, 0))
		return;
	if (!(count % (UMAD_HEADER + MAD_BYTES)) &&
	    (count % MAD_BYTES || fits(bytes, count, UMAD_HEADER + MAD_BYTES, UMAD_HEADER))) {
		*ret_at = UMAD_HEADER;
		*ret_step = UMAD_HEADER + MAD_BYTES;
	} else if (is_table(bytes, count)) {
		*ret_step = count;
	}
}

bool mad_dump_next(struct mad_dump *dump, struct mad_piece *ret_piece)
{
	struct mad_dump_cursor *cursor = &dump->cursor;
	size_t left;

	while (cursor->at == cursor->end) {
		size_t part = cursor->part;

		if (part == dump->start_count)
			return false;
		cursor->at = dump->starts[part];
		cursor->end = ++cursor->part < dump->start_count ? dump->starts[part + 1]
								 : dump->byte_count;
		if (cursor->at < cursor->end)
			lay_out(dump->bytes + cursor->at, cursor->end - cursor->at, &cursor->step,
				&cursor->skip);
	}
	left = cursor->end - cursor->at;
	left = left < cursor->step ? left : cursor->step;
	*ret_piece = (struct mad_piece){cursor->at + cursor->skip, left - cursor->skip};
	cursor->at += left;
	return true;
}
