/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rounds with the pingpongs and rping: our client against our server on a device simulated in
 * memory, which may corrupt the data sent. tests/vm has the programs themselves.
 */
#include "perfect_trial.h"

#include <poll.h>

#include "selftest/interop/interop.h"
#include "selftest/interop/interop_cm.h"

enum { ROUNDS = 6 };

/* One side's session; the far one runs in a thread. */
struct half {
	struct interop session;
	struct selftest_request request;
	struct interop_role role;
	struct selftest_results results;
	struct pingpong pingpong;
	struct rping rping;
	struct rdma_event_channel channel;
	struct rdma_cm_event event;
	struct rdma_cm_id id;
	struct pingpong_address own;
	int signals; /* ends it */
};

static struct half halves[2];
static atomic_int waited_together;

/* Nobody may wait for events while the thread of a run does, which also waits for its own end. */
int poll(struct pollfd *fds, nfds_t count, int msec)
{
	const struct timespec wait = {msec / 1000, msec % 1000 * 1000000L};

	for (size_t i = 0; i < 2; i++)
		if (fds[0].fd == halves[i].signals && halves[i].session.agent->watch.wake >= 0)
			waited_together += fds[count - 1].fd != halves[i].session.agent->watch.wake;
	return ppoll(fds, count, msec < 0 ? NULL : &wait, NULL);
}

static int get_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	struct half *half = channel == &halves[0].channel ? &halves[0] : &halves[1];
	eventfd_t one;

	if (eventfd_read(channel->fd, &one))
		return -1;
	*event = &half->event;
	return 0;
}

static int take_event(struct rdma_cm_event *event)
{
	(void)event;
	return 0;
}

static void begin_half(unsigned int side, uint32_t kind)
{
	struct half *half = &halves[side];
	const int signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct agent *agent = agent_new(-1, signals);

	*half = (struct half){
		.request = {.signals = -1, .peer = "hostb"},
		.role = {.test = "pingpong",
			 .program = "ibv_rc_pingpong",
			 .client_summary = "",
			 .server_summary = "",
			 .connection = CONNECTION_EXCHANGE,
			 .kind = kind},
		.channel.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.signals = signals,
	};
	soft_attach(agent, side);
	agent->api.rdma_get_cm_event = get_event;
	agent->api.rdma_ack_cm_event = take_event;
	half->event = (struct rdma_cm_event){.id = &half->id, .event = RDMA_CM_EVENT_DISCONNECTED};
	half->session = (struct interop){
		.request = &half->request,
		.local = &soft.ports[side].endpoint,
		.results = &half->results,
		.role = &half->role,
		.server = side == 1,
		.header = kind == QP_UD ? DATAGRAM_HEADER_BYTES : 0,
		.agent = agent,
		.peer = mem_string("hostb"),
		.command = mem_string("ibv_rc_pingpong -d DEV"),
		.bytes = 64,
		.iterations = ROUNDS,
		.qps = 1,
		.depth = 4,
		.mtu_bytes = 1024,
		.timeout_msec = 20000,
	};
	half->rping = (struct rping){.cm = {.session = &half->session, .id = &half->id}};
	half->pingpong.session = &half->session;
	interop_row_begin(&half->session);
}

/* Like make() of pingpong.c. */
static void make_pingpong(struct half *half)
{
	struct interop *session = &half->session;
	const struct agent_qp *qp = &session->agent->qps[INTEROP_QP];

	assert_int_equal(interop_make_qp(session, INTEROP_QP), 0);
	half->own = (struct pingpong_address){.qpn = qp->qp->qp_num, .psn = qp->psn};
	assert_int_equal(
		interop_make_buffers(session, session->header + session->bytes, ACCESS_LOCAL), 0);
}

static void make_rping(struct half *half)
{
	assert_int_equal(rping_make(&half->rping.cm), 0);
	half->session.agent->cm = &half->channel;
	half->own = (struct pingpong_address){
		.qpn = half->session.agent->qps[0].qp->qp_num,
		.psn = half->session.agent->qps[0].psn,
	};
}

