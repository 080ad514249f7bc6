/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

#include "base/mem.h"
#include "cmd/commands.h"

static int run_help(const struct ctx *ctx, const void *args, char **objects)
{
	const struct command *command;
	struct command child;
	char *message = NULL, *hint;

	(void)args;
	if (!objects[0]) {
		help_overview(ctx, stdout);
		return finish_output(ctx, 0, STATUS_DONE);
	}
	command = command_find(ctx, objects[0]);
	if (!command || command->group == GROUP_HIDDEN)
		message = command_unknown(ctx, objects[0], &hint);
	else if (objects[1] && !command_find_child(command, objects[1], &child))
		message = command_unknown_child(command, objects[1], &hint);
	if (message)
		return command_usage(ctx, message, hint);
	help_of_command(objects[1] ? command : NULL, objects[1] ? &child : command, stdout);
	return finish_output(ctx, 0, STATUS_DONE);
}

const struct command help_command = {
	.name = "help",
	.group = GROUP_SHELL,
	.summary = "explain a command",
	.objects = "[COMMAND [SUBCOMMAND]]",
	.object_completion = COMPLETE_COMMAND,
	.most_objects = 2,
	.without_root = true,
	.run = run_help,
};

/* Writes the blocks of the man pages that are made from the tables. */
static int run_man(const struct ctx *ctx, const void *args, char **objects)
{
	const struct command *command = objects[0] ? command_find(ctx, objects[0]) : NULL;

	(void)args;
	help_man_blocks(ctx, command);
	return finish_output(ctx, 0, STATUS_DONE);
}

const struct command man_command = {
	.name = "__man",
	.group = GROUP_HIDDEN,
	.summary = "print the generated blocks of a man page",
	.objects = "[COMMAND]",
	.most_objects = 1,
	.run = run_man,
};
