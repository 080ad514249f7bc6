/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/link/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "change/holders.h"
#include "host/need.h"
#include "kernel/sysfs.h"
#include "schema/rows.h"

#define NEEDS                                                                                      \
	(NEED_NETLINK | NEED_NODE_TYPE | NEED_DRIVER | NEED_STATE | NEED_NETDEV | NEED_LINK_LIST | \
	 NEED_LINK_KIND)

/* The value of a device whose deletion waits for its users. */
#define LEAVING		 "leaving"
#define NETDEV_ELSEWHERE "its netdev is not in this network namespace"

/* The modules that define the link operations: rxe_link_ops in rxe.c, siw_link_ops in siw_main.c */
const struct enum_name link_type_names[] = {
	{0, "rxe", TONE_PLAIN, "rdma_rxe"},
	{1, "siw", TONE_PLAIN, "siw"},
	{0},
};

/* The setting's change->data. */
struct link_data {
	bool remade;		      /* a deletion was undone */
	char asked[DEVICE_NAME_SIZE]; /* the original name, if it was renamed; or empty */
};

#define RECORD struct software_link
static const struct field fields[] = {
	TEXT(name, "DEVICE", SHOWN, 0, "name of the device"),
	TEXT(type, "TYPE", SHOWN, 0, "rxe: RoCE in software; siw: iWARP in software"),
	TEXT(netdev, "NETDEV", SHOWN, 0, "netdev that it uses"),
	WORD(state, port_state_names, "STATE", SHOWN, 0, "state of its port"),
	YES_NO(leaving, "LEAVING", SHOWN, 0,
	       "whether it is being deleted, and waits for its users"),
};
#undef RECORD

const struct schema software_link_schema = SCHEMA("links", struct software_link, fields,
						  "software RDMA devices");

static const char *type_of(const struct device *device)
{
	for (const struct enum_name *type = link_type_names; type->word; type++)
		if (device->driver && !strcmp(device->driver, type->help))
			return type->word;
	return NULL;
}

/* NULL: none in this network namespace. */
static char *netdev_of(const struct device *device)
{
	return device->port_count ? device->ports[0].netdev : NULL;
}

static void add_link(struct software_links *links, const struct device *device, const char *type)
{
	MEM_ADD(links->items, links->count) = (struct software_link){
		.name = mem_string(device->name),
		.type = mem_string(type),
		.netdev = mem_string_or_null(netdev_of(device)),
		.state = device->port_count ? device->ports[0].state : (struct number){0},
		.leaving = TRISTATE_NO,
	};
}

/*
 * The kernel takes a device out of netlink's list before it waits for its users, and out of sysfs
 * only after that: __ib_unregister_device(), drivers/infiniband/core/device.c. Meanwhile, its
 * driver and netdev cannot be found out.
 */
static void add_leaving(struct software_links *links, const struct inventory *inventory)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(inventory->root, &root))
		return;
	sysfs_list(&root, &names, SYSFS_RDMA_CLASS);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *clean = text_clean(names.items[i], strlen(names.items[i]));
		const struct device *device = device_list_find(&inventory->devices, clean);

		if (!device || !device->index.known)
			MEM_ADD(links->items, links->count) = (struct software_link){
				.name = mem_string(clean), .leaving = TRISTATE_YES};
	}
}

static int load(const char *root, struct inventory *inventory, struct problems *problems)
{
	const struct objects everything = {.count = 0};
	const struct inventory_request request = {
		.root = root, .needs = NEEDS, .objects = &everything};

	return inventory_load(inventory, &request, problems, NULL);
}

/* Reads the host again. Without RDMA there are no devices. */
static int read_host(struct inventory *inventory)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = load(NULL, inventory, NULL);

	if (rc && rc != -ENODEV)
		return rc;
	/* If there are no devices, the netdevs have not been read yet. */
	if (!inventory->links.count && !root_open(NULL, &root))
		link_list_read_sysfs(&root, &inventory->links, NEED_LINK_LIST | NEED_LINK_KIND,
				     NULL);
	return 0;
}

static void list_links(const struct inventory *inventory, struct software_links *links)
{
	for_each (device, &inventory->devices) {
		const char *type = type_of(device);

		if (type && device->index.known)
			add_link(links, device, type);
	}
	add_leaving(links, inventory);
}

int software_links_read(const char *root, struct software_links *links, struct problems *problems)
{
	_cleanup_(inventory_free) struct inventory inventory = {.answers = true};
	int rc = load(root, &inventory, problems);

	if (!rc)
		list_links(&inventory, links);
	return rc;
}

void software_links_clear(struct software_links *links)
{
	for (size_t i = 0; i < links->count; i++)
		record_clear(&software_link_schema, &links->items[i]);
	free(links->items);
	*links = (struct software_links){.count = 0};
}

const struct software_link *software_links_find(const struct software_links *links,
						const char *name)
{
	for (size_t i = 0; i < links->count; i++)
		if (!strcmp(links->items[i].name, name))
			return &links->items[i];
	return NULL;
}

