/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The parts that JSON (RFC 8259) is made of, read one after the other out of a text that may be
 * anything. Functions return 0, or -EINVAL with the first thing that is wrong in the message.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct json_text {
	const char *at, *end;
	size_t line;   /* of what stands at `at`, from 1 on */
	char *message; /* owned by the caller */
};

/* A string as it is in the text. */
struct json_span {
	const char *bytes;
	size_t length;
};

/* Says what is wrong, if nothing was before. Returns -EINVAL. */
int json_complain(struct json_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The next character that is no blank, 0 at the end. */
char json_peek(struct json_text *text);
/* Whether that is the wanted one, which is taken then. */
bool json_take(struct json_text *text, char wanted);
int json_expect(struct json_text *text, char wanted);
/*
 * Nearly all strings have neither escapes nor anything to clean: those can be taken as they are.
 * False: the next value is none of them.
 */
bool json_take_plain(struct json_text *text, struct json_span *ret_span);
/* Any string, cleaned; the caller frees it. */
int json_read_string(struct json_text *text, char **ret_string);
/* A number, true, false or null, as it is written: whether it is one is not checked. */
int json_read_word(struct json_text *text, char *word, size_t size);
bool json_is_number(const char *word);
/* Any value, of what nobody knows, that stands within `depth` others. */
int json_skip(struct json_text *text, unsigned int depth);
