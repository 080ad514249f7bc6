/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text for other programs and for terminals: widths, cuts, units, hexadecimal digits, quotes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"

static void amounts(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} samples[] = {
		{0, "0 bytes"},
		{1, "1 byte"},
		{1023, "1023 bytes"},
		{1024, "1 KiB"},
		{1025, "1025 bytes"},
		{1536, "1536 bytes"},
		{65536, "64 KiB"},
		{(1 << 20) - 1024, "1023 KiB"},
		{1 << 20, "1 MiB"},
		{(1 << 20) + 1, "1048577 bytes"},
		{(1 << 20) + 1024, "1025 KiB"},
		{3 << 19, "1536 KiB"},
		{UINT64_C(1) << 31, "2048 MiB"},
		{UINT64_MAX, "18446744073709551615 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = text_bytes(samples[i].bytes);

		assert_string_equal(text, samples[i].text);
	}
}

/* The characters take one, two and three bytes. */
static void cuts(void **state)
{
	static const char text[] = "a\xc3\xbc\xe2\x82\xac.";
	static const size_t lengths[] = {0, 1, 1, 3, 3, 3, 6, 7, 7, 7};

	(void)state;
	for (size_t most = 0; most < ARRAY_SIZE(lengths); most++)
		assert_int_equal(text_cut(text, most), lengths[most]);
	assert_int_equal(text_cut("", 0), 0);
	assert_int_equal(text_cut("\x80\x80", 1), 0);
}

static void widths(void **state)
{
	static const struct {
		const char *text;
		size_t columns, without; /* with character widths, and in a locale without them */
	} samples[] = {
		{"", 0, 0},
		{"mlx5_0", 6, 6},
		{"Gr\xc3\xbc\xc3\x9f", 4, 4},
		{"\xe6\x97\xa5\xe6\x9c\xac", 4, 2},
		{"e\xcc\x81t", 2, 3},
		{"\xf0\x9f\x98\x80", 2, 1},
		/* A control character, and invalid bytes. */
		{"\xc2\x80", 1, 1},
		{"a\xff\xc3", 3, 3},
	};
	const locale_t all = text_widths(), before = uselocale((locale_t)0);

	(void)state;
	if (!all)
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const size_t length = strlen(samples[i].text);

		assert_int_equal(text_width(samples[i].text, length, all), samples[i].columns);
		assert_int_equal(text_width(samples[i].text, length, (locale_t)0),
				 samples[i].without);
		assert_ptr_equal(uselocale((locale_t)0), before);
	}
	/* No more bytes than given. */
	assert_int_equal(text_width("abc", 2, all), 2);
	freelocale(all);
}

static void hex_digits(void **state)
{
	static const char digits[] = "0123456789abcdef", capitals[] = "ABCDEF";

	(void)state;
	for (int c = 0; c < 256; c++) {
		const char *digit = c ? strchr(digits, c) : NULL;
		const char *capital = c ? strchr(capitals, c) : NULL;
		const long value = digit     ? digit - digits
				   : capital ? 10 + (capital - capitals)
					     : -1;

		assert_int_equal(text_hex_digit((char)c), value);
	}
}

static void hex_bytes(void **state)
{
	static const char *const wrong[] = {"",	      "0",	"00ff7",  "00ff7a0", "00ff7a00",
					    "g0ff7a", "0gff7a", "00ff7g", "00ff 7",  "00ffg7"};
	uint8_t bytes[3] = {1, 1, 1};
	char text[7];

	(void)state;
	assert_true(text_read_hex("00ff7A", bytes, 3));
	assert_int_equal(bytes[0], 0);
	assert_int_equal(bytes[1], 0xff);
	assert_int_equal(bytes[2], 0x7a);
	text_write_hex(text, bytes, 3);
	assert_string_equal(text, "00ff7a");
	text_write_hex(text, bytes, 0);
	assert_string_equal(text, "");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(text_read_hex(wrong[i], bytes, 3));
	assert_true(text_read_hex("", bytes, 0));
}

/* Returns the word as a shell reads it. */
static char *as_a_shell_reads(const char *word)
{
	_cleanup_(freep) char *command = mem_format("printf '%%s' %s", word);
	char *text = mem_alloc_zero(512, 1);
	FILE *pipe = popen(command, "re");

	assert_non_null(pipe);
	fread(text, 1, 511, pipe);
	assert_int_equal(pclose(pipe), 0);
	return text;
}

