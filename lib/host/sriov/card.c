/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/sriov/card.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

static const char *const classes[] = {SYSFS_RDMA_CLASS, "sys/class/net", "sys/bus/pci/devices",
				      "sys/bus/auxiliary/devices"};

/* Converts ../../devices/... to sys/devices/.... */
static char *below_root(const char *target)
{
	while (!strncmp(target, "../", 3))
		target += 3;
	return strncmp(target, "devices/", 8) ? NULL : mem_format("sys/%s", target);
}

static char *find_in(const struct root *root, const char *class, const char *word)
{
	_cleanup_(freep) char *target = NULL;

	if (!*word || *word == '.' || strchr(word, '/') ||
	    sysfs_link(root, &target, "%s/%s", class, word))
		return NULL;
	return below_root(target);
}

static const char *netdev_of(const struct device_list *devices, const char *name)
{
	const struct device *device = device_list_find(devices, name);

	return device && device->port_count ? device->ports[0].netdev : NULL;
}

int card_find(const struct root *root, const struct device_list *devices, const char *word,
	      char **ret_path)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		const char *netdev = i ? NULL : netdev_of(devices, word);
		char *path = find_in(root, classes[i], word);

		if (path && netdev &&
		    !strncmp(path, "sys/devices/virtual/", strlen("sys/devices/virtual/"))) {
			free(path);
			path = find_in(root, classes[1], netdev);
		}
		if (!path)
			continue;
		*ret_path = path;
		return 0;
	}
	return -ENODEV;
}

int card_find_file(const struct root *root, const char *path, const char *file, char **ret_path)
{
	_cleanup_(freep) char *here = mem_string(path);
	char text[SYSFS_TEXT_SIZE];

	while (strlen(here) > strlen("sys/devices")) {
		const ssize_t length = sysfs_read(root, text, "%s/%s", here, file);

		if (length >= 0) {
			*ret_path = here;
			here = NULL;
			return 0;
		}
		if (length != -ENOENT && length != -ENOTDIR)
			return (int)length;
		*strrchr(here, '/') = '\0';
	}
	return -ENOENT;
}

/* A netdev on top of another one has that one's number as its iflink. */
static bool is_lowest(const struct root *root, const char *name)
{
	struct number index = {.known = false}, lower = {.known = false};

	if (sysfs_read_number(root, &index, "sys/class/net/%s/ifindex", name) ||
	    sysfs_read_number(root, &lower, "sys/class/net/%s/iflink", name))
		return true;
	return index.value == lower.value;
}

void card_list_netdevs(const struct root *root, const char *path, struct strings *ret_names)
{
	_cleanup_(strings_free) struct strings names = {.known = false};

	*ret_names = (struct strings){.known = true};
	if (sysfs_list(root, &names, "%s/net", path))
		return;
	for (size_t i = 0; i < names.count; i++)
		if (is_lowest(root, names.items[i]))
			strings_add(ret_names, names.items[i]);
}

static bool is_on_function(const struct root *root, const char *path, const struct device *device)
{
	_cleanup_(freep) char *own = mem_format("%s/infiniband/%s", path, device->kernel_name);

	return sysfs_has_directory(root, own);
}

/* A software device may be on a representor's netdev, so a device of the function is preferred. */
char *card_own_netdev(const struct root *root, const char *path, const struct device_list *devices)
{
	_cleanup_(strings_free) struct strings names = {0};
	const char *own = NULL;
	bool its = false;

	card_list_netdevs(root, path, &names);
	for (size_t i = 0; i < devices->count && !its; i++) {
		const struct device *device = &devices->items[i];
		const char *netdev = device->port_count ? device->ports[0].netdev : NULL;

		if (!netdev || !strings_contain(&names, netdev))
			continue;
		its = is_on_function(root, path, device);
		if (!own || its)
			own = netdev;
	}
	return mem_string_or_null(own ? own : names.count ? names.items[0] : NULL);
}

void card_list_devices(const struct root *root, const char *path, const struct device_list *devices,
		       struct strings *ret_names)
{
	_cleanup_(strings_free) struct strings netdevs = {0};

	card_list_netdevs(root, path, &netdevs);
	*ret_names = (struct strings){.known = true};
	for (size_t i = 0; i < devices->count; i++) {
		const struct device *device = &devices->items[i];
		_cleanup_(freep) char *own = find_in(root, SYSFS_RDMA_CLASS, device->kernel_name);
		bool found = own && !strncmp(own, path, strlen(path)) && own[strlen(path)] == '/';

		for (size_t j = 0; j < device->port_count; j++)
			found |= device->ports[j].netdev &&
				 strings_contain(&netdevs, device->ports[j].netdev);
		if (found)
			strings_add(ret_names, device->name);
	}
}
