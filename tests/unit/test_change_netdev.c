/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of netdevs on a hand-made kernel: P_Key children of IPoIB, virtual functions, up and
 * down, MTU, and who is reported before a netdev goes.
 */
#include <errno.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"
#include "change/ipoib.h"
#include "change/netdev.h"
#include "change/port.h"
#include "change/sriov/sriov.h"
#include "kernel/netlink/netlink.h"
#include "change_bed.h"
#include "saved_tree.h"

enum { MOST_LINKS = 12, VFS = 18, CONNECTED = 1 };

/* A netdev of the hand-made kernel. */
struct card {
	unsigned int index; /* 0: there is none */
	char name[IFNAMSIZ];
	unsigned int type, flags, lower, master, mtu, max_mtu;
	bool elsewhere; /* the lower one is in another network namespace */
	const char *kind;
	uint16_t pkey, mode;
};

struct virtual_function {
	uint32_t policy, trust; /* UINT32_MAX: the driver lacks this setting */
	uint32_t vlan;
	uint64_t node_guid, port_guid;
	bool has_guids;
};

struct machine {
	struct fake_kernel kernel;
	struct card links[MOST_LINKS];
	struct virtual_function vfs[VFS];
	uint8_t address[4];	/* of the first netdev; all 0: none */
	bool ipv6;		/* it also has an IPv6 one */
	int error;		/* to each change */
	const char *words;	/* the kernel's message for that error */
	bool somebody;		/* another process has just done the same, hence the error */
	uint16_t list_flags;	/* flags of the list of links; NLM_F_DUMP_INTR: they changed */
	uint16_t address_flags; /* the same for the addresses */
	size_t padding;		/* bytes of other attributes for a link with VFs */
	unsigned int changes;
	unsigned int lists; /* how often all links were read */
};

struct bed {
	struct machine machine;
	struct change_host host;
	struct changes changes;
	struct inventory inventory;
};

static const struct rtattr *find(const void *begin, size_t length, unsigned int type)
{
	int left = (int)length;

	for (const struct rtattr *at = begin; RTA_OK(at, left); at = RTA_NEXT(at, left))
		if ((at->rta_type & NLA_TYPE_MASK) == type)
			return at;
	return NULL;
}

static const struct rtattr *inside(const struct rtattr *nest, unsigned int type)
{
	return nest ? find(RTA_DATA(nest), RTA_PAYLOAD(nest), type) : NULL;
}

static void put_link(struct bytes *payload, const struct card *card)
{
	const struct ifinfomsg header = {.ifi_index = (int)card->index,
					 .ifi_type = (uint16_t)card->type,
					 .ifi_flags = card->flags};
	struct bytes info = {0}, data = {0};

	bytes_put(payload, &header, sizeof(header));
	put_string(payload, IFLA_IFNAME, card->name);
	if (card->mtu)
		put_u32(payload, IFLA_MTU, card->mtu);
	if (card->max_mtu)
		put_u32(payload, IFLA_MAX_MTU, card->max_mtu);
	if (card->lower)
		put_u32(payload, IFLA_LINK, card->lower);
	if (card->elsewhere)
		put_u32(payload, IFLA_LINK_NETNSID, 7);
	if (card->master)
		put_u32(payload, IFLA_MASTER, card->master);
	if (!card->kind)
		return;
	put_string(&info, IFLA_INFO_KIND, card->kind);
	put_u16(&data, IFLA_IPOIB_PKEY, card->pkey);
	put_u16(&data, IFLA_IPOIB_MODE, card->mode);
	put_nest(&info, IFLA_INFO_DATA, &data);
	put_nest(payload, IFLA_LINKINFO, &info);
}

static void put_vfs(struct bytes *payload, const struct machine *machine)
{
	struct bytes list = {0};

	for (uint32_t i = 0; i < VFS; i++) {
		const struct virtual_function *vf = &machine->vfs[i];
		const struct ifla_vf_mac mac = {.vf = i};
		const struct ifla_vf_link_state state = {.vf = i, .link_state = vf->policy};
		const struct ifla_vf_trust trust = {.vf = i, .setting = vf->trust};
		const struct ifla_vf_vlan vlan = {.vf = i, .vlan = vf->vlan, .qos = vf->vlan / 50};
		const struct ifla_vf_rate rate = {.vf = i, .max_tx_rate = vf->vlan * 10};
		const struct ifla_vf_guid node = {.vf = i, .guid = vf->node_guid};
		const struct ifla_vf_guid port = {.vf = i, .guid = vf->port_guid};
		struct bytes info = {0};

		put_attribute(&info, IFLA_VF_MAC, &mac, sizeof(mac));
		put_attribute(&info, IFLA_VF_LINK_STATE, &state, sizeof(state));
		put_attribute(&info, IFLA_VF_TRUST, &trust, sizeof(trust));
		put_attribute(&info, IFLA_VF_VLAN, &vlan, sizeof(vlan));
		put_attribute(&info, IFLA_VF_RATE, &rate, sizeof(rate));
		if (vf->has_guids) {
			put_attribute(&info, IFLA_VF_IB_NODE_GUID, &node, sizeof(node));
			put_attribute(&info, IFLA_VF_IB_PORT_GUID, &port, sizeof(port));
		}
		put_nest(&list, IFLA_VF_INFO, &info);
	}
	put_nest(payload, IFLA_VFINFO_LIST, &list);
}

static struct card *find_card(struct machine *machine, unsigned int index,
			      const struct rtattr *name)
{
	for (size_t i = 0; i < MOST_LINKS; i++)
		if (machine->links[i].index &&
		    (index ? machine->links[i].index == index
			   : name && !strcmp(machine->links[i].name, RTA_DATA(name))))
			return &machine->links[i];
	return NULL;
}

/* A message that does not fit into struct bytes. */
static void send_padded(struct machine *machine, uint32_t sequence, const struct bytes *payload)
{
	const struct nlattr attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + machine->padding),
					 .nla_type = IFLA_UNSPEC};
	const size_t length = NLMSG_HDRLEN + payload->length + attribute.nla_len;
	const struct nlmsghdr header = {
		.nlmsg_len = (uint32_t)length, .nlmsg_type = RTM_NEWLINK, .nlmsg_seq = sequence};
	_cleanup_(freep) char *datagram = mem_alloc_zero(length, 1);

	memcpy(datagram, &header, sizeof(header));
	memcpy(datagram + NLMSG_HDRLEN, payload->data, payload->length);
	memcpy(datagram + NLMSG_HDRLEN + payload->length, &attribute, sizeof(attribute));
	assert_int_equal(send(machine->kernel.fd, datagram, length, MSG_NOSIGNAL), length);
}

