/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "doctor/adapter/adapters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/frame/check.h"
#include "doctor/frame/growth.h"
#include "host/pci/rdma_drivers.h"
#include "kernel/netlink/genl.h"
#include "kernel/sysfs.h"

static struct doctor_adapters *opened(struct doctor_facts *facts)
{
	static const char *const names[] = {DEVLINK_FAMILY, ETHTOOL_FAMILY};
	struct doctor_adapters *adapters = DOCTOR_PART(facts, adapters);
	uint16_t ids[ARRAY_SIZE(names)] = {0};

	if (!doctor_is_first(&adapters->was_opened))
		return adapters;
	adapters->socket_rc = genl_open(&facts->root, &adapters->generic);
	if (!adapters->socket_rc)
		adapters->socket_rc = genl_find(adapters->generic, names, ids, ARRAY_SIZE(names));
	adapters->devlink_family = ids[0];
	adapters->ethtool_family = ids[1];
	return adapters;
}

static struct doctor_adapters *listed(struct doctor_facts *facts)
{
	struct doctor_adapters *adapters = DOCTOR_PART(facts, adapters);

	if (!doctor_is_first(&adapters->was_listed))
		return adapters;
	opened(facts);
	adapters->list_rc = adapters->socket_rc ? adapters->socket_rc : -EPROTONOSUPPORT;
	if (!adapters->socket_rc && adapters->devlink_family)
		adapters->list_rc = devlink_read_list(adapters->generic, adapters->devlink_family,
						      &adapters->list);
	return adapters;
}

/* Whether a sysfs directory belongs to the device, by the components of its link target. */
static bool is_in(const char *target, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = target; at && (at = strstr(at, name)); at++)
		if (at > target && at[-1] == '/' && at[length] == '/')
			return true;
	return false;
}

/* Locations of the RDMA devices and their ports' netdevs in the device tree. */
struct places {
	struct place {
		const struct device *device;
		char *target;
	} * items;
	size_t count;
};

static void places_add(struct places *places, const struct device *device, const struct root *root,
		       const char *class, const char *entry)
{
	char *target = NULL;
	struct place *place;

	if (!entry || sysfs_link(root, &target, "sys/class/%s/%s", class, entry))
		return;
	place = mem_append(&places->items, &places->count, sizeof(*place));
	place->device = device;
	place->target = target;
}

static void places_read(struct places *places, const struct doctor_facts *facts)
{
	for_each (device, &facts->inventory.devices) {
		places_add(places, device, &facts->root, "infiniband", device->kernel_name);
		for_each_in (port, device->ports, device->port_count)
			places_add(places, device, &facts->root, "net", port->netdev);
	}
}

static void places_clear(struct places *places)
{
	for_each (place, places)
		free(place->target);
	free(places->items);
}

/*
 * Returns the RDMA device that is, or whose netdev is, on a devlink device that is no PCI function.
 */
static const struct device *device_on(const struct places *places, const char *name)
{
	for_each (place, places)
		if (is_in(place->target, name))
			return place->device;
	return NULL;
}

static void add(struct doctor_adapters *adapters, struct devlink *devlink, const char *object,
		struct pci_function *function, const struct device *device)
{
	struct adapter *adapter = mem_append(&adapters->items, &adapters->count, sizeof(*adapter));

	adapter->devlink = devlink;
	adapter->object = mem_string(object);
	adapter->function = function;
	adapter->device = device;
}

/*
 * Chooses PCI functions with RDMA hardware, and the parents of RDMA devices or their netdevs: a
 * subfunction, or the adapter that a software device runs on.
 */
static void choose(const struct doctor_context *run, struct doctor_adapters *adapters)
{
	_cleanup_(places_clear) struct places places = {.count = 0};
	const struct pci_list *pci = doctor_pci(run->facts);

	places_read(&places, run->facts);
	for_each (devlink, &adapters->list) {
		struct pci_function *function = !strcmp(devlink->bus, "pci")
							? pci_list_find(pci, devlink->name)
							: NULL;
		const struct device *device = function ? doctor_device_at(run->facts, devlink->name)
						       : device_on(&places, devlink->name);

		if (function ? !doctor_is_selected(run->facts, function) : !device)
			continue;
		add(adapters, devlink, function ? function->address : device->name, function,
		    device);
	}
}

/* Excludes virtual functions, and all but the first device of each function. */
static bool is_single(struct doctor_facts *facts, const struct doctor_adapters *adapters,
		      const struct device *device)
{
	struct pci_function *function = doctor_function_of(facts, device);

	if (!device->pci_address || !device->board_id || !device->firmware)
		return false;
	if (function && rdma_is_virtual(&facts->root, function, facts->problems))
		return false;
	for (size_t i = 0; i < adapters->single_count; i++)
		if (!strcmp(adapters->single[i]->pci_address, device->pci_address))
			return false;
	return true;
}

