/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete runs of mckey: our sender against our receiver, with verbs and librdmacm simulated in
 * memory. tests/vm has the program itself.
 */
#include "perfect_cm.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>

#include "selftest/selftest.h"

/* The side that the current thread plays. */
static __thread unsigned int own_side;

/* The uninterruptible pause for the switches returns at once here. */
int poll(struct pollfd *polls, nfds_t count, int msec)
{
	const struct timespec left = {.tv_sec = msec / 1000, .tv_nsec = msec % 1000 * 1000000L};
	const struct timespec none = {0};
	const bool pauses = msec > 2900 && msec <= 3000;

	return ppoll(polls, count, msec < 0 ? NULL : pauses ? &none : &left, NULL);
}

static struct bed {
	struct selftest_request requests[2]; /* for the sender and the receiver */
	struct selftest_results results[2];
	char said[4][256];
	int lines, waits;
	int signals;
	int status[2];
	uint32_t flags[2]; /* how each side joined */
	pthread_t thread;
} bed;

/* ---- librdmacm ---- */

static int join_group(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *how, void *context)
{
	bed.flags[own_side] = how->join_flags;
	return soft_cm_join(id, how, context);
}

static int detach(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	return ((struct soft_qp *)qp)->member ? soft_cm_detach(qp, gid, lid) : EINVAL;
}

static struct ibv_ah *no_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	(void)pd, (void)attr;
	errno = ENOMEM;
	return NULL;
}

/* ---- Replacements for functions of agent_device.c ---- */

int agent_open_device(struct agent *agent, const struct endpoint *endpoint)
{
	(void)endpoint;
	soft_open(agent, own_side);
	agent->api.ibv_detach_mcast = detach;
	if (soft_cm_refuses(own_side, "ibv_create_ah"))
		agent->api.ibv_create_ah = no_ah;
	return 0;
}

void agent_close_device(struct agent *agent)
{
	agent->context = NULL;
}

int api_open_cm(struct api *api)
{
	soft_cm_fill_api(api, own_side);
	api->rdma_join_multicast_ex = join_group;
	api->ibv_detach_mcast = detach;
	return 0;
}

/* ---- Both sides ---- */

static void say(void *context, const char *text)
{
	(void)context;
	if (bed.lines < 4)
		snprintf(bed.said[bed.lines], sizeof(bed.said[0]), "%s", text);
	bed.lines++;
	eventfd_write(bed.waits, 1);
}

static void run_side(unsigned int side)
{
	own_side = side;
	bed.status[side] = interop_run(PROTOCOL_MCKEY, &bed.requests[side],
				       &soft.ports[side].endpoint, &bed.results[side]);
}

static void *serve(void *context)
{
	(void)context;
	run_side(1);
	eventfd_write(bed.waits, 1);
	return NULL;
}

static void begin(void)
{
	/* A failed test may have left state behind. */
	soft_cm = (struct soft_cm){.devices = {{.name = "none0"}, {.name = "none0"}}};
	soft.next_qpn = 0;
	soft.lenient = 0;
	soft.spoil = NULL;
	soft.group_pkey_index = 0;
	soft_make_port(0);
	soft_make_port(1);
	bed = (struct bed){
		.waits = eventfd(0, EFD_CLOEXEC),
		.signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.flags = {9, 9},
	};
	bed.requests[0] = (struct selftest_request){.signals = -1};
	bed.requests[1] = (struct selftest_request){
		.signals = bed.signals, .server = true, .once = true, .say = say};
	for (size_t side = 0; side < 2; side++)
		assert_int_equal(ip_parse("239.1.2.3", &bed.requests[side].group.ip), 0);
}

static void start(void)
{
	eventfd_t one;

	assert_int_equal(pthread_create(&bed.thread, NULL, serve, NULL), 0);
	assert_int_equal(eventfd_read(bed.waits, &one), 0);
}

static void end(void)
{
	assert_int_equal(soft_cm.count, 0);
	assert_int_equal(soft_cm.channels, 0);
	assert_int_equal(soft_cm.members, 0);
	assert_int_equal(soft.objects, 0);
	for (size_t i = 0; i < SOFT_QPS; i++)
		assert_false(soft.qps[i].used);
	selftest_results_free(&bed.results[0]);
	selftest_results_free(&bed.results[1]);
	close(bed.waits);
	close(bed.signals);
}

