/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How much of a self-test server a single client, address or network can take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/measure/measure.h"
#include "selftest/server/crowd.h"

#define MIB (INT64_C(1) << 20)

static struct ip_address address(const char *text)
{
	struct ip_address address;

	assert_int_equal(ip_parse(text, &address), 0);
	return address;
}

static struct served *come(struct crowd *crowd, const char *text, uint64_t since_msec)
{
	struct served *guest = crowd_place(crowd);

	assert_non_null(guest);
	*guest = (struct served){.state = SERVED_GUEST,
				 .address = address(text),
				 .since_msec = since_msec,
				 .line = -1};
	return guest;
}

/* Makes a guest a client; returns false if it is refused with these words. */
static bool admit(struct crowd *crowd, const char *text, const char *words)
{
	struct served *guest = come(crowd, text, 0);
	char *refusal = crowd_refusal(crowd, guest);

	if (!refusal) {
		crowd_admit(crowd, guest);
		return true;
	}
	assert_non_null(strstr(refusal, words));
	free(refusal);
	crowd_leave(crowd, guest);
	return false;
}

static void places_of_clients(void **state)
{
	struct crowd crowd;
	char text[40];

	(void)state;
	assert_int_equal(crowd_open(16, false, 1024 * MIB, &crowd), 0);
	for (int i = 0; i < 8; i++)
		assert_true(admit(&crowd, "192.0.2.1", ""));
	assert_false(admit(&crowd, "192.0.2.1", "8 clients from this address"));
	assert_false(admit(&crowd, "::ffff:192.0.2.1", "8 clients from this address"));
	assert_true(admit(&crowd, "192.0.2.2", ""));
	crowd_close(&crowd);
	assert_int_equal(crowd_open(16, false, 1024 * MIB, &crowd), 0);
	for (int i = 0; i < 12; i++) {
		snprintf(text, sizeof(text), "2001:db8::%d", i);
		assert_true(admit(&crowd, text, ""));
	}
	assert_false(admit(&crowd, "2001:db8::99", "12 clients from this network"));
	for (int i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "2001:db8:0:%d::1", i + 1);
		assert_true(admit(&crowd, text, ""));
	}
	assert_false(admit(&crowd, "192.0.2.1", "it already serves 16 clients"));
	crowd_close(&crowd);
	assert_int_equal(crowd_open(1, true, 1024 * MIB, &crowd), 0);
	assert_true(admit(&crowd, "192.0.2.1", ""));
	assert_false(admit(&crowd, "192.0.2.2", "one client at a time"));
	crowd_close(&crowd);
}

static void surplus_of_guests(void **state)
{
	struct crowd crowd;
	const struct ip_address near = address("2001:db8::ffff"), far = address("2001:db8:1::1");
	struct served *surplus;
	char text[40];

	(void)state;
	assert_int_equal(crowd_open(16, false, 1024 * MIB, &crowd), 0);
	for (unsigned int i = 0; i < CROWD_MOST_GUESTS_OF_NETWORK; i++) {
		assert_null(crowd_find_surplus(&crowd, &near));
		snprintf(text, sizeof(text), "2001:db8::%x", i);
		come(&crowd, text, 100 - i);
	}
	/*
	 * A network that has used up its share must give up its oldest guest; others come freely.
	 */
	surplus = crowd_find_surplus(&crowd, &near);
	assert_non_null(surplus);
	assert_int_equal(surplus->since_msec, 100 - (CROWD_MOST_GUESTS_OF_NETWORK - 1));
	assert_null(crowd_find_surplus(&crowd, &far));
	for (unsigned int i = 0; i < CROWD_MOST_GUESTS - CROWD_MOST_GUESTS_OF_NETWORK; i++) {
		snprintf(text, sizeof(text), "192.0.2.%u", i);
		come(&crowd, text, 1);
	}
	/* In a full pool, the network with the most guests gives one up for any newcomer. */
	assert_ptr_equal(crowd_find_surplus(&crowd, &far), surplus);
	surplus->ended = "dropped";
	assert_null(crowd_find_surplus(&crowd, &far));
	crowd_close(&crowd);
}

