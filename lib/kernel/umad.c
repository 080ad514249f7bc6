/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/umad.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "mad/format/header.h"
#include "mad/format/mad.h"
#include "kernel/sysfs.h"
#include "kernel/umad_library.h"

LIBRARY_NOTE(LIBUMAD, "management", "smp, perf, sa, mad, ping, sysstat, fabric");

#define LIBRARY_RECORD struct umad_functions
static const struct library_symbol umad_symbols[] = {UMAD_FUNCTIONS(LIBRARY_MUST, LIBRARY_MAY)};

/* An agent's number is twice the id that its port gave it, plus 1 on the second port. */
struct umad {
	struct umad_functions call;
	int ports[2]; /* libibumad's: GSI, SMI; the second is -1 if both are one port */
	unsigned int next;
	char *device; /* of the GSI, as is `port` */
	unsigned int port;
};

static int add_agent(void *context, const struct mad_agent *agent)
{
	struct umad *umad = context;
	int side = mad_class_is_smp(agent->mgmt_class) && umad->ports[1] >= 0;
	long methods[16 / sizeof(long)];
	uint8_t oui[3] = {(uint8_t)(agent->oui >> 16), (uint8_t)(agent->oui >> 8),
			  (uint8_t)agent->oui};
	int id;

	memcpy(methods, agent->methods, sizeof(methods));
	errno = 0;
	if (agent->mgmt_class >= 0x30 && agent->mgmt_class <= 0x4f)
		id = umad->call.umad_register_oui(umad->ports[side], agent->mgmt_class,
						  agent->rmpp_version, oui, methods);
	else
		id = umad->call.umad_register(umad->ports[side], agent->mgmt_class, agent->version,
					      agent->rmpp_version, methods);
	if (id < 0)
		return errno ? -errno : -EPERM;
	return id * 2 + side;
}

static int send_mad(void *context, int agent, const struct mad_address *to, unsigned char *buffer,
		    size_t bytes, unsigned int timeout_msec)
{
	struct umad *umad = context;
	ib_mad_addr_t *address = umad->call.umad_get_mad_addr(buffer);

	memset(buffer, 0, umad->call.umad_size());
	address->lid = htobe16(to->lid);
	address->qpn = htobe32(to->qpn);
	address->qkey = htobe32(to->qkey);
	address->sl = to->sl;
	address->path_bits = to->path_bits;
	address->grh_present = to->has_grh;
	if (to->has_grh) {
		address->gid_index = to->gid_index;
		address->hop_limit = to->hop_limit;
		address->traffic_class = to->traffic_class;
		address->flow_label = htobe32(to->flow_label);
		memcpy(address->gid, to->gid.raw, sizeof(address->gid));
	}
	umad->call.umad_set_pkey(buffer, to->pkey_index);
	errno = 0;
	if (umad->call.umad_send(umad->ports[agent & 1], agent / 2, buffer, (int)bytes,
				 (int)timeout_msec, 0))
		return errno ? -errno : -EIO;
	return 0;
}

static void read_address(const struct umad *umad, unsigned char *buffer, struct mad_address *ret)
{
	const ib_mad_addr_t *address = umad->call.umad_get_mad_addr(buffer);

	*ret = (struct mad_address){
		.lid = be16toh(address->lid),
		.sl = address->sl,
		.path_bits = address->path_bits,
		.qpn = be32toh(address->qpn),
		.qkey = be32toh(address->qkey),
		.pkey_index = (uint16_t)umad->call.umad_get_pkey(buffer),
		.has_grh = address->grh_present,
	};
	if (!ret->has_grh)
		return;
	ret->gid_index = address->gid_index;
	ret->hop_limit = address->hop_limit;
	ret->traffic_class = address->traffic_class;
	ret->flow_label = be32toh(address->flow_label);
	memcpy(ret->gid.raw, address->gid, sizeof(ret->gid.raw));
}

static int receive_from(struct umad *umad, int side, unsigned char *buffer, size_t *bytes,
			struct mad_arrival *ret)
{
	int length = (int)*bytes, id;

	errno = 0;
	id = umad->call.umad_recv(umad->ports[side], buffer, &length, 0);
	if (id >= 0) {
		ret->agent = id * 2 + side;
		ret->error = umad->call.umad_status(buffer);
		read_address(umad, buffer, &ret->from);
		*bytes = length > 0 ? (size_t)length : 0;
		return 0;
	}
	/* The simulator's read() returns the error itself and leaves errno unchanged. */
	if (id == -EAGAIN || errno == EAGAIN)
		return -EAGAIN;
	if (errno == ENOSPC && length > 0 && (size_t)length > *bytes) {
		*bytes = (size_t)length;
		return -ENOSPC;
	}
	return errno ? -errno : -EIO;
}

