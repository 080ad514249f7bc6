/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Shared by all subcommands of `fabric`: their options, the graph of the subnet (scanned, or loaded
 * from a file), counters and forwarding tables, and the problems for unanswered queries.
 */
#pragma once

#include "base/cleanup.h"
#include "cmd/mad/mad_listing.h"
#include "cmd/progress.h"
#include "counter/saved.h"
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

/* --credit-loops, besides the SLs 0 to 15 */
enum fabric_credit { FABRIC_CREDIT_ALL = 16, FABRIC_CREDIT_PATHS };

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
	struct number credit;  /* an SL, or enum fabric_credit */
};

struct fabric_run {
	struct mad_listing mad; /* without a port and an engine if a file was loaded */
	const struct fabric_args *args;
	struct fabric_scan_options scan; /* of the graph; unused if a file was loaded */
	struct fabric fabric;
	struct fabric before;	 /* the scan of --diff */
	struct fabric_view view; /* of the graph, with the names of the session */
	struct fabric_finder finder, finder_before; /* find nodes by words, in both graphs */
	struct chassis_list chassis;		    /* after fabric_run_find_chassis() */
	bool *named;	     /* by node, after fabric_run_match(); NULL: all nodes */
	char *expected_text; /* the file of --expected-down, read before the scan */
	/* By port, after fabric_run_find_expected(): expected to be down; NULL without the file. */
	bool *expected;
	bool *expected_before; /* likewise for the earlier scan */
	struct progress progress;
	uint64_t begin_msec, progress_msec; /* start of the scan, and time of the next progress */
	/* The caller may set the following members before fabric_run_begin(). */
	bool live;	   /* open the port even if the graph is from a file, to query its nodes */
	const char *saves; /* the file that the caller saves something else to, or NULL */
	/* Called after each reply of the scan. */
	void (*on_reply)(struct fabric_run *run);
	/* Called before the scan, to read a file. Returns false with the reason in the listing. */
	bool (*before_scan)(struct fabric_run *run);
	void *context; /* for both callbacks */
};

/*
 * Begins the listing of `schema` and fills the graph by a scan or, with --load, from the file. The
 * run must be zero except for what the caller may set. Failed queries become problems. Returns
 * false if there is no graph, with the reason in the listing; fabric_run_end() does the rest.
 */
bool fabric_run_begin(struct fabric_run *run, const struct ctx *ctx, const struct fabric_args *args,
		      const struct schema *schema);
/*
 * Finds a node of the graph (see lib/fabric/route/route.h), also by aliases that the SA knows.
 * Returns false with the reason in the listing.
 */
bool fabric_run_find_port(struct fabric_run *run, const char *word, struct fabric_place *ret_place);
/* Does the same without telling the listing; returns how many places the word may mean. */
size_t fabric_run_look_for_port(struct fabric_run *run, const char *word,
				struct fabric_place *ret_place);
/* Says why a word that may mean so many places (not 1) is of no use; to be freed. */
char *fabric_run_missing_text(struct fabric_run *run, const char *word, size_t found);
/* Whether a word is NODE/PORT: a name, too, may end with a slash and a number. */
bool fabric_run_split(struct fabric_run *run, const char *word, char **ret_node,
		      unsigned int *ret_port);
/* Says which ports a node has, for a word with another one; to be freed. */
char *fabric_run_ports_text(const struct fabric_run *run, uint32_t node);
/*
 * Finds the nodes that --name means. Returns false if there are none, which is an error, because an
 * empty list would look as if nothing were wrong.
 */
bool fabric_run_match(struct fabric_run *run);
/* Finds the chassis that nodes are in, for columns and drawings. */
void fabric_run_find_chassis(struct fabric_run *run);
/* Reads the file of --expected-down, if given. Returns false with the reason in the listing. */
bool fabric_run_read_expected(struct fabric_run *run);
/*
 * Finds the ports in that file, and those at the other ends of their cables. Lines that name no
 * port of either scan are problems.
 */
