/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "topology/xml.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_ELEMENTS = 8192, XML_MOST_DEPTH = 32, MOST_ATTRIBUTES = 32 };

#define XML_BLANKS "\t\r\n "

struct reader {
	struct xml_document *document;
	const char *text; /* unmodified; the document's has NULs after names */
	char *at;
	size_t open[XML_MOST_DEPTH]; /* indexes of the elements that have no end yet */
	size_t depth;
	const char *wrong;
};

static bool fail(struct reader *reader, const char *what)
{
	if (!reader->wrong)
		reader->wrong = what;
	return false;
}

static void skip_blanks(struct reader *reader)
{
	reader->at += strspn(reader->at, XML_BLANKS);
}

static bool skip_past(struct reader *reader, const char *end)
{
	char *found = strstr(reader->at, end);

	if (!found)
		return fail(reader, "this has no end");
	reader->at = found + strlen(end);
	return true;
}

/*
 * Takes a name; *ret_end is the character after it, which the caller must read before it puts a NUL
 * there.
 */
static const char *take_name(struct reader *reader, char **ret_end)
{
	char *name = reader->at;
	const size_t length = strcspn(name, XML_BLANKS "=<>/\"'&");

	if (!length) {
		fail(reader, "a name is missing");
		return NULL;
	}
	reader->at += length;
	*ret_end = reader->at;
	return name;
}

/* Replaces the five entities in place. */
static bool decode(struct reader *reader, char *value)
{
	static const struct {
		const char *name;
		char character;
	} entities[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
	char *out = value;

	while (*value) {
		size_t i = 0;

		if (*value != '&') {
			*out++ = *value++;
			continue;
		}
		while (i < ARRAY_SIZE(entities) &&
		       strncmp(value, entities[i].name, strlen(entities[i].name)) != 0)
			i++;
		if (i == ARRAY_SIZE(entities))
			return fail(reader, "an entity that XML does not predefine");
		*out++ = entities[i].character;
		value += strlen(entities[i].name);
	}
	*out = '\0';
	return true;
}

static bool take_attribute(struct reader *reader, struct xml_element *element)
{
	struct xml_document *document = reader->document;
	char *end, *value, *value_end, quote;
	const char *name = take_name(reader, &end);

	if (!name)
		return false;
	skip_blanks(reader);
	if (*reader->at != '=')
		return fail(reader, "an attribute without a value");
	*reader->at++ = ' ';
	skip_blanks(reader);
	quote = *reader->at;
	if (quote != '"' && quote != '\'')
		return fail(reader, "a value without quotes");
	value = ++reader->at;
	*end = '\0';
	value_end = strchr(value, quote);
	if (!value_end)
		return fail(reader, "a value without its closing quote");
	*value_end = '\0';
	reader->at = value_end + 1;
	if (!decode(reader, value))
		return false;
	if (++element->count > MOST_ATTRIBUTES)
		return fail(reader, "too many attributes");
	MEM_ADD(document->attributes, document->attribute_count) = (struct xml_attribute){name,
											  value};
	return true;
}

/* Parses what follows the name: attributes, then > or />. */
static bool take_attributes(struct reader *reader, struct xml_element *element, char *name_end)
{
	for (;;) {
		const bool blank = *reader->at && strchr(XML_BLANKS, *reader->at);

		skip_blanks(reader);
		if (!strncmp(reader->at, "/>", 2)) {
			reader->at += 2;
			*name_end = '\0';
			return true;
		}
		if (*reader->at == '>') {
			reader->at++;
			*name_end = '\0';
			reader->open[reader->depth++] = reader->document->count - 1;
			return true;
		}
		if (!*reader->at)
			return fail(reader, "this element has no end");
		if (!blank)
			return fail(reader, "a blank is missing");
		if (!take_attribute(reader, element))
			return false;
	}
}

static unsigned int line_of(const struct reader *reader)
{
	unsigned int line = 1;

	for (ptrdiff_t i = 0; i < reader->at - reader->document->text; i++)
		line += reader->text[i] == '\n';
	return line;
}

static bool take_start(struct reader *reader)
{
	struct xml_document *document = reader->document;
	struct xml_element *element;
	const char *name;
	char *end;

	if (document->count == MOST_ELEMENTS)
		return fail(reader, "too many elements");
	if (reader->depth == XML_MOST_DEPTH)
		return fail(reader, "elements nested too deep");
	if (document->count && !reader->depth)
		return fail(reader, "a second element after the end of the first");
	name = take_name(reader, &end);
	if (!name)
		return false;
	element = mem_append(&document->elements, &document->count, sizeof(*document->elements));
	element->name = name;
	element->first = document->attribute_count;
	element->parent = reader->depth ? reader->open[reader->depth - 1] : XML_ROOT;
	return take_attributes(reader, element, end);
}

static bool take_end(struct reader *reader)
{
	char *end;
	const char *name = take_name(reader, &end);

	if (!name)
		return false;
	skip_blanks(reader);
	if (*reader->at != '>')
		return fail(reader, "an end tag without >");
	if (!reader->depth)
		return fail(reader, "an end tag without its start tag");
	reader->at++;
	*end = '\0';
	reader->depth--;
	if (strcmp(name, reader->document->elements[reader->open[reader->depth]].name) != 0)
		return fail(reader, "the end tag of another element");
	return true;
}

static bool take_markup(struct reader *reader)
{
	if (!strncmp(reader->at, "<!--", 4))
		return skip_past(reader, "-->");
	if (!strncmp(reader->at, "<?", 2))
		return skip_past(reader, "?>");
	if (!strncmp(reader->at, "<!", 2))
		return fail(reader, "a document type or marked section");
	reader->at++;
	if (*reader->at != '/')
		return take_start(reader);
	reader->at++;
	return take_end(reader);
}

int xml_read(const char *text, struct xml_document *ret_document, char **ret_message)
{
	struct xml_document document = {.text = mem_string(text)};
	struct reader reader = {.document = &document, .text = text, .at = document.text};

	while (!reader.wrong) {
		char *next = strchr(reader.at, '<');

		if (!next)
			break;
		reader.at = next;
		take_markup(&reader);
	}
	if (!reader.wrong && reader.depth)
		fail(&reader, "an element without its end");
	if (!reader.wrong && !document.count)
		fail(&reader, "no element");
	if (!reader.wrong) {
		*ret_document = document;
		return 0;
	}
	*ret_message = mem_format("line %u: %s", line_of(&reader), reader.wrong);
	xml_clear(&document);
	return -EINVAL;
}

void xml_clear(struct xml_document *document)
{
	free(document->text);
	free(document->elements);
	free(document->attributes);
	*document = (struct xml_document){.count = 0};
}

const char *xml_attribute(const struct xml_document *document, const struct xml_element *element,
			  const char *name)
{
	for (size_t i = 0; i < element->count; i++)
		if (!strcmp(document->attributes[element->first + i].name, name))
			return document->attributes[element->first + i].value;
	return NULL;
}
