/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a port can carry traffic, and if not, whether anything needs it to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "doctor/port/port_facts.h"
#include "host/endpoint/endpoint_search.h"
#include "host/pci/rdma_drivers.h"
#include "kernel/sysfs.h"
#include "roce/netdevs.h"

static const struct link *own_link(const struct doctor_context *run)
{
	return roce_port_link(&run->facts->inventory, run->port);
}

/*
 * Whether an address above the port does not show that the port is needed: that of a VRF is no
 * port's, and a bridge may work through another member.
 */
static bool works_without(const struct link_list *links, const struct link *above,
			  const struct link *own)
{
	for (int depth = 0; depth < LINK_MOST_LEVELS && above->vlan_id.known; depth++) {
		const struct link *lower = link_by_index(links, &above->lower_index);

		if (!lower || above->lower_elsewhere)
			return false;
		above = lower;
	}
	for_each (member, links)
		if (member != own && member->carrier == TRISTATE_YES &&
		    link_by_index(links, &member->master_index) == above)
			return true;
	return link_is_vrf(above);
}

/* Finds an address that was configured on the port's netdev or on a netdev above it. */
static const struct link_address *find_address(const struct doctor_context *run,
					       const struct link **ret_link)
{
	const struct inventory *inventory = &run->facts->inventory;

	for_each (address, &inventory->addresses) {
		const struct link *link = link_by_index(&inventory->links, &address->link_index);

		/*
		 * The kernel adds link-local addresses itself to any netdev that is up: RFC 4291
		 * 2.5.6.
		 */
		if (link && !ip_is_link_local(&address->ip) &&
		    endpoint_is_of_port(inventory, run->port, link) &&
		    !works_without(&inventory->links, link, own_link(run))) {
			*ret_link = link;
			return address;
		}
	}
	return NULL;
}

/* Whether something on this host is set up to use the port; adds it to the evidence. */
static bool is_in_use(struct doctor_context *run)
{
	const struct link *link = NULL, *bond = roce_port_bond(&run->facts->inventory, run->port);
	const struct link_address *address = find_address(run, &link);
	char text[IP_TEXT_SIZE];

	if (address) {
		ip_format(&address->ip, text);
		doctor_evidence(run, "rtnetlink", "%s has the address %s", link->name, text);
	}
	if (bond == own_link(run))
		bond = NULL;
	if (bond)
		doctor_evidence(run, "rtnetlink", "%s is a member of %s", run->port->netdev,
				bond->name);
	return address || bond;
}

/*
 * Whether the netdev has ever had a carrier. If it has none now and its carrier changed at least
 * twice, it had one in between, whatever its initial state.
 */
static bool was_up(const struct link *link)
{
	return link && link->carrier_changes.known && link->carrier_changes.value >= 2;
}

enum netdev_condition { NETDEV_UP, NETDEV_WITHOUT_CARRIER, NETDEV_SWITCHED_OFF };

/*
 * Readers of saved trees do not have the netdev's flags, so the carrier file is read instead; it
 * returns EINVAL while the netdev is administratively down: carrier_show() of net/core/net-sysfs.c.
 */
static enum netdev_condition condition_of(const struct doctor_context *run, const struct link *link)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length;

	if (link->enabled == TRISTATE_NO)
		return NETDEV_SWITCHED_OFF;
	if (link->carrier != TRISTATE_UNKNOWN)
		return link->carrier == TRISTATE_NO ? NETDEV_WITHOUT_CARRIER : NETDEV_UP;
	length = sysfs_read(&run->facts->root, text, "sys/class/net/%s/carrier", link->name);
	if (length == -EINVAL)
		return NETDEV_SWITCHED_OFF;
	return length > 0 && !strcmp(text, "0") ? NETDEV_WITHOUT_CARRIER : NETDEV_UP;
}

/*
 * Adds what the netdev shows about the cause; returns whether an administrator switched the port
 * off through it. The port of an IPoIB netdev does not depend on that.
 */
