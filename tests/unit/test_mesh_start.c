/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a mesh starts: where its token comes from and which ones are invalid; the launcher's process,
 * its output, how it ended, and how it is stopped.
 */
#include "saved_tree.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "cmd/mesh/mesh_run.h"

/* ---- Tokens ---- */

#define LONGEST "0123456789012345678901234567890123456789012345678901234567890ab"

static void words_of_files(void **state)
{
	static const struct {
		const char *text, *token; /* NULL: not a token */
	} samples[] = {
		{"abc", "abc"},
		{"abc\n", "abc"},
		{"abc\r\nmore", "abc"},
		{"!~", "!~"},
		{LONGEST, LONGEST},
		{LONGEST "c", NULL},
		{LONGEST "\n", LONGEST},
		{"", NULL},
		{"\nabc", NULL},
		{"a b", NULL},
		{" ", NULL},
		{"a\x7f", NULL},
		{"a\tb", NULL},
	};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/token", tree->path);
	_cleanup_(freep) char *wrong = mem_format(
		"cannot take the token from %s: it does not hold one word of at most 63 bytes",
		path);

	unsetenv("RDMACTL_TOKEN");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		char token[MESH_TOKEN_BYTES] = "before";
		_cleanup_(freep) char *reason = NULL;
		const char *text = samples[i].text;
		int rc;

		tree_write_bytes(tree, "token", text, strlen(text));
		assert_int_equal(chmod(path, 0600), 0);
		rc = mesh_token_find(path, false, token, &reason);
		assert_int_equal(rc, samples[i].token ? 0 : -EINVAL);
		assert_string_equal(token, samples[i].token ? samples[i].token : "before");
		if (rc)
			assert_string_equal(reason, wrong);
		else
			assert_null(reason);
	}
}

/* Nobody else may read, execute or write it. */
static void modes_of_files(void **state)
{
	static const mode_t modes[] = {0600, 0400, 0640, 0620, 0610, 0604, 0602, 0601};
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/token", tree->path), *directory = NULL;
	_cleanup_(freep) char *wrong = mem_format(
		"cannot take the token from %s: it must be a regular file of this user that "
		"nobody else may read: chmod 600",
		path);
	_cleanup_(freep) char *missing = NULL, *not_there = mem_format("%s/n\033", tree->path);
	_cleanup_(freep) char *wanted = mem_format("cannot take the token from %s/n\\x1b: %s",
						   tree->path, strerror(ENOENT));
	char token[MESH_TOKEN_BYTES];

	tree_write(tree, "token", "abc");
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		_cleanup_(freep) char *reason = NULL;

		assert_int_equal(chmod(path, modes[i]), 0);
		assert_int_equal(mesh_token_find(path, false, token, &reason), i < 2 ? 0 : -EPERM);
		if (i < 2)
			assert_null(reason);
		else
			assert_string_equal(reason, wrong);
	}
	assert_int_equal(mesh_token_find(tree->path, false, token, &directory), -EPERM);
	assert_int_equal(mesh_token_find(not_there, false, token, &missing), -ENOENT);
	assert_string_equal(missing, wanted);
}

/* The variable takes precedence over the file, and an empty variable is not a token. */
static void variable(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/token", tree->path), *reason = NULL;
	char token[MESH_TOKEN_BYTES];

	tree_write(tree, "token", "of-file");
	assert_int_equal(chmod(path, 0600), 0);
	setenv("RDMACTL_TOKEN", "of-variable", 1);
	assert_int_equal(mesh_token_find(path, false, token, &reason), 0);
	assert_string_equal(token, "of-variable");
	setenv("RDMACTL_TOKEN", "", 1);
	assert_int_equal(mesh_token_find(path, false, token, &reason), 0);
	assert_string_equal(token, "of-file");
	assert_int_equal(mesh_token_find(NULL, false, token, &reason), -ENOENT);
	assert_null(reason);
	setenv("RDMACTL_TOKEN", "two words", 1);
	assert_int_equal(mesh_token_find(path, false, token, &reason), -EINVAL);
	assert_string_equal(reason, "RDMACTL_TOKEN: the token is not one word of at most 63 bytes");
	unsetenv("RDMACTL_TOKEN");
}

static int find_in_input(const char *text, bool from_input, char token[static MESH_TOKEN_BYTES])
{
	_cleanup_(freep) char *reason = NULL;
	const int before = dup(STDIN_FILENO);
	int ends[2], rc;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	rc = mesh_token_find(NULL, from_input, token, &reason);
	if (before >= 0) {
		dup2(before, STDIN_FILENO);
		close(before);
	}
	return rc;
}

