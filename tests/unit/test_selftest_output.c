/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What selftest writes besides its table: the progress, charts, and the file of --samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/selftest/selftest_run.h"
#include "places.h"

/* Checks what the progress writes to a terminal; standard error is taken for one. */
static void show(const char *device, const char *test, const char *wanted)
{
	const struct ctx ctx = {.command = NULL};
	struct listing listing = {.ctx = &ctx};
	struct selftest_output output = {
		.listing = &listing,
		.progress = {.shown = true},
		.device = device,
		.port = 1,
	};
	_cleanup_(fclosep) FILE *file = tmpfile();
	const int saved = dup(STDERR_FILENO);
	char got[128] = "";

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	selftest_output_progress(&output, test);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	assert_non_null(fgets(got, sizeof(got), file));
	assert_string_equal(got, wanted);
}

static void progress(void **state)
{
	(void)state;
	show("rxa", "rc-write", "rxa/1 rc-write");
	show("\033[31m", "rc-write", "\\x1b[31m/1 rc-write");
	/* With --all-ports, no single port is under test. */
	show(NULL, "rails-write, rxa alone", "rails-write, rxa alone");
}

static struct selftest_result *add(struct selftest_results *results, const char *device,
				   const char *test, uint64_t bytes)
{
	struct selftest_result *row = selftest_results_add(results);

	row->device = mem_string_or_null(device);
	row->port = number_of(1);
	row->test = mem_string(test);
	row->size_bytes = number_of(bytes);
	return row;
}

/* Returns the document, to be freed. Takes the rows. */
static char *draw(struct selftest_results *results)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	assert_int_equal(selftest_charts_svg(file, results), 0);
	fclose(file);
	selftest_results_free(results);
	return text;
}

static void chart_of_rails(void **state)
{
	struct selftest_results results = {0};
	struct selftest_result *row = add(&results, "rxa", "rails-write", 65536);
	_cleanup_(freep) char *text = NULL;

	(void)state;
	row->alone_gbps = real_of(100);
	row->together_gbps = real_of(60);
	row = add(&results, NULL, "rails-write-sum", 65536);
	row->alone_gbps = real_of(200);
	row->together_gbps = real_of(120);
	text = draw(&results);
	assert_non_null(strstr(text, "Bandwidth by message size"));
	assert_non_null(strstr(text, ">rxa/1 rails-write alone<"));
	assert_non_null(strstr(text, ">rxa/1 rails-write together<"));
	assert_non_null(strstr(text, ">rails-write-sum together<"));
}

/* The intervals are points of one size at one place: only their summary is drawn. */
static void chart_of_intervals(void **state)
{
	struct selftest_results results = {0};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	for (uint64_t i = 1; i <= 4; i++) {
		struct selftest_result *row = add(&results, "rxa", "bandwidth-write", 4096);

		row->bandwidth_gbps = real_of(i < 4 ? 77 : 10);
		row->interval = (struct number){.value = i, .known = i < 4};
	}
	text = draw(&results);
	assert_non_null(strstr(text, ">rxa/1 bandwidth-write<"));
	assert_non_null(strstr(text, ": 10<"));
	assert_null(strstr(text, ": 77<"));
}

/* A name has a size only if its row has one. */
static void chart_of_shares(void **state)
{
	struct selftest_results results = {0};
	uint64_t nsec[] = {1000, 1500, 3000};
	struct selftest_result *row = add(&results, "rxa", "connections", 0);
	_cleanup_(freep) char *text = NULL;

	(void)state;
	row->size_bytes.known = false;
	selftest_result_set_latency(row, nsec, ARRAY_SIZE(nsec), NULL);
	row = add(&results, "rxa", "latency-send", 64);
	selftest_result_set_latency(row, nsec, ARRAY_SIZE(nsec), NULL);
	text = draw(&results);
	assert_non_null(strstr(text, ">rxa/1 connections<"));
	assert_non_null(strstr(text, ">rxa/1 latency-send, 64 bytes<"));
}

