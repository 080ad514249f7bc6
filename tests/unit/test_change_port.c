/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The settings of an InfiniBand port, on a made-up port: the names of its states, which Sets lead
 * from one to another, what is waited for, and how it is undone.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <poll.h>

#include "setting_reads.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/port.h"
#include "fake_transport.h"
#include "mad/format/codes.h"
#include "mad/format/header.h"
#include "schema/bits.h"

enum { NODE_LID = 9, PORT = 3 };

/* Places in PortInfo, InfiniBand Architecture volume 1, 14.2.5.6. */
enum {
	WIDTH_ENABLED = 29,
	STATE = 32,
	PHYSICAL = 33,
	SPEED_ENABLED = 35,
	SPEED_EXT_SUPPORTED = 62,
	SPEED_EXT_ENABLED = 63,
};
enum { DOWN = 1, INIT = 2, ARMED = 3, ACTIVE = 4 };

struct bed {
	struct fake fake;
	struct mad_destination destination;
	struct change_host host;
	struct changes changes;
	char name[2];
	unsigned char info[64];
	unsigned int slow;    /* reads until the link is up; 0: none */
	unsigned int waiting; /* how many of them are left */
	bool never;	      /* the link never comes up */
	bool is_switch;
	uint64_t node_guid;
	unsigned int local_port; /* of NodeInfo: port by which requests arrive */
	unsigned int way_back;	 /* port of the forwarding table */
	unsigned int
		silent_at; /* number of the first request without an answer; 0: all are answered */
	uint16_t refused;  /* status with which a Set is refused */
	unsigned int requests, gets, waits;
	unsigned int stops_at; /* number of the wait that a signal ends; 0: none */
	char sets[128];	       /* state and physical state of each Set */
};

static struct bed *current;

/* Waiting only needs the time to pass. */
int poll(struct pollfd *pollers, nfds_t count, int timeout_msec)
{
	(void)pollers, (void)count;
	fake_sleep((unsigned int)timeout_msec);
	if (++current->waits == current->stops_at)
		((struct port_agent *)current->host.agent)->session.stopped = true;
	return 0;
}

static void put_states(struct bed *bed, unsigned int state, unsigned int physical)
{
	bed->info[STATE] = (unsigned char)((bed->info[STATE] & 0xf0) | state);
	bed->info[PHYSICAL] = (unsigned char)((bed->info[PHYSICAL] & 0x0f) | physical << 4);
}

/* A port takes a state, and trains its link when it is enabled. */
static void obey(struct bed *bed, const unsigned char *wanted)
{
	const unsigned int state = wanted[STATE] & 0xf, physical = wanted[PHYSICAL] >> 4;
	const unsigned char states[] = {bed->info[STATE], bed->info[PHYSICAL]};
	char *end = bed->sets + strlen(bed->sets);

	snprintf(end, sizeof(bed->sets) - (size_t)(end - bed->sets), "%u/%u ", state, physical);
	memcpy(bed->info, wanted, sizeof(bed->info));
	memcpy(bed->info + STATE, states, sizeof(states));
	if (physical == PHYSICAL_DISABLED)
		put_states(bed, DOWN, PHYSICAL_DISABLED);
	else if (physical == PHYSICAL_POLLING && (bed->slow || bed->never))
		put_states(bed, DOWN, PHYSICAL_POLLING);
	else if (physical == PHYSICAL_POLLING)
		put_states(bed, INIT, PHYSICAL_LINK_UP);
	bed->waiting = bed->slow;
	if (state)
		put_states(bed, state, bed->info[PHYSICAL] >> 4);
}

