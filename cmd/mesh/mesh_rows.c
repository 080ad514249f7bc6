/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Results as rows: to standard output with --jsonl, to a file with --save, and back with --resume.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mesh/mesh_run.h"
#include "mesh/wire/mesh_message.h"

/* Four million rows of some 400 bytes. */
#define MOST_RESUME_BYTES ((size_t)1600 << 20)

/* Each line has two host names. */
#define MOST_PAIRS_BYTES ((size_t)256 << 20)

/* Opens a regular file of our own, not one through a link that somebody else may have made. */
static int open_rows(const char *path, bool append, FILE **ret_file)
{
	_cleanup_(closep) int fd = open(path,
					O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY |
						(append ? O_APPEND : 0),
					S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH);
	struct stat status;
	FILE *file;

	if (fd < 0 || fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EEXIST;
	if (status.st_uid != geteuid())
		return -EPERM;
	if (!append && ftruncate(fd, 0))
		return -errno;
	file = fdopen(fd, append ? "a" : "w");
	if (!file)
		return -errno;
	fd = -1;
	*ret_file = file;
	return 0;
}

/* Results belong to a stage: a different one with the same number would be judged by them. */
static bool check_stages(struct mesh_work *work, const char *path)
{
	_cleanup_(freep) char *mode = NULL;
	uint32_t stage;

	if (mesh_rows_fit(work->resumed, work->resumed_length, &work->modes, &stage, &mode))
		return true;
	return listing_fail_format(
		&work->listing, STATUS_USAGE,
		"give the same --stages as that run had, or write to another file with --save",
		"--resume: stage %u of %s was %s, but is %s here", stage, path, mode,
		work->modes.items[stage]);
}

bool mesh_rows_open(struct mesh_work *work)
{
	static const struct render_options options = {.format = FORMAT_JSONL};
	const struct mesh_args *args = work->args;
	const char *path = args->resume ?: args->save;
	int rc;

	work->modes.known = true;
	for (size_t i = 0; i < work->plan.count; i++) {
		_cleanup_(freep) char *mode = plan_stage_text(&work->plan.stages[i]);

		strings_add(&work->modes, mode);
	}
	if (work->listing.ctx->globals.jsonl)
		render_stream_init(&work->shown_rows, stdout, &options, &work->listing.columns);
	if (!path)
		return true;
	/* Findings go to standard output. */
	if (file_is_output(path))
		return listing_fail(&work->listing, STATUS_USAGE,
				    "standard output is not a file that keeps results",
				    "--jsonl prints each result as it arrives");
	if (args->resume) {
		rc = file_read(path, MOST_RESUME_BYTES, &work->resumed, &work->resumed_length);
		if (rc)
			return listing_fail_format(&work->listing, STATUS_FAILED, NULL,
						   "cannot read %s: %s", path, strerror(-rc));
		if (!check_stages(work, path))
			return false;
	}
	rc = open_rows(path, args->resume, &work->rows);
	if (rc)
		return listing_fail_to_write(&work->listing, path, rc);
	/* A run that was killed may have left half a line. */
	if (work->resumed_length && work->resumed[work->resumed_length - 1] != '\n')
		fputc('\n', work->rows);
	work->row_columns = columns_of(&mesh_rows_schema, COLUMNS_ALL);
	render_stream_init(&work->saved_rows, work->rows, &options, &work->row_columns);
	return true;
}

void mesh_rows_add(struct mesh_work *work, const struct mesh_result *result)
{
	struct mesh_row row;
	const void *const rows[] = {&row};

	if (!work->rows && !work->shown_rows.out)
		return;
	mesh_row_make(work->hosts,
		      result->stage < work->modes.count ? work->modes.items[result->stage] : NULL,
		      result, &row);
	if (work->rows && !work->rows_rc)
		work->rows_rc = render_stream_rows(&work->saved_rows, rows, 1);
	if (work->shown_rows.out && !work->shown_rc) {
		progress_erase(&work->progress);
		work->shown_rc = render_stream_rows(&work->shown_rows, rows, 1);
	}
	mesh_row_free(&row);
}

/* Flushes, so that readers see the rows of whole rounds. */
void mesh_rows_flush(void *mesh_work)
{
	struct mesh_work *work = mesh_work;

	if (work->rows && !work->rows_rc)
		work->rows_rc = file_flush(work->rows);
	if (work->shown_rows.out && !work->shown_rc)
		work->shown_rc = render_flush(stdout);
}

void mesh_rows_close(struct mesh_work *work)
{
	if (work->rows) {
		if (fclose(work->rows) && !work->rows_rc)
			work->rows_rc = -errno;
		if (work->rows_rc)
			listing_fail_to_write(&work->listing,
					      work->args->resume ?: work->args->save,
					      work->rows_rc);
	}
	work->rows = NULL;
	render_stream_free(&work->saved_rows);
	render_stream_free(&work->shown_rows);
	columns_free(&work->row_columns);
	mesh_done_clear(&work->done);
	strings_free(&work->modes);
	free(work->one_way_reason);
	free(work->unexplained_reason);
	free(work->apart_reason);
	free(work->contacts);
	free(work->earlier);
	free(work->resumed);
}

/* Whether a good result should have the figures of --both-ways, but lacks them. */
static bool lacks_both_ways(const struct mesh_work *work, const struct mesh_result *result)
{
	const struct session_setup setup = {.tests = MESH_BOTH_WAYS};

	return work->args->both_ways && result->outcome == MESH_PASS &&
	       result->pair.a != result->pair.b && result->stage < work->plan.count &&
	       (!result->both_gbps[MESH_END_A].known || !result->both_gbps[MESH_END_B].known) &&
	       session_tests(&setup, work->plan.stages[result->stage].mode);
}

void mesh_note_one_way(struct mesh_work *work, const struct mesh_result *result)
{
	if (!lacks_both_ways(work, result))
		return;
	work->one_way++;
	if (!work->one_way_reason && result->reason[0])
		work->one_way_reason = mem_string(result->reason);
}

void mesh_find_one_way(struct mesh_work *work)
{
	if (work->one_way)
		finding_add(&work->findings, JUDGE_ONE_WAY, NULL,
			    mem_format("%" PRIu64 " good pair%s%s%s", work->one_way,
				       text_plural_s(work->one_way),
				       work->one_way_reason ? ": " : "",
				       work->one_way_reason ?: ""));
}

/* The pair, and why it was not tested. */
static char *reason_of(const struct mesh_work *work, const struct mesh_result *result)
{
	_cleanup_(freep) char *pair = mesh_pair_text(work->hosts, &result->pair);

	return mem_format("%s: %s", pair, result->reason);
}

/* Names the host that all such pairs have in common, or those that were tested with no other. */
static void find_apart(struct mesh_work *work)
{
	const struct mesh_host *common = NULL;
	_cleanup_(strings_free) struct strings alone = {.known = true};
	struct text_buffer text = {0};
	struct judge_finding *finding;
	uint32_t in_all = 0, in_any = 0;

	if (!work->apart)
		return;
	for (uint32_t i = 0; i < work->count; i++) {
		const struct mesh_contact *contact = &work->contacts[i];

		in_any += contact->apart > 0;
		if (contact->several_apart && !contact->tested)
			strings_add(&alone, work->hosts[i].name);
		if (contact->apart == work->apart && !in_all++)
			common = &work->hosts[i];
	}
	text_buffer_add(&text, "%" PRIu64 " of %" PRIu64 " test%s", work->apart,
			work->outcome.pairs, text_plural_s(work->outcome.pairs));
	if (in_all == 1) {
		text_buffer_add(&text, ", all of them with %s", common->name);
	} else if (alone.count && alone.count < in_any) {
		_cleanup_(freep) char *list = hostlist_format((const char *const *)alone.items,
							      alone.count, MOST_OF_NAMES);

		text_buffer_add(&text, "; %s %s tested with no other host", list,
				alone.count == 1 ? "was" : "were");
	}
	text_buffer_add(&text, "; the first: %s", work->apart_reason);
	finding = finding_add(&work->findings, JUDGE_APART, NULL, text_buffer_take(&text));
	if (in_all != 1)
		return;
	finding->finding.object = mem_string(common->name);
	finding->host = number_of((uint64_t)(common - work->hosts));
	finding->host_name = mem_string(common->name);
}

static void note_apart(struct mesh_contact *contact, uint32_t other)
{
	contact->several_apart |= contact->apart++ && contact->last_apart != other;
	contact->last_apart = other;
}

/* Counts an untried pair. A lost host explains its pairs, and is a finding of its own. */
void mesh_note_untried(struct mesh_work *work, const struct mesh_result *result)
{
	if (mesh_was_tested(result->outcome))
		return;
	work->untried++;
	if (result->outcome == MESH_APART) {
		if (!work->apart++)
			work->apart_reason = reason_of(work, result);
		note_apart(&work->contacts[result->pair.a], result->pair.b);
		note_apart(&work->contacts[result->pair.b], result->pair.a);
	} else if (work->hosts[result->pair.a].presence == MESH_PRESENT &&
		   work->hosts[result->pair.b].presence == MESH_PRESENT && !work->unexplained++) {
		work->unexplained_reason = reason_of(work, result);
	}
}

void mesh_find_untried(struct mesh_work *work)
{
	find_apart(work);
	/* The exit status covers tests that a signal prevented. */
	if (work->unexplained && !work->outcome.interrupted)
		finding_add(&work->findings, JUDGE_UNTRIED, NULL,
			    mem_format("%" PRIu64 " of %" PRIu64 " test%s; the first: %s",
				       work->unexplained, work->outcome.pairs,
				       text_plural_s(work->outcome.pairs),
				       work->unexplained_reason));
}

/* Whether agents can now measure figures that a good result should have, but lacks. */
static bool can_be_whole(const struct mesh_work *work, const struct mesh_result *result)
{
	/* What a device could not do then, it never can. */
	return lacks_both_ways(work, result) &&
	       (!result->reason[0] ||
		(result->older_agent &&
		 work->hosts[result->pair.a].protocol >= MESH_PROTOCOL_BOTH_WAYS &&
		 work->hosts[result->pair.b].protocol >= MESH_PROTOCOL_BOTH_WAYS));
}

/*
 * Keeps no results of the second pass, which starts over, and none that lack figures of --both-ways
 * which can be measured now.
 */
static void keep_earlier(void *context, const struct mesh_result *result)
{
	struct mesh_work *work = context;

	if (!result->again && !can_be_whole(work, result))
		MEM_ADD(work->earlier, work->earlier_count) = *result;
}

/*
 * The newest result of a pair counts: it was tested again for a reason. A pair that was untried
 * then has none, because the rest of its round may be newer than what it had before.
 */
static void drop_older(struct mesh_work *work)
{
	size_t first = work->earlier_count;

	for (size_t i = work->earlier_count; i-- > 0;) {
		const struct mesh_result result = work->earlier[i];

		if (mesh_done_has(&work->done, result.stage, &result.pair))
			continue;
		mesh_done_add(&work->done, result.stage, &result.pair);
		work->earlier[--first] = result;
	}
	work->earlier_count -= first;
	if (first)
		memmove(work->earlier, work->earlier + first,
			work->earlier_count * sizeof(*work->earlier));
	for (size_t i = 0; i < work->earlier_count; i++)
		if (!mesh_was_tested(work->earlier[i].outcome))
			mesh_done_remove(&work->done, work->earlier[i].stage,
					 &work->earlier[i].pair);
}

void mesh_rows_resume(struct mesh_work *work)
{
	struct mesh_rows_read found = {.taken = 0};
	_cleanup_(freep) char *line = NULL, *left_out = NULL;

	if (!work->resumed)
		return;
	for (size_t i = 0; i < work->plan.count; i++)
		work->done.directed |= (uint32_t)(work->plan.stages[i].mode == MESH_INCAST) << i;
	mesh_rows_read(work->resumed, work->resumed_length, work->hosts, work->count, keep_earlier,
		       work, &found);
	drop_older(work);
	free(work->resumed);
	work->resumed = NULL;
	if (found.broken) {
		line = mem_format("--resume: %" PRIu64 " line%s not hold a result: %s",
				  found.broken, found.broken == 1 ? " does" : "s do", found.reason);
		problem_add_text(&work->listing.problems, NULL, NULL, NULL, line, NULL);
	}
	/* The run may be meant to have fewer hosts, so this is no problem. */
	if (found.unused) {
		left_out = mem_format("--resume: %" PRIu64 " result%s not used: %s", found.unused,
				      found.unused == 1 ? " is" : "s are", found.cause);
		mesh_work_say(work, left_out);
	}
	free(found.reason);
	free(found.cause);
}

bool mesh_read_pairs(struct mesh_work *work)
{
	for (size_t i = 0; i < work->plan.count; i++) {
		struct plan_stage *stage = &work->plan.stages[i];
		_cleanup_(freep) char *text = NULL, *message = NULL;
		size_t length = 0;
		int rc = 0;

		if (stage->mode != MESH_PAIRS)
			continue;
		rc = file_read(stage->path, MOST_PAIRS_BYTES, &text, &length);
		if (rc)
			message = mem_string(strerror(-rc));
		else
			rc = plan_read_pairs(text, length, work->hosts, work->count, stage,
					     &message);
		if (rc)
			return listing_fail_format(&work->listing, STATUS_FAILED, NULL,
						   "--stages pairs:%s: %s", stage->path, message);
	}
	return true;
}

char *mesh_rows_hint(const struct mesh_work *work)
{
	const struct mesh_args *args = work->args;
	const char *path = args->resume ?: args->save;
	_cleanup_(freep) char *quoted = path ? text_quote(path) : NULL;
	_cleanup_(freep) char *stages = args->stages ? text_quote(args->stages) : NULL;

	return path ? mem_format("--resume %s --seed %" PRIu64 "%s%s%s continues the run", quoted,
				 work->summary.seed.value, stages ? " --stages " : "", stages ?: "",
				 args->both_ways ? " --both-ways" : "")
		    : NULL;
}
