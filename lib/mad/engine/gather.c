/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/engine/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mad/format/header.h"
#include "schema/bits.h"

struct gather {
	struct mad_item *items;
	size_t count, next;
	mad_taker *take; /* or NULL */
	void *context;
};

static bool gather_next(void *context, struct mad_request *request)
{
	struct gather *gather = context;

	while (gather->next < gather->count && gather->items[gather->next].skipped)
		gather->next++;
	if (gather->next == gather->count)
		return false;
	*request = gather->items[gather->next].request;
	request->number = gather->next++;
	return true;
}

static void keep_data(struct mad_item *item, const struct mad_reply *reply)
{
	size_t at = mad_attribute_offset(item->request.mgmt_class, item->request.attribute), bytes;

	if (reply->error || reply->bytes <= at)
		return;
	bytes = reply->bytes - at;
	memcpy(item->data, reply->mad + at,
	       bytes < sizeof(item->data) ? bytes : sizeof(item->data));
}

static void gather_done(void *context, const struct mad_reply *reply)
{
	struct gather *gather = context;
	struct mad_item *item = &gather->items[reply->request->number];

	item->error = reply->error;
	item->status = reply->status;
	item->tries = reply->tries;
	item->round_trip_nsec = reply->round_trip_nsec;
	keep_data(item, reply);
	if (gather->take)
		gather->take(gather->context, item, reply);
}

struct mad_item *mad_items_new(size_t count)
{
	return mem_alloc_zero(count ? count : 1, sizeof(struct mad_item));
}

int mad_gather_long(struct mad_engine *engine, struct mad_item *items, size_t count,
		    mad_taker *take, void *context)
{
	struct gather gather = {items, count, 0, take, context};
	const struct mad_work work = {
		.context = &gather,
		.next = gather_next,
		.done = gather_done,
	};

	for (size_t i = 0; i < count; i++)
		items[i].error = -ECANCELED;
	return mad_engine_run(engine, &work);
}

int mad_gather(struct mad_engine *engine, struct mad_item *items, size_t count)
{
	return mad_gather_long(engine, items, count, NULL, NULL);
}

const char *mad_sa_error(int error)
{
	return error == -ENODATA     ? "the port knows no subnet manager to ask"
	       : error == -ETIMEDOUT ? "the subnet administrator did not answer"
	       : error == -ECANCELED ? "interrupted"
				     : strerror(-error);
}

const char *mad_sa_hint(int error)
{
	return error == -ECANCELED ? NULL : MAD_SA_HINT;
}

struct number mad_place_lid(const struct mad_place *place)
{
	if (place->target.kind == TARGET_DIRECT || place->beyond)
		return (struct number){.known = false};
	return number_of(place->address.lid);
}

void mad_smp_request(const struct mad_place *place, uint8_t method, uint16_t attribute,
		     uint32_t modifier, struct mad_request *request)
{
	bool direct = place->target.kind == TARGET_DIRECT;

	*request = (struct mad_request){
		.mgmt_class = direct ? UMAD_CLASS_SUBN_DIRECTED_ROUTE : UMAD_CLASS_SUBN_LID_ROUTED,
		.method = method,
		.attribute = attribute,
		.modifier = modifier,
		.direct = direct,
		.hops = place->target.hops,
		.to = {.lid = direct ? MAD_LID_PERMISSIVE : place->address.lid,
		       .has_grh = place->beyond},
	};
	memcpy(request->path, place->target.path, sizeof(request->path));
}

void mad_gmp_request(const struct mad_place *place, uint8_t mgmt_class, uint8_t method,
		     uint16_t attribute, uint32_t modifier, struct mad_request *request)
{
	*request = (struct mad_request){
		.mgmt_class = mgmt_class,
		.method = method,
		.attribute = attribute,
		.modifier = modifier,
		.to = place->address,
	};
}

struct gid mad_target_gid(const struct mad_route *route, const struct mad_target *target)
{
	struct gid gid = target->gid;

	if (target->kind == TARGET_GUID) {
		gid = route->gid;
		bits_set(gid.raw, 64, 64, target->guid);
	}
	return gid;
}