static void connect_half(struct half *half, const struct half *other)
{
	struct agent *agent = half->session.agent;
	struct message_modify order = {
		.state = IBV_QPS_INIT,
		.access = 15,
		.qpn = other->own.qpn,
		.psn = other->own.psn,
		.to = *other->session.local,
		.mtu_bytes = 1024,
		.max_rd_atomic = 1,
		.timeout = 14,
		.retries = 7,
		.rnr_retries = 7,
		.rnr_timer = 12,
		.qkey = PINGPONG_QKEY,
	};

	for (; order.state <= IBV_QPS_RTS; order.state++) {
		assert_int_equal(agent_modify(agent, &order), 0);
		if (order.state == IBV_QPS_INIT)
			assert_int_equal(interop_post_receive(&half->session), 0);
	}
	if (half->role.kind != QP_UD)
		return;
	assert_int_equal(
		agent_address(agent, &(struct message_address){.to = *other->session.local}), 0);
	half->session.send.wr.ud.ah = agent->qps[0].ah;
	half->session.send.wr.ud.remote_qpn = half->pingpong.remote_qpn = other->own.qpn;
	half->session.send.wr.ud.remote_qkey = PINGPONG_QKEY;
}

static void begin(uint32_t kind, void (*make)(struct half *half))
{
	soft.next_qpn = soft.calls = 0;
	begin_half(0, kind);
	begin_half(1, kind);
	make(&halves[0]);
	make(&halves[1]);
	connect_half(&halves[1], &halves[0]);
	connect_half(&halves[0], &halves[1]);
}

/* A side that fails also ends the other one. */
static void run_half(struct half *half)
{
	struct half *other = half == &halves[0] ? &halves[1] : &halves[0];

	if (half->session.agent->cm)
		rping_exchange(&half->rping.cm);
	else
		pingpong_exchange(&half->pingpong);
	if (half->session.marked)
		eventfd_write(other->signals, 1);
}

static void *serve(void *context)
{
	run_half(context);
	return NULL;
}

static void play(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, serve, &halves[1]), 0);
	run_half(&halves[0]);
	/* rping's client disconnects. */
	eventfd_write(halves[1].channel.fd, 1);
	pthread_join(thread, NULL);
	assert_int_equal(waited_together, 0);
	soft.spoil = NULL;
	soft.damage = NULL;
}

static void end(void)
{
	for (size_t i = 0; i < 2; i++) {
		struct interop *session = &halves[i].session;

		session->agent->cm = NULL;
		agent_free(session->agent);
		counter_list_clear(&session->before);
		free(session->sampler.nsec);
		free(session->peer);
		free(session->command);
		selftest_results_free(&halves[i].results);
		close(halves[i].channel.fd);
		close(halves[i].signals);
	}
	assert_int_equal(soft.objects, 0);
}

/* The completed row of a side. */
static const struct selftest_result *row_of(struct half *half)
{
	if (half->session.row)
		interop_row_end(&half->session);
	return half->results.items[0];
}

static void expect(unsigned int side, enum selftest_verdict verdict, const char *reason)
{
	const struct selftest_result *row = row_of(&halves[side]);

	if (row->verdict.value != verdict || !row->reason != !reason ||
	    (reason && strncmp(row->reason, reason, strlen(reason))))
		fail_msg("side %u: '%s' instead of '%s'", side,
			 row->reason ? row->reason : "a pass", reason ? reason : "a pass");
}

/* ---- Pingpongs ---- */

#define UNCHECKED "the client sends other data, which were sent back unchecked"

static void pingpongs(void **state)
{
	static const uint32_t kinds[] = {QP_RC, QP_UC, QP_UD};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		begin(kinds[i], make_pingpong);
		play();
		expect(0, SELFTEST_PASS, NULL);
		expect(1, SELFTEST_PASS, UNCHECKED);
		for (size_t k = 0; k < 2; k++) {
			const struct selftest_result *row = row_of(&halves[k]);

			assert_int_equal(row->iterations.value, ROUNDS);
			assert_int_equal(row->size_bytes.value, 64);
			assert_true(row->latency_p50_usec.known && row->bandwidth_gbps.known);
			/* The server takes no sample for the first message. */
			assert_int_equal(halves[k].session.sampler.all.count, ROUNDS - k);
		}
		assert_int_equal(halves[0].pingpong.echo, ECHO_OURS);
		assert_int_equal(halves[1].pingpong.echo, ECHO_NONE);
		end();
	}
}

