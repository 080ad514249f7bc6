/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of code that looks at the live system: runs a function in a process whose root is a
 * saved tree, and compares what it writes. Without root privileges this needs a user namespace; if
 * there is none, main() skips these tests, see rooted_is_possible().
 */
#pragma once

#include "saved_tree.h"

#include <sched.h>
#include <sys/wait.h>

enum { ROOTED_MOST = 8192, ROOTED_REFUSED = 77 };

/* Whether this process may create such a child. */
static inline bool rooted_is_possible(void)
{
	pid_t pid = fork();
	int status = 0;

	assert_true(pid >= 0);
	if (!pid)
		_exit((geteuid() && unshare(CLONE_NEWUSER)) || chroot("/"));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}

/* Writes the text to compare to `out`. An assertion would not end the test: this is a child. */
typedef void rooted_function(const struct saved_tree *tree, FILE *out, void *context);

static inline void rooted_run(const struct saved_tree *tree, rooted_function *function,
			      void *context, int fd)
{
	FILE *out = fdopen(fd, "w");

	if (!out || (geteuid() && unshare(CLONE_NEWUSER)) || chroot(tree->path) || chdir("/"))
		_exit(ROOTED_REFUSED);
	/* Leaves the netdevs of this machine behind too, where that is permitted. */
	(void)unshare(CLONE_NEWNET);
	function(tree, out, context);
	fclose(out);
	_exit(0);
}

static inline void rooted_expect(const struct saved_tree *tree, rooted_function *function,
				 void *context, const char *wanted)
{
	char text[ROOTED_MOST];
	size_t length = 0;
	ssize_t got;
	int ends[2], status;
	pid_t pid;

	fflush(stdout);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(ends[0]);
		rooted_run(tree, function, context, ends[1]);
	}
	close(ends[1]);
	while ((got = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	text[length] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* The child lacks a library: tests/musl/check skips a program that ends like this. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == ROOTED_REFUSED)
		_exit(ROOTED_REFUSED);
	assert_string_equal(text, wanted);
	assert_int_equal(status, 0);
}
