/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The checks of RoCE that need the live host: GIDs, lossless classes, routes, ARP. */
#include "doctor/limits/limits.h"
#include "doctor_roce_bed.h"

#define DEFAULT_UNKNOWN                                                                         \
	"no traffic class is set, and whether traffic class 0 leads to a lossless priority is " \
	"not known"
#define OWN_GID "0000:0000:0000:0000:0000:ffff:0a00:0005\n"

static void gids(void **state)
{
	struct bed *bed = *state;
	struct link_address_list *addresses = &bed->facts.inventory.addresses;

	put_gid(bed, 0, 0, OWN_GID, "IB/RoCE v1\n", "eth0\n");
	put_gid(bed, 0, 1, OWN_GID, "RoCE v2\n", "eth0\n");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "every IP address of the port has a RoCE v2 GID", "1 IP address");
	/* A GID of another netdev with the same address does not help. */
	put_gid(bed, 0, 1, OWN_GID, "RoCE v2\n", "eth1\n");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_WARNING,
	       "IP addresses of the port have only RoCE v1 GIDs",
	       "10.0.0.5 on eth0 has RoCE v1 only");
	put_gid(bed, 0, 0, OWN_GID, "IB/RoCE v1\n", "eth1\n");
	bed->facts.inventory.links.items[0].enabled = TRISTATE_NO;
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_ERROR, "IP addresses of the port have no GID",
	       "10.0.0.5 on eth0 has no GID, the GID table is full");
	put_gid(bed, 0, 2, "0000:0000:0000:0000:0000:0000:0000:0000\n", "\n", "\n");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_ERROR, "IP addresses of the port have no GID",
	       "10.0.0.5 on eth0 has no GID, the netdev is not up");
	/* A link-local address is skipped. */
	addresses->items[1] = addresses->items[0];
	assert_int_equal(ip_parse("fe80::1", &addresses->items[0].ip), 0);
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_ERROR, "IP addresses of the port have no GID",
	       "10.0.0.5 on eth0 has no GID, the netdev is not up");
	addresses->count = 0;
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_NOTICE,
	       "the port has no IP address, so its GIDs are link-local only", "0 IP addresses");
	assert_int_equal(bed->problems.count, 0);
}

/* The port whose GID appears during the next pause of a check, and how many pauses there were. */
static struct bed *late;
static unsigned int pauses;

/* The pauses of checks: they do not depend on the time that this machine takes. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
	(void)clock;
	(void)flags;
	(void)time;
	(void)left;
	pauses++;
	if (late)
		put_gid(late, 0, 0, OWN_GID, "RoCE v2\n", "eth0\n");
	late = NULL;
	return 0;
}

/* A GID that appears a little later is not a fault. */
static void late_gid(void **state)
{
	struct bed *bed = *state;

	put_gid(bed, 0, 0, "0000:0000:0000:0000:0000:0000:0000:0000\n", "RoCE v2\n", "eth0\n");
	late = bed;
	pauses = 0;
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "every IP address of the port has a RoCE v2 GID", "1 IP address");
	assert_int_equal(pauses, 1);
}

static void unreadable_gids(void **state)
{
	struct bed *bed = *state;

	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_INFO, "part of the GID table is not known",
	       NULL);
	assert_int_equal(bed->problems.count, 1);
}

static void pfc(void **state)
{
	struct bed *bed = *state;

	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_OK, "the port has lossless priorities",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP");
	assert_int_equal(bed->kernel.datagrams, 2);
	/* Every netdev is queried once. */
	expect(bed, CHECK_ID_roce_pfc, 1, SEVERITY_OK, "the port has lossless priorities",
	       "eth1: lossless priorities 3; has DSCP entries, so trusts the DSCP");
	assert_int_equal(bed->kernel.datagrams, 2);
}

static void pfc_differs(void **state)
{
	struct bed *bed = *state;

	bed->answers.pfc[1] = 0x30;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_WARNING,
	       "ports of the same board have different lossless priorities or trust",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP; eth1: lossless "
	       "priorities 4, 5; has DSCP entries, so trusts the DSCP");
	/* No entry is for DSCP 0, so the firmware chooses. */
	expect(bed, CHECK_ID_roce_tos, 1, SEVERITY_INFO, DEFAULT_UNKNOWN,
	       "eth1: lossless priorities 4, 5; has DSCP entries, so trusts the DSCP");
}

