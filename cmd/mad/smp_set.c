/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes an attribute of one node: reads it, shows what would change, asks, writes, compares. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/smp_plan.h"
#include "cmd/mad/smp_run.h"

/* A field to change. */
struct change {
	const struct field *field;
	char *key, *text;
};

struct smp_change {
	struct mad_listing mad;
	const struct smp_args *args;
	const struct mad_attribute *attribute;
	struct change *changes;
	size_t change_count;
	uint32_t port;
	struct mad_record before, after;
};

static void complain(struct smp_change *change, const char *hint, char *message)
{
	listing_fail(&change->mad.listing, STATUS_USAGE, message, hint);
	free(message);
}

/* FIELD=VALUE,...: a piece without = belongs to the value before it, which is a list of flags. */
static bool split(struct smp_change *change)
{
	_cleanup_(freep) char *copy = mem_string(change->args->set);
	char *rest = copy, *piece;

	while ((piece = strsep(&rest, ","))) {
		char *equals = strchr(piece, '=');
		struct change *last;

		if (!equals && change->change_count) {
			char *longer;

			last = &change->changes[change->change_count - 1];
			longer = mem_format("%s,%s", last->text, piece);
			free(last->text);
			last->text = longer;
			continue;
		}
		if (!equals) {
			complain(change, "rdmactl smp ATTRIBUTE --help lists the fields",
				 mem_string("--set takes FIELD=VALUE"));
			return false;
		}
		last = mem_append(&change->changes, &change->change_count, sizeof(*last));
		*equals = '\0';
		*last = (struct change){.key = mem_string(piece), .text = mem_string(equals + 1)};
	}
	return true;
}

static bool find_field(struct smp_change *change, struct change *one)
{
	_cleanup_(freep) char *command = NULL;
	char *message = NULL, *hint = NULL;

	one->field = schema_find(change->attribute->schema, one->key);
	if (one->field && one->field->width)
		return true;
	command = mem_format("rdmactl smp %s --help", change->attribute->word);
	listing_explain_column(command, change->attribute->schema, one->key, &message, &hint);
	complain(change, hint, mem_format("--set: %s", message));
	free(message);
	free(hint);
	return false;
}

static bool apply(struct smp_change *change, const struct change *one)
{
	_cleanup_(freep) char *clean = text_clean(one->text, strlen(one->text)), *hint = NULL;
	int rc = packed_parse(one->field, &change->after, one->text);

	if (!rc)
		return true;
	hint = listing_explain_value(one->field);
	complain(change, hint,
		 rc == -ERANGE
			 ? mem_format("--set: '%s' is out of range for %s", clean, one->field->key)
			 : mem_format("--set: '%s' is not a value of %s", clean, one->field->key));
	return false;
}

/* A refused Set has its own message; a failed Get does not. */
static bool check(struct smp_change *change, uint8_t method, const struct mad_item *item)
{
	const struct mad_destination *at = &change->mad.session.destinations[0];
	_cleanup_(freep) char *text = NULL;
	char word[MAD_STATUS_BYTES];

	if (method != UMAD_METHOD_SET || item->error || !item->status)
		return mad_session_check(&change->mad.session, at, change->attribute->name, item);
	mad_status_word(item->request.mgmt_class, item->status, word);
	text = mem_format("%s: not changed: the node refused it with status 0x%04x: %s", at->name,
			  item->status, word);
	listing_fail(&change->mad.listing, STATUS_FAILED, text, NULL);
	return false;
}

/* Sends one request and waits for its answer. Failures are reported. */
static bool call(struct smp_change *change, uint8_t method, uint16_t attribute, uint32_t modifier,
		 const unsigned char *data, unsigned char *ret_data)
{
	const struct mad_destination *at = &change->mad.session.destinations[0];
	struct mad_item item = {0};

	mad_smp_request(&at->place, method, attribute, modifier, &item.request);
	item.request.key = change->mad.session.key;
	item.request.data = data;
	item.request.data_bytes = data ? change->attribute->bytes : 0;
	mad_gather(change->mad.session.engine, &item, 1);
	if (!check(change, method, &item)) {
		change->mad.listing.status = STATUS_FAILED;
		return false;
	}
	memcpy(ret_data, item.data, sizeof(item.data));
	return true;
}

