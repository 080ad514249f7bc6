/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/listing.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/terminal.h"

int finish_output(const struct ctx *ctx, int rc, int status)
{
	int finished = file_flush(stdout);
	_cleanup_(freep) char *message = NULL;

	/* -EIO may only be the stream's error flag, for the error that is already in `rc`. */
	if (finished && (!rc || finished != -EIO))
		rc = finished;
	if (!rc)
		return status;
	/* The reader closed the pipe on purpose: no message. */
	if (rc == -EPIPE)
		return STATUS_FAILED;
	message = mem_format("cannot write the output: %s", strerror(-rc));
	command_complain(ctx, message, NULL);
	return STATUS_FAILED;
}

static bool is_json(const struct globals *globals)
{
	return globals->json || globals->jsonl;
}

static enum format choose_format(const struct listing *listing)
{
	const struct globals *globals = &listing->ctx->globals;

	if (globals->json)
		return FORMAT_JSON;
	if (globals->jsonl)
		return FORMAT_JSONL;
	if (globals->tsv)
		return FORMAT_TSV;
	return listing->all_columns ? FORMAT_RECORD : FORMAT_TABLE;
}

/* https://no-color.org: a nonempty NO_COLOR disables colour. */
static bool choose_color(const struct globals *globals)
{
	const char *no_color = getenv("NO_COLOR");

	if (globals->color.known && globals->color.value != COLOR_AUTO)
		return globals->color.value == COLOR_ALWAYS;
	return !(no_color && *no_color) && isatty(STDOUT_FILENO) && terminal_takes_escapes();
}

void listing_explain_column(const char *where, const struct schema *schema, const char *bad,
			    char **ret_message, char **ret_hint)
{
	_cleanup_(freep) const char **keys = mem_alloc_zero(schema->field_count, sizeof(*keys));
	_cleanup_(freep) char *clean = text_clean(bad, strlen(bad));
	_cleanup_(freep) char *list = mem_format("%s lists the columns", where);

	bad += strspn(bad, "+-");
	for (size_t i = 0; i < schema->field_count; i++) {
		keys[i] = schema->fields[i].key;
		/* The word may be the heading that tables show for the key. */
		if (*bad && !strcasecmp(field_heading(&schema->fields[i]), bad))
			bad = keys[i];
	}
	if (!*bad)
		*ret_message = mem_string("the name of a column is empty");
	else if (strchr(bad, ','))
		*ret_message = mem_format("'%s' leaves no columns", clean);
	else
		*ret_message = mem_format("unknown column '%s'", clean);
	/* In other programs -o selects the output format. */
	*ret_hint = text_has_word("json jsonl tsv", " ", bad, strlen(bad))
			    ? mem_format("did you mean '--%s'?", bad)
			    : text_suggest(bad, keys, schema->field_count, list);
}

static bool select_columns(struct listing *listing)
{
	const struct ctx *ctx = listing->ctx;
	bool all = listing->all_columns || is_json(&ctx->globals);
	_cleanup_(freep) char *bad = NULL, *message = NULL, *hint = NULL;
	_cleanup_(freep) char *path = NULL, *where = NULL;

	if (!columns_select(&listing->columns, listing->schema, all ? COLUMNS_ALL : COLUMNS_DEFAULT,
			    ctx->globals.columns, &bad))
		return true;
	path = command_path(ctx);
	where = mem_format("rdmactl %s --help", path);
	listing_explain_column(where, listing->schema, bad, &message, &hint);
	return listing_fail(listing, STATUS_USAGE, message, hint);
}

bool listing_begin_as(struct listing *listing, const struct ctx *ctx, const struct schema *schema,
		      bool all_columns)
{
	*listing = (struct listing){.ctx = ctx, .schema = schema, .all_columns = all_columns};
	listing->request.root = ctx->globals.root;
	listing->request.objects = &listing->objects;
	return select_columns(listing);
}

