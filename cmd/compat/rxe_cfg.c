/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rxe_cfg(8) of rdma-core before release 30: status, add and remove, by RDMA netlink. Each run
 * names the replacement once.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/compat/compat.h"
#include "host/inventory/inventory.h"
#include "host/compat/software_device.h"
#include "host/need.h"

#define NEEDS                                                                             \
	(NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_MTU | NEED_LINK_KIND | NEED_ADDRESSES | \
	 NEED_MTU | NEED_NETDEV_SPEED | NEED_DRIVER)

enum { ARP_TYPE_ETHERNET = 1 }; /* ARPHRD_ETHER, include/uapi/linux/if_arp.h */

static int usage(const char *program, FILE *file, int status)
{
	fprintf(file,
		"usage: %s [status]\n"
		"       %s add NETDEV\n"
		"       %s remove NETDEV|DEV\n",
		program, program, program);
	return status;
}

static void hint(const char *program, const char *command)
{
	fprintf(stderr, "%s: use this instead: %s\n", program, command);
}

static const char *known_text(char *text, size_t size, const struct number *number,
			      const char *unit)
{
	text[0] = '\0';
	if (number->known)
		snprintf(text, size, "%llu%s", (unsigned long long)number->value, unit);
	return text;
}

/* The first IPv4 address, or an empty text. */
static const char *address_text(const struct inventory *inventory, const struct link *link,
				char text[static IP_TEXT_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; !text[0] && i < inventory->addresses.count; i++) {
		const struct link_address *address = &inventory->addresses.items[i];

		if (address->link_index.value == link->index.value && address->ip.family == AF_INET)
			ip_format(&address->ip, text);
	}
	return text;
}

static const struct port *find_port(const struct inventory *inventory, const char *netdev)
{
	for (size_t i = 0; i < inventory->devices.count; i++)
		for (size_t j = 0; j < inventory->devices.items[i].port_count; j++) {
			const struct port *port = &inventory->devices.items[i].ports[j];

			if (port->netdev && !strcmp(port->netdev, netdev))
				return port;
		}
	return NULL;
}

/* Bytes and the code of enum ibv_mtu: 1024  (3). */
static void print_port(const struct port *port)
{
	const struct number *mtu = &port->active_mtu_bytes;
	int code = 0;

	printf("%-4s", port->device);
	for (uint64_t bytes = mtu->known ? mtu->value : 0; bytes >= 256; bytes /= 2)
		code++;
	if (code)
		printf("  %llu  (%d)", (unsigned long long)mtu->value, code);
}

static void print_link(const struct inventory *inventory, const struct link *link)
{
	const struct port *port = find_port(inventory, link->name);
	const char *up = link->running == TRISTATE_YES	? "yes"
			 : link->running == TRISTATE_NO ? "no"
							: "";
	char speed[32], mtu[32], address[IP_TEXT_SIZE];

	printf("  %-9s  %-4s  %-10s  %-6s  %-4s  %-15s  ", link->name, up,
	       link->kind ? link->kind : "",
	       known_text(speed, sizeof(speed), &link->speed_mbps, "Mb/s"),
	       known_text(mtu, sizeof(mtu), &link->mtu_bytes, ""),
	       address_text(inventory, link, address));
	if (port)
		print_port(port);
	putchar('\n');
}

/* Without RDMA devices the netdevs have not been read yet. */
static void print_names(const char *root)
{
	struct strings names = {0};

	inventory_netdev_names(root, &names);
	for (size_t i = 0; i < names.count; i++)
		if (strcmp(names.items[i], "lo"))
			printf("  %s\n", names.items[i]);
	strings_free(&names);
}

static int show_status(const struct personality_call *call)
{
	const struct objects everything = {0};
	const struct inventory_request request = {
		.root = call->root, .needs = NEEDS, .objects = &everything};
	struct inventory inventory = {0};
	int rc = inventory_load(&inventory, &request, NULL, NULL);

	printf("  %-9s  %-4s  %-10s  %-6s  %-4s  %-15s  %-4s  %s\n", "Name", "Link", "Driver",
	       "Speed", "NMTU", "IPv4_addr", "RDEV", "RMTU");
	for (size_t i = 0; i < inventory.links.count; i++)
		if (inventory.links.items[i].type.value == ARP_TYPE_ETHERNET)
			print_link(&inventory, &inventory.links.items[i]);
	if (rc)
		print_names(call->root);
	inventory_free(&inventory);
	hint(call->program, "rdmactl netdevs, or rdma link");
	return 0;
}

static int complain(const char *program, const char *name, int error)
{
	_cleanup_(freep) char *clean = text_clean(name, strlen(name));

	fprintf(stderr, "%s: %s: %s\n", program, clean, strerror(-error));
	if (error == -EPERM || error == -EACCES)
		fputs("  run as root\n", stderr);
	else if (error == -EPROTONOSUPPORT)
		fputs("  this kernel has no RDMA: modprobe ib_core\n", stderr);
	else if (error == -EINVAL)
		fputs("  check the name of the netdev, and that the kernel has the module "
		      "rdma_rxe\n",
		      stderr);
	return 1;
}

static int add(const struct personality_call *call, const char *netdev)
{
	_cleanup_(freep) char *device = NULL, *command = NULL, *clean = NULL;
	int rc = software_device_add(netdev, &device);

	if (rc)
		return complain(call->program, netdev, rc);
	clean = text_clean(netdev, strlen(netdev));
	command = mem_format("rdma link add %s type rxe netdev %s", device, clean);
	hint(call->program, command);
	return 0;
}

static int take_away(const struct personality_call *call, const char *name)
{
	_cleanup_(freep) char *device = NULL, *command = NULL;
	int rc = software_device_remove(name, &device);

	if (rc)
		return complain(call->program, name, rc);
	command = mem_format("rdma link delete %s", device);
	hint(call->program, command);
	return 0;
}

int rxe_cfg_run(const struct personality_call *call, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "status";
	const bool changes = !strcmp(word, "add") || !strcmp(word, "remove");

	if (!strcmp(word, "-h") || !strcmp(word, "help"))
		return usage(call->program, stdout, 0);
	if (!strcmp(word, "status") && argc <= 2)
		return show_status(call);
	if (!changes || argc != 3)
		return usage(call->program, stderr, 1);
	if (call->root) {
		fprintf(stderr, "%s: a saved tree cannot be changed\n", call->program);
		return 1;
	}
	return !strcmp(word, "add") ? add(call, argv[2]) : take_away(call, argv[2]);
}