/*
 * A Set with state 0 means "no change", 14.2.5.6. The states from a Get must not be written back,
 * because a port cannot be set to the state that it is in.
 */
static void keep_states(const struct smp_change *change, struct mad_record *record)
{
	static const char *const keys[] = {"state", "physical_state"};

	for (size_t i = 0; i < ARRAY_SIZE(keys) && change->attribute->id == UMAD_SM_ATTR_PORT_INFO;
	     i++) {
		const struct field *field = schema_find(change->attribute->schema, keys[i]);
		bool set = false;

		for (size_t j = 0; j < change->change_count; j++)
			set |= change->changes[j].field == field;
		if (!set)
			packed_parse(field, record, "0");
	}
}

/* Whether the change may take the port down. */
static bool is_risky(const struct smp_change *change)
{
	static const char *const harmless[] = {"mkey_lease_period_sec", "client_reregister",
					       "mkey_violations", "pkey_violations",
					       "qkey_violations"};

	if (change->attribute->id != UMAD_SM_ATTR_PORT_INFO)
		return false;
	for (size_t i = 0; i < change->change_count; i++) {
		bool found = false;

		for (size_t j = 0; j < ARRAY_SIZE(harmless); j++)
			found |= !strcmp(change->changes[i].key, harmless[j]);
		if (!found)
			return true;
	}
	return false;
}

/*
 * Whether requests arrive by the port, or answers leave by it. The latter port is in the switch's
 * forwarding table, at our LID, and need not be the same.
 */
static bool cuts_path(struct smp_change *change)
{
	const struct mad_listing *mad = &change->mad;
	bool direct = mad->session.destinations[0].place.target.kind == TARGET_DIRECT;
	unsigned char info[MAD_DATA_MOST], table[MAD_DATA_MOST];
	uint16_t lid = mad->session.port.lid;

	if (!is_risky(change) ||
	    !call(change, UMAD_METHOD_GET, UMAD_SM_ATTR_NODE_INFO, 0, NULL, info))
		return false;
	if (!change->port || node_info_local_port(info) == change->port)
		return true;
	if (direct || node_info_type(info) != NODE_TYPE_SWITCH)
		return false;
	return call(change, UMAD_METHOD_GET, UMAD_SM_ATTR_LINEAR_FT, lid / MAD_LINEAR_BLOCK, NULL,
		    table) &&
	       table[lid % MAD_LINEAR_BLOCK] == change->port;
}

static char *text_of(const struct field *field, const struct mad_record *record)
{
	struct value value;
	char *text;

	field_get(field, record, &value);
	switch (value.kind) {
	case VALUE_STRING:
		return mem_string(value.string);
	case VALUE_UNSIGNED:
		return mem_format("%llu", (unsigned long long)value.number);
	case VALUE_REAL:
		return mem_format("%g", value.real);
	case VALUE_BOOL:
		return mem_string(value.boolean ? "yes" : "no");
	case VALUE_LIST:
		text = mem_string("");
		for (size_t i = 0; i < value.list.count; i++) {
			char *longer = mem_format("%s%s%s", text, i ? "," : "",
						  value.list.items[i]);

			free(text);
			text = longer;
		}
		return text;
	default:
		return mem_string("-");
	}
}

