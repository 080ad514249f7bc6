/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a watcher reads, and from where: the list of devices and the state of ports from RDMA
 * netlink, which the test answers, and everything else from a tree of files.
 */
#include "netlink_message.h"
#include "saved_tree.h"

#include <net/if_arp.h>
#include <rdma/rdma_netlink.h>

#include "base/clock.h"
#include "event/watcher.h"
#include "mad/format/codes.h"

#define DEVICES "sys/class/infiniband/"

/* The answers of the kernel. A missing port is refused. */
struct told_port {
	uint32_t device, port;
	uint8_t state, physical_state;
	uint32_t lid, netdev_index; /* 0: not reported */
	const char *netdev;
};

struct told_device {
	uint32_t index, ports;
	const char *name, *protocol;
};

struct world {
	struct told_device devices[8];
	size_t device_count;
	struct told_port ports[8];
	size_t port_count;
	int error; /* result of the list */
};

struct bed {
	struct saved_tree tree;
	struct objects objects;
	struct watcher *watcher;
	struct event_list events;
	struct problems warnings, notes;
	struct fake_kernel kernel;
	struct world world;
	bool watching; /* the kernel answers, in a thread */
};

/* ---- The kernel ---- */

static void answer_devices(struct fake_kernel *kernel, uint32_t sequence)
{
	const struct world *world = kernel->context;
	struct bytes datagram = {0}, done = {0};

	for (size_t i = 0; i < world->device_count && !world->error; i++) {
		const struct told_device *device = &world->devices[i];
		struct bytes payload = {0};

		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device->index);
		put_string(&payload, RDMA_NLDEV_ATTR_DEV_NAME, device->name);
		put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, device->ports);
		if (device->protocol)
			put_string(&payload, RDMA_NLDEV_ATTR_DEV_PROTOCOL, device->protocol);
		put_message(&datagram, 0x1401, NLM_F_MULTI, sequence, payload.data, payload.length);
	}
	if (datagram.length)
		fake_send(kernel, &datagram);
	put_done(&done, sequence, world->error);
	fake_send(kernel, &done);
}

static const struct told_port *find_port(const struct world *world, const struct nlmsghdr *request)
{
	const uint8_t *data = (const uint8_t *)request + NLMSG_HDRLEN;
	uint32_t device, port;

	memcpy(&device, data + NLA_HDRLEN, sizeof(device));
	memcpy(&port, data + 2 * NLA_HDRLEN + 4, sizeof(port));
	for (size_t i = 0; i < world->port_count; i++)
		if (world->ports[i].device == device && world->ports[i].port == port)
			return &world->ports[i];
	return NULL;
}

static void answer_port(struct fake_kernel *kernel, const struct nlmsghdr *request)
{
	const struct told_port *port = find_port(kernel->context, request);
	struct bytes payload = {0}, datagram = {0};

	if (!port) {
		put_error(&datagram, request->nlmsg_seq, -EINVAL, "no such port");
		fake_send(kernel, &datagram);
		return;
	}
	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, port->device);
	put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, port->port);
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_STATE, port->state);
	put_u8(&payload, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, port->physical_state);
	if (port->lid)
		put_u32(&payload, RDMA_NLDEV_ATTR_LID, port->lid);
	if (port->netdev_index) {
		put_u32(&payload, RDMA_NLDEV_ATTR_NDEV_INDEX, port->netdev_index);
		put_string(&payload, RDMA_NLDEV_ATTR_NDEV_NAME, port->netdev);
	}
	put_message(&datagram, 0x1401, 0, request->nlmsg_seq, payload.data, payload.length);
	fake_send(kernel, &datagram);
}

/* RDMA_NLDEV_CMD_GET and RDMA_NLDEV_CMD_PORT_GET. */
static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (request, requests) {
		if (request->nlmsg_type == 0x1401)
			answer_devices(kernel, request->nlmsg_seq);
		else
			answer_port(kernel, request);
	}
}

