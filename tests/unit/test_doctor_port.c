/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of a port's state and rate, on a hand-made inventory: facts that a live host has and a
 * saved tree lacks (addresses, flags of netdevs), and each limit exactly.
 */
#include <sys/socket.h>

#include "doctor/port/port_facts.h"
#include "doctor_bed.h"

enum { MOST_PEERS = 8, OWN = 3 };

/* A device on a separate card, with one port. */
static struct port *add_port(struct bed *bed, unsigned int which, enum link_layer layer)
{
	char place[] = "pci0000:00/0000:01:00.0", *address = strchr(place, '/') + 1;
	char name[] = "mlx5_0";
	struct device *device;
	struct port *port;

	name[5] = (char)('0' + which);
	address[6] = (char)('1' + which);
	tree_function(&bed->tree, place, NULL, "0x15b3", NULL, NULL);
	device = device_list_add(&bed->facts.inventory.devices, name);
	device->driver = mem_string("mlx5_core");
	device->board_id = mem_string("MT_1");
	device->pci_address = mem_string(address);
	device->transport = number_of(TRANSPORT_INFINIBAND);
	port = device_add_port(device, 1);
	port->link_layer = number_of(layer);
	port->state = number_of(PORT_STATE_ACTIVE);
	port->physical_state = number_of(PHYSICAL_LINK_UP);
	return port;
}

static struct link *add_link(struct bed *bed, const char *name, unsigned int index,
			     const char *kind)
{
	struct link *link = link_list_add(&bed->facts.inventory.links);

	link->name = mem_string(name);
	link->index = number_of(index);
	link->kind = mem_string_or_null(kind);
	link->enabled = TRISTATE_YES;
	link->carrier = TRISTATE_YES;
	return link;
}

static struct link *link_at(struct bed *bed, size_t at)
{
	return &bed->facts.inventory.links.items[at];
}

static struct device *own_device(struct bed *bed)
{
	return &bed->facts.inventory.devices.items[0];
}

static struct port *own_port(struct bed *bed)
{
	return &own_device(bed)->ports[0];
}

static int set_up(void **state)
{
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	add_port(bed, 0, LINK_LAYER_INFINIBAND);
	return 0;
}

static const struct doctor_result *run(struct bed *bed, enum doctor_check_id id)
{
	/* What was learnt about other ports is not learnt again. */
	doctor_ports_free(bed->facts.ports);
	bed->facts.ports = NULL;
	bed->run.device = own_device(bed);
	bed->run.port = own_port(bed);
	bed_run(bed, id);
	return bed_last(bed);
}

static void expect(struct bed *bed, enum severity verdict, const char *summary,
		   const char *evidence)
{
	const struct doctor_result *result = run(bed, CHECK_ID_port_state);

	assert_string_equal(result->finding.summary, summary);
	assert_int_equal(result->finding.severity.value, verdict);
	assert_string_equal(result->finding.evidence, evidence);
	/* Only a fault leaves nothing to judge, or a port that is down on purpose. */
	assert_int_equal(result->blocks, verdict == SEVERITY_NOTICE || verdict == SEVERITY_WARNING);
	assert_int_equal(bed->problems.count, 0);
}

static const char down[] = "the port is down, and nothing shows that it should be up";
static const char polling[] = "nothing answers on the link: check the cable, and that the "
			      "port at its other end is switched on";
static const char trains[] =
	"the link fails to train: try another cable, and another port at the other end";
static const char cable[] = "check the cable and the port at its other end";
static const char again[] = "look again: rdmactl ports; if nothing changes, check the cable and "
			    "the port at its other end";
static const char manager[] =
	"start a subnet manager, or connect the port to a subnet that has one: rdmactl smp "
	"sminfo shows whether one answers";
