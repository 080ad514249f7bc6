/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/counters/counters_moves.h"

bool counters_move_is_shown(const struct counters_run *run, const struct counter_change *change)
{
	struct counter_reading reading = change->reading;

	/* A counter matters because it moved, whatever its value. */
	if (change->growth.known) {
		reading.value = change->growth;
		reading.saturated = false;
	} else if (change->state.value == CHANGE_CLEARED ||
		   change->state.value == CHANGE_SATURATED) {
		number_set(&reading.value, 1);
	}
	return counters_shows(run, &reading);
}

unsigned int counters_move_rank(const struct counter_change *change)
{
	switch (change->state.value) {
	case CHANGE_COUNTED:
		break;
	case CHANGE_GAUGE:
	case CHANGE_NEW:
		return 0;
	default:
		return 3;
	}
	if (!change->growth.known || !change->growth.value)
		return 0;
	switch (counter_reading_severity(&change->reading)) {
	case COUNTER_SERIOUS:
		return 3;
	case COUNTER_WARNING:
		return 2;
	default:
		return 1;
	}
}
