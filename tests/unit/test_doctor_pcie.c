/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of an adapter's PCIe link, settings, NUMA node and temperature, at each limit, on a
 * function below a port; and whether its errors are counted.
 */
#include <errno.h>

#include "doctor/frame/growth.h"
#include "doctor_bed.h"
#include "host/object.h"

#define PORT	 "sys/devices/pci0000:00/0000:00:01.0"
#define FUNCTION PORT "/0000:01:00.0"

static void put_link(struct bed *bed, const char *directory, const char *speed, const char *width,
		     const char *max_speed, const char *max_width)
{
	const char *const files[] = {"current_link_speed", "current_link_width", "max_link_speed",
				     "max_link_width"};
	const char *const texts[] = {speed, width, max_speed, max_width};
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
		if (texts[i])
			tree_write(&bed->tree, path, texts[i]);
		else
			tree_delete(&bed->tree, path);
	}
}

static int set_up(void **state)
{
	struct device *device;
	struct port *port;
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	tree_write(&bed->tree, FUNCTION "/vendor", "0x15b3");
	tree_on_bus(&bed->tree, "pci0000:00/0000:00:01.0");
	tree_on_bus(&bed->tree, "pci0000:00/0000:00:01.0/0000:01:00.0");
	device = device_list_add(&bed->facts.inventory.devices, "mlx5_0");
	device->pci_address = mem_string("0000:01:00.0");
	port = device_add_port(device, 1);
	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	port->state = number_of(PORT_STATE_ACTIVE);
	bed->run.device = device;
	return 0;
}

/* Reads the functions again, and runs the check; NULL: it does not apply. */
static const struct doctor_result *run(struct bed *bed, enum doctor_check_id id)
{
	const size_t before = bed->results.count;

	pci_list_clear(&bed->facts.pci);
	bed->facts.pci = (struct pci_list){.items = NULL};
	bed->facts.pci_was_read = false;
	doctor_pci(&bed->facts);
	assert_int_equal(bed->facts.pci_rc, 0);
	bed->run.function = pci_list_find(&bed->facts.pci, "0000:01:00.0");
	assert_non_null(bed->run.function);
	bed_run(bed, id);
	return bed->results.count > before ? bed_last(bed) : NULL;
}

static void expect(struct bed *bed, enum doctor_check_id id, enum severity verdict,
		   const char *summary)
{
	bed_assert(run(bed, id), verdict, summary);
}