/* The first line of standard input, or all of it; nothing after that line is read. */
static void input(void **state)
{
	char token[MESH_TOKEN_BYTES] = "before";

	(void)state;
	assert_int_equal(find_in_input("abc\n", false, token), -ENOENT);
	assert_int_equal(find_in_input("", true, token), -ENOENT);
	assert_int_equal(find_in_input("\nabc\n", true, token), -ENOENT);
	assert_int_equal(find_in_input(LONGEST "c", true, token), -ENOENT);
	assert_string_equal(token, "before");
	assert_int_equal(find_in_input("abc\nmore\n", true, token), 0);
	assert_string_equal(token, "abc");
	assert_int_equal(find_in_input("def", true, token), 0);
	assert_string_equal(token, "def");
	assert_int_equal(find_in_input(LONGEST "\n", true, token), 0);
	assert_string_equal(token, LONGEST);
}

/* Created for this user alone, and read by the next caller. */
static void made_file(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *path = mem_format("%s/new", tree->path), *reason = NULL;
	_cleanup_(freep) char *nowhere = mem_format("%s/no/new", tree->path), *wanted = NULL;
	char first[MESH_TOKEN_BYTES] = "", second[MESH_TOKEN_BYTES] = "";
	const mode_t mask = umask(0);
	bool made = false, again = false;
	struct stat status;

	assert_int_equal(mesh_token_file(path, first, &made, &reason), 0);
	umask(mask);
	assert_true(made);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode, S_IFREG | 0600);
	assert_int_equal(status.st_size, 48);
	assert_int_equal(strlen(first), 48);
	assert_int_equal(strspn(first, "0123456789abcdef"), 48);
	assert_int_equal(mesh_token_file(path, second, &again, &reason), 0);
	assert_false(again);
	assert_string_equal(second, first);
	assert_null(reason);
	assert_int_equal(mesh_token_make(second), 0);
	assert_string_not_equal(second, first);
	assert_int_equal(mesh_token_file(nowhere, second, &again, &reason), -ENOENT);
	assert_false(again);
	wanted = mem_format("cannot take the token from %s: %s", nowhere, strerror(ENOENT));
	assert_string_equal(reason, wanted);
}

/* ---- The launcher ---- */

/* No process can be killed, as if it hung in the kernel. */
static bool immortal;

/* The program's file never arrives, as if from a server that is gone. */
static bool hanging_files;

int execvp(const char *file, char *const arguments[])
{
	while (hanging_files)
		pause();
	return execvpe(file, arguments, environ);
}

int kill(pid_t pid, int signal)
{
	return immortal ? 0 : (int)syscall(SYS_kill, pid, signal);
}

static void say(void *context, const char *line)
{
	mem_extend(context, "%s\n", line);
}

/* Runs a script in a shell; returns all its output. */
static char *run(struct mesh_launch *launch, const char *script)
{
	char shell[] = "sh", option[] = "-c", *said = mem_string("");
	_cleanup_(freep) char *copy = mem_string(script);
	char *const command[] = {shell, option, copy, NULL};
	siginfo_t info;

	assert_int_equal(mesh_launch_start(launch, command, "secret", -1), 0);
	while (launch->output >= 0) {
		struct pollfd output = {.fd = launch->output, .events = POLLIN};

		assert_int_equal(poll(&output, 1, 60000), 1);
		mesh_launch_read(launch, say, &said);
	}
	assert_int_equal(waitid(P_PID, (id_t)launch->pid, &info, WEXITED | WNOWAIT), 0);
	return said;
}

static void expect_end(struct mesh_launch *launch, const char *wanted)
{
	_cleanup_(freep) char *text = NULL;

	assert_true(mesh_launch_has_ended(launch));
	assert_true(mesh_launch_has_ended(launch));
	text = mesh_launch_end_text(launch);
	assert_string_equal(text, wanted);
	assert_true(mesh_launch_stop(launch, 0));
	assert_int_equal(launch->pid, 0);
	assert_null(launch->last);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	/* Without a launcher there is nothing to stop. */
	assert_true(mesh_launch_stop(launch, 0));
}

/* The script gets the token twice; both of its outputs are read; empty lines are skipped. */
static void printed(void **state)
{
	struct mesh_launch launch = {.pid = 0};
	_cleanup_(freep) char *said = NULL;

	(void)state;
	assert_false(mesh_launch_has_ended(&launch));
	said = run(&launch, "read token; echo \"in $token\"; echo \"as $RDMACTL_TOKEN\" >&2\n"
			    "printf '\\n\\n\\033x\\nlast'; exit 3");
	assert_string_equal(said, "in secret\nas secret\n\\x1bx\nlast\n");
	assert_string_equal(launch.last, "last");
	assert_int_equal(launch.length, 0);
	expect_end(&launch, "ended with status 3");
}

