/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Netlink attributes (include/uapi/linux/netlink.h): four bytes of header, the payload, padding to
 * four bytes. The few accessors here are all that the program needs of a netlink library, and
 * loading one would cost a listing more than they do.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/netlink.h>

/* The length in the header, which may sit at any address of a hostile buffer. */
static inline size_t attribute_size(const struct nlattr *attribute)
{
	uint16_t size;

	memcpy(&size, &attribute->nla_len, sizeof(size));
	return size;
}

/* True if a whole attribute lies within `left` bytes. */
static inline bool attribute_fits(const struct nlattr *attribute, size_t left)
{
	return left >= NLA_HDRLEN && attribute_size(attribute) >= NLA_HDRLEN &&
	       attribute_size(attribute) <= left;
}

/* The next attribute; *left goes down to 0 at the last one, whose padding may be missing. */
static inline const struct nlattr *attribute_next(const struct nlattr *attribute, size_t *left)
{
	size_t step = NLA_ALIGN(attribute_size(attribute));

	*left -= step < *left ? step : *left;
	return (const void *)((const char *)attribute + step);
}

/* Without the nest and byte order flags, which newer kernels set. */
static inline unsigned int attribute_type(const struct nlattr *attribute)
{
	return attribute->nla_type & NLA_TYPE_MASK;
}

static inline const void *attribute_data(const struct nlattr *attribute)
{
	return (const char *)attribute + NLA_HDRLEN;
}

static inline size_t attribute_length(const struct nlattr *attribute)
{
	return attribute_size(attribute) - NLA_HDRLEN;
}
