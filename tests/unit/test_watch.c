/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reasons for which a wait ends, and TCP with deadlines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "places.h"
#include "selftest/agent/watch.h"

struct bed {
	struct watch watch;
	struct api api;
	struct ibv_context context;
	int signals, other, pair[2];
	enum ibv_event_type event;
	unsigned int events;
	int port, acknowledged;
};

static struct bed *current;

/* Returns one event for each that was written to the descriptor. */
static int get_event(struct ibv_context *context, struct ibv_async_event *event)
{
	eventfd_t one;

	if (eventfd_read(context->async_fd, &one))
		return -1;
	*event = (struct ibv_async_event){.event_type = current->event,
					  .element.port_num = current->port};
	return 0;
}

static void acknowledge(struct ibv_async_event *event)
{
	(void)event;
	current->acknowledged++;
}

static int setup(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	const int room = 65536; /* whatever net.core.wmem_default is */

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bed->pair), 0);
	for (int i = 0; i < 2; i++)
		setsockopt(bed->pair[i], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	bed->signals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	bed->other = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* Without O_NONBLOCK, which the watch sets itself. */
	bed->context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
	bed->context.cmd_fd = -1;
	bed->api.ibv_get_async_event = get_event;
	bed->api.ibv_ack_async_event = acknowledge;
	watch_init(&bed->watch, &bed->api, bed->pair[0], bed->signals);
	watch_device(&bed->watch, &bed->context, 1);
	current = bed;
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	close(bed->signals);
	close(bed->other);
	close(bed->context.async_fd);
	close(bed->pair[0]);
	if (bed->pair[1] >= 0)
		close(bed->pair[1]);
	free(bed);
	return 0;
}

static void nothing(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(watch_wait(&bed->watch, bed->other, 1), STOP_TIMED_OUT);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	eventfd_write(bed->other, 1);
	assert_int_equal(watch_wait(&bed->watch, bed->other, 1000), STOP_NONE);
	assert_int_equal(watch_wait(&bed->watch, -1, 1), STOP_TIMED_OUT);
}

static void peer(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(write(bed->pair[1], "x", 1), 1);
	assert_int_equal(watch_look(&bed->watch), STOP_PEER_SPOKE);
	/* The near side expects an answer. */
	bed->watch.patient = true;
	assert_int_equal(watch_wait(&bed->watch, -1, 1), STOP_TIMED_OUT);
	close(bed->pair[1]);
	bed->pair[1] = -1;
	assert_int_equal(watch_look(&bed->watch), STOP_PEER_GONE);
	/* A signal has priority, and is remembered. */
	eventfd_write(bed->signals, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_INTERRUPTED);
	bed->watch.signals = -1;
	assert_int_equal(watch_look(&bed->watch), STOP_INTERRUPTED);
}

static void device(void **state)
{
	struct bed *bed = *state;

	/* A port error ends nothing, but an error of this port is noted. */
	bed->event = IBV_EVENT_PORT_ERR;
	bed->port = 2;
	eventfd_write(bed->context.async_fd, 2);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_int_equal(bed->acknowledged, 2);
	assert_false(bed->watch.port_down);
	bed->port = 1;
	bed->event = IBV_EVENT_PORT_ACTIVE;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_false(bed->watch.port_down);
	bed->event = IBV_EVENT_PORT_ERR;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_true(bed->watch.port_down && bed->watch.stays_down);
	assert_false(bed->watch.device_gone);
	/* Up again, but this explains a failure of the test that is running. */
	bed->event = IBV_EVENT_PORT_ACTIVE;
	bed->port = 2;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_true(bed->watch.port_down && bed->watch.stays_down);
	bed->port = 1;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_true(bed->watch.port_down && !bed->watch.stays_down);
	/* Lost completions end no wait, but the order that waits for them fails. */
	assert_int_equal(bed->watch.queue_error, 0);
	bed->event = IBV_EVENT_CQ_ERR;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_int_equal(bed->watch.queue_error, EOVERFLOW);
	bed->event = IBV_EVENT_SRQ_ERR;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	assert_int_equal(bed->watch.queue_error, ENOTRECOVERABLE);
	bed->event = IBV_EVENT_DEVICE_FATAL;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_DEVICE_GONE);
	/* The device remains gone, and its events are no longer read. */
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_look(&bed->watch), STOP_DEVICE_GONE);
	assert_int_equal(bed->acknowledged, 9);
}

