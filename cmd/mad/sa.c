/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl sa: records of the subnet administrator, by one query with a component mask. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/mad/mad_listing.h"
#include "mad/format/header.h"
#include "schema/bits.h"

#define PATHS_MOST "127" /* PathRecord:NumbPath has 7 bits */

struct sa_args {
	struct mad_args mad;
	const char *from, *to;
	bool count;
};

/* The answer of --count. */
struct sa_count {
	const char *record;
	struct number count;
	enum tristate complete;
};

static void get_record(const void *record, struct value *value)
{
	value_set_string(value, ((const struct sa_count *)record)->record);
}

static const struct field count_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, get_record, "record", "RECORD", FIELD_DEFAULT, 0,
		       "kind of record"),
	UNSIGNED_FIELD(struct sa_count, count, "count", "COUNT", FIELD_DEFAULT | FIELD_RIGHT, 0,
		       "number of records"),
	BOOL_FIELD(struct sa_count, complete, "complete", "COMPLETE", 0, 0,
		   "whether the answer was complete"),
};

static const struct schema count_schema = SCHEMA("sa_count", struct sa_count, count_fields,
						 "number of records: --count");

struct sa_run {
	struct mad_listing mad;
	const struct sa_args *args;
	const struct mad_attribute *attribute;
	struct mad_request request;
	struct mad_record query; /* provides the data of the request */
	uint64_t given;		 /* components that the user named */
	bool asked;
	struct mad_record *records;
	struct sa_count count;
	struct mad_item item; /* result of the request */
};

static void fail_usage(struct sa_run *run, char *message, const char *hint)
{
	listing_fail(&run->mad.listing, STATUS_USAGE, message, hint);
	free(message);
}

static bool set_field(struct sa_run *run, const struct field *field, const char *text);

/* MTU, rate and lifetime of a path are ignored unless their selector is set: 15.2.5.16 */
static bool select_exactly(struct sa_run *run, const struct field *field)
{
	static const char *const selectors[][2] = {
		{"mtu_bytes", "mtu_selector"},
		{"rate_gbps", "rate_selector"},
		{"packet_lifetime_usec", "packet_lifetime_selector"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(selectors); i++) {
		const struct field *selector = strcmp(field->key, selectors[i][0])
						       ? NULL
						       : schema_find(run->attribute->schema,
								     selectors[i][1]);

		if (selector && !(run->request.component_mask & sa_component_mask(selector)))
			return set_field(run, selector, "exactly");
	}
	return true;
}

static bool set_field(struct sa_run *run, const struct field *field, const char *text)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	int rc = packed_parse(field, &run->query, text);

	if (rc) {
		_cleanup_(freep) char *hint = field_explain(field);

		fail_usage(run,
			   rc == -ERANGE
				   ? mem_format("'%s' is out of range for %s", clean, field->key)
				   : mem_format("'%s' is not a value of %s", clean, field->key),
			   hint);
		return false;
	}
	run->request.component_mask |= sa_component_mask(field);
	return select_exactly(run, field);
}

/* Sets a field that the user named, which may be done once. */
static bool give_field(struct sa_run *run, const struct field *field, const char *text)
{
	const uint64_t mask = sa_component_mask(field);

	if (run->given & mask) {
		fail_usage(run, mem_format("'%s' is given twice", field->key),
			   "give each field once; query several times for several values");
		return false;
	}
	run->given |= mask;
	return set_field(run, field, text);
}

/* FIELD=VALUE */
static bool set_component(struct sa_run *run, const char *word)
{
	const struct schema *schema = run->attribute->schema;
	_cleanup_(freep) char *key = mem_string(word), *clean = NULL, *command = NULL;
	char *message = NULL, *hint = NULL, *equals = strchr(key, '=');
	const struct field *field;

	if (!equals) {
		clean = text_clean(word, strlen(word));
		fail_usage(run, mem_format("'%s' is not FIELD=VALUE", clean),
			   "name what the records must have: rdmactl sa nodes node_type=switch");
		return false;
	}
	*equals = '\0';
	/* opensm does not search by the LID inside PortInfo; the record's own LID is the same. */
	if (run->attribute->id == UMAD_SA_ATTR_PORT_INFO_REC && !strcmp(key, "lid"))
		field = schema_find(schema, "endport_lid");
	else
		field = schema_find(schema, key);
	if (field && field->tag && field->width)
		return give_field(run, field, equals + 1);
	if (field) {
		fail_usage(run, mem_format("the subnet administrator cannot search by %s", key),
			   "print all records, and pick from the output: -o, --json");
		return false;
	}
	command = mem_format("rdmactl sa %s --help", run->attribute->word);
	listing_explain_column(command, schema, key, &message, &hint);
	fail_usage(run, message, hint);
	free(hint);
	return false;
}

