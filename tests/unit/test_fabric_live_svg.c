/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl fabric scan --format svg: how dot is run, what happens to its output and its error
 * messages, and what if it cannot be run or does not end. dot itself is simulated: execve() is
 * defined here.
 */
#include "live_subnet.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/confine.h"

enum dot_kind { DRAWS, TELLS, SAYS_NOTHING, FAILS, FAILS_SILENTLY, DIES, LONG, CANNOT_RUN };

static struct {
	enum dot_kind kind;
	const char *program; /* the only path that exists; NULL: none */
	int confine_error;
	int poll_error, wait_error; /* errno of the next call; 0: success */
	bool too_long, interrupted;
	struct confinement confinement;
} dot;

int access(const char *path, int mode)
{
	if (mode != X_OK)
		return faccessat(AT_FDCWD, path, mode, 0);
	return dot.program && !strcmp(path, dot.program) ? 0 : -1;
}

int confine(const struct confinement *confinement)
{
	dot.confinement = *confinement;
	return dot.confine_error;
}

static int fail_once(int *error)
{
	if (!*error)
		return 0;
	errno = *error;
	*error = 0;
	return -1;
}

int poll(struct pollfd *fds, nfds_t count, int timeout_msec)
{
	assert_int_equal(count, 2);
	/* Minus the time that has passed since the beginning. */
	assert_in_range(timeout_msec, 500000, 600000);
	if (fail_once(&dot.poll_error))
		return -1;
	if (dot.too_long)
		return 0;
	if (dot.interrupted) {
		live.stop_after = 1;
		fds[0].revents = 0;
		fds[1].revents = POLLIN;
		return 1;
	}
	return ppoll(fds, count, NULL, NULL);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	if (fail_once(&dot.wait_error))
		return -1;
	return wait4(pid, status, options, NULL);
}

static void tell(const char *path, char *const *words, char *const *environment)
{
	const struct confinement *little = &dot.confinement;
	struct sigaction action;
	char text[65536];
	sigset_t blocked;
	ssize_t length;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	sigaction(SIGPIPE, NULL, &action);
	dprintf(1, "%s: %s %s %d; %s %s %d; blocked %d, ignored %d\n", path, words[0], words[1],
		words[2] == NULL, environment[0], environment[1], environment[2] == NULL,
		sigismember(&blocked, SIGTERM), action.sa_handler == SIG_IGN);
	dprintf(1, "%u files, %u processes, %u seconds, %llu bytes, %s\n",
		(unsigned int)little->most_files, (unsigned int)little->most_processes,
		(unsigned int)little->most_cpu_seconds,
		(unsigned long long)little->most_address_bytes, little->writable_directory);
	while ((length = read(0, text, sizeof(text))) > 0)
		dprintf(1, "%.*s", (int)length, text);
}

/* More than two pieces of 64 kB; the reader gets all of them. */
static void draw_long(void)
{
	for (unsigned int i = 0; i < 3000; i++)
		dprintf(1, "%063u\n", i);
}

int execve(const char *path, char *const *words, char *const *environment)
{
	switch (dot.kind) {
	case TELLS:
		tell(path, words, environment);
		break;
	case DRAWS:
		dprintf(1, "<svg/>\n");
		break;
	case FAILS:
		dprintf(1, "half a picture");
		dprintf(2, "\n\nError: line 3\x1b[1m\nand more\n");
		_exit(3);
	case FAILS_SILENTLY:
		_exit(1);
	case DIES:
		raise(SIGKILL);
		break;
	case LONG:
		draw_long();
		break;
	case CANNOT_RUN:
		errno = ENOEXEC;
		return -1;
	case SAYS_NOTHING:
		break;
	}
	_exit(0);
}

static int begin(void **state)
{
	live_begin(state);
	memset(&dot, 0, sizeof(dot));
	dot.program = "/usr/bin/dot";
	return 0;
}

