/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mad/format/codes.h"
#include "host/need.h"
#include "schema/rows.h"

const struct enum_name transport_names[] = {
	{TRANSPORT_INFINIBAND, "infiniband"},
	{TRANSPORT_OPA, "opa"},
	{TRANSPORT_ROCE, "roce"},
	{TRANSPORT_IWARP, "iwarp"},
	{TRANSPORT_USNIC, "usnic"},
	{TRANSPORT_UNSPECIFIED, "unspecified"},
	{0, NULL},
};

/*
 * enum rdma_driver_id, include/uapi/rdma/ib_user_ioctl_verbs.h, as names of modules from the
 * Makefiles in drivers/infiniband. 9 was i40iw until Linux 5.13, and 12 was also a second module,
 * for other adapters.
 */
const struct enum_name driver_id_names[] = {
	{1, "mlx5_ib"},	     {2, "mlx4_ib"},	 {3, "iw_cxgb3"}, {4, "iw_cxgb4"},
	{5, "ib_mthca"},     {6, "bnxt_re"},	 {7, "ocrdma"},	  {8, "iw_nes"},
	{9, "irdma"},	     {10, "vmw_pvrdma"}, {11, "qedr"},	  {12, "hns_roce_hw_v2"},
	{13, "usnic_verbs"}, {14, "rdma_rxe"},	 {15, "hfi1"},	  {16, "ib_qib"},
	{17, "efa"},	     {18, "siw"},	 {19, "erdma"},	  {20, "mana_ib"},
	{21, "ionic_rdma"},  {0, NULL},
};

static const struct enum_name sub_type_names[] = {
	{1, "smi"}, /* RDMA_DEVICE_TYPE_SMI, include/uapi/rdma/rdma_netlink.h */
	{0, NULL},
};

static const struct enum_name source_names[] = {
	{DEVICE_FROM_NLDEV, "nldev"},
	{DEVICE_FROM_SYSFS, "sysfs"},
	{DEVICE_FROM_VERBS, "verbs"},
	{0, NULL},
};

/*
 * Moves on to the next higher state, or from unknown to the lowest one. Returns the number of ports
 * in that state; 0: there is none.
 */
static size_t next_state(const struct device *device, struct number *state)
{
	const struct number last = *state;
	size_t count = 0;

	for (size_t i = 0; i < device->port_count; i++) {
		const struct number *other = &device->ports[i].state;

		if (!other->known || (last.known && other->value <= last.value))
			continue;
		if (!count || other->value < state->value) {
			*state = *other;
			count = 0;
		}
		count += other->value == state->value;
	}
	return count;
}

static void add_state(struct value *value, size_t count, const char *word)
{
	const size_t used = strlen(value->scratch);

	snprintf(value->scratch + used, sizeof(value->scratch) - used, "%s%zu %s", used ? ", " : "",
		 count, word);
}

/* Shows "active", or for several ports "3 active, 1 down", in the tone of the worst port. */
static void get_state_summary(const void *record, struct value *value)
{
	static const struct field words = {.kind = FIELD_ENUM, .names = port_state_names};
	const struct device *device = record;
	struct number state = {.known = false};
	size_t count, known = 0;

	if (device->ports_unknown)
		return;
	value->scratch[0] = '\0';
	while ((count = next_state(device, &state)) && count < device->port_count) {
		struct value one;

		field_get(&words, &state, &one);
		if (one.tone > value->tone)
			value->tone = one.tone;
		add_state(value, count, one.string);
		known += count;
	}
	if (known && known < device->port_count)
		add_state(value, device->port_count - known, "unknown");
	if (count)
		field_get_number(&words, &state, value);
	else if (known)
		value_set_string(value, value->scratch);
}

static void get_port_count(const void *record, struct value *value)
{
	const struct device *device = record;

	if (!device->ports_unknown)
		value_set_unsigned(value, device->port_count);
}

static void get_ports(const void *record, struct value *value)
{
	const struct device *device = record;

	if (device->ports_unknown)
		return;
	value_set_records(value, device->ports, device->port_count);
}

