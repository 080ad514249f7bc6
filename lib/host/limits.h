/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The limits of struct caps, defined once: member, member of libibverbs' attributes, and column.
 * The files that declare, read and show them include this table; the order is that of the columns
 * and of ibv_devinfo.
 */
#pragma once

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
