/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/smp_plan.h"

#include "base/mem.h"
#include "host/device.h"

#define ARBITRATIONS_MOST 64u /* in each priority, 14.2.5.9 */
#define PORT_SHIFT	  16u

struct plan {
	const struct mad_attribute *attribute;
	const struct smp_node *node;
	const struct smp_choice *choice;
	struct smp_step **steps;
	size_t *count;
};

void smp_node_take_node_info(struct smp_node *node, const unsigned char *info)
{
	node->is_switch = node_info_type(info) == NODE_TYPE_SWITCH;
	node->ports = node_info_ports(info);
	node->local_port = node_info_local_port(info);
	node->pkeys = node_info_pkeys(info);
}

void smp_node_take_switch_info(struct smp_node *node, const unsigned char *info)
{
	node->enhanced_port0 = switch_info_enhanced_port0(info);
	node->multicast_cap = switch_info_multicast_cap(info);
	node->linear_top = switch_info_linear_top(info);
	node->switch_pkeys = switch_info_pkeys(info);
	node->multicast_top = switch_info_multicast_top(info);
}

void smp_node_take_port_info(struct smp_node *node, const unsigned char *info)
{
	node->low_arbitrations = port_info_vl_arbitration_low_cap(info);
	node->high_arbitrations = port_info_vl_arbitration_high_cap(info);
	node->guids = port_info_guid_cap(info);
}

bool smp_needs_switch_info(const struct mad_attribute *attribute)
{
	return (attribute->modifier == MODIFIER_BLOCK && attribute->entry_bytes == 1) ||
	       attribute->modifier == MODIFIER_MULTICAST || attribute->modifier == MODIFIER_PKEYS ||
	       attribute->modifier == MODIFIER_VLARB;
}

bool smp_needs_port_info(const struct mad_attribute *attribute)
{
	return (attribute->modifier == MODIFIER_BLOCK && attribute->entry_bytes == 8) ||
	       attribute->modifier == MODIFIER_VLARB;
}

bool smp_counts_ports(const struct mad_attribute *attribute)
{
	return attribute->modifier != MODIFIER_BLOCK && attribute->modifier != MODIFIER_MULTICAST;
}

static struct smp_step *add(const struct plan *plan, uint32_t modifier)
{
	struct smp_step *step = mem_append(plan->steps, plan->count, sizeof(*step));

	*step = (struct smp_step){.modifier = modifier, .to = UINT32_MAX};
	return step;
}

/* Adds the blocks that hold the entries from..to of a table whose index begins at `base`. */
static void add_blocks(const struct plan *plan, uint32_t from, uint32_t to, uint32_t base,
		       uint32_t modifier, const struct number *port)
{
	uint32_t entries = plan->attribute->entries;

	for (uint32_t block = (from - base) / entries; block <= (to - base) / entries; block++) {
		struct smp_step *step = add(plan, modifier | block);

		step->port = *port;
		step->first = base + block * entries;
		step->from = from;
		step->to = to;
	}
}

/* Adds the requested entries among base..top. */
static void add_table(const struct plan *plan, uint32_t base, uint32_t top, uint32_t modifier)
{
	const struct smp_choice *choice = plan->choice;
	const struct number none = {0};

	if (!choice->count)
		add_blocks(plan, base, top, base, modifier, &none);
	for (size_t i = 0; i < choice->count; i++) {
		uint32_t from = choice->ranges[i].first, to = choice->ranges[i].last;

		from = from < base ? base : from;
		to = to > top ? top : to;
		if (from <= to)
			add_blocks(plan, from, to, base, modifier, &none);
	}
}

/* A base port 0 has no arbitration table: SwitchInfo:EnhancedPort0, 14.2.5.4. */
static bool is_base_port(const struct mad_attribute *attribute, const struct smp_node *node,
			 uint32_t port)
{
	return attribute->modifier == MODIFIER_VLARB && node->is_switch && !port &&
	       !node->enhanced_port0;
}

static void add_port(const struct plan *plan, uint32_t port)
{
	const struct smp_node *node = plan->node;
	const struct number number = number_of(port);
	uint32_t keys = node->is_switch && port ? node->switch_pkeys : node->pkeys;

	switch (plan->attribute->modifier) {
	case MODIFIER_PKEYS:
		if (keys)
			add_blocks(plan, 0, keys - 1, 0, node->is_switch ? port << PORT_SHIFT : 0,
				   &number);
		break;
	case MODIFIER_SL2VL:
		/*
		 * A switch has a table for each input port of this output port; other nodes have
		 * only one table.
		 */
		for (uint32_t in = 0; in <= (node->is_switch ? node->ports : 0u); in++) {
			struct smp_step *step = add(plan, node->is_switch ? in << 8 | port : 0);

			step->port = number;
			step->first = in;
		}
		break;
	case MODIFIER_VLARB:
		if (is_base_port(plan->attribute, node, port))
			break;
		if (plan->choice->port_info) {
			add(plan, node->is_switch ? port : 0)->port = number;
			break;
		}
		for (uint32_t part = MAD_VLARB_LOW; part <= MAD_VLARB_HIGH + 1; part++) {
			bool high = part >= MAD_VLARB_HIGH;
			uint32_t most = high ? node->high_arbitrations : node->low_arbitrations;
			uint32_t block = (part - 1) % 2 * plan->attribute->entries;
			/* The index continues from the low table to the high one. */
			uint32_t table = high ? ARBITRATIONS_MOST : 0;
			struct smp_step *step;

			if (block >= most)
				continue;
			step = add(plan, part << PORT_SHIFT | port);
			step->port = number;
			step->first = table + block;
			step->to = table + most - 1;
		}
		break;
	default:
		/* Port 0 of an adapter or a router is the port that answers: 14.2.5.6. */
		add(plan, port)->port = port || node->is_switch ? number
								: number_of(node->local_port);
	}
}

