/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data Direct functions, and the ConnectX-8 that each belongs to. */
#include <string.h>

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

/*
 * Returns the serial number that all functions of a card have; NULL: unreadable, or none. Reading
 * it takes long, so that is done once.
 */
static const char *read_serial(const struct root *root, struct pci_function *function)
{
	char data[SYSFS_TEXT_SIZE];
	struct vpd_text serial;
	ssize_t length;

	if (function->serial_read)
		return function->serial;
	function->serial_read = true;
	length = sysfs_read(root, data, PCI_FUNCTION "/vpd", function->address);
	if (length < 0)
		return NULL;
	vpd_field((const uint8_t *)data, (size_t)length, "V3", &serial);
	if (serial.length)
		function->serial = mem_format("%.*s", (int)serial.length, serial.text);
	return function->serial;
}

enum pci_pairing pci_find_data_direct(const struct root *root, const struct pci_list *list,
				      struct pci_function *adapter,
				      struct pci_function **ret_function, struct problems *problems)
{
	struct pci_function *in_order = NULL;
	const struct pci_function *last = NULL;
	size_t cards = 0, place = 0, count = 0;
	bool all_known = true;

	*ret_function = NULL;
	if (!is_nvidia(root, adapter, CONNECTX_8, problems))
		return PCI_PAIRING_NONE;
	for (size_t i = 0; i < list->count; i++) {
		if (!is_nvidia(root, &list->items[i], CONNECTX_8, problems))
			continue;
		/* The functions of a card follow each other. */
		cards += !last || !pci_is_same_card(last, &list->items[i]);
		last = &list->items[i];
		place = last == adapter ? cards : place;
	}
	for (size_t i = 0; i < list->count; i++) {
		const char *serial, *its;

		if (!pci_is_data_direct(root, &list->items[i], problems))
			continue;
		if (++count == place)
			in_order = &list->items[i];
		serial = read_serial(root, adapter);
		its = serial ? read_serial(root, &list->items[i]) : NULL;
		all_known &= its != NULL;
		if (its && !strcmp(its, serial))
			*ret_function = &list->items[i];
	}
	if (*ret_function)
		return PCI_PAIRING_KNOWN;
	if (all_known)
		return PCI_PAIRING_NONE;
	if (cards != count)
		return PCI_PAIRING_UNKNOWN;
	*ret_function = in_order;
	return PCI_PAIRING_GUESSED;
}
