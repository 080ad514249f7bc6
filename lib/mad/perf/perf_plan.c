/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the ports to read, and what their nodes support. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/codes.h"
#include "mad/perf/perf.h"
#include "schema/bits.h"

#define HAS_FEC_MODES (1u << 0) /* PortInfoExtended:CapMask, as in opensm's ib_types.h */

static bool parse_ports(const char *word, bool *wanted)
{
	uint32_t first, last;

	/* 255 selects all ports at once: 16.1.3.5. */
	if (!mad_parse_range(word, 10, PERF_ALL_PORTS - 1, &first, &last))
		return false;
	for (uint32_t port = first; port <= last; port++)
		wanted[port] = true;
	return true;
}

static int parse_words(struct perf *perf)
{
	for (size_t i = 0; i < perf->node_count; i++) {
		const struct mad_destination *at = &perf->session->destinations[i];

		for (size_t j = 0; j < at->word_count; j++) {
			_cleanup_(freep) char *clean = NULL;

			if (parse_ports(at->words[j], perf->nodes[i].wanted))
				continue;
			clean = text_clean(at->words[j], strlen(at->words[j]));
			problem_add_format(perf->session->problems, NULL, NULL, NULL,
					   "ports: 1 2 5-8",
					   "'%s' is not a port or a range of ports", clean);
			return -EINVAL;
		}
	}
	return 0;
}

static bool has_data(const struct mad_item *item)
{
	return !item->error && !item->status;
}

/* Returns false if the query failed, which is reported unless the user interrupted it. */
static bool check(struct perf *perf, size_t node, const char *what, const struct mad_item *item)
{
	return !mad_session_interrupted(perf->session, item) &&
	       mad_session_check(perf->session, &perf->session->destinations[node], what, item,
				 NULL);
}

/* Drops the named ports past the last one, and reports them once for the node. */
static void limit_ports(struct perf *perf, size_t destination, unsigned int ports)
{
	struct perf_node *node = &perf->nodes[destination];
	bool beyond = false;

	for (size_t i = ports + 1; i < PERF_PORTS_MOST; i++) {
		beyond |= node->wanted[i];
		node->wanted[i] = false;
	}
	if (beyond)
		problem_add_format(perf->session->problems,
				   perf->session->destinations[destination].name, "ports", "smp",
				   NULL, "its last port is %u", ports);
}

/* True if a sum is wanted and the agent can add up all ports itself: 16.1.3.1, 16.1.3.5. */
static bool selects_all(const struct perf *perf, size_t destination)
{
	return perf->options.sum && !perf->session->destinations[destination].word_count &&
	       perf->nodes[destination].caps.mask & PERF_CAP_ALL_PORT_SELECT;
}

/* Without named ports: all ports of a switch, and the queried port of an adapter. */
static void choose_ports(struct perf *perf, size_t destination, const struct mad_item *info,
			 const struct mad_item *switch_info)
{
	const struct mad_destination *at = &perf->session->destinations[destination];
	struct perf_node *node = &perf->nodes[destination];
	const unsigned int ports = node_info_ports(info->data);
	const bool is_switch = node_info_type(info->data) == NODE_TYPE_SWITCH;

	node->is_switch = is_switch;
	node->ports = number_of(ports);
	if (at->word_count)
		limit_ports(perf, destination, ports);
	if (selects_all(perf, destination)) {
		node->wanted[PERF_ALL_PORTS] = true;
		return;
	}
	if (perf->options.all_ports || ((is_switch || perf->options.sum) && !at->word_count)) {
		for (unsigned int i = 1; i <= ports; i++)
			node->wanted[i] = true;
		/* 14.2.5.4: a base port 0 has no counters */
		if (is_switch && check(perf, destination, "SwitchInfo", switch_info))
			node->wanted[0] |= switch_info_enhanced_port0(switch_info->data);
	} else if (!at->word_count) {
		node->wanted[node_info_local_port(info->data)] = true;
	}
}

/* Without NodeInfo only named ports and our own port are known. */
static void guess_ports(struct perf *perf, size_t destination, const struct mad_item *info)
{
	const struct mad_destination *at = &perf->session->destinations[destination];
	_cleanup_(freep) char *failure = NULL;

	if (at->word_count)
		return;
	if (selects_all(perf, destination)) {
		perf->nodes[destination].wanted[PERF_ALL_PORTS] = true;
		return;
	}
	if (at->place.address.lid == perf->session->port.route.lid && !perf->options.all_ports &&
	    !perf->options.sum) {
		perf->nodes[destination].wanted[perf->session->port.port] = true;
		return;
	}
	failure = mad_failure_text(info->request.mgmt_class, info->error, info->status,
				   info->tries);
	problem_add_format(perf->session->problems, at->name, "NodeInfo", "smp",
			   "give the ports: rdmactl perf DEST 1-36",
			   "%s, so the ports of the node are unknown", failure);
}

/* Queries SwitchInfo of the switches; the items of other nodes stay without data. */
static struct mad_item *ask_switches(struct perf *perf, const struct mad_item *infos)
{
	struct mad_item *items = mad_items_new(perf->node_count);

	for (size_t i = 0; i < perf->node_count; i++) {
		mad_session_ask(perf->session, &perf->session->destinations[i],
				UMAD_SM_ATTR_SWITCH_INFO, 0, &items[i]);
		items[i].skipped = !has_data(&infos[i]) ||
				   node_info_type(infos[i].data) != NODE_TYPE_SWITCH;
	}
	mad_gather(perf->session->engine, items, perf->node_count);
	return items;
}

