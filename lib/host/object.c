/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/object.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/need.h"
#include "host/port.h"
#include "kernel/sysfs.h"

/*
 * IB_DEVICE_NAME_MAX of the kernel; a name is also a sysfs directory. In output, each byte may take
 * four characters: text_clean().
 */
enum { DEVICE_NAME_LENGTH = 63 * 4 };

static int parse(const char *word, bool ports, struct object *object)
{
	const char *slash = strchr(word, '/');
	size_t length = slash ? (size_t)(slash - word) : strlen(word);
	uint64_t port;

	if (!length || length > DEVICE_NAME_LENGTH || word[0] == '.' || (slash && !ports))
		return -EINVAL;
	object->port = -1;
	if (slash) {
		if (text_parse_u64(slash + 1, 10, PORT_MOST, &port))
			return -EINVAL;
		object->port = (int)port;
	}
	object->device = mem_string(word);
	object->device[length] = '\0';
	return 0;
}

int objects_parse(struct objects *objects, char *const *words, bool ports, char **ret_message)
{
	objects->ports = ports;
	for (; *words; words++) {
		struct object object;

		if (parse(*words, ports, &object)) {
			_cleanup_(freep) char *clean = text_clean(*words, strlen(*words));

			*ret_message = mem_format("'%s' is not %s", clean,
						  ports ? "DEV or DEV/PORT" : "a device name");
			objects_free(objects);
			return -EINVAL;
		}
		MEM_ADD(objects->items, objects->count) = object;
	}
	return 0;
}

void objects_free(struct objects *objects)
{
	for (size_t i = 0; i < objects->count; i++)
		free(objects->items[i].device);
	free(objects->items);
	strings_free(&objects->excluded);
	*objects = (struct objects){0};
}

bool object_names(const struct object *object, const struct device *device)
{
	return !strcmp(object->device, device->name) ||
	       !strcmp(object->device, device->kernel_name);
}

static const struct device *find_device(const struct device_list *list, const struct object *object)
{
	for (size_t i = 0; i < list->count; i++)
		if (object_names(object, &list->items[i]))
			return &list->items[i];
	return NULL;
}

/* Suggests DEV/PORT for NCCL's and UCX's mlx5_0:1 and ibstat's "mlx5_0 1". NULL for other words. */
static char *suggest_port(const struct objects *objects, size_t index,
			  const struct device_list *list)
{
	const char *word = objects->items[index].device;
	const size_t length = strcspn(word, ":");
	const char *number = word[length] ? word + length + 1 : word;
	_cleanup_(freep) char *name = mem_format("%.*s", (int)length, word);
	const struct object colon = {.device = name};
	const struct device *device = NULL;
	uint64_t port;

	if (!objects->ports || text_parse_u64(number, 10, PORT_MOST, &port))
		return NULL;
	if (word[length])
		device = find_device(list, &colon);
	else if (index)
		device = find_device(list, &objects->items[index - 1]);
	return device ? mem_format("did you mean '%s/%" PRIu64 "'?", device->name, port) : NULL;
}

/* The RDMA devices of a PCI function, with commas between; NULL if there are none. */
static char *list_rdma_devices(const struct root *root, const char *function)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(strings_free) struct strings names = {0};

	if (!sysfs_list(root, &names, "%s/infiniband", function))
		for (size_t i = 0; i < names.count; i++)
			mem_extend(&text, "%s%s", i ? ", " : "", names.items[i]);
	return text ? text_clean(text, strlen(text)) : NULL;
}

/* Says which device or port has the GUID; NULL: none that the root shows. */
static char *explain_guid(const struct root *root, uint64_t guid)
{
	_cleanup_(device_list_clear) struct device_list list = {0};
	char *hint = NULL;

	device_list_sysfs(root, &list);
	for (size_t i = 0; i < list.count && !hint; i++) {
		struct device *device = &list.items[i];

		device_read_sysfs(root, device, NEED_NODE_GUID, NULL);
		device_list_ports_sysfs(root, device, NULL);
		if (device->node_guid.known && device->node_guid.value == guid)
			hint = mem_format("that is the node GUID of %s", device->name);
		for (size_t j = 0; j < device->port_count && !hint; j++) {
			struct port *port = &device->ports[j];

			port_read_sysfs(root, port, NEED_PORT_GUID, NULL);
			if (port->port_guid.known && port->port_guid.value == guid)
				hint = mem_format("that is the port GUID of %s/%" PRIu64,
						  device->name, port->port.value);
		}
	}
	return hint;
}

/* What else than the name of a device the word is; NULL: nothing that is known. */
static char *explain_word(const char *word, const struct root *root)
{
	_cleanup_(freep) char *netdev = mem_format("sys/class/net/%s", word);
	_cleanup_(freep) char *of_netdev = mem_format("%s/device", netdev);
	/* lspci leaves a domain of 0 out. */
	const char *domain = sysfs_is_pci_address(word, strlen(word)) ? "" : "0000:";
	_cleanup_(freep) char *function = mem_format("sys/bus/pci/devices/%s%s", domain, word);
	_cleanup_(freep) char *devices = NULL;
	struct ip_address ip;
	uint64_t guid;

	/* Such words would lead elsewhere, and no netdev can have them: dev_valid_name(). */
	if (!*word || *word == '.' || strchr(word, '/'))
		return NULL;
	if (!ip_parse(word, &ip))
		return mem_string("that is an IP address: rdmactl gids --to names the port that "
				  "leads to it, rdmactl selftest --peer tests with it");
	if (!guid_parse(word, &guid) && guid)
		return explain_guid(root, guid);
	if (sysfs_has_directory(root, netdev)) {
		devices = list_rdma_devices(root, of_netdev);
		return devices ? mem_format("that is a netdev of the adapter of %s: rdmactl "
					    "netdevs shows which netdev belongs to which port",
					    devices)
			       : mem_string("that is a netdev: rdmactl netdevs shows those of "
					    "RDMA devices");
	}
	devices = list_rdma_devices(root, function);
	return devices ? mem_format("that is the PCI address of %s", devices) : NULL;
}

