/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl cc: reads and sets the congestion control of a node (class 0x21, annex A10). */
#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/gmp.h"

/* Attributes that only report, and cannot be set. */
static bool is_report(const struct mad_attribute *attribute)
{
	return attribute->id == MAD_CC_INFO || attribute->id == MAD_CC_LOG ||
	       attribute->id == MAD_CC_TIMESTAMP || attribute->id == UMAD_ATTR_CLASS_PORT_INFO;
}

static bool child(size_t number, struct command *ret_child)
{
	const struct mad_attribute *attribute = mad_attribute_at(cc_attributes, number);
	size_t count = 0;

	if (!attribute)
		return false;
	*ret_child = (struct command){
		.name = attribute->word,
		.alias = attribute->alias,
		.objects = attribute->entries ? "[DEST [ENTRY...]]" : "[DEST]",
		.most_objects = -1,
		.args_size = sizeof(struct gmp_args),
		.schema = attribute->schema,
		.all_columns = !attribute->entries,
		.data = attribute,
		.run = gmp_run,
	};
	if (attribute->entries)
		ret_child->options[count++] = gmp_all_options;
	if (!is_report(attribute))
		ret_child->options[count++] = gmp_set_options;
	ret_child->options[count] = mad_options;
	return true;
}

static const struct option_rule rules[] = {
	OPTIONS_NEED("yes", "set", NULL),
	OPTIONS_EXCLUDE("all", "set", NULL),
	MAD_RULES,
	{.options = NULL},
};

const struct command cc_command = {
	.name = "cc",
	.group = GROUP_MAD,
	.summary = "read and set congestion control of a node",
	.objects = "ATTRIBUTE [DEST [ENTRY...]]",
	.least_objects = 1,
	.most_objects = -1,
	.rules = rules,
	.child = child,
	.child_word = "ATTRIBUTE",
	.own_timeout = true,
};
