/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The command of `events --exec`: its input, that commands run one after the other in the order of
 * the events, and what is reported about those that fail or wait in vain.
 */
#include "saved_tree.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/events/events_run.h"

struct bed {
	struct saved_tree tree;
	struct events_exec exec;
	struct problems problems;
	char command[600], text[4096];
	int out, err;
};

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	/* Standard output and error of the program and the command. */
	tree_write(&bed->tree, "out", "");
	tree_write(&bed->tree, "err", "");
	bed->exec.command = bed->command;
	assert_int_equal(chdir(bed->tree.path), 0);
	bed->out = dup(STDOUT_FILENO);
	bed->err = dup(STDERR_FILENO);
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(chdir("/"), 0);
	close(bed->out);
	close(bed->err);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void add(struct bed *bed, uint32_t port)
{
	struct event event = {
		.time = {.wall_nsec = 1500000000000000000},
		.object = mem_format("mlx5_0/%u", port),
		.device = mem_string("mlx5_0"),
		.port = number_of(port),
		.word = number_of(EVENT_PORT_DOWN),
		.severity = number_of(SEVERITY_ERROR),
		.port_before = {.state = number_of(4)},
		.port_after = {.state = number_of(1)},
	};

	event_describe(&event);
	events_exec_add(&bed->exec, &event);
	/* The event now belongs to the queue. */
	assert_null(event.object);
	assert_false(event.word.known);
}

/* Waits until all commands have ended, as the loop of events does with SIGCHLD. */
static void finish(struct bed *bed)
{
	const uint64_t end = clock_msec() + 20000;

	while (events_exec_is_busy(&bed->exec) && clock_msec() < end) {
		events_exec_reap(&bed->exec);
		usleep(500);
	}
	assert_false(events_exec_is_busy(&bed->exec));
}

static const char *read_all(struct bed *bed, const char *name)
{
	const int fd = open(name, O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd < 0 ? 0 : read(fd, bed->text, sizeof(bed->text) - 1);

	if (fd >= 0)
		close(fd);
	bed->text[length > 0 ? length : 0] = '\0';
	return bed->text;
}

/* Redirects standard output and error to files, or back. */
static void redirect(const struct bed *bed, bool back)
{
	const int out = back ? bed->out : open("out", O_WRONLY | O_TRUNC | O_CLOEXEC);
	const int err = back ? bed->err : open("err", O_WRONLY | O_TRUNC | O_CLOEXEC);

	fflush(NULL);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	if (!back) {
		close(out);
		close(err);
	}
}

static void environment(void **state)
{
	struct bed *bed = *state;
	sigset_t set, before;

	/* A signal that events blocks is not blocked in the command. */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before);
	setenv("RDMACTL_LID", "77", 1);
	setenv("RDMACTL_OTHER", "stays", 1);
	snprintf(bed->command, sizeof(bed->command),
		 "echo $RDMACTL_EVENT $RDMACTL_OBJECT $RDMACTL_DEVICE $RDMACTL_PORT "
		 "$RDMACTL_STATE_BEFORE $RDMACTL_STATE $RDMACTL_SEVERITY "
		 "${RDMACTL_LID-unset} ${RDMACTL_GID-unset} $RDMACTL_OTHER; wc -c; "
		 "grep SigBlk /proc/self/status; printf '%%s' \"$RDMACTL_JSON\" >json");
	redirect(bed, false);
	add(bed, 3);
	finish(bed);
	redirect(bed, true);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_string_equal(read_all(bed, "out"), "");
	assert_string_equal(read_all(bed, "err"),
			    "port-down mlx5_0/3 mlx5_0 3 active down error unset unset stays\n"
			    "0\n"
			    "SigBlk:\t0000000000000000\n");
	/* One JSON object on one line. */
	read_all(bed, "json");
	assert_null(strchr(bed->text, '\n'));
	assert_int_equal(bed->text[0], '{');
	assert_int_equal(bed->text[strlen(bed->text) - 1], '}');
	assert_non_null(strstr(bed->text, "\"event\": \"port-down\""));
	assert_non_null(strstr(bed->text, "\"state_before\": \"active\""));
	assert_non_null(strstr(bed->text, "\"gid\": null"));
	events_exec_end(&bed->exec, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_null(bed->exec.command);
}

/* One at a time, in the order of the events. */
static void order(void **state)
{
	struct bed *bed = *state;

	snprintf(bed->command, sizeof(bed->command),
		 "echo begin $RDMACTL_PORT >>log; sleep 0.01; echo end $RDMACTL_PORT >>log");
	assert_false(events_exec_is_busy(&bed->exec));
	for (uint32_t port = 1; port <= 3; port++) {
		add(bed, port);
		assert_true(events_exec_is_busy(&bed->exec));
	}
	assert_int_equal(bed->exec.count, 2);
	finish(bed);
	/* Again after the queue was empty. */
	add(bed, 4);
	finish(bed);
	assert_string_equal(read_all(bed, "log"), "begin 1\nend 1\nbegin 2\nend 2\n"
						  "begin 3\nend 3\nbegin 4\nend 4\n");
	events_exec_end(&bed->exec, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
}

/* Kills one process, never all of them or the process group. */
static void end_one(const struct bed *bed)
{
	assert_true(bed->exec.running > 1);
	kill(bed->exec.running, SIGKILL);
}

/* A signal kills it while an event waits, so the command need not be slow. */
static void interrupted(void **state)
{
	struct bed *bed = *state;

	snprintf(bed->command, sizeof(bed->command), "true");
	add(bed, 1);
	add(bed, 2);
	waitpid(bed->exec.running, NULL, 0);
	events_exec_end(&bed->exec, &bed->problems);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].error, "--exec: events not passed on: 1");
	assert_string_equal(bed->problems.items[0].hint,
			    "they were still waiting for the command when watching ended");
}

