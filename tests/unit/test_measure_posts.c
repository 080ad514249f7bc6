/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a measurement run posts, request by request, and its reply: every operation, both sides,
 * batches, credits, ends, lost pings and failures (selftest/measure/measure.h).
 */
#include "logged_device.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/clock.h"

/*
 * With one queue pair and 64 bytes, data to send is at 0, received data at 64, the credit at 128,
 * and received credits at 136.
 */
static struct message_run run_of(uint32_t mode, uint32_t operation)
{
	return (struct message_run){
		.mode = mode,
		.operation = operation,
		.active = 1,
		.qps = 1,
		.bytes = operation == RUN_ATOMIC ? 8 : 64,
		.iterations = 3,
		.depth = 2,
		.batch = 1,
		.signal_every = 1,
		.remote_address = DEVICE_FAR,
		.rkey = DEVICE_RKEY,
	};
}

static void note_number(const char *name, uint64_t number)
{
	if (number)
		device_note(" %s %" PRIu64, name, number);
}

/* A ping-pong sample is half the time between two of them, and the samples cover the whole run. */
static void check_samples(const struct message_run *order, const struct message_ran *ran)
{
	const bool one_sided = order->operation >= RUN_READ;
	const uint64_t share = one_sided ? 1 : 2;
	const struct agent_samples *samples = &device.agent->samples;
	uint64_t sum = 0;

	for (size_t i = 0; i < samples->count; i++)
		sum += share * samples->nsec[i];
	if (device.agent->report.lost)
		assert_true(ran->elapsed_nsec >= sum + 100000000);
	else
		assert_in_range(ran->elapsed_nsec, sum, sum + (share - 1) * samples->count);
}

/* Executes the run, and notes its reply as the last line of the text. */
static void run(const struct message_run *order)
{
	struct message_ran ran = {.elapsed_nsec = 5, .status = 6, .stop = 7, .vendor_error = 8};
	struct agent *agent = device.agent;
	const uint64_t begin = clock_raw_nsec();
	const int rc = agent_run(agent, order, &ran);

	if (rc) {
		assert_int_equal(rc, -(int)agent->refused.error);
		assert_int_equal(agent->refused.stage, STAGE_TRANSFER);
		device_note("failed: %s %s\n", agent->refused.text,
			    rc == -ENOMEM   ? "ENOMEM"
			    : rc == -ENOSPC ? "ENOSPC"
			    : rc == -EIO    ? "EIO"
			    : rc == -EPROTO ? "EPROTO"
					    : "");
		return;
	}
	device_note("ran %" PRIu64, ran.iterations);
	note_number("status", ran.status);
	note_number("vendor", ran.vendor_error);
	note_number("stop", ran.stop);
	note_number("received", agent->report.received);
	note_number("lost", agent->report.lost);
	note_number("events", agent->report.events);
	note_number("samples", agent->samples.count);
	device_note("\n");
	assert_true(ran.elapsed_nsec <= clock_raw_nsec() - begin);
	if (order->mode == RUN_LATENCY)
		check_samples(order, &ran);
}

static void expect(const struct message_run *order, const char *text)
{
	run(order);
	device_expect(text);
	device_free();
}

/* ---- Bandwidth ---- */

/* The end of a phase is less than a batch; its last message is signaled, and so is every third. */
static void writes_in_batches(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 1);
	device.bytes[63] = 0x11;
	order.iterations = 7;
	order.warmup = 2;
	order.depth = 4;
	order.batch = 2;
	order.signal_every = 3;
	order.inline_bytes = 63;
	expect(&order, "qp0 write 0+64=11 to 10040 key 9 #1\n"
		       "  + write 0+64=11 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=11 to 10040 key 9 #3\n"
		       "  + write 0+64=11 to 10040 key 9 #4\n"
		       "qp0 write 0+64=11 to 10040 key 9 #5 S\n"
		       "  + write 0+64=11 to 10040 key 9 #6\n"
		       "qp0 write 0+64=11 to 10040 key 9 #7 S\n"
		       "ran 5\n");
}

/* Twice three do not fit into four, and the first three have no completion yet. */
static void batches_that_do_not_fit(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 1);
	order.iterations = 9;
	order.depth = 4;
	order.batch = 3;
	order.signal_every = 4;
	expect(&order, "qp0 write 0+64=00 to 10040 key 9 #1\n"
		       "  + write 0+64=00 to 10040 key 9 #2\n"
		       "  + write 0+64=00 to 10040 key 9 #3\n"
		       "qp0 write 0+64=00 to 10040 key 9 #4 S\n"
		       "qp0 write 0+64=00 to 10040 key 9 #5\n"
		       "  + write 0+64=00 to 10040 key 9 #6\n"
		       "  + write 0+64=00 to 10040 key 9 #7\n"
		       "qp0 write 0+64=00 to 10040 key 9 #8 S\n"
		       "qp0 write 0+64=00 to 10040 key 9 #9 S\n"
		       "ran 9\n");
	assert_int_equal(device.idles, 0);
}

/*
 * Queue pairs take turns, and the first ones get the remaining messages; queues are polled
 * likewise.
 */
static void reads_by_three(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_READ);

	(void)state;
	device_make(QP_RC, 3);
	device.tells_polls = true;
	order.qps = 3;
	order.iterations = 8;
	/* Reads cannot be inline. */
	order.inline_bytes = 100;
	expect(&order, "qp0 read 192+64=00 to 10000 key 9 #1 S\n"
		       "qp0 read 192+64=00 to 10000 key 9 #2 S\n"
		       "qp1 read 256+64=00 to 10040 key 9 #1 S\n"
		       "qp1 read 256+64=00 to 10040 key 9 #2 S\n"
		       "qp2 read 320+64=00 to 10080 key 9 #1 S\n"
		       "qp2 read 320+64=00 to 10080 key 9 #2 S\n"
		       "queue0 gives 4 of 16\n"
		       "qp0 read 192+64=00 to 10000 key 9 #3 S\n"
		       "queue1 gives 2 of 16\n"
		       "qp1 read 256+64=00 to 10040 key 9 #3 S\n"
		       "queue0 gives 1 of 16\n"
		       "queue1 gives 1 of 16\n"
		       "ran 8\n");
}

static void atomics(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_ATOMIC);

	(void)state;
	device_make(QP_RC, 1);
	order.iterations = 2;
	order.inline_bytes = 8;
	expect(&order, "qp0 add 64+8=0 at 10000 key 9 by 1 or 0 #1 S\n"
		       "qp0 add 64+8=0 at 10000 key 9 by 1 or 0 #2 S\n"
		       "ran 2\n");
}

