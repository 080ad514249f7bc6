/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Plans the SMPs that read an attribute of a node completely: ports, blocks, parts. */
#pragma once

#include "mad/format/attribute.h"

/* Facts about the node that a plan depends on; 0 where they were not queried. */
struct smp_node {
	bool is_switch;
	bool enhanced_port0;	/* SwitchInfo: port 0 has the attributes of other ports */
	uint8_t ports;		/* physical ports */
	uint8_t local_port;	/* NodeInfo:LocalPortNum: the port that answers */
	uint16_t pkeys;		/* NodeInfo:PartitionCap */
	uint16_t switch_pkeys;	/* SwitchInfo:PartitionEnforcementCap, for the switch's external
				   ports */
	uint16_t linear_top;	/* SwitchInfo:LinearFDBTop */
	uint16_t multicast_cap; /* SwitchInfo:MulticastFDBCap */
	uint16_t multicast_top; /* SwitchInfo:MulticastFDBTop; 0 if not reported */
	uint8_t guids;		/* PortInfo:GUIDCap */
	/* PortInfo:VLArbitrationLowCap, HighCap, of the port that is planned */
	uint8_t low_arbitrations, high_arbitrations;
};

struct smp_range {
	uint32_t first, last;
};

/* Fill the facts from the data of the attributes: 14.2.5.3, 14.2.5.4, 14.2.5.6. */
void smp_node_take_node_info(struct smp_node *node, const unsigned char *info);
void smp_node_take_switch_info(struct smp_node *node, const unsigned char *info);
void smp_node_take_port_info(struct smp_node *node, const unsigned char *info);

/* The requested part of the attribute. */
struct smp_choice {
	const struct smp_range *ranges; /* of ports, or of entries of a forwarding table */
	size_t count;			/* 0: the attribute's default */
	bool all_ports;
	bool port_info; /* instead of the attribute, the PortInfo of each port whose plan needs it
			 */
};

/* One SMP. */
struct smp_step {
	uint32_t modifier;
	struct number port; /* of the step */
	uint32_t first;	    /* index of the first entry of the block; for SL to VL the input port */
	uint32_t from, to;  /* requested entries, by index */
};

/*
 * True if a plan for the attribute needs SwitchInfo or PortInfo besides NodeInfo. Where the ranges
 * are of ports, the PortInfo is that of each port, whose queries are planned first:
 * choice.port_info.
 */
bool smp_needs_switch_info(const struct mad_attribute *attribute);
bool smp_needs_port_info(const struct mad_attribute *attribute);
/* True if the ranges are of ports, false if of entries. */
bool smp_counts_ports(const struct mad_attribute *attribute);

/*
 * Gets the range of ports or entries that the node has. Returns false if there is none, or nothing
 * to number.
 */
bool smp_extent(const struct mad_attribute *attribute, const struct smp_node *node,
		struct smp_range *ret_extent);

/*
 * True if the node reports the attribute only for the port that answers, and other ports were
 * chosen: the plan omits those.
 */
bool smp_leaves_ports(const struct mad_attribute *attribute, const struct smp_node *node,
		      const struct smp_choice *choice);

/*
 * True if only port 0 was chosen, and does not have the attribute: the plan is empty. If the range
 * also has other ports, those are planned.
 */
bool smp_is_only_base_port(const struct mad_attribute *attribute, const struct smp_node *node,
			   const struct smp_choice *choice);

/*
 * Appends the steps to an array that the caller frees. There are none if the node does not have the
 * attribute (a forwarding table of an adapter).
 */
void smp_plan(const struct mad_attribute *attribute, const struct smp_node *node,
	      const struct smp_choice *choice, struct smp_step **steps, size_t *step_count);
