/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * https://prometheus.io/docs/instrumenting/exposition_formats/ and
 * https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
 */
#include "render/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "render/format.h"

static bool ends_with_unit(const char *name, const char *unit)
{
	return text_ends_with(name, unit) && name[strlen(name) - strlen(unit) - 1] == '_';
}

struct metric_family *metrics_family(struct metrics *metrics, const char *name,
				     enum metric_type type, const char *unit, const char *help)
{
	struct metric_family *family;

	/* Each port has the same families in the same order, so most likely it is the next one. */
	for (size_t i = 0; i < metrics->count; i++) {
		const size_t at = (metrics->last + 1 + i) % metrics->count;

		if (!strcmp(metrics->families[at].name, name)) {
			metrics->last = at;
			return &metrics->families[at];
		}
	}
	metrics->last = metrics->count;
	family = mem_append(&metrics->families, &metrics->count, sizeof(*metrics->families));
	*family = (struct metric_family){
		.name = mem_string(name),
		.type = type,
		.unit = unit && ends_with_unit(name, unit) ? mem_string(unit) : NULL,
		.help = mem_string(help),
	};
	return family;
}

static struct metric_sample *add(struct metric_family *family)
{
	return mem_append(&family->samples, &family->sample_count, sizeof(*family->samples));
}

struct metric_sample *metric_add(struct metric_family *family, uint64_t value)
{
	struct metric_sample *sample = add(family);

	number_set(&sample->number, value);
	return sample;
}

struct metric_sample *metric_add_real(struct metric_family *family, double value)
{
	struct metric_sample *sample = add(family);

	sample->real = real_of(value);
	return sample;
}

/* Both formats escape label values in the same way; help texts may keep their double quotes. */
static char *escape(char *out, const char *value, bool quotes)
{
	for (; *value; value++) {
		if (*value == '\n' || *value == '\\' || (quotes && *value == '"'))
			*out++ = '\\';
		*out++ = (char)(*value == '\n' ? 'n' : *value);
	}
	*out = '\0';
	return out;
}

/* Every sample has some labels, so they are written in one go, without printf(). */
void metric_label(struct metric_sample *sample, const char *name, const char *value)
{
	const size_t before = sample->labels ? strlen(sample->labels) : 0;
	char *out;

	if (!value)
		return;
	/* At most two bytes per byte of the value, and the marks around it. */
	sample->labels = mem_resize(sample->labels, before + strlen(name) + 2 * strlen(value) + 5,
				    1);
	out = sample->labels + before;
	if (before)
		*out++ = ',';
	out = stpcpy(stpcpy(out, name), "=\"");
	stpcpy(escape(out, value, true), "\"");
}

static int compare_samples(const void *a, const void *b)
{
	const struct metric_sample *one = a, *other = b;

	return strcmp(one->labels, other->labels)
		       ?: COMPARE(other->number.value, one->number.value);
}

void metric_unite(struct metric_family *family)
{
	struct metric_sample *samples = family->samples;
	size_t kept = 0;

	MEM_SORT(samples, family->sample_count, compare_samples);
	for (size_t i = 0; i < family->sample_count; i++)
		if (kept && !strcmp(samples[kept - 1].labels, samples[i].labels))
			free(samples[i].labels);
		else
			samples[kept++] = samples[i];
	family->sample_count = kept;
}

void metrics_clear(struct metrics *metrics)
{
	for_each_in (family, metrics->families, metrics->count) {
		for (size_t j = 0; j < family->sample_count; j++)
			free(family->samples[j].labels);
		free(family->samples);
		free(family->name);
		free(family->unit);
		free(family->help);
	}
	free(metrics->families);
	*metrics = (struct metrics){0};
}

static const char *sample_suffix(enum metric_type type)
{
	return type == METRIC_COUNTER ? "_total" : type == METRIC_INFO ? "_info" : "";
}

char *metric_sample_name(const struct metric_family *family)
{
	return mem_format("%s%s", family->name, sample_suffix(family->type));
}

static void put_family_head(FILE *out, const struct metric_family *family,
			    enum metrics_format format)
{
	static const char *const types[] = {
		[METRIC_GAUGE] = "gauge", [METRIC_COUNTER] = "counter", [METRIC_INFO] = "info"};
	const bool open = format == METRICS_OPENMETRICS;
	/* The older format has no info metrics, and names families like their samples. */
	const char *type = types[open || family->type != METRIC_INFO ? family->type : METRIC_GAUGE];
	const char *suffix = open ? "" : sample_suffix(family->type);
	_cleanup_(freep) char *help = mem_alloc_zero(2 * strlen(family->help) + 1, 1);

	escape(help, family->help, open);
	fprintf(out, "# HELP %s%s %s\n# TYPE %s%s %s\n", family->name, suffix, help, family->name,
		suffix, type);
	if (open && family->unit)
		fprintf(out, "# UNIT %s %s\n", family->name, family->unit);
}

static void put_sample(FILE *out, const struct metric_family *family,
		       const struct metric_sample *sample)
{
	char scratch[TEXT_SCRATCH];

	fputs(family->name, out);
	fputs(sample_suffix(family->type), out);
	if (sample->labels) {
		putc_unlocked('{', out);
		fputs(sample->labels, out);
		putc_unlocked('}', out);
	}
	putc_unlocked(' ', out);
	if (sample->number.known)
		fputs(format_unsigned(sample->number.value, scratch), out);
	else
		fprintf(out, "%.17g", sample->real.value);
	putc_unlocked('\n', out);
}

int render_metrics(FILE *out, const struct metrics *metrics, enum metrics_format format)
{
	for_each_in (family, metrics->families, metrics->count) {
		if (family->sample_count)
			put_family_head(out, family, format);
		for (size_t j = 0; j < family->sample_count; j++)
			put_sample(out, family, &family->samples[j]);
	}
	if (format == METRICS_OPENMETRICS)
		fputs("# EOF\n", out);
	return file_error(out);
}

const char *metrics_content_type(enum metrics_format format)
{
	return format == METRICS_OPENMETRICS
		       ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
		       : "text/plain; version=0.0.4; charset=utf-8";
}
