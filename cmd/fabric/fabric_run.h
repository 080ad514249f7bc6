/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What all commands of `fabric` do: their options, the graph of the subnet (scanned, or loaded from
 * a file), and the words for what did not answer.
 */
#pragma once

#include "fabric/scan/scan.h"
#include "fabric/graph/view.h"
#include "cmd/mad/mad_session.h"
#include "cmd/fabric/progress.h"

enum fabric_format {
	FABRIC_FORMAT_IBNETDISCOVER,
	FABRIC_FORMAT_IBLINKINFO,
	FABRIC_FORMAT_SLURM,
	FABRIC_FORMAT_DOT,
	FABRIC_FORMAT_SVG,
};

struct fabric_args {
	struct mad_args mad;
	bool tree, details, down, multicast;
	const char *save, *load, *diff, *from, *part, *names, *name, *since;
	struct number format;	   /* enum fabric_format */
	struct number hops;	   /* most, from where the scan begins */
	struct number state;	   /* of ports and links, as PortInfo has it */
	struct number speed_below; /* enum fabric_speed */
	struct number interval;	   /* milliseconds */
	struct number top;
	struct number threshold;
	struct number fail_on; /* enum severity */
};

struct fabric_run {
	struct mad_session session; /* without a port and an engine where a file was loaded */
	const struct fabric_args *args;
	struct fabric_scan_options scan; /* that the graph is of; not where a file was loaded */
	struct fabric fabric;
	struct fabric before; /* of --diff */
	struct node_names names;
	struct fabric_view view; /* of these two */
	bool *named;		 /* of each node, after fabric_run_match(); NULL: all are meant */
	struct progress progress;
	uint64_t begin_msec, progress_msec; /* of the scan, and of what is shown of it */
	/* Called again and again while it is scanned, or NULL. */
	void (*on_reply)(struct fabric_run *run);
	void *context; /* of that */
};

/*
 * Begins the listing of `schema` and fills the graph: by a scan, or with --load from the file. What
 * did not answer is in the problems. False: there is no graph, and the listing says why;
 * fabric_run_end() does the rest.
 */
bool fabric_run_begin(struct fabric_run *run, const struct ctx *ctx, const struct fabric_args *args,
		      const struct schema *schema);
/* The same, with `on_reply` called after each answer of the scan. */
bool fabric_run_begin_streaming(struct fabric_run *run, const struct ctx *ctx,
				const struct fabric_args *args, const struct schema *schema,
				void (*on_reply)(struct fabric_run *run), void *context);
/* A node as it was named. */
struct fabric_place {
	uint32_t node;
	uint32_t port; /* port 0 of a switch; of others the one named, else the first with a LID */
	uint16_t lid;  /* the one named, else that port's; 0: it has none */
};
/*
 * A node of the graph: by name, GUID (of the node, its system or a port), GID, LID, directed route
 * from where the scan began, or NAME/PORT. False, or FABRIC_NONE: the listing says why.
 */
bool fabric_run_find_port(struct fabric_run *run, const char *word, struct fabric_place *ret_place);
uint32_t fabric_run_find(struct fabric_run *run, const char *word);
/*
 * Which nodes --name means. False: none, which is told of, since nothing shown would look like
 * nothing wrong.
 */
bool fabric_run_match(struct fabric_run *run);
/* Whether a port is of such a node, or cabled to one. */
bool fabric_run_is_named(const struct fabric_run *run, uint32_t port);
/* Notes as problems what else did not answer. */
void fabric_run_note(struct fabric_run *run, const struct fabric_failure *failures, size_t count);
/* Prints, frees, returns the exit status. */
int fabric_run_end(struct fabric_run *run);
/* The same for a command that has printed something else than its rows: `rc` of that. */
int fabric_run_end_quietly(struct fabric_run *run, int rc);

/* The directed route to a LID, by the forwarding tables on the way. False: the listing says why. */
bool fabric_run_walk(struct fabric_run *run, uint16_t lid, struct fabric_scan_options *options);

/* Options that several subcommands share; all fill struct fabric_args. */
extern const struct option_row fabric_scan_options[], fabric_load_options[];
extern const struct option_row fabric_counter_options[], fabric_mad_options[];
/* For a subcommand that names no destination but that of --from or --switch. */
extern const struct option_rule fabric_start_rules[];

extern const struct command fabric_scan_command, fabric_errors_command, fabric_check_command;
extern const struct command fabric_route_command, fabric_tables_command, fabric_balance_command;
extern const struct command fabric_list_commands[6]; /* nodes, switches, ... ports */

/* scan --diff */
int fabric_diff_command(const struct ctx *ctx, const struct fabric_args *args);

/* The files of a scan: cmd/fabric_file.c. False: the listing says why not. */
bool fabric_file_read(struct listing *listing, const char *path, struct fabric *fabric);
bool fabric_file_load(struct fabric_run *run, const char *path);
bool fabric_file_save(struct fabric_run *run, const char *path);
/* Notes in a graph that was scanned just now when and where that was. */
void fabric_file_sign(struct fabric_run *run);
/* The text of a format, to be freed; NULL: the listing says why not. */
char *fabric_format_text(struct fabric_run *run, enum fabric_format format);
