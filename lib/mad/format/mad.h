/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The format of management datagrams, in one place: the names in rdma-core's headers for classes,
 * methods, statuses and attributes, the names that those lack, and accessors of the fields that
 * code uses. The field tables (attribute.h) describe every field, for output. The prefix of an
 * accessor says which bytes it takes: mad_ takes a datagram of 256 bytes, the others the data of
 * the attribute. IBA 1: 13.4.3 (common header), 13.6.2.1 (RMPP), 14.2.1 (SMP), 14.2.5 (attributes
 * of subnet management), 15.2 (subnet administration), 16.5.1 (vendors).
 */
#pragma once

#include <infiniband/umad_cm.h>
#include <infiniband/umad_sa.h>
#include <infiniband/umad_sm.h>
#include <infiniband/umad_types.h>
#include <stddef.h>
#include <stdint.h>

#include "mad/format/codes.h"
#include "schema/bits.h"

#define MAD_BYTES 256u

enum {
	MAD_HEADER_BYTES = sizeof(struct umad_hdr),
	MAD_SMP_DATA_AT = offsetof(struct umad_smp, data),
	MAD_SA_DATA_AT = offsetof(struct umad_sa_packet, data),
	MAD_VENDOR_DATA_AT = offsetof(struct umad_vendor_packet, data),
	/* RMPPType and flags, 13.6.2.1; UMAD_RMPP_FLAG_ACTIVE is the third flag */
	MAD_RMPP_DATA = 1,
	MAD_RMPP_ACK = 2,
	MAD_RMPP_STOP = 3,
	MAD_RMPP_ABORT = 4,
	MAD_RMPP_FLAG_FIRST = 2,
	MAD_RMPP_FLAG_LAST = 4,
	MAD_CLASS_MELLANOX = UMAD_CLASS_VENDOR_RANGE1_START + 1,
	/* Vendor classes of infiniband-diags: ibping(8), ibsysstat(8) */
	MAD_CLASS_OPENIB_PING = 0x32,
	MAD_CLASS_OPENIB_SYSSTAT = 0x33,
};

#define MAD_HOPS_MOST	   (UMAD_SMP_MAX_HOPS - 1u) /* of a directed route: 14.2.2 */
#define MAD_LID_PERMISSIVE 0xffffu		    /* 4.1.3, like the next three */
#define MAD_LID_LAST	   0xbfffu		    /* the last unicast LID */
#define MAD_MLID_FIRST	   0xc000u
#define MAD_MLID_LAST	   0xfffeu

/*
 * Returns 0, no LID, for a number that is no unicast LID: adapters of mlx5 report 0xffff until a
 * subnet manager has configured them. opensm ignores such a LID, too (pi_rcv_check_and_fix_lid()
 * of osm_port_info_rcv.c).
 */
static inline uint16_t mad_unicast_lid(uint64_t lid)
{
	return lid <= MAD_LID_LAST ? (uint16_t)lid : 0;
}

/*
 * CableInfo, an attribute of a vendor's subnet management: memory of the module in a port. AttrMod
 * is the port; struct mlx4_cable_info and mlx4_get_module_info(),
 * drivers/net/ethernet/mellanox/mlx4/port.c.
 */
#define MAD_SM_CABLE_INFO 0xff60u
enum { CABLE_INFO_HEADER_BYTES = 16, CABLE_INFO_DATA_MOST = 48 };

#define MAD_PORT_MOST	 255u
#define PKEY_FULL_MEMBER 0x8000u /* 10.9.3 */

/* Attributes of performance management: 16.1.3, 16.1.4, and annex A10 */
enum {
	MAD_PM_SAMPLES_CONTROL = 0x10,
	MAD_PM_SAMPLES_RESULT = 0x11,
	MAD_PM_COUNTERS = 0x12,
	MAD_PM_RCV_ERROR_DETAILS = 0x15,
	MAD_PM_XMIT_DISCARD_DETAILS = 0x16,
	MAD_PM_OP_RCV_COUNTERS = 0x17,
	MAD_PM_FLOW_CTL_COUNTERS = 0x18,
	MAD_PM_VL_OP_PACKETS = 0x19,
	MAD_PM_VL_OP_DATA = 0x1a,
	MAD_PM_VL_XMIT_FLOW_CTL_ERRORS = 0x1b,
	MAD_PM_VL_XMIT_WAIT = 0x1c,
	MAD_PM_COUNTERS_EXTENDED = 0x1d,
	MAD_PM_SAMPLES_RESULT_EXTENDED = 0x1e,
	MAD_PM_EXTENDED_SPEEDS = 0x1f,
	MAD_PM_SW_VL_CONGESTION = 0x30,
	MAD_PM_RCV_CON_CTRL = 0x31,
	MAD_PM_SL_RCV_FECN = 0x32,
	MAD_PM_SL_RCV_BECN = 0x33,
	MAD_PM_XMIT_CON_CTRL = 0x34,
	MAD_PM_VL_XMIT_TIME_CONG = 0x35,
	MAD_PM_XMIT_DATA_SL = 0x36,
	MAD_PM_RCV_DATA_SL = 0x37,
};

