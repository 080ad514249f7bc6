/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* selftest --all-ports: which ports belong together, and what they have in common on this host. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/selftest/selftest_run.h"
#include "host/endpoint/endpoint_search.h"
#include "selftest/rails/rails.h"
#include "topology/topology.h"

struct rails_plan {
	struct listed_port *near, *far;
	size_t near_count, far_count;
	struct rail *rails;
	size_t *near_of; /* index of each rail's port */
	size_t *far_of;
	size_t count;
	struct topology topology;
};

uint64_t selftest_rails_needs(void)
{
	return RAIL_NEEDS | topology_needs;
}

static struct rail_reach reach_of(const struct inventory *inventory, const struct endpoint *near,
				  const struct endpoint *far)
{
	const struct endpoint_wish wish = {.peer = far};
	const struct endpoint_search search = {.inventory = inventory, .wish = &wish};
	struct rail_reach reach = {
		.kind = near->transport == far->transport && near->link_layer == far->link_layer,
	};
	const struct device *device;
	const struct port *port;
	unsigned int rank = 0;

	if (!reach.kind || !selftest_port_of(inventory, near, &device, &port))
		return reach;
	endpoint_best_gid(&search, port, &rank);
	reach.subnet = rank & RANK_SUBNET;
	return reach;
}

/* Chooses the port's GID that fits its counterpart; adds a failed row if there is none. */
static bool choose_near(struct selftest_run *run, const struct endpoint *near,
			const struct endpoint *far, struct endpoint *ret_near)
{
	const struct endpoint_wish wish = {
		.gid_index = run->plan.args->gid_index,
		.peer = far,
		.named = true,
	};
	const struct inventory *inventory = &run->listing.inventory;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	const struct device *device;
	const struct port *port;
	struct selftest_result *row;

	if (selftest_port_of(inventory, near, &device, &port) &&
	    !endpoint_of_port(inventory, device, port, &wish, ret_near, &reason, &hint))
		return true;
	row = selftest_output_add(&run->output, SELFTEST_FAIL, reason ? reason : "the port is gone",
				  hint);
	selftest_result_set_local(row, near);
	return false;
}

static void make_rails(struct selftest_run *run, struct rails_plan *plan)
{
	const struct inventory *inventory = &run->listing.inventory;
	_cleanup_(freep) struct rail_reach *reach = mem_alloc_zero(
		plan->near_count * plan->far_count + 1, sizeof(*reach));
	_cleanup_(freep) struct rail_choice *choices = mem_alloc_zero(plan->near_count + 1,
								      sizeof(*choices));

	for (size_t i = 0; i < plan->near_count; i++)
		for (size_t j = 0; j < plan->far_count; j++)
			reach[i * plan->far_count + j] = reach_of(
				inventory, &plan->near[i].endpoint, &plan->far[j].endpoint);
	rails_match(reach, plan->near_count, plan->far_count, choices);
	for (size_t i = 0; i < plan->near_count; i++) {
		struct rail *rail = &plan->rails[plan->count];

		if (choices[i].far == SIZE_MAX) {
			selftest_result_set_local(
				selftest_output_add(&run->output, SELFTEST_SKIP,
						    "the peer has no port left for this one", NULL),
				&plan->near[i].endpoint);
			continue;
		}
		rail->far = plan->far[choices[i].far].endpoint;
		rail->match = choices[i].match;
		if (!choose_near(run, &plan->near[i].endpoint, &rail->far, &rail->near))
			continue;
		rail->path = run->plan.request.path;
		selftest_default_path(&rail->near, &rail->path);
		plan->near_of[plan->count] = i;
		plan->far_of[plan->count++] = choices[i].far;
	}
}

/* The part of the processors near its port that a rail uses, if several rails are near them. */
static void share_out(const struct listed_port *ports, const size_t *port_of, size_t count,
		      size_t rail, uint32_t *ret_share, uint32_t *ret_shares)
{
	const struct listed_port *own = &ports[port_of[rail]];

	*ret_share = *ret_shares = 0;
	for (size_t i = 0; i < count; i++) {
		const struct listed_port *other = &ports[port_of[i]];

		if (other->with_node != own->with_node || other->node != own->node)
			continue;
		*ret_share += i < rail;
		(*ret_shares)++;
	}
}

