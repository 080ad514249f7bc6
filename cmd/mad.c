/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mad: management datagrams of any class, sent, decoded; the classes that a port answers.
 */
#include <string.h>

#include "base/mem.h"
#include "commands.h"
#include "mad_run.h"

/* A number, or one of the words that completion offers. */
#define WORD_OPTION(member, names, metavar_, help_)                                         \
	{                                                                                   \
		.name = #member, .kind = OPTION_STRING, .metavar = metavar_, .help = help_, \
		.choices = names, .completion = COMPLETE_CHOICE,                            \
		.offset = OPTION_OFFSET(struct mad_command_args, member, const char *),     \
	}

static const struct option_row options[] = {
	MAD_OPTIONS(struct mad_command_args),
	WORD_OPTION(class, mad_class_names, "CLASS", "send: management class: pm, sa, 0x32 ..."),
	WORD_OPTION(method, mad_sa_method_names, "METHOD",
		    "send: get (the default), set, get-table, 0x01 ..."),
	STRING_OPTION(struct mad_command_args, attribute, 0, "attribute", "ATTRIBUTE",
		      COMPLETE_NOTHING, "send: portcounters, PortCounters, 0x12 ..."),
	STRING_OPTION(struct mad_command_args, modifier, 0, "modifier", "N", COMPLETE_NOTHING,
		      "send: attribute modifier (default 0)"),
	STRING_OPTION(struct mad_command_args, data, 0, "data", "HEX|-", COMPLETE_NOTHING,
		      "send: the attribute's bytes, or - for standard input (default zeros)"),
	STRING_OPTION(struct mad_command_args, component_mask, 0, "component-mask", "MASK",
		      COMPLETE_NOTHING, "send: fields of an SA record that have to match"),
	STRING_OPTION(struct mad_command_args, oui, 0, "oui", "OUI", COMPLETE_NOTHING,
		      "send: whose vendor class it is (0x32 and 0x33: default 0x001405)"),
	FLAG_OPTION(struct mad_command_args, raw, 0, "raw", "print the bytes, too"),
	FLAG_OPTION(struct mad_command_args, yes, 'y', "yes",
		    "send: do not ask before what may change something"),
};

static const struct command_form forms[] = {
	{.word = "send",
	 .summary = "send any request, and show the answer: send [DEST]",
	 .schema = &mads_schema},
	{.word = "decode",
	 .summary = "show datagrams from files, hexadecimal or binary: decode FILE...",
	 .schema = &mads_schema},
	{.word = "classes",
	 .summary = "list the management classes that a port answers: classes [DEST]",
	 .schema = &mad_classes_schema},
};

static bool form(size_t number, struct command_form *ret_form)
{
	if (number >= ARRAY_SIZE(forms))
		return false;
	*ret_form = forms[number];
	return true;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	if (!strcmp(objects[0], "send"))
		return mad_send(ctx, args, objects + 1);
	if (!strcmp(objects[0], "decode"))
		return mad_decode_files(ctx, args, objects + 1);
	if (!strcmp(objects[0], "classes"))
		return mad_classes(ctx, args, objects + 1);
	return command_complain_form(ctx, objects[0]);
}

const struct command mad_command = {
	.name = "mad",
	.group = GROUP_MAD,
	.summary = "send and decode management datagrams of any class",
	.objects = "send|decode|classes [DEST|FILE...]",
	.object_completion = COMPLETE_FILE,
	.least_objects = 1,
	.most_objects = -1,
	.options = options,
	.option_count = ARRAY_SIZE(options),
	.args_size = sizeof(struct mad_command_args),
	.form = form,
	.own_timeout = true,
	.needs = "umad; decode needs nothing",
	.run = run,
};
