/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rounds of pairs of `count` places, 0 to count - 1: each place is in at most one pair of a round.
 * A round can be computed without the others.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct place_pair {
	uint32_t a, b;
};

/* Each place meets every other one once: count - 1 rounds, or count if it is odd. */
uint32_t circle_rounds(uint32_t count);
/* Fills at most count / 2 pairs, and returns how many; if the count is odd, one place rests. */
size_t circle_round(uint32_t count, uint32_t round, struct place_pair *pairs);

/* A ring takes 2 rounds, or 3 if the count is odd; two places form only one pair. */
uint32_t ring_rounds(uint32_t count);
size_t ring_round(uint32_t count, uint32_t round, struct place_pair *pairs);

/* Pseudorandom numbers that depend on the seed alone: the same on every machine. */
uint64_t random_next(uint64_t *state);
/* Fills the array with 0 to count - 1 in a random order. */
void random_order(uint64_t *state, uint32_t *items, uint32_t count);
/* Shuffles the array. */
void random_shuffle(uint64_t *state, uint32_t *items, uint32_t count);
