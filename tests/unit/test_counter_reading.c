/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Readings of counters: what they consist of, and how they are loaded from a saved tree. */
#include "made_up_snapshot.h"

#include <linux/if_link.h>

#include <sys/resource.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "counter/counter_rounds.h"
#include "counter/pma_probe.h"

#define CLASS "sys/class/infiniband/"
#define PORT  CLASS "mlx5_0/ports/1/"

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct counter_loader *loader;
	struct counter_readings readings;
	struct problems problems;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static void forget(struct bed *bed)
{
	counter_readings_clear(&bed->readings);
	counter_loader_free(bed->loader);
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	forget(bed);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* As in the command, with every source. */
static void open_loader(struct bed *bed, unsigned int sources,
			bool (*wants)(const void *, enum counter_source, const char *,
				      const struct counter_name *),
			bool once)
{
	const struct objects objects = {0};
	const struct inventory_request request = {
		.root = bed->tree.path,
		.needs = COUNTERS_NEEDS_NETDEV,
		.objects = &objects,
	};
	const struct counters_request counters = {
		.root = bed->tree.path,
		.inventory = &bed->inventory,
		.sources = sources,
		.wants = wants,
		.once = once,
	};

	assert_int_equal(inventory_load(&bed->inventory, &request, NULL, NULL), 0);
	assert_int_equal(counter_loader_open(&counters, &bed->loader), 0);
}

static void load_some(struct bed *bed, unsigned int sources,
		      bool (*wants)(const void *, enum counter_source, const char *,
				    const struct counter_name *),
		      bool once)
{
	open_loader(bed, sources, wants, once);
	counter_loader_read(bed->loader, &bed->readings, &bed->problems, NULL);
}

static void load(struct bed *bed, unsigned int sources,
		 bool (*wants)(const void *, enum counter_source, const char *,
			       const struct counter_name *))
{
	load_some(bed, sources, wants, false);
}

/* Whether the first port of a device has counters. */
static bool does_count(const struct bed *bed, size_t which)
{
	const struct device *device = &bed->inventory.devices.items[which];

	return counter_loader_counts(bed->loader, device, &device->ports[0]);
}

static const struct counter_reading *find(const struct bed *bed, const char *object,
					  const char *kernel_name)
{
	for (size_t i = 0; i < bed->readings.count; i++) {
		const struct counter_reading *reading = &bed->readings.items[i];
		char *name = counter_reading_object(reading);
		bool same = !strcmp(name, object) && !strcmp(reading->kernel_name, kernel_name);

		free(name);
		if (same)
			return reading;
	}
	fail_msg("%s has no %s", object, kernel_name);
	return NULL;
}

static struct counter_reading reading_of(const char *name, uint64_t value)
{
	struct counter_reading reading = {
		.source = COUNTER_SOURCE_PMA,
		.name = counter_name_find_in(COUNTER_SOURCE_PMA, name),
		.kernel_name = name,
		.counter = name,
	};

