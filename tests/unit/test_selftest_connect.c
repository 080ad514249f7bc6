/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Connections and multicast groups of librdmacm, one and many at a time: with a perfect library in
 * memory, with one in which each call fails, and with one that reports each failure.
 */
#include "perfect_cm.h"

#include "base/text.h"

/* For any kind of transfer, librdmacm makes the connection, and the row has its numbers. */
static void connections(void **state)
{
	static const char *const ids[] = {"rc-send", "rc-write-immediate", "rc-read",
					  "rc-fetch-add", "rc-shared-receive"};
	const struct selftest_result *row;
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		soft_pass(&bed, rc_tests, ids[i], NULL);
		row = bed.trial.result;
		assert_int_equal(row->connection.value, CONNECTION_CM);
		/* Durations, not points in time. */
		assert_in_range((uint64_t)row->address_usec.value, 0, 60000000);
		assert_in_range((uint64_t)row->route_usec.value, 0, 60000000);
		assert_in_range((uint64_t)row->connect_usec.value, 1, 60000000);
		assert_true(row->address_usec.known && row->route_usec.known);
		/* The attributes that the queue pair of this side was given. */
		assert_int_equal(row->link.path_mtu_bytes.value, 512);
		assert_int_equal(row->link.ack_timeout.value, SOFT_CM_TIMEOUT);
		assert_int_equal(row->link.retries.value, 6);
		assert_int_equal(row->link.rnr_retries.value, 7);
		assert_int_equal(row->link.sl.value, 3);
		assert_true(row->link.traffic_class.known && !row->link.traffic_class.value);
		assert_int_equal(row->link.pkey.value, 0xffff);
		assert_in_range(row->link.psn.value, SOFT_CM_PSN, SOFT_CM_PSN + 100);
		assert_int_equal(row->link.peer_psn.value, row->link.psn.value + 1);
	}
	soft_pass(&bed, setup_tests, "setup-connect", NULL);
	assert_int_equal(soft_cm.rejected, 0);
	soft_cm_end(&bed);
}

/* The traffic class is that of the path, and applies in both directions. */
static void traffic_class(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	bed.trial.near.agent->path.traffic_class = 104;
	soft_pass(&bed, rc_tests, "rc-send", NULL);
	assert_int_equal(soft_cm.tos[0], 104);
	assert_int_equal(bed.trial.result->link.traffic_class.value, 104);
	soft_pass(&bed, datagram_tests, "multicast", NULL);
	assert_int_equal(soft_cm.tos[1], 0);
	bed.far->path.traffic_class = 8;
	soft_pass(&bed, datagram_tests, "multicast", NULL);
	assert_int_equal(soft_cm.tos[1], 8);
	/* Without one, librdmacm uses its default; 0 is set explicitly. */
	bed.trial.near.agent->path.traffic_class = 0;
	soft_pass(&bed, rc_tests, "rc-send", NULL);
	assert_int_equal(soft_cm.tos[0], 104);
	bed.trial.near.agent->has_class = true;
	soft_pass(&bed, rc_tests, "rc-send", NULL);
	assert_int_equal(soft_cm.tos[0], 0);
	soft_cm_end(&bed);
}

/* The sides report the other attributes, too: the retries of the request are those of both. */
static void retries(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	number_set(&bed.request.retries, 3);
	number_set(&bed.request.rnr_retries, 2);
	soft_pass(&bed, setup_tests, "setup-connect", NULL);
	assert_int_equal(bed.trial.result->link.retries.value, 3);
	assert_int_equal(bed.trial.result->link.rnr_retries.value, 2);
	soft_cm_end(&bed);
}

static void groups(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	for (int i = 0; i < 2; i++)
		soft_pass(&bed, datagram_tests, "multicast", NULL);
	soft_cm_end(&bed);
}

/* On InfiniBand the queue pairs take the P_Key of the group, but only for this test. */
static void group_pkey(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	soft.group_pkey_index = 2;
	bed.trial.near.agent->endpoint.link_layer = LINK_LAYER_INFINIBAND;
	bed.far->endpoint.link_layer = LINK_LAYER_INFINIBAND;
	soft_pass(&bed, datagram_tests, "multicast", NULL);
	soft_pass(&bed, rc_tests, "rc-send", NULL);
	soft_cm.refused = "rdma_init_qp_attr";
	soft_cm.error = EIO;
	soft_run(&bed, datagram_tests, "multicast");
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
	assert_non_null(strstr(bed.trial.result->reason, "rdma_init_qp_attr failed"));
	soft_cm_end(&bed);
}

