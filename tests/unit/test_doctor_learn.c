/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The expectation file learnt from a host, as a whole. */
#include <errno.h>

#include "base/cleanup.h"
#include "doctor/expect/expectation.h"
#include "doctor_bed.h"
#include "host/object.h"

#define CLASS "sys/class/infiniband/"

static struct objects everything;

static void put(struct bed *bed, const char *device, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), CLASS "%s/%s", device, file);
	tree_write(&bed->tree, path, text);
}

static void put_port(struct bed *bed, const char *device, const char *port, const char *state,
		     const char *rate, const char *layer)
{
	const char *const files[][2] = {
		{"state", state},
		{"phys_state", "5: LinkUp"},
		{"rate", rate},
		{"link_layer", layer},
	};
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "ports/%s/%s", port, files[i][0]);
		put(bed, device, name, files[i][1]);
	}
}

/* A device on a separate function, with the driver's name. */
static void put_device(struct bed *bed, const char *device, const char *address, const char *board,
		       const char *firmware, const char *driver)
{
	_cleanup_(freep) char *place = mem_format("pci0000:00/%s", address);
	char path[128], target[128];

	put(bed, device, "node_type", "1: CA");
	put(bed, device, "node_guid", "0011:2233:4455:6677");
	if (board)
		put(bed, device, "board_id", board);
	put(bed, device, "fw_ver", firmware);
	tree_function(&bed->tree, place, NULL, NULL, NULL, driver);
	snprintf(path, sizeof(path), CLASS "%s/device", device);
	snprintf(target, sizeof(target), "../../../devices/%s", place);
	tree_link(&bed->tree, path, target);
}

static void put_link(struct bed *bed, const char *address, const char *speed, const char *width)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/devices/pci0000:00/%s/current_link_speed", address);
	tree_write(&bed->tree, path, speed);
	snprintf(path, sizeof(path), "sys/devices/pci0000:00/%s/current_link_width", address);
	tree_write(&bed->tree, path, width);
}

static void assert_learnt(struct bed *bed, const char *wanted)
{
	_cleanup_(freep) char *text = NULL, *message = NULL;
	struct expectation file;

	bed->request.root = bed->tree.path;
	bed->request.objects = &everything;
	problems_free(&bed->problems);
	bed->problems = (struct problems){.items = NULL};
	assert_int_equal(doctor_learn(&bed->request, &text, &bed->problems), 0);
	assert_string_equal(text, wanted);
	assert_int_equal(expectation_parse(text, strlen(text), &file, &message), 0);
	expectation_clear(&file);
}

/*
 * A value of a board is the common one, or all that occur; for rates and active ports it is the
 * least.
 */
static void whole(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "mlx5_10", "0000:03:00.0", "MT_2", "28.2", "mlx5_core");
	put_port(bed, "mlx5_10", "1", "4: ACTIVE", "400 Gb/sec (4X NDR)", "InfiniBand");
	put_port(bed, "mlx5_10", "2", "1: DOWN", "10 Gb/sec (4X SDR)", "InfiniBand");
	put_link(bed, "0000:03:00.0", "32.0 GT/s PCIe", "16");
	put_device(bed, "mlx5_2", "0000:02:00.0", "MT_2", "28.10", "mlx5_core");
	put_port(bed, "mlx5_2", "1", "4: ACTIVE", "200 Gb/sec (4X HDR)", "InfiniBand");
	put_link(bed, "0000:02:00.0", "16.0 GT/s PCIe", "16");
	put_device(bed, "mlx5_3", "0000:04:00.0", "MT_2", "28.2", "mlx5_core");
	put_port(bed, "mlx5_3", "1", "4: ACTIVE", "400 Gb/sec (4X NDR)", "InfiniBand");
	put_link(bed, "0000:04:00.0", "8.0 GT/s PCIe", "4");
	put_device(bed, "mlx5_9", "0000:05:00.0", "MT_10", "22.\"1\\", "mlx5_core");
	put_port(bed, "mlx5_9", "1", "1: DOWN", "100 Gb/sec (4X EDR)", "InfiniBand");
	put_device(bed, "hfi1_0", "0000:06:00.0", NULL, "1.2", "hfi1");
	put_port(bed, "hfi1_0", "1", "4: ACTIVE", "100 Gb/sec (4X EDR)", "InfiniBand");
	put_device(bed, "hfi1_1", "0000:07:00.0", NULL, "1.2", "hfi1");
	put_port(bed, "hfi1_1", "1", "?", "100 Gb/sec (4X EDR)", "InfiniBand");
	tree_write(&bed->tree, "proc/self/limits",
		   "Max locked memory         8388608              unlimited            bytes");
	bed->request.profile = PROFILE_GPU;
	assert_learnt(bed, "{\n"
			   "  \"schema\": \"rdmactl/expect/1\",\n"
			   "  \"profile\": \"gpu\",\n"
			   "  \"memlock_bytes\": {\"min\": 8388608},\n"
			   "  \"boards\": {\n"
			   "    \"MT_2\": {\n"
			   "      \"count\": 3,\n"
			   "      \"active_ports\": {\"min\": 3},\n"
			   "      \"firmware\": [\"28.2\", \"28.10\"],\n"
			   "      \"driver\": \"mlx5_core\",\n"
			   "      \"link_layer\": \"infiniband\",\n"
			   "      \"rate_gbps\": {\"min\": 200},\n"
			   "      \"pcie\": {\n"
			   "        \"speed_gtps\": [8, 16, 32],\n"
			   "        \"width_lanes\": [4, 16]\n"
			   "      }\n"
			   "    },\n"
			   "    \"MT_10\": {\n"
			   "      \"count\": 1,\n"
			   "      \"active_ports\": {\"min\": 0},\n"
			   "      \"firmware\": \"22.\\\"1\\\\\",\n"
			   "      \"driver\": \"mlx5_core\",\n"
			   "      \"link_layer\": \"infiniband\"\n"
			   "    }\n"
			   "  },\n"
			   "  \"devices\": {\n"
			   "    \"hfi1_0\": {\n"
			   "      \"active_ports\": {\"min\": 1},\n"
			   "      \"firmware\": \"1.2\",\n"
			   "      \"driver\": \"hfi1\",\n"
			   "      \"link_layer\": \"infiniband\",\n"
			   "      \"rate_gbps\": {\"min\": 100}\n"
			   "    },\n"
			   "    \"hfi1_1\": {\n"
			   "      \"firmware\": \"1.2\",\n"
			   "      \"driver\": \"hfi1\",\n"
			   "      \"link_layer\": \"infiniband\",\n"
			   "      \"rate_gbps\": {\"min\": 100}\n"
			   "    }\n"
			   "  },\n"
			   "  \"ignore\": []\n"
			   "}\n");
}

