/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl mad, and its subcommand classes: the management classes that answer on a port, with their
 * ClassPortInfo. The other subcommands are in mad_send.c and mad_decode.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/commands.h"
#include "cmd/mad/gmp.h"
#include "cmd/mad/mad_run.h"
#include "schema/rows.h"

/* Most classes never answer, so they get fewer retries than other requests. */
#define RETRIES 1u

/* A class of a port; strings are owned. */
struct class_row {
	char *object;
	struct number class_code;
	enum tristate answered;
	char *status;
	struct number class_version;
	struct strings capabilities;
	struct number cap_mask, cap_mask2;
	struct real response_time_usec, round_trip_usec;
	struct number redirect_lid, redirect_qpn;
};

#define RECORD struct class_row
static const struct field classes_fields[] = {
	TEXT(object, "OBJECT", SHOWN, 0, "destination, as given"),
	WORD_AS("class", class_code, mad_class_names, "CLASS", SHOWN, 0, "management class"),
	HEX(class_code, 2, "CODE", SHOWN, 0, "management class as a number"),
	YES_NO(answered, "ANSWERED", SHOWN, 0, "whether an agent answers"),
	TEXT(status, "STATUS", SHOWN, 0, "status of the answer, in words"),
	NUMBER(class_version, "VERSION", SHOWN, 0, "version of the management class"),
	LIST(capabilities, "CAPABILITIES", SHOWN, 0, "capabilities from both masks, in words"),
	HEX(cap_mask, 4, "CAP MASK", 0, 0, "CapabilityMask"),
	HEX(cap_mask2, 7, "CAP MASK 2", 0, 0, "CapabilityMask2"),
	REAL(response_time_usec, "RESPONSE us", SHOWN, 0,
	     "longest response time that the agent declares"),
	TENTHS_FIELD(RECORD, round_trip_usec, "round_trip_usec", "RTT us", SHOWN | FIELD_RIGHT, 0,
		     "round trip of this request"),
	NUMBER(redirect_lid, "REDIRECT LID", SHOWN, 0, "LID to query instead; 0: none"),
	NUMBER(redirect_qpn, "REDIRECT QP", 0, 0, "queue pair to query instead"),
};

static const struct schema classes_schema = SCHEMA("mad_classes", struct class_row, classes_fields,
						   "a management class of a port");

/* The classes of the subnet manager are also queried: it may run on this port. */
static size_t count_classes(void)
{
	size_t count = 0;

	for (const struct enum_name *name = mad_class_names; name->word; name++)
		count += name->value != UMAD_CLASS_SUBN_DIRECTED_ROUTE;
	return count;
}

static void ask(const struct mad_listing *mad, const struct mad_destination *at,
		unsigned int mgmt_class, struct mad_item *item)
{
	if (mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED) {
		mad_session_ask(&mad->session, at, UMAD_SM_ATTR_NODE_INFO, 0, item);
		return;
	}
	mad_gmp_request(&at->place, (uint8_t)mgmt_class, UMAD_METHOD_GET, UMAD_ATTR_CLASS_PORT_INFO,
			0, &item->request);
	item->request.oui = mad_oui_of_class(mgmt_class);
}

static void add_words(struct strings *strings, const struct schema *schema,
		      const struct mad_record *record, const char *key)
{
	struct value value;

	field_get(schema_find(schema, key), record, &value);
	strings->known = true;
	for (size_t i = 0; value.kind == VALUE_LIST && i < value.list.count; i++)
		strings_add(strings, value.list.items[i]);
}

static void take_class_port_info(struct class_row *row, const struct mad_item *item)
{
	const struct mad_attribute *attribute = mad_attribute_find(item->request.mgmt_class,
								   UMAD_ATTR_CLASS_PORT_INFO);
	const struct schema *schema = attribute->schema;
	struct mad_record record = {.object = NULL};
	struct value value;

	memcpy(record.data, item->data, sizeof(record.data));
	add_words(&row->capabilities, schema, &record, "capabilities");
	add_words(&row->capabilities, schema, &record, "capabilities2");
	row->cap_mask = number_of(class_port_info_cap_mask(item->data));
	row->cap_mask2 = number_of(class_port_info_cap_mask2(item->data));
	row->redirect_lid = number_of(class_port_info_redirect_lid(item->data));
	row->redirect_qpn = number_of(class_port_info_redirect_qpn(item->data));
	field_get(schema_find(schema, "response_time_usec"), &record, &value);
	row->response_time_usec.known = value.kind == VALUE_REAL;
	row->response_time_usec.value = row->response_time_usec.known ? value.real : 0;
}

