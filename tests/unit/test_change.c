/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The shared code that makes changes, on settings that are held in memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/change.h"

enum { CELLS = 4 };

/* Where a made-up setting keeps its value, and how it misbehaves. */
struct cell {
	const char *value;
	int read_error, write_error; /* -errno */
	bool ignores;		     /* accepts what is written, and keeps the old value */
	bool half;		     /* fails after the value has changed */
	bool keeps;		     /* accepts the first write only, so it cannot be undone */
	bool hides;		     /* cannot be read once it was written */
	bool explains;		     /* explains itself why it cannot be read */
	const char *stranger;	     /* what somebody else writes after the first read */
	const char *user;	     /* who would be disturbed */
	int *resets;		     /* numbers of the cells that a write resets, or NULL */
	bool resets_late;	     /* only when the write is undone */
	int reads, writes;
};

static struct cell cells[CELLS];
/* The cells that were written, in order, as the letters a to d; capitals if undone. */
static char journal[32];

static struct cell *cell_of(const struct change *change)
{
	return &cells[change->object[0] - 'a'];
}

static int read_cell(struct change *change, char **ret_value)
{
	struct cell *cell = cell_of(change);

	if (cell->hides && cell->writes) {
		if (cell->explains)
			change_explain(change, NULL, "silent after write %d", cell->writes);
		return -EIO;
	}
	if (cell->read_error)
		return cell->read_error;
	if (cell->reads++ && cell->stranger) {
		cell->value = cell->stranger;
		cell->stranger = NULL;
	}
	*ret_value = mem_string(cell->value);
	return 0;
}

static int write_cell(struct change *change, const char *value)
{
	struct cell *cell = cell_of(change);
	const bool undoes = !strcmp(value, change->before);
	const char letter[] = {(char)(change->object[0] - (undoes ? 'a' - 'A' : 0)), '\0'};

	strcat(journal, letter);
	if (cell->write_error && !cell->half &&
	    (!undoes || !strcmp(change->before, change->wanted)))
		return cell->write_error;
	if (!cell->ignores && !(cell->keeps && cell->writes))
		cell->value = undoes ? change->before : change->wanted;
	cell->writes++;
	if (cell->resets && (undoes || !cell->resets_late))
		cells[*cell->resets].value = "reset";
	return undoes ? 0 : cell->write_error;
}

static void guard_cell(struct change *change)
{
	const char *user = cell_of(change)->user;

	if (user)
		change_disturbs(change, "process %s", user);
}

static const struct setting cell_setting = {
	.keyword = {"cell", "TEXT", "a made-up setting", NULL},
	.interface = "memory",
	.right = RIGHT_FILE,
	.flags = SETTING_STOPS_TRAFFIC,
	.read = read_cell,
	.write = write_cell,
	.guard = guard_cell,
	.command = "cell set",
};

static struct change_host host;

static int set_up(void **state)
{
	struct changes *changes = mem_alloc_zero(1, sizeof(*changes));

	memset(cells, 0, sizeof(cells));
	memset(journal, 0, sizeof(journal));
	for (size_t i = 0; i < CELLS; i++)
		cells[i].value = "old";
	*state = changes;
	return 0;
}

static int tear_down(void **state)
{
	changes_clear(*state);
	free(*state);
	return 0;
}

/* Requests the value "new" for the first `count` cells. */
static void want(struct changes *changes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char object[] = {(char)('a' + i), '\0'};
		struct change *change = changes_add(changes, &host, &cell_setting, object, "new");

		change->path = mem_string("/dev/null");
	}
}

static void expect_states(const struct changes *changes, const enum change_state *states)
{
	for (size_t i = 0; i < changes->count; i++)
		assert_int_equal(changes->items[i].state.value, states[i]);
}

#define EXPECT_STATES(changes, ...) expect_states(changes, (const enum change_state[]){__VA_ARGS__})

static void all_are_written_and_read_back(void **state)
{
	struct changes *changes = *state;

	cells[1].value = "new";
	want(changes, 3);
	assert_true(changes_prepare(changes, 0));
	EXPECT_STATES(changes, CHANGE_PLANNED, CHANGE_UNCHANGED, CHANGE_PLANNED);
	assert_string_equal(journal, "");
	assert_true(changes_have(changes, SETTING_STOPS_TRAFFIC));
	assert_false(changes_have(changes, SETTING_CUTS_WAY));
	assert_string_equal(changes->items[0].undo, "rdmactl cell set a cell old");
	assert_true(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_CHANGED, CHANGE_UNCHANGED, CHANGE_CHANGED);
	assert_string_equal(journal, "ac");
	assert_string_equal(changes->items[0].before, "old");
	assert_string_equal(changes->items[0].after, "new");
	assert_int_equal(changes_count(changes, CHANGE_CHANGED), 2);
	assert_true(changes_undo(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_UNCHANGED, CHANGE_REVERTED);
	assert_string_equal(journal, "acCA");
	assert_string_equal(cells[0].value, "old");
}

static void what_is_so_already_is_not_written(void **state)
{
	struct changes *changes = *state;

	cells[0].value = "new";
	cells[0].user = "1";
	want(changes, 1);
	/* Nobody is disturbed by a change that is not made. */
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_have(changes, SETTING_STOPS_TRAFFIC));
	assert_true(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_UNCHANGED);
	assert_string_equal(changes->items[0].after, "new");
	assert_null(changes->items[0].undo);
	assert_string_equal(journal, "");
}

static void note_persistence(struct change *change)
{
	change_note(change, "of what makes it last");
}

/* Notes of guard and persist are about writing; the notes of reading still apply. */
static void what_is_so_already_keeps_the_notes_of_reading(void **state)
{
	struct setting setting = cell_setting;
	struct changes *changes = *state;

	setting.persist = note_persistence;
	cells[0].value = "new";
	want(changes, 1);
	changes->items[0].setting = &setting;
	change_note(&changes->items[0], "of reading");
	assert_true(changes_prepare(changes, 0));
	assert_int_equal(changes->items[0].notes.count, 1);
	assert_string_equal(changes->items[0].notes.items[0], "of reading");
	/* It is known that nobody is disturbed. */
	assert_true(changes->items[0].disturbs.known);
}

static void one_that_cannot_be_read_fails_before_any_is_written(void **state)
{
	struct changes *changes = *state;

	cells[2].read_error = -EIO;
	want(changes, 3);
	assert_false(changes_prepare(changes, 0));
	EXPECT_STATES(changes, CHANGE_PLANNED, CHANGE_PLANNED, CHANGE_FAILED);
	assert_null(changes->items[2].before);
	assert_non_null(strstr(changes->items[2].reason, strerror(EIO)));
}

