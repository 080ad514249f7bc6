/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl resources: how much of a device is in use, by whom, object by object. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/resources/resources_run.h"

static const struct enum_name by_choices[] = {
	{BY_PROCESS, "process", TONE_PLAIN, "sums over all objects of a process"},
	{0, NULL},
};

/* A list of words, not a choice, because codes without a word are written unknown-N. */
#define WORDS_OPTION(member, names_, help_)                                           \
	{                                                                             \
		.name = #member, .kind = OPTION_STRING, .metavar = "WORDS",           \
		.help = help_ " (comma-separated)", .choices = names_,                \
		.completion = COMPLETE_CHOICE,                                        \
		.offset = OPTION_OFFSET(struct resources_args, member, const char *), \
	}

static const struct option_row summary_options[] = {
	CHOICE_OPTION(struct resources_args, by, 0, "by", "WHAT", by_choices,
		      "totals instead of objects: process"),
	{.name = NULL},
};

static const struct option_row holder_options[] = {
	NUMBER_OPTION(COUNT, struct resources_args, pid, 'p', "pid", "PID", 1, 0,
		      "only objects of this process"),
	STRING_OPTION(struct resources_args, comm, 0, "comm", "NAME", COMPLETE_NOTHING,
		      "only objects of processes of this name, or of this part of the kernel"),
	NUMBER_OPTION(COUNT, struct resources_args, limit, 'n', "limit", "N", 1, 0,
		      "stop after this many lines"),
	{.name = NULL},
};

static const struct option_row qp_options[] = {
	WORDS_OPTION(state, qp_state_names, "only queue pairs in this state"),
	WORDS_OPTION(type, qp_type_names, "only queue pairs of this type"),
	FLAG_OPTION(struct resources_args, raw, 0, "raw",
		    "what the adapter itself knows, as far as rdmactl can decode it (root)"),
	{.name = NULL},
};

static const struct option_row cm_id_options[] = {
	WORDS_OPTION(state, cm_id_state_names, "only identifiers in this state"),
	WORDS_OPTION(type, qp_type_names, "only identifiers of queue pairs of this type"),
	{.name = NULL},
};

static const struct option_row srq_options[] = {
	WORDS_OPTION(type, srq_type_names, "only shared receive queues of this type"),
	{.name = NULL},
};

static const struct option_row kind_options[] = {
	STRING_OPTION(struct resources_args, where, 'w', "where", "FIELD=VALUE", COMPLETE_WHERE,
		      "only objects with these field values (comma-separated)"),
	{.name = NULL},
};

static const struct option_rule rules[] = {
	OPTIONS_NEED("pid comm", "by", "or a kind of object: rdmactl resources qp"),
	{.options = NULL},
};

bool resources_begin(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		     char **words, bool ports)
{
	_cleanup_(freep) char *message = NULL;

	if (!listing_begin_as(listing, ctx, schema, false))
		return false;
	if (objects_parse(&listing->objects, words, ports, &message))
		return listing_fail(listing, STATUS_USAGE, message,
				    "give the kind of object first, if any, then devices");
	return !listing_refuses_tree(listing, "a saved tree has no objects in use");
}

void resources_fail(struct listing *listing, int rc)
{
	problem_add(&listing->problems, NULL, "objects in use", "nldev", rc,
		    "only RDMA netlink lists them, since Linux 4.16; in other network namespaces "
		    "since 5.4");
	listing->status = STATUS_FAILED;
}

bool resources_open(struct listing *listing, bool with_processes, struct processes **ret_processes,
		    struct resource_loader **ret_loader)
{
	int rc = with_processes ? processes_open(listing->ctx->globals.root, ret_processes) : 0;

	if (!rc)
		rc = resource_loader_open(&listing->inventory, &listing->objects, *ret_processes,
					  ret_loader);
	if (rc)
		resources_fail(listing, rc);
	return !rc;
}

