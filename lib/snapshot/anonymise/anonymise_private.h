/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an anonymiser has learned, and what changes each kind of content; private to this folder. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/value.h"
#include "snapshot/anonymise/anonymise.h"

struct text_buffer;

enum { IPOIB_BYTES = 20, GID_BYTES = 16, GUID_BYTES = 8, ETHERNET_BYTES = 6, IPV4_BYTES = 4 };

/* Values of one size, padded with zeros, sorted once learning has ended. */
struct known {
	uint64_t *items;
	size_t count, size;
};

struct anonymiser {
	uint8_t key[HMAC_BYTES];
	struct known macs, guids;
	struct strings names; /* of hosts */
	char *domain;	      /* of this host, without the leading dot; NULL: not known */
};

void known_add(struct known *known, const uint8_t *bytes);
bool known_has(const struct known *known, const uint8_t *bytes);
/* Whether the GID is a solicited-node multicast group, also of IPoIB: RFC 4291. */
bool is_solicited(const uint8_t *gid);

/* Whether the character may be part of a host name. */
bool is_of_name(char c);
/* Adds a replacement for the host name at the start of the text. Returns its length, or 0. */
size_t anonymise_host(const struct anonymiser *anonymiser, const char *text,
		      struct text_buffer *out);
/* Learns the names of hosts in a node description, before the learning ends. */
void anonymise_description_learn(struct anonymiser *anonymiser, const struct content *content);
/* Replaces all its words but those for the device. The caller frees the result. */
char *anonymise_description(const struct anonymiser *anonymiser, const struct content *content);
/* Adds the address of `count` bytes whose digits are in the text, changed, in the same form. */
void anonymise_digits(const struct anonymiser *anonymiser, const char *text, size_t length,
		      size_t count, struct text_buffer *out);
/* Adds a replacement for a MAC address or GUID with dashes or dots; `before` precedes the text. */
size_t anonymise_other_marks(const struct anonymiser *anonymiser, const char *text, char before,
			     struct text_buffer *out);

/* Lines of the form ID:CONTROLLERS:PATH, cgroups(7); the caller frees the result. */
char *anonymise_cgroups(const struct anonymiser *anonymiser, const char *text);
/*
 * Mounts; the fourth word of a line is the group that is mounted, or the directory that is at /:
 * proc(5), mountinfo.
 */
char *anonymise_mounts(const struct anonymiser *anonymiser, const char *text);
/* A path in the hierarchy of the groups; with `file` its last name is that of a file. */
char *anonymise_cgroup_path(const struct anonymiser *anonymiser, const char *path, bool file);
/*
 * The name of an instance of a service, or of the folder of its settings: the part after the @ may
 * be an address (sshd@0-10.0.0.5:22-10.0.0.9:50000.service) or a user. NULL for any other name.
 */
char *anonymise_instance(const struct anonymiser *anonymiser, const char *name, size_t length);

/* Numbers after "serial", "serial number", or S/N: NVRM: GPU Board Serial Number: 123. */
void anonymise_spoken_serials(const struct anonymiser *anonymiser, char *text);
/*
 * GUIDs of other nodes that are recognized only by the word before them: Neighbor Guid
 * 1175010265ab12 of hfi1, without leading zeros. Those that were learned are recognized elsewhere,
 * too, and so are both halves of a port ID of SRP. The caller frees the result.
 */
void anonymise_spoken_guids_learn(struct anonymiser *anonymiser, const char *text);
char *anonymise_spoken_guids(const struct anonymiser *anonymiser, const char *text);
/* Names of hosts and targets in NVMe and iSCSI: iqn.2003-01.org.linux-iscsi.gpu17.x8664:sn.7a3c. */
void anonymise_qualified_names(const struct anonymiser *anonymiser, char *text);
/* Names of Lustre's file systems, in its lines of the kernel's log. */
void anonymise_file_systems(const struct anonymiser *anonymiser, char *text);
/* UUIDs, such as those of accelerators and of NVMe hosts. */
void anonymise_uuids(const struct anonymiser *anonymiser, char *text);
/* Beginnings of IPv6 addresses that fill the name of a process. */
void anonymise_cut_addresses(const struct anonymiser *anonymiser, char *text);
/*
 * What qib reports about a cable's module: its serial number, and its memory in hexadecimal, which
 * also contains the number and is read by nobody: qib_qsfp_dump().
 */
void anonymise_module_text(const struct anonymiser *anonymiser, char *text);

/* Returns NULL if the file is not one of those; else the caller frees the result. */
char *anonymise_settings(const struct anonymiser *anonymiser, const char *path, const char *text);
/*
 * Whether nothing in the file was kept, so that only its name is left, which is often that of a
 * user or a group: limits.d/alice.conf.
 */
bool anonymise_is_void(const char *path, size_t length);

/* Learns the addresses of a recording, before the learning ends. */
void anonymise_recording_learn(struct anonymiser *anonymiser, const struct content *content);
/*
 * Changes a recording. Answers that may contain addresses which cannot be found are dropped and
 * counted in *ret_dropped. Returns 0, or -errno if the recording cannot be read, which leaves it
 * unchanged.
 */
int anonymise_recording(struct anonymiser *anonymiser, struct content *content,
			size_t *ret_dropped);

/* Changes a file other than a recording, according to its name and its content. */
void anonymise_file(const struct anonymiser *anonymiser, struct content *content);
/* Whether it is text, or binary data in a form that is known here. */
bool anonymise_knows_file(const struct content *content);

/*
 * Attributes in recorded netlink messages. A message is rebuilt from the attributes that a table
 * names, each according to its class; all others are omitted, so that an attribute nobody has
 * thought of gives nothing away. The tables name what the program reads, which tests/lint/recorded
 * compares.
 */

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
