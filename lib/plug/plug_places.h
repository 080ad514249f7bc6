/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where the facts of a module are: one table per standard, which plug.c walks. A row names a part
 * of the memory, and an offset as the standard counts it, 0 to 255.
 */
#pragma once

#include <stddef.h>

#include "plug/plug.h"

enum plug_form {
	FORM_TEXT,	  /* `width` bytes, padded with blanks */
	FORM_OUI,	  /* three bytes */
	FORM_DATE,	  /* YYMMDD and two characters of the vendor's */
	FORM_VERSION,	  /* two bytes, major and minor; 0.0: none, 255.255: invalid */
	FORM_CODE,	  /* `width` bits from `bit` of the byte, 0 the highest */
	FORM_FLAG,	  /* enum tristate: one bit */
	FORM_METRES,	  /* a byte times the unit; 0: unspecified, 255: longer than it can say */
	FORM_CMIS_METRES, /* two bits for a power of ten, six for the number; 0: unspecified */
	FORM_NUMBER,	  /* 16 bits times the unit */
	FORM_SIGNED,
	FORM_LIMITS, /* four numbers, in the order of enum plug_limit */
	FORM_SIGNED_LIMITS,
	FORM_ALARMS, /* only the first two of them */
	FORM_SIGNED_ALARMS,
};

/*
 * Correction that a reading needs: by the constants of an externally calibrated module (SFF-8472,
 * Bytes 56 to 91 of the second address), by the multiplier of CMIS (01h:160), or by the units that
 * the head of PDDR names.
 */
enum plug_correction {
	CORRECT_NOTHING,
	CORRECT_TEMPERATURE,
	CORRECT_VOLTAGE,
	CORRECT_TX_BIAS,
	CORRECT_TX_POWER,
	CORRECT_RX_POWER,
	CORRECT_CMIS_BIAS,
	CORRECT_PDDR_POWER,
	CORRECT_PDDR_BIAS,
};

/* When a monitor exists; a row without a condition always does. */
enum plug_condition {
	ALWAYS,
	IF_MONITORED,	/* the module measures at all */
	IF_TEMPERATURE, /* each monitor is advertised, in CMIS 01h:159 and 01h:160 or in PDDR */
	IF_VOLTAGE,
	IF_RX_POWER,
	IF_TX_POWER,
	IF_TX_BIAS,
	IF_THRESHOLDS, /* SFF-8472, byte 93: the module has thresholds, and flags for them */
	IF_CMIS,       /* PDDR: the module follows CMIS, or does not */
	IF_NOT_CMIS,
};

struct plug_fact {
	enum plug_form form;
	enum plug_part part;
	uint8_t offset, bit, width;
	uint16_t member; /* offset in struct plug, or in struct plug_lane */
	double unit;
	enum plug_condition condition;
	enum plug_correction correction;
};

/* Rows of the tables. */
#define MEMBER(member_)	  offsetof(struct plug, member_)
#define LANE(member_)	  offsetof(struct plug_lane, member_)
#define LIMITS(quantity_) (offsetof(struct plug, limits) + (quantity_) * sizeof(struct plug_limits))

#define FACT(form_, part_, offset_, bit_, width_, member_)                                       \
	{                                                                                        \
		form_, part_, offset_, bit_, width_, MEMBER(member_), 1, ALWAYS, CORRECT_NOTHING \
	}
#define TEXT(part_, offset_, width_, member_) FACT(FORM_TEXT, part_, offset_, 0, width_, member_)
#define OF(form_, part_, offset_, member_)    FACT(form_, part_, offset_, 0, 0, member_)
#define CODE(part_, offset_, bit_, width_, member_) \
	FACT(FORM_CODE, part_, offset_, bit_, width_, member_)
#define FLAG(part_, offset_, bit_, member_, condition_)                             \
	{                                                                           \
		FORM_FLAG, part_, offset_, bit_, 1, MEMBER(member_), 1, condition_, \
			CORRECT_NOTHING                                             \
	}
#define MONITOR(form_, part_, offset_, place_, unit_, condition_, correction_)       \
	{                                                                            \
		form_, part_, offset_, 0, 16, place_, unit_, condition_, correction_ \
	}

/* The unit of a reading, the same in all standards: 1/256 degree, 100 uV, 2 uA. */
#define DEGREES	  (1.0 / 256)
#define VOLTS	  1e-4
#define MILLIAMPS 2e-3

/*
 * The place of a flag: for lane n, (n - 1) * step bits after `bit` (0 is the highest bit of the
 * byte at `offset`, 8 that of the next one). A flag of the module itself has `step` 0.
 */
struct plug_flag_place {
	uint64_t flag;
	enum plug_part part;
	uint8_t offset, bit;
	int8_t step;
};

struct plug_layout {
	enum plug_standard standard;
	const struct plug_fact *facts;	     /* end with a unit of 0 */
	const struct plug_fact *lane_facts;  /* of lane 1; each further lane is two bytes on */
	const struct plug_flag_place *flags; /* end with a flag of 0 */
};

extern const struct plug_layout plug_sff_8472, plug_sff_8636, plug_cmis;

/* A form of module: the layout of its facts, and its number of lanes. */
struct plug_form_factor {
	uint8_t identifier;
	uint8_t lanes;
	const struct plug_layout *layout;
};

/* NULL if the identifier was not read, or is unknown here. */
const struct plug_form_factor *plug_form_of(const struct plug_memory *memory);
/* `count` bytes at an offset as the standard counts; NULL if not all of them were read. */
const uint8_t *plug_bytes(const struct plug_memory *memory, enum plug_part part,
			  unsigned int offset, unsigned int count);
/* A byte, or 0 if it was not read: for bits that promise something. */
unsigned int plug_byte(const struct plug_memory *memory, enum plug_part part, unsigned int offset);
/* SFF-8472, byte 92: diagnostics exist, and the second address needs no special sequence. */
bool plug_has_diagnostics(const struct plug_memory *memory);
/* Whether a code of byte 147 of SFF-8636 or of byte 212 of CMIS means copper. */
bool plug_is_copper(unsigned int technology);
bool plug_is_measured(const struct plug_memory *memory, enum plug_standard standard,
		      enum plug_condition condition);
/* Whether the module promises the flag; true if the standard has no bit for that. */
bool plug_is_flagged(const struct plug_memory *memory, enum plug_standard standard, uint64_t flag);
/* Whether a lane, from 0, has light; a CMIS module may have fewer media lanes than host lanes. */
bool plug_has_media_lane(const struct plug_memory *memory, enum plug_standard standard,
			 unsigned int lane);
/*
 * Corrects a reading, in units of the standard. Returns false if its correction is missing or makes
 * no sense.
 */
bool plug_correct(const struct plug_memory *memory, const struct plug_fact *fact, double *value);

/* The same for what firmware reports: plug_pddr.c. */
const struct plug_form_factor *plug_pddr_form(const struct plug_memory *memory);
bool plug_pddr_has(const struct plug_memory *memory, enum plug_condition condition);
bool plug_pddr_correct(const struct plug_memory *memory, enum plug_correction correction,
		       double *value);
/* 0 if the firmware does not know the kind. */
enum plug_kind plug_pddr_kind(const struct plug_memory *memory);