static int summary(const struct ctx *ctx, const struct resources_args *args, char **words)
{
	_cleanup_(resource_summary_list_clear) struct resource_summary_list list = {0};
	struct listing listing;
	int rc;

	if (resources_begin(&listing, ctx, &resource_summary_schema, words, false) &&
	    listing_load_inventory(&listing, 0)) {
		rc = resource_summaries_load(&listing.inventory, &list);
		if (rc)
			resources_fail(&listing, rc);
		for (size_t i = 0; i < list.count; i++)
			if (!args->limit.known || i < args->limit.value)
				listing_add(&listing, &list.items[i]);
	}
	return listing_end(&listing);
}

static bool passes(const void *context, const struct resource *resource)
{
	return resources_filter_passes(context, resource);
}

static int by_process(const struct ctx *ctx, const struct resources_args *args, char **words)
{
	const struct resources_filter filter = {.args = args};
	struct resource_loader *loader = NULL;
	_cleanup_(processes_freep) struct processes *processes = NULL;
	_cleanup_(process_usage_list_clear) struct process_usage_list usages = {0};
	struct listing listing;
	unsigned int kinds;
	int status;

	if (resources_begin(&listing, ctx, &process_usage_schema, words, false) &&
	    listing_load_inventory(&listing, 0)) {
		if (resources_open(&listing, true, &processes, &loader)) {
			kinds = resource_loader_count(loader, processes, (1u << RESOURCE_KINDS) - 1,
						      passes, &filter, &listing.problems,
						      &listing.notes);
			processes_sum_up(processes, kinds, columns_needs(&listing.columns), &usages,
					 &listing.problems);
		}
		for (size_t i = 0; i < usages.count; i++)
			if (!args->limit.known || i < args->limit.value)
				listing_add(&listing, &usages.items[i]);
	}
	status = listing_end(&listing);
	resource_loader_free(loader);
	return status;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct resources_args *resources_args = args;

	return resources_args->by.known ? by_process(ctx, resources_args, objects)
					: summary(ctx, resources_args, objects);
}

static int run_kind(const struct ctx *ctx, const void *args, char **objects)
{
	const struct enum_name *kind = ctx->command->data;

	return resources_list(ctx, args, (enum resource_kind)kind->value, objects);
}

static const struct schema *const qp_schemas[] = {&qp_context_schema, NULL};

static bool child(size_t number, struct command *ret_child)
{
	static const struct option_row *const options[RESOURCE_KINDS] = {
		[RESOURCE_QP] = qp_options,
		[RESOURCE_CM_ID] = cm_id_options,
		[RESOURCE_SRQ] = srq_options,
	};
	const struct enum_name *kind = &resource_kind_names[number];
	const bool filters = kind->word && options[kind->value];
	/* Only these belong to a port. */
	const bool ports = kind->value == RESOURCE_QP || kind->value == RESOURCE_CM_ID;

	if (!kind->word)
		return false;
	*ret_child = (struct command){
		.name = kind->word,
		.summary = kind->help,
		.objects = ports ? "[DEV[/PORT]...]" : "[DEV...]",
		.object_completion = ports ? COMPLETE_PORT : COMPLETE_DEVICE,
		.most_objects = -1,
		.options = {kind_options, holder_options, filters ? options[kind->value] : NULL},
		.args_size = sizeof(struct resources_args),
		.schema = resource_schema((enum resource_kind)kind->value),
		.more_schemas = kind->value == RESOURCE_QP ? qp_schemas : NULL,
		.data = kind,
		.run = run_kind,
	};
	return true;
}

static const struct schema *const more_schemas[] = {&process_usage_schema, NULL};

const struct command resources_command = {
	.name = "resources",
	.group = GROUP_LIVE,
	.summary = "list queue pairs, memory regions and other objects in use, and by whom",
	.objects = "[KIND] [DEV...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.options = {summary_options, holder_options},
	.rules = rules,
	.args_size = sizeof(struct resources_args),
	.schema = &resource_summary_schema,
	.more_schemas = more_schemas,
	.child = child,
	.child_word = "KIND",
	.run = run,
};
