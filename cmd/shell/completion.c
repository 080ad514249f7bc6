/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/root_file.h"
#include "host/inventory/inventory.h"
#include "render/render.h"
#include "selftest/selftest.h"

/* The files of completions/, as C strings. */
static const char bash_stub[] =
#include "completion_bash.h"
	;
static const char zsh_stub[] =
#include "completion_zsh.h"
	;
static const char fish_stub[] =
#include "completion_fish.h"
	;

enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };

static const struct enum_name shells[] = {
	{SHELL_BASH, "bash"},
	{SHELL_ZSH, "zsh"},
	{SHELL_FISH, "fish"},
	{0, NULL},
};

static int run_completion(const struct ctx *ctx, const void *args, char **objects)
{
	static const char *const stubs[] = {bash_stub, zsh_stub, fish_stub};
	const struct enum_name *shell = enum_find_word(shells, objects[0]);

	(void)args;
	if (!shell)
		return command_complain(ctx, "no completion for this shell",
					"bash, zsh and fish have one");
	return finish_output(ctx, render_text(stdout, stubs[shell->value]), STATUS_DONE);
}

const struct command completion_command = {
	.name = "completion",
	.group = GROUP_SHELL,
	.summary = "print a shell completion script",
	.objects = "bash|zsh|fish",
	.object_choices = shells,
	.least_objects = 1,
	.most_objects = 1,
	.without_root = true,
	.run = run_completion,
};

/*
 * Lists the tests, or names of the host, or of the tree or snapshot of --root; an invalid file has
 * no names.
 */
static void list(enum completion completion, const char *path, struct strings *ret_names)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	_cleanup_(snapshot_close) struct snapshot snapshot = SNAPSHOT_NONE;
	const char *root;

	if (completion == COMPLETE_TEST)
		selftest_test_names(ret_names);
	else if (root_file_unpack(path, &snapshot, &root, &message, &hint))
		return;
	else if (completion == COMPLETE_NETDEV)
		inventory_netdev_names(root, ret_names);
	else
		inventory_names(root, completion == COMPLETE_PORT, ret_names);
}

static int run_complete(const struct ctx *ctx, const void *args, char **objects)
{
	(void)args;
	if (objects[0] && !strcmp(objects[0], "--"))
		objects++;
	complete_words(ctx, objects, list);
	return finish_output(ctx, 0, STATUS_DONE);
}

const struct command complete_command = {
	.name = "__complete",
	.group = GROUP_HIDDEN,
	.summary = "complete the words of a command line",
	.objects = "[WORD...]",
	.most_objects = -1,
	.raw = true,
	.run = run_complete,
};
