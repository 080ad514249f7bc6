/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of topology_load(): each adds one kind of fact to the nodes. */
#pragma once

#include "topology/topology.h"

struct topology_switch *topology_add_switch(struct topology *topology, const char *id);
/* A switch of the topology file and one of the kernel may have the same name. */
struct topology_switch *topology_find_switch(const struct topology *topology, const char *id,
					     bool of_file);

/* nodes.c: adapters and accelerators. */
void topology_add_nodes(struct topology *topology, const struct topology_request *request);
/* place.c: switches, host bridges, links. */
void topology_place(struct topology *topology, const struct topology_request *request);
/* The nearest switch that is not merged into the one above it. */
struct topology_switch *topology_whole_switch(struct topology_switch *found);
/* Finds the lower halves of switches, and fills the nodes' lists of switches. */
void topology_merge_switches(struct topology *topology);
/* numa.c: the host's NUMA nodes, whether it is a virtual machine, and the node of each device. */
void topology_read_host(struct topology *topology, const struct topology_request *request);
void topology_find_numa(struct topology *topology, const struct topology_request *request);
const struct numa_node *topology_numa(const struct topology *topology, uint64_t number);
/*
 * Takes lines with a device, PCI address or host bridge, and its NUMA node. Returns 0, or
 * -EINVAL with *ret_message for the caller to free.
 */
int topology_take_locality(struct topology *topology, const char *text, char **ret_message);
/* kfd.c: the links between AMD's accelerators. */
void topology_read_fabric(struct topology *topology, const struct topology_request *request);
/* Sets the class of the pair if a link of that fabric joins the two. */
void topology_compare_fabric(const struct topology *topology, struct topology_pair *pair);
/*
 * nccl.c: puts the nodes where a topology file says they are. *ret_matched is the number of nodes
 * that it has. Returns 0, or -EINVAL with *ret_message for the caller to free.
 */
int nccl_read(struct topology *topology, const char *text, size_t *ret_matched, char **ret_message);
