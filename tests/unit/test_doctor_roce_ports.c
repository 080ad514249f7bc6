/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of RoCE and IPoIB that look at the netdevs of a port: everything that they report, at
 * each limit.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "doctor/roce/roce.h"
#include "doctor_told.h"

static struct link *add_link(struct bed *bed, const char *name, unsigned int index, uint64_t mtu)
{
	struct link *link = link_list_add(&bed->facts.inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	link->mtu_bytes = number_of(mtu);
	return link;
}

static struct link *link_of(struct bed *bed, const char *name)
{
	struct link_list *links = &bed->facts.inventory.links;

	for (size_t i = 0; i < links->count; i++)
		if (!strcmp(links->items[i].name, name))
			return &links->items[i];
	return NULL;
}

static void set(char **member, const char *text)
{
	free(*member);
	*member = mem_string_or_null(text);
}

/* An adapter to which the device belongs itself, not through a subfunction. */
static void put_adapter(struct bed *bed, unsigned int which, const char *part)
{
	char path[128], target[128];

	snprintf(path, sizeof(path), "pci0000:00/0000:0%u:00.0", which + 1);
	tree_function(&bed->tree, path, NULL, "0x15b3", NULL, NULL);
	snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_%u", which);
	snprintf(target, sizeof(target),
		 "../../devices/pci0000:00/0000:0%u:00.0%s/infiniband/mlx5_%u", which + 1, part,
		 which);
	tree_link(&bed->tree, path, target);
	snprintf(path, sizeof(path), "sys/class/net/eth%u", which);
	snprintf(target, sizeof(target), "../../devices/pci0000:00/0000:0%u:00.0/net/eth%u",
		 which + 1, which);
	tree_link(&bed->tree, path, target);
}

static int set_up(void **state)
{
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	for (unsigned int i = 0; i < 2; i++) {
		char device_name[] = "mlx5_0", link_name[] = "eth0", address[] = "0000:01:00.0";
		struct device *device;
		struct port *port;

		device_name[5] = link_name[3] = (char)('0' + i);
		address[6] = (char)('1' + i);
		device = device_list_add(&bed->facts.inventory.devices, device_name);
		device->driver = mem_string("mlx5_core");
		device->board_id = mem_string("B1");
		device->pci_address = mem_string(address);
		device->transport = number_of(TRANSPORT_ROCE);
		port = device_add_port(device, 1);
		port->link_layer = number_of(LINK_LAYER_ETHERNET);
		port->state = number_of(PORT_STATE_ACTIVE);
		port->netdev = mem_string(link_name);
		add_link(bed, link_name, 3 + i, 9000);
		put_adapter(bed, i, "");
	}
	bed->run.profile = PROFILE_ROCE;
	return 0;
}

static struct device *device_of(struct bed *bed, unsigned int which)
{
	return &bed->facts.inventory.devices.items[which];
}

static void run(struct bed *bed, enum doctor_check_id id)
{
	pci_list_clear(&bed->facts.pci);
	bed->facts.pci = (struct pci_list){.items = NULL};
	bed->facts.pci_was_read = false;
	doctor_roce_free(bed->facts.roce);
	bed->facts.roce = NULL;
	bed->run.device = device_of(bed, 0);
	bed->run.port = &bed->run.device->ports[0];
	bed_run(bed, id);
}

/* 96 bytes of headers: iboe_get_mtu(), include/rdma/ib_addr.h. */
static void room(void **state)
{
	static const struct {
		unsigned int mtu, rdma;
	} cases[] = {
		{65535, 4096}, {4192, 4096}, {4191, 2048}, {2144, 2048}, {2143, 1024}, {1120, 1024},
		{1119, 512},   {608, 512},   {607, 256},   {352, 256},	 {351, 0},     {68, 0},
	};
	static const char line[] =
		"%s mlx5_0/1: %s | eth0: MTU %u, so the RDMA MTU is %u; 4096 needs 4192 < netdev "
		"mtu%s [%u, wanted 4192]\n";
	static const char step[] = " -> if every switch and host of the fabric supports it: "
				   "rdmactl roce set eth0 mtu 9000";
	struct bed *bed = *state;

	set(&device_of(bed, 1)->board_id, "B2");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		link_of(bed, "eth0")->mtu_bytes = number_of(cases[i].mtu);
		run(bed, CHECK_ID_roce_mtu);
		assert_told(bed, line,
			    cases[i].rdma == 4096 ? "ok"
			    : cases[i].rdma	  ? "note"
						  : "error",
			    cases[i].rdma == 4096 ? "the netdev allows the full RDMA MTU of 4096"
			    : cases[i].rdma
				    ? "the MTU of the netdev does not allow the full RDMA MTU of "
				      "4096"
				    : "the MTU of the netdev leaves no room for RDMA",
			    cases[i].mtu, cases[i].rdma, cases[i].rdma == 4096 ? "" : step,
			    cases[i].mtu);
	}
	link_of(bed, "eth0")->mtu_bytes = number_of(1500);
	device_of(bed, 0)->ports[0].state = number_of(PORT_STATE_DOWN);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, line, "not-checked",
		    "the port is not active, so its MTU does not matter yet", 1500, 1024, step,
		    1500);
	link_of(bed, "eth0")->mtu_bytes = number_of(4192);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, line, "ok", "the netdev allows the full RDMA MTU of 4096", 4192, 4096, "",
		    4192);
	link_of(bed, "eth0")->mtu_bytes.known = false;
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, "not-checked mlx5_0/1: the MTU of the netdev is not known\n");
	set(&device_of(bed, 0)->ports[0].netdev, NULL);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, "not-checked mlx5_0/1: the port has no netdev in this network namespace, "
			 "so its addresses and routes cannot be seen from here\n");
	bed->facts.inventory.links.incomplete = true;
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, "not-checked mlx5_0/1: the netdev of the port is not known\n");
}

