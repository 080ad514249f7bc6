/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/compat/channel_adapter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "host/nldev_devices.h"
#include "kernel/sysfs.h"

/* PortInfo:CapabilityMask.IsCommunicationManagementSupported */
enum { HAS_CM = 1 << 16 };

/*
 * Each file takes a path through the kernel, and some port files query the driver, so facts that
 * RDMA netlink provides are not read from files.
 */
struct channel_adapters {
	struct root root;
	struct device_list reported; /* from netlink; empty for a saved tree or a simulator */
};

/*
 * The reading position, and the errno of the last failure, which appears at the end of ibstat's
 * messages.
 */
struct reader {
	const struct root *root;
	const char *directory;	       /* of the files, relative to that: ports/1, or . */
	const struct device *reported; /* or NULL */
	int error;
};

static void ask_netlink(const char *directory, struct device_list *list)
{
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;

	if (nldev_open_at(directory, &nldev))
		return;
	/* A port that fails stays unknown; reading its files later finds the reason. */
	if (nldev_get_devices(nldev, list))
		device_list_clear(list);
	else
		nldev_get_ports(nldev, list, NULL, NULL);
}

int channel_adapters_open(const char *root, struct channel_adapters **ret_adapters)
{
	struct channel_adapters adapters = {.reported = {0}};
	_cleanup_(strings_free) struct strings names = {0};
	int rc = root_open(root, &adapters.root);

	if (rc)
		return rc;
	/* Do not let the netlink socket make the kernel load its RDMA core. */
	if (!sysfs_list_all(&adapters.root, &names, SYSFS_RDMA_CLASS) && names.count)
		ask_netlink(root, &adapters.reported);
	*ret_adapters = mem_alloc_zero(1, sizeof(**ret_adapters));
	**ret_adapters = adapters;
	return 0;
}

void channel_adapters_close(struct channel_adapters *adapters)
{
	if (!adapters)
		return;
	root_close(&adapters->root);
	device_list_clear(&adapters->reported);
	free(adapters);
}