/* A port without a report, or with the same settings, does not hide one that differs. */
static void pfc_of_the_third(void **state)
{
	struct bed *bed = *state;

	add_port(bed, 2);
	bed->answers.pfc[2] = 0x30;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_WARNING,
	       "ports of the same board have different lossless priorities or trust",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP; eth2: lossless "
	       "priorities 4, 5; has DSCP entries, so trusts the DSCP");
}

/* An adapter's second port follows its first one, and a port without a netdev is skipped. */
static void pfc_of_a_second_port(void **state)
{
	struct bed *bed = *state;
	struct device *device;
	struct port *port;

	add_port(bed, 2);
	device = &bed->facts.inventory.devices.items[0];
	device_add_port(device, 2)->link_layer = number_of(LINK_LAYER_ETHERNET);
	port = device_add_port(device, 3);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->state = number_of(PORT_STATE_ACTIVE);
	port->netdev = mem_string("eth2");
	bed->facts.inventory.devices.count = 1;
	bed->answers.pfc[2] = 0x30;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_WARNING,
	       "ports of the same board have different lossless priorities or trust",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP; eth2: lossless "
	       "priorities 4, 5; has DSCP entries, so trusts the DSCP");
	bed->facts.inventory.devices.count = 3;
}

/* The first member of a bond whose driver reports them has the settings. */
static void pfc_of_a_bond(void **state)
{
	struct bed *bed = *state;
	struct link_list *links = &bed->facts.inventory.links;
	struct link *bond = link_list_add(links);

	bond->name = mem_string("bond0");
	bond->index = number_of(99);
	bond->kind = mem_string("bond");
	links->items[0].master_index = links->items[1].master_index = number_of(99);
	free(bed->facts.inventory.devices.items[0].ports[0].netdev);
	bed->facts.inventory.devices.items[0].ports[0].netdev = mem_string("bond0");
	bed->answers.dcb_error_of[0] = -EOPNOTSUPP;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_OK, "the port has lossless priorities",
	       "eth1: lossless priorities 3; has DSCP entries, so trusts the DSCP");
}

static void pfc_behind_an_error(void **state)
{
	struct bed *bed = *state;

	add_port(bed, 2);
	bed->answers.dcb_error_of[1] = -EOPNOTSUPP;
	bed->answers.pfc[2] = 0x30;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_WARNING,
	       "ports of the same board have different lossless priorities or trust",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP; eth2: lossless "
	       "priorities 4, 5; has DSCP entries, so trusts the DSCP");
}

/* The settings of a port that is down, or of another board, do not matter. */
static void pfc_elsewhere(void **state)
{
	struct bed *bed = *state;
	struct device *other = &bed->facts.inventory.devices.items[1];

	bed->answers.pfc[1] = 0x30;
	other->ports[0].state = number_of(PORT_STATE_DOWN);
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_OK, "the port has lossless priorities",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP");
	other->ports[0].state = number_of(PORT_STATE_ACTIVE);
	other->board_id = mem_string("MT_2");
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_OK, "the port has lossless priorities",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP");
}

static void pfc_off(void **state)
{
	struct bed *bed = *state;

	bed->answers.pfc[0] = bed->answers.pfc[1] = 0;
	bed->answers.dscp_26 = 0;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_NOTICE,
	       "no priority is lossless, which may be intended: without pause frames for the whole "
	       "link, RoCE is lossy traffic here",
	       "eth0: lossless priorities none; trusts the VLAN tag, not the DSCP");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_OK,
	       "no priority is lossless, so no traffic class has to lead to one", NULL);
}

/* A driver without data center bridging is not a fault, an error of the kernel is. */
static void dcb_unknown(void **state)
{
	struct bed *bed = *state;

	bed->answers.dcb_error = -EOPNOTSUPP;
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_INFO,
	       "the driver does not report which priorities are lossless", NULL);
	assert_int_equal(bed->problems.count, 0);
	bed->answers.dcb_error = -ENOMEM;
	expect(bed, CHECK_ID_roce_tos, 1, SEVERITY_INFO, "data center bridging cannot be read",
	       "Cannot allocate memory");
	assert_int_equal(bed->problems.count, 1);
}

