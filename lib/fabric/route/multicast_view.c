/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Multicast trees as records, and their faults as sentences. */
#include "base/cleanup.h"
#include "base/mem.h"
#include "fabric/route/multicast.h"
#include "schema/rows.h"

static const struct enum_name fault_names[] = {
	{MULTICAST_LOOP, "loop", .help = "packets that leave by the port come back to the switch"},
	{MULTICAST_CUT_OFF, "cut-off",
	 .help = "most other members do not reach the member there, or it does not reach them"},
	{MULTICAST_NOT_SENT, "not-sent", .help = "the switch does not send to the member there"},
	{MULTICAST_ONE_WAY, "one-way", .help = "the switch there does not send back"},
	{MULTICAST_NO_LINK, "no-link", .help = "the port is down, or the switch does not have it"},
	{MULTICAST_NO_MEMBER, "no-member", .help = "the switch there leads to no member"},
	{MULTICAST_NOT_A_MEMBER, "not-a-member",
	 .help = "the subnet administrator does not know the port there as a member"},
	{0, NULL},
};

#define RECORD struct multicast_hop_row
static const struct field fields[] = {
	VIEW_TEXT(place_get_node, "node", "NODE", SHOWN, "name of the switch"),
	NUMBER(out_port, "OUT PORT", SHOWN, 0,
	       "port that packets leave by; 0 is the switch itself"),
	VIEW_TEXT(place_get_peer, "peer", "PEER", SHOWN, "name of the node at the other end"),
	VIEW_NUMBER(place_get_peer_port, "in_port", "IN PORT", SHOWN,
		    "number of the port at the other end"),
	VIEW_WORD(place_get_peer_type, "peer_type", "PEER TYPE", SHOWN,
		  "type of the node at the other end"),
	FLAGS_AS("join_state", join_state, join_state_names, "JOIN STATE", SHOWN, 0,
		 "how the port there is a member, according to the subnet administrator"),
	FLAGS_AS("faults", faults, fault_names, "FAULTS", SHOWN, 0, "what is wrong"),
	YES_NO(in_table, "IN TABLE", 0, 0, "whether the switch sends to the port"),
	HEX(mlid, 4, "MLID", 0, 0, "LID of the multicast group"),
	VIEW_GUID(place_get_guid, "node_guid", "NODE GUID", 0, "GUID of the switch"),
	PEER_GUID_COLUMN,
};
#undef RECORD

const struct schema fabric_tree_schema = SCHEMA(
	"fabric_tree", struct multicast_hop_row, fields,
	"a port of a switch that packets of a multicast group leave by");

void multicast_hop_row_make(const struct fabric_view *view, const struct multicast_tree *tree,
			    size_t hop, struct multicast_hop_row *row)
{
	const struct multicast_hop *at = &tree->hops[hop];
	const unsigned int unsure = tree->members_known ? 0 : MULTICAST_NO_MEMBER;

	*row = (struct multicast_hop_row){
		.at = {.view = view, .place = at->port},
		.mlid = number_of(tree->mlid),
		.out_port = number_of(at->out_port),
		.faults = number_of(at->faults & ~unsure),
		.in_table = at->in_table ? TRISTATE_YES : TRISTATE_NO,
	};
	if (at->join_state)
		row->join_state = number_of(at->join_state);
}

size_t multicast_count_faults(const struct multicast_tree *tree, enum multicast_fault fault,
			      const struct multicast_hop **ret_first)
{
	size_t count = 0;

	if (fault == MULTICAST_NO_MEMBER && !tree->members_known)
		return 0;
	for (size_t i = 0; i < tree->count; i++)
		if (tree->hops[i].faults & fault && !count++)
			*ret_first = &tree->hops[i];
	return count;
}

char *multicast_fault_text(const struct fabric_view *view, const struct multicast_tree *tree,
			   enum multicast_fault fault, size_t count,
			   const struct multicast_hop *first)
{
	/* By the number of the bit; for one hop, and for several. */
	static const char *const texts[MULTICAST_FAULTS][2] = {
		{"come back to the switch that sends them", "go in a loop"},
		{"are not exchanged between a member and most others",
		 "are not exchanged between members and most others"},
		{"are not sent to a member", "are not sent to members"},
		{"go to a switch that does not send back", "go to switches that do not send back"},
		{"go to a port without a link", "go to ports without a link"},
		{"go to a switch that leads to no member", "go to switches that lead to no member"},
		{"go to a port that is not a member", "go to ports that are not members"},
	};
	_cleanup_(freep) char *name = fabric_node_name(view, view->fabric->ports[first->port].node);
	const char *const *text = texts[__builtin_ctz(fault)];

	if (count == 1)
		return mem_format("packets to 0x%04x %s: %s/%u", tree->mlid, text[0], name,
				  first->out_port);
	return mem_format("packets to 0x%04x %s: %zu ports, the first is %s/%u", tree->mlid,
			  text[1], count, name, first->out_port);
}
