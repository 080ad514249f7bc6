/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Words of the user that have a form of their own; the first byte of the input says which one the
 * rest is. What is accepted is within its bounds and, written again, means the same; what is
 * refused has a reason and leaves the result as it was.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/gid.h"
#include "base/mem.h"
#include "cli/option.h"
#include "cmd/selftest/selftest_run.h"
#include "event/thresholds.h"
#include "mad/engine/request.h"
#include "mad/perf/perf.h"
#include "mad/perf/perf_sample.h"
#include "mad/smp_change.h"
#include "mesh/place.h"
#include "mesh/plan/plan.h"
#include "roce/tos.h"
#include "selftest/record/record.h"
#include "clean.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

/* Returns the stages as text; NULL if the text is no plan. */
static char *format_plan(const char *text)
{
	_cleanup_(freep) char *message = NULL, *hint = NULL;
	struct text_buffer buffer = {.text = NULL};
	struct plan plan = {.count = 0};
	int rc = plan_parse(text, &plan, &message, &hint);

	expect(rc ? rc == -EINVAL && message && !plan.count : !message && !hint && plan.count);
	check_clean(message);
	check_clean(hint);
	expect(plan.count <= PLAN_MOST_STAGES);
	for (size_t i = 0; i < plan.count; i++) {
		_cleanup_(freep) char *stage = plan_stage_text(&plan.stages[i]);

		expect(plan.stages[i].mode < MESH_MODES && plan.stages[i].count <= PLAN_MOST_COUNT);
		expect((plan.stages[i].mode == MESH_PAIRS) == (plan.stages[i].path != NULL));
		check_clean(stage);
		text_buffer_add(&buffer, "%s%s", i ? "," : "", stage);
	}
	plan_clear(&plan);
	return rc ? NULL : text_buffer_take(&buffer);
}

static void try_plan(const char *text)
{
	_cleanup_(freep) char *first = format_plan(text);
	_cleanup_(freep) char *second = first ? format_plan(first) : NULL;

	expect(!first || (second && !strcmp(first, second)));
}

static void try_thresholds(const char *text)
{
	struct event_threshold_list list = {.items = NULL};
	_cleanup_(freep) char *bad = NULL;
	int rc = event_parse_thresholds(text, &list, &bad);

	expect(rc ? rc == -EINVAL && bad && strstr(text, bad) && !list.count : !bad && list.count);
	for (size_t i = 0; i < list.count; i++) {
		const struct event_threshold *limit = &list.items[i];

		expect(*limit->name && !strchr(limit->name, '>') && strstr(text, limit->name));
		expect(isfinite(limit->count) && limit->count >= 0);
		expect(limit->period_msec >= 1000 && limit->period_msec <= 3600000);
	}
	event_threshold_list_clear(&list);
}

/* No flaps, or some within at most a year. */
static void try_flap(const char *text)
{
	unsigned int count = 7777;
	uint64_t window = 7;

	if (event_parse_flap(text, &count, &window))
		expect(count == 7777 && window == 7);
	else
		expect(count <= 1000 && !count == !window &&
		       window <= 365 * 24 * UINT64_C(3600000));
}

static bool is_same_target(const struct mad_target *a, const struct mad_target *b)
{
	return a->kind == b->kind && a->lid == b->lid && a->guid == b->guid &&
	       !memcmp(&a->gid, &b->gid, sizeof(a->gid)) && a->hops == b->hops &&
	       !memcmp(a->path, b->path, sizeof(a->path));
}

static void check_target(const struct mad_target *target, enum target_kind kind)
{
	_cleanup_(freep) char *text = mad_target_text(target);
	struct mad_target again;

	expect(target->kind != TARGET_ANY && target->kind != TARGET_NAME);
	expect(kind == TARGET_ANY || kind == target->kind);
	expect((target->kind == TARGET_LID) == (target->lid > 0 && target->lid <= MAD_LID_LAST));
	expect(target->hops <= MAD_HOPS_MOST && !target->path[0]);
	expect(!mad_target_parse(text, kind, &again) && is_same_target(target, &again));
}

