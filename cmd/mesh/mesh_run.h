/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of rdmactl mesh share. */
#pragma once

#include <sys/types.h>

#include "base/signals.h"
#include "cmd/listing.h"
#include "cmd/progress.h"
#include "mesh/agent/agent.h"
#include "mesh/coordinator/session.h"
#include "mesh/form/heat.h"
#include "mesh/form/rows.h"
#include "mesh/summary.h"

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

/* What is measured, and how long, as the options say; false: a pair may not take so long. */
bool mesh_work_tests(const struct mesh_args *args, struct session_setup *setup);

#define MESH_TOKEN_BYTES 64 /* with the NUL */

/* mesh_place.c: what the environment says of this process's place. */

struct ifaddrs;

struct mesh_place {
	struct number rank;
	struct number hosts; /* how many take part */
	char *first_host;    /* of rank 0; or NULL */
	const char *by;	     /* the variable that the rank is of */
	const char *name;    /* of this host; or NULL */
};

void mesh_place_read(struct mesh_place *place);
void mesh_place_clear(struct mesh_place *place);
/*
 * The system's addresses that other hosts may reach, with commas between, or only that one, which
 * may be a name; a port may follow. To be freed.
 */
char *mesh_own_addresses(const char *only);
/* The same of a list of interfaces, at most 32 of them. */
char *mesh_list_addresses(const struct ifaddrs *list);
/* Splits ADDRESS[,ADDRESS...][:PORT]; false: it is none. */
bool mesh_parse_target(const char *text, uint16_t default_port, struct strings *ret_addresses,
		       uint16_t *ret_port);

/* mesh_token.c */

/* A new one, of random bytes. 0 or -errno. */
int mesh_token_make(char token[static MESH_TOKEN_BYTES]);
/* Reads it from RDMACTL_TOKEN, else the file, else standard input. 0; -ENOENT: there is none;
 * -errno with a reason to be freed. */
int mesh_token_find(const char *path, bool from_input, char token[static MESH_TOKEN_BYTES],
		    char **ret_reason);
/* Takes the token of the file, or makes the file; *ret_made says which. 0 or -errno. */
int mesh_token_file(const char *path, char token[static MESH_TOKEN_BYTES], bool *ret_made,
		    char **ret_reason);

/* mesh_launch.c: the launcher, in a process group of its own. */

#define MESH_LAUNCH_LINES 8u

struct mesh_launch {
	pid_t pid;  /* 0: none */
	int output; /* what it and the agents print; -1: closed */
	bool ended;
	int status;	/* of waitpid(), once it has ended */
	char line[512]; /* that has not ended yet */
	size_t length;
	struct strings lines; /* the last ones, clean */
};

/* 0 or -errno: it cannot be started. -EINTR: `signals` (a signalfd, or -1) has one. */
int mesh_launch_start(struct mesh_launch *launch, char *const *command, const char *token,
		      int signals);
/* Reads what it printed, and calls `say` for each line. False: there is no more now. */
bool mesh_launch_read(struct mesh_launch *launch, void (*say)(void *context, const char *line),
		      void *context);
/* Whether it has ended, without taking its status. */
bool mesh_launch_has_ended(struct mesh_launch *launch);
/* "exited with status 1", "was killed by signal 9"; to be freed. */
char *mesh_launch_end_text(const struct mesh_launch *launch);
/*
 * Waits so long for its end, then ends all of its process group. False: it was killed, but does not
 * end; nobody waits for it any more.
 */
bool mesh_launch_stop(struct mesh_launch *launch, unsigned int msec);

/* Ends the agent of mesh step, which was told goodbye or has lost its coordinator; the same. */
bool mesh_end_own_agent(pid_t pid);

/* mesh_fabric.c: --fabric */

struct mesh_fabric;

/* Reads a saved scan, or a text of ibnetdiscover. NULL: *ret_message says why, to be freed. */
struct mesh_fabric *mesh_fabric_open(const char *path, char **ret_message);
/* Finds the hosts' rails in it, once; returns how many are cabled to its switches. */
size_t mesh_fabric_place(struct mesh_fabric *mesh, const struct mesh_host *hosts, uint32_t count);
/* What the judge wants to know; NULL if no rail was found, or without a scan. */
const struct judge_fabric *mesh_fabric_facts(const struct mesh_fabric *mesh);
/* The hosts, those at the same switch side by side; to be freed. NULL: not known. */
uint32_t *mesh_fabric_order(const struct mesh_fabric *mesh, uint32_t count);
void mesh_fabric_free(struct mesh_fabric *mesh);

