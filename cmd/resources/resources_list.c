/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The objects of one kind. There may be a hundred thousand, so they are printed in pieces. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/resources/resources_run.h"

/* Rows of a piece: they determine the widths of a table, and limit the memory. */
#define FIRST_ROWS 1024

/* TASK_COMM_LEN - 1, include/linux/sched.h */
#define COMM_LENGTH 15

static const struct field *find_field(enum resource_kind kind, const char *key)
{
	return schema_find(resource_schema(kind), key);
}

static bool fail(struct listing *listing, char *message, char *hint)
{
	_cleanup_(freep) char *owned_message = message, *owned_hint = hint;

	return listing_fail(listing, STATUS_USAGE, owned_message, owned_hint);
}

/* Accepts a word of the field, or unknown-N for a code without a word. */
static bool parse_word(const struct field *field, const char *word, uint64_t *ret_code)
{
	static const char unknown[] = "unknown-";
	const struct enum_name *name = enum_find_word(field->names, word);

	if (name)
		*ret_code = name->value;
	return name || (!strncmp(word, unknown, sizeof(unknown) - 1) &&
			!text_parse_u64(word + sizeof(unknown) - 1, 10, UINT32_MAX, ret_code));
}

static bool parse_words(struct listing *listing, enum resource_kind kind, const char *option,
			const char *list, struct resource_codes *codes)
{
	const struct field *field = find_field(kind, option);
	_cleanup_(freep) char *copy = mem_string_or_null(list);
	char *rest = copy, *word;

	while ((word = strsep(&rest, ","))) {
		_cleanup_(freep) char *clean = text_clean(word, strlen(word));
		uint64_t code;

		if (!parse_word(field, word, &code))
			return fail(listing,
				    mem_format("--%s: '%s' is not a %s", option, clean, option),
				    field_explain(field));
		MEM_ADD(codes->items, codes->count) = code;
	}
	return true;
}

/* The words of rdma-resource(8) for columns that have another name here. */
static const struct where_alias aliases[] = {
	{"lqpn", "qpn"},
	{"lqpn", "qpns"},
	{"rqpn", "remote_qpn"},
	{"path-mig-state", "path_migration"},
	{"qp-type", "type"},
	{"ps", "port_space"},
	{"src-addr", "local_ip"},
	{"src-port", "local_port"},
	{"dst-addr", "remote_ip"},
	{"dst-port", "remote_port"},
	{"cqe", "entries"},
	{"poll-ctx", "poll_context"},
	{"mrlen", "length_bytes"},
	{"comm", "command"},
	{0},
};

static bool parse_where(struct listing *listing, enum resource_kind kind, const char *text,
			struct where *where)
{
	char *message = NULL, *hint = NULL;

	if (!where_parse(where, resource_schema(kind), aliases, text, &message, &hint))
		return true;
	fail(listing, mem_format("--where: %s", message), hint);
	free(message);
	return false;
}

bool resources_filter_init(struct resources_filter *filter, const struct resources_args *args,
			   enum resource_kind kind, struct listing *listing)
{
	*filter = (struct resources_filter){
		.args = args,
		.left = args->limit.known ? args->limit.value : UINT64_MAX,
	};
	return parse_words(listing, kind, "state", args->state, &filter->states) &&
	       parse_words(listing, kind, "type", args->type, &filter->types) &&
	       parse_where(listing, kind, args->where, &filter->where);
}

void resources_filter_clear(struct resources_filter *filter)
{
	free(filter->states.items);
	free(filter->types.items);
	where_clear(&filter->where);
}

static bool has_code(const struct resource_codes *codes, const struct number *number)
{
	for (size_t i = 0; i < codes->count; i++)
		if (number_is(number, codes->items[i]))
			return true;
	return !codes->count;
}

/* The kernel truncates the names of processes, but people may write them in full. */
static bool is_called(const struct resource *resource, const char *name)
{
	if (!resource->command)
		return false;
	if (resource->kernel_name && !strcmp(resource->kernel_name, name))
		return true;
	if (resource->kernel != TRISTATE_YES && strlen(name) > COMM_LENGTH)
		return !strncmp(resource->command, name, COMM_LENGTH) &&
		       strlen(resource->command) == COMM_LENGTH;
	return !strcmp(resource->command, name);
}

bool resources_filter_passes(const struct resources_filter *filter, const struct resource *resource)
{
	const struct resources_args *args = filter->args;

	if (args->pid.known && !number_is(&resource->pid, args->pid.value) &&
	    !number_is(&resource->thread, args->pid.value))
		return false;
	if (args->comm && !is_called(resource, args->comm))
		return false;
	return has_code(&filter->states, &resource->state) &&
	       has_code(&filter->types, &resource->type) && where_passes(&filter->where, resource);
}

void resources_filter_list(struct resources_filter *filter, size_t first,
			   struct resource_list *list)
{
	size_t kept = first;

	for (size_t i = first; i < list->count; i++) {
		if (!filter->left || !resources_filter_passes(filter, &list->items[i])) {
			resource_clear(&list->items[i]);
			continue;
		}
		list->items[kept++] = list->items[i];
		filter->left--;
	}
	list->count = kept;
}

static void add_rows(struct listing *listing, const struct resource_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		listing_add(listing, &list->items[i]);
}

/* Rows that remain in the list are printed at the end of the listing, and must live until then. */
static void print(struct listing *listing, struct resource_loader *loader,
		  struct resources_filter *filter, struct resource_list *list)
{
	size_t first = 0;

	while (filter->left &&
	       resource_loader_next(loader, list, &listing->problems, &listing->notes)) {
		resources_filter_list(filter, first, list);
		first = list->count;
		if (first < FIRST_ROWS)
			continue;
		add_rows(listing, list);
		if (!listing_piece(listing))
			break;
		resource_list_clear(list);
		first = 0;
	}
	add_rows(listing, list);
}

/* Returns whether the columns or filters need the holder of an object. */
static bool needs_processes(const struct listing *listing, const struct resources_filter *filter)
{
	const uint64_t needs = columns_needs(&listing->columns) | where_needs(&filter->where);

	return needs & RESOURCE_NEED_PROCESS || filter->args->pid.known || filter->args->comm;
}

int resources_list(const struct ctx *ctx, const struct resources_args *args,
		   enum resource_kind kind, char **words)
{
	const struct schema *schema = args->raw ? &qp_context_schema : resource_schema(kind);
	bool ports = find_field(kind, "port");
	_cleanup_(freep) struct qp_context *contexts = NULL;
	struct resource_loader *loader = NULL;
	_cleanup_(processes_freep) struct processes *processes = NULL;
	_cleanup_(resources_filter_clear) struct resources_filter filter = {.args = args};
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	struct listing listing;
	int status;

	if (resources_begin(&listing, ctx, schema, words, ports) &&
	    resources_filter_init(&filter, args, kind, &listing) &&
	    listing_load_inventory(&listing, 0) &&
	    resources_open(&listing, args->raw || needs_processes(&listing, &filter), &processes,
			   &loader)) {
		resource_loader_begin(loader, kind);
		if (args->raw)
			contexts = resources_read_raw(&listing, loader, &filter, &list);
		else
			print(&listing, loader, &filter, &list);
	}
	status = listing_end(&listing);
	for (size_t i = 0; contexts && i < list.count; i++)
		qp_context_clear(&contexts[i]);
	resource_loader_free(loader);
	return status;
}
