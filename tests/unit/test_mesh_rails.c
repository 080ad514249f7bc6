/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rails of made-up hosts: which ports, in which order, and the reason if there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>

#include "base/mem.h"
#include "host/inventory/inventory.h"
#include "mesh/agent/runner.h"
#include "saved_tree.h"

enum { DOWN = 1, ACTIVE = 4 };

static void add_port(struct device *device, unsigned int number, uint64_t state)
{
	struct port *port = device_add_port(device, number);
	struct gid_entry *entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));

	port->state = number_of(state);
	port->link_layer = number_of(LINK_LAYER_INFINIBAND);
	entry->device = port->device;
	entry->port = port->port;
	entry->index = number_of(0);
	entry->type = number_of(GID_TYPE_IB);
	assert_int_equal(gid_parse("fe80::1:2", &entry->gid.gid), 0);
	entry->gid.known = true;
}

static void add_device(struct inventory *inventory, const char *name, const char *pci,
		       const char *firmware, uint64_t first, uint64_t second)
{
	struct device *device = device_list_add(&inventory->devices, name);

	device->pci_address = mem_string_or_null(pci);
	device->firmware = mem_string_or_null(firmware);
	device->transport = number_of(TRANSPORT_INFINIBAND);
	add_port(device, 1, first);
	if (second)
		add_port(device, 2, second);
}

/* "mlx5_1/1 mlx5_0/1; 2: mlx5_2/1", or the reason. */
static void expect(const struct inventory *inventory, const char *expected, const char *firmware)
{
	struct mesh_host host = {.name = NULL};
	char *reason = NULL, *hint = NULL, *got = mem_string("");
	int rc = mesh_rails_find(inventory, &host, &reason, &hint);

	for (uint32_t i = 0; !rc && i < host.rail_count; i++) {
		char *before = got;

		got = mem_format("%s%s%s/%u", before, i ? " " : "", host.rails[i].device,
				 host.rails[i].port);
		free(before);
	}
	for (size_t i = 0; !rc && i < host.gap_count; i++) {
		const struct mesh_gap *gap = &host.gaps[i];

		mem_extend(&got, "; %u: %s/%u", gap->place, gap->device, gap->port);
		assert_non_null(strstr(gap->reason, "is not ACTIVE but down"));
		assert_non_null(strstr(gap->reason, gap->device));
		assert_non_null(gap->hint);
	}
	assert_string_equal(rc ? reason : got, expected);
	assert_int_equal(rc, host.rail_count ? 0 : -ENODEV);
	if (firmware)
		assert_string_equal(host.firmware, firmware);
	free(got);
	free(reason);
	free(hint);
	mesh_host_clear(&host);
}

static void order_of_places(void **state)
{
	struct inventory inventory = {0};

	(void)state;
	add_device(&inventory, "rxe0", NULL, NULL, ACTIVE, 0);
	add_device(&inventory, "mlx5_0", "0000:c1:00.0", "22.1", ACTIVE, 0);
	add_device(&inventory, "mlx5_1", "0000:3b:00.1", "22.2", ACTIVE, 0);
	add_device(&inventory, "mlx5_2", "0000:3b:00.0", "22.3", DOWN, ACTIVE);
	expect(&inventory, "mlx5_2/2 mlx5_1/1 mlx5_0/1 rxe0/1; 0: mlx5_2/1", "22.3");
	inventory_free(&inventory);
	add_device(&inventory, "mlx5_3", "0000:c1:00.0", NULL, DOWN, DOWN);
	add_device(&inventory, "mlx5_4", "0000:3b:00.1", NULL, ACTIVE, DOWN);
	add_device(&inventory, "mlx5_5", "0000:d1:00.1", NULL, ACTIVE, 0);
	expect(&inventory, "mlx5_4/1 mlx5_5/1; 1: mlx5_4/2; 2: mlx5_3/1; 3: mlx5_3/2", NULL);
	inventory_free(&inventory);
}

/* The bus numbers of bridges and adapters do not matter, and too long a way is unknown. */
static void slots(void **state)
{
	static const struct {
		const char *address, *target, *slot;
	} samples[] = {
		{"0000:18:00.0", "../../../devices/pci0000:17/0000:17:02.0/0000:18:00.0",
		 "pci0000:17/02.0/00.0 port 1"},
		{"0000:19:00.1", "../../../devices/pci0000:17/0000:17:02.0/0000:19:00.1",
		 "pci0000:17/02.0/00.1 port 1"},
		{"10000:01:00.0",
		 "../../../devices/pci0000:80/0000:80:05.5/pci10000:00/10000:00:02.0/10000:01:00.0",
		 "pci0000:80/05.5/pci10000:00/02.0/00.0 port 1"},
		{"8ca4:00:02.0",
		 "../../../devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:00/pci8ca4:00/"
		 "8ca4:00:02.0",
		 "pci8ca4:00/02.0 port 1"},
		{"0000:c1:00.0",
		 "../../../devices/pci0000:c0/0000:c0:01.1/"
		 "0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/"
		 "0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/"
		 "0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0/0000:c1:00.0",
		 ""},
		{"0000:c2:00.0", "../../../devices/elsewhere", ""},
		{"0000:c3:00.0", NULL, ""},
		{NULL, NULL, ""},
	};
	struct saved_tree tree;

	(void)state;
	tree_open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct inventory inventory = {.root = tree.path};
		struct mesh_host host = {.name = NULL};
		char *reason = NULL, *hint = NULL, path[128];

		snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", samples[i].address ?: "");
		if (samples[i].target)
			tree_link(&tree, path, samples[i].target);
		add_device(&inventory, "mlx5_0", samples[i].address, NULL, ACTIVE, 0);
		assert_int_equal(mesh_rails_find(&inventory, &host, &reason, &hint), 0);
		assert_int_equal(host.slots.count, 1);
		assert_string_equal(host.slots.items[0], samples[i].slot);
		mesh_host_clear(&host);
		inventory_free(&inventory);
	}
	tree_close(&tree);
}

/* The first port's reason is given. */
static void none(void **state)
{
	struct inventory inventory = {0};

	(void)state;
	expect(&inventory, "this host has no RDMA device", NULL);
	add_device(&inventory, "mlx5_7", "0000:c1:00.0", NULL, DOWN, 0);
	add_device(&inventory, "mlx5_1", "0000:3b:00.1", NULL, DOWN, 0);
	expect(&inventory, "port mlx5_1/1 is not ACTIVE but down", NULL);
	inventory_free(&inventory);
}

/* More ports than a mesh has rails. */
static void many(void **state)
{
	struct inventory inventory = {0};
	struct mesh_host host = {.name = NULL};
	char *reason = NULL, *hint = NULL, name[16];

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "mlx5_%u", i);
		add_device(&inventory, name, "0000:c1:00.0", NULL, ACTIVE, ACTIVE);
	}
	assert_int_equal(mesh_rails_find(&inventory, &host, &reason, &hint), 0);
	assert_int_equal(host.rail_count, MESH_MOST_RAILS);
	mesh_host_clear(&host);
	inventory_free(&inventory);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_of_places),
		cmocka_unit_test(slots),
		cmocka_unit_test(none),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests_name("mesh_rails", tests, NULL, NULL);
}