/* NVIDIA's out-of-tree driver shows its trust only in sysfs, which precedes what is derived. */
static void trust_in_sysfs(void **state)
{
	static const char file[] = "sys/class/net/eth0/qos/trust";
	struct bed *bed = *state;

	bed->answers.dscp_26 = 0;
	tree_write(&bed->tree, file, "dscp\n");
	tree_write(&bed->tree, "etc/nccl.conf", "NCCL_IB_TC=106\n");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_INFO,
	       "whether a configured traffic class leads to a lossless priority is not known",
	       "eth0: lossless priorities 3; trusts the DSCP; NCCL_IB_TC (/etc/nccl.conf): traffic "
	       "class 106: DSCP 26, for which the driver reports no priority");
	expect(bed, CHECK_ID_roce_pfc, 1, SEVERITY_WARNING,
	       "ports of the same board have different lossless priorities or trust",
	       "eth1: lossless priorities 3; trusts the VLAN tag, not the DSCP; eth0: lossless "
	       "priorities 3; trusts the DSCP");
}

static void trust_of_the_tag(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, "sys/class/net/eth0/qos/trust", "pcp\n");
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_WARNING,
	       "ports of the same board have different lossless priorities or trust",
	       "eth0: lossless priorities 3; trusts the VLAN tag, not the DSCP; eth1: lossless "
	       "priorities 3; has DSCP entries, so trusts the DSCP");
}

static const char configfs[] = "sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos";

/* The directory is also made to set the mode: the kernel's default is not a setting. */
static void tos_untouched(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, configfs, "");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_INFO, DEFAULT_UNKNOWN,
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP");
	tree_write(&bed->tree, configfs, "0\n");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_INFO, DEFAULT_UNKNOWN,
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP");
	tree_write(&bed->tree, "sys/class/net/eth1/qos/trust", "pcp\n");
	expect(bed, CHECK_ID_roce_tos, 1, SEVERITY_NOTICE,
	       "no traffic class is set, and traffic class 0 does not lead to a lossless priority",
	       "eth1: lossless priorities 3; trusts the VLAN tag, not the DSCP");
}

/* NCCL's files are read once a run. */
static void next_run(struct bed *bed)
{
	doctor_limits_free(bed->facts.limits);
	bed->facts.limits = NULL;
}

static void tos(void **state)
{
	struct bed *bed = *state;
	char nccl[] = "NCCL_IB_TC=184", ucx[] = "UCX_IB_TRAFFIC_CLASS=auto";
	const struct doctor_result *result;

	tree_write(&bed->tree, configfs, "106\n");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_OK,
	       "every configured traffic class leads to a lossless priority",
	       "eth0: lossless priorities 3; has DSCP entries, so trusts the DSCP; "
	       "default_roce_tos of rdma_cm: traffic class 106: DSCP 26, priority 3, which is "
	       "lossless");
	/* The shortest value: one digit, without even the line feed that configfs writes. */
	tree_write_bytes(&bed->tree, configfs, "8", 1);
	assert_non_null(strstr(run(bed, CHECK_ID_roce_tos, 0)->finding.evidence,
			       "default_roce_tos of rdma_cm: traffic class 8: DSCP 2, "));
	tree_write(&bed->tree, configfs, "106\n");
	bed->environment[0] = ucx;
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_OK,
	       "every configured traffic class leads to a lossless priority",
	       bed->results.items[0].finding.evidence);
	tree_write(&bed->tree, "etc/nccl.conf", "NCCL_IB_TC=300\n");
	next_run(bed);
	result = run(bed, CHECK_ID_roce_tos, 0);
	assert_non_null(strstr(result->finding.evidence,
			       "NCCL_IB_TC (/etc/nccl.conf): '300' is not a traffic class"));
	assert_int_equal(result->finding.severity.value, SEVERITY_INFO);
	/* The setting of the environment comes first. */
	bed->environment[1] = nccl;
	result = run(bed, CHECK_ID_roce_tos, 0);
	assert_non_null(strstr(result->finding.evidence,
			       "NCCL_IB_TC (environment): traffic class 184: DSCP 46, for which "
			       "the driver reports no priority"));
	assert_int_equal(result->finding.severity.value, SEVERITY_INFO);
	bed->environment[1] = NULL;
	tree_delete(&bed->tree, "etc/nccl.conf");
	next_run(bed);
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_0/tc/1/traffic_class",
		   "Global tclass=106\nrule\n");
	result = run(bed, CHECK_ID_roce_tos, 0);
	assert_non_null(strstr(result->finding.evidence,
			       "global traffic class: traffic class 106: DSCP 26, priority 3"));
	assert_int_equal(result->finding.severity.value, SEVERITY_OK);
}

