/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Sources that report changes to a watcher: uevents, RDMA netlink, rtnetlink and verbs. The test is
 * the kernel at the other end of each, and a tree of files is what the watcher then reads. Each
 * event is written as `word object source`.
 */
#include "netlink_message.h"
#include "saved_tree.h"

#include <arpa/inet.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <rdma/rdma_netlink.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "event/watcher.h"
#include "mad/format/codes.h"

#define DEVICES "sys/class/infiniband/"

/* No host has netdevs with such numbers, in case a test queries its kernel. */
enum { ETH0 = 2000000000, ETH1, VLAN, IB0, IB0_CHILD };

/* Room for a datagram; a larger one is lost. */
enum { ROOM = 2048 };

enum monitor { UEVENTS, NLDEV, RTNL, MONITORS };

struct bed {
	struct saved_tree tree;
	struct objects objects;
	struct watcher_options options;
	struct watcher *watcher;
	struct event_list events;
	struct problems warnings, notes;
	int ends[MONITORS]; /* the kernel's ends; -1: closed */
	int verbs[8];	    /* the same for each device's verbs */
};

/* ---- Files for the watcher ---- */

static void put(const struct bed *bed, const char *device, unsigned int port, const char *name,
		const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/ports/%u/%s", device, port, name);
	tree_write(&bed->tree, path, text);
}

static void put_port(const struct bed *bed, const char *device, unsigned int port,
		     const char *layer, const char *state, const char *gid)
{
	put(bed, device, port, "link_layer", layer);
	put(bed, device, port, "state", state);
	put(bed, device, port, "phys_state", "5: LinkUp");
	put(bed, device, port, "rate", "100 Gb/sec (4X EDR)");
	if (!strcmp(layer, "InfiniBand")) {
		put(bed, device, port, "lid", "0x5");
		put(bed, device, port, "sm_lid", "0x1");
	}
	put(bed, device, port, "gids/0", gid);
	put(bed, device, port, "gid_attrs/types/0",
	    strcmp(layer, "InfiniBand") ? "RoCE v2" : "IB/RoCE v1");
}

#define GID_A "fe80:0000:0000:0000:0011:2233:4455:6677"
#define GID_B "fe80:0000:0000:0000:0011:2233:4455:6678"
#define GID_C "fe80:0000:0000:0000:0011:2233:4455:6679"

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	for (size_t i = 0; i < ARRAY_SIZE(bed->ends); i++)
		bed->ends[i] = -1;
	for (size_t i = 0; i < ARRAY_SIZE(bed->verbs); i++)
		bed->verbs[i] = -1;
	put_port(bed, "mlx5_0", 1, "InfiniBand", "4: ACTIVE", GID_A);
	put_port(bed, "mlx5_0", 2, "InfiniBand", "4: ACTIVE", GID_B);
	put_port(bed, "mlx5_1", 1, "Ethernet", "4: ACTIVE", GID_C);
	return 0;
}

static void hang_up(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	event_list_clear(&bed->events);
	watcher_free(bed->watcher);
	for (size_t i = 0; i < ARRAY_SIZE(bed->ends); i++)
		hang_up(&bed->ends[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bed->verbs); i++)
		hang_up(&bed->verbs[i]);
	objects_free(&bed->objects);
	problems_free(&bed->warnings);
	problems_free(&bed->notes);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* ---- Sources of reports ---- */

static struct netlink *listen_to(struct bed *bed, enum monitor monitor)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	bed->ends[monitor] = fds[1];
	return netlink_from_fd(fds[0], ROOM);
}

static void open_verbs(struct bed *bed, size_t device)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	bed->verbs[device] = fds[1];
	bed->watcher->devices[device].async = verbs_async_from_fd(fds[0]);
}

/* Starts as with a saved tree; then the root becomes the live system, with all sources. */
static void watch(struct bed *bed)
{
	bed->options.root = bed->tree.path;
	bed->options.objects = &bed->objects;
	assert_int_equal(watcher_open(&bed->options, &bed->watcher, &bed->warnings, &bed->notes),
			 0);
	bed->watcher->uevents = listen_to(bed, UEVENTS);
	bed->watcher->nldev_monitor = listen_to(bed, NLDEV);
	bed->watcher->rtnl_monitor = listen_to(bed, RTNL);
	bed->watcher->root.live = bed->watcher->root.below = true;
	for (size_t i = 0; i < bed->watcher->device_count; i++) {
		open_verbs(bed, i);
		for (size_t j = 0; j < bed->watcher->devices[i].tracked->port_count; j++)
			watcher_mark_port(&bed->watcher->devices[i].tracked->ports[j], STALE_ALL,
					  EVENT_SOURCE_START);
	}
	/* The tables of GIDs are read only now, silently. */
	watcher_refresh(bed->watcher);
}

static void tell(const struct bed *bed, enum monitor monitor, const void *data, size_t length)
{
	assert_int_equal(send(bed->ends[monitor], data, length, MSG_NOSIGNAL), length);
}

