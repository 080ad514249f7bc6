/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Pieces of a JSON document, for the readers in this folder: json_read.h (records by their schemas)
 * and json_tree.h (any document). jansson reads scalars and what is skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <jansson.h>

struct json_reader {
	const char *text, *at, *end;
	const char *value; /* where the last value began, for messages */
	char *message;	   /* "line 3, column 7: ..."; the first one is kept */
};

/* "line 3, column 7", counted in bytes from 1; the caller frees it. */
char *json_place(const char *text, const char *at);
/* Sets the message, unless there is one. Returns -EINVAL. */
int json_complain(struct json_reader *reader, const char *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The next character that is not blank, 0 at the end. Inline, because large files have many. */
static inline char json_peek(struct json_reader *reader)
{
	while (reader->at < reader->end && *reader->at && strchr(" \t\r\n", *reader->at))
		reader->at++;
	return reader->at < reader->end ? *reader->at : '\0';
}

static inline bool json_take(struct json_reader *reader, char wanted)
{
	if (json_peek(reader) != wanted || reader->at == reader->end)
		return false;
	reader->at++;
	return true;
}

int json_expect(struct json_reader *reader, char wanted);
/* Returns 0 if nothing follows `what`, or -EINVAL with the message set. */
int json_expect_end(struct json_reader *reader, const char *what);
/*
 * Reads any value; returns NULL if there is none, with the message set. Integers that jansson would
 * refuse become strings, which fields accept, although not within a list or an object.
 */
json_t *json_read_value(struct json_reader *reader);
void json_releasep(json_t **value);

enum {
	JSON_MOST_MEMBERS = 256, /* per object */
	JSON_DEEPEST_VALUE = 32, /* values nested in values */
};

struct json_key {
	const char *text;
	size_t length;
	json_t *owner; /* owns the text; or NULL */
};

struct json_keys {
	struct json_key items[JSON_MOST_MEMBERS];
	size_t count;
};

/* Takes a key that is not among the others, and its colon, and appends it to them. */
int json_take_key(struct json_reader *reader, struct json_keys *keys);
void json_keys_clear(struct json_keys *keys);

/*
 * Tokens of a JSON text, for what json_read.h skips: jansson would take ten times as long. A token
 * is `length` bytes, and need not be followed by a NUL.
 */

/* Returns the position after a string, number, word or any other character. */
const char *json_skip_token(const char *at, const char *end);
/* Whether the token is a string of printable ASCII without escapes, as all our keys are. */
bool json_is_plain_string(const char *token, size_t length);
/* Whether the token is a scalar that jansson certainly accepts. */
bool json_is_plain(const char *token, size_t length);
/* Whether the token is a whole number, not negative, that jansson might refuse. */
bool json_is_long_integer(const char *token, size_t length);
