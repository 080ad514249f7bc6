/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an agent posts, receives and waits for, request by request: single orders, and timed
 * transfers of blocks with and without the processor's help.
 */
#include "logged_device.h"

#include "base/clock.h"

static struct agent *make(uint32_t kind)
{
	struct agent *agent = device_make(kind, 1);

	for (size_t i = 0; i < sizeof(device.bytes); i++)
		device.bytes[i] = (uint8_t)i;
	return agent;
}

/* ---- Single orders ---- */

/*
 * Each operation with the members of the order that it needs; only the last of several is signaled.
 */
static void posts(void **state)
{
	static const struct memory_ops hidden = {.hidden = true};
	struct message_post order = {
		.count = 1,
		.id = 0x77,
		.flags = POST_SIGNALED,
		.span = {.blocks = 1, .offset = 64, .block_bytes = 8, .stride = 16},
		.remote_address = DEVICE_FAR,
		.rkey = DEVICE_RKEY,
		.operand = 3,
		.swap = 4,
	};
	struct agent *agent = make(QP_RC);

	(void)state;
	memset(device.bytes + 64, 0, 8);
	for (order.operation = 0; order.operation < POST_OPERATIONS; order.operation++)
		assert_int_equal(agent_post(agent, &order), 0);
	device_expect("qp0 send 64+8=0 #119 S\n"
		      "qp0 send-immediate 64+8=0 immediate 0 #119 S\n"
		      "qp0 write 64+8=0 to 10000 key 9 #119 S\n"
		      "qp0 write-immediate 64+8=0 to 10000 key 9 immediate 0 #119 S\n"
		      "qp0 read 64+8=0 to 10000 key 9 #119 S\n"
		      "qp0 add 64+8=0 at 10000 key 9 by 3 or 4 #119 S\n"
		      "qp0 swap 64+8=0 at 10000 key 9 by 3 or 4 #119 S\n");
	/* Elements, all with an lkey that belongs to no region. */
	order.operation = POST_SEND;
	order.span = (struct span){.blocks = 3, .offset = 100, .block_bytes = 10, .stride = 20};
	order.flags = POST_FENCE | POST_INLINE | POST_SOLICITED;
	assert_int_equal(agent_post(agent, &order), 0);
	order.flags |= POST_SIGNALED;
	order.count = 3;
	assert_int_equal(agent_post(agent, &order), 0);
	order.flags = POST_INLINE;
	order.count = 1;
	order.bad_lkey = 1;
	assert_int_equal(agent_post(agent, &order), 0);
	order.span.blocks = 0;
	assert_int_equal(agent_post(agent, &order), 0);
	device_expect("qp0 send 100+10=6d 120+10=81 140+10=95 #119 I F E\n"
		      "qp0 send 100+10=6d 120+10=81 140+10=95 #119 I F E\n"
		      "qp0 send 100+10=6d 120+10=81 140+10=95 #120 I F E\n"
		      "qp0 send 100+10=6d 120+10=81 140+10=95 #121 S I F E\n"
		      "qp0 send 100+10 lkey 5a5a5a07=6d 120+10 lkey 5a5a5a07=81 "
		      "140+10 lkey 5a5a5a07=95 #119 I\n"
		      "qp0 send nothing #119 I\n");
	/* Memory that the processor cannot reach may be sent, but not inline. */
	order.flags = POST_SIGNALED;
	agent->buffers[0].memory.ops = &hidden;
	assert_int_equal(agent_post(agent, &order), 0);
	device_expect("qp0 send nothing #119 S\n");
	order.flags = POST_INLINE;
	assert_int_equal(agent_post(agent, &order), -EINVAL);
	agent->buffers[0].memory.ops = NULL;
	/* Posting stops at the first failure. */
	order.count = 5;
	device.most_sends = device.sends + 2;
	assert_int_equal(agent_post(agent, &order), -ENOMEM);
	assert_string_equal(agent->refused.text, "ibv_post_send");
	assert_int_equal(agent->refused.stage, STAGE_TRANSFER);
	device_expect("qp0 send nothing #119 I\nqp0 send nothing #120 I\n");
	device_free();
}

