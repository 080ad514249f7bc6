/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/sriov/function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/pci/rdma_drivers.h"
#include "host/sriov/card.h"
#include "host/sriov/vf.h"
#include "schema/rows.h"

#define AUXILIARY_DEVICES "sys/bus/auxiliary/devices"

static const struct enum_name kinds[] = {
	{FUNCTION_PF, "pf", TONE_PLAIN, "physical function, which can have VFs"},
	{FUNCTION_VF, "vf", TONE_PLAIN, "virtual function, of SR-IOV"},
	{FUNCTION_SF, "sf", TONE_PLAIN,
	 "subfunction: part of a PCI function, without one of its own"},
	{FUNCTION_PLAIN, "function", TONE_PLAIN,
	 "has no SR-IOV; in a virtual machine it may be a VF of the host"},
	{0},
};

static const struct enum_name owners[] = {
	{FUNCTION_OF_HOST, "host", TONE_PLAIN, "a driver of this host uses it"},
	{FUNCTION_OF_VFIO, "vfio", TONE_PLAIN, "kept for a virtual machine or a program"},
	{FUNCTION_OF_NAMESPACE, "namespace", TONE_PLAIN,
	 "its netdev or RDMA device is in another network namespace"},
	{FUNCTION_OF_NOBODY, "none", TONE_WARNING, "no driver is bound"},
	{0},
};

#define RECORD struct function
static const struct field fields[] = {
	TEXT_AS("function", name, "FUNCTION", SHOWN, 0,
		"PCI address, or name of the auxiliary device"),
	WORD(kind, kinds, "KIND", SHOWN, 0, "what sort of function it is"),
	TEXT(parent, "PARENT", 0, 0, "physical function of a VF or SF"),
	NUMBER(index, "INDEX", SHOWN, 0, "number of a VF, or the sfnum of an SF"),
	TEXT(device, "DEVICE", SHOWN, 0, "RDMA device"),
	TEXT(netdev, "NETDEV", SHOWN, 0, "netdev"),
	TEXT(driver, "DRIVER", 0, 0, "driver that is bound"),
	WORD(owner, owners, "OWNER", SHOWN, 0, "who uses the function"),
	GUID(node_guid, "NODE GUID", SHOWN, 0,
	     "node GUID; for a VF, as the PF has set it; 0: unset"),
	GUID(port_guid, "PORT GUID", 0, 0,
	     "GUID of the first port; for a VF, as the PF has set it; 0: unset"),
	TEXT(mac, "MAC", 0, FUNCTION_NEED_VF, "MAC that the PF has set for a VF; none: unset"),
	WORD(policy, vf_policy_names, "POLICY", SHOWN, FUNCTION_NEED_VF, "link of a VF"),
	YES_NO(trust, "TRUST", SHOWN, FUNCTION_NEED_VF, "whether a VF may use privileged features"),
	NUMBER_AS("vfs", vf_count, "VFS", SHOWN, 0, "number of VFs that a PF has"),
	NUMBER_AS("vfs_most", vf_limit, "MOST", SHOWN, 0, "largest number of VFs"),
	YES_NO(autoprobe, "AUTOPROBE", 0, 0, "whether drivers are bound to new VFs"),
	YES_NO(roce, "ROCE", 0, FUNCTION_NEED_PARAMETERS, "parameter enable_roce of the driver"),
	YES_NO(rdma, "RDMA", 0, FUNCTION_NEED_PARAMETERS, "parameter enable_rdma of the driver"),
	YES_NO(iwarp, "IWARP", 0, FUNCTION_NEED_PARAMETERS, "parameter enable_iwarp of the driver"),
};
#undef RECORD

const struct schema function_schema = SCHEMA("sriov", struct function, fields,
					     "a function of an RDMA adapter");

struct reader {
	const struct root *root;
	const struct inventory *inventory;
	struct function_list *list;
	struct pci_list functions;
	struct problems *problems;
};

static struct function *find(const struct function_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i].name, name))
			return &list->items[i];
	return NULL;
}

static struct function *add(struct reader *reader, const char *name, enum function_kind kind)
{
	struct function *function = mem_append(&reader->list->items, &reader->list->count,
					       sizeof(*function));

	*function = (struct function){.name = text_clean(name, strlen(name))};
	number_set(&function->kind, kind);
	return function;
}

