/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings that go through generic netlink, on a hand-made kernel: the parameters of devlink that
 * switch RDMA on and off, and the pause frames of ethtool.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"
#include "change/sriov/sriov.h"
#include "host/inventory/inventory.h"
#include "kernel/netlink/netlink.h"
#include "change_bed.h"
#include "rooted.h"
#include "saved_tree.h"

/* Last, because it defines macros with names of enumerators above. */
#include <linux/ethtool_netlink.h>

enum { DEVLINK = 0x1c, ETHTOOL = 0x1d, PARAMETERS = 3, TYPE_FLAG = 6 };

static const char *const parameters[PARAMETERS] = {"enable_roce", "enable_rdma", "enable_iwarp"};

/* What the hand-made kernel has, and how it answers. */
struct machine {
	struct fake_kernel kernel;
	bool has_devlink, has_ethtool;
	uint8_t modes[PARAMETERS]; /* enum devlink_param_cmode */
	bool wrong_mode;
	bool known[PARAMETERS], on[PARAMETERS];
	int get_error, set_error, reload_error;
	const char *words;
	unsigned int sets, reloads;
	bool autoneg, rx, tx, autoneg_was_set;
	int pause_error;
};

struct bed {
	struct machine machine;
	struct change_host host;
	struct changes changes;
};

static const struct nlattr *find(const struct nlmsghdr *message, unsigned int type)
{
	const uint8_t *at = (const uint8_t *)message + NLMSG_HDRLEN + GENL_HDRLEN;
	const uint8_t *end = (const uint8_t *)message + message->nlmsg_len;

	for (const struct nlattr *attribute; at + NLA_HDRLEN <= end;
	     at += NLA_ALIGN(attribute->nla_len)) {
		attribute = (const struct nlattr *)at;
		if ((attribute->nla_type & NLA_TYPE_MASK) == type)
			return attribute;
	}
	return NULL;
}

static const void *data_of(const struct nlattr *attribute)
{
	return (const uint8_t *)attribute + NLA_HDRLEN;
}

static void put_header(struct bytes *bytes, uint8_t command)
{
	const struct genlmsghdr header = {.cmd = command, .version = 1};

	bytes_put(bytes, &header, sizeof(header));
}

static void put_families(struct bytes *datagram, const struct machine *machine, uint32_t sequence)
{
	for (int i = 0; i < 2; i++) {
		struct bytes payload = {0};

		if (i ? !machine->has_ethtool : !machine->has_devlink)
			continue;
		put_header(&payload, CTRL_CMD_NEWFAMILY);
		put_string(&payload, CTRL_ATTR_FAMILY_NAME, i ? "ethtool" : "devlink");
		put_u16(&payload, CTRL_ATTR_FAMILY_ID, i ? ETHTOOL : DEVLINK);
		put_message(datagram, GENL_ID_CTRL, NLM_F_MULTI, sequence, payload.data,
			    payload.length);
	}
	put_done(datagram, sequence, 0);
}

static void put_device(struct bytes *payload, const char *name)
{
	put_header(payload, DEVLINK_CMD_NEW);
	put_string(payload, DEVLINK_ATTR_BUS_NAME, "pci");
	put_string(payload, DEVLINK_ATTR_DEV_NAME, name);
}

static void put_devices(struct bytes *datagram, uint32_t sequence)
{
	static const char *const names[] = {"0000:01:00.0", "0000:02:00.0", "mlx5_core.sf.2"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct bytes payload = {0};

		put_device(&payload, names[i]);
		put_message(datagram, DEVLINK, NLM_F_MULTI, sequence, payload.data, payload.length);
	}
	put_done(datagram, sequence, 0);
}