/* Only those columns of ports that the device's sources can provide cheaply. */
#define PORT_COLUMNS "port,link_layer,state,physical_state,rate_gbps,width_lanes,speed,lid,netdev"

#define RECORD struct device
static const struct field device_fields[] = {
	TEXT_AS("device", name, "DEVICE", SHOWN, 0, "name of the device"),
	WORD(node_type, node_type_names, "TYPE", SHOWN, NEED_NODE_TYPE, "node type"),
	WORD(transport, transport_names, "TRANSPORT", SHOWN, NEED_TRANSPORT | NEED_NODE_TYPE,
	     "transport; unspecified: EFA and the like"),
	TEXT(driver, "DRIVER", SHOWN, NEED_DRIVER, "kernel driver"),
	TEXT(firmware, "FIRMWARE", SHOWN, NEED_FIRMWARE, "firmware version"),
	GUID(node_guid, "NODE GUID", SHOWN, NEED_NODE_GUID, "node GUID"),
	COMPUTED_FIELD(FIELD_UNSIGNED, get_port_count, "port_count", "PORTS",
		       FIELD_DEFAULT | FIELD_RIGHT, 0, "number of ports"),
	COMPUTED_FIELD(FIELD_STRING, get_state_summary, "state", "STATE", FIELD_DEFAULT, NEED_STATE,
		       "logical state of the ports in one line"),
	LIST(netdevs, "NETDEVS", SHOWN, NEED_NETDEV,
	     "netdevs of the ports, of this network namespace"),
	TEXT(pci_address, "PCI", SHOWN, NEED_PCI_ADDRESS, "PCI address"),
	SIGNED_FIELD(struct device, numa_node, "numa_node", "NUMA", FIELD_DEFAULT | FIELD_RIGHT,
		     NEED_NUMA, "NUMA node of the PCI device"),
	NUMBER(index, "INDEX", 0, NEED_NETLINK, "index in RDMA netlink"),
	GUID(system_image_guid, "SYSTEM IMAGE GUID", 0, NEED_IMAGE_GUID, "system image GUID"),
	TEXT(board_id, "BOARD", 0, NEED_BOARD_ID, "board id (PSID)"),
	TEXT(hca_type, "HCA TYPE", 0, NEED_HCA_TYPE, "HCA type, in the driver's words"),
	TEXT(hardware_revision, "HW REV", 0, NEED_HW_REV, "hardware revision"),
	TEXT(node_description, "DESCRIPTION", 0, NEED_DESCRIPTION, "node description"),
	HEX(pci_vendor_id, 4, "VENDOR", 0, NEED_PCI_VENDOR, "PCI vendor id"),
	HEX(pci_device_id, 4, "DEVICE ID", 0, NEED_PCI_DEVICE, "PCI device id"),
	REAL(pcie_speed_gtps, "PCIE GT/S", 0, NEED_PCI_SPEED,
	     "PCIe link speed, gigatransfers a second"),
	NUMBER(pcie_width_lanes, "PCIE LANES", 0, NEED_PCI_WIDTH, "PCIe link width"),
	REAL(pcie_max_speed_gtps, "PCIE MAX GT/S", 0, NEED_PCI_MAX_SPEED,
	     "maximum PCIe link speed of the device"),
	NUMBER(pcie_max_width_lanes, "PCIE MAX LANES", 0, NEED_PCI_MAX_WIDTH,
	       "maximum PCIe link width of the device"),
	NUMBER(irq_count, "IRQS", 0, NEED_IRQS, "MSI interrupts of the PCI device"),
	NUMBER(user_contexts, "CONTEXTS", 0, NEED_CONTEXTS,
	       "contexts for processes: what PSM can open (ib_qib, hfi1)"),
	NUMBER(free_user_contexts, "FREE CONTEXTS", 0, NEED_FREE_CONTEXTS,
	       "contexts that no process has open now"),
	TEXT(uverbs, "UVERBS", 0, NEED_UVERBS, "verbs character device"),
	LIST(umads, "UMAD", 0, NEED_UMADS, "management datagram character devices"),
	LIST(issms, "ISSM", 0, NEED_UMADS, "subnet manager character devices"),
	TEXT(parent, "PARENT", 0, NEED_NETLINK, "device that this sub-device belongs to"),
	WORD_AS("sub_device_type", sub_type, sub_type_names, "SUB-TYPE", 0, NEED_NETLINK,
		"type of a sub-device"),
	TEXT(protocol, "PROTOCOL", 0, NEED_NETLINK, "protocol, in RDMA netlink's words"),
	FLAGS_AS("sources", sources, source_names, "SOURCES", 0, 0,
		 "interfaces that provided the facts"),
	RECORDS_FIELD(get_ports, &port_schema, PORT_COLUMNS, "ports", 0, "the ports"),
};