/* Attributes of congestion control: A10.4.3 */
enum {
	MAD_CC_INFO = 0x11,
	MAD_CC_KEY_INFO = 0x12,
	MAD_CC_LOG = 0x13,
	MAD_CC_SWITCH = 0x14,
	MAD_CC_SWITCH_PORT = 0x15,
	MAD_CC_CA = 0x16,
	MAD_CC_TABLE = 0x17,
	MAD_CC_TIMESTAMP = 0x18,
	MAD_CC_LOG_DATA_AT = 32, /* the log also uses bytes that the others reserve */
	MAD_CC_KEY_AT = 24,
	MAD_BKEY_AT = 24,
};

/*
 * Attributes of MAD_CLASS_MELLANOX. AccessRegisterGMP reads a register of the device, whose number
 * is AttrMod; IB_VS_ATTR_ACCESS_REGISTER_GMP, mib_send_gmp_access_reg_mad() and
 * mib_supports_reg_access_gmp() in mstflint's mtcr_ul/mtcr_ib_ofed.c, GMP_AccessRegister in
 * packets_layouts.h of ibis. The data are a VS_Key of eight bytes, a word with the number of a
 * block in a long register, and 220 bytes of that block. The status is the device's own code.
 */
enum {
	MAD_MELLANOX_GENERAL_INFO = 0x17,
	MAD_MELLANOX_ACCESS_REGISTER = 0x51,
	ACCESS_REGISTER_AT = 12,
	ACCESS_REGISTER_MOST = 220,
	ACCESS_REGISTER_UNKNOWN = 0x14, /* the device has no such register */
};

/* Whether the field lies within one byte. */
#define MAD_IS_IN_BYTE(bit_, width_) ((bit_) % 8 + (width_) <= 8)

/* The positions of fields are constants, so the compiler removes most calls of these two. */
static inline uint64_t mad_number(const unsigned char *bytes, size_t bit, unsigned int width)
{
	const unsigned char *at = bytes + bit / 8;

	if (MAD_IS_IN_BYTE(bit, width))
		return *at >> (8 - bit % 8 - width) & ((1u << width) - 1);
	if (width == 16 && !(bit % 8))
		return (uint64_t)at[0] << 8 | at[1];
	return bits_get(bytes, bit, width);
}

static inline void mad_set_number(unsigned char *bytes, size_t bit, unsigned int width,
				  uint64_t number)
{
	if (width == 8 && !(bit % 8))
		bytes[bit / 8] = (unsigned char)number;
	else
		bits_set(bytes, bit, width, number);
}

/*
 * Defines prefix_name() and prefix_set_name() for the bits that start at byte `byte_`, bit `bit_`.
 */
#define MAD_ACCESSORS(prefix_, name_, type_, byte_, bit_, width_)                    \
	static inline type_ prefix_##_##name_(const unsigned char *bytes)            \
	{                                                                            \
		return (type_)mad_number(bytes, (size_t)(byte_)*8 + (bit_), width_); \
	}                                                                            \
	static inline void prefix_##_set_##name_(unsigned char *bytes, type_ number) \
	{                                                                            \
		mad_set_number(bytes, (size_t)(byte_)*8 + (bit_), width_, number);   \
	}
#define MAD_BYTE(prefix_, name_, byte_)	  MAD_ACCESSORS(prefix_, name_, uint8_t, byte_, 0, 8)
#define MAD_WORD(prefix_, name_, byte_)	  MAD_ACCESSORS(prefix_, name_, uint16_t, byte_, 0, 16)
#define MAD_DOUBLE(prefix_, name_, byte_) MAD_ACCESSORS(prefix_, name_, uint32_t, byte_, 0, 32)
#define MAD_QUAD(prefix_, name_, byte_)	  MAD_ACCESSORS(prefix_, name_, uint64_t, byte_, 0, 64)