/* ---- The bed ---- */

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	bed->kernel.serve = serve;
	bed->kernel.context = &bed->world;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	event_list_clear(&bed->events);
	watcher_free(bed->watcher);
	if (bed->watching)
		fake_stop(&bed->kernel);
	objects_free(&bed->objects);
	problems_free(&bed->warnings);
	problems_free(&bed->notes);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void put(const struct bed *bed, const char *device, unsigned int port, const char *name,
		const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/ports/%u/%s", device, port, name);
	tree_write(&bed->tree, path, text);
}

static void tell_device(struct bed *bed, uint32_t index, const char *name, const char *protocol,
			uint32_t ports)
{
	bed->world.devices[bed->world.device_count++] = (struct told_device){
		.index = index, .name = name, .protocol = protocol, .ports = ports};
}

/* Starts without devices; they come with the first step. */
static void watch(struct bed *bed)
{
	const struct watcher_options options = {.root = bed->tree.path, .objects = &bed->objects};

	assert_int_equal(watcher_open(&options, &bed->watcher, &bed->warnings, &bed->notes), 0);
	assert_int_equal(bed->watcher->device_count, 0);
	bed->watcher->root.live = bed->watcher->root.below = true;
	bed->watching = true;
	bed->watcher->nldev = netlink_from_fd(fake_start(&bed->kernel), 4096);
}

/* Polls, and compares the events as `word object`. */
static void expect_at(struct bed *bed, const char *wanted, int line)
{
	const struct event_time time = {.wall_nsec = 5, .monotonic_nsec = 7};
	char text[2048] = "";

	/* The test's netdevs are not this host's, which is not queried before it is time. */
	bed->watcher->next_poll_msec = clock_msec() + 60000;
	bed->watcher->devices_stale = true;
	for (size_t i = 0; i < bed->watcher->device_count; i++)
		for (size_t j = 0; j < bed->watcher->devices[i].tracked->port_count; j++)
			watcher_mark_port(&bed->watcher->devices[i].tracked->ports[j], STALE_ALL,
					  EVENT_SOURCE_POLL);
	event_list_clear(&bed->events);
	assert_int_equal(watcher_step(bed->watcher, &time, &bed->events), 0);
	for (size_t i = 0; i < bed->events.count; i++) {
		const struct event *event = &bed->events.items[i];
		const size_t length = strlen(text);

		snprintf(text + length, sizeof(text) - length, "%s%s %s", length ? ", " : "",
			 enum_word(event_names, event->word.value, "?"), event->object);
	}
	if (strcmp(text, wanted))
		fail_msg("line %d: '%s' instead of '%s'", line, text, wanted);
}

#define EXPECT(bed, wanted) expect_at(bed, wanted, __LINE__)

static const struct tracked_port *port_of(const struct bed *bed, size_t device, size_t port)
{
	assert_true(device < bed->watcher->device_count);
	assert_true(port < bed->watcher->devices[device].tracked->port_count);
	return &bed->watcher->devices[device].tracked->ports[port];
}

/* ---- The list of devices ---- */

static void list_of_devices(void **state)
{
	struct bed *bed = *state;

	put(bed, "mlx5_10", 1, "link_layer", "InfiniBand");
	put(bed, "mlx5_2", 1, "link_layer", "InfiniBand");
	put(bed, "mlx5_2", 2, "link_layer", "InfiniBand");
	tree_delete(&bed->tree, DEVICES);
	watch(bed);
	tell_device(bed, 4, "mlx5_10", "ib", 1);
	tell_device(bed, 3, "mlx5_2", "ib", 2);
	EXPECT(bed, "device-added mlx5_2, device-added mlx5_10");
	assert_int_equal(bed->watcher->devices[0].index.value, 3);
	assert_int_equal(bed->watcher->devices[0].tracked->port_count, 2);
	assert_int_equal(port_of(bed, 0, 0)->number, 1);
	assert_int_equal(port_of(bed, 0, 1)->number, 2);
	assert_int_equal(bed->watcher->devices[1].index.value, 4);
	assert_int_equal(bed->watcher->devices[1].tracked->port_count, 1);
	EXPECT(bed, "");
	/* The same device under another name, and another one under the same name. */
	bed->world.devices[1].name = "ib0";
	EXPECT(bed, "device-renamed ib0");
	assert_string_equal(bed->events.items[0].name_before, "mlx5_2");
	bed->world.devices[0].index = 5;
	EXPECT(bed, "device-removed mlx5_10, device-added mlx5_10");
	bed->world.device_count = 1;
	EXPECT(bed, "device-removed ib0");
	/* Without an answer, the tree is read; it has no device numbers. */
	bed->world.error = -ENOMEM;
	put(bed, "mlx5_10", 1, "state", "1: DOWN");
	put(bed, "mlx5_11", 1, "state", "4: ACTIVE");
	put(bed, "mlx5_11", 2, "state", "1: DOWN");
	EXPECT(bed, "device-added mlx5_11, port-active mlx5_11/1");
	assert_int_equal(bed->watcher->devices[0].index.value, 5);
	assert_false(bed->watcher->devices[1].index.known);
	assert_int_equal(bed->watcher->devices[1].tracked->port_count, 2);
	/* A tree without devices is no error, either. */
	tree_delete(&bed->tree, DEVICES);
	EXPECT(bed, "port-down mlx5_11/1, device-removed mlx5_11, device-removed mlx5_10");
}

