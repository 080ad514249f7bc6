/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rehearsals of a mesh: the lines of their file, which line applies to which end of a pair, what an
 * agent then says about its host, and the figures it makes up.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "mesh/agent/runner.h"
#include "mesh/coordinator/coordinator.h"
#include "places.h"

/* ---- Lines ---- */

static void expect_refused(const char *text, const char *wanted)
{
	struct rehearsal rehearsal = {.count = 77};
	_cleanup_(freep) char *reason = NULL;

	assert_int_equal(rehearsal_parse(text, &rehearsal, &reason), -EINVAL);
	assert_string_equal(reason, wanted);
	assert_int_equal(rehearsal.count, 77);
}

static void wrong_lines(void **state)
{
	static const char *const lines[] = {
		"others n1 gbps 1",
		"hosts",
		"hosts n[",
		"all",
		"all gbps",
		"all gbps x",
		"all gbps 1x",
		"all gbps -1",
		"all gbps 2e15",
		"all speed 3",
		"all gbps 1 fail",
		"all fail  ",
		"host",
		"host n1",
		"host n1/0 gbps 1",
		"host n1/0 rate 1",
		"rail n1/0 rate 1",
		"pair n1 n2 refuse me",
		"rail n1/16 gbps 1",
		"host n1/ gbps 1",
		"host n1/x gbps 1",
		"rail n1 gbps 1",
		"rail n1/0",
		"pair n1",
		"pair n1 n2",
		"pair n1 n2/99 hang",
		"all release",
		"all crash 1",
		"all down",
		"rail n1/0 down",
		"host n1 down no cable",
		"pair n1/0 n2/0 down no cable",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_(freep) char *text = mem_format("all gbps 1\n# a remark\n%s\nall gbps 2",
							 lines[i]);
		_cleanup_(freep) char *wanted = mem_format("line 3 is not a rehearsal line: %s",
							   lines[i]);

		expect_refused(text, wanted);
	}
	expect_refused("al\033l", "line 1 is not a rehearsal line: al\\x1bl");
}

/* `host n1/3: gbps=1 fail=no way`, one per line. */
static char *lines_of(const struct rehearsal *rehearsal)
{
	char *text = mem_string("");

	for (size_t i = 0; i < rehearsal->hosts.count; i++)
		mem_extend(&text, "%s ", rehearsal->hosts.items[i]);
	for (size_t i = 0; i < rehearsal->count; i++) {
		const struct rehearsal_line *line = &rehearsal->lines[i];

		mem_extend(&text, "\n%s", line->subject);
		for (size_t j = 0; j < 2 && line->names[j]; j++) {
			mem_extend(&text, " %s", line->names[j]);
			if (line->rails[j].known)
				mem_extend(&text, "/%u", (unsigned int)line->rails[j].value);
		}
		mem_extend(&text, ":");
		for (size_t j = 0; j < line->keys.count; j += 2)
			mem_extend(&text, " %s=%s", line->keys.items[j], line->keys.items[j + 1]);
	}
	return text;
}

static void good_lines(void **state)
{
	static const char text[] = "hosts a[1-2]\n"
				   "\thosts  n[1-3],m7  # instead of those\r\n"
				   "\n"
				   "  all gbps 1e15  hang   rails 0\r\n"
				   "host n1 release 1.2 crash # not this\n"
				   "rail n1/15\tfail no  way gbps 3\n"
				   "pair n1/0 n2 errors 7 fail \t out of order";
	struct rehearsal rehearsal;
	_cleanup_(freep) char *reason = NULL, *lines = NULL;

	(void)state;
	assert_int_equal(rehearsal_parse(text, &rehearsal, &reason), 0);
	lines = lines_of(&rehearsal);
	assert_string_equal(lines, "n1 n2 n3 m7 \n"
				   "all: gbps=1e15 hang= rails=0\n"
				   "host n1: release=1.2 crash=\n"
				   "rail n1/15: fail=no  way gbps 3\n"
				   "pair n1/0 n2: errors=7 fail=out of order");
	rehearsal_clear(&rehearsal);
	assert_int_equal(rehearsal.count, 0);
}

/* ---- Which line applies to what ---- */

