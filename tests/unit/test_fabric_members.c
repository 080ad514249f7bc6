/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The members of a multicast group: the query to the subnet administrator, what its records say
 * (infiniband/umad_sa_mcm.h), and the ports of the scan where they are.
 */
#include "made_up_fabric.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sa_mcm.h>

#include "fabric/route/multicast.h"

enum { MLID = 0xc003, ROOM = 2048 };

/* The answer of the subnet administrator, and the query that it got. */
static struct answered {
	int rc, error;
	uint16_t status;
	size_t bytes, runs, requests;
	union {
		unsigned char bytes[ROOM];
		struct umad_sa_packet packet;
	} mad;
	struct mad_request request;
	struct umad_sa_mcmember_record query;
} sa;

/* Replaces the one of the library. */
int mad_engine_run(struct mad_engine *engine, const struct mad_work *work)
{
	const struct mad_reply reply = {
		.request = &sa.request,
		.error = sa.error,
		.status = sa.status,
		.mad = sa.error ? NULL : sa.mad.bytes,
		.bytes = sa.error ? 0 : sa.bytes,
	};

	(void)engine;
	sa.runs++;
	while (work->next(work->context, &sa.request))
		sa.requests++;
	assert_true(sa.request.data_bytes <= sizeof(sa.query));
	memcpy(&sa.query, sa.request.data, sa.request.data_bytes);
	if (!sa.rc)
		work->done(work->context, &reply);
	return sa.rc;
}

/* Records of that size with these GUIDs, in one RMPP answer. */
static void put_records(size_t size, const uint64_t *guids, size_t count)
{
	sa = (struct answered){.rc = 0};
	sa.mad.packet.attr_offset = htobe16((uint16_t)(size / 8));
	sa.mad.packet.rmpp_hdr.rmpp_type = 1; /* DATA */
	sa.bytes = offsetof(struct umad_sa_packet, data);
	for (size_t i = 0; i < count; i++, sa.bytes += size) {
		struct umad_sa_mcmember_record record = {.mlid = htobe16(MLID)};
		const uint64_t half = htobe64(guids[i]);

		memcpy(record.portgid + 8, &half, sizeof(half));
		record.portgid[0] = 0xfe;
		/* The adjacent scope is not part of it. */
		record.scope_state = (uint8_t)(0x20 | (i + 1));
		memcpy(sa.mad.bytes + sa.bytes, &record,
		       size < sizeof(record) ? size : sizeof(record));
	}
}

static struct multicast_answer ask(struct multicast_members *members)
{
	const struct mad_route route = {
		.subnet_manager = true, .sm_lid = 5, .sm_sl = 3, .sm_key = 0x1234};
	struct multicast_answer answer = {.error = 1};

	*members = (struct multicast_members){.items = NULL};
	multicast_ask_members(NULL, &route, MLID, members, &answer);
	return answer;
}

static void question(void **state)
{
	const struct mad_route nobody = {.sm_lid = 5};
	struct multicast_members members;
	struct multicast_answer answer;

	(void)state;
	put_records(56, NULL, 0);
	answer = ask(&members);
	assert_int_equal(answer.error, 0);
	assert_int_equal(sa.requests, 1);
	assert_int_equal(sa.request.to.lid, 5);
	assert_int_equal(sa.request.to.sl, 3);
	assert_int_equal(sa.request.mgmt_class, UMAD_CLASS_SUBN_ADM);
	assert_int_equal(sa.request.method, UMAD_SA_METHOD_GET_TABLE);
	assert_int_equal(sa.request.attribute, UMAD_SA_ATTR_MCMEMBER_REC);
	assert_int_equal(sa.request.key, 0x1234);
	assert_int_equal(sa.request.component_mask, UMAD_SA_MCM_COMP_MASK_MLID);
	assert_int_equal(be16toh(sa.query.mlid), MLID);
	/* There is no subnet administrator. */
	sa.runs = 0;
	multicast_ask_members(NULL, &nobody, MLID, &members, &answer);
	assert_int_equal(answer.error, -ENODATA);
	assert_int_equal(sa.runs, 0);
}

