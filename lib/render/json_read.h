/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads JSON documents of records that render() wrote, by their schemas, and cleans their text.
 * Duplicate keys, objects of more than 256 members and values nested more than 32 deep are refused;
 * the caller bounds the size. Whole numbers have all 64 bits, as a JSON number or as text.
 */
#pragma once

#include <stddef.h>

#include "schema/schema.h"

/*
 * `head` is an empty record of `head_schema`, for the members of the document itself; the records
 * are those of the list with the name of `schema`. Only fields that a record holds, of the kinds
 * string, unsigned, hex, real, bool, enum, GUID and records, are read; other members are skipped,
 * and what is missing or null stays unknown. Returns 0; -EINVAL, with a line in *ret_message that
 * says what is wrong where, to be freed by the caller; or -ENOMSG, without a message, if the
 * document is not of these schemas. record_clear() releases head and records.
 */
int json_read(const char *text, size_t length, const struct schema *head_schema, void *head,
	      const struct schema *schema, void **ret_records, size_t *ret_count,
	      char **ret_message);

/*
 * The same for a text that is a single record, such as a line of JSONL. Returns 0, or -EINVAL with
 * a message. The record must be empty before, and is left empty on failure.
 */
int json_read_record(const char *text, size_t length, const struct schema *schema, void *record,
		     char **ret_message);
