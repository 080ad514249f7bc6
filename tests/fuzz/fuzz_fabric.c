/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of rdmactl fabric --save: the input is one of them, or two with a NUL between. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>

#include "base/mem.h"
#include "base/text.h"
#include "fabric/diff/diff.h"
#include "fabric/graph/graph.h"
#include "fabric/format/saved.h"
#include "fabric/route/multicast.h"
#include "render/json_read.h"
#include "render/render.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text that comes out goes to terminals. */
static void check_clean(const char *text)
{
	char *clean;

	if (!text)
		return;
	clean = text_clean(text, strlen(text));
	if (strcmp(clean, text))
		abort();
	free(clean);
}

static bool read_graph(const char *text, size_t length, struct fabric *fabric)
{
	char *message = NULL;
	int rc = fabric_read_saved(text, length, true, fabric, &message);

	if ((message != NULL) != (rc != 0) || (rc && fabric->nodes))
		abort();
	check_clean(message);
	free(message);
	return !rc;
}

static char *write_graph(const struct fabric *fabric, size_t *ret_length)
{
	const struct fabric_view view = {.fabric = fabric};
	const struct render_options options = {.format = FORMAT_JSON};
	const struct problems problems = {.count = 0};
	struct fabric_graph graph;
	const void *row = &graph;
	struct columns columns;
	const struct document document = {
		.columns = &columns, .rows = &row, .row_count = 1, .problems = &problems};
	char *text = NULL, *bad = NULL;
	FILE *file = open_memstream(&text, ret_length);

	fabric_graph_fill(&view, &graph);
	if (!file || columns_select(&columns, &fabric_graph_schema, COLUMNS_ALL, NULL, &bad) ||
	    render(file, &options, &document))
		abort();
	fclose(file);
	columns_free(&columns);
	fabric_graph_clear(&graph);
	return text;
}

/* What was read is written, read and written again: the same both times. */
static void check_round_trip(const struct fabric *fabric)
{
	struct fabric again = {.nodes = NULL};
	size_t length, second_length;
	char *first = write_graph(fabric, &length), *second;

	if (!read_graph(first, length, &again))
		abort();
	second = write_graph(&again, &second_length);
	if (strcmp(first, second))
		abort();
	fabric_clear(&again);
	free(first);
	free(second);
}

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

/* Tables that the file tells lead along its cables, where they lead anywhere; loops end. */
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
		/* The copy has the very size, so that the sanitizer sees every overrun. */
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
