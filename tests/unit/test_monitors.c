/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The other sources of events: handmade messages over a socket pair or a pipe, an overrun of a real
 * netlink socket, and this machine's own kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "netlink_message.h"
#include "notes.h"
#include "kernel/netlink/netlink.h"
#include "kernel/netlink/nldev.h"
#include "host/rtnl.h"
#include "kernel/verbs/verbs.h"

static void send_bytes(int fd, const struct bytes *bytes)
{
	assert_int_equal(send(fd, bytes->data, bytes->length, MSG_NOSIGNAL), bytes->length);
}

/* ---- netlink_monitor.c ---- */

static void count_datagram(void *context, const void *datagram, size_t length)
{
	(void)datagram;
	(void)length;
	++*(unsigned int *)context;
}

struct answerer {
	int fd;
	unsigned int count;
};

static void answer(void *context, const void *datagram, size_t length)
{
	struct answerer *answerer = context;

	answerer->count++;
	assert_int_equal(send(answerer->fd, datagram, length, MSG_NOSIGNAL), length);
}

/* Events arrive faster than they can be read: the other sources still get their turn. */
static void monitor_takes_turns(void **state)
{
	struct netlink *monitor;
	struct answerer answerer = {0};
	unsigned int count = 0;
	int fds[2];

	(void)state;
	pair(fds);
	answerer.fd = fds[1];
	monitor = netlink_from_fd(fds[0], 64);
	send(fds[1], "x", 1, MSG_NOSIGNAL);
	assert_int_equal(netlink_read(monitor, answer, &answerer), 0);
	assert_in_range(answerer.count, 100, 10000);
	assert_int_equal(netlink_read(monitor, count_datagram, &count), 0);
	assert_int_equal(count, 1);
	close(fds[1]);
	netlink_free(monitor);
}

