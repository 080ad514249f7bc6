/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The MAD engine on a fabric that drops, delays, repeats and forges datagrams, and breaks down. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_transport.h"
#include "mad/engine/gather.h"
#include "schema/bits.h"

/* compiler-rt's sanitizer/allocator_interface.h, which not every compiler installs */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));

#define MOST_REQUESTS 10000u
#define PM_COUNTERS   0x12u

/*
 * The caller of the engine, and the replies that it got. Requests are identified by their modifier.
 */
struct caller {
	struct fake fake;
	struct mad_engine *engine;
	size_t wanted, given, ended, most_under_way;
	size_t given_then; /* number of requests given when the first one ended */
	unsigned int destinations;
	uint8_t mgmt_class;
	bool direct;
	unsigned int ends[MOST_REQUESTS];
	int errors[MOST_REQUESTS];
	uint16_t status[MOST_REQUESTS];
	unsigned int tries[MOST_REQUESTS];
	bool delivered[MOST_REQUESTS]; /* an answer to this request has been queued */
	uint64_t round_trip_nsec;
	size_t reply_bytes;
	unsigned int drop_percent, stop_after;
	unsigned char held[4][MAD_BYTES]; /* MADs that a test keeps for later */
	struct mad_address last_to;
	unsigned int unasked;
};

static struct caller *caller_of(struct fake *fake)
{
	return fake->context;
}

static uint32_t number_of_mad(const unsigned char *mad)
{
	return (uint32_t)bits_get(mad, 20 * 8, 32);
}

static bool next(void *context, struct mad_request *request)
{
	struct caller *caller = context;

	if (caller->given == caller->wanted)
		return false;
	assert_int_equal(request->to.lid, 0);
	*request = (struct mad_request){
		.to = {.lid = (uint16_t)(1 + caller->given % caller->destinations), .qpn = 1},
		.mgmt_class = caller->mgmt_class,
		.method = UMAD_METHOD_GET,
		.attribute = PM_COUNTERS,
		.modifier = (uint32_t)caller->given,
		.number = caller->given,
	};
	caller->given++;
	if (caller->given - caller->ended > caller->most_under_way)
		caller->most_under_way = caller->given - caller->ended;
	return true;
}

static void done(void *context, const struct mad_reply *reply)
{
	struct caller *caller = context;
	const size_t number = reply->request->number;

	assert_in_range(number, 0, caller->given - 1);
	caller->ended++;
	caller->ends[number]++;
	caller->errors[number] = reply->error;
	caller->status[number] = reply->status;
	caller->tries[number] = reply->tries;
	caller->round_trip_nsec = reply->round_trip_nsec;
	caller->reply_bytes = reply->bytes;
	if (reply->error) {
		assert_null(reply->mad);
		return;
	}
	assert_int_equal(number_of_mad(reply->mad), number);
	if (caller->mgmt_class == UMAD_CLASS_PERF_MGMT && !reply->status)
		assert_int_equal(bits_get(reply->mad, 64 * 8, 32), number);
}

static void take_unasked(void *context, const struct mad_arrival *arrival, const unsigned char *mad,
			 size_t bytes)
{
	struct caller *caller = context;

	assert_int_equal(arrival->from.lid, 4);
	assert_true(bytes >= 24);
	assert_int_equal(mad[3], UMAD_METHOD_SEND);
	caller->unasked++;
}

/* For tests in which time-outs play no role, also on a busy host. */
static const struct mad_engine_options patient = {.timeout_msec = 5000};

static struct caller *begin(size_t wanted, fake_send on_send,
			    const struct mad_engine_options *options)
{
	struct caller *caller = mem_alloc_zero(1, sizeof(*caller));

	caller->wanted = wanted;
	caller->destinations = 10;
	caller->mgmt_class = UMAD_CLASS_PERF_MGMT;
	caller->fake.on_send = on_send;
	caller->fake.context = caller;
	caller->engine = fake_engine(&caller->fake, options);
	return caller;
}

static int run(struct caller *caller)
{
	const struct mad_work work = {
		.context = caller,
		.next = next,
		.done = done,
		.unasked = take_unasked,
	};

	return mad_engine_run(caller->engine, &work);
}

static struct mad_engine_counts counts_of(const struct caller *caller)
{
	struct mad_engine_counts counts;

	mad_engine_counts(caller->engine, &counts);
	return counts;
}

/* Every request that was given has ended exactly once. */
static void end(struct caller *caller)
{
	assert_int_equal(caller->ended, caller->given);
	for (size_t i = 0; i < caller->given; i++)
		assert_int_equal(caller->ends[i], 1);
	mad_engine_free(caller->engine);
	assert_int_equal(caller->fake.closed, 1);
	free(caller);
}

