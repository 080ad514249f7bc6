/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads JSON documents of records back that render() or render_document() wrote, by their schemas:
 * written here and not by a library, for integers have 64 bits without a sign. Text is cleaned on
 * its way in.
 */
#pragma once

#include <stddef.h>

#include "schema/schema.h"

/*
 * `head` is an empty record of `head_schema`, for the members of the document itself; the records
 * are those in the list that is named as `schema` is. Read are the fields that a record holds of
 * the kinds string, unsigned, hex, real, bool, enum, GUID and records; other members are skipped,
 * and what is missing or null stays unknown. 0; -EINVAL with one line in *ret_message that says
 * what is wrong where, freed by the caller; -ENOMSG: it is a document, but not of these schemas
 * (nothing in the message then). Head and records are released by record_clear().
 */
int json_read(const char *text, size_t length, const struct schema *head_schema, void *head,
	      const struct schema *schema, void **ret_records, size_t *ret_count,
	      char **ret_message);

/* Frees the strings and records that json_read() put into a record. */
void record_clear(const struct schema *schema, void *record);
