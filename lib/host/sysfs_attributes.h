/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Attributes of sysfs as tables: each row maps a file to a member of a record. A file that cannot
 * be read becomes a problem under the name of the field that shows the member.
 */
#pragma once

#include "kernel/sysfs.h"
#include "schema/problem.h"

/* The conversion of an attribute's text to a member. */
enum attribute_kind {
	ATTRIBUTE_TEXT,	   /* char *, cleaned */
	ATTRIBUTE_DECIMAL, /* struct number, like all below */
	ATTRIBUTE_HEX,	   /* 0x10 */
	ATTRIBUTE_GUID,
	ATTRIBUTE_CODE,	    /* "4: ACTIVE": the number before the colon */
	ATTRIBUTE_POSITIVE, /* 0 is the kernel's "unknown" */
	ATTRIBUTE_SIGNED,   /* -1 is the kernel's "none" and stays unknown */
	ATTRIBUTE_LAYER,    /* InfiniBand, Ethernet, Unspecified */
	ATTRIBUTE_SPEED,    /* "8.0 GT/s PCIe": struct real */
};

struct sysfs_attribute {
	const char *path; /* relative to the directory of the device or port */
	enum attribute_kind kind;
	uint64_t need;
	size_t offset;
	bool required; /* the core creates it for every device, so its absence is a problem */
};

struct sysfs_attributes {
	const struct sysfs_attribute *items;
	size_t count;
	const struct schema *schema; /* of the record */
};

/* True if an attribute is needed and not known yet; RDMA netlink provides most of them. */
bool sysfs_attributes_wanted(const struct sysfs_attributes *table, uint64_t needs,
			     const void *record);
/*
 * Reads the attributes that are needed and not known yet into `record`; `object` names it in
 * problems.
 */
void sysfs_attributes_read(const struct sysfs_attributes *table, const struct root *root,
			   const char *directory, const char *object, uint64_t needs, void *record,
			   struct problems *problems);
/* Parses a decimal fraction at the start of the text, in the form of the C locale. */
int sysfs_parse_real(const char *text, struct real *real, const char **ret_rest);