static void runs(void **state)
{
	sigset_t term;

	(void)state;
	dot.kind = TELLS;
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	signal(SIGPIPE, SIG_IGN);
	live_expect(
		"scan --format svg", 0,
		"/usr/bin/dot: dot -Tsvg 1; PATH=/usr/bin:/bin LC_ALL=C.UTF-8 1; blocked 0, "
		"ignored "
		"0\n"
		"64 files, 1 processes, 600 seconds, 8589934592 bytes, /dev/null\n"
		"graph fabric {\n"
		"\tgraph [bgcolor=\"white\", fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, "
		"fontcolor=\"#1f2933\", labelloc=\"t\", labeljust=\"l\", "
		"outputorder=\"edgesfirst\", "
		"splines=\"line\", pad=0.2, nodesep=0.16, ranksep=0.47, label=<<table border=\"0\" "
		"cellborder=\"0\" cellspacing=\"0\" cellpadding=\"2\"><tr><td align=\"left\"><font "
		"point-size=\"15\"><b>2 switches, 4 hosts, 6 cables</b></font></td></tr><tr><td "
		"align=\"left\"><table border=\"0\" cellborder=\"0\" cellspacing=\"4\" "
		"cellpadding=\"0\"><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
		"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"4\" "
		"bgcolor=\"#86a8cb\"></td></tr></table></td><td align=\"left\">4x QDR: "
		"6</td></tr></table></td></tr></table>>];\n"
		"\tnode [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
		"fontcolor=\"#1f2933\", color=\"#616e7c\", shape=\"box\", "
		"style=\"rounded,filled\", "
		"fillcolor=\"white\", height=0.1, width=0.1, margin=\"0.09,0.05\"];\n"
		"\tedge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, minlen=2];\n"
		"\t{\n"
		"\t\trank=\"same\";\n"
		"\t\t\"S-0000000000000200\" [fillcolor=\"#e3eefa\", label=\"leaf1\"];\n"
		"\t}\n"
		"\t{\n"
		"\t\trank=\"same\";\n"
		"\t\t\"S-0000000000000300\" [fillcolor=\"#c6def5\", label=\"leaf2\"];\n"
		"\t}\n"
		"\t\"H-0000000000000100\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
		"label=\"host1\", tooltip=\"host1\"];\n"
		"\t\"S-0000000000000200\" -- \"H-0000000000000100\" [color=\"#86a8cba0\", "
		"penwidth=0.9, tooltip=\"leaf1 - host1: 4x QDR, port 1\"];\n"
		"\t\"H-0000000000000400\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
		"label=\"host2\", tooltip=\"host2\"];\n"
		"\t\"S-0000000000000200\" -- \"H-0000000000000400\" [color=\"#86a8cba0\", "
		"penwidth=0.9, tooltip=\"leaf1 - host2: 4x QDR, port 2\"];\n"
		"\t\"S-0000000000000300\" -- \"S-0000000000000200\" [color=\"#86a8cba0\", "
		"penwidth=1.1, tooltip=\"leaf2 - leaf1: 4x QDR, port 3,4\"];\n"
		"\t\"H-0000000000000500\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
		"label=\"host3\", tooltip=\"host3\"];\n"
		"\t\"S-0000000000000300\" -- \"H-0000000000000500\" [color=\"#86a8cba0\", "
		"penwidth=0.9, tooltip=\"leaf2 - host3: 4x QDR, port 1\"];\n"
		"\t\"H-0000000000000600\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
		"label=\"host4\", tooltip=\"host4\"];\n"
		"\t\"S-0000000000000300\" -- \"H-0000000000000600\" [color=\"#86a8cba0\", "
		"penwidth=0.9, tooltip=\"leaf2 - host4: 4x QDR, port 2\"];\n"
		"}\n",
		"");
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
}

static void runs_with_errors(void **state)
{
	(void)state;
	dot.kind = TELLS;
	dot.program = "/bin/dot";
	live_expect(
		"scan --format svg --scheme errors --hops 1", 0,
		"/bin/dot: dot -Tsvg 1; PATH=/usr/bin:/bin LC_ALL=C.UTF-8 1; blocked 0, ignored 0\n"
		"64 files, 1 processes, 600 seconds, 8589934592 bytes, /dev/null\n"
		"graph fabric {\n"
		"\tgraph [bgcolor=\"white\", fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, "
		"fontcolor=\"#1f2933\", labelloc=\"t\", labeljust=\"l\", "
		"outputorder=\"edgesfirst\", "
		"splines=\"line\", pad=0.2, nodesep=0.16, ranksep=0.47, label=<<table border=\"0\" "
		"cellborder=\"0\" cellspacing=\"0\" cellpadding=\"2\"><tr><td align=\"left\"><font "
		"point-size=\"15\"><b>1 switch, 1 host, 1 cable</b></font></td></tr><tr><td "
		"align=\"left\"><table border=\"0\" cellborder=\"0\" cellspacing=\"4\" "
		"cellpadding=\"0\"><tr><td><table border=\"0\" cellborder=\"0\" cellspacing=\"0\" "
		"cellpadding=\"0\"><tr><td fixedsize=\"true\" width=\"26\" height=\"4\" "
		"bgcolor=\"#cbd2d9\"></td></tr></table></td><td align=\"left\">no errors: "
		"1</td></tr></table></td></tr></table>>];\n"
		"\tnode [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10, "
		"fontcolor=\"#1f2933\", color=\"#616e7c\", shape=\"box\", "
		"style=\"rounded,filled\", "
		"fillcolor=\"white\", height=0.1, width=0.1, margin=\"0.09,0.05\"];\n"
		"\tedge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, minlen=2];\n"
		"\t{\n"
		"\t\trank=\"same\";\n"
		"\t\t\"S-0000000000000200\" [fillcolor=\"#e3eefa\", label=\"leaf1\"];\n"
		"\t}\n"
		"\t\"H-0000000000000100\" [shape=\"ellipse\", style=\"filled\", color=\"#616e7c\", "
		"label=\"host1\", tooltip=\"host1\"];\n"
		"\t\"S-0000000000000200\" -- \"H-0000000000000100\" [color=\"#cbd2d9\", "
		"penwidth=0.9, tooltip=\"leaf1 - host1: 4x QDR, port 1\"];\n"
		"}\n",
		"");
}