/* Fabrics */

static int answer_at_once(struct fake *fake, int agent, const struct mad_address *to,
			  const unsigned char *mad)
{
	assert_int_equal(agent, 1);
	assert_int_not_equal(to->lid, 0);
	fake_answer(fake, mad, 0, 0);
	return 0;
}

static int answer_some(struct fake *fake, int agent, const struct mad_address *to,
		       const unsigned char *mad)
{
	struct caller *caller = caller_of(fake);

	(void)agent;
	(void)to;
	if (fake_random(fake, 100) < caller->drop_percent)
		return 0;
	caller->delivered[number_of_mad(mad)] = true;
	fake_answer(fake, mad, 0, 0);
	return 0;
}

static int answer_never(struct fake *fake, int agent, const struct mad_address *to,
			const unsigned char *mad)
{
	(void)fake;
	(void)agent;
	(void)to;
	(void)mad;
	return 0;
}

static size_t allocations;

static void count_allocation(const volatile void *pointer, size_t size)
{
	(void)pointer;
	(void)size;
	allocations++;
}

static void ignore_free(const volatile void *pointer)
{
	(void)pointer;
}

static void ten_thousand(void **state)
{
	static const struct mad_engine_options options = {.window = 32, .timeout_msec = 5000};
	struct caller *caller = begin(MOST_REQUESTS, answer_at_once, &options);
	struct mad_engine_counts counts;

	(void)state;
	assert_int_equal(run(caller), 0);
	counts = counts_of(caller);
	assert_int_equal(caller->ended, MOST_REQUESTS);
	assert_int_equal(caller->most_under_way, 32);
	assert_int_equal(caller->fake.agents, 1);
	assert_int_equal(counts.requests, MOST_REQUESTS);
	assert_int_equal(counts.sent, MOST_REQUESTS);
	assert_int_equal(counts.answered, MOST_REQUESTS);
	assert_int_equal(counts.timed_out + counts.stray, 0);
	for (size_t i = 0; i < MOST_REQUESTS; i++)
		assert_int_equal(caller->errors[i], 0);
	end(caller);
}

/* The address sanitizer counts allocations; without it, as in tests/cross, the test is skipped. */
static void install_count(void)
{
#ifdef __SANITIZE_ADDRESS__
	static bool installed;

	if (!installed)
		assert_true(
			__sanitizer_install_malloc_and_free_hooks(count_allocation, ignore_free));
	installed = true;
#else
	(void)count_allocation;
	(void)ignore_free;
	skip();
#endif
}

/* The only allocations of a run are those of the fake: one for each arrival. */
static void no_allocation(void **state)
{
	struct caller *caller;
	size_t before;

	(void)state;
	install_count();
	caller = begin(5000, answer_at_once, &patient);
	before = allocations;
	assert_int_equal(run(caller), 0);
	/* And one for the list of agents. */
	assert_int_equal(allocations - before, 5000 + 1);
	end(caller);
}

static void windows(void **state)
{
	static const struct {
		unsigned int window, most;
	} rows[] = {{1, 1}, {2, 2}, {0, 32}, {128, 128}, {1000, 128}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mad_engine_options options = {.window = rows[i].window,
							   .timeout_msec = 5000};
		struct caller *caller = begin(500, answer_at_once, &options);

		assert_int_equal(run(caller), 0);
		assert_int_equal(caller->most_under_way, rows[i].most);
		end(caller);
	}
}

/* A request ends unanswered if and only if each of its tries was dropped. */
static void drop(unsigned int percent, size_t count)
{
	static const struct mad_engine_options options = {
		.window = 64, .timeout_msec = 4, .retries_given = true, .retries = 4};
	struct caller *caller = begin(count, answer_some, &options);
	struct mad_engine_counts counts;
	size_t lost = 0;

	caller->drop_percent = percent;
	assert_int_equal(run(caller), 0);
	for (size_t i = 0; i < count; i++) {
		/*
		 * On a slow host, an answer may be lost if it comes while its last deadline passes.
		 */
		if (caller->delivered[i] && caller->errors[i] == -ETIMEDOUT &&
		    caller->tries[i] == 5)
			lost++;
		else
			assert_int_equal(caller->errors[i], caller->delivered[i] ? 0 : -ETIMEDOUT);
		assert_in_range(caller->tries[i], 1, 5);
	}
	assert_true(lost <= count / 100);
	counts = counts_of(caller);
	assert_int_equal(counts.answered + counts.timed_out, count);
	assert_true(counts.sent > count + count * percent / 200);
	end(caller);
}

/* The first request is lost, the others take their time. */
static int lose_first(struct fake *fake, int agent, const struct mad_address *to,
		      const unsigned char *mad)
{
	const uint64_t end = clock_nsec() + 5000;

	while (clock_nsec() < end)
		;
	return number_of_mad(mad) ? answer_at_once(fake, agent, to, mad) : 0;
}