static void who_is_in_the_way_is_named(void **state)
{
	struct changes *changes = *state;

	cells[1].user = "712";
	want(changes, 2);
	assert_false(changes_prepare(changes, 0));
	EXPECT_STATES(changes, CHANGE_PLANNED, CHANGE_REFUSED);
	assert_string_equal(changes->items[1].reason, "it would disturb process 712");
	assert_int_equal(changes->items[1].disturbs.count, 1);
}

static void a_dry_run_names_them_and_refuses_nothing(void **state)
{
	struct changes *changes = *state;

	cells[0].user = "712";
	want(changes, 1);
	assert_true(changes_prepare(changes, CHANGE_DRY));
	EXPECT_STATES(changes, CHANGE_PLANNED);
	assert_int_equal(changes->items[0].disturbs.count, 1);
	assert_null(changes->items[0].reason);
	assert_string_equal(journal, "");
}

static void force_goes_on_and_still_names_them(void **state)
{
	struct changes *changes = *state;

	cells[0].user = "712";
	want(changes, 1);
	assert_true(changes_prepare(changes, CHANGE_FORCE));
	assert_int_equal(changes->items[0].disturbs.count, 1);
	assert_true(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_CHANGED);
}

static void a_missing_right_refuses_unless_nothing_is_done(void **state)
{
	struct changes *changes = *state;

	want(changes, 1);
	free(changes->items[0].path);
	changes->items[0].path = mem_string("/nonexistent/file");
	assert_true(changes_prepare(changes, CHANGE_DRY));
	EXPECT_STATES(changes, CHANGE_PLANNED);
	free(changes->items[0].before);
	free(changes->items[0].undo);
	changes->items[0].before = changes->items[0].undo = NULL;
	assert_false(changes_prepare(changes, CHANGE_FORCE));
	EXPECT_STATES(changes, CHANGE_REFUSED);
	/* It was there when the value was read, and no privilege makes up for a missing file. */
	assert_string_equal(changes->items[0].reason, "cannot write it: the object has gone away");
	assert_string_equal(changes->items[0].next_step,
			    "rdmactl devices lists the devices that exist");
}

static void those_before_a_failure_are_undone_in_reverse(void **state)
{
	struct changes *changes = *state;

	cells[2].write_error = -EBUSY;
	want(changes, 4);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_REVERTED, CHANGE_FAILED, CHANGE_UNTRIED);
	assert_string_equal(journal, "abcBA");
	for (size_t i = 0; i < CELLS; i++)
		assert_string_equal(cells[i].value, "old");
}

static void one_that_failed_half_way_is_undone_too(void **state)
{
	struct changes *changes = *state;

	cells[1].write_error = -EIO;
	cells[1].half = true;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED);
	assert_string_equal(journal, "abBA");
	assert_string_equal(cells[1].value, "old");
	assert_non_null(strstr(changes->items[1].reason, strerror(EIO)));
}

static void a_kernel_that_says_yes_and_does_nothing_has_failed(void **state)
{
	struct changes *changes = *state;

	cells[1].ignores = true;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_UNVERIFIED);
	/* A value that did not move is not written again. */
	assert_string_equal(journal, "abA");
	assert_non_null(strstr(changes->items[1].reason, "it reads old"));
}

static void a_change_that_undoes_an_earlier_one_is_noticed(void **state)
{
	struct changes *changes = *state;
	int first = 0;

	cells[1].resets = &first;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	assert_int_equal(changes->items[0].state.value, CHANGE_UNVERIFIED);
	assert_string_equal(changes->items[0].reason,
			    "it was set, but another change in this call or somebody else changed "
			    "it: it reads reset; it was undone");
	assert_int_equal(changes->items[1].state.value, CHANGE_REVERTED);
	assert_string_equal(cells[0].value, "old");
	assert_string_equal(cells[1].value, "old");
}

/* What is deleted cannot be deleted again: `link del rxe0 rxe0`. */
static void what_an_earlier_one_made_is_not_written(void **state)
{
	static const enum change_state done[] = {CHANGE_CHANGED, CHANGE_CHANGED};
	static const enum change_state undone[] = {CHANGE_REVERTED, CHANGE_REVERTED};
	struct changes *changes = *state;

	want(changes, 1);
	want(changes, 1);
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	expect_states(changes, done);
	assert_string_equal(journal, "a");
	assert_true(changes_undo(changes));
	expect_states(changes, undone);
	assert_string_equal(cells[0].value, "old");
}

/* A setting that had its value already but lost it to the other changes has failed. */
static void what_was_so_already_may_be_moved(void **state)
{
	struct changes *changes = *state;
	int first = 0;

	cells[1].resets = &first;
	cells[0].value = "new";
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	EXPECT_STATES(changes, CHANGE_UNCHANGED, CHANGE_PLANNED);
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_UNVERIFIED, CHANGE_REVERTED);
	assert_string_equal(changes->items[0].reason,
			    "it was set already, but another change in this call or somebody else "
			    "changed it: it reads reset; it was undone");
	assert_string_equal(changes->items[0].next_step,
			    "set it in another call, after the others");
	/* Both have their old values. */
	assert_string_equal(journal, "bBA");
	assert_string_equal(cells[0].value, "new");
	assert_string_equal(cells[1].value, "old");
}

/* A value that was moved before its turn is written again, to keep the order of the words. */
static void what_was_so_already_is_kept(void **state)
{
	struct changes *changes = *state;
	int second = 1;

	cells[0].resets = &second;
	cells[1].value = "new";
	want(changes, 3);
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_CHANGED, CHANGE_UNCHANGED, CHANGE_CHANGED);
	assert_string_equal(journal, "aBc");
	assert_string_equal(cells[1].value, "new");
	/* Undoing the first change moves it once more. */
	assert_true(changes_undo(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_UNCHANGED, CHANGE_REVERTED);
	assert_string_equal(journal, "aBcCAB");
	assert_string_equal(cells[1].value, "new");
}

static void what_was_so_already_cannot_be_kept(void **state)
{
	struct changes *changes = *state;
	_cleanup_(freep) char *reason = mem_format("cannot write it again after another change "
						   "altered it: %s; it could not be undone: %s",
						   strerror(EPERM), strerror(EPERM));
	int second = 1;

	cells[0].resets = &second;
	cells[1].value = "new";
	cells[1].write_error = -EPERM;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_STUCK);
	assert_string_equal(changes->items[1].reason, reason);
}

/* The value is theirs: nothing is written, and nothing reset. */
static void what_was_so_already_is_taken(void **state)
{
	struct changes *changes = *state;

	cells[1].value = "new";
	cells[1].stranger = "theirs";
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_UNTRIED, CHANGE_FAILED);
	assert_string_equal(changes->items[1].reason,
			    "somebody else changed it meanwhile, from new to theirs");
	assert_string_equal(journal, "");
	assert_string_equal(cells[1].value, "theirs");
}

