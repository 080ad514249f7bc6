/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of growing counters of a port, of its partitions, and of packet filters: everything
 * that they report for two readings in memory and a small tree.
 */
#include <errno.h>

#include "counter/names/counter_names.h"
#include "doctor/frame/growth.h"
#include "doctor/stack/stack.h"
#include "doctor_told.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"

static int set_up(void **state)
{
	struct device *device;
	struct link *link;
	struct port *port;
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	device = device_list_add(&bed->facts.inventory.devices, "mlx5_0");
	device->driver = mem_string("mlx5_core");
	port = device_add_port(device, 1);
	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	port->state = number_of(PORT_STATE_ACTIVE);
	link = link_list_add(&bed->facts.inventory.links);
	link->name = mem_string("eth0");
	link->index = number_of(3);
	bed->run.device = device;
	bed->run.port = port;
	bed->facts.growth = mem_alloc_zero(1, sizeof(*bed->facts.growth));
	bed->facts.growth->seconds = 60;
	return 0;
}

static void forget(struct bed *bed)
{
	struct growth_reading *readings[] = {&bed->facts.growth->before, &bed->facts.growth->after};

	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < readings[i]->count; j++)
			free(readings[i]->items[j].key);
		free(readings[i]->items);
		*readings[i] = (struct growth_reading){.items = NULL};
	}
}

/* A counter of the port, or of its netdev. Keys must be added in order. */
static void grow(struct bed *bed, const char *object, enum counter_source source,
		 const char *counter, uint64_t before, uint64_t after, enum growth_state state)
{
	const char *word = enum_word(counter_source_names, source, "other");

	growth_add(&bed->facts.growth->before, before, "%s %s %s", object, word, counter)->state =
		state;
	growth_add(&bed->facts.growth->after, after, "%s %s %s", object, word, counter)->state =
		state;
}

static void carrier(struct bed *bed, const char *file, uint64_t before, uint64_t after)
{
	growth_add(&bed->facts.growth->before, before, "eth0 %s", file);
	growth_add(&bed->facts.growth->after, after, "eth0 %s", file);
}

static void flaps(void **state)
{
	static const struct {
		uint64_t before, after;
		enum growth_state state;
		const char *told;
	} cases[] = {
		{3, 3, GROWTH_KNOWN,
		 "ok mlx5_0/1: the link did not go down | link_downed +0 in 60.0 s < "
		 "ports/N/counters\n"},
		{3, 4, GROWTH_KNOWN,
		 "warning mlx5_0/1: the link went down | link_downed +1 in 60.0 s; 3 in 12 h are a "
		 "warning, 5 in 24 h an error < ports/N/counters -> the remedy\n"},
		{3, 8, GROWTH_KNOWN,
		 "error mlx5_0/1: the link went down | link_downed +5 in 60.0 s; 3 in 12 h are a "
		 "warning, 5 in 24 h an error < ports/N/counters -> the remedy\n"},
		{3, 2, GROWTH_KNOWN,
		 "not-checked mlx5_0/1: the counters were reset between the two readings | "
		 "link_downed was reset in between\n"},
		{255, 255, GROWTH_SATURATED,
		 "note mlx5_0/1: error counters are at their maximum, so growth cannot be seen | "
		 "link_downed is at its maximum and no longer counts -> clear them, then look "
		 "again: rdmactl perf --via mlx5_0/1 --errors --reset\n"},
	};
	struct bed *bed = *state;

	bed->facts.root.live = true;
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed, "not-checked mlx5_0/1: nothing counts how often the link goes down\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		forget(bed);
		grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "link_downed", cases[i].before,
		     cases[i].after, cases[i].state);
		bed_run(bed, CHECK_ID_link_flaps);
		assert_told(bed, "%s", cases[i].told);
	}
	forget(bed);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "link_downed", 0, 0, GROWTH_UNREADABLE);
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed,
		    "not-checked mlx5_0/1: the counters of the port cannot be read | link_downed "
		    "cannot be read; %s < ports/N/counters\n"
		    "unread mlx5_0/1: the counters of the port < ports/N/counters: %s\n",
		    strerror(EIO), strerror(EIO));
}

