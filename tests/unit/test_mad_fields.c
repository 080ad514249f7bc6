/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The field tables of the subnet management and subnet administration attributes: what holds for
 * all of them, and records whose bytes were assembled by hand from the specification.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mad/format/attribute.h"
#include "mad/format/header.h"
#include "render/format.h"
#include "schema/bits.h"

static const struct mad_attribute *const all_tables[] = {sm_attributes, sa_attributes};

static void for_all(void (*check)(const struct mad_attribute *attribute))
{
	for (size_t i = 0; i < ARRAY_SIZE(all_tables); i++)
		for (const struct mad_attribute *a = all_tables[i]; a->schema; a++)
			check(a);
}

static void check_attribute(const struct mad_attribute *attribute)
{
	const struct schema *schema = attribute->schema;
	bool is_sa = attribute->mgmt_class == UMAD_CLASS_SUBN_ADM;
	size_t defaults = 0;

	assert_true(attribute->bytes <= (is_sa ? 200 : 64));
	if (attribute->entries)
		assert_int_equal(attribute->entries * attribute->entry_bytes, attribute->bytes);
	assert_int_equal(schema->record_size, sizeof(struct mad_record));
	assert_int_equal(strncmp(schema->name, is_sa ? "sa_" : "smp_", is_sa ? 3 : 4), 0);
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];

		defaults += field->flags & FIELD_DEFAULT ? 1 : 0;
		assert_true(islower((unsigned char)field->key[0]));
		assert_int_equal(strspn(field->key, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(field->key));
		assert_true(strlen(field_help(field)) > 0);
		assert_true(field_help(field)[strlen(field_help(field)) - 1] != '.');
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(schema->fields[j].key, field->key);
	}
	assert_true(defaults > 0);
}

static void rules_of_attributes(void **state)
{
	(void)state;
	for_all(check_attribute);
}

static void names_of_attributes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all_tables); i++)
		for (const struct mad_attribute *a = all_tables[i]; a->schema; a++) {
			assert_ptr_equal(mad_attribute_find(a->mgmt_class, a->id), a);
			if (a->word)
				assert_ptr_equal(mad_attribute_find_word(all_tables[i], a->word),
						 a);
			if (a->alias)
				assert_ptr_equal(mad_attribute_find_word(all_tables[i], a->alias),
						 a);
		}
	assert_string_equal(mad_attribute_find(UMAD_CLASS_SUBN_DIRECTED_ROUTE, 0x15)->schema->name,
			    "smp_portinfo");
	assert_null(mad_attribute_find_word(sm_attributes, "path"));
}

/* The hexadecimal and the textual mask of a port: the only bits that two rows show. */
static bool same_bits_twice(const struct field *a, const struct field *b)
{
	return a->bit == b->bit && a->width == b->width &&
	       ((a->kind == FIELD_HEX && b->kind == FIELD_FLAGS) ||
		(a->kind == FIELD_FLAGS && b->kind == FIELD_HEX));
}

static void check_places(const struct mad_attribute *attribute)
{
	const struct schema *schema = attribute->schema;
	size_t bytes = attribute->entries ? attribute->entry_bytes : attribute->bytes;

	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];

		if (!field->width)
			continue;
		assert_int_equal(field->offset, offsetof(struct mad_record, data));
		assert_true(field->bit + field->width <= bytes * 8);
		for (size_t j = 0; j < i; j++) {
			const struct field *other = &schema->fields[j];

			if (!other->width || same_bits_twice(field, other) ||
			    field->bit >= other->bit + other->width ||
			    other->bit >= field->bit + field->width)
				continue;
			fail_msg("%s: %s and %s overlap", schema->name, field->key, other->key);
		}
	}
}

static void places_of_fields(void **state)
{
	(void)state;
	for_all(check_places);
}

static void check_components(const struct mad_attribute *attribute)
{
	const struct schema *schema = attribute->schema;
	uint64_t all = 0;

	/* The administrator's own ClassPortInfo is not a record to search for. */
	if (attribute->mgmt_class != UMAD_CLASS_SUBN_ADM || !attribute->word ||
	    attribute->id == 0x01)
		return;
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];
		uint64_t mask = sa_component_mask(field);

		/* A field that cannot be written cannot be used in a query. */
		assert_true(field->width || !mask);
		if (!(all & mask)) {
			all |= mask;
			continue;
		}
		for (size_t j = 0; j < i; j++)
			if (sa_component_mask(&schema->fields[j]) & mask)
				assert_true(same_bits_twice(field, &schema->fields[j]));
	}
	assert_true(all & 1);
}

