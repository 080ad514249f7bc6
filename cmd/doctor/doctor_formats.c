/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One-line results for monitoring systems, with the exit status that each of them expects:
 * nagios: Monitoring Plugins Development Guidelines (0 ok, 1 warning, 2 critical, 3 unknown);
 * nhc: a reason, and a nonzero status, for LBNL Node Health Check;
 * npd: a custom plugin of node-problem-detector (0 ok, 1 problem, 2 unknown, at most 80 bytes);
 * condition: a node condition of Kubernetes, as JSON.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/doctor/doctor_run.h"
#include "schema/rows.h"

const struct enum_name doctor_format_names[] = {
	{DOCTOR_NAGIOS, "nagios", .help = "one line and the exit status of a Nagios plugin"},
	{DOCTOR_NHC, "nhc", .help = "a reason for Node Health Check; nothing if all is well"},
	{DOCTOR_NPD, "npd", .help = "one line for node-problem-detector"},
	{DOCTOR_CONDITION, "condition", .help = "a Kubernetes node condition, as JSON"},
	{0, NULL},
};

enum { NPD_MOST = 80 }; /* max_output_length of node-problem-detector's custom plugins */

/* Whether the host is healthy, as far as this run can tell. */
enum answer { ANSWER_OK, ANSWER_WARNING, ANSWER_FAULT, ANSWER_UNKNOWN };

struct verdict_line {
	enum answer answer;
	char *reason; /* the worst finding, or why the state is unknown */
	const char *check;
	size_t more; /* findings besides the worst */
	struct doctor_coverage coverage;
};

static void find_worst(const struct doctor_results *results, enum severity least,
		       struct verdict_line *line)
{
	struct doctor_blocks blocks;

	doctor_blocks_make(results, &blocks);
	for_each (block, &blocks) {
		const struct finding *finding = &block->results[0]->finding;
		_cleanup_(freep) char *object = NULL;

		if (finding->severity.value < least || block->results[0]->ignored)
			continue;
		if (line->reason) {
			line->more++;
			continue;
		}
		object = doctor_block_object(block);
		line->reason = mem_format("%s%s%s", object ? object : "", object ? ": " : "",
					  finding->summary);
		line->check = enum_word(doctor_check_names, finding->id.value, "?");
		line->answer = finding->severity.value == SEVERITY_ERROR ? ANSWER_FAULT
									 : ANSWER_WARNING;
	}
	doctor_blocks_free(&blocks);
}

/* Explains why the state of the host is unknown, in whole or in part. */
static const char *why_unknown(int status)
{
	switch (status) {
	case STATUS_NOTHING:
		return "no RDMA hardware";
	case STATUS_PARTIAL:
		return "something could not be read";
	case STATUS_USAGE:
		return "wrong usage: see standard error";
	default:
		return "the host could not be checked";
	}
}

static void judge(const struct doctor_results *results, const struct doctor_args *args, int status,
		  struct verdict_line *line)
{
	*line = (struct verdict_line){.answer = ANSWER_OK};
	doctor_count(results, &line->coverage);
	find_worst(results, doctor_threshold(args), line);
	if (line->reason)
		return;
	if (status == STATUS_DONE) {
		/* With --fail-on error there may still be warnings. */
		line->reason = mem_format("%zu checked, %s", line->coverage.checked,
					  line->coverage.made[SEVERITY_WARNING] ? "no error"
										: "nothing wrong");
		return;
	}
	line->reason = mem_string(results->missing ? "no such RDMA device" : why_unknown(status));
	line->answer = ANSWER_UNKNOWN;
}

static char *nagios_line(const struct verdict_line *line)
{
	static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};
	const struct doctor_coverage *coverage = &line->coverage;
	_cleanup_(freep) char *reason = mem_string(line->reason);

	/* A bar would start the performance data. */
	for (char *bar = reason; (bar = strchr(bar, '|'));)
		*bar = '/';
	return mem_format("RDMA %s - %s | checked=%zu ok=%zu notes=%zu warnings=%zu errors=%zu "
			  "not_checked=%zu\n",
			  words[line->answer], reason, coverage->checked,
			  coverage->made[SEVERITY_OK], coverage->made[SEVERITY_NOTICE],
			  coverage->made[SEVERITY_WARNING], coverage->made[SEVERITY_ERROR],
			  coverage->not_checked);
}