/* The netdev of an Ethernet port: two changes of its carrier are a flap. */
static void carriers(void **state)
{
	static const char end[] = "; 3 in 12 h are a warning, 5 in 24 h an error";
	struct bed *bed = *state;
	struct port *port = &bed->facts.inventory.devices.items[0].ports[0];

	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->netdev = mem_string("eth0");
	bed->request.since = "file";
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed, "not-checked mlx5_0/1: the saved file does not have the carrier counts of "
			 "netdevs needs 4\n");
	bed->request.since = NULL;
	carrier(bed, "carrier_changes", 4, 5);
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed,
		    "warning mlx5_0/1: the link went down | eth0 carrier_changes +1 in 60.0 s%s "
		    "< /sys/class/net/NETDEV/carrier_changes -> the remedy\n",
		    end);
	forget(bed);
	carrier(bed, "carrier_changes", 4, 13);
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed,
		    "error mlx5_0/1: the link went down | eth0 carrier_changes +5 in 60.0 s%s "
		    "< /sys/class/net/NETDEV/carrier_changes -> the remedy\n",
		    end);
	forget(bed);
	carrier(bed, "carrier_changes", 4, 12);
	carrier(bed, "carrier_down_count", 7, 7);
	bed->request.since = "file";
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed, "ok mlx5_0/1: the link did not go down | eth0 carrier_down_count +0 in "
			 "60.0 s < /sys/class/net/NETDEV/carrier_down_count\n");
	/* The largest of all counters that count the same thing. */
	forget(bed);
	carrier(bed, "carrier_down_count", 7, 8);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "link_downed", 0, 6, GROWTH_KNOWN);
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed,
		    "error mlx5_0/1: the link went down | link_downed +6 in 60.0 s; eth0 "
		    "carrier_down_count +1 in 60.0 s%s < ports/N/counters, "
		    "/sys/class/net/NETDEV/carrier_down_count -> the remedy\n",
		    end);
	/* The carrier of IPoIB counts only without the port's own counter. */
	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	forget(bed);
	bed->facts.root.live = true;
	carrier(bed, "carrier_down_count", 7, 12);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "link_downed", 2, 2, GROWTH_KNOWN);
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed, "ok mlx5_0/1: the link did not go down | link_downed +0 in 60.0 s < "
			 "ports/N/counters\n");
	forget(bed);
	carrier(bed, "carrier_down_count", 7, 12);
	bed_run(bed, CHECK_ID_link_flaps);
	assert_told(bed,
		    "error mlx5_0/1: the link went down | eth0 carrier_down_count +5 in 60.0 s%s "
		    "< /sys/class/net/NETDEV/carrier_down_count -> the remedy\n",
		    end);
}

