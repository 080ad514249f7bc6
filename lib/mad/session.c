/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"

int session_report(struct mad_session *session, const char *hint, const char *format, ...)
{
	_cleanup_(freep) char *message = NULL, *clean = NULL;
	va_list arguments;

	va_start(arguments, format);
	message = mem_format_list(format, arguments);
	va_end(arguments);
	clean = text_clean(message, strlen(message));
	problem_add_text(session->problems, NULL, NULL, NULL, clean, hint);
	return -EINVAL;
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
	if (!text || !text_parse_u64(text, 0, most, ret_key))
		return 0;
	return session_report(session, NULL, "--%s: '%s' is not a number up to 0x%llx", option,
			      text, (unsigned long long)most);
}

void mad_session_catch(struct signals *signals)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, 0};

	signals_catch(signals, ends);
}

int mad_session_begin(struct mad_session *session, const struct mad_session_options *options,
		      struct problems *problems)
{
	uint64_t qkey = UMAD_QKEY;

	*session = (struct mad_session){
		.options = *options,
		.problems = problems,
		.signals = SIGNALS_NONE,
		.key = options->default_mkey,
	};
	if (parse_key(session, "mkey", options->mkey, UINT64_MAX, &session->key) ||
	    parse_key(session, "qkey", options->qkey, UINT32_MAX, &qkey))
		return -EINVAL;
	session->qkey = (uint32_t)qkey;
	/* Before the engine opens: the threads of its transport must not get the signals. */
	mad_session_catch(&session->signals);
	return 0;
}

void mad_session_begin_read(struct mad_session *session)
{
	signals_release(&session->signals);
}

/* Without an engine the signals were not caught before. */
void mad_session_end_read(struct mad_session *session)
{
	if (session->engine)
		mad_session_catch(&session->signals);
}

int mad_session_choose_port(struct mad_session *session, const struct inventory *inventory)
{
	_cleanup_(freep) char *reason = NULL, *hint = NULL;
	int rc = mad_port_choose(inventory, session->options.ethernet, &session->port, &reason,
				 &hint);

	if (rc) {
		session_report(session, hint, "%s", reason);
		return rc;
	}
	session->port.route.pkey_index = session->options.pkey_index;
	session->port.route.sm_key = session->options.sm_key;
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
		session_report(session, hint, "%s", reason);
	}
	return rc;
}

bool mad_session_wait(struct mad_session *session, uint64_t end_msec)
{
	while (!mad_session_stopped(session) && clock_msec_until(end_msec))
		signals_wait(&session->signals, end_msec);
	return !session->stopped;
}

bool mad_destination_is_named_lid(const struct mad_destination *destination)
{
	return destination->place.target.kind == TARGET_LID;
}

const char *mad_smp_silence_hint(bool named_lid)
{
	return named_lid ? "no port has this LID, the node or the path to it is down, or it "
			   "answers only with its M_Key (--mkey); in a multi-plane (XDR) subnet, "
			   "give a directed route (-D 0,1,3)"
			 : "the node or the path to it is down, or it answers only with its "
			   "M_Key (--mkey)";
}

/* The caller's hint is for a refusal, and for silence, which has a default hint without it. */
static const char *hint_of(const struct mad_destination *destination, const struct mad_item *item,
			   const char *hint)
{
	const bool named_lid = mad_destination_is_named_lid(destination);

	if (item->error != -ETIMEDOUT)
		return item->error ? NULL : hint;
	if (hint)
		return hint;
	if (mad_class_is_smp(item->request.mgmt_class))
		return mad_smp_silence_hint(named_lid);
	return named_lid ? "no port has this LID, the node is down, or it has no agent of that "
			   "class: rdmactl mad classes DEST"
			 : "the node is down, or has no agent of that class: rdmactl mad classes "
			   "DEST";
}

bool mad_session_check(struct mad_session *session, const struct mad_destination *destination,
		       const char *what, const struct mad_item *item, const char *hint)
{
	const bool smp = mad_class_is_smp(item->request.mgmt_class);
	_cleanup_(freep) char *text = NULL;

	if (!item->error && !item->status)
		return true;
	text = mad_failure_text(item->request.mgmt_class, item->error, item->status, item->tries);
	problem_add_text(session->problems, destination->name, what, smp ? "smp" : "gmp", text,
			 hint_of(destination, item, hint));
	return false;
}

bool mad_session_check_set(struct mad_session *session, const struct mad_destination *destination,
			   const struct mad_item *item, const char *hint)
{
	const unsigned int mgmt_class = item->request.mgmt_class;
	_cleanup_(freep) char *failure = NULL;

	if (!item->error && !item->status)
		return true;
	failure = item->error ? mad_failure_text(mgmt_class, item->error, 0, item->tries)
			      : mad_status_text(mgmt_class, item->status);
	problem_add_format(session->problems, destination->name, NULL, NULL,
			   hint_of(destination, item, hint),
			   !item->error	 ? "not changed: the node refused it with status %s"
			   : item->tries ? "it is unknown whether the change took effect: %s"
					 : "not changed: %s",
			   failure);
	return false;
}

void mad_session_ask(const struct mad_session *session, const struct mad_destination *destination,
		     uint16_t attribute, uint32_t modifier, struct mad_item *item)
{
	mad_smp_request(&destination->place, UMAD_METHOD_GET, attribute, modifier, &item->request);
	item->request.key = session->key;
}

bool mad_session_get(struct mad_session *session, const struct mad_destination *destination,
		     uint16_t attribute, uint32_t modifier, uint64_t key,
		     unsigned char ret_data[static MAD_DATA_MOST])
{
	struct mad_item item = {.error = 0};

	mad_smp_request(&destination->place, UMAD_METHOD_GET, attribute, modifier, &item.request);
	item.request.key = key;
	mad_gather(session->engine, &item, 1);
	if (!mad_session_check(session, destination,
			       mad_attribute_name(UMAD_CLASS_SUBN_LID_ROUTED, attribute), &item,
			       NULL))
		return false;
	memcpy(ret_data, item.data, MAD_DATA_MOST);
	return true;
}

char *mad_session_describe(struct mad_session *session, const struct mad_destination *destination,
			   uint64_t key)
{
	unsigned char text[MAD_DATA_MOST];

	return mad_session_get(session, destination, UMAD_SM_ATTR_NODE_DESC, 0, key, text)
		       ? text_clean((const char *)text, NODE_DESCRIPTION_BYTES)
		       : NULL;
}

bool mad_session_interrupted(const struct mad_session *session, const struct mad_item *item)
{
	return item->error == -ECANCELED && session->stopped;
}

void mad_session_end(struct mad_session *session)
{
	mad_engine_free(session->engine);
	session_drop_destinations(session);
	node_names_clear(&session->names);
	mad_port_clear(&session->port);
	/* A signal that is still pending must not kill the program, because its work is done. */
	mad_session_stopped(session);
	signals_release(&session->signals);
}
