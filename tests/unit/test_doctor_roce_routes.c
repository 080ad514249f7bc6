/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of RoCE about addresses: for which neighbour a route is requested, how each answer of
 * the kernel counts, which subnets matter for ARP, and how far a GID table is read.
 */
#include "doctor_roce_bed.h"

static const char fine[] = "the route back to the port's own subnets leaves by its netdev";

static void write_filter(struct bed *bed, const char *value)
{
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/all/rp_filter", value);
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/eth0/rp_filter", "0");
	tree_write(&bed->tree, "proc/sys/net/ipv4/conf/eth1/rp_filter", "0");
}

static struct link_address *add_address(struct bed *bed, unsigned int index, unsigned int bits,
					struct ip_address ip)
{
	struct link_address_list *list = &bed->facts.inventory.addresses;
	struct link_address *address = mem_append(&list->items, &list->count, sizeof(*address));

	*address = (struct link_address){
		.link_index = number_of(index), .ip = ip, .prefix_length = number_of(bits)};
	return address;
}

static struct link *add_link(struct bed *bed, const char *name, unsigned int index,
			     const char *kind)
{
	struct link *link = link_list_add(&bed->facts.inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	link->kind = mem_string_or_null(kind);
	link->enabled = TRISTATE_YES;
	return link;
}

/*
 * Each netmask, and the first neighbour queried: neither an end of the subnet nor a local address.
 */
static void first_neighbour(void **state)
{
	static const struct {
		uint8_t third, own, bits, peer;
	} cases[] = {
		/* 10.0.0.6 is the address of eth1, 10.0.0.5 that of eth0. */
		{0, 7, 24, 4},
		{0, 4, 24, 7},
		{0, 2, 24, 3},
		{0, 1, 24, 3},
		{0, 254, 24, 252},
		{0, 9, 29, 11},
		{0, 10, 29, 11},
		{0, 9, 30, 10},
		{0, 10, 30, 9},
		{0, 20, 31, 21},
		{0, 21, 31, 20},
		{0, 1, 25, 3},
		{0, 3, 25, 2},
		/*
		 * 10.0.0.0 is an end of its /16, 10.0.1.0 is not; likewise 10.0.255.255 and
		 * 10.0.254.255.
		 */
		{0, 1, 16, 3},
		{1, 1, 16, 0},
		{255, 254, 16, 252},
		{254, 254, 16, 255},
	};
	struct bed *bed = *state;

	write_filter(bed, "0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct link_address *address = add_address(
			bed, 5, cases[i].bits,
			(struct ip_address){.family = AF_INET,
					    .raw = {10, 0, cases[i].third, cases[i].own}});

		if (!i) {
			add_port(bed, 2);
			bed->facts.inventory.addresses.count--;
		}
		address->prefix_length = number_of(cases[i].bits);
		expect(bed, CHECK_ID_rdma_cm_route, 2, SEVERITY_OK, fine, "1 address checked");
		if (bed->answers.last_peer != cases[i].peer)
			fail_msg("10.0.%u.%u/%u: asked about %u", cases[i].third, cases[i].own,
				 cases[i].bits, bed->answers.last_peer);
		bed->facts.inventory.addresses.count--;
	}
}

/* An IPv6 neighbour also differs in the last byte; link-local addresses are not queried. */
static void ipv6_neighbour(void **state)
{
	const struct ip_address global = {.family = AF_INET6,
					  .raw = {0x20, 0x01, 0x0d, 0xb8, [15] = 0x10}};
	const struct ip_address local = {.family = AF_INET6, .raw = {0xfe, 0x80, [15] = 0x10}};
	struct bed *bed = *state;

	/* Strict validation only exists for IPv4. */
	write_filter(bed, "1");
	bed->facts.inventory.addresses.count = 0;
	add_address(bed, 4, 64, local);
	add_address(bed, 4, 64, global);
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	assert_int_equal(bed->answers.last_peer, 0x11);
	bed->facts.inventory.addresses.items[1].prefix_length = number_of(127);
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	bed->facts.inventory.addresses.items[1].prefix_length = number_of(128);
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_INFO,
	       "the netmask leaves no room for a neighbour, so its peers are not known", NULL);
	bed->facts.inventory.addresses.items[1].prefix_length.known = false;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_INFO,
	       "the netmask leaves no room for a neighbour, so its peers are not known", NULL);
	/* One of two addresses has a neighbour. */
	add_address(bed, 4, 64, global)->ip.raw[3] = 0xb9;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
}