static void expect_pass(unsigned int side, size_t at, uint64_t bytes, uint64_t iterations)
{
	static const char *const summaries[] = {
		"datagrams to a multicast group, where mckey receives",
		"datagrams that mckey sends to a multicast group"};
	const struct selftest_result *row = bed.results[side].items[at];
	struct gid group;

	if (row->verdict.value != SELFTEST_PASS)
		fail_msg("side %u: %s", side, row->reason);
	assert_string_equal(row->test, "mckey");
	assert_string_equal(row->summary, summaries[side]);
	if (side)
		assert_string_equal(row->peer, "10.9.0.1");
	else
		assert_null(row->peer);
	if (side)
		assert_null(row->reason);
	else
		assert_string_equal(row->reason, "sent; only the receiver knows what arrived: "
						 "mckey there ends when it has received all");
	group = ip_to_gid(&bed.requests[0].group.ip);
	if (!side) {
		assert_true(row->peer_gid.known);
		assert_memory_equal(row->peer_gid.gid.raw, group.raw, sizeof(group.raw));
	}
	assert_int_equal(row->connection.value, CONNECTION_CM);
	assert_int_equal(row->size_bytes.value, bytes);
	assert_int_equal(row->iterations.value, iterations);
	assert_false(row->queue_pairs.known || row->latency_p50_usec.known ||
		     row->messages_per_second.known);
}

/* Whatever the user does not set is the program's default. */
static void usual(void **state)
{
	(void)state;
	begin();
	start();
	run_side(0);
	pthread_join(bed.thread, NULL);
	assert_int_equal(bed.results[0].count, 1);
	assert_int_equal(bed.results[1].count, 1);
	expect_pass(0, 0, 100, 10);
	expect_pass(1, 0, 100, 10);
	assert_int_equal(bed.status[0], 0);
	assert_int_equal(bed.status[1], 0);
	/* enum rdma_cm_mc_join_flags of rdma_cma.h: full membership. */
	assert_int_equal(bed.flags[0], 0);
	assert_int_equal(bed.flags[1], 0);
	assert_int_equal(bed.lines, 2);
	assert_string_equal(bed.said[0], "waiting for datagrams of mckey; on the other host: mckey "
					 "-m 239.1.2.3 -b ADDRESS -s -C 10 -S 100");
	assert_string_equal(bed.said[1], "10.9.0.1: mckey: pass: 10 iterations of 100 bytes");
	end();
}

/* On InfiniBand mckey uses the P_Key of the group, and so must the other side. */
static void group_pkey(void **state)
{
	(void)state;
	begin();
	soft.group_pkey_index = 2;
	for (size_t side = 0; side < 2; side++) {
		soft.ports[side].endpoint.link_layer = LINK_LAYER_INFINIBAND;
		bed.requests[side].iterations = 3;
	}
	start();
	run_side(0);
	pthread_join(bed.thread, NULL);
	expect_pass(0, 0, 100, 3);
	expect_pass(1, 0, 100, 3);
	end();
}

/* One sender after another; the receiver joins the group again each time. */
static void senders(void **state)
{
	(void)state;
	begin();
	bed.requests[1].once = false;
	for (size_t side = 0; side < 2; side++) {
		bed.requests[side].sizes[0] = 1024 - 40;
		bed.requests[side].iterations = 3;
	}
	bed.requests[0].group.send_only = true;
	start();
	for (int i = 0; i < 2; i++) {
		/* Wait until the receiver is a member again. */
		while (bed.lines < 2 * i + 1)
			usleep(1000);
		run_side(0);
	}
	while (bed.lines < 5)
		usleep(1000);
	eventfd_write(bed.signals, 1);
	pthread_join(bed.thread, NULL);
	assert_int_equal(bed.status[1], -EINTR);
	assert_int_equal(bed.results[0].count, 2);
	assert_int_equal(bed.results[1].count, 2);
	for (size_t i = 0; i < 2; i++) {
		expect_pass(0, i, 984, 3);
		expect_pass(1, i, 984, 3);
	}
	assert_int_equal(bed.flags[0], 1);
	assert_int_equal(bed.flags[1], 0);
	end();
}

