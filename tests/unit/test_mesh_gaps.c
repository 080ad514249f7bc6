/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hosts some of whose ports cannot be used: what their agents say, and the numbers of rails. */
#include "base/cleanup.h"
#include "paired_agents.h"

enum { MOST_HOSTS = 10 };

/* A host with these ports: `.` cannot be used, anything else can. Devices are named by place. */
static void make_host(struct mesh_host *host, const char *ports)
{
	*host = (struct mesh_host){.presence = MESH_PRESENT, .slots = host->slots};
	host->rails = mem_alloc_zero(strlen(ports) + 1, sizeof(*host->rails));
	for (uint32_t i = 0; ports[i]; i++) {
		struct mesh_gap gap = {.place = i, .port = 1, .reason = mem_string("down")};
		struct endpoint *rail = &host->rails[host->rail_count];

		if (ports[i] == '.') {
			snprintf(gap.device, sizeof(gap.device), "m%u", i);
			MEM_ADD(host->gaps, host->gap_count) = gap;
			continue;
		}
		free(gap.reason);
		host->rail_count++;
		rail->port = 1;
		snprintf(rail->device, sizeof(rail->device), "m%u", i);
	}
}

/* `m0 m1! m2?`: the device of each rail; ! is missing, ? is missing as on most such hosts. */
static char *rails_of(const struct mesh_host *host)
{
	char *text = mem_string("");

	for (uint32_t rail = 0; rail < host->rail_count; rail++) {
		const char *mark = mesh_host_has_rail(host, rail) ? "" : "?";

		for (size_t i = 0; i < host->gap_count; i++)
			if (host->gaps[i].rail.known && host->gaps[i].rail.value == rail)
				mark = "!";
		mem_extend(&text, "%s%s%s", rail ? " " : "", host->rails[rail].device, mark);
		assert_int_equal(host->rails[rail].port, 1);
	}
	return text;
}

static void expect(const char *const *ports, const char *const *wanted)
{
	struct mesh_host hosts[MOST_HOSTS];
	size_t count = 0;

	for (; ports[count]; count++) {
		hosts[count].slots = (struct strings){0};
		make_host(&hosts[count], ports[count]);
	}
	rails_number(hosts, count);
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *text = rails_of(&hosts[i]);

		assert_string_equal(text, wanted[i]);
		mesh_host_clear(&hosts[i]);
	}
}

#define HOSTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A port that is down leaves the numbers of those after it alone. */
static void down(void **state)
{
	(void)state;
	expect(HOSTS("xxx", "x.x", "xxx"), HOSTS("m0 m1 m2", "m0 m1! m2", "m0 m1 m2"));
	expect(HOSTS("xx.", "xxx"), HOSTS("m0 m1 m2!", "m0 m1 m2"));
	expect(HOSTS(".xx", "xx.", "x.x"), HOSTS("m0! m1 m2", "m0 m1 m2!", "m0 m1! m2"));
}

/* Ports that nobody uses are no rails; those that few use are not missed by the others. */
static void unused(void **state)
{
	(void)state;
	expect(HOSTS(".x.x", ".x.x"), HOSTS("m1 m3", "m1 m3"));
	expect(HOSTS(".x.x.x", ".x...x"), HOSTS("m1 m3 m5", "m1 m3! m5"));
	expect(HOSTS("xx", ".x", ".x"), HOSTS("m0 m1", "m0? m1", "m0? m1"));
	expect(HOSTS("xx", "xx", ".x", ".x"), HOSTS("m0 m1", "m0 m1", "m0! m1", "m0! m1"));
}

/* Hosts that differ in their ports count only those that work. */
static void other_hosts(void **state)
{
	(void)state;
	expect(HOSTS("xxx", "..xxx"), HOSTS("m0 m1 m2", "m2 m3 m4"));
	expect(HOSTS("xxx", "x.x", "xx", ".x", "..xxx", "..x.x"),
	       HOSTS("m0 m1 m2", "m0 m1! m2", "m0 m1", "m0! m1", "m2 m3 m4", "m2 m3! m4"));
	/* A host that has its numbers is not taken for one with more ports. */
	expect(HOSTS("x.x", "xxx", "x..x"), HOSTS("m0 m1! m2", "m0 m1 m2", "m0 m3"));
}

/* Without numbers for so many, each host keeps its own. */
static void too_many(void **state)
{
	(void)state;
	expect(HOSTS("xxxxxxxxxxxxxxxx.", ".xxxxxxxxxxxxxxxx"),
	       HOSTS("m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14 m15",
		     "m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14 m15 m16"));
	expect(HOSTS("xxxxxxxxxxxxxxx.", ".xxxxxxxxxxxxxxx"),
	       HOSTS("m0 m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14 m15!",
		     "m0! m1 m2 m3 m4 m5 m6 m7 m8 m9 m10 m11 m12 m13 m14 m15"));
}