/* An old kernel does not report the number of ports: the tree has them. */
static void ports_of_the_tree(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	put(bed, "mlx5_0", 1, "link_layer", "InfiniBand");
	put(bed, "mlx5_0", 2, "link_layer", "InfiniBand");
	tell_device(bed, 1, "mlx5_0", NULL, 0);
	tell_device(bed, 2, "mlx5_1", NULL, 1);
	EXPECT(bed, "device-added mlx5_0, device-added mlx5_1");
	assert_int_equal(bed->watcher->devices[0].tracked->port_count, 2);
	assert_int_equal(bed->watcher->devices[1].tracked->port_count, 1);
}

/* The link layer of the port, or else that of the device's protocol. */
static void link_layers(void **state)
{
	static const struct {
		const char *name, *protocol, *layer;
		bool ethernet;
	} cases[] = {
		{"d0", "ib", "Ethernet", true}, {"d1", "roce", "InfiniBand", false},
		{"d2", "roce", NULL, true},	{"d3", "iw", NULL, true},
		{"d4", "ib", NULL, false},	{"d5", "usnic", NULL, false},
		{"d6", NULL, NULL, false},	{"d7", NULL, "Ethernet", true},
	};
	struct bed *bed = *state;

	watch(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tell_device(bed, (uint32_t)i, cases[i].name, cases[i].protocol, 1);
		if (cases[i].layer)
			put(bed, cases[i].name, 1, "link_layer", cases[i].layer);
	}
	EXPECT(bed, "device-added d0, device-added d1, device-added d2, device-added d3, "
		    "device-added d4, device-added d5, device-added d6, device-added d7");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (port_of(bed, i, 0)->ethernet != cases[i].ethernet)
			fail_msg("%s", cases[i].name);
}

/* ---- State and netdev ---- */

