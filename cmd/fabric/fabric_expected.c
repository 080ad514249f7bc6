/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ports that are known to be down: --expected-down FILE. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"

#define MOST_EXPECTED_BYTES ((size_t)1024 * 1024)

/* NODE/PORT, where the node is as elsewhere. FABRIC_NONE: it is not there, and *ret_why says so. */
static uint32_t find(struct fabric_run *run, const char *word, char **ret_why)
{
	_cleanup_(freep) char *node = NULL;
	unsigned int number = 0;
	struct fabric_place place;
	size_t found;

	if (!mad_target_split(word, &node, &number) || !number) {
		*ret_why = mem_string("it is not NODE/PORT");
		return FABRIC_NONE;
	}
	found = fabric_run_look_for_port(run, node, &place);
	if (found == 1 && number <= run->fabric.nodes[place.node].port_count)
		return fabric_port_at(&run->fabric, place.node, number);
	*ret_why = found == 1 ? mem_format("the node has no port %u", number)
		   : found    ? mem_format("it may be any of %zu nodes", found)
			      : mem_string("the scan found no such node");
	return FABRIC_NONE;
}

/* A blank line or a remark says nothing; a line that cannot be used is a problem. */
static void take_line(struct fabric_run *run, char *line, unsigned int number)
{
	char *word = line + strspn(line, " \t"), *end = word + strlen(word);
	_cleanup_(freep) char *why = NULL, *object = NULL;
	uint32_t port;

	while (end > word && strchr(" \t\r", end[-1]))
		*--end = '\0';
	if (!*word || *word == '#')
		return;
	port = find(run, word, &why);
	if (port != FABRIC_NONE) {
		run->expected[port] = true;
		if (run->fabric.ports[port].peer != FABRIC_NONE)
			run->expected[run->fabric.ports[port].peer] = true;
		return;
	}
	object = mem_format("expected-down, line %u", number);
	problem_add_text(&run->mad.listing.problems, object, NULL, NULL, why,
			 "each line is a NODE/PORT: rdmactl fabric ports lists them");
}

bool fabric_run_read_expected(struct fabric_run *run)
{
	const char *path = run->args->expected_down;
	_cleanup_(freep) char *text = NULL, *message = NULL, *clean = NULL;
	char *rest, *line;
	unsigned int number = 0;
	size_t length;
	int rc;

	if (!path)
		return true;
	rc = file_read(path, MOST_EXPECTED_BYTES, &text, &length);
	if (rc) {
		clean = text_clean(path, strlen(path));
		message = mem_format("cannot read %s: %s", clean, strerror(-rc));
		listing_fail(&run->mad.listing, STATUS_FAILED, message, NULL);
		return false;
	}
	run->expected = mem_alloc_zero((size_t)run->fabric.port_count + 1, sizeof(*run->expected));
	rest = text;
	while ((line = strsep(&rest, "\n")))
		take_line(run, line, ++number);
	return true;
}
