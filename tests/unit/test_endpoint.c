/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The choice of port and GID for a test, on made-up hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "host/endpoint/endpoint.h"
#include "host/inventory/inventory.h"

enum { ETHERNET = 1, IPOIB = 32 }; /* ARPHRD_* */

struct host {
	struct inventory inventory;
	struct endpoint_wish wish;
	struct endpoint endpoint;
	char *reason, *hint;
};

static int setup(void **state)
{
	*state = mem_alloc_zero(1, sizeof(struct host));
	return 0;
}

static int teardown(void **state)
{
	struct host *host = *state;

	inventory_free(&host->inventory);
	free(host->reason);
	free(host->hint);
	free(host);
	return 0;
}

static struct link *add_link(struct host *host, const char *name, uint64_t type)
{
	struct link *link = link_list_add(&host->inventory.links);

	link->name = mem_string(name);
	link->index = number_of(host->inventory.links.count + 10);
	link->type = number_of(type);
	link->operstate = number_of(6);
	return link;
}

static struct ip_address ip_of(const char *text)
{
	struct ip_address ip = {0};

	assert_int_equal(ip_parse(text, &ip), 0);
	return ip;
}

static void add_address(struct host *host, const char *netdev, const char *ip, uint64_t length)
{
	struct link_address_list *list = &host->inventory.addresses;
	struct link_address *address = mem_append(&list->items, &list->count, sizeof(*list->items));

	address->link_index = link_by_name(&host->inventory.links, netdev)->index;
	address->ip = ip_of(ip);
	address->prefix_length = number_of(length);
}

static struct port *add_device(struct host *host, const char *name, enum transport transport,
			       const char *netdev)
{
	struct device *device = device_list_add(&host->inventory.devices, name);
	struct port *port = device_add_port(device, 1);

	device->transport = number_of(transport);
	port->state = number_of(4);
	port->link_layer = number_of(transport == TRANSPORT_INFINIBAND ? LINK_LAYER_INFINIBAND
								       : LINK_LAYER_ETHERNET);
	port->active_mtu_bytes = number_of(1024);
	port->rate_gbps.value = 2.5;
	port->rate_gbps.known = true;
	port->lid = number_of(5);
	if (netdev) {
		port->netdev = mem_string(netdev);
		port->netdev_operstate = number_of(6);
	}
	return port;
}

static struct gid_entry *add_gid(struct port *port, const char *gid, enum gid_type type,
				 const char *netdev, uint64_t length)
{
	struct gid_entry *entry = mem_append(&port->gids, &port->gid_count, sizeof(*port->gids));

	entry->device = port->device;
	entry->port = port->port;
	entry->index = number_of(port->gid_count - 1);
	assert_int_equal(gid_parse(gid, &entry->gid.gid), 0);
	entry->gid.known = true;
	entry->type = number_of(type);
	entry->netdev = netdev ? mem_string(netdev) : NULL;
	if (length)
		entry->prefix_length = number_of(length);
	if (type != GID_TYPE_IB)
		entry->ip = (struct known_ip){gid_to_ip(&entry->gid.gid), true};
	return entry;
}

/* 0, 1: link-local; 2, 3: 2001:db8:N::1/64; 4, 5: 10.9.N.1/24; the second of each is v2. */
static struct port *add_roce(struct host *host, const char *name, const char *netdev, int net)
{
	struct port *port = add_device(host, name, TRANSPORT_ROCE, netdev);
	char *ipv6 = mem_format("2001:db8:%d::1", net), *ipv4 = mem_format("10.9.%d.1", net);
	char *mapped = mem_format("::ffff:%s", ipv4);

	for (int type = GID_TYPE_ROCE_V1; type <= GID_TYPE_ROCE_V2; type++)
		add_gid(port, "fe80::1", (enum gid_type)type, netdev, 64);
	for (int type = GID_TYPE_ROCE_V1; type <= GID_TYPE_ROCE_V2; type++)
		add_gid(port, ipv6, (enum gid_type)type, netdev, 64);
	for (int type = GID_TYPE_ROCE_V1; type <= GID_TYPE_ROCE_V2; type++)
		add_gid(port, mapped, (enum gid_type)type, netdev, 24);
	add_address(host, netdev, "fe80::1", 64);
	add_address(host, netdev, ipv6, 64);
	add_address(host, netdev, ipv4, 24);
	free(mapped);
	free(ipv4);
	free(ipv6);
	return port;
}