static void assert_summary(struct bed *bed, enum doctor_check_id id, const char *summary)
{
	run(bed, id);
	assert_string_equal(bed_last(bed)->finding.summary, summary);
	free(doctor_told(&bed->results, &bed->problems));
}

/*
 * Ports that should have the same settings: active ports of full adapters with one board and
 * driver.
 */
static void peers(void **state)
{
	static const char less[] =
		"the RDMA MTU is smaller than that of other ports of the same board";
	static const char alone[] =
		"the MTU of the netdev does not allow the full RDMA MTU of 4096";
	struct bed *bed = *state;
	struct device *other = device_of(bed, 1);

	link_of(bed, "eth0")->mtu_bytes = number_of(4191);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed,
		    "warning mlx5_0/1: %s | eth0: MTU 4191, so the RDMA MTU is 2048; 4096 needs "
		    "4192; eth1 of mlx5_1/1 on the same board has 4096 < netdev mtu -> if every "
		    "switch and host of the fabric supports it: rdmactl roce set eth0 mtu 9000 "
		    "[4191, wanted 4192]\n",
		    less);
	link_of(bed, "eth1")->mtu_bytes = number_of(4191);
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	link_of(bed, "eth1")->mtu_bytes = number_of(4192);
	assert_summary(bed, CHECK_ID_roce_mtu, less);
	link_of(bed, "eth1")->mtu_bytes.known = false;
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	link_of(bed, "eth1")->mtu_bytes.known = true;
	set(&other->board_id, "B2");
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	set(&other->board_id, NULL);
	set(&device_of(bed, 0)->board_id, NULL);
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	set(&other->board_id, "B1");
	set(&device_of(bed, 0)->board_id, "B1");
	set(&other->driver, "mlx4_core");
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	set(&other->driver, "mlx5_core");
	other->ports[0].state = number_of(PORT_STATE_DOWN);
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	other->ports[0].state = number_of(PORT_STATE_ACTIVE);
	other->software = true;
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	other->software = false;
	put_adapter(bed, 1, "/mlx5_core.sf.4");
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	put_adapter(bed, 1, "");
	put_adapter(bed, 0, "/mlx5_core.sf.4");
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	put_adapter(bed, 0, "");
	assert_summary(bed, CHECK_ID_roce_mtu, less);
	tree_link(&bed->tree, "sys/devices/pci0000:00/0000:02:00.0/physfn", "../0000:02:00.1");
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	tree_delete(&bed->tree, "sys/devices/pci0000:00/0000:02:00.0/physfn");
	set(&other->pci_address, "0000:09:00.0");
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
	set(&other->pci_address, NULL);
	assert_summary(bed, CHECK_ID_roce_mtu, alone);
}

