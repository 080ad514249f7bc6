/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/names/counter_names.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "counter/names/counter_table.h"

const struct enum_name counter_source_names[] = {
	{COUNTER_SOURCE_PMA, "pma",
	 .help = "performance management agent of the port (ports/P/counters)"},
	{COUNTER_SOURCE_HW, "hw",
	 .help = "driver, for a port (ports/P/hw_counters), by RDMA netlink if that answers"},
	{COUNTER_SOURCE_DEVICE, "device", .help = "driver, for a device (hw_counters)"},
	{COUNTER_SOURCE_CM, "cm",
	 .help = "connection manager: messages of a port (ports/P/cm_tx_msgs ...)"},
	{COUNTER_SOURCE_NETDEV, "netdev",
	 .help = "network device of the port, which hardware RDMA traffic bypasses"},
	{0, NULL},
};

const struct enum_name counter_unit_names[] = {
	{COUNTER_UNIT_EVENTS, "events"},
	{COUNTER_UNIT_PACKETS, "packets"},
	{COUNTER_UNIT_BYTES, "bytes"},
	{COUNTER_UNIT_MESSAGES, "messages"},
	{COUNTER_UNIT_REQUESTS, "requests"},
	{COUNTER_UNIT_ERRORS, "errors"},
	{COUNTER_UNIT_TICKS, "ticks"},
	{COUNTER_UNIT_OBJECTS, "objects"},
	{COUNTER_UNIT_BITS, "bits"},
	{COUNTER_UNIT_NUMBER, "number"},
	{0, NULL},
};

const struct enum_name counter_kind_names[] = {
	{COUNTER_MONOTONIC, "monotonic", .help = "only counts up"},
	{COUNTER_GAUGE, "gauge", .help = "goes up and down"},
	{COUNTER_SATURATING, "saturating", .help = "counts up and stops at its maximum"},
	{0, NULL},
};

const struct enum_name counter_direction_names[] = {
	{COUNTER_NO_DIRECTION, "none"},
	{COUNTER_TX, "tx"},
	{COUNTER_RX, "rx"},
	{0, NULL},
};

const struct enum_name counter_severity_names[] = {
	{COUNTER_INFO, "info"},
	{COUNTER_WARNING, "warning", TONE_WARNING},
	{COUNTER_SERIOUS, "error", TONE_BAD},
	{0, NULL},
};

const struct enum_name counter_group_names[] = {
#define GROUP(code_, word_, help_) {COUNTER_GROUP_##code_, word_},
	COUNTER_GROUPS(GROUP){0, NULL},
#undef GROUP
};

const struct enum_name counter_group_bits[] = {
#define GROUP(code_, word_, help_) {1u << COUNTER_GROUP_##code_, word_, .help = help_},
	COUNTER_GROUPS(GROUP){0, NULL},
#undef GROUP
};

/* A name that two drivers share means the same in both, so the first one is used. */
const struct counter_names *const counter_catalogue[] = {
	&counter_names_pma,	    &counter_names_pma_ext,    &counter_names_rxe,
	&counter_names_mlx5,	    &counter_names_mlx5_vport, &counter_names_mlx4,
	&counter_names_irdma,	    &counter_names_irdma_new,  &counter_names_cxgb4,
	&counter_names_efa,	    &counter_names_bnxt_re,    &counter_names_bnxt_re_new,
	&counter_names_hns,	    &counter_names_erdma,      &counter_names_mana,
	&counter_names_mana_device, &counter_names_ionic,      &counter_names_hfi1,
	&counter_names_hfi1_chip,   &counter_names_qib,	       &counter_names_qib_old,
	&counter_names_cm,	    &counter_names_netdev,     NULL,
};

bool counter_name_matches(const char *pattern, const char *name)
{
	size_t before = strcspn(pattern, "*");
	size_t digits;

	if (!pattern[before])
		return !strcmp(pattern, name);
	if (strncmp(pattern, name, before))
		return false;
	digits = strspn(name + before, "0123456789");
	return digits && !strcmp(pattern + before + 1, name + before + digits);
}

/* Searches the tables of these sources, bits 1 << enum counter_source. */
static const struct counter_name *search(unsigned int sources, const char *name)
{
	for (size_t i = 0; counter_catalogue[i]; i++) {
		const struct counter_names *table = counter_catalogue[i];

		for (size_t j = 0; sources & 1u << table->source && j < table->count; j++)
			if (counter_name_matches(table->rows[j].name, name))
				return &table->rows[j];
	}
	return NULL;
}

const struct counter_name *counter_name_find(const char *name)
{
	return search(UINT_MAX, name);
}

const struct counter_name *counter_name_find_in(enum counter_source source, const char *name)
{
	return search(1u << (source == COUNTER_SOURCE_DEVICE ? COUNTER_SOURCE_HW : source), name);
}

char *counter_name_canonical(const struct counter_name *row, const char *name)
{
	const char *number = name + strcspn(row->name, "*");
	size_t before = strcspn(row->canonical, "*");

	if (!row->canonical[before])
		return mem_string(row->canonical);
	return mem_format("%.*s%.*s%s", (int)before, row->canonical,
			  (int)strspn(number, "0123456789"), number, row->canonical + before + 1);
}

enum counter_class counter_class_of(const char *name)
{
	const struct counter_name *found = counter_name_find(name);

	return found ? found->class : COUNTER_OTHER;
}

bool counter_name_counts_loss(const struct counter_name *row)
{
	return row->group == COUNTER_GROUP_DROPS || row->lost;
}
