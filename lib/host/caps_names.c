/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/caps_names.h"

#include "mad/format/codes.h"

#define BIT(n) (UINT64_C(1) << (n))

/* enum ibv_atomic_cap */
const struct enum_name atomic_names[] = {
	{0, "none"},   /* IBV_ATOMIC_NONE */
	{1, "hca"},    /* IBV_ATOMIC_HCA */
	{2, "global"}, /* IBV_ATOMIC_GLOB */
	{0, NULL},
};

/*
 * enum ibv_device_cap_flags of verbs.h and enum ib_uverbs_device_cap_flags of
 * include/uapi/rdma/ib_user_verbs.h. Kernels before 5.19 also leak their internal bits, enum
 * ib_device_cap_flags of their include/rdma/ib_verbs.h: marked "kernel".
 */
const struct enum_name device_cap_names[] = {
	{BIT(0), "resize-max-wr"},		   /* IBV_DEVICE_RESIZE_MAX_WR */
	{BIT(1), "bad-pkey-counter"},		   /* IBV_DEVICE_BAD_PKEY_CNTR */
	{BIT(2), "bad-qkey-counter"},		   /* IBV_DEVICE_BAD_QKEY_CNTR */
	{BIT(3), "raw-multicast"},		   /* IBV_DEVICE_RAW_MULTI */
	{BIT(4), "automatic-path-migration"},	   /* IBV_DEVICE_AUTO_PATH_MIG */
	{BIT(5), "change-phy-port"},		   /* IBV_DEVICE_CHANGE_PHY_PORT */
	{BIT(6), "ud-av-port-enforcement"},	   /* IBV_DEVICE_UD_AV_PORT_ENFORCE */
	{BIT(7), "current-qp-state-modifier"},	   /* IBV_DEVICE_CURR_QP_STATE_MOD */
	{BIT(8), "shutdown-port"},		   /* IBV_DEVICE_SHUTDOWN_PORT */
	{BIT(9), "init-type"},			   /* IBV_DEVICE_INIT_TYPE */
	{BIT(10), "port-active-event"},		   /* IBV_DEVICE_PORT_ACTIVE_EVENT */
	{BIT(11), "system-image-guid"},		   /* IBV_DEVICE_SYS_IMAGE_GUID */
	{BIT(12), "rc-rnr-nak-generation"},	   /* IBV_DEVICE_RC_RNR_NAK_GEN */
	{BIT(13), "srq-resize"},		   /* IBV_DEVICE_SRQ_RESIZE */
	{BIT(14), "notify-n-cqes"},		   /* IBV_DEVICE_N_NOTIFY_CQ */
	{BIT(15), "local-dma-lkey"},		   /* kernel: IB_DEVICE_LOCAL_DMA_LKEY */
	{BIT(17), "memory-window"},		   /* IBV_DEVICE_MEM_WINDOW */
	{BIT(18), "ud-ip-checksum"},		   /* IBV_DEVICE_UD_IP_CSUM */
	{BIT(19), "ud-tso"},			   /* kernel: IB_DEVICE_UD_TSO */
	{BIT(20), "xrc"},			   /* IBV_DEVICE_XRC */
	{BIT(21), "memory-management-extensions"}, /* IBV_DEVICE_MEM_MGT_EXTENSIONS */
	{BIT(22), "block-multicast-loopback"},	   /* kernel: IB_DEVICE_BLOCK_MULTICAST_LOOPBACK */
	{BIT(23), "memory-window-type-2a"},	   /* IBV_DEVICE_MEM_WINDOW_TYPE_2A */
	{BIT(24), "memory-window-type-2b"},	   /* IBV_DEVICE_MEM_WINDOW_TYPE_2B */
	{BIT(25), "rc-ip-checksum"},		   /* IBV_DEVICE_RC_IP_CSUM */
	{BIT(26), "raw-ip-checksum"},		   /* IBV_DEVICE_RAW_IP_CSUM */
	{BIT(27), "cross-channel"},		   /* kernel: IB_DEVICE_CROSS_CHANNEL */
	{BIT(29), "managed-flow-steering"},	   /* IBV_DEVICE_MANAGED_FLOW_STEERING */
	{BIT(30), "integrity-handover"},	   /* kernel: IB_DEVICE_INTEGRITY_HANDOVER */
	{BIT(31), "on-demand-paging"},		   /* kernel: IB_DEVICE_ON_DEMAND_PAGING */
	{BIT(32), "sg-gaps-registration"},	   /* kernel: IB_DEVICE_SG_GAPS_REG */
	{BIT(33), "virtual-function"},		   /* kernel: IB_DEVICE_VIRTUAL_FUNCTION */
	{BIT(34), "raw-scatter-fcs"},		   /* IBV_DEVICE_RAW_SCATTER_FCS */
	{BIT(35), "opa-vnic"},			   /* kernel: IB_DEVICE_RDMA_NETDEV_OPA */
	{BIT(36), "pci-write-end-padding"},	   /* IBV_DEVICE_PCI_WRITE_END_PADDING */
	{BIT(37), "user-unregistration"},	   /* kernel: IB_DEVICE_ALLOW_USER_UNREG */
	{BIT(38), "flush-global"},		   /* IB_UVERBS_DEVICE_FLUSH_GLOBAL */
	{BIT(39), "flush-persistent"},		   /* IB_UVERBS_DEVICE_FLUSH_PERSISTENT */
	{BIT(40), "atomic-write"},		   /* IB_UVERBS_DEVICE_ATOMIC_WRITE */
	{BIT(41), "cc-dma-bounce"},		   /* IB_UVERBS_DEVICE_CC_DMA_BOUNCE */
	{0, NULL},
};