static void posts_of_other_kinds(void **state)
{
	struct message_post order = {
		.operation = POST_SEND_IMMEDIATE,
		.count = 1,
		.span = {.blocks = 1, .block_bytes = 2},
		.remote_address = DEVICE_FAR,
		.immediate = 0x12343412,
		.qpn = 0x55,
		.qkey = 66,
	};
	struct agent *agent = make(QP_UD);

	(void)state;
	assert_int_equal(agent_post(agent, &order), 0);
	device_expect("qp0 send-immediate 0+2=01 to far 85 key 66 immediate 12343412 #0\n");
	device_free();
	agent = make(QP_XRC);
	assert_int_equal(agent_post(agent, &order), 0);
	device_expect("qp0 send-immediate 0+2=01 immediate 12343412 srq 33 #0\n");
	device_free();
}

/* One after the other in the buffer; to the queue pair, or to the shared receive queue. */
static void receives(void **state)
{
	struct message_receive order = {
		.count = 3,
		.id = 8,
		.span = {.blocks = 2, .offset = 64, .block_bytes = 10, .stride = 16},
		.step = 100,
	};
	struct agent *agent = make(QP_RC);

	(void)state;
	assert_int_equal(agent_receive(agent, &order), 0);
	order.count = 1;
	agent->srq = &device.srq;
	order.srq = 1;
	assert_int_equal(agent_receive(agent, &order), 0);
	agent->srq = NULL;
	device_expect("qp0 receive 64+10 80+10 #8\n"
		      "qp0 receive 164+10 180+10 #9\n"
		      "qp0 receive 264+10 280+10 #10\n"
		      "srq receive 64+10 80+10 #8\n");
	/* A queue pair with a shared receive queue has no receives itself. */
	order.srq = 0;
	device.qps[0].srq = &device.srq;
	assert_int_equal(agent_receive(agent, &order), -EINVAL);
	assert_string_equal(agent->refused.text, "no queue to post receives to");
	device.qps[0].srq = NULL;
	/* Posting stops at the first failure. */
	order.count = 9;
	device.most_receives = device.receives + 1;
	assert_int_equal(agent_receive(agent, &order), -ENOSPC);
	assert_string_equal(agent->refused.text, "ibv_post_recv");
	device_expect("qp0 receive 64+10 80+10 #8\n");
	device_free();
	agent = make(QP_XRC);
	order.count = 1;
	assert_int_equal(agent_receive(agent, &order), 0);
	device_expect("srq receive 64+10 80+10 #8\n");
	device_free();
}

/* ---- Waits ---- */

static const struct ibv_wc good_send = {.wr_id = 5, .opcode = IBV_WC_RDMA_READ, .byte_len = 6};

/* As they are sent over the wire. */
static void expect_waited(const struct message_waited *reply, const struct message_waited *expected)
{
	struct message got = {.type = MESSAGE_WAITED, .waited = *reply};
	struct message wanted = {.type = MESSAGE_WAITED, .waited = *expected};
	uint8_t bytes[2][MESSAGE_MOST_BYTES];
	const size_t length = message_encode(&got, bytes[0]);

	assert_int_equal(length, message_encode(&wanted, bytes[1]));
	assert_memory_equal(bytes[0], bytes[1], length);
}

/* Queue pair numbers have 24 bits, and an immediate is in network byte order. */
static void completions(void **state)
{
	const struct ibv_wc items[] = {
		good_send,
		{.wr_id = 7,
		 .opcode = IBV_WC_RECV,
		 .byte_len = 48,
		 .wc_flags = IBV_WC_WITH_IMM | IBV_WC_GRH,
		 .imm_data = 0x12343412,
		 .src_qp = 0x5000011},
		{.wr_id = 8,
		 .status = IBV_WC_RNR_RETRY_EXC_ERR,
		 .vendor_err = 9,
		 .opcode = IBV_WC_RECV,
		 .byte_len = 1,
		 .wc_flags = IBV_WC_GRH,
		 .src_qp = 2},
		{.wr_id = 10, .imm_data = 4},
		{.wr_id = 11},
	};
	static const struct message_waited expected = {
		.count = 4,
		.items = {{.id = 5, .operation = IBV_WC_RDMA_READ, .bytes = 6, .qpn = 0x1000},
			  {.id = 7,
			   .operation = IBV_WC_RECV,
			   .bytes = 48,
			   .with_immediate = 1,
			   .immediate = 0x12343412,
			   .with_grh = 1,
			   .qpn = 0x1000,
			   .src_qpn = 0x11},
			  {.id = 8, .status = 13, .qpn = 0x1000, .vendor_error = 9},
			  {.id = 10, .qpn = 0x1000}},
	};
	struct message_wait order = {.count = 4, .timeout_msec = 10000};
	struct agent *agent = make(QP_RC);
	struct message_waited reply;

	(void)state;
	device.qps[0].qp_num = 0x7001000;
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		device_complete(0, items[i]);
	memset(&reply, 0x55, sizeof(reply));
	assert_int_equal(agent_wait(agent, &order, &reply), 0);
	expect_waited(&reply, &expected);
	/* Only the remaining ones: it has already waited for as long as it was told. */
	device.idle = NULL;
	order.timeout_msec = 20;
	{
		const uint64_t begin = clock_msec();

		assert_int_equal(agent_wait(agent, &order, &reply), 0);
		assert_true(clock_msec() - begin >= 20);
	}
	assert_int_equal(reply.count, 1);
	assert_int_equal(reply.items[0].id, 11);
	assert_int_equal(reply.stop, STOP_TIMED_OUT);
	/* Nothing to wait for. */
	order.count = 0;
	order.timeout_msec = 10000;
	assert_int_equal(agent_wait(agent, &order, &reply), 0);
	assert_int_equal(reply.count, 0);
	assert_int_equal(reply.stop, STOP_NONE);
	device_free();
}

