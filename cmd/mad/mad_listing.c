/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/mad/mad_listing.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/names/ibdiag_conf.h"

/* A line of the map has about 40 bytes, so this is four hundred thousand lines. */
#define MOST_NAME_BYTES ((size_t)16 * 1024 * 1024)
#define MOST_CONF_BYTES ((size_t)64 * 1024)

const struct option_row mad_options[] = {
	STRING_OPTION(struct mad_args, via, 0, "via", "DEV/PORT", COMPLETE_PORT,
		      "send through this port (default: the first active InfiniBand port)"),
	FLAG_OPTION(struct mad_args, lid, 'L', "lid", "the destination is a LID"),
	FLAG_OPTION(struct mad_args, guid, 'G', "guid", "the destination is a port GUID"),
	FLAG_OPTION(struct mad_args, gid, 0, "gid", "the destination is a GID"),
	FLAG_OPTION(struct mad_args, direct, 'D', "direct",
		    "the destination is a directed route: 0,1,3"),
	FLAG_OPTION(struct mad_args, node, 0, "node", "the destination is the name of a node"),
	STRING_OPTION(struct mad_args, names, 0, "names", "FILE", COMPLETE_FILE,
		      "names of nodes by GUID (default: " IBDIAG_NODE_NAMES_PATH ")"),
	NUMBER_OPTION(COUNT, struct mad_args, retries, 0, "retries", "N", 0, ENGINE_MOST_RETRIES,
		      "retry this many times if nothing answers"),
	NUMBER_OPTION(COUNT, struct mad_args, window, 0, "window", "N", 1, ENGINE_MOST_WINDOW,
		      "keep this many requests outstanding (default 32)"),
	NUMBER_OPTION(COUNT, struct mad_args, service_level, 0, "sl", "N", 0, 15,
		      "service level of the requests"),
	NUMBER_OPTION(COUNT, struct mad_args, pkey_index, 0, "pkey-index", "N", 0, 65535,
		      "index of the P_Key of the requests"),
	STRING_OPTION(struct mad_args, mkey, 0, "mkey", "KEY", COMPLETE_NOTHING,
		      "M_Key of the nodes, SM_Key of the SA, CC_Key or B_Key"),
	STRING_OPTION(struct mad_args, qkey, 0, "qkey", "KEY", COMPLETE_NOTHING,
		      "Q_Key of the other side (default 0x80010000)"),
	{.name = NULL},
};

const struct option_rule mad_rules[] = {
	MAD_RULES,
	{.options = NULL},
};

bool mad_listing_take(struct mad_listing *mad, int rc)
{
	if (rc)
		mad->listing.status = rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED;
	return !rc;
}

/* An error in a file that the user did not name is not a failure, but deserves a warning. */
static void warn(struct listing *listing, const char *message, const char *hint)
{
	if (!listing->ctx->globals.quiet)
		command_complain(listing->ctx, message, hint);
}

bool mad_listing_read_names(struct listing *listing, const char *path, struct node_names *names)
{
	static const char form[] = "each line has the form 0x0002c90300001234 \"leaf 3\"";
	const char *file = path ? path : IBDIAG_NODE_NAMES_PATH;
	_cleanup_(freep) char *text = NULL, *message = NULL;
	unsigned int line = 0;
	size_t length;
	int rc = file_read(file, MOST_NAME_BYTES, &text, &length);

	if (rc == -ENOENT && !path)
		return true;
	if (rc)
		message = mem_format("cannot read %s: %s", file, strerror(-rc));
	else if (node_names_parse(text, length, names, &line))
		message = mem_format("%s: line %u does not name a node", file, line);
	if (!message)
		return true;
	if (path)
		listing_fail(listing, STATUS_FAILED, message, rc ? NULL : form);
	else
		warn(listing, message, rc ? NULL : form);
	return !path;
}

/* Reads the defaults of infiniband-diags. */
static void read_conf(struct listing *listing, struct ibdiag_conf *conf)
{
	_cleanup_(freep) char *text = NULL, *message = NULL;
	const char *hint = NULL;
	unsigned int line = 0;
	size_t length;
	int rc = file_read(IBDIAG_CONF_PATH, MOST_CONF_BYTES, &text, &length);

	if (rc == -ENOENT)
		return;
	if (rc) {
		message = mem_format("cannot read %s: %s", IBDIAG_CONF_PATH, strerror(-rc));
	} else if (ibdiag_conf_parse(text, length, conf, &line)) {
		message = mem_format(
			"%s: line %u is invalid: it and the lines after it are ignored",
			IBDIAG_CONF_PATH, line);
		hint = "correct the line, or remove it";
	}
	if (message)
		warn(listing, message, hint);
}

/* The port of --via, else that of the configuration file; NULL if neither names one. */
static char *via_of(const struct mad_args *args, const struct ibdiag_conf *conf)
{
	if (args->via || !conf->device)
		return mem_string_or_null(args->via);
	return conf->port.known ? mem_format("%s/%u", conf->device, (unsigned int)conf->port.value)
				: mem_string(conf->device);
}

