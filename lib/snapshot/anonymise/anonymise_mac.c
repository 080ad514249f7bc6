/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* MAC addresses and GUIDs in texts, written with other marks than colons. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "snapshot/anonymise/anonymise_private.h"

/* 0c-42-a1-a1-b2-c0; 0c42.a1a1.b2c0 and 0c42-a1a1-b2c0, as vendors of switches write them. */
struct spelling {
	char mark;
	size_t group; /* digits between two marks */
	size_t bytes;
};

/* Returns the length of the address, or 0. */
static size_t read_address(const char *text, const struct spelling *spelling,
			   uint8_t bytes[static GUID_BYTES])
{
	const char *at = text;

	for (size_t i = 0; i < 2 * spelling->bytes; i++, at++) {
		int digit;

		if (i && i % spelling->group == 0 && *at++ != spelling->mark)
			return 0;
		digit = text_hex_digit(*at);
		if (digit < 0)
			return 0;
		bytes[i / 2] = (uint8_t)(i & 1 ? bytes[i / 2] | digit : digit << 4);
	}
	/* A dot after the address may end a sentence. */
	if (is_of_name(*at) || (*at == spelling->mark && is_of_name(at[1])))
		return 0;
	return (size_t)(at - text);
}

size_t anonymise_other_marks(const struct anonymiser *anonymiser, const char *text, char before,
			     struct text_buffer *out)
{
	static const struct spelling spellings[] = {
		{'-', 2, ETHERNET_BYTES}, {'.', 4, ETHERNET_BYTES}, {'-', 4, ETHERNET_BYTES},
		{'-', 2, GUID_BYTES},	  {'.', 4, GUID_BYTES},	    {'-', 4, GUID_BYTES},
	};

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		const struct spelling *spelling = &spellings[i];
		const struct known *known = spelling->bytes == GUID_BYTES ? &anonymiser->guids
									  : &anonymiser->macs;
		uint8_t bytes[GUID_BYTES];
		const size_t length = read_address(text, spelling, bytes);

		if (!length || (before == '.' && spelling->mark == '.'))
			continue;
		/* A version may look the same, 2024.1231.0001, but has no letters. */
		if (spelling->group == 4 && strcspn(text, "abcdefABCDEF") >= length &&
		    !known_has(known, bytes))
			continue;
		anonymise_digits(anonymiser, text, length, spelling->bytes, out);
		return length;
	}
	return 0;
}
