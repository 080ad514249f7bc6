/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of GUIDs, LIDs, subnet managers, and nodes that did not answer. */
#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "fabric/check/check.h"
#include "mad/format/header.h"

/* Reports every node that shares its GUID with an earlier one. */
void check_duplicate_guid(struct check_run *run)
{
	const struct fabric_node *node = &run->fabric->nodes[run->node];
	const uint32_t first = fabric_find(run->fabric, node->guid);
	_cleanup_(freep) char *name = NULL, *parent = NULL;
	char guid[GUID_TEXT_SIZE];

	if (!node->ambiguous || run->node == first)
		return;
	name = fabric_node_name(run->input->view, first);
	/* Only a file has nodes without a parent here: the first node of a scan is no duplicate. */
	if (node->parent != FABRIC_NONE)
		parent = fabric_port_name(run->input->view, node->parent);
	guid_format(node->guid, guid);
	check_report(run, node->first_port, "%s has GUID %s, too; %s%s", name, guid,
		     parent ? "this node is attached to "
			    : "where this node is attached is unknown",
		     parent ? parent : "")
		->of_node = true;
}

/* The LIDs of a port: 2^LMC of them, from the base LID on. */
struct lids {
	uint32_t first, last;
	uint32_t port;
};

DEFINE_ORDER(compare_lids, struct lids, COMPARE(a->first, b->first), COMPARE(a->port, b->port))

static void report_lids(struct check_run *run, const struct lids *owner, const struct lids *again)
{
	_cleanup_(freep) char *name = fabric_port_name(run->input->view, owner->port);

	if (owner->first == owner->last && again->first == again->last)
		check_report(run, again->port, "%s has LID %u, too", name, again->first);
	else
		check_report(run, again->port, "LIDs %u to %u overlap LIDs %u to %u of %s",
			     again->first, again->last, owner->first, owner->last, name);
}

void check_duplicate_lid(struct check_run *run)
{
	_cleanup_(freep) struct lids *items = NULL;
	struct lids owner = {0};
	size_t count = 0;

	for (uint32_t i = 0; i < run->fabric->port_count; i++) {
		const struct fabric_port *port = &run->fabric->ports[i];

		if (fabric_is_end_port(run->fabric, i) && fabric_port_lid(port))
			MEM_ADD(items, count) = (struct lids){
				.first = fabric_port_lid(port),
				.last = fabric_port_lid(port) + fabric_lid_count(port) - 1,
				.port = i,
			};
	}
	MEM_SORT(items, count, compare_lids);
	for (size_t i = 0; i < count; i++) {
		if (i && items[i].first <= owner.last &&
		    !fabric_are_planes(run->fabric, items[i - 1].port, items[i].port))
			report_lids(run, &owner, &items[i]);
		/* The range that reaches furthest is the one that the next may overlap. */
		if (items[i].last > owner.last)
			owner = items[i];
	}
}

static void report_failures(struct check_run *run, const struct fabric_failure *failures,
			    size_t count, bool with_route)
{
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *object = NULL, *message = NULL;
		struct value route = {.kind = VALUE_NONE};
		uint8_t path[MAD_HOPS_MOST + 2];

		/* Not a node that failed to answer: the saved scan lacks the data. */
		if (failures[i].error == -ENODATA)
			continue;
		fabric_failure_text(run->input->view, &failures[i], &object, &message);
		if (with_route)
			view_set_path(&route, path,
				      fabric_failure_path(run->fabric, &failures[i], path));
		check_report(run, failures[i].port, "%s%s%s", message,
			     route.kind == VALUE_STRING ? "; route " : "",
			     route.kind == VALUE_STRING ? route.string : "");
	}
}

void check_unanswered(struct check_run *run)
{
	const struct forwarding *forwarding = run->input->forwarding;

	report_failures(run, run->fabric->failures, run->fabric->failure_count, true);
	if (forwarding)
		report_failures(run, forwarding->failures, forwarding->failure_count, false);
}

