/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/codes.h"

#include "base/mem.h"

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

/* enum ib_port_state; InfiniBand Architecture Specification volume 1, PortInfo:PortState */
const struct enum_name port_state_names[] = {
	{PORT_STATE_NOP, "nop", TONE_WARNING},
	{PORT_STATE_DOWN, "down", TONE_BAD},
	{PORT_STATE_INIT, "init", TONE_WARNING},
	{PORT_STATE_ARMED, "armed", TONE_WARNING},
	{PORT_STATE_ACTIVE, "active", TONE_GOOD},
	{PORT_STATE_ACTIVE_DEFER, "active-defer", TONE_WARNING},
	{0, NULL},
};

/* PortInfo:PortPhysicalState; Omni-Path's from 9 on, include/rdma/opa_port_info.h */
const struct enum_name physical_state_names[] = {
	{PHYSICAL_NO_CHANGE, "no-change", TONE_WARNING},
	{PHYSICAL_SLEEP, "sleep", TONE_BAD},
	{PHYSICAL_POLLING, "polling", TONE_BAD},
	{PHYSICAL_DISABLED, "disabled", TONE_BAD},
	{PHYSICAL_TRAINING, "training", TONE_WARNING},
	{PHYSICAL_LINK_UP, "link-up", TONE_GOOD},
	{PHYSICAL_LINK_ERROR_RECOVERY, "link-error-recovery", TONE_BAD},
	{PHYSICAL_PHY_TEST, "phy-test", TONE_WARNING},
	{9, "opa-offline", TONE_BAD},
	{11, "opa-test", TONE_WARNING},
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

/* enum ibv_port_cap_flags2; InfiniBand Architecture Specification volume 1, table of PortInfo */
const struct enum_name port_cap2_names[] = {
	{1u << 0, "set-node-description"},    /* IBV_PORT_SET_NODE_DESC_SUP */
	{1u << 1, "extended-port-info"},      /* IBV_PORT_INFO_EXT_SUP */
	{1u << 2, "virtualization"},	      /* IBV_PORT_VIRT_SUP */
	{1u << 3, "switch-port-state-table"}, /* IBV_PORT_SWITCH_PORT_STATE_TABLE_SUP */
	{1u << 4, "link-width-2x"},	      /* IBV_PORT_LINK_WIDTH_2X_SUP */
	{1u << 5, "link-speed-hdr"},	      /* IBV_PORT_LINK_SPEED_HDR_SUP */
	{1u << 10, "link-speed-ndr"},	      /* IBV_PORT_LINK_SPEED_NDR_SUP */
	{1u << 11, "extended-speeds-2"},      /* IB_PORT_EXTENDED_SPEEDS2_SUP of the kernel */
	{1u << 12, "link-speed-xdr"},	      /* IBV_PORT_LINK_SPEED_XDR_SUP, rdma-core 49 */
	{0, NULL},
};

const struct enum_name lane_speed_names[] = {
#define SPEED_WORD(name, rate, signal) {SPEED_##name, #name, .help = #rate " Gb/s per lane"},
	LANE_SPEEDS(SPEED_WORD)
#undef SPEED_WORD
		{0, NULL},
};

const struct lane_rate lane_rates[SPEED_COUNT] = {
#define SPEED_RATE(name, rate, signal) [SPEED_##name] = {rate, signal},
	LANE_SPEEDS(SPEED_RATE)
#undef SPEED_RATE
};

enum lane_speed lane_speed_of_verbs(unsigned int code)
{
	for (unsigned int speed = SPEED_SDR; speed < SPEED_COUNT; speed++)
		if (code == 1u << (speed - SPEED_SDR))
			return (enum lane_speed)speed;
	return SPEED_UNKNOWN;
}

unsigned int widest_lanes(unsigned int mask)
{
	static const struct {
		unsigned int bit, lanes;
	} widths[] = {{8, 12}, {4, 8}, {2, 4}, {16, 2}, {1, 1}};

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (mask & widths[i].bit)
			return widths[i].lanes;
	return 0;
}

unsigned int width_lanes(unsigned int code)
{
	return code & (code - 1) ? 0 : widest_lanes(code);
}

unsigned int mtu_bytes(unsigned int code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}

unsigned int mtu_code(unsigned int bytes)
{
	unsigned int code = 1;

	while (mtu_bytes(code + 1) && mtu_bytes(code + 1) <= bytes)
		code++;
	return code;
}

unsigned int data_vls(unsigned int code)
{
	static const unsigned char count[] = {0, 1, 2, 4, 8, 15};

	return code < ARRAY_SIZE(count) ? count[code] : 0;
}