static void get_links(struct machine *machine, const struct nlmsghdr *message)
{
	const struct ifinfomsg *header = NLMSG_DATA(message);
	const size_t length = message->nlmsg_len - NLMSG_LENGTH(sizeof(*header));
	struct bytes datagram = {0};
	const struct card *card;

	if (message->nlmsg_flags & NLM_F_DUMP) {
		machine->lists++;
		for (size_t i = 0; i < MOST_LINKS; i++) {
			struct bytes payload = {0};

			if (!machine->links[i].index)
				continue;
			put_link(&payload, &machine->links[i]);
			put_message(&datagram, RTM_NEWLINK, NLM_F_MULTI | machine->list_flags,
				    message->nlmsg_seq, payload.data, payload.length);
		}
		put_done(&datagram, message->nlmsg_seq, 0);
		fake_send(&machine->kernel, &datagram);
		return;
	}
	card = find_card(machine, (unsigned int)header->ifi_index,
			 find(header + 1, length, IFLA_IFNAME));
	if (card) {
		const struct rtattr *mask = find(header + 1, length, IFLA_EXT_MASK);
		struct bytes payload = {0};

		put_link(&payload, card);
		if (mask && *(const uint32_t *)RTA_DATA(mask) & RTEXT_FILTER_VF)
			put_vfs(&payload, machine);
		if (machine->padding) {
			send_padded(machine, message->nlmsg_seq, &payload);
			return;
		}
		put_message(&datagram, RTM_NEWLINK, 0, message->nlmsg_seq, payload.data,
			    payload.length);
	} else {
		put_error(&datagram, message->nlmsg_seq, -ENODEV, NULL);
	}
	fake_send(&machine->kernel, &datagram);
}

static void get_addresses(struct machine *machine, const struct nlmsghdr *message)
{
	static const uint8_t six[16] = {0x20, 0x01, [15] = 1};
	struct bytes datagram = {0};

	for (int family = 0; family < 2; family++) {
		const struct ifaddrmsg header = {.ifa_family = family ? AF_INET6 : AF_INET,
						 .ifa_prefixlen = 24,
						 .ifa_index = machine->links[0].index};
		struct bytes payload = {0};

		if (family ? !machine->ipv6 : !machine->address[0])
			continue;
		bytes_put(&payload, &header, sizeof(header));
		put_attribute(&payload, IFA_ADDRESS, family ? six : machine->address,
			      family ? sizeof(six) : sizeof(machine->address));
		put_attribute(&payload, IFA_LOCAL, family ? six : machine->address,
			      family ? sizeof(six) : sizeof(machine->address));
		put_message(&datagram, RTM_NEWADDR, NLM_F_MULTI | machine->address_flags,
			    message->nlmsg_seq, payload.data, payload.length);
	}
	put_done(&datagram, message->nlmsg_seq, 0);
	fake_send(&machine->kernel, &datagram);
}

static void make_child(struct machine *machine, const struct ifinfomsg *header, size_t length)
{
	const struct rtattr *info = find(header + 1, length, IFLA_LINKINFO);
	const struct rtattr *data = inside(info, IFLA_INFO_DATA);
	struct card *card = machine->links;

	while (card->index)
		card++;
	assert_string_equal(RTA_DATA(inside(info, IFLA_INFO_KIND)), "ipoib");
	*card = (struct card){
		.index = 77,
		.type = ARPHRD_INFINIBAND,
		.kind = "ipoib",
		.lower = *(const uint32_t *)RTA_DATA(find(header + 1, length, IFLA_LINK)),
		.pkey = *(const uint16_t *)RTA_DATA(inside(data, IFLA_IPOIB_PKEY)),
		.mode = *(const uint16_t *)RTA_DATA(inside(data, IFLA_IPOIB_MODE)),
	};
	snprintf(card->name, sizeof(card->name), "%s",
		 (const char *)RTA_DATA(find(header + 1, length, IFLA_IFNAME)));
}

static void set_vf(struct machine *machine, const struct ifinfomsg *header, size_t length)
{
	const struct rtattr *info = inside(find(header + 1, length, IFLA_VFINFO_LIST),
					   IFLA_VF_INFO);
	const struct rtattr *at;
	struct ifla_vf_link_state state;
	struct ifla_vf_trust trust;
	struct ifla_vf_guid guid;

	/* Attributes begin at multiples of 4, and a GUID has 8 bytes. */
	if ((at = inside(info, IFLA_VF_LINK_STATE)) != NULL) {
		memcpy(&state, RTA_DATA(at), sizeof(state));
		machine->vfs[state.vf].policy = state.link_state;
	} else if ((at = inside(info, IFLA_VF_TRUST)) != NULL) {
		memcpy(&trust, RTA_DATA(at), sizeof(trust));
		machine->vfs[trust.vf].trust = trust.setting;
	} else if ((at = inside(info, IFLA_VF_IB_NODE_GUID)) != NULL) {
		memcpy(&guid, RTA_DATA(at), sizeof(guid));
		machine->vfs[guid.vf].node_guid = guid.guid;
	} else if ((at = inside(info, IFLA_VF_IB_PORT_GUID)) != NULL) {
		memcpy(&guid, RTA_DATA(at), sizeof(guid));
		machine->vfs[guid.vf].port_guid = guid.guid;
	}
}

static void obey(struct machine *machine, const struct nlmsghdr *message)
{
	const struct ifinfomsg *header = NLMSG_DATA(message);
	const size_t length = message->nlmsg_len - NLMSG_LENGTH(sizeof(*header));
	const struct rtattr *mtu = find(header + 1, length, IFLA_MTU);
	struct card *card = find_card(machine, (unsigned int)header->ifi_index, NULL);

	if (message->nlmsg_type == RTM_SETLINK) {
		set_vf(machine, header, length);
	} else if (message->nlmsg_type == RTM_DELLINK) {
		card->index = 0;
	} else if (message->nlmsg_flags & NLM_F_CREATE) {
		assert_true(message->nlmsg_flags & NLM_F_EXCL);
		make_child(machine, header, length);
	} else if (mtu) {
		card->mtu = *(const uint32_t *)RTA_DATA(mtu);
	} else {
		card->flags = (card->flags & ~header->ifi_change) |
			      (header->ifi_flags & header->ifi_change);
	}
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct machine *machine = kernel->context;

	for_each_message (message, requests) {
		struct bytes datagram = {0};

		if (message->nlmsg_type == RTM_GETLINK) {
			get_links(machine, message);
			continue;
		}
		if (message->nlmsg_type == RTM_GETADDR) {
			get_addresses(machine, message);
			continue;
		}
		if (message->nlmsg_type != RTM_GETROUTE) {
			machine->changes++;
			if (!machine->error || machine->somebody)
				obey(machine, message);
		}
		put_error(&datagram, message->nlmsg_seq,
			  message->nlmsg_type == RTM_GETROUTE ? -ENETUNREACH : machine->error,
			  machine->words);
		fake_send(kernel, &datagram);
	}
}

