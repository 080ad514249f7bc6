/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/port_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/sysfs.h"

struct doctor_ports {
	struct pma_fact {
		const struct port *port;
		enum pma_state state;
		int error;
	} * items;
	size_t count;
};

static struct doctor_ports *ports_of(struct doctor_facts *facts)
{
	if (!facts->ports)
		facts->ports = mem_alloc_zero(1, sizeof(*facts->ports));
	return facts->ports;
}

/* Every agent has this counter: the group of attributes pma in drivers/infiniband/core/sysfs.c. */
static enum pma_state ask(const struct doctor_facts *facts, const struct port *port, int *ret_error)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(&facts->root, text, PORT_DIRECTORY "/counters/symbol_error",
				    port->kernel_name, (unsigned int)port->port.value);

	if (length == -ENOENT)
		return PMA_ABSENT;
	if (length < 0) {
		*ret_error = (int)length;
		return PMA_REFUSED;
	}
	/* Kernels before 4.20 have the files even where the driver has no agent, with this text. */
	return strncmp(text, "N/A", 3) ? PMA_READABLE : PMA_NONE;
}

enum pma_state doctor_pma(struct doctor_facts *facts, const struct port *port, int *ret_error)
{
	struct doctor_ports *ports = ports_of(facts);
	struct pma_fact *fact = NULL;

	for (size_t i = 0; i < ports->count && !fact; i++)
		if (ports->items[i].port == port)
			fact = &ports->items[i];
	if (!fact) {
		fact = mem_append(&ports->items, &ports->count, sizeof(*ports->items));
		fact->port = port;
		fact->state = ask(facts, port, &fact->error);
	}
	*ret_error = fact->error;
	return fact->state;
}

bool doctor_counters_are_restricted(struct doctor_facts *facts, const struct device *device)
{
	int error;

	for (size_t i = 0; i < device->port_count; i++)
		if (doctor_pma(facts, &device->ports[i], &error) == PMA_REFUSED)
			return true;
	return false;
}

void doctor_ports_free(struct doctor_ports *ports)
{
	if (!ports)
		return;
	free(ports->items);
	free(ports);
}
