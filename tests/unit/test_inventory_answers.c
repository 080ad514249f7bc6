/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a host has, from netlink's answers in a snapshot: the facts they give, those that sysfs
 * files add, and what happens where netlink does not answer.
 */
#include "made_up_snapshot.h"

#include "host/inventory/inventory.h"
#include "host/need.h"
#include "kernel/netlink/netlink.h"
#include "render/render.h"

#define CLASS "root/sys/class/infiniband/"

enum { ETHERNET = 1, IPOIB = 32 }; /* ARPHRD_* */
enum { DRIVER_RXE = 14, DRIVER_UNKNOWN = 99 };

struct bed {
	struct made_up_snapshot snapshot;
	struct inventory_request request;
	struct objects objects;
	struct inventory inventory;
	struct problems problems, notes;
	uint16_t link_flags, address_flags; /* of the answers: NLM_F_DUMP_INTR */
};

static void put(struct bed *bed, const char *device, const char *name, const char *text)
{
	_cleanup_(freep) char *path = mem_format(CLASS "%s/%s", device, name);

	tree_write(&bed->snapshot.tree, path, text);
}

static int setup(void **state)
{
	const int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;

	snapshot_begin(&bed->snapshot);
	tree_directory(&bed->snapshot.tree, CLASS);
	bed->request = (struct inventory_request){
		.root = bed->snapshot.tree.path,
		.objects = &bed->objects,
		.closed = true,
	};
	return rc;
}

static void forget(struct bed *bed)
{
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	problems_free(&bed->notes);
	bed->inventory = (struct inventory){.root = NULL};
	bed->problems = bed->notes = (struct problems){.items = NULL};
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	forget(bed);
	objects_free(&bed->objects);
	snapshot_close(&bed->snapshot);
	free(bed);
	return 0;
}

static int load(struct bed *bed, uint64_t needs)
{
	forget(bed);
	snapshot_write(&bed->snapshot);
	bed->request.needs = needs;
	return inventory_load(&bed->inventory, &bed->request, &bed->problems, &bed->notes);
}

/* Compares these columns of the records, separated by blanks, with one line per record. */
static void expect(const struct schema *schema, const char *list, const void *items, size_t size,
		   size_t count, const char *wanted)
{
	const struct render_options options = {.format = FORMAT_TSV};
	_cleanup_(freep) const void **rows = mem_alloc_zero(count + 1, sizeof(*rows));
	_cleanup_(freep) char *text = NULL, *bad = NULL;
	struct columns columns;
	struct document document = {.columns = &columns, .rows = rows, .row_count = count};

	for (size_t i = 0; i < count; i++)
		rows[i] = (const char *)items + i * size;
	assert_int_equal(columns_select(&columns, schema, COLUMNS_DEFAULT, list, &bad), 0);
	assert_int_equal(render_to_text(&options, &document, &text), 0);
	columns_free(&columns);
	for (char *tab = strchr(text, '\t'); tab; tab = strchr(tab, '\t'))
		*tab = ' ';
	assert_string_equal(text, wanted);
}

static void expect_devices(struct bed *bed, const char *list, const char *wanted)
{
	expect(&device_schema, list, bed->inventory.devices.items, sizeof(struct device),
	       bed->inventory.devices.count, wanted);
}

static void expect_ports(struct bed *bed, size_t device, const char *list, const char *wanted)
{
	const struct device *of = &bed->inventory.devices.items[device];

	expect(&port_schema, list, of->ports, sizeof(*of->ports), of->port_count, wanted);
}

/* Compares one line per problem, with its hint at the end. */
static void expect_problems(const struct problems *problems, const char *wanted)
{
	struct text_buffer text = {.text = NULL};

	text_buffer_add(&text, "%s", "");
	for (size_t i = 0; i < problems->count; i++) {
		_cleanup_(freep) char *line = problem_line(&problems->items[i]);
		const char *hint = problems->items[i].hint;

		text_buffer_add(&text, "%s%s%s\n", line, hint ? "; " : "", hint ? hint : "");
	}
	assert_string_equal(text.text, wanted);
	free(text_buffer_take(&text));
}

struct told {
	uint32_t index;
	const char *name, *protocol;
	uint8_t type;
	uint32_t ports;
};

static void got_device(struct bed *bed, const struct told *told)
{
	struct bytes payload = {0};

	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, told->index);
	put_string(&payload, RDMA_NLDEV_ATTR_DEV_NAME, told->name);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, told->ports);
	put_string(&payload, RDMA_NLDEV_ATTR_FW_VERSION, "20.1");
	put_u64(&payload, RDMA_NLDEV_ATTR_NODE_GUID, 0x1000 + told->index);
	put_u64(&payload, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, 0x2000 + told->index);
	put_u8(&payload, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, told->type);
	if (told->protocol)
		put_string(&payload, RDMA_NLDEV_ATTR_DEV_PROTOCOL, told->protocol);
	snapshot_got_rdma(&bed->snapshot, NLM_F_MULTI, &payload);
}