/* A traffic class that is set, but that nobody looks at. */
static void tos_untrusted(void **state)
{
	struct bed *bed = *state;
	char nccl[] = "NCCL_IB_TC=184";
	const struct doctor_result *result;

	bed->answers.dscp_26 = 0;
	tree_write(&bed->tree, configfs, "106\n");
	result = run(bed, CHECK_ID_roce_tos, 0);
	assert_string_equal(result->finding.summary,
			    "a configured traffic class does not lead to a lossless priority");
	assert_int_equal(result->finding.severity.value, SEVERITY_WARNING);
	assert_string_equal(result->finding.next_step,
			    "map the DSCP of the traffic class to a lossless priority, as the "
			    "switches do: rdmactl roce set eth0 dscp-priority +26:3");
	/* The first value that is set counts, not the usual one. */
	bed->environment[0] = nccl;
	tree_write(&bed->tree, configfs, "96\n");
	assert_string_equal(run(bed, CHECK_ID_roce_tos, 0)->finding.next_step,
			    "map the DSCP of the traffic class to a lossless priority, as the "
			    "switches do: rdmactl roce set eth0 dscp-priority +24:3");
	/* The command for a port that ignores DSCP includes the trust. */
	tree_write(&bed->tree, "sys/class/net/eth1/qos/trust", "pcp\n");
	assert_string_equal(run(bed, CHECK_ID_roce_tos, 1)->finding.next_step,
			    "map the DSCP of the traffic class to a lossless priority, as the "
			    "switches do: rdmactl roce set eth1 dscp-priority +46:3 trust dscp");
}

/* The DSCP is mapped already, so mapping it again changes nothing. */
static void tos_mapped_in_vain(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, configfs, "106\n");
	tree_write(&bed->tree, "sys/class/net/eth0/qos/trust", "pcp\n");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_WARNING,
	       "a configured traffic class does not lead to a lossless priority",
	       "eth0: lossless priorities 3; trusts the VLAN tag, not the DSCP; default_roce_tos "
	       "of rdma_cm: traffic class 106: DSCP 26, which the port ignores: it trusts the VLAN "
	       "tag");
	assert_string_equal(bed->results.items[0].finding.next_step,
			    "let the port trust the DSCP, as the switches do: rdmactl roce set "
			    "eth0 trust dscp, or with NVIDIA's own driver: echo dscp > "
			    "/sys/class/net/eth0/qos/trust");
}

/* Drivers other than mlx5 need not say what they trust. */
static void trust_unknown(void **state)
{
	struct bed *bed = *state;
	struct device *device = &bed->facts.inventory.devices.items[0];

	free(device->driver);
	device->driver = mem_string("bnxt_en");
	bed->answers.dscp_26 = 0;
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_INFO, DEFAULT_UNKNOWN,
	       "eth0: lossless priorities 3; what it trusts is not known");
}

/* What cannot be read is not taken for what is not there. */
static void unreadable_classes(void **state)
{
	struct bed *bed = *state;

	bed->answers.pfc[1] = 0x30;
	tree_link(&bed->tree, "sys/class/net/eth0/qos/trust", "!EIO");
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_INFO, "what the port trusts cannot be read",
	       "Input/output error");
	expect(bed, CHECK_ID_roce_pfc, 0, SEVERITY_INFO, "what the port trusts cannot be read",
	       "Input/output error");
	expect(bed, CHECK_ID_roce_pfc, 1, SEVERITY_OK, "the port has lossless priorities",
	       "eth1: lossless priorities 4, 5; has DSCP entries, so trusts the DSCP");
	assert_int_equal(bed->problems.count, 2);
	tree_link(&bed->tree, "sys/class/infiniband/mlx5_1/tc/1/traffic_class", "!EIO");
	expect(bed, CHECK_ID_roce_tos, 1, SEVERITY_INFO, "the global traffic class cannot be read",
	       "Input/output error");
	assert_int_equal(bed->problems.count, 3);
}

/* With PFC on all priorities, no traffic class leads to another. */
static void all_lossless(void **state)
{
	struct bed *bed = *state;

	bed->answers.pfc[0] = 0xff;
	expect(bed, CHECK_ID_roce_tos, 0, SEVERITY_OK,
	       "traffic class 0, the default, leads to a lossless priority",
	       "eth0: lossless priorities 0, 1, 2, 3, 4, 5, 6, 7; has DSCP entries, so trusts the "
	       "DSCP");
}