static bool wakes; /* arming makes an event at once */

static int arm(struct ibv_cq *cq, int solicited_only)
{
	device_note("arm queue%u%s\n", (unsigned int)(cq - device.cqs),
		    solicited_only ? " solicited" : "");
	if (wakes)
		eventfd_write(device.channels[0].fd, 1);
	return 0;
}

static int take_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	eventfd_t count;

	*cq = NULL;
	*context = NULL;
	if (eventfd_read(channel->fd, &count))
		return -1;
	device_note("event\n");
	return 0;
}

static void complete_once(void)
{
	if (device.idles == 1)
		device_complete(0, good_send);
}

/* Armed before the last poll; solicited completions only count with an event. */
static void waits_for_events(void **state)
{
	struct message_wait order = {.count = 1, .timeout_msec = 10000, .by_event = 1};
	struct agent *agent = make(QP_RC);
	struct message_waited reply;

	(void)state;
	device.context.ops.req_notify_cq = arm;
	agent->api.ibv_get_cq_event = take_event;
	device.channels[0].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	agent->cqs[0].channel = &device.channels[0];
	device.idle = NULL;
	wakes = false;
	device_complete(0, good_send);
	assert_int_equal(agent_wait(agent, &order, &reply), 0);
	assert_true(reply.count == 1 && reply.events == 0 && reply.stop == STOP_NONE);
	assert_int_equal(agent->cqs[0].unacknowledged, 0);
	device_expect("arm queue0\n");
	/* Completions that are already there do not count before the event. */
	wakes = true;
	order.solicited = 1;
	device_complete(0, good_send);
	assert_int_equal(agent_wait(agent, &order, &reply), 0);
	assert_true(reply.count == 1 && reply.events == 1 && reply.stop == STOP_NONE);
	assert_int_equal(agent->cqs[0].unacknowledged, 1);
	device_expect("arm queue0 solicited\nevent\n");
	/* Completions after the last poll come with the event. */
	device.idles = 0;
	device.idle = complete_once;
	order.solicited = 0;
	order.count = 2;
	device_complete(0, good_send);
	assert_int_equal(agent_wait(agent, &order, &reply), 0);
	assert_true(reply.count == 2 && reply.stop == STOP_NONE);
	/* No event comes: completions that are there are reported nevertheless. */
	wakes = false;
	device.length = 0;
	device.idle = NULL;
	order.solicited = 1;
	order.count = 1;
	order.timeout_msec = 5;
	{
		eventfd_t count;
		const uint64_t begin = clock_msec();

		eventfd_read(device.channels[0].fd, &count);
		device_complete(0, good_send);
		assert_int_equal(agent_wait(agent, &order, &reply), 0);
		assert_true(clock_msec() - begin >= 5);
	}
	assert_true(reply.count == 1 && reply.events == 0 && reply.stop == STOP_TIMED_OUT);
	device_expect("arm queue0 solicited\n");
	close(device.channels[0].fd);
	device_free();
}

/* ---- Timed transfers ---- */

