/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields of a record, each described once. One struct field is one table column, one JSON
 * key, one line of help, of the man page, of completion and of the JSON Schema. All of it is static
 * const data, so that it can be listed without running anything.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "schema/value.h"

enum field_kind {
	FIELD_STRING,	/* char * */
	FIELD_UNSIGNED, /* struct number */
	FIELD_SIGNED,	/* struct number, read as int64_t */
	FIELD_HEX,	/* struct number; a string such as 0x10 in every output */
	FIELD_REAL,	/* struct real */
	FIELD_BOOL,	/* enum tristate */
	FIELD_ENUM,	/* struct number; a word */
	FIELD_FLAGS,	/* struct number; a list of words, one for each bit set */
	FIELD_GUID,	/* struct number */
	FIELD_GID,	/* struct known_gid */
	FIELD_IP,	/* struct known_ip */
	FIELD_LIST,	/* struct strings */
	FIELD_RECORDS,	/* struct records, of another schema */
} __attribute__((packed));

enum field_flag {
	FIELD_DEFAULT = 1 << 0, /* a column of the table when none is asked for */
	FIELD_RIGHT = 1 << 1,	/* aligned right in tables */
	FIELD_COUNTER = 1 << 2, /* counts up, and stops at the largest value that its bits hold */
	FIELD_SECRET = 1 << 3,	/* a key: shown only on request */
	FIELD_LINES = 1 << 4,	/* a text for a file, whose newlines are newlines in JSON */
	FIELD_FIXED = 1 << 5,	/* only the node itself sets it */
};

/*
 * Kept small: there are thousands, and each page of them is copied at program start, because the
 * dynamic loader writes the addresses.
 */
struct field {
	/*
	 * JSON key, column name of -o; snake_case with the unit in the name. The other texts follow
	 * its NUL, as in FIELD_TEXT(): see field_heading() and the functions after it.
	 */
	const char *key;
	enum field_kind kind;
	uint8_t flags;
	/* FIELD_HEX: least number of digits; FIELD_REAL: decimals in a table, 0: all there are */
	uint8_t digits;
	uint32_t offset; /* of the member that holds it */
	uint64_t needs;	 /* what must be loaded for it, as bits that the subject defines */
	union {
		const struct enum_name *names;
		const struct schema *records; /* FIELD_RECORDS: schema of the records */
	};
	void (*get)(const void *record, struct value *value); /* computed instead of held */
	/* If `width` is not 0, held as bits of the bytes at `offset`: see schema/packed.h. */
	uint16_t bit, width;
	uint16_t factor;		     /* FIELD_UNSIGNED: multiplies the bits; 0: none */
	uint16_t tag;			     /* a number assigned by the owner of the schema */
	bool (*present)(const void *record); /* whether the bits are valid; NULL: always */
};

/* Columns that an option shows instead of the default ones; a table ends with an empty row. */
struct column_view {
	const char *when; /* --drops */
	const char *columns;
};

struct schema {
	const char *name; /* plural, the command's own: document key, and rdmactl/NAME/VERSION */
	unsigned int version;
	const char *summary; /* what one record is */
	const struct field *fields;
	size_t field_count;
	size_t record_size;
	const struct schema *head;	 /* record whose members begin a JSON document */
	const struct column_view *views; /* or NULL */
};

/* A schema of version 1. */
#define SCHEMA(name_, record_, fields_, summary_, ...)                                            \
	{                                                                                         \
		.name = name_, .version = 1, .summary = summary_, .fields = fields_,              \
		.field_count = ARRAY_SIZE(fields_), .record_size = sizeof(record_), ##__VA_ARGS__ \
	}

/* Key, table heading, and help, which is one line, lower case, without a full stop. */
#define FIELD_TEXT(key_, heading_, help_) key_ "\0" heading_ "\0" help_
/* The same at run time. The caller frees it. */
char *field_make_text(const char *key, const char *heading, const char *help);
const char *field_heading(const struct field *field);
const char *field_help(const struct field *field);
/* The words for the field's values; NULL: none. */
const struct enum_name *field_names(const struct field *field);
/* FIELD_RECORDS: the keys of the records that are shown here; NULL: all. */
const char *field_records_columns(const struct field *field);

/* The value of the field in a record; `value` is always filled, with NONE if it is unknown. */
void field_get(const struct field *field, const void *record, struct value *value);
/* The value as the command line writes it, for the caller to free; NULL if it is unknown. */
char *field_text(const struct field *field, const void *record);
char *field_text_or_dash(const struct field *field, const void *record); /* `-` if it is unknown */
/* Frees the strings, lists and records that a record holds in fields of the schema. */
void record_clear(const struct schema *schema, void *record);
void records_clear(const struct schema *schema, struct records *records);
/* The value of a member that is not in a record: any number, a struct known_gid or known_ip. */
void field_get_number(const struct field *field, const struct number *number, struct value *value);
void field_get_address(const struct field *field, const void *member, struct value *value);
/* The next step after a wrong value for a field: its help and its words. The caller frees it. */
char *field_explain(const struct field *field);
const struct field *schema_find(const struct schema *schema, const char *key);
/* The columns of the view `when`; NULL: the default ones. */
const char *schema_view(const struct schema *schema, const char *when);

