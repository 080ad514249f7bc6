/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The register PDDR with its page Module_info, written in the notation of its source: a word of 32
 * bits and the lowest bit of a field in it (pddr_module_info_ext, register_access_table.adb).
 */
#pragma once

#include <string.h>

#include "plug/plug.h"

enum { SAMPLE_PDDR_PAGE = 8 };

static inline void pddr_put(uint8_t *bytes, unsigned int word, unsigned int low, unsigned int width,
			    uint32_t value)
{
	const uint32_t mask = (width == 32 ? 0 : UINT32_C(1) << width) - 1;
	uint8_t *at = bytes + word;
	uint32_t all = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];

	all = (all & ~(mask << low)) | (value & mask) << low;
	for (unsigned int i = 0; i < 4; i++)
		at[i] = (uint8_t)(all >> (24 - 8 * i));
}

/* A field of the page. */
static inline void pddr_put_page(uint8_t *bytes, unsigned int word, unsigned int low,
				 unsigned int width, uint32_t value)
{
	pddr_put(bytes, SAMPLE_PDDR_PAGE + word, low, width, value);
}

/* The even lanes, counted from 0, are in the upper halves of four words. */
static inline void pddr_put_lane(uint8_t *bytes, unsigned int word, unsigned int lane,
				 uint32_t value)
{
	pddr_put_page(bytes, word + lane / 2 * 4, lane % 2 ? 0 : 16, 16, value);
}

static inline void pddr_put_limits(uint8_t *bytes, unsigned int word, uint32_t high, uint32_t low)
{
	pddr_put_page(bytes, word, 16, 16, high);
	pddr_put_page(bytes, word, 0, 16, low);
}

static inline void pddr_put_text(uint8_t *bytes, unsigned int word, const char *text)
{
	memset(bytes + SAMPLE_PDDR_PAGE + word, ' ', 16);
	memcpy(bytes + SAMPLE_PDDR_PAGE + word, text, strlen(text));
}

enum {
	PDDR_RX = 0x50,
	PDDR_TX = 0x60,
	PDDR_BIAS = 0x70,
	PDDR_TEMPERATURE_LIMITS = 0x80,
	PDDR_RX_LIMITS = 0x88,
};

/* An OSFP transceiver with eight lanes; each sends 1200 and receives 800 microwatts. */
static inline void sample_pddr(uint8_t bytes[static PLUG_PDDR_BYTES])
{
	memset(bytes, 0, PLUG_PDDR_BYTES);
	pddr_put_page(bytes, 0x04, 28, 4, 2); /* cable_type */
	pddr_put_page(bytes, 0x04, 16, 8, 0x45);
	pddr_put_page(bytes, 0x04, 8, 8, 8); /* cable_identifier */
	pddr_put_text(bytes, 0x14, "NVIDIA");
	pddr_put_text(bytes, 0x24, "MMS4X00-NS");
	pddr_put_text(bytes, 0x3c, "MT2301FT00777");
	pddr_put_page(bytes, 0x4c, 0, 16, 32800);
	pddr_put_page(bytes, 0x4c, 16, 16, 47 * 256 + 128);
	for (unsigned int i = 0; i < 8; i++) {
		pddr_put_lane(bytes, PDDR_RX, i, 800 + i);
		pddr_put_lane(bytes, PDDR_TX, i, 1200 + i);
		pddr_put_lane(bytes, PDDR_BIAS, i, 3000 + i);
	}
	pddr_put_limits(bytes, PDDR_TEMPERATURE_LIMITS, 75 * 256, (uint32_t)(-5 * 256));
	pddr_put_limits(bytes, 0x84, 36000, 30000);
	pddr_put_limits(bytes, PDDR_RX_LIMITS, 3500, 90);
	pddr_put_limits(bytes, 0x8c, 4000, 300);
	pddr_put_limits(bytes, 0x90, 6000, 500);
	pddr_put_page(bytes, 0x98, 10, 2, 1);	/* tx_bias_scaling_factor: twice */
	pddr_put_page(bytes, 0x9c, 8, 8, 0x1f); /* monitor_cap_mask */
}
