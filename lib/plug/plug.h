/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The plug at the end of a cable: the module in the cage of a port, as its memory describes it. A
 * module shows 256 bytes at an address of its two-wire bus; the upper 128 are one of many pages.
 * The layout is that of SFF-8472 (SFP), SFF-8636 (QSFP) or CMIS 5 (QSFP-DD, OSFP), chosen by the
 * identifier in byte 0 (SFF-8024). A reader of the memory asks plug_next_part() what is worth
 * reading; plug_decode() fills the record from what was read. A record owns its strings. What a
 * module does not have, or what was not read, stays unknown.
 *
 * The alarm and warning flags of a module are latched: reading clears them, for this program as
 * well as for every other one.
 */
#pragma once

#include "schema/schema.h"

enum {
	PLUG_PART_BYTES = 128,
	PLUG_LANES_MOST = 8, /* CMIS: the lanes of bank 0 */
};

/* The parts of a module's memory that hold facts. */
enum plug_part {
	PLUG_LOWER,	  /* the lower half: identifier, status, and for SFP the whole identity */
	PLUG_IDENTITY,	  /* page 00h: vendor, part, serial number, length */
	PLUG_ADVERTISED,  /* page 01h of CMIS: the features of the module */
	PLUG_LIMITS,	  /* page 02h of CMIS: thresholds */
	PLUG_LIMITS_8636, /* page 03h of SFF-8636: thresholds */
	PLUG_LANES,	  /* page 11h of CMIS: flags and monitors of the lanes */
	PLUG_DIAGNOSTICS, /* the lower half of the second address of SFF-8472 */
	/*
	 * Not part of the module's memory: what the firmware of NVIDIA's devices reports about the
	 * module instead, bytes 0 to 119 of the register PDDR with its page Module_info, and the
	 * rest.
	 */
	PLUG_PDDR,
	PLUG_PDDR_REST,
	PLUG_PARTS,
};

/* Bytes of the register that hold facts, including those of its head. */
enum { PLUG_PDDR_BYTES = 216 };

/* Where a part is: an address on the bus, a page, and the first byte. */
struct plug_place {
	uint8_t address, page, offset;
};

extern const struct plug_place plug_places[PLUG_PARTS];

/* What was read: the first `length` bytes of each part. */
struct plug_memory {
	uint8_t bytes[PLUG_PARTS][PLUG_PART_BYTES];
	uint8_t length[PLUG_PARTS];
};

/*
 * Finds the next part worth reading, from what is known so far; `tried` has a bit for each part
 * that was tried. Returns false if nothing is left.
 */
bool plug_next_part(const struct plug_memory *memory, unsigned int tried, enum plug_part *ret_part);

/*
 * Stores what the firmware reports instead of the memory. `microwatts`: powers are in microwatts,
 * as requested, and not in whole dBm. Returns false, and stores nothing, if it says that no module
 * is plugged in.
 */
bool plug_take_pddr(struct plug_memory *memory, const uint8_t bytes[static PLUG_PDDR_BYTES],
		    bool microwatts);
/* Whether the firmware reported it; false if the memory was read, or nothing. */
bool plug_is_told(const struct plug_memory *memory);

/*
 * Convert the memory to text and back, for files: for each part that was read its number, a colon,
 * and its bytes in hexadecimal, with blanks between them. The caller frees the text.
 * plug_memory_parse() returns -EINVAL if the text has another form.
 */
char *plug_memory_text(const struct plug_memory *memory);
int plug_memory_parse(const char *text, struct plug_memory *ret_memory);

/* PLUG_TOLD is no standard, but the layout of what firmware reports; the record then has none. */
enum plug_standard { PLUG_SFF_8472 = 1, PLUG_SFF_8636, PLUG_CMIS, PLUG_TOLD };

/* The standard of modules with that identifier of SFF-8024; 0 if it is not known here. */
enum plug_standard plug_standard_of(uint8_t identifier);

enum plug_kind {
	PLUG_PASSIVE_COPPER = 1, /* a cable without electronics */
	PLUG_ACTIVE_COPPER,
	PLUG_ACTIVE_OPTICAL, /* a cable with its fibres fixed to both plugs */
	PLUG_ACTIVE,	     /* a cable; the module does not say of which kind */
	PLUG_OPTICAL,	     /* a transceiver for separate fibres */
	PLUG_TWISTED_PAIR,   /* a transceiver with a socket for 8P8C plugs */
};

/* Alarms and warnings of a module and of its lanes, one bit each. */
#define PLUG_QUANTITIES(QUANTITY)            \
	QUANTITY(TEMPERATURE, "temperature") \
	QUANTITY(VOLTAGE, "voltage")         \
	QUANTITY(RX_POWER, "rx-power")       \
	QUANTITY(TX_POWER, "tx-power")       \
	QUANTITY(TX_BIAS, "tx-bias")

enum plug_quantity {
#define QUANTITY(name, word) PLUG_##name,
	PLUG_QUANTITIES(QUANTITY)
#undef QUANTITY
		PLUG_QUANTITY_COUNT,
};

