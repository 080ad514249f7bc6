/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "mad/format/header.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mad/format/rows.h"

/* 14.2.1.2: two tables of ports, whose first byte is unused. */
enum {
	AT_INITIAL_PATH = offsetof(struct umad_smp, initial_path),
	AT_RETURN_PATH = offsetof(struct umad_smp, return_path),
};

static const struct enum_name rmpp_type_names[] = {
	{0, "none"},
	{MAD_RMPP_DATA, "data"},
	{MAD_RMPP_ACK, "ack"},
	{MAD_RMPP_STOP, "stop"},
	{MAD_RMPP_ABORT, "abort"},
	{0, NULL},
};

static const struct enum_name rmpp_flag_names[] = {
	{1, "active"},
	{2, "first"},
	{4, "last"},
	{0, NULL},
};

/* 13.6.2.2, and include/rdma/ib_mad.h */
static const struct enum_name rmpp_status_names[] = {
	{0, "normal"},
	{1, "resources-exhausted"},
	{118, "total-time-too-long"},
	{119, "inconsistent-last-and-payload-length"},
	{120, "inconsistent-first-and-segment-number"},
	{121, "bad-type"},
	{122, "new-window-last-too-small"},
	{123, "segment-number-too-big"},
	{124, "illegal-status"},
	{125, "unsupported-version"},
	{126, "too-many-retries"},
	{127, "unspecified"},
	{0, NULL},
};

static const struct enum_name direction_names[] = {{0, "outbound"}, {1, "returning"}, {0, NULL}};

