/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Limits and capabilities of a device and its ports from verbs: everything that `ibv_devinfo -v`
 * shows. A value is unknown if the kernel does not report it (it lacks the extended query). Zero
 * and the empty list mean that the device has none, except for quantities that cannot be zero: a
 * clock of 0 kHz, a rate limit of 0 kb/s and an MTU of 0 bytes are unknown.
 */
#pragma once

#include "schema/schema.h"

/*
 * The limits of struct caps, defined once: member, member of libibverbs' attributes, and column, in
 * the order of the columns and of ibv_devinfo.
 */
/* LIMIT(member of struct caps and of struct ibv_device_attr, heading, help) */
#define CAPS_QP_LIMITS(LIMIT)                  \
	LIMIT(max_qp, "MAX QP", "queue pairs") \
	LIMIT(max_qp_wr, "MAX QP WR", "outstanding work requests of a work queue")

#define CAPS_QUEUE_LIMITS(LIMIT)                                                                 \
	LIMIT(max_sge, "MAX SGE", "scatter/gather entries of a work request")                    \
	LIMIT(max_sge_rd, "MAX SGE READ", "scatter/gather entries of an RDMA read")              \
	LIMIT(max_cq, "MAX CQ", "completion queues")                                             \
	LIMIT(max_cqe, "MAX CQE", "entries of a completion queue")                               \
	LIMIT(max_mr, "MAX MR", "memory regions")                                                \
	LIMIT(max_pd, "MAX PD", "protection domains")                                            \
	LIMIT(max_qp_rd_atom, "MAX QP READ", "incoming RDMA reads and atomics of a queue pair")  \
	LIMIT(max_ee_rd_atom, "MAX EE READ", "incoming RDMA reads and atomics of an EE context") \
	LIMIT(max_res_rd_atom, "MAX RES READ", "resources for incoming RDMA reads and atomics")  \
	LIMIT(max_qp_init_rd_atom, "MAX QP INIT READ",                                           \
	      "RDMA reads and atomics that a queue pair starts")                                 \
	LIMIT(max_ee_init_rd_atom, "MAX EE INIT READ",                                           \
	      "RDMA reads and atomics that an EE context starts")

#define CAPS_OBJECT_LIMITS(LIMIT)                                                              \
	LIMIT(max_ee, "MAX EE", "EE contexts")                                                 \
	LIMIT(max_rdd, "MAX RDD", "reliable datagram domains")                                 \
	LIMIT(max_mw, "MAX MW", "memory windows")                                              \
	LIMIT(max_raw_ipv6_qp, "MAX RAW IPV6", "raw IPv6 queue pairs")                         \
	LIMIT(max_raw_ethy_qp, "MAX RAW ETHY", "raw Ethertype queue pairs")                    \
	LIMIT(max_mcast_grp, "MAX MULTICAST GROUPS", "multicast groups")                       \
	LIMIT(max_mcast_qp_attach, "MAX MULTICAST ATTACH", "queue pairs in a multicast group") \
	LIMIT(max_total_mcast_qp_attach, "MAX TOTAL ATTACH",                                   \
	      "queue pairs in all multicast groups")                                           \
	LIMIT(max_ah, "MAX AH", "address handles")                                             \
	LIMIT(max_fmr, "MAX FMR", "fast memory regions")                                       \
	LIMIT(max_map_per_fmr, "MAX MAP PER FMR",                                              \
	      "mappings of a fast memory region before unmapping")                             \
	LIMIT(max_srq, "MAX SRQ", "shared receive queues")                                     \
	LIMIT(max_srq_wr, "MAX SRQ WR", "work requests of a shared receive queue")             \
	LIMIT(max_srq_sge, "MAX SRQ SGE",                                                      \
	      "scatter/gather entries of a shared receive queue's request")                    \
	LIMIT(max_pkeys, "MAX PKEYS", "partitions")                                            \
	LIMIT(local_ca_ack_delay, "ACK DELAY", "code of the local CA ack delay")

