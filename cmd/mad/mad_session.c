/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/mad/mad_session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"
#include "mad/engine/engine.h"

/* Any args: they begin with these. */
struct any_args {
	struct mad_args mad;
};

const struct option_row mad_options[] = {
	MAD_OPTIONS(struct any_args),
	{.name = NULL},
};

const struct option_rule mad_rules[] = {
	MAD_RULES,
	{.options = NULL},
};

static bool is_stopped(void *context)
{
	struct mad_session *session = context;

	if (!session->stopped && signals_take(&session->signals))
		session->stopped = true;
	return session->stopped;
}

/* What was gathered is printed all the same when one of these ends it. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, 0};

static bool parse_key(struct mad_session *session, const char *option, const char *text,
		      uint64_t most, uint64_t *ret_key)
{
	_cleanup_(freep) char *message = NULL, *clean = NULL;

	if (!text || !text_parse_u64(text, 0, most, ret_key))
		return true;
	clean = text_clean(text, strlen(text));
	message = mem_format("--%s: '%s' is no key: a number up to 0x%llx", option, clean,
			     (unsigned long long)most);
	listing_fail(&session->listing, STATUS_USAGE, message, NULL);
	return false;
}

static bool parse_options(struct mad_session *session)
{
	const struct mad_args *args = session->args;
	uint64_t qkey = UMAD_QKEY;

	if (!parse_key(session, "mkey", args->mkey, UINT64_MAX, &session->key) ||
	    !parse_key(session, "qkey", args->qkey, UINT32_MAX, &qkey))
		return false;
	session->qkey = (uint32_t)qkey;
	return true;
}

static void fail(struct mad_session *session, int status, char *reason, char *hint)
{
	listing_fail(&session->listing, status, reason, hint);
	free(reason);
	free(hint);
}

static bool choose_port(struct mad_session *session, bool ethernet)
{
	struct listing *listing = &session->listing;
	char *words[] = {NULL, NULL}, *reason = NULL, *hint = NULL;
	_cleanup_(freep) char *via = session->args->via ? mem_string(session->args->via) : NULL;

	words[0] = via;
	if (objects_parse(&listing->objects, words, true, &reason)) {
		fail(session, STATUS_USAGE, reason, mem_string("rdmactl devices lists the names"));
		return false;
	}
	listing->request.needs = MAD_PORT_NEEDS;
	if (!listing_load(listing))
		return false;
	if (!mad_port_choose(&listing->inventory, ethernet, &session->port, &reason, &hint)) {
		/* What else could not be read of the host does not matter here. */
		problems_free(&listing->problems);
		return true;
	}
	fail(session, STATUS_NOTHING, reason, hint);
	return false;
}

static bool open_port(struct mad_session *session)
{
	const struct number *timeout = &session->listing.ctx->globals.timeout;
	const struct mad_engine_options options = {
		.window = (unsigned int)session->args->window.value,
		.timeout_msec = timeout->known ? (unsigned int)timeout->value : 0,
		.retries_given = session->args->retries.known,
		.retries = (unsigned int)session->args->retries.value,
		.stopped = is_stopped,
		.context = session,
	};
	const struct mad_port *port = &session->port;
	char *reason = NULL, *hint = NULL;
	int rc = mad_open(port->device, port->port, port->smi_device, port->smi_port, &options,
			  &session->engine);

	if (!rc)
		return true;
	mad_port_explain(port, rc, &reason, &hint);
	fail(session, rc == -EACCES || rc == -EPERM ? STATUS_FAILED : STATUS_NOTHING, reason, hint);
	return false;
}

