/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/change/change_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

const struct option_row change_options[] = {
	FLAG_OPTION(struct change_args, dry_run, 'n', "dry-run",
		    "print what would change, without changing it"),
	FLAG_OPTION(struct change_args, yes, 'y', "yes", "do not ask, even if traffic will stop"),
	FLAG_OPTION(struct change_args, force, 'f', "force", "change it even if it is in use"),
	FLAG_OPTION(struct change_args, persist, 0, "persist",
		    "print what makes it persist across reboots, and its file"),
	NUMBER_OPTION(DURATION, struct change_args, revert_after, 0, "revert-after", "TIME", 1000,
		      86400000, "undo it after this time unless confirmed"),
	{0},
};

const struct keyword *setting_keyword(const struct setting *const *table, size_t number)
{
	return table[number] ? &table[number]->keyword : NULL;
}

/* Fails with the reason, and the help of the command as the next step. */
static bool fail_with_help(struct change_plan *plan, const char *reason)
{
	_cleanup_(freep) char *path = command_path(plan->listing.ctx);
	_cleanup_(freep) char *help = mem_format("rdmactl %s --help lists the settings", path);

	return listing_fail(&plan->listing, STATUS_USAGE, reason, help);
}

bool change_plan_fail(struct change_plan *plan, const struct change *change, int status)
{
	if (status == STATUS_USAGE && !change->next_step)
		return fail_with_help(plan, change->reason);
	return listing_fail(&plan->listing, status, change->reason, change->next_step);
}

bool change_plan_one(struct change_plan *plan, const struct setting *setting, const char *text,
		     const char *object, change_fill *fill, void *context)
{
	struct change *change = changes_add(&plan->changes, &plan->host, setting, object, NULL);
	const struct change *earlier = changes_find_earlier(&plan->changes, change);
	int rc;

	if (fill && !fill(change, context))
		return change_plan_fail(plan, change, STATUS_FAILED);
	rc = change_parse(change, text, &change->wanted);
	if (rc)
		return change_plan_fail(plan, change, rc == -EINVAL ? STATUS_USAGE : STATUS_FAILED);
	if (!earlier)
		return true;
	if (strcmp(earlier->wanted, change->wanted))
		return listing_fail_format(&plan->listing, STATUS_USAGE,
					   "give it once, with one value", "'%s' is set twice",
					   setting->keyword.word);
	changes_drop_last(&plan->changes);
	return true;
}

/*
 * Returns the setting or value that was probably meant, or else the list of settings, as a hint for
 * the caller to free.
 */
static char *suggest_setting(const struct setting *const *table, const char *word)
{
	_cleanup_(freep) const char **words = NULL;
	_cleanup_(freep) char *list = NULL;
	const struct keyword *taker = NULL;
	size_t settings = 0, count = 0, takers = 0;
	const char *closest;

	for (; table[settings]; settings++) {
		MEM_ADD(words, count) = table[settings]->keyword.word;
		mem_extend(&list, "%s%s", settings ? ", " : "the settings are ",
			   table[settings]->keyword.word);
	}
	/* `ports set DEV/PORT down`, without the setting of that value. */
	for (size_t i = 0; i < settings; i++)
		for (const struct enum_name *name = table[i]->keyword.choices; name && name->word;
		     name++)
			MEM_ADD(words, count) = name->word;
	closest = text_closest(word, words, count);
	for (size_t i = 0; closest && i < settings; i++) {
		const struct keyword *keyword = &table[i]->keyword;

		if (!strcmp(keyword->word, closest))
			return mem_format("did you mean '%s'?", closest);
		if (keyword->choices && enum_find_word(keyword->choices, closest) && !takers++)
			taker = keyword;
	}
	return takers == 1 ? mem_format("did you mean '%s %s'?", taker->word, closest)
			   : mem_string(list);
}

/* Finds the setting with that word; NULL: there is none, and the listing has the problem. */
static const struct setting *find_setting(struct change_plan *plan,
					  const struct setting *const *table, const char *word)
{
	_cleanup_(freep) char *hint = NULL;

	for (size_t i = 0; table[i]; i++)
		if (!strcmp(table[i]->keyword.word, word))
			return table[i];
	hint = suggest_setting(table, word);
	listing_fail_format(&plan->listing, STATUS_USAGE, hint, "unknown setting '%s'", word);
	return NULL;
}

