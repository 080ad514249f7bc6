/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Channel adapters as libibumad has them: from the files of a tree, and from RDMA netlink, whose
 * facts are not read from files.
 */
#include "made_up_snapshot.h"

#include "host/compat/channel_adapter.h"

#define CLASS "sys/class/infiniband/"

struct bed {
	struct made_up_snapshot snapshot;
	struct channel_adapters *adapters;
	bool recorded;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	channel_adapters_close(bed->adapters);
	snapshot_close(&bed->snapshot);
	free(bed);
	return 0;
}

static void put(const struct bed *bed, const char *device, const char *name, const char *text)
{
	_cleanup_(freep) char *path = mem_format("%s" CLASS "%s/%s", bed->recorded ? "root/" : "",
						 device, name);

	if (text)
		tree_write(&bed->snapshot.tree, path, text);
	else
		tree_delete(&bed->snapshot.tree, path);
}

static const struct {
	const char *name, *text;
} device_files[] =
	{
		{"node_type", "1: CA"},
		{"fw_ver", "16.35.2000"},
		{"hw_rev", "0x0"},
		{"hca_type", "MT4119"},
		{"node_guid", "0002:c903:00a1:b2c3"},
		{"sys_image_guid", "0002:c903:00a1:b2c6"},
},
  port_files[] = {
	  {"lid_mask_count", "3"},
	  {"sm_lid", "0x11"},
	  {"sm_sl", "0"},
	  {"lid", "0x25"},
	  {"state", "4: ACTIVE"},
	  {"phys_state", "5: LinkUp"},
	  {"rate", "40 Gb/sec (4X FDR10)"},
	  {"cap_mask", "0x2651e848"},
	  {"link_layer", "InfiniBand"},
	  {"gids/0", "fe80:0000:0000:0000:0002:c903:00a1:b2c4"},
	  {"pkeys/0", "0xffff"},
};

static void put_device(const struct bed *bed, const char *device)
{
	for (size_t i = 0; i < ARRAY_SIZE(device_files); i++)
		put(bed, device, device_files[i].name, device_files[i].text);
}

static void put_port(const struct bed *bed, const char *device, unsigned int port)
{
	for (size_t i = 0; i < ARRAY_SIZE(port_files); i++) {
		_cleanup_(freep) char *name = mem_format("ports/%u/%s", port, port_files[i].name);

		put(bed, device, name, port_files[i].text);
	}
}

static void open_it(struct bed *bed)
{
	channel_adapters_close(bed->adapters);
	bed->adapters = NULL;
	assert_int_equal(channel_adapters_open(bed->snapshot.tree.path, &bed->adapters), 0);
}

static char *text_of(const struct channel_adapter *adapter)
{
	struct text_buffer text = {.text = NULL};

	text_buffer_add(&text, "%s type %u fw %s hw %s hca %s guid %llx image %llx last %u",
			adapter->name, adapter->node_type, adapter->firmware, adapter->hardware,
			adapter->type, (unsigned long long)adapter->node_guid,
			(unsigned long long)adapter->system_image_guid, adapter->last_port);
	for (size_t i = 0; i < CHANNEL_ADAPTER_PORTS; i++) {
		const struct channel_port *port = &adapter->ports[i];

		if (port->present)
			text_buffer_add(&text,
					"\n%zu: lid %u lmc %u sm %u state %u phys %u rate %u%s "
					"cap %x guid %llx layer %s",
					i, port->lid, port->lmc, port->sm_lid, port->state,
					port->physical_state, port->rate_gbps,
					port->fdr10 ? " FDR10" : "", port->cap_mask,
					(unsigned long long)port->guid, port->link_layer);
	}
	return text_buffer_take(&text);
}

static void expect(struct bed *bed, const char *name, const char *wanted)
{
	struct channel_adapter adapter;
	_cleanup_(freep) char *text = NULL;

	open_it(bed);
	assert_int_equal(channel_adapter_read(bed->adapters, name, &adapter), 0);
	text = text_of(&adapter);
	assert_string_equal(text, wanted);
	assert_false(adapter.no_pkeys);
}

#define DEVICE_TEXT                                                         \
	" type 1 fw 16.35.2000 hw 0x0 hca MT4119 guid 2c90300a1b2c3 image " \
	"2c90300a1b2c6"
#define PORT_TEXT                                                            \
	"lid 37 lmc 3 sm 17 state 4 phys 5 rate 40 FDR10 cap 2651e848 guid " \
	"2c90300a1b2c4 layer InfiniBand"

