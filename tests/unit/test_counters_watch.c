/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rdmactl counters --watch with made-up rounds: which changes are shown if the screen has no room
 * for all, when the rounds take place, and how it ends. The functions of
 * lib/counter/counter_rounds.h, lib/render/screen.h, lib/host/inventory/inventory.h and
 * lib/base/signals.h are defined here, so that the linker takes none of their files.
 */
#include "command_lines.h"

#include <time.h>

#include "base/signals.h"
#include "cmd/commands.h"
#include "counter/counter_rounds.h"
#include "host/device.h"
#include "idle_inventory.h"
#include "render/screen.h"

enum { MSEC = 1000000, BEGIN_MSEC = 5000 };

static uint64_t clock_now;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	now->tv_sec = (time_t)(clock_now / 1000000000);
	now->tv_nsec = (long)(clock_now % 1000000000);
	return 0;
}

static struct {
	bool screen;
	size_t lines;
	int show_error, leave_error;
	unsigned int reading_msec; /* how long a round takes */
	unsigned int waits, waited;
	unsigned int shows, rounds;
	size_t changes; /* of the rows shown */
	bool no_round;	/* do not log the rounds */
	bool stopped;
} host;

/* ---- The rounds ---- */

/* Warnings, serious errors, traffic, counters that did not move, and one that was reset. */
static const struct row {
	const char *counter;
	enum counter_severity severity;
	enum counter_group group;
	uint64_t growth;
	enum counter_change_state state;
} rows[] = {
	{"bytes", COUNTER_INFO, COUNTER_GROUP_TRAFFIC, 11, CHANGE_COUNTED},
	{"late", COUNTER_WARNING, COUNTER_GROUP_RETRANSMISSION, 12, CHANGE_COUNTED},
	{"idle", COUNTER_INFO, COUNTER_GROUP_TRAFFIC, 0, CHANGE_COUNTED},
	{"broken", COUNTER_SERIOUS, COUNTER_GROUP_LINK, 13, CHANGE_COUNTED},
	{"quiet", COUNTER_SERIOUS, COUNTER_GROUP_LINK, 0, CHANGE_COUNTED},
	{"packets", COUNTER_INFO, COUNTER_GROUP_TRAFFIC, 14, CHANGE_COUNTED},
	{"lost", COUNTER_WARNING, COUNTER_GROUP_DROPS, 15, CHANGE_COUNTED},
	{"reset", COUNTER_INFO, COUNTER_GROUP_TRAFFIC, 0, CHANGE_CLEARED},
};

static struct counter_name names[ARRAY_SIZE(rows)];

static const struct device *device;

void counter_rounds_begin(struct counter_rounds *rounds, const struct inventory_request *request,
			  const struct counters_request *counters, struct inventory *inventory,
			  struct counter_loader *loader, struct problems *problems)
{
	(void)request, (void)problems;
	assert_non_null(loader);
	assert_ptr_equal(counters->inventory, inventory);
	*rounds = (struct counter_rounds){.loader = loader};
}

bool counter_rounds_read(struct counter_rounds *rounds, bool follow)
{
	_cleanup_(freep) char *line = mem_format("%s at %llu", follow ? "round" : "first",
						 (unsigned long long)clock_now / MSEC - BEGIN_MSEC);

	(void)rounds;
	if (!host.no_round)
		command_note(line);
	host.rounds += follow;
	clock_now += (uint64_t)host.reading_msec * MSEC;
	return false;
}

struct counter_changes counter_rounds_compare(const struct counter_rounds *rounds, char *time)
{
	const size_t count = host.changes;
	struct counter_changes changes = {
		.items = mem_alloc_zero(count + 1, sizeof(*changes.items)),
		.count = count,
	};

	(void)rounds;
	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];

		names[i] = (struct counter_name){
			.name = row->counter,
			.canonical = row->counter,
			.group = (unsigned char)row->group,
			.severity = (unsigned char)row->severity,
		};
		changes.items[i] = (struct counter_change){
			.reading = {.device = device,
				    .port = &device->ports[0],
				    .counter = row->counter,
				    .kernel_name = row->counter,
				    .name = &names[i],
				    .value = number_of(100 + i)},
			.time = time,
			.value = number_of(100 + i),
			.state = number_of(row->state),
		};
		if (row->state == CHANGE_COUNTED)
			number_set(&changes.items[i].growth, row->growth);
	}
	return changes;
}

