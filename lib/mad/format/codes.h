/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The codes of nodes, ports and links that management datagrams share with the kernel (sysfs, RDMA
 * netlink) and with verbs: states, MTU, width, speed, VLs and capabilities of a port. Tables of
 * words end with an entry without a word. InfiniBand Architecture Specification volume 1, 14.2.5.3
 * (NodeInfo) and 14.2.5.6 (PortInfo); include/rdma/ib_verbs.h.
 */
#pragma once

#include "schema/value.h"

/* enum rdma_node_type; the first three are NodeInfo:NodeType. */
enum node_type {
	NODE_TYPE_CA = 1,
	NODE_TYPE_SWITCH,
	NODE_TYPE_ROUTER,
	NODE_TYPE_RNIC,
	NODE_TYPE_USNIC,
	NODE_TYPE_USNIC_UDP,
	NODE_TYPE_UNSPECIFIED,
};

/* PortInfo:PortState, enum ib_port_state */
enum port_state {
	PORT_STATE_NOP,
	PORT_STATE_DOWN,
	PORT_STATE_INIT,
	PORT_STATE_ARMED,
	PORT_STATE_ACTIVE,
	PORT_STATE_ACTIVE_DEFER,
};

/* PortInfo:PortPhysicalState, enum ib_port_phys_state */
enum physical_state {
	PHYSICAL_NO_CHANGE,
	PHYSICAL_SLEEP,
	PHYSICAL_POLLING,
	PHYSICAL_DISABLED,
	PHYSICAL_TRAINING,
	PHYSICAL_LINK_UP,
	PHYSICAL_LINK_ERROR_RECOVERY,
	PHYSICAL_PHY_TEST,
};

/* SMInfo:SMState */
enum sm_state { SM_NOT_ACTIVE, SM_DISCOVERING, SM_STANDBY, SM_MASTER };

/*
 * Speeds in ascending order: name, Gb/s of a lane as counted by rate_show() of
 * drivers/infiniband/core/sysfs.c, and signalled Gb/s of a lane.
 */
#define LANE_SPEEDS(SPEED)                                              \
	SPEED(SDR, 2.5, 2.5)                                            \
	SPEED(DDR, 5, 5)                                                \
	SPEED(QDR, 10, 10)                                              \
	SPEED(FDR10, 10, 10.3125) /* a vendor's speed, encoded 64/66 */ \
	SPEED(FDR, 14, 14.0625)                                         \
	SPEED(EDR, 25, 25.78125)                                        \
	SPEED(HDR, 50, 53.125)                                          \
	SPEED(NDR, 100, 106.25)                                         \
	SPEED(XDR, 200, 212.5)

enum lane_speed {
	SPEED_UNKNOWN,
#define SPEED_CODE(name, rate, signal) SPEED_##name,
	LANE_SPEEDS(SPEED_CODE)
#undef SPEED_CODE
		SPEED_COUNT,
};

struct lane_rate {
	double data_gbps, signal_gbps; /* 0 if unknown */
};

extern const struct enum_name node_type_names[];
extern const struct enum_name port_state_names[];
extern const struct enum_name physical_state_names[];
extern const struct enum_name port_cap_names[];	  /* bits of PortInfo:CapabilityMask */
extern const struct enum_name port_cap2_names[];  /* bits of PortInfo:CapabilityMask2 */
extern const struct enum_name lane_speed_names[]; /* SDR, ... with the rate of a lane as help */
extern const struct lane_rate lane_rates[SPEED_COUNT];

/* enum ib_port_speed: one bit, from 1 for SDR to 256 for XDR. */
enum lane_speed lane_speed_of_verbs(unsigned int code);
/* The number of lanes of a LinkWidthActive code; 0 if the code is not defined. */
unsigned int width_lanes(unsigned int code);
/* The highest number of lanes in a LinkWidthSupported mask; 0 if no bit is defined. */
unsigned int widest_lanes(unsigned int mask);
/* 256 to 4096; 0 for an unknown code. PortInfo, SA records and enum ibv_mtu share the codes. */
unsigned int mtu_bytes(unsigned int code);
/* The code of the largest MTU that does not exceed `bytes`, at least 256. */
unsigned int mtu_code(unsigned int bytes);
/* The number of data VLs of a PortInfo:VLCap code; 0 is unknown. */
unsigned int data_vls(unsigned int code);

/*
 * The words of codes that only attributes have. The words of a `_numbers` table are the numbers
 * that the codes represent; fractions are written with the digits that a table of output shows, so
 * that they can be read back.
 */

/* PortInfo, SwitchInfo */
extern const struct enum_name link_width_names[]; /* for the bits of widths supported and enabled */
extern const struct enum_name link_width_numbers[]; /* lanes */
extern const struct enum_name link_speed_names[];   /* for both bits and active codes */
/* PortInfo:LinkSpeedExtEnabled: no extended speed, and all supported ones */
enum { SPEED_EXT_DISABLED = 30, SPEED_EXT_ALL = 31 };

extern const struct enum_name link_speed_ext_names[];
extern const struct enum_name link_speed_ext_bit_names[];
extern const struct enum_name link_speed_ext2_names[];
extern const struct enum_name link_speed_ext2_bit_names[];
extern const struct enum_name mellanox_speed_names[];
extern const struct enum_name mellanox_fec_names[];
extern const struct enum_name down_default_names[];
extern const struct enum_name mtu_numbers[]; /* bytes */
extern const struct enum_name vl_numbers[];  /* data VLs */
extern const struct enum_name init_type_names[];
extern const struct enum_name init_reply_names[];
extern const struct enum_name optimized_sl2vl_names[];
extern const struct enum_name port_ext_cap_names[]; /* PortInfoExtended:CapMask */
extern const struct enum_name fec_active_names[];
extern const struct enum_name fec_mode_names[]; /* bits */
/* SMInfo, Notice, InformInfo */
extern const struct enum_name sm_state_names[];
extern const struct enum_name notice_type_names[];
extern const struct enum_name trap_names[];
/* SA records */
extern const struct enum_name selector_names[];
extern const struct enum_name lifetime_selector_names[];
extern const struct enum_name rate_numbers[];	   /* gigabits per second */
extern const struct enum_name time_usec_numbers[]; /* 4.096 us * 2 ^ code, codes 0 to 63 */
extern const struct enum_name scope_names[];
extern const struct enum_name join_state_names[];
