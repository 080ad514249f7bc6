/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A reader for the little XML that topology files use: elements and attributes. Text between
 * elements, comments and processing instructions are skipped; a document type is refused, and so
 * are entities other than the five of XML itself, so that nothing can expand or be loaded. At most
 * 8192 elements, 32 deep, with 32 attributes each. NCCL's files use no more, and a library that can
 * do more would have to be kept from doing so.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define XML_ROOT SIZE_MAX

struct xml_attribute {
	const char *name, *value;
};

struct xml_element {
	const char *name;
	size_t parent;	     /* its index; XML_ROOT for the first element */
	size_t first, count; /* of its attributes */
};

struct xml_document {
	char *text;		      /* holds the names and values */
	struct xml_element *elements; /* in the order of their start tags */
	size_t count;
	struct xml_attribute *attributes;
	size_t attribute_count;
};

/*
 * Parses a copy of the text, so that the caller may free it. Returns 0, or -EINVAL with "line N:
 * what" in *ret_message, for the caller to free.
 */
int xml_read(const char *text, struct xml_document *ret_document, char **ret_message);
void xml_clear(struct xml_document *document);
/* Value of an attribute; NULL if the element does not have it. */
const char *xml_attribute(const struct xml_document *document, const struct xml_element *element,
			  const char *name);