/* Reads an attribute that a function may lack; any other failure is a problem. */
static void read_number(struct reader *reader, struct number *number, const char *name,
			const char *directory, const char *file)
{
	int rc = sysfs_read_number(reader->root, number, "%s/%s", directory, file);

	if (rc && rc != -ENOENT)
		problem_add(reader->problems, name, file, "sysfs", rc, NULL);
}

/* Returns the first entry of a class directory; *ret_empty: the directory exists and is empty. */
static char *first_of(struct reader *reader, const char *name, const char *directory,
		      const char *class, bool *ret_empty)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	int rc = sysfs_list(reader->root, &names, "%s/%s", directory, class);

	if (names.count)
		return text_clean(names.items[0], strlen(names.items[0]));
	if (!rc)
		*ret_empty = true;
	else if (rc != -ENOENT)
		problem_add(reader->problems, name, class, "sysfs", rc, NULL);
	return NULL;
}

bool function_is_kept(const char *driver)
{
	return pci_driver_is_for_guests(driver) || strstr(driver, "uio");
}

static enum function_owner owner_of(const struct function *function, bool empty)
{
	if (!function->driver)
		return FUNCTION_OF_NOBODY;
	if (function_is_kept(function->driver))
		return FUNCTION_OF_VFIO;
	return empty ? FUNCTION_OF_NAMESPACE : FUNCTION_OF_HOST;
}

static void read_guids(const struct reader *reader, struct function *function)
{
	const struct device *device = function->device
					      ? device_list_find(&reader->inventory->devices,
								 function->device)
					      : NULL;

	if (!device)
		return;
	function->node_guid = device->node_guid;
	if (device->port_count)
		function->port_guid = device->ports[0].port_guid;
}

static void read_netdev(struct reader *reader, struct function *function, const char *directory,
			bool *ret_empty)
{
	_cleanup_(freep) char *first = first_of(reader, function->name, directory, "net",
						ret_empty);
	_cleanup_(freep) char *own = first ? card_own_netdev(reader->root, directory,
							     &reader->inventory->devices)
					   : NULL;

	function->netdev = own ? text_clean(own, strlen(own)) : NULL;
}

/* Reads what every function has: the driver, and the devices that it created. */
static void read_common(struct reader *reader, struct function *function, const char *directory)
{
	bool empty = false;
	int rc = sysfs_link_name(reader->root, &function->driver, "%s/driver", directory);

	function->device = first_of(reader, function->name, directory, "infiniband", &empty);
	read_netdev(reader, function, directory, &empty);
	if (rc && rc != -ENOENT)
		problem_add(reader->problems, function->name, "driver", "sysfs", rc, NULL);
	else
		number_set(&function->owner, owner_of(function, empty));
	read_guids(reader, function);
}

static void read_sriov(struct reader *reader, struct function *function, const char *directory)
{
	struct number autoprobe = {.known = false};

	read_number(reader, &function->vf_count, function->name, directory, "sriov_numvfs");
	if (!function->vf_count.known)
		number_set(&function->kind, FUNCTION_PLAIN);
	read_number(reader, &function->vf_limit, function->name, directory, "sriov_totalvfs");
	read_number(reader, &autoprobe, function->name, directory, "sriov_drivers_autoprobe");
	function->autoprobe = number_state(&autoprobe);
}

/* VFs have ascending addresses: the number after that of the last one of the same function. */
static uint64_t guess_number(const struct function_list *list, const char *physfn)
{
	for (size_t i = list->count; i--;)
		if (list->items[i].parent && !strcmp(list->items[i].parent, physfn))
			return list->items[i].index.value + 1;
	return 0;
}

static void add_pci(struct reader *reader, struct pci_function *pci)
{
	uint64_t guess;
	_cleanup_(freep) char *directory = mem_format(PCI_FUNCTION, pci->address);
	struct function *function;

	pci_read(reader->root, pci, PCI_VIRTUAL, reader->problems);
	function = add(reader, pci->address, pci->physfn ? FUNCTION_VF : FUNCTION_PF);
	read_common(reader, function, directory);
	if (!pci->physfn) {
		read_sriov(reader, function, directory);
		return;
	}
	guess = guess_number(reader->list, pci->physfn);
	function->parent = mem_string(pci->physfn);
	function->index = pci_virtual_number(reader->root, pci, guess);
	if (!function->index.known)
		problem_add_text(reader->problems, function->name, "index", "sysfs",
				 "no readable virtfn link of its parent leads to it", NULL);
}