/* Later lines take precedence; only lines for all and for the host apply. */
static void values_of_hosts(void **state)
{
	static const char text[] = "host n1 rails 9\n"
				   "all rails 2 rate 3\n"
				   "host n2 rails 4 rails 5\n";
	struct rehearsal rehearsal;
	_cleanup_(freep) char *reason = NULL;

	(void)state;
	assert_int_equal(rehearsal_parse(text, &rehearsal, &reason), 0);
	assert_string_equal(rehearsal_host_value(&rehearsal, "n1", "rails"), "2");
	assert_string_equal(rehearsal_host_value(&rehearsal, "n2", "rails"), "5");
	assert_string_equal(rehearsal_host_value(&rehearsal, "n2", "rate"), "3");
	assert_null(rehearsal_host_value(&rehearsal, "n2", "kernel"));
	/* A value is not taken for a key. */
	assert_null(rehearsal_host_value(&rehearsal, "n2", "4"));
	rehearsal_clear(&rehearsal);
}

static char *act_text(const struct rehearsal_act *act)
{
	char *text = mem_format("%g %g, %g usec", act->gbps[0], act->gbps[1], act->latency_usec);

	for (size_t i = 0; i < MESH_ENDS; i++)
		if (act->both_gbps[i].known)
			mem_extend(&text, ", %s sends %g", i ? "B" : "A", act->both_gbps[i].value);
	if (act->errors[0] || act->errors[1])
		mem_extend(&text, ", errors %u %u", (unsigned int)act->errors[0],
			   (unsigned int)act->errors[1]);
	if (act->noise_percent > 0)
		mem_extend(&text, ", noise %g", act->noise_percent);
	if (act->msec)
		mem_extend(&text, ", %u msec", (unsigned int)act->msec);
	if (act->apart)
		mem_extend(&text, ", apart: %s", act->apart);
	mem_extend(&text, "%s%s%s%s", act->fail ? ", fails: " : "", act->fail ? act->fail : "",
		   act->crash ? ", crashes" : "", act->hang ? ", hangs" : "");
	return text;
}

/* Rail 2 of n1 is tested with rail 3 of n2. */
static void acts(void **state)
{
	static const struct {
		const char *text, *act;
	} samples[] = {
		{"", "95 95, 1.8 usec"},
		{"all gbps 7 latency 3 noise 4 msec 5", "7 7, 3 usec, noise 4, 5 msec"},
		{"all send_gbps 7 send_both_gbps 8 errors 9",
		 "7 7, 1.8 usec, A sends 8, B sends 8, errors 9 9"},
		{"all both_gbps 8 fail no way", "95 95, 1.8 usec, A sends 8, B sends 8, fails: "
						"no way"},
		{"all apart no way", "95 95, 1.8 usec, apart: no way"},
		{"all crash", "95 95, 1.8 usec, crashes"},
		{"all hang", "95 95, 1.8 usec, hangs"},
		/* One end: what it sends, and its errors; everything else applies to the pair. */
		{"host n1 send_gbps 7 errors 3", "7 95, 1.8 usec, errors 3 0"},
		{"host n2 send_gbps 7 errors 3", "95 7, 1.8 usec, errors 0 3"},
		{"host n1 gbps 7 both_gbps 8 latency 2", "7 7, 2 usec, A sends 8, B sends 8"},
		{"host n1 send_both_gbps 7", "95 95, 1.8 usec, A sends 7"},
		{"host n2 send_both_gbps 7", "95 95, 1.8 usec, B sends 7"},
		{"host n3 gbps 7 hang", "95 95, 1.8 usec"},
		/* A rail line applies to that host's rail only. */
		{"rail n1/2 send_gbps 7", "7 95, 1.8 usec"},
		{"rail n1/3 send_gbps 7", "95 95, 1.8 usec"},
		{"rail n2/3 send_gbps 7", "95 7, 1.8 usec"},
		{"rail n2/2 send_gbps 7", "95 95, 1.8 usec"},
		/* A pair in either order; one-ended values belong to the end named first. */
		{"pair n1 n2 send_gbps 7 errors 2", "7 95, 1.8 usec, errors 2 0"},
		{"pair n2 n1 send_gbps 7 errors 2", "95 7, 1.8 usec, errors 0 2"},
		{"pair n2/3 n1/2 send_gbps 7", "95 7, 1.8 usec"},
		{"pair n2/3 n1/3 send_gbps 7", "95 95, 1.8 usec"},
		{"pair n1/2 n2/2 send_gbps 7", "95 95, 1.8 usec"},
		{"pair n1 n3 gbps 7", "95 95, 1.8 usec"},
		{"pair n3 n2 gbps 7", "95 95, 1.8 usec"},
		{"pair n1 n1 gbps 7", "95 95, 1.8 usec"},
		/* Later lines take precedence. */
		{"all gbps 1\nhost n1 gbps 2\nhost n3 gbps 4\nhost n2 send_gbps 3",
		 "2 3, 1.8 usec"},
	};
	const char *const names[MESH_ENDS] = {"n1", "n2"};
	const uint16_t rails[MESH_ENDS] = {2, 3};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		_cleanup_(freep) char *reason = NULL, *text = NULL;
		struct rehearsal rehearsal;
		struct rehearsal_act act;

		assert_int_equal(rehearsal_parse(samples[i].text, &rehearsal, &reason), 0);
		rehearsal_act(&rehearsal, names, rails, &act);
		text = act_text(&act);
		assert_string_equal(text, samples[i].act);
		rehearsal_clear(&rehearsal);
	}
}

