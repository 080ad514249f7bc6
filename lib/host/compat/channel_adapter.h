/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A channel adapter as in libibumad: the exact attributes in /sys/class/infiniband, including LIDs
 * of Ethernet ports. If one port fails, nothing of its adapter is shown. Only the personality of
 * ibstat uses this; everything else uses host/inventory/inventory.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "schema/value.h"

enum {
	CHANNEL_ADAPTER_PORTS =
		10, /* indexed by port number; 0 is the management port of a switch */
	CHANNEL_ADAPTER_NAME = 20, /* bytes of a name, including its NUL */
};

struct channel_port {
	bool present;
	unsigned int lid, lmc, sm_lid, state, physical_state;
	unsigned int rate_gbps; /* integer part */
	bool fdr10;
	uint32_t cap_mask;
	uint64_t guid; /* 0 if the GID table is empty */
	char link_layer[CHANNEL_ADAPTER_NAME];
};

struct channel_adapter {
	char name[CHANNEL_ADAPTER_NAME];
	unsigned int node_type; /* enum node_type */
	char firmware[20], hardware[20], type[40];
	uint64_t node_guid, system_image_guid;
	unsigned int last_port; /* highest port number; 0: no ports, or only port 0 */
	struct channel_port ports[CHANNEL_ADAPTER_PORTS];
	int error; /* errno of the last unreadable file, or 0 */
	unsigned int failed_port;
	bool no_pkeys; /* why that port could not be read */
};

/* All adapters of a system, from RDMA netlink if it answers, else from files. */
struct channel_adapters;

/* `root` is a saved tree, or NULL for the live system. Returns 0 or -errno. */
int channel_adapters_open(const char *root, struct channel_adapters **ret_adapters);
void channel_adapters_close(struct channel_adapters *adapters);
DEFINE_CLEANUP(struct channel_adapters, channel_adapters_close)

/* Lists the channel adapters, switches and routers in byte order. */
int channel_adapter_names(const struct channel_adapters *adapters, struct strings *ret_names);
/*
 * Returns 0, or -errno if libibumad would not show the adapter; adapter->error is the errno that
 * libibumad would report.
 */
int channel_adapter_read(const struct channel_adapters *adapters, const char *name,
			 struct channel_adapter *adapter);
/*
 * Whether the port has a GID or a connection manager. If its port has neither, newer releases of
 * ibstat print nothing about an adapter that libibumad does not show.
 */
bool channel_adapter_is_endpoint(const struct channel_adapters *adapters, const char *name,
				 int port);