static void records(void **state)
{
	static const uint64_t guids[] = {0x1000000000000001, 0xffffffffffffffff, 7};
	static const size_t sizes[] = {56, 64};
	struct multicast_members members;
	struct multicast_answer answer;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (size_t count = 0; count <= ARRAY_SIZE(guids); count++) {
			put_records(sizes[i], guids, count);
			answer = ask(&members);
			assert_int_equal(answer.error, 0);
			assert_int_equal(answer.status, 0);
			assert_int_equal(answer.is_group, count > 0);
			assert_int_equal(members.known, count > 0);
			assert_false(answer.cut);
			assert_int_equal(members.count, count);
			for (size_t j = 0; j < count; j++) {
				assert_int_equal(members.items[j].guid, guids[j]);
				assert_int_equal(members.items[j].join_state, j + 1);
				assert_int_equal(members.items[j].port, FABRIC_NONE);
			}
			free(members.items);
		}
	/* Too short for a record. */
	put_records(48, guids, 2);
	answer = ask(&members);
	assert_false(answer.is_group || answer.cut || members.known);
	assert_int_equal(members.count, 0);
}

/* A group without its members, as untrusted requesters get it (15.2.5.17). */
static void untrusted(void **state)
{
	static const uint64_t none[] = {0};
	struct multicast_members members;
	struct multicast_answer answer;

	(void)state;
	put_records(56, none, 1);
	answer = ask(&members);
	assert_true(answer.is_group);
	assert_false(members.known);
	assert_int_equal(members.count, 0);
}

static void failures(void **state)
{
	static const uint64_t guids[] = {1, 2, 3};
	struct multicast_members members;
	struct multicast_answer answer;

	(void)state;
	/* An answer without records is not a fault; the code is in the upper byte, 15.4.3. */
	put_records(56, guids, 0);
	sa.status = 0x0300;
	answer = ask(&members);
	assert_int_equal(answer.status, 0);
	assert_false(answer.is_group);
	put_records(56, guids, 2);
	sa.status = 0x0200;
	answer = ask(&members);
	assert_int_equal(answer.status, 0x0200);
	assert_false(answer.is_group || members.known);
	assert_int_equal(members.count, 0);
	put_records(56, guids, 2);
	sa.error = -ETIMEDOUT;
	answer = ask(&members);
	assert_int_equal(answer.error, -ETIMEDOUT);
	assert_int_equal(members.count, 0);
	put_records(56, guids, 2);
	sa.rc = -EIO;
	assert_int_equal(ask(&members).error, -EIO);
	/* A truncated answer has some of them, and does not say who is missing. */
	put_records(56, guids, 3);
	sa.bytes--;
	answer = ask(&members);
	assert_true(answer.cut && answer.is_group);
	assert_int_equal(members.count, 2);
	assert_false(members.known);
	free(members.items);
}

/* Switches are members with the node's GUID, adapters with that of each port. */
static void places(void **state)
{
	struct fabric fabric = {.nodes = NULL};
	const uint32_t node = sample_node(&fabric, NODE_TYPE_SWITCH, 0x10, 4, "switch");
	const uint32_t host = sample_node(&fabric, NODE_TYPE_CA, 0x20, 2, "host");
	struct multicast_member list[] = {
		{.guid = 0x21, .join_state = 1}, {.guid = 0x09}, {.guid = 0x10},
		{.guid = 0x21, .join_state = 2}, {.guid = 0x22},
	};
	struct multicast_members members = {.items = list, .count = ARRAY_SIZE(list)};
	struct multicast_members nobody = {.items = NULL};
	const uint32_t first = fabric_port_at(&fabric, host, 1);
	const uint32_t second = fabric_port_at(&fabric, host, 2);

	(void)state;
	fabric.ports[first].guid = 0x21;
	fabric.ports[second].guid = 0x22;
	multicast_find_members(&fabric, &nobody);
	multicast_find_members(&fabric, &members);
	/* By port; a member without a port comes last. */
	assert_int_equal(fabric_node_of(&fabric, list[0].port) - fabric.nodes, node);
	assert_int_equal(fabric.ports[list[0].port].number, 0);
	assert_int_equal(list[0].guid, 0x10);
	assert_int_equal(list[1].port, first);
	assert_int_equal(list[2].port, first);
	assert_int_equal(list[1].join_state + list[2].join_state, 3);
	assert_int_equal(list[3].port, second);
	assert_int_equal(list[4].guid, 0x09);
	assert_int_equal(list[4].port, FABRIC_NONE);
	fabric_clear(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(question), cmocka_unit_test(records), cmocka_unit_test(untrusted),
		cmocka_unit_test(failures), cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
