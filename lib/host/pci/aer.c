/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/pci/pci.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "kernel/sysfs.h"

const char *const pci_aer_files[PCI_AER_FILES] = {
	[PCI_AER_CORRECTABLE] = "aer_dev_correctable",
	[PCI_AER_NONFATAL] = "aer_dev_nonfatal",
	[PCI_AER_FATAL] = "aer_dev_fatal",
};

int pci_aer_parse(char *text, pci_aer_handler *handle, void *context)
{
	char *state = NULL;

	for (char *line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state)) {
		_cleanup_(freep) char *name = NULL;
		char *number = strrchr(line, ' ');
		uint64_t count;

		if (!number || number == line || text_parse_u64(number + 1, 10, UINT64_MAX, &count))
			return -EINVAL;
		name = text_clean(line, (size_t)(number - line));
		handle(context, name, count);
	}
	return 0;
}

int pci_aer_read(const struct root *root, const struct pci_function *function, enum pci_aer file,
		 pci_aer_handler *handle, void *context)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, PCI_FUNCTION "/%s", function->address,
				    pci_aer_files[file]);

	return length < 0 ? (int)length : pci_aer_parse(text, handle, context);
}
