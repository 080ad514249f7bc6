/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl smp sminfo --command: what one subnet manager tells another with SubnSet(SMInfo), by the
 * attribute modifier (14.4.1). The data are the SMInfo of the sender, which must be the master or,
 * for an acknowledgement, a standby. So the command carries the master's own SMInfo: from then on
 * the receiving manager watches the port in it (osm_sminfo_rcv.c and osm_sm_state_mgr.c of opensm).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/smp/smp_run.h"
#include "mad/format/header.h"

#define COMMAND_POLL_MSEC 100u
#define COMMAND_MOST_MSEC 5000u

const struct enum_name smp_command_names[] = {
	{1, "handover", .help = "a standby becomes the master"},
	{2, "acknowledge", .help = "the master learns that its handover was accepted"},
	{3, "disable", .help = "a standby stops working"},
	{4, "standby", .help = "a stopped manager becomes a standby"},
	{5, "discover", .help = "a standby looks for other managers again"},
	{0, NULL},
};

enum sm_command { SM_HANDOVER = 1, SM_ACKNOWLEDGE, SM_DISABLE, SM_GO_STANDBY, SM_DISCOVER };

struct run {
	struct mad_listing mad;
	const struct smp_args *args;
	const struct mad_attribute *attribute;
	struct mad_record record;
};

static bool call(struct run *run, const struct mad_place *place, uint8_t method, uint32_t modifier,
		 const unsigned char *data, struct mad_item *item)
{
	struct mad_session *session = &run->mad.session;

	*item = (struct mad_item){.error = 0};
	mad_smp_request(place, method, run->attribute->id, modifier, &item->request);
	item->request.key = session->key;
	item->request.data = data;
	item->request.data_bytes = data ? SM_INFO_BYTES : 0;
	mad_gather(session->engine, item, 1);
	return !item->error && !item->status;
}

/* The SMInfo of the sender: that of the master if one answers, else one with our port. */
static void make_sender(struct run *run, unsigned char *info)
{
	struct mad_session *session = &run->mad.session;
	const struct mad_place master = {
		.target = {.kind = TARGET_LID, .lid = session->port.route.sm_lid},
		.address = {.lid = session->port.route.sm_lid},
	};
	struct mad_item item;

	if (session->port.route.subnet_manager &&
	    call(run, &master, UMAD_METHOD_GET, 0, NULL, &item))
		memcpy(info, item.data, SM_INFO_BYTES);
	else
		sm_info_set_port_guid(info, gid_interface_id(&session->port.route.gid));
	sm_info_set_state(info,
			  run->args->command.value == SM_ACKNOWLEDGE ? SM_STANDBY : SM_MASTER);
}

static const char *state_word(unsigned int state)
{
	return enum_word(sm_state_names, state, "unknown");
}

static bool confirm(struct run *run)
{
	const char *name = run->mad.session.destinations[0].name;
	const char *word = enum_word(smp_command_names, run->args->command.value, NULL);

	fprintf(stderr, "%s to the subnet manager at %s, which is %s\n", word, name,
		state_word(sm_info_state(run->record.data)));
	return run->args->yes ||
	       listing_confirm(&run->mad.listing, "send it?",
			       "nothing was sent: there is no terminal to confirm it on",
			       "--yes sends it without asking", "nothing was sent");
}

/*
 * Whether the state is one that the command leads to. A manager that has finished discovering goes
 * on to another state, so any state will do.
 */
static bool has_followed(unsigned int command, unsigned int before, unsigned int now)
{
	switch (command) {
	case SM_HANDOVER:
		return now == SM_MASTER;
	case SM_DISABLE:
		return now == SM_NOT_ACTIVE;
	case SM_GO_STANDBY:
		return now != before;
	default:
		return true;
	}
}

