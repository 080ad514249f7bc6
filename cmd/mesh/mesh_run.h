/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by the parts of rdmactl mesh. */
#pragma once

#include <sys/types.h>

#include "base/signals.h"
#include "cmd/listing.h"
#include "cmd/progress.h"
#include "mesh/agent/agent.h"
#include "mesh/coordinator/coordinator.h"
#include "mesh/form/heat.h"
#include "mesh/place.h"

struct mesh_args {
	/* agents */
	const char *agent, *name;
	/* both */
	const char *rehearse, *token_file;
	/* the coordinator's part */
	const char *hosts, *address, *coordinator, *program;
	struct number port, wait, silence;
	bool busy, doctor;
	/* what is tested */
	const char *stages, *resume, *save, *fabric;
	struct number host_count, rails, seed, budget, duration, latency_duration, order_timeout,
		most_pairs;
	bool one_rail, both_ways, no_bandwidth, connect_only;
	/* the verdict */
	struct real least_share, latency_factor, rate;
	struct number exclude_list; /* enum exclude_form */
	const char *heat_map;
	bool map, histogram;
};

extern const struct option_row mesh_agent_options[], mesh_run_options[], mesh_step_options[],
	mesh_test_options[], mesh_output_options[];
extern const struct option_rule mesh_rules[];
extern const struct command mesh_run_command, mesh_step_command, mesh_plan_command;

/*
 * Fills what is measured, and for how long, from the options. Returns false if that exceeds the
 * limit for a pair.
 */
bool mesh_work_tests(const struct mesh_args *args, struct session_setup *setup);
/* Checks that a pair may take as long as its measurements; if not, the listing has the problem. */
bool mesh_check_pair_time(struct listing *listing, const struct mesh_args *args);

#define MESH_TOKEN_BYTES 64 /* with the NUL */

/* mesh_token.c */

/* Makes a new token of random bytes. Returns 0 or -errno. */
int mesh_token_make(char token[static MESH_TOKEN_BYTES]);
/*
 * Reads the token from RDMACTL_TOKEN, else the file, else standard input. Returns 0, -ENOENT if
 * there is none, or -errno with a reason to be freed.
 */
int mesh_token_find(const char *path, bool from_input, char token[static MESH_TOKEN_BYTES],
		    char **ret_reason);
/* Reads the token from the file, or makes the file; *ret_made says which. Returns 0 or -errno. */
int mesh_token_file(const char *path, char token[static MESH_TOKEN_BYTES], bool *ret_made,
		    char **ret_reason);

/* mesh_launch.c: the launcher, in a process group of its own. */

struct mesh_launch {
	pid_t pid;  /* 0: none */
	int output; /* of the launcher and the agents; -1: closed */
	bool ended;
	int status;	/* as of waitpid(), once it has ended */
	char line[512]; /* that has no end yet */
	size_t length;
	char *last; /* line that has ended, cleaned; not an indented one after another */
};

/* Starts it. Returns 0, -errno, or -EINTR if there is a signal at `signals` (a signalfd, or -1). */
int mesh_launch_start(struct mesh_launch *launch, char *const *command, const char *token,
		      int signals);
/* Reads its output, and calls `say` (or NULL) for each line. False: there is no more now. */
bool mesh_launch_read(struct mesh_launch *launch, void (*say)(void *context, const char *line),
		      void *context);
/* Whether it has ended; does not reap it. */
bool mesh_launch_has_ended(struct mesh_launch *launch);
/* "ended with status 1", "was killed by signal 9"; to be freed. */
char *mesh_launch_end_text(const struct mesh_launch *launch);
/*
 * Waits `msec` for its end, then ends its process group. Returns false if it was killed but does
 * not end; nobody waits for it any longer.
 */
bool mesh_launch_stop(struct mesh_launch *launch, unsigned int msec);

/* Ends the agent of mesh step, after goodbye or the loss of its coordinator. Returns as above. */
bool mesh_end_own_agent(pid_t pid);

/* mesh_fabric.c: --fabric */

struct mesh_fabric;

/*
 * Reads a saved scan, or a text of ibnetdiscover. Returns NULL with *ret_message, to be freed, if
 * it cannot.
 */
struct mesh_fabric *mesh_fabric_open(const char *path, char **ret_message);
/* Finds the hosts' rails in the scan, once; returns how many are cabled to its switches. */
size_t mesh_fabric_place(struct mesh_fabric *mesh, const struct mesh_host *hosts, uint32_t count);
/* Facts for the judge; NULL if no rail was found, or without a scan. */
const struct judge_fabric *mesh_fabric_facts(const struct mesh_fabric *mesh);
/*
 * An order of the hosts with those at the same switch side by side, to be freed; NULL if unknown.
 */
uint32_t *mesh_fabric_order(const struct mesh_fabric *mesh, uint32_t count);
void mesh_fabric_free(struct mesh_fabric *mesh);