static int answer(struct fake *fake, int agent, const struct mad_address *to,
		  const unsigned char *mad)
{
	struct bed *bed = fake->context;
	const unsigned int attribute = (unsigned int)bits_get(mad, 16 * 8, 16);
	const bool set = mad_method(mad) == UMAD_METHOD_SET;
	unsigned char reply[MAD_BYTES];

	(void)agent;
	assert_int_equal(to->lid, NODE_LID);
	if (++bed->requests >= bed->silent_at && bed->silent_at)
		return 0;
	memcpy(reply, mad, MAD_BYTES);
	mad_set_method(reply, UMAD_METHOD_GET_RESP);
	memset(reply + 64, 0, 64);
	if (attribute == UMAD_SM_ATTR_NODE_INFO) {
		reply[64 + 2] = bed->is_switch ? NODE_TYPE_SWITCH : NODE_TYPE_CA;
		bits_set(reply, (64 + 12) * 8, 64, bed->node_guid);
		reply[64 + 36] = (unsigned char)bed->local_port;
	} else if (attribute == UMAD_SM_ATTR_LINEAR_FT) {
		assert_int_equal(mad_modifier(mad), 2);
		reply[64 + 5] = (unsigned char)bed->way_back;
	} else {
		assert_int_equal(attribute, UMAD_SM_ATTR_PORT_INFO);
		assert_int_equal(mad_modifier(mad) & 0xff, PORT);
		bed->gets += !set;
		if (set && !bed->refused)
			obey(bed, mad + 64);
		else if (bed->waiting && !--bed->waiting)
			put_states(bed, INIT, PHYSICAL_LINK_UP);
		memcpy(reply + 64, bed->info, sizeof(bed->info));
		if (set)
			bits_set(reply, 4 * 8, 16, bed->refused);
	}
	fake_put(fake, 0, reply, MAD_BYTES, 0);
	return 0;
}

/* mad_session_end() would free the destination, which is a part of the bed. */
static void free_agent(void *agent)
{
	((struct port_agent *)agent)->session.destination_count = 0;
	((struct port_agent *)agent)->session.destinations = NULL;
	port_agent_free(agent);
}

static int set_up(void **state)
{
	const struct mad_engine_options options = {.timeout_msec = 50, .retries_given = true};
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct port_agent *agent = mem_alloc_zero(1, sizeof(*agent));

	bed->fake.on_send = answer;
	bed->fake.context = bed;
	bed->name[0] = '9';
	bed->destination = (struct mad_destination){
		.name = bed->name,
		.place = {.target = {.kind = TARGET_LID, .lid = NODE_LID},
			  .address = {.lid = NODE_LID}},
	};
	agent->session = (struct mad_session){
		.problems = &agent->problems,
		.destinations = &bed->destination,
		.destination_count = 1,
		.port.route.lid = 2 * 64 + 5,
		.signals = SIGNALS_NONE,
		.engine = fake_engine(&bed->fake, &options),
	};
	agent->port = PORT;
	bed->host.agent = agent;
	bed->host.free_agent = free_agent;
	bed->info[SPEED_EXT_SUPPORTED] = 0x0f;
	bed->info[22] = 0x40; /* IsExtendedSpeedsSupported, bit 14 of the capability mask */
	put_states(bed, ACTIVE, PHYSICAL_LINK_UP);
	*state = current = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	changes_clear(&bed->changes);
	change_host_close(&bed->host);
	free(bed);
	return 0;
}

static const struct setting *find_setting(const char *word)
{
	for (size_t i = 0; port_agent_setting_table[i]; i++)
		if (!strcmp(port_agent_setting_table[i]->keyword.word, word))
			return port_agent_setting_table[i];
	fail_msg("there is no setting %s", word);
	return NULL;
}

static struct change *want(struct bed *bed, const char *setting, const char *value)
{
	changes_clear(&bed->changes);
	return changes_add(&bed->changes, &bed->host, find_setting(setting), "sw 1/3", value);
}

/* The words that ibportstate also uses. */
static void words(void **state)
{
	static const struct {
		const char *text, *value;
	} rows[] = {{"up", "up"},	  {"enable", "up"},   {"down", "down"},
		    {"disable", "down"},  {"reset", "reset"}, {"arm", "arm"},
		    {"active", "active"}, {"init", NULL},     {"polling", NULL},
		    {"UP", NULL},	  {"", NULL},	      {"enabled", NULL},
		    {"down\x1b[0m", NULL}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(*state, "state", NULL);
		_cleanup_(freep) char *clean = text_clean(rows[i].text, strlen(rows[i].text));
		_cleanup_(freep) char *reason = mem_format(
			"'%s' is not a state that a port can be set to: it takes up or enable, "
			"down or disable, reset, arm, active",
			clean);
		int rc = change_parse(change, rows[i].text, &change->wanted);

		assert_int_equal(rc, rows[i].value ? 0 : -EINVAL);
		if (rows[i].value)
			assert_string_equal(change->wanted, rows[i].value);
		else
			assert_string_equal(change->reason, reason);
	}
}

