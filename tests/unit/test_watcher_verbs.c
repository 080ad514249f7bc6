/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * When a watcher opens and closes the verbs of its devices, and what it queries them for. The
 * functions of libibverbs' wrapper are replaced here, so that the linker takes nothing from
 * lib/kernel/verbs and lib/host/verbs.c.
 */
#include "saved_tree.h"

#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "event/watcher.h"
#include "host/verbs.h"

#define DEVICES "sys/class/infiniband/"

/* ---- Verbs ---- */

enum { MOST = 4 };

struct verbs_async {
	char node[16];
	bool abandoned, ended, gids_fail;
	struct verbs_event events[MOST];
	size_t event_count;
};

static struct {
	int open_error;		    /* result of opening libibverbs */
	int device_error;	    /* result for mlx5_1 */
	unsigned int opened, freed; /* of libibverbs */
	unsigned int asyncs, closed, tried;
	unsigned int ports_asked, gids_asked;
} library;

int verbs_open(const struct root *root, struct verbs **ret_verbs)
{
	assert_null(root);
	library.opened++;
	if (library.open_error)
		return library.open_error;
	*ret_verbs = mem_alloc_zero(1, 1);
	return 0;
}

void verbs_free(struct verbs *verbs)
{
	library.freed += verbs != NULL;
	free(verbs);
}

int verbs_async_open(struct verbs *verbs, const char *name, struct verbs_async **ret_async)
{
	assert_non_null(verbs);
	library.tried++;
	if (library.device_error && !strcmp(name, "mlx5_1"))
		return library.device_error;
	*ret_async = mem_alloc_zero(1, sizeof(**ret_async));
	/* The node of mlx5_0 is uverbs0. */
	snprintf((*ret_async)->node, sizeof((*ret_async)->node), "uverbs%s", name + 5);
	library.asyncs++;
	return 0;
}

void verbs_async_close(struct verbs_async *async)
{
	library.closed += async != NULL;
	free(async);
}

int verbs_async_fd(const struct verbs_async *async)
{
	return async->node[6];
}

struct verbs_device *verbs_async_device(struct verbs_async *async)
{
	return (struct verbs_device *)async;
}

const char *verbs_async_node(const struct verbs_async *async)
{
	return async->node;
}

bool verbs_async_abandoned(const struct verbs_async *async)
{
	return async->abandoned;
}

int verbs_async_read(struct verbs_async *async, verbs_event_handler *handle, void *context)
{
	const size_t count = async->event_count;

	async->event_count = 0;
	for (size_t i = 0; i < count; i++)
		handle(context, &async->events[i]);
	return async->ended ? -ENODEV : 0;
}

int verbs_get_port(struct verbs_device *device, struct port *port)
{
	assert_non_null(device);
	library.ports_asked++;
	port->active_mtu_bytes = number_of(4096);
	return 0;
}

int verbs_get_gids(struct verbs_device *verbs, struct device *device)
{
	struct port *port = &device->ports[0];
	struct gid_entry *entry;

	assert_int_equal(device->port_count, 1);
	library.gids_asked++;
	if (((struct verbs_async *)verbs)->gids_fail)
		return -EOPNOTSUPP;
	entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));
	entry->index = number_of(7);
	entry->gid = (struct known_gid){.gid = {.raw = {0xfe, 0x80, [15] = 1}}, .known = true};
	return 0;
}

/* ---- The watcher ---- */

struct bed {
	struct saved_tree tree;
	struct objects objects;
	struct watcher *watcher;
	struct event_list events;
	struct problems warnings, notes;
	int uevents, rtnl;
};

static void put_port(const struct bed *bed, const char *device, const char *state)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/ports/1/link_layer", device);
	tree_write(&bed->tree, path, "InfiniBand");
	snprintf(path, sizeof(path), DEVICES "%s/ports/1/state", device);
	tree_write(&bed->tree, path, state);
	snprintf(path, sizeof(path), DEVICES "%s/ports/1/gids/0", device);
	tree_write(&bed->tree, path, "fe80:0000:0000:0000:0011:2233:4455:6677");
	snprintf(path, sizeof(path), DEVICES "%s/ports/1/gid_attrs/types/0", device);
	tree_write(&bed->tree, path, "IB/RoCE v1");
}

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	memset(&library, 0, sizeof(library));
	put_port(bed, "mlx5_0", "4: ACTIVE");
	put_port(bed, "mlx5_1", "4: ACTIVE");
	tree_directory(&bed->tree, "sys/class/infiniband_verbs");
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	event_list_clear(&bed->events);
	watcher_free(bed->watcher);
	if (bed->watcher) {
		close(bed->uevents);
		close(bed->rtnl);
	}
	/* Everything that was opened is closed. */
	assert_int_equal(library.closed, library.asyncs);
	assert_int_equal(library.freed, library.open_error ? 0 : library.opened);
	problems_free(&bed->warnings);
	problems_free(&bed->notes);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static struct netlink *pair(int *ret_end)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
	*ret_end = fds[1];
	return netlink_from_fd(fds[0], 1024);
}

