/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/compat/compat.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"

#define PERSONALITY(name, package, instead, summary) {#name, package, summary, name##_run},
static const struct personality personalities[] = {
#include "cmd/compat/personalities.def"
};
#undef PERSONALITY

/* The names for completion. */
#define PERSONALITY(name, ...) {0, #name},
static const struct enum_name personality_names[] = {
#include "cmd/compat/personalities.def"
	{0, NULL},
};
#undef PERSONALITY

#define GET(member)                                                                    \
	static void get_##member(const void *record, struct value *value)              \
	{                                                                              \
		value_set_string(value, ((const struct personality *)record)->member); \
	}
GET(name)
GET(package)
GET(summary)
#undef GET

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_name, "name", "NAME", FIELD_DEFAULT, 0,
		       "name of the tool, which the program is called by"),
	COMPUTED_FIELD(FIELD_STRING, get_package, "package", "PACKAGE", FIELD_DEFAULT, 0,
		       "package that contains the original tool"),
	COMPUTED_FIELD(FIELD_STRING, get_summary, "summary", "SHOWS", FIELD_DEFAULT, 0,
		       "purpose of the tool"),
};

static const struct schema compat_schema = SCHEMA("compat", struct personality, fields,
						  "an older tool that the program imitates");

int compat_no_root(const struct personality_call *call, int error)
{
	fprintf(stderr, "%s: %s: %s\n", call->program, call->root ? call->root : "/",
		strerror(-error));
	return COMPAT_STATUS_PANIC;
}

void compat_print(FILE *file, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = mem_format_list(format, arguments);
	va_end(arguments);
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\t\n");
		_cleanup_(freep) char *clean = text_clean(at, length);

		fputs(clean, file);
		if (at[length])
			fputc(at[length++], file);
		at += length;
	}
}

int compat_ibexit(const char *program, bool debug, const char *function, const char *format, ...)
{
	_cleanup_(freep) char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	text = mem_format_list(format, arguments);
	va_end(arguments);
	compat_print(stdout, "%s: iberror: ", program);
	if (debug)
		printf("[pid %d] %s: ", (int)getpid(), function);
	compat_print(stdout, "failed: %s\n", text);
	return COMPAT_STATUS_PANIC;
}

void compat_options(enum compat_release release, const struct option *all, size_t count,
		    struct option *ret_options)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (release >= COMPAT_65 || all[i].val != 'Y')
			ret_options[kept++] = all[i];
}

int compat_pkey_index(const char *program, bool debug, const char *text, uint16_t *ret_index)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 0);
	if (errno || end == text || *end || value < 0 || value > UINT16_MAX)
		return compat_ibexit(program, debug, "process_opt",
				     "Invalid P_Key index \"%s\".  Requires an integer in the "
				     "range [0, %u].",
				     text, (unsigned int)UINT16_MAX);
	*ret_index = (uint16_t)value;
	return -1;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const struct personality *compat_find(const char *path)
{
	const char *name = last_component(path);

	for (size_t i = 0; i < ARRAY_SIZE(personalities); i++)
		if (!strcmp(personalities[i].name, name))
			return &personalities[i];
	return NULL;
}

/* Returns false if RDMACTL_COMPAT holds an unknown release. */
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

	if (!choose_release(&call.release))
		return command_complain(ctx, "RDMACTL_COMPAT must be 44 or 65",
					"it selects the rdma-core release whose output to print");
	/* Restore getopt's initial state, which parsing rdmactl's own options has changed. */
	optind = 0;
	opterr = 1;
	return finish_output(ctx, 0, personality->run(&call, argc, argv));
}

static int list_personalities(const struct ctx *ctx)
{
	struct listing listing;
	bool begun = listing_begin(&listing, ctx, (char *[]){NULL}, false);

	for (size_t i = 0; begun && i < ARRAY_SIZE(personalities); i++)
		listing_add(&listing, &personalities[i]);
	return listing_end(&listing);
}

static int complain_name(const struct ctx *ctx, const char *name)
{
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));
	const char *instead = command_instead(ctx, name);
	const char *names[ARRAY_SIZE(personalities)];

	for (size_t i = 0; i < ARRAY_SIZE(personalities); i++)
		names[i] = personalities[i].name;
	return command_usage(ctx, mem_format("no personality '%s'", clean),
			     text_suggest(name, names, ARRAY_SIZE(names),
					  instead ? instead : "rdmactl compat lists them"));
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
	if (globals->json || globals->jsonl || globals->tsv || globals->columns)
		return command_complain(ctx, "a personality only prints the output of its tool",
					"rdmactl devices, ports, gids and caps have JSON");
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