/* Odd-numbered messages are the client's. */
static void answer_changed(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (++soft.calls == 4)
		to[bytes - 1] ^= 1;
}

static void first_is_constant(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	if (++soft.calls == 1)
		memset(to, 0x7b, bytes);
}

static void all_constant(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	memset(to, ++soft.calls % 2 ? 0x7b : 0x11, bytes);
}

static void one_byte_less(struct ibv_wc *wc, bool receive)
{
	wc->byte_len -= receive;
}

static void second_send_fails(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->qp_num == 0x101 && ++soft.calls == 2)
		wc->status = IBV_WC_RETRY_EXC_ERR;
}

/* The server's last send fails: the client left before acknowledging it. */
static void last_answer_fails(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->qp_num == 0x102 && ++soft.calls == ROUNDS)
		wc->status = IBV_WC_RETRY_EXC_ERR;
}

static void damaged_pingpongs(void **state)
{
	(void)state;
	begin(QP_RC, make_pingpong);
	soft.damage = answer_changed;
	play();
	expect(0, SELFTEST_FAIL, "wrong data in iteration 2: at offset 63, ");
	assert_int_equal(row_of(&halves[0])->iterations.value, 1);
	end();
	/*
	 * Like the original programs: the server sends its own data, which the client sends back.
	 */
	begin(QP_RC, make_pingpong);
	soft.damage = all_constant;
	play();
	expect(0, SELFTEST_PASS,
	       "the data were not checked: the peer does not send back what it receives");
	expect(1, SELFTEST_PASS,
	       "the data were not checked: the peer does not send back what it receives");
	end();
	/*
	 * A client that looks like the original receives the server's data and reports a mismatch.
	 */
	begin(QP_RC, make_pingpong);
	soft.damage = first_is_constant;
	play();
	expect(0, SELFTEST_FAIL, "wrong data in iteration 1: ");
	end();
	begin(QP_RC, make_pingpong);
	soft.spoil = one_byte_less;
	play();
	expect(1, SELFTEST_FAIL, "hostb sends messages of 63 bytes instead of 64");
	end();
	begin(QP_RC, make_pingpong);
	soft.spoil = second_send_fails;
	play();
	assert_int_equal(row_of(&halves[0])->verdict.value, SELFTEST_FAIL);
	assert_int_equal(row_of(&halves[0])->iterations.value, 1);
	assert_string_equal(row_of(&halves[0])->status, "transport retry counter exceeded");
	end();
	begin(QP_RC, make_pingpong);
	soft.spoil = last_answer_fails;
	play();
	expect(1, SELFTEST_PASS,
	       "the last reply was not acknowledged: the client may have ended after receiving it");
	end();
}

/* A datagram from a stranger, or one shorter than its header, is not an answer. */
static void stranger_first(struct ibv_wc *wc, bool receive)
{
	if (receive && wc->qp_num == 0x102 && !soft.calls++)
		wc->src_qp = 5;
}

static void strangers(void **state)
{
	(void)state;
	begin(QP_UD, make_pingpong);
	halves[0].session.timeout_msec = 250;
	soft.spoil = stranger_first;
	play();
	/* Therefore the first message goes unanswered. */
	assert_int_equal(row_of(&halves[0])->verdict.value, SELFTEST_FAIL);
	assert_int_equal(row_of(&halves[0])->iterations.value, 0);
	assert_int_equal(row_of(&halves[1])->iterations.value, 0);
	end();
}

/* ---- rping ---- */

