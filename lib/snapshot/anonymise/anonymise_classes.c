/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The class of each attribute that the program reads. Others are not kept: those that identify a
 * host, such as serial numbers of devlink, aliases and identities of netdevs, contexts of queue
 * pairs, and all statistics except those of the counters themselves.
 */
#include <linux/dcbnl.h>
#include <linux/devlink.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "base/mem.h"
#include "kernel/netlink/dcb.h"
#include "kernel/netlink/ethtool.h"
#include "kernel/netlink/nldev.h"
#include "snapshot/anonymise/anonymise_private.h"

#define TABLE(rows_)                                        \
	{                                                   \
		.rows = (rows_), .count = ARRAY_SIZE(rows_) \
	}
#define ROW(type_, class_)                               \
	{                                                \
		.type = (type_), .class = CLASS_##class_ \
	}
#define BLOCK(type_, most_)                                            \
	{                                                              \
		.type = (type_), .class = CLASS_BLOCK, .most = (most_) \
	}
#define NEST(type_, inside_)                                              \
	{                                                                 \
		.type = (type_), .class = CLASS_NEST, .inside = (inside_) \
	}

/* One numbering for all messages and nests: fill_*() of drivers/infiniband/core/nldev.c. */
static const struct attribute_class rdma_rows[] = {
	ROW(RDMA_NLDEV_ATTR_DEV_INDEX, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DEV_NAME, TEXT),
	ROW(RDMA_NLDEV_ATTR_PORT_INDEX, NUMBER),
	ROW(RDMA_NLDEV_ATTR_CAP_FLAGS, NUMBER),
	ROW(RDMA_NLDEV_ATTR_FW_VERSION, TEXT),
	ROW(RDMA_NLDEV_ATTR_NODE_GUID, GUID),
	ROW(RDMA_NLDEV_ATTR_SYS_IMAGE_GUID, GUID),
	ROW(RDMA_NLDEV_ATTR_SUBNET_PREFIX, PREFIX),
	ROW(RDMA_NLDEV_ATTR_LID, NUMBER),
	ROW(RDMA_NLDEV_ATTR_SM_LID, NUMBER),
	ROW(RDMA_NLDEV_ATTR_LMC, NUMBER),
	ROW(RDMA_NLDEV_ATTR_PORT_STATE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_PORT_PHYS_STATE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DEV_NODE_TYPE, NUMBER),
	NEST(RDMA_NLDEV_ATTR_RES_SUMMARY, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, TEXT),
	ROW(RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, NUMBER),
	NEST(RDMA_NLDEV_ATTR_RES_QP, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_QP_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_RES_LQPN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_RQPN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_RQ_PSN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_SQ_PSN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_TYPE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_STATE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_PID, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_KERN_NAME, TEXT),
	NEST(RDMA_NLDEV_ATTR_RES_CM_ID, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_RES_PS, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_SRC_ADDR, SOCKET),
	ROW(RDMA_NLDEV_ATTR_RES_DST_ADDR, SOCKET),
	NEST(RDMA_NLDEV_ATTR_RES_CQ, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_CQ_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_RES_CQE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_USECNT, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_POLL_CTX, NUMBER),
	NEST(RDMA_NLDEV_ATTR_RES_MR, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_MR_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_RES_IOVA, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_MRLEN, NUMBER),
	NEST(RDMA_NLDEV_ATTR_RES_PD, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_PD_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_NDEV_INDEX, NUMBER),
	ROW(RDMA_NLDEV_ATTR_NDEV_NAME, TEXT),
	NEST(RDMA_NLDEV_ATTR_DRIVER, NULL),
	NEST(RDMA_NLDEV_ATTR_DRIVER_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_DRIVER_STRING, TEXT),
	ROW(RDMA_NLDEV_ATTR_DRIVER_PRINT_TYPE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DRIVER_S32, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DRIVER_U32, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DRIVER_S64, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DRIVER_U64, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_PDN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_CQN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_MRN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_CM_IDN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_RES_CTXN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_LINK_TYPE, TEXT),
	ROW(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DEV_PROTOCOL, TEXT),
	ROW(RDMA_NLDEV_ATTR_CHARDEV_TYPE, TEXT),
	ROW(RDMA_NLDEV_ATTR_CHARDEV_NAME, TEXT),
	ROW(RDMA_NLDEV_ATTR_CHARDEV_ABI, NUMBER),
	ROW(RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID, NUMBER),
	ROW(RDMA_NLDEV_ATTR_STAT_MODE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_STAT_RES, NUMBER),
	ROW(RDMA_NLDEV_ATTR_STAT_AUTO_MODE_MASK, NUMBER),
	NEST(RDMA_NLDEV_ATTR_STAT_COUNTER, NULL),
	NEST(RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_STAT_COUNTER_ID, NUMBER),
	NEST(RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, NULL),
	NEST(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, TEXT),
	ROW(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_DEV_DIM, NUMBER),
	NEST(RDMA_NLDEV_ATTR_RES_CTX, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_CTX_ENTRY, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_SRQ, NULL),
	NEST(RDMA_NLDEV_ATTR_RES_SRQ_ENTRY, NULL),
	ROW(RDMA_NLDEV_ATTR_RES_SRQN, NUMBER),
	ROW(RDMA_NLDEV_ATTR_MIN_RANGE, NUMBER),
	ROW(RDMA_NLDEV_ATTR_MAX_RANGE, NUMBER),
	ROW(RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, NUMBER),
	ROW(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX, NUMBER),
	ROW(RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC, NUMBER),
	ROW(NLDEV_SYS_ATTR_PRIVILEGED_QKEY, NUMBER),
	ROW(NLDEV_ATTR_RES_SUBTYPE, TEXT),
	ROW(NLDEV_ATTR_DEV_TYPE, NUMBER),
	ROW(NLDEV_ATTR_PARENT_NAME, TEXT),
	ROW(NLDEV_ATTR_EVENT_TYPE, NUMBER),
	ROW(NLDEV_SYS_ATTR_MONITOR_MODE, NUMBER),
	ROW(NLDEV_ATTR_STAT_OPCOUNTER, NUMBER),
};
static const struct attribute_table rdma = TABLE(rdma_rows);

