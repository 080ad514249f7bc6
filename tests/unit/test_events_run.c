/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command events with a made-up watcher: which events it shows, what ends it, and what it
 * reports then. The functions of lib/event/watcher.h are defined here, so that the linker takes
 * none of lib/event/watcher.c.
 */
#include "command_lines.h"
#include "saved_tree.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/text.h"
#include "cmd/commands.h"
#include "event/watcher.h"

/* A host that has been suspended for so long, which CLOCK_MONOTONIC does not include. */
#define SLEPT_SECONDS 1000000000

/* The system call for a time_t of 64 bits. */
#ifndef SYS_clock_gettime64
#define SYS_clock_gettime64 SYS_clock_gettime
#endif

int clock_gettime(clockid_t clock, struct timespec *now)
{
	const int rc = (int)syscall(SYS_clock_gettime64, clock, now);

	if (clock == CLOCK_BOOTTIME)
		now->tv_sec += SLEPT_SECONDS;
	return rc;
}

/* ---- The watcher ---- */

enum { STEPS = 6, WORDS = 6 };

/* The words of a step, up to EVENT_WORD_COUNT, and its result. After the last step: SIGTERM. */
struct step {
	enum event_word words[WORDS];
	int rc;
};

struct watcher_bed {
	struct step steps[STEPS];
	size_t step_count, at;
	int open_error, timeout;
	bool warns, reported, freed;
	uint64_t report_words;
	enum event_word reports[WORDS];
	struct watcher_options options;
	char objects[64];
	rlim_t most_files; /* limit when the watcher was opened */
};

static struct watcher_bed bed;
static struct event_state bed_state;

static void add_event(struct event_list *events, enum event_word word,
		      const struct event_time *time)
{
	struct event *event = event_list_add(events, word, time, EVENT_SOURCE_VERBS);

	event->object = mem_string("m0/1");
	event->change = mem_string("-");
}

static void add_events(struct event_list *events, const enum event_word words[static WORDS],
		       const struct event_time *time)
{
	for (size_t i = 0; i < WORDS && words[i] != EVENT_WORD_COUNT; i++)
		add_event(events, words[i], time);
}

int watcher_open(const struct watcher_options *options, struct watcher **ret_watcher,
		 struct problems *warnings, struct problems *notes)
{
	struct rlimit files;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	bed.most_files = files.rlim_cur;
	bed.options = *options;
	for (size_t i = 0; i < options->objects->count; i++)
		snprintf(bed.objects + strlen(bed.objects),
			 sizeof(bed.objects) - strlen(bed.objects), "%s/%d ",
			 options->objects->items[i].device, options->objects->items[i].port);
	if (bed.warns) {
		problem_add_text(warnings, NULL, NULL, NULL, "a limitation", NULL);
		problem_add_text(notes, NULL, NULL, NULL, "a fallback", NULL);
	}
	if (bed.open_error)
		return bed.open_error;
	*ret_watcher = mem_alloc_zero(1, 1);
	return 0;
}

void watcher_free(struct watcher *watcher)
{
	bed.freed = watcher;
	free(watcher);
}

void watcher_poll(const struct watcher *watcher, struct pollfd **fds, size_t *count)
{
	(void)watcher;
	(void)fds;
	/* The descriptors of signals and of standard output come first. */
	assert_int_equal(*count, 2);
}

int watcher_timeout(const struct watcher *watcher)
{
	(void)watcher;
	/* If nothing is to come, it waits for other reasons to end. */
	return bed.step_count ? 0 : bed.timeout;
}

int watcher_step(struct watcher *watcher, const struct event_time *time, struct event_list *events)
{
	const struct step *step = &bed.steps[bed.at];

	(void)watcher;
	assert_true(time->wall_nsec > UINT64_C(1500000000000000000));
	/* The time for which a port is down includes the time that the host is suspended. */
	assert_true(time->monotonic_nsec / 1000000000 >= SLEPT_SECONDS);
	assert_int_equal(events->count, 0);
	if (!bed.step_count)
		return 0;
	if (bed.at == bed.step_count) {
		raise(SIGTERM);
		return 0;
	}
	bed.at++;
	add_events(events, step->words, time);
	return step->rc;
}

const struct event_state *watcher_state(const struct watcher *watcher)
{
	(void)watcher;
	return &bed_state;
}

unsigned int watcher_generation(const struct watcher *watcher)
{
	(void)watcher;
	return 0;
}

