/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cleaning text, typos, natural order, numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

/*
 * The bytes are copied into memory of their exact size, so that the sanitizer sees every overrun.
 */
static char *clean_exactly(const char *bytes, size_t length)
{
	_cleanup_(freep) char *exact = mem_alloc_zero(length, 1);

	memcpy(exact, bytes, length);
	return text_clean(exact, length);
}

struct sample {
	const char *raw;
	const char *clean;
};

static void check_samples(const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *text = clean_exactly(samples[i].raw, strlen(samples[i].raw));

		assert_string_equal(text, samples[i].clean);
	}
}

static void line_begins(void **state)
{
	(void)state;
	assert_string_equal(text_line("KEY=1\nNEXT=2\n", "NEXT="), "2\n");
	assert_string_equal(text_line("KEY=1\nNEXT=2", "KEY="), "1\nNEXT=2");
	assert_string_equal(text_line("\n\nKEY=", "KEY="), "");
	assert_null(text_line("KEY=NEXT=2\n", "NEXT="));
	assert_null(text_line("", "KEY="));
}

static void clean_keeps_text(void **state)
{
	static const struct sample samples[] = {
		{"", ""},
		{"mlx5_0", "mlx5_0"},
		{" !\"#%&'()*~\\", " !\"#%&'()*~\\"},
		{"\\x41", "\\x41"},
		{"Gr\xc3\xbc\xc3\x9f", "Gr\xc3\xbc\xc3\x9f"},
		{"\xc2\xa0", "\xc2\xa0"},		  /* the first after C1 */
		{"\xdf\xbf", "\xdf\xbf"},		  /* U+07FF */
		{"\xe0\xa0\x80", "\xe0\xa0\x80"},	  /* U+0800 */
		{"\xed\x9f\xbf", "\xed\x9f\xbf"},	  /* U+D7FF, before the surrogates */
		{"\xee\x80\x80", "\xee\x80\x80"},	  /* U+E000, after them */
		{"\xe2\x80\xa7", "\xe2\x80\xa7"},	  /* U+2027, before the line separator */
		{"\xe2\x81\x9f", "\xe2\x81\x9f"},	  /* U+205F, before the invisible ones */
		{"\xf0\x90\x80\x80", "\xf0\x90\x80\x80"}, /* U+10000 */
		{"\xf4\x8f\xbf\xbd", "\xf4\x8f\xbf\xbd"}, /* U+10FFFD */
		{"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac"},
	};

	(void)state;
	check_samples(samples, ARRAY_SIZE(samples));
}

static void clean_escapes_controls(void **state)
{
	static const struct sample samples[] = {
		{"a\nb\tc\rd", "a\\x0ab\\x09c\\x0dd"},
		{"\033[31mred", "\\x1b[31mred"},
		{"\x01\x1f\x7f", "\\x01\\x1f\\x7f"},
		{"\xc2\x80\xc2\x9b\xc2\x9f",
		 "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f"},  /* C1, CSI among them */
		{"\xc2\xad", "\\xc2\\xad"},	     /* soft hyphen */
		{"\xd8\x9c", "\\xd8\\x9c"},	     /* Arabic letter mark */
		{"\xe2\x80\x8b", "\\xe2\\x80\\x8b"}, /* zero width space */
		{"\xe2\x80\x8f", "\\xe2\\x80\\x8f"}, /* right-to-left mark */
		{"\xe2\x80\xa8", "\\xe2\\x80\\xa8"}, /* line separator */
		{"\xe2\x80\xae", "\\xe2\\x80\\xae"}, /* right-to-left override */
		{"\xe2\x81\xa0", "\\xe2\\x81\\xa0"}, /* word joiner */
		{"\xe2\x81\xa6", "\\xe2\\x81\\xa6"}, /* isolate */
		{"\xe2\x81\xaf", "\\xe2\\x81\\xaf"},
		{"\xef\xbb\xbf", "\\xef\\xbb\\xbf"},	      /* byte order mark */
		{"\xef\xbf\xb9", "\\xef\\xbf\\xb9"},	      /* annotation */
		{"\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81"}, /* tag letter A */
	};

	(void)state;
	check_samples(samples, ARRAY_SIZE(samples));
}

/* Encodes the code point in UTF-8, NUL terminated. */
static void encode(uint32_t point, char text[static 5])
{
	const size_t count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
	static const unsigned char first[] = {0, 0x00, 0xc0, 0xe0, 0xf0};

	memset(text, 0, 5);
	for (size_t i = count; i-- > 1; point >>= 6)
		text[i] = (char)(0x80 | (point & 0x3f));
	text[0] = (char)(first[count] | point);
}