static void put_ecn(struct bed *bed, unsigned int which, const char *point, unsigned int mask)
{
	char path[128];

	for (unsigned int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path),
			 "sys/devices/pci0000:00/0000:0%u:00.0/net/eth%u/ecn/%s/enable/%u",
			 which + 1, which, point, i);
		tree_write(&bed->tree, path, mask & 1u << i ? "1" : "0");
	}
}

/* A second port of the same device is also compared. */
static void second_port(void **state)
{
	struct bed *bed = *state;
	struct device *device = device_of(bed, 0);
	struct port *port = device_add_port(device, 2);

	set(&device_of(bed, 1)->board_id, "B2");
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->state = number_of(PORT_STATE_ACTIVE);
	port->netdev = mem_string("eth2");
	add_link(bed, "eth2", 7, 9000);
	link_of(bed, "eth0")->mtu_bytes = number_of(1500);
	run(bed, CHECK_ID_roce_mtu);
	assert_non_null(strstr(bed_last(bed)->finding.evidence,
			       "; eth2 of mlx5_0/2 on the same board has 4096"));
	free(doctor_told(&bed->results, &bed->problems));
	tree_link(&bed->tree, "sys/class/net/eth2",
		  "../../devices/pci0000:00/0000:01:00.0/net/eth2");
	for (unsigned int i = 0; i < 2; i++) {
		put_ecn(bed, i, "roce_rp", 8);
		put_ecn(bed, i, "roce_np", 8);
	}
	/* This port uses the directory of the second adapter's netdev. */
	tree_link(&bed->tree, "sys/devices/pci0000:00/0000:01:00.0/net/eth2",
		  "../../0000:02:00.0/net/eth1");
	assert_summary(bed, CHECK_ID_roce_ecn, "congestion control is on");
	put_ecn(bed, 1, "roce_rp", 16);
	assert_summary(bed, CHECK_ID_roce_ecn,
		       "ports of the same board have different congestion control settings");
}

/* The advice is for an MTU that the drivers of the netdevs allow: mana's, or with XDP, often 1500.
 */
static void driver_limits(void **state)
{
	struct bed *bed = *state;
	struct link *bond;

	set(&device_of(bed, 1)->board_id, "B2");
	link_of(bed, "eth0")->mtu_bytes = number_of(1500);
	link_of(bed, "eth0")->max_mtu_bytes = number_of(4000);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, "note mlx5_0/1: the MTU of the netdev does not allow the full RDMA MTU of "
			 "4096 | eth0: MTU 1500, so the RDMA MTU is 1024; 4096 needs 4192; the "
			 "driver of eth0 allows at most 4000 < netdev mtu -> if every switch and "
			 "host of the fabric supports it: rdmactl roce set eth0 mtu 4000 [1500, "
			 "wanted 4192]\n");
	link_of(bed, "eth0")->max_mtu_bytes = number_of(2143);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed, "ok mlx5_0/1: the RDMA MTU is the largest that the driver of the netdev "
			 "allows | eth0: MTU 1500, so the RDMA MTU is 1024; 4096 needs 4192; the "
			 "driver of eth0 allows at most 2143 < netdev mtu [1500, wanted 4192]\n");
	set(&device_of(bed, 1)->board_id, "B1");
	run(bed, CHECK_ID_roce_mtu);
	assert_string_equal(bed_last(bed)->finding.next_step,
			    "the driver does not allow an MTU that is large enough for a larger "
			    "RDMA MTU");
	assert_int_equal(bed_last(bed)->finding.severity.value, SEVERITY_WARNING);
	set(&device_of(bed, 1)->board_id, "B2");
	/* 0 is no limit. The members of a bond limit it. */
	link_of(bed, "eth0")->max_mtu_bytes = number_of(0);
	assert_summary(bed, CHECK_ID_roce_mtu,
		       "the MTU of the netdev does not allow the full RDMA MTU of 4096");
	bond = add_link(bed, "bond0", 9, 1500);
	bond->kind = mem_string("bond");
	bond->max_mtu_bytes = number_of(65535);
	set(&device_of(bed, 0)->ports[0].netdev, "bond0");
	link_of(bed, "eth0")->master_index = number_of(9);
	link_of(bed, "eth1")->master_index = number_of(9);
	link_of(bed, "eth1")->mtu_bytes = number_of(1500);
	link_of(bed, "eth1")->max_mtu_bytes = number_of(1500);
	assert_summary(bed, CHECK_ID_roce_mtu,
		       "the RDMA MTU is the largest that the driver of the netdev allows");
}

