/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl smp: attributes of subnet management, read and set. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/mad/smp_run.h"

static void get_raw(const void *record, struct value *value)
{
	const struct mad_record *raw = record;

	if (!raw->index.known)
		return;
	for (size_t i = 0; i < SMP_BYTES; i++)
		snprintf(value->scratch + 2 * i, 3, "%02x", raw->data[i]);
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
						"an attribute's data as they came: --raw");

static const struct option_row options[] = {
	MAD_OPTIONS(struct smp_args),
	FLAG_OPTION(struct smp_args, all_ports, 0, "all-ports", "of all ports of the node"),
	FLAG_OPTION(struct smp_args, all, 'a', "all", "list empty entries of tables, too"),
	FLAG_OPTION(struct smp_args, raw, 0, "raw", "print the bytes, in hexadecimal"),
	STRING_OPTION(struct smp_args, set, 0, "set", "FIELD=VALUE", COMPLETE_FIELD,
		      "change it (several with commas between)"),
	FLAG_OPTION(struct smp_args, yes, 'y', "yes", "do not ask before it is changed"),
	FLAG_OPTION(struct smp_args, force, 0, "force",
		    "change it even if that cuts the way to the node"),
	{.name = NULL},
};

static bool form(size_t number, struct command_form *ret_form)
{
	const struct mad_attribute *attribute = sm_attributes;

	for (; attribute->schema; attribute++) {
		if (!attribute->word || number--)
			continue;
		*ret_form = (struct command_form){
			.word = attribute->word,
			.alias = attribute->alias,
			.summary = attribute->schema->summary,
			.schema = attribute->schema,
			.all_columns = smp_is_record(attribute),
		};
		return true;
	}
	return false;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct smp_args *smp_args = args;
	const struct mad_attribute *attribute = mad_attribute_find_word(sm_attributes, objects[0]);

	if (!attribute)
		return command_complain_form(ctx, objects[0]);
	if (!smp_args->set && (smp_args->yes || smp_args->force)) {
		command_complain(ctx, "--yes and --force go with --set", "rdmactl smp --help");
		return STATUS_USAGE;
	}
	return smp_args->set ? smp_set(ctx, smp_args, attribute, objects + 1)
			     : smp_get(ctx, smp_args, attribute, objects + 1);
}

const struct command smp_command = {
	.name = "smp",
	.group = GROUP_MAD,
	.summary = "read and set what subnet management knows of a node",
	.objects = "ATTRIBUTE [DEST [INDEX...]]",
	.least_objects = 1,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct smp_args),
	.schema = &smp_raw_schema,
	.form = form,
	.own_timeout = true,
	.needs = "umad",
	.run = run,
};