static void components_of_records(void **state)
{
	(void)state;
	for_all(check_components);
	assert_true(sa_component_mask(
			    schema_find(mad_attribute_find(3, 0x35)->schema, "service_id")) == 3);
	assert_true(sa_component_mask(schema_find(mad_attribute_find(3, 0x35)->schema, "dgid")) ==
		    4);
	assert_true(sa_component_mask(schema_find(mad_attribute_find(3, 0x38)->schema,
						  "proxy_join")) == 1u << 17);
	assert_true(sa_component_mask(schema_find(mad_attribute_find(3, 0x31)->schema,
						  "data64_1")) == 1ull << 36);
}

static void fill(unsigned char *bytes, size_t length, uint64_t *random)
{
	for (size_t i = 0; i < length; i++) {
		*random = *random * 6364136223846793005u + 1442695040888963407u;
		bytes[i] = (unsigned char)(*random >> 56);
	}
}

/* Texts that are shown unchanged, terminated or as long as the field. */
static void fill_texts(const struct schema *schema, struct mad_record *record)
{
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct field *field = &schema->fields[i];
		unsigned char *at = record->data + field->bit / 8;
		size_t length = field->width / 8;

		if (!field->width || field->kind != FIELD_STRING)
			continue;
		for (size_t j = 0; j < length; j++)
			at[j] = (unsigned char)(' ' + at[j] % 95);
		if (at[0] % 2)
			memset(at + at[1] % length, 0, length - at[1] % length);
	}
}

/* From bits to readable text and back. False if the bits have no meaning. */
static bool round_trip(const struct field *field, const struct mad_record *record)
{
	struct mad_record copy = {.object = NULL};
	struct value value;
	struct text text;
	const char *words;

	field_get(field, record, &value);
	if (value.kind == VALUE_NONE)
		return false;
	format_value(&value, ",", &text);
	words = text.string;
	/* Codes without a name, and masks without a bit, are written as numbers. */
	if (field->kind == FIELD_ENUM && !strncmp(words, "unknown-", 8))
		words += 8;
	else if (field->kind == FIELD_FLAGS && !*words)
		words = "0";
	if (packed_parse(field, &copy, words))
		fail_msg("%s: '%s' is not taken", field->key, words);
	for (size_t bit = field->bit; bit < (size_t)field->bit + field->width; bit++)
		if (bits_get(copy.data, bit, 1) != bits_get(record->data, bit, 1))
			fail_msg("%s: '%s' is not what it was", field->key, words);
	text_release(&text);
	return true;
}

static void check_round_trips(const struct mad_attribute *attribute)
{
	const struct schema *schema = attribute->schema;
	struct mad_record record = {.index = number_of(70), .port = number_of(1)};
	uint64_t random = attribute->id;
	unsigned int shown[128] = {0};
	struct value value;

	assert_true(schema->field_count <= ARRAY_SIZE(shown));
	for (unsigned int round = 0; round < 500; round++) {
		fill(record.data, sizeof(record.data), &random);
		fill_texts(schema, &record);
		for (size_t i = 0; i < schema->field_count; i++) {
			/*
			 * A field that shows more than its bits is not parsed from what it shows.
			 */
			if (schema->fields[i].width && !schema->fields[i].get)
				shown[i] += round_trip(&schema->fields[i], &record);
			else
				field_get(&schema->fields[i], &record, &value);
		}
	}
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].width && !schema->fields[i].get && !shown[i])
			fail_msg("%s: %s was never shown", schema->name, schema->fields[i].key);
}

static void round_trips(void **state)
{
	(void)state;
	for_all(check_round_trips);
}

struct expected {
	const char *key;
	const char *text; /* NULL: unknown */
};