/* What the device itself reports, the members of a bond, and VLANs. */
static void parts(void **state)
{
	static const char shown[] = "bond0: MTU 9000, so the RDMA MTU is 4096; 4096 needs 4192";
	static const char end[] = "-> if every switch and host of the fabric supports it: ip link "
				  "set dev %s mtu 9000, the MTU of bond0 [9000, wanted 4192]\n";
	static const char log[] = "-> the kernel log may have the reason: dmesg | grep -e mlx5_0 "
				  "-e bond0 [9000, wanted 4192]\n";
	_cleanup_(freep) char *of_vlan = mem_format(end, "bond0.7");
	_cleanup_(freep) char *of_member = mem_format(end, "eth0");
	struct bed *bed = *state;
	struct port *port = &device_of(bed, 0)->ports[0];
	struct link *link;

	set(&device_of(bed, 1)->board_id, "B2");
	link = add_link(bed, "bond0", 9, 9000);
	link->kind = mem_string("bond");
	set(&port->netdev, "bond0");
	link_of(bed, "eth0")->master_index = number_of(9);
	link_of(bed, "eth1")->master_index = number_of(9);
	link = add_link(bed, "bond0.7", 10, 1500);
	link->vlan_id = number_of(7);
	link->lower_index = number_of(9);
	add_link(bed, "other", 11, 1500);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed,
		    "note mlx5_0/1: VLANs of the port have a smaller RDMA MTU than the port | "
		    "%s; bond0.7: MTU 1500, RDMA MTU 1024 < netdev mtu %s",
		    shown, of_vlan);
	link_of(bed, "bond0.7")->mtu_bytes = number_of(4192);
	assert_summary(bed, CHECK_ID_roce_mtu, "the netdev allows the full RDMA MTU of 4096");
	link_of(bed, "bond0.7")->mtu_bytes.known = false;
	assert_summary(bed, CHECK_ID_roce_mtu, "the netdev allows the full RDMA MTU of 4096");
	link_of(bed, "eth0")->mtu_bytes = number_of(4191);
	link_of(bed, "eth1")->mtu_bytes = number_of(300);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed,
		    "warning mlx5_0/1: members of the bond have a smaller MTU than the bond | "
		    "%s; eth0: MTU 4191, RDMA MTU 2048; eth1: MTU 300, RDMA MTU 0 < netdev "
		    "mtu %s",
		    shown, of_member);
	link_of(bed, "eth0")->mtu_bytes = link_of(bed, "eth1")->mtu_bytes = number_of(9000);
	port->active_mtu_bytes = number_of(2048);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed,
		    "warning mlx5_0/1: the active RDMA MTU is smaller than the netdev allows "
		    "| %s; active RDMA MTU 2048 < netdev mtu, verbs %s",
		    shown, log);
	port->max_mtu_bytes = number_of(4096);
	assert_summary(bed, CHECK_ID_roce_mtu,
		       "the active RDMA MTU is smaller than the netdev allows");
	port->max_mtu_bytes = number_of(2048);
	run(bed, CHECK_ID_roce_mtu);
	assert_told(bed,
		    "ok mlx5_0/1: the netdev allows the full RDMA MTU of 4096 | %s; active "
		    "RDMA MTU 2048, at most 2048 < netdev mtu, verbs [9000, wanted 4192]\n",
		    shown);
	port->max_mtu_bytes = port->active_mtu_bytes = number_of(4096);
	assert_summary(bed, CHECK_ID_roce_mtu, "the netdev allows the full RDMA MTU of 4096");
}

static void put_params(struct bed *bed, unsigned int which, const char *dscp, const char *priority)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/kernel/debug/mlx5/0000:0%u:00.0/cc_params/np_cnp_dscp",
		 which + 1);
	tree_write(&bed->tree, path, dscp);
	snprintf(path, sizeof(path), "sys/kernel/debug/mlx5/0000:0%u:00.0/cc_params/np_cnp_prio",
		 which + 1);
	tree_write(&bed->tree, path, priority);
}

