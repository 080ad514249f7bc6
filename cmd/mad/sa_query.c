/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The query of rdmactl sa: fields that the records must match, and the ends of paths. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/mad/sa_run.h"

#define SA_COMPARES_BITS (1u << 31) /* of CapabilityMask, as saquery(8) and opensm have it */
#define PATHS_MOST	 "127"	    /* PathRecord:NumbPath has 7 bits */

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
	int rc = packed_parse(field, &run->query, text);

	if (rc) {
		_cleanup_(freep) char *hint = field_explain(field);

		return listing_fail_format(&run->mad.listing, STATUS_USAGE, hint,
					   rc == -ERANGE ? "'%s' is out of range for %s"
							 : "'%s' is not a value of %s",
					   text, field->key);
	}
	run->request.component_mask |= sa_component_mask(field);
	return select_exactly(run, field);
}

/* Sets a field that the user named, which is allowed only once. */
static bool give_field(struct sa_run *run, const struct field *field, const char *text)
{
	const uint64_t mask = sa_component_mask(field);

	if (run->given & mask)
		return listing_fail_format(
			&run->mad.listing, STATUS_USAGE,
			"give each field once; query several times for several values",
			"'%s' is given twice", field->key);
	run->given |= mask;
	return set_field(run, field, text);
}

static bool is_component(const struct field *field)
{
	return field->tag && field->width;
}

/* A word alone is probably a value, as saquery(8) takes it: shows where it belongs. */
static bool refuse_word(struct sa_run *run, const char *word)
{
	const struct schema *schema = run->attribute->schema;
	const char *record = run->asked_for->word;
	_cleanup_(freep) char *hint = NULL;

	if (run->attribute->id == UMAD_SA_ATTR_PATH_REC ||
	    run->attribute->id == UMAD_SA_ATTR_MULTI_PATH_REC)
		hint = mem_format("name the ends: rdmactl sa %s --from DEST --to DEST", record);
	for (size_t i = 0; i < schema->field_count && !hint; i++)
		if (is_component(&schema->fields[i]))
			hint = mem_format("give the values that the records must have: rdmactl sa "
					  "%s %s=VALUE",
					  record, schema->fields[i].key);
	return listing_fail_format(&run->mad.listing, STATUS_USAGE, hint, "'%s' is not FIELD=VALUE",
				   word);
}

/* FIELD=VALUE */
static bool set_component(struct sa_run *run, const char *word)
{
	const struct schema *schema = run->attribute->schema;
	_cleanup_(freep) char *key = mem_string(word), *command = NULL;
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	char *equals = strchr(key, '=');
	const struct field *field;

	if (!equals)
		return refuse_word(run, word);
	*equals = '\0';
	/* opensm does not search by the LID inside PortInfo; the record's own LID is the same. */
	if (run->attribute->id == UMAD_SA_ATTR_PORT_INFO_REC && !strcmp(key, "lid"))
		field = schema_find(schema, "endport_lid");
	else
		field = schema_find(schema, key);
	/* 15.2.5.3: with this modifier a port must have these capabilities, and may have others. */
	if (run->attribute->id == UMAD_SA_ATTR_PORT_INFO_REC && !strcmp(key, "capabilities"))
		run->request.modifier = SA_COMPARES_BITS;
	if (field && is_component(field))
		return give_field(run, field, equals + 1);
	if (field)
		return listing_fail_format(
			&run->mad.listing, STATUS_USAGE,
			"print all records, and pick from the output: -o, --json",
			"the subnet administrator cannot search by %s", key);
	command = mem_format("rdmactl sa %s --help", run->attribute->word);
	listing_explain_column(command, schema, key, &message, &hint);
	return listing_fail(&run->mad.listing, STATUS_USAGE, message, hint);
}

