/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The nodes: RDMA devices from the inventory, accelerators from the PCI functions. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/need.h"
#include "host/netdev.h"
#include "topology/place.h"

const uint64_t topology_needs = NEED_PCI_ADDRESS | NEED_PCI_LINK | NEED_NUMA | NEED_DRIVER |
				NEED_NETDEV | NEED_LINKS | NEED_STATE | NEED_RATE | NEED_LINK_LAYER;

static const struct enum_name vendor_names[] = {
	{PCI_VENDOR_NVIDIA, "nvidia"},
	{PCI_VENDOR_AMD, "amd"},
	{PCI_VENDOR_INTEL, "intel"},
	{PCI_VENDOR_HABANA, "habana"},
	{PCI_VENDOR_MELLANOX, "nvidia"},
	{0x14e4, "broadcom"},
	{0x1d0f, "amazon"},
	{0x1425, "chelsio"},
	{0x1077, "qlogic"},
	{0x1137, "cisco"},
	{0x1414, "microsoft"},
	{0x19e5, "huawei"},
	{0x1dd8, "pensando"},
	{0x1ded, "alibaba"},
	{0x15ad, "vmware"},
	{0, NULL},
};

/*
 * NVIDIA's GPUs that NVLink-C2C connects to the CPU: GH200 (three of them), GB200, GB300, as listed
 * in nvgrace_gpu_vfio_pci_table of drivers/vfio/pci/nvgrace-gpu/main.c.
 */
static bool is_c2c(const struct topology_node *node)
{
	static const uint16_t devices[] = {0x2342, 0x2345, 0x2348, 0x2941, 0x31c2};

	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (node->vendor_id.value == PCI_VENDOR_NVIDIA &&
		    node->device_id.value == devices[i])
			return true;
	return false;
}

static void take_function(const struct topology_request *request, struct topology_node *node)
{
	struct pci_function *function = node->function;

	pci_read(request->root, function, PCI_ID | PCI_DRIVER | PCI_VIRTUAL | PCI_IOMMU,
		 request->problems);
	node->vendor_id = function->vendor_id;
	node->device_id = function->device_id;
	node->iommu_group = function->iommu_group;
	node->iommu_type = mem_string_or_null(function->iommu_type);
	if (!node->driver)
		node->driver = mem_string_or_null(function->driver);
	if (node->vendor_id.known) {
		const char *word = enum_word(vendor_names, node->vendor_id.value, NULL);

		node->vendor = word ? mem_string(word)
				    : mem_format("0x%04x", (unsigned int)node->vendor_id.value);
	}
}

/*
 * Functions of one card differ in the last part of the address; a virtual function belongs to the
 * card of its physical function, whatever its own number.
 */
static char *card_of(const struct pci_function *function)
{
	const char *address = function->physfn ? function->physfn : function->address;

	return mem_format("%.*s", (int)strcspn(address, "."), address);
}

/* Adds a node that is one function: an accelerator, or another function of an adapter. */
static struct topology_node *add_function(struct topology *topology,
					  const struct topology_request *request,
					  enum topology_kind kind, char *name,
					  struct pci_function *function)
{
	struct topology_node *node = mem_append(&topology->nodes, &topology->count,
						sizeof(*topology->nodes));

	node->name = name;
	number_set(&node->kind, kind);
	number_set(&node->role, TOPOLOGY_PHYSICAL);
	node->pci_address = mem_string(function->address);
	node->functions.known = true;
	strings_add(&node->functions, function->address);
	node->function = function;
	take_function(request, node);
	node->card = card_of(function);
	return node;
}

static void take_ports(struct topology_node *node, const struct device *device)
{
	bool known = !device->ports_unknown;
	double rate = 0;

	for_each_in (port, device->ports, device->port_count) {
		_cleanup_(freep) char *number = NULL;

		known &= port->state.known;
		if (!port->state.known || port->state.value != PORT_STATE_ACTIVE)
			continue;
		number = mem_format("%u", (unsigned int)port->port.value);
		strings_add(&node->ports, number);
		node->active = TRISTATE_YES;
		rate += port->rate_gbps.value;
		if (port->rate_gbps.known)
			node->rate_gbps = real_of(rate);
	}
	if (node->active != TRISTATE_YES && known)
		node->active = TRISTATE_NO;
}

/* Name of the RDMA device of a physical function; its address if it has none. */
static char *device_of(const struct topology *topology, const char *address,
		       const struct topology_node *except)
{
	for_each_in (node, topology->nodes, topology->count)
		if (node != except && node->role.value != TOPOLOGY_SUBFUNCTION &&
		    node->pci_address && !strcmp(node->pci_address, address))
			return mem_string(node->name);
	return mem_string(address);
}

static void find_parents(struct topology *topology)
{
	for_each_in (node, topology->nodes, topology->count) {
		const char *physfn = node->function ? node->function->physfn : NULL;

		if (node->kind.value == TOPOLOGY_PART)
			continue;
		if (node->role.value == TOPOLOGY_SUBFUNCTION)
			node->parent = device_of(topology, node->pci_address, node);
		else if (physfn)
			node->parent = device_of(topology, physfn, node);
	}
}

