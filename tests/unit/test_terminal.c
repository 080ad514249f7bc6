/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A terminal that a command draws on: what is sent to it, its keys, and the effect of signals. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cmd/terminal.h"

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"
#define SHOWN "\033[H\033[Khello\033[0m\033[J"

struct bed {
	int master, slave;
	int before[2]; /* standard input and output */
	struct terminal terminal;
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct termios raw;

	bed->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(bed->master >= 0);
	assert_int_equal(grantpt(bed->master), 0);
	assert_int_equal(unlockpt(bed->master), 0);
	bed->slave = open(ptsname(bed->master), O_RDWR | O_NOCTTY);
	assert_true(bed->slave >= 0);
	/* The terminal passes the bytes on unchanged. */
	assert_int_equal(tcgetattr(bed->slave, &raw), 0);
	raw.c_oflag &= ~(tcflag_t)OPOST;
	raw.c_lflag |= ICANON | ECHO | ISIG;
	raw.c_cc[VMIN] = 7;
	raw.c_cc[VTIME] = 8;
	assert_int_equal(tcsetattr(bed->slave, TCSANOW, &raw), 0);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		bed->before[i] = dup(i);
		assert_int_equal(dup2(bed->slave, i), i);
	}
	signal(SIGHUP, SIG_DFL);
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		dup2(bed->before[i], i);
		close(bed->before[i]);
	}
	close(bed->slave);
	close(bed->master);
	free(bed);
	return 0;
}

/* Expects exactly this output since the last call. */
static void expect_sent(struct bed *bed, const char *wanted)
{
	struct pollfd readable = {.fd = bed->master, .events = POLLIN};
	char got[1024];
	size_t length = 0;

	while (poll(&readable, 1, length < strlen(wanted) ? 5000 : 0) > 0) {
		ssize_t more = read(bed->master, got + length, sizeof(got) - 1 - length);

		assert_true(more > 0);
		length += (size_t)more;
	}
	got[length] = '\0';
	assert_string_equal(got, wanted);
}

/* Expects keys to arrive one by one without echo, or not; signal keys always work. */
static void expect_single_keys(const struct bed *bed, bool single)
{
	struct termios now;

	assert_int_equal(tcgetattr(bed->slave, &now), 0);
	assert_int_equal(now.c_lflag & (ICANON | ECHO | ISIG),
			 single ? ISIG : ICANON | ECHO | ISIG);
	assert_int_equal(now.c_cc[VMIN], single ? 1 : 7);
	assert_int_equal(now.c_cc[VTIME], single ? 0 : 8);
}

static const int screen_signals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGALRM};
static const int end_signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP};

static void expect_blocked(bool of_screen, bool of_end)
{
	sigset_t blocked;

	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &blocked), 0);
	for (size_t i = 0; i < ARRAY_SIZE(screen_signals); i++)
		assert_int_equal(sigismember(&blocked, screen_signals[i]), of_screen);
	for (size_t i = 0; i < ARRAY_SIZE(end_signals); i++)
		assert_int_equal(sigismember(&blocked, end_signals[i]), of_end);
}

/* A table gets a screen only on a terminal with cursor positioning, and keys only with a screen. */
static void begins(void **state)
{
	static const struct {
		const char *type;
		bool table, keys, on, single;
	} samples[] = {
		{"xterm", true, true, true, true},    {"xterm", true, false, true, false},
		{"xterm", false, true, false, false}, {"dumb", true, true, false, false},
		{"", true, true, false, false},	      {NULL, true, true, false, false},
		{"dumber", true, true, true, true},
	};
	struct bed *bed = *state;
	struct terminal *terminal = &bed->terminal;

	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		assert_int_equal(
			samples[i].type ? setenv("TERM", samples[i].type, 1) : unsetenv("TERM"), 0);
		memset(terminal, 0xa5, sizeof(*terminal));
		terminal_begin(terminal, samples[i].table, samples[i].keys);
		assert_int_equal(terminal->on, samples[i].on);
		assert_int_equal(terminal->has_keys, samples[i].single);
		assert_false(terminal->stopped || terminal->changed);
		assert_null(terminal->text);
		expect_blocked(samples[i].on, true);
		expect_single_keys(bed, samples[i].single);
		assert_int_equal(terminal_end(terminal, true), 0);
		assert_false(terminal->has_keys);
		expect_blocked(false, false);
		expect_single_keys(bed, false);
		expect_sent(bed, "");
	}
}

/* Standard input may not be a terminal although the output is one. */
static void no_keyboard(void **state)
{
	struct bed *bed = *state;
	int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
	close(file);
	terminal_begin(&bed->terminal, true, true);
	assert_true(bed->terminal.on);
	assert_false(bed->terminal.has_keys);
	expect_single_keys(bed, false);
	assert_int_equal(terminal_end(&bed->terminal, false), 0);
}

/* The last text stays on the terminal if it is to be kept. */
static void shows(void **state)
{
	struct bed *bed = *state;
	struct terminal *terminal = &bed->terminal;

	terminal_begin(terminal, true, true);
	assert_int_equal(terminal_show(terminal, mem_string("first\n")), 0);
	expect_sent(bed, ENTER "\033[H\033[Kfirst\033[0m\033[J");
	assert_int_equal(terminal_show(terminal, mem_string("hello\n")), 0);
	assert_string_equal(terminal->text, "hello\n");
	expect_sent(bed, SHOWN);
	assert_int_equal(terminal_end(terminal, true), 0);
	assert_null(terminal->text);
	fflush(stdout);
	expect_sent(bed, LEAVE "hello\n");
	expect_single_keys(bed, false);
	terminal_begin(terminal, true, true);
	assert_int_equal(terminal_show(terminal, mem_string("hello\n")), 0);
	assert_int_equal(terminal_end(terminal, false), 0);
	fflush(stdout);
	expect_sent(bed, ENTER SHOWN LEAVE);
}

