/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes an attribute of one node: reads it, shows what would change, asks, writes, compares. */
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/smp/smp_run.h"

struct run {
	struct mad_listing mad;
	const struct smp_args *args;
	struct smp_change change;
};

static bool confirm(struct run *run)
{
	const char *name = run->mad.session.destinations[0].name;
	_cleanup_(freep) char *place = run->change.port
					       ? mem_format("%s port %u", name, run->change.port)
					       : mem_string(name);

	return mad_change_confirm(&run->mad.listing, &run->change, place, run->args->yes);
}

/* Whether a Set of this attribute changes fields of a single record. */
static bool may_set(struct run *run)
{
	const struct mad_attribute *attribute = run->change.attribute;
	struct listing *listing = &run->mad.listing;

	if (!smp_is_record(attribute))
		return listing_fail_format(listing, STATUS_USAGE,
					   "opensm writes tables from its configuration",
					   "--set changes fields of one record, but %s is a table",
					   attribute->word);
	/* 14.4.1: SubnSet(SMInfo) is a command, which the modifier names; it changes no field. */
	if (attribute->id == UMAD_SM_ATTR_SM_INFO)
		return listing_fail(
			listing, STATUS_USAGE,
			"--set cannot change a subnet manager: writing SMInfo sends it a command, "
			"and changes no field",
			"rdmactl smp sminfo DEST --command handover sends such commands");
	return true;
}

static bool choose_one(struct run *run)
{
	const struct mad_destination *at = &run->mad.session.destinations[0];
	struct listing *listing = &run->mad.listing;
	uint64_t port = 0;

	if (!may_set(run))
		return false;
	if (run->mad.session.destination_count != 1 || at->word_count > 1 || run->args->all_ports)
		return listing_fail(listing, STATUS_USAGE,
				    "--set changes one attribute of one port of one node", NULL);
	if (!smp_words_fit(listing, run->args, run->change.attribute, at))
		return false;
	if (at->word_count && text_parse_u64(at->words[0], 0, 255, &port))
		return listing_fail(listing, STATUS_USAGE, "the port is not a number", NULL);
	run->change.port = (uint32_t)port;
	return true;
}

/* The port that was changed: 0 of an adapter or a router is the port that answers, 14.2.5.6. */
static struct number changed_port(const struct smp_change *change)
{
	struct mad_session *session = change->session;
	unsigned char info[MAD_DATA_MOST];

	if (change->port || change->attribute->modifier != MODIFIER_PORT)
		return number_of(change->port);
	if (!mad_session_get(session, session->destinations, UMAD_SM_ATTR_NODE_INFO, 0,
			     session->key, info))
		return (struct number){.known = false};
	return number_of(node_info_type(info) == NODE_TYPE_SWITCH ? 0 : node_info_local_port(info));
}

/* Reads what the row says about the node before the write, which may move it to another LID. */
static void describe(struct run *run)
{
	struct smp_change *change = &run->change;
	struct mad_session *session = change->session;

	if (columns_needs(&run->mad.listing.columns) & MAD_NEED_NODE)
		change->after.node = mad_session_describe(session, session->destinations,
							  session->key);
	change->after.object = mem_string(session->destinations[0].name);
	change->after.port = changed_port(change);
	change->after.lid = mad_place_lid(&session->destinations[0].place);
}

static void work(struct run *run)
{
	struct smp_change *change = &run->change;
	struct listing *listing = &run->mad.listing;
	const int status = listing->status;
	size_t problems;

	if (!choose_one(run))
		return;
	listing->status = STATUS_FAILED;
	if (!smp_change_read(change))
		return;
	if (!mad_change_put(listing, change))
		return;
	problems = listing->problems.count;
	if (!run->args->force && smp_change_cuts_path(change)) {
		listing_fail(listing, STATUS_FAILED,
			     "not changed: the path to the node goes through this port, and may be "
			     "lost for good",
			     "--force changes it anyway");
		return;
	}
	if (listing->problems.count > problems || !confirm(run))
		return;
	describe(run);
	if (mad_listing_interrupted(&run->mad, "interrupted: nothing was changed") ||
	    !smp_change_write(change))
		return;
	listing->status = status;
	listing_add(listing, &change->after);
}

int smp_set(const struct ctx *ctx, const struct smp_args *args,
	    const struct mad_attribute *attribute, char **words)
{
	struct run run = {
		.args = args,
		.change = {.session = &run.mad.session, .attribute = attribute},
	};
	struct smp_change *change = &run.change;
	int status;

	if (smp_begin(&run.mad, ctx, args, attribute, attribute->schema, words) &&
	    mad_change_find(&run.mad.listing, change, args->set))
		work(&run);
	status = mad_listing_end(&run.mad);
	smp_change_clear(change);
	return status;
}