/* Whether the file can be written is checked before the measurement. */
static int begin(const char *path, const char *reason)
{
	struct selftest_args args = {.samples = path};
	struct selftest_run run = {.plan.args = &args};
	int rc = selftest_samples_begin(&run);

	if (rc) {
		assert_int_equal(run.listing.problems.count, 1);
		assert_non_null(strstr(run.listing.problems.items[0].error, reason));
		assert_int_equal(run.listing.problems.items[0].hint != NULL, rc != -EEXIST);
		assert_int_equal(run.listing.status, STATUS_FAILED);
		assert_null(run.samples);
	} else {
		/* Not in memory. */
		assert_true(fileno(run.samples) >= 0);
		fclose(run.samples);
	}
	problems_free(&run.listing.problems);
	return rc;
}

static void samples(void **state)
{
	char folder[PATH_MAX];
	_cleanup_(freep) char *file = NULL, *none = NULL, *inside = NULL;
	struct stat there;

	(void)state;
	place_for(folder, "selftest_output");
	assert_non_null(mkdtemp(folder));
	file = mem_format("%s/samples", folder);
	none = mem_format("%s/none/samples", folder);
	inside = mem_format("%s/samples/samples", folder);
	assert_int_equal(begin(file, NULL), 0);
	/* The check creates no file. */
	assert_int_equal(stat(file, &there), -1);
	assert_int_equal(begin(none, "cannot write "), -ENOENT);
	assert_int_equal(begin(folder, "cannot write "), -EISDIR);
	fclose(fopen(file, "w"));
	assert_int_equal(begin(file, NULL), 0);
	assert_int_equal(begin(inside, "cannot write "), -ENOTDIR);
	/* A device cannot be replaced by a file. */
	assert_int_equal(begin("/dev/zero", "cannot write "), -EEXIST);
	unlink(file);
	rmdir(folder);
}

/* The samples of a run, one per line; a folder that is gone at the end is reported. */
static void sample_lines(void **state)
{
	static const uint64_t nsec[] = {1500, 99};
	char folder[PATH_MAX], line[80];
	_cleanup_(freep) char *file = NULL;

	(void)state;
	place_for(folder, "selftest_output");
	assert_non_null(mkdtemp(folder));
	file = mem_format("%s/samples", folder);
	for (int gone = 0; gone < 2; gone++) {
		struct selftest_args args = {.samples = file};
		struct selftest_run run = {.plan.args = &args};
		struct selftest_results results = {0};
		const struct selftest_ways *ways = &run.plan.request.ways;
		FILE *written;

		assert_int_equal(selftest_samples_begin(&run), 0);
		ways->samples(ways->samples_context, add(&results, "rxa", "latency-send", 64), nsec,
			      ARRAY_SIZE(nsec));
		selftest_results_free(&results);
		if (gone)
			assert_int_equal(unlink(file) || rmdir(folder), 0);
		selftest_samples_end(&run);
		assert_int_equal(run.listing.problems.count, gone);
		if (gone)
			assert_int_equal(run.listing.status, STATUS_FAILED);
		problems_free(&run.listing.problems);
		if (gone)
			break;
		written = fopen(file, "r");
		assert_non_null(fgets(line, sizeof(line), written));
		assert_string_equal(line, "device\tport\ttest\tsize_bytes\tnsec\n");
		assert_non_null(fgets(line, sizeof(line), written));
		assert_string_equal(line, "rxa\t1\tlatency-send\t64\t1500\n");
		assert_non_null(fgets(line, sizeof(line), written));
		assert_string_equal(line, "rxa\t1\tlatency-send\t64\t99\n");
		assert_null(fgets(line, sizeof(line), written));
		fclose(written);
	}
}

/* The start of a file, up to here, was cut out. */
static off_t cut_bytes;

