/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/compat/compat.h"
#include "cmd/root_file.h"
#include "render/render.h"

#define COMMAND(name) &name##_command,
static const struct command *const commands[] = {
#include "cmd/commands.def"
};
#undef COMMAND

#define OLDER_TOOL(name, instead) {name, "the command for that is " instead},
#define PERSONALITY(name, package, instead, summary) \
	OLDER_TOOL(#name, instead "; rdmactl compat " #name " prints what " #name " prints")
static const struct older_tool older_tools[] = {
#include "cmd/compat/personalities.def"
#include "cmd/older_tools.def"
	{NULL, NULL},
};
#undef PERSONALITY
#undef OLDER_TOOL

static void on_timeout(int signal_number)
{
	static const char message[] = "rdmactl: gave up after --timeout\n";
	ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);

	(void)signal_number;
	(void)written;
	_exit(STATUS_FAILED);
}

static void start_timeout(const struct number *timeout)
{
	struct itimerval timer = {
		.it_value = {.tv_sec = (time_t)(timeout->value / 1000),
			     .tv_usec = (suseconds_t)(timeout->value % 1000 * 1000)},
	};

	if (!timeout->known)
		return;
	signal(SIGALRM, on_timeout);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static int print_version(const struct ctx *ctx)
{
	return finish_output(ctx, render_text(stdout, "rdmactl " RDMACTL_VERSION "\n"),
			     STATUS_DONE);
}

static int print_help(const struct ctx *ctx)
{
	help_of_command(ctx->parent, ctx->command, stdout);
	return finish_output(ctx, 0, STATUS_DONE);
}

/* Standard error already has the reason. */
static int cannot_begin(const struct ctx *ctx, const void *args, int status)
{
	return ctx->command->unable ? ctx->command->unable(ctx, args, status) : status;
}

/* With --root FILE, the contents of the archive are the root while the command runs. */
static int run_on_root(struct ctx *ctx, const void *args, char **objects)
{
	struct snapshot snapshot = SNAPSHOT_NONE;
	int status;

	if (ctx->command->without_root)
		return ctx->command->run(ctx, args, objects);
	if (!root_file_open(ctx, &snapshot))
		return cannot_begin(ctx, args, STATUS_FAILED);
	status = ctx->command->run(ctx, args, objects);
	snapshot_close(&snapshot);
	return status;
}

/* --root / and an empty root mean the live system. */
static void forget_live_root(struct ctx *ctx)
{
	const char *root = ctx->globals.root;

	if (root && (!*root || !strcmp(root, "/")))
		ctx->globals.root = NULL;
}

/* Runs a command or subcommand with its options and objects. */
static int run_leaf(struct ctx *ctx, int argc, char **argv)
{
	_cleanup_(freep) void *args = mem_alloc_zero(1, ctx->command->args_size);
	struct option_set sets[COMMAND_TABLES + 1];
	size_t count = command_option_sets(ctx->command, &ctx->globals, args, sets);
	char *message = NULL, *hint = NULL;
	int first = options_parse(argc, argv, sets, count, ctx->command->passes_on, &message,
				  &hint);
	int status;

	if (first < 0)
		return cannot_begin(ctx, args, command_usage(ctx, message, hint));
	if (ctx->globals.version)
		return print_version(ctx);
	if (ctx->globals.help)
		return print_help(ctx);
	message = command_check_objects(ctx->command, argc - first, argv + first);
	if (message || command_check_options(ctx, sets, count, &message, &hint))
		return cannot_begin(ctx, args, command_usage(ctx, message, hint));
	forget_live_root(ctx);
	if (ctx->command->supervise && ctx->command->supervise(ctx, args, &status))
		return status;
	if (!ctx->command->own_timeout)
		start_timeout(&ctx->globals.timeout);
	return run_on_root(ctx, args, argv + first);
}

static int run_command(struct ctx *ctx, int argc, char **argv)
{
	char *message = NULL, *hint = NULL;
	struct command child;

	if (ctx->command->raw)
		return ctx->command->run(ctx, NULL, argv + 1);
	if (!command_has_children(ctx->command))
		return run_leaf(ctx, argc, argv);
	if (command_choose_child(ctx, &child, &argc, argv, &message, &hint))
		return command_usage(ctx, message, hint);
	if (ctx->globals.version)
		return print_version(ctx);
	return ctx->globals.help ? print_help(ctx) : run_leaf(ctx, argc, argv);
}

static int run(struct ctx *ctx, int argc, char **argv)
{
	const struct option_set set = {global_options, &ctx->globals};
	char *message = NULL, *hint = NULL;
	int first = options_parse(argc, argv, &set, 1, true, &message, &hint);

	if (first < 0)
		return command_usage(ctx, message, hint);
	if (ctx->globals.version)
		return print_version(ctx);
	if (first == argc) {
		help_overview(ctx, ctx->globals.help ? stdout : stderr);
		return finish_output(ctx, 0, ctx->globals.help ? STATUS_DONE : STATUS_USAGE);
	}
	ctx->command = command_find(ctx, argv[first]);
	if (!ctx->command) {
		message = command_unknown(ctx, argv[first], &hint);
		return command_usage(ctx, message, hint);
	}
	return run_command(ctx, argc - first, argv + first);
}

static int run_personality(struct ctx *ctx, const struct personality *personality, int argc,
			   char **argv)
{
	struct snapshot snapshot = SNAPSHOT_NONE;
	int status;

	if (!root_file_open(ctx, &snapshot))
		return STATUS_FAILED;
	status = compat_run(ctx, personality, argc, argv);
	snapshot_close(&snapshot);
	return status;
}

/*
 * If a standard stream is closed, the next file or socket that is opened takes its number, and
 * output would be written into it. /dev/null is opened for reading only, so that writing to it
 * fails.
 */
static bool fill_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return false;
	return true;
}

/*
 * The parent's settings are inherited: if it ignores SIGCHLD, the kernel keeps no child to wait
 * for, and a blocked SIGALRM would disable --timeout. Signals that end a program stay ignored or
 * blocked, as nohup(1) intends. Exceeding a file size limit, setrlimit(2), is an error to report,
 * not the end.
 */
static void reset_signals(void)
{
	sigset_t alarm;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm, NULL);
}

int main(int argc, char **argv)
{
	const struct personality *personality;
	struct ctx ctx = {
		.commands = commands,
		.command_count = ARRAY_SIZE(commands),
		.older_tools = older_tools,
		.globals.root = getenv("RDMACTL_ROOT"),
	};

	if (argc < 1 || !fill_standard_streams())
		return STATUS_FAILED;
	reset_signals();
	render_json_check_memory();
	forget_live_root(&ctx);
	personality = compat_find(argv[0]);
	if (personality)
		return run_personality(&ctx, personality, argc, argv);
	/* Options may follow objects, even if the user prefers POSIX order in other programs. */
	unsetenv("POSIXLY_CORRECT");
	return run(&ctx, argc, argv);
}
