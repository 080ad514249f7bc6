/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl mad: management datagrams of any class, sent, decoded; the classes that a port answers.
 */
#include <string.h>

#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/mad_run.h"
#include "cmd/option_use.h"

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
	{.name = NULL},
};

static const struct mad_word {
	struct command_form form;
	int (*run)(const struct ctx *ctx, const struct mad_command_args *args, char **words);
} mad_words[] = {
	{{.word = "send",
	  .summary = "send any request, and show the answer: send [DEST]",
	  .schema = &mads_schema},
	 mad_send},
	{{.word = "decode",
	  .summary = "show datagrams from files, hexadecimal or binary: decode FILE...",
	  .schema = &mads_schema},
	 mad_decode_files},
	{{.word = "classes",
	  .summary = "list the management classes that a port answers: classes [DEST]",
	  .schema = &mad_classes_schema},
	 mad_classes},
};

/* What says by which port, to whom and how. */
#define SENDING "send, classes"

static const struct option_use uses[] = {
	{"class", "send", NULL},    {"method", "send", NULL},  {"attribute", "send", NULL},
	{"modifier", "send", NULL}, {"data", "send", NULL},    {"component-mask", "send", NULL},
	{"oui", "send", NULL},	    {"yes", "send", NULL},     {"raw", "send, decode", NULL},
	{"via", SENDING, NULL},	    {"lid", SENDING, NULL},    {"guid", SENDING, NULL},
	{"gid", SENDING, NULL},	    {"direct", SENDING, NULL}, {"retries", SENDING, NULL},
	{"window", SENDING, NULL},  {"sl", SENDING, NULL},     {"pkey-index", SENDING, NULL},
	{"mkey", SENDING, NULL},    {"qkey", SENDING, NULL},
};

static bool form(size_t number, struct command_form *ret_form)
{
	if (number >= ARRAY_SIZE(mad_words))
		return false;
	*ret_form = mad_words[number].form;
	return true;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	for (size_t i = 0; i < ARRAY_SIZE(mad_words); i++) {
		if (strcmp(objects[0], mad_words[i].form.word))
			continue;
		if (!option_uses_fit(ctx, args, uses, ARRAY_SIZE(uses), objects[0]))
			return STATUS_USAGE;
		return mad_words[i].run(ctx, args, objects + 1);
	}
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
	.options = {options},
	.args_size = sizeof(struct mad_command_args),
	.form = form,
	.own_timeout = true,
	.needs = "umad; decode needs nothing",
	.run = run,
};