/* Sends a message of lib/kobject_uevent.c; `old` is the previous name, or NULL. */
static void uevent(const struct bed *bed, const char *action, const char *subsystem,
		   const char *name, const char *old)
{
	char text[512];
	int length = snprintf(text, sizeof(text),
			      "%s@/class/%s%cACTION=%s%cDEVPATH=/class/%s%cSUBSYSTEM=%s", action,
			      name, 0, action, 0, name, 0, subsystem);

	if (old)
		length += snprintf(text + length, sizeof(text) - (size_t)length,
				   "%cDEVPATH_OLD=/class/%s", 0, old);
	tell(bed, UEVENTS, text, (size_t)length + 1);
}

/* RDMA_NLDEV_CMD_MONITOR (28), and RDMA_NLDEV_ATTR_EVENT_TYPE (102), rdma_netlink.h of 6.12. */
static void nldev(const struct bed *bed, uint8_t type, int device, int port)
{
	struct bytes payload = {0}, datagram = {0};

	if (device >= 0)
		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)device);
	if (port >= 0)
		put_u32(&payload, RDMA_NLDEV_ATTR_PORT_INDEX, (uint32_t)port);
	put_u8(&payload, 102, type);
	put_message(&datagram, RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, 28), 0, 0, payload.data,
		    payload.length);
	tell(bed, NLDEV, datagram.data, datagram.length);
}

static void rtnl_link(const struct bed *bed, unsigned int type, int index, const char *name,
		      unsigned int flags, int lower)
{
	const struct ifinfomsg header = {
		.ifi_index = index, .ifi_type = ARPHRD_ETHER, .ifi_flags = flags};
	struct bytes payload = {0}, datagram = {0}, info = {0};

	bytes_put(&payload, &header, sizeof(header));
	put_string(&payload, IFLA_IFNAME, name);
	put_u32(&payload, IFLA_MTU, 1500);
	put_u8(&payload, IFLA_OPERSTATE, flags & IFF_RUNNING ? 6 : 2);
	if (lower) {
		put_u32(&payload, IFLA_LINK, (uint32_t)lower);
		put_string(&info, IFLA_INFO_KIND, "vlan");
		put_nest(&payload, IFLA_LINKINFO, &info);
	}
	put_message(&datagram, type, 0, 0, payload.data, payload.length);
	tell(bed, RTNL, datagram.data, datagram.length);
}

static void rtnl_address(const struct bed *bed, unsigned int type, int index, const char *text)
{
	const struct ifaddrmsg header = {
		.ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = (uint32_t)index};
	struct bytes payload = {0}, datagram = {0};
	uint8_t raw[4];

	assert_int_equal(inet_pton(AF_INET, text, raw), 1);
	bytes_put(&payload, &header, sizeof(header));
	put_attribute(&payload, IFA_ADDRESS, raw, sizeof(raw));
	put_message(&datagram, type, 0, 0, payload.data, payload.length);
	tell(bed, RTNL, datagram.data, datagram.length);
}

/* struct ib_uverbs_async_event_desc, ib_user_verbs.h. */
static void verbs(const struct bed *bed, size_t device, uint32_t type, uint64_t port)
{
	const struct {
		uint64_t element;
		uint32_t type, reserved;
	} event = {.element = port, .type = type};

	assert_int_equal(write(bed->verbs[device], &event, sizeof(event)), sizeof(event));
}

/* ---- Events of the watcher ---- */

static void expect_at(struct bed *bed, bool due, const char *wanted, int line)
{
	const struct event_time time = {.wall_nsec = 5, .monotonic_nsec = 7};
	char text[2048] = "";

	bed->watcher->next_poll_msec = due ? 0 : clock_msec() + 60000;
	event_list_clear(&bed->events);
	assert_int_equal(watcher_step(bed->watcher, &time, &bed->events), 0);
	for (size_t i = 0; i < bed->events.count; i++) {
		const struct event *event = &bed->events.items[i];
		const size_t length = strlen(text);

		if (event->word.value == EVENT_PORT_DOWN || event->word.value == EVENT_GID_ADDED)
			assert_non_null(event->change);
		snprintf(text + length, sizeof(text) - length, "%s%s %s %s", length ? ", " : "",
			 enum_word(event_names, event->word.value, "?"),
			 event->object ? event->object : "-",
			 enum_word(event_source_names, event->source.value, "?"));
	}
	if (strcmp(text, wanted))
		fail_msg("line %d: '%s' instead of '%s'", line, text, wanted);
}

/* Long before it is time to poll, and when it is. */
#define EXPECT(bed, wanted)	 expect_at(bed, false, wanted, __LINE__)
#define EXPECT_POLL(bed, wanted) expect_at(bed, true, wanted, __LINE__)

static size_t descriptors(const struct bed *bed)
{
	struct pollfd *fds = NULL;
	size_t count = 0;

	watcher_poll(bed->watcher, &fds, &count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(fds[i].events, POLLIN);
		assert_true(fds[i].fd >= 0);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(fds[i].fd, fds[j].fd);
	}
	free(fds);
	return count;
}

/* ---- Tests ---- */