/* A protocol between processes: none of its messages is the kernel's, but it overruns likewise. */
static void monitor_overruns(void **state)
{
	const struct sockaddr_nl all = {.nl_family = AF_NETLINK, .nl_groups = 1};
	const unsigned int group = 1;
	_cleanup_(freep) char *large = mem_alloc_zero(4096, 1);
	_cleanup_(closep) int sender = socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
	struct netlink *monitor;
	unsigned int count = 0;
	const int small = 16384;

	(void)state;
	if (sender < 0 || netlink_open_groups(NETLINK_USERSOCK, &group, 1, 8192, &monitor))
		skip();
	assert_int_equal(
		setsockopt(netlink_fd(monitor), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	assert_int_equal(netlink_read(monitor, count_datagram, &count), 0);
	for (int i = 0; i < 100; i++)
		sendto(sender, large, 4096, MSG_DONTWAIT, (const struct sockaddr *)&all,
		       sizeof(all));
	assert_int_equal(netlink_read(monitor, count_datagram, &count), -ENOBUFS);
	assert_int_equal(count, 0);
	/* The overrun is reported once; afterwards the monitor works again. */
	assert_int_equal(netlink_read(monitor, count_datagram, &count), 0);
	sendto(sender, large, 4096, MSG_DONTWAIT, (const struct sockaddr *)&all, sizeof(all));
	assert_int_equal(netlink_read(monitor, count_datagram, &count), 0);
	netlink_free(monitor);
}

static void monitor_refused(void **state)
{
	const unsigned int group = 1000;
	struct netlink *monitor = NULL;

	(void)state;
	assert_int_equal(netlink_open_groups(31, &group, 1, 64, &monitor), -EPROTONOSUPPORT);
	assert_int_equal(netlink_open_groups(NETLINK_ROUTE, &group, 1, 64, &monitor), -EINVAL);
	assert_null(monitor);
}

static void own_kernel(void **state)
{
	struct netlink *monitor;

	(void)state;
	assert_int_equal(rtnl_listen(&monitor), 0);
	assert_true(fcntl(netlink_fd(monitor), F_GETFD) & FD_CLOEXEC);
	netlink_free(monitor);
}

/* ---- nldev_monitor.c ---- */

static void put_attach(struct bytes *bytes)
{
	put_u8(bytes, NLDEV_ATTR_EVENT_TYPE, NLDEV_EVENT_NETDEV_ATTACH);
	put_u32(bytes, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	put_string(bytes, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	put_u32(bytes, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	put_u32(bytes, RDMA_NLDEV_ATTR_NDEV_INDEX, 7);
	put_string(bytes, RDMA_NLDEV_ATTR_NDEV_NAME, "eth\x1b");
	put_u32(bytes, 117, 9);
}

static void nldev_attach(void **state)
{
	struct nldev_event event = {{0}};
	struct bytes bytes = {0};

	(void)state;
	put_attach(&bytes);
	assert_int_equal(nldev_event_parse(bytes.data, bytes.length, &event), 0);
	assert_int_equal(event.type.value, NLDEV_EVENT_NETDEV_ATTACH);
	assert_int_equal(event.device_index.value, 3);
	assert_int_equal(event.port.value, 1);
}

static void nldev_partial(void **state)
{
	struct nldev_event event = {{0}};
	struct bytes bytes = {0};

	(void)state;
	put_string(&bytes, RDMA_NLDEV_ATTR_DEV_NAME, "../x");
	assert_int_equal(nldev_event_parse(bytes.data, bytes.length, &event), 0);
	assert_false(event.type.known);
	assert_false(event.port.known);
	put_attribute(&bytes, RDMA_NLDEV_ATTR_DEV_INDEX, "abc", 3);
	assert_int_equal(nldev_event_parse(bytes.data, bytes.length, &event), -EBADMSG);
}

static void note_nldev(void *context, const struct nldev_event *event)
{
	note(context, "%d %d/%d", (int)event->type.value, (int)event->device_index.value,
	     (int)event->port.value);
}

static void nldev_read(void **state)
{
	struct bytes payload = {0}, good = {0}, other = {0}, bad = {0};
	struct netlink *monitor;
	struct notes notes = {0};
	int fds[2];

	(void)state;
	put_attach(&payload);
	put_message(&good, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, 28), 0, 0, payload.data, payload.length);
	put_message(&other, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, 1), 0, 0, payload.data, payload.length);
	put_message(&bad, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, 28), 0, 0, "abcdefgh", 8);
	pair(fds);
	monitor = netlink_from_fd(fds[0], 65536);
	send_bytes(fds[1], &good);
	send_bytes(fds[1], &other);
	assert_int_equal(nldev_read_events(monitor, note_nldev, &notes), 0);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.lines[0], "2 3/1");
	send_bytes(fds[1], &bad);
	send_bytes(fds[1], &good);
	assert_int_equal(nldev_read_events(monitor, note_nldev, &notes), -ENOBUFS);
	assert_int_equal(notes.count, 2);
	send(fds[1], "short", 5, 0);
	assert_int_equal(nldev_read_events(monitor, note_nldev, &notes), -ENOBUFS);
	close(fds[1]);
	assert_int_equal(netlink_fd(monitor), fds[0]);
	netlink_free(monitor);
	netlink_free(NULL);
}

/* ---- Notices of rtnl.c ---- */

static void put_link(struct bytes *bytes, unsigned int type, unsigned char family, const char *name,
		     unsigned int flags)
{
	const struct ifinfomsg header = {
		.ifi_family = family, .ifi_index = 4, .ifi_type = ARPHRD_ETHER, .ifi_flags = flags};
	struct bytes payload = {0};

	bytes_put(&payload, &header, sizeof(header));
	if (name)
		put_string(&payload, IFLA_IFNAME, name);
	put_u32(&payload, IFLA_MTU, 1500);
	put_u8(&payload, IFLA_OPERSTATE, 6);
	put_message(bytes, type, 0, 0, payload.data, payload.length);
}

static void put_ip(struct bytes *bytes, unsigned int type, unsigned char family, const char *text)
{
	const struct ifaddrmsg header = {.ifa_family = family, .ifa_prefixlen = 24, .ifa_index = 4};
	struct bytes payload = {0};
	uint8_t raw[16];

	bytes_put(&payload, &header, sizeof(header));
	if (text && inet_pton(family, text, raw) == 1)
		put_attribute(&payload, IFA_ADDRESS, raw, family == AF_INET ? 4 : 16);
	put_message(bytes, type, 0, 0, payload.data, payload.length);
}

static void note_rtnl(void *context, const struct rtnl_notice *notice)
{
	char text[INET6_ADDRSTRLEN] = "";
	const char *what = notice->deleted ? "del" : "new";

	if (notice->link) {
		note(context, "%s %s %d %d %d mtu %d", what, notice->link->name,
		     notice->link->enabled == TRISTATE_YES, notice->link->running == TRISTATE_YES,
		     notice->link->carrier == TRISTATE_YES, (int)notice->link->mtu_bytes.value);
		return;
	}
	inet_ntop(notice->address->ip.family, notice->address->ip.raw, text, sizeof(text));
	note(context, "%s %s/%d on %d", what, text, (int)notice->address->prefix_length.value,
	     (int)notice->address->link_index.value);
}

static int take_rtnl(const struct bytes *bytes, size_t length, struct notes *notes)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	return rtnl_take_notices(copy, length, note_rtnl, notes);
}