static void watch(struct bed *bed)
{
	const struct watcher_options options = {.root = bed->tree.path, .objects = &bed->objects};

	assert_int_equal(watcher_open(&options, &bed->watcher, &bed->warnings, &bed->notes), 0);
	/* A saved tree has no verbs. */
	assert_int_equal(library.opened, 0);
	assert_int_equal(bed->warnings.count, 0);
	bed->watcher->root.live = bed->watcher->root.below = true;
	bed->watcher->uevents = pair(&bed->uevents);
	bed->watcher->rtnl_monitor = pair(&bed->rtnl);
	/* Shows a test the warnings of an opening. */
	bed->watcher->warnings = &bed->warnings;
}

static void uevent(const struct bed *bed, const char *action, const char *subsystem,
		   const char *name)
{
	char text[256];
	int length = snprintf(text, sizeof(text),
			      "%s@/class/%s%cACTION=%s%cDEVPATH=/class/%s%cSUBSYSTEM=%s", action,
			      name, 0, action, 0, name, 0, subsystem);

	assert_int_equal(send(bed->uevents, text, (size_t)length + 1, 0), length + 1);
}

static void expect_at(struct bed *bed, const char *wanted, int line)
{
	const struct event_time time = {.wall_nsec = 5, .monotonic_nsec = 7};
	char text[1024] = "";

	bed->watcher->next_poll_msec = clock_msec() + 60000;
	event_list_clear(&bed->events);
	assert_int_equal(watcher_step(bed->watcher, &time, &bed->events), 0);
	for (size_t i = 0; i < bed->events.count; i++) {
		const struct event *event = &bed->events.items[i];
		const size_t length = strlen(text);

		snprintf(text + length, sizeof(text) - length, "%s%s %s %s", length ? ", " : "",
			 enum_word(event_names, event->word.value, "?"),
			 event->object ? event->object : "-",
			 enum_word(event_source_names, event->source.value, "?"));
	}
	if (strcmp(text, wanted))
		fail_msg("line %d: '%s' instead of '%s'", line, text, wanted);
}

#define EXPECT(bed, wanted) expect_at(bed, wanted, __LINE__)

static struct verbs_async *async_of(const struct bed *bed, size_t device)
{
	assert_true(device < bed->watcher->device_count);
	return bed->watcher->devices[device].async;
}

static void opened(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	EXPECT(bed, "");
	assert_int_equal(library.opened, 0);
	/* A node appeared: each device is tried, with a single list of libibverbs. */
	uevent(bed, "add", "infiniband_verbs", "uverbs0");
	EXPECT(bed, "");
	assert_int_equal(library.opened, 1);
	assert_int_equal(library.freed, 1);
	assert_int_equal(library.asyncs, 2);
	assert_int_equal(bed->warnings.count, 0);
	assert_string_equal(async_of(bed, 0)->node, "uverbs0");
	assert_string_equal(async_of(bed, 1)->node, "uverbs1");
	assert_int_equal(watcher_timeout(bed->watcher), -1);
	/* It is not opened again without a reason. */
	EXPECT(bed, "");
	assert_int_equal(library.opened, 1);
	uevent(bed, "add", "infiniband_verbs", "uverbs0");
	EXPECT(bed, "");
	assert_int_equal(library.tried, 2);
	/* A new device is a reason, and only that device is opened. */
	put_port(bed, "mlx5_2", "1: DOWN");
	uevent(bed, "add", "infiniband", "mlx5_2");
	EXPECT(bed, "device-added mlx5_2 uevent, gid-added mlx5_2/1 uevent");
	assert_int_equal(library.opened, 2);
	assert_int_equal(library.asyncs, 3);
	assert_string_equal(async_of(bed, 2)->node, "uverbs2");
}