static void what_was_so_already_may_be_lost(void **state)
{
	struct changes *changes = *state;
	_cleanup_(freep) char *reason = mem_format("cannot read it again before writing: %s",
						   strerror(EIO));

	cells[1].value = "new";
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	cells[1].read_error = -EIO;
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_UNTRIED, CHANGE_FAILED);
	assert_string_equal(changes->items[1].reason, reason);
	assert_string_equal(journal, "");
}

/* Undoing the first change moves the second, which was undone before it. */
static void what_undoing_moves_is_undone_again(void **state)
{
	struct changes *changes = *state;
	int second = 1;

	cells[0].resets = &second;
	cells[0].resets_late = true;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	assert_true(changes_undo(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_REVERTED);
	assert_string_equal(journal, "abBAB");
	assert_string_equal(cells[1].value, "old");
}

/* How often one was undone in vain. */
static int in_vain;

/* As settings do that make what somebody else may have made at the same time. */
static int write_but_not_back(struct change *change, const char *value)
{
	if (strcmp(value, change->before)) {
		cell_of(change)->value = change->wanted;
		return 0;
	}
	in_vain++;
	change->written = false;
	return -EBUSY;
}

/*
 * The MTUs of a netdev, of a VLAN on it, and of one on that: none is above the one below it, and
 * all shrink with those below.
 */
enum { FLOORS = 3 };

static struct {
	unsigned int mtus[FLOORS];
	int half;	  /* this one is written, and fails */
	int fails;	  /* how often the second one cannot be read */
	int undos;	  /* of the second one */
	unsigned int set; /* what somebody else sets the second one to */
	int when;	  /* before this turn */
	bool vetoed;	  /* the first one fails when those above it have followed */
	bool hides;	  /* the first one cannot be read */
} tower;

static int read_floor(struct change *change, char **ret_value)
{
	const int floor = change->object[0] - '0';

	if ((!floor && tower.hides) || (floor == 1 && tower.fails && tower.fails--))
		return -EIO;
	*ret_value = mem_format("%u", tower.mtus[floor]);
	return 0;
}

static int write_floor(struct change *change, const char *value)
{
	const int floor = change->object[0] - '0';
	const bool undoes = !strcmp(value, change->before);
	const unsigned int mtu = (unsigned int)atoi(value);

	tower.undos += undoes && floor == 1;
	if (floor && mtu > tower.mtus[floor - 1])
		return change_fail(change, -EINVAL, "raise the other", "too much");
	for (int i = floor + 1; i < FLOORS; i++)
		if (tower.mtus[i] > mtu)
			tower.mtus[i] = mtu;
	if (!floor && tower.vetoed)
		return -EBUSY;
	tower.mtus[floor] = mtu;
	if (!undoes && floor == tower.half)
		return change_fail(change, -EIO, "look at it", "half done");
	return 0;
}

static void mark_floors(const struct change *change, bool *marks)
{
	for (size_t i = 0; i < change->all->count; i++)
		marks[i] = change->all->items[i].object[0] > change->object[0];
}

static const struct setting floor_setting = {
	.keyword = {"floor", "NUMBER", "a made-up MTU", NULL},
	.right = RIGHT_OPEN,
	.read = read_floor,
	.write = write_floor,
	.mark_followers = mark_floors,
	.command = "floor set",
};

/* Begins a list for a tower of 9000 bytes everywhere. */
static void begin_tower(struct changes *changes)
{
	changes_clear(changes);
	memset(&tower, 0, sizeof(tower));
	tower.half = -1;
	for (int i = 0; i < FLOORS; i++)
		tower.mtus[i] = 9000;
}

static void want_floor(struct changes *changes, int floor, int mtu)
{
	const char object[] = {(char)('0' + floor), '\0'};
	_cleanup_(freep) char *value = mem_format("%d", mtu);

	changes_add(changes, &host, &floor_setting, object, value);
}

static void assert_tower(unsigned int first, unsigned int second)
{
	assert_int_equal(tower.mtus[0], first);
	assert_int_equal(tower.mtus[1], second);
}

/*
 * Whatever the order of the three, and whether the upper ones get the same value or less: another
 * change fails between them or at the end (`place`), or all are undone.
 */
static void try_tower(struct changes *changes, const int *order, const int *mtus, size_t place)
{
	const bool fails = place <= FLOORS;

	begin_tower(changes);
	*journal = '\0';
	cells[0] = (struct cell){.value = "old", .write_error = -EBUSY};
	for (size_t i = 0; i <= FLOORS; i++) {
		if (i == place)
			want(changes, 1);
		if (i < FLOORS)
			want_floor(changes, order[i], mtus[order[i]]);
	}
	assert_true(changes_prepare(changes, 0));
	assert_int_equal(changes_write(changes), !fails);
	if (!fails) {
		assert_tower((unsigned int)mtus[0], (unsigned int)mtus[1]);
		assert_int_equal(tower.mtus[2], mtus[2]);
		assert_int_equal(changes_count(changes, CHANGE_CHANGED), FLOORS);
		assert_true(changes_undo(changes));
	}
	assert_tower(9000, 9000);
	assert_int_equal(tower.mtus[2], 9000);
	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->items[i];

		assert_int_equal(change->state.value, i < place	   ? CHANGE_REVERTED
						      : i == place ? CHANGE_FAILED
								   : CHANGE_UNTRIED);
		if (i == place)
			continue;
		assert_null(change->reason);
		assert_null(change->next_step);
	}
}

static void some_that_take_others_along(void **state)
{
	static const int orders[][FLOORS] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
					     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	static const int mtus[][FLOORS] = {
		{4200, 4200, 4200}, {4200, 1500, 1500}, {4200, 1500, 1400}, {4200, 4200, 1500}};

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		for (size_t j = 0; j < ARRAY_SIZE(mtus); j++)
			for (size_t place = 0; place <= FLOORS + 1; place++)
				try_tower(*state, orders[i], mtus[j], place);
}

/* Only what moved while an earlier change was written is ours, and only from our value. */
static bool set_by_somebody(void *context)
{
	int *turn = context;

	if (++*turn != tower.when)
		return false;
	if (tower.set)
		tower.mtus[1] = tower.set;
	else
		tower.fails = 1;
	return false;
}

