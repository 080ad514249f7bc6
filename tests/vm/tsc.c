// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Prints the frequency of this processor's time stamp counter in kHz. An emulated processor has the
 * counter of the real one, but its kernel has to determine the rate by comparison with emulated
 * timers, and on a busy machine is wrong by a factor of up to ten. So tests/vm/guest sets it.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct sample {
	uint64_t cycles;
	uint64_t nanoseconds;
};

/* Reads both clocks at the same time: of ten tries, the one that was interrupted least. */
static struct sample sample(void)
{
	struct sample best = {0, 0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		struct timespec now;
		uint64_t before = __rdtsc();

		clock_gettime(CLOCK_MONOTONIC_RAW, &now);

		uint64_t after = __rdtsc();

		if (after - before >= shortest)
			continue;
		shortest = after - before;
		best.cycles = before + shortest / 2;
		best.nanoseconds = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	return best;
}

int main(void)
{
	const struct timespec pause = {0, 20 * 1000 * 1000};
	struct sample begin = sample();

	nanosleep(&pause, NULL);

	struct sample end = sample();

	printf("%.0f\n", (double)(end.cycles - begin.cycles) * 1e6 /
				 (double)(end.nanoseconds - begin.nanoseconds));
	return 0;
}
