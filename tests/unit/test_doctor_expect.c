/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A host compared with an expectation file: everything that is reported, what is excluded, which
 * findings an ignore entry covers, and the file that is learnt from a host.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "doctor/expect/expect.h"
#include "doctor/limits/limits.h"
#include "doctor_told.h"
#include "host/object.h"

#define FUNCTION "sys/devices/pci0000:00/0000:01:00.0/"

struct host {
	struct bed bed;
	struct objects objects;
};

static struct port *add_port(struct device *device, unsigned int number, double gbps,
			     enum link_layer layer)
{
	struct port *port = device_add_port(device, number);

	port->state = number_of(PORT_STATE_ACTIVE);
	port->link_layer = number_of(layer);
	port->rate_gbps = real_of(gbps);
	return port;
}

static struct device *add_device(struct bed *bed, const char *name, const char *board,
				 const char *address, const char *firmware)
{
	struct device *device = device_list_add(&bed->facts.inventory.devices, name);

	device->board_id = mem_string_or_null(board);
	device->pci_address = mem_string_or_null(address);
	device->firmware = mem_string_or_null(firmware);
	device->driver = mem_string("mlx5_core");
	return device;
}

/* Two adapters of a board, one of them with a port that is down, and a software device. */
static int set_up(void **state)
{
	struct host *host = mem_alloc_zero(1, sizeof(*host));
	struct device *device;
	struct port *port;
	struct bed *bed;

	/* The bed is the first member of the host. */
	bed_set_up(state);
	host->bed = *(struct bed *)*state;
	free(*state);
	*state = host;
	bed = &host->bed;
	bed->facts.problems = &bed->problems;
	bed->run.facts = &bed->facts;
	bed->facts.request = &bed->request;
	bed->run.results = &bed->results;
	bed->request.objects = &host->objects;
	tree_write(&bed->tree, FUNCTION "current_link_speed", "16.0 GT/s PCIe");
	tree_write(&bed->tree, FUNCTION "current_link_width", "8");
	tree_on_bus(&bed->tree, "pci0000:00/0000:01:00.0");
	device = add_device(bed, "mlx5_0", "B1", "0000:01:00.0", "1.1");
	add_port(device, 1, 100, LINK_LAYER_INFINIBAND);
	port = add_port(device, 2, 10, LINK_LAYER_INFINIBAND);
	port->state = number_of(PORT_STATE_DOWN);
	device = add_device(bed, "mlx5_1", "B1", "0000:02:00.0", "1.2");
	add_port(device, 1, 200, LINK_LAYER_INFINIBAND);
	device = add_device(bed, "rxe0", NULL, NULL, NULL);
	device->software = true;
	port = add_port(device, 1, 25, LINK_LAYER_ETHERNET);
	port->netdev = mem_string("eth0");
	port->netdev_mtu_bytes = number_of(1500);
	return 0;
}

static int tear_down(void **state)
{
	struct host *host = *state;

	objects_free(&host->objects);
	return bed_tear_down(state);
}

/* Reads the file, whose members begin in line 2. */
static void take(struct bed *bed, const char *members)
{
	_cleanup_(freep) char *path = mem_format("%s/file", bed->tree.path);
	_cleanup_(freep) char *text = mem_format("{\"schema\": \"rdmactl/expect/1\",\n%s}",
						 members);

	doctor_expect_free(bed->facts.expect);
	bed->facts.expect = NULL;
	tree_write(&bed->tree, "file", text);
	bed->request.expect = path;
	assert_int_equal(doctor_expect_load(&bed->facts), 0);
	bed->request.expect = NULL;
	free(bed->facts.expect->path);
	bed->facts.expect->path = mem_string("FILE");
}

static void expect(struct bed *bed, const char *members)
{
	take(bed, members);
	bed_run(bed, CHECK_ID_expect);
}