/* With all sources present, nothing is read before a report, however long it takes. */
static void silence(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	assert_int_equal(descriptors(bed), MONITORS + 2);
	assert_int_equal(watcher_timeout(bed->watcher), -1);
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_0", 1, "gids/0", GID_B);
	put_port(bed, "mlx5_2", 1, "InfiniBand", "4: ACTIVE", GID_A);
	EXPECT_POLL(bed, "");
}

static void uevents(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	put_port(bed, "mlx5_2", 1, "InfiniBand", "4: ACTIVE", GID_A);
	uevent(bed, "add", "infiniband", "mlx5_2", NULL);
	EXPECT(bed, "device-added mlx5_2 uevent, port-active mlx5_2/1 uevent, "
		    "gid-added mlx5_2/1 uevent");
	assert_int_equal(watcher_generation(bed->watcher), 1);
	/* The device is known, and an event that was reported once is not repeated. */
	uevent(bed, "add", "infiniband", "mlx5_2", NULL);
	EXPECT(bed, "");
	assert_int_equal(watcher_generation(bed->watcher), 1);
	/* A device that came and went before it could be read. */
	uevent(bed, "add", "infiniband", "mlx5_3", NULL);
	uevent(bed, "remove", "infiniband", "mlx5_3", NULL);
	EXPECT(bed, "device-added mlx5_3 uevent, device-removed mlx5_3 uevent");
	assert_int_equal(watcher_generation(bed->watcher), 3);
	/* A device that came and is no longer in the list, although nothing reported that. */
	uevent(bed, "add", "infiniband", "mlx5_4", NULL);
	EXPECT(bed, "device-added mlx5_4 uevent, device-removed mlx5_4 uevent");
	/* A device that was never seen is removed. */
	uevent(bed, "remove", "infiniband", "mlx5_5", NULL);
	EXPECT(bed, "");
	/* The first of three is removed, and the others keep their identity. */
	tree_delete(&bed->tree, DEVICES "mlx5_0");
	/* Earlier reports of its ports no longer matter. */
	verbs(bed, 0, VERBS_EVENT_PKEY_CHANGE, 1);
	verbs(bed, 0, VERBS_EVENT_PKEY_CHANGE, 2);
	uevent(bed, "remove", "infiniband", "mlx5_0", NULL);
	EXPECT(bed, "port-down mlx5_0/1 uevent, gid-removed mlx5_0/1 uevent, "
		    "port-down mlx5_0/2 uevent, gid-removed mlx5_0/2 uevent, "
		    "device-removed mlx5_0 uevent");
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	put(bed, "mlx5_2", 1, "state", "1: DOWN");
	EXPECT_POLL(bed, "port-down mlx5_2/1 poll");
	verbs(bed, 1, VERBS_EVENT_PORT_ERR, 1);
	EXPECT(bed, "port-down mlx5_1/1 verbs");
	/* The driver was reloaded: the same name, but another device. */
	uevent(bed, "remove", "infiniband", "mlx5_2", NULL);
	EXPECT(bed, "gid-removed mlx5_2/1 uevent, device-removed mlx5_2 uevent, "
		    "device-added mlx5_2 uevent, gid-added mlx5_2/1 uevent");
}

static void renames(void **state)
{
	struct bed *bed = *state;
	char from[PATH_MAX + 64], to[PATH_MAX + 64];

	watch(bed);
	snprintf(from, sizeof(from), "%s/" DEVICES "mlx5_0", bed->tree.path);
	snprintf(to, sizeof(to), "%s/" DEVICES "ib0", bed->tree.path);
	assert_int_equal(rename(from, to), 0);
	uevent(bed, "move", "infiniband", "ib0", "mlx5_0");
	EXPECT(bed, "device-renamed ib0 uevent");
	assert_string_equal(bed->events.items[0].name_before, "mlx5_0");
	assert_int_equal(watcher_generation(bed->watcher), 1);
	/* Reported twice. */
	uevent(bed, "move", "infiniband", "ib0", "mlx5_0");
	EXPECT(bed, "");
	/* The device is read under its new name. */
	put(bed, "ib0", 2, "state", "1: DOWN");
	verbs(bed, 0, VERBS_EVENT_PORT_ERR, 2);
	EXPECT(bed, "port-down ib0/2 verbs");
	/* A device that was never seen under its old name: it is renamed, not added. */
	put_port(bed, "ib9", 1, "InfiniBand", "1: DOWN", GID_A);
	uevent(bed, "move", "infiniband", "ib9", "mlx5_9");
	EXPECT(bed, "device-renamed ib9 uevent, gid-added ib9/1 uevent");
	assert_string_equal(bed->events.items[0].name_before, "mlx5_9");
	assert_int_equal(watcher_generation(bed->watcher), 3);
}

/*
 * udev renames a device while it is listed: the list has the new name, and the uevents from before
 * the list have the old one.
 */