static void put_parameter(struct bytes *datagram, const struct machine *machine, size_t which,
			  const struct nlmsghdr *request)
{
	struct bytes value = {0}, list = {0}, parameter = {0}, payload = {0};

	put_u8(&value, DEVLINK_ATTR_PARAM_VALUE_CMODE, machine->modes[which]);
	if (machine->on[which])
		put_attribute(&value, DEVLINK_ATTR_PARAM_VALUE_DATA, "", 0);
	put_nest(&list, DEVLINK_ATTR_PARAM_VALUE, &value);
	put_string(&parameter, DEVLINK_ATTR_PARAM_NAME, parameters[which]);
	put_attribute(&parameter, DEVLINK_ATTR_PARAM_GENERIC, "", 0);
	put_u8(&parameter, DEVLINK_ATTR_PARAM_TYPE, TYPE_FLAG);
	put_nest(&parameter, DEVLINK_ATTR_PARAM_VALUES_LIST, &list);
	put_device(&payload, data_of(find(request, DEVLINK_ATTR_DEV_NAME)));
	put_nest(&payload, DEVLINK_ATTR_PARAM, &parameter);
	put_message(datagram, DEVLINK, 0, request->nlmsg_seq, payload.data, payload.length);
}

/* The parameter that a request names. */
static size_t parameter_of(const struct nlmsghdr *message)
{
	const struct nlattr *name = find(message, DEVLINK_ATTR_PARAM_NAME);
	size_t which = 0;

	while (which < PARAMETERS && strcmp(data_of(name), parameters[which]))
		which++;
	return which;
}

static void serve_devlink(struct machine *machine, const struct nlmsghdr *message,
			  struct bytes *datagram)
{
	const struct genlmsghdr *header = NLMSG_DATA(message);
	size_t which;

	switch (header->cmd) {
	case DEVLINK_CMD_GET:
		put_devices(datagram, message->nlmsg_seq);
		break;
	case DEVLINK_CMD_PARAM_GET:
		which = parameter_of(message);
		if (machine->get_error || which == PARAMETERS || !machine->known[which])
			put_error(datagram, message->nlmsg_seq,
				  machine->get_error ? machine->get_error : -EINVAL, NULL);
		else
			put_parameter(datagram, machine, which, message);
		break;
	case DEVLINK_CMD_PARAM_SET:
		machine->sets++;
		/* devlink_param_cmode_is_supported() */
		machine->wrong_mode |= *(const uint8_t *)data_of(
					       find(message, DEVLINK_ATTR_PARAM_VALUE_CMODE)) !=
				       machine->modes[parameter_of(message)];
		if (!machine->set_error)
			machine->on[parameter_of(message)] =
				find(message, DEVLINK_ATTR_PARAM_VALUE_DATA) != NULL;
		put_error(datagram, message->nlmsg_seq, machine->set_error, machine->words);
		break;
	default:
		machine->reloads++;
		put_error(datagram, message->nlmsg_seq, machine->reload_error, machine->words);
	}
}

static void serve_ethtool(struct machine *machine, const struct nlmsghdr *message,
			  struct bytes *datagram)
{
	const struct genlmsghdr *header = NLMSG_DATA(message);
	struct bytes payload = {0};

	if (header->cmd == ETHTOOL_MSG_PAUSE_SET) {
		const struct nlattr *autoneg = find(message, ETHTOOL_A_PAUSE_AUTONEG);

		machine->sets++;
		machine->autoneg_was_set = autoneg;
		if (!machine->pause_error) {
			if (autoneg)
				machine->autoneg = *(const uint8_t *)data_of(autoneg);
			machine->rx = *(const uint8_t *)data_of(find(message, ETHTOOL_A_PAUSE_RX));
			machine->tx = *(const uint8_t *)data_of(find(message, ETHTOOL_A_PAUSE_TX));
		}
		put_error(datagram, message->nlmsg_seq, machine->pause_error, machine->words);
		return;
	}
	if (machine->get_error) {
		put_error(datagram, message->nlmsg_seq, machine->get_error, NULL);
		return;
	}
	put_header(&payload, ETHTOOL_MSG_PAUSE_GET_REPLY);
	put_u8(&payload, ETHTOOL_A_PAUSE_AUTONEG, machine->autoneg);
	put_u8(&payload, ETHTOOL_A_PAUSE_RX, machine->rx);
	put_u8(&payload, ETHTOOL_A_PAUSE_TX, machine->tx);
	put_message(datagram, ETHTOOL, 0, message->nlmsg_seq, payload.data, payload.length);
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	struct machine *machine = kernel->context;

