/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits and capabilities of a device and its ports, as verbs tell them: all that `ibv_devinfo -v`
 * shows. Unknown means that nobody told (a kernel without the extended query). Zero and the empty
 * list mean that the device says it has none of it, but for quantities that cannot be zero: a
 * clock of 0 kHz, a rate limit of 0 kb/s, an MTU of 0 bytes are kept unknown.
 */
#pragma once

#include "schema/schema.h"

/* What a port tells as it is: codes, and the zeros of a link layer that has no such thing. */
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
	int error;		      /* -errno of a query that failed: all the rest is unknown */
	struct number link_layer;     /* enum link_layer */
	struct number state;	      /* enum ib_port_state */
	struct number physical_state; /* enum ib_port_phys_state */
	struct number active_mtu_bytes;
	struct number max_mtu_bytes;
	struct number max_msg_size_bytes;
	struct number cap_mask;	    /* PortInfo:CapabilityMask, but for bit 26: IP based GIDs */
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
	struct port_codes codes; /* no field of the record: for those who show codes */
};

/* Members as in struct ibv_device_attr_ex, infiniband/verbs.h, but for units in the names. */
struct caps {
	char *device;
	struct number transport; /* enum transport */
	char *firmware;
	char *board_id; /* not from verbs: whoever reads sysfs may set it */
	struct number node_guid;
	struct number system_image_guid;
	struct number vendor_id; /* the vendor's OUI, not its PCI id */
	struct number vendor_part_id;
	struct number hw_ver;
	struct number port_count;

	struct number max_mr_size_bytes;
	struct number page_size_cap; /* bit n: pages of 2^n bytes */
	struct number max_qp;
	struct number max_qp_wr;
	struct number max_sge;
	struct number max_sge_rd;
	struct number max_cq;
	struct number max_cqe;
	struct number max_mr;
	struct number max_mw;
	struct number max_pd;
	struct number max_ah;
	struct number max_qp_rd_atom;
	struct number max_qp_init_rd_atom;
	struct number max_res_rd_atom;
	struct number max_ee_rd_atom;
	struct number max_ee_init_rd_atom;
	struct number max_ee;
	struct number max_rdd;
	struct number max_raw_ipv6_qp;
	struct number max_raw_ethy_qp;
	struct number max_mcast_grp;
	struct number max_mcast_qp_attach;
	struct number max_total_mcast_qp_attach;
	struct number max_fmr;
	struct number max_map_per_fmr;
	struct number max_srq;
	struct number max_srq_wr;
	struct number max_srq_sge;
	struct number max_pkeys;
	struct number max_wq_type_rq;
	struct number num_comp_vectors;
	struct number local_ca_ack_delay; /* code: 4.096 us * 2^n */
	struct number atomic;		  /* enum ibv_atomic_cap */
	struct number device_cap_flags;
	struct number device_cap_flags_ex; /* with device_cap_flags in it, in most drivers */

	struct number odp_general_caps;
	struct number rc_odp_caps;
	struct number uc_odp_caps;
	struct number ud_odp_caps;
	struct number xrc_odp_caps;
	struct number completion_timestamp_mask;
	struct number hca_core_clock_khz;
	struct number raw_packet_caps;
	struct number tso_max_size_bytes;
	struct number tso_qp_types; /* bit n: queue pairs of enum ibv_qp_type n; all *_qp_types */
	struct number rss_max_tables;
	struct number rss_max_table_size;
	struct number rss_hash_functions;
	struct number rss_hash_fields;
	struct number rss_qp_types;
	struct number packet_pacing_min_kbps;
	struct number packet_pacing_max_kbps;
	struct number packet_pacing_qp_types;
	struct number tag_max_header_bytes; /* of a rendezvous request */
	struct number tag_max_tags;
	struct number tag_max_ops;
	struct number tag_max_sge;
	struct number tag_caps;
	struct number cq_moderation_max_count;
	struct number cq_moderation_max_period_us;
	struct number max_device_memory_bytes;
	struct number pci_atomic_fetch_add; /* bits of operand sizes; all pci_atomic_* */
	struct number pci_atomic_swap;
	struct number pci_atomic_compare_swap;

	struct port_caps *ports;
	size_t port_caps_count;
};

extern const struct schema caps_schema;
extern const struct schema port_caps_schema;

/* Sets the name of the device, which is copied, in its ports, too. */
void caps_set_device(struct caps *caps, const char *name);
/* Appends the capabilities of a port; addresses of earlier ones do not survive. */
struct port_caps *caps_add_port(struct caps *caps, unsigned int number);
/* Frees what it owns and leaves an empty record. */
void caps_clear(struct caps *caps);
