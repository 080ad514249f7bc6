/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The coordinator's work, from its options to its findings. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/hostlist.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mesh/mesh_run.h"

/* Grace after the launcher's end, for agents that are still connecting. */
#define LAUNCHER_GRACE_MSEC 2000u
/* Time for agents to say goodbye, and for a launcher to notice that. */
#define DISMISS_MSEC	   2000u
#define LAUNCHER_MSEC	   5000u
#define LAUNCHER_LOST_MSEC 500u
#define MESH_PROGRESS_MSEC 300u

static bool parse_hosts(struct mesh_work *work)
{
	const char *text = work->args->hosts;
	_cleanup_(freep) char *message = NULL;
	uint64_t number;

	if (!text)
		return true;
	if (!text_parse_u64(text, 10, MESH_MOST_HOSTS, &number) && number) {
		work->host_count = (uint32_t)number;
		return true;
	}
	if (*text && !text[strspn(text, "0123456789")])
		message = mem_format("--hosts: not from 1 to %u hosts", MESH_MOST_HOSTS);
	else if (!hostlist_parse(text, MESH_MOST_HOSTS, &work->names.items, &work->names.count,
				 &message))
		return true;
	return listing_fail(&work->listing, STATUS_USAGE, message,
			    "--hosts 64 or --hosts n[01-64]");
}

static bool open_fabric(struct mesh_work *work)
{
	_cleanup_(freep) char *message = NULL;

	if (!work->args->fabric)
		return true;
	work->fabric = mesh_fabric_open(work->args->fabric, &message);
	if (!work->fabric)
		listing_fail(&work->listing, STATUS_FAILED, message,
			     "rdmactl fabric scan --routes --save FILE writes one");
	return work->fabric;
}

/* A scan of another subnet, or from before the hosts were renamed, is useless. */
static void place_hosts(struct mesh_work *work)
{
	if (work->fabric && !mesh_fabric_place(work->fabric, work->hosts, work->count))
		problem_add_text(&work->listing.problems, NULL, NULL, "--fabric",
				 "no rail of these hosts is at a switch of that scan: nothing is "
				 "known about switches",
				 "is it a scan of this subnet, and from today?");
}

static bool parse_plan(struct mesh_work *work)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	if (!plan_parse(work->args->stages ?: PLAN_DEFAULT, &work->plan, &message, &hint))
		return true;
	return listing_fail(&work->listing, STATUS_USAGE, message, hint);
}

bool mesh_work_begin(struct mesh_work *work, const struct ctx *ctx, const struct mesh_args *args)
{
	/* SIGALRM comes from --timeout. */
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, 0};
	uint32_t seed = 1;
	bool good;

	*work = (struct mesh_work){
		.args = args,
		.signals = SIGNALS_NONE,
		.launch.output = -1,
		.names.known = true,
		.begin_msec = clock_msec(),
	};
	good = listing_begin_as(&work->listing, ctx,
				ctx->globals.jsonl ? &mesh_rows_schema : &judge_schema, false);
	progress_begin(&work->progress, ctx);
	if (!good || listing_refuses_root(&work->listing, "a saved tree has no other hosts") ||
	    !parse_hosts(work) || !parse_plan(work) || !mesh_work_check_args(work) ||
	    !open_fabric(work) || !mesh_rows_open(work))
		return false;
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != (ssize_t)sizeof(seed))
		seed = (uint32_t)clock_nsec();
	work->summary.seed = args->seed.known ? args->seed : number_of(seed);
	work->summary.plan = mem_string(args->stages ?: PLAN_DEFAULT);
	signal(SIGPIPE, SIG_IGN);
	signals_catch(&work->signals, numbers);
	return true;
}

/* Prints a line for the user: from the launcher, or about strangers and hosts that come and go. */
void mesh_work_say(void *context, const char *line)
{
	struct mesh_work *work = context;

	progress_erase(&work->progress);
	if (!work->listing.ctx->globals.quiet)
		fprintf(stderr, "rdmactl mesh: %s\n", line);
}

static void say_launcher(void *context, const char *line)
{
	_cleanup_(freep) char *text = mem_format("launcher: %s", line);

	mesh_work_say(context, text);
}

static void read_launcher(void *context, int fd)
{
	struct mesh_work *work = context;

	mesh_launch_read(&work->launch, say_launcher, work);
	if (work->launch.output < 0)
		coordinator_watch(work->coordinator, fd, NULL, NULL);
}

