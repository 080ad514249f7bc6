/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

const struct enum_name mesh_mode_names[] = {
	{MESH_LOOPBACK, "loopback", .help = "each rail with itself"},
	{MESH_RING, "ring", .help = "each host with the next one"},
	{MESH_SAMPLE, "sample", .help = "random matchings, sample:6 by default"},
	{MESH_BISECTION, "bisection", .help = "the first half of the hosts with the second"},
	{MESH_BY_SWITCH, "by-switch", .help = "matchings of hosts at the same switch"},
	{MESH_CROSS_SWITCH, "cross-switch", .help = "matchings of hosts at different switches"},
	{MESH_FULL, "full", .help = "each pair of hosts"},
	{MESH_INCAST, "incast", .help = "several hosts send to one; incast:4 by default"},
	{MESH_PAIRS, "pairs", .help = "the pairs in a file, pairs:FILE"},
	{0, NULL},
};

/* Default of the number that may follow the word of a mode; 0 if none may. */
static const uint32_t default_counts[MESH_MODES] = {
	[MESH_SAMPLE] = 6,	 [MESH_BISECTION] = 1, [MESH_BY_SWITCH] = 2,
	[MESH_CROSS_SWITCH] = 4, [MESH_INCAST] = 4,
};

/* The mode that may have been meant, else all of them. */
static char *suggest_mode(const char *word)
{
	const char *words[MESH_MODES];
	size_t count = 0;
	_cleanup_(freep) char *list = NULL;

	for (const struct enum_name *name = mesh_mode_names; name->word; name++) {
		words[count++] = name->word;
		mem_extend(&list, "%s%s%s", list ? ", " : "modes: ", name->word,
			   name->value == MESH_PAIRS	 ? ":FILE"
			   : default_counts[name->value] ? "[:N]"
							 : "");
	}
	return text_suggest(word, words, count, list);
}

static int parse_argument(struct plan_stage *stage, const char *word, const char *argument,
			  char **ret_message)
{
	uint64_t count = default_counts[stage->mode];

	if (stage->mode == MESH_PAIRS) {
		if (!argument || !*argument) {
			*ret_message = mem_string("'pairs' needs a file: pairs:FILE");
			return -EINVAL;
		}
		stage->path = mem_string(argument);
		return 0;
	}
	if (argument && !count) {
		*ret_message = mem_format("'%s' takes no number", word);
		return -EINVAL;
	}
	if (argument && (text_parse_u64(argument, 10, PLAN_MOST_COUNT, &count) || !count)) {
		_cleanup_(freep) char *clean = text_clean(argument, strlen(argument));

		*ret_message = mem_format("'%s' after '%s:' is not a number from 1 to %u", clean,
					  word, PLAN_MOST_COUNT);
		return -EINVAL;
	}
	stage->count = (uint32_t)count;
	return 0;
}

static int parse_stage(char *text, struct plan_stage *stage, char **ret_message, char **ret_hint)
{
	char *argument = strchr(text, ':');
	const struct enum_name *name;

	if (argument)
		*argument++ = '\0';
	name = enum_find_word(mesh_mode_names, text);
	if (!name) {
		_cleanup_(freep) char *clean = text_clean(text, strlen(text));

		*ret_message = mem_format("unknown mode '%s'", clean);
		*ret_hint = suggest_mode(text);
		return -EINVAL;
	}
	stage->mode = (enum mesh_mode)name->value;
	return parse_argument(stage, name->word, argument, ret_message);
}

int plan_parse(const char *text, struct plan *ret_plan, char **ret_message, char **ret_hint)
{
	_cleanup_(freep) char *copy = mem_string(text);
	struct plan plan = {0};
	char *next = copy, *word;

	while ((word = strsep(&next, ","))) {
		int rc;

		if (plan.count == PLAN_MOST_STAGES) {
			*ret_message = mem_format("a plan has at most %u stages", PLAN_MOST_STAGES);
			plan_clear(&plan);
			return -EINVAL;
		}
		rc = parse_stage(word, mem_append(&plan.stages, &plan.count, sizeof(*plan.stages)),
				 ret_message, ret_hint);
		if (rc) {
			plan_clear(&plan);
			return rc;
		}
	}
	*ret_plan = plan;
	return 0;
}

void plan_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++) {
		free(plan->stages[i].path);
		free(plan->stages[i].pairs);
	}
	free(plan->stages);
	*plan = (struct plan){0};
}

char *plan_stage_text(const struct plan_stage *stage)
{
	const char *word = enum_word(mesh_mode_names, stage->mode, "?");

	if (stage->mode == MESH_PAIRS) {
		_cleanup_(freep) char *clean = text_clean(stage->path, strlen(stage->path));

		return mem_format("%s:%s", word, clean);
	}
	if (!default_counts[stage->mode])
		return mem_string(word);
	return mem_format("%s:%u", word, stage->count);
}