/* A device file that has lost its name; one with a name, or no file at all, means nothing. */
static void node(void **state)
{
	struct bed *bed = *state;
	char name[PATH_MAX];
	int fd;

	place_for(name, "watch");
	fd = mkstemp(name);
	assert_true(fd >= 0);
	bed->context.cmd_fd = fd;
	assert_int_equal(watch_look(&bed->watch), STOP_NONE);
	unlink(name);
	assert_int_equal(watch_look(&bed->watch), STOP_DEVICE_GONE);
	close(fd);
}

/* ---- A watched loop ---- */

static void await_stop(struct bed *bed, enum stop stop)
{
	for (int i = 0; i < 3000 && !atomic_load(&bed->watch.stop); i++)
		usleep(1000);
	assert_int_equal(atomic_load(&bed->watch.stop), stop);
	assert_int_equal(watch_end(&bed->watch), stop);
	assert_int_equal(bed->watch.wake, -1);
}

static void loop(void **state)
{
	struct bed *bed = *state;

	assert_int_equal(watch_begin(&bed->watch, 60000), 0);
	assert_int_equal(watch_end(&bed->watch), STOP_NONE);
	/* No progress for the given time. */
	assert_int_equal(watch_begin(&bed->watch, 250), 0);
	await_stop(bed, STOP_TIMED_OUT);
	/* Progress, but a limit on the total time. */
	bed->watch.most_msec = 1;
	assert_int_equal(watch_begin(&bed->watch, 60000), 0);
	atomic_fetch_add(&bed->watch.progress, 1);
	await_stop(bed, STOP_TIMED_OUT);
	bed->watch.most_msec = 0;
	assert_int_equal(watch_begin(&bed->watch, 60000), 0);
	eventfd_write(bed->signals, 1);
	await_stop(bed, STOP_INTERRUPTED);
}

/* One event at a time, and then another. */
static int get_endless_events(struct ibv_context *context, struct ibv_async_event *event)
{
	(void)context;
	*event = (struct ibv_async_event){.event_type = IBV_EVENT_PORT_ACTIVE};
	return ++current->events % 2 ? 0 : -1;
}

/* Events that come without a pause do not make a run longer than it may be. */
static void endless_events(void **state)
{
	struct bed *bed = *state;

	bed->api.ibv_get_async_event = get_endless_events;
	bed->watch.most_msec = 50;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_begin(&bed->watch, 60000), 0);
	await_stop(bed, STOP_TIMED_OUT);
	assert_true(bed->events > 2);
}

/* Nor a run in which nothing progresses. */
static void endless_stillness(void **state)
{
	struct bed *bed = *state;

	bed->api.ibv_get_async_event = get_endless_events;
	eventfd_write(bed->context.async_fd, 1);
	assert_int_equal(watch_begin(&bed->watch, 50), 0);
	await_stop(bed, STOP_TIMED_OUT);
	assert_true(bed->events > 2);
}

#define SILENCE_MSEC 1500u

/* In a child: watches a loop that was stopped as soon as it had begun; 0: that did not end it. */
static int be_stopped(struct bed *bed, int began, int resumed)
{
	char byte = 0;

	bed->watch.channel = -1;
	if (watch_begin(&bed->watch, SILENCE_MSEC) || write(began, &byte, 1) != 1 ||
	    read(resumed, &byte, 1) != 1)
		return 2;
	for (uint64_t end = clock_msec() + 600;
	     !atomic_load(&bed->watch.stop) && clock_msec() < end;)
		usleep(1000);
	return watch_end(&bed->watch) != STOP_NONE;
}

