/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl counters qp, mr and mode: the counters of queue pairs and memory regions with their
 * owners, once or round by round, and how the ports count queue pairs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/counters/counters.h"
#include "cmd/terminal.h"
#include "counter/object_counters.h"
#include "host/need.h"
#include "resource/processes.h"
#include "resource/resources.h"

/* What one round has read of one device, which belongs to the inventory until the next round. */
struct device_round {
	const struct device *device;
	struct number index; /* the device's, which identifies it in the previous round */
	struct object_counters objects;
	uint64_t taken_nsec;
};

struct round {
	struct device_round *items;
	size_t count;
};

struct run {
	struct counters_run counters; /* the listing, and what the options select */
	enum object_counter_kind kind;
	struct netlink *nldev;
	struct processes *processes;
	struct problems problems; /* of this round */
	struct strings noted;	  /* problems that the listing has, however many rounds have them */
	struct object_counter_row *rows;
	size_t row_count;
};

static void clear_round(struct round *round)
{
	for (size_t i = 0; i < round->count; i++)
		object_counters_clear(&round->items[i].objects);
	free(round->items);
	*round = (struct round){0};
}

static void clear_rows(struct run *run)
{
	free(run->rows);
	run->rows = NULL;
	run->row_count = 0;
}

/* Finds who made the memory regions, because their counters do not say. */
static void find_owners(struct run *run, struct device_round *round)
{
	struct objects one = {.items = &(struct object){round->device->name, -1}, .count = 1};
	struct resource_loader *loader;
	_cleanup_(resource_list_clear) struct resource_list list = {0};
	size_t known = 0;

	if (!round->objects.count ||
	    resource_loader_open(&run->counters.listing.inventory, &one, NULL, &loader))
		return;
	resource_loader_begin(loader, RESOURCE_MR);
	while (resource_loader_next(loader, &list, &run->problems, NULL))
		;
	/* Both tables are in the order of their numbers. */
	for_each (object, &round->objects) {
		while (known < list.count && list.items[known].id.value < object->id.value)
			known++;
		if (known < list.count && list.items[known].id.value == object->id.value) {
			object->thread = list.items[known].thread;
			object->kernel_name = list.items[known].kernel_name;
			list.items[known].kernel_name = NULL;
		}
	}
	resource_loader_free(loader);
}

static void name_owner(struct run *run, struct object_counter *object)
{
	const struct process *process = NULL;

	if (object->kernel_name)
		object->command = mem_format("[%s]", object->kernel_name);
	else if (object->thread.known && object->thread.value)
		process = processes_find(run->processes, object->thread.value);
	if (!process)
		return;
	object->pid = process->pid;
	object->command = mem_string_or_null(process->command);
}

static void read_device(struct run *run, const struct device *device, struct round *round)
{
	struct device_round *one = mem_append(&round->items, &round->count, sizeof(*one));
	int rc = device->index.known
			 ? object_counters_read(run->nldev, run->kind,
						(uint32_t)device->index.value, &one->objects)
			 : -ENODATA;

	one->device = device;
	one->index = device->index;
	one->taken_nsec = clock_nsec();
	if (rc == -EOPNOTSUPP)
		problem_add_text(&run->problems, device->name, NULL, "nldev",
				 "this kernel lists no such counters",
				 "this needs Linux 5.3 for queue pairs, 5.5 for memory regions");
	else if (rc && rc != -ENODEV)
		problem_add(&run->problems, device->name, "counters of its objects", "nldev", rc,
			    NULL);
	if (run->kind == OBJECT_COUNTER_MR)
		find_owners(run, one);
	for (size_t i = 0; i < one->objects.count; i++)
		name_owner(run, &one->objects.items[i]);
}

static void read_devices(struct run *run, struct round *round)
{
	const struct listing *listing = &run->counters.listing;
	const struct device_list *devices = &listing->inventory.devices;
	int rc;

	/* By the next round the number of a thread may belong to another program or process. */
	processes_free(run->processes);
	run->processes = NULL;
	rc = processes_open(listing->ctx->globals.root, &run->processes);
	if (rc) {
		problem_add(&run->problems, NULL, "processes", "proc", rc, NULL);
		return;
	}
	for (size_t i = 0; i < devices->count; i++)
		read_device(run, &devices->items[i], round);
}

static void read_round(struct run *run, struct round *round)
{
	read_devices(run, round);
	problems_add_new(&run->counters.listing.problems, &run->noted, &run->problems);
	problems_free(&run->problems);
}

/* Lists the devices again: some may have come or gone, or be new ones of the same name. */
static void follow_devices(struct run *run)
{
	struct listing *listing = &run->counters.listing;
	struct inventory fresh;
	const int rc = inventory_load(&fresh, &listing->request, &run->problems, NULL);

	if (rc && rc != -ENODEV) {
		inventory_free(&fresh);
		return;
	}
	inventory_free(&listing->inventory);
	listing->inventory = fresh;
}