static const struct {
	enum port_state state;
	enum physical_state physical;
	enum link_layer layer;
	enum severity verdict;
	const char *summary, *next_step;
} state_cases[] = {
	{PORT_STATE_ACTIVE, PHYSICAL_LINK_UP, LINK_LAYER_INFINIBAND, SEVERITY_OK,
	 "the port is active", NULL},
	{PORT_STATE_DOWN, PHYSICAL_POLLING, LINK_LAYER_INFINIBAND, SEVERITY_NOTICE, down, polling},
	{PORT_STATE_DOWN, PHYSICAL_POLLING, LINK_LAYER_ETHERNET, SEVERITY_NOTICE, down, polling},
	{PORT_STATE_DOWN, PHYSICAL_DISABLED, LINK_LAYER_INFINIBAND, SEVERITY_NOTICE, down,
	 "the port is disabled: enable it from the subnet (as ibportstate does), or in the "
	 "adapter's settings"},
	{PORT_STATE_DOWN, PHYSICAL_DISABLED, LINK_LAYER_ETHERNET, SEVERITY_NOTICE, down,
	 "check the cable and the switch port: ethtool eth0 shows more"},
	{PORT_STATE_DOWN, PHYSICAL_TRAINING, LINK_LAYER_INFINIBAND, SEVERITY_NOTICE, down, trains},
	{PORT_STATE_DOWN, PHYSICAL_LINK_ERROR_RECOVERY, LINK_LAYER_ETHERNET, SEVERITY_NOTICE, down,
	 trains},
	{PORT_STATE_DOWN, PHYSICAL_SLEEP, LINK_LAYER_INFINIBAND, SEVERITY_NOTICE, down, cable},
	{PORT_STATE_DOWN, PHYSICAL_LINK_UP, LINK_LAYER_INFINIBAND, SEVERITY_NOTICE, down, cable},
	{PORT_STATE_INIT, PHYSICAL_LINK_UP, LINK_LAYER_INFINIBAND, SEVERITY_ERROR,
	 "the link is up, but no subnet manager has configured the port", manager},
	{PORT_STATE_INIT, PHYSICAL_POLLING, LINK_LAYER_INFINIBAND, SEVERITY_ERROR,
	 "the port is initialized, but not active", again},
	{PORT_STATE_INIT, PHYSICAL_LINK_UP, LINK_LAYER_ETHERNET, SEVERITY_ERROR,
	 "the port is initialized, but not active", again},
	{PORT_STATE_ARMED, PHYSICAL_LINK_UP, LINK_LAYER_INFINIBAND, SEVERITY_ERROR,
	 "the subnet manager has configured the port, but not activated it",
	 "look again: rdmactl ports; if nothing changes, the subnet manager probably hangs: "
	 "rdmactl smp sminfo"},
	{PORT_STATE_ACTIVE_DEFER, PHYSICAL_LINK_UP, LINK_LAYER_INFINIBAND, SEVERITY_ERROR,
	 "the active port lost its link, which is training again",
	 "check the cable and the transceivers"},
	{PORT_STATE_NOP, PHYSICAL_LINK_UP, LINK_LAYER_INFINIBAND, SEVERITY_INFO,
	 "the driver does not report the state of the port", NULL},
};

/* Each logical state with each physical state, and what to do about it. */
static void states(void **state)
{
	static const enum transport ethernet_only[] = {TRANSPORT_USNIC, TRANSPORT_IWARP};
	struct bed *bed = *state;
	struct port *port = own_port(bed);

	add_link(bed, "eth0", OWN, NULL);
	port->netdev = mem_string("eth0");
	for (size_t i = 0; i < ARRAY_SIZE(state_cases); i++) {
		const struct doctor_result *result;

		port->state = number_of(state_cases[i].state);
		port->physical_state = number_of(state_cases[i].physical);
		port->link_layer = number_of(state_cases[i].layer);
		result = run(bed, CHECK_ID_port_state);
		assert_string_equal(result->finding.summary, state_cases[i].summary);
		assert_int_equal(result->finding.severity.value, state_cases[i].verdict);
		assert_false(result->needs.known);
		if (state_cases[i].next_step)
			assert_string_equal(result->finding.next_step, state_cases[i].next_step);
		else
			assert_null(result->finding.next_step);
	}
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->state = number_of(PORT_STATE_INIT);
	for (size_t i = 0; i < ARRAY_SIZE(ethernet_only); i++) {
		own_device(bed)->transport = number_of(ethernet_only[i]);
		assert_string_equal(run(bed, CHECK_ID_port_state)->finding.next_step,
				    "give it one: ip address add ADDRESS/LENGTH dev eth0");
		assert_string_equal(run(bed, CHECK_ID_port_state)->finding.summary,
				    "the netdev of the port has no IPv4 address");
	}
	port->physical_state.known = false;
	assert_string_equal(run(bed, CHECK_ID_port_state)->finding.summary,
			    "the state of the port is not known");
}

