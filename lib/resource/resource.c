/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/resource.h"

#include <stdlib.h>

#include "base/mem.h"
#include "schema/rows.h"

#define RECORD struct resource

#define DEVICE_FIELD	  TEXT(device, "DEVICE", SHOWN, 0, "name of the device")
#define PORT_FIELD(flags) NUMBER(port, "PORT", flags, 0, "port of the device that it uses")
#define PDN_FIELD(flags)  NUMBER(pdn, "PDN", flags, 0, "number of its protection domain")
#define CTXN_FIELD	  NUMBER(ctxn, "CTXN", SHOWN, 0, "number of the context that it belongs to")
#define USERS_FIELD(help) NUMBER(users, "USERS", SHOWN, 0, help)
#define KEY(member, ...)  HEX(member, 8, __VA_ARGS__)
/* The holder of an object. */
#define OWNER_FIELDS                                                                  \
	NUMBER(pid, "PID", SHOWN, RESOURCE_NEED_PROCESS,                              \
	       "process that made it, in this PID namespace"),                        \
		TEXT(command, "COMMAND", SHOWN, RESOURCE_NEED_PROCESS,                \
		     "name of the process, or of the kernel's part in brackets"),     \
		YES_NO(kernel, "KERNEL", 0, 0, "whether the kernel holds it"),        \
		NUMBER(thread, "THREAD", 0, 0, "thread of the process that made it"), \
		LIST(driver, "DRIVER", 0, 0, "further details from its driver: name=value")

static const struct field qp_fields[] = {
	DEVICE_FIELD,
	PORT_FIELD(SHOWN),
	NUMBER_AS("qpn", id, "QPN", SHOWN, 0, "number of the queue pair"),
	WORD(type, qp_type_names, "TYPE", SHOWN, 0, "transport service"),
	TEXT(subtype, "SUBTYPE", 0, 0, "the driver's own type, if the type is driver: DCI"),
	WORD(state, qp_state_names, "STATE", SHOWN, 0, "state of the queue pair"),
	NUMBER(remote_qpn, "REMOTE QPN", SHOWN, 0,
	       "number of the queue pair that it is connected to"),
	NUMBER(rq_psn, "RQ PSN", 0, 0, "packet sequence number that it expects to receive"),
	NUMBER(sq_psn, "SQ PSN", 0, 0, "packet sequence number that it sends next"),
	WORD(path_migration, path_migration_names, "MIGRATION", 0, 0,
	     "state of automatic path migration"),
	PDN_FIELD(0),
	OWNER_FIELDS,
};

static const struct field cm_id_fields[] = {
	DEVICE_FIELD,
	PORT_FIELD(SHOWN),
	NUMBER_AS("cm_idn", id, "CM ID", SHOWN, 0, "number of the identifier"),
	NUMBER(qpn, "QPN", SHOWN, 0, "its queue pair"),
	WORD(type, qp_type_names, "TYPE", 0, 0, "transport service of the queue pair"),
	WORD(state, cm_id_state_names, "STATE", SHOWN, 0, "state of the connection"),
	WORD(port_space, port_space_names, "SPACE", SHOWN, 0, "what the port numbers belong to"),
	IP(local_ip, "LOCAL IP", SHOWN, 0, "own address, or GID"),
	NUMBER(local_port, "LOCAL PORT", SHOWN, 0, "own port number"),
	IP(remote_ip, "REMOTE IP", SHOWN, 0, "the peer's address, or GID; none while it listens"),
	NUMBER(remote_port, "REMOTE PORT", SHOWN, 0, "the peer's port number"),
	OWNER_FIELDS,
};