static bool confirm(struct smp_change *change)
{
	const char *name = change->mad.session.destinations[0].name;
	_cleanup_(freep) char *place = change->port ? mem_format("%s port %u", name, change->port)
						    : mem_string(name);

	for (size_t i = 0; i < change->change_count; i++) {
		const struct field *field = change->changes[i].field;
		_cleanup_(freep) char *before = text_of(field, &change->before);
		_cleanup_(freep) char *after = text_of(field, &change->after);

		fprintf(stderr, "%s of %s: %s -> %s\n", field->key, place, before, after);
	}
	if (change->args->yes)
		return true;
	return mad_listing_confirm(&change->mad, "change it?",
				   "nothing was changed: there is no terminal to confirm it on",
				   "--yes changes it without asking", "nothing was changed");
}

/* A node may silently keep a field as it was. Its states may take time to change. */
static void report_kept(struct smp_change *change, const struct field *field,
			const struct mad_record *wanted)
{
	_cleanup_(freep) char *before = text_of(field, &change->before);
	_cleanup_(freep) char *asked = text_of(field, wanted), *text = NULL;
	_cleanup_(freep) char *answered = text_of(field, &change->after);

	if (!strcmp(asked, answered) || strcmp(before, answered) || !strcmp(field->key, "state") ||
	    !strcmp(field->key, "physical_state"))
		return;
	text = mem_format("the node kept %s as it was: %s", field->key, answered);
	problem_add_text(&change->mad.listing.problems, change->mad.session.destinations[0].name,
			 NULL, NULL, text, NULL);
}

/* Picks the port; a Set changes only one. */
static bool choose_one(struct smp_change *change)
{
	const struct mad_destination *at = &change->mad.session.destinations[0];
	uint64_t port = 0;

	if (change->mad.session.destination_count != 1 || at->word_count > 1 ||
	    change->args->all_ports || change->attribute->entries) {
		complain(change, NULL,
			 mem_string("--set changes one attribute of one port of one node"));
		return false;
	}
	if (at->word_count && text_parse_u64(at->words[0], 0, 255, &port)) {
		complain(change, NULL, mem_string("the port is not a number"));
		return false;
	}
	change->port = (uint32_t)port;
	return true;
}

static void work(struct smp_change *change)
{
	const uint16_t id = change->attribute->id;
	struct listing *listing = &change->mad.listing;
	struct mad_record *after = &change->after, wanted;

	if (!choose_one(change) ||
	    !call(change, UMAD_METHOD_GET, id, change->port, NULL, change->before.data))
		return;
	memcpy(after->data, change->before.data, sizeof(after->data));
	for (size_t i = 0; i < change->change_count; i++)
		if (!apply(change, &change->changes[i]))
			return;
	if (!change->args->force && cuts_path(change)) {
		listing_fail(listing, STATUS_FAILED,
			     "not changed: the path to the node goes through this port, and may be "
			     "lost for good",
			     "--force changes it anyway");
		return;
	}
	if (listing->status != STATUS_DONE || !confirm(change))
		return;
	keep_states(change, after);
	wanted = *after;
	if (!call(change, UMAD_METHOD_SET, id, change->port, after->data, after->data))
		return;
	for (size_t i = 0; i < change->change_count; i++)
		report_kept(change, change->changes[i].field, &wanted);
	after->object = mem_string(change->mad.session.destinations[0].name);
	after->port = number_of(change->port);
	listing_add(listing, after);
}

int smp_set(const struct ctx *ctx, const struct smp_args *args,
	    const struct mad_attribute *attribute, char **words)
{
	struct smp_change change = {.args = args, .attribute = attribute};
	bool good;
	int status;

	good = smp_begin(&change.mad, ctx, args, attribute, attribute->schema, words) &&
	       split(&change);
	for (size_t i = 0; good && i < change.change_count; i++)
		good = find_field(&change, &change.changes[i]);
	if (good)
		work(&change);
	status = mad_listing_end(&change.mad);
	mad_record_clear(&change.after);
	for (size_t i = 0; i < change.change_count; i++) {
		free(change.changes[i].key);
		free(change.changes[i].text);
	}
	free(change.changes);
	return status;
}