static void rpings(void **state)
{
	(void)state;
	begin(QP_RC, make_rping);
	play();
	expect(0, SELFTEST_PASS, NULL);
	expect(1, SELFTEST_PASS, NULL);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(row_of(&halves[i])->iterations.value, ROUNDS);
		assert_int_equal(row_of(&halves[i])->size_bytes.value, 64);
		assert_int_equal(halves[i].session.sampler.all.count, ROUNDS);
	}
	assert_true(halves[1].rping.usual);
	end();
}

static void text_changed(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)from;
	if (opcode == IBV_WR_RDMA_READ && ++soft.calls == 2)
		to[bytes - 2] ^= 1;
}

static void other_text(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)bytes;
	if (opcode == IBV_WR_RDMA_READ)
		from[0] = to[0] = 'x';
}

static void answer_damaged(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)from;
	if (opcode == IBV_WR_RDMA_WRITE && ++soft.calls == 3)
		to[bytes / 2] ^= 1;
}

static void longer_info(struct ibv_wc *wc, bool receive)
{
	wc->byte_len += receive && wc->qp_num == 0x102;
}

/* Sets the byte count, in the last four bytes of the message, to 0. */
static void no_bytes(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)from, (void)bytes;
	if (opcode == IBV_WR_SEND)
		memset(to + 12, 0, 4);
}

static void too_many_bytes(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)from, (void)bytes;
	if (opcode == IBV_WR_SEND)
		memcpy(to + 12, "\0\1\0\0", 4);
}

static void damaged_rpings(void **state)
{
	static const struct {
		void (*damage)(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes);
		void (*spoil)(struct ibv_wc *wc, bool receive);
		unsigned int side;
		enum selftest_verdict verdict;
		const char *reason;
	} rows[] = {
		{text_changed, NULL, 1, SELFTEST_FAIL, "wrong data in iteration 2: at offset 62, "},
		{other_text, NULL, 1, SELFTEST_PASS,
		 "the client's text is not rping's, and was written back unchecked"},
		{other_text, NULL, 0, SELFTEST_PASS, NULL},
		{answer_damaged, NULL, 0, SELFTEST_FAIL,
		 "wrong data in iteration 3: at offset 32, "},
		{NULL, longer_info, 1, SELFTEST_FAIL,
		 "hostb sent a message of 17 bytes: rping's have 16"},
		{no_bytes, NULL, 1, SELFTEST_FAIL,
		 "hostb asks to move 0 bytes: rping moves 1 to 65535"},
		{too_many_bytes, NULL, 1, SELFTEST_FAIL,
		 "hostb asks to move 65536 bytes: rping moves 1 to 65535"},
		{NULL, second_send_fails, 0, SELFTEST_FAIL,
		 "the port of hostb did not answer (transport retry counter exceeded)"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		begin(QP_RC, make_rping);
		soft.damage = rows[i].damage;
		soft.spoil = rows[i].spoil;
		play();
		expect(rows[i].side, rows[i].verdict, rows[i].reason);
		end();
	}
}

/*
 * A client may leave only after a round, and only after the number of rounds that the user asked
 * for.
 */
static void clients_that_leave(void **state)
{
	(void)state;
	begin(QP_RC, make_rping);
	eventfd_write(halves[1].channel.fd, 1);
	rping_exchange(&halves[1].rping.cm);
	expect(1, SELFTEST_FAIL, "hostb connected and disconnected without a complete round");
	end();
	begin(QP_RC, make_rping);
	eventfd_write(halves[0].channel.fd, 1);
	rping_exchange(&halves[0].rping.cm);
	expect(0, SELFTEST_FAIL, "hostb disconnected before the first round was done: ");
	end();
	for (uint64_t more = 0; more < 2; more++) {
		begin(QP_RC, make_rping);
		halves[1].request.iterations = ROUNDS + more;
		play();
		expect(1, more ? SELFTEST_FAIL : SELFTEST_PASS,
		       more ? "hostb stopped after 6 " : NULL);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pingpongs),	  cmocka_unit_test(damaged_pingpongs),
		cmocka_unit_test(strangers),	  cmocka_unit_test(rpings),
		cmocka_unit_test(damaged_rpings), cmocka_unit_test(clients_that_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
