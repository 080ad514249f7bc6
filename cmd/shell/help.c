/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cli/help.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"

static int run_help(const struct ctx *ctx, const void *args, char **objects)
{
	_cleanup_(freep) char *clean = NULL, *message = NULL, *hint = NULL;
	const struct command *command;
	const char *closest;

	(void)args;
	if (!objects[0]) {
		help_overview(ctx, stdout);
		return finish_output(ctx, 0, STATUS_DONE);
	}
	command = command_find(ctx, objects[0]);
	if (command && command->group != GROUP_HIDDEN) {
		help_of_command(command, NULL, stdout);
		return finish_output(ctx, 0, STATUS_DONE);
	}
	clean = text_clean(objects[0], strlen(objects[0]));
	message = mem_format("unknown command '%s'", clean);
	closest = command_closest(ctx, objects[0]);
	hint = closest ? mem_format("did you mean '%s'?", closest)
		       : mem_string("rdmactl help lists the commands");
	command_complain(ctx, message, hint);
	return STATUS_USAGE;
}

const struct command help_command = {
	.name = "help",
	.group = GROUP_SHELL,
	.summary = "explain a command",
	.objects = "[COMMAND]",
	.object_completion = COMPLETE_COMMAND,
	.most_objects = 1,
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
