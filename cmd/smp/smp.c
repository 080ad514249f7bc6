/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl smp: reads and sets attributes of subnet management. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/smp/smp_run.h"
#include "mad/smp_plan.h"

static void get_raw(const void *record, struct value *value)
{
	const struct mad_record *raw = record;

	if (!raw->index.known)
		return;
	text_write_hex(value->scratch, raw->data, SMP_BYTES);
	value_set_string(value, value->scratch);
}

static const struct field raw_fields[] = {
	MAD_OBJECT_FIELDS(FIELD_DEFAULT),
	MAD_PORT_FIELD(0),
	HEX_FIELD(struct mad_record, index, 8, "modifier", "MODIFIER", FIELD_DEFAULT, 0,
		  "attribute modifier of the request"),
	COMPUTED_FIELD(FIELD_STRING, get_raw, "data", "DATA", FIELD_DEFAULT, 0,
		       "the 64 bytes of the attribute, in hexadecimal"),
};

const struct schema smp_raw_schema = MAD_SCHEMA("smp_raw", raw_fields,
						"undecoded data of an attribute: --raw");

static const struct option_row port_options[] = {
	FLAG_OPTION(struct smp_args, all_ports, 0, "all-ports", "query all ports of the node"),
	{.name = NULL},
};

static const struct option_row table_options[] = {
	FLAG_OPTION(struct smp_args, all, 'a', "all", "include empty entries"),
	{.name = NULL},
};

static const struct option_row set_options[] = {
	STRING_OPTION(struct smp_args, set, 0, "set", "FIELD=VALUE", COMPLETE_FIELD,
		      "change a field (several separated by commas)"),
	FLAG_OPTION(struct smp_args, yes, 'y', "yes", "do not ask before changing it"),
	FLAG_OPTION(struct smp_args, force, 0, "force",
		    "change it even if that cuts the path to the node"),
	{.name = NULL},
};

static const struct option_row command_options[] = {
	CHOICE_OPTION(struct smp_args, command, 0, "command", "WORD", smp_command_names,
		      "command the subnet manager, as a master does"),
	{.name = NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct smp_args, raw, 0, "raw", "print the bytes in hexadecimal"),
	{.name = NULL},
};

static const struct schema *const raw_schemas[] = {&smp_raw_schema, NULL};

bool smp_is_record(const struct mad_attribute *attribute)
{
	return !attribute->entries && attribute->modifier != MODIFIER_SL2VL;
}

bool smp_begin(struct mad_listing *mad, const struct ctx *ctx, const struct smp_args *args,
	       const struct mad_attribute *attribute, const struct schema *schema, char **words)
{
	if (!mad_listing_begin(mad, ctx, &args->mad, schema, smp_is_record(attribute), false))
		return false;
	if (words[0] || attribute->id != UMAD_SM_ATTR_SM_INFO)
		return mad_listing_find(mad, words);
	return mad_listing_find_sm(
		mad, "start a subnet manager, or give a node: rdmactl smp sminfo -D 0,1");
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct mad_attribute *attribute = ctx->command->data;

	if (((const struct smp_args *)args)->command.known)
		return smp_send_command(ctx, args, attribute, objects);
	return ((const struct smp_args *)args)->set ? smp_set(ctx, args, attribute, objects)
						    : smp_get(ctx, args, attribute, objects);
}

static bool child(size_t number, struct command *ret_child)
{
	const struct mad_attribute *attribute = mad_attribute_at(sm_attributes, number);
	size_t count = 0;

	if (!attribute)
		return false;
	*ret_child = (struct command){
		.name = attribute->word,
		.alias = attribute->alias,
		.objects = attribute->modifier == MODIFIER_NONE ? "[DEST]" : "[DEST [INDEX...]]",
		.most_objects = -1,
		.args_size = sizeof(struct smp_args),
		.schema = attribute->schema,
		.more_schemas = raw_schemas,
		.all_columns = smp_is_record(attribute),
		.data = attribute,
		.run = run,
	};
	if (attribute->modifier != MODIFIER_NONE && smp_counts_ports(attribute))
		ret_child->options[count++] = port_options;
	if (attribute->entries)
		ret_child->options[count++] = table_options;
	if (!attribute->entries)
		ret_child->options[count++] = set_options;
	if (attribute->id == UMAD_SM_ATTR_SM_INFO)
		ret_child->options[count++] = command_options;
	ret_child->options[count++] = options;
	ret_child->options[count] = mad_options;
	return true;
}

static const struct option_rule rules[] = {
	OPTIONS_NEED("force", "set", NULL),
	OPTIONS_NEED("yes", "set command", NULL),
	OPTIONS_EXCLUDE("command", "set raw", NULL),
	MAD_RULES,
	{.options = NULL},
};

const struct command smp_command = {
	.name = "smp",
	.group = GROUP_MAD,
	.summary = "read and set the subnet management attributes of a node",
	.objects = "ATTRIBUTE [DEST [INDEX...]]",
	.least_objects = 1,
	.most_objects = -1,
	.rules = rules,
	.child = child,
	.child_word = "ATTRIBUTE",
	.own_timeout = true,
};
