/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/mem.h"
#include "mad/perf/perf_record.h"
#include "schema/bits.h"

enum {
	LANES_MOST = 12,
	VLS = 16,
	SLS = 16,
	FEC_RS = 2, /* FECModeActive values from here on are forms of RS-FEC */
};

const struct perf_part perf_parts[][PERF_PARTS_MOST] = {
	[PERF_OF_PORT] = {{.id = MAD_PM_COUNTERS, .always = true},
			  {.id = MAD_PM_COUNTERS_EXTENDED, .extended = true}},
	[PERF_OF_VL] = {{.id = MAD_PM_VL_XMIT_WAIT},
			{.id = MAD_PM_VL_XMIT_FLOW_CTL_ERRORS},
			{.id = MAD_PM_VL_OP_PACKETS},
			{.id = MAD_PM_VL_OP_DATA}},
	[PERF_OF_FEC] = {{.id = MAD_PM_EXTENDED_SPEEDS}},
	[PERF_OF_CONGESTION] = {{.id = MAD_PM_COUNTERS, .always = true},
				{.id = MAD_PM_COUNTERS_EXTENDED, .extended = true},
				{.id = MAD_PM_SW_VL_CONGESTION},
				{.id = MAD_PM_RCV_CON_CTRL},
				{.id = MAD_PM_SL_RCV_FECN},
				{.id = MAD_PM_SL_RCV_BECN},
				{.id = MAD_PM_XMIT_CON_CTRL},
				{.id = MAD_PM_VL_XMIT_TIME_CONG}},
	[PERF_OF_SL] = {{.id = MAD_PM_XMIT_DATA_SL}, {.id = MAD_PM_RCV_DATA_SL}},
	[PERF_OF_DETAILS] = {{.id = MAD_PM_RCV_ERROR_DETAILS}, {.id = MAD_PM_XMIT_DISCARD_DETAILS}},
	[PERF_OF_FLOW] = {{.id = MAD_PM_FLOW_CTL_COUNTERS}, {.id = MAD_PM_OP_RCV_COUNTERS}},
};

/* The index of each attribute in struct perf_reading. */
enum { PART_COUNTERS, PART_EXTENDED };
enum { PART_VL_WAIT, PART_VL_UPDATES, PART_VL_PACKETS, PART_VL_DATA };
enum {
	PART_VL_CONGESTION = 2,
	PART_RCV_CONGESTION,
	PART_SL_FECN,
	PART_SL_BECN,
	PART_XMIT_CONGESTION,
	PART_VL_TIME,
};
enum { PART_SL_XMIT, PART_SL_RCV };
enum { PART_FLOW, PART_OP_RCV };

struct perf_caps perf_caps_of(const unsigned char *class_port_info)
{
	return (struct perf_caps){
		.mask = class_port_info_cap_mask(class_port_info),
		.mask2 = class_port_info_cap_mask2(class_port_info),
	};
}

bool perf_has_extended(struct perf_caps caps)
{
	return caps.mask & (PERF_CAP_EXTENDED_WIDTH | PERF_CAP_EXTENDED_WIDTH_NOIETF);
}

/* 16.1.4.11: fields that came with ExtendedWidth, and those that came later. */
static bool is_extended(const struct field *field, struct perf_caps caps)
{
	if (field->bit >= MAD_AT(72, 0))
		return caps.mask2 & PERF_CAP2_EXTENDED_ERRORS;
	if (field->bit >= MAD_AT(40, 0))
		return caps.mask & PERF_CAP_EXTENDED_WIDTH;
	return true;
}

static void take(const struct field *field, const unsigned char *data, struct perf_counter *counter)
{
	const uint64_t most = field->width >= 64 ? UINT64_MAX : (1ull << field->width) - 1;
	const uint64_t factor = field->factor ? field->factor : 1;
	uint64_t bits = bits_get(data, field->bit, field->width), value;
	/*
	 * A number of four-byte words may overflow when converted to bytes: the value is a lower
	 * bound.
	 */
	const bool overflows = __builtin_mul_overflow(bits, factor, &value);

	*counter = (struct perf_counter){
		.value = overflows ? UINT64_MAX : value,
		.known = true,
		.saturated = overflows || bits == most,
	};
}

/* The rows of one port while they are made. */
struct maker {
	enum perf_listing listing;
	const struct schema *schema; /* of the listing */
	const struct perf_reading *reading;
	struct perf_record **rows;
	size_t *row_count;
};

/* Takes counter number `number` of a table, such as that of VL 3. */
static void take_numbered(const struct schema *schema, size_t number, const unsigned char *data,
			  struct perf_counter *counter)
{
	for (size_t i = 0; data && i < schema->field_count; i++) {
		if (!schema->fields[i].tag || number--)
			continue;
		take(&schema->fields[i], data, counter);
		return;
	}
}

