/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Every row of the tables that map codes to words, compared with constants from headers outside the
 * project: rdma-core's, and those of Linux. Constants that no distribution's header has are the
 * numbers of the named file of the kernel, with its names in the comments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <infiniband/umad_cm.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sa_mcm.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <infiniband/verbs.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_cm.h>

#undef SPEED_UNKNOWN /* the header of ethtool has a macro of this name */

#include "base/mem.h"
#include "host/device.h"
#include "host/netdev.h"
#include "kernel/netlink/ethtool.h"
#include "mad/format/attribute.h"
#include "mad/format/codes.h"
#include "mad/format/header.h"
#include "resource/resource.h"

struct wanted {
	uint64_t code;
	const char *word;
};

/* Each row is expected, and each expected row exists. */
static void compare(const char *table, const struct enum_name *names, const struct wanted *wanted,
		    size_t count)
{
	size_t rows = 0;

	assert_non_null(names);
	while (names[rows].word)
		rows++;
	for (size_t i = 0; i < count; i++) {
		const char *word = enum_word(names, wanted[i].code, "nothing");

		if (strcmp(word, wanted[i].word) != 0)
			fail_msg("%s: %llu is %s, not %s", table,
				 (unsigned long long)wanted[i].code, word, wanted[i].word);
	}
	if (rows != count)
		fail_msg("%s has %zu rows, not %zu", table, rows, count);
}

#define ROWS(names_, ...)                                              \
	compare(#names_, names_, (const struct wanted[]){__VA_ARGS__}, \
		ARRAY_SIZE(((const struct wanted[]){__VA_ARGS__})))

/* Returns the words of a field that no header of the project declares. */
static const struct enum_name *words_of(const struct schema *schema, const char *key)
{
	const struct field *field = schema_find(schema, key);

	if (!field)
		fail_msg("%s has no %s", schema->name, key);
	return field->names;
}

static const struct enum_name *cm_words(unsigned int id, const char *key)
{
	const struct mad_attribute *attribute = mad_attribute_find(UMAD_CLASS_CM, id);

	assert_non_null(attribute);
	return words_of(attribute->schema, key);
}

static void ports_and_nodes(void **state)
{
	(void)state;
	ROWS(node_type_names, {IBV_NODE_CA, "ca"}, {IBV_NODE_SWITCH, "switch"},
	     {IBV_NODE_ROUTER, "router"}, {IBV_NODE_RNIC, "rnic"}, {IBV_NODE_USNIC, "usnic"},
	     {IBV_NODE_USNIC_UDP, "usnic-udp"}, {IBV_NODE_UNSPECIFIED, "unspecified"});
	ROWS(port_state_names, {IBV_PORT_NOP, "nop"}, {IBV_PORT_DOWN, "down"},
	     {IBV_PORT_INIT, "init"}, {IBV_PORT_ARMED, "armed"}, {IBV_PORT_ACTIVE, "active"},
	     {IBV_PORT_ACTIVE_DEFER, "active-defer"});
	/* enum ib_port_phys_state, include/rdma/ib_verbs.h; opa_port_info.h */
	ROWS(physical_state_names, {0, "no-change"}, {1, "sleep"}, {2, "polling"}, {3, "disabled"},
	     {4, "training"}, {5, "link-up"}, {6, "link-error-recovery"}, {7, "phy-test"},
	     {9, "opa-offline"}, {11, "opa-test"});
	ROWS(link_layer_names, {IBV_LINK_LAYER_UNSPECIFIED, "unspecified"},
	     {IBV_LINK_LAYER_INFINIBAND, "infiniband"}, {IBV_LINK_LAYER_ETHERNET, "ethernet"});
	ROWS(gid_type_names, {IB_UVERBS_GID_TYPE_IB, "ib"}, {IB_UVERBS_GID_TYPE_ROCE_V1, "roce-v1"},
	     {IB_UVERBS_GID_TYPE_ROCE_V2, "roce-v2"});
	ROWS(mtu_numbers, {IBV_MTU_256, "256"}, {IBV_MTU_512, "512"}, {IBV_MTU_1024, "1024"},
	     {IBV_MTU_2048, "2048"}, {IBV_MTU_4096, "4096"});
	ROWS(operstate_names, {IF_OPER_UNKNOWN, "unknown"}, {IF_OPER_NOTPRESENT, "not-present"},
	     {IF_OPER_DOWN, "down"}, {IF_OPER_LOWERLAYERDOWN, "lower-layer-down"},
	     {IF_OPER_TESTING, "testing"}, {IF_OPER_DORMANT, "dormant"}, {IF_OPER_UP, "up"});
	ROWS(ethtool_fec_names, {ETHTOOL_LINK_MODE_FEC_NONE_BIT, "none"},
	     {ETHTOOL_LINK_MODE_FEC_RS_BIT, "RS"}, {ETHTOOL_LINK_MODE_FEC_BASER_BIT, "BASER"},
	     {ETHTOOL_LINK_MODE_FEC_LLRS_BIT, "LLRS"});
	for (unsigned int code = 1; code <= 5; code++)
		assert_int_equal(mtu_bytes(code), 128 << code);
}