bool listing_parse_objects(struct listing *listing, char *const *words, bool ports)
{
	_cleanup_(freep) char *message = NULL;

	if (!objects_parse(&listing->objects, words, ports, &message))
		return true;
	return listing_fail(listing, STATUS_USAGE, message, "rdmactl devices lists the names");
}

bool listing_begin(struct listing *listing, const struct ctx *ctx, char **words, bool ports)
{
	return listing_begin_as(listing, ctx, ctx->command->schema, ctx->command->all_columns) &&
	       listing_parse_objects(listing, words, ports);
}

void listing_prefer_columns(struct listing *listing, const char *list)
{
	const struct globals *globals = &listing->ctx->globals;
	_cleanup_(freep) char *bad = NULL;

	if (globals->columns || is_json(globals))
		return;
	columns_free(&listing->columns);
	columns_select(&listing->columns, listing->schema, COLUMNS_DEFAULT, list, &bad);
}

void listing_show_view(struct listing *listing, const char *when)
{
	listing_prefer_columns(listing, schema_view(listing->schema, when));
}

void listing_as_table(struct listing *listing)
{
	const struct globals *globals = &listing->ctx->globals;
	_cleanup_(freep) char *bad = NULL;

	if (is_json(globals) || globals->tsv ||
	    (globals->columns && !strcmp(globals->columns, "all")))
		return;
	listing->all_columns = false;
	columns_free(&listing->columns);
	columns_select(&listing->columns, listing->schema, COLUMNS_DEFAULT, globals->columns, &bad);
}

bool listing_load(struct listing *listing)
{
	return listing_load_inventory(listing, columns_needs(&listing->columns));
}

/* A word that is not a device may be one of iproute2's, a misplaced subcommand, or its plural. */
static void suggest_child(const struct ctx *ctx, struct problem *problem)
{
	const struct command *command = ctx->command;
	_cleanup_(freep) char *one = mem_string(problem->object), *path = command_path(ctx);
	struct command child;
	char *hint = command_hint_word(path, problem->object);

	if (!hint && command_find_child(command, problem->object, &child))
		hint = mem_format("a subcommand comes before the objects: rdmactl %s %s",
				  command->name, child.name);
	if (!hint && *one && one[strlen(one) - 1] == 's') {
		one[strlen(one) - 1] = '\0';
		if (command_find_child(command, one, &child))
			hint = mem_format("did you mean '%s'?", child.name);
	}
	if (!hint)
		return;
	free(problem->hint);
	problem->hint = hint;
}

bool listing_load_inventory(struct listing *listing, uint64_t needs)
{
	int rc;

	listing->request.needs |= needs;
	rc = inventory_load(&listing->inventory, &listing->request, &listing->problems,
			    &listing->notes);
	for (size_t i = 0; i < listing->problems.count; i++)
		if (!strcmp(listing->problems.items[i].error, OBJECT_NO_DEVICE))
			suggest_child(listing->ctx, &listing->problems.items[i]);
	return listing_has_loaded(listing, rc);
}

bool listing_has_loaded(struct listing *listing, int rc)
{
	_cleanup_(freep) char *message = NULL;
	const char *hint;

	if (!rc)
		return true;
	if (rc == -ENODEV || rc == -EIO) {
		listing->status = rc == -EIO ? STATUS_FAILED : STATUS_NOTHING;
		return false;
	}
	message = root_failure_text(listing->request.root, rc, &hint);
	return listing_fail(listing, STATUS_FAILED, message, hint);
}

void listing_add(struct listing *listing, const void *row)
{
	MEM_ADD(listing->rows, listing->row_count) = row;
}

bool listing_fail(struct listing *listing, int status, const char *message, const char *hint)
{
	_cleanup_(freep) char *clean = text_clean(message, strlen(message));

	problem_add_text(&listing->problems, NULL, NULL, NULL, clean, hint);
	listing->status = status;
	return false;
}

bool listing_fail_format(struct listing *listing, int status, const char *hint, const char *format,
			 ...)
{
	_cleanup_(freep) char *message = NULL;
	va_list arguments;

	va_start(arguments, format);
	message = mem_format_list(format, arguments);
	va_end(arguments);
	return listing_fail(listing, status, message, hint);
}

