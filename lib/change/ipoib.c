/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/ipoib.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/if.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/netdev.h"
#include "host/inventory/inventory.h"
#include "host/rtnl.h"
#include "schema/rows.h"

#define FULL_MEMBER 0x8000u

#define RECORD struct ipoib
static const struct field fields[] = {
	TEXT(netdev, "NETDEV", SHOWN, 0, "name of the IPoIB netdev"),
	TEXT(device, "DEVICE", SHOWN, 0, "RDMA device whose port GUID it has"),
	NUMBER(port, "PORT", SHOWN, 0, "port of that device"),
	TEXT(parent, "PARENT", SHOWN, 0, "netdev of the port; none if it is that netdev itself"),
	HEX(pkey, 4, "P_KEY", SHOWN, 0, "partition that it belongs to"),
	WORD(mode, ipoib_mode_names, "MODE", SHOWN, 0, "how it sends packets"),
	YES_NO(umcast, "UMCAST", 0, 0, "whether programs join multicast groups themselves"),
	WORD(operstate, operstate_names, "OPERSTATE", SHOWN, 0, "operational state"),
	NUMBER(mtu_bytes, "MTU", 0, 0, "largest IP packet"),
};
#undef RECORD

const struct schema ipoib_schema = SCHEMA("ipoib", struct ipoib, fields, "an IPoIB netdev");

/*
 * Whether it is the netdev of a port or a child of one. A bond or team of such netdevs has the same
 * type, and with it as the parent the kernel would mistake its private data for a port's:
 * ipoib_new_child_link(), ipoib_netlink.c, checks only the type. Older kernels give the netdevs of
 * ports no kind.
 */
static bool is_ipoib(const struct link *link)
{
	return link_is_ipoib(link) && (!link->kind || !strcmp(link->kind, "ipoib"));
}

static const struct port *port_of(const struct device_list *devices, const struct link *link)
{
	for_each_port (device, port, devices)
		if (port_has_ipoib(port, link))
			return port;
	return NULL;
}

void ipoib_list_make(struct ipoib_list *list, const struct device_list *devices,
		     const struct link_list *links)
{
	for_each (link, links) {
		const struct link *parent;
		const struct port *port;

		if (!is_ipoib(link))
			continue;
		port = port_of(devices, link);
		parent = link->lower_elsewhere ? NULL : link_by_index(links, &link->lower_index);
		MEM_ADD(list->items, list->count) = (struct ipoib){
			.netdev = link->name,
			.device = port ? port->device : NULL,
			.port = port ? port->port : (struct number){0},
			.parent = parent ? parent->name : NULL,
			.pkey = link->pkey,
			.mode = link->ipoib_mode,
			.umcast = number_state(&link->umcast),
			.operstate = link->operstate,
			.mtu_bytes = link->mtu_bytes,
		};
	}
}

void ipoib_list_clear(struct ipoib_list *list)
{
	free(list->items);
	*list = (struct ipoib_list){.count = 0};
}

/* What a value says. */
struct child {
	char parent[IFNAMSIZ];
	unsigned int pkey, mode;
};

static char *make_value(const char *parent, unsigned int pkey, unsigned int mode)
{
	return mem_format("%s pkey 0x%04x mode %s", parent, pkey,
			  enum_word(ipoib_mode_names, mode, "unknown"));
}

static int split_value(const char *value, struct child *child)
{
	char mode[16];
	const struct enum_name *name;

	if (sscanf(value, "%15s pkey 0x%4x mode %15s", child->parent, &child->pkey, mode) != 3)
		return -EINVAL;
	name = enum_find_word(ipoib_mode_names, mode);
	if (!name)
		return -EINVAL;
	child->mode = (unsigned int)name->value;
	return 0;
}

static int parse_pkey(struct change *change, const char *text, unsigned int *ret_pkey)
{
	static const char next_step[] = "rdmactl pkeys lists the P_Keys of the ports";
	uint64_t pkey, digits;

	if (!text)
		return change_fail(change, -EINVAL, next_step,
				   "the partition is missing: pkey takes its P_Key");
	if (text_parse_u64(text, 0, UINT16_MAX, &pkey))
		return change_fail(change, -EINVAL, next_step,
				   "'%s' is not a P_Key: a P_Key is a number such as 0x8001", text);
	/* The kernel and ip(8) take 8002 as decimal; P_Keys are written in hexadecimal. */
	if (!text_parse_u64(text, 16, UINT16_MAX, &digits) && digits != pkey)
		return change_fail(change, -EINVAL, "write it with 0x, as rdmactl pkeys does",
				   "'%s' may mean 0x%04x, in hexadecimal, or 0x%04x", text,
				   (unsigned int)digits, (unsigned int)pkey);
	/* Partition 0 is invalid, IBA volume 1, 10.9.1.2: __ipoib_vlan_add(), ipoib_vlan.c. */
	if (!(pkey & ~(uint64_t)FULL_MEMBER))
		return change_fail(change, -EINVAL, next_step,
				   "no partition has the P_Key %s: 0 and 0x8000 are invalid", text);
	/* Every IPoIB netdev is a full member: ipoib_ndo_init(), ipoib_main.c. */
	*ret_pkey = (unsigned int)pkey | FULL_MEMBER;
	return 0;
}