static void answer_devices(struct bed *bed, const struct told *told, size_t count)
{
	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_GET, ASK_DUMP, 0, 0);
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *ports = mem_format(CLASS "%s/ports/1", told[i].name);

		got_device(bed, &told[i]);
		tree_directory(&bed->snapshot.tree, ports);
	}
	snapshot_done(&bed->snapshot, 0);
}

/* Answers for one port: its state, its LID if it has one, and its netdev. */
static void answer_port(struct bed *bed, uint32_t device, uint32_t port, uint8_t port_state,
			uint32_t lid, uint32_t netdev, const char *name)
{
	struct bytes payload = {0};

	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_PORT_GET, NLM_F_REQUEST, device, port);
	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	put_u64(&payload, RDMA_NLDEV_ATTR_CAP_FLAGS, UINT64_C(0x700000002));
	if (lid) {
		put_u64(&payload, RDMA_NLDEV_ATTR_SUBNET_PREFIX, UINT64_C(0xfe80000000000000));
		put_u32(&payload, RDMA_NLDEV_ATTR_LID, lid);
		put_u32(&payload, RDMA_NLDEV_ATTR_SM_LID, lid + 1);
		put_u8(&payload, RDMA_NLDEV_ATTR_LMC, 2);
	}
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_STATE, port_state);
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 5);
	if (netdev) {
		put_u32(&payload, RDMA_NLDEV_ATTR_NDEV_INDEX, netdev);
		put_string(&payload, RDMA_NLDEV_ATTR_NDEV_NAME, name);
	}
	snapshot_got_rdma(&bed->snapshot, 0, &payload);
	snapshot_end(&bed->snapshot);
}

static void refuse_port(struct bed *bed, uint32_t device, uint32_t port, int error)
{
	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_PORT_GET, NLM_F_REQUEST, device, port);
	snapshot_refuse(&bed->snapshot, error);
}

static void ask_uverbs(struct bed *bed, uint32_t device)
{
	struct bytes payload = {0};

	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	put_string(&payload, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
	snapshot_ask(&bed->snapshot, NETLINK_RDMA,
		     (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET_CHARDEV),
		     NLM_F_REQUEST, &payload);
}

static void answer_uverbs(struct bed *bed, uint32_t device, const char *node, uint32_t driver)
{
	struct bytes payload = {0};

	ask_uverbs(bed, device);
	put_string(&payload, RDMA_NLDEV_ATTR_CHARDEV_NAME, node);
	put_u32(&payload, RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, driver);
	snapshot_got_rdma(&bed->snapshot, 0, &payload);
	snapshot_end(&bed->snapshot);
}

struct made_up_netdev {
	int index;
	unsigned short type;
	const char *name, *kind;
	uint32_t mtu, master, lower;
	uint64_t guid; /* of IPoIB, with its P_Key */
	uint16_t pkey;
};

static void got_netdev(struct bed *bed, const struct made_up_netdev *netdev)
{
	const struct ifinfomsg header = {.ifi_type = netdev->type, .ifi_index = netdev->index};
	struct bytes payload = {0}, info = {0}, data = {0};
	uint8_t address[20] = {0x80, 0, 0, 0x48, 0xfe, 0x80};

	bytes_put(&payload, &header, sizeof(header));
	put_string(&payload, IFLA_IFNAME, netdev->name);
	put_u32(&payload, IFLA_MTU, netdev->mtu);
	put_u8(&payload, IFLA_OPERSTATE, 6);
	put_u32(&payload, IFLA_CARRIER_CHANGES, 3);
	if (netdev->master)
		put_u32(&payload, IFLA_MASTER, netdev->master);
	if (netdev->lower)
		put_u32(&payload, IFLA_LINK, netdev->lower);
	if (netdev->guid) {
		for (int i = 0; i < 8; i++)
			address[12 + i] = (uint8_t)(netdev->guid >> (56 - 8 * i));
		put_attribute(&payload, IFLA_ADDRESS, address, sizeof(address));
		put_u16(&data, 1, netdev->pkey); /* IFLA_IPOIB_PKEY */
	}
	if (netdev->kind) {
		put_string(&info, IFLA_INFO_KIND, netdev->kind);
		if (data.length)
			put_nest(&info, IFLA_INFO_DATA, &data);
		put_nest(&payload, IFLA_LINKINFO, &info);
	}
	snapshot_got(&bed->snapshot, RTM_NEWLINK, NLM_F_MULTI | bed->link_flags, &payload);
}

static void answer_netdevs(struct bed *bed, const struct made_up_netdev *netdevs, size_t count)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC};
	struct bytes payload = {0};

	bytes_put(&payload, &header, sizeof(header));
	put_u32(&payload, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	snapshot_ask(&bed->snapshot, NETLINK_ROUTE, RTM_GETLINK, ASK_DUMP, &payload);
	for (size_t i = 0; i < count; i++)
		got_netdev(bed, &netdevs[i]);
	snapshot_done(&bed->snapshot, 0);
}