/* Netlink's answer takes priority over the tree; a port that it refuses is read there. */
static void states(void **state)
{
	struct bed *bed = *state;
	struct told_port *told = bed->world.ports;

	watch(bed);
	put(bed, "mlx5_0", 1, "link_layer", "InfiniBand");
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_0", 1, "phys_state", "3: Disabled");
	put(bed, "mlx5_0", 1, "lid", "0x9");
	put(bed, "mlx5_0", 1, "sm_lid", "0x8");
	put(bed, "mlx5_0", 1, "rate", "100 Gb/sec (4X EDR)");
	tell_device(bed, 0, "mlx5_0", "ib", 1);
	told[0] = (struct told_port){.port = 1,
				     .state = 4,
				     .physical_state = 5,
				     .lid = 7,
				     .netdev_index = 12,
				     .netdev = "ib0"};
	bed->world.port_count = 1;
	EXPECT(bed, "device-added mlx5_0, netdev-attached mlx5_0/1, port-active mlx5_0/1");
	assert_int_equal(port_of(bed, 0, 0)->now.state.value, 4);
	assert_int_equal(port_of(bed, 0, 0)->now.physical_state.value, 5);
	assert_int_equal(port_of(bed, 0, 0)->now.lid.value, 7);
	assert_int_equal(port_of(bed, 0, 0)->netdev_index.value, 12);
	assert_string_equal(port_of(bed, 0, 0)->netdev, "ib0");
	/* Only the tree has the rate. */
	assert_true(port_of(bed, 0, 0)->now.rate_gbps.value == 100);
	/* An answer without a netdev is needed to know that there is none. */
	bed->world.port_count = 0;
	EXPECT(bed, "port-down mlx5_0/1, lid-change mlx5_0/1");
	assert_int_equal(port_of(bed, 0, 0)->now.physical_state.value, 3);
	assert_int_equal(port_of(bed, 0, 0)->now.lid.value, 9);
	assert_int_equal(port_of(bed, 0, 0)->now.sm_lid.value, 8);
	assert_int_equal(port_of(bed, 0, 0)->netdev_index.value, 12);
	bed->world.port_count = 1;
	told[0].netdev_index = 0;
	EXPECT(bed, "port-active mlx5_0/1, lid-change mlx5_0/1, netdev-detached mlx5_0/1");
	assert_string_equal(bed->events.items[2].attached_before, "ib0");
	/* Neither source answers: the port keeps its state. */
	bed->world.port_count = 0;
	tree_delete(&bed->tree, DEVICES);
	EXPECT(bed, "");
	assert_int_equal(port_of(bed, 0, 0)->now.state.value, 4);
}

/* A port of Ethernet has no LID, whatever its file says. */
static void lids(void **state)
{
	static const char *const layers[] = {"InfiniBand", "Ethernet"};
	struct bed *bed = *state;

	watch(bed);
	tell_device(bed, 0, "m0", NULL, 1);
	tell_device(bed, 1, "m1", NULL, 1);
	for (size_t i = 0; i < ARRAY_SIZE(layers); i++) {
		put(bed, bed->world.devices[i].name, 1, "link_layer", layers[i]);
		put(bed, bed->world.devices[i].name, 1, "state", "1: DOWN");
		put(bed, bed->world.devices[i].name, 1, "lid", "0x9");
		put(bed, bed->world.devices[i].name, 1, "sm_lid", "0x8");
	}
	EXPECT(bed, "device-added m0, device-added m1");
	assert_int_equal(port_of(bed, 0, 0)->now.lid.value, 9);
	assert_int_equal(port_of(bed, 0, 0)->now.sm_lid.value, 8);
	assert_int_equal(port_of(bed, 1, 0)->now.state.value, 1);
	assert_false(port_of(bed, 1, 0)->now.lid.known);
	assert_false(port_of(bed, 1, 0)->now.sm_lid.known);
}

/* Only stale parts are read. */
static void parts(void **state)
{
	static const struct {
		unsigned int stale;
		const char *word;
	} cases[] = {
		{STALE_STATE, "port-down"},
		{STALE_NETDEV, "netdev-attached"},
		{STALE_GIDS, "gid-added"},
	};
	struct bed *bed = *state;
	struct tracked_port *port;

	watch(bed);
	put(bed, "mlx5_0", 1, "link_layer", "Ethernet");
	tell_device(bed, 0, "mlx5_0", "roce", 1);
	bed->world.ports[0] = (struct told_port){.port = 1, .state = 4, .physical_state = 5};
	bed->world.port_count = 1;
	EXPECT(bed, "device-added mlx5_0, port-active mlx5_0/1");
	bed->world.ports[0].netdev_index = 12;
	bed->world.ports[0].netdev = "eth0";
	put(bed, "mlx5_0", 1, "gids/0", "fe80:0000:0000:0000:0011:2233:4455:6677");
	put(bed, "mlx5_0", 1, "gid_attrs/types/0", "RoCE v2");
	port = &bed->watcher->devices[0].tracked->ports[0];
	bed->watcher->events = &bed->events;
	/* Nothing is stale. */
	event_list_clear(&bed->events);
	watcher_refresh(bed->watcher);
	assert_int_equal(bed->events.count, 0);
	bed->world.ports[0].state = 1;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		event_list_clear(&bed->events);
		watcher_mark_port(port, cases[i].stale, EVENT_SOURCE_RTNL);
		watcher_refresh(bed->watcher);
		assert_int_equal(bed->events.count, 1);
		assert_string_equal(enum_word(event_names, bed->events.items[0].word.value, "?"),
				    cases[i].word);
		assert_int_equal(bed->events.items[0].source.value, EVENT_SOURCE_RTNL);
		assert_int_equal(port->stale, 0);
	}
}

