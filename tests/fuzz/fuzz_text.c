/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text from outside: the result of text_clean() is valid UTF-8 without control bytes, and clean
 * text stays the same; names have a total order; addresses and numbers survive being written and
 * read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

/* The code point at `at`, computed without the tables of text.c; aborts if there is none. */
static uint32_t code_point(const char *at, size_t left, size_t *ret_length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char first = (unsigned char)at[0];
	size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t point = length == 1 ? first : first & (0xffu >> (length + 1));

	expect((first < 0x80 || first >= 0xc0) && first < 0xf8 && length <= left);
	for (size_t i = 1; i < length; i++) {
		expect((at[i] & 0xc0) == 0x80);
		point = point * 64 + (at[i] & 0x3f);
	}
	expect(point >= least[length] && point <= 0x10ffff && point >> 11 != 0xd800 >> 11);
	*ret_length = length;
	return point;
}

static void try_cleaning(const char *bytes, size_t size)
{
	char *text = text_clean(bytes, size);
	size_t length = strlen(text), step;
	char *again = text_clean(text, length);

	expect(!strcmp(text, again));
	for (size_t i = 0; i < length; i += step) {
		uint32_t point = code_point(text + i, length - i, &step);

		expect(step == text_utf8_length(text + i, length - i));
		/* No control characters, and no change of direction. */
		expect(point >= 0x20 && !(point >= 0x7f && point < 0xa0));
		expect(!(point >= 0x202a && point <= 0x202e) &&
		       !(point >= 0x2066 && point <= 0x2069));
	}
	free(again);
	free(text);
}

static int sign(int order)
{
	return (order > 0) - (order < 0);
}

/* Makes three names from one text: at its NULs, or the text itself. */
static void try_order(const char *text, size_t size)
{
	const char *names[3] = {text, text, text};
	size_t count = 1;

	for (size_t i = 0; i < size && count < 3; i++)
		if (!text[i])
			names[count++] = text + i + 1;
	for (size_t i = 0; i < 3; i++) {
		for (size_t j = 0; j < 3; j++) {
			int order = sign(text_compare_natural(names[i], names[j]));

			expect(order == -sign(text_compare_natural(names[j], names[i])));
			expect(!order == !strcmp(names[i], names[j]));
		}
	}
	for (size_t i = 0; i < 3; i++) {
		const char *a = names[i], *b = names[(i + 1) % 3], *c = names[(i + 2) % 3];

		if (text_compare_natural(a, b) <= 0 && text_compare_natural(b, c) <= 0)
			expect(text_compare_natural(a, c) <= 0);
	}
	text_closest(names[0], names, 3);
}

static void try_numbers(const char *text)
{
	static const int bases[] = {0, 10, 16};

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		uint64_t value = 777;
		int rc = text_parse_u64(text, bases[i], 255, &value);

		expect(rc ? value == 777 : value <= 255);
	}
}

static void try_addresses(const char *text)
{
	char guid_text[GUID_TEXT_SIZE], gid_text[GID_TEXT_SIZE], ip_text[IP_TEXT_SIZE];
	struct ip_address ip, ip_again;
	struct gid gid, gid_again;
	uint64_t guid, guid_again;

	if (!guid_parse(text, &guid)) {
		guid_format(guid, guid_text);
		expect(!guid_parse(guid_text, &guid_again) && guid_again == guid);
	}
	if (!gid_parse(text, &gid)) {
		gid_format(&gid, gid_text);
		expect(!gid_parse(gid_text, &gid_again));
		expect(!memcmp(&gid, &gid_again, sizeof(gid)));
		ip = gid_to_ip(&gid);
		gid_again = ip_to_gid(&ip);
		expect(!memcmp(&gid, &gid_again, sizeof(gid)));
	}
	if (!ip_parse(text, &ip)) {
		ip_format(&ip, ip_text);
		expect(!ip_parse(ip_text, &ip_again) && ip_equal(&ip, &ip_again));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/*
	 * One copy has exactly this size, so that the sanitizer sees every overrun; one is a
	 * string.
	 */
	char *exact = mem_alloc_zero(size, 1), *string = mem_alloc_zero(size + 1, 1);

	if (size) {
		memcpy(exact, data, size);
		memcpy(string, data, size);
	}
	try_cleaning(exact, size);
	try_order(string, size);
	try_numbers(string);
	try_addresses(string);
	free(exact);
	free(string);
	return 0;
}
