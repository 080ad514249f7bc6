/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * selftest --all-ports: which ports of this host and of a peer become rails, and what is known of
 * each before it is measured. The peer, the topology and the measurement are simulated here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <net/if_arp.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cmd/selftest/selftest_run.h"
#include "mad/format/codes.h"
#include "selftest/rails/rails.h"
#include "topology/topology.h"

static struct bed {
	struct selftest_run run;
	struct selftest_args args;
	struct listed_port far[8];
	size_t far_count;
	int ask_rc, run_rc;
	struct topology_node nodes[8];
	struct topology_switch switches[3];
	size_t node_count;
	bool no_topology;
	char *rails; /* one per line */
	unsigned int runs, cleared;
} bed;

/* ---- Simulated peer, measurement and topology ---- */

int rails_ask(const struct selftest_request *request, struct selftest_results *results,
	      struct listed_port **ret_ports, size_t *ret_count)
{
	assert_ptr_equal(request, &bed.run.plan.request);
	assert_ptr_equal(results, &bed.run.output.results);
	if (bed.ask_rc)
		return bed.ask_rc;
	*ret_ports = mem_alloc_zero(8, sizeof(**ret_ports));
	memcpy(*ret_ports, bed.far, sizeof(bed.far));
	*ret_count = bed.far_count;
	return 0;
}

static const char *match_word(enum rail_match match)
{
	return match == RAIL_SUBNET ? "subnet" : "order";
}

int rails_run(const struct selftest_request *request, struct rail *rails, size_t count,
	      struct selftest_results *results)
{
	assert_ptr_equal(request, &bed.run.plan.request);
	assert_ptr_equal(results, &bed.run.output.results);
	bed.runs++;
	for (size_t i = 0; i < count; i++) {
		const struct rail *rail = &rails[i];
		char ip[IP_TEXT_SIZE];

		ip_format(&rail->near.ip, ip);
		mem_extend(&bed.rails, "%s/%u %s > %s/%u by %s, %u/%u and %u/%u, %s %s %.1f, %u\n",
			   rail->near.device, rail->near.port, ip, rail->far.device, rail->far.port,
			   match_word(rail->match), rail->share, rail->shares, rail->far_share,
			   rail->far_shares, rail->software ? "soft" : "hard",
			   rail->bus ? rail->bus : "-",
			   rail->bus_gbps.known ? rail->bus_gbps.value : -1,
			   (unsigned int)rail->path.traffic_class.value);
	}
	return bed.run_rc;
}

int topology_load(struct topology *topology, const struct topology_request *request,
		  struct problems *notes, char **ret_message)
{
	(void)notes, (void)ret_message;
	assert_ptr_equal(request->inventory, &bed.run.listing.inventory);
	assert_non_null(request->root);
	topology->nodes = bed.nodes;
	return bed.no_topology ? -ENOENT : 0;
}

struct topology_node *topology_find(const struct topology *topology, const char *name)
{
	assert_ptr_equal(topology->nodes, bed.nodes);
	for (size_t i = 0; i < bed.node_count; i++)
		if (!strcmp(bed.nodes[i].name, name))
			return &bed.nodes[i];
	return NULL;
}

void topology_clear(struct topology *topology)
{
	(void)topology;
	bed.cleared++;
}

/* ---- Ports ---- */

/* Adds one GID to a port: RoCE v2 of 10.9.NET.1/24. */
static void add_gid(struct port *port, const char *netdev, unsigned int net)
{
	struct gid_entry *entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));
	char *text = mem_format("::ffff:10.9.%u.1", net);

	entry->device = port->device;
	entry->port = port->port;
	entry->index = number_of(0);
	assert_int_equal(gid_parse(text, &entry->gid.gid), 0);
	free(text);
	entry->gid.known = true;
	entry->type = number_of(GID_TYPE_ROCE_V2);
	entry->netdev = mem_string(netdev);
	entry->prefix_length = number_of(24);
	entry->ip = (struct known_ip){gid_to_ip(&entry->gid.gid), true};
}

static struct port *add_port(struct device *device, unsigned int number, unsigned int net)
{
	struct port *port = device_add_port(device, number);
	struct link *link = link_list_add(&bed.run.listing.inventory.links);
	char *name = mem_format("eth%u", net);

	link->name = mem_string(name);
	link->index = number_of(net + 10);
	link->type = number_of(ARPHRD_ETHER);
	link->operstate = number_of(6);
	port->state = number_of(PORT_STATE_ACTIVE);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	port->netdev = mem_string(name);
	port->netdev_operstate = number_of(6);
	add_gid(port, name, net);
	free(name);
	return port;
}

/* `address` and `node` may be missing: NULL and -1. */
static struct device *add_device(const char *name, const char *address, int node)
{
	struct device *device = device_list_add(&bed.run.listing.inventory.devices, name);

