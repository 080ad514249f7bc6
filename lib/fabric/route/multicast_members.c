/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The members of a multicast group, as the subnet administrator has them. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fabric/route/multicast.h"
#include "mad/format/header.h"
#include "schema/bits.h"

/* MCMemberRecord, 15.2.5.17 */
enum {
	MEMBER_RECORD_BYTES = 52,
	MEMBER_GUID_AT = 24, /* the lower half of PortGID */
	MEMBER_MLID_AT = 36,
	MEMBER_JOIN_STATE_AT = 48, /* its lower half */
};
#define MEMBER_HAS_MLID (1ull << 3)

struct reader {
	const struct mad_route *route;
	unsigned char query[MEMBER_RECORD_BYTES];
	struct multicast_members *members;
	struct multicast_answer *answer;
	bool asked;
};

static bool next(void *context, struct mad_request *request)
{
	struct reader *reader = context;

	if (reader->asked)
		return false;
	reader->asked = true;
	*request = (struct mad_request){
		.to = mad_sa_address(reader->route),
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.method = UMAD_SA_METHOD_GET_TABLE,
		.attribute = UMAD_SA_ATTR_MCMEMBER_REC,
		.key = reader->route->sm_key,
		.component_mask = MEMBER_HAS_MLID,
		.data = reader->query,
		.data_bytes = sizeof(reader->query),
	};
	return true;
}

/* A record without a port says that there is a group; its members are not for everyone. */
static void take(struct reader *reader, const unsigned char *record)
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

static void done(void *context, const struct mad_reply *reply)
{
	struct reader *reader = context;
	const size_t at = mad_data_offset(UMAD_CLASS_SUBN_ADM);
	const size_t bytes = !reply->error && reply->bytes > at ? reply->bytes - at : 0;
	size_t size;

	reader->answer->error = reply->error;
	reader->answer->status = reply->error ? 0 : reply->status;
	if (reader->answer->status == MAD_SA_STATUS(UMAD_SA_STATUS_NO_RECORDS))
		reader->answer->status = 0;
	if (reply->error || reply->status)
		return;
	size = 8 * (size_t)mad_record_offset(reply->mad);
	for (size_t i = 0; size >= MEMBER_RECORD_BYTES && i < bytes / size; i++)
		take(reader, reply->mad + at + i * size);
	reader->answer->cut = size >= MEMBER_RECORD_BYTES && bytes >= size &&
			      mad_table_is_cut(reply->mad, reply->bytes, size);
}

void multicast_ask_members(struct mad_engine *engine, const struct mad_route *route, uint16_t mlid,
			   struct multicast_members *members, struct multicast_answer *answer)
{
	struct reader reader = {.route = route, .members = members, .answer = answer};
	const struct mad_work work = {.context = &reader, .next = next, .done = done};
	int rc;

	*answer = (struct multicast_answer){.error = -ENODATA};
	if (!route->subnet_manager)
		return;
	bits_set(reader.query, (size_t)MEMBER_MLID_AT * 8, 16, mlid);
	rc = mad_engine_run(engine, &work);
	if (rc)
		answer->error = rc;
	/* Those that are missing are not strangers. */
	members->known &= !answer->cut && !answer->error;
}

static int by_guid(const void *a, const void *b)
{
	const struct multicast_member *one = a, *other = b;

	return (one->guid > other->guid) - (one->guid < other->guid);
}

void multicast_find_members(const struct fabric *fabric, struct multicast_members *members)
{
	if (!members->count)
		return;
	for (size_t i = 0; i < members->count; i++)
		members->items[i].port = FABRIC_NONE;
	qsort(members->items, members->count, sizeof(*members->items), by_guid);
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
		found = bsearch(&wanted, members->items, members->count, sizeof(wanted), by_guid);
		/* Records of several groups with one MLID are next to each other. */
		for (; found && found > members->items && found[-1].guid == wanted.guid; found--)
			continue;
		for (;
		     found && found < members->items + members->count && found->guid == wanted.guid;
		     found++)
			if (found->port == FABRIC_NONE)
				found->port = i;
	}
	qsort(members->items, members->count, sizeof(*members->items), fabric_compare_ports);
}