static void try_target(const char *text)
{
	for (enum target_kind kind = TARGET_ANY; kind <= TARGET_DIRECT; kind++) {
		struct mad_target target = {.kind = TARGET_NAME};
		int rc = mad_target_parse(text, kind, &target);

		expect(!rc || ((rc == -EINVAL || rc == -ERANGE) && target.kind == TARGET_NAME));
		if (!rc)
			check_target(&target, kind);
	}
}

static void try_split(const char *text)
{
	_cleanup_(freep) char *node = NULL;
	unsigned int port = 777;

	if (!mad_target_split(text, &node, &port)) {
		expect(!node && port == 777);
		return;
	}
	expect(port < MAD_PORT_MOST && !strncmp(text, node, strlen(node)));
	expect(text[strlen(node)] == '/' && !strchr(text + strlen(node) + 1, '/'));
}

static void try_range(const char *text)
{
	static const int bases[] = {0, 10, 16};

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		uint32_t first = 7777, last = 7777;

		if (mad_parse_range(text, bases[i], 255, &first, &last))
			expect(first <= last && last <= 255);
		else
			expect(first == 7777 && last == 7777);
	}
}

static void try_counters(const char *text)
{
	_cleanup_(freep) char *wrong = NULL, *number = NULL;
	uint32_t mask = 0, again = 0;

	if (perf_parse_counters(text, &mask, &wrong)) {
		expect(!mask && wrong);
		check_clean(wrong);
		return;
	}
	expect(!wrong && mask && mask <= PERF_CLEAR_ALL);
	number = mem_format("%#" PRIx32, mask);
	expect(!perf_parse_counters(number, &again, &wrong) && again == mask);
}

static void try_sampling(const char *text)
{
	struct perf_sampling sampling = {.count = 0}, again = {.count = 0};
	_cleanup_(freep) char *wrong = NULL, *numbers = NULL;
	int rc = perf_sampling_parse(text, &sampling, &wrong);

	expect(!rc || rc == -E2BIG || rc == -EINVAL);
	expect((rc == -EINVAL) == (wrong != NULL));
	check_clean(wrong);
	expect(sampling.count <= PERF_SAMPLE_COUNTERS && (rc || sampling.count));
	for (size_t i = 0; i < sampling.count; i++) {
		expect(sampling.selects[i]);
		mem_extend(&numbers, "%s%u", i ? "," : "", sampling.selects[i]);
	}
	if (rc)
		return;
	expect(!perf_sampling_parse(numbers, &again, &wrong) && again.count == sampling.count);
	expect(!memcmp(again.selects, sampling.selects, sizeof(again.selects)));
}

static void try_memory(const char *text)
{
	struct message_memory memory = {.kind = 777}, again;
	_cleanup_(freep) char *form = NULL;

	if (selftest_memory_parse(text, &memory)) {
		expect(memory.kind == 777);
		return;
	}
	form = selftest_memory_text(&memory);
	expect(memory.number <= 255 && !selftest_memory_parse(form, &again));
	expect(again.kind == memory.kind && again.exporter == memory.exporter &&
	       again.number == memory.number);
}

static void try_network(const char *text)
{
	struct ip_network network = {.bits = 777}, again;
	_cleanup_(freep) char *form = NULL;
	char address[IP_TEXT_SIZE];

	if (ip_network_parse(text, &network)) {
		expect(network.bits == 777);
		return;
	}
	ip_format(&network.address, address);
	form = mem_format("%s/%u", address, network.bits);
	expect(!ip_network_parse(form, &again) && again.bits == network.bits &&
	       ip_equal(&again.address, &network.address));
	expect(ip_network_contains(&network, &network.address));
}

/* The date and the time of day are as they are written. */
static void try_utc(const char *text)
{
	char form[UTC_TEXT_SIZE];
	uint64_t msec = 7, again;

	if (!utc_parse(text, &msec)) {
		expect(msec == 7);
		return;
	}
	utc_format(msec * 1000000, form);
	expect(!strncmp(text, form, strlen("2026-01-31T12:00:00")));
	expect(utc_parse(form, &again) && again == msec);
}

static void try_units(const char *text)
{
	uint64_t msec = 7, bytes = 7;

	if (option_parse_duration(text, &msec))
		expect(msec == 7);
	else
		expect(msec <= UINT64_C(3600000) * UINT32_MAX);
	if (option_parse_size(text, &bytes))
		expect(bytes == 7);
	else
		expect(bytes <= UINT64_C(1) << 40);
}

