/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all commands that change something have in common, on settings that are held in memory: what
 * is printed, where, and in which order; what a signal does and when; --revert-after; a list of
 * changes from a file. Each command runs in a separate process.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <rdma/rdma_netlink.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/device/device.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"
#include "kernel/netlink/nldev.h"
#include "netlink_message.h"
#include "schema/value.h"

/* The settings are called a, b and c. How each behaves: */
struct cell {
	const char *value, *user, *note;
	int read_error, write_error; /* -errno */
	bool keeps;		     /* accepts the first write only */
	int raises[3];		     /* signals that arrive while it is written */
	struct cell *takes;	     /* gets the same value, and what it takes itself */
	const char *theirs;	     /* set by somebody else after it was read back */
	unsigned int writes, reads;
};

enum { CELLS = 3 };
static struct cell cells[CELLS];

static struct cell *cell_of(const struct change *change)
{
	return &cells[change->setting->keyword.word[0] - 'a'];
}

static int read_cell(struct change *change, char **ret_value)
{
	struct cell *cell = cell_of(change);

	if (cell->read_error)
		return cell->read_error;
	if (cell->theirs && cell->writes == 1 && cell->reads++)
		cell->value = cell->theirs;
	*ret_value = mem_string(cell->value);
	return 0;
}

static int write_cell(struct change *change, const char *value)
{
	struct cell *cell = cell_of(change);

	for (size_t i = 0; i < ARRAY_SIZE(cell->raises) && cell->raises[i]; i++)
		raise(cell->raises[i]);
	if (cell->write_error)
		return cell->write_error;
	if (cell->writes++ && cell->keeps)
		return 0;
	cell->value = !strcmp(value, change->wanted) ? change->wanted : change->before;
	for (struct cell *taken = cell->takes; taken; taken = taken->takes)
		taken->value = !strcmp(value, "new") ? "new" : "old";
	/* A write that waits needs the signals that end the wait. */
	if (change->host->tell && change->host->signals && !strcmp(value, "slow"))
		change->host->tell(change->host->tell_context, "this takes long");
	return 0;
}

static void guard_cell(struct change *change)
{
	const struct cell *cell = cell_of(change);

	if (cell->user)
		change_disturbs(change, "process %s", cell->user);
	if (cell->note)
		change_note(change, "%s", cell->note);
}

static void persist_cell(struct change *change)
{
	change->persist_file = mem_string("/etc/cell.conf");
	change->persist_text = mem_format("%s=%s%s", change->setting->keyword.word, change->wanted,
					  change->disturbs.count ? " --force" : "");
}

#define CELL(name, flags_, persist_)                                 \
	static const struct setting cell_##name = {                  \
		.keyword = {#name, "TEXT", "a made-up value", NULL}, \
		.interface = "memory",                               \
		.right = RIGHT_OPEN,                                 \
		.flags = flags_,                                     \
		.read = read_cell,                                   \
		.write = write_cell,                                 \
		.guard = guard_cell,                                 \
		.persist = persist_,                                 \
		.command = "cell set",                               \
	}

CELL(a, 0, NULL);
CELL(b, SETTING_STOPS_TRAFFIC, persist_cell);
CELL(c, 0, persist_cell);

static const struct setting *const table[] = {&cell_a, &cell_b, &cell_c, NULL};

static bool plan_cells(struct change_plan *plan, const void *args, char **words)
{
	(void)args;
	return change_plan_words(plan, table, words + 1, words[0], NULL, NULL);
}

static const struct command set_command = {
	.name = "set",
	.summary = "change what is made up",
	.objects = "OBJECT SETTING VALUE...",
	.least_objects = 1,
	.most_objects = -1,
	CHANGING_COMMAND(plan_cells),
};

static const struct command *const children[] = {&set_command, NULL};

static const struct command cell_command = {
	.name = "cell",
	.summary = "what is made up",
	.objects = "COMMAND ...",
	.children = children,
	.child_word = "COMMAND",
};

/* A device of a hand-made kernel: its name, and its moderation. */
static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		struct bytes datagram = {0}, payload = {0};

		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
		put_string(&payload, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
		put_u8(&payload, RDMA_NLDEV_ATTR_DEV_DIM, 0);
		put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq, payload.data,
			    payload.length);
		fake_send(kernel, &datagram);
	}
}