/* Without data there is no element, and a short enough message goes inline. */
static void no_data_and_inline(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 1);
	order.iterations = 1;
	order.bytes = 0;
	order.inline_bytes = 64;
	expect(&order, "qp0 write nothing to 10040 key 9 #1 S\n"
		       "ran 1\n");
	device_make(QP_RC, 1);
	order.bytes = 64;
	expect(&order, "qp0 write 0+64=00 to 10040 key 9 #1 S I\n"
		       "ran 1\n");
}

/* More than 64 queue pairs: those with room again get the next message. */
static void many_queue_pairs(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 66);
	order.qps = 65;
	order.bytes = 1;
	order.iterations = 130;
	order.depth = 1;
	run(&order);
	assert_int_equal(device.sends, 130);
	assert_int_equal(device.idles, 0);
	for (uint32_t i = 0; i < 65; i++) {
		char first[80], second[80];

		snprintf(first, sizeof(first), "qp%u write %u+1", i, i * 64);
		assert_non_null(strstr(device.text, first));
		snprintf(second, sizeof(second), " to %x key 9 #2 S\n", DEVICE_FAR + (65 + i) * 64);
		assert_non_null(strstr(device.text, second));
	}
	assert_non_null(strstr(device.text, "\nran 130\n"));
	device_free();
}

/* Each completion takes longer than the run may last. */
static int poll_slowly(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	usleep(2000);
	return device_poll(cq, room, items);
}

static void by_duration(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);
	struct message_ran ran;

	(void)state;
	device_make(QP_RC, 1);
	device.context.ops.poll_cq = poll_slowly;
	order.iterations = 0;
	order.duration_msec = 1;
	order.warmup = 3;
	order.depth = 4;
	order.signal_every = 3;
	/* 3 to warm up; then as many as may be outstanding, one of them signaled. */
	expect(&order, "qp0 write 0+64=00 to 10040 key 9 #1\n"
		       "qp0 write 0+64=00 to 10040 key 9 #2\n"
		       "qp0 write 0+64=00 to 10040 key 9 #3 S\n"
		       "qp0 write 0+64=00 to 10040 key 9 #4\n"
		       "qp0 write 0+64=00 to 10040 key 9 #5\n"
		       "qp0 write 0+64=00 to 10040 key 9 #6 S\n"
		       "qp0 write 0+64=00 to 10040 key 9 #7\n"
		       "qp0 write 0+64=00 to 10040 key 9 #8 S\n"
		       "ran 5\n");
	/* The warmup is not part of the time. */
	device_make(QP_RC, 1);
	device.context.ops.poll_cq = poll_slowly;
	order.iterations = 22;
	order.warmup = 21;
	order.duration_msec = 0;
	order.signal_every = 1;
	order.depth = 1;
	{
		const uint64_t begin = clock_raw_nsec();

		assert_int_equal(agent_run(device.agent, &order, &ran), 0);
		assert_int_equal(ran.iterations, 1);
		assert_true(ran.elapsed_nsec >= 2000000);
		assert_true(ran.elapsed_nsec + 21 * 2000000 <= clock_raw_nsec() - begin);
	}
	device_free();
}

static void interrupt_third(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	if (device.sends == 3)
		atomic_store(&device.agent->watch.stop, STOP_INTERRUPTED);
}

/* An interruption lets the run finish; a stop by the device's watch does not. */
static void interrupted(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 1);
	device.answer = interrupt_third;
	order.iterations = 1000;
	order.signal_every = 2;
	expect(&order, "qp0 write 0+64=00 to 10040 key 9 #1\n"
		       "qp0 write 0+64=00 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=00 to 10040 key 9 #3\n"
		       "qp0 write 0+64=00 to 10040 key 9 #4 S\n"
		       "ran 4\n");
	/* A rejected list also ends the run. */
	device_make(QP_RC, 1);
	order.depth = 4;
	order.signal_every = 4;
	order.batch = 2;
	device.answer = NULL;
	device.most_sends = 1;
	expect(&order, "qp0 write 0+64=00 to 10040 key 9 #1\n"
		       "  + write 0+64=00 to 10040 key 9 #2\n"
		       "failed: ibv_post_send ENOMEM\n");
}

/* ---- Bandwidth of sends: credits ---- */

static void give_credits(void)
{
	static const uint64_t steps[] = {2, 3, 4};
	uint64_t credit;

	assert_true(device.idles <= ARRAY_SIZE(steps));
	credit = htobe64(steps[device.idles - 1]);
	memcpy(device.bytes + 128, &credit, sizeof(credit));
	device_note("credit %" PRIu64 "\n", steps[device.idles - 1]);
}

static unsigned int yielded;

/* Replaces the C library's function. */
int sched_yield(void)
{
	yielded++;
	return 0;
}

/* A side that polls in vain yields its processor if the other side has no other one. */
static void one_processor(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	order.iterations = 6;
	order.warmup = 1;
	for (int shares = 0; shares < 2; shares++) {
		device_make(QP_RC, 1);
		device.agent->shares_processor = shares;
		device.idle = give_credits;
		yielded = 0;
		run(&order);
		assert_int_equal(yielded > 0, shares || sysconf(_SC_NPROCESSORS_ONLN) == 1);
		device_free();
	}
}

/* Never more than twice the depth without a credit, including the end, which has no data. */
static void sends_by_credit(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.idle = give_credits;
	order.iterations = 6;
	order.warmup = 1;
	expect(&order, "qp0 send 0+64=00 #1 S\n"
		       "qp0 send 0+64=00 #2 S\n"
		       "qp0 send 0+64=00 #3 S\n"
		       "qp0 send 0+64=00 #4 S\n"
		       "credit 2\n"
		       "qp0 send 0+64=00 #5 S\n"
		       "qp0 send 0+64=00 #6 S\n"
		       "credit 3\n"
		       "qp0 send nothing #7 S\n"
		       "ran 5\n");
	/* Messages without data have an end of one byte. */
	device_make(QP_RC, 1);
	order.iterations = 2;
	order.warmup = 0;
	order.bytes = 0;
	expect(&order, "qp0 send nothing #1 S\n"
		       "qp0 send nothing #2 S\n"
		       "qp0 send 0+1=00 #3 S\n"
		       "ran 2\n");
	device_make(QP_XRC, 1);
	order.bytes = 64;
	order.iterations = 1;
	order.inline_bytes = 64;
	expect(&order, "qp0 send 0+64=00 srq 33 #1 S I\n"
		       "qp0 send nothing srq 33 #2 S I\n"
		       "ran 1\n");
}

static void end_both(void)
{
	assert_int_equal(device.idles, 1);
	device_note("end\n");
	device_arrive(1, 0);
	device_arrive(0, 0);
}