static void one_taken_along_is_ours_alone(void **state)
{
	static const struct {
		unsigned int set;
		int when;
		int wanted;
		unsigned int left;  /* at last */
		const char *reason; /* NULL: it could not be read */
	} rows[] = {
		{0, 2, 1500, 9000, NULL},
		{2000, 2, 1500, 2000,
		 "another change in this call or somebody else changed it meanwhile, from 4200 to "
		 "2000"},
		{1500, 2, 1500, 1500,
		 "another change in this call or somebody else changed it meanwhile, from 4200 to "
		 "1500"},
		{8000, 1, 1500, 4200,
		 "another change in this call or somebody else changed it meanwhile, from 9000 to "
		 "4200"},
		{4200, 1, 4200, 4200,
		 "another change in this call or somebody else changed it meanwhile, from 9000 to "
		 "4200"},
	};
	_cleanup_(freep) char *unread = mem_format(
		"cannot read it again before writing: %s; it was undone", strerror(EIO));
	struct changes *changes = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int turn = 0;

		begin_tower(changes);
		tower.set = rows[i].set;
		tower.when = rows[i].when;
		want_floor(changes, 0, 4200);
		want_floor(changes, 1, rows[i].wanted);
		changes->ended = set_by_somebody;
		changes->context = &turn;
		assert_true(changes_prepare(changes, 0));
		assert_false(changes_write(changes));
		EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED);
		assert_string_equal(changes->items[1].reason, rows[i].reason ?: unread);
		assert_tower(9000, rows[i].left);
	}
}

/* What is known of a failure is still told when undoing it had to wait. */
static void one_that_failed_waits_to_be_undone(void **state)
{
	struct changes *changes = *state;

	begin_tower(changes);
	tower.half = 1;
	want_floor(changes, 0, 4200);
	want_floor(changes, 1, 1500);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED);
	assert_string_equal(changes->items[1].reason, "half done; it was undone");
	assert_string_equal(changes->items[1].next_step, "look at it");
	assert_int_equal(tower.undos, 2);
	assert_tower(9000, 9000);
	/* The command that undoes it comes after that of the other as well. */
	assert_false(changes->items[0].taken_along);
	assert_true(changes->items[1].taken_along);
}

/* The first one is refused only after those above it have shrunk. */
static void one_that_fails_may_take_others_along(void **state)
{
	struct changes *changes = *state;

	begin_tower(changes);
	tower.vetoed = true;
	for (int i = 0; i < FLOORS; i++)
		want_floor(changes, i, 4200);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_FAILED, CHANGE_UNTRIED, CHANGE_UNTRIED);
	assert_tower(9000, 9000);
	assert_int_equal(tower.mtus[2], 9000);
}

/* Whether the first one is undone cannot be seen, but the second one can be undone after it. */
static void one_waits_for_what_cannot_be_read(void **state)
{
	struct changes *changes = *state;

	begin_tower(changes);
	want_floor(changes, 0, 4200);
	want_floor(changes, 1, 1500);
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	tower.hides = true;
	assert_false(changes_undo(changes));
	EXPECT_STATES(changes, CHANGE_STUCK, CHANGE_REVERTED);
	assert_tower(9000, 9000);
}

/* Two that alter each other while they are undone, and one that hopes for them: it ends. */
static void hope_ends(void **state)
{
	struct changes *changes = *state;
	struct setting setting = cell_setting;
	int first = 0, second = 1;

	setting.write = write_but_not_back;
	cells[0].resets = &second;
	cells[1].resets = &first;
	cells[0].resets_late = cells[1].resets_late = true;
	in_vain = 0;
	want(changes, 3);
	changes->items[2].setting = &setting;
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	assert_false(changes_undo(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_REVERTED, CHANGE_STUCK);
	assert_int_equal(in_vain, 5);
}

static void mark_last(const struct change *change, bool *marks)
{
	marks[change->all->count - 1] = true;
}

/* Reading all others with each write would make a list of hundreds take minutes. */
static void only_followers_are_read_with_each_write(void **state)
{
	struct changes *changes = *state;
	struct setting setting = cell_setting;
	int reads[CELLS];

	for (int follows = 0; follows < 2; follows++) {
		for (size_t i = 0; i < CELLS; i++)
			cells[i] = (struct cell){.value = "old"};
		setting.mark_followers = follows ? mark_last : NULL;
		changes_clear(changes);
		want(changes, CELLS);
		for (size_t i = 0; i < CELLS; i++)
			changes->items[i].setting = &setting;
		assert_true(changes_prepare(changes, 0));
		assert_true(changes_write(changes));
		for (size_t i = 0; i < CELLS; i++) {
			const int more = follows && i == CELLS - 1 ? 2 * (CELLS - 1) : 0;

			if (follows)
				assert_int_equal(cells[i].reads, reads[i] + more);
			reads[i] = cells[i].reads;
		}
	}
}

/* Somebody else sets the same as is wanted, of an object that has nothing to do with the first. */
static void what_somebody_set_alike_is_theirs(void **state)
{
	struct changes *changes = *state;

	cells[1].stranger = "new";
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED);
	assert_string_equal(changes->items[1].reason,
			    "another change in this call or somebody else changed it meanwhile, "
			    "from old to new");
	assert_string_equal(cells[1].value, "new");
	assert_string_equal(journal, "aA");
	/* It follows nothing, so it was read beforehand and for its turn only. */
	assert_int_equal(cells[1].reads, 2);
}

/* It is tried again only after others were undone that could have been in its way. */
static void one_that_can_never_be_undone(void **state)
{
	struct changes *changes = *state;
	struct setting setting = cell_setting;
	_cleanup_(freep) char *reason = mem_format("it could not be undone: %s", strerror(EBUSY));

	setting.write = write_but_not_back;
	for (size_t i = 0; i < 2; i++) {
		changes_clear(changes);
		cells[!i].value = "old";
		cells[i].value = CHANGE_ABSENT;
		in_vain = 0;
		want(changes, 2);
		changes->items[i].setting = &setting;
		assert_true(changes_prepare(changes, 0));
		assert_true(changes_write(changes));
		assert_false(changes_undo(changes));
		assert_int_equal(in_vain, i ? 2 : 1);
		assert_int_equal(changes->items[!i].state.value, CHANGE_REVERTED);
		assert_int_equal(changes->items[i].state.value, CHANGE_STUCK);
		assert_string_equal(changes->items[i].reason, reason);
		assert_string_equal(changes->items[i].next_step,
				    i ? "rdmactl cell set b cell absent"
				      : "rdmactl cell set a cell absent");
	}
}

static bool has_left_us;

static int read_place(struct change *change, char **ret_value)
{
	(void)change;
	*ret_value = mem_string(has_left_us ? "there" : "here");
	return 0;
}

static int write_place(struct change *change, const char *value)
{
	(void)change;
	has_left_us = !strcmp(value, "there");
	cells[0].read_error = has_left_us ? -ENODEV : 0;
	return 0;
}

/*
 * A device gets its name and then enters another network namespace; for others, leaving is a loss.
 */
