/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Cables with the plugs at both ends as records, their changes, and their saved form. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fabric/scan/cable_info.h"
#include "schema/rows.h"

/* Smaller changes may be noise in the module's own readings. */
#define LEAST_DECIBELS 1.0

static const struct enum_name state_names[] = {
	{FABRIC_PLUG_READ, "read"},
	{FABRIC_PLUG_ABSENT, "absent", TONE_BAD, "no cable, according to the device"},
	{FABRIC_PLUG_NO_MEMORY, "no-memory", .help = "a cable without a memory that describes it"},
	{FABRIC_PLUG_UNSUPPORTED, "unsupported",
	 .help = "the device does not report it, or the link is internal"},
	{FABRIC_PLUG_OTHER_VENDOR, "other-vendor",
	 .help = "a vendor whose attribute rdmactl does not know"},
	{FABRIC_PLUG_NO_ANSWER, "no-answer", TONE_BAD,
	 "the node did not answer, or answered only with an error"},
	{FABRIC_PLUG_FAILED, "failed", TONE_BAD, "the device could not read the module"},
	{FABRIC_PLUG_NOT_READ, "not-read",
	 .help = "the reading was interrupted, or a directed route does not reach that far"},
	{0, NULL},
};

static const struct enum_name source_names[] = {
	{FABRIC_PLUG_CABLE_INFO, "cable-info",
	 .help = "the memory of the module, through CableInfo"},
	{FABRIC_PLUG_PDDR, "pddr", .help = "the device's firmware, through its register PDDR"},
	{0, NULL},
};

#define PLUG_GETTER(name_, set_, member_)                                         \
	static void name_(const void *record, struct value *value)                \
	{                                                                         \
		set_(value, &((const struct fabric_cable_row *)record)->member_); \
	}
PLUG_GETTER(get_weakest, plug_set_weakest, plug)
PLUG_GETTER(get_peer_weakest, plug_set_weakest, peer_plug)
PLUG_GETTER(get_lanes, plug_set_lanes, plug)
PLUG_GETTER(get_peer_lanes, plug_set_lanes, peer_plug)

#define RECORD struct fabric_cable_row
static const struct field fields[] = {
	PORT_COLUMNS(place_get_port),
	PEER_COLUMNS,
	PLUG_COLUMNS(RECORD, plug, "", "", SHOWN, SHOWN),
	COMPUTED_REAL_FIELD(get_weakest, 1, "rx_power_dbm", "RX dBm", SHOWN | FIELD_RIGHT,
			    PLUG_WEAKEST_HELP),
	PLUG_COLUMNS(RECORD, peer_plug, "peer_", "PEER ", 0, SHOWN),
	COMPUTED_REAL_FIELD(get_peer_weakest, 1, "peer_rx_power_dbm", "PEER RX dBm",
			    SHOWN | FIELD_RIGHT, PLUG_WEAKEST_HELP),
	FLAGS_AS("alarms", plug.alarms, plug_flag_names, "ALARMS", SHOWN, 0,
		 "readings of any lane that are beyond the module's own thresholds now"),
	FLAGS_AS("peer_alarms", peer_plug.alarms, plug_flag_names, "PEER ALARMS", SHOWN, 0,
		 "alarms of the module at the other end"),
	FLAGS_AS("flags", plug.flags, plug_flag_names, "FLAGS", 0, 0,
		 "faults, alarms and warnings that the module noted since the last read"),
	FLAGS_AS("peer_flags", peer_plug.flags, plug_flag_names, "PEER FLAGS", 0, 0,
		 "flags of the module at the other end"),
	WORD(state, state_names, "STATE", 0, 0, "whether the module could be read"),
	WORD(peer_state, state_names, "PEER STATE", 0, 0,
	     "whether the module at the other end could be read"),
	WORD(source, source_names, "SOURCE", 0, 0, "where the data about the module comes from"),
	WORD(peer_source, source_names, "PEER SOURCE", 0, 0,
	     "where the data about the module at the other end comes from"),
	TEXT(changes, "CHANGES", 0, 0, "what changed since --since"),
	NODE_GUID_COLUMN,
	PEER_GUID_COLUMN,
	RECORDS_FIELD(get_lanes, &plug_lane_schema, "", "lanes", 0, "readings of each lane"),
	RECORDS_FIELD(get_peer_lanes, &plug_lane_schema, "", "peer_lanes", 0,
		      "readings of each lane at the other end"),
};
#undef RECORD

static const struct column_view views[] = {
	{"--since", "node,port,peer,peer_port,kind,part,serial,rx_power_dbm,peer_serial,"
		    "peer_rx_power_dbm,changes"},
	{NULL, NULL},
};

const struct schema fabric_cables_schema = SCHEMA("fabric_cables", struct fabric_cable_row, fields,
						  "a cable, with the modules at both ends",
						  .views = views);