/*
 * A host whose ports are in these slots, a letter each; `.` after a letter: the port there cannot
 * be used. Devices are named in order, so that those after a missing one have other names than
 * usual.
 */
static void make_host_in(struct mesh_host *host, const char *slots)
{
	char ports[MESH_MOST_PORTS + 1] = "";
	size_t count = 0;

	for (const char *at = slots; *at; at++) {
		const char name[] = {*at, '\0'};

		if (*at == '.') {
			ports[count - 1] = '.';
			continue;
		}
		ports[count++] = 'x';
		strings_add(&host->slots, *at == '?' ? "" : name);
	}
	make_host(host, ports);
}

static void expect_in(const char *const *slots, const char *const *wanted)
{
	struct mesh_host hosts[MOST_HOSTS];
	size_t count = 0;

	for (; slots[count]; count++) {
		hosts[count].slots = (struct strings){0};
		make_host_in(&hosts[count], slots[count]);
		hosts[count].name = mem_format("n%zu", count + 1);
	}
	rails_number(hosts, count);
	for (size_t i = 0; i < count; i++) {
		_cleanup_(freep) char *text = rails_of(&hosts[i]);

		assert_string_equal(text, wanted[i]);
		mesh_host_clear(&hosts[i]);
	}
}

/* An adapter that is not there leaves the numbers of those after it alone, whatever their names. */
static void gone(void **state)
{
	(void)state;
	expect_in(HOSTS("abcd", "acd", "abcd"), HOSTS("m0 m1 m2 m3", "m0 ! m1 m2", "m0 m1 m2 m3"));
	expect_in(HOSTS("abcd", "bcd"), HOSTS("m0 m1 m2 m3", "! m0 m1 m2"));
	expect_in(HOSTS("abcd", "ad", "abcd", "abc"),
		  HOSTS("m0 m1 m2 m3", "m0 ! ! m1", "m0 m1 m2 m3", "m0 m1 m2 !"));
	/* Some ports are down as well. */
	expect_in(HOSTS("a.bcd", "ab.d", "abcd"),
		  HOSTS("m0! m1 m2 m3", "m0 m1! ! m2", "m0 m1 m2 m3"));
	/* Nobody else can use it either. */
	expect_in(HOSTS("ab.c", "ac", "ab.c"), HOSTS("m0 m2", "m0 m1", "m0 m2"));
	/* The longest chain counts, and hosts with a part of it get the same numbers. */
	expect_in(HOSTS("abc", "ab", "a"), HOSTS("m0 m1 m2", "m0 m1 ?", "m0 ! ?"));
}

/* Nothing is missing where the slots do not show it, or where few hosts have more. */
static void not_gone(void **state)
{
	(void)state;
	expect_in(HOSTS("abcd", "ac?", "abcd"), HOSTS("m0 m1 m2 m3", "m0 m1 m2", "m0 m1 m2 m3"));
	expect_in(HOSTS("ab?d", "abd", "ab?d"), HOSTS("m0 m1 m2 m3", "m0 m1 m2", "m0 m1 m2 m3"));
	expect_in(HOSTS("abcd", "xcd", "abcd"), HOSTS("m0 m1 m2 m3", "m0 m1 m2", "m0 m1 m2 m3"));
	expect_in(HOSTS("abcd", "acb", "abcd"), HOSTS("m0 m1 m2 m3", "m0 m1 m2", "m0 m1 m2 m3"));
	/* Two ports in one place cannot be told apart. */
	expect_in(HOSTS("abbc", "abc", "abbc"), HOSTS("m0 m1 m2 m3", "m0 m1 m2", "m0 m1 m2 m3"));
	/* One host has more than the others: nothing is missing there. */
	expect_in(HOSTS("abc", "xabc", "abc"), HOSTS("m0 m1 m2", "m0 m1 m2 m3", "m0 m1 m2"));
	/* Hosts that were bought with fewer adapters, and few among many that lost some. */
	expect_in(HOSTS("abc", "ac", "abc", "ac"), HOSTS("m0 m1 m2", "m0 m1", "m0 m1 m2", "m0 m1"));
	expect_in(HOSTS("ab", "ab", "ab", "ab", "ab", "ab", "ab", "ab", "b", "b"),
		  HOSTS("m0 m1", "m0 m1", "m0 m1", "m0 m1", "m0 m1", "m0 m1", "m0 m1", "m0 m1",
			"! m0", "! m0"));
	/* Other adapters in the same number. */
	expect_in(HOSTS("abc", "def", "ab"), HOSTS("m0 m1 m2", "m0 m1 m2", "m0 m1 !"));
}

