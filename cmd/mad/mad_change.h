/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of --set that subnet management and other classes have in common. */
#pragma once

#include "cmd/mad/mad_listing.h"
#include "mad/smp_change.h"

/*
 * Find the fields that --set names, and put its values. Return false with the reason in the
 * listing.
 */
bool mad_change_find(struct listing *listing, struct smp_change *change, const char *set);
bool mad_change_put(struct listing *listing, struct smp_change *change);
/* Shows what would change at the place, and asks for confirmation unless `yes`. */
bool mad_change_confirm(struct listing *listing, const struct smp_change *change, const char *place,
			bool yes);