static void check_values(unsigned int mgmt_class, unsigned int id, const struct mad_record *record,
			 const struct expected *expected, size_t count)
{
	const struct schema *schema = mad_attribute_find(mgmt_class, id)->schema;

	for (size_t i = 0; i < count; i++) {
		const struct field *field = schema_find(schema, expected[i].key);
		struct value value;
		struct text text;

		if (!field)
			fail_msg("%s has no %s", schema->name, expected[i].key);
		field_get(field, record, &value);
		format_value(&value, ",", &text);
		if (!text.string != !expected[i].text ||
		    (text.string && strcmp(text.string, expected[i].text)))
			fail_msg("%s is %s, not %s", field->key, text.string ? text.string : "-",
				 expected[i].text ? expected[i].text : "-");
		text_release(&text);
	}
}

/* 14.2.5.6: port 3 of a switch, 4X HDR */
static const unsigned char port_info[64] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, /* M_Key */
	0xfe, 0x80, 0,	  0,	0,    0,    0,	  0,	/* GidPrefix */
	0x00, 0x11,					/* 16: LID 17 */
	0x00, 0x02,					/* MasterSMLID 2 */
	0x00, 0x00, 0xc0, 0x0a,				/* 20: CapabilityMask 1, 3, 14, 15 */
	0xbe, 0xef,					/* DiagCode */
	0x00, 0x0f,					/* M_KeyLeasePeriod 15 s */
	0x03,						/* 28: LocalPortNum */
	0x03, 0x13, 0x02,				/* widths 1x 4x; 1x 4x 2x; 4x */
	0x74,						/* 32: SDR DDR QDR; active state */
	0x52,						/* LinkUp; polling by default */
	0x83,						/* M_KeyProtectBits 2; LMC 3 */
	0x45,						/* QDR active; SDR and QDR enabled */
	0x5a,						/* 36: NeighborMTU 4096; MasterSMSL 10 */
	0x42,						/* VLCap 8; InitType 2 */
	0x11, 0x08, 0x09,				/* VLHighLimit, VLArb caps */
	0x15,						/* InitTypeReply 1; MTUCap 4096 */
	0xf2,						/* VLStallCount 7; HOQLife 18 */
	0x3a,						/* OperationalVLs 4; 1, 0, 1, 0 */
	0x00, 0x01, 0x00, 0x02, 0x00, 0x03,		/* 44: violations of M_, P_, Q_Keys */
	0x20,						/* GUIDCap 32 */
	0xb2,						/* reregister; suppress 1; timeout 18 */
	0x10,						/* 52: RespTimeValue 16 */
	0x8f,						/* LocalPhyErrors 8; OverrunErrors 15 */
	0x01, 0x02,					/* MaxCreditHint */
	0x29,						/* 56: XDR active, supported, enabled */
	0x00, 0x00, 0x64,				/* LinkRoundTripLatency 100 */
	0x00, 0x30,					/* 60: CapabilityMask2 4, 5 */
	0x47,						/* HDR active; FDR EDR HDR supported */
	0x06,						/* EDR and HDR enabled */
};

static const struct expected port_info_values[] = {
	{"mkey", "0x0123456789abcdef"},
	{"subnet_prefix", "fe80:0000:0000:0000"},
	{"lid", "17"},
	{"sm_lid", "2"},
	{"cap_mask", "0x0000c00a"},
	{"capabilities", "sm,trap,extended-speeds,capability-mask-2"},
	{"diag_code", "0xbeef"},
	{"mkey_lease_period_sec", "15"},
	{"local_port", "3"},
	{"width_enabled", "1x,4x"},
	{"width_supported", "1x,4x,2x"},
	{"width_lanes", "4"},
	{"speed_supported", "sdr,ddr,qdr"},
	{"state", "active"},
	{"physical_state", "link-up"},
	{"down_default_state", "polling"},
	{"mkey_protect", "2"},
	{"lmc", "3"},
	{"speed_active", "qdr"},
	{"speed_enabled", "sdr,qdr"},
	{"neighbor_mtu_bytes", "4096"},
	{"sm_sl", "10"},
	{"vls_supported", "8"},
	{"init_type", "preserve-content"},
	{"vl_high_limit", "17"},
	{"vl_arbitration_high_cap", "8"},
	{"vl_arbitration_low_cap", "9"},
	{"init_type_reply", "no-load-reply"},
	{"mtu_cap_bytes", "4096"},
	{"vl_stall_count", "7"},
	{"hoq_life_code", "18"},
	{"vls_operational", "4"},
	{"partition_enforcement_in", "yes"},
	{"partition_enforcement_out", "no"},
	{"filter_raw_in", "yes"},
	{"filter_raw_out", "no"},
	{"mkey_violations", "1"},
	{"pkey_violations", "2"},
	{"qkey_violations", "3"},
	{"guid_table_length", "32"},
	{"client_reregister", "yes"},
	{"multicast_pkey_trap_suppression", "1"},
	{"subnet_timeout_usec", "1073742"},
	{"response_time_usec", "268435"},
	{"local_phy_errors", "8"},
	{"overrun_errors", "15"},
	{"max_credit_hint", "258"},
	{"link_round_trip_latency", "100"},
	{"cap_mask2", "0x0030"},
	{"capabilities2", "link-width-2x,link-speed-hdr"},
	{"speed_ext2_active", NULL}, /* the bits are set, the capability is not */
	{"speed_ext_active", "hdr"},
	{"speed_ext_supported", "fdr,edr,hdr"},
	{"speed_ext_enabled", "edr,hdr"},
	{"speed_ext_enabled_mask", "0x06"},
	{"speed", "HDR"},
	{"speed_gbps", "53.125"},
	{"rate_gbps", "200"},
};