/* The same for an attribute of the reading. */
static void take_part(const struct maker *maker, size_t part, size_t number,
		      struct perf_counter *counter)
{
	const uint16_t id = perf_parts[maker->listing][part].id;

	take_numbered(mad_attribute_find(UMAD_CLASS_PERF_MGMT, id)->schema, number,
		      maker->reading->parts[part], counter);
}

static void take_key(const struct schema *schema, const char *key, const unsigned char *data,
		     struct perf_counter *counter)
{
	const struct field *field = data ? schema_find(schema, key) : NULL;

	if (field)
		take(field, data, counter);
}

/* Takes one counter from the wider of the attributes that have it. */
static void merge(const struct perf_reading *reading, const char *key, struct perf_counter *counter)
{
	const unsigned char *narrow = reading->parts[PART_COUNTERS];
	const unsigned char *wide = reading->parts[PART_EXTENDED];
	const struct field *field = schema_find(&perf_extended_counters_schema, key);

	if (wide && field && is_extended(field, reading->caps))
		take(field, wide, counter);
	else
		take_key(&perf_counters_schema, key, narrow, counter);
}

static struct perf_counter *counter_of(const struct field *field, struct perf_record *row)
{
	return (struct perf_counter *)(void *)((char *)row + field->offset);
}

static void merge_all(const struct maker *maker, struct perf_record *row)
{
	const struct field *fields = maker->schema->fields;

	for (size_t i = 0; i < maker->schema->field_count; i++)
		if (fields[i].tag)
			merge(maker->reading, fields[i].key, counter_of(&fields[i], row));
	/* 16.1.3.1: without the capability these bytes are undefined */
	if (!(maker->reading->caps.mask & PERF_CAP_XMIT_WAIT))
		row->xmit_wait_ticks = (struct perf_counter){0};
	if (!(maker->reading->caps.mask & PERF_CAP_QP1_DROPPED))
		row->qp1_dropped = (struct perf_counter){0};
}

void perf_record_find_saturated(const struct schema *schema, struct perf_record *row)
{
	row->saturated.known = true;
	for (size_t i = 0; i < schema->field_count; i++)
		if (schema->fields[i].tag && counter_of(&schema->fields[i], row)->saturated)
			strings_add(&row->saturated, schema->fields[i].key);
}

static void add_row(const struct maker *maker, const struct perf_record *row)
{
	struct perf_record *added = mem_append(maker->rows, maker->row_count, sizeof(*added));

	*added = *row;
	perf_record_find_saturated(maker->schema, added);
}

/* Adds a row that is worth showing: one with a nonzero counter, or any if `always` or --all. */
static void add_if_telling(const struct maker *maker, struct perf_record *row, bool always)
{
	const struct field *fields = maker->schema->fields;
	bool telling = always || maker->reading->all;

	for (size_t i = 0; i < maker->schema->field_count && !telling; i++)
		telling = fields[i].tag && counter_of(&fields[i], row)->value;
	if (telling)
		add_row(maker, row);
}

static void port_rows(const struct maker *maker)
{
	struct perf_record row = {
		.width_bits = number_of(maker->reading->parts[PART_EXTENDED] ? 64 : 32)};

	merge_all(maker, &row);
	if (maker->listing == PERF_OF_CONGESTION) {
		take_part(maker, PART_RCV_CONGESTION, 0, &row.rcv_fecn_packets);
		take_part(maker, PART_RCV_CONGESTION, 1, &row.rcv_becn_packets);
		take_part(maker, PART_XMIT_CONGESTION, 0, &row.xmit_time_congested_ticks);
	}
	add_row(maker, &row);
}

static void vl_rows(const struct maker *maker)
{
	const unsigned char *packets = maker->reading->parts[PART_VL_PACKETS];
	const unsigned char *data = maker->reading->parts[PART_VL_DATA];

	for (size_t i = 0; i < VLS; i++) {
		struct perf_record row = {.vl = number_of(i)};

		if (packets || data)
			row.op_code = number_of(packets ? packets[0] : data[0]);
		take_part(maker, PART_VL_WAIT, i, &row.xmit_wait_ticks);
		take_part(maker, PART_VL_UPDATES, i, &row.flow_control_update_errors);
		take_part(maker, PART_VL_PACKETS, i, &row.op_packets);
		take_part(maker, PART_VL_DATA, i, &row.op_data_bytes);
		/* VL 0 is in use on every link. */
		add_if_telling(maker, &row, !i);
	}
}

