/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Many requests whose answers are all kept: for whole tables, all ports, many nodes. */
#pragma once

#include "mad/format/attribute.h"
#include "mad/engine/engine.h"
#include "mad/target.h"

struct mad_item {
	struct mad_request request;
	int error;	 /* as of struct mad_reply; -ECANCELED until it is done */
	uint16_t status; /* of the MAD; not 0: `data` is not to be trusted */
	unsigned int tries;
	uint64_t round_trip_nsec;
	unsigned char data[MAD_DATA_MOST]; /* the class's data area */
};

/* So many, zeroed; at least one, and freed by free(3). */
struct mad_item *mad_items_new(size_t count);
/* Asks all of them. Returns what mad_engine_run() does; each item has its own result. */
int mad_gather(struct mad_engine *engine, struct mad_item *items, size_t count);

/* What the local port knows of the way to others. */
struct mad_route {
	uint16_t lid, sm_lid;
	uint8_t sm_sl;
	bool subnet_manager; /* there is one: sm_lid is its LID */
	uint16_t pkey_index; /* of the requests to the SA */
	struct gid gid;
	uint64_t sm_key;
};

/* A destination and how it is reached. */
struct mad_place {
	struct mad_target target;
	struct mad_address address;
	int error; /* 0: found. -ENXIO: the SA knows no path; -ENODATA: no SM; or of the request */
	uint16_t status; /* of the SA's answer, if that is why it knows no path */
};

/*
 * Finds the LIDs of the places that are GUIDs or GIDs, by path records of the SA, all at once, and
 * fills the addresses of all. Returns what mad_engine_run() does.
 */
int mad_find_places(struct mad_engine *engine, const struct mad_route *route,
		    struct mad_place *places, size_t count);

/* The address of the SA. */
struct mad_address mad_sa_address(const struct mad_route *route);
/* An SMP to the place, its data empty. */
void mad_smp_request(const struct mad_place *place, uint8_t method, uint16_t attribute,
		     uint32_t modifier, struct mad_request *request);
/* A general management packet to the place. */
void mad_gmp_request(const struct mad_place *place, uint8_t mgmt_class, uint8_t method,
		     uint16_t attribute, uint32_t modifier, struct mad_request *request);