/* Five blocks of 16 bytes, 32 apart. */
static struct span five_at(uint64_t offset)
{
	return (struct span){.blocks = 5, .offset = offset, .block_bytes = 16, .stride = 32};
}

static struct message_gather gather_of(uint32_t operation)
{
	return (struct message_gather){
		.operation = operation,
		.active = 1,
		.iterations = 2,
		.from = five_at(0),
		.to = five_at(1024),
		.piece = 2048,
		.remote_address = DEVICE_FAR,
		.rkey = DEVICE_RKEY,
	};
}

static void gather(const struct message_gather *order)
{
	struct message_ran ran = {.elapsed_nsec = 5, .status = 6, .stop = 7, .vendor_error = 8};
	struct agent *agent = device.agent;
	const uint64_t begin = clock_raw_nsec();
	const int rc = agent_gather(agent, order, &ran);

	if (rc) {
		assert_int_equal(agent->refused.stage, STAGE_TRANSFER);
		device_note("failed: %s\n", agent->refused.text);
		return;
	}
	device_note("ran %" PRIu64 " %u %u %u\n", ran.iterations, ran.status, ran.vendor_error,
		    ran.stop);
	assert_true(ran.elapsed_nsec <= clock_raw_nsec() - begin);
}

/* Everything that completes was waited for. */
static void expect(const struct message_gather *order, const char *text)
{
	gather(order);
	device_expect(text);
	assert_int_equal(device.first[0], device.last[0]);
	assert_int_equal(device.agent->watch.progress, order->iterations);
}

#define FIVE_WRITES                                       \
	"qp0 write 0+16=0f 32+16=2f to 10000 key 9 #0\n"  \
	"  + write 64+16=4f 96+16=6f to 10020 key 9 #1\n" \
	"  + write 128+16=8f to 10040 key 9 #2 S\n"

static void gathers_writes(void **state)
{
	struct message_gather order = gather_of(POST_WRITE);
	struct agent *agent = make(QP_RC);

	(void)state;
	expect(&order, FIVE_WRITES FIVE_WRITES "ran 2 0 0 0\n");
	order.iterations = 3;
	order.warmup = 2;
	/* All requests complete. */
	agent->qps[0].signal_all = device.all_signaled = true;
	expect(&order, FIVE_WRITES FIVE_WRITES FIVE_WRITES "ran 1 0 0 0\n");
	/* A limit of reads does not apply to writes; elements that fit exactly make one request. */
	agent->limits.max_sge_rd = 1;
	agent->qps[0].sges = 5;
	order.iterations = 1;
	order.warmup = 0;
	expect(&order, "qp0 write 0+16=0f 32+16=2f 64+16=4f 96+16=6f 128+16=8f to 10000 key 9 "
		       "#0 S\n"
		       "ran 1 0 0 0\n");
	order.from.blocks = 6;
	expect(&order, "qp0 write 0+16=0f 32+16=2f 64+16=4f 96+16=6f 128+16=8f to 10000 key 9 #0\n"
		       "  + write 160+16=af to 10050 key 9 #1 S\n"
		       "ran 1 0 0 0\n");
	device_free();
}

/* In the order of the blocks, without the bytes between them. */
static void assert_packed(uint64_t piece, uint64_t blocks)
{
	for (size_t i = 0; i < 5; i++)
		assert_memory_equal(device.bytes + piece + i * 16, device.bytes + blocks + i * 32,
				    16);
}

static void packs_writes(void **state)
{
	struct message_gather order = gather_of(POST_WRITE);

	(void)state;
	make(QP_RC);
	memset(device.bytes + 2048, 0xee, 96);
	order.packed = 1;
	order.iterations = 1;
	expect(&order, "qp0 write 2048+80=8f to 10000 key 9 #0 S\n"
		       "ran 1 0 0 0\n");
	assert_packed(2048, 0);
	assert_int_equal(device.bytes[2048 + 80], 0xee);
	device_free();
}

