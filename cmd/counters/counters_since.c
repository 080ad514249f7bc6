/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters --save and --since: readings for later, and growth since then. */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/counters/counters.h"
#include "counter/saved.h"

/* Writes the last readings to the file of --save; the head was read just after them. */
static void write_readings(struct counters_run *run, const struct saved_head *head)
{
	const struct counter_readings *readings = &run->readings;
	_cleanup_(freep) struct saved_counter *counters = mem_alloc_zero(readings->count,
									 sizeof(*counters));
	const struct saved_list list = {
		.head = *head, .records = counters, .count = readings->count};
	int rc;

	for (size_t i = 0; i < readings->count; i++)
		counters[i] = saved_counter_of(&readings->items[i]);
	rc = saved_list_write(&list, run->args->save, &saved_counters_kind);
	if (rc)
		listing_fail_to_write(&run->listing, run->args->save, rc);
	/* The records borrow their strings, so there are none to free. */
}

static bool read_file(struct counters_run *run, struct saved_list *list)
{
	_cleanup_(freep) char *message = NULL;
	int rc = saved_list_read(list, run->args->since, &saved_counters_kind, &message);

	if (rc)
		listing_fail(&run->listing, STATUS_FAILED, message,
			     rc == -ENOENT ? "save one first: rdmactl counters --save FILE"
			     : rc == -EINVAL || rc == -ENOMSG
				     ? "save a new one: rdmactl counters --save FILE"
				     : NULL);
	return !rc;
}

/* Saving takes every counter of the named objects, since any may be needed later. */
static struct counters_args all_of(const struct counters_args *args)
{
	struct counters_args all = *args;

	all.all = true;
	all.errors = all.drops = false;
	all.group.known = false;
	return all;
}

int counters_save(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	const struct counters_args all = all_of(args);
	struct saved_head now = {.time = NULL};
	struct counters_run run;

	if (counters_begin(&run, ctx, &all, words, ctx->command->schema)) {
		counters_read(&run);
		saved_head_read(run.listing.request.root, &now);
		write_readings(&run, &now);
	}
	saved_head_clear(&now);
	counters_end(&run);
	/* With --json a document is printed, which has the problems. */
	return listing_end_quietly(&run.listing,
				   ctx->globals.json ? listing_print(&run.listing) : 0);
}

struct since {
	struct counters_run run;
	struct saved_list file;
	struct saved_head now;
	struct saved_readings saved;
	struct counter_changes changes;
	struct counter_interval interval;
	struct inventory all; /* every device, if the objects restrict that of the listing */
};

/*
 * Decides whether the saved readings can be compared with the present ones. Returns false if the
 * file is of another host.
 */
static bool check_heads(struct since *since)
{
	const struct saved_head *then = &since->file.head, *now = &since->now;
	struct listing *listing = &since->run.listing;
	const char *hint = NULL;
	_cleanup_(freep) char *objection = saved_objection(since->run.args->since, then, now,
							   &hint);

	since->interval.time = since->now.time;
	since->interval.restarted = saved_is_of_other_boot(then, now);
	if (saved_is_of_other_host(then, now))
		return listing_fail(listing, STATUS_FAILED, objection, hint);
	if (objection)
		problem_add_text(&listing->problems, NULL, NULL, NULL, objection, hint);
	else
		since->interval.seconds = saved_seconds_between(then, now);
	return true;
}

/* Lists all devices of the host, with what tells them apart; NULL: that cannot be known. */
static const struct device_list *all_devices(struct since *since)
{
	const struct listing *listing = &since->run.listing;
	const struct objects everything = {.count = 0};
	const struct inventory_request request = {
		.root = listing->request.root,
		.needs = NEED_NETLINK | NEED_GUIDS,
		.objects = &everything,
	};

	if (!listing->objects.count)
		return &listing->inventory.devices;
	if (since->all.devices.count)
		return &since->all.devices;
	inventory_free(&since->all);
	return inventory_load(&since->all, &request, NULL, NULL) ? NULL : &since->all.devices;
}