const struct doctor_adapters *doctor_single_devices(struct doctor_facts *facts)
{
	struct doctor_adapters *adapters = DOCTOR_PART(facts, adapters);

	if (!doctor_is_first(&adapters->was_counted))
		return adapters;
	for_each (device, &facts->inventory.devices)
		if (is_single(facts, adapters, device))
			MEM_ADD(adapters->single, adapters->single_count) = device;
	return adapters;
}

/*
 * Asking a virtual function for versions makes the driver of Linux 6.1 write a warning to the
 * kernel log each time: mlx5_fw_version_query(), mlx5/core/fw.c.
 */
bool adapter_has_firmware(const struct doctor_context *run, const struct adapter *adapter)
{
	return !adapter->function ||
	       !rdma_is_virtual(&run->facts->root, adapter->function, run->facts->problems);
}

static bool is_wanted(const struct devlink *devlink, void *context)
{
	const struct doctor_context *run = context;
	const struct doctor_adapters *adapters = run->facts->adapters;

	for_each (adapter, adapters)
		if (adapter->devlink == devlink)
			return adapter_has_firmware(run, adapter);
	return false;
}

static int read_facts(const struct doctor_context *run, struct doctor_adapters *adapters,
		      enum adapter_facts facts)
{
	const bool due = !(adapters->have & 1u << facts);

	adapters->have |= 1u << facts;
	if (due && facts == ADAPTER_REPORTERS)
		adapters->reporters_rc = devlink_read_reporters(
			adapters->generic, adapters->devlink_family, &adapters->list);
	else if (due && facts == ADAPTER_SWITCHES)
		devlink_read_switches(adapters->generic, adapters->devlink_family, &adapters->list);
	else if (due)
		devlink_read_info(adapters->generic, adapters->devlink_family, &adapters->list,
				  is_wanted, (void *)(uintptr_t)run);
	return facts == ADAPTER_REPORTERS ? adapters->reporters_rc : 0;
}

const struct doctor_adapters *doctor_adapters(const struct doctor_context *run,
					      enum adapter_facts facts, int *ret_rc)
{
	struct doctor_adapters *adapters = listed(run->facts);

	*ret_rc = adapters->list_rc;
	if (!*ret_rc && doctor_is_first(&adapters->was_chosen))
		choose(run, adapters);
	if (!*ret_rc && adapters->count)
		*ret_rc = read_facts(run, adapters, facts);
	return *ret_rc ? NULL : adapters;
}

/* Finds the netdev's index, which makes the query safe: see kernel/netlink/ethtool.h. */
static int ask_about(struct doctor_facts *facts, const char *netdev, uint32_t *ret_index)
{
	const struct link *link = link_by_name(&facts->inventory.links, netdev);
	const struct doctor_adapters *adapters = opened(facts);

	if (adapters->socket_rc)
		return adapters->socket_rc;
	if (!adapters->ethtool_family)
		return -EOPNOTSUPP;
	if (!link || !link->index.known)
		return -ENODEV;
	*ret_index = (uint32_t)link->index.value;
	return 0;
}

int doctor_pause(struct doctor_facts *facts, const char *netdev, struct ethtool_pause *ret_pause)
{
	uint32_t index;

	return ask_about(facts, netdev, &index)
		       ?: ethtool_get_pause(facts->adapters->generic,
					    facts->adapters->ethtool_family, index, ret_pause);
}

int doctor_fec(struct doctor_facts *facts, const char *netdev, bool counts,
	       struct ethtool_fec *ret_fec)
{
	uint32_t index;

	return ask_about(facts, netdev, &index)
		       ?: ethtool_get_fec(facts->adapters->generic, facts->adapters->ethtool_family,
					  index, counts, ret_fec);
}

char *reporter_key(const struct devlink *devlink, const struct devlink_reporter *reporter)
{
	char *key = mem_format("%s/%s %s", devlink->bus, devlink->name, reporter->name);

	if (reporter->port.known)
		mem_extend(&key, "/%u", (unsigned int)reporter->port.value);
	return key;
}

void adapters_read_recoveries(struct doctor_facts *facts, struct growth_reading *reading)
{
	struct doctor_adapters *adapters = listed(facts);

	if (adapters->list_rc)
		return;
	adapters->reporters_rc = devlink_read_reporters(adapters->generic, adapters->devlink_family,
							&adapters->list);
	adapters->have |= 1u << ADAPTER_REPORTERS;
	for_each (devlink, &adapters->list)
		for_each_in (reporter, devlink->reporters, devlink->reporter_count) {
			_cleanup_(freep) char *key = reporter_key(devlink, reporter);

			if (reporter->recoveries.known)
				growth_add(reading, reporter->recoveries.value, "%s", key);
		}
}

void doctor_adapters_free(struct doctor_adapters *adapters)
{
	if (!adapters)
		return;
	for_each (adapter, adapters)
		free(adapter->object);
	free(adapters->items);
	free(adapters->single);
	devlink_list_clear(&adapters->list);
	netlink_free(adapters->generic);
	free(adapters);
}
