/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/verbs.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "kernel/verbs/verbs_library.h"
#include "mad/format/codes.h"

/* The kernel's limits are unsigned with 32 bits (ib_uverbs_query_device_resp); verbs.h has int. */
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
	static const enum transport transports[] = {
		[IBV_TRANSPORT_IB] = TRANSPORT_INFINIBAND,
		[IBV_TRANSPORT_IWARP] = TRANSPORT_IWARP,
		[IBV_TRANSPORT_USNIC] = TRANSPORT_USNIC,
		[IBV_TRANSPORT_USNIC_UDP] = TRANSPORT_USNIC,
		[IBV_TRANSPORT_UNSPECIFIED] = TRANSPORT_UNSPECIFIED,
	};

	/* IBV_TRANSPORT_UNKNOWN, or a later addition */
	if (type < 0 || (size_t)type >= ARRAY_SIZE(transports))
		return;
	caps->transport = number_of(transports[type]);
	if (type == IBV_TRANSPORT_IB && caps->port_caps_count &&
	    number_is(&caps->ports[0].link_layer, LINK_LAYER_ETHERNET))
		caps->transport = number_of(TRANSPORT_ROCE);
}

/* Returns 0 if the kernel (before 6.7) or the library (rdma-core before 49) lacks the member. */
static unsigned int extended_speed(const struct ibv_port_attr *attr)
{
#ifdef HAVE_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	return attr->active_speed_ex;
#else
	(void)attr;
	return 0;
#endif
}

static unsigned int active_speed(const struct ibv_port_attr *attr)
{
	const unsigned int extended = extended_speed(attr);

	return extended ? extended : attr->active_speed;
}

/*
 * Whether the port may be faster than reported: the older member has one byte, and reports NDR for
 * anything from NDR up. copy_port_attr_to_resp(),
 * drivers/infiniband/core/uverbs_std_types_device.c.
 */
static bool may_be_faster(const struct ibv_port_attr *attr)
{
	return !extended_speed(attr) && lane_speed_of_verbs(attr->active_speed) == SPEED_NDR;
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

	if (speed == SPEED_UNKNOWN || !lanes || may_be_faster(attr))
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
	port->speed = number_unless_zero(may_be_faster(attr) ? 0 : active_speed(attr));
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

/* Queries to an open device: ports, GID tables, limits. */

/* Queries return 0, an errno, or in old providers -1 with errno set. */
static int query_result(int rc)
{
	if (rc == -1 && errno)
		return -errno;
	return rc > 0 ? -rc : rc;
}

/* These replace the inline functions of verbs.h, without referencing the library's symbols. */
static int ask_port(struct verbs_device *device, uint64_t number, struct ibv_port_attr *attr)
{
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_port);

	memset(attr, 0, sizeof(*attr));
	if (extended)
		return query_result(extended->query_port(device->context, (uint8_t)number, attr,
							 sizeof(*attr)));
	/* The parentheses prevent expansion of the verbs.h macro with this name. */
	return query_result(
		(device->call->ibv_query_port)(device->context, (uint8_t)number, (void *)attr));
}

/* Looks up a port in a recording. The kernel's tables have at most 65,535 entries. */
static int find_port(struct verbs_device *device, uint64_t number, struct ibv_port_attr *attr)
{
	struct ibv_port_attr found;
	int rc = verbs_record_read(device->record, VERBS_ASK_PORT, device->name, number, &found,
				   sizeof(found));

	if (!rc && (found.gid_tbl_len < 0 || found.gid_tbl_len > UINT16_MAX))
		return -EBADMSG;
	if (!rc)
		*attr = found;
	return rc;
}

static int query_port(struct verbs_device *device, uint64_t number, struct ibv_port_attr *attr)
{
	int rc;

	if (!number || number > PORT_MOST_VERBS)
		return -EINVAL;
	if (!device->context)
		return find_port(device, number, attr);
	rc = ask_port(device, number, attr);
	verbs_record_note(device->record, VERBS_ASK_PORT, device->name, number, rc, attr,
			  sizeof(*attr));
	return rc;
}

