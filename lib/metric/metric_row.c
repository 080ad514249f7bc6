/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "metric/metric.h"

#include <stdlib.h>

#include "base/mem.h"
#include "schema/rows.h"

static const struct enum_name types[] = {
	{METRIC_GAUGE, "gauge", TONE_PLAIN, "goes up and down"},
	{METRIC_COUNTER, "counter", TONE_PLAIN, "only counts up"},
	{METRIC_INFO, "info", TONE_PLAIN, "facts in its labels"},
	{0},
};

static void get_value(const void *record, struct value *value)
{
	const struct metric_row *row = record;

	if (row->number.known)
		value_set_unsigned(value, row->number.value);
	else if (row->real.known)
		value_set_real(value, row->real.value);
}

#define RECORD struct metric_row
static const struct field fields[] = {
	TEXT(metric, "METRIC", SHOWN, 0, "name of the sample"),
	TEXT(labels, "LABELS", SHOWN, 0, "labels, as Prometheus writes them"),
	COMPUTED_FIELD(FIELD_REAL, get_value, "value", "VALUE", SHOWN | FIELD_RIGHT, 0, "value"),
	WORD(type, types, "TYPE", 0, 0, "kind of metric"),
	TEXT(unit, "UNIT", 0, 0, "unit of the value, if the name ends with it"),
	TEXT(help, "HELP", 0, 0, "what the metric means"),
};
#undef RECORD

const struct schema metric_row_schema = SCHEMA("metrics", struct metric_row, fields,
					       "a sample of a metric");

size_t metric_rows_make(const struct metrics *metrics, struct metric_row **ret_rows)
{
	struct metric_row *rows = NULL;
	size_t count = 0;

	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric_family *family = &metrics->families[i];

		for (size_t j = 0; j < family->sample_count; j++)
			MEM_ADD(rows, count) = (struct metric_row){
				.metric = metric_sample_name(family),
				.labels = family->samples[j].labels,
				.unit = family->unit,
				.help = family->help,
				.type = number_of(family->type),
				.number = family->samples[j].number,
				.real = family->samples[j].real,
			};
	}
	*ret_rows = rows;
	return count;
}

void metric_rows_free(struct metric_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(rows[i].metric);
	free(rows);
}