	counter_reading_set(&reading, value);
	return reading;
}

static void factors_and_widths(void **state)
{
	static const struct {
		const char *name;
		uint64_t kernel, value;
		bool saturated;
		unsigned int bits;
	} some[] = {
		{"port_xmit_data", 3, 12, false, 0},
		{"port_xmit_data", UINT32_MAX, 4 * (uint64_t)UINT32_MAX, true, 32},
		{"port_xmit_data", UINT32_MAX - UINT64_C(1), 4 * (UINT32_MAX - UINT64_C(1)), false,
		 0},
		{"port_xmit_data", UINT32_MAX + UINT64_C(1), 4 * (UINT32_MAX + UINT64_C(1)), false,
		 64},
		{"port_xmit_data", UINT64_MAX, UINT64_MAX, true, 64},
		{"port_xmit_data", UINT64_MAX / 4, UINT64_MAX - 3, false, 64},
		{"port_xmit_data", UINT64_MAX / 4 + 1, UINT64_MAX, true, 64},
		{"port_rcv_packets", UINT64_MAX, UINT64_MAX, true, 64},
		{"unicast_rcv_packets", UINT32_MAX, UINT32_MAX, false, 64},
		{"link_downed", 254, 254, false, 8},
		{"link_downed", 255, 255, true, 8},
		{"link_downed", 256, 256, true, 8},
		{"local_link_integrity_errors", 15, 15, true, 4},
		{"nobody_knows", UINT64_MAX, UINT64_MAX, false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(some); i++) {
		const struct counter_reading reading = reading_of(some[i].name, some[i].kernel);

		assert_true(reading.value.known);
		assert_int_equal(reading.value.value, some[i].value);
		assert_int_equal(reading.saturated, some[i].saturated);
		assert_int_equal(reading.width_bits, some[i].bits);
	}
}

static void told_to_have_64_bits(void **state)
{
	struct counter_reading reading = reading_of("port_xmit_data", 0);

	(void)state;
	reading.width_bits = 64;
	counter_reading_set(&reading, UINT32_MAX);
	assert_false(reading.saturated);
	assert_int_equal(reading.width_bits, 64);
}

static void growth(void **state)
{
	const struct counter_reading few = reading_of("link_downed", 3);
	const struct counter_reading more = reading_of("link_downed", 10);
	const struct counter_reading full = reading_of("link_downed", 255);
	struct counter_reading gauge = more, unknown = more;

	(void)state;
	assert_int_equal(counter_reading_growth(&few, &more).value, 7);
	assert_true(counter_reading_growth(&few, &few).known);
	assert_int_equal(counter_reading_growth(&few, &few).value, 0);
	assert_false(counter_reading_growth(&more, &few).known);
	assert_false(counter_reading_growth(&few, &full).known);
	gauge.name = counter_name_find("active_qps");
	assert_non_null(gauge.name);
	assert_false(counter_reading_growth(&few, &gauge).known);
	unknown.value.known = false;
	assert_false(counter_reading_growth(&few, &unknown).known);
	assert_false(counter_reading_growth(&unknown, &few).known);
}

static void the_same_counter(void **state)
{
	char name[] = "mlx5_0", other_name[] = "mlx5_1";
	struct device one = {.kernel_name = name}, other = {.kernel_name = other_name};
	struct port port = {.port = {1, true}}, second = {.port = {2, true}};
	struct counter_reading a = reading_of("link_downed", 1), b = a;

	(void)state;
	a.device = b.device = &one;
	a.port = b.port = &port;
	assert_true(!counter_reading_compare(&a, &b));
	b.port = &second;
	assert_false(!counter_reading_compare(&a, &b));
	b.port = NULL;
	assert_false(!counter_reading_compare(&a, &b));
	assert_false(!counter_reading_compare(&b, &a));
	b.port = &port;
	b.device = &other;
	assert_false(!counter_reading_compare(&a, &b));
	b.device = &one;
	b.source = COUNTER_SOURCE_HW;
	assert_false(!counter_reading_compare(&a, &b));
	b.source = a.source;
	b.kernel_name = "symbol_error";
	assert_false(!counter_reading_compare(&a, &b));
	b.kernel_name = "link_downed";
	b.netdev = "eth0";
	assert_false(!counter_reading_compare(&a, &b));
	a.netdev = "eth0";
	assert_true(!counter_reading_compare(&a, &b));
	a.netdev = "eth1";
	assert_false(!counter_reading_compare(&a, &b));
}

static void write_port(struct bed *bed)
{
	tree_write(&bed->tree, PORT "link_layer", "InfiniBand");
	tree_write(&bed->tree, PORT "counters/symbol_error", "3");
	tree_write(&bed->tree, PORT "counters/port_rcv_data", "10");
	tree_write(&bed->tree, PORT "counters/link_downed", "N/A (no PMA)");
	tree_write(&bed->tree, PORT "counters/port_rcv_errors", "N/A (no PMA)");
	tree_link(&bed->tree, PORT "counters/VL15_dropped", "!EINVAL");
	tree_write(&bed->tree, PORT "hw_counters/zebra", "1");
	tree_write(&bed->tree, PORT "hw_counters/out_of_sequence", "7");
	tree_write(&bed->tree, PORT "hw_counters/aardvark10", "2");
	tree_write(&bed->tree, PORT "hw_counters/aardvark9", "3");
	tree_write(&bed->tree, PORT "hw_counters/lifespan", "10");
	tree_write(&bed->tree, PORT "cm_tx_msgs/req", "5");
	tree_write(&bed->tree, PORT "cm_rx_duplicates/req", "6");
	tree_write(&bed->tree, CLASS "mlx5_0/hw_counters/cmds_err", "8");
	tree_write(&bed->tree, CLASS "mlx5_0/hw_counters/lifespan", "10");
}

static void loading(void **state)
{
	static const char *const order[] = {
		"cmds_err",	   "port_rcv_data", "symbol_error",    "link_downed",
		"port_rcv_errors", "VL15_dropped",  "out_of_sequence", "aardvark9",
		"aardvark10",	   "zebra",	    "cm_tx_msgs/req",  "cm_rx_duplicates/req",
	};
	struct bed *bed = *state;

	write_port(bed);
	load(bed, COUNTERS_ALL_SOURCES, NULL);
	assert_int_equal(bed->readings.count, ARRAY_SIZE(order));
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		assert_string_equal(bed->readings.items[i].kernel_name, order[i]);
	assert_int_equal(find(bed, "mlx5_0/1", "port_rcv_data")->value.value, 40);
	assert_string_equal(find(bed, "mlx5_0/1", "port_rcv_data")->counter, "rx_bytes");
	assert_null(find(bed, "mlx5_0", "cmds_err")->port);
	assert_int_equal(find(bed, "mlx5_0", "cmds_err")->source, COUNTER_SOURCE_DEVICE);
	assert_null(find(bed, "mlx5_0/1", "zebra")->name);
	assert_string_equal(find(bed, "mlx5_0/1", "zebra")->counter, "zebra");
	assert_string_equal(find(bed, "mlx5_0/1", "link_downed")->problem, "N/A (no PMA)");
	assert_false(find(bed, "mlx5_0/1", "link_downed")->value.known);
	assert_int_equal(find(bed, "mlx5_0/1", "link_downed")->width_bits, 8);
	assert_string_equal(find(bed, "mlx5_0/1", "VL15_dropped")->problem, strerror(EINVAL));
	assert_true(find(bed, "mlx5_0/1", "zebra")->taken_nsec > 0);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[0].attribute, "2 counters (pma)");
	assert_string_equal(bed->problems.items[0].error, "N/A (no PMA)");
	assert_string_equal(bed->problems.items[1].attribute, "vl15_dropped");
	assert_true(does_count(bed, 0));
}

static void a_second_round(void **state)
{
	struct bed *bed = *state;
	struct counter_readings again = {0};

	write_port(bed);
	load(bed, COUNTERS_ALL_SOURCES, NULL);
	tree_write(&bed->tree, PORT "counters/symbol_error", "5");
	tree_write(&bed->tree, PORT "counters/link_downed", "1");
	counter_loader_read(bed->loader, &again, NULL, NULL);
	assert_int_equal(again.count, bed->readings.count);
	for (size_t i = 0; i < again.count; i++)
		assert_true(!counter_reading_compare(&again.items[i], &bed->readings.items[i]));
	assert_int_equal(counter_reading_growth(&bed->readings.items[2], &again.items[2]).value, 2);
	assert_false(counter_reading_growth(&bed->readings.items[3], &again.items[3]).known);
	assert_true(again.items[3].value.known);
	counter_readings_clear(&again);
}

static void the_port_goes_away(void **state)
{
	struct bed *bed = *state;
	char path[2 * PATH_MAX];

	write_port(bed);
	load(bed, 1 << COUNTER_SOURCE_PMA, NULL);
	assert_int_equal(bed->readings.count, 5);
	snprintf(path, sizeof(path), "%s/" PORT "counters/symbol_error", bed->tree.path);
	assert_int_equal(unlink(path), 0);
	counter_readings_clear(&bed->readings);
	counter_loader_read(bed->loader, &bed->readings, NULL, NULL);
	assert_int_equal(bed->readings.count, 5);
	assert_string_equal(find(bed, "mlx5_0/1", "symbol_error")->problem, strerror(ENOENT));
}

static bool wants_link(const void *context, enum counter_source source, const char *kernel_name,
		       const struct counter_name *name)
{
	(void)context;
	(void)source;
	assert_non_null(kernel_name);
	return name && name->group == COUNTER_GROUP_LINK;
}

static void only_what_is_wanted(void **state)
{
	struct bed *bed = *state;

	write_port(bed);
	load(bed, COUNTERS_ALL_SOURCES, wants_link);
	assert_int_equal(bed->readings.count, 2);
	find(bed, "mlx5_0/1", "symbol_error");
	find(bed, "mlx5_0/1", "link_downed");
	/* VL15_dropped would be reported as a problem if it were read. */
	assert_int_equal(bed->problems.count, 1);
	assert_true(does_count(bed, 0));
}

/* bnxt_re has an agent since Linux 6.15, whose error counters are the driver's, truncated. */
static void the_agent_counts_it_too(void **state)
{
	static const char *const own[] = {"symbol_error", "tx_bytes", "tx_roce_discards"};
	struct bed *bed = *state;

	/* Counters of another port do not count for this one. */
	for (unsigned int port = 1; port <= 2; port++) {
		_cleanup_(freep) char *file = mem_format(CLASS "bnxt_re0/ports/%u/%s", port,
							 "counters/port_xmit_discards");
		_cleanup_(freep) char *bytes = mem_format(CLASS "bnxt_re0/ports/%u/%s", port,
							  "counters/port_xmit_data");

		tree_write(&bed->tree, file, "44");
		tree_write(&bed->tree, bytes, "250");
	}
	tree_write(&bed->tree, CLASS "bnxt_re0/ports/1/counters/symbol_error", "0");
	tree_write(&bed->tree, CLASS "bnxt_re0/ports/1/hw_counters/tx_roce_discards", "300");
	tree_write(&bed->tree, CLASS "bnxt_re0/ports/1/hw_counters/tx_bytes", "1000");
	load_some(bed, COUNTERS_ALL_SOURCES, NULL, true);
	assert_int_equal(bed->readings.count, ARRAY_SIZE(own) + 2);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		assert_string_equal(bed->readings.items[i].kernel_name, own[i]);
	assert_int_equal(bed->readings.items[2].value.value, 300);
	assert_int_equal(find(bed, "bnxt_re0/2", "port_xmit_discards")->value.value, 44);
	assert_int_equal(find(bed, "bnxt_re0/2", "port_xmit_data")->value.value, 1000);
}

/* Two samples of one series would make Prometheus' parsers refuse the page. */
static void both_folders_of_a_driver(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, CLASS "mlx4_0/hw_counters/rq_num_lle", "3");
	tree_write(&bed->tree, CLASS "mlx4_0/diag_counters/rq_num_lle", "4");
	tree_write(&bed->tree, CLASS "mlx4_0/diag_counters/num_baddb", "5");
	tree_write(&bed->tree, CLASS "mlx4_0/ports/1/hw_counters/rq_num_lle", "6");
	tree_write(&bed->tree, CLASS "mlx4_0/ports/1/hw_counters/rq_num_oos", "7");
	tree_write(&bed->tree, CLASS "mlx4_0/ports/1/hw_counters/out_of_sequence", "8");
	load_some(bed, COUNTERS_ALL_SOURCES, NULL, true);
	assert_int_equal(bed->readings.count, 4);
	for (size_t i = 0; i < bed->readings.count; i++)
		for (size_t j = i + 1; j < bed->readings.count; j++)
			assert_false(bed->readings.items[i].port == bed->readings.items[j].port &&
				     !strcmp(bed->readings.items[i].counter,
					     bed->readings.items[j].counter));
	assert_int_equal(find(bed, "mlx4_0", "rq_num_lle")->value.value, 3);
	assert_int_equal(find(bed, "mlx4_0", "num_baddb")->value.value, 5);
	assert_int_equal(find(bed, "mlx4_0/1", "rq_num_lle")->value.value, 6);
}

