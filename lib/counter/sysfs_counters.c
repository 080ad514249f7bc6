/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/sysfs_counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

static void read_counter(const struct root *root, const char *directory, const char *file,
			 struct counter_list *list)
{
	_cleanup_(freep) char *name = text_clean(file, strlen(file));
	char text[SYSFS_TEXT_SIZE];
	uint64_t value;

	/* The lifetime of the driver's cache, in milliseconds: core/sysfs.c */
	if (!strcmp(name, "lifespan") || counter_list_find(list, name))
		return;
	if (sysfs_read(root, text, "%s/%s", directory, file) < 0)
		return;
	if (!text_parse_u64(text, 10, UINT64_MAX, &value))
		counter_list_add(list, name, value);
}

static void read_directory(const struct root *root, const char *directory,
			   struct counter_list *list)
{
	struct strings files = {0};

	if (sysfs_list(root, &files, "%s", directory))
		return;
	for (size_t i = 0; i < files.count; i++)
		read_counter(root, directory, files.items[i], list);
	strings_free(&files);
}

int sysfs_counters_read(const struct root *root, const char *device, unsigned int port,
			struct counter_list *ret_list)
{
	_cleanup_(freep) char *place = mem_format(SYSFS_RDMA_CLASS "/%s/ports/%u", device, port);
	_cleanup_(freep) char *counters = mem_format("%s/counters", place);
	_cleanup_(freep) char *hw_counters = mem_format("%s/hw_counters", place);
	_cleanup_(freep) char *of_device = mem_format(SYSFS_RDMA_CLASS "/%s/hw_counters", device);
	struct counter_list list = {0};

	if (!sysfs_has_directory(root, place))
		return -ENODEV;
	read_directory(root, counters, &list);
	read_directory(root, hw_counters, &list);
	read_directory(root, of_device, &list);
	/*
	 * The port was removed during the reading: half a list would pass for a port with few
	 * counters.
	 */
	if (!sysfs_has_directory(root, place)) {
		counter_list_clear(&list);
		return -ENODEV;
	}
	*ret_list = list;
	return 0;
}
