/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What goes over and back when a port is asked for a sign of life: four kinds of requests, and the
 * answers that a server of ours gives. Formats only: nothing is sent here.
 *
 * The kinds of vendor class 0x32 have 216 bytes of data. OpenIB's: Get of attribute 0 with the OUI
 * 00-14-05; in the answer, a GetResp, the name of the host, as ibping(8) has it. Ours, for RoCE:
 * Get of attribute 1 with an OUI that is nobody's; in the answer 64 bytes of host name and the rest
 * of the request's data as they were. On a GID made from an IPv4 address the kernel does not find
 * the request of a GetResp, so the answer is a MAD of its own, whose method the request's modifier
 * names: one of few, so that several clients can share a port.
 */
#pragma once

#include "mad/request.h"

enum ping_kind {
	PING_PMA,    /* Get(ClassPortInfo) of performance management */
	PING_SMP,    /* Get(NodeInfo) of subnet management */
	PING_OPENIB, /* ibping's */
	PING_ROCE,   /* ours */
};

/* Locally administered (IEEE 802, 8.2.2): assigned to no company. */
#define PING_ROCE_OUI	    0x025244u
#define PING_ROCE_ATTRIBUTE 1u
#define PING_DATA_BYTES	    216u /* of vendor range 2: IBA 1, 16.5.1 */
#define PING_HOST_BYTES	    64u	 /* with the NUL, in our answers */
#define PING_METHOD_COUNT   17u

extern const struct enum_name ping_kind_names[];

/* The methods of answers, by number below PING_METHOD_COUNT: Send, and some of the class's own. */
uint8_t ping_answer_method(unsigned int number);

/*
 * Fills all but the address, path and key; `direct` is for PING_SMP, `method` and the data
 * (PING_DATA_BYTES, which must stay) for PING_ROCE.
 */
void ping_request(enum ping_kind kind, bool direct, uint8_t method, const unsigned char *data,
		  struct mad_request *ret);
/*
 * Whether a MAD that the engine took for the answer is one: of PING_ROCE it must hold what the
 * request's data had behind the name, and of both vendor kinds the status must be 0.
 */
bool ping_accept(enum ping_kind kind, const struct mad_request *request, const unsigned char *mad,
		 size_t bytes);
/* The name in it, cleaned: the caller frees it. NULL: the kind has none, or it is empty. */
char *ping_host(enum ping_kind kind, const unsigned char *mad, size_t bytes);

/*
 * The server's: whether what came is a request of `kind`, one of the vendor kinds; then its answer,
 * with the host's name.
 */
bool ping_answer(enum ping_kind kind, const unsigned char *mad, size_t bytes, const char *host,
		 unsigned char answer[static MAD_BYTES]);
/* The address to answer to. */
struct mad_address mad_answer_address(const struct mad_address *from);