/* A place that could not be listed for lack of descriptors is listed in the next round. */
static void listed_again(void **state)
{
	struct bed *bed = *state;
	struct rlimit before, few;
	size_t count;

	tree_write(&bed->tree, PORT "counters/VL15_dropped", "1");
	tree_write(&bed->tree, PORT "counters_ext/port_xmit_data", "2");
	tree_write(&bed->tree, PORT "hw_counters/out_of_buffer", "3");
	tree_write(&bed->tree, PORT "cm_tx_msgs/req", "4");
	tree_write(&bed->tree, PORT "cm_rx_duplicates/req", "5");
	load(bed, COUNTERS_ALL_SOURCES, NULL);
	count = bed->readings.count;
	assert_int_equal(count, 5);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	/* The fewer descriptors, the more places fail; in the end there are enough. */
	for (rlim_t more = 0; more < 8; more++) {
		int next;

		forget(bed);
		open_loader(bed, COUNTERS_ALL_SOURCES, NULL, false);
		next = dup(STDIN_FILENO);
		close(next);
		few = (struct rlimit){(rlim_t)next + more, before.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		counter_loader_read(bed->loader, &bed->readings, &bed->problems, NULL);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		assert_true(bed->readings.count == count || bed->problems.count);
		counter_readings_clear(&bed->readings);
		problems_free(&bed->problems);
		counter_loader_read(bed->loader, &bed->readings, &bed->problems, NULL);
		assert_int_equal(bed->readings.count, count);
		assert_int_equal(bed->problems.count, 0);
	}
}

/* Listing the counters shows those of both. */
static void both_are_counters(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, PORT "counters/port_xmit_data", "250");
	tree_write(&bed->tree, PORT "hw_counters/tx_bytes", "1000");
	load(bed, COUNTERS_ALL_SOURCES, NULL);
	assert_int_equal(bed->readings.count, 2);
}

