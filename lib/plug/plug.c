/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "plug/plug.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "plug/plug_places.h"
#include "schema/bits.h"

/* Text in a field of fixed size ends with blanks, or with NULs despite the standards. */
static char *take_text(const uint8_t *bytes, size_t width)
{
	bool erased = true;

	while (width && (bytes[width - 1] == ' ' || !bytes[width - 1]))
		width--;
	for (size_t i = 0; i < width; i++)
		erased &= bytes[i] == 0xff;
	return erased ? NULL : text_clean((const char *)bytes, width);
}

static char *take_date(const uint8_t *bytes)
{
	for (size_t i = 0; i < 6; i++)
		if (bytes[i] < '0' || bytes[i] > '9')
			return NULL;
	return mem_format("20%.2s-%.2s-%.2s", (const char *)bytes, (const char *)bytes + 2,
			  (const char *)bytes + 4);
}

static char *take_version(const uint8_t *bytes)
{
	const bool none = !bytes[0] && !bytes[1], invalid = bytes[0] == 0xff && bytes[1] == 0xff;

	return none || invalid ? NULL : mem_format("%u.%u", bytes[0], bytes[1]);
}

/* Byte 202 of page 00h: 0.1, 1, 10 or 100 times the lower six bits. */
static double cmis_metres(uint8_t byte)
{
	static const double factors[] = {0.1, 1, 10, 100};

	return factors[byte >> 6] * (byte & 0x3f);
}

static void set_metres(struct real *metres, double value)
{
	if (value > 0)
		*metres = real_of(value);
}

static void take_number(const struct plug_memory *memory, const struct plug_fact *fact,
			unsigned int offset, bool is_signed, struct real *real)
{
	const uint8_t *bytes = plug_bytes(memory, fact->part, offset, 2);
	double value;

	if (!bytes)
		return;
	value = is_signed ? (double)(int16_t)(uint16_t)bits_get(bytes, 0, 16)
			  : (double)bits_get(bytes, 0, 16);
	if (plug_correct(memory, fact, &value))
		*real = real_of(value * fact->unit);
}

/* Thresholds that a vendor did not set are all the same: 0, or all ones of erased memory. */
static void take_limits(const struct plug_memory *memory, const struct plug_fact *fact,
			struct plug_limits *limits)
{
	const bool four = fact->form == FORM_LIMITS || fact->form == FORM_SIGNED_LIMITS;
	const unsigned int count = four ? LIMIT_COUNT : LIMIT_LOW_ALARM + 1;
	const uint8_t *bytes = plug_bytes(memory, fact->part, fact->offset, 2 * count);

	if (bytes && !memcmp(bytes, bytes + 2, (size_t)2 * (count - 1)))
		return;
	for (unsigned int i = 0; i < count; i++)
		take_number(memory, fact, fact->offset + 2 * i,
			    fact->form == FORM_SIGNED_LIMITS || fact->form == FORM_SIGNED_ALARMS,
			    &limits->values[i]);
}

static unsigned int size_of(const struct plug_fact *fact)
{
	static const uint8_t sizes[] = {[FORM_OUI] = 3, [FORM_DATE] = 8, [FORM_VERSION] = 2};

	if (fact->form == FORM_TEXT)
		return fact->width;
	return fact->form <= FORM_VERSION ? sizes[fact->form] : 1;
}

static void take_bytes(const struct plug_fact *fact, const uint8_t *bytes, void *member)
{
	switch (fact->form) {
	case FORM_TEXT:
		*(char **)member = take_text(bytes, fact->width);
		break;
	case FORM_OUI:
		if (bits_get(bytes, 0, 24))
			*(char **)member = mem_format("%02x:%02x:%02x", bytes[0], bytes[1],
						      bytes[2]);
		break;
	case FORM_DATE:
		*(char **)member = take_date(bytes);
		break;
	case FORM_VERSION:
		*(char **)member = take_version(bytes);
		break;
	case FORM_FLAG:
		*(enum tristate *)member = bits_get(bytes, fact->bit, 1) ? TRISTATE_YES
									 : TRISTATE_NO;
		break;
	case FORM_METRES:
		set_metres(member, *bytes == 0xff ? 0 : *bytes);
		break;
	case FORM_CMIS_METRES:
		set_metres(member, *bytes == 0xff ? 0 : cmis_metres(*bytes));
		break;
	default:
		number_set(member, bits_get(bytes, fact->bit, fact->width));
	}
}

/* `lane` counts from 0; `record` is the plug or the lane. */
static void take_fact(const struct plug_memory *memory, const struct plug_layout *layout,
		      const struct plug_fact *fact, unsigned int lane, void *record)
{
	void *member = (char *)record + fact->member;
	const uint8_t *bytes;

	if (!plug_is_measured(memory, layout->standard, fact->condition))
		return;
	if (fact->form >= FORM_LIMITS) {
		take_limits(memory, fact, member);
	} else if (fact->form == FORM_NUMBER || fact->form == FORM_SIGNED) {
		take_number(memory, fact, fact->offset + 2 * lane, fact->form == FORM_SIGNED,
			    member);
	} else {
		bytes = plug_bytes(memory, fact->part, fact->offset, size_of(fact));
		if (bytes)
			take_bytes(fact, bytes, member);
	}
}

