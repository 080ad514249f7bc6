/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the kernel log: the input is one, as a read of /dev/kmsg returns it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/adapter/kernel_log.h"
#include "kernel/kmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	char *copy = mem_alloc_zero(size, 1);
	struct complaints complaints = {.count = 0};
	struct kmsg_record record;

	if (size)
		memcpy(copy, data, size);
	if (!kmsg_parse(copy, size, &record)) {
		if (record.text < copy || record.text + record.text_length > copy + size)
			abort();
		complaints_take(&complaints, &record);
		complaints_take(&complaints, &record);
		/* The second record is counted with the first. */
		if (complaints.lines != 2 || complaints.count > 1)
			abort();
	}
	complaints_clear(&complaints);
	free(copy);
	return 0;
}
