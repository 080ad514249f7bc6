/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Refused options of selftest, with the full message and the next step, besides those just within
 * the limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/selftest/selftest_run.h"

#define HELP "rdmactl selftest --help"

/* Returns the message, or NULL if the options are valid. */
static char *refusal(const char *text, char **ret_hint)
{
	struct selftest_args args = {0};
	const struct option_set sets[] = {
		{selftest_options, &args},
		{selftest_measure_options, &args},
		{selftest_ways_options, &args},
		{selftest_path_options, &args},
	};
	_cleanup_(freep) char *copy = mem_string(text);
	char *message = NULL, *hint = NULL, *words[40] = {(char[]){"selftest"}}, *rest = copy;
	struct selftest_plan plan;
	int count = 1;

	for (char *word; (word = strsep(&rest, " "));)
		words[count++] = word;
	if (options_parse(count, words, sets, ARRAY_SIZE(sets), false, &message, &hint) <= 0)
		fail_msg("%s: %s", text, message);
	if (selftest_plan_make(&plan, &args, &message, &hint))
		selftest_plan_free(&plan);
	*ret_hint = hint;
	return message;
}

static void expect(const char *words, const char *message, const char *hint)
{
	_cleanup_(freep) char *next = NULL;
	_cleanup_(freep) char *got = refusal(words, &next);

	if (!got != !message || (got && strcmp(got, message)))
		fail_msg("%s: '%s' instead of '%s'", words, got ? got : "nothing",
			 message ? message : "nothing");
	if (got)
		assert_string_equal(next, hint ? hint : HELP);
}