/* Time in which the user has stopped the process (Ctrl-Z) is not silence. */
static void stopped_process(void **state)
{
	struct bed *bed = *state;
	int began[2], resumed[2], status;
	char byte = 0;
	pid_t child;

	assert_int_equal(pipe2(began, O_CLOEXEC) | pipe2(resumed, O_CLOEXEC), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(be_stopped(bed, began[1], resumed[0]));
	assert_int_equal(read(began[0], &byte, 1), 1);
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	usleep(1000 * SILENCE_MSEC);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(write(resumed[1], &byte, 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	for (int i = 0; i < 2; i++) {
		close(began[i]);
		close(resumed[i]);
	}
}

/* A harmless event does not end the watch; the first that ends it counts. */
static void loop_goes_on(void **state)
{
	struct bed *bed = *state;

	bed->event = IBV_EVENT_PORT_ACTIVE;
	assert_int_equal(watch_begin(&bed->watch, 60000), 0);
	eventfd_write(bed->context.async_fd, 1);
	for (int i = 0; i < 3000 && !__atomic_load_n(&bed->acknowledged, __ATOMIC_ACQUIRE); i++)
		usleep(1000);
	assert_int_equal(atomic_load(&bed->watch.stop), STOP_NONE);
	assert_int_equal(write(bed->pair[1], "x", 1), 1);
	for (int i = 0; i < 3000 && !atomic_load(&bed->watch.stop); i++)
		usleep(1000);
	assert_int_equal(atomic_load(&bed->watch.stop), STOP_PEER_SPOKE);
	eventfd_write(bed->signals, 1);
	usleep(20000);
	assert_int_equal(watch_end(&bed->watch), STOP_PEER_SPOKE);
}

/* ---- TCP ---- */

enum { MANY_BYTES = 1 << 20 };

static char byte_at(size_t i)
{
	return (char)(i * 7 + i / 251);
}

static void *read_slowly(void *context)
{
	struct bed *bed = context;
	char bytes[4096];
	size_t at = 0;
	ssize_t got;

	while ((got = read(bed->pair[1], bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++)
			if (bytes[i] != byte_at(at++))
				return NULL;
	return at == MANY_BYTES ? bed : NULL;
}

/* More than the socket holds, in both directions: each byte arrives in its place. */
static void transfers(void **state)
{
	struct bed *bed = *state;
	char *bytes = mem_alloc_zero(MANY_BYTES, 1);
	pthread_t thread;
	void *result;

	bed->watch.channel = -1;
	for (size_t i = 0; i < MANY_BYTES; i++)
		bytes[i] = byte_at(i);
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, bed), 0);
	assert_int_equal(tcp_write(&bed->watch, bed->pair[0], bytes, MANY_BYTES, 5000), 0);
	shutdown(bed->pair[0], SHUT_WR);
	pthread_join(thread, &result);
	assert_ptr_equal(result, bed);
	/* Two pieces sent are one piece read; not a byte more is taken. */
	assert_int_equal(write(bed->pair[1], "abc", 3), 3);
	assert_int_equal(write(bed->pair[1], "defg", 4), 4);
	memset(bytes, 0, 8);
	assert_int_equal(tcp_read(&bed->watch, bed->pair[0], bytes, 5, 1000), 0);
	assert_string_equal(bytes, "abcde");
	assert_int_equal(tcp_read(&bed->watch, bed->pair[0], bytes, 2, 1000), 0);
	assert_int_equal(memcmp(bytes, "fgcde", 5), 0);
	free(bytes);
}

static void transfers_that_fail(void **state)
{
	struct bed *bed = *state;
	char *bytes = mem_alloc_zero(MANY_BYTES, 1);
	int null;

	bed->watch.channel = -1;
	assert_int_equal(tcp_read(&bed->watch, bed->pair[0], bytes, 1, 1), -ETIMEDOUT);
	/* A part of the data is not enough. */
	assert_int_equal(write(bed->pair[1], "x", 1), 1);
	assert_int_equal(tcp_read(&bed->watch, bed->pair[0], bytes, 2, 1), -ETIMEDOUT);
	assert_int_equal(tcp_write(&bed->watch, bed->pair[0], bytes, MANY_BYTES, 1), -ETIMEDOUT);
	assert_int_equal(tcp_read(&bed->watch, -1, bytes, 1, 1000), -EBADF);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(tcp_write(&bed->watch, null, bytes, 1, 1000), -ENOTSOCK);
	close(null);
	eventfd_write(bed->signals, 1);
	assert_int_equal(tcp_read(&bed->watch, bed->pair[0], bytes, 1, 1000), -EINTR);
	assert_int_equal(tcp_write(&bed->watch, bed->pair[0], bytes, MANY_BYTES, 1000), -EINTR);
	close(bed->pair[1]);
	bed->pair[1] = -1;
	assert_int_equal(tcp_write(&bed->watch, bed->pair[0], bytes, 1, 1000), -EPIPE);
	assert_int_equal(tcp_read(&bed->watch, bed->pair[0], bytes, 1, 1000), -ECONNRESET);
	free(bytes);
}

/* A started program does not inherit the socket, and no call on it blocks. */
static void assert_flags(int fd)
{
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
}

/* A port chosen by the kernel, and then the same one again. */
static void listeners(void **state)
{
	struct ip_address ip;
	struct sockaddr_storage here;
	socklen_t length = sizeof(here);
	int listener = -1, second = -1, value = 0;
	socklen_t size = sizeof(value);

	(void)state;
	assert_int_equal(ip_parse("127.0.0.1", &ip), 0);
	assert_int_equal(tcp_listen(&ip, 0, 0, &listener), 0);
	assert_flags(listener);
	assert_int_equal(getsockopt(listener, SOL_SOCKET, SO_ACCEPTCONN, &value, &size), 0);
	assert_int_equal(value, 1);
	assert_int_equal(getsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &value, &size), 0);
	assert_int_equal(value, 1);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &length), 0);
	assert_int_equal(here.ss_family, AF_INET);
	assert_int_equal(tcp_listen(&ip, 0, socket_address_port(&here), &second), -EADDRINUSE);
	assert_int_equal(second, -1);
	close(listener);
	/* Any address: with IPv6, that of both families. */
	assert_int_equal(tcp_listen(&(struct ip_address){0}, 0, 0, &listener), 0);
	length = sizeof(here);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &length), 0);
	if (here.ss_family == AF_INET6) {
		assert_int_equal(getsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &value, &size), 0);
		assert_int_equal(value, 0);
	}
	close(listener);
}

