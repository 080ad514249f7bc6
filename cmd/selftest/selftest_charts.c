/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rows of a self-test as charts: --format svg, and -v on a terminal. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/selftest/selftest_run.h"
#include "render/chart.h"

enum { CHART_BANDWIDTH, CHART_LATENCY, CHART_SHARES, CHART_GATHER, CHARTS };

static const struct chart titles[CHARTS] = {
	[CHART_BANDWIDTH] = {.title = "Bandwidth by message size",
			     .x_label = "message size",
			     .y_label = "Gb/s",
			     .bytes = true},
	[CHART_LATENCY] = {.title = "Median latency by message size",
			   .x_label = "message size",
			   .y_label = "us",
			   .bytes = true},
	[CHART_SHARES] = {.title = "Latency distribution",
			  .x_label = "latency, us",
			  .y_label = "% of all"},
	[CHART_GATHER] = {.title = "Gather and scatter: time relative to packing by the CPU",
			  .x_label = "block size",
			  .y_label = "x packed",
			  .bytes = true,
			  .level = 1},
};

/* "rxa/1 bandwidth-write"; the sum over many ports has only the test. */
static char *series_name(const struct selftest_result *row, const char *more)
{
	const char *test = row->test ? row->test : "-";

	if (!row->device)
		return mem_format("%s%s", test, more);
	return mem_format("%s/%" PRIu64 " %s%s", row->device, row->port.value, test, more);
}

static void add_sized(struct chart *chart, const struct selftest_result *row, const char *more,
		      const struct real *value)
{
	_cleanup_(freep) char *name = series_name(row, more);

	if (value->known && row->size_bytes.known && row->size_bytes.value)
		chart_add(chart, name, (double)row->size_bytes.value, value->value);
}

static void add_shares(struct chart *chart, const struct selftest_result *row)
{
	_cleanup_(freep) char *more = row->size_bytes.known ? mem_format(", %" PRIu64 " bytes",
									 row->size_bytes.value)
							    : mem_string("");
	_cleanup_(freep) char *name = series_name(row, more);
	double all = 0;

	for (size_t i = 0; i < row->histogram_count; i++)
		all += (double)row->histogram[i].count.value;
	for (size_t i = 0; i < row->histogram_count; i++) {
		const struct selftest_bucket *bucket = &row->histogram[i];
		const double middle = (bucket->least_usec.value + bucket->below_usec.value) / 2;

		if (middle > 0)
			chart_add(chart, name, middle, (double)bucket->count.value / all * 100);
	}
}

static void add_gather(struct chart *chart, const struct selftest_result *row)
{
	_cleanup_(freep) char *more = mem_format(", %" PRIu64 " blocks", row->block_count.value);
	_cleanup_(freep) char *name = series_name(row, more);

	if (row->transfer_usec.known && row->packed_usec.known && row->packed_usec.value > 0 &&
	    row->block_bytes.known)
		chart_add(chart, name, (double)row->block_bytes.value,
			  row->transfer_usec.value / row->packed_usec.value);
}

static void make_charts(const struct selftest_results *results, struct chart charts[static CHARTS])
{
	memcpy(charts, titles, sizeof(titles));
	for (size_t i = 0; i < results->count; i++) {
		const struct selftest_result *row = results->items[i];

		/* The row that follows the intervals includes all of them. */
		if (row->interval.known)
			continue;
		add_sized(&charts[CHART_BANDWIDTH], row, "", &row->bandwidth_gbps);
		add_sized(&charts[CHART_BANDWIDTH], row, " alone", &row->alone_gbps);
		add_sized(&charts[CHART_BANDWIDTH], row, " together", &row->together_gbps);
		add_sized(&charts[CHART_LATENCY], row, "", &row->latency_p50_usec);
		add_shares(&charts[CHART_SHARES], row);
		add_gather(&charts[CHART_GATHER], row);
	}
}

static void free_charts(struct chart charts[static CHARTS])
{
	for (int i = 0; i < CHARTS; i++)
		chart_clear(&charts[i]);
}

int selftest_charts_svg(FILE *out, const struct selftest_results *results)
{
	struct chart charts[CHARTS];
	int rc;

	make_charts(results, charts);
	rc = render_charts_svg(out, charts, CHARTS);
	free_charts(charts);
	return rc;
}

/* The distribution is drawn elsewhere, as a histogram of each row. */
int selftest_charts_text(FILE *out, const struct selftest_results *results)
{
	struct chart charts[CHARTS];
	int rc = 0;

	make_charts(results, charts);
	for (int i = 0; i < CHARTS && !rc; i++)
		if (i != CHART_SHARES)
			rc = render_chart_text(out, &charts[i], 0);
	free_charts(charts);
	return rc;
}