/* A credit covers half of the depth; arrivals meanwhile are credited when it has completed. */
static void takes_sends(void **state)
{
	static const uint32_t arrivals[] = {0, 0, 0, 0, 1};
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_RC, 2);
	device.idle = end_both;
	order.active = 0;
	order.qps = 2;
	order.depth = 4;
	order.signal_every = 3;
	order.inline_bytes = 100;
	for (size_t i = 0; i < ARRAY_SIZE(arrivals); i++)
		device_arrive(arrivals[i], 64);
	expect(&order, "qp0 receive 128+64 #0\n"
		       "qp0 receive 128+64 #0\n"
		       "qp0 write 264+8=2 to 10100 key 9 #credit S\n"
		       "qp0 receive 128+64 #0\n"
		       "qp0 receive 128+64 #0\n"
		       "qp1 receive 192+64 #0 of 1\n"
		       "qp0 write 264+8=4 to 10100 key 9 #credit S\n"
		       "end\n"
		       "ran 5 received 5\n");
}

static void end_one(void)
{
	device_note("end\n");
	device_arrive(0, 0);
}

static void takes_sends_of_xrc(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_XRC, 1);
	device.idle = end_one;
	order.active = 0;
	device_arrive(0, 64);
	expect(&order, "srq receive 64+64 #0\n"
		       "qp0 write 136+8=1 to 10080 key 9 srq 33 #credit S\n"
		       "end\n"
		       "ran 1 received 1\n");
}

static const uint8_t three_first[8] = {0, 0, 0, 0, 0, 0, 0, 3}; /* the most significant byte */

static void give_three(void)
{
	memcpy(device.bytes + 128, three_first, sizeof(three_first));
	device_note("credit\n");
}

/* Credits cross the network in network byte order, whatever the hosts are. */
static void credits_in_bytes(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.idle = end_one;
	order.active = 0;
	order.depth = 6;
	for (int j = 0; j < 3; j++)
		device_arrive(0, 64);
	run(&order);
	assert_memory_equal(device.bytes + 136, three_first, sizeof(three_first));
	device_free();
	device_make(QP_RC, 1);
	device.idle = give_three;
	order.active = 1;
	order.depth = 2;
	order.iterations = 6;
	expect(&order, "qp0 send 0+64=00 #1 S\n"
		       "qp0 send 0+64=00 #2 S\n"
		       "qp0 send 0+64=00 #3 S\n"
		       "qp0 send 0+64=00 #4 S\n"
		       "credit\n"
		       "qp0 send 0+64=00 #5 S\n"
		       "qp0 send 0+64=00 #6 S\n"
		       "qp0 send nothing #7 S\n"
		       "ran 6\n");
}

/* The other side sends as many messages as this one, and its end last. */
static void echo_sends(uint32_t qp, const struct ibv_send_wr *work)
{
	if (work->opcode == IBV_WR_SEND)
		device_arrive(qp, work->num_sge ? 64 : 0);
}

/* Credits are sent between messages, one at a time, and are always signaled. */
static void both_ways(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.answer = echo_sends;
	assert_int_equal(agent_way(device.agent, &(struct message_way){.both = 1}), 0);
	order.depth = 4;
	order.iterations = 4;
	order.signal_every = 4;
	run(&order);
	/* Nothing is left over for the next run. */
	assert_int_equal(device.first[0], device.last[0]);
	device_expect("qp0 send 0+64=00 #1\n"
		      "qp0 send 0+64=00 #2\n"
		      "qp0 send 0+64=00 #3\n"
		      "qp0 send 0+64=00 #4 S\n"
		      "qp0 receive 64+64 #0\n"
		      "qp0 receive 64+64 #0\n"
		      "qp0 write 136+8=2 to 10080 key 9 #credit S\n"
		      "qp0 receive 64+64 #0\n"
		      "qp0 receive 64+64 #0\n"
		      "qp0 send nothing #5 S\n"
		      "qp0 write 136+8=4 to 10080 key 9 #credit S\n"
		      "ran 4 received 4\n");
	device_free();
	/* Unreliable messages have no credits. */
	device_make(QP_UC, 1);
	device.answer = echo_sends;
	assert_int_equal(agent_way(device.agent, &(struct message_way){.both = 1}), 0);
	device.idle = NULL;
	order.iterations = 2;
	order.signal_every = 1;
	expect(&order, "qp0 send 0+64=00 #1 S\n"
		       "qp0 send 0+64=00 #2 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 receive 64+64 #0\n"
		       "ran 2 received 2\n");
}

/* ---- Latency ---- */

static unsigned int pongs; /* then the other side ends the run */

static void answer_ping(uint32_t qp, const struct ibv_send_wr *work)
{
	if (work->num_sge)
		device_arrive(qp, device.sends > pongs ? 0 : 64);
}

static void asks_by_sends(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.answer = answer_ping;
	pongs = 99;
	order.depth = 1;
	order.iterations = 4;
	order.warmup = 1;
	expect(&order, "qp0 send 0+64=00 #1 S\n"
		       "qp0 send 0+64=00 #2 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send 0+64=00 #3 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send 0+64=00 #4 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send nothing #5 S\n"
		       "ran 3 samples 3\n");
	device_make(QP_RC, 1);
	device.answer = answer_ping;
	order.iterations = 1;
	order.warmup = 0;
	expect(&order, "qp0 send 0+64=00 #1 S\n"
		       "qp0 send nothing #2 S\n"
		       "ran 1 samples 1\n");
	/* The other side ends the run. */
	device_make(QP_RC, 1);
	device.answer = answer_ping;
	pongs = 2;
	order.iterations = 9;
	expect(&order, "qp0 send 0+64=00 #1 S\n"
		       "qp0 send 0+64=00 #2 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send 0+64=00 #3 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send nothing #4 S\n"
		       "ran 2 samples 2\n");
}

static void answers_by_sends(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.answer = answer_ping;
	pongs = 2;
	order.active = 0;
	order.signal_every = 2;
	device_arrive(0, 64);
	expect(&order, "qp0 send 0+64=00 #1\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send 0+64=00 #2 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send 0+64=00 #3\n"
		       "qp0 receive 64+64 #0\n"
		       "ran 3\n");
}

/* The other side's next message arrives before the acknowledgement of the last one sent there. */
static int poll_receive_first(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	struct ibv_wc *first = &device.waiting[0][device.first[0] % DEVICE_ROOM];
	const struct ibv_wc sent = *first;

	(void)room;
	if (device.last[0] - device.first[0] == 2 && sent.opcode != IBV_WC_RECV) {
		first[0] = first[1];
		first[1] = sent;
	}
	return device_poll(cq, 1, items);
}

