/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "cmd/fabric/fabric_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/mem.h"
#include "base/text.h"
#include "fabric/format/diags.h"
#include "fabric/format/drawing.h"

/* dot takes ten seconds for ten thousand nodes, and a minute if each host is a separate node. */
#define TOOL_MSEC  (10u * 60 * 1000)
#define PIPE_PIECE ((size_t)64 * 1024)

struct drawer {
	struct fabric_run *run;
	int in, err;	/* files in memory */
	int out, child; /* ends of a pipe */
	pid_t pid;
	char *text; /* its output */
	size_t length, size;
	const char *stopped; /* why it was stopped, or NULL */
};

static int open_files(struct drawer *drawer, const char *graph)
{
	size_t length = strlen(graph), done = 0;
	int ends[2];

	drawer->in = memfd_create("graph", MFD_CLOEXEC);
	drawer->err = memfd_create("errors", MFD_CLOEXEC);
	if (drawer->in < 0 || drawer->err < 0 || pipe2(ends, O_CLOEXEC))
		return -errno;
	drawer->out = ends[0];
	drawer->child = ends[1];
	while (done < length) {
		ssize_t count = write(drawer->in, graph + done, length - done);

		if (count < 0 && errno != EINTR)
			return -errno;
		done += count < 0 ? 0 : (size_t)count;
	}
	return lseek(drawer->in, 0, SEEK_SET) < 0 ? -errno : 0;
}

/*
 * dot reads names chosen by hosts of the fabric, so it is not looked up in the user's PATH, and it
 * gets neither privileges nor the environment.
 */
static const char *find_dot(void)
{
	static const char *const programs[] = {"/usr/bin/dot", "/usr/local/bin/dot", "/bin/dot"};

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (!access(programs[i], X_OK))
			return programs[i];
	return NULL;
}

/* Runs in the child: no signal stays blocked or ignored, whatever this program has done. */
static void become_dot(const struct drawer *drawer, const char *program)
{
	const struct confinement little = {
		.most_files = 64,
		.most_processes = 1,
		.most_cpu_seconds = TOOL_MSEC / 1000,
		.most_address_bytes = (rlim_t)8 << 30,
		.writable_directory = "/dev/null",
	};
	char name[] = "dot", format[] = "-Tsvg", path[] = "PATH=/usr/bin:/bin",
	     locale[] = "LC_ALL=C.UTF-8";
	char *const words[] = {name, format, NULL}, *const environment[] = {path, locale, NULL};
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (dup2(drawer->in, STDIN_FILENO) < 0 || dup2(drawer->child, STDOUT_FILENO) < 0 ||
	    dup2(drawer->err, STDERR_FILENO) < 0)
		_exit(127);
	errno = -confine(&little);
	if (!errno)
		execve(program, words, environment);
	dprintf(STDERR_FILENO, "%s: %s\n", program, strerror(errno));
	_exit(127);
}

static int start(struct drawer *drawer)
{
	const char *program = find_dot();

	if (!program)
		return -ENOENT;
	drawer->pid = fork();
	if (drawer->pid < 0)
		return -errno;
	if (!drawer->pid)
		become_dot(drawer, program);
	/* Only the child keeps the other end, so the pipe ends when the child exits. */
	close(drawer->child);
	drawer->child = -1;
	return 0;
}

/* Reads what is available; false at the end. */
static bool take(struct drawer *drawer)
{
	ssize_t count;

	if (drawer->size - drawer->length < PIPE_PIECE + 1) {
		drawer->size = 2 * drawer->size + PIPE_PIECE + 1;
		drawer->text = mem_resize(drawer->text, drawer->size, 1);
	}
	count = read(drawer->out, drawer->text + drawer->length, PIPE_PIECE);
	if (count < 0 && errno == EINTR)
		return true;
	drawer->length += count < 0 ? 0 : (size_t)count;
	drawer->text[drawer->length] = '\0';
	return count > 0;
}

static void take_all(struct drawer *drawer)
{
	const uint64_t end = clock_msec() + TOOL_MSEC;
	struct pollfd fds[] = {
		{.fd = drawer->out, .events = POLLIN},
		{.fd = drawer->run->mad.session.signals.fd, .events = POLLIN},
	};

	while (!drawer->stopped) {
		int rc = poll(fds, ARRAY_SIZE(fds), clock_msec_until(end));

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc <= 0)
			drawer->stopped = rc ? strerror(errno) : "it took too long";
		else if (fds[1].revents && mad_session_stopped(&drawer->run->mad.session))
			drawer->stopped = "interrupted";
		else if (fds[0].revents && !take(drawer))
			return;
	}
	kill(drawer->pid, SIGTERM);
}

