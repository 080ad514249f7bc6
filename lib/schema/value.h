/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a record holds what may be unknown, and the typed value from which every output format is
 * made. Unknown is a separate state: it prints as `-`, null or nothing, never as 0 or false.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/gid.h"

/* In records. A struct number also holds GUIDs, masks, codes of enumerations and signed numbers. */
struct number {
	uint64_t value;
	bool known;
};

struct real {
	double value;
	bool known;
};

enum tristate { TRISTATE_UNKNOWN, TRISTATE_NO, TRISTATE_YES };

struct known_gid {
	struct gid gid;
	bool known;
};

struct known_ip {
	struct ip_address address;
	bool known;
};

/* A list of words that the record owns; if `known`, no item means an empty list. */
struct strings {
	char **items;
	size_t count;
	bool known;
};

/* An array of records of one schema; if `known`, none means an empty list. */
struct records {
	void *rows;
	size_t count;
	bool known;
};

void number_set(struct number *number, uint64_t value);
static inline struct number number_of(uint64_t value)
{
	return (struct number){.value = value, .known = true};
}
/* For sources that report an unknown value as 0. */
static inline struct number number_unless_zero(uint64_t value)
{
	return (struct number){.value = value, .known = value != 0};
}
/* Whether it is known, and that value. */
static inline bool number_is(const struct number *number, uint64_t value)
{
	return number->known && number->value == value;
}
/* Whether it is not 0, if it is known. */
static inline enum tristate number_state(const struct number *number)
{
	if (!number->known)
		return TRISTATE_UNKNOWN;
	return number->value ? TRISTATE_YES : TRISTATE_NO;
}
static inline struct real real_of(double value)
{
	return (struct real){.value = value, .known = true};
}
/* Takes the lesser of two, either of which may be unknown. */
static inline void real_take_less(struct real *real, const struct real *other)
{
	if (other->known && (!real->known || other->value < real->value))
		*real = *other;
}
void strings_add(struct strings *strings, const char *item); /* copies the item */
/* Adds the items of a comma-separated list, without empty ones. NULL: adds nothing. */
void strings_add_list(struct strings *strings, const char *list);
bool strings_contain(const struct strings *strings, const char *item);
/* The items in one text, for the caller to free. */
char *strings_join(const struct strings *strings, const char *separator);
void strings_free(struct strings *strings);

/* The word of an enumeration's code, and its tone, which is the colour of a table cell. */
enum tone { TONE_PLAIN, TONE_GOOD, TONE_WARNING, TONE_BAD };

struct enum_name {
	uint64_t value; /* the code, or the single bit of a flag */
	const char *word;
	enum tone tone;
	const char *help;
};

/* Tables of names end with an entry whose word is NULL. */
const struct enum_name *enum_find(const struct enum_name *names, uint64_t value);
const struct enum_name *enum_find_word(const struct enum_name *names, const char *word);
/* The word of a code, or `fallback` if the table has none. */
const char *enum_word(const struct enum_name *names, uint64_t value, const char *fallback);

/*
 * A word of the command line that takes a value, such as `netns-mode exclusive`: what help, manual
 * and completion say about it. Static const data.
 */
struct keyword {
	const char *word;
	const char *metavar;		 /* of the value: NAME, on|off */
	const char *help;		 /* one line, lower case, no full stop */
	const struct enum_name *choices; /* words that the value may be; NULL: any */
	unsigned int completion;	 /* enum completion, for a value without choices */
};

enum value_kind {
	VALUE_NONE,
	VALUE_STRING,
	VALUE_UNSIGNED,
	VALUE_SIGNED,
	VALUE_REAL,
	VALUE_BOOL,
	VALUE_LIST,
	VALUE_RECORDS,
};

struct schema;

/*
 * One value on its way out. Pointers lead into the record (valid as long as it lives) or into the
 * value's own scratch (valid as long as the value stays where it is: do not copy the struct).
 */
struct value {
	enum value_kind kind;
	enum tone tone;
	union {
		const char *string;
		uint64_t number;
		int64_t integer;
		double real;
		bool boolean;
		struct {
			const char *const *items;
			size_t count;
		} list;
		struct {
			const void *rows;
			size_t count;
		} records;
	};
	char scratch[512];     /* 232 bytes in hexadecimal, 64 of text cleaned to \xNN */
	const char *words[65]; /* a list made on the fly: 64 flags and the rest */
};

void value_set_string(struct value *value, const char *string); /* NULL stays NONE */
/* The word of a code, with its tone; a code without a word stays NONE. */
void value_set_word(struct value *value, const struct enum_name *names, uint64_t code);
void value_set_unsigned(struct value *value, uint64_t number);
void value_set_real(struct value *value, double real);
void value_set_bool(struct value *value, bool boolean);
/* The items of a list in one text, for the caller to free. */
char *value_join(const struct value *list, const char *separator);
void value_set_records(struct value *value, const void *rows, size_t count);
