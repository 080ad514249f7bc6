/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <errno.h>
#include <stdio.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "render/format.h"

static json_t *record_schema(const struct columns *columns);

/*
 * Allows the words of an enumeration, null, and the form in which a code without a word is shown.
 */
static json_t *enum_type(const struct enum_name *names)
{
	json_t *words = json_array();

	for (; names->word; names++)
		json_array_append_new(words, json_string(names->word));
	return json_pack("{s:[{s:o},{s:s,s:s},{s:s}]}", "anyOf", "enum", words, "type", "string",
			 "pattern", "^unknown-[0-9]+$", "type", "null");
}

static json_t *pattern_type(const char *pattern)
{
	return json_pack("{s:[s,s],s:s}", "type", "string", "null", "pattern", pattern);
}

static json_t *plain_type(const char *type)
{
	return json_pack("{s:[s,s]}", "type", type, "null");
}

static json_t *records_type(const struct field *field)
{
	_cleanup_(columns_free) struct columns columns = columns_of_records(field);

	return json_pack("{s:[s,s],s:o}", "type", "array", "null", "items",
			 record_schema(&columns));
}

static json_t *field_type(const struct field *field)
{
	switch (field->kind) {
	case FIELD_UNSIGNED:
		return json_pack("{s:[s,s],s:i}", "type", "integer", "null", "minimum", 0);
	case FIELD_SIGNED:
		return plain_type("integer");
	case FIELD_REAL:
		return plain_type("number");
	case FIELD_BOOL:
		return plain_type("boolean");
	case FIELD_ENUM:
		return field->names ? enum_type(field->names) : plain_type("string");
	case FIELD_HEX:
		return pattern_type("^0x[0-9a-f]+$");
	case FIELD_GUID:
		return pattern_type("^[0-9a-f]{4}(:[0-9a-f]{4}){3}$");
	case FIELD_GID:
		return pattern_type("^[0-9a-f]{4}(:[0-9a-f]{4}){7}$");
	case FIELD_FLAGS:
	case FIELD_LIST:
		return json_pack("{s:[s,s],s:{s:s}}", "type", "array", "null", "items", "type",
				 "string");
	case FIELD_RECORDS:
		return records_type(field);
	default:
		return plain_type("string");
	}
}

static void add_property(const struct field *field, json_t *properties, json_t *required)
{
	json_t *type = field_type(field);

	json_object_set_new(type, "description", json_string(field_help(field)));
	json_object_set_new(properties, field->key, type);
	json_array_append_new(required, json_string(field->key));
}

static json_t *record_schema(const struct columns *columns)
{
	json_t *properties = json_object();
	json_t *required = json_array();

	for (size_t i = 0; i < columns->count; i++)
		add_property(columns->fields[i], properties, required);
	return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties, "required",
			 required);
}

int render_json_schema(FILE *out, const struct columns *columns)
{
	_cleanup_(columns_free) struct columns problems = columns_of(&problem_schema, COLUMNS_ALL);
	const struct schema *schema = columns->schema;
	char id[128];
	json_t *document;
	int rc;

	snprintf(id, sizeof(id), "rdmactl/%s/%u", schema->name, schema->version);
	document = json_pack("{s:s,s:s,s:s,s:s,s:{s:{s:s},s:{s:s,s:s,s:o},s:{s:s,s:o}},s:[s,s,s]}",
			     "$schema", "https://json-schema.org/draft/2020-12/schema", "$id", id,
			     "title", id, "type", "object", "properties", "schema", "const", id,
			     schema->name, "type", "array", "description", schema->summary, "items",
			     record_schema(columns), "problems", "type", "array", "items",
			     record_schema(&problems), "required", "schema", schema->name,
			     "problems");
	for (size_t i = 0; schema->head && i < schema->head->field_count; i++)
		add_property(&schema->head->fields[i], json_object_get(document, "properties"),
			     json_object_get(document, "required"));
	rc = json_dumpf(document, out, JSON_INDENT(2));
	putc('\n', out);
	json_decref(document);
	return file_error(out) ?: rc ? -EIO : 0;
}

static void *allocate(size_t size)
{
	return mem_resize(NULL, size, 1);
}

void render_json_check_memory(void)
{
	json_set_alloc_funcs(allocate, free);
}

const char *render_json_built_version(void)
{
	return JANSSON_VERSION;
}

const char *render_json_running_version(void)
{
#if JANSSON_VERSION_HEX >= 0x020d00
	return jansson_version_str();
#else
	return NULL;
#endif
}