static void note_change(void *context, const struct mesh_host *host)
{
	struct mesh_work *work = context;
	_cleanup_(freep) char *line = NULL;

	if (host->presence == MESH_LOST)
		line = mem_format("%s is lost: %s", host->name, host->reason);
	else if (host->presence == MESH_REFUSED)
		line = mem_format("%s cannot take part: %s", host->name, host->reason);
	else if (work->listing.ctx->globals.verbose)
		line = mesh_join_text(host);
	if (line)
		mesh_work_say(work, line);
}

/* Adds a finding of the doctor on a host; the evidence names the check. */
static void note_finding(void *context, const struct mesh_host *host, const char *check,
			 const struct finding *finding)
{
	struct mesh_work *work = context;
	struct judge_finding *added = finding_add(
		&work->findings, JUDGE_DOCTOR,
		finding->object ? mem_format("%s: %s", host->name, finding->object)
				: mem_string(host->name),
		mem_format("%s: %s%s%s", check, finding->summary ?: "",
			   finding->evidence ? ": " : "", finding->evidence ?: ""));

	added->finding.severity = finding->severity;
	added->host_name = mem_string(host->name);
	if (finding->next_step)
		finding_set_next_step(added, finding->next_step);
}

static size_t count_presence(const struct mesh_work *work, enum mesh_presence presence)
{
	size_t found = 0;
	uint32_t count;
	const struct mesh_host *hosts = coordinator_hosts(work->coordinator, &count);

	for (uint32_t i = 0; i < count; i++)
		found += hosts[i].presence == presence;
	return found;
}

static char *progress_text(const struct mesh_work *work)
{
	struct judge_progress progress;
	char *text;

	if (!work->judge)
		return mem_format("waiting for hosts: %zu joined",
				  count_presence(work, MESH_PRESENT));
	judge_progress(work->judge, &progress);
	text = mem_format("%" PRIu64 " of %" PRIu64 " pairs, %" PRIu64 " bad", progress.results,
			  work->outcome.pairs_planned, progress.bad);
	if (progress.worst_share.known)
		mem_extend(&text, ", worst %.0f %% of the median",
			   progress.worst_share.value * 100);
	if (work->outcome.end_msec > clock_msec())
		mem_extend(&text, ", %" PRIu64 " s left in this stage",
			   (work->outcome.end_msec - clock_msec()) / 1000 + 1);
	return text;
}

static void tick(void *context)
{
	struct mesh_work *work = context;
	const uint64_t now = clock_msec();

	if (work->launch.pid && !work->launch.ended && mesh_launch_has_ended(&work->launch)) {
		coordinator_launcher_ended(work->coordinator, LAUNCHER_GRACE_MSEC);
		if (WIFSIGNALED(work->launch.status) || WEXITSTATUS(work->launch.status)) {
			_cleanup_(freep) char *end = mesh_launch_end_text(&work->launch);
			_cleanup_(freep) char *line = mem_format("the launcher %s", end);

			mesh_work_say(work, line);
		}
	}
	if (work->progress.shown && now >= work->shown_msec + MESH_PROGRESS_MSEC) {
		_cleanup_(freep) char *text = progress_text(work);

		work->shown_msec = now;
		progress_show(&work->progress, text);
	}
}

bool mesh_work_listen(struct mesh_work *work, uint16_t port)
{
	const struct mesh_args *args = work->args;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	struct session_setup tests = {.tests = 0};
	struct coordinator_setup setup = {
		.token = work->token,
		.port = port,
		.names = work->names.count ? &work->names : NULL,
		.host_count = work->host_count,
		.wait_msec = args->wait.known ? (uint32_t)args->wait.value : 0,
		.silence_msec = args->silence.known ? (uint32_t)args->silence.value : 0,
		.doctor = args->doctor,
		.busy = args->busy,
		.signals = work->signals.fd,
		.say = mesh_work_say,
		.changed = note_change,
		.found = note_finding,
		.tick = tick,
		.context = work,
	};

	mesh_work_tests(args, &tests);
	setup.timeout_msec = tests.timeout_msec;
	/* A name is meant for the agents only. */
	if (args->address && ip_parse(args->address, &setup.bind))
		setup.bind = (struct ip_address){.family = 0};
	if (!coordinator_open(&setup, &work->coordinator, &reason, &hint))
		return true;
	return listing_fail(&work->listing, STATUS_FAILED, reason, hint);
}

static void count_result(struct mesh_work *work, const struct mesh_result *result)
{
	const struct mesh_pair *pair = &result->pair;

	work->failed += result->outcome == MESH_FAIL;
	if (pair->a != pair->b && mesh_was_tested(result->outcome))
		work->contacts[pair->a].tested = work->contacts[pair->b].tested = true;
	mesh_note_one_way(work, result);
	mesh_add_to_map(work, result);
}