static void done_and_note(void *context, const struct mad_reply *reply)
{
	struct caller *caller = context;

	if (!reply->request->number)
		caller->given_then = caller->given;
	done(context, reply);
}

/* Deadlines are kept even if there is always another answer to take. */
static void lost_in_stream(void **state)
{
	static const struct mad_engine_options options = {
		.window = 32, .timeout_msec = 4, .retries_given = true};
	struct caller *caller = begin(MOST_REQUESTS, lose_first, &options);
	const struct mad_work work = {.context = caller, .next = next, .done = done_and_note};

	(void)state;
	assert_int_equal(mad_engine_run(caller->engine, &work), 0);
	assert_int_equal(caller->errors[0], -ETIMEDOUT);
	assert_in_range(caller->given_then, 1, MOST_REQUESTS - 1);
	end(caller);
}

static void tenth_dropped(void **state)
{
	(void)state;
	drop(10, 3000);
}

static void half_dropped(void **state)
{
	(void)state;
	drop(50, 1000);
}

static void nobody_there(void **state)
{
	static const struct mad_engine_options options = {
		.window = 8, .timeout_msec = 2, .retries_given = true, .retries = 2};
	struct caller *caller = begin(20, answer_never, &options);
	struct mad_engine_counts counts;

	(void)state;
	assert_int_equal(run(caller), 0);
	counts = counts_of(caller);
	assert_int_equal(counts.timed_out, 20);
	assert_int_equal(counts.sent, 60);
	assert_int_equal(counts.again, 40);
	/* The third try has four times the first time-out, and the kernel gets twice that. */
	assert_int_equal(caller->fake.last_timeout_msec, 16);
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(caller->errors[i], -ETIMEDOUT);
		assert_int_equal(caller->tries[i], 3);
	}
	end(caller);
}

static void no_retries(void **state)
{
	static const struct mad_engine_options options = {
		.timeout_msec = 2, .retries_given = true, .retries = 0};
	struct caller *caller = begin(3, answer_never, &options);

	(void)state;
	assert_int_equal(run(caller), 0);
	assert_int_equal(counts_of(caller).sent, 3);
	assert_int_equal(counts_of(caller).again, 0);
	assert_int_equal(caller->tries[0], 1);
	end(caller);
}

/* The first try is answered while the second is under way. */
static int answer_first_late(struct fake *fake, int agent, const struct mad_address *to,
			     const unsigned char *mad)
{
	struct caller *caller = caller_of(fake);

	(void)agent;
	(void)to;
	if (fake->sends == 1)
		memcpy(caller->held[0], mad, MAD_BYTES);
	else if (fake->sends == 2)
		fake_answer(fake, caller->held[0], 0, 0);
	return 0;
}

static void earlier_try(void **state)
{
	static const struct mad_engine_options options = {.window = 1, .timeout_msec = 100};
	struct caller *caller = begin(1, answer_first_late, &options);

	(void)state;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_int_equal(caller->tries[0], 2);
	/* The round trip is that of the try that was answered. */
	assert_true(caller->round_trip_nsec >= 100000000);
	assert_int_equal(counts_of(caller).stray, 0);
	end(caller);
}

/*
 * Request 0 ends unanswered, and its answer comes during request 1; 1 is answered three times;
 * unsolicited answers come with 2.
 */
static int answer_wrongly(struct fake *fake, int agent, const struct mad_address *to,
			  const unsigned char *mad)
{
	struct caller *caller = caller_of(fake);
	unsigned char other[MAD_BYTES];

	(void)agent;
	(void)to;
	switch (number_of_mad(mad)) {
	case 0:
		memcpy(caller->held[0], mad, MAD_BYTES);
		return 0;
	case 1:
		fake_answer(fake, caller->held[0], 0, 0);
		for (unsigned int i = 0; i < 3; i++)
			fake_answer(fake, mad, 0, 0);
		return 0;
	case 2:
		memcpy(other, mad, MAD_BYTES);
		mad_set_transaction(other, mad_transaction(mad) ^ 0x40000000);
		fake_answer(fake, other, 0, 0);
		/* The right transaction, but a different attribute, class, method, try or slot. */
		memcpy(other, mad, MAD_BYTES);
		other[17]++;
		fake_answer(fake, other, 0, 0);
		memcpy(other, mad, MAD_BYTES);
		other[1]++;
		fake_answer(fake, other, 0, 0);
		memcpy(other, mad, MAD_BYTES);
		other[3] = 0x12;
		fake_answer(fake, other, 0, 0);
		memcpy(other, mad, MAD_BYTES);
		mad_set_transaction(other, mad_transaction(mad) + (1u << 7));
		fake_answer(fake, other, 0, 0);
		memcpy(other, mad, MAD_BYTES);
		mad_set_transaction(other, mad_transaction(mad) + 1);
		fake_answer(fake, other, 0, 0);
		/* A request instead of an answer: it is meant for a server. */
		memcpy(other, mad, MAD_BYTES);
		other[3] = UMAD_METHOD_SEND;
		fake_put(fake, 0, other, MAD_BYTES, 0);
		fake_answer(fake, mad, 0, 0);
		return 0;
	default:
		fake_answer(fake, mad, 0, 0);
		return 0;
	}
}