/* ---- GIDs ---- */

static void add_link(const struct bed *bed, uint64_t index, const char *name, uint64_t type,
		     uint64_t port_guid, uint64_t lower)
{
	const struct event_cause silence = {.source = EVENT_SOURCE_START};
	struct link link = {
		.index = number_of(index), .name = mem_string(name), .type = number_of(type)};

	if (port_guid)
		link.port_guid = number_of(port_guid);
	if (lower)
		link.lower_index = number_of(lower);
	event_state_take_link(&bed->watcher->state, &link, false, &silence);
	free(link.name);
}

static void gids(void **state)
{
	static const char *const protocols[] = {"ib", "roce", "iw", NULL, NULL};
	static const char *const layers[] = {"InfiniBand", "Ethernet", "Ethernet", "Ethernet",
					     "InfiniBand"};
	/* Only RoCE has types; so does an Ethernet port with an unknown protocol. */
	static const bool typed[] = {false, true, false, true, false};
	struct bed *bed = *state;

	watch(bed);
	add_link(bed, 12, "eth0", ARPHRD_ETHER, 0, 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		static const char *const names[] = {"m0", "m1", "m2", "m3", "m4"};

		tell_device(bed, i, names[i], protocols[i], 1);
		put(bed, names[i], 1, "link_layer", layers[i]);
		put(bed, names[i], 1, "state", "1: DOWN");
		/*
		 * A slot without a GUID, one without a netdev, one with ours, and one with a
		 * foreign one.
		 */
		put(bed, names[i], 1, "gids/0", "fe80:0000:0000:0000:0000:0000:0000:0000");
		put(bed, names[i], 1, "gid_attrs/types/0", "IB/RoCE v1");
		put(bed, names[i], 1, "gids/1", "fe80:0000:0000:0000:0000:0000:0000:0001");
		put(bed, names[i], 1, "gid_attrs/types/1", "RoCE v2");
		put(bed, names[i], 1, "gids/2", "fe80:0000:0000:0000:0000:0000:0000:0002");
		put(bed, names[i], 1, "gid_attrs/types/2", "IB/RoCE v1");
		put(bed, names[i], 1, "gid_attrs/ndevs/2", "eth0");
		put(bed, names[i], 1, "gids/3", "fe80:0000:0000:0000:0000:0000:0000:0003");
		put(bed, names[i], 1, "gid_attrs/types/3", "RoCE v2");
		put(bed, names[i], 1, "gid_attrs/ndevs/3", "elsewhere0");
		/* An empty slot is no GID. */
		put(bed, names[i], 1, "gids/4", "0000:0000:0000:0000:0000:0000:0000:0000");
	}
	EXPECT(bed, "device-added m0, device-added m1, device-added m2, device-added m3, "
		    "device-added m4, "
		    "gid-added m0/1, gid-added m0/1, gid-added m0/1, "
		    "gid-added m1/1, gid-added m1/1, gid-added m1/1, gid-added m1/1, "
		    "gid-added m2/1, gid-added m2/1, gid-added m2/1, gid-added m2/1, "
		    "gid-added m3/1, gid-added m3/1, gid-added m3/1, gid-added m3/1, "
		    "gid-added m4/1, gid-added m4/1, gid-added m4/1");
	for (size_t i = 0; i < ARRAY_SIZE(protocols); i++) {
		const struct tracked_gids *table = &port_of(bed, i, 0)->gids;
		const struct tracked_gid *last = &table->items[table->count - 3];

		for (unsigned int slot = 1; slot <= 3; slot++, last++) {
			assert_int_equal(last->index, slot);
			assert_int_equal(last->gid.raw[15], slot);
			assert_int_equal(last->type.value, !typed[i]   ? GID_TYPE_IB
							   : slot == 2 ? GID_TYPE_ROCE_V1
								       : GID_TYPE_ROCE_V2);
			assert_int_equal(last->netdev_index.known, slot == 2);
			if (slot == 2) {
				assert_int_equal(last->netdev_index.value, 12);
				assert_string_equal(last->netdev, "eth0");
			} else {
				assert_null(last->netdev);
			}
		}
	}
	/* A port that cannot be read at all has not lost its GIDs. */
	tree_delete(&bed->tree, DEVICES "m1");
	EXPECT(bed, "");
}