static void renamed_at_once(void **state)
{
	struct bed *bed = *state;
	struct device_news *news;

	watch(bed);
	put_port(bed, "ib2", 1, "InfiniBand", "1: DOWN", GID_A);
	news = mem_append(&bed->watcher->news, &bed->watcher->news_count, sizeof(*news));
	*news = (struct device_news){.action = UEVENT_ADD, .kernel_name = mem_string("mlx5_2")};
	uevent(bed, "move", "infiniband", "ib2", "mlx5_2");
	bed->watcher->events = &bed->events;
	assert_int_equal(watcher_read_devices(bed->watcher, EVENT_SOURCE_UEVENT), 0);
	bed->watcher->events = NULL;
	assert_int_equal(bed->events.count, 2);
	assert_int_equal(bed->events.items[0].word.value, EVENT_DEVICE_ADDED);
	assert_string_equal(bed->events.items[0].object, "mlx5_2");
	assert_int_equal(bed->events.items[1].word.value, EVENT_DEVICE_RENAMED);
	assert_string_equal(bed->events.items[1].object, "ib2");
	assert_int_equal(bed->watcher->news_count, 0);
	EXPECT(bed, "gid-added ib2/1 uevent");
}

/* Only named ports; a renamed device keeps its identity. */
static void named(void **state)
{
	char *words[] = {(char[]){"mlx5_0/2"}, (char[]){"mlx5_7"}, NULL};
	struct bed *bed = *state;
	char *bad = NULL;

	assert_int_equal(objects_parse(&bed->objects, words, true, &bad), 0);
	watch(bed);
	assert_int_equal(bed->watcher->device_count, 1);
	assert_int_equal(bed->watcher->devices[0].tracked->port_count, 1);
	put_port(bed, "mlx5_6", 1, "InfiniBand", "4: ACTIVE", GID_A);
	uevent(bed, "add", "infiniband", "mlx5_6", NULL);
	EXPECT(bed, "");
	uevent(bed, "move", "infiniband", "mlx5_8", "mlx5_9");
	EXPECT(bed, "");
	put_port(bed, "mlx5_7", 1, "InfiniBand", "4: ACTIVE", GID_A);
	put_port(bed, "mlx5_7", 2, "InfiniBand", "4: ACTIVE", GID_B);
	uevent(bed, "add", "infiniband", "mlx5_7", NULL);
	EXPECT(bed, "device-added mlx5_7 uevent, port-active mlx5_7/1 uevent, "
		    "gid-added mlx5_7/1 uevent, port-active mlx5_7/2 uevent, "
		    "gid-added mlx5_7/2 uevent");
	/* Only the second port of mlx5_0 is watched. */
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_0", 2, "state", "1: DOWN");
	verbs(bed, 0, VERBS_EVENT_PORT_ERR, 1);
	EXPECT(bed, "");
	verbs(bed, 0, VERBS_EVENT_PORT_ERR, 2);
	EXPECT(bed, "port-down mlx5_0/2 verbs");
}

static void notifications(void **state)
{
	static const uint8_t netdev_types[] = {NLDEV_EVENT_NETDEV_ATTACH,
					       NLDEV_EVENT_NETDEV_DETACH};
	static const uint8_t device_types[] = {NLDEV_EVENT_REGISTER, NLDEV_EVENT_UNREGISTER,
					       NLDEV_EVENT_RENAME, NLDEV_EVENT_NETDEV_RENAME, 77};
	struct bed *bed = *state;

	watch(bed);
	bed->watcher->devices[0].index = number_of(7);
	bed->watcher->devices[1].index = number_of(8);
	for (size_t i = 0; i < ARRAY_SIZE(netdev_types); i++) {
		const uint8_t type = netdev_types[i];
		const bool up = i % 2;
		char wanted[256];

		put(bed, "mlx5_0", 1, "state", up ? "4: ACTIVE" : "1: DOWN");
		put(bed, "mlx5_0", 2, "state", up ? "4: ACTIVE" : "1: DOWN");
		put(bed, "mlx5_0", 2, "gids/0", up ? GID_B : GID_C);
		put(bed, "mlx5_1", 1, "state", up ? "4: ACTIVE" : "1: DOWN");
		nldev(bed, type, 9, 1);
		nldev(bed, type, -1, 1);
		nldev(bed, type, 7, 3);
		EXPECT(bed, "");
		nldev(bed, type, 7, 2);
		snprintf(wanted, sizeof(wanted),
			 "port-%s mlx5_0/2 nldev, gid-changed mlx5_0/2 nldev",
			 up ? "active" : "down");
		EXPECT(bed, wanted);
		/* Without a number, the notification is about every port. */
		nldev(bed, type, 7, -1);
		snprintf(wanted, sizeof(wanted), "port-%s mlx5_0/1 nldev", up ? "active" : "down");
		EXPECT(bed, wanted);
		nldev(bed, type, 8, 1);
		snprintf(wanted, sizeof(wanted), "port-%s mlx5_1/1 nldev", up ? "active" : "down");
		EXPECT(bed, wanted);
	}
	for (size_t i = 0; i < ARRAY_SIZE(device_types); i++) {
		char name[16], wanted[256];

		snprintf(name, sizeof(name), "mlx5_%zu", i + 2);
		put_port(bed, name, 1, "InfiniBand", "1: DOWN", GID_A);
		nldev(bed, device_types[i], 20, -1);
		snprintf(wanted, sizeof(wanted), "device-added %s nldev, gid-added %s/1 nldev",
			 name, name);
		EXPECT(bed, wanted);
	}
	/* Uevents are read before notifications, and thus named as the source. */
	put_port(bed, "mlx5_8", 1, "InfiniBand", "1: DOWN", GID_A);
	nldev(bed, NLDEV_EVENT_REGISTER, 20, -1);
	uevent(bed, "remove", "infiniband", "nothing", NULL);
	EXPECT(bed, "device-added mlx5_8 uevent, gid-added mlx5_8/1 uevent");
}

