/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters as files: lists those in a directory, and reads one. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counters_private.h"

/* The directories of the connection manager's counters: core/cm.c. */
static const char *const cm_folders[] = {"cm_tx_msgs", "cm_tx_retries", "cm_rx_msgs",
					 "cm_rx_duplicates"};

static char *folder_of(const struct counter_place *place)
{
	const char *device = place->device->kernel_name;
	unsigned int port = place->port ? (unsigned int)place->port->port.value : 0;

	switch (place->source) {
	case COUNTER_SOURCE_PMA:
		return mem_format(SYSFS_RDMA_CLASS "/%s/ports/%u/counters", device, port);
	case COUNTER_SOURCE_HW:
		return mem_format(SYSFS_RDMA_CLASS "/%s/ports/%u/hw_counters", device, port);
	case COUNTER_SOURCE_CM:
		/* Up to Linux 5.13 these were in a separate class. */
		return place->old_cm ? mem_format("sys/class/infiniband_cm/%s/%u", device, port)
				     : mem_format(SYSFS_RDMA_CLASS "/%s/ports/%u", device, port);
	case COUNTER_SOURCE_NETDEV:
		return mem_format("sys/class/net/%s/statistics", place->netdev);
	default:
		return mem_format(SYSFS_RDMA_CLASS "/%s/hw_counters", device);
	}
}

static void add(struct counter_loader *loader, struct counter_place *place, const char *file)
{
	const struct counter_entry *entry = counter_pool_entry(loader, place->source, file);

	place->found = true;
	/* Only devices with the extended counters have these two: core/sysfs.c. */
	if (place->source == COUNTER_SOURCE_PMA && !strcmp(file, "unicast_xmit_packets"))
		place->extended = true;
	if (entry->wanted)
		*(const struct counter_entry **)mem_append(&place->entries, &place->entry_count,
							   sizeof(*place->entries)) = entry;
}

static int add_files(struct counter_loader *loader, struct counter_place *place, const char *folder,
		     const char *prefix)
{
	struct strings files = {0};
	int rc = sysfs_list(&loader->root, &files, "%s", folder);

	for (size_t i = 0; !rc && i < files.count; i++) {
		_cleanup_(freep) char *file = mem_format("%s%s", prefix, files.items[i]);

		/*
		 * The lifetime of the driver's cache in milliseconds, a setting rather than a
		 * counter: core/sysfs.c.
		 */
		if (strcmp(file, "lifespan"))
			add(loader, place, file);
	}
	strings_free(&files);
	return rc;
}

static int list_cm(struct counter_loader *loader, struct counter_place *place)
{
	bool found = false;
	int error = 0;

	for (int old = 0; !found && !error && old < 2; old++) {
		_cleanup_(freep) char *folder = NULL;

		place->old_cm = old;
		folder = folder_of(place);
		for (size_t i = 0; i < ARRAY_SIZE(cm_folders); i++) {
			_cleanup_(freep) char *path = mem_format("%s/%s", folder, cm_folders[i]);
			_cleanup_(freep) char *prefix = mem_format("%s/", cm_folders[i]);
			int rc = add_files(loader, place, path, prefix);

			found = found || !rc;
			if (!error && rc && rc != -ENOENT)
				error = rc;
			/* The directories exist together or not at all. */
			if (rc == -ENOENT && !i)
				break;
		}
	}
	if (error)
		return error;
	return found ? 0 : -ENOENT;
}

void counter_place_list(struct counter_loader *loader, struct counter_place *place)
{
	_cleanup_(freep) char *folder = folder_of(place);

	if (place->listed)
		return;
	place->listed = true;
	if (place->source == COUNTER_SOURCE_CM)
		place->error = list_cm(loader, place);
	else
		place->error = add_files(loader, place, folder, "");
	counter_entries_sort(place->entries, place->entry_count);
}

/* The kernel's text, such as N/A (no PMA), is the cause; anything else is shown unchanged. */
static const char *cause_of_text(struct counter_pool *pool, const char *text, int error)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	_cleanup_(freep) char *cause = NULL;

	if (!*clean)
		return counter_pool_cause(pool, "it is empty");
	if (!strncmp(clean, "N/A", 3))
		return counter_pool_cause(pool, clean);
	cause = mem_format("%s: '%.60s'", error == -ERANGE ? "too large a number" : "not a number",
			   clean);
	return counter_pool_cause(pool, cause);
}

const char *counter_place_read(struct counter_loader *loader, const struct counter_place *place,
			       const struct counter_entry *entry, uint64_t *ret_value)
{
	_cleanup_(freep) char *folder = folder_of(place);
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(&loader->root, text, "%s/%s", folder, entry->file);
	int rc;

	if (length < 0)
		return counter_pool_cause(&loader->pool, strerror((int)-length));
	rc = text_parse_u64(text, 10, UINT64_MAX, ret_value);
	return rc ? cause_of_text(&loader->pool, text, rc) : NULL;
}
