/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Small files written by others, and lists in them: the first byte of the input says which one the
 * rest is.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "base/mem.h"
#include "doctor/limits/limit_files.h"
#include "fabric/scan/port_counters.h"
#include "host/pci/vpd.h"
#include "mad/names/ibdiag_conf.h"
#include "mad/names/node_names.h"
#include "mesh/form/rows.h"
#include "mesh/plan/plan.h"
#include "render/render.h"
#include "clean.h"
#include "same.h"

#define MOST_HOSTS   200u
#define MOST_RESULTS 50u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line of the text, counted from 1, is reported if and only if the text is wrong. */
static void check_line(int rc, unsigned int line, const char *text, size_t length)
{
	unsigned int lines = 1;

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	if (rc ? rc != -EINVAL || !line || line > lines : line != 0)
		abort();
}

static void try_node_names(const char *text, size_t length)
{
	struct node_names names = {.items = NULL};
	unsigned int line = 0;
	int rc = node_names_parse(text, length, &names, &line);

	check_line(rc, line, text, length);
	for (size_t i = 0; !rc && i < names.count; i++) {
		if ((i && names.items[i - 1].guid >= names.items[i].guid) ||
		    node_names_find(&names, names.items[i].guid) != names.items[i].name)
			abort();
		check_clean(names.items[i].name);
	}
	node_names_clear(&names);
}

static void try_ibdiag_conf(const char *text, size_t length)
{
	struct ibdiag_conf conf = {.device = NULL};
	unsigned int line = 0;

	check_line(ibdiag_conf_parse(text, length, &conf, &line), line, text, length);
	check_clean(conf.device);
	ibdiag_conf_clear(&conf);
}

static void try_error_limits(const char *text, size_t length)
{
	struct error_limits limits;
	unsigned int line = 0;

	(void)length;
	error_limits_init(&limits, 1);
	check_line(error_limits_parse(&limits, text, &line), line, text, strlen(text));
}

static char *format_hosts(char **names, size_t count)
{
	return hostlist_format((const char *const *)names, count, 0);
}

/* The names of a list, written as a list, give as many names, and are written the same again. */
static void try_hostlist(const char *text, size_t length)
{
	char **names, **again, *message = NULL, *list, *second;
	size_t count, again_count;

	(void)length;
	if (hostlist_parse(text, MOST_HOSTS, &names, &count, &message)) {
		check_clean(message);
		free(message);
		return;
	}
	list = format_hosts(names, count);
	if (!count || count > MOST_HOSTS ||
	    hostlist_parse(list, MOST_HOSTS, &again, &again_count, &message) ||
	    again_count != count)
		abort();
	second = format_hosts(again, again_count);
	if (strcmp(list, second))
		abort();
	for (size_t i = 0; i < count; i++) {
		check_clean(names[i]);
		free(names[i]);
		free(again[i]);
	}
	free(names);
	free(again);
	free(list);
	free(second);
}

static const struct endpoint rails[] = {
	{.device = "mlx5_0", .port = 1},
	{.device = "mlx5_1", .port = 1},
	{.device = "mlx5_1", .port = 2},
};

/* The last one is present and cannot use its second rail. */
static const struct mesh_host hosts[] = {
	{.name = (char *)(uintptr_t) "n1"},
	{.name = (char *)(uintptr_t) "n2"},
	{.name = (char *)(uintptr_t) "n3",
	 .presence = MESH_PRESENT,
	 .rails = (struct endpoint *)(uintptr_t)rails,
	 .rail_count = ARRAY_SIZE(rails),
	 .missing_rails = 1u << 1},
};

static void check_pair(const struct mesh_pair *pair)
{
	if (pair->a >= ARRAY_SIZE(hosts) || pair->b >= ARRAY_SIZE(hosts))
		abort();
}

static void try_pairs(const char *text, size_t length)
{
	struct plan plan = {.stages = mem_alloc_zero(1, sizeof(*plan.stages)), .count = 1};
	char *message = NULL;
	int rc = plan_read_pairs(text, length, hosts, ARRAY_SIZE(hosts), plan.stages, &message);

	if ((message != NULL) != (rc != 0))
		abort();
	check_clean(message);
	free(message);
	for (size_t i = 0; !rc && i < plan.stages->pair_count; i++)
		check_pair(&plan.stages->pairs[i]);
	plan_clear(&plan);
}