static void numbers(void **state)
{
	struct host *host = *state;
	struct bed *bed = &host->bed;

	expect(bed,
	       "\"boards\": {\"B1\": {}, \"B2\": {}},\n"
	       "\"pci\": {\"0000:0[12]:*\": {\"count\": 2}, \"0001:*\": {\"count\": 0}},\n"
	       "\"devices\": {\"mlx5_?\": {\"count\": 3}, \"rxe0\": {\"count\": {\"min\": 1}}}");
	assert_told(bed,
		    "ok B1: the devices are as expected | 2 devices < FILE\n"
		    "error B2: expected hardware is missing | no such device (line 2, column 22) "
		    "< FILE -> the remedy [0, wanted at least 1]\n"
		    "ok 0000:0[12]:*: the devices are as expected | 2 devices < FILE\n"
		    "ok 0001:*: the devices are as expected | 0 devices < FILE\n"
		    "error mlx5_?: the number of devices is not as expected | 2, wanted 3 (line 4, "
		    "column 33) < FILE -> the remedy [2, wanted 3]\n"
		    "ok rxe0: the devices are as expected | 1 device < FILE\n");
	assert_true(doctor_expect_hardware(bed->facts.expect));
	take(bed, "\"devices\": {\"a\": {\"count\": 0}, \"b\": {\"count\": [0, 1]}}");
	assert_false(doctor_expect_hardware(bed->facts.expect));
	take(bed, "\"devices\": {\"a\": {\"count\": 0}, \"b\": {\"count\": 1}}");
	assert_true(doctor_expect_hardware(bed->facts.expect));
	assert_false(bed->facts.expect->file.profile.known);
	assert_false(doctor_expect_hardware(NULL));
	take(bed, "\"profile\": \"gpu\"");
	assert_int_equal(bed->facts.expect->file.profile.value, PROFILE_GPU);
	bed_run(bed, CHECK_ID_expect);
	assert_told(bed, "ok -: the file requires nothing\n");
}

/* Excluded ports do not count, and with an unknown state the number of active ports is unknown. */
static void active_ports(void **state)
{
	static const char file[] = "\"boards\": {\"B1\": {\"active_ports\": 2}, \"B2\": {}},\n"
				   "\"devices\": {\"mlx5_1\": {\"active_ports\": {\"min\": 2}}},\n"
				   "\"ignore\": [{\"port\": \"mlx5_1/2\", \"why\": \"x\"}]";
	struct host *host = *state;
	struct bed *bed = &host->bed;
	struct device *devices = bed->facts.inventory.devices.items;

	bed->run.check = doctor_check(CHECK_ID_port_count);
	assert_false(bed->run.check->applies(&bed->run));
	take(bed, "\"boards\": {\"B1\": {}}");
	assert_false(bed->run.check->applies(&bed->run));
	take(bed, file);
	assert_true(bed->run.check->applies(&bed->run));
	bed_run(bed, CHECK_ID_port_count);
	assert_told(bed,
		    "ok B1: the number of active ports is as expected | 2, wanted 2 (line 2, "
		    "column 35) < FILE [2, wanted 2]\n"
		    "error mlx5_1: the number of active ports is not as expected | 1, wanted at "
		    "least 2 (line 3, column 40) < FILE -> the remedy [1, wanted at least 2]\n");
	add_port(&devices[1], 2, 200, LINK_LAYER_INFINIBAND)->state.known = false;
	bed_run(bed, CHECK_ID_port_count);
	assert_true(bed->facts.expect->file.ignored[0].matched);
	assert_int_equal(bed->results.count, 2);
	assert_string_equal(bed->results.items[0].actual, "2");
	free(doctor_told(&bed->results, &bed->problems));
	devices[1].ports[0].state.known = false;
	bed_run(bed, CHECK_ID_port_count);
	assert_told(bed, "not-checked B1: number of active ports is not known\n"
			 "not-checked mlx5_1: number of active ports is not known\n");
	devices[1].ports[0].state.known = true;
	devices[0].ports_unknown = true;
	bed_run(bed, CHECK_ID_port_count);
	assert_string_equal(bed->results.items[0].finding.summary,
			    "number of active ports is not known");
	assert_int_equal(bed->results.items[1].finding.severity.value, SEVERITY_ERROR);
	host->objects.count = 1;
	assert_false(bed->run.check->applies(&bed->run));
	host->objects.count = 0;
}

