/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The part of an inventory that comes from verbs: what they report, and what is reported and read
 * instead if they fail. The functions of libibverbs' wrapper are replaced here, so that the linker
 * takes neither lib/kernel/verbs nor lib/host/verbs.c.
 */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "host/inventory/reading.h"
#include "host/need.h"
#include "host/verbs.h"
#include "kernel/verbs/verbs.h"

#define CLASS "sys/class/infiniband/"

/* ---- Verbs ---- */

struct verbs {
	struct strings warnings;
};

static struct {
	int open_error, device_error, port_error, gids_error, caps_error, port_caps_error;
	unsigned int opened, freed, devices_opened, devices_closed, gids_asked;
	struct verbs verbs;
	unsigned int port_count; /* in the capabilities */
	unsigned int speed;	 /* speed code of the port; a faster speed may share it */
} library;

int verbs_open(const struct root *root, struct verbs **ret_verbs)
{
	assert_true(root->recorded);
	library.opened++;
	if (library.open_error)
		return library.open_error;
	*ret_verbs = &library.verbs;
	return 0;
}

void verbs_free(struct verbs *verbs)
{
	library.freed += verbs != NULL;
}

const struct strings *verbs_warnings(const struct verbs *verbs)
{
	return &verbs->warnings;
}

/* Only b0 cannot be opened. */
int verbs_open_device(struct verbs *verbs, const char *name, struct verbs_device **ret_device)
{
	assert_ptr_equal(verbs, &library.verbs);
	if (library.device_error && !strcmp(name, "b0"))
		return library.device_error;
	library.devices_opened++;
	*ret_device = (struct verbs_device *)&library;
	return 0;
}

void verbs_close_device(struct verbs_device *device)
{
	library.devices_closed += device != NULL;
}

int verbs_get_port(struct verbs_device *device, struct port *port)
{
	assert_ptr_equal(device, &library);
	if (library.port_error)
		return library.port_error;
	port->active_mtu_bytes = number_of(1024);
	port->gid_table_length = number_of(3);
	return 0;
}

/* Each port has one GID, at index 1. */
int verbs_get_gids(struct verbs_device *verbs_device, struct device *device)
{
	assert_ptr_equal(verbs_device, &library);
	library.gids_asked++;
	if (library.gids_error)
		return library.gids_error;
	for (size_t i = 0; i < device->port_count; i++) {
		struct port *port = &device->ports[i];
		struct gid_entry *entry = mem_append(&port->gids, &port->gid_count,
						     sizeof(*port->gids));

		entry->device = port->device;
		entry->port = port->port;
		entry->index = number_of(1);
		entry->type = number_of(GID_TYPE_ROCE_V2);
		entry->source = number_of(GID_SOURCE_VERBS);
		entry->gid.known = true;
		assert_int_equal(gid_parse("::ffff:10.0.0.1", &entry->gid.gid), 0);
	}
	return 0;
}

int verbs_get_caps(struct verbs_device *device, struct caps *caps)
{
	struct port_caps *port = caps_add_port(caps, 1);

	assert_ptr_equal(device, &library);
	caps->firmware = mem_string("7.7");
	caps->port_count = number_of(library.port_count);
	caps->transport = number_of(TRANSPORT_INFINIBAND);
	port->error = library.port_caps_error;
	port->codes.speed = library.speed;
	return library.caps_error;
}

/* ---- The bed ---- */

struct bed {
	struct saved_tree tree;
	struct inventory inventory;
	struct inventory_request request;
	struct reading reading;
	struct problems problems, notes;
};

