/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "host/names.h"

#include "host/device.h"

/* enum rdma_node_type, include/rdma/ib_verbs.h */
const struct enum_name node_type_names[] = {
	{NODE_TYPE_CA, "ca"},
	{NODE_TYPE_SWITCH, "switch"},
	{NODE_TYPE_ROUTER, "router"},
	{NODE_TYPE_RNIC, "rnic"},
	{NODE_TYPE_USNIC, "usnic"},
	{NODE_TYPE_USNIC_UDP, "usnic-udp"},
	{NODE_TYPE_UNSPECIFIED, "unspecified"},
	{0, NULL},
};

const struct enum_name transport_names[] = {
	{TRANSPORT_INFINIBAND, "infiniband"},
	{TRANSPORT_OPA, "opa"},
	{TRANSPORT_ROCE, "roce"},
	{TRANSPORT_IWARP, "iwarp"},
	{TRANSPORT_USNIC, "usnic"},
	{TRANSPORT_UNSPECIFIED, "unspecified"},
	{0, NULL},
};

/* enum rdma_link_layer, include/rdma/ib_verbs.h; words of link_layer_show(), core/sysfs.c */
const struct enum_name link_layer_names[] = {
	{LINK_LAYER_UNSPECIFIED, "unspecified"},
	{LINK_LAYER_INFINIBAND, "infiniband"},
	{LINK_LAYER_ETHERNET, "ethernet"},
	{0, NULL},
};

/* enum ib_port_state; InfiniBand Architecture Specification volume 1, PortInfo:PortState */
const struct enum_name port_state_names[] = {
	{0, "nop", TONE_WARNING},
	{1, "down", TONE_BAD},
	{2, "init", TONE_WARNING},
	{3, "armed", TONE_WARNING},
	{4, "active", TONE_GOOD},
	{5, "active-defer", TONE_WARNING},
	{0, NULL},
};

/* PortInfo:PortPhysicalState; from 9 on Omni-Path's, include/rdma/opa_port_info.h */
const struct enum_name physical_state_names[] = {
	{0, "no-change", TONE_WARNING},
	{1, "sleep", TONE_BAD},
	{2, "polling", TONE_BAD},
	{3, "disabled", TONE_BAD},
	{4, "training", TONE_WARNING},
	{5, "link-up", TONE_GOOD},
	{6, "link-error-recovery", TONE_BAD},
	{7, "phy-test", TONE_WARNING},
	{9, "opa-offline", TONE_BAD},
	{11, "opa-test", TONE_WARNING},
	{0, NULL},
};

const struct enum_name gid_type_names[] = {
	{GID_TYPE_IB, "ib"},
	{GID_TYPE_ROCE_V1, "roce-v1"},
	{GID_TYPE_ROCE_V2, "roce-v2"},
	{0, NULL},
};

/* PortInfo:CapabilityMask, InfiniBand Architecture Specification volume 1, table of PortInfo */
const struct enum_name port_cap_names[] = {
	{1u << 1, "sm"},
	{1u << 2, "notice"},
	{1u << 3, "trap"},
	{1u << 4, "optional-ipd"},
	{1u << 5, "automatic-migration"},
	{1u << 6, "sl-mapping"},
	{1u << 7, "mkey-nvram"},
	{1u << 8, "pkey-nvram"},
	{1u << 9, "led-info"},
	{1u << 10, "sm-disabled"},
	{1u << 11, "system-image-guid"},
	{1u << 12, "pkey-switch-external-port-trap"},
	{1u << 13, "extended-speeds-2"},
	{1u << 14, "extended-speeds"},
	{1u << 15, "capability-mask-2"},
	{1u << 16, "communication-management"},
	{1u << 17, "snmp-tunneling"},
	{1u << 18, "reinit"},
	{1u << 19, "device-management"},
	{1u << 20, "vendor-class"},
	{1u << 21, "dr-notice"},
	{1u << 22, "capability-mask-notice"},
	{1u << 23, "boot-management"},
	{1u << 24, "link-round-trip-latency"},
	{1u << 25, "client-reregistration"},
	{1u << 26, "other-local-changes-notice"},
	{1u << 27, "link-speed-width-pairs"},
	{1u << 28, "vendor-specific-mads-table"},
	{1u << 29, "multicast-pkey-trap-suppression"},
	{1u << 30, "multicast-fdb-top"},
	{1u << 31, "hierarchy-info"},
	{0, NULL},
};

/* enum rdma_driver_id, include/uapi/rdma/ib_user_ioctl_verbs.h, by the names of the modules */
const struct enum_name driver_id_names[] = {
	{1, "mlx5_ib"},	    {2, "mlx4_ib"},   {3, "iw_cxgb3"}, {4, "iw_cxgb4"},	 {5, "ib_mthca"},
	{6, "bnxt_re"},	    {7, "ocrdma"},    {8, "iw_nes"},   {9, "irdma"},	 {10, "vmw_pvrdma"},
	{11, "qedr"},	    {12, "hns_roce"}, {13, "usnic"},   {14, "rdma_rxe"}, {15, "hfi1"},
	{16, "ib_qib"},	    {17, "efa"},      {18, "siw"},     {19, "erdma"},	 {20, "mana_ib"},
	{21, "ionic_rdma"}, {0, NULL},
};
