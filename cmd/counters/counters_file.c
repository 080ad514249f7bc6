/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/counters/counters_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "render/json_read.h"
#include "render/render.h"

/* A counter takes about 300 bytes: this is a hundred thousand of them. */
#define MOST_BYTES ((size_t)32 * 1024 * 1024)

static void fail(struct listing *listing, const char *path, const char *what, const char *why,
		 const char *hint)
{
	_cleanup_(freep) char *message = mem_format("cannot %s %s: %s", what, path, why);

	listing_fail(listing, STATUS_FAILED, message, hint);
}

bool counters_file_read(struct counters_file *file, const char *path, struct listing *listing)
{
	_cleanup_(freep) char *text = NULL, *message = NULL;
	void *counters = NULL;
	size_t length;
	int rc = file_read(path, MOST_BYTES, &text, &length);

	*file = (struct counters_file){.count = 0};
	if (rc) {
		fail(listing, path, "read", strerror(-rc),
		     rc == -ENOENT ? "save one first: rdmactl counters --save FILE" : NULL);
		return false;
	}
	rc = json_read(text, length, &saved_head_schema, &file->head, &saved_counters_schema,
		       &counters, &file->count, &message);
	file->counters = counters;
	if (rc)
		fail(listing, path, "use",
		     message ? message : "it is no file of rdmactl counters --save",
		     "save a new one: rdmactl counters --save FILE");
	return !rc;
}

void counters_file_free(struct counters_file *file)
{
	for (size_t i = 0; i < file->count; i++)
		record_clear(&saved_counters_schema, &file->counters[i]);
	free(file->counters);
	record_clear(&saved_head_schema, &file->head);
	*file = (struct counters_file){.count = 0};
}

/* What is written. */
struct content {
	const struct saved_head *head;
	const struct saved_counter *counters;
	size_t count;
};

static int write_rows(const struct content *content, const struct columns *head_columns,
		      const struct columns *columns, FILE *file)
{
	const struct problems none = {.count = 0};
	_cleanup_(freep) const void **rows = mem_alloc_zero(content->count, sizeof(*rows));
	const struct render_options options = {.format = FORMAT_JSON};
	const struct document document = {
		.columns = columns,
		.rows = rows,
		.row_count = content->count,
		.problems = &none,
		.head_columns = head_columns,
		.head = content->head,
	};

	for (size_t i = 0; i < content->count; i++)
		rows[i] = &content->counters[i];
	return render(file, &options, &document);
}

static int write_content(void *context, FILE *file)
{
	struct columns head_columns, columns;
	char *bad = NULL;
	int rc = columns_select(&head_columns, &saved_head_schema, COLUMNS_ALL, NULL, &bad);

	if (rc)
		return rc;
	rc = columns_select(&columns, &saved_counters_schema, COLUMNS_ALL, NULL, &bad);
	if (!rc) {
		rc = write_rows(context, &head_columns, &columns, file);
		columns_free(&columns);
	}
	columns_free(&head_columns);
	return rc;
}

bool counters_file_write(const char *path, const struct saved_head *head,
			 const struct counter_readings *readings, struct listing *listing)
{
	struct saved_counter *counters = mem_alloc_zero(readings->count, sizeof(*counters));
	struct content content = {.head = head, .counters = counters, .count = readings->count};
	int rc;

	for (size_t i = 0; i < readings->count; i++)
		counters[i] = saved_counter_of(&readings->items[i]);
	rc = file_replace(path, write_content, &content);
	free(counters);
	if (rc)
		fail(listing, path, "write",
		     rc == -EEXIST ? "it is not a regular file" : strerror(-rc), NULL);
	return !rc;
}
