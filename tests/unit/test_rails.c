/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How ports are matched into rails, the explanation for a slow rail, and processors near a device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/rails/rails.h"

/*
 * One line per local port, one letter per remote port: s is in the same subnet, k is of the same
 * kind, - is neither. `wanted` gives the number of each counterpart, or -, with ? after a guess.
 */
static void match(const char *lines, const char *wanted)
{
	struct rail_choice choices[8];
	struct rail_reach reach[64];
	size_t near = 0, far = strcspn(lines, " "), count = 0;
	char got[256] = "";

	for (const char *at = lines; *at; at++) {
		if (*at == ' ')
			continue;
		reach[count++] = (struct rail_reach){.kind = *at != '-', .subnet = *at == 's'};
	}
	near = count / far;
	rails_match(reach, near, far, choices);
	for (size_t i = 0; i < near; i++) {
		char piece[32] = "-";

		if (choices[i].far != SIZE_MAX)
			snprintf(piece, sizeof(piece), "%zu%s", choices[i].far,
				 choices[i].match == RAIL_ORDER ? "?" : "");
		strcat(got, piece);
	}
	assert_string_equal(got, wanted);
}

static void counterparts(void **state)
{
	(void)state;
	/* Each rail has its own subnet: the order does not matter. */
	match("sk ks", "01");
	match("ks sk", "10");
	match("kks skk ksk", "201");
	/* All ports share one subnet: the order decides, and the match is a guess. */
	match("ss ss", "0?1?");
	match("sss sss sss", "0?1?2?");
	/* Routers lie between the ports. */
	match("kk kk", "0?1?");
	/* The first port has its own subnet, the others share one. */
	match("skk kss kss", "01?2?");
	/* A guess never takes a port whose counterpart is proved. */
	match("kk sk", "1?0");
	/* Fewer remote ports than local ones, and more. */
	match("s s s", "0?--");
	match("sss", "0?");
	match("kks", "2");
	/* Ports of another kind. */
	match("k- -k", "0?1?");
	match("- -", "--");
	match("--s s--", "20");
}

struct judged {
	char *reason, *hint;
};

static bool judge(const struct rail *rails, size_t count, size_t index, struct judged *judged)
{
	free(judged->reason);
	free(judged->hint);
	*judged = (struct judged){NULL, NULL};
	return rails_judge(rails, count, index, &judged->reason, &judged->hint);
}

#define RAIL(name, alone, together, ...)                               \
	{                                                              \
		.near = {.device = name}, .alone_gbps = {alone, true}, \
		.together_gbps = {together, true}, __VA_ARGS__         \
	}
#define LINK .bus = "0000:3b:00", .bus_gbps = {252, true}

static void verdicts(void **state)
{
	const struct rail shared[] = {
		RAIL("mlx5_0", 196, 195, .software = false),
		RAIL("mlx5_2", 196, 126, LINK),
		RAIL("mlx5_3", 196, 125, LINK),
	};
	const struct rail unknown[] = {
		RAIL("mlx5_2", 392, 201, .bus = NULL),
		RAIL("mlx5_3", 392, 353, .bus = NULL),
	};
	const struct rail roomy[] = {
		RAIL("mlx5_2", 96, 40, LINK),
		RAIL("mlx5_3", 96, 41, LINK),
	};
	const struct rail software[] = {
		RAIL("rxa", 3, 1.5, .software = true),
		RAIL("\033[31mred", 3, 3, .software = true),
	};
	struct judged judged = {NULL, NULL};

	(void)state;
	assert_false(judge(shared, 3, 0, &judged));
	assert_null(judged.reason);
	/* The speed of the link proves that it is shared: only the rails on it are named. */
	assert_true(judge(shared, 3, 1, &judged));
	assert_string_equal(judged.reason,
			    "mlx5_2: 196 Gb/s alone, 126 alongside mlx5_3: they share "
			    "the PCIe link of 0000:3b:00, which carries 252 Gb/s");
	assert_non_null(strstr(judged.hint, "rdmactl topo"));
	assert_true(judge(unknown, 2, 0, &judged));
	assert_non_null(strstr(judged.reason, "392 Gb/s alone, 201 alongside mlx5_3: a guess: "));
	assert_false(judge(unknown, 2, 1, &judged));
	/* The shared link could carry both rails. */
	assert_true(judge(roomy, 2, 0, &judged));
	assert_non_null(strstr(judged.reason, "a guess: 0000:3b:00, a network switch"));
	assert_true(judge(software, 2, 0, &judged));
	assert_non_null(strstr(judged.reason, "alongside \\x1b[31mred: software devices share"));
	assert_false(judge(software, 2, 1, &judged));
	free(judged.reason);
	free(judged.hint);
}