static void take(const struct fabric_plug *from, struct number *state, struct number *source,
		 struct plug *plug)
{
	if (!from)
		return;
	number_set(state, from->state);
	if (from->state == FABRIC_PLUG_READ)
		number_set(source,
			   plug_is_told(&from->memory) ? FABRIC_PLUG_PDDR : FABRIC_PLUG_CABLE_INFO);
	plug_decode(&from->memory, plug);
}

void fabric_cable_row_make(const struct fabric_view *view, const struct fabric_plug *plug,
			   const struct fabric_plug *peer, struct fabric_cable_row *row)
{
	*row = (struct fabric_cable_row){.at = {.view = view, .place = plug->port}};
	take(plug, &row->state, &row->source, &row->plug);
	take(peer, &row->peer_state, &row->peer_source, &row->peer_plug);
}

void fabric_cable_row_clear(struct fabric_cable_row *row)
{
	plug_clear(&row->plug);
	plug_clear(&row->peer_plug);
	free(row->changes);
	row->changes = NULL;
}

static bool weakest_of(const struct fabric_cable_row *row, double *ret_milliwatts)
{
	const struct plug_lane *here = plug_weakest(&row->plug);
	const struct plug_lane *there = plug_weakest(&row->peer_plug);

	if (!here || (there && there->rx_power_mw.value < here->rx_power_mw.value))
		here = there;
	if (here)
		*ret_milliwatts = here->rx_power_mw.value;
	return here;
}

int fabric_cable_row_compare(const void *a, const void *b)
{
	const struct fabric_cable_row *one = a, *other = b;
	double here = 0, there = 0;
	const bool known = weakest_of(one, &here), other_known = weakest_of(other, &there);
	const int order = COMPARE(other_known, known) ?: COMPARE(here, there);

	return order ?: COMPARE(one->at.place, other->at.place);
}

static void add_text(char **text, const char *prefix, const char *what, const char *before,
		     const char *after)
{
	if (before && after && !strcmp(before, after))
		return;
	if (!before && !after)
		return;
	mem_extend(text, "%s%s%s %s -> %s", *text ? ", " : "", prefix, what,
		   before ? before : "unknown", after ? after : "unknown");
}

static void add_power(char **text, const char *prefix, const struct plug *before,
		      const struct plug *after)
{
	const struct plug_lane *then = plug_weakest(before), *now = plug_weakest(after);
	double change;

	if (!then || !now)
		return;
	change = plug_dbm(now->rx_power_mw.value) - plug_dbm(then->rx_power_mw.value);
	if (change >= LEAST_DECIBELS || change <= -LEAST_DECIBELS)
		mem_extend(text, "%s%sreceive power %+.1f dB", *text ? ", " : "", prefix, change);
}

static void add_alarms(char **text, const char *prefix, const struct plug *before,
		       const struct plug *after)
{
	for (const struct enum_name *name = plug_flag_names; name->word; name++)
		if (after->alarms.value & ~before->alarms.value & name->value)
			mem_extend(text, "%s%s%s", *text ? ", " : "", prefix, name->word);
}

void fabric_plug_add_changes(const struct plug *before, const struct plug *after,
			     const char *prefix, char **text)
{
	add_text(text, prefix, "vendor", before->vendor, after->vendor);
	add_text(text, prefix, "part", before->part, after->part);
	add_text(text, prefix, "serial", before->serial, after->serial);
	add_power(text, prefix, before, after);
	add_alarms(text, prefix, before, after);
}

#define RECORD struct saved_plug
static const struct field saved_fields[] = {
	NUMBER(node_guid, "NODE GUID", 0, 0, "GUID of the node, as a number"),
	NUMBER(port, "PORT", 0, 0, "number of the port"),
	TEXT(memory, "MEMORY", 0, 0, "parts of the module's memory, in hexadecimal"),
};
#undef RECORD

const struct schema saved_plug_schema = SCHEMA("saved_plugs", struct saved_plug, saved_fields,
					       "the saved memory of a module");

struct saved_plug saved_plug_of(const struct fabric *fabric, const struct fabric_plug *plug)
{
	return (struct saved_plug){
		.node_guid = number_of(fabric_node_of(fabric, plug->port)->guid),
		.port = number_of(fabric->ports[plug->port].number),
		.memory = plug_memory_text(&plug->memory),
	};
}

long saved_plugs_load(const struct fabric *fabric, const struct saved_plug *saved, size_t count,
		      struct fabric_plugs *plugs)
{
	long others = 0;

	for (size_t i = 0; i < count; i++) {
		struct fabric_plug plug = {.state = FABRIC_PLUG_READ};

		if (!saved[i].node_guid.known || !saved[i].port.known || !saved[i].memory ||
		    plug_memory_parse(saved[i].memory, &plug.memory))
			return -EINVAL;
		plug.port = fabric_find_port(fabric, saved[i].node_guid.value, saved[i].port.value);
		if (plug.port == FABRIC_NONE)
			others++;
		else
			MEM_ADD(plugs->items, plugs->count) = plug;
	}
	MEM_SORT(plugs->items, plugs->count, fabric_compare_ports);
	return others;
}
