/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where --from and --switch begin: the directed route to a LID, and why there is none. */
#include "fabric/route/route.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/fabric/fabric_run.h"
#include "mad/format/header.h"

/* The last node that answered: its description, else its GUID. To be freed. */
static char *name_of(const struct fabric_walk *walk)
{
	struct fabric fabric = {.nodes = NULL};
	const struct fabric_view view = {.fabric = &fabric};
	uint32_t node = walk->has_info ? fabric_add_node(&fabric, walk->info) : FABRIC_NONE;
	char *name;

	if (node == FABRIC_NONE) {
		name = mem_string(walk->hops ? "a node that makes no sense" : "the local port");
	} else {
		fabric.nodes[node].has_description = walk->has_description;
		memcpy(fabric.nodes[node].description, walk->description,
		       sizeof(walk->description));
		name = fabric_node_name(&view, node);
	}
	fabric_clear(&fabric);
	return name;
}

static char *why(const struct fabric_walk *walk, const char *name)
{
	switch (walk->end) {
	case WALK_NOWHERE:
		return mem_format("at %s, whose forwarding table does not have it", name);
	case WALK_NO_PORT:
		return mem_format("at %s, whose forwarding table has port %u for it", name,
				  walk->out_port);
	case WALK_LOOP:
		return mem_format("in a loop: it comes back to %s", name);
	case WALK_STRANGER:
		return mem_format("at %s, which has another LID", name);
	case WALK_FAR:
		return mem_format("at %s: it is more than %u hops long", name, MAD_HOPS_MOST);
	case WALK_UNANSWERED:
	case WALK_ARRIVED:
		break;
	}
	return NULL;
}

static char *describe_failure(const struct fabric_walk *walk, const char *name)
{
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_SUBN_DIRECTED_ROUTE,
								   walk->attribute);
	bool at_peer = walk->hops && !strcmp(attribute->word, "nodeinfo");
	_cleanup_(freep) char *reason = mad_failure_text(UMAD_CLASS_SUBN_DIRECTED_ROUTE,
							 walk->error, walk->status, walk->tries);
	_cleanup_(freep) char *port = at_peer ? mem_format("/%u", walk->path[walk->hops]) : NULL;

	return mem_format("%s %s%s: %s: %s", at_peer ? "after" : "at", name, at_peer ? port : "",
			  attribute->name, reason);
}

bool fabric_run_walk(struct fabric_run *run, uint16_t lid, struct fabric_scan_options *options)
{
	_cleanup_(freep) char *name = NULL, *reason = NULL, *message = NULL;
	struct fabric_walk walk;

	if (fabric_walk(run->session.engine, options->mkey, lid, &walk)) {
		listing_fail(&run->session.listing, STATUS_FAILED, "interrupted", NULL);
		return false;
	}
	if (walk.end == WALK_ARRIVED) {
		memcpy(options->path, walk.path, sizeof(walk.path));
		options->path_hops = walk.hops;
		return true;
	}
	name = name_of(&walk);
	reason = walk.end == WALK_UNANSWERED ? describe_failure(&walk, name) : why(&walk, name);
	message = mem_format("the way to LID %u ends %s", lid, reason);
	listing_fail(&run->session.listing, STATUS_FAILED, message,
		     "a directed route needs no forwarding tables: --from 0,1,3");
	return false;
}