/* Each value that differs, and nothing about values that a device cannot have. */
static void values(void **state)
{
	static const char all[] =
		"\"devices\": {\"*\": {\"firmware\": [\"1.1\", \"1.3\"],\n\"driver\": \"mlx4\",\n"
		"\"link_layer\": \"infiniband\",\n\"rate_gbps\": {\"min\": 150},\n"
		"\"netdev_mtu_bytes\": [9000, 4200],\n\"pcie\": {\"speed_gtps\": 32,\n"
		"\"width_lanes\": [4, 16]}}}";
	struct host *host = *state;
	struct bed *bed = &host->bed;
	struct device *device = &bed->facts.inventory.devices.items[0];

	expect(bed, all);
	assert_told(bed,
		    "error mlx5_0: the driver is not as expected | mlx5_core, wanted mlx4 (line 3, "
		    "column 11) < FILE -> the remedy [mlx5_core, wanted mlx4]\n"
		    "error mlx5_0: the PCIe speed in GT/s is not as expected | 16, wanted 32 (line "
		    "7, column 24) < FILE -> the remedy [16, wanted 32]\n"
		    "error mlx5_0: the PCIe width is not as expected | 8, wanted 4 or 16 (line 8, "
		    "column 16) < FILE -> the remedy [8, wanted 4 or 16]\n"
		    "error mlx5_0/1: the rate in Gb/s is not as expected | 100, wanted at least "
		    "150 (line 5, column 14) < FILE -> the remedy [100, wanted at least 150]\n"
		    "error mlx5_1: the firmware is not as expected | 1.2, wanted 1.1 or 1.3 (line "
		    "2, column 31) < FILE -> the remedy [1.2, wanted 1.1 or 1.3]\n"
		    "error mlx5_1: the driver is not as expected | mlx5_core, wanted mlx4 (line 3, "
		    "column 11) < FILE -> the remedy [mlx5_core, wanted mlx4]\n"
		    "not-checked mlx5_1: PCIe speed in GT/s is not known\n"
		    "not-checked mlx5_1: PCIe width is not known\n"
		    "not-checked rxe0: firmware is not known\n"
		    "error rxe0/1: the link layer is not as expected | ethernet, wanted infiniband "
		    "(line 4, column 15) < FILE -> the remedy [ethernet, wanted infiniband]\n"
		    "error rxe0/1: the rate in Gb/s is not as expected | 25, wanted at least 150 "
		    "(line 5, column 14) < FILE -> the remedy [25, wanted at least 150]\n"
		    "error rxe0/1: the MTU of the netdev is not as expected | 1500, wanted 9000 or "
		    "4200 (line 6, column 21) < FILE -> the remedy [1500, wanted 9000 or 4200]\n");
	/* If only some devices are examined, missing ones are not a fault. */
	host->objects.count = 1;
	expect(bed, "\"devices\": {\"mlx5_7\": {}, \"rxe0\": {\"netdev_mtu_bytes\": 1500,\n"
		    "\"link_layer\": \"ethernet\"}, \"mlx5_0\": {\"rate_gbps\": 100}}");
	assert_told(bed, "ok rxe0: the devices are as expected | 1 device < FILE\n"
			 "ok mlx5_0: the devices are as expected | 1 device; not active, so "
			 "without rate and MTU: 1 port < FILE\n");
	host->objects.count = 0;
	/* If no port is active, nothing was compared, unless the file says how many should be. */
	for (size_t i = 0; i < device->port_count; i++)
		device->ports[i].state = number_of(PORT_STATE_DOWN);
	expect(bed, "\"devices\": {\"mlx5_0\": {\"rate_gbps\": 100}}");
	assert_told(bed,
		    "not-checked mlx5_0: no port is active, so there is no rate or MTU to compare "
		    "| 1 device; not active, so without rate and MTU: 2 ports < FILE\n");
	expect(bed, "\"devices\": {\"mlx5_0\": {\"rate_gbps\": 100, \"active_ports\": 0}}");
	assert_told(bed,
		    "ok mlx5_0: the devices are as expected | 1 device; not active, so without "
		    "rate and MTU: 2 ports < FILE\n");
	expect(bed, "\"devices\": {\"mlx5_0\": {\"driver\": \"mlx5_core\"}}");
	assert_told(bed, "ok mlx5_0: the devices are as expected | 1 device < FILE\n");
}

