/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Dumps in the formats of od, xxd, hexdump and tcpdump, line by line: which bytes and parts they
 * have, which line is invalid, and where the datagrams are.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/decode.h"
#include "mad/format/dump.h"

static int read_text(const char *text, struct mad_dump *dump)
{
	return mad_dump_read((const unsigned char *)text, strlen(text), dump);
}

/* Texts, and the bytes they represent. */
static void words_and_offsets(void **state)
{
	static const struct {
		const char *text, *bytes;
	} rows[] = {
		/* Words: digit pairs, a single digit, 0x, colons, commas, blanks. */
		{"01 02\n", "0102"},
		{"0102 a\n", "01020a"},
		{"0x1, 0X2, 0xfF,\n", "0102ff"},
		{"0x0, 00, 0\n", "000000"},
		{"01:02:ff 03\r\n", "0102ff03"},
		{"\t01020304a0b0c0d0\n", "01020304a0b0c0d0"},
		{"# a comment\n01\n  # another 02\n", "01"},
		{"01 02 | text\n03 >xyz<\n", "010203"},
		{"01", "01"},
		{"01\na\n", "010a"},
		/*
		 * od: offsets of seven octal or decimal digits, or six hexadecimal ones; and a lone
		 * final offset.
		 */
		{"0000000 01 02\n0000002\n", "0102"},
		{"0000000 00 01 02 03 04 05 06 07\n0000010 08 09\n0000012\n",
		 "00010203040506070809"},
		{"0000000 00 01 02 03 04 05 06 07 08 09\n0000010 10 11\n0000012\n",
		 "000102030405060708091011"},
		{"000000 00 01 02 03 04 05 06 07 08 09\n00000a 10 11\n",
		 "000102030405060708091011"},
		/* Once known, the base stays the same: in octal, 12 is ten and 14 is twelve. */
		{"0000000 00 01 02 03 04 05 06 07 08 09\n0000012 0a 0b\n0000014 0c\n",
		 "000102030405060708090a0b0c"},
		/* xxd, tcpdump and hexdump, with the text they print beside the bytes. */
		{"00000000: 0102 0304  abcd\n00000004: 05  .\n", "0102030405"},
		{"\t0x0000:  0102 0304  ..\n\t0x0004:  0506\n", "010203040506"},
		{"00000000  01 02 03  04 05  |.....|\n00000005\n", "0102030405"},
		{"0: 01 02\n2: 03\n", "010203"},
		/* A line is repeated up to the next offset. */
		{"0000000 01 02\n*\n0000006 03\n", "01020102010203"},
		{"000000 01 02\n*\n000004\n", "01020102"},
		{"0000000 01 02\n * \n0000004 03 04\n*\n0000010\n", "0102010203040304"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mad_dump dump;
		_cleanup_(freep) char *hex = NULL;
		int rc = read_text(rows[i].text, &dump);

		if (rc)
			fail_msg("'%s': %d in line %zu", rows[i].text, rc, dump.bad_line);
		hex = mem_alloc_zero(dump.byte_count + 1, 2);
		text_write_hex(hex, dump.bytes, dump.byte_count);
		if (strcmp(hex, rows[i].bytes) || dump.start_count != 1)
			fail_msg("'%s': %s, %zu parts", rows[i].text, hex, dump.start_count);
		mad_dump_free(&dump);
	}
}

static void wrong_lines(void **state)
{
	static const struct {
		const char *text;
		int rc;
		size_t line;
	} rows[] = {
		{"", -ENODATA, 0},
		{"\n \n# x\n", -ENODATA, 0},
		{"01\n\n02 x\n", -EINVAL, 3},
		{"g\n", -EINVAL, 1},
		{"012\n", -EINVAL, 1},
		{"0g\n", -EINVAL, 1},
		{"01::02\n", -EINVAL, 1},
		{"0x\n", -EINVAL, 1},
		{"*\n", -EINVAL, 1},
		{"01\n* 02\n", -EINVAL, 2},
		{"01\n\n*\n", -EINVAL, 3},
		/* An offset that does not match the bytes in any base. */
		{"0000000 01 02\n0000003 03\n", -EINVAL, 2},
		{"0000000 01 02\n0000003\n", -EINVAL, 2},
		{"0000000 01 02\n0000000\n", -EINVAL, 2},
		{"00000000: 01\n00000002: 02\n", -EINVAL, 2},
		/* Octal before, decimal here. */
		{"0000000 00 01 02 03 04 05 06 07 08 09\n0000012 0a 0b\n0000012 0c\n", -EINVAL, 3},
		/* The next offset is not a whole number of lines away, or lies before. */
		{"0000000 01 02\n*\n0000005 03\n", -EINVAL, 3},
		{"0000000 01 02\n*\n0000002 03\n", -EINVAL, 3},
		{"0000000 01 02\n*\n0000000 03\n", -EINVAL, 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mad_dump dump;
		int rc = read_text(rows[i].text, &dump);

		if (rc != rows[i].rc || dump.bad_line != rows[i].line)
			fail_msg("'%s': %d, line %zu", rows[i].text, rc, dump.bad_line);
		mad_dump_free(&dump);
	}
}

/* Empty lines and offsets of 0 begin a new part; offsets count from there, in a base per part. */
static void parts(void **state)
{
	static const char text[] = "\n\n0000000 00 01 02 03 04 05 06 07 08 09\n0000012 0a\n"
				   "0000000 10 11 12 13 14 15 16 17 18 19\n00000a: 1a\n\n\n"
				   "20\n\n0000000 30\n0000001\n";
	static const size_t starts[] = {0, 11, 22, 23};
	struct mad_dump dump;

	(void)state;
	assert_int_equal(read_text(text, &dump), 0);
	assert_int_equal(dump.byte_count, 24);
	assert_int_equal(dump.start_count, ARRAY_SIZE(starts));
	assert_memory_equal(dump.starts, starts, sizeof(starts));
	assert_int_equal(dump.bytes[23], 0x30);
	mad_dump_free(&dump);
}

/* The largest input, in text and in binary; one more byte is too much. */
static void the_most(void **state)
{
	const size_t digits = 2 * (size_t)MAD_DUMP_MOST;
	_cleanup_(freep) char *text = mem_alloc_zero(digits + 4, 1);
	struct mad_dump dump;

	(void)state;
	memset(text, '5', digits);
	memcpy(text + digits, " 01", 3);
	for (size_t more = 0; more < 2; more++) {
		const unsigned char *file = (const unsigned char *)text;

		assert_int_equal(mad_dump_read(file, digits + (more ? 3 : 0), &dump),
				 more ? -EFBIG : 0);
		assert_int_equal(dump.byte_count, MAD_DUMP_MOST);
		mad_dump_free(&dump);
	}
	memset(text, 1, digits);
	for (size_t more = 0; more < 2; more++) {
		const unsigned char *file = (const unsigned char *)text;

		assert_int_equal(mad_dump_read(file, MAD_DUMP_MOST + more, &dump),
				 more ? -EFBIG : 0);
		mad_dump_free(&dump);
	}
}

/* Bytes that make a file binary because no text, in ASCII or UTF-8, contains them. */
static void binary(void **state)
{
	(void)state;
	for (unsigned int byte = 0; byte < 256; byte++) {
		const unsigned char file[] = {'0', '1', (unsigned char)byte};
		bool text = byte == '\t' || byte == '\n' || byte == '\r' ||
			    (byte >= ' ' && byte != 0x7f);
		struct mad_dump dump;
		int rc = mad_dump_read(file, sizeof(file), &dump);

		if (!text)
			assert_int_equal(rc, 0);
		assert_int_equal(dump.byte_count == sizeof(file), !text);
		mad_dump_free(&dump);
	}
}

/* A file of `count` blocks of `step` bytes, each with a datagram at offset `at`. */
static void check_pieces(size_t count, size_t step, size_t at, size_t extra, size_t wanted,
			 size_t last)
{
	size_t bytes = count * step + extra, found = 0;
	_cleanup_(freep) unsigned char *file = mem_alloc_zero(bytes, 1);
	struct mad_piece piece = {0};
	struct mad_dump dump;

	for (size_t i = at; i < bytes; i += step)
		file[i] = 1;
	assert_int_equal(mad_dump_read(file, bytes, &dump), 0);
	while (mad_dump_next(&dump, &piece)) {
		assert_int_equal(piece.at, found * step + at);
		found++;
	}
	assert_int_equal(found, wanted);
	assert_int_equal(piece.bytes, last);
	mad_dump_free(&dump);
}

/* Datagrams of 256 bytes, with and without the 64 bytes of the umad header; the last one is cut. */
static void datagrams(void **state)
{
	(void)state;
	check_pieces(1, 256, 0, 0, 1, 256);
	check_pieces(3, 256, 0, 0, 3, 256);
	check_pieces(3, 256, 0, 10, 4, 10);
	check_pieces(0, 256, 0, 24, 1, 24);
	check_pieces(1, 320, 64, 0, 1, 256);
	check_pieces(2, 320, 64, 0, 2, 256);
	/* Five blocks of 256 bytes have the same size as four of 320. */
	check_pieces(5, 256, 0, 0, 5, 256);
	check_pieces(4, 320, 64, 0, 4, 256);
}

/* Reassembled segments, 15.4.2: one piece if it cannot be datagrams, and is an SA reply. */
static void tables(void **state)
{
	static const struct {
		unsigned int mgmt_class, method;
		size_t bytes, pieces;
	} rows[] = {
		{3, 0x92, 600, 1}, {3, 0x92, 257, 1}, {3, 0x92, 256, 1},
		{3, 0x12, 600, 3}, {4, 0x92, 600, 3}, {3, 0x92, 512, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) unsigned char *file = mem_alloc_zero(rows[i].bytes, 1);
		struct mad_piece piece;
		struct mad_dump dump;
		size_t pieces = 0;

		file[0] = 1;
		file[1] = (unsigned char)rows[i].mgmt_class;
		file[3] = (unsigned char)rows[i].method;
		assert_int_equal(mad_dump_read(file, rows[i].bytes, &dump), 0);
		while (mad_dump_next(&dump, &piece))
			pieces++;
		if (pieces != rows[i].pieces)
			fail_msg("row %zu: %zu pieces", i, pieces);
		mad_dump_free(&dump);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_offsets),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(parts),
		cmocka_unit_test(the_most),
		cmocka_unit_test(binary),
		cmocka_unit_test(datagrams),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests_name("mad_dump", tests, NULL, NULL);
}