/*
 * The present device that had the name of `then`, which no device has now; NULL: none. Its index is
 * the same, and if both are known its GUID: indexes begin anew if ib_core is loaded again.
 */
static const struct device *find_renamed(const struct device_list *now, const struct device *then)
{
	for (size_t i = 0; i < now->count && then->index.known; i++) {
		if (now->items[i].index.known && !counter_device_is_replaced(then, &now->items[i]))
			return &now->items[i];
	}
	return NULL;
}

/* Reports a device whose name no device has now. */
static void note_gone(struct since *since, const struct device *device)
{
	struct problems *problems = &since->run.listing.problems;
	const struct device_list *now = all_devices(since);
	const struct device *renamed = now ? find_renamed(now, device) : NULL;

	if (renamed)
		problem_add_format(
			problems, device->name, NULL, NULL,
			"save again: rdmactl counters --save FILE",
			"is now called %s: its counters of then and now are not compared",
			renamed->name);
	else
		problem_add_text(problems, device->name, NULL, NULL,
				 now ? "existed then, and is gone"
				     : "existed then, and no device has this name now",
				 NULL);
}

/* Reports devices that were replaced, renamed or are gone, with one line each. */
static void note_devices(struct since *since)
{
	struct problems *problems = &since->run.listing.problems;
	const struct device *last = NULL;

	for_each (change, &since->changes) {
		const struct device *device = change->reading.device;
		const bool replaced = change->state.value == CHANGE_REPLACED;

		if (device == last || (!replaced && change->state.value != CHANGE_GONE))
			continue;
		if (replaced)
			problem_add_text(problems, device->name, NULL, NULL,
					 "is a different device, or has been removed and added "
					 "again since then",
					 NULL);
		else if (!device_list_find(&since->run.listing.inventory.devices, device->name))
			note_gone(since, device);
		else
			continue;
		last = device;
	}
}

static void compare(struct since *since)
{
	struct counters_run *run = &since->run;
	size_t undescribed = 0;

	saved_readings_devices(&since->saved, since->file.records, since->file.count);
	objects_filter_devices(&run->listing.objects, &since->saved.devices, NULL, NULL);
	objects_filter_ports(&run->listing.objects, &since->saved.devices, NULL);
	saved_readings_make(&since->saved, since->file.records, since->file.count);
	counter_changes_make(&since->changes, &since->saved.readings, &run->readings,
			     &since->interval);
	if (!since->interval.restarted)
		note_devices(since);
	for (size_t i = 0; i < since->changes.count; i++) {
		undescribed += counters_is_undescribed(run, &since->changes.items[i].reading);
		if (counters_move_is_shown(run, &since->changes.items[i]))
			listing_add(&run->listing, &since->changes.items[i]);
	}
	counters_tell_undescribed(run, undescribed);
}

static int finish(struct since *since, int rc)
{
	counter_changes_clear(&since->changes);
	saved_readings_clear(&since->saved);
	saved_list_clear(&since->file, &saved_counters_schema);
	saved_head_clear(&since->now);
	inventory_free(&since->all);
	counters_end(&since->run);
	return listing_end_quietly(&since->run.listing, rc);
}

int counters_since(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	const struct counters_args all = all_of(args);
	struct since since = {.file.count = 0};
	struct counters_run *run = &since.run;
	int rc = 0;

	/* Everything is saved, even if the options show less. */
	if (!counters_begin(run, ctx, args->save ? &all : args, words, &counter_rates_schema))
		return finish(&since, listing_print(&run->listing));
	listing_show_view(&run->listing, "--since");
	if (!read_file(run, &since.file))
		return finish(&since, listing_print(&run->listing));
	counters_read(run);
	run->args = args;
	saved_head_read(run->listing.request.root, &since.now);
	if (!check_heads(&since))
		return finish(&since, listing_print(&run->listing));
	compare(&since);
	rc = listing_print(&run->listing);
	/*
	 * Saves the same readings, so that nothing is lost between two such runs; with the time
	 * when they were read, because the reader of the output may have been slow.
	 */
	if (!rc && args->save)
		write_readings(run, &since.now);
	return finish(&since, rc);
}
