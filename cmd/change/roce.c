/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl roce: whether RoCE is lossless, and if not, where the chain breaks. */
#include "roce/table/roce.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/change/change_run.h"
#include "cmd/commands.h"
#include "cmd/listing.h"
#include "roce/tos.h"

struct roce_args {
	const char *tos, *dscp;
};

static const struct option_row roce_options[] = {
	STRING_OPTION(struct roce_args, tos, 't', "tos", "N", COMPLETE_NOTHING,
		      "trace packets with this TOS instead of the default one"),
	STRING_OPTION(struct roce_args, dscp, 'd', "dscp", "NAME|N", COMPLETE_NOTHING,
		      "give the TOS as a DSCP: AF31, CS3, EF, 26"),
	{0},
};

static const struct option_rule rules[] = {
	OPTIONS_ONE_OF("tos dscp", "a TOS is four times its DSCP plus the ECN bits"),
	{0},
};

static bool parse_tos(struct listing *listing, const struct roce_args *args, struct number *ret_tos)
{
	const char *word = args->tos ? args->tos : args->dscp;
	unsigned int value = 0;

	if (!word)
		return true;
	if (args->tos ? tos_parse(word, &value) : tos_parse_dscp(word, &value))
		return listing_fail_format(listing, STATUS_USAGE,
					   args->tos ? "a TOS is a number from 0 to 255: 106, 0x6a"
						     : TOS_DSCP_HINT,
					   "'%s' is not a %s", word, args->tos ? "TOS" : "DSCP");
	*ret_tos = number_of(value);
	return true;
}

/* Prints a port in full, with its chain as a table below. 0 or -errno of the output. */
static int print_port(const struct listing *listing, const struct roce_port *port)
{
	struct render_options options = listing_options(listing);
	_cleanup_(columns_free) struct columns members = {.count = 0}, steps = {.count = 0};
	_cleanup_(freep) char *bad = NULL;
	_cleanup_(freep) const void **rows = mem_alloc_zero(port->chain.steps.count, sizeof(*rows));
	const void *const record = port;
	int rc;

	if (columns_select(&members, &roce_schema, COLUMNS_ALL, "-chain", &bad) ||
	    columns_select(&steps, &roce_step_schema, COLUMNS_ALL, NULL, &bad))
		return -EINVAL;
	for (size_t i = 0; i < port->chain.steps.count; i++)
		rows[i] = (const struct roce_step *)port->chain.steps.rows + i;
	rc = render(stdout, &options,
		    &(struct document){.columns = &members, .rows = &record, .row_count = 1});
	options.format = FORMAT_TABLE;
	if (!rc)
		rc = render_text(stdout, "\n");
	if (!rc)
		rc = render(stdout, &options,
			    &(struct document){.columns = &steps,
					       .rows = rows,
					       .row_count = port->chain.steps.count});
	return rc;
}

/* Ports in full are not printed in the layout of JSON: the chain is easier to read as a table. */
static int finish(struct listing *listing, const struct roce_list *list)
{
	int rc = 0;

	if (listing_options(listing).format != FORMAT_RECORD || !list->count)
		return listing_end(listing);
	for (size_t i = 0; i < list->count && !rc; i++) {
		if (i)
			rc = render_text(stdout, "\n");
		if (!rc)
			rc = print_port(listing, &list->items[i]);
	}
	return listing_end_quietly(listing, rc);
}

/* Whether a device whose transport is unknown has a port that may speak RoCE. */
static bool has_unknown(const struct device_list *devices)
{
	for_each_port (device, port, devices)
		if (!device->transport.known && port->link_layer.value == LINK_LAYER_ETHERNET)
			return true;
	return false;
}

static int run(const struct ctx *ctx, const void *args, char **words)
{
	/* Named ports, and all ports with -v, are shown in full, one after the other. */
	const bool all = (*words || ctx->globals.verbose) && !ctx->globals.columns;
	struct number tos = {.known = false};
	_cleanup_(roce_list_clear) struct roce_list list = {.items = NULL};
	struct listing listing;

	if (listing_begin_as(&listing, ctx, &roce_schema, all) &&
	    listing_parse_objects(&listing, words, true) && parse_tos(&listing, args, &tos) &&
	    listing_load_inventory(&listing, ROCE_NEEDS)) {
		int rc = roce_list_load(&list, &listing.inventory, ctx->globals.root, &tos,
					&listing.problems);

		if (rc)
			problem_add(&listing.problems, NULL, "ports", "sysfs", rc, NULL);
		else if (!list.count)
			listing_none(&listing,
				     has_unknown(&listing.inventory.devices)
					     ? "ports,link_layer,node_type,transport"
					     : "ports,link_layer,node_type",
				     "no port speaks RoCE",
				     "rdmactl ports lists the ports and their link layers");
	}
	for (size_t i = 0; i < list.count; i++)
		listing_add(&listing, &list.items[i]);
	return finish(&listing, &list);
}

static const struct command *const children[] = {&roce_set_command, NULL};

const struct command roce_command = {
	.name = "roce",
	.group = GROUP_CHANGE,
	.summary = "show whether RoCE is lossless, and where not, or configure it",
	.objects = "[DEV[/PORT]... | COMMAND ...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.children = children,
	.child_word = "COMMAND",
	.options = {roce_options},
	.rules = rules,
	.args_size = sizeof(struct roce_args),
	.schema = &roce_schema,
	.run = run,
};