static struct port *port_of(struct host *host, const char *name)
{
	return device_list_find(&host->inventory.devices, name)->ports;
}

static void begin(struct host *host)
{
	free(host->reason);
	free(host->hint);
	host->reason = host->hint = NULL;
	memset(&host->endpoint, 0xee, sizeof(host->endpoint));
}

/* Success leaves no reason, and failure no endpoint. */
static void end(struct host *host, int rc, int expected)
{
	struct endpoint untouched;

	memset(&untouched, 0xee, sizeof(untouched));
	if (rc != expected)
		fail_msg("%d, not %d: %s", rc, expected, host->reason ? host->reason : "-");
	assert_int_equal(!rc, !host->reason);
	if (rc)
		assert_memory_equal(&host->endpoint, &untouched, sizeof(untouched));
}

static void of_port(struct host *host, const char *name, int expected)
{
	const struct device *device = device_list_find(&host->inventory.devices, name);

	begin(host);
	end(host,
	    endpoint_of_port(&host->inventory, device, device->ports, &host->wish, &host->endpoint,
			     &host->reason, &host->hint),
	    expected);
}

static void by_route(struct host *host, const char *peer, const char *out, const char *source,
		     int expected)
{
	const struct ip_address address = ip_of(peer);
	struct route route = {.local = !out};

	if (out)
		route.link_index = link_by_name(&host->inventory.links, out)->index;
	if (source)
		route.source = (struct known_ip){ip_of(source), true};
	begin(host);
	end(host,
	    endpoint_by_route(&host->inventory, peer, &address, &route, &host->wish,
			      &host->endpoint, &host->reason, &host->hint),
	    expected);
}

static void of_address(struct host *host, const char *local, int expected)
{
	const struct ip_address address = ip_of(local);

	begin(host);
	end(host,
	    endpoint_of_address(&host->inventory, &address, &host->wish, &host->endpoint,
				&host->reason, &host->hint),
	    expected);
}

static void check(const struct host *host, const char *device, unsigned int index, const char *ip)
{
	char text[IP_TEXT_SIZE];

	assert_string_equal(host->endpoint.device, device);
	assert_int_equal(host->endpoint.port, 1);
	assert_int_equal(host->endpoint.gid_index, index);
	ip_format(&host->endpoint.ip, text);
	assert_string_equal(text, ip);
}

static void best_of_a_port(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "va", ETHERNET);
	port = add_roce(host, "rxa", "va", 0);
	of_port(host, "rxa", 0);
	check(host, "rxa", 5, "10.9.0.1");
	assert_string_equal(host->endpoint.netdev, "va");
	assert_int_equal(host->endpoint.gid_type, GID_TYPE_ROCE_V2);
	assert_int_equal(host->endpoint.transport, TRANSPORT_ROCE);
	assert_int_equal(host->endpoint.link_layer, LINK_LAYER_ETHERNET);
	assert_int_equal(host->endpoint.state, 4);
	assert_int_equal(host->endpoint.operstate, 6);
	assert_int_equal(host->endpoint.mtu_bytes, 1024);
	assert_int_equal(host->endpoint.rate_mbps, 2500);
	assert_int_equal(host->endpoint.lid, 0);
	port->gid_count = 4;
	of_port(host, "rxa", 0);
	check(host, "rxa", 3, "2001:db8::1");
	port->gid_count = 2;
	of_port(host, "rxa", 0);
	check(host, "rxa", 1, "fe80::1");
	port->gid_count = 1;
	of_port(host, "rxa", 0);
	check(host, "rxa", 0, "fe80::1");
	port->gid_count = 0;
	of_port(host, "rxa", -EADDRNOTAVAIL);
	assert_string_equal(host->reason, "rxa/1 has no usable GID");
	assert_non_null(strstr(host->hint, "va"));
	port->gid_count = 6;
}