/* Speed or width, at either end: the best that both support is expected. */
static void links(void **state)
{
	static const char fine[] =
		"the PCIe links run as fast and as wide as both of their ends can";
	static const char slow[] = "a PCIe link runs below what both of its ends can do";
	static const char slot[] = "the slot can do less than the adapter";
	static const struct {
		const char *speed, *width, *max_speed, *max_width, *port_speed, *port_width;
		enum severity verdict;
		const char *summary;
	} cases[] = {
		{"16.0 GT/s", "16", "16.0 GT/s", "16", "16.0 GT/s", "16", SEVERITY_OK, fine},
		{"16.0 GT/s", "16", "16.0 GT/s", "16", "32.0 GT/s", "16", SEVERITY_OK, fine},
		{"8.0 GT/s", "16", "16.0 GT/s", "16", "16.0 GT/s", "16", SEVERITY_WARNING, slow},
		{"16.0 GT/s", "8", "16.0 GT/s", "16", "16.0 GT/s", "16", SEVERITY_WARNING, slow},
		{"8.0 GT/s", "16", "16.0 GT/s", "16", "8.0 GT/s", "16", SEVERITY_NOTICE, slot},
		{"16.0 GT/s", "8", "16.0 GT/s", "16", "16.0 GT/s", "8", SEVERITY_NOTICE, slot},
		{"8.0 GT/s", "8", "16.0 GT/s", "16", NULL, NULL, SEVERITY_NOTICE,
		 "the PCIe link runs below what the adapter can do; the port above it may be the "
		 "limit, but what it can do is not known"},
		{"16.0 GT/s", "16", "16.0 GT/s", "16", NULL, NULL, SEVERITY_OK, fine},
		{"16.0 GT/s", NULL, "16.0 GT/s", "16", "16.0 GT/s", "16", SEVERITY_INFO,
		 "the PCIe link does not report its speed and width"},
		{NULL, NULL, NULL, NULL, NULL, NULL, SEVERITY_INFO,
		 "the function has no PCIe link attributes (an old kernel or card, or a virtual "
		 "machine)"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_link(bed, FUNCTION, cases[i].speed, cases[i].width, cases[i].max_speed,
			 cases[i].max_width);
		put_link(bed, PORT, NULL, NULL, cases[i].port_speed, cases[i].port_width);
		expect(bed, CHECK_ID_pcie_link, cases[i].verdict, cases[i].summary);
		assert_false(bed_last(bed)->needs.known);
	}
}

static void rate(struct bed *bed, double gbps, const char *speed, enum severity verdict,
		 const char *summary)
{
	struct port *port = &bed->facts.inventory.devices.items[0].ports[0];

	port->rate_gbps = real_of(gbps);
	free(port->speed);
	port->speed = mem_string_or_null(speed);
	expect(bed, CHECK_ID_pcie_enough, verdict, summary);
}

/* 2.5 GT/s x16 carry 32 Gb/s of data; up to QDR, two of ten bits of a port's rate are coding. */
static void enough(void **state)
{
	static const char fine[] = "the PCIe links can carry what the ports can send";
	static const char less[] = "the PCIe links carry less than a port can send";
	static const char one[] =
		"the PCIe links can carry one port, but not all ports of the card at once";
	struct bed *bed = *state;
	struct port *second;

	put_link(bed, FUNCTION, "2.5 GT/s", "16", "2.5 GT/s", "16");
	rate(bed, 32, "EDR", SEVERITY_OK, fine);
	rate(bed, 32.5, "EDR", SEVERITY_WARNING, less);
	rate(bed, 40, "QDR", SEVERITY_OK, fine);
	rate(bed, 40.5, "QDR", SEVERITY_WARNING, less);
	rate(bed, 40, "DDR", SEVERITY_OK, fine);
	rate(bed, 40, "SDR", SEVERITY_OK, fine);
	rate(bed, 40, "FDR", SEVERITY_WARNING, less);
	rate(bed, 40, NULL, SEVERITY_WARNING, less);
	bed->facts.inventory.devices.items[0].ports[0].link_layer = number_of(LINK_LAYER_ETHERNET);
	rate(bed, 40, "QDR", SEVERITY_WARNING, less);
	/* Two ports of one card: each alone, and both together. */
	second = device_add_port(&bed->facts.inventory.devices.items[0], 2);
	second->link_layer = number_of(LINK_LAYER_ETHERNET);
	second->state = number_of(PORT_STATE_ACTIVE);
	second->rate_gbps = real_of(16);
	rate(bed, 16, NULL, SEVERITY_OK, fine);
	second->rate_gbps = real_of(16.5);
	rate(bed, 16, NULL, SEVERITY_NOTICE, one);
	rate(bed, 32, NULL, SEVERITY_NOTICE, one);
	second->state = number_of(PORT_STATE_DOWN);
	rate(bed, 32, NULL, SEVERITY_OK, fine);
	/* The first port does not count, and the second one does. */
	bed->facts.inventory.devices.items[0].ports[0].state = number_of(PORT_STATE_DOWN);
	second = &bed->facts.inventory.devices.items[0].ports[1];
	second->state = number_of(PORT_STATE_ACTIVE);
	rate(bed, 99, NULL, SEVERITY_OK, fine);
	second->rate_gbps = real_of(32.5);
	rate(bed, 99, NULL, SEVERITY_WARNING, less);
	second->state = number_of(PORT_STATE_DOWN);
	rate(bed, 32, NULL, SEVERITY_INFO,
	     "no port is active, so the rate that is needed is not known");
	put_link(bed, FUNCTION, NULL, "16", NULL, NULL);
	rate(bed, 32, NULL, SEVERITY_INFO, "the bandwidth of the PCIe link is not known");
}

/* A list of NUMA nodes, and how many it has. */
static void nodes(void **state)
{
	static const struct {
		const char *online;
		enum severity verdict;
	} cases[] = {
		{"0", SEVERITY_OK},	  {"7", SEVERITY_OK},	{"0-1", SEVERITY_NOTICE},
		{"0,2", SEVERITY_NOTICE}, {"1-1", SEVERITY_OK}, {"1-0", SEVERITY_INFO},
		{"0-", SEVERITY_INFO},	  {"x", SEVERITY_INFO}, {"-1", SEVERITY_INFO},
		{"0,x", SEVERITY_INFO},	  {",", SEVERITY_INFO}, {"65536", SEVERITY_INFO},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&bed->tree, "sys/devices/system/node/online", cases[i].online);
		if (run(bed, CHECK_ID_numa_known)->finding.severity.value != cases[i].verdict)
			fail_msg("%s: %s", cases[i].online, bed_last(bed)->finding.summary);
	}
	tree_write(&bed->tree, FUNCTION "/numa_node", "1");
	expect(bed, CHECK_ID_numa_known, SEVERITY_OK, "the NUMA node is known");
}