/* Each type of libibverbs: its event, and whether the table of GIDs is read. */
static void verbs_events(void **state)
{
	static const struct {
		uint32_t type;
		const char *word;
		bool always; /* not only with --all */
		bool gids;
	} cases[] = {
		{1, NULL, false, false}, /* IBV_EVENT_QP_FATAL ... */
		{7, NULL, false, false},
		{8, "device-fatal mlx5_0", true, false},
		{9, "port-active mlx5_0/2", false, false},
		{11, "lid-change mlx5_0/2", false, false},
		{12, "pkey-change mlx5_0/2", true, false},
		{13, "sm-change mlx5_0/2", true, false},
		{14, NULL, false, false}, /* IBV_EVENT_SRQ_ERR ... */
		{16, NULL, false, false},
		{17, "client-reregister mlx5_0/2", true, false},
		{18, "gid-changed mlx5_0/2", true, true},
		{19, NULL, false, false}, /* IBV_EVENT_WQ_FATAL */
		{20, "speed-change mlx5_0/2", true, false},
		{21, NULL, false, false},
	};
	struct bed *bed = *state;

	watch(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int all = 0; all < 2; all++) {
			const bool said = cases[i].word && (all || cases[i].always);
			char wanted[128];

			bed->watcher->options.all = all;
			/* Other ports are not affected. */
			put(bed, "mlx5_0", 1, "gids/0", GID_C);
			put(bed, "mlx5_0", 2, "gids/0", cases[i].gids && all ? GID_A : GID_B);
			if (!cases[i].gids)
				put(bed, "mlx5_0", 2, "gids/0", GID_C);
			snprintf(wanted, sizeof(wanted), "%s%s", said ? cases[i].word : "",
				 said ? " verbs" : "");
			verbs(bed, 0, cases[i].type, 2);
			/* A GID change that changed nothing is reported only with --all. */
			if (cases[i].gids && !all)
				wanted[0] = '\0';
			EXPECT(bed, wanted);
		}
		put(bed, "mlx5_0", 2, "gids/0", GID_B);
		bed->watcher->options.all = false;
		verbs(bed, 0, VERBS_EVENT_GID_CHANGE, 2);
		EXPECT(bed, cases[i].gids ? "gid-changed mlx5_0/2 verbs" : "");
	}
	/* Port 0: every port of the device; and several reports at once, each reported once. */
	verbs(bed, 0, VERBS_EVENT_DEVICE_SPEED_CHANGE, 0);
	verbs(bed, 0, VERBS_EVENT_PKEY_CHANGE, 1);
	verbs(bed, 0, VERBS_EVENT_PKEY_CHANGE, 1);
	EXPECT(bed, "speed-change mlx5_0/1 verbs, pkey-change mlx5_0/1 verbs, "
		    "speed-change mlx5_0/2 verbs");
	EXPECT(bed, "");
	/* A port that went down and came back before it could be read. */
	verbs(bed, 1, VERBS_EVENT_PORT_ERR, 1);
	verbs(bed, 1, VERBS_EVENT_PORT_ACTIVE, 1);
	EXPECT(bed, "port-down mlx5_1/1 verbs, port-active mlx5_1/1 verbs");
}

/* Verbs are closest to the port, and named as the source even if another one came first. */
static void first_source(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	bed->watcher->devices[0].index = number_of(7);
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_0", 2, "state", "1: DOWN");
	nldev(bed, NLDEV_EVENT_NETDEV_ATTACH, 7, -1);
	verbs(bed, 0, VERBS_EVENT_PORT_ERR, 2);
	EXPECT(bed, "port-down mlx5_0/1 nldev, port-down mlx5_0/2 verbs");
	/* Without verbs, the first source is named. */
	bed->watcher->devices[0].tracked->ports[0].netdev_index = number_of(ETH0);
	put(bed, "mlx5_0", 1, "state", "4: ACTIVE");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", 0, 0);
	nldev(bed, NLDEV_EVENT_NETDEV_ATTACH, 7, 1);
	EXPECT(bed, "port-active mlx5_0/1 rtnl");
}

/* Gives a port its netdev, as RDMA netlink would have reported it. */
static void attach(const struct bed *bed, size_t device, size_t port, int index, const char *name)
{
	struct tracked_port *tracked = &bed->watcher->devices[device].tracked->ports[port];

	tracked->netdev_index = number_of((uint64_t)index);
	free(tracked->netdev);
	tracked->netdev = mem_string(name);
}

