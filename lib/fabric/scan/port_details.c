/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "fabric/scan/port_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/scan/scan.h"
#include "mad/perf/perf.h"
#include "schema/bits.h"
#include "schema/rows.h"

/* The attributes with details, and whether a node may lack them. */
static const struct {
	uint16_t id;
	bool optional;
	const char *reason; /* queried only if this counter is nonzero; NULL: always */
} parts[] = {
	{MAD_PM_RCV_ERROR_DETAILS, false, "rcv_errors"},
	{MAD_PM_XMIT_DISCARD_DETAILS, false, "xmit_discards"},
	{MAD_PM_VL_XMIT_FLOW_CTL_ERRORS, true, NULL},
	{MAD_PM_VL_XMIT_WAIT, true, "xmit_wait_ticks"},
	{MAD_PM_SW_VL_CONGESTION, true, "xmit_wait_ticks"},
};

/* Counters that a Set of the details clears: all of 16.1.4.1 and 16.1.4.2, one bit each. */
enum { RCV_ERROR_DETAILS_SELECT = 0x3f, XMIT_DISCARD_DETAILS_SELECT = 0x0f };

void port_errors_request(const struct fabric *fabric, const struct port_errors_options *options,
			 uint32_t port, uint8_t method, uint16_t attribute,
			 struct mad_request *request)
{
	*request = (struct mad_request){
		.to = options->address,
		.mgmt_class = UMAD_CLASS_PERF_MGMT,
		.method = method,
		.attribute = attribute,
	};
	request->to.lid = fabric_lid(fabric, port);
	if (options->service_levels)
		request->to.sl = options->service_levels[request->to.lid];
}

static void note(struct port_errors *failures, uint32_t port, const struct mad_item *item)
{
	MEM_ADD(failures->failures, failures->failure_count) = fabric_failure_of_item(port, item);
}

static bool is_counted(const struct port_errors_row *row, const char *key)
{
	struct value value;

	if (!key)
		return true;
	field_get(schema_find(&perf_schema, key), &row->counters, &value);
	/* A number, or a text with a mark if the counter is saturated. */
	return value.kind == VALUE_UNSIGNED ? value.number : value.kind != VALUE_NONE;
}

static void add_details(struct port_errors_row *row, const struct mad_item *item)
{
	const struct schema *schema =
		mad_attribute_find(UMAD_CLASS_PERF_MGMT, item->request.attribute)->schema;
	struct mad_record record = {.object = NULL};

	memcpy(record.data, item->data, sizeof(item->data));
	for_each_in (field, schema->fields, schema->field_count) {
		struct value value;

		if (!field->tag)
			continue;
		field_get(field, &record, &value);
		if (value.kind == VALUE_UNSIGNED && value.number)
			MEM_ADD(row->details, row->detail_count) = (struct port_detail){
				field, number_of(value.number)};
	}
}

static void take_part(struct port_errors_row *row, const struct mad_item *item,
		      struct port_errors *failures)
{
	const bool canceled = item->error == -ECANCELED;

	if (!item->error && !item->status) {
		add_details(row, item);
		return;
	}
	if (parts[item->request.number % ARRAY_SIZE(parts)].optional && !canceled)
		return;
	row->knows_details = false;
	if (!canceled)
		note(failures, row->at.place, item);
}

static void say_details(struct port_errors_row *row)
{
	for (size_t i = 0; i < row->detail_count; i++)
		mem_extend(&row->said_details, "%s%s %llu", row->said_details ? ", " : "",
			   row->details[i].field->key,
			   (unsigned long long)row->details[i].value.value);
}

int port_details_read(struct mad_engine *engine, const struct fabric *fabric,
		      const struct port_errors_options *options, struct port_errors_row *rows,
		      size_t count, struct port_errors *failures)
{
	_cleanup_(freep) struct mad_item *items = mad_items_new(count * ARRAY_SIZE(parts));
	unsigned char(*selects)[2] = mem_alloc_zero(count, sizeof(*selects));
	size_t asked = 0;
	int rc;

	for (size_t i = 0; i < count; i++) {
		const uint32_t port = rows[i].at.place;

		selects[i][1] = fabric->ports[port].number;
		for (size_t j = 0; j < ARRAY_SIZE(parts); j++) {
			struct mad_request *request = &items[asked].request;

			if (!is_counted(&rows[i], parts[j].reason) ||
			    (parts[j].id == MAD_PM_SW_VL_CONGESTION &&
			     !fabric_is_of_switch(fabric, port)))
				continue;
			port_errors_request(fabric, options, port, UMAD_METHOD_GET, parts[j].id,
					    request);
			request->data = selects[i];
			request->data_bytes = sizeof(selects[i]);
			request->number = i * ARRAY_SIZE(parts) + j;
			asked++;
		}
	}
	rc = mad_gather(engine, items, asked);
	for (size_t i = 0; i < count; i++)
		rows[i].knows_details = true;
	for (size_t i = 0; i < asked; i++)
		take_part(&rows[items[i].request.number / ARRAY_SIZE(parts)], &items[i], failures);
	for (size_t i = 0; i < count; i++)
		say_details(&rows[i]);
	free(selects);
	return rc;
}

