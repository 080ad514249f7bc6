/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The adapter's own record of a queue pair, which its driver hands over unchanged (RDMA netlink,
 * RES_QP_GET_RAW, since Linux 5.9; this requires CAP_NET_ADMIN in the initial user namespace).
 * mlx5's record is decoded as far as the kernel's headers describe it; others are bytes.
 */
#pragma once

#include "kernel/netlink/nldev.h"
#include "resource/resource.h"

/* struct mlx5_ifc_qpc_bits up to dbr_addr, include/linux/mlx5/mlx5_ifc.h */
#define MLX5_CONTEXT_BYTES 232

struct qp_context {
	struct resource resource; /* borrowed */
	uint32_t device_index;
	uint8_t *raw; /* NULL: unknown */
	size_t raw_length;
	char *hex;
	unsigned char mlx5[MLX5_CONTEXT_BYTES];
	bool decoded; /* mlx5[] holds the context of the queue pair */
	int error;    /* of reading it: 0 or -errno */
};

extern const struct schema qp_context_schema;

/* Reads the records of all queue pairs; those that cannot be read keep the error. */
void qp_contexts_read(struct netlink *nldev, struct qp_context *contexts, size_t count);
void qp_context_clear(struct qp_context *context);

/*
 * Keeps the bytes, and decodes them if they hold the context of the queue pair in context->resource
 * as mlx5 dumps it. The state and peer in it must match the kernel's: nothing else identifies the
 * bytes.
 */
void qp_context_set(struct qp_context *context, const void *bytes, size_t length);