static bool begin_device(struct change *change, void *context)
{
	struct device_data *data;

	(void)context;
	device_begin_change(change);
	change->device_index = number_of(3);
	data = change->data;
	strcpy(data->name, "mlx5_0");
	return true;
}

/* The kernel belongs to the process, serves all lines of a file, and ends with the process. */
static bool plan_device(struct change_plan *plan, const void *args, char **words)
{
	struct change_host *host = change_host_base(&plan->host);

	(void)args;
	if (!host->nldev) {
		struct fake_kernel *kernel = mem_alloc_zero(1, sizeof(*kernel));

		kernel->serve = serve;
		host->nldev = netlink_from_fd(fake_start(kernel), 8192);
	}
	return change_plan_words(plan, device_setting_table, words, "mlx5_0", begin_device, NULL);
}

static const struct command device_command = {
	.name = "dev",
	.summary = "change a made-up device",
	.objects = "SETTING VALUE...",
	.most_objects = -1,
	CHANGING_COMMAND(plan_device),
};

static const struct command *const commands[] = {&cell_command, &device_command, &change_command};

/* change_command's args: struct change_args, and the file. */
struct from_args {
	struct change_args common;
	const char *from;
};

struct run {
	struct from_args args;
	struct globals globals;
	const char *input; /* on standard input, which then ends; NULL: it stays open and empty */
	const char *typed; /* on its terminal, once it asks; NULL: there is no terminal */
	bool apart;	   /* its standard input is not the terminal */
	bool full;	   /* its standard output accepts nothing */
	int signals[3];	   /* sent once the user is asked to confirm */
	int status;
	char *out, *err;
};

static void execute(const struct run *run, char **words)
{
	struct ctx ctx = {.command = run->args.from ? &change_command : &set_command,
			  .parent = run->args.from ? NULL : &cell_command,
			  .commands = commands,
			  .command_count = ARRAY_SIZE(commands),
			  .globals = run->globals};
	int status = change_run(&ctx, &run->args, words);

	fflush(stdout);
	fflush(stderr);
	_exit(status);
}

static char *take_text(int file)
{
	const off_t length = lseek(file, 0, SEEK_END);
	char *text = mem_alloc_zero(1, (size_t)length + 1);

	assert_int_equal(pread(file, text, (size_t)length, 0), length);
	close(file);
	return text;
}

/* A terminal, or -1 if the run has none. */
static int open_terminal(const struct run *run)
{
	int terminal;

	if (!run->typed)
		return -1;
	terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(terminal >= 0);
	assert_int_equal(grantpt(terminal), 0);
	assert_int_equal(unlockpt(terminal), 0);
	return terminal;
}

/*
 * Runs in the child and makes this its controlling terminal, so that the tests' terminal is not
 * used.
 */
static void take_terminal(const struct run *run, int terminal)
{
	char name[64];
	int fd;

	setsid();
	if (terminal < 0)
		return;
	fd = ptsname_r(terminal, name, sizeof(name)) ? -1 : open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		_exit(99);
	if (!run->apart)
		dup2(fd, STDIN_FILENO);
}

/* Copies standard error; types and sends the signals after the prompt for confirmation. */
static char *follow(const struct run *run, int from, int terminal, pid_t pid)
{
	const size_t length_typed = run->typed ? strlen(run->typed) : 0;
	char *text = mem_string("");
	char buffer[512];
	ssize_t length;
	bool asked = false;

	while ((length = read(from, buffer, sizeof(buffer))) > 0) {
		mem_extend(&text, "%.*s", (int)length, buffer);
		if (asked || !strstr(text, "keeps it.\n"))
			continue;
		asked = true;
		if (terminal >= 0)
			assert_int_equal(write(terminal, run->typed, length_typed), length_typed);
		for (size_t i = 0; i < ARRAY_SIZE(run->signals) && run->signals[i]; i++)
			kill(pid, run->signals[i]);
	}
	close(from);
	return text;
}

/* The process ID is not the same each time. */
static void hide_pid(char *text, pid_t pid)
{
	_cleanup_(freep) char *number = mem_format("-USR1 %d ", (int)pid);
	char *found = strstr(text, number);

	if (found)
		memmove(found + strlen("-USR1 "), found + strlen(number),
			strlen(found + strlen(number)) + 1);
}

