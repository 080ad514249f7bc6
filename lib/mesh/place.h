/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The place of this process in a mesh: what the launcher's environment says about it, and where the
 * coordinator is reached.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "schema/value.h"

struct ifaddrs;

struct mesh_place {
	struct number rank;
	struct number hosts; /* how many take part */
	char *first_host;    /* of rank 0; or NULL */
	const char *by;	     /* variable that gave the rank */
	const char *name;    /* of this host; or NULL */
};

void mesh_place_read(struct mesh_place *place);
void mesh_place_clear(struct mesh_place *place);
/*
 * The system's addresses that other hosts may reach, separated by commas, or only that one, which
 * may be a name. A port may be appended. To be freed.
 */
char *mesh_own_addresses(const char *only);
/* The same for a list of interfaces; at most 32 addresses. */
char *mesh_list_addresses(const struct ifaddrs *list);
/* Splits ADDRESS[,ADDRESS...][:PORT]. Returns false if the text is not of that form. */
bool mesh_parse_target(const char *text, uint16_t default_port, struct strings *ret_addresses,
		       uint16_t *ret_port);