/* In loopback both ends are the same. */
static void act_alone(void **state)
{
	const char *const names[MESH_ENDS] = {"n1", "n1"};
	const uint16_t rails[MESH_ENDS] = {2, 2};
	_cleanup_(freep) char *reason = NULL, *text = NULL;
	struct rehearsal rehearsal;
	struct rehearsal_act act;

	(void)state;
	assert_int_equal(rehearsal_parse("rail n1/2 send_gbps 7\npair n1 n1 errors 3", &rehearsal,
					 &reason),
			 0);
	rehearsal_act(&rehearsal, names, rails, &act);
	text = act_text(&act);
	assert_string_equal(text, "7 7, 1.8 usec, errors 3 3");
	rehearsal_clear(&rehearsal);
}

/* ---- The runner ---- */

struct opened {
	char path[PATH_MAX];
	struct mesh_runner_setup setup;
	struct mesh_local local;
	void *state;
	char *reason, *hint;
	int rc;
};

static void open_bytes(struct opened *opened, const char *text, size_t length)
{
	int fd;

	place_for(opened->path, "rehearsal");
	fd = mkstemp(opened->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	close(fd);
	opened->setup.file = opened->path;
	opened->rc = mesh_runner_rehearsal.open(&opened->setup, &opened->local, &opened->state,
						&opened->reason, &opened->hint);
	unlink(opened->path);
}

static void open_it(struct opened *opened, const char *text)
{
	open_bytes(opened, text, strlen(text));
}

static void close_it(struct opened *opened)
{
	if (!opened->rc)
		mesh_runner_rehearsal.close(opened->state);
	mesh_host_clear(&opened->local.host);
	free(opened->reason);
	free(opened->hint);
}

static char *host_text(const struct mesh_host *host)
{
	char *text = mem_format("%s %s %s %s", host->name, host->release ? host->release : "-",
				host->kernel ? host->kernel : "-",
				host->firmware ? host->firmware : "-");

	mem_extend(&text, ", others %d, memlock %d, port %u, %s:",
		   host->others_qps.known ? (int)host->others_qps.value : -1,
		   host->memlock_bytes.known ? (int)host->memlock_bytes.value : -1,
		   host->server_port, host->rehearsed ? "rehearsed" : "real");
	for (size_t i = 0; i < host->gap_count; i++)
		mem_extend(&text, " %u is %s/%u, %s;", host->gaps[i].place, host->gaps[i].device,
			   host->gaps[i].port, host->gaps[i].reason);
	for (uint32_t i = 0; i < host->rail_count; i++) {
		const struct endpoint *rail = &host->rails[i];

		mem_extend(&text, " %s/%u %d %u %u %u %u", rail->device, rail->port,
			   rail->link_layer == LINK_LAYER_INFINIBAND, (unsigned int)rail->state,
			   rail->mtu_bytes, rail->lid, (unsigned int)rail->rate_mbps);
	}
	return text;
}

static void hosts(void **state)
{
	static const char text[] = "hosts a b c\nall release 9.9\n"
				   "host a kernel 6.1 firmware 22.3 others 4 memlock 65536 rails 2 "
				   "rate 200\n";
	struct opened first = {.setup.seat = 0}, second = {.setup = {.seat = 2, .rank = {1, true}}},
		      named = {.setup.name = "x"};
	_cleanup_(freep) char *one = NULL, *two = NULL, *three = NULL;

	(void)state;
	open_it(&first, text);
	assert_int_equal(first.rc, 0);
	one = host_text(&first.local.host);
	assert_string_equal(one, "a 9.9 6.1 22.3, others 4, memlock 65536, port 18777, rehearsed: "
				 "mlx5_0/1 1 4 4096 1 200000 mlx5_1/1 1 4 4096 2 200000");
	close_it(&first);
	open_it(&second, text);
	two = host_text(&second.local.host);
	assert_string_equal(two,
			    "b 9.9 - -, others -1, memlock -1, port 18777, rehearsed: mlx5_0/1 "
			    "1 4 4096 1 100000");
	close_it(&second);
	open_it(&named, "all rails 40 rate 1");
	three = host_text(&named.local.host);
	assert_int_equal(named.local.host.rail_count, MESH_MOST_RAILS);
	assert_memory_equal(three, "x - - -, ", 9);
	close_it(&named);
}

static double gbps_of(const struct opened *opened, const char *peer, uint16_t rail,
		      uint16_t peer_rail)
{
	struct mesh_order order = {
		.rail = rail, .peer_rail = peer_rail, .tests = MESH_CONNECT | MESH_BANDWIDTH};
	struct mesh_result result = {.outcome = MESH_UNTRIED};

	snprintf(order.peer, sizeof(order.peer), "%s", peer);
	mesh_runner_rehearsal.run(opened->state, &order, NULL, &result);
	return result.gbps[MESH_END_A].value;
}

/* Orders count only rails that work; the file counts all of them. */
static void gaps(void **state)
{
	static const char text[] = "hosts a b\nall rails 4 gbps 9\n"
				   "rail a/1 down no cable\nrail b/0 down off\nrail b/2 down off\n"
				   "rail a/2 gbps 2\nrail a/3 gbps 3\nrail b/3 gbps 7\n"
				   "pair a/0 b/1 gbps 5\n";
	struct opened opened = {.setup.seat = 0};
	_cleanup_(freep) char *host = NULL;

	(void)state;
	open_it(&opened, text);
	host = host_text(&opened.local.host);
	assert_string_equal(host, "a - - -, others -1, memlock -1, port 18777, rehearsed: 1 is "
				  "mlx5_1/1, no cable; mlx5_0/1 1 4 4096 1 100000 mlx5_2/1 1 4 "
				  "4096 3 100000 mlx5_3/1 1 4 4096 4 100000");
	assert_float_equal(gbps_of(&opened, "b", 0, 0), 5, 1e-9);
	assert_float_equal(gbps_of(&opened, "b", 0, 1), 7, 1e-9);
	assert_float_equal(gbps_of(&opened, "b", 1, 0), 2, 1e-9);
	assert_float_equal(gbps_of(&opened, "b", 2, 0), 3, 1e-9);
	assert_float_equal(gbps_of(&opened, "c", 0, 0), 9, 1e-9);
	close_it(&opened);
}

/* Beyond the names in the file, a host is named after the machine and the seat's number. */
static void unnamed_host(void **state)
{
	struct opened opened = {.setup.seat = 3};
	char own[256] = "";
	_cleanup_(freep) char *wanted = NULL;

	(void)state;
	assert_int_equal(gethostname(own, sizeof(own) - 1), 0);
	wanted = mem_format("%.127s-3", own);
	open_it(&opened, "hosts a b c");
	assert_string_equal(opened.local.host.name, wanted);
	close_it(&opened);
}

static void not_opened(void **state)
{
	static const char cut[] = "hosts a b\n\0all fail";
	struct opened refused = {.setup.seat = 1}, wrong = {.setup.seat = 0}, none = {.rc = 0},
		      binary = {.setup.seat = 0};
	_cleanup_(freep) char *reason = NULL, *missing = NULL, *no_text = NULL;

	(void)state;
	open_it(&refused, "hosts a b\nhost b refuse out of order");
	assert_int_equal(refused.rc, -ENODEV);
	assert_string_equal(refused.reason, "out of order");
	assert_null(refused.hint);
	assert_string_equal(refused.local.host.name, "b");
	close_it(&refused);
	open_it(&wrong, "all nonsense");
	assert_int_equal(wrong.rc, -EINVAL);
	reason = mem_format("%s: line 1 is not a rehearsal line: all nonsense", wrong.path);
	assert_string_equal(wrong.reason, reason);
	close_it(&wrong);
	open_bytes(&binary, cut, sizeof(cut) - 1);
	assert_int_equal(binary.rc, -EINVAL);
	no_text = mem_format("%s: it is not a text file", binary.path);
	assert_string_equal(binary.reason, no_text);
	close_it(&binary);
	none.setup.file = "/no/such/file";
	none.rc = mesh_runner_rehearsal.open(&none.setup, &none.local, &none.state, &none.reason,
					     &none.hint);
	assert_int_equal(none.rc, -ENOENT);
	missing = mem_format("cannot read the rehearsal /no/such/file: %s", strerror(ENOENT));
	assert_string_equal(none.reason, missing);
	assert_string_equal(none.hint, "put the file where all hosts see it under the same path");
	close_it(&none);
}

static char *result_text(const struct mesh_result *result)
{
	char *text = mem_format("%d '%s' errors %u %u", (int)result->outcome, result->reason,
				(unsigned int)result->errors[0].value,
				(unsigned int)result->errors[1].value);

	if (result->latency_usec.known)
		mem_extend(&text, " latency %.6f", result->latency_usec.value);
	for (size_t i = 0; i < MESH_ENDS; i++)
		if (result->gbps[i].known)
			mem_extend(&text, " %.6f", result->gbps[i].value);
	for (size_t i = 0; i < MESH_ENDS; i++)
		if (result->both_gbps[i].known)
			mem_extend(&text, " both %.6f", result->both_gbps[i].value);
	return text;
}

/* The noise is a number from -1 to 1, from SplitMix64's finalizer of the order and the figure. */
static void runs(void **state)
{
	static const struct {
		uint64_t id;
		const char *peer;
		uint32_t tests;
		const char *result;
	} samples[] = {
		{1, "b", MESH_CONNECT, "0 '' errors 6 0"},
		{1, "b", MESH_LATENCY, "0 '' errors 6 0 latency 8.837079"},
		{1, "b", MESH_BANDWIDTH, "0 '' errors 6 0 50.665616 86.293654"},
		{1, "b", MESH_BOTH_WAYS, "0 '' errors 6 0 both 45.560145 both 197.563034"},
		{77, "b", MESH_ALL_TESTS,
		 "0 '' errors 6 0 latency 9.537178 51.239866 97.174330 both 51.905700 both "
		 "181.708696"},
		{1, "c", MESH_ALL_TESTS, "1 'no way' errors 0 0"},
	};
	struct opened opened = {.setup.seat = 0};

	(void)state;
	open_it(&opened, "hosts a b c\nall noise 10 latency 9\nhost a send_gbps 50 errors 6\n"
			 "host b send_both_gbps 180\nhost c fail no way");
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct mesh_order order = {.id = samples[i].id, .tests = samples[i].tests};
		struct mesh_result result = {.outcome = MESH_UNTRIED};
		_cleanup_(freep) char *text = NULL;

		snprintf(order.peer, sizeof(order.peer), "%s", samples[i].peer);
		mesh_runner_rehearsal.run(opened.state, &order, NULL, &result);
		text = result_text(&result);
		assert_string_equal(text, samples[i].result);
	}
	close_it(&opened);
}

