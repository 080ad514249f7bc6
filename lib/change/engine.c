/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads, writes, verifies and undoes changes: the one way in which they are made. */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/change.h"
#include "change/session.h"

static void set_state(struct change *change, enum change_state state)
{
	number_set(&change->state, state);
}

static bool is(const struct change *change, enum change_state state)
{
	return change->state.value == state;
}

/* Whether the value is what was wanted, as exactly as the adapter can do it. */
static bool is_applied(const struct change *change, const char *value)
{
	return !strcmp(value, change->wanted) ||
	       (change->setting->is_nearest && change->setting->is_nearest(change, value));
}

static char *take(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

/* Returns the current value, for the caller to free, and explains nothing; NULL: it is unknown. */
static char *peek(struct change *change)
{
	char *const reason = take(&change->reason), *const step = take(&change->next_step);
	char *now = NULL;

	change->setting->read(change, &now);
	free(change->reason);
	free(change->next_step);
	change->reason = reason;
	change->next_step = step;
	return now;
}

/* Reads the current value; an earlier one does not stay if that fails. */
static int read_after(struct change *change)
{
	free(change->after);
	change->after = NULL;
	return change->setting->read(change, &change->after);
}

/*
 * Having the value now does not make it last. Users that would be in the way of setting it may be
 * there at the next boot, so persist() needs what the guard finds; but they are in the way of
 * nothing now.
 */
static void prepare_unchanged(struct change *change)
{
	const struct setting *setting = change->setting;
	const struct strings found = change->notes; /* made while reading it */

	change->after = mem_string(change->before);
	set_state(change, CHANGE_UNCHANGED);
	if (!setting->persist)
		return;
	change->notes = (struct strings){.known = true};
	if (setting->guard)
		setting->guard(change);
	setting->persist(change);
	strings_free(&change->notes);
	strings_free(&change->disturbs);
	change->notes = found;
	change->disturbs.known = true;
}

static void prepare_one(struct change *change, unsigned int mode)
{
	const struct setting *setting = change->setting;
	char netdev[IF_NAMESIZE], *before = NULL;
	_cleanup_(freep) char *list = NULL;
	int rc = setting->read(change, &before);

	if (rc) {
		change_explain_error(change, "read it", rc);
		set_state(change, CHANGE_FAILED);
		return;
	}
	free(change->before);
	change->before = before;
	if (!strcmp(change->before, change->wanted)) {
		prepare_unchanged(change);
		return;
	}
	rc = setting->check ? setting->check(change) : 0;
	if (rc) {
		change_explain_error(change, "change it", rc);
		set_state(change, CHANGE_REFUSED);
		return;
	}
	if (setting->guard)
		setting->guard(change);
	if (setting->flags & SETTING_CUTS_WAY && change->netdev_index.known &&
	    if_indextoname((unsigned int)change->netdev_index.value, netdev))
		change_guard_way(change, netdev, WAY_COMES_BACK);
	change->undo = setting->undo ? setting->undo(change)
				     : change_as_command(change, change->before);
	if (setting->persist)
		setting->persist(change);
	/* A dry run reports the users in the way, but refuses nothing. */
	if (mode & CHANGE_DRY)
		return;
	if (change_has_right(change)) {
		if (!change->disturbs.count || mode & CHANGE_FORCE)
			return;
		list = strings_join(&change->disturbs, "; ");
		change_explain(change, "--force changes it anyway", "it would disturb %s", list);
	}
	set_state(change, CHANGE_REFUSED);
}

bool changes_prepare(struct changes *changes, unsigned int mode)
{
	for (size_t i = 0; i < changes->count; i++) {
		changes->items[i].all = changes;
		prepare_one(&changes->items[i], mode);
	}
	return !changes_count(changes, CHANGE_REFUSED) && !changes_count(changes, CHANGE_FAILED);
}

/* Whether `object` is `whole` or a part of it: `eth0 vf 3` of eth0. */
static bool is_within(const char *object, const char *whole)
{
	const size_t length = strlen(whole);

	return !strncmp(object, whole, length) && (!object[length] || object[length] == ' ');
}

/*
 * Whether no earlier change of this call was made to the object; one may have altered more than its
 * own setting.
 */
static bool is_first_of_object(const struct changes *changes, const struct change *change)
{
	for (const struct change *other = changes->items; other < change; other++)
		if (is(other, CHANGE_CHANGED) &&
		    (!other->object || !change->object || is_within(change->object, other->object)))
			return false;
	return true;
}

/* Reads back what was written. `failed` is the error of writing, or 0. */
static bool verify(struct change *change, int failed)
{
	int rc = read_after(change);

	if (failed) {
		change_explain_error(change, "write it", failed);
	} else if (rc) {
		change_explain_error(change, "read it back", rc);
	} else if (!is_applied(change, change->after)) {
		change_explain(change, NULL, "it was accepted but not applied: it reads %s",
			       change->after);
		/* What the adapter has instead may do. */
		if (change->setting->is_nearest && strcmp(change->after, change->before))
			change->next_step = change_as_command(change, change->after);
	} else {
		if (strcmp(change->after, change->wanted))
			change_note(change, "%s became %s, the nearest that the adapter has",
				    change->wanted, change->after);
		/* The nearest may be the old value. */
		set_state(change, strcmp(change->after, change->before) ? CHANGE_CHANGED
									: CHANGE_UNCHANGED);
		return true;
	}
	set_state(change, failed ? CHANGE_FAILED : CHANGE_UNVERIFIED);
	return false;
}

/*
 * The same for a change that was as wanted: another change of this call may have altered it since.
 */
static bool has_stayed(struct change *change)
{
	int rc = read_after(change);

	if (rc) {
		change_explain_error(change, "read it again", rc);
	} else if (!is_applied(change, change->after)) {
		change_explain(change, "set it in another call, after the others",
			       "%s, but another change in this call or somebody else changed "
			       "it: it reads %s",
			       is(change, CHANGE_CHANGED) ? "it was set" : "it was set already",
			       change->after);
	} else {
		return true;
	}
	set_state(change, CHANGE_UNVERIFIED);
	return false;
}

/* Whether it is the value read first, or the one that an earlier change of this call gave it. */
static bool is_ours(const struct change *change, const char *value)
{
	return !strcmp(value, change->before) || (change->given && !strcmp(value, change->given));
}

/*
 * Writes the wanted value. What moves meanwhile of the changes whose turn comes later, this write
 * has taken along: the MTU of a VLAN shrinks with that of its netdev.
 */
static int write_wanted(const struct changes *changes, struct change *change)
{
	_cleanup_(freep) char **values = mem_alloc_zero(changes->count, sizeof(*values));
	_cleanup_(freep) bool *follow = mem_alloc_zero(changes->count, sizeof(*follow));
	int rc;

	if (change->setting->mark_followers)
		change->setting->mark_followers(change, follow);
	for (struct change *later = change + 1; later < changes->items + changes->count; later++)
		if (follow[later - changes->items] && is(later, CHANGE_PLANNED))
			values[later - changes->items] = peek(later);
	rc = change->setting->write(change, change->wanted);
	for (size_t i = 0; i < changes->count; i++) {
		struct change *later = &changes->items[i];
		_cleanup_(freep) char *earlier = values[i], *now = earlier ? peek(later) : NULL;

		if (!now || !strcmp(now, earlier) || !is_ours(later, earlier))
			continue;
		free(later->given);
		later->given = take(&now);
		later->taken_along = true;
	}
	return rc;
}

/* Whether nobody else has set it since. */
static bool is_as_before(const struct changes *changes, struct change *change)
{
	int rc = read_after(change);

	if (rc)
		change_explain_error(change, "read it again before writing", rc);
	else if (!is_ours(change, change->after) && is_first_of_object(changes, change))
		change_explain(change, "check it, then run the command again",
			       "%s changed it meanwhile, from %s to %s",
			       changes_count(changes, CHANGE_CHANGED)
				       ? "another change in this call or somebody else"
				       : "somebody else",
			       change->given ?: change->before, change->after);
	else
		return true;
	set_state(change, CHANGE_FAILED);
	return false;
}

static bool write_one(const struct changes *changes, struct change *change)
{
	if (!is_as_before(changes, change))
		return false;
	change->written = true;
	/* An earlier change of this call took it along, or the object was named twice. */
	if (!strcmp(change->after, change->wanted)) {
		change->taken_along = true;
		set_state(change, CHANGE_CHANGED);
		return true;
	}
	return verify(change, write_wanted(changes, change));
}

/* A failed change may have been made in part. */
static bool has_moved(const struct change *change)
{
	return change->written && !is(change, CHANGE_REVERTED) && !is(change, CHANGE_STUCK) &&
	       (is(change, CHANGE_CHANGED) || !change->after ||
		strcmp(change->after, change->before));
}

/*
 * Whether another change altered it before its turn, or while it was being undone. What the kernel
 * refused, or what was found to be somebody else's, is left to them; so is what did not exist
 * before.
 */
static bool is_altered(struct change *change)
{
	const bool theirs = !change->written &&
			    (is(change, CHANGE_FAILED) || !strcmp(change->before, CHANGE_ABSENT));
	_cleanup_(freep) char *now = NULL;

	if (is(change, CHANGE_STUCK) || (theirs && !change->given))
		return false;
	now = peek(change);
	return now && strcmp(now, change->before) && (!theirs || !strcmp(now, change->given));
}

/* Whether undoing others may still help this one. */
static bool may_wait(const struct change *change)
{
	struct change *const end = change->all->items + change->all->count;

	for (struct change *other = change->all->items; other < end; other++)
		if (other != change && (has_moved(other) || is_altered(other)))
			return true;
	return false;
}

/*
 * Sets the old value again. If that fails and is not `final`, the change may wait, and stays as it
 * is: a VLAN takes the old MTU only once the netdev below it has its own again. False: it waits.
 */
static bool undo_one(struct change *change, bool final)
{
	const bool failed = !is(change, CHANGE_CHANGED), written = change->written;
	/* From here on, the setting's explanations are about undoing it. */
	_cleanup_(freep) char *earlier = take(&change->reason), *step = take(&change->next_step);
	_cleanup_(freep) char *of_write = NULL, *of_read = NULL;
	const int rc = change->setting->write(change, change->before);
	const char *reason = "the old value was accepted but not applied";
	int read_rc;

	of_write = take(&change->reason);
	read_rc = read_after(change);
	of_read = take(&change->reason);
	free(take(&change->next_step));
	/* What was interrupted goes on (link_delete()): the value read now is not the final one. */
	if (rc != -EINTR && !read_rc && !strcmp(change->after, change->before)) {
		change->next_step = take(&step);
		if (!failed)
			set_state(change, CHANGE_REVERTED);
		change->reason = failed && earlier ? mem_format("%s; it was undone", earlier)
						   : take(&earlier);
		return true;
	}
	if (!final && rc && rc != -EINTR && may_wait(change)) {
		change->written = written;
		change->reason = take(&earlier);
		change->next_step = take(&step);
		return false;
	}
	if (rc)
		reason = of_write ? of_write : strerror(-rc);
	else if (read_rc)
		reason = of_read ? of_read : strerror(-read_rc);
	change_explain(change, change->undo, "%s%sit could not be undone: %s",
		       earlier ? earlier : "", earlier ? "; " : "", reason);
	set_state(change, CHANGE_STUCK);
	return true;
}

void changes_note_others(struct changes *changes)
{
	for_each (change, changes) {
		_cleanup_(freep) char *now = is(change, CHANGE_CHANGED) ? peek(change) : NULL;

		/* What cannot be read, undoing it explains. */
		if (now && strcmp(now, change->after) && strcmp(now, change->before))
			change_note(change, "it had become %s by the time it was to be undone",
				    now);
	}
}

bool changes_undo(struct changes *changes)
{
	bool wrote = false, final = false;
	size_t waiting = 0;

	for (size_t i = 0; i < changes->count; i++)
		wrote |= changes->items[i].written;
	/*
	 * First what was made, then also what was altered by that or by undoing it, and so on while
	 * that helps one that waits. If this call wrote nothing, it altered nothing.
	 */
	for (size_t turn = 0; turn < 1 || waiting || (turn < 2 && wrote && changes->count > 1);
	     turn++) {
		size_t tried = 0;

		waiting = 0;
		for (size_t i = changes->count; i-- > 0;) {
			struct change *change = &changes->items[i];

			if (!has_moved(change) && (!turn || !is_altered(change)))
				continue;
			tried++;
			waiting += !undo_one(change, final);
		}
		final = turn && (waiting == tried || turn >= changes->count);
	}
	return !changes_count(changes, CHANGE_STUCK);
}

/* `untried` is the index of the first change that had no turn. */
static void give_up(struct changes *changes, size_t untried)
{
	for (size_t i = untried; i < changes->count; i++)
		if (is(&changes->items[i], CHANGE_PLANNED))
			set_state(&changes->items[i], CHANGE_UNTRIED);
	changes_undo(changes);
}

/* Ends the run before this change if a signal came or its time is over. */
static bool is_ended(const struct changes *changes, struct change *change)
{
	if (!changes->ended || !changes->ended(changes->context))
		return false;
	change_explain(change, NULL, "a signal ended it, or its time was up");
	set_state(change, CHANGE_UNTRIED);
	return true;
}

/*
 * Whether a later change of the same object took it away, such as to another network namespace. Its
 * value was read while it was still here.
 */
static bool has_left(const struct changes *changes, struct change *change)
{
	const struct change *const end = changes->items + changes->count;
	_cleanup_(freep) char *now = NULL;
	bool later = false;

	for (const struct change *other = change + 1; other < end; other++)
		later |= is(other, CHANGE_CHANGED) && other->object && change->object &&
			 !strcmp(other->object, change->object);
	return later && change->setting->read(change, &now) == -ENODEV && !change->reason;
}

/*
 * Unchanged values get a turn, too, because other changes may alter them: ice resets classes when
 * the first DSCP gets a priority, and new VFs start with defaults. As the value is only restored,
 * nobody is in the way.
 */
static bool keep_one(struct changes *changes, struct change *change)
{
	_cleanup_(freep) char *now = NULL;
	int rc;

	if (!changes_count(changes, CHANGE_CHANGED) || has_left(changes, change) ||
	    change->setting->read(change, &now) || !strcmp(now, change->wanted))
		return true;
	rc = change->setting->write(change, change->wanted);
	if (!rc)
		return has_stayed(change);
	change_explain_error(change, "write it again after another change altered it", rc);
	set_state(change, CHANGE_UNVERIFIED);
	return false;
}

/* Checked before the first write, so that anything altered later was altered by this call. */
static bool are_unmoved(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		if (is(&changes->items[i], CHANGE_UNCHANGED) &&
		    !is_as_before(changes, &changes->items[i]))
			return false;
	return true;
}

static bool take_turn(struct changes *changes, struct change *change)
{
	if (is(change, CHANGE_UNCHANGED))
		return keep_one(changes, change);
	return !is(change, CHANGE_PLANNED) ||
	       (!is_ended(changes, change) && write_one(changes, change));
}

bool changes_write(struct changes *changes)
{
	const bool changed = changes_count(changes, CHANGE_PLANNED) > 0;

	if (changed && !are_unmoved(changes)) {
		give_up(changes, 0);
		return false;
	}
	for (size_t i = 0; i < changes->count; i++) {
		if (!take_turn(changes, &changes->items[i])) {
			give_up(changes, i + 1);
			return false;
		}
	}
	/* A change may have altered what another one set, or what had its value already. */
	for (size_t i = 0; changed && changes->count > 1 && i < changes->count; i++) {
		struct change *change = &changes->items[i];

		if (!has_left(changes, change) &&
		    (is(change, CHANGE_CHANGED) || is(change, CHANGE_UNCHANGED)) &&
		    !has_stayed(change)) {
			give_up(changes, changes->count);
			return false;
		}
	}
	return true;
}
