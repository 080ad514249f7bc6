/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent on a made-up device: hostile orders, and calls that fail like libsiw's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "selftest/interop/interop_cm.h"

/* A queue pair whose posts fail like libsiw's, on a device that only takes orders. */
struct device {
	struct ibv_context context;
	struct ibv_qp qp;
	struct ibv_cq cq;
	struct ibv_mr mr;
	uint8_t bytes[4096];
};

static int send_nothing(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	(void)qp;
	*bad = work;
	errno = ENOMEM;
	return -1;
}

static int receive_nothing(struct ibv_qp *qp, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	(void)qp;
	*bad = work;
	errno = ENOMEM;
	return -1;
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp;
	(void)attr;
	(void)mask;
	return 0;
}

static struct agent *make_device(struct device *device)
{
	struct agent *agent = agent_new(-1, -1);

	memset(device, 0, sizeof(*device));
	device->context.ops.post_send = send_nothing;
	device->context.ops.post_recv = receive_nothing;
	device->qp.context = device->cq.context = &device->context;
	agent->api.ibv_modify_qp = modify_qp;
	agent->cqs[0].cq = &device->cq;
	agent->qps[0] = (struct agent_qp){.qp = &device->qp, .kind = QP_RC, .sges = 1};
	agent->buffers[0] = (struct agent_buffer){
		.bytes = device->bytes,
		.length = sizeof(device->bytes),
		.mr = &device->mr,
	};
	return agent;
}

static void free_device(struct agent *agent)
{
	/* These objects belong to the test. */
	agent->buffers[0] = (struct agent_buffer){0};
	agent->qps[0] = (struct agent_qp){0};
	agent->cqs[0] = (struct agent_cq){0};
	agent_free(agent);
}

/* Four blocks of 64 bytes, 128 bytes apart, from `offset` on. */
static struct span blocks_at(uint64_t offset)
{
	return (struct span){.blocks = 4, .offset = offset, .block_bytes = 64, .stride = 128};
}

/* Gathers the first blocks into the others; completions come from `poll_cq`, if it is given. */
static void check_gather_fails(uint32_t operation, uint32_t active,
			       int (*poll_cq)(struct ibv_cq *cq, int count, struct ibv_wc *wc),
			       const char *call)
{
	const struct message_gather order = {
		.operation = operation,
		.iterations = 2,
		.from = blocks_at(0),
		.to = blocks_at(512),
		.active = active,
	};
	struct message_ran reply;
	struct device device;
	struct agent *agent = make_device(&device);

	device.context.ops.poll_cq = poll_cq;
	assert_int_equal(agent_gather(agent, &order, &reply), -ENOMEM);
	assert_int_equal(agent->refused.error, ENOMEM);
	assert_string_equal(agent->refused.text, call);
	free_device(agent);
}

/* The passive side posts its next receive as soon as it has a message. */
static int poll_receive(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	(void)cq;
	(void)count;
	*wc = (struct ibv_wc){.opcode = IBV_WC_RECV};
	return 1;
}

static void posts_of_gather_fail(void **state)
{
	(void)state;
	check_gather_fails(POST_WRITE, 0, NULL, "ibv_post_send");
	check_gather_fails(POST_SEND, 1, NULL, "ibv_post_send");
	check_gather_fails(POST_SEND, 0, poll_receive, "ibv_post_recv");
}

/* Whether the order is taken, with a piece at `piece` for blocks in bytes 512 to 960. */
static bool takes_piece(uint32_t operation, uint64_t piece)
{
	const struct message_gather order = {
		.operation = operation,
		.packed = 1,
		.iterations = 1,
		.from = blocks_at(operation == POST_SEND ? 2048 : 512),
		.to = blocks_at(operation == POST_WRITE ? 2048 : 512),
		.active = 1,
		.piece = piece,
	};
	struct message_ran reply;
	struct device device;
	struct agent *agent = make_device(&device);
	int rc = agent_gather(agent, &order, &reply);
	bool taken = rc == -ENOMEM;

	if (!taken) {
		assert_int_equal(rc, -EINVAL);
		assert_int_equal(agent->refused.refusal, REFUSAL_ORDER);
	}
	free_device(agent);
	return taken;
}

