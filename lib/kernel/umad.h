/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Carriers of management datagrams: the kernel's interface /dev/infiniband/umad* through libibumad
 * (umad.h; in the kernel Documentation/infiniband/user_mad.rst), or a test's substitute. Numbers
 * are in host order, GIDs in wire order. Functions return 0 or -errno. A buffer starts with
 * `headroom` bytes for the carrier, followed by the MAD.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gid.h"

/* Destination or source of a MAD. A directed route's path is in the MAD itself. */
struct mad_address {
	uint16_t lid;
	uint8_t sl;
	uint8_t path_bits;
	uint32_t qpn;
	uint32_t qkey;
	uint16_t pkey_index;
	bool has_grh;
	uint8_t gid_index; /* index of the local GID */
	uint8_t hop_limit;
	uint8_t traffic_class;
	uint32_t flow_label;
	struct gid gid;
};

/* A receiver of one management class. */
struct mad_agent {
	uint8_t mgmt_class;
	uint8_t version;
	uint8_t rmpp_version; /* 1: the carrier reassembles segments */
	uint32_t oui;	      /* vendor classes 0x30 to 0x4f */
	/* Bit mask of the methods of unsolicited MADs to receive, in words of umad_register(3). */
	unsigned long methods[16 / sizeof(long)];
};

struct mad_arrival {
	int agent;
	int error; /* errno: our request comes back unanswered; 0: a MAD arrived */
	struct mad_address from;
};

struct mad_transport {
	void *context;
	size_t headroom;
	/* Returns the agent's number, which `send` takes and arrivals report; or -errno. */
	int (*add_agent)(void *context, const struct mad_agent *agent);
	/* timeout_msec 0: no reply is expected. */
	int (*send)(void *context, int agent, const struct mad_address *to, unsigned char *buffer,
		    size_t bytes, unsigned int timeout_msec);
	/*
	 * Takes one MAD without waiting: -EAGAIN if there is none. *bytes is the room for the MAD
	 * on entry and its length on return; -ENOSPC if the MAD is longer: it can be received
	 * again.
	 */
	int (*receive)(void *context, unsigned char *buffer, size_t *bytes,
		       struct mad_arrival *ret);
	/* Returns a P_Key's index in the port's table, or -ENOENT. NULL: the table is unknown. */
	int (*find_pkey)(void *context, uint16_t pkey);
	/* Waits until there is a MAD to receive: -ETIMEDOUT, -EINTR. */
	int (*wait)(void *context, int timeout_msec);
	void (*close)(void *context);
};

/*
 * Opens the umad port of `device` for all classes except subnet management, and that of
 * `smi_device` for the latter. They are usually the same, but differ for a device with planes.
 * `smi_device` NULL: none. The transport's `close` closes both. -ELIBACC: libibumad is not
 * installed; -ENODEV: the port has no umad node; -EACCES, -ENOENT ... as from opening the node.
 */
int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport);
