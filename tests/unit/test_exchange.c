/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages over a socket pair: from a peer that is slow, breaks off, or uses another protocol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/wire/message.h"

enum { OURS, THEIRS };

static void make_pair(int pair[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
}

static void close_pair(const int pair[2])
{
	close(pair[OURS]);
	close(pair[THEIRS]);
}

static uint64_t now_msec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static const struct message sample = {
	.type = MESSAGE_HELLO,
	.hello = {.lowest = 1, .highest = 7, .release = "1.2"},
};

/* The result of a receive. */
struct outcome {
	int rc;
	const char *complaint;
	struct message message;
	uint64_t msec;
};

static void receive(int channel, int signals, unsigned int msec, struct outcome *outcome)
{
	uint64_t begin = now_msec();

	memset(outcome, 0, sizeof(*outcome));
	outcome->rc = exchange_receive(channel, signals, msec, &outcome->message,
				       &outcome->complaint);
	outcome->msec = now_msec() - begin;
}

/* The peer sends these bytes and closes the connection. */
static void receive_bytes(const uint8_t *bytes, size_t length, struct outcome *outcome)
{
	int pair[2];

	make_pair(pair);
	if (length)
		assert_int_equal(send(pair[THEIRS], bytes, length, 0), length);
	shutdown(pair[THEIRS], SHUT_WR);
	receive(pair[OURS], -1, 3000, outcome);
	close_pair(pair);
}

static void there_and_back(void **state)
{
	struct message waited = {.type = MESSAGE_WAITED,
				 .waited = {.count = LIMIT_COMPLETION, .events = 3}};
	const struct message bye = {.type = MESSAGE_BYE};
	struct outcome outcome;
	int pair[2];

	(void)state;
	for (uint32_t i = 0; i < LIMIT_COMPLETION; i++)
		waited.waited.items[i].id = UINT64_MAX - i;
	make_pair(pair);
	assert_int_equal(exchange_send(pair[THEIRS], &sample, 1000), 0);
	assert_int_equal(exchange_send(pair[THEIRS], &waited, 1000), 0);
	assert_int_equal(exchange_send(pair[THEIRS], &bye, 1000), 0);
	receive(pair[OURS], -1, 1000, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_int_equal(outcome.message.type, MESSAGE_HELLO);
	assert_int_equal(outcome.message.hello.highest, 7);
	assert_string_equal(outcome.message.hello.release, "1.2");
	receive(pair[OURS], -1, 1000, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_int_equal(outcome.message.waited.count, LIMIT_COMPLETION);
	assert_int_equal(outcome.message.waited.items[31].id, UINT64_MAX - 31);
	receive(pair[OURS], -1, 1000, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_int_equal(outcome.message.type, MESSAGE_BYE);
	close_pair(pair);
}

/* Cut after each byte: an incomplete message, or none if nothing was sent. */
static void halves(void **state)
{
	uint8_t bytes[MESSAGE_MOST_BYTES];
	size_t whole = message_encode(&sample, bytes);
	struct outcome outcome;

	(void)state;
	for (size_t length = 0; length < whole; length++) {
		receive_bytes(bytes, length, &outcome);
		assert_int_equal(outcome.rc, -ECONNRESET);
		if (length)
			assert_string_equal(outcome.complaint, "an incomplete message");
		else
			assert_null(outcome.complaint);
	}
	receive_bytes(bytes, whole, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_null(outcome.complaint);
}

static void put(uint8_t *bytes, uint32_t number)
{
	for (int i = 3; i >= 0; i--, number >>= 8)
		bytes[i] = (uint8_t)number;
}

/* Each is refused because of its header, before any of the body has arrived. */
static void bad_headers(void **state)
{
	static const struct {
		uint32_t magic, version, type, length;
		int rc;
	} cases[] = {
		{MESSAGE_MAGIC + 1, MESSAGE_VERSION, MESSAGE_HELLO, 40, -EPROTO},
		{0x47455420, 0x2f204854, 0x54502f31, 0x2e310d0a, -EPROTO}, /* GET / HTTP/1.1 */
		{MESSAGE_MAGIC, MESSAGE_VERSION, 0, 0, -EPROTO},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_TYPES, 0, -EPROTO},
		{MESSAGE_MAGIC, MESSAGE_VERSION, UINT32_MAX, 0, -EPROTO},
		{MESSAGE_MAGIC, MESSAGE_VERSION + 1, MESSAGE_BYE, 0, -EPROTONOSUPPORT},
		{MESSAGE_MAGIC, 0, MESSAGE_ADMITTED, 52, -EPROTONOSUPPORT},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_HELLO, 0, -EMSGSIZE},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_HELLO, 39, -EMSGSIZE},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_HELLO, 41, -EMSGSIZE},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_BYE, 1, -EMSGSIZE},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_WAITED, MESSAGE_MOST_BYTES, -EMSGSIZE},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_COUNTED, INT32_MAX, -EMSGSIZE},
		{MESSAGE_MAGIC, MESSAGE_VERSION, MESSAGE_COUNTED, UINT32_MAX, -EMSGSIZE},
	};
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint8_t bytes[MESSAGE_HEADER_BYTES];

		put(bytes, cases[i].magic);
		put(bytes + 4, cases[i].version);
		put(bytes + 8, cases[i].type);
		put(bytes + 12, cases[i].length);
		receive_bytes(bytes, sizeof(bytes), &outcome);
		assert_int_equal(outcome.rc, cases[i].rc);
		assert_non_null(outcome.complaint);
	}
}

