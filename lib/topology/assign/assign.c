/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "topology/assign/assign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/rows.h"

const struct enum_name assign_mode_names[] = {
	{ASSIGN_RAIL, "rail", TONE_PLAIN, "least-cost matching, each adapter for one accelerator"},
	{ASSIGN_NCCL, "nccl", TONE_PLAIN, "a prediction of what NCCL takes"},
	{0, NULL},
};

/* Sorts by the place on the bus, so that names do not matter. */
static int compare_places(const void *a, const void *b)
{
	const struct topology_node *first = *(const struct topology_node *const *)a;
	const struct topology_node *second = *(const struct topology_node *const *)b;

	/* All functions are in one array, in this order. */
	if (first->function != second->function)
		return first->function < second->function ? -1 : 1;
	return text_compare_natural(first->name, second->name);
}

static bool is_adapter(const struct topology_node *node)
{
	return node->kind.value == TOPOLOGY_NIC && node->function &&
	       node->role.value != TOPOLOGY_SUBFUNCTION;
}

static bool is_near_any(const struct topology *topology, const struct topology_node *nic,
			const struct assignment_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct topology_pair pair;

		topology_compare(topology, list->items[i].accelerator, nic, &pair);
		if (pair.class.value <= TOPOLOGY_SWITCHES || pair.c2c)
			return true;
	}
	return false;
}

/* An adapter without an active port is no candidate, but keeps its rail: it is still cabled. */
static void find_candidates(const struct topology *topology, struct assignment_list *list)
{
	bool near = false;
	size_t rail = 0, kept = 0;

	for_each_in (node, topology->nodes, topology->count) {
		if (!is_adapter(node))
			continue;
		MEM_ADD(list->nics, list->nic_count) = node;
		near |= node->active != TRISTATE_NO && is_near_any(topology, node, list);
	}
	MEM_SORT(list->nics, list->nic_count, compare_places);
	list->rails = mem_alloc_zero(list->nic_count + 1, sizeof(*list->rails));
	for (size_t i = 0; i < list->nic_count; i++) {
		const struct topology_node *nic = list->nics[i];

		if (near && !is_near_any(topology, nic, list))
			continue;
		list->rails[kept] = rail++;
		list->nics[kept] = nic;
		kept += nic->active != TRISTATE_NO;
	}
	list->nic_count = kept;
}

/*
 * The class counts most, then the bandwidth of the narrowest link, then the distance between the
 * places of the two on the bus, squared, so that equals are matched in order. Each outweighs the
 * sum of 256 of the next. Bandwidth comes second because that of a far path lacks the link between
 * the CPUs, which sysfs does not show.
 */
enum { MOST_GBPS = 2047, BANDWIDTH_SHIFT = 25, CLASS_SHIFT = 45 };

static int64_t cost_without_place(const struct topology_pair *pair)
{
	int64_t lost = MOST_GBPS;

	if (pair->gbps.known)
		lost -= pair->gbps.value < MOST_GBPS ? (int64_t)pair->gbps.value : MOST_GBPS;
	return ((int64_t)pair->class.value << CLASS_SHIFT) + (lost << BANDWIDTH_SHIFT);
}

struct problem_of_matching {
	const struct topology *topology;
	struct assignment_list *list;
	bool *used; /* by NIC */
};

static int64_t cost_of(const struct problem_of_matching *problem, size_t gpu, size_t nic)
{
	const size_t rail = problem->list->rails[nic];
	/* The adapters without an active port are not limited. */
	const int64_t away = (int64_t)gpu -
			     (int64_t)(rail < TOPOLOGY_MOST_NODES ? rail : TOPOLOGY_MOST_NODES);
	struct topology_pair pair;

	topology_compare(problem->topology, problem->list->items[gpu].accelerator,
			 problem->list->nics[nic], &pair);
	return cost_without_place(&pair) + away * away;
}

size_t assignment_nic(const struct assignment_list *list, const char *name)
{
	size_t nic = 0;

	while (nic + 1 < list->nic_count && strcmp(list->nics[nic]->name, name))
		nic++;
	return nic;
}

static void give(struct problem_of_matching *problem, size_t gpu, size_t nic)
{
	struct assignment *assignment = &problem->list->items[gpu];
	struct topology_pair pair;

	problem->used[nic] = true;
	topology_compare(problem->topology, assignment->accelerator, problem->list->nics[nic],
			 &pair);
	if (!assignment->nics.count)
		assignment->pair = pair;
	/* An accelerator gains nothing from an adapter that is farther than its first one. */
	if (pair.class.value <= assignment->pair.class.value)
		strings_add(&assignment->nics, problem->list->nics[nic]->name);
}

/*
 * Matches remaining adapters, at most one per accelerator; `share` accelerators may have the same
 * adapter, which then has as many columns. Returns how many columns there were.
 */