/* A call that fails at one of the sides, after so many successful ones. */
static const struct {
	const struct trial_test *table;
	const char *id, *call;
	unsigned int side, spared;
	const char *after;
} calls[] = {
	{rc_tests, "rc-send", "rdma_create_event_channel", 0},
	{rc_tests, "rc-send", "rdma_create_id", 0},
	{rc_tests, "rc-send", "rdma_set_option", 0},
	{rc_tests, "rc-send", "rdma_resolve_addr", 0},
	{rc_tests, "rc-send", "rdma_get_cm_event", 0},
	{rc_tests, "rc-send", "rdma_resolve_route", 0},
	{rc_tests, "rc-send", "rdma_get_cm_event", 0, 1},
	{rc_tests, "rc-send", "rdma_init_qp_attr", 0},
	{rc_tests, "rc-send", "rdma_connect", 0},
	{rc_tests, "rc-send", "rdma_get_cm_event", 0, 2},
	{rc_tests, "rc-send", "rdma_init_qp_attr", 0, 1},
	{rc_tests, "rc-send", "rdma_init_qp_attr", 0, 2},
	{rc_tests, "rc-send", "rdma_establish", 0},
	{rc_tests, "rc-send", "rdma_create_event_channel", 1},
	{rc_tests, "rc-send", "rdma_create_id", 1},
	{rc_tests, "rc-send", "rdma_bind_addr", 1},
	{rc_tests, "rc-send", "rdma_listen", 1},
	{rc_tests, "rc-send", "rdma_get_cm_event", 1},
	{rc_tests, "rc-send", "rdma_init_qp_attr", 1},
	{rc_tests, "rc-send", "rdma_init_qp_attr", 1, 1},
	{rc_tests, "rc-send", "rdma_init_qp_attr", 1, 2},
	{rc_tests, "rc-send", "rdma_accept", 1},
	{datagram_tests, "multicast", "rdma_create_event_channel", 0},
	{datagram_tests, "multicast", "rdma_create_id", 0},
	{datagram_tests, "multicast", "rdma_set_option", 0},
	{datagram_tests, "multicast", "rdma_bind_addr", 0},
	{datagram_tests, "multicast", "rdma_resolve_addr", 0},
	{datagram_tests, "multicast", "rdma_get_cm_event", 1},
	{datagram_tests, "multicast", "rdma_join_multicast", 1},
	{datagram_tests, "multicast", "rdma_get_cm_event", 1, 1},
	{datagram_tests, "multicast", "ibv_attach_mcast", 1},
	/* Ten connections, one at a time. */
	{connect_tests, "connections", "rdma_create_event_channel", 0, 0,
	 "after 0 of 10 connections: "},
	{connect_tests, "connections", "rdma_create_id", 0, 4, "after 4 of 10 connections: "},
	{connect_tests, "connections", "rdma_set_option", 0, 5, "after 5 of 10 connections: "},
	{connect_tests, "connections", "rdma_resolve_addr", 0, 9, "after 9 of 10 connections: "},
	{connect_tests, "connections", "rdma_resolve_route", 0, 0, "after 0 of 10 connections: "},
	{connect_tests, "connections", "rdma_connect", 0, 4, "after 4 of 10 connections: "},
	{connect_tests, "connections", "rdma_establish", 0, 4, "after 4 of 10 connections: "},
	{connect_tests, "connections", "rdma_init_qp_attr", 0, 6, "after 2 of 10 connections: "},
	{connect_tests, "connections", "rdma_init_qp_attr", 0, 7, "after 2 of 10 connections: "},
	{connect_tests, "connections", "rdma_init_qp_attr", 0, 8, "after 2 of 10 connections: "},
	{connect_tests, "connections", "rdma_get_cm_event", 0, 12, "after 4 of 10 connections: "},
	{connect_tests, "connections", "rdma_disconnect", 0, 0, "after 10 of 10 connections: "},
	{connect_tests, "connections", "rdma_accept", 1, 4, "after 4 of 10 connections: "},
	{connect_tests, "connections", "rdma_init_qp_attr", 1, 14, "after 4 of 10 connections: "},
	{connect_tests, "connections", "rdma_get_cm_event", 1, 8, "after 4 of 10 connections: "},
};

static void calls_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct soft_trial bed;
		char *reason;

		soft_cm_begin(&bed);
		bed.request.peer = "hostb";
		bed.trial.near.agent->path.traffic_class = 8;
		soft_cm.refused = calls[i].call;
		soft_cm.refused_side = calls[i].side;
		soft_cm.spared = calls[i].spared;
		soft_cm.error = EIO;
		if (calls[i].table == connect_tests) {
			bed.request.connections = 10;
			bed.request.depth = 1;
		}
		reason = mem_format("%s%s%s failed on none0/1: %s",
				    calls[i].after ? calls[i].after : "",
				    calls[i].side ? "on hostb: " : "", calls[i].call,
				    strerror(EIO));
		soft_expect(&bed, calls[i].table, calls[i].id, SELFTEST_FAIL, reason);
		free(reason);
		soft_cm_end(&bed);
	}
}

