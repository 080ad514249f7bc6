/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mesh/plan/plan.h"

/* Parses `n1` or `n1/3`. Returns NULL, or what is wrong with it. */
static const char *parse_end(char *word, const struct mesh_names *names, uint32_t *ret_host,
			     uint16_t *ret_rail)
{
	char *slash = strrchr(word, '/');
	uint64_t rail = PLAN_ALL_RAILS;

	if (slash && text_parse_u64(slash + 1, 10, MESH_MOST_RAILS - 1, &rail))
		return "this is not a rail";
	if (slash)
		*slash = '\0';
	if (!mesh_names_find(names, word, ret_host))
		return "no host has this name";
	*ret_rail = (uint16_t)rail;
	return NULL;
}

static int refuse(size_t line, const char *word, const char *reason, char **ret_message)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));

	*ret_message = mem_format("line %zu: '%s': %s", line, clean, reason);
	return -EINVAL;
}

/* Modifies the text of the line. */
static int parse_line(char *text, size_t line, const struct mesh_names *names,
		      struct plan_stage *stage, char **ret_message)
{
	static const char blanks[] = " \t\r";
	struct mesh_pair pair = {0};
	char *rest = NULL, *words[2], *more;
	const char *reason;

	text[strcspn(text, "#")] = '\0';
	words[0] = strtok_r(text, blanks, &rest);
	if (!words[0])
		return 0;
	words[1] = strtok_r(NULL, blanks, &rest);
	if (!words[1])
		return refuse(line, words[0], "the second host is missing", ret_message);
	more = strtok_r(NULL, blanks, &rest);
	if (more)
		return refuse(line, more, "only two hosts can be a pair", ret_message);
	reason = parse_end(words[0], names, &pair.a, &pair.rail_a);
	if (reason)
		return refuse(line, words[0], reason, ret_message);
	reason = parse_end(words[1], names, &pair.b, &pair.rail_b);
	if (reason)
		return refuse(line, words[1], reason, ret_message);
	if ((pair.rail_a == PLAN_ALL_RAILS) != (pair.rail_b == PLAN_ALL_RAILS))
		return refuse(line, words[1], "give a rail for both hosts or for neither",
			      ret_message);
	if (stage->pair_count == PLAN_MOST_PAIRS)
		return refuse(line, words[0], "there are too many pairs", ret_message);
	MEM_ADD(stage->pairs, stage->pair_count) = pair;
	return 0;
}

int plan_read_pairs(const char *text, size_t length, const struct mesh_host *hosts,
		    uint32_t host_count, struct plan_stage *stage, char **ret_message)
{
	_cleanup_(freep) char *copy = mem_alloc_zero(length + 1, 1);
	char *next = copy, *line;
	_cleanup_(mesh_names_clear) struct mesh_names names = {0};
	size_t number = 1;
	int rc = 0;

	memcpy(copy, text, length);
	if (strlen(copy) < length) {
		*ret_message = mem_string("it is not a text file");
		return -EINVAL;
	}
	mesh_names_fill(hosts, host_count, &names);
	for (; !rc && (line = strsep(&next, "\n")); number++)
		rc = parse_line(line, number, &names, stage, ret_message);
	if (!rc && !stage->pair_count) {
		*ret_message = mem_string("it has no pairs");
		rc = -EINVAL;
	}
	return rc;
}

static bool has_rail(const struct mesh_host *host, uint16_t rail)
{
	return rail == PLAN_ALL_RAILS || mesh_host_has_rail(host, rail) ||
	       host->presence != MESH_PRESENT;
}

char *plan_missing_rails(const struct plan_stage *stage, const struct mesh_host *hosts)
{
	const struct mesh_pair *first = NULL;
	size_t count = 0;
	bool is_a;

	for (size_t i = stage->pair_count; i-- > 0;) {
		const struct mesh_pair *pair = &stage->pairs[i];

		if (has_rail(&hosts[pair->a], pair->rail_a) &&
		    has_rail(&hosts[pair->b], pair->rail_b))
			continue;
		first = pair;
		count++;
	}
	if (!first)
		return NULL;
	is_a = !has_rail(&hosts[first->a], first->rail_a);
	return mem_format("%zu pair%s left out because a host has no such rail, or cannot use it: "
			  "%s/%u",
			  count, count == 1 ? " is" : "s are",
			  hosts[is_a ? first->a : first->b].name,
			  is_a ? first->rail_a : first->rail_b);
}
