/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by all subcommands of `fabric`: their options, the graph of the subnet (scanned, or loaded
 * from a file), counters and forwarding tables, and the problems for unanswered queries.
 */
#pragma once

#include "cmd/mad/mad_listing.h"
#include "cmd/progress.h"
#include "fabric/graph/view.h"
#include "fabric/route/route.h"
#include "fabric/route/forwarding.h"
#include "fabric/scan/port_counters.h"
#include "fabric/scan/scan.h"

enum fabric_format {
	FABRIC_FORMAT_IBNETDISCOVER,
	FABRIC_FORMAT_IBLINKINFO,
	FABRIC_FORMAT_SLURM,
	FABRIC_FORMAT_DOT,
	FABRIC_FORMAT_SVG,
};

struct fabric_args {
	struct mad_args mad;
	bool tree, details, routes, down, multicast, pairs;
	bool switches_only, grouping;
	const char *save, *load, *diff, *from, *part, *name, *since;
	const char *expected_down, *lids;
	struct number compare;	   /* enum fabric_compared, bits */
	struct number format;	   /* enum fabric_format */
	struct number scheme;	   /* enum drawing_scheme */
	struct number hops;	   /* limit, from where the scan begins */
	struct number state;	   /* of ports and links, as in PortInfo */
	struct number speed_below; /* enum lane_speed */
	struct number interval;	   /* milliseconds */
	struct number top;
	struct number threshold;
	struct number fail_on; /* enum severity */
};

struct fabric_run {
	struct mad_listing mad; /* without a port and an engine if a file was loaded */
	const struct fabric_args *args;
	struct fabric_scan_options scan; /* of the graph; unused if a file was loaded */
	struct fabric fabric;
	struct fabric before;	 /* of --diff */
	struct fabric_view view; /* of the graph, with the names of the session */
	struct fabric_finder finder, finder_before; /* for words, in both graphs */
	struct chassis_list chassis;		    /* after fabric_run_find_chassis() */
	bool *named;	     /* by node, after fabric_run_match(); NULL: all nodes */
	char *expected_text; /* the file of --expected-down, read before the scan */
	/* By port, after fabric_run_find_expected(): to be down; NULL without the file. */
	bool *expected;
	bool *expected_before; /* the same for the earlier scan */
	struct progress progress;
	uint64_t begin_msec, progress_msec; /* start of the scan, and time of the next progress */
	/* The caller may set these before the beginning. */
	bool live; /* open the port even if the graph is from a file, to query its nodes */
	/* Called after each reply of the scan. */
	void (*on_reply)(struct fabric_run *run);
	/* Called before the scan, to read a file. False: the listing says why. */
	bool (*before_scan)(struct fabric_run *run);
	void *context; /* of both */
};

/*
 * Begins the listing of `schema` and fills the graph by a scan or, with --load, from the file, of a
 * run that is empty but for what the caller may set. Failed queries are problems. False: there is
 * no graph, and the listing says why; fabric_run_end() does the rest.
 */
bool fabric_run_begin(struct fabric_run *run, const struct ctx *ctx, const struct fabric_args *args,
		      const struct schema *schema);
/*
 * Finds a node of the graph: see lib/fabric/route/route.h, and aliases that the SA knows. False:
 * the listing says why.
 */
bool fabric_run_find_port(struct fabric_run *run, const char *word, struct fabric_place *ret_place);
/* The same without a word to the listing: how many places it may be. */
size_t fabric_run_look_for_port(struct fabric_run *run, const char *word,
				struct fabric_place *ret_place);
/*
 * Finds the nodes that --name means. False: there are none, which is an error, because an empty
 * list would look as if nothing were wrong.
 */
bool fabric_run_match(struct fabric_run *run);
/* Finds the chassis that nodes are in, for columns and drawings. */
void fabric_run_find_chassis(struct fabric_run *run);
/* Reads the file of --expected-down, if there is one. False: the listing says why. */
bool fabric_run_read_expected(struct fabric_run *run);
/*
 * Finds the ports in that file; those at the other ends of the cables count, too. Lines that name
 * no port of either scan are problems.
 */