static bool look_at_netdev(struct doctor_context *run)
{
	const struct link *link = own_link(run);
	enum netdev_condition condition = NETDEV_UP;

	if (!link)
		return false;
	if (!port_is_infiniband(run->port))
		condition = condition_of(run, link);
	if (condition == NETDEV_SWITCHED_OFF)
		doctor_evidence(run, "rtnetlink", "netdev %s is administratively down", link->name);
	else if (condition == NETDEV_WITHOUT_CARRIER)
		doctor_evidence(run, "rtnetlink", "netdev %s has no carrier", link->name);
	if (was_up(link))
		doctor_evidence(run, "rtnetlink", "it was up before (%llu carrier changes)",
				(unsigned long long)link->carrier_changes.value);
	return condition == NETDEV_SWITCHED_OFF;
}

/*
 * Whether the adapter may have a setting for InfiniBand or Ethernet: ConnectX-4 to 8, except the
 * models Lx and Dx (mlx5_core_pci_table, mlx5/core/main.c).
 */
static bool may_change_protocol(struct doctor_context *run)
{
	static const uint16_t models[] = {0x1013, 0x1017, 0x1019, 0x101b, 0x1021, 0x1023};

	if (!run->function || doctor_is_plane(run->facts, run->device))
		return false;
	pci_read(&run->facts->root, run->function, PCI_ID, run->facts->problems);
	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (number_is(&run->function->vendor_id, PCI_VENDOR_MELLANOX) &&
		    number_is(&run->function->device_id, models[i]))
			return true;
	return false;
}

/*
 * Advises how to find out more, as far as the physical state indicates a cause. `both`: the port
 * may be set to a protocol that its other end does not speak.
 */
static void advise(struct doctor_context *run, bool switched_off, bool both)
{
	const struct port *port = run->port;
	_cleanup_(freep) char *netdev = port->netdev ? text_quote(port->netdev) : NULL;

	if (switched_off)
		doctor_next_step(run, "switch it on: ip link set %s up", netdev);
	else if (run->function &&
		 rdma_is_virtual(&run->facts->root, run->function, run->facts->problems))
		/* Up, down or following: mlx5_ib_set_vf_link_state(), hw/mlx5/ib_virt.c. */
		doctor_next_step(run, "on the host of the physical function, see whether its own "
				      "port is up, then let this one follow it: ip link set PF vf "
				      "N state auto; in switchdev mode, set its representor up");
	else if (number_is(&port->physical_state, PHYSICAL_POLLING))
		doctor_next_step(
			run,
			"nothing answers on the link: check the cable, and that the port "
			"at its other end is switched on%s",
			both && port_is_infiniband(port)
				? "; if that is an Ethernet port, the adapter has to be set "
				  "to Ethernet (LINK_TYPE of mlxconfig)"
				: "");
	else if (number_is(&port->physical_state, PHYSICAL_DISABLED) && port_is_infiniband(port))
		doctor_next_step(run, "the port is disabled: enable it from the subnet (as "
				      "ibportstate does), or in the adapter's settings");
	else if (number_is(&port->physical_state, PHYSICAL_TRAINING) ||
		 number_is(&port->physical_state, PHYSICAL_LINK_ERROR_RECOVERY))
		doctor_next_step(run, "the link fails to train: try another cable, and another "
				      "port at the other end");
	else if (netdev && !port_is_infiniband(port))
		doctor_next_step(run,
				 "check the cable and the switch port: ethtool %s shows more%s",
				 netdev,
				 both ? "; if the switch has InfiniBand, the adapter has to be set "
					"to that (LINK_TYPE of mlxconfig)"
				      : "");
	else
		doctor_next_step(run, "check the cable and the port at its other end");
}

/* Counts the active planes of the port's device, which has a port for each plane. */
static size_t active_planes(const struct doctor_context *run)
{
	size_t active = 0;

	for_each_in (port, run->device->ports, run->device->port_count)
		active += number_is(&port->state, PORT_STATE_ACTIVE);
	return doctor_is_plane(run->facts, run->device) ? active : 0;
}

/* A port that is down is a fault only if something on this host needs it. */
static struct judged judge_down(struct doctor_context *run)
{
	const bool switched_off = look_at_netdev(run);
	const bool in_use = is_in_use(run);
	const size_t planes = active_planes(run);
	struct port_peers peers;