	for_each_message (message, requests) {
		struct bytes datagram = {0};

		if (message->nlmsg_type == GENL_ID_CTRL)
			put_families(&datagram, machine, message->nlmsg_seq);
		else if (message->nlmsg_type == DEVLINK)
			serve_devlink(machine, message, &datagram);
		else
			serve_ethtool(machine, message, &datagram);
		fake_send(kernel, &datagram);
	}
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	int fd;

	bed->machine.has_devlink = bed->machine.has_ethtool = true;
	bed->machine.known[0] = bed->machine.known[1] = true;
	bed->machine.on[0] = true;
	memset(bed->machine.modes, DEVLINK_PARAM_CMODE_DRIVERINIT, sizeof(bed->machine.modes));
	bed->machine.kernel.serve = serve;
	bed->machine.kernel.context = &bed->machine;
	fd = fake_start(&bed->machine.kernel);
	if (fd < 0)
		return -1;
	hurry(fd);
	bed->host.generic = netlink_from_fd(fd, NETLINK_LARGEST_MESSAGE);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	change_bed_end(&bed->machine.kernel, &bed->host, &bed->changes);
	free(bed);
	return 0;
}

static struct change *want(struct bed *bed, const struct setting *setting, const char *path)
{
	struct change *change = changes_add(&bed->changes, &bed->host, setting, "mlx5_0", "on");

	change->data = mem_string(path);
	return change;
}

static void assert_fails(struct change *change, int rc, const char *reason, const char *next_step)
{
	char *value = NULL;

	assert_int_equal(change->setting->read(change, &value), rc);
	assert_null(value);
	if (reason) {
		assert_string_equal(change->reason, reason);
		assert_string_equal(change->next_step, next_step);
	} else {
		assert_null(change->reason);
	}
}

#define FUNCTION "sys/devices/pci0000:00/0000:01:00.0"

/* Each driver's name for the parameter; those that are read at driver start need a reload. */
static void switches(void **state)
{
	struct bed *bed = *state;
	struct machine *machine = &bed->machine;
	struct change *roce = want(bed, &sriov_roce_setting, FUNCTION);
	struct change *rdma = want(bed, &sriov_rdma_setting, FUNCTION);
	struct change *iwarp;

	roce = &bed->changes.items[0];
	assert_reads(roce, "on");
	assert_reads(rdma, "off");
	iwarp = want(bed, &sriov_iwarp_setting, FUNCTION);
	assert_fails(iwarp, -EOPNOTSUPP,
		     "the driver of pci/0000:01:00.0 has no parameter enable_iwarp",
		     "devlink dev param show lists those that it has");
	roce = &bed->changes.items[0];
	rdma = &bed->changes.items[1];
	assert_int_equal(roce->setting->write(roce, "off"), 0);
	assert_reads(roce, "off");
	assert_reads(rdma, "off");
	assert_int_equal(machine->reloads, 1);
	machine->modes[1] = DEVLINK_PARAM_CMODE_RUNTIME;
	assert_int_equal(rdma->setting->write(rdma, "on"), 0);
	assert_reads(rdma, "on");
	assert_int_equal(machine->reloads, 1);
	assert_int_equal(machine->sets, 2);
	assert_false(machine->wrong_mode);
}

/* ice has enable_rdma in a different mode than the other two: ice_dvl_rdma_params[], devlink.c. */
static void modes_of_their_own(void **state)
{
	struct bed *bed = *state;
	struct machine *machine = &bed->machine;
	struct change *rdma = want(bed, &sriov_rdma_setting, FUNCTION), *roce;

	machine->known[2] = true;
	machine->modes[0] = machine->modes[2] = DEVLINK_PARAM_CMODE_RUNTIME;
	rdma->setting->guard(rdma);
	assert_int_equal(rdma->notes.count, 1);
	assert_int_equal(rdma->setting->write(rdma, "on"), 0);
	assert_int_equal(machine->reloads, 1);
	roce = want(bed, &sriov_roce_setting, FUNCTION);
	roce->setting->guard(roce);
	assert_int_equal(roce->notes.count, 0);
	assert_int_equal(roce->setting->write(roce, "off"), 0);
	assert_int_equal(machine->reloads, 1);
	assert_false(machine->wrong_mode);
}