/* Sets one end of a path, which PathRecord has as a LID or a GID. */
static bool set_end(struct sa_run *run, const char *name, const char *lid_key, const char *gid_key)
{
	const struct schema *schema = run->attribute->schema;
	_cleanup_(freep) char *text = NULL, *clean = NULL;
	struct mad_target target;
	char gid_text[GID_TEXT_SIZE];
	struct gid gid = run->mad.session.port.gid; /* a GUID gets its prefix */

	if (!mad_listing_resolve(&run->mad, name, &target))
		return false;
	if (target.kind == TARGET_DIRECT) {
		clean = text_clean(name, strlen(name));
		fail_usage(
			run,
			mem_format("'%s' is a directed route, which the subnet administrator does "
				   "not know",
				   clean),
			"a LID, a port GUID, a GID, or the name of a node");
		return false;
	}
	if (target.kind == TARGET_LID) {
		text = mem_format("%u", target.lid);
		return give_field(run, schema_find(schema, lid_key), text);
	}
	if (target.kind == TARGET_GID)
		gid = target.gid;
	else
		bits_set(gid.raw, 64, 64, target.guid);
	gid_format(&gid, gid_text);
	return give_field(run, schema_find(schema, gid_key), gid_text);
}

/* The source is mandatory (15.2.5.16); the default is this port. */
static bool set_source(struct sa_run *run)
{
	const struct field *slid = schema_find(run->attribute->schema, "slid");
	const struct field *sgid = schema_find(run->attribute->schema, "sgid");
	char gid_text[GID_TEXT_SIZE];

	if (run->given & (sa_component_mask(slid) | sa_component_mask(sgid)))
		return true;
	gid_format(&run->mad.session.port.gid, gid_text);
	return set_field(run, sgid, gid_text);
}

static bool make_query(struct sa_run *run, char **words)
{
	const struct sa_args *args = run->args;
	bool path = run->attribute->id == UMAD_SA_ATTR_PATH_REC;
	char *complaint = args->from || args->to ? NULL
						 : mad_kind_complaint(mad_forced_kind(&args->mad));

	if (complaint) {
		fail_usage(run, complaint, NULL);
		return false;
	}
	/* Queries all paths of each pair unless the user limits them: 15.2.5.16. */
	if (path && ((args->from && !set_end(run, args->from, "slid", "sgid")) ||
		     (args->to && !set_end(run, args->to, "dlid", "dgid")) ||
		     !set_field(run, schema_find(run->attribute->schema, "numb_path"), PATHS_MOST)))
		return false;
	for (; *words; words++)
		if (!set_component(run, *words))
			return false;
	return !path || set_source(run);
}

static bool next(void *context, struct mad_request *request)
{
	struct sa_run *run = context;

	if (run->asked)
		return false;
	run->asked = true;
	*request = run->request;
	return true;
}

static void keep_records(struct sa_run *run, const struct mad_reply *reply)
{
	size_t at = mad_data_offset(UMAD_CLASS_SUBN_ADM);
	size_t left = reply->bytes > at ? reply->bytes - at : 0;
	size_t size = run->request.method == UMAD_METHOD_GET
			      ? run->attribute->bytes
			      : 8 * (size_t)mad_record_offset(reply->mad);
	size_t count = size ? left / size : 0, bytes = run->attribute->bytes;

	if (run->request.method == UMAD_METHOD_GET && count)
		count = 1;
	run->count.complete = TRISTATE_YES;
	if (run->request.method != UMAD_METHOD_GET && count &&
	    mad_table_is_cut(reply->mad, reply->bytes, size)) {
		run->count.complete = TRISTATE_NO;
		problem_add_text(&run->mad.listing.problems, NULL, NULL, NULL,
				 "the answer is truncated: there are more records", NULL);
	}
	run->count.count = number_of(count);
	if (run->args->count)
		return;
	run->records = mem_alloc_zero(count ? count : 1, sizeof(*run->records));
	if (bytes > size)
		bytes = size;
	for (size_t i = 0; i < count; i++) {
		run->records[i].index = number_of(i);
		memcpy(run->records[i].data, reply->mad + at + i * size, bytes);
	}
}