char *object_suggest(const struct root *root, const char *word, const char *const *names,
		     size_t count, const char *otherwise)
{
	enum { NAMES_MOST = 16 }; /* more are no hint, but a listing */
	_cleanup_(freep) char *list = NULL;
	char *hint = root ? explain_word(word, root) : NULL;

	if (hint)
		return hint;
	for (size_t i = 0; i < count && count <= NAMES_MOST; i++)
		mem_extend(&list, "%s%s",
			   i	       ? ", "
			   : count > 1 ? "there are "
				       : "there is only ",
			   names[i]);
	return text_suggest(word, names, count, list ? list : otherwise);
}

static char *suggest_device(const struct device_list *list, const char *word,
			    const struct root *root)
{
	_cleanup_(freep) const char **names = mem_alloc_zero(list->count, sizeof(*names));

	for (size_t i = 0; i < list->count; i++)
		names[i] = list->items[i].name;
	return object_suggest(root, word, names, list->count,
			      "rdmactl devices lists what is there");
}

static void note_device(const struct device_list *list, const struct objects *objects, size_t index,
			const struct root *root, struct problems *problems)
{
	const char *word = objects->items[index].device;
	_cleanup_(freep) char *clean = text_clean(word, strlen(word));
	_cleanup_(freep) char *hint = suggest_port(objects, index, list);

	if (!hint)
		hint = suggest_device(list, word, root);
	problem_add_text(problems, clean, NULL, NULL, OBJECT_NO_DEVICE, hint);
}

static void note_port(const struct device *device, const struct object *object,
		      struct problems *problems)
{
	_cleanup_(freep) char *name = mem_format("%s/%d", device->name, object->port);
	_cleanup_(freep) char *hint = NULL;

	if (device->port_count == 1)
		hint = mem_format("%s has one port: %u", device->name,
				  (unsigned int)device->ports[0].port.value);
	else if (device->port_count)
		hint = mem_format("%s has ports %u to %u", device->name,
				  (unsigned int)device->ports[0].port.value,
				  (unsigned int)device->ports[device->port_count - 1].port.value);
	problem_add_text(problems, name, NULL, NULL, "no such port", hint);
}

/* Whether the objects name that port of the device; -1: the whole device. */
static bool names_port(const struct objects *objects, const struct device *device, int port)
{
	for (size_t i = 0; i < objects->count; i++)
		if (object_names(&objects->items[i], device) &&
		    (objects->items[i].port < 0 || objects->items[i].port == port))
			return true;
	return false;
}

static bool names_device(const struct device *device, const void *context)
{
	const struct objects *objects = context;

	if (strings_contain(&objects->excluded, device->name) ||
	    strings_contain(&objects->excluded, device->kernel_name))
		return false;
	for (size_t i = 0; i < objects->count; i++)
		if (object_names(&objects->items[i], device))
			return true;
	return !objects->count;
}

static void filter_ports(const struct objects *objects, struct device *device)
{
	size_t kept = 0;

	for (size_t i = 0; i < device->port_count; i++) {
		if (names_port(objects, device, (int)device->ports[i].port.value))
			device->ports[kept++] = device->ports[i];
		else
			port_clear(&device->ports[i]);
	}
	device->port_count = kept;
}

/* Whether the object was named before, so that its problem is reported only once. */
static bool is_repeated(const struct objects *objects, size_t index, bool ports)
{
	const struct object *object = &objects->items[index];

	for (size_t i = 0; i < index; i++)
		if (!strcmp(objects->items[i].device, object->device) &&
		    (!ports || objects->items[i].port == object->port))
			return true;
	return false;
}

void objects_filter_devices(const struct objects *objects, struct device_list *list,
			    const struct root *root, struct problems *problems)
{
	for (size_t i = 0; i < objects->count; i++)
		if (!find_device(list, &objects->items[i]) && !is_repeated(objects, i, false))
			note_device(list, objects, i, root, problems);
	if (objects->count || objects->excluded.count)
		device_list_filter(list, names_device, objects);
}

static bool is_missing(const struct object *object, const struct device *device)
{
	return device && !device->ports_unknown && object->port >= 0 &&
	       !device_port(device, (unsigned int)object->port);
}

bool objects_filter_ports(const struct objects *objects, struct device_list *list,
			  struct problems *problems)
{
	bool left = !objects->count && list->count;

	for (size_t i = 0; i < objects->count; i++) {
		const struct object *object = &objects->items[i];
		const struct device *device = find_device(list, object);

		if (is_missing(object, device) && !is_repeated(objects, i, true))
			note_port(device, object, problems);
	}
	for (size_t i = 0; objects->count && i < list->count; i++) {
		struct device *device = &list->items[i];

		filter_ports(objects, device);
		left = left || device->port_count || device->ports_unknown ||
		       names_port(objects, device, -1);
	}
	return left;
}
