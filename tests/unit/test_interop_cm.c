/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Complete runs of rping and ucmatose: our client against our server, with verbs and librdmacm
 * simulated in memory. tests/vm has the programs themselves.
 */
#include "perfect_cm.h"

#include <stdio.h>

#include "selftest/selftest.h"

/* The side that the current thread plays. */
static __thread unsigned int own_side;

/* ---- Replacements for functions of agent_device.c ---- */

int agent_open_device(struct agent *agent, const struct endpoint *endpoint)
{
	assert_ptr_equal(endpoint, &soft.ports[own_side].endpoint);
	soft_open(agent, own_side);
	return 0;
}

void agent_close_device(struct agent *agent)
{
	agent->context = NULL;
}

static const char *call_after_end; /* by the server, once the client has gone */

static int fail_after_end(struct rdma_cm_id *id)
{
	pthread_mutex_lock(&soft.lock);
	soft_cm_push((struct soft_cm_id *)id, RDMA_CM_EVENT_REJECTED)->event.status = 4;
	pthread_mutex_unlock(&soft.lock);
	errno = EINVAL;
	return -1;
}

static int init_attributes(struct rdma_cm_id *id, struct ibv_qp_attr *attr, int *mask)
{
	(void)attr, (void)mask;
	return fail_after_end(id);
}

static int accept_nobody(struct rdma_cm_id *id, struct rdma_conn_param *param)
{
	(void)param;
	return fail_after_end(id);
}

int api_open_cm(struct api *api)
{
	soft_cm_fill_api(api, own_side);
	if (own_side && call_after_end && !strcmp(call_after_end, "rdma_init_qp_attr"))
		api->rdma_init_qp_attr = init_attributes;
	else if (own_side && call_after_end)
		api->rdma_accept = accept_nobody;
	return 0;
}

/* ---- Both sides ---- */

struct program {
	const char *name;
	enum selftest_protocol protocol;
	uint32_t port;
	uint64_t bytes, iterations; /* 0 unless the user sets it */
	const char *remark;	    /* of the client's passing row */
};

static const struct program programs[] = {
	{"rping", PROTOCOL_RPING, 7174, 64, 100},
	{"ucmatose", PROTOCOL_UCMATOSE, 7471, 100, 10,
	 "the data were not checked: a ucmatose server sends what its memory happens to hold"},
};

static struct bed {
	const struct program *program;
	struct selftest_request requests[2]; /* for the client and the server */
	struct selftest_results results[2];
	char said[2][256]; /* the first lines that the server printed */
	int lines, waits;  /* written when the server waits or has ended */
	int signals;	   /* ends the server */
	int status[2];
} bed;

static void say(void *context, const char *text)
{
	(void)context;
	if (bed.lines < 2)
		snprintf(bed.said[bed.lines], sizeof(bed.said[0]), "%s", text);
	bed.lines++;
	eventfd_write(bed.waits, 1);
}

static void *serve(void *context)
{
	(void)context;
	own_side = 1;
	bed.status[1] = interop_run(bed.program->protocol, &bed.requests[1],
				    &soft.ports[1].endpoint, &bed.results[1]);
	eventfd_write(bed.waits, 1);
	return NULL;
}