/* ---- IPoIB ---- */

static void ipoib(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	/*
	 * A child netdev, one of another port, two that are not IPoIB of this port, and the right
	 * one.
	 */
	add_link(bed, 20, "ib0.8001", ARPHRD_INFINIBAND, 0x0011223344556677, 24);
	add_link(bed, 21, "ib7", ARPHRD_INFINIBAND, 0x0011223344556678, 0);
	add_link(bed, 22, "odd0", ARPHRD_ETHER, 0x0011223344556677, 0);
	add_link(bed, 23, "none0", ARPHRD_INFINIBAND, 0, 0);
	add_link(bed, 24, "ib0", ARPHRD_INFINIBAND, 0x0011223344556677, 0);
	add_link(bed, 25, "ib1", ARPHRD_INFINIBAND, 0x0011223344556677, 0);
	tell_device(bed, 0, "m0", "ib", 2);
	tell_device(bed, 1, "m1", "roce", 1);
	for (size_t i = 0; i < 3; i++) {
		const char *name = i < 2 ? "m0" : "m1";
		const unsigned int port = i < 2 ? (unsigned int)i + 1 : 1;

		bed->world.ports[i] = (struct told_port){
			.device = i / 2, .port = port, .state = 1, .physical_state = 2};
		put(bed, name, port, "link_layer", i < 2 ? "InfiniBand" : "Ethernet");
		/* The second slot must not be used. */
		put(bed, name, port, "gids/0", "fe80:0000:0000:0000:0011:2233:4455:6677");
		put(bed, name, port, "gids/1", "fe80:0000:0000:0000:0011:2233:4455:6678");
		put(bed, name, port, "gid_attrs/types/0", "IB/RoCE v1");
		put(bed, name, port, "gid_attrs/types/1", "IB/RoCE v1");
	}
	/* The kernel's netdev takes priority over the GID. */
	bed->world.ports[1].netdev_index = 21;
	bed->world.ports[1].netdev = "ib7";
	bed->world.port_count = 3;
	EXPECT(bed, "device-added m0, device-added m1, netdev-attached m0/1, gid-added m0/1, "
		    "gid-added m0/1, netdev-attached m0/2, gid-added m0/2, gid-added m0/2, "
		    "gid-added m1/1, gid-added m1/1");
	assert_int_equal(port_of(bed, 0, 0)->netdev_index.value, 24);
	assert_string_equal(port_of(bed, 0, 0)->netdev, "ib0");
	assert_int_equal(port_of(bed, 0, 1)->netdev_index.value, 21);
	assert_false(port_of(bed, 1, 0)->netdev_index.known);
	/* If the GIDs are not read again, the known ones decide. */
	bed->watcher->events = &bed->events;
	event_list_clear(&bed->events);
	watcher_mark_port(&bed->watcher->devices[0].tracked->ports[0], STALE_NETDEV,
			  EVENT_SOURCE_RTNL);
	watcher_refresh(bed->watcher);
	assert_int_equal(bed->events.count, 0);
	/* Without a GID there is no netdev. */
	tree_delete(&bed->tree, DEVICES "m0/ports/1/gids");
	EXPECT(bed, "gid-removed m0/1, gid-removed m0/1, netdev-detached m0/1");
}

/* ---- Existing objects ---- */