/* Only what is known, if there are no boards, memory limit or ports. */
static void little(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "hfi1_0", "0000:06:00.0", NULL, "1.2", "hfi1");
	tree_write(&bed->tree, "proc/self/limits",
		   "Max locked memory         unlimited            unlimited            bytes");
	assert_learnt(bed, "{\n"
			   "  \"schema\": \"rdmactl/expect/1\",\n"
			   "  \"profile\": \"hpc\",\n"
			   "  \"memlock_bytes\": \"unlimited\",\n"
			   "  \"devices\": {\n"
			   "    \"hfi1_0\": {\n"
			   "      \"firmware\": \"1.2\",\n"
			   "      \"driver\": \"hfi1\"\n"
			   "    }\n"
			   "  },\n"
			   "  \"ignore\": []\n"
			   "}\n");
}

/* A device of which nothing is known is still one that the host has. */
static void unknown_device(void **state)
{
	struct bed *bed = *state;

	put(bed, "foo_0", "node_type", "1: CA");
	assert_learnt(bed, "{\n"
			   "  \"schema\": \"rdmactl/expect/1\",\n"
			   "  \"profile\": \"hpc\",\n"
			   "  \"devices\": {\n"
			   "    \"foo_0\": {}\n"
			   "  },\n"
			   "  \"ignore\": []\n"
			   "}\n");
}

/* A device without a board has its own entry, even if a board has its name. */
static void named_like_a_board(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "a_0", "0000:06:00.0", "hfi1_0", "1.1", "hfi1");
	put_device(bed, "hfi1_0", "0000:07:00.0", NULL, "1.2", "hfi1");
	put_device(bed, "hfi1_1", "0000:08:00.0", "hfi1_0", "1.1", "hfi1");
	tree_write(&bed->tree, "proc/self/limits",
		   "Max locked memory         unlimited            unlimited            bytes");
	assert_learnt(bed, "{\n"
			   "  \"schema\": \"rdmactl/expect/1\",\n"
			   "  \"profile\": \"hpc\",\n"
			   "  \"memlock_bytes\": \"unlimited\",\n"
			   "  \"boards\": {\n"
			   "    \"hfi1_0\": {\n"
			   "      \"count\": 2,\n"
			   "      \"firmware\": \"1.1\",\n"
			   "      \"driver\": \"hfi1\"\n"
			   "    }\n"
			   "  },\n"
			   "  \"devices\": {\n"
			   "    \"hfi1_0\": {\n"
			   "      \"firmware\": \"1.2\",\n"
			   "      \"driver\": \"hfi1\"\n"
			   "    }\n"
			   "  },\n"
			   "  \"ignore\": []\n"
			   "}\n");
}

static void nothing(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *none = mem_format("%s/none\033", bed->tree.path);
	_cleanup_(
		freep) char *wanted = mem_format("cannot open the root directory %s/none\\x1b: %s",
						 bed->tree.path, strerror(ENOENT));
	char *text = NULL;

	bed->request.objects = &everything;
	bed->request.root = none;
	assert_int_equal(doctor_learn(&bed->request, &text, &bed->problems), -ENOENT);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].error, wanted);
	tree_directory(&bed->tree, "sys");
	bed->request.root = bed->tree.path;
	assert_int_equal(doctor_learn(&bed->request, &text, &bed->problems), -ENODEV);
	assert_null(text);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bed_set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(whole),   TEST(little), TEST(unknown_device), TEST(named_like_a_board),
		TEST(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
