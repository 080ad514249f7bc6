/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits and capabilities of a device and its ports from verbs: everything that `ibv_devinfo -v`
 * shows. A value is unknown if the kernel does not report it (it lacks the extended query). Zero
 * and the empty list mean that the device has none, except for quantities that cannot be zero: a
 * clock of 0 kHz, a rate limit of 0 kb/s and an MTU of 0 bytes are unknown.
 */
#pragma once

#include "host/limits.h"
#include "schema/schema.h"

/* The raw codes of a port. Codes that its link layer does not define are zero. */
struct port_codes {
	unsigned int max_mtu, active_mtu; /* enum ibv_mtu */
	unsigned int max_vls;		  /* PortInfo:VLCap */
	unsigned int width;		  /* PortInfo:LinkWidthActive */
	unsigned int speed;		  /* as in struct port_caps, 0 included */
	unsigned int lid, lmc, sm_lid, sm_sl;
	unsigned int subnet_timeout, init_type_reply;
};

struct port_caps {
	char *device; /* borrowed from struct caps */
	struct number port;
	int error;		      /* -errno of a failed query: everything else is unknown */
	struct number link_layer;     /* enum link_layer */
	struct number state;	      /* enum ib_port_state */
	struct number physical_state; /* enum ib_port_phys_state */
	struct number active_mtu_bytes;
	struct number max_mtu_bytes;
	struct number max_msg_size_bytes;
	struct number cap_mask;	    /* PortInfo:CapabilityMask, except bit 26: IP based GIDs */
	struct number capabilities; /* cap_mask without bit 26 */
	enum tristate ip_based_gids;
	struct number cap_mask2; /* PortInfo:CapabilityMask2 */
	struct number width_lanes;
	struct number speed;   /* enum ib_port_speed: the code of one lane's speed */
	struct number max_vls; /* data VLs: 1, 2, 4, 8, 15 */
	struct number lid;     /* lid to init_type_reply: InfiniBand link layer only */
	struct number lmc;
	struct number sm_lid;
	struct number sm_sl;
	struct number subnet_timeout; /* code: 4.096 us * 2^n */
	struct number init_type_reply;
	struct number bad_pkey_count; /* P_Key violations seen */
	struct number bad_qkey_count; /* Q_Key violations seen */
	struct number gid_table_length;
	struct number pkey_table_length;
	enum tristate grh_required;
	struct port_codes codes; /* not columns: for personalities, which show codes */
};

/* Members are those of struct ibv_device_attr_ex, infiniband/verbs.h, with units in the names. */
struct caps {
	char *device;
	struct number transport; /* enum transport */
	char *firmware;
	char *board_id; /* from sysfs */
	struct number node_guid;
	struct number system_image_guid;
	struct number vendor_id; /* the vendor's OUI, not its PCI id */
	struct number vendor_part_id;
	struct number hw_ver;
	struct number port_count;

	struct number max_mr_size_bytes;
	struct number page_size_cap; /* bit n: pages of 2^n bytes */
	struct number num_comp_vectors;
	struct number atomic; /* enum ibv_atomic_cap */
	struct number device_cap_flags;
	struct number device_cap_flags_ex; /* includes device_cap_flags in most drivers */

	/* Bit n of every *_qp_types is queue pair type n of enum ibv_qp_type. */
#define MEMBER(member, ...) struct number member;
#define NO_MEMBER(...)
	CAPS_QP_LIMITS(MEMBER)
	CAPS_QUEUE_LIMITS(MEMBER)
	CAPS_OBJECT_LIMITS(MEMBER)
	CAPS_PCI_ATOMICS(MEMBER)
	CAPS_OFFLOADS(MEMBER, MEMBER, MEMBER, NO_MEMBER)
#undef MEMBER
#undef NO_MEMBER

	struct port_caps *ports;
	size_t port_caps_count;
};

extern const struct schema caps_schema;
extern const struct schema port_caps_schema;

/* Copies the device name, and sets it in the ports as well. */
void caps_set_device(struct caps *caps, const char *name);
/* Appends the capabilities of a port, which invalidates pointers to earlier ones. */
struct port_caps *caps_add_port(struct caps *caps, unsigned int number);
/* Frees everything it owns and leaves an empty record. */
void caps_clear(struct caps *caps);
