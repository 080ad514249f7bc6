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

/* Takes single files into a snapshot; private to this folder. */
enum source_how {
	SOURCE_FILES,
	SOURCE_TREE,
	SOURCE_TEXTS,
	SOURCE_NAMES,
	SOURCE_CONFIG,	   /* of PCI: adapters, accelerators and bridges */
	SOURCE_VPD,	   /* of PCI: network adapters */
	SOURCE_PARAMETERS, /* of modules, except keys */
	SOURCE_LIBRARY,	   /* libibverbs.so.1: the version of its interface to providers */
	SOURCE_UNITS,	   /* of systemd: limits of locked memory */
	SOURCE_CRIO,	   /* of CRI-O: the limits of its containers */
	SOURCE_MOUNTS,	   /* of control groups and pstore, and at / */
	SOURCE_BOOT,	   /* of the host: its time */
	SOURCE_LINKS,	   /* of proc: a namespace */
};

/* Adds to the list, below root/; the bytes from malloc() belong to the list from now on. */
void collect_take(struct collection *collection, enum content_kind kind, const char *path,
		  char *bytes, size_t length);
/* Keeps the -errno of the live system, or of a saved tree's link, as a link instead of the file. */
void collect_error(struct collection *collection, const char *path, int error);
/* Notes what is omitted from the snapshot. */
void collect_note(struct collection *collection, const char *path, const char *why);
/* Takes a regular file. Returns 0, or the -errno that was kept. */
int collect_file(struct collection *collection, const char *path, enum source_how how);
/*
 * Hides the values of passwords, keys and tokens in the text, in place. After a crash of the host,
 * zeros may be in the place of what was written last.
 */
void collect_hide_secrets(char *text, size_t length);

/*
 * The answers of netlink and verbs on this host, for a snapshot: kernel/recording.h. Runs the
 * commands that list something, each in a separate process whose output is discarded, and adds all
 * their queries and the answers as netlink/answers and verbs/answers. So the snapshot can answer
 * these commands, whatever they query. A command that crashes or hangs leaves a problem, and
 * nothing of its own recording. Keys of memory are omitted. Returns 0 or -errno.
 */
int recording_collect(struct contents *contents, struct problems *problems);
/*
 * The addresses in the text of /proc/net/arp that a snapshot asks about; cuts the text into pieces.
 * A part of recording_collect(), for tests.
 */
void recording_neighbours(char *arp, struct strings *neighbours);
/*
 * Whether the recordings of a snapshot can be read; a saved tree has none, which is fine. Returns
 * 0, or -errno with the reason, for the caller to free.
 */
int recording_check(const char *root, char **ret_message);