static void wishes(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "va", ETHERNET);
	port = add_roce(host, "rxa", "va", 0);
	add_gid(port, "::", GID_TYPE_IB, NULL, 0)->type.known = false;
	host->wish.family = AF_INET6;
	of_port(host, "rxa", 0);
	check(host, "rxa", 3, "2001:db8::1");
	host->wish.gid_type = number_of(GID_TYPE_ROCE_V1);
	of_port(host, "rxa", 0);
	check(host, "rxa", 2, "2001:db8::1");
	host->wish = (struct endpoint_wish){.gid_index = number_of(0)};
	of_port(host, "rxa", 0);
	check(host, "rxa", 0, "fe80::1");
	for (unsigned int index = 6; index < 8; index++) {
		host->wish.gid_index = number_of(index);
		of_port(host, "rxa", -EINVAL);
		assert_non_null(strstr(host->reason, "rxa/1 has no GID at index"));
		assert_non_null(strstr(host->hint, "rdmactl gids rxa/1"));
	}
	host->wish = (struct endpoint_wish){.gid_index = number_of(0),
					    .gid_type = number_of(GID_TYPE_ROCE_V2)};
	of_port(host, "rxa", -EINVAL);
	assert_string_equal(host->reason,
			    "index 0 of rxa/1, RoCE v1 GID "
			    "fe80:0000:0000:0000:0000:0000:0000:0001, is not a usable RoCE v2 "
			    "GID");
	host->wish.gid_type = number_of(GID_TYPE_ROCE_V1);
	host->wish.family = AF_INET;
	of_port(host, "rxa", -EINVAL);
	assert_non_null(strstr(host->reason, ", is not a usable RoCE v1 IPv4 GID"));
}

static void inactive(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "va", ETHERNET);
	port = add_roce(host, "rxa", "va", 0);
	port->state = number_of(1);
	port->netdev_operstate = number_of(2);
	of_port(host, "rxa", -ENETDOWN);
	assert_string_equal(host->reason,
			    "port rxa/1 is not ACTIVE but down (its netdev va is down)");
	assert_string_equal(host->hint, "ip link set va up");
	by_route(host, "10.9.0.2", "va", "10.9.0.1", -ENETDOWN);
	of_address(host, "10.9.0.1", -ENETDOWN);
	port->state.known = false;
	of_port(host, "rxa", 0);
	assert_int_equal(host->endpoint.state, 0);
}

/* A bond without an address, a VLAN on it with one, and a GID in another namespace. */
static void vlan_and_namespace(void **state)
{
	struct host *host = *state;
	struct port *port;
	struct link *link;

	add_link(host, "bond0", ETHERNET);
	link = add_link(host, "bond0.200", ETHERNET);
	link->lower_index = number_of(11);
	link->vlan_id = number_of(200);
	add_address(host, "bond0.200", "172.20.200.14", 24);
	port = add_device(host, "mlx5_bond_0", TRANSPORT_ROCE, "bond0");
	add_gid(port, "fe80::1", GID_TYPE_ROCE_V2, "bond0", 64);
	add_gid(port, "::ffff:192.168.1.1", GID_TYPE_ROCE_V2, NULL, 0);
	add_gid(port, "::ffff:172.20.200.14", GID_TYPE_ROCE_V1, "bond0.200", 24);
	of_port(host, "mlx5_bond_0", 0);
	/* No netdev has fe80::1: librdmacm needs an existing address. */
	check(host, "mlx5_bond_0", 0, "172.20.200.14");
	add_gid(port, "::ffff:172.20.200.14", GID_TYPE_ROCE_V2, "bond0.200", 24);
	of_port(host, "mlx5_bond_0", 0);
	check(host, "mlx5_bond_0", 3, "172.20.200.14");
	assert_string_equal(host->endpoint.netdev, "bond0.200");
	by_route(host, "172.20.200.15", "bond0.200", "172.20.200.14", 0);
	check(host, "mlx5_bond_0", 3, "172.20.200.14");
}

static void route_to_the_peer(void **state)
{
	struct host *host = *state;

	add_link(host, "va", ETHERNET);
	add_link(host, "vb", ETHERNET);
	add_link(host, "eth9", ETHERNET);
	add_roce(host, "rxa", "va", 0);
	add_roce(host, "rxb", "vb", 1);
	by_route(host, "10.9.1.7", "vb", "10.9.1.1", 0);
	check(host, "rxb", 5, "10.9.1.1");
	by_route(host, "2001:db8::7", "va", "2001:db8::1", 0);
	check(host, "rxa", 3, "2001:db8::1");
	by_route(host, "10.9.0.7", "va", NULL, 0);
	check(host, "rxa", 5, "10.9.0.1");
	by_route(host, "10.9.1.1", NULL, "10.9.1.1", 0);
	check(host, "rxb", 5, "10.9.1.1");
	host->wish.gid_type = number_of(GID_TYPE_ROCE_V1);
	by_route(host, "10.9.1.7", "vb", "10.9.1.1", 0);
	check(host, "rxb", 4, "10.9.1.1");
	host->wish = (struct endpoint_wish){.gid_index = number_of(3)};
	by_route(host, "10.9.1.7", "vb", "10.9.1.1", 0);
	check(host, "rxb", 3, "2001:db8:1::1");
}

