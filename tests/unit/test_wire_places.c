/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The offsets of the fields of management attributes, compared with those of the kernel and
 * libibmad: tests/fixtures/wire-places.txt, as tests/wire-places found them in their sources.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mad/format/attribute.h"
#include "mad/format/pm_counters.h"

/* A line of the fixture. */
struct place {
	char attribute[48], name[64], key[64];
	unsigned int bit, width;
};

static const struct schema *schema_of(const char *attribute)
{
	static const struct mad_attribute *const tables[] = {
		sm_attributes,
		pm_attributes,
		cm_attributes,
		sa_attributes,
	};

	/* The same attribute, shown by another table while RS-FEC is on. */
	if (!strcmp(attribute, "PortExtendedSpeedsCounters+RSFEC"))
		return &perf_extended_speeds_rsfec_schema;
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (const struct mad_attribute *a = tables[i]; a->schema; a++)
			if (!strcmp(a->name, attribute))
				return a->schema;
	return NULL;
}

/* Two rows may show the same bits, as a mask and as words. */
static const struct field *field_at(const struct schema *schema, unsigned int bit)
{
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].width && schema->fields[i].bit == bit)
			return &schema->fields[i];
	return NULL;
}

static void compare(const struct place *place)
{
	const struct schema *schema = schema_of(place->attribute);
	const struct field *field;

	if (!schema)
		fail_msg("%s is not decoded", place->attribute);
	if (!strcmp(place->key, "-")) {
		field = field_at(schema, place->bit);
		if (field && field->width == place->width)
			fail_msg("%s: %s is at the place of %s, which has no key in the fixture",
				 place->attribute, field->key, place->name);
		return;
	}
	field = schema_find(schema, place->key);
	if (!field)
		fail_msg("%s has no %s", place->attribute, place->key);
	if (field->bit != place->bit || field->width != place->width)
		fail_msg("%s: %s is %u bits from bit %u, and %s is %u from %u", place->attribute,
			 field->key, (unsigned int)field->width, (unsigned int)field->bit,
			 place->name, place->width, place->bit);
}

/* Calls `call` for each line, and returns the number of lines. */
static unsigned int call_for_places(void (*call)(const struct place *place))
{
	FILE *file = fopen("tests/fixtures/wire-places.txt", "re");
	unsigned int count = 0;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		struct place place;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%47[^\t]\t%u\t%u\t%63[^\t]\t%63[^\n]",
					place.attribute, &place.bit, &place.width, place.name,
					place.key),
				 5);
		call(&place);
		count++;
	}
	fclose(file);
	return count;
}

static void places_of_others(void **state)
{
	(void)state;
	assert_in_range(call_for_places(compare), 500, 1000);
}

/* SMP_MlnxExtPortInfo of ibutils2's ibis, packets_layouts.h: libibmad has only the speeds. */
static void places_of_ibis(void **state)
{
	static const struct {
		unsigned int dword, low_bit, width;
		const char *name, *key;
	} rows[] = {
		{0x00, 0, 8, "StateChangeEnable", "state_change_enable"},
		{0x04, 0, 8, "LinkSpeedSupported", "speed_supported"},
		{0x08, 0, 8, "LinkSpeedEnabled", "speed_enabled"},
		{0x0c, 0, 8, "LinkSpeedActive", "speed_active"},
		{0x10, 20, 4, "FECModeActive", "fec_active"},
		{0x14, 0, 16, "FDR10FECModeSupported", "fec_fdr10_supported_mask"},
		{0x14, 16, 16, "FDR10FECModeEnabled", "fec_fdr10_enabled_mask"},
		{0x18, 0, 16, "FDRFECModeSupported", "fec_fdr_supported_mask"},
		{0x18, 16, 16, "FDRFECModeEnabled", "fec_fdr_enabled_mask"},
		{0x1c, 0, 16, "EDR20FECModeSupported", "fec_edr20_supported_mask"},
		{0x1c, 16, 16, "EDR20FECModeEnabled", "fec_edr20_enabled_mask"},
		{0x20, 0, 16, "EDRFECModeSupported", "fec_edr_supported_mask"},
		{0x20, 16, 16, "EDRFECModeEnabled", "fec_edr_enabled_mask"},
		{0x30, 0, 16, "HDRFECModeSupported", "fec_hdr_supported_mask"},
		{0x30, 16, 16, "HDRFECModeEnabled", "fec_hdr_enabled_mask"},
		{0x38, 0, 16, "NDRFECModeSupported", "fec_ndr_supported_mask"},
		{0x38, 16, 16, "NDRFECModeEnabled", "fec_ndr_enabled_mask"},
		{0x3c, 0, 16, "XDRFECModeSupported", "fec_xdr_supported_mask"},
		{0x3c, 16, 16, "XDRFECModeEnabled", "fec_xdr_enabled_mask"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct place place = {
			.attribute = "ExtendedPortInfo",
			/* Bit 0 of ibis is the lowest of a big-endian word, ours the highest. */
			.bit = rows[i].dword * 8 + 32 - rows[i].low_bit - rows[i].width,
			.width = rows[i].width,
		};

		snprintf(place.name, sizeof(place.name), "%s", rows[i].name);
		snprintf(place.key, sizeof(place.key), "%s", rows[i].key);
		compare(&place);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_of_others),
		cmocka_unit_test(places_of_ibis),
	};

	return cmocka_run_group_tests_name("wire_places", tests, NULL, NULL);
}