static int option_of(int fd, int option)
{
	socklen_t size = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, IPPROTO_TCP, option, &value, &size), 0);
	return value;
}

/* A client whose host acknowledges nothing more is given up after a minute, here at once. */
static void expect_given_up(struct bed *bed, int client, int accepted)
{
	struct sock_filter drop = {.code = BPF_RET | BPF_K};
	const struct sock_fprog program = {.len = 1, .filter = &drop};
	const int one = 1;
	char byte;

	assert_int_equal(option_of(accepted, TCP_KEEPINTVL) * option_of(accepted, TCP_KEEPCNT), 60);
	assert_int_equal(option_of(accepted, TCP_KEEPIDLE), 15);
	assert_int_equal(option_of(accepted, TCP_USER_TIMEOUT), 60000);
	assert_int_equal(
		setsockopt(client, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), 0);
	assert_int_equal(setsockopt(accepted, IPPROTO_TCP, TCP_KEEPCNT, &one, sizeof(one)), 0);
	assert_int_equal(setsockopt(accepted, IPPROTO_TCP, TCP_KEEPINTVL, &one, sizeof(one)), 0);
	assert_int_equal(setsockopt(accepted, IPPROTO_TCP, TCP_USER_TIMEOUT, &one, sizeof(one)), 0);
	assert_int_equal(setsockopt(accepted, IPPROTO_TCP, TCP_KEEPIDLE, &one, sizeof(one)), 0);
	assert_int_equal(tcp_read(&bed->watch, accepted, &byte, 1, 600000), -EHOSTDOWN);
}

/* Loopback of each family, from a given address or any; a port that is only bound refuses. */
static void connections(void **state)
{
	struct bed *bed = *state;
	struct sockaddr_storage here = {0}, from = {0}, got;
	struct sockaddr_in *to = (struct sockaddr_in *)&here;
	struct sockaddr_in *source = (struct sockaddr_in *)&from;
	socklen_t length = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int fd = -1, accepted = -1;

	bed->watch.channel = -1;
	to->sin_family = source->sin_family = AF_INET;
	to->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	source->sin_addr.s_addr = htonl(0x7f000007);
	assert_int_equal(bind(listener, (struct sockaddr *)&here, sizeof(*to)), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&here, &length), 0);
	assert_int_equal(tcp_connect(&bed->watch, &here, NULL, 1000, &fd), -ECONNREFUSED);
	assert_int_equal(fd, -1);
	assert_int_equal(listen(listener, 2), 0);
	assert_int_equal(tcp_connect(&bed->watch, &here, &from, 1000, &fd), 0);
	assert_int_equal(tcp_accept(&bed->watch, listener, &accepted, &got), 0);
	expect_given_up(bed, fd, accepted);
	assert_int_equal(((struct sockaddr_in *)&got)->sin_addr.s_addr, source->sin_addr.s_addr);
	assert_flags(fd);
	assert_flags(accepted);
	close(fd);
	close(accepted);
	/* An address that does not belong to this host. */
	source->sin_addr.s_addr = htonl(0xc0000201);
	assert_int_equal(tcp_connect(&bed->watch, &here, &from, 1000, &fd), -EADDRNOTAVAIL);
	eventfd_write(bed->signals, 1);
	assert_int_equal(tcp_accept(&bed->watch, listener, &accepted, &got), -EINTR);
	close(listener);
	assert_int_equal(tcp_accept(&bed->watch, listener, &accepted, &got), -EBADF);
	assert_int_equal(tcp_accept(&bed->watch, bed->signals, &accepted, &got), -ENOTSOCK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(nothing),
		TEST(peer),
		TEST(device),
		TEST(node),
		TEST(loop),
		TEST(endless_events),
		TEST(transfers),
		TEST(transfers_that_fail),
		TEST(connections),
		TEST(listeners),
		TEST(loop_goes_on),
		TEST(endless_stillness),
		TEST(stopped_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
