/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sa: records of the subnet administrator, by one query with a component mask. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/mad/sa_run.h"
#include "mad/format/header.h"
#include "schema/rows.h"

static void get_record(const void *record, struct value *value)
{
	value_set_string(value, ((const struct sa_count *)record)->record);
}

#define RECORD struct sa_count
static const struct field count_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_record, "record", "RECORD", FIELD_DEFAULT, 0,
		       "kind of record"),
	NUMBER(count, "COUNT", SHOWN, 0, "number of records"),
	YES_NO(complete, "COMPLETE", 0, 0, "whether the answer was complete"),
};

static const struct schema count_schema = SCHEMA("sa_count", struct sa_count, count_fields,
						 "number of records: --count");

static void keep_records(struct sa_run *run, const struct mad_reply *reply)
{
	const bool single = run->request.method == UMAD_METHOD_GET;
	struct mad_table table = mad_table_of(reply->mad, reply->bytes, 1);
	size_t bytes = run->answer->bytes;

	if (single) {
		table.count = reply->bytes >= MAD_SA_DATA_AT + bytes;
		table.size = bytes;
	}
	run->count.complete = TRISTATE_YES;
	if (!single && table.cut) {
		run->count.complete = TRISTATE_NO;
		problem_add_text(&run->mad.listing.problems, NULL, NULL, NULL,
				 "the answer is truncated: there are more records", NULL);
	}
	run->count.count = number_of(table.count);
	if (run->args->count)
		return;
	run->records = mem_alloc_zero(table.count + 1, sizeof(*run->records));
	if (bytes > table.size)
		bytes = table.size;
	for (size_t i = 0; i < table.count; i++) {
		run->records[i].index = number_of(i);
		memcpy(run->records[i].data, table.records + i * table.size, bytes);
	}
}

static void take(void *context, struct mad_item *item, const struct mad_reply *reply)
{
	struct sa_run *run = context;

	/* "No records" is a valid answer. */
	if (!reply->error && reply->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS)) {
		item->status = 0;
		run->count.count = number_of(0);
		run->count.complete = TRISTATE_YES;
	} else if (!reply->error && !reply->status) {
		keep_records(run, reply);
	}
}

static const char *hint_of(const struct sa_run *run)
{
	const bool trace = run->asked_for->id == UMAD_SA_ATTR_TRACE_REC;
	const bool silent = run->item.error == -ETIMEDOUT;
	const uint16_t status = run->item.status;
	const bool unknown = silent || status == UMAD_STATUS_ATTR_NOT_SUPPORTED ||
			     status == UMAD_STATUS_METHOD_NOT_SUPPORTED;

	if (trace && unknown)
		return "opensm and most other subnet administrators do not support TraceRecords; "
		       "rdmactl fabric route traces a path without them";
	if (unknown && run->asked_for->id == UMAD_SA_ATTR_MULTI_PATH_REC)
		return "rdmactl sa classportinfo shows whether multipath is supported; rdmactl sa "
		       "path queries one pair";
	if (silent)
		return MAD_SA_HINT;
	if (status == MAD_SA_STATUS(UMAD_SA_STATUS_REQ_INVALID) && !run->mad.session.key)
		return "some records need the SM_Key: give it with --mkey";
	if (status == MAD_SA_STATUS(UMAD_SA_STATUS_INVALID_GID))
		return "rdmactl sa nodes -o +port_guid shows the GUIDs of the ports";
	if (status == MAD_SA_STATUS(UMAD_SA_STATUS_INSUF_COMPS))
		return !trace ? "give more fields of the records: FIELD=VALUE"
		       : run->args->from && run->args->to
			       ? NULL
			       : "--from and --to name both ends of the path";
	return NULL;
}

static void work(struct sa_run *run)
{
	struct mad_destination sa = {.name = NULL};
	struct listing *listing = &run->mad.listing;

	sa.name = mem_format("SA at LID %u", run->mad.session.port.route.sm_lid);
	run->item.request = run->request;
	mad_gather_long(run->mad.session.engine, &run->item, 1, take, run);
	if (!mad_session_check(&run->mad.session, &sa, run->asked_for->name, &run->item,
			       hint_of(run))) {
		listing->status = STATUS_FAILED;
	} else if (run->args->count) {
		run->count.record = run->asked_for->word;
		listing_add(listing, &run->count);
	} else {
		for (size_t i = 0; i < run->count.count.value; i++) {
			run->records[i].object = mem_string(sa.name);
			run->records[i].lid = number_of(run->mad.session.port.route.sm_lid);
			listing_add(listing, &run->records[i]);
		}
	}
	free(sa.name);
}

