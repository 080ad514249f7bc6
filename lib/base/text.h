/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text from outside (the fabric, the kernel, the network, the command line): cleaning it before
 * anyone sees it, and the handling of words that messages need.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

/*
 * Returns a copy of `length` bytes that is valid UTF-8 and holds nothing that controls a terminal:
 * C0 and C1 controls, DEL, bytes that are not UTF-8 (overlong forms and surrogates included) and
 * the bidirectional and other invisible format characters become \xNN, byte by byte. Stops at a
 * NUL. The caller frees it.
 */
char *text_clean(const char *bytes, size_t length);

/*
 * The same into a buffer, which always ends with a NUL; stops before a character that does not fit.
 */
void text_clean_into(char *buffer, size_t size, const char *bytes, size_t length);

/* Returns the length of the UTF-8 sequence at `bytes` (1 to 4), or 0 if it is not one. */
size_t text_utf8_length(const char *bytes, size_t length);

/* Returns how much of a UTF-8 text fits into `most` bytes without splitting a character. */
size_t text_cut(const char *text, size_t most);

/*
 * Returns the columns of a terminal that `length` bytes of UTF-8 take: two for a wide character,
 * none for a combining one. `widths` comes from text_widths(). The result does not depend on the
 * user's locale, because the text does not either.
 */
size_t text_width(const char *bytes, size_t length, locale_t widths);
/* Returns the C library's character widths, for freelocale(); 0 if it has none: one column each. */
locale_t text_widths(void);

/*
 * Returns the one of `count` words that a mistyped `word` most likely means, or NULL. A typo is at
 * most two slips (insert, delete, replace, swap), and less than half of the word. If no word is
 * that close, returns the only one that begins with `word`, if that has three letters or more:
 * "rate" means "rate_gbps". No word is a guess for one that differs in numbers alone.
 */
const char *text_closest(const char *word, const char *const *words, size_t count);

/*
 * Returns "did you mean 'x'?" for text_closest(), else a copy of `otherwise` or NULL; to be freed.
 */
char *text_suggest(const char *word, const char *const *words, size_t count, const char *otherwise);

/* Returns the plural ending of a noun after `count`: "s", or "" for one. */
static inline const char *text_plural_s(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/*
 * Orders names the way people do: runs of digits by their value, so mlx5_2 comes before mlx5_10.
 * Usable as qsort comparison of strings; a total order (equal only if the bytes are).
 */
int text_compare_natural(const char *a, const char *b);

/*
 * Walks the words of a text (NULL: none), which any character of `ends` separates; a word may be
 * empty, and may be changed. WORD_all is the copy that they are in, and WORD_rest is what follows
 * the word, NULL after the last.
 */
#define for_each_word(word, text, ends)                                                   \
	for (char *word##_all __attribute__((cleanup(freep))) = mem_string_or_null(text), \
			      *word##_rest = word##_all, *word = NULL;                    \
	     (word = strsep(&word##_rest, ends));)
/* Returns what follows `label` at the start of a line of the text; NULL without such a line. */
const char *text_line(const char *text, const char *label);
/*
 * Returns whether a list (NULL: empty) has the word of `length` bytes; any character of `ends`
 * separates its words.
 */
bool text_has_word(const char *list, const char *ends, const char *word, size_t length);
/* Returns whether the text ends with `end`, and is longer than that. */
static inline bool text_ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && !strcmp(text + length - end_length, end);
}

/*
 * Parses a whole string as a number in `base` (0 takes 0x and 0 prefixes; 10 and 16 as usual).
 * No sign, no blanks. Returns 0, -EINVAL if it is not a number, -ERANGE above `most`.
 */
int text_parse_u64(const char *text, int base, uint64_t most, uint64_t *ret_value);
/* The same for the number at the start of *text, which then points to the rest, unless -EINVAL. */
int text_take_u64(const char **text, int base, uint64_t most, uint64_t *ret_value);

enum { TEXT_REAL_SIZE = 32 };

/*
 * Formats with six significant digits, which is all that people read, and with as many as a double
 * holds rather than an exponent: %g alone would write a million and a bit as 1.23457e+06. A port of
 * 100 Gb/s moves more than 10^10 bytes a second, and sort(1) -n does not know exponents. JSON has
 * more digits.
 */
void text_format_real(double real, char text[static TEXT_REAL_SIZE]);

/* Returns whether every shell takes the text as one word without quotes. */
bool text_is_plain(const char *text);
/*
 * Returns the text as one word of a POSIX shell: unchanged if it is plain, else in single quotes.
 * The caller frees it.
 */
char *text_quote(const char *text);

/* Formats a size in MiB or KiB if it is a multiple, else in bytes. The caller frees it. */
char *text_bytes(uint64_t bytes);

/* A text that grows at its end. */
struct text_buffer {
	char *text; /* ends with a NUL as soon as something was added */
	size_t length;
	size_t size;
};

void text_buffer_add(struct text_buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * The same, escaped for an attribute's value, or for text between the elements, of XML, SVG or
 * HTML.
 */
void text_buffer_add_xml(struct text_buffer *buffer, const char *text);
/* Returns the text, which the caller frees; the buffer is empty then. */
char *text_buffer_take(struct text_buffer *buffer);

/* Returns the value of a hexadecimal digit, or -1. */
int text_hex_digit(char c);
/* Reads exactly `count` bytes, two hexadecimal digits each; false if the text is anything else. */
bool text_read_hex(const char *text, uint8_t *bytes, size_t count);
/* Writes `count` bytes as 2 * count digits and a NUL. */
void text_write_hex(char *text, const uint8_t *bytes, size_t count);