/* The intervals of a measurement are runs on the same queue pair. */
static void answers_run_after_run(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.context.ops.poll_cq = poll_receive_first;
	device.answer = answer_ping;
	order.active = 0;
	for (unsigned int i = 1; i <= 2; i++) {
		pongs = i - 1;
		device_arrive(0, 64);
		run(&order);
		device_expect("qp0 send 0+64=00 #1 S\n"
			      "qp0 receive 64+64 #0\n"
			      "ran 1\n");
		assert_int_equal(device.first[0], device.last[0]);
	}
	device_free();
}

/* Neither does a credit count for the next run. */
static void credits_run_after_run(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_RC, 1);
	device.context.ops.poll_cq = poll_receive_first;
	device.answer = answer_ping;
	pongs = 0;
	order.active = 0;
	device_arrive(0, 64);
	run(&order);
	device_expect("qp0 receive 64+64 #0\n"
		      "qp0 write 136+8=1 to 10080 key 9 #credit S\n"
		      "ran 1 received 1\n");
	assert_int_equal(device.first[0], device.last[0]);
	device_free();
}

/* The other side writes back the stamp it finds. */
static void echo_stamp(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	device.bytes[127] = device.bytes[63];
}

static void asks_by_writes(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 1);
	device.answer = echo_stamp;
	order.warmup = 1;
	order.signal_every = 2;
	expect(&order, "qp0 write 0+64=01 to 10040 key 9 #1\n"
		       "qp0 write 0+64=02 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=83 to 10040 key 9 #3 S\n"
		       "ran 2 samples 2\n");
	device_make(QP_RC, 1);
	device.answer = echo_stamp;
	order.iterations = 1;
	order.warmup = 0;
	expect(&order, "qp0 write 0+64=81 to 10040 key 9 #1 S\n"
		       "ran 1 samples 1\n");
}

static void next_stamp(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	device.bytes[127] = device.sends == 1 ? 2 : 0x83;
}

static void answers_by_writes(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	device_make(QP_RC, 1);
	device.answer = next_stamp;
	device.bytes[127] = 1;
	order.active = 0;
	order.signal_every = 2;
	expect(&order, "qp0 write 0+64=01 to 10040 key 9 #1\n"
		       "qp0 write 0+64=02 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=83 to 10040 key 9 #3 S\n"
		       "ran 0\n");
}

static void one_sided(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_READ);

	(void)state;
	device_make(QP_RC, 1);
	order.warmup = 1;
	order.signal_every = 2;
	expect(&order, "qp0 read 64+64=00 to 10000 key 9 #1 S\n"
		       "qp0 read 64+64=00 to 10000 key 9 #2 S\n"
		       "qp0 read 64+64=00 to 10000 key 9 #3 S\n"
		       "ran 2 samples 2\n");
	device_make(QP_RC, 1);
	order = run_of(RUN_LATENCY, RUN_ATOMIC);
	order.iterations = 1;
	expect(&order, "qp0 add 64+8=0 at 10000 key 9 by 1 or 0 #1 S\n"
		       "ran 1 samples 1\n");
	/* The other side of these operations has nothing to do. */
	device_make(QP_RC, 1);
	order.active = 0;
	expect(&order, "ran 0\n");
}

/* ---- Unreliable queue pairs ---- */

static void arrive_number(uint32_t number, unsigned int flags)
{
	device_complete(0, (struct ibv_wc){.wr_id = run_receive_id(0),
					   .opcode = IBV_WC_RECV,
					   .byte_len = 64,
					   .wc_flags = flags,
					   .imm_data = number});
}

/* The second ping gets no pong; before the third one's pong, others arrive. */
static void answer_number(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp;
	if (device.sends == 2)
		return;
	if (device.sends == 3) {
		arrive_number(work->imm_data, 0);
		arrive_number(work->imm_data - 1, IBV_WC_WITH_IMM);
	}
	arrive_number(work->imm_data, IBV_WC_WITH_IMM);
}

static void asks_by_numbers(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	device_make(QP_UC, 1);
	device.answer = answer_number;
	device.idle = NULL;
	order.signal_every = 2;
	order.warmup = 1;
	expect(&order, "qp0 send-immediate 0+64=00 immediate 0 #1 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send-immediate 0+64=00 immediate 1 #2 S\n"
		       "qp0 send-immediate 0+64=00 immediate 2 #3 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send-immediate 0+64=00 immediate 3 #4 S\n"
		       "qp0 receive 64+64 #0\n"
		       "ran 2 received 3 lost 1 samples 2\n");
	/* A datagram arrives after its header. */
	device_make(QP_UD, 1);
	device.answer = answer_number;
	device.sends = 9;
	order.iterations = 1;
	order.warmup = 0;
	order.bytes = 104;
	expect(&order, "qp0 send-immediate 0+104=00 to far 17 key 5 immediate 0 #1 S\n"
		       "qp0 receive 192+144 #0\n"
		       "ran 1 received 1 samples 1\n");
}

static void next_number(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	if (device.sends < 2)
		arrive_number(7, IBV_WC_WITH_IMM);
}

static void answers_by_numbers(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	device_make(QP_UC, 1);
	device.answer = next_number;
	order.signal_every = 2;
	order.active = 0;
	arrive_number(5, IBV_WC_WITH_IMM);
	expect(&order, "qp0 send-immediate 0+64=00 immediate 5 #1 S\n"
		       "qp0 receive 64+64 #0\n"
		       "qp0 send-immediate 0+64=00 immediate 7 #2 S\n"
		       "qp0 receive 64+64 #0\n"
		       "ran 2 stop 5 received 2\n");
}

/* The other side has reported its end: what is still under way is received, and nothing more. */
static void peer_spoke(void)
{
	atomic_store(&device.agent->watch.stop, STOP_PEER_SPOKE);
}

static void listens(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	device_make(QP_UD, 1);
	device.idle = peer_spoke;
	order.active = 0;
	device_arrive(0, 104);
	device_arrive(0, 104);
	expect(&order, "qp0 receive 128+104 #0\n"
		       "qp0 receive 128+104 #0\n"
		       "ran 2 received 2\n");
	/* The other side has not reported its end. */
	device_make(QP_UC, 1);
	device_arrive(0, 64);
	expect(&order, "qp0 receive 64+64 #0\n"
		       "ran 1 stop 5 received 1\n");
}

/* Without a pong the same stamp is written again. */
static void echo_all_but_second(uint32_t qp, const struct ibv_send_wr *work)
{
	if (device.sends != 2)
		echo_stamp(qp, work);
}

