/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Carriers of management datagrams: the kernel's interface /dev/infiniband/umad* by libibumad
 * (umad.h; in the kernel Documentation/infiniband/user_mad.rst), or one of a test. Numbers are in
 * host order, GIDs in wire order. Functions return 0 or -errno. A buffer is `headroom` bytes for
 * the carrier's own use, then the MAD.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gid.h"

/* Destination or source of a MAD. The path of a directed route is in the MAD itself. */
struct mad_address {
	uint16_t lid;
	uint8_t sl;
	uint8_t path_bits;
	uint32_t qpn;
	uint32_t qkey;
	uint16_t pkey_index;
	bool has_grh;
	uint8_t gid_index; /* the local one */
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
	uint64_t methods[2];  /* bits: methods of unsolicited MADs */
};

struct mad_arrival {
	int agent;
	int error; /* errno: our own request returns, unanswered; 0: a MAD arrived */
	struct mad_address from;
};

struct mad_transport {
	void *context;
	size_t headroom;
	/* Returns the number of the agent, which `send` takes and an arrival names. */
	int (*add_agent)(void *context, const struct mad_agent *agent);
	/* timeout_msec 0: no answer is expected. */
	int (*send)(void *context, int agent, const struct mad_address *to, unsigned char *buffer,
		    size_t bytes, unsigned int timeout_msec);
	/*
	 * Takes one MAD without waiting: -EAGAIN if there is none. *bytes is the room for the MAD,
	 * and then its length; -ENOSPC if that is more, and the MAD can be received again.
	 */
	int (*receive)(void *context, unsigned char *buffer, size_t *bytes,
		       struct mad_arrival *ret);
	/* The index of a P_Key in the table of the port; -ENOENT. NULL: the table is not known. */
	int (*find_pkey)(void *context, uint16_t pkey);
	/* Until there is a MAD to receive: -ETIMEDOUT, -EINTR. */
	int (*wait)(void *context, int timeout_msec);
	void (*close)(void *context);
};

/*
 * Opens the umad port of `device` for all classes but subnet management, and that of `smi_device`
 * for the latter: most often the same, but different for a device with planes. `smi_device` NULL:
 * there is none. The transport's `close` closes it. -ELIBACC: libibumad is not installed; -ENODEV:
 * the port has no umad node; -EACCES, -ENOENT ... as from opening the node.
 */
int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport);