/* The tests of a host with others. */
struct mesh_contact {
	bool tested;
	uint64_t apart;	     /* pairs whose agents could not talk */
	uint32_t last_apart; /* the other host of the last of them */
	bool several_apart;  /* they have different ones */
};

/* Bytes of a list of hosts within a line. */
#define MOST_OF_NAMES 60u

struct mesh_work {
	struct listing listing;
	const struct mesh_args *args;
	struct signals signals;
	struct progress progress;
	struct mesh_launch launch;
	struct coordinator *coordinator;
	const struct mesh_host *hosts; /* once they have come */
	uint32_t count;
	struct plan plan;
	struct judge *judge;
	struct judge_findings findings;
	struct mesh_summary summary;
	struct session_outcome outcome;
	struct strings names; /* of --hosts */
	uint32_t host_count;
	char token[MESH_TOKEN_BYTES];
	bool token_file_made;
	uint64_t begin_msec, shown_msec;
	pid_t own_agent;	       /* of mesh step */
	uint64_t failed, untried;      /* those whose agents could not talk are among the latter */
	uint64_t one_way;	       /* good pairs without the figures of --both-ways */
	char *one_way_reason;	       /* of the first of them, or NULL */
	uint64_t unexplained;	       /* untried pairs with both hosts present */
	char *unexplained_reason;      /* the first such pair, and why */
	uint64_t apart;		       /* pairs whose agents could not talk */
	char *apart_reason;	       /* the first such pair, and why */
	struct mesh_contact *contacts; /* of each host, once they have come */
	FILE *rows;		       /* of --save and --resume */
	struct strings modes;	       /* of the stages, as in rows */
	struct columns row_columns;
	struct render_stream saved_rows, shown_rows; /* out: NULL if not used */
	int rows_rc, shown_rc;
	char *resumed; /* text of --resume, until the hosts are known */
	size_t resumed_length;
	struct mesh_result *earlier; /* the results in it */
	size_t earlier_count;
	struct mesh_done done;
	struct heat *heat;
	struct mesh_fabric *fabric; /* of --fabric, or NULL */
};

/* Returns false if options have values that make no sense; the listing says so. */
bool mesh_work_check_args(struct mesh_work *work);

/* Parses the options about tests and hosts. Returns false if the listing has failed. */
bool mesh_work_begin(struct mesh_work *work, const struct ctx *ctx, const struct mesh_args *args);
bool mesh_work_listen(struct mesh_work *work, uint16_t port);
/* Gathers, tests, concludes. */
void mesh_work_run(struct mesh_work *work);
/* Prints, ends what was started, and frees. Returns the exit status. */
int mesh_work_end(struct mesh_work *work);
void mesh_work_say(void *context, const char *line);

/* mesh_rows.c */
bool mesh_rows_open(struct mesh_work *work);
void mesh_rows_add(struct mesh_work *work, const struct mesh_result *result);
void mesh_rows_flush(void *mesh_work);
void mesh_rows_resume(struct mesh_work *work);
/*
 * How to resume, if the results are saved: they belong to these stages and this seed. To be freed.
 */
char *mesh_rows_hint(const struct mesh_work *work);
/* Counts a good result that should have the figures of --both-ways, but lacks them. */
void mesh_note_one_way(struct mesh_work *work, const struct mesh_result *result);
/* Adds a finding about those results. */
void mesh_find_one_way(struct mesh_work *work);
void mesh_note_untried(struct mesh_work *work, const struct mesh_result *result);
/* Adds a finding about untried pairs that no lost host explains. */
void mesh_find_untried(struct mesh_work *work);
void mesh_rows_close(struct mesh_work *work);
/* Reads the files of pairs, which name hosts that are known only now. */
bool mesh_read_pairs(struct mesh_work *work);

/* mesh_output.c */
/* Fails because of a signal or --timeout; `rest` continues the sentence. */
void mesh_fail_early(struct mesh_work *work, const char *rest, const char *hint);
/*
 * Says that a host has joined, with its rails; to be freed. A port that no host can use is no rail,
 * so that nothing else is said about it.
 */
char *mesh_join_text(const struct mesh_host *host);
void mesh_decide_status(struct mesh_work *work);
void mesh_add_to_map(struct mesh_work *work, const struct mesh_result *result);
/*
 * The object of a finding for people, to be freed: what many hosts have in common, such as that
 * they did not join, is shown once, and NULL returned for those after the first.
 */
char *mesh_shown_object(const struct judge_findings *findings, size_t number);
/* Writes standard output, and the file of the heat map. */
int mesh_output(struct mesh_work *work);
/* Adds findings where hosts differ that should be alike. */
void mesh_differences(const struct mesh_host *hosts, uint32_t count,
		      struct judge_findings *findings);
/* mesh_agent.c: runs the agent. Returns the exit status. */
int mesh_agent_main(const struct ctx *ctx, const struct mesh_args *args,
		    const struct strings *addresses, uint16_t port, const char *token,
		    const struct mesh_place *place);
