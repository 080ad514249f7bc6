/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl topo: which adapter, accelerator, CPU and memory belong together. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/topo/topo_run.h"

/* For completion; topology_parse_class() knows more words. */
static const struct enum_name require_words[] = {
	{TOPOLOGY_SWITCH, "pix"}, {TOPOLOGY_SWITCHES, "pxb"}, {TOPOLOGY_HOST_BRIDGE, "phb"},
	{TOPOLOGY_NUMA, "node"},  {TOPOLOGY_SYSTEM, "sys"},   {0, NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct topo_args, all, 'a', "all",
		    "also show virtual functions, subfunctions and further functions of adapters"),
	CHOICE_OPTION(struct topo_args, names, 0, "names", "TOOL", topology_dialect_names,
		      "terms in the matrix: smi (default), nccl, ucx"),
	FLAG_OPTION(struct topo_args, tree, 0, "tree",
		    "show NUMA nodes, host bridges and switches"),
	FLAG_OPTION(struct topo_args, why, 0, "why",
		    "walk from the first to the second of two nodes, hop by hop"),
	OPTION_ROW(STRING, const char *, struct topo_args, require, 0, "require",
		   "fail if an accelerator has no adapter this near: pix, pxb, phb, node, sys",
		   .metavar = "CLASS", .choices = require_words, .completion = COMPLETE_CHOICE),
	CHOICE_OPTION(struct topo_args, assign, 0, "assign", "MODE", assign_mode_names,
		      "choose adapters for each accelerator: rail (one each), nccl (as NCCL does)"),
	CHOICE_OPTION(struct topo_args, env, 0, "env", "KIND", env_kind_names,
		      "print shell settings for that choice: nccl, ucx, mpi"),
	STRING_OPTION(struct topo_args, gpu, 0, "gpu", "N", COMPLETE_NOTHING,
		      "with --env: only for this accelerator (0, gpu0 or its PCI address)"),
	STRING_OPTION(struct topo_args, file, 0, "topology-file", "FILE", COMPLETE_FILE,
		      "read the places of the devices from this NCCL topology file"),
	STRING_OPTION(struct topo_args, locality, 0, "locality", "FILE", COMPLETE_FILE,
		      "NUMA nodes to use instead of the firmware's: DEVICE NODE per line"),
	STRING_OPTION(struct topo_args, svg, 0, "svg", "FILE", COMPLETE_FILE,
		      "draw the tree into this file (-: standard output)"),
	FLAG_OPTION(struct topo_args, nccl_xml, 0, "nccl-xml",
		    "write a topology file for NCCL_TOPO_FILE"),
	{.name = NULL},
};

enum { TOPO_FILE_MOST = 1 << 20 };

/* NCCL_TOPO_FILE applies only to the live system. */
static const char *topology_file(const struct topo_run *run)
{
	const char *path = getenv("NCCL_TOPO_FILE");

	if (run->args->file || run->listing.ctx->globals.root)
		return run->args->file;
	return path && *path ? path : NULL;
}

static bool load(struct topo_run *run)
{
	struct listing *listing = &run->listing;
	const char *file = topology_file(run), *locality = run->args->locality;
	_cleanup_(freep) char *file_name = file ? text_clean(file, strlen(file)) : NULL;
	_cleanup_(freep) char *locality_name = locality ? text_clean(locality, strlen(locality))
							: NULL;
	_cleanup_(freep) char *message = NULL, *text = NULL, *lines = NULL;
	struct topology_request request = {
		.root = &run->root,
		.inventory = &listing->inventory,
		.problems = &listing->problems,
		.file_name = file_name,
		.locality_name = locality_name,
	};

	if (file && !listing_read_text(listing, file, TOPO_FILE_MOST, NULL, &text))
		return false;
	if (locality && !listing_read_text(listing, locality, TOPO_FILE_MOST, NULL, &lines))
		return false;
	request.file_text = text;
	request.locality = lines;
	if (!listing_load_inventory(listing, topology_needs) ||
	    !listing_has_loaded(listing, root_open(listing->ctx->globals.root, &run->root)))
		return false;
	if (!topology_load(&run->topology, &request, &run->doubts, &message))
		return true;
	return listing_fail(listing, STATUS_FAILED, message, NULL);
}