static const struct field cq_fields[] = {
	DEVICE_FIELD,
	NUMBER_AS("cqn", id, "CQN", SHOWN, 0, "number of the completion queue"),
	NUMBER(entries, "ENTRIES", SHOWN, 0, "completions that it has room for"),
	USERS_FIELD("send and receive queues that use it"),
	WORD(poll_context, poll_context_names, "POLL", 0, 0,
	     "where the kernel polls it; only for the kernel's own queues, since Linux 5.8"),
	YES_NO(adaptive_moderation, "DIM", 0, 0,
	       "whether its interrupts are moderated dynamically"),
	CTXN_FIELD,
	OWNER_FIELDS,
};

static const struct field mr_fields[] = {
	DEVICE_FIELD,
	NUMBER_AS("mrn", id, "MRN", SHOWN, 0, "number of the memory region"),
	NUMBER(length_bytes, "BYTES", SHOWN, 0, "its length"),
	HEX(iova, 1, "IOVA", FIELD_RIGHT, 0,
	    "address at which the device sees it; few kernels report it"),
	KEY(rkey, "RKEY", FIELD_RIGHT, 0, "key for the peer; only with CAP_NET_ADMIN"),
	KEY(lkey, "LKEY", FIELD_RIGHT, 0, "key for the owner; only with CAP_NET_ADMIN"),
	PDN_FIELD(SHOWN),
	OWNER_FIELDS,
};

static const struct field pd_fields[] = {
	DEVICE_FIELD,
	NUMBER_AS("pdn", id, "PDN", SHOWN, 0, "number of the protection domain"),
	USERS_FIELD("queue pairs, memory regions and others in it"),
	KEY(local_dma_lkey, "DMA LKEY", FIELD_RIGHT, 0,
	    "key for all memory of the kernel; only with CAP_NET_ADMIN"),
	KEY(unsafe_global_rkey, "GLOBAL RKEY", FIELD_RIGHT, 0,
	    "key that lets peers reach all memory, if there is one; only with CAP_NET_ADMIN"),
	CTXN_FIELD,
	OWNER_FIELDS,
};

static const struct field ctx_fields[] = {
	DEVICE_FIELD,
	NUMBER_AS("ctxn", id, "CTXN", SHOWN, 0, "number of the context"),
	OWNER_FIELDS,
};

static const struct field srq_fields[] = {
	DEVICE_FIELD,
	NUMBER_AS("srqn", id, "SRQN", SHOWN, 0, "number of the shared receive queue"),
	WORD(type, srq_type_names, "TYPE", SHOWN, 0, "what kind of queue"),
	LIST(qpns, "QPNS", SHOWN, 0,
	     "queue pairs that receive from it, and ranges of them: 17, 20-25"),
	NUMBER(cqn, "CQN", SHOWN, 0, "completion queue, of the types xrc and tm"),
	PDN_FIELD(SHOWN),
	OWNER_FIELDS,
};

static const struct schema kind_schemas[] = {
	[RESOURCE_QP] = SCHEMA("qps", struct resource, qp_fields, "a queue pair"),
	[RESOURCE_CM_ID] = SCHEMA("cm_ids", struct resource, cm_id_fields,
				  "an identifier of the connection manager"),
	[RESOURCE_CQ] = SCHEMA("cqs", struct resource, cq_fields, "a completion queue"),
	[RESOURCE_MR] = SCHEMA("mrs", struct resource, mr_fields, "a memory region"),
	[RESOURCE_PD] = SCHEMA("pds", struct resource, pd_fields, "a protection domain"),
	[RESOURCE_CTX] = SCHEMA("ctxs", struct resource, ctx_fields,
				"a context: a device that a process has open"),
	[RESOURCE_SRQ] = SCHEMA("srqs", struct resource, srq_fields, "a shared receive queue"),
};

const struct schema *resource_schema(enum resource_kind kind)
{
	return &kind_schemas[kind];
}

void resource_clear(struct resource *resource)
{
	free(resource->kernel_name);
	free(resource->subtype);
	strings_free(&resource->qpns);
	strings_free(&resource->driver);
}

void resource_list_clear(struct resource_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		resource_clear(&list->items[i]);
	free(list->items);
	*list = (struct resource_list){0};
}