	doctor_peers(run->facts, run->device, run->port, &peers);
	if (peers.count) {
		_cleanup_(freep) char *board = doctor_board_name(run->device);

		doctor_evidence(run, NULL,
				"%zu of %zu other ports of %s in this position %s active",
				peers.active, peers.count, board, peers.active == 1 ? "is" : "are");
	}
	if (planes)
		doctor_evidence(run, NULL, "%zu of %zu planes of %s %s active", planes,
				run->device->port_count, run->device->name,
				planes == 1 ? "is" : "are");
	advise(run, switched_off,
	       !peers.active && !was_up(own_link(run)) && may_change_protocol(run));
	if (in_use)
		return doctor_error(run, "the port is down, and this host is set up to use it");
	if (!switched_off && peers.active && was_up(own_link(run)))
		return doctor_error(run, "the port went down, but others like it are up");
	if (!switched_off && peers.active >= 2 && 4 * peers.active >= 3 * peers.count) {
		doctor_blocks(run);
		return doctor_warning(run, "the port is down, but most others like it are up");
	}
	doctor_blocks(run);
	/* A warning would be false where not every plane is meant to be connected. */
	return doctor_note(run,
			   planes ? "the plane is down, while others of the port are active: "
				    "unless only those are connected, bandwidth is missing"
				  : "the port is down, and nothing shows that it should be up");
}

/* iw_query_port(), drivers/infiniband/core/device.c, and usnic_ib_query_port(). */
static bool is_init_without_ipv4(const struct device *device)
{
	return number_is(&device->transport, TRANSPORT_USNIC) ||
	       number_is(&device->transport, TRANSPORT_IWARP);
}

static struct judged judge_init(struct doctor_context *run)
{
	if (port_is_infiniband(run->port) &&
	    number_is(&run->port->physical_state, PHYSICAL_LINK_UP))
		return doctor_error(
			run, "the link is up, but no subnet manager has configured the port");
	if (is_init_without_ipv4(run->device) && run->port->netdev) {
		_cleanup_(freep) char *netdev = text_quote(run->port->netdev);

		doctor_next_step(run, "give it one: ip address add ADDRESS/LENGTH dev %s", netdev);
		return doctor_error(run, "the netdev of the port has no IPv4 address");
	}
	doctor_next_step(run, "look again: rdmactl ports; if nothing changes, check the "
			      "cable and the port at its other end");
	return doctor_error(run, "the port is initialized, but not active");
}

/* efa_query_port() reports every port as active, link-up: there is nothing to judge. */
static bool is_always_active(const struct device *device)
{
	return device->driver && !strcmp(device->driver, "efa");
}

struct judged check_port_state(struct doctor_context *run)
{
	const struct port *port = run->port;

	if (!port->state.known || !port->physical_state.known)
		return doctor_unknown(run, "the state of the port");
	if (is_always_active(run->device))
		return doctor_not_checked(
			run, 0, "the driver reports every port as active, whatever its link does");
	doctor_evidence(run, NULL, "state %s, physical state %s",
			enum_word(port_state_names, port->state.value, "unknown"),
			enum_word(physical_state_names, port->physical_state.value, "unknown"));
	if (number_is(&port->state, PORT_STATE_ACTIVE))
		return doctor_ok(run, "the port is active");
	if (number_is(&port->state, PORT_STATE_DOWN))
		return judge_down(run);
	if (number_is(&port->state, PORT_STATE_INIT))
		return judge_init(run);
	if (number_is(&port->state, PORT_STATE_ARMED)) {
		doctor_next_step(run, "look again: rdmactl ports; if nothing changes, the subnet "
				      "manager probably hangs: rdmactl smp sminfo");
		return doctor_error(
			run, "the subnet manager has configured the port, but not activated it");
	}
	if (number_is(&port->state, PORT_STATE_ACTIVE_DEFER)) {
		doctor_next_step(run, "check the cable and the transceivers");
		return doctor_error(run, "the active port lost its link, which is training again");
	}
	return doctor_not_checked(run, 0, "the driver does not report the state of the port");
}