bool listing_fail_to_write(struct listing *listing, const char *path, int rc)
{
	return listing_fail_format(listing, STATUS_FAILED, file_replace_hint(path, rc),
				   "cannot write %s: %s", path, file_replace_error(rc));
}

void listing_none(struct listing *listing, const char *hiding, const char *what, const char *hint)
{
	if (problems_hide(&listing->problems, hiding))
		listing_fail_format(listing, STATUS_PARTIAL, hint,
				    "%s, but not everything could be read", what);
	else
		listing_fail(listing, STATUS_NOTHING, what, hint);
}

bool listing_read_text(struct listing *listing, const char *path, size_t most, const char *hint,
		       char **ret_text)
{
	size_t length;
	int rc = file_read(path, most, ret_text, &length);

	if (rc)
		return listing_fail_format(listing, STATUS_FAILED, NULL, "cannot read %s: %s", path,
					   strerror(-rc));
	if (strlen(*ret_text) < length)
		return listing_fail_format(listing, STATUS_FAILED, hint, "%s is not a text file",
					   path);
	return true;
}

void listing_saves_to(struct listing *listing, const char *path)
{
	listing->silent = path && file_is_output(path);
}

static bool refuses_root(struct listing *listing, const char *reason, const char *hint)
{
	if (listing->ctx->globals.root)
		listing_fail(listing, STATUS_USAGE, reason, hint);
	return listing->ctx->globals.root;
}

bool listing_refuses_root(struct listing *listing, const char *reason)
{
	return refuses_root(listing, reason,
			    "run it on the live system, without --root or RDMACTL_ROOT");
}

bool listing_refuses_tree(struct listing *listing, const char *reason)
{
	const char *root = listing->ctx->globals.root;
	int rc;

	if (inventory_answers(root))
		return false;
	/* If the root cannot be opened, it is no tree; reading it gives the reason. */
	rc = inventory_find_core(root, NULL);
	if (rc && rc != -ENODEV && !listing_load_inventory(listing, 0))
		return true;
	return refuses_root(listing, reason,
			    "run it on the live system, or on a snapshot of it: rdmactl snapshot "
			    "FILE");
}

bool listing_refuses_archive(struct listing *listing, const char *hint)
{
	if (listing->ctx->archive)
		listing_fail(listing, STATUS_USAGE,
			     "a snapshot never changes, so there is nothing to watch", hint);
	return listing->ctx->archive;
}

void listing_miss_answers(struct listing *listing, uint64_t needs)
{
	_cleanup_(freep) char *attribute = NULL;

	for (size_t i = 0; i < listing->columns.count; i++)
		if (listing->columns.fields[i]->needs & needs)
			mem_extend(&attribute, "%s%s", attribute ? ", " : "",
				   listing->columns.fields[i]->key);
	if (!listing->inventory.answers && attribute)
		inventory_add_unanswered(&listing->problems, NULL, attribute, "netlink", NULL);
}

static void tell(const void *ctx, const char *line, const char *hint)
{
	command_complain(ctx, line, hint);
}

static void complain(const struct ctx *ctx, const struct problems *problems)
{
	problems_tell(problems, ctx->globals.verbose, tell, ctx);
}

void listing_free(struct listing *listing)
{
	free(listing->rows);
	render_stream_free(&listing->pieces);
	objects_free(&listing->objects);
	columns_free(&listing->columns);
	inventory_free(&listing->inventory);
	problems_free(&listing->problems);
	problems_free(&listing->notes);
}

int listing_end_quietly(struct listing *listing, int rc)
{
	int status = listing->status;

	if (status == STATUS_DONE && listing->problems.count)
		status = STATUS_PARTIAL;
	status = finish_output(listing->ctx, rc, status);
	complain(listing->ctx, &listing->problems);
	if (listing->ctx->globals.verbose)
		complain(listing->ctx, &listing->notes);
	listing_free(listing);
	return status;
}