/* ib0 (index 3), its child ib0.8001, an Ethernet netdev, and a child in another namespace. */
static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct machine *machine = &bed->machine;
	int fd;

	machine->links[0] = (struct card){.index = 3,
					  .name = "ib0",
					  .type = ARPHRD_INFINIBAND,
					  .kind = "ipoib",
					  .pkey = 0xffff,
					  .mtu = 2044};
	machine->links[1] = (struct card){.index = 4,
					  .name = "ib0.8001",
					  .type = ARPHRD_INFINIBAND,
					  .kind = "ipoib",
					  .lower = 3,
					  .pkey = 0x8001,
					  .mode = CONNECTED};
	machine->links[2] = (struct card){.index = 5, .name = "eth0", .type = ARPHRD_ETHER};
	machine->links[3] = machine->links[1];
	machine->links[3].index = 6;
	machine->links[3].lower = 9;
	machine->links[3].elsewhere = true;
	strcpy(machine->links[3].name, "ibx");
	/* A bond takes the type of its members. */
	machine->links[7] = (struct card){
		.index = 10, .name = "bond0", .type = ARPHRD_INFINIBAND, .kind = "bond"};
	machine->vfs[0] = (struct virtual_function){.policy = IFLA_VF_LINK_STATE_AUTO,
						    .node_guid = 0x0011223344556677,
						    .port_guid = 0x0011223344556688,
						    .has_guids = true};
	machine->vfs[1] = (struct virtual_function){.policy = IFLA_VF_LINK_STATE_DISABLE,
						    .trust = UINT32_MAX};
	machine->kernel.serve = serve;
	machine->kernel.context = machine;
	fd = fake_start(&machine->kernel);
	if (fd < 0)
		return -1;
	hurry(fd);
	bed->host.rtnl = netlink_from_fd(fd, 32768);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	change_bed_end(&bed->machine.kernel, &bed->host, &bed->changes);
	inventory_free(&bed->inventory);
	free(bed);
	return 0;
}

static struct change *want(struct bed *bed, const struct setting *setting, const char *object,
			   const char *value)
{
	struct change *change = changes_add(&bed->changes, &bed->host, setting, object, value);

	change->netdev_index = number_of(3);
	return change;
}

static void assert_fails(struct change *change, int rc, const char *reason, const char *next_step)
{
	char *value = NULL;

	assert_int_equal(change->setting->read(change, &value), rc);
	assert_null(value);
	assert_string_equal(change->reason, reason);
	assert_string_equal(change->next_step, next_step);
}

static void a_child_comes_and_goes(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &ipoib_add_setting, "own",
				     "ib0 pkey 0x8002 mode datagram");
	char *undo;

	assert_reads(change, CHANGE_ABSENT);
	change->before = mem_string(CHANGE_ABSENT);
	undo = change->setting->undo(change);
	assert_string_equal(undo, "rdmactl ipoib del own");
	free(undo);
	assert_int_equal(change->setting->write(change, change->wanted), 0);
	assert_reads(change, "ib0 pkey 0x8002 mode datagram");
	assert_int_equal(bed->machine.links[4].lower, 3);
	change->setting->persist(change);
	assert_string_equal(change->persist_file, "/etc/systemd/network/own.netdev");
	assert_string_equal(change->persist_text,
			    "[NetDev]\nName=own\nKind=ipoib\n\n[IPoIB]\nPartitionKey=0x8002\n"
			    "Mode=datagram\n# and IPoIB=own into [Network] of the .network file of "
			    "ib0");
	change = want(bed, &ipoib_del_setting, "own", CHANGE_ABSENT);
	assert_reads(change, "ib0 pkey 0x8002 mode datagram");
	change->before = mem_string("ib0 pkey 0x8002 mode datagram");
	undo = change->setting->undo(change);
	assert_string_equal(undo, "rdmactl ipoib add ib0 pkey 0x8002 mode datagram name own");
	free(undo);
	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), 0);
	assert_reads(change, CHANGE_ABSENT);
	assert_int_equal(bed->machine.changes, 2);
	/* In the other direction, as when undoing it. */
	assert_int_equal(change->setting->write(change, change->before), 0);
	assert_reads(change, change->before);
}

/* When a child is to be deleted, its name may be that of something else. */
static void a_child_that_was_replaced(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &ipoib_add_setting, "own",
				     "ib0 pkey 0x8002 mode datagram");

	change->before = mem_string(CHANGE_ABSENT);
	assert_int_equal(change->setting->write(change, change->wanted), 0);
	bed->machine.links[4].pkey = 0x8003;
	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), -EEXIST);
	assert_string_equal(change->reason,
			    "own is another netdev now: ib0 pkey 0x8003 mode datagram");
	bed->machine.links[4].type = ARPHRD_ETHER;
	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), -EEXIST);
	assert_string_equal(change->reason, "own is a netdev of another kind, not IPoIB");
	assert_int_equal(bed->machine.changes, 1);
}

