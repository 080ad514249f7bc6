/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects in use. The first byte says what the rest is: a message about objects of that kind, their
 * counters or the driver's record of one; or a file from /proc or a control group.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "counter/object_counters.h"
#include "resource/nldev_resources.h"
#include "resource/qp_context.h"
#include "kernel/procfs.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Text from outside must be clean by now. */
static void check_text(const char *text)
{
	for (; text && *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			abort();
}

static void try_message(enum resource_kind kind, const void *message, size_t length)
{
	struct resource_summary_list summaries = {0};
	struct resource_list list = {0};

	nldev_parse_resources(kind, message, length, &list);
	for (size_t i = 0; i < list.count; i++) {
		check_record(resource_schema(kind), &list.items[i]);
		for (size_t j = 0; j < list.items[i].driver.count; j++)
			check_text(list.items[i].driver.items[j]);
		if (list.items[i].kernel !=
		    (list.items[i].kernel_name ? TRISTATE_YES : TRISTATE_NO))
			abort();
	}
	resource_list_clear(&list);
	nldev_parse_resource_summary(message, length,
				     mem_append(&summaries.items, &summaries.count,
						sizeof(*summaries.items)));
	for (size_t i = 0; i < summaries.items[0].others.count; i++)
		check_text(summaries.items[0].others.items[i]);
	resource_summary_list_clear(&summaries);
}

/* The driver's record of a queue pair, whose number, state and peer are in the first bytes. */
static void try_context(const void *bytes, size_t length)
{
	const uint8_t *first = bytes;
	struct qp_context context = {
		.resource = {.id = number_of(length ? first[0] : 0),
			     .state = number_of(length > 1 ? first[1] % 8 : 0),
			     .remote_qpn = number_of(length > 2 ? first[2] : 0)},
	};

	qp_context_set(&context, bytes, length);
	if (context.raw_length != length || strlen(context.hex) != 2 * length)
		abort();
	qp_context_clear(&context);
}

static void try_counters(enum object_counter_kind kind, const void *message, size_t length)
{
	struct object_counters list = {0};

	object_counters_parse(kind, message, length, &list);
	for (size_t i = 0; i < list.count; i++) {
		check_text(list.items[i].kernel_name);
		for (size_t j = 0; j < list.items[i].counters.count; j++)
			check_text(list.items[i].counters.items[j].name);
	}
	object_counters_clear(&list);
}

static void try_file(const char *text)
{
	struct cgroup_device_list list = {0};
	struct procfs_cgroups cgroups = {0};
	struct limit soft = {{0}}, hard = {{0}};
	struct procfs_task task = {0};

	procfs_parse_status(text, &task);
	check_text(task.name);
	procfs_task_clear(&task);
	procfs_parse_memlock(text, &soft, &hard);
	if (soft.value.known && soft.unlimited != TRISTATE_NO)
		abort();
	procfs_parse_mountinfo(text, &cgroups);
	if (!cgroups.mount != !cgroups.root)
		abort();
	procfs_cgroups_clear(&cgroups);
	free(procfs_parse_cgroup(text, false));
	free(procfs_parse_cgroup(text, true));
	procfs_parse_rdma(text, false, &list);
	procfs_parse_rdma(text, true, &list);
	for (size_t i = 0; i < list.count; i++)
		check_text(list.items[i].device);
	cgroup_device_list_clear(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int what = size ? data[0] % (RESOURCE_KINDS + 1) : 0;
	/* Aligned, and of exactly this size, so that the sanitizer sees every overrun. */
	char *copy;

	if (!size)
		return 0;
	copy = mem_alloc_zero(size, 1);
	memcpy(copy, data + 1, size - 1);
	if (what < RESOURCE_KINDS) {
		try_message((enum resource_kind)what, copy, size - 1);
		try_counters(OBJECT_COUNTER_QP, copy, size - 1);
		try_counters(OBJECT_COUNTER_MR, copy, size - 1);
		try_context(copy, size - 1);
	} else {
		try_file(copy);
	}
	free(copy);
	return 0;
}
