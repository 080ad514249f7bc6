/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of a RoCE port that are set through files: the defaults of rdma_cm in configfs, and
 * congestion control of NVIDIA's own driver in sysfs. change/dcb.h has the netdev's settings that
 * are set by netlink.
 *
 * default-mode and default-tos: the caller fills change->port and change->data, a string with the
 * kernel's name of the device. ecn and cnp-dscp: change->netdev_index. Canonical forms:
 *   default-mode   roce-v1, roce-v2
 *   default-tos    0 to 255
 *   ecn            none, or priorities: 0,3; SEND/RECEIVE (3/none) if they differ
 *   cnp-dscp       0 to 63
 */
#pragma once

#include "change/change.h"

/* The settings of a port and those of a netdev; each table ends with NULL. */
extern const struct setting *const cma_setting_table[];
extern const struct setting *const ecn_setting_table[];

/* Formats a value of ecn from these masks of priorities; the caller frees it. */
char *ecn_text(unsigned int send, unsigned int receive);

extern const struct setting cma_mode_setting, cma_tos_setting, ecn_setting, cnp_dscp_setting;