static void one_that_leaves_is_not_read_any_more(void **state)
{
	struct changes *changes = *state;
	struct setting leave = cell_setting;

	leave.read = read_place;
	leave.write = write_place;
	for (size_t i = 0; i < 2; i++) {
		changes_clear(changes);
		has_left_us = false;
		cells[0] = (struct cell){.value = "old"};
		want(changes, 1);
		changes_add(changes, &host, &leave, i ? "b" : "a", "there");
		changes->items[1].path = mem_string("/dev/null");
		assert_true(changes_prepare(changes, 0));
		assert_int_equal(changes_write(changes), !i);
		if (i)
			continue;
		EXPECT_STATES(changes, CHANGE_CHANGED, CHANGE_CHANGED);
		assert_true(changes_undo(changes));
		EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_REVERTED);
		assert_string_equal(cells[0].value, "old");
	}
}

/*
 * A failed write may have been partly effective; if the value cannot be read either, nobody knows.
 */
static void what_failed_and_cannot_be_read_is_undone(void **state)
{
	struct changes *changes = *state;
	_cleanup_(freep) char *reason = mem_format(
		"cannot write it: %s; it could not be undone: %s", strerror(EPERM), strerror(EIO));

	cells[0].hides = cells[0].half = true;
	cells[0].write_error = -EPERM;
	want(changes, 1);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_STUCK);
	assert_string_equal(changes->items[0].reason, reason);
	assert_null(changes->items[0].after);
	assert_string_equal(journal, "aA");
	assert_string_equal(cells[0].value, "old");
}

static void another_writer_is_told(void **state)
{
	struct changes *changes = *state;

	cells[0].stranger = "theirs";
	want(changes, 1);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_FAILED);
	assert_string_equal(changes->items[0].reason,
			    "somebody else changed it meanwhile, from old to theirs");
	/* The value is theirs now: neither written nor reset. */
	assert_string_equal(journal, "");
	assert_string_equal(cells[0].value, "theirs");
}

static void what_cannot_be_undone_is_told(void **state)
{
	struct changes *changes = *state;

	cells[0].keeps = true;
	cells[1].write_error = -EPERM;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_STUCK, CHANGE_FAILED);
	assert_string_equal(changes->items[0].next_step, "rdmactl cell set a cell old");
	assert_string_equal(changes->items[0].reason,
			    "it could not be undone: the old value was accepted but not applied");
}

/* A write that may have been effective is undone, although that cannot be seen either. */
static int write_but_fail(struct change *change, const char *value, int error)
{
	if (!strcmp(value, change->before)) {
		in_vain++;
		change_explain(change, "do this", "it fails");
		return error;
	}
	cell_of(change)->value = change->wanted;
	return 0;
}

static int write_gone(struct change *change, const char *value)
{
	return write_but_fail(change, value, -ENODEV);
}

static int write_interrupted(struct change *change, const char *value)
{
	return write_but_fail(change, value, -EINTR);
}

/* A created device that was gone before it was to be deleted: the old state is restored. */
static void what_went_by_itself_is_undone(void **state)
{
	static const struct {
		int (*write)(struct change *change, const char *value);
		const char *later; /* value when it is to be undone */
		enum change_state state;
	} rows[] = {
		{write_gone, "old", CHANGE_REVERTED},
		{write_gone, "new", CHANGE_STUCK},
		{write_interrupted, "old", CHANGE_STUCK},
	};
	struct changes *changes = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct setting setting = cell_setting;

		setting.write = rows[i].write;
		changes_clear(changes);
		cells[0].value = "old";
		want(changes, 1);
		changes->items[0].setting = &setting;
		assert_true(changes_prepare(changes, 0));
		assert_true(changes_write(changes));
		cells[0].value = rows[i].later;
		assert_int_equal(changes_undo(changes), rows[i].state == CHANGE_REVERTED);
		assert_int_equal(changes->items[0].state.value, rows[i].state);
		assert_int_equal(changes->items[0].reason != NULL, rows[i].state == CHANGE_STUCK);
		if (rows[i].state == CHANGE_REVERTED)
			assert_null(changes->items[0].next_step);
	}
}

/* What goes on in the kernel is not written once more while it does. */
static void what_is_interrupted_is_not_tried_again(void **state)
{
	struct changes *changes = *state;
	struct setting setting = cell_setting;

	setting.write = write_interrupted;
	in_vain = 0;
	want(changes, 2);
	changes->items[1].setting = &setting;
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	assert_false(changes_undo(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_STUCK);
	assert_string_equal(changes->items[1].reason, "it could not be undone: it fails");
	assert_int_equal(in_vain, 1);
}

static int explain_but_not_read(struct change *change, char **ret_value)
{
	(void)ret_value;
	return change_fail(change, -EIO, "try again", "it hides");
}

/* Only changes that were made are lost to whoever altered them; nothing else is said of them. */
static void what_others_did_is_noted(void **state)
{
	struct changes *changes = *state;
	struct setting hidden = cell_setting;

	hidden.read = explain_but_not_read;
	cells[2].value = "new";
	want(changes, 4);
	assert_true(changes_prepare(changes, 0));
	assert_true(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_CHANGED, CHANGE_CHANGED, CHANGE_UNCHANGED, CHANGE_CHANGED);
	cells[1].value = cells[2].value = "theirs";
	changes->items[3].setting = &hidden;
	changes_note_others(changes);
	assert_int_equal(changes->items[0].notes.count, 0);
	assert_int_equal(changes->items[1].notes.count, 1);
	assert_string_equal(changes->items[1].notes.items[0],
			    "it had become theirs by the time it was to be undone");
	assert_int_equal(changes->items[2].notes.count, 0);
	assert_int_equal(changes->items[3].notes.count, 0);
	assert_null(changes->items[3].reason);
	assert_null(changes->items[3].next_step);
}

static void one_that_cannot_be_read_back_is_undone(void **state)
{
	struct changes *changes = *state;
	char reason[128];

	cells[1].hides = true;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_STUCK);
	assert_string_equal(journal, "abBA");
	assert_string_equal(cells[1].value, "old");
	snprintf(reason, sizeof(reason), "cannot read it back: %s; it could not be undone: %s",
		 strerror(EIO), strerror(EIO));
	assert_string_equal(changes->items[1].reason, reason);
}

/* The setting explains the change and the undoing differently. */
static void both_reasons_are_told(void **state)
{
	struct changes *changes = *state;

	cells[0].hides = cells[0].explains = true;
	want(changes, 1);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_STUCK);
	assert_string_equal(changes->items[0].reason,
			    "silent after write 1; it could not be undone: silent after write 2");
}