/* Reads the first bytes of a file, up to the last line feed in them, as libibumad does. */
static int read_text(struct reader *reader, const char *name, char *text, size_t size)
{
	_cleanup_(freep) char *path = mem_path(reader->directory, name);
	char content[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read_path(reader->root, content, path);

	if (length < 0) {
		reader->error = (int)-length;
		return (int)length;
	}
	if ((size_t)length >= size)
		length = (ssize_t)size - 1;
	memcpy(text, content, (size_t)length);
	text[length] = '\0';
	return 0;
}

static int read_number(struct reader *reader, const char *name, unsigned int *ret_number)
{
	char text[32];
	int rc = read_text(reader, name, text, sizeof(text));

	if (!rc)
		*ret_number = (unsigned int)strtoul(text, NULL, 0);
	return rc;
}

/* Takes the number that netlink reported, or reads it from the file. */
static int take_number(struct reader *reader, const struct number *reported, const char *name,
		       unsigned int *ret_number)
{
	if (!reported || !reported->known)
		return read_number(reader, name, ret_number);
	*ret_number = (unsigned int)reported->value;
	return 0;
}

/* Reads `groups` of four hexadecimal digits; the last four groups are the number. */
static int read_groups(struct reader *reader, const char *name, unsigned int groups,
		       uint64_t *ret_number)
{
	char text[64], *rest = text;
	int rc = read_text(reader, name, text, groups > 4 ? 64 : 32);
	uint64_t number = 0;

	if (rc)
		return rc;
	for (unsigned int i = 0; i < groups; i++) {
		const char *group = strsep(&rest, ": \t\n");

		if (!group)
			return -EINVAL;
		number = number << 16 | (strtoul(group, NULL, 16) & 0xffff);
	}
	*ret_number = number;
	return 0;
}

/* Parses "40 Gb/sec (4X FDR10)", drivers/infiniband/core/sysfs.c. */
static int read_rate(struct reader *reader, struct channel_port *port)
{
	char text[32];
	const char *bracket;
	int rc = read_text(reader, "rate", text, sizeof(text));

	if (rc)
		return rc;
	port->rate_gbps = (unsigned int)strtoul(text, NULL, 0);
	bracket = strchr(text, ')');
	port->fdr10 = bracket && bracket - text >= 5 && !strncasecmp(bracket - 5, "fdr10", 5);
	return 0;
}

/* The words are those of link_layer_show(), drivers/infiniband/core/sysfs.c. */
static void read_link_layer(struct reader *reader, struct channel_port *port)
{
	const struct device *reported = reader->reported;
	const char *protocol = reported && reported->port_count == 1 ? reported->protocol : NULL;
	const char *word = NULL;

	/* netlink reports only the protocol of the first port. */
	if (protocol && (!strcmp(protocol, "ib") || !strcmp(protocol, "opa")))
		word = "InfiniBand";
	else if (protocol && !strcmp(protocol, "roce"))
		word = "Ethernet";
	if (word)
		snprintf(port->link_layer, sizeof(port->link_layer), "%s", word);
	else if (read_text(reader, "link_layer", port->link_layer, sizeof(port->link_layer)))
		memcpy(port->link_layer, "IB", sizeof("IB")); /* before Linux 2.6.37 */
}

/* Reads in the order of libibumad, which reports the first failure. */
static int read_port(struct reader *reader, struct channel_adapter *adapter,
		     struct channel_port *port, const struct port *reported)
{
	_cleanup_(freep) char *pkeys = mem_path(reader->directory, "pkeys");
	unsigned int sm_sl = 0;
	int rc;

	if (take_number(reader, &reported->lmc, "lid_mask_count", &port->lmc) ||
	    take_number(reader, &reported->sm_lid, "sm_lid", &port->sm_lid) ||
	    /* sm_sl is not shown; reading it finds out whether the port answers. */
	    take_number(reader, &reported->state, "sm_sl", &sm_sl) ||
	    take_number(reader, &reported->lid, "lid", &port->lid) ||
	    take_number(reader, &reported->state, "state", &port->state) ||
	    take_number(reader, &reported->physical_state, "phys_state", &port->physical_state) ||
	    read_rate(reader, port) ||
	    take_number(reader, &reported->cap_mask, "cap_mask", &port->cap_mask))
		return -EIO;
	read_link_layer(reader, port);
	if (read_groups(reader, "gids/0", 8, &port->guid))
		return -EIO;
	rc = sysfs_open_directory(reader->root, pkeys);
	if (rc) {
		reader->error = -rc;
		adapter->no_pkeys = true;
		return -EIO;
	}
	return 0;
}

static int read_numbered(struct reader *reader, struct channel_adapter *adapter, long number)
{
	_cleanup_(freep) char *directory = mem_format("ports/%ld", number);
	static const struct port unknown;
	const struct port *reported = reader->reported
					      ? device_port(reader->reported, (unsigned int)number)
					      : NULL;
	int rc;

	reader->directory = directory;
	adapter->failed_port = (unsigned int)number;
	rc = read_port(reader, adapter, &adapter->ports[number], reported ? reported : &unknown);
	reader->directory = ".";
	if (rc)
		return rc;
	adapter->ports[number].present = true;
	if (adapter->last_port < (unsigned int)number)
		adapter->last_port = (unsigned int)number;
	return 0;
}

static int list_ports(const struct reader *reader, struct strings *ret_names)
{
	if (!reader->reported || !reader->reported->port_count)
		return sysfs_list_by_bytes(reader->root, ret_names, "ports");
	for (size_t i = 0; i < reader->reported->port_count; i++) {
		_cleanup_(freep) char *number = mem_format(
			"%u", (unsigned int)reader->reported->ports[i].port.value);

		strings_add(ret_names, number);
	}
	return 0;
}

static int read_ports(struct reader *reader, struct channel_adapter *adapter)
{
	_cleanup_(strings_free) struct strings names = {0};
	int rc = list_ports(reader, &names);

	if (rc)
		reader->error = -rc;
	for (size_t i = 0; !rc && i < names.count; i++) {
		const long number = strtol(names.items[i], NULL, 10);

		if (strcmp(names.items[i], "0") && (number <= 0 || number >= CHANNEL_ADAPTER_PORTS))
			rc = -EIO;
		else
			rc = read_numbered(reader, adapter, number);
	}
	return rc;
}

/* A word stays empty if the device lacks the file. */
static void read_words(struct reader *reader, struct channel_adapter *adapter)
{
	if (reader->reported) /* netlink omits an empty version */
		snprintf(adapter->firmware, sizeof(adapter->firmware), "%s",
			 reader->reported->firmware ? reader->reported->firmware : "");
	else
		read_text(reader, "fw_ver", adapter->firmware, sizeof(adapter->firmware));
	read_text(reader, "hw_rev", adapter->hardware, sizeof(adapter->hardware));
	read_text(reader, "hca_type", adapter->type, sizeof(adapter->type));
}

static int read_adapter(struct reader *reader, struct channel_adapter *adapter)
{
	const struct device *reported = reader->reported;
	int rc = take_number(reader, reported ? &reported->node_type : NULL, "node_type",
			     &adapter->node_type);

	if (rc)
		return rc;
	read_words(reader, adapter);
	if (reported && reported->node_guid.known && reported->system_image_guid.known) {
		adapter->node_guid = reported->node_guid.value;
		adapter->system_image_guid = reported->system_image_guid.value;
		return 0;
	}
	rc = read_groups(reader, "node_guid", 4, &adapter->node_guid);
	return rc ? rc : read_groups(reader, "sys_image_guid", 4, &adapter->system_image_guid);
}

int channel_adapter_read(const struct channel_adapters *adapters, const char *name,
			 struct channel_adapter *adapter)
{
	_cleanup_(root_close) struct root directory = {.fd = -1};
	struct reader reader = {.root = &directory,
				.directory = ".",
				.reported = device_list_find_kernel_name(&adapters->reported,
									 name)};
	int rc;

	memset(adapter, 0, sizeof(*adapter));
	snprintf(adapter->name, sizeof(adapter->name), "%s", name);
	rc = root_open_below(&adapters->root, &directory, SYSFS_RDMA_CLASS "/%s", adapter->name);
	if (rc) {
		adapter->error = -rc;
		return rc;
	}
	rc = read_adapter(&reader, adapter);
	if (!rc)
		rc = read_ports(&reader, adapter);
	adapter->error = reader.error;
	return rc;
}

bool channel_adapter_is_endpoint(const struct channel_adapters *adapters, const char *name,
				 int port)
{
	_cleanup_(freep) char *directory = mem_format(SYSFS_RDMA_CLASS "/%s/ports/%d", name, port);
	struct reader reader = {.root = &adapters->root, .directory = directory};
	char text[SYSFS_TEXT_SIZE];
	const ssize_t length = sysfs_read(reader.root, text, "%s/gids/0", directory);
	unsigned int cap_mask;

	/* ibstat only opens this file. */
	if (length != -ENOENT && length != -ENOTDIR && length != -EACCES)
		return true;
	return !read_number(&reader, "cap_mask", &cap_mask) && cap_mask & HAS_CM;
}

/* True for the node types of libibumad. */
static bool is_adapter(const struct channel_adapters *adapters, const char *name)
{
	const struct device *reported = device_list_find_kernel_name(&adapters->reported, name);
	_cleanup_(freep) char *directory = mem_path(SYSFS_RDMA_CLASS, name);
	struct reader reader = {.root = &adapters->root, .directory = directory};
	unsigned int type;

	return !take_number(&reader, reported ? &reported->node_type : NULL, "node_type", &type) &&
	       type >= NODE_TYPE_CA && type <= NODE_TYPE_ROUTER;
}

int channel_adapter_names(const struct channel_adapters *adapters, struct strings *ret_names)
{
	_cleanup_(strings_free) struct strings all = {0};
	int rc = sysfs_list_by_bytes(&adapters->root, &all, SYSFS_RDMA_CLASS);

	if (rc)
		return rc;
	*ret_names = (struct strings){.known = true};
	for (size_t i = 0; i < all.count; i++)
		if (is_adapter(adapters, all.items[i]))
			strings_add(ret_names, all.items[i]);
	return 0;
}
