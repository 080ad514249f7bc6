/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl topo: which adapter, accelerator, CPU and memory belong together. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/topo/topo_run.h"

static const struct option_row options[] = {
	FLAG_OPTION(struct topo_args, all, 'a', "all",
		    "show virtual functions and subfunctions beside their parents"),
	CHOICE_OPTION(struct topo_args, names, 0, "names", "TOOL", topology_dialect_names,
		      "words of the matrix: smi (default), nccl, ucx"),
	{.name = NULL},
};

static bool load(struct topo_run *run)
{
	struct listing *listing = &run->listing;
	const struct topology_request request = {
		.root = &run->root,
		.inventory = &listing->inventory,
	};
	_cleanup_(freep) char *message = NULL;

	/* The inventory has opened the same root, and reports if it cannot. */
	if (!listing_load_inventory(listing, topology_needs) ||
	    root_open(listing->ctx->globals.root, &run->root))
		return false;
	if (!topology_load(&run->topology, &request, &listing->problems, &run->doubts, &message))
		return true;
	listing_fail(listing, STATUS_USAGE, message, NULL);
	return false;
}

static void add_node(struct topology_node ***nodes, size_t *count, struct topology_node *node)
{
	*(struct topology_node **)mem_append(nodes, count, sizeof(**nodes)) = node;
}

/* A virtual function or subfunction goes with its parent, if that is a node. */
static bool is_beside_parent(const struct topo_run *run, const struct topology_node *node)
{
	return (node->role.value == TOPOLOGY_VIRTUAL_FUNCTION ||
		node->role.value == TOPOLOGY_SUBFUNCTION) &&
	       node->parent && topology_find(&run->topology, node->parent) &&
	       topology_find(&run->topology, node->parent) != node;
}

static bool has_node(const struct topo_run *run, const struct topology_node *node)
{
	for (size_t i = 0; i < run->count; i++)
		if (run->nodes[i] == node)
			return true;
	return false;
}

static void note_word(struct topo_run *run, const char *word)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word)), *hint = NULL;
	const char **names = mem_alloc_zero(run->topology.count, sizeof(*names));

	for (size_t i = 0; i < run->topology.count; i++)
		names[i] = run->topology.nodes[i].name;
	hint = text_suggest(word, names, run->topology.count, "rdmactl topo lists what is there");
	free(names);
	problem_add_text(&run->listing.problems, clean, NULL, NULL,
			 "no such RDMA device or accelerator", hint);
}

/* Rows are the nodes that were named; columns are all, with those named that are not shown else. */
static bool choose(struct topo_run *run, char **words)
{
	for (size_t i = 0; i < run->topology.count; i++)
		if (run->args->all || !is_beside_parent(run, &run->topology.nodes[i]))
			add_node(&run->nodes, &run->count, &run->topology.nodes[i]);
	for (char **word = words; *word; word++) {
		struct topology_node *node = topology_find(&run->topology, *word);

		if (!node) {
			note_word(run, *word);
			continue;
		}
		if (!has_node(run, node))
			add_node(&run->nodes, &run->count, node);
		add_node(&run->rows, &run->row_count, node);
	}
	if (*words && !run->row_count)
		run->listing.status = STATUS_NOTHING;
	for (size_t i = 0; !*words && i < run->count; i++)
		add_node(&run->rows, &run->row_count, run->nodes[i]);
	if (run->count <= TOPOLOGY_MOST_NODES)
		return run->row_count;
	listing_fail(&run->listing, STATUS_FAILED, "too many nodes to compare: more than 256",
		     "leave out --all");
	return false;
}

static void show_nodes(struct topo_run *run)
{
	topology_fill_distances(&run->topology, run->rows, run->row_count, run->nodes, run->count);
	for (size_t i = 0; i < run->row_count; i++)
		listing_add(&run->listing, run->rows[i]);
}

/* A matrix shows the doubts below it; elsewhere they are for -v. */
static void pass_doubts(struct topo_run *run)
{
	for (size_t i = 0; i < run->doubts.count; i++)
		problem_add_text(&run->listing.notes, NULL, NULL, NULL, run->doubts.items[i].error,
				 run->doubts.items[i].hint);
}

static int finish(struct topo_run *run, bool quietly, int rc)
{
	int status = quietly ? listing_end_quietly(&run->listing, rc) : listing_end(&run->listing);

	free(run->nodes);
	free(run->rows);
	problems_free(&run->doubts);
	topology_clear(&run->topology);
	root_close(&run->root);
	return status;
}

/* The matrix is for people; columns and the other formats show the nodes. */
static bool shows_matrix(const struct globals *globals)
{
	return !globals->json && !globals->jsonl && !globals->columns;
}

static int run_topo(const struct ctx *ctx, const void *args, char **words)
{
	struct topo_run run = {.args = args, .root = {.fd = -1}};

	if (!listing_begin_as(&run.listing, ctx, &topology_schema, false) || !load(&run) ||
	    !choose(&run, words))
		return finish(&run, false, 0);
	if (shows_matrix(&ctx->globals))
		return finish(&run, true, topo_print_matrix(&run));
	pass_doubts(&run);
	show_nodes(&run);
	return finish(&run, false, 0);
}

const struct command topo_command = {
	.name = "topo",
	.group = GROUP_TEST,
	.summary = "show which adapter, accelerator, CPU and memory belong together",
	.objects = "[NODE...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct topo_args),
	.schema = &topology_schema,
	.run = run_topo,
};
