/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "resource/resource.h"

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

/* enum rdma_cm_state, include/rdma/rdma_cm.h */
const struct enum_name cm_id_state_names[] = {
	{0, "idle"},	       {1, "addr-query"},
	{2, "addr-resolved"},  {3, "route-query"},
	{4, "route-resolved"}, {5, "connect", TONE_GOOD},
	{6, "disconnect"},     {7, "addr-bound"},
	{8, "listen"},	       {9, "device-removal", TONE_BAD},
	{10, "destroying"},    {0, NULL},
};

/* enum rdma_ucm_port_space, include/uapi/rdma/rdma_user_cm.h */
const struct enum_name port_space_names[] = {
	{0x0002, "ipoib"}, {0x0106, "tcp"}, {0x0111, "udp"}, {0x013f, "ib"}, {0, NULL},
};

/*
 * enum ib_poll_context, include/rdma/ib_verbs.h, since Linux 5.8; before that, direct was the
 * first.
 */
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
