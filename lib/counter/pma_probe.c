/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/pma_probe.h"

#include <errno.h>
#include <string.h>

#include "kernel/sysfs.h"

bool pma_text_is_absent(const char *text)
{
	return !strncmp(text, "N/A", 3);
}

/* Every agent has this counter: see attribute group pma in drivers/infiniband/core/sysfs.c. */
enum pma_state pma_probe(const struct root *root, const struct port *port, int *ret_error)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, PORT_DIRECTORY "/counters/symbol_error",
				    port->kernel_name, (unsigned int)port->port.value);

	if (length == -ENOENT)
		return PMA_ABSENT;
	if (length < 0) {
		*ret_error = (int)length;
		return PMA_REFUSED;
	}
	return pma_text_is_absent(text) ? PMA_NONE : PMA_READABLE;
}

static bool may_be_restricted(const struct device *device)
{
	return device->driver && !strncmp(device->driver, "mlx5", 4);
}

/* mlx5 answers EINVAL for a function whose registers it may not read. */
bool pma_is_restricted(const struct device *device, int error)
{
	return error == -EINVAL && may_be_restricted(device);
}

void pma_leave_out_restricted(const char *root_directory, struct device_list *devices,
			      struct problems *problems)
{
	struct root root;

	if (root_open(root_directory, &root))
		return;
	for (size_t i = 0; i < devices->count; i++) {
		struct device *device = &devices->items[i];
		int error = 0;

		if (!device->port_count || !may_be_restricted(device) ||
		    pma_probe(&root, &device->ports[0], &error) != PMA_REFUSED ||
		    !pma_is_restricted(device, error))
			continue;
		problem_add_text(problems, device->name, "counters", "sysfs",
				 "omitted for a restricted function: each reading would add a line "
				 "to the kernel log",
				 "name only the other devices to leave this one out");
		for (size_t j = 0; j < device->port_count; j++)
			port_clear(&device->ports[j]);
		device->port_count = 0;
	}
	root_close(&root);
}