/*
 * Controls, format characters and variation tags: the first and last of each, and their neighbours.
 */
static void clean_escapes_ranges(void **state)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x01, 0x1f},	    {0x7f, 0x9f},	{0xad, 0xad},	    {0x61c, 0x61c},
		{0x180e, 0x180e},   {0x200b, 0x200f},	{0x2028, 0x202e},   {0x2060, 0x206f},
		{0xfeff, 0xfeff},   {0xfff9, 0xfffb},	{0x13430, 0x1345f}, {0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		const uint32_t first = ranges[i].first, last = ranges[i].last;
		const uint32_t points[] = {first - 1, first, (first + last) / 2, last, last + 1};

		for (size_t j = first == 1; j < ARRAY_SIZE(points); j++) {
			_cleanup_(freep) char *clean = NULL, *wanted = mem_string("");
			const bool inside = points[j] >= first && points[j] <= last;
			char raw[5];

			encode(points[j], raw);
			for (const char *at = raw; *at; at++)
				mem_extend(&wanted, inside ? "\\x%02x" : "%c", (unsigned char)*at);
			clean = clean_exactly(raw, strlen(raw));
			assert_string_equal(clean, wanted);
		}
	}
}

static void clean_escapes_what_is_not_utf8(void **state)
{
	static const struct sample samples[] = {
		{"\x80", "\\x80"},
		{"\xbf"
		 "a",
		 "\\xbf"
		 "a"},
		{"\xff\xfe", "\\xff\\xfe"},
		{"\xc0\xaf", "\\xc0\\xaf"}, /* overlong / */
		{"\xc1\xbf", "\\xc1\\xbf"},
		{"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
		{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
		{"\xf0\x80\x80\xaf", "\\xf0\\x80\\x80\\xaf"},
		{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* surrogates */
		{"\xed\xbf\xbf", "\\xed\\xbf\\xbf"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
		{"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
		{"\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80"},
		{"\xc3", "\\xc3"}, /* cut off at the end */
		{"\xe2\x82", "\\xe2\\x82"},
		{"\xf0\x9f\x98", "\\xf0\\x9f\\x98"},
		{"\xf0\x9f", "\\xf0\\x9f"},
		{"\xc3(", "\\xc3("}, /* the next byte is separate */
		{"\xe2\x82(", "\\xe2\\x82("},
		{"\xf0\x9f\x98(", "\\xf0\\x9f\\x98("},
		{"\xe2\x82\xe2\x82\xac", "\\xe2\\x82\xe2\x82\xac"},
		{"\xc3\xc3\xbc", "\\xc3\xc3\xbc"},
	};

	(void)state;
	check_samples(samples, ARRAY_SIZE(samples));
}

/* Eight bytes are checked together: one in any of their places is found. */
static void clean_finds_each_place(void **state)
{
	static const struct {
		char odd;
		const char *clean;
	} samples[] = {{'\x1f', "\\x1f"}, {'\x7f', "\\x7f"}, {'\x80', "\\x80"}, {'\xff', "\\xff"},
		       {'\x01', "\\x01"}, {' ', " "},	     {'~', "~"},	{'\0', NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t at = 0; at < 20; at++) {
			_cleanup_(freep) char *text = NULL, *expected = NULL;
			char raw[20];

			memset(raw, at % 2 ? '~' : ' ', sizeof(raw));
			expected = samples[i].clean
					   ? mem_format("%.*s%s%.*s", (int)at, raw,
							samples[i].clean, 19 - (int)at, raw)
					   : mem_format("%.*s", (int)at, raw);
			raw[at] = samples[i].odd;
			text = clean_exactly(raw, sizeof(raw));
			assert_string_equal(text, expected);
		}
	}
}

static void clean_stops_at_nul_and_length(void **state)
{
	_cleanup_(freep) char *nul = clean_exactly("ab\0cd", 5);
	_cleanup_(freep) char *cut = clean_exactly("abcd", 2);
	_cleanup_(freep) char *none = clean_exactly("", 0);
	/* The rest of the sequence lies past the length. */
	_cleanup_(freep) char *half = clean_exactly("\xe2\x82\xac", 2);

	(void)state;
	assert_string_equal(nul, "ab");
	assert_string_equal(cut, "ab");
	assert_string_equal(none, "");
	assert_string_equal(half, "\\xe2\\x82");
}

/*
 * Into buffers of every size: as many complete characters as fit, and nothing after the last byte.
 */
static void clean_into_every_size(void **state)
{
	static const char raw[] = "ab\x1b\xc3\xa9\xff z";
	static const char *const pieces[] = {"a", "b", "\\x1b", "\xc3\xa9", "\\xff", " ", "z"};

	(void)state;
	for (size_t size = 1; size < 20; size++) {
		_cleanup_(freep) char *buffer = mem_alloc_zero(size, 1);
		char wanted[32] = "";

		for (size_t i = 0;
		     i < ARRAY_SIZE(pieces) && strlen(wanted) + strlen(pieces[i]) < size; i++)
			strcat(wanted, pieces[i]);
		text_clean_into(buffer, size, raw, sizeof(raw) - 1);
		assert_string_equal(buffer, wanted);
		/* Plain text, which is copied in one step. */
		text_clean_into(buffer, size, "0123456789", 10);
		assert_int_equal(strlen(buffer), size <= 10 ? size - 1 : 10);
	}
}

/* Every sequence of up to four bytes from the interesting ones, compared with the definition. */
static void clean_gives_valid_text(void **state)
{
	static const char bytes[] = "a\x1b\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0\xc2\xdf\xe0\xe1\xed\xef"
				    "\xf0\xf4\xf5\xff";
	enum { KINDS = sizeof(bytes) - 1 };

	(void)state;
	for (size_t n = 0; n < KINDS * KINDS * KINDS * KINDS; n++) {
		const char raw[4] = {bytes[n % KINDS], bytes[n / KINDS % KINDS],
				     bytes[n / KINDS / KINDS % KINDS],
				     bytes[n / KINDS / KINDS / KINDS]};
		_cleanup_(freep) char *text = text_clean(raw, sizeof(raw));
		_cleanup_(freep) char *again = text_clean(text, strlen(text));
		size_t length = strlen(text);

		assert_string_equal(text, again);
		for (size_t i = 0; i < length;) {
			size_t step = text_utf8_length(text + i, length - i);

			assert_true(step > 0);
			assert_true(step > 1 || (text[i] >= 0x20 && text[i] != 0x7f));
			i += step;
		}
	}
}

static void utf8_length(void **state)
{
	(void)state;
	assert_int_equal(text_utf8_length("", 0), 0);
	assert_int_equal(text_utf8_length("", 1), 1);
	assert_int_equal(text_utf8_length("a", 1), 1);
	assert_int_equal(text_utf8_length("\xc3\xbc", 2), 2);
	assert_int_equal(text_utf8_length("\xc3\xbc", 1), 0);
	assert_int_equal(text_utf8_length("\xe2\x82\xac", 3), 3);
	assert_int_equal(text_utf8_length("\xe2\x82\xac", 2), 0);
	assert_int_equal(text_utf8_length("\xf0\x9f\x98\x80", 4), 4);
	assert_int_equal(text_utf8_length("\xf0\x9f\x98\x80", 3), 0);
	assert_int_equal(text_utf8_length("\x80", 1), 0);
}

static void closest_word(void **state)
{
	static const char *const words[] = {"devices", "ports", "gids", "netdevs", "caps"};
	static const struct sample samples[] = {
		{"device", "devices"},	 {"devicse", "devices"}, {"dveices", "devices"},
		{"ddevices", "devices"}, {"prots", "ports"},	 {"port", "ports"},
		{"netdev", "netdevs"},	 {"cap", "caps"},	 {"gid", "gids"},
		{"devixxs", "devices"},	 {"gisd", "gids"},	 {"devices", "devices"},
	};
	static const char *const far[] = {
		"",	      "x", "dxvxcxs", "gxxs",
		"statistics", "p", "gi",      "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_string_equal(text_closest(samples[i].raw, words, ARRAY_SIZE(words)),
				    samples[i].clean);
	for (size_t i = 0; i < ARRAY_SIZE(far); i++)
		assert_null(text_closest(far[i], words, ARRAY_SIZE(words)));
	assert_null(text_closest("ports", words, 0));
}

static void plural(void **state)
{
	(void)state;
	assert_string_equal(text_plural_s(0), "s");
	assert_string_equal(text_plural_s(1), "");
	assert_string_equal(text_plural_s(2), "s");
	assert_string_equal(text_plural_s(UINT64_MAX), "s");
}

static void closest_prefers_the_nearer(void **state)
{
	static const char *const words[] = {"mlx5_10", "mlx5_1", "mlx5_2"};
	static const char *const columns[] = {"state", "rate_gbps", "node_type", "node_desc"};
	static const char *const twice[] = {"rate_gbps", "rate_gbps"};
	static const char *const prefixes[] = {"mlxa_", "mlxb_"};
	char longest[42], other[42];
	const char *const long_words[] = {other};

	(void)state;
	assert_string_equal(text_closest("mlx5_2", words, 3), "mlx5_2");
	assert_string_equal(text_closest("mlx_1", words, 3), "mlx5_1");
	/* Equally close words: the first one wins. */
	assert_string_equal(text_closest("mlx_", prefixes, 2), "mlxa_");
	/* Not a typo, but the beginning of exactly one word. */
	assert_string_equal(text_closest("rate", columns, 4), "rate_gbps");
	assert_string_equal(text_closest("NODE_T", columns, 4), "node_type");
	assert_null(text_closest("node_", columns, 4));
	assert_null(text_closest("ra", columns, 4));
	assert_null(text_closest("gbps", columns, 4));
	assert_string_equal(text_closest("rate_gb", twice, 2), "rate_gbps");
	/* The longest words that are compared, and one letter longer. */
	memset(longest, 'a', 40);
	longest[40] = '\0';
	strcpy(other, longest);
	other[39] = 'b';
	assert_ptr_equal(text_closest(longest, long_words, 1), other);
	other[40] = 'a';
	other[41] = '\0';
	assert_null(text_closest(longest, long_words, 1));
}

/* Any other number would be as likely, whichever number it is, and if it is missing. */
static void closest_is_never_a_number(void **state)
{
	static const struct {
		const char *word, *name;
		bool is_guess;
	} cases[] = {
		{"mlx5_7", "mlx5_0", false},
		{"MLX5_7", "mlx5_0", false},
		{"mlx5_17", "mlx5_2", false},
		{"mlx4_0", "mlx5_0", false},
		{"mlx5_", "mlx5_0", false},
		{"rxe", "rxe0", false},
		{"rxe0", "rxe", false},
		{"rxe_1", "rxe_1234", false},
		{"ib0.8002", "ib0.8001", false},
		{"rx_prio9_bytes", "rx_prio0_bytes", false},
		{"mlx5_0", "mlx5_0", true},
		{"MLX5_0", "mlx5_0", true},
		{"mlx50", "mlx5_0", true},
		{"mlx_50", "mlx5_0", true},
		{"mlx_0", "mlx5_0", true},
		{"mlx5_0x", "mlx5_0", true},
		{"rx_prio9_byte", "rx_prio0_bytes", true},
		{"p0rts", "ports", true},
	};
	static const char *const names[] = {"mlx5_0", "mlx5_1", "mlx5_x"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_ptr_equal(text_closest(cases[i].word, &cases[i].name, 1),
				 cases[i].is_guess ? cases[i].name : NULL);
	/* A name that differs in a letter is a guess, wherever it is in the list. */
	assert_string_equal(text_closest("mlx5_7", names, 3), "mlx5_x");
	/* It is not the only one that begins like that. */
	assert_null(text_closest("mlx", names, 3));
}

static void natural_order(void **state)
{
	static const char *const sorted[] = {
		"",
		"0",
		"00",
		"1",
		"2",
		"10",
		"a",
		"a0",
		"a00",
		"a01",
		"a1",
		"a1b",
		"a2",
		"a10",
		"ab",
		"mlx5_0",
		"mlx5_2",
		"mlx5_10",
		"mlx5_10_1",
		"mlx5_100",
		"mlx50_0",
		"x9",
		"x99999999999999999998",
		"x99999999999999999999",
		"x100000000000000000000",
		"z",
		"\xc3\xbc",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(sorted); j++) {
			int order = text_compare_natural(sorted[i], sorted[j]);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
	}
}

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

/* A small generator, so that every run has the same words. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1103515245 + 12345;
	return *seed >> 16;
}

static void natural_order_is_total(void **state)
{
	enum { COUNT = 90, LENGTH = 5 };
	static const char letters[] = "0012ab_/:";
	char words[COUNT][LENGTH + 1] = {{0}};
	uint32_t seed = 4711;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < next_random(&seed) % (LENGTH + 1); j++)
			words[i][j] = letters[next_random(&seed) % (sizeof(letters) - 1)];
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t j = 0; j < COUNT; j++) {
			int order = sign(text_compare_natural(words[i], words[j]));

			assert_int_equal(order, -sign(text_compare_natural(words[j], words[i])));
			assert_int_equal(order == 0, strcmp(words[i], words[j]) == 0);
			for (size_t k = 0; order <= 0 && k < COUNT; k++)
				if (text_compare_natural(words[j], words[k]) <= 0)
					assert_true(text_compare_natural(words[i], words[k]) <= 0);
		}
	}
}

static void parse_number(void **state)
{
	static const struct {
		const char *text;
		int base;
		uint64_t most;
		int rc;
		uint64_t value;
	} samples[] = {
		{"0", 10, 0, 0, 0},
		{"1", 10, 0, -ERANGE, 0},
		{"255", 10, 255, 0, 255},
		{"256", 10, 255, -ERANGE, 0},
		{"010", 10, 255, 0, 10},
		{"18446744073709551615", 10, UINT64_MAX, 0, UINT64_MAX},
		{"18446744073709551616", 10, UINT64_MAX, -ERANGE, 0},
		{"99999999999999999999999", 10, UINT64_MAX, -ERANGE, 0},
		{"ff", 16, 255, 0, 255},
		{"FF", 16, 255, 0, 255},
		{"0xff", 16, 255, 0, 255},
		{"0xff", 0, 255, 0, 255},
		{"010", 0, 255, 0, 8},
		{"0x", 16, 255, -EINVAL, 0},
		{"0x", 0, 255, -EINVAL, 0},
		{"", 10, 255, -EINVAL, 0},
		{" 1", 10, 255, -EINVAL, 0},
		{"1 ", 10, 255, -EINVAL, 0},
		{"\t1", 10, 255, -EINVAL, 0},
		{"1\n", 10, 255, -EINVAL, 0},
		{"+1", 10, 255, -EINVAL, 0},
		{"-1", 10, UINT64_MAX, -EINVAL, 0},
		{"0x-1", 16, UINT64_MAX, -EINVAL, 0},
		{"ff", 10, 255, -EINVAL, 0},
		{"1a", 10, 255, -EINVAL, 0},
		{"0x1", 10, 255, -EINVAL, 0},
		{"1.5", 10, 255, -EINVAL, 0},
		{"\xb2", 10, 255, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t value = 77;
		int rc = text_parse_u64(samples[i].text, samples[i].base, samples[i].most, &value);

		assert_int_equal(rc, samples[i].rc);
		assert_true(value == (rc ? 77 : samples[i].value));
	}
}

static void takes_numbers(void **state)
{
	const char *rest = "12:0x1f 256x";
	uint64_t value = 77;

	(void)state;
	assert_int_equal(text_take_u64(&rest, 10, 255, &value), 0);
	assert_int_equal(value, 12);
	assert_string_equal(rest, ":0x1f 256x");
	assert_int_equal(text_take_u64(&rest, 10, 255, &value), -EINVAL);
	assert_string_equal(rest, ":0x1f 256x");
	rest++;
	assert_int_equal(text_take_u64(&rest, 0, 255, &value), 0);
	assert_int_equal(value, 0x1f);
	assert_string_equal(rest, " 256x");
	rest++;
	/* A number that is too large is taken nevertheless, so that what follows it can be judged.
	 */
	assert_int_equal(text_take_u64(&rest, 10, 255, &value), -ERANGE);
	assert_int_equal(value, 0x1f);
	assert_string_equal(rest, "x");
}

static void ends(void **state)
{
	(void)state;
	assert_true(text_ends_with("a.tar", ".tar"));
	assert_true(text_ends_with("abab", "ab"));
	assert_false(text_ends_with(".tar", ".tar"));
	assert_false(text_ends_with("tar", ".tar"));
	assert_false(text_ends_with("a.tar.", ".tar"));
	assert_false(text_ends_with("", ""));
	assert_true(text_has_word("vlan macvlan", " ", "vlan", 4));
	assert_true(text_has_word("a/macvlan", "/ ", "macvlan", 7));
	assert_false(text_has_word("macvlan", " ", "vlan", 4));
	assert_false(text_has_word("vlan", " ", "vlan0", 5));
	assert_false(text_has_word("vlan0 x", " ", "vlan", 4));
	assert_false(text_has_word("a b", " ", "", 0));
	assert_false(text_has_word(NULL, " ", "vlan", 4));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(line_begins),
		cmocka_unit_test(clean_keeps_text),
		cmocka_unit_test(clean_finds_each_place),
		cmocka_unit_test(clean_escapes_controls),
		cmocka_unit_test(clean_escapes_ranges),
		cmocka_unit_test(clean_escapes_what_is_not_utf8),
		cmocka_unit_test(clean_stops_at_nul_and_length),
		cmocka_unit_test(clean_into_every_size),
		cmocka_unit_test(clean_gives_valid_text),
		cmocka_unit_test(utf8_length),
		cmocka_unit_test(closest_word),
		cmocka_unit_test(closest_prefers_the_nearer),
		cmocka_unit_test(closest_is_never_a_number),
		cmocka_unit_test(plural),
		cmocka_unit_test(natural_order),
		cmocka_unit_test(natural_order_is_total),
		cmocka_unit_test(parse_number),
		cmocka_unit_test(takes_numbers),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