static void asks_by_stamps(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	device_make(QP_UC, 1);
	device.answer = echo_all_but_second;
	device.idle = NULL;
	order.warmup = 1;
	order.signal_every = 2;
	expect(&order, "qp0 write 0+64=01 to 10040 key 9 #1 S\n"
		       "qp0 write 0+64=02 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=02 to 10040 key 9 #3 S\n"
		       "qp0 write 0+64=03 to 10040 key 9 #4 S\n"
		       "ran 2 lost 1 samples 2\n");
}

static void next_plain_stamp(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	if (device.sends == 3)
		device_stop();
	else
		device.bytes[127] = (uint8_t)(1 + device.sends);
}

static void answers_by_stamps(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	device_make(QP_UC, 1);
	device.answer = next_plain_stamp;
	device.bytes[127] = 1;
	order.active = 0;
	expect(&order, "qp0 write 0+64=01 to 10040 key 9 #1 S\n"
		       "qp0 write 0+64=02 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=03 to 10040 key 9 #3 S\n"
		       "ran 3 stop 5\n");
}

/* The first ping is late. No ping follows the second pong, so this pong is written again. */
static uint64_t begin_nsec;

static void ping_late(void)
{
	static const uint64_t late_nsec = 110000000;

	if (!device.sends && clock_raw_nsec() >= begin_nsec + late_nsec)
		device.bytes[127] = 1;
}

static void ping_second(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	if (device.sends == 1)
		device.bytes[127] = 2;
	if (device.sends == 3)
		device_stop();
}

static void answers_late(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	device_make(QP_UC, 1);
	device.answer = ping_second;
	device.idle = ping_late;
	begin_nsec = clock_raw_nsec();
	order.active = 0;
	order.depth = 4;
	order.signal_every = 4;
	expect(&order, "qp0 write 0+64=01 to 10040 key 9 #1 S\n"
		       "qp0 write 0+64=02 to 10040 key 9 #2 S\n"
		       "qp0 write 0+64=02 to 10040 key 9 #3 S\n"
		       "ran 2 stop 5\n");
}

static uint64_t quiet_nsec;

static void end_third(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)qp, (void)work;
	if (device.sends < 3) {
		device.bytes[127]++;
	} else {
		/* As long as the passive side lingers. */
		quiet_nsec = clock_raw_nsec() + 100000000;
		peer_spoke();
	}
}

static int poll_late_completions(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	return clock_raw_nsec() < quiet_nsec ? 0 : device_poll(cq, room, items);
}

/* The passive side seldom polls, because it looks for stamps. */
static void answers_stamps_run_after_run(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	device_make(QP_UC, 1);
	device.context.ops.poll_cq = poll_late_completions;
	device.answer = end_third;
	order.active = 0;
	order.depth = 8;
	for (int i = 0; i < 2; i++) {
		device.sends = 0;
		device.bytes[127] = 1;
		run(&order);
		assert_non_null(strstr(device.text, "write 0+64=03 to 10040 key 9 #3 S\n"));
		assert_non_null(strstr(device.text, "ran 3\n"));
		assert_int_equal(device.first[0], device.last[0]);
		device.length = 0;
	}
	device_free();
}

/* The system call for a time_t of 64 bits. */
#ifndef SYS_clock_gettime64
#define SYS_clock_gettime64 SYS_clock_gettime
#endif

static uint64_t skipped_nsec;

/* Replaces the C library's: the process stands still whenever a test says so. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	const int rc = (int)syscall(SYS_clock_gettime64, clock, now);
	const uint64_t nsec = (uint64_t)now->tv_nsec + skipped_nsec;

	now->tv_sec += (time_t)(nsec / 1000000000);
	now->tv_nsec = (long)(nsec % 1000000000);
	return rc;
}

static unsigned int stall_msec, empty_polls, polls;
static bool end_came;

/* Once the end has come, some polls take a long time and find nothing. */
static int poll_in_vain(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	int count;

	if (end_came && polls < empty_polls) {
		polls++;
		skipped_nsec += stall_msec * UINT64_C(1000000);
		atomic_store(&device.agent->watch.stop, STOP_INTERRUPTED);
		return 0;
	}
	count = poll_receive_first(cq, room, items);
	end_came |= count && items->opcode == IBV_WC_RECV && !items->byte_len;
	return count;
}

/* A completion that is there is taken, however late. One that never comes is awaited for a time. */
static void settles_in_time(void **state)
{
	static const struct {
		bool strict;
		unsigned int stall_msec, empty_polls, polls;
		const char *text;
	} rows[] = {
		{false, 600, 1, 1, "ran 1\n"},
		{true, 600, 1, 1, "ran 1\n"},
		{false, 200, 9, 4, "ran 1 stop 2\n"},
		{true, 200, 9, 2, "ran 1 stop 2\n"},
	};
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	order.active = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		device_make(QP_RC, 1);
		device.agent->guard.strict = rows[i].strict;
		device.agent->guard.proven = true;
		device.context.ops.poll_cq = poll_in_vain;
		device.answer = answer_ping;
		stall_msec = rows[i].stall_msec;
		empty_polls = rows[i].empty_polls;
		pongs = polls = 0;
		end_came = false;
		device_arrive(0, 64);
		run(&order);
		assert_non_null(strstr(device.text, rows[i].text));
		assert_int_equal(polls, rows[i].polls);
		device_free();
	}
}

/* Once the end has come, this side is stopped, and messages arrive instead of its completion. */
static enum stop stop_then;

static int poll_more_messages(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	int count;

	if (end_came) {
		assert_true(++polls < 100);
		skipped_nsec += UINT64_C(600000000);
		*items = (struct ibv_wc){.opcode = IBV_WC_RECV, .byte_len = 64};
		return 1;
	}
	count = poll_receive_first(cq, room, items);
	end_came = count && items->opcode == IBV_WC_RECV && !items->byte_len;
	if (end_came)
		atomic_store(&device.agent->watch.stop, stop_then);
	return count;
}

/* No more is taken than was posted with a depth of 2: 4 receives, 2 messages and a credit. */
static void settles_in_spite_of_messages(void **state)
{
	static const struct {
		enum stop stop;
		unsigned int polls;
		const char *text;
	} rows[] = {
		{STOP_TIMED_OUT, 7, "ran 1 stop 1 received 8\n"},
		{STOP_PEER_GONE, 7, "ran 1 stop 3 received 8\n"},
		{STOP_DEVICE_GONE, 0, "ran 1 stop 5 received 1\n"},
		/* It leaves time for the first poll. */
		{STOP_INTERRUPTED, 8, "ran 1 stop 2 received 9\n"},
	};
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	order.active = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		device_make(QP_RC, 1);
		device.context.ops.poll_cq = poll_more_messages;
		device.answer = answer_ping;
		stop_then = rows[i].stop;
		pongs = polls = 0;
		end_came = false;
		device_arrive(0, 64);
		run(&order);
		assert_non_null(strstr(device.text, rows[i].text));
		assert_int_equal(polls, rows[i].polls);
		device_free();
	}
}