static void quotes(void **state)
{
	static const struct {
		const char *text, *quoted;
	} samples[] = {
		{"", "''"},	  {"mlx5_0/1", "mlx5_0/1"},
		{"a b", "'a b'"}, {"it's", "'it'\\''s'"},
		{"'", "''\\'''"}, {"$(reboot)", "'$(reboot)'"},
		{"~", "'~'"},
	};
	char all[256] = "", *quoted, *read;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *text = text_quote(samples[i].text);

		assert_string_equal(text, samples[i].quoted);
	}
	for (int c = 1; c < 256; c++)
		all[c - 1] = (char)c;
	quoted = text_quote(all);
	read = as_a_shell_reads(quoted);
	assert_string_equal(read, all);
	free(quoted);
	free(read);
}

static void plain_words(void **state)
{
	(void)state;
	for (int c = 1; c < 256; c++) {
		const char one[] = {(char)c, '\0'}, two[] = {'a', (char)c, '\0'};
		const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
				   (c >= 'a' && c <= 'z') || strchr("_.,:=@%+/-", c);

		assert_int_equal(text_is_plain(one), plain);
		assert_int_equal(text_is_plain(two), plain);
	}
	assert_false(text_is_plain(""));
}

static void suggestions(void **state)
{
	static const char *const words[] = {"devices", "ports"};
	char *near = text_suggest("prots", words, 2, "see help");
	char *far = text_suggest("fabric", words, 2, "see help");

	(void)state;
	assert_string_equal(near, "did you mean 'ports'?");
	assert_string_equal(far, "see help");
	assert_null(text_suggest("fabric", words, 2, NULL));
	/* Two slips are a typo in a word of five letters, not in one of four. */
	assert_string_equal(text_closest("prtso", words, 2), "ports");
	assert_null(text_closest("prts", words + 1, 0));
	assert_null(text_closest("ptrs", words, 2));
	free(near);
	free(far);
}

static void ranges(void **state)
{
	static const struct {
		const char *a, *b;
		bool overlap;
	} samples[] = {
		{"", "", false},
		{"", "0", false},
		{"0", "0", true},
		{"0-3", "3", true},
		{"0-3", "4", false},
		{"0-3", "4-7", false},
		{"0-3", "3-7", true},
		{"2-5", "0-9", true},
		{"0-3,8", "8", true},
		{"0-3,8", "4-7", false},
		{"0-3,8", "4-7,9", false},
		{"1,3,5", "2,4,5", true},
		{"1,3,5", "2,4,6", false},
		{"10", "9-11", true},
		{"10", "1", false},
		/* Decimal, with both ends included. */
		{"10", "9-10", true},
		{"10-11", "10", true},
		{"12-19", "8-11", false},
		/* An invalid range ends the list. */
		{"3-1", "2", false},
		{"x", "0", false},
		{"0,x,8", "8", false},
		{"0-", "0", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		assert_int_equal(sysfs_ranges_overlap(samples[i].a, samples[i].b),
				 samples[i].overlap);
		assert_int_equal(sysfs_ranges_overlap(samples[i].b, samples[i].a),
				 samples[i].overlap);
	}
}

/*
 * Pieces of each length around the initial size of the buffer, so that the sanitizer sees overruns.
 */
static void buffers(void **state)
{
	struct text_buffer buffer = {0};
	char *text = text_buffer_take(&buffer);

	(void)state;
	assert_string_equal(text, "");
	free(text);
	for (int length = 250; length < 260; length++) {
		text_buffer_add(&buffer, "%0*d", length, 7);
		assert_int_equal(buffer.length, length);
		assert_int_equal(strlen(buffer.text), length);
		text_buffer_add(&buffer, "%0*d", 2000, 8);
		assert_int_equal(buffer.length, length + 2000);
		text = text_buffer_take(&buffer);
		assert_int_equal(strlen(text), length + 2000);
		assert_int_equal(text[length - 1], '7');
		assert_int_equal(text[length + 1999], '8');
		assert_null(buffer.text);
		assert_int_equal(buffer.length, 0);
		free(text);
	}
	text_buffer_add_xml(&buffer, "<a href=\"x\">R&D 'n</a>");
	text = text_buffer_take(&buffer);
	assert_string_equal(text, "&lt;a href=&quot;x&quot;&gt;R&amp;D 'n&lt;/a&gt;");
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(amounts),     cmocka_unit_test(cuts),
		cmocka_unit_test(widths),      cmocka_unit_test(hex_digits),
		cmocka_unit_test(hex_bytes),   cmocka_unit_test(quotes),
		cmocka_unit_test(plain_words), cmocka_unit_test(suggestions),
		cmocka_unit_test(ranges),      cmocka_unit_test(buffers),
	};

	return cmocka_run_group_tests_name("text-forms", tests, NULL, NULL);
}