static void answer_addresses(struct bed *bed)
{
	static const uint8_t ip[] = {10, 0, 0, 1};
	const struct ifaddrmsg question = {.ifa_family = AF_UNSPEC};
	const struct ifaddrmsg header = {
		.ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = 12};
	struct bytes payload = {0}, answer = {0};

	bytes_put(&payload, &question, sizeof(question));
	snapshot_ask(&bed->snapshot, NETLINK_ROUTE, RTM_GETADDR, ASK_DUMP, &payload);
	bytes_put(&answer, &header, sizeof(header));
	put_attribute(&answer, IFA_LOCAL, ip, sizeof(ip));
	snapshot_got(&bed->snapshot, RTM_NEWADDR, NLM_F_MULTI | bed->address_flags, &answer);
	snapshot_done(&bed->snapshot, 0);
}

#define PORT_GUID UINT64_C(0x0002c90300a1b2c3)

static const struct told two[] = {
	{3, "mlx5_0", "roce", 1, 1},
	{5, "ibp1", "ib", 1, 2},
};

static const struct made_up_netdev netdevs[] = {
	{.index = 12, .type = ETHERNET, .name = "eth0", .mtu = 1500, .master = 14},
	{.index = 14, .type = ETHERNET, .name = "bond0", .kind = "bond", .mtu = 1501},
	{.index = 20,
	 .type = IPOIB,
	 .name = "ib0",
	 .kind = "ipoib",
	 .mtu = 2044,
	 .guid = PORT_GUID,
	 .pkey = 0xffff},
};

/* Facts from netlink are not read from files, whose content differs here. */
static void both(void **state)
{
	struct bed *bed = *state;

	answer_devices(bed, two, ARRAY_SIZE(two));
	answer_port(bed, 3, 1, 4, 0, 12, "eth0");
	answer_port(bed, 5, 1, 2, 17, 0, NULL);
	answer_port(bed, 5, 2, 1, 40, 0, NULL);
	put(bed, "mlx5_0", "node_type", "4: RNIC");
	put(bed, "mlx5_0", "fw_ver", "wrong");
	put(bed, "mlx5_0", "node_guid", "0000:0000:0000:0099");
	put(bed, "mlx5_0", "ports/1/state", "1: DOWN");
	put(bed, "mlx5_0", "ports/1/rate", "100 Gb/sec (4X EDR)");
	put(bed, "ibp1", "ports/1/lid", "0x99");
	put(bed, "ibp1", "ports/1/sm_sl", "3");
	put(bed, "ibp1", "ports/2/sm_sl", "4");
	put(bed, "ibp1", "ports/1/rate", "40 Gb/sec (4X QDR)");
	put(bed, "ibp1", "ports/2/rate", "10 Gb/sec (4X SDR)");
	put(bed, "ibp1", "ports/1/link_layer", "InfiniBand");
	put(bed, "ibp1", "ports/2/link_layer", "InfiniBand");
	assert_int_equal(load(bed, NEED_NODE_TYPE | NEED_TRANSPORT | NEED_FIRMWARE | NEED_GUIDS |
					   NEED_NETLINK | NEED_STATE | NEED_PHYSICAL_STATE |
					   NEED_RATE | NEED_LID | NEED_SM_SL | NEED_LINK_LAYER |
					   NEED_CAP_MASK),
			 0);
	assert_true(bed->inventory.answers);
	expect_problems(&bed->problems, "");
	expect_problems(&bed->notes, "");
	expect_devices(bed,
		       "device,index,node_type,transport,protocol,firmware,node_guid,"
		       "system_image_guid,port_count,state,sources",
		       "ibp1 5 ca infiniband ib 20.1 0000:0000:0000:1005 0000:0000:0000:2005 2 "
		       "1 down, 1 init nldev\n"
		       "mlx5_0 3 ca roce roce 20.1 0000:0000:0000:1003 0000:0000:0000:2003 1 "
		       "active nldev\n");
	expect_ports(bed, 0,
		     "device,port,link_layer,state,physical_state,rate_gbps,speed,lid,lmc,sm_lid,"
		     "sm_sl,subnet_prefix,cap_mask,netdev",
		     "ibp1 1 infiniband init link-up 40 QDR 17 2 18 3 fe80:0000:0000:0000 "
		     "0x00000002 \n"
		     "ibp1 2 infiniband down link-up 10 SDR 40 2 41 4 fe80:0000:0000:0000 "
		     "0x00000002 \n");
	expect_ports(bed, 1, "device,port,link_layer,state,rate_gbps,lid,sm_sl,netdev",
		     "mlx5_0 1 ethernet active 100   eth0\n");
}

/* A device removed since netlink's answer, or absent from this sysfs, is one problem. */
static void gone(void **state)
{
	static const struct {
		uint64_t needs;
		const char *attribute;
	} cases[] = {
		{NEED_DRIVER, "driver"},
		{NEED_PCI_ADDRESS, "pci_address"},
		{NEED_NUMA, "pci_address"},
		{NEED_DRIVER | NEED_PCI_LINK, "driver"},
		{NEED_BOARD_ID, "board_id"},
		{NEED_BOARD | NEED_DRIVER | NEED_PCI_ADDRESS | NEED_IRQS, "board_id"},
		{NEED_FREE_CONTEXTS, "free_user_contexts"},
	};
	struct bed *bed = *state;

	snapshot_ask_rdma(&bed->snapshot, RDMA_NLDEV_CMD_GET, ASK_DUMP, 0, 0);
	got_device(bed, &two[0]);
	snapshot_done(&bed->snapshot, 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(load(bed, cases[i].needs), 0);
		assert_int_equal(bed->problems.count, 1);
		assert_string_equal(bed->problems.items[0].object, "mlx5_0");
		assert_string_equal(bed->problems.items[0].attribute, cases[i].attribute);
		assert_string_equal(bed->problems.items[0].error, strerror(ENOENT));
	}
	assert_int_equal(load(bed, NEED_NODE_GUID), 0);
	expect_problems(&bed->problems, "");
}