/* Returns the same device in the previous round, or NULL: a kernel uses an index only once. */
static const struct device_round *find_before(const struct round *before,
					      const struct device_round *now)
{
	for (size_t i = 0; before && i < before->count; i++)
		if (before->items[i].index.known && now->index.known &&
		    before->items[i].index.value == now->index.value)
			return &before->items[i];
	return NULL;
}

static bool is_shown(const struct run *run, const struct counter_change *change, bool rates)
{
	if (run->kind == OBJECT_COUNTER_MR && !rates)
		return true;
	if (run->kind == OBJECT_COUNTER_MR)
		return run->counters.args->all || change->growth.value;
	return rates ? counters_move_is_shown(&run->counters, change)
		     : counters_shows(&run->counters, &change->reading);
}

static void add_object(struct run *run, const struct object_counter *object,
		       const struct device_round *now, const struct device_round *then, char *time)
{
	const struct object_counter *earlier = then ? object_counters_find_earlier(&then->objects,
										   object)
						    : NULL;
	struct counter_readings readings = {0}, old = {0};
	_cleanup_(counter_changes_clear) struct counter_changes changes = {0};
	const struct port *port = NULL;

	if (object->port.known)
		port = device_port(now->device, (unsigned int)object->port.value);
	/* A port that was not asked for. */
	if (object->port.known && !port)
		return;
	object_counter_readings(object, now->device, port, now->taken_nsec, &readings);
	if (earlier)
		object_counter_readings(earlier, now->device, port, then->taken_nsec, &old);
	counter_changes_make(&changes, &old, &readings, &(struct counter_interval){.time = time});
	for_each (change, &changes)
		if (is_shown(run, change, time))
			MEM_ADD(run->rows, run->row_count) = (struct object_counter_row){*change,
											 *object};
	counter_readings_clear(&readings);
	counter_readings_clear(&old);
}

/* Fills the listing, with the growth since the previous round if there is a time. */
static void add_rows(struct run *run, const struct round *now, const struct round *before,
		     char *time)
{
	struct listing *listing = &run->counters.listing;

	for_each (one, now) {
		const struct device_round *then = find_before(before, one);

		for (size_t j = 0; j < one->objects.count; j++)
			add_object(run, &one->objects.items[j], one, then, time);
	}
	for (size_t i = 0; i < run->row_count; i++)
		listing_add(listing, &run->rows[i]);
}

static bool has_objects(const struct round *round)
{
	for (size_t i = 0; i < round->count; i++)
		if (round->items[i].objects.count)
			return true;
	return false;
}

static void explain_nothing(struct run *run)
{
	if (run->kind == OBJECT_COUNTER_QP)
		listing_fail(&run->counters.listing, STATUS_NOTHING, "no queue pair is counted",
			     "rdmactl counters auto DEV/PORT pid counts the queue pairs that each "
			     "process creates from then on (root; mlx5 and ionic)");
	else
		listing_fail(&run->counters.listing, STATUS_NOTHING,
			     "no memory region has counters: only those with on-demand paging do",
			     "rdmactl resources mr lists all memory regions");
}

static void list(struct run *run, struct round *round)
{
	read_round(run, round);
	add_rows(run, round, NULL, NULL);
	if (!has_objects(round) && !run->counters.listing.problems.count)
		explain_nothing(run);
}

/* Returns false if the output is closed. */
static bool show_round(struct run *run, const struct round *now, const struct round *before)
{
	struct listing *listing = &run->counters.listing;
	_cleanup_(freep) char *time = utc_now();

	add_rows(run, now, before, time);
	listing_round(listing);
	clear_rows(run);
	return !listing->stream_rc;
}

static void watch(struct run *run, struct round *before)
{
	const struct counters_args *args = run->counters.args;
	const uint64_t interval = args->interval.known ? args->interval.value : WATCH_INTERVAL_MSEC;
	uint64_t next = clock_msec() + interval;
	struct terminal terminal;

	listing_show_view(&run->counters.listing, "--watch");
	terminal_begin(&terminal, false, false);
	read_round(run, before);
	for (uint64_t i = 0; !args->count.known || i < args->count.value; i++) {
		struct round now = {0};
		bool open;

		if (!terminal_wait_until(&terminal, next))
			break;
		follow_devices(run);
		read_round(run, &now);
		open = show_round(run, &now, before);
		clear_round(before);
		*before = now;
		if (!open)
			break;
		next = clock_next_round(next, interval, clock_msec());
	}
	terminal_end(&terminal, false);
}

static bool begin_listing(struct listing *listing, const struct ctx *ctx, char **words, bool ports)
{
	if (!listing_begin(listing, ctx, words, ports) ||
	    listing_refuses_tree(listing, "a saved tree has no objects in use"))
		return false;
	return listing_load_inventory(listing, NEED_NETLINK | columns_needs(&listing->columns));
}