static void take_result(void *context, const struct mesh_result *result)
{
	count_result(context, result);
	mesh_note_untried(context, result);
	mesh_rows_add(context, result);
}

/* Adds results of an earlier run to those of the same stage. */
static void begin_stage(void *context, uint32_t stage)
{
	struct mesh_work *work = context;

	for (size_t i = 0; i < work->earlier_count; i++)
		if (work->earlier[i].stage == stage &&
		    mesh_done_has(&work->done, stage, &work->earlier[i].pair)) {
			judge_take(work->judge, &work->earlier[i]);
			count_result(work, &work->earlier[i]);
		}
}

static void run_session(struct mesh_work *work)
{
	const struct mesh_args *args = work->args;
	struct session_setup setup = {
		.coordinator = work->coordinator,
		.plan = &work->plan,
		.judge = work->judge,
		.fabric = mesh_fabric_facts(work->fabric),
		.seed = work->summary.seed.value,
		.one_rail = args->one_rail,
		.budget_msec = args->budget.known ? args->budget.value : 0,
		.most_pairs = args->most_pairs.known ? (uint32_t)args->most_pairs.value : 0,
		.done = work->earlier_count ? &work->done : NULL,
		.begin = begin_stage,
		.result = take_result,
		.end_round = mesh_rows_flush,
		.context = work,
	};

	mesh_work_tests(args, &setup);
	session_run(&setup, &work->outcome);
	for (size_t i = 0; i < work->outcome.stages_failed.count; i++)
		problem_add_text(&work->listing.problems, NULL, NULL, NULL,
				 work->outcome.stages_failed.items[i], NULL);
}

static void fill_summary(struct mesh_work *work)
{
	struct mesh_summary *summary = &work->summary;
	const size_t present = count_presence(work, MESH_PRESENT);
	/* The same host may be named with and without its domain. */
	const uint32_t wanted = work->names.count ? work->count : work->host_count;
	uint64_t rails = 0, left_out = 0;
	bool rehearsed = false;

	for (uint32_t i = 0; i < work->count; i++) {
		const struct mesh_host *host = &work->hosts[i];

		if (host->presence != MESH_PRESENT)
			continue;
		rails += mesh_host_count_rails(host, host->rail_count);
		rehearsed |= host->rehearsed;
		for (size_t j = 0; j < host->gap_count; j++)
			left_out += !host->gaps[j].rail.known;
	}
	summary->hosts_wanted = number_unless_zero(wanted);
	summary->hosts_present = number_of(present);
	summary->hosts_missing = number_of((wanted > work->count ? wanted : work->count) - present);
	summary->rails = number_of(rails);
	summary->ports_left_out = number_of(left_out);
	summary->pairs = number_of(work->outcome.pairs);
	summary->rounds = number_of(work->outcome.rounds);
	summary->pairs_failed = number_of(work->failed);
	summary->pairs_untried = number_of(work->untried);
	summary->pairs_left_out = number_of(work->outcome.left_out);
	summary->pairs_resumed = number_of(work->outcome.resumed);
	if (work->args->both_ways)
		summary->pairs_one_way = number_of(work->one_way);
	summary->median_gbps = judge_median(work->judge, JUDGE_ALL_RAILS, JUDGE_BANDWIDTH);
	summary->median_both_gbps = judge_median(work->judge, JUDGE_ALL_RAILS, JUDGE_BOTH_SUM);
	summary->median_latency_usec = judge_median(work->judge, JUDGE_ALL_RAILS, JUDGE_LATENCY);
	summary->seconds = real_of((double)(clock_msec() - work->begin_msec) / 1000);
	summary->rehearsed = rehearsed ? TRISTATE_YES : TRISTATE_NO;
	summary->interrupted = work->outcome.interrupted ? TRISTATE_YES : TRISTATE_NO;
}

/* Whether it has ended. Also reads all of its output, some of which is newer than the last tick. */
static bool launcher_has_ended(struct mesh_work *work)
{
	const bool ended = mesh_launch_has_ended(&work->launch);

	while (ended && mesh_launch_read(&work->launch, say_launcher, work))
		;
	return ended;
}