static bool choose_port(struct mad_listing *mad, const char *via)
{
	struct listing *listing = &mad->listing;
	_cleanup_(freep) char *word = mem_string_or_null(via), *reason = NULL;
	char *words[] = {word, NULL};

	if (objects_parse(&listing->objects, words, true, &reason))
		return listing_fail(listing, STATUS_USAGE, reason,
				    "rdmactl devices lists the names");
	listing->request.needs = MAD_PORT_NEEDS;
	if (!listing_load(listing))
		return false;
	if (mad_session_choose_port(&mad->session, &listing->inventory)) {
		listing->status = STATUS_NOTHING;
		return false;
	}
	/* With a port chosen, it does not matter what else of the host could not be read. */
	problems_free(&listing->problems);
	return true;
}

static bool open_port(struct mad_listing *mad)
{
	int rc = mad_session_open(&mad->session);

	if (rc)
		mad->listing.status = rc == -EACCES || rc == -EPERM ? STATUS_FAILED
								    : STATUS_NOTHING;
	return !rc;
}

static unsigned int msec_of(const struct number *timeout)
{
	if (!timeout->known)
		return 0;
	return timeout->value < UINT_MAX ? (unsigned int)timeout->value : UINT_MAX;
}

struct mad_session_options mad_listing_options(struct listing *listing, const struct mad_args *args,
					       char **ret_via)
{
	const struct ctx *ctx = listing->ctx;
	_cleanup_(ibdiag_conf_clear) struct ibdiag_conf conf = {.device = NULL};
	const struct number *timeout = &ctx->globals.timeout;

	if (!ctx->globals.root)
		read_conf(listing, &conf);
	/* --timeout limits the complete run unless the command applies it to each request. */
	if (!timeout->known || !ctx->command->own_timeout)
		timeout = &conf.timeout_msec;
	*ret_via = via_of(args, &conf);
	return (struct mad_session_options){
		.mkey = args->mkey,
		.qkey = args->qkey,
		.default_mkey = conf.mkey.known ? conf.mkey.value : 0,
		.sm_key = conf.sa_key.known ? conf.sa_key.value : 0,
		.kind = mad_forced_kind(args),
		.timeout_msec = msec_of(timeout),
		.window = (unsigned int)args->window.value,
		.retries = args->retries,
		.sl = args->service_level,
		.pkey_index = (uint16_t)args->pkey_index.value,
		.input = stdin,
	};
}

/* Notes which port sends the requests, with -v. */
static void note_port(struct mad_listing *mad)
{
	const struct mad_port *port = &mad->session.port;

	problem_add_format(&mad->listing.notes, NULL, NULL, NULL, NULL,
			   "through port %s/%u, LID %u", port->device, port->port, port->route.lid);
}

static bool begin(struct mad_listing *mad, const struct mad_args *args, bool ethernet)
{
	_cleanup_(freep) char *via = NULL;
	struct mad_session_options options = mad_listing_options(&mad->listing, args, &via);

	options.ethernet = ethernet;
	return mad_listing_take(mad, mad_session_begin(&mad->session, &options,
						       &mad->listing.problems)) &&
	       !listing_refuses_root(&mad->listing,
				     "a saved tree answers no management datagrams") &&
	       mad_listing_read_names(&mad->listing, args->names, &mad->session.names) &&
	       choose_port(mad, via) && open_port(mad);
}

bool mad_listing_begin(struct mad_listing *mad, const struct ctx *ctx, const struct mad_args *args,
		       const struct schema *schema, bool all_columns, bool ethernet)
{
	mad->session = (struct mad_session){.signals = SIGNALS_NONE};
	if (!listing_begin_as(&mad->listing, ctx, schema, all_columns) ||
	    !begin(mad, args, ethernet))
		return false;
	if (ctx->globals.verbose)
		note_port(mad);
	return true;
}

enum target_kind mad_forced_kind(const struct mad_args *args)
{
	return args->lid      ? TARGET_LID
	       : args->guid   ? TARGET_GUID
	       : args->gid    ? TARGET_GID
	       : args->direct ? TARGET_DIRECT
	       : args->node   ? TARGET_NAME
			      : TARGET_ANY;
}

bool mad_listing_find(struct mad_listing *mad, char *const *words)
{
	return mad_listing_take(mad, mad_session_find(&mad->session, words));
}

bool mad_listing_find_by_lid(struct mad_listing *mad, char *const *words)
{
	return mad_listing_take(mad, mad_session_find_by_lid(&mad->session, words));
}

bool mad_listing_resolve(struct mad_listing *mad, const char *word, struct mad_target *ret_target)
{
	return mad_listing_take(mad, mad_session_resolve(&mad->session, word, ret_target));
}

