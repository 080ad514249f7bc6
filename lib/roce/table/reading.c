/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the records of RoCE ports. Changes nothing: creates no directory, loads no module. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"
#include "host/rtnl.h"
#include "kernel/netlink/genl.h"
#include "roce/cma.h"
#include "roce/netdevs.h"
#include "roce/table/roce.h"
#include "roce/tos.h"
#include "schema/problem.h"

struct roce_reader {
	struct roce_list *list;
	const struct inventory *inventory;
	const struct number *asked;
	struct problems *problems;
	struct root root;
	struct netlink *rtnl, *generic;
	int rtnl_rc, generic_rc;
	uint16_t ethtool;
	bool unanswered; /* a saved tree or an older snapshot, without the answers */
};

static void open_sockets(struct roce_reader *reader)
{
	const char *const name = ETHTOOL_FAMILY;

	reader->rtnl_rc = reader->generic_rc = -ENODATA;
	if (!root_answers(&reader->root))
		return;
	reader->rtnl_rc = rtnl_open(&reader->root, &reader->rtnl);
	reader->generic_rc = genl_open(&reader->root, &reader->generic);
	if (!reader->generic_rc)
		reader->generic_rc = genl_find(reader->generic, &name, &reader->ethtool, 1);
	if (!reader->generic_rc && !reader->ethtool)
		reader->generic_rc = -EOPNOTSUPP;
}

/* Whether it is an error, not merely a feature that the kernel or driver lacks. */
static bool is_error(int rc)
{
	return rc && rc != -EOPNOTSUPP && rc != -ENODATA && rc != -ENOENT;
}

static void note(struct roce_reader *reader, const char *object, const char *what,
		 const char *source, int rc)
{
	if (is_error(rc))
		problem_add(reader->problems, object, what, source, rc, NULL);
}

static void read_cma(struct roce_reader *reader, const struct port *port, struct roce_port *record,
		     struct roce_facts *facts)
{
	const unsigned int number = (unsigned int)port->port.value;
	_cleanup_(freep) char *object = port_object(port);
	char text[SYSFS_TEXT_SIZE];
	const char *global;
	unsigned int tos;
	int rc;
	ssize_t length = cma_read(&reader->root, port->kernel_name, number, CMA_MODE, text);

	if (length >= 0)
		record->default_mode = roce_mode_of(text);
	if (length >= 0 && !record->default_mode.known)
		sysfs_note_text(reader->problems, object, CMA_MODE, text);
	note(reader, object, CMA_MODE, "configfs", length < 0 ? (int)length : 0);
	length = cma_read(&reader->root, port->kernel_name, number, CMA_TOS, text);
	if (length >= 0 && !tos_parse(text, &tos))
		record->default_tos = number_of(tos);
	else if (length >= 0)
		sysfs_note_text(reader->problems, object, CMA_TOS, text);
	note(reader, object, CMA_TOS, "configfs", length < 0 ? (int)length : 0);
	global = roce_global_class(&reader->root, port, text, &rc);
	note(reader, object, "global_tos", "sysfs", rc);
	facts->global_rc = is_error(rc) && !reader->asked->known ? rc : 0;
	if (global && !tos_parse(global, &tos))
		record->global_tos = number_of(tos);
}

static void choose_tos(const struct number *asked, struct roce_port *record,
		       struct roce_facts *facts)
{
	const struct number untouched = number_of(ROCE_TOS_UNTOUCHED);
	/* The first that is known. */
	const struct number *const sources[] = {
		[TOS_ASKED] = asked,
		[TOS_GLOBAL] = &record->global_tos,
		[TOS_CONFIGURED] = &record->default_tos,
		[TOS_UNTOUCHED] = &untouched,
	};
	enum tos_source source = TOS_ASKED;

	while (!sources[source]->known)
		source++;
	facts->tos_source = source;
	record->tos = *sources[source];
	record->tos_source = number_of(source);
	facts->tos = (unsigned int)record->tos.value;
	facts->is_v1 = number_is(&record->default_mode, ROCE_MODE_V1);
}

/* `own` is the port's, which may be the bond that the link is a member of. */
static void read_netdev(struct roce_reader *reader, const struct device *device,
			const struct link *own, const struct link *link, struct roce_facts *facts)
{
	struct link again = {.name = link->name, .mtu_bytes = link->mtu_bytes};

	facts->dcb_rc = reader->rtnl_rc ? reader->rtnl_rc
					: dcb_get(reader->rtnl, link->name, &facts->dcb);
	note(reader, link->name, "trust", "sysfs",
	     roce_read_trust(&reader->root, link->name, &facts->dcb));
	note(reader, link->name, "data center bridging", "rtnetlink", facts->dcb_rc);
	reader->unanswered |= facts->dcb_rc == -ENODATA && !reader->root.live;
	if (!reader->generic_rc && link->index.known)
		note(reader, link->name, "pause", "ethtool",
		     ethtool_get_pause(reader->generic, reader->ethtool,
				       (uint32_t)link->index.value, &facts->pause));
	roce_ecn_read(&reader->root, link->name, device->driver, device->pci_address, &facts->ecn);
	/* Expected without privilege, or if lockdown keeps debugfs closed. */
	if (facts->ecn.rc != -EACCES && facts->ecn.rc != -EPERM)
		note(reader, link->name, "ecn", "sysfs, debugfs", facts->ecn.rc);
	/* The inventory tells what cannot be read only of netdevs that a port itself shows. */
	if (link != own && !link->mtu_bytes.known)
		link_read_sysfs(&reader->root, &again, NEED_LINK_MTU, reader->problems);
	facts->netdev_mtu = again.mtu_bytes;
}