static void port_info_record(void **state)
{
	struct mad_record record = {.port = number_of(3)};

	(void)state;
	memcpy(record.data, port_info, sizeof(port_info));
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record, port_info_values,
		     ARRAY_SIZE(port_info_values));
	/* The same rows after the identifier of the SA record. */
	memset(record.data, 0, sizeof(record.data));
	memcpy(record.data, "\x00\x09\x03\x80", 4);
	memcpy(record.data + 4, port_info, sizeof(port_info));
	check_values(UMAD_CLASS_SUBN_ADM, 0x12, &record, port_info_values,
		     ARRAY_SIZE(port_info_values));
	check_values(
		UMAD_CLASS_SUBN_ADM, 0x12, &record,
		(const struct expected[]){{"endport_lid", "9"}, {"port", "3"}, {"options", "0x80"}},
		3);
}

/* The field with the speed depends on the capabilities and on which fields are nonzero. */
static void speeds_of_ports(void **state)
{
	static const struct {
		unsigned char cap14_15, cap2_11, base, ext, ext2, width;
		const char *speed, *speed_gbps, *rate_gbps, *enabled;
	} ports[] = {
		{0xc0, 0x08, 0x40, 0x80, 0x20, 2, "XDR", "212.5", "800", "fdr"},
		{0xc0, 0x00, 0x40, 0x80, 0x20, 2, "NDR", "106.25", "400", "fdr"},
		{0xc0, 0x08, 0x40, 0x80, 0x00, 16, "NDR", "106.25", "200", "fdr"},
		{0x40, 0x08, 0x40, 0x20, 0x20, 2, "EDR", "25.7812", "100", "fdr"},
		{0x40, 0x00, 0x40, 0x10, 0x00, 2, "FDR", "14.0625", "56", "fdr"},
		{0x00, 0x00, 0x40, 0x10, 0x00, 2, "QDR", "10", "40", NULL},
		{0x40, 0x00, 0x20, 0x00, 0x00, 8, "DDR", "5", "60", "fdr"},
		{0x00, 0x00, 0x10, 0x00, 0x00, 1, "SDR", "2.5", "2.5", NULL},
		{0x00, 0x00, 0x10, 0x00, 0x00, 3, "SDR", "2.5", NULL, NULL},
		{0x00, 0x00, 0x00, 0x10, 0x00, 2, NULL, NULL, NULL, NULL},
		{0x40, 0x00, 0x10, 0x30, 0x00, 2, NULL, NULL, NULL, "fdr"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ports); i++) {
		struct mad_record record = {.object = NULL};

		record.data[22] = ports[i].cap14_15;
		record.data[23] = 0x08; /* bit for traps, so that the mask is nonzero */
		record.data[31] = ports[i].width;
		record.data[33] = 0x52; /* LinkUp */
		record.data[35] = ports[i].base;
		record.data[56] = ports[i].ext2;
		record.data[60] = ports[i].cap2_11;
		record.data[62] = ports[i].ext;
		record.data[63] = 1;
		check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
			     (const struct expected[]){
				     {"speed", ports[i].speed},
				     {"speed_gbps", ports[i].speed_gbps},
				     {"rate_gbps", ports[i].rate_gbps},
				     {"speed_ext_enabled", ports[i].enabled},
			     },
			     4);
	}
}