/* Each counter at its limit and one above it, within its period. */
static void damage(void **state)
{
	static const char share[] = "find what the paths of these packets share, a switch or an "
				    "adapter: no cable does this",
			  more[] = "the link has more errors than its standard allows";
	static const struct {
		enum counter_source source;
		const char *counter, *limit, *from;
		double seconds;
		uint64_t most; /* largest value below the limit */
		const char *verdict;
	} cases[] = {
		{COUNTER_SOURCE_PMA, "local_link_integrity_errors", "limit 0", "ports/N/counters",
		 60, 0, "error"},
		{COUNTER_SOURCE_PMA, "excessive_buffer_overruns", "limit 0", "ports/N/counters", 60,
		 0, "error"},
		{COUNTER_SOURCE_PMA, "symbol_errors", "limit 120 per hour", "ports/N/counters",
		 3600, 120, "warning"},
		{COUNTER_SOURCE_PMA, "link_error_recoveries", "limit 5 per minute",
		 "ports/N/counters", 60, 5, "warning"},
		{COUNTER_SOURCE_NETDEV, "rx_crc_errors", "limit 120 per hour",
		 "statistics of the netdev", 3600, 120, "warning"},
		{COUNTER_SOURCE_HW, "rx_icrc_errors", "limit 0", "ports/N/hw_counters", 60, 0,
		 "warning"},
	};
	struct bed *bed = *state;

	bed->facts.root.live = true;
	bed_run(bed, CHECK_ID_link_errors);
	assert_told(bed, "not-checked mlx5_0/1: nothing counts link errors\n");
	bed->facts.inventory.devices.items[0].ports[0].netdev = mem_string("eth0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *window = cases[i].seconds > 60 ? "60 min" : "60.0 s";
		const char *object = cases[i].source == COUNTER_SOURCE_NETDEV ? "eth0" : "mlx5_0/1";

		bed->facts.growth->seconds = cases[i].seconds;
		for (uint64_t above = 0; above < 2; above++) {
			const uint64_t growth = cases[i].most + above;

			forget(bed);
			grow(bed, object, cases[i].source, cases[i].counter, 7, 7 + growth,
			     GROWTH_KNOWN);
			bed_run(bed, CHECK_ID_link_errors);
			if (!growth)
				assert_told(bed,
					    "ok mlx5_0/1: the link has no errors | 1 counter did "
					    "not grow in %s\n",
					    window);
			else
				assert_told(bed,
					    "%s mlx5_0/1: %s | %s +%llu in %s (%s) < %s -> %s\n",
					    above ? cases[i].verdict : "note",
					    !above ? "the link has a few errors, below the limits"
					    : *cases[i].verdict == 'e'
						    ? "the link damages data, or overruns the "
						      "buffers"
					    : cases[i].source == COUNTER_SOURCE_HW
						    ? "packets were damaged or changed on the "
						      "way, but not by a link"
						    : more,
					    cases[i].counter, (unsigned long long)growth, window,
					    cases[i].limit, cases[i].from,
					    cases[i].source == COUNTER_SOURCE_HW ? share
										 : "the remedy");
		}
	}
}

/* A saturated one, next to one that does not grow, and to one that does. */
static void damage_that_is_full(void **state)
{
	struct bed *bed = *state;

	bed->facts.growth->seconds = 60;
	forget(bed);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "link_error_recoveries", 1, 1, GROWTH_KNOWN);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "symbol_errors", 9, 9, GROWTH_SATURATED);
	bed_run(bed, CHECK_ID_link_errors);
	assert_told(bed, "note mlx5_0/1: error counters are at their maximum, so growth cannot be "
			 "seen | symbol_errors is at its maximum and no longer counts -> clear "
			 "them, then look again: rdmactl perf --via mlx5_0/1 --errors --reset\n");
	bed->facts.growth->after.items[0].value = 2;
	bed_run(bed, CHECK_ID_link_errors);
	assert_told(bed,
		    "note mlx5_0/1: the link has a few errors, below the limits | symbol_errors is "
		    "at its maximum and no longer counts; link_error_recoveries +1 in 60.0 s "
		    "(limit 5 per minute) < ports/N/counters -> the remedy\n");
}