/* Events instead of those of a successful connection, and how the row's reason begins. */
static const struct {
	const struct trial_test *table;
	const char *id;
	unsigned int side;
	enum rdma_cm_event_type of, instead;
	int status;
	const char *reason;
} events[] = {
	{rc_tests, "rc-send", 0, RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR,
	 -EHOSTUNREACH, "no host answers for the address of hostb"},
	{rc_tests, "rc-send", 0, RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_ROUTE_ERROR,
	 -EHOSTDOWN, "no path from none0/1 to none0/1 of hostb: "},
	/* IBTA 1, 12.6.7.2: reason 28 is that of the consumer. */
	{rc_tests, "rc-send", 0, RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_REJECTED, 28,
	 "none0/1 of hostb rejected the connection: the program there did not accept it (reason "
	 "28)"},
	{rc_tests, "rc-send", 0, RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_UNREACHABLE,
	 -ETIMEDOUT, "none0/1 of hostb did not answer the connect request: "},
	{rc_tests, "rc-send", 0, RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_DEVICE_REMOVAL, 0,
	 "device none0 was removed during the test"},
	{rc_tests, "rc-send", 1, RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_CONNECT_ERROR, -EIO,
	 "on hostb: librdmacm gave up on none0/1 of this host: CONNECT_ERROR, "},
	{datagram_tests, "multicast", 1, RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ADDR_ERROR,
	 -ENODEV, "on hostb: the route to the multicast group 239.255."},
	{datagram_tests, "multicast", 1, RDMA_CM_EVENT_MULTICAST_JOIN,
	 RDMA_CM_EVENT_MULTICAST_ERROR, -ENETUNREACH,
	 "on hostb: none0/1 could not join the multicast group: status -101"},
	{datagram_tests, "multicast", 1, RDMA_CM_EVENT_MULTICAST_JOIN,
	 RDMA_CM_EVENT_MULTICAST_ERROR, 5,
	 "on hostb: none0/1 could not join the multicast group: status 5"},
	{connect_tests, "connections", 0, RDMA_CM_EVENT_CONNECT_RESPONSE, RDMA_CM_EVENT_REJECTED,
	 28,
	 "after 0 of 2 connections: none0/1 of hostb rejected the connection: the program there "
	 "did not accept it (reason 28)"},
	{connect_tests, "connections", 1, RDMA_CM_EVENT_DISCONNECTED, RDMA_CM_EVENT_DEVICE_REMOVAL,
	 0, "after 2 of 2 connections: on hostb: device none0 was removed during the test"},
};

static void events_tell(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		const struct message_refused *refused;
		struct soft_trial bed;

		soft_cm_begin(&bed);
		bed.request.peer = "hostb";
		bed.request.connections = events[i].table == connect_tests ? 2 : 0;
		soft_cm.changes = true;
		soft_cm.of = events[i].of;
		soft_cm.instead = (int)events[i].instead;
		soft_cm.status = events[i].status;
		soft_run(&bed, events[i].table, events[i].id);
		if (strncmp(bed.trial.result->reason, events[i].reason, strlen(events[i].reason)))
			fail_msg("'%s' instead of '%s'", bed.trial.result->reason,
				 events[i].reason);
		refused = events[i].side ? &bed.trial.far.refused : &bed.trial.near.refused;
		assert_int_equal(refused->stage, STAGE_CM);
		assert_int_equal(refused->cm_event, events[i].instead);
		assert_int_equal((int)refused->cm_status, events[i].status);
		/* A reason that is no errno. */
		assert_int_equal(refused->error,
				 events[i].status < 0 ? -events[i].status : ECONNREFUSED);
		soft_cm_end(&bed);
	}
}

/*
 * Checks rows of so many connections: the first has the rate and the medians, the others one step
 * each.
 */