/* How the pairs of states read; "up" asks for nothing but a link that is up. */
static void states(void **state)
{
	static const struct {
		unsigned int state, physical;
		const char *wanted, *value;
	} rows[] = {
		{DOWN, PHYSICAL_DISABLED, "arm", "down"},
		{ACTIVE, PHYSICAL_DISABLED, "arm", "down"},
		{DOWN, PHYSICAL_DISABLED, "up", "down"},
		{0, PHYSICAL_POLLING, "arm", "polling"},
		{DOWN, PHYSICAL_SLEEP, "arm", "polling"},
		{DOWN, PHYSICAL_POLLING, "arm", "polling"},
		{DOWN, PHYSICAL_TRAINING, "arm", "polling"},
		{INIT, PHYSICAL_LINK_UP, "arm", "init"},
		{ARMED, PHYSICAL_LINK_UP, "down", "arm"},
		{ACTIVE, PHYSICAL_LINK_UP, "arm", "active"},
		{5, PHYSICAL_LINK_UP, "arm", "active"}, /* active, deferred */
		{DOWN, PHYSICAL_POLLING, "up", "up"},
		{ACTIVE, PHYSICAL_LINK_UP, "up", "up"},
		{ACTIVE, PHYSICAL_LINK_UP, "reset", "active"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put_states(bed, rows[i].state, rows[i].physical);
		assert_reads(want(bed, "state", rows[i].wanted), rows[i].value);
	}
	assert_string_equal(bed->sets, "");
}

/* The Sets, as state and physical state: 0 is "no change", 2 polling, 3 disabled. */
static void ways(void **state)
{
	static const struct {
		unsigned int state, physical;
		const char *wanted, *value, *sets, *after;
	} rows[] = {
		{ACTIVE, PHYSICAL_LINK_UP, "down", "down", "0/3 ", "down"},
		{DOWN, PHYSICAL_DISABLED, "up", "up", "0/2 ", "up"},
		{ACTIVE, PHYSICAL_LINK_UP, "up", "up", "0/2 ", "up"},
		{ACTIVE, PHYSICAL_LINK_UP, "reset", "reset", "0/3 0/2 ", "reset"},
		{INIT, PHYSICAL_LINK_UP, "arm", "arm", "3/0 ", "arm"},
		{DOWN, PHYSICAL_DISABLED, "arm", "arm", "0/2 3/0 ", "arm"},
		{ARMED, PHYSICAL_LINK_UP, "active", "active", "4/0 ", "active"},
		/* A port that was disabled has to be armed first. */
		{DOWN, PHYSICAL_DISABLED, "active", "active", "0/2 ", "init"},
		/* Undone: back to its old state. */
		{DOWN, PHYSICAL_DISABLED, "down", "init", "0/2 ", "init"},
		{DOWN, PHYSICAL_DISABLED, "down", "active", "0/2 ", "init"},
		{ACTIVE, PHYSICAL_LINK_UP, "arm", "init", "", "active"},
		{ACTIVE, PHYSICAL_LINK_UP, "reset", "active", "4/0 ", "active"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(bed, "state", rows[i].wanted);

		put_states(bed, rows[i].state, rows[i].physical);
		bed->sets[0] = '\0';
		assert_int_equal(change->setting->write(change, rows[i].value), 0);
		assert_string_equal(bed->sets, rows[i].sets);
		assert_reads(change, rows[i].after);
		/* Once the port was reset, any reading of an enabled port counts as reset. */
		assert_int_equal(change->data != NULL, !strcmp(rows[i].value, "reset"));
	}
}

/* A port in the state that it had before its reset needs no undoing, and reads as it is. */
static void reset_and_undone(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, "state", "reset");

	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	assert_true(changes_write(&bed->changes));
	assert_int_equal(change->state.value, CHANGE_CHANGED);
	/* The subnet manager does this. */
	put_states(bed, ACTIVE, PHYSICAL_LINK_UP);
	assert_true(changes_undo(&bed->changes));
	assert_int_equal(change->state.value, CHANGE_REVERTED);
	assert_string_equal(change->after, "active");
	assert_string_equal(bed->sets, "0/3 0/2 ");
}

/* A port that somebody else disables after the reset is down. */
static void reset_and_disabled(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, "state", "reset");

	assert_int_equal(change->setting->write(change, "reset"), 0);
	assert_int_equal(change->setting->write(change, "reset"), 0);
	assert_reads(change, "reset");
	put_states(bed, DOWN, PHYSICAL_DISABLED);
	assert_reads(change, "down");
}