static void write_filter(struct bed *bed, const char *all, const char *eth1)
{
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/all/rp_filter", all);
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/eth0/rp_filter", "0\n");
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/eth1/rp_filter", eth1);
}

static void routes(void **state)
{
	static const char fine[] = "the route back to the port's own subnets leaves by its netdev";
	struct bed *bed = *state;

	write_filter(bed, "0\n", "0\n");
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	/* Only the netdev without the best route is strict. */
	write_filter(bed, "0\n", "1\n");
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_OK, fine, "1 address checked");
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_WARNING,
	       "strict source validation drops ARP requests from neighbours, because the route "
	       "back leaves by another netdev",
	       "rp_filter of eth1 is 1 (strict), and the best route back to 10.0.0.7 leaves by "
	       "eth0");
	/* Loose wins, because it has the larger value. */
	write_filter(bed, "2\n", "1\n");
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	bed->answers.table_error = -EHOSTUNREACH;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_WARNING,
	       "rdma_cm rejects connection requests: the port has no route back to its own subnet",
	       "from 10.0.0.6 on eth1 to its neighbour 10.0.0.7: No route to host");
}

static void no_room(void **state)
{
	struct bed *bed = *state;
	struct link_address *address = &bed->facts.inventory.addresses.items[1];

	address->prefix_length = number_of(32);
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_INFO,
	       "the netmask leaves no room for a neighbour, so its peers are not known", NULL);
	/* In a subnet of two, the other address is the peer's, even if it is the first. */
	address->prefix_length = number_of(31);
	address->ip.raw[3] = 9;
	bed->answers.table_error = -ENETUNREACH;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_WARNING,
	       "rdma_cm rejects connection requests: the port has no route back to its own subnet",
	       "from 10.0.0.9 on eth1 to its neighbour 10.0.0.8: Network is unreachable");
	bed->facts.inventory.addresses.count = 1;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_INFO, "the port has no IP address", NULL);
}

/* On a live host, the subnets are those of the addresses. */
static void arp(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/all/arp_ignore", "0\n");
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/all/arp_announce", "2\n");
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/all/arp_filter", "0\n");
	for (unsigned int i = 0; i < 2; i++) {
		static const char *const settings[] = {"arp_ignore", "arp_announce", "arp_filter"};

		for (size_t j = 0; j < ARRAY_SIZE(settings); j++) {
			char path[64];

			snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/eth%u/%s", i,
				 settings[j]);
			tree_write(&bed->tree, path, "0\n");
		}
	}
	expect(bed, CHECK_ID_multi_rail_arp, 0, SEVERITY_WARNING,
	       "several netdevs are in one subnet, and each answers ARP for the addresses of the "
	       "others",
	       "10.0.0.0/24 is also on eth0; arp_ignore 0, arp_announce 2, each the larger of all "
	       "and eth1 (should be 1 or 2)");
	assert_int_equal(bed->results.count, 2);
	/* 8 answers nothing; larger values are treated as 0: arp_ignore(), net/ipv4/arp.c. */
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/eth1/arp_ignore", "8\n");
	assert_string_equal(
		run(bed, CHECK_ID_multi_rail_arp, 0)->finding.next_step,
		"sysctl net/ipv4/conf/all/arp_ignore=1 net/ipv4/conf/eth1/arp_ignore=1, "
		"and the same lines in /etc/sysctl.d");
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/eth1/arp_ignore", "9\n");
	assert_string_equal(run(bed, CHECK_ID_multi_rail_arp, 0)->finding.next_step,
			    bed->run.check->remedy);
	bed->facts.inventory.addresses.items[0].ip.raw[2] = 1;
	bed->run.check->check(&bed->run);
	assert_int_equal(bed->results.count, 6);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(gids),
		TEST(unreadable_gids),
		TEST(late_gid),
		TEST(pfc),
		TEST(pfc_differs),
		TEST(pfc_elsewhere),
		TEST(pfc_off),
		TEST(dcb_unknown),
		TEST(tos),
		TEST(trust_in_sysfs),
		TEST(trust_of_the_tag),
		TEST(tos_untouched),
		TEST(tos_untrusted),
		TEST(tos_mapped_in_vain),
		TEST(trust_unknown),
		TEST(unreadable_classes),
		TEST(all_lossless),
		TEST(routes),
		TEST(no_room),
		TEST(arp),
		TEST(pfc_of_the_third),
		TEST(pfc_behind_an_error),
		TEST(pfc_of_a_second_port),
		TEST(pfc_of_a_bond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
