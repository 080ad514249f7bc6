/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mesh/plan/plan.h"

uint32_t circle_rounds(uint32_t count)
{
	if (count < 2)
		return 0;
	return count % 2 ? count : count - 1;
}

/*
 * The circle method: one place stays, the others move around a circle of `rounds` places, and
 * opposite places are partners. If the count is odd, the place that stays does not exist, and the
 * place opposite it rests.
 */
size_t circle_round(uint32_t count, uint32_t round, struct place_pair *pairs)
{
	const uint32_t rounds = circle_rounds(count);
	size_t made = 0;

	if (!rounds)
		return 0;
	if (count % 2 == 0)
		pairs[made++] = (struct place_pair){count - 1, round};
	for (uint32_t k = 1; k <= (rounds - 1) / 2; k++)
		pairs[made++] = (struct place_pair){
			(uint32_t)(((uint64_t)round + k) % rounds),
			(uint32_t)(((uint64_t)round + rounds - k) % rounds),
		};
	return made;
}

uint32_t ring_rounds(uint32_t count)
{
	if (count < 3)
		return count < 2 ? 0 : 1;
	return count % 2 ? 3 : 2;
}

size_t ring_round(uint32_t count, uint32_t round, struct place_pair *pairs)
{
	size_t made = 0;

	if (round == 2) {
		pairs[0] = (struct place_pair){count - 1, 0};
		return 1;
	}
	for (uint32_t i = round; i + 1 < count; i += 2)
		pairs[made++] = (struct place_pair){i, i + 1};
	if (round == 1 && count % 2 == 0)
		pairs[made++] = (struct place_pair){count - 1, 0};
	return made;
}

/* SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. */
uint64_t random_next(uint64_t *state)
{
	uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

/* Fisher and Yates. The bias of the modulo is below 2^-32. */
void random_shuffle(uint64_t *state, uint32_t *items, uint32_t count)
{
	for (uint32_t i = count; i > 1; i--) {
		uint32_t j = (uint32_t)(random_next(state) % i), item = items[i - 1];

		items[i - 1] = items[j];
		items[j] = item;
	}
}

void random_order(uint64_t *state, uint32_t *items, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		items[i] = i;
	random_shuffle(state, items, count);
}