/* Returns the first non-empty line of dot's errors, clean; to be freed. */
static char *first_complaint(const struct drawer *drawer)
{
	char text[256] = "";
	ssize_t length = pread(drawer->err, text, sizeof(text) - 1, 0);
	const char *line = text + strspn(text, "\n");

	return length > 0 ? text_clean(line, strcspn(line, "\n")) : mem_string("");
}

/* Waits for dot to exit; true if it succeeded. */
static bool finish(struct drawer *drawer)
{
	static const char hint[] = "rdmactl fabric scan --format dot prints its input";
	struct listing *listing = &drawer->run->mad.listing;
	_cleanup_(freep) char *complaint = NULL;
	int status;

	while (waitpid(drawer->pid, &status, 0) < 0) {
		if (errno == EINTR)
			continue;
		return listing_fail_format(listing, STATUS_FAILED, NULL, "dot: %s",
					   strerror(errno));
	}
	if (drawer->stopped)
		return listing_fail_format(listing, STATUS_FAILED, hint, "dot: %s",
					   drawer->stopped);
	if (WIFEXITED(status) && !WEXITSTATUS(status) && drawer->length)
		return true;
	if (WIFSIGNALED(status))
		return listing_fail_format(listing, STATUS_FAILED, hint, "dot: ended by signal %d",
					   WTERMSIG(status));
	complaint = first_complaint(drawer);
	return listing_fail_format(listing, STATUS_FAILED, hint, "dot: exit status %d%s%s",
				   WEXITSTATUS(status), *complaint ? ": " : ", nothing drawn",
				   complaint);
}

/* Draws the graph with dot; NULL with the reason in the listing. */
static char *draw(struct fabric_run *run, const char *graph)
{
	struct drawer drawer = {.run = run, .in = -1, .err = -1, .out = -1, .child = -1};
	bool done = false;
	int rc = open_files(&drawer, graph);

	if (!rc)
		rc = start(&drawer);
	if (rc) {
		listing_fail_format(&run->mad.listing, STATUS_FAILED,
				    rc == -ENOENT ? "install graphviz, or use --format dot" : NULL,
				    "cannot run dot: %s", strerror(-rc));
	} else {
		take_all(&drawer);
		done = finish(&drawer);
	}
	closep(&drawer.in);
	closep(&drawer.err);
	closep(&drawer.out);
	closep(&drawer.child);
	if (done)
		return drawer.text;
	free(drawer.text);
	return NULL;
}

/* Returns the errors of each port, UINT64_MAX if they are unknown; to be freed. */
static uint64_t *read_errors(struct fabric_run *run)
{
	uint64_t *sums = mem_alloc_zero(run->fabric.port_count, sizeof(*sums));
	_cleanup_(port_errors_clear) struct port_errors readings = {.items = NULL};
	struct error_limits limits;

	error_limits_init(&limits, 1);
	fabric_counters_read(run, &(const struct port_errors_options){.all = true}, &readings);
	fabric_counters_note_losses(run, NULL, &readings);
	for (uint32_t i = 0; i < run->fabric.port_count; i++)
		sums[i] = UINT64_MAX;
	for (size_t i = 0; i < readings.count; i++) {
		struct port_errors_row row;

		if (!readings.items[i].read)
			continue;
		sums[readings.items[i].port] = 0;
		if (!port_errors_row_make(&run->view, &readings.items[i], &limits, &row))
			continue;
		sums[readings.items[i].port] = row.error_count.value;
		port_errors_row_clear(&row);
	}
	return sums;
}

static char *make_graph(struct fabric_run *run)
{
	struct drawing_options options = {
		.all = run->mad.listing.ctx->globals.verbose,
		.scheme = (enum drawing_scheme)run->args->scheme.value,
		.groups = run->args->grouping,
	};
	_cleanup_(freep) uint64_t *errors = NULL;

	if (options.scheme == DRAWING_ERRORS)
		options.errors = errors = read_errors(run);
	return fabric_dot_text(&run->view, &options);
}

char *fabric_format_text(struct fabric_run *run, enum fabric_format format)
{
	_cleanup_(freep) char *graph = NULL;

	if (run->args->grouping || run->args->scheme.value == DRAWING_CHASSIS)
		fabric_run_find_chassis(run);

	switch (format) {
	case FABRIC_FORMAT_IBNETDISCOVER:
		return ibnetdiscover_text(&run->view, run->args->grouping, time(NULL));
	case FABRIC_FORMAT_IBLINKINFO:
		return iblinkinfo_text(&run->view);
	case FABRIC_FORMAT_SLURM:
		return fabric_slurm_text(&run->view, &run->mad.listing.problems);
	case FABRIC_FORMAT_DOT:
		return make_graph(run);
	case FABRIC_FORMAT_SVG:
		break;
	}
	graph = make_graph(run);
	return draw(run, graph);
}