static void nothing_is_counted(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, CLASS "siw0/ports/1/link_layer", "Ethernet");
	tree_write(&bed->tree, CLASS "siw0/ports/1/cm_tx_msgs/req", "5");
	tree_write(&bed->tree, CLASS "mlx5_0/ports/1/hw_counters", "a file");
	load(bed, COUNTERS_ALL_SOURCES, NULL);
	assert_string_equal(bed->inventory.devices.items[1].name, "siw0");
	assert_false(does_count(bed, 1));
	/* It is unknown which counters there are. */
	assert_true(does_count(bed, 0));
	assert_int_equal(bed->readings.count, 1);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].attribute, "counters (hw)");
}

static void the_netdev_of_a_port(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, PORT "link_layer", "Ethernet");
	tree_write(&bed->tree, PORT "gid_attrs/ndevs/0", "eth7");
	tree_write(&bed->tree, "sys/class/net/eth7/ifindex", "7");
	tree_write(&bed->tree, "sys/class/net/eth7/statistics/rx_dropped", "4");
	tree_write(&bed->tree, "sys/class/net/eth7/statistics/tx_bytes", "10");
	tree_write(&bed->tree, "sys/class/net/eth8/statistics/tx_bytes", "11");
	load(bed, COUNTERS_ALL_SOURCES, NULL);
	assert_int_equal(bed->readings.count, 2);
	assert_int_equal(find(bed, "eth7", "tx_bytes")->value.value, 10);
	assert_string_equal(find(bed, "eth7", "rx_dropped")->counter, "rx_discards");
	assert_string_equal(find(bed, "eth7", "rx_dropped")->device->name, "mlx5_0");
}

