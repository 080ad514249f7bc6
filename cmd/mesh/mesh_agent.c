/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mesh --agent: what the launcher starts on each host. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mesh/mesh_run.h"
#include "doctor/frame/doctor.h"
#include "mesh/wire/mesh_message.h"

/* Reports findings about this host, from warnings on. */
static void run_doctor(mesh_found found, void *context)
{
	const struct objects everything = {.items = NULL};
	struct doctor_request request = {
		.objects = &everything,
		.profile = PROFILE_AUTO,
		.environment = environ,
	};
	_cleanup_(doctor_results_free) struct doctor_results results = {.items = NULL};
	_cleanup_(problems_free) struct problems problems = {.items = NULL};

	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		request.run[i] = true;
	if (!doctor_run(&request, &results, &problems))
		for (size_t i = 0; i < results.count; i++) {
			const struct finding *finding = &results.items[i].finding;

			if (finding->severity.value >= SEVERITY_WARNING &&
			    !results.items[i].ignored)
				found(context,
				      enum_word(doctor_check_names, finding->id.value, "?"),
				      finding);
		}
}

/* The launcher passes the line on to the user. */
static void say(const char *line)
{
	fprintf(stderr, "rdmactl mesh: %s\n", line);
}

int mesh_agent_main(const struct ctx *ctx, const struct mesh_args *args,
		    const struct strings *addresses, uint16_t port, const char *token,
		    const struct mesh_place *place)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, 0};
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct signals signals = SIGNALS_NONE;
	struct mesh_agent_setup setup = {
		.addresses = addresses,
		.port = port,
		.token = token,
		.runner = args->rehearse ? &mesh_runner_rehearsal : &mesh_runner_selftest,
		.file = args->rehearse,
		.name = args->name ?: place->name,
		.rank = place->rank,
		.connect_msec = args->wait.known ? (uint32_t)args->wait.value : 0,
		.say = say,
		.doctor = run_doctor,
	};
	int rc;

	/* A peer that closes its connection must not end the agent. */
	signal(SIGPIPE, SIG_IGN);
	signals_catch(&signals, numbers);
	setup.signals = signals.fd;
	rc = mesh_agent_run(&setup, &reason, &hint);
	signals_release(&signals);
	if (!rc)
		return STATUS_DONE;
	if (rc != -EINTR)
		command_complain(ctx, reason ?: strerror(-rc), hint);
	return STATUS_FAILED;
}

static int run(const struct ctx *ctx, const void *mesh_args, char **objects)
{
	const struct mesh_args *args = mesh_args;
	char token[MESH_TOKEN_BYTES] = "";
	_cleanup_(freep) char *reason = NULL;
	_cleanup_(strings_free) struct strings addresses = {.known = true};
	struct mesh_place place;
	uint16_t port;
	int rc, status;

	(void)objects;
	if (!args->agent)
		return command_usage(
			ctx, mem_string("no subcommand and no --agent"),
			mem_string("rdmactl mesh run -- LAUNCHER tests the hosts of a launcher"));
	if (!mesh_parse_target(args->agent, MESH_PORT, &addresses, &port))
		return command_usage(ctx, mem_string("--agent: not ADDRESS[,ADDRESS...]:PORT"),
				     NULL);
	rc = mesh_token_find(args->token_file, true, token, &reason);
	if (rc && rc != -ENOENT) {
		command_complain(ctx, reason, NULL);
		return STATUS_FAILED;
	}
	mesh_place_read(&place);
	status = mesh_agent_main(ctx, args, &addresses, port, rc ? NULL : token, &place);
	mesh_place_clear(&place);
	return status;
}

static const struct command *const children[] = {
	&mesh_run_command,
	&mesh_step_command,
	&mesh_plan_command,
	NULL,
};

const struct command mesh_command = {
	.name = "mesh",
	.group = GROUP_TEST,
	.summary = "find the bad host, rail, cable or pair among many hosts",
	.objects = "[COMMAND [ARGUMENT...]]",
	.options = {mesh_agent_options},
	.args_size = sizeof(struct mesh_args),
	.children = children,
	.child_word = "COMMAND",
	.rules = mesh_rules,
	.run = run,
};
