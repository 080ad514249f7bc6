/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mesh plan: stages, rounds, time and traffic, without running anything. */
#include "cmd/mesh/mesh_run.h"

static int run(const struct ctx *ctx, const void *mesh_args, char **objects)
{
	(void)mesh_args;
	(void)objects;
	return command_usage(ctx, NULL, NULL);
}

const struct command mesh_plan_command = {
	.name = "plan",
	.summary = "show what a plan would do, without running it",
	.options = {mesh_test_options},
	.args_size = sizeof(struct mesh_args),
	.run = run,
};
