/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A saved tree with one device, whose files the input changes: one byte names the file, one is a
 * length, then the text follows; a length above MOST_TEXT makes a link instead. All commands' needs
 * are loaded, and all text that results must be clean.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftw.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/text.h"
#include "host/inventory/inventory.h"
#include "host/endpoint/gid_choice.h"
#include "host/netdev.h"

#define DEVICE "sys/class/infiniband/mlx5_0/"
#define PCI    "sys/devices/pci0000:3a/0000:3b:00.0/"
#define REAL   PCI "infiniband/mlx5_0/"
#define PORT   REAL "ports/1/"
#define NET    "sys/class/net/"

enum { MOST_TEXT = 240 };

/* The contents of the tree before the input changes it. */
static const struct file {
	const char *path;
	const char *text;
} files[] = {
	{REAL "node_type", "1: CA\n"},
	{REAL "fw_ver", "20.31.1014\n"},
	{REAL "node_guid", "ec0d:9a03:0078:1a2c\n"},
	{REAL "sys_image_guid", "ec0d:9a03:0078:1a2c\n"},
	{REAL "board_id", "MT_0000000222\n"},
	{REAL "hca_type", "MT4123\n"},
	{REAL "hw_rev", "0\n"},
	{REAL "node_desc", "host mlx5_0\n"},
	{PCI "numa_node", "0\n"},
	{PCI "vendor", "0x15b3\n"},
	{PCI "device", "0x101b\n"},
	{PCI "current_link_speed", "16.0 GT/s PCIe\n"},
	{PCI "max_link_speed", "16.0 GT/s PCIe\n"},
	{PCI "current_link_width", "16\n"},
	{PCI "max_link_width", "16\n"},
	{PORT "link_layer", "Ethernet\n"},
	{PORT "state", "4: ACTIVE\n"},
	{PORT "phys_state", "5: LinkUp\n"},
	{PORT "rate", "100 Gb/sec (4X EDR)\n"},
	{PORT "lid", "0x11\n"},
	{PORT "lid_mask_count", "0\n"},
	{PORT "sm_lid", "0x1\n"},
	{PORT "sm_sl", "0\n"},
	{PORT "cap_mask", "0x2651e848\n"},
	{PORT "gids/0", "fe80:0000:0000:0000:ec0d:9a03:0078:1a2c\n"},
	{PORT "gids/1", "0000:0000:0000:0000:0000:ffff:0a09:0001\n"},
	{PORT "gid_attrs/types/0", "IB/RoCE v1\n"},
	{PORT "gid_attrs/types/1", "RoCE v2\n"},
	{PORT "gid_attrs/ndevs/0", "eth0\n"},
	{PORT "gid_attrs/ndevs/1", "eth0.5\n"},
	{PORT "pkeys/0", "0xffff\n"},
	{PORT "pkeys/1", "0x8001\n"},
	{NET "eth0/ifindex", "4\n"},
	{NET "eth0/iflink", "4\n"},
	{NET "eth0/type", "1\n"},
	{NET "eth0/mtu", "1500\n"},
	{NET "eth0/operstate", "up\n"},
	{NET "eth0/address", "02:00:00:00:00:01\n"},
	{NET "eth0/speed", "100000\n"},
	{NET "eth0/carrier_changes", "1\n"},
	{NET "eth0/uevent", "INTERFACE=eth0\nIFINDEX=4\n"},
	{NET "eth0.5/ifindex", "5\n"},
	{NET "eth0.5/iflink", "4\n"},
	{NET "eth0.5/uevent", "DEVTYPE=vlan\nINTERFACE=eth0.5\n"},
	{"proc/net/vlan/eth0.5", "eth0.5  VID: 5\t REORDER_HDR: 1\n"},
	{NET "ib0/ifindex", "6\n"},
	{NET "ib0/iflink", "6\n"},
	{NET "ib0/type", "32\n"},
	{NET "ib0/pkey", "0xffff\n"},
	{NET "ib0/address", "00:00:10:8c:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a:2c\n"},
	{"sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n"},
	{"sys/class/infiniband_mad/umad0/ibdev", "mlx5_0\n"},
};

static const char *const targets[] = {"!EINVAL", "!EACCES", "!ENODATA", ".", "..", "gone", "loop"};

