/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which adapter, accelerator, CPU and memory belong together. A node is an RDMA device or an
 * accelerator. A pair of nodes has a set of facts, which determine its class, which has a word in
 * the dialect of each tool. Every node and pair says where its facts come from; what cannot be
 * known (in a flat virtual machine, or in a GPU fabric that only the vendor's library shows) stays
 * unknown.
 *
 * The topology owns nodes and switches; neither moves once topology_load() has returned.
 */
#pragma once

#include "base/mem.h"
#include "base/text.h"
#include "host/inventory/inventory.h"
#include "host/pci/pci.h"
#include "schema/schema.h"

/* Where an answer comes from. */
enum topology_source {
	TOPOLOGY_UNKNOWN,
	TOPOLOGY_MEASURED,  /* from the kernel, about this very device */
	TOPOLOGY_INHERITED, /* from the kernel, about a bridge above it */
	TOPOLOGY_INFERRED,  /* follows from other facts */
	TOPOLOGY_FILE,	    /* a topology file in NCCL's format */
	TOPOLOGY_LOCALITY,  /* the user's --locality file */
	TOPOLOGY_TIE,	    /* one of several equally good choices */
};

extern const struct enum_name topology_source_names[];

/* A PCIe switch: its upstream port in sysfs, or a bridge of a topology file. */
struct topology_switch {
	char *id; /* address of the upstream port */
	struct topology_switch *up;
	struct pci_function *function; /* NULL if it comes from a file */
	struct number vendor_id, device_id, subsystem_vendor_id, subsystem_device_id;
	struct real speed_gtps; /* maximum of the link above it */
	struct number width_lanes;
	bool merged; /* it is the lower half of the switch `up`: the same chip */
};

enum topology_kind {
	TOPOLOGY_NIC,
	TOPOLOGY_ACCELERATOR,
	TOPOLOGY_PART, /* another function of an adapter: of a bond, or Data Direct */
};

enum topology_role {
	TOPOLOGY_PHYSICAL,
	TOPOLOGY_VIRTUAL_FUNCTION,
	TOPOLOGY_SUBFUNCTION,
	TOPOLOGY_BOND,
	TOPOLOGY_SOFTWARE, /* no hardware of its own: Soft-RoCE, siw */
};

struct topology_node {
	char *name;	    /* mlx5_0, gpu0 */
	struct number kind; /* enum topology_kind */
	struct number role; /* enum topology_role */
	char *pci_address;
	struct strings functions; /* all of its PCI functions; a bond has two */
	char *parent;		  /* of a VF or subfunction: device or address of the PF */
	char *vendor;		  /* nvidia, amd, intel, habana; else the number */
	struct number vendor_id, device_id;
	char *driver;

	struct number numa_node;
	struct number numa_source; /* enum topology_source */
	char *cpus;		   /* the CPUs of that node, as a list */
	struct number package;	   /* the CPU package of the node */

	char *host_bridge;
	struct topology_switch *above; /* the nearest switch, or NULL */
	struct strings switches;       /* all above it, nearest first, without merged ones */
	struct number place_source;    /* enum topology_source, of the place in the PCI tree */

	struct real speed_gtps, max_speed_gtps; /* of its link; max: what both ends can do */
	struct number width_lanes, max_width_lanes;
	struct real gbps, max_gbps; /* of the narrowest link between it and the host bridge */

	struct number iommu_group;
	char *iommu_type;
	enum tristate active;  /* RDMA devices: a port is active */
	struct real rate_gbps; /* sum of the active ports */
	struct strings ports;  /* numbers of the active ports */
	struct records distances;

	char *card; /* shared by the functions of one card; NULL for software devices */
	bool c2c;   /* NVLink-C2C connects the GPU to the CPU */
	struct pci_function *function;
	size_t whole;	  /* of a part: index of the adapter that it belongs to */
	bool data_direct; /* a part that carries only traffic of accelerators */
	bool guessed;	  /* that the part belongs to this adapter */
};

enum topology_class {
	TOPOLOGY_SELF,
	TOPOLOGY_FABRIC, /* a link between accelerators: xGMI */
	TOPOLOGY_CARD,	 /* functions of one card */
	TOPOLOGY_SWITCH, /* at most one switch between them */
	TOPOLOGY_SWITCHES,
	TOPOLOGY_HOST_BRIDGE,
	TOPOLOGY_NUMA, /* different host bridges of one NUMA node */
	TOPOLOGY_SYSTEM,
	TOPOLOGY_CLASS_UNKNOWN,
};

enum topology_dialect { DIALECT_SMI, DIALECT_NCCL, DIALECT_UCX };

extern const struct enum_name topology_class_names[];
extern const struct enum_name topology_dialect_names[];

/* The facts about two nodes; also a record in the JSON document, in the list of the first node. */
struct topology_pair {
	const struct topology_node *from, *node;
	const struct topology_node *near_from,
		*near_node; /* the same, or their parts that are nearest */
	char *to;	    /* borrowed: name of the second node */
	enum tristate same_device, same_host_bridge, same_numa, same_package;
	struct number switches; /* between the two, if they are below a common one */
	struct number slit;	/* distance of their memory in the firmware's table: 10 is local */
	struct number class;	/* enum topology_class */
	struct number source;	/* enum topology_source */
	struct real gbps, max_gbps;  /* of the narrowest link between them */
	enum tristate gpudirect;     /* adapter and accelerator: NCCL uses it by default */
	enum tristate redirected;    /* ACS seems to send peers' traffic through the host bridge */
	enum tristate fabric_hidden; /* topology_hidden_fabric() may be between them */
	bool c2c;
	struct pci_function *common; /* nearest common function above both, or NULL */
};

struct topology {
	/* adapters in natural order, accelerators in PCI order, then parts */
	struct topology_node *nodes;
	size_t count;
	size_t part_count;
	struct topology_switch **switches;
	size_t switch_count;
	struct pci_list pci;
	bool pci_borrowed; /* from the request */
	struct numa_node {
		unsigned int number;
		char *cpus;
		struct number package;
		struct strings distances;
	} * numa;
	size_t numa_count;
	struct fabric_link {
		const struct pci_function *from, *to;
	} * links; /* xGMI */
	size_t link_count;
	char *hypervisor; /* NULL: none was detected */
	bool flat;	  /* a virtual machine whose PCI tree shows nothing */
	bool unpaired;	  /* it is unknown which adapters Data Direct functions belong to */
	/* all nodes are 0, which Hyper-V's driver sets if the host gives none */
	bool numa_distrusted;
	char *file; /* topology file in use, or NULL */
};

struct topology_request {
	const struct root *root;
	const struct inventory *inventory;
	const struct pci_list *pci; /* if it was read already and lives longer; or NULL */
	/* Text and name of a topology file; NULL: the one in the usual place, if any. */
	const char *file_text, *file_name;
	const char *locality, *locality_name; /* the same for the user's file */
	struct problems *problems;	      /* gets what cannot be read */
};

/* What inventory_load() must load for this (host/need.h). */
extern const uint64_t topology_needs;

/*
 * Reads the PCI tree and computes the nodes. Read failures become problems of the request; `notes`
 * gets reasons to doubt the result. Returns 0, or -EINVAL with *ret_message (for the caller to
 * free) if the file or the locality is invalid.
 */
int topology_load(struct topology *topology, const struct topology_request *request,
		  struct problems *notes, char **ret_message);
void topology_clear(struct topology *topology);
/* Where NCCL looks without NCCL_TOPO_FILE: src/graph/topo.cc. */
#define VIRTUAL_TOPOLOGY "var/run/nvidia-topologyd/virtualTopology.xml"
/*
 * Returns the hypervisor of this virtual machine by /sys/hypervisor/type, or its DMI strings and,
 * at Google, the modalias of its processors; NULL: none. What cannot be read becomes a problem. The
 * caller frees it.
 */
char *topology_hypervisor(const struct root *root, struct problems *problems);
/* Finds a node by name or PCI address; NULL if there is none. */
struct topology_node *topology_find(const struct topology *topology, const char *name);
void topology_compare(const struct topology *topology, const struct topology_node *a,
		      const struct topology_node *b, struct topology_pair *ret_pair);
/* The id of the nearest switch above both, or NULL. */
const char *topology_common_switch(const struct topology_node *a, const struct topology_node *b);
/* Whether both are at the same NUMA node, or both at an unknown one. */
bool topology_is_same_numa(const struct topology_node *a, const struct topology_node *b);
/* Fills the distances from each of `rows` to each of `columns`. */
void topology_fill_distances(const struct topology *topology, struct topology_node *const *rows,
			     size_t row_count, struct topology_node *const *columns,
			     size_t column_count);

/* A link between accelerators that the kernel does not show, but a library of the vendor does. */
struct hidden_fabric {
	const char *link, *library;
};

/* Returns what an accelerator may be linked with to others of its kind; NULL: nothing hidden. */
const struct hidden_fabric *topology_hidden_fabric(const struct topology_node *node);
/* The word for a pair in a dialect: PIX, NODE ...; ? if its class is unknown. */
const char *topology_word(const struct topology_pair *pair, enum topology_dialect dialect);
/* Finds the class for a word of any dialect, in any case: pxb. Returns -EINVAL if there is none. */
int topology_parse_class(const char *word, enum topology_class *ret_class);

/* The path from one node to another, hop by hop, and the reason for its class. */
struct topology_hop {
	char *hop;  /* address of a function, host bridge or NUMA node */
	char *what; /* gpu0, downstream port, switch ... */
	/* The link above it, towards the host bridge. */
	struct real speed_gtps, max_speed_gtps;
	struct number width_lanes, max_width_lanes;
	struct real gbps, max_gbps;
	enum tristate slower; /* slower than both ends can do */
};

struct topology_path {
	char *from; /* borrowed, like pair.to */
	struct topology_pair pair;
	struct topology_hop *hops;
	size_t count;
};

extern const struct schema topology_path_schema, topology_hop_schema;

void topology_find_path(const struct topology *topology, const struct topology_node *a,
			const struct topology_node *b, struct topology_path *ret_path);
void topology_path_clear(struct topology_path *path);
/* Appends the sentences below the hops. */
void topology_explain(const struct topology_path *path, struct text_buffer *text);

/* "gen5 x16", or "-"; the caller frees it. */
char *topology_link_text(const struct real *speed_gtps, const struct number *lanes);

/* The nodes as a tree, for people: as text, or as a picture (SVG 1.1). */
void topology_show_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text);
void topology_draw_tree(const struct topology *topology, struct topology_node *const *nodes,
			size_t count, struct text_buffer *text);

/*
 * Writes a topology file in NCCL's format (src/graph/xml.cc): cpu elements for NUMA nodes, which
 * contain pci elements for switches and functions. RCCL's files are the same, with version 2.
 */
void nccl_write(const struct topology *topology, struct topology_node *const *nodes, size_t count,
		struct text_buffer *text);

extern const struct schema topology_schema;
extern const struct schema topology_pair_schema;

/* Limit on the nodes that are compared with each other at once. */
enum { TOPOLOGY_MOST_NODES = 256 };