/* The common header */
MAD_BYTE(mad, base_version, offsetof(struct umad_hdr, base_version))
MAD_BYTE(mad, class, offsetof(struct umad_hdr, mgmt_class))
MAD_BYTE(mad, class_version, offsetof(struct umad_hdr, class_version))
MAD_BYTE(mad, method, offsetof(struct umad_hdr, method))
/*
 * Includes UMAD_SMP_DIRECTION, which is not part of the status; mad_status() of header.h excludes
 * it.
 */
MAD_WORD(mad, raw_status, offsetof(struct umad_hdr, status))
MAD_QUAD(mad, transaction_id, offsetof(struct umad_hdr, tid))
/* The half that is ours: the kernel uses the high one to find the agent. */
MAD_DOUBLE(mad, transaction, offsetof(struct umad_hdr, tid) + 4)
MAD_WORD(mad, attribute, offsetof(struct umad_hdr, attr_id))
MAD_DOUBLE(mad, modifier, offsetof(struct umad_hdr, attr_mod))

/* SMP */
MAD_BYTE(mad, hop_count, offsetof(struct umad_smp, hop_cnt))
MAD_QUAD(mad, mkey, offsetof(struct umad_smp, mkey))
MAD_WORD(mad, dr_slid, offsetof(struct umad_smp, dr_slid))
MAD_WORD(mad, dr_dlid, offsetof(struct umad_smp, dr_dlid))

/* RMPP, SA, vendor classes 0x30 to 0x4f */
MAD_BYTE(mad, rmpp_version, offsetof(struct umad_rmpp_packet, rmpp_hdr.rmpp_version))
MAD_BYTE(mad, rmpp_type, offsetof(struct umad_rmpp_packet, rmpp_hdr.rmpp_type))
MAD_ACCESSORS(mad, rmpp_flags, uint8_t,
	      offsetof(struct umad_rmpp_packet, rmpp_hdr.rmpp_rtime_flags), 5, 3)
MAD_DOUBLE(mad, rmpp_segment, offsetof(struct umad_rmpp_packet, rmpp_hdr.seg_num))
MAD_DOUBLE(mad, rmpp_payload, offsetof(struct umad_rmpp_packet, rmpp_hdr.paylen_newwin))
MAD_QUAD(mad, sm_key, offsetof(struct umad_sa_packet, sm_key))
MAD_WORD(mad, record_offset,
	 offsetof(struct umad_sa_packet, attr_offset)) /* in units of eight bytes */
MAD_QUAD(mad, component_mask, offsetof(struct umad_sa_packet, comp_mask))
MAD_QUAD(mad, cc_key, MAD_CC_KEY_AT)
MAD_QUAD(mad, bkey, MAD_BKEY_AT) /* 16.2.1 */
MAD_ACCESSORS(mad, oui, uint32_t, offsetof(struct umad_vendor_packet, oui), 0, 24)

/* NodeInfo, 14.2.5.3; its type is enum node_type */
#define NODE_INFO_BYTES	       40
#define NODE_DESCRIPTION_BYTES 64 /* 14.2.5.2 */
MAD_BYTE(node_info, base_version, 0)
MAD_BYTE(node_info, class_version, 1)
MAD_BYTE(node_info, type, 2)
MAD_BYTE(node_info, ports, 3)
MAD_QUAD(node_info, system_guid, 4)
MAD_QUAD(node_info, node_guid, 12)
MAD_QUAD(node_info, port_guid, 20)
MAD_WORD(node_info, pkeys, 28)
MAD_WORD(node_info, device_id, 30)
MAD_BYTE(node_info, local_port, 36)
MAD_ACCESSORS(node_info, vendor_id, uint32_t, 37, 0, 24)

/* CableInfo: address on the bus, page, first byte, number of bytes. */
MAD_BYTE(cable_info, address, 0)
MAD_BYTE(cable_info, page, 1)
MAD_WORD(cable_info, offset, 2)
MAD_WORD(cable_info, size, 6)

/*
 * GeneralInfo, bit 20 of the first word of CapabilityMask: the node supports AccessRegisterGMP, as
 * IsAccessRegisterGMPSupported in ibdiag_types.h of ibdiagnet.
 */