static void scatters_reads(void **state)
{
	struct message_gather order = gather_of(POST_READ);
	struct agent *agent = make(QP_RC);

	(void)state;
	order.to.blocks = 3;
	order.iterations = 1;
	expect(&order, "qp0 read 1024+16=0f 1056+16=2f to 10000 key 9 #0\n"
		       "  + read 1088+16=4f to 10020 key 9 #1 S\n"
		       "ran 1 0 0 0\n");
	agent->limits.max_sge_rd = 1;
	expect(&order, "qp0 read 1024+16=0f to 10000 key 9 #0\n"
		       "  + read 1056+16=2f to 10010 key 9 #1\n"
		       "  + read 1088+16=4f to 10020 key 9 #2 S\n"
		       "ran 1 0 0 0\n");
	agent->limits.max_sge_rd = 2;
	order.to.blocks = 5;
	order.packed = 1;
	memset(device.bytes + 1024, 0xee, 5 * 32);
	expect(&order, "qp0 read 2048+80=4f to 10000 key 9 #0 S\n"
		       "ran 1 0 0 0\n");
	assert_packed(2048, 1024);
	assert_int_equal(device.bytes[1024 + 16], 0xee);
	assert_int_equal(device.bytes[1024 + 128 + 16], 0xee);
	device_free();
}

/* The other side sends as many messages as it receives. */
static void send_back(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)work;
	device_arrive(qp, 32);
}

#define FIVE_SENDS                        \
	"qp0 send 0+16=0f 32+16=2f #0\n"  \
	"  + send 64+16=4f 96+16=6f #1\n" \
	"  + send 128+16=8f #2 S\n"
#define FIVE_RECEIVES                      \
	"qp0 receive 1024+16 1056+16 #0\n" \
	"  + receive 1088+16 1120+16 #1\n" \
	"  + receive 1152+16 #2\n"

static void ping_pongs(void **state)
{
	struct message_gather order = gather_of(POST_SEND);

	(void)state;
	make(QP_RC);
	device.answer = send_back;
	expect(&order, FIVE_SENDS FIVE_RECEIVES FIVE_SENDS "ran 2 0 0 0\n");
	device_free();
	/* The answering side: messages after its last one belong to nobody. */
	make(QP_RC);
	device.answer = send_back;
	order.active = 0;
	for (int i = 0; i < 3; i++)
		device_arrive(0, 32);
	gather(&order);
	device_expect(FIVE_RECEIVES FIVE_SENDS FIVE_SENDS "ran 2 0 0 0\n");
	device_free();
}

static void ping_pongs_packed(void **state)
{
	struct message_gather order = gather_of(POST_SEND);

	(void)state;
	make(QP_RC);
	device.answer = send_back;
	order.packed = 1;
	memset(device.bytes + 1024, 0xee, 5 * 32);
	expect(&order, "qp0 send 2048+80=8f #0 S\n"
		       "qp0 receive 2128+80 #0\n"
		       "qp0 send 2048+80=8f #0 S\n"
		       "ran 2 0 0 0\n");
	assert_packed(2048, 0);
	assert_packed(2128, 1024);
	device_free();
}

/* Each transfer takes 2 ms. */
static int poll_slowly(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	usleep(2000);
	return device_poll(cq, room, items);
}

static void warm_up_is_no_time(void **state)
{
	struct message_gather order = gather_of(POST_WRITE);
	const uint64_t begin = clock_raw_nsec();
	struct message_ran ran;
	struct agent *agent = make(QP_RC);

	(void)state;
	device.context.ops.poll_cq = poll_slowly;
	order.iterations = 22;
	order.warmup = 20;
	assert_int_equal(agent_gather(agent, &order, &ran), 0);
	assert_int_equal(ran.iterations, 2);
	assert_true(ran.elapsed_nsec >= 4000000);
	assert_true(ran.elapsed_nsec + 40000000 <= clock_raw_nsec() - begin);
	device_free();
}

static int poll_in_vain(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	(void)cq, (void)room, (void)items;
	return -1;
}

static void complete_badly(void)
{
	device_complete(0, (struct ibv_wc){.status = IBV_WC_RETRY_EXC_ERR, .vendor_err = 0x81});
}

static void ends_early(void **state)
{
	struct message_gather order = gather_of(POST_SEND);

	(void)state;
	order.from.blocks = order.to.blocks = 1;
	/* There is no answer, and then the device is gone. */
	make(QP_RC);
	gather(&order);
	device_expect("qp0 send 0+16=0f #0 S\nran 0 0 0 5\n");
	device_free();
	make(QP_RC);
	device.idle = complete_badly;
	gather(&order);
	device_expect("qp0 send 0+16=0f #0 S\nran 0 12 129 0\n");
	device_free();
	make(QP_RC);
	device.context.ops.poll_cq = poll_in_vain;
	gather(&order);
	device_expect("qp0 send 0+16=0f #0 S\nfailed: ibv_poll_cq\n");
	device_free();
	make(QP_RC);
	device.answer = send_back;
	device.most_sends = 1;
	gather(&order);
	device_expect("qp0 send 0+16=0f #0 S\nqp0 receive 1024+16 #0\nfailed: ibv_post_send\n");
	device_free();
}

