/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"

/* A record of the list of schemas is a schema itself. */
static void get_name(const void *record, struct value *value)
{
	value_set_string(value, ((const struct schema *)record)->name);
}

static void get_id(const void *record, struct value *value)
{
	const struct schema *schema = record;

	if (!schema->name)
		return;
	snprintf(value->scratch, sizeof(value->scratch), "rdmactl/%s/%u", schema->name,
		 schema->version);
	value_set_string(value, value->scratch);
}

static void get_summary(const void *record, struct value *value)
{
	value_set_string(value, ((const struct schema *)record)->summary);
}

static const struct field fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_name, "schema", "SCHEMA", FIELD_DEFAULT, 0,
		       "name, which is the key of the list in the document"),
	COMPUTED_FIELD(FIELD_STRING, get_id, "id", "ID", FIELD_DEFAULT, 0,
		       "value of the key schema in the document"),
	COMPUTED_FIELD(FIELD_STRING, get_summary, "summary", "RECORD", FIELD_DEFAULT, 0,
		       "what a record is"),
};

static const struct schema schemas_schema = SCHEMA("schemas", struct schema, fields,
						   "a JSON Schema that rdmactl schema NAME prints");

static int list_schemas(const struct ctx *ctx, const struct schema **schemas, size_t count)
{
	struct listing listing;

	if (listing_begin(&listing, ctx, (char *[]){NULL}, false))
		for (size_t i = 0; i < count; i++)
			listing_add(&listing, schemas[i]);
	return listing_end(&listing);
}

static int complain_schema(const struct ctx *ctx, const struct schema **schemas, size_t count,
			   const char *name)
{
	_cleanup_(freep) const char **names = mem_alloc_zero(count, sizeof(*names));
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));

	for (size_t i = 0; i < count; i++)
		names[i] = schemas[i]->name;
	return command_usage(ctx, mem_format("no schema '%s'", clean),
			     text_suggest(name, names, count, "rdmactl schema lists the schemas"));
}

static int print_schema(const struct ctx *ctx, const struct schema *schema)
{
	_cleanup_(freep) char *bad = NULL, *where = NULL;
	char *message, *hint;
	struct columns columns;
	int rc;

	if (ctx->globals.jsonl || ctx->globals.tsv || ctx->globals.no_headings)
		return command_usage(ctx, mem_string("a JSON Schema is one document"),
				     mem_format("rdmactl schema %s prints it", schema->name));
	if (columns_select(&columns, schema, COLUMNS_ALL, ctx->globals.columns, &bad)) {
		where = mem_format("rdmactl schema %s", schema->name);
		listing_explain_column(where, schema, bad, &message, &hint);
		return command_usage(ctx, message, hint);
	}
	rc = render_json_schema(stdout, &columns);
	columns_free(&columns);
	return finish_output(ctx, rc, STATUS_DONE);
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	_cleanup_(freep) const struct schema **schemas = NULL;
	const size_t count = command_all_schemas(ctx, &schemas);

	(void)args;
	if (!objects[0])
		return list_schemas(ctx, schemas, count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(schemas[i]->name, objects[0]))
			return print_schema(ctx, schemas[i]);
	return complain_schema(ctx, schemas, count, objects[0]);
}

const struct command schema_command = {
	.name = "schema",
	.group = GROUP_SHELL,
	.summary = "print the JSON Schema of a command's output",
	.objects = "[NAME]",
	.object_completion = COMPLETE_SCHEMA,
	.most_objects = 1,
	.schema = &schemas_schema,
	.without_root = true,
	.run = run,
};
