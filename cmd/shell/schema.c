/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/listing.h"

/* One record for each schema of a command. */
struct schema_entry {
	char *name;
	char *id;
	char *summary;
};

static const struct field fields[] = {
	STRING_FIELD(struct schema_entry, name, "schema", "SCHEMA", FIELD_DEFAULT, 0,
		     "name, and key of the list in the document"),
	STRING_FIELD(struct schema_entry, id, "id", "ID", FIELD_DEFAULT, 0,
		     "what the document says in its key schema"),
	STRING_FIELD(struct schema_entry, summary, "summary", "RECORD", FIELD_DEFAULT, 0,
		     "what a record is"),
};

static const struct schema schemas_schema = {
	.name = "schemas",
	.version = 1,
	.summary = "a JSON Schema that rdmactl schema NAME prints",
	.fields = fields,
	.field_count = ARRAY_SIZE(fields),
	.record_size = sizeof(struct schema_entry),
};

/* The schemas of all commands, by number from 0; NULL at the end. */
static const struct schema *schema_at(const struct ctx *ctx, size_t number)
{
	for (size_t i = 0; i < ctx->command_count; i++) {
		const struct schema *schema;

		if (ctx->commands[i]->group == GROUP_HIDDEN)
			continue;
		for (size_t j = 0; (schema = command_schema(ctx->commands[i], j)); j++)
			if (!number--)
				return schema;
	}
	return NULL;
}

static size_t count_schemas(const struct ctx *ctx)
{
	size_t count = 0;

	while (schema_at(ctx, count))
		count++;
	return count;
}

static int list_schemas(const struct ctx *ctx)
{
	size_t count = count_schemas(ctx);
	struct schema_entry *entries = mem_alloc_zero(count, sizeof(*entries));
	struct listing listing;
	int status;

	if (listing_begin(&listing, ctx, (char *[]){NULL}, false)) {
		const struct schema *schema;

		for (size_t i = 0; (schema = schema_at(ctx, i)); i++) {
			entries[i].name = mem_string(schema->name);
			entries[i].id = mem_format("rdmactl/%s/%u", schema->name, schema->version);
			entries[i].summary = mem_string(schema->summary);
			listing_add(&listing, &entries[i]);
		}
	}
	status = listing_end(&listing);
	for (size_t i = 0; i < count; i++) {
		free(entries[i].name);
		free(entries[i].id);
		free(entries[i].summary);
	}
	free(entries);
	return status;
}

static const struct schema *find_schema(const struct ctx *ctx, const char *name)
{
	const struct schema *schema;

	for (size_t i = 0; (schema = schema_at(ctx, i)); i++)
		if (!strcmp(schema->name, name))
			return schema;
	return NULL;
}

static int complain_schema(const struct ctx *ctx, const char *name)
{
	const size_t count = count_schemas(ctx);
	const char **names = mem_alloc_zero(count, sizeof(*names));
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));
	_cleanup_(freep) char *message = mem_format("no schema '%s'", clean);
	_cleanup_(freep) char *hint = NULL;
	const char *closest;

	for (size_t i = 0; i < count; i++)
		names[i] = schema_at(ctx, i)->name;
	closest = text_closest(name, names, count);
	free(names);
	hint = closest ? mem_format("did you mean '%s'?", closest)
		       : mem_string("rdmactl schema lists the schemas");
	command_complain(ctx, message, hint);
	return STATUS_USAGE;
}

static int run(const struct ctx *ctx, const void *args, char **objects)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL, *bad = NULL, *where = NULL;
	const struct schema *schema;
	struct columns columns;
	int rc;

	(void)args;
	if (!objects[0])
		return list_schemas(ctx);
	schema = find_schema(ctx, objects[0]);
	if (!schema)
		return complain_schema(ctx, objects[0]);
	if (columns_select(&columns, schema, COLUMNS_ALL, ctx->globals.columns, &bad)) {
		where = mem_format("rdmactl schema %s", schema->name);
		listing_explain_column(where, schema, bad, &message, &hint);
		command_complain(ctx, message, hint);
		return STATUS_USAGE;
	}
	rc = render_json_schema(stdout, &columns);
	columns_free(&columns);
	return finish_output(ctx, rc, STATUS_DONE);
}

const struct command schema_command = {
	.name = "schema",
	.group = GROUP_SHELL,
	.summary = "print the JSON Schema of a command's output",
	.objects = "[NAME]",
	.object_completion = COMPLETE_SCHEMA,
	.most_objects = 1,
	.schema = &schemas_schema,
	.run = run,
};
