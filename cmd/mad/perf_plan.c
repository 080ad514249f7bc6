/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the ports to read, and what their nodes support. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/codes.h"
#include "cmd/mad/perf_run.h"
#include "schema/bits.h"

/* Bits of PortInfo, 14.2.5.6, as opensm's ib_types.h has them. */
#define HAS_FEC_MODES (1u << 0) /* PortInfoExtended:CapMask */

/* Parses 3 or 1-36. False if the word is neither. */
static bool parse_ports(const char *word, bool *wanted)
{
	_cleanup_(freep) char *text = mem_string(word);
	char *dash = strchr(text, '-');
	uint64_t first, last;

	if (dash)
		*dash = '\0';
	/* 255 selects all ports at once: 16.1.3.5. */
	if (text_parse_u64(text, 10, PERF_ALL_PORTS - 1, &first))
		return false;
	last = first;
	if (dash && text_parse_u64(dash + 1, 10, PERF_ALL_PORTS - 1, &last))
		return false;
	for (uint64_t port = first; port <= last; port++)
		wanted[port] = true;
	return first <= last;
}

static bool parse_words(struct perf_run *run)
{
	for (size_t i = 0; i < run->mad.session.destination_count; i++) {
		const struct mad_destination *at = &run->mad.session.destinations[i];

		for (size_t j = 0; j < at->word_count; j++) {
			_cleanup_(freep) char *clean = NULL, *message = NULL;

			if (parse_ports(at->words[j], run->nodes[i].wanted))
				continue;
			clean = text_clean(at->words[j], strlen(at->words[j]));
			message = mem_format("'%s' is not a port or a range of ports", clean);
			listing_fail(&run->mad.listing, STATUS_USAGE, message, "ports: 1 2 5-8");
			return false;
		}
	}
	return true;
}

static void ask(const struct perf_run *run, size_t destination, uint8_t mgmt_class,
		uint16_t attribute, uint32_t modifier, struct mad_item *item)
{
	const struct mad_place *place = &run->mad.session.destinations[destination].place;

	if (mgmt_class == UMAD_CLASS_PERF_MGMT) {
		mad_gmp_request(place, mgmt_class, UMAD_METHOD_GET, attribute, modifier,
				&item->request);
		return;
	}
	mad_smp_request(place, UMAD_METHOD_GET, attribute, modifier, &item->request);
	item->request.key = run->mad.session.key;
}

static bool has_data(const struct mad_item *item)
{
	return !item->error && !item->status;
}

/* Named ports past the last one are reported once for the node. */
static void limit_ports(struct perf_run *run, size_t destination, unsigned int ports)
{
	struct perf_node *node = &run->nodes[destination];
	_cleanup_(freep) char *text = NULL;
	bool beyond = false;

	for (size_t i = ports + 1; i < PERF_PORTS_MOST; i++) {
		beyond |= node->wanted[i];
		node->wanted[i] = false;
	}
	if (!beyond)
		return;
	text = mem_format("its last port is %u", ports);
	problem_add_text(&run->mad.listing.problems,
			 run->mad.session.destinations[destination].name, "ports", "smp", text,
			 NULL);
}

/* Without named ports: all ports of a switch, and the queried port of an adapter. */
static void choose_ports(struct perf_run *run, size_t destination, const struct mad_item *info,
			 const struct mad_item *switch_info)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];
	struct perf_node *node = &run->nodes[destination];
	const unsigned int ports = info->data[3];
	const bool is_switch = info->data[2] == NODE_TYPE_SWITCH;

	if (at->word_count)
		limit_ports(run, destination, ports);
	if (run->args->all_ports || (is_switch && !at->word_count)) {
		for (unsigned int i = 1; i <= ports; i++)
			node->wanted[i] = true;
		/* 14.2.5.4: a base port 0 has no counters */
		if (is_switch && has_data(switch_info))
			node->wanted[0] |= bits_get(switch_info->data, MAD_AT(16, 4), 1);
	} else if (!at->word_count) {
		node->wanted[info->data[36]] = true;
	}
}

/* Without NodeInfo only named ports and our own port are known. */
static void guess_ports(struct perf_run *run, size_t destination)
{
	const struct mad_destination *at = &run->mad.session.destinations[destination];

	if (at->word_count)
		return;
	if (at->place.address.lid == run->mad.session.port.lid && !run->args->all_ports) {
		run->nodes[destination].wanted[run->mad.session.port.port] = true;
		return;
	}
	problem_add_text(&run->mad.listing.problems, at->name, "NodeInfo", "smp",
			 "no answer, so the ports of the node are unknown",
			 "name the ports: rdmactl perf DEST 1-36");
}

/* Queries SwitchInfo of the switches; the items of other nodes stay without data. */
static struct mad_item *ask_switches(struct perf_run *run, const struct mad_item *infos)
{
	const size_t count = run->mad.session.destination_count;
	struct mad_item *items = mad_items_new(count), *asked = mad_items_new(count);
	size_t asked_count = 0;

	for (size_t i = 0; i < count; i++) {
		items[i].error = -1;
		if (has_data(&infos[i]) && infos[i].data[2] == NODE_TYPE_SWITCH) {
			ask(run, i, UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_SWITCH_INFO, 0,
			    &asked[asked_count]);
			asked[asked_count++].request.number = i;
		}
	}
	mad_gather(run->mad.session.engine, asked, asked_count);
	for (size_t i = 0; i < asked_count; i++)
		items[asked[i].request.number] = asked[i];
	free(asked);
	return items;
}