void fabric_run_find_expected(struct fabric_run *run);
/* Whether a port belongs to such a node. */
bool fabric_run_is_named(const struct fabric_run *run, uint32_t port);
/* The address of the agents of general services, without the LID. */
struct mad_address fabric_run_address(const struct fabric_run *run);
/* Adds failed queries to the problems. */
void fabric_run_note(struct fabric_run *run, const struct fabric_failure *failures, size_t count);
/* Notes that what follows the scan was interrupted, too, unless the scan was. */
void fabric_run_note_interrupted(struct fabric_run *run);
/* Notes that a file of --since has that many ports that are gone, if there are any. */
void fabric_run_note_others(struct fabric_run *run, long others);
/* Prints, frees, returns the exit status. */
int fabric_run_end(struct fabric_run *run);
/*
 * The same for a command that has printed something else than its rows: `rc` is the result of that.
 */
int fabric_run_end_quietly(struct fabric_run *run, int rc);

/* Options that several subcommands share; all fill struct fabric_args. */
extern const struct option_row fabric_scan_options[], fabric_load_options[];
extern const struct option_row fabric_counter_options[];
#define FABRIC_EXPECTED_OPTION                                                       \
	STRING_OPTION(struct fabric_args, expected_down, 0, "expected-down", "FILE", \
		      COMPLETE_FILE, "pass over ports in a file that are known to be down")
/* A graph from a file needs no port, unless its nodes are queried. */
#define FABRIC_LOAD_RULE                                                                   \
	OPTIONS_EXCLUDE("load",                                                            \
			"from switch hops interval since threshold via retries window sl " \
			"pkey-index mkey qkey routes",                                     \
			NULL)
/* For a subcommand whose only destinations are those of --from and --switch. */
extern const struct option_rule fabric_start_rules[];

extern const struct command fabric_scan_command, fabric_errors_command, fabric_check_command;
extern const struct command fabric_cables_command;
extern const struct command fabric_route_command, fabric_tables_command, fabric_balance_command;
extern const struct command fabric_port_command, fabric_using_command;
extern const struct command fabric_list_commands[6]; /* nodes, switches, ... ports */

/* The text of a format, to be freed; NULL: the listing says why. */
char *fabric_format_text(struct fabric_run *run, enum fabric_format format);

/*
 * The counters of all ports: read once or twice, or once and compared with a file of `fabric errors
 * --save`. Reads into an empty list, by options that need no address; the caller reports the
 * failures in it.
 */
void fabric_counters_read(struct fabric_run *run, const struct port_errors_options *options,
			  struct port_errors *errors);
/* Notes the ports whose counters were not read as problems; `before` may be NULL. */
void fabric_counters_note_losses(struct fabric_run *run, const struct port_errors *before,
				 const struct port_errors *after);
/* Two readings of all counters. */
struct fabric_counters {
	struct port_errors before, after;
	double seconds; /* between them; 0: unknown */
};

/*
 * Reads all counters by --interval or --since, with these options. False: the listing says why;
 * clear them in any case.
 */
bool fabric_counters_take(struct fabric_run *run, const struct port_errors_options *options,
			  struct fabric_counters *counters);
void fabric_counters_clear(struct fabric_counters *counters);
/* False: the listing says why. */
bool fabric_counters_save(struct fabric_run *run, const char *path,
			  const struct port_errors *errors);

/*
 * The forwarding tables, read from the switches as forwarding_read() does (failures are noted as
 * problems), or from a file. False: the file has none, and the listing says so.
 */
bool fabric_forwarding_read(struct fabric_run *run, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding);
/* The tables of a file, without a problem for each switch that has gaps. */
bool fabric_forwarding_recall(struct fabric_run *run, const uint32_t *nodes, size_t count,
			      unsigned int kinds, struct forwarding *forwarding);
/* Whether --hops or --switch left out a part of the subnet, which is a problem then. */
bool fabric_forwarding_note_limit(struct fabric_run *run);
/* Notes a problem if the linear tables that were asked for are known, and empty. */
void fabric_forwarding_note_empty(struct fabric_run *run, const struct forwarding *forwarding);