/* For VLANs and IPoIB; numbers of other kinds are treated alike if they are as short. */
static const struct attribute_class kind_rows[] = {
	ROW(IFLA_VLAN_ID, SMALL), /* and IFLA_IPOIB_PKEY */
	ROW(IFLA_IPOIB_MODE, SMALL),
	ROW(IFLA_IPOIB_UMCAST, SMALL),
};
static const struct attribute_table kind = TABLE(kind_rows);

static const struct attribute_class info_rows[] = {
	ROW(IFLA_INFO_KIND, TEXT),
	NEST(IFLA_INFO_DATA, &kind),
};
static const struct attribute_table info = TABLE(info_rows);

static const struct attribute_class vf_rows[] = {
	ROW(IFLA_VF_MAC, VF_MAC),
	BLOCK(IFLA_VF_VLAN, sizeof(struct ifla_vf_vlan)),
	BLOCK(IFLA_VF_RATE, sizeof(struct ifla_vf_rate)),
	BLOCK(IFLA_VF_LINK_STATE, sizeof(struct ifla_vf_link_state)),
	BLOCK(IFLA_VF_TRUST, sizeof(struct ifla_vf_trust)),
	ROW(IFLA_VF_IB_NODE_GUID, VF_GUID),
	ROW(IFLA_VF_IB_PORT_GUID, VF_GUID),
};
static const struct attribute_table vf = TABLE(vf_rows);
static const struct attribute_class vf_list_rows[] = {NEST(IFLA_VF_INFO, &vf)};
static const struct attribute_table vf_list = TABLE(vf_list_rows);