/* An ignore entry without a check exempts devices and ports from all expectations. */
static void left_out(void **state)
{
	static const struct {
		const char *entry;
		bool device, port;
	} cases[] = {
		{"\"device\": \"mlx5_0\"", true, false},
		{"\"device\": \"*_0\"", true, false},
		{"\"pci\": \"0000:01:00.0\"", true, false},
		{"\"pci\": \"0000:01:*\", \"device\": \"mlx5_0\"", true, false},
		{"\"pci\": \"0000:01:*\", \"device\": \"mlx5_1\"", false, false},
		{"\"pci\": \"0000:02:*\", \"device\": \"mlx5_0\"", false, false},
		{"\"device\": \"mlx5_9\", \"why\": \"y\"}, {\"device\": \"mlx5_0\"", true, false},
		{"\"device\": \"mlx5_0\", \"check\": \"expect\"", false, false},
		{"\"port\": \"mlx5_0/1\", \"check\": \"expect\"", false, false},
		{"\"port\": \"mlx5_0/1\"", false, true},
		{"\"port\": \"*/1\"", false, true},
		{"\"port\": \"mlx5_0/2\"", false, false},
		{"\"check\": \"expect\"", false, false},
	};
	struct host *host = *state;
	struct bed *bed = &host->bed;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *file = mem_format(
			"\"devices\": {\"mlx5_0\": {\"firmware\": \"9\", \"rate_gbps\": 9}},\n"
			"\"ignore\": [{%s, \"why\": \"x\"}]",
			cases[i].entry);
		const char *wanted = cases[i].device ? "mlx5_0 "
				     : cases[i].port ? "mlx5_0 "
						     : "mlx5_0 mlx5_0/1 ";
		_cleanup_(freep) char *objects = NULL;

		expect(bed, file);
		for (size_t j = 0; j < bed->results.count; j++)
			mem_extend(&objects, "%s ", bed->results.items[j].finding.object);
		if (strcmp(objects, wanted) != 0)
			fail_msg("%s: %s", cases[i].entry, objects);
		assert_string_equal(bed->results.items[0].finding.summary,
				    cases[i].device ? "expected hardware is missing"
						    : "the firmware is not as expected");
		free(doctor_told(&bed->results, &bed->problems));
	}
}