/* A port that netlink refuses is read from files, and -v reports that. */
static void refused_port(void **state)
{
	struct bed *bed = *state;

	answer_devices(bed, &two[1], 1);
	refuse_port(bed, 5, 1, -EPERM);
	answer_port(bed, 5, 2, 4, 40, 0, NULL);
	put(bed, "ibp1", "ports/1/state", "3: ARMED");
	put(bed, "ibp1", "ports/1/lid", "0x7");
	put(bed, "ibp1", "ports/1/lid_mask_count", "1");
	put(bed, "ibp1", "ports/1/sm_lid", "0x8");
	put(bed, "ibp1", "ports/1/link_layer", "InfiniBand");
	put(bed, "ibp1", "ports/2/link_layer", "InfiniBand");
	assert_int_equal(load(bed, NEED_STATE | NEED_LID | NEED_LINK_LAYER), 0);
	expect_problems(&bed->problems, "");
	assert_int_equal(bed->notes.count, 1);
	assert_string_equal(bed->notes.items[0].object, "ibp1/1");
	assert_string_equal(bed->notes.items[0].attribute, "port");
	assert_string_equal(bed->notes.items[0].source, "nldev");
	assert_string_equal(bed->notes.items[0].error, strerror(EPERM));
	expect_ports(bed, 0, "port,state,lid,lmc,sm_lid", "1 armed 7 1 8\n2 active 40 2 41\n");
	/* Ports are not queried unless a fact about ports is needed. */
	assert_int_equal(load(bed, NEED_NODE_TYPE), 0);
	expect_problems(&bed->notes, "");
	expect_ports(bed, 0, "port,state", "1 \n2 \n");
}

/* Without an answer from RDMA netlink, the devices come from the class directory. */
static void no_answer(void **state)
{
	struct bed *bed = *state;

	put(bed, "mlx5_10", "ports/1/state", "4: ACTIVE");
	put(bed, "mlx5_2", "ports/1/state", "1: DOWN");
	assert_int_equal(load(bed, NEED_STATE), 0);
	expect_problems(&bed->problems, "");
	assert_int_equal(bed->notes.count, 1);
	assert_string_equal(bed->notes.items[0].attribute, "devices");
	assert_string_equal(bed->notes.items[0].source, "nldev");
	assert_string_equal(bed->notes.items[0].hint, "sysfs is used instead");
	expect_devices(bed, "device,index,state,sources",
		       "mlx5_2  down sysfs\nmlx5_10  active sysfs\n");
	/* Netlink lists no devices: an old kernel may still have some in sysfs. */
	answer_devices(bed, NULL, 0);
	assert_int_equal(load(bed, NEED_STATE), 0);
	expect_problems(&bed->notes, "");
	expect_devices(bed, "device,state,sources", "mlx5_2 down sysfs\nmlx5_10 active sysfs\n");
	put(bed, "mlx5_10", "ports/1/state", "9: NEWER");
	assert_int_equal(load(bed, NEED_STATE), 0);
	expect_devices(bed, "device,state", "mlx5_2 down\nmlx5_10 unknown-9\n");
	/* Not if each device is in one network namespace: sysfs may be that of another one. */
	tree_write(&bed->snapshot.tree, "root/sys/module/ib_core/parameters/netns_mode", "N");
	assert_int_equal(load(bed, NEED_STATE), -ENODEV);
	assert_int_equal(bed->inventory.devices.count, 0);
	assert_int_equal(bed->problems.count, 1);
	tree_write(&bed->snapshot.tree, "root/sys/module/ib_core/parameters/netns_mode", "Y");
	assert_int_equal(load(bed, NEED_STATE), 0);
	assert_int_equal(bed->inventory.devices.count, 2);
}

static void no_device(void **state)
{
	struct bed *bed = *state;

	answer_devices(bed, NULL, 0);
	assert_int_equal(load(bed, NEED_STATE), -ENODEV);
	expect_problems(&bed->problems, "no RDMA device in the saved tree\n");
	tree_delete(&bed->snapshot.tree, CLASS);
	assert_int_equal(load(bed, NEED_STATE), -ENODEV);
	expect_problems(&bed->problems, "no sys/class/infiniband in the saved tree\n");
	tree_delete(&bed->snapshot.tree, "root/sys");
	assert_int_equal(load(bed, NEED_STATE), -ENODEV);
	expect_problems(&bed->problems, "no sys/class/infiniband in the saved tree; --root and "
					"RDMACTL_ROOT take the directory that holds sys/\n");
	forget(bed);
	assert_int_equal(inventory_find_core(bed->snapshot.tree.path, &bed->problems), -ENODEV);
	assert_int_equal(bed->problems.count, 1);
	tree_directory(&bed->snapshot.tree, CLASS);
	assert_int_equal(inventory_find_core(bed->snapshot.tree.path, NULL), 0);
	assert_int_equal(inventory_find_core("/nonexistent", NULL), -ENOENT);
	bed->request.root = "/nonexistent";
	assert_int_equal(load(bed, 0), -ENOENT);
}