struct verbs_limits {
	uint64_t extended; /* 1: attr has more than attr.orig_attr */
	struct ibv_device_attr_ex attr;
};

static int ask_limits(struct verbs_device *device, struct verbs_limits *limits)
{
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_device_ex);
	int rc = -EOPNOTSUPP;

	memset(limits, 0, sizeof(*limits));
	if (extended)
		rc = query_result(extended->query_device_ex(device->context, NULL, &limits->attr,
							    sizeof(limits->attr)));
	limits->extended = !rc;
	if (rc != -EOPNOTSUPP && rc != -ENOSYS)
		return rc;
	memset(limits, 0, sizeof(*limits));
	return query_result(
		device->call->ibv_query_device(device->context, &limits->attr.orig_attr));
}

static int query_limits(struct verbs_device *device, struct verbs_limits *limits)
{
	int rc;

	if (!device->context)
		rc = verbs_record_read(device->record, VERBS_ASK_LIMITS, device->name, 0, limits,
				       sizeof(*limits));
	else
		rc = ask_limits(device, limits);
	verbs_record_note(device->record, VERBS_ASK_LIMITS, device->name, 0, rc, limits,
			  sizeof(*limits));
	/* Only a damaged recording has that many ports. */
	return !rc && limits->attr.phys_port_cnt_ex > PORT_MOST ? -EBADMSG : rc;
}

int verbs_get_port(struct verbs_device *device, struct port *port)
{
	struct ibv_port_attr attr;
	int rc = query_port(device, port->port.value, &attr);

	if (rc)
		return rc;
	port->active_mtu_bytes = number_unless_zero(mtu_bytes(attr.active_mtu));
	port->max_mtu_bytes = number_unless_zero(mtu_bytes(attr.max_mtu));
	port->gid_table_length = number_of((uint32_t)attr.gid_tbl_len);
	port->pkey_table_length = number_of(attr.pkey_tbl_len);
	if (!port->rate_gbps.known)
		verbs_set_rate(port, &attr);
	return 0;
}

/* Returns the total length of the device's GID tables in *ret_length, and 0 or -errno. */
static int get_gid_table_length(struct verbs_device *opened, const struct device *device,
				size_t *ret_length)
{
	struct ibv_port_attr attr;
	size_t length = 0;

	for (size_t i = 0; i < device->port_count; i++) {
		int rc = query_port(opened, device->ports[i].port.value, &attr);

		if (rc)
			return rc;
		length += attr.gid_tbl_len > 0 ? (size_t)attr.gid_tbl_len : 0;
	}
	*ret_length = length;
	return 0;
}

/* Looks up the GIDs in a recording. */
static ssize_t find_gids(struct verbs_device *opened, struct ibv_gid_entry **ret_entries)
{
	const uint8_t *bytes;
	size_t length, count;
	int rc = verbs_record_find(opened->record, VERBS_ASK_GIDS, opened->name, 0, &bytes,
				   &length);

	if (rc)
		return rc;
	count = length / sizeof(**ret_entries);
	*ret_entries = mem_resize(*ret_entries, count + 1, sizeof(**ret_entries));
	memcpy(*ret_entries, bytes, count * sizeof(**ret_entries));
	for (size_t i = 0; i < count; i++)
		if ((*ret_entries)[i].gid_index > UINT16_MAX)
			return -EBADMSG;
	return (ssize_t)count;
}

/*
 * Reads the nonempty entries. The kernel returns either all of them or -EINVAL, so a buffer that is
 * nearly always large enough is tried before querying the length of the tables, which costs one
 * more firmware call for each port.
 */
static ssize_t ask_gids(struct verbs_device *opened, const struct device *device,
			struct ibv_gid_entry **ret_entries)
{
	size_t room = 256 * (device->port_count ? device->port_count : 1), length = 0;
	ssize_t count;
	int rc;