static void files(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "mlx5_0");
	put_port(bed, "mlx5_0", 1);
	put_port(bed, "mlx5_0", 9);
	expect(bed, "mlx5_0", "mlx5_0" DEVICE_TEXT " last 9\n1: " PORT_TEXT "\n9: " PORT_TEXT);
	put_device(bed, "sw0");
	put_port(bed, "sw0", 0);
	expect(bed, "sw0", "sw0" DEVICE_TEXT " last 0\n0: " PORT_TEXT);
}

/*
 * Words that may be missing, a different kind of rate, and a port of a kernel without link layers.
 */
static void lacking(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "a");
	put_port(bed, "a", 1);
	put(bed, "a", "fw_ver", NULL);
	put(bed, "a", "hw_rev", NULL);
	put(bed, "a", "hca_type", NULL);
	put(bed, "a", "ports/1/link_layer", NULL);
	put(bed, "a", "ports/1/rate", "100 Gb/sec (4X EDR)");
	expect(bed, "a",
	       "a type 1 fw  hw  hca  guid 2c90300a1b2c3 image 2c90300a1b2c6 last 1\n"
	       "1: lid 37 lmc 3 sm 17 state 4 phys 5 rate 100 cap 2651e848 guid 2c90300a1b2c4 "
	       "layer IB");
	put(bed, "a", "ports/1/rate", "40 Gb/sec (4X fdr10)");
	put(bed, "a", "ports/1/link_layer", "a layer with a long name");
	expect(bed, "a",
	       "a type 1 fw  hw  hca  guid 2c90300a1b2c3 image 2c90300a1b2c6 last 1\n"
	       "1: lid 37 lmc 3 sm 17 state 4 phys 5 rate 40 FDR10 cap 2651e848 guid "
	       "2c90300a1b2c4 layer a layer with a long");
	/* A bracket too close to the beginning does not mean FDR10. */
	put(bed, "a", "ports/1/rate", "dr10)");
	put(bed, "a", "ports/1/link_layer", "X");
	expect(bed, "a",
	       "a type 1 fw  hw  hca  guid 2c90300a1b2c3 image 2c90300a1b2c6 last 1\n"
	       "1: lid 37 lmc 3 sm 17 state 4 phys 5 rate 0 cap 2651e848 guid 2c90300a1b2c4 "
	       "layer X");
}

/*
 * Every file that a port needs: without it the adapter is not shown, and the failed port is known.
 */
static void broken_ports(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "a");
	for (size_t i = 0; i < ARRAY_SIZE(port_files); i++) {
		const bool needed = strcmp(port_files[i].name, "link_layer");
		const bool pkey = !strcmp(port_files[i].name, "pkeys/0");
		_cleanup_(freep) char *name = mem_format("ports/2/%s",
							 pkey ? "pkeys" : port_files[i].name);
		struct channel_adapter adapter;

		put_port(bed, "a", 1);
		put_port(bed, "a", 2);
		put(bed, "a", name, NULL);
		open_it(bed);
		assert_int_equal(channel_adapter_read(bed->adapters, "a", &adapter),
				 needed ? -EIO : 0);
		/* The link layer has a default, but is the last file that failed. */
		assert_int_equal(adapter.error, ENOENT);
		assert_int_equal(adapter.failed_port, 2);
		assert_int_equal(adapter.no_pkeys, pkey);
		assert_int_equal(adapter.last_port, needed ? 1 : 2);
		assert_true(adapter.ports[1].present);
		assert_int_equal(adapter.ports[2].present, !needed);
	}
}

/* A GID that cannot be parsed counts as one; without the file the capabilities decide. */
static void endpoints(void **state)
{
	struct bed *bed = *state;

	put_device(bed, "a");
	put_port(bed, "a", 1);
	put(bed, "a", "ports/1/gids/0", "?");
	put(bed, "a", "ports/1/cap_mask", "0x00000000");
	open_it(bed);
	assert_true(channel_adapter_is_endpoint(bed->adapters, "a", 1));
	assert_false(channel_adapter_is_endpoint(bed->adapters, "a", 2));
	assert_false(channel_adapter_is_endpoint(bed->adapters, "b", 1));
	put(bed, "a", "ports/1/gids/0", NULL);
	open_it(bed);
	assert_false(channel_adapter_is_endpoint(bed->adapters, "a", 1));
	put(bed, "a", "ports/1/cap_mask", "0x00010000");
	open_it(bed);
	assert_true(channel_adapter_is_endpoint(bed->adapters, "a", 1));
}

