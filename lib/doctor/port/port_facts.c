/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/port/port_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/pci/vpd.h"
#include "kernel/sysfs.h"

struct doctor_ports {
	/* In the order of the inventory. */
	struct device_fact {
		bool role_is_known;
		struct pci_function *role; /* use role_of() */
		bool manager_is_known;
		int manager_rc;
		struct port_fact {
			bool known;
			enum pma_state pma;
			int error;
		} * ports;
	} * devices;
	size_t count;
};

static struct doctor_ports *ports_of(struct doctor_facts *facts)
{
	struct doctor_ports *ports = facts->ports;

	if (ports)
		return ports;
	ports = facts->ports = mem_alloc_zero(1, sizeof(*ports));
	ports->count = facts->inventory.devices.count;
	ports->devices = mem_alloc_zero(ports->count + 1, sizeof(*ports->devices));
	return ports;
}

static struct device_fact *fact_of(struct doctor_facts *facts, const struct device *device)
{
	return &ports_of(facts)->devices[device - facts->inventory.devices.items];
}

enum pma_state doctor_pma(struct doctor_facts *facts, const struct device *device,
			  const struct port *port, int *ret_error)
{
	struct device_fact *fact = fact_of(facts, device);
	struct port_fact *port_fact;

	if (!fact->ports)
		fact->ports = mem_alloc_zero(device->port_count, sizeof(*fact->ports));
	port_fact = &fact->ports[port - device->ports];
	if (doctor_is_first(&port_fact->known))
		port_fact->pma = pma_probe(&facts->root, port, &port_fact->error);
	*ret_error = port_fact->error;
	return port_fact->pma;
}

/* ConnectX-7 as an InfiniBand adapter and physical function, as on HGX B200 and B300 boards. */
static bool may_manage_nvswitches(struct doctor_facts *facts, const struct device *device)
{
	enum { CONNECTX_7 = 0x1021, CLASS_INFINIBAND = 0x0207 };
	struct pci_function *function = doctor_function_of(facts, device);

	if (!function)
		return false;
	pci_read(&facts->root, function, PCI_ID | PCI_CLASS | PCI_VIRTUAL, facts->problems);
	return number_is(&function->vendor_id, PCI_VENDOR_MELLANOX) &&
	       number_is(&function->device_id, CONNECTX_7) && function->class_code.known &&
	       function->class_code.value >> 8 == CLASS_INFINIBAND && !function->physfn;
}

static int ask_vpd(struct doctor_facts *facts, const struct device *device)
{
	static const char wanted[] = "SW_MNG";
	char data[SYSFS_TEXT_SIZE];
	struct vpd_text value;
	ssize_t length;
	int rc;

	if (!may_manage_nvswitches(facts, device))
		return -ENODEV;
	length = sysfs_read(&facts->root, data, PCI_FUNCTION "/vpd", device->pci_address);
	if (length < 0)
		return (int)length;
	rc = vpd_find((const uint8_t *)data, (size_t)length, "SMDL", &value);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	return value.length == strlen(wanted) && !memcmp(value.text, wanted, value.length);
}

int doctor_manages_nvswitches(struct doctor_facts *facts, const struct device *device)
{
	struct device_fact *fact = fact_of(facts, device);

	if (doctor_is_first(&fact->manager_is_known))
		fact->manager_rc = ask_vpd(facts, device);
	return fact->manager_rc;
}

bool doctor_counters_are_restricted(struct doctor_facts *facts, const struct device *device)
{
	int error;

	if (doctor_manages_nvswitches(facts, device) > 0)
		return true;
	for_each_in (port, device->ports, device->port_count)
		if (doctor_pma(facts, device, port, &error) == PMA_REFUSED)
			return true;
	return false;
}