/* The ports of a switch other than port 0 have no mask: their other fields decide. */
static void speeds_of_switch_ports(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	record.data[31] = 2;
	record.data[33] = 0x52;
	record.data[35] = 0x40;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
		     (const struct expected[]){{"speed", "QDR"}, {"speed_ext_active", "none"}}, 2);
	record.data[62] = 0x40;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
		     (const struct expected[]){{"speed", "HDR"}, {"rate_gbps", "200"}}, 2);
	record.data[56] = 0x20;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
		     (const struct expected[]){{"speed", "XDR"}, {"speed_ext2_active", "xdr"}}, 2);
}

/* Without a link no value is active, whatever the bytes are. */
static void speeds_without_a_link(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	memcpy(record.data, port_info, sizeof(port_info));
	record.data[33] = 0x22; /* Polling */
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
		     (const struct expected[]){{"width_lanes", NULL},
					       {"speed", NULL},
					       {"speed_gbps", NULL},
					       {"rate_gbps", NULL},
					       {"speed_active", "qdr"},
					       {"speed_ext_active", "hdr"},
					       {"width_supported", "1x,4x,2x"}},
		     7);
}

static void extended_speeds_enabled(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	record.data[22] = 0x40;
	record.data[62] = 0x03;
	record.data[63] = 30; /* none */
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
		     (const struct expected[]){{"speed_ext_enabled", ""}}, 1);
	record.data[63] = 31; /* all supported ones */
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x15, &record,
		     (const struct expected[]){{"speed_ext_enabled", "fdr,edr"}}, 1);
}

/* 15.2.5.16 */
static const unsigned char path[64] = {
	0x10, 0,    0,	  0,	0,    0,    0,	  0x01, /* ServiceID */
	0xfe, 0x80, 0,	  0,	0,    0,    0,	  0,	/* 8: DGID */
	0x00, 0x02, 0xc9, 0x03, 0x00, 0x00, 0x00, 0x10, 0xfe, 0x80, 0,	  0,
	0,    0,    0,	  0,							/* 24: SGID */
	0x00, 0x02, 0xc9, 0x03, 0x00, 0x00, 0x00, 0x20, 0x00, 0x04, 0xbf, 0xff, /* 40: DLID, SLID */
	0x8a, 0xbc, 0xde, 0x40, /* raw; flow label; hop limit 64 */
	0x1f,			/* 48: TClass */
	0x85,			/* reversible; NumbPath 5 */
	0xff, 0xff,		/* P_Key */
	0x12, 0x37,		/* 52: QoSClass 0x123; SL 7 */
	0x84,			/* exactly; MTU 2048 */
	0x55,			/* less than; rate 400 */
	0x92,			/* 56: exactly; lifetime 18 */
	0x03,			/* Preference */
};

static const struct expected path_values[] = {
	{"service_id", "0x1000000000000001"},
	{"dgid", "fe80:0000:0000:0000:0002:c903:0000:0010"},
	{"sgid", "fe80:0000:0000:0000:0002:c903:0000:0020"},
	{"dlid", "4"},
	{"slid", "49151"},
	{"raw_traffic", "yes"},
	{"flow_label", "0xabcde"},
	{"hop_limit", "64"},
	{"tclass", "31"},
	{"reversible", "yes"},
	{"numb_path", "5"},
	{"pkey", "0xffff"},
	{"qos_class", "291"},
	{"sl", "7"},
	{"mtu_selector", "exactly"},
	{"mtu_bytes", "2048"},
	{"rate_selector", "less-than"},
	{"rate_gbps", "400"},
	{"packet_lifetime_selector", "exactly"},
	{"packet_lifetime_usec", "1073742"},
	{"preference", "3"},
};

static void path_record(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	memcpy(record.data, path, sizeof(path));
	check_values(UMAD_CLASS_SUBN_ADM, 0x35, &record, path_values, ARRAY_SIZE(path_values));
	assert_int_equal(ARRAY_SIZE(path_values),
			 mad_attribute_find(UMAD_CLASS_SUBN_ADM, 0x35)->schema->field_count);
}

