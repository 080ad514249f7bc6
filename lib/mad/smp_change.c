/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/smp_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/codes.h"
#include "schema/bits.h"

/* A piece without = belongs to the value before it, which is a list of flags. */
int smp_change_parse(struct smp_change *change, const char *text)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *piece;

	while ((piece = strsep(&rest, ","))) {
		char *equals = strchr(piece, '=');
		struct smp_value *last;

		if (!equals && change->value_count) {
			last = &change->values[change->value_count - 1];
			mem_extend(&last->text, ",%s", piece);
			continue;
		}
		if (!equals)
			return -EINVAL;
		last = mem_append(&change->values, &change->value_count, sizeof(*last));
		*equals = '\0';
		*last = (struct smp_value){.key = mem_string(piece),
					   .text = mem_string(equals + 1)};
	}
	return 0;
}

#define PORT_INFO_SPEEDS_EXT (1u << 31)

static bool is_among(const char *key, const char *const *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(keys[i], key))
			return true;
	return false;
}

int smp_change_find(struct smp_change *change, const struct smp_value **ret_wrong)
{
	for_each_in (value, change->values, change->value_count) {
		*ret_wrong = value;
		value->field = schema_find(change->attribute->schema, value->key);
		if (!value->field)
			return -ENOENT;
		/* A field computed from others has no bits to write. */
		if (!value->field->width || value->field->flags & FIELD_FIXED)
			return -EPERM;
	}
	return 0;
}

int smp_change_put(struct smp_change *change, const struct smp_value **ret_wrong)
{
	for_each_in (value, change->values, change->value_count) {
		const bool extended = !strcmp(value->key, "speed_ext_enabled");
		const bool none = extended && !strcmp(value->text, "none");
		struct value now;
		int rc;

		*ret_wrong = value;
		field_get(value->field, &change->before, &now);
		if (now.kind == VALUE_NONE ||
		    (extended && !port_info_speed_ext_supported(change->before.data)))
			return -ENXIO;
		rc = packed_parse(value->field, &change->after, none ? "" : value->text);
		if (rc)
			return rc;
		/* 0 is "no change", 14.2.5.6. */
		if (extended &&
		    !bits_get(change->after.data, value->field->bit, value->field->width))
			bits_set(change->after.data, value->field->bit, value->field->width,
				 SPEED_EXT_DISABLED);
	}
	return 0;
}

static bool get(struct smp_change *change, uint16_t attribute, uint32_t modifier,
		unsigned char *ret_data)
{
	struct mad_session *session = change->session;

	return mad_session_get(session, session->destinations, attribute, modifier, session->key,
			       ret_data);
}

/* Writes the record, and keeps the answer in it. A failure is reported. */
static bool set(struct smp_change *change, uint32_t modifier, struct mad_record *record)
{
	const struct mad_destination *at = &change->session->destinations[0];
	struct mad_item item = {0};

	mad_smp_request(&at->place, UMAD_METHOD_SET, change->attribute->id, modifier,
			&item.request);
	item.request.key = change->session->key;
	item.request.data = record->data;
	/* Write all of it: fields after the known ones go back as they were read. */
	item.request.data_bytes = UMAD_LEN_SMP_DATA;
	mad_gather(change->session->engine, &item, 1);
	if (!mad_session_check_set(change->session, at, &item, NULL))
		return false;
	memcpy(record->data, item.data, sizeof(item.data));
	return true;
}

/*
 * Fields that make the node do something when they are written as they were read. States: a port
 * cannot be set to the one that it is in, and 0 is "no change", 14.2.5.6. ClientReregister: clients
 * would register again. PortStateChange: a 1 clears it, 14.2.5.4, and the subnet manager would not
 * see that a port has changed. 0 does nothing; osm_lid_mgr.c and osm_ucast_mgr.c of opensm.
 */
static const struct {
	uint16_t attribute;
	const char *key;
} acting[] = {
	{UMAD_SM_ATTR_PORT_INFO, "state"},
	{UMAD_SM_ATTR_PORT_INFO, "physical_state"},
	{UMAD_SM_ATTR_PORT_INFO, "client_reregister"},
	{UMAD_SM_ATTR_SWITCH_INFO, "port_state_change"},
};

