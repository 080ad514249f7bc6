/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The meaning of selftest's options; tests/cli/selftest.bats tests those that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "cmd/selftest/selftest_run.h"

/* The words after `selftest`, separated by blanks, which must be valid. */
struct parsed {
	struct selftest_args args;
	struct selftest_plan plan;
	char *words[32];
};

static void parse(struct parsed *parsed, char *text)
{
	const struct option_set sets[] = {
		{selftest_options, &parsed->args},
		{selftest_measure_options, &parsed->args},
		{selftest_ways_options, &parsed->args},
		{selftest_path_options, &parsed->args},
	};
	char *message = NULL, *hint = NULL;
	int count = 1;

	*parsed = (struct parsed){.words = {(char[]){"selftest"}}};
	for (char *word; (word = strsep(&text, " "));)
		parsed->words[count++] = word;
	assert_true(options_parse(count, parsed->words, sets, ARRAY_SIZE(sets), false, &message,
				  &hint) > 0);
	if (!selftest_plan_make(&parsed->plan, &parsed->args, &message, &hint))
		fail_msg("%s", message);
}

#define PARSE(parsed, text) parse(parsed, (char[]){text})

static void nothing_given(void **state)
{
	struct selftest_args args = {0};
	struct selftest_plan plan;
	char *message = NULL, *hint = NULL;

	(void)state;
	unsetenv("RDMACTL_TOKEN");
	assert_true(selftest_plan_make(&plan, &args, &message, &hint));
	assert_null(plan.request.token);
	assert_null(plan.request.peer);
	assert_null(plan.request.tests);
	assert_int_equal(plan.request.size_count, 0);
	assert_int_equal(plan.request.tcp_port, 0);
	assert_int_equal(plan.request.signals, -1);
	assert_false(plan.request.peer_gid_index.known);
	assert_int_equal(plan.protocol, PROTOCOL_RDMACTL);
	selftest_plan_free(&plan);
}

static void measurements(void **state)
{
	struct parsed parsed;
	const struct selftest_request *request = &parsed.plan.request;

	(void)state;
	PARSE(&parsed, "--peer host --latency --bandwidth --sizes 2,4k,1m --operations read,send "
		       "--duration 500ms --qps 3 --depth 9 --batch 4 --mtu 2048 --expect-gbps 1.5 "
		       "--peer-gid-index 0 --port 4000 --cm");
	assert_string_equal(request->peer, "host");
	assert_true(request->latency && request->bandwidth && request->by_cm);
	assert_int_equal(request->size_count, 3);
	assert_int_equal(request->sizes[1], 4096);
	assert_int_equal(request->sizes[2], 1 << 20);
	assert_int_equal(request->operations, SELFTEST_READ | SELFTEST_SEND);
	assert_int_equal(request->duration_msec, 500);
	assert_int_equal(request->queue_pairs, 3);
	assert_int_equal(request->depth, 9);
	assert_int_equal(request->batch, 4);
	assert_int_equal(request->mtu_bytes, 2048);
	assert_true(request->expect_gbps > 1.49 && request->expect_gbps < 1.51);
	assert_true(request->peer_gid_index.known);
	assert_int_equal(request->tcp_port, 4000);
	selftest_plan_free(&parsed.plan);
}

static void ways(void **state)
{
	struct parsed parsed;
	const struct selftest_ways *ways = &parsed.plan.request.ways;

	(void)state;
	PARSE(&parsed, "--bandwidth");
	assert_int_equal(ways->transport, SELFTEST_BY_RC);
	assert_int_equal(ways->direction, DIRECTION_OUT);
	assert_false(ways->by_events || ways->cpu || ways->in_order || ways->samples);
	assert_false(ways->signal_every.known || ways->inline_bytes.known);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--transport ud --both-ways --events --cpu --no-relaxed --signal-every 7 "
		       "--inline 0 --every 2s --duration forever --expect-mops 1.5");
	assert_int_equal(ways->transport, SELFTEST_BY_UD);
	assert_int_equal(ways->direction, DIRECTION_BOTH);
	assert_true(ways->by_events && ways->cpu && ways->in_order);
	assert_int_equal(ways->signal_every.value, 7);
	assert_true(ways->inline_bytes.known && !ways->inline_bytes.value);
	assert_int_equal(ways->every_msec, 2000);
	assert_true(parsed.plan.request.duration_msec == SELFTEST_FOREVER);
	assert_true(parsed.plan.request.expect_mops > 1.49);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--reversed --bandwidth");
	assert_int_equal(ways->direction, DIRECTION_IN);
	selftest_plan_free(&parsed.plan);
}