/* The time a pair takes, and the tests omitted where they would show nothing. */
static void times_of_pairs(void **state)
{
	const struct session_setup usual = {.latency_msec = 1000, .bandwidth_msec = 20},
				   all = {.tests = MESH_ALL_TESTS};
	static const struct {
		uint32_t tests, msec;
	} samples[] = {
		{MESH_CONNECT, 300},
		{MESH_CONNECT | MESH_LATENCY, 1300},
		{MESH_CONNECT | MESH_BANDWIDTH, 340},
		{MESH_CONNECT | MESH_BOTH_WAYS, 420},
		{MESH_CONNECT | MESH_LATENCY | MESH_BANDWIDTH | MESH_BOTH_WAYS, 1460},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(session_pair_msec(&usual, samples[i].tests), samples[i].msec);
	assert_int_equal(session_tests(&usual, MESH_FULL), MESH_TESTS);
	assert_int_equal(session_tests(&usual, MESH_LOOPBACK), MESH_TESTS);
	assert_int_equal(session_tests(&all, MESH_FULL), MESH_ALL_TESTS);
	assert_int_equal(session_tests(&all, MESH_LOOPBACK), MESH_ALL_TESTS & ~MESH_BOTH_WAYS);
	assert_int_equal(session_tests(&all, MESH_INCAST), MESH_ALL_TESTS & ~MESH_BOTH_WAYS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(good_lines),
		cmocka_unit_test(values_of_hosts),
		cmocka_unit_test(acts),
		cmocka_unit_test(act_alone),
		cmocka_unit_test(hosts),
		cmocka_unit_test(gaps),
		cmocka_unit_test(unnamed_host),
		cmocka_unit_test(not_opened),
		cmocka_unit_test(runs),
		cmocka_unit_test(times_of_pairs),
	};

	return cmocka_run_group_tests_name("mesh-rehearsal", tests, NULL, NULL);
}