/* Runs a command line, whose words are separated by blanks. */
static void run_line(struct run *run, const char *line)
{
	_cleanup_(freep) char *copy = mem_string(line);
	char *words[16] = {NULL}, *rest = *copy ? copy : NULL;
	const int out = memfd_create("out", MFD_CLOEXEC);
	const int terminal = open_terminal(run);
	int err[2], in[2];
	int status;
	pid_t pid;

	for (size_t i = 0; rest && i < ARRAY_SIZE(words) - 1; i++)
		words[i] = strsep(&rest, " ");
	free(run->out);
	free(run->err);
	assert_true(out >= 0);
	assert_int_equal(pipe(err), 0);
	assert_int_equal(pipe(in), 0);
	if (run->input)
		assert_int_equal(write(in[1], run->input, strlen(run->input)), strlen(run->input));
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(in[0], STDIN_FILENO);
		dup2(run->full ? open("/dev/full", O_WRONLY | O_CLOEXEC) : out, STDOUT_FILENO);
		dup2(err[1], STDERR_FILENO);
		close(in[1]);
		close(err[0]);
		take_terminal(run, terminal);
		execute(run, words);
	}
	close(err[1]);
	close(in[0]);
	if (run->input)
		close(in[1]);
	run->err = follow(run, err[0], terminal, pid);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (terminal >= 0)
		close(terminal);
	if (!run->input)
		close(in[1]);
	assert_true(WIFEXITED(status));
	run->status = WEXITSTATUS(status);
	/* With musl a library may be missing: tests/musl/check. */
	if (run->status == 77)
		skip();
	hide_pid(run->err, pid);
	run->out = take_text(out);
}

static void assert_run(const struct run *run, int status, const char *out, const char *err)
{
	assert_string_equal(run->err, err);
	assert_string_equal(run->out, out);
	assert_int_equal(run->status, status);
}

static int set_up(void **state)
{
	struct run *run = mem_alloc_zero(1, sizeof(*run));

	memset(cells, 0, sizeof(cells));
	for (size_t i = 0; i < CELLS; i++)
		cells[i].value = "old";
	run->input = "";
	run->args.common.yes = true;
	*state = run;
	return 0;
}

static int tear_down(void **state)
{
	struct run *run = *state;

	free(run->out);
	free(run->err);
	free(run);
	return 0;
}

#define HEAD "OBJECT SETTING BEFORE AFTER STATE\n"

static void written(void **state)
{
	struct run *run = *state;

	run_line(run, "o a new");
	assert_run(run, STATUS_DONE,
		   HEAD "o      a       old    new   changed\n"
			"undo: rdmactl cell set o a old\n",
		   "");
	cells[0].value = "new";
	run_line(run, "o a new");
	assert_run(run, STATUS_DONE, HEAD "o      a       new    new   unchanged\n", "");
	run->globals.json = true;
	run_line(run, "o a new");
	assert_non_null(strstr(run->out, "\"changed\": false"));
	run_line(run, "o a newer");
	assert_non_null(strstr(run->out, "\"changed\": true"));
	/* Only people get the text after the table. */
	assert_null(strstr(run->out, "\nundo:"));
}

/*
 * If the output fails, what was changed and how to undo it is still reported; unchanged settings
 * are not mentioned.
 */
static void without_output(void **state)
{
	struct run *run = *state;

	run->full = true;
	cells[1].value = "new";
	run_line(run, "o a new b new c new");
	assert_run(run, STATUS_FAILED, "",
		   "rdmactl cell: cannot write the output: No space left on device\n"
		   "rdmactl cell: o: c was changed anyway, from old to new\n"
		   "  undo: rdmactl cell set o c old\n"
		   "rdmactl cell: o: a was changed anyway, from old to new\n"
		   "  undo: rdmactl cell set o a old\n");
}

/* The last change is undone first; a note on several changes is shown once. */
static void afterwards(void **state)
{
	struct run *run = *state;

	cells[0].note = cells[2].note = "mind the gap";
	cells[1].note = "and the step";
	cells[2].user = "7";
	run->args.common.force = run->args.common.persist = true;
	run_line(run, "o a new b new c new");
	assert_run(run, STATUS_DONE,
		   HEAD "o      a       old    new   changed\n"
			"o      b       old    new   changed\n"
			"o      c       old    new   changed\n"
			"undo: rdmactl cell set o c old\n"
			"undo: rdmactl cell set o b old\n"
			"undo: rdmactl cell set o a old\n"
			"note: mind the gap\n"
			"note: and the step\n"
			"no file is known that makes a of o last\n"
			"to make it last, put this into /etc/cell.conf:\nb=new\n"
			"to make it last, put this into /etc/cell.conf:\nc=new --force\n",
		   "");
	/*
	 * A value that was set already may not persist yet, and whoever it disturbs counts then.
	 */
	cells[1].value = "new";
	cells[1].user = "7";
	run_line(run, "o b new");
	assert_run(run, STATUS_DONE,
		   HEAD "o      b       new    new   unchanged\n"
			"to make it last, put this into /etc/cell.conf:\nb=new --force\n",
		   "");
	/* A change that was not made cannot persist. */
	cells[0].write_error = -EIO;
	run_line(run, "o b newer a newer");
	assert_null(strstr(run->out, "last"));
}