static void answer_statistics(struct made_up_snapshot *snapshot, uint32_t netdev, uint64_t packets)
{
	const struct if_stats_msg header = {.ifindex = netdev, .filter_mask = 1};
	struct bytes question = {0}, answer = {0};

	bytes_put(&question, &header, sizeof(header));
	snapshot_ask(snapshot, NETLINK_ROUTE, RTM_GETSTATS, NLM_F_REQUEST, &question);
	bytes_put(&answer, &header, sizeof(header));
	put_attribute(&answer, IFLA_STATS_LINK_64, &packets, sizeof(packets));
	snapshot_got(snapshot, RTM_NEWSTATS, 0, &answer);
	snapshot_end(snapshot);
}

/* Netlink reports the counters of netdevs whose index is known, and nothing else. */
static void netdevs_by_netlink(void **state)
{
	struct bed *bed = *state;
	struct made_up_snapshot snapshot = {.tree = bed->tree};
	const struct counters_request request = {.root = bed->tree.path,
						 .inventory = &bed->inventory,
						 .sources = COUNTERS_ALL_SOURCES};
	struct device *device = device_list_add(&bed->inventory.devices, "mlx5_0");

	snapshot_begin(&snapshot);
	answer_statistics(&snapshot, 0, 5);
	answer_statistics(&snapshot, 7, 6);
	answer_statistics(&snapshot, 11, 8);
	snapshot_write(&snapshot);
	free(text_buffer_take(&snapshot.file));
	for (unsigned int port = 1; port <= 3; port++) {
		struct port *one = device_add_port(device, port);

		one->netdev = mem_format("eth%u", port);
		number_set(&one->netdev_index, 5 + 2 * port);
	}
	device->ports[1].netdev_index = (struct number){.known = false};
	assert_int_equal(counter_loader_open(&request, &bed->loader), 0);
	counter_loader_read(bed->loader, &bed->readings, &bed->problems, NULL);
	assert_int_equal(bed->readings.count, 2);
	assert_int_equal(find(bed, "eth1", "rx_packets")->value.value, 6);
	assert_int_equal(find(bed, "eth3", "rx_packets")->value.value, 8);
}