/* A change of a netdev or of its addresses is an event, and its ports are read again. */
static void netdevs(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	attach(bed, 1, 0, ETH0, "eth0");
	rtnl_link(bed, RTM_NEWLINK, ETH1, "eth1", IFF_UP | IFF_RUNNING, 0);
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	EXPECT(bed, "");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", IFF_UP | IFF_RUNNING, 0);
	EXPECT(bed, "netdev-enabled eth0 rtnl, netdev-up eth0 rtnl, "
		    "port-down mlx5_1/1 rtnl");
	put(bed, "mlx5_1", 1, "state", "4: ACTIVE");
	rtnl_address(bed, RTM_NEWADDR, ETH1, "10.0.0.1");
	EXPECT(bed, "");
	rtnl_address(bed, RTM_NEWADDR, ETH0, "10.0.0.1");
	EXPECT(bed, "address-added eth0 rtnl, port-active mlx5_1/1 rtnl");
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	/* An address of an unknown netdev is not one of ours. */
	rtnl_address(bed, RTM_DELADDR, IB0, "10.0.0.1");
	EXPECT(bed, "");
	rtnl_address(bed, RTM_DELADDR, ETH0, "10.0.0.1");
	EXPECT(bed, "address-removed eth0 rtnl, port-down mlx5_1/1 rtnl");
	/* A netdev is added on top of the port's, and removed again. */
	put(bed, "mlx5_1", 1, "state", "4: ACTIVE");
	rtnl_link(bed, RTM_NEWLINK, VLAN, "eth0.5", 0, ETH0);
	EXPECT(bed, "port-active mlx5_1/1 rtnl");
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	rtnl_link(bed, RTM_DELLINK, VLAN, "eth0.5", 0, ETH0);
	EXPECT(bed, "port-down mlx5_1/1 rtnl");
	put(bed, "mlx5_1", 1, "state", "4: ACTIVE");
	rtnl_link(bed, RTM_DELLINK, ETH0, "eth0", 0, 0);
	EXPECT(bed, "netdev-disabled eth0 rtnl, netdev-down eth0 rtnl, "
		    "port-active mlx5_1/1 rtnl");
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	rtnl_link(bed, RTM_DELLINK, ETH0, "eth0", 0, 0);
	rtnl_link(bed, RTM_DELLINK, VLAN, "eth0.5", 0, 0);
	EXPECT(bed, "port-down mlx5_1/1 rtnl");
}

/* A device has a netdev for its second port. */
static void netdev_of_second(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	attach(bed, 0, 1, ETH0, "eth0");
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_0", 2, "state", "1: DOWN");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", 0, 0);
	EXPECT(bed, "port-down mlx5_0/2 rtnl");
}

/* The netdev of a GID identifies the port; the kernel makes GIDs a little later. */
static void gids_of_netdevs(void **state)
{
	struct bed *bed = *state;

	put(bed, "mlx5_1", 1, "gid_attrs/ndevs/0", "eth0");
	put(bed, "mlx5_0", 1, "gid_attrs/ndevs/0", "nothing");
	watch(bed);
	/* Another namespace may have had a netdev with that name: it is ours from now on. */
	assert_null(bed->watcher->devices[1].tracked->ports[0].gids.items[0].netdev);
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", 0, 0);
	verbs(bed, 1, VERBS_EVENT_GID_CHANGE, 1);
	EXPECT(bed, "gid-changed mlx5_1/1 verbs");
	assert_string_equal(bed->events.items[0].gid_after.netdev, "eth0");
	/* Verbs report GIDs: a change of the netdev is no reason to read the table. */
	put(bed, "mlx5_1", 1, "gids/0", GID_A);
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", IFF_UP, 0);
	EXPECT(bed, "netdev-enabled eth0 rtnl");
	EXPECT_POLL(bed, "");
	/* Without verbs, the table is read now, and once more when it is time to poll. */
	hang_up(&bed->verbs[1]);
	EXPECT(bed, "");
	EXPECT_POLL(bed, "");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", 0, 0);
	EXPECT(bed, "netdev-disabled eth0 rtnl, gid-changed mlx5_1/1 rtnl");
	put(bed, "mlx5_1", 1, "gids/0", GID_C);
	EXPECT(bed, "");
	EXPECT_POLL(bed, "gid-changed mlx5_1/1 poll");
	put(bed, "mlx5_1", 1, "gids/0", GID_A);
	EXPECT_POLL(bed, "");
	/* For InfiniBand, no netdev shows that a GID changes. */
	hang_up(&bed->verbs[0]);
	EXPECT(bed, "");
	put(bed, "mlx5_0", 1, "gids/0", GID_C);
	EXPECT_POLL(bed, "gid-changed mlx5_0/1 poll");
	/* Without notices, nothing shows it for the other port, either. */
	hang_up(&bed->ends[RTNL]);
	EXPECT_POLL(bed, "gid-changed mlx5_1/1 poll");
}

/*
 * A netdev is reported after the notices were read and before its GID is. Whatever changes with it
 * is read in the next step, which does not wait.
 */