static void no_way(void **state)
{
	struct host *host = *state;

	add_link(host, "lo", ETHERNET);
	add_address(host, "lo", "127.0.0.1", 8);
	add_link(host, "va", ETHERNET);
	add_link(host, "eth9", ETHERNET);
	add_roce(host, "rxa", "va", 0)->gid_count = 4;
	by_route(host, "8.8.8.8", "eth9", "192.168.1.1", -ENODEV);
	assert_string_equal(host->reason,
			    "the route to 8.8.8.8 leaves by netdev eth9, which belongs to no RDMA "
			    "device");
	assert_string_equal(host->hint, "name one: rdmactl selftest rxa/1 --peer 8.8.8.8");
	by_route(host, "127.0.0.1", NULL, "127.0.0.1", -ENODEV);
	assert_string_equal(host->reason, "127.0.0.1 is an address of this host, on netdev lo, "
					  "which belongs to no RDMA device");
	/* The netdev is right, but the source address has no GID. */
	by_route(host, "10.9.0.7", "va", "10.9.0.1", -EADDRNOTAVAIL);
	assert_string_equal(host->reason, "no GID leads to 10.9.0.7: the route leaves by va with "
					  "source 10.9.0.1");
	assert_non_null(strstr(host->hint, "rxa/1 --gid-index N"));
	/* The user's choice has priority: the exchange uses eth9, the data rxa. */
	host->wish.named = true;
	by_route(host, "8.8.8.8", "eth9", "192.168.1.1", 0);
	check(host, "rxa", 3, "2001:db8::1");
	port_of(host, "rxa")->gid_count = 6;
	by_route(host, "2001:db8:9::9", "eth9", NULL, 0);
	check(host, "rxa", 3, "2001:db8::1");
	by_route(host, "8.8.8.8", "eth9", NULL, 0);
	check(host, "rxa", 5, "10.9.0.1");
}

static struct port *add_siw(struct host *host, const char *name, const char *netdev)
{
	struct port *port = add_device(host, name, TRANSPORT_IWARP, netdev);

	add_gid(port, "0200:0000:0901::", GID_TYPE_IB, NULL, 0);
	return port;
}

static void iwarp(void **state)
{
	struct host *host = *state;

	add_link(host, "va", ETHERNET);
	add_siw(host, "siwa", "va");
	of_port(host, "siwa", -EADDRNOTAVAIL);
	assert_string_equal(host->reason, "siwa/1 has no IP address on its netdev va, and iWARP "
					  "connects only by IP address");
	add_address(host, "va", "fe80::1", 64);
	of_port(host, "siwa", 0);
	check(host, "siwa", 0, "fe80::1");
	add_address(host, "va", "2001:db8::1", 64);
	add_address(host, "va", "10.9.0.1", 24);
	of_port(host, "siwa", 0);
	check(host, "siwa", 0, "10.9.0.1");
	assert_int_equal(host->endpoint.transport, TRANSPORT_IWARP);
	assert_int_equal(host->endpoint.gid.raw[0], 2);
	/* A family that the user prefers, wherever it is in the list. */
	host->wish.family = AF_INET;
	of_port(host, "siwa", 0);
	check(host, "siwa", 0, "10.9.0.1");
	host->wish.family = AF_INET6;
	of_port(host, "siwa", 0);
	check(host, "siwa", 0, "2001:db8::1");
	host->wish.family = 0;
	by_route(host, "2001:db8::2", "va", "2001:db8::1", 0);
	check(host, "siwa", 0, "2001:db8::1");
	by_route(host, "10.9.0.1", NULL, "10.9.0.1", 0);
	check(host, "siwa", 0, "10.9.0.1");
	host->wish.gid_index = number_of(1);
	of_port(host, "siwa", -EINVAL);
}