static const struct {
	const char *words, *message, *hint;
} values_rows[] = {
	{"--bandwidth --depth 4 --batch 4", NULL},
	{"--bandwidth --depth 4 --batch 5", "--batch is more than --depth"},
	{"--bandwidth --batch 5", NULL},
	{"--bandwidth --depth 4 --signal-every 4", NULL},
	{"--bandwidth --depth 4 --signal-every 5", "--signal-every is more than --depth"},
	{"--bandwidth --signal-every 5", NULL},
	{"--connections 9 --depth 1024", NULL},
	{"--connections 9 --depth 1025",
	 "--depth: no more than 1024 connections can be under way at once"},
	{"--bandwidth --depth 1025", NULL},
	{"--all-ports --duration 1h", NULL},
	{"--all-ports --every 1s --duration forever",
	 "--all-ports: the measurement of each port alone must end"},
	{"--latency --every 1s --duration forever", NULL},
	{"--latency --duration forever", "--duration forever needs --every", "--every 1s"},
	{"--cm --latency --transport rc", NULL},
	{"--cm --latency --transport ud", "--cm cannot be used with --transport ud",
	 "omit --cm: the exchange connects them"},
	{"--cm --latency --transport xrc", "--cm cannot be used with --transport xrc",
	 "omit --cm: the exchange connects them"},
	/* sizes */
	{"--latency --sizes 256m", NULL},
	{"--latency --sizes 268435457", "--sizes: 268435457 is more than 256 MiB"},
	{"--latency --sizes 1025g", "--sizes: 1025g is more than 256 MiB"},
	{"--latency --sizes 2,,4", "--sizes: '' is not a size (2,4k,1m)"},
	{"--latency --sizes "
	 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
	 NULL},
	{"--latency --sizes "
	 "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
	 "1",
	 "--sizes: more than 32 sizes"},
	{"--peer h --proto pingpong --sizes 1,2", "--sizes: only one size with --proto pingpong"},
	{"--peer h --proto pingpong --sizes 0", "--sizes: messages of 0 bytes cannot be compared"},
	{"--latency --sizes 0", NULL},
	/* blocks */
	{"--test gather --block-size 256m --block-count 1", NULL},
	{"--test gather --block-size 0", "--block-size: 0 is not between 1 and 268435456"},
	{"--test gather --block-size 257m", "--block-size: 257m is not between 1 and 268435456"},
	{"--test gather --block-size 1025g", "--block-size: 1025g is not between 1 and 268435456"},
	{"--test gather --block-count 268435457",
	 "--block-count: 268435457 is not between 1 and 268435456"},
	{"--test gather --block-size x", "--block-size: 'x' is not a size (64,4k)"},
	{"--test gather --block-count 1k",
	 "--block-count: '1k' is not a number of blocks (2,8,30)"},
	{"--test gather --block-count 0", "--block-count: 0 is not between 1 and 268435456"},
	{"--test gather --block-count 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", NULL},
	{"--test gather --block-count 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1",
	 "--block-count: more than 16"},
	{"--test gather --block-size 64 --stride 64", NULL},
	{"--test gather --block-size 64,65 --stride 64",
	 "--stride is less than --block-size: the blocks would overlap"},
	/* without a size of 256 bytes */
	{"--test gather --stride 256", NULL},
	{"--test gather --stride 255",
	 "--stride is less than --block-size: the blocks would overlap"},
	/* the server's memory */
	{"--serve --memory 64m", NULL},
	{"--serve --memory 67108863",
	 "--memory: with --serve give a size from 64m to 1024g, not 67108863"},
	{"--serve --memory 1024g", NULL},
	/* a number of bytes, as other programs print it */
	{"--serve --memory 8589934592", NULL},
	{"--serve --memory 1025g",
	 "--memory: with --serve give a size from 64m to 1024g, not 1025g"},
	{"--serve --memory huge", "--memory: with --serve 'huge' is not a size (64m, 1g)"},
	{"--memory 1g", "--memory with a size needs --serve"},
	{"--memory 1025g", "--memory with a size needs --serve"},
	/* addresses */
	{"--serve --bind 10.0.0", "--bind: '10.0.0' is not an IPv4 or IPv6 address"},
	{"--serve --bind fe80::1",
	 "--bind: fe80::1 is a link-local address: add its netdev, fe80::1%NETDEV"},
	{"--serve --bind fe80::1%nothing",
	 "--bind: the netdev in 'fe80::1%nothing' does not exist"},
	{"--serve --bind fd00::1", NULL},
	{"--serve --bind 169.254.0.1", NULL},
	{"--serve --allow 10.0.0.0/8,x", "--allow: 'x' is not a network (10.0.0.0/8,fd00::/8)"},
	/* the peer's device: a name of up to 63 bytes */
	{"--peer h --peer-device mlx5_0/255", NULL},
	{"--peer h --peer-device mlx5_0/256",
	 "--peer-device: 'mlx5_0/256' is neither DEV nor DEV/PORT"},
	{"--peer h --peer-device mlx5_0/0",
	 "--peer-device: 'mlx5_0/0' is neither DEV nor DEV/PORT"},
	{"--peer h --peer-device /1", "--peer-device: '/1' is neither DEV nor DEV/PORT"},
	{"--peer h --peer-device "
	 "123456789012345678901234567890123456789012345678901234567890123",
	 NULL},
	{"--peer h --peer-device "
	 "1234567890123456789012345678901234567890123456789012345678901234",
	 "--peer-device: "
	 "'1234567890123456789012345678901234567890123456789012345678901234' is neither "
	 "DEV "
	 "nor DEV/PORT"},
	/* tokens have up to 63 bytes */
	{"--peer h --token "
	 "123456789012345678901234567890123456789012345678901234567890123",
	 NULL},
	{"--peer h --token "
	 "1234567890123456789012345678901234567890123456789012345678901234",
	 "--token: the token is longer than 63 bytes"},
	/* what packets carry */
	{"--flow-label 0xfffff", NULL},
	{"--flow-label 0x100000", "--flow-label: '0x100000' is not a flow label, 0 to 0xfffff"},
	{"--tclass 255", NULL},
	{"--tclass 256", "--tclass: '256' is not a traffic class, 0 to 255"},
	{"--tos 256", "--tos: '256' is not a traffic class, 0 to 255"},
	{"--pkey 0xffff", NULL},
	{"--pkey 1", NULL},
	{"--pkey 0x8000", "--pkey: '0x8000' is not a P_Key",
	 "rdmactl pkeys lists them: 0xffff, 0x8001"},
	{"--pkey 0", "--pkey: '0' is not a P_Key", "rdmactl pkeys lists them: 0xffff, 0x8001"},
	{"--pkey 0x10000", "--pkey: '0x10000' is not a P_Key",
	 "rdmactl pkeys lists them: 0xffff, 0x8001"},
	{"--test rc-wirte", "--test: unknown test or group 'rc-wirte'", "did you mean 'rc-write'?"},
};

static void values(void **state)
{
	(void)state;
	unsetenv("RDMACTL_TOKEN");
	for (size_t i = 0; i < ARRAY_SIZE(values_rows); i++)
		expect(values_rows[i].words, values_rows[i].message, values_rows[i].hint);
}