const struct setting *change_find_pair(struct change_plan *plan, const struct setting *const *table,
				       char **words)
{
	const struct setting *setting = find_setting(plan, table, words[0]);

	if (!setting || words[1])
		return setting;
	listing_fail_format(&plan->listing, STATUS_USAGE, setting->keyword.help,
			    "'%s' needs a value: %s", words[0], setting->keyword.metavar);
	return NULL;
}

bool change_plan_words(struct change_plan *plan, const struct setting *const *table, char **words,
		       const char *object, change_fill *fill, void *context)
{
	for (; words[0]; words += 2) {
		const struct setting *setting = change_find_pair(plan, table, words);

		if (!setting || !change_plan_one(plan, setting, words[1], object, fill, context))
			return false;
	}
	return plan->changes.count || fail_with_help(plan, "no setting is given");
}

bool change_take_values(struct change_plan *plan, const struct keyword *keywords, size_t count,
			char **words, const char **values)
{
	for (; words[0]; words += 2) {
		_cleanup_(freep) char *message = NULL;
		size_t i = 0;

		while (i < count && strcmp(keywords[i].word, words[0]))
			i++;
		if (i == count)
			message = mem_format("unknown word '%s'", words[0]);
		else if (values[i])
			message = mem_format("'%s' is given twice", words[0]);
		else if (!words[1])
			message = mem_format("'%s' needs a value: %s", words[0],
					     keywords[i].metavar);
		if (message)
			return fail_with_help(plan, message);
		values[i] = words[1];
	}
	return true;
}

struct device *change_plan_device(struct change_plan *plan, char *word, uint64_t needs)
{
	char *const words[] = {word, NULL};
	struct listing *listing = &plan->listing;

	if (!listing_parse_objects(listing, words, false) ||
	    !listing_load_inventory(listing, needs))
		return NULL;
	plan->host.inventory = &listing->inventory;
	return &listing->inventory.devices.items[0];
}

bool change_has_core(struct listing *listing)
{
	int rc = inventory_find_core(listing->ctx->globals.root, &listing->problems);

	if (rc)
		listing->status = rc == -ENODEV ? STATUS_NOTHING : STATUS_FAILED;
	return !rc;
}

int change_load_host(struct change_plan *plan, uint64_t needs, struct problems *problems)
{
	struct change_host *base = change_host_base(&plan->host);
	const struct objects all = {.count = 0};
	const struct inventory_request request = {.needs = needs, .objects = &all};
	int rc;

	if (!base->inventory || base->inventory_needs != needs) {
		rc = inventory_load(&plan->listing.inventory, &request, problems,
				    &plan->listing.notes);
		if (!rc)
			plan->host.inventory = &plan->listing.inventory;
		if (rc || (problems && problems->count))
			return rc;
		base->inventory = &plan->listing.inventory;
		base->inventory_needs = needs;
	}
	plan->host.inventory = base->inventory;
	return 0;
}

/* Reports the failure of each change as a problem. */
static void tell_failures(struct change_plan *plan)
{
	for (size_t i = 0; i < plan->changes.count; i++) {
		const struct change *change = &plan->changes.items[i];
		_cleanup_(freep) char *text = NULL;

		if (!change->reason)
			continue;
		text = plan->file ? mem_format("%s:%u: %s: %s", plan->file, plan->line_numbers[i],
					       change->setting->keyword.word, change->reason)
				  : mem_format("%s: %s", change->setting->keyword.word,
					       change->reason);
		problem_add_text(&plan->listing.problems, change->object, NULL, NULL, text,
				 change->next_step);
	}
}

/* Shows on standard error what would be done, before asking for confirmation. */
static void show_plan(const struct change_plan *plan)
{
	for_each (change, &plan->changes) {
		if (change->state.value != CHANGE_PLANNED)
			continue;
		fprintf(stderr, "%s%s%s: %s -> %s\n", change->object ?: "",
			change->object ? " " : "", change->setting->keyword.word,
			change->before ?: "?", change->wanted ?: "?");
		for (size_t j = 0; j < change->disturbs.count; j++)
			fprintf(stderr, "  disturbs %s\n", change->disturbs.items[j]);
		for (size_t j = 0; j < change->notes.count; j++)
			fprintf(stderr, "  note: %s\n", change->notes.items[j]);
	}
}

