/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/format/dot_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* U+FFFE and U+FFFF are valid UTF-8, but no characters of XML 1.0 (2.2 of its specification). */
static bool is_no_xml(const char *character)
{
	return !strncmp(character, "\xef\xbf\xbe", 3) || !strncmp(character, "\xef\xbf\xbf", 3);
}

/* Entities count in all labels, backslashes in quoted ones only. */
static void add_character(struct text_buffer *text, char character, bool quoted)
{
	if (character == '&' || character == '<' || character == '>' || character == '"')
		text_buffer_add(text, "&#%d;", character);
	else if (character == '\\' && quoted)
		text_buffer_add(text, "\\\\");
	else
		text_buffer_add(text, "%c", character);
}

static void add(struct text_buffer *text, const char *string, bool quoted)
{
	while (*string) {
		size_t plain = strcspn(string, "&<>\"\\\xef");

		text_buffer_add(text, "%.*s", (int)plain, string);
		string += plain;
		if (!*string)
			return;
		if (is_no_xml(string)) {
			text_buffer_add(text, "?");
			string += 3;
		} else {
			add_character(text, *string++, quoted);
		}
	}
}

void dot_add_string(struct text_buffer *text, const char *string)
{
	text_buffer_add(text, "\"");
	add(text, string, true);
	text_buffer_add(text, "\"");
}

void dot_add_html(struct text_buffer *text, const char *string)
{
	add(text, string, false);
}

void dot_add_lines(struct text_buffer *text, const char *string)
{
	for (const char *comma; (comma = strstr(string, ", ")); string = comma + 2) {
		char *part = mem_format("%.*s", (int)(comma - string), string);

		dot_add_html(text, part);
		text_buffer_add(text, "<br/>");
		free(part);
	}
	dot_add_html(text, string);
}