static void put_sensor(struct bed *bed, unsigned int number, const char *input, const char *crit)
{
	char path[128];

	snprintf(path, sizeof(path), FUNCTION "/hwmon/hwmon3/temp%u_input", number);
	tree_write(&bed->tree, path, input);
	snprintf(path, sizeof(path), FUNCTION "/hwmon/hwmon3/temp%u_crit", number);
	if (crit)
		tree_write(&bed->tree, path, crit);
}

/* At the critical temperature, five degrees below it, and below that; in millidegrees. */
static void temperatures(void **state)
{
	static const struct {
		const char *input, *crit;
		enum severity verdict;
		const char *summary;
	} cases[] = {
		{"105000", "105000", SEVERITY_ERROR, "the adapter is too hot"},
		{"104999", "105000", SEVERITY_WARNING, "the adapter is nearly too hot"},
		{"100000", "105000", SEVERITY_WARNING, "the adapter is nearly too hot"},
		{"1", "1", SEVERITY_ERROR, "the adapter is too hot"},
		{"0", "0", SEVERITY_INFO, "no sensor has both a temperature and a limit"},
		{"hot", "105000", SEVERITY_INFO, "the temperature cannot be read"},
	};
	struct bed *bed = *state;

	assert_null(run(bed, CHECK_ID_temperature));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_sensor(bed, 1, cases[i].input, cases[i].crit);
		expect(bed, CHECK_ID_temperature, cases[i].verdict, cases[i].summary);
	}
	put_sensor(bed, 1, "99999", "105000");
	tree_write(&bed->tree, FUNCTION "/hwmon/hwmon3/temp1_label", "asic");
	assert_int_equal(run(bed, CHECK_ID_temperature)->finding.severity.value, SEVERITY_OK);
	assert_string_equal(bed_last(bed)->finding.evidence, "asic 100 degrees C, critical at 105");
	/* The hottest sensor counts, wherever it is; one without a limit does not. */
	put_sensor(bed, 2, "300000", NULL);
	assert_int_equal(run(bed, CHECK_ID_temperature)->finding.severity.value, SEVERITY_OK);
	put_sensor(bed, 3, "80000", "70000");
	put_sensor(bed, 4, "20000", "70000");
	expect(bed, CHECK_ID_temperature, SEVERITY_ERROR, "the adapter is too hot");
}