	device->transport = number_of(TRANSPORT_ROCE);
	device->pci_address = mem_string_or_null(address);
	if (node >= 0)
		device->numa_node = number_of((uint64_t)node);
	return device;
}

static void add_far(const char *name, const char *gid, int node)
{
	struct listed_port *port = &bed.far[bed.far_count++];

	port->endpoint = (struct endpoint){
		.port = 3,
		.transport = TRANSPORT_ROCE,
		.link_layer = LINK_LAYER_ETHERNET,
		.gid_type = GID_TYPE_ROCE_V2,
	};
	strcpy(port->endpoint.device, name);
	assert_int_equal(gid_parse(gid, &port->endpoint.gid), 0);
	port->with_node = node >= 0;
	port->node = node >= 0 ? (uint32_t)node : 0;
}

static struct topology_node *add_node(const char *name, const char *card)
{
	struct topology_node *node = &bed.nodes[bed.node_count++];

	node->name = (char *)(uintptr_t)name;
	node->card = (char *)(uintptr_t)card;
	return node;
}

static void begin(void)
{
	bed = (struct bed){.rails = mem_string("")};
	bed.run.plan.args = &bed.args;
}

static void end(void)
{
	free(bed.rails);
	inventory_free(&bed.run.listing.inventory);
	selftest_results_free(&bed.run.output.results);
}

static void expect_row(size_t index, enum selftest_verdict verdict, const char *device,
		       unsigned int port, const char *reason)
{
	const struct selftest_result *row = bed.run.output.results.items[index];

	assert_int_equal(row->verdict.value, verdict);
	assert_string_equal(row->device, device);
	assert_int_equal(row->port.value, port);
	assert_string_equal(row->test, "connect");
	assert_string_equal(row->reason, reason);
}

/* Added in the order of addresses, not of the inventory; the last two are software devices. */
static void add_host(void)
{
	struct device *device = add_device("mlx5_1", "0000:3b:00.1", 0);

	add_port(device, 1, 1);
	add_port(add_device("mlx5_0", "0000:3b:00.0", 0), 1, 0);
	add_port(add_device("rxe9", NULL, -1), 1, 9);
	add_port(add_device("rxe8", NULL, -1), 1, 8);
	add_port(add_device("down", "0000:01:00.0", 0), 1, 7)->state = number_of(PORT_STATE_DOWN);
	device = add_device("mlx4_0", "0000:5e:00.0", 1);
	add_port(device, 1, 20)->state = number_of(PORT_STATE_DOWN);
	add_port(device, 2, 2);
	add_port(add_device("mlx5_5", "0000:af:00.0", 1), 1, 5);
	add_port(add_device("ib", "0000:bf:00.0", 1), 1, 6)->link_layer = number_of(
		LINK_LAYER_INFINIBAND);
}

static void lists(void **state)
{
	static const struct {
		const char *device, *place;
		unsigned int port;
		int node;
	} rows[] = {
		{"mlx5_0", "0000:3b:00.0", 1, 0},
		{"mlx5_1", "0000:3b:00.1", 1, 0},
		{"mlx4_0", "0000:5e:00.0", 2, 1},
		{"mlx5_5", "0000:af:00.0", 1, 65535},
		{"rxe9", "", 1, -1},
		{"rxe8", "", 1, -1},
	};
	const struct number any = {.known = false};
	struct listed_port *ports;
	size_t count;

	(void)state;
	begin();
	add_host();
	bed.run.listing.inventory.devices.count--;
	bed.run.listing.inventory.devices.items[6].numa_node = number_of(65535);
	bed.run.listing.inventory.devices.items[2].numa_node = number_of(65536);
	rails_list(&bed.run.listing.inventory, &any, &ports, &count);
	bed.run.listing.inventory.devices.count++;
	assert_int_equal(count, ARRAY_SIZE(rows));
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(ports[i].endpoint.device, rows[i].device);
		assert_int_equal(ports[i].endpoint.port, rows[i].port);
		assert_string_equal(ports[i].place, rows[i].place);
		assert_int_equal(ports[i].with_node, rows[i].node >= 0);
		assert_int_equal(ports[i].node, rows[i].node >= 0 ? rows[i].node : 0);
	}
	free(ports);
	end();
}

/*
 * Two functions of one card, two adapters below one switch with a switch of their own each, and
 * software. A port without a usable GID, and one without a remaining counterpart, have a row and no
 * rail.
 */
static void make_topology(void)
{
	static char id[] = "0000:5d:00.0";
	struct topology_node *node;

	bed.switches[0] = (struct topology_switch){
		.id = id, .speed_gtps = real_of(16), .width_lanes = number_of(16)};
	bed.switches[1].up = bed.switches[2].up = &bed.switches[0];
	add_node("mlx5_1", "0000:3b:00")->gbps = real_of(126);
	add_node("mlx5_0", "0000:3b:00")->gbps = real_of(252);
	add_node("mlx4_0", "0000:5e:00")->above = &bed.switches[1];
	add_node("mlx5_5", "0000:af:00")->above = &bed.switches[2];
	for (int i = 0; i < 2; i++) {
		node = add_node(i ? "rxe8" : "rxe9", NULL);
		node->role = number_of(TOPOLOGY_SOFTWARE);
	}
}