static struct port *bring_down(struct bed *bed, enum link_layer layer)
{
	struct port *port = own_port(bed);

	port->link_layer = number_of(layer);
	port->state = number_of(PORT_STATE_DOWN);
	port->physical_state = number_of(PHYSICAL_DISABLED);
	port->netdev = mem_string("eth0");
	add_link(bed, "eth0", OWN, NULL);
	return port;
}

static void add_address(struct bed *bed, unsigned int index, struct ip_address ip)
{
	struct link_address_list *list = &bed->facts.inventory.addresses;
	struct link_address *address = mem_append(&list->items, &list->count, sizeof(*address));

	*address = (struct link_address){.link_index = number_of(index), .ip = ip};
}

#define NOTHING "the port is down, and nothing shows that it should be up"
#define WANTED	"the port is down, and this host is set up to use it"
#define STATE	"state down, physical state disabled"

/* An address that somebody gave to the netdev, or to a VLAN on it, shows that it is in use. */
static void addresses(void **state)
{
	static const struct {
		struct ip_address ip;
		const char *text; /* NULL: assigned by the kernel, RFC 4291 2.5.6: fe80::/10 */
	} cases[] = {
		{{.family = AF_INET, .raw = {10, 0, 0, 1}}, "10.0.0.1"},
		{{.family = AF_INET, .raw = {0xfe, 0x80, 0, 1}}, "254.128.0.1"},
		{{.family = AF_INET6, .raw = {0xfe, 0x80, [15] = 1}}, NULL},
		{{.family = AF_INET6, .raw = {0xfe, 0xbf, [15] = 1}}, NULL},
		{{.family = AF_INET6, .raw = {0xfe, 0xc0, [15] = 1}}, "fec0::1"},
		{{.family = AF_INET6, .raw = {0xfe, 0x7f, [15] = 1}}, "fe7f::1"},
		{{.family = AF_INET6, .raw = {0xff, 0x80, [15] = 1}}, "ff80::1"},
		{{.family = AF_INET6, .raw = {0x20, 0x01, [15] = 1}}, "2001::1"},
	};
	struct bed *bed = *state;

	bring_down(bed, LINK_LAYER_ETHERNET);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[128];

		bed->facts.inventory.addresses.count = 0;
		/* Addresses of other netdevs do not matter. */
		add_address(bed, 77, cases[0].ip);
		add_address(bed, OWN, cases[i].ip);
		snprintf(text, sizeof(text), STATE "; eth0 has the address %s", cases[i].text);
		expect(bed, cases[i].text ? SEVERITY_ERROR : SEVERITY_NOTICE,
		       cases[i].text ? WANTED : NOTHING, cases[i].text ? text : STATE);
	}
}

