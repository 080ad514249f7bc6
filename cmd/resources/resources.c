/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl resources: how much of a device is in use, by whom, object by object. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/resources/resources_run.h"

static const struct enum_name by_choices[] = {
	{BY_PROCESS, "process", TONE_PLAIN, "sums over all objects of a process"},
	{0, NULL},
};

/* Which words there are depends on the kind: the shell is offered those of queue pairs. */
#define WORDS_OPTION(record, member, name_, names_, help_)                              \
	{                                                                               \
		.name = name_, .kind = OPTION_STRING, .metavar = "WORD", .help = help_, \
		.choices = names_, .completion = COMPLETE_CHOICE,                       \
		.offset = OPTION_OFFSET(record, member, const char *)                   \
	}

static const struct option_row options[] = {
	CHOICE_OPTION(struct resources_args, by, 0, "by", "WHAT", by_choices,
		      "sums instead of objects: process"),
	NUMBER_OPTION(COUNT, struct resources_args, pid, 'p', "pid", "PID", 1, 0,
		      "only what this process holds"),
	STRING_OPTION(struct resources_args, comm, 0, "comm", "NAME", COMPLETE_NOTHING,
		      "only what processes of this name hold, or this part of the kernel"),
	WORDS_OPTION(struct resources_args, state, "state", qp_state_names,
		     "qp, cm_id: only those in this state (several with commas between)"),
	WORDS_OPTION(struct resources_args, type, "type", qp_type_names,
		     "qp, cm_id, srq: only those of this type (several with commas between)"),
	NUMBER_OPTION(COUNT, struct resources_args, limit, 'n', "limit", "N", 1, 0,
		      "stop after that many lines"),
};

static bool form(size_t number, struct command_form *ret_form)
{
	const struct enum_name *kind = &resource_kind_names[number];

	if (!kind->word)
		return false;
	*ret_form = (struct command_form){
		.word = kind->word,
		.summary = kind->help,
		.schema = resource_schema((enum resource_kind)number),
	};
	return true;
}

bool resources_begin(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		     char **words, bool ports)
{
	_cleanup_(freep) char *message = NULL;

	if (!listing_begin_as(listing, ctx, schema, false))
		return false;
	if (objects_parse(&listing->objects, words, ports, &message)) {
		listing_fail(listing, STATUS_USAGE, message,
			     "first the kind of object, if any, then devices");
		return false;
	}
	return !listing_refuses_root(listing, "a saved tree has no objects in use");
}

void resources_fail(struct listing *listing, int rc)
{
	problem_add(&listing->problems, NULL, "objects in use", "nldev", rc,
		    "only RDMA netlink tells of them, from Linux 4.16 on; in a network namespace "
		    "of its own from 5.4 on");
	listing->status = STATUS_FAILED;
}

bool resources_open(struct listing *listing, bool with_processes, struct processes **ret_processes,
		    struct resource_loader **ret_loader)
{
	int rc = with_processes ? processes_open(NULL, ret_processes) : 0;

	if (!rc)
		rc = resource_loader_open(&listing->inventory, &listing->objects, *ret_processes,
					  ret_loader);
	if (rc)
		resources_fail(listing, rc);
	return !rc;
}

static int summary(const struct ctx *ctx, const struct resources_args *args, char **words)
{
	struct resource_summary_list list = {0};
	struct listing listing;
	int rc, status;

	if (resources_begin(&listing, ctx, &resource_summary_schema, words, false) &&
	    listing_load_inventory(&listing, 0)) {
		rc = resource_summaries_load(&listing.inventory, &list);
		if (rc)
			resources_fail(&listing, rc);
		for (size_t i = 0; i < list.count; i++)
			if (!args->limit.known || i < args->limit.value)
				listing_add(&listing, &list.items[i]);
	}
	status = listing_end(&listing);
	resource_summary_list_clear(&list);
	return status;
}

/* Options that go with some of what there is to list. */
static const char *check(const struct resources_args *args, const struct enum_name *kind)
{
	if (args->by.known && kind)
		return "--by process sums objects of all kinds: name none";
	if (args->by.known && (args->state || args->type))
		return "--state and --type go with a kind of object: rdmactl resources qp";
	if (!args->by.known && !kind && (args->pid.known || args->comm))
		return "--pid and --comm go with a kind of object, or with --by process";
	if (!kind && (args->state || args->type))
		return "--state and --type go with a kind of object";
	return NULL;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct resources_args *resources_args = args;
	const struct enum_name *kind = objects[0] ? enum_find_word(resource_kind_names, objects[0])
						  : NULL;
	const char *wrong = check(resources_args, kind);

	if (wrong) {
		command_complain(ctx, wrong, "rdmactl resources --help");
		return STATUS_USAGE;
	}
	if (kind)
		return resources_list(ctx, resources_args, (enum resource_kind)kind->value,
				      objects + 1);
	if (resources_args->by.known)
		return resources_by_process(ctx, resources_args, objects);
	return summary(ctx, resources_args, objects);
}

static const struct schema *const more_schemas[] = {&process_usage_schema, NULL};

const struct command resources_command = {
	.name = "resources",
	.group = GROUP_LIVE,
	.summary = "list queue pairs, memory regions and other objects in use, and by whom",
	.objects = "[KIND] [DEV...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.options = options,
	.option_count = ARRAY_SIZE(options),
	.args_size = sizeof(struct resources_args),
	.schema = &resource_summary_schema,
	.more_schemas = more_schemas,
	.form = form,
	.run = run,
};