/* Two that have their values already: the first turns out to be theirs, and so does the second. */
static void nothing_is_set_back_if_nothing_was_written(void **state)
{
	struct changes *changes = *state;

	cells[0].value = cells[1].value = "new";
	want(changes, 3);
	assert_true(changes_prepare(changes, 0));
	cells[0].value = cells[1].value = "theirs";
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_FAILED, CHANGE_UNCHANGED, CHANGE_UNTRIED);
	assert_string_equal(journal, "");
	assert_string_equal(cells[1].value, "theirs");
}

/* The first change moves the last one, whose turn never comes. */
static void what_was_moved_before_its_turn_is_undone(void **state)
{
	struct changes *changes = *state;
	int third = 2;

	cells[0].resets = &third;
	cells[1].write_error = -EPERM;
	want(changes, 3);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED, CHANGE_UNTRIED);
	assert_string_equal(cells[2].value, "old");
	assert_string_equal(journal, "abAC");
}

/* A change that fails half way, is undone, and moves again when the first is undone. */
static void what_failed_is_undone_again(void **state)
{
	struct changes *changes = *state;
	int second = 1;

	cells[0].resets = &second;
	cells[0].resets_late = true;
	cells[1].write_error = -EIO;
	cells[1].half = true;
	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED);
	assert_string_equal(cells[1].value, "old");
}

/* What somebody else made meanwhile is not deleted because another change failed. */
static void what_was_absent_and_untried_is_theirs(void **state)
{
	struct changes *changes = *state;

	cells[1].write_error = -EPERM;
	cells[2].value = CHANGE_ABSENT;
	want(changes, 3);
	assert_true(changes_prepare(changes, 0));
	cells[2].value = "theirs";
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED, CHANGE_UNTRIED);
	assert_string_equal(cells[2].value, "theirs");
}

/* A signal after the first change is written. */
static bool ends_after_one(void *context)
{
	return ++*(int *)context > 1;
}

static void a_signal_between_two_undoes_the_first(void **state)
{
	struct changes *changes = *state;
	int asked = 0;

	want(changes, 3);
	changes->ended = ends_after_one;
	changes->context = &asked;
	assert_true(changes_prepare(changes, 0));
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_UNTRIED, CHANGE_UNTRIED);
	assert_string_equal(journal, "aA");
	assert_string_equal(changes->items[1].reason, "a signal ended it, or its time was up");
	assert_null(changes->items[2].reason);
}

/* Whatever a name contains, it reaches a terminal only when cleaned. */
static void sentences_are_clean(void **state)
{
	struct change change = {.reason = NULL};

	(void)state;
	assert_int_equal(change_fail(&change, -EBUSY, "wait", "a %s b", "\033[31m"), -EBUSY);
	assert_string_equal(change.reason, "a \\x1b[31m b");
	assert_string_equal(change.next_step, "wait");
	change_note(&change, "%s", "\n");
	change_note(&change, "%s", "\n");
	change_disturbs(&change, "%s", "\x7f");
	assert_int_equal(change.notes.count, 1);
	assert_string_equal(change.notes.items[0], "\\x0a");
	assert_string_equal(change.disturbs.items[0], "\\x7f");
	free(change.reason);
	free(change.next_step);
	strings_free(&change.notes);
	strings_free(&change.disturbs);
}

static void a_command_is_quoted_for_the_shell(void **state)
{
	struct changes *changes = *state;
	char *command;

	want(changes, 1);
	command = change_as_command(&changes->items[0], "it's $HOME");
	assert_string_equal(command, "rdmactl cell set a cell 'it'\\''s $HOME'");
	free(command);
}

