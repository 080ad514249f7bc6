/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Queries an open device: ports, GID tables, limits. */
#include "host/verbs_caps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/verbs.h"
#include "kernel/verbs_library.h"

/* Queries return 0, an errno, or in old providers -1 with errno set. */
static int query_result(int rc)
{
	if (rc == -1 && errno)
		return -errno;
	return rc > 0 ? -rc : rc;
}

/*
 * These do the same as the inline functions of verbs.h, without a reference to the library's
 * symbols.
 */
static int query_port(struct verbs_device *device, uint64_t number, struct ibv_port_attr *attr)
{
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_port);

	if (!number || number > UINT8_MAX)
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	if (extended)
		return query_result(extended->query_port(device->context, (uint8_t)number, attr,
							 sizeof(*attr)));
	/* The parentheses prevent expansion of the verbs.h macro with this name. */
	return query_result(
		(device->call->ibv_query_port)(device->context, (uint8_t)number, (void *)attr));
}

static int query_device(struct verbs_device *device, struct ibv_device_attr_ex *attr,
			bool *ret_extended)
{
	struct verbs_context *extended = verbs_get_ctx_op(device->context, query_device_ex);
	int rc = -EOPNOTSUPP;

	memset(attr, 0, sizeof(*attr));
	if (extended)
		rc = query_result(
			extended->query_device_ex(device->context, NULL, attr, sizeof(*attr)));
	*ret_extended = !rc;
	if (rc != -EOPNOTSUPP && rc != -ENOSYS)
		return rc;
	memset(attr, 0, sizeof(*attr));
	return query_result(device->call->ibv_query_device(device->context, &attr->orig_attr));
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

/* Gets the size of the device's complete GID table, in entries. Returns 0 or -errno. */
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

/*
 * Reads the nonempty entries. The kernel returns either all of them or -EINVAL, so a buffer that is
 * nearly always large enough is tried before querying the length of the tables, which costs one
 * more firmware call for each port.
 */
static ssize_t query_gids(struct verbs_device *opened, const struct device *device,
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

static void set_gid(struct gid_entry *gid, const struct port *port,
		    const struct ibv_gid_entry *entry)
{
	gid->device = port->device;
	gid->port = port->port;
	gid->index = number_of(entry->gid_index);
	memcpy(gid->gid.gid.raw, entry->gid.raw, sizeof(gid->gid.gid.raw));
	gid->gid.known = true;
	gid->source = number_of(GID_SOURCE_VERBS);
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

	if (first->port_num != second->port_num)
		return first->port_num < second->port_num ? -1 : 1;
	return (first->gid_index > second->gid_index) - (first->gid_index < second->gid_index);
}

int verbs_get_gids(struct verbs_device *verbs_device, struct device *device)
{
	_cleanup_(freep) struct ibv_gid_entry *entries = NULL;
	ssize_t count = query_gids(verbs_device, device, &entries);

	if (count < 0)
		return (int)count;
	qsort(entries, (size_t)count, sizeof(*entries), compare_entries);
	for (ssize_t i = 0; i < count; i++) {
		struct port *port = device_port(device, entries[i].port_num);

		if (port)
			set_gid(mem_append(&port->gids, &port->gid_count, sizeof(*port->gids)),
				port, &entries[i]);
	}
	return 0;
}

int verbs_get_caps(struct verbs_device *device, struct caps *caps)
{
	struct ibv_device_attr_ex attr;
	struct caps found = {0};
	bool extended;
	int rc = query_device(device, &attr, &extended);

	if (rc)
		return rc;
	found.device = mem_string(device->context->device->name);
	found.num_comp_vectors = number_of((unsigned int)device->context->num_comp_vectors);
	verbs_caps_set_device(&found, &attr, extended);
	for (unsigned int i = 1; i <= found.port_count.value; i++) {
		struct port_caps *port = caps_add_port(&found, i);
		struct ibv_port_attr port_attr;

		port->error = query_port(device, i, &port_attr);
		if (!port->error)
			verbs_caps_set_port(port, &port_attr);
	}
	verbs_caps_set_transport(&found, device->context->device->transport_type);
	*caps = found;
	return 0;
}