/* A VLAN, or a master such as a bridge, or on Azure the netdev of hv_netvsc. */
static void addresses_on_top(void **state)
{
	const struct ip_address ip = {.family = AF_INET, .raw = {10, 0, 0, 1}};
	struct bed *bed = *state;

	bring_down(bed, LINK_LAYER_ETHERNET);
	for (unsigned int i = 1; i <= 2; i++) {
		struct link *link = add_link(bed, i == 1 ? "eth0.5" : "eth0.5.6", 4 + i, "vlan");

		link->lower_index = number_of(i == 1 ? OWN : 5);
		link->vlan_id = number_of(4 + i);
	}
	add_address(bed, 6, ip);
	expect(bed, SEVERITY_ERROR, WANTED, STATE "; eth0.5.6 has the address 10.0.0.1");
	/* The same index in another network namespace is a coincidence. */
	link_at(bed, 2)->lower_elsewhere = true;
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	link_at(bed, 2)->lower_elsewhere = false;
	/* What is no VLAN does not stand on its other netdev: a veth has its other end there. */
	link_at(bed, 1)->vlan_id.known = false;
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	/* A circle, which only damaged answers contain, ends. */
	link_at(bed, 1)->vlan_id.known = true;
	link_at(bed, 1)->lower_index = number_of(6);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	bed->facts.inventory.addresses.count = 0;
	add_link(bed, "eth1", 7, NULL);
	add_address(bed, 7, ip);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	link_at(bed, 0)->master_index = number_of(7);
	expect(bed, SEVERITY_ERROR, WANTED, STATE "; eth1 has the address 10.0.0.1");
	/* A bridge that works through another member, or a VRF, whose address is no port's. */
	add_link(bed, "vf0", 8, NULL)->master_index = number_of(7);
	link_at(bed, 4)->carrier = TRISTATE_NO;
	expect(bed, SEVERITY_ERROR, WANTED, STATE "; eth1 has the address 10.0.0.1");
	link_at(bed, 4)->carrier = TRISTATE_YES;
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	link_at(bed, 4)->carrier = TRISTATE_NO;
	link_at(bed, 3)->kind = mem_string("vrf");
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
}

static void bonds(void **state)
{
	struct bed *bed = *state;

	bring_down(bed, LINK_LAYER_ETHERNET);
	add_link(bed, "bond0", 9, "bond");
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	link_at(bed, 0)->master_index = number_of(9);
	expect(bed, SEVERITY_ERROR, WANTED, STATE "; eth0 is a member of bond0");
	add_address(bed, OWN, (struct ip_address){.family = AF_INET, .raw = {10, 0, 0, 1}});
	expect(bed, SEVERITY_ERROR, WANTED,
	       STATE "; eth0 has the address 10.0.0.1; eth0 is a member of bond0");
	bed->facts.inventory.addresses.count = 0;
	free(link_at(bed, 1)->kind);
	link_at(bed, 1)->kind = mem_string("bridge");
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
}

/* What the netdev shows; two changes of the carrier mean that it was up once. */
static void netdevs(void **state)
{
	struct bed *bed = *state;
	struct link *link;

	bring_down(bed, LINK_LAYER_ETHERNET);
	link = link_at(bed, 0);
	link->carrier = TRISTATE_NO;
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE "; netdev eth0 has no carrier");
	link->enabled = TRISTATE_NO;
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE "; netdev eth0 is administratively down");
	assert_string_equal(run(bed, CHECK_ID_port_state)->finding.next_step,
			    "switch it on: ip link set eth0 up");
	link->enabled = TRISTATE_UNKNOWN;
	link->carrier = TRISTATE_UNKNOWN;
	tree_write(&bed->tree, "sys/class/net/eth0/carrier", "0");
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE "; netdev eth0 has no carrier");
	tree_write(&bed->tree, "sys/class/net/eth0/carrier", "1");
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	link->carrier_changes = number_of(1);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	link->carrier_changes = number_of(2);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE "; it was up before (2 carrier changes)");
	/* An InfiniBand port does not depend on its IPoIB netdev. */
	link->enabled = TRISTATE_NO;
	own_port(bed)->link_layer = number_of(LINK_LAYER_INFINIBAND);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE "; it was up before (2 carrier changes)");
}