static void fail_and_flush(uint32_t qp, const struct ibv_send_wr *work)
{
	struct ibv_wc *sent = &device.waiting[0][device.last[0] - 1];

	sent->status = IBV_WC_LOC_PROT_ERR;
	sent->vendor_err = 3;
	device_complete(qp, (struct ibv_wc){.wr_id = work->wr_id, .status = IBV_WC_WR_FLUSH_ERR});
	peer_spoke();
}

/* What is flushed after a failure does not hide its cause. */
static void settles_no_failure(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_SEND);

	(void)state;
	device_make(QP_UC, 1);
	device.answer = fail_and_flush;
	order.active = 0;
	device_arrive(0, 64);
	expect(&order, "qp0 send-immediate 0+64=00 immediate 0 #1 S\n"
		       "qp0 receive 64+64 #0\n"
		       "ran 1 status 4 vendor 3 received 1\n");
}

/* ---- A run that sleeps ---- */

static unsigned int armed;
static bool awake;

static int arm(struct ibv_cq *cq, int solicited_only)
{
	assert_int_equal(solicited_only, 0);
	device_note("arm queue%u\n", (unsigned int)(cq - device.cqs));
	armed++;
	return 0;
}

/* The device has nothing until the run sleeps; then the second queue has an event. */
static int poll_late(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	if (awake) {
		const int got = device_poll(cq, room, items);

		awake = !got;
		return got;
	}
	if (armed && cq == &device.cqs[1])
		eventfd_write(device.channels[1].fd, 1);
	return 0;
}

static int take_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **context)
{
	eventfd_t count;

	device_note("event of queue%u\n", (unsigned int)(channel - device.channels));
	awake = true;
	armed = 0;
	*cq = NULL;
	*context = NULL;
	return eventfd_read(channel->fd, &count);
}

static void sleeps(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);
	struct agent *agent = device_make(QP_RC, 2);

	(void)state;
	device.context.ops.req_notify_cq = arm;
	device.context.ops.poll_cq = poll_late;
	agent->api.ibv_get_cq_event = take_event;
	for (size_t i = 0; i < DEVICE_QUEUES; i++) {
		device.channels[i].fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		agent->cqs[i].channel = &device.channels[i];
	}
	agent_way(agent, &(struct message_way){.events = 1});
	order.qps = 2;
	order.depth = 1;
	run(&order);
	assert_int_equal(agent->cqs[0].unacknowledged, 0);
	assert_int_equal(agent->cqs[1].unacknowledged, agent->report.events);
	device_expect("qp0 write 0+64=00 to 10080 key 9 #1 S\n"
		      "qp1 write 64+64=00 to 100c0 key 9 #1 S\n"
		      "arm queue0\n"
		      "arm queue1\n"
		      "event of queue1\n"
		      "qp0 write 0+64=00 to 10080 key 9 #2 S\n"
		      "arm queue0\n"
		      "arm queue1\n"
		      "event of queue1\n"
		      "arm queue0\n"
		      "arm queue1\n"
		      "event of queue1\n"
		      "ran 3 events 3\n");
	for (size_t i = 0; i < DEVICE_QUEUES; i++)
		close(device.channels[i].fd);
	device_free();
}

/* ---- Failures ---- */

/* Every post in every loop may fail. */
static void failed_posts(void **state)
{
	static const struct {
		uint32_t mode, operation, active, kind, both;
		unsigned int sends, receives;
		const char *last;
	} rows[] = {
		{RUN_LATENCY, RUN_SEND, 1, QP_RC, 0, 2, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_SEND, 1, QP_RC, 0, 3, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_SEND, 1, QP_RC, 0, 0, 1, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_LATENCY, RUN_SEND, 0, QP_RC, 0, 1, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_SEND, 0, QP_RC, 0, 0, 1, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_LATENCY, RUN_READ, 1, QP_RC, 0, 2, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_BANDWIDTH, RUN_WRITE, 1, QP_RC, 0, 2, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_BANDWIDTH, RUN_SEND, 1, QP_RC, 0, 3, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_BANDWIDTH, RUN_SEND, 0, QP_RC, 0, 0, 1, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_BANDWIDTH, RUN_SEND, 1, QP_RC, 1, 3, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_BANDWIDTH, RUN_SEND, 1, QP_RC, 1, 0, 2, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_BANDWIDTH, RUN_SEND, 0, QP_UC, 0, 0, 1, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_LATENCY, RUN_SEND, 1, QP_UC, 0, 1, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_SEND, 1, QP_UC, 0, 0, 1, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_LATENCY, RUN_SEND, 0, QP_UC, 0, 1, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_SEND, 0, QP_UC, 0, 0, 1, "failed: ibv_post_recv ENOSPC\n"},
		{RUN_LATENCY, RUN_WRITE, 1, QP_RC, 0, 2, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_WRITE, 0, QP_RC, 0, 1, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_WRITE, 1, QP_UC, 0, 1, 0, "failed: ibv_post_send ENOMEM\n"},
		{RUN_LATENCY, RUN_WRITE, 0, QP_UC, 0, 1, 0, "failed: ibv_post_send ENOMEM\n"},
	};

	(void)state;
	pongs = 99;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message_run order = run_of(rows[i].mode, rows[i].operation);
		const size_t length = strlen(rows[i].last);

		device_make(rows[i].kind, 1);
		if (rows[i].operation == RUN_WRITE)
			device.answer = rows[i].active ? echo_stamp : next_plain_stamp;
		else if (rows[i].kind == QP_UC)
			device.answer = rows[i].active ? answer_number : next_number;
		else
			device.answer = rows[i].both ? echo_sends : answer_ping;
		device.bytes[127] = !rows[i].active;
		for (int n = 0; n < 2 && !rows[i].active; n++)
			arrive_number(0, IBV_WC_WITH_IMM);
		/* The second ping stays unanswered for some time. */
		if (rows[i].kind == QP_UC && rows[i].active)
			device.idle = NULL;
		device.most_sends = rows[i].sends;
		device.most_receives = rows[i].receives;
		order.active = rows[i].active;
		agent_way(device.agent, &(struct message_way){.both = rows[i].both});
		run(&order);
		assert_true(device.length >= length);
		if (strcmp(device.text + device.length - length, rows[i].last))
			fail_msg("row %zu: %s", i, device.text);
		if (rows[i].sends)
			assert_int_equal(device.sends, rows[i].sends);
		if (rows[i].receives)
			assert_int_equal(device.receives, rows[i].receives);
		device_free();
	}
}