/* The last line is kept; an overlong line counts as two. */
static void many_lines(void **state)
{
	struct mesh_launch launch = {.pid = 0};
	_cleanup_(freep) char *said = run(&launch,
					  "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; done\n"
					  "printf '%0513d\\n%0512d\\nx\\n' 0 0; exit 255");
	_cleanup_(freep) char *wanted = mem_format(
		"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n%0*d\n0\n%0*d\nx\n", (int)sizeof(launch.line), 0,
		(int)sizeof(launch.line), 0);

	(void)state;
	assert_string_equal(said, wanted);
	assert_string_equal(launch.last, "x");
	expect_end(&launch, "ended with status 255");
}

static void killed(void **state)
{
	struct mesh_launch launch = {.pid = 0};
	_cleanup_(freep) char *said = run(&launch, "kill -9 $$");

	(void)state;
	assert_string_equal(said, "");
	expect_end(&launch, "was killed by signal 9");
}

static void not_started(void **state)
{
	char name[] = "/no/such/launcher";
	char *const command[] = {name, NULL};
	struct mesh_launch launch = {.pid = 0, .output = 77};

	(void)state;
	assert_int_equal(mesh_launch_start(&launch, command, "secret", -1), -ENOENT);
	assert_int_equal(launch.pid, 0);
	assert_int_equal(launch.output, 77);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A signal ends it even if the program never starts. */
static void never_started(void **state)
{
	static const int numbers[] = {SIGTERM, 0};
	char name[] = "true";
	char *const command[] = {name, NULL};
	struct mesh_launch launch = {.pid = 0, .output = 77};
	struct signals signals = SIGNALS_NONE;

	(void)state;
	signals_catch(&signals, numbers);
	raise(SIGTERM);
	hanging_files = true;
	assert_int_equal(mesh_launch_start(&launch, command, "secret", signals.fd), -EINTR);
	hanging_files = false;
	assert_int_equal(signals_take(&signals), SIGTERM);
	signals_release(&signals);
	assert_int_equal(launch.pid, 0);
	assert_int_equal(launch.output, 77);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* The launcher ends with its process group; its output meanwhile is not shown. */
static void stopped(void **state)
{
	char shell[] = "sh", option[] = "-c", script[] = "echo $$; exec sleep 1000";
	char *const command[] = {shell, option, script, NULL};
	struct mesh_launch launch = {.pid = 0};
	_cleanup_(freep) char *said = mem_string("");
	struct pollfd output = {.events = POLLIN};
	pid_t pid;

	(void)state;
	assert_int_equal(mesh_launch_start(&launch, command, "secret", -1), 0);
	pid = launch.pid;
	assert_int_equal(getpgid(pid), pid);
	output.fd = launch.output;
	assert_int_equal(poll(&output, 1, 60000), 1);
	mesh_launch_read(&launch, say, &said);
	assert_int_equal(atoi(said), pid);
	/* No more output is there, and the launcher keeps running. */
	mesh_launch_read(&launch, say, &said);
	assert_true(launch.output >= 0);
	assert_false(mesh_launch_has_ended(&launch));
	assert_true(mesh_launch_stop(&launch, 0));
	assert_true(launch.ended);
	assert_true(WIFSIGNALED(launch.status) && WTERMSIG(launch.status) == SIGTERM);
	assert_int_equal(launch.output, -1);
	assert_int_equal(launch.pid, 0);
	assert_int_equal(kill(-pid, 0), -1);
}

/* The coordinator's own agent is reaped once it has ended; without one, nothing is. */
static void own_agent(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_true(mesh_end_own_agent(0));
	assert_true(mesh_end_own_agent(pid));
	assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void expect_alive(pid_t pid)
{
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The wait for a process that does not end after SIGKILL is limited. */
static void hanging(void **state)
{
	char name[] = "sleep", seconds[] = "1000";
	char *const command[] = {name, seconds, NULL};
	struct mesh_launch launch = {.pid = 0};
	pid_t pid, agent;

	(void)state;
	assert_int_equal(mesh_launch_start(&launch, command, "secret", -1), 0);
	pid = launch.pid;
	agent = fork();
	while (!agent)
		pause();
	assert_true(agent > 0);
	immortal = true;
	assert_false(mesh_launch_stop(&launch, 0));
	assert_false(mesh_end_own_agent(agent));
	immortal = false;
	assert_int_equal(launch.pid, 0);
	assert_int_equal(launch.output, -1);
	expect_alive(pid);
	expect_alive(agent);
}

int main(void)
{
#define IN_TREE(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	static const struct CMUnitTest tests[] = {
		IN_TREE(words_of_files),
		IN_TREE(modes_of_files),
		IN_TREE(variable),
		cmocka_unit_test(input),
		IN_TREE(made_file),
		cmocka_unit_test(printed),
		cmocka_unit_test(many_lines),
		cmocka_unit_test(killed),
		cmocka_unit_test(not_started),
		cmocka_unit_test(never_started),
		cmocka_unit_test(stopped),
		cmocka_unit_test(own_agent),
		cmocka_unit_test(hanging),
	};

	return cmocka_run_group_tests_name("mesh-start", tests, NULL, NULL);
}