struct render_options listing_options(const struct listing *listing)
{
	const struct globals *globals = &listing->ctx->globals;

	return (struct render_options){
		.format = choose_format(listing),
		.headings = !globals->no_headings,
		.color = choose_color(globals),
	};
}

bool listing_is_for_people(const struct listing *listing)
{
	return choose_format(listing) == FORMAT_TABLE && !listing->ctx->globals.columns;
}

static int print_rows(const struct listing *listing)
{
	const struct render_options options = listing_options(listing);
	struct document document = {
		.columns = &listing->columns,
		.rows = listing->rows + listing->streamed,
		.row_count = listing->row_count - listing->streamed,
		.problems = &listing->problems,
		.head = listing->head,
	};
	const struct schema *head_schema = listing->schema->head;
	_cleanup_(freep) void *nothing_known = NULL;
	_cleanup_(columns_free) struct columns head_columns = {0};

	if (listing->silent)
		return 0;
	/* If the command failed before it had a head, the document still has the head's keys. */
	if (head_schema && !document.head)
		document.head = nothing_known = mem_alloc_zero(1, head_schema->record_size);
	if (head_schema)
		head_columns = columns_of(head_schema, COLUMNS_ALL);
	document.head_columns = &head_columns;
	return render(stdout, &options, &document);
}

bool listing_streams(const struct listing *listing)
{
	return listing->ctx->globals.jsonl;
}

void listing_stream(struct listing *listing)
{
	int rc;

	if (listing->streamed == listing->row_count)
		return;
	rc = print_rows(listing) ?: render_flush(stdout);
	if (!listing->stream_rc)
		listing->stream_rc = rc;
	listing->streamed = listing->row_count;
}

void listing_round(struct listing *listing)
{
	if (listing->ctx->globals.json || listing->ctx->globals.tsv) {
		listing_piece(listing);
		return;
	}
	listing_stream(listing);
	listing->row_count = listing->streamed = 0;
}

bool listing_piece(struct listing *listing)
{
	struct render_stream *pieces = &listing->pieces;

	if (!pieces->widths) {
		const struct render_options options = listing_options(listing);

		render_stream_init(pieces, stdout, &options, &listing->columns);
	}
	if (!listing->stream_rc && !listing->silent)
		listing->stream_rc = render_stream_rows(pieces, listing->rows, listing->row_count);
	listing->row_count = 0;
	/* Notices a closed pipe before all data have been read. */
	if (!listing->stream_rc)
		listing->stream_rc = render_flush(stdout);
	return !listing->stream_rc;
}

int listing_print(struct listing *listing)
{
	if (listing->stream_rc)
		return listing->stream_rc;
	if (listing->pieces.begun)
		return render_stream_rows(&listing->pieces, listing->rows, listing->row_count)
			       ?: render_stream_end(&listing->pieces, &listing->problems);
	/* A command that failed before it had rows prints nothing, except for a JSON document. */
	if (listing->row_count || listing->status == STATUS_DONE || listing->ctx->globals.json)
		return print_rows(listing);
	return 0;
}

int listing_end(struct listing *listing)
{
	return listing_end_quietly(listing, listing_print(listing));
}

/*
 * Reads the answer. A session blocks the signals that end it (mad_session_begin()), and nobody
 * would handle them here: let them end the program meanwhile, since nothing has been changed.
 */
static bool read_yes(void)
{
	char answer[8];
	sigset_t ends, before;
	bool yes;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &ends, &before);
	yes = fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
	sigprocmask(SIG_SETMASK, &before, NULL);
	return yes;
}

bool listing_confirm(struct listing *listing, const char *question, const char *no_terminal,
		     const char *hint, const char *refused)
{
	if (!isatty(STDIN_FILENO))
		return listing_fail(listing, STATUS_USAGE, no_terminal, hint);
	fprintf(stderr, "%s [y/N] ", question);
	if (read_yes())
		return true;
	return listing_fail(listing, STATUS_FAILED, refused, NULL);
}