/* The CPU copies between the blocks and the piece of 256 bytes, so they must not overlap. */
static void piece_among_blocks(void **state)
{
	static const uint32_t operations[] = {POST_WRITE, POST_READ};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		assert_true(takes_piece(operations[i], 256));
		assert_false(takes_piece(operations[i], 257));
		assert_false(takes_piece(operations[i], 512));
		assert_false(takes_piece(operations[i], 576));
		assert_false(takes_piece(operations[i], 959));
		assert_true(takes_piece(operations[i], 960));
	}
	/* For a send, the second piece is the one that is unpacked. */
	assert_true(takes_piece(POST_SEND, 0));
	assert_false(takes_piece(POST_SEND, 1));
	assert_false(takes_piece(POST_SEND, 703));
	assert_true(takes_piece(POST_SEND, 704));
	assert_false(takes_piece(POST_SEND, 2048));
}

/* A session on that device, with a row for its verdict. */
static void make_session(struct interop *session, struct selftest_results *results,
			 struct device *device)
{
	static const struct interop_role role = {.test = "pingpong", .client_summary = ""};
	static const struct selftest_request request = {.signals = -1};
	static const struct endpoint local = {.device = "none0", .port = 1};

	*session = (struct interop){
		.request = &request,
		.local = &local,
		.results = results,
		.role = &role,
		.agent = make_device(device),
		.iterations = 2,
		.bytes = 64,
		.timeout_msec = 1000,
	};
	interop_row_begin(session);
}

static void assert_out_of_memory(struct interop *session, struct selftest_results *results)
{
	assert_true(session->marked);
	assert_non_null(strstr(session->row->reason, strerror(ENOMEM)));
	counter_list_clear(&session->before);
	free(session->sampler.nsec);
	free_device(session->agent);
	selftest_results_free(results);
}

static void posts_of_interop_fail(void **state)
{
	struct selftest_results results = {0};
	struct interop session;
	struct device device;

	(void)state;
	make_session(&session, &results, &device);
	assert_int_equal(interop_post_receive(&session), -EIO);
	assert_out_of_memory(&session, &results);
	make_session(&session, &results, &device);
	assert_int_equal(interop_post_send(&session, INTEROP_QP, &session.send), -EIO);
	assert_out_of_memory(&session, &results);
}

static void posts_of_rping_fail(void **state)
{
	struct rdma_event_channel channel = {.fd = -1};
	struct selftest_results results = {0};
	struct interop session;
	struct device device;
	struct rping run = {.cm = {.session = &session}};

	(void)state;
	make_session(&session, &results, &device);
	session.agent->cm = &channel;
	run.infos = run.source = run.target = &session.agent->buffers[0];
	assert_int_equal(rping_exchange(&run.cm), -EIO);
	session.agent->cm = NULL;
	assert_out_of_memory(&session, &results);
}

static void interop_reasons(void **state)
{
	static const struct {
		enum diagnosis_list list;
		int code;
		const char *detail, *reason, *next_step;
	} rows[] = {
		{LIST_INTEROP_STOPPED, 1, "it disconnected",
		 "hostb stopped after 0 of 2 iterations (it disconnected): its rping ended, or its "
		 "options ask for fewer",
		 "start it again on hostb: rping -s"},
		{LIST_INTEROP_LINE, EPROTO, NULL,
		 "the program that connected from hostb is not rping: its first bytes are not an "
		 "address",
		 "run on the other host: rping -s"},
		{LIST_INTEROP_BYTES, -1, "23",
		 "messages of 64 bytes: rping accepts no less than 23", "give a larger size"},
		{LIST_INTEROP_REFUSED, 0, "{peer}", "{peer}", NULL},
		{LIST_INTEROP_QPS, 0, "3",
		 "the rping on hostb has 3 queue pairs, and both sides need the same number",
		 "run on the other host: rping -s"},
		{LIST_INTEROP_QPS, -1, "255",
		 "the rping on hostb has more than 255 queue pairs, the limit of this side",
		 "run on the other host: rping -s"},
		{LIST_INTEROP_VERSION, 0, "5.60",
		 "the rping on hostb is from perftest 5.60, but this side needs 5.70 or later",
		 "install a newer perftest on hostb"},
		{LIST_INTEROP_OTHER, 0, NULL,
		 "the rping on hostb has several queue pairs (-q), but this side has one",
		 "run on the other host: rping -s"},
		{LIST_INTEROP_CLOSED, 0, NULL,
		 "hostb closed the connection: its rping ended, and its output there says why",
		 "run on the other host: rping -s"},
		{LIST_INTEROP_CYCLE, 0, "4711", "hostb asks for a cycle buffer of 4711 bytes",
		 "run on the other host: rping -s"},
	};
	static const struct interop_role role = {.test = "rping", .program = "rping"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selftest_results results = {0};
		struct selftest_result *row;
		struct interop session;
		struct device device;

		make_session(&session, &results, &device);
		row = session.row;
		session.role = &role;
		session.peer = mem_string("hostb");
		session.command = mem_string("rping -s");
		assert_int_equal(interop_fail_with(&session, rows[i].list, rows[i].code, "%s",
						   rows[i].detail ? rows[i].detail : ""),
				 -EIO);
		assert_string_equal(row->reason, rows[i].reason);
		if (rows[i].next_step)
			assert_string_equal(row->next_step, rows[i].next_step);
		else
			assert_null(row->next_step);
		free(session.peer);
		free(session.command);
		counter_list_clear(&session.before);
		free(session.sampler.nsec);
		free_device(session.agent);
		selftest_results_free(&results);
	}
}