/* Tests with other programs: which are supported, and which are not. */
static void protocols(void **state)
{
	static const struct {
		const char *words, *message;
	} rows[] = {
		{"--peer h --proto srq-pingpong --qps 255", NULL},
		{"--peer h --proto srq-pingpong --qps 256",
		 "--qps: ibv_srq_pingpong has no more than 255 queue pairs"},
		{"--peer h --proto pingpong --qps 2", "--qps cannot be used with --proto pingpong"},
		{"--peer h --proto pingpong --depth 2",
		 "--depth cannot be used with --proto pingpong"},
		{"--peer h --proto perftest --latency --operations read", NULL},
		{"--peer h --proto perftest --bandwidth --operations send", NULL},
		{"--peer h --proto perftest --latency --bandwidth",
		 "--proto perftest: give only one of --latency and --bandwidth"},
		{"--peer h --proto perftest --operations atomic",
		 "--proto perftest: --operations is one of send, write and read"},
		{"--peer h --proto perftest --operations send,write",
		 "--proto perftest: --operations is one of send, write and read"},
		{"--peer h --proto rping --mtu 1024",
		 "--mtu cannot be used with --proto rping: rdma_cm chooses it"},
		{"--peer h --proto ucmatose --mtu 1024",
		 "--mtu cannot be used with --proto ucmatose: rdma_cm chooses it"},
		{"--peer h --proto ud-pingpong --mtu 1024",
		 "--mtu cannot be used with --proto ud-pingpong: a datagram is one packet"},
		{"--peer h --proto uc-pingpong --mtu 1024", NULL},
		{"--serve --proto mckey", "--proto mckey needs --group or --group-gid"},
		{"--serve --proto mckey --group 239.1.2.3", NULL},
		{"--serve --proto mckey --group 224.0.0.0", NULL},
		{"--serve --proto mckey --group 239.255.255.255", NULL},
		{"--serve --proto mckey --group 223.255.255.255",
		 "--group: '223.255.255.255' is not a multicast address"},
		{"--serve --proto mckey --group 240.0.0.0",
		 "--group: '240.0.0.0' is not a multicast address"},
		{"--serve --proto mckey --group ff0e::1", NULL},
		{"--serve --proto mckey --group fe80::1",
		 "--group: 'fe80::1' is not a multicast address"},
		{"--serve --proto mckey --group-gid ff0e::1", NULL},
		{"--serve --proto mckey --group-gid 239.1.2.3",
		 "--group-gid: '239.1.2.3' is not a multicast GID"},
		{"--peer h --proto pingpong --group 239.1.2.3",
		 "--group cannot be used with --proto pingpong"},
		{"--peer h --group 239.1.2.3", "--group cannot be used with --proto rdmactl"},
		{"--serve --sizes 2", "--sizes cannot be used with --serve"},
		{"--serve --iterations 2", "--iterations cannot be used with --serve"},
		{"--serve --mtu 1024", "--mtu cannot be used with --serve"},
		{"--serve --proto rping --iterations 2", NULL},
		{"--peer h --proto rping --token x", "--token cannot be used with --proto rping"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].words, rows[i].message, NULL);
}

/* An option for tests of some groups needs one of these: a measurement, or blocks. */
static void groups(void **state)
{
	static const struct {
		const char *option;
		bool latency, bandwidth, gather, connect;
	} rows[] = {
		{"--operations send", true, true},
		{"--sizes 2", true, true},
		{"--all-sizes", true, true},
		{"--iterations 5", true, true},
		{"--duration 1s", true, true},
		{"--transport uc", true, true},
		{"--inline 4", true, true},
		{"--events", true, true},
		{"--cpu", true, true},
		{"--every 1s", true, true},
		{"--no-relaxed", true, true},
		{"--qps 2", false, true},
		{"--depth 2", false, true, false, true},
		{"--batch 2", false, true},
		{"--expect-gbps 1", false, true},
		{"--expect-mops 1", false, true},
		{"--both-ways", false, true},
		{"--reversed", false, true},
		{"--signal-every 2", false, true},
		{"--expect-usec 1", true},
		{"--samples x", true},
		{"--block-size 4", false, false, true},
		{"--block-count 4", false, false, true},
		{"--stride 1k", false, false, true},
	};
	static const char *const selected[] = {"--latency",	  "--bandwidth",
					       "--test gather",	  "--test gather-read",
					       "--connections 4", "--test latency-send,rc"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const bool fits[] = {rows[i].latency, rows[i].bandwidth, rows[i].gather,
				     rows[i].gather,  rows[i].connect,	 rows[i].latency};
		_cleanup_(freep) char *name = mem_string(rows[i].option);
		const char *of = rows[i].gather				? "gather"
				 : rows[i].latency && rows[i].bandwidth ? "latency or bandwidth"
				 : rows[i].latency			? "latency"
									: "bandwidth";

		name[strcspn(name, " ")] = '\0';
		for (size_t k = 0; k < ARRAY_SIZE(selected); k++) {
			_cleanup_(freep) char *words = mem_format("%s %s", selected[k],
								  rows[i].option);
			_cleanup_(freep) char *message = mem_format(
				"%s is for tests of group %s, and none of them is selected", name,
				of);

			expect(words, fits[k] ? NULL : message, NULL);
		}
		/* All tests run. */
		expect(rows[i].option, NULL, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(protocols),
		cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
