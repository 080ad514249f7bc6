/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Files of ibnetdiscover, its text or its cache: the input is a complete file. An accepted one can
 * be written, and then read and written the same; routes to nodes lead to them.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/format/diags.h"
#include "fabric/format/topology.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_route(const struct fabric *fabric, uint32_t number)
{
	uint8_t path[MAD_HOPS_MOST + 1];
	int hops = fabric_path(fabric, number, path);
	uint32_t at = 0;

	for (int i = 1; i <= hops; i++) {
		const struct fabric_node *node = &fabric->nodes[at];

		if (path[i] > node->port_count ||
		    fabric->ports[node->first_port + path[i]].peer == FABRIC_NONE)
			abort();
		at = fabric->ports[fabric->ports[node->first_port + path[i]].peer].node;
	}
	if (hops >= 0 && at != number)
		abort();
}

static void check_graph(const struct fabric *fabric)
{
	if (!fabric->node_count)
		abort();
	for (uint32_t i = 0; i < fabric->node_count; i++)
		check_route(fabric, i);
	for (uint32_t i = 0; i < fabric->port_count; i++)
		if (fabric->ports[i].peer != FABRIC_NONE &&
		    fabric->ports[fabric->ports[i].peer].peer != i)
			abort();
}

static bool has_twins(const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i].ambiguous)
			return true;
	return false;
}

static char *write_again(const char *text)
{
	struct fabric fabric = {.nodes = NULL};
	struct fabric_view view = {.fabric = &fabric};
	char *message = NULL, *again;

	if (fabric_read_topology(text, strlen(text), &fabric, &message))
		abort();
	again = ibnetdiscover_text(&view, false, 0);
	fabric_clear(&fabric);
	return again;
}

static void check_texts(const struct fabric *fabric, bool was_text)
{
	const struct fabric_view view = {.fabric = fabric};
	char *text = ibnetdiscover_text(&view, false, 0), *again;

	free(iblinkinfo_text(&view));
	/* Nodes with the same GUID have the same name in the text. */
	if (!has_twins(fabric)) {
		again = write_again(text);
		/* A text that contradicts itself may still do so after it was read and written. */
		if (was_text && !fabric->fault_count && strcmp(text, again))
			abort();
		free(again);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	unsigned char *copy = mem_alloc_zero(size, 1);
	struct fabric fabric = {.nodes = NULL};
	char *message = NULL;
	bool cache;
	int rc;

	if (size)
		memcpy(copy, data, size);
	cache = fabric_is_cache(copy, size);
	rc = cache ? fabric_read_cache(copy, size, &fabric, &message)
		   : fabric_read_topology((const char *)copy, size, &fabric, &message);
	if (!rc) {
		check_graph(&fabric);
		check_texts(&fabric, !cache);
		for (size_t i = 0; i < fabric.fault_count; i++)
			check_clean(fabric.faults[i].reason);
	} else if (rc == -EINVAL) {
		check_clean(message);
	} else if (rc != -ENOMSG || message) {
		abort();
	}
	if (rc && (fabric.nodes || fabric.ports))
		abort();
	free(message);
	free(copy);
	fabric_clear(&fabric);
	return 0;
}