static void strangers(void **state)
{
	static const struct mad_engine_options options = {
		.window = 1, .timeout_msec = 200, .retries_given = true};
	struct caller *caller = begin(4, answer_wrongly, &options);
	struct mad_engine_counts counts;

	(void)state;
	assert_int_equal(run(caller), 0);
	counts = counts_of(caller);
	assert_int_equal(caller->errors[0], -ETIMEDOUT);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(caller->errors[i], 0);
	/* One is late, two are repeated, and six answer none of the requests. */
	assert_int_equal(counts.stray, 1 + 2 + 6);
	assert_int_equal(counts.answered, 3);
	assert_int_equal(caller->unasked, 1);
	end(caller);
}

/* Request 0 ends unanswered; its answer comes with the last one, and all use one slot. */
static int answer_first_last(struct fake *fake, int agent, const struct mad_address *to,
			     const unsigned char *mad)
{
	struct caller *caller = caller_of(fake);

	(void)agent;
	(void)to;
	if (!number_of_mad(mad)) {
		memcpy(caller->held[0], mad, MAD_BYTES);
		return 0;
	}
	if (number_of_mad(mad) + 1 == caller->wanted)
		fake_answer(fake, caller->held[0], 0, 0);
	fake_answer(fake, mad, 0, 0);
	return 0;
}

/* An answer to a request of thousands before is not taken for that of the slot's request now. */
static void very_late(void **state)
{
	static const struct mad_engine_options options = {
		.window = 1, .timeout_msec = 200, .retries_given = true};

	(void)state;
	for (unsigned int age = 4095; age <= 4096; age++) {
		struct caller *caller = begin(age + 1, answer_first_last, &options);

		assert_int_equal(run(caller), 0);
		assert_int_equal(counts_of(caller).stray, 1);
		assert_int_equal(counts_of(caller).answered, age);
		end(caller);
	}
}

/* umad returns a request that the kernel gave up: only its header. */
static int give_back(struct fake *fake, int agent, const struct mad_address *to,
		     const unsigned char *mad)
{
	(void)agent;
	(void)to;
	fake_put(fake, ETIMEDOUT, mad, 24, 0);
	return 0;
}

static void given_back(void **state)
{
	static const struct mad_engine_options options = {
		.timeout_msec = 5000, .retries_given = true, .retries = 2};
	struct caller *caller = begin(100, give_back, &options);
	uint64_t began = clock_nsec();

	(void)state;
	assert_int_equal(run(caller), 0);
	/* The engine did not wait for its time-outs. */
	assert_true(clock_nsec() - began < 4000000000);
	assert_int_equal(counts_of(caller).timed_out, 100);
	assert_int_equal(counts_of(caller).sent, 300);
	end(caller);
}

static int answer_busy(struct fake *fake, int agent, const struct mad_address *to,
		       const unsigned char *mad)
{
	(void)agent;
	(void)to;
	fake_answer(fake, mad, fake->sends <= 2, 0);
	return 0;
}

static void busy(void **state)
{
	struct caller *caller = begin(1, answer_busy, &patient);
	uint64_t began = clock_nsec();

	(void)state;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_int_equal(caller->status[0], 0);
	assert_int_equal(counts_of(caller).busy, 2);
	/* A busy peer does not count as a lost try. */
	assert_int_equal(caller->tries[0], 1);
	assert_int_equal(counts_of(caller).sent, 3);
	/* 100 ms, then 200 ms */
	assert_true(clock_nsec() - began >= 300000000);
	end(caller);
}

static int refuse(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	(void)agent;
	(void)to;
	fake_answer(fake, mad, caller_of(fake)->drop_percent, 0);
	return 0;
}

/* A status code besides the busy and redirection bits means that retrying is useless. */
static void refused_for_good(void **state)
{
	static const unsigned int statuses[] = {0x0004, 0x0007, 0x000d, 0x000e, 0x001d};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		struct caller *caller = begin(1, refuse, &patient);

		caller->drop_percent = statuses[i];
		assert_int_equal(run(caller), 0);
		assert_int_equal(caller->errors[0], 0);
		assert_int_equal(caller->status[0], statuses[i]);
		assert_int_equal(counts_of(caller).sent, 1);
		end(caller);
	}
}