/*
 * Where only the modifier for switches has a port, an adapter or a router answers for the port that
 * receives the SMP: 14.2.5.7 to 14.2.5.9.
 */
static bool tells_local_port(const struct mad_attribute *attribute, const struct smp_node *node)
{
	return !node->is_switch &&
	       (attribute->modifier == MODIFIER_PKEYS || attribute->modifier == MODIFIER_SL2VL ||
		attribute->modifier == MODIFIER_VLARB);
}

static bool has_port(const struct smp_choice *choice, uint32_t first, uint32_t last)
{
	bool found = choice->all_ports;

	for (size_t i = 0; i < choice->count; i++)
		found |= choice->ranges[i].first <= last && choice->ranges[i].last >= first;
	return found && first <= last;
}

bool smp_leaves_ports(const struct mad_attribute *attribute, const struct smp_node *node,
		      const struct smp_choice *choice)
{
	return tells_local_port(attribute, node) &&
	       (has_port(choice, 1, node->local_port - 1u) ||
		has_port(choice, node->local_port + 1u, node->ports));
}

bool smp_is_only_base_port(const struct mad_attribute *attribute, const struct smp_node *node,
			   const struct smp_choice *choice)
{
	return is_base_port(attribute, node, 0) && choice->count && has_port(choice, 0, 0) &&
	       !has_port(choice, 1, node->ports);
}

static void add_ports(const struct plan *plan)
{
	const struct smp_choice *choice = plan->choice;
	const uint32_t local = plan->node->local_port;
	/* True if the attribute belongs to the output ports of switches. */
	bool external = plan->attribute->modifier == MODIFIER_VLARB ||
			plan->attribute->modifier == MODIFIER_SL2VL;

	if (tells_local_port(plan->attribute, plan->node)) {
		/* Port 0 means the port that answers, as in 14.2.5.6. */
		if (!choice->count || has_port(choice, 0, 0) || has_port(choice, local, local))
			add_port(plan, local);
		return;
	}
	for (size_t i = 0; i < choice->count; i++)
		for (uint32_t port = choice->ranges[i].first;
		     port <= choice->ranges[i].last && port <= plan->node->ports; port++)
			add_port(plan, port);
	if (choice->count)
		return;
	if (!choice->all_ports && !(external && plan->node->is_switch)) {
		add_port(plan, 0);
		return;
	}
	for (uint32_t port = plan->node->is_switch ? 0 : 1; port <= plan->node->ports; port++)
		add_port(plan, port);
}

bool smp_extent(const struct mad_attribute *attribute, const struct smp_node *node,
		struct smp_range *ret_extent)
{
	switch (attribute->modifier) {
	case MODIFIER_NONE:
		return false;
	case MODIFIER_BLOCK:
		if (attribute->entry_bytes == 8)
			*ret_extent = (struct smp_range){0, node->guids - 1u};
		else
			*ret_extent = (struct smp_range){0, node->linear_top};
		return attribute->entry_bytes == 8 ? node->guids : node->is_switch;
	case MODIFIER_MULTICAST:
		*ret_extent = (struct smp_range){MAD_MLID_FIRST, node->multicast_top};
		if (node->multicast_top < MAD_MLID_FIRST)
			ret_extent->last = MAD_MLID_FIRST + node->multicast_cap - 1;
		if (ret_extent->last > MAD_MLID_LAST)
			ret_extent->last = MAD_MLID_LAST;
		/* A top of 0xbfff means that the table is empty: 14.2.5.4 */
		return node->is_switch && node->multicast_cap &&
		       node->multicast_top != MAD_MLID_FIRST - 1;
	default:
		*ret_extent = (struct smp_range){0, node->ports};
		return true;
	}
}

void smp_plan(const struct mad_attribute *attribute, const struct smp_node *node,
	      const struct smp_choice *choice, struct smp_step **steps, size_t *step_count)
{
	const struct plan plan = {attribute, node, choice, steps, step_count};
	uint32_t positions = attribute->modifier == MODIFIER_MULTICAST
				     ? node->ports / MAD_MULTICAST_PORTS
				     : 0;
	struct smp_range extent;

	if (attribute->modifier == MODIFIER_NONE)
		add(&plan, 0);
	else if (smp_counts_ports(attribute))
		add_ports(&plan);
	else if (smp_extent(attribute, node, &extent))
		for (uint32_t position = 0; position <= positions; position++)
			add_table(&plan, extent.first, extent.last,
				  position << MAD_MULTICAST_POSITION);
}