/* Adds the members of a bond that is a port's netdev: each has its own PCI function. */
static void add_bond(const struct topology_request *request, const struct netdev_list *netdevs,
		     struct topology_node *node)
{
	for_each (netdev, netdevs) {
		if (strcmp(netdev->device, node->name))
			continue;
		for (size_t j = 0; j < netdev->members.count; j++) {
			_cleanup_(freep) char *address = link_pci_address(request->root,
									  netdev->members.items[j]);

			if (address && !strings_contain(&node->functions, address))
				strings_add(&node->functions, address);
		}
	}
	if (node->functions.count > 1)
		number_set(&node->role, TOPOLOGY_BOND);
}

/*
 * A copy of /sys/class/infiniband whose links were followed has no PCI bus, but each device's own
 * directory.
 */
static void take_device(struct topology_node *node, const struct device *device)
{
	node->numa_node = device->numa_node;
	node->speed_gtps = device->pcie_speed_gtps;
	node->width_lanes = device->pcie_width_lanes;
	node->max_speed_gtps = device->pcie_max_speed_gtps;
	node->max_width_lanes = device->pcie_max_width_lanes;
}

static void add_nic(struct topology *topology, const struct topology_request *request,
		    const struct netdev_list *netdevs, const struct device *device)
{
	struct topology_node *node = mem_append(&topology->nodes, &topology->count,
						sizeof(*topology->nodes));

	node->name = mem_string(device->name);
	number_set(&node->kind, TOPOLOGY_NIC);
	number_set(&node->role, device->pci_address ? TOPOLOGY_PHYSICAL : TOPOLOGY_SOFTWARE);
	node->driver = mem_string_or_null(device->driver);
	node->functions.known = true;
	take_ports(node, device);
	if (!device->pci_address)
		return;
	node->pci_address = mem_string(device->pci_address);
	strings_add(&node->functions, node->pci_address);
	node->function = pci_list_find(&topology->pci, node->pci_address);
	if (node->function) {
		take_function(request, node);
		node->card = card_of(node->function);
		if (node->function->physfn)
			number_set(&node->role, TOPOLOGY_VIRTUAL_FUNCTION);
	} else {
		take_device(node, device);
	}
	if (device_is_subfunction(request->root, device))
		number_set(&node->role, TOPOLOGY_SUBFUNCTION);
	else if (node->role.value == TOPOLOGY_PHYSICAL)
		add_bond(request, netdevs, node);
}

static void add_accelerator(struct topology *topology, const struct topology_request *request,
			    struct pci_function *function, size_t number)
{
	struct topology_node *node = add_function(topology, request, TOPOLOGY_ACCELERATOR,
						  mem_format("gpu%zu", number), function);

	node->c2c = is_c2c(node);
	if (function->physfn)
		number_set(&node->role, TOPOLOGY_VIRTUAL_FUNCTION);
}

static struct topology_node *add_part(struct topology *topology,
				      const struct topology_request *request, size_t whole,
				      struct pci_function *function)
{
	struct topology_node *node = add_function(topology, request, TOPOLOGY_PART,
						  mem_string(function->address), function);

	node->parent = mem_string(topology->nodes[whole].name);
	node->whole = whole;
	node->data_direct = pci_is_data_direct(request->root, function, request->problems);
	topology->part_count++;
	return node;
}

/* Adds the other functions of a bond. */
static void add_members(struct topology *topology, const struct topology_request *request,
			size_t whole)
{
	for (size_t i = 1; i < topology->nodes[whole].functions.count; i++) {
		struct pci_function *function = pci_list_find(
			&topology->pci, topology->nodes[whole].functions.items[i]);

		if (function)
			add_part(topology, request, whole, function);
	}
}

/* A Data Direct function carries the traffic between an adapter and accelerators. */
static void add_data_direct(struct topology *topology, const struct topology_request *request)
{
	const size_t nics = topology->count;

	for_each (function, &topology->pci)
		topology->unpaired |= pci_is_data_direct(request->root, function,
							 request->problems);
	for (size_t i = 0; i < nics && (topology->unpaired || topology->part_count); i++) {
		const struct topology_node *node = &topology->nodes[i];
		struct pci_function *direct = NULL;
		enum pci_pairing pairing = PCI_PAIRING_NONE;

		if (node->function && node->role.value == TOPOLOGY_PHYSICAL)
			pairing = pci_find_data_direct(request->root, &topology->pci,
						       node->function, &direct, request->problems);
		if (!direct)
			continue;
		add_part(topology, request, i, direct)->guessed = pairing == PCI_PAIRING_GUESSED;
		topology->unpaired = false;
	}
}

void topology_add_nodes(struct topology *topology, const struct topology_request *request)
{
	const struct device_list *devices = &request->inventory->devices;
	struct netdev_list netdevs = {.count = 0};
	size_t accelerators = 0, nodes;

	netdev_list_make(&netdevs, devices, &request->inventory->links);
	for_each (device, devices)
		add_nic(topology, request, &netdevs, device);
	netdev_list_clear(&netdevs);
	for_each (function, &topology->pci)
		if (pci_kind(request->root, function, request->problems) == PCI_KIND_ACCELERATOR)
			add_accelerator(topology, request, function, accelerators++);
	nodes = topology->count;
	add_data_direct(topology, request);
	for (size_t i = 0; i < nodes; i++)
		add_members(topology, request, i);
	find_parents(topology);
}