static int setup(void **state)
{
	const int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;

	memset(&library, 0, sizeof(library));
	bed->reading = (struct reading){
		.inventory = &bed->inventory,
		.problems = &bed->problems,
		.notes = &bed->notes,
		.request = &bed->request,
		.root = bed->tree.root,
	};
	bed->reading.root.recorded = true;
	tree_directory(&bed->tree, "sys/class/infiniband_verbs");
	return rc;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	problems_free(&bed->notes);
	strings_free(&library.verbs.warnings);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

/* The devices a0, with two ports, and b0, before verbs are queried. */
static void begin(struct bed *bed)
{
	inventory_free(&bed->inventory);
	problems_free(&bed->problems);
	problems_free(&bed->notes);
	bed->inventory = (struct inventory){.root = NULL};
	for (int i = 0; i < 2; i++) {
		struct device *device = device_list_add(&bed->inventory.devices, i ? "b0" : "a0");

		device->transport = number_of(TRANSPORT_ROCE);
		for (unsigned int number = 1; number <= (i ? 1u : 2u); number++)
			device_add_port(device, number)->link_layer = number_of(
				LINK_LAYER_ETHERNET);
	}
}

static void read_it(struct bed *bed, uint64_t needs)
{
	begin(bed);
	bed->reading.needs = needs;
	read_verbs(&bed->reading);
	assert_int_equal(library.devices_opened, library.devices_closed);
}

/* One line per problem: object, attribute, source, error, hint; - for none. */
static char *lines_of(const struct problems *problems)
{
	struct text_buffer text = {.text = NULL};

	text_buffer_add(&text, "%s", "");
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *one = &problems->items[i];

		text_buffer_add(&text, "%s|%s|%s|%s|%s\n", one->object ? one->object : "-",
				one->attribute ? one->attribute : "-", one->source, one->error,
				one->hint ? one->hint : "-");
	}
	return text_buffer_take(&text);
}

static void expect_lines(const struct problems *problems, const char *wanted)
{
	_cleanup_(freep) char *lines = lines_of(problems);

	assert_string_equal(lines, wanted);
}

/* Expects one line with this error number. */
static void expect_error(const struct problems *problems, const char *before, int error,
			 const char *hint)
{
	_cleanup_(freep) char *wanted = mem_format("%s|%s|%s\n", before, strerror(error), hint);

	expect_lines(problems, wanted);
}

/* "index type source ip" of each entry, with commas. */
static void expect_gids(const struct port *port, const char *wanted)
{
	struct text_buffer text = {.text = NULL};

	text_buffer_add(&text, "%s", "");
	for (size_t i = 0; i < port->gid_count; i++) {
		const struct gid_entry *entry = &port->gids[i];
		char ip[IP_TEXT_SIZE] = "-";

		if (entry->ip.known)
			ip_format(&entry->ip.address, ip);
		text_buffer_add(
			&text, "%s%u %s %s %s", i ? ", " : "", (unsigned int)entry->index.value,
			entry->type.known ? enum_word(gid_type_names, entry->type.value, "?") : "-",
			entry->source.value == GID_SOURCE_VERBS ? "verbs" : "sysfs", ip);
	}
	assert_string_equal(text.text, wanted);
	free(text_buffer_take(&text));
}

static struct port *port_of(struct bed *bed, size_t device, size_t port)
{
	return &bed->inventory.devices.items[device].ports[port];
}

/* ---- Tests ---- */

#define INSTALL                                                                     \
	"install libibverbs and its providers (Debian: ibverbs-providers; Fedora: " \
	"libibverbs)"
#define TOO_OLD "it is there, but lacks a function: it may be too old"
#define NODE	"the uverbs node in /dev/infiniband must be readable and writable"
#define PROVIDER                                                                           \
	"load ib_uverbs and install the provider library of this driver; in a container, " \
	"pass /dev/infiniband in"
#define MEMORY "raise the limit of locked memory (ulimit -l)"
#define FILES  "raise the limit of open files (ulimit -n)"

static const struct {
	int error;
	const char *hint;
} hints[] = {
	{ELIBACC, INSTALL}, {ELIBBAD, TOO_OLD}, {ENOSYS, "load the module: modprobe ib_uverbs"},
	{EACCES, NODE},	    {EPERM, NODE},	{ENODEV, PROVIDER},
	{ENOMEM, MEMORY},   {EMFILE, FILES},	{EIO, "-"},
};

