/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The members of a multicast group, according to the subnet administrator. */
#include <errno.h>

#include "base/mem.h"
#include "fabric/route/multicast.h"
#include "schema/bits.h"

/* MCMemberRecord, 15.2.5.17 */
enum {
	MEMBER_RECORD_BYTES = 52,
	MEMBER_GUID_AT = 24, /* the lower half of PortGID */
	MEMBER_MLID_AT = 36,
	MEMBER_JOIN_STATE_AT = 48, /* in the lower half of the byte */
};
#define MEMBER_HAS_MLID (1ull << 3)

struct reader {
	struct multicast_members *members;
	struct multicast_answer *answer;
};

/* A record without a port only says that the group exists: its members are not disclosed. */
static void take_record(struct reader *reader, const unsigned char *record)
{
	const uint64_t guid = bits_get(record, (size_t)MEMBER_GUID_AT * 8, 64);
	struct multicast_members *members = reader->members;

	reader->answer->is_group = true;
	if (!guid)
		return;
	members->known = true;
	MEM_ADD(members->items, members->count) = (struct multicast_member){
		.guid = guid,
		.join_state = record[MEMBER_JOIN_STATE_AT] & 0xf,
		.port = FABRIC_NONE,
	};
}

static void take(void *context, struct mad_item *item, const struct mad_reply *reply)
{
	struct reader *reader = context;
	struct mad_table table;

	if (item->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS))
		item->status = 0;
	if (reply->error || reply->status)
		return;
	table = mad_table_of(reply->mad, reply->bytes, MEMBER_RECORD_BYTES);
	for (size_t i = 0; i < table.count; i++)
		take_record(reader, table.records + i * table.size);
	reader->answer->cut = table.cut;
}

void multicast_ask_members(struct mad_engine *engine, const struct mad_route *route, uint16_t mlid,
			   struct multicast_members *members, struct multicast_answer *answer)
{
	unsigned char query[MEMBER_RECORD_BYTES] = {0};
	struct reader reader = {.members = members, .answer = answer};
	struct mad_item item = {
		.request = mad_sa_request(route, UMAD_SA_METHOD_GET_TABLE,
					  UMAD_SA_ATTR_MCMEMBER_REC, MEMBER_HAS_MLID, query,
					  sizeof(query)),
	};
	int rc;

	*answer = (struct multicast_answer){.error = -ENODATA};
	if (!route->subnet_manager)
		return;
	bits_set(query, (size_t)MEMBER_MLID_AT * 8, 16, mlid);
	rc = mad_gather_long(engine, &item, 1, take, &reader);
	answer->error = rc ? rc : item.error;
	answer->status = answer->error ? 0 : item.status;
	/* If the list is incomplete, ports missing from it are not strangers. */
	members->known &= !answer->cut && !answer->error;
}

DEFINE_ORDER(by_guid, struct multicast_member, COMPARE(a->guid, b->guid), 0)

void multicast_find_members(const struct fabric *fabric, struct multicast_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		members->items[i].port = FABRIC_NONE;
	MEM_SORT(members->items, members->count, by_guid);
	for (uint32_t i = 0; i < fabric->port_count; i++) {
		const bool is_switch = fabric_is_of_switch(fabric, i);
		struct multicast_member *found,
			wanted = {
				.guid = is_switch ? node_info_port_guid(
							    fabric_node_of(fabric, i)->info)
						  : fabric->ports[i].guid,
			};

		if (!wanted.guid || (is_switch && fabric->ports[i].number))
			continue;
		/* Records of several groups with one MLID are adjacent. */
		found = MEM_FIND_FIRST(&wanted, members->items, members->count, by_guid);
		for (;
		     found && found < members->items + members->count && found->guid == wanted.guid;
		     found++)
			if (found->port == FABRIC_NONE)
				found->port = i;
	}
	MEM_SORT(members->items, members->count, fabric_compare_ports);
}