static void refused(const struct message_gather *order, enum refusal refusal, const char *text)
{
	struct message_ran ran;

	assert_int_equal(agent_gather(device.agent, order, &ran), -EINVAL);
	assert_string_equal(device.agent->refused.text, text);
	assert_int_equal(device.agent->refused.refusal, refusal);
	device_expect("");
}

/* The order gets as far as its first post, which fails. */
static void taken(const struct message_gather *order)
{
	struct message_ran ran;

	device.sends = device.most_sends = 1;
	memset(&device.agent->refused, 0, sizeof(device.agent->refused));
	assert_int_equal(agent_gather(device.agent, order, &ran), -ENOMEM);
	device_expect("");
}

static void refusals(void **state)
{
	struct message_gather order = gather_of(POST_WRITE);
	struct agent *agent = make(QP_RC);

	(void)state;
	taken(&order);
	order.warmup = 2;
	refused(&order, REFUSAL_ORDER, "nothing to transfer with");
	order.warmup = 1;
	taken(&order);
	order.cq = 2;
	refused(&order, REFUSAL_ORDER, "nothing to transfer with");
	order.cq = 0;
	order.slot = 1;
	refused(&order, REFUSAL_ORDER, "nothing to transfer with");
	order.slot = 0;
	agent->qps[0].kind = QP_UC;
	refused(&order, REFUSAL_ORDER, "nothing to transfer with");
	agent->qps[0].kind = QP_RC;
	agent->qps[0].sges = 0;
	refused(&order, REFUSAL_ORDER, "a queue pair without elements");
	agent->qps[0].sges = LIMIT_SGES + 1;
	refused(&order, REFUSAL_ORDER, "a queue pair without elements");
	agent->qps[0].sges = LIMIT_SGES;
	taken(&order);
	order.from.blocks = 0;
	refused(&order, REFUSAL_ORDER, "blocks outside of buffer 0");
	order.from.blocks = 5;
	order.from.offset = sizeof(device.bytes) - 4 * 32 - 16;
	taken(&order);
	order.from.offset++;
	refused(&order, REFUSAL_ORDER, "blocks outside of buffer 0");
	/* As many requests as a queue may have. */
	agent->qps[0].sges = 2;
	order.from = (struct span){.blocks = 2 * LIMIT_DEPTH - 1, .block_bytes = 1};
	taken(&order);
	order.from.blocks++;
	refused(&order, REFUSAL_LIMIT, "32768 blocks");
	order = gather_of(POST_SEND);
	taken(&order);
	order.to.block_bytes = 15;
	refused(&order, REFUSAL_ORDER, "blocks to send and to receive that differ");
	order.to.offset = sizeof(device.bytes);
	refused(&order, REFUSAL_ORDER, "blocks outside of buffer 0");
	/* Two pieces of 80 bytes. */
	order = gather_of(POST_SEND);
	order.packed = 1;
	order.piece = sizeof(device.bytes) - 160;
	taken(&order);
	order.piece++;
	refused(&order, REFUSAL_ORDER, "bytes outside of buffer 0");
	order.piece = sizeof(device.bytes) - 79;
	refused(&order, REFUSAL_ORDER, "bytes outside of buffer 0");
	order.piece = 1024 + 144 - 80;
	taken(&order);
	order.piece--;
	refused(&order, REFUSAL_ORDER, "a piece among its blocks in buffer 0");
	device_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(posts),
		cmocka_unit_test(posts_of_other_kinds),
		cmocka_unit_test(receives),
		cmocka_unit_test(completions),
		cmocka_unit_test(waits_for_events),
		cmocka_unit_test(gathers_writes),
		cmocka_unit_test(packs_writes),
		cmocka_unit_test(scatters_reads),
		cmocka_unit_test(ping_pongs),
		cmocka_unit_test(ping_pongs_packed),
		cmocka_unit_test(warm_up_is_no_time),
		cmocka_unit_test(ends_early),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