static void port_of_the_peer(void **state)
{
	struct parsed parsed;
	const struct selftest_request *request = &parsed.plan.request;

	(void)state;
	PARSE(&parsed, "--peer host --peer-device mlx5_3/2");
	assert_string_equal(request->peer_device, "mlx5_3");
	assert_int_equal(request->peer_port, 2);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--peer host --peer-device mlx5_3");
	assert_string_equal(request->peer_device, "mlx5_3");
	assert_int_equal(request->peer_port, 0);
	selftest_plan_free(&parsed.plan);
}

static void all_sizes(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--all-sizes --iterations 100000000");
	assert_int_equal(parsed.plan.request.size_count, 23);
	assert_int_equal(parsed.plan.request.sizes[0], 2);
	assert_int_equal(parsed.plan.request.sizes[22], 8 << 20);
	assert_int_equal(parsed.plan.request.iterations, 100000000);
	selftest_plan_free(&parsed.plan);
}

static void tests_and_groups(void **state)
{
	struct parsed parsed;
	const struct selftest_request *request = &parsed.plan.request;

	(void)state;
	PARSE(&parsed,
	      "--test gather,rc-write --block-size 64,1k --block-count 2,8,30 --stride 4k");
	assert_int_equal(request->test_count, 2);
	assert_string_equal(request->tests[0], "gather");
	assert_string_equal(request->tests[1], "rc-write");
	assert_int_equal(request->block_bytes_count, 2);
	assert_int_equal(request->block_bytes[1], 1024);
	assert_int_equal(request->block_count_count, 3);
	assert_int_equal(request->block_count[2], 30);
	assert_int_equal(request->stride, 4096);
	selftest_plan_free(&parsed.plan);
}

/* A port has the flow label from which the kernel computes it; that of the first is not 0. */
static void source_ports(void **state)
{
	struct parsed parsed;
	const struct selftest_path *path = &parsed.plan.request.path;

	(void)state;
	PARSE(&parsed, "--source-port 65535");
	assert_true(path->flow_label.known && path->by_port);
	assert_int_equal(path->flow_label.value, 0x3fff);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--source-port 49152");
	assert_int_equal(path->flow_label.value, 0x4001);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--flow-label 0x4001");
	assert_int_equal(path->flow_label.value, 0x4001);
	assert_false(path->by_port);
	selftest_plan_free(&parsed.plan);
}

/* Both sides use the same memory unless the peer's is named. */
static void memory(void **state)
{
	struct parsed parsed;
	const struct selftest_request *request = &parsed.plan.request;

	(void)state;
	PARSE(&parsed, "--memory huge");
	assert_int_equal(request->memory.kind, MEMORY_HUGE);
	assert_int_equal(request->peer_memory.kind, MEMORY_HUGE);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--peer host --memory dmabuf:cuda:3 --peer-memory pages");
	assert_int_equal(request->memory.kind, MEMORY_DMABUF);
	assert_int_equal(request->memory.exporter, EXPORTER_CUDA);
	assert_int_equal(request->memory.number, 3);
	assert_int_equal(request->peer_memory.kind, MEMORY_PAGES);
	selftest_plan_free(&parsed.plan);
}