/* An anonymised snapshot has the answer for one neighbour; the ends of the subnet come last. */
static void one_known_neighbour(void **state)
{
	struct bed *bed = *state;

	write_filter(bed, "0");
	bed->answers.only_peer = 200;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_OK, fine, "1 address checked");
	assert_int_equal(bed->answers.last_peer, 200);
	bed->answers.only_peer = 255;
	bed->answers.peers = 0;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_OK, fine, "1 address checked");
	assert_int_equal(bed->answers.last_peer, 255);
	/*
	 * The others of 256 once each, without both ends and the two local ones; then one or both
	 * ends.
	 */
	assert_int_equal(bed->answers.peers, 254);
	/* The route is unknown if no answer came. */
	bed->answers.only_peer = 256;
	bed->answers.peers = 0;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_INFO, "the route cannot be read",
	       "No data available");
	assert_int_equal(bed->answers.peers, 254);
	/* A subnet of four has one other host, and both ends. */
	bed->facts.inventory.addresses.items[0].prefix_length = number_of(30);
	bed->facts.inventory.addresses.items[0].ip.raw[3] = 21;
	bed->answers.peers = 0;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_INFO, "the route cannot be read",
	       "No data available");
	assert_int_equal(bed->answers.peers, 3);
	assert_int_equal(bed->problems.count, 2);
}

/* A negative answer is a warning; a failed query is a problem. */
static void answers_of_the_kernel(void **state)
{
	static const struct {
		int error;
		enum severity verdict;
		const char *summary, *evidence;
	} cases[] = {
		{-ENETUNREACH, SEVERITY_WARNING, NULL, "Network is unreachable"},
		{-EHOSTUNREACH, SEVERITY_WARNING, NULL, "No route to host"},
		{-EACCES, SEVERITY_WARNING, NULL, "Permission denied"},
		{-EBADMSG, SEVERITY_INFO, "the route cannot be read", "Bad message"},
		{-ETIMEDOUT, SEVERITY_INFO, "the route cannot be read", "Connection timed out"},
		{-ENOBUFS, SEVERITY_INFO, "the route cannot be read", "No buffer space available"},
	};
	static const char no_route[] = "rdma_cm rejects connection requests: the port has no route "
				       "back to its own subnet";
	struct bed *bed = *state;
	size_t problems = 0;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char evidence[128];

		bed->answers.table_error = cases[i].error;
		snprintf(evidence, sizeof(evidence), "%s%s",
			 cases[i].summary ? ""
					  : "from 10.0.0.5 on eth0 to its neighbour 10.0.0.4: ",
			 cases[i].evidence);
		expect(bed, CHECK_ID_rdma_cm_route, 0, cases[i].verdict,
		       cases[i].summary ? cases[i].summary : no_route, evidence);
		problems += cases[i].summary != NULL;
		assert_int_equal(bed->problems.count, problems);
	}
	bed->answers.table_error = 0;
	bed->answers.table_link = 4;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_WARNING, no_route,
	       "from 10.0.0.5 on eth0 to its neighbour 10.0.0.4: eth1");
	bed->answers.table_link = 77;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_WARNING, no_route,
	       "from 10.0.0.5 on eth0 to its neighbour 10.0.0.4: another netdev");
	write_filter(bed, "0");
	bed->answers.table_link = 3;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_OK, fine, "1 address checked");
}

/* The interface of the return path only matters under strict validation: 1, not 0 or 2. */
static void source_validation(void **state)
{
	static const char *const values[] = {"0", "2", "3"};
	struct bed *bed = *state;
	const struct doctor_result *result;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		write_filter(bed, values[i]);
		expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	}
	write_filter(bed, "1");
	result = run(bed, CHECK_ID_rdma_cm_route, 1);
	assert_int_equal(result->finding.severity.value, SEVERITY_WARNING);
	assert_string_equal(result->finding.next_step,
			    "add a source rule for each netdev (ip rule add from ADDRESS table N), "
			    "or use loose validation: sysctl net.ipv4.conf.all.rp_filter=2");
	/*
	 * A best route over several netdevs, or over the port's netdev, is not one over another
	 * netdev.
	 */
	bed->answers.best_link = 0;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	bed->answers.best_link = 4;
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
	/* An unreadable route is not a fault here. */
	bed->answers.best_link = 3;
	tree_delete(&bed->tree, "proc/sys/net/ipv4/conf/eth1/rp_filter");
	expect(bed, CHECK_ID_rdma_cm_route, 1, SEVERITY_OK, fine, "1 address checked");
}

