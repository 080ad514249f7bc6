/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/verbs_caps.h"

#include <stdlib.h>

#include <endian.h>

#include <infiniband/verbs.h>

#include "base/mem.h"
#include "mad/format/codes.h"
#include "base/text.h"
#include "host/device.h"

/* The kernel's limits are unsigned, 32 bits wide (ib_uverbs_query_device_resp); verbs.h has int. */
static struct number limit(int value)
{
	return number_of((uint32_t)value);
}

static void set_identity(struct caps *caps, const struct ibv_device_attr *attr)
{
	if (attr->fw_ver[0])
		caps->firmware = text_clean(attr->fw_ver, sizeof(attr->fw_ver));
	caps->node_guid = number_of(be64toh(attr->node_guid));
	caps->system_image_guid = number_of(be64toh(attr->sys_image_guid));
	caps->vendor_id = number_of(attr->vendor_id);
	caps->vendor_part_id = number_of(attr->vendor_part_id);
	caps->hw_ver = number_of(attr->hw_ver);
	caps->port_count = number_of(attr->phys_port_cnt);
}

static void set_limits(struct caps *caps, const struct ibv_device_attr *attr)
{
	caps->max_mr_size_bytes = number_of(attr->max_mr_size);
	caps->page_size_cap = number_of(attr->page_size_cap);
	caps->device_cap_flags = number_of(attr->device_cap_flags);
	caps->atomic = number_of(attr->atomic_cap);
#define SET(member, ...) caps->member = limit(attr->member);
	CAPS_QP_LIMITS(SET)
	CAPS_QUEUE_LIMITS(SET)
	CAPS_OBJECT_LIMITS(SET)
#undef SET
}

static void set_extended(struct caps *caps, const struct ibv_device_attr_ex *attr)
{
	caps->device_cap_flags_ex = number_of(attr->device_cap_flags_ex);
	if (attr->phys_port_cnt_ex)
		caps->port_count = number_of(attr->phys_port_cnt_ex);
#define SET(member, path, ...) caps->member = number_of(attr->path);
#define SET_ALREADY(...)
	CAPS_PCI_ATOMICS(SET)
	CAPS_OFFLOADS(SET, SET, SET, SET_ALREADY)
#undef SET
#undef SET_ALREADY
	/* Quantities that cannot be zero. */
	if (!attr->hca_core_clock)
		caps->hca_core_clock_khz.known = false;
	if (!attr->packet_pacing_caps.qp_rate_limit_max) {
		caps->packet_pacing_rate_limit_min_kbps = (struct number){0};
		caps->packet_pacing_rate_limit_max_kbps = (struct number){0};
	}
}

void verbs_caps_set_device(struct caps *caps, const struct ibv_device_attr_ex *attr, bool extended)
{
	set_identity(caps, &attr->orig_attr);
	set_limits(caps, &attr->orig_attr);
	if (extended)
		set_extended(caps, attr);
}

void verbs_caps_set_transport(struct caps *caps, int type)
{
	const struct number *link_layer = caps->port_caps_count ? &caps->ports[0].link_layer : NULL;

	switch (type) {
	case IBV_TRANSPORT_IB:
		if (link_layer && link_layer->known && link_layer->value == LINK_LAYER_ETHERNET)
			caps->transport = number_of(TRANSPORT_ROCE);
		else
			caps->transport = number_of(TRANSPORT_INFINIBAND);
		break;
	case IBV_TRANSPORT_IWARP:
		caps->transport = number_of(TRANSPORT_IWARP);
		break;
	case IBV_TRANSPORT_USNIC:
	case IBV_TRANSPORT_USNIC_UDP:
		caps->transport = number_of(TRANSPORT_USNIC);
		break;
	case IBV_TRANSPORT_UNSPECIFIED:
		caps->transport = number_of(TRANSPORT_UNSPECIFIED);
		break;
	default:
		break; /* IBV_TRANSPORT_UNKNOWN, or a later addition */
	}
}

static unsigned int active_speed(const struct ibv_port_attr *attr)
{
#ifdef HAVE_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	if (attr->active_speed_ex)
		return attr->active_speed_ex;
#endif
	return attr->active_speed;
}

static void set_port_flags(struct port_caps *port, const struct ibv_port_attr *attr)
{
	bool ip = attr->port_cap_flags & IBV_PORT_IP_BASED_GIDS;
	bool grh = attr->flags & IBV_QPF_GRH_REQUIRED;

	port->cap_mask = number_of(attr->port_cap_flags);
	/* uverbs replaces that bit with its own flag (make_port_cap_flags(), kernel). */
	port->capabilities = number_of(attr->port_cap_flags & ~(uint32_t)IBV_PORT_IP_BASED_GIDS);
	port->cap_mask2 = number_of(attr->port_cap_flags2);
	port->ip_based_gids = ip ? TRISTATE_YES : TRISTATE_NO;
	port->grh_required = grh ? TRISTATE_YES : TRISTATE_NO;
}

void verbs_set_rate(struct port *port, const struct ibv_port_attr *attr)
{
	enum lane_speed speed = lane_speed_of_verbs(active_speed(attr));
	unsigned int lanes = width_lanes(attr->active_width);

	if (speed == SPEED_UNKNOWN || !lanes)
		return;
	port->rate_gbps = (struct real){lanes * lane_rates[speed].data_gbps, .known = true};
	port->width_lanes = number_of(lanes);
	free(port->speed);
	port->speed = mem_string(enum_word(lane_speed_names, speed, ""));
}

static struct port_codes port_codes(const struct ibv_port_attr *attr)
{
	return (struct port_codes){
		.max_mtu = attr->max_mtu,
		.active_mtu = attr->active_mtu,
		.max_vls = attr->max_vl_num,
		.width = attr->active_width,
		.speed = active_speed(attr),
		.lid = attr->lid,
		.lmc = attr->lmc,
		.sm_lid = attr->sm_lid,
		.sm_sl = attr->sm_sl,
		.subnet_timeout = attr->subnet_timeout,
		.init_type_reply = attr->init_type_reply,
	};
}

void verbs_caps_set_port(struct port_caps *port, const struct ibv_port_attr *attr)
{
	port->link_layer = number_of(attr->link_layer);
	port->state = number_of(attr->state);
	port->physical_state = number_of(attr->phys_state);
	port->active_mtu_bytes = number_unless_zero(mtu_bytes(attr->active_mtu));
	port->max_mtu_bytes = number_unless_zero(mtu_bytes(attr->max_mtu));
	port->max_msg_size_bytes = number_of(attr->max_msg_sz);
	port->width_lanes = number_unless_zero(width_lanes(attr->active_width));
	port->speed = number_unless_zero(active_speed(attr));
	port->max_vls = number_unless_zero(data_vls(attr->max_vl_num));
	if (attr->link_layer == IBV_LINK_LAYER_INFINIBAND) {
		port->lid = number_of(attr->lid);
		port->lmc = number_of(attr->lmc);
		port->sm_lid = number_of(attr->sm_lid);
		port->sm_sl = number_of(attr->sm_sl);
		port->subnet_timeout = number_of(attr->subnet_timeout);
		port->init_type_reply = number_of(attr->init_type_reply);
	}
	port->bad_pkey_count = number_of(attr->bad_pkey_cntr);
	port->bad_qkey_count = number_of(attr->qkey_viol_cntr);
	port->gid_table_length = limit(attr->gid_tbl_len);
	port->pkey_table_length = number_of(attr->pkey_tbl_len);
	set_port_flags(port, attr);
	port->codes = port_codes(attr);
}
