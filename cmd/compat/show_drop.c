/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * show_drop of MLNX_OFED, which has no public copy: its name says that it shows counters of dropped
 * packets. Here it prints the same as `rdmactl counters --drops`.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/compat/compat.h"
#include "cmd/counters/counters.h"

static int usage(const char *program, FILE *file, int status)
{
	fprintf(file, "usage: %s [-h] [DEV[/PORT]...]\n", program);
	return status;
}

int show_drop_run(const struct personality_call *call, int argc, char **argv)
{
	const struct ctx ctx = {.command = &counters_command, .globals = {.root = call->root}};
	const struct counters_args args = {.drops = true};

	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-')
			return strcmp(argv[i], "-h") ? usage(call->program, stderr, STATUS_USAGE)
						     : usage(call->program, stdout, 0);
	return counters_command.run(&ctx, &args, argv + 1);
}