/* Addresses of netdevs that are down, or of other netdevs, do not count. */
static void whose_addresses(void **state)
{
	struct bed *bed = *state;
	struct link_list *links = &bed->facts.inventory.links;
	struct link *vlan = add_link(bed, "eth0.7", 9, "vlan");

	write_filter(bed, "0");
	vlan->vlan_id = number_of(7);
	vlan->lower_index = number_of(3);
	add_address(bed, 9, 24, (struct ip_address){.family = AF_INET, .raw = {10, 7, 0, 1}});
	add_address(bed, 99, 24, (struct ip_address){.family = AF_INET, .raw = {10, 8, 0, 1}});
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_OK, fine, "2 addresses checked");
	links->items[2].enabled = TRISTATE_NO;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_OK, fine, "1 address checked");
	links->items[0].enabled = TRISTATE_NO;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_INFO, "the port has no IP address", NULL);
	/* Without its netdev there is no verdict, and the reason depends on whether it has one. */
	free(links->items[0].name);
	links->items[0].name = mem_string("renamed");
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_INFO, "the netdev of the port is not known",
	       NULL);
	free(bed->facts.inventory.devices.items[0].ports[0].netdev);
	bed->facts.inventory.devices.items[0].ports[0].netdev = NULL;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_INFO,
	       "the port has no netdev in this network namespace, so its addresses and routes "
	       "cannot be seen from here",
	       NULL);
	links->incomplete = true;
	expect(bed, CHECK_ID_rdma_cm_route, 0, SEVERITY_INFO, "the netdev of the port is not known",
	       NULL);
}

/* The number of rails that multi-rail-arp reports, and the evidence of the first. */
static size_t rails(struct bed *bed, const char *evidence)
{
	const size_t before = bed->results.count;

	run(bed, CHECK_ID_multi_rail_arp, 0);
	if (evidence)
		assert_non_null(strstr(bed->results.items[before].finding.evidence, evidence));
	return bed->results.count - before;
}

static void write_arp(struct bed *bed)
{
	static const char *const settings[] = {"arp_ignore", "arp_announce", "arp_filter"};
	static const char *const netdevs[] = {"all", "eth0", "eth1"};

	for (size_t i = 0; i < ARRAY_SIZE(netdevs) * ARRAY_SIZE(settings); i++) {
		char path[64];

		snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/%s/%s", netdevs[i / 3],
			 settings[i % 3]);
		tree_write(&bed->tree, path, "0");
	}
}

