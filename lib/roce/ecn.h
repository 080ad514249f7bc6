/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Congestion control of a RoCE port (DCQCN: senders slow down when the receiver notifies them of
 * marked packets), as far as its driver reports it: NVIDIA's own driver has sys/class/net/X/ecn,
 * that of the kernel has debugfs files, which are only read, never written.
 */
#pragma once

#include "kernel/root.h"
#include "schema/value.h"

struct roce_ecn {
	bool vendor;			      /* NVIDIA's own driver: sys/class/net/X/ecn */
	unsigned int send;		      /* mask of priorities whose senders slow down */
	unsigned int receive;		      /* mask of priorities whose receivers notify */
	bool params;			      /* mlx5's cc_params in debugfs */
	struct number cnp_dscp, cnp_priority; /* of the notification packets */
	int rc;				      /* -errno if something could not be read */
};

/* The points of congestion control, by the names of their directories. */
#define ROCE_ECN_SENDER	  "roce_rp"
#define ROCE_ECN_RECEIVER "roce_np"
/* Paths below the root: by netdev, point and priority; and by netdev. */
#define ROCE_ECN_ENABLE "sys/class/net/%s/ecn/%s/enable/%u"
#define ROCE_ECN_CNP	"sys/class/net/%s/ecn/" ROCE_ECN_RECEIVER "/cnp_dscp"

/*
 * Fills the struct completely; `driver` and `pci_address` may be NULL. rc -ENOENT: the driver
 * reports nothing.
 */
void roce_ecn_read(const struct root *root, const char *netdev, const char *driver,
		   const char *pci_address, struct roce_ecn *ret_ecn);
/* Reads enable/0 .. 7 of a point as a mask: 0 or -errno. */
int roce_ecn_read_mask(const struct root *root, const char *netdev, const char *point,
		       unsigned int *ret_mask);