static void congestion(void **state)
{
	static const char silent[] =
		"not-checked mlx5_0/1: the driver does not report congestion control\n";
	static const char tuned[] =
		"the driver reports how congestion control is tuned, but not whether it is on";
	static const char differ[] =
		"ports of the same board have different congestion control settings";
	struct bed *bed = *state;
	struct device *other = device_of(bed, 1);

	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed, "%s", silent);
	put_params(bed, 0, "48", "6");
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed,
		    "not-checked mlx5_0/1: %s | eth0: np_cnp_dscp 48, np_cnp_prio 6 < debugfs "
		    "cc_params\n",
		    tuned);
	put_params(bed, 1, "48", "6");
	assert_summary(bed, CHECK_ID_roce_ecn, tuned);
	put_params(bed, 1, "48", "7");
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed,
		    "warning mlx5_0/1: %s | eth0: np_cnp_dscp 48, np_cnp_prio 6; eth1: "
		    "np_cnp_dscp 48, np_cnp_prio 7 < debugfs cc_params -> the remedy\n",
		    differ);
	/* A port with incomplete settings cannot be compared. */
	put_ecn(bed, 0, "roce_rp", 0x09);
	put_ecn(bed, 0, "roce_np", 0x80);
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed, "note mlx5_0/1: no priority has congestion control at both ends: those of "
			 "senders and of receivers differ | eth0: senders slow down on priorities "
			 "0, 3, receivers notify on priority 7 < net/X/ecn -> the remedy\n");
	put_ecn(bed, 0, "roce_np", 0x88);
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed, "ok mlx5_0/1: congestion control is on | eth0: senders slow down on "
			 "priorities 0, 3, receivers notify on priorities 3, 7 < net/X/ecn\n");
	put_ecn(bed, 0, "roce_np", 0x80);
	put_ecn(bed, 1, "roce_rp", 0x08);
	put_ecn(bed, 1, "roce_np", 0x80);
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed,
		    "warning mlx5_0/1: %s | eth0: senders slow down on priorities 0, 3, "
		    "receivers notify on priority 7; eth1: senders slow down on priority 3, "
		    "receivers notify on priority 7 < net/X/ecn -> the remedy\n",
		    differ);
	other->ports[0].state = number_of(PORT_STATE_DOWN);
	assert_summary(bed, CHECK_ID_roce_ecn,
		       "no priority has congestion control at both ends: those of senders and of "
		       "receivers differ");
	put_ecn(bed, 0, "roce_rp", 0);
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed, "note mlx5_0/1: congestion control is off, which may be intended | eth0: "
			 "senders slow down on no priority, receivers notify on priority 7 < "
			 "net/X/ecn -> the remedy\n");
	put_ecn(bed, 0, "roce_rp", 0xff);
	put_ecn(bed, 0, "roce_np", 0);
	assert_summary(bed, CHECK_ID_roce_ecn, "congestion control is off, which may be intended");
	tree_link(&bed->tree, "sys/devices/pci0000:00/0000:01:00.0/net/eth0/ecn/roce_np/enable/7",
		  "!EIO");
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed,
		    "not-checked mlx5_0/1: congestion control cannot be read | %s < ecn, debugfs "
		    "cc_params\n"
		    "unread mlx5_0/1: congestion control < ecn, debugfs cc_params: %s\n",
		    strerror(EIO), strerror(EIO));
	set(&device_of(bed, 0)->ports[0].netdev, NULL);
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed, "not-checked mlx5_0/1: the port has no netdev in this network namespace, "
			 "so its addresses and routes cannot be seen from here\n");
	/* A bond without members has no settings to report. */
	set(&device_of(bed, 0)->ports[0].netdev, "eth0");
	link_of(bed, "eth0")->kind = mem_string("bond");
	run(bed, CHECK_ID_roce_ecn);
	assert_told(bed, "%s", silent);
}

/*
 * mlx5_handle_changeupper_event(), drivers/net/ethernet/mellanox/mlx5/core/lag/lag.c; BOND_OPT_MODE
 * in drivers/net/bonding/bond_options.c: the mode of a bond that is up or has members stays.
 */
