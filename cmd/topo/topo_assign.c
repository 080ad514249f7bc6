/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl topo: --assign and --env. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/topo/topo_run.h"
#include "topology/assign/predict.h"

static bool choose(struct topo_run *run, struct assignment_list *list)
{
	const enum assign_mode mode = (enum assign_mode)run->args->assign.value;
	int rc = assign(&run->topology, mode, list);

	if (rc == -ENODEV)
		listing_fail(&run->listing, STATUS_NOTHING,
			     "no accelerator, or no adapter with an active port",
			     "rdmactl topo and rdmactl ports list what is there");
	else if (rc)
		listing_fail(&run->listing, STATUS_FAILED, "more than 256 accelerators or adapters",
			     NULL);
	return !rc;
}

/*
 * Finds "0", "gpu0" or an address. Returns NULL, and reports it, if there is no such accelerator.
 */
static const struct topology_node *find_gpu(struct topo_run *run, const char *word)
{
	_cleanup_(freep) char *name = mem_format("gpu%s", word);
	const struct topology_node *node = topology_find(&run->topology, name);

	if (!node)
		node = topology_find(&run->topology, word);
	if (node && node->kind.value == TOPOLOGY_ACCELERATOR)
		return node;
	topo_note_word(run, word, true);
	run->listing.status = STATUS_NOTHING;
	return NULL;
}

static int print_env(struct topo_run *run, const struct assignment_list *list)
{
	const char *word = run->args->gpu;
	const struct topology_node *gpu = word ? find_gpu(run, word) : NULL;
	struct text_buffer buffer = {.text = NULL};

	if (word && !gpu)
		return 0;
	assign_env(list, (enum env_kind)run->args->env.value, gpu, &buffer, &run->listing.problems);
	return topo_print(&buffer);
}

/* Prints what the table is based on, for people. */
static int print_note(struct topo_run *run)
{
	const struct globals *globals = &run->listing.ctx->globals;
	struct text_buffer buffer = {.text = NULL};

	if (globals->json || globals->jsonl || globals->tsv || globals->no_headings ||
	    globals->quiet || globals->columns)
		return 0;
	if (run->args->assign.value == ASSIGN_NCCL)
		text_buffer_add(
			&buffer,
			"\npredicted by the rules of NCCL " PREDICTED_NCCL
			", assuming its defaults and GPUs numbered in the order of the bus\n");
	topo_add_doubts(run, &buffer);
	return topo_print(&buffer);
}

int topo_assign(struct topo_run *run, struct assignment_list *list)
{
	int rc;

	if (!choose(run, list))
		return run->listing.ctx->globals.json ? listing_print(&run->listing) : 0;
	if (run->args->env.known)
		return print_env(run, list);
	for (size_t i = 0; i < list->count; i++)
		if (topo_has_node(run->rows, run->row_count, list->items[i].accelerator))
			listing_add(&run->listing, &list->items[i]);
	rc = listing_print(&run->listing);
	return rc ? rc : print_note(run);
}
