/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Link settings of a netdev by the ethtool family of generic netlink (Linux 5.6): pause frames
 * (5.7) and forward error correction (5.13). Reading is open to ordinary users. The netdev is named
 * by its index, so a name that is gone cannot make the kernel look for a module, as the older
 * ioctl does (dev_load(), net/core/dev_ioctl.c).
 */
#pragma once

#include "schema/value.h"

struct netlink;

#define ETHTOOL_FAMILY "ethtool"

/* Pause frames of the whole link, IEEE 802.3 annex 31B: not those of priorities (PFC). */
struct ethtool_pause {
	enum tristate autoneg, receive, transmit;
};

/* Counts of blocks and bits since the driver was loaded; unknown if the driver has none. */
struct ethtool_fec {
	struct number active; /* a code of ethtool_fec_names; unknown: no link, or not reported */
	struct number corrected_blocks, uncorrectable_blocks, corrected_bits;
};

extern const struct enum_name ethtool_fec_names[];
enum { ETHTOOL_FEC_IS_OFF = 49 }; /* ETHTOOL_LINK_MODE_FEC_NONE_BIT */

/* -EOPNOTSUPP: the driver or the kernel has no answer; -ENODEV: the netdev is gone. */
int ethtool_get_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      struct ethtool_pause *ret_pause);
/* Without `counts` only the active encoding: the counters are another question to the adapter. */
int ethtool_get_fec(struct netlink *generic, uint16_t family, uint32_t index, bool counts,
		    struct ethtool_fec *ret_fec);

/*
 * Sets the members that are known; the others stay. 0: the driver took it, or there was nothing to
 * change. -EPERM; -EOPNOTSUPP: the driver cannot set them; -EINVAL: not these. *ret_text: the
 * kernel's words for an error, or NULL; the caller frees it.
 */
int ethtool_set_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      const struct ethtool_pause *pause, char **ret_text);

/* The answers to the two: 0 or -EBADMSG. */
int ethtool_parse_pause(const void *payload, size_t length, struct ethtool_pause *pause);
int ethtool_parse_fec(const void *payload, size_t length, struct ethtool_fec *fec);