/* Restores the terminal as a shell does. */
static void set_cooked(const struct bed *bed)
{
	assert_int_equal(tcsetattr(bed->slave, TCSANOW, &bed->terminal.saved), 0);
}

/*
 * A new size causes a redraw; after a stop, the keys are set up again, too. Others end the program.
 */
static void takes_signals(void **state)
{
	struct bed *bed = *state;
	struct terminal *terminal = &bed->terminal;

	terminal_begin(terminal, true, true);
	terminal_take_signals(terminal);
	raise(SIGWINCH);
	terminal_take_signals(terminal);
	/* Nothing has been shown yet. */
	assert_true(terminal->changed);
	expect_sent(bed, "");
	assert_int_equal(terminal_show(terminal, mem_string("hello\n")), 0);
	expect_sent(bed, ENTER SHOWN);
	terminal->changed = false;
	terminal_take_signals(terminal);
	assert_false(terminal->changed);
	set_cooked(bed);
	raise(SIGWINCH);
	terminal_take_signals(terminal);
	expect_sent(bed, SHOWN);
	expect_single_keys(bed, false);
	assert_true(terminal->changed);
	terminal->changed = false;
	raise(SIGCONT);
	terminal_take_signals(terminal);
	expect_sent(bed, SHOWN);
	expect_single_keys(bed, true);
	assert_true(terminal->changed);
	assert_false(terminal->stopped);
	for (size_t i = 0; i < ARRAY_SIZE(end_signals); i++) {
		terminal->changed = terminal->stopped = false;
		raise(end_signals[i]);
		terminal_take_signals(terminal);
		assert_true(terminal->stopped);
		assert_false(terminal->changed);
		expect_sent(bed, "");
	}
	/* All pending signals are taken. */
	terminal->stopped = false;
	raise(SIGTERM);
	raise(SIGWINCH);
	terminal_take_signals(terminal);
	assert_true(terminal->stopped && terminal->changed);
	expect_sent(bed, SHOWN);
	/* A signal that comes before the end does not end the program afterwards. */
	raise(SIGTERM);
	assert_int_equal(terminal_end(terminal, false), 0);
	expect_blocked(false, false);
	expect_sent(bed, LEAVE);
}

static void waits(void **state)
{
	struct bed *bed = *state;
	struct terminal *terminal = &bed->terminal;
	uint64_t end;

	terminal_begin(terminal, true, false);
	/* The deadline has passed already: pending signals are taken nevertheless. */
	assert_true(terminal_wait_until(terminal, 0));
	raise(SIGWINCH);
	assert_true(terminal_wait_until(terminal, 0));
	assert_true(terminal->changed);
	end = clock_msec() + 30;
	raise(SIGWINCH);
	assert_true(terminal_wait_until(terminal, end));
	assert_true(clock_msec() >= end);
	raise(SIGINT);
	assert_false(terminal_wait_until(terminal, clock_msec() + 60000));
	/* The terminal remains stopped. */
	assert_false(terminal_wait_until(terminal, 0));
	assert_int_equal(terminal_end(terminal, false), 0);
}

/* Runs in a child with its own process group: an orphaned group cannot be stopped. */
static void be_stopped(struct terminal *terminal)
{
	int steps = 0;

	if (setpgid(0, 0))
		_exit(1);
	terminal_begin(terminal, true, true);
	if (terminal_show(terminal, mem_string("hello\n")))
		_exit(2);
	raise(SIGTSTP);
	terminal_take_signals(terminal);
	steps += terminal->changed && !terminal->stopped;
	steps += !terminal_end(terminal, false);
	_exit(steps == 2 ? 0 : 3);
}

/*
 * The shell gets its terminal back while the program is stopped, and the screen returns afterwards.
 */
static void stops(void **state)
{
	struct bed *bed = *state;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		be_stopped(&bed->terminal);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGTSTP);
	expect_sent(bed, ENTER SHOWN LEAVE);
	expect_single_keys(bed, false);
	assert_int_equal(kill(pid, SIGCONT), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* Once for the stop, once for SIGCONT. */
	expect_sent(bed, ENTER SHOWN SHOWN LEAVE);
	expect_single_keys(bed, false);
}

static void end_late(int number)
{
	(void)number;
	_exit(5);
}

/* Runs in a child, which waits for longer than --timeout allows. */
static void be_late(struct terminal *terminal)
{
	signal(SIGALRM, end_late);
	terminal_begin(terminal, true, true);
	if (terminal_show(terminal, mem_string("hello\n")))
		_exit(2);
	raise(SIGALRM);
	terminal_wait_until(terminal, clock_msec() + 60000);
	_exit(3);
}

/* The shell also gets its terminal back when --timeout ends the program. */
static void gives_up(void **state)
{
	struct bed *bed = *state;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid)
		be_late(&bed->terminal);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	expect_sent(bed, ENTER SHOWN LEAVE);
	expect_single_keys(bed, false);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	static const struct CMUnitTest tests[] = {
		TEST(begins), TEST(no_keyboard), TEST(shows),	 TEST(takes_signals),
		TEST(waits),  TEST(stops),	 TEST(gives_up),
	};

	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
