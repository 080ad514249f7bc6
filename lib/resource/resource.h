/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The objects of RDMA devices that processes and the kernel hold: queue pairs, completion queues,
 * memory regions and so on, as the kernel's resource tracking knows them. One struct serves all
 * kinds; each kind's schema shows the members that it has. The record owns its strings unless a
 * comment says "borrowed".
 */
#pragma once

#include "schema/schema.h"

enum resource_kind {
	RESOURCE_QP,
	RESOURCE_CM_ID,
	RESOURCE_CQ,
	RESOURCE_MR,
	RESOURCE_PD,
	RESOURCE_CTX,
	RESOURCE_SRQ,
	RESOURCE_KINDS,
};

/* The kinds as on the command line; the help is the plural name. */
extern const struct enum_name resource_kind_names[];
extern const struct enum_name qp_type_names[];
extern const struct enum_name qp_state_names[];
extern const struct enum_name path_migration_names[];
extern const struct enum_name cm_id_state_names[];
extern const struct enum_name port_space_names[];
extern const struct enum_name poll_context_names[];
extern const struct enum_name srq_type_names[];

struct resource {
	char *device;  /* borrowed */
	char *command; /* borrowed: of the process, or [name] for a part of the kernel */
	struct number pid;
	struct number thread; /* the thread that made it, from the kernel */
	enum tristate kernel; /* the kernel owns it */
	char *kernel_name;    /* the part of the kernel that owns it */
	struct number id;   /* of its kind: the QPN of a QP, otherwise the kernel's own numbering */
	struct number port; /* of the device */
	struct number type; /* enum ib_qp_type; for a SRQ enum ib_srq_type */
	struct number state; /* enum ib_qp_state; for a CM ID enum rdma_cm_state */
	struct number qpn;   /* of a CM ID */
	struct number remote_qpn;
	struct number rq_psn, sq_psn;
	struct number path_migration; /* enum ib_mig_state */
	struct number port_space;     /* enum rdma_ucm_port_space */
	struct known_ip local_ip, remote_ip;
	struct number local_port, remote_port; /* IP port numbers */
	struct number entries;		       /* of a CQ */
	struct number users;
	struct number poll_context; /* enum ib_poll_context */
	enum tristate adaptive_moderation;
	struct number length_bytes, iova;		  /* of a MR */
	struct number rkey, lkey;			  /* only with CAP_NET_ADMIN */
	struct number local_dma_lkey, unsafe_global_rkey; /* of a PD; only with CAP_NET_ADMIN */
	struct number pdn, cqn, ctxn;
	struct strings qpns;   /* of a SRQ: 17, 20-25 */
	char *subtype;	       /* of a QP of type driver: DCI */
	struct strings driver; /* what the driver adds: name=value */
};

struct resource_list {
	struct resource *items;
	size_t count;
};

void resource_clear(struct resource *resource);
void resource_list_clear(struct resource_list *list);

/* The needs of a field besides the objects that RDMA netlink lists. */
enum resource_need {
	RESOURCE_NEED_PROCESS = 1 << 0, /* /proc/PID/status */
};

const struct schema *resource_schema(enum resource_kind kind);

/* The number of objects of each kind on a device. */
struct resource_summary {
	char *device;	     /* borrowed */
	struct number index; /* the device's index in RDMA netlink */
	struct number counts[RESOURCE_KINDS];
	struct strings others; /* kinds that this program does not know: name=count */
};

struct resource_summary_list {
	struct resource_summary *items;
	size_t count;
};

void resource_summary_list_clear(struct resource_summary_list *list);
extern const struct schema resource_summary_schema;

/* The rows of `counts` in the field table of a RECORD, by the macros of schema/rows.h. */
#define RESOURCE_COUNT(kind_, key_, heading_, help_) \
	NUMBER_AS(key_, counts[RESOURCE_##kind_], heading_, SHOWN, 0, help_)
#define RESOURCE_COUNT_FIELDS(contexts_)                                                           \
	RESOURCE_COUNT(QP, "qps", "QP", "queue pairs"),                                            \
		RESOURCE_COUNT(CM_ID, "cm_ids", "CM ID", "identifiers of the connection manager"), \
		RESOURCE_COUNT(CQ, "cqs", "CQ", "completion queues"),                              \
		RESOURCE_COUNT(MR, "mrs", "MR", "memory regions"),                                 \
		RESOURCE_COUNT(PD, "pds", "PD", "protection domains"),                             \
		RESOURCE_COUNT(CTX, "ctxs", "CTX", contexts_),                                     \
		RESOURCE_COUNT(SRQ, "srqs", "SRQ", "shared receive queues")
