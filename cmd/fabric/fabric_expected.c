/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports that are known to be down: --expected-down FILE. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"

#define MOST_EXPECTED_BYTES ((size_t)1024 * 1024)

static const char form_hint[] = "each line is a NODE/PORT: rdmactl fabric ports --down --tsv "
				"--no-headings -o node,port | tr '\\t' /";

static size_t find_before(struct fabric_run *run, const char *word, struct fabric_place *ret_place)
{
	struct mad_target target;
	size_t found = 0;

	if (!mad_target_parse(word, mad_forced_kind(&run->args->mad), &target))
		found = fabric_find_target(&run->finder_before, &target, ret_place);
	return found ? found : fabric_find_name(&run->finder_before, word, ret_place);
}

/*
 * Finds NODE/PORT, where NODE has the usual forms; a node that is gone is in the earlier scan.
 * Returns NULL, or the reason why there is no such port, to be freed.
 */
static char *find(struct fabric_run *run, const char *word)
{
	_cleanup_(freep) char *node = NULL;
	const struct fabric *fabric = &run->fabric;
	bool *expected = run->expected;
	unsigned int number = 0;
	struct fabric_place place;
	uint32_t port;
	size_t found;

	if (!mad_target_split(word, &node, &number) || !number)
		return mem_string("the line is not NODE/PORT");
	found = fabric_run_look_for_port(run, node, &place);
	if (!found) {
		found = find_before(run, node, &place);
		fabric = &run->before;
		expected = run->expected_before;
	}
	if (!found)
		return mem_string("the scan found no such node");
	if (found > 1)
		return mem_format("the line matches %zu nodes", found);
	if (number > fabric->nodes[place.node].port_count)
		return mem_format("the node has no port %u", number);
	port = fabric_port_at(fabric, place.node, number);
	expected[port] = true;
	if (fabric->ports[port].peer != FABRIC_NONE)
		expected[fabric->ports[port].peer] = true;
	return NULL;
}

/*
 * Takes a line of the file. Blank lines, and comments from a # at the beginning or after a blank,
 * are ignored; a line that cannot be used is a problem.
 */
static void take_line(struct fabric_run *run, char *line, unsigned int number)
{
	char *word = line + strspn(line, " \t"), *end;
	_cleanup_(freep) char *why = NULL, *object = NULL;

	for (end = word; *end; end++)
		if (*end == '#' && (end == word || strchr(" \t", end[-1])))
			break;
	while (end > word && strchr(" \t\r", end[-1]))
		end--;
	*end = '\0';
	if (!*word)
		return;
	why = find(run, word);
	if (!why)
		return;
	object = mem_format("expected-down, line %u", number);
	problem_add_text(&run->mad.listing.problems, object, NULL, NULL, why, form_hint);
}

bool fabric_run_read_expected(struct fabric_run *run)
{
	const char *path = run->args->expected_down;

	return !path || listing_read_text(&run->mad.listing, path, MOST_EXPECTED_BYTES, form_hint,
					  &run->expected_text);
}

void fabric_run_find_expected(struct fabric_run *run)
{
	char *rest = run->expected_text, *line;
	unsigned int number = 0;

	if (!rest)
		return;
	run->expected = mem_alloc_zero(run->fabric.port_count, sizeof(*run->expected));
	run->expected_before = mem_alloc_zero(run->before.port_count,
					      sizeof(*run->expected_before));
	while ((line = strsep(&rest, "\n")))
		take_line(run, line, ++number);
}