/* Which roots have netlink answers. */
static void roots(void **state)
{
	struct bed *bed = *state;
	struct inventory inventory;

	assert_false(inventory_answers(bed->snapshot.tree.path));
	snapshot_write(&bed->snapshot);
	assert_true(inventory_answers(bed->snapshot.tree.path));
	assert_false(inventory_answers("/nonexistent"));
	tree_write(&bed->snapshot.tree, "plain/file", "x");
	{
		_cleanup_(freep) char *plain = mem_format("%s/plain", bed->snapshot.tree.path);

		assert_false(inventory_answers(plain));
		inventory = (struct inventory){.root = plain};
		assert_int_equal(inventory_open_rtnl(&inventory, NULL), -EOPNOTSUPP);
		assert_int_equal(inventory_open_nldev(&inventory, NULL), -EOPNOTSUPP);
	}
	inventory = (struct inventory){.root = "/nonexistent"};
	assert_int_equal(inventory_open_rtnl(&inventory, NULL), -ENOENT);
	assert_int_equal(inventory_open_nldev(&inventory, NULL), -ENOENT);
	inventory.root = bed->snapshot.tree.path;
	{
		struct netlink *rtnl = NULL, *nldev = NULL;

		assert_int_equal(inventory_open_rtnl(&inventory, &rtnl), 0);
		assert_int_equal(inventory_open_nldev(&inventory, &nldev), 0);
		netlink_free(rtnl);
		netlink_free(nldev);
	}
}

static const struct told software[] = {
	{7, "rxe0", "roce", 1, 1},
	{8, "siw0", "iw", 4, 1},
	{9, "odd0", "usnic", 5, 1},
	{10, "sw0", NULL, 2, 0},
};

static void add_software(struct bed *bed)
{
	answer_devices(bed, software, ARRAY_SIZE(software));
	for (size_t i = 0; i < ARRAY_SIZE(software); i++) {
		_cleanup_(freep) char *from = mem_format(CLASS "%s", software[i].name);
		_cleanup_(freep) char *to = mem_format("../../devices/virtual/infiniband/%s",
						       software[i].name);
		_cleanup_(freep) char *folder = mem_format(
			"root/sys/devices/virtual/infiniband/%s/ports/1", software[i].name);

		tree_delete(&bed->snapshot.tree, from);
		tree_directory(&bed->snapshot.tree, folder);
		tree_link(&bed->snapshot.tree, from, to);
	}
}

/* Software drivers have no driver link: the loaded modules tell, or the provider of the verbs. */
static void software_drivers(void **state)
{
	struct bed *bed = *state;

	add_software(bed);
	assert_int_equal(load(bed, NEED_DRIVER | NEED_TRANSPORT), 0);
	expect_devices(bed, "device,driver,transport,port_count",
		       "odd0  usnic 1\nrxe0  roce 1\nsiw0  iwarp 1\nsw0   1\n");
	expect_ports(bed, 3, "port", "0\n");
	tree_directory(&bed->snapshot.tree, "root/sys/module/rdma_rxe");
	assert_int_equal(load(bed, NEED_DRIVER), 0);
	expect_devices(bed, "device,driver", "odd0 \nrxe0 rdma_rxe\nsiw0 \nsw0 \n");
	tree_directory(&bed->snapshot.tree, "root/sys/module/siw");
	assert_int_equal(load(bed, NEED_DRIVER), 0);
	expect_devices(bed, "device,driver", "odd0 \nrxe0 rdma_rxe\nsiw0 siw\nsw0 \n");
	expect_problems(&bed->problems, "");
}

/* A hardware device before a software one, and a port that is answered before one that is not. */
static void later_ones(void **state)
{
	static const struct told devices[] = {
		{1, "a0", "roce", 1, 1}, {2, "rxe0", "roce", 1, 2}, {3, "siw1", "iw", 4, 1}};
	static const char *const soft[] = {"rxe0", "siw1"};
	struct bed *bed = *state;

	answer_devices(bed, devices, ARRAY_SIZE(devices));
	answer_port(bed, 1, 1, 4, 0, 0, NULL);
	answer_port(bed, 2, 1, 4, 0, 0, NULL);
	refuse_port(bed, 2, 2, -EPERM);
	answer_port(bed, 3, 1, 1, 0, 0, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(soft); i++) {
		_cleanup_(freep) char *from = mem_format(CLASS "%s", soft[i]);
		_cleanup_(freep) char *to = mem_format("../../devices/virtual/infiniband/%s",
						       soft[i]);
		_cleanup_(freep) char *folder = mem_format(
			"root/sys/devices/virtual/infiniband/%s/ports/2", soft[i]);

		tree_delete(&bed->snapshot.tree, from);
		tree_directory(&bed->snapshot.tree, folder);
		tree_link(&bed->snapshot.tree, from, to);
	}
	put(bed, "rxe0", "ports/2/state", "3: ARMED");
	tree_directory(&bed->snapshot.tree, "root/sys/module/rdma_rxe");
	tree_directory(&bed->snapshot.tree, "root/sys/module/siw");
	assert_int_equal(load(bed, NEED_DRIVER | NEED_STATE), 0);
	expect_devices(bed, "device,driver,state",
		       "a0  active\nrxe0 rdma_rxe 1 armed, 1 active\nsiw1 siw down\n");
	assert_int_equal(bed->notes.count, 1);
	assert_string_equal(bed->notes.items[0].object, "rxe0/2");
	/* Its driver cannot be found, which is reported. */
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "a0");
	assert_string_equal(bed->problems.items[0].attribute, "driver");
}