static void learn_nodes(struct perf_run *run)
{
	const size_t count = run->mad.session.destination_count;
	const bool names = columns_needs(&run->mad.listing.columns) & MAD_NEED_NODE;
	struct mad_item *items = mad_items_new(3 * count), *switches;
	const struct mad_item *infos = items, *classes = items + count, *texts = items + 2 * count;

	for (size_t i = 0; i < count; i++) {
		ask(run, i, UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_NODE_INFO, 0, &items[i]);
		ask(run, i, UMAD_CLASS_PERF_MGMT, UMAD_ATTR_CLASS_PORT_INFO, 0, &items[count + i]);
		ask(run, i, UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_NODE_DESC, 0,
		    &items[2 * count + i]);
	}
	mad_gather(run->mad.session.engine, items, names ? 3 * count : 2 * count);
	switches = ask_switches(run, infos);
	for (size_t i = 0; i < count; i++) {
		struct perf_node *node = &run->nodes[i];
		const struct mad_destination *at = &run->mad.session.destinations[i];

		node->dead = !mad_session_check(&run->mad.session, at, "ClassPortInfo",
						&classes[i]);
		if (node->dead)
			continue;
		node->caps = perf_caps_of(classes[i].data);
		if (has_data(&infos[i]))
			choose_ports(run, i, &infos[i], &switches[i]);
		else
			guess_ports(run, i);
		if (names && mad_session_check(&run->mad.session, at, "NodeDescription", &texts[i]))
			node->description = text_clean((const char *)texts[i].data,
						       NODE_DESCRIPTION_BYTES);
	}
	free(switches);
	free(items);
}

static unsigned int lanes_of(const unsigned char *port_info)
{
	const struct enum_name *name = enum_find(link_width_numbers,
						 bits_get(port_info, MAD_AT(31, 0), 8));

	return name ? (unsigned int)strtoul(name->word, NULL, 10) : 0;
}

static bool has_extended_info(const unsigned char *port_info)
{
	return bits_get(port_info, MAD_AT(20, 0), 32) & PORT_CAP_CAP_MASK2 &&
	       bits_get(port_info, MAD_AT(60, 0), 16) & PORT_CAP2_PORT_INFO_EXT;
}

/* Queries the FEC mode of the ports that report one. */
static void learn_modes(struct perf_run *run, const struct mad_item *infos)
{
	struct mad_item *items = mad_items_new(run->port_count);
	size_t asked = 0;

	for (size_t i = 0; i < run->port_count; i++) {
		const struct perf_port *port = &run->ports[i];

		if (!(run->nodes[port->destination].caps.mask & PERF_CAP_RSFEC) ||
		    !has_data(&infos[i]))
			continue;
		if (!has_extended_info(infos[i].data))
			continue;
		ask(run, port->destination, UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_PORT_INFO_EXT,
		    port->port, &items[asked]);
		items[asked++].request.number = i;
	}
	mad_gather(run->mad.session.engine, items, asked);
	for (size_t i = 0; i < asked; i++) {
		struct perf_port *port = &run->ports[items[i].request.number];
		const unsigned char *data = items[i].data;

		if (!perf_check(run, port, "PortInfoExtended", &items[i]))
			continue;
		port->fec = number_of(bits_get(data, MAD_AT(0, 0), 32) & HAS_FEC_MODES
					      ? bits_get(data, MAD_AT(4, 0), 16)
					      : 0);
	}
	free(items);
}

/* Finds the number of lanes of each link, and which of two layouts its FEC counters have. */
static void learn_links(struct perf_run *run)
{
	struct mad_item *items = mad_items_new(run->port_count);

	for (size_t i = 0; i < run->port_count; i++)
		ask(run, run->ports[i].destination, UMAD_CLASS_SUBN_LID_ROUTED,
		    UMAD_SM_ATTR_PORT_INFO, run->ports[i].port, &items[i]);
	mad_gather(run->mad.session.engine, items, run->port_count);
	for (size_t i = 0; i < run->port_count; i++)
		if (perf_check(run, &run->ports[i], "PortInfo", &items[i]))
			run->ports[i].lanes = lanes_of(items[i].data);
	learn_modes(run, items);
	free(items);
}

bool perf_plan(struct perf_run *run)
{
	run->nodes = mem_alloc_zero(run->mad.session.destination_count, sizeof(*run->nodes));
	if (!parse_words(run))
		return false;
	learn_nodes(run);
	for (size_t i = 0; i < run->mad.session.destination_count; i++) {
		for (size_t port = 0; !run->nodes[i].dead && port < PERF_PORTS_MOST; port++) {
			if (!run->nodes[i].wanted[port])
				continue;
			*(struct perf_port *)mem_append(&run->ports, &run->port_count,
							sizeof(*run->ports)) = (struct perf_port){
				.destination = i, .port = (uint8_t)port};
		}
	}
	if (!run->port_count) {
		run->mad.listing.status = STATUS_FAILED;
		return false;
	}
	if (run->listing == PERF_OF_FEC)
		learn_links(run);
	return true;
}
