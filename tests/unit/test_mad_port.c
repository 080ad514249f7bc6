/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which port management datagrams are sent from. */
#include "saved_tree.h"

#include "base/mem.h"
#include "borrowed.h"
#include "mad/session.h"

enum { DOWN = 1, INIT = 2, ACTIVE = 4, POLLING = 2, LINK_UP = 5 };
#define SM_DISABLED (1u << 10)

static struct port *add(struct inventory *inventory, const char *name, enum link_layer layer,
			unsigned int state, unsigned int physical)
{
	struct device *device = device_list_add(&inventory->devices, name);
	struct port *port = device_add_port(device, 1);

	device->node_type = number_of(layer == LINK_LAYER_UNSPECIFIED ? NODE_TYPE_RNIC
								      : NODE_TYPE_CA);
	port->link_layer = number_of(layer);
	port->state = number_of(state);
	port->physical_state = number_of(physical);
	port->port_guid = number_of(0x1000 + inventory->devices.count);
	return port;
}

/* Expects these devices, "" for none; frees everything. */
static void check(struct inventory *inventory, bool ethernet, const char *device,
		  const char *smi_device)
{
	struct mad_port port = {.device = NULL};
	char *reason = NULL, *hint = NULL;
	int rc = mad_port_choose(inventory, ethernet, &port, &reason, &hint);

	if (!*device) {
		assert_int_equal(rc, -EOPNOTSUPP);
		assert_non_null(reason);
		assert_non_null(hint);
	} else {
		assert_int_equal(rc, 0);
		assert_null(reason);
		assert_string_equal(port.device, device);
		if (smi_device)
			assert_string_equal(port.smi_device, smi_device);
		else
			assert_null(port.smi_device);
	}
	free(reason);
	free(hint);
	mad_port_clear(&port);
	inventory_free(inventory);
}