/*
 * COUNT(member, member of struct ibv_device_attr_ex, heading, help)
 * FLAGS(member, member of struct ibv_device_attr_ex, words, heading, help)
 * MASK(member, member of struct ibv_device_attr_ex, digits, heading, help)
 * ALSO_MASK(member of an entry above it, key, heading, help): the same number as a mask
 */
#define CAPS_PCI_ATOMICS(FLAGS)                                                                   \
	FLAGS(pci_atomic_fetch_add, pci_atomic_caps.fetch_add, pci_atomic_names, "PCI FETCH ADD", \
	      "operand sizes of PCI fetch and add")                                               \
	FLAGS(pci_atomic_swap, pci_atomic_caps.swap, pci_atomic_names, "PCI SWAP",                \
	      "operand sizes of PCI swap")                                                        \
	FLAGS(pci_atomic_compare_swap, pci_atomic_caps.compare_swap, pci_atomic_names,            \
	      "PCI COMPARE SWAP", "operand sizes of PCI compare and swap")

#define CAPS_OFFLOADS(COUNT, FLAGS, MASK, ALSO_MASK)                                               \
	FLAGS(odp_general_caps, odp_caps.general_caps, odp_general_names, "ODP",                   \
	      "on-demand paging")                                                                  \
	FLAGS(rc_odp_caps, odp_caps.per_transport_caps.rc_odp_caps, odp_transport_names, "ODP RC", \
	      "on-demand paging of RC")                                                            \
	FLAGS(uc_odp_caps, odp_caps.per_transport_caps.uc_odp_caps, odp_transport_names, "ODP UC", \
	      "on-demand paging of UC")                                                            \
	FLAGS(ud_odp_caps, odp_caps.per_transport_caps.ud_odp_caps, odp_transport_names, "ODP UD", \
	      "on-demand paging of UD")                                                            \
	FLAGS(xrc_odp_caps, xrc_odp_caps, odp_transport_names, "ODP XRC",                          \
	      "on-demand paging of XRC")                                                           \
	MASK(completion_timestamp_mask, completion_timestamp_mask, 16, "TIMESTAMP MASK",           \
	     "mask of valid completion timestamp bits; 0 if timestamps are not supported")         \
	COUNT(hca_core_clock_khz, hca_core_clock, "CORE CLOCK kHz",                                \
	      "clock of completion timestamps")                                                    \
	FLAGS(raw_packet_caps, raw_packet_caps, raw_packet_names, "RAW PACKET",                    \
	      "raw packet offloads")                                                               \
	COUNT(tso_max_size_bytes, tso_caps.max_tso, "TSO MAX SIZE",                                \
	      "largest segmentation offload")                                                      \
	FLAGS(tso_qp_types, tso_caps.supported_qpts, qp_type_flag_names, "TSO QP TYPES",           \
	      "queue pairs with segmentation offload")                                             \
	COUNT(rss_max_tables, rss_caps.max_rwq_indirection_tables, "RSS MAX TABLES",               \
	      "receive work queue indirection tables")                                             \
	COUNT(rss_max_table_size, rss_caps.max_rwq_indirection_table_size, "RSS MAX TABLE SIZE",   \
	      "entries of an indirection table")                                                   \
	ALSO_MASK(rss_hash_functions, "rss_hash_function_mask", "RSS FUNCTION MASK",               \
		  "receive hash functions")                                                        \
	FLAGS(rss_hash_functions, rss_caps.rx_hash_function, rss_hash_function_names,              \
	      "RSS FUNCTIONS", "receive hash functions in words")                                  \
	ALSO_MASK(rss_hash_fields, "rss_hash_field_mask", "RSS FIELD MASK", "receive hash fields") \
	FLAGS(rss_hash_fields, rss_caps.rx_hash_fields_mask, rss_hash_field_names, "RSS FIELDS",   \
	      "receive hash fields in words")                                                      \
	FLAGS(rss_qp_types, rss_caps.supported_qpts, qp_type_flag_names, "RSS QP TYPES",           \
	      "queue pairs with receive side scaling")                                             \
	COUNT(max_wq_type_rq, max_wq_type_rq, "MAX WQ RQ", "receive work queues")                  \
	COUNT(packet_pacing_rate_limit_min_kbps, packet_pacing_caps.qp_rate_limit_min,             \
	      "PACING MIN kb/s", "lowest rate limit")                                              \
	COUNT(packet_pacing_rate_limit_max_kbps, packet_pacing_caps.qp_rate_limit_max,             \
	      "PACING MAX kb/s", "highest rate limit")                                             \
	FLAGS(packet_pacing_qp_types, packet_pacing_caps.supported_qpts, qp_type_flag_names,       \
	      "PACING QP TYPES", "queue pairs with a rate limit")                                  \
	COUNT(tag_matching_max_header_bytes, tm_caps.max_rndv_hdr_size, "TAG MAX HEADER",          \
	      "largest rendezvous request header")                                                 \
	COUNT(tag_matching_max_tags, tm_caps.max_num_tags, "TAG MAX TAGS",                         \
	      "tagged buffers of a matching list")                                                 \
	COUNT(tag_matching_max_ops, tm_caps.max_ops, "TAG MAX OPS", "outstanding list operations") \
	COUNT(tag_matching_max_sge, tm_caps.max_sge, "TAG MAX SGE",                                \
	      "scatter/gather entries of a tagged buffer")                                         \
	FLAGS(tag_matching_caps, tm_caps.flags, tag_cap_names, "TAG MATCHING",                     \
	      "transports with tag matching")                                                      \
	COUNT(cq_moderation_max_count, cq_mod_caps.max_cq_count, "CQ MODERATION COUNT",            \
	      "completions before an event")                                                       \
	COUNT(cq_moderation_max_period_us, cq_mod_caps.max_cq_period, "CQ MODERATION us",          \
	      "time before an event, microseconds")                                                \
	COUNT(max_device_memory_bytes, max_dm_size, "DEVICE MEMORY",                               \
	      "device memory that can be allocated")