/* enum ibv_odp_general_caps */
const struct enum_name odp_general_names[] = {
	{BIT(0), "on-demand-paging"}, /* IBV_ODP_SUPPORT */
	{BIT(1), "implicit"},	      /* IBV_ODP_SUPPORT_IMPLICIT */
	{0, NULL},
};

/* enum ibv_odp_transport_cap_bits */
const struct enum_name odp_transport_names[] = {
	{BIT(0), "send"},	  /* IBV_ODP_SUPPORT_SEND */
	{BIT(1), "receive"},	  /* IBV_ODP_SUPPORT_RECV */
	{BIT(2), "write"},	  /* IBV_ODP_SUPPORT_WRITE */
	{BIT(3), "read"},	  /* IBV_ODP_SUPPORT_READ */
	{BIT(4), "atomic"},	  /* IBV_ODP_SUPPORT_ATOMIC */
	{BIT(5), "srq-receive"},  /* IBV_ODP_SUPPORT_SRQ_RECV */
	{BIT(6), "flush"},	  /* IBV_ODP_SUPPORT_FLUSH, rdma-core 58 */
	{BIT(7), "atomic-write"}, /* IBV_ODP_SUPPORT_ATOMIC_WRITE, rdma-core 58 */
	{0, NULL},
};

/* enum ibv_raw_packet_caps */
const struct enum_name raw_packet_names[] = {
	{BIT(0), "cvlan-stripping"}, /* IBV_RAW_PACKET_CAP_CVLAN_STRIPPING */
	{BIT(1), "scatter-fcs"},     /* IBV_RAW_PACKET_CAP_SCATTER_FCS */
	{BIT(2), "ip-checksum"},     /* IBV_RAW_PACKET_CAP_IP_CSUM */
	{BIT(3), "delay-drop"},	     /* IBV_RAW_PACKET_CAP_DELAY_DROP */
	{0, NULL},
};

/* enum ibv_qp_type, used as a mask in the same way as ibv_is_qpt_supported() */
const struct enum_name qp_type_flag_names[] = {
	{BIT(2), "rc"},		  /* IBV_QPT_RC */
	{BIT(3), "uc"},		  /* IBV_QPT_UC */
	{BIT(4), "ud"},		  /* IBV_QPT_UD */
	{BIT(8), "raw-packet"},	  /* IBV_QPT_RAW_PACKET */
	{BIT(9), "xrc-send"},	  /* IBV_QPT_XRC_SEND */
	{BIT(10), "xrc-receive"}, /* IBV_QPT_XRC_RECV */
	{0, NULL},
};

/* enum ibv_rx_hash_function_flags */
const struct enum_name rss_hash_function_names[] = {
	{BIT(0), "toeplitz"}, /* IBV_RX_HASH_FUNC_TOEPLITZ */
	{0, NULL},
};

/* enum ibv_rx_hash_fields */
const struct enum_name rss_hash_field_names[] = {
	{BIT(0), "source-ipv4"},	  /* IBV_RX_HASH_SRC_IPV4 */
	{BIT(1), "destination-ipv4"},	  /* IBV_RX_HASH_DST_IPV4 */
	{BIT(2), "source-ipv6"},	  /* IBV_RX_HASH_SRC_IPV6 */
	{BIT(3), "destination-ipv6"},	  /* IBV_RX_HASH_DST_IPV6 */
	{BIT(4), "source-port-tcp"},	  /* IBV_RX_HASH_SRC_PORT_TCP */
	{BIT(5), "destination-port-tcp"}, /* IBV_RX_HASH_DST_PORT_TCP */
	{BIT(6), "source-port-udp"},	  /* IBV_RX_HASH_SRC_PORT_UDP */
	{BIT(7), "destination-port-udp"}, /* IBV_RX_HASH_DST_PORT_UDP */
	{BIT(8), "ipsec-spi"},		  /* IBV_RX_HASH_IPSEC_SPI */
	{BIT(31), "inner"},		  /* IBV_RX_HASH_INNER */
	{0, NULL},
};

/* enum ibv_tm_cap_flags */
const struct enum_name tag_cap_names[] = {
	{BIT(0), "rc"}, /* IBV_TM_CAP_RC */
	{0, NULL},
};

/* enum ibv_pci_atomic_op_size */
const struct enum_name pci_atomic_names[] = {
	{BIT(0), "4-byte"},  /* IBV_PCI_ATOMIC_OPERATION_4_BYTE_SIZE_SUP */
	{BIT(1), "8-byte"},  /* IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP */
	{BIT(2), "16-byte"}, /* IBV_PCI_ATOMIC_OPERATION_16_BYTE_SIZE_SUP */
	{0, NULL},
};

/* enum ib_port_speed; words of rate_show(), drivers/infiniband/core */
const struct enum_name port_speed_names[] = {
#define SPEED_BIT(name, rate, signal) {1u << (SPEED_##name - SPEED_SDR), #name},
	LANE_SPEEDS(SPEED_BIT)
#undef SPEED_BIT
		{0, NULL},
};
