/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"

/* Signals that end a session; the caller still prints what has been gathered. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, 0};

/* `message` may quote words from outside. */
static void report(struct mad_session *session, const char *message, const char *hint)
{
	_cleanup_(freep) char *clean = text_clean(message, strlen(message));

	problem_add_text(session->problems, NULL, NULL, NULL, clean, hint);
}

bool mad_session_stopped(struct mad_session *session)
{
	if (!session->stopped && signals_take(&session->signals))
		session->stopped = true;
	return session->stopped;
}

static bool is_stopped(void *context)
{
	return mad_session_stopped(context);
}

static int parse_key(struct mad_session *session, const char *option, const char *text,
		     uint64_t most, uint64_t *ret_key)
{
	_cleanup_(freep) char *message = NULL, *clean = NULL;

	if (!text || !text_parse_u64(text, 0, most, ret_key))
		return 0;
	clean = text_clean(text, strlen(text));
	message = mem_format("--%s: '%s' is no key: a number up to 0x%llx", option, clean,
			     (unsigned long long)most);
	report(session, message, NULL);
	return -EINVAL;
}

int mad_session_begin(struct mad_session *session, const struct mad_session_options *options,
		      struct problems *problems)
{
	uint64_t qkey = UMAD_QKEY;

	*session = (struct mad_session){
		.options = *options,
		.problems = problems,
		.signals = SIGNALS_NONE,
	};
	if (parse_key(session, "mkey", options->mkey, UINT64_MAX, &session->key) ||
	    parse_key(session, "qkey", options->qkey, UINT32_MAX, &qkey))
		return -EINVAL;
	session->qkey = (uint32_t)qkey;
	/* Before the engine opens, because the threads of its transport must not get the signals.
	 */
	signals_catch(&session->signals, ends);
	return 0;
}

int mad_session_choose_port(struct mad_session *session, const struct inventory *inventory)
{
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = mad_port_choose(inventory, session->options.ethernet, &session->port, &reason,
				 &hint);

	if (rc) {
		report(session, reason, hint);
		return rc;
	}
	session->route = (struct mad_route){
		.lid = session->port.lid,
		.sm_lid = session->port.sm_lid,
		.sm_sl = session->port.sm_sl,
		.subnet_manager = session->port.subnet_manager,
		.pkey_index = session->options.pkey_index,
		.gid = session->port.gid,
	};
	return 0;
}

int mad_session_open(struct mad_session *session)
{
	const struct mad_engine_options options = {
		.window = session->options.window,
		.timeout_msec = session->options.timeout_msec,
		.retries_given = session->options.retries.known,
		.retries = (unsigned int)session->options.retries.value,
		.stopped = is_stopped,
		.context = session,
	};
	const struct mad_port *port = &session->port;
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = mad_open(port->device, port->port, port->smi_device, port->smi_port, &options,
			  &session->engine);

	if (rc) {
		mad_port_explain(port, rc, &reason, &hint);
		report(session, reason, hint);
	}
	return rc;
}

char *mad_kind_complaint(enum target_kind kind)
{
	static const char *const names[] = {
		[TARGET_LID] = "lid",
		[TARGET_GUID] = "guid",
		[TARGET_GID] = "gid",
		[TARGET_DIRECT] = "direct",
	};

	return kind == TARGET_ANY ? NULL : mem_format("--%s needs a destination", names[kind]);
}

static int add_destination(struct mad_session *session, const char *name, char *const *words)
{
	struct mad_target target;
	_cleanup_(freep) char *message = NULL, *clean = text_clean(name, strlen(name));
	struct mad_destination *destination;
	int rc = mad_target_parse(name, session->options.kind, &target);

	if (rc) {
		message = rc == -ERANGE ? mem_format("'%s' is out of range: LIDs are 1 to 49151, "
						     "routes have ports up to 255 and 63 hops",
						     clean)
					: mem_format("'%s' is not a destination", clean);
		report(session, message,
		       "a LID (5), a port GUID (0x0002c90300001234), a GID, or a directed route "
		       "(0,1,3)");
		return -EINVAL;
	}
	destination = mem_append(&session->destinations, &session->destination_count,
				 sizeof(*destination));
	*destination = (struct mad_destination){.name = mad_target_text(&target)};
	destination->place.target = target;
	for (; *words; words++)
		*(char **)mem_append(&destination->words, &destination->word_count,
				     sizeof(char *)) = mem_string(*words);
	return 0;
}

/* Commas separate destinations, except in a directed route, where they separate its ports. */
static int add_destinations(struct mad_session *session, const char *list, char *const *words)
{
	_cleanup_(freep) char *copy = mem_string(list);
	const enum target_kind kind = session->options.kind;
	char *rest = copy, *name;
	int rc = 0;

	if (kind == TARGET_DIRECT ||
	    (kind == TARGET_ANY && list[0] == '0' && (list[1] == ',' || !list[1])))
		return add_destination(session, list, words);
	while (!rc && (name = strsep(&rest, ",")))
		rc = add_destination(session, name, words);
	return rc;
}

