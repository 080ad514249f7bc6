/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sends many requests and keeps all replies: for complete tables, all ports, many nodes. */
#pragma once

#include "mad/format/attribute.h"
#include "mad/engine/engine.h"
#include "mad/engine/request.h"

struct mad_item {
	struct mad_request request;
	bool skipped;	 /* set by the caller: not sent, and -ECANCELED */
	int error;	 /* as in struct mad_reply; -ECANCELED until it is done */
	uint16_t status; /* of the MAD; `data` is valid only if this is 0 */
	unsigned int tries;
	uint64_t round_trip_nsec;	   /* as in struct mad_reply: 0 is unknown */
	unsigned char data[MAD_DATA_MOST]; /* the class's data area */
};

/* Allocates `count` zeroed items, at least one; free them with free(3). */
struct mad_item *mad_items_new(size_t count);
/* Sends all requests. Returns the same as mad_engine_run(); each item has its own result. */
int mad_gather(struct mad_engine *engine, struct mad_item *items, size_t count);
/* The same, and passes on each reply as it arrives: it may be longer than the data of its item. */
typedef void mad_taker(void *context, struct mad_item *item, const struct mad_reply *reply);
int mad_gather_long(struct mad_engine *engine, struct mad_item *items, size_t count,
		    mad_taker *take, void *context);

/* The local port's knowledge of routes to others. */
struct mad_route {
	uint16_t lid, sm_lid;
	uint8_t sm_sl;
	bool subnet_manager; /* the port knows a subnet manager: sm_lid is set */
	uint16_t pkey_index; /* for requests to the SA */
	struct gid gid;	     /* index 0: subnet prefix and port GUID */
	uint64_t sm_key;
};

/* A destination and how to reach it. */
struct mad_place {
	struct mad_target target;
	struct mad_address address;
	int error;	 /* 0 if found; -ENXIO: the SA knows no path; -EADDRNOTAVAIL: it leads to a
			    multicast group; -ENODATA: no SM; or the request's error */
	uint16_t status; /* of the SA's reply, if that says why there is no path */
	bool beyond;	 /* in another subnet, reached through a router */
};

/*
 * Finds the LIDs of the places that are GUIDs or GIDs from path records of the SA, all at once, and
 * fills the addresses of all. Each place has its own result.
 */
void mad_find_places(struct mad_engine *engine, const struct mad_route *route,
		     struct mad_place *places, size_t count);

/* The GID of a target that is a GID or a GUID, which gets the prefix of the local port. */
struct gid mad_target_gid(const struct mad_route *route, const struct mad_target *target);
/* Says why a query of the SA has no answer; -ENODATA: the port knows no subnet manager. */
const char *mad_sa_error(int error);
/* The next step; NULL if the user did not wait for the answer. */
const char *mad_sa_hint(int error);
#define MAD_SA_HINT "rdmactl smp sminfo shows whether the subnet manager is alive"
/* Asks the SA for records with these components, which `record` holds. */
struct mad_request mad_sa_request(const struct mad_route *route, uint8_t method, uint16_t attribute,
				  uint64_t components, const unsigned char *record, size_t bytes);
/* Asks the SA for one path record by these PATH_HAS_ components, which `record` holds. */
struct mad_request mad_path_request(const struct mad_route *route, uint64_t components,
				    unsigned char *record);
/* The LID of the place; unknown if it has none, or if the LID is that of a router on the way. */
struct number mad_place_lid(const struct mad_place *place);
/* Makes an SMP to the place, without data. */
void mad_smp_request(const struct mad_place *place, uint8_t method, uint16_t attribute,
		     uint32_t modifier, struct mad_request *request);
/* Makes a general management packet to the place. */
void mad_gmp_request(const struct mad_place *place, uint8_t mgmt_class, uint8_t method,
		     uint16_t attribute, uint32_t modifier, struct mad_request *request);