const struct schema device_schema = SCHEMA("devices", struct device, device_fields,
					   "an RDMA device");

void device_take_name(struct device *device, char *kernel_name)
{
	device->kernel_name = kernel_name;
	device->name = text_clean(kernel_name, strlen(kernel_name));
}

struct device *device_list_add(struct device_list *list, const char *kernel_name)
{
	struct device *device = mem_append(&list->items, &list->count, sizeof(*list->items));

	device_take_name(device, mem_string(kernel_name));
	return device;
}

struct device *device_list_find(const struct device_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

struct device *device_list_find_kernel_name(const struct device_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].kernel_name, name))
			return &list->items[i];
	return NULL;
}

static int compare_devices(const void *a, const void *b)
{
	return text_compare_natural(((const struct device *)a)->name,
				    ((const struct device *)b)->name);
}

static int compare_ports(const void *a, const void *b)
{
	const struct port *first = a, *second = b;

	return COMPARE(first->port.value, second->port.value);
}

void device_list_sort(struct device_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_devices);
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].port_count)
			qsort(list->items[i].ports, list->items[i].port_count,
			      sizeof(*list->items[i].ports), compare_ports);
}

static int compare_places(const void *a, const void *b)
{
	const struct device *one = *(const struct device *const *)a;
	const struct device *other = *(const struct device *const *)b;
	const char *first = one->pci_address, *second = other->pci_address;

	return (first && second ? strcmp(first, second) : !first - !second) ?: COMPARE(one, other);
}

const struct device **device_list_by_place(const struct device_list *list)
{
	const struct device **devices = mem_alloc_zero(list->count + 1, sizeof(*devices));

	for (size_t i = 0; i < list->count; i++)
		devices[i] = &list->items[i];
	qsort(devices, list->count, sizeof(*devices), compare_places);
	return devices;
}

static void device_clear(struct device *device)
{
	for (size_t i = 0; i < device->port_count; i++)
		port_clear(&device->ports[i]);
	free(device->ports);
	free(device->name);
	free(device->kernel_name);
	free(device->pci_path);
	free(device->protocol);
	free(device->driver);
	free(device->firmware);
	free(device->pci_address);
	free(device->board_id);
	free(device->hca_type);
	free(device->hardware_revision);
	free(device->node_description);
	free(device->uverbs);
	free(device->parent);
	strings_free(&device->netdevs);
	strings_free(&device->umads);
	strings_free(&device->issms);
}

void device_list_clear(struct device_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		device_clear(&list->items[i]);
	free(list->items);
	*list = (struct device_list){0};
}

void device_list_filter(struct device_list *list, bool (*keep)(const struct device *, const void *),
			const void *context)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (keep(&list->items[i], context))
			list->items[kept++] = list->items[i];
		else
			device_clear(&list->items[i]);
	}
	list->count = kept;
}

struct port *device_port(const struct device *device, unsigned int number)
{
	for (size_t i = 0; i < device->port_count; i++)
		if (device->ports[i].port.value == number)
			return &device->ports[i];
	return NULL;
}

struct port *device_add_port(struct device *device, unsigned int number)
{
	struct port *port = mem_append(&device->ports, &device->port_count, sizeof(*device->ports));

	port->device = device->name;
	port->kernel_name = device->kernel_name;
	number_set(&port->port, number);
	return port;
}

