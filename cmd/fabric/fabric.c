/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl fabric: the subnet, in one scan. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "fabric/diff/diff.h"
#include "fabric/check/findings.h"
#include "fabric/scan/scan.h"
#include "fabric/graph/link.h"
#include "fabric/scan/port_counters.h"
#include "fabric/route/route.h"
#include "cmd/fabric/fabric_run.h"
#include "event/event.h"
#include "host/names.h"
#include "cmd/option_use.h"

static const struct enum_name format_names[] = {
	{FABRIC_FORMAT_IBNETDISCOVER, "ibnetdiscover", .help = "as ibnetdiscover prints it"},
	{FABRIC_FORMAT_IBLINKINFO, "iblinkinfo", .help = "as iblinkinfo prints it"},
	{FABRIC_FORMAT_SLURM, "slurm", .help = "topology.conf of Slurm"},
	{FABRIC_FORMAT_DOT, "dot", .help = "a graph for Graphviz"},
	{FABRIC_FORMAT_SVG, "svg", .help = "a picture, drawn by Graphviz's dot"},
	{0, NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct fabric_args, tree, 0, "tree", "scan: print it as a tree"),
	STRING_OPTION(struct fabric_args, save, 0, "save", "FILE", COMPLETE_FILE,
		      "write the scan to a file, as JSON"),
	STRING_OPTION(struct fabric_args, load, 0, "load", "FILE", COMPLETE_FILE,
		      "take the scan from a file: of --save, or of ibnetdiscover"),
	STRING_OPTION(struct fabric_args, diff, 0, "diff", "FILE", COMPLETE_FILE,
		      "scan: print what differs from the scan in a file"),
	CHOICE_OPTION(struct fabric_args, format, 0, "format", "FORMAT", format_names,
		      "scan: print it in another tool's format"),
	STRING_OPTION(struct fabric_args, from, 0, "from", "DEST", COMPLETE_NOTHING,
		      "begin at this node: a LID, port GUID, GID or directed route"),
	NUMBER_OPTION(COUNT, struct fabric_args, hops, 0, "hops", "N", 1, MAD_HOPS_MOST,
		      "go so many cables far"),
	STRING_OPTION(struct fabric_args, part, 0, "switch", "DEST", COMPLETE_NOTHING,
		      "this switch and its neighbours only"),
	STRING_OPTION(struct fabric_args, names, 0, "names", "FILE", COMPLETE_FILE,
		      "names of nodes by GUID, as ibnetdiscover --node-name-map reads them"),
	FLAG_OPTION(struct fabric_args, details, 0, "details",
		    "ask for P_Keys, GUIDs and VL tables, too"),
	CHOICE_OPTION(struct fabric_args, state, 0, "state", "STATE", port_state_names,
		      "lists: only what is in this state"),
	CHOICE_OPTION(struct fabric_args, speed_below, 0, "speed-below", "SPEED",
		      fabric_speed_names, "lists: only links that are slower"),
	FLAG_OPTION(struct fabric_args, down, 0, "down",
		    "lists but links: only ports without a link"),
	STRING_OPTION(struct fabric_args, name, 0, "name", "PATTERN", COMPLETE_NOTHING,
		      "lists, errors: only nodes of this name (* and ? as in the shell)"),
	NUMBER_OPTION(DURATION, struct fabric_args, interval, 0, "interval", "TIME", 10, 0,
		      "check, errors: read the counters again after that time"),
	STRING_OPTION(struct fabric_args, since, 0, "since", "FILE", COMPLETE_FILE,
		      "check, errors: what has changed since that was saved"),
	NUMBER_OPTION(COUNT, struct fabric_args, threshold, 0, "threshold", "N", 0, 0,
		      "check, errors: only counters from so many on (default 1)"),
	NUMBER_OPTION(COUNT, struct fabric_args, top, 0, "top", "N", 1, 0,
		      "errors, balance: only so many ports, the worst first"),
	CHOICE_OPTION(struct fabric_args, fail_on, 0, "fail-on", "SEVERITY", severity_names,
		      "check: exit with 4 from this severity on (default warning)"),
	FLAG_OPTION(struct fabric_args, multicast, 0, "multicast",
		    "tables: the multicast forwarding table"),
	MAD_OPTIONS(struct fabric_args),
	{.name = NULL},
};

static const struct fabric_word fabric_words[] = {
	{"scan", "switches, and what is at their ports", &fabric_ports_schema, NULL,
	 fabric_scan_command},
	{"nodes", "all nodes", &fabric_nodes_schema, NULL, fabric_list_command},
	{"switches", "the switches", &fabric_nodes_schema, NULL, fabric_list_command},
	{"hosts", "the channel adapters", &fabric_nodes_schema, NULL, fabric_list_command},
	{"routers", "the routers", &fabric_nodes_schema, NULL, fabric_list_command},
	{"links", "the cables, each once", &fabric_links_schema, NULL, fabric_list_command},
	{"ports", "all ports", &fabric_ports_schema, NULL, fabric_list_command},
	{"errors", "counters of errors, of all ports", &fabric_errors_schema, NULL,
	 fabric_errors_command},
	{"check", "what is wrong with the subnet", &fabric_check_schema, NULL,
	 fabric_check_command},
	{"route", "the way from one port to another and back", &fabric_route_schema, "FROM TO",
	 fabric_route_command},
	{"tables", "forwarding tables of switches", &fabric_tables_schema, "[SWITCH...]",
	 fabric_tables_command},
	{"balance", "how many routes each cable carries", &fabric_balance_schema, NULL,
	 fabric_balance_command},
};