	if (!opened->call->_ibv_query_gid_table)
		return -EOPNOTSUPP;
	*ret_entries = mem_resize(*ret_entries, room, sizeof(**ret_entries));
	count = opened->call->_ibv_query_gid_table(opened->context, *ret_entries, room, 0,
						   sizeof(**ret_entries));
	if (count != -EINVAL)
		return count;
	rc = get_gid_table_length(opened, device, &length);
	if (rc || length <= room)
		return rc ? rc : -EINVAL;
	*ret_entries = mem_resize(*ret_entries, length, sizeof(**ret_entries));
	return opened->call->_ibv_query_gid_table(opened->context, *ret_entries, length, 0,
						  sizeof(**ret_entries));
}

static ssize_t query_gids(struct verbs_device *opened, const struct device *device,
			  struct ibv_gid_entry **ret_entries)
{
	ssize_t count;

	if (!opened->context)
		return find_gids(opened, ret_entries);
	count = ask_gids(opened, device, ret_entries);
	verbs_record_note(opened->record, VERBS_ASK_GIDS, opened->name, 0,
			  count < 0 ? (int)count : 0, *ret_entries,
			  count < 0 ? 0 : (size_t)count * sizeof(**ret_entries));
	return count;
}

static void add_gid(struct port *port, const struct ibv_gid_entry *entry)
{
	struct gid_entry *gid = gid_entry_add(port, entry->gid_index, GID_SOURCE_VERBS);

	memcpy(gid->gid.gid.raw, entry->gid.raw, sizeof(gid->gid.gid.raw));
	gid->gid.known = true;
	if (entry->ndev_ifindex)
		gid->netdev_index = number_of(entry->ndev_ifindex);
	if (entry->gid_type == IBV_GID_TYPE_IB)
		gid->type = number_of(GID_TYPE_IB);
	else if (entry->gid_type == IBV_GID_TYPE_ROCE_V1)
		gid->type = number_of(GID_TYPE_ROCE_V1);
	else if (entry->gid_type == IBV_GID_TYPE_ROCE_V2)
		gid->type = number_of(GID_TYPE_ROCE_V2);
}

static int compare_entries(const void *a, const void *b)
{
	const struct ibv_gid_entry *first = a, *second = b;

	return COMPARE(first->port_num, second->port_num)
		       ?: COMPARE(first->gid_index, second->gid_index);
}

int verbs_get_gids(struct verbs_device *verbs_device, struct device *device)
{
	_cleanup_(freep) struct ibv_gid_entry *entries = NULL;
	ssize_t count = query_gids(verbs_device, device, &entries);

	if (count < 0 || !entries)
		return (int)count;
	qsort(entries, (size_t)count, sizeof(*entries), compare_entries);
	for (ssize_t i = 0; i < count; i++) {
		struct port *port = device_port(device, entries[i].port_num);

		if (port)
			add_gid(port, &entries[i]);
	}
	return 0;
}

int verbs_get_caps(struct verbs_device *device, struct caps *caps)
{
	struct caps found = {0};
	struct verbs_limits limits;
	int rc = query_limits(device, &limits);

	if (rc)
		return rc;
	found.device = mem_string(device->context ? device->context->device->name : device->name);
	found.num_comp_vectors = number_of((unsigned int)device->identity.num_comp_vectors);
	verbs_caps_set_device(&found, &limits.attr, limits.extended);
	for (unsigned int i = 1; i <= found.port_count.value && i <= PORT_MOST_VERBS; i++) {
		struct port_caps *port = caps_add_port(&found, i);
		struct ibv_port_attr port_attr;

		port->error = query_port(device, i, &port_attr);
		if (!port->error)
			verbs_caps_set_port(port, &port_attr);
	}
	verbs_caps_set_transport(&found, device->identity.transport);
	*caps = found;
	return 0;
}
