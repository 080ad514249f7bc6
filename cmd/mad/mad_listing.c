/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/mad/mad_listing.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/mem.h"

const struct option_row mad_options[] = {
	STRING_OPTION(struct mad_args, via, 0, "via", "DEV/PORT", COMPLETE_PORT,
		      "send by this port (default: the first active InfiniBand port)"),
	FLAG_OPTION(struct mad_args, lid, 'L', "lid", "the destination is a LID"),
	FLAG_OPTION(struct mad_args, guid, 'G', "guid", "the destination is a port GUID"),
	FLAG_OPTION(struct mad_args, gid, 0, "gid", "the destination is a GID"),
	FLAG_OPTION(struct mad_args, direct, 'D', "direct",
		    "the destination is a directed route: 0,1,3"),
	NUMBER_OPTION(COUNT, struct mad_args, retries, 0, "retries", "N", 0, ENGINE_MOST_RETRIES,
		      "ask so many times more if nothing answers"),
	NUMBER_OPTION(COUNT, struct mad_args, window, 0, "window", "N", 1, ENGINE_MOST_WINDOW,
		      "have so many requests under way (default 32)"),
	NUMBER_OPTION(COUNT, struct mad_args, service_level, 0, "sl", "N", 0, 15,
		      "service level of the requests"),
	NUMBER_OPTION(COUNT, struct mad_args, pkey_index, 0, "pkey-index", "N", 0, 65535,
		      "index of the P_Key of the requests"),
	STRING_OPTION(struct mad_args, mkey, 0, "mkey", "KEY", COMPLETE_NOTHING,
		      "M_Key of the nodes, or SM_Key of the SA"),
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

static bool choose_port(struct mad_listing *mad, const char *via)
{
	struct listing *listing = &mad->listing;
	_cleanup_(freep) char *word = mem_string_or_null(via), *reason = NULL;
	char *words[] = {word, NULL};

	if (objects_parse(&listing->objects, words, true, &reason)) {
		listing_fail(listing, STATUS_USAGE, reason, "rdmactl devices lists the names");
		return false;
	}
	listing->request.needs = MAD_PORT_NEEDS;
	if (!listing_load(listing))
		return false;
	if (mad_session_choose_port(&mad->session, &listing->inventory)) {
		listing->status = STATUS_NOTHING;
		return false;
	}
	/* Once there is a port, it does not matter what else of the host could not be read. */
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

bool mad_listing_begin(struct mad_listing *mad, const struct ctx *ctx, const struct mad_args *args,
		       const struct schema *schema, bool all_columns, bool ethernet)
{
	const struct number *timeout = &ctx->globals.timeout;
	const struct mad_session_options options = {
		.mkey = args->mkey,
		.qkey = args->qkey,
		.kind = mad_forced_kind(args),
		.timeout_msec = timeout->known ? (unsigned int)timeout->value : 0,
		.window = (unsigned int)args->window.value,
		.retries = args->retries,
		.sl = args->service_level,
		.pkey_index = (uint16_t)args->pkey_index.value,
		.ethernet = ethernet,
		.input = stdin,
	};
	const struct mad_port *port = &mad->session.port;

	mad->session = (struct mad_session){.signals = SIGNALS_NONE};
	if (!listing_begin_as(&mad->listing, ctx, schema, all_columns) ||
	    !mad_listing_take(mad,
			      mad_session_begin(&mad->session, &options, &mad->listing.problems)) ||
	    listing_refuses_root(&mad->listing, "a saved tree answers no management datagrams") ||
	    !choose_port(mad, args->via) || !open_port(mad))
		return false;
	if (ctx->globals.verbose) {
		_cleanup_(freep) char *note = mem_format("by port %s/%u, LID %u", port->device,
							 port->port, port->lid);

		problem_add_text(&mad->listing.notes, NULL, NULL, NULL, note, NULL);
	}
	return true;
}

enum target_kind mad_forced_kind(const struct mad_args *args)
{
	return args->lid      ? TARGET_LID
	       : args->guid   ? TARGET_GUID
	       : args->gid    ? TARGET_GID
	       : args->direct ? TARGET_DIRECT
			      : TARGET_ANY;
}

bool mad_listing_find(struct mad_listing *mad, char *const *words)
{
	return mad_listing_take(mad, mad_session_find(&mad->session, words));
}

bool mad_listing_find_all(struct mad_listing *mad, char *const *words)
{
	return mad_listing_take(mad, mad_session_find_all(&mad->session, words));
}

bool mad_listing_find_by_lid(struct mad_listing *mad, char *const *words)
{
	return mad_listing_take(mad, mad_session_find_by_lid(&mad->session, words));
}

bool mad_listing_find_lid(struct mad_listing *mad, uint16_t lid)
{
	return mad_listing_take(mad, mad_session_find_lid(&mad->session, lid));
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
		listing_fail(&mad->listing, STATUS_USAGE, message, hint);
		return false;
	}
	return true;
}

int mad_listing_end(struct mad_listing *mad)
{
	return mad_listing_end_quietly(mad, listing_print(&mad->listing));
}

/* Prints first, because closing a port with requests under way may take a while. */
int mad_listing_end_quietly(struct mad_listing *mad, int rc)
{
	int status = listing_end_quietly(&mad->listing, rc);

	mad_session_end(&mad->session);
	return status;
}