void watcher_report_states(const struct watcher *watcher, uint64_t words,
			   const struct event_time *time, struct event_list *events)
{
	(void)watcher;
	bed.reported = true;
	bed.report_words = words;
	add_events(events, bed.reports, time);
}

/* ---- The command ---- */

static int run(const char *line, char **ret_out, char **ret_err)
{
	return command_run(&events_command, line, ret_out, ret_err);
}

static int set_up(void **state)
{
	(void)state;
	bed = (struct watcher_bed){.timeout = -1};
	for (size_t i = 0; i < WORDS; i++)
		bed.reports[i] = EVENT_WORD_COUNT;
	return 0;
}

#define NO EVENT_WORD_COUNT

/* A device that is waited for may be missing: so each line names device-added. */
struct wanted {
	const char *line;
	struct step steps[STEPS];
	size_t step_count;
	int status;
	const char *events; /* words of the events shown */
	const char *err;    /* end of standard error */
};

static void expect(const struct wanted *wanted)
{
	_cleanup_(freep) char *line = mem_format("events --tsv --no-headings -o event %s",
						 wanted->line);
	_cleanup_(freep) char *out = NULL, *err = NULL, *got = NULL;
	const char *end;
	int status;

	memcpy(bed.steps, wanted->steps, sizeof(bed.steps));
	bed.step_count = wanted->step_count;
	bed.at = 0;
	bed.freed = false;
	status = run(line, &out, &err);
	for (char *newline = strchr(out, '\n'); newline; newline = strchr(newline, '\n'))
		*newline = ' ';
	if (status != wanted->status || strcmp(out, wanted->events))
		fail_msg("%s: %d '%s' instead of %d '%s': %s", wanted->line, status, out,
			 wanted->status, wanted->events, err);
	end = strlen(err) < strlen(wanted->err) ? err : err + strlen(err) - strlen(wanted->err);
	/* An end without a reason is not reported. */
	if (strcmp(end, wanted->err) || (!*wanted->err && strstr(err, "happen")))
		fail_msg("%s: '%s' instead of '%s'", wanted->line, err, wanted->err);
	/* Unless there is nothing to free. */
	assert_int_equal(bed.freed, !bed.open_error);
}

#define ALL_LEVELS                                                                               \
	{                                                                                        \
		{{EVENT_GID_ADDED, EVENT_PORT_ACTIVE, EVENT_PORT_INIT, EVENT_PORT_DOWN, NO}, 0}, \
		{                                                                                \
			{EVENT_DEVICE_ADDED, NO}, 0                                              \
		}                                                                                \
	}