/*
 * Offset of a member, refusing to compile when the member is not of the type that the field's kind
 * reads: a wrong type would print garbage.
 */
#define FIELD_OFFSET(record, member, type)                                                      \
	(offsetof(record, member) +                                                             \
	 0 * sizeof(struct {                                                                    \
		 _Static_assert(__builtin_types_compatible_p(__typeof__(((record *)0)->member), \
							     type),                             \
				"this kind of field needs a member of another type: " #type);   \
		 char unused;                                                                   \
	 }))

/* The row of a field that is held in a member; further initializers may follow the help. */
#define FIELD_ROW(record, member, type, kind_, key_, heading_, flags_, needs_, help_, ...)   \
	{                                                                                    \
		.key = FIELD_TEXT(key_, heading_, help_), .kind = kind_, .flags = flags_,    \
		.needs = needs_, .offset = FIELD_OFFSET(record, member, type), ##__VA_ARGS__ \
	}
#define STRING_FIELD(record, member, ...) \
	FIELD_ROW(record, member, char *, FIELD_STRING, __VA_ARGS__)
#define UNSIGNED_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct number, FIELD_UNSIGNED, __VA_ARGS__)
#define SIGNED_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct number, FIELD_SIGNED, __VA_ARGS__)
#define HEX_FIELD(record, member, digits_, ...) \
	FIELD_ROW(record, member, struct number, FIELD_HEX, __VA_ARGS__, .digits = digits_)
#define REAL_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct real, FIELD_REAL, __VA_ARGS__)
/* Measured times: in a table, anything below tenths of a unit is noise. */
#define TENTHS_FIELD(record, member, ...) REAL_FIELD(record, member, __VA_ARGS__, .digits = 1)
#define BOOL_FIELD(record, member, ...) \
	FIELD_ROW(record, member, enum tristate, FIELD_BOOL, __VA_ARGS__)
#define ENUM_FIELD(record, member, names_, ...) \
	FIELD_ROW(record, member, struct number, FIELD_ENUM, __VA_ARGS__, .names = names_)
#define FLAGS_FIELD(record, member, names_, ...) \
	FIELD_ROW(record, member, struct number, FIELD_FLAGS, __VA_ARGS__, .names = names_)
#define GUID_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct number, FIELD_GUID, __VA_ARGS__)
#define GID_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct known_gid, FIELD_GID, __VA_ARGS__)
#define IP_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct known_ip, FIELD_IP, __VA_ARGS__)
#define LIST_FIELD(record, member, ...) \
	FIELD_ROW(record, member, struct strings, FIELD_LIST, __VA_ARGS__)
/* Computed: `get_` fills the value; the schema needs to know its kind. */
#define COMPUTED_FIELD(kind_, get_, key_, heading_, flags_, needs_, help_, ...)           \
	{                                                                                 \
		.key = FIELD_TEXT(key_, heading_, help_), .kind = kind_, .flags = flags_, \
		.needs = needs_, .get = get_, ##__VA_ARGS__                               \
	}
/* The same for a word of an enumeration. */
#define COMPUTED_ENUM_FIELD(get_, names_, key_, heading_, flags_, help_) \
	COMPUTED_FIELD(FIELD_ENUM, get_, key_, heading_, flags_, 0, help_, .names = names_)
/* The same for a number with this many decimals in a table. */
#define COMPUTED_REAL_FIELD(get_, digits_, key_, heading_, flags_, help_) \
	COMPUTED_FIELD(FIELD_REAL, get_, key_, heading_, flags_, 0, help_, .digits = digits_)
/* A list of records; `columns_` names the keys that are shown here, "" for all. */
#define RECORDS_FIELD(get_, schema_, columns_, key_, needs_, help_)                          \
	COMPUTED_FIELD(FIELD_RECORDS, get_, key_, "RECORDS", 0, needs_, help_ "\0" columns_, \
		       .records = schema_)
/* One of several lists in a record, with its own heading. */
#define HEADED_RECORDS_FIELD(get_, schema_, key_, heading_, help_) \
	COMPUTED_FIELD(FIELD_RECORDS, get_, key_, heading_, 0, 0, help_ "\0", .records = schema_)
/* A list that the record holds, as struct records. */
#define HELD_RECORDS_FIELD(record, member, schema_, key_, needs_, help_)                     \
	FIELD_ROW(record, member, struct records, FIELD_RECORDS, key_, "RECORDS", 0, needs_, \
		  help_ "\0", .records = schema_)
