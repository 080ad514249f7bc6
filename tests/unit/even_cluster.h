/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cluster of hosts n1, n2 ... with one or two rails, and its judge. All pairs have the same
 * figures except those that a test changes.
 */
#pragma once

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
#include "mesh/judge/judge.h"

enum { MOST_HOSTS = 16, RAILS = 2, ROOM = 4 };

struct cluster {
	struct mesh_host hosts[MOST_HOSTS];
	struct endpoint rails[MOST_HOSTS][ROOM]; /* a test may use more than RAILS */
	char names[MOST_HOSTS][8];
	uint32_t host_count;
	uint16_t rail_count;
	struct judge_limits limits;
	struct judge_fabric *fabric;
	struct judge *judge;
	struct judge_findings findings;
};

typedef void (*change_result)(struct mesh_result *result);

static inline int set_up(void **state)
{
	struct cluster *cluster = mem_alloc_zero(1, sizeof(*cluster));

	*state = cluster;
	cluster->host_count = MOST_HOSTS;
	cluster->rail_count = 1;
	cluster->limits = judge_default_limits;
	for (uint32_t i = 0; i < MOST_HOSTS; i++) {
		snprintf(cluster->names[i], sizeof(cluster->names[i]), "n%u", i + 1);
		cluster->hosts[i] = (struct mesh_host){
			.name = cluster->names[i],
			.presence = MESH_PRESENT,
			.rails = cluster->rails[i],
			.rail_count = RAILS,
		};
		for (uint16_t rail = 0; rail < ROOM; rail++)
			cluster->rails[i][rail] = (struct endpoint){
				.device = {'m', 'l', 'x', '5', '_', (char)('0' + rail)},
				.port = 1,
				.rate_mbps = 100000,
			};
	}
	return 0;
}

static inline int tear_down(void **state)
{
	struct cluster *cluster = *state;

	judge_findings_clear(&cluster->findings);
	judge_free(cluster->judge);
	free(cluster);
	return 0;
}

static inline void take(struct cluster *cluster, uint32_t a, uint32_t b, uint16_t rail, bool again,
			change_result change)
{
	struct mesh_result result = {
		.pair = {a, b, rail, rail},
		.again = again,
		.outcome = MESH_PASS,
		.latency_usec = real_of(10),
		.gbps = {real_of(100), real_of(100)},
		.both_gbps = {real_of(100), real_of(100)},
		.errors = {number_of(0), number_of(0)},
	};

	change(&result);
	judge_take(cluster->judge, &result);
}

/* All pairs. */
static inline void test_all(struct cluster *cluster, change_result change)
{
	const struct plan_stage full = {.mode = MESH_FULL};

	if (!cluster->judge)
		cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits,
					   cluster->fabric);
	judge_begin_stage(cluster->judge, &full);
	for (uint16_t rail = 0; rail < cluster->rail_count; rail++)
		for (uint32_t a = 0; a < cluster->host_count; a++)
			for (uint32_t b = a + 1; b < cluster->host_count; b++)
				take(cluster, a, b, rail, false, change);
	judge_end_stage(cluster->judge);
}

static inline void test_alone(struct cluster *cluster, change_result change)
{
	const struct plan_stage loopback = {.mode = MESH_LOOPBACK};

	cluster->judge = judge_new(cluster->hosts, cluster->host_count, &cluster->limits, NULL);
	judge_begin_stage(cluster->judge, &loopback);
	for (uint32_t a = 0; a < cluster->host_count; a++)
		for (uint16_t rail = 0; rail < cluster->rail_count; rail++)
			take(cluster, a, a, rail, false, change);
	judge_end_stage(cluster->judge);
}

/* The pairs that the second pass requests, as `n1-n2 n1-n3`. */
static inline void test_again(struct cluster *cluster, const char *pairs, change_result change)
{
	_cleanup_(freep) struct mesh_pair *again = NULL;
	_cleanup_(freep) char *text = mem_string("");
	size_t count;

	again = judge_retests(cluster->judge, &count);
	for (size_t i = 0; i < count; i++) {
		mem_extend(&text, "%sn%u-n%u", i ? " " : "", again[i].a + 1, again[i].b + 1);
		take(cluster, again[i].a, again[i].b, again[i].rail_a, true, change);
	}
	judge_end_stage(cluster->judge);
	assert_string_equal(text, pairs);
}

static inline void unchanged(struct mesh_result *result)
{
	(void)result;
}

static inline const char *direction_of(const struct judge_finding *finding)
{
	static const char *const words[] = {"both", "sends", "receives"};

	return finding->direction.known ? words[finding->direction.value] : "-";
}

static inline const char *rail_of(const struct judge_finding *finding)
{
	static const char *const words[] = {"0", "1"};

	return finding->rail.known ? words[finding->rail.value] : "-";
}

/* The findings: their members and their texts. */
static inline void expect(struct cluster *cluster, const char *wanted)
{
	static const char *const severities[] = {"ok", "info", "notice", "warning", "error"};
	_cleanup_(freep) char *text = mem_string("");

	judge_findings_clear(&cluster->findings);
	judge_conclude(cluster->judge, &cluster->findings);
	for (size_t i = 0; i < cluster->findings.count; i++) {
		const struct judge_finding *at = &cluster->findings.items[i];
		const struct finding *finding = &at->finding;

		mem_extend(&text, "%s %s '%s' %s/%s %s %s %s", severities[finding->severity.value],
			   enum_word(judge_finding_names, finding->id.value, "?"),
			   finding->object ?: "-", at->host_name ?: "-", rail_of(at),
			   at->device ?: "-", at->peer_name ?: "-", direction_of(at));
		mem_extend(&text, " %d/%d %.2f", at->bad.known ? (int)at->bad.value : -1,
			   at->judged.known ? (int)at->judged.value : -1,
			   at->share.known ? at->share.value : -1);
		for (size_t j = 0; j < at->hosts.count; j++)
			mem_extend(&text, " %s", at->hosts.items[j]);
		mem_extend(&text, ": %s\n", finding->evidence);
	}
	if (strcmp(text, wanted))
		fail_msg("\n%sinstead of\n%s", text, wanted);
}