static void gid_of_new_netdev(void **state)
{
	struct bed *bed = *state;
	const struct tracked_gid *gid;

	watch(bed);
	attach(bed, 1, 0, ETH0, "eth0");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", IFF_UP, 0);
	EXPECT(bed, "netdev-enabled eth0 rtnl");
	assert_int_equal(watcher_timeout(bed->watcher), -1);
	put(bed, "mlx5_1", 1, "gids/0", GID_A);
	put(bed, "mlx5_1", 1, "gid_attrs/ndevs/0", "eth0.5");
	rtnl_link(bed, RTM_NEWLINK, VLAN, "eth0.5", IFF_UP, ETH0);
	watcher_mark_port(&bed->watcher->devices[1].tracked->ports[0], STALE_GIDS,
			  EVENT_SOURCE_VERBS);
	watcher_refresh(bed->watcher);
	gid = &bed->watcher->devices[1].tracked->ports[0].gids.items[0];
	assert_non_null(gid->netdev);
	assert_string_equal(gid->netdev, "eth0.5");
	assert_int_equal(watcher_timeout(bed->watcher), 0);
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	EXPECT(bed, "port-down mlx5_1/1 rtnl");
	assert_int_equal(watcher_timeout(bed->watcher), -1);
	/* Notices were lost at that moment. */
	put(bed, "mlx5_1", 1, "gid_attrs/ndevs/0", "eth0.6");
	tell(bed, RTNL, (uint8_t[ROOM + 1]){0}, ROOM + 1);
	watcher_mark_port(&bed->watcher->devices[1].tracked->ports[0], STALE_GIDS,
			  EVENT_SOURCE_VERBS);
	watcher_refresh(bed->watcher);
	assert_int_equal(watcher_timeout(bed->watcher), 0);
	EXPECT(bed, "gap - rtnl, netdev-disabled eth0.5 resync, netdev-disabled eth0 resync");
}

/* A source disappears: its objects are polled, and the other sources continue. */
static void sources_end(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	attach(bed, 1, 0, ETH0, "eth0");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", 0, 0);
	hang_up(&bed->ends[NLDEV]);
	EXPECT(bed, "");
	assert_int_equal(descriptors(bed), MONITORS - 1 + 2);
	/* Uevents also report new devices. */
	assert_int_equal(watcher_timeout(bed->watcher), -1);
	put_port(bed, "mlx5_2", 1, "InfiniBand", "4: ACTIVE", GID_A);
	EXPECT_POLL(bed, "");
	hang_up(&bed->ends[UEVENTS]);
	EXPECT(bed, "");
	assert_int_equal(descriptors(bed), MONITORS - 2 + 2);
	assert_in_range(watcher_timeout(bed->watcher), 1, 60000);
	EXPECT_POLL(bed, "device-added mlx5_2 poll, port-active mlx5_2/1 poll, "
			 "gid-added mlx5_2/1 poll");
	assert_in_range(watcher_timeout(bed->watcher), 0, 1000);
	/* Ports with verbs are not polled. */
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	EXPECT_POLL(bed, "");
	verbs(bed, 0, VERBS_EVENT_PORT_ERR, 1);
	EXPECT(bed, "port-down mlx5_0/1 verbs");
	/* This host has no such netdev, as its kernel answers. */
	hang_up(&bed->ends[RTNL]);
	EXPECT(bed, "");
	assert_int_equal(descriptors(bed), 2);
	EXPECT_POLL(bed, "");
	assert_null(link_by_index(&bed->watcher->state.links,
				  &(const struct number){.known = true, .value = ETH0}));
	assert_in_range(watcher_timeout(bed->watcher), 0, 1000);
}

/* If the verbs end, the device is gone. */
static void verbs_end(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	tree_delete(&bed->tree, DEVICES "mlx5_0");
	hang_up(&bed->verbs[0]);
	EXPECT(bed, "port-down mlx5_0/1 verbs, gid-removed mlx5_0/1 verbs, "
		    "port-down mlx5_0/2 verbs, gid-removed mlx5_0/2 verbs, "
		    "device-removed mlx5_0 verbs");
	assert_int_equal(descriptors(bed), MONITORS + 1);
	assert_int_equal(watcher_timeout(bed->watcher), -1);
	/* The device is still there: its driver has only disconnected its users. */
	hang_up(&bed->verbs[1]);
	EXPECT(bed, "");
	assert_int_equal(descriptors(bed), MONITORS);
	assert_in_range(watcher_timeout(bed->watcher), 1, 60000);
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	EXPECT(bed, "");
	EXPECT_POLL(bed, "port-down mlx5_1/1 poll");
}

