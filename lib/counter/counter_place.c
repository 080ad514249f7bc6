/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_place.h"

#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

#define COUNTER_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz "

static int compare_names(const void *a, const void *b)
{
	const struct counter_entry *left = a, *right = b;

	return COMPARE(left->source, right->source) ?: strcmp(left->file, right->file);
}

/* Combines the table's index in the catalogue with the row's index in the table. */
static unsigned int rank_of(const struct counter_name *name)
{
	for (unsigned int i = 0; name && counter_catalogue[i]; i++) {
		const struct counter_names *table = counter_catalogue[i];

		if (name >= table->rows && name < table->rows + table->count)
			return i << 16 | (unsigned int)(name - table->rows);
	}
	return UINT_MAX;
}

static struct counter_entry *make(const struct counters_request *request,
				  enum counter_source source, const char *file)
{
	struct counter_entry *entry = mem_alloc_zero(1, sizeof(*entry));

	entry->source = source;
	entry->file = mem_string(file);
	entry->kernel_name = text_clean(file, strlen(file));
	entry->name = counter_name_find_in(source, file);
	entry->counter = entry->name ? counter_name_canonical(entry->name, file)
				     : mem_string(entry->kernel_name);
	entry->rank = rank_of(entry->name);
	entry->wanted = !request->wants ||
			request->wants(request->context, source, entry->kernel_name, entry->name);
	return entry;
}

const struct counter_entry *counter_pool_entry(struct counter_pool *pool,
					       enum counter_source source, const char *file)
{
	const struct counter_entry wanted = {.source = source, .file = (char *)(uintptr_t)file};
	struct counter_entry *const *found = tfind(&wanted, &pool->entries, compare_names);
	struct counter_entry *entry;

	if (found)
		return *found;
	entry = make(pool->request, source, file);
	mem_check(tsearch(entry, &pool->entries, compare_names));
	return entry;
}

const char *counter_pool_cause(struct counter_pool *pool, const char *cause)
{
	for (size_t i = 0; i < pool->causes.count; i++)
		if (!strcmp(pool->causes.items[i], cause))
			return pool->causes.items[i];
	strings_add(&pool->causes, cause);
	return pool->causes.items[pool->causes.count - 1];
}

int counter_entries_compare(const void *a, const void *b)
{
	const struct counter_entry *left = *(const struct counter_entry *const *)a;
	const struct counter_entry *right = *(const struct counter_entry *const *)b;

	return COMPARE(left->rank, right->rank)
		       ?: text_compare_natural(left->kernel_name, right->kernel_name);
}

static void free_entry(void *item)
{
	struct counter_entry *entry = item;

	free(entry->file);
	free(entry->kernel_name);
	free(entry->counter);
	free(entry);
}

void counter_pool_free(struct counter_pool *pool)
{
	tdestroy(pool->entries, free_entry);
	strings_free(&pool->causes);
}

/* The directories of the connection manager's counters: core/cm.c. */
static const char *const cm_folders[] = {"cm_tx_msgs", "cm_tx_retries", "cm_rx_msgs",
					 "cm_rx_duplicates"};

/*
 * Where these directories are: below the port since Linux 5.14; before that, in a class; and in
 * saved trees without that class, in the folder below the device to which the links of the class
 * lead.
 */
enum { CM_OF_PORT, CM_CLASS, CM_BELOW_DEVICE, CM_FORMS };

void counter_shelf_close(struct counter_shelf *shelf)
{
	sysfs_folder_close(&shelf->of_place);
	for (size_t i = 0; i < ARRAY_SIZE(shelf->classes); i++)
		sysfs_folder_close(&shelf->classes[i]);
}

/* The name of the place's folder below its class, for the caller to free. */
static char *name_in_class(const struct counter_place *place, enum counter_class_folder *ret_class)
{
	const char *device = place->device->kernel_name;
	const unsigned int port = place->port ? (unsigned int)place->port->port.value : 0;

	*ret_class = CLASS_RDMA;
	if (place->source == COUNTER_SOURCE_NETDEV) {
		*ret_class = CLASS_NET;
		return mem_path(place->netdev, place->folder);
	}
	if (place->source != COUNTER_SOURCE_CM)
		return place->port ? mem_format("%s/ports/%u/%s", device, port, place->folder)
				   : mem_path(device, place->folder);
	if (place->cm_form == CM_OF_PORT)
		return mem_format("%s/ports/%u", device, port);
	if (place->cm_form == CM_BELOW_DEVICE)
		return mem_format("%s/%s/%u", device, device, port);
	*ret_class = CLASS_CM;
	return mem_format("%s/%u", device, port);
}

const struct sysfs_folder *counter_place_open(const struct counter_place *place,
					      struct counter_shelf *shelf)
{
	static const char *const paths[CLASS_FOLDERS] = {
		[CLASS_RDMA] = SYSFS_RDMA_CLASS,
		[CLASS_CM] = "sys/class/infiniband_cm",
		[CLASS_NET] = "sys/class/net",
	};
	enum counter_class_folder class;
	_cleanup_(freep) char *name = name_in_class(place, &class);
	struct sysfs_folder *folder = &shelf->classes[class];

	sysfs_folder_close(&shelf->of_place);
	if (!folder->path)
		sysfs_folder_open(shelf->root, mem_string(paths[class]), folder);
	sysfs_folder_open_in(folder, name, &shelf->of_place);
	return &shelf->of_place;
}

static void add_entry(struct counter_place *place, struct counter_pool *pool, const char *file)
{
	const struct counter_entry *entry = counter_pool_entry(pool, place->source, file);

	place->found = true;
	/* Only devices with the extended counters have unicast_xmit_packets: core/sysfs.c. */
	if (place->source == COUNTER_SOURCE_PMA && !strcmp(file, "unicast_xmit_packets"))
		place->extended = true;
	if (entry->wanted)
		MEM_ADD(place->entries, place->entry_count) = entry;
}

