/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A channel adapter as libibumad's users see it: the attributes of /sys/class/infiniband as they
 * are, LIDs of Ethernet ports and all, and none of the adapter if one of its ports fails. For the
 * personality of ibstat; everything else goes by load/inventory.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/class_files.h"

enum {
	CHANNEL_ADAPTER_PORTS = 10, /* by number, of which 0 is a switch's own */
	CHANNEL_ADAPTER_NAME = 20,  /* bytes of a name, its end included */
};

struct channel_port {
	bool present;
	unsigned int lid, lmc, sm_lid, state, physical_state;
	unsigned int rate_gbps; /* its whole part */
	bool fdr10;
	uint32_t cap_mask;
	uint64_t guid; /* 0: the GID table is empty */
	char link_layer[CHANNEL_ADAPTER_NAME];
};

struct channel_adapter {
	char name[CHANNEL_ADAPTER_NAME];
	unsigned int node_type; /* enum node_type */
	char firmware[20], hardware[20], type[40];
	uint64_t node_guid, system_image_guid;
	unsigned int last_port; /* the highest number; 0: none, or port 0 alone */
	struct channel_port ports[CHANNEL_ADAPTER_PORTS];
	int error; /* of the last file that could not be read: an errno, 0 for none */
	unsigned int failed_port;
	bool no_gid, no_pkeys; /* the reason, for that port */
};

/* All of a system: what RDMA netlink tells of them at once, and the files of the rest. */
struct channel_adapters;

/* Of a saved tree, or of the live system with NULL. 0 or -errno. */
int channel_adapters_open(const char *root, struct channel_adapters **ret_adapters);
void channel_adapters_close(struct channel_adapters *adapters);
DEFINE_CLEANUP(struct channel_adapters, channel_adapters_close)

/* The names of those of node type channel adapter, switch or router, in the order of bytes. */
int channel_adapter_names(const struct channel_adapters *adapters, struct strings *ret_names);
/* 0, or -errno if libibumad would not show it: adapter->error tells the errno it ends with. */
int channel_adapter_read(const struct channel_adapters *adapters, const char *name,
			 struct channel_adapter *adapter);