static int refuse_name(struct change *change, const char *name, const char *next_step)
{
	return change_fail(change, -EINVAL, next_step,
			   "'%s' cannot be the name of a netdev: it takes 1 to %d printable "
			   "characters, without spaces and none of / : %%",
			   name, IFNAMSIZ - 1);
}

int ipoib_parse(struct change *change, const struct ipoib_words *words)
{
	const char *mode_word = words->mode ? words->mode : "datagram";
	const struct enum_name *mode = enum_find_word(ipoib_mode_names, mode_word);
	_cleanup_(freep) char *name = NULL;
	unsigned int pkey = 0;

	if (!netdev_name_valid(words->parent))
		return refuse_name(change, words->parent, "rdmactl ipoib lists the IPoIB netdevs");
	if (parse_pkey(change, words->pkey, &pkey))
		return -EINVAL;
	if (!mode)
		return change_fail(change, -EINVAL, NULL,
				   "'%s' is not a mode: the modes are datagram and connected",
				   mode_word);
	name = words->name ? mem_string(words->name) : mem_format("%s.%04x", words->parent, pkey);
	if (!netdev_name_valid(name))
		return refuse_name(change, name, "name NAME gives the child another name");
	change->wanted = make_value(words->parent, pkey, (unsigned int)mode->value);
	change->object = name;
	name = NULL;
	return 0;
}

/* Whether the parent of the wanted child can have children; if not, the change gets the reason. */
static int check_parent(struct change *change, struct netlink *rtnl)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct child child;
	int rc = split_value(change->wanted, &child) ?: rtnl_get_link(rtnl, 0, child.parent, &list);

	if (rc == -ENODEV)
		change_explain(change, "rdmactl ipoib lists the IPoIB netdevs",
			       "there is no netdev %s", child.parent);
	if (rc)
		return rc;
	/*
	 * The cases for which ipoib_new_child_link(), ipoib_netlink.c, returns ENODEV and EINVAL.
	 */
	if (!is_ipoib(&list.items[0]))
		return change_fail(change, -ENODEV, "rdmactl ipoib lists the IPoIB netdevs",
				   "%s is not an IPoIB netdev, and only those have P_Key children",
				   child.parent);
	if (list.items[0].lower_index.known)
		return change_fail(change, -EINVAL, "name the netdev of the port as the parent",
				   "%s is a P_Key child itself, and cannot have children",
				   child.parent);
	return 0;
}

/* Describes the netdev of that name; NULL and -errno if it is not a child. */
static int describe(struct change *change, struct netlink *rtnl, const struct link *link,
		    char **ret_value)
{
	_cleanup_(link_list_clear) struct link_list parents = {0};
	int rc;

	if (!is_ipoib(link))
		return change_fail(change, -EEXIST, "rdmactl ipoib lists the IPoIB netdevs",
				   "%s is a netdev of another kind, not IPoIB", change->object);
	if (!link->lower_index.known)
		return change_fail(change, -EEXIST, "only children can be created and deleted",
				   "%s is the netdev of the port itself, not a P_Key child",
				   change->object);
	rc = link->lower_elsewhere
		     ? -ENODEV
		     : rtnl_get_link(rtnl, (unsigned int)link->lower_index.value, NULL, &parents);
	if (rc == -ENODEV)
		change_explain(change, "run it in the network namespace of the parent",
			       "the parent of %s is in another network namespace", change->object);
	if (!rc)
		*ret_value = make_value(parents.items[0].name, (unsigned int)link->pkey.value,
					(unsigned int)link->ipoib_mode.value);
	return rc;
}

static void note_missing(struct change *change)
{
	_cleanup_(strings_free) struct strings names = {.known = true};
	const struct link_list *links;

	netdev_links(change->host, &links);
	for (size_t i = 0; i < links->count; i++)
		if (is_ipoib(&links->items[i]) && links->items[i].lower_index.known)
			strings_add(&names, links->items[i].name);
	change_note_missing(change, "P_Key child", &names);
}

