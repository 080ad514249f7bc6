/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/caps.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void caps_set_device(struct caps *caps, const char *name)
{
	char *copy = mem_string(name);

	free(caps->device);
	caps->device = copy;
	for (size_t i = 0; i < caps->port_caps_count; i++)
		caps->ports[i].device = caps->device;
}

struct port_caps *caps_add_port(struct caps *caps, unsigned int number)
{
	struct port_caps *port = mem_append(&caps->ports, &caps->port_caps_count, sizeof(*port));

	port->device = caps->device;
	port->port = number_of(number);
	return port;
}

void caps_clear(struct caps *caps)
{
	free(caps->device);
	free(caps->firmware);
	free(caps->board_id);
	free(caps->ports);
	memset(caps, 0, sizeof(*caps));
}