/* Explains, as far as possible, why no host came at all. */
static void explain_nobody(struct mesh_work *work)
{
	const struct coordinator_cost cost = coordinator_cost(work->coordinator);
	_cleanup_(freep) char *message = NULL, *end = NULL;
	const char *hint = "let the hosts reach this TCP port, or name another address with "
			   "--address";

	if (cost.tokenless)
		hint = "the agents connected without the token: give them a file with --token-file";
	else if (launcher_has_ended(work))
		end = mesh_launch_end_text(&work->launch);
	message = mem_format("no host joined%s%s", end ? ": the launcher " : "", end ?: "");
	if (end && work->launch.last)
		mem_extend(&message, ": %s", work->launch.last);
	if (end)
		hint = "try the launcher alone: it must start a program on each host";
	listing_fail(&work->listing, STATUS_FAILED, message, hint);
}

/* Adds a finding about missing hosts, if only their number was given. */
static void note_missing(struct mesh_work *work)
{
	if (!work->names.count && work->host_count > work->count)
		finding_add(&work->findings, JUDGE_ABSENT,
			    mem_format("%u of %u hosts", work->host_count - work->count,
				       work->host_count),
			    mem_format("%u joined", work->count));
}

void mesh_work_run(struct mesh_work *work)
{
	struct judge_limits limits = judge_default_limits;
	_cleanup_(freep) uint32_t *order = NULL;
	int rc;

	if (work->args->least_share.known)
		limits.bandwidth_share = work->args->least_share.value;
	if (work->args->latency_factor.known)
		limits.latency_factor = work->args->latency_factor.value;
	if (work->launch.pid)
		coordinator_watch(work->coordinator, work->launch.output, read_launcher, work);
	rc = coordinator_gather(work->coordinator);
	work->hosts = coordinator_hosts(work->coordinator, &work->count);
	if (rc == -EINTR) {
		mesh_fail_early(work, " while waiting for hosts", NULL);
		return;
	}
	if (count_presence(work, MESH_ABSENT) == work->count) {
		explain_nobody(work);
		return;
	}
	if (!mesh_read_pairs(work))
		return;
	place_hosts(work);
	work->judge = judge_new(work->hosts, work->count, &limits, mesh_fabric_facts(work->fabric));
	work->contacts = mem_alloc_zero(work->count, sizeof(*work->contacts));
	order = mesh_fabric_order(work->fabric, work->count);
	work->heat = heat_new(work->hosts, work->count, order);
	mesh_rows_resume(work);
	run_session(work);
	judge_conclude(work->judge, &work->findings);
	note_missing(work);
	mesh_find_one_way(work);
	mesh_find_untried(work);
	mesh_differences(work->hosts, work->count, &work->findings);
	fill_summary(work);
	mesh_decide_status(work);
	work->listing.head = &work->summary;
	for (size_t i = 0; i < work->findings.count && !work->listing.ctx->globals.jsonl; i++)
		listing_add(&work->listing, &work->findings.items[i]);
}

/*
 * How long to wait for the launcher: not at all after an early end, briefly if it may be waiting
 * for a lost agent.
 */
static unsigned int launcher_patience(const struct mesh_work *work)
{
	if (!work->judge || work->outcome.interrupted)
		return 0;
	return count_presence(work, MESH_LOST) ? LAUNCHER_LOST_MSEC : LAUNCHER_MSEC;
}

static void say_hanging(struct mesh_work *work, const char *what, pid_t pid)
{
	_cleanup_(freep) char *line = mem_format(
		"process %d, %s, does not end, although it was killed: it hangs in the kernel",
		(int)pid, what);

	mesh_work_say(work, line);
}

int mesh_work_end(struct mesh_work *work)
{
	const pid_t launcher = work->launch.pid;
	int status;

	progress_erase(&work->progress);
	if (work->coordinator)
		coordinator_dismiss(work->coordinator, DISMISS_MSEC);
	if (!mesh_launch_stop(&work->launch, launcher_patience(work)))
		say_hanging(work, "the launcher", launcher);
	if (work->token_file_made)
		unlink(work->args->token_file);
	if (!mesh_end_own_agent(work->own_agent))
		say_hanging(work, "the agent of this host", work->own_agent);
	mesh_rows_close(work);
	status = mesh_output(work);
	heat_free(work->heat);
	mesh_fabric_free(work->fabric);
	coordinator_free(work->coordinator);
	judge_free(work->judge);
	judge_findings_clear(&work->findings);
	free(work->summary.plan);
	strings_free(&work->outcome.stages_failed);
	plan_clear(&work->plan);
	strings_free(&work->names);
	explicit_bzero(work->token, sizeof(work->token));
	while (signals_take(&work->signals))
		;
	signals_release(&work->signals);
	return status;
}