bool mad_listing_find_sm(struct mad_listing *mad, const char *hint)
{
	const struct mad_route *route = &mad->session.port.route;

	if (!route->subnet_manager)
		return listing_fail(&mad->listing, STATUS_FAILED,
				    "the port has no subnet manager: its SM LID is 0", hint);
	return mad_listing_take(mad, mad_session_find_lid(&mad->session, route->sm_lid));
}

bool mad_listing_refuses_words(struct mad_listing *mad)
{
	return !mad_listing_take(mad, mad_session_refuse_words(&mad->session));
}

bool mad_listing_has_lids(struct mad_listing *mad, const char *message, const char *hint)
{
	for (size_t i = 0; i < mad->session.destination_count; i++) {
		if (mad->session.destinations[i].place.target.kind != TARGET_DIRECT)
			continue;
		return listing_fail(&mad->listing, STATUS_USAGE, message, hint);
	}
	return true;
}

bool mad_listing_interrupted(struct mad_listing *mad, const char *message)
{
	return mad_session_stopped(&mad->session) &&
	       !listing_fail(&mad->listing, STATUS_FAILED, message, NULL);
}

/*
 * Reports a local port that is not active: the node that did not answer is not to blame if the
 * requests could not leave. In state init a port takes packets of subnet management only: IBA 1,
 * 7.2.
 */
void mad_listing_tell_port(struct mad_listing *mad)
{
	const struct mad_port *port = &mad->session.port;
	const bool down = port->state.known && port->state.value == PORT_STATE_DOWN;
	const bool init = port->state.known && port->state.value == PORT_STATE_INIT;
	struct mad_engine_counts counts = {0};

	if (!mad->session.engine || (!down && !init))
		return;
	mad_engine_counts(mad->session.engine, &counts);
	if (down ? !counts.timed_out && !mad->goes_beyond : !counts.timed_out_gmp)
		return;
	problem_add_format(
		&mad->listing.problems, NULL, NULL, NULL,
		down ? "rdmactl ports shows its state; --via DEV/PORT sends through another port"
		     : "a subnet manager makes it active: rdmactl fabric check",
		"%s/%u, which sends the requests, is %s", port->device, port->port,
		down ? "down" : "in state init: only subnet management gets through");
}

/* Prints first, because closing a port with requests under way may take a while. */
int mad_listing_end_quietly(struct mad_listing *mad, int rc)
{
	int status = listing_end_quietly(&mad->listing, rc);

	mad_session_end(&mad->session);
	return status;
}

int mad_listing_end(struct mad_listing *mad)
{
	mad_listing_tell_port(mad);
	return mad_listing_end_quietly(mad, listing_print(&mad->listing));
}

bool mad_change_find(struct listing *listing, struct smp_change *change, const char *set)
{
	_cleanup_(freep) char *path = command_path(listing->ctx), *where = NULL, *fields = NULL;
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	const struct smp_value *wrong;
	int rc;

	where = mem_format("rdmactl %s --help", path);
	fields = mem_format("%s lists the fields", where);
	if (smp_change_parse(change, set))
		return listing_fail(listing, STATUS_USAGE, "--set takes FIELD=VALUE", fields);
	rc = smp_change_find(change, &wrong);
	if (!rc)
		return true;
	if (rc == -EPERM)
		return listing_fail_format(listing, STATUS_USAGE, "only the node itself sets it",
					   "--set: %s is read-only", wrong->key);
	listing_explain_column(where, change->attribute->schema, wrong->key, &message, &hint);
	return listing_fail_format(listing, STATUS_USAGE, hint, "--set: %s", message);
}

bool mad_change_put(struct listing *listing, struct smp_change *change)
{
	_cleanup_(freep) char *hint = NULL;
	const struct smp_value *wrong;
	int rc = smp_change_put(change, &wrong);

	if (!rc)
		return true;
	if (rc == -ENXIO)
		return listing_fail_format(listing, STATUS_USAGE, NULL,
					   "--set: this port does not have %s", wrong->key);
	hint = field_explain(wrong->field);
	return listing_fail_format(listing, STATUS_USAGE, hint,
				   rc == -ERANGE ? "--set: '%s' is out of range for %s"
						 : "--set: '%s' is not a value of %s",
				   wrong->text, wrong->key);
}

bool mad_change_confirm(struct listing *listing, const struct smp_change *change, const char *place,
			bool yes)
{
	for (size_t i = 0; i < change->value_count; i++) {
		const struct field *field = change->values[i].field;
		_cleanup_(freep) char *before = field_text_or_dash(field, &change->before);
		_cleanup_(freep) char *after = field_text_or_dash(field, &change->after);
		/* A key must not stay in the terminal's history. */
		const bool secret = field->flags & FIELD_SECRET;

		fprintf(stderr, "%s of %s: %s -> %s\n", field->key, place,
			secret	  ? "***"
			: *before ? before
				  : "-",
			secret	 ? "***"
			: *after ? after
				 : "-");
	}
	return yes || listing_confirm(listing, "change it?",
				      "nothing was changed: there is no terminal to confirm it on",
				      "--yes changes it without asking", "nothing was changed");
}
