/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Facts from generic netlink that several checks share: the devlink devices of the RDMA adapters,
 * and a socket for queries about netdevs. Everything is read when first needed.
 */
#pragma once

#include "doctor/frame/facts.h"
#include "kernel/netlink/devlink.h"
#include "kernel/netlink/ethtool.h"

struct roce_dcb;

/* A devlink device of an RDMA adapter. */
struct adapter {
	struct devlink *devlink;       /* borrowed from the list */
	char *object;		       /* its PCI address, or the name of its RDMA device */
	struct pci_function *function; /* NULL: not a PCI function */
	const struct device *device;   /* an RDMA device on it, or NULL */
};

struct doctor_adapters {
	/* The socket. 0 or -errno; a family that the kernel does not have is 0. */
	bool was_opened;
	int socket_rc;
	struct netlink *generic;
	uint16_t devlink_family, ethtool_family;
	/* devlink. */
	bool was_listed, was_chosen;
	unsigned int have;	   /* bits of enum adapter_facts */
	int list_rc, reporters_rc; /* -EPROTONOSUPPORT: the kernel has no devlink */
	struct devlink_list list;
	struct adapter *items;
	size_t count;
	/* One device per adapter, to compare firmware versions. */
	bool was_counted;
	const struct device **single;
	size_t single_count;
};

enum adapter_facts { ADAPTER_REPORTERS, ADAPTER_SWITCHES, ADAPTER_INFO };

/*
 * Returns the devlink devices of the selected adapters, with these facts. NULL if they cannot be
 * listed, with -errno in *ret_rc; -EPROTONOSUPPORT: the kernel has no devlink.
 */
const struct doctor_adapters *doctor_adapters(const struct doctor_context *run,
					      enum adapter_facts facts, int *ret_rc);
/* Whether to query the function's firmware: not for a virtual function. */
bool adapter_has_firmware(const struct doctor_context *run, const struct adapter *adapter);

/*
 * Returns one device per adapter (`single`): firmware and board are known, no virtual functions,
 * one device for each PCI function.
 */
const struct doctor_adapters *doctor_single_devices(struct doctor_facts *facts);

/* Like the functions of kernel/netlink/ethtool.h, for a netdev of the inventory. */
int doctor_pause(struct doctor_facts *facts, const char *netdev, struct ethtool_pause *ret_pause);
int doctor_fec(struct doctor_facts *facts, const char *netdev, bool counts,
	       struct ethtool_fec *ret_fec);

/* Returns the reporter's key in the reading; the caller frees it. */
char *reporter_key(const struct devlink *devlink, const struct devlink_reporter *reporter);

void doctor_adapters_free(struct doctor_adapters *adapters);

/*
 * The verdicts on a netdev's error correction and pause frames, separate from the queries. Each
 * function gives exactly one verdict, except on a software device whose netdev does not support the
 * query. `rc` is the result of the query; `fec` and `pause` are valid only if it is 0.
 */
void fec_judge(struct doctor_context *run, const struct link *netdev, int rc,
	       const struct ethtool_fec *fec);
void pause_judge(struct doctor_context *run, const struct link *netdev, int rc,
		 const struct ethtool_pause *pause, const struct roce_dcb *dcb);
