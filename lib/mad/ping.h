/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The requests that test whether a port is alive, of four kinds, and the replies that our server
 * gives. Formats only: nothing is sent here.
 *
 * The kinds of vendor class 0x32 have 216 bytes of data. OpenIB's: Get of attribute 0 with the OUI
 * 00-14-05; the reply, a GetResp, has the name of the host, as in ibping(8). Ours, for RoCE: Get of
 * attribute 1 with an unassigned OUI; the reply has 64 bytes of host name followed by the rest of
 * the request's data unchanged. On a GID made from an IPv4 address the kernel does not find the
 * request of a GetResp, so the reply is an unsolicited MAD with the method that the request's
 * modifier names: one of a few, so that several clients can share a port.
 */
#pragma once

#include "mad/engine/request.h"

enum ping_kind {
	PING_PMA,    /* Get(ClassPortInfo) of performance management */
	PING_SMP,    /* Get(NodeInfo) of subnet management */
	PING_OPENIB, /* ibping's */
	PING_ROCE,   /* ours */
};

/* Locally administered (IEEE 802, 8.2.2): assigned to no company. */
#define PING_ROCE_OUI	    0x025244u
#define PING_ROCE_ATTRIBUTE 1u
#define PING_DATA_BYTES	    216u /* vendor range 2: IBA 1, 16.5.1 */
#define PING_HOST_BYTES	    64u	 /* including the NUL, in our replies */
#define PING_METHOD_COUNT   17u

extern const struct enum_name ping_kind_names[];

/*
 * The methods of replies, by number below PING_METHOD_COUNT: Send, and some that the class may
 * define.
 */
uint8_t ping_answer_method(unsigned int number);

/*
 * Fills everything but the address, path and key; `direct` is for PING_SMP, `method` and the data
 * (PING_DATA_BYTES, which must stay valid) for PING_ROCE.
 */
void ping_request(enum ping_kind kind, bool direct, uint8_t method, const unsigned char *data,
		  struct mad_request *ret);
/*
 * True if a MAD that the engine took for the reply is one: for PING_ROCE it must hold the request's
 * data after the name, and for both vendor kinds the status must be 0.
 */
bool ping_accept(enum ping_kind kind, const struct mad_request *request, const unsigned char *mad,
		 size_t bytes);
/*
 * The host name in the reply, cleaned; the caller frees it. NULL if the kind has none, or it is
 * empty.
 */
char *ping_host(enum ping_kind kind, const unsigned char *mad, size_t bytes);

/*
 * For the server: returns whether the MAD is a request of `kind`, one of the vendor kinds, and
 * makes its reply, with the host's name.
 */
bool ping_answer(enum ping_kind kind, const unsigned char *mad, size_t bytes, const char *host,
		 unsigned char answer[static MAD_BYTES]);
/* The address to reply to. */
struct mad_address mad_answer_address(const struct mad_address *from);
