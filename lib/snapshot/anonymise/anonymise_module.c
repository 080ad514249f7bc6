/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory of the module at the end of a cable: SFF-8472 for modules with one lane, SFF-8636 for
 * those with four, CMIS. Vendor-specific bytes become zero.
 */

#include "base/mem.h"
#include "plug/plug.h"
#include "snapshot/anonymise/anonymise_private.h"

/* Addresses on the module's bus, and the start of its upper half. */
enum { FIRST = MODULE_ADDRESS, SECOND = 0x51, UPPER_HALF = 128 };
#define SERIAL_BYTES ((size_t)16)

/* Bytes that are kept: from `first` up to but not including `end`. */
static const struct kept {
	uint8_t standard, address, page, first, end;
} kept[] = {
	/* Identity and diagnostics, without the vendor's bytes (from 96) and page (from 120). */
	{PLUG_SFF_8472, FIRST, 0, 0, 96},
	{PLUG_SFF_8472, SECOND, 0, 0, 120},
	/* State without the passwords (from byte 119); identity; thresholds. */
	{PLUG_SFF_8636, FIRST, 0, 0, 119},
	{PLUG_SFF_8636, FIRST, 0, 128, 224},
	{PLUG_SFF_8636, FIRST, 3, 128, 224},
	/*
	 * State without vendor-specific bytes and passwords (from byte 118); identity;
	 * capabilities; thresholds; lanes.
	 */
	{PLUG_CMIS, FIRST, 0, 0, 64},
	{PLUG_CMIS, FIRST, 0, 85, 118},
	{PLUG_CMIS, FIRST, 0, 128, 223},
	{PLUG_CMIS, FIRST, 1, 128, 191},
	{PLUG_CMIS, FIRST, 2, 128, 230},
	{PLUG_CMIS, FIRST, 0x11, 128, 255},
};

/* Serial numbers, and the place of the checksum, which covers the bytes from `first` up to it. */
static const struct serial {
	uint8_t standard, at, first, sum;
} serials[] = {
	{PLUG_SFF_8472, 68, 64, 95},
	{PLUG_SFF_8636, 196, 192, 223},
	{PLUG_CMIS, 166, 128, 222},
};

static bool is_kept(enum plug_standard standard, const struct module_part *part, size_t at)
{
	/* The first byte identifies the layout, even one that is unknown here. */
	if (part->address == FIRST && at == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (kept[i].standard == standard && kept[i].address == part->address &&
		    (kept[i].page == part->page || at < UPPER_HALF) && at >= kept[i].first &&
		    at < kept[i].end)
			return true;
	return false;
}

/* A truncated serial number is not kept. */
static void change_identity(const struct anonymiser *anonymiser, const struct serial *serial,
			    const struct module_part *part, uint8_t *bytes, size_t length)
{
	const size_t begin = part->offset, end = begin + length;
	char *text;
	size_t used = SERIAL_BYTES;
	uint8_t sum = 0;

	if (begin > serial->at || end < serial->at + SERIAL_BYTES) {
		for (size_t at = serial->at; at < serial->at + SERIAL_BYTES; at++)
			if (at >= begin && at < end)
				bytes[at - begin] = 0;
		return;
	}
	text = (char *)bytes + serial->at - begin;
	/* Padding blanks stay. */
	while (used && (text[used - 1] == ' ' || !text[used - 1]))
		used--;
	anonymise_word(anonymiser, text, used);
	if (begin > serial->first || end <= serial->sum)
		return;
	for (size_t at = serial->first; at < serial->sum; at++)
		sum = (uint8_t)(sum + bytes[at - begin]);
	bytes[serial->sum - begin] = sum;
}

void anonymise_module(const struct anonymiser *anonymiser, const struct module_part *part,
		      uint8_t *bytes, size_t length)
{
	const enum plug_standard standard = plug_standard_of(part->identifier);

	for (size_t i = 0; i < length; i++)
		if (!is_kept(standard, part, part->offset + i))
			bytes[i] = 0;
	if (part->address != FIRST || part->page)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(serials); i++)
		if (serials[i].standard == standard)
			change_identity(anonymiser, &serials[i], part, bytes, length);
}