static char *npd_line(const struct verdict_line *line)
{
	char text[NPD_MOST];

	/* The newline counts, too. */
	text_clean_into(text, sizeof(text), line->reason, strlen(line->reason));
	return mem_format("%s\n", text);
}

struct condition {
	const char *type, *status, *reason, *message;
};

#define CONDITION_FIELD(member, ...) \
	FIELD_ROW(struct condition, member, const char *, FIELD_STRING, #member, __VA_ARGS__)
static const struct field condition_fields[] = {
	CONDITION_FIELD(type, "TYPE", SHOWN, 0, "type of the condition"),
	CONDITION_FIELD(status, "STATUS", SHOWN, 0, "True, False or Unknown"),
	CONDITION_FIELD(reason, "REASON", SHOWN, 0, "why, as one word"),
	CONDITION_FIELD(message, "MESSAGE", SHOWN, 0, "why, in plain text"),
};
static const struct schema condition_schema = SCHEMA("conditions", struct condition,
						     condition_fields, "a node condition");

/* Converts port-state to PortState. */
static char *camel_case(const char *check)
{
	char *word = mem_string(check), *end = word;
	bool upper = true;

	for (const char *from = check; *from; from++) {
		if (*from == '-') {
			upper = true;
			continue;
		}
		*end++ = upper ? (char)toupper((unsigned char)*from) : *from;
		upper = false;
	}
	*end = '\0';
	return word;
}

static int print_condition(FILE *out, const struct verdict_line *line)
{
	static const char *const statuses[] = {"True", "False", "False", "Unknown"};
	static const char *const reasons[] = {"RdmaReady", NULL, NULL, "RdmaUnknown"};
	_cleanup_(freep) char *reason = line->check ? camel_case(line->check) : NULL;
	_cleanup_(columns_free) struct columns columns = columns_of(&condition_schema, COLUMNS_ALL);
	const struct render_options options = {.format = FORMAT_JSONL};
	const struct condition condition = {.type = "RdmaReady",
					    .status = statuses[line->answer],
					    .reason = reason ?: reasons[line->answer],
					    .message = line->reason};
	const void *row = &condition;
	struct document document = {.columns = &columns, .rows = &row, .row_count = 1};

	return render(out, &options, &document);
}

/* Prints the line, frees its reason, and returns the exit status that its reader expects. */
static int print_line(FILE *out, enum doctor_format format, struct verdict_line *line, int status,
		      int *ret_rc)
{
	static const int statuses[][4] = {
		[DOCTOR_NAGIOS] = {0, 1, 2, 3},
		[DOCTOR_NHC] = {0, 1, 1, 1},
		[DOCTOR_NPD] = {0, 1, 1, 2},
	};
	_cleanup_(freep) char *text = NULL;

	*ret_rc = 0;
	if (format == DOCTOR_CONDITION)
		*ret_rc = print_condition(out, line);
	else
		status = statuses[format][line->answer];
	if (format == DOCTOR_NAGIOS)
		text = nagios_line(line);
	else if (format == DOCTOR_NPD)
		text = npd_line(line);
	else if (format == DOCTOR_NHC && line->answer != ANSWER_OK)
		text = line->more ? mem_format("%s (and %zu more)\n", line->reason, line->more)
				  : mem_format("%s\n", line->reason);
	if (text)
		*ret_rc = render_text(out, text);
	free(line->reason);
	return status;
}

int doctor_print_as(FILE *out, enum doctor_format format, const struct doctor_results *results,
		    const struct doctor_args *args, int status, int *ret_rc)
{
	struct verdict_line line;

	judge(results, args, status, &line);
	return print_line(out, format, &line, status, ret_rc);
}

/* Waits until the other end of the pipe is closed, which happens when the child exits. */
static bool ends_in_time(int fd, uint64_t end_msec)
{
	struct pollfd poll_fd = {.fd = fd};
	int count;

	do
		count = poll(&poll_fd, 1, clock_msec_until(end_msec));
	while (count < 0 && errno == EINTR);
	return count > 0;
}

/* Prints that the state of the host is unknown; frees the reason. */
static int print_unknown(const struct ctx *ctx, const struct doctor_args *args, char *reason,
			 int status)
{
	struct verdict_line line = {.answer = ANSWER_UNKNOWN, .reason = reason};
	int rc;

	status = print_line(stdout, (enum doctor_format)args->format.value, &line, status, &rc);
	return finish_output(ctx, rc, status);
}

int doctor_unable(const struct ctx *ctx, const void *doctor_args, int status)
{
	const struct doctor_args *args = doctor_args;

	return args->format.known
		       ? print_unknown(ctx, args, mem_string(why_unknown(status)), status)
		       : status;
}

/*
 * The process that runs the checks. It prints into pipes: one that cannot be killed must not hold
 * the streams of this process, whose readers may wait for end of file. It prints only one line and
 * some complaints, so its pipes, of 64 KiB, are read once it has ended. They do not block.
 */
struct checker {
	pid_t pid;
	int out, err;
};

static int pass_on(int from, FILE *to)
{
	char piece[4096];
	ssize_t got;

	while ((got = read(from, piece, sizeof(piece))) > 0)
		if (fwrite(piece, 1, (size_t)got, to) != (size_t)got)
			return errno ? -errno : -EIO;
	return got < 0 ? -errno : 0;
}

/* Waits for the process that runs the checks, and kills it when the time is up. */
static int wait_for(const struct ctx *ctx, const struct doctor_args *args,
		    const struct checker *checker, uint64_t end_msec)
{
	int wait_status;
	const bool in_time = ends_in_time(checker->out, end_msec) &&
			     waitpid(checker->pid, &wait_status, 0) == checker->pid;

	if (!in_time)
		kill(checker->pid, SIGKILL);
	pass_on(checker->err, stderr);
	if (!in_time)
		return print_unknown(ctx, args, mem_string("gave up after --timeout"),
				     STATUS_FAILED);
	if (!WIFEXITED(wait_status))
		return print_unknown(ctx, args, mem_string("the check was killed"), STATUS_FAILED);
	return finish_output(ctx, pass_on(checker->out, stdout), WEXITSTATUS(wait_status));
}

/* Returns the process ID, 0 in the child, or -1 and errno. */
static pid_t start_checker(struct checker *checker)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC | O_NONBLOCK) || pipe2(err, O_CLOEXEC | O_NONBLOCK))
		return -1;
	*checker = (struct checker){.pid = fork(), .out = out[0], .err = err[0]};
	if (!checker->pid) {
		dup2(out[1], STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		close(out[0]);
		close(err[0]);
	}
	close(out[1]);
	close(err[1]);
	return checker->pid;
}

/*
 * Reading a file of a wedged driver cannot be interrupted, and the process cannot even be killed.
 * So a child does the work, and this process answers in time whatever happens to the child.
 */
bool doctor_supervise(struct ctx *ctx, const void *doctor_args, int *ret_status)
{
	const struct doctor_args *args = doctor_args;
	const uint64_t end_msec = clock_msec() + ctx->globals.timeout.value;
	struct checker checker;
	pid_t pid;

	/* 0: unknown, or no limit. */
	if (!args->format.known || !ctx->globals.timeout.value)
		return false;
	pid = start_checker(&checker);
	if (!pid) {
		ctx->globals.timeout.known = false;
		return false;
	}
	if (pid < 0) {
		*ret_status = print_unknown(
			ctx, args, mem_format("cannot start the check: %s", strerror(errno)),
			STATUS_FAILED);
		return true;
	}
	*ret_status = wait_for(ctx, args, &checker, end_msec);
	close(checker.out);
	close(checker.err);
	return true;
}