static void learn_nodes(struct perf *perf)
{
	const size_t count = perf->node_count;
	const bool names = perf->options.names;
	struct mad_item *items = mad_items_new(3 * count), *switches;
	const struct mad_item *infos = items, *classes = items + count, *texts = items + 2 * count;

	for (size_t i = 0; i < count; i++) {
		mad_session_ask(perf->session, &perf->session->destinations[i],
				UMAD_SM_ATTR_NODE_INFO, 0, &items[i]);
		mad_gmp_request(&perf->session->destinations[i].place, UMAD_CLASS_PERF_MGMT,
				UMAD_METHOD_GET, UMAD_ATTR_CLASS_PORT_INFO, 0,
				&items[count + i].request);
		mad_session_ask(perf->session, &perf->session->destinations[i],
				UMAD_SM_ATTR_NODE_DESC, 0, &items[2 * count + i]);
	}
	mad_gather(perf->session->engine, items, names ? 3 * count : 2 * count);
	switches = ask_switches(perf, infos);
	for (size_t i = 0; i < count; i++) {
		struct perf_node *node = &perf->nodes[i];

		node->dead = !check(perf, i, "ClassPortInfo", &classes[i]);
		if (node->dead)
			continue;
		node->caps = perf_caps_of(classes[i].data);
		if (has_data(&infos[i]))
			choose_ports(perf, i, &infos[i], &switches[i]);
		else
			guess_ports(perf, i, &infos[i]);
		if (names && check(perf, i, "NodeDescription", &texts[i]))
			node->description = text_clean((const char *)texts[i].data,
						       NODE_DESCRIPTION_BYTES);
	}
	free(switches);
	free(items);
}

static bool has_extended_info(const unsigned char *port_info)
{
	return port_info_cap_mask(port_info) & PORT_CAP_CAP_MASK2 &&
	       port_info_cap_mask2(port_info) & PORT_CAP2_PORT_INFO_EXT;
}

/*
 * Finds the switches whose ports report an FEC mode: a switch has this capability at port 0 only,
 * 14.2.5.6.
 */
static bool *ask_base_ports(struct perf *perf)
{
	const size_t count = perf->node_count;
	_cleanup_(freep) struct mad_item *items = mad_items_new(count);
	bool *found = mem_alloc_zero(count, sizeof(*found));

	for (size_t i = 0; i < count; i++) {
		mad_session_ask(perf->session, &perf->session->destinations[i],
				UMAD_SM_ATTR_PORT_INFO, 0, &items[i]);
		items[i].skipped = !perf->nodes[i].is_switch ||
				   !(perf->nodes[i].caps.mask & PERF_CAP_RSFEC);
	}
	mad_gather(perf->session->engine, items, count);
	for (size_t i = 0; i < count; i++)
		if (!items[i].skipped && check(perf, i, "PortInfo of port 0", &items[i]))
			found[i] = has_extended_info(items[i].data);
	return found;
}

static void learn_modes(struct perf *perf, const struct mad_item *infos)
{
	_cleanup_(freep) bool *found = ask_base_ports(perf);
	_cleanup_(freep) struct mad_item *items = mad_items_new(perf->port_count);

	for (size_t i = 0; i < perf->port_count; i++) {
		const struct perf_port *port = &perf->ports[i];
		const struct perf_node *node = &perf->nodes[port->destination];

		mad_session_ask(perf->session, &perf->session->destinations[port->destination],
				UMAD_SM_ATTR_PORT_INFO_EXT, port->port, &items[i]);
		items[i].skipped = !(node->caps.mask & PERF_CAP_RSFEC) || !has_data(&infos[i]) ||
				   !(node->is_switch ? found[port->destination]
						     : has_extended_info(infos[i].data));
	}
	mad_gather(perf->session->engine, items, perf->port_count);
	for (size_t i = 0; i < perf->port_count; i++) {
		const unsigned char *data = items[i].data;

		if (!items[i].skipped &&
		    perf_check(perf, &perf->ports[i], "PortInfoExtended", &items[i]))
			perf->ports[i].fec = number_of(bits_get(data, MAD_AT(0, 0), 32) &
								       HAS_FEC_MODES
							       ? bits_get(data, MAD_AT(4, 0), 16)
							       : 0);
	}
}

/* Finds the number of lanes of each link, and which of two layouts its FEC counters have. */
static void learn_links(struct perf *perf)
{
	_cleanup_(freep) struct mad_item *items = mad_items_new(perf->port_count);

	for (size_t i = 0; i < perf->port_count; i++)
		mad_session_ask(perf->session,
				&perf->session->destinations[perf->ports[i].destination],
				UMAD_SM_ATTR_PORT_INFO, perf->ports[i].port, &items[i]);
	mad_gather(perf->session->engine, items, perf->port_count);
	for (size_t i = 0; i < perf->port_count; i++)
		if (perf_check(perf, &perf->ports[i], "PortInfo", &items[i]))
			perf->ports[i].lanes = width_lanes(port_info_width_active(items[i].data));
	learn_modes(perf, items);
}

int perf_plan(struct perf *perf, struct mad_session *session, const struct perf_options *options)
{
	int rc;

	*perf = (struct perf){.session = session, .options = *options};
	perf->node_count = session->destination_count;
	perf->nodes = mem_alloc_zero(perf->node_count, sizeof(*perf->nodes));
	rc = parse_words(perf);
	if (rc)
		return rc;
	learn_nodes(perf);
	for (size_t i = 0; i < perf->node_count; i++) {
		for (size_t port = 0; !perf->nodes[i].dead && port < PERF_PORTS_MOST; port++) {
			if (!perf->nodes[i].wanted[port])
				continue;
			MEM_ADD(perf->ports, perf->port_count) = (struct perf_port){
				.destination = i, .port = (uint8_t)port};
		}
	}
	if (!perf->port_count)
		return -EHOSTUNREACH;
	if (options->listing == PERF_OF_FEC)
		learn_links(perf);
	return 0;
}