static bool has_sa(struct sa_run *run)
{
	if (run->mad.session.port.route.subnet_manager)
		return true;
	return listing_fail(&run->mad.listing, STATUS_FAILED,
			    "the port has no subnet administrator: its SM LID is 0",
			    "start a subnet manager; rdmactl ports shows the SM LID");
}

static uint8_t method_of(const struct mad_attribute *attribute)
{
	switch (attribute->id) {
	case UMAD_ATTR_CLASS_PORT_INFO:
		return UMAD_METHOD_GET;
	case UMAD_SA_ATTR_TRACE_REC:
		return UMAD_SA_METHOD_GET_TRACE_TABLE;
	case UMAD_SA_ATTR_MULTI_PATH_REC:
		return UMAD_SA_METHOD_GET_MULTI;
	default:
		return UMAD_SA_METHOD_GET_TABLE;
	}
}

static int run(const struct ctx *ctx, const void *options, char **words)
{
	const struct sa_args *args = options;
	const struct mad_attribute *attribute = ctx->command->data;
	struct sa_run run = {
		.args = args,
		.asked_for = attribute,
		.attribute = sa_attribute_of_query(attribute),
		.answer = sa_attribute_of_answer(attribute),
	};
	bool single = attribute->id == UMAD_ATTR_CLASS_PORT_INFO;
	int status;

	if (mad_listing_begin(&run.mad, ctx, &args->mad,
			      args->count ? &count_schema : run.answer->schema, single, false) &&
	    has_sa(&run) && sa_make_query(&run, words)) {
		const uint32_t modifier = run.request.modifier;

		run.request = mad_sa_request(&run.mad.session.port.route, method_of(attribute),
					     attribute->id, run.request.component_mask,
					     run.query.data, run.attribute->bytes);
		run.request.modifier = modifier;
		/* --mkey gives the SM_Key here; the M_Key of the configuration file does not. */
		if (args->mad.mkey)
			run.request.key = run.mad.session.key;
		run.request.to.qkey = run.mad.session.qkey;
		if (args->mad.service_level.known)
			run.request.to.sl = (uint8_t)args->mad.service_level.value;
		work(&run);
	}
	status = mad_listing_end(&run.mad);
	for (size_t i = 0; run.records && i < run.count.count.value; i++)
		mad_record_clear(&run.records[i]);
	free(run.records);
	return status;
}

static const struct option_row path_options[] = {
	STRING_OPTION(struct sa_args, from, 0, "from", "DEST", COMPLETE_NOTHING,
		      "source of the path (default: this port); multipath: several"),
	STRING_OPTION(struct sa_args, to, 0, "to", "DEST", COMPLETE_NOTHING,
		      "destination of the path; multipath: several"),
	{.name = NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct sa_args, count, 0, "count", "print only the number of records"),
	{.name = NULL},
};

static const struct schema *const count_schemas[] = {&count_schema, NULL};

static bool child(size_t number, struct command *ret_child)
{
	const struct mad_attribute *attribute = mad_attribute_at(sa_attributes, number);
	bool path;

	if (!attribute)
		return false;
	path = attribute->id == UMAD_SA_ATTR_PATH_REC || attribute->id == UMAD_SA_ATTR_TRACE_REC ||
	       attribute->id == UMAD_SA_ATTR_MULTI_PATH_REC;
	*ret_child = (struct command){
		.name = attribute->word,
		.alias = attribute->alias,
		.objects = "[FIELD=VALUE...]",
		.object_completion = COMPLETE_FIELD,
		.most_objects = -1,
		.options = {path ? path_options : options, path ? options : mad_options,
			    path ? mad_options : NULL},
		.args_size = sizeof(struct sa_args),
		.schema = sa_attribute_of_answer(attribute)->schema,
		.more_schemas = count_schemas,
		.all_columns = attribute->id == UMAD_ATTR_CLASS_PORT_INFO,
		.data = attribute,
		.run = run,
	};
	return true;
}

const struct command sa_command = {
	.name = "sa",
	.group = GROUP_MAD,
	.summary = "query records of the subnet administrator",
	.objects = "RECORD [FIELD=VALUE...]",
	.least_objects = 1,
	.most_objects = -1,
	.rules = mad_rules,
	.child = child,
	.child_word = "RECORD",
	.own_timeout = true,
};