static void active_before_others(void **state)
{
	struct inventory inventory = {.answers = true};

	(void)state;
	add(&inventory, "a", LINK_LAYER_INFINIBAND, DOWN, POLLING);
	add(&inventory, "b", LINK_LAYER_INFINIBAND, INIT, LINK_UP);
	add(&inventory, "c", LINK_LAYER_ETHERNET, ACTIVE, LINK_UP);
	add(&inventory, "d", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
	add(&inventory, "e", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
	check(&inventory, true, "d", "d");
	add(&inventory, "a", LINK_LAYER_INFINIBAND, DOWN, POLLING);
	add(&inventory, "b", LINK_LAYER_INFINIBAND, INIT, LINK_UP);
	check(&inventory, false, "b", "b");
	add(&inventory, "a", LINK_LAYER_INFINIBAND, DOWN, POLLING);
	check(&inventory, false, "a", "a");
}

static void ethernet_where_it_will_do(void **state)
{
	struct inventory inventory = {.answers = true};

	(void)state;
	add(&inventory, "a", LINK_LAYER_ETHERNET, DOWN, POLLING);
	add(&inventory, "b", LINK_LAYER_ETHERNET, ACTIVE, LINK_UP);
	check(&inventory, true, "b", NULL);
	add(&inventory, "b", LINK_LAYER_ETHERNET, ACTIVE, LINK_UP);
	check(&inventory, false, "", NULL);
	add(&inventory, "b", LINK_LAYER_ETHERNET, ACTIVE, LINK_UP);
	add(&inventory, "c", LINK_LAYER_ETHERNET, ACTIVE, LINK_UP);
	check(&inventory, false, "", NULL);
	/* iWARP has no queue pair 1. */
	add(&inventory, "w", LINK_LAYER_UNSPECIFIED, ACTIVE, LINK_UP);
	check(&inventory, true, "", NULL);
}

static void no_link_layer_is_infiniband(void **state)
{
	struct inventory inventory = {.answers = true};
	struct port *port = add(&inventory, "a", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);

	(void)state;
	port->link_layer.known = false;
	check(&inventory, false, "a", "a");
}

/* The port of all planes has no subnet management; the port with the same GUID does. */
static void planes(void **state)
{
	struct inventory inventory = {.answers = true};
	struct port *port;

	(void)state;
	port = add(&inventory, "mlx5_0", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
	port->cap_mask = number_of(SM_DISABLED);
	port->port_guid = number_of(0x77);
	add(&inventory, "other", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
	port = add(&inventory, "smi1", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
	port->port_guid = number_of(0x77);
	inventory.devices.items[2].parent = strdup("mlx5_0");
	check(&inventory, false, "mlx5_0", "smi1");
}

static void default_prefix(void **state)
{
	struct inventory inventory = {.answers = true};
	struct port *port = add(&inventory, "a", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
	struct mad_port chosen;
	char *reason = NULL, *hint = NULL;

	(void)state;
	port->lid = number_of(7);
	port->sm_lid = number_of(3);
	port->sm_sl = number_of(2);
	assert_int_equal(mad_port_choose(&inventory, false, &chosen, &reason, &hint), 0);
	assert_int_equal(chosen.route.lid, 7);
	assert_int_equal(chosen.route.sm_lid, 3);
	assert_int_equal(chosen.route.sm_sl, 2);
	assert_true(chosen.route.subnet_manager);
	assert_int_equal(gid_subnet_prefix(&chosen.route.gid), 0xfe80000000000000);
	assert_int_equal(gid_interface_id(&chosen.route.gid), 0x1001);
	mad_port_clear(&chosen);
	inventory_free(&inventory);
}

/* A port not configured by a subnet manager: the second of two, with its own subnet prefix. */
static void without_a_manager(void **state)
{
	static const uint64_t lids[] = {0, UINT64_MAX};
	char *reason = NULL, *hint = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lids); i++) {
		struct inventory inventory = {.answers = true};
		struct device *device;
		struct port *port;
		struct mad_port chosen;

		add(&inventory, "a", LINK_LAYER_INFINIBAND, DOWN, POLLING);
		device = &inventory.devices.items[0];
		port = device_add_port(device, 2);
		port->link_layer = number_of(LINK_LAYER_INFINIBAND);
		port->physical_state = number_of(LINK_UP);
		port->state = number_of(INIT);
		port->subnet_prefix = number_of(0xfec0000000000001);
		port->port_guid = number_of(0x0123456789abcdef);
		/* As mlx5 reports it. */
		port->lid = number_of(0xffff);
		if (lids[i] != UINT64_MAX)
			port->sm_lid = number_of(lids[i]);
		assert_int_equal(mad_port_choose(&inventory, false, &chosen, &reason, &hint), 0);
		assert_int_equal(chosen.port, 2);
		assert_int_equal(chosen.smi_port, 2);
		assert_string_equal(chosen.smi_device, "a");
		assert_false(chosen.route.subnet_manager);
		assert_int_equal(chosen.route.lid, 0);
		assert_int_equal(gid_subnet_prefix(&chosen.route.gid), 0xfec0000000000001);
		assert_int_equal(gid_interface_id(&chosen.route.gid), 0x0123456789abcdef);
		mad_port_clear(&chosen);
		inventory_free(&inventory);
	}
}

/*
 * A port without subnet management, and others with its GUID: itself, one that lacks it too, and
 * port 2 of another device, which has it. Without a GUID there is no such pair.
 */
static void pair_of_a_port(void **state)
{
	char *reason = NULL, *hint = NULL;

	(void)state;
	for (unsigned int known = 0; known < 2; known++) {
		struct inventory inventory = {.answers = true};
		struct mad_port chosen;
		struct port *port;

		port = add(&inventory, "all", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
		port->cap_mask = number_of(SM_DISABLED);
		port->port_guid = known ? number_of(0x77) : (struct number){0};
		port = add(&inventory, "none", LINK_LAYER_INFINIBAND, INIT, LINK_UP);
		port->cap_mask = number_of(SM_DISABLED);
		port->port_guid = number_of(0x77);
		add(&inventory, "smi", LINK_LAYER_INFINIBAND, INIT, LINK_UP);
		port = device_add_port(&inventory.devices.items[2], 2);
		port->cap_mask = number_of(0xfffffbff); /* all bits but that one */
		port->port_guid = known ? number_of(0x77) : (struct number){0};
		assert_int_equal(mad_port_choose(&inventory, false, &chosen, &reason, &hint), 0);
		assert_string_equal(chosen.device, "all");
		assert_string_equal(chosen.smi_device, known ? "smi" : "all");
		assert_int_equal(chosen.smi_port, known ? 2 : 1);
		mad_port_clear(&chosen);
		inventory_free(&inventory);
	}
}

/* A plane is used if there is nothing else. */
static void a_plane_alone(void **state)
{
	struct inventory inventory = {.answers = true};

	(void)state;
	add(&inventory, "plane", LINK_LAYER_INFINIBAND, DOWN, POLLING);
	inventory.devices.items[0].parent = strdup("whole");
	check(&inventory, false, "plane", "plane");
}

/* A plane is the last choice, after an InfiniBand port that is down and an Ethernet port. */
static void a_plane_is_last(void **state)
{
	static const enum link_layer layers[] = {LINK_LAYER_INFINIBAND, LINK_LAYER_ETHERNET};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layers); i++) {
		struct inventory inventory = {.answers = true};

		add(&inventory, "plane", LINK_LAYER_INFINIBAND, ACTIVE, LINK_UP);
		inventory.devices.items[0].parent = strdup("whole");
		add(&inventory, "whole", layers[i], DOWN, POLLING);
		check(&inventory, true, "whole", i ? NULL : "whole");
	}
}

static void explained(void **state)
{
	static const int errors[] = {-ELIBACC, -ELIBBAD, -EACCES, -ENODEV};
	struct mad_port port = {.device = strdup("no-such-device"), .port = 1};

	(void)state;
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		char *reason = NULL, *hint = NULL;

		mad_port_explain(&port, errors[i], &reason, &hint);
		assert_non_null(reason);
		assert_non_null(hint);
		assert_non_null(strstr(reason, i < 2 ? "libibumad" : "no-such-device/1"));
		free(reason);
		free(hint);
	}
	free(port.device);
}

/* The device file of exactly this port. */
static void device_files(void **state)
{
	static const struct {
		const char *device;
		unsigned int port;
		const char *node;
	} cases[] = {
		{"mlx5_0", 1, "/dev/infiniband/umad3"},
		{"mlx5_0", 2, "/dev/infiniband/umad0"},
		{"mlx5_1", 1, "/dev/infiniband/umad10"},
		{"mlx5_1", 2, NULL},
		{"mlx5_2", 1, NULL},
		{"mlx5", 1, NULL},
	};
	struct saved_tree tree;

	(void)state;
	tree_open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mad_port port = {.device = borrowed(cases[i].device), .port = cases[i].port};

		assert_null(mad_port_find_node(&port, &tree.root));
	}
	tree_write(&tree, "sys/class/infiniband_mad/abi_version", "5");
	tree_write(&tree, "sys/class/infiniband_mad/issm0/ibdev", "mlx5_2");
	tree_write(&tree, "sys/class/infiniband_mad/issm0/port", "1");
	tree_write(&tree, "sys/class/infiniband_mad/umad0/ibdev", "mlx5_0");
	tree_write(&tree, "sys/class/infiniband_mad/umad0/port", "2");
	tree_write(&tree, "sys/class/infiniband_mad/umad1/port", "1");
	tree_write(&tree, "sys/class/infiniband_mad/umad2/ibdev", "mlx5_1");
	tree_write(&tree, "sys/class/infiniband_mad/umad3/ibdev", "mlx5_0");
	tree_write(&tree, "sys/class/infiniband_mad/umad3/port", "1");
	tree_write(&tree, "sys/class/infiniband_mad/umad10/ibdev", "mlx5_1");
	tree_write(&tree, "sys/class/infiniband_mad/umad10/port", "1");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mad_port port = {.device = borrowed(cases[i].device), .port = cases[i].port};
		char *node = mad_port_find_node(&port, &tree.root);

		if (cases[i].node)
			assert_string_equal(node, cases[i].node);
		else
			assert_null(node);
		free(node);
	}
	tree_close(&tree);
}