/* The finding names the place, and the port that others have there. */
static void gone_in_words(void **state)
{
	struct mesh_host hosts[3] = {{.name = NULL}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		make_host_in(&hosts[i], i == 1 ? "bc" : "ab.c");
		hosts[i].name = mem_format("n%zu", i + 1);
	}
	slots_compare(hosts, 3);
	assert_int_equal(hosts[1].gap_count, 1);
	assert_string_equal(hosts[1].gaps[0].reason,
			    "there is no port where n1 and 1 more have m0/1 (a)");
	assert_string_equal(hosts[1].gaps[0].device, "");
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++)
		mesh_host_clear(&hosts[i]);
	for (size_t i = 0; i < 2; i++) {
		make_host_in(&hosts[i], i ? "ac" : "ab.c");
		hosts[i].name = mem_format("n%zu", i + 1);
	}
	slots_compare(hosts, 2);
	assert_string_equal(hosts[1].gaps[0].reason, "there is no port where n1 has m1/1 (b)");
	for (size_t i = 0; i < 2; i++)
		mesh_host_clear(&hosts[i]);
}

/* Only hosts that take part say which ports are rails. */
static void lost(void **state)
{
	struct mesh_host hosts[2] = {{.name = NULL}};
	_cleanup_(freep) char *text = NULL;

	(void)state;
	make_host(&hosts[0], "x.x");
	make_host(&hosts[1], "xxx");
	hosts[1].presence = MESH_LOST;
	rails_number(hosts, 2);
	text = rails_of(&hosts[0]);
	assert_string_equal(text, "m0 m2");
	mesh_host_clear(&hosts[0]);
	mesh_host_clear(&hosts[1]);
}

static void own_numbers(void **state)
{
	static const struct mesh_host host = {.rail_count = 4, .missing_rails = 1 << 1 | 1 << 3};
	static const struct mesh_host wide = {.rail_count = MESH_MOST_RAILS + 1};

	(void)state;
	assert_true(mesh_host_has_rail(&host, 0));
	assert_false(mesh_host_has_rail(&host, 1));
	assert_true(mesh_host_has_rail(&host, 2));
	assert_false(mesh_host_has_rail(&host, 3));
	assert_false(mesh_host_has_rail(&host, 4));
	assert_true(mesh_host_has_rail(&wide, MESH_MOST_RAILS - 1));
	assert_false(mesh_host_has_rail(&wide, MESH_MOST_RAILS));
	assert_int_equal(mesh_host_count_rails(&host, 0), 0);
	assert_int_equal(mesh_host_count_rails(&host, 2), 1);
	assert_int_equal(mesh_host_count_rails(&host, 4), 2);
}

/* Takes an agent in that has one rail, and gaps at these places, up to a negative one. */
static void enter(struct paired *bed, uint32_t protocol, const int *places)
{
	const uint32_t number = (uint32_t)bed->count;
	struct coordinator *coordinator = bed->coordinator;
	struct mesh_message message = {.type = MESH_MESSAGE_IDENTITY, .identity.rail_count = 1};

	paired_add(bed, CONNECTION_ADMITTED)->protocol = protocol;
	snprintf(message.identity.name, sizeof(message.identity.name), "n%u", number);
	entry_take(coordinator, &coordinator->connections[number], &message);
	message = (struct mesh_message){.type = MESH_MESSAGE_RAIL, .rail.endpoint.device = "x"};
	entry_take(coordinator, &coordinator->connections[number], &message);
	for (; *places >= 0; places++) {
		const struct mesh_gap gap = {.place = (uint32_t)*places, .device = "y", .port = 1};

		mesh_gap_make(&gap, &message);
		if (coordinator->connections[number].state == CONNECTION_ENTERING)
			entry_take(coordinator, &coordinator->connections[number], &message);
	}
	message.type = MESH_MESSAGE_READY;
	if (coordinator->connections[number].state == CONNECTION_ENTERING)
		entry_take(coordinator, &coordinator->connections[number], &message);
}