/* Netdevs that cannot have a child, and names that are taken. */
static void children_that_cannot_be(void **state)
{
	static const struct {
		const char *name, *value;
		int rc;
		const char *reason, *next_step;
	} cases[] = {
		{"own", "nosuch pkey 0x8002 mode datagram", -ENODEV, "there is no netdev nosuch",
		 "rdmactl ipoib lists the IPoIB netdevs"},
		{"own", "eth0 pkey 0x8002 mode datagram", -ENODEV,
		 "eth0 is not an IPoIB netdev, and only those have P_Key children",
		 "rdmactl ipoib lists the IPoIB netdevs"},
		{"own", "bond0 pkey 0x8002 mode datagram", -ENODEV,
		 "bond0 is not an IPoIB netdev, and only those have P_Key children",
		 "rdmactl ipoib lists the IPoIB netdevs"},
		{"own", "ib0.8001 pkey 0x8002 mode datagram", -EINVAL,
		 "ib0.8001 is a P_Key child itself, and cannot have children",
		 "name the netdev of the port as the parent"},
		{"eth0", "ib0 pkey 0x8002 mode datagram", -EEXIST,
		 "eth0 is a netdev of another kind, not IPoIB",
		 "rdmactl ipoib lists the IPoIB netdevs"},
		{"ib0", "ib0 pkey 0x8002 mode datagram", -EEXIST,
		 "ib0 is the netdev of the port itself, not a P_Key child",
		 "only children can be created and deleted"},
		{"ib0.8001", "ib0 pkey 0x8002 mode datagram", -EEXIST,
		 "ib0.8001 already exists, as ib0 pkey 0x8001 mode connected",
		 "delete that one first, or choose another name"},
		{"ibx", "ib0 pkey 0x8002 mode datagram", -ENODEV,
		 "the parent of ibx is in another network namespace",
		 "run it in the network namespace of the parent"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_fails(want(bed, &ipoib_add_setting, cases[i].name, cases[i].value),
			     cases[i].rc, cases[i].reason, cases[i].next_step);
	/* One that is there already, and one to be removed that never was. */
	assert_reads(want(bed, &ipoib_add_setting, "ib0.8001", "ib0 pkey 0x8001 mode connected"),
		     "ib0 pkey 0x8001 mode connected");
	assert_reads(want(bed, &ipoib_del_setting, "nosuch", CHANGE_ABSENT), CHANGE_ABSENT);
	assert_int_equal(bed->machine.changes, 0);
}

/* A typo must not pass for success; only children are suggested, as only they can be deleted. */
static void typos(void **state)
{
	static const char *const rows[][2] = {
		{"ibO.8001", "there is no P_Key child ibO.8001, so nothing is deleted: did you "
			     "mean 'ib0.8001'?"},
		{"ib0.8002", "there is no P_Key child ib0.8002, so nothing is deleted"},
		{"eth1", "there is no P_Key child eth1, so nothing is deleted"},
		{"a\033b", "there is no P_Key child a\\x1bb, so nothing is deleted"},
	};
	struct change *change;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change = want(*state, &ipoib_del_setting, rows[i][0], CHANGE_ABSENT);
		assert_reads(change, CHANGE_ABSENT);
		assert_int_equal(change->notes.count, 1);
		assert_string_equal(change->notes.items[0], rows[i][1]);
	}
	/* It has been deleted meanwhile, or is to be created. */
	change = want(*state, &ipoib_del_setting, "ib0.8002", CHANGE_ABSENT);
	change->before = mem_string("ib0 pkey 0x8002 mode datagram");
	assert_reads(change, CHANGE_ABSENT);
	assert_int_equal(change->notes.count, 0);
	change = want(*state, &ipoib_add_setting, "ib0.8002", "ib0 pkey 0x8002 mode datagram");
	assert_reads(change, CHANGE_ABSENT);
	assert_int_equal(change->notes.count, 0);
}

/* ipoib_new_child_link() in ipoib_netlink.c, __ipoib_vlan_add() in ipoib_vlan.c. */
static void children_that_are_refused(void **state)
{
	static const struct {
		int error;
		const char *mode, *reason, *next_step;
	} cases[] = {
		{-EINVAL, "connected", "the driver does not support the mode connected",
		 "use mode datagram: the enhanced IPoIB of mlx5 has no other"},
		{-EINVAL, "datagram", NULL, NULL},
		{-ENOTUNIQ, "datagram", "the parent already has a child with this P_Key",
		 "rdmactl ipoib lists the children"},
		{-EEXIST, "datagram", "somebody else created a netdev with this name meanwhile",
		 "choose another name"},
		{-EOPNOTSUPP, "datagram", "the kernel has no IPoIB", "load ib_ipoib"},
		{-EPERM, "datagram", NULL, NULL},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *value = mem_format("ib0 pkey 0x8002 mode %s", cases[i].mode);
		struct change *change = want(bed, &ipoib_add_setting, "own", value);

		bed->machine.error = cases[i].error;
		assert_int_equal(change->setting->write(change, value), cases[i].error);
		if (cases[i].reason) {
			assert_string_equal(change->reason, cases[i].reason);
			assert_string_equal(change->next_step, cases[i].next_step);
		} else {
			assert_null(change->reason);
		}
	}
}

/* What somebody else makes or removes at the same time is not undone. */
static void children_of_somebody_else(void **state)
{
	static const struct {
		const struct setting *setting;
		const char *name, *wanted, *after;
		int error;
	} cases[] = {
		{&ipoib_add_setting, "own", "ib0 pkey 0x8002 mode datagram",
		 "ib0 pkey 0x8002 mode datagram", -EEXIST},
		{&ipoib_del_setting, "ib0.8001", CHANGE_ABSENT, CHANGE_ABSENT, -ENODEV},
	};
	struct bed *bed = *state;

	bed->machine.somebody = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, cases[i].setting, cases[i].name, cases[i].wanted);

		bed->machine.error = cases[i].error;
		assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
		assert_false(changes_write(&bed->changes));
		assert_int_equal(change->state.value, CHANGE_FAILED);
		assert_string_equal(change->after, cases[i].after);
		assert_int_equal(bed->machine.changes, i + 1);
		changes_clear(&bed->changes);
	}
}

/* A netdev disappears meanwhile; nothing is requested from the kernel then. */
static void children_without_a_netdev(void **state)
{
	static const char lost[] = "nosuch pkey 0x8002 mode datagram";
	struct bed *bed = *state;
	struct change *change = want(bed, &ipoib_add_setting, "own", lost);

	assert_int_equal(change->setting->write(change, lost), -ENODEV);
	assert_int_equal(change->setting->write(change, CHANGE_ABSENT), -ENODEV);
	assert_int_equal(change->setting->write(change, "no value"), -EINVAL);
	assert_int_equal(change->setting->write(change, "ib0 pkey 0x8002 mode fast"), -EINVAL);
	assert_int_equal(bed->machine.changes, 0);
}

/* Notes on the P_Key table of the port, and on another child with the same P_Key. */
static void notes_on_a_child(void **state)
{
	struct bed *bed = *state;
	struct inventory *inventory = &bed->inventory;
	struct device *device = device_list_add(&inventory->devices, "mlx5_0");
	struct port *port = device_add_port(device, 1);
	struct link *link;
	struct change *change;

	port->port_guid = number_of(0x77);
	port->netdev = mem_string("ib0");
	port->pkeys = mem_alloc_zero(2, sizeof(*port->pkeys));
	port->pkey_count = 2;
	port->pkeys[0].pkey = number_of(0xffff);
	port->pkeys[1].pkey = number_of(0x0001); /* a limited member of 0x8001 */
	for (unsigned int i = 0; i < 2; i++) {
		link = link_list_add(&inventory->links);
		link->name = mem_string(i ? "old" : "ib0");
		link->index = number_of(3 + i);
		link->type = number_of(ARPHRD_INFINIBAND);
		link->port_guid = number_of(0x77);
	}
	link->lower_index = number_of(3);
	link->pkey = number_of(0x8002);
	bed->host.inventory = inventory;
	change = want(bed, &ipoib_add_setting, "own", "ib0 pkey 0x8001 mode datagram");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 0);
	change = want(bed, &ipoib_add_setting, "own", "ib0 pkey 0x8002 mode datagram");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 2);
	assert_string_equal(change->notes.items[0],
			    "the port of ib0 has no P_Key 0x8002: the child has no carrier until "
			    "the subnet manager gives the port that P_Key");
	assert_string_equal(change->notes.items[1], "ib0 already has a child with this P_Key: old");
	change = want(bed, &ipoib_add_setting, "own", "ib0 pkey 0xffff mode datagram");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 0);
	/* Without the table nothing is said about it. */
	port->pkey_count = 0;
	change = want(bed, &ipoib_add_setting, "own", "ib0 pkey 0x8003 mode datagram");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 0);
}