bool smp_change_names(const struct smp_change *change, const char *key)
{
	for (size_t i = 0; i < change->value_count; i++)
		if (!strcmp(change->values[i].key, key))
			return true;
	return false;
}

static void leave_idle(const struct smp_change *change, struct mad_record *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(acting); i++) {
		const struct field *field;

		if (acting[i].attribute != change->attribute->id ||
		    smp_change_names(change, acting[i].key))
			continue;
		field = schema_find(change->attribute->schema, acting[i].key);
		bits_set(record->data, field->bit, field->width, 0);
	}
}

/* Whether the change may take down the port. */
static bool is_risky(const struct smp_change *change)
{
	static const char *const harmless[] = {"mkey_lease_period_sec", "client_reregister",
					       "mkey_violations", "pkey_violations",
					       "qkey_violations"};

	if (change->attribute->id != UMAD_SM_ATTR_PORT_INFO)
		return false;
	for (size_t i = 0; i < change->value_count; i++)
		if (!is_among(change->values[i].key, harmless, ARRAY_SIZE(harmless)))
			return true;
	return false;
}

bool smp_change_cuts_path(struct smp_change *change)
{
	const struct mad_session *session = change->session;
	bool direct = session->destinations[0].place.target.kind == TARGET_DIRECT;
	unsigned char info[MAD_DATA_MOST], table[MAD_DATA_MOST];
	uint16_t lid = session->port.route.lid;

	if (!is_risky(change) || !get(change, UMAD_SM_ATTR_NODE_INFO, 0, info))
		return false;
	if (!change->port || node_info_local_port(info) == change->port)
		return true;
	if (direct || node_info_type(info) != NODE_TYPE_SWITCH)
		return false;
	return get(change, UMAD_SM_ATTR_LINEAR_FT, lid / MAD_LINEAR_BLOCK, table) &&
	       table[lid % MAD_LINEAR_BLOCK] == change->port;
}

/* A node may silently keep a field as it was. Its states may take time to change. */
static void report_kept(struct smp_change *change, const struct field *field,
			const struct mad_record *wanted)
{
	_cleanup_(freep) char *before = field_text_or_dash(field, &change->before);
	_cleanup_(freep) char *asked = field_text_or_dash(field, wanted);
	_cleanup_(freep) char *answered = field_text_or_dash(field, &change->after);

	if (!strcmp(asked, answered) || strcmp(before, answered) || !strcmp(field->key, "state") ||
	    !strcmp(field->key, "physical_state"))
		return;
	/* A key must not appear in logs. */
	problem_add_format(change->session->problems, change->session->destinations[0].name, NULL,
			   NULL, NULL, "the node left %s unchanged: %s", field->key,
			   field->flags & FIELD_SECRET ? "***" : answered);
}

bool smp_change_read(struct smp_change *change)
{
	if (!get(change, change->attribute->id, change->port, change->before.data))
		return false;
	memcpy(change->after.data, change->before.data, sizeof(change->after.data));
	return true;
}

bool smp_change_write(struct smp_change *change)
{
	struct mad_record *after = &change->after, wanted;
	uint32_t modifier = change->port;

	leave_idle(change, after);
	wanted = *after;
	/*
	 * Without SMSupportExtendedSpeeds in the modifier a port takes no extended speeds:
	 * osm_link_mgr.c of opensm, 14.2.5.6.
	 */
	if (change->attribute->id == UMAD_SM_ATTR_PORT_INFO &&
	    port_info_speed_ext_supported(change->before.data))
		modifier |= PORT_INFO_SPEEDS_EXT;
	if (!set(change, modifier, after))
		return false;
	for (size_t i = 0; i < change->value_count; i++)
		report_kept(change, change->values[i].field, &wanted);
	return true;
}

void smp_change_clear(struct smp_change *change)
{
	mad_record_clear(&change->after);
	for (size_t i = 0; i < change->value_count; i++) {
		free(change->values[i].key);
		free(change->values[i].text);
	}
	free(change->values);
}