/* Which events are shown: by word, by severity, and always those that are waited for. */
static void shown(void **state)
{
	static const struct wanted cases[] = {
		{"-e device-added,port-down", ALL_LEVELS, 2, STATUS_DONE, "port-down device-added ",
		 ""},
		{"-e device-added,gid-added,port-active,port-init,port-down", ALL_LEVELS, 2,
		 STATUS_DONE, "gid-added port-active port-init port-down device-added ", ""},
		{"-e device-added,gid-added,port-active,port-init,port-down -s info", ALL_LEVELS, 2,
		 STATUS_DONE, "gid-added port-active port-init port-down device-added ", ""},
		{"-e device-added,gid-added,port-active,port-init,port-down -s notice", ALL_LEVELS,
		 2, STATUS_DONE, "port-active port-init port-down device-added ", ""},
		{"-e device-added,gid-added,port-active,port-init,port-down -s warning", ALL_LEVELS,
		 2, STATUS_DONE, "port-init port-down ", ""},
		{"-e device-added,gid-added,port-active,port-init,port-down -s error", ALL_LEVELS,
		 2, STATUS_DONE, "port-down ", ""},
		{"-e gid-added -u device-added", ALL_LEVELS, 2, STATUS_DONE,
		 "gid-added device-added ", ""},
		{"-s error -u device-added", ALL_LEVELS, 2, STATUS_DONE, "port-down device-added ",
		 ""},
		{"-u device-added", ALL_LEVELS, 2, STATUS_DONE,
		 "gid-added port-active port-init port-down device-added ", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(&cases[i]);
}

static void ends(void **state)
{
	static const char hint[] = "  the state before watching began does not count without "
				   "--already\n";
	static const struct wanted cases[] = {
		/* The first event that is waited for, and nothing after it. */
		{"-u device-added,port-init", ALL_LEVELS, 2, STATUS_DONE,
		 "gid-added port-active port-init ", ""},
		{"-u device-added,port-init -c 3", ALL_LEVELS, 2, STATUS_DONE,
		 "gid-added port-active port-init ", ""},
		{"-u device-added -c 2", ALL_LEVELS, 2, STATUS_FAULT, "gid-added port-active ",
		 "rdmactl events: device-added did not happen within 2 events\n"},
		{"-u device-added,port-down -c 1", ALL_LEVELS, 2, STATUS_FAULT, "gid-added ",
		 "rdmactl events: device-added,port-down did not happen within 1 event\n"},
		/* Events that are not shown do not count. */
		{"-e device-added,port-down -c 2", ALL_LEVELS, 2, STATUS_DONE,
		 "port-down device-added ", ""},
		{"-e device-added,port-down -c 1", ALL_LEVELS, 2, STATUS_DONE, "port-down ", ""},
		{"-e device-added,port-down -c 3", ALL_LEVELS, 2, STATUS_DONE,
		 "port-down device-added ", ""},
		/* Interrupted. */
		{"-u device-added", ALL_LEVELS, 1, STATUS_FAILED,
		 "gid-added port-active port-init port-down ",
		 "rdmactl events: interrupted before device-added happened\n"},
		/* Nothing comes, and the time is up. */
		{"-e device-added -d 1ms", {{{NO}, 0}}, 0, STATUS_DONE, "", ""},
		{"-u device-removed,device-added -d 1ms",
		 {{{NO}, 0}},
		 0,
		 STATUS_FAULT,
		 "",
		 "rdmactl events: device-added,device-removed did not happen within 0.001 s\n"},
		{"-u device-added -d 20ms --already",
		 {{{NO}, 0}},
		 0,
		 STATUS_FAULT,
		 "",
		 "rdmactl events: device-added did not happen within 0.02 s\n"},
		/* It happened in time. */
		{"-u device-added -d 1h", ALL_LEVELS, 2, STATUS_DONE,
		 "gid-added port-active port-init port-down device-added ", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wanted wanted = cases[i];
		_cleanup_(freep) char *err = NULL;

		/* A next step in case the event was meant to be a state at the beginning. */
		if (wanted.status == STATUS_FAULT && !strstr(wanted.line, "--already"))
			wanted.err = err = mem_format("%s%s", wanted.err, hint);
		expect(&wanted);
	}
}

/* The state at the beginning counts as if it happened then. */
static void already(void **state)
{
	const struct wanted with = {"-u device-added,port-active --already",
				    ALL_LEVELS,
				    2,
				    STATUS_DONE,
				    "port-active ",
				    ""};
	const struct wanted without = {
		"-u device-added,port-init",	    ALL_LEVELS, 2, STATUS_DONE,
		"gid-added port-active port-init ", ""};

	(void)state;
	bed.reports[0] = EVENT_PORT_ACTIVE;
	bed.reports[1] = EVENT_DEVICE_ADDED;
	expect(&with);
	assert_true(bed.reported);
	assert_true(bed.report_words ==
		    (UINT64_C(1) << EVENT_DEVICE_ADDED | UINT64_C(1) << EVENT_PORT_ACTIVE));
	bed.reported = false;
	expect(&without);
	assert_false(bed.reported);
}

/* No source is left: the events of the last step are shown, and the command fails. */
static void fails(void **state)
{
	_cleanup_(freep) char *later = mem_format(
		"rdmactl events: the devices can no longer be watched: %s\n", strerror(EMFILE));
	_cleanup_(freep) char *first = mem_format(
		"rdmactl events: the devices cannot be watched: %s\n", strerror(EACCES));
	const struct wanted any_more = {"-e device-added,port-down",
					{{{EVENT_PORT_DOWN, NO}, 0},
					 {{EVENT_DEVICE_ADDED, NO}, -EMFILE}},
					3,
					STATUS_FAILED,
					"port-down device-added ",
					later};
	const struct wanted at_all = {"-e device-added", {{{NO}, 0}}, 1, STATUS_FAILED, "", first};

	(void)state;
	expect(&any_more);
	assert_int_equal(bed.at, 2);
	bed.open_error = -EACCES;
	expect(&at_all);
}

static void options(void **state)
{
	static const struct {
		const char *line;
		unsigned int flaps;
		uint64_t window_msec;
		bool all;
		const char *objects;
	} cases[] = {
		{"events -e device-added -d 1ms", 3, 600000, false, ""},
		{"events -e device-added -d 1ms --flap 5/90s", 5, 90000, false, ""},
		{"events -e device-added -d 1ms --flap 1/2h", 1, 7200000, false, ""},
		{"events -e device-added -d 1ms -a m0 m1/2", 3, 600000, true, "m0/-1 m1/2 "},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *out = NULL, *err = NULL;

		bed.objects[0] = '\0';
		/* The command's time ends before the watcher needs to poll. */
		bed.timeout = i % 2 ? -1 : 60000;
		assert_int_equal(run(cases[i].line, &out, &err), STATUS_DONE);
		assert_int_equal(bed.options.flap_count, cases[i].flaps);
		assert_true(bed.options.flap_window_msec == cases[i].window_msec);
		assert_int_equal(bed.options.all, cases[i].all);
		assert_null(bed.options.root);
		assert_string_equal(bed.objects, cases[i].objects);
	}
}

/* What is reported at the start. */
static void greeting(void **state)
{
	static const struct {
		const char *line;
		size_t ports[2];
		bool notes;
		const char *said; /* NULL: nothing */
	} cases[] = {
		{"events -e device-added -d 1ms", {1, 0}, false, NULL},
		{"events -e device-added -d 1ms -q", {1, 0}, false, NULL},
		{"events -e device-added -d 1ms -v", {1, 0}, true, "1 port of 1 device"},
		{"events -e device-added -d 1ms -v", {1, 2}, true, "3 ports of 2 devices"},
		{"events -e device-added -d 1ms -v", {0, 0}, true, "0 ports of 0 devices"},
	};

	(void)state;
	bed.warns = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tracked_device devices[2] = {{.port_count = cases[i].ports[0]},
						    {.port_count = cases[i].ports[1]}};
		struct tracked_device *pointers[2] = {&devices[0], &devices[1]};
		_cleanup_(freep) char *out = NULL, *err = NULL;
		const char *watching;

		bed_state = (struct event_state){.devices = pointers,
						 .device_count = (cases[i].ports[0] > 0) +
								 (cases[i].ports[1] > 0)};
		assert_int_equal(run(cases[i].line, &out, &err), STATUS_DONE);
		bed_state = (struct event_state){.devices = NULL};
		assert_non_null(strstr(err, "rdmactl events: a limitation\n"));
		assert_int_equal(strstr(err, "rdmactl events: a fallback\n") != NULL,
				 cases[i].notes);
		watching = strstr(err, "watching ");
		if (!cases[i].said) {
			assert_null(watching);
			continue;
		}
		assert_non_null(watching);
		assert_int_equal(strncmp(watching + 9, cases[i].said, strlen(cases[i].said)), 0);
		assert_int_equal(watching[9 + strlen(cases[i].said)], '\n');
	}
}

/* A table has its column widths before the first event. */
static void table(void **state)
{
	_cleanup_(freep) char *out = NULL, *err = NULL;
	const char *second;

	(void)state;
	bed.steps[0] = (struct step){{EVENT_DEVICE_ADDED, NO}, 0};
	bed.step_count = 1;
	assert_int_equal(run("events -e device-added -o "
			     "time,object,event,severity,source,device,netdev,gid_before,change",
			     &out, &err),
			 STATUS_DONE);
	second = strchr(out, '\n');
	assert_non_null(second);
	assert_int_equal(strncmp(out,
				 "TIME                     OBJECT       EVENT             "
				 "SEVERITY SOURCE   DEVICE   NETDEV   "
				 "GID BEFORE                              CHANGE\n",
				 (size_t)(second + 1 - out)),
			 0);
	/* The time is now. */
	assert_string_equal(second + 1 + 24, " m0/1         device-added      "
					     "notice   verbs    -        -        "
					     "-                                       -\n");
	free(out);
	free(err);
	bed.at = 0;
	assert_int_equal(run("events -e device-added -o state_before,state,gid,address,port", &out,
			     &err),
			 STATUS_DONE);
	assert_string_equal(out, "STATE BEFORE STATE    GID                                     "
				 "ADDRESS                  PORT\n"
				 "-            -        -                                       "
				 "-                           -\n");
	free(out);
	free(err);
	bed.at = 0;
	assert_int_equal(run("events -e device-added -o object,event,netdev", &out, &err),
			 STATUS_DONE);
	assert_string_equal(out, "OBJECT       EVENT             NETDEV\n"
				 "m0/1         device-added      -\n");
}

/* Every event is passed to the command, and the last commands are waited for. */
static void executes(void **state)
{
	_cleanup_(freep) char *line = NULL, *text = NULL, *out = NULL, *err = NULL;
	struct saved_tree *tree;
	void *bed_of_tree = NULL;
	size_t length = 0;
	FILE *file;

	(void)state;
	assert_int_equal(tree_set_up(&bed_of_tree, sizeof(*tree)), 0);
	tree = bed_of_tree;
	line = mem_format("events -e device-added,port-down -c 2 --exec "
			  "echo\t$RDMACTL_EVENT>>%s/said",
			  tree->path);
	bed.steps[0] = (struct step){{EVENT_PORT_ACTIVE, EVENT_PORT_DOWN, NO}, 0};
	bed.steps[1] = (struct step){{EVENT_DEVICE_ADDED, EVENT_PORT_DOWN, NO}, 0};
	bed.step_count = 2;
	assert_int_equal(run(line, &out, &err), STATUS_DONE);
	text = mem_alloc_zero(4096, 1);
	free(line);
	line = mem_format("%s/said", tree->path);
	file = fopen(line, "re");
	assert_non_null(file);
	length = fread(text, 1, 4095, file);
	fclose(file);
	assert_true(length > 0);
	assert_string_equal(text, "port-down\ndevice-added\n");
	tree_close(tree);
	free(tree);
}

/* Two descriptors for each of a thousand devices; the command gets its usual limit. */
static void many_devices(void **state)
{
	const struct rlimit usual = {.rlim_cur = 256, .rlim_max = 300};
	const struct wanted wanted = {"-e device-added -c 1 --exec [\t$(ulimit\t-n)\t=\t256\t]",
				      {{{EVENT_DEVICE_ADDED, NO}, 0}},
				      1,
				      STATUS_DONE,
				      "device-added ",
				      ""};

	(void)state;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
	expect(&wanted);
	assert_int_equal(bed.most_files, 300);
}

/* A signal while the last commands run does not undo the event, or the count. */
static void stopped_at_the_end(void **state)
{
	static const struct wanted cases[] = {
		{"-u device-added -e device-added --exec kill\t$PPID", ALL_LEVELS, 2, STATUS_DONE,
		 "device-added ", ""},
		{"-u device-removed -e device-added --already -c 1 --exec kill\t$PPID", ALL_LEVELS,
		 2, STATUS_FAULT, "device-added ",
		 "rdmactl events: device-removed did not happen within 1 event\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(&cases[i]);
}

/* The reader of the output is gone: that ends the command silently. */
static void reader_gone(void **state)
{
	_cleanup_(freep) char *out = NULL, *err = NULL;
	int ends_of[2], before;

	(void)state;
	assert_int_equal(pipe(ends_of), 0);
	signal(SIGPIPE, SIG_IGN);
	close(ends_of[0]);
	fflush(stdout);
	before = dup(STDOUT_FILENO);
	for (int with_events = 0; with_events < 2; with_events++) {
		struct captured said;
		int status;

		bed.at = 0;
		bed.step_count = (size_t)with_events;
		bed.steps[0] = (struct step){{EVENT_PORT_DOWN, NO}, 0};
		dup2(ends_of[1], STDOUT_FILENO);
		capture_stream(&said, stderr);
		status = command_run_line(&events_command,
					  "events --tsv --no-headings -u device-added");
		free(err);
		err = capture_end(&said);
		dup2(before, STDOUT_FILENO);
		assert_int_equal(status, STATUS_FAILED);
		assert_null(strstr(err, "happen"));
		assert_null(strstr(err, "output"));
	}
	close(before);
	close(ends_of[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shown, set_up, NULL),
		cmocka_unit_test_setup_teardown(ends, set_up, NULL),
		cmocka_unit_test_setup_teardown(already, set_up, NULL),
		cmocka_unit_test_setup_teardown(fails, set_up, NULL),
		cmocka_unit_test_setup_teardown(options, set_up, NULL),
		cmocka_unit_test_setup_teardown(greeting, set_up, NULL),
		cmocka_unit_test_setup_teardown(table, set_up, NULL),
		cmocka_unit_test_setup_teardown(executes, set_up, NULL),
		cmocka_unit_test_setup_teardown(stopped_at_the_end, set_up, NULL),
		cmocka_unit_test_setup_teardown(many_devices, set_up, NULL),
		cmocka_unit_test_setup_teardown(reader_gone, set_up, NULL),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
