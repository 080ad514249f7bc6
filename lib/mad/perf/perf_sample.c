/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The values of CounterSelect are those of hfi1/verbs.h. */
#include "mad/perf/perf_sample.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "schema/bits.h"
#include "schema/rows.h"

enum { SELECTS_AT = 38, RESULTS_AT = 4 };

static const struct enum_name select_names[] = {
	{1, "xmit-data"},   {2, "rcv-data"},  {3, "xmit-packets"},
	{4, "rcv-packets"}, {5, "xmit-wait"}, {0, NULL},
};

#define RECORD struct perf_sample
static const struct field fields[] = {
	MAD_OBJECT_FIELDS_OF(RECORD, SHOWN),
	NUMBER(port, "PORT", SHOWN, 0, "port that was sampled"),
	NUMBER_AS("counter", index, "COUNTER", 0, 0, "number of the counter, from 0"),
	WORD_AS("quantity", select, select_names, "QUANTITY", SHOWN, 0,
		"what it counts, data in words of four bytes"),
	HEX_AS("quantity_code", select, 4, "CODE", 0, 0, "what it counts, as a number"),
	NUMBER(value, "VALUE", SHOWN, 0, "counter at the end of the interval"),
	WORD_AS("sample_status", status, perf_sample_status_names, "STATUS", SHOWN, 0,
		"how far sampling got"),
	NUMBER(interval_ticks, "INTERVAL", SHOWN, 0, "length of the interval in ticks"),
	NUMBER(tick, "TICK", SHOWN, 0,
	       "length of a tick of the sampling clock, in the port's own code"),
	HEX(tag, 4, "TAG", 0, 0, "tag of the request that started sampling"),
	YES_NO(own, "OWN", 0, 0, "whether the values belong to this request, not to another one"),
};

const struct schema perf_samples_schema = SCHEMA(
	"perf_samples", struct perf_sample, fields,
	"what a port counted in an interval of its clock: --samples");

int perf_sampling_parse(const char *list, struct perf_sampling *sampling, char **ret_wrong)
{
	_cleanup_(freep) char *copy = mem_string(list);
	char *rest = copy, *word;

	sampling->count = 0;
	while ((word = strsep(&rest, ","))) {
		const struct enum_name *name = enum_find_word(select_names, word);
		uint64_t number = name ? name->value : 0;

		if (!name && (text_parse_u64(word, 0, UINT16_MAX, &number) || !number)) {
			*ret_wrong = text_clean(word, strlen(word));
			return -EINVAL;
		}
		if (sampling->count == PERF_SAMPLE_COUNTERS)
			return -E2BIG;
		sampling->selects[sampling->count++] = (uint16_t)number;
	}
	return 0;
}

void perf_sampling_write(const struct perf_sampling *sampling, uint8_t port,
			 const unsigned char *control,
			 unsigned char data[static PERF_SAMPLE_CONTROL_BYTES])
{
	memcpy(data, control, PERF_SAMPLE_CONTROL_BYTES);
	data[0] = sampling->op_code;
	data[1] = port;
	samples_control_set_start(data, sampling->start_ticks);
	if (sampling->interval_ticks)
		samples_control_set_interval(data, sampling->interval_ticks);
	samples_control_set_tag(data, sampling->tag);
	for (size_t i = 0; i < PERF_SAMPLE_COUNTERS; i++)
		bits_set(data, MAD_AT(SELECTS_AT + 2 * i, 0), 16,
			 i < sampling->count ? sampling->selects[i] : 0);
}

static uint64_t select_at(const unsigned char *control, size_t number)
{
	return bits_get(control, MAD_AT(SELECTS_AT + 2 * number, 0), 16);
}

int perf_sampling_check(const struct perf_sampling *sampling, const unsigned char *control)
{
	if (samples_control_tag(control) != sampling->tag)
		return -EBUSY;
	if (!samples_control_interval(control))
		return -ERANGE;
	for (size_t i = 0; i < sampling->count; i++)
		if (select_at(control, i) != sampling->selects[i])
			return -EOPNOTSUPP;
	return 0;
}

bool perf_sampling_matches(const unsigned char *control, const unsigned char *result)
{
	return samples_result_tag(result) == samples_control_tag(control);
}

bool perf_sampling_runs(const unsigned char *control)
{
	return samples_control_status(control) != PERF_SAMPLING_DONE;
}

static enum tristate is_own(const struct perf_sampling *own, const unsigned char *result)
{
	if (!own || !result)
		return TRISTATE_UNKNOWN;
	return samples_result_tag(result) == own->tag ? TRISTATE_YES : TRISTATE_NO;
}

void perf_sampling_rows(const unsigned char *control, const unsigned char *result,
			const struct perf_sampling *own, struct perf_sample **rows,
			size_t *row_count)
{
	for (size_t i = 0; i < PERF_SAMPLE_COUNTERS; i++) {
		const uint64_t select = select_at(control, i);
		struct perf_sample *row;

		if (!select)
			continue;
		row = mem_append(rows, row_count, sizeof(*row));
		*row = (struct perf_sample){
			.port = number_of(control[1]),
			.index = number_of(i),
			.select = number_of(select),
			.status = number_of(result ? samples_result_status(result)
						   : samples_control_status(control)),
			.tag = number_of(result ? samples_result_tag(result)
						: samples_control_tag(control)),
			.interval_ticks = number_of(samples_control_interval(control)),
			.tick = number_of(samples_control_tick(control)),
			.own = is_own(own, result),
		};
		/* 16.1.3.4: the counters are valid when the interval is over. */
		if (result && row->status.value == PERF_SAMPLING_DONE &&
		    perf_sampling_matches(control, result))
			row->value = number_of(bits_get(result, MAD_AT(RESULTS_AT + 4 * i, 0), 32));
	}
}
