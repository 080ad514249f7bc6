/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings of a port of the subnet, for `ports set` and `fabric port`. */
#pragma once

#include "cmd/change/change_run.h"
#include "mad/engine/request.h"

struct distant_port {
	const char *via, *mkey; /* as in `ports set`; or NULL */
	const char *names;	/* the node name map; NULL: the usual one */
	enum target_kind kind;	/* of DEST */
};

/*
 * Adds the changes of the port at DEST/PORT, where DEST is what mad_session_find() takes; `words`
 * are pairs of settings and values. False: as in struct changer.
 */
bool ports_plan_distant(struct change_plan *plan, const struct distant_port *port,
			const char *place, char **words);
/*
 * The same for the words of ibportstate: enable, disable, reset, arm, active, and `speed LIST`,
 * `width LIST`, where LIST may have any speeds.
 */
bool ports_plan_words(struct change_plan *plan, const struct distant_port *port, const char *place,
		      char **words);