/* Comments are not members, and an entry still counts after one that is about something else. */
static void further(void **state)
{
	struct host *host = *state;
	struct bed *bed = &host->bed;

	expect(bed, "\"comment\": \"a\", \"devices\": {\"mlx5_0\": {\"comment\": "
		    "\"c\",\n\"pcie\": {\"comment\": \"d\", \"width_lanes\": 8}, \"firmware\": "
		    "\"9\", \"active_ports\": 1, \"rate_gbps\": 100}},\n"
		    "\"ignore\": [{\"port\": \"mlx5_9/1\", \"why\": \"x\"}, {\"device\": "
		    "\"mlx5_1\", \"why\": \"x\"},\n{\"port\": \"mlx5_0/2\", \"why\": \"x\"}]");
	assert_told(bed, "error mlx5_0: the firmware is not as expected | 1.1, wanted 9 (line 3, "
			 "column 57) < FILE -> the remedy [1.1, wanted 9]\n");
	assert_false(bed->facts.expect->file.ignored[0].matched);
	assert_false(bed->facts.expect->file.ignored[1].matched);
	assert_true(bed->facts.expect->file.ignored[2].matched);
	/* The first port is exempted, the second one is not. */
	bed->facts.inventory.devices.items[0].ports[1].state = number_of(PORT_STATE_ACTIVE);
	expect(bed, "\"devices\": {\"mlx5_0\": {\"rate_gbps\": 9, \"active_ports\": 1}},\n"
		    "\"ignore\": [{\"port\": \"mlx5_0/1\", \"why\": \"x\"}, {\"pci\": \"x\", "
		    "\"why\": \"x\"}]");
	bed_run(bed, CHECK_ID_port_count);
	assert_told(bed, "error mlx5_0/2: the rate in Gb/s is not as expected | 10, wanted 9 (line "
			 "2, column 37) < FILE -> the remedy [10, wanted 9]\n"
			 "ok mlx5_0: the number of active ports is as expected | 1, wanted 1 (line "
			 "2, column 56) < FILE [1, wanted 1]\n");
}

static void memlock(void **state)
{
	static const struct {
		const char *file, *limit, *told;
	} cases[] = {
		{"\"unlimited\"", "unlimited",
		 "ok this shell: the limit on pinned memory is as expected | unlimited, wanted "
		 "unlimited (line 2, column 18) < /proc/self/limits [unlimited, wanted "
		 "unlimited]\n"},
		{"\"unlimited\"", "65536",
		 "error this shell: the limit on pinned memory is not as expected | 65536 bytes, "
		 "wanted unlimited (line 2, column 18) < /proc/self/limits -> the remedy [65536, "
		 "wanted unlimited]\n"},
		{"{\"min\": 65536}", "65536",
		 "ok this shell: the limit on pinned memory is as expected | 65536 bytes, wanted "
		 "at least 65536 (line 2, column 18) < /proc/self/limits [65536, wanted at least "
		 "65536]\n"},
		{"65537", "unlimited",
		 "error this shell: the limit on pinned memory is not as expected | unlimited, "
		 "wanted 65537 (line 2, column 18) < /proc/self/limits -> the remedy [unlimited, "
		 "wanted 65537]\n"},
	};
	struct host *host = *state;
	struct bed *bed = &host->bed;
	char text[128];

	expect(bed, "\"memlock_bytes\": 1");
	assert_told(bed, "not-checked this shell: the saved tree lacks the limit on pinned memory "
			 "| the saved tree has no /proc/self/limits < /proc/self/limits needs 2\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *file = mem_format("\"memlock_bytes\": %s", cases[i].file);

		snprintf(text, sizeof(text), "Max locked memory         %-20s %-20s bytes",
			 cases[i].limit, "7");
		tree_write(&bed->tree, "proc/self/limits", text);
		doctor_limits_free(bed->facts.limits);
		bed->facts.limits = NULL;
		expect(bed, file);
		assert_told(bed, "%s", cases[i].told);
	}
	tree_write(&bed->tree, "proc/self/limits", "Max open files 1 1 files");
	doctor_limits_free(bed->facts.limits);
	bed->facts.limits = NULL;
	expect(bed, "\"memlock_bytes\": 1");
	assert_int_equal(bed->results.count, 1);
	assert_string_equal(bed->results.items[0].finding.summary,
			    "the limit on pinned memory cannot be read");
}

static void say(struct bed *bed, enum doctor_check_id id, const char *object, enum severity verdict)
{
	bed->run.id = id;
	bed->run.check = doctor_check(CHECK_ID_memlock);
	if (object)
		doctor_object(&bed->run, "%s", object);
	doctor_next_step(&bed->run, "do it");
	doctor_verdict(&bed->run, verdict, "said");
}