/* From LID 1 to LID 7, queue pair 5; LID 9 redirects every request. */
static int redirect(struct fake *fake, int agent, const struct mad_address *to,
		    const unsigned char *mad)
{
	struct caller *caller = caller_of(fake);
	unsigned char answer[MAD_BYTES];

	(void)agent;
	caller->last_to = *to;
	if (to->lid == 7) {
		fake_answer(fake, mad, 0, 0);
		return 0;
	}
	memcpy(answer, mad, MAD_BYTES);
	bits_set(answer, (64 + 28) * 8, 16, caller->drop_percent ? 9 : 7);
	bits_set(answer, (64 + 30) * 8, 16, 0x8123);
	bits_set(answer, (64 + 25) * 8, 4, 3);
	bits_set(answer, (64 + 33) * 8, 24, 5);
	bits_set(answer, (64 + 36) * 8, 32, 0x80050000);
	answer[3] |= UMAD_METHOD_RESP_MASK;
	answer[5] = 2;
	fake_put(fake, 0, answer, caller->stop_after ? caller->stop_after : MAD_BYTES, 0);
	return 0;
}

/* The kernel's longest wait: it gets twice the timeout as an int. */
static void long_timeout(void **state)
{
	static const struct mad_engine_options options = {.timeout_msec = UINT32_MAX};
	struct caller *caller = begin(1, redirect, &options);

	(void)state;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_in_range(caller->fake.last_timeout_msec, INT32_MAX / 2, INT32_MAX);
	end(caller);
}

static void redirected(void **state)
{
	struct caller *caller = begin(1, redirect, &patient);

	(void)state;
	caller->fake.pkey = 0x8123;
	caller->fake.pkey_index = 4;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_int_equal(caller->status[0], 0);
	assert_int_equal(counts_of(caller).redirected, 1);
	assert_int_equal(caller->tries[0], 1);
	assert_int_equal(caller->last_to.lid, 7);
	assert_int_equal(caller->last_to.qpn, 5);
	assert_int_equal(caller->last_to.qkey, 0x80050000);
	assert_int_equal(caller->last_to.sl, 3);
	assert_int_equal(caller->last_to.pkey_index, 4);
	assert_false(caller->last_to.has_grh);
	end(caller);
	/* The port is not in that partition. */
	caller = begin(1, redirect, &patient);
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->last_to.lid, 7);
	assert_int_equal(caller->last_to.pkey_index, 0);
	end(caller);
}

/* A redirection without a Q_Key uses that of QP1. */
static int redirect_without_key(struct fake *fake, int agent, const struct mad_address *to,
				const unsigned char *mad)
{
	unsigned char answer[MAD_BYTES];

	(void)agent;
	caller_of(fake)->last_to = *to;
	if (to->lid == 7) {
		fake_answer(fake, mad, 0, 0);
		return 0;
	}
	memcpy(answer, mad, MAD_BYTES);
	bits_set(answer, (64 + 28) * 8, 16, 7);
	answer[3] |= UMAD_METHOD_RESP_MASK;
	answer[5] = 2;
	fake_put(fake, 0, answer, MAD_BYTES, 0);
	return 0;
}

static void redirected_without_key(void **state)
{
	struct caller *caller = begin(1, redirect_without_key, &patient);

	(void)state;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_int_equal(caller->last_to.lid, 7);
	assert_int_equal(caller->last_to.qkey, 0x80010000);
	end(caller);
}

/* Into another subnet: no LID, but a GID, through the router that the request went to: 13.4.8.2. */
static int redirect_beyond(struct fake *fake, int agent, const struct mad_address *to,
			   const unsigned char *mad)
{
	unsigned char answer[MAD_BYTES];

	(void)agent;
	caller_of(fake)->last_to = *to;
	if (to->has_grh) {
		fake_answer(fake, mad, 0, 0);
		return 0;
	}
	memcpy(answer, mad, MAD_BYTES);
	memset(answer + 64, 0, 72);
	memset(answer + 64 + 8, 0xfe, 16);
	answer[64 + 24] = 0x5a;				  /* traffic class */
	bits_set(answer, (64 + 25) * 8 + 4, 20, 0x12345); /* flow label */
	answer[3] |= UMAD_METHOD_RESP_MASK;
	answer[5] = 2;
	fake_put(fake, 0, answer, MAD_BYTES, 0);
	return 0;
}