static const struct ibv_wc *bad;

/* Completions of the first post, and nothing else. */
static void complete_badly(void)
{
	for (; bad->wr_id; bad++) {
		device.waiting[0][device.last[0]++] = *bad;
		device.waiting[0][device.last[0] - 1].wr_id--;
	}
	if (device.idles > 1)
		device_stop();
}

static void statuses(void **state)
{
	/* A successful request is identified by its id plus one, which ends nothing. */
	static const struct {
		struct ibv_wc items[5];
		const char *text;
	} rows[] = {
		{{{.wr_id = 1, .status = IBV_WC_RETRY_EXC_ERR, .vendor_err = 3}},
		 "ran 0 status 12 vendor 3\n"},
		{{{.wr_id = 1, .status = IBV_WC_WR_FLUSH_ERR, .vendor_err = 5}},
		 "ran 0 status 5 vendor 5\n"},
		{{{.wr_id = 1},
		  {.wr_id = 1, .status = IBV_WC_WR_FLUSH_ERR, .vendor_err = 1},
		  {.wr_id = 1, .status = IBV_WC_RNR_RETRY_EXC_ERR, .vendor_err = 2},
		  {.wr_id = 1, .status = IBV_WC_RETRY_EXC_ERR, .vendor_err = 3}},
		 "ran 0 status 13 vendor 2\n"},
		{{{.wr_id = 1, .status = IBV_WC_WR_FLUSH_ERR, .vendor_err = 1},
		  {.wr_id = 1},
		  {.wr_id = 1, .status = IBV_WC_WR_FLUSH_ERR, .vendor_err = 4}},
		 "ran 0 status 5 vendor 1\n"},
		/* The id belongs to a second queue pair, which does not exist. */
		{{{.wr_id = (UINT64_C(1) << RUN_QP_SHIFT) + 1}},
		 "failed: a completion of no part of the run EPROTO\n"},
	};
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_SEND);

	(void)state;
	order.active = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *text;

		device_make(QP_RC, 1);
		bad = rows[i].items;
		device.idle = complete_badly;
		run(&order);
		text = strstr(device.text, i < ARRAY_SIZE(rows) - 1 ? "ran" : "failed");
		assert_non_null(text);
		assert_string_equal(text, rows[i].text);
		device_free();
	}
}

/* One poll returns a flushed request, and the next one another that was not flushed. */
static void cause_comes_later(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_READ);

	(void)state;
	device_make(QP_RC, 2);
	order.qps = 2;
	order.iterations = 0;
	order.duration_msec = 1000;
	order.active = 1;
	device.waiting[0][0] = (struct ibv_wc){.status = IBV_WC_WR_FLUSH_ERR, .vendor_err = 1};
	device.waiting[1][0] = (struct ibv_wc){.status = IBV_WC_REM_ACCESS_ERR, .vendor_err = 9};
	device.last[0] = device.last[1] = 1;
	device.all_signaled = false;
	expect(&order, "qp0 read 128+64=00 to 10000 key 9 #1 S\n"
		       "qp0 read 128+64=00 to 10000 key 9 #2 S\n"
		       "qp1 read 192+64=00 to 10040 key 9 #1 S\n"
		       "qp1 read 192+64=00 to 10040 key 9 #2 S\n"
		       "ran 0 status 10 vendor 9\n");
}

static void complete_wrongly(uint32_t qp, const struct ibv_send_wr *work)
{
	(void)work;
	device.first[0] = device.last[0] = 0;
	device_complete(qp, (struct ibv_wc){.status = IBV_WC_RETRY_EXC_ERR, .vendor_err = 3});
}

/* A side that waits for memory also polls for completions. */
static void no_stamp_comes(void **state)
{
	struct message_run order = run_of(RUN_LATENCY, RUN_WRITE);

	(void)state;
	for (uint32_t kind = QP_RC; kind <= QP_UC; kind++) {
		order.active = 1;
		device_make(kind, 1);
		device.answer = complete_wrongly;
		expect(&order, "qp0 write 0+64=01 to 10040 key 9 #1 S\n"
			       "ran 0 status 12 vendor 3\n");
		order.active = 0;
		device_make(kind, 1);
		complete_wrongly(0, NULL);
		expect(&order, "ran 0 status 12 vendor 3\n");
	}
}

/* ---- Refusals ---- */

static void refused(const struct message_run *order, const char *text)
{
	struct message_ran ran;

	assert_int_equal(agent_run(device.agent, order, &ran), -EINVAL);
	assert_string_equal(device.agent->refused.text, text);
	device_expect("");
}

static void refusals(void **state)
{
	struct message_run order = run_of(RUN_BANDWIDTH, RUN_WRITE);
	struct agent *agent = device_make(QP_RC, 3);

	(void)state;
	order.qps = 2;
	/* At most 65,536 work requests at once. */
	order.active = 0;
	order.batch = order.depth = 32769;
	refused(&order, "more than 65536 work requests at once");
	assert_int_equal(agent->refused.refusal, REFUSAL_LIMIT);
	order.batch--;
	run(&order);
	device_expect("ran 0\n");
	order.batch = 1;
	/* All queue pairs must have the same kind and their own receive queues. */
	agent->qps[1].kind = QP_UC;
	refused(&order, "a run without queue pair 1");
	agent->qps[1].kind = QP_RC;
	device.qps[1].srq = &device.srq;
	refused(&order, "a run without queue pair 1");
	device.qps[1].srq = NULL;
	agent->qps[1].inline_bytes = 19;
	order.inline_bytes = 20;
	refused(&order, "more inline than possible");
	agent->qps[1].inline_bytes = 20;
	run(&order);
	device_expect("ran 0\n");
	/* Only the queues of these queue pairs need a channel. */
	agent_way(agent, &(struct message_way){.events = 1});
	agent->cqs[0].channel = &device.channels[0];
	refused(&order, "completion queue 1 has no channel");
	order.qps = 1;
	run(&order);
	device_expect("ran 0\n");
	device_free();
}

/* ---- Parts ---- */