static void expect_rows(const struct soft_trial *bed, const char *const *ids, size_t count)
{
	const struct selftest_result *first = bed->results.items[0];

	assert_int_equal(bed->results.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct selftest_result *row = bed->results.items[i];

		if (row->verdict.value != SELFTEST_PASS || row->reason || strcmp(row->test, ids[i]))
			fail_msg("%s instead of %s: %s", row->test, ids[i], row->reason);
		assert_int_equal(row->group.value, SELFTEST_CONNECT);
		assert_int_equal(row->queue_pairs.value, 10);
		assert_int_equal(row->iterations.value, 10);
		assert_int_equal(row->depth.value, 3);
		assert_true(row->latency_p50_usec.known);
		assert_float_equal(row->duration_msec.value, first->duration_msec.value, 1e-9);
		assert_int_equal(row->connections_per_second.known, !i);
		/* A step takes no longer than the slowest connection. */
		if (strcmp(row->test, "connections-disconnect"))
			assert_true(row->latency_max_usec.value <= first->latency_max_usec.value);
	}
	assert_float_equal(first->connections_per_second.value * first->duration_msec.value, 10e3,
			   1e-6);
	assert_true(first->connect_usec.known);
}

static void many(void **state)
{
	static const char *const ids[] = {"connections",	 "connections-address",
					  "connections-route",	 "connections-qp",
					  "connections-connect", "connections-disconnect"};
	const struct selftest_result *const *rows;
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	bed.request.connections = 10;
	bed.request.depth = 3;
	soft_run(&bed, connect_tests, "connections");
	expect_rows(&bed, ids, ARRAY_SIZE(ids));
	/* The medians are those in the rows of the steps. */
	rows = (const struct selftest_result *const *)bed.results.items;
	assert_float_equal(rows[0]->address_usec.value, rows[1]->latency_p50_usec.value, 1e-9);
	assert_float_equal(rows[0]->route_usec.value, rows[2]->latency_p50_usec.value, 1e-9);
	assert_float_equal(rows[0]->connect_usec.value, rows[4]->latency_p50_usec.value, 1e-9);
	assert_float_equal(rows[0]->disconnect_usec.value, rows[5]->latency_p50_usec.value, 1e-9);
	soft_cm_end(&bed);
}

/* The exchange has no addresses or routes to resolve, and ends nothing. */
static void many_by_exchange(void **state)
{
	static const char *const ids[] = {"connections", "connections-qp", "connections-connect"};
	const struct selftest_result *first;
	struct soft_trial bed;

	(void)state;
	soft_cm_begin(&bed);
	bed.trial.by_cm = false;
	bed.request.connections = 10;
	bed.request.depth = 3;
	soft_run(&bed, connect_tests, "connections");
	expect_rows(&bed, ids, ARRAY_SIZE(ids));
	first = bed.results.items[0];
	assert_false(first->address_usec.known || first->route_usec.known ||
		     first->disconnect_usec.known);
	assert_float_equal(first->connect_usec.value, bed.results.items[2]->latency_p50_usec.value,
			   1e-9);
	soft_cm_end(&bed);
	/* Three under way at once, to INIT, RTR and RTS: the fourth batch has one. */
	for (unsigned int side = 0; side < 2; side++) {
		char *reason = mem_format("after %u of 10 connections: none0/1 cannot ",
					  side ? 3 : 9);

		soft_cm_begin(&bed);
		bed.trial.by_cm = false;
		bed.request.connections = 10;
		bed.request.depth = 3;
		soft_cm.refused = "ibv_modify_qp";
		soft_cm.refused_side = side;
		soft_cm.spared = side ? 3 * 3 : 9 * 3;
		soft_cm.error = EIO;
		soft_run(&bed, connect_tests, "connections");
		if (strncmp(bed.trial.result->reason, reason, strlen(reason)))
			fail_msg("'%s' instead of '%s'", bed.trial.result->reason, reason);
		free(reason);
		soft_cm_end(&bed);
	}
}

/* As many connections as cmtime makes, and as many at once as QP1 and a message have room for. */
static void usual_numbers(void **state)
{
	static const struct {
		bool by_cm;
		uint32_t depth, at_once;
	} rows[] = {
		{true, 0, 512},	 {true, 1024, 1024}, {true, 1025, 1024},
		{false, 0, 128}, {false, 128, 128},  {false, 129, 128},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		soft_cm_begin(&bed);
		/* Nothing is made: the completion queue is too large. */
		bed.far->limits.max_cqe = 1;
		bed.trial.by_cm = rows[i].by_cm;
		bed.request.depth = rows[i].depth;
		soft_run(&bed, connect_tests, "connections");
		assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
		assert_int_equal(bed.trial.result->queue_pairs.value, 100);
		assert_int_equal(bed.trial.result->depth.value, rows[i].at_once);
		soft_cm_end(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections),	    cmocka_unit_test(traffic_class),
		cmocka_unit_test(retries),	    cmocka_unit_test(groups),
		cmocka_unit_test(group_pkey),	    cmocka_unit_test(calls_fail),
		cmocka_unit_test(events_tell),	    cmocka_unit_test(many),
		cmocka_unit_test(many_by_exchange), cmocka_unit_test(usual_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