static void draws(void **state)
{
	(void)state;
	dot.program = "/usr/local/bin/dot";
	dot.poll_error = EINTR;
	dot.wait_error = EINTR;
	live_expect("scan --format svg", 0, "<svg/>\n", "");
}

static void draws_much(void **state)
{
	char *out, *err;

	(void)state;
	dot.kind = LONG;
	assert_int_equal(live_run("scan --format svg", &out, &err), 0);
	assert_string_equal(err, "");
	assert_int_equal(strlen(out), 3000 * 64);
	for (unsigned int i = 0; i < 3000; i++)
		assert_int_equal(strtoul(out + (size_t)i * 64, NULL, 10), i);
	free(out);
	free(err);
}

static void fails(void **state)
{
	(void)state;
	dot.kind = FAILS;
	live_expect("scan --format svg", 1, "",
		    "rdmactl fabric: dot: exit status 3: Error: line 3\\x1b[1m\n"
		    "  rdmactl fabric scan --format dot prints its input\n");
	dot.kind = FAILS_SILENTLY;
	live_expect("scan --format svg", 1, "",
		    "rdmactl fabric: dot: exit status 1, nothing drawn\n"
		    "  rdmactl fabric scan --format dot prints its input\n");
	dot.kind = SAYS_NOTHING;
	live_expect("scan --format svg", 1, "",
		    "rdmactl fabric: dot: exit status 0, nothing drawn\n"
		    "  rdmactl fabric scan --format dot prints its input\n");
	dot.kind = DIES;
	live_expect("scan --format svg", 1, "",
		    "rdmactl fabric: dot: ended by signal 9\n"
		    "  rdmactl fabric scan --format dot prints its input\n");
	dot.kind = CANNOT_RUN;
	live_expect_error("scan --format svg", 1, "",
			  "rdmactl fabric: dot: exit status 127: /usr/bin/dot: ", ENOEXEC,
			  "\n"
			  "  rdmactl fabric scan --format dot prints its input\n");
	dot.confine_error = -EPERM;
	live_expect_error("scan --format svg", 1, "",
			  "rdmactl fabric: dot: exit status 127: /usr/bin/dot: ", EPERM,
			  "\n"
			  "  rdmactl fabric scan --format dot prints its input\n");
	dot.program = NULL;
	live_expect_error("scan --format svg", 1, "", "rdmactl fabric: cannot run dot: ", ENOENT,
			  "\n"
			  "  install graphviz, or use --format dot\n");
}

static void stopped(void **state)
{
	(void)state;
	dot.too_long = true;
	live_expect("scan --format svg", 1, "",
		    "rdmactl fabric: dot: it took too long\n"
		    "  rdmactl fabric scan --format dot prints its input\n");
	dot.too_long = false;
	dot.interrupted = true;
	live_expect("scan --format svg", 1, "",
		    "rdmactl fabric: dot: interrupted\n"
		    "  rdmactl fabric scan --format dot prints its input\n");
	live.stop_after = 0;
	dot.interrupted = false;
	dot.poll_error = EFAULT;
	live_expect_error("scan --format svg", 1, "", "rdmactl fabric: dot: ", EFAULT,
			  "\n"
			  "  rdmactl fabric scan --format dot prints its input\n");
	dot.wait_error = ECHILD;
	live_expect_error("scan --format svg", 1, "", "rdmactl fabric: dot: ", ECHILD, "\n");
}

#define TEST(name_) cmocka_unit_test_setup_teardown(name_, begin, live_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs),  TEST(runs_with_errors), TEST(draws), TEST(draws_much),
		TEST(fails), TEST(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
