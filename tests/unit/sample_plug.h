/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory of modules, written byte by byte according to the standards. */
#pragma once

#include <string.h>

#include "plug/plug.h"

/* Bytes of a part at an offset as the standard counts them, 0 to 255. */
static inline uint8_t *plug_at(struct plug_memory *memory, enum plug_part part, unsigned int offset)
{
	memory->length[part] = PLUG_PART_BYTES;
	return &memory->bytes[part][offset - plug_places[part].offset];
}

static inline void plug_put(struct plug_memory *memory, enum plug_part part, unsigned int offset,
			    uint8_t byte)
{
	*plug_at(memory, part, offset) = byte;
}

static inline void plug_put_word(struct plug_memory *memory, enum plug_part part,
				 unsigned int offset, unsigned int word)
{
	plug_at(memory, part, offset)[0] = (uint8_t)(word >> 8);
	plug_at(memory, part, offset)[1] = (uint8_t)word;
}

/* Text padded with blanks. */
static inline void plug_put_text(struct plug_memory *memory, enum plug_part part,
				 unsigned int offset, size_t width, const char *text)
{
	memset(plug_at(memory, part, offset), ' ', width);
	memcpy(plug_at(memory, part, offset), text, strlen(text));
}

/* High alarm, low alarm, high warning, low warning. */
static inline void plug_put_limits(struct plug_memory *memory, enum plug_part part,
				   unsigned int offset, unsigned int high_alarm,
				   unsigned int low_alarm, unsigned int high_warning,
				   unsigned int low_warning)
{
	plug_put_word(memory, part, offset, high_alarm);
	plug_put_word(memory, part, offset + 2, low_alarm);
	plug_put_word(memory, part, offset + 4, high_warning);
	plug_put_word(memory, part, offset + 6, low_warning);
}

#define SAMPLE_DEGREES(degrees) ((unsigned int)(degrees)*256 & 0xffff)

/* A QSFP28 transceiver with four lanes of 850 nm; each sends 0.8 mW and receives 0.5 mW. */
static inline void sample_qsfp28(struct plug_memory *memory)
{
	*memory = (struct plug_memory){.length = {0}};
	plug_put(memory, PLUG_LOWER, 0, 0x11);
	plug_put_word(memory, PLUG_LOWER, 22, SAMPLE_DEGREES(41) + 128);
	plug_put_word(memory, PLUG_LOWER, 26, 32900);
	for (unsigned int i = 0; i < 4; i++) {
		plug_put_word(memory, PLUG_LOWER, 34 + 2 * i, 5000);
		plug_put_word(memory, PLUG_LOWER, 42 + 2 * i, 3500);
		plug_put_word(memory, PLUG_LOWER, 50 + 2 * i, 8000);
	}
	plug_put(memory, PLUG_IDENTITY, 128, 0x11);
	plug_put(memory, PLUG_IDENTITY, 130, 0x0c);
	plug_put(memory, PLUG_IDENTITY, 146, 50);
	plug_put(memory, PLUG_IDENTITY, 147, 0x00);
	plug_put_text(memory, PLUG_IDENTITY, 148, 16, "Mellanox");
	memcpy(plug_at(memory, PLUG_IDENTITY, 165), "\x00\x02\xc9", 3);
	plug_put_text(memory, PLUG_IDENTITY, 168, 16, "MMA1B00-E100");
	plug_put_text(memory, PLUG_IDENTITY, 184, 2, "A1");
	plug_put(memory, PLUG_IDENTITY, 193, 1 << 3);
	plug_put(memory, PLUG_IDENTITY, 194, 1 << 5 | 1 << 4);
	plug_put_text(memory, PLUG_IDENTITY, 196, 16, "MT2203FT00042");
	plug_put_text(memory, PLUG_IDENTITY, 212, 8, "220117");
	plug_put(memory, PLUG_IDENTITY, 220, 0x0c);
	plug_put_limits(memory, PLUG_LIMITS_8636, 128, SAMPLE_DEGREES(80), SAMPLE_DEGREES(-10),
			SAMPLE_DEGREES(70), SAMPLE_DEGREES(0));
	plug_put_limits(memory, PLUG_LIMITS_8636, 144, 35000, 31000, 34650, 31350);
	plug_put_limits(memory, PLUG_LIMITS_8636, 176, 21878, 478, 17378, 954);
	plug_put_limits(memory, PLUG_LIMITS_8636, 184, 5000, 1500, 4500, 2000);
	plug_put_limits(memory, PLUG_LIMITS_8636, 192, 17378, 1000, 15849, 1514);
}

/* A passive copper cable of 2 m, as QSFP28: only page 00h. */
static inline void sample_copper(struct plug_memory *memory)
{
	*memory = (struct plug_memory){.length = {0}};
	plug_put(memory, PLUG_LOWER, 0, 0x11);
	plug_put(memory, PLUG_LOWER, 2, 1 << 2);
	plug_put(memory, PLUG_IDENTITY, 130, 0x23);
	plug_put(memory, PLUG_IDENTITY, 146, 2);
	plug_put(memory, PLUG_IDENTITY, 147, 0xa0);
	plug_put_text(memory, PLUG_IDENTITY, 148, 16, "Mellanox");
	plug_put_text(memory, PLUG_IDENTITY, 168, 16, "MCP1600-E002");
	plug_put_text(memory, PLUG_IDENTITY, 196, 16, "MT1843VS01234");
}

