/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data Direct functions, and the ConnectX-8 that each belongs to. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/pci/pci.h"
#include "host/pci/vpd.h"
#include "kernel/sysfs.h"

enum { CONNECTX_8 = 0x1023, DATA_DIRECT = 0x2100 };

static bool is_nvidia(const struct root *root, struct pci_function *function,
		      unsigned int device_id, struct problems *problems)
{
	pci_read(root, function, PCI_ID, problems);
	return number_is(&function->vendor_id, PCI_VENDOR_MELLANOX) &&
	       number_is(&function->device_id, device_id);
}

bool pci_is_data_direct(const struct root *root, struct pci_function *function,
			struct problems *problems)
{
	return is_nvidia(root, function, DATA_DIRECT, problems);
}

/* Returns the serial number that all functions of a card have; NULL: unreadable, or none. */
static char *read_serial(const struct root *root, const struct pci_function *function)
{
	char data[SYSFS_TEXT_SIZE];
	struct vpd_text serial;
	const ssize_t length = sysfs_read(root, data, PCI_FUNCTION "/vpd", function->address);

	if (length < 0)
		return NULL;
	vpd_field((const uint8_t *)data, (size_t)length, "V3", &serial);
	return serial.length ? mem_format("%.*s", (int)serial.length, serial.text) : NULL;
}

/* The Data Direct functions of the host, and the place of one ConnectX-8 among all of them. */
struct order {
	struct pci_function **functions;
	size_t count;
	size_t cards, before; /* all, and those before the adapter */
};

static struct order find_order(const struct root *root, const struct pci_list *list,
			       const struct pci_function *adapter, struct problems *problems)
{
	const struct pci_function *last = NULL;
	struct order order = {.count = 0};

	for (size_t i = 0; i < list->count; i++) {
		struct pci_function *other = &list->items[i];

		if (pci_is_data_direct(root, other, problems))
			MEM_ADD(order.functions, order.count) = other;
		if (!is_nvidia(root, other, CONNECTX_8, problems))
			continue;
		/* The functions of a card follow each other. */
		order.cards += !last || !pci_is_same_card(last, other);
		last = other;
		if (other == adapter)
			order.before = order.cards - 1;
	}
	return order;
}

struct pci_function *pci_data_direct_of(const struct root *root, const struct pci_list *list,
					struct pci_function *adapter, bool *ret_guessed,
					struct problems *problems)
{
	_cleanup_(freep) char *serial = NULL;
	struct pci_function *found = NULL;
	struct order order;
	bool all_known;

	if (!is_nvidia(root, adapter, CONNECTX_8, problems))
		return NULL;
	order = find_order(root, list, adapter, problems);
	serial = order.count ? read_serial(root, adapter) : NULL;
	all_known = serial;
	for (size_t i = 0; serial && i < order.count; i++) {
		_cleanup_(freep) char *its = read_serial(root, order.functions[i]);

		all_known &= its != NULL;
		if (its && !strcmp(its, serial))
			found = order.functions[i];
	}
	*ret_guessed = !found && !all_known && order.cards == order.count;
	if (*ret_guessed)
		found = order.functions[order.before];
	free(order.functions);
	return found;
}