uint16_t mad_status(const unsigned char *mad)
{
	uint16_t status = mad_raw_status(mad);

	return mad_class(mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE
		       ? status & (uint16_t)~UMAD_SMP_DIRECTION
		       : status;
}

void mad_path_text(const unsigned char *path, unsigned int hops, char text[static MAD_PATH_BYTES])
{
	size_t used = 0;

	if (hops > MAD_HOPS_MOST)
		hops = MAD_HOPS_MOST;
	for (unsigned int i = 0; i <= hops; i++)
		used += (size_t)snprintf(text + used, MAD_PATH_BYTES - used, "%s%u", i ? "," : "",
					 path[i]);
}

static void get_path(const unsigned char *data, unsigned int at, struct value *value)
{
	_Static_assert(sizeof(value->scratch) >= MAD_PATH_BYTES, "no room for a path");
	mad_path_text(data + at, mad_hop_count(data), value->scratch);
	value_set_string(value, value->scratch);
}

static void get_initial_path(const void *record, struct value *value)
{
	get_path(mad_data(record), AT_INITIAL_PATH, value);
}

static void get_return_path(const void *record, struct value *value)
{
	get_path(mad_data(record), AT_RETURN_PATH, value);
}

static bool is_rmpp_data(const void *record)
{
	return mad_rmpp_type(mad_data(record)) == MAD_RMPP_DATA;
}

static bool is_rmpp_ack(const void *record)
{
	return mad_rmpp_type(mad_data(record)) == MAD_RMPP_ACK;
}

static bool is_rmpp_segment(const void *record)
{
	return is_rmpp_data(record) || is_rmpp_ack(record);
}

/*
 * The fields that struct mad_decoded does not have: 13.4.3. In most classes, bytes 6 and 7 are for
 * the class.
 */
#define BASE_VERSION  PLAIN_NUM(0, 0, 8, "base_version")
#define HEADER_FIELDS BASE_VERSION, PLAIN_HEX(6, 0, 16, "class_specific")

/*
 * 13.6.2.1. Version 0: RMPP is not used; response time 31: none is given. Segments count from 1;
 * that of an ACK is the last one received. The payload is the total length in the first segment,
 * and the segment's own in the last.
 */
#define RMPP_FIELDS                                                                              \
	PLAIN_NUM(24, 0, 8, "rmpp_version"), PLAIN_WORD(25, 0, 8, rmpp_type_names, "rmpp_type"), \
		PLAIN_NUM(26, 0, 5, "rmpp_response_time"),                                       \
		PLAIN_FLAGS(26, 5, 3, rmpp_flag_names, "rmpp_flags"),                            \
		PLAIN_WORD(27, 0, 8, rmpp_status_names, "rmpp_status"),                          \
		PLAIN_NUM(28, 0, 32, "rmpp_segment", .present = is_rmpp_segment),                \
		PLAIN_NUM(32, 0, 32, "rmpp_payload_bytes", .present = is_rmpp_data),             \
		PLAIN_NUM(32, 0, 32, "rmpp_window_last", .present = is_rmpp_ack)

static const struct field header_fields[] = {HEADER_FIELDS};

/* 14.2.1.1 */
static const struct field smp_fields[] = {HEADER_FIELDS, PLAIN_HEX(24, 0, 64, "mkey")};

/* 14.2.1.2. LIDs where the direct route starts and ends; 0xffff: at the sender, at its end. */
static const struct field direct_fields[] = {
	BASE_VERSION,
	PLAIN_WORD(4, 0, 1, direction_names, "direction"),
	PLAIN_NUM(6, 0, 8, "hop_pointer"),
	PLAIN_NUM(7, 0, 8, "hop_count"),
	PLAIN_HEX(24, 0, 64, "mkey"),
	PLAIN_NUM(32, 0, 16, "dr_source_lid"),
	PLAIN_NUM(34, 0, 16, "dr_destination_lid"),
	PLAIN_COMPUTED(FIELD_STRING, get_initial_path, "initial_path"),
	PLAIN_COMPUTED(FIELD_STRING, get_return_path, "return_path"),
};

static const struct field rmpp_fields[] = {HEADER_FIELDS, RMPP_FIELDS};

/* 15.2.1.1; the offset between records is in units of eight bytes. */
static const struct field sa_fields[] = {
	HEADER_FIELDS,
	RMPP_FIELDS,
	PLAIN_HEX(36, 0, 64, "sm_key"),
	PLAIN_NUM(44, 0, 16, "attribute_offset_bytes", .factor = 8),
	PLAIN_HEX(48, 0, 64, "component_mask"),
};

/* 16.5.1, class 0x30 to 0x4f */
static const struct field vendor_fields[] = {
	HEADER_FIELDS,
	RMPP_FIELDS,
	PLAIN_HEX(37, 0, 24, "oui"),
};

/* 16.2.1 */
static const struct field bm_fields[] = {HEADER_FIELDS, PLAIN_HEX(24, 0, 64, "bkey")};

/* Annex A10 */
static const struct field cc_fields[] = {HEADER_FIELDS, PLAIN_HEX(24, 0, 64, "cc_key")};

static const struct schema header_schema = PLAIN_SCHEMA("mad_header", header_fields);
static const struct schema smp_schema = PLAIN_SCHEMA("mad_smp_header", smp_fields);
static const struct schema direct_schema = PLAIN_SCHEMA("mad_direct_header", direct_fields);
static const struct schema rmpp_schema = PLAIN_SCHEMA("mad_rmpp_header", rmpp_fields);
static const struct schema sa_schema = PLAIN_SCHEMA("mad_sa_header", sa_fields);
static const struct schema vendor_schema = PLAIN_SCHEMA("mad_vendor_header", vendor_fields);
static const struct schema bm_schema = PLAIN_SCHEMA("mad_bm_header", bm_fields);
static const struct schema cc_schema = PLAIN_SCHEMA("mad_cc_header", cc_fields);

/* Attributes without a field table; every class but SM has Notice and InformInfo, 13.4.8. */
static const struct enum_name common_attributes[] = {
	{UMAD_ATTR_NOTICE, "Notice"},
	{UMAD_ATTR_INFORM_INFO, "InformInfo"},
	{0, NULL},
};

/* Besides the specification's own CableInfo, 0x0032, which has a field table. */
static const struct enum_name sm_attribute_names[] = {{MAD_SM_CABLE_INFO, "CableInfo"}, {0, NULL}};

static const struct enum_name sa_attribute_names[] = {
	{UMAD_SA_ATTR_RANDOM_FT_REC, "RandomForwardingTableRecord"},
	{UMAD_SA_ATTR_LINK_SPD_WIDTH_TABLE_REC, "LinkSpeedWidthPairsTableRecord"},
	{UMAD_SA_ATTR_SERVICE_ASSOC_REC, "ServiceAssociationRecord"},
	{UMAD_SA_ATTR_HIERARCHY_INFO_REC, "HierarchyInfoRecord"},
	{UMAD_SA_ATTR_CABLE_INFO_REC, "CableInfoRecord"},
	{UMAD_SA_ATTR_PORT_INFO_EXT_REC, "PortInfoExtendedRecord"},
	{0, NULL},
};

/* 16.2.3 */
static const struct enum_name bm_attributes[] = {
	{0x10, "BKeyInfo"},
	{0x20, "WriteVPD"},
	{0x21, "ReadVPD"},
	{0x22, "ResetIBML"},
	{0x23, "SetModulePMControl"},
	{0x24, "GetModulePMControl"},
	{0x25, "SetUnitPMControl"},
	{0x26, "GetUnitPMControl"},
	{0x27, "SetIOCPMControl"},
	{0x28, "GetIOCPMControl"},
	{0x29, "SetModuleState"},
	{0x2a, "SetModuleAttention"},
	{0x2b, "GetModuleStatus"},
	{0x2c, "IB2IBML"},
	{0x2d, "IB2CME"},
	{0x2e, "IB2MME"},
	{0x2f, "OEM"},
	{0, NULL},
};

/* 16.3.3 */
static const struct enum_name dm_attributes[] = {
	{0x10, "IOUnitInfo"},
	{0x11, "IOControllerProfile"},
	{0x12, "ServiceEntries"},
	{0x20, "DiagnosticTimeout"},
	{0x21, "PrepareToTest"},
	{0x22, "TestDeviceOnce"},
	{0x23, "TestDeviceLoop"},
	{0x24, "DiagCode"},
	{0, NULL},
};

static const struct enum_name cm_attribute_names[] = {
	{UMAD_CM_ATTR_SAP, "SuggestAlternatePath"},
	{UMAD_CM_ATTR_SPR, "SuggestPathResponse"},
	{0, NULL},
};

/* The names are those of ibsysstat(8). */
static const struct enum_name sysstat_attributes[] = {
	{0x10, "Ping"},
	{0x11, "HostInfo"},
	{0x12, "CPUInfo"},
	{0, NULL},
};

static const struct enum_name mellanox_attribute_names[] = {
	{MAD_MELLANOX_ACCESS_REGISTER, "AccessRegisterGMP"},
	{0, NULL},
};

/* The header layout of each class: 13.4.4 and the chapters of the classes. */
struct class_layout {
	unsigned int mgmt_class;
	size_t data_offset;
	const struct schema *schema;
	const struct mad_attribute *attributes;
	const struct enum_name *names; /* of attributes without a field table; or NULL */
	unsigned int last;	       /* of several classes; 0: there is only one */
};

static const struct class_layout layouts[] = {
	{UMAD_CLASS_SUBN_LID_ROUTED, MAD_SMP_DATA_AT, &smp_schema, sm_attributes,
	 sm_attribute_names},
	{UMAD_CLASS_SUBN_DIRECTED_ROUTE, MAD_SMP_DATA_AT, &direct_schema, sm_attributes,
	 sm_attribute_names},
	{UMAD_CLASS_SUBN_ADM, MAD_SA_DATA_AT, &sa_schema, sa_attributes, sa_attribute_names},
	{UMAD_CLASS_PERF_MGMT, 64, &header_schema, pm_attributes},
	{UMAD_CLASS_BM, 64, &bm_schema, class_attributes, bm_attributes},
	{UMAD_CLASS_DEVICE_MGMT, 64, &rmpp_schema, class_attributes, dm_attributes},
	{UMAD_CLASS_CM, MAD_HEADER_BYTES, &header_schema, cm_attributes, cm_attribute_names},
	{UMAD_CLASS_SNMP, 64, &header_schema, class_attributes},
	{MAD_CLASS_MELLANOX, MAD_HEADER_BYTES, &header_schema, mellanox_attributes,
	 mellanox_attribute_names},
	{UMAD_CLASS_DEVICE_ADM, 64, &rmpp_schema, class_attributes},
	{UMAD_CLASS_BIS, 64, &rmpp_schema, class_attributes},
	{UMAD_CLASS_CONG_MGMT, 64, &cc_schema, cc_attributes},
	{MAD_CLASS_OPENIB_SYSSTAT, MAD_VENDOR_DATA_AT, &vendor_schema, class_attributes,
	 sysstat_attributes},
	{UMAD_CLASS_VENDOR_RANGE2_START, MAD_VENDOR_DATA_AT, &vendor_schema, class_attributes,
	 .last = UMAD_CLASS_VENDOR_RANGE2_END},
};

/* All other classes. */
static const struct class_layout plain_layout = {0, MAD_HEADER_BYTES, &header_schema,
						 class_attributes};

static const struct class_layout *layout_of(unsigned int mgmt_class)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (mgmt_class == layouts[i].mgmt_class ||
		    (mgmt_class > layouts[i].mgmt_class && mgmt_class <= layouts[i].last))
			return &layouts[i];
	return &plain_layout;
}

