/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The macros that turn a .def file of records into layouts (messages.def explains them): each
 * record becomes a table record##_fields and a record##_layout. Include this once, before the .def
 * file.
 */
#pragma once

#include "base/mem.h"
#include "selftest/wire/layout.h"

#define MEMBER(record, member)                                      \
	.name = #member, .offset = offsetof(struct record, member), \
	.size = sizeof(((struct record *)0)->member)
#define ROW(record, member, kind_) {MEMBER(record, member), .kind = kind_},

#define FIELDS(record) static const struct wire_field record##_fields[] = {
#define LAYOUT(storage, record, name_)                       \
	storage const struct wire_layout record##_layout = { \
		.name = name_,                               \
		.fields = record##_fields,                   \
		.count = ARRAY_SIZE(record##_fields),        \
		.record_size = sizeof(struct record),        \
	};
#define RECORD(record, name_, ...) \
	FIELDS(record) __VA_ARGS__ \
	}                          \
	;                          \
	LAYOUT(static, record, name_)
#define FIELD(record, type, member, least_, most_) \
	{MEMBER(record, member), .kind = WIRE_NUMBER, .least = least_, .most = most_},
#define TEXT(record, member, size_)  ROW(record, member, WIRE_TEXT)
#define BYTES(record, member, size_) ROW(record, member, WIRE_BYTES)
#define GID(record, member)	     ROW(record, member, WIRE_BYTES)
#define IP(record, member)	     ROW(record, member, WIRE_IP)
#define NESTED(record, inner, member) \
	{MEMBER(record, member), .kind = WIRE_RECORD, .layout = &inner##_layout},
#define ITEMS(record, inner, member, most_) \
	{MEMBER(record, member), .kind = WIRE_ITEMS, .most = most_, .layout = &inner##_layout},