/* What would be done and who would be disturbed, but not how to undo it. */
static void dry(void **state)
{
	struct run *run = *state;

	cells[0].user = "7";
	cells[1].note = "mind the gap";
	cells[2].value = "new";
	run->args.common.yes = false;
	run->args.common.dry_run = true;
	run_line(run, "o a new b new c new");
	assert_run(run, STATUS_DONE,
		   "OBJECT SETTING BEFORE WANTED STATE\n"
		   "o      a       old    new    planned\n"
		   "o      b       old    new    planned\n"
		   "o      c       new    new    unchanged\n"
		   "it would disturb process 7\n"
		   "note: mind the gap\n",
		   "");
}

/* A change that stops traffic is shown and needs confirmation; others do not. */
static void asked(void **state)
{
	struct run *run = *state;

	run->args.common.yes = false;
	run_line(run, "o a new");
	assert_int_equal(run->status, STATUS_DONE);
	cells[0].note = "mind the gap";
	cells[1].user = "7";
	cells[2].value = "new";
	run->args.common.force = true;
	run_line(run, "o a new b new c new");
	assert_run(
		run, STATUS_USAGE,
		HEAD "o      a       old    -     planned\n"
		     "o      b       old    -     planned\n"
		     "o      c       new    new   unchanged\n"
		     "note: mind the gap\n",
		"o a: old -> new\n"
		"  note: mind the gap\n"
		"o b: old -> new\n"
		"  disturbs process 7\n"
		"rdmactl cell: nothing was changed: traffic would stop, and there is no terminal "
		"to confirm it on\n"
		"  --yes changes it without asking\n");
	/* A value that is set already needs no confirmation. */
	cells[1].value = "new";
	run_line(run, "o b new");
	assert_int_equal(run->status, STATUS_DONE);
}

static void failures(void **state)
{
	_cleanup_(freep) char *text = mem_format("rdmactl cell: o: c: cannot write it: %s\n",
						 strerror(EBUSY));
	struct run *run = *state;

	cells[2].write_error = -EBUSY;
	run_line(run, "o a new c new b new");
	assert_run(run, STATUS_FAILED,
		   HEAD "o      a       old    old   reverted\n"
			"o      c       old    old   failed\n"
			"o      b       old    -     untried\n",
		   text);
	cells[0].user = "7";
	run_line(run, "o a new");
	assert_run(run, STATUS_FAILED, HEAD "o      a       old    -     refused\n",
		   "rdmactl cell: o: a: it would disturb process 7\n"
		   "  --force changes it anyway\n");
}

/* A setting that could not be restored counts as changed. */
static void stuck(void **state)
{
	struct run *run = *state;

	cells[0].keeps = true;
	cells[2].write_error = -EBUSY;
	run->globals.json = true;
	run_line(run, "o a new c new");
	assert_int_equal(run->status, STATUS_FAILED);
	assert_non_null(strstr(run->out, "\"changed\": true"));
	assert_non_null(strstr(run->out, "\"state\": \"stuck\""));
	cells[0].keeps = false;
	run_line(run, "o a new c new");
	assert_non_null(strstr(run->out, "\"changed\": false"));
}

/* What is reported while a write waits. */
static void told(void **state)
{
	struct run *run = *state;

	run_line(run, "o a slow");
	assert_string_equal(run->err, "rdmactl cell: this takes long\n");
	assert_int_equal(run->status, STATUS_DONE);
}