/* Sets one end of a path, which a PathRecord identifies by LID or GID. */
static bool set_end(struct sa_run *run, const char *name, const char *lid_key, const char *gid_key)
{
	const struct schema *schema = run->attribute->schema;
	_cleanup_(freep) char *text = NULL;
	struct mad_target target;
	char gid_text[GID_TEXT_SIZE];
	struct gid gid;

	if (!mad_listing_resolve(&run->mad, name, &target))
		return false;
	if (target.kind == TARGET_DIRECT)
		return listing_fail_format(
			&run->mad.listing, STATUS_USAGE,
			"give a LID, a port GUID, a GID, or the name of a node",
			"'%s' is a directed route, which the subnet administrator cannot search by",
			name);
	if (target.kind == TARGET_LID) {
		text = mem_format("%u", target.lid);
		return give_field(run, schema_find(schema, lid_key), text);
	}
	gid = mad_target_gid(&run->mad.session.port.route, &target);
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
	gid_format(&run->mad.session.port.route.gid, gid_text);
	return set_field(run, sgid, gid_text);
}

/* Adds the ports of one end to the GIDs of a MultiPathRecord. */
static bool add_gids(struct sa_run *run, const char *list, const char *count_key,
		     unsigned int *used)
{
	_cleanup_(freep) char *copy = mem_string(list), *text = NULL;
	char *rest = copy, *word;
	unsigned int count = 0;

	for (; (word = strsep(&rest, ",")); count++) {
		struct mad_target target;
		struct gid gid;

		if (*used == SA_MULTIPATH_GIDS_MOST)
			return listing_fail_format(
				&run->mad.listing, STATUS_USAGE,
				"query several times; opensm reads no more from one request",
				"a request has room for %u ports", SA_MULTIPATH_GIDS_MOST);
		if (!mad_listing_resolve(&run->mad, word, &target))
			return false;
		if (target.kind != TARGET_GUID && target.kind != TARGET_GID)
			return listing_fail_format(
				&run->mad.listing, STATUS_USAGE,
				"rdmactl sa nodes -o +port_guid shows the port GUIDs",
				"'%s' is not a port GUID, a GID or the name of a "
				"node",
				word);
		gid = mad_target_gid(&run->mad.session.port.route, &target);
		memcpy(run->query.data + SA_MULTIPATH_GIDS_AT + sizeof(gid.raw) * (*used)++,
		       gid.raw, sizeof(gid.raw));
	}
	text = mem_format("%u", count);
	return give_field(run, schema_find(run->attribute->schema, count_key), text);
}

/* 15.2.5.20: sources first; the default is this port. */
static bool set_ends(struct sa_run *run)
{
	char own[GID_TEXT_SIZE];
	unsigned int used = 0;

	if (!run->args->to)
		return listing_fail(&run->mad.listing, STATUS_USAGE,
				    "--to is missing: give the ports that the paths lead to",
				    "rdmactl sa multipath --to GUID,GUID");
	gid_format(&run->mad.session.port.route.gid, own);
	return add_gids(run, run->args->from ? run->args->from : own, "sgid_count", &used) &&
	       add_gids(run, run->args->to, "dgid_count", &used) &&
	       set_field(run, schema_find(run->attribute->schema, "numb_path"), PATHS_MOST);
}

/* Queries all paths of each pair unless the user limits them: 15.2.5.16. */
static bool set_path(struct sa_run *run)
{
	const struct sa_args *args = run->args;

	return (!args->from || set_end(run, args->from, "slid", "sgid")) &&
	       (!args->to || set_end(run, args->to, "dlid", "dgid")) &&
	       set_field(run, schema_find(run->attribute->schema, "numb_path"), PATHS_MOST);
}

bool sa_make_query(struct sa_run *run, char **words)
{
	const struct sa_args *args = run->args;
	const bool path = run->attribute->id == UMAD_SA_ATTR_PATH_REC;
	_cleanup_(freep) char *complaint =
		args->from || args->to ? NULL : mad_kind_complaint(mad_forced_kind(&args->mad));

	if (complaint)
		return listing_fail(&run->mad.listing, STATUS_USAGE, complaint, NULL);
	if (path && !set_path(run))
		return false;
	if (run->attribute->id == UMAD_SA_ATTR_MULTI_PATH_REC && !set_ends(run))
		return false;
	for (; *words; words++)
		if (!set_component(run, *words))
			return false;
	return !path || set_source(run);
}
