/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent on a made-up device: which operations a transport has, and hostile orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/agent/agent.h"
#include "selftest/tests/tests_measure.h"

struct device {
	struct ibv_context context;
	struct ibv_qp qp;
	struct ibv_cq cq;
	struct ibv_ah ah;
	struct ibv_mr mr;
	struct ibv_comp_channel channel;
	uint8_t bytes[4096];
};

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp, (void)attr, (void)mask;
	return 0;
}

static int send_nothing(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	(void)qp;
	*bad = work;
	return ENOMEM;
}

static struct agent *make_device(struct device *device, uint32_t kind)
{
	struct agent *agent = agent_new(-1, -1);

	memset(device, 0, sizeof(*device));
	device->context.ops.post_send = send_nothing;
	device->qp.context = device->cq.context = &device->context;
	device->qp.send_cq = &device->cq;
	agent->api.ibv_modify_qp = modify_qp;
	agent->cqs[0].cq = &device->cq;
	agent->qps[0] = (struct agent_qp){.qp = &device->qp, .kind = kind, .sges = 1};
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

/* A run of ten messages of 64 bytes. */
static struct message_run run_of(uint32_t mode, uint32_t operation)
{
	return (struct message_run){
		.mode = mode,
		.operation = operation,
		.active = 1,
		.qps = 1,
		.bytes = operation == RUN_ATOMIC ? 8 : 64,
		.iterations = 10,
		.depth = 4,
		.batch = 1,
		.signal_every = 1,
	};
}

/* An accepted run gets as far as its first post, which fails. */
static bool takes(struct agent *agent, const struct message_run *run)
{
	struct message_ran reply;
	int rc = agent_run(agent, run, &reply);

	if (rc == -ENOMEM)
		return true;
	assert_int_equal(rc, -EINVAL);
	return false;
}

/* Which transports support which operations. */
static void operations_of_transports(void **state)
{
	static const bool has[][RUN_OPERATIONS] = {
		[QP_RC] = {true, true, true, true},
		[QP_UC] = {true, true, false, false},
		[QP_UD] = {true, false, false, false},
	};

	(void)state;
	for (uint32_t kind = QP_RC; kind <= QP_UD; kind++) {
		for (uint32_t operation = 0; operation < RUN_OPERATIONS; operation++) {
			for (uint32_t mode = RUN_LATENCY; mode <= RUN_BANDWIDTH; mode++) {
				const struct message_run run = run_of(mode, operation);
				struct device device;
				struct agent *agent = make_device(&device, kind);

				agent->qps[0].ah = &device.ah;
				agent->qps[0].target_qpn = 17;
				assert_int_equal(takes(agent, &run), has[kind][operation]);
				free_device(agent);
			}
		}
	}
}

/* Datagrams need both an address and a queue pair. */
static void datagrams_need_a_target(void **state)
{
	const struct message_run run = run_of(RUN_BANDWIDTH, RUN_SEND);
	struct message_target target = {.qpn = 17, .qkey = 5};
	struct device device;
	struct agent *agent = make_device(&device, QP_UD);

	(void)state;
	assert_false(takes(agent, &run));
	assert_int_equal(agent_target(agent, &target), -EINVAL);
	agent->qps[0].ah = &device.ah;
	assert_false(takes(agent, &run));
	assert_int_equal(agent_target(agent, &target), 0);
	assert_true(takes(agent, &run));
	target.slot = LIMIT_QPS - 1;
	assert_int_equal(agent_target(agent, &target), -EINVAL);
	agent->qps[0].kind = QP_RC;
	target.slot = 0;
	assert_int_equal(agent_target(agent, &target), -EINVAL);
	free_device(agent);
}

/* A server sends no management datagrams, and no more than anyone can need. */
static void servers_are_careful(void **state)
{
	struct message_run run = run_of(RUN_BANDWIDTH, RUN_WRITE);
	struct device device;
	struct agent *agent = make_device(&device, QP_UD);

	(void)state;
	agent->guard = (struct guard){.strict = true, .proven = true, .most_msec = 60000};
	agent->qps[0].ah = &device.ah;
	assert_int_equal(agent_target(agent, &(struct message_target){.qpn = 1}), -EINVAL);
	assert_int_equal(agent_target(agent, &(struct message_target){.qpn = 0}), -EINVAL);
	assert_int_equal(agent_target(agent,
				      &(struct message_target){.qpn = 9, .qkey = 0x80010000}),
			 -EINVAL);
	assert_int_equal(agent_target(agent, &(struct message_target){.qpn = 9}), 0);
	agent->qps[0].kind = QP_UC;
	agent->qps[0].send_depth = 1 << 24;
	assert_false(takes(agent, &run));
	assert_int_equal(agent->refused.refusal, REFUSAL_LIMIT);
	agent->qps[0].send_depth = 128;
	assert_true(takes(agent, &run));
	agent->guard.proven = false;
	assert_false(takes(agent, &run));
	free_device(agent);
}

/* Contradictory orders are refused; a release forgets all of them. */
static void ways_that_contradict(void **state)
{
	struct message_run run = run_of(RUN_LATENCY, RUN_SEND);
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	(void)state;
	assert_int_equal(agent_way(agent, &(struct message_way){.both = 1}), 0);
	assert_false(takes(agent, &run));
	run.mode = RUN_BANDWIDTH;
	assert_true(takes(agent, &run));
	run.active = 0;
	assert_false(takes(agent, &run));
	run.active = 1;
	/* Without a channel no event wakes it; a ping-pong of writes does not have one. */
	assert_int_equal(agent_way(agent, &(struct message_way){.events = 1}), 0);
	assert_false(takes(agent, &run));
	agent->cqs[0].channel = &device.channel;
	assert_true(takes(agent, &run));
	run.mode = RUN_LATENCY;
	run.operation = RUN_WRITE;
	assert_false(takes(agent, &run));
	agent->cqs[0].channel = NULL;
	agent_way(agent, &(struct message_way){0});
	assert_true(takes(agent, &run));
	free_device(agent);
}

static unsigned int registered; /* the rights of the last region */

static struct ibv_mr *register_iova(struct ibv_pd *domain, void *bytes, size_t length,
				    uint64_t address, unsigned int access)
{
	static struct ibv_mr mr;

	(void)domain, (void)length;
	assert_true((uintptr_t)bytes == address);
	registered = access;
	return &mr;
}

static struct ibv_mr *register_plainly(struct ibv_pd *domain, void *bytes, size_t length,
				       int access)
{
	static struct ibv_mr mr;

	(void)domain, (void)bytes, (void)length;
	registered = (unsigned int)access;
	return &mr;
}

static int deregister(struct ibv_mr *mr)
{
	(void)mr;
	return 0;
}

/* The optional right is passed to the call that may drop it, if the library has that call. */
static void relaxed_ordering(void **state)
{
	const struct message_buffer order = {.slot = 1, .access = ACCESS_LOCAL, .bytes = 4096};
	struct message_buffered reply;
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	(void)state;
	(agent->api.ibv_reg_mr) = register_plainly;
	agent->api.ibv_dereg_mr = deregister;
	agent_way(agent, &(struct message_way){.relaxed = 1});
	assert_int_equal(agent_buffer(agent, &order, &reply), 0);
	assert_int_equal(registered, IBV_ACCESS_LOCAL_WRITE);
	agent->api.ibv_reg_mr_iova2 = register_iova;
	assert_int_equal(agent_buffer(agent, &order, &reply), 0);
	assert_int_equal(registered, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	agent_way(agent, &(struct message_way){.relaxed = 0});
	assert_int_equal(agent_buffer(agent, &order, &reply), 0);
	assert_int_equal(registered, IBV_ACCESS_LOCAL_WRITE);
	free_device(agent);
}

/* A failed run is also reported. */
static void reports(void **state)
{
	const struct message_run run = run_of(RUN_BANDWIDTH, RUN_WRITE);
	struct message_reported report;
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	(void)state;
	assert_int_equal(agent_report(agent, &(struct message_none){}, &report), 0);
	assert_int_equal(report.wall_nsec, 0);
	assert_true(report.peak_bytes > 100000);
	assert_true(takes(agent, &run));
	assert_int_equal(agent_report(agent, &(struct message_none){}, &report), 0);
	assert_true(report.wall_nsec > 0 && report.cpu_nsec > 0);
	assert_int_equal(report.received, 0);
	free_device(agent);
}

#define PEAK_WORD    "peak"
#define LARGE_BYTES  (UINT64_C(192) << 20)
#define MEDIUM_BYTES (UINT64_C(128) << 20)

/* In a process that was started by a large one. */
static int report_peak(void)
{
	struct message_reported report = {0};
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	agent_report(agent, &(struct message_none){}, &report);
	free_device(agent);
	return report.peak_bytes > 0 && report.peak_bytes < MEDIUM_BYTES ? 0 : 1;
}

/* Only the memory of this program counts, not that of the one that started it. */
static void memory_of_the_program(void **state)
{
	const pid_t pid = fork();
	int status = -1;

	(void)state;
	if (!pid) {
		memset(mem_alloc_zero(1, LARGE_BYTES), 1, LARGE_BYTES);
		execl("/proc/self/exe", PEAK_WORD, NULL);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/*
 * The other side of a run in both directions. It takes each message at once and says so, and sends
 * as many as the credits allow, before anything that this side posted completes: the
 * acknowledgement of a credit may be late, or be lost and only come with the transport's retry.
 */
static struct {
	struct device *device;
	const struct message_run *run;
	uint64_t sent, credit, taken; /* messages: sent to the agent, allowed, received from it */
	uint64_t ids[64];	      /* the agent's posts, and those that are not complete */
	size_t first, last;
	unsigned int vain;
	bool ended;
} far;

static int take_posts(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	uint64_t *control = (uint64_t *)(far.device->bytes + 2 * 64);

	(void)qp, (void)bad;
	for (; work; work = work->next) {
		assert_true(far.last - far.first < far.run->depth + 1);
		far.ids[far.last++ % 64] = work->wr_id;
		if (work->opcode == IBV_WR_RDMA_WRITE)
			memcpy(&far.credit, (void *)(uintptr_t)work->sg_list->addr,
			       sizeof(far.credit));
		else
			*control = ++far.taken;
	}
	return 0;
}

static int take_receive(struct ibv_qp *qp, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	(void)qp, (void)work, (void)bad;
	return 0;
}

static int poll_far(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	(void)cq, (void)room;
	*items = (struct ibv_wc){.opcode = IBV_WC_RECV, .byte_len = (uint32_t)far.run->bytes};
	if (far.sent < far.run->iterations && far.sent < far.credit + 2 * far.run->depth) {
		far.sent++;
		return 1;
	}
	if (far.first < far.last) {
		*items = (struct ibv_wc){.wr_id = far.ids[far.first++ % 64]};
		return 1;
	}
	if (far.sent == far.run->iterations && !far.ended) {
		far.ended = true;
		items->byte_len = 0;
		return 1;
	}
	/* A device that reports nothing more: the run hangs. */
	return far.vain++ < 1000 ? 0 : -1;
}

/* The credit after a late one is also sent: without it, the other side would wait. */
static void late_credits(void **state)
{
	struct message_run run = run_of(RUN_BANDWIDTH, RUN_SEND);
	struct message_reported report;
	struct message_ran reply;
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	(void)state;
	run.iterations = 100;
	memset(&far, 0, sizeof(far));
	far.device = &device;
	far.run = &run;
	device.context.ops.post_send = take_posts;
	device.context.ops.post_recv = take_receive;
	device.context.ops.poll_cq = poll_far;
	assert_int_equal(agent_way(agent, &(struct message_way){.both = 1}), 0);
	assert_int_equal(agent_run(agent, &run, &reply), 0);
	assert_int_equal(agent_report(agent, &(struct message_none){}, &report), 0);
	assert_int_equal(reply.stop, STOP_NONE);
	assert_int_equal(reply.iterations, run.iterations);
	assert_int_equal(report.received, run.iterations);
	/* Nothing of this run completes during the next one. */
	assert_int_equal(far.first, far.last);
	free_device(agent);
}

/* A failed call is reported by its own name only. */
static int notify_nobody(struct ibv_cq *cq, int solicited)
{
	(void)cq, (void)solicited;
	return EIO;
}

static int poll_nothing(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	(void)cq, (void)room, (void)items;
	return 0;
}

static int poll_in_vain(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	(void)cq, (void)room, (void)items;
	return -1;
}

static void failed_calls(void **state)
{
	struct message_run run = run_of(RUN_BANDWIDTH, RUN_SEND);
	struct ibv_comp_channel channel = {.fd = -1};
	struct message_ran reply;
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	(void)state;
	run.active = 0;
	device.context.ops.req_notify_cq = notify_nobody;
	device.context.ops.poll_cq = poll_nothing;
	agent->cqs[0].channel = &channel;
	agent_way(agent, &(struct message_way){.events = 1});
	assert_int_equal(agent_run(agent, &run, &reply), -EIO);
	assert_string_equal(agent->refused.text, "ibv_req_notify_cq");
	device.context.ops.poll_cq = poll_in_vain;
	assert_int_equal(agent_run(agent, &run, &reply), -EIO);
	assert_string_equal(agent->refused.text, "ibv_poll_cq");
	free_device(agent);
}

static unsigned int flags; /* of the last post */

static int note_flags(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	flags = work->send_flags;
	return send_nothing(qp, work, bad);
}

/* The provider would read the memory of an accelerator. */
static void inline_data(void **state)
{
	static const struct memory_ops ordinary = {.hidden = false};
	static const struct memory_ops hidden = {.hidden = true};
	const struct message_post post = {
		.flags = POST_INLINE | POST_SIGNALED,
		.count = 1,
		.span = {.blocks = 1, .block_bytes = 64},
	};
	struct message_run run = run_of(RUN_LATENCY, RUN_SEND);
	struct device device;
	struct agent *agent = make_device(&device, QP_RC);

	(void)state;
	device.context.ops.post_send = note_flags;
	agent->qps[0].inline_bytes = run.inline_bytes = 64;
	agent->buffers[0].memory.ops = &ordinary;
	assert_true(takes(agent, &run));
	assert_true(flags & IBV_SEND_INLINE);
	assert_int_equal(agent_post(agent, &post), -ENOMEM);
	assert_true(flags & IBV_SEND_INLINE);
	agent->buffers[0].memory.ops = &hidden;
	assert_true(takes(agent, &run));
	assert_false(flags & IBV_SEND_INLINE);
	assert_int_equal(agent_post(agent, &post), -EINVAL);
	assert_non_null(strstr(agent->refused.text, "cannot reach"));
	free_device(agent);
}

/* This side's posts complete; otherwise there is another message from the far side. */
static int poll_endless(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	(void)cq, (void)room;
	if (far.first < far.last)
		*items = (struct ibv_wc){.wr_id = far.ids[far.first++ % 64]};
	else
		*items = (struct ibv_wc){.opcode = IBV_WC_RECV,
					 .byte_len = (uint32_t)far.run->bytes};
	return 1;
}

static struct agent *make_endless(struct device *device, const struct message_run *run,
				  uint32_t kind)
{
	struct agent *agent = make_device(device, kind);

	memset(&far, 0, sizeof(far));
	far.device = device;
	far.run = run;
	device->context.ops.post_send = take_posts;
	device->context.ops.post_recv = take_receive;
	device->context.ops.poll_cq = poll_endless;
	return agent;
}

/* A peer that never stops sending delays the agent no longer than the watch allows. */
static void endless_messages(void **state)
{
	(void)state;
	for (uint32_t way = 0; way < 3; way++) {
		struct message_run run = run_of(RUN_BANDWIDTH, RUN_SEND);
		struct message_ran reply;
		struct device device;
		struct agent *agent = make_endless(&device, &run, way == 2 ? QP_UC : QP_RC);

		run.active = way == 0;
		agent_way(agent, &(struct message_way){.both = way == 0});
		agent->watch.most_msec = 1;
		assert_int_equal(agent_run(agent, &run, &reply), 0);
		assert_int_equal(reply.stop, STOP_TIMED_OUT);
		free_device(agent);
	}
}

static struct {
	struct agent *agent;
	uint64_t most_msec;
	int peer;
} near;

/* The peer leaves, and the run fails. */
static int poll_and_leave(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	near.most_msec = near.agent->watch.most_msec;
	close(near.peer);
	return poll_in_vain(cq, room, items);
}

static int query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context, (void)port, (void)index, (void)gid;
	return ENODEV;
}

/* The time limit of the near side's part in a run of the far side, or of both. */
static uint64_t limit_of(const char *peer, uint64_t granted_msec, uint64_t duration_msec, bool out,
			 bool in)
{
	const struct selftest_request request = {.peer = peer, .signals = -1};
	struct plan plan = {.order = {.type = MESSAGE_RUN}, .out = out, .in = in};
	struct selftest_results results = {0};
	struct trial trial = {
		.request = &request, .results = &results, .granted.run_msec = granted_msec};
	struct device device;
	int pair[2];

	plan.order.run = run_of(RUN_BANDWIDTH, RUN_SEND);
	plan.order.run.duration_msec = duration_msec;
	if (duration_msec)
		plan.order.run.iterations = 0;
	near.agent = make_endless(&device, &plan.order.run, QP_RC);
	near.agent->api.ibv_query_gid = query_gid;
	near.agent->context = &device.context;
	device.context.async_fd = device.context.cmd_fd = -1;
	device.context.ops.poll_cq = poll_and_leave;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	near.peer = pair[1];
	trial.near.trial = &trial;
	trial.near.agent = near.agent;
	trial.far = (struct side){.trial = &trial, .channel = pair[0], .watch = &near.agent->watch};
	trial_add_row(&trial, SELFTEST_BANDWIDTH, "bandwidth-send", "");
	assert_false(measure_once(&trial, &plan));
	assert_int_equal(near.agent->watch.most_msec, 0);
	close(pair[0]);
	near.agent->context = NULL;
	free_device(near.agent);
	selftest_results_free(&results);
	return near.most_msec;
}

static void limits_of_listening(void **state)
{
	const bool out = true, in = true;

	(void)state;
	/* What this side sends ends without help, and so does the other thread of a loopback. */
	assert_int_equal(limit_of("10.0.0.2", 60000, 1000, out, false), 0);
	assert_int_equal(limit_of(NULL, 0, 1000, out, in), 0);
	/* A run that counts messages has no duration: it ends when the server's time is over. */
	assert_int_equal(limit_of("10.0.0.2", 60000, 0, out, false), 60000);
	assert_int_equal(limit_of("10.0.0.2", 60000, 0, out, in), 60000);
	/* A server may take all of its time, including for the warm-up. */
	assert_int_equal(limit_of("10.0.0.2", 60000, 1000, out, in), 60000 + 60000);
	assert_int_equal(limit_of("10.0.0.2", 0, 1000, out, in), 1000 + RUN_STILL_MSEC + 4 + 60000);
	assert_int_equal(limit_of("10.0.0.2", 60000, 0, false, in), LIMIT_MSEC + 60000);
	/* The time that it requests for that is limited. */
	assert_int_equal(limit_of("10.0.0.2", UINT64_MAX, 1000, out, in), LIMIT_MSEC + 60000);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_of_transports),
		cmocka_unit_test(datagrams_need_a_target),
		cmocka_unit_test(servers_are_careful),
		cmocka_unit_test(ways_that_contradict),
		cmocka_unit_test(relaxed_ordering),
		cmocka_unit_test(reports),
		cmocka_unit_test(memory_of_the_program),
		cmocka_unit_test(late_credits),
		cmocka_unit_test(failed_calls),
		cmocka_unit_test(inline_data),
		cmocka_unit_test(endless_messages),
		cmocka_unit_test(limits_of_listening),
	};

	if (argc == 1 && !strcmp(argv[0], PEAK_WORD))
		return report_peak();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