#undef RECORD
#define RECORD struct resource_summary
static const struct field summary_fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	RESOURCE_COUNT_FIELDS("contexts: usually processes that have it open"),
	LIST(others, "OTHERS", 0, 0, "kinds that only a newer kernel has: name=count"),
};

const struct schema resource_summary_schema = SCHEMA("resources", struct resource_summary,
						     summary_fields,
						     "how many objects of each kind a device has");

void resource_summary_list_clear(struct resource_summary_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		strings_free(&list->items[i].others);
	free(list->items);
	*list = (struct resource_summary_list){0};
}

const struct enum_name resource_kind_names[] = {
	{RESOURCE_QP, "qp", TONE_PLAIN, "queue pairs"},
	{RESOURCE_CM_ID, "cm_id", TONE_PLAIN, "connection identifiers"},
	{RESOURCE_CQ, "cq", TONE_PLAIN, "completion queues"},
	{RESOURCE_MR, "mr", TONE_PLAIN, "memory regions"},
	{RESOURCE_PD, "pd", TONE_PLAIN, "protection domains"},
	{RESOURCE_CTX, "ctx", TONE_PLAIN, "contexts: opened devices"},
	{RESOURCE_SRQ, "srq", TONE_PLAIN, "shared receive queues"},
	{0, NULL},
};

/* enum ib_qp_type, include/rdma/ib_verbs.h */
const struct enum_name qp_type_names[] = {
	{0, "smi"},
	{1, "gsi"},
	{2, "rc"},
	{3, "uc"},
	{4, "ud"},
	{5, "raw-ipv6"},
	{6, "raw-ethertype"},
	{8, "raw-packet"},
	{9, "xrc-ini"},
	{10, "xrc-tgt"},
	{0xff, "driver"},
	{0, NULL},
};

/* enum ib_qp_state, include/rdma/ib_verbs.h; InfiniBand Architecture Specification, 10.3.1 */
const struct enum_name qp_state_names[] = {
	{0, "reset", TONE_WARNING}, {1, "init", TONE_WARNING},
	{2, "rtr", TONE_WARNING},   {3, "rts", TONE_GOOD},
	{4, "sqd", TONE_WARNING},   {5, "sqe", TONE_BAD},
	{6, "error", TONE_BAD},	    {0, NULL},
};

/* enum ib_mig_state, include/rdma/ib_verbs.h */
const struct enum_name path_migration_names[] = {
	{0, "migrated"},
	{1, "rearm"},
	{2, "armed"},
	{0, NULL},
};

/* enum rdma_cm_state, drivers/infiniband/core/cma_priv.h; the last two since Linux 6.17 */
const struct enum_name cm_id_state_names[] = {
	{0, "idle"},
	{1, "addr-query"},
	{2, "addr-resolved"},
	{3, "route-query"},
	{4, "route-resolved"},
	{5, "connect", TONE_GOOD},
	{6, "disconnect"},
	{7, "addr-bound"},
	{8, "listen"},
	{9, "device-removal", TONE_BAD},
	{10, "destroying"},
	{11, "addrinfo-query"},
	{12, "addrinfo-resolved"},
	{0, NULL},
};

/* enum rdma_ucm_port_space, include/uapi/rdma/rdma_user_cm.h */
const struct enum_name port_space_names[] = {
	{0x0002, "ipoib"}, {0x0106, "tcp"}, {0x0111, "udp"}, {0x013f, "ib"}, {0, NULL},
};

/* enum ib_poll_context, include/rdma/ib_verbs.h, since Linux 5.8; direct was first before. */
const struct enum_name poll_context_names[] = {
	{0, "softirq"}, {1, "workqueue"}, {2, "unbound-workqueue"}, {3, "direct"}, {0, NULL},
};

/* enum ib_srq_type, include/rdma/ib_verbs.h */
const struct enum_name srq_type_names[] = {
	{0, "basic"},
	{1, "xrc"},
	{2, "tm"},
	{0, NULL},
};
