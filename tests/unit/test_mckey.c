/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Datagrams of mckey on a made-up device, and the events that end a wait for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "host/device.h"
#include "selftest/interop/interop_cm.h"
#include "made_up_session.h"

static void make_mckey(struct bed *bed, bool server)
{
	make_bed(bed, server, &mckey_role);
	if (server) {
		free(bed->session.peer);
		bed->session.peer = NULL;
	}
	bed->request.peer = NULL;
	assert_int_equal(interop_make_qp(&bed->session, INTEROP_QP), 0);
}

static void device_goes(void **state)
{
	struct bed bed;

	(void)state;
	make_mckey(&bed, true);
	bed.session.agent->watch.device_gone = true;
	assert_int_equal(mckey_receive(&bed.session), -EIO);
	assert_reason(&bed, "device none0 was removed");
	free_bed(&bed);
	/* librdmacm may report the removal first. */
	make_mckey(&bed, true);
	bed.device.cm_event_comes = true;
	bed.device.cm_event.id = &bed.device.id;
	bed.device.cm_event.event = RDMA_CM_EVENT_DEVICE_REMOVAL;
	assert_int_equal(mckey_receive(&bed.session), -EIO);
	assert_reason(&bed, "device none0 was removed");
	free_bed(&bed);
	/* The user sent the signal, so nothing is reported. */
	make_mckey(&bed, true);
	bed.session.agent->watch.interrupted = true;
	assert_int_equal(mckey_receive(&bed.session), -ECANCELED);
	assert_int_equal(bed.results.count, 0);
	free_bed(&bed);
}

static void membership_goes(void **state)
{
	struct bed bed;

	(void)state;
	make_mckey(&bed, true);
	bed.device.cm_event_comes = true;
	bed.device.cm_event.id = &bed.device.id;
	bed.device.cm_event.event = RDMA_CM_EVENT_MULTICAST_ERROR;
	bed.device.cm_event.status = -ENETRESET;
	assert_int_equal(mckey_receive(&bed.session), -EIO);
	assert_reason(&bed, "none0/1 is no longer a member of the multicast group");
	free_bed(&bed);
}

/* The row's peer, from a header before the datagram that contains both forms. */
static void play_datagram(struct bed *bed, enum gid_type type)
{
	static const uint8_t v2[] = {10, 9, 0, 7}, v1[] = {0xff, 0xff, 10, 9, 0, 8};
	uint8_t bytes[DATAGRAM_HEADER_BYTES + 64] = {0};

	make_mckey(bed, true);
	bed->local.gid_type = type;
	bed->session.iterations = 1;
	bed->role.iterations = 1;
	bed->role.bytes = 64;
	memcpy(bytes + 32, v2, sizeof(v2));
	memcpy(bytes + 8 + 10, v1, sizeof(v1));
	bed->session.received = bytes + DATAGRAM_HEADER_BYTES;
	add(&bed->device, 0, sizeof(bytes));
	assert_int_equal(mckey_receive(&bed->session), 0);
	interop_row_end(&bed->session);
}

static void senders(void **state)
{
	struct bed bed;

	(void)state;
	play_datagram(&bed, GID_TYPE_ROCE_V2);
	assert_string_equal(row_of(&bed)->peer, "10.9.0.7");
	free_bed(&bed);
	play_datagram(&bed, GID_TYPE_ROCE_V1);
	assert_string_equal(row_of(&bed)->peer, "10.9.0.8");
	free_bed(&bed);
}

/* The immediate data is the number of the sending queue pair, whoever made it. */
static void sender_names_itself(void **state)
{
	struct bed bed;

	(void)state;
	make_mckey(&bed, false);
	bed.device.qp.qp_num = 0x1234;
	bed.session.remote.gid.raw[0] = 0xff;
	interop_row_begin(&bed.session);
	for (int i = 0; i < 5; i++)
		add(&bed.device, INTEROP_SENT, 0);
	assert_int_equal(mckey_send(&bed.session), 0);
	assert_int_equal(ntohl(bed.device.imm_data), 0x1234);
	interop_row_end(&bed.session);
	/* A group is not a peer, but has a GID. */
	assert_null(row_of(&bed)->peer);
	assert_true(row_of(&bed)->peer_gid.known);
	free_bed(&bed);
}

static void events_in_a_pause(void **state)
{
	struct bed bed;

	(void)state;
	make_mckey(&bed, false);
	interop_row_begin(&bed.session);
	assert_int_equal(eventfd_write(bed.device.context.async_fd, 1), 0);
	assert_int_equal(mckey_pause(&bed.session, 1), 0);
	assert_false(bed.session.marked);
	/* The events are read anyway, and a port that is down ends the wait at once. */
	assert_int_equal(eventfd_write(bed.device.context.async_fd, 2), 0);
	assert_int_equal(mckey_pause(&bed.session, 600000), -EIO);
	assert_reason(&bed, "port none0/1 went down");
	free_bed(&bed);
	make_mckey(&bed, false);
	interop_row_begin(&bed.session);
	bed.session.agent->watch.device_gone = true;
	assert_int_equal(mckey_pause(&bed.session, 1), -EIO);
	assert_reason(&bed, "device none0 was removed");
	free_bed(&bed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(device_goes),	     cmocka_unit_test(membership_goes),
		cmocka_unit_test(senders),	     cmocka_unit_test(sender_names_itself),
		cmocka_unit_test(events_in_a_pause),
	};

	return cmocka_run_group_tests_name("mckey", tests, NULL, NULL);
}
