/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A file of rdmactl counters --save: the input is the complete file. What was read from it can be
 * written and read again, and stays the same.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "counter/saved.h"
#include "render/json_read.h"
#include "clean.h"
#include "same.h"

/* The file lasts for the complete run, because libFuzzer has no hook to remove it. */
static char path[] = "/dev/shm/rdmactl-fuzz-saved.XXXXXX";

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void remove_file(void)
{
	unlink(path);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const int fd = mkstemp(path);

	(void)argc;
	(void)argv;
	if (fd < 0)
		abort();
	close(fd);
	return atexit(remove_file);
}

static void check_round_trip(const struct saved_head *head, void *records, size_t count)
{
	const struct schema *schema = saved_counters_kind.schema;
	struct saved_list list = {*head, records, count}, again;
	char *message = NULL;

	if (saved_list_write(&list, path, &saved_counters_kind) ||
	    saved_list_read(&again, path, &saved_counters_kind, &message) || again.count != count)
		abort();
	check_same(&saved_head_schema, head, &again.head);
	for (size_t i = 0; i < count; i++)
		check_same(schema, (char *)records + i * schema->record_size,
			   (char *)again.records + i * schema->record_size);
	saved_list_clear(&again, schema);
}

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
	if (!rc)
		check_round_trip(&head, records, count);
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