const struct software_link *software_links_find_on(const struct software_links *links,
						   const char *type, const char *netdev)
{
	for_each (link, links) {
		if (link->type && !strcmp(link->type, type) && link->netdev &&
		    !strcmp(link->netdev, netdev))
			return link;
	}
	return NULL;
}

char *software_link_free_name(const char *type)
{
	char *name = mem_format("%s0", type);

	for (unsigned int number = 1; device_is_in_class(name); number++) {
		free(name);
		name = mem_format("%s%u", type, number);
	}
	return name;
}

char *software_link_value(const char *type, const char *netdev)
{
	return mem_format("%s on %s", type, netdev);
}

bool link_wish_parse(const char *value, struct link_wish *ret_wish)
{
	for (const struct enum_name *type = link_type_names; type->word; type++) {
		const size_t length = strlen(type->word);

		if (strncmp(value, type->word, length) || strncmp(value + length, " on ", 4))
			continue;
		*ret_wish = (struct link_wish){type->word, value + length + 4};
		return true;
	}
	return false;
}

static int parse(struct change *change, const char *text, char **ret_value)
{
	struct link_wish wish;

	if (!strcmp(text, CHANGE_ABSENT)) {
		*ret_value = mem_string(text);
		return 0;
	}
	if (!device_check_name(change, change->object, DEVICE_NAME_SIZE - 1))
		return -EINVAL;
	if (!link_wish_parse(text, &wish) || !*wish.netdev)
		return change_fail(change, -EINVAL, "the types are rxe (RoCE) and siw (iWARP)",
				   "'%s' is not a link: it takes TYPE on NETDEV", text);
	*ret_value = mem_string(text);
	return 0;
}

/* Returns the value of a device of any kind; only software devices can be wanted. */
static char *describe(const struct change *change, const struct device *device)
{
	const char *type;

	if (!device && !device_is_in_class(change->object))
		return mem_string(CHANGE_ABSENT);
	/* A device is still there while this call waits for its users. */
	if (!device)
		return mem_string(change->before ? change->before : LEAVING);
	type = type_of(device);
	if (!type)
		return mem_format("a device of %s",
				  device->driver ? device->driver : "another driver");
	return software_link_value(type, netdev_of(device) ?: "an unknown netdev");
}

static bool is_wish(const struct device *device, const struct link_wish *wish)
{
	const char *type = type_of(device), *netdev = netdev_of(device);

	return device->index.known && type && netdev && !strcmp(type, wish->type) &&
	       !strcmp(netdev, wish->netdev);
}

static struct link_data *data_of(struct change *change)
{
	if (!change->data)
		change->data = mem_alloc_zero(1, sizeof(struct link_data));
	return change->data;
}

/* The names in the change are those from before it was written. */
static void take_new_name(struct change *change, const char *name, const struct link_wish *wish)
{
	_cleanup_(freep) char *quoted = text_quote(name);
	struct link_data *data = data_of(change);

	if (!*data->asked)
		snprintf(data->asked, sizeof(data->asked), "%s", change->object);
	if (change->written)
		change_note(change,
			    "it was created as %s, and since renamed to %s, as udev's rules do",
			    change->object, name);
	else
		change_note(change,
			    "%s already has one, and the kernel allows no second one: its name is "
			    "%s, perhaps from udev's rules; rdmactl dev set %s name %s renames it",
			    wish->netdev, name, quoted, change->object);
	free(change->object);
	change->object = mem_string(name);
	if (!change->undo)
		return;
	free(change->undo);
	change->undo = change->setting->undo(change);
}

/*
 * Returns the value by which to find the device if its name has changed: what this call has made
 * (also to undo a deletion), or what was wanted and already there.
 */
static const char *sought(const struct change *change)
{
	const struct link_data *data = change->data;
	const bool was_there = !change->before || !strcmp(change->before, change->wanted);

	if (data && data->remade)
		return change->before;
	return change->written || was_there ? change->wanted : CHANGE_ABSENT;
}

const struct device *link_follow(struct change *change, const struct inventory *inventory)
{
	const struct device *device = device_list_find(&inventory->devices, change->object);
	struct link_wish wish;

	if (device || !link_wish_parse(sought(change), &wish))
		return device;
	for (size_t i = 0; i < inventory->devices.count; i++) {
		device = &inventory->devices.items[i];
		if (!is_wish(device, &wish))
			continue;
		take_new_name(change, device->name, &wish);
		return device;
	}
	return NULL;
}

static void note_missing(struct change *change, const struct inventory *inventory)
{
	_cleanup_(strings_free) struct strings names = {.known = true};

	for (size_t i = 0; i < inventory->devices.count; i++)
		if (type_of(&inventory->devices.items[i]))
			strings_add(&names, inventory->devices.items[i].name);
	change_note_missing(change, "software device", &names);
}

static int read_link(struct change *change, char **ret_value)
{
	_cleanup_(inventory_free) struct inventory inventory = {.answers = true};
	const struct device *device;
	int rc = load(NULL, &inventory, NULL);

	/* Without RDMA there are no devices. */
	if (rc && rc != -ENODEV)
		return rc;
	device = link_follow(change, &inventory);
	if (device && !device->index.known)
		device = NULL;
	if (device)
		change->device_index = device->index;
	*ret_value = describe(change, device);
	if (!strcmp(*ret_value, CHANGE_ABSENT))
		note_missing(change, &inventory);
	return 0;
}

