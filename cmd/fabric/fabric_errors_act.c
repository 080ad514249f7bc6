/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/fabric/fabric_run.h"
#include "fabric/scan/port_counters.h"
#include "mad/engine/gather.h"

/* Reports a node of the file that does not answer, or is a different node. */
static void report_other(struct fabric_run *run, uint32_t node, const struct mad_item *item)
{
	_cleanup_(freep) char *name = fabric_node_name(&run->view, node), *text = NULL;
	const char *hint = "rdmactl fabric scan --save FILE saves a new scan";
	char guid[GUID_TEXT_SIZE];

	if (item->error || item->status) {
		hint = item->error == -ETIMEDOUT
			       ? "without --load, rdmactl fabric errors scans by directed routes"
			       : NULL;
		text = mad_failure_text(item->request.mgmt_class, item->error, item->status,
					item->tries);
	} else {
		guid_format(node_info_node_guid(item->data), guid);
		text = mem_format("the scan is out of date: LID %u belongs to node %s now",
				  item->request.to.lid, guid);
	}
	problem_add_text(&run->mad.listing.problems, name, NULL, "smp", text, hint);
}

bool fabric_errors_verify(struct fabric_run *run, bool **ret_wanted)
{
	const struct fabric *fabric = &run->fabric;
	bool *wanted = mem_alloc_zero(fabric->port_count, sizeof(*wanted));
	struct mad_item *items = mad_items_new(fabric->port_count);
	size_t count = 0;
	int rc;

	/* Each port of an adapter has its own LID; the ports of a switch share one. */
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_node *node = fabric_node_of(fabric, i);
		const struct mad_place place = {
			.target.kind = TARGET_LID,
			.address.lid = fabric_lid(fabric, i),
		};

		wanted[i] = true;
		if (!place.address.lid || (node->type == NODE_TYPE_SWITCH && i != node->first_port))
			continue;
		mad_smp_request(&place, UMAD_METHOD_GET, UMAD_SM_ATTR_NODE_INFO, 0,
				&items[count].request);
		items[count].request.key = run->mad.session.key;
		items[count++].request.number = i;
	}
	rc = mad_gather(run->mad.session.engine, items, count);
	if (rc == -ECANCELED)
		problem_add_text(&run->mad.listing.problems, NULL, NULL, "smp",
				 "interrupted before all nodes were identified", NULL);
	for (size_t i = 0; i < count; i++) {
		const uint32_t port = (uint32_t)items[i].request.number;
		const struct fabric_node *node = fabric_node_of(fabric, port);
		const uint32_t ports = node->type == NODE_TYPE_SWITCH ? node->port_count : 0;

		if (!items[i].error && !items[i].status &&
		    node_info_node_guid(items[i].data) == node->guid)
			continue;
		if (items[i].error != -ECANCELED)
			report_other(run, fabric->ports[port].node, &items[i]);
		for (uint32_t j = port; j <= port + ports; j++)
			wanted[j] = false;
	}
	free(items);
	*ret_wanted = wanted;
	return rc != -ECANCELED;
}

uint8_t *fabric_errors_service_levels(struct fabric_run *run)
{
	const struct fabric *fabric = &run->fabric;
	struct mad_session *session = &run->mad.session;
	_cleanup_(freep) struct mad_place *places = mem_alloc_zero(fabric->port_count,
								   sizeof(*places));
	_cleanup_(freep) uint16_t *lids = mem_alloc_zero(fabric->port_count, sizeof(*lids));
	/* By any LID that a node may claim: with an LMC, that of the path is one of several. */
	uint8_t *levels = mem_alloc_zero(UINT16_MAX + 1u, sizeof(*levels));
	size_t count = 0, failed = 0;
	int error = 0;

	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const struct fabric_node *node = fabric_node_of(fabric, i);
		const bool is_switch = node->type == NODE_TYPE_SWITCH;
		const uint64_t guid = is_switch ? node_info_port_guid(node->info)
						: fabric->ports[i].guid;

		if (!fabric_lid(fabric, i) || !guid || (is_switch && i != node->first_port))
			continue;
		lids[count] = fabric_lid(fabric, i);
		places[count++].target = (struct mad_target){.kind = TARGET_GUID, .guid = guid};
	}
	mad_find_places(session->engine, &session->port.route, places, count);
	for (size_t i = 0; i < count; i++) {
		/* A lookup that was not waited for did not fail. */
		if (places[i].error == -ECANCELED) {
			continue;
		} else if (places[i].error) {
			failed++;
			error = places[i].error;
		} else {
			levels[lids[i]] = places[i].address.sl;
		}
	}
	if (failed) {
		_cleanup_(freep) char *text = mem_format(
			"no path to %zu of %zu ports: %s; service level 0 is used", failed, count,
			error == -ENXIO ? "the subnet administrator knows none"
					: mad_sa_error(error));

		problem_add_text(&run->mad.listing.problems, NULL, NULL, "sa", text,
				 error == -ENXIO ? NULL : MAD_SA_HINT);
	}
	return levels;
}

static const char *kinds_text(unsigned int kinds)
{
	return kinds == CLEAR_ERRORS ? "the error" : kinds == CLEAR_TRAFFIC ? "the traffic" : "all";
}

static bool confirm(struct fabric_run *run, const struct fabric_clearing *clearing, size_t ports)
{
	_cleanup_(freep) char *question = mem_format("clear %s counters of %zu port%s, for every "
						     "reader?",
						     kinds_text(clearing->kinds), ports,
						     text_plural_s(ports));

	return clearing->yes ||
	       listing_confirm(&run->mad.listing, question,
			       "nothing was cleared: there is no terminal to confirm it on",
			       "--yes clears them without asking", "nothing was cleared");
}

void fabric_errors_clear(struct fabric_run *run, const struct fabric_clearing *clearing)
{
	struct listing *listing = &run->mad.listing;
	_cleanup_(freep) char *text = NULL;
	const size_t failures = clearing->readings->failure_count;
	size_t ports = 0, cleared;
	int rc;

	for (size_t i = 0; i < clearing->readings->count; i++)
		ports += clearing->readings->items[i].read;
	if (!ports || run->fabric.interrupted)
		return;
	/* Clearing loses the values, so nothing is cleared unless the file was written. */
	if (!confirm(run, clearing, ports) ||
	    !fabric_counters_save(run, clearing->save, clearing->readings) ||
	    mad_listing_interrupted(&run->mad, "interrupted: nothing was cleared"))
		return;
	rc = port_counters_reset(run->mad.session.engine, &run->fabric, clearing->options,
				 clearing->kinds, clearing->details, clearing->readings, &cleared);
	for (size_t i = failures; i < clearing->readings->failure_count; i++)
		fabric_counters_note_failure(run, &clearing->readings->failures[i],
					     "not cleared: ", NULL);
	if (rc)
		problem_add_text(&listing->problems, NULL, NULL, "gmp",
				 rc == -ECANCELED ? "interrupted: not all counters were cleared"
						  : strerror(-rc),
				 NULL);
	if (!cleared)
		return;
	text = mem_format("cleared %s counters of %zu port%s, for every reader; the values before "
			  "are in %s",
			  kinds_text(clearing->kinds), cleared, text_plural_s(cleared),
			  clearing->save);
	if (!listing->ctx->globals.quiet)
		command_complain(listing->ctx, text, NULL);
}