static void redirected_beyond(void **state)
{
	struct caller *caller = begin(1, redirect_beyond, &patient);
	unsigned char gid[16];
	uint16_t lid;

	(void)state;
	memset(gid, 0xfe, sizeof(gid));
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	lid = caller->last_to.lid;
	assert_int_equal(lid, 1);
	assert_true(caller->last_to.has_grh);
	assert_memory_equal(caller->last_to.gid.raw, gid, sizeof(gid));
	assert_int_equal(caller->last_to.traffic_class, 0x5a);
	assert_int_equal(caller->last_to.flow_label, 0x12345);
	assert_int_equal(caller->last_to.sl, 0);
	assert_in_range(caller->last_to.hop_limit, 2, 255); /* the GID crosses a router */
	assert_int_equal(caller->last_to.qpn, 1);
	assert_int_equal(caller->last_to.qkey, 0x80010000);
	end(caller);
}

static int always_busy(struct fake *fake, int agent, const struct mad_address *to,
		       const unsigned char *mad)
{
	(void)agent;
	(void)to;
	fake_answer(fake, mad, 1, 0);
	return 0;
}

/* After eight pauses the answer is that the peer is busy. */
static void busy_for_ever(void **state)
{
	struct caller *caller = begin(1, always_busy, &patient);

	(void)state;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_int_equal(caller->status[0], 1);
	assert_int_equal(counts_of(caller).busy, 8);
	assert_int_equal(counts_of(caller).sent, 9);
	assert_int_equal(counts_of(caller).again, 8);
	end(caller);
}

/*
 * A circle ends with the redirection as the answer, and so does a redirection without an address.
 */
static void redirected_for_ever(void **state)
{
	struct caller *caller = begin(1, redirect, &patient);

	(void)state;
	caller->drop_percent = 1;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->errors[0], 0);
	assert_int_equal(caller->status[0], 2);
	assert_int_equal(counts_of(caller).redirected, 3);
	end(caller);
	caller = begin(1, redirect, &patient);
	caller->stop_after = 80;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->status[0], 2);
	assert_int_equal(counts_of(caller).redirected, 0);
	end(caller);
}

static void agent_refused(void **state)
{
	struct caller *caller = begin(50, answer_at_once, &patient);

	(void)state;
	caller->fake.agent_error = -EPERM;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->ended, 50);
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(caller->errors[i], -EPERM);
	assert_int_equal(caller->fake.sends, 0);
	end(caller);
}

static int refuse_odd(struct fake *fake, int agent, const struct mad_address *to,
		      const unsigned char *mad)
{
	(void)agent;
	(void)to;
	if (number_of_mad(mad) % 2)
		return -EHOSTUNREACH;
	fake_answer(fake, mad, 0, 0);
	return 0;
}

static void send_fails(void **state)
{
	struct caller *caller = begin(101, refuse_odd, &patient);

	(void)state;
	assert_int_equal(run(caller), 0);
	for (size_t i = 0; i < 101; i++)
		assert_int_equal(caller->errors[i], i % 2 ? -EHOSTUNREACH : 0);
	assert_int_equal(counts_of(caller).sent, 51);
	end(caller);
}

#define TABLE_BYTES (56 + 1000 * 112)

static int answer_table(struct fake *fake, int agent, const struct mad_address *to,
			const unsigned char *mad)
{
	unsigned char *table = mem_alloc_zero(1, TABLE_BYTES);

	(void)agent;
	(void)to;
	memcpy(table, mad, 56);
	table[3] = 0x81;
	for (size_t i = 56; i < TABLE_BYTES; i++)
		table[i] = (unsigned char)(i * 7);
	fake_put(fake, 0, table, TABLE_BYTES, 0);
	free(table);
	return 0;
}

static void done_with_table(void *context, const struct mad_reply *reply)
{
	assert_int_equal(reply->error, 0);
	assert_int_equal(reply->bytes, TABLE_BYTES);
	for (size_t i = 56; i < TABLE_BYTES; i++)
		assert_int_equal(reply->mad[i], (unsigned char)(i * 7));
	done(context, reply);
}

static void table(void **state)
{
	struct caller *caller = begin(5, answer_table, &patient);
	const struct mad_work work = {.context = caller, .next = next, .done = done_with_table};

	(void)state;
	caller->mgmt_class = UMAD_CLASS_SUBN_ADM;
	assert_int_equal(mad_engine_run(caller->engine, &work), 0);
	assert_int_equal(caller->ended, 5);
	/* The buffer is enlarged once. */
	assert_int_equal(caller->fake.too_small, 1);
	assert_int_equal(caller->fake.last_agent.rmpp_version, 1);
	assert_int_equal(caller->fake.last_agent.version, 2);
	end(caller);
}

static bool stop(void *context)
{
	(void)context;
	return true;
}

