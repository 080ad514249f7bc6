/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of rdmactl counters --save: the input is the complete file. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "counter/saved.h"
#include "render/json_read.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* The copy has exactly this size, so that the sanitizer sees every overrun. */
	char *copy = mem_alloc_zero(size, 1), *message = NULL;
	struct saved_head head = {.time = NULL};
	struct saved_readings saved = {0};
	struct saved_counter *counters;
	void *records = NULL;
	size_t count = 0;
	int rc;

	if (size)
		memcpy(copy, data, size);
	rc = json_read(copy, size, &saved_head_schema, &head, &saved_counters_schema, &records,
		       &count, &message);
	if ((message != NULL) != (rc == -EINVAL) || (rc && count))
		abort();
	check_clean(message);
	check_clean(head.host);
	counters = records;
	saved_readings_devices(&saved, counters, count);
	saved_readings_make(&saved, counters, count);
	for (size_t i = 0; i < saved.readings.count; i++)
		check_clean(saved.readings.items[i].counter);
	saved_readings_clear(&saved);
	for (size_t i = 0; i < count; i++)
		record_clear(&saved_counters_schema, &counters[i]);
	record_clear(&saved_head_schema, &head);
	free(records);
	free(message);
	free(copy);
	return 0;
}