static int read_line(struct mad_session *session, char *line)
{
	_cleanup_(freep) char **words = NULL;
	char *rest = line, *word;
	size_t count = 0;

	while ((word = strsep(&rest, " \t\n")))
		if (*word)
			*(char **)mem_append(&words, &count, sizeof(*words)) = word;
	if (!count || words[0][0] == '#')
		return 0;
	*(char **)mem_append(&words, &count, sizeof(*words)) = NULL;
	return add_destinations(session, words[0], words + 1);
}

static int read_destinations(struct mad_session *session)
{
	_cleanup_(freep) char *line = NULL;
	size_t size = 0;
	int rc = 0;

	while (!rc && getline(&line, &size, session->options.input) >= 0)
		rc = read_line(session, line);
	return rc;
}

static void explain_place(struct mad_session *session, const struct mad_destination *destination)
{
	struct problems *problems = session->problems;
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

/* Looks up all LIDs at once. Destinations that are not found leave the list. */
static int look_up(struct mad_session *session)
{
	size_t count = session->destination_count, left = 0;
	_cleanup_(freep) struct mad_place *places = mem_alloc_zero(count, sizeof(*places));

	for (size_t i = 0; i < count; i++)
		places[i] = session->destinations[i].place;
	mad_find_places(session->engine, &session->route, places, count);
	for (size_t i = 0; i < count; i++) {
		struct mad_destination *destination = &session->destinations[i];

		destination->place = places[i];
		if (session->options.sl.known)
			destination->place.address.sl = (uint8_t)session->options.sl.value;
		destination->place.address.qkey = session->qkey;
		if (!destination->place.error) {
			session->destinations[left++] = *destination;
			continue;
		}
		explain_place(session, destination);
		free_destination(destination);
	}
	session->destination_count = left;
	return left ? 0 : -EHOSTUNREACH;
}

/* The options --lid, --guid, --gid and --direct need a destination. */
static int check_unnamed(struct mad_session *session)
{
	_cleanup_(freep) char *complaint = mad_kind_complaint(session->options.kind);

	if (!complaint)
		return 0;
	report(session, complaint, NULL);
	return -EINVAL;
}

int mad_session_find(struct mad_session *session, char *const *words)
{
	char *const none[] = {NULL};
	int rc;

	if (!words[0]) {
		rc = check_unnamed(session);
		if (!rc)
			rc = add_destination(session, "0", none);
	} else if (!strcmp(words[0], "-")) {
		rc = read_destinations(session);
	} else {
		rc = add_destinations(session, words[0], words + 1);
	}
	if (rc)
		return rc;
	if (!session->destination_count) {
		report(session, "no destination on standard input", NULL);
		return -EINVAL;
	}
	return look_up(session);
}

int mad_session_find_all(struct mad_session *session, char *const *words)
{
	char *const none[] = {NULL};

	for (; *words; words++) {
		int rc = add_destinations(session, *words, none);

		if (rc)
			return rc;
	}
	return look_up(session);
}

int mad_session_find_lid(struct mad_session *session, uint16_t lid)
{
	_cleanup_(freep) char *name = mem_format("%u", lid);
	char *words[] = {name, NULL};
	int rc = check_unnamed(session);

	return rc ? rc : mad_session_find(session, words);
}

int mad_session_find_by_lid(struct mad_session *session, char *const *words)
{
	if (words[0])
		return mad_session_find(session, words);
	if (session->port.lid)
		return mad_session_find_lid(session, session->port.lid);
	report(session, "the port has no LID: no subnet manager has configured it",
	       "rdmactl ports shows its state");
	return -EADDRNOTAVAIL;
}

int mad_session_refuse_words(struct mad_session *session)
{
	for (size_t i = 0; i < session->destination_count; i++) {
		const struct mad_destination *destination = &session->destinations[i];
		_cleanup_(freep) char *clean = NULL, *message = NULL;

		if (!destination->word_count)
			continue;
		clean = text_clean(destination->words[0], strlen(destination->words[0]));
		message = mem_format("unexpected argument '%s' after the destination", clean);
		report(session, message, "separate several destinations by commas: 2,4");
		return -EINVAL;
	}
	return 0;
}

bool mad_session_wait(struct mad_session *session, uint64_t end_msec)
{
	while (!mad_session_stopped(session) && clock_msec_until(end_msec))
		signals_wait(&session->signals, end_msec);
	return !session->stopped;
}

static const char *timeout_hint(bool smp)
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
		hint = hint ? hint : timeout_hint(smp);
	else if (item->error)
		hint = NULL;
	problem_add_text(session->problems, destination->name, what, smp ? "smp" : "gmp", text,
			 hint);
	return false;
}

bool mad_session_check(struct mad_session *session, const struct mad_destination *destination,
		       const char *what, const struct mad_item *item)
{
	return mad_session_check_hint(session, destination, what, item, NULL);
}

void mad_session_end(struct mad_session *session)
{
	mad_engine_free(session->engine);
	for (size_t i = 0; i < session->destination_count; i++)
		free_destination(&session->destinations[i]);
	free(session->destinations);
	mad_port_clear(&session->port);
	/* A signal that came meanwhile must not kill the program, because its work is done. */
	mad_session_stopped(session);
	signals_release(&session->signals);
}