MAD_ACCESSORS(general_info, has_registers, uint8_t, 136, 11, 1)

/*
 * PCAM: the capabilities of port registers. Bit 66 of feature_cap_mask, counted from its last bit:
 * PDDR reports powers in microwatts on request. pcam_reg_ext and
 * pcam_feature_capability_mask_group0_ext of mstflint's register_access_table.adb; the order of the
 * bits is in struct mlx5_ifc_pcam_enhanced_features_bits, include/linux/mlx5/mlx5_ifc.h.
 */
#define REGISTER_PCAM 0x507fu
MAD_ACCESSORS(pcam, has_microwatts, uint8_t, 40, 61, 1)

/* PDDR, from the same table: the port, how it is numbered, and the page to read. */
#define REGISTER_PDDR 0x5031u
enum { PDDR_IB_PORT = 1, PDDR_MODULE_INFO = 3, PDDR_MICROWATTS = 1 };
MAD_BYTE(pddr, port, 1)
MAD_ACCESSORS(pddr, port_kind, uint8_t, 2, 0, 2)
MAD_ACCESSORS(pddr, units, uint8_t, 4, 1, 2)
MAD_BYTE(pddr, page, 7)

/* SwitchInfo, 14.2.5.4 */
#define SWITCH_INFO_BYTES 20
/* LIDs in a block of the linear table, 14.2.5.10, and of the multicast table, 14.2.5.12. */
#define MAD_LINEAR_BLOCK    64u
#define MAD_LINEAR_NOWHERE  255u /* packets to the LID are dropped: 14.2.5.10 */
#define MAD_MULTICAST_BLOCK 32u
/*
 * The parts of the VL arbitration table, in the high half of the modifier; each table has a second
 * part after this one: 14.2.5.9
 */
#define MAD_VLARB_LOW  1u
#define MAD_VLARB_HIGH 3u
/* An entry of a multicast block has 16 ports; their position starts at this bit of the modifier. */
#define MAD_MULTICAST_PORTS    16u
#define MAD_MULTICAST_POSITION 28u
MAD_WORD(switch_info, linear_cap, 0)
MAD_WORD(switch_info, multicast_cap, 4)
MAD_WORD(switch_info, linear_top, 6)
MAD_WORD(switch_info, pkeys, 14)
MAD_ACCESSORS(switch_info, enhanced_port0, uint8_t, 16, 4, 1)
MAD_WORD(switch_info, multicast_top, 18)

/* SMInfo, 14.2.5.13 */
#define SM_INFO_BYTES 21
MAD_QUAD(sm_info, port_guid, 0)
MAD_DOUBLE(sm_info, activity, 16)
MAD_ACCESSORS(sm_info, priority, uint8_t, 20, 0, 4)
MAD_ACCESSORS(sm_info, state, uint8_t, 20, 4, 4)

/* PortInfo, 14.2.5.6 */
#define PORT_INFO_BYTES 64
enum {
	/* CapabilityMask */
	PORT_CAP_SM = 1 << 1,
	PORT_CAP_SM_DISABLED = 1 << 10, /* the port has no SM agent on QP 0 */
	PORT_CAP_SPEEDS_EXT = 1 << 14,
	PORT_CAP_CAP_MASK2 = 1 << 15,
	/* CapabilityMask2, include/rdma/ib_verbs.h */
	PORT_CAP2_PORT_INFO_EXT = 1 << 1,
	PORT_CAP2_SPEEDS_EXT2 = 1 << 11,
};
MAD_QUAD(port_info, gid_prefix, 8)
MAD_WORD(port_info, lid, 16)
MAD_WORD(port_info, sm_lid, 18)
MAD_DOUBLE(port_info, cap_mask, 20)
MAD_BYTE(port_info, width_enabled, 29)
MAD_BYTE(port_info, width_supported, 30)
MAD_BYTE(port_info, width_active, 31)
MAD_ACCESSORS(port_info, speed_supported, uint8_t, 32, 0, 4)
MAD_ACCESSORS(port_info, state, uint8_t, 32, 4, 4)
MAD_ACCESSORS(port_info, physical_state, uint8_t, 33, 0, 4)
MAD_ACCESSORS(port_info, lmc, uint8_t, 34, 5, 3)
MAD_ACCESSORS(port_info, speed_active, uint8_t, 35, 0, 4)
MAD_ACCESSORS(port_info, speed_enabled, uint8_t, 35, 4, 4)
MAD_ACCESSORS(port_info, neighbor_mtu, uint8_t, 36, 0, 4)
MAD_BYTE(port_info, vl_arbitration_high_cap, 39)
MAD_BYTE(port_info, vl_arbitration_low_cap, 40)
MAD_ACCESSORS(port_info, mtu_cap, uint8_t, 41, 4, 4)
MAD_ACCESSORS(port_info, vls_operational, uint8_t, 43, 0, 4)
MAD_BYTE(port_info, guid_cap, 50)
MAD_ACCESSORS(port_info, speed_ext2_active, uint8_t, 56, 1, 2)
MAD_ACCESSORS(port_info, speed_ext2_supported, uint8_t, 56, 3, 2)
MAD_ACCESSORS(port_info, speed_ext2_enabled, uint8_t, 56, 5, 3)
MAD_WORD(port_info, cap_mask2, 60)
MAD_ACCESSORS(port_info, speed_ext_active, uint8_t, 62, 0, 4)
MAD_ACCESSORS(port_info, speed_ext_supported, uint8_t, 62, 4, 4)
MAD_ACCESSORS(port_info, speed_ext_enabled, uint8_t, 63, 3, 5)
/*
 * Whether fields of a PortInfo are valid. The active speed is valid only with a link: without one
 * there is no speed and no rate.
 */