#define SERVICES "sys/bus/pci_express/devices"

/* Both readings of the live system, which here is the tree. */
static const struct doctor_result *read_twice(struct bed *bed)
{
	doctor_growth_free(bed->facts.growth);
	bed->facts.growth = NULL;
	bed->request = (struct doctor_request){.objects = &(struct objects){.count = 0},
					       .interval_msec = 1};
	bed->request.run[CHECK_ID_pcie_errors] = true;
	assert_int_equal(doctor_growth_load(&bed->facts), 0);
	return run(bed, CHECK_ID_pcie_errors);
}

/* Counters that nobody increments do not prove health: get_port_device_capability(), portdrv.c. */
static void errors_of_the_firmware(void **state)
{
	const char *unknown = "the kernel does not handle PCIe errors here, so its counters may "
			      "stand still";
	struct bed *bed = *state;

	bed->facts.root.live = bed->facts.root.below = true;
	tree_write(&bed->tree, FUNCTION "/aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 0\n");
	bed_assert(read_twice(bed), SEVERITY_INFO, unknown);
	assert_non_null(strstr(bed_last(bed)->finding.evidence, "0000:00:01.0 has no AER service"));
	/* Other services, of this port or another one. */
	tree_link(&bed->tree, SERVICES "/0000:00:01.0:pcie001/driver", "../pcie_pme");
	tree_link(&bed->tree, SERVICES "/0000:00:02.0:pcie002/driver", "../aer");
	tree_directory(&bed->tree, SERVICES "/0000:00:01.0:pcie002");
	bed_assert(read_twice(bed), SEVERITY_INFO, unknown);
	tree_link(&bed->tree, SERVICES "/0000:00:01.0:pcie002/driver", "../aer");
	bed_assert(read_twice(bed), SEVERITY_OK, "no PCIe error counter grew");
	/* In a virtual machine, the host receives the errors. */
	tree_write(&bed->tree, PORT "/vendor", "0x1b36");
	tree_write(&bed->tree, PORT "/device", "0x000c");
	bed_assert(read_twice(bed), SEVERITY_INFO, unknown);
	assert_string_equal(bed_last(bed)->finding.next_step,
			    "run the check on the host of this virtual machine");
	tree_write(&bed->tree, PORT "/vendor", "0x8086");
	bed_assert(read_twice(bed), SEVERITY_OK, "no PCIe error counter grew");
	tree_delete(&bed->tree, FUNCTION "/aer_dev_fatal");
	bed_assert(read_twice(bed), SEVERITY_INFO, "no function on the path counts PCIe errors");
}

/* A root complex integrated endpoint has no port above it, but may have an event collector. */
static void errors_of_the_root_complex(void **state)
{
	struct bed *bed = *state;

	bed->facts.root.live = bed->facts.root.below = true;
	tree_delete(&bed->tree, "sys/bus/pci/devices/0000:01:00.0");
	tree_write(&bed->tree, "sys/devices/pci0000:01/0000:01:00.0/vendor", "0x15b3");
	tree_on_bus(&bed->tree, "pci0000:01/0000:01:00.0");
	tree_write(&bed->tree, "sys/devices/pci0000:01/0000:01:00.0/aer_dev_fatal", "DLP 0\n");
	tree_link(&bed->tree, SERVICES "/0000:01:00.0:pcie002/driver", "../aer");
	tree_directory(&bed->tree, SERVICES "/0000:01:1f.0:pcie602");
	assert_int_equal(read_twice(bed)->finding.severity.value, SEVERITY_INFO);
	tree_link(&bed->tree, SERVICES "/0000:01:1f.0:pcie602/driver", "../aer");
	bed_assert(read_twice(bed), SEVERITY_OK, "no PCIe error counter grew");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(links),
		TEST(enough),
		TEST(nodes),
		TEST(temperatures),
		TEST(errors_of_the_firmware),
		TEST(errors_of_the_root_complex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