/* Which findings an entry covers: those of the device, its parts, its function and its netdevs. */
static void ignored(void **state)
{
	static const char *const objects[] = {"mlx5_0",	 "mlx5_0/1",	 "mlx5_0/2",
					      "mlx5_01", "0000:01:00.0", "ib0",
					      "ib1",	 "mlx5_1",	 "0000:09:00.0"};
	static const struct {
		const char *entry, *found; /* indexes of the ignored findings; h: the host's */
	} cases[] = {
		{"\"device\": \"mlx5_0\"", "012456"},
		{"\"pci\": \"0000:01:*\"", "012456"},
		{"\"pci\": \"0000:01:*\", \"device\": \"mlx5_1\"", ""},
		{"\"pci\": \"0000:09:*\"", "8"},
		{"\"pci\": \"0000:09:*\", \"port\": \"*\"", ""},
		{"\"pci\": \"0000:09:*\", \"device\": \"*\"", ""},
		{"\"port\": \"mlx5_0/1\"", "15"},
		{"\"port\": \"mlx5_0/*\"", "1256"},
		{"\"port\": \"mlx5_0/1\", \"device\": \"mlx5_1\"", ""},
		{"\"port\": \"mlx5_0/2\", \"pci\": \"0000:01:00.0\"", "26"},
		{"\"check\": \"memlock\"", "012345678h"},
		{"\"check\": \"memlock\", \"device\": \"mlx5_1\"", "7"},
		{"\"check\": \"nofile\"", ""},
		{"\"check\": \"nofile\", \"device\": \"mlx5_0\"", ""},
	};
	struct host *host = *state;
	struct bed *bed = &host->bed;
	struct device *devices = bed->facts.inventory.devices.items;

	devices[0].ports[0].netdev = mem_string("ib0");
	devices[0].ports[1].netdev = mem_string("ib1");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *file = mem_format("\"ignore\": [{%s, \"why\": \"spare\"}]",
							 cases[i].entry);
		_cleanup_(freep) char *found = mem_string("");

		take(bed, file);
		for (size_t j = 0; j < ARRAY_SIZE(objects); j++)
			say(bed, CHECK_ID_memlock, objects[j], SEVERITY_ERROR);
		say(bed, CHECK_ID_memlock, NULL, SEVERITY_NOTICE);
		doctor_expect_ignore(&bed->run);
		assert_int_equal(bed->results.count, ARRAY_SIZE(objects) + 1);
		for (size_t j = 0; j < bed->results.count; j++) {
			const struct doctor_result *result = &bed->results.items[j];

			if (!result->ignored)
				continue;
			mem_extend(&found, "%c",
				   result->finding.object ? (char)('0' + (int)j) : 'h');
			assert_string_equal(result->ignored, "spare");
			assert_string_equal(result->finding.summary, "ignored, spare: said");
			assert_int_equal(result->finding.severity.value, SEVERITY_NOTICE);
			assert_null(result->finding.next_step);
		}
		if (strcmp(found, cases[i].found) != 0)
			fail_msg("%s: %s", cases[i].entry, found);
		assert_int_equal(bed->facts.expect->file.ignored[0].matched, *found != '\0');
		free(doctor_told(&bed->results, &bed->problems));
	}
	/* A success, or a check that was not made, cannot be ignored; and nothing is ignored twice.
	 */
	take(bed, "\"ignore\": [{\"device\": \"mlx5_0\", \"why\": \"a\"},\n"
		  "{\"device\": \"mlx5_*\", \"why\": \"b\"}]");
	say(bed, CHECK_ID_memlock, "mlx5_0", SEVERITY_OK);
	say(bed, CHECK_ID_memlock, "mlx5_0", SEVERITY_INFO);
	say(bed, CHECK_ID_memlock, "mlx5_0", SEVERITY_WARNING);
	say(bed, CHECK_ID_memlock, "mlx5_1", SEVERITY_WARNING);
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "ok mlx5_0: said\n"
			 "not-checked mlx5_0: said -> do it\n"
			 "note mlx5_0: ignored, a: said\n"
			 "note mlx5_1: ignored, b: said\n");
}