static void rtnl_notices(void **state)
{
	struct bytes bytes = {0};
	struct notes notes = {0};

	(void)state;
	put_link(&bytes, RTM_NEWLINK, AF_UNSPEC, "eth0", IFF_UP);
	put_link(&bytes, RTM_NEWLINK, AF_UNSPEC, "eth0", IFF_UP | IFF_RUNNING | IFF_LOWER_UP);
	/* A port leaves a bridge; a wireless driver sends a notice; a route is added. */
	put_link(&bytes, RTM_DELLINK, AF_BRIDGE, "eth0", 0);
	put_link(&bytes, RTM_NEWLINK, AF_UNSPEC, NULL, 0);
	put_message(&bytes, RTM_NEWROUTE, 0, 0, "", 0);
	put_ip(&bytes, RTM_NEWADDR, AF_INET, "10.9.0.1");
	put_ip(&bytes, RTM_NEWADDR, AF_DECnet, NULL);
	put_ip(&bytes, RTM_DELADDR, AF_INET6, "fd09::1");
	put_link(&bytes, RTM_DELLINK, AF_UNSPEC, "eth0", 0);
	assert_int_equal(take_rtnl(&bytes, bytes.length, &notes), 0);
	assert_int_equal(notes.count, 5);
	assert_string_equal(notes.lines[0], "new eth0 1 0 0 mtu 1500");
	assert_string_equal(notes.lines[1], "new eth0 1 1 1 mtu 1500");
	assert_string_equal(notes.lines[2], "new 10.9.0.1/24 on 4");
	assert_string_equal(notes.lines[3], "del fd09::1/24 on 4");
	assert_string_equal(notes.lines[4], "del eth0 0 0 0 mtu 1500");
}

static void rtnl_damaged(void **state)
{
	struct bytes bytes = {0};

	(void)state;
	put_link(&bytes, RTM_NEWLINK, AF_UNSPEC, "eth0", IFF_UP);
	for (size_t length = 1; length < bytes.length; length++) {
		struct notes notes = {0};

		assert_int_equal(take_rtnl(&bytes, length, &notes), -EBADMSG);
		assert_int_equal(notes.count, 0);
	}
}

static void rtnl_read(void **state)
{
	struct bytes good = {0}, bad = {0};
	struct netlink *monitor;
	struct notes notes = {0};
	int fds[2];

	(void)state;
	put_ip(&good, RTM_NEWADDR, AF_INET, "10.9.0.1");
	put_ip(&bad, RTM_NEWADDR, AF_INET, NULL);
	pair(fds);
	monitor = netlink_from_fd(fds[0], 32768);
	send_bytes(fds[1], &good);
	assert_int_equal(rtnl_read_notices(monitor, note_rtnl, &notes), 0);
	assert_int_equal(notes.count, 1);
	send_bytes(fds[1], &bad);
	send_bytes(fds[1], &good);
	assert_int_equal(rtnl_read_notices(monitor, note_rtnl, &notes), -ENOBUFS);
	assert_int_equal(notes.count, 2);
	close(fds[1]);
	assert_int_equal(netlink_fd(monitor), fds[0]);
	netlink_free(monitor);
	netlink_free(NULL);
}

/* ---- Asynchronous events of verbs.c ---- */

static void note_verbs(void *context, const struct verbs_event *event)
{
	note(context, "%u %u", event->type, event->port);
}

static void write_event(int fd, unsigned int type, uint64_t element)
{
	const struct ib_uverbs_async_event_desc event = {.element = element, .event_type = type};

	assert_int_equal(write(fd, &event, sizeof(event)), sizeof(event));
}