/* Adds the flag if it is set; `flags` becomes known if the byte was read and is meaningful. */
static void take_flag(const struct plug_memory *memory, const struct plug_layout *layout,
		      const struct plug_flag_place *place, unsigned int lane, struct number *flags)
{
	const unsigned int bit = (unsigned int)(place->bit + (int)lane * place->step);
	const uint8_t *byte = plug_bytes(memory, place->part, place->offset + bit / 8, 1);

	if (!byte || !plug_is_flagged(memory, layout->standard, place->flag))
		return;
	number_set(flags, flags->value | (bits_get(byte, bit % 8, 1) ? place->flag : 0));
}

/*
 * By the standards, a reading beyond the threshold is an alarm, and one at the threshold is not.
 * There is no warning beside an alarm. A threshold that lacks the other one of its side is not
 * compared, unless it comes from firmware, which reports only those of alarms.
 */
static void compare(const struct plug *plug, const struct real *value, enum plug_quantity quantity,
		    struct number *alarms)
{
	static const struct {
		enum plug_limit alarm, warning;
		int sign;
	} sides[] = {{LIMIT_HIGH_ALARM, LIMIT_HIGH_WARNING, 1},
		     {LIMIT_LOW_ALARM, LIMIT_LOW_WARNING, -1}};

	for (size_t i = 0; value->known && i < ARRAY_SIZE(sides); i++) {
		const struct real *alarm = &plug->limits[quantity].values[sides[i].alarm];
		const struct real *warning = &plug->limits[quantity].values[sides[i].warning];

		if (!alarm->known || (plug->standard.known && !warning->known))
			continue;
		number_set(alarms, alarms->value);
		if ((value->value - alarm->value) * sides[i].sign > 0)
			alarms->value |= PLUG_FLAG(quantity, sides[i].alarm);
		else if (warning->known && (value->value - warning->value) * sides[i].sign > 0)
			alarms->value |= PLUG_FLAG(quantity, sides[i].warning);
	}
}

static void merge(struct number *all, const struct number *some)
{
	if (some->known)
		number_set(all, all->value | some->value);
}

static void take_lane(const struct plug_memory *memory, const struct plug_layout *layout,
		      unsigned int number, struct plug *plug)
{
	/* Faults of the host side, which has a lane of that number even without light. */
	static const uint64_t host = UINT64_C(1) << PLUG_TX_LOSS | UINT64_C(1) << PLUG_TX_UNLOCKED |
				     UINT64_C(1) << PLUG_TX_EQUALIZER_FAULT;
	const bool has_light = plug_has_media_lane(memory, layout->standard, number);
	struct plug_lane *lane = &plug->lanes[number];

	number_set(&lane->lane, number + 1);
	for (const struct plug_fact *fact = layout->lane_facts; has_light && fact->unit > 0; fact++)
		take_fact(memory, layout, fact, number, lane);
	for (const struct plug_flag_place *place = layout->flags; place->flag; place++)
		if (place->step && (has_light || place->flag & host))
			take_flag(memory, layout, place, number, &lane->flags);
	compare(plug, &lane->rx_power_mw, PLUG_RX_POWER, &lane->alarms);
	compare(plug, &lane->tx_power_mw, PLUG_TX_POWER, &lane->alarms);
	compare(plug, &lane->tx_bias_ma, PLUG_TX_BIAS, &lane->alarms);
	merge(&plug->flags, &lane->flags);
	merge(&plug->alarms, &lane->alarms);
}

static bool is_light(const struct plug *plug)
{
	return number_is(&plug->kind, PLUG_OPTICAL) || number_is(&plug->kind, PLUG_ACTIVE_OPTICAL);
}

/* Lanes without readings and faults get no record: those of a passive cable. */
static void take_lanes(const struct plug_memory *memory, const struct plug_form_factor *form,
		       struct plug *plug)
{
	const enum plug_part part = form->layout->lane_facts->part;
	const enum plug_standard standard = form->layout->standard;
	const bool passive = number_is(&plug->kind, PLUG_PASSIVE_COPPER);

	if (!memory->length[part] || passive ||
	    (standard == PLUG_SFF_8472 && !plug_has_diagnostics(memory)) ||
	    (standard == PLUG_SFF_8636 && !is_light(plug)) ||
	    (standard == PLUG_TOLD && !plug_pddr_has(memory, IF_MONITORED)))
		return;
	plug->lane_count = form->lanes;
	for (unsigned int i = 0; i < form->lanes; i++)
		take_lane(memory, form->layout, i, plug);
}

/* Connectors of SFF-8024, classified as by sfp_parse_port() of drivers/net/phy/sfp-bus.c. */
enum { COPPER_PIGTAIL = 0x21, RJ45 = 0x22, NO_CONNECTOR = 0x23 };