const struct mad_attribute *mad_attributes_of(unsigned int mgmt_class)
{
	return layout_of(mgmt_class)->attributes;
}

const char *mad_attribute_name(unsigned int mgmt_class, unsigned int id)
{
	const struct mad_attribute *attribute = mad_attribute_find(mgmt_class, id);
	const struct enum_name *names = layout_of(mgmt_class)->names;
	const char *name;

	if (attribute)
		return attribute->name;
	name = names ? enum_word(names, id, NULL) : NULL;
	if (!name && !mad_class_is_smp(mgmt_class))
		name = enum_word(common_attributes, id, NULL);
	return name;
}

size_t mad_data_offset(unsigned int mgmt_class)
{
	return layout_of(mgmt_class)->data_offset;
}

struct mad_table mad_table_of(const unsigned char *mad, size_t bytes, size_t least)
{
	const size_t left = bytes > MAD_SA_DATA_AT ? bytes - MAD_SA_DATA_AT : 0;
	struct mad_table table = {
		.records = mad + MAD_SA_DATA_AT,
		.size = 8 * (size_t)mad_record_offset(mad),
	};

	if (table.size < least)
		return table;
	table.count = left / table.size;
	table.cut = left % table.size || (bytes == MAD_BYTES && !mad_rmpp_type(mad));
	return table;
}

size_t mad_attribute_offset(unsigned int mgmt_class, unsigned int attribute)
{
	return mgmt_class == UMAD_CLASS_CONG_MGMT && attribute == MAD_CC_LOG
		       ? MAD_CC_LOG_DATA_AT
		       : mad_data_offset(mgmt_class);
}

const struct schema *mad_header_schema(unsigned int mgmt_class)
{
	return layout_of(mgmt_class)->schema;
}

bool mad_class_is_smp(unsigned int mgmt_class)
{
	return mgmt_class == UMAD_CLASS_SUBN_LID_ROUTED ||
	       mgmt_class == UMAD_CLASS_SUBN_DIRECTED_ROUTE;
}

bool mad_class_has_rmpp(unsigned int mgmt_class)
{
	const struct schema *schema = mad_header_schema(mgmt_class);

	return schema == &rmpp_schema || schema == &sa_schema || schema == &vendor_schema;
}
