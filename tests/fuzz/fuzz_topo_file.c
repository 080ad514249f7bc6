/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Topology files: the input is a complete file. An accepted one has no cycles, and can be written
 * and read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "topology/place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(struct topology *topology, const char *name, const char *address)
{
	struct topology_node *node = mem_append(&topology->nodes, &topology->count,
						sizeof(*topology->nodes));

	node->name = mem_string(name);
	node->pci_address = mem_string(address);
}

static void check_circles(const struct topology *topology)
{
	for (size_t i = 0; i < topology->switch_count; i++) {
		const struct topology_switch *at = topology->switches[i];

		for (size_t steps = 0; at; at = at->up)
			if (steps++ > topology->switch_count)
				abort();
	}
}

static char *write_file(struct topology *topology)
{
	struct topology_node *nodes[2] = {&topology->nodes[0], &topology->nodes[1]};
	struct text_buffer buffer = {.text = NULL};

	nccl_write(topology, nodes, 2, &buffer);
	return text_buffer_take(&buffer);
}

static void init(struct topology *topology)
{
	add(topology, "mlx5_0", "0001:00:00.0");
	add(topology, "gpu0", "000a:00:00.0");
}

/* Whether a node is also a switch that another node is below: the file contradicts itself. */
static bool has_twins(const struct topology *topology)
{
	for (size_t i = 0; i < topology->switch_count; i++)
		for (size_t j = 0; j < topology->count; j++)
			if (!strcasecmp(topology->switches[i]->id, topology->nodes[j].pci_address))
				return true;
	return false;
}

/* Another topology of the same nodes, read from the file, writes the same file. */
static void check_writing(struct topology *topology)
{
	char *text = write_file(topology), *message = NULL, *same;
	struct topology again = {.count = 0};
	size_t matched;

	init(&again);
	if (nccl_read(&again, text, &matched, &message))
		abort();
	topology_merge_switches(&again);
	same = write_file(&again);
	if (!has_twins(topology) && strcmp(text, same))
		abort();
	free(text);
	free(same);
	topology_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology topology = {.count = 0};
	struct topology_pair pair;
	char *message = NULL, *text = mem_alloc_zero(size + 1, 1);
	size_t matched;

	memcpy(text, data, size);
	init(&topology);
	if (!nccl_read(&topology, text, &matched, &message)) {
		check_circles(&topology);
		topology_merge_switches(&topology);
		topology_compare(&topology, &topology.nodes[0], &topology.nodes[1], &pair);
		check_writing(&topology);
	}
	free(message);
	free(text);
	topology_clear(&topology);
	return 0;
}