static bool answers(const struct fabric_manager *manager)
{
	return !manager->error && !manager->status;
}

static bool is_master(const struct fabric_manager *manager)
{
	return answers(manager) && manager->state == SM_MASTER;
}

static size_t count_masters(const struct fabric_managers *managers)
{
	size_t count = 0;

	for (size_t i = 0; managers && i < managers->count; i++)
		count += is_master(&managers->items[i]);
	return count;
}

static char *describe_manager(const struct fabric_manager *manager)
{
	_cleanup_(freep) char *why = NULL;

	if (answers(manager))
		return mem_format("the subnet manager at LID %u is in state %s", manager->lid,
				  enum_word(sm_state_names, manager->state, "?"));
	why = mad_failure_text(UMAD_CLASS_SUBN_LID_ROUTED, manager->error, manager->status,
			       manager->tries);
	return mem_format("SMInfo (LID %u): %s", manager->lid, why);
}

/* Any LID of the manager's port counts. */
static bool has_manager_lid(const struct fabric *fabric, const struct fabric_manager *manager,
			    uint16_t lid)
{
	return manager->port != FABRIC_NONE ? fabric_has_lid(&fabric->ports[manager->port], lid)
					    : manager->lid == lid;
}

void check_find_manager(struct check_run *run)
{
	const struct fabric_managers *managers = run->input->managers;
	const uint16_t lid = fabric_manager_lid(run->fabric);

	run->manager_lid = lid;
	if (!lid || count_masters(managers) != 1)
		return;
	for_each (manager, managers) {
		if (!is_master(manager) || !manager->lid ||
		    has_manager_lid(run->fabric, manager, lid))
			continue;
		run->manager_lid = manager->lid;
		run->misled = true;
	}
}

/* Whether every end port is down: the scan stayed at its first node, out of a manager's reach. */
static bool is_all_down(const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric_is_end_port(fabric, i) &&
		    fabric_port_state(&fabric->ports[i]) != PORT_STATE_DOWN)
			return false;
	return true;
}

/* `next_step` is NULL for that of the check. */
static void report_no_sm(struct check_run *run, uint32_t port, const char *evidence,
			 const char *next_step)
{
	struct fabric_finding *found = check_report(run, port, "%s", evidence);

	if (is_all_down(run->fabric))
		next_step = "fix the link of the port first: rdmactl doctor on that host shows why "
			    "it is down";
	if (next_step)
		check_change(found, SEVERITY_ERROR, next_step);
}

/*
 * Until a subnet manager has run, no port knows one and none has a LID. A scan saved by another
 * tool has LIDs, but does not say who assigned them.
 */
static void report_never_managed(struct check_run *run)
{
	_cleanup_(freep) char *evidence = NULL;
	uint32_t ports = 0;

	/* Net files have no LIDs, even if the subnet does. */
	if (fabric_is_made(run->fabric))
		return;
	for (uint32_t i = 0; i < run->fabric->port_count; i++) {
		if (!fabric_is_end_port(run->fabric, i))
			continue;
		if (fabric_port_lid(&run->fabric->ports[i]))
			return;
		ports++;
	}
	if (!ports)
		return;
	evidence = ports == 1 ? mem_string("the only port has no LID, and knows no subnet manager")
			      : mem_format("none of %u ports has a LID or knows a subnet manager",
					   ports);
	report_no_sm(run, FABRIC_NONE, evidence, NULL);
}

/*
 * Whether the port of a manager that does not answer still says that it has one: the kernel clears
 * IsSM when the manager's process ends (ib_umad_sm_close() of drivers/infiniband/core/user_mad.c).
 */
static bool is_there(const struct fabric *fabric, const struct fabric_manager *manager)
{
	return manager->error == -ETIMEDOUT && manager->port != FABRIC_NONE &&
	       port_info_cap_mask(fabric->ports[manager->port].info) & PORT_CAP_SM;
}