static void try_tos(const char *text)
{
	unsigned int tos = 777, of_dscp = 777;

	expect(tos_parse(text, &tos) ? tos == 777 : tos <= UINT8_MAX);
	expect(tos_parse_dscp(text, &of_dscp) ? of_dscp == 777 : of_dscp <= UINT8_MAX);
}

/* The values, put together, are the text again. */
static void try_values(const char *text)
{
	struct smp_change change = {.session = NULL};
	_cleanup_(freep) char *whole = NULL;

	if (smp_change_parse(&change, text))
		expect(!change.value_count);
	for (size_t i = 0; i < change.value_count; i++)
		mem_extend(&whole, "%s%s=%s", i ? "," : "", change.values[i].key,
			   change.values[i].text);
	expect(!whole || !strcmp(whole, text));
	smp_change_clear(&change);
}

/* Texts of selftest's options, each alone. */
static void try_selftest(const char *text)
{
	static const size_t members[] = {
		offsetof(struct selftest_args, tests),
		offsetof(struct selftest_args, sizes),
		offsetof(struct selftest_args, bind),
		offsetof(struct selftest_args, allow),
		offsetof(struct selftest_args, peer_device),
		offsetof(struct selftest_args, group),
		offsetof(struct selftest_args, memory),
		offsetof(struct selftest_args, tclass),
		offsetof(struct selftest_args, dscp),
		offsetof(struct selftest_args, flow_label),
		offsetof(struct selftest_args, pkey),
		offsetof(struct selftest_args, block_bytes),
		offsetof(struct selftest_args, block_count),
	};

	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		_cleanup_(freep) char *message = NULL, *hint = NULL;
		struct selftest_args args = {.port = number_of(1)};
		struct selftest_plan plan;

		memcpy((char *)&args + members[i], &text, sizeof(text));
		if (!selftest_plan_make(&plan, &args, &message, &hint)) {
			expect(message && hint);
			check_clean(message);
			check_clean(hint);
			continue;
		}
		expect(!message && !hint && plan.request.size_count <= SELFTEST_MOST_SIZES);
		for (size_t j = 0; j < plan.request.size_count; j++)
			expect(plan.request.sizes[j] <= LIMIT_BYTES);
		for (size_t j = 0; j < plan.allowed_count; j++)
			expect(ip_network_contains(&plan.allowed[j], &plan.allowed[j].address));
		expect(plan.request.peer_port <= UINT8_MAX);
		selftest_plan_free(&plan);
	}
}

/* Where agents find their coordinator. */
static void try_addresses(const char *text)
{
	struct strings addresses = {.known = true}, again = {.known = true};
	uint16_t port = 0, same = 0;
	_cleanup_(freep) char *whole = NULL;
	bool brackets = false;

	if (!mesh_parse_target(text, 777, &addresses, &port)) {
		expect(!addresses.count && !port);
		return;
	}
	expect(addresses.count && port);
	for (size_t i = 0; i < addresses.count; i++) {
		const char *address = addresses.items[i];

		expect(*address && *address != '-' && !strchr(address, ','));
		brackets |= strpbrk(address, "[]") != NULL;
		mem_extend(&whole, "%s[%s]", i ? "," : "", address);
	}
	mem_extend(&whole, ":%u", port);
	if (!brackets) {
		expect(mesh_parse_target(whole, 1, &again, &same) && same == port);
		expect(again.count == addresses.count);
		for (size_t i = 0; i < again.count; i++)
			expect(!strcmp(again.items[i], addresses.items[i]));
	}
	strings_free(&addresses);
	strings_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const char *text) = {
		try_plan,     try_thresholds, try_flap,	    try_target,	   try_split, try_range,
		try_counters, try_sampling,   try_memory,   try_network,   try_utc,   try_units,
		try_tos,      try_values,     try_selftest, try_addresses,
	};
	char *text;

	if (!size || data[0] < 'a' || data[0] - 'a' >= (int)ARRAY_SIZE(tries))
		return 0;
	/* The copy has exactly this size and a NUL, so that the sanitizer sees every overrun. */
	text = mem_alloc_zero(size, 1);
	memcpy(text, data + 1, size - 1);
	tries[data[0] - 'a'](text);
	free(text);
	return 0;
}