/*
 * `lifespan` is the lifetime of the driver's cache (core/sysfs.c); `clear_diag` clears a vendor's
 * counters.
 */
static bool is_no_counter(const char *file)
{
	return !strcmp(file, "lifespan") || !strcmp(file, "clear_diag");
}

static int list_files(struct counter_place *place, struct counter_pool *pool,
		      const struct sysfs_folder *folder, const char *above)
{
	struct strings files = {0};
	int rc = sysfs_folder_list(folder, &files);

	for (size_t i = 0; !rc && i < files.count; i++) {
		_cleanup_(freep) char *below = above ? mem_path(above, files.items[i]) : NULL;

		if (!is_no_counter(files.items[i]))
			add_entry(place, pool, below ? below : files.items[i]);
	}
	strings_free(&files);
	return rc;
}

static int list_cm_folder(struct counter_place *place, struct counter_pool *pool,
			  const struct sysfs_folder *above, const char *name)
{
	struct sysfs_folder folder;
	int rc;

	sysfs_folder_open_in(above, name, &folder);
	rc = list_files(place, pool, &folder, name);
	sysfs_folder_close(&folder);
	return rc;
}

static int list_cm(struct counter_place *place, struct counter_pool *pool,
		   struct counter_shelf *shelf, const struct sysfs_folder **ret_folder)
{
	bool found = false;
	int error = 0;

	for (unsigned int form = 0; !found && !error && form < CM_FORMS; form++) {
		const struct sysfs_folder *folder;

		place->cm_form = form;
		*ret_folder = folder = counter_place_open(place, shelf);
		for (size_t i = 0; i < ARRAY_SIZE(cm_folders); i++) {
			int rc = list_cm_folder(place, pool, folder, cm_folders[i]);

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

/* Drops the 32-bit counters that the extended directory of the same port has with 64 bits. */
static void drop_extended(struct counter_place *place, const struct counter_place *extended)
{
	size_t kept = 0;

	for (size_t i = 0; i < place->entry_count; i++) {
		bool has = false;

		for (size_t j = 0; j < extended->entry_count && !has; j++)
			has = !strcmp(extended->entries[j]->counter, place->entries[i]->counter);
		if (!has)
			place->entries[kept++] = place->entries[i];
	}
	place->entry_count = kept;
}

bool counter_place_is_text(const struct counter_place *place)
{
	return place->port && place->folder && !strcmp(place->folder, COUNTERS_TEXT);
}

/* `RC timeouts 2`: a name of letters and blanks, padded with blanks, and a number. */
static bool parse_line(const char *line, size_t length, char **ret_name, uint64_t *ret_value)
{
	const char *number = memrchr(line, ' ', length);
	_cleanup_(freep) char *digits = NULL;
	size_t name = number ? (size_t)(number - line) : 0;

	while (name && line[name - 1] == ' ')
		name--;
	if (!name || strspn(line, COUNTER_LETTERS) < name)
		return false;
	digits = strndup(number + 1, length - (size_t)(number + 1 - line));
	if (!digits || text_parse_u64(digits, 10, UINT64_MAX, ret_value))
		return false;
	*ret_name = strndup(line, name);
	return true;
}

int counter_place_read_text(struct counter_place *place, const struct root *root)
{
	_cleanup_(freep) char *text = NULL;
	unsigned int port = 1, wanted = (unsigned int)place->port->port.value;
	int rc = sysfs_read_long(root, &text, SYSFS_RDMA_CLASS "/%s/" COUNTERS_TEXT,
				 place->device->kernel_name);
	bool found = false;

	counter_list_clear(&place->values);
	if (rc)
		return rc;
	/*
	 * Format of show_stats() in qib_sysfs.c: "Port 1:", its counters, then packets by opcode
	 * and queue pairs.
	 */
	for (const char *line = text; *line; line += strspn(line, "\n")) {
		size_t length = strcspn(line, "\n");
		uint64_t value;
		char *name;

		if (!sscanf(line, "Port %u:", &port) && parse_line(line, length, &name, &value)) {
			found = true;
			if (port == wanted)
				counter_list_take(&place->values, name, value);
			else
				free(name);
		}
		line += length;
	}
	return found ? 0 : -EBADMSG;
}

static int list_text(struct counter_place *place, struct counter_pool *pool,
		     const struct root *root)
{
	int rc = counter_place_read_text(place, root);

	for (size_t i = 0; i < place->values.count; i++)
		add_entry(place, pool, place->values.items[i].name);
	return rc;
}

const struct sysfs_folder *counter_place_list(struct counter_place *place,
					      struct counter_pool *pool,
					      struct counter_shelf *shelf)
{
	const struct sysfs_folder *folder = NULL;

	place->entry_count = 0;
	place->extended = false;
	if (counter_place_is_text(place)) {
		place->error = list_text(place, pool, shelf->root);
	} else if (place->source == COUNTER_SOURCE_CM) {
		place->error = list_cm(place, pool, shelf, &folder);
	} else {
		folder = counter_place_open(place, shelf);
		place->error = list_files(place, pool, folder, NULL);
	}
	/*
	 * A directory refused for lack of descriptors or memory may be readable in the next round.
	 */
	place->listed = !place->error || place->error == -ENOENT || place->error == -EBADMSG;
	if (place->entry_count)
		qsort(place->entries, place->entry_count, sizeof(*place->entries),
		      counter_entries_compare);
	if (place->source == COUNTER_SOURCE_PMA && strcmp(place->folder, COUNTERS_EXTENDED) != 0)
		drop_extended(place, place - 1);
	return folder;
}