struct mesh_work {
	struct listing listing;
	const struct mesh_args *args;
	struct signals signals;
	struct progress progress;
	struct mesh_launch launch;
	struct coordinator *coordinator;
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
	pid_t own_agent; /* of mesh step */
	uint64_t failed, untried;
	uint64_t one_way;	  /* good pairs without the figures of --both-ways */
	char *one_way_reason;	  /* of the first of them, or NULL */
	uint64_t unexplained;	  /* untried pairs whose hosts are both there */
	char *unexplained_reason; /* the first of them, and why */
	FILE *rows;		  /* of --save and --resume */
	struct strings modes;	  /* of the stages, as rows name them */
	struct columns row_columns;
	struct render_stream saved_rows, shown_rows; /* out: NULL, if there are none */
	int rows_rc, shown_rc;
	char *resumed; /* the text of --resume, until the hosts are known */
	size_t resumed_length;
	struct mesh_result *earlier; /* results of it */
	size_t earlier_count;
	struct mesh_done done;
	struct heat *heat;
	struct mesh_fabric *fabric; /* of --fabric, or NULL */
};

/* False: the values of some options make no sense, which the listing says. */
bool mesh_work_check_args(struct mesh_work *work);

/* Parses what the options of tests and hosts say; false: the listing has failed. */
bool mesh_work_begin(struct mesh_work *work, const struct ctx *ctx, const struct mesh_args *args);
/* Opens the coordinator. */
bool mesh_work_listen(struct mesh_work *work, uint16_t port);
/* Gathers, tests, concludes. */
void mesh_work_run(struct mesh_work *work);
/* Prints, ends what was started, and frees; the exit status. */
int mesh_work_end(struct mesh_work *work);
void mesh_work_say(void *context, const char *line);

/* mesh_rows.c */
bool mesh_rows_open(struct mesh_work *work);
void mesh_rows_add(struct mesh_work *work, const struct mesh_result *result);
void mesh_rows_flush(struct mesh_work *work);
/* Takes the results of an earlier run. */
void mesh_rows_resume(struct mesh_work *work, const struct mesh_host *hosts, uint32_t count);
/* How to go on, if the results are kept: they are those of stages and a seed. To be freed. */
char *mesh_rows_hint(const struct mesh_work *work);
/* Counts a good result that should have the figures of --both-ways, and has none. */
void mesh_note_one_way(struct mesh_work *work, const struct mesh_result *result);
/* Makes a finding of them. */
void mesh_find_one_way(struct mesh_work *work);
/* Counts an untried pair. */
void mesh_note_untried(struct mesh_work *work, const struct mesh_result *result);
/* Adds the finding on untried pairs that no lost host explains. */
void mesh_find_untried(struct mesh_work *work);
void mesh_rows_close(struct mesh_work *work);
/* Files of pairs name hosts, which are known only now. */
bool mesh_read_pairs(struct mesh_work *work, const struct mesh_host *hosts, uint32_t count);

/* mesh_output.c */
/* A signal, or --timeout, has ended it; `rest` goes on with the sentence. */
void mesh_fail_early(struct mesh_work *work, const char *rest, const char *hint);
/* By the findings. */
void mesh_decide_status(struct mesh_work *work);
/* Takes a result for the maps. */
void mesh_add_to_map(struct mesh_work *work, const struct mesh_result *result);
/* What standard output gets, and the file of the heat map. */
int mesh_output(struct mesh_work *work);
/* Where hosts differ that should be alike. */
void mesh_differences(const struct mesh_host *hosts, uint32_t count,
		      struct judge_findings *findings);
/* mesh_agent.c: the exit status. */
int mesh_agent_main(const struct ctx *ctx, const struct mesh_args *args,
		    const struct strings *addresses, uint16_t port, const char *token,
		    const struct mesh_place *place);
