/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The local port of a session. */
#include "mad/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "host/device.h"
#include "kernel/sysfs.h"
#include "mad/format/mad.h"

/* IBA 1, 4.1.1: the prefix of a subnet that has not been assigned one */
#define DEFAULT_PREFIX 0xfe80000000000000ull

/* infiniband/umad.h: UMAD_MAX_PORTS, in rdma-core before 64 and since then */
#define UMAD_NODES	 64u
#define UMAD_NODES_SINCE 192u

static bool is_infiniband(const struct device *device, const struct port *port)
{
	if (port->link_layer.known)
		return port->link_layer.value == LINK_LAYER_INFINIBAND;
	/* Before Linux 2.6.37, and in the simulator, there is no other link layer. */
	return device->node_type.known && device->node_type.value <= NODE_TYPE_ROUTER;
}

static bool lacks_smi(const struct port *port)
{
	return port->cap_mask.known && port->cap_mask.value & PORT_CAP_SM_DISABLED;
}

/* Ranks a port, higher is better; 0: the port cannot be used. */
static unsigned int rank(const struct device *device, const struct port *port, bool ethernet)
{
	bool active = port->state.known && port->state.value == PORT_STATE_ACTIVE;
	bool up = port->physical_state.known && port->physical_state.value == PHYSICAL_LINK_UP;

	/* A plane is reached through its parent device. */
	if (device->parent && !port->netdev)
		return 1;
	if (is_infiniband(device, port))
		return active ? 6 : up ? 5 : 4;
	if (ethernet && port->link_layer.value == LINK_LAYER_ETHERNET &&
	    device->node_type.value == NODE_TYPE_CA)
		return active ? 3 : 2;
	return 0;
}

/* Finds the other port with that GUID, which has the subnet management that this one lacks. */
static const struct device *find_pair(const struct inventory *inventory, const struct port *port,
				      const struct port **ret_port)
{
	for_each_port (device, other, &inventory->devices) {
		if (other == port || !other->port_guid.known || !port->port_guid.known ||
		    other->port_guid.value != port->port_guid.value || lacks_smi(other))
			continue;
		*ret_port = other;
		return device;
	}
	return NULL;
}

static void fill(const struct inventory *inventory, const struct device *device,
		 const struct port *port, struct mad_port *ret)
{
	const struct device *pair;
	const struct port *pair_port = NULL;
	uint64_t prefix = port->subnet_prefix.value ? port->subnet_prefix.value : DEFAULT_PREFIX;

	*ret = (struct mad_port){
		.device = mem_string(device->kernel_name),
		.port = (unsigned int)port->port.value,
		.state = port->state,
		.lid = port->lid,
		.route = {.lid = mad_unicast_lid(port->lid.value),
			  .sm_lid = (uint16_t)port->sm_lid.value,
			  .sm_sl = (uint8_t)port->sm_sl.value,
			  .subnet_manager = port->sm_lid.known && port->sm_lid.value},
	};
	bits_set(ret->route.gid.raw, 0, 64, prefix);
	bits_set(ret->route.gid.raw, 64, 64, port->port_guid.value);
	if (!is_infiniband(device, port))
		return;
	pair = lacks_smi(port) ? find_pair(inventory, port, &pair_port) : NULL;
	ret->smi_device = mem_string(pair ? pair->kernel_name : device->kernel_name);
	ret->smi_port = (unsigned int)(pair ? pair_port->port.value : port->port.value);
}

static void explain_none(const struct inventory *inventory, char **ret_reason, char **ret_hint)
{
	const char *what = "Ethernet, which has no LIDs, no subnet management and no subnet "
			   "administration";
	const char *peer = "rdmactl ping and selftest reach a peer";
	size_t ports = 0, ethernet = 0, iwarp = 0;
	_cleanup_(freep) char *first = NULL;

	for_each_port (device, port, &inventory->devices) {
		if (!ports++)
			first = port_object(port);
		ethernet += port->link_layer.value == LINK_LAYER_ETHERNET;
		iwarp += device->node_type.value == NODE_TYPE_RNIC;
	}
	if (ports && iwarp == ports) {
		what = "Ethernet with iWARP, which carries no management datagrams";
		peer = "rdmactl selftest reaches a peer";
	}
	if (!ports || ethernet < ports)
		*ret_reason = mem_string(
			"no InfiniBand port: subnet management and administration need InfiniBand");
	else if (ports == 1)
		*ret_reason = mem_format("port %s is %s", first, what);
	else
		*ret_reason = mem_format("the %zu ports here are %s", ports, what);
	*ret_hint = mem_format("on Ethernet: rdmactl ports, gids and counters show the port, %s",
			       peer);
}

