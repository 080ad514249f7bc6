/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "topology/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "topology/place.h"

/* What the user should know before trusting the answer. */
static void note_doubts(const struct topology *topology, struct problems *notes)
{
	_cleanup_(freep) char *text = NULL;

	if (topology->numa_distrusted)
		problem_add_text(notes, NULL, NULL, NULL,
				 "the NUMA nodes of all devices are 0, which the kernel also sets "
				 "where Hyper-V gives none: they are taken as unknown",
				 "--locality FILE or a topology file says which are true");
	if (!topology->flat || topology->file)
		return;
	text = mem_format("this virtual machine (%s) shows no PCIe switches: devices may be closer "
			  "than they seem, and some distances are unknown",
			  topology->hypervisor);
	problem_add_text(notes, NULL, NULL, NULL, text,
			 "set NCCL_TOPO_FILE to the topology file of this kind of machine");
}

int topology_load(struct topology *topology, const struct topology_request *request,
		  struct problems *problems, struct problems *notes, char **ret_message)
{
	(void)ret_message;
	/* Its problem is noted; nodes without a place are unknown. */
	pci_list_read(request->root, &topology->pci, problems);
	topology_add_nodes(topology, request, problems);
	topology_place(topology, request, problems);
	topology_merge_switches(topology);
	topology_read_host(topology, request, problems);
	topology_find_numa(topology, request, problems);
	note_doubts(topology, notes);
	topology_read_fabric(topology, request, problems);
	return 0;
}

static void clear_node(struct topology_node *node)
{
	free(node->name);
	free(node->pci_address);
	strings_free(&node->functions);
	free(node->parent);
	free(node->vendor);
	free(node->driver);
	free(node->cpus);
	free(node->host_bridge);
	strings_free(&node->switches);
	free(node->iommu_type);
	free(node->distances.rows);
	free(node->card);
}

void topology_clear(struct topology *topology)
{
	for (size_t i = 0; i < topology->count; i++)
		clear_node(&topology->nodes[i]);
	for (size_t i = 0; i < topology->switch_count; i++) {
		free(topology->switches[i]->id);
		free(topology->switches[i]);
	}
	for (size_t i = 0; i < topology->numa_count; i++) {
		free(topology->numa[i].cpus);
		strings_free(&topology->numa[i].distances);
	}
	free(topology->nodes);
	free(topology->switches);
	free(topology->numa);
	free(topology->links);
	free(topology->hypervisor);
	free(topology->file);
	pci_list_clear(&topology->pci);
	*topology = (struct topology){.count = 0};
}

struct topology_node *topology_find(const struct topology *topology, const char *name)
{
	for (size_t i = 0; i < topology->count; i++)
		if (!strcmp(topology->nodes[i].name, name))
			return &topology->nodes[i];
	for (size_t i = 0; i < topology->count; i++)
		if (strings_contain(&topology->nodes[i].functions, name))
			return &topology->nodes[i];
	return NULL;
}