void counter_rounds_forget(struct counter_rounds *rounds)
{
	(void)rounds;
	if (!host.no_round)
		command_note("forget");
}

void counter_rounds_end(struct counter_rounds *rounds)
{
	counter_loader_free(rounds->loader);
}

void counter_rounds_note(struct counter_rounds *rounds, const struct problems *problems)
{
	(void)rounds, (void)problems;
}

void counter_rounds_reopen(struct counter_rounds *rounds)
{
	(void)rounds;
}

/* ---- The screen ---- */

bool screen_is_there(FILE *out)
{
	(void)out;
	return host.screen;
}

size_t screen_lines(struct screen *screen)
{
	(void)screen;
	return host.lines;
}

int screen_show(struct screen *screen, const char *text)
{
	(void)screen;
	command_note(text);
	return ++host.shows == 2 ? host.show_error : 0;
}

int screen_leave(struct screen *screen)
{
	(void)screen;
	command_note("leave");
	return host.leave_error;
}

/* ---- The host ---- */

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	struct device *m0;

	(void)request, (void)problems, (void)notes;
	m0 = device_list_add(&inventory->devices, "m0");
	device_add_port(m0, 1);
	device = m0;
	return 0;
}

void inventory_free(struct inventory *inventory)
{
	device_list_clear(&inventory->devices);
}

void signals_catch(struct signals *signals, const int *numbers)
{
	(void)numbers;
	*signals = SIGNALS_NONE;
}

int signals_take(const struct signals *signals)
{
	(void)signals;
	if (host.stopped || !host.waits || host.waited < host.waits)
		return 0;
	host.stopped = true;
	return SIGINT;
}

bool signals_wait(const struct signals *signals, uint64_t end_msec)
{
	(void)signals;
	if (++host.waited == host.waits)
		return true;
	if (clock_now < end_msec * MSEC)
		clock_now = end_msec * MSEC;
	return false;
}

void signals_release(struct signals *signals)
{
	(void)signals;
}

/* ---- The command ---- */

static void expect(const struct command_row *row)
{
	host.stopped = false;
	host.waited = host.shows = host.rounds = 0;
	clock_now = (uint64_t)BEGIN_MSEC * MSEC;
	command_expect(&counters_command, row);
}

static void begin(void)
{
	memset(&host, 0, sizeof(host));
	host.screen = true;
	host.no_round = true;
	host.changes = ARRAY_SIZE(rows);
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
}

/* The output for the rows with these numbers. */
static char *screen_text(const char *head, const char *numbers)
{
	char *text = mem_format("1970-01-01T00:00:06.000Z  every 1 s  %s\n\n"
				"COUNTER GROWTH\n",
				head);

	for (; *numbers; numbers++) {
		const struct row *row = &rows[*numbers - '0'];
		_cleanup_(freep) char *before = text;

		text = row->state == CHANGE_COUNTED
			       ? mem_format("%s%-7s %6llu\n", before, row->counter,
					    (unsigned long long)row->growth)
			       : mem_format("%s%-7s      -\n", before, row->counter);
	}
	return text;
}

static void expect_screen(const char *line, const char *head, const char *numbers)
{
	_cleanup_(freep) char *text = screen_text(head, numbers);
	_cleanup_(freep) char *asked = mem_format("%s\nleave\n", text);
	const struct command_row row = {line, STATUS_DONE, text, "", asked};

	expect(&row);
}

#define FEWER " more do not fit (--errors, DEV/PORT: fewer)"

/* At least one row has room; then the worst, the first of equally bad ones; all in their order. */
static void room(void **state)
{
	static const struct {
		size_t lines;
		const char *head, *numbers;
	} screens[] = {
		{2, "1 of 8 counters, 6" FEWER, "3"},	  {3, "1 of 8 counters, 6" FEWER, "3"},
		{4, "1 of 8 counters, 6" FEWER, "3"},	  {5, "2 of 8 counters, 5" FEWER, "37"},
		{6, "3 of 8 counters, 4" FEWER, "137"},	  {7, "4 of 8 counters, 3" FEWER, "1367"},
		{8, "5 of 8 counters, 2" FEWER, "01367"}, {9, "6 of 8 counters, 1" FEWER, "013567"},
		{10, "7 of 8 counters", "0123567"},	  {11, "7 of 8 counters", "0123567"},
	};

	(void)state;
	begin();
	for (size_t i = 0; i < ARRAY_SIZE(screens); i++) {
		host.lines = screens[i].lines;
		expect_screen("counters -w -c 1 -o counter,growth", screens[i].head,
			      screens[i].numbers);
	}
}

