/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "topology/assign/assign.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* A device as NCCL sees it: all ports of one card. */
struct net {
	const char *card;
	const struct topology_node *nic; /* the first one of the card */
	double gbytes;			 /* sum of its ports */
};

struct reach {
	double gbytes;
	unsigned int type; /* in NCCL's order: less is nearer */
};

struct prediction {
	const struct topology *topology;
	struct assignment_list *list;
	struct net *nets;
	size_t net_count;
	struct reach *reach; /* of accelerator and net: [gpu * net_count + net] */
};

#define CPU_LINK_GBYTES 16

/* width * speed / 80 GB/s; the speed is NCCL's, in 100 Mb/s per lane: 15 for 2.5 GT/s. */
static double pci_gbytes(const struct real *speed_gtps, const struct number *lanes)
{
	static const struct {
		double speed;
		unsigned int rate;
	} rates[] = {{2.5, 15}, {5, 30}, {8, 60}, {16, 120}, {32, 240}, {64, 480}};
	unsigned int rate = 60;

	for (size_t i = 0; speed_gtps->known && i < ARRAY_SIZE(rates); i++)
		if (speed_gtps->value == rates[i].speed)
			rate = rates[i].rate;
	return (lanes->known ? (double)lanes->value : 16) * rate / 80;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

/* Narrowest link of the switches above a node that are below the one with that name, or of all. */
static double switch_gbytes(const struct topology_node *node, const char *common)
{
	double least = 5000; /* NCCL's LOC_BW */

	for (const struct topology_switch *at = node->above; at; at = at->up) {
		if (common && !strcmp(at->id, common))
			break;
		if (!at->merged)
			least = lesser(least, pci_gbytes(&at->speed_gtps, &at->width_lanes));
	}
	return least;
}

/*
 * NCCL plans with the maximum of a NIC's link and of the switches', but with the current state of a
 * GPU's link, which NVML reports.
 */
static struct reach find_reach(const struct prediction *prediction, const struct topology_node *gpu,
			       const struct net *net)
{
	const char *common = topology_common_switch(gpu, net->nic);
	struct topology_pair pair;
	struct reach reach;

	topology_compare(prediction->topology, gpu, net->nic, &pair);
	reach.gbytes = lesser(pci_gbytes(&gpu->speed_gtps, &gpu->width_lanes),
			      pci_gbytes(&net->nic->max_speed_gtps, &net->nic->max_width_lanes));
	reach.gbytes = lesser(reach.gbytes, net->gbytes);
	reach.gbytes = lesser(reach.gbytes, switch_gbytes(gpu, common));
	reach.gbytes = lesser(reach.gbytes, switch_gbytes(net->nic, common));
	reach.type = (unsigned int)pair.class.value;
	/* NCCL has the same class for one host bridge and for several of the same NUMA node. */
	if (reach.type == TOPOLOGY_NUMA)
		reach.type = TOPOLOGY_HOST_BRIDGE;
	if (reach.type >= TOPOLOGY_SYSTEM)
		reach.gbytes = lesser(reach.gbytes, CPU_LINK_GBYTES);
	return reach;
}

/* The better one comes first. */
static int compare(const struct reach *a, const struct reach *b)
{
	return COMPARE(b->gbytes, a->gbytes) ?: COMPARE(a->type, b->type);
}

/* Finds the best of `count` reaches, which are `step` apart. Returns how many are best. */
static size_t find_locals(const struct reach *reach, size_t count, size_t step, size_t *locals)
{
	const struct reach *best = &reach[0];
	size_t found = 0;

	for (size_t i = 1; i < count; i++)
		if (compare(&reach[i * step], best) < 0)
			best = &reach[i * step];
	for (size_t i = 0; i < count; i++)
		if (!compare(&reach[i * step], best))
			locals[found++] = i;
	return found;
}

static bool is_power_of_two(size_t number)
{
	return !(number & (number - 1));
}

/* Reverses the bits of `value` that are below the power of two. */
static size_t mirror(size_t value, size_t power)
{
	size_t out = 0;

	for (size_t bit = 1, other = power / 2; bit < power; bit *= 2, other /= 2)
		if (value & bit)
			out |= other;
	return out;
}

/* All devices of a card are used as one. */
static void give(const struct prediction *prediction, struct assignment *assignment,
		 const struct net *net)
{
	for (size_t i = 0; i < prediction->list->nic_count; i++) {
		const struct topology_node *nic = prediction->list->nics[i];

		if (!strcmp(nic->card, net->card) && !strings_contain(&assignment->nics, nic->name))
			strings_add(&assignment->nics, nic->name);
	}
}

static void predict(const struct prediction *prediction, size_t gpu)
{
	const size_t nets = prediction->net_count, gpus = prediction->list->count;
	_cleanup_(freep) size_t *locals = mem_alloc_zero(nets, sizeof(*locals));
	_cleanup_(freep) size_t *others = mem_alloc_zero(gpus, sizeof(*others));
	const size_t count = find_locals(&prediction->reach[gpu * nets], nets, 1, locals);
	const size_t sharing = find_locals(&prediction->reach[locals[0]], gpus, nets, others);
	const size_t each = (count + sharing - 1) / sharing;
	size_t first = gpu % sharing;

	if (is_power_of_two(count))
		first = mirror(first, count);
	for (size_t channel = 0; channel < each; channel++)
		give(prediction, &prediction->list->items[gpu],
		     &prediction->nets[locals[(first + channel) % count]]);
}

static void find_nets(struct prediction *prediction)
{
	for (size_t i = 0; i < prediction->list->nic_count; i++) {
		const struct topology_node *nic = prediction->list->nics[i];
		struct net *net = NULL;

		for (size_t j = 0; j < prediction->net_count; j++)
			if (!strcmp(prediction->nets[j].card, nic->card))
				net = &prediction->nets[j];
		if (!net) {
			net = mem_append(&prediction->nets, &prediction->net_count,
					 sizeof(*prediction->nets));
			net->card = nic->card;
			net->nic = nic;
		}
		/* NCCL's default for a port of unknown speed is 10 Gb/s. */
		net->gbytes += (nic->rate_gbps.known ? nic->rate_gbps.value : 10) / 8;
	}
}

void predict_nccl(const struct topology *topology, struct assignment_list *list)
{
	struct prediction prediction = {.topology = topology, .list = list};

	find_nets(&prediction);
	prediction.reach = mem_alloc_zero(list->count * prediction.net_count,
					  sizeof(*prediction.reach));
	for (size_t gpu = 0; gpu < list->count; gpu++)
		for (size_t net = 0; net < prediction.net_count; net++)
			prediction.reach[gpu * prediction.net_count + net] = find_reach(
				&prediction, list->items[gpu].accelerator, &prediction.nets[net]);
	for (size_t gpu = 0; gpu < list->count; gpu++)
		predict(&prediction, gpu);
	free(prediction.reach);
	free(prediction.nets);
}