static void roce_before_iwarp(void **state)
{
	struct host *host = *state;

	add_link(host, "va", ETHERNET);
	add_siw(host, "siwa", "va");
	add_roce(host, "rxa", "va", 0);
	by_route(host, "10.9.0.2", "va", "10.9.0.1", 0);
	check(host, "rxa", 5, "10.9.0.1");
	/* But not if the port is down. */
	port_of(host, "rxa")->state = number_of(1);
	by_route(host, "10.9.0.2", "va", "10.9.0.1", 0);
	check(host, "siwa", 0, "10.9.0.1");
	port_of(host, "siwa")->state = number_of(1);
	add_siw(host, "siwb", "va");
	by_route(host, "10.9.0.2", "va", "10.9.0.1", 0);
	check(host, "siwb", 0, "10.9.0.1");
}

static void infiniband(void **state)
{
	struct host *host = *state;
	struct endpoint client = {.transport = TRANSPORT_INFINIBAND,
				  .link_layer = LINK_LAYER_INFINIBAND};
	struct port *port;

	add_link(host, "ib0", IPOIB)->port_guid = number_of(0x22);
	add_link(host, "eth0", ETHERNET);
	add_address(host, "ib0", "10.1.0.1", 16);
	add_address(host, "eth0", "192.168.1.1", 24);
	port = add_device(host, "mlx5_0", TRANSPORT_INFINIBAND, NULL);
	port->port_guid = number_of(0x11);
	add_gid(port, "fe80::11", GID_TYPE_IB, NULL, 0);
	port = add_device(host, "mlx5_1", TRANSPORT_INFINIBAND, "ib0");
	port->port_guid = number_of(0x22);
	add_gid(port, "fec0::22", GID_TYPE_IB, NULL, 0);
	add_gid(port, "fec0::33", GID_TYPE_IB, NULL, 0);
	of_port(host, "mlx5_0", 0);
	check(host, "mlx5_0", 0, "");
	assert_int_equal(host->endpoint.lid, 5);
	by_route(host, "10.1.0.2", "ib0", "10.1.0.1", 0);
	check(host, "mlx5_1", 0, "10.1.0.1");
	/* The client connected over Ethernet: its GID gives the subnet. */
	host->wish.peer = &client;
	assert_int_equal(gid_parse("fec0::99", &client.gid), 0);
	of_address(host, "192.168.1.1", 0);
	check(host, "mlx5_1", 0, "10.1.0.1");
	assert_int_equal(gid_parse("fe80::99", &client.gid), 0);
	of_address(host, "192.168.1.1", 0);
	check(host, "mlx5_0", 0, "");
	assert_int_equal(gid_parse("fe00::99", &client.gid), 0);
	of_address(host, "192.168.1.1", -ENODEV);
	host->wish = (struct endpoint_wish){.gid_index = number_of(1)};
	of_port(host, "mlx5_1", 0);
	check(host, "mlx5_1", 1, "10.1.0.1");
}

static struct endpoint client_with(const char *gid, enum gid_type type)
{
	struct endpoint client = {.transport = TRANSPORT_ROCE,
				  .link_layer = LINK_LAYER_ETHERNET,
				  .gid_type = type,
				  .port = 1,
				  .device = "far0"};

	assert_int_equal(gid_parse(gid, &client.gid), 0);
	return client;
}

static void server(void **state)
{
	struct host *host = *state;
	struct endpoint client = client_with("::ffff:10.9.1.9", GID_TYPE_ROCE_V2);

	host->wish.peer = &client;
	add_link(host, "va", ETHERNET);
	add_link(host, "vb", ETHERNET);
	add_link(host, "eth9", ETHERNET);
	add_address(host, "eth9", "192.168.1.1", 24);
	add_siw(host, "siwb", "vb");
	add_roce(host, "rxa", "va", 0);
	add_roce(host, "rxb", "vb", 1);
	of_address(host, "10.9.1.1", 0);
	check(host, "rxb", 5, "10.9.1.1");
	/* Through another netdev: the subnet of the client's GID decides. */
	of_address(host, "192.168.1.1", 0);
	check(host, "rxb", 5, "10.9.1.1");
	/* From another subnet: the address decides. */
	client = client_with("::ffff:10.77.0.1", GID_TYPE_ROCE_V2);
	of_address(host, "10.9.0.1", 0);
	check(host, "rxa", 5, "10.9.0.1");
	of_address(host, "192.168.1.1", -ENODEV);
	assert_string_equal(host->reason,
			    "no RDMA device that matches the client's has the address "
			    "192.168.1.1 of netdev eth9, or one in the subnet of its "
			    "GID");
	assert_non_null(strstr(host->hint, "--serve DEV/PORT"));
	/* Type and family are those of the client, not the best ones. */
	client = client_with("2001:db8:1::9", GID_TYPE_ROCE_V1);
	of_address(host, "10.9.1.1", 0);
	check(host, "rxb", 2, "2001:db8:1::1");
	client = client_with("fe80::9", GID_TYPE_ROCE_V2);
	of_address(host, "10.9.1.1", 0);
	check(host, "rxb", 1, "fe80::1");
	/* iWARP uses the same address. */
	client.transport = TRANSPORT_IWARP;
	of_address(host, "10.9.1.1", 0);
	check(host, "siwb", 0, "10.9.1.1");
	of_address(host, "10.9.0.1", -ENODEV);
	assert_string_equal(host->reason, "rxa/1 is RoCE v2, far0/1 of the peer is iWARP: they "
					  "cannot talk to each other");
}