/* bnxt keeps enable_roce in the adapter: bnxt_dl_params[], bnxt_devlink.c, since 2025. */
static void kept_by_the_adapter(void **state)
{
	struct bed *bed = *state;
	struct machine *machine = &bed->machine;
	struct change *roce = want(bed, &sriov_roce_setting, FUNCTION);

	machine->modes[0] = DEVLINK_PARAM_CMODE_PERMANENT;
	machine->on[0] = false;
	roce->setting->guard(roce);
	/* Only a reload can cut the session off, and its guard looks at that. */
	assert_false(roce->setting->flags & SETTING_CUTS_WAY);
	assert_int_equal(roce->disturbs.count, 0);
	assert_int_equal(roce->notes.count, 1);
	assert_string_equal(roce->notes.items[0], "0000:01:00.0 keeps it in its memory, and uses "
						  "it from its next start: restart the host");
	assert_int_equal(roce->setting->write(roce, "on"), 0);
	assert_reads(roce, "on");
	assert_int_equal(machine->reloads, 0);
	assert_false(machine->wrong_mode);
}

/* The devlink device is the last part of the path that is one: a subfunction has none here. */
static void places(void **state)
{
	struct bed *bed = *state;

	assert_reads(want(bed, &sriov_roce_setting, FUNCTION "/mlx5_core.sf.4/infiniband/mlx5_2"),
		     "on");
	assert_reads(want(bed, &sriov_roce_setting, "0000:09:00.0/0000:01:00.0"), "on");
	assert_fails(want(bed, &sriov_roce_setting, "sys/devices/pci0000:00/0000:09:00.0"),
		     -EOPNOTSUPP, "the driver of mlx5_0 has no devlink",
		     "it takes a driver such as mlx5_core or ice: devlink dev show");
	bed->machine.get_error = -EIO;
	assert_fails(want(bed, &sriov_roce_setting, FUNCTION), -EIO, NULL, NULL);
	bed->machine.has_devlink = false;
	assert_fails(want(bed, &sriov_roce_setting, FUNCTION), -EOPNOTSUPP,
		     "the driver of mlx5_0 has no devlink",
		     "it takes a driver such as mlx5_core or ice: devlink dev show");
}

/* The RDMA device disappears with RDMA, and then cannot name the function any more. */
static void undone_by_what_stays(void **state)
{
	static const struct {
		const char *path, *undo;
	} cases[] = {
		{FUNCTION "/infiniband/mlx5_0", "rdmactl sriov set 0000:01:00.0 enable-rdma off"},
		{FUNCTION "/net/ens1f0np0", "rdmactl sriov set 0000:01:00.0 enable-rdma off"},
		{FUNCTION, "rdmactl sriov set 0000:01:00.0 enable-rdma off"},
		{FUNCTION "/mlx5_core.sf.2/infiniband/mlx5_2",
		 "rdmactl sriov set mlx5_core.sf.2 enable-rdma off"},
		/* No word of the command finds functions on that bus. */
		{"sys/devices/netdevsim10/net/eth0", "rdmactl sriov set mlx5_0 enable-rdma off"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = want(bed, &sriov_rdma_setting, cases[i].path);
		_cleanup_(freep) char *undo = NULL;

		change->before = mem_string("off");
		undo = change->setting->undo(change);
		assert_string_equal(undo, cases[i].undo);
	}
}

static void refusals(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &sriov_roce_setting, FUNCTION);

	bed->machine.set_error = -EPERM;
	assert_int_equal(change->setting->write(change, "off"), -EPERM);
	assert_string_equal(change->reason,
			    "the kernel did not set it for 0000:01:00.0: Operation not permitted");
	assert_string_equal(change->next_step, "devlink dev show, and dmesg | tail, may say more");
	assert_int_equal(bed->machine.reloads, 0);
	bed->machine.set_error = -EOPNOTSUPP;
	bed->machine.words = "RoCE is in use";
	assert_int_equal(change->setting->write(change, "off"), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the kernel did not set it for 0000:01:00.0: Operation "
					    "not supported: RoCE is in use");
	bed->machine.set_error = 0;
	bed->machine.reload_error = -EOPNOTSUPP;
	assert_int_equal(change->setting->write(change, "off"), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver of 0000:01:00.0 cannot be reloaded, so it "
					    "stays as it was: RoCE is in use");
	assert_string_equal(change->next_step, "do what it asks for, then run the command again");
	bed->machine.words = NULL;
	assert_int_equal(change->setting->write(change, "off"), -EOPNOTSUPP);
	assert_null(change->next_step);
	bed->machine.words = "RoCE is in use";
	bed->machine.reload_error = -EBUSY;
	assert_int_equal(change->setting->write(change, "off"), -EBUSY);
	assert_string_equal(change->reason, "the kernel did not reload 0000:01:00.0: Device or "
					    "resource busy: RoCE is in use");
}