static const struct attribute_class link_rows[] = {
	ROW(IFLA_IFNAME, TEXT),
	ROW(IFLA_ADDRESS, HARDWARE),
	ROW(IFLA_MTU, NUMBER),
	ROW(IFLA_MAX_MTU, NUMBER),
	ROW(IFLA_LINK, NUMBER),
	ROW(IFLA_MASTER, NUMBER),
	ROW(IFLA_OPERSTATE, NUMBER),
	ROW(IFLA_CARRIER_CHANGES, NUMBER),
	ROW(IFLA_LINK_NETNSID, NUMBER),
	ROW(IFLA_EXT_MASK, NUMBER),
	ROW(IFLA_NUM_VF, NUMBER),
	NEST(IFLA_LINKINFO, &info),
	{.type = IFLA_VFINFO_LIST, .class = CLASS_VFS, .inside = &vf_list},
};
static const struct attribute_table link_table = TABLE(link_rows);

static const struct attribute_class address_rows[] = {
	ROW(IFA_ADDRESS, IP),
	ROW(IFA_LOCAL, IP),
};
static const struct attribute_table address = TABLE(address_rows);

static const struct attribute_class route_rows[] = {
	ROW(RTA_DST, NETWORK), ROW(RTA_SRC, IP),  ROW(RTA_GATEWAY, IP),
	ROW(RTA_PREFSRC, IP),  ROW(RTA_VIA, VIA), ROW(RTA_OIF, NUMBER),
};
static const struct attribute_table route = TABLE(route_rows);

static const struct attribute_class stats_rows[] = {
	ROW(IFLA_STATS_LINK_64, NUMBERS),
};
static const struct attribute_table stats = TABLE(stats_rows);

/* Entries of the APP table, and of the list of trusted selectors, which are one byte. */
static const struct attribute_class app_rows[] = {
	BLOCK(DCB_ATTR_IEEE_APP, sizeof(struct dcb_app)),
	BLOCK(DCB_ATTR_PCP_APP, sizeof(struct dcb_app)),
};
static const struct attribute_table app = TABLE(app_rows);

static const struct attribute_class ieee_rows[] = {
	BLOCK(DCB_ATTR_IEEE_ETS, sizeof(struct ieee_ets)),
	BLOCK(DCB_ATTR_IEEE_PFC, sizeof(struct ieee_pfc)),
	BLOCK(DCB_ATTR_IEEE_MAXRATE, sizeof(struct ieee_maxrate)),
	BLOCK(DCB_ATTR_DCB_BUFFER, sizeof(struct dcbnl_buffer)),
	NEST(DCB_ATTR_IEEE_APP_TABLE, &app),
	NEST(DCB_ATTR_TRUST_TABLE, &app),
};
static const struct attribute_table ieee = TABLE(ieee_rows);

static const struct attribute_class dcb_rows[] = {
	ROW(DCB_ATTR_IFNAME, TEXT),
	NEST(DCB_ATTR_IEEE, &ieee),
	ROW(DCB_ATTR_DCBX, NUMBER),
};
static const struct attribute_table dcb = TABLE(dcb_rows);

static const struct attribute_class control_rows[] = {
	ROW(CTRL_ATTR_FAMILY_ID, NUMBER),
	ROW(CTRL_ATTR_FAMILY_NAME, TEXT),
};
const struct attribute_table attributes_control = TABLE(control_rows);