/* A timeout is a result here; a request that could not be sent is a problem. */
static bool take(struct mad_listing *mad, const struct mad_destination *at,
		 const struct mad_item *item, struct class_row *row)
{
	const unsigned int mgmt_class = item->request.mgmt_class;

	row->object = mem_string(at->name);
	row->class_code = number_of(mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE
					    ? UMAD_CLASS_SUBN_LID_ROUTED
					    : mgmt_class);
	if (item->error && item->error != -ETIMEDOUT) {
		mad_session_check(&mad->session, at, enum_word(mad_class_names, mgmt_class, NULL),
				  item, NULL);
		return false;
	}
	row->answered = item->error ? TRISTATE_NO : TRISTATE_YES;
	if (item->error)
		return false;
	row->status = mad_status_word(mgmt_class, item->status);
	row->round_trip_usec = mad_round_trip_usec(item->round_trip_nsec);
	if (item->status)
		return true;
	row->class_version = number_of(class_port_info_class_version(item->data));
	if (!mad_class_is_smp(mgmt_class))
		take_class_port_info(row, item);
	return true;
}

/* Whether any class of the destination answers. */
static bool take_all(struct mad_listing *mad, size_t destination, const struct mad_item *items,
		     struct class_row *rows, size_t count)
{
	const struct mad_destination *at = &mad->session.destinations[destination];
	size_t answers = 0;

	for (size_t i = 0; i < count; i++) {
		answers += take(mad, at, &items[i], &rows[i]);
		listing_add(&mad->listing, &rows[i]);
	}
	if (!answers)
		problem_add_text(&mad->listing.problems, at->name, NULL, "umad",
				 "no management class answers",
				 mad_destination_is_named_lid(at)
					 ? "no port has this LID, or the node or the path to it is "
					   "down"
					 : "the node or the path to it is down");
	return answers;
}

static struct class_row *work(struct mad_listing *mad, size_t *ret_count)
{
	const size_t classes = count_classes(), count = classes * mad->session.destination_count;
	struct class_row *rows = mem_alloc_zero(count, sizeof(*rows));
	struct mad_item *items = mad_items_new(count);
	size_t asked = 0, answered = 0;

	for (size_t i = 0; i < mad->session.destination_count; i++)
		for (const struct enum_name *name = mad_class_names; name->word; name++)
			if (name->value != UMAD_CLASS_SUBN_DIRECTED_ROUTE)
				ask(mad, &mad->session.destinations[i], (unsigned int)name->value,
				    &items[asked++]);
	mad_gather(mad->session.engine, items, count);
	for (size_t i = 0; i < mad->session.destination_count; i++)
		answered += take_all(mad, i, items + i * classes, rows + i * classes, classes);
	if (!answered)
		mad->listing.status = STATUS_FAILED;
	free(items);
	*ret_count = count;
	return rows;
}

static int run_classes(const struct ctx *ctx, const void *args, char **words)
{
	struct mad_args mad_args = *(const struct mad_args *)args;
	struct mad_listing mad = {.goes_beyond = false};
	struct class_row *rows = NULL;
	size_t count = 0;
	int status;

	if (!mad_args.retries.known)
		mad_args.retries = number_of(RETRIES);
	if (mad_listing_begin(&mad, ctx, &mad_args, &classes_schema, false, false) &&
	    mad_listing_find_by_lid(&mad, words) && !mad_listing_refuses_words(&mad) &&
	    mad_listing_has_lids(&mad, "directed routes work for class sm only",
				 "give a LID, a port GUID or a GID"))
		rows = work(&mad, &count);
	status = mad_listing_end(&mad);
	records_clear(&classes_schema, &(struct records){rows, count});
	return status;
}

static const struct command classes_command = {
	.name = "classes",
	.summary = "list the management classes that answer on a port",
	.objects = "[DEST]",
	.most_objects = -1,
	.options = {mad_options},
	.rules = mad_rules,
	.args_size = sizeof(struct mad_args),
	.schema = &classes_schema,
	.own_timeout = true,
	.run = run_classes,
};

static const struct command vendor_command = {
	.name = "vendor",
	.summary = "show firmware information of Mellanox and NVIDIA nodes",
	.objects = "[DEST]",
	.most_objects = -1,
	.options = {mad_options},
	.rules = mad_rules,
	.args_size = sizeof(struct gmp_args),
	.schema = &vendor_general_schema,
	.all_columns = true,
	.own_timeout = true,
	.data = &mellanox_attributes[0],
	.run = gmp_run,
};

static const struct command *const children[] = {
	&mad_send_command, &mad_decode_command, &classes_command, &vendor_command, NULL,
};

const struct command mad_command = {
	.name = "mad",
	.group = GROUP_MAD,
	.summary = "send and decode management datagrams of any class",
	.objects = "COMMAND [DEST|FILE...]",
	.least_objects = 1,
	.most_objects = -1,
	.children = children,
	.child_word = "COMMAND",
};