/* A container that shares the devices does not see them, and RoCE may have none. */
static void hidden_in_a_container(void **state)
{
	struct bed *bed = *state;
	struct made_up_snapshot snapshot = {.tree = bed->tree};
	const struct counters_request request = {.root = bed->tree.path,
						 .inventory = &bed->inventory,
						 .sources = COUNTERS_ALL_SOURCES};
	struct device *device = device_list_add(&bed->inventory.devices, "mlx5_0");

	snapshot_begin(&snapshot);
	snapshot_write(&snapshot);
	free(text_buffer_take(&snapshot.file));
	for (unsigned int port = 1; port <= 4; port++) {
		_cleanup_(freep) char *directory = mem_format(
			"root/sys/class/infiniband/mlx5_0/ports/%u%s", port,
			port == 2 ? "/counters" : "");

		if (port < 4)
			tree_directory(&bed->tree, directory);
		device_add_port(device, port)->link_layer = number_of(
			port == 3 ? LINK_LAYER_ETHERNET : LINK_LAYER_INFINIBAND);
	}
	assert_int_equal(counter_loader_open(&request, &bed->loader), 0);
	counter_loader_read(bed->loader, &bed->readings, &bed->problems, NULL);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "mlx5_0/1");
	assert_string_equal(bed->problems.items[0].attribute, "counters (pma)");
	assert_string_equal(bed->problems.items[0].error,
			    "they exist only in the initial network namespace");
}