static void subnets_of_arp(void **state)
{
	struct bed *bed = *state;
	struct link_address_list *list = &bed->facts.inventory.addresses;

	write_arp(bed);
	/* A second address of the same subnet is not a second rail. */
	add_address(bed, 3, 24, (struct ip_address){.family = AF_INET, .raw = {10, 0, 0, 77}});
	assert_int_equal(rails(bed, "10.0.0.0/24 is also on eth1"), 2);
	/* The host bits are not shown, at whatever bit of a byte they begin. */
	list->items[0].ip.raw[2] = list->items[1].ip.raw[2] = list->items[2].ip.raw[2] = 0x65;
	list->items[0].prefix_length = list->items[1].prefix_length = list->items[2].prefix_length =
		number_of(20);
	assert_int_equal(rails(bed, "10.0.96.0/20 is also on eth1"), 2);
	/* A larger subnet contains the smaller one, but not the reverse. */
	list->count = 2;
	list->items[1].prefix_length = number_of(24);
	assert_int_equal(rails(bed, "10.0.101.0/24 is also on eth0"), 1);
	/* The same number of bits, another subnet. */
	list->items[0].prefix_length = number_of(24);
	list->items[0].ip.raw[2] = 0x64;
	assert_int_equal(rails(bed, NULL), 0);
	list->items[0].ip.raw[2] = 0x65;
	/* A /32 is not shared with anyone, a /31 is. */
	list->items[0].prefix_length = list->items[1].prefix_length = number_of(32);
	list->items[0].ip.raw[3] = list->items[1].ip.raw[3] = 6;
	assert_int_equal(rails(bed, NULL), 0);
	list->items[0].prefix_length = list->items[1].prefix_length = number_of(31);
	assert_int_equal(rails(bed, "10.0.101.6/31 is also on eth1"), 2);
	/* Netdevs that are down, have no RDMA port, or are unknown do not answer ARP for RDMA. */
	bed->facts.inventory.links.items[1].enabled = TRISTATE_NO;
	assert_int_equal(rails(bed, NULL), 0);
	add_link(bed, "eth9", 9, NULL);
	list->items[1].link_index = number_of(9);
	assert_int_equal(rails(bed, NULL), 0);
	list->items[1].link_index = number_of(98);
	assert_int_equal(rails(bed, NULL), 0);
	list->items[1].link_index = number_of(3);
	assert_int_equal(rails(bed, NULL), 0);
	list->items[1].link_index = number_of(4);
	bed->facts.inventory.links.items[1].enabled = TRISTATE_UNKNOWN;
	list->items[1].ip.family = AF_INET6;
	assert_int_equal(rails(bed, NULL), 0);
	list->items[1].ip.family = AF_INET;
	assert_int_equal(rails(bed, NULL), 2);
	/*
	 * Addresses in another VRF are not local here; those outside of any VRF are local
	 * everywhere.
	 */
	add_link(bed, "red", 20, "vrf");
	add_link(bed, "blue", 21, "vrf");
	bed->facts.inventory.links.items[0].master_index = number_of(20);
	assert_int_equal(rails(bed, "10.0.101.6/31 is also on eth1"), 1);
	bed->facts.inventory.links.items[1].master_index = number_of(21);
	assert_int_equal(rails(bed, NULL), 0);
	bed->facts.inventory.links.items[1].master_index = number_of(20);
	assert_int_equal(rails(bed, "10.0.101.6/31 is also on eth1"), 2);
}

/*
 * A saved tree has routes instead: those of one subnet, without a gateway, over a netdev for RDMA.
 */
static void routes_of_a_saved_tree(void **state)
{
	static const char line[] = "eth0\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
	static const struct {
		const char *line; /* of eth1 */
		size_t rails;
		const char *evidence;
	} cases[] = {
		{"eth1\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", 2,
		 "192.168.2.0/24 is also on eth1"},
		{"eth1\t0102A8C0\t00000000\t0001\t0\t0\t0\tFFFFFFFF\t0\t0\t0", 0, NULL},
		{"eth1\t0802A8C0\t00000000\t0001\t0\t0\t0\tFEFFFFFF\t0\t0\t0", 1,
		 "192.168.2.8/31 is also on eth0"},
		{"eth1\t0002A8C0\t0102A8C0\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0", 0, NULL},
		{"eth1\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0", 0, NULL},
		{"eth1\t0003A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", 0, NULL},
		{"eth2\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", 0, NULL},
		{"eth9\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0", 0, NULL},
		{"eth1\t0002A8C0\t00000000\t0001", 0, NULL},
		{"", 0, NULL},
	};
	struct bed *bed = *state;

	bed->facts.inventory.answers = false;
	add_link(bed, "eth2", 9, NULL);
	write_arp(bed);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int end = 0; end < 2; end++) {
			char text[256];
			int length = snprintf(text, sizeof(text), "%s%s%s", line, cases[i].line,
					      end ? "\n" : "");

			tree_write_bytes(&bed->tree, "proc/net/route", text, (size_t)length);
			if (rails(bed, cases[i].evidence) != cases[i].rails)
				fail_msg("%s", cases[i].line);
		}
}

/* iWARP connections use TCP; a device of unknown kind is not queried. */
static void where_routes_matter(void **state)
{
	struct bed *bed = *state;
	struct device *device = &bed->facts.inventory.devices.items[0];

	run(bed, CHECK_ID_rdma_cm_route, 0);
	assert_true(roce_has_cm_netdev(&bed->run));
	device->transport = number_of(TRANSPORT_INFINIBAND);
	assert_true(roce_has_cm_netdev(&bed->run));
	device->transport = number_of(TRANSPORT_IWARP);
	assert_false(roce_has_cm_netdev(&bed->run));
	device->transport = (struct number){.known = false};
	assert_false(roce_has_cm_netdev(&bed->run));
	device->transport = number_of(TRANSPORT_ROCE);
	free(device->ports[0].netdev);
	device->ports[0].netdev = NULL;
	assert_false(roce_has_cm_netdev(&bed->run));
}

