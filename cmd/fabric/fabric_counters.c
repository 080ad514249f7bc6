/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/fabric/fabric_run.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"

static const char unreachable_hint[] =
	"a subnet manager assigns LIDs: rdmactl fabric check shows whether there is one";
static const char timeout_hint[] =
	"the node is down, or its performance management agent hangs: rdmactl perf LID";

/* A port takes about 800 bytes, so the limit is more than three hundred thousand ports. */
static const struct saved_kind saved_kind = {
	.schema = &saved_port_counters_schema,
	.command = "rdmactl fabric errors --save",
	.most_bytes = (size_t)256 * 1024 * 1024,
};

struct mad_address fabric_run_address(const struct fabric_run *run)
{
	return (struct mad_address){
		.sl = (uint8_t)run->args->mad.service_level.value,
		.qpn = 1,
		.qkey = run->mad.session.qkey,
		.pkey_index = run->mad.session.port.route.pkey_index,
	};
}

void fabric_counters_read(struct fabric_run *run, const struct port_errors_options *options,
			  struct port_errors *errors)
{
	struct port_errors_options addressed = *options;
	int rc;

	addressed.address = fabric_run_address(run);
	rc = port_errors_read(run->mad.session.engine, &run->fabric, &addressed, errors);
	if (rc == -ECANCELED)
		run->fabric.interrupted = true;
	if (rc)
		problem_add_text(&run->mad.listing.problems, NULL, NULL, "gmp",
				 rc == -ECANCELED ? "interrupted: not all counters were read"
						  : strerror(-rc),
				 NULL);
}

void fabric_counters_note_failure(struct fabric_run *run, const struct fabric_failure *failure,
				  const char *what, const char *hint)
{
	_cleanup_(freep) char *object = NULL, *reason = NULL, *message = NULL;

	port_errors_failure_text(&run->view, failure, &object, &reason);
	message = mem_format("%s%s", what, reason);
	problem_add_text(&run->mad.listing.problems, object, NULL, "gmp", message, hint);
}

/* Notes each failure once, although both readings may have it. */
static void note_failures(struct fabric_run *run, const struct port_errors *readings,
			  bool *reported)
{
	for_each_in (failure, readings->failures, readings->failure_count) {
		if (!reported[failure->port])
			fabric_counters_note_failure(run, failure, "",
						     failure->error == -ETIMEDOUT ? timeout_hint
										  : NULL);
		reported[failure->port] = true;
	}
}

void fabric_counters_note_losses(struct fabric_run *run, const struct port_errors *before,
				 const struct port_errors *after)
{
	_cleanup_(freep) bool *reported = mem_alloc_zero(run->fabric.port_count, sizeof(*reported));
	_cleanup_(freep) char *message = NULL;

	note_failures(run, after, reported);
	if (before)
		note_failures(run, before, reported);
	if (!after->unreachable)
		return;
	message = port_errors_unreachable_text(&run->view, after);
	fabric_run_problem(run, unreachable_hint, "%s", message);
}

static bool load(struct fabric_run *run, const char *path, struct fabric_counters *counters)
{
	_cleanup_(freep) char *message = NULL;
	struct saved_list saved = {.count = 0};
	struct saved_head now = {.time = NULL};
	long others = 0;
	int rc = saved_list_read(&saved, path, &saved_kind, &message);

	if (!rc) {
		saved_head_read(NULL, &now);
		counters->seconds = saved_seconds_between(&saved.head, &now);
		saved_head_clear(&now);
		others = saved_port_counters_load(&run->fabric, saved.records, saved.count,
						  &counters->before);
		fabric_run_note_others(run, others);
	}
	if (others < 0)
		message = mem_format("cannot use %s: the counters of a port are malformed", path);
	if (message)
		listing_fail(&run->mad.listing, STATUS_FAILED, message,
			     "rdmactl fabric errors --save FILE writes one");
	saved_list_clear(&saved, &saved_port_counters_schema);
	return !message;
}

bool fabric_counters_take(struct fabric_run *run, const struct port_errors_options *options,
			  struct fabric_counters *counters)
{
	struct port_errors_options every = *options;

	every.all = true;
	*counters = (struct fabric_counters){.seconds = 0};
	if (run->args->since) {
		if (!load(run, run->args->since, counters))
			return false;
		fabric_counters_read(run, &every, &counters->after);
		return true;
	}
	fabric_counters_read(run, &every, &counters->before);
	if (run->fabric.interrupted ||
	    !mad_session_wait(&run->mad.session, clock_msec() + run->args->interval.value)) {
		fabric_run_problem(run, NULL, "interrupted before the second reading");
		return false;
	}
	fabric_counters_read(run, &every, &counters->after);
	counters->seconds = (double)(counters->after.nsec - counters->before.nsec) / 1e9;
	return true;
}

bool fabric_run_save(struct fabric_run *run, const char *path, const struct saved_kind *kind,
		     struct saved_list *list)
{
	int rc;

	saved_head_read(NULL, &list->head);
	rc = saved_list_write(list, path, kind);
	if (rc)
		listing_fail_to_write(&run->mad.listing, path, rc);
	saved_list_clear(list, kind->schema);
	return !rc;
}

bool fabric_counters_save(struct fabric_run *run, const char *path,
			  const struct port_errors *errors)
{
	struct saved_port_counters *saved = mem_alloc_zero(errors->count, sizeof(*saved));
	struct saved_list list = {.records = saved};

	for (size_t i = 0; i < errors->count; i++)
		if (errors->items[i].read)
			saved[list.count++] = saved_port_counters_of(&run->fabric,
								     &errors->items[i]);
	return fabric_run_save(run, path, &saved_kind, &list);
}