/* The driver did not change, so the parameter does not either; there is nothing to undo. */
static void no_reload(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &sriov_roce_setting, FUNCTION);

	free(change->wanted);
	change->wanted = mem_string("off");
	bed->machine.reload_error = -EOPNOTSUPP;
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	assert_false(changes_write(&bed->changes));
	assert_int_equal(change->state.value, CHANGE_FAILED);
	assert_string_equal(change->after, "on");
	assert_true(bed->machine.on[0]);
	assert_int_equal(bed->machine.reloads, 1);
}

/* A reload removes everything for a moment, which is reported. */
static void reload_is_told(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, &sriov_roce_setting, FUNCTION);

	change->setting->guard(change);
	assert_int_equal(change->notes.count, 1);
	assert_string_equal(change->notes.items[0],
			    "the driver of 0000:01:00.0 is reloaded: its netdevs and RDMA devices "
			    "go away and come back, without addresses");
	bed->machine.modes[0] = DEVLINK_PARAM_CMODE_RUNTIME;
	change = want(bed, &sriov_roce_setting, FUNCTION);
	change->setting->guard(change);
	assert_int_equal(change->notes.count, 0);
}

/* VFs disappear with their function; reloading a subfunction does not affect them. */
static void vfs_are_in_the_way(void **state)
{
	static const struct {
		const char *count, *below;
		bool disturbs;
	} cases[] = {{"4", "", true}, {"0", "", false}, {"4", "/mlx5_core.sf.2", false}};
	struct bed *bed = *state;
	struct saved_tree tree;

	tree_open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *path = mem_format("%s/0000:01:00.0%s", tree.path + 1,
							 cases[i].below);
		struct change *change = want(bed, &sriov_roce_setting, path);

		tree_write(&tree, "0000:01:00.0/sriov_numvfs", cases[i].count);
		change->setting->guard(change);
		assert_int_equal(change->notes.count, 1);
		assert_int_equal(change->disturbs.count, cases[i].disturbs);
		if (cases[i].disturbs)
			assert_string_equal(change->disturbs.items[0],
					    "the 4 VFs of 0000:01:00.0, which stop meanwhile");
	}
	tree_close(&tree);
}