/* The client names the port; its address is in another network. */
static void server_by_name(void **state)
{
	struct host *host = *state;
	struct port *second;

	add_link(host, "vb", ETHERNET);
	add_address(host, "vb", "10.9.1.1", 24);
	add_gid(add_device(host, "rxa", TRANSPORT_ROCE, "vb"), "::ffff:10.9.1.1", GID_TYPE_ROCE_V2,
		"vb", 24);
	second = device_add_port(&host->inventory.devices.items[0], 2);
	second->state = number_of(1);
	second->link_layer = number_of(LINK_LAYER_ETHERNET);
	assert_int_equal(endpoint_of_name(&host->inventory, "rxa", 0, &host->wish, &host->endpoint,
					  &host->reason, &host->hint),
			 0);
	check(host, "rxa", 0, "10.9.1.1");
	assert_int_equal(host->endpoint.port, 1);
	begin(host);
	end(host,
	    endpoint_of_name(&host->inventory, "rxa", 2, &host->wish, &host->endpoint,
			     &host->reason, &host->hint),
	    -ENETDOWN);
	begin(host);
	end(host,
	    endpoint_of_name(&host->inventory, "rxa", 3, &host->wish, &host->endpoint,
			     &host->reason, &host->hint),
	    -ENODEV);
	assert_string_equal(host->reason, "rxa has no port 3");
	begin(host);
	end(host,
	    endpoint_of_name(&host->inventory, "rx\033", 0, &host->wish, &host->endpoint,
			     &host->reason, &host->hint),
	    -ENODEV);
	assert_null(strchr(host->reason, '\033'));
	assert_non_null(strstr(host->reason, "but rxa"));
}

/* The two ends of a veth in one subnet: each has the other as its lower netdev. */
static void server_on_a_wire(void **state)
{
	struct host *host = *state;
	struct endpoint client = client_with("::ffff:10.9.0.2", GID_TYPE_ROCE_V2);
	struct port *port;

	host->wish.peer = &client;
	add_link(host, "va", ETHERNET)->lower_index = number_of(12);
	add_link(host, "vb", ETHERNET)->lower_index = number_of(11);
	add_address(host, "va", "10.9.0.1", 24);
	add_address(host, "vb", "10.9.0.2", 24);
	port = add_device(host, "rxa", TRANSPORT_ROCE, "va");
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "va", 24);
	port = add_device(host, "rxb", TRANSPORT_ROCE, "vb");
	add_gid(port, "::ffff:10.9.0.2", GID_TYPE_ROCE_V2, "vb", 24);
	of_address(host, "10.9.0.2", 0);
	check(host, "rxb", 0, "10.9.0.2");
	client.gid = client_with("::ffff:10.9.0.1", GID_TYPE_ROCE_V2).gid;
	of_address(host, "10.9.0.1", 0);
	check(host, "rxa", 0, "10.9.0.1");
	add_siw(host, "swa", "va");
	add_siw(host, "swb", "vb");
	client.transport = TRANSPORT_IWARP;
	client.gid = port_of(host, "swa")->gids[0].gid.gid;
	of_address(host, "10.9.0.2", 0);
	check(host, "swb", 0, "10.9.0.2");
}