/* A link with errors precedes problems beyond it; a few errors do not. */
static void damage_elsewhere(void **state)
{
	struct bed *bed = *state;

	bed->facts.growth->seconds = 60;
	forget(bed);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_HW, "rx_icrc_errors", 1, 2, GROWTH_KNOWN);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "symbol_errors", 1, 12, GROWTH_KNOWN);
	bed_run(bed, CHECK_ID_link_errors);
	assert_told(bed, "warning mlx5_0/1: the link has more errors than its standard allows | "
			 "symbol_errors +11 in 60.0 s (limit 120 per hour); rx_icrc_errors +1 in "
			 "60.0 s (limit 0) < ports/N/counters, ports/N/hw_counters -> the "
			 "remedy\n");
	forget(bed);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_HW, "rx_icrc_errors", 1, 2, GROWTH_KNOWN);
	grow(bed, "mlx5_0/1", COUNTER_SOURCE_PMA, "symbol_errors", 1, 2, GROWTH_KNOWN);
	bed_run(bed, CHECK_ID_link_errors);
	assert_told(bed, "warning mlx5_0/1: packets were damaged or changed on the way, but not by "
			 "a link | symbol_errors +1 in 60.0 s (limit 120 per hour); rx_icrc_errors "
			 "+1 in 60.0 s (limit 0) < ports/N/counters, ports/N/hw_counters -> find "
			 "what the paths of these packets share, a switch or an adapter: no cable "
			 "does this\n");
}

/* 0x8000 is full membership; the rest of the key is the partition. */
static void partitions(void **state)
{
	static const struct {
		const char *keys[7];
		const char *told;
	} cases[] = {
		{{"0xffff"}, "ok mlx5_0/1: the port is a full member of a partition | 0xffff"},
		{{"0x0000", "0x7fff", "0x8000", "0x8001", "0xffff"},
		 "ok mlx5_0/1: the port is a full member of a partition | 0x7fff, 0x8001"},
		{{"0x7fff", "0x0000", "0x0001"},
		 "warning mlx5_0/1: the port is a limited member of all its partitions | 0x7fff, "
		 "0x0001"},
		{{"0x1", "0x2", "0x3", "0x4", "0x5"},
		 "warning mlx5_0/1: the port is a limited member of all its partitions | 0x0001, "
		 "0x0002, 0x0003, 0x0004"},
		{{"0x0000", "0x8000", "0x0000"},
		 "error mlx5_0/1: the port is in no partition | all keys are 0"},
	};
	struct bed *bed = *state;
	char path[96];

	bed_run(bed, CHECK_ID_pkey);
	assert_told(bed, "%s", "");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_delete(&bed->tree, PORT "pkeys");
		for (size_t j = 0; cases[i].keys[j]; j++) {
			snprintf(path, sizeof(path), PORT "pkeys/%zu", j);
			tree_write(&bed->tree, path, cases[i].keys[j]);
		}
		bed_run(bed, CHECK_ID_pkey);
		assert_told(bed, "%s < ports/N/pkeys%s\n", cases[i].told,
			    *cases[i].told == 'o' ? "" : " -> the remedy");
	}
	tree_write(&bed->tree, PORT "pkeys/1", "0x10000");
	bed_run(bed, CHECK_ID_pkey);
	assert_told(bed,
		    "not-checked mlx5_0/1: the P_Key table cannot be read | %s < ports/N/pkeys\n"
		    "unread mlx5_0/1: the P_Key table < ports/N/pkeys: %s\n",
		    strerror(EBADMSG), strerror(EBADMSG));
	bed->facts.inventory.devices.items[0].ports[0].state = number_of(PORT_STATE_DOWN);
	bed_run(bed, CHECK_ID_pkey);
	assert_told(bed, "not-checked mlx5_0/1: a port that is not active has no partitions yet\n");
}

static void look_for_filters(struct bed *bed, const char *modules)
{
	free(bed->facts.filters);
	bed->facts.filters = NULL;
	bed->facts.filters_were_read = false;
	if (modules)
		tree_write(&bed->tree, "proc/modules", modules);
	bed_run(bed, CHECK_ID_firewall);
}

