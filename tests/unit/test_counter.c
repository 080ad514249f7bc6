/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of a port: reading them, what happened between two readings, what they mean. */
#include "saved_tree.h"

#include "base/mem.h"
#include "counter/counter.h"

#define CLASS "sys/class/infiniband/"
#define PORT  CLASS "mlx5_0/ports/1/"

struct bed {
	struct saved_tree tree;
	struct counter_list before, after, difference;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	tree_become_oneself();
	tree_close(&bed->tree);
	counter_list_clear(&bed->before);
	counter_list_clear(&bed->after);
	counter_list_clear(&bed->difference);
	free(bed);
	return 0;
}

static void check_value(const struct counter_list *list, const char *name, uint64_t value)
{
	const struct counter *counter = counter_list_find(list, name);

	assert_non_null(counter);
	assert_int_equal(counter->value, value);
}

static void reading(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, PORT "counters/port_xmit_packets", "18446744073709551615");
	tree_write(&bed->tree, PORT "counters/symbol_error", "3");
	tree_write(&bed->tree, PORT "counters/VL15_dropped", "N/A (no PMA)");
	tree_write(&bed->tree, PORT "counters/link_downed", "-1");
	tree_write(&bed->tree, PORT "counters/port_rcv_errors", "12 apples");
	tree_write(&bed->tree, PORT "counters/port_rcv_packets", "");
	tree_link(&bed->tree, PORT "counters/port_rcv_data", "!EINVAL");
	tree_directory(&bed->tree, PORT "counters/directory");
	tree_write(&bed->tree, PORT "counters/\033[31mred", "1");
	tree_write(&bed->tree, PORT "hw_counters/out_of_sequence", "7");
	tree_write(&bed->tree, PORT "hw_counters/lifespan", "10");
	tree_write(&bed->tree, CLASS "mlx5_0/hw_counters/out_of_sequence", "9");
	tree_write(&bed->tree, CLASS "mlx5_0/hw_counters/lifespan", "10");
	tree_write(&bed->tree, CLASS "mlx5_0/hw_counters/cmds_err", "2");
	assert_int_equal(sysfs_counters_read(&bed->tree.root, "mlx5_0", 1, &bed->after), 0);
	assert_int_equal(bed->after.count, 5);
	check_value(&bed->after, "port_xmit_packets", UINT64_MAX);
	check_value(&bed->after, "symbol_error", 3);
	check_value(&bed->after, "\\x1b[31mred", 1);
	check_value(&bed->after, "out_of_sequence", 7);
	check_value(&bed->after, "cmds_err", 2);
}

static void not_for_everybody(void **state)
{
	struct bed *bed = *state;
	char path[2 * PATH_MAX];

	tree_write(&bed->tree, PORT "hw_counters/reset", "1");
	tree_write(&bed->tree, PORT "hw_counters/sent_pkts", "1");
	snprintf(path, sizeof(path), "%s/" PORT "hw_counters/reset", bed->tree.path);
	assert_int_equal(chmod(path, 0200), 0);
	tree_become_nobody();
	assert_int_equal(sysfs_counters_read(&bed->tree.root, "mlx5_0", 1, &bed->after), 0);
	tree_become_oneself();
	check_value(&bed->after, "sent_pkts", 1);
}

static void no_counters_and_no_port(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, CLASS "siw0/ports/1/state", "4: ACTIVE");
	assert_int_equal(sysfs_counters_read(&bed->tree.root, "siw0", 1, &bed->after), 0);
	assert_int_equal(bed->after.count, 0);
	assert_int_equal(sysfs_counters_read(&bed->tree.root, "siw0", 2, &bed->after), -ENODEV);
	assert_int_equal(sysfs_counters_read(&bed->tree.root, "rxe9", 1, &bed->after), -ENODEV);
	assert_null(bed->after.items);
}

static void difference(void **state)
{
	struct bed *bed = *state;

	counter_list_add(&bed->before, "sent_pkts", 100);
	counter_list_add(&bed->before, "rcvd_pkts", 5);
	counter_list_add(&bed->before, "gone", 1);
	counter_list_add(&bed->before, "cleared", 50);
	counter_list_add(&bed->after, "cleared", 2);
	counter_list_add(&bed->after, "new", 4);
	counter_list_add(&bed->after, "rcvd_pkts", 5);
	counter_list_add(&bed->after, "sent_pkts", 142);
	counter_list_difference(&bed->before, &bed->after, &bed->difference);
	assert_int_equal(bed->difference.count, 2);
	assert_string_equal(bed->difference.items[0].name, "rcvd_pkts");
	check_value(&bed->difference, "rcvd_pkts", 0);
	check_value(&bed->difference, "sent_pkts", 42);
}

