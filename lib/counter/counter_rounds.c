/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "counter/counter_rounds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "counter/pma_probe.h"

/* How often the rates of ports are read again even without a visible change. */
#define REFRESH_MSEC 10000u

/*
 * Reads just enough to see whether devices, ports or their links have changed: the state of a port
 * comes with the name of its netdev.
 */
static bool look(const struct counter_rounds *rounds, struct inventory *ret_inventory)
{
	struct inventory_request request = *rounds->request;
	int rc;

	request.needs = NEED_NETLINK | NEED_STATE;
	rc = inventory_load(ret_inventory, &request, NULL, NULL);
	return !rc || rc == -ENODEV;
}

static bool is_same_port(const struct port *a, const struct port *b)
{
	const char *one = a->netdev ? a->netdev : "", *other = b->netdev ? b->netdev : "";

	return a->port.value == b->port.value && a->state.known == b->state.known &&
	       a->state.value == b->state.value && !strcmp(one, other);
}

static bool has_same_rate(const struct port *a, const struct port *b)
{
	return a->rate_gbps.known == b->rate_gbps.known && a->rate_gbps.value == b->rate_gbps.value;
}

/* Returns whether both have the same devices with the same ports, as compared by `is_same`. */
static bool is_same_inventory(const struct inventory *a, const struct inventory *b,
			      bool (*is_same)(const struct port *a, const struct port *b))
{
	if (a->devices.count != b->devices.count)
		return false;
	for (size_t i = 0; i < a->devices.count; i++) {
		const struct device *one = &a->devices.items[i], *other = &b->devices.items[i];

		if (strcmp(one->name, other->name) || one->index.value != other->index.value ||
		    one->port_count != other->port_count)
			return false;
		for (size_t j = 0; j < one->port_count; j++)
			if (!is_same(&one->ports[j], &other->ports[j]))
				return false;
	}
	return true;
}

static void drop_scene(struct counter_scene *scene)
{
	counter_loader_free(scene->loader);
	inventory_free(&scene->inventory);
	*scene = (struct counter_scene){.loader = NULL};
}

void counter_rounds_note(struct counter_rounds *rounds, const struct problems *problems)
{
	problems_add_new(rounds->problems, &rounds->reported, problems);
}

/*
 * Loads everything again, and keeps the result if `changed` or if a rate differs. The old inventory
 * becomes the past, because the previous readings borrow from it. On failure nothing changes.
 */
static bool reload(struct counter_rounds *rounds, bool changed)
{
	struct inventory fresh;
	struct counter_loader *loader;
	struct problems problems = {0};
	int rc = inventory_load(&fresh, rounds->request, &problems, NULL);

	if (rounds->spares_restricted)
		pma_leave_out_restricted(rounds->request->root, &fresh.devices, &problems);
	if ((rc && rc != -ENODEV) ||
	    (!changed && is_same_inventory(&fresh, rounds->inventory, has_same_rate))) {
		problems_free(&problems);
		inventory_free(&fresh);
		return false;
	}
	/* The loader's request points to this inventory, so the new one takes its place. */
	rounds->past.inventory = *rounds->inventory;
	*rounds->inventory = fresh;
	if (counter_loader_open(rounds->counters, &loader)) {
		*rounds->inventory = rounds->past.inventory;
		rounds->past.inventory = (struct inventory){.root = NULL};
		problems_free(&problems);
		inventory_free(&fresh);
		return false;
	}
	rounds->past.loader = rounds->loader;
	rounds->loader = loader;
	counter_rounds_note(rounds, &problems);
	problems_free(&problems);
	return true;
}

/* Looks for devices that came, went or were replaced, and for new rates. */
static bool look_again(struct counter_rounds *rounds)
{
	struct inventory now;
	bool changed;

	/* Only one past loader is kept, and the previous reading may borrow from it. */
	if (!rounds->has_seen || rounds->past.loader)
		return false;
	if (!look(rounds, &now)) {
		inventory_free(&now);
		return false;
	}
	changed = !is_same_inventory(&rounds->seen, &now, is_same_port);
	inventory_free(&rounds->seen);
	rounds->seen = now;
	if (!changed && clock_msec_until(rounds->refreshed_msec + REFRESH_MSEC))
		return false;
	rounds->refreshed_msec = clock_msec();
	return reload(rounds, changed);
}

void counter_rounds_begin(struct counter_rounds *rounds, const struct inventory_request *request,
			  const struct counters_request *counters, struct inventory *inventory,
			  struct counter_loader *loader, struct problems *problems)
{
	*rounds = (struct counter_rounds){
		.request = request,
		.counters = counters,
		.inventory = inventory,
		.loader = loader,
		.problems = problems,
		.refreshed_msec = clock_msec(),
	};
	rounds->has_seen = look(rounds, &rounds->seen);
}

bool counter_rounds_read(struct counter_rounds *rounds, bool follow)
{
	struct problems problems = {0};
	bool replaced = follow && look_again(rounds);

	rounds->before = rounds->readings;
	rounds->readings = (struct counter_readings){0};
	counter_loader_read(rounds->loader, &rounds->readings, &problems, NULL);
	/* Failing to read the counters of a device that was just removed is not a problem. */
	if (problems.count && look_again(rounds)) {
		problems_free(&problems);
		problems = (struct problems){0};
		counter_readings_clear(&rounds->readings);
		counter_loader_read(rounds->loader, &rounds->readings, &problems, NULL);
		replaced = true;
	}
	counter_rounds_note(rounds, &problems);
	problems_free(&problems);
	return replaced;
}

/* Values read with the inventory are too old for the first round of another loader. */
static void forget_probes(struct inventory *inventory)
{
	for_each_port (device, port, &inventory->devices)
		port->symbol_errors.known = false;
}

void counter_rounds_reopen(struct counter_rounds *rounds)
{
	struct counter_loader *loader;

	if (counter_loader_open(rounds->counters, &loader))
		return;
	forget_probes(rounds->inventory);
	rounds->past.loader = rounds->loader;
	rounds->loader = loader;
}

struct counter_changes counter_rounds_compare(const struct counter_rounds *rounds, char *time)
{
	const struct counter_interval interval = {.time = time};
	struct counter_changes changes = {0};

	counter_changes_make(&changes, &rounds->before, &rounds->readings, &interval);
	return changes;
}

void counter_rounds_forget(struct counter_rounds *rounds)
{
	counter_readings_clear(&rounds->before);
	drop_scene(&rounds->past);
}

void counter_rounds_end(struct counter_rounds *rounds)
{
	counter_rounds_forget(rounds);
	counter_readings_clear(&rounds->readings);
	inventory_free(&rounds->seen);
	strings_free(&rounds->reported);
	counter_loader_free(rounds->loader);
	*rounds = (struct counter_rounds){0};
}