#define EMPTY	"0000:0000:0000:0000:0000:0000:0000:0000"
#define OWN_GID "0000:0000:0000:0000:0000:ffff:0a00:0005"

/* A table is read until the GIDs are found, wherever they are. */
static void large_table(void **state)
{
	static const unsigned int places[] = {0, 3, 4, 7, 8, 15, 16, 63, 64, 99};
	struct bed *bed = *state;

	for (unsigned int slot = 0; slot < 100; slot++)
		put_gid(bed, 0, slot, EMPTY, "RoCE v2", "eth0");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		put_gid(bed, 0, places[i], OWN_GID, "RoCE v2", "eth0");
		expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
		       "every IP address of the port has a RoCE v2 GID", "1 IP address");
		put_gid(bed, 0, places[i], EMPTY, "RoCE v2", "eth0");
	}
	/* A v1 GID does not end the search for a v2 one. */
	put_gid(bed, 0, 0, OWN_GID, "IB/RoCE v1", "eth0");
	put_gid(bed, 0, 40, OWN_GID, "RoCE v2", "eth0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "every IP address of the port has a RoCE v2 GID", "1 IP address");
	/* The better GID counts, whichever is first; one without a netdev counts, too. */
	put_gid(bed, 0, 0, OWN_GID, "RoCE v2", "eth0");
	put_gid(bed, 0, 1, OWN_GID, "IB/RoCE v1", "eth0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "every IP address of the port has a RoCE v2 GID", "1 IP address");
	/* A GID with the same address but another netdev does not end the search. */
	put_gid(bed, 0, 0, OWN_GID, "RoCE v2", "eth1");
	put_gid(bed, 0, 1, OWN_GID, "RoCE v2", "eth0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "every IP address of the port has a RoCE v2 GID", "1 IP address");
	assert_int_equal(bed->problems.count, 0);
}

/* The next step depends on whether there are addresses. */
static void advice(void **state)
{
	static const struct {
		const char *name;
		enum severity severity;
	} drivers[] = {
		{NULL, SEVERITY_WARNING},
		{"mlx5_core", SEVERITY_WARNING},
		{"mlx4_core", SEVERITY_NOTICE},
	};
	struct bed *bed = *state;
	struct device *device = &bed->facts.inventory.devices.items[0];
	const struct doctor_result *result;

	/* Without its prefix length the address would be added without its subnet. */
	put_gid(bed, 0, 0, OWN_GID, "RoCE v2", "eth1");
	result = run(bed, CHECK_ID_gid_present, 0);
	assert_string_equal(result->finding.next_step,
			    "ip link set dev eth0 up; if the GIDs do not appear, remove each "
			    "address and add it again (not over a connection that uses it), and "
			    "then the routes that went with it: ip address del ADDRESS/LENGTH dev "
			    "eth0 && ip address add ADDRESS/LENGTH dev eth0");
	/* Adding the address again would bring the same GIDs. */
	put_gid(bed, 0, 0, OWN_GID, "IB/RoCE v1", "eth0");
	for (size_t i = 0; i < ARRAY_SIZE(drivers); i++) {
		free(device->driver);
		device->driver = mem_string_or_null(drivers[i].name);
		result = run(bed, CHECK_ID_gid_present, 0);
		assert_int_equal(result->finding.severity.value, drivers[i].severity);
		assert_string_equal(result->finding.next_step,
				    "let peers in the same subnet use RoCE v1, too, unless the "
				    "adapter has a setting for RoCE v2: most likely the driver "
				    "offers v1 only");
	}
	/* One of another address, if the port has any. */
	put_gid(bed, 0, 1, "fe80:0000:0000:0000:0000:0000:0000:0001", "RoCE v2", "eth0");
	result = run(bed, CHECK_ID_gid_present, 0);
	assert_int_equal(result->finding.severity.value, SEVERITY_WARNING);
	bed->facts.inventory.addresses.count = 0;
	result = run(bed, CHECK_ID_gid_present, 0);
	assert_string_equal(result->finding.next_step,
			    "if the port is to be used: ip link set dev eth0 up && ip address add "
			    "ADDRESS/LENGTH dev eth0");
}

/* A representor has addresses, but RoCE is not for it (mlx5_port_rep_immutable(), hw/mlx5). */
static void representor(void **state)
{
	struct bed *bed = *state;
	struct device *device = &bed->facts.inventory.devices.items[0];
	const struct doctor_result *result;

	put_gid(bed, 0, 0, EMPTY, "RoCE v2", "eth0");
	device->pci_address = mem_string("0000:3b:00.0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_NOTICE,
	       "the device offers no RoCE: its port has no GID, not even a link-local one",
	       "10.0.0.5 on eth0 has no GID; no protocol");
	result = &bed->results.items[bed->results.count - 1];
	assert_non_null(
		strstr(result->finding.next_step, "devlink dev eswitch show pci/0000:3b:00.0"));
	/* The same table is a fault if the kernel says that the port supports RoCE. */
	device->protocol = mem_string("roce");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_ERROR, "IP addresses of the port have no GID",
	       "10.0.0.5 on eth0 has no GID");
}

/*
 * The port of a member that is not the active one of a bond has no GIDs
 * (is_eth_port_of_netdev_filter(), core/roce_gid_mgmt.c).
 */
static void idle_member(void **state)
{
	struct bed *bed = *state;
	const char *fine_too = "every IP address of the port has a RoCE v2 GID";

	add_link(bed, "bond0", 10, "bond");
	bed->facts.inventory.links.items[0].master_index = number_of(10);
	put_gid(bed, 0, 0, OWN_GID, "RoCE v2", "eth0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK, fine_too, "1 IP address");
	tree_write(&bed->tree, "sys/class/net/bond0/bonding/active_slave", "eth1");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "the GIDs are those of the active member of the bond",
	       "eth0 is not the active member");
	/* A saved tree shows it, too. */
	bed->facts.inventory.answers = false;
	put_gid(bed, 0, 0, EMPTY, "RoCE v2", "eth0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "the GIDs are those of the active member of the bond",
	       "eth0 is not the active member");
	bed->facts.inventory.answers = true;
	put_gid(bed, 0, 0, OWN_GID, "RoCE v2", "eth0");
	tree_write(&bed->tree, "sys/class/net/bond0/bonding/active_slave", "eth0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK, fine_too, "1 IP address");
	/* The file is empty in modes in which all members are active. */
	tree_write(&bed->tree, "sys/class/net/bond0/bonding/active_slave", "");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK, fine_too, "1 IP address");
	/* A master of another kind is not a bond. */
	bed->facts.inventory.links.items[2].kind[0] = 'B';
	tree_write(&bed->tree, "sys/class/net/bond0/bonding/active_slave", "eth1");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK, fine_too, "1 IP address");
}