/* Saturated counters of 8 and 32 bits do not prove that nothing happened. */
static void stopped(void **state)
{
	struct bed *bed = *state;
	struct counter_sums sums;

	counter_list_add(&bed->before, "link_downed", 255);
	counter_list_add(&bed->after, "link_downed", 255);
	counter_list_add(&bed->before, "port_xmit_packets", UINT32_MAX);
	counter_list_add(&bed->after, "port_xmit_packets", UINT32_MAX);
	counter_list_add(&bed->before, "port_rcv_packets", UINT32_MAX - 1);
	counter_list_add(&bed->after, "port_rcv_packets", UINT32_MAX - 1);
	counter_list_difference(&bed->before, &bed->after, &bed->difference);
	assert_int_equal(bed->difference.count, 1);
	check_value(&bed->difference, "port_rcv_packets", 0);
	sums = counter_list_growth(&bed->before, &bed->after);
	assert_false(sums.by_class[COUNTER_TRAFFIC_SENT].known);
	assert_false(sums.by_class[COUNTER_ERROR].known);
	assert_true(sums.by_class[COUNTER_TRAFFIC_RECEIVED].known);
}

static void check_sum(const struct counter_sums *sums, enum counter_class class, uint64_t value)
{
	assert_true(sums->by_class[class].known);
	assert_int_equal(sums->by_class[class].value, value);
}

static void sums(void **state)
{
	struct bed *bed = *state;
	struct counter_sums sum = counter_list_sum(&bed->after);

	for (int class = 0; class < COUNTER_CLASSES; class ++)
		assert_false(sum.by_class[class].known);
	counter_list_add(&bed->after, "port_xmit_packets", 10);
	counter_list_add(&bed->after, "unicast_xmit_packets", 9);
	counter_list_add(&bed->after, "port_xmit_data", 1000);
	counter_list_add(&bed->after, "packet_seq_err", 2);
	counter_list_add(&bed->after, "local_ack_timeout_err", 3);
	counter_list_add(&bed->after, "rnr_nak_retry_err", 0);
	counter_list_add(&bed->after, "np_cnp_sent", 6);
	counter_list_add(&bed->after, "nobody_knows_it", 77);
	sum = counter_list_sum(&bed->after);
	check_sum(&sum, COUNTER_TRAFFIC_SENT, 10);
	assert_false(sum.by_class[COUNTER_TRAFFIC_RECEIVED].known);
	check_sum(&sum, COUNTER_RETRANSMISSION, 5);
	check_sum(&sum, COUNTER_RNR, 0);
	check_sum(&sum, COUNTER_CONGESTION, 6);
	assert_false(sum.by_class[COUNTER_ERROR].known);
	assert_false(sum.by_class[COUNTER_OTHER].known);
	/*
	 * The driver counts the same packets, which are not counted twice. IPv4 and IPv6 are added
	 * up.
	 */
	counter_list_add(&bed->after, "ip4OutPkts", 4);
	counter_list_add(&bed->after, "ip6OutPkts", 3);
	/* Nor are those that an optional counter also counts. */
	counter_list_add(&bed->after, "cc_tx_cnp_pkts", 6);
	sum = counter_list_sum(&bed->after);
	check_sum(&sum, COUNTER_TRAFFIC_SENT, 7);
	check_sum(&sum, COUNTER_CONGESTION, 6);
}

static void names(void **state)
{
	static const struct {
		const char *name;
		enum counter_class class;
	} some[] = {
		{"sent_pkts", COUNTER_TRAFFIC_SENT},
		{"rcvd_pkts", COUNTER_TRAFFIC_RECEIVED},
		{"duplicate_request", COUNTER_RETRANSMISSION},
		{"out_of_seq_request", COUNTER_RETRANSMISSION},
		{"completer_retry_err", COUNTER_RETRANSMISSION},
		{"send_rnr_err", COUNTER_RNR},
		{"retry_exceeded_err", COUNTER_ERROR},
		{"port_xmit_discards", COUNTER_ERROR},
		{"to_retransmits", COUNTER_RETRANSMISSION},
		{"tcpRetransSegs", COUNTER_RETRANSMISSION},
		{"rp_cnp_handled", COUNTER_CONGESTION},
		{"ack_deferred", COUNTER_OTHER},
		{"lifespan", COUNTER_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		assert_int_equal(counter_class_of(some[i].name), some[i].class);
	assert_non_null(counter_name_find("ack_deferred"));
	assert_null(counter_name_find("lifespan"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(reading),	  TEST(not_for_everybody), TEST(no_counters_and_no_port),
		TEST(difference), TEST(stopped),	   TEST(sums),
		TEST(names),
	};

	return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