/* A signal during a write ends the run before the next write; the last write is undone, too. */
static void signals_between(void **state)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGALRM};
	static const int ignored[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGUSR1};
	struct run *run = *state;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		cells[0].raises[0] = ends[i];
		run_line(run, "o a new c new");
		assert_run(run, STATUS_FAILED,
			   HEAD "o      a       old    old   reverted\n"
				"o      c       old    -     untried\n",
			   "rdmactl cell: o: c: a signal ended it, or its time was up\n");
		run_line(run, "o a new");
		assert_run(run, STATUS_FAILED, HEAD "o      a       old    old   reverted\n",
			   "Undone.\nrdmactl cell: o: a: it was undone: a signal arrived\n");
	}
	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++) {
		cells[0].raises[0] = ignored[i];
		run_line(run, "o a new c new");
		assert_int_equal(run->status, STATUS_DONE);
		assert_string_equal(run->err, "");
	}
	/* The first signal that asks to end counts, whatever comes after it. */
	cells[0].raises[0] = SIGTERM;
	cells[0].raises[1] = SIGUSR1;
	run_line(run, "o a new");
	assert_int_equal(run->status, STATUS_FAILED);
}

#define INVITATION                                                                            \
	"Changed. It is undone in 60 s, unless you confirm it: Enter keeps it, ^C undoes it " \
	"now.\nFrom another session: kill -USR1 keeps it.\n"
#define INVITATION_AFTER(time)                                                                    \
	"Changed. It is undone in " time " s, unless you confirm it: there is no terminal here, " \
	"so kill -USR1 keeps it.\n"

static void revert_after(struct run *run, uint64_t msec)
{
	number_set(&run->args.common.revert_after, msec);
}

/* A line on the terminal keeps the change; so does SIGUSR1, after signals that have no effect. */
static void kept(void **state)
{
	static const struct {
		const char *typed;
		bool apart;
		int signals[3];
	} rows[] = {
		{"\n", false, {0}},
		{"yes\n", false, {0}},
		{"\nmore", false, {0}},
		{"\n", true, {0}},
		{NULL, false, {SIGUSR1}},
		{"", false, {SIGUSR1}},
		{"\004", false, {SIGUSR1}},
		{"no end\004", true, {SIGUSR1}},
		{"", false, {SIGHUP, SIGUSR1}},
		{NULL, false, {SIGTSTP, SIGPIPE, SIGUSR1}},
	};
	struct run *run = *state;

	revert_after(run, 60000);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		run->typed = rows[i].typed;
		run->apart = rows[i].apart;
		memcpy(run->signals, rows[i].signals, sizeof(run->signals));
		run_line(run, "o a new");
		assert_run(run, STATUS_DONE,
			   HEAD "o      a       old    new   changed\n"
				"undo: rdmactl cell set o a old\n",
			   rows[i].typed ? INVITATION "Kept.\n" : INVITATION_AFTER("60") "Kept.\n");
	}
}

static void not_kept(void **state)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGQUIT, SIGALRM};
	struct run *run = *state;

	revert_after(run, 60000);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		/* Input that is not a line confirms nothing. */
		run->typed = i % 2 ? "no end\004" : "";
		run->signals[0] = ends[i];
		run_line(run, "o a new");
		assert_run(run, STATUS_FAILED, HEAD "o      a       old    old   reverted\n",
			   INVITATION
			   "Undone.\nrdmactl cell: o: a: it was undone: a signal arrived\n");
	}
}

/* The input belongs to a loop that reads its words from a file. */
static void lines_of_others(void **state)
{
	struct run *run = *state;

	revert_after(run, 300);
	run->input = "oo\nooo\n";
	for (int i = 0; i < 2; i++) {
		run->typed = i ? "" : NULL;
		run->apart = true;
		run_line(run, "o a new");
		assert_int_equal(run->status, STATUS_FAILED);
		assert_non_null(strstr(run->err, "\nUndone.\n"));
		assert_non_null(strstr(run->err, "nobody confirmed it in time"));
	}
}

/* A millisecond passes quickly. */
static void time_over(void **state)
{
	struct run *run = *state;

	revert_after(run, 1);
	cells[2].value = "new";
	run_line(run, "o a new b new c new");
	assert_run(
		run, STATUS_FAILED,
		HEAD "o      a       old    old   reverted\n"
		     "o      b       old    old   reverted\n"
		     "o      c       new    new   unchanged\n",
		INVITATION_AFTER(
			"0.001") "Undone.\n"
				 "rdmactl cell: o: a: it was undone: nobody confirmed it in time\n"
				 "rdmactl cell: o: b: it was undone: nobody confirmed it in "
				 "time\n");
	cells[0].keeps = true;
	run_line(run, "o a new");
	assert_int_equal(run->status, STATUS_FAILED);
	assert_non_null(strstr(run->err, "\nIt could not be undone.\n"));
	assert_non_null(strstr(run->out, "stuck"));
	/* If nothing was changed, nothing needs confirmation. */
	run_line(run, "o c new");
	assert_run(run, STATUS_DONE, HEAD "o      c       new    new   unchanged\n", "");
}