static bool confirm(struct change_plan *plan, const struct change_args *args)
{
	if (args->yes || !changes_have(&plan->changes, SETTING_STOPS_TRAFFIC))
		return true;
	show_plan(plan);
	return listing_confirm(&plan->listing, "Traffic will stop. Change it?",
			       "nothing was changed: traffic would stop, and there is no terminal "
			       "to confirm it on",
			       "--yes changes it without asking", "nothing was changed");
}

/* Whether an earlier change has the same note. */
static bool is_noted(const struct changes *changes, size_t place, const char *note)
{
	for (size_t i = 0; i < place; i++)
		if (strings_contain(&changes->items[i].notes, note))
			return true;
	return false;
}

/* Adds how to make a change last that has been made, or would be. */
static void add_persistence(char **text, const struct change *change)
{
	const uint64_t state = change->state.value;

	if (state != CHANGE_PLANNED && state != CHANGE_UNCHANGED && state != CHANGE_CHANGED)
		return;
	if (change->persist_file)
		mem_extend(text, "to make it last, put this into %s:\n%s\n", change->persist_file,
			   change->persist_text);
	else if (change->persist_text)
		mem_extend(text, "to make it last: %s\n", change->persist_text);
	else
		mem_extend(text, "no file is known that makes %s%s%s last\n",
			   change->setting->keyword.word, change->object ? " of " : "",
			   change->object ?: "");
}

/*
 * Returns the change made that is to be undone in that place, from 0 to twice the count of changes;
 * NULL: none. They are undone in reverse, but those that other changes took along after these, and
 * in the order of the list: a netdev, a VLAN on it and one on that take larger MTUs only in this
 * order.
 */
static const struct change *made_in_place(const struct changes *changes, size_t place)
{
	const bool taken_along = place >= changes->count;
	const struct change *change =
		&changes->items[taken_along ? place - changes->count : changes->count - 1 - place];

	return change->state.value == CHANGE_CHANGED && change->taken_along == taken_along ? change
											   : NULL;
}

/*
 * Prints below the table how to undo the changes, and how to make them last. 0 or -errno of the
 * output.
 */
static int print_after(const struct change_plan *plan, const struct change_args *args)
{
	_cleanup_(freep) char *text = mem_string("");

	for (size_t i = 0; i < 2 * plan->changes.count; i++) {
		const struct change *change = made_in_place(&plan->changes, i);

		if (change && change->undo)
			mem_extend(&text, "undo: %s\n", change->undo);
	}
	for (size_t i = 0; i < plan->changes.count; i++) {
		const struct change *change = &plan->changes.items[i];

		for (size_t j = 0; args->dry_run && j < change->disturbs.count; j++)
			mem_extend(&text, "it would disturb %s\n", change->disturbs.items[j]);
		for (size_t j = 0; j < change->notes.count; j++)
			if (!is_noted(&plan->changes, i, change->notes.items[j]))
				mem_extend(&text, "note: %s\n", change->notes.items[j]);
	}
	for (size_t i = 0; args->persist && i < plan->changes.count; i++)
		add_persistence(&text, &plan->changes.items[i]);
	return render_text(stdout, text);
}

/* Reports what was changed and how to undo it, because the output could not. */
static void tell_changed(const struct ctx *ctx, const struct changes *changes)
{
	for (size_t i = 0; i < 2 * changes->count; i++) {
		const struct change *change = made_in_place(changes, i);
		_cleanup_(freep) char *message = NULL, *undo = NULL;

		if (!change)
			continue;
		message = mem_format("%s%s%s was changed anyway, from %s to %s",
				     change->object ?: "", change->object ? ": " : "",
				     change->setting->keyword.word, change->before, change->after);
		if (change->undo)
			undo = mem_format("undo: %s", change->undo);
		command_complain(ctx, message, undo);
	}
}

/* Called by the engine between two changes. */
static bool is_interrupted(void *context)
{
	const struct change_plan *plan = context;

	return change_signals_ended(&plan->signals, plan->host.reverts);
}

static void explain_undone(struct change_plan *plan, const char *reason)
{
	for (size_t i = 0; i < plan->changes.count; i++)
		if (plan->changes.items[i].state.value == CHANGE_REVERTED)
			change_explain(&plan->changes.items[i], NULL, "%s", reason);
}