static const struct option_use uses[] = {
	{"tree", "scan", NULL},
	{"diff", "scan", NULL},
	{"format", "scan", NULL},
	{"details", "scan", NULL},
	{"load", "scan, nodes, switches, hosts, routers, links, ports, check",
	 "a saved scan has neither counters nor forwarding tables"},
	{"state", "nodes, switches, hosts, routers, links, ports", NULL},
	{"speed-below", "nodes, switches, hosts, routers, links, ports", NULL},
	{"down", "nodes, switches, hosts, routers, ports", NULL},
	{"name", "nodes, switches, hosts, routers, links, ports, errors", NULL},
	{"interval", "errors, check", NULL},
	{"since", "errors, check", NULL},
	{"threshold", "errors, check", NULL},
	{"top", "errors, balance", NULL},
	{"fail-on", "check", NULL},
	{"multicast", "tables", NULL},
};

/* Of each pair the one makes the other useless. */
static const struct pair {
	const char *one, *other;
} pairs[] = {
	{"from", "switch"},	{"interval", "since"}, {"down", "speed-below"},
	{"diff", "tree"},	{"diff", "format"},    {"tree", "format"},
	{"json", "tree"},	{"jsonl", "tree"},     {"tsv", "tree"},
	{"columns", "tree"},	{"json", "format"},    {"jsonl", "format"},
	{"tsv", "format"},	{"columns", "format"}, {"load", "from"},
	{"load", "switch"},	{"load", "hops"},      {"load", "interval"},
	{"load", "since"},	{"load", "threshold"}, {"load", "via"},
	{"load", "retries"},	{"load", "window"},    {"load", "sl"},
	{"load", "pkey-index"}, {"load", "mkey"},      {"load", "qkey"},
};

/* Whether every option that was given is of use; the complaint is made. */
static bool options_fit(const struct ctx *ctx, const struct fabric_args *args, const char *word)
{
	if (!option_uses_fit(ctx, args, uses, ARRAY_SIZE(uses), word))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		const struct pair *pair = &pairs[i];
		_cleanup_(freep) char *message = NULL;

		if (!option_is_given(ctx, args, pair->one) ||
		    !option_is_given(ctx, args, pair->other))
			continue;
		message = mem_format("--%s and --%s exclude each other", pair->one, pair->other);
		command_complain(ctx, message, "rdmactl fabric --help");
		return false;
	}
	return true;
}

/* What says of which kind a destination is, without any; the complaint is made. */
static bool kind_fits(const struct ctx *ctx, const struct fabric_args *args, char **words)
{
	_cleanup_(freep) char *complaint = args->from || args->part || words[0]
						   ? NULL
						   : mad_kind_complaint(&args->mad);

	if (complaint)
		command_complain(ctx, complaint, "--from DEST and --switch DEST name one");
	return !complaint;
}

static bool form(size_t number, struct command_form *ret_form)
{
	const struct fabric_word *word = &fabric_words[number];

	if (number >= ARRAY_SIZE(fabric_words))
		return false;
	*ret_form = (struct command_form){
		.word = word->word,
		.summary = word->summary,
		.schema = word->schema,
	};
	return true;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct fabric_word *word = NULL;
	char *none[] = {NULL}, **words = objects[0] ? objects + 1 : none;

	for (size_t i = 0; i < ARRAY_SIZE(fabric_words) && !word; i++)
		if (!objects[0] || !strcmp(fabric_words[i].word, objects[0]))
			word = &fabric_words[i];
	if (!word)
		return command_complain_form(ctx, objects[0]);
	if (words[0] && !word->words) {
		command_complain(ctx, "too many words", "rdmactl help fabric");
		return STATUS_USAGE;
	}
	if (!options_fit(ctx, args, word->word) || !kind_fits(ctx, args, words))
		return STATUS_USAGE;
	return word->run(ctx, args, word, words);
}

static const struct schema *const more_schemas[] = {&fabric_graph_schema,
						    &fabric_unanswered_schema,
						    &fabric_details_schema,
						    &fabric_changes_schema,
						    &fabric_multicast_schema,
						    &fabric_error_growth_schema,
						    NULL};

const struct command fabric_command = {
	.name = "fabric",
	.group = GROUP_MAD,
	.summary = "scan the subnet, check it, follow its routes",
	.objects = "[COMMAND [WORD...]]",
	.least_objects = 0,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct fabric_args),
	.schema = &fabric_ports_schema,
	.more_schemas = more_schemas,
	.form = form,
	.own_timeout = true,
	.needs = "umad",
	.run = run,
};