int fallocate(int fd, int mode, off_t offset, off_t length)
{
	assert_true(fd >= 0);
	assert_int_equal(mode, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE);
	assert_int_equal(offset, 0);
	cut_bytes = length;
	return 0;
}

static void add_many_samples(struct selftest_run *run)
{
	static const uint64_t nsec[1000];
	const struct selftest_ways *ways = &run->plan.request.ways;
	struct selftest_results results = {0};
	const struct selftest_result *row = add(&results, "rxa", "latency-send", 64);

	for (int i = 0; i < 100; i++)
		ways->samples(ways->samples_context, row, nsec, ARRAY_SIZE(nsec));
	selftest_results_free(&results);
}

/* Many samples do not take up twice the room; what keeps them from being written is told. */
static void sample_room(void **state)
{
	static const struct rlimit small = {.rlim_cur = 65536, .rlim_max = RLIM_INFINITY};
	char file[PATH_MAX];
	struct selftest_args args = {.samples = file};
	struct selftest_run run = {.plan.args = &args};
	_cleanup_(freep) char *wanted = NULL;
	struct rlimit before;
	struct stat there;

	(void)state;
	place_for(file, "selftest_output");
	close(mkstemp(file));
	assert_int_equal(selftest_samples_begin(&run), 0);
	add_many_samples(&run);
	selftest_samples_end(&run);
	assert_int_equal(run.listing.problems.count, 0);
	assert_int_equal(stat(file, &there), 0);
	assert_true(there.st_size > 2000000);
	assert_int_equal(cut_bytes, there.st_size);
	assert_int_equal(selftest_samples_begin(&run), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	add_many_samples(&run);
	selftest_samples_end(&run);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	unlink(file);
	assert_int_equal(run.listing.problems.count, 1);
	wanted = mem_format("cannot write %s: %s", file, strerror(EFBIG));
	assert_string_equal(run.listing.problems.items[0].error, wanted);
	assert_string_equal(run.listing.problems.items[0].hint,
			    "raise the limit of a file's size (ulimit -f)");
	problems_free(&run.listing.problems);
}

/* Redirects a descriptor to a file until restore(). */
static int redirect(int descriptor, FILE *file)
{
	const int saved = dup(descriptor);

	assert_non_null(file);
	fflush(stdout);
	dup2(fileno(file), descriptor);
	return saved;
}

static void restore(int descriptor, int saved)
{
	fflush(stdout);
	clearerr(stdout);
	dup2(saved, descriptor);
	close(saved);
}

static void add_interval(struct selftest_output *output, uint64_t interval,
			 enum selftest_verdict verdict)
{
	struct selftest_result *row = add(&output->results, "rxa", "bandwidth-write", 64);
	_cleanup_(freep) char *reason = mem_format("too slow %u", (unsigned int)interval);

	row->interval = number_unless_zero(interval);
	number_set(&row->verdict, verdict);
	if (verdict == SELFTEST_FAIL)
		row->reason = mem_string(reason);
	selftest_output_progress(output, "bandwidth-write");
}

static char *read_all(FILE *file, char *text, size_t size)
{
	rewind(file);
	text[fread(text, 1, size - 1, file)] = '\0';
	return text;
}

static size_t count_lines(const char *text, const char *word)
{
	size_t count = 0;

	while ((text = strstr(text, word))) {
		count++;
		text++;
	}
	return count;
}

#define OUT_SIZE 8192

/* The rows of intervals are written as they come, whether passed or failed. */
static void intervals_one_by_one(void **state, struct globals globals, const char *heading)
{
	const struct ctx ctx = {.command = &selftest_command, .globals = globals};
	struct listing listing;
	struct selftest_output output;
	_cleanup_(fclosep) FILE *out = tmpfile(), *err = tmpfile();
	const int saved_out = redirect(STDOUT_FILENO, out);
	const int saved_err = redirect(STDERR_FILENO, err);
	char text[OUT_SIZE];
	size_t kept, lines;
	int status = -1;

	(void)state;
	if (listing_begin_as(&listing, &ctx, &selftest_schema, false)) {
		selftest_output_begin(&output, &listing);
		output.pieces = true;
		for (uint64_t i = 1; i <= 30; i++)
			add_interval(&output, i, i == 7 ? SELFTEST_PASS : SELFTEST_FAIL);
		kept = output.results.count;
		fflush(stdout);
		lines = count_lines(read_all(out, text, sizeof(text)), "too slow");
		fseek(out, 0, SEEK_END);
		add_interval(&output, 0, SELFTEST_FAIL);
		status = selftest_output_end(&output, false);
	}
	restore(STDOUT_FILENO, saved_out);
	restore(STDERR_FILENO, saved_err);
	assert_int_equal(status, STATUS_FAULT);
	assert_int_equal(kept, 0);
	assert_int_equal(lines, 29);
	read_all(out, text, sizeof(text));
	assert_int_equal(count_lines(text, "too slow"), 30);
	assert_int_equal(strncmp(text, heading, strlen(heading)), 0);
	read_all(err, text, sizeof(text));
	/* 20 of the intervals, and the summary of all of them. */
	assert_int_equal(count_lines(text, "too slow"), 21);
	assert_non_null(strstr(text, "too slow 21"));
	assert_null(strstr(text, "too slow 22"));
	assert_int_equal(count_lines(text, ": 9 other intervals failed\n"), 1);
	assert_non_null(strstr(text, "30 of 31 tests failed\n"));
}

static void intervals(void **state)
{
	const struct globals plain = {.columns = "interval,reason"};
	const struct globals tabs = {.tsv = true, .columns = "interval,reason"};

	intervals_one_by_one(state, plain, "INTERVAL REASON\n       1 too slow 1\n");
	intervals_one_by_one(state, tabs, "interval\treason\n1\ttoo slow 1\n");
}

/* Adds a row with its verdict; without a device or a reason if NULL. */
static struct selftest_result *add_verdict(struct selftest_output *output, const char *device,
					   const char *test, enum selftest_verdict verdict,
					   const char *reason)
{
	struct selftest_result *row = add(&output->results, device, test, 64);

	number_set(&row->verdict, verdict);
	row->reason = mem_string_or_null(reason);
	return row;
}

/* Checks the text on standard error and the exit status; `served`: of a server. */
static void end_with(void (*fill)(struct selftest_output *output), bool served, int wanted,
		     const char *wanted_text)
{
	const struct ctx ctx = {.command = &selftest_command, .globals = {.tsv = true}};
	struct listing listing;
	struct selftest_output output;
	_cleanup_(fclosep) FILE *out = tmpfile(), *err = tmpfile();
	const int saved_out = redirect(STDOUT_FILENO, out);
	const int saved_err = redirect(STDERR_FILENO, err);
	char text[OUT_SIZE];
	int status = -1;

	if (listing_begin_as(&listing, &ctx, &selftest_schema, false)) {
		selftest_output_begin(&output, &listing);
		fill(&output);
		status = served ? selftest_output_end_served(&output)
				: selftest_output_end(&output, false);
	}
	restore(STDOUT_FILENO, saved_out);
	restore(STDERR_FILENO, saved_err);
	assert_int_equal(status, wanted);
	assert_string_equal(read_all(err, text, sizeof(text)), wanted_text);
}

static void add_failures(struct selftest_output *output)
{
	struct selftest_result *row;

	add_verdict(output, "rxa", "rc-send", SELFTEST_PASS, "a remark");
	add_verdict(output, "rxa", "rc-read", SELFTEST_SKIP, "no reads");
	row = add_verdict(output, "rxa", "latency-send", SELFTEST_FAIL, "too slow");
	row->next_step = mem_string("look for other load");
	row = add_verdict(output, NULL, "gid", SELFTEST_FAIL, NULL);
	row->size_bytes.known = false;
	number_set(&row->group, SELFTEST_GIDS);
	number_set(&row->gid_index, 3);
}

static void add_passes(struct selftest_output *output)
{
	add_verdict(output, "rxa", "rc-send", SELFTEST_PASS, NULL);
	add_verdict(output, "rxa", "rc-read", SELFTEST_SKIP, "no reads");
}

static void add_one_failure(struct selftest_output *output)
{
	struct selftest_result *row = add_verdict(output, "rxa", "connect", SELFTEST_FAIL, "no");

	row->size_bytes.known = false;
}

static void add_none(struct selftest_output *output)
{
	const struct selftest_result *row = selftest_output_add(output, SELFTEST_FAIL,
								"no \033port", "plug it in");

	assert_string_equal(row->test, "connect");
	assert_string_equal(row->reason, "no \\x1bport");
	assert_int_equal(row->group.value, SELFTEST_SETUP);
}

/* Each failure names what failed, and the last line counts the failures. */
static void endings(void **state)
{
	(void)state;
	end_with(add_failures, false, STATUS_FAULT,
		 "rdmactl selftest: rxa/1 latency-send (64 bytes): too slow\n"
		 "  look for other load\n"
		 "rdmactl selftest: gid (GID index 3): failed\n"
		 "rdmactl selftest: 2 of 4 tests failed, 1 skipped\n");
	end_with(add_passes, false, STATUS_DONE, "");
	/* A single row needs no summary. */
	end_with(add_one_failure, false, STATUS_FAULT, "rdmactl selftest: rxa/1 connect: no\n");
	end_with(add_none, false, STATUS_FAULT,
		 "rdmactl selftest: connect: no \\x1bport\n  plug it in\n");
	/* A failure for its clients is not a failure of the server. */
	end_with(add_failures, true, STATUS_DONE, "");
}

/* Rows that cannot be written end the run, as a signal does. */
static void full_disk(void **state)
{
	const struct ctx ctx = {.command = &selftest_command, .globals = {.tsv = true}};
	struct pollfd signals = {.fd = selftest_catch_signals(), .events = POLLIN};
	struct listing listing;
	struct selftest_output output;
	_cleanup_(fclosep) FILE *full = has_full_device() ? fopen("/dev/full", "w") : NULL;
	_cleanup_(fclosep) FILE *err = tmpfile();
	int saved_out, saved_err, status, early;
	struct signalfd_siginfo info;
	char text[OUT_SIZE];

	(void)state;
	assert_true(signals.fd >= 0);
	if (!full)
		skip();
	assert_true(listing_begin_as(&listing, &ctx, &selftest_schema, false));
	selftest_output_begin(&output, &listing);
	output.pieces = output.caught = true;
	saved_out = redirect(STDOUT_FILENO, full);
	saved_err = redirect(STDERR_FILENO, err);
	early = poll(&signals, 1, 0);
	add_interval(&output, 1, SELFTEST_PASS);
	poll(&signals, 1, 0);
	status = selftest_output_end(&output, false);
	restore(STDOUT_FILENO, saved_out);
	restore(STDERR_FILENO, saved_err);
	assert_int_equal(early, 0);
	assert_int_equal(signals.revents, POLLIN);
	assert_int_equal(read(signals.fd, &info, sizeof(info)), sizeof(info));
	close(signals.fd);
	assert_int_equal(status, STATUS_FAILED);
	assert_non_null(strstr(read_all(err, text, sizeof(text)), "cannot write the output: "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(progress),
		cmocka_unit_test(chart_of_rails),
		cmocka_unit_test(chart_of_intervals),
		cmocka_unit_test(chart_of_shares),
		cmocka_unit_test(samples),
		cmocka_unit_test(sample_lines),
		cmocka_unit_test(sample_room),
		cmocka_unit_test(intervals),
		cmocka_unit_test(endings),
		cmocka_unit_test(full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