/*
 * A bridge over the bond of a port has the address, and the port its GID: every netdev above it
 * counts (rdma_is_upper_dev_rcu(), core_priv.h).
 */
static void bond_in_a_bridge(void **state)
{
	struct bed *bed = *state;
	struct link *vlan;

	add_link(bed, "bond0", 10, "bond")->master_index = number_of(11);
	add_link(bed, "br0", 11, "bridge");
	bed->facts.inventory.links.items[0].master_index = number_of(10);
	bed->facts.inventory.addresses.items[0].link_index = number_of(11);
	put_gid(bed, 0, 0, OWN_GID, "RoCE v2", "br0");
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_OK,
	       "every IP address of the port has a RoCE v2 GID", "1 IP address");
	vlan = add_link(bed, "br0.7", 12, "vlan");
	vlan->vlan_id = number_of(7);
	vlan->lower_index = number_of(11);
	bed->facts.inventory.addresses.items[0].link_index = number_of(12);
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_ERROR, "IP addresses of the port have no GID",
	       "10.0.0.5 on br0.7 has no GID, the GID table is full");
	/* Masters that form a circle, as a saved tree may contain them. */
	bed->facts.inventory.links.items[3].master_index = number_of(10);
	bed->facts.inventory.addresses.items[0].link_index = number_of(4);
	expect(bed, CHECK_ID_gid_present, 0, SEVERITY_NOTICE,
	       "the port has no IP address, so its GIDs are link-local only", "0 IP addresses");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(first_neighbour),
		TEST(ipv6_neighbour),
		TEST(one_known_neighbour),
		TEST(answers_of_the_kernel),
		TEST(source_validation),
		TEST(whose_addresses),
		TEST(subnets_of_arp),
		TEST(large_table),
		TEST(advice),
		TEST(representor),
		TEST(idle_member),
		TEST(bond_in_a_bridge),
		TEST(routes_of_a_saved_tree),
		TEST(where_routes_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