/* Memory for clients: `used` of `most` bytes. */
struct allowance {
	int64_t used, most;
};

static int reserve(void *context, int64_t bytes)
{
	struct allowance *memory = context;

	if (memory->used + bytes > memory->most)
		return -ENOMEM;
	memory->used += bytes;
	return 0;
}

static struct ibv_cq *make_no_cq(struct ibv_context *context, int entries, void *of,
				 struct ibv_comp_channel *channel, int vector)
{
	(void)context, (void)entries, (void)of, (void)channel, (void)vector;
	errno = ENOSPC;
	return NULL;
}

static struct ibv_qp *make_qp(struct ibv_pd *domain, struct ibv_qp_init_attr *attr)
{
	static struct ibv_qp qp;

	(void)domain;
	if (attr->cap.max_send_wr > 1000)
		errno = ENOSPC;
	return attr->cap.max_send_wr > 1000 ? NULL : &qp;
}

static int destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	return 0;
}

static struct ibv_mr *register_memory(struct ibv_pd *domain, void *bytes, size_t length, int access)
{
	static struct ibv_mr mr;

	(void)domain, (void)bytes, (void)access;
	errno = ENOSPC;
	return length > 1 << 20 ? NULL : &mr;
}

static int deregister_memory(struct ibv_mr *mr)
{
	(void)mr;
	return 0;
}

/* Failed orders and destroyed objects return what they had reserved. */
static void memory_is_counted(void **state)
{
	struct allowance memory = {.most = 4 << 20};
	struct message_buffer buffer = {.slot = 1, .bytes = 1 << 20};
	struct message_qp qp = {.slot = 1, .send_depth = 999, .receive_depth = 511, .sges = 1};
	struct message_qp_created created;
	struct message_buffered buffered;
	struct device device;
	struct agent *agent = make_device(&device);

	(void)state;
	agent->reserve = reserve;
	agent->owner = &memory;
	agent->limits.max_cqe = INT32_MAX;
	agent->api.ibv_create_cq = make_no_cq;
	agent->api.ibv_create_qp = make_qp;
	agent->api.ibv_destroy_qp = destroy_qp;
	(agent->api.ibv_reg_mr) = register_memory;
	agent->api.ibv_dereg_mr = deregister_memory;
	assert_int_equal(agent_buffer(agent, &buffer, &buffered), 0);
	assert_in_range(memory.used, 1 << 20, (1 << 20) + (1 << 15));
	assert_int_equal(agent_qp(agent, &qp, &created), 0);
	/* 1024 x 256 bytes to send, 512 x 64 to receive. */
	assert_in_range(memory.used, (1 << 20) + (9 << 15), (1 << 20) + (11 << 15));
	buffer.slot = 2;
	buffer.bytes = 3 << 20;
	assert_int_equal(agent_buffer(agent, &buffer, &buffered), -EINVAL);
	assert_int_equal(agent->refused.refusal, REFUSAL_LIMIT);
	buffer.bytes = 2 << 20;
	assert_int_equal(agent_buffer(agent, &buffer, &buffered), -ENOSPC);
	assert_int_equal(agent_cq(agent, &(struct message_cq){.slot = 1, .entries = 9}), -ENOSPC);
	assert_in_range(memory.used, (1 << 20) + (9 << 15), (1 << 20) + (11 << 15));
	qp.send_depth = 1001;
	assert_int_equal(agent_qp(agent, &qp, &created), -ENOSPC);
	assert_in_range(memory.used, 1 << 20, (1 << 20) + (1 << 15));
	buffer.slot = 1;
	buffer.bytes = 0;
	assert_int_equal(agent_buffer(agent, &buffer, &buffered), 0);
	assert_int_equal(memory.used, 0);
	free_device(agent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts_of_gather_fail),	 cmocka_unit_test(piece_among_blocks),
		cmocka_unit_test(posts_of_interop_fail), cmocka_unit_test(posts_of_rping_fail),
		cmocka_unit_test(interop_reasons),	 cmocka_unit_test(memory_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