static void drivers_of_providers(void **state)
{
	struct bed *bed = *state;

	add_software(bed);
	answer_uverbs(bed, 7, "uverbs4", DRIVER_RXE);
	answer_uverbs(bed, 8, "uverbs5", DRIVER_UNKNOWN);
	ask_uverbs(bed, 9);
	snapshot_refuse(&bed->snapshot, -ENODEV);
	/* Without that class, this query would make the kernel load the module. */
	assert_int_equal(load(bed, NEED_DRIVER), 0);
	expect_devices(bed, "device,driver,uverbs", "odd0  \nrxe0  \nsiw0  \nsw0  \n");
	tree_directory(&bed->snapshot.tree, "root/sys/class/infiniband_verbs");
	assert_int_equal(load(bed, NEED_DRIVER), 0);
	expect_devices(bed, "device,driver,uverbs",
		       "odd0  \nrxe0 rdma_rxe uverbs4\nsiw0  uverbs5\nsw0  \n");
	assert_int_equal(bed->inventory.devices.items[2].driver_id.value, DRIVER_UNKNOWN);
}

/* Only the named objects, ordered by name. */
static void named(void **state)
{
	char *words[] = {(char[]){"ibp1/2"}, (char[]){"gone"}, NULL};
	struct bed *bed = *state;
	char *bad = NULL;

	answer_devices(bed, two, ARRAY_SIZE(two));
	answer_port(bed, 5, 2, 4, 40, 0, NULL);
	assert_int_equal(objects_parse(&bed->objects, words, true, &bad), 0);
	assert_int_equal(load(bed, NEED_STATE), 0);
	expect_problems(&bed->problems, "gone: no such RDMA device; there are ibp1, mlx5_0\n");
	expect_devices(bed, "device,port_count", "ibp1 1\n");
	expect_ports(bed, 0, "port,state", "2 active\n");
}

static void add_ports(struct bed *bed)
{
	answer_devices(bed, two, ARRAY_SIZE(two));
	answer_port(bed, 3, 1, 4, 0, 12, "eth0");
	answer_port(bed, 5, 1, 4, 17, 0, NULL);
	answer_port(bed, 5, 2, 1, 40, 0, NULL);
	put(bed, "ibp1", "ports/1/link_layer", "InfiniBand");
	put(bed, "ibp1", "ports/2/link_layer", "InfiniBand");
	put(bed, "ibp1", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:00a1:b2c3");
	put(bed, "ibp1", "ports/2/gids/0", "fe80:0000:0000:0000:0002:c903:00a1:b2c4");
	put(bed, "ibp1", "ports/1/pkeys/0", "0xffff");
	put(bed, "ibp1", "ports/2/pkeys/0", "0xffff");
	put(bed, "mlx5_0", "ports/1/pkeys/0", "0xffff");
	put(bed, "mlx5_0", "ports/1/gids/0", "0000:0000:0000:0000:0000:ffff:0a00:0001");
	put(bed, "mlx5_0", "ports/1/gid_attrs/types/0", "RoCE v2");
	put(bed, "mlx5_0", "ports/1/gid_attrs/ndevs/0", "eth0");
}

/* ConnectX-3 with an InfiniBand port and a RoCE port: netlink tells the kind of the first one. */
static void two_kinds(void **state)
{
	char *words[] = {(char[]){"ibp1/2"}, NULL};
	struct bed *bed = *state;
	char *bad = NULL;

	answer_devices(bed, two, ARRAY_SIZE(two));
	put(bed, "ibp1", "ports/1/link_layer", "InfiniBand");
	put(bed, "ibp1", "ports/1/gids/0", "fe80:0000:0000:0000:0002:c903:00a1:b2c3");
	put(bed, "ibp1", "ports/2/link_layer", "Ethernet");
	put(bed, "ibp1", "ports/2/gids/0", "0000:0000:0000:0000:0000:ffff:0a00:0001");
	put(bed, "ibp1", "ports/2/gid_attrs/types/0", "RoCE v2");
	for (size_t named = 0; named < 2; named++) {
		const struct device *device;

		if (named)
			assert_int_equal(objects_parse(&bed->objects, words, true, &bad), 0);
		assert_int_equal(load(bed, NEED_GIDS | NEED_LINK_LAYER), 0);
		device = &bed->inventory.devices.items[0];
		expect_ports(bed, 0, "port,link_layer",
			     named ? "2 ethernet\n" : "1 infiniband\n2 ethernet\n");
		if (!named)
			expect(&gid_schema, "port,type,ip", device->ports[0].gids,
			       sizeof(struct gid_entry), 1, "1 ib \n");
		expect(&gid_schema, "port,type,ip", device_port(device, 2)->gids,
		       sizeof(struct gid_entry), 1, "2 roce-v2 10.0.0.1\n");
	}
}

#define NETDEV_COLUMNS "port,netdev,netdev_operstate,netdev_mtu_bytes,carrier_changes,port_guid"

/* The port's own netdev comes from netlink; the IPoIB netdev has the port's GUID. */
static void netdevs_of_ports(void **state)
{
	struct bed *bed = *state;

	add_ports(bed);
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	answer_addresses(bed);
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINKS | NEED_PORT_GUID | NEED_ADDRESSES |
					   NEED_GIDS | NEED_GID_NETDEVS | NEED_PKEYS),
			 0);
	expect_problems(&bed->problems, "");
	expect_ports(bed, 0, NETDEV_COLUMNS,
		     "1 ib0 up 2044 3 0002:c903:00a1:b2c3\n2     0002:c903:00a1:b2c4\n");
	expect_ports(bed, 1, NETDEV_COLUMNS, "1 eth0 up 1500 3 0000:ffff:0a00:0001\n");
	expect(&gid_schema,
	       "index,gid,type,ip,netdev,vlan,address_netdev,master,prefix_length,source",
	       bed->inventory.devices.items[1].ports[0].gids, sizeof(struct gid_entry), 1,
	       "0 0000:0000:0000:0000:0000:ffff:0a00:0001 roce-v2 10.0.0.1 eth0  eth0 bond0 24 "
	       "sysfs\n");
	expect(&pkey_schema, "device,port,index,pkey,netdevs",
	       bed->inventory.devices.items[0].ports[0].pkeys, sizeof(struct pkey), 1,
	       "ibp1 1 0 0xffff ib0\n");
	expect(&pkey_schema, "device,port,index,pkey,netdevs",
	       bed->inventory.devices.items[0].ports[1].pkeys, sizeof(struct pkey), 1,
	       "ibp1 2 0 0xffff \n");
}