/* Three quarters of the others, and at least two, make it likely that the port is in use. */
static void peers(void **state)
{
	static const struct {
		unsigned int active, count;
		bool warns;
	} cases[] = {
		{1, 1, false}, {2, 2, true},  {2, 3, false}, {3, 4, true},
		{4, 5, true},  {4, 6, false}, {5, 7, false}, {6, 8, true},
	};
	struct bed *bed = *state;
	struct device_list *devices = &bed->facts.inventory.devices;

	bring_down(bed, LINK_LAYER_INFINIBAND);
	for (unsigned int i = 1; i <= MOST_PEERS; i++)
		add_port(bed, i, LINK_LAYER_INFINIBAND);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[128];

		for (unsigned int j = 1; j <= MOST_PEERS; j++) {
			struct port *port = &devices->items[j].ports[0];

			port->state = j <= cases[i].active ? number_of(PORT_STATE_ACTIVE)
							   : number_of(PORT_STATE_DOWN);
			port->state.known = j <= cases[i].count;
		}
		snprintf(text, sizeof(text),
			 STATE
			 "; %u of %u other ports of the board MT_1 in this position %s active",
			 cases[i].active, cases[i].count, cases[i].active == 1 ? "is" : "are");
		expect(bed, cases[i].warns ? SEVERITY_WARNING : SEVERITY_NOTICE,
		       cases[i].warns ? "the port is down, but most others like it are up"
				      : NOTHING,
		       text);
	}
	/* This port was up before, and one other port is up. */
	link_at(bed, 0)->carrier_changes = number_of(2);
	for (unsigned int j = 2; j <= MOST_PEERS; j++)
		devices->items[j].ports[0].state = number_of(PORT_STATE_DOWN);
	assert_string_equal(run(bed, CHECK_ID_port_state)->finding.summary,
			    "the port went down, but others like it are up");
	devices->items[1].ports[0].state = number_of(PORT_STATE_DOWN);
	assert_string_equal(run(bed, CHECK_ID_port_state)->finding.summary, NOTHING);
	/* A port that was switched off by hand is down on purpose, whatever the others are. */
	for (unsigned int j = 1; j <= MOST_PEERS; j++) {
		devices->items[j].ports[0].state = number_of(PORT_STATE_ACTIVE);
		devices->items[j].ports[0].link_layer = number_of(LINK_LAYER_ETHERNET);
	}
	own_port(bed)->link_layer = number_of(LINK_LAYER_ETHERNET);
	link_at(bed, 0)->enabled = TRISTATE_NO;
	assert_string_equal(run(bed, CHECK_ID_port_state)->finding.summary, NOTHING);
	link_at(bed, 0)->enabled = TRISTATE_YES;
	assert_string_equal(run(bed, CHECK_ID_port_state)->finding.summary,
			    "the port went down, but others like it are up");
}

/* A port for each plane of one cable: if some are active, one that is not may be missed. */
static void planes(void **state)
{
	struct bed *bed = *state;

	bring_down(bed, LINK_LAYER_INFINIBAND);
	own_device(bed)->sub_type = number_of(1);
	for (unsigned int i = 2; i <= 4; i++)
		device_add_port(own_device(bed), i)->state = number_of(PORT_STATE_DOWN);
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
	own_device(bed)->ports[3].state = number_of(PORT_STATE_ACTIVE);
	expect(bed, SEVERITY_NOTICE,
	       "the plane is down, while others of the port are active: unless only those are "
	       "connected, bandwidth is missing",
	       STATE "; 1 of 4 planes of mlx5_0 is active");
	own_device(bed)->sub_type.known = false;
	expect(bed, SEVERITY_NOTICE, NOTHING, STATE);
}

/* A port of a different board, layer or function number is not a peer, nor are sub-devices. */
static void no_peers(void **state)
{
	struct bed *bed = *state;
	struct device *other;
	struct port_peers found;

	add_port(bed, 1, LINK_LAYER_INFINIBAND);
	other = &bed->facts.inventory.devices.items[1];
#define COUNT(wanted)                                                              \
	do {                                                                       \
		doctor_ports_free(bed->facts.ports);                               \
		bed->facts.ports = NULL;                                           \
		doctor_peers(&bed->facts, own_device(bed), own_port(bed), &found); \
		assert_int_equal(found.count, wanted);                             \
	} while (0)
	COUNT(1);
	other->board_id[3] = '2';
	COUNT(0);
	other->board_id[3] = '1';
	other->ports[0].link_layer = number_of(LINK_LAYER_ETHERNET);
	COUNT(0);
	other->ports[0].link_layer.known = false;
	COUNT(0);
	other->ports[0].link_layer = number_of(LINK_LAYER_INFINIBAND);
	other->ports[0].port = number_of(2);
	COUNT(0);
	other->ports[0].port = number_of(1);
	other->ports[0].state.known = false;
	COUNT(0);
	other->ports[0].state.known = true;
	other->software = true;
	COUNT(0);
	other->software = false;
	other->sub_type = number_of(1);
	COUNT(0);
	other->sub_type.known = false;
	COUNT(1);
	/* Without the name of a board, all four PCI IDs must be known and equal. */
	own_device(bed)->board_id[0] = '\0';
	COUNT(0);
#undef COUNT
}