/* Every member of each row: netdevs of IPoIB, whose port and parent may be elsewhere. */
static void listed(void **state)
{
	static const struct {
		const char *netdev;
		uint64_t index, lower, guid, pkey, mode, operstate, mtu, umcast;
		bool is_ipoib, elsewhere, umcast_known;
		const char *device, *parent;
		enum tristate wanted_umcast;
	} rows[] = {
		{"eth0", 2, 0, 0, 0, 0, 6, 1500, 0, false, false, false, NULL, NULL, 0},
		{"ib0", 3, 0, 0x77, 0xffff, 0, 6, 2044, 0, true, false, true, "mlx5_0", NULL,
		 TRISTATE_NO},
		{"ib0.8001", 4, 3, 0x77, 0x8001, CONNECTED, 2, 65520, 1, true, false, true,
		 "mlx5_0", "ib0", TRISTATE_YES},
		{"eth1", 5, 0, 0, 0, 0, 6, 1500, 0, false, false, false, NULL, NULL, 0},
		{"ibx", 6, 3, 0x88, 0x8002, 0, 6, 4092, 0, true, true, false, NULL, NULL,
		 TRISTATE_UNKNOWN},
	};
	struct bed *bed = *state;
	struct inventory *inventory = &bed->inventory;
	struct device *device = device_list_add(&inventory->devices, "mlx5_0");
	struct ipoib_list list = {.count = 0};
	size_t count = 0;

	device_add_port(device, 1)->port_guid = number_of(0x66);
	device_add_port(device, 2)->port_guid = number_of(0x77);
	device->ports[1].netdev = mem_string("ib0");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct link *link = link_list_add(&inventory->links);

		link->name = mem_string(rows[i].netdev);
		link->index = number_of(rows[i].index);
		link->type = number_of(rows[i].is_ipoib ? ARPHRD_INFINIBAND : ARPHRD_ETHER);
		link->lower_index.value = rows[i].lower;
		link->lower_index.known = rows[i].lower != 0;
		link->lower_elsewhere = rows[i].elsewhere;
		link->port_guid.value = rows[i].guid;
		link->port_guid.known = rows[i].guid != 0;
		link->pkey = number_of(rows[i].pkey);
		link->ipoib_mode = number_of(rows[i].mode);
		link->operstate = number_of(rows[i].operstate);
		link->mtu_bytes = number_of(rows[i].mtu);
		link->umcast.value = rows[i].umcast;
		link->umcast.known = rows[i].umcast_known;
	}
	ipoib_list_make(&list, &inventory->devices, &inventory->links);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct ipoib *row = &list.items[count];

		if (!rows[i].is_ipoib)
			continue;
		assert_true(count++ < list.count);
		assert_string_equal(row->netdev, rows[i].netdev);
		assert_string_equal(row->device ? row->device : "-",
				    rows[i].device ? rows[i].device : "-");
		assert_int_equal(row->port.known, rows[i].device != NULL);
		if (rows[i].device)
			assert_int_equal(row->port.value, 2);
		assert_string_equal(row->parent ? row->parent : "-",
				    rows[i].parent ? rows[i].parent : "-");
		assert_int_equal(row->pkey.value, rows[i].pkey);
		assert_int_equal(row->mode.value, rows[i].mode);
		assert_int_equal(row->operstate.value, rows[i].operstate);
		assert_int_equal(row->mtu_bytes.value, rows[i].mtu);
		assert_int_equal(row->umcast, rows[i].wanted_umcast);
	}
	assert_int_equal(list.count, count);
	ipoib_list_clear(&list);
	assert_int_equal(list.count, 0);
}

static void words_of_a_child(void **state)
{
	static const char pkeys[] = "rdmactl pkeys lists the P_Keys of the ports";
	static const struct {
		struct ipoib_words words;
		const char *name, *value; /* NULL: it is the value that is wrong */
		const char *next_step;
	} cases[] = {
		{{"ib0", "0x8001", NULL, NULL}, "ib0.8001", "ib0 pkey 0x8001 mode datagram", NULL},
		{{"ib0", "1", "connected", "x"}, "x", "ib0 pkey 0x8001 mode connected", NULL},
		{{"ib0", "32767", NULL, NULL}, "ib0.ffff", "ib0 pkey 0xffff mode datagram", NULL},
		{{"ib0", NULL, NULL, NULL},
		 NULL,
		 "the partition is missing: pkey takes its P_Key",
		 pkeys},
		{{"ib0", "0x10000", NULL, NULL},
		 NULL,
		 "'0x10000' is not a P_Key: a P_Key is a number such as 0x8001",
		 pkeys},
		{{"ib0", "0", NULL, NULL},
		 NULL,
		 "no partition has the P_Key 0: 0 and 0x8000 are invalid",
		 pkeys},
		{{"ib0", "0x8000", NULL, NULL},
		 NULL,
		 "no partition has the P_Key 0x8000: 0 and 0x8000 are invalid",
		 pkeys},
		{{"ib0", "1", "fast", NULL},
		 NULL,
		 "'fast' is not a mode: the modes are datagram and connected",
		 NULL},
		{{"i/0", "1", NULL, NULL},
		 NULL,
		 "'i/0' cannot be the name of a netdev: it takes 1 to 15 printable characters, "
		 "without spaces and none of / : %",
		 "rdmactl ipoib lists the IPoIB netdevs"},
		{{"ib0", "1", NULL, "a b"},
		 NULL,
		 "'a b' cannot be the name of a netdev: it takes 1 to 15 printable characters, "
		 "without spaces and none of / : %",
		 "name NAME gives the child another name"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct changes changes = {.items = NULL};
		struct change *change = changes_add(&changes, NULL, &ipoib_add_setting, NULL, NULL);
		int rc = ipoib_parse(change, &cases[i].words);

		assert_int_equal(rc, cases[i].name ? 0 : -EINVAL);
		assert_string_equal(cases[i].name ? change->wanted : change->reason,
				    cases[i].value);
		if (cases[i].name)
			assert_string_equal(change->object, cases[i].name);
		else if (cases[i].next_step)
			assert_string_equal(change->next_step, cases[i].next_step);
		else
			assert_null(change->next_step);
		changes_clear(&changes);
	}
}

/* dev_valid_name(), net/core/dev.c, and characters that no shell should see. */
static void names(void **state)
{
	static const struct {
		const char *name;
		bool valid;
	} cases[] = {
		{"a", true},
		{"abcdefghijklmno", true},
		{"abcdefghijklmnop", false},
		{"", false},
		{".", false},
		{"..", false},
		{"...", true},
		{"a b", false},
		{"a/b", false},
		{"a:b", false},
		{"a%d", false},
		{"a~!", true},
		{"\x7f", false},
		{"\xc3\xa4", false},
		{"a\t", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(netdev_name_valid(cases[i].name), cases[i].valid);
}

static void has_note(const struct change *change, const char *wanted)
{
	if (!strings_contain(&change->notes, wanted))
		fail_msg("no note: %s", wanted);
}

/* As in a new call, which reads the netdevs anew. */
static void guard_anew(struct bed *bed, struct change *change)
{
	if (bed->host.links)
		link_list_clear(bed->host.links);
	change->setting->guard(change);
}

/* Before a netdev goes: its addresses, what is on top of it, and what it is a member of. */
static void users(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &ipoib_del_setting, "ib0", CHANGE_ABSENT);

	memcpy(bed->machine.address, (uint8_t[]){10, 0, 0, 1}, 4);
	bed->machine.ipv6 = true;
	bed->machine.links[0].master = 5;
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 5);
	has_note(change, "undoing the change creates ib0 again: down, without addresses, with the "
			 "initial MTU and umcast");
	has_note(change, "ib0 has the address 10.0.0.1, which is lost with it");
	has_note(change, "ib0 has the address 2001::1, which is lost with it");
	has_note(change, "ib0.8001 is on top of ib0");
	has_note(change, "ib0 is a member of eth0");
	/* A netdev that only goes down keeps its IPv4 addresses. */
	change = want(bed, &ipoib_del_setting, "ib0", CHANGE_ABSENT);
	netdev_note_users(change, 3, false);
	has_note(change, "ib0 has the address 10.0.0.1");
	has_note(change, "ib0 has the address 2001::1, which is lost when it goes down");
	bed->machine.address_flags = NLM_F_DUMP_INTR;
	change = want(bed, &ipoib_del_setting, "ib0", CHANGE_ABSENT);
	netdev_note_users(change, 3, false);
	has_note(change, "ib0 has the address 10.0.0.1");
	has_note(change, "the addresses of the netdev cannot all be seen: the netdevs changed "
			 "while they were read");
	bed->machine.address_flags = 0;
	/* The others have none of that, except a master that cannot be seen here. */
	bed->machine.links[2].master = 99;
	change = want(bed, &ipoib_del_setting, "eth0", CHANGE_ABSENT);
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 2);
	has_note(change, "eth0 is a member of another netdev");
	bed->machine.links[2].master = 0;
	bed->machine.links[3].lower = 5; /* of another namespace's netdev 5 */
	change = want(bed, &ipoib_del_setting, "eth0", CHANGE_ABSENT);
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 1);
	change = want(bed, &ipoib_del_setting, "nosuch", CHANGE_ABSENT);
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 1);
	/* A netdev that came or went during the listing may be on top of it. */
	bed->machine.list_flags = NLM_F_DUMP_INTR;
	change = want(bed, &ipoib_del_setting, "eth0", CHANGE_ABSENT);
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 2);
	has_note(change, "the netdevs on top of the netdev cannot all be seen: the netdevs changed "
			 "while they were read");
}