/* A function with the netdev 7, and its subfunction with the netdev 8; 10.1.1.N is on netdev N. */
static void serve_links(struct fake_kernel *kernel, const struct bytes *requests)
{
	for_each_message (message, requests) {
		const bool links = message->nlmsg_type == RTM_GETLINK;
		struct bytes datagram = {0};

		for (int i = 7; i <= 8; i++) {
			const struct ifinfomsg link = {.ifi_index = i, .ifi_type = ARPHRD_ETHER};
			const struct ifaddrmsg address = {.ifa_family = AF_INET,
							  .ifa_index = (unsigned int)i};
			const uint8_t ip[] = {10, 1, 1, (uint8_t)i};
			struct bytes payload = {0};

			bytes_put(&payload, links ? (const void *)&link : &address,
				  links ? sizeof(link) : sizeof(address));
			if (links)
				put_string(&payload, IFLA_IFNAME, i == 7 ? "pf7" : "sf8");
			else
				put_attribute(&payload, IFA_LOCAL, ip, sizeof(ip));
			put_message(&datagram, links ? RTM_NEWLINK : RTM_NEWADDR, NLM_F_MULTI,
				    message->nlmsg_seq, payload.data, payload.length);
		}
		put_done(&datagram, message->nlmsg_seq, 0);
		fake_send(kernel, &datagram);
	}
}

/* The user named a device or a netdev of the function, not the function's directory. */
static void users_of_what_is_reloaded(void **state)
{
	static const struct {
		const char *path, *address;
	} cases[] = {
		{"", "pf7 has the address 10.1.1.7, which is lost with it"},
		{"/infiniband/mlx5_0", "pf7 has the address 10.1.1.7, which is lost with it"},
		{"/net/pf7", "pf7 has the address 10.1.1.7, which is lost with it"},
		{"/mlx5_core.sf.2/infiniband/mlx5_2",
		 "sf8 has the address 10.1.1.8, which is lost with it"},
	};
	struct fake_kernel kernel = {.serve = serve_links};
	struct bed *bed = *state;
	struct saved_tree tree;

	tree_open(&tree);
	tree_write(&tree, "0000:01:00.0/net/pf7/ifindex", "7");
	tree_write(&tree, "0000:01:00.0/mlx5_core.sf.2/net/sf8/ifindex", "8");
	bed->host.rtnl = netlink_from_fd(fake_start(&kernel), NETLINK_LARGEST_MESSAGE);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *path = mem_format("%s/0000:01:00.0%s", tree.path + 1,
							 cases[i].path);
		struct change *change = want(bed, &sriov_rdma_setting, path);

		/* VFs are set by the netdev of the function, whichever object was named. */
		change->netdev_index = number_of(7);
		change->setting->guard(change);
		assert_int_equal(change->notes.count, 2);
		assert_string_equal(change->notes.items[1], cases[i].address);
	}
	tree_close(&tree);
	netlink_free(bed->host.rtnl);
	bed->host.rtnl = NULL;
	fake_stop(&kernel);
}

/* The process ends together with the kernel that it has made. */
static void guard_in_tree(const struct saved_tree *tree, FILE *out, void *context)
{
	struct machine machine = {.has_devlink = true, .known[1] = true};
	struct inventory inventory = {.answers = true};
	struct change_host host = {.inventory = &inventory};
	struct change change = {.host = &host,
				.setting = &sriov_rdma_setting,
				.object = mem_string("mlx5_0"),
				.data = mem_string(context)};
	struct device *device = device_list_add(&inventory.devices, "mlx5_0");

	(void)tree;
	device_add_port(device, 1);
	machine.kernel.serve = serve;
	machine.kernel.context = &machine;
	host.generic = netlink_from_fd(fake_start(&machine.kernel), NETLINK_LARGEST_MESSAGE);
	change.setting->guard(&change);
	for (size_t i = 0; i < change.disturbs.count; i++)
		fprintf(out, "%s\n", change.disturbs.items[i]);
}

static void users_of_the_device(void **state)
{
	static const char *const paths[] = {FUNCTION, FUNCTION "/infiniband/mlx5_0",
					    FUNCTION "/net/eth0"};
	struct saved_tree tree;

	(void)state;
	if (!rooted_is_possible())
		skip();
	tree_open(&tree);
	tree_link(&tree, "sys/class/infiniband/mlx5_0",
		  "../../devices/pci0000:00/0000:01:00.0/infiniband/mlx5_0");
	tree_write(&tree, FUNCTION "/infiniband/mlx5_0/device/net/ib7/type", "32");
	tree_write(&tree, FUNCTION "/infiniband/mlx5_0/device/net/ib7/flags", "0x1003");
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		rooted_expect(&tree, guard_in_tree, (void *)(uintptr_t)paths[i],
			      "IPoIB interface ib7, which is up\n");
	tree_close(&tree);
}