/* The data do not show which of the two layouts they have. */
static void fec_rows(const struct maker *maker)
{
	const struct perf_reading *reading = maker->reading;
	const unsigned char *data = reading->parts[0];
	const bool either = reading->caps.mask & PERF_CAP_RSFEC;
	const bool known = !either || reading->fec.known;
	const bool rs = either && reading->fec.known && reading->fec.value >= FEC_RS;
	const struct schema *codewords = &perf_extended_speeds_rsfec_schema;
	struct perf_record row = {.fec = reading->fec};
	unsigned int count = reading->lanes ? reading->lanes : LANES_MOST;

	take_part(maker, 0, 0, &row.sync_header_errors);
	take_part(maker, 0, 1, &row.unknown_blocks);
	if (rs) {
		take_key(codewords, "fec_correctable_blocks", data, &row.correctable_blocks);
		take_key(codewords, "fec_uncorrectable_blocks", data, &row.uncorrectable_blocks);
		take_key(codewords, "fec_corrected_symbols", data, &row.corrected_symbols);
	}
	add_row(maker, &row);
	for (size_t i = 0; i < count && i < LANES_MOST; i++) {
		row = (struct perf_record){.fec = reading->fec, .lane = number_of(i)};
		/* Two counters of the port, three of codewords, then the lanes. */
		if (rs)
			take_numbered(codewords, 5 + i, data, &row.corrected_symbols);
		else
			take_part(maker, 0, 2 + i, &row.error_detections);
		if (!rs && known) {
			take_part(maker, 0, 2 + LANES_MOST + i, &row.correctable_blocks);
			take_part(maker, 0, 2 + 2 * LANES_MOST + i, &row.uncorrectable_blocks);
		}
		add_row(maker, &row);
	}
}

static void congestion_rows(const struct maker *maker)
{
	port_rows(maker);
	for (size_t i = 0; i < VLS; i++) {
		struct perf_record row = {.vl = number_of(i)};

		take_part(maker, PART_VL_CONGESTION, i, &row.congestions);
		/* PortVLXmitTimeCong has no counter for VL 15. */
		take_part(maker, PART_VL_TIME, i, &row.xmit_time_congested_ticks);
		add_if_telling(maker, &row, false);
	}
	for (size_t i = 0; i < SLS; i++) {
		struct perf_record row = {.sl = number_of(i)};

		take_part(maker, PART_SL_FECN, i, &row.rcv_fecn_packets);
		take_part(maker, PART_SL_BECN, i, &row.rcv_becn_packets);
		add_if_telling(maker, &row, false);
	}
}

static void sl_rows(const struct maker *maker)
{
	for (size_t i = 0; i < SLS; i++) {
		struct perf_record row = {.sl = number_of(i)};

		take_part(maker, PART_SL_XMIT, i, &row.xmit_data_bytes);
		take_part(maker, PART_SL_RCV, i, &row.rcv_data_bytes);
		/* SL 0 is the default of most traffic. */
		add_if_telling(maker, &row, !i);
	}
}

/* One row of the counters that have the same keys in the attributes of the listing. */
static void plain_row(const struct maker *maker)
{
	const struct perf_part *parts = perf_parts[maker->listing];
	const struct perf_reading *reading = maker->reading;
	struct perf_record row = {.object = NULL};

	for_each_in (field, maker->schema->fields, maker->schema->field_count) {
		for (size_t j = 0; field->tag && parts[j].id; j++)
			take_key(mad_attribute_find(UMAD_CLASS_PERF_MGMT, parts[j].id)->schema,
				 field->key, reading->parts[j], counter_of(field, &row));
	}
	if (maker->listing == PERF_OF_FLOW && reading->parts[PART_OP_RCV])
		row.op_code = number_of(reading->parts[PART_OP_RCV][0]);
	add_row(maker, &row);
}

static void (*const makers[])(const struct maker *maker) = {
	[PERF_OF_PORT] = port_rows, [PERF_OF_VL] = vl_rows,
	[PERF_OF_FEC] = fec_rows,   [PERF_OF_CONGESTION] = congestion_rows,
	[PERF_OF_SL] = sl_rows,	    [PERF_OF_DETAILS] = plain_row,
	[PERF_OF_FLOW] = plain_row,
};

void perf_rows(enum perf_listing listing, const struct perf_reading *reading,
	       struct perf_record **rows, size_t *row_count)
{
	const struct maker maker = {listing, perf_listing_schema(listing), reading, rows,
				    row_count};

	for (size_t i = 0; i < PERF_PARTS_MOST; i++)
		if (reading->parts[i]) {
			makers[listing](&maker);
			return;
		}
}

void perf_record_add(const struct schema *schema, struct perf_record *sum,
		     const struct perf_record *row)
{
	struct perf_record copy = *row;

	for_each_in (field, schema->fields, schema->field_count) {
		struct perf_counter *total, *added;

		if (!field->tag)
			continue;
		total = counter_of(field, sum);
		added = counter_of(field, &copy);
		total->known &= added->known;
		total->saturated |= added->saturated;
		if (__builtin_add_overflow(total->value, added->value, &total->value)) {
			total->value = UINT64_MAX;
			total->saturated = true;
		}
		if (!total->known)
			*total = (struct perf_counter){.known = false};
	}
	/* The narrowest, because it stops first. */
	if (row->width_bits.value < sum->width_bits.value)
		sum->width_bits = row->width_bits;
}
