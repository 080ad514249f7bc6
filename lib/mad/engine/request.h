/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Destinations of management datagrams as people write them, requests and replies. A request is a
 * plain struct that the caller fills; `data` must remain valid until the request is done.
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
	uint64_t key; /* M_Key for subnet management, SM_Key for the SA, CC_Key, B_Key */
	uint64_t component_mask;
	uint32_t oui; /* vendor classes 0x30 to 0x4f */
	const unsigned char *data;
	size_t data_bytes;
	uint64_t number; /* for the caller */
};

struct mad_reply {
	const struct mad_request *request;
	/*
	 * 0: there is an answer, whatever its status. -ETIMEDOUT: there is none; -ECANCELED: the
	 * engine stopped waiting; -EXDEV: an SMP cannot leave its subnet; -EHOSTUNREACH and others:
	 * the request could not be sent.
	 */
	int error;
	uint16_t status;	  /* of the MAD, without the direction bit */
	const unsigned char *mad; /* NULL without an answer; valid during the call */
	size_t bytes;		  /* more than MAD_BYTES if it came in segments */
	const struct mad_address *from;
	/* Round trip of the answered try; 0: unknown, because another send() took long. */
	uint64_t round_trip_nsec;
	unsigned int tries; /* times sent since the last busy status or redirection */
};

/* A round trip in microseconds, for records. */
static inline struct real mad_round_trip_usec(uint64_t nsec)
{
	return (struct real){.value = (double)nsec / 1000, .known = nsec != 0};
}

uint8_t mad_version_of_class(unsigned int mgmt_class);
/* The OUI of the classes of ibping(8) and ibsysstat(8); 0 for other classes. */
uint32_t mad_oui_of_class(unsigned int mgmt_class);
/* Writes the MAD with that transaction ID, and 0 to all bytes that the request does not set. */
void mad_request_write(const struct mad_request *request, uint32_t transaction,
		       unsigned char mad[static MAD_BYTES]);
/* Whether this MAD is the answer to the request, by class, method and attribute. */
bool mad_answers(const unsigned char *mad, const struct mad_request *request);
/*
 * Whether the kernel treats the answer as a response: it delivers a response only while it waits
 * for one, and any other MAD only to agents with methods (drivers/infiniband/core/mad.c,
 * ib_response_mad()).
 */
bool mad_reply_is_response(const struct mad_request *request);

enum target_kind {
	TARGET_ANY, /* the kind follows from the text */
	TARGET_LID,
	TARGET_GUID, /* of a port, whose LID is in a path record of the SA */
	TARGET_GID,
	TARGET_NAME,   /* of a node: mad/names/find_node.h; never the result of parsing */
	TARGET_DIRECT, /* 0,1,3: 0, then the port by which each node on the path forwards it */
};

struct mad_target {
	enum target_kind kind; /* never TARGET_ANY or TARGET_NAME */
	uint16_t lid;
	uint64_t guid;
	struct gid gid;
	uint8_t hops; /* length of the directed route in `path` */
	uint8_t path[MAD_HOPS_MOST + 1];
};

/*
 * Parses one destination. With TARGET_ANY, a list that begins with 0 is a directed route, four
 * groups with colons between them are a GUID, any other text with a colon is a GID, a number up to
 * 0xbfff is a LID, and any other 64-bit number is a GUID. -EINVAL: the text is none of these, and
 * may be a name; -ERANGE: it has a LID that no port can have, a port above 255, or more than 63
 * hops.
 */
int mad_target_parse(const char *text, enum target_kind kind, struct mad_target *ret_target);
/*
 * Splits NODE/PORT at the last slash; the caller frees *ret_node, a destination of any kind.
 * Returns false if no port number from 0 to 254 follows.
 */
bool mad_target_split(const char *word, char **ret_node, unsigned int *ret_port);
/* Formats the target as mad_target_parse() reads it; the caller frees the text. */
char *mad_target_text(const struct mad_target *target);

/*
 * Parses a range of ports of a node, or of entries of a table, written as one word: a number or two
 * (1-36) in `base`, up to `most`. Returns false if the word is neither.
 */
bool mad_parse_range(const char *word, int base, uint32_t most, uint32_t *ret_first,
		     uint32_t *ret_last);