static void verbs_events(void **state)
{
	struct verbs_async *async;
	struct notes notes = {0};
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	async = verbs_async_from_fd(fds[0]);
	assert_int_equal(verbs_async_fd(async), fds[0]);
	assert_null(verbs_async_node(async));
	assert_false(verbs_async_abandoned(async));
	assert_int_equal(verbs_async_read(async, note_verbs, &notes), 0);
	write_event(fds[1], VERBS_EVENT_PORT_ERR, 2);
	write_event(fds[1], VERBS_EVENT_DEVICE_FATAL, 77);
	/* An event of a queue pair: its handle is not a port. */
	write_event(fds[1], 1, 3);
	write_event(fds[1], 1000, 3);
	write_event(fds[1], VERBS_EVENT_DEVICE_SPEED_CHANGE, 1);
	assert_int_equal(verbs_async_read(async, note_verbs, &notes), 0);
	assert_int_equal(notes.count, 5);
	assert_string_equal(notes.lines[0], "10 2");
	assert_string_equal(notes.lines[1], "8 0");
	assert_string_equal(notes.lines[2], "1 0");
	assert_string_equal(notes.lines[3], "1000 0");
	assert_string_equal(notes.lines[4], "20 1");
	write_event(fds[1], VERBS_EVENT_GID_CHANGE, 1);
	close(fds[1]);
	assert_int_equal(verbs_async_read(async, note_verbs, &notes), -ENODEV);
	assert_string_equal(notes.lines[5], "18 1");
	verbs_async_close(async);
	verbs_async_close(NULL);
}

static void verbs_short(void **state)
{
	struct verbs_event event = {.type = 5};
	struct verbs_async *async;
	struct notes notes = {0};
	int fds[2];

	(void)state;
	assert_int_equal(verbs_event_parse("", 0, &event), -EBADMSG);
	assert_int_equal(event.type, 5);
	assert_int_equal(pipe(fds), 0);
	async = verbs_async_from_fd(fds[0]);
	assert_int_equal(write(fds[1], "short", 5), 5);
	assert_int_equal(verbs_async_read(async, note_verbs, &notes), -EBADMSG);
	assert_int_equal(notes.count, 0);
	close(fds[1]);
	verbs_async_close(async);
}

/* Answers of Linux 5.4 and 6.12, and a damaged one, to RDMA_NLDEV_CMD_SYS_GET. */
static void settings(void **state)
{
	struct nldev_settings old = {{0}}, new = {{0}}, damaged = {{0}};
	struct bytes bytes = {.length = 0};

	(void)state;
	put_u8(&bytes, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 0);
	assert_int_equal(nldev_parse_settings(&old, bytes.data, bytes.length), 0);
	assert_true(old.shared_netns.known);
	assert_int_equal(old.shared_netns.value, 0);
	assert_false(old.privileged_qkey.known);
	assert_false(old.notifies.known);
	put_u8(&bytes, NLDEV_SYS_ATTR_PRIVILEGED_QKEY, 1);
	put_u8(&bytes, NLDEV_SYS_ATTR_MONITOR_MODE, 1);
	assert_int_equal(nldev_parse_settings(&new, bytes.data, bytes.length), 0);
	assert_int_equal(new.privileged_qkey.value, 1);
	assert_true(new.notifies.known);
	bytes.length = 0;
	put_attribute(&bytes, NLDEV_SYS_ATTR_PRIVILEGED_QKEY, "", 0);
	assert_int_equal(nldev_parse_settings(&damaged, bytes.data, bytes.length), -EBADMSG);
	assert_false(damaged.privileged_qkey.known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),	    cmocka_unit_test(monitor_takes_turns),
		cmocka_unit_test(monitor_overruns), cmocka_unit_test(monitor_refused),
		cmocka_unit_test(own_kernel),	    cmocka_unit_test(nldev_attach),
		cmocka_unit_test(nldev_partial),    cmocka_unit_test(nldev_read),
		cmocka_unit_test(rtnl_notices),	    cmocka_unit_test(rtnl_damaged),
		cmocka_unit_test(rtnl_read),	    cmocka_unit_test(verbs_events),
		cmocka_unit_test(verbs_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
