/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mesh run, step and plan. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/mesh/mesh_run.h"
#include "mesh/wire/mesh_message.h"

/*
 * The coordinator listens before the launcher starts: an agent that does not reach it for this long
 * has lost it.
 */
#define AGENT_WAIT "20s"

/* The path of this program, which other hosts hopefully share; to be freed. */
static char *own_program(void)
{
	char path[PATH_MAX];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length <= 0)
		return mem_string("rdmactl");
	path[length] = '\0';
	return mem_string(path);
}

/* Option and value are one word, so that the value may begin with `--`. NULL adds nothing. */
static void add_option(struct strings *command, const char *option, const char *value)
{
	_cleanup_(freep) char *word = value ? mem_format("--%s=%s", option, value) : NULL;

	if (word)
		strings_add(command, word);
}

/* A path that means the same wherever the agent runs, to be freed; NULL for NULL. */
static char *full_path(const char *path)
{
	return path ? realpath(path, NULL) ?: mem_string(path) : NULL;
}

static bool make_command(struct mesh_work *work, char **objects, struct strings *command)
{
	const struct mesh_args *args = work->args;
	_cleanup_(freep) char *program = args->program ? mem_string(args->program) : own_program();
	_cleanup_(freep) char *addresses = mesh_own_addresses(args->address);
	_cleanup_(freep) char *target = mem_format("%s:%u", addresses,
						   coordinator_port(work->coordinator));
	_cleanup_(freep) char *rehearsal = full_path(args->rehearse);
	_cleanup_(freep) char *token = full_path(args->token_file);
	size_t own;

	for (char **word = objects; *word; word++)
		strings_add(command, *word);
	own = command->count;
	strings_add(command, program);
	strings_add(command, "mesh");
	add_option(command, "agent", target);
	add_option(command, "wait", AGENT_WAIT);
	add_option(command, "rehearse", rehearsal);
	add_option(command, "token-file", token);
	/* Launchers join words to a line for a shell. */
	for (size_t i = own; i < command->count; i++)
		if (!text_is_plain(command->items[i]))
			return listing_fail(&work->listing, STATUS_USAGE,
					    "the command line of the agents must not contain "
					    "spaces or quotes",
					    "rename the file, or make a link to it");
	/* A name may have whatever the launcher replaces. */
	add_option(command, "name", args->name);
	return true;
}

static bool start_launcher(struct mesh_work *work, char **objects)
{
	_cleanup_(strings_free) struct strings command = {.known = true};
	_cleanup_(freep) char **words = NULL;
	int rc;

	if (!make_command(work, objects, &command))
		return false;
	words = mem_alloc_zero(command.count + 1, sizeof(*words));
	memcpy(words, command.items, command.count * sizeof(*words));
	rc = mesh_launch_start(&work->launch, words, work->token, work->signals.fd);
	if (rc == -EINTR)
		mesh_fail_early(work, " before the launcher ran", NULL);
	else if (rc)
		listing_fail_format(&work->listing, STATUS_FAILED, NULL,
				    "cannot start the launcher %s: %s", words[0], strerror(-rc));
	return !rc;
}

static bool make_token(struct mesh_work *work)
{
	_cleanup_(freep) char *reason = NULL;
	int rc;

	if (work->args->token_file)
		rc = mesh_token_file(work->args->token_file, work->token, &work->token_file_made,
				     &reason);
	else
		rc = mesh_token_make(work->token);
	if (rc)
		listing_fail(&work->listing, STATUS_FAILED, reason ?: strerror(-rc), NULL);
	return !rc;
}

static int run(const struct ctx *ctx, const void *mesh_args, char **objects)
{
	const struct mesh_args *args = mesh_args;
	struct mesh_work work;

	if (mesh_work_begin(&work, ctx, args) && make_token(&work) &&
	    mesh_work_listen(&work, args->port.known ? (uint16_t)args->port.value : 0) &&
	    start_launcher(&work, objects))
		mesh_work_run(&work);
	return mesh_work_end(&work);
}

/* Runs the agent of the coordinator's own host. */
static void run_own_agent(struct mesh_work *work, const struct ctx *ctx,
			  const struct mesh_place *place, pid_t parent)
{
	const uint16_t port = coordinator_port(work->coordinator);
	struct strings addresses = {.known = true};

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
	signals_release(&work->signals);
	/* The port must be free once the coordinator has ended, even if a test hangs here. */
	coordinator_free(work->coordinator);
	strings_add(&addresses, "127.0.0.1");
	strings_add(&addresses, "::1");
	if (work->args->address)
		strings_add(&addresses, work->args->address);
	_exit(mesh_agent_main(ctx, work->args, &addresses, port, work->token, place));
}

