/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the attributes of recorded netlink messages hold; private to this folder. A message is built
 * anew from the attributes that a table names, each as what it is; all others are left out, so that
 * what nobody has thought of gives nothing away. The tables name what the program reads, which
 * tests/lint/recorded compares.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct anonymiser;

enum class {
	CLASS_SMALL,	/* a number of one or two bytes */
	CLASS_NUMBER,	/* of 1, 2, 4 or 8 bytes: nothing that tells one host from another */
	CLASS_NUMBERS,	/* any number of 64-bit numbers */
	CLASS_BLOCK,	/* a structure of numbers; what a later kernel adds to it is cut off */
	CLASS_FLAG,	/* that it is there; what it holds is not kept */
	CLASS_TEXT,	/* a name or a message, in which addresses and host names are replaced */
	CLASS_GUID,	/* as a number in host order */
	CLASS_PREFIX,	/* the upper half of a GID, likewise */
	CLASS_HARDWARE, /* address of a netdev; the length says which */
	CLASS_IP,	/* IPv4 or IPv6, by the length */
	CLASS_NETWORK,	/* the same of which struct rtmsg says how many bits matter */
	CLASS_VIA,	/* struct rtvia: a family, and the address */
	CLASS_SOCKET,	/* struct sockaddr_in, sockaddr_in6 or sockaddr_ib */
	CLASS_VF_MAC,	/* struct ifla_vf_mac */
	CLASS_VF_GUID,	/* struct ifla_vf_guid */
	CLASS_MODULE,	/* memory of the module of a cable, of which the question names the part */
	CLASS_NEST,
};

struct attribute_table;

struct attribute_class {
	uint16_t type, most; /* the bytes of a structure */
	enum class class;
	const struct attribute_table *inside; /* NULL: the table that this is in */
};

struct attribute_table {
	const struct attribute_class *rows;
	size_t count;
};

/* Families of RDMA netlink, rtnetlink and generic netlink; NULL: none that is known. */
const struct attribute_table *attributes_of_rdma(uint16_t type);
/* *ret_header: the bytes of the structure that the attributes follow. */
const struct attribute_table *attributes_of_route(uint16_t type, size_t *ret_header);
extern const struct attribute_table attributes_devlink, attributes_control;
/* `command`: that of the question; the answer has a numbering of its own. */
const struct attribute_table *attributes_of_ethtool(uint8_t command);
/* Those after an error of netlink. */
extern const struct attribute_table attributes_error;

/* Which part of the memory of a module was asked for, and how that is laid out. */
struct module_part {
	uint8_t address, page, offset;
	uint8_t identifier; /* SFF-8024, byte 0 of the memory; 0: not known */
};

/* On the module's bus; its byte 0 is the identifier. */
enum { MODULE_ADDRESS = 0x50 };

/* Changes the bytes in place: serial numbers become others, what is not known becomes zero. */
void anonymise_module(const struct anonymiser *anonymiser, const struct module_part *part,
		      uint8_t *bytes, size_t length);

/* One message that is changed. */
struct attribute_change {
	struct anonymiser *anonymiser;
	bool learning; /* addresses are learned, and nothing is changed */
	unsigned int network_bits;
	struct module_part module;
};

/* What has been written; `room` grows. */
struct bytes {
	uint8_t *data;
	size_t length, room;
};

void bytes_add(struct bytes *bytes, const void *data, size_t length);

/* Adds the attributes at `data`, changed, with their padding. What is damaged ends them. */
void attributes_change(struct attribute_change *change, const struct attribute_table *table,
		       const uint8_t *data, size_t length, struct bytes *out);
/* The number in an attribute at this level, of up to four bytes; -1: it is not there. */
int64_t attributes_number(const uint8_t *data, size_t length, uint16_t type);
/* The payload of an attribute at this level; NULL: it is not there. */
const uint8_t *attributes_find(const uint8_t *data, size_t length, uint16_t type,
			       size_t *ret_length);