bool port_info_has_link(const unsigned char *info);
bool port_info_has_speeds_ext(const unsigned char *info);
bool port_info_has_cap_mask2(const unsigned char *info);
bool port_info_has_speeds_ext2(const unsigned char *info);
/* The active speed, whether or not the link is up. */
enum lane_speed port_info_speed(const unsigned char *info);

/* ClassPortInfo, 13.4.8.1 */
#define CLASS_PORT_INFO_BYTES sizeof(struct umad_class_port_info)
MAD_BYTE(class_port_info, class_version, 1)
MAD_WORD(class_port_info, cap_mask, 2)
MAD_ACCESSORS(class_port_info, cap_mask2, uint32_t, 4, 0, 27)
MAD_BYTE(class_port_info, redirect_traffic_class, 24)
MAD_ACCESSORS(class_port_info, redirect_sl, uint8_t, 25, 0, 4)
MAD_ACCESSORS(class_port_info, redirect_flow_label, uint32_t, 25, 4, 20)
MAD_WORD(class_port_info, redirect_lid, 28)
MAD_WORD(class_port_info, redirect_pkey, 30)
MAD_ACCESSORS(class_port_info, redirect_qpn, uint32_t, 33, 0, 24)
MAD_DOUBLE(class_port_info, redirect_qkey, 36)

/* A status of the SA is in the high byte: 15.2.4. */
#define MAD_SA_STATUS(code) ((unsigned int)(code) << 8)

/* PathRecord, 15.2.5.16, and the bits of its components */
#define PATH_RECORD_BYTES   64
#define PATH_RECORD_DGID_AT 8
#define PATH_RECORD_SGID_AT 24
#define PATH_HAS_DGID	    (1u << 2)
#define PATH_HAS_SGID	    (1u << 3)
#define PATH_HAS_DLID	    (1u << 4)
#define PATH_HAS_SLID	    (1u << 5)
#define PATH_HAS_NUMB_PATH  (1u << 12)
MAD_WORD(path_record, dlid, 40)
MAD_WORD(path_record, slid, 42)
MAD_ACCESSORS(path_record, flow_label, uint32_t, 44, 4, 20)
MAD_BYTE(path_record, hop_limit, 47)
MAD_BYTE(path_record, traffic_class, 48)
MAD_BYTE(path_record, numb_path, 49)
MAD_ACCESSORS(path_record, sl, uint8_t, 53, 4, 4)

/* PortSamplesControl and PortSamplesResult, as in include/rdma/ib_pma.h */
MAD_BYTE(samples_control, tick, 2)
MAD_ACCESSORS(samples_control, status, uint8_t, 11, 6, 2)
MAD_DOUBLE(samples_control, start, 28)
MAD_DOUBLE(samples_control, interval, 32)
MAD_WORD(samples_control, tag, 36)
MAD_WORD(samples_result, tag, 0)
MAD_ACCESSORS(samples_result, status, uint8_t, 3, 6, 2)