/* An OSFP transceiver with eight lanes, CMIS 5.0, bias in units of 4 uA. */
static inline void sample_osfp(struct plug_memory *memory)
{
	*memory = (struct plug_memory){.length = {0}};
	plug_put(memory, PLUG_LOWER, 0, 0x19);
	plug_put(memory, PLUG_LOWER, 1, 0x50);
	plug_put(memory, PLUG_LOWER, 3, 3 << 1);
	plug_put_word(memory, PLUG_LOWER, 14, SAMPLE_DEGREES(52));
	plug_put_word(memory, PLUG_LOWER, 16, 33000);
	plug_put_word(memory, PLUG_LOWER, 39, 0x2e21);
	plug_put_text(memory, PLUG_IDENTITY, 129, 16, "NVIDIA");
	memcpy(plug_at(memory, PLUG_IDENTITY, 145), "\x48\xb0\x2d", 3);
	plug_put_text(memory, PLUG_IDENTITY, 148, 16, "MMA4Z00-NS");
	plug_put_text(memory, PLUG_IDENTITY, 164, 2, "A2");
	plug_put_text(memory, PLUG_IDENTITY, 166, 16, "MT2312FT07700");
	plug_put_text(memory, PLUG_IDENTITY, 182, 8, "230321");
	plug_put(memory, PLUG_IDENTITY, 203, 0x27);
	plug_put(memory, PLUG_IDENTITY, 212, 0x00);
	plug_put(memory, PLUG_ADVERTISED, 151, 1 << 4);
	plug_put(memory, PLUG_ADVERTISED, 159, 0x03);
	plug_put(memory, PLUG_ADVERTISED, 160, 0x07 | 1 << 3);
	plug_put_limits(memory, PLUG_LIMITS, 128, SAMPLE_DEGREES(80), SAMPLE_DEGREES(-5),
			SAMPLE_DEGREES(70), SAMPLE_DEGREES(0));
	plug_put_limits(memory, PLUG_LIMITS, 136, 34650, 31350, 34320, 31680);
	plug_put_limits(memory, PLUG_LIMITS, 176, 25119, 2000, 19953, 3000);
	plug_put_limits(memory, PLUG_LIMITS, 184, 2500, 250, 2250, 500);
	plug_put_limits(memory, PLUG_LIMITS, 192, 25119, 1000, 19953, 1585);
	for (unsigned int i = 0; i < 8; i++) {
		plug_put_word(memory, PLUG_LANES, 154 + 2 * i, 10000);
		plug_put_word(memory, PLUG_LANES, 170 + 2 * i, 1500);
		plug_put_word(memory, PLUG_LANES, 186 + 2 * i, 8000 + i);
	}
}

/* An SFP28 transceiver with internally calibrated diagnostics. */
static inline void sample_sfp28(struct plug_memory *memory)
{
	*memory = (struct plug_memory){.length = {0}};
	plug_put(memory, PLUG_LOWER, 0, 0x03);
	plug_put(memory, PLUG_LOWER, 1, 0x04);
	plug_put(memory, PLUG_LOWER, 2, 0x07);
	plug_put(memory, PLUG_LOWER, 18, 10);
	plug_put_text(memory, PLUG_LOWER, 20, 16, "FINISAR CORP.");
	memcpy(plug_at(memory, PLUG_LOWER, 37), "\x00\x90\x65", 3);
	plug_put_text(memory, PLUG_LOWER, 40, 16, "FTLF8536P4BCL");
	plug_put_text(memory, PLUG_LOWER, 56, 4, "A");
	plug_put_text(memory, PLUG_LOWER, 68, 16, "X3EANE1");
	plug_put_text(memory, PLUG_LOWER, 84, 8, "191204");
	plug_put(memory, PLUG_LOWER, 92, 0x68);
	plug_put(memory, PLUG_LOWER, 93, 0xb0);
	plug_put_limits(memory, PLUG_DIAGNOSTICS, 0, SAMPLE_DEGREES(78), SAMPLE_DEGREES(-13),
			SAMPLE_DEGREES(73), SAMPLE_DEGREES(-8));
	plug_put_limits(memory, PLUG_DIAGNOSTICS, 8, 37000, 29000, 36000, 30000);
	plug_put_limits(memory, PLUG_DIAGNOSTICS, 16, 6000, 1000, 5750, 1250);
	plug_put_limits(memory, PLUG_DIAGNOSTICS, 24, 22387, 692, 17782, 871);
	plug_put_limits(memory, PLUG_DIAGNOSTICS, 32, 22387, 407, 17782, 646);
	plug_put_word(memory, PLUG_DIAGNOSTICS, 96, SAMPLE_DEGREES(-3));
	plug_put_word(memory, PLUG_DIAGNOSTICS, 98, 33110);
	plug_put_word(memory, PLUG_DIAGNOSTICS, 100, 3200);
	plug_put_word(memory, PLUG_DIAGNOSTICS, 102, 7000);
	plug_put_word(memory, PLUG_DIAGNOSTICS, 104, 4100);
}