/* All rates of a path: 15.2.5.16 and enum ib_rate. */
static void rates_of_paths(void **state)
{
	static const char *const rates[] = {
		NULL,  NULL,  "2.5", "10",  "30",  "5",	  "20",	  "40",	  "60",
		"80",  "120", "14",  "56",  "112", "168", "25",	  "100",  "200",
		"300", "28",  "50",  "400", "600", "800", "1200", "1600",
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	for (size_t i = 0; i < 64; i++) {
		record.data[55] = (unsigned char)(0xc0 | i);
		check_values(UMAD_CLASS_SUBN_ADM, 0x35, &record,
			     (const struct expected[]){
				     {"rate_gbps", i < ARRAY_SIZE(rates) ? rates[i] : NULL}},
			     1);
	}
}

static void table_entries(void **state)
{
	struct mad_record record = {.index = number_of(65), .port = number_of(16)};

	(void)state;
	record.data[0] = 0x80;
	record.data[1] = 0x05;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x16, &record,
		     (const struct expected[]){{"pkey", "0x8005"}, {"membership", "full"}}, 2);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x19, &record,
		     (const struct expected[]){{"lid", "65"}, {"port", "128"}}, 2);
	record.data[0] = 0xfe;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x18, &record,
		     (const struct expected[]){
			     {"priority", "high"}, {"entry", "1"}, {"vl", "14"}, {"weight", "5"}},
		     4);
	/* The first 64 entries have low priority. */
	record.index = number_of(63);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x18, &record,
		     (const struct expected[]){{"priority", "low"}, {"entry", "63"}}, 2);
	record.index = number_of(64);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x18, &record,
		     (const struct expected[]){{"priority", "high"}, {"entry", "0"}}, 2);
	record.data[0] = 0x7f;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x16, &record,
		     (const struct expected[]){{"pkey", "0x7f05"}, {"membership", "limited"}}, 2);
	memset(record.data, 0, 2);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x16, &record,
		     (const struct expected[]){{"pkey", "0x0000"}, {"membership", NULL}}, 2);
	record.index.known = false;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x18, &record,
		     (const struct expected[]){{"priority", NULL}, {"entry", NULL}}, 2);
}

/* 13.6.2.2, and enum ib_rmpp_status of include/rdma/ib_mad.h */
static void words_of_rmpp_status(void **state)
{
	static const struct enum_name specified[] = {
		{0, "normal"},
		{1, "resources-exhausted"},
		{118, "total-time-too-long"},
		{119, "inconsistent-last-and-payload-length"},
		{120, "inconsistent-first-and-segment-number"},
		{121, "bad-type"},
		{122, "new-window-last-too-small"},
		{123, "segment-number-too-big"},
		{124, "illegal-status"},
		{125, "unsupported-version"},
		{126, "too-many-retries"},
		{127, "unspecified"},
	};
	const struct field *field = schema_find(mad_header_schema(UMAD_CLASS_SUBN_ADM),
						"rmpp_status");
	size_t count = 0;

	(void)state;
	for (const struct enum_name *name = field->names; name->word; name++)
		count++;
	assert_int_equal(count, ARRAY_SIZE(specified));
	for (size_t i = 0; i < ARRAY_SIZE(specified); i++)
		assert_string_equal(enum_word(field->names, specified[i].value, "?"),
				    specified[i].word);
}

/* 14.2.5.12: positions of 16 ports, side by side */
static void multicast_entries(void **state)
{
	const struct schema *schema = mad_attribute_find(UMAD_CLASS_SUBN_LID_ROUTED, 0x1b)->schema;
	struct mad_record record = {.index = number_of(0xc001)};
	struct value value;

	(void)state;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x1b, &record,
		     (const struct expected[]){
			     {"mlid", "0xc001"}, {"port_mask", "0x0000"}, {"ports", ""}},
		     3);
	memcpy(record.data, "\x80\x05\x00\x03\x00\x00\x80\x00", 8);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x1b, &record,
		     (const struct expected[]){{"port_mask", "0x8000000000038005"},
					       {"ports", "0,2,15-17,63"}},
		     2);
	memset(record.data, 0xff, 32);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x1b, &record,
		     (const struct expected[]){{"ports", "0-255"}}, 1);
	/* More than a value can hold. */
	memset(record.data, 0x55, 32);
	field_get(schema_find(schema, "ports"), &record, &value);
	assert_true(value.list.count > 60);
	assert_string_equal(value.list.items[0], "0");
	assert_string_equal(value.list.items[59], "118");
	assert_string_equal(value.list.items[value.list.count - 1], "more");
}