static void rate(struct bed *bed, double gbps, unsigned int lanes, const char *speed,
		 enum severity verdict, const char *summary)
{
	struct port *port = own_port(bed);
	const struct doctor_result *result;

	port->rate_gbps = real_of(gbps);
	port->width_lanes = number_of(lanes);
	free(port->speed);
	port->speed = mem_string(speed);
	result = run(bed, CHECK_ID_port_rate);
	assert_string_equal(result->finding.summary, summary);
	assert_int_equal(result->finding.severity.value, verdict);
}

/*
 * Products with two lanes exist since HDR, with one lane they do not; no such adapter has 2.5 Gb/s
 * per lane.
 */
static void lanes_and_speeds(void **state)
{
	static const char some[] = "the link runs with only some of its lanes";
	static const char fine[] =
		"the rate shows no fault, but there is no port like this one to compare it with";
	static const char slowest[] = "the link runs at the lowest InfiniBand speed";
	struct bed *bed = *state;

	rate(bed, 100, 4, "EDR", SEVERITY_OK, fine);
	rate(bed, 25, 1, "EDR", SEVERITY_WARNING, some);
	rate(bed, 50, 2, "EDR", SEVERITY_WARNING, some);
	rate(bed, 100, 2, "HDR", SEVERITY_OK, fine);
	rate(bed, 200, 2, "NDR", SEVERITY_OK, fine);
	rate(bed, 400, 2, "XDR", SEVERITY_OK, fine);
	rate(bed, 200, 1, "XDR", SEVERITY_WARNING, some);
	rate(bed, 75, 3, "EDR", SEVERITY_OK, fine);
	rate(bed, 10, 4, "SDR", SEVERITY_WARNING, slowest);
	rate(bed, 5, 2, "SDR", SEVERITY_WARNING, some);
	free(own_device(bed)->driver);
	own_device(bed)->driver = mem_string("mlx4_core");
	rate(bed, 10, 4, "SDR", SEVERITY_WARNING, slowest);
	rate(bed, 20, 4, "DDR", SEVERITY_OK, fine);
	free(own_device(bed)->driver);
	own_device(bed)->driver = mem_string("ib_mthca");
	rate(bed, 10, 4, "SDR", SEVERITY_OK, fine);
	/* A sub-device has one plane of another port, with one lane. */
	own_device(bed)->sub_type = number_of(1);
	rate(bed, 25, 1, "EDR", SEVERITY_OK, fine);
	own_device(bed)->sub_type.known = false;
	/* Lanes only matter on InfiniBand. */
	own_port(bed)->link_layer = number_of(LINK_LAYER_ETHERNET);
	rate(bed, 25, 1, "EDR", SEVERITY_OK, fine);
	assert_string_equal(run(bed, CHECK_ID_port_rate)->finding.evidence, "25 Gb/s");
}