static void present(void **state)
{
	static const struct {
		uint64_t words;
		const char *wanted;
	} cases[] = {
		{UINT64_C(1) << EVENT_NETDEV_ATTACHED,
		 "netdev-attached m0/1 eth0, netdev-attached m0/2 eth1"},
		{UINT64_C(1) << EVENT_NETDEV_UP, "netdev-up eth0 eth0"},
		{UINT64_C(1) << EVENT_NETDEV_DOWN, "netdev-down eth1 eth1"},
		{UINT64_MAX, "device-added m0 -, port-active m0/1 eth0, netdev-attached m0/1 eth0, "
			     "netdev-up eth0 eth0, port-down m0/2 eth1, netdev-attached m0/2 eth1, "
			     "netdev-down eth1 eth1"},
	};
	const struct event_time time = {.wall_nsec = 5, .monotonic_nsec = 6};
	struct bed *bed = *state;
	struct link *links;
	const struct event *event;

	watch(bed);
	add_link(bed, 12, "eth0", ARPHRD_ETHER, 0, 0);
	add_link(bed, 13, "eth1", ARPHRD_ETHER, 0, 0);
	links = bed->watcher->state.links.items;
	links[0].running = links[0].enabled = TRISTATE_YES;
	links[0].operstate = number_of(6);
	links[0].mtu_bytes = number_of(9000);
	links[1].running = TRISTATE_NO;
	tell_device(bed, 0, "m0", "roce", 3);
	for (unsigned int i = 0; i < 3; i++)
		bed->world.ports[i] = (struct told_port){.port = i + 1,
							 .state = i ? 1 : 4,
							 .physical_state = 5,
							 .netdev_index = i < 2 ? 12 + i : 0,
							 .netdev = i ? "eth1" : "eth0"};
	/* A port that waits for a subnet manager is neither active nor down. */
	bed->world.ports[2].state = 2;
	bed->world.port_count = 3;
	EXPECT(bed, "device-added m0, netdev-attached m0/1, port-active m0/1, "
		    "netdev-attached m0/2");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[512] = "";

		event_list_clear(&bed->events);
		watcher_report_states(bed->watcher, cases[i].words, &time, &bed->events);
		for (size_t j = 0; j < bed->events.count; j++) {
			const size_t length = strlen(text);

			event = &bed->events.items[j];
			assert_string_equal(event->device, "m0");
			assert_int_equal(event->source.value, EVENT_SOURCE_START);
			assert_int_equal(event->time.wall_nsec, 5);
			assert_int_equal(event->time.monotonic_nsec, 6);
			snprintf(text + length, sizeof(text) - length, "%s%s %s %s",
				 length ? ", " : "", enum_word(event_names, event->word.value, "?"),
				 event->object, event->netdev ? event->netdev : "-");
		}
		assert_string_equal(text, cases[i].wanted);
	}
	assert_false(bed->events.items[0].port.known);
	event = &bed->events.items[2];
	assert_int_equal(event->port.value, 1);
	assert_string_equal(event->attached, "eth0");
	assert_string_equal(event->attached_before, "eth0");
	event = &bed->events.items[3];
	assert_int_equal(event->netdev_before.running, TRISTATE_YES);
	assert_int_equal(event->netdev_after.running, TRISTATE_YES);
	assert_int_equal(event->netdev_before.enabled, TRISTATE_YES);
	assert_int_equal(event->netdev_after.enabled, TRISTATE_YES);
	assert_int_equal(event->netdev_before.operstate.value, 6);
	assert_int_equal(event->netdev_after.operstate.value, 6);
	assert_int_equal(event->netdev_before.mtu_bytes.value, 9000);
	assert_int_equal(event->netdev_after.mtu_bytes.value, 9000);
	assert_int_equal(bed->events.items[4].port.value, 2);
	assert_int_equal(bed->events.items[4].port_before.state.value, 1);
	assert_int_equal(bed->events.items[4].port_after.state.value, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(list_of_devices),
		TEST(ports_of_the_tree),
		TEST(link_layers),
		TEST(states),
		TEST(lids),
		TEST(parts),
		TEST(gids),
		TEST(ipoib),
		TEST(present),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
