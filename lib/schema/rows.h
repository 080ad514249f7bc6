/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of a field table, one line each, for the file that holds the table. The file defines RECORD,
 * the type of the record, before the table. A row has the member, whose name is the key, the table
 * heading, flags, needs and the help. The forms with _AS take the key as their first argument.
 */
#pragma once

#include "schema/schema.h"

#define SHOWN FIELD_DEFAULT /* a column of the table when none is asked for */

#define TEXT_AS(key, member, ...)	  STRING_FIELD(RECORD, member, key, __VA_ARGS__)
#define TEXT(member, ...)		  TEXT_AS(#member, member, __VA_ARGS__)
#define WORD_AS(key, member, names, ...)  ENUM_FIELD(RECORD, member, names, key, __VA_ARGS__)
#define WORD(member, ...)		  WORD_AS(#member, member, __VA_ARGS__)
#define FLAGS_AS(key, member, names, ...) FLAGS_FIELD(RECORD, member, names, key, __VA_ARGS__)
#define YES_NO_AS(key, member, ...)	  BOOL_FIELD(RECORD, member, key, __VA_ARGS__)
#define YES_NO(member, ...)		  YES_NO_AS(#member, member, __VA_ARGS__)
#define LIST(member, ...)		  LIST_FIELD(RECORD, member, #member, __VA_ARGS__)
#define GUID(member, ...)		  GUID_FIELD(RECORD, member, #member, __VA_ARGS__)
#define GID(member, ...)		  GID_FIELD(RECORD, member, #member, __VA_ARGS__)
#define IP(member, ...)			  IP_FIELD(RECORD, member, #member, __VA_ARGS__)
#define HEX_AS(key, member, digits, ...)  HEX_FIELD(RECORD, member, digits, key, __VA_ARGS__)
#define HEX(member, digits, ...)	  HEX_AS(#member, member, digits, __VA_ARGS__)
/* Numbers are right-aligned. */
#define NUMBER_AS(key, member, heading, flags, ...) \
	UNSIGNED_FIELD(RECORD, member, key, heading, (flags) | FIELD_RIGHT, __VA_ARGS__)
#define NUMBER(member, ...) NUMBER_AS(#member, member, __VA_ARGS__)
#define REAL(member, heading, flags, ...) \
	REAL_FIELD(RECORD, member, #member, heading, (flags) | FIELD_RIGHT, __VA_ARGS__)