/* Reads every 50 milliseconds, for 3 seconds at most or until a signal arrives. */
static void waiting(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, "state", "down");
	uint64_t begin;

	put_states(bed, DOWN, PHYSICAL_DISABLED);
	bed->slow = 4;
	assert_int_equal(change->setting->write(change, "init"), 0);
	assert_int_equal(bed->waits, 3);
	assert_reads(change, "init");
	put_states(bed, DOWN, PHYSICAL_DISABLED);
	bed->slow = 0;
	bed->never = true;
	bed->waits = 0;
	begin = clock_msec();
	assert_int_equal(change->setting->write(change, "init"), 0);
	assert_in_range(clock_msec() - begin, 3000, 3060);
	assert_in_range(bed->waits, 57, 61);
	bed->waits = 0;
	bed->stops_at = 2;
	assert_int_equal(change->setting->write(change, "init"), 0);
	assert_int_equal(bed->waits, 2);
}

/* The messages of the session become the reason, each at its place, and are not repeated. */
static void silence(void **state)
{
	static const struct {
		const char *setting, *value, *sets;
		unsigned int silent_at;
	} rows[] = {
		{"state", "down", "", 1},    {"state", "down", "", 2},
		{"state", "reset", "", 1},   {"state", "reset", "0/3 ", 4},
		{"state", "arm", "", 1},     {"state", "arm", "", 2},
		{"state", "active", "", 3},  {"width", "4x", "", 1},
		{"width", "4x", "", 2},	     {"speed", "sdr", "", 1},
		{"speed-ext", "hdr", "", 2},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(bed, rows[i].setting, rows[i].value);
		struct port_agent *agent = bed->host.agent;

		put_states(bed, ARMED, PHYSICAL_LINK_UP);
		bed->sets[0] = '\0';
		bed->requests = 0;
		bed->silent_at = rows[i].silent_at;
		assert_int_equal(change->setting->write(change, rows[i].value), -EIO);
		assert_string_equal(bed->sets, rows[i].sets);
		assert_non_null(strstr(change->reason, "no answer, asked once"));
		assert_non_null(change->next_step);
		assert_int_equal(agent->problems.count, 0);
		assert_null(change->data);
	}
}

/* The LID may belong to another node by now: neither that node nor the first one is touched. */
static void another_node(void **state)
{
	static const char *const settings[] = {"state", "width"};
	static const char *const values[] = {"down", "4x"};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct change *change = want(bed, settings[i], values[i]);
		_cleanup_(freep) char *before = NULL;

		bed->node_guid = 0x0002c90300a1b2c3;
		((struct port_agent *)bed->host.agent)->node_guid.known = false;
		assert_int_equal(change->setting->read(change, &before), 0);
		bed->node_guid = 0x0002c90300a1b2d3;
		assert_int_equal(change->setting->write(change, values[i]), -ESTALE);
		assert_string_equal(change->reason,
				    "another node is there now: its GUID is 0002:c903:00a1:b2d3, "
				    "and was 0002:c903:00a1:b2c3");
		assert_string_equal(change->next_step, "check it, then run the command again");
		assert_string_equal(bed->sets, "");
	}
}

