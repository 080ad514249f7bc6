/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A request and its reply. A request is a plain struct that the caller fills; `data` must remain
 * valid until the request is done.
 */
#pragma once

#include "mad/format/header.h"
#include "kernel/umad.h"

struct mad_request {
	struct mad_address to;
	bool direct; /* routed by `path` instead of to.lid */
	uint8_t hops;
	uint8_t path[MAD_HOPS_MOST + 1]; /* path[1] is the local port */
	uint8_t mgmt_class;
	uint8_t method;
	uint8_t reply_method; /* method of the answer; 0: the response to `method` */
	uint16_t attribute;
	uint32_t modifier;
	uint64_t key; /* M_Key for subnet management, SM_Key for the SA */
	uint64_t component_mask;
	uint32_t oui; /* vendor classes 0x30 to 0x4f */
	const unsigned char *data;
	size_t data_bytes;
	void *cookie;  /* for the caller */
	size_t number; /* for the caller */
};

struct mad_reply {
	const struct mad_request *request;
	/*
	 * 0: there is an answer, whatever its status. -ETIMEDOUT: there is none; -ECANCELED: the
	 * engine stopped waiting; -EHOSTUNREACH and others: the request could not be sent.
	 */
	int error;
	uint16_t status;	  /* of the MAD, without the direction bit */
	const unsigned char *mad; /* NULL without an answer; valid during the call */
	size_t bytes;		  /* more than MAD_BYTES if it came in segments */
	const struct mad_address *from;
	/* Round trip of the answered try; 0: unknown, because another send() took long. */
	uint64_t round_trip_nsec;
	unsigned int tries;
};

uint8_t mad_version_of_class(unsigned int mgmt_class);
/* Writes the MAD with that transaction ID, and 0 to all bytes that the request does not set. */
void mad_request_write(const struct mad_request *request, uint32_t transaction,
		       unsigned char mad[static MAD_BYTES]);
/* Whether this MAD is the answer to the request, by class, method and attribute. */
bool mad_answers(const unsigned char *mad, const struct mad_request *request);
/* The status without the direction bit of a directed route: 14.2.1.2. */
uint16_t mad_status(const unsigned char *mad);