void device_find_netdevs(struct device *device)
{
	struct strings *netdevs = &device->netdevs;
	bool may_have_one = false, hidden = device->ports_unknown;

	strings_free(netdevs);
	for (size_t i = 0; i < device->port_count && !hidden; i++) {
		const struct number *layer = &device->ports[i].link_layer;
		const char *netdev = device->ports[i].netdev;

		if (!netdev && device->ports[i].netdev_unknown)
			hidden = true;
		else if (!netdev && (!layer->known || layer->value == LINK_LAYER_ETHERNET))
			may_have_one = true;
		else if (netdev &&
			 !(netdevs->count && !strcmp(netdevs->items[netdevs->count - 1], netdev)))
			strings_add(netdevs, netdev);
	}
	/* A RoCE or iWARP port always has a netdev. If none is visible, the netdev is unknown. */
	if (hidden)
		strings_free(netdevs);
	else
		netdevs->known = netdevs->count || !may_have_one;
}

/* The words of RDMA netlink for protocols: fill_dev_info(), core/nldev.c. */
struct protocol {
	const char *word;
	enum transport transport;
	enum link_layer layer; /* LINK_LAYER_UNSPECIFIED: it does not determine one */
};

static struct protocol find_protocol(const char *word)
{
	static const struct protocol protocols[] = {
		{"ib", TRANSPORT_INFINIBAND, LINK_LAYER_INFINIBAND},
		{"opa", TRANSPORT_OPA, LINK_LAYER_INFINIBAND},
		{"roce", TRANSPORT_ROCE, LINK_LAYER_ETHERNET},
		{"iw", TRANSPORT_IWARP, LINK_LAYER_ETHERNET},
		{"usnic", TRANSPORT_USNIC, LINK_LAYER_UNSPECIFIED},
	};

	for (size_t i = 0; word && i < ARRAY_SIZE(protocols); i++)
		if (!strcmp(protocols[i].word, word))
			return protocols[i];
	return (struct protocol){.word = NULL};
}

struct number device_protocol_layer(const char *protocol)
{
	return number_unless_zero(find_protocol(protocol).layer);
}

/* Follows rdma_node_get_transport() and the port's link layer, core/verbs.c. */
static enum transport transport_of_node(const struct device *device)
{
	switch (device->node_type.value) {
	case NODE_TYPE_RNIC:
		return TRANSPORT_IWARP;
	case NODE_TYPE_USNIC:
	case NODE_TYPE_USNIC_UDP:
		return TRANSPORT_USNIC;
	case NODE_TYPE_UNSPECIFIED:
		return TRANSPORT_UNSPECIFIED;
	default:
		break;
	}
	if (device->driver && !strcmp(device->driver, "hfi1"))
		return TRANSPORT_OPA; /* its link layer attribute says InfiniBand */
	if (!device->port_count || !device->ports[0].link_layer.known)
		return 0;
	/* The first port determines the transport, and it is missing. */
	if (device->ports_unknown && device->ports[0].port.value > 1)
		return 0;
	return device->ports[0].link_layer.value == LINK_LAYER_ETHERNET ? TRANSPORT_ROCE
									: TRANSPORT_INFINIBAND;
}

void device_derive_transport(struct device *device)
{
	enum transport transport = find_protocol(device->protocol).transport;

	if (!transport && device->node_type.known)
		transport = transport_of_node(device);
	if (transport)
		number_set(&device->transport, transport);
}

enum transport device_port_transport(const struct device *device, const struct port *port)
{
	const bool ethernet = port->link_layer.value == LINK_LAYER_ETHERNET;

	if (!device->transport.known)
		return TRANSPORT_UNSPECIFIED;
	if (device->transport.value == TRANSPORT_INFINIBAND && ethernet)
		return TRANSPORT_ROCE;
	if (device->transport.value == TRANSPORT_ROCE &&
	    port->link_layer.value == LINK_LAYER_INFINIBAND)
		return TRANSPORT_INFINIBAND;
	return (enum transport)device->transport.value;
}