static void port_capabilities(void **state)
{
	(void)state;
	/* The bits that verbs.h lacks: IB_PORT_CAP_*, libibmad/iba_types.h of rdma-core. */
	ROWS(port_cap_names, {IBV_PORT_SM, "sm"}, {IBV_PORT_NOTICE_SUP, "notice"},
	     {IBV_PORT_TRAP_SUP, "trap"}, {IBV_PORT_OPT_IPD_SUP, "optional-ipd"},
	     {IBV_PORT_AUTO_MIGR_SUP, "automatic-migration"}, {IBV_PORT_SL_MAP_SUP, "sl-mapping"},
	     {IBV_PORT_MKEY_NVRAM, "mkey-nvram"}, {IBV_PORT_PKEY_NVRAM, "pkey-nvram"},
	     {IBV_PORT_LED_INFO_SUP, "led-info"}, {1u << 10, "sm-disabled"},
	     {IBV_PORT_SYS_IMAGE_GUID_SUP, "system-image-guid"},
	     {IBV_PORT_PKEY_SW_EXT_PORT_TRAP_SUP, "pkey-switch-external-port-trap"},
	     {1u << 13, "cable-info"}, {IBV_PORT_EXTENDED_SPEEDS_SUP, "extended-speeds"},
	     {IBV_PORT_CAP_MASK2_SUP, "capability-mask-2"},
	     {IBV_PORT_CM_SUP, "communication-management"},
	     {IBV_PORT_SNMP_TUNNEL_SUP, "snmp-tunneling"}, {IBV_PORT_REINIT_SUP, "reinit"},
	     {IBV_PORT_DEVICE_MGMT_SUP, "device-management"},
	     {IBV_PORT_VENDOR_CLASS_SUP, "vendor-class"}, {IBV_PORT_DR_NOTICE_SUP, "dr-notice"},
	     {IBV_PORT_CAP_MASK_NOTICE_SUP, "capability-mask-notice"},
	     {IBV_PORT_BOOT_MGMT_SUP, "boot-management"},
	     {IBV_PORT_LINK_LATENCY_SUP, "link-round-trip-latency"},
	     {IBV_PORT_CLIENT_REG_SUP, "client-reregistration"},
	     {1u << 26, "other-local-changes-notice"}, {1u << 27, "link-speed-width-pairs"},
	     {1u << 28, "vendor-specific-mads-table"},
	     {1u << 29, "multicast-pkey-trap-suppression"}, {1u << 30, "multicast-fdb-top"},
	     {1u << 31, "hierarchy-info"});
	ROWS(port_cap2_names, {IBV_PORT_SET_NODE_DESC_SUP, "set-node-description"},
	     {IBV_PORT_INFO_EXT_SUP, "extended-port-info"}, {IBV_PORT_VIRT_SUP, "virtualization"},
	     {IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP, "switch-port-state-table"},
	     {IBV_PORT_LINK_WIDTH_2X_SUP, "link-width-2x"},
	     {IBV_PORT_LINK_SPEED_HDR_SUP, "link-speed-hdr"}, {1u << 6, "mkey-protect-bits-ext"},
	     {1u << 7, "enhanced-trap-128"}, {1u << 8, "partition-top"},
	     {1u << 9, "enhanced-qos-arbiter"}, {IBV_PORT_LINK_SPEED_NDR_SUP, "link-speed-ndr"},
	     {1u << 11, "extended-speeds-2"}, {1u << 12, "link-speed-xdr"});
}

