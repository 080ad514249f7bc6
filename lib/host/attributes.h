/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The facts of a record as a table: each row maps a member to its file in sysfs and to its
 * attribute in a netlink message, and the readers of both walk the same table. A file that cannot
 * be read becomes a problem under the name of the field that shows the member.
 */
#pragma once

#include "kernel/sysfs.h"
#include "schema/problem.h"

struct nlattr;

/* How a file's text is converted to a member; netlink has text or numbers with the same meaning. */
enum attribute_kind {
	ATTRIBUTE_TEXT,	   /* char *, cleaned */
	ATTRIBUTE_ADDRESS, /* char *, aa:bb:..., NULL if empty; bytes in netlink */
	ATTRIBUTE_DECIMAL, /* struct number, like all below */
	ATTRIBUTE_HEX,	   /* 0x10 */
	ATTRIBUTE_PKEY,	   /* like HEX, 16 bits */
	ATTRIBUTE_GUID,
	ATTRIBUTE_CODE,	     /* "4: ACTIVE": the number before the colon */
	ATTRIBUTE_LANES,     /* 0: no link; 255 is the kernel's "unknown", PCIE_LNK_WIDTH_UNKNOWN */
	ATTRIBUTE_SIGNED,    /* -1 is the kernel's "none" and stays unknown */
	ATTRIBUTE_LAYER,     /* InfiniBand, Ethernet, Unspecified */
	ATTRIBUTE_OPERSTATE, /* a netdev's up, down, lowerlayerdown ... */
	ATTRIBUTE_NETDEV_SPEED, /* megabits per second */
	ATTRIBUTE_SPEED,	/* "8.0 GT/s PCIe": struct real */
};

/*
 * Objects for which the absence of a file is a problem. Only this place knows: an attribute that is
 * not due is simply a property that the object does not have.
 */
enum attribute_due {
	DUE_NEVER,
	DUE_ALWAYS,  /* the core creates it for every object (of this link layer, if it is a LID) */
	DUE_WITH,    /* kernels that have the file `with` have this one */
	DUE_DRIVERS, /* created by these drivers: the modules in `with`, separated by blanks */
};

struct attribute {
	const char *path; /* relative to the directory of the record; NULL: not in sysfs */
	enum attribute_kind kind;
	uint64_t need;
	size_t offset;
	enum attribute_due due;
	const char *with;
	unsigned int netlink; /* the attribute's number in a message; 0: none */
	const char *key;      /* for problems, if no field shows the member */
};

/* A row of a table, with the last members by name. */
#define ATTRIBUTE(record_, member_, path_, kind_, need_, ...)            \
	{                                                                \
		.path = path_, .kind = ATTRIBUTE_##kind_, .need = need_, \
		.offset = offsetof(record_, member_), __VA_ARGS__        \
	}

struct attributes {
	const struct attribute *items;
	size_t count;
	const struct schema *schema; /* the record's schema; NULL if rows have keys */
};

/* Returns the row whose problems have this key, or NULL. */
const struct attribute *attribute_find(const struct attributes *table, const char *key);
/* Fills unknown members from a message's attributes. -EBADMSG: one of them is malformed. */
int attributes_take(const struct attributes *table, struct nlattr *const *message, void *record);
/* Returns how many needed files' members are still unknown; RDMA netlink provides most of them. */
size_t attributes_wanted(const struct attributes *table, uint64_t needs, const void *record);
/* Reads needed files whose members are still unknown into `record`; `object` is for problems. */
void attributes_read(const struct attributes *table, const struct root *root, const char *directory,
		     const char *object, uint64_t needs, void *record, struct problems *problems);
/* Parses a decimal fraction at the start of the text, in the form of the C locale. */
int attribute_parse_real(const char *text, struct real *real, const char **ret_rest);
