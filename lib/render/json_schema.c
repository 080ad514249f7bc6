/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "render/format.h"

#define JANSSON_FUNCTIONS(MUST, MAY) \
	MUST(json_pack)              \
	MUST(json_array)             \
	MUST(json_array_append_new)  \
	MUST(json_object)            \
	MUST(json_object_set_new)    \
	MUST(json_string)            \
	MUST(json_dumpf)             \
	MUST(json_delete)            \
	MAY(jansson_version_str)

/* Loaded when a schema is asked for: nothing else needs it. */
struct jansson {
	JANSSON_FUNCTIONS(LIBRARY_MEMBER, LIBRARY_MEMBER)
};

#define LIBRARY_RECORD struct jansson
static const struct library_symbol jansson_symbols[] = {
	JANSSON_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)};

static int open_library(struct jansson *jansson)
{
	return library_open("libjansson.so.4", jansson_symbols, ARRAY_SIZE(jansson_symbols),
			    jansson);
}

static json_t *record_schema(const struct jansson *json, const struct columns *columns);

/* The words of an enumeration, null, and the form that a code without a word is shown in. */
static json_t *enum_type(const struct jansson *json, const struct enum_name *names)
{
	json_t *words = json->json_array();

	for (; names->word; names++)
		json->json_array_append_new(words, json->json_string(names->word));
	return json->json_pack("{s:[{s:o},{s:s,s:s},{s:s}]}", "anyOf", "enum", words, "type",
			       "string", "pattern", "^unknown-[0-9]+$", "type", "null");
}

static json_t *pattern_type(const struct jansson *json, const char *pattern)
{
	return json->json_pack("{s:[s,s],s:s}", "type", "string", "null", "pattern", pattern);
}

static json_t *plain_type(const struct jansson *json, const char *type)
{
	return json->json_pack("{s:[s,s]}", "type", type, "null");
}

static json_t *list_type(const struct jansson *json)
{
	return json->json_pack("{s:[s,s],s:{s:s}}", "type", "array", "null", "items", "type",
			       "string");
}

static json_t *records_type(const struct jansson *json, const struct field *field)
{
	_cleanup_(freep) char *bad = NULL;
	struct columns columns;
	json_t *type;

	if (columns_select(&columns, field->records, COLUMNS_ALL, field->records_columns, &bad))
		return NULL;
	type = json->json_pack("{s:[s,s],s:o}", "type", "array", "null", "items",
			       record_schema(json, &columns));
	columns_free(&columns);
	return type;
}

static json_t *field_type(const struct jansson *json, const struct field *field)
{
	switch (field->kind) {
	case FIELD_UNSIGNED:
		return json->json_pack("{s:[s,s],s:i}", "type", "integer", "null", "minimum", 0);
	case FIELD_SIGNED:
		return plain_type(json, "integer");
	case FIELD_REAL:
		return plain_type(json, "number");
	case FIELD_BOOL:
		return plain_type(json, "boolean");
	case FIELD_ENUM:
		return field->names ? enum_type(json, field->names) : plain_type(json, "string");
	case FIELD_HEX:
		return pattern_type(json, "^0x[0-9a-f]+$");
	case FIELD_GUID:
		return pattern_type(json, "^[0-9a-f]{4}(:[0-9a-f]{4}){3}$");
	case FIELD_GID:
		return pattern_type(json, "^[0-9a-f]{4}(:[0-9a-f]{4}){7}$");
	case FIELD_FLAGS:
	case FIELD_LIST:
		return list_type(json);
	case FIELD_RECORDS:
		return records_type(json, field);
	default:
		return plain_type(json, "string");
	}
}

static json_t *record_schema(const struct jansson *json, const struct columns *columns)
{
	json_t *properties = json->json_object();
	json_t *required = json->json_array();

	for (size_t i = 0; i < columns->count; i++) {
		const struct field *field = columns->fields[i];
		json_t *type = field_type(json, field);

		json->json_object_set_new(type, "description", json->json_string(field->help));
		json->json_object_set_new(properties, field->key, type);
		json->json_array_append_new(required, json->json_string(field->key));
	}
	return json->json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties,
			       "required", required);
}

static json_t *problems_schema(const struct jansson *json)
{
	_cleanup_(freep) char *bad = NULL;
	struct columns columns;
	json_t *items;

	if (columns_select(&columns, &problem_schema, COLUMNS_ALL, NULL, &bad))
		return NULL;
	items = record_schema(json, &columns);
	columns_free(&columns);
	return json->json_pack("{s:s,s:o}", "type", "array", "items", items);
}

int render_json_schema(FILE *out, const struct columns *columns)
{
	const struct schema *schema = columns->schema;
	struct jansson functions;
	const struct jansson *json = &functions;
	char id[128];
	json_t *document;
	int rc = open_library(&functions);

	if (rc)
		return rc;

	snprintf(id, sizeof(id), "rdmactl/%s/%u", schema->name, schema->version);
	document = json->json_pack("{s:s,s:s,s:s,s:s,s:{s:{s:s},s:{s:s,s:s,s:o},s:o},s:[s,s,s]}",
				   "$schema", "https://json-schema.org/draft/2020-12/schema", "$id",
				   id, "title", id, "type", "object", "properties", "schema",
				   "const", id, schema->name, "type", "array", "description",
				   schema->summary, "items", record_schema(json, columns),
				   "problems", problems_schema(json), "required", "schema",
				   schema->name, "problems");
	rc = document ? json->json_dumpf(document, out, JSON_INDENT(2)) : -1;
	putc('\n', out);
	/* Ours is the only reference. */
	if (document)
		json->json_delete(document);
	return rc ? -EIO : 0;
}

const char *render_json_built_version(void)
{
	return JANSSON_VERSION;
}

const char *render_json_running_version(void)
{
	struct jansson json;

	if (open_library(&json) || !json.jansson_version_str)
		return NULL;
	return json.jansson_version_str();
}
