/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/smp_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"
#include "mad/format/codes.h"

/* A piece without = belongs to the value before it, which is a list of flags. */
int smp_change_parse(struct smp_change *change, const char *text)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *piece;

	while ((piece = strsep(&rest, ","))) {
		char *equals = strchr(piece, '=');
		struct smp_value *last;

		if (!equals && change->value_count) {
			char *longer;

			last = &change->values[change->value_count - 1];
			longer = mem_format("%s,%s", last->text, piece);
			free(last->text);
			last->text = longer;
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

/* A refused Set has its own message; a failed Get does not. */
static bool check(struct smp_change *change, uint8_t method, const struct mad_item *item)
{
	const struct mad_destination *at = &change->session->destinations[0];
	_cleanup_(freep) char *text = NULL;
	char word[MAD_STATUS_BYTES];

	if (method != UMAD_METHOD_SET || item->error || !item->status)
		return mad_session_check(change->session, at, change->attribute->name, item);
	mad_status_word(item->request.mgmt_class, item->status, word);
	text = mem_format("%s: not changed: the node refused it with status 0x%04x: %s", at->name,
			  item->status, word);
	problem_add_text(change->session->problems, NULL, NULL, NULL, text, NULL);
	return false;
}

/* Sends one request and waits for its answer. Failures are reported. */
static bool call(struct smp_change *change, uint8_t method, uint16_t attribute, uint32_t modifier,
		 const unsigned char *data, unsigned char *ret_data)
{
	const struct mad_destination *at = &change->session->destinations[0];
	struct mad_item item = {0};

	mad_smp_request(&at->place, method, attribute, modifier, &item.request);
	item.request.key = change->session->key;
	item.request.data = data;
	item.request.data_bytes = data ? change->attribute->bytes : 0;
	mad_gather(change->session->engine, &item, 1);
	if (!check(change, method, &item))
		return false;
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

		for (size_t j = 0; j < change->value_count; j++)
			set |= change->values[j].field == field;
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
	for (size_t i = 0; i < change->value_count; i++) {
		bool found = false;

		for (size_t j = 0; j < ARRAY_SIZE(harmless); j++)
			found |= !strcmp(change->values[i].key, harmless[j]);
		if (!found)
			return true;
	}
	return false;
}

/*
 * Whether requests arrive by the port, or answers leave by it. The latter port is in the switch's
 * forwarding table, at our LID, and need not be the same.
 */
bool smp_change_cuts_path(struct smp_change *change)
{
	const struct mad_session *session = change->session;
	bool direct = session->destinations[0].place.target.kind == TARGET_DIRECT;
	unsigned char info[MAD_DATA_MOST], table[MAD_DATA_MOST];
	uint16_t lid = session->port.lid;

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

char *smp_field_text(const struct field *field, const struct mad_record *record)
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

/* A node may silently keep a field as it was. Its states may take time to change. */
static void report_kept(struct smp_change *change, const struct field *field,
			const struct mad_record *wanted)
{
	_cleanup_(freep) char *before = smp_field_text(field, &change->before);
	_cleanup_(freep) char *asked = smp_field_text(field, wanted), *text = NULL;
	_cleanup_(freep) char *answered = smp_field_text(field, &change->after);

	if (!strcmp(asked, answered) || strcmp(before, answered) || !strcmp(field->key, "state") ||
	    !strcmp(field->key, "physical_state"))
		return;
	text = mem_format("the node kept %s as it was: %s", field->key, answered);
	problem_add_text(change->session->problems, change->session->destinations[0].name, NULL,
			 NULL, text, NULL);
}

bool smp_change_read(struct smp_change *change)
{
	if (!call(change, UMAD_METHOD_GET, change->attribute->id, change->port, NULL,
		  change->before.data))
		return false;
	memcpy(change->after.data, change->before.data, sizeof(change->after.data));
	return true;
}

bool smp_change_write(struct smp_change *change)
{
	struct mad_record *after = &change->after, wanted;

	keep_states(change, after);
	wanted = *after;
	if (!call(change, UMAD_METHOD_SET, change->attribute->id, change->port, after->data,
		  after->data))
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