/* systemd.service(5), COMMAND LINES: no path before 239; % and $ are escaped, in quotes too. */
static void a_command_is_a_line_of_a_unit(void **state)
{
	static const char *const rows[][2] = {
		{"rdmactl link add a", "rdmactl link add a"},
		{"rdmactl a 'b c' d", "rdmactl a 'b c' d"},
		{"rdmactl 'it'\\''s' '5%'", "rdmactl 'it\\'s' '5%%'"},
		{"rdmactl '\\'\\''$a\\'", "rdmactl '\\\\\\'$$a\\\\'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *line = change_exec_start(rows[i][0]);
		_cleanup_(freep) char *expected = mem_format("ExecStart=/usr/bin/env %s",
							     rows[i][1]);

		assert_string_equal(line, expected);
	}
}

/* systemd.unit(5), STRING ESCAPING FOR INCLUSION IN UNIT NAMES */
static void a_name_is_part_of_a_unit(void **state)
{
	static const struct {
		const char *name, *part, *path;
	} rows[] = {
		{"ens1f0np0", "ens1f0np0", "ens1f0np0"},   {"bond0.100", "bond0.100", "bond0.100"},
		{"br-lan", "br-lan", "br\\x2dlan"},	   {"eth%n", "eth\\x25n", "eth\\x25n"},
		{"a@b\\", "a\\x40b\\x5c", "a\\x40b\\x5c"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *part = change_escape_unit(rows[i].name, false);
		_cleanup_(freep) char *path = change_escape_unit(rows[i].name, true);

		assert_string_equal(part, rows[i].part);
		assert_string_equal(path, rows[i].path);
	}
}

/* The text for each error at each step, if the setting does not explain it. */
static void reasons(void **state)
{
	_cleanup_(freep) char *no_netlink = mem_format("there is no netlink for it: %s",
						       strerror(EPROTONOSUPPORT));
	const struct {
		int error;
		const char *reason, *next_step; /* NULL: the text of the error */
		struct number netdev_index;
	} rows[] = {
		{-EPROTONOSUPPORT, no_netlink,
		 "load ib_core, or the driver of the adapter; a container or service may be denied "
		 "netlink"},
		{-ENODEV, "the object has gone away",
		 "rdmactl devices lists the devices that exist"},
		{-ENODEV,
		 "the object has gone away",
		 "rdmactl netdevs lists the netdevs that exist",
		 {true, 7}},
		{-EBUSY, NULL, NULL},
	};
	struct changes *changes = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *words = rows[i].reason ? rows[i].reason : strerror(-rows[i].error);
		_cleanup_(freep) char *reading = mem_format("cannot read it: %s", words);
		_cleanup_(freep) char *writing = mem_format("cannot write it: %s", words);

		for (int writes = 0; writes < 2; writes++) {
			struct change *change;

			changes_clear(changes);
			cells[0] = (struct cell){.value = "old"};
			cells[0].read_error = writes ? 0 : rows[i].error;
			cells[0].write_error = writes ? rows[i].error : 0;
			want(changes, 1);
			change = &changes->items[0];
			change->netdev_index = rows[i].netdev_index;
			assert_int_equal(changes_prepare(changes, 0), writes);
			assert_int_equal(changes_write(changes), !writes);
			EXPECT_STATES(changes, CHANGE_FAILED);
			assert_string_equal(change->reason, writes ? writing : reading);
			if (rows[i].next_step)
				assert_string_equal(change->next_step, rows[i].next_step);
			else
				assert_null(change->next_step);
		}
	}
}

/* A setting that cannot be read any more just before it is written. */
static void gone_before_writing(void **state)
{
	struct changes *changes = *state;
	_cleanup_(freep) char *reason = mem_format("cannot read it again before writing: %s",
						   strerror(EIO));

	want(changes, 2);
	assert_true(changes_prepare(changes, 0));
	cells[1].read_error = -EIO;
	assert_false(changes_write(changes));
	EXPECT_STATES(changes, CHANGE_REVERTED, CHANGE_FAILED);
	assert_string_equal(changes->items[1].reason, reason);
	assert_string_equal(journal, "aA");
}

static int does_not_fit(struct change *change)
{
	if (cell_of(change)->explains)
		change_explain(change, "take another", "it does not fit");
	return -EINVAL;
}

static int cannot_parse(struct change *change, const char *text, char **ret_value)
{
	(void)change, (void)ret_value;
	return !strcmp(text, "odd") ? -EINVAL : -EIO;
}

/* A setting need not explain why it does not take a value. */
static void no_values(void **state)
{
	struct setting setting = cell_setting;
	_cleanup_(freep) char *broken = mem_format("cannot read cell: %s", strerror(EIO));
	struct change *change;
	char *value = NULL;

	setting.parse = cannot_parse;
	change = changes_add(*state, &host, &setting, "a", NULL);
	assert_int_equal(change_parse(change, "odd", &value), -EINVAL);
	assert_string_equal(change->reason, "'odd' is not a value of cell");
	change = changes_add(*state, &host, &setting, "b", NULL);
	assert_int_equal(change_parse(change, "even", &value), -EIO);
	assert_string_equal(change->reason, broken);
	assert_null(value);
	changes_clear(*state);
}

/* A value that does not fit is refused before users are looked for, also in a dry run. */
static void misfits(void **state)
{
	struct changes *changes = *state;
	struct setting setting = cell_setting;
	_cleanup_(freep) char *reason = mem_format("cannot change it: %s", strerror(EINVAL));

	setting.check = does_not_fit;
	cells[0].explains = true;
	cells[0].user = "712";
	changes_add(changes, &host, &setting, "a", "new");
	changes_add(changes, &host, &setting, "b", "new");
	assert_false(changes_prepare(changes, CHANGE_DRY));
	EXPECT_STATES(changes, CHANGE_REFUSED, CHANGE_REFUSED);
	assert_string_equal(changes->items[0].reason, "it does not fit");
	assert_string_equal(changes->items[0].next_step, "take another");
	assert_string_equal(changes->items[1].reason, reason);
	assert_int_equal(changes->items[0].disturbs.count, 0);
	assert_null(changes->items[0].undo);
}

/*
 * An earlier change of the same object, or of the host, may have moved other values; a change of
 * another object has not, nor has one that was not made.
 */
static void moved_by_another(void **state)
{
	static const struct {
		const char *first, *second;
		bool refused, good;
	} rows[] = {
		{"a", "b", false, false},
		{"a1", "a1", false, true},
		{"a1", "a1", true, false},
		{"a1", "a1 vf 3", false, true},
	};
	struct changes *changes = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct setting once = cell_setting;

		once.keyword.word = "other";
		changes_clear(changes);
		memset(cells, 0, sizeof(cells));
		for (size_t j = 0; j < CELLS; j++)
			cells[j].value = "old";
		changes_add(changes, &host, &cell_setting, rows[i].first, "new");
		changes_add(changes, &host, &once, rows[i].second, "new");
		for (size_t j = 0; j < 2; j++)
			changes->items[j].path = mem_string("/dev/null");
		assert_true(changes_prepare(changes, 0));
		if (rows[i].refused)
			number_set(&changes->items[0].state, CHANGE_REFUSED);
		if (!rows[i].good)
			cells[rows[i].second[0] - 'a'].value = "theirs";
		assert_int_equal(changes_write(changes), rows[i].good);
		/* A bond sets the MTU of its members, which are other objects. */
		if (!rows[i].good)
			assert_string_equal(
				changes->items[1].reason,
				rows[i].refused ? "somebody else changed it meanwhile, from "
						  "old to theirs"
						: "another change in this call or somebody else "
						  "changed it meanwhile, from old to theirs");
	}
}

/* Without privileges, and with those of another user namespace; each in its own process. */
static int try_right(enum change_right right, bool in_namespace)
{
	static const char *const reasons[] = {
		[RIGHT_RDMA_ADMIN] = "it takes CAP_NET_ADMIN in the initial user namespace",
		[RIGHT_NET_ADMIN] = "it takes CAP_NET_ADMIN",
	};
	struct setting setting = cell_setting;
	struct changes changes = {.items = NULL};
	struct change *change;
	bool may;

	setting.right = right;
	setting.guard = NULL;
	change = changes_add(&changes, &host, &setting, "a", "new");
	change->path = mem_string("/proc/sys/kernel/hostname");
	/* Files of root still belong to root for a user that is root outside of the namespace. */
	if ((!in_namespace || right == RIGHT_FILE) && !geteuid() && seteuid(65534))
		return 77;
	if (in_namespace && unshare(CLONE_NEWUSER))
		return 77;
	may = changes_prepare(&changes, 0);
	if (right == RIGHT_OPEN)
		return !may || change->reason;
	/* The capability counts, unless the network namespace belongs to another user namespace. */
	if (in_namespace && right == RIGHT_NET_ADMIN) {
		may = may && !change->reason;
		change_explain_error(change, "write it", -EPERM);
		return !may || strncmp(change->next_step, "run it on the host: ", 20) != 0;
	}
	if (may || change->state.value != CHANGE_REFUSED)
		return 2;
	if (right == RIGHT_FILE)
		return !strstr(change->reason, "cannot write /proc/sys/kernel/hostname: ") ||
		       strcmp(change->next_step,
			      in_namespace ? "run it on the host, outside the container"
					   : "run it as root");
	if (in_namespace)
		return strcmp(change->reason, "it takes CAP_NET_ADMIN in the initial user "
					      "namespace, and this process is in another one") ||
		       strcmp(change->next_step, "run it on the host, outside the container");
	return strcmp(change->reason, reasons[right]) ||
	       strcmp(change->next_step, "run it as root, or give the process this capability");
}