static void server_without_the_type(void **state)
{
	struct host *host = *state;
	struct endpoint client = client_with("::ffff:10.9.0.9", GID_TYPE_ROCE_V1);
	struct port *port;

	host->wish.peer = &client;
	add_link(host, "va", ETHERNET);
	add_address(host, "va", "10.9.0.1", 24);
	port = add_device(host, "rxa", TRANSPORT_ROCE, "va");
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V2, "va", 24);
	of_address(host, "10.9.0.1", -EADDRNOTAVAIL);
	assert_string_equal(host->reason, "rxa/1 has no usable RoCE v1 IPv4 GID");
	assert_string_equal(host->hint, "rdmactl gids rxa/1 shows those it has");
	/* A named port is used regardless of the address. */
	client.gid_type = GID_TYPE_ROCE_V2;
	client.gid = client_with("::ffff:10.77.0.1", GID_TYPE_ROCE_V2).gid;
	of_address(host, "192.168.1.1", -ENODEV);
	host->wish.named = true;
	of_address(host, "192.168.1.1", 0);
	check(host, "rxa", 0, "10.9.0.1");
}

static void all_gids(void **state)
{
	struct host *host = *state;
	struct endpoint *endpoints = NULL;
	size_t count = 0;
	struct port *port;

	add_link(host, "va", ETHERNET);
	port = add_roce(host, "rxa", "va", 0);
	add_gid(port, "::", GID_TYPE_IB, NULL, 0)->type.known = false;
	add_gid(port, "::ffff:10.5.0.1", GID_TYPE_ROCE_V2, "va.5", 24);
	add_siw(host, "siwa", "va");
	port = port_of(host, "rxa");
	assert_int_equal(endpoint_list_gids(&host->inventory, &host->inventory.devices.items[0],
					    port, &endpoints, &count, &host->reason, &host->hint),
			 0);
	assert_int_equal(count, 7);
	for (unsigned int i = 0; i < 6; i++)
		assert_int_equal(endpoints[i].gid_index, i);
	assert_int_equal(endpoints[6].gid_index, 7);
	assert_string_equal(endpoints[6].netdev, "va.5");
	assert_int_equal(endpoints[2].gid_type, GID_TYPE_ROCE_V1);
	free(endpoints);
	assert_int_equal(endpoint_list_gids(&host->inventory, &host->inventory.devices.items[1],
					    port_of(host, "siwa"), &endpoints, &count,
					    &host->reason, &host->hint),
			 0);
	assert_int_equal(count, 1);
	assert_string_equal(endpoints[0].device, "siwa");
	free(endpoints);
	port->state = number_of(1);
	endpoints = NULL;
	assert_int_equal(endpoint_list_gids(&host->inventory, &host->inventory.devices.items[0],
					    port, &endpoints, &count, &host->reason, &host->hint),
			 -ENETDOWN);
	assert_null(endpoints);
	assert_non_null(host->reason);
}

/* mlx4: one device with an InfiniBand and an Ethernet port. */
static void mixed_ports(void **state)
{
	struct host *host = *state;
	struct port *port;

	add_link(host, "eth0", ETHERNET);
	add_device(host, "mlx4_0", TRANSPORT_INFINIBAND, NULL);
	port = device_add_port(&host->inventory.devices.items[0], 2);
	port->state = number_of(4);
	port->link_layer = number_of(LINK_LAYER_ETHERNET);
	add_gid(port, "::ffff:10.9.0.1", GID_TYPE_ROCE_V1, "eth0", 24);
	begin(host);
	end(host,
	    endpoint_of_port(&host->inventory, &host->inventory.devices.items[0], port, &host->wish,
			     &host->endpoint, &host->reason, &host->hint),
	    0);
	assert_int_equal(host->endpoint.transport, TRANSPORT_ROCE);
	assert_int_equal(host->endpoint.port, 2);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(best_of_a_port),
		TEST(wishes),
		TEST(inactive),
		TEST(vlan_and_namespace),
		TEST(route_to_the_peer),
		TEST(no_way),
		TEST(iwarp),
		TEST(roce_before_iwarp),
		TEST(infiniband),
		TEST(server),
		TEST(server_without_the_type),
		TEST(server_by_name),
		TEST(server_on_a_wire),
		TEST(all_gids),
		TEST(mixed_ports),
	};

	return cmocka_run_group_tests_name("endpoint", tests, NULL, NULL);
}