int mad_port_choose(const struct inventory *inventory, bool ethernet, struct mad_port *ret_port,
		    char **ret_reason, char **ret_hint)
{
	const struct device *best = NULL;
	const struct port *best_port = NULL;
	unsigned int best_rank = 0;

	for_each_port (device, port, &inventory->devices) {
		const unsigned int found = rank(device, port, ethernet);

		if (found <= best_rank)
			continue;
		best = device;
		best_port = port;
		best_rank = found;
	}
	if (!best) {
		explain_none(inventory, ret_reason, ret_hint);
		return -EOPNOTSUPP;
	}
	fill(inventory, best, best_port, ret_port);
	return 0;
}

void mad_port_clear(struct mad_port *port)
{
	free(port->device);
	free(port->smi_device);
	*port = (struct mad_port){.device = NULL};
}

char *mad_port_find_node(const struct mad_port *port, const struct root *root)
{
	_cleanup_(strings_free) struct strings nodes = {0};
	char *found = NULL;

	if (sysfs_list(root, &nodes, "sys/class/infiniband_mad"))
		nodes.count = 0;
	for (size_t i = 0; i < nodes.count && !found; i++) {
		char device[SYSFS_TEXT_SIZE];
		struct number number = {0};

		if (strncmp(nodes.items[i], "umad", 4) ||
		    sysfs_read(root, device, "sys/class/infiniband_mad/%s/ibdev", nodes.items[i]) <
			    0 ||
		    sysfs_read_number(root, &number, "sys/class/infiniband_mad/%s/port",
				      nodes.items[i]))
			continue;
		if (!strcmp(device, port->device) && number.value == port->port)
			found = mem_format("/dev/infiniband/%s", nodes.items[i]);
	}
	return found;
}

/* Whether the node exists but is beyond the UMAD_MAX_PORTS nodes that libibumad looks for. */
static bool is_beyond_libibumad(const char *node)
{
	return strtoul(node + strcspn(node, "0123456789"), NULL, 10) >= UMAD_NODES;
}

void mad_port_explain_node(const struct mad_port *port, const char *node, int error,
			   char **ret_reason, char **ret_hint)
{
	struct stat status;

	*ret_hint = NULL;
	if (error == -ELIBACC || error == -ELIBBAD) {
		*ret_reason = mem_string("libibumad, which carries management datagrams, cannot be "
					 "loaded");
		*ret_hint = library_hint(
			LIBUMAD, error,
			"install it: libibumad3 (Debian), libibumad (Fedora, SUSE)");
	} else if (!node) {
		*ret_reason = mem_format("%s/%u has no umad device file", port->device, port->port);
		*ret_hint = mem_string("load the module: modprobe ib_umad");
	} else if (stat(node, &status)) {
		error = errno;
		*ret_reason = mem_format("cannot find %s of %s/%u: %s", node, port->device,
					 port->port, strerror(error));
		if (error == ENOENT)
			*ret_hint = mem_string("in a container, pass the file in (--device); "
					       "otherwise check that udev is running");
	} else if (error == -ENODEV && is_beyond_libibumad(node)) {
		*ret_reason = mem_format(
			"cannot open %s of %s/%u: libibumad opens only the first %u umad device "
			"files, since rdma-core 64 the first %u",
			node, port->device, port->port, UMAD_NODES, UMAD_NODES_SINCE);
		*ret_hint = mem_string("use a port with a lower number: grep . "
				       "/sys/class/infiniband_mad/umad*/ibdev");
	} else if (error == -ENODEV || error == -ENXIO) {
		*ret_reason = mem_format("cannot open %s of %s/%u: %s", node, port->device,
					 port->port, strerror(-error));
		*ret_hint = mem_string("the device may be going away: rdmactl devices");
	} else if (error == -EACCES || error == -EPERM) {
		*ret_reason = mem_format(
			"cannot open %s of %s/%u (mode %04o, owner %u, group %u): %s", node,
			port->device, port->port, status.st_mode & 07777, status.st_uid,
			status.st_gid, strerror(-error));
		*ret_hint = mem_string("run as root, or let a udev rule give the file to a group: "
				       "whoever can open it can also change the subnet");
	} else {
		*ret_reason = mem_format("cannot open %s of %s/%u: %s", node, port->device,
					 port->port, strerror(-error));
	}
}

void mad_port_explain(const struct mad_port *port, int error, char **ret_reason, char **ret_hint)
{
	_cleanup_(freep) char *node = NULL;
	struct root root;

	if (!root_open(NULL, &root)) {
		node = mad_port_find_node(port, &root);
		root_close(&root);
	}
	mad_port_explain_node(port, node, error, ret_reason, ret_hint);
}