/* PORT_FIBRE there, and the CS, SN and multifibre connectors that came later. */
static bool is_for_fibre(uint64_t connector)
{
	return connector == 0x01 || (connector >= 0x06 && connector <= 0x0d && connector != 0x0a) ||
	       (connector >= 0x25 && connector <= 0x28);
}

/* SFF-8472: bits 2 and 3 of byte 8 for copper, byte 36 for the kind of an active cable. */
static enum plug_kind kind_of_sfp(const struct plug_memory *memory, const struct plug *plug)
{
	const unsigned int technology = plug_byte(memory, PLUG_LOWER, 8);
	const unsigned int compliance = plug_byte(memory, PLUG_LOWER, 36);

	if (!plug_bytes(memory, PLUG_LOWER, 36, 1))
		return 0;
	if (technology & 1u << 2)
		return PLUG_PASSIVE_COPPER;
	if (compliance == 0x01 || compliance == 0x18)
		return PLUG_ACTIVE_OPTICAL;
	if (compliance == 0x08 || compliance == 0x19)
		return PLUG_ACTIVE_COPPER;
	if (technology & 1u << 3)
		return PLUG_ACTIVE;
	if (plug->connector.value == RJ45)
		return PLUG_TWISTED_PAIR;
	return is_for_fibre(plug->connector.value) ? PLUG_OPTICAL : 0;
}

/* Returns 0 if the memory does not tell. */
static enum plug_kind kind_of(const struct plug_memory *memory, enum plug_standard standard,
			      const struct plug *plug)
{
	const uint64_t technology = plug->technology.value;

	if (standard == PLUG_TOLD)
		return plug_pddr_kind(memory);
	if (standard == PLUG_SFF_8472)
		return kind_of_sfp(memory, plug);
	if (!plug->technology.known)
		return 0;
	if (technology == 0xa || technology == 0xb)
		return PLUG_PASSIVE_COPPER;
	if (plug_is_copper((unsigned int)technology))
		return PLUG_ACTIVE_COPPER;
	if (plug->connector.value == NO_CONNECTOR)
		return PLUG_ACTIVE_OPTICAL;
	return plug->connector.value == RJ45 ? PLUG_TWISTED_PAIR : PLUG_OPTICAL;
}

static bool is_cable(const struct plug *plug)
{
	if (!plug->kind.known)
		return plug->connector.value == COPPER_PIGTAIL ||
		       plug->connector.value == NO_CONNECTOR;
	return plug->kind.value != PLUG_OPTICAL && plug->kind.value != PLUG_TWISTED_PAIR;
}

/* Applies what one fact says about another. */
static void settle(struct plug *plug)
{
	/*
	 * SFF-8636, byte 146, and SFF-8472, byte 18: here the reach over some fibre, not a length.
	 */
	if (!is_cable(plug))
		plug->length_m.known = false;
	if (plug->state.value != 5)
		plug->fault.known = false;
	for (unsigned int i = 0; i < PLUG_QUANTITY_COUNT; i++)
		number_set(&plug->limits[i].quantity, i);
}

void plug_decode(const struct plug_memory *memory, struct plug *ret_plug)
{
	const struct plug_form_factor *form = plug_form_of(memory);
	const uint8_t *identifier = plug_bytes(memory, PLUG_LOWER, 0, 1);

	*ret_plug = (struct plug){.lane_count = 0};
	if (identifier && *identifier)
		number_set(&ret_plug->identifier, *identifier);
	if (!form)
		return;
	if (form->layout->standard != PLUG_TOLD)
		number_set(&ret_plug->standard, form->layout->standard);
	else if (form->identifier)
		number_set(&ret_plug->identifier, form->identifier);
	for (const struct plug_fact *fact = form->layout->facts; fact->unit > 0; fact++)
		take_fact(memory, form->layout, fact, 0, ret_plug);
	ret_plug->kind = number_unless_zero(kind_of(memory, form->layout->standard, ret_plug));
	settle(ret_plug);
	for (const struct plug_flag_place *place = form->layout->flags; place->flag; place++)
		if (!place->step && ret_plug->temperature_c.known)
			take_flag(memory, form->layout, place, 0, &ret_plug->flags);
	compare(ret_plug, &ret_plug->temperature_c, PLUG_TEMPERATURE, &ret_plug->alarms);
	compare(ret_plug, &ret_plug->voltage_v, PLUG_VOLTAGE, &ret_plug->alarms);
	take_lanes(memory, form, ret_plug);
}

char *plug_unknown_text(const struct plug_memory *memory)
{
	const uint8_t *identifier = plug_bytes(memory, PLUG_LOWER, 0, 1);

	return !identifier || plug_form_of(memory)
		       ? NULL
		       : mem_format("the layout of modules with identifier 0x%02x is not known "
				    "here",
				    *identifier);
}

void plug_clear(struct plug *plug)
{
	char *const texts[] = {plug->vendor, plug->oui,	 plug->part,	plug->revision,
			       plug->serial, plug->date, plug->firmware};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		free(texts[i]);
	*plug = (struct plug){.lane_count = 0};
}