/* In the order in which all three standards store the thresholds of a quantity. */
enum plug_limit {
	LIMIT_HIGH_ALARM,
	LIMIT_LOW_ALARM,
	LIMIT_HIGH_WARNING,
	LIMIT_LOW_WARNING,
	LIMIT_COUNT
};

#define PLUG_FLAG(quantity, limit) (UINT64_C(1) << ((quantity)*LIMIT_COUNT + (limit)))

/* Numbers of the bits of flags. */
enum plug_fault {
	PLUG_RX_LOSS = PLUG_QUANTITY_COUNT * LIMIT_COUNT, /* no light */
	PLUG_TX_LOSS,					  /* no signal from the port */
	PLUG_RX_UNLOCKED,				  /* the clock of a signal is not found */
	PLUG_TX_UNLOCKED,
	PLUG_TX_FAULT,
	PLUG_TX_EQUALIZER_FAULT,
};

/* Thresholds of a quantity, as the vendor of the module set them. */
struct plug_limits {
	struct number quantity; /* enum plug_quantity */
	struct real values[LIMIT_COUNT];
};

struct plug_lane {
	struct number lane; /* from 1 */
	struct real rx_power_mw, tx_power_mw, tx_bias_ma;
	struct number flags;  /* latched by the module since the last read */
	struct number alarms; /* beyond their thresholds now */
};

struct plug {
	struct number standard;	  /* enum plug_standard; unknown if it is none of these */
	struct number identifier; /* SFF-8024 */
	struct number kind;	  /* enum plug_kind */
	struct number connector, technology;
	char *vendor, *oui, *part, *revision, *serial, *date, *firmware;
	struct real length_m; /* of a cable; a transceiver does not know its fibres */
	struct number state;  /* CMIS: of the module */
	struct number fault;  /* CMIS: reason for the fault state */
	struct real temperature_c, voltage_v;
	enum tristate rx_power_is_average; /* no: the optical modulation amplitude */
	struct plug_limits limits[PLUG_QUANTITY_COUNT];
	struct plug_lane lanes[PLUG_LANES_MOST];
	size_t lane_count;	     /* 0: it measures nothing per lane, or that was not read */
	struct number flags, alarms; /* of the module and of all lanes */
};

extern const struct enum_name plug_standard_names[], plug_kind_names[], plug_flag_names[];
extern const struct enum_name plug_identifier_names[], plug_connector_names[];
extern const struct enum_name plug_technology_names[], plug_state_names[], plug_fault_names[];
extern const struct schema plug_lane_schema, plug_limits_schema;

void plug_decode(const struct plug_memory *memory, struct plug *ret_plug);
void plug_clear(struct plug *plug);
/* A sentence, to be freed, if a module with an unknown layout was read; else NULL. */
char *plug_unknown_text(const struct plug_memory *memory);
/* The lane that receives the least; NULL if none is measured. */
const struct plug_lane *plug_weakest(const struct plug *plug);

/*
 * Decibels above one milliwatt. Modules cannot measure less than 0.0001 mW; anything less is shown
 * as that, PLUG_LEAST_DBM.
 */
#define PLUG_LEAST_DBM (-40.0)
double plug_dbm(double milliwatts);

/* Getters of fields; they set nothing if nothing is known. */
void plug_set_dbm(struct value *value, const struct real *milliwatts);
void plug_set_weakest(struct value *value, const struct plug *plug); /* the same for that lane */
void plug_set_lanes(struct value *value, const struct plug *plug);   /* as records */

#define PLUG_WEAKEST_HELP "receive power of the weakest lane; -40: too little to be measured"

/*
 * Columns of a record with a plug. `shown_` applies to what is the same at both ends of a cable,
 * `each_` to what each end has of its own.
 */
#define PLUG_COLUMNS(record_, member_, key_, heading_, shown_, each_)                              \
	ENUM_FIELD(record_, member_.kind, plug_kind_names, key_ "kind", heading_ "KIND", shown_,   \
		   0, "what is plugged in: copper or optical, cable or transceiver"),              \
		ENUM_FIELD(record_, member_.identifier, plug_identifier_names, key_ "identifier",  \
			   heading_ "IDENTIFIER", 0, 0, "form of the module (SFF-8024)"),          \
		STRING_FIELD(record_, member_.vendor, key_ "vendor", heading_ "VENDOR", shown_, 0, \
			     "vendor of the module"),                                              \
		STRING_FIELD(record_, member_.part, key_ "part", heading_ "PART", shown_, 0,       \
			     "vendor's part number"),                                              \
		STRING_FIELD(record_, member_.serial, key_ "serial", heading_ "SERIAL", each_, 0,  \
			     "vendor's serial number"),                                            \
		REAL_FIELD(record_, member_.length_m, key_ "length_m", heading_ "LENGTH m",        \
			   (shown_) | FIELD_RIGHT, 0,                                              \
			   "length of a cable, metres; not of separate fibres"),                   \
		TENTHS_FIELD(record_, member_.temperature_c, key_ "temperature_c",                 \
			     heading_ "TEMP C", (each_) | FIELD_RIGHT, 0,                          \
			     "temperature of the module, degrees Celsius")