/* Each device whose verbs cannot be opened gets a warning. */
static void refused(void **state)
{
	static const struct {
		bool folder;
		int open_error, device_error;
		size_t warned; /* index of the first device with a warning */
		int error;
		unsigned int opened, tried;
	} cases[] = {
		{true, 0, -EACCES, 1, EACCES, 1, 2},
		{true, -ELIBACC, 0, 0, ELIBACC, 1, 0},
		{false, 0, 0, 0, ENOSYS, 0, 0},
	};
	struct bed *bed = *state;

	watch(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!cases[i].folder)
			tree_delete(&bed->tree, "sys/class/infiniband_verbs");
		for (size_t j = 0; j < 2; j++) {
			verbs_async_close(bed->watcher->devices[j].async);
			bed->watcher->devices[j].async = NULL;
		}
		library.opened = library.freed = library.tried = 0;
		library.open_error = cases[i].open_error;
		library.device_error = cases[i].device_error;
		problems_free(&bed->warnings);
		uevent(bed, "add", "infiniband_verbs", "uverbs0");
		EXPECT(bed, "");
		assert_int_equal(library.opened, cases[i].opened);
		assert_int_equal(library.tried, cases[i].tried);
		assert_int_equal(bed->warnings.count, 2 - cases[i].warned);
		for (size_t j = 0; j < 2; j++)
			assert_int_equal(async_of(bed, j) != NULL, j < cases[i].warned);
		for (size_t j = 0; j < bed->warnings.count; j++) {
			const struct problem *problem = &bed->warnings.items[j];

			assert_string_equal(problem->object,
					    j + cases[i].warned ? "mlx5_1" : "mlx5_0");
			assert_string_equal(problem->attribute, "asynchronous events");
			assert_string_equal(problem->source, "verbs");
			assert_string_equal(problem->error, strerror(cases[i].error));
			assert_string_equal(problem->hint,
					    "its state is polled once a second; rdmactl caps "
					    "shows what is missing");
		}
		assert_in_range(watcher_timeout(bed->watcher), 0, 60000);
	}
}

/* The node of a device disappears before the device: its reports are read, and it is closed. */
static void node_gone(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	uevent(bed, "add", "infiniband_verbs", "uverbs0");
	EXPECT(bed, "");
	async_of(bed, 1)->events[0] = (struct verbs_event){VERBS_EVENT_DEVICE_FATAL, 0};
	async_of(bed, 1)->event_count = 1;
	uevent(bed, "remove", "infiniband_verbs", "uverbs1");
	uevent(bed, "remove", "infiniband_verbs", "uverbs10");
	EXPECT(bed, "device-fatal mlx5_1 verbs");
	assert_non_null(async_of(bed, 0));
	assert_null(async_of(bed, 1));
	assert_int_equal(library.closed, 1);
	/* The device is not opened again until it has a node. */
	assert_int_equal(library.opened, 1);
	EXPECT(bed, "");
	assert_int_equal(library.opened, 1);
	uevent(bed, "add", "infiniband_verbs", "uverbs1");
	EXPECT(bed, "");
	assert_non_null(async_of(bed, 1));
	assert_int_equal(library.opened, 2);
	/* It is closed already when its end is read. */
	async_of(bed, 0)->ended = true;
	uevent(bed, "remove", "infiniband_verbs", "uverbs0");
	EXPECT(bed, "");
	assert_null(async_of(bed, 0));
	assert_int_equal(library.closed, 2);
}

/* Uevents were lost, perhaps that of a node for which a device waits. */
static void abandoned(void **state)
{
	static const char large[2000];
	struct bed *bed = *state;

	watch(bed);
	uevent(bed, "add", "infiniband_verbs", "uverbs0");
	EXPECT(bed, "");
	async_of(bed, 0)->abandoned = true;
	EXPECT(bed, "");
	assert_non_null(async_of(bed, 0));
	assert_int_equal(send(bed->uevents, large, sizeof(large), 0), sizeof(large));
	EXPECT(bed, "gap - uevent, gid-added mlx5_0/1 resync, gid-added mlx5_1/1 resync");
	assert_null(async_of(bed, 0));
	assert_non_null(async_of(bed, 1));
	assert_int_equal(library.closed, 1);
}

/* The MTU and the GIDs come from verbs, or else from the files. */
static void asked(void **state)
{
	struct bed *bed = *state;

	watch(bed);
	uevent(bed, "add", "infiniband_verbs", "uverbs0");
	EXPECT(bed, "");
	library.ports_asked = library.gids_asked = 0;
	async_of(bed, 1)->gids_fail = true;
	for (size_t i = 0; i < 2; i++)
		watcher_mark_port(&bed->watcher->devices[i].tracked->ports[0], STALE_ALL,
				  EVENT_SOURCE_POLL);
	EXPECT(bed, "gid-added mlx5_0/1 poll, gid-added mlx5_1/1 poll");
	assert_int_equal(library.ports_asked, 2);
	assert_int_equal(library.gids_asked, 2);
	assert_int_equal(bed->events.items[0].gid_index.value, 7);
	assert_int_equal(bed->events.items[1].gid_index.value, 0);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(
			bed->watcher->devices[i].tracked->ports[0].now.active_mtu_bytes.value,
			4096);
	/* Without verbs, none is queried. */
	uevent(bed, "remove", "infiniband_verbs", "uverbs0");
	watcher_mark_port(&bed->watcher->devices[0].tracked->ports[0], STALE_ALL,
			  EVENT_SOURCE_POLL);
	EXPECT(bed, "gid-added mlx5_0/1 poll, gid-removed mlx5_0/1 poll");
	assert_int_equal(library.ports_asked, 2);
	assert_int_equal(library.gids_asked, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(opened), TEST(refused), TEST(node_gone), TEST(abandoned), TEST(asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
