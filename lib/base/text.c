/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/text.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

#include "base/mem.h"

/* Well-formed sequences: The Unicode Standard, table 3-7. */
size_t text_utf8_length(const char *bytes, size_t length)
{
	const unsigned char *b = (const unsigned char *)bytes;
	unsigned char low = 0x80, high = 0xbf;
	size_t need;

	if (!length)
		return 0;
	if (b[0] < 0x80)
		return 1;
	if (b[0] >= 0xc2 && b[0] <= 0xdf)
		need = 2;
	else if ((b[0] & 0xf0) == 0xe0)
		need = 3;
	else if (b[0] >= 0xf0 && b[0] <= 0xf4)
		need = 4;
	else
		return 0;
	if (b[0] == 0xe0)
		low = 0xa0;
	else if (b[0] == 0xed)
		high = 0x9f;
	else if (b[0] == 0xf0)
		low = 0x90;
	else if (b[0] == 0xf4)
		high = 0x8f;
	if (length < need || b[1] < low || b[1] > high)
		return 0;
	for (size_t i = 2; i < need; i++)
		if ((b[i] & 0xc0) != 0x80)
			return 0;
	return need;
}

static uint32_t decode(const char *bytes, size_t length)
{
	const unsigned char *b = (const unsigned char *)bytes;
	static const unsigned char first_mask[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t point = b[0] & first_mask[length];

	for (size_t i = 1; i < length; i++)
		point = point << 6 | (b[i] & 0x3f);
	return point;
}

locale_t text_widths(void)
{
	return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

size_t text_cut(const char *text, size_t most)
{
	size_t length = strnlen(text, most + 1);

	if (length <= most)
		return length;
	/* Bytes 10xxxxxx continue a character. */
	for (length = most; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
		length--;
	return length;
}

size_t text_width(const char *bytes, size_t length, locale_t widths)
{
	/* wcwidth() uses the locale of the thread; there is no variant that takes one. */
	const locale_t before = widths ? uselocale(widths) : (locale_t)0;
	size_t columns = 0;

	for (size_t i = 0, sequence; i < length; i += sequence) {
		int width = 1;

		sequence = text_utf8_length(bytes + i, length - i);
		if (!sequence)
			sequence = 1;
		else if (sequence > 1 && widths)
			width = wcwidth((wchar_t)decode(bytes + i, sequence));
		columns += width < 0 ? 1 : (size_t)width;
	}
	if (widths)
		uselocale(before);
	return columns;
}

/* Characters that move the cursor, change direction or cannot be seen. */
static bool is_unsafe(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad || point == 0x61c ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0x180e || point == 0xfeff ||
	       (point >= 0xfff9 && point <= 0xfffb) || (point >= 0x13430 && point <= 0x1345f) ||
	       (point >= 0x1bca0 && point <= 0x1bca3) || (point >= 0x1d173 && point <= 0x1d17a) ||
	       (point >= 0xe0000 && point <= 0xe0fff);
}

/* Nearly all names are plain ASCII, so eight characters are checked at a time. */
static size_t plain_length(const char *bytes, size_t length)
{
	const uint64_t ones = UINT64_MAX / 0xff;
	size_t i = 0;

	for (; i + sizeof(uint64_t) <= length; i += sizeof(uint64_t)) {
		uint64_t word, odd;

		memcpy(&word, bytes + i, sizeof(word));
		word = le64toh(word);
		/*
		 * The highest bit of each byte below ' ', above '~' or above 0x7f. Borrows and
		 * carries only touch bytes after the first such byte, and only that one counts.
		 */
		odd = ((word - ones * ' ') | (word + ones * (0x7f - '~')) | word) & ones << 7;
		if (odd)
			return i + (size_t)__builtin_ctzll(odd) / 8;
	}
	while (i < length && bytes[i] >= ' ' && bytes[i] <= '~')
		i++;
	return i;
}

void text_clean_into(char *buffer, size_t size, const char *bytes, size_t length)
{
	size_t i = plain_length(bytes, length < size ? length : size - 1);
	char *out = buffer + i;

	if (i)
		memcpy(buffer, bytes, i);
	while (i < length && bytes[i]) {
		size_t sequence = text_utf8_length(bytes + i, length - i);
		bool keep = sequence && !is_unsafe(decode(bytes + i, sequence));
		size_t end = i + (sequence ? sequence : 1);

		if (size - (size_t)(out - buffer) <= (end - i) * (keep ? 1 : 4))
			break;
		for (; keep && i < end; i++)
			*out++ = bytes[i];
		for (; i < end; i++, out += 4) {
			memcpy(out, "\\x", 2);
			text_write_hex(out + 2, (const uint8_t *)bytes + i, 1);
		}
	}
	*out = '\0';
}

char *text_clean(const char *bytes, size_t length)
{
	const size_t plain = plain_length(bytes, length);
	const size_t size = plain + (length - plain) * 4 + 1;
	char *text;

	/* A NUL ends the text. */
	if (plain == length || !bytes[plain])
		return mem_check(strndup(bytes, plain));
	text = mem_alloc_zero(size, 1);
	text_clean_into(text, size, bytes, length);
	return text;
}

static bool is_same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Optimal string alignment distance, whatever the case; the words are short, so three rows on the
 * stack suffice.
 */
static size_t distance(const char *a, const char *b)
{
	enum { LONGEST = 40 };
	size_t rows[3][LONGEST + 1];
	size_t length_a = strlen(a), length_b = strlen(b);

	if (length_a > LONGEST || length_b > LONGEST)
		return LONGEST;
	for (size_t j = 0; j <= length_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3],
		       *two_above = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			size_t best = above[j - 1] + !is_same_letter(a[i - 1], b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && is_same_letter(a[i - 1], b[j - 2]) &&
			    is_same_letter(a[i - 2], b[j - 1]) && two_above[j - 2] + 1 < best)
				best = two_above[j - 2] + 1;
			row[j] = best;
		}
	}
	return rows[length_a % 3][length_b];
}

/* mlx5_7 is as close to mlx5_0 as to mlx5_1. */
static bool differs_in_number(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, digits);
			b += strspn(b, digits);
		} else if (!is_same_letter(*a++, *b++)) {
			return false;
		}
	}
	return !a[strspn(a, digits)] && !b[strspn(b, digits)];
}