/* First the library fails, then one device: one line each, in terms of what was requested. */
static void failures(void **state)
{
	struct bed *bed = *state;

	tree_directory(&bed->tree, CLASS "b0");
	for (size_t i = 0; i < ARRAY_SIZE(hints); i++) {
		library.open_error = -hints[i].error;
		library.device_error = 0;
		read_it(bed, NEED_CAPS | NEED_MTU);
		expect_error(&bed->problems, "-|capabilities|verbs", hints[i].error, hints[i].hint);
		expect_lines(&bed->notes, "");
		read_it(bed, NEED_MTU);
		expect_error(&bed->problems, "-|MTU|verbs", hints[i].error, hints[i].hint);
		library.open_error = 0;
		library.device_error = -hints[i].error;
		read_it(bed, NEED_CAPS);
		expect_error(&bed->problems, "b0|capabilities|verbs", hints[i].error,
			     hints[i].hint);
		assert_int_equal(bed->inventory.caps_count, 1);
		read_it(bed, NEED_MTU);
		expect_error(&bed->problems, "b0|MTU|verbs", hints[i].error, hints[i].hint);
	}
	assert_int_equal(library.opened, 4 * ARRAY_SIZE(hints));
	assert_int_equal(library.freed, 2 * ARRAY_SIZE(hints));
	assert_int_equal(library.devices_opened, 2 * ARRAY_SIZE(hints));
}

/* A device that sysfs lacks was removed, or /sys is another namespace's: nobody can tell. */
static void removed(void **state)
{
	struct bed *bed = *state;

	library.device_error = -ENODEV;
	read_it(bed, NEED_MTU);
	expect_error(&bed->problems, "b0|MTU|verbs", ENODEV,
		     "unless it was just removed or renamed, " PROVIDER);
	tree_link(&bed->tree, CLASS "b0", "!EACCES");
	read_it(bed, NEED_MTU);
	expect_error(&bed->problems, "b0|MTU|verbs", ENODEV, PROVIDER);
}

static void add_table(struct bed *bed, const char *port)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{"gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001"},
		{"gids/1", "0000:0000:0000:0000:0000:0000:0000:0000"},
		{"gids/2", "0000:0000:0000:0000:0000:ffff:0a00:0002"},
		{"gid_attrs/types/0", "IB/RoCE v1"},
		{"gid_attrs/types/1", "IB/RoCE v1"},
		{"gid_attrs/types/2", "RoCE v2"},
		{"gid_attrs/ndevs/0", "eth0"},
		{"gid_attrs/ndevs/2", "eth0"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_(freep) char *path = mem_format(CLASS "%s/%s", port, files[i].name);

		tree_write(&bed->tree, path, files[i].text);
	}
}

#define TABLE	  "0 roce-v1 sysfs fe80::1, 2 roce-v2 sysfs 10.0.0.2"
#define TABLE_ALL "0 roce-v1 sysfs fe80::1, 1 - sysfs -, 2 roce-v2 sysfs 10.0.0.2"

/* Without verbs no GID is lost: sysfs has the table, and only -v reports it. */
static void gids(void **state)
{
	struct bed *bed = *state;

	add_table(bed, "a0/ports/1");
	add_table(bed, "a0/ports/2");
	add_table(bed, "b0/ports/1");
	read_it(bed, NEED_GIDS);
	expect_lines(&bed->problems, "");
	expect_gids(port_of(bed, 0, 0), "1 roce-v2 verbs 10.0.0.1");
	expect_gids(port_of(bed, 0, 1), "1 roce-v2 verbs 10.0.0.1");
	expect_gids(port_of(bed, 1, 0), "1 roce-v2 verbs 10.0.0.1");
	assert_int_equal(bed->inventory.devices.items[0].sources.value, DEVICE_FROM_VERBS);
	library.device_error = -EACCES;
	read_it(bed, NEED_GIDS);
	expect_lines(&bed->problems, "");
	expect_error(&bed->notes, "b0|GID table|verbs", EACCES, "sysfs is used instead");
	expect_gids(port_of(bed, 0, 0), "1 roce-v2 verbs 10.0.0.1");
	expect_gids(port_of(bed, 1, 0), TABLE);
	assert_null(port_of(bed, 1, 0)->gids[0].netdev);
	assert_false(bed->inventory.devices.items[1].sources.known);
	library.device_error = 0;
	library.gids_error = -EOPNOTSUPP;
	read_it(bed, NEED_GIDS | NEED_GID_NETDEVS);
	expect_lines(&bed->problems, "");
	expect_lines(&bed->notes, "");
	expect_gids(port_of(bed, 0, 1), TABLE);
	assert_string_equal(port_of(bed, 0, 1)->gids[1].netdev, "eth0");
	library.open_error = -ENODATA;
	read_it(bed, NEED_GIDS);
	expect_error(&bed->notes, "-|GID table|verbs", ENODATA, "sysfs is used instead");
	expect_gids(port_of(bed, 0, 0), TABLE);
	library.gids_asked = 0;
	read_it(bed, NEED_MTU);
	assert_int_equal(library.gids_asked, 0);
	expect_gids(port_of(bed, 0, 0), "");
}

