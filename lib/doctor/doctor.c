/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of the checks, and the code that runs them. */
#include "doctor/frame/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/check.h"
#include "doctor/expect/expect.h"
#include "doctor/frame/growth.h"
#include "doctor/roce/roce.h"
#include "host/need.h"

#define CHECK(name_, id_, title_, ...) \
	[CHECK_ID_##name_] = {         \
		.id = id_, .title = title_, .check = check_##name_, .group = GROUP, __VA_ARGS__},
static const struct doctor_check checks[] = {
#include "doctor/frame/checks.def"
};
#undef CHECK

#define CHECK(name_, id_, title_, ...) {CHECK_ID_##name_, id_, .help = title_},
const struct enum_name doctor_check_names[] = {
#include "doctor/frame/checks.def"
	{0, NULL},
};
#undef CHECK

const struct doctor_check *doctor_check(enum doctor_check_id id)
{
	return &checks[id];
}

/* Facts that decide whether a check applies, and to which PCI function. */
enum {
	NEED_TO_CHOOSE = NEED_NODE_TYPE | NEED_TRANSPORT | NEED_LINK_LAYER | NEED_DRIVER |
			 NEED_PCI_ADDRESS
};

bool doctor_is_in(const char *object, const char *whole)
{
	size_t length = strlen(whole);

	return !strncmp(object, whole, length) && (!object[length] || object[length] == '/');
}

/* Whether a verdict about the object `said` also covers the context's object. */
static bool covers(const struct doctor_context *run, const char *said, const char *object)
{
	return !said || (object && doctor_is_in(object, said)) ||
	       (run->function && !strcmp(run->function->address, said));
}

/*
 * Whether the earlier check left nothing to judge on this object. A check of the host is blocked by
 * checks of its parts only if they failed on all of them.
 */
static bool is_blocked_by(const struct doctor_context *run, uint64_t id, const char *object,
			  uint64_t *ret_cause)
{
	size_t failed = 0, total = 0;

	/* Most hosts are healthy, and may have thousands of virtual functions. */
	if (!run->results->blocking[id])
		return false;
	for (const struct doctor_result *result = doctor_first(run->results, id); result;
	     result = doctor_next(run->results, result)) {
		total++;
		if (!doctor_leaves_nothing(result))
			continue;
		failed++;
		*ret_cause = result->because.known ? result->because.value : id;
		if (covers(run, result->finding.object, object))
			return true;
	}
	return !object && total && failed == total;
}

static bool find_cause(const struct doctor_context *run, const char *object, uint64_t *ret_cause)
{
	char word[64];
	int length;

	for (const char *after = run->check->after;
	     after && sscanf(after, " %63s%n", word, &length) == 1; after += length) {
		const struct enum_name *name = enum_find_word(doctor_check_names, word);

		if (name && is_blocked_by(run, name->value, object, ret_cause))
			return true;
	}
	return false;
}

int doctor_earlier(const struct doctor_context *run, enum doctor_check_id id)
{
	_cleanup_(freep) char *object = doctor_scope_object(run);
	int worst = -1;

	for (const struct doctor_result *result = doctor_first(run->results, id); result;
	     result = doctor_next(run->results, result)) {
		const int severity = (int)result->finding.severity.value;

		if (severity > worst && covers(run, result->finding.object, object))
			worst = severity;
	}
	return worst;
}

static bool applies(struct doctor_context *run)
{
	const struct doctor_check *check = run->check;

	if (check->transports &&
	    !(run->device && check->transports & doctor_transports(run->device, run->port)))
		return false;
	return !check->applies || check->applies(run);
}

/* Runs the check on the context's object; returns whether it applies. */
static bool run_on_object(struct doctor_context *run)
{
	_cleanup_(freep) char *object = NULL;
	uint64_t cause = 0;

	if (!applies(run))
		return false;
	object = doctor_scope_object(run);
	run->verdicts = 0;
	if (find_cause(run, object, &cause))
		doctor_because(run, (enum doctor_check_id)cause);
	else
		run->check->check(run);
	return true;
}

void doctor_leave_object(struct doctor_context *run)
{
	run->device = NULL;
	run->port = NULL;
	run->function = NULL;
}

/* Calls `act` for each object of the check's scope; `act` returns whether the check applies. */
static bool for_each_object(struct doctor_context *run, bool (*act)(struct doctor_context *run))
{
	bool any = false;

	doctor_leave_object(run);
	if (run->check->scope == ON_HOST)
		return act(run);
	if (run->check->scope == ON_FUNCTION) {
		const struct pci_list *pci = doctor_pci(run->facts);

		for_each (function, pci) {
			run->function = function;
			if (doctor_is_selected(run->facts, run->function))
				any |= act(run);
		}
		return any;
	}
	for_each (device, &run->facts->inventory.devices) {
		run->device = device;
		run->function = doctor_function_of(run->facts, device);
		run->port = NULL;
		if (run->check->scope == ON_DEVICE)
			any |= act(run);
		for (size_t i = 0; run->check->scope == ON_PORT && i < device->port_count; i++) {
			run->port = &device->ports[i];
			any |= act(run);
		}
	}
	return any;
}

/* Returns the needs of the check that the request does not meet. */
static uint64_t missing_needs(const struct doctor_context *run)
{
	const struct doctor_request *request = run->facts->request;
	uint64_t missing = 0;

	/* A snapshot has the kernel's answers, but nothing can be sent from it. */
	if (!root_answers(&run->facts->root) || (request->root && run->check->needs & NEEDS_PEER))
		missing |= NEEDS_LIVE;
	/* What is recorded in a snapshot does not grow between readings. */
	if (request->interval_msec && run->facts->root.recorded &&
	    run->check->needs & NEEDS_INTERVAL)
		return NEEDS_LIVE;
	if (!request->interval_msec && !request->since)
		missing |= NEEDS_INTERVAL;
	if (!request->probe)
		missing |= NEEDS_PROBE;
	if (!request->peer)
		missing |= NEEDS_PEER;
	if (!request->expect)
		missing |= NEEDS_EXPECT;
	return run->check->needs & missing;
}

static void run_check(struct doctor_context *run)
{
	const uint64_t missing = missing_needs(run);
	const size_t before = run->results->count;

	/* Optional checks that were not requested do not count as missing. */
	if (missing & (NEEDS_PEER | NEEDS_EXPECT)) {
		strings_add(&run->results->not_applicable, run->check->id);
		return;
	}
	if (!missing) {
		for_each_object(run, run_on_object);
	} else if (for_each_object(run, applies)) {
		doctor_leave_object(run);
		doctor_not_checked(run, missing, "%s: needs %s", run->check->title,
				   enum_word(doctor_need_names, missing & -missing, "more"));
	}
	if (run->results->count == before)
		strings_add(&run->results->not_applicable, run->check->id);
}

static uint64_t hardware_transports(const struct device_list *devices)
{
	uint64_t transports = 0;

	for_each (device, devices)
		if (!device->software)
			transports |= doctor_transports(device, NULL);
	return transports;
}

enum doctor_profile doctor_choose_profile(struct doctor_facts *facts)
{
	const uint64_t transports = hardware_transports(&facts->inventory.devices);

	if (doctor_in_container(facts))
		return PROFILE_CONTAINER;
	if (doctor_has_accelerator(facts))
		return PROFILE_GPU;
	if (transports & ON_TRANSPORT(ROCE) && !(transports & ON_TRANSPORT(INFINIBAND)))
		return PROFILE_ROCE;
	return PROFILE_HPC;
}

static enum doctor_profile choose_profile(struct doctor_facts *facts)
{
	enum doctor_profile profile = facts->request->profile;

	/* Unknown is 0, like auto. */
	if (profile == PROFILE_AUTO && facts->expect)
		profile = (enum doctor_profile)facts->expect->file.profile.value;
	return profile == PROFILE_AUTO ? doctor_choose_profile(facts) : profile;
}

static uint64_t inventory_needs(const struct doctor_request *request)
{
	uint64_t needs = NEED_TO_CHOOSE;

	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		if (request->run[i] && (request->expect || !(checks[i].needs & NEEDS_EXPECT)))
			needs |= checks[i].inventory;
	return needs;
}

/*
 * A host without RDMA devices gets a verdict like any other, so that is not a problem; a device
 * that was asked for by name but does not exist is one.
 */
static int read_inventory(struct doctor_facts *facts)
{
	const struct doctor_request *request = facts->request;
	const struct inventory_request inventory_request = {
		.root = request->root,
		.needs = inventory_needs(request),
		.objects = request->objects,
		.closed = !request->probe,
	};
	struct problems found = {.items = NULL};

	facts->inventory_rc = inventory_load(&facts->inventory, &inventory_request, &found, NULL);
	if (facts->inventory_rc == -ENODEV && !request->objects->count)
		problems_free(&found);
	for_each (problem, &found)
		problem_add_text(facts->problems, problem->object, problem->attribute,
				 problem->source, problem->error, problem->hint);
	problems_free(&found);
	return facts->inventory_rc == -ENODEV && request->objects->count ? -ENODEV : 0;
}

int doctor_run(const struct doctor_request *request, struct doctor_results *ret_results,
	       struct problems *problems)
{
	struct doctor_facts facts = {
		.request = request,
		.inventory_rc = -ENODEV,
		.problems = problems,
	};
	struct doctor_context run = {.facts = &facts, .results = ret_results};
	int rc = doctor_root_open(&facts);

	*ret_results = (struct doctor_results){.not_applicable.known = true};
	if (rc)
		return rc;
	rc = read_inventory(&facts);
	ret_results->missing = rc;
	if (!rc)
		rc = doctor_expect_load(&facts);
	if (!rc)
		rc = doctor_growth_load(&facts);
	if (!rc) {
		run.profile = choose_profile(&facts);
		ret_results->profile = run.profile;
		ret_results->hardware = doctor_has_hardware(&facts) ||
					doctor_expect_hardware(facts.expect);
		for (run.id = 0; run.id < DOCTOR_CHECKS; run.id++) {
			run.check = &checks[run.id];
			if (request->run[run.id])
				run_check(&run);
		}
		doctor_expect_ignore(&run);
	}
	doctor_result_clear(&run.pending);
	doctor_facts_free(&facts);
	return rc;
}

int doctor_select(const char *list, bool value, bool run[static DOCTOR_CHECKS], char **ret_bad)
{
	_cleanup_(freep) char *words = mem_string(list);
	char *rest = words, *word;

	while ((word = strsep(&rest, ","))) {
		const struct enum_name *id = enum_find_word(doctor_check_names, word);
		const struct enum_name *group = enum_find_word(doctor_group_names, word);

		if (!id && !group) {
			*ret_bad = mem_string(word);
			return -EINVAL;
		}
		for (size_t i = 0; i < DOCTOR_CHECKS; i++)
			if (id ? i == id->value : checks[i].group == group->value)
				run[i] = value;
	}
	return 0;
}