static int read_child(struct change *change, char **ret_value)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	const bool wants_one = strcmp(change->wanted, CHANGE_ABSENT) != 0;
	_cleanup_(freep) char *value = NULL;
	struct netlink *rtnl;
	int rc = change_host_rtnl(change->host, &rtnl)
			 ?: rtnl_get_link(rtnl, 0, change->object, &list);

	if (rc == -ENODEV) {
		rc = wants_one ? check_parent(change, rtnl) : 0;
		if (rc)
			return rc;
		note_missing(change);
		*ret_value = mem_string(CHANGE_ABSENT);
		return 0;
	}
	if (!rc)
		rc = describe(change, rtnl, &list.items[0], &value);
	if (rc)
		return rc;
	if (wants_one && strcmp(value, change->wanted))
		return change_fail(change, -EEXIST, "delete that one first, or choose another name",
				   "%s already exists, as %s", change->object, value);
	*ret_value = mem_string(value);
	return 0;
}

static void put_child(struct netlink_request *request, const struct change *change,
		      unsigned int parent, const struct child *child)
{
	const struct ifinfomsg header = {.ifi_family = AF_UNSPEC};
	const uint16_t pkey_bits = (uint16_t)child->pkey, mode_bits = (uint16_t)child->mode;
	struct nlattr *info, *data;

	netlink_add(request, RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, &header,
		    sizeof(header));
	netlink_put_string(request, IFLA_IFNAME, change->object);
	netlink_put_u32(request, IFLA_LINK, parent);
	info = netlink_nest_begin(request, IFLA_LINKINFO);
	netlink_put_string(request, IFLA_INFO_KIND, "ipoib");
	data = netlink_nest_begin(request, IFLA_INFO_DATA);
	netlink_put(request, IFLA_IPOIB_PKEY, &pkey_bits, sizeof(pkey_bits));
	netlink_put(request, IFLA_IPOIB_MODE, &mode_bits, sizeof(mode_bits));
	netlink_nest_end(request, data);
	netlink_nest_end(request, info);
}

/*
 * Explains the errors of ipoib_new_child_link(), ipoib_netlink.c, and __ipoib_vlan_add(),
 * ipoib_vlan.c.
 */
static void explain_refusal(struct change *change, int error, unsigned int mode)
{
	if (error == -EINVAL && mode == IPOIB_CONNECTED)
		change_explain(change, "use mode datagram: the enhanced IPoIB of mlx5 has no other",
			       "the driver does not support the mode connected");
	else if (error == -ENOTUNIQ)
		change_explain(change, "rdmactl ipoib lists the children",
			       "the parent already has a child with this P_Key");
	else if (error == -EEXIST)
		change_explain(change, "choose another name",
			       "somebody else created a netdev with this name meanwhile");
	else if (error == -EOPNOTSUPP)
		change_explain(change, "load ib_ipoib", "the kernel has no IPoIB");
}

/* Whether the netdev is still the child to be deleted, not a newer one with its name. */
static int check_child(struct change *change, struct netlink *rtnl, const struct link *link)
{
	const char *wanted = strcmp(change->wanted, CHANGE_ABSENT) ? change->wanted
								   : change->before;
	_cleanup_(freep) char *value = NULL;
	int rc = describe(change, rtnl, link, &value);

	if (rc || !strcmp(value, wanted))
		return rc;
	return change_fail(change, -EEXIST, "check it, then run the command again",
			   "%s is another netdev now: %s", change->object, value);
}

static int write_child(struct change *change, const char *value)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct netlink_request request = {.count = 0};
	struct child child = {.mode = 0};
	struct ifinfomsg header = {.ifi_family = AF_UNSPEC};
	const bool make = strcmp(value, CHANGE_ABSENT) != 0;
	struct netlink *rtnl;
	int rc = change_host_rtnl(change->host, &rtnl);

	if (!rc && make)
		rc = split_value(value, &child);
	if (!rc)
		rc = rtnl_get_link(rtnl, 0, make ? child.parent : change->object, &list);
	if (!rc && !make)
		rc = check_child(change, rtnl, &list.items[0]);
	if (rc) {
		change->written = false;
		return rc;
	}
	header.ifi_index = (int)list.items[0].index.value;
	if (make)
		put_child(&request, change, (unsigned int)header.ifi_index, &child);
	else
		/*
		 * Also removes children made through sysfs: ipoib_del_child_link(). The file
		 * delete_child does not remove children made by netlink, ipoib_vlan_delete().
		 */
		netlink_add(&request, RTM_DELLINK, NLM_F_ACK, &header, sizeof(header));
	rc = netlink_ask_plain(rtnl, &request, NULL);
	/* If it exists now, or is gone, somebody else did that at the same time. */
	if (rc)
		change->written = false;
	if (make)
		explain_refusal(change, rc, child.mode);
	return rc;
}

