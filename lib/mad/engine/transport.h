/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What carries management datagrams for the engine: the kernel's umad interface (source/umad.h), or
 * what a test puts in its place. Numbers are in host order, GIDs in wire order. Functions return 0
 * or -errno. A buffer is `headroom` bytes for the carrier's own use, then the MAD.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gid.h"

/* Where a MAD goes to, or came from. The path of a directed route is in the MAD itself. */
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

/* Who receives what: one for each management class. */
struct mad_agent {
	uint8_t mgmt_class;
	uint8_t version;
	uint8_t rmpp_version; /* 1: segments are put together below */
	uint32_t oui;	      /* vendor classes 0x30 to 0x4f */
	uint64_t methods[2];  /* bits: methods that come unasked */
};

struct mad_arrival {
	int agent;
	int error; /* errno: our own request comes back, unanswered; 0: a MAD that came */
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
	 * Takes what is there, without waiting: -EAGAIN. *bytes is the room for the MAD, and then
	 * its length; -ENOSPC if that is more, with the length in *bytes: it stays to be taken.
	 */
	int (*receive)(void *context, unsigned char *buffer, size_t *bytes,
		       struct mad_arrival *ret);
	/* Until there is something to take: -ETIMEDOUT, -EINTR. */
	int (*wait)(void *context, int timeout_msec);
	void (*close)(void *context);
};