bool mad_session_begin(struct mad_session *session, const struct ctx *ctx,
		       const struct mad_args *args, const struct schema *schema, bool all_columns,
		       bool ethernet)
{
	*session = (struct mad_session){.args = args, .signals = SIGNALS_NONE};
	if (!listing_begin_as(&session->listing, ctx, schema, all_columns) ||
	    !parse_options(session))
		return false;
	if (listing_refuses_root(&session->listing, "a saved tree answers no management datagrams"))
		return false;
	/* First: threads of what carries the datagrams are to leave the signals alone. */
	signals_catch(&session->signals, ends);
	if (!choose_port(session, ethernet) || !open_port(session))
		return false;
	session->route = (struct mad_route){
		.lid = session->port.lid,
		.sm_lid = session->port.sm_lid,
		.sm_sl = session->port.sm_sl,
		.subnet_manager = session->port.subnet_manager,
		.pkey_index = (uint16_t)args->pkey_index.value,
		.gid = session->port.gid,
	};
	if (ctx->globals.verbose) {
		_cleanup_(freep) char *note = mem_format("by port %s/%u, LID %u",
							 session->port.device, session->port.port,
							 session->port.lid);

		problem_add_text(&session->listing.notes, NULL, NULL, NULL, note, NULL);
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

char *mad_kind_complaint(const struct mad_args *args)
{
	if (!mad_forced_kind(args))
		return NULL;
	return mem_format("--%s needs a destination", args->lid	   ? "lid"
						      : args->guid ? "guid"
						      : args->gid  ? "gid"
								   : "direct");
}

static bool add_destination(struct mad_session *session, const char *name, char *const *words)
{
	struct mad_target target;
	_cleanup_(freep) char *message = NULL, *clean = text_clean(name, strlen(name));
	struct mad_destination *destination;
	int rc = mad_target_parse(name, mad_forced_kind(session->args), &target);

	if (rc) {
		message = rc == -ERANGE ? mem_format("'%s' is out of range: LIDs are 1 to 49151, "
						     "routes have ports up to 255 and 63 hops",
						     clean)
					: mem_format("'%s' is not a destination", clean);
		listing_fail(&session->listing, STATUS_USAGE, message,
			     "a LID (5), a port GUID (0x0002c90300001234), a GID, or a directed "
			     "route (0,1,3)");
		return false;
	}
	destination = mem_append(&session->destinations, &session->destination_count,
				 sizeof(*destination));
	*destination = (struct mad_destination){.name = mad_target_text(&target)};
	destination->place.target = target;
	for (; *words; words++)
		*(char **)mem_append(&destination->words, &destination->word_count,
				     sizeof(char *)) = mem_string(*words);
	return true;
}

/* Several with commas between, except a directed route, which has them itself. */
static bool add_destinations(struct mad_session *session, const char *list, char *const *words)
{
	_cleanup_(freep) char *copy = mem_string(list);
	char *rest = copy, *name;

	if (session->args->direct ||
	    (!mad_forced_kind(session->args) && list[0] == '0' && (list[1] == ',' || !list[1])))
		return add_destination(session, list, words);
	while ((name = strsep(&rest, ",")))
		if (!add_destination(session, name, words))
			return false;
	return true;
}

static bool read_line(struct mad_session *session, char *line)
{
	_cleanup_(freep) char **words = NULL;
	char *rest = line, *word;
	size_t count = 0;

	while ((word = strsep(&rest, " \t\n")))
		if (*word)
			*(char **)mem_append(&words, &count, sizeof(*words)) = word;
	if (!count || words[0][0] == '#')
		return true;
	*(char **)mem_append(&words, &count, sizeof(*words)) = NULL;
	return add_destinations(session, words[0], words + 1);
}

static bool read_destinations(struct mad_session *session)
{
	_cleanup_(freep) char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) >= 0)
		if (!read_line(session, line))
			return false;
	return true;
}

static void explain_place(struct mad_session *session, const struct mad_destination *destination)
{
	struct problems *problems = &session->listing.problems;
	int error = destination->place.error;

	if (error == -ENODATA)
		problem_add_text(
			problems, destination->name, NULL, "sa",
			"its LID is not known, and the port knows no subnet manager to ask",
			"start a subnet manager, or use a directed route (-D 0,1,3)");
	else if (error == -ENXIO)
		problem_add_text(problems, destination->name, NULL, "sa",
				 "the subnet administrator knows no path to it",
				 "see whether it is a port GUID, and up: rdmactl sa ports");
	else
		problem_add_text(problems, destination->name, NULL, "sa",
				 error == -ETIMEDOUT ? "the subnet administrator did not answer"
						     : strerror(-error),
				 "rdmactl smp sminfo shows whether the subnet manager is alive");
}

static void free_destination(struct mad_destination *destination)
{
	for (size_t i = 0; i < destination->word_count; i++)
		free(destination->words[i]);
	free(destination->words);
	free(destination->name);
}