static void broken_devices(void **state)
{
	static const char *const needed[] = {"node_type", "node_guid", "sys_image_guid"};
	struct bed *bed = *state;
	struct channel_adapter adapter;

	put_port(bed, "a", 1);
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		put_device(bed, "a");
		put(bed, "a", needed[i], NULL);
		open_it(bed);
		assert_int_equal(channel_adapter_read(bed->adapters, "a", &adapter), -ENOENT);
		assert_int_equal(adapter.error, ENOENT);
		assert_int_equal(adapter.failed_port, 0);
	}
	put_device(bed, "a");
	put(bed, "a", "node_guid", "0002:c903:00a1");
	open_it(bed);
	assert_int_equal(channel_adapter_read(bed->adapters, "a", &adapter), -EINVAL);
	assert_int_equal(adapter.error, 0);
	put(bed, "a", "node_guid", "0002:c903:00a1:b2c3");
	put(bed, "a", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:00a1");
	open_it(bed);
	assert_int_equal(channel_adapter_read(bed->adapters, "a", &adapter), -EIO);
	assert_int_equal(channel_adapter_read(bed->adapters, "b", &adapter), -ENOENT);
	assert_int_equal(adapter.error, ENOENT);
	assert_string_equal(adapter.name, "b");
	put(bed, "a", "ports", NULL);
	open_it(bed);
	assert_int_equal(channel_adapter_read(bed->adapters, "a", &adapter), -ENOENT);
	assert_int_equal(adapter.error, ENOENT);
	assert_int_equal(adapter.last_port, 0);
}

/* Port numbers: 0 itself, 1 to 9, and nothing else. */
static void numbers_of_ports(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} samples[] = {
		{"1", 0}, {"9", 0}, {"10", -EIO}, {"-1", -EIO}, {"x", -EIO}, {"00", -EIO},
	};
	struct bed *bed = *state;

	put_device(bed, "a");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct channel_adapter adapter;

		put(bed, "a", "ports", NULL);
		for (size_t j = 0; j < ARRAY_SIZE(port_files); j++) {
			_cleanup_(freep) char *name = mem_format("ports/%s/%s", samples[i].name,
								 port_files[j].name);

			put(bed, "a", name, port_files[j].text);
		}
		open_it(bed);
		assert_int_equal(channel_adapter_read(bed->adapters, "a", &adapter), samples[i].rc);
	}
}

/* "a b c": the adapters, switches and routers, in byte order. */
static void expect_names(struct bed *bed, const char *wanted)
{
	struct strings found = {.known = false};
	struct text_buffer text = {.text = NULL};

	open_it(bed);
	assert_int_equal(channel_adapter_names(bed->adapters, &found), 0);
	assert_true(found.known);
	text_buffer_add(&text, "%s", "");
	for (size_t i = 0; i < found.count; i++)
		text_buffer_add(&text, "%s%s", i ? " " : "", found.items[i]);
	assert_string_equal(text.text, wanted);
	free(text_buffer_take(&text));
	strings_free(&found);
}

static void names(void **state)
{
	struct bed *bed = *state;

	put(bed, "a10", "node_type", "1: CA");
	put(bed, "a9", "node_type", "2: switch");
	put(bed, "Z", "node_type", "3: router");
	put(bed, "iw", "node_type", "4: RNIC");
	put(bed, "no", "node_type", "0: none");
	put(bed, "file", "x", "y");
	expect_names(bed, "Z a10 a9");
	tree_delete(&bed->snapshot.tree, "sys");
	open_it(bed);
	{
		struct strings found = {.known = false};

		assert_int_equal(channel_adapter_names(bed->adapters, &found), -ENOENT);
		assert_false(found.known);
	}
	assert_int_equal(channel_adapters_open("/nonexistent", &bed->adapters), -ENOENT);
}

/* ---- From netlink ---- */

static void tell_device(struct bed *bed, uint32_t index, const char *name, const char *protocol,
			uint8_t type, uint32_t ports)
{
	struct bytes payload = {0};

	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	put_string(&payload, RDMA_NLDEV_ATTR_DEV_NAME, name);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, ports);
	put_u64(&payload, RDMA_NLDEV_ATTR_NODE_GUID, 0x77);
	put_u64(&payload, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, 0x88);
	put_u8(&payload, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, type);
	if (index != 3)
		put_string(&payload, RDMA_NLDEV_ATTR_FW_VERSION, "1.2.3");
	put_string(&payload, RDMA_NLDEV_ATTR_DEV_PROTOCOL, protocol);
	snapshot_got_rdma(&bed->snapshot, NLM_F_MULTI, &payload);
}

