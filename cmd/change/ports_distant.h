/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of a port in the subnet, in the words of `fabric port`. */
#pragma once

#include "cmd/change/change_run.h"
#include "cmd/mad/mad_listing.h"

/*
 * Adds the changes of the port at DEST/PORT, where DEST is anything that mad_session_find()
 * accepts. The words are those of ibportstate: enable, disable, reset, arm, active, and `speed
 * LIST`, `width LIST`, where LIST may have any speeds. False: as in struct changer.
 */
bool ports_plan_words(struct change_plan *plan, const struct mad_args *args, const char *place,
		      char **words);