static const struct selftest_result *failed_row(unsigned int side, const char *reason)
{
	const struct selftest_result *row;

	assert_int_equal(bed.results[side].count, 1);
	row = bed.results[side].items[0];
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	assert_string_equal(row->reason, reason);
	return row;
}

/* Impossible requests are reported on both sides before anything is joined. */
static void not_possible(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		const struct selftest_result *row;
		char *reason;

		begin();
		soft.ports[side].endpoint.transport = TRANSPORT_IWARP;
		run_side(side);
		row = failed_row(side, "iWARP has no datagrams, and so no multicast groups");
		assert_string_equal(row->next_step, "rping uses connections: try --proto rping");
		end();
		begin();
		bed.requests[side].group.ip.family = 0;
		run_side(side);
		row = failed_row(side,
				 "a group given as a GID (--group-gid) is for InfiniBand only: "
				 "RoCE derives the GIDs of groups from their IP addresses");
		assert_string_equal(row->next_step, "name the group by an IP address: --group");
		end();
		begin();
		soft.ports[side].endpoint.ip.family = 0;
		run_side(side);
		failed_row(side, "none0 has no IP address, which librdmacm needs");
		end();
		begin();
		bed.requests[side].iterations = 4097;
		run_side(side);
		failed_row(side, "4097 messages at once: the test goes up to 4096");
		end();
		begin();
		bed.requests[side].sizes[0] = 1025;
		run_side(side);
		failed_row(side, "messages of 1025 bytes: the test goes up to 1024");
		end();
		begin();
		soft.ports[side].endpoint.mtu_bytes = 0;
		bed.requests[side].sizes[0] = 257;
		run_side(side);
		failed_row(side, "messages of 257 bytes: the test goes up to 256");
		end();
		begin();
		bed.requests[side].group.no_loopback = true;
		run_side(side);
		reason = mem_format("none0 cannot hide a queue pair's own datagrams from it "
				    "(--no-loopback): %s",
				    strerror(EOPNOTSUPP));
		row = failed_row(side, reason);
		assert_string_equal(row->next_step, "omit --no-loopback");
		free(reason);
		end();
	}
}

static void calls_fail(void **state)
{
	static const struct {
		unsigned int side;
		const char *call;
	} rows[] = {
		{0, "rdma_create_event_channel"},
		{0, "rdma_create_id"},
		{0, "rdma_bind_addr"},
		{0, "rdma_resolve_addr"},
		{0, "rdma_join_multicast"},
		{0, "rdma_get_cm_event"},
		{1, "rdma_create_id"},
		{1, "rdma_join_multicast"},
		{1, "ibv_attach_mcast"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *reason = mem_format("%s failed on none0/1: %s", rows[i].call, strerror(EIO));

		begin();
		soft_cm.refused = rows[i].call;
		soft_cm.refused_side = rows[i].side;
		soft_cm.error = EIO;
		run_side(rows[i].side);
		failed_row(rows[i].side, reason);
		free(reason);
		end();
	}
}

/* The reason names the route to the group, which is not a host. */
static void no_route(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		const struct selftest_result *row;

		begin();
		soft_cm.changes = true;
		soft_cm.of = RDMA_CM_EVENT_ADDR_RESOLVED;
		soft_cm.instead = RDMA_CM_EVENT_ADDR_ERROR;
		soft_cm.status = -ENODEV;
		run_side(side);
		row = failed_row(side, "the route to the multicast group 239.1.2.3 leaves by a "
				       "netdev without an RDMA device");
		assert_string_equal(row->next_step, "ip route get 239.1.2.3 shows the netdev, "
						    "rdmactl netdevs those with an RDMA device");
		end();
	}
}

/* A sender also needs an address handle. */
static void no_handle(void **state)
{
	char *reason = mem_format(
		"none0/1 cannot connect its queue pair to the port of the peer: %s",
		strerror(ENOMEM));

	(void)state;
	begin();
	soft_cm.refused = "ibv_create_ah";
	run_side(0);
	failed_row(0, reason);
	free(reason);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual),      cmocka_unit_test(senders),
		cmocka_unit_test(group_pkey), cmocka_unit_test(not_possible),
		cmocka_unit_test(calls_fail), cmocka_unit_test(no_route),
		cmocka_unit_test(no_handle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
