/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The facts of a record as a table: a row maps a member to its file in sysfs and to its attribute
 * in a netlink message, and the readers of both walk the same table. A file that cannot be read
 * becomes a problem under the name of the field that shows the member.
 */
#pragma once

#include "kernel/sysfs.h"
#include "schema/problem.h"

struct nlattr;

/* The conversion of a file's text to a member; netlink has text or numbers of the same meaning. */
enum attribute_kind {
	ATTRIBUTE_TEXT,	   /* char *, cleaned */
	ATTRIBUTE_ADDRESS, /* char *, aa:bb:..., NULL if empty; bytes in netlink */
	ATTRIBUTE_DECIMAL, /* struct number, like all below */
	ATTRIBUTE_HEX,	   /* 0x10 */
	ATTRIBUTE_PKEY,	   /* the same, 16 bits */
	ATTRIBUTE_GUID,
	ATTRIBUTE_CODE,	     /* "4: ACTIVE": the number before the colon */
	ATTRIBUTE_LANES,     /* 0: no link; 255 is the kernel's "unknown", PCIE_LNK_WIDTH_UNKNOWN */
	ATTRIBUTE_SIGNED,    /* -1 is the kernel's "none" and stays unknown */
	ATTRIBUTE_LAYER,     /* InfiniBand, Ethernet, Unspecified */
	ATTRIBUTE_OPERSTATE, /* a netdev's up, down, lowerlayerdown ... */
	ATTRIBUTE_NETDEV_SPEED, /* megabits a second */
	ATTRIBUTE_SPEED,	/* "8.0 GT/s PCIe": struct real */
};

/*
 * Where the absence of a file is a problem. This is the one place that knows it: an attribute that
 * is not due is simply a property that the object does not have.
 */
enum attribute_due {
	DUE_NEVER,
	DUE_ALWAYS,  /* the core creates it for every object (of this link layer, if it is a LID) */
	DUE_WITH,    /* kernels that have the file `with` have this one, too */
	DUE_DRIVERS, /* these drivers create it: the modules in `with`, with blanks between them */
};

struct attribute {
	const char *path; /* relative to the directory of the record; NULL: not in sysfs */
	enum attribute_kind kind;
	uint64_t need;
	size_t offset;
	enum attribute_due due;
	const char *with;
	unsigned int netlink; /* the attribute's number in a message; 0: it has none */
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
	const struct schema *schema; /* of the record; NULL if rows have keys */
};

/* The row whose problems have this key, or NULL. */
const struct attribute *attribute_find(const struct attributes *table, const char *key);
/* Fills members that are unknown from the attributes of a message. -EBADMSG: a damaged one. */
int attributes_take(const struct attributes *table, struct nlattr *const *message, void *record);
/* True if a file is needed and its member not known yet; RDMA netlink provides most of them. */
bool attributes_wanted(const struct attributes *table, uint64_t needs, const void *record);
/*
 * Reads the files that are needed and whose members are not known yet into `record`; `object` names
 * it in problems.
 */
void attributes_read(const struct attributes *table, const struct root *root, const char *directory,
		     const char *object, uint64_t needs, void *record, struct problems *problems);
/* Parses a decimal fraction at the start of the text, in the form of the C locale. */
int attribute_parse_real(const char *text, struct real *real, const char **ret_rest);