/* The tree lasts for the complete run, because libFuzzer has no hook to remove it. */
static char top[] = "/dev/shm/rdmactl-fuzz.XXXXXX";
static int root = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void write_file(const char *path, const void *bytes, size_t length)
{
	int fd;

	unlinkat(root, path, 0);
	fd = openat(root, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	expect(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	close(fd);
}

static void make_directories(const char *path)
{
	char part[200];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		expect(!mkdirat(root, part, 0755) || errno == EEXIST);
	}
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *level)
{
	(void)status;
	(void)kind;
	(void)level;
	return remove(path);
}

static void remove_all(void)
{
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	expect(mkdtemp(top));
	atexit(remove_all);
	root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		make_directories(files[i].path);
		write_file(files[i].path, files[i].text, strlen(files[i].text));
	}
	make_directories(DEVICE);
	unlinkat(root, "sys/class/infiniband/mlx5_0", AT_REMOVEDIR);
	expect(!symlinkat("../../devices/pci0000:3a/0000:3b:00.0/infiniband/mlx5_0", root,
			  "sys/class/infiniband/mlx5_0"));
	return 0;
}

/* No output contains anything that controls a terminal. */
static void expect_clean(const char *text)
{
	char *clean = text_clean(text, strlen(text));

	expect(!strcmp(text, clean));
	free(clean);
}

static void check_record(const struct schema *schema, const void *record)
{
	for (size_t i = 0; i < schema->field_count; i++) {
		struct value value;

		field_get(&schema->fields[i], record, &value);
		if (value.kind == VALUE_STRING)
			expect_clean(value.string);
		for (size_t j = 0; value.kind == VALUE_LIST && j < value.list.count; j++)
			expect_clean(value.list.items[j]);
	}
}

static void check_device(const struct device *device)
{
	check_record(&device_schema, device);
	for (size_t i = 0; i < device->port_count; i++) {
		const struct port *port = &device->ports[i];

		check_record(&port_schema, port);
		for (size_t j = 0; j < port->gid_count; j++)
			check_record(&gid_schema, &port->gids[j]);
		for (size_t j = 0; j < port->pkey_count; j++)
			check_record(&pkey_schema, &port->pkeys[j]);
	}
}

static void check_choice(const struct inventory *inventory)
{
	const struct gid_question question = {
		.peer = {2 /* AF_INET */, {10, 9, 0, 2}},
		.route = {.link_index = {5, true}},
		.links = &inventory->links,
		.devices = &inventory->devices,
	};
	char *reason = NULL, *hint = NULL;
	const struct gid_entry *chosen = gid_choose(&question, &reason, &hint);

	expect(!chosen == !!reason);
	if (reason)
		expect_clean(reason);
	free(reason);
	free(hint);
}

static void check_inventory(const struct inventory *inventory, const struct problems *problems)
{
	struct netdev_list netdevs = {0};

	netdev_list_make(&netdevs, &inventory->devices, &inventory->links);
	for (size_t i = 0; i < netdevs.count; i++)
		check_record(&netdev_schema, &netdevs.items[i]);
	netdev_list_clear(&netdevs);
	check_choice(inventory);
	for (size_t i = 0; i < inventory->devices.count; i++)
		check_device(&inventory->devices.items[i]);
	for (size_t i = 0; i < problems->count; i++)
		check_record(&problem_schema, &problems->items[i]);
}

static void load(void)
{
	static const struct objects everything;
	const struct inventory_request request = {
		.root = top,
		.needs = ~0u,
		.objects = &everything,
		.empty_gids = true,
	};
	struct inventory inventory;
	struct problems problems = {0};

	expect(!inventory_load(&inventory, &request, &problems, NULL));
	check_inventory(&inventory, &problems);
	problems_free(&problems);
	inventory_free(&inventory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool changed[ARRAY_SIZE(files)] = {false};

	while (size >= 2) {
		const size_t file = data[0] % ARRAY_SIZE(files);
		size_t length = data[1];

		data += 2;
		size -= 2;
		changed[file] = true;
		if (length > MOST_TEXT) {
			unlinkat(root, files[file].path, 0);
			/* The last kind of link is a missing file. */
			if (length % (ARRAY_SIZE(targets) + 1) < ARRAY_SIZE(targets))
				expect(!symlinkat(targets[length % (ARRAY_SIZE(targets) + 1)], root,
						  files[file].path));
			continue;
		}
		if (length > size)
			length = size;
		write_file(files[file].path, data, length);
		data += length;
		size -= length;
	}
	load();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (changed[i])
			write_file(files[i].path, files[i].text, strlen(files[i].text));
	return 0;
}
