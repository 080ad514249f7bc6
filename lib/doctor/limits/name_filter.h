/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lists by which libraries select devices: NCCL_IB_HCA and NCCL_SOCKET_IFNAME (NCCL's
 * docs/userguide/source/env.rst and parseStringList() in src/misc/utils.cc), and UCX_NET_DEVICES
 * (UCX's ucs_config_sscanf_allow_list_with_ranges() in src/ucs/config/parser.c).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "schema/value.h"

struct name_entry {
	char *name; /* as written, without the port; not cleaned */
	int port;   /* -1: any */
};

struct name_filter {
	bool exclude;
	bool exact; /* otherwise a name is a prefix of device names */
	struct name_entry *items;
	size_t count;
};

/* Parses [^][=]NAME[:PORT[:RAIL[:PLANE]]],... */
void name_filter_parse_nccl(struct name_filter *filter, const char *value);
/* Parses all, or [^]NAME[:PORT],... with ranges such as mlx5_[0-3]:1; all has no entries. */
void name_filter_parse_ucx(struct name_filter *filter, const char *value);
void name_filter_clear(struct name_filter *filter);
/*
 * Whether the entry matches anything: `names` has devices or netdevs, `ports` has DEV/PORT, or is
 * NULL if these names have no ports.
 */
bool name_entry_matches(const struct name_filter *filter, const struct name_entry *entry,
			const struct strings *names, const struct strings *ports);

/* Stand for a driver: an unknown one may have any transport, and rxe and siw have those of verbs.
 */
#define DRIVER_UNKNOWN	   ""
#define DRIVER_OF_SOFTWARE "software"

/*
 * Whether UCX may send messages by RDMA with this UCX_TLS, parsed like UCX_NET_DEVICES, on devices
 * with these drivers; without devices, the words alone decide.
 */
bool ucx_transports_have_rdma(const struct name_filter *filter, const struct strings *drivers);

/*
 * Returns the value of NAME=VALUE in the text of an nccl.conf, freed by the caller; NULL if not
 * set. That of a ucx.conf is in kernel/config_files.h.
 */
char *nccl_conf_find(const char *text, const char *name);