/* The members that hold data center bridging settings. */
static const struct {
	const struct setting *setting;
	size_t offset;
} members[] = {
	{&dcb_trust_setting, offsetof(struct roce_port, trust)},
	{&dcb_dscp_priority_setting, offsetof(struct roce_port, dscp_priority)},
	{&dcb_priority_class_setting, offsetof(struct roce_port, priority_class)},
	{&dcb_class_algorithm_setting, offsetof(struct roce_port, class_algorithm)},
	{&dcb_class_bandwidth_setting, offsetof(struct roce_port, class_bandwidth)},
	{&dcb_maxrate_setting, offsetof(struct roce_port, maxrate)},
	{&dcb_pfc_setting, offsetof(struct roce_port, pfc)},
	{&dcb_pfc_delay_setting, offsetof(struct roce_port, pfc_delay)},
	{&dcb_priority_buffer_setting, offsetof(struct roce_port, priority_buffer)},
	{&dcb_buffer_size_setting, offsetof(struct roce_port, buffer_size)},
	{&dcb_dcbx_setting, offsetof(struct roce_port, dcbx)},
};

/* Fills in the parts of the record that come from the facts. */
static void describe(const struct roce_facts *facts, struct roce_port *record)
{
	for (size_t i = 0; !facts->dcb_rc && i < ARRAY_SIZE(members); i++)
		*(char **)((char *)record + members[i].offset) = dcb_value(
			members[i].setting, &facts->dcb, facts->driver);
	/* The driver does not report it: roce/tos.h. */
	if (!record->trust && roce_trusts_dscp(facts) != TRISTATE_UNKNOWN)
		record->trust = mem_string(roce_trusts_dscp(facts) == TRISTATE_YES ? "dscp"
										   : "pcp");
	if (facts->ecn.vendor) {
		record->ecn_send = roce_priorities(facts->ecn.send);
		record->ecn_receive = roce_priorities(facts->ecn.receive);
	}
	record->cnp_dscp = facts->ecn.cnp_dscp;
	record->cnp_priority = facts->ecn.cnp_priority;
	if (facts->pause.receive != TRISTATE_UNKNOWN && facts->pause.transmit != TRISTATE_UNKNOWN)
		record->pause = link_pause_value(&facts->pause);
	record->netdev_mtu_bytes = facts->netdev_mtu;
	if (facts->netdev_mtu.known)
		record->rdma_mtu_bytes = number_of(roce_mtu(facts->netdev_mtu.value));
	record->active_mtu_bytes = facts->active_mtu;
}

/* Adds a record; `link` is the netdev, or NULL if the port has none here. */
static void add_record(struct roce_reader *reader, const struct device *device,
		       const struct port *port, const struct link *link, const struct link *bond)
{
	struct roce_port *record = mem_append(&reader->list->items, &reader->list->count,
					      sizeof(*record));
	_cleanup_(freep) char *object = port_object(port);
	struct roce_facts facts = {
		.object = object,
		.netdev = link ? link->name : "the netdev",
		.driver = device->driver,
		.active_mtu = port->active_mtu_bytes,
		.dcb_rc = -ENODEV,
		.ecn.rc = -ENOENT,
	};

	record->device = device->name;
	record->port = port->port;
	record->netdev = link ? link->name : NULL;
	record->bond = bond && bond != link ? bond->name : NULL;
	read_cma(reader, port, record, &facts);
	choose_tos(reader->asked, record, &facts);
	if (link)
		read_netdev(reader, device, roce_port_link(reader->inventory, port), link, &facts);
	describe(&facts, record);
	roce_chain_follow(&facts, &record->chain);
}

static void add_port(struct roce_reader *reader, const struct device *device,
		     const struct port *port)
{
	const struct link *own = roce_port_link(reader->inventory, port), *member = NULL;
	const struct link *bond = own ? roce_port_bond(reader->inventory, port) : NULL;
	bool any = false;

	while (own && (member = roce_next_member(reader->inventory, own, member)) != NULL) {
		add_record(reader, device, port, member, bond);
		any = true;
	}
	if (!any)
		add_record(reader, device, port, own, NULL);
}

int roce_list_load(struct roce_list *list, const struct inventory *inventory, const char *root,
		   const struct number *tos, struct problems *problems)
{
	struct roce_reader reader = {
		.list = list, .inventory = inventory, .asked = tos, .problems = problems};
	int rc = root_open(root, &reader.root);

	if (rc)
		return rc;
	open_sockets(&reader);
	for_each_port (device, port, &inventory->devices)
		if (roce_is_roce(device, port))
			add_port(&reader, device, port);
	if (list->count)
		note(&reader, NULL, "pause", "ethtool", reader.generic_rc);
	if (reader.unanswered)
		inventory_add_unanswered(problems, NULL, "data center bridging", "rtnetlink", NULL);
	netlink_free(reader.rtnl);
	netlink_free(reader.generic);
	root_close(&reader.root);
	return 0;
}