/* The fastest of similar ports, and how many are as fast. */
static void rates_of_others(void **state)
{
	static const double rates[] = {100, 200, 200, 50};
	static const char slower[] = "the port is slower than others like it";
	struct bed *bed = *state;

	for (unsigned int i = 0; i < ARRAY_SIZE(rates); i++) {
		struct port *port = add_port(bed, 1 + i, LINK_LAYER_INFINIBAND);

		port->rate_gbps = real_of(rates[i]);
		port->width_lanes = number_of(4);
		port->speed = mem_string("HDR");
	}
	rate(bed, 199, 4, "HDR", SEVERITY_WARNING, slower);
	assert_string_equal(run(bed, CHECK_ID_port_rate)->finding.evidence,
			    "199 Gb/s (4X HDR); mlx5_2/1 and more ports of the board MT_1 in this "
			    "position: 200 Gb/s (4X HDR)");
	rate(bed, 200, 4, "HDR", SEVERITY_OK, "the port is as fast as others like it");
	bed->facts.inventory.devices.items[3].ports[0].state = number_of(PORT_STATE_DOWN);
	rate(bed, 199, 4, "HDR", SEVERITY_WARNING, slower);
	assert_string_equal(run(bed, CHECK_ID_port_rate)->finding.evidence,
			    "199 Gb/s (4X HDR); mlx5_2/1 of the board MT_1 in this position: 200 "
			    "Gb/s (4X HDR)");
	own_port(bed)->rate_gbps.known = false;
	assert_string_equal(run(bed, CHECK_ID_port_rate)->finding.summary,
			    "the rate of the port is not known");
}

/* Only a ConnectX-7 whose product data say so manages the NVSwitches. */
static void managers(void **state)
{
#define CASE(text, manages)                     \
	{                                       \
		text, sizeof(text) - 1, manages \
	}
	static const struct {
		char text[32];
		size_t length;
		bool manages;
	} cases[] = {
		CASE("SMDL=SW_MNG", true),   CASE("SMDL=SW_MNG:UUID=1", true),
		CASE("SMDL=SW_MNGX", false), CASE("SMDL=SW_MNG\0", false),
		CASE("SMDL=SW_MN", false),   CASE("SMDL=SW_MN:G=1", false),
		CASE("SMDL=SW_XNG", false),  CASE("SMDM=SW_MNG", false),
	};
#undef CASE
	static const char vpd[] = "sys/bus/pci/devices/0000:01:00.0/vpd";
	struct bed *bed = *state;
	size_t count;

	tree_function(&bed->tree, "pci0000:00/0000:01:00.0", "0x020700", "0x15b3", "0x1021", NULL);
	bed_assert(run(bed, CHECK_ID_nvswitch_pf), SEVERITY_INFO,
		   "the adapter has no vital product data");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char length = (char)cases[i].length;
		/* A resource with the field V0, and the end tag. */
		char bytes[64] = {'\x90', (char)(length + 3), 0, 'V', '0', length};

		memcpy(bytes + 6, cases[i].text, cases[i].length);
		bytes[6 + length] = '\x78';
		tree_write_bytes(&bed->tree, vpd, bytes, cases[i].length + 7);
		if (cases[i].manages)
			bed_assert(run(bed, CHECK_ID_nvswitch_pf), SEVERITY_NOTICE,
				   "the adapter manages the NVSwitches, and is not for traffic");
		else
			bed_assert(run(bed, CHECK_ID_nvswitch_pf), SEVERITY_OK,
				   "the adapter does not manage NVSwitches");
	}
	/* Only root may read it. */
	tree_delete(&bed->tree, vpd);
	tree_link(&bed->tree, vpd, "!EACCES");
	tree_become_nobody();
	bed_assert(run(bed, CHECK_ID_nvswitch_pf), SEVERITY_INFO,
		   "the vital product data cannot be read");
	assert_int_equal(bed_last(bed)->needs.value, NEEDS_ROOT);
	tree_become_oneself();
	/* A device without a PCI function cannot be that model. */
	free(own_device(bed)->pci_address);
	own_device(bed)->pci_address = NULL;
	count = bed->results.count;
	run(bed, CHECK_ID_nvswitch_pf);
	assert_int_equal(bed->results.count, count);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(states),	       TEST(addresses), TEST(addresses_on_top),
		TEST(bonds),	       TEST(netdevs),	TEST(peers),
		TEST(planes),	       TEST(no_peers),	TEST(lanes_and_speeds),
		TEST(rates_of_others), TEST(managers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