static void count_items(unsigned int id, const char *key, const struct mad_record *record,
			size_t count, const char *last)
{
	struct value value;

	field_get(schema_find(mad_attribute_find(UMAD_CLASS_SUBN_ADM, id)->schema, key), record,
		  &value);
	assert_int_equal(value.kind, VALUE_LIST);
	assert_int_equal(value.list.count, count);
	if (count)
		assert_string_equal(value.list.items[count - 1], last);
}

/* A block of a table within a record: all entries are shown, except unused ones at the end. */
static void table_blocks(void **state)
{
	struct mad_record record = {.object = NULL};

	(void)state;
	memset(record.data + 8, 0xfe, 64);
	count_items(0x15, "ports", &record, 64, "254");
	count_items(0x17, "port_masks", &record, 32, "0xfefe");
	count_items(0x33, "pkeys", &record, 32, "0xfefe");
	count_items(0x36, "entries", &record, 32, "14:254");
	memset(record.data + 8, 0xff, 64);
	count_items(0x15, "ports", &record, 0, NULL);
	record.data[8 + 3] = 0;
	count_items(0x15, "ports", &record, 4, "0");
	memset(record.data + 8, 0, 64);
	count_items(0x17, "port_masks", &record, 0, NULL);
	record.data[8 + 5] = 1;
	count_items(0x33, "pkeys", &record, 3, "0x0001");
	count_items(0x36, "entries", &record, 3, "0:1");
	/* 15.2.5.8: position and block share two bytes. */
	record.data[2] = 0x31;
	record.data[3] = 0xff;
	check_values(UMAD_CLASS_SUBN_ADM, 0x17, &record,
		     (const struct expected[]){{"position", "3"}, {"block", "511"}}, 2);
}

static void notices(void **state)
{
	static const unsigned char notice[] = {
		0x81, 0x00, 0x00, 0x02, 0x00, 0x80, 0x00, 0x05, 0x80, 0x07, 0x00, 0x05,
	};
	struct mad_record record = {.object = NULL};

	(void)state;
	memcpy(record.data, notice, sizeof(notice));
	record.data[63] = 0xab;
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x02, &record,
		     (const struct expected[]){
			     {"generic", "yes"},
			     {"type", "urgent"},
			     {"producer", "2"},
			     {"trap_number", "128"},
			     {"trap", "link-state-change"},
			     {"issuer_lid", "5"},
			     {"toggle", "yes"},
			     {"count", "7"},
			     {"details", "000500000000000000000000000000000000000000000000000000"
					 "0000000000000000000000000000000000000000000000000000ab"},
		     },
		     9);
	record.data[0] = 0x01; /* a vendor's code */
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x02, &record,
		     (const struct expected[]){{"generic", "no"}, {"trap", NULL}}, 2);
}

/* 64 bytes without a terminator, and bytes that control a terminal. */
static void hostile_descriptions(void **state)
{
	struct mad_record record = {.object = NULL};
	char clean[257] = "";

	(void)state;
	memset(record.data, 0x9b, sizeof(record.data));
	for (size_t i = 0; i < 64; i++)
		memcpy(clean + i * 4, "\\x9b", 4);
	check_values(UMAD_CLASS_SUBN_LID_ROUTED, 0x10, &record,
		     (const struct expected[]){{"node_description", clean}}, 1);
	check_values(UMAD_CLASS_SUBN_ADM, 0x11, &record,
		     (const struct expected[]){{"node_description", clean}}, 1);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_of_attributes),
		cmocka_unit_test(names_of_attributes),
		cmocka_unit_test(places_of_fields),
		cmocka_unit_test(components_of_records),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(port_info_record),
		cmocka_unit_test(speeds_of_ports),
		cmocka_unit_test(extended_speeds_enabled),
		cmocka_unit_test(speeds_of_switch_ports),
		cmocka_unit_test(speeds_without_a_link),
		cmocka_unit_test(multicast_entries),
		cmocka_unit_test(path_record),
		cmocka_unit_test(rates_of_paths),
		cmocka_unit_test(table_entries),
		cmocka_unit_test(words_of_rmpp_status),
		cmocka_unit_test(table_blocks),
		cmocka_unit_test(notices),
		cmocka_unit_test(hostile_descriptions),
	};

	return cmocka_run_group_tests_name("mad_fields", tests, NULL, NULL);
}