static struct change *want_pause(struct bed *bed)
{
	struct change *change = changes_add(&bed->changes, &bed->host, &link_pause_setting, "eth0",
					    "rx");

	change->netdev_index = number_of(3);
	return change;
}

static void pause_frames(void **state)
{
	static const struct {
		const char *value;
		bool autoneg, rx, tx, sets_autoneg;
	} cases[] = {
		{"rx,tx", false, true, true, false},	  {"rx", false, true, false, false},
		{"tx", false, false, true, false},	  {"none", false, false, false, false},
		{"rx,auto", true, true, false, true},	  {"tx,auto", true, false, true, false},
		{"none,auto", true, false, false, false}, {"none", false, false, false, true},
	};
	struct bed *bed = *state;
	struct change *change = want_pause(bed);

	assert_reads(change, "none");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(change->setting->write(change, cases[i].value), 0);
		assert_int_equal(bed->machine.autoneg, cases[i].autoneg);
		assert_int_equal(bed->machine.rx, cases[i].rx);
		assert_int_equal(bed->machine.tx, cases[i].tx);
		/* Drivers without negotiation reject requests for it. */
		assert_int_equal(bed->machine.autoneg_was_set, cases[i].sets_autoneg);
		assert_reads(change, cases[i].value);
	}
	assert_int_equal(change->setting->write(change, "both"), -EINVAL);
	assert_int_equal(bed->machine.sets, ARRAY_SIZE(cases));
}

static void pause_refused(void **state)
{
	struct bed *bed = *state;
	struct change *change = want_pause(bed);
	char *value = NULL;

	bed->machine.pause_error = -EOPNOTSUPP;
	assert_int_equal(change->setting->write(change, "rx"), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver cannot set pause frames");
	bed->machine.autoneg = true;
	assert_int_equal(change->setting->write(change, "none"), -EOPNOTSUPP);
	assert_string_equal(
		change->reason,
		"the driver cannot set pause frames, or cannot set whether they are negotiated");
	assert_string_equal(change->next_step, "leave the negotiation as it is: rdmactl roce set "
					       "eth0 global-pause none,auto");
	bed->machine.autoneg = false;
	bed->machine.pause_error = -EINVAL;
	assert_int_equal(change->setting->write(change, "rx"), -EINVAL);
	assert_string_equal(change->reason, "the driver does not accept these pause frames");
	bed->machine.words = "PFC is on";
	assert_int_equal(change->setting->write(change, "rx"), -EINVAL);
	assert_string_equal(change->reason,
			    "the driver does not accept these pause frames: PFC is on");
	bed->machine.pause_error = -EPERM;
	change = want_pause(bed);
	assert_int_equal(change->setting->write(change, "rx"), -EPERM);
	assert_null(change->reason);
	bed->machine.get_error = -EOPNOTSUPP;
	assert_int_equal(change->setting->read(change, &value), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver or kernel does not report pause frames");
	assert_int_equal(change->setting->write(change, "rx"), -EOPNOTSUPP);
	bed->machine.has_ethtool = false;
	change = want_pause(bed);
	assert_int_equal(change->setting->read(change, &value), -EOPNOTSUPP);
	assert_string_equal(change->reason, "the driver or kernel does not report pause frames");
	change->netdev_index.known = false;
	assert_int_equal(change->setting->read(change, &value), -ENODEV);
	assert_null(value);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(switches),
		TEST(modes_of_their_own),
		TEST(places),
		TEST(kept_by_the_adapter),
		TEST(undone_by_what_stays),
		TEST(refusals),
		TEST(no_reload),
		TEST(reload_is_told),
		TEST(vfs_are_in_the_way),
		TEST(users_of_what_is_reloaded),
		TEST(users_of_the_device),
		TEST(pause_frames),
		TEST(pause_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
