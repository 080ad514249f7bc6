/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ibdev2netdev of mlnx-tools and MLNX_OFED: the netdev of each port, here for every vendor. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/compat/compat.h"
#include "host/compat/class_files.h"
#include "host/inventory/inventory.h"
#include "host/need.h"
#include "host/netdev.h"
#include "host/pci/pci.h"
#include "host/pci/vpd.h"

#define UNKNOWN "NA"
#define NEEDS                                                                                \
	(NEED_NETDEV | NEED_LINK_LIST | NEED_LINK_STATE | NEED_LINK_LAYER | NEED_TRANSPORT | \
	 NEED_NODE_TYPE)
#define NEEDS_VERBOSE \
	(NEEDS | NEED_PCI_ADDRESS | NEED_PCI_ID | NEED_HCA_TYPE | NEED_FIRMWARE | NEED_STATE)

enum { OPERSTATE_UP = 6 /* IF_OPER_UP, include/uapi/linux/if.h */ };

enum { VPD_TEXT_SIZE = 4 * 255 + 1 /* 255 bytes, cleaned */ };

struct product {
	char part[VPD_TEXT_SIZE]; /* both are empty if unknown */
	char description[VPD_TEXT_SIZE];
};

static void take_text(char shown[static VPD_TEXT_SIZE], const struct vpd_text *found)
{
	size_t length = found->length > 255 ? 255 : found->length;

	while (length && (found->text[length - 1] == ' ' || !found->text[length - 1]))
		length--;
	text_clean_into(shown, VPD_TEXT_SIZE, found->text, length);
}

/* Only root may read the vital product data. */
static void read_product(const struct personality_call *call, const struct device *device,
			 struct product *product)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	struct vpd_text description, part;
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = 0;

	if (!root_open(call->root, &root))
		length = sysfs_read(&root, text, SYSFS_RDMA_CLASS "/%s/device/vpd",
				    device->kernel_name);
	vpd_product((const uint8_t *)text, length > 0 ? (size_t)length : 0, &description, &part);
	take_text(product->description, &description);
	take_text(product->part, &part);
}

/* The vendor's name for the chip is its PCI device id, in decimal digits. */
static void print_chip(const struct device *device)
{
	if (device->pci_vendor_id.known && device->pci_vendor_id.value == PCI_VENDOR_MELLANOX &&
	    device->pci_device_id.known)
		printf("MT%llu", (unsigned long long)device->pci_device_id.value);
	else
		fputs(device->hca_type ? device->hca_type : UNKNOWN, stdout);
}

static const char *state_word(const struct port *port)
{
	static const char *const words[] = {"NOP",   "DOWN",   "INIT",
					    "ARMED", "ACTIVE", "ACTIVE_DEFER"};

	if (!port->state.known || port->state.value >= ARRAY_SIZE(words))
		return UNKNOWN;
	return words[port->state.value];
}

static const char *operstate_word(const struct netdev *netdev)
{
	if (!netdev->link.operstate.known)
		return UNKNOWN;
	return netdev->link.operstate.value == OPERSTATE_UP ? "Up" : "Down";
}

static void print_verbose(const struct personality_call *call, const struct device *device,
			  const struct port *port)
{
	struct product product;

	read_product(call, device, &product);
	printf("%s %s (", device->pci_address ? device->pci_address : UNKNOWN, device->name);
	print_chip(device);
	/* As the script, except that what cannot be read is NA, not blanks. */
	printf(" - %-*s) %-*s fw %s port %llu (%-6s)", product.part[0] ? 11 : 0,
	       product.part[0] ? product.part : UNKNOWN, product.description[0] ? 15 : 0,
	       product.description,
	       device->firmware && device->firmware[0] ? device->firmware : UNKNOWN,
	       (unsigned long long)port->port.value, state_word(port));
}

static void print_netdev(const struct personality_call *call, const struct inventory *inventory,
			 const struct netdev *netdev, bool verbose)
{
	const struct device *device = device_list_find(&inventory->devices, netdev->device);
	const struct port *port = device ? device_port(device, (unsigned int)netdev->port.value)
					 : NULL;

	if (!port || !netdev->netdev)
		return;
	if (verbose)
		print_verbose(call, device, port);
	else
		printf("%s port %llu", netdev->device, (unsigned long long)netdev->port.value);
	printf(" ==> %s (%s)\n", netdev->netdev, operstate_word(netdev));
}

static int usage(const char *program, int status)
{
	printf("%s <options>\n"
	       "-h, --help                print help message\n"
	       "-v, --verbose             print more info\n",
	       program);
	return status;
}

int ibdev2netdev_run(const struct personality_call *call, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const bool verbose = word && (!strcmp(word, "-v") || !strcmp(word, "--verbose"));
	const struct objects everything = {0};
	struct inventory_request request = {.root = call->root,
					    .needs = verbose ? NEEDS_VERBOSE : NEEDS,
					    .objects = &everything};
	_cleanup_(inventory_free) struct inventory inventory = {0};
	_cleanup_(problems_free) struct problems problems = {0};
	_cleanup_(netdev_list_clear) struct netdev_list netdevs = {0};
	int rc;

	if (word && (!strcmp(word, "-h") || !strcmp(word, "--help")))
		return usage(call->program, 0);
	if (argc > 2 || (word && !verbose))
		return usage(call->program, COMPAT_STATUS_PANIC);
	rc = inventory_load(&inventory, &request, &problems, NULL);
	if (rc && !problems.count)
		return compat_no_root(call, rc);
	netdev_list_make(&netdevs, &inventory.devices, &inventory.links);
	for (size_t i = 0; i < problems.count; i++) {
		_cleanup_(freep) char *line = problem_line(&problems.items[i]);

		fprintf(stderr, "%s: %s\n", call->program, line);
	}
	for (size_t i = 0; i < netdevs.count; i++)
		print_netdev(call, &inventory, &netdevs.items[i], verbose);
	/* Without the class no driver is loaded, and the script fails. */
	return inventory.devices.count || !inventory_find_core(call->root, NULL)
		       ? 0
		       : COMPAT_STATUS_PANIC;
}