/* Events that do not fit are lost, and so are those waiting at the end. */
static void full(void **state)
{
	struct bed *bed = *state;

	snprintf(bed->command, sizeof(bed->command), "read -r line <fifo");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	/* One runs, the maximum waits, and two are too many. */
	for (uint32_t i = 0; i < 1 + EVENTS_EXEC_MOST + 2; i++)
		add(bed, i);
	assert_int_equal(bed->exec.count, EVENTS_EXEC_MOST);
	events_exec_reap(&bed->exec);
	assert_int_equal(bed->exec.count, EVENTS_EXEC_MOST);
	end_one(bed);
	for (int i = 0; i < 20000 && bed->exec.count == EVENTS_EXEC_MOST; i++) {
		usleep(500);
		events_exec_reap(&bed->exec);
	}
	/* The next event. */
	assert_int_equal(bed->exec.count, EVENTS_EXEC_MOST - 1);
	end_one(bed);
	waitpid(bed->exec.running, NULL, 0);
	events_exec_end(&bed->exec, &bed->problems);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[0].error, "--exec: events not passed on: 1025");
	assert_string_equal(bed->problems.items[0].hint,
			    "events come faster than the command handles them: narrow them "
			    "down with --event or --severity");
	assert_string_equal(bed->problems.items[1].error,
			    "--exec: failed commands: 1, the last with signal 9");
	assert_null(bed->exec.queue);
	assert_false(bed->exec.running);
}

static void failures(void **state)
{
	static const struct {
		const char *command, *error;
	} cases[] = {
		{"exit 3", "--exec: failed commands: 2, the last with exit status 3"},
		{"kill -TERM $$", "--exec: failed commands: 2, the last with signal 15"},
		{"no-such-command-here 2>/dev/null",
		 "--exec: failed commands: 2, the last with exit status 127"},
		{"[ $RDMACTL_PORT = 1 ]",
		 "--exec: failed commands: 1, the last with exit status 1"},
		{"[ $RDMACTL_PORT = 1 ] && exit 4; exit 5",
		 "--exec: failed commands: 2, the last with exit status 5"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bed->exec.command = cases[i].command;
		add(bed, 1);
		add(bed, 2);
		finish(bed);
		events_exec_end(&bed->exec, &bed->problems);
		assert_int_equal(bed->problems.count, i + 1);
		assert_string_equal(bed->problems.items[i].error, cases[i].error);
		assert_null(bed->problems.items[i].hint);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(environment), TEST(order), TEST(interrupted), TEST(full), TEST(failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