/* Without the list of netdevs, only RDMA netlink's own facts are known. */
static void netdevs_refused(void **state)
{
	struct bed *bed = *state;

	add_ports(bed);
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINKS | NEED_PORT_GUID), 0);
	assert_int_equal(bed->problems.count, 1);
	assert_null(bed->problems.items[0].object);
	assert_string_equal(bed->problems.items[0].attribute, "netdevs");
	assert_string_equal(bed->problems.items[0].source, "rtnetlink");
	expect_ports(bed, 0, "port,netdev", "1 \n2 \n");
	assert_true(bed->inventory.devices.items[0].ports[0].netdev_unknown);
	expect_ports(bed, 1, "port,netdev,netdev_mtu_bytes", "1 eth0 \n");
	/* If only the addresses fail, the netdevs are still listed. */
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	assert_int_equal(load(bed, NEED_NETDEV), 0);
	expect_problems(&bed->problems, "");
	expect_ports(bed, 0, "port,netdev", "1 ib0\n2 \n");
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINKS | NEED_ADDRESSES), 0);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].attribute, "netdevs");
	expect_ports(bed, 0, "port,netdev", "1 ib0\n2 \n");
	assert_false(bed->inventory.devices.items[0].ports[1].netdev_unknown);
}

#define CHANGED " changed while they were read: some may be missing\n"

/* The netdevs received are shown, but a missing one may still exist. */
static void netdevs_changed(void **state)
{
	struct bed *bed = *state;

	add_ports(bed);
	bed->address_flags = NLM_F_DUMP_INTR;
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	answer_addresses(bed);
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINKS | NEED_ADDRESSES), 0);
	expect_problems(&bed->problems, "the addresses of netdevs" CHANGED);
	expect_ports(bed, 0, "port,netdev", "1 ib0\n2 \n");
	assert_false(bed->inventory.devices.items[0].ports[1].netdev_unknown);
	bed->link_flags = NLM_F_DUMP_INTR;
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINKS), 0);
	expect_problems(&bed->problems, "the netdevs" CHANGED);
	expect_ports(bed, 0, "port,netdev", "1 ib0\n2 \n");
	assert_true(bed->inventory.devices.items[0].ports[1].netdev_unknown);
}

/* Only verbs have a port's MTU, and no device may be opened. */
static void closed(void **state)
{
	struct bed *bed = *state;

	answer_devices(bed, two, 1);
	answer_port(bed, 3, 1, 4, 0, 12, "eth0");
	assert_int_equal(load(bed, NEED_MTU), 0);
	expect_problems(&bed->problems, "");
	expect_problems(&bed->notes, "cannot read MTU: no device is opened\n");
}