/* What an earlier change took along is undone after it, and not in reverse order. */
static void taken_along(void **state)
{
	struct run *run = *state;

	cells[0].takes = &cells[1];
	run_line(run, "o a new b new c new");
	assert_run(run, STATUS_DONE,
		   HEAD "o      a       old    new   changed\n"
			"o      b       old    new   changed\n"
			"o      c       old    new   changed\n"
			"undo: rdmactl cell set o c old\n"
			"undo: rdmactl cell set o a old\n"
			"undo: rdmactl cell set o b old\n",
		   "");
	cells[1].takes = &cells[2];
	run_line(run, "o a new b new c new");
	assert_string_equal(strstr(run->out, "undo"), "undo: rdmactl cell set o a old\n"
						      "undo: rdmactl cell set o b old\n"
						      "undo: rdmactl cell set o c old\n");
	run->full = true;
	run_line(run, "o a new b new c new");
	assert_run(run, STATUS_FAILED, "",
		   "rdmactl cell: cannot write the output: No space left on device\n"
		   "rdmactl cell: o: a was changed anyway, from old to new\n"
		   "  undo: rdmactl cell set o a old\n"
		   "rdmactl cell: o: b was changed anyway, from old to new\n"
		   "  undo: rdmactl cell set o b old\n"
		   "rdmactl cell: o: c was changed anyway, from old to new\n"
		   "  undo: rdmactl cell set o c old\n");
}

/* What somebody else set since is lost with it, unless that is the old value. */
static void set_by_others(void **state)
{
	struct run *run = *state;

	revert_after(run, 1);
	cells[0].theirs = "theirs";
	cells[2].theirs = "old";
	run_line(run, "o a new");
	assert_int_equal(run->status, STATUS_FAILED);
	assert_string_equal(run->out,
			    HEAD "o      a       old    old   reverted\n"
				 "note: it had become theirs by the time it was to be undone\n");
	run_line(run, "o c new");
	assert_string_equal(run->out, HEAD "o      c       old    old   reverted\n");
}

/* The session may have hung up because of the change. */
static void hangup(void **state)
{
	struct run *run = *state;

	cells[0].raises[0] = SIGHUP;
	run->typed = "\n";
	revert_after(run, 60000);
	run_line(run, "o a new c new");
	assert_int_equal(run->status, STATUS_DONE);
	assert_string_equal(run->err, INVITATION "Kept.\n");
	cells[0].raises[0] = SIGTERM;
	run_line(run, "o a new");
	assert_run(run, STATUS_FAILED, HEAD "o      a       old    old   reverted\n",
		   "Undone.\nrdmactl cell: o: a: it was undone: a signal arrived\n");
}

/* What is said twice in the same way is one change, with one command that undoes it. */
static void repeated(void **state)
{
	struct run *run = *state;

	run_line(run, "o a new c new a new");
	assert_run(run, STATUS_DONE,
		   HEAD "o      a       old    new   changed\n"
			"o      c       old    new   changed\n"
			"undo: rdmactl cell set o c old\n"
			"undo: rdmactl cell set o a old\n",
		   "");
	run_line(run, "o a new a other");
	assert_run(run, STATUS_USAGE, "",
		   "rdmactl cell: 'a' is set twice\n  give it once, with one value\n");
}

static void words(void **state)
{
	static const struct {
		const char *line, *err;
	} rows[] = {
		{"o", "rdmactl cell: no setting is given\n"
		      "  rdmactl cell set --help lists the settings\n"},
		{"o a", "rdmactl cell: 'a' needs a value: TEXT\n  a made-up value\n"},
		{"o a x b", "rdmactl cell: 'b' needs a value: TEXT\n  a made-up value\n"},
		{"o a x d y", "rdmactl cell: unknown setting 'd'\n  the settings are a, b, c\n"},
	};
	struct run *run = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		run_line(run, rows[i].line);
		/* Lines before the wrong word are not written. */
		assert_run(run, STATUS_USAGE, "", rows[i].err);
	}
}