static void done(void *context, const struct mad_reply *reply)
{
	struct sa_run *run = context;

	run->item.error = reply->error;
	run->item.status = reply->status;
	run->item.tries = reply->tries;
	/* "No records" is a valid answer. */
	if (!reply->error && reply->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS)) {
		run->item.status = 0;
		run->count.count = number_of(0);
		run->count.complete = TRISTATE_YES;
	} else if (!reply->error && !reply->status) {
		keep_records(run, reply);
	}
}

static const char *hint_of(const struct sa_run *run)
{
	if (run->item.error == -ETIMEDOUT)
		return "rdmactl smp sminfo shows whether the subnet manager is alive";
	if (run->item.status == MAD_SA_STATUS(UMAD_SA_STATUS_REQ_INVALID) && !run->mad.session.key)
		return "some records need the SM_Key: give it with --mkey";
	return NULL;
}

static void work(struct sa_run *run)
{
	const struct mad_work work = {.context = run, .next = next, .done = done};
	struct mad_destination sa = {.name = NULL};
	struct listing *listing = &run->mad.listing;

	sa.name = mem_format("SA at LID %u", run->mad.session.port.sm_lid);
	run->item.error = -ECANCELED;
	run->item.request = run->request;
	mad_engine_run(run->mad.session.engine, &work);
	if (!mad_session_check_hint(&run->mad.session, &sa, run->attribute->name, &run->item,
				    hint_of(run))) {
		listing->status = STATUS_FAILED;
	} else if (run->args->count) {
		run->count.record = run->attribute->word;
		listing_add(listing, &run->count);
	} else {
		for (size_t i = 0; i < run->count.count.value; i++) {
			run->records[i].object = mem_string(sa.name);
			run->records[i].lid = number_of(run->mad.session.port.sm_lid);
			listing_add(listing, &run->records[i]);
		}
	}
	free(sa.name);
}

static bool has_sa(struct sa_run *run)
{
	if (run->mad.session.port.subnet_manager)
		return true;
	listing_fail(&run->mad.listing, STATUS_FAILED,
		     "the port has no subnet administrator: its SM LID is 0",
		     "start a subnet manager; rdmactl ports shows the SM LID");
	return false;
}

static int run(const struct ctx *ctx, const void *options, char **words)
{
	const struct sa_args *args = options;
	const struct mad_attribute *attribute = ctx->command->data;
	struct sa_run run = {.args = args, .attribute = attribute};
	bool single = attribute->id == UMAD_ATTR_CLASS_PORT_INFO;
	int status;

	if (mad_listing_begin(&run.mad, ctx, &args->mad,
			      args->count ? &count_schema : attribute->schema, single, false) &&
	    has_sa(&run) && make_query(&run, words)) {
		run.request = (struct mad_request){
			.to = mad_sa_address(&run.mad.session.route),
			.mgmt_class = UMAD_CLASS_SUBN_ADM,
			.method = single ? UMAD_METHOD_GET : UMAD_SA_METHOD_GET_TABLE,
			.attribute = attribute->id,
			/* --mkey is the SM_Key here; the M_Key of a file is not. */
			.key = args->mad.mkey ? run.mad.session.key : run.mad.session.route.sm_key,
			.component_mask = run.request.component_mask,
			.data = run.query.data,
			.data_bytes = attribute->bytes,
		};
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
		      "source of the path (default: this port)"),
	STRING_OPTION(struct sa_args, to, 0, "to", "DEST", COMPLETE_NOTHING,
		      "destination of the path"),
	{.name = NULL},
};

static const struct option_row options[] = {
	FLAG_OPTION(struct sa_args, count, 0, "count", "print only the number of records"),
	{.name = NULL},
};

static const struct schema *const count_schemas[] = {&count_schema, NULL};

static bool child(size_t number, struct command *ret_child)
{
	const struct mad_attribute *attribute = sa_attributes;
	bool path;

	for (; attribute->schema && (!attribute->word || number--); attribute++)
		;
	if (!attribute->schema)
		return false;
	path = attribute->id == UMAD_SA_ATTR_PATH_REC;
	*ret_child = (struct command){
		.name = attribute->word,
		.alias = attribute->alias,
		.objects = "[FIELD=VALUE...]",
		.object_completion = COMPLETE_FIELD,
		.most_objects = -1,
		.options = {path ? path_options : options, path ? options : mad_options,
			    path ? mad_options : NULL},
		.args_size = sizeof(struct sa_args),
		.schema = attribute->schema,
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
	.summary = "query the records of the subnet administrator",
	.objects = "RECORD [FIELD=VALUE...]",
	.least_objects = 1,
	.most_objects = -1,
	.rules = mad_rules,
	.child = child,
	.child_word = "RECORD",
	.own_timeout = true,
};
