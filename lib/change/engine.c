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

size_t changes_count(const struct changes *changes, enum change_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < changes->count; i++)
		count += is(&changes->items[i], state);
	return count;
}

bool changes_have(const struct changes *changes, unsigned int flags)
{
	for (size_t i = 0; i < changes->count; i++)
		if (is(&changes->items[i], CHANGE_PLANNED) &&
		    changes->items[i].setting->flags & flags)
			return true;
	return false;
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

/* Whether a change of another object did this one as well: the MTU of a VLAN shrinks with it. */
static bool is_taken_along(const struct changes *changes, const struct change *change)
{
	return changes_count(changes, CHANGE_CHANGED) && !strcmp(change->after, change->wanted);
}

/* Whether the value is still the one read first; if not, somebody else has set it. */
static bool is_as_before(const struct changes *changes, struct change *change)
{
	int rc = read_after(change);

	if (rc)
		change_explain_error(change, "read it again before writing", rc);
	else if (strcmp(change->after, change->before) && is_first_of_object(changes, change) &&
		 !is_taken_along(changes, change))
		change_explain(change, "check it, then run the command again",
			       "%s changed it meanwhile, from %s to %s",
			       changes_count(changes, CHANGE_CHANGED)
				       ? "another change in this call or somebody else"
				       : "somebody else",
			       change->before, change->after);
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
	change->taken_along = !strcmp(change->after, change->wanted);
	if (change->taken_along) {
		set_state(change, CHANGE_CHANGED);
		return true;
	}
	return verify(change, change->setting->write(change, change->wanted));
}

/* A failed change may have been made in part. */
static bool has_moved(const struct change *change)
{
	return change->written && !is(change, CHANGE_REVERTED) &&
	       (is(change, CHANGE_CHANGED) || !change->after ||
		strcmp(change->after, change->before));
}

static char *take(char **text)
{
	char *taken = *text;

	*text = NULL;
	return taken;
}

/*
 * Sets the old value again. If `may_wait`, it stays as it is when that fails, for a later try: a
 * VLAN takes the old MTU only once the netdev below it has its own again.
 */
static void undo_one(struct change *change, bool may_wait)
{
	const bool failed = !is(change, CHANGE_CHANGED);
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
		return;
	}
	if (may_wait && rc && rc != -EINTR) {
		change->written = true;
		change->reason = take(&earlier);
		change->next_step = take(&step);
		return;
	}
	if (rc)
		reason = of_write ? of_write : strerror(-rc);
	else if (read_rc)
		reason = of_read ? of_read : strerror(-read_rc);
	change_explain(change, change->undo, "%s%sit could not be undone: %s",
		       earlier ? earlier : "", earlier ? "; " : "", reason);
	set_state(change, CHANGE_STUCK);
}

/*
 * Undoes what another change altered while it was being undone, or before this one had its turn.
 * What the kernel refused, or what was found to be somebody else's, is left to them; so is what did
 * not exist before.
 */
static void undo_again(struct change *change)
{
	_cleanup_(freep) char *now = NULL;

	if (is(change, CHANGE_STUCK) ||
	    (!change->written &&
	     (is(change, CHANGE_FAILED) || !strcmp(change->before, CHANGE_ABSENT))))
		return;
	if (!change->setting->read(change, &now) && strcmp(now, change->before))
		undo_one(change, false);
}

void changes_note_others(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		struct change *change = &changes->items[i];
		_cleanup_(freep) char *now = NULL, *reason = NULL, *step = NULL;
		int rc;

		if (!is(change, CHANGE_CHANGED))
			continue;
		rc = change->setting->read(change, &now);
		/* What cannot be read, undoing it explains. */
		reason = take(&change->reason);
		step = take(&change->next_step);
		if (!rc && strcmp(now, change->after) && strcmp(now, change->before))
			change_note(change, "somebody else had set it to %s when it was undone",
				    now);
	}
}

bool changes_undo(struct changes *changes)
{
	bool wrote = false;

	for (size_t i = changes->count; i-- > 0;) {
		wrote |= changes->items[i].written;
		if (has_moved(&changes->items[i]))
			undo_one(&changes->items[i], i > 0);
	}
	/* Those that waited for the changes before them. */
	for (size_t i = changes->count; i-- > 0;)
		if (!is(&changes->items[i], CHANGE_STUCK) && has_moved(&changes->items[i]))
			undo_one(&changes->items[i], false);
	/* If this call wrote nothing, it altered nothing. */
	for (size_t i = changes->count; wrote && changes->count > 1 && i-- > 0;)
		undo_again(&changes->items[i]);
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

		if (has_left(changes, change))
			continue;
		if ((is(change, CHANGE_CHANGED) || is(change, CHANGE_UNCHANGED)) &&
		    !has_stayed(change)) {
			give_up(changes, changes->count);
			return false;
		}
	}
	return true;
}