static void up_and_down(void **state)
{
	const struct setting *setting = port_netdev_setting_table[0];
	struct bed *bed = *state;
	struct change *change = want(bed, setting, "mlx5_0/1", NULL);
	char *value = NULL;

	bed->machine.links[0].flags = IFF_RUNNING | IFF_BROADCAST;
	assert_reads(change, "down");
	assert_int_equal(setting->write(change, "up"), 0);
	assert_int_equal(bed->machine.links[0].flags, IFF_RUNNING | IFF_BROADCAST | IFF_UP);
	assert_reads(change, "up");
	assert_int_equal(setting->write(change, "down"), 0);
	assert_int_equal(bed->machine.links[0].flags, IFF_RUNNING | IFF_BROADCAST);
	change->netdev_index = number_of(88);
	assert_int_equal(setting->read(change, &value), -ENODEV);
	assert_null(value);
	bed->machine.error = -EPERM;
	assert_int_equal(setting->write(change, "up"), -EPERM);
}

static void states_of_a_port(void **state)
{
	static const char *const cases[][2] = {
		{"up", "up"}, {"down", "down"}, {"enable", "up"}, {"disable", "down"}};
	static const char *const bad[] = {"arm", "active", "", "UP", "upp"};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, port_netdev_setting_table[0], "x", NULL);

		assert_int_equal(change_parse(change, cases[i][0], &change->wanted), 0);
		assert_string_equal(change->wanted, cases[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct change *change = want(bed, port_netdev_setting_table[0], "x", NULL);

		assert_int_equal(change_parse(change, bad[i], &change->wanted), -EINVAL);
		assert_non_null(
			strstr(change->reason,
			       "is not a state that an Ethernet port can be set to: it takes "
			       "up, down"));
		assert_string_equal(change->next_step,
				    "arm, active and reset are for InfiniBand ports");
	}
}

/* The help has one list of states for all ports, which says what only InfiniBand has. */
static void state_words(void **state)
{
	struct bed *bed = *state;
	const struct keyword *keyword = &port_agent_setting_table[0]->keyword;

	for (const struct enum_name *name = keyword->choices; name->word; name++) {
		struct change *change = want(bed, port_netdev_setting_table[0], "x", NULL);
		_cleanup_(freep) char *value = NULL;

		assert_int_equal(change_parse(change, name->word, &value) != 0,
				 !strncmp(name->help, "InfiniBand: ", 12));
	}
}

static void mtu(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &link_mtu_setting, "ib0", NULL);
	char *value = NULL;

	assert_reads(change, "2044");
	assert_int_equal(change->setting->write(change, "4092"), 0);
	assert_reads(change, "4092");
	/* The MTU of lo does not fit into 16 bits. */
	assert_int_equal(change->setting->write(change, "65536"), 0);
	assert_reads(change, "65536");
	assert_int_equal(change_parse(change, "65536", &value), 0);
	assert_string_equal(value, "65536");
	free(value);
	value = NULL;
	bed->machine.error = -EINVAL;
	bed->machine.words = "mtu greater than device maximum";
	assert_int_equal(change->setting->write(change, "9000"), -EINVAL);
	assert_string_equal(change->reason,
			    "the kernel refuses it: mtu greater than device maximum");
	bed->machine.words = NULL;
	assert_int_equal(change->setting->write(change, "9000"), -EINVAL);
	assert_string_equal(change->reason, "the driver does not accept this MTU");
	bed->machine.error = -ERANGE;
	change = want(bed, &link_mtu_setting, "ib0", NULL);
	assert_int_equal(change->setting->write(change, "9000"), -ERANGE);
	assert_string_equal(change->reason, "the driver does not accept this MTU");
	bed->machine.error = -EPERM;
	change = want(bed, &link_mtu_setting, "ib0", NULL);
	assert_int_equal(change->setting->write(change, "9000"), -EPERM);
	assert_null(change->reason);
	bed->machine.links[0].mtu = 0;
	assert_int_equal(change->setting->read(change, &value), -EOPNOTSUPP);
	change->netdev_index.known = false;
	assert_int_equal(change->setting->read(change, &value), -ENODEV);
	assert_int_equal(change->setting->write(change, "9000"), -ENODEV);
	assert_null(value);
}

/* What is on top of a netdev goes down with it, and stays down. */
static void mtu_of_uppers(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &link_mtu_setting, "ib0", "2000");

	bed->machine.links[1].mtu = 2044;
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 0);
	bed->machine.links[1].kind = "vlan";
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 1);
	assert_string_equal(change->notes.items[0],
			    "the MTU of ib0.8001 on top of it shrinks with it, from 2044, and "
			    "undoing the change does not raise that again");
	change = want(bed, &link_mtu_setting, "ib0", "2044");
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 0);
	/* A list that sets both raises both when it is undone. */
	for (int i = 0; i < 2; i++) {
		want(bed, i ? &link_mtu_setting : &link_pause_setting, "ib0.8001", "1500")
			->netdev_index = number_of(4);
		change = &bed->changes.items[0];
		change->all = &bed->changes;
		strings_free(&change->notes);
		guard_anew(bed, change);
		assert_int_equal(change->notes.count, 1);
		assert_string_equal(change->notes.items[0],
				    i ? "the MTU of ib0.8001 on top of it shrinks with it, from "
					"2044"
				      : "the MTU of ib0.8001 on top of it shrinks with it, from "
					"2044, and undoing the change does not raise that again");
	}
}

