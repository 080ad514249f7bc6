/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "roce/ecn.h"

#include <errno.h>
#include <string.h>

#include "kernel/netlink/dcb.h"
#include "kernel/sysfs.h"

int roce_ecn_read_mask(const struct root *root, const char *netdev, const char *point,
		       unsigned int *ret_mask)
{
	unsigned int mask = 0;

	for (unsigned int i = 0; i < DCB_PRIORITIES; i++) {
		char text[SYSFS_TEXT_SIZE];
		ssize_t length = sysfs_read(root, text, ROCE_ECN_ENABLE, netdev, point, i);

		if (length < 0)
			return (int)length;
		mask |= !strcmp(text, "1") ? 1u << i : 0;
	}
	*ret_mask = mask;
	return 0;
}

static int read_vendor(const struct root *root, const char *netdev, struct roce_ecn *ecn)
{
	int rc = roce_ecn_read_mask(root, netdev, ROCE_ECN_SENDER, &ecn->send);

	if (!rc)
		rc = roce_ecn_read_mask(root, netdev, ROCE_ECN_RECEIVER, &ecn->receive);
	if (rc)
		return rc;
	ecn->vendor = true;
	sysfs_read_number(root, &ecn->cnp_dscp, ROCE_ECN_CNP, netdev);
	return 0;
}

/*
 * Reads how the notification packets are marked. The other parameters only tune congestion control;
 * whether it is on is not reported by the inbox driver (mlx5_ib_dbg_cc_name[], hw/mlx5/cong.c).
 */
static int read_params(const struct root *root, const char *pci_address, struct roce_ecn *ecn)
{
	static const char directory[] = "sys/kernel/debug/mlx5/%s/cc_params/%s";
	int rc = sysfs_read_number(root, &ecn->cnp_dscp, directory, pci_address, "np_cnp_dscp");

	if (!rc)
		rc = sysfs_read_number(root, &ecn->cnp_priority, directory, pci_address,
				       "np_cnp_prio");
	ecn->params = !rc;
	return rc;
}

void roce_ecn_read(const struct root *root, const char *netdev, const char *driver,
		   const char *pci_address, struct roce_ecn *ret_ecn)
{
	*ret_ecn = (struct roce_ecn){.rc = 0};
	ret_ecn->rc = read_vendor(root, netdev, ret_ecn);
	if (ret_ecn->rc == -ENOENT && driver && !strcmp(driver, "mlx5_core") && pci_address)
		ret_ecn->rc = read_params(root, pci_address, ret_ecn);
}