static int receive(void *context, unsigned char *buffer, size_t *bytes, struct mad_arrival *ret)
{
	struct umad *umad = context;
	int rc = -EAGAIN;

	/* Alternate, so that a busy port does not starve the other one. */
	for (int i = 0; i < 2 && rc == -EAGAIN; i++) {
		int side = umad->ports[1] >= 0 ? (int)(umad->next++ & 1) : 0;

		rc = receive_from(umad, side, buffer, bytes, ret);
		if (umad->ports[1] < 0)
			break;
	}
	return rc;
}

static int wait_for(void *context, int timeout_msec)
{
	struct umad *umad = context;
	struct pollfd both[] = {{.fd = umad->ports[0], .events = POLLIN},
				{.fd = umad->ports[1], .events = POLLIN}};
	int rc;

	errno = 0;
	/* The simulator's poll() watches only a single descriptor. */
	if (umad->ports[1] < 0) {
		rc = umad->call.umad_poll(umad->ports[0], timeout_msec);
		if (!rc || rc == -ETIMEDOUT)
			return rc;
		return errno ? -errno : -EIO;
	}
	/* A port id of libibumad is a file descriptor: umad_get_fd(3). */
	rc = poll(both, 2, timeout_msec);
	if (rc < 0)
		return -errno;
	return rc ? 0 : -ETIMEDOUT;
}

static void close_ports(void *context)
{
	struct umad *umad = context;

	for (int i = 0; i < 2; i++)
		if (umad->ports[i] >= 0)
			umad->call.umad_close_port(umad->ports[i]);
	free(umad->device);
	free(umad);
}

static int open_port(const struct umad *umad, const char *device, unsigned int port)
{
	int id;

	errno = 0;
	id = umad->call.umad_open_port(device, (int)port);
	if (id >= 0)
		return id;
	return errno && errno != EIO ? -errno : id == -EINVAL || id == -ENODEV ? -ENODEV : -EIO;
}

/* Same choice as ib_find_pkey(), core/device.c: limited members cannot talk to each other. */
int umad_find_pkey(const struct root *root, const char *device, unsigned int port, uint16_t pkey)
{
	char text[SYSFS_TEXT_SIZE];
	int limited = -ENOENT;
	uint64_t own;

	for (int i = 0;
	     sysfs_read(root, text, SYSFS_RDMA_CLASS "/%s/ports/%u/pkeys/%d", device, port, i) >= 0;
	     i++) {
		if (text_parse_u64(text, 0, UINT16_MAX, &own) ||
		    (own ^ pkey) & ~(uint64_t)PKEY_FULL_MEMBER)
			continue;
		if (own & PKEY_FULL_MEMBER)
			return i;
		if (limited < 0)
			limited = i;
	}
	return limited;
}

static int find_pkey(void *context, uint16_t pkey)
{
	const struct umad *umad = context;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(NULL, &root))
		return -ENOENT;
	return umad_find_pkey(&root, umad->device, umad->port, pkey);
}

int umad_open_ports(const struct umad_functions *call, const char *device, unsigned int port,
		    const char *smi_device, unsigned int smi_port,
		    struct mad_transport *ret_transport)
{
	struct umad *umad = mem_alloc_zero(1, sizeof(*umad));
	bool apart = smi_device && (strcmp(device, smi_device) || port != smi_port);
	int rc;

	umad->call = *call;
	umad->ports[1] = -1;
	umad->device = mem_string(device);
	umad->port = port;
	rc = umad->ports[0] = open_port(umad, device, port);
	if (rc >= 0 && apart)
		rc = umad->ports[1] = open_port(umad, smi_device, smi_port);
	if (rc < 0) {
		close_ports(umad);
		return rc;
	}
	*ret_transport = (struct mad_transport){
		.context = umad,
		.headroom = call->umad_size(),
		.add_agent = add_agent,
		.send = send_mad,
		.receive = receive,
		.find_pkey = find_pkey,
		.wait = wait_for,
		.close = close_ports,
	};
	return 0;
}

int umad_open(const char *device, unsigned int port, const char *smi_device, unsigned int smi_port,
	      struct mad_transport *ret_transport)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	char version[SYSFS_TEXT_SIZE];
	struct umad_functions call;
	int rc = library_open(LIBUMAD, umad_symbols, ARRAY_SIZE(umad_symbols), &call);

	if (rc)
		return rc;
	/* Without the module, the library itself would print an error. */
	if (root_open(NULL, &root) ||
	    sysfs_read(&root, version, "sys/class/infiniband_mad/abi_version") < 0)
		return -ENODEV;
	call.umad_init();
	return umad_open_ports(&call, device, port, smi_device, smi_port, ret_transport);
}