/* An entry that matches nothing is reported if all checks that it could match were made. */
static void unmatched(void **state)
{
	static const char told[] =
		"note -: an entry of ignore matches nothing | line 2, column 12: mlx5_7, memlock, "
		"gone < FILE -> remove the entry if its reason no longer applies, or correct it\n";
	static const char other[] = "note -: an entry of ignore matches nothing | line 3, column "
				    "1: 0000:*, mlx5_8, mlx5_8/1, old < FILE -> remove the entry "
				    "if its reason no longer applies, or correct it\n";
	struct host *host = *state;
	struct bed *bed = &host->bed;

	doctor_expect_ignore(&bed->run);
	take(bed, "\"ignore\": [{\"device\": \"mlx5_7\", \"check\": \"memlock\", \"why\": "
		  "\"gone\"},\n"
		  "{\"pci\": \"0000:*\", \"device\": \"mlx5_8\", \"port\": \"mlx5_8/1\", \"why\": "
		  "\"old\"}]");
	bed->request.run[CHECK_ID_memlock] = true;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s", "");
	bed->run.device = bed->facts.inventory.devices.items;
	bed->request.run[CHECK_ID_expect] = true;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s", told);
	/* There may be such a finding, but nobody looked. */
	bed->run.device = bed->facts.inventory.devices.items;
	say(bed, CHECK_ID_memlock, NULL, SEVERITY_INFO);
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "not-checked -: said -> do it\n");
	bed->request.run[CHECK_ID_memlock] = false;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s", "");
	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		bed->request.run[i] = true;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s%s", told, other);
	bed->request.run[DOCTOR_CHECKS - 1] = false;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s", told);
	host->objects.count = 1;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s", "");
	host->objects.count = 0;
	bed->facts.expect->file.ignored[0].matched = true;
	doctor_expect_ignore(&bed->run);
	assert_told(bed, "%s", "");
}

/* An unusable file is a problem, and control characters in its name are replaced. */
static void wrong_files(void **state)
{
	struct host *host = *state;
	struct bed *bed = &host->bed;
	_cleanup_(freep) char *none = mem_format("%s/no\033ne", bed->tree.path);
	_cleanup_(freep) char *clean = mem_format("%s/no\\x1bne", bed->tree.path);
	_cleanup_(freep) char *path = mem_format("%s/file", bed->tree.path);

	assert_int_equal(doctor_expect_load(&bed->facts), 0);
	assert_null(bed->facts.expect);
	bed->request.expect = none;
	assert_int_equal(doctor_expect_load(&bed->facts), -ENOENT);
	assert_told(bed, "unread %s: - < -: %s\n", clean, strerror(ENOENT));
	tree_write(&bed->tree, "file", "[]");
	bed->request.expect = path;
	assert_int_equal(doctor_expect_load(&bed->facts), -EINVAL);
	assert_string_equal(bed->problems.items[0].hint,
			    "rdmactl doctor --learn prints a file of this form");
	assert_told(bed,
		    "unread %s: - < -: line 1, column 1: the document is a list, not an "
		    "object\n",
		    path);
	assert_null(bed->facts.expect);
}

/* A code of a kernel that is newer than the table of words. */
static void code_without_word(void **state)
{
	struct host *host = *state;
	struct bed *bed = &host->bed;
	struct device *device = &bed->facts.inventory.devices.items[1];
	struct value one, other;

	device->ports[0].link_layer = number_of(9);
	expect_value_get(&bed->facts, device, &device->ports[0], WANTED_LINK_LAYER, &one);
	device->ports[0].link_layer = number_of(10);
	expect_value_get(&bed->facts, device, &device->ports[0], WANTED_LINK_LAYER, &other);
	assert_string_equal(one.string, "unknown-9");
	assert_string_equal(other.string, "unknown-10");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(numbers),	   TEST(active_ports),	    TEST(values),  TEST(left_out),
		TEST(further),	   TEST(memlock),	    TEST(ignored), TEST(unmatched),
		TEST(wrong_files), TEST(code_without_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