/*
 * Flags of a device: enum ibv_device_cap_flags of verbs.h and enum ib_uverbs_device_cap_flags of
 * include/uapi/rdma/ib_user_verbs.h. Kernels before 5.19 also leak internal bits, enum
 * ib_device_cap_flags of their include/rdma/ib_verbs.h.
 * VERBS(bit, name that ibv_devinfo prints: IBV_DEVICE_ without that, word)
 * OTHER(bit, name, word): a flag that it does not know; IB_DEVICE_ is the kernel's
 */
#define CAPS_DEVICE_FLAGS(VERBS, OTHER)                                           \
	VERBS(0, RESIZE_MAX_WR, "resize-max-wr")                                  \
	VERBS(1, BAD_PKEY_CNTR, "bad-pkey-counter")                               \
	VERBS(2, BAD_QKEY_CNTR, "bad-qkey-counter")                               \
	VERBS(3, RAW_MULTI, "raw-multicast")                                      \
	VERBS(4, AUTO_PATH_MIG, "automatic-path-migration")                       \
	VERBS(5, CHANGE_PHY_PORT, "change-phy-port")                              \
	VERBS(6, UD_AV_PORT_ENFORCE, "ud-av-port-enforcement")                    \
	VERBS(7, CURR_QP_STATE_MOD, "current-qp-state-modifier")                  \
	VERBS(8, SHUTDOWN_PORT, "shutdown-port")                                  \
	VERBS(9, INIT_TYPE, "init-type")                                          \
	VERBS(10, PORT_ACTIVE_EVENT, "port-active-event")                         \
	VERBS(11, SYS_IMAGE_GUID, "system-image-guid")                            \
	VERBS(12, RC_RNR_NAK_GEN, "rc-rnr-nak-generation")                        \
	VERBS(13, SRQ_RESIZE, "srq-resize")                                       \
	VERBS(14, N_NOTIFY_CQ, "notify-n-cqes")                                   \
	OTHER(15, IB_DEVICE_LOCAL_DMA_LKEY, "local-dma-lkey")                     \
	VERBS(17, MEM_WINDOW, "memory-window")                                    \
	VERBS(18, UD_IP_CSUM, "ud-ip-checksum")                                   \
	OTHER(19, IB_DEVICE_UD_TSO, "ud-tso")                                     \
	VERBS(20, XRC, "xrc")                                                     \
	VERBS(21, MEM_MGT_EXTENSIONS, "memory-management-extensions")             \
	OTHER(22, IB_DEVICE_BLOCK_MULTICAST_LOOPBACK, "block-multicast-loopback") \
	VERBS(23, MEM_WINDOW_TYPE_2A, "memory-window-type-2a")                    \
	VERBS(24, MEM_WINDOW_TYPE_2B, "memory-window-type-2b")                    \
	VERBS(25, RC_IP_CSUM, "rc-ip-checksum")                                   \
	VERBS(26, RAW_IP_CSUM, "raw-ip-checksum")                                 \
	OTHER(27, IB_DEVICE_CROSS_CHANNEL, "cross-channel")                       \
	VERBS(29, MANAGED_FLOW_STEERING, "managed-flow-steering")                 \
	OTHER(30, IB_DEVICE_INTEGRITY_HANDOVER, "integrity-handover")             \
	OTHER(31, IB_DEVICE_ON_DEMAND_PAGING, "on-demand-paging")                 \
	OTHER(32, IB_DEVICE_SG_GAPS_REG, "sg-gaps-registration")                  \
	OTHER(33, IB_DEVICE_VIRTUAL_FUNCTION, "virtual-function")                 \
	VERBS(34, RAW_SCATTER_FCS, "raw-scatter-fcs")                             \
	OTHER(35, IB_DEVICE_RDMA_NETDEV_OPA, "opa-vnic")                          \
	VERBS(36, PCI_WRITE_END_PADDING, "pci-write-end-padding")                 \
	OTHER(37, IB_DEVICE_ALLOW_USER_UNREG, "user-unregistration")              \
	OTHER(38, IB_UVERBS_DEVICE_FLUSH_GLOBAL, "flush-global")                  \
	OTHER(39, IB_UVERBS_DEVICE_FLUSH_PERSISTENT, "flush-persistent")          \
	OTHER(40, IB_UVERBS_DEVICE_ATOMIC_WRITE, "atomic-write")                  \
	VERBS(41, CC_DMA_BOUNCE, "cc-dma-bounce") /* the only one newer than release 44 */

