/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's device messages: handmade texts, alone and through a socket pair. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "notes.h"
#include "kernel/netlink/uevent.h"

#define UEVENT(text) text, sizeof(text) - 1

static int parse_uevent(const char *text, size_t length, struct uevent *uevent)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, text, length);
	return uevent_parse(copy, length, uevent);
}

static void uevent_added(void **state)
{
	_cleanup_(uevent_clear) struct uevent uevent = {0};

	(void)state;
	assert_int_equal(parse_uevent(UEVENT("add@/devices/virtual/infiniband/rxa\0ACTION=add\0"
					     "DEVPATH=/devices/virtual/infiniband/rxa\0"
					     "SUBSYSTEM=infiniband\0NAME=rxa\0SEQNUM=1372\0"),
				      &uevent),
			 0);
	assert_int_equal(uevent.action, UEVENT_ADD);
	assert_int_equal(uevent.subject, UEVENT_DEVICE);
	assert_string_equal(uevent.kernel_name, "rxa");
	assert_null(uevent.old_kernel_name);
}

static void uevent_node_removed(void **state)
{
	_cleanup_(uevent_clear) struct uevent uevent = {0};

	(void)state;
	/* The same in another order, and without the last NUL. */
	assert_int_equal(parse_uevent(UEVENT("remove@/x\0SUBSYSTEM=infiniband_verbs\0"
					     "DEVNAME=infiniband/uverbs2\0ACTION=remove\0"
					     "DEVPATH=/devices/virtual/infiniband_verbs/uverbs2"),
				      &uevent),
			 0);
	assert_int_equal(uevent.action, UEVENT_REMOVE);
	assert_int_equal(uevent.subject, UEVENT_VERBS_NODE);
	assert_string_equal(uevent.kernel_name, "uverbs2");
}

static void uevent_renamed(void **state)
{
	_cleanup_(uevent_clear) struct uevent uevent = {0};

	(void)state;
	assert_int_equal(parse_uevent(UEVENT("move@/devices/virtual/infiniband/a\nb\0ACTION=move\0"
					     "DEVPATH=/devices/virtual/infiniband/a\nb\0"
					     "SUBSYSTEM=infiniband\0"
					     "DEVPATH_OLD=/devices/virtual/infiniband/\xff=x\0"),
				      &uevent),
			 0);
	assert_int_equal(uevent.action, UEVENT_RENAME);
	assert_string_equal(uevent.kernel_name, "a\nb");
	assert_string_equal(uevent.old_kernel_name, "\xff=x");
}

static void uevent_of_others(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} others[] = {
		{UEVENT("add@/devices/x/net/eth0\0ACTION=add\0DEVPATH=/devices/x/net/eth0\0"
			"SUBSYSTEM=net\0INTERFACE=infiniband\0")},
		{UEVENT("add@/m\0ACTION=add\0DEVPATH=/c/umad0\0SUBSYSTEM=infiniband_mad\0")},
		{UEVENT("change@/c/rxa\0ACTION=change\0DEVPATH=/c/rxa\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=add\0DEVPATH=rxa\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=add\0DEVPATH=/c/\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=add\0DEVPATH=/c/..\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=add\0DEVPATH=\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=add\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=\0DEVPATH=/c/rxa\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=move\0DEVPATH=/c/rxa\0SUBSYSTEM=infiniband\0")},
		{UEVENT("ACTION=move\0DEVPATH=/c/rxa\0DEVPATH_OLD=/\0SUBSYSTEM=infiniband\0")},
		{UEVENT("\0\0\0")},
		{UEVENT("")},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct uevent uevent = {.kernel_name = NULL};

		assert_int_equal(parse_uevent(others[i].text, others[i].length, &uevent), -ENOMSG);
		assert_null(uevent.kernel_name);
	}
}

static void note_uevent(void *context, const struct uevent *uevent)
{
	note(context, "%d %d %s %s", uevent->action, uevent->subject, uevent->kernel_name,
	     uevent->old_kernel_name ? uevent->old_kernel_name : "-");
}

static void uevents_over_a_socket(void **state)
{
	static const char add[] = "add@/\0ACTION=add\0DEVPATH=/c/rxa\0SUBSYSTEM=infiniband";
	static const char net[] = "add@/\0ACTION=add\0DEVPATH=/c/eth0\0SUBSYSTEM=net";
	static const char move[] = "move@/\0ACTION=move\0DEVPATH=/c/rxb\0DEVPATH_OLD=/c/rxa\0"
				   "SUBSYSTEM=infiniband";
	struct netlink *monitor;
	struct notes notes = {0};
	struct pollfd polled;
	int fds[2];

	(void)state;
	pair(fds);
	monitor = netlink_from_fd(fds[0], 8192);
	assert_int_equal(netlink_fd(monitor), fds[0]);
	assert_int_equal(uevent_read(monitor, note_uevent, &notes), 0);
	assert_int_equal(notes.count, 0);
	send(fds[1], add, sizeof(add), 0);
	send(fds[1], net, sizeof(net), 0);
	send(fds[1], move, sizeof(move), 0);
	assert_int_equal(uevent_read(monitor, note_uevent, &notes), 0);
	assert_int_equal(notes.count, 2);
	assert_string_equal(notes.lines[0], "0 0 rxa -");
	assert_string_equal(notes.lines[1], "2 0 rxb rxa");
	polled = (struct pollfd){.fd = fds[0], .events = POLLIN};
	assert_int_equal(poll(&polled, 1, 0), 0);
	close(fds[1]);
	assert_int_equal(uevent_read(monitor, note_uevent, &notes), -ECONNRESET);
	netlink_free(monitor);
	netlink_free(NULL);
}

/* A truncated message cannot be parsed, and counts as lost. */
static void uevent_cut(void **state)
{
	static const char add[] = "add@/\0ACTION=add\0DEVPATH=/c/rxa\0SUBSYSTEM=infiniband";
	_cleanup_(freep) char *large = mem_alloc_zero(20000, 1);
	struct netlink *monitor;
	struct notes notes = {0};
	int fds[2];

	(void)state;
	pair(fds);
	monitor = netlink_from_fd(fds[0], 8192);
	send(fds[1], large, 20000, 0);
	send(fds[1], add, sizeof(add), 0);
	assert_int_equal(uevent_read(monitor, note_uevent, &notes), -ENOBUFS);
	assert_int_equal(notes.count, 1);
	close(fds[1]);
	netlink_free(monitor);
}

static void uevent_own_kernel(void **state)
{
	struct netlink *monitor;

	(void)state;
	if (uevent_listen(&monitor))
		skip();
	assert_true(fcntl(netlink_fd(monitor), F_GETFD) & FD_CLOEXEC);
	netlink_free(monitor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uevent_added),		 cmocka_unit_test(uevent_node_removed),
		cmocka_unit_test(uevent_renamed),	 cmocka_unit_test(uevent_of_others),
		cmocka_unit_test(uevents_over_a_socket), cmocka_unit_test(uevent_cut),
		cmocka_unit_test(uevent_own_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