/* A port that cannot be read when it reports a change is read again until it can be. */
static void unreadable(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	put(bed, "mlx5_1", 1, "state", "1: DOWN");
	verbs(bed, 1, VERBS_EVENT_PORT_ERR, 1);
	EXPECT(bed, "port-down mlx5_1/1 verbs");
	tree_delete(&bed->tree, DEVICES "mlx5_1/ports/1/state");
	verbs(bed, 1, VERBS_EVENT_PORT_ACTIVE, 1);
	EXPECT(bed, "");
	assert_in_range(watcher_timeout(bed->watcher), 1, 60000);
	EXPECT_POLL(bed, "");
	assert_in_range(watcher_timeout(bed->watcher), 0, 1000);
	put(bed, "mlx5_0", 1, "state", "1: DOWN");
	put(bed, "mlx5_1", 1, "state", "4: ACTIVE");
	EXPECT_POLL(bed, "port-active mlx5_1/1 poll");
	/* From now on, the watcher waits for reports. */
	assert_int_equal(watcher_timeout(bed->watcher), -1);
}

/* After lost reports there is an event, and everything is read once. */
static void lost(void **state)
{
	static const struct {
		enum monitor monitor;
		const char *source;
	} cases[] = {{UEVENTS, "uevent"}, {NLDEV, "nldev"}, {RTNL, "rtnl"}};
	struct bed *bed = *state;
	uint8_t large[ROOM + 1] = {0};

	watch(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[16], wanted[512];
		const bool up = i % 2;

		attach(bed, 1, 0, ETH0, "eth0");
		rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", 0, 0);
		rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", IFF_UP, 0);
		EXPECT(bed, "netdev-enabled eth0 rtnl");
		snprintf(name, sizeof(name), "mlx5_%zu", i + 2);
		put_port(bed, name, 1, "InfiniBand", "1: DOWN", GID_A);
		put(bed, "mlx5_0", 2, "state", up ? "4: ACTIVE" : "1: DOWN");
		put(bed, "mlx5_1", 1, "gids/0", up ? GID_C : GID_B);
		tell(bed, cases[i].monitor, large, sizeof(large));
		snprintf(wanted, sizeof(wanted),
			 "gap - %s, netdev-disabled eth0 resync, device-added %s resync, "
			 "port-%s mlx5_0/2 resync, gid-changed mlx5_1/1 resync, "
			 "gid-added %s/1 resync",
			 cases[i].source, name, up ? "active" : "down", name);
		EXPECT(bed, wanted);
		EXPECT(bed, "");
		assert_int_equal(bed->watcher->lost, 0);
	}
	/* Several losses at once, and a report that arrived. */
	tell(bed, RTNL, large, sizeof(large));
	tell(bed, UEVENTS, large, sizeof(large));
	uevent(bed, "add", "infiniband", "mlx5_9", NULL);
	EXPECT(bed, "gap - uevent, gap - rtnl, device-added mlx5_9 uevent, "
		    "device-removed mlx5_9 resync");
}

/* Netdevs that could not be read after a loss are read again until they can be. */
static void lost_and_unreadable(void **state)
{
	const struct event_time time = {.wall_nsec = 5, .monotonic_nsec = 7};
	struct bed *bed = *state;
	struct rlimit before, none;
	uint8_t large[ROOM + 1] = {0};
	int next;

	watch(bed);
	attach(bed, 1, 0, ETH0, "eth0");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", IFF_UP, 0);
	EXPECT(bed, "netdev-enabled eth0 rtnl");
	tell(bed, RTNL, large, sizeof(large));
	next = dup(STDIN_FILENO);
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	watcher_step(bed->watcher, &time, &bed->events);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	EXPECT_POLL(bed, "netdev-disabled eth0 poll");
	/* The ports could not be read, either. */
	EXPECT_POLL(bed, "");
	assert_int_equal(watcher_timeout(bed->watcher), -1);
}

/* Incomplete lists do not show that anything is gone. */
static void lists_with_holes(void **state)
{
	struct bed *bed = *state;
	struct watcher *watcher;
	struct link_list links = {.missing = true};
	struct link_address_list addresses = {.missing = true};

	watch(bed);
	watcher = bed->watcher;
	attach(bed, 1, 0, ETH0, "eth0");
	rtnl_link(bed, RTM_NEWLINK, ETH0, "eth0", IFF_UP, 0);
	EXPECT(bed, "netdev-enabled eth0 rtnl");
	assert_int_equal(watcher_take_netdevs(watcher, &links, &addresses, EVENT_SOURCE_POLL),
			 -EAGAIN);
	links.missing = false;
	assert_int_equal(watcher_take_netdevs(watcher, &links, &addresses, EVENT_SOURCE_POLL),
			 -EAGAIN);
	assert_non_null(link_by_name(&watcher->state.links, "eth0"));
	addresses.missing = false;
	assert_int_equal(watcher_take_netdevs(watcher, &links, &addresses, EVENT_SOURCE_POLL), 0);
	assert_null(link_by_name(&watcher->state.links, "eth0"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(lists_with_holes),	 TEST(silence),
		TEST(uevents),		 TEST(renames),
		TEST(renamed_at_once),	 TEST(named),
		TEST(notifications),	 TEST(verbs_events),
		TEST(first_source),	 TEST(netdevs),
		TEST(netdev_of_second),	 TEST(gids_of_netdevs),
		TEST(gid_of_new_netdev), TEST(sources_end),
		TEST(verbs_end),	 TEST(lost),
		TEST(unreadable),	 TEST(lost_and_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
