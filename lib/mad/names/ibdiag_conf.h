/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The defaults that infiniband-diags takes from /etc/infiniband-diags/ibdiag.conf: NAME=VALUE
 * lines, `#` begins a comment (infiniband-diags/ibdiag_common.c, read_ibdiag_config()). MLX_EPI and
 * nd_format have no counterpart here, and unknown names are ignored, as there.
 */
#pragma once

#include <stddef.h>

#include "schema/schema.h"

#define IBDIAG_CONF_PATH "/etc/infiniband-diags/ibdiag.conf"
/*
 * Where infiniband-diags looks for the node name map by default: IBDIAG_NODENAME_MAP_PATH is a
 * constant of its build (CMakeLists.txt of rdma-core), not read from the environment.
 */
#define IBDIAG_NODE_NAMES_PATH "/etc/rdma/ib-node-name-map"

/* Unknown or NULL: not in the file. */
struct ibdiag_conf {
	char *device;	    /* CA, cleaned */
	struct number port; /* of the device: Port */
	struct number timeout_msec;
	struct number mkey, sa_key;
};

/*
 * Reads the text of such a file into an empty structure, which the caller clears in any case. 0, or
 * -EINVAL with the number of the first line whose value is wrong or that has a NUL; the lines
 * before it are read.
 */
int ibdiag_conf_parse(const char *text, size_t length, struct ibdiag_conf *conf,
		      unsigned int *ret_line);
void ibdiag_conf_clear(struct ibdiag_conf *conf);
