/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the adapter itself knows of a queue pair: the record that its driver hands over as it is
 * (RDMA netlink, RES_QP_GET_RAW, since Linux 5.9; it takes CAP_NET_ADMIN in the initial user
 * namespace). That of mlx5 is decoded as far as the kernel's headers describe it; others are bytes.
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
	bool decoded; /* mlx5[] is that of the queue pair */
	int error;    /* of reading it: 0 or -errno */
};

extern const struct schema qp_context_schema;

/* Asks for the records of all; those that cannot be had keep the error. */
void qp_contexts_read(struct netlink *nldev, struct qp_context *contexts, size_t count);
void qp_context_clear(struct qp_context *context);

/*
 * The pure part: keeps the bytes, and decodes them if they hold the context of the queue pair in
 * context->resource as mlx5 dumps it. State and peer in it must be those that the kernel tells:
 * nothing else in the bytes says what they are.
 */
void qp_context_set(struct qp_context *context, const void *bytes, size_t length);
