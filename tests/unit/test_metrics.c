/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Metrics in both formats, byte by byte: Prometheus' text format 0.0.4, and OpenMetrics 1.0, whose
 * family names of counters and infos lack the suffix of their samples' names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "render/metrics.h"

static char *print(const struct metrics *metrics, enum metrics_format format)
{
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_int_equal(render_metrics(out, metrics, format), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void fill(struct metrics *metrics)
{
	struct metric_family *family;
	struct metric_sample *sample;

	family = metrics_family(metrics, "rx_bytes", METRIC_COUNTER, "bytes", "What came.");
	sample = metric_add(family, UINT64_MAX);
	metric_label(sample, "device", "mlx5_0");
	metric_label(sample, "netdev", NULL);
	metric_label(sample, "port", "1");
	metric_add(family, 0);
	metrics_family(metrics, "unused", METRIC_GAUGE, NULL, "No sample.");
	family = metrics_family(metrics, "age_seconds", METRIC_GAUGE, "seconds", "a \\ \"b\"\nc");
	metric_add_real(family, 0.5);
	metric_add_real(family, -1e30);
	family = metrics_family(metrics, "device", METRIC_INFO, "bytes", "Facts.");
	sample = metric_add(family, 1);
	metric_label(sample, "board", "a \\ \"b\"\nc");
	metric_label(sample, "empty", "");
}

#define SAMPLES_OF_RX	  "{device=\"mlx5_0\",port=\"1\"} 18446744073709551615\nrx_bytes_total 0\n"
#define SAMPLES_OF_AGE	  "age_seconds 0.5\nage_seconds -1e+30\n"
#define SAMPLES_OF_DEVICE "device_info{board=\"a \\\\ \\\"b\\\"\\nc\",empty=\"\"} 1\n"

static void both_forms(void **state)
{
	struct metrics metrics = {0};
	_cleanup_(freep) char *prometheus = NULL, *open = NULL;

	(void)state;
	fill(&metrics);
	prometheus = print(&metrics, METRICS_PROMETHEUS);
	assert_string_equal(
		prometheus,
		"# HELP rx_bytes_total What came.\n# TYPE rx_bytes_total counter\n"
		"rx_bytes_total" SAMPLES_OF_RX
		"# HELP age_seconds a \\\\ \"b\"\\nc\n# TYPE age_seconds gauge\n" SAMPLES_OF_AGE
		"# HELP device_info Facts.\n# TYPE device_info gauge\n" SAMPLES_OF_DEVICE);
	open = print(&metrics, METRICS_OPENMETRICS);
	assert_string_equal(
		open, "# HELP rx_bytes What came.\n# TYPE rx_bytes counter\n# UNIT rx_bytes bytes\n"
		      "rx_bytes_total" SAMPLES_OF_RX
		      "# HELP age_seconds a \\\\ \\\"b\\\"\\nc\n# TYPE age_seconds gauge\n"
		      "# UNIT age_seconds seconds\n" SAMPLES_OF_AGE
		      "# HELP device Facts.\n# TYPE device info\n" SAMPLES_OF_DEVICE "# EOF\n");
	metrics_clear(&metrics);
	assert_int_equal(metrics.count, 0);
	assert_null(metrics.families);
	free(prometheus);
	prometheus = print(&metrics, METRICS_PROMETHEUS);
	assert_string_equal(prometheus, "");
	free(open);
	open = print(&metrics, METRICS_OPENMETRICS);
	assert_string_equal(open, "# EOF\n");
}

/* A unit is given only if the name ends with it, as OpenMetrics requires. */
static void units(void **state)
{
	static const struct {
		const char *name, *unit, *told;
	} samples[] = {
		{"rx_bytes", "bytes", "bytes"},	  {"rx_bytes", "seconds", NULL},
		{"rx_bytes", NULL, NULL},	  {"rxbytes", "bytes", NULL},
		{"bytes", "bytes", NULL},	  {"_bytes", "bytes", "bytes"},
		{"rx_bytes_sent", "bytes", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct metrics metrics = {0};
		const struct metric_family *family = metrics_family(
			&metrics, samples[i].name, METRIC_GAUGE, samples[i].unit, "");

		if (samples[i].told)
			assert_string_equal(family->unit, samples[i].told);
		else
			assert_null(family->unit);
		metrics_clear(&metrics);
	}
}

/* In any order, each name is one family, whose first texts count. */
static void families(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct metrics metrics = {0};
	char *name;

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		const size_t at = i * 7 % 5 % 3;
		struct metric_family *family = metrics_family(&metrics, names[at],
							      i ? METRIC_GAUGE : METRIC_COUNTER,
							      NULL, i ? "x" : "y");

		assert_string_equal(family->name, names[at]);
		metric_add(family, i);
	}
	assert_int_equal(metrics.count, 3);
	assert_int_equal(metrics.families[0].sample_count + metrics.families[1].sample_count +
				 metrics.families[2].sample_count,
			 20);
	assert_string_equal(metrics.families[0].name, "a");
	assert_string_equal(metrics.families[0].help, "y");
	assert_int_equal(metrics.families[0].type, METRIC_COUNTER);
	name = metric_sample_name(&metrics.families[0]);
	assert_string_equal(name, "a_total");
	free(name);
	name = metric_sample_name(&metrics.families[1]);
	assert_string_equal(name, metrics.families[1].name);
	free(name);
	metrics_clear(&metrics);
}

/* The largest of the samples that would be one series is kept, whichever comes first. */
static void united(void **state)
{
	static const struct {
		const char *port;
		uint64_t value;
	} samples[] = {{"2", 7}, {"1", 3}, {"2", 9}, {"10", 0}, {"1", 3}, {"2", 8}};
	struct metrics metrics = {0};
	struct metric_family *family = metrics_family(&metrics, "a", METRIC_GAUGE, NULL, "A.");
	_cleanup_(freep) char *text = NULL;

	(void)state;
	metric_unite(family);
	assert_int_equal(family->sample_count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		metric_label(metric_add(family, samples[i].value), "port", samples[i].port);
	metric_unite(family);
	text = print(&metrics, METRICS_PROMETHEUS);
	assert_string_equal(text, "# HELP a A.\n# TYPE a gauge\n"
				  "a{port=\"1\"} 3\na{port=\"10\"} 0\na{port=\"2\"} 9\n");
	metrics_clear(&metrics);
}

/* As registered for the HTTP headers of both formats. */
static void content_types(void **state)
{
	(void)state;
	assert_string_equal(metrics_content_type(METRICS_PROMETHEUS),
			    "text/plain; version=0.0.4; charset=utf-8");
	assert_string_equal(metrics_content_type(METRICS_OPENMETRICS),
			    "application/openmetrics-text; version=1.0.0; charset=utf-8");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms), cmocka_unit_test(units),
		cmocka_unit_test(families),   cmocka_unit_test(content_types),
		cmocka_unit_test(united),
	};

	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
