/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/fabric/fabric_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utc.h"
#include "counter/moment.h"
#include "render/json_read.h"
#include "render/render.h"

/* A port takes about 800 bytes: this is more than three hundred thousand ports. */
#define MOST_BYTES ((size_t)256 * 1024 * 1024)

void fabric_counters_read(struct fabric_run *run, bool all, uint64_t least, const bool *wanted,
			  struct port_errors *errors)
{
	const struct port_errors_options options = {
		.address =
			{
				.sl = (uint8_t)run->args->mad.service_level.value,
				.qpn = 1,
				.qkey = run->mad.session.qkey,
				.pkey_index = run->mad.session.route.pkey_index,
			},
		.all = all,
		.least = least,
		.wanted = wanted,
	};
	int rc = port_errors_read(run->mad.session.engine, &run->fabric, &options, errors);

	if (rc == -ECANCELED)
		run->fabric.interrupted = true;
	if (rc)
		problem_add_text(&run->mad.listing.problems, NULL, NULL, "gmp",
				 rc == -ECANCELED ? "interrupted: not all counters are read"
						  : strerror(-rc),
				 NULL);
}

static void fail(struct fabric_run *run, const char *path, const char *what, const char *why)
{
	_cleanup_(freep) char *message = mem_format("cannot %s %s: %s", what, path, why);

	listing_fail(&run->mad.listing, STATUS_FAILED, message,
		     strcmp(what, "write") ? "rdmactl fabric errors --save FILE writes one" : NULL);
}

static void clear_head(struct saved_head *head)
{
	free(head->time);
	free(head->host);
	free(head->boot_id);
}

/* Seconds since the file was written; 0 if unknown. */
static double seconds_since(const struct saved_head *then, const struct saved_head *now)
{
	uint64_t before, after;

	/* The uptime is right even if the clock was set in between. */
	if (then->boot_id && now->boot_id && !strcmp(then->boot_id, now->boot_id) &&
	    then->uptime_msec.known && now->uptime_msec.known) {
		before = then->uptime_msec.value;
		after = now->uptime_msec.value;
	} else if (!then->time || !now->time || !utc_parse(then->time, &before) ||
		   !utc_parse(now->time, &after)) {
		return 0;
	}
	return after > before ? (double)(after - before) / 1000 : 0;
}

/* Notes ports of the file that are gone; --diff tells more. */
static void note_others(struct fabric_run *run, long others)
{
	_cleanup_(freep) char *message = NULL;

	if (!others)
		return;
	message = mem_format("the file has %ld ports of nodes that are gone, or whose GUID is not "
			     "unique",
			     others);
	problem_add_text(&run->mad.listing.problems, NULL, NULL, NULL, message,
			 "rdmactl fabric scan --diff shows what is gone");
}

static bool use_file(struct fabric_run *run, const char *path,
		     const struct saved_port_counters *saved, size_t count,
		     struct port_errors *errors)
{
	long others = saved_port_counters_load(&run->fabric, saved, count, errors);

	if (others < 0) {
		fail(run, path, "use", "the counters of a port are malformed");
		return false;
	}
	note_others(run, others);
	return true;
}

static bool load(struct fabric_run *run, const char *path, struct fabric_counters *counters)
{
	struct saved_head then = {.time = NULL}, now = {.time = NULL};
	struct saved_port_counters *saved = NULL;
	_cleanup_(freep) char *text = NULL, *message = NULL;
	void *rows = NULL;
	size_t length, count = 0;
	bool done = false;
	int rc = file_read(path, MOST_BYTES, &text, &length);

	if (rc) {
		fail(run, path, "read", strerror(-rc));
		return false;
	}
	rc = json_read(text, length, &saved_head_schema, &then, &saved_port_counters_schema, &rows,
		       &count, &message);
	saved = rows;
	if (rc) {
		fail(run, path, "use",
		     message ? message : "it is not a file of rdmactl fabric errors --save");
	} else {
		moment_read(NULL, &now);
		counters->seconds = seconds_since(&then, &now);
		done = use_file(run, path, saved, count, &counters->before);
	}
	for (size_t i = 0; i < count; i++)
		record_clear(&saved_port_counters_schema, &saved[i]);
	free(saved);
	record_clear(&saved_head_schema, &then);
	clear_head(&now);
	return done;
}

bool fabric_counters_take(struct fabric_run *run, const bool *wanted,
			  struct fabric_counters *counters)
{
	*counters = (struct fabric_counters){.seconds = 0};
	if (run->args->since) {
		if (!load(run, run->args->since, counters))
			return false;
		fabric_counters_read(run, true, 0, wanted, &counters->after);
		return true;
	}
	fabric_counters_read(run, true, 0, wanted, &counters->before);
	if (run->fabric.interrupted ||
	    !mad_session_wait(&run->mad.session, clock_msec() + run->args->interval.value)) {
		problem_add_text(&run->mad.listing.problems, NULL, NULL, NULL,
				 "interrupted before the second reading", NULL);
		return false;
	}
	fabric_counters_read(run, true, 0, wanted, &counters->after);
	counters->seconds = (double)(counters->after.nsec - counters->before.nsec) / 1e9;
	return true;
}

void fabric_counters_clear(struct fabric_counters *counters)
{
	port_errors_clear(&counters->before);
	port_errors_clear(&counters->after);
}

/* The counters to write, and their graph. */
struct content {
	const struct fabric *fabric;
	const struct port_errors *errors;
};

static int write_rows(const struct content *content, const struct columns *head_columns,
		      const struct columns *columns, FILE *file)
{
	const size_t most = content->errors->count;
	const struct problems none = {.count = 0};
	struct saved_port_counters *saved = mem_alloc_zero(most + 1, sizeof(*saved));
	_cleanup_(freep) const void **rows = mem_alloc_zero(most + 1, sizeof(*rows));
	struct saved_head moment = {.time = NULL};
	const struct render_options options = {.format = FORMAT_JSON};
	struct document document = {
		.columns = columns,
		.rows = rows,
		.problems = &none,
		.head_columns = head_columns,
		.head = &moment,
	};
	int rc;

	moment_read(NULL, &moment);
	for (size_t i = 0; i < most; i++) {
		if (!content->errors->items[i].read)
			continue;
		saved[document.row_count] = saved_port_counters_of(content->fabric,
								   &content->errors->items[i]);
		rows[document.row_count] = &saved[document.row_count];
		document.row_count++;
	}
	rc = render(file, &options, &document);
	for (size_t i = 0; i < document.row_count; i++)
		record_clear(&saved_port_counters_schema, &saved[i]);
	free(saved);
	clear_head(&moment);
	return rc;
}

static int write_content(void *context, FILE *file)
{
	struct columns head_columns, columns;
	char *bad = NULL;
	int rc = columns_select(&head_columns, &saved_head_schema, COLUMNS_ALL, NULL, &bad);

	if (rc)
		return rc;
	rc = columns_select(&columns, &saved_port_counters_schema, COLUMNS_ALL, NULL, &bad);
	if (!rc) {
		rc = write_rows(context, &head_columns, &columns, file);
		columns_free(&columns);
	}
	columns_free(&head_columns);
	return rc;
}

bool fabric_counters_save(struct fabric_run *run, const char *path,
			  const struct port_errors *errors)
{
	struct content content = {.fabric = &run->fabric, .errors = errors};
	int rc = file_replace(path, write_content, &content);

	if (rc)
		fail(run, path, "write", rc == -EEXIST ? "not a regular file" : strerror(-rc));
	return !rc;
}