/* One numbering for all messages. The only parameters that are read are on or off. */
static const struct attribute_class devlink_rows[] = {
	ROW(DEVLINK_ATTR_BUS_NAME, TEXT),
	ROW(DEVLINK_ATTR_DEV_NAME, TEXT),
	ROW(DEVLINK_ATTR_PORT_INDEX, NUMBER),
	ROW(DEVLINK_ATTR_RELOAD_FAILED, NUMBER),
	NEST(DEVLINK_ATTR_PARAM, NULL),
	ROW(DEVLINK_ATTR_PARAM_NAME, TEXT),
	ROW(DEVLINK_ATTR_PARAM_TYPE, NUMBER),
	NEST(DEVLINK_ATTR_PARAM_VALUES_LIST, NULL),
	NEST(DEVLINK_ATTR_PARAM_VALUE, NULL),
	ROW(DEVLINK_ATTR_PARAM_VALUE_DATA, FLAG),
	ROW(DEVLINK_ATTR_PARAM_VALUE_CMODE, NUMBER),
	NEST(DEVLINK_ATTR_INFO_VERSION_RUNNING, NULL),
	NEST(DEVLINK_ATTR_INFO_VERSION_STORED, NULL),
	ROW(DEVLINK_ATTR_INFO_VERSION_NAME, TEXT),
	ROW(DEVLINK_ATTR_INFO_VERSION_VALUE, TEXT),
	NEST(DEVLINK_ATTR_HEALTH_REPORTER, NULL),
	ROW(DEVLINK_ATTR_HEALTH_REPORTER_NAME, TEXT),
	ROW(DEVLINK_ATTR_HEALTH_REPORTER_STATE, NUMBER),
	ROW(DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, NUMBER),
	ROW(DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT, NUMBER),
};
const struct attribute_table attributes_devlink = TABLE(devlink_rows);

static const struct attribute_class netdev_rows[] = {
	ROW(ETHTOOL_A_HEADER_DEV_INDEX, NUMBER),
	ROW(ETHTOOL_A_HEADER_DEV_NAME, TEXT),
	ROW(ETHTOOL_A_HEADER_FLAGS, NUMBER),
};
static const struct attribute_table netdev = TABLE(netdev_rows);

static const struct attribute_class pause_rows[] = {
	NEST(ETHTOOL_A_PAUSE_HEADER, &netdev),
	ROW(ETHTOOL_A_PAUSE_AUTONEG, NUMBER),
	ROW(ETHTOOL_A_PAUSE_RX, NUMBER),
	ROW(ETHTOOL_A_PAUSE_TX, NUMBER),
};
static const struct attribute_table pause_table = TABLE(pause_rows);

static const struct attribute_class bin_rows[] = {
	ROW(ETHTOOL_FEC_BIN_LOW, NUMBER),
	ROW(ETHTOOL_FEC_BIN_HIGH, NUMBER),
	ROW(ETHTOOL_FEC_BIN_VALUE, NUMBER),
};
static const struct attribute_table bin = TABLE(bin_rows);

static const struct attribute_class fec_stat_rows[] = {
	ROW(ETHTOOL_A_FEC_STAT_CORRECTED, NUMBERS),
	ROW(ETHTOOL_A_FEC_STAT_UNCORR, NUMBERS),
	ROW(ETHTOOL_A_FEC_STAT_CORR_BITS, NUMBERS),
	NEST(ETHTOOL_FEC_STAT_HISTOGRAM, &bin),
};
static const struct attribute_table fec_stat = TABLE(fec_stat_rows);

/* The names of link modes are omitted: their numbers say the same. */
static const struct attribute_class mode_rows[] = {
	ROW(ETHTOOL_A_BITSET_BIT_INDEX, NUMBER),
};
static const struct attribute_table mode = TABLE(mode_rows);
static const struct attribute_class mode_list_rows[] = {
	NEST(ETHTOOL_A_BITSET_BITS_BIT, &mode),
};
static const struct attribute_table mode_list = TABLE(mode_list_rows);
static const struct attribute_class mode_set_rows[] = {
	NEST(ETHTOOL_A_BITSET_BITS, &mode_list),
};
static const struct attribute_table mode_set = TABLE(mode_set_rows);