static char *undo_child(const struct change *change)
{
	_cleanup_(freep) char *name = change_quote_object(change, change->object), *parent = NULL;
	struct child child;

	if (!strcmp(change->before, CHANGE_ABSENT))
		return mem_format("rdmactl ipoib del %s", name);
	if (split_value(change->before, &child))
		return NULL;
	parent = text_quote(child.parent);
	return mem_format("rdmactl ipoib add %s%s name %s", parent,
			  change->before + strlen(child.parent), name);
}

/* Whether the P_Key table of the parent's port has the P_Key. True if that is unknown. */
static bool port_has_pkey(const struct inventory *inventory, const struct child *child)
{
	const struct link *link = link_by_name(&inventory->links, child->parent);
	const struct port *port = link ? port_of(&inventory->devices, link) : NULL;

	if (!port || !port->pkey_count)
		return true;
	for (size_t i = 0; i < port->pkey_count; i++)
		if (((unsigned int)port->pkeys[i].pkey.value | FULL_MEMBER) == child->pkey)
			return true;
	return false;
}

/* Netlink accepts several children with one P_Key: is_child_unique(), ipoib_vlan.c. */
static void note_twins(struct change *change, const struct child *child)
{
	const struct link_list *links = &change->host->inventory->links;
	const struct link *above = link_by_name(links, child->parent);

	for (size_t i = 0; above && i < links->count; i++) {
		const struct link *link = &links->items[i];

		if (is_ipoib(link) && number_is(&link->pkey, child->pkey) &&
		    link_by_index(links, &link->lower_index) == above)
			change_note(change, "%s already has a child with this P_Key: %s",
				    child->parent, link->name);
	}
}

static void guard_add(struct change *change)
{
	struct child child;

	if (!change->host->inventory || split_value(change->wanted, &child))
		return;
	if (!port_has_pkey(change->host->inventory, &child))
		change_note(change,
			    "the port of %s has no P_Key 0x%04x: the child has no carrier until "
			    "the subnet manager gives the port that P_Key",
			    child.parent, child.pkey);
	note_twins(change, &child);
}

static void guard_del(struct change *change)
{
	_cleanup_(link_list_clear) struct link_list list = {0};
	struct netlink *rtnl;

	change_note(change,
		    "undoing the change creates %s again: down, without addresses, with the "
		    "initial MTU and umcast",
		    change->object);
	if (!change_host_rtnl(change->host, &rtnl) &&
	    !rtnl_get_link(rtnl, 0, change->object, &list))
		netdev_note_users(change, (unsigned int)list.items[0].index.value, true);
}

/* systemd.netdev(5), section [IPOIB]; systemd.network(5), IPoIB=. */
static void persist_child(struct change *change)
{
	struct child child;

	if (split_value(change->wanted, &child))
		return;
	change->persist_file = mem_format("/etc/systemd/network/%s.netdev", change->object);
	change->persist_text = mem_format(
		"[NetDev]\nName=%s\nKind=ipoib\n\n[IPoIB]\n"
		"PartitionKey=0x%04x\nMode=%s\n"
		"# and IPoIB=%s into [Network] of the .network file of %s",
		change->object, child.pkey, enum_word(ipoib_mode_names, child.mode, "datagram"),
		change->object, child.parent);
}

const struct setting ipoib_add_setting = {
	.keyword = {"child", "CHILD", "P_Key child of an IPoIB netdev", NULL},
	.interface = "rtnetlink NEWLINK",
	.right = RIGHT_NET_ADMIN,
	.read = read_child,
	.write = write_child,
	.guard = guard_add,
	.undo = undo_child,
	.persist = persist_child,
	.command = "ipoib add",
};

const struct setting ipoib_del_setting = {
	.keyword = {"child", "CHILD", "P_Key child of an IPoIB netdev", NULL},
	.interface = "rtnetlink DELLINK",
	.right = RIGHT_NET_ADMIN,
	.flags = SETTING_STOPS_TRAFFIC,
	.read = read_child,
	.write = write_child,
	.guard = guard_del,
	.undo = undo_child,
	.command = "ipoib del",
};