/* What agents may say about gaps, and what ends their connection. */
static void told(void **state)
{
	static const struct {
		int places[4];
		uint32_t protocol;
		const char *reason; /* NULL: the host takes part */
	} samples[] = {
		{{-1}, MESH_PROTOCOL, NULL},
		{{-1}, MESH_PROTOCOL_LOWEST, NULL},
		{{0, 1, -1}, MESH_PROTOCOL, NULL},
		{{0, 2, -1}, MESH_PROTOCOL, NULL},
		{{0, 3, -1}, MESH_PROTOCOL, "it has fewer ports than it said"},
		{{2, 2, -1}, MESH_PROTOCOL, "it sent an unexpected message"},
		{{2, 1, -1}, MESH_PROTOCOL, "it sent an unexpected message"},
		{{0, -1}, MESH_PROTOCOL_GAPS - 1, "it sent an unexpected message"},
	};
	int many[MESH_MOST_GAPS + 2];
	struct paired bed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct mesh_host *host;

		paired_open(&bed, (struct coordinator_setup){.silence_msec = 5000});
		enter(&bed, samples[i].protocol, samples[i].places);
		host = &bed.coordinator->hosts[0];
		assert_int_equal(host->presence, samples[i].reason ? MESH_LOST : MESH_PRESENT);
		if (samples[i].reason)
			assert_string_equal(host->reason, samples[i].reason);
		paired_close(&bed);
	}
	for (unsigned int count = MESH_MOST_GAPS; count <= MESH_MOST_GAPS + 1; count++) {
		for (unsigned int i = 0; i < count; i++)
			many[i] = (int)i;
		many[count] = -1;
		paired_open(&bed, (struct coordinator_setup){.silence_msec = 5000});
		enter(&bed, MESH_PROTOCOL, many);
		assert_int_equal(bed.coordinator->hosts[0].presence,
				 count > MESH_MOST_GAPS ? MESH_LOST : MESH_PRESENT);
		paired_close(&bed);
	}
}

/* Slots are told since version 4 of the protocol, and at most one for each port. */
static void told_slots(void **state)
{
	struct mesh_message message = {.type = MESH_MESSAGE_IDENTITY, .identity.rail_count = 1};
	struct paired bed;

	(void)state;
	for (uint32_t protocol = MESH_PROTOCOL_SLOTS - 1; protocol <= MESH_PROTOCOL; protocol++)
		for (uint32_t count = 1; count <= MESH_MOST_PORTS + 1; count += MESH_MOST_PORTS) {
			struct connection *connection;
			struct mesh_host *host;

			paired_open(&bed, (struct coordinator_setup){.silence_msec = 5000});
			connection = paired_add(&bed, CONNECTION_ADMITTED);
			connection->protocol = protocol;
			message.type = MESH_MESSAGE_IDENTITY;
			snprintf(message.identity.name, sizeof(message.identity.name), "n0");
			entry_take(bed.coordinator, connection, &message);
			host = &bed.coordinator->hosts[0];
			message = (struct mesh_message){.type = MESH_MESSAGE_SLOT};
			memset(message.slot.slot, '\n', sizeof(message.slot.slot));
			for (uint32_t i = 0; i < count && connection->state == CONNECTION_ENTERING;
			     i++)
				entry_take(bed.coordinator, connection, &message);
			if (protocol < MESH_PROTOCOL_SLOTS || count > MESH_MOST_PORTS)
				assert_string_equal(host->reason, "it sent an unexpected message");
			else
				assert_null(strchr(host->slots.items[0], '\n'));
			paired_close(&bed);
			message = (struct mesh_message){.identity.rail_count = 1};
		}
}

/* The numbers are given once all hosts have come. */
static void gathered(void **state)
{
	struct paired bed;

	(void)state;
	paired_open(&bed, (struct coordinator_setup){.silence_msec = 5000, .host_count = 2});
	enter(&bed, MESH_PROTOCOL, (const int[]){0, -1});
	enter(&bed, MESH_PROTOCOL, (const int[]){1, -1});
	assert_int_equal(bed.coordinator->hosts[0].rail_count, 1);
	assert_int_equal(coordinator_gather(bed.coordinator), 0);
	assert_int_equal(bed.coordinator->hosts[0].rail_count, 2);
	assert_int_equal(bed.coordinator->hosts[0].missing_rails, 1 << 0);
	assert_int_equal(bed.coordinator->hosts[1].missing_rails, 1 << 1);
	paired_close(&bed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(down),		 cmocka_unit_test(unused),
		cmocka_unit_test(other_hosts),	 cmocka_unit_test(too_many),
		cmocka_unit_test(lost),		 cmocka_unit_test(own_numbers),
		cmocka_unit_test(told),		 cmocka_unit_test(gathered),
		cmocka_unit_test(gone),		 cmocka_unit_test(not_gone),
		cmocka_unit_test(gone_in_words), cmocka_unit_test(told_slots),
	};

	return cmocka_run_group_tests_name("mesh_gaps", tests, NULL, NULL);
}
