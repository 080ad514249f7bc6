/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* PCI: the input is a config space, and the text of error counters. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "host/pci/pci.h"
#include "host/pci/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names are shown, so they must be clean. */
static void check_name(void *context, const char *name, uint64_t count)
{
	char *clean = text_clean(name, strlen(name));

	(void)context;
	(void)count;
	if (!name[0] || strcmp(clean, name) != 0)
		abort();
	free(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	uint8_t *copy = mem_alloc_zero(size, 1);
	char *text = mem_alloc_zero(size + 1, 1);
	struct pci_device_control control;
	unsigned int acs;

	if (size) {
		memcpy(copy, data, size);
		memcpy(text, data, size);
	}
	if (!pci_config_device_control(copy, size, &control) &&
	    (control.max_read_request_bytes < 128 || control.max_read_request_bytes > 4096))
		abort();
	pci_config_acs(copy, size, &acs);
	pci_aer_parse(text, check_name, NULL);
	free(text);
	free(copy);
	return 0;
}