bool counters_open_nldev(struct listing *listing, struct netlink **ret_nldev)
{
	int rc = inventory_open_nldev(&listing->inventory, ret_nldev);

	if (!rc)
		return true;
	return listing_fail_format(listing, STATUS_FAILED, NULL, "cannot use RDMA netlink: %s",
				   strerror(-rc));
}

static int run_objects(const struct ctx *ctx, const void *args, char **words)
{
	const enum object_counter_kind *kind = ctx->command->data;
	struct run run = {.counters.args = args, .kind = *kind};
	struct listing *listing = &run.counters.listing;
	struct round round = {0};
	int status;

	if (begin_listing(listing, ctx, words, *kind == OBJECT_COUNTER_QP) &&
	    !(run.counters.args->watch &&
	      listing_refuses_archive(listing, "without --watch its counters are shown")) &&
	    counters_open_nldev(listing, &run.nldev)) {
		if (run.counters.args->watch)
			watch(&run, &round);
		else
			list(&run, &round);
	}
	status = listing_end(listing);
	clear_rows(&run);
	clear_round(&round);
	strings_free(&run.noted);
	netlink_free(run.nldev);
	processes_free(run.processes);
	return status;
}

static void read_countings(struct listing *listing, struct netlink *nldev,
			   struct qp_counting **rows, size_t *count)
{
	for_each_port (device, port, &listing->inventory.devices) {
		struct qp_counting *row = mem_append(rows, count, sizeof(*row));
		_cleanup_(freep) char *object = NULL;
		int rc;

		row->reading.device = device;
		row->reading.port = port;
		rc = device->index.known ? qp_counting_read(nldev, (uint32_t)device->index.value,
							    (uint32_t)port->port.value, row)
					 : -ENODATA;
		if (!rc)
			continue;
		object = port_object(port);
		problem_add(&listing->problems, object, "its queue pair counting mode", "nldev", rc,
			    rc == -EOPNOTSUPP || rc == -ENODATA ? COUNTERS_OLD_KERNEL : NULL);
	}
	for (size_t i = 0; i < *count; i++)
		listing_add(listing, &(*rows)[i]);
}

static int run_mode(const struct ctx *ctx, const void *args, char **words)
{
	_cleanup_(freep) struct qp_counting *rows = NULL;
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;
	struct listing listing;
	size_t count = 0;

	(void)args;
	if (begin_listing(&listing, ctx, words, true) && counters_open_nldev(&listing, &nldev))
		read_countings(&listing, nldev, &rows, &count);
	return listing_end(&listing);
}

static const struct option_row qp_options[] = {
	FLAG_OPTION(struct counters_args, all, 'a', "all", "all counters, including zeros"),
	COUNTERS_WATCH_OPTIONS,
	FLAG_OPTION(struct counters_args, errors, 'e', "errors",
		    "nonzero counters of warnings and errors"),
	FLAG_OPTION(struct counters_args, drops, 'd', "drops", "counters of lost packets"),
	CHOICES_OPTION(struct counters_args, group, 'g', "group", "GROUPS", counter_group_bits,
		       "counters of these groups"),
	{.name = NULL},
};

static const struct option_row mr_options[] = {
	FLAG_OPTION(struct counters_args, all, 'a', "all",
		    "with --watch, also counters that did not grow"),
	COUNTERS_WATCH_OPTIONS,
	{.name = NULL},
};

static const enum object_counter_kind qp_kind = OBJECT_COUNTER_QP, mr_kind = OBJECT_COUNTER_MR;

const struct command counters_qp_command = {
	.name = "qp",
	.group = GROUP_LIVE,
	.summary = "show the counters of queue pairs and their owners",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.options = {qp_options},
	.args_size = sizeof(struct counters_args),
	.schema = &qp_counter_schema,
	.data = &qp_kind,
	.run = run_objects,
};

const struct command counters_mr_command = {
	.name = "mr",
	.group = GROUP_LIVE,
	.summary = "show the counters of memory regions with on-demand paging",
	.objects = "[DEV...]",
	.object_completion = COMPLETE_DEVICE,
	.most_objects = -1,
	.options = {mr_options},
	.args_size = sizeof(struct counters_args),
	.schema = &mr_counter_schema,
	.data = &mr_kind,
	.run = run_objects,
};

const struct command counters_mode_command = {
	.name = "mode",
	.group = GROUP_LIVE,
	.summary = "show how ports count their queue pairs",
	.objects = "[DEV[/PORT]...]",
	.object_completion = COMPLETE_PORT,
	.most_objects = -1,
	.args_size = sizeof(struct counters_args),
	.schema = &qp_counting_schema,
	.run = run_mode,
};