static void packet_filters(void **state)
{
	struct bed *bed = *state;
	struct device *device = &bed->facts.inventory.devices.items[0];
	struct doctor_result *result;

	device->software = true;
	free(device->driver);
	device->driver = mem_string("rdma_rxe");
	assert_true(doctor_check(CHECK_ID_firewall)->applies(&bed->run));
	look_for_filters(bed, NULL);
	assert_told(bed, "not-checked mlx5_0: a saved tree does not hold the loaded modules needs "
			 "2\n");
	bed->facts.inventory.answers = true;
	look_for_filters(bed, NULL);
	assert_told(bed,
		    "not-checked mlx5_0: the loaded modules cannot be read | %s < /proc/modules\n"
		    "unread mlx5_0: the loaded modules < /proc/modules: %s\n",
		    strerror(ENOENT), strerror(ENOENT));
	look_for_filters(bed, "nf_tables_set 1 0 - Live 0x0\nx_tables 2 0 - Live 0x0");
	/* A container may lack modules.builtin while the kernel has nf_tables. */
	assert_told(bed, "not-checked mlx5_0: no packet filter is loaded; whether one is built "
			 "into the kernel is not known | neither nf_tables nor an iptables table; "
			 "no modules.builtin < /proc/modules\n");
	doctor_stack_free(bed->facts.stack);
	bed->facts.stack = NULL;
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.1");
	tree_write(&bed->tree, "lib/modules/6.1/modules.builtin", "kernel/lib/crc32.ko\n");
	look_for_filters(bed, NULL);
	assert_told(bed,
		    "ok mlx5_0: the kernel has no nftables or iptables packet filter | neither "
		    "nf_tables nor an iptables table, loaded or built in < /proc/modules\n");
	/* nft does not show the contents of the older tables. */
	look_for_filters(bed, "iptable_security 1 0 - Live 0x0");
	assert_string_equal(
		bed->results.items[0].finding.next_step,
		"as root: iptables-legacy-save; ip6tables-legacy-save (or without -legacy), and "
		"see what the chains of input and output do with udp dport 4791");
	free(doctor_told(&bed->results, &bed->problems));
	look_for_filters(bed, "ebtable_filter 1 0 - Live 0x0\nnf_tables 372736 0 - Live 0x0");
	assert_int_equal(bed->results.count, 1);
	result = &bed->results.items[0];
	assert_string_equal(result->finding.evidence,
			    "in the kernel: nf_tables, ebtable_filter; the device needs UDP port "
			    "4791");
	assert_string_equal(result->finding.next_step,
			    "as root: nft list ruleset; iptables-legacy-save; "
			    "ip6tables-legacy-save (or without -legacy), and see what the chains "
			    "of input and output do with udp dport 4791");
	assert_string_equal(result->finding.summary,
			    "the kernel has a packet filter; whether it drops the packets of the "
			    "device is not known");
	assert_false(result->needs.known);
	free(doctor_told(&bed->results, &bed->problems));
	free(device->driver);
	device->driver = mem_string("siw");
	assert_true(doctor_check(CHECK_ID_firewall)->applies(&bed->run));
	look_for_filters(bed, NULL);
	result = &bed->results.items[0];
	assert_string_equal(result->finding.evidence,
			    "in the kernel: nf_tables, ebtable_filter; the device needs the TCP "
			    "ports of its connections");
	assert_string_equal(
		result->finding.next_step,
		"as root: nft list ruleset; iptables-legacy-save; ip6tables-legacy-save (or "
		"without -legacy), and see what the chains of input and output do with tcp");
	free(doctor_told(&bed->results, &bed->problems));
	look_for_filters(bed, "nf_tables 372736 0 - Live 0x0");
	assert_string_equal(bed->results.items[0].finding.next_step,
			    "as root: nft list ruleset, and see what the chains of input and "
			    "output do with tcp");
	device->software = false;
	assert_false(doctor_check(CHECK_ID_firewall)->applies(&bed->run));
	device->software = true;
	free(device->driver);
	device->driver = NULL;
	assert_false(doctor_check(CHECK_ID_firewall)->applies(&bed->run));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(flaps),
		TEST(carriers),
		TEST(damage),
		TEST(damage_that_is_full),
		TEST(damage_elsewhere),
		TEST(partitions),
		TEST(packet_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