/* Without a master, the evidence describes the manager that the ports know. */
void check_no_sm(struct check_run *run)
{
	const struct fabric_managers *managers = run->input->managers;
	const struct fabric_manager *known;
	_cleanup_(freep) char *evidence = NULL;
	size_t i = 0;

	if (!run->manager_lid) {
		report_never_managed(run);
		return;
	}
	if (!managers || !managers->count || count_masters(managers))
		return;
	while (managers->items[i].lid != run->manager_lid && i + 1 < managers->count)
		i++;
	known = &managers->items[i];
	evidence = describe_manager(known);
	report_no_sm(run, known->port, evidence,
		     is_there(run->fabric, known)
			     ? "the port still reports a subnet manager: restart it there, for "
			       "example opensm"
			     : NULL);
}

void check_two_masters(struct check_run *run)
{
	const struct fabric_managers *managers = run->input->managers;
	const size_t masters = count_masters(managers);

	for (size_t i = 0; masters > 1 && run->manager_lid && i < managers->count; i++) {
		const struct fabric_manager *manager = &managers->items[i];
		char guid[GUID_TEXT_SIZE];

		if (!is_master(manager))
			continue;
		guid_format(manager->guid, guid);
		check_report(run, manager->port,
			     "one of %zu masters: LID %u, GUID %s, priority %u, activity %" PRIu32,
			     masters, manager->lid, guid, manager->priority, manager->activity);
	}
}

void check_sm_unanswered(struct check_run *run)
{
	const struct fabric_managers *managers = run->input->managers;
	const bool has_master = count_masters(managers);

	for (size_t i = 0; managers && run->manager_lid && i < managers->count; i++) {
		const struct fabric_manager *manager = &managers->items[i];
		_cleanup_(freep) char *evidence = NULL;

		/* The manager that the ports know is reported as no-sm in that case. */
		if (answers(manager) || (!has_master && manager->lid == run->manager_lid))
			continue;
		evidence = describe_manager(manager);
		check_report(run, manager->port, "%s", evidence);
	}
}

/* A port that is not active has not been configured yet, which another check reports. */
static bool should_have_lid(const struct check_run *run)
{
	return run->manager_lid && fabric_is_end_port(run->fabric, run->place) &&
	       (!run->port->number || fabric_port_state(run->port) == PORT_STATE_ACTIVE);
}

void check_no_lid(struct check_run *run)
{
	if (should_have_lid(run) && !fabric_port_lid(run->port))
		check_report(run, run->place, "the subnet manager is at LID %u", run->manager_lid);
}

/* Describes the subnet manager at that LID; NULL if none has answered. To be freed. */
static char *describe_other(const struct check_run *run, uint16_t lid)
{
	const struct fabric_managers *managers = run->input->managers;

	for (size_t i = 0; managers && i < managers->count; i++)
		if (answers(&managers->items[i]) &&
		    has_manager_lid(run->fabric, &managers->items[i], lid))
			return describe_manager(&managers->items[i]);
	return NULL;
}

/* A port sends its requests to the LID that it knows, whatever is there. */
void check_sm_lid_mismatch(struct check_run *run)
{
	const uint16_t lid = fabric_port_manager_lid(run->port);
	_cleanup_(freep) char *other = NULL;

	if (!should_have_lid(run) || !fabric_port_lid(run->port) || lid == run->manager_lid)
		return;
	other = describe_other(run, lid);
	check_report(run, run->place, "the port reports LID %u, %s LID %u%s%s", lid,
		     run->misled ? "the master is at" : "most ports report", run->manager_lid,
		     other ? "; " : "", other ? other : "");
}

void check_not_checked(struct check_run *run)
{
	const struct port_errors *counters = run->input->counters;
	_cleanup_(freep) char *evidence = NULL;

	for_each (why, &run->input->not_checked)
		check_report(run, FABRIC_NONE, "%s", *why);
	check_report_unknown(run);
	check_report_credit(run);
	if (!counters || !counters->unreachable)
		return;
	evidence = port_errors_unreachable_text(run->input->view, counters);
	check_report(run, FABRIC_NONE, "%s", evidence);
}