static void stopped(void **state)
{
	static const struct mad_engine_options options = {
		.window = 16, .timeout_msec = 5000, .stopped = stop};
	struct caller *caller = begin(100, answer_never, &options);

	(void)state;
	assert_int_equal(run(caller), -ECANCELED);
	assert_int_equal(caller->given, 16);
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(caller->errors[i], -ECANCELED);
	/* The engine works as if nothing had happened. */
	caller->fake.on_send = answer_at_once;
	assert_int_equal(run(caller), 0);
	assert_int_equal(caller->ended, 100);
	assert_int_equal(caller->errors[99], 0);
	end(caller);
}

static int break_down(struct fake *fake, int agent, const struct mad_address *to,
		      const unsigned char *mad)
{
	(void)agent;
	(void)to;
	if (fake->sends > 40)
		*(fake->sends % 2 ? &fake->receive_error : &fake->wait_error) = -EIO;
	else
		fake_answer(fake, mad, 0, 0);
	return 0;
}

static void port_breaks(void **state)
{
	static const struct mad_engine_options options = {.window = 8, .timeout_msec = 5000};
	struct caller *caller = begin(100, break_down, &options);

	(void)state;
	assert_int_equal(run(caller), -EIO);
	assert_in_range(caller->given, 41, 99);
	/* Requests whose answers are still in the port's queue are also lost. */
	for (size_t i = 0; i < caller->given; i++)
		if (i < 32 || i >= 40)
			assert_int_equal(caller->errors[i], i < 32 ? 0 : -EIO);
	end(caller);
}

static int answer_in_pieces(struct fake *fake, int agent, const struct mad_address *to,
			    const unsigned char *mad)
{
	(void)agent;
	(void)to;
	for (size_t bytes = 0; bytes < 24; bytes++) {
		unsigned char piece[24];

		memcpy(piece, mad, sizeof(piece));
		piece[3] |= UMAD_METHOD_RESP_MASK;
		fake_put(fake, bytes % 2 ? ETIMEDOUT : 0, piece, bytes, 0);
	}
	fake_answer(fake, mad, 0, 100);
	return 0;
}

static void short_mads(void **state)
{
	static const struct mad_engine_options options = {.window = 4, .timeout_msec = 1000};
	struct caller *caller = begin(20, answer_in_pieces, &options);
	struct mad_engine_counts counts;

	(void)state;
	assert_int_equal(run(caller), 0);
	counts = counts_of(caller);
	assert_int_equal(counts.answered, 20);
	assert_int_equal(counts.sent, 20);
	assert_int_equal(counts.stray, 0);
	end(caller);
}

static int answer_set(struct fake *fake, int agent, const struct mad_address *to,
		      const unsigned char *mad)
{
	unsigned char answer[MAD_BYTES];

	(void)agent;
	(void)to;
	/* A Set is answered by a GetResp; a MAD with only the response bit is not an answer. */
	fake_answer(fake, mad, 0, 0);
	memcpy(answer, mad, MAD_BYTES);
	answer[3] = 0x81;
	answer[5] = 0x1c;
	answer[255] = 0x55;
	fake_put(fake, 0, answer, MAD_BYTES, 0);
	return 0;
}

static void one_call(void **state)
{
	static const struct mad_engine_options options = {
		.timeout_msec = 5000, .retries_given = true, .retries = 0};
	struct caller *caller = begin(0, answer_set, &options);
	struct mad_item item = {.request = {
					.to = {.lid = 3},
					.mgmt_class = UMAD_CLASS_PERF_MGMT,
					.method = UMAD_METHOD_SET,
					.attribute = PM_COUNTERS,
				}};

	(void)state;
	assert_int_equal(mad_gather(caller->engine, &item, 1), 0);
	assert_int_equal(item.error, 0);
	assert_int_equal(item.status, 0x1c);
	assert_int_equal(item.data[191], 0x55);
	assert_int_equal(counts_of(caller).stray, 1);
	/* Without an answer, the data stay unchanged. */
	caller->fake.on_send = give_back;
	item.data[191] = 7;
	assert_int_equal(mad_gather(caller->engine, &item, 1), 0);
	assert_int_equal(item.error, -ETIMEDOUT);
	assert_int_equal(item.data[191], 7);
	end(caller);
}

/*
 * The kernel delivers a response only while it waits for one; GetTable's to GetTraceTable counts as
 * one, and Send does not.
 */
