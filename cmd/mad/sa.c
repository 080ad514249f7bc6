/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sa: records of the subnet administrator. */
#include <string.h>

#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/sa_query.h"

static const struct option_row options[] = {
	STRING_OPTION(struct sa_args, from, 0, "from", "DEST", COMPLETE_NOTHING,
		      "path: where it begins (default: this port)"),
	STRING_OPTION(struct sa_args, to, 0, "to", "DEST", COMPLETE_NOTHING, "path: where it ends"),
	FLAG_OPTION(struct sa_args, count, 0, "count", "print how many records there are"),
	MAD_OPTIONS(struct sa_args),
	{.name = NULL},
};

static const struct mad_attribute *attribute_at(size_t number)
{
	for (const struct mad_attribute *attribute = sa_attributes; attribute->schema; attribute++)
		if (attribute->word && !number--)
			return attribute;
	return NULL;
}

static bool form(size_t number, struct command_form *ret_form)
{
	const struct mad_attribute *attribute = attribute_at(number);

	if (!attribute)
		return false;
	*ret_form = (struct command_form){
		.word = attribute->word,
		.alias = attribute->alias,
		.summary = attribute->schema->summary,
		.schema = attribute->schema,
		.all_columns = attribute->id == SA_CLASS_PORT_INFO,
	};
	return true;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct mad_attribute *attribute;

	for (size_t i = 0; (attribute = attribute_at(i)); i++)
		if (!strcmp(attribute->word, objects[0]) ||
		    (attribute->alias && !strcasecmp(attribute->alias, objects[0])))
			return sa_query(ctx, args, attribute, objects + 1);
	return command_complain_form(ctx, objects[0]);
}

const struct command sa_command = {
	.name = "sa",
	.group = GROUP_MAD,
	.summary = "query the records of the subnet administrator",
	.objects = "RECORD [FIELD=VALUE...]",
	.object_completion = COMPLETE_FIELD,
	.least_objects = 1,
	.most_objects = -1,
	.options = {options},
	.args_size = sizeof(struct sa_args),
	.schema = &sa_count_schema,
	.form = form,
	.own_timeout = true,
	.needs = "umad",
	.run = run,
};