/* Only sysfs has a netdev's speed. */
static void speeds(void **state)
{
	struct bed *bed = *state;

	add_ports(bed);
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/speed", "25000");
	tree_write(&bed->snapshot.tree, "root/sys/class/net/bond0/speed", "50000");
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINK_LIST | NEED_NETDEV_SPEED), 0);
	assert_int_equal(bed->inventory.links.count, 3);
	assert_int_equal(bed->inventory.links.items[0].speed_mbps.value, 25000);
	assert_int_equal(bed->inventory.links.items[1].speed_mbps.value, 50000);
	assert_false(bed->inventory.links.items[2].speed_mbps.known);
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINK_LIST), 0);
	assert_false(bed->inventory.links.items[0].speed_mbps.known);
}

/* Files of netdevs with these names may belong to another network namespace. */
static void netdevs_of_others(void **state)
{
	struct bed *bed = *state;

	add_ports(bed);
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/ifindex", "2");
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/speed", "25000");
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINK_LIST | NEED_NETDEV_SPEED), 0);
	assert_false(bed->inventory.links.items[0].speed_mbps.known);
	expect_problems(&bed->problems,
			"cannot read netdevs: /sys shows those of another network namespace; mount "
			"the sysfs of this one: mount -t sysfs sysfs /sys\n");
	assert_int_equal(load(bed, NEED_NETDEV), 0);
	assert_int_equal(bed->problems.count, 1);
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/ifindex", "12");
	assert_int_equal(load(bed, NEED_NETDEV), 0);
	expect_problems(&bed->problems, "");
}

/* Another netdev got the name since the ports were read: that is no other network namespace. */
static void netdevs_renamed(void **state)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC};
	const struct made_up_netdev renamed = {.index = 2, .type = ETHERNET, .name = "eth0"};
	struct bed *bed = *state;
	struct bytes payload = {0};

	add_ports(bed);
	answer_netdevs(bed, netdevs, ARRAY_SIZE(netdevs));
	bytes_put(&payload, &header, sizeof(header));
	put_string(&payload, IFLA_IFNAME, "eth0");
	snapshot_ask(&bed->snapshot, NETLINK_ROUTE, RTM_GETLINK, NLM_F_REQUEST, &payload);
	got_netdev(bed, &renamed);
	snapshot_end(&bed->snapshot);
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/ifindex", "2");
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/speed", "25000");
	tree_write(&bed->snapshot.tree, "root/sys/class/net/bond0/speed", "50000");
	tree_write(&bed->snapshot.tree, "root/sys/class/net/ib0/speed", "100000");
	assert_int_equal(load(bed, NEED_NETDEV | NEED_LINK_LIST | NEED_NETDEV_SPEED), 0);
	assert_false(bed->inventory.links.items[0].speed_mbps.known);
	assert_int_equal(bed->inventory.links.items[1].speed_mbps.value, 50000);
	expect_problems(&bed->problems, "");
	tree_write(&bed->snapshot.tree, "root/sys/class/net/eth0/ifindex", "3");
	assert_int_equal(load(bed, NEED_NETDEV), 0);
	assert_int_equal(bed->problems.count, 1);
}

static void expect_names(const struct strings *names, const char *wanted)
{
	struct text_buffer text = {.text = NULL};

	assert_true(names->known);
	text_buffer_add(&text, "%s", "");
	for (size_t i = 0; i < names->count; i++)
		text_buffer_add(&text, "%s%s", i ? " " : "", names->items[i]);
	assert_string_equal(text.text, wanted);
	free(text_buffer_take(&text));
}

/* Names for completion come from files alone. */
static void names(void **state)
{
	struct bed *bed = *state;
	const char *path = bed->snapshot.tree.path;
	struct strings found;

	put(bed, "mlx5_0", "ports/1/state", "4: ACTIVE");
	put(bed, "mlx5_0", "ports/2/state", "4: ACTIVE");
	put(bed, "b1", "node_type", "1: CA");
	tree_directory(&bed->snapshot.tree, "root/sys/class/net/eth0");
	tree_directory(&bed->snapshot.tree, "root/sys/class/net/lo");
	inventory_names(path, false, &found);
	expect_names(&found, "b1 mlx5_0");
	strings_free(&found);
	inventory_names(path, true, &found);
	expect_names(&found, "b1 mlx5_0 mlx5_0/1 mlx5_0/2");
	strings_free(&found);
	inventory_netdev_names(path, &found);
	expect_names(&found, "eth0 lo");
	strings_free(&found);
	inventory_names("/nonexistent", true, &found);
	expect_names(&found, "");
	inventory_netdev_names("/nonexistent", &found);
	expect_names(&found, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(both),
		TEST(refused_port),
		TEST(gone),
		TEST(no_answer),
		TEST(no_device),
		TEST(roots),
		TEST(software_drivers),
		TEST(later_ones),
		TEST(drivers_of_providers),
		TEST(named),
		TEST(two_kinds),
		TEST(netdevs_of_ports),
		TEST(netdevs_refused),
		TEST(netdevs_changed),
		TEST(closed),
		TEST(speeds),
		TEST(netdevs_of_others),
		TEST(netdevs_renamed),
		TEST(names),
	};

	return cmocka_run_group_tests_name("inventory-answers", tests, NULL, NULL);
}
