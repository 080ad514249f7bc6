/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user's list of NUMA nodes, for firmware that gives none or wrong ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "topology/place.h"

/* Whether the word names the node, its function or its host bridge. */
static bool is_meant(const struct topology_node *node, const char *word)
{
	return !strcmp(node->name, word) || strings_contain(&node->functions, word) ||
	       (node->host_bridge && !strcmp(node->host_bridge, word));
}

/* Takes a line "WORD NODE". Returns NULL, or a message for the caller to free. */
static char *take_line(struct topology *topology, char *line)
{
	_cleanup_(freep) char *clean = NULL;
	char *state = NULL, *word, *number;
	uint64_t value;
	bool found = false;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, " \t\r", &state);
	if (!word)
		return NULL;
	number = strtok_r(NULL, " \t\r", &state);
	if (!number || strtok_r(NULL, " \t\r", &state) ||
	    text_parse_u64(number, 10, UINT16_MAX, &value))
		return mem_string("expected a device, PCI address or host bridge, and a NUMA node");
	for (size_t i = 0; i < topology->count; i++) {
		struct topology_node *node = &topology->nodes[i];

		if (!is_meant(node, word))
			continue;
		number_set(&node->numa_node, value);
		number_set(&node->numa_source, TOPOLOGY_LOCALITY);
		found = true;
	}
	if (found)
		return NULL;
	clean = text_clean(word, strlen(word));
	return mem_format("there is no '%s'", clean);
}

int topology_take_locality(struct topology *topology, const char *text, char **ret_message)
{
	_cleanup_(freep) char *copy = mem_string(text);
	unsigned int number = 0;
	char *state = NULL;

	/* Line numbers include empty lines. */
	for (char *line = copy; line; line = state) {
		_cleanup_(freep) char *message = NULL;

		state = strchr(line, '\n');
		if (state)
			*state++ = '\0';
		number++;
		message = take_line(topology, line);
		if (!message)
			continue;
		*ret_message = mem_format("line %u: %s", number, message);
		return -EINVAL;
	}
	return 0;
}