/* Its counter of 64 bits is in a different file from the one that was read already. */
static void extended_after_a_probe(void **state)
{
	struct bed *bed = *state;
	const struct objects objects = {0};
	const struct inventory_request request = {
		.root = bed->tree.path, .needs = NEED_DRIVER, .objects = &objects};
	const struct counters_request counters = {.root = bed->tree.path,
						  .inventory = &bed->inventory,
						  .sources = COUNTERS_ALL_SOURCES};

	tree_write(&bed->tree, PORT "counters/symbol_error", "3");
	tree_write(&bed->tree, PORT "counters/link_downed", "4");
	tree_write(&bed->tree, PORT "counters_ext/symbol_error", "70000");
	tree_write(&bed->tree, PORT "hw_counters/symbol_error", "5");
	tree_link(&bed->tree, CLASS "mlx5_0/device/driver", "/sys/bus/pci/drivers/mlx5_core");
	assert_int_equal(inventory_load(&bed->inventory, &request, NULL, NULL), 0);
	pma_leave_out_restricted(bed->tree.path, &bed->inventory.devices, &bed->problems);
	assert_int_equal(bed->inventory.devices.items[0].ports[0].symbol_errors.value, 3);
	assert_int_equal(counter_loader_open(&counters, &bed->loader), 0);
	counter_loader_read(bed->loader, &bed->readings, &bed->problems, NULL);
	assert_int_equal(bed->readings.count, 3);
	assert_int_equal(bed->readings.items[0].value.value, 70000);
	assert_int_equal(find(bed, "mlx5_0/1", "link_downed")->value.value, 4);
	assert_int_equal(bed->readings.items[2].value.value, 5);
}

/* Readings from before the first loader do not count for the next one. */
static void opened_again(void **state)
{
	struct bed *bed = *state;
	const struct objects objects = {0};
	const struct inventory_request request = {
		.root = bed->tree.path,
		.needs = COUNTERS_NEEDS_NETDEV | NEED_DRIVER,
		.objects = &objects,
	};
	const struct counters_request counters = {
		.root = bed->tree.path,
		.inventory = &bed->inventory,
		.sources = COUNTERS_ALL_SOURCES,
	};
	struct counter_rounds rounds;

	tree_write(&bed->tree, PORT "counters/symbol_error", "3");
	tree_link(&bed->tree, CLASS "mlx5_0/device/driver", "/sys/bus/pci/drivers/mlx5_core");
	assert_int_equal(inventory_load(&bed->inventory, &request, NULL, NULL), 0);
	pma_leave_out_restricted(bed->tree.path, &bed->inventory.devices, &bed->problems);
	assert_true(bed->inventory.devices.items[0].ports[0].symbol_errors.known);
	assert_int_equal(counter_loader_open(&counters, &bed->loader), 0);
	counter_rounds_begin(&rounds, &request, &counters, &bed->inventory, bed->loader,
			     &bed->problems);
	bed->loader = NULL;
	assert_false(counter_rounds_read(&rounds, false));
	assert_int_equal(rounds.readings.items[0].value.value, 3);
	tree_write(&bed->tree, PORT "counters/symbol_error", "10");
	counter_rounds_reopen(&rounds);
	assert_false(counter_rounds_read(&rounds, false));
	assert_int_equal(rounds.readings.items[0].value.value, 10);
	counter_rounds_end(&rounds);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(factors_and_widths),
		TEST(told_to_have_64_bits),
		TEST(growth),
		TEST(the_same_counter),
		TEST(loading),
		TEST(a_second_round),
		TEST(the_port_goes_away),
		TEST(only_what_is_wanted),
		TEST(the_agent_counts_it_too),
		TEST(both_are_counters),
		TEST(both_folders_of_a_driver),
		TEST(listed_again),
		TEST(nothing_is_counted),
		TEST(the_netdev_of_a_port),
		TEST(netdevs_by_netlink),
		TEST(hidden_in_a_container),
		TEST(extended_after_a_probe),
		TEST(opened_again),
	};

	return cmocka_run_group_tests_name("counter_reading", tests, NULL, NULL);
}
