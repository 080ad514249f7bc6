/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reports where hosts differ that should be alike: each value with its hosts, most frequent first.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/mesh/mesh_run.h"

#define MOST_NAMED_HOSTS 6u
#define MOST_VALUES	 4u
/* Smaller differences only keep a job's log files from being put in order. */
#define CLOCK_MSEC 500

/* "22.41.1000 on 14 hosts; 20.39.1002 on n3, n7". The most frequent value needs no names. */
static char *describe(const struct host_groups *found)
{
	const struct host_group *groups = found->items;
	const size_t count = found->count;
	char *text = NULL;

	for (size_t i = 0; i < count && i < MOST_VALUES; i++) {
		mem_extend(&text, "%s%s on ", i ? "; " : "", groups[i].first->text);
		if (!i && groups[i].count > 1) {
			mem_extend(&text, "%zu hosts", groups[i].count);
			continue;
		}
		for (size_t j = 0; j < groups[i].count && j < MOST_NAMED_HOSTS; j++)
			mem_extend(&text, "%s%s", j ? ", " : "", groups[i].first[j].host->name);
		if (groups[i].count > MOST_NAMED_HOSTS)
			mem_extend(&text, " and %zu more", groups[i].count - MOST_NAMED_HOSTS);
	}
	if (count > MOST_VALUES)
		mem_extend(&text, "; and %zu more values", count - MOST_VALUES);
	return text;
}

/* DEV/PORT of a host's first rail that is in a place where the other one has no port, or NULL. */
static char *find_extra(const struct mesh_host *host, const struct mesh_host *other)
{
	size_t gap = 0, usable = mesh_host_count_rails(host, host->rail_count);
	uint32_t rail = 0;

	if (host->slots.count != usable + host->gap_count || !other->slots.count ||
	    strings_contain(&other->slots, ""))
		return NULL;
	for (size_t place = 0; place < host->slots.count; place++) {
		if (gap < host->gap_count && host->gaps[gap].place == place) {
			gap++;
			continue;
		}
		while (!mesh_host_has_rail(host, rail))
			rail++;
		if (!strings_contain(&other->slots, host->slots.items[place]))
			return mesh_host_device(host, rail);
		rail++;
	}
	return NULL;
}

static bool add_extra(const struct mesh_host *host, const struct mesh_host *other, char **text)
{
	_cleanup_(freep) char *port = find_extra(host, other);

	if (port)
		mem_extend(text, "; %s of %s is where %s has no port", port, host->name,
			   other->name);
	return port;
}

/* `get` returns the value of a host as text to be freed, or NULL if it is unknown. */
static void compare_hosts(const struct mesh_host *hosts, uint32_t count,
			  char *(*get)(const struct mesh_host *host), enum judge_finding_id id,
			  struct judge_findings *findings)
{
	_cleanup_(host_groups_clear) struct host_groups groups;
	const struct mesh_host *usual, *odd;
	char *text;

	host_groups_find(hosts, count, get, &groups);
	if (groups.count < 2)
		return;
	usual = groups.items[0].first->host;
	odd = groups.items[1].first->host;
	text = describe(&groups);
	if (id == JUDGE_RAILS && !add_extra(odd, usual, &text))
		add_extra(usual, odd, &text);
	finding_add(findings, id, NULL, text);
}

static char *get_release(const struct mesh_host *host)
{
	return mem_string_or_null(host->release);
}

static char *get_kernel(const struct mesh_host *host)
{
	return mem_string_or_null(host->kernel);
}

static char *get_firmware(const struct mesh_host *host)
{
	return mem_string_or_null(host->firmware);
}

static char *get_memlock(const struct mesh_host *host)
{
	if (!host->memlock_bytes.known)
		return NULL;
	return host->memlock_bytes.value == UINT64_MAX ? mem_string("unlimited")
						       : text_bytes(host->memlock_bytes.value);
}

/* Those that it alone cannot use are findings of their own. */
static char *get_rails(const struct mesh_host *host)
{
	uint32_t count = mesh_host_count_rails(host, host->rail_count);

	for (size_t i = 0; i < host->gap_count; i++)
		count += host->gaps[i].rail.known;
	return mem_format("%u", count);
}

/* Bounds of how far a host's clock is ahead of this one's. */
static int64_t least_ahead(const struct mesh_host *host)
{
	return host->clock_msec - (int64_t)host->clock_error_msec.value;
}

static int64_t most_ahead(const struct mesh_host *host)
{
	return host->clock_msec + (int64_t)host->clock_error_msec.value;
}

/* Clocks need not agree with this host's, but must agree with each other. */
static void compare_clocks(const struct mesh_host *hosts, uint32_t count,
			   struct judge_findings *findings)
{
	const struct mesh_host *first = NULL, *last = NULL;

	for (uint32_t i = 0; i < count; i++) {
		if (hosts[i].presence != MESH_PRESENT || !hosts[i].clock_error_msec.known)
			continue;
		if (!first || most_ahead(&hosts[i]) < most_ahead(first))
			first = &hosts[i];
		if (!last || least_ahead(&hosts[i]) > least_ahead(last))
			last = &hosts[i];
	}
	if (first && least_ahead(last) - most_ahead(first) > CLOCK_MSEC)
		finding_add(findings, JUDGE_CLOCK, NULL,
			    mem_format("the clock of %s is %" PRId64 " ms ahead of that of %s",
				       last->name, last->clock_msec - first->clock_msec,
				       first->name));
}

void mesh_differences(const struct mesh_host *hosts, uint32_t count,
		      struct judge_findings *findings)
{
	compare_hosts(hosts, count, get_rails, JUDGE_RAILS, findings);
	compare_hosts(hosts, count, get_firmware, JUDGE_FIRMWARE, findings);
	compare_hosts(hosts, count, get_memlock, JUDGE_MEMLOCK, findings);
	compare_hosts(hosts, count, get_kernel, JUDGE_KERNEL, findings);
	compare_hosts(hosts, count, get_release, JUDGE_RELEASE, findings);
	compare_clocks(hosts, count, findings);
	findings_sort(findings);
}
