/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Collects the files that any command reads, from the live system or a saved tree, according to the
 * table in sources.def. Nothing is changed: no file is written, and reading has no effects. A file
 * that cannot be read is kept as a link to !ERRNAME, which kernel/sysfs.h understands.
 */
#pragma once

#include "kernel/root.h"
#include "schema/problem.h"
#include "snapshot/content.h"

/* Patterns of the modules whose parameters a snapshot takes. */
#define SNAPSHOT_MODULES                                                                   \
	"ib_* iw_* rdma* mlx* hfi1 qib bnxt_* irdma ice i40* efa erdma mana* hns* hclge* " \
	"ocrdma be2net qed* cxgb4 siw ionic* vmw_pvrdma usnic_verbs rpcrdma nvme_rdma "    \
	"nvmet_rdma isert bonding nvidia* nv_peer_mem bnge bng_re idpf enic"

struct collection {
	const struct root *root;
	struct contents *contents;
	struct problems *problems; /* what was omitted, and why */
	uint64_t since_usec;	   /* kernel log lines from then on, since boot; 0: all of them */
	size_t unreadable;	   /* files whose read failed */
};

/* Paths begin with "root/". The list is sorted afterwards. */
void collect(struct collection *collection);
/* Adds the lines of RDMA drivers in the live kernel's log, as "kmsg". */
void collect_kernel_log(struct collection *collection);
/* Adds what the root, if it is a snapshot, has besides files: recordings and its kernel log. */
void collect_recorded(struct collection *collection);
/* Whether one of the patterns, which blanks separate, matches the name: fnmatch(3). */
bool collect_matches(const char *patterns, const char *name);