static void assert_explained(const char *node, int error, const char *reason, const char *hint)
{
	struct mad_port port = {.device = borrowed("m"), .port = 2};
	char *said = NULL, *step = NULL;

	mad_port_explain_node(&port, node, error, &said, &step);
	assert_string_equal(said, reason);
	if (hint)
		assert_non_null(strstr(step, hint));
	else
		assert_null(step);
	free(said);
	free(step);
}

/* Why a device file cannot be opened, given the files present and the error. */
static void device_files_explained(void **state)
{
	static const int gone[] = {-ENODEV, -ENXIO};
	struct saved_tree tree;
	char reason[256];
	int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	assert_true(before >= 0);
	tree_open(&tree);
	tree_write(&tree, "umad63", "");
	tree_write(&tree, "umad64", "");
	/* No other number may precede its name in the path. */
	assert_int_equal(fchdir(tree.root.fd), 0);
	assert_int_equal(chmod("umad63", 0640), 0);
	assert_explained(NULL, -EACCES, "m/2 has no umad device file", "modprobe ib_umad");
	assert_explained("umad63", -ELIBACC,
			 "libibumad, which carries management datagrams, cannot be loaded",
			 "install it");
	assert_explained(NULL, -ELIBBAD,
			 "libibumad, which carries management datagrams, cannot be loaded",
			 "too old");
	snprintf(reason, sizeof(reason), "cannot find umad9 of m/2: %s", strerror(ENOENT));
	assert_explained("umad9", -EACCES, reason, "in a container");
	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		snprintf(reason, sizeof(reason), "cannot open umad63 of m/2: %s",
			 strerror(-gone[i]));
		assert_explained("umad63", gone[i], reason, "going away");
	}
	assert_explained("umad64", -ENODEV,
			 "cannot open umad64 of m/2: libibumad opens only the first 64 umad device "
			 "files, since rdma-core 64 the first 192",
			 "a lower number");
	snprintf(reason, sizeof(reason), "cannot open umad64 of m/2: %s", strerror(ENXIO));
	assert_explained("umad64", -ENXIO, reason, "going away");
	snprintf(reason, sizeof(reason),
		 "cannot open umad63 of m/2 (mode 0640, owner %u, group %u): %s",
		 (unsigned int)geteuid(), (unsigned int)getegid(), strerror(EACCES));
	assert_explained("umad63", -EACCES, reason, "run as root");
	/* Neither root nor udev helps with these. */
	snprintf(reason, sizeof(reason), "cannot open umad63 of m/2: %s", strerror(EMFILE));
	assert_explained("umad63", -EMFILE, reason, NULL);
	snprintf(reason, sizeof(reason), "cannot find umad63/umad0 of m/2: %s", strerror(ENOTDIR));
	assert_explained("umad63/umad0", -EACCES, reason, NULL);
	assert_int_equal(fchdir(before), 0);
	close(before);
	tree_close(&tree);
}

