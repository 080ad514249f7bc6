/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/pma_probe.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "kernel/sysfs.h"

bool pma_text_is_absent(const char *text)
{
	return !strncmp(text, "N/A", 3);
}

static enum pma_state probe(const struct root *root, const struct port *port,
			    char text[static SYSFS_TEXT_SIZE], int *ret_error)
{
	ssize_t length = sysfs_read(root, text, PORT_DIRECTORY "/counters/" PMA_PROBED,
				    port->kernel_name, (unsigned int)port->port.value);

	if (length == -ENOENT)
		return PMA_ABSENT;
	if (length < 0) {
		*ret_error = (int)length;
		return PMA_REFUSED;
	}
	return pma_text_is_absent(text) ? PMA_NONE : PMA_READABLE;
}

enum pma_state pma_probe(const struct root *root, const struct port *port, int *ret_error)
{
	char text[SYSFS_TEXT_SIZE];

	return probe(root, port, text, ret_error);
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

/* Keeps the value, so that it need not be read again. */
static bool is_readable(const struct root *root, const struct device *device, struct port *port)
{
	char text[SYSFS_TEXT_SIZE];
	uint64_t value;
	int error = 0;

	switch (probe(root, port, text, &error)) {
	case PMA_REFUSED:
		return !pma_is_restricted(device, error);
	case PMA_READABLE:
		if (!text_parse_u64(text, 10, UINT64_MAX, &value))
			number_set(&port->symbol_errors, value);
		return true;
	default:
		return true;
	}
}

void pma_leave_out_restricted(const char *root_directory, struct device_list *devices,
			      struct problems *problems)
{
	struct root root;

	if (root_open(root_directory, &root))
		return;
	for_each (device, devices) {
		if (!device->port_count || !may_be_restricted(device) ||
		    is_readable(&root, device, &device->ports[0]))
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