static void add_all_pci(struct reader *reader)
{
	for (size_t i = 0; i < reader->functions.count; i++) {
		struct pci_function *pci = &reader->functions.items[i];

		if (pci_kind(reader->root, pci, reader->problems) == PCI_KIND_NETWORK &&
		    rdma_driver_of(reader->root, pci, reader->problems))
			add_pci(reader, pci);
	}
}

/* Finds mlx5_core.sf.4: the driver of subfunctions, drivers/net/ethernet/mellanox/mlx5/core/sf. */
static void add_subfunctions(struct reader *reader)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	int rc = sysfs_list_all(reader->root, &names, AUXILIARY_DEVICES);

	/* A kernel without drivers for that bus does not have it. */
	if (rc && rc != -ENOENT)
		problem_add(reader->problems, NULL, "subfunctions", "sysfs", rc, NULL);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *directory = mem_format(AUXILIARY_DEVICES "/%s",
							      names.items[i]);
		_cleanup_(freep) char *target = NULL;
		struct function *function;

		if (!strstr(names.items[i], ".sf."))
			continue;
		rc = sysfs_link_path(reader->root, &target, directory);
		/* It has been deleted since. */
		if (rc == -ENOENT)
			continue;
		function = add(reader, names.items[i], FUNCTION_SF);
		if (rc)
			problem_add(reader->problems, function->name, "parent", "sysfs", rc, NULL);
		else
			sysfs_find_pci(target, &function->parent);
		read_number(reader, &function->index, function->name, directory, "sfnum");
		read_common(reader, function, directory);
	}
}

/* Adds simulated cards, which are on a separate bus. */
static void add_others(struct reader *reader)
{
	const struct link_list *links = &reader->inventory->links;

	for (size_t i = 0; i < links->count; i++) {
		_cleanup_(freep) char *path = NULL, *directory = NULL;
		struct function *function;
		const char *name;

		if (card_find(reader->root, &reader->inventory->devices, links->items[i].name,
			      &path) ||
		    card_find_file(reader->root, path, "sriov_numvfs", &directory))
			continue;
		name = strrchr(directory, '/') + 1;
		if (sysfs_is_pci_address(name, strlen(name)) || find(reader->list, name))
			continue;
		function = add(reader, name, FUNCTION_PF);
		read_common(reader, function, directory);
		read_sriov(reader, function, directory);
		if (!function->device) {
			_cleanup_(strings_free) struct strings devices = {0};

			card_list_devices(reader->root, directory, &reader->inventory->devices,
					  &devices);
			if (devices.count)
				function->device = mem_string(devices.items[0]);
			read_guids(reader, function);
		}
	}
}

int function_list_read(struct function_list *list, const struct inventory *inventory,
		       const char *saved, struct problems *problems)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	struct reader reader = {
		.root = &root, .inventory = inventory, .list = list, .problems = problems};
	int rc;

	rc = root_open(saved, &root);
	if (rc)
		return rc;
	if (!pci_list_read(&root, &reader.functions, problems))
		add_all_pci(&reader);
	add_subfunctions(&reader);
	add_others(&reader);
	if (root_answers(&root))
		function_list_read_live(&root, list, inventory, problems);
	pci_list_clear(&reader.functions);
	return 0;
}

static void function_clear(struct function *function)
{
	free(function->name);
	free(function->parent);
	free(function->device);
	free(function->netdev);
	free(function->mac);
	free(function->driver);
}

static bool is_of(const struct function *function, const struct device_list *devices)
{
	return function->device && device_list_find(devices, function->device);
}

void function_list_keep(struct function_list *list, const struct device_list *devices,
			const struct objects *objects)
{
	_cleanup_(freep) bool *keep = mem_alloc_zero(list->count + 1, sizeof(*keep));
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct function *parent = list->items[i].parent
							? find(list, list->items[i].parent)
							: NULL;

		keep[i] = !objects->count || is_of(&list->items[i], devices) ||
			  (parent && is_of(parent, devices));
	}
	for (size_t i = 0; i < list->count; i++) {
		if (keep[i])
			list->items[kept++] = list->items[i];
		else
			function_clear(&list->items[i]);
	}
	list->count = kept;
}

void function_list_clear(struct function_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		function_clear(&list->items[i]);
	free(list->items);
	*list = (struct function_list){.count = 0};
}