/* A virtual function or subfunction goes with its parent, if that is a node. */
static bool is_beside_parent(const struct topo_run *run, const struct topology_node *node)
{
	if (node->kind.value == TOPOLOGY_PART)
		return true;
	return (node->role.value == TOPOLOGY_VIRTUAL_FUNCTION ||
		node->role.value == TOPOLOGY_SUBFUNCTION) &&
	       node->parent && topology_find(&run->topology, node->parent) &&
	       topology_find(&run->topology, node->parent) != node;
}

bool topo_has_node(struct topology_node *const *nodes, size_t count,
		   const struct topology_node *node)
{
	for (size_t i = 0; i < count; i++)
		if (nodes[i] == node)
			return true;
	return false;
}

void topo_note_word(struct topo_run *run, const char *word, bool accelerator)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word)), *hint = NULL;
	const char **names = mem_alloc_zero(run->topology.count, sizeof(*names));
	size_t count = 0;

	for_each_in (node, run->topology.nodes, run->topology.count)
		if (!accelerator || node->kind.value == TOPOLOGY_ACCELERATOR)
			names[count++] = node->name;
	hint = object_suggest(&run->root, word, names, count, "rdmactl topo lists what is there");
	free(names);
	problem_add_text(&run->listing.problems, clean, NULL, NULL,
			 accelerator ? "no such accelerator" : "no such RDMA device or accelerator",
			 hint);
}

/* Rows are the named nodes. Columns are all nodes that are shown, and named ones that are not. */
static bool choose(struct topo_run *run, char **words)
{
	bool missing = false;

	for_each_in (node, run->topology.nodes, run->topology.count) {
		/* A Data Direct function may be there for each function of its card. */
		if ((run->args->all && topology_find(&run->topology, node->name) == node) ||
		    !is_beside_parent(run, node))
			MEM_ADD(run->nodes, run->count) = node;
	}
	for (char **word = words; *word; word++) {
		struct topology_node *node = topology_find(&run->topology, *word);

		/* An empty name is probably an unset variable, as for other commands. */
		if (!**word)
			return listing_fail(&run->listing, STATUS_USAGE, "a name is empty",
					    "rdmactl topo lists what is there");
		if (!node) {
			topo_note_word(run, *word, false);
			missing = true;
			continue;
		}
		if (!topo_has_node(run->nodes, run->count, node))
			MEM_ADD(run->nodes, run->count) = node;
		MEM_ADD(run->rows, run->row_count) = node;
	}
	/* A path has two ends. */
	if (missing && (run->args->why || !run->row_count)) {
		run->listing.status = STATUS_NOTHING;
		return false;
	}
	for (size_t i = 0; !*words && i < run->count; i++)
		MEM_ADD(run->rows, run->row_count) = run->nodes[i];
	return run->row_count;
}

/* The matrix and the records show the distance of each row to each column. */
static bool can_compare(struct topo_run *run)
{
	if (run->row_count * run->count <= TOPOLOGY_MOST_NODES * TOPOLOGY_MOST_NODES)
		return true;
	return listing_fail(&run->listing, STATUS_FAILED,
			    "too many nodes to compare: more than 256 by 256",
			    run->args->all
				    ? "omit --all, or name some of them"
				    : "name some of them, or see the tree: rdmactl topo --tree");
}

static void show_nodes(struct topo_run *run)
{
	topology_fill_distances(&run->topology, run->rows, run->row_count, run->nodes, run->count);
	for (size_t i = 0; i < run->row_count; i++)
		listing_add(&run->listing, run->rows[i]);
}