/*
 * Whether a device of this value can be made (again). If RDMA devices are shared, one of another
 * network namespace is here without its netdev; no netdev name has spaces.
 */
static bool can_be_made(const char *value, struct link_wish *ret_wish)
{
	return link_wish_parse(value, ret_wish) && !strchr(ret_wish->netdev, ' ');
}

/* Whether the kernel would accept the change, as far as can be known in advance. */
static int check(struct change *change)
{
	_cleanup_(inventory_free) struct inventory inventory = {.answers = true};
	struct link_wish wish;

	if (!strcmp(change->before, LEAVING))
		return change_fail(change, -EBUSY, "end the processes that use it",
				   "%s is being deleted, and waits until it is no longer used",
				   change->object);
	if (link_wish_parse(change->wanted, &wish))
		return read_host(&inventory) ?: link_check_add(change, &inventory.links, &wish);
	/* IBK_ALLOW_USER_UNREG, nldev_dellink(): only rxe and siw set it. */
	if (!link_wish_parse(change->before, &wish))
		return change_fail(change, -EOPNOTSUPP,
				   "rdmactl link lists those that can be deleted",
				   "%s is %s: only rxe and siw devices can be deleted",
				   change->object, change->before);
	if (change->host->reverts && !can_be_made(change->before, &wish))
		return change_fail(change, -EOPNOTSUPP,
				   "omit --revert-after, or run it where the netdev is",
				   "it could not be undone: " NETDEV_ELSEWHERE);
	return 0;
}

static int write_link(struct change *change, const char *value)
{
	struct link_wish wish;

	if (link_wish_parse(value, &wish)) {
		data_of(change)->remade = strcmp(value, change->wanted) != 0;
		return link_add(change, &wish);
	}
	if (!change->device_index.known)
		return -ENODEV;
	return link_delete(change, change->object, (uint32_t)change->device_index.value);
}

static void guard(struct change *change)
{
	struct link_wish wish;

	if (link_wish_parse(change->wanted, &wish)) {
		link_note_module(change, &wish);
		return;
	}
	if (!can_be_made(change->before, &wish))
		change_note(change, "it cannot be undone: " NETDEV_ELSEWHERE);
	change_guard_device(change, change->object);
}

/* Returns `link add NAME type TYPE netdev IF` for a value, or NULL. */
static char *make_add_command(const char *object, const char *value)
{
	_cleanup_(freep) char *name = text_quote(object), *netdev = NULL;
	struct link_wish wish;

	if (!can_be_made(value, &wish))
		return NULL;
	netdev = text_quote(wish.netdev);
	return mem_format("rdmactl link add %s type %s netdev %s", name, wish.type, netdev);
}

static char *undo(const struct change *change)
{
	_cleanup_(freep) char *name = text_quote(change->object);

	return strcmp(change->before, CHANGE_ABSENT)
		       ? make_add_command(change->object, change->before)
		       : mem_format("rdmactl link del %s", name);
}

/*
 * udev starts rdma-hw.target as soon as there is any RDMA device (rdma-ulp-modules.rules of
 * rdma-core), which may be only this one; so the netdev has to start the unit, too. The kernel
 * loads the module when the link is made: nldev_newlink().
 */
static void persist(struct change *change)
{
	const struct link_data *data = change->data;
	const char *name = data && *data->asked ? data->asked : change->object;
	_cleanup_(freep) char *command = make_add_command(name, change->wanted);
	_cleanup_(freep) char *exec_start = NULL, *unit = NULL, *netdev = NULL;
	struct link_wish wish;

	if (!command || !link_wish_parse(change->wanted, &wish))
		return;
	exec_start = change_exec_start(command);
	unit = change_escape_unit(wish.netdev, true);
	netdev = change_escape_unit(wish.netdev, false);
	change->persist_file = mem_format("/etc/systemd/system/rdma-link-%s.service", name);
	change->persist_text = mem_format("[Unit]\n"
					  "Description=RDMA device %s: %s on %s\n"
					  "BindsTo=sys-subsystem-net-devices-%s.device\n"
					  "After=sys-subsystem-net-devices-%s.device\n"
					  "\n"
					  "[Service]\n"
					  "Type=oneshot\n"
					  "RemainAfterExit=yes\n"
					  "%s\n"
					  "\n"
					  "[Install]\n"
					  "WantedBy=rdma-hw.target "
					  "sys-subsystem-net-devices-%s.device",
					  name, wish.type, netdev, unit, unit, exec_start, unit);
}

const struct setting link_setting = {
	.keyword = {"link", "TYPE on NETDEV", "software device on a netdev, or absent", NULL},
	.interface = "RDMA netlink NEWLINK, DELLINK",
	.right = RIGHT_RDMA_ADMIN,
	.parse = parse,
	.read = read_link,
	.check = check,
	.write = write_link,
	.guard = guard,
	.undo = undo,
	.persist = persist,
	.command = "link",
};