static bool start_own_agent(struct mesh_work *work, const struct ctx *ctx,
			    const struct mesh_place *place)
{
	const pid_t parent = getpid();
	pid_t pid;

	fflush(NULL); /* so that the agent does not write it again */
	pid = fork();
	if (!pid)
		run_own_agent(work, ctx, place, parent);
	if (pid < 0)
		listing_fail(&work->listing, STATUS_FAILED, "cannot start the agent of this host",
			     NULL);
	else
		work->own_agent = pid;
	return pid > 0;
}

static int coordinate(const struct ctx *ctx, const struct mesh_args *args, const char *token,
		      const struct mesh_place *place, uint16_t port)
{
	struct mesh_work work;
	const bool begun = mesh_work_begin(&work, ctx, args);

	memcpy(work.token, token, sizeof(work.token));
	if (begun && !work.host_count && !work.names.count && place->hosts.known)
		work.host_count = (uint32_t)place->hosts.value;
	if (begun && mesh_work_listen(&work, port) && start_own_agent(&work, ctx, place))
		mesh_work_run(&work);
	return mesh_work_end(&work);
}

static const char no_token[] = "all tasks need the same token";
static const char no_token_hint[] =
	"export RDMACTL_TOKEN=$(openssl rand -hex 16) before the launcher, or --token-file FILE";

static int step(const struct ctx *ctx, const void *mesh_args, char **objects)
{
	const struct mesh_args *args = mesh_args;
	_cleanup_(strings_free) struct strings addresses = {.known = true};
	_cleanup_(freep) char *reason = NULL;
	char token[MESH_TOKEN_BYTES] = "";
	struct mesh_place place;
	uint16_t port = args->port.known ? (uint16_t)args->port.value : MESH_PORT;
	int status, rc;

	(void)objects;
	mesh_place_read(&place);
	rc = mesh_token_find(args->token_file, false, token, &reason);
	if (!place.by) {
		status = command_usage(ctx,
				       mem_string("nothing in the environment says which task "
						  "this is"),
				       mem_string("start it with srun, mpirun or an indexed Job; "
						  "or use rdmactl mesh run -- LAUNCHER"));
	} else if (rc) {
		command_complain(ctx, reason ?: no_token, no_token_hint);
		status = STATUS_FAILED;
	} else if (args->coordinator &&
		   !mesh_parse_target(args->coordinator, port, &addresses, &port)) {
		status = command_usage(ctx, mem_string("--coordinator: not HOST[:PORT]"), NULL);
	} else if (!place.rank.value) {
		status = coordinate(ctx, args, token, &place, port);
	} else if (!args->coordinator && !args->address && !place.first_host) {
		status = command_usage(
			ctx, mem_string("the host of the coordinator, task 0, is not known"),
			mem_string("name it with --coordinator or --address; on Kubernetes, it is "
				   "JOB-0.SERVICE"));
	} else {
		if (!addresses.count)
			strings_add(&addresses, args->address ?: place.first_host);
		status = mesh_agent_main(ctx, args, &addresses, port, token, &place);
	}
	mesh_place_clear(&place);
	return status;
}

static const struct schema *const more_schemas[] = {&mesh_rows_schema, NULL};

const struct command mesh_run_command = {
	.name = "run",
	.summary = "test the hosts on which a launcher starts agents",
	.objects = "-- LAUNCHER [ARGUMENT...]",
	.least_objects = 1,
	.most_objects = -1,
	.options = {mesh_run_options, mesh_test_options, mesh_output_options},
	.args_size = sizeof(struct mesh_args),
	.schema = &judge_schema,
	.more_schemas = more_schemas,
	.passes_on = true,
	.run = run,
};

const struct command mesh_step_command = {
	.name = "step",
	.summary = "test the hosts of the job step that this task belongs to",
	.options = {mesh_step_options, mesh_test_options, mesh_output_options},
	.args_size = sizeof(struct mesh_args),
	.schema = &judge_schema,
	.more_schemas = more_schemas,
	.run = step,
};