/* With many rails, measurements in pairs have shown which other one slows the rail down. */
static void slow_in_a_pair(void **state)
{
	struct rail rails[] = {
		RAIL("mlx5_0", 392, 300, .bus = NULL),
		RAIL("mlx5_1", 392, 390, .bus = NULL),
		RAIL("mlx5_2", 392, 180, .bus = NULL),
		RAIL("mlx5_3", 392, 170, .bus = NULL),
	};
	struct judged judged = {NULL, NULL};

	(void)state;
	rails[2].beside = &rails[3];
	rails[2].beside_gbps = (struct real){201, true};
	assert_true(judge(rails, 4, 2, &judged));
	assert_non_null(
		strstr(judged.reason, "mlx5_2: 392 Gb/s alone, 201 alongside mlx5_3: a guess"));
	assert_true(judge(rails, 4, 0, &judged));
	assert_non_null(strstr(judged.reason, "300 alongside the other 3: a guess"));
	free(judged.reason);
	free(judged.hint);
}

/* A link carries its full speed in each direction, so the sum of both does not fill it. */
static void both_ways(void **state)
{
	struct rail rails[] = {
		RAIL("mlx5_2", 196, 126, LINK, .both_ways = true),
		RAIL("mlx5_3", 196, 125, LINK, .both_ways = true),
	};
	struct judged judged = {NULL, NULL};

	(void)state;
	assert_true(judge(rails, 2, 0, &judged));
	assert_non_null(strstr(judged.reason, "a guess: 0000:3b:00, a network switch"));
	rails[0].alone_gbps.value = rails[1].alone_gbps.value = 380;
	assert_true(judge(rails, 2, 0, &judged));
	assert_non_null(strstr(judged.reason, "which carries 252 Gb/s each way"));
	free(judged.reason);
	free(judged.hint);
}

/* A rail that was not measured gets no verdict. */
static void unmeasured(void **state)
{
	const struct rail rails[] = {
		{.near = {.device = "a"}, .alone_gbps = {100, true}},
		RAIL("b", 100, 50, .bus = NULL),
		{.near = {.device = "c"}},
	};
	const struct rail with_bus[] = {
		{.near = {.device = "a"}, LINK},
		RAIL("b", 100, 50, LINK),
	};
	struct judged judged = {NULL, NULL};

	(void)state;
	assert_false(judge(rails, 3, 0, &judged));
	assert_false(judge(rails, 3, 2, &judged));
	assert_true(judge(rails, 3, 1, &judged));
	assert_string_equal(
		judged.reason,
		"b: 100 Gb/s alone, 50 alone again: a guess: other load on the hosts or "
		"in the network, because no other rail carried data");
	assert_non_null(strstr(judged.hint, "measure again"));
	assert_true(judge(with_bus, 2, 1, &judged));
	assert_non_null(strstr(judged.reason, "50 alone again: a guess: other load"));
	free(judged.reason);
	free(judged.hint);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counterparts),	  cmocka_unit_test(verdicts),
		cmocka_unit_test(slow_in_a_pair), cmocka_unit_test(unmeasured),
		cmocka_unit_test(both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