/* All places at once; those that are not found leave the list. */
static bool look_up(struct mad_session *session)
{
	size_t count = session->destination_count, left = 0;
	_cleanup_(freep) struct mad_place *places = mem_alloc_zero(count, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		places[i] = session->destinations[i].place;
	mad_find_places(session->engine, &session->route, places, count);
	for (size_t i = 0; i < count; i++) {
		struct mad_destination *destination = &session->destinations[i];

		destination->place = places[i];
		if (session->args->service_level.known)
			destination->place.address.sl = (uint8_t)session->args->service_level.value;
		destination->place.address.qkey = session->qkey;
		if (!destination->place.error) {
			session->destinations[left++] = *destination;
			continue;
		}
		explain_place(session, destination);
		free_destination(destination);
	}
	session->destination_count = left;
	if (!left)
		session->listing.status = STATUS_FAILED;
	return left;
}

/* --lid, --guid, --gid and --direct need a destination. */
static bool may_be_unnamed(struct mad_session *session)
{
	_cleanup_(freep) char *complaint = mad_kind_complaint(session->args);

	if (complaint)
		listing_fail(&session->listing, STATUS_USAGE, complaint, NULL);
	return !complaint;
}

bool mad_session_find(struct mad_session *session, char *const *words)
{
	char *const none[] = {NULL};
	bool done;

	if (!words[0])
		done = may_be_unnamed(session) && add_destination(session, "0", none);
	else if (!strcmp(words[0], "-"))
		done = read_destinations(session);
	else
		done = add_destinations(session, words[0], words + 1);
	if (done && !session->destination_count)
		listing_fail(&session->listing, STATUS_USAGE, "no destination on standard input",
			     NULL);
	return done && session->destination_count && look_up(session);
}

bool mad_session_find_all(struct mad_session *session, char *const *words)
{
	char *const none[] = {NULL};

	for (; *words; words++)
		if (!add_destinations(session, *words, none))
			return false;
	return session->destination_count && look_up(session);
}

bool mad_session_refuses_words(struct mad_session *session)
{
	for (size_t i = 0; i < session->destination_count; i++) {
		const struct mad_destination *destination = &session->destinations[i];
		_cleanup_(freep) char *clean = NULL, *message = NULL;

		if (!destination->word_count)
			continue;
		clean = text_clean(destination->words[0], strlen(destination->words[0]));
		message = mem_format("unexpected argument '%s' after the destination", clean);
		listing_fail(&session->listing, STATUS_USAGE, message,
			     "separate several destinations by commas: 2,4");
		return true;
	}
	return false;
}

bool mad_session_find_lid(struct mad_session *session, uint16_t lid)
{
	_cleanup_(freep) char *name = mem_format("%u", lid);
	char *words[] = {name, NULL};

	return may_be_unnamed(session) && mad_session_find(session, words);
}

bool mad_session_find_by_lid(struct mad_session *session, char *const *words)
{
	if (words[0])
		return mad_session_find(session, words);
	if (!session->port.lid) {
		listing_fail(&session->listing, STATUS_FAILED,
			     "the port has no LID: no subnet manager has configured it",
			     "rdmactl ports shows its state");
		return false;
	}
	return mad_session_find_lid(session, session->port.lid);
}

bool mad_session_stopped(struct mad_session *session)
{
	return is_stopped(session);
}

bool mad_session_wait(struct mad_session *session, uint64_t end_msec)
{
	while (!is_stopped(session) && clock_msec_until(end_msec))
		signals_wait(&session->signals, end_msec);
	return !session->stopped;
}

static const char *silence_hint(bool smp)
{
	return smp ? "the node or the path to it is down, or it answers only with its M_Key "
		     "(--mkey)"
		   : "the node is down, or has no agent of that class: rdmactl mad classes";
}

bool mad_session_check_hint(struct mad_session *session, const struct mad_destination *destination,
			    const char *what, const struct mad_item *item, const char *hint)
{
	const bool smp = mad_class_is_smp(item->request.mgmt_class);
	_cleanup_(freep) char *text = NULL;

	if (!item->error && !item->status)
		return true;
	text = mad_failure_text(item->request.mgmt_class, item->error, item->status, item->tries);
	if (item->error == -ETIMEDOUT)
		hint = hint ? hint : silence_hint(smp);
	else if (item->error)
		hint = NULL;
	problem_add_text(&session->listing.problems, destination->name, what, smp ? "smp" : "gmp",
			 text, hint);
	return false;
}

bool mad_session_check(struct mad_session *session, const struct mad_destination *destination,
		       const char *what, const struct mad_item *item)
{
	return mad_session_check_hint(session, destination, what, item, NULL);
}

/* Takes what came meanwhile: all is said and done. */
static void release_signals(struct mad_session *session)
{
	mad_session_stopped(session);
	signals_release(&session->signals);
}

static void release(struct mad_session *session)
{
	mad_engine_free(session->engine);
	for (size_t i = 0; i < session->destination_count; i++)
		free_destination(&session->destinations[i]);
	free(session->destinations);
	mad_port_clear(&session->port);
}

/* Prints first: to close a port with requests under way may take a while. */
int mad_session_end(struct mad_session *session)
{
	int status = listing_end(&session->listing);

	release(session);
	release_signals(session);
	return status;
}

int mad_session_end_quietly(struct mad_session *session, int rc)
{
	int status = listing_end_quietly(&session->listing, rc);

	release(session);
	release_signals(session);
	return status;
}