/* Returns the only one of the words that begins with `word`, or NULL. */
static const char *only_longer(const char *word, const char *const *words, size_t count)
{
	const char *longer = NULL;
	size_t length = strlen(word);

	for (size_t i = 0; length > 2 && i < count; i++) {
		if (strncasecmp(words[i], word, length) != 0)
			continue;
		if (longer && strcmp(longer, words[i]) != 0)
			return NULL;
		longer = words[i];
	}
	return longer && !differs_in_number(word, longer) ? longer : NULL;
}

const char *text_closest(const char *word, const char *const *words, size_t count)
{
	const char *closest = NULL;
	size_t best = 3;

	for (size_t i = 0; i < count; i++) {
		size_t slips = distance(word, words[i]);

		if (slips < best && slips * 2 < strlen(word) &&
		    !(slips && differs_in_number(word, words[i]))) {
			best = slips;
			closest = words[i];
		}
	}
	return closest ? closest : only_longer(word, words, count);
}

char *text_suggest(const char *word, const char *const *words, size_t count, const char *otherwise)
{
	const char *closest = text_closest(word, words, count);

	return closest ? mem_format("did you mean '%s'?", closest) : mem_string_or_null(otherwise);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Compares two runs of digits of any length by value and moves both past them. */
static int compare_digits(const char **a, const char **b)
{
	int order = 0;

	while (**a == '0')
		++*a;
	while (**b == '0')
		++*b;
	/* The first difference counts, unless one run is longer. */
	for (; is_digit(**a) && is_digit(**b); ++*a, ++*b)
		if (!order)
			order = COMPARE(**a, **b);
	return is_digit(**a) - is_digit(**b) ?: order;
}

int text_compare_natural(const char *a, const char *b)
{
	const char *start_a = a, *start_b = b;

	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			int order = compare_digits(&a, &b);

			if (order)
				return order;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	if (*a || *b)
		return *a ? 1 : -1;
	return strcmp(start_a, start_b);
}

int text_take_u64(const char **text, int base, uint64_t most, uint64_t *ret_value)
{
	unsigned long long value;
	char *end;

	/* strtoull would take blanks and signs. */
	if (!isxdigit((unsigned char)**text))
		return -EINVAL;
	errno = 0;
	value = strtoull(*text, &end, base);
	if (end == *text)
		return -EINVAL;
	*text = end;
	if (errno == ERANGE || value > most)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int text_parse_u64(const char *text, int base, uint64_t most, uint64_t *ret_value)
{
	uint64_t value;
	int rc = text_take_u64(&text, base, most, &value);

	if (rc == -EINVAL || *text)
		return -EINVAL;
	if (!rc)
		*ret_value = value;
	return rc;
}

const char *text_line(const char *text, const char *label)
{
	const size_t length = strlen(label);

	while (strncmp(text, label, length) != 0 && (text = strchr(text, '\n')))
		text++;
	return text ? text + length : NULL;
}

bool text_has_word(const char *list, const char *ends, const char *word, size_t length)
{
	for (size_t size; list && *list; list += size + (list[size] != '\0')) {
		size = strcspn(list, ends);
		if (size == length && !memcmp(list, word, length))
			return true;
	}
	return false;
}

/* Without an exponent: 4.6e-05 does not look close to zero at a glance. */
static void format_small(double real, double magnitude, char text[static TEXT_REAL_SIZE])
{
	int decimals = 5;
	size_t end;

	for (; magnitude < 1; magnitude *= 10)
		decimals++;
	snprintf(text, TEXT_REAL_SIZE, "%.*f", decimals, real);
	for (end = strlen(text); text[end - 1] == '0'; end--)
		text[end - 1] = '\0';
}

void text_format_real(double real, char text[static TEXT_REAL_SIZE])
{
	enum { DIGITS_USUAL = 6, DIGITS_MOST = 15 }; /* DBL_DIG */
	const double magnitude = real < 0 ? -real : real;

	if (magnitude >= 1e-9 && magnitude < 1e-4)
		format_small(real, magnitude, text);
	else if (magnitude >= 999999.5 && magnitude < 999999999999999.5)
		snprintf(text, TEXT_REAL_SIZE, "%.0f", real);
	else
		snprintf(text, TEXT_REAL_SIZE, "%.*g", magnitude < 1e6 ? DIGITS_USUAL : DIGITS_MOST,
			 real);
}

char *text_bytes(uint64_t bytes)
{
	if (bytes && !(bytes & ((1u << 20) - 1)))
		return mem_format("%" PRIu64 " MiB", bytes >> 20);
	if (bytes && !(bytes & ((1u << 10) - 1)))
		return mem_format("%" PRIu64 " KiB", bytes >> 10);
	return mem_format("%" PRIu64 " byte%s", bytes, text_plural_s(bytes));
}

void text_buffer_add(struct text_buffer *buffer, const char *format, ...)
{
	enum { FIRST_SIZE = 256 };
	size_t size = buffer->size ? buffer->size : FIRST_SIZE;
	va_list words;
	int length;

	va_start(words, format);
	length = vsnprintf(NULL, 0, format, words);
	va_end(words);
	if (length < 0)
		return;
	while (size < buffer->length + (size_t)length + 1)
		size *= 2;
	if (size != buffer->size)
		buffer->text = mem_resize(buffer->text, size, 1);
	buffer->size = size;
	va_start(words, format);
	vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, words);
	va_end(words);
	buffer->length += (size_t)length;
}

void text_buffer_add_xml(struct text_buffer *buffer, const char *text)
{
	static const char marks[] = "<>&\"";
	static const char *const names[] = {"lt", "gt", "amp", "quot"};

	for (; *text; text++) {
		const char *mark = strchr(marks, *text);

		if (mark)
			text_buffer_add(buffer, "&%s;", names[mark - marks]);
		else
			text_buffer_add(buffer, "%c", *text);
	}
}

char *text_buffer_take(struct text_buffer *buffer)
{
	char *text = buffer->text ? buffer->text : mem_string("");

	*buffer = (struct text_buffer){.text = NULL};
	return text;
}

int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool text_read_hex(const char *text, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int high = text_hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : text_hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return !text[2 * count];
}

void text_write_hex(char *text, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 0xf];
	}
	*text = '\0';
}

bool text_is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_.,:=@%+/-";

	return *text && !text[strspn(text, plain)];
}

char *text_quote(const char *text)
{
	char *quoted;

	if (text_is_plain(text))
		return mem_string(text);
	quoted = mem_string("'");
	for (; *text; text++)
		mem_extend(&quoted, *text == '\'' ? "'\\''" : "%c", *text);
	mem_extend(&quoted, "'");
	return quoted;
}
