/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Clears counters by writing zeros to those that the select bits name (16.1.3.5, 16.1.4.11; the
 * order of the bits is also in libibmad and in include/rdma/ib_pma.h). All attributes with
 * counters begin with the same bytes: an operation code or nothing, PortSelect, CounterSelect.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/perf/perf.h"
#include "schema/bits.h"

enum {
	COUNTERS_BYTES = 44,
	EXTENDED_BYTES = 184,
	EVERY_COUNTER = 0xffff, /* CounterSelect of the optional attributes */
	SELECTS_64 = 64,	/* bits of CounterSelect in PortExtendedSpeedsCounters */
};

#define KEY(group_, factor_, key_, ...) #key_,
/* In the order of the bits of a mask. */
static const char *const keys[] = {
	PERF_LINK_ERRORS(KEY) PERF_THRESHOLD_ERRORS(KEY) PERF_VL15_DROPPED(KEY) PERF_DATA_BYTES(KEY)
		PERF_PACKETS(KEY) PERF_XMIT_WAIT(KEY) PERF_QP1_DROPPED(KEY) PERF_CAST_PACKETS(KEY)};

enum { WAIT_BIT = 1 << 16, QP1_BIT = 1 << 17, CAST_SHIFT = 18, DATA_SHIFT = 12 };

int perf_parse_counters(const char *list, uint32_t *ret_mask, char **ret_wrong)
{
	_cleanup_(freep) char *copy = mem_string(list);
	char *rest = copy, *word;
	uint32_t mask = 0;

	while ((word = strsep(&rest, ","))) {
		uint64_t number = 0;

		for (size_t i = 0; i < ARRAY_SIZE(keys) && !number; i++)
			if (!strcmp(word, keys[i]))
				number = 1ull << i;
		if (!number && (text_parse_u64(word, 0, PERF_CLEAR_ALL, &number) || !number)) {
			*ret_wrong = text_clean(word, strlen(word));
			return -EINVAL;
		}
		mask |= (uint32_t)number;
	}
	*ret_mask = mask;
	return 0;
}

char *perf_counters_hint(const char *wrong)
{
	return text_suggest(
		wrong, keys, ARRAY_SIZE(keys),
		"give columns: symbol_errors,link_downed; or a mask as for perfquery: 0xfff");
}

bool perf_counts_op_code(unsigned int attribute)
{
	return attribute == MAD_PM_OP_RCV_COUNTERS || attribute == MAD_PM_VL_OP_PACKETS ||
	       attribute == MAD_PM_VL_OP_DATA;
}

bool perf_select_counters(struct perf_caps caps, uint32_t mask, unsigned char *data)
{
	unsigned int select = mask & (PERF_SELECT_ERRORS | PERF_SELECT_TRAFFIC), select2 = 0;

	if (mask & WAIT_BIT && caps.mask & PERF_CAP_XMIT_WAIT)
		select2 |= PERF_SELECT2_XMIT_WAIT;
	if (mask & QP1_BIT && caps.mask & PERF_CAP_QP1_DROPPED)
		select2 |= PERF_SELECT2_QP1_DROPPED;
	bits_set(data, MAD_AT(2, 0), 16, select);
	bits_set(data, MAD_AT(18, 0), 8, select2);
	return select || select2;
}

bool perf_select_extended(struct perf_caps caps, uint32_t mask, unsigned char *data)
{
	unsigned int select = 0, select2 = 0;

	if (!perf_has_extended(caps))
		return false;
	select = mask >> DATA_SHIFT & 0xf;
	if (caps.mask & PERF_CAP_EXTENDED_WIDTH)
		select |= (mask >> CAST_SHIFT & 0xf) << 4;
	if (caps.mask2 & PERF_CAP2_EXTENDED_ERRORS) {
		select2 = mask & PERF_EXTENDED_SELECT2_ERRORS;
		if (mask & WAIT_BIT && caps.mask & PERF_CAP_XMIT_WAIT)
			select2 |= PERF_EXTENDED_SELECT2_XMIT_WAIT;
		if (mask & QP1_BIT && caps.mask & PERF_CAP_QP1_DROPPED)
			select2 |= PERF_EXTENDED_SELECT2_QP1_DROPPED;
	}
	bits_set(data, MAD_AT(2, 0), 16, select);
	bits_set(data, MAD_AT(4, 0), 32, select2);
	return select || select2;
}

uint32_t perf_lacking_counters(struct perf_caps caps, uint32_t mask)
{
	unsigned char counters[COUNTERS_BYTES] = {0}, extended[EXTENDED_BYTES] = {0};
	uint32_t lacking = 0;

	for (uint32_t bit = 1; bit <= PERF_CLEAR_ALL; bit <<= 1)
		if (mask & bit && !perf_select_counters(caps, bit, counters) &&
		    !perf_select_extended(caps, bit, extended))
			lacking |= bit;
	return lacking;
}

static char *counter_list(uint32_t mask)
{
	char *list = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (mask & 1u << i)
			mem_extend(&list, "%s%s", list ? ", " : "", keys[i]);
	return list;
}

void perf_report_lacking(struct perf *perf, uint32_t mask)
{
	for (size_t i = 0; i < perf->node_count; i++) {
		const uint32_t lacking = perf_lacking_counters(perf->nodes[i].caps, mask);
		_cleanup_(freep) char *list = counter_list(lacking);
		bool read = false;

		for (size_t j = 0; j < perf->port_count; j++)
			read |= perf->ports[j].read && perf->ports[j].destination == i;
		/* A port without any of them is reported separately. */
		if (read && lacking && lacking != mask)
			problem_add_format(perf->session->problems,
					   perf->session->destinations[i].name, NULL, NULL, NULL,
					   "the node does not have %s: not cleared", list);
	}
}