/* Lines that set the same: to one value, which counts once, or to several, which is an error. */
static void repeated_lines(void **state)
{
	struct run *run = *state;

	run->args.from = "-";
	run->input = "cell set o a new\n\ncell set o c new a new\n";
	run_line(run, "");
	assert_run(run, STATUS_DONE,
		   HEAD "o      a       old    new   changed\n"
			"o      c       old    new   changed\n"
			"undo: rdmactl cell set o c old\n"
			"undo: rdmactl cell set o a old\n",
		   "");
	run->input = "cell set o a new\ncell set o c new a other b new\ncell set o b other\n";
	run_line(run, "");
	assert_run(run, STATUS_USAGE, "",
		   "rdmactl change: standard input:2: o a is set to other here, and to new in "
		   "line 1\n  give it once, with one value\n"
		   "rdmactl change: standard input:3: o b is set to other here, and to new in "
		   "line 2\n");
}

/* The line number is shown, counted from 1. All lines form one unit: if one fails, none stays. */
static void lists(void **state)
{
	_cleanup_(freep) char *failed = mem_format(
		"rdmactl change: o: standard input:5: c: cannot write it: %s\n", strerror(EBUSY));
	struct run *run = *state;

	run->args.from = "-";
	run->input = "# first\ncell set o a new\n\n  rdmactl cell set 'oo' b \"x y\"\n"
		     "cell set o c new # no newline";
	run_line(run, "");
	assert_run(run, STATUS_DONE,
		   HEAD "o      a       old    new   changed\n"
			"oo     b       old    x y   changed\n"
			"o      c       old    new   changed\n"
			"undo: rdmactl cell set o c old\n"
			"undo: rdmactl cell set oo b old\n"
			"undo: rdmactl cell set o a old\n",
		   "");
	cells[2].write_error = -EBUSY;
	run_line(run, "");
	assert_string_equal(run->err, failed);
	assert_string_equal(run->out, HEAD "o      a       old    old   reverted\n"
					   "oo     b       old    old   reverted\n"
					   "o      c       old    old   failed\n");
	assert_int_equal(run->status, STATUS_FAILED);
	run->input = "cell set o a new b new\ncell set o\ncell o\ncell set --what o a new\n"
		     "cell set\n";
	run_line(run, "");
	assert_int_equal(run->status, STATUS_USAGE);
	assert_string_equal(run->out, "");
	assert_string_equal(
		run->err,
		"rdmactl change: standard input:2: no setting is given\n"
		"  rdmactl cell set --help lists the settings\n"
		"rdmactl change: standard input:3: this command does not change a setting\n"
		"  write each line as on the command line: dev set mlx5_0 name rdma0\n"
		"rdmactl change: standard input:4: unknown option '--what'\n"
		"rdmactl change: standard input:5: too few words: it takes OBJECT SETTING "
		"VALUE...\n");
}

/* Lines after a rename find the device under the new name, and earlier ones do not. */
static void names(void **state)
{
	struct run *run = *state;

	run->args.from = "-";
	run->args.common.dry_run = true;
	run->globals.tsv = true;
	run->globals.no_headings = true;
	run->globals.columns = "undo";
	run->input = "dev adaptive-moderation on\ndev name rdma0\ncell set o a new\n";
	run_line(run, "");
	assert_run(run, STATUS_DONE,
		   "rdmactl dev set mlx5_0 adaptive-moderation off\n"
		   "rdmactl dev set rdma0 name mlx5_0\n"
		   "rdmactl cell set o a old\n",
		   "");
	run->input = "dev name rdma0\ncell set o a new\ndev adaptive-moderation on\n";
	run_line(run, "");
	assert_run(run, STATUS_DONE,
		   "rdmactl dev set rdma0 name mlx5_0\n"
		   "rdmactl cell set o a old\n"
		   "rdmactl dev set rdma0 adaptive-moderation off\n",
		   "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(written),	 TEST(without_output), TEST(afterwards),
		TEST(dry),	 TEST(asked),	       TEST(failures),
		TEST(stuck),	 TEST(told),	       TEST(signals_between),
		TEST(kept),	 TEST(not_kept),       TEST(lines_of_others),
		TEST(time_over), TEST(set_by_others),  TEST(taken_along),
		TEST(hangup),	 TEST(words),	       TEST(lists),
		TEST(names),	 TEST(repeated),       TEST(repeated_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
