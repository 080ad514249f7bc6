/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * show_gids of mlnx-tools, a shell script over sysfs: every slot that is not empty, in the order of
 * ls(1). The last four bytes of a GID that begins with a group of zeros are shown as an IPv4
 * address, as in the script, because readers of the fifth column rely on it. A slot that cannot be
 * read is a row without a GID, and counts.
 */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/compat/compat.h"
#include "host/compat/class_files.h"
#include "host/inventory/inventory.h"
#include "host/need.h"

/* A cleaned kernel name: up to four bytes for each of NAME_MAX. */
enum { NAME_TEXT_SIZE = 1024 };

struct gid_rows {
	const struct root *files; /* of the port */
	char device[NAME_TEXT_SIZE];
	char port[NAME_TEXT_SIZE];
	/* All tables from one call to verbs: most slots are empty, and need not be read. */
	struct inventory inventory;
	unsigned long found;
};

/* The script's message about a missing directory comes from ls. */
static void complain(const char *path, int error)
{
	_cleanup_(freep) char *clean = text_clean(path, strlen(path));

	fprintf(stderr, "ls: cannot access '" CLASS_DIRECTORY "/%s': %s\n", clean,
		strerror(-error));
}

/* "v1" of "IB/RoCE v1"; empty if the attribute cannot be read. */
static void read_attribute(const struct gid_rows *rows, const char *name, const char *slot,
			   bool version, char shown[static NAME_TEXT_SIZE])
{
	char text[SYSFS_TEXT_SIZE];
	const char *start = text;

	shown[0] = '\0';
	if (sysfs_read(rows->files, text, "gid_attrs/%s/%s", name, slot) < 0)
		return;
	if (version)
		start += strcspn(text, "vV");
	text_clean_into(shown, NAME_TEXT_SIZE, start, strlen(start));
}

static void show_slot(struct gid_rows *rows, const char *slot)
{
	char text[SYSFS_TEXT_SIZE], version[NAME_TEXT_SIZE], netdev[NAME_TEXT_SIZE];
	char index[NAME_TEXT_SIZE];
	ssize_t length = sysfs_read(rows->files, text, "gids/%s", slot);
	struct gid gid;

	if (length < 0)
		text[0] = '\0';
	/* InfiniBand ports have fe80:: until a subnet manager gives them a prefix. */
	if (!strcmp(text, "0000:0000:0000:0000:0000:0000:0000:0000") ||
	    !strcmp(text, "fe80:0000:0000:0000:0000:0000:0000:0000"))
		return;
	text_clean_into(index, sizeof(index), slot, strlen(slot));
	if (length < 0 || gid_parse(text, &gid)) {
		fprintf(stderr, "cat: " CLASS_DIRECTORY "/%s/ports/%s/gids/%s: %s\n", rows->device,
			rows->port, index, length < 0 ? strerror((int)-length) : "not a GID");
		text[0] = '\0';
	}
	read_attribute(rows, "types", slot, true, version);
	read_attribute(rows, "ndevs", slot, false, netdev);
	printf("%s\t%s\t%s\t%s\t", rows->device, rows->port, index, text);
	if (strncmp(text, "0000:", 5))
		printf("\t\t%s\t%s\n", version, netdev);
	else
		printf("%u.%u.%u.%u  \t%s\t%s\n", gid.raw[12], gid.raw[13], gid.raw[14],
		       gid.raw[15], version, netdev);
	rows->found++;
}

/* The port in the tables from verbs, or NULL. */
static const struct port *find_port(const struct gid_rows *rows, const char *number)
{
	const struct device *device = device_list_find(&rows->inventory.devices, rows->device);
	const struct port *port = NULL;
	uint64_t value;

	if (device && !text_parse_u64(number, 10, 255, &value))
		port = device_port(device, (unsigned int)value);
	if (!port || !port->gid_count || port->gids[0].source.value != GID_SOURCE_VERBS)
		return NULL;
	return port;
}

static bool is_used(const struct port *port, const char *slot)
{
	uint64_t index;

	return !port || text_parse_u64(slot, 10, UINT32_MAX, &index) || gid_entry_at(port, index);
}

static void show_port(struct gid_rows *rows, const struct root *root, const char *device,
		      const char *port)
{
	_cleanup_(root_close) struct root below = {.fd = -1};
	const struct port *known = find_port(rows, port);
	_cleanup_(strings_free) struct strings slots = {0};
	int rc = root_open_below(root, &below, SYSFS_RDMA_CLASS "/%s/ports/%s", device, port);

	if (!rc)
		rc = sysfs_list_by_bytes(&below, &slots, "gids");
	if (rc) {
		_cleanup_(freep) char *path = mem_format("%s/ports/%s/gids/", device, port);

		complain(path, rc);
		return;
	}
	rows->files = &below;
	text_clean_into(rows->port, sizeof(rows->port), port, strlen(port));
	for (size_t i = 0; i < slots.count; i++)
		if (slots.items[i][0] != '.' && is_used(known, slots.items[i]))
			show_slot(rows, slots.items[i]);
}

static void show_device(struct gid_rows *rows, const struct root *root, const char *device)
{
	_cleanup_(strings_free) struct strings ports = {0};
	int rc = sysfs_list_by_bytes(root, &ports, SYSFS_RDMA_CLASS "/%s/ports", device);

	if (rc) {
		_cleanup_(freep) char *path = mem_format("%s/ports/", device);

		complain(path, rc);
		return;
	}
	text_clean_into(rows->device, sizeof(rows->device), device, strlen(device));
	for (size_t i = 0; i < ports.count; i++)
		if (ports.items[i][0] != '.')
			show_port(rows, root, device, ports.items[i]);
}

static void show_all(struct gid_rows *rows, const struct root *root)
{
	const struct objects everything = {0};
	const struct inventory_request request = {.needs = NEED_GIDS, .objects = &everything};
	_cleanup_(strings_free) struct strings devices = {0};
	int rc = sysfs_list_by_bytes(root, &devices, SYSFS_RDMA_CLASS);

	if (rc)
		complain("", rc);
	else if (root->live)
		inventory_load(&rows->inventory, &request, NULL, NULL);
	for (size_t i = 0; i < devices.count; i++)
		if (devices.items[i][0] != '.')
			show_device(rows, root, devices.items[i]);
}

int show_gids_run(const struct personality_call *call, int argc, char **argv)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	struct gid_rows rows = {.found = 0};
	bool named = false;
	int rc = root_open(call->root, &root);

	printf("DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n");
	printf("---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---\n");
	if (rc)
		complain("", rc);
	/* One argument may hold several names. */
	for (int i = 1; !rc && i < argc; i++) {
		char *rest = argv[i], *name;

		while ((name = strsep(&rest, " \t\n")))
			if (*name) {
				named = true;
				show_device(&rows, &root, name);
			}
	}
	if (!rc && !named)
		show_all(&rows, &root);
	printf("n_gids_found=%lu\n", rows.found);
	inventory_free(&rows.inventory);
	return 0;
}
