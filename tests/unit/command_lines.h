/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of whole commands in memory: a command runs with its own options, and the test
 * compares everything that it prints, reports and asks of the made-up system.
 */
#pragma once

#include "captured.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cli/command.h"

enum { COMMAND_LINE_WORDS = 24 };

/* A command line and everything that results from it; members that are NULL are not compared. */
struct command_row {
	const char *line;
	int status;
	const char *out, *err, *asked;
};

static char *command_asked; /* a line for each request */

/* Adds a line to the log of requests. */
static inline void command_note(const char *line)
{
	char *longer = mem_format("%s%s\n", command_asked, line);

	free(command_asked);
	command_asked = longer;
}

static inline int command_parse_and_run(struct ctx *ctx, int count, char **words)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	_cleanup_(freep) void *args = NULL;
	struct option_set sets[COMMAND_TABLES + 1];
	struct command child;
	size_t set_count;
	int first;

	if (command_has_children(ctx->command) &&
	    command_choose_child(ctx, &child, &count, words, &message, &hint))
		fail_msg("%s", message);
	args = mem_alloc_zero(1, ctx->command->args_size);
	set_count = command_option_sets(ctx->command, &ctx->globals, args, sets);
	first = options_parse(count, words, sets, set_count, ctx->command->passes_on, &message,
			      &hint);
	if (message || command_check_options(ctx, sets, set_count, &message, &hint))
		fail_msg("%s", message);
	return ctx->command->run(ctx, args, words + first);
}

/* Runs the line, which begins with the name of the command; returns the status. */
static inline int command_run_line(const struct command *command, const char *line)
{
	const struct command *const commands[] = {command};
	struct ctx ctx = {.command = command, .commands = commands, .command_count = 1};
	_cleanup_(freep) char *copy = mem_string(line);
	char *words[COMMAND_LINE_WORDS] = {NULL}, *rest = copy;
	int count = 0;

	while (rest) {
		assert_true(count < COMMAND_LINE_WORDS - 1);
		words[count++] = strsep(&rest, " ");
	}
	assert_string_equal(words[0], command->name);
	return command_parse_and_run(&ctx, count, words);
}

/* Like the above, but also returns what it prints and reports; the caller frees both. */
static inline int command_run(const struct command *command, const char *line, char **ret_out,
			      char **ret_err)
{
	struct captured out, err;
	int status;

	capture_begin(&out);
	capture_stream(&err, stderr);
	status = command_run_line(command, line);
	*ret_err = capture_end(&err);
	*ret_out = capture_end(&out);
	return status;
}

/* Replaces the text of strerror(), which differs between C libraries, by the name of the error. */
static inline char *command_name_errors(char *said)
{
	static const struct {
		int error;
		const char *name;
	} rows[] = {
		{EPERM, "<EPERM>"},	{ENOENT, "<ENOENT>"},	{EACCES, "<EACCES>"},
		{EBUSY, "<EBUSY>"},	{ENODEV, "<ENODEV>"},	{EHOSTUNREACH, "<EHOSTUNREACH>"},
		{EINVAL, "<EINVAL>"},	{ENODATA, "<ENODATA>"}, {EOPNOTSUPP, "<EOPNOTSUPP>"},
		{ENOTDIR, "<ENOTDIR>"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *words = strerror(rows[i].error);
		char *at;

		while ((at = strstr(said, words))) {
			char *other = mem_format("%.*s%s%s", (int)(at - said), said, rows[i].name,
						 at + strlen(words));

			free(said);
			said = other;
		}
	}
	return said;
}

static inline void command_compare(const char *line, const char *what, const char *got,
				   const char *wanted)
{
	if (wanted && strcmp(got, wanted))
		fail_msg("%s: %s: %s", line, what, got);
}

/* Runs the line, which begins with the name of the command. */
static inline void command_expect(const struct command *command, const struct command_row *row)
{
	_cleanup_(freep) char *out = NULL, *err = NULL;
	int status;

	free(command_asked);
	command_asked = mem_string("");
	status = command_run(command, row->line, &out, &err);
	err = command_name_errors(err);
	command_compare(row->line, "said", err, row->err);
	command_compare(row->line, "printed", out, row->out);
	command_compare(row->line, "asked", command_asked, row->asked);
	if (status != row->status)
		fail_msg("%s: status %d", row->line, status);
}

/*
 * Returns what a command that cannot write its output has counted at its end, below 100. It runs in
 * its own process. The device /dev/full must exist.
 */
static inline int command_into_full(const struct command *command, const char *line,
				    const unsigned int *counted)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

		if (full < 0 || dup2(full, STDOUT_FILENO) < 0 || dup2(full, STDERR_FILENO) < 0)
			_exit(100);
		command_run_line(command, line);
		_exit((int)*counted);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Standard input is empty and not a terminal. */
static inline int command_set_up(void **state)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(null >= 0);
	assert_int_equal(dup2(null, STDIN_FILENO), STDIN_FILENO);
	close(null);
	return 0;
}

static inline int command_tear_down(void **state)
{
	(void)state;
	free(command_asked);
	command_asked = NULL;
	return 0;
}