/* A matrix shows the doubts below it; other forms show them with -v. */
static void pass_doubts(struct topo_run *run)
{
	for_each (doubt, &run->doubts)
		problem_add_text(&run->listing.notes, NULL, NULL, NULL, doubt->error, doubt->hint);
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

/* Text is for people; columns and the other formats show records. */
static bool is_text(const struct globals *globals)
{
	return !globals->json && !globals->jsonl && !globals->columns;
}

static int show_path(struct topo_run *run)
{
	struct topology_path path;
	int status;

	if (run->row_count != 2) {
		listing_fail(&run->listing, STATUS_USAGE, "--why needs two nodes",
			     "rdmactl topo --why gpu0 mlx5_0");
		return finish(run, false, 0);
	}
	topology_find_path(&run->topology, run->rows[0], run->rows[1], &path);
	if (is_text(&run->listing.ctx->globals) && !run->listing.ctx->globals.tsv) {
		status = finish(run, true, topo_print_path(run, &path));
	} else {
		listing_add(&run->listing, &path);
		status = finish(run, false, 0);
	}
	topology_path_clear(&path);
	return status;
}

static int show_assignment(struct topo_run *run)
{
	_cleanup_(assignment_list_clear) struct assignment_list list = {.count = 0};

	return finish(run, true, topo_assign(run, &list));
}

static int show(struct topo_run *run)
{
	const struct globals *globals = &run->listing.ctx->globals;

	if (run->args->assign.known || run->args->env.known)
		return show_assignment(run);
	if (run->args->why)
		return show_path(run);
	if (run->args->svg) {
		topo_write_svg(run);
		return finish(run, true, 0);
	}
	if (run->args->nccl_xml)
		return finish(run, true, topo_print_nccl(run));
	if (run->args->tree && is_text(globals) && !globals->tsv)
		return finish(run, true, topo_print_tree(run));
	if (!can_compare(run))
		return finish(run, false, 0);
	if (!run->args->tree && is_text(globals))
		return finish(run, true, topo_print_matrix(run));
	pass_doubts(run);
	show_nodes(run);
	return finish(run, false, 0);
}

static bool parse_class(struct topo_run *run, enum topology_class *ret_class)
{
	const char *word = run->args->require;

	if (!word || !topology_parse_class(word, ret_class))
		return true;
	return listing_fail_format(&run->listing, STATUS_USAGE, "pix, pxb, phb, node or sys",
				   "--require: unknown class '%s'", word);
}

static const struct schema *schema_of(const struct topo_args *args)
{
	if (args->why)
		return &topology_path_schema;
	return args->assign.known && !args->env.known ? &assignment_schema : &topology_schema;
}

static int run_topo(const struct ctx *ctx, const void *args, char **words)
{
	struct topo_run run = {.args = args, .root = {.fd = -1}};
	enum topology_class class = TOPOLOGY_SYSTEM;

	if (!listing_begin_as(&run.listing, ctx, schema_of(run.args), false) ||
	    !parse_class(&run, &class) || !load(&run) || !choose(&run, words))
		return finish(&run, false, 0);
	if (run.args->require && !topo_check(&run, class))
		return finish(&run, false, 0);
	return show(&run);
}

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("tree why nccl-xml svg assign", NULL),
	OPTIONS_ONE_OF("tree why nccl-xml svg env", NULL),
	OPTIONS_NEED("gpu", "env", NULL),
	OPTIONS_EXCLUDE("why", "require", NULL),
	OPTIONS_EXCLUDE("names", "tree why nccl-xml svg assign env", NULL),
	OPTIONS_EXCLUDE("nccl-xml svg env", "json jsonl tsv columns", NULL),
	{.options = NULL},
};

static const struct schema *const more_schemas[] = {&topology_path_schema, &assignment_schema,
						    NULL};

const struct command topo_command = {
	.name = "topo",
	.group = GROUP_TEST,
	.summary = "show which adapters, accelerators, CPUs and memory belong together",
	.objects = "[NODE...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.options = {options},
	.rules = rules,
	.args_size = sizeof(struct topo_args),
	.schema = &topology_schema,
	.more_schemas = more_schemas,
	.run = run_topo,
};