static size_t match_round(struct problem_of_matching *problem, size_t share)
{
	const size_t gpus = problem->list->count, nics = problem->list->nic_count;
	_cleanup_(freep) size_t *left = mem_alloc_zero(nics * share, sizeof(*left));
	_cleanup_(freep) int64_t *cost = NULL;
	_cleanup_(freep) size_t *column_of = NULL;
	size_t count = 0;
	bool turned;

	for (size_t column = 0; column < nics * share; column++)
		if (!problem->used[column / share])
			left[count++] = column / share;
	turned = count < gpus;
	cost = mem_alloc_zero(gpus * count + 1, sizeof(*cost));
	column_of = mem_alloc_zero(gpus + count, sizeof(*column_of));
	for (size_t gpu = 0; gpu < gpus; gpu++)
		for (size_t i = 0; i < count; i++)
			cost[turned ? i * gpus + gpu : gpu * count + i] = cost_of(problem, gpu,
										  left[i]);
	matching_solve(cost, turned ? count : gpus, turned ? gpus : count, column_of);
	for (size_t i = 0; i < (turned ? count : gpus); i++)
		give(problem, turned ? column_of[i] : i, left[turned ? i : column_of[i]]);
	return count;
}

static void match(const struct topology *topology, struct assignment_list *list)
{
	_cleanup_(freep) bool *used = mem_alloc_zero(list->nic_count, sizeof(*used));
	struct problem_of_matching problem = {topology, list, used};
	const size_t share = (list->count + list->nic_count - 1) / list->nic_count;

	while (match_round(&problem, share) > list->count && share == 1)
		;
}

/* Whether another candidate would do as well as the one that was chosen. */
static bool is_tie(const struct topology *topology, const struct assignment_list *list,
		   const struct assignment *assignment)
{
	const int64_t cost = cost_without_place(&assignment->pair);
	size_t equals = 0;

	for (size_t i = 0; i < list->nic_count; i++) {
		struct topology_pair pair;

		topology_compare(topology, assignment->accelerator, list->nics[i], &pair);
		equals += cost_without_place(&pair) == cost;
	}
	return equals > 1;
}

static void complete(const struct topology *topology, const struct assignment_list *list,
		     enum assign_mode mode, struct assignment *assignment)
{
	if (assignment->nics.count) {
		const size_t nic = assignment_nic(list, assignment->nics.items[0]);

		number_set(&assignment->rail, list->rails[nic]);
		topology_compare(topology, assignment->accelerator, list->nics[nic],
				 &assignment->pair);
	}
	assignment->source = assignment->pair.source;
	if (assignment->pair.class.value == TOPOLOGY_CLASS_UNKNOWN)
		number_set(&assignment->source, TOPOLOGY_UNKNOWN);
	else if (mode == ASSIGN_NCCL)
		number_set(&assignment->source, TOPOLOGY_INFERRED);
	else if (is_tie(topology, list, assignment))
		number_set(&assignment->source, TOPOLOGY_TIE);
}

static void find_accelerators(const struct topology *topology, struct assignment_list *list)
{
	for_each_in (node, topology->nodes, topology->count) {
		struct assignment *assignment;

		if (node->kind.value != TOPOLOGY_ACCELERATOR)
			continue;
		assignment = mem_append(&list->items, &list->count, sizeof(*list->items));
		assignment->accelerator = node;
		assignment->node = node->name;
		assignment->pci_address = node->pci_address;
		assignment->cpus = node->cpus;
		assignment->nics.known = true;
	}
}

int assign(const struct topology *topology, enum assign_mode mode, struct assignment_list *ret_list)
{
	struct assignment_list list = {.count = 0};
	int rc = 0;

	find_accelerators(topology, &list);
	find_candidates(topology, &list);
	if (!list.count || !list.nic_count)
		rc = -ENODEV;
	else if (list.count > TOPOLOGY_MOST_NODES || list.nic_count > TOPOLOGY_MOST_NODES)
		rc = -E2BIG;
	if (rc) {
		assignment_list_clear(&list);
		return rc;
	}
	if (mode == ASSIGN_NCCL)
		predict_nccl(topology, &list);
	else
		match(topology, &list);
	for (size_t i = 0; i < list.count; i++)
		complete(topology, &list, mode, &list.items[i]);
	*ret_list = list;
	return 0;
}

void assignment_list_clear(struct assignment_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		strings_free(&list->items[i].nics);
	free(list->items);
	free(list->nics);
	free(list->rails);
	*list = (struct assignment_list){.count = 0};
}

static void get_word(const void *record, struct value *value)
{
	const struct assignment *assignment = record;

	value_set_string(value, topology_word(&assignment->pair, DIALECT_SMI));
}

#define RECORD struct assignment
static const struct field fields[] = {
	TEXT(node, "NODE", SHOWN, 0, "accelerator"),
	TEXT(pci_address, "PCI", SHOWN, 0, "its PCI function"),
	LIST(nics, "NICS", SHOWN, 0, "RDMA devices for it, the best first"),
	NUMBER(rail, "RAIL", SHOWN, 0,
	       "place of the first one on the bus among such adapters, whether they work or not"),
	WORD_AS("class", pair.class, topology_class_names, "CLASS", 0, 0,
		"how far the first one is"),
	COMPUTED_FIELD(FIELD_STRING, get_word, "smi", "DISTANCE", SHOWN, 0,
		       "the word of nvidia-smi topo -m"),
	WORD(source, topology_source_names, "SOURCE", SHOWN, 0, "how certain the choice is"),
	TEXT(cpus, "CPUS", SHOWN, 0, "CPUs of the accelerator's NUMA node"),
};

const struct schema assignment_schema = SCHEMA("topo_assignments", struct assignment, fields,
					       "the adapters of an accelerator");