static void answers_of_other_methods(void **state)
{
	static const struct {
		uint8_t method, reply_method;
		bool waits;
	} rows[] = {
		{UMAD_METHOD_GET, 0, true},
		{UMAD_SA_METHOD_GET_TRACE_TABLE, 0, true},
		{UMAD_METHOD_TRAP, UMAD_METHOD_TRAP_REPRESS, true},
		{UMAD_METHOD_GET, UMAD_METHOD_SEND, false},
	};
	static const struct mad_engine_options options = {
		.timeout_msec = 10, .retries_given = true, .retries = 0};
	struct caller *caller = begin(0, answer_never, &options);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mad_item item = {.request = {
						.to = {.lid = 3},
						.mgmt_class = UMAD_CLASS_SUBN_ADM,
						.method = rows[i].method,
						.reply_method = rows[i].reply_method,
					}};

		assert_int_equal(mad_gather(caller->engine, &item, 1), 0);
		assert_int_equal(item.error, -ETIMEDOUT);
		assert_int_equal(caller->fake.last_timeout_msec, rows[i].waits ? 20 : 0);
	}
	end(caller);
}

/* Sends no requests, and takes what comes until the time is over. */
static void serving(void **state)
{
	struct caller *caller = begin(0, answer_at_once, &patient);
	const struct mad_agent agent = {.mgmt_class = 0x32, .version = 1, .oui = 0x1405};
	const struct mad_work work = {.context = caller, .done = done, .unasked = take_unasked};
	unsigned char mad[MAD_BYTES] = {1, 0x32, 1, UMAD_METHOD_SEND};

	(void)state;
	assert_int_equal(mad_engine_add_agent(caller->engine, &agent), 1);
	for (unsigned int i = 0; i < 300; i++)
		fake_put(&caller->fake, 0, mad, MAD_BYTES, i * 100);
	/* A busy machine may need several periods of 60 ms to take them all. */
	for (int i = 0; i < 100 && caller->unasked < 300; i++)
		assert_int_equal(mad_engine_serve(caller->engine, &work, 60), 0);
	assert_int_equal(caller->unasked, 300);
	assert_int_equal(mad_engine_send(caller->engine, 1, &(struct mad_address){.lid = 9}, mad,
					 MAD_BYTES),
			 0);
	assert_int_equal(caller->fake.last_timeout_msec, 0);
	end(caller);
}

/* Unless the caller sets a time-out, it follows the round trips, but is at least 20 ms. */
static int no_buffers(struct fake *fake, int agent, const struct mad_address *to,
		      const unsigned char *mad)
{
	(void)fake;
	assert_int_equal(agent, 1);
	assert_int_equal(to->lid, 9);
	assert_int_equal(number_of_mad(mad), 0);
	return -ENOBUFS;
}

/* A datagram without an answer: the sender learns if it could not be sent. */
static void sent_alone(void **state)
{
	const struct mad_address to = {.lid = 9};
	const unsigned char mad[MAD_BYTES] = {1};
	struct caller *caller = begin(0, no_buffers, &patient);

	(void)state;
	assert_int_equal(mad_engine_send(caller->engine, 1, &to, mad, sizeof(mad)), -ENOBUFS);
	caller->fake.on_send = answer_never;
	assert_int_equal(mad_engine_send(caller->engine, 1, &to, mad, sizeof(mad)), 0);
	end(caller);
}

static void adaptive(void **state)
{
	static const struct mad_engine_options options = {.window = 1};
	struct caller *caller = begin(200, answer_at_once, &options);

	(void)state;
	assert_int_equal(run(caller), 0);
	/* Twice the time-out for the kernel; before anything is measured it is 200 ms. */
	assert_in_range(caller->fake.last_timeout_msec, 2 * 20, 2 * 199);
	end(caller);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(ten_thousand),
		cmocka_unit_test(no_allocation),
		cmocka_unit_test(windows),
		cmocka_unit_test(tenth_dropped),
		cmocka_unit_test(half_dropped),
		cmocka_unit_test(lost_in_stream),
		cmocka_unit_test(nobody_there),
		cmocka_unit_test(no_retries),
		cmocka_unit_test(earlier_try),
		cmocka_unit_test(strangers),
		cmocka_unit_test(very_late),
		cmocka_unit_test(given_back),
		cmocka_unit_test(busy),
		cmocka_unit_test(refused_for_good),
		cmocka_unit_test(long_timeout),
		cmocka_unit_test(redirected),
		cmocka_unit_test(redirected_without_key),
		cmocka_unit_test(redirected_beyond),
		cmocka_unit_test(busy_for_ever),
		cmocka_unit_test(redirected_for_ever),
		cmocka_unit_test(agent_refused),
		cmocka_unit_test(send_fails),
		cmocka_unit_test(table),
		cmocka_unit_test(stopped),
		cmocka_unit_test(port_breaks),
		cmocka_unit_test(short_mads),
		cmocka_unit_test(one_call),
		cmocka_unit_test(answers_of_other_methods),
		cmocka_unit_test(serving),
		cmocka_unit_test(adaptive),
		cmocka_unit_test(sent_alone),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
