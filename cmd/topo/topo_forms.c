/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl topo: --tree, --why, --require, --assign and --env. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/topo/topo_run.h"

void topo_add_doubts(const struct topo_run *run, struct text_buffer *text)
{
	if (run->topology.file)
		text_buffer_add(text, "\nthe places in the PCI tree are from %s\n",
				run->topology.file);
	for_each (doubt, &run->doubts)
		text_buffer_add(text, "\n%s\n  %s\n", doubt->error, doubt->hint);
}

int topo_print(struct text_buffer *buffer)
{
	_cleanup_(freep) char *text = text_buffer_take(buffer);

	return render_text(stdout, text);
}

int topo_print_tree(struct topo_run *run)
{
	struct text_buffer buffer = {.text = NULL};

	topology_show_tree(&run->topology, run->rows, run->row_count, &buffer);
	topo_add_doubts(run, &buffer);
	return topo_print(&buffer);
}

static int write_picture(void *context, FILE *file)
{
	return render_text(file, context);
}

void topo_write_svg(struct topo_run *run)
{
	const char *path = run->args->svg;
	struct text_buffer buffer = {.text = NULL};
	_cleanup_(freep) char *text = NULL;
	int rc;

	topology_draw_tree(&run->topology, run->rows, run->row_count, &buffer);
	text = text_buffer_take(&buffer);
	rc = file_replace(path, write_picture, text);
	if (rc)
		listing_fail_to_write(&run->listing, path, rc);
}

int topo_print_nccl(struct topo_run *run)
{
	struct text_buffer buffer = {.text = NULL};

	if (run->topology.flat && !run->topology.file) {
		listing_fail(&run->listing, STATUS_FAILED,
			     "no topology file for this machine: it shows no PCIe switches, so the "
			     "true distances are unknown",
			     "use the topology file of its provider, if there is one");
		return 0;
	}
	nccl_write(&run->topology, run->rows, run->row_count, &buffer);
	return topo_print(&buffer);
}

/* Prints the hops as a table, then the sentences. */
int topo_print_path(struct topo_run *run, const struct topology_path *path)
{
	const struct render_options options = listing_options(&run->listing);
	struct text_buffer buffer = {.text = NULL};
	_cleanup_(freep) const void **rows = mem_alloc_zero(path->count, sizeof(*rows));
	_cleanup_(columns_free) struct columns columns = columns_of(&topology_hop_schema,
								    COLUMNS_DEFAULT);
	const struct document document = {
		.columns = &columns, .rows = rows, .row_count = path->count};
	int rc = 0;

	for (size_t i = 0; i < path->count; i++)
		rows[i] = &path->hops[i];
	if (path->count)
		rc = render(stdout, &options, &document);
	if (rc)
		return rc;
	if (path->count)
		text_buffer_add(&buffer, "\n");
	topology_explain(path, &buffer);
	topo_add_doubts(run, &buffer);
	return topo_print(&buffer);
}

/*
 * Finds the nearest adapter with an active port, or NULL; sets *ret_unknown if a class is unknown.
 */
static const struct topology_node *find_nearest(const struct topo_run *run,
						const struct topology_node *node,
						struct topology_pair *ret_pair, bool *ret_unknown)
{
	const struct topology_node *nearest = NULL;

	for_each_in (other, run->topology.nodes, run->topology.count) {
		struct topology_pair pair;

		/* Software has no place, so it is never near, and hides no distance. */
		if (other->kind.value != TOPOLOGY_NIC || other->active == TRISTATE_NO ||
		    other->role.value == TOPOLOGY_SOFTWARE)
			continue;
		topology_compare(&run->topology, node, other, &pair);
		if (pair.class.value == TOPOLOGY_CLASS_UNKNOWN) {
			*ret_unknown = true;
		} else if (!nearest || pair.class.value < ret_pair->class.value) {
			nearest = other;
			*ret_pair = pair;
		}
	}
	return nearest;
}

static int check_node(struct topo_run *run, const struct topology_node *node,
		      enum topology_class class)
{
	struct topology_pair pair = {.class = {.known = false}};
	_cleanup_(freep) char *text = NULL;
	bool unknown = false;
	const struct topology_node *nearest = find_nearest(run, node, &pair, &unknown);

	if (nearest && pair.class.value <= class)
		return STATUS_DONE;
	if (unknown) {
		problem_add_text(&run->listing.problems, node->name, NULL, NULL,
				 "the distance to the adapters cannot be determined",
				 "rdmactl topo -v says why");
		return STATUS_PARTIAL;
	}
	if (nearest)
		text = mem_format("the nearest active adapter, %s, is at %s", nearest->name,
				  topology_word(&pair, topo_dialect(run)));
	else
		text = mem_string("no adapter has an active port");
	problem_add_text(&run->listing.problems, node->name, NULL, NULL, text,
			 "rdmactl topo shows all distances");
	return STATUS_FAULT;
}

/* What hides accelerators if it cannot be read. */
#define HIDING "PCI functions,class,vendor,driver"

bool topo_check(struct topo_run *run, enum topology_class class)
{
	bool found = false;

	for (size_t i = 0; i < run->row_count; i++) {
		int status;

		if (run->rows[i]->kind.value != TOPOLOGY_ACCELERATOR)
			continue;
		found = true;
		status = check_node(run, run->rows[i], class);
		if (run->listing.status != STATUS_FAULT && status)
			run->listing.status = status;
	}
	if (!found)
		listing_none(&run->listing, HIDING, "no accelerator to check",
			     "rdmactl topo lists what is there");
	return found;
}

/* ---- --assign and --env ---- */

static bool choose(struct topo_run *run, struct assignment_list *list)
{
	const enum assign_mode mode = (enum assign_mode)run->args->assign.value;
	int rc = assign(&run->topology, mode, list);

	if (rc == -ENODEV)
		listing_none(&run->listing, HIDING ",pci_address",
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