/* One cache line for each message with its header, and one for each credit. */
static void layouts(void **state)
{
	static const struct {
		uint32_t kind, qps;
		uint64_t message;
		struct run_layout layout; /* header, stride, receive, control, bytes */
	} rows[] = {
		{QP_RC, 1, 0, {0, 64, 64, 128, 192}},
		{QP_RC, 1, 64, {0, 64, 64, 128, 192}},
		{QP_UC, 2, 65, {0, 128, 256, 512, 640}},
		{QP_XRC, 3, 128, {0, 128, 384, 768, 960}},
		{QP_UD, 1, 24, {40, 64, 104, 128, 192}},
		{QP_UD, 1, 25, {40, 128, 168, 256, 320}},
		{QP_UD, 2, 1024, {40, 1088, 2216, 4352, 4480}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct run_layout layout;

		run_layout_set(&layout, rows[i].kind, rows[i].qps, rows[i].message);
		assert_memory_equal(&layout, &rows[i].layout, sizeof(layout));
	}
}

/* Room for the requested samples, all of it touched; the extremes only if samples were omitted. */
static void samplers(void **state)
{
	struct sampler sampler;

	(void)state;
	sampler_begin(&sampler, SAMPLES_MOST - 1);
	assert_int_equal(sampler.room, SAMPLES_MOST - 1);
	assert_true(sampler.nsec[SAMPLES_MOST - 2] == UINT64_MAX);
	free(sampler.nsec);
	sampler_begin(&sampler, SAMPLES_MOST + 1);
	assert_int_equal(sampler.room, SAMPLES_MOST);
	free(sampler.nsec);
	sampler_begin(&sampler, 2);
	sampler_add(&sampler, 9);
	sampler_add(&sampler, 4);
	sampler_end(&sampler);
	assert_true(sampler.nsec[0] == 9 && sampler.nsec[1] == 4);
	sampler_add(&sampler, 11);
	sampler_add(&sampler, 3);
	sampler_end(&sampler);
	assert_true(sampler.nsec[0] == 3 && sampler.nsec[1] == 11);
	assert_true(sampler.all.count == 4 && sampler.count == 2);
	free(sampler.nsec);
	/* One sample cannot be both minimum and maximum. */
	sampler_begin(&sampler, 1);
	sampler_add(&sampler, 9);
	sampler.all.count = 2;
	sampler_end(&sampler);
	assert_true(sampler.nsec[0] == 9);
	free(sampler.nsec);
}

enum { MSEC = 1000000 };

/* What a run does when its watch asks it to stop. */
static void stops(void **state)
{
	static const struct {
		enum stop stop;
		bool lingers, strict;
		uint32_t kind;
		uint64_t msec; /* time until the deadline; 0: already passed */
		bool told, ending;
		enum stop first, last; /* stop reason of the run before and after */
	} rows[] = {
		{STOP_TIMED_OUT, true, false, QP_RC, 0, false, false, STOP_TIMED_OUT},
		{STOP_PEER_GONE, true, false, QP_RC, 0, false, false, STOP_PEER_GONE},
		{STOP_PEER_SPOKE, false, false, QP_RC, 0, false, false, STOP_PEER_SPOKE},
		{STOP_PEER_SPOKE, true, false, QP_RC, 100, true, false, STOP_PEER_SPOKE,
		 STOP_PEER_SPOKE},
		{STOP_PEER_SPOKE, true, true, QP_XRC, 100, true, false, STOP_PEER_SPOKE,
		 STOP_PEER_SPOKE},
		{STOP_PEER_SPOKE, true, false, QP_UC, 100, true, false, STOP_NONE, STOP_NONE},
		{STOP_INTERRUPTED, true, false, QP_RC, 500, false, true, STOP_NONE,
		 STOP_INTERRUPTED},
		{STOP_INTERRUPTED, false, true, QP_UD, 150, false, true, STOP_NONE,
		 STOP_INTERRUPTED},
	};
	struct agent *agent = device_make(QP_RC, 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct measure measure = {
			.agent = agent, .kind = rows[i].kind, .lingers = rows[i].lingers};
		const uint64_t before = clock_raw_nsec();
		uint64_t after, deadline;
		bool over;

		agent->guard.strict = rows[i].strict;
		over = measure_stopped(&measure, rows[i].stop);
		after = clock_raw_nsec();
		deadline = measure.deadline_nsec;
		assert_int_equal(over, !rows[i].msec);
		assert_int_equal(measure.ran.stop, rows[i].first);
		assert_int_equal(measure.told, rows[i].told);
		assert_int_equal(measure.ending, rows[i].ending);
		if (!rows[i].msec) {
			assert_int_equal(deadline, 0);
			continue;
		}
		assert_in_range(deadline, before + rows[i].msec * MSEC,
				after + rows[i].msec * MSEC);
		/* The deadline stays. */
		measure.deadline_nsec = UINT64_MAX;
		assert_false(measure_stopped(&measure, rows[i].stop));
		assert_true(measure.deadline_nsec == UINT64_MAX);
		measure.deadline_nsec = 1;
		assert_true(measure_stopped(&measure, rows[i].stop));
		assert_int_equal(measure.ran.stop, rows[i].last);
	}
	device_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_in_batches),
		cmocka_unit_test(batches_that_do_not_fit),
		cmocka_unit_test(reads_by_three),
		cmocka_unit_test(atomics),
		cmocka_unit_test(no_data_and_inline),
		cmocka_unit_test(many_queue_pairs),
		cmocka_unit_test(by_duration),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(one_processor),
		cmocka_unit_test(sends_by_credit),
		cmocka_unit_test(takes_sends),
		cmocka_unit_test(takes_sends_of_xrc),
		cmocka_unit_test(credits_in_bytes),
		cmocka_unit_test(both_ways),
		cmocka_unit_test(asks_by_sends),
		cmocka_unit_test(answers_by_sends),
		cmocka_unit_test(asks_by_writes),
		cmocka_unit_test(answers_by_writes),
		cmocka_unit_test(one_sided),
		cmocka_unit_test(asks_by_numbers),
		cmocka_unit_test(answers_by_numbers),
		cmocka_unit_test(listens),
		cmocka_unit_test(asks_by_stamps),
		cmocka_unit_test(answers_by_stamps),
		cmocka_unit_test(answers_late),
		cmocka_unit_test(sleeps),
		cmocka_unit_test(failed_posts),
		cmocka_unit_test(statuses),
		cmocka_unit_test(cause_comes_later),
		cmocka_unit_test(no_stamp_comes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(layouts),
		cmocka_unit_test(samplers),
		cmocka_unit_test(stops),
		cmocka_unit_test(answers_run_after_run),
		cmocka_unit_test(credits_run_after_run),
		cmocka_unit_test(answers_stamps_run_after_run),
		cmocka_unit_test(settles_in_time),
		cmocka_unit_test(settles_in_spite_of_messages),
		cmocka_unit_test(settles_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
