/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which parts of a module's memory are worth reading, what was read, and its form as text. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "plug/plug_places.h"

enum { ADDRESS = 0x50, SECOND_ADDRESS = 0x51, UPPER = 128 };

const struct plug_place plug_places[PLUG_PARTS] = {
	[PLUG_LOWER] = {ADDRESS, 0x00, 0},
	[PLUG_IDENTITY] = {ADDRESS, 0x00, UPPER},
	[PLUG_ADVERTISED] = {ADDRESS, 0x01, UPPER},
	[PLUG_LIMITS] = {ADDRESS, 0x02, UPPER},
	[PLUG_LIMITS_8636] = {ADDRESS, 0x03, UPPER},
	[PLUG_LANES] = {ADDRESS, 0x11, UPPER},
	[PLUG_DIAGNOSTICS] = {SECOND_ADDRESS, 0x00, 0},
	[PLUG_PDDR] = {.offset = 0},
	[PLUG_PDDR_REST] = {.offset = 120},
};

static const struct plug_form_factor forms[] = {
	{0x02, 1, &plug_sff_8472}, {0x03, 1, &plug_sff_8472}, {0x0b, 1, &plug_sff_8472},
	{0x0c, 4, &plug_sff_8636}, {0x0d, 4, &plug_sff_8636}, {0x11, 4, &plug_sff_8636},
	{0x18, 8, &plug_cmis},	   {0x19, 8, &plug_cmis},     {0x1b, 2, &plug_cmis},
	{0x1e, 4, &plug_cmis},	   {0x1f, 2, &plug_cmis},     {0x20, 1, &plug_cmis},
};

const uint8_t *plug_bytes(const struct plug_memory *memory, enum plug_part part,
			  unsigned int offset, unsigned int count)
{
	const unsigned int at = offset - plug_places[part].offset;

	return at + count <= memory->length[part] ? &memory->bytes[part][at] : NULL;
}

unsigned int plug_byte(const struct plug_memory *memory, enum plug_part part, unsigned int offset)
{
	const uint8_t *byte = plug_bytes(memory, part, offset, 1);

	return byte ? *byte : 0;
}

static const struct plug_form_factor *find_form(uint8_t identifier)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].identifier == identifier)
			return &forms[i];
	return NULL;
}

enum plug_standard plug_standard_of(uint8_t identifier)
{
	const struct plug_form_factor *form = find_form(identifier);

	return form ? form->layout->standard : 0;
}

const struct plug_form_factor *plug_form_of(const struct plug_memory *memory)
{
	const uint8_t *identifier = plug_bytes(memory, PLUG_LOWER, 0, 1);

	if (plug_is_told(memory))
		return plug_pddr_form(memory);
	return identifier ? find_form(*identifier) : NULL;
}

bool plug_has_diagnostics(const struct plug_memory *memory)
{
	return (plug_byte(memory, PLUG_LOWER, 92) & 0x44) == 0x40;
}

/* Byte 2 of the lower half: its bit 2 (SFF-8636) or 7 (CMIS) says that page 00h is the only one. */
static bool has_pages(const struct plug_memory *memory, unsigned int flat)
{
	return plug_bytes(memory, PLUG_LOWER, 2, 1) && !(plug_byte(memory, PLUG_LOWER, 2) & flat);
}

static bool is_wanted(const struct plug_memory *memory, enum plug_part part)
{
	const struct plug_form_factor *form = plug_form_of(memory);
	const enum plug_standard standard = form ? form->layout->standard : 0;

	switch (part) {
	case PLUG_LOWER:
		return !plug_is_told(memory);
	case PLUG_IDENTITY:
		return standard == PLUG_SFF_8636 || standard == PLUG_CMIS;
	case PLUG_LIMITS_8636:
		return standard == PLUG_SFF_8636 && has_pages(memory, 1 << 2);
	case PLUG_DIAGNOSTICS:
		return standard == PLUG_SFF_8472 && plug_has_diagnostics(memory);
	case PLUG_PDDR:
	case PLUG_PDDR_REST:
		return false;
	default:
		return standard == PLUG_CMIS && has_pages(memory, 1 << 7);
	}
}

bool plug_next_part(const struct plug_memory *memory, unsigned int tried, enum plug_part *ret_part)
{
	for (unsigned int i = 0; i < PLUG_PARTS; i++) {
		if (tried & 1u << i || !is_wanted(memory, i))
			continue;
		*ret_part = i;
		return true;
	}
	return false;
}

char *plug_memory_text(const struct plug_memory *memory)
{
	char *text = mem_string("");

	for (unsigned int i = 0; i < PLUG_PARTS; i++) {
		char hex[2 * PLUG_PART_BYTES + 1];

		if (!memory->length[i])
			continue;
		text_write_hex(hex, memory->bytes[i], memory->length[i]);
		mem_extend(&text, "%s%u:%s", *text ? " " : "", i, hex);
	}
	return text;
}

int plug_memory_parse(const char *text, struct plug_memory *ret_memory)
{
	struct plug_memory memory = {.length = {0}};

	while (*text) {
		const size_t end = strcspn(text, " ");
		const unsigned int part = (unsigned char)*text - (unsigned int)'0';
		const size_t count = end < 2 ? 0 : (end - 2) / 2;
		_cleanup_(freep) char *word = mem_format("%.*s", (int)end, text);

		if (part >= PLUG_PARTS || word[1] != ':' || end % 2 || !count ||
		    count > PLUG_PART_BYTES || memory.length[part] ||
		    !text_read_hex(word + 2, memory.bytes[part], count))
			return -EINVAL;
		memory.length[part] = (uint8_t)count;
		text += end;
		text += *text == ' ';
	}
	*ret_memory = memory;
	return 0;
}
