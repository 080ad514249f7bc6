/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of a netdev that make its RDMA traffic lossless or not: data center bridging by
 * rtnetlink, pause frames of the whole link by ethtool netlink, and the MTU.
 *
 * The caller fills change->netdev_index; change->object is only a readable name (eth0, or
 * mlx5_0/1). Canonical forms of the values:
 *   pfc, global-pause   none, or a list without blanks: 3 / 0,3 / rx,tx
 *   trust               pcp, dscp, or the trusted selectors in order: dscp,pcp
 *   dscp-priority       none, or the complete map, sorted: 24:3,26:3; a user may write AF31:3,
 *                       and +26:3 or +26:none to change the current map
 *   priority-class, class-algorithm, class-bandwidth, priority-buffer, buffer-size, maxrate
 *                       all eight: 0:0,1:1,...,7:7; a user may give some, the others stay
 */
#pragma once

#include "change/change.h"
#include "kernel/netlink/dcb.h"
#include "kernel/netlink/ethtool.h"

/*
 * In the order in which to set them: the owner comes first, settings that the driver keeps in one
 * structure are adjacent, and pause frames must be off before PFC is on. Ends with NULL.
 */
extern const struct setting *const dcb_setting_table[];

/* The individual settings, for changes with several parts. */
extern const struct setting dcb_dcbx_setting, dcb_dscp_priority_setting, dcb_trust_setting,
	dcb_priority_class_setting, dcb_class_algorithm_setting, dcb_class_bandwidth_setting,
	dcb_maxrate_setting, dcb_pfc_setting, dcb_pfc_delay_setting, dcb_priority_buffer_setting,
	dcb_buffer_size_setting, link_pause_setting, link_mtu_setting;

/*
 * Returns the value of a data center bridging setting from a record, in its canonical form, for the
 * caller to free; NULL: the driver does not report it. `driver` ("mlx5_core", or NULL) determines
 * what is trusted if the record does not say.
 */
char *dcb_value(const struct setting *setting, const struct dcb *dcb, const char *driver);
/* The same for pause frames: none, rx, tx, rx,tx; ",auto" is appended if they are negotiated. */
char *link_pause_value(const struct ethtool_pause *pause);