/* Called when everything is written: keeps it or undoes it. Returns whether it is kept. */
static bool settle(struct change_plan *plan, const struct change_args *args)
{
	const char *reason = "it was undone: a signal arrived";
	enum change_verdict verdict = CHANGE_ENDED;

	if (!changes_count(&plan->changes, CHANGE_CHANGED))
		return true;
	if (!is_interrupted(plan)) {
		if (!args->revert_after.known)
			return true;
		verdict = change_wait(&plan->signals, args->revert_after.value);
	}
	if (verdict == CHANGE_KEPT) {
		fputs("Kept.\n", stderr);
		return true;
	}
	if (verdict == CHANGE_TIMED_OUT)
		reason = "it was undone: nobody confirmed it in time";
	changes_note_others(&plan->changes);
	fputs(changes_undo(&plan->changes) ? "Undone.\n" : "It could not be undone.\n", stderr);
	explain_undone(plan, reason);
	return false;
}

/* Reports at once what a write waits for. */
static void tell(const void *context, const char *text)
{
	command_complain(context, text, NULL);
}

/*
 * A list is never left half done: signals are held from the first write until the outcome of all
 * changes is printed.
 */
static bool write_all(struct change_plan *plan, const struct change_args *args)
{
	change_signals_catch(&plan->signals);
	plan->changes.ended = is_interrupted;
	plan->changes.context = plan;
	for (size_t i = 0; i < plan->changes.count; i++) {
		struct change_host *host = plan->changes.items[i].host;

		host->signals = &plan->signals;
		host->tell = tell;
		host->tell_context = plan->listing.ctx;
	}
	return changes_write(&plan->changes) && settle(plan, args);
}

static void work(struct change_plan *plan, const struct change_args *args)
{
	const unsigned int mode = (args->dry_run ? CHANGE_DRY : 0) |
				  (args->force ? CHANGE_FORCE : 0);
	bool good;

	plan->host.reverts = args->revert_after.known;
	for (size_t i = 0; i < plan->changes.count; i++)
		plan->changes.items[i].host->reverts = plan->host.reverts;
	good = changes_prepare(&plan->changes, mode);
	if (good && !args->dry_run && confirm(plan, args))
		good = write_all(plan, args);
	if (!good)
		plan->listing.status = STATUS_FAILED;
	tell_failures(plan);
}

static void clear_plan(struct change_plan *plan)
{
	changes_clear(&plan->changes);
	change_host_close(&plan->host);
	for (size_t i = 0; i < plan->line_count; i++) {
		/* An empty line, or one that is not a change, has no listing. */
		if (plan->lines[i].listing.ctx)
			listing_free(&plan->lines[i].listing);
		clear_plan(&plan->lines[i]);
	}
	free(plan->lines);
	free(plan->line_numbers);
	free(plan->file);
}

int change_run(const struct ctx *ctx, const void *args, char **words)
{
	const struct changer *changer = ctx->command->data;
	const struct change_args *common = args;
	struct change_plan plan = {.signals = SIGNALS_NONE};
	struct change_head head = {.changed = TRISTATE_NO};
	int status, rc = 0;

	if (listing_begin_as(&plan.listing, ctx, &change_schema, false) &&
	    !listing_refuses_root(&plan.listing, "a saved tree cannot be changed") &&
	    changer->plan(&plan, args, words)) {
		work(&plan, common);
		for (size_t i = 0; i < plan.changes.count; i++)
			listing_add(&plan.listing, &plan.changes.items[i]);
	}
	if (common->dry_run)
		listing_show_view(&plan.listing, "--dry-run");
	if (changes_count(&plan.changes, CHANGE_CHANGED) ||
	    changes_count(&plan.changes, CHANGE_STUCK))
		head.changed = TRISTATE_YES;
	plan.listing.head = &head;
	rc = listing_print(&plan.listing);
	if (!rc && listing_is_for_people(&plan.listing))
		rc = print_after(&plan, common);
	if (!rc)
		rc = file_flush(stdout);
	status = listing_end_quietly(&plan.listing, rc);
	/* A reader that closed the pipe does not want more output. */
	if (rc && rc != -EPIPE)
		tell_changed(ctx, &plan.changes);
	/*
	 * The signals stay blocked until the process ends: a signal is too late now, and its exit
	 * status would replace the one that reports the outcome of the change.
	 */
	clear_plan(&plan);
	return status;
}
