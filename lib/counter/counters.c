/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/counter_place.h"
#include "counter/netlink_counters.h"
#include "counter/pma_probe.h"
#include "kernel/sysfs.h"

struct counter_loader {
	struct counters_request request;
	struct root root;
	struct netlink *nldev; /* NULL if not live or not answering */
	struct netlink *rtnl;
	struct counter_pool pool;
	struct counter_place *places;
	size_t place_count;
	bool noted; /* the netlink failure has been reported once */
	bool begun; /* a round has been read */
};

static bool wants_source(const struct counter_loader *loader, enum counter_source source)
{
	return loader->request.sources & 1u << source;
}

static void add_place(struct counter_loader *loader, enum counter_source source, const char *folder,
		      const struct device *device, const struct port *port)
{
	if (!wants_source(loader, source))
		return;
	MEM_ADD(loader->places, loader->place_count) = (struct counter_place){
		.source = source,
		.device = device,
		.port = port,
		.folder = folder,
		.netdev = source == COUNTER_SOURCE_NETDEV ? port->netdev : NULL,
	};
}

/* The first of the ports that share a netdev (planes, a LAG) shows its counters. */
static bool has_netdev(const struct counter_loader *loader, const char *netdev)
{
	for (size_t i = 0; i < loader->place_count; i++)
		if (loader->places[i].netdev && !strcmp(loader->places[i].netdev, netdev))
			return true;
	return false;
}

/* Whether the driver may be loaded; otherwise the folders that only it has are not looked for. */
static bool may_have(const struct counter_loader *loader, const char *module)
{
	return !loader->root.live || sysfs_has_directory(&loader->root, module);
}

static void find_places(struct counter_loader *loader)
{
	const struct device_list *list = &loader->request.inventory->devices;
	const bool mlx4 = may_have(loader, "sys/module/mlx4_ib"),
		   qib = may_have(loader, "sys/module/ib_qib");

	for_each (device, list) {
		add_place(loader, COUNTER_SOURCE_DEVICE, "hw_counters", device, NULL);
		if (mlx4)
			add_place(loader, COUNTER_SOURCE_DEVICE, COUNTERS_DIAGNOSTIC, device, NULL);
		for_each_in (port, device->ports, device->port_count) {
			add_place(loader, COUNTER_SOURCE_PMA, COUNTERS_EXTENDED, device, port);
			add_place(loader, COUNTER_SOURCE_PMA, "counters", device, port);
			add_place(loader, COUNTER_SOURCE_HW, "hw_counters", device, port);
			if (qib) {
				add_place(loader, COUNTER_SOURCE_HW, COUNTERS_DIAGNOSTIC, device,
					  port);
				add_place(loader, COUNTER_SOURCE_HW, COUNTERS_TEXT, device, port);
			}
			add_place(loader, COUNTER_SOURCE_CM, NULL, device, port);
			if (port->netdev && !has_netdev(loader, port->netdev))
				add_place(loader, COUNTER_SOURCE_NETDEV, "statistics", device,
					  port);
		}
	}
}

int counter_loader_open(const struct counters_request *request, struct counter_loader **ret_loader)
{
	struct counter_loader *loader;
	struct root root;
	int rc = root_open(request->root, &root);

	if (rc)
		return rc;
	loader = mem_alloc_zero(1, sizeof(*loader));
	loader->request = *request;
	loader->root = root;
	loader->pool.request = &loader->request;
	find_places(loader);
	*ret_loader = loader;
	return 0;
}

struct round {
	struct counter_loader *loader;
	struct counter_place *place; /* whose counters are taken */
	struct problems *notes;
	size_t *places; /* of the requested netdevs */
	size_t last;	/* the place found last */
};

/* Replies come in the order of the places, so the next place is usually near the last one. */
static struct counter_place *find_place(struct round *round, const struct port *port)
{
	const struct counter_loader *loader = round->loader;

	for (size_t i = 0; i < loader->place_count; i++) {
		const size_t at = (round->last + i) % loader->place_count;

		if (loader->places[at].port == port &&
		    loader->places[at].source == COUNTER_SOURCE_HW) {
			round->last = at;
			return &loader->places[at];
		}
	}
	return NULL;
}

