/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which SMPs it takes to read an attribute of a node whole: ports, blocks, parts. */
#pragma once

#include "mad/format/attribute.h"

/* What has to be known of a node before; 0 where it was not asked for. */
struct smp_node {
	bool is_switch;
	bool enhanced_port0;   /* SwitchInfo: port 0 has what other ports have */
	uint8_t ports;	       /* physical ports */
	uint16_t pkeys;	       /* NodeInfo:PartitionCap */
	uint16_t switch_pkeys; /* SwitchInfo:PartitionEnforcementCap, of the switch's external ports
				*/
	uint16_t linear_top;   /* SwitchInfo:LinearFDBTop */
	uint16_t multicast_cap;			     /* SwitchInfo:MulticastFDBCap */
	uint16_t multicast_top;			     /* SwitchInfo:MulticastFDBTop; 0: not told */
	uint8_t guids;				     /* PortInfo:GUIDCap */
	uint8_t low_arbitrations, high_arbitrations; /* PortInfo:VLArbitrationLowCap, HighCap */
};

struct smp_range {
	uint32_t first, last;
};

/* Takes into it what the data of these attributes tell: 14.2.5.3, 14.2.5.4, 14.2.5.6. */
void smp_node_take_node_info(struct smp_node *node, const unsigned char *info);
void smp_node_take_switch_info(struct smp_node *node, const unsigned char *info);
void smp_node_take_port_info(struct smp_node *node, const unsigned char *info);

/* What of the attribute is asked for. */
struct smp_choice {
	const struct smp_range *ranges; /* of ports, of entries of a forwarding table */
	size_t count;			/* 0: the attribute's default */
	bool all_ports;
};

/* One SMP. */
struct smp_step {
	uint32_t modifier;
	struct number port; /* that it is of */
	uint32_t first;	    /* index of the first entry of the block; input port of SL to VL */
	uint32_t from, to;  /* entries that are asked for, by their index */
};

/* Which of SwitchInfo and PortInfo a plan for the attribute needs, besides NodeInfo. */
bool smp_needs_switch_info(const struct mad_attribute *attribute);
bool smp_needs_port_info(const struct mad_attribute *attribute);
/* Whether the ranges are of ports (else of entries). */
bool smp_counts_ports(const struct mad_attribute *attribute);

/*
 * The ports or entries that the node has of it. False: none, or there is nothing to count.
 */
bool smp_extent(const struct mad_attribute *attribute, const struct smp_node *node,
		struct smp_range *ret_extent);

/*
 * Appends the steps to an array that the caller frees; none, where the node has none of it (a
 * forwarding table of an adapter).
 */
void smp_plan(const struct mad_attribute *attribute, const struct smp_node *node,
	      const struct smp_choice *choice, struct smp_step **steps, size_t *step_count);