struct results {
	struct mesh_result items[MOST_RESULTS]; /* the first ones */
	uint64_t taken;
};

static void take_result(void *context, const struct mesh_result *result)
{
	struct results *results = context;

	if (results->taken < MOST_RESULTS)
		results->items[results->taken] = *result;
	results->taken++;
	check_pair(&result->pair);
	check_clean(result->reason);
}

/* Results that are written and read again are the same. */
static void check_rows(const struct results *results)
{
	const struct render_options options = {.format = FORMAT_JSONL};
	const uint64_t count = results->taken < MOST_RESULTS ? results->taken : MOST_RESULTS;
	struct columns columns = columns_of(&mesh_rows_schema, COLUMNS_ALL);
	struct results *again = mem_alloc_zero(1, sizeof(*again));
	struct mesh_row row, same;
	const void *const rows[] = {&row};
	struct render_stream stream;
	struct mesh_rows_read read;
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);

	if (!file)
		abort();
	render_stream_init(&stream, file, &options, &columns);
	for (uint64_t i = 0; i < count; i++) {
		mesh_row_make(hosts, NULL, &results->items[i], &row);
		if (render_stream_rows(&stream, rows, 1))
			abort();
		mesh_row_free(&row);
	}
	render_stream_free(&stream);
	fclose(file);
	mesh_rows_read(text, length, hosts, ARRAY_SIZE(hosts), take_result, again, &read);
	if (read.taken != count || read.unused || read.broken)
		abort();
	for (uint64_t i = 0; i < count; i++) {
		mesh_row_make(hosts, NULL, &results->items[i], &row);
		mesh_row_make(hosts, NULL, &again->items[i], &same);
		check_same(&mesh_rows_schema, &row, &same);
		mesh_row_free(&row);
		mesh_row_free(&same);
	}
	columns_free(&columns);
	free(again);
	free(text);
}

static void try_rows(const char *text, size_t length)
{
	struct results *results = mem_alloc_zero(1, sizeof(*results));
	struct mesh_rows_read read;
	struct strings modes = {.items = NULL};
	uint32_t stage;
	char *mode = NULL;

	mesh_rows_read(text, length, hosts, ARRAY_SIZE(hosts), take_result, results, &read);
	if (results->taken != read.taken || !read.unused != !read.cause ||
	    !read.broken != !read.reason)
		abort();
	check_rows(results);
	free(results);
	check_clean(read.cause);
	check_clean(read.reason);
	free(read.cause);
	free(read.reason);
	strings_add(&modes, "ring");
	if (!mesh_rows_fit(text, length, &modes, &stage, &mode))
		check_clean(mode);
	free(mode);
	strings_free(&modes);
}

static void try_limits(const char *text, size_t length)
{
	char *unit = limit_parse_unit(text, "LimitMEMLOCK"),
	     *logins = limit_parse_logins(text, "hard"), *crio = limit_parse_crio(text, "memlock");

	(void)length;
	check_clean(unit);
	check_clean(logins);
	check_clean(crio);
	free(unit);
	free(logins);
	free(crio);
}

static void check_part(const struct vpd_text *part, const char *text, size_t length)
{
	if (part->length && (part->text < text || part->text + part->length > text + length))
		abort();
}

static void try_vpd(const char *text, size_t length)
{
	const uint8_t *data = (const uint8_t *)text;
	struct vpd_text value = {.length = 0}, name = {.length = 0}, part = {.length = 0};

	vpd_find(data, length, "VA", &value);
	vpd_product(data, length, &name, &part);
	check_part(&value, text, length);
	check_part(&name, text, length);
	check_part(&part, text, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text, size_t length) = {
		try_node_names, try_ibdiag_conf, try_error_limits, try_hostlist,
		try_pairs,	try_rows,	 try_limits,	   try_vpd,
	};
	char *text;

	if (!size || data[0] - '0' < 0 || data[0] - '0' >= (int)ARRAY_SIZE(tries))
		return 0;
	/* The copy has exactly this size and a NUL, so that the sanitizer sees every overrun. */
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	tries[data[0] - '0'](text, size - 1);
	free(text);
	return 0;
}
