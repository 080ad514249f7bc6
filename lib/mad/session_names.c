/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks up the destinations of a session that are names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/names/find_node.h"
#include "mad/session.h"

#define LISTED_MOST 8u /* nodes that the message of an ambiguous name lists */

/* Lists the nodes with the name, each once. Returns their number. */
static size_t list_nodes(const struct node_search *search, struct text_buffer *text)
{
	size_t nodes = 0;

	for (size_t i = 0; i < search->count; i++) {
		const struct found_node *node = &search->nodes[i];
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen |= search->nodes[j].node_guid == node->node_guid;
		if (seen)
			continue;
		if (++nodes <= LISTED_MOST)
			text_buffer_add(text, "%sLID %u (%s)", nodes > 1 ? ", " : "", node->lid,
					node->name);
		else if (nodes == LISTED_MOST + 1)
			text_buffer_add(text, ", ...");
	}
	return nodes;
}

/* -EINVAL: several nodes have the name. */
static int refuse_ambiguous(struct mad_session *session, const struct node_search *search)
{
	static const char hint[] = "give the LID, the port GUID or the full description of one";
	struct text_buffer list = {.text = NULL};
	size_t nodes = list_nodes(search, &list);
	_cleanup_(freep) char *names = text_buffer_take(&list);

	if (nodes && search->cut)
		return session_report(session, hint,
				      "'%s' may match more nodes than %s: the subnet "
				      "administrator's answer was truncated",
				      search->text, names);
	if (nodes > 1)
		return session_report(session, hint, "'%s' matches %zu nodes: %s", search->text,
				      nodes, names);
	return 0;
}

static const char *hint_of_name(const char *text)
{
	_cleanup_(freep) char *node = NULL;
	struct mad_target target;
	unsigned int port;

	return mad_target_split(text, &node, &port) && !mad_target_parse(node, TARGET_ANY, &target)
		       ? "only a name takes its port after a slash; after a LID, GUID or route, "
			 "the port is a separate word: 4 1"
		       : "rdmactl fabric nodes lists them";
}

static void explain_search(struct mad_session *session, const struct node_search *search)
{
	_cleanup_(freep) char *clean = text_clean(search->text, strlen(search->text));
	struct problems *problems = session->problems;

	if (search->error == -ENODATA)
		problem_add_text(problems, clean, NULL, "sa",
				 "the subnet administrator looks names up, and the port knows none",
				 "start a subnet manager, or use a directed route: rdmactl fabric "
				 "nodes -o node,path");
	else if (search->error)
		problem_add_text(problems, clean, NULL, "sa", mad_sa_error(search->error),
				 mad_sa_hint(search->error));
	else if (search->status)
		problem_add_text(problems, clean, NULL, "sa",
				 "the subnet administrator refused the query",
				 "rdmactl sa nodes shows the status");
	else
		problem_add_text(problems, clean, NULL, "sa",
				 search->cut ? "no node with this name in the subnet "
					       "administrator's answer, which was truncated"
					     : "no node has this name in the node name map or in "
					       "its description",
				 hint_of_name(search->text));
}

/*
 * Chooses among the ports that were found: the PORT of NAME/PORT if it has its own LID, else the
 * first with a LID. *ret_left: PORT is not the chosen port, and remains to be queried.
 */
static const struct found_node *choose_node(const struct node_search *search, bool *ret_left)
{
	const struct found_node *first = NULL;

	*ret_left = search->port.known;
	for_each_in (node, search->nodes, search->count) {
		if (node->lid && (!first || node->port < first->port))
			first = node;
		if (!search->port.known || node->type == NODE_TYPE_SWITCH || !node->lid ||
		    node->port != search->port.value)
			continue;
		*ret_left = false;
		return node;
	}
	return first ? first : search->nodes;
}

int session_refuse_port(struct mad_session *session, const char *name)
{
	return session_report(session, "omit the port",
			      "'%s' is a port without a LID of its own, and the request goes to "
			      "the whole node",
			      name);
}

/* Makes the result of a search the place and, if PORT is left, the first word. */
static void take_node(struct mad_destination *destination, const struct node_search *search)
{
	bool left;
	const struct found_node *node = choose_node(search, &left);

	destination->place.target = (struct mad_target){
		.kind = TARGET_GUID,
		.guid = node->port_guid,
	};
	if (!left)
		return;
	destination->named_port = true;
	mem_append(&destination->words, &destination->word_count, sizeof(char *));
	memmove(destination->words + 1, destination->words,
		(destination->word_count - 1) * sizeof(char *));
	destination->words[0] = mem_format("%u", (unsigned int)search->port.value);
}

/* Whether the node lacks the PORT of NAME/PORT, which is reported. */
static bool lacks_port(struct mad_session *session, const struct node_search *search)
{
	const struct found_node *node = search->nodes;
	_cleanup_(freep) char *clean = NULL;

	if (!search->port.known || search->port.value <= node->port_count)
		return false;
	clean = text_clean(search->text, strlen(search->text));
	problem_add_format(session->problems, clean, "ports", "sa", NULL, "its last port is %u",
			   node->port_count);
	return true;
}

/* Returns false if the name has no place; the problems say why. */
static bool use_search(struct mad_session *session, struct mad_destination *destination,
		       const struct node_search *search)
{
	if (!search->count) {
		explain_search(session, search);
		return false;
	}
	if (lacks_port(session, search))
		return false;
	take_node(destination, search);
	return true;
}

int session_look_up_names(struct mad_session *session)
{
	size_t count = session->destination_count, named = 0, left = 0;
	_cleanup_(freep) struct node_search *searches = mem_alloc_zero(count, sizeof(*searches));
	int rc = 0;

	for (size_t i = 0; i < count; i++)
		if (session->destinations[i].wanted)
			searches[named++].text = session->destinations[i].wanted;
	if (!named)
		return 0;
	node_search(session->engine, &session->port.route, &session->names, searches, named);
	for (size_t i = 0; i < named && !rc; i++)
		rc = refuse_ambiguous(session, &searches[i]);
	named = 0;
	for_each_in (destination, session->destinations, count) {
		if (destination->wanted && !rc &&
		    !use_search(session, destination, &searches[named++]))
			session_free_destination(destination);
		else
			session->destinations[left++] = *destination;
	}
	session->destination_count = left;
	for (size_t i = 0; i < count; i++)
		node_search_clear(&searches[i]);
	return rc;
}

int mad_session_resolve(struct mad_session *session, const char *word,
			struct mad_target *ret_target)
{
	struct node_search search = {.text = word};
	struct mad_destination found = {.name = NULL};
	int rc = session_parse_target(session, word, &found.place.target);

	if (!rc && found.place.target.kind == TARGET_NAME) {
		node_search(session->engine, &session->port.route, &session->names, &search, 1);
		rc = refuse_ambiguous(session, &search);
		if (!rc && !use_search(session, &found, &search))
			rc = -EHOSTUNREACH;
		if (!rc && found.named_port)
			rc = session_refuse_port(session, word);
		node_search_clear(&search);
	}
	if (!rc)
		*ret_target = found.place.target;
	session_free_destination(&found);
	return rc;
}