static void note(struct round *round, const char *object, int error, const char *text)
{
	if (round->loader->noted || !round->notes)
		return;
	round->loader->noted = true;
	problem_add_text(round->notes, object, "counters", "nldev", text ? text : strerror(-error),
			 "sysfs is used instead");
}

static void begin_place(struct round *round, struct counter_place *place)
{
	round->place = place;
	place->taken_count = 0;
	place->reported = true;
	place->taken_nsec = clock_nsec();
}

static void counter_taken(void *context, const char *name, uint64_t value)
{
	struct round *round = context;
	struct counter_place *place = round->place;
	const struct counter_entry *entry;

	entry = counter_pool_entry(&round->loader->pool, place->source, name);
	MEM_ADD(place->taken, place->taken_count) = (struct counter_value){entry, value};
}

static int port_taken(void *context, struct port *port, struct nlattr *const *table)
{
	struct round *round = context;
	struct counter_place *place = find_place(round, port);
	int rc;

	if (!place)
		return 0;
	begin_place(round, place);
	rc = nldev_each_counter(table, counter_taken, round);
	place->reported = !rc;
	return rc;
}

/* The files are read instead; -EINVAL and -EOPNOTSUPP usually mean that there are no counters. */
static void port_failed(void *context, const struct port *port, int error, const char *text)
{
	struct round *round = context;
	_cleanup_(freep) char *object = port_object(port);

	if (error != -EINVAL && error != -EOPNOTSUPP)
		note(round, object, error, text);
}

static void ask_nldev(struct counter_loader *loader, struct problems *notes)
{
	struct round round = {.loader = loader, .notes = notes};
	int rc = 0;

	if (!root_answers(&loader->root) || !wants_source(loader, COUNTER_SOURCE_HW))
		return;
	/* If the inventory came from sysfs, netlink did not answer. */
	if (!loader->request.inventory->devices.count ||
	    !loader->request.inventory->devices.items[0].index.known)
		return;
	if (!loader->nldev)
		rc = nldev_open(&loader->root, &loader->nldev);
	if (rc) {
		note(&round, NULL, rc, NULL);
		return;
	}
	nldev_ask_ports(loader->nldev, &loader->request.inventory->devices, RDMA_NLDEV_CMD_STAT_GET,
			port_taken, port_failed, &round);
}

static void netdev_taken(void *context, size_t which, int error, const struct counter_list *list)
{
	struct round *round = context;

	if (error)
		return;
	begin_place(round, &round->loader->places[round->places[which]]);
	for (size_t i = 0; i < list->count; i++)
		counter_taken(round, list->items[i].name, list->items[i].value);
}

static void ask_rtnl(struct counter_loader *loader)
{
	_cleanup_(freep) size_t *places = mem_alloc_zero(loader->place_count + 1, sizeof(*places));
	_cleanup_(freep)
		uint32_t *indexes = mem_alloc_zero(loader->place_count + 1, sizeof(*indexes));
	struct round round = {.loader = loader, .places = places};
	size_t count = 0;

	if (!root_answers(&loader->root))
		return;
	for (size_t i = 0; i < loader->place_count; i++) {
		const struct counter_place *place = &loader->places[i];

		if (place->source != COUNTER_SOURCE_NETDEV || !place->port->netdev_index.known)
			continue;
		places[count] = i;
		indexes[count++] = (uint32_t)place->port->netdev_index.value;
	}
	if (!count || (!loader->rtnl && rtnl_open(&loader->root, &loader->rtnl)))
		return;
	rtnl_get_stats(loader->rtnl, indexes, count, netdev_taken, &round);
}

static struct counter_reading *add_reading(struct counter_readings *readings,
					   const struct counter_place *place,
					   const struct counter_entry *entry)
{
	struct counter_reading *reading = mem_append(&readings->items, &readings->count,
						     sizeof(*readings->items));

	reading->device = place->device;
	reading->port = place->port;
	reading->netdev = place->netdev;
	reading->source = place->source;
	reading->netlink = place->reported;
	reading->counter = entry->counter;
	reading->kernel_name = entry->kernel_name;
	reading->name = entry->name;
	reading->width_bits = place->extended ? 64 : 0;
	reading->taken_nsec = place->taken_nsec;
	return reading;
}