static void report_failed(struct run *run, const struct mad_item *item)
{
	struct mad_session *session = &run->mad.session;
	_cleanup_(freep) char *failure = mad_failure_text(item->request.mgmt_class, item->error,
							  item->status, item->tries);

	/* The state is the one that was read before: a refusal need not contain one. */
	if (item->error)
		problem_add_format(session->problems, session->destinations[0].name, NULL, NULL,
				   "rdmactl smp sminfo shows its state",
				   item->tries ? "it is unknown whether the subnet manager "
						 "accepted the command: %s"
					       : "the command was not sent: %s",
				   failure);
	else
		problem_add_format(
			session->problems, session->destinations[0].name, NULL, NULL,
			"handover, disable and discover are for a standby, standby is for a "
			"manager that is not active, acknowledge for a master",
			"the command was %s; the subnet manager was %s before", failure,
			state_word(sm_info_state(run->record.data)));
}

/* Reads the state until the command has taken effect. */
static void watch(struct run *run, unsigned int before)
{
	struct mad_session *session = &run->mad.session;
	const unsigned int command = (unsigned int)run->args->command.value;
	const uint64_t end = clock_msec() + COMMAND_MOST_MSEC;
	struct mad_item item;

	for (;;) {
		/* Before the request: this process may be suspended after the answer. */
		const bool late = clock_msec() >= end;

		if (!call(run, &session->destinations[0].place, UMAD_METHOD_GET, 0, NULL, &item)) {
			mad_session_check(session, &session->destinations[0], run->attribute->name,
					  &item, NULL);
			return;
		}
		memcpy(run->record.data, item.data, SM_INFO_BYTES);
		if (has_followed(command, before, sm_info_state(run->record.data)))
			return;
		if (late || !mad_session_wait(session, clock_msec() + COMMAND_POLL_MSEC))
			break;
	}
	problem_add_format(session->problems, NULL, NULL, NULL,
			   "the log of the subnet manager may say why",
			   "%s: the subnet manager accepted the command, but is still %s",
			   session->destinations[0].name,
			   state_word(sm_info_state(run->record.data)));
}

static void work(struct run *run)
{
	struct mad_session *session = &run->mad.session;
	const struct mad_place *place = &session->destinations[0].place;
	struct listing *listing = &run->mad.listing;
	const int status = listing->status;
	unsigned char sender[SM_INFO_BYTES] = {0};
	struct mad_item item;
	unsigned int before;

	listing->status = STATUS_FAILED;
	if (!call(run, place, UMAD_METHOD_GET, 0, NULL, &item)) {
		mad_session_check(session, &session->destinations[0], run->attribute->name, &item,
				  "no subnet manager answers there");
		return;
	}
	memcpy(run->record.data, item.data, SM_INFO_BYTES);
	before = sm_info_state(item.data);
	if (!confirm(run))
		return;
	make_sender(run, sender);
	if (mad_listing_interrupted(&run->mad, "interrupted: nothing was sent"))
		return;
	if (!call(run, place, UMAD_METHOD_SET, (uint32_t)run->args->command.value, sender, &item)) {
		report_failed(run, &item);
		return;
	}
	listing->status = status;
	watch(run, before);
	run->record.object = mem_string(session->destinations[0].name);
	if (columns_needs(&listing->columns) & MAD_NEED_NODE)
		run->record.node = mad_session_describe(session, session->destinations,
							session->key);
	run->record.lid = mad_place_lid(place);
	listing_add(listing, &run->record);
}

int smp_send_command(const struct ctx *ctx, const struct smp_args *args,
		     const struct mad_attribute *attribute, char **words)
{
	struct run run = {.args = args, .attribute = attribute};
	int status;

	if (!words[0])
		return command_complain(
			ctx, "--command needs a subnet manager as its destination",
			"rdmactl sa sm lists them: give a LID, a port GUID or a route");
	if (smp_begin(&run.mad, ctx, args, attribute, attribute->schema, words) &&
	    !mad_listing_refuses_words(&run.mad)) {
		if (run.mad.session.destination_count == 1)
			work(&run);
		else
			listing_fail(&run.mad.listing, STATUS_USAGE,
				     "--command takes only one subnet manager", NULL);
	}
	status = mad_listing_end(&run.mad);
	mad_record_clear(&run.record);
	return status;
}
