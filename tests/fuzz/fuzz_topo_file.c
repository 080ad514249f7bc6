/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Topology files: the input is a complete file. An accepted one has no cycles, and can be written
 * and read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "topology/nccl.h"
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

static void check_writing(struct topology *topology)
{
	struct topology_node *nodes[2] = {&topology->nodes[0], &topology->nodes[1]};
	struct text_buffer buffer = {.text = NULL};
	char *message = NULL, *text;
	size_t matched;

	nccl_write(topology, nodes, 2, &buffer);
	text = text_buffer_take(&buffer);
	if (nccl_read(topology, text, &matched, &message))
		abort();
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology topology = {.count = 0};
	struct topology_pair pair;
	char *message = NULL, *text = mem_alloc_zero(size + 1, 1);
	size_t matched;

	memcpy(text, data, size);
	add(&topology, "mlx5_0", "0001:00:00.0");
	add(&topology, "gpu0", "000a:00:00.0");
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