struct clearing {
	struct perf *perf;
	struct mad_item *items;
	unsigned char (*data)[EXTENDED_BYTES];
	size_t count;
};

static void add(struct clearing *clearing, const struct perf_port *port, uint16_t attribute,
		size_t bytes)
{
	struct perf *perf = clearing->perf;
	struct mad_item *item = &clearing->items[clearing->count];
	unsigned char *data = clearing->data[clearing->count++];

	data[1] = port->port;
	mad_gmp_request(&perf->session->destinations[port->destination].place, UMAD_CLASS_PERF_MGMT,
			UMAD_METHOD_SET, attribute, 0, &item->request);
	item->request.data = data;
	item->request.data_bytes = bytes;
	item->request.number = (size_t)(port - perf->ports);
}

/* PortCounters and PortCountersExtended: a counter that both have is cleared in both. */
static void add_counters(struct clearing *clearing, const struct perf_port *port, uint32_t mask)
{
	const struct perf_caps caps = clearing->perf->nodes[port->destination].caps;

	/* The data are still zero if nothing was selected. */
	if (perf_select_counters(caps, mask, clearing->data[clearing->count]))
		add(clearing, port, MAD_PM_COUNTERS, COUNTERS_BYTES);
	if (perf_select_extended(caps, mask, clearing->data[clearing->count]))
		add(clearing, port, MAD_PM_COUNTERS_EXTENDED, EXTENDED_BYTES);
}

/* The attributes of another listing that the port has. */
static void add_parts(struct clearing *clearing, const struct perf_port *port)
{
	const struct perf_part *parts = perf_parts[clearing->perf->options.listing];

	for (size_t i = 0; i < PERF_PARTS_MOST && parts[i].id; i++) {
		unsigned char *data = clearing->data[clearing->count];
		const bool speeds = parts[i].id == MAD_PM_EXTENDED_SPEEDS;

		if (!port->has[i] || parts[i].always || parts[i].extended)
			continue;
		/* The operation code is not a counter: it is written as it was read. */
		data[0] = port->op_codes[i];
		if (speeds)
			bits_set(data, MAD_AT(8, 0), SELECTS_64, UINT64_MAX);
		else
			bits_set(data, MAD_AT(2, 0), 16, EVERY_COUNTER);
		add(clearing, port, parts[i].id,
		    mad_attribute_find(UMAD_CLASS_PERF_MGMT, parts[i].id)->bytes);
	}
	/* The congestion listing shows one counter of PortCounters: the wait. */
	if (clearing->perf->options.listing == PERF_OF_CONGESTION)
		add_counters(clearing, port, WAIT_BIT);
}

static void report_none(struct perf *perf, const struct perf_port *port)
{
	_cleanup_(freep) char *where = perf_port_words(port);

	problem_add_format(perf->session->problems,
			   perf->session->destinations[port->destination].name, NULL, "gmp", NULL,
			   "nothing to clear: %s %s none of these counters", where,
			   port->port == PERF_ALL_PORTS ? "have" : "has");
}

/* Whether another attribute of the same port failed in the same way, which has been reported. */
static bool is_told(const struct clearing *clearing, size_t number)
{
	const struct mad_item *item = &clearing->items[number];

	if (!item->error && !item->status)
		return false;
	/* The requests to one port are adjacent. */
	while (number && item->request.number == clearing->items[--number].request.number)
		if (clearing->items[number].error == item->error &&
		    clearing->items[number].status == item->status)
			return true;
	return false;
}

static size_t count_ports(const struct perf *perf, const struct perf_port *port)
{
	const struct number *ports = &perf->nodes[port->destination].ports;

	return port->port == PERF_ALL_PORTS && ports->known ? ports->value : 1;
}

size_t perf_reset(struct perf *perf, uint32_t mask)
{
	const size_t most = (PERF_PARTS_MOST + 2) * perf->port_count;
	struct clearing clearing = {
		.perf = perf,
		.items = mad_items_new(most),
		.data = mem_alloc_zero(most + 1, sizeof(*clearing.data)),
	};
	_cleanup_(freep) bool *failed = mem_alloc_zero(perf->port_count, sizeof(*failed));
	size_t cleared = 0;

	for (size_t i = 0; i < perf->port_count; i++) {
		const struct perf_port *port = &perf->ports[i];
		const size_t before = clearing.count;

		if (!port->read)
			continue;
		if (perf->options.listing == PERF_OF_PORT)
			add_counters(&clearing, port, mask);
		else
			add_parts(&clearing, port);
		failed[i] = clearing.count == before;
		if (failed[i])
			report_none(perf, port);
	}
	mad_gather(perf->session->engine, clearing.items, clearing.count);
	for (size_t i = 0; i < clearing.count; i++) {
		const struct mad_item *item = &clearing.items[i];
		const size_t port = item->request.number;

		if (!is_told(&clearing, i))
			failed[port] |= !perf_check_set(
				perf, &perf->ports[port], "clearing the counters of", item,
				"rdmactl perf shows which counters are still there");
	}
	for (size_t i = 0; i < perf->port_count; i++)
		if (perf->ports[i].read && !failed[i])
			cleared += count_ports(perf, &perf->ports[i]);
	free(clearing.data);
	free(clearing.items);
	return cleared;
}
