/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The content of attributes in recorded netlink messages; private to this folder. A message is
 * rebuilt from the attributes that a table names, each according to its class; all others are
 * omitted, so that an attribute nobody has thought of gives nothing away. The tables name what the
 * program reads, which tests/lint/recorded compares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct anonymiser;
struct recorded_message;

enum class {
	CLASS_SMALL,	/* a number of one or two bytes */
	CLASS_NUMBER,	/* of 1, 2, 4 or 8 bytes: does not identify a host */
	CLASS_NUMBERS,	/* any number of 64-bit numbers */
	CLASS_BLOCK,	/* a structure of numbers; what a later kernel appends is cut off */
	CLASS_FLAG,	/* only its presence counts; its content is not kept */
	CLASS_TEXT,	/* a name or a message; addresses and host names in it are replaced */
	CLASS_GUID,	/* as a number in host order */
	CLASS_PREFIX,	/* the upper half of a GID, likewise */
	CLASS_HARDWARE, /* address of a netdev; the length says which */
	CLASS_IP,	/* IPv4 or IPv6, by the length */
	CLASS_NETWORK,	/* the same; struct rtmsg says how many bits matter */
	CLASS_VIA,	/* struct rtvia: a family, and the address */
	CLASS_SOCKET,	/* struct sockaddr_in, sockaddr_in6 or sockaddr_ib */
	CLASS_VF_MAC,	/* struct ifla_vf_mac */
	CLASS_VF_GUID,	/* struct ifla_vf_guid */
	CLASS_MODULE,	/* memory of a cable's module; the question names the part */
	CLASS_NEST,
	/*
	 * A nest with all VFs, whose length has wrapped around if there are many, as in vf_take():
	 * what follows counts as its content, and nobody reads anything else after it.
	 */
	CLASS_VFS,
};

struct attribute_table;

struct attribute_class {
	uint16_t type, most; /* the bytes of a structure */
	enum class class;
	const struct attribute_table *inside; /* NULL: the table that contains this row */
};

struct attribute_table {
	const struct attribute_class *rows;
	size_t count;
};

/* The tables of RDMA netlink, rtnetlink and generic netlink; NULL if the message is unknown. */
const struct attribute_table *attributes_of_rdma(uint16_t type);
/* *ret_header: size of the structure that precedes the attributes. */
const struct attribute_table *attributes_of_route(uint16_t type, size_t *ret_header);
extern const struct attribute_table attributes_devlink, attributes_control;
/* `command` is that of the question; the answer has its own numbering. */
const struct attribute_table *attributes_of_ethtool(uint8_t command);
/* The attributes after a netlink error. */
extern const struct attribute_table attributes_error;

/* The requested part of a module's memory, and its layout. */
struct module_part {
	uint8_t address, page, offset;
	uint8_t identifier; /* SFF-8024, byte 0 of the memory; 0: not known */
};

/* Address on the module's bus; byte 0 there is the identifier. */
enum { MODULE_ADDRESS = 0x50 };

/* Changes the bytes in place: serial numbers are replaced, unknown bytes become zero. */
void anonymise_module(const struct anonymiser *anonymiser, const struct module_part *part,
		      uint8_t *bytes, size_t length);

/* The state while one message is changed. */
struct attribute_change {
	struct anonymiser *anonymiser;
	bool learning; /* addresses are learned, and nothing is changed */
	unsigned int network_bits;
	struct module_part module;
};

/* An output buffer that grows; `room` is its capacity. */
struct bytes {
	uint8_t *data;
	size_t length, room;
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);

/* Learns or changes a GUID in network order. */
void attributes_change_guid(const struct attribute_change *change, uint8_t *guid);
/* Adds the attributes at `data`, changed, with their padding. Stops at a damaged one. */
void attributes_change(struct attribute_change *change, const struct attribute_table *table,
		       const uint8_t *data, size_t length, struct bytes *out);
/* The number in an attribute at this level, of up to four bytes; -1 if there is none. */
int64_t attributes_number(const uint8_t *data, size_t length, uint16_t type);
/* The payload of an attribute at this level; NULL if there is none. */
const uint8_t *attributes_find(const uint8_t *data, size_t length, uint16_t type,
			       size_t *ret_length);

/*
 * A question to verbs or its answer: replaces the message by the one in `out`. Returns false if its
 * content is unknown.
 */
bool anonymise_verbs(const struct attribute_change *change, struct recorded_message *message,
		     bool is_answer, struct bytes *out);