/* Rows that the options exclude need no room, and are not counted among those that do not fit. */
static void chosen(void **state)
{
	static const struct {
		const char *line;
		size_t lines;
		const char *head, *numbers;
	} screens[] = {
		{"counters -w -c 1 -o counter,growth -a", 24, "8 of 8 counters", "01234567"},
		{"counters -w -c 1 -o counter,growth -a", 10, "7 of 8 counters, 1" FEWER,
		 "0123567"},
		{"counters -w -c 1 -o counter,growth -e", 24, "3 of 8 counters", "136"},
		{"counters -w -c 1 -o counter,growth -e", 5, "2 of 8 counters, 1" FEWER, "13"},
		{"counters -w -c 1 -o counter,growth -d", 24, "1 of 8 counters", "6"},
		{"counters -w -c 1 -o counter,growth -g traffic", 6, "3 of 8 counters, 1" FEWER,
		 "057"},
	};

	(void)state;
	begin();
	for (size_t i = 0; i < ARRAY_SIZE(screens); i++) {
		host.lines = screens[i].lines;
		expect_screen(screens[i].line, screens[i].head, screens[i].numbers);
	}
}

static void whole_view(void **state)
{
	static const struct command_row all = {
		"counters -w -i 250ms -c 1", STATUS_DONE,
		"1970-01-01T00:00:05.250Z  every 0.25 s  7 of 8 counters\n"
		"\n"
		"OBJECT COUNTER UNIT   PER SECOND Gb/s % OF RATE STATE\n"
		"m0/1   bytes   events          -    -         - counted\n"
		"m0/1   late    events          -    -         - counted\n"
		"m0/1   idle    events          -    -         - counted\n"
		"m0/1   broken  events          -    -         - counted\n"
		"m0/1   packets events          -    -         - counted\n"
		"m0/1   lost    events          -    -         - counted\n"
		"m0/1   reset   events          -    -         - cleared\n",
		"", NULL};
	static const struct command_row none = {"counters -w -i 250ms -c 1", STATUS_DONE,
						"  every 0.25 s  0 of 0 counters\n\n", "", NULL};

	(void)state;
	begin();
	host.lines = 24;
	expect(&all);
	host.changes = 0;
	expect(&none);
}

#define TWICE "counter\nbytes\nlate\nbytes\nlate\n"

/* Rounds missed during a slow one are skipped; programs get no screen. */
static const struct {
	unsigned int reading_msec, waits;
	struct command_row row;
} rounds_rows[] = {
	{0,
	 0,
	 {"counters -w -c 3 --tsv -o counter", STATUS_DONE, TWICE "bytes\nlate\n", "",
	  "first at 0\n"
	  "round at 1000\nforget\n"
	  "round at 2000\nforget\n"
	  "round at 3000\nforget\n"
	  "leave\n"}},
	{999,
	 0,
	 {"counters -w -c 2 --tsv -o counter", STATUS_DONE, TWICE, "",
	  "first at 0\n"
	  "round at 1000\nforget\n"
	  "round at 2000\nforget\n"
	  "leave\n"}},
	{1000,
	 0,
	 {"counters -w -c 3 --tsv -o counter", STATUS_DONE, TWICE "bytes\nlate\n", "",
	  "first at 0\n"
	  "round at 1000\nforget\n"
	  "round at 3000\nforget\n"
	  "round at 5000\nforget\n"
	  "leave\n"}},
	{2500,
	 0,
	 {"counters -w -c 3 --tsv -o counter", STATUS_DONE, TWICE "bytes\nlate\n", "",
	  "first at 0\n"
	  "round at 2500\nforget\n"
	  "round at 6000\nforget\n"
	  "round at 9000\nforget\n"
	  "leave\n"}},
	{0,
	 3,
	 {"counters -w -i 100ms --tsv -o counter", STATUS_DONE, TWICE, "",
	  "first at 0\n"
	  "round at 100\nforget\n"
	  "round at 200\nforget\n"
	  "leave\n"}},
	{0,
	 0,
	 {"counters -w -i 2s -c 2 --json -o counter", STATUS_DONE,
	  "{\"schema\": \"rdmactl/counter_rates/1\",\n"
	  " \"counter_rates\": [\n"
	  "  {\"counter\": \"bytes\"},\n"
	  "  {\"counter\": \"late\"},\n"
	  "  {\"counter\": \"bytes\"},\n"
	  "  {\"counter\": \"late\"}],\n"
	  " \"problems\": []}\n",
	  "",
	  "first at 0\n"
	  "round at 2000\nforget\n"
	  "round at 4000\nforget\n"
	  "leave\n"}},
	{0,
	 0,
	 {"counters -w -c 1 --jsonl -o counter,growth", STATUS_DONE,
	  "{\"counter\": \"bytes\", \"growth\": 11}\n"
	  "{\"counter\": \"late\", \"growth\": 12}\n",
	  "",
	  "first at 0\n"
	  "round at 1000\nforget\n"
	  "leave\n"}},
};

