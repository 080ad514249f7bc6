/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's messages about devices that come and go: the input is one message. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernel/netlink/uevent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Names become paths. */
static void check_name(const char *name)
{
	if (!name[0] || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	void *copy = mem_alloc_zero(size, 1);
	struct uevent uevent = {.kernel_name = NULL};

	if (size)
		memcpy(copy, data, size);
	if (!uevent_parse(copy, size, &uevent)) {
		check_name(uevent.kernel_name);
		if (uevent.action == UEVENT_RENAME)
			check_name(uevent.old_kernel_name);
	} else if (uevent.kernel_name || uevent.old_kernel_name) {
		abort();
	}
	uevent_clear(&uevent);
	free(copy);
	return 0;
}