static void bonds(void **state)
{
	static const char step[] =
		"-> set the bond down and remove its members, or the kernel refuses the change; "
		"then: ip link set dev bond0 type bond mode 802.3ad (or active-backup)";
	static const char wanted[] = "wanted active-backup, balance-xor or 802.3ad]\n";
	static const struct {
		const char *text, *mode;
		bool carries;
	} cases[] = {
		{"802.3ad 4", "802.3ad", true},		{"active-backup 1", "active-backup", true},
		{"balance-xor 2", "balance-xor", true}, {"balance-rr 0", "balance-rr", false},
		{"broadcast 3", "broadcast", false},	{"balance-alb 6", "balance-alb", false},
	};
	struct bed *bed = *state;
	struct link *bond = add_link(bed, "bond0", 9, 9000);

	bond->kind = mem_string("bond");
	link_of(bed, "eth0")->master_index = number_of(9);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&bed->tree, "sys/class/net/bond0/bonding/mode", cases[i].text);
		run(bed, CHECK_ID_bond_mode);
		assert_told(bed,
			    "%s mlx5_0/1: %s | bond0: mode %s, driver mlx5_core < bonding/mode%s%s "
			    "[%s, %s",
			    cases[i].carries ? "ok" : "warning",
			    cases[i].carries ? "the mode of the bond carries RoCE"
					     : "mlx5 creates no RoCE bond in this mode: each "
					       "member remains an RDMA device of its own",
			    cases[i].mode, cases[i].carries ? "" : " ",
			    cases[i].carries ? "" : step, cases[i].mode, wanted);
	}
	tree_write(&bed->tree, "sys/class/net/bond0/bonding/mode", "802.3ad 4");
	/* A second port of the adapter, and one of another. */
	link_of(bed, "eth1")->master_index = number_of(9);
	tree_link(&bed->tree, "sys/class/net/eth1",
		  "../../devices/pci0000:00/0000:01:00.1/net/eth1");
	assert_summary(bed, CHECK_ID_bond_mode, "the mode of the bond carries RoCE");
	put_adapter(bed, 1, "");
	run(bed, CHECK_ID_bond_mode);
	assert_told(bed,
		    "note mlx5_0/1: the members are in different slots, and mlx5 creates a RoCE "
		    "bond only from ports of one adapter | bond0: mode 802.3ad, driver mlx5_core < "
		    "bonding/mode -> build the bond from ports of one adapter, if RDMA is to use "
		    "it [802.3ad, %s",
		    wanted);
	set(&device_of(bed, 0)->driver, "bnxt_en");
	run(bed, CHECK_ID_bond_mode);
	assert_told(bed,
		    "note mlx5_0/1: whether the driver carries RoCE over a bond of this mode "
		    "is not known: test a failover | bond0: mode 802.3ad, driver bnxt_en < "
		    "bonding/mode -> while rdmactl selftest runs to a peer: ip link set dev MEMBER "
		    "down, then up again [802.3ad, %s",
		    wanted);
	set(&device_of(bed, 0)->driver, NULL);
	device_of(bed, 0)->software = true;
	run(bed, CHECK_ID_bond_mode);
	assert_told(bed,
		    "ok mlx5_0/1: the software device sends through the bond, in any mode | "
		    "bond0: mode 802.3ad, driver ? < bonding/mode [802.3ad, %s",
		    wanted);
	tree_delete(&bed->tree, "sys/class/net/bond0/bonding/mode");
	run(bed, CHECK_ID_bond_mode);
	assert_told(
		bed,
		"not-checked mlx5_0/1: the mode of the bond cannot be read | %s < bonding/mode\n"
		"unread mlx5_0/1: the mode of the bond < bonding/mode: %s\n",
		strerror(ENOENT), strerror(ENOENT));
}

static struct link *add_ipoib(struct bed *bed, const char *name, unsigned int index, uint64_t mtu,
			      enum ipoib_mode mode)
{
	struct link *link = add_link(bed, name, index, mtu);

	link->type = number_of(32);
	link->port_guid = number_of(0x77);
	link->ipoib_mode = number_of(mode);
	return link;
}