/* Each word names a kind and is printed back; other words name none. */
static void kinds_of_memory(void **state)
{
	static const char *const kinds[] = {"pages",	     "huge",	       "odp",
					    "dmabuf:system", "dmabuf:udmabuf", "dmabuf:cuda:0",
					    "dmabuf:cuda:7", "dmabuf:hip:255"};
	static const char *const wrong[] = {"",
					    "hug",
					    "hugely",
					    "dmabuf",
					    "dmabuf:",
					    "dmabuf:system:1",
					    "dmabuf:cuda:",
					    "dmabuf:cuda:256",
					    "dmabuf:cuda:x",
					    "64m",
					    "odp:1"};
	struct message_memory kind;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		char *text;

		assert_int_equal(selftest_memory_parse(kinds[i], &kind), 0);
		text = selftest_memory_text(&kind);
		assert_string_equal(text, kinds[i]);
		free(text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_not_equal(selftest_memory_parse(wrong[i], &kind), 0);
}

static void server(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--serve --bind ::1 --once --max-clients 2 --gid-index 3");
	assert_int_equal(parsed.plan.request.bind.family, AF_INET6);
	assert_int_equal(parsed.plan.request.scope, 0);
	assert_int_equal(parsed.args.gid_index.value, 3);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--serve --bind fe80::1%lo");
	assert_int_not_equal(parsed.plan.request.scope, 0);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--serve --allow 10.0.0.0/8,fd00::/8,192.0.2.1 --memory 2g --longest 5m "
		       "--idle 30s");
	assert_int_equal(parsed.plan.allowed_count, 3);
	assert_int_equal(parsed.plan.allowed[1].bits, 8);
	assert_int_equal(parsed.plan.memory_bytes, 2ull << 30);
	assert_int_equal(parsed.plan.request.memory.kind, MEMORY_PAGES);
	assert_int_equal(parsed.args.longest.value, 300000);
	assert_int_equal(parsed.args.idle.value, 30000);
	selftest_plan_free(&parsed.plan);
}

/* The command line overrides the environment, which is checked only if it is used. */
static void token(void **state)
{
	struct parsed parsed;

	(void)state;
	setenv("RDMACTL_TOKEN", "from-environment", 1);
	PARSE(&parsed, "--serve");
	assert_string_equal(parsed.plan.request.token, "from-environment");
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--peer host --token from-line");
	assert_string_equal(parsed.plan.request.token, "from-line");
	selftest_plan_free(&parsed.plan);
	setenv("RDMACTL_TOKEN", "", 1);
	PARSE(&parsed, "--latency");
	assert_null(parsed.plan.request.token);
	selftest_plan_free(&parsed.plan);
	unsetenv("RDMACTL_TOKEN");
}

static void other_programs(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--peer host --proto pingpong --sizes 8k --iterations 10 --mtu 1024");
	assert_int_equal(parsed.plan.protocol, PROTOCOL_PINGPONG);
	assert_int_equal(parsed.plan.request.sizes[0], 8192);
	selftest_plan_free(&parsed.plan);
	PARSE(&parsed, "--serve --proto rping --once");
	assert_int_equal(parsed.plan.protocol, PROTOCOL_RPING);
	selftest_plan_free(&parsed.plan);
}

/* A server for other programs listens on a link-local address of the named netdev. */
static void scope_of_other_programs(void **state)
{
	struct parsed parsed;

	(void)state;
	PARSE(&parsed, "--serve --proto pingpong --bind fe80::1%lo --once");
	assert_int_equal(parsed.plan.request.bind.family, AF_INET6);
	assert_int_not_equal(parsed.plan.request.scope, 0);
	assert_true(parsed.plan.request.server);
	assert_true(parsed.plan.request.once);
	selftest_plan_free(&parsed.plan);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(scope_of_other_programs),
		cmocka_unit_test(nothing_given),
		cmocka_unit_test(measurements),
		cmocka_unit_test(ways),
		cmocka_unit_test(port_of_the_peer),
		cmocka_unit_test(all_sizes),
		cmocka_unit_test(tests_and_groups),
		cmocka_unit_test(source_ports),
		cmocka_unit_test(memory),
		cmocka_unit_test(kinds_of_memory),
		cmocka_unit_test(server),
		cmocka_unit_test(token),
		cmocka_unit_test(other_programs),
	};

	return cmocka_run_group_tests_name("selftest_args", tests, NULL, NULL);
}
