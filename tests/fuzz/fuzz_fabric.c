/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of rdmactl fabric --save: the input is one of them, or two separated by a NUL. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/diff/diff.h"
#include "fabric/route/multicast.h"
#include "graph_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t compare(const struct fabric *before, const struct fabric *after)
{
	const struct fabric_view views[] = {{.fabric = before}, {.fabric = after}};
	struct fabric_changes changes = {.items = NULL};
	size_t count;

	fabric_compare(&views[0], &views[1], COMPARE_ALL, &changes);
	count = changes.count;
	for (size_t i = 0; i < count; i++) {
		check_clean(changes.items[i].node);
		check_clean(changes.items[i].texts[BEFORE]);
		check_clean(changes.items[i].texts[AFTER]);
	}
	fabric_changes_clear(&changes);
	return count;
}

/* The tables in the file lead along its cables, where they lead anywhere; loops end. */
static void follow_tables(const struct fabric *fabric)
{
	const struct multicast_members unknown = {.known = false};
	const struct fabric_view view = {.fabric = fabric};
	struct forwarding forwarding = {.tables = NULL};
	struct balance balance = {.routes = NULL};

	forwarding_recall(fabric, NULL, 0, FORWARDING_LINEAR | FORWARDING_MULTICAST, &forwarding);
	balance_count(fabric, &forwarding, &balance);
	balance_clear(&balance);
	for (uint16_t mlid = FORWARDING_LIDS; mlid < FORWARDING_LIDS + 3; mlid++) {
		struct multicast_tree tree = {.hops = NULL};

		multicast_tree_fill(fabric, &forwarding, mlid, &unknown, &tree);
		for (unsigned int i = 0; i < MULTICAST_FAULTS; i++) {
			const enum multicast_fault fault = 1 << i;
			const struct multicast_hop *first = NULL;
			const size_t count = multicast_count_faults(&tree, fault, &first);
			char *text = count ? multicast_fault_text(&view, &tree, fault, count, first)
					   : NULL;

			check_clean(text);
			free(text);
		}
		multicast_tree_clear(&tree);
	}
	forwarding_clear(&forwarding);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	const size_t lengths[] = {nul ? (size_t)(nul - data) : size,
				  nul ? size - 1 - (size_t)(nul - data) : 0};
	struct fabric fabrics[] = {{.nodes = NULL}, {.nodes = NULL}};

	for (size_t i = 0; i < 2; i++) {
		/* The copy has exactly this size, so that the sanitizer sees every overrun. */
		char *copy = mem_alloc_zero(lengths[i], 1);

		if (lengths[i])
			memcpy(copy, data + (i ? lengths[0] + 1 : 0), lengths[i]);
		if (read_graph(copy, lengths[i], &fabrics[i])) {
			check_round_trip(&fabrics[i]);
			if (compare(&fabrics[i], &fabrics[i]))
				abort();
			follow_tables(&fabrics[i]);
		}
		free(copy);
	}
	compare(&fabrics[0], &fabrics[1]);
	compare(&fabrics[1], &fabrics[0]);
	fabric_clear(&fabrics[0]);
	fabric_clear(&fabrics[1]);
	return 0;
}