static void refusals(void **state)
{
	struct bed *bed = *state;
	struct change *change = want(bed, "state", "down");
	char *value = NULL;

	bed->refused = 0x1c;
	assert_int_equal(change->setting->write(change, "down"), -EIO);
	assert_string_equal(change->reason,
			    "not changed: the node refused it with status 0x001c: invalid-value");
	bed->refused = 0;
	bed->silent_at = 1;
	assert_int_equal(change->setting->read(change, &value), -EIO);
	change = want(bed, "width", "4x");
	assert_int_equal(change->setting->read(change, &value), -EIO);
	assert_non_null(change->reason);
	assert_null(value);
	bed->silent_at = 0;
	bed->info[SPEED_EXT_SUPPORTED] = 0;
	change = want(bed, "speed-ext", "hdr");
	assert_int_equal(change->setting->write(change, "hdr"), -ENXIO);
	assert_string_equal(change->reason, "this port does not have speed_ext_enabled");
	assert_null(change->next_step);
	assert_string_equal(bed->sets, "");
}

/* The command that undoes the change, with the node as it was named. */
static void undone(void **state)
{
	static const struct {
		const char *before, *wanted, *undo;
	} rows[] = {
		{"active", "down", "rdmactl ports set 'sw 1/3' state up --node"},
		{"polling", "down", "rdmactl ports set 'sw 1/3' state up --node"},
		{"down", "up", "rdmactl ports set 'sw 1/3' state down --node"},
		{"down", "arm", "rdmactl ports set 'sw 1/3' state down --node"},
		{"active", "arm", NULL},
		{"init", "active", NULL},
		{"active", "reset", NULL},
	};
	struct bed *bed = *state;

	bed->host.options = " --node";
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(bed, "state", rows[i].wanted);
		_cleanup_(freep) char *undo = NULL;

		change->before = mem_string(rows[i].before);
		undo = change->setting->undo(change);
		if (rows[i].undo)
			assert_string_equal(undo, rows[i].undo);
		else
			assert_null(undo);
	}
}

/* Lists of widths and speeds: the text, its canonical form, and the bits that are written. */
static void lists(void **state)
{
	static const struct {
		const char *setting, *text, *value;
		size_t at;
		unsigned int byte;
	} rows[] = {
		{"width", "4x", "4x", WIDTH_ENABLED, 2},
		{"width", "4x,1x", "1x,4x", WIDTH_ENABLED, 3},
		{"width", "2x,8x,12x", "8x,12x,2x", WIDTH_ENABLED, 0x1c},
		{"speed", "sdr", "sdr", SPEED_ENABLED, 0x51},
		{"speed", "qdr,ddr", "ddr,qdr", SPEED_ENABLED, 0x56},
		{"speed-ext", "hdr,fdr", "fdr,hdr", SPEED_EXT_ENABLED, 5},
		{"speed-ext", "ndr", "ndr", SPEED_EXT_ENABLED, 8},
		{"speed-ext", "none", "none", SPEED_EXT_ENABLED, 30},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(bed, rows[i].setting, NULL);

		bed->info[SPEED_ENABLED] = 0x5f;
		assert_int_equal(change_parse(change, rows[i].text, &change->wanted), 0);
		assert_string_equal(change->wanted, rows[i].value);
		assert_int_equal(change->setting->write(change, change->wanted), 0);
		assert_int_equal(bed->info[rows[i].at], rows[i].byte);
		assert_reads(change, rows[i].value);
	}
	assert_int_equal(bed->waits, 0);
	bed->info[WIDTH_ENABLED] = 0;
	assert_reads(want(bed, "width", "4x"), "none");
}