/* Empty slots included: verbs report the table's size. */
static void empty_gids(void **state)
{
	struct bed *bed = *state;

	bed->request.empty_gids = true;
	add_table(bed, "a0/ports/1");
	add_table(bed, "a0/ports/2");
	add_table(bed, "b0/ports/1");
	read_it(bed, NEED_GIDS);
	expect_gids(port_of(bed, 0, 0), "0 - verbs -, 1 roce-v2 verbs 10.0.0.1, 2 - verbs -");
	expect_gids(port_of(bed, 0, 1), "0 - verbs -, 1 roce-v2 verbs 10.0.0.1, 2 - verbs -");
	assert_int_equal(port_of(bed, 0, 1)->gids[2].port.value, 2);
	assert_string_equal(port_of(bed, 0, 1)->gids[2].device, "a0");
	assert_true(port_of(bed, 0, 1)->gids[2].gid.known);
	/* A port that does not answer: still no slot is listed twice. */
	library.port_error = -EINVAL;
	read_it(bed, NEED_GIDS);
	expect_gids(port_of(bed, 0, 0), TABLE_ALL);
	expect_gids(port_of(bed, 0, 1), TABLE_ALL);
	library.gids_error = -EOPNOTSUPP;
	read_it(bed, NEED_GIDS);
	expect_gids(port_of(bed, 1, 0), TABLE_ALL);
}

static void mtus(void **state)
{
	struct bed *bed = *state;

	read_it(bed, NEED_MTU);
	expect_lines(&bed->problems, "");
	assert_int_equal(port_of(bed, 0, 0)->active_mtu_bytes.value, 1024);
	assert_int_equal(port_of(bed, 0, 1)->active_mtu_bytes.value, 1024);
	assert_int_equal(port_of(bed, 1, 0)->active_mtu_bytes.value, 1024);
	library.device_error = -EACCES;
	library.port_error = -EINVAL;
	read_it(bed, NEED_MTU);
	assert_int_equal(bed->problems.count, 3);
	assert_string_equal(bed->problems.items[0].object, "a0/1");
	assert_string_equal(bed->problems.items[0].attribute, "port attributes");
	assert_string_equal(bed->problems.items[0].source, "verbs");
	assert_string_equal(bed->problems.items[0].error, strerror(EINVAL));
	assert_null(bed->problems.items[0].hint);
	assert_string_equal(bed->problems.items[1].object, "a0/2");
	assert_string_equal(bed->problems.items[2].object, "b0");
	assert_false(port_of(bed, 0, 0)->active_mtu_bytes.known);
	library.device_error = library.port_error = 0;
	read_it(bed, NEED_GIDS);
	assert_false(port_of(bed, 0, 0)->active_mtu_bytes.known);
}

/* Ports that verbs cannot number are reported once, and never queried. */
static void ports_above(void **state)
{
	static const char line[] =
		"a0|attributes of ports above 255|verbs|verbs number ports only up to 255|-\n";
	struct bed *bed = *state;

	begin(bed);
	device_add_port(&bed->inventory.devices.items[0], 256);
	device_add_port(&bed->inventory.devices.items[0], 300);
	bed->reading.needs = NEED_MTU;
	read_verbs(&bed->reading);
	expect_lines(&bed->problems, line);
	assert_true(port_of(bed, 0, 1)->active_mtu_bytes.known);
	assert_false(port_of(bed, 0, 2)->active_mtu_bytes.known);
	library.port_count = 300;
	library.device_error = -EIO;
	read_it(bed, NEED_CAPS);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[0].attribute, "attributes of ports above 255");
}

