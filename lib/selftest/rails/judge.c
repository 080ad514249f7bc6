/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why a rail is slower beside others, as far as that is known. */
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "selftest/rails/rails.h"

static const char topo_hint[] = "rdmactl topo, on both hosts, shows which adapters share a switch, "
				"a NUMA node or a card; rdmactl doctor checks their PCIe links";
static const char load_hint[] =
	"measure again, and meanwhile look for other load: rdmactl top, on both hosts";

bool rail_is_slow(const struct rail *rail)
{
	return rail->alone_gbps.known && rail->together_gbps.known &&
	       rail->together_gbps.value < RAIL_SLOW * rail->alone_gbps.value;
}

static bool shares_bus(const struct rail *a, const struct rail *b)
{
	return a->bus && b->bus && !strcmp(a->bus, b->bus);
}

static char *name_of(const struct rail *rail)
{
	return text_clean(rail->near.device, strlen(rail->near.device));
}

/*
 * Returns "alongside mlx5_3", "alongside mlx5_3 and mlx5_4", "alongside the other 7"; with
 * `of_bus`, counting only rails on the link of `index`. NULL: there was no other rail.
 */
static char *name_others(const struct rail *rails, size_t count, size_t index, bool of_bus)
{
	_cleanup_(freep) char *first = NULL, *second = NULL;
	size_t others = 0;

	for (size_t i = 0; i < count; i++) {
		if (i == index || !rails[i].together_gbps.known ||
		    (of_bus && !shares_bus(&rails[i], &rails[index])))
			continue;
		if (++others == 1)
			first = name_of(&rails[i]);
		else if (others == 2)
			second = name_of(&rails[i]);
	}
	if (!others)
		return NULL;
	if (others == 1)
		return mem_format("alongside %s", first);
	if (others == 2)
		return mem_format("alongside %s and %s", first, second);
	return mem_format("alongside the other %zu", others);
}

static double sum_of_bus(const struct rail *rails, size_t count, size_t index, bool together)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct real *gbps = together ? &rails[i].together_gbps : &rails[i].alone_gbps;

		if (gbps->known && (i == index || shares_bus(&rails[i], &rails[index])))
			sum += gbps->value;
	}
	return sum;
}

/*
 * Whether they would need more together than the link carries, by its speed and width; that figure
 * is for each way.
 */
static bool is_bus_full(const struct rail *rails, size_t count, size_t index)
{
	const struct rail *rail = &rails[index];
	const double carries = rail->bus_gbps.value * (rail->both_ways ? 2 : 1);

	return rail->bus && rail->bus_gbps.known &&
	       sum_of_bus(rails, count, index, true) > rail->together_gbps.value &&
	       sum_of_bus(rails, count, index, false) > carries;
}

bool rails_judge(const struct rail *rails, size_t count, size_t index, char **ret_reason,
		 char **ret_hint)
{
	const struct rail *rail = &rails[index];
	const bool full = is_bus_full(rails, count, index);
	_cleanup_(freep) char *name = name_of(rail);
	const bool in_pair = rail->beside && !full;
	_cleanup_(freep) char *partner = in_pair ? name_of(rail->beside) : NULL;
	_cleanup_(freep) char *others = in_pair ? mem_format("alongside %s", partner)
						: name_others(rails, count, index, full);
	_cleanup_(freep) char *cause = NULL;

	if (!rail_is_slow(rail))
		return false;
	if (rail->software)
		cause = mem_string("software devices share the processors, so this says nothing "
				   "about the network");
	else if (full)
		cause = mem_format("they share the PCIe link of %s, which carries %.0f Gb/s%s",
				   rail->bus, rail->bus_gbps.value,
				   rail->both_ways ? " each way" : "");
	else if (!others)
		cause = mem_string("a guess: other load on the hosts or in the network, because no "
				   "other rail carried data");
	else if (rail->bus)
		cause = mem_format("a guess: %s, a network switch or the other host's PCIe cannot "
				   "carry all of them",
				   rail->bus);
	else
		cause = mem_string("a guess: a network switch, or the PCIe or the processors of "
				   "one host, cannot carry all of them");
	*ret_reason = mem_format("%s: %.4g Gb/s alone, %.4g %s: %s", name, rail->alone_gbps.value,
				 in_pair ? rail->beside_gbps.value : rail->together_gbps.value,
				 others ? others : "alone again", cause);
	*ret_hint = mem_string(others ? topo_hint : load_hint);
	return true;
}