/* In a container, /proc/sys and /sys are mounted read-only. */
static int try_read_only(void)
{
	struct setting setting = cell_setting;
	struct changes changes = {.items = NULL};
	struct change *change;

	setting.right = RIGHT_FILE;
	setting.guard = NULL;
	change = changes_add(&changes, &host, &setting, "a", "new");
	change->path = mem_string("/tmp");
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) ||
	    mount("none", change->path, "tmpfs", MS_RDONLY, NULL))
		return 77;
	return changes_prepare(&changes, 0) ||
	       strcmp(change->reason, "cannot write /tmp: Read-only file system") ||
	       strcmp(change->next_step,
		      "containers have it mounted read-only: run it on the host");
}

static void rights(void **state)
{
	static const enum change_right all[] = {RIGHT_RDMA_ADMIN, RIGHT_NET_ADMIN, RIGHT_OPEN,
						RIGHT_FILE};
	bool skipped = false;

	(void)state;
	for (size_t i = 0; i <= 2 * ARRAY_SIZE(all); i++) {
		int status;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			_exit(i / 2 < ARRAY_SIZE(all) ? try_right(all[i / 2], i % 2)
						      : try_read_only());
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skipped = true;
		else if (status)
			fail_msg("right %zu, %zu: %d", i / 2, i % 2, status);
	}
	if (skipped)
		skip();
}

/* The options of the command that reaches the same object; a name is quoted, words are not. */
static void commands(void **state)
{
	static const struct {
		unsigned int flags;
		const char *object, *options, *value, *command;
	} rows[] = {
		{0, "a/1", NULL, "x", "rdmactl cell set a/1 cell x"},
		{0, NULL, NULL, "x y", "rdmactl cell set cell 'x y'"},
		{0, "vf 3", " --via a/1", "x", "rdmactl cell set vf 3 cell x --via a/1"},
		{0, "a;b vf 3", NULL, "x", "rdmactl cell set 'a;b' vf 3 cell x"},
		{SETTING_OF_NAME, "sw 1/3", " --node", "x",
		 "rdmactl cell set 'sw 1/3' cell x --node"},
	};
	struct changes *changes = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change_host reached = {.options = rows[i].options};
		struct setting setting = cell_setting;
		_cleanup_(freep) char *command = NULL;

		setting.flags = rows[i].flags;
		command = change_as_command(changes_add(changes, &reached, &setting, rows[i].object,
							NULL),
					    rows[i].value);
		assert_string_equal(command, rows[i].command);
	}
}

/* Each is reported once, in the order in which it came. */
static void sayings(void **state)
{
	struct changes *changes = *state;
	struct change *change = changes_add(changes, &host, &cell_setting, "a", "new");

	for (int i = 0; i < 2; i++) {
		change_note(change, "%s %d", "note", 2);
		change_note(change, "%s %d", "note", 1);
		change_disturbs(change, "%s %d", "process", 2);
		change_disturbs(change, "%s %d", "process", 1);
	}
	assert_int_equal(change->notes.count, 2);
	assert_string_equal(change->notes.items[0], "note 2");
	assert_int_equal(change->disturbs.count, 2);
	assert_string_equal(change->disturbs.items[0], "process 2");
}

/* The places of ports of two subnets may be written alike. */
static void another_way_leads_to_another_object(void **state)
{
	static const struct {
		const char *options[2];
		bool same;
	} cases[] = {
		{{NULL, NULL}, true},
		{{" --via mlx5_0/1", " --via mlx5_0/1"}, true},
		{{" --via mlx5_0/1", " --via mlx5_1/1"}, false},
		{{NULL, " --via mlx5_1/1"}, false},
		{{" --lid", " --guid"}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change_host hosts[] = {{.options = cases[i].options[0]},
					      {.options = cases[i].options[1]}};
		struct changes changes = {.items = NULL};

		changes_add(&changes, &hosts[0], &cell_setting, "5/1", "down");
		changes_add(&changes, &hosts[1], &cell_setting, "5/1", "down");
		assert_ptr_equal(changes_find_earlier(&changes, &changes.items[1]),
				 cases[i].same ? changes.items : NULL);
		changes_clear(&changes);
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		CASE(all_are_written_and_read_back),
		CASE(what_is_so_already_is_not_written),
		CASE(what_is_so_already_keeps_the_notes_of_reading),
		CASE(one_that_cannot_be_read_fails_before_any_is_written),
		CASE(who_is_in_the_way_is_named),
		CASE(a_dry_run_names_them_and_refuses_nothing),
		CASE(force_goes_on_and_still_names_them),
		CASE(a_missing_right_refuses_unless_nothing_is_done),
		CASE(those_before_a_failure_are_undone_in_reverse),
		CASE(one_that_failed_half_way_is_undone_too),
		CASE(a_kernel_that_says_yes_and_does_nothing_has_failed),
		CASE(a_change_that_undoes_an_earlier_one_is_noticed),
		CASE(what_an_earlier_one_made_is_not_written),
		CASE(what_was_so_already_may_be_moved),
		CASE(what_was_so_already_is_kept),
		CASE(what_was_so_already_cannot_be_kept),
		CASE(what_was_so_already_is_taken),
		CASE(what_was_so_already_may_be_lost),
		CASE(what_undoing_moves_is_undone_again),
		CASE(some_that_take_others_along),
		CASE(one_taken_along_is_ours_alone),
		CASE(one_that_failed_waits_to_be_undone),
		CASE(only_followers_are_read_with_each_write),
		CASE(what_somebody_set_alike_is_theirs),
		CASE(one_that_fails_may_take_others_along),
		CASE(one_waits_for_what_cannot_be_read),
		CASE(hope_ends),
		CASE(one_that_can_never_be_undone),
		CASE(what_failed_and_cannot_be_read_is_undone),
		CASE(one_that_leaves_is_not_read_any_more),
		CASE(another_writer_is_told),
		CASE(what_cannot_be_undone_is_told),
		CASE(what_went_by_itself_is_undone),
		CASE(what_is_interrupted_is_not_tried_again),
		CASE(what_others_did_is_noted),
		CASE(one_that_cannot_be_read_back_is_undone),
		CASE(both_reasons_are_told),
		CASE(nothing_is_set_back_if_nothing_was_written),
		CASE(what_was_moved_before_its_turn_is_undone),
		CASE(what_failed_is_undone_again),
		CASE(what_was_absent_and_untried_is_theirs),
		CASE(a_signal_between_two_undoes_the_first),
		CASE(a_command_is_quoted_for_the_shell),
		CASE(sentences_are_clean),
		CASE(a_command_is_a_line_of_a_unit),
		CASE(a_name_is_part_of_a_unit),
		CASE(reasons),
		CASE(gone_before_writing),
		CASE(no_values),
		CASE(misfits),
		CASE(moved_by_another),
		CASE(rights),
		CASE(commands),
		CASE(sayings),
		cmocka_unit_test(another_way_leads_to_another_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