/* A preview tells what the kernel would refuse. */
static void mtu_beyond_the_limit(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &link_mtu_setting, "ib0", "4093");

	bed->machine.links[1].max_mtu = 68;
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 0);
	bed->machine.links[0].max_mtu = 4093;
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 0);
	bed->machine.links[0].max_mtu = 4092;
	guard_anew(bed, change);
	assert_int_equal(change->notes.count, 1);
	assert_string_equal(change->notes.items[0], "the driver of ib0 takes 4092 at most");
}

/*
 * A bond of two in another bond, with a VLAN, a bridge on that and another VLAN; next to these one
 * netdev alone, and a port of a switch with a VLAN on its conduit: what a write may move, the later
 * changes of the list.
 */
static void mtu_of_followers(void **state)
{
	static const struct card cards[] = {
		{.index = 1, .name = "eth0", .master = 3},
		{.index = 2, .name = "eth1", .master = 3},
		{.index = 3, .name = "bond0", .kind = "bond", .master = 8},
		{.index = 4, .name = "bond0.4", .kind = "vlan", .lower = 3, .master = 5},
		{.index = 5, .name = "br0", .kind = "bridge"},
		{.index = 6, .name = "bond0.6", .kind = "vlan", .lower = 3},
		{.index = 7, .name = "alone", .lower = 1, .elsewhere = true},
		{.index = 8, .name = "bond1", .kind = "bond"},
		{.index = 9, .name = "lan0", .kind = "dsa", .lower = 10},
		{.index = 10, .name = "eth2"},
		{.index = 11, .name = "eth2.4", .kind = "vlan", .lower = 10},
	};
	/* The followers of each netdev; the last one appeared after the list was read. */
	static const char *const followers[] = {"123456.8...C", "123456.8...C", "123456.8...C",
						"...45......C", "...45......C", ".....6.....C",
						"......7....C", "123456.8...C", "........9ABC",
						"........9ABC", "..........BC", "123456789ABC"};
	struct bed *bed = *state;
	struct change *change;

	memset(bed->machine.links, 0, sizeof(bed->machine.links));
	memcpy(bed->machine.links, cards, sizeof(cards));
	for (unsigned int i = 1; i <= ARRAY_SIZE(followers); i++)
		want(bed, &link_mtu_setting, "x", "1500")->netdev_index = number_of(i);
	want(bed, &link_pause_setting, "x", "none")->netdev_index = number_of(1);
	for (int missing = 0; missing < 2; missing++) {
		for (size_t i = 0; i < ARRAY_SIZE(followers); i++) {
			bool marks[ARRAY_SIZE(followers) + 1] = {false};

			change = &bed->changes.items[i];
			change->all = &bed->changes;
			change->setting->mark_followers(change, marks);
			for (size_t j = 0; j < ARRAY_SIZE(followers); j++)
				if (marks[j] != (missing || followers[i][j] != '.'))
					fail_msg("%zu of %zu", j + 1, i + 1);
			assert_false(marks[ARRAY_SIZE(followers)]);
		}
		if (!missing)
			assert_int_equal(bed->machine.lists, 1);
		link_list_clear(bed->host.links);
		bed->machine.list_flags = NLM_F_DUMP_INTR;
	}
}

/* Below 1280 bytes the kernel removes IPv6 from the netdev, which undoing does not restore. */
static void mtu_without_ipv6(void **state)
{
	static const struct {
		const char *wanted;
		bool ipv6, disturbs;
	} cases[] = {{"1279", true, true}, {"1280", true, false}, {"1279", false, false}};
	struct bed *bed = *state;

	bed->machine.address[0] = 10;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, &link_mtu_setting, "ib0", cases[i].wanted);

		bed->machine.ipv6 = cases[i].ipv6;
		change->setting->guard(change);
		assert_int_equal(change->disturbs.count, cases[i].disturbs);
		if (cases[i].disturbs)
			assert_non_null(strstr(change->disturbs.items[0],
					       "IPv6, which needs at least 1280 bytes: 2001::1 "));
		assert_int_equal(change->notes.count, 0);
	}
}

/* An address that cannot be seen may be lost nevertheless. */
static void mtu_of_what_is_unseen(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &link_mtu_setting, "ib0", "1279");

	bed->machine.address[0] = 10;
	bed->machine.address_flags = NLM_F_DUMP_INTR;
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 1);
	has_note(change, "the addresses of the netdev cannot all be seen: the netdevs changed "
			 "while they were read");
}

static const struct setting *vf_setting(const char *word)
{
	size_t i = 0;

	while (strcmp(sriov_vf_setting_table[i]->keyword.word, word))
		i++;
	return sriov_vf_setting_table[i];
}

static struct change *want_vf(struct bed *bed, const char *word, unsigned int vf, const char *text)
{
	struct change *change = want(bed, vf_setting(word), "0000:01:00.0 vf 0", NULL);

	change->port = number_of(vf);
	change->data = mem_string("sys/devices/none/0000:01:00.0");
	if (text && change_parse(change, text, &change->wanted))
		return NULL;
	return change;
}

/* Each setting of a VF: the old value, the written one, and no change of other VFs. */
static void virtual_functions(void **state)
{
	static const struct {
		const char *word, *before, *text, *after;
	} cases[] = {
		{"policy", "auto", "down", "down"},
		{"policy", "down", "up", "up"},
		{"policy", "up", "auto", "auto"},
		{"trust", "off", "on", "on"},
		{"trust", "on", "off", "off"},
		{"node-guid", "0011:2233:4455:6677", "1122334455667788", "1122:3344:5566:7788"},
		{"node-guid", "1122:3344:5566:7788", "unset", "unset"},
		{"port-guid", "0011:2233:4455:6688", "0000:0000:0000:0001", "0000:0000:0000:0001"},
		{"port-guid", "0000:0000:0000:0001", "0000:0000:0000:0000", "unset"},
	};
	struct bed *bed = *state;
	const struct virtual_function other = bed->machine.vfs[1];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want_vf(bed, cases[i].word, 0, cases[i].text);

		assert_non_null(change);
		assert_reads(change, cases[i].before);
		assert_string_equal(change->wanted, cases[i].after);
		assert_int_equal(change->setting->write(change, change->wanted), 0);
		assert_reads(change, cases[i].after);
	}
	assert_memory_equal(&bed->machine.vfs[1].policy, &other.policy, sizeof(other.policy));
	assert_memory_equal(&bed->machine.vfs[1].trust, &other.trust, sizeof(other.trust));
}

/* The answer about 256 VFs takes 50 KiB, more than a message about other links. */
static void many_virtual_functions(void **state)
{
	struct bed *bed = *state;
	struct change *change = want_vf(bed, "policy", 0, "down");

	bed->machine.padding = 60000;
	assert_reads(change, "auto");
}