static void lists_that_are_none(void **state)
{
	static const struct {
		const char *setting, *text, *reason;
	} rows[] = {
		{"width", "3x",
		 "'3x' is not a value of width: it takes a list of 1x, 4x, 8x, 12x, 2x"},
		{"width", "none",
		 "'none' is not a value of width: it takes a list of 1x, 4x, 8x, 12x, 2x"},
		{"width", "", "'' is not a value of width: it takes a list of 1x, 4x, 8x, 12x, 2x"},
		/* The bits are not accepted. */
		{"width", "2",
		 "'2' is not a value of width: it takes a list of 1x, 4x, 8x, 12x, 2x"},
		{"speed", "hdr", "'hdr' is not a value of speed: it takes a list of sdr, ddr, qdr"},
		{"speed", "0x5", "'0x5' is not a value of speed: it takes a list of sdr, ddr, qdr"},
		{"speed", "0,0", "'0,0' is not a value of speed: it takes a list of sdr, ddr, qdr"},
		{"speed", "sdr,4",
		 "'sdr,4' is not a value of speed: it takes a list of sdr, ddr, qdr"},
		{"speed", "none",
		 "'none' is not a value of speed: it takes a list of sdr, ddr, qdr"},
		{"speed-ext", "qdr",
		 "'qdr' is not a value of speed-ext: it takes a list of fdr, edr, hdr, ndr"},
		{"speed-ext", "",
		 "'' is not a value of speed-ext: it takes a list of fdr, edr, hdr, ndr"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct change *change = want(*state, rows[i].setting, NULL);

		assert_int_equal(change_parse(change, rows[i].text, &change->wanted), -EINVAL);
		assert_string_equal(change->reason, rows[i].reason);
		assert_null(change->wanted);
	}
}

/* The port by which requests arrive, or by which a switch answers our port with LID 133. */
static void guards(void **state)
{
	static const struct {
		const char *setting;
		bool is_switch;
		unsigned int local_port, way_back;
		bool cuts;
	} rows[] = {
		{"state", false, PORT, 0, true}, {"state", false, 1, PORT, false},
		{"state", true, PORT, 1, true},	 {"state", true, 1, PORT, true},
		{"state", true, 1, 2, false},	 {"width", true, 1, PORT, true},
		{"speed", false, PORT, 1, true}, {"speed-ext", true, 1, 2, false},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool trains = strcmp(rows[i].setting, "state") != 0;
		struct change *change = want(bed, rows[i].setting, "down");

		bed->is_switch = rows[i].is_switch;
		bed->local_port = rows[i].local_port;
		bed->way_back = rows[i].way_back;
		change->setting->guard(change);
		assert_int_equal(change->disturbs.count, rows[i].cuts);
		if (rows[i].cuts)
			assert_string_equal(change->disturbs.items[0],
					    "the path to the node, which goes through this port "
					    "and may be lost for good");
		assert_int_equal(change->notes.count, trains);
		if (trains)
			assert_string_equal(change->notes.items[0],
					    "speed and width take effect when the link is trained "
					    "again: reset the port");
	}
	assert_string_equal(bed->sets, "");
}

static void extended_speeds(void **state)
{
	struct bed *bed = *state;

	assert_true(port_agent_has_speeds_ext(bed->host.agent));
	bed->info[SPEED_EXT_SUPPORTED] = 0xf0;
	assert_false(port_agent_has_speeds_ext(bed->host.agent));
	bed->info[SPEED_EXT_SUPPORTED] = 1;
	bed->silent_at = 1;
	assert_false(port_agent_has_speeds_ext(bed->host.agent));
}

/* Each of them stops traffic. */
static void settings(void **state)
{
	static const char *const names[] = {"state", "width", "speed", "speed-ext"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct setting *setting = port_agent_setting_table[i];

		assert_string_equal(setting->keyword.word, names[i]);
		assert_string_equal(setting->interface, "SMP PortInfo");
		assert_string_equal(setting->command, "ports set");
		assert_int_equal(setting->right, RIGHT_OPEN);
		assert_int_equal(setting->flags, SETTING_STOPS_TRAFFIC | SETTING_OF_NAME);
	}
	assert_null(port_agent_setting_table[ARRAY_SIZE(names)]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(words),
		TEST(states),
		TEST(ways),
		TEST(reset_and_disabled),
		TEST(reset_and_undone),
		TEST(waiting),
		TEST(silence),
		TEST(another_node),
		TEST(refusals),
		TEST(undone),
		TEST(lists),
		TEST(lists_that_are_none),
		TEST(guards),
		TEST(extended_speeds),
		TEST(settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
