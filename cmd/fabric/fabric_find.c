/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the node of the graph that a word of the command line means. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"

static const char how_to_name[] =
	"give a name, GUID, LID or directed route: rdmactl fabric nodes -o "
	"node,node_guid,lid,path lists them";

/* A GUID that is not in the scan may be an alias, like a virtual function's: the SA knows it. */
static size_t ask_sa(struct fabric_run *run, const struct mad_target *target,
		     struct fabric_place *ret_place)
{
	struct mad_place place = {.target = *target};
	struct mad_target by_lid = {.kind = TARGET_LID};

	if (!run->mad.session.engine || target->kind == TARGET_LID || target->kind == TARGET_DIRECT)
		return 0;
	mad_find_places(run->mad.session.engine, &run->mad.session.port.route, &place, 1);
	by_lid.lid = place.address.lid;
	/* The LID of a port in another subnet is the router's. */
	return place.error || place.beyond ? 0
					   : fabric_find_target(&run->finder, &by_lid, ret_place);
}

size_t fabric_run_look_for_port(struct fabric_run *run, const char *word,
				struct fabric_place *ret_place)
{
	enum target_kind kind = mad_forced_kind(&run->args->mad);
	struct mad_target target;
	size_t found = 0;

	/* A number is first tried as a LID or GUID, because a node may give itself any name. */
	if (!mad_target_parse(word, kind, &target)) {
		found = fabric_find_target(&run->finder, &target, ret_place);
		if (!found)
			found = ask_sa(run, &target, ret_place);
	}
	if (!found && (kind == TARGET_ANY || kind == TARGET_NAME))
		found = fabric_find_name(&run->finder, word, ret_place);
	return found;
}

bool fabric_run_split(struct fabric_run *run, const char *word, char **ret_node,
		      unsigned int *ret_port)
{
	struct fabric_place place;

	return mad_target_split(word, ret_node, ret_port) &&
	       (fabric_run_look_for_port(run, *ret_node, &place) ||
		!fabric_run_look_for_port(run, word, &place));
}

char *fabric_run_ports_text(const struct fabric_run *run, uint32_t node)
{
	const unsigned int count = run->fabric.nodes[node].port_count;
	_cleanup_(freep) char *name = fabric_node_name(&run->view, node);

	return count == 1 ? mem_format("no such port: %s has one port", name)
			  : mem_format("no such port: %s has ports 1 to %u", name, count);
}

char *fabric_run_missing_text(struct fabric_run *run, const char *word, size_t found)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word)), *node = NULL;
	struct fabric_place place;
	unsigned int port;

	if (found)
		return mem_format("'%s' matches %zu nodes", clean, found);
	if (mad_target_split(word, &node, &port) &&
	    fabric_find_name(&run->finder, node, &place) == 1)
		return fabric_run_ports_text(run, place.node);
	return mem_format("the scan found no node '%s'", clean);
}

/*
 * The description of an adapter consists of the host and the device, of which people remember the
 * host: suggests the nodes whose names begin with the word, if they are few. NULL: none; to be
 * freed.
 */
static char *suggest_nodes(const struct fabric_run *run, const char *word)
{
	enum { MOST = 4 };
	_cleanup_(freep) char *pattern = mem_format("%s *", word), *list = NULL;
	_cleanup_(freep) bool *named = fabric_match_names(&run->view, pattern);
	struct strings names = {.known = true};
	char *hint = NULL;

	for (uint32_t i = 0; named && i < run->fabric.node_count && names.count <= MOST; i++) {
		_cleanup_(freep) char *name = named[i] ? fabric_node_name(&run->view, i) : NULL;

		if (name && !strings_contain(&names, name))
			strings_add(&names, name);
	}
	for (size_t i = 0; i < names.count; i++)
		mem_extend(&list, "%s'%s'", list ? " or " : "", names.items[i]);
	if (list && names.count <= MOST)
		hint = mem_format("did you mean %s?", list);
	strings_free(&names);
	return hint;
}

bool fabric_run_find_port(struct fabric_run *run, const char *word, struct fabric_place *ret_place)
{
	const size_t found = fabric_run_look_for_port(run, word, ret_place);
	_cleanup_(freep) char *message = NULL, *hint = NULL;

	if (found == 1)
		return true;
	message = fabric_run_missing_text(run, word, found);
	hint = found ? NULL : suggest_nodes(run, word);
	return listing_fail(&run->mad.listing, found ? STATUS_USAGE : STATUS_NOTHING, message,
			    hint ? hint : how_to_name);
}
