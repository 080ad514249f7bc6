/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Words for classes and sources, and what other tools call a class. */
#include <errno.h>
#include <strings.h>

#include "base/mem.h"
#include "topology/topology.h"

const struct enum_name topology_source_names[] = {
	{TOPOLOGY_UNKNOWN, "unknown", TONE_WARNING, "nothing shows it"},
	{TOPOLOGY_MEASURED, "measured", TONE_PLAIN, "the kernel reports it for the device itself"},
	{TOPOLOGY_INHERITED, "inherited", TONE_PLAIN, "the kernel reports it for a bridge above"},
	{TOPOLOGY_INFERRED, "inferred", TONE_PLAIN, "it follows from other facts"},
	{TOPOLOGY_FILE, "topology-file", TONE_PLAIN, "a topology file in NCCL's format says so"},
	{TOPOLOGY_LOCALITY, "locality-file", TONE_PLAIN, "the --locality file says so"},
	{TOPOLOGY_TIE, "tie", TONE_PLAIN, "one of several that are equally good"},
	{0, NULL},
};

const struct enum_name topology_class_names[] = {
	{TOPOLOGY_SELF, "self", TONE_PLAIN, "the same node"},
	{TOPOLOGY_FABRIC, "fabric", TONE_GOOD, "a link between accelerators: xGMI"},
	{TOPOLOGY_CARD, "card", TONE_GOOD, "functions of one card"},
	{TOPOLOGY_SWITCH, "switch", TONE_GOOD, "at most one PCIe switch between them"},
	{TOPOLOGY_SWITCHES, "switches", TONE_GOOD, "several PCIe switches, no host bridge"},
	{TOPOLOGY_HOST_BRIDGE, "host-bridge", TONE_PLAIN, "one PCIe host bridge"},
	{TOPOLOGY_NUMA, "numa", TONE_PLAIN, "different host bridges of one NUMA node"},
	{TOPOLOGY_SYSTEM, "system", TONE_WARNING, "different NUMA nodes"},
	{TOPOLOGY_CLASS_UNKNOWN, "unknown", TONE_WARNING, "cannot be determined"},
	{0, NULL},
};

const struct enum_name topology_dialect_names[] = {
	{DIALECT_SMI, "smi", TONE_PLAIN, "nvidia-smi topo -m"},
	{DIALECT_NCCL, "nccl", TONE_PLAIN, "the log of NCCL and RCCL"},
	{DIALECT_UCX, "ucx", TONE_PLAIN, "the distances of UCX"},
	{0, NULL},
};

/*
 * From nvidia-smi's legend; from NCCL's src/include/graph.h, where a CPU is a NUMA node, so that
 * there is no class between PHB and SYS; and from UCX's distances bridge (none is set), phb, node
 * and sys, in src/ucs/sys/topo/base/topo.c.
 */
static const char *const words[][3] = {
	[TOPOLOGY_SELF] = {"X", "LOC", "same"},
	[TOPOLOGY_FABRIC] = {"XGMI", "XGMI", "-"},
	[TOPOLOGY_CARD] = {"PIX", "LOC", "bridge"},
	[TOPOLOGY_SWITCH] = {"PIX", "PIX", "bridge"},
	[TOPOLOGY_SWITCHES] = {"PXB", "PXB", "bridge"},
	[TOPOLOGY_HOST_BRIDGE] = {"PHB", "PHB", "phb"},
	[TOPOLOGY_NUMA] = {"NODE", "PHB", "node"},
	[TOPOLOGY_SYSTEM] = {"SYS", "SYS", "sys"},
	[TOPOLOGY_CLASS_UNKNOWN] = {"?", "?", "?"},
};

const char *topology_word(const struct topology_pair *pair, enum topology_dialect dialect)
{
	if (dialect == DIALECT_NCCL && pair->c2c)
		return "P2C";
	return words[pair->class.value][dialect];
}

int topology_parse_class(const char *word, enum topology_class *ret_class)
{
	for (unsigned int i = TOPOLOGY_SWITCH; i <= TOPOLOGY_SYSTEM; i++)
		for (unsigned int j = 0; j < ARRAY_SIZE(words[i]); j++)
			if (!strcasecmp(words[i][j], word)) {
				/* A word with several classes means the farthest of them. */
				while (i < TOPOLOGY_SYSTEM && !strcasecmp(words[i + 1][j], word))
					i++;
				*ret_class = (enum topology_class)i;
				return 0;
			}
	for (const struct enum_name *name = topology_class_names; name->word; name++)
		if (name->value >= TOPOLOGY_CARD && name->value <= TOPOLOGY_SYSTEM &&
		    !strcasecmp(name->word, word)) {
			*ret_class = (enum topology_class)name->value;
			return 0;
		}
	return -EINVAL;
}
