/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "topology/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/sysfs.h"
#include "topology/place.h"

/* Notes what the user should know before trusting the answer. */
static void note_doubts(const struct topology *topology, struct problems *notes)
{
	_cleanup_(freep) char *text = NULL;

	if (topology->numa_distrusted)
		problem_add_text(notes, NULL, NULL, NULL,
				 "the NUMA node of every device is 0, which the kernel also "
				 "reports where Hyper-V gives none: all are taken as unknown",
				 "--locality FILE or a topology file can give the true ones");
	if (topology->unpaired)
		problem_add_text(notes, NULL, NULL, NULL,
				 "it is not known which ConnectX-8 adapters the Data Direct "
				 "functions belong to: the distances of the adapters ignore these "
				 "functions",
				 "serial numbers tell, which root and its snapshots have; rdmactl "
				 "topo -a shows all functions");
	if (!topology->flat || topology->file)
		return;
	text = mem_format("this virtual machine (%s) shows no PCIe switches: devices may be closer "
			  "than they seem, and some distances are unknown",
			  topology->hypervisor);
	problem_add_text(notes, NULL, NULL, NULL, text,
			 "set NCCL_TOPO_FILE to the topology file of this kind of machine, if "
			 "its provider has one");
}

/* Reads the machine's own topology file; faults in it become problems. */
static void read_own_file(struct topology *topology, const struct topology_request *request)
{
	_cleanup_(freep) char *text = NULL, *message = NULL;
	size_t matched = 0;
	int rc = sysfs_read_long(request->root, &text, VIRTUAL_TOPOLOGY);

	if (rc && rc != -ENOENT && rc != -ENOTDIR)
		problem_add(request->problems, NULL, "/" VIRTUAL_TOPOLOGY, "file", rc, NULL);
	if (rc || !text)
		return;
	if (nccl_read(topology, text, &matched, &message))
		problem_add_text(request->problems, "/" VIRTUAL_TOPOLOGY, NULL, "file", message,
				 NULL);
	else if (matched)
		topology->file = mem_string("/" VIRTUAL_TOPOLOGY);
}

static int read_file(struct topology *topology, const struct topology_request *request,
		     char **ret_message)
{
	size_t matched = 0;
	int rc;

	if (!request->file_text) {
		read_own_file(topology, request);
		return 0;
	}
	rc = nccl_read(topology, request->file_text, &matched, ret_message);
	if (!rc && !matched) {
		*ret_message = mem_string("it has none of this host's devices");
		rc = -EINVAL;
	}
	if (!rc)
		topology->file = mem_string(request->file_name);
	return rc;
}

int topology_load(struct topology *topology, const struct topology_request *request,
		  struct problems *notes, char **ret_message)
{
	_cleanup_(freep) char *message = NULL;
	const char *name = request->file_name;
	int rc;

	/* Its failure is noted; nodes without a place are unknown. */
	topology->pci_borrowed = request->pci;
	if (request->pci)
		topology->pci = *request->pci;
	else
		pci_list_read(request->root, &topology->pci, request->problems);
	topology_add_nodes(topology, request);
	topology_place(topology, request);
	rc = read_file(topology, request, &message);
	if (!rc && request->locality) {
		name = request->locality_name;
		rc = topology_take_locality(topology, request->locality, &message);
	}
	if (rc) {
		*ret_message = mem_format("%s: %s", name, message);
		return rc;
	}
	topology_merge_switches(topology);
	topology_read_host(topology, request);
	topology_find_numa(topology, request);
	note_doubts(topology, notes);
	topology_read_fabric(topology, request);
	return 0;
}

static void clear_node(struct topology_node *node)
{
	/* The pairs borrow their strings. */
	free(node->distances.rows);
	node->distances = (struct records){.rows = NULL};
	record_clear(&topology_schema, node);
	strings_free(&node->ports);
	free(node->card);
}

void topology_clear(struct topology *topology)
{
	for_each_in (node, topology->nodes, topology->count)
		clear_node(node);
	for (size_t i = 0; i < topology->switch_count; i++) {
		free(topology->switches[i]->id);
		free(topology->switches[i]);
	}
	for_each_in (numa, topology->numa, topology->numa_count) {
		free(numa->cpus);
		strings_free(&numa->distances);
	}
	free(topology->nodes);
	free(topology->switches);
	free(topology->numa);
	free(topology->links);
	free(topology->hypervisor);
	free(topology->file);
	if (!topology->pci_borrowed)
		pci_list_clear(&topology->pci);
	*topology = (struct topology){.count = 0};
}

struct topology_node *topology_find(const struct topology *topology, const char *name)
{
	for_each_in (node, topology->nodes, topology->count)
		if (!strcmp(node->name, name))
			return node;
	for (size_t i = 0; i < topology->count; i++)
		if (strings_contain(&topology->nodes[i].functions, name))
			return &topology->nodes[i];
	return NULL;
}