static const struct topology_node *node_of(const struct topology *topology, const struct rail *rail)
{
	_cleanup_(freep) char *name = text_clean(rail->near.device, strlen(rail->near.device));

	return topology_find(topology, name);
}

/* Returns the switch next to the host bridge, or NULL. */
static const struct topology_switch *top_switch(const struct topology_node *node)
{
	const struct topology_switch *top = node->above;

	while (top && top->up)
		top = top->up;
	return top;
}

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Finds the link that the rail shares with another: that of their card, or of the top switch. */
static void find_bus(const struct rails_plan *plan, size_t index)
{
	const struct topology_node *node = node_of(&plan->topology, &plan->rails[index]);
	const struct topology_switch *top = node ? top_switch(node) : NULL;
	struct rail *rail = &plan->rails[index];

	for (size_t i = 0; node && i < plan->count; i++) {
		const struct topology_node *other = node_of(&plan->topology, &plan->rails[i]);

		if (i == index || !other)
			continue;
		if (is_same(node->card, other->card)) {
			rail->bus = node->card;
			rail->bus_gbps = node->gbps;
			return;
		}
		if (!top || top != top_switch(other))
			continue;
		rail->bus = top->id;
		rail->bus_gbps = pci_link_gbps(&top->speed_gtps, &top->width_lanes);
	}
}

/* Without a topology, no rail is known to share anything. */
static void find_facts(struct selftest_run *run, struct rails_plan *plan)
{
	_cleanup_(freep) char *message = NULL;
	struct problems problems = {0}, notes = {0};
	struct topology_request request = {.inventory = &run->listing.inventory,
					   .problems = &problems};
	struct root root;
	bool known = false;

	if (!root_open(NULL, &root)) {
		request.root = &root;
		known = !topology_load(&plan->topology, &request, &notes, &message);
		root_close(&root);
	}
	for (size_t i = 0; i < plan->count; i++) {
		struct rail *rail = &plan->rails[i];
		const struct topology_node *node = known ? node_of(&plan->topology, rail) : NULL;

		rail->software = node && number_is(&node->role, TOPOLOGY_SOFTWARE);
		share_out(plan->near, plan->near_of, plan->count, i, &rail->share, &rail->shares);
		share_out(plan->far, plan->far_of, plan->count, i, &rail->far_share,
			  &rail->far_shares);
		if (known)
			find_bus(plan, i);
	}
	problems_free(&problems);
	problems_free(&notes);
}

int selftest_test_rails(struct selftest_run *run)
{
	const struct selftest_request *request = &run->plan.request;
	struct rails_plan plan = {.near = NULL};
	int rc = rails_ask(request, &run->output.results, &plan.far, &plan.far_count);

	if (rc)
		return rc == -EINTR ? rc : 0;
	rails_list(&run->listing.inventory, &run->plan.args->gid_index, &plan.near,
		   &plan.near_count);
	plan.rails = mem_alloc_zero(plan.near_count + 1, sizeof(*plan.rails));
	plan.near_of = mem_alloc_zero(plan.near_count + 1, sizeof(*plan.near_of));
	plan.far_of = mem_alloc_zero(plan.near_count + 1, sizeof(*plan.far_of));
	make_rails(run, &plan);
	if (plan.count) {
		find_facts(run, &plan);
		rc = rails_run(request, plan.rails, plan.count, &run->output.results);
	} else {
		selftest_output_add(&run->output, SELFTEST_FAIL,
				    "no active port of this host has a counterpart on the peer",
				    "rdmactl ports, on both hosts, shows their states");
	}
	topology_clear(&plan.topology);
	free(plan.rails);
	free(plan.near_of);
	free(plan.far_of);
	free(plan.near);
	free(plan.far);
	return rc;
}