/* Only sysfs has the board, and RDMA netlink knows the transport better. */
static void caps(void **state)
{
	struct bed *bed = *state;
	const struct caps *first;

	begin(bed);
	bed->inventory.devices.items[0].board_id = mem_string("BOARD");
	bed->inventory.devices.items[1].transport.known = false;
	bed->reading.needs = NEED_CAPS;
	read_verbs(&bed->reading);
	expect_lines(&bed->problems, "");
	assert_int_equal(bed->inventory.caps_count, 2);
	first = bed->inventory.caps;
	assert_string_equal(first[0].device, "a0");
	assert_string_equal(first[0].ports[0].device, "a0");
	assert_string_equal(first[0].board_id, "BOARD");
	assert_string_equal(first[0].firmware, "7.7");
	assert_int_equal(first[0].transport.value, TRANSPORT_ROCE);
	assert_string_equal(first[1].device, "b0");
	assert_null(first[1].board_id);
	assert_int_equal(first[1].transport.value, TRANSPORT_INFINIBAND);
	library.port_caps_error = -ENODEV;
	library.device_error = -EIO;
	read_it(bed, NEED_CAPS);
	assert_int_equal(bed->inventory.caps_count, 1);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[0].object, "a0/1");
	assert_string_equal(bed->problems.items[0].error, strerror(ENODEV));
	library.caps_error = -EINVAL;
	library.device_error = 0;
	read_it(bed, NEED_CAPS);
	assert_int_equal(bed->inventory.caps_count, 0);
	assert_int_equal(bed->problems.count, 2);
	assert_string_equal(bed->problems.items[1].object, "b0");
	assert_string_equal(bed->problems.items[1].attribute, "capabilities");
	assert_string_equal(bed->problems.items[1].error, strerror(EINVAL));
	read_it(bed, NEED_MTU);
	assert_int_equal(bed->inventory.caps_count, 0);
}

/* Only the highest code of an older library leaves the speed to sysfs. */
static void speeds(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, CLASS "a0/ports/1/rate", "800 Gb/sec (4X XDR)");
	read_it(bed, NEED_CAPS);
	assert_false(bed->inventory.caps[0].ports[0].speed.known);
	expect_lines(&bed->problems, "");
	library.speed = 128;
	read_it(bed, NEED_CAPS);
	assert_int_equal(bed->inventory.caps[0].ports[0].speed.value, 256);
	expect_error(&bed->problems, "b0/1|rate_gbps|sysfs", ENOENT, "-");
}

static void warnings(void **state)
{
	struct bed *bed = *state;

	strings_add(&library.verbs.warnings, "no provider for a0");
	strings_add(&library.verbs.warnings, "another");
	read_it(bed, NEED_MTU);
	expect_lines(&bed->problems, "");
	expect_lines(&bed->notes, "-|-|verbs|no provider for a0|-\n-|-|verbs|another|-\n");
}

/* Without the class of the device nodes, the library would make the kernel load the module. */
static void no_nodes(void **state)
{
	struct bed *bed = *state;

	tree_delete(&bed->tree, "sys/class/infiniband_verbs");
	read_it(bed, NEED_MTU);
	assert_int_equal(library.opened, 0);
	expect_error(&bed->problems, "-|MTU|verbs", ENOSYS, "load the module: modprobe ib_uverbs");
}

/* Nothing is opened for a saved tree, or if verbs are not wanted. */
static void not_opened(void **state)
{
	struct bed *bed = *state;

	bed->request.closed = true;
	read_it(bed, NEED_MTU);
	expect_lines(&bed->problems, "");
	expect_lines(&bed->notes, "-|MTU|verbs|no device is opened|-\n");
	read_it(bed, NEED_GIDS);
	assert_int_equal(bed->notes.count, 0);
	bed->request.closed = false;
	bed->reading.root.recorded = false;
	read_it(bed, NEED_MTU);
	expect_lines(&bed->notes, "-|MTU|verbs|a saved tree does not hold it|-\n");
	assert_int_equal(library.opened, 0);
	assert_int_equal(library.devices_opened, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(failures), TEST(removed),	   TEST(gids),	     TEST(empty_gids),
		TEST(mtus),	TEST(ports_above), TEST(caps),	     TEST(speeds),
		TEST(warnings), TEST(no_nodes),	   TEST(not_opened),
	};

	return cmocka_run_group_tests_name("inventory-verbs", tests, NULL, NULL);
}