static void begin(const struct program *program)
{
	/* A failed test may have left state behind. */
	soft_cm = (struct soft_cm){.devices = {{.name = "none0"}, {.name = "none0"}}};
	soft.next_qpn = 0;
	soft.lenient = 0;
	soft_make_port(0);
	soft_make_port(1);
	bed = (struct bed){
		.program = program,
		.waits = eventfd(0, EFD_CLOEXEC),
		.signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	bed.requests[0] = (struct selftest_request){
		.peer = "hostb", .peer_ip = soft.ports[1].endpoint.ip, .signals = -1};
	bed.requests[1] = (struct selftest_request){
		.signals = bed.signals, .server = true, .once = true, .say = say};
}

/* Runs the server, and the client once the server waits for it. */
static void play(void)
{
	pthread_t thread;
	eventfd_t one;

	own_side = 0;
	assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
	assert_int_equal(eventfd_read(bed.waits, &one), 0);
	if (!bed.results[1].count) {
		bed.status[0] = interop_run(bed.program->protocol, &bed.requests[0],
					    &soft.ports[0].endpoint, &bed.results[0]);
		/* The client may have failed before the server noticed it. */
		if (bed.results[0].items[0]->verdict.value != SELFTEST_PASS)
			eventfd_write(bed.signals, 1);
	}
	pthread_join(thread, NULL);
}

static void end(void)
{
	assert_int_equal(soft_cm.count, 0);
	assert_int_equal(soft_cm.channels, 0);
	assert_int_equal(soft.objects, 0);
	selftest_results_free(&bed.results[0]);
	selftest_results_free(&bed.results[1]);
	close(bed.waits);
	close(bed.signals);
}

static void expect_row(unsigned int side, uint64_t bytes, uint64_t iterations)
{
	const struct selftest_result *row = bed.results[side].items[0];
	const struct gid *gid = &soft.ports[!side].endpoint.gid;

	assert_int_equal(bed.results[side].count, 1);
	if (row->verdict.value != SELFTEST_PASS)
		fail_msg("%s, side %u: %s", bed.program->name, side, row->reason);
	assert_string_equal(row->test, bed.program->name);
	assert_string_equal(row->peer, side ? "10.9.0.1" : "hostb");
	assert_true(row->peer_gid.known);
	assert_memory_equal(row->peer_gid.gid.raw, gid->raw, sizeof(gid->raw));
	assert_int_equal(row->connection.value, CONNECTION_CM);
	assert_int_equal(row->size_bytes.value, bytes);
	assert_int_equal(row->iterations.value, iterations);
	assert_int_equal(bed.status[side], 0);
}

/* Whatever the user does not set is the program's default. */
static void usual(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const struct program *program = &programs[i];
		char *first;

		begin(program);
		play();
		expect_row(0, program->bytes, program->iterations);
		expect_row(1, program->bytes, program->iterations);
		assert_null(bed.results[1].items[0]->reason);
		first = bed.results[0].items[0]->reason;
		if (program->remark)
			assert_string_equal(first, program->remark);
		else
			assert_null(first);
		first = mem_format("waiting for %s on port %u of librdmacm; on the other host: %s ",
				   program->name, program->port, program->name);
		assert_int_equal(strncmp(bed.said[0], first, strlen(first)), 0);
		free(first);
		first = mem_format("10.9.0.1: %s: pass: %u iterations of %u bytes", program->name,
				   (unsigned int)program->iterations, (unsigned int)program->bytes);
		assert_int_equal(strncmp(bed.said[1], first, strlen(first)), 0);
		free(first);
		/* Connections that may wait while another one is served. */
		assert_int_equal(soft_cm.backlog, 16);
		end();
	}
}

/* The user's settings count; the address it listens on is the port's. */
static void chosen(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		begin(&programs[i]);
		for (size_t side = 0; side < 2; side++) {
			bed.requests[side].tcp_port = 4711;
			bed.requests[side].sizes[0] = 48;
			bed.requests[side].iterations = 7;
		}
		bed.requests[1].bind = soft.ports[1].endpoint.ip;
		play();
		expect_row(0, 48, 7);
		expect_row(1, 48, 7);
		end();
	}
}

static void expect_failure(unsigned int side, const char *reason)
{
	const struct selftest_result *row;

	assert_int_equal(bed.results[side].count, 1);
	row = bed.results[side].items[0];
	if (row->verdict.value != SELFTEST_FAIL || strcmp(row->reason, reason))
		fail_msg("side %u: '%s' instead of '%s'", side,
			 row->reason ? row->reason : "a pass", reason);
}

