/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl counters --optional, --enable, --disable: counters that can be switched. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/counters/counters.h"
#include "counter/netlink_counters.h"
#include "host/need.h"

#define ADMIN_HINT "run it as root: it needs CAP_NET_ADMIN in the initial user namespace"

struct optional {
	struct listing listing;
	struct netlink *nldev;
	struct optional_counters list;
	struct strings enable, disable;
};

static bool is_of_any(const struct optional *optional, const char *word)
{
	for (size_t i = 0; i < optional->list.count; i++)
		if (optional_counter_is(&optional->list.items[i], word))
			return true;
	return false;
}

static bool complain_word(struct optional *optional, const char *word)
{
	_cleanup_(freep) const char **names = mem_alloc_zero(optional->list.count, sizeof(*names));
	_cleanup_(freep) char *hint = NULL;

	for (size_t i = 0; i < optional->list.count; i++)
		names[i] = optional->list.items[i].reading.counter;
	hint = text_suggest(word, names, optional->list.count,
			    "rdmactl counters --optional lists them");
	return listing_fail_format(&optional->listing, STATUS_FAILED, hint,
				   "no port has an optional counter '%s'", word);
}

static bool is_named(const struct optional_counter *counter, const struct strings *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (optional_counter_is(counter, words->items[i]))
			return true;
	return false;
}

/*
 * Returns whether a counter is to be both enabled and disabled, by one word or by two of its names.
 */
static bool has_clash(const struct optional *optional)
{
	for (size_t i = 0; i < optional->enable.count; i++)
		if (strings_contain(&optional->disable, optional->enable.items[i]))
			return true;
	for (size_t i = 0; i < optional->list.count; i++)
		if (is_named(&optional->list.items[i], &optional->enable) &&
		    is_named(&optional->list.items[i], &optional->disable))
			return true;
	return false;
}

/* Checks the words before anything is switched. */
static bool check_words(struct optional *optional)
{
	const struct strings *lists[] = {&optional->enable, &optional->disable};

	if (!optional->enable.count && !optional->disable.count)
		return listing_fail(&optional->listing, STATUS_USAGE, "which counters?",
				    "rdmactl counters --optional lists them");
	if (has_clash(optional))
		return listing_fail(&optional->listing, STATUS_USAGE,
				    "--enable and --disable name the same counter", NULL);
	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; i < lists[l]->count; i++)
			if (!is_of_any(optional, lists[l]->items[i]))
				return complain_word(optional, lists[l]->items[i]);
	return true;
}

/* Sets `enabled` as requested; returns whether that changes anything. */
static bool set_wanted(const struct optional *optional, struct optional_counter *counters,
		       size_t count)
{
	bool changed = false;

	for (size_t i = 0; i < count; i++) {
		const enum tristate before = counters[i].enabled;

		if (is_named(&counters[i], &optional->enable))
			counters[i].enabled = TRISTATE_YES;
		if (is_named(&counters[i], &optional->disable))
			counters[i].enabled = TRISTATE_NO;
		changed |= counters[i].enabled != before;
	}
	return changed;
}

/* Switches the counters of one port, which are adjacent. Returns false if that was refused. */
static bool switch_port(struct optional *optional, struct optional_counter *counters, size_t count)
{
	_cleanup_(freep) char *object = counter_reading_object(&counters[0].reading);
	_cleanup_(freep) char *text = NULL;
	int rc;

	if (!set_wanted(optional, counters, count))
		return true;
	rc = optional_counters_switch(optional->nldev, counters, count, &text);
	if (!rc)
		return true;
	problem_add_format(&optional->listing.problems, object, NULL, "nldev",
			   rc == -EPERM || rc == -EACCES ? ADMIN_HINT : NULL,
			   "cannot switch optional counters: %s", text ? text : strerror(-rc));
	return false;
}

static void switch_all(struct optional *optional)
{
	struct optional_counters *list = &optional->list;
	size_t ports = 0, refused = 0;

	for (size_t first = 0, next; first < list->count; first = next) {
		for (next = first + 1; next < list->count; next++)
			if (list->items[next].reading.port != list->items[first].reading.port)
				break;
		ports++;
		refused += !switch_port(optional, &list->items[first], next - first);
	}
	if (refused && refused == ports)
		optional->listing.status = STATUS_FAILED;
	/* Shows their actual state, whatever was requested. */
	optional_counters_clear(list);
	optional_counters_read(optional->nldev, &optional->listing.inventory, list,
			       &optional->listing.problems, &optional->listing.notes);
}

/* Returns false if there is nothing to show or to switch. */
static bool read_all(struct optional *optional)
{
	struct listing *listing = &optional->listing;

	if (!counters_open_nldev(listing, &optional->nldev))
		return false;
	optional_counters_read(optional->nldev, &listing->inventory, &optional->list,
			       &listing->problems, &listing->notes);
	if (optional->list.count)
		return true;
	if (!listing->problems.count)
		listing_fail(listing, STATUS_NOTHING,
			     "no optional counters: the drivers of these ports have none",
			     "mlx5_ib has some since Linux 5.16");
	else
		listing->status = STATUS_FAILED;
	return false;
}

static bool begin(struct optional *optional, const struct ctx *ctx, char **words)
{
	struct listing *listing = &optional->listing;

	if (!listing_begin_as(listing, ctx, &optional_counters_schema, false) ||
	    !listing_parse_objects(listing, words, true) ||
	    listing_refuses_tree(listing, "a saved tree has no optional counters"))
		return false;
	listing->request.needs = NEED_NETLINK;
	return listing_load(listing);
}

int counters_optional(const struct ctx *ctx, const struct counters_args *args, char **words)
{
	struct optional optional = {.nldev = NULL};
	int status;

	strings_add_list(&optional.enable, args->enable);
	strings_add_list(&optional.disable, args->disable);
	if (begin(&optional, ctx, words) && read_all(&optional)) {
		if ((args->enable || args->disable) && check_words(&optional))
			switch_all(&optional);
		for (size_t i = 0;
		     optional.listing.status != STATUS_USAGE && i < optional.list.count; i++)
			listing_add(&optional.listing, &optional.list.items[i]);
	}
	status = listing_end(&optional.listing);
	optional_counters_clear(&optional.list);
	netlink_free(optional.nldev);
	strings_free(&optional.enable);
	strings_free(&optional.disable);
	return status;
}
