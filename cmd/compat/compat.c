/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compat/compat.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"

#define PERSONALITY(name) &name##_personality,
static const struct personality *const personalities[] = {
#include "cmd/compat/personalities.def"
};
#undef PERSONALITY

/* The names for completion. */
#define PERSONALITY(name) {0, #name},
static const struct enum_name personality_names[] = {
#include "cmd/compat/personalities.def"
	{0, NULL},
};
#undef PERSONALITY

/* A personality as a record. */
struct tool {
	char *name, *package, *summary;
};

static const struct field fields[] = {
	STRING_FIELD(struct tool, name, "name", "NAME", FIELD_DEFAULT, 0,
		     "name of the tool, which the program is called by"),
	STRING_FIELD(struct tool, package, "package", "PACKAGE", FIELD_DEFAULT, 0,
		     "package that contains the original tool"),
	STRING_FIELD(struct tool, summary, "summary", "SHOWS", FIELD_DEFAULT, 0,
		     "purpose of the tool"),
};

static const struct schema compat_schema = SCHEMA("compat", struct tool, fields,
						  "an older tool that the program imitates");

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const struct personality *compat_find(const char *path)
{
	const char *name = last_component(path);

	for (size_t i = 0; i < ARRAY_SIZE(personalities); i++)
		if (!strcmp(personalities[i]->name, name))
			return personalities[i];
	return NULL;
}

/* False if RDMACTL_COMPAT holds an unknown release. */
static bool choose_release(enum compat_release *ret_release)
{
	const char *text = getenv("RDMACTL_COMPAT");

	if (!text || !*text || !strcmp(text, "65"))
		*ret_release = COMPAT_65;
	else if (!strcmp(text, "44"))
		*ret_release = COMPAT_44;
	else
		return false;
	return true;
}

int compat_run(const struct ctx *ctx, const struct personality *personality, int argc, char **argv)
{
	struct personality_call call = {
		.program = last_component(argv[0]),
		.root = ctx->globals.root,
	};

	if (!choose_release(&call.release)) {
		command_complain(ctx, "RDMACTL_COMPAT must be 44 or 65",
				 "it selects the rdma-core release whose output to print");
		return STATUS_USAGE;
	}
	/* getopt's initial state, which parsing rdmactl's own options has changed. */
	optind = 0;
	opterr = 1;
	return finish_output(ctx, 0, personality->run(&call, argc, argv));
}

static int list_personalities(const struct ctx *ctx)
{
	struct tool tools[ARRAY_SIZE(personalities)];
	struct listing listing;
	bool begun = listing_begin(&listing, ctx, (char *[]){NULL}, false);
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		tools[i].name = mem_string(personalities[i]->name);
		tools[i].package = mem_string(personalities[i]->package);
		tools[i].summary = mem_string(personalities[i]->summary);
		if (begun)
			listing_add(&listing, &tools[i]);
	}
	status = listing_end(&listing);
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		free(tools[i].name);
		free(tools[i].package);
		free(tools[i].summary);
	}
	return status;
}

static int complain_name(const struct ctx *ctx, const char *name)
{
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));
	_cleanup_(freep) char *message = mem_format("no personality '%s'", clean);
	_cleanup_(freep) char *hint = NULL;
	const char *names[ARRAY_SIZE(personalities)], *closest;

	for (size_t i = 0; i < ARRAY_SIZE(personalities); i++)
		names[i] = personalities[i]->name;
	closest = text_closest(name, names, ARRAY_SIZE(names));
	hint = closest ? mem_format("did you mean '%s'?", closest)
		       : mem_string("rdmactl compat lists them");
	command_complain(ctx, message, hint);
	return STATUS_USAGE;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	const struct globals *globals = &ctx->globals;
	const struct personality *personality;
	int argc = 0;

	(void)args;
	if (!objects[0])
		return list_personalities(ctx);
	personality = strchr(objects[0], '/') ? NULL : compat_find(objects[0]);
	if (!personality)
		return complain_name(ctx, objects[0]);
	if (globals->json || globals->jsonl || globals->tsv || globals->columns) {
		command_complain(ctx, "a personality only prints the output of its tool",
				 "rdmactl devices, ports, gids and caps have JSON");
		return STATUS_USAGE;
	}
	while (objects[argc])
		argc++;
	return compat_run(ctx, personality, argc, objects);
}

const struct command compat_command = {
	.name = "compat",
	.group = GROUP_SHELL,
	.summary = "imitate older tools such as ibstat and ibv_devinfo",
	.objects = "[TOOL [ARGUMENT...]]",
	.object_completion = COMPLETE_CHOICE,
	.object_choices = personality_names,
	.most_objects = -1,
	.passes_on = true,
	.schema = &compat_schema,
	.run = run,
};
