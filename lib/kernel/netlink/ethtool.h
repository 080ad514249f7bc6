/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Link settings of a netdev through the ethtool family of generic netlink (Linux 5.6): link state
 * (5.6), pause frames (5.7), forward error correction (5.13), and the plugged module (its memory
 * 5.13, its power 5.16). Reading is open to ordinary users, except for the module's memory, which
 * needs CAP_NET_ADMIN. The netdev is identified by its index, so that a stale name cannot make the
 * kernel look for a module, as with the older ioctl (dev_load(), net/core/dev_ioctl.c).
 */
#pragma once

#include "schema/value.h"

/*
 * Attributes that many kernel headers lack: ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT of Linux 6.3, and
 * those of include/uapi/linux/ethtool_netlink_generated.h, Linux 6.18.
 */
enum { ETHTOOL_LINK_STATE_DOWN_COUNT = 7, ETHTOOL_FEC_STAT_HISTOGRAM = 5 };
enum { ETHTOOL_FEC_BIN_LOW = 2, ETHTOOL_FEC_BIN_HIGH, ETHTOOL_FEC_BIN_VALUE };

struct netlink;

#define ETHTOOL_FAMILY "ethtool"

/* Pause frames of the entire link, IEEE 802.3 annex 31B: not those of priorities (PFC). */
struct ethtool_pause {
	enum tristate autoneg, receive, transmit;
};

/* Number of blocks with low to high wrong symbols, inclusive (Linux 6.18). */
struct ethtool_fec_bin {
	struct number low, high;
	struct number blocks;
};

enum { ETHTOOL_FEC_BINS_MOST = 20 }; /* the kernel has 17: ETHTOOL_FEC_HIST_MAX */

/* Counts blocks and bits since the driver was loaded; unknown if the driver has no counters. */
struct ethtool_fec {
	struct number active; /* a code of ethtool_fec_names; unknown: no link, or not reported */
	struct number configured; /* bits of ethtool_fec_mode_names */
	struct number corrected_blocks, uncorrectable_blocks, corrected_bits;
	struct ethtool_fec_bin bins[ETHTOOL_FEC_BINS_MOST];
	size_t bin_count;
};

struct ethtool_link_state {
	enum tristate up;
	struct number quality, most_quality; /* SQI of single-pair Ethernet */
	struct number reason;		     /* why the link is down: ethtool_reason_names */
	struct number detail;		     /* its meaning depends on the reason */
	struct number down_count;	     /* number of times the link went down (Linux 6.3) */
};

/* Power of the module in the cage: ETHTOOL_MODULE_POWER_MODE_*, ..._POLICY_*. */
struct ethtool_module {
	struct number power_mode, power_policy;
};

/* A range of a module's memory: at most 128 bytes, which must not cross byte 128. */
struct ethtool_module_bytes {
	uint8_t address, page, bank, offset, length;
};

extern const struct enum_name ethtool_fec_mode_names[];
extern const struct enum_name ethtool_fec_names[];
extern const struct enum_name ethtool_reason_names[];
extern const struct enum_name ethtool_power_mode_names[], ethtool_power_policy_names[];
enum { ETHTOOL_FEC_IS_OFF = 49 }; /* ETHTOOL_LINK_MODE_FEC_NONE_BIT */

/* -EOPNOTSUPP: the driver or the kernel has no data; -ENODEV: the netdev is gone. */
int ethtool_get_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      struct ethtool_pause *ret_pause);
/* Without `counts` only the active encoding: the counters take another query to the adapter. */
int ethtool_get_fec(struct netlink *generic, uint16_t family, uint32_t index, bool counts,
		    struct ethtool_fec *ret_fec);
int ethtool_get_link_state(struct netlink *generic, uint16_t family, uint32_t index,
			   struct ethtool_link_state *ret_state);
int ethtool_get_module(struct netlink *generic, uint16_t family, uint32_t index,
		       struct ethtool_module *ret_module);
/*
 * Reads bytes of the module's memory; *ret_length is how many arrived. -EPERM without
 * CAP_NET_ADMIN. With no module, or one that does not respond, drivers return various errors (-EIO,
 * -ENODEV).
 */
int ethtool_get_module_bytes(struct netlink *generic, uint16_t family, uint32_t index,
			     const struct ethtool_module_bytes *which, uint8_t *bytes,
			     uint8_t *ret_length);

/* Returns the detail of a reason in words, or NULL. */
const char *ethtool_reason_detail(uint64_t reason, uint64_t detail);

/*
 * Sets the known members and leaves the others. 0: the driver accepted it, or there was nothing to
 * change. -EPERM; -EOPNOTSUPP: the driver cannot set them; -EINVAL: not these values. *ret_text:
 * the kernel's words for an error, or NULL; the caller frees it.
 */
int ethtool_set_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      const struct ethtool_pause *pause, char **ret_text);

/* Parse the replies into the empty records of their names. Return 0 or -EBADMSG. */
int ethtool_parse_pause(void *record, const void *payload, size_t length);
int ethtool_parse_fec(void *record, const void *payload, size_t length);
int ethtool_parse_link_state(void *record, const void *payload, size_t length);
int ethtool_parse_module(void *record, const void *payload, size_t length);
/* Takes at most `room` bytes; -EBADMSG if there are more. */
int ethtool_parse_module_bytes(const void *payload, size_t length, uint8_t *bytes, uint8_t room,
			       uint8_t *ret_length);