/* A hello is the same in all versions, and is read whatever version it has. */
static void another_version(void **state)
{
	uint8_t bytes[MESSAGE_MOST_BYTES];
	size_t length = message_encode(&sample, bytes);
	struct outcome outcome;

	(void)state;
	put(bytes + 4, 99);
	receive_bytes(bytes, length, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_int_equal(outcome.message.hello.lowest, 1);
}

/* A field out of range is named. */
static void bad_field(void **state)
{
	const struct message query = {.type = MESSAGE_QUERY, .query = {.slot = LIMIT_QPS}};
	uint8_t bytes[MESSAGE_MOST_BYTES];
	struct outcome outcome;

	(void)state;
	receive_bytes(bytes, message_encode(&query, bytes), &outcome);
	assert_int_equal(outcome.rc, -ERANGE);
	assert_string_equal(outcome.complaint, "slot");
}

static void silence(void **state)
{
	struct outcome outcome;
	int pair[2];

	(void)state;
	make_pair(pair);
	receive(pair[OURS], -1, 100, &outcome);
	assert_int_equal(outcome.rc, -ETIMEDOUT);
	assert_null(outcome.complaint);
	assert_in_range(outcome.msec, 90, 60000);
	receive(pair[OURS], -1, 0, &outcome);
	assert_int_equal(outcome.rc, -ETIMEDOUT);
	close_pair(pair);
}

/* A peer that sends a byte from time to time. */
struct dribble {
	int channel;
	uint8_t bytes[MESSAGE_MOST_BYTES];
	size_t length, sent;
	unsigned int pause_msec;
	pthread_t thread;
};

static void *dribble(void *context)
{
	const struct dribble *work = context;

	for (size_t i = work->sent; i < work->length; i++) {
		if (send(work->channel, work->bytes + i, 1, MSG_NOSIGNAL) != 1)
			break;
		usleep(work->pause_msec * 1000);
	}
	return NULL;
}

static void slow_bytes(void **state)
{
	struct dribble work = {.pause_msec = 4};
	struct outcome outcome;
	int pair[2];

	(void)state;
	make_pair(pair);
	work.channel = pair[THEIRS];
	work.length = message_encode(&sample, work.bytes);
	/* The time limit is for the first byte, for which the thread may be too late. */
	assert_int_equal(send(work.channel, work.bytes, 1, 0), 1);
	work.sent = 1;
	assert_int_equal(pthread_create(&work.thread, NULL, dribble, &work), 0);
	receive(pair[OURS], -1, 150, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_int_equal(outcome.message.hello.highest, 7);
	assert_true(outcome.msec >= 200);
	pthread_join(work.thread, NULL);
	close_pair(pair);
}

/* Each byte arrives in time, but the message does not: it ends after five seconds. */
static void too_slow(void **state)
{
	struct dribble work = {.pause_msec = 100};
	struct outcome outcome;
	int pair[2];

	(void)state;
	make_pair(pair);
	work.channel = pair[THEIRS];
	work.length = message_encode(&sample, work.bytes);
	assert_int_equal(pthread_create(&work.thread, NULL, dribble, &work), 0);
	receive(pair[OURS], -1, 60000, &outcome);
	assert_int_equal(outcome.rc, -ETIMEDOUT);
	assert_string_equal(outcome.complaint, "an incomplete message");
	/* The complete message takes 11 s or more. */
	assert_true(outcome.msec >= 4900);
	close(pair[OURS]);
	pthread_join(work.thread, NULL);
	close(pair[THEIRS]);
}

static int signal_descriptor(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A signal ends the wait, whether the peer is silent or sends all the time. */
static void signals(void **state)
{
	struct signalfd_siginfo info;
	struct outcome outcome;
	int signals = signal_descriptor();
	int pair[2];

	(void)state;
	make_pair(pair);
	assert_int_equal(exchange_send(pair[THEIRS], &sample, 1000), 0);
	receive(pair[OURS], signals, 1000, &outcome);
	assert_int_equal(outcome.rc, 0);
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	receive(pair[OURS], signals, 10000, &outcome);
	assert_int_equal(outcome.rc, -EINTR);
	assert_int_equal(exchange_send(pair[THEIRS], &sample, 1000), 0);
	receive(pair[OURS], signals, 10000, &outcome);
	assert_int_equal(outcome.rc, -EINTR);
	assert_int_equal(read(signals, &info, sizeof(info)), sizeof(info));
	receive(pair[OURS], signals, 10000, &outcome);
	assert_int_equal(outcome.rc, 0);
	close(signals);
	close_pair(pair);
}

static void peer_that_is_gone(void **state)
{
	int pair[2];

	(void)state;
	make_pair(pair);
	close(pair[THEIRS]);
	/* Without SIGPIPE. */
	assert_int_equal(exchange_send(pair[OURS], &sample, 1000), -EPIPE);
	close(pair[OURS]);
}

static void peer_that_does_not_read(void **state)
{
	uint64_t begin = now_msec();
	int pair[2];
	int rc = 0;

	(void)state;
	make_pair(pair);
	for (int i = 0; i < 100000 && !rc; i++)
		rc = exchange_send(pair[OURS], &sample, 100);
	assert_int_equal(rc, -ETIMEDOUT);
	assert_in_range(now_msec() - begin, 90, 60000);
	close_pair(pair);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(halves),
		cmocka_unit_test(bad_headers),
		cmocka_unit_test(another_version),
		cmocka_unit_test(bad_field),
		cmocka_unit_test(silence),
		cmocka_unit_test(slow_bytes),
		cmocka_unit_test(too_slow),
		cmocka_unit_test(signals),
		cmocka_unit_test(peer_that_is_gone),
		cmocka_unit_test(peer_that_does_not_read),
	};

	return cmocka_run_group_tests_name("exchange", tests, NULL, NULL);
}