/* If each of many networks has one guest, the one that came first must go. */
static void guests_from_everywhere(void **state)
{
	const struct ip_address far = address("2001:db8:1::1");
	struct crowd crowd;
	char text[40];

	(void)state;
	assert_int_equal(crowd_open(16, false, 1024 * MIB, &crowd), 0);
	for (unsigned int i = 0; i < CROWD_MOST_GUESTS; i++) {
		snprintf(text, sizeof(text), "192.0.2.%u", i);
		come(&crowd, text, 1000 + (i + 20) % CROWD_MOST_GUESTS);
	}
	assert_int_equal(crowd_find_surplus(&crowd, &far)->since_msec, 1000);
	crowd_close(&crowd);
}

/* All senders of a mesh come at once: 128 to a server for 256, perhaps from one network. */
static void guests_of_many_clients(void **state)
{
	const struct ip_address near = address("2001:db8::ffff"), far = address("2001:db8:1::1");
	struct crowd crowd;
	char text[40];

	(void)state;
	assert_int_equal(crowd_open(256, false, 1024 * MIB, &crowd), 0);
	for (unsigned int i = 0; i < 128; i++) {
		assert_null(crowd_find_surplus(&crowd, &near));
		snprintf(text, sizeof(text), "2001:db8::%x", i);
		come(&crowd, text, 100 + i);
	}
	assert_non_null(crowd_find_surplus(&crowd, &near));
	for (unsigned int i = 0; i < 128; i++) {
		assert_null(crowd_find_surplus(&crowd, &far));
		snprintf(text, sizeof(text), "192.0.2.%u", i);
		come(&crowd, text, 1);
	}
	assert_int_equal(crowd_find_surplus(&crowd, &far)->since_msec, 100);
	crowd_close(&crowd);
}

static void budget_of_all(void **state)
{
	struct crowd crowd;
	struct budget *budget = &crowd.budget;

	(void)state;
	assert_int_equal(crowd_open(16, false, 128 * MIB, &crowd), 0);
	for (int i = 0; i < 3; i++)
		come(&crowd, "192.0.2.9", 0);
	assert_int_equal(budget_take(budget, 0, 64 * MIB), 0);
	assert_int_equal(budget_take(budget, 0, 1), -ENOMEM); /* one client may take half of it */
	assert_int_equal(budget_take(budget, 1, 60 * MIB), 0);
	assert_int_equal(budget_take(budget, 2, 5 * MIB), -ENOMEM);
	assert_int_equal(budget_take(budget, 2, 4 * MIB), 0);
	assert_false(admit(&crowd, "192.0.2.1", "memory"));
	assert_int_equal(budget_take(budget, 1, -60 * MIB), 0);
	assert_true(admit(&crowd, "192.0.2.1", ""));
	assert_int_equal(budget_take(budget, 2, 50 * MIB), -ENOMEM);
	crowd_leave(&crowd, &crowd.places[0]);
	assert_int_equal(budget_take(budget, 2, 50 * MIB), 0);
	crowd_close(&crowd);
}

/* The memory that a client takes without ordering it never exceeds what is assumed for it. */
static void bytes_of_a_client(void **state)
{
	const uint64_t requests = 65536 * sizeof(struct ibv_send_wr);
	const uint64_t pairs = LIMIT_QPS * (sizeof(struct run_qp) + sizeof(struct agent_qp));
	struct served *guest;
	struct crowd crowd;

	(void)state;
	assert_int_equal(crowd_open(16, false, 128 * MIB, &crowd), 0);
	guest = come(&crowd, "192.0.2.1", 0);
	crowd_admit(&crowd, guest);
	assert_true(crowd.budget.used[guest - crowd.places] >=
		    requests + pairs + SAMPLES_MOST * sizeof(uint64_t));
	crowd_close(&crowd);
}

static void lines_of_the_log(void **state)
{
	struct log_limit limit = {0};
	unsigned int taken = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		taken += log_limit_take(&limit, 5000);
	assert_int_equal(taken, 20);
	assert_int_equal(limit.left_out, 980);
	assert_false(log_limit_take(&limit, 5999));
	assert_true(log_limit_take(&limit, 6000));
	assert_false(log_limit_take(&limit, 6000));
	for (int i = 0; i < 100; i++)
		taken += log_limit_take(&limit, 1000000);
	assert_int_equal(taken, 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_of_clients),	  cmocka_unit_test(surplus_of_guests),
		cmocka_unit_test(guests_of_many_clients), cmocka_unit_test(guests_from_everywhere),
		cmocka_unit_test(budget_of_all),	  cmocka_unit_test(bytes_of_a_client),
		cmocka_unit_test(lines_of_the_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