static void tell_port(struct bed *bed, uint32_t device, uint32_t port)
{
	struct bytes payload = {0};

	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_PORT_GET, NLM_F_REQUEST, device, port);
	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	put_u64(&payload, RDMA_NLDEV_ATTR_CAP_FLAGS, 0x42);
	put_u32(&payload, RDMA_NLDEV_ATTR_LID, 100 * device + port);
	put_u32(&payload, RDMA_NLDEV_ATTR_SM_LID, 9);
	put_u8(&payload, RDMA_NLDEV_ATTR_LMC, 1);
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_STATE, 2);
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 3);
	snapshot_got_rdma(&bed->snapshot, 0, &payload);
	snapshot_end(&bed->snapshot);
}

#define TOLD_DEVICE(firmware) " fw " firmware " hw 0x0 hca MT4119 guid 77 image 88"
#define TOLD_PORT	      " lmc 1 sm 9 state 2 phys 3 rate 40 FDR10 cap 42 guid 2c90300a1b2c4"

static void told(void **state)
{
	static const struct {
		const char *name, *protocol;
		uint8_t type;
		uint32_t ports;
	} devices[] = {
		{"ib0", "ib", 1, 2},	 {"opa0", "opa", 1, 1}, {"old0", "ib", 2, 1},
		{"roce0", "roce", 1, 1}, {"iw0", "iw", 4, 1},
	};
	struct bed *bed = *state;

	bed->recorded = true;
	snapshot_begin(&bed->snapshot);
	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_GET, ASK_DUMP, 0, 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(devices); i++)
		tell_device(bed, i + 1, devices[i].name, devices[i].protocol, devices[i].type,
			    devices[i].ports);
	snapshot_done(&bed->snapshot, 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(devices); i++) {
		put_device(bed, devices[i].name);
		put(bed, devices[i].name, "node_type", "7: odd");
		for (uint32_t port = 1; port <= devices[i].ports; port++) {
			put_port(bed, devices[i].name, port);
			tell_port(bed, i + 1, port);
		}
		/* According to netlink it does not exist. */
		put_port(bed, devices[i].name, 5);
		put(bed, devices[i].name, "ports/1/link_layer", "From file");
	}
	snapshot_write(&bed->snapshot);
	expect_names(bed, "ib0 old0 opa0 roce0");
	/* The protocol is that of the first port only. */
	expect(bed, "ib0",
	       "ib0 type 1" TOLD_DEVICE("1.2.3") " last 2\n1: lid 101" TOLD_PORT
						 " layer From file\n2: lid 102" TOLD_PORT
						 " layer InfiniBand");
	put(bed, "opa0", "ports/1/sm_sl", NULL); /* this file is not read */
	expect(bed, "opa0",
	       "opa0 type 1" TOLD_DEVICE("1.2.3") " last 1\n1: lid 201" TOLD_PORT
						  " layer InfiniBand");
	expect(bed, "old0",
	       "old0 type 2" TOLD_DEVICE("") " last 1\n1: lid 301" TOLD_PORT " layer InfiniBand");
	expect(bed, "roce0",
	       "roce0 type 1" TOLD_DEVICE("1.2.3") " last 1\n1: lid 401" TOLD_PORT
						   " layer Ethernet");
	expect(bed, "iw0",
	       "iw0 type 4" TOLD_DEVICE("1.2.3") " last 1\n1: lid 501" TOLD_PORT
						 " layer From file");
}

/* A port that netlink refuses, and a failing dump: the files have all facts. */
static void refused(void **state)
{
	struct bed *bed = *state;

	bed->recorded = true;
	snapshot_begin(&bed->snapshot);
	put_device(bed, "mlx5_0");
	put_port(bed, "mlx5_0", 1);
	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_GET, ASK_DUMP, 0, 0);
	tell_device(bed, 1, "mlx5_0", "ib", 1, 1);
	snapshot_done(&bed->snapshot, 0);
	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_PORT_GET, NLM_F_REQUEST, 1, 1);
	snapshot_refuse(&bed->snapshot, -EPERM);
	snapshot_write(&bed->snapshot);
	expect(bed, "mlx5_0", "mlx5_0 type 1" TOLD_DEVICE("1.2.3") " last 1\n1: " PORT_TEXT);
	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_GET, ASK_DUMP, 0, 0);
	tell_device(bed, 1, "mlx5_0", "ib", 1, 1);
	snapshot_done(&bed->snapshot, -EIO);
	snapshot_write(&bed->snapshot);
	expect(bed, "mlx5_0", "mlx5_0" DEVICE_TEXT " last 1\n1: " PORT_TEXT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(files),	 TEST(lacking),	       TEST(broken_ports),
		TEST(endpoints), TEST(broken_devices), TEST(numbers_of_ports),
		TEST(names),	 TEST(told),	       TEST(refused),
	};

	return cmocka_run_group_tests_name("channel-adapter", tests, NULL, NULL);
}