/* 4092 bytes is the maximum in datagram mode. */
static void ipoib(void **state)
{
	static const struct {
		enum ipoib_mode mode, child_mode;
		unsigned int mtu, child_mtu;
		const char *verdict, *summary;
	} cases[] = {
		{IPOIB_DATAGRAM, IPOIB_DATAGRAM, 2044, 2044, "ok",
		 "mode and MTU of the IPoIB netdevs agree"},
		{IPOIB_CONNECTED, IPOIB_CONNECTED, 65520, 4093, "ok",
		 "mode and MTU of the IPoIB netdevs agree"},
		{IPOIB_CONNECTED, IPOIB_CONNECTED, 65520, 4092, "note",
		 "connected mode has no advantage with an MTU that datagram mode allows, too"},
		{IPOIB_CONNECTED, IPOIB_CONNECTED, 4092, 4092, "note",
		 "connected mode has no advantage with an MTU that datagram mode allows, too"},
		{IPOIB_DATAGRAM, IPOIB_CONNECTED, 65520, 65520, "warning",
		 "an IPoIB child has another mode than its parent"},
		{IPOIB_CONNECTED, IPOIB_DATAGRAM, 2044, 4092, "warning",
		 "an IPoIB child has another mode than its parent"},
		{IPOIB_DATAGRAM, IPOIB_DATAGRAM, 2044, 2045, "warning",
		 "an IPoIB child has a larger MTU than its parent"},
	};
	static const char *const modes[] = {"datagram", "connected"};
	struct bed *bed = *state;
	struct port *port = &device_of(bed, 0)->ports[0];
	struct link *parent, *child;

	port->port_guid = number_of(0x77);
	bed->run.device = device_of(bed, 0);
	bed->run.port = port;
	assert_false(doctor_check(CHECK_ID_ipoib_mode)->applies(&bed->run));
	/* The child comes first in the list. */
	add_ipoib(bed, "ib0.8001", 20, 2044, IPOIB_DATAGRAM)->lower_index = number_of(21);
	add_ipoib(bed, "ib0", 21, 2044, IPOIB_DATAGRAM);
	add_ipoib(bed, "ib9", 22, 2044, IPOIB_CONNECTED)->port_guid = number_of(0x78);
	assert_true(doctor_check(CHECK_ID_ipoib_mode)->applies(&bed->run));
	child = link_of(bed, "ib0.8001");
	parent = link_of(bed, "ib0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		parent->mtu_bytes = number_of(cases[i].mtu);
		parent->ipoib_mode = number_of(cases[i].mode);
		child->mtu_bytes = number_of(cases[i].child_mtu);
		child->ipoib_mode = number_of(cases[i].child_mode);
		run(bed, CHECK_ID_ipoib_mode);
		assert_told(bed,
			    "%s mlx5_0/1: %s | ib0.8001: %s, MTU %u; ib0: %s, MTU %u < netdev mode "
			    "and mtu%s\n",
			    cases[i].verdict, cases[i].summary, modes[cases[i].child_mode],
			    cases[i].child_mtu, modes[cases[i].mode], cases[i].mtu,
			    *cases[i].verdict == 'o' ? "" : " -> the remedy");
	}
	/* A parent in another network namespace is not the netdev with the same index here. */
	child->lower_elsewhere = true;
	assert_summary(bed, CHECK_ID_ipoib_mode, "mode and MTU of the IPoIB netdevs agree");
	child->lower_elsewhere = false;
	child->mtu_bytes.known = false;
	run(bed, CHECK_ID_ipoib_mode);
	assert_told(bed,
		    "ok mlx5_0/1: mode and MTU of the IPoIB netdevs agree | ib0.8001: "
		    "datagram, MTU not known; ib0: datagram, MTU 2044 < netdev mode and mtu\n");
	/* A value missing from the inventory is read again, to learn why. */
	child->ipoib_mode.known = false;
	run(bed, CHECK_ID_ipoib_mode);
	assert_told(bed, "not-checked mlx5_0/1: the mode of an IPoIB netdev is not known | ib0: "
			 "datagram, MTU 2044 < netdev mode and mtu\n");
	tree_write(&bed->tree, "sys/class/net/ib0.8001/mode", "connected");
	assert_summary(bed, CHECK_ID_ipoib_mode, "an IPoIB child has another mode than its parent");
	tree_link(&bed->tree, "sys/class/net/ib0.8001/mode", "!EIO");
	run(bed, CHECK_ID_ipoib_mode);
	assert_told(bed,
		    "not-checked mlx5_0/1: the mode of an IPoIB netdev cannot be read | ib0: "
		    "datagram, MTU 2044; %s < netdev mode and mtu, sysfs\n"
		    "unread mlx5_0/1: the mode of an IPoIB netdev < sysfs: %s\n",
		    strerror(EIO), strerror(EIO));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(room),	     TEST(peers),      TEST(second_port), TEST(parts),
		TEST(driver_limits), TEST(congestion), TEST(bonds),	  TEST(ipoib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
