/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the node of the graph that a word of the command line means. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"

static const char how_to_name[] =
	"a name, GUID, LID or directed route: rdmactl fabric nodes -o node,node_guid,lid,path";

/* A GUID that is not in the scan may be an alias, like a virtual function's: the SA knows it. */
static bool ask_sa(struct fabric_run *run, const struct mad_target *target,
		   struct fabric_place *ret_place)
{
	struct mad_place place = {.target = *target};
	struct mad_target by_lid = {.kind = TARGET_LID};

	if (!run->mad.session.engine || target->kind == TARGET_LID || target->kind == TARGET_DIRECT)
		return false;
	mad_find_places(run->mad.session.engine, &run->mad.session.port.route, &place, 1);
	by_lid.lid = place.address.lid;
	/* The LID of a port in another subnet is the router's. */
	return !place.error && !place.beyond &&
	       fabric_find_target(&run->finder, &by_lid, ret_place);
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

bool fabric_run_find_port(struct fabric_run *run, const char *word, struct fabric_place *ret_place)
{
	_cleanup_(freep) char *clean = text_clean(word, strlen(word)), *message = NULL;
	const size_t found = fabric_run_look_for_port(run, word, ret_place);

	if (found == 1)
		return true;
	message = found ? mem_format("'%s' matches %zu nodes", clean, found)
			: mem_format("the scan found no node '%s'", clean);
	return listing_fail(&run->mad.listing, found ? STATUS_USAGE : STATUS_NOTHING, message,
			    how_to_name);
}