static void add_peer(void)
{
	add_far("f0", "::ffff:10.9.1.7", 1);
	add_far("f1", "::ffff:10.9.0.7", 1);
	add_far("f2", "::ffff:10.9.77.7", -1);
	add_far("f3", "::ffff:10.9.5.7", 0);
	add_far("f4", "::ffff:10.9.78.7", 0);
	add_far("f5", "fd00::7", 1);
}

static void rails(void **state)
{
	const struct selftest_results *results = &bed.run.output.results;

	(void)state;
	begin();
	add_host();
	add_peer();
	make_topology();
	number_set(&bed.run.plan.request.path.traffic_class, 104);
	assert_int_equal(selftest_test_rails(&bed.run), 0);
	assert_string_equal(
		bed.rails,
		"mlx5_0/1 10.9.0.1 > f1/3 by subnet, 0/2 and 0/2, hard 0000:3b:00 252.0, 104\n"
		"mlx5_1/1 10.9.1.1 > f0/3 by subnet, 1/2 and 1/2, hard 0000:3b:00 126.0, 104\n"
		"mlx4_0/2 10.9.2.1 > f2/3 by order, 0/2 and 0/1, hard 0000:5d:00.0 252.1, 104\n"
		"mlx5_5/1 10.9.5.1 > f3/3 by subnet, 1/2 and 0/2, hard 0000:5d:00.0 252.1, 104\n"
		"rxe8/1 10.9.8.1 > f4/3 by order, 0/1 and 1/2, soft - -1.0, 104\n");
	assert_int_equal(bed.runs, 1);
	assert_int_equal(bed.cleared, 1);
	assert_int_equal(results->count, 2);
	expect_row(0, SELFTEST_SKIP, "ib", 1, "the peer has no port left for this one");
	expect_row(1, SELFTEST_FAIL, "rxe9", 1, "rxe9/1 has no usable RoCE v2 IPv6 GID");
	end();
}

/* Without a topology, nothing is known to be shared or to be software. */
static void without_topology(void **state)
{
	(void)state;
	begin();
	add_host();
	add_far("f0", "::ffff:10.9.1.7", 1);
	add_far("f1", "::ffff:10.9.0.7", 1);
	make_topology();
	bed.no_topology = true;
	bed.run_rc = -EINTR;
	assert_int_equal(selftest_test_rails(&bed.run), -EINTR);
	assert_string_equal(bed.rails,
			    "mlx5_0/1 10.9.0.1 > f1/3 by subnet, 0/2 and 0/2, hard - -1.0, 0\n"
			    "mlx5_1/1 10.9.1.1 > f0/3 by subnet, 1/2 and 1/2, hard - -1.0, 0\n");
	assert_int_equal(bed.run.output.results.count, 5);
	expect_row(0, SELFTEST_SKIP, "mlx4_0", 2, "the peer has no port left for this one");
	expect_row(4, SELFTEST_SKIP, "rxe8", 1, "the peer has no port left for this one");
	end();
}

/* None of the ports has a counterpart. */
static void none(void **state)
{
	const struct selftest_result *row;

	(void)state;
	begin();
	add_host();
	add_far("f0", "::ffff:10.9.1.7", 1);
	bed.far[0].endpoint.link_layer = LINK_LAYER_INFINIBAND;
	assert_int_equal(selftest_test_rails(&bed.run), 0);
	assert_int_equal(bed.runs, 0);
	row = bed.run.output.results.items[bed.run.output.results.count - 1];
	assert_string_equal(row->reason,
			    "no active port of this host has a counterpart on the peer");
	assert_string_equal(row->next_step, "rdmactl ports, on both hosts, shows their states");
	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	end();
}

/* The query of the peer adds the row itself; a signal ends everything. */
static void no_answer(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		begin();
		add_host();
		bed.ask_rc = i ? -EINTR : -ECONNREFUSED;
		assert_int_equal(selftest_test_rails(&bed.run), i ? -EINTR : 0);
		assert_int_equal(bed.runs, 0);
		assert_int_equal(bed.run.output.results.count, 0);
		end();
	}
}

static void needs(void **state)
{
	const uint64_t needs = selftest_rails_needs();

	(void)state;
	assert_true((needs & RAIL_NEEDS) == RAIL_NEEDS);
	assert_true((needs & topology_needs) == topology_needs);
	assert_false(needs & ~(RAIL_NEEDS | topology_needs));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(rails),
		cmocka_unit_test(without_topology),
		cmocka_unit_test(none),
		cmocka_unit_test(no_answer),
		cmocka_unit_test(needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