/* PortInfo, 14.2.5.6 and its table; the codes of width and speed are also those of ibv_port_attr.
 */
static void links(void **state)
{
	(void)state;
	ROWS(link_width_names, {1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"});
	ROWS(link_width_numbers, {1, "1"}, {2, "4"}, {4, "8"}, {8, "12"}, {16, "2"});
	ROWS(link_speed_names, {1, "sdr"}, {2, "ddr"}, {4, "qdr"});
	ROWS(link_speed_ext_names, {0, "none"}, {1, "fdr"}, {2, "edr"}, {4, "hdr"}, {8, "ndr"});
	ROWS(link_speed_ext_bit_names, {1, "fdr"}, {2, "edr"}, {4, "hdr"}, {8, "ndr"});
	ROWS(link_speed_ext2_names, {0, "none"}, {1, "xdr"});
	ROWS(down_default_names, {0, "no-change"}, {1, "sleep"}, {2, "polling"});
	ROWS(vl_numbers, {1, "1"}, {2, "2"}, {3, "4"}, {4, "8"}, {5, "15"});
	ROWS(fec_active_names, {0, "none"}, {1, "firecode"}, {2, "rs"}, {3, "low-latency-rs"},
	     {4, "rs-544-514"});
	ROWS(fec_mode_names, {1, "none"}, {2, "firecode"}, {4, "rs"}, {8, "low-latency-rs"},
	     {16, "rs-544-514"});
	ROWS(mellanox_speed_names, {1, "fdr10"}, {2, "edr20"});
	ROWS(optimized_sl2vl_names, {0, "none"}, {1, "supported"});
	ROWS(init_type_names, {1, "no-load"}, {2, "preserve-content"}, {4, "preserve-presence"},
	     {8, "do-not-resuscitate"});
	ROWS(init_reply_names, {1, "no-load-reply"}, {2, "preserve-content-reply"},
	     {4, "preserve-presence-reply"});
	ROWS(rate_numbers, {IBV_RATE_2_5_GBPS, "2.5"}, {IBV_RATE_5_GBPS, "5"},
	     {IBV_RATE_10_GBPS, "10"}, {IBV_RATE_20_GBPS, "20"}, {IBV_RATE_30_GBPS, "30"},
	     {IBV_RATE_40_GBPS, "40"}, {IBV_RATE_60_GBPS, "60"}, {IBV_RATE_80_GBPS, "80"},
	     {IBV_RATE_120_GBPS, "120"}, {IBV_RATE_14_GBPS, "14"}, {IBV_RATE_56_GBPS, "56"},
	     {IBV_RATE_112_GBPS, "112"}, {IBV_RATE_168_GBPS, "168"}, {IBV_RATE_25_GBPS, "25"},
	     {IBV_RATE_100_GBPS, "100"}, {IBV_RATE_200_GBPS, "200"}, {IBV_RATE_300_GBPS, "300"},
	     {IBV_RATE_28_GBPS, "28"}, {IBV_RATE_50_GBPS, "50"}, {IBV_RATE_400_GBPS, "400"},
	     {IBV_RATE_600_GBPS, "600"}, {IBV_RATE_800_GBPS, "800"}, {IBV_RATE_1200_GBPS, "1200"},
	     {25, "1600"});
}

static void headers(void **state)
{
	const struct schema *sa = mad_header_schema(UMAD_CLASS_SUBN_ADM);

	(void)state;
	ROWS(mad_class_names, {UMAD_CLASS_SUBN_LID_ROUTED, "sm"},
	     {UMAD_CLASS_SUBN_DIRECTED_ROUTE, "sm-direct"}, {UMAD_CLASS_SUBN_ADM, "sa"},
	     {UMAD_CLASS_PERF_MGMT, "pm"}, {UMAD_CLASS_BM, "bm"}, {UMAD_CLASS_DEVICE_MGMT, "dm"},
	     {UMAD_CLASS_CM, "cm"}, {UMAD_CLASS_SNMP, "snmp"}, {0x0a, "mellanox"},
	     {UMAD_CLASS_DEVICE_ADM, "device-administration"},
	     {UMAD_CLASS_BOOT_MGMT, "boot-management"}, {UMAD_CLASS_BIS, "bis"},
	     {UMAD_CLASS_CONG_MGMT, "cc"}, {0x32, "openib-ping"}, {0x33, "openib-sysstat"});
	ROWS(mad_sa_method_names, {UMAD_METHOD_GET, "get"}, {UMAD_METHOD_SET, "set"},
	     {UMAD_METHOD_SEND, "send"}, {UMAD_METHOD_TRAP, "trap"}, {UMAD_METHOD_REPORT, "report"},
	     {UMAD_METHOD_TRAP_REPRESS, "trap-repress"}, {UMAD_METHOD_GET_RESP, "get-response"},
	     {UMAD_METHOD_REPORT_RESP, "report-response"}, {UMAD_SA_METHOD_GET_TABLE, "get-table"},
	     {UMAD_SA_METHOD_GET_TRACE_TABLE, "get-trace-table"},
	     {UMAD_SA_METHOD_GET_MULTI, "get-multi"}, {UMAD_SA_METHOD_DELETE, "delete"},
	     {UMAD_SA_METHOD_GET_TABLE_RESP, "get-table-response"},
	     {UMAD_SA_METHOD_GET_MULTI_RESP, "get-multi-response"},
	     {UMAD_SA_METHOD_DELETE_RESP, "delete-response"});
	ROWS(mad_sa_status_names, {UMAD_SA_STATUS_NO_RESOURCES, "no-resources"},
	     {UMAD_SA_STATUS_REQ_INVALID, "req-invalid"}, {UMAD_SA_STATUS_NO_RECORDS, "no-records"},
	     {UMAD_SA_STATUS_TOO_MANY_RECORDS, "too-many-records"},
	     {UMAD_SA_STATUS_INVALID_GID, "req-invalid-gid"},
	     {UMAD_SA_STATUS_INSUF_COMPS, "req-insufficient-components"},
	     {UMAD_SA_STATUS_REQ_DENIED, "req-denied"},
	     {UMAD_SA_STATUS_PRI_SUGGESTED, "prio-suggested"});
	/* IB_MGMT_RMPP_TYPE_..., _FLAG_... and _STATUS_..., include/rdma/ib_mad.h */
	ROWS(words_of(sa, "rmpp_type"), {0, "none"}, {1, "data"}, {2, "ack"}, {3, "stop"},
	     {4, "abort"});
	ROWS(words_of(sa, "rmpp_flags"), {1, "active"}, {2, "first"}, {4, "last"});
	ROWS(words_of(sa, "rmpp_status"), {0, "normal"} /* SUCCESS */,
	     {1, "resources-exhausted"} /* RESX */, {118, "total-time-too-long"} /* T2L */,
	     {119, "inconsistent-last-and-payload-length"} /* BAD_LEN */,
	     {120, "inconsistent-first-and-segment-number"} /* BAD_SEG */,
	     {121, "bad-type"} /* BADT */, {122, "new-window-last-too-small"} /* W2S */,
	     {123, "segment-number-too-big"} /* S2B */, {124, "illegal-status"} /* BAD_STATUS */,
	     {125, "unsupported-version"} /* UNV */, {126, "too-many-retries"} /* TMR */,
	     {127, "unspecified"} /* UNSPEC */);
}

static void managers(void **state)
{
	(void)state;
	/* SMInfo, 14.2.5.13; Notice, 13.4.8.2 */
	ROWS(sm_state_names, {0, "not-active"}, {1, "discovering"}, {2, "standby"}, {3, "master"});
	ROWS(notice_type_names, {0, "fatal"}, {1, "urgent"}, {2, "security"},
	     {3, "subnet-management"}, {4, "informational"}, {0x7f, "empty"});
	ROWS(trap_names, {UMAD_SM_GID_IN_SERVICE_TRAP, "gid-in-service"},
	     {UMAD_SM_GID_OUT_OF_SERVICE_TRAP, "gid-out-of-service"},
	     {UMAD_SM_MGID_CREATED_TRAP, "multicast-group-created"},
	     {UMAD_SM_MGID_DESTROYED_TRAP, "multicast-group-deleted"},
	     {UMAD_SM_UNPATH_TRAP, "path-gone"}, {UMAD_SM_REPATH_TRAP, "path-back"},
	     {UMAD_SM_LINK_STATE_CHANGED_TRAP, "link-state-change"},
	     {UMAD_SM_LINK_INTEGRITY_THRESHOLD_TRAP, "link-integrity"},
	     {UMAD_SM_BUFFER_OVERRUN_THRESHOLD_TRAP, "buffer-overrun"},
	     {UMAD_SM_WATCHDOG_TIMER_EXPIRED_TRAP, "flow-control-watchdog"},
	     {UMAD_SM_LOCAL_CHANGES_TRAP, "local-changes"},
	     {UMAD_SM_SYS_IMG_GUID_CHANGED_TRAP, "system-image-guid-change"},
	     {UMAD_SM_BAD_MKEY_TRAP, "bad-mkey"}, {UMAD_SM_BAD_PKEY_TRAP, "bad-pkey"},
	     {UMAD_SM_BAD_QKEY_TRAP, "bad-qkey"},
	     {UMAD_SM_BAD_SWITCH_PKEY_TRAP, "bad-pkey-at-switch"});
	ROWS(selector_names, {UMAD_SA_SELECTOR_GREATER_THAN, "greater-than"},
	     {UMAD_SA_SELECTOR_LESS_THAN, "less-than"}, {UMAD_SA_SELECTOR_EXACTLY, "exactly"},
	     {UMAD_SA_SELECTOR_LARGEST_AVAIL, "largest"});
	ROWS(lifetime_selector_names, {UMAD_SA_SELECTOR_GREATER_THAN, "greater-than"},
	     {UMAD_SA_SELECTOR_LESS_THAN, "less-than"}, {UMAD_SA_SELECTOR_EXACTLY, "exactly"},
	     {UMAD_SA_SELECTOR_SMALLEST_AVAIL, "smallest"});
	ROWS(scope_names, {1, "interface-local"}, /* RFC 4291, 2.7 */
	     {UMAD_SA_MCM_ADDR_SCOPE_LINK_LOCAL, "link-local"},
	     {UMAD_SA_MCM_ADDR_SCOPE_SITE_LOCAL, "site-local"},
	     {UMAD_SA_MCM_ADDR_SCOPE_ORG_LOCAL, "organization-local"},
	     {UMAD_SA_MCM_ADDR_SCOPE_GLOBAL, "global"});
	ROWS(join_state_names, {UMAD_SA_MCM_JOIN_STATE_FULL_MEMBER, "full-member"},
	     {UMAD_SA_MCM_JOIN_STATE_NON_MEMBER, "non-member"},
	     {UMAD_SA_MCM_JOIN_STATE_SEND_ONLY_NON_MEMBER, "send-only-non-member"},
	     {UMAD_SA_MCM_JOIN_STATE_SEND_ONLY_FULL_MEMBER, "send-only-full-member"});
}

static void capabilities_of_classes(void **state)
{
	(void)state;
	ROWS(words_of(&sa_class_port_info_schema, "capabilities"), {1, "trap"},
	     {2, "get-set-notice"}, {UMAD_SA_CAP_MASK_IS_SUBNET_OPT_REC_SUP, "optional-records"},
	     {UMAD_SA_CAP_MASK_IS_UD_MCAST_SUP, "ud-multicast"},
	     {UMAD_SA_CAP_MASK_IS_MULTIPATH_SUP, "multi-path"},
	     {UMAD_SA_CAP_MASK_IS_REINIT_SUP, "reinit"},
	     {UMAD_SA_CAP_MASK_IS_GID_SCOPED_MULTIPATH_SUP, "gid-scoped-multi-path"},
	     {UMAD_SA_CAP_MASK_IS_PORTINFO_CAP_MASK_MATCH_SUP, "port-info-cap-mask-match"},
	     {UMAD_SA_CAP_MASK_IS_LINK_SPEED_WIDTH_PAIRS_REC_SUP, "link-speed-width-pairs-records"},
	     {UMAD_SA_CAP_MASK_IS_PA_SERVICES_SUP, "pa-services"});
	ROWS(words_of(&sa_class_port_info_schema, "capabilities2"),
	     {UMAD_SA_CAP_MASK2_IS_UNPATH_REPATH_SUP, "unpath-repath"},
	     {UMAD_SA_CAP_MASK2_IS_QOS_SUP, "qos"},
	     {UMAD_SA_CAP_MASK2_IS_REV_PATH_PKEY_MEM_BIT_SUP, "reverse-path-pkey-membership"},
	     {UMAD_SA_CAP_MASK2_IS_MCAST_TOP_SUP, "multicast-top"},
	     {UMAD_SA_CAP_MASK2_IS_HIERARCHY_INFO_SUP, "hierarchy-info"},
	     {UMAD_SA_CAP_MASK2_IS_ADDITIONAL_GUID_SUP, "additional-guids"},
	     {UMAD_SA_CAP_MASK2_IS_FULL_PORTINFO_REC_SUP, "full-port-info-records"},
	     {UMAD_SA_CAP_MASK2_IS_EXT_SPEEDS_SUP, "extended-speeds"},
	     {UMAD_SA_CAP_MASK2_IS_MCAST_SERVICE_REC_SUP, "multicast-service-records"},
	     {UMAD_SA_CAP_MASK2_IS_CABLE_INFO_REC_SUP, "cable-info-records"},
	     {UMAD_SA_CAP_MASK2_IS_PORT_INFO_CAPMASK2_MATCH_SUP, "port-info-cap-mask2-match"},
	     {UMAD_SA_CAP_MASK2_IS_PORT_INFO_EXT_REC_SUP, "port-info-extended-records"});
	/* IB_PMA_CLASS_CAP_..., include/rdma/ib_pma.h, has bits 8 and 9; 16.1.3.1 the others. */
	ROWS(words_of(&perf_class_port_info_schema, "capabilities"), {1, "trap"},
	     {2, "get-set-notice"}, {1 << 8, "all-port-select"}, {1 << 9, "extended-width"},
	     {1 << 10, "extended-width-noietf"}, {1 << 11, "samples-only"},
	     {1 << 12, "port-counters-xmit-wait"},
	     {1 << 13, "inhibit-limited-pkey-multicast-constraint-errors"}, {1 << 14, "rs-fec"},
	     {1 << 15, "qp1-dropped"});
}

/* include/rdma/ib_cm.h of Linux 6.12 */
static void connection_manager(void **state)
{
	(void)state;
	ROWS(cm_words(UMAD_CM_ATTR_REJ, "reason"), {1, "no-qp"}, {2, "no-eec"}, {3, "no-resources"},
	     {4, "timeout"}, {5, "unsupported-request"}, {6, "invalid-comm-id"},
	     {7, "invalid-comm-instance"}, {8, "invalid-service-id"}, {9, "invalid-transport-type"},
	     {10, "stale-connection"}, {11, "rdc-does-not-exist"}, {12, "invalid-gid"},
	     {13, "invalid-lid"}, {14, "invalid-sl"}, {15, "invalid-traffic-class"},
	     {16, "invalid-hop-limit"}, {17, "invalid-packet-rate"}, {18, "invalid-alternate-gid"},
	     {19, "invalid-alternate-lid"}, {20, "invalid-alternate-sl"},
	     {21, "invalid-alternate-traffic-class"}, {22, "invalid-alternate-hop-limit"},
	     {23, "invalid-alternate-packet-rate"}, {24, "port-and-cm-redirect"},
	     {25, "port-redirect"}, {26, "invalid-mtu"}, {27, "insufficient-responder-resources"},
	     {28, "consumer-reject"}, {29, "invalid-rnr-retry-count"},
	     {30, "duplicate-local-comm-id"}, {31, "invalid-class-version"},
	     {32, "invalid-flow-label"}, {33, "invalid-alternate-flow-label"},
	     {35, "vendor-option-not-supported"});
	ROWS(cm_words(UMAD_CM_ATTR_APR, "status"), {0, "success"}, {1, "invalid-comm-id"},
	     {2, "unsupported"}, {3, "rejected"}, {4, "redirect"}, {5, "already-current"},
	     {6, "invalid-qpn-or-eecn"}, {7, "invalid-lid"}, {8, "invalid-gid"},
	     {9, "invalid-flow-label"}, {10, "invalid-traffic-class"}, {11, "invalid-hop-limit"},
	     {12, "invalid-packet-rate"}, {13, "invalid-sl"});
	ROWS(cm_words(UMAD_CM_ATTR_SIDR_REP, "status"), {0, "success"}, {1, "unsupported"},
	     {2, "rejected"}, {3, "no-qp"}, {4, "redirect"}, {5, "unsupported-version"});
	ROWS(port_space_names, {RDMA_PS_IPOIB, "ipoib"}, {RDMA_PS_TCP, "tcp"}, {RDMA_PS_UDP, "udp"},
	     {RDMA_PS_IB, "ib"});
}

static void resources(void **state)
{
	(void)state;
	/* Verbs and the kernel number these differently: enum ib_qp_type, ib_verbs.h. */
	ROWS(qp_type_names, {0, "smi"}, {1, "gsi"}, {IB_UVERBS_QPT_RC, "rc"},
	     {IB_UVERBS_QPT_UC, "uc"}, {IB_UVERBS_QPT_UD, "ud"}, {5, "raw-ipv6"},
	     {6, "raw-ethertype"}, {IB_UVERBS_QPT_RAW_PACKET, "raw-packet"},
	     {IB_UVERBS_QPT_XRC_INI, "xrc-ini"}, {IB_UVERBS_QPT_XRC_TGT, "xrc-tgt"},
	     {IB_UVERBS_QPT_DRIVER, "driver"});
	ROWS(qp_state_names, {IBV_QPS_RESET, "reset"}, {IBV_QPS_INIT, "init"}, {IBV_QPS_RTR, "rtr"},
	     {IBV_QPS_RTS, "rts"}, {IBV_QPS_SQD, "sqd"}, {IBV_QPS_SQE, "sqe"},
	     {IBV_QPS_ERR, "error"});
	ROWS(path_migration_names, {IBV_MIG_MIGRATED, "migrated"}, {IBV_MIG_REARM, "rearm"},
	     {IBV_MIG_ARMED, "armed"});
	ROWS(srq_type_names, {IB_UVERBS_SRQT_BASIC, "basic"}, {IB_UVERBS_SRQT_XRC, "xrc"},
	     {IB_UVERBS_SRQT_TM, "tm"});
	/* The header of rdma-core 44 ends with erdma; 20 and 21 are those of Linux 6.12 and 7.2. */
	ROWS(driver_id_names, {RDMA_DRIVER_MLX5, "mlx5_ib"}, {RDMA_DRIVER_MLX4, "mlx4_ib"},
	     {RDMA_DRIVER_CXGB3, "iw_cxgb3"}, {RDMA_DRIVER_CXGB4, "iw_cxgb4"},
	     {RDMA_DRIVER_MTHCA, "ib_mthca"}, {RDMA_DRIVER_BNXT_RE, "bnxt_re"},
	     {RDMA_DRIVER_OCRDMA, "ocrdma"}, {RDMA_DRIVER_NES, "iw_nes"},
	     {RDMA_DRIVER_IRDMA, "irdma"}, {RDMA_DRIVER_VMW_PVRDMA, "vmw_pvrdma"},
	     {RDMA_DRIVER_QEDR, "qedr"}, {RDMA_DRIVER_HNS, "hns_roce_hw_v2"},
	     {RDMA_DRIVER_USNIC, "usnic_verbs"}, {RDMA_DRIVER_RXE, "rdma_rxe"},
	     {RDMA_DRIVER_HFI1, "hfi1"}, {RDMA_DRIVER_QIB, "ib_qib"}, {RDMA_DRIVER_EFA, "efa"},
	     {RDMA_DRIVER_SIW, "siw"}, {RDMA_DRIVER_ERDMA, "erdma"}, {20, "mana_ib"},
	     {21, "ionic_rdma"});
}

/* Numbers of attributes, with their names in rdma-core. */
static void attributes(void **state)
{
	static const struct {
		unsigned int mgmt_class, id;
		const char *name;
	} wanted[] = {
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_NODE_DESC, "NodeDescription"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_NODE_INFO, "NodeInfo"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_SWITCH_INFO, "SwitchInfo"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_GUID_INFO, "GUIDInfo"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_PORT_INFO, "PortInfo"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_PKEY_TABLE, "P_KeyTable"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_SLVL_TABLE, "SLtoVLMappingTable"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_VL_ARB_TABLE, "VLArbitrationTable"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_LINEAR_FT, "LinearForwardingTable"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_MCAST_FT, "MulticastForwardingTable"},
		{UMAD_CLASS_SUBN_LID_ROUTED, UMAD_SM_ATTR_SM_INFO, "SMInfo"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_NODE_REC, "NodeRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_PORT_INFO_REC, "PortInfoRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_SWITCH_INFO_REC, "SwitchInfoRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_SM_INFO_REC, "SMInfoRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_INFORM_INFO_REC, "InformInfoRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_LINK_REC, "LinkRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_SERVICE_REC, "ServiceRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_PKEY_TABLE_REC, "P_KeyTableRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_PATH_REC, "PathRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_MCMEMBER_REC, "MCMemberRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_TRACE_REC, "TraceRecord"},
		{UMAD_CLASS_SUBN_ADM, UMAD_SA_ATTR_MULTI_PATH_REC, "MultiPathRecord"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_REQ, "ConnectRequest"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_MRA, "MsgRcptAck"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_REJ, "ConnectReject"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_REP, "ConnectReply"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_RTU, "ReadyToUse"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_DREQ, "DisconnectRequest"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_DREP, "DisconnectReply"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_SIDR_REQ, "ServiceIDResReq"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_SIDR_REP, "ServiceIDResReqResp"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_LAP, "LoadAlternatePath"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_APR, "AlternatePathResponse"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_SAP, "SuggestAlternatePath"},
		{UMAD_CLASS_CM, UMAD_CM_ATTR_SPR, "SuggestPathResponse"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const char *name = mad_attribute_name(wanted[i].mgmt_class, wanted[i].id);

		if (!name || strcmp(name, wanted[i].name) != 0)
			fail_msg("%#x of class %#x is %s, not %s", wanted[i].id,
				 wanted[i].mgmt_class, name ? name : "nothing", wanted[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ports_and_nodes),
		cmocka_unit_test(port_capabilities),
		cmocka_unit_test(links),
		cmocka_unit_test(headers),
		cmocka_unit_test(managers),
		cmocka_unit_test(capabilities_of_classes),
		cmocka_unit_test(connection_manager),
		cmocka_unit_test(resources),
		cmocka_unit_test(attributes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