bool doctor_is_plane(const struct doctor_facts *facts, const struct device *device)
{
	if (device->sub_type.known || device->parent)
		return true;
	/*
	 * A saved tree does not record it, but only such a sub-device shares its function with
	 * another device and cannot be opened: ib_uverbs_add_one() of
	 * drivers/infiniband/core/uverbs_main.c.
	 */
	for (size_t i = 0;
	     device->pci_path && !device->uverbs && i < facts->inventory.devices.count; i++) {
		const struct device *other = &facts->inventory.devices.items[i];

		if (other != device && other->uverbs && other->pci_path &&
		    !strcmp(other->pci_path, device->pci_path))
			return true;
	}
	return false;
}

static struct pci_function *find_role(struct doctor_facts *facts, const struct device *device)
{
	struct pci_function *function = device->software ? NULL : doctor_function_of(facts, device);

	if (!function || doctor_is_plane(facts, device) ||
	    device_is_subfunction(&facts->root, device))
		return NULL;
	pci_read(&facts->root, function, PCI_ID | PCI_VIRTUAL, facts->problems);
	return function->physfn ? NULL : function;
}

/* Returns the PCI function of a device with a role; NULL: it has none. */
static struct pci_function *role_of(struct doctor_facts *facts, const struct device *device)
{
	struct device_fact *fact = fact_of(facts, device);

	if (doctor_is_first(&fact->role_is_known))
		fact->role = find_role(facts, device);
	return fact->role;
}

static bool are_same(const struct number *a, const struct number *b)
{
	return a->known && b->known && a->value == b->value;
}

static bool has_same_board(const struct device *device, const struct pci_function *function,
			   const struct device *other, const struct pci_function *its_function)
{
	if (function->function != its_function->function)
		return false;
	if (device->board_id && other->board_id && *device->board_id)
		return !strcmp(device->board_id, other->board_id);
	return are_same(&function->vendor_id, &its_function->vendor_id) &&
	       are_same(&function->device_id, &its_function->device_id) &&
	       are_same(&function->subsystem_vendor_id, &its_function->subsystem_vendor_id) &&
	       are_same(&function->subsystem_device_id, &its_function->subsystem_device_id);
}

static void count_peer(const struct doctor_facts *facts, const struct port *peer,
		       struct port_peers *peers)
{
	struct real rate;

	if (!peer->state.known)
		return;
	peers->count++;
	if (peer->state.value != PORT_STATE_ACTIVE)
		return;
	peers->active++;
	rate = doctor_rate(facts, peer);
	if (!rate.known || (peers->best && rate.value < peers->best_gbps))
		return;
	if (peers->best && rate.value == peers->best_gbps) {
		peers->as_fast++;
		return;
	}
	peers->best = peer;
	peers->best_gbps = rate.value;
	peers->as_fast = 1;
}

void doctor_peers(struct doctor_facts *facts, const struct device *device, const struct port *port,
		  struct port_peers *ret_peers)
{
	const struct device_list *devices = &facts->inventory.devices;
	struct pci_function *function = role_of(facts, device), *its_function;

	*ret_peers = (struct port_peers){.count = 0};
	for (size_t i = 0; function && i < devices->count; i++) {
		const struct device *other = &devices->items[i];
		const struct port *peer = device_port(other, (unsigned int)port->port.value);

		if (other == device || !peer || !are_same(&peer->link_layer, &port->link_layer))
			continue;
		its_function = role_of(facts, other);
		if (its_function && has_same_board(device, function, other, its_function))
			count_peer(facts, peer, ret_peers);
	}
}

char *doctor_board_name(const struct device *device)
{
	return device->board_id && *device->board_id ? mem_format("the board %s", device->board_id)
						     : mem_string("this model");
}

struct real doctor_rate(const struct doctor_facts *facts, const struct port *port)
{
	const struct link *link = port->netdev && number_is(&port->link_layer, LINK_LAYER_ETHERNET)
					  ? link_by_name(&facts->inventory.links, port->netdev)
					  : NULL;

	return link && link->speed_mbps.known && link->speed_mbps.value
		       ? real_of((double)link->speed_mbps.value / 1000)
		       : port->rate_gbps;
}

void doctor_ports_free(struct doctor_ports *ports)
{
	if (!ports)
		return;
	for_each_in (device, ports->devices, ports->count)
		free(device->ports);
	free(ports->devices);
	free(ports);
}