/* A call that fails on one side after `spared` successes, and how the row's reason begins. */
static const struct {
	unsigned int side, spared;
	const char *call, *reason;
} calls[] = {
	{0, 0, "rdma_create_event_channel", "rdma_create_event_channel failed on none0/1"},
	{0, 0, "rdma_create_id", "rdma_create_id failed on none0/1"},
	{0, 0, "rdma_resolve_addr", "rdma_resolve_addr failed on none0/1"},
	{0, 0, "rdma_connect", "rdma_connect failed on none0/1"},
	{1, 0, "rdma_create_event_channel", "rdma_create_event_channel failed on none0/1"},
	{1, 0, "rdma_create_id", "rdma_create_id failed on none0/1"},
	{1, 0, "rdma_bind_addr", "rdma_bind_addr failed on none0/1"},
	{1, 0, "rdma_listen", "rdma_listen failed on none0/1"},
	{1, 0, "rdma_init_qp_attr", "rdma_init_qp_attr failed on none0/1"},
	{1, 1, "rdma_init_qp_attr", "rdma_init_qp_attr failed on none0/1"},
	{1, 2, "rdma_init_qp_attr", "rdma_init_qp_attr failed on none0/1"},
	{1, 2, "ibv_modify_qp", "none0/1 cannot connect its queue pair to the port of 10.9.0.1"},
	{1, 0, "rdma_accept", "rdma_accept failed on none0/1"},
};

static void calls_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		char *reason = mem_format("%s: %s", calls[i].reason, strerror(EIO));

		begin(&programs[i % 2]);
		soft_cm.refused = calls[i].call;
		soft_cm.refused_side = calls[i].side;
		soft_cm.spared = calls[i].spared;
		soft_cm.error = EIO;
		play();
		expect_failure(calls[i].side, reason);
		free(reason);
		end();
	}
}

/* A client that ended when its turn came: the calls' own error would not say that. */
static void client_goes(void **state)
{
	static const char *const names[] = {"rdma_init_qp_attr", "rdma_accept"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		begin(&programs[i]);
		call_after_end = names[i];
		play();
		call_after_end = NULL;
		expect_failure(1, "the port of 10.9.0.1 rejected the connection: a reply from this "
				  "side came too late, or the program there has ended (reason 4)");
		end();
	}
}

/* Impossible requests are reported before connecting, or as soon as they are known. */
static void not_possible(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		begin(&programs[i]);
		snprintf(soft_cm.devices[0].name, sizeof(soft_cm.devices[0].name), "none1");
		play();
		expect_failure(0, "librdmacm uses device none1 for that address, not none0");
		/* The user ended the server before any client came. */
		assert_int_equal(bed.status[1], -EINTR);
		assert_int_equal(bed.results[1].count, 0);
		end();
		begin(&programs[i]);
		snprintf(soft_cm.devices[1].name, sizeof(soft_cm.devices[1].name), "none1");
		play();
		expect_failure(1, "librdmacm uses device none1 for that address, not none0");
		end();
		begin(&programs[i]);
		soft.ports[1].endpoint.ip.family = 0;
		play();
		expect_failure(1, "none0 has no IP address, which librdmacm needs");
		end();
	}
}

/*
 * While no client is served, librdmacm reports the removal; the server ends with a row of its own.
 */
static void device_goes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		pthread_t thread;
		eventfd_t one;

		begin(&programs[i]);
		assert_int_equal(pthread_create(&thread, NULL, serve, NULL), 0);
		assert_int_equal(eventfd_read(bed.waits, &one), 0);
		pthread_mutex_lock(&soft.lock);
		/* The only identifier is the listener. */
		assert_int_equal(soft_cm.count, 1);
		soft_cm_push(soft_cm.ids[0], RDMA_CM_EVENT_DEVICE_REMOVAL);
		pthread_mutex_unlock(&soft.lock);
		pthread_join(thread, NULL);
		expect_failure(1, "device none0 was removed during the test");
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual),	cmocka_unit_test(chosen),
		cmocka_unit_test(client_goes),	cmocka_unit_test(calls_fail),
		cmocka_unit_test(not_possible), cmocka_unit_test(device_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
