/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric: the subnet in one scan, and the options that several subcommands share. */
#include "cmd/commands.h"
#include "cmd/fabric/fabric_run.h"

const struct option_row fabric_scan_options[] = {
	STRING_OPTION(struct fabric_args, save, 0, "save", "FILE", COMPLETE_FILE,
		      "save what was read to a file (-: print it), for --load, --diff or --since"),
	STRING_OPTION(struct fabric_args, from, 0, "from", "DEST", COMPLETE_NOTHING,
		      "begin at this node: a LID, port GUID, GID, directed route or name"),
	NUMBER_OPTION(COUNT, struct fabric_args, hops, 0, "hops", "N", 1, MAD_HOPS_MOST,
		      "scan at most this many cables away"),
	STRING_OPTION(struct fabric_args, part, 0, "switch", "DEST", COMPLETE_NOTHING,
		      "scan only this switch and its neighbours"),
	{.name = NULL},
};

const struct option_row fabric_load_options[] = {
	STRING_OPTION(struct fabric_args, load, 0, "load", "FILE", COMPLETE_FILE,
		      "read the scan from a file of --save or of ibnetdiscover (-: standard "
		      "input)"),
	{.name = NULL},
};

const struct option_row fabric_counter_options[] = {
	NUMBER_OPTION(DURATION, struct fabric_args, interval, 0, "interval", "TIME", 10, 0,
		      "read the counters again after this time, and show what grew"),
	STRING_OPTION(struct fabric_args, since, 0, "since", "FILE", COMPLETE_FILE,
		      "show what grew since the counters were saved in this file"),
	NUMBER_OPTION(COUNT, struct fabric_args, threshold, 0, "threshold", "N", 0, 0,
		      "ignore counters below this value (default 1)"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	MAD_RULES,
	OPTIONS_EXCLUDE("from", "switch", NULL),
	OPTIONS_EXCLUDE("interval", "since", NULL),
	OPTIONS_EXCLUDE("down", "speed-below", NULL),
	OPTIONS_ONE_OF("diff tree format", NULL),
	OPTIONS_EXCLUDE("tree format", "json jsonl tsv columns", NULL),
	{.options = NULL},
};

const struct option_rule fabric_load_rules[] = {FABRIC_LOAD_RULE, {.options = NULL}};

const struct option_rule fabric_start_rules[] = {
	FABRIC_LOAD_RULE,
	OPTIONS_NEED("lid guid gid direct node", "from switch", NULL),
	{.options = NULL},
};

static const struct command *const children[] = {
	&fabric_scan_command,	  &fabric_list_commands[0],
	&fabric_list_commands[1], &fabric_list_commands[2],
	&fabric_list_commands[3], &fabric_list_commands[4],
	&fabric_list_commands[5], &fabric_port_command,
	&fabric_errors_command,	  &fabric_cables_command,
	&fabric_check_command,	  &fabric_route_command,
	&fabric_tables_command,	  &fabric_balance_command,
	&fabric_using_command,	  NULL,
};

const struct command fabric_command = {
	.name = "fabric",
	.group = GROUP_MAD,
	.summary = "scan the subnet, check it, trace its routes",
	.objects = "[COMMAND [ARGUMENT...]]",
	.most_objects = -1,
	.children = children,
	.child_word = "COMMAND",
	.rules = rules,
	.own_timeout = true,
};
