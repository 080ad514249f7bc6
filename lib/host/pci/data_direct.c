/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data Direct functions, and the ConnectX-8 that each belongs to. */
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

struct pci_function *pci_data_direct_of(const struct root *root, const struct pci_list *list,
					struct pci_function *adapter, bool *ret_guessed,
					struct problems *problems)
{
	_cleanup_(freep) char *serial = NULL;
	struct pci_function *found = NULL, *in_order = NULL;
	const struct pci_function *last = NULL;
	size_t cards = 0, place = 0, count = 0;
	bool all_known = true;

	if (!is_nvidia(root, adapter, CONNECTX_8, problems))
		return NULL;
	for (size_t i = 0; i < list->count; i++) {
		if (!is_nvidia(root, &list->items[i], CONNECTX_8, problems))
			continue;
		/* The functions of a card follow each other. */
		cards += !last || !pci_is_same_card(last, &list->items[i]);
		last = &list->items[i];
		place = last == adapter ? cards : place;
	}
	for (size_t i = 0; i < list->count; i++) {
		_cleanup_(freep) char *its = NULL;

		if (!pci_is_data_direct(root, &list->items[i], problems))
			continue;
		if (++count == place)
			in_order = &list->items[i];
		/* Reading it takes long. */
		if (count == 1)
			serial = read_serial(root, adapter);
		its = serial ? read_serial(root, &list->items[i]) : NULL;
		all_known &= its != NULL;
		if (its && !strcmp(its, serial))
			found = &list->items[i];
	}
	*ret_guessed = !found && !all_known && cards == count;
	return *ret_guessed ? in_order : found;
}