/* A Set for one port. */
struct order {
	size_t place; /* index of the port in the readings */
	uint16_t attribute;
	unsigned char data[EXTENDED_PORT_COUNTERS_BYTES];
};

static struct order *add_order(struct order **orders, size_t *count, size_t place,
			       const struct port_counters *counters, uint16_t attribute)
{
	struct order *order = mem_append(orders, count, sizeof(*order));

	*order = (struct order){.place = place, .attribute = attribute};
	order->data[1] = counters->select[1];
	return order;
}

static void add_orders(struct order **orders, size_t *count, size_t place,
		       const struct port_counters *counters, unsigned int kinds, bool details)
{
	const bool errors = kinds & CLEAR_ERRORS, traffic = kinds & CLEAR_TRAFFIC;
	const uint32_t mask = errors && traffic ? PERF_CLEAR_ALL
			      : errors		? PERF_CLEAR_ERRORS
						: PERF_CLEAR_TRAFFIC;
	struct order *order = add_order(orders, count, place, counters, MAD_PM_COUNTERS);

	perf_select_counters(counters->caps, mask, order->data);
	order = add_order(orders, count, place, counters, MAD_PM_COUNTERS_EXTENDED);
	if (!perf_select_extended(counters->caps, mask, order->data))
		--*count;
	if (!errors || !details)
		return;
	order = add_order(orders, count, place, counters, MAD_PM_RCV_ERROR_DETAILS);
	bits_set(order->data, MAD_AT(2, 0), 16, RCV_ERROR_DETAILS_SELECT);
	order = add_order(orders, count, place, counters, MAD_PM_XMIT_DISCARD_DETAILS);
	bits_set(order->data, MAD_AT(2, 0), 16, XMIT_DISCARD_DETAILS_SELECT);
}

int port_counters_reset(struct mad_engine *engine, const struct fabric *fabric,
			const struct port_errors_options *options, unsigned int kinds, bool details,
			struct port_errors *readings, size_t *ret_ports)
{
	_cleanup_(freep) bool *failed = mem_alloc_zero(readings->count, sizeof(*failed));
	_cleanup_(freep) struct order *orders = NULL;
	struct mad_item *items;
	size_t count = 0, cleared = 0;
	int rc;

	for (size_t i = 0; i < readings->count; i++)
		if (readings->items[i].read)
			add_orders(&orders, &count, i, &readings->items[i], kinds, details);
	items = mad_items_new(count);
	for (size_t i = 0; i < count; i++) {
		port_errors_request(fabric, options, readings->items[orders[i].place].port,
				    UMAD_METHOD_SET, orders[i].attribute, &items[i].request);
		items[i].request.data = orders[i].data;
		items[i].request.data_bytes =
			mad_attribute_find(UMAD_CLASS_PERF_MGMT, orders[i].attribute)->bytes;
	}
	rc = mad_gather(engine, items, count);
	for (size_t i = 0; i < count; i++) {
		if (!items[i].error && !items[i].status)
			continue;
		failed[orders[i].place] = true;
		if (items[i].error != -ECANCELED)
			note(readings, readings->items[orders[i].place].port, &items[i]);
	}
	for (size_t i = 0; i < readings->count; i++)
		cleared += readings->items[i].read && !failed[i];
	free(items);
	*ret_ports = cleared;
	return rc;
}

#define RECORD struct port_detail
static const struct field detail_fields[] = {
	COMPUTED_FIELD(FIELD_STRING, port_counter_get_name, "counter", "COUNTER", 0, 0,
		       "name of the counter, with its unit"),
	NUMBER(value, "VALUE", 0, 0, "its value"),
};
#undef RECORD

const struct schema port_details_schema = SCHEMA("details", struct port_detail, detail_fields,
						 "a further counter of a port with errors");