static void what_a_vf_has_not(void **state)
{
	struct bed *bed = *state;
	struct change *change;
	char *value = NULL;

	change = want_vf(bed, "trust", 1, NULL);
	assert_int_equal(change->setting->read(change, &value), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver has no trust for VFs");
	assert_null(change->next_step);
	assert_fails(want_vf(bed, "node-guid", 1, NULL), -EOPNOTSUPP,
		     "the driver has no node-guid for VFs",
		     "only IPoIB netdevs of InfiniBand have GUIDs for their VFs");
	assert_fails(want_vf(bed, "port-guid", 1, NULL), -EOPNOTSUPP,
		     "the driver has no port-guid for VFs",
		     "only IPoIB netdevs of InfiniBand have GUIDs for their VFs");
	assert_fails(want_vf(bed, "policy", 18, NULL), -ENOENT,
		     "there is no VF 18: the function has 18", "rdmactl sriov lists the functions");
	change = want_vf(bed, "policy", 0, NULL);
	change->netdev_index.known = false;
	assert_fails(change, -ENODEV, "the function has no netdev here, through which VFs are set",
		     "load its driver");
	assert_null(want_vf(bed, "node-guid", 0, "12345"));
	change = &bed->changes.items[bed->changes.count - 1];
	assert_string_equal(change->reason,
			    "'12345' is not a GUID: it is 16 hexadecimal digits, such as "
			    "0011:2233:4455:6677, or unset");
	bed->machine.error = -EOPNOTSUPP;
	change = want_vf(bed, "trust", 0, "on");
	assert_int_equal(change->setting->write(change, "on"), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver does not let trust be set");
	assert_string_equal(
		change->next_step,
		"in switchdev mode, devlink may set it instead: devlink port function set");
	bed->machine.error = -EINVAL;
	assert_int_equal(change->setting->write(change, "on"), -EINVAL);
	assert_string_equal(change->reason,
			    "the driver does not accept it: the VF may have gone away");
	assert_string_equal(change->next_step, "rdmactl sriov lists the functions");
	change = want_vf(bed, "trust", 0, "on");
	bed->machine.error = -EPERM;
	assert_int_equal(change->setting->write(change, "on"), -EPERM);
	assert_null(change->reason);
	assert_null(value);
}

static void notes_on_a_vf(void **state)
{
	struct bed *bed = *state;
	struct change *change = want_vf(bed, "policy", 0, "down");

	change->setting->guard(change);
	assert_int_equal(change->notes.count, 1);
	has_note(change, "the VF loses its link");
	change = want_vf(bed, "policy", 0, "up");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 0);
	change = want_vf(bed, "node-guid", 0, "1122:3344:5566:7788");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 1);
	has_note(change, "the VF takes the GUID when its driver is bound to it again");
	change = want_vf(bed, "port-guid", 0, "unset");
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 2);
	has_note(change, "without GUIDs, an InfiniBand VF cannot come up");
}

/* VFs that are made again have none of their settings: VF 0 has GUIDs, and nothing else is set. */
static void settings_that_vfs_lose(void **state)
{
	struct bed *bed = *state;
	struct change *change = want_vf(bed, "policy", 0, "down");

	bed->machine.vfs[1] = (struct virtual_function){.policy = IFLA_VF_LINK_STATE_AUTO};
	sriov_note_vfs(change);
	assert_int_equal(change->notes.count, 2);
	has_note(change, "undoing the change creates VFs again, but without the MACs, GUIDs, "
			 "VLANs, rates, spoof checks, policies and trust that these have");
	has_note(change, "VF 0 has node-guid 0011:2233:4455:6677, port-guid 0011:2233:4455:6688");
	bed->machine.vfs[1].policy = IFLA_VF_LINK_STATE_DISABLE;
	bed->machine.vfs[1].trust = 1;
	bed->machine.vfs[1].vlan = 100;
	sriov_note_vfs(change);
	has_note(change, "VF 1 has vlan 100, qos 2, max_tx_rate 1000, policy down, trust on");
	for (size_t i = 0; i < VFS; i++)
		bed->machine.vfs[i].policy = IFLA_VF_LINK_STATE_ENABLE;
	change = want_vf(bed, "policy", 0, "down");
	sriov_note_vfs(change);
	assert_int_equal(change->notes.count, 1 + 16 + 1);
	has_note(change, "the settings of 2 more VFs are not listed here");
}

/* ice and i40e reset the VF when its trust changes, and this host may be using it. */
static void netdevs_of_a_vf(void **state)
{
	static const struct {
		const char *word, *text, *note;
	} cases[] = {
		{"trust", "on",
		 "i40e and ice reset the VF for it: its traffic stops meanwhile, and its RDMA "
		 "device goes away and comes back"},
		{"policy", "down", "the VF loses its link"},
	};
	struct bed *bed = *state;
	struct saved_tree tree;

	tree_open(&tree);
	tree_write(&tree, "0000:01:00.0/sriov_numvfs", "2");
	tree_directory(&tree, "0000:01:00.0/virtfn1/net/no_such_netdev");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want_vf(bed, cases[i].word, 1, cases[i].text);

		assert_true(change->setting->flags & SETTING_STOPS_TRAFFIC);
		free(change->data);
		change->data = mem_format("%s/0000:01:00.0/net/eth0", tree.path + 1);
		change->setting->guard(change);
		assert_true(strings_contain(&change->notes, cases[i].note));
		assert_true(strings_contain(&change->notes,
					    "no_such_netdev is its netdev on this host"));
	}
	tree_write(&tree, "0000:01:00.0/virtfn0/net", "not a directory");
	for (uint32_t vf = 0; vf < 3; vf++) {
		struct change *change = want_vf(bed, "policy", vf, "down");

		free(change->data);
		change->data = mem_format("%s/0000:01:00.0/net/eth0", tree.path + 1);
		change->setting->guard(change);
		assert_int_equal(strings_contain(&change->notes,
						 "cannot tell whether it has netdevs on this "
						 "host: Not a directory"),
				 vf == 0);
	}
	tree_close(&tree);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_child_comes_and_goes),
		TEST(a_child_that_was_replaced),
		TEST(children_that_cannot_be),
		TEST(typos),
		TEST(children_that_are_refused),
		TEST(children_of_somebody_else),
		TEST(notes_on_a_child),
		TEST(words_of_a_child),
		TEST(listed),
		TEST(children_without_a_netdev),
		TEST(names),
		TEST(users),
		TEST(up_and_down),
		TEST(states_of_a_port),
		TEST(state_words),
		TEST(mtu),
		TEST(mtu_without_ipv6),
		TEST(mtu_of_what_is_unseen),
		TEST(mtu_of_uppers),
		TEST(mtu_of_followers),
		TEST(mtu_beyond_the_limit),
		TEST(virtual_functions),
		TEST(many_virtual_functions),
		TEST(what_a_vf_has_not),
		TEST(notes_on_a_vf),
		TEST(settings_that_vfs_lose),
		TEST(netdevs_of_a_vf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