static void rounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rounds_rows); i++) {
		begin();
		host.no_round = false;
		host.changes = 2;
		host.reading_msec = rounds_rows[i].reading_msec;
		host.waits = rounds_rows[i].waits;
		expect(&rounds_rows[i].row);
	}
}

/* Without a screen, each round is a table. */
static void tables(void **state)
{
	static const struct command_row row = {"counters -w -c 2 -o counter,growth", STATUS_DONE,
					       "COUNTER GROWTH\n"
					       "bytes       11\n"
					       "late        12\n"
					       "COUNTER GROWTH\n"
					       "bytes       11\n"
					       "late        12\n",
					       "", "leave\n"};

	(void)state;
	begin();
	host.screen = false;
	host.changes = 2;
	expect(&row);
}

/* No further round follows one that could not be shown. */
static void closed(void **state)
{
	_cleanup_(freep) char *said = mem_format("rdmactl counters: cannot write the output: %s\n",
						 strerror(EIO));
	struct command_row row = {
		"counters -w -c 5 -o counter", STATUS_FAILED,
		"1970-01-01T00:00:07.000Z  every 1 s  1 of 1 counters\n\nCOUNTER\nbytes\n", said,
		NULL};

	(void)state;
	begin();
	host.changes = 1;
	host.lines = 24;
	host.show_error = -EIO;
	expect(&row);
	assert_int_equal(host.rounds, 2);
	host.show_error = 0;
	host.leave_error = -EIO;
	row.out = "";
	expect(&row);
	assert_int_equal(host.rounds, 5);
	/* The first error is reported. */
	host.show_error = -EIO;
	host.leave_error = -ENOSPC;
	expect(&row);
	assert_int_equal(host.rounds, 2);
}

#define NO_DEVICE                                           \
	"rdmactl counters: 'm0/x' is not DEV or DEV/PORT\n" \
	"  rdmactl devices lists the names\n"
#define NO_ROOT                                                                              \
	"rdmactl counters: cannot open the root directory /proc/self/maps/none: <ENOTDIR>\n" \
	"  --root takes a directory, or an archive that `rdmactl snapshot` wrote\n"

static const struct command_row refused_rows[] = {
	{"counters -w -c 1 m0/x", STATUS_USAGE, "", NO_DEVICE, ""},
	{"counters -w -c 1 -o counters", STATUS_USAGE, "",
	 "rdmactl counters: unknown column 'counters'\n"
	 "  did you mean 'counter'?\n",
	 ""},
	{"counters -w -c 1 --root /proc/self/maps/none", STATUS_FAILED, "", NO_ROOT, ""},
	{"counters --root /proc/self/maps/none", STATUS_FAILED, "", NO_ROOT, ""},
	{"counters m0/x", STATUS_USAGE, "", NO_DEVICE, ""},
};

static void refused(void **state)
{
	(void)state;
	begin();
	for (size_t i = 0; i < ARRAY_SIZE(refused_rows); i++)
		expect(&refused_rows[i]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(room),	   cmocka_unit_test(chosen), cmocka_unit_test(whole_view),
		cmocka_unit_test(rounds),  cmocka_unit_test(tables), cmocka_unit_test(closed),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests_name("counters_watch", tests, command_set_up,
					   command_tear_down);
}