static const struct attribute_class fec_rows[] = {
	NEST(ETHTOOL_A_FEC_HEADER, &netdev),  NEST(ETHTOOL_A_FEC_MODES, &mode_set),
	ROW(ETHTOOL_A_FEC_AUTO, NUMBER),      ROW(ETHTOOL_A_FEC_ACTIVE, NUMBER),
	NEST(ETHTOOL_A_FEC_STATS, &fec_stat),
};
static const struct attribute_table fec = TABLE(fec_rows);

static const struct attribute_class link_state_rows[] = {
	NEST(ETHTOOL_A_LINKSTATE_HEADER, &netdev),  ROW(ETHTOOL_A_LINKSTATE_LINK, NUMBER),
	ROW(ETHTOOL_A_LINKSTATE_SQI, NUMBER),	    ROW(ETHTOOL_A_LINKSTATE_SQI_MAX, NUMBER),
	ROW(ETHTOOL_A_LINKSTATE_EXT_STATE, NUMBER), ROW(ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, NUMBER),
	ROW(ETHTOOL_LINK_STATE_DOWN_COUNT, NUMBER),
};
static const struct attribute_table link_state = TABLE(link_state_rows);

static const struct attribute_class module_rows[] = {
	NEST(ETHTOOL_A_MODULE_HEADER, &netdev),
	ROW(ETHTOOL_A_MODULE_POWER_MODE_POLICY, NUMBER),
	ROW(ETHTOOL_A_MODULE_POWER_MODE, NUMBER),
};
static const struct attribute_table module = TABLE(module_rows);

static const struct attribute_class module_bytes_rows[] = {
	NEST(ETHTOOL_A_MODULE_EEPROM_HEADER, &netdev),
	ROW(ETHTOOL_A_MODULE_EEPROM_OFFSET, NUMBER),
	ROW(ETHTOOL_A_MODULE_EEPROM_LENGTH, NUMBER),
	ROW(ETHTOOL_A_MODULE_EEPROM_PAGE, NUMBER),
	ROW(ETHTOOL_A_MODULE_EEPROM_BANK, NUMBER),
	ROW(ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, NUMBER),
	ROW(ETHTOOL_A_MODULE_EEPROM_DATA, MODULE),
};
static const struct attribute_table module_bytes = TABLE(module_bytes_rows);

static const struct attribute_class error_rows[] = {ROW(NLMSGERR_ATTR_MSG, TEXT)};
const struct attribute_table attributes_error = TABLE(error_rows);

const struct attribute_table *attributes_of_rdma(uint16_t type)
{
	return RDMA_NL_GET_CLIENT(type) == RDMA_NL_NLDEV ? &rdma : NULL;
}

/* Messages come in groups of four, new, delete, get and set: linux/rtnetlink.h. */
const struct attribute_table *attributes_of_route(uint16_t type, size_t *ret_header)
{
	static const struct {
		uint16_t type, header;
		const struct attribute_table *table;
	} groups[] = {
		{RTM_GETLINK, sizeof(struct ifinfomsg), &link_table},
		{RTM_GETADDR, sizeof(struct ifaddrmsg), &address},
		{RTM_GETROUTE, sizeof(struct rtmsg), &route},
		{RTM_GETSTATS, sizeof(struct if_stats_msg), &stats},
		{RTM_GETDCB, sizeof(struct dcbmsg), &dcb},
	};

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (type >= RTM_BASE && RTM_FAM(groups[i].type) == RTM_FAM(type)) {
			*ret_header = groups[i].header;
			return groups[i].table;
		}
	return NULL;
}

const struct attribute_table *attributes_of_ethtool(uint8_t command)
{
	switch (command) {
	case ETHTOOL_MSG_PAUSE_GET:
		return &pause_table;
	case ETHTOOL_MSG_FEC_GET:
		return &fec;
	case ETHTOOL_MSG_LINKSTATE_GET:
		return &link_state;
	case ETHTOOL_MSG_MODULE_GET:
		return &module;
	case ETHTOOL_MSG_MODULE_EEPROM_GET:
		return &module_bytes;
	default:
		return NULL;
	}
}