struct mad_request mad_sa_request(const struct mad_route *route, uint8_t method, uint16_t attribute,
				  uint64_t components, const unsigned char *record, size_t bytes)
{
	return (struct mad_request){
		.to =
			{
				.lid = route->sm_lid,
				.sl = route->sm_sl,
				.qpn = 1,
				.qkey = UMAD_QKEY,
				.pkey_index = route->pkey_index,
			},
		.mgmt_class = UMAD_CLASS_SUBN_ADM,
		.method = method,
		.attribute = attribute,
		.key = route->sm_key,
		.component_mask = components,
		.data = record,
		.data_bytes = bytes,
	};
}

/* Only one record is needed, so use Get: a GetTable would be answered in segments. 15.4.2 */
struct mad_request mad_path_request(const struct mad_route *route, uint64_t components,
				    unsigned char *record)
{
	path_record_set_numb_path(record, 1);
	return mad_sa_request(route, UMAD_METHOD_GET, UMAD_SA_ATTR_PATH_REC,
			      components | PATH_HAS_NUMB_PATH, record, PATH_RECORD_BYTES);
}

static void ask_path(const struct mad_route *route, const struct mad_target *target,
		     unsigned char *record, struct mad_request *request)
{
	const struct gid gid = mad_target_gid(route, target);

	memcpy(record + PATH_RECORD_DGID_AT, gid.raw, sizeof(gid.raw));
	memcpy(record + PATH_RECORD_SGID_AT, route->gid.raw, sizeof(route->gid.raw));
	*request = mad_path_request(route, PATH_HAS_DGID | PATH_HAS_SGID, record);
}

static bool needs_path(const struct mad_place *place)
{
	return place->target.kind == TARGET_GUID || place->target.kind == TARGET_GID;
}

/* The GRH that takes it through routers, as the kernel's ib_init_ah_attr_from_path() fills it. */
static void use_global_route(struct mad_address *address, const unsigned char *record)
{
	address->hop_limit = path_record_hop_limit(record);
	address->has_grh = address->hop_limit > 0;
	address->flow_label = path_record_flow_label(record);
	address->traffic_class = path_record_traffic_class(record);
	memcpy(address->gid.raw, record + PATH_RECORD_DGID_AT, sizeof(address->gid.raw));
}

static void use_path(struct mad_place *place, const struct gid *own, const struct mad_item *item)
{
	if (item->error)
		place->error = item->error;
	else if (item->status)
		place->error = -ENXIO;
	place->status = item->error ? 0 : item->status;
	place->address.lid = path_record_dlid(item->data);
	place->address.sl = path_record_sl(item->data);
	use_global_route(&place->address, item->data);
	/* The hop limit alone does not prove that the place is in another subnet. */
	place->beyond = place->address.hop_limit > 1 &&
			memcmp(place->address.gid.raw, own->raw, sizeof(own->raw) / 2) != 0;
	if (!place->error && !place->address.lid)
		place->error = -ENXIO;
	/* The SA has a path to the GID of a multicast group if this port is a member. */
	if (!place->error && place->address.lid > MAD_LID_LAST)
		place->error = -EADDRNOTAVAIL;
}

static void find_paths(struct mad_engine *engine, const struct mad_route *route,
		       struct mad_place *places, size_t count)
{
	_cleanup_(freep) struct mad_item *items = mem_alloc_zero(count, sizeof(*items));
	_cleanup_(freep) unsigned char *records = mem_alloc_zero(count, PATH_RECORD_BYTES);

	for (size_t i = 0; i < count; i++) {
		items[i].skipped = !needs_path(&places[i]) || places[i].error;
		if (!items[i].skipped)
			ask_path(route, &places[i].target, records + i * PATH_RECORD_BYTES,
				 &items[i].request);
	}
	mad_gather(engine, items, count);
	for (size_t i = 0; i < count; i++)
		if (!items[i].skipped)
			use_path(&places[i], &route->gid, &items[i]);
}

void mad_find_places(struct mad_engine *engine, const struct mad_route *route,
		     struct mad_place *places, size_t count)
{
	size_t needed = 0;

	for_each_in (place, places, count) {
		place->address.qpn = 1;
		place->address.qkey = UMAD_QKEY;
		place->address.pkey_index = route->pkey_index;
		if (place->target.kind == TARGET_LID) {
			place->address.lid = place->target.lid;
		} else if (place->target.kind == TARGET_DIRECT) {
			place->address.lid = MAD_LID_PERMISSIVE;
		} else if (!route->subnet_manager) {
			place->error = -ENODATA;
		} else {
			needed++;
		}
	}
	if (needed)
		find_paths(engine, route, places, count);
}