/* Adds counters in the order of the catalogue, as add_files() does. */
static void add_from_netlink(struct counter_place *place, struct counter_readings *readings)
{
	place->found = place->taken_count;
	if (place->taken_count)
		qsort(place->taken, place->taken_count, sizeof(*place->taken),
		      counter_entries_compare);
	for (size_t i = 0; i < place->taken_count; i++)
		if (place->taken[i].entry->wanted)
			counter_reading_set(add_reading(readings, place, place->taken[i].entry),
					    place->taken[i].value);
}

/* Reports `count` counters, the first of which is `name`; 0 means the directory itself. */
static void complain(const struct counter_place *place, const char *cause, const char *name,
		     size_t count, struct problems *problems)
{
	const struct counter_reading reading = {
		.device = place->device,
		.port = place->port,
		.netdev = place->netdev,
	};
	const char *source = enum_word(counter_source_names, place->source, "other");
	_cleanup_(freep) char *object = counter_reading_object(&reading);
	_cleanup_(freep) char *many = count ? mem_format("%zu counters (%s)", count, source)
					    : mem_format("counters (%s)", source);

	problem_add_text(problems, object, count == 1 ? name : many, "sysfs", cause, NULL);
}

/* Reports one line for each cause from `first` on; usually a port has one cause for all. */
static void report_causes(const struct counter_place *place,
			  const struct counter_readings *readings, size_t first,
			  struct problems *problems)
{
	for (size_t i = first; problems && i < readings->count; i++) {
		const char *cause = readings->items[i].problem;
		bool reported = false;
		size_t same = 0;

		/* Equal causes are the same pointer, because the pool keeps each text once. */
		for (size_t j = first; cause && j < i; j++)
			reported |= readings->items[j].problem == cause;
		for (size_t j = i; cause && !reported && j < readings->count; j++)
			same += readings->items[j].problem == cause;
		if (same)
			complain(place, cause, readings->items[i].counter, same, problems);
	}
}

/* A text such as N/A (no PMA) is itself the cause; any other text is quoted. */
static const char *cause_of_text(struct counter_pool *pool, const char *text, int error)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	_cleanup_(freep) char *cause = NULL;

	if (!*clean)
		return counter_pool_cause(pool, "the file is empty");
	if (pma_text_is_absent(clean))
		return counter_pool_cause(pool, clean);
	cause = mem_format("%s: '%.60s'", error == -ERANGE ? "too large a number" : "not a number",
			   clean);
	return counter_pool_cause(pool, cause);
}

/* pma_leave_out_restricted() has read this counter just before the first round. */
static bool is_read(const struct counter_loader *loader, const struct counter_place *place,
		    const struct counter_entry *entry)
{
	return !loader->begun && place->source == COUNTER_SOURCE_PMA &&
	       place->port->symbol_errors.known && !strcmp(entry->file, PMA_PROBED) &&
	       strcmp(place->folder, COUNTERS_EXTENDED) != 0;
}

static const char *read_entry(struct counter_loader *loader, const struct counter_place *place,
			      const struct sysfs_folder *folder, const struct counter_entry *entry,
			      uint64_t *ret_value)
{
	char text[SYSFS_TEXT_SIZE];
	const struct counter *counter;
	ssize_t length;
	int rc;

	if (counter_place_is_text(place)) {
		counter = counter_list_find(&place->values, entry->file);
		if (!counter)
			return counter_pool_cause(&loader->pool, strerror(ENOENT));
		*ret_value = counter->value;
		return NULL;
	}
	if (is_read(loader, place, entry)) {
		*ret_value = place->port->symbol_errors.value;
		return NULL;
	}
	length = sysfs_folder_read(folder, text, NULL, entry->file);
	if (length < 0)
		return counter_pool_cause(&loader->pool, strerror((int)-length));
	rc = text_parse_u64(text, 10, UINT64_MAX, ret_value);
	return rc ? cause_of_text(&loader->pool, text, rc) : NULL;
}

/* The two directories of one source are next to each other and fail for the same reason. */
static bool is_repeated(const struct counter_loader *loader, const struct counter_place *place)
{
	const struct counter_place *before = place - 1;

	return place != loader->places && before->source == place->source &&
	       before->device == place->device && before->port == place->port &&
	       before->error == place->error;
}