/* Messages about unusable ports; {node type, link layer} ends with type 0. */
static void refused(void **state)
{
	static const struct {
		struct {
			enum node_type type;
			enum link_layer layer;
		} devices[3];
		bool ethernet;
		const char *reason;
		bool has_ping;
	} rows[] = {
		{{{NODE_TYPE_CA, LINK_LAYER_ETHERNET}}, false, "port d0/1 is Ethernet", true},
		{{{NODE_TYPE_CA, LINK_LAYER_ETHERNET}, {NODE_TYPE_RNIC, LINK_LAYER_ETHERNET}},
		 false,
		 "the 2 ports here are Ethernet",
		 true},
		{{{NODE_TYPE_RNIC, LINK_LAYER_ETHERNET}},
		 true,
		 "port d0/1 is Ethernet with iWARP",
		 false},
		{{{NODE_TYPE_RNIC, LINK_LAYER_ETHERNET}, {NODE_TYPE_RNIC, LINK_LAYER_ETHERNET}},
		 false,
		 "the 2 ports here are Ethernet with iWARP",
		 false},
		{{{NODE_TYPE_CA, LINK_LAYER_ETHERNET},
		  {NODE_TYPE_UNSPECIFIED, LINK_LAYER_UNSPECIFIED}},
		 false,
		 "no InfiniBand port",
		 true},
	};
	struct mad_port port;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct inventory inventory = {.answers = true};
		char *reason = NULL, *hint = NULL, name[] = "d0";

		for (size_t j = 0; rows[i].devices[j].type; j++, name[1]++) {
			add(&inventory, name, rows[i].devices[j].layer, ACTIVE, LINK_UP);
			inventory.devices.items[j].node_type = number_of(rows[i].devices[j].type);
		}
		assert_int_equal(mad_port_choose(&inventory, rows[i].ethernet, &port, &reason,
						 &hint),
				 -EOPNOTSUPP);
		assert_ptr_equal(strstr(reason, rows[i].reason), reason);
		assert_int_equal(strstr(reason, "iWARP") != NULL,
				 strstr(rows[i].reason, "iWARP") != NULL);
		/* A port that cannot send datagrams cannot ping either. */
		assert_int_equal(strstr(hint, "rdmactl ping") != NULL, rows[i].has_ping);
		assert_non_null(strstr(hint, "selftest"));
		free(reason);
		free(hint);
		inventory_free(&inventory);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(active_before_others),
		cmocka_unit_test(ethernet_where_it_will_do),
		cmocka_unit_test(no_link_layer_is_infiniband),
		cmocka_unit_test(planes),
		cmocka_unit_test(default_prefix),
		cmocka_unit_test(refused),
		cmocka_unit_test(explained),
		cmocka_unit_test(device_files),
		cmocka_unit_test(device_files_explained),
		cmocka_unit_test(without_a_manager),
		cmocka_unit_test(pair_of_a_port),
		cmocka_unit_test(a_plane_is_last),
		cmocka_unit_test(a_plane_alone),
	};

	return cmocka_run_group_tests_name("mad_port", tests, NULL, NULL);
}