/* Words for the codes and flags of struct caps. Each table ends with an entry without a word. */
extern const struct enum_name atomic_names[];
extern const struct enum_name device_cap_names[]; /* all 64 bits of device_cap_flags_ex */
extern const struct enum_name odp_general_names[];
extern const struct enum_name odp_transport_names[];
extern const struct enum_name raw_packet_names[];
extern const struct enum_name qp_type_flag_names[]; /* bit n is type n of enum ibv_qp_type */
extern const struct enum_name rss_hash_function_names[];
extern const struct enum_name rss_hash_field_names[];
extern const struct enum_name tag_cap_names[];
extern const struct enum_name pci_atomic_names[];
extern const struct enum_name port_speed_names[]; /* words of the kernel's rate_show() */

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
	struct port_codes codes; /* no columns: for personalities, which show codes */
};

/* Members match those of struct ibv_device_attr_ex, infiniband/verbs.h, with units in the names. */
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

/* Copies the device name, and sets it in the ports, too. */
void caps_set_device(struct caps *caps, const char *name);
/* Appends the capabilities of a port, which invalidates pointers to earlier ones. */
struct port_caps *caps_add_port(struct caps *caps, unsigned int number);
/* Frees everything it owns and leaves an empty record. */
void caps_clear(struct caps *caps);