/*
 * Every InfiniBand driver has these counters, but where network namespaces share devices the kernel
 * shows them only in the first one: setup_port(), drivers/infiniband/core/sysfs.c. A saved tree may
 * have lost them.
 */
static bool is_hidden(const struct counter_loader *loader, const struct counter_place *place)
{
	_cleanup_(freep) char *directory = NULL;

	if (place->error != -ENOENT || place->source != COUNTER_SOURCE_PMA ||
	    !strcmp(place->folder, COUNTERS_EXTENDED) || !port_is_infiniband(place->port) ||
	    place->device->sub_type.known || !root_answers(&loader->root))
		return false;
	directory = mem_format(PORT_DIRECTORY, place->device->kernel_name,
			       (unsigned int)place->port->port.value);
	return sysfs_has_directory(&loader->root, directory);
}

static void add_files(struct counter_loader *loader, struct counter_place *place,
		      struct counter_shelf *shelf, struct counter_readings *readings,
		      struct problems *problems)
{
	const struct sysfs_folder *folder = NULL;
	const char *cause = NULL;
	size_t first = readings->count;

	place->taken_nsec = clock_nsec();
	if (!place->listed)
		folder = counter_place_list(place, &loader->pool, shelf);
	else if (counter_place_is_text(place) && place->entry_count)
		place->error = counter_place_read_text(place, &loader->root);
	else if (place->entry_count)
		folder = counter_place_open(place, shelf);
	if (place->error && place->error != -ENOENT && !is_repeated(loader, place))
		cause = place->error == -EBADMSG ? "no counters in the text"
						 : strerror(-place->error);
	else if (problems && is_hidden(loader, place))
		cause = "they exist only in the initial network namespace";
	if (problems && cause)
		complain(place, cause, NULL, 0, problems);
	for (size_t i = 0; i < place->entry_count; i++) {
		struct counter_reading *reading = add_reading(readings, place, place->entries[i]);
		uint64_t value = 0;

		reading->problem = read_entry(loader, place, folder, place->entries[i], &value);
		if (!reading->problem)
			counter_reading_set(reading, value);
		else if (reading->name && reading->name->width_bits)
			reading->width_bits = reading->name->width_bits;
	}
	report_causes(place, readings, first, problems);
}

void counter_loader_read(struct counter_loader *loader, struct counter_readings *readings,
			 struct problems *problems, struct problems *notes)
{
	struct counter_shelf shelf = COUNTER_SHELF(&loader->root);
	const size_t first = readings->count;

	for (size_t i = 0; i < loader->place_count; i++)
		loader->places[i].reported = false;
	ask_nldev(loader, notes);
	ask_rtnl(loader);
	for (size_t i = 0; i < loader->place_count; i++)
		if (loader->places[i].reported)
			add_from_netlink(&loader->places[i], readings);
		else
			add_files(loader, &loader->places[i], &shelf, readings, problems);
	if (loader->request.once)
		counter_readings_leave_out_repeated(readings, first);
	counter_shelf_close(&shelf);
	loader->begun = true;
}

/* The places are in the order of the devices. */
static size_t first_place(const struct counter_loader *loader, const struct device *device)
{
	size_t low = 0, high = loader->place_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (loader->places[middle].device < device)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool counter_loader_counts(const struct counter_loader *loader, const struct device *device,
			   const struct port *port)
{
	bool asked = false;

	for (size_t i = first_place(loader, device); i < loader->place_count; i++) {
		const struct counter_place *place = &loader->places[i];

		if (place->device != device)
			break;
		if ((place->port && place->port != port) || place->source == COUNTER_SOURCE_CM ||
		    place->source == COUNTER_SOURCE_NETDEV)
			continue;
		asked = true;
		/* A directory that cannot be opened may hold some. */
		if (place->found || (place->error && place->error != -ENOENT))
			return true;
	}
	return !asked;
}

void counter_loader_free(struct counter_loader *loader)
{
	if (!loader)
		return;
	for (size_t i = 0; i < loader->place_count; i++) {
		counter_list_clear(&loader->places[i].values);
		free(loader->places[i].taken);
		free(loader->places[i].entries);
	}
	free(loader->places);
	counter_pool_free(&loader->pool);
	netlink_free(loader->nldev);
	netlink_free(loader->rtnl);
	root_close(&loader->root);
	free(loader);
}
