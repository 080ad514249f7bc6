/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of nodes and pairs, their words, and what other tools call a class. */
#include <errno.h>
#include <strings.h>

#include "base/mem.h"
#include "schema/rows.h"
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

static const struct enum_name kind_names[] = {
	{TOPOLOGY_NIC, "nic"},
	{TOPOLOGY_ACCELERATOR, "accelerator"},
	{TOPOLOGY_PART, "function", TONE_PLAIN, "another function of an adapter"},
	{0, NULL},
};

static const struct enum_name role_names[] = {
	{TOPOLOGY_PHYSICAL, "physical", TONE_PLAIN, "a physical function"},
	{TOPOLOGY_VIRTUAL_FUNCTION, "vf", TONE_PLAIN, "a virtual function"},
	{TOPOLOGY_SUBFUNCTION, "sf", TONE_PLAIN, "a subfunction"},
	{TOPOLOGY_BOND, "bond", TONE_PLAIN, "several functions as one device"},
	{TOPOLOGY_SOFTWARE, "software", TONE_PLAIN, "no hardware of its own"},
	{0, NULL},
};

#define WORD_GETTER(name_, dialect_)                                      \
	static void name_(const void *record, struct value *value)        \
	{                                                                 \
		value_set_string(value, topology_word(record, dialect_)); \
	}
WORD_GETTER(get_smi, DIALECT_SMI)
WORD_GETTER(get_nccl, DIALECT_NCCL)
WORD_GETTER(get_ucx, DIALECT_UCX)

#define RECORD struct topology_pair
static const struct field pair_fields[] = {
	TEXT(to, "TO", SHOWN, 0, "the other node"),
	WORD(class, topology_class_names, "CLASS", SHOWN, 0, "how far apart the two are"),
	COMPUTED_FIELD(FIELD_STRING, get_smi, "smi", "SMI", 0, 0, "the word of nvidia-smi topo -m"),
	COMPUTED_FIELD(FIELD_STRING, get_nccl, "nccl", "NCCL", 0, 0,
		       "the word of NCCL, or RCCL for xGMI"),
	COMPUTED_FIELD(FIELD_STRING, get_ucx, "ucx", "UCX", 0, 0,
		       "the name of UCX's distance; - where it has none"),
	WORD(source, topology_source_names, "SOURCE", SHOWN, 0, "where the class comes from"),
	YES_NO(same_device, "SAME DEVICE", 0, 0, "functions of one card, or the same node"),
	NUMBER(switches, "SWITCHES", 0, 0, "PCIe switches between them, below a common one"),
	YES_NO(same_host_bridge, "SAME HOST BRIDGE", 0, 0, "below one PCIe host bridge"),
	YES_NO(same_numa, "SAME NUMA", 0, 0, "at one NUMA node"),
	YES_NO(same_package, "SAME PACKAGE", 0, 0,
	       "at one CPU package; if not, traffic crosses the CPU's link"),
	NUMBER_AS("slit_distance", slit, "SLIT", 0, 0,
		  "distance of their memory in the firmware's table, 10 is local"),
	TENTHS_FIELD(RECORD, gbps, "bandwidth_gbps", "BANDWIDTH Gb/s", FIELD_RIGHT, 0,
		     "data rate of the narrowest PCIe link between them now"),
	TENTHS_FIELD(RECORD, max_gbps, "max_bandwidth_gbps", "MAX Gb/s", FIELD_RIGHT, 0,
		     "that data rate if each link ran at its best"),
	YES_NO_AS("gpudirect_default", gpudirect, "GPUDIRECT", 0, 0,
		  "near enough for GPUDirect RDMA by NCCL's defaults"),
	YES_NO_AS("acs_redirect", redirected, "ACS", 0, 0,
		  "ACS seems to send their traffic through the host bridge"),
	YES_NO_AS("fabric_hidden", fabric_hidden, "NVLINK?", 0, 0,
		  "an NVLink or Xe Link between them would not be seen"),
};
#undef RECORD

const struct schema topology_pair_schema = SCHEMA("distances", struct topology_pair, pair_fields,
						  "what two nodes have in common");

#define RECORD struct topology_node
static const struct field fields[] = {
	TEXT_AS("node", name, "NODE", SHOWN, 0, "RDMA device, or gpuN in the order of the bus"),
	WORD(kind, kind_names, "KIND", SHOWN, 0, "nic, accelerator, or another function of a nic"),
	WORD(role, role_names, "ROLE", SHOWN, 0, "physical, vf, sf, bond or software"),
	TEXT(pci_address, "PCI", SHOWN, 0, "its PCI function"),
	LIST(functions, "FUNCTIONS", 0, 0, "all its PCI functions: several of a bond"),
	TEXT(parent, "PARENT", 0, 0, "physical function of a vf or sf, adapter of a function"),
	TEXT(vendor, "VENDOR", SHOWN, 0, "who made it"),
	HEX(vendor_id, 4, "VENDOR ID", 0, 0, "PCI vendor"),
	HEX(device_id, 4, "DEVICE ID", 0, 0, "PCI device"),
	TEXT(driver, "DRIVER", 0, 0, "driver that is bound"),
	UNSIGNED_FIELD(RECORD, numa_node, "numa_node", "NUMA", SHOWN | FIELD_RIGHT, 0,
		       "NUMA node; unknown if nothing shows it"),
	WORD(numa_source, topology_source_names, "NUMA SOURCE", SHOWN, 0,
	     "where the NUMA node comes from"),
	TEXT(cpus, "CPUS", SHOWN, 0, "CPUs of the NUMA node"),
	NUMBER(package, "PACKAGE", 0, 0, "CPU package of the NUMA node"),
	TEXT(host_bridge, "HOST BRIDGE", SHOWN, 0, "PCIe host bridge above it"),
	LIST(switches, "SWITCHES", 0, 0, "PCIe switches above it, nearest first"),
	WORD(place_source, topology_source_names, "PLACE SOURCE", 0, 0,
	     "where its place in the PCI tree comes from"),
	REAL(speed_gtps, "GT/s", 0, 0, "speed of its PCIe link now"),
	NUMBER(width_lanes, "LANES", 0, 0, "width of its PCIe link now"),
	REAL(max_speed_gtps, "MAX GT/s", 0, 0, "speed that both ends of the link can do"),
	NUMBER(max_width_lanes, "MAX LANES", 0, 0, "width that both ends of the link can do"),
	TENTHS_FIELD(RECORD, gbps, "bandwidth_gbps", "BANDWIDTH Gb/s", FIELD_RIGHT, 0,
		     "data rate of the narrowest link up to the host bridge now"),
	TENTHS_FIELD(RECORD, max_gbps, "max_bandwidth_gbps", "MAX Gb/s", FIELD_RIGHT, 0,
		     "that data rate if each link ran at its best"),
	YES_NO(active, "ACTIVE", 0, 0, "a port of the RDMA device is active"),
	REAL(rate_gbps, "RATE Gb/s", 0, 0, "rate of its active ports"),
	NUMBER(iommu_group, "IOMMU GROUP", 0, 0, "IOMMU group of its function"),
	TEXT(iommu_type, "IOMMU", 0, 0, "type of the group's domain: DMA, DMA-FQ, identity ..."),
	HELD_RECORDS_FIELD(RECORD, distances, &topology_pair_schema, "distances", 0,
			   "what it has in common with each node"),
};

const struct schema topology_schema = SCHEMA("topo", struct topology_node, fields,
					     "an RDMA device or an accelerator, and its place");