void fabric_run_find_expected(struct fabric_run *run);
/* Whether a port belongs to a node that fabric_run_match() found. */
bool fabric_run_is_named(const struct fabric_run *run, uint32_t port);
/* Returns the address of the general services agents, without the LID. */
struct mad_address fabric_run_address(const struct fabric_run *run);
/* Adds a problem of the subnet as a whole; `hint` may be NULL. */
void fabric_run_problem(struct fabric_run *run, const char *hint, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Adds failed queries to the problems. */
void fabric_run_note(struct fabric_run *run, const struct fabric_failure *failures, size_t count);
/* Notes that work after the scan was interrupted, too, unless the scan was. */
void fabric_run_note_interrupted(struct fabric_run *run);
/* Notes how many ports in a file of --since are gone, if any. */
void fabric_run_note_others(struct fabric_run *run, long others);
/* Lists the rows of an array, at most as many as --top allows. */
void fabric_run_list(struct fabric_run *run, const void *rows, size_t count, size_t size);
/* Prints the listing, frees the run, and returns the exit status. */
int fabric_run_end(struct fabric_run *run);
/*
 * Does the same for a command that has called mad_listing_tell_port(), after which all problems are
 * known, and then printed, with result `rc`.
 */
int fabric_run_end_quietly(struct fabric_run *run, int rc);

/* Options that several subcommands share; all fill struct fabric_args. */
extern const struct option_row fabric_scan_options[], fabric_load_options[];
extern const struct option_row fabric_counter_options[];
#define FABRIC_EXPECTED_OPTION                                                       \
	STRING_OPTION(struct fabric_args, expected_down, 0, "expected-down", "FILE", \
		      COMPLETE_FILE, "ignore ports that a file lists as known to be down")
/* A graph from a file needs no port, unless its nodes are queried. */
#define FABRIC_LOAD_RULE                                                                   \
	OPTIONS_EXCLUDE("load",                                                            \
			"from switch hops interval since threshold via retries window sl " \
			"pkey-index mkey qkey routes",                                     \
			NULL)
/* The second is for a subcommand whose only destinations are those of --from and --switch. */
extern const struct option_rule fabric_load_rules[], fabric_start_rules[];

extern const struct command fabric_scan_command, fabric_errors_command, fabric_check_command;
extern const struct command fabric_cables_command;
extern const struct command fabric_route_command, fabric_tables_command, fabric_balance_command;
extern const struct command fabric_port_command, fabric_using_command;
extern const struct command fabric_list_commands[6]; /* nodes, switches, ... ports */

/* Returns the text of a format, to be freed; NULL with the reason in the listing. */
char *fabric_format_text(struct fabric_run *run, enum fabric_format format);

/*
 * The counters of all ports: read once or twice, or once and compared with a file of `fabric errors
 * --save`. This reads into an empty list, with options that need no address; the caller reports the
 * failures in it.
 */
void fabric_counters_read(struct fabric_run *run, const struct port_errors_options *options,
			  struct port_errors *errors);
/* Notes a failure to read or clear counters as a problem: `what` comes before the reason. */
void fabric_counters_note_failure(struct fabric_run *run, const struct fabric_failure *failure,
				  const char *what, const char *hint);
/* Notes the ports whose counters were not read as problems; `before` may be NULL. */
void fabric_counters_note_losses(struct fabric_run *run, const struct port_errors *before,
				 const struct port_errors *after);
/* Two readings of all counters. */
struct fabric_counters {
	struct port_errors before, after;
	double seconds; /* between them; 0 if unknown */
};

/*
 * Reads all counters by --interval or --since, with these options. Returns false with the reason in
 * the listing; the counters must be cleared in any case.
 */
bool fabric_counters_take(struct fabric_run *run, const struct port_errors_options *options,
			  struct fabric_counters *counters);
DEFINE_CLEAR(struct fabric_counters, fabric_counters_clear, port_errors_clear(&object->before),
	     port_errors_clear(&object->after))
/* These return false with the reason in the listing; the first clears the list. */
bool fabric_run_save(struct fabric_run *run, const char *path, const struct saved_kind *kind,
		     struct saved_list *list);
bool fabric_counters_save(struct fabric_run *run, const char *path,
			  const struct port_errors *errors);

/*
 * Reads forwarding tables: from the switches as forwarding_read() does (failures are noted as
 * problems), or from a file. Returns false if the file has none, with the reason in the listing.
 */
bool fabric_forwarding_read(struct fabric_run *run, const uint32_t *nodes, size_t count,
			    unsigned int kinds, struct forwarding *forwarding);
/* Takes the tables of a file, without a problem for each switch that has gaps. */
bool fabric_forwarding_recall(struct fabric_run *run, const uint32_t *nodes, size_t count,
			      unsigned int kinds, struct forwarding *forwarding);
/* Whether --hops or --switch omitted a part of the subnet; if so, notes that as a problem. */
bool fabric_forwarding_note_limit(struct fabric_run *run);
/* Notes a problem if the linear tables that were requested are known, and all empty. */
void fabric_forwarding_note_empty(struct fabric_run *run, const struct forwarding *forwarding);

/* fabric route: routes of one pair, of a multicast group, or of many pairs. */
struct route_args {
	struct fabric_args fabric;
	const char *mlid;  /* of a multicast group */
	const char *pairs; /* file of pairs */
	bool cables;	   /* list the cables of all pairs */
};

/* Explains why the route to the LID does not arrive, to be freed; NULL if it does. */
char *fabric_route_explain(const struct fabric_view *view, const struct fabric_route *route,
			   uint16_t lid);
/*
 * Whether a route that does not arrive is a fault: only a wrong table or a link that is down is
 * one, because a node outside the scan may exist.
 */
bool fabric_route_is_fault(const struct fabric *fabric, const struct fabric_route *route);

/* Says why no route leads from a port to another one with its LID; to be freed. */
char *fabric_route_planes_text(const struct fabric_view *view, uint32_t from,
			       const struct fabric_place *to);
extern const char fabric_route_planes_hint[];

int fabric_route_pairs(const struct ctx *ctx, const struct route_args *args);
int fabric_route_group(const struct ctx *ctx, const struct route_args *args);

/* fabric errors: fabric_errors.c shows counters; fabric_errors_act.c verifies and clears. */
/*
 * Queries the nodes of a graph from a file for their GUIDs. *ret_wanted, an array by port that the
 * caller frees, says whether the node still has the LID that the file gives; other nodes are
 * problems. Returns false if interrupted, which is a problem, too.
 */
bool fabric_errors_verify(struct fabric_run *run, bool **ret_wanted);
/* Returns the service level to each of all 65536 LIDs by path records, 0 if none; to be freed. */
uint8_t *fabric_errors_service_levels(struct fabric_run *run);

struct fabric_clearing {
	const struct port_errors_options *options;
	struct port_errors *readings;
	unsigned int kinds; /* enum counters_to_clear */
	bool details, yes;
	const char *save; /* file for the readings */
};

/* Asks for confirmation, saves the readings, clears the counters, and says what was cleared. */
void fabric_errors_clear(struct fabric_run *run, const struct fabric_clearing *clearing);
