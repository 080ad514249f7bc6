/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Resolving a service to a queue pair (SIDR, 12.11.1) and loading an alternate path (LAP, APR,
 * 12.8); and the table of all messages.
 */
#include "base/mem.h"
#include "mad/format/cm_table.h"
#include "mad/format/mad_names.h"

static void get_sidr_req_data(const void *record, struct value *value)
{
	cm_get_private(record, 16, 216, value);
}

static const struct field sidr_req_fields[] = {
	MAD_OBJECT_FIELDS(0),
	MAD_HEX(MAD_AT(0, 0), 32, "request_id", "REQUEST", FIELD_DEFAULT,
		"the sender's number of the request"),
	MAD_HEX(MAD_AT(4, 0), 16, "pkey", "PKEY", FIELD_DEFAULT, "partition of the service"),
	MAD_HEX(MAD_AT(8, 0), 64, "service_id", "SERVICE", FIELD_DEFAULT, "what is looked for"),
	CM_PRIVATE_DATA(get_sidr_req_data),
};

static void get_sidr_rep_info(const void *record, struct value *value)
{
	const unsigned char *data = ((const struct mad_record *)record)->data;

	cm_get_info(record, 24, data[5], value);
}

static void get_sidr_rep_data(const void *record, struct value *value)
{
	cm_get_private(record, 96, 136, value);
}

static const struct field sidr_rep_fields[] = {
	MAD_OBJECT_FIELDS(0),
	MAD_HEX(MAD_AT(0, 0), 32, "request_id", "REQUEST", FIELD_DEFAULT,
		"the sender's number of the request"),
	MAD_ENUM(MAD_AT(4, 0), 8, cm_sidr_status_names, "status", "STATUS", FIELD_DEFAULT,
		 "how the request went"),
	CM_NUMBER(5, 0, 8, "additional_info_length_bytes", "INFO LENGTH", 0,
		  "length of the additional information"),
	MAD_HEX(MAD_AT(6, 0), 16, "vendor_id_high", "VENDOR HIGH", 0,
		"vendor of the adapter, first two bytes"),
	CM_NUMBER(8, 0, 24, "qpn", "QP", FIELD_DEFAULT, "queue pair of the service"),
	MAD_HEX(MAD_AT(11, 0), 8, "vendor_id_low", "VENDOR LOW", 0,
		"vendor of the adapter, third byte"),
	MAD_HEX(MAD_AT(12, 0), 64, "service_id", "SERVICE", FIELD_DEFAULT, "what was looked for"),
	MAD_HEX(MAD_AT(20, 0), 32, "qkey", "QKEY", FIELD_DEFAULT, "queue key of the queue pair"),
	CM_HEX_FIELD(get_sidr_rep_info, "additional_info", "INFO",
		     "where to ask instead, a ClassPortInfo as hex"),
	CM_PRIVATE_DATA(get_sidr_rep_data),
};

static void get_lap_data(const void *record, struct value *value)
{
	cm_get_private(record, 64, 168, value);
}

static const struct field lap_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	CM_NUMBER(12, 0, 24, "remote_qpn", "REMOTE QP", FIELD_DEFAULT,
		  "the receiver's queue pair or end-to-end context"),
	CM_TIMEOUT(15, 0, "remote_response_timeout_usec", "REMOTE us",
		   "how long the receiver may take to answer"),
	CM_NUMBER(20, 0, 16, "alternate_local_lid", "LLID", FIELD_DEFAULT,
		  "LID of the sender's port"),
	CM_NUMBER(22, 0, 16, "alternate_remote_lid", "RLID", FIELD_DEFAULT,
		  "LID of the receiver's port"),
	MAD_GID(MAD_AT(24, 0), "alternate_local_gid", "LGID", FIELD_DEFAULT,
		"GID of the sender's port"),
	MAD_GID(MAD_AT(40, 0), "alternate_remote_gid", "RGID", FIELD_DEFAULT,
		"GID of the receiver's port"),
	MAD_HEX(MAD_AT(56, 0), 20, "alternate_flow_label", "FLOW", 0, "flow label of the path"),
	CM_NUMBER(59, 0, 8, "alternate_traffic_class", "TCLASS", 0, "traffic class of the path"),
	CM_NUMBER(60, 0, 8, "alternate_hop_limit", "HOPS", 0, "hop limit of the path"),
	CM_RATE(61, "alternate_rate_gbps", "RATE", "rate of the path"),
	CM_NUMBER(62, 0, 4, "alternate_sl", "SL", 0, "service level of the path"),
	MAD_BOOL(MAD_AT(62, 4), 1, "alternate_subnet_local", "LOCAL", 0,
		 "whether the path stays in the subnet"),
	CM_TIMEOUT(63, 0, "alternate_local_ack_timeout_usec", "ACK us",
		   "how long to wait for an acknowledgement"),
	CM_PRIVATE_DATA(get_lap_data),
};

static void get_apr_info(const void *record, struct value *value)
{
	const unsigned char *data = ((const struct mad_record *)record)->data;

	cm_get_info(record, 12, data[8], value);
}

static void get_apr_data(const void *record, struct value *value)
{
	cm_get_private(record, 84, 148, value);
}

static const struct field apr_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	CM_NUMBER(8, 0, 8, "additional_info_length_bytes", "INFO LENGTH", 0,
		  "length of the additional information"),
	MAD_ENUM(MAD_AT(9, 0), 8, cm_apr_status_names, "status", "STATUS", FIELD_DEFAULT,
		 "how loading the path went"),
	CM_HEX_FIELD(get_apr_info, "additional_info", "INFO",
		     "the value that would do, after the status, as hex"),
	CM_PRIVATE_DATA(get_apr_data),
};

#define SUMMARY "a message of communication management: "

const struct schema cm_sidr_req_schema = MAD_SCHEMA("cm_sidr_req", sidr_req_fields,
						    SUMMARY "which queue pair has a service");
const struct schema cm_sidr_rep_schema = MAD_SCHEMA("cm_sidr_rep", sidr_rep_fields,
						    SUMMARY "the queue pair of a service");
const struct schema cm_lap_schema = MAD_SCHEMA("cm_lap", lap_fields,
					       SUMMARY "load an alternate path");
const struct schema cm_apr_schema = MAD_SCHEMA("cm_apr", apr_fields,
					       SUMMARY "how loading an alternate path went");

#define MESSAGE(id_, word_, name_, schema_)                                           \
	{                                                                             \
		.mgmt_class = UMAD_CLASS_CM, .id = id_, .word = word_, .name = name_, \
		.schema = &schema_, .bytes = CM_BYTES                                 \
	}

/* 12.6.3: the messages are told apart by the attribute, and sent, never asked for. */
const struct mad_attribute cm_attributes[] = {
	MESSAGE(UMAD_CM_ATTR_REQ, "req", "ConnectRequest", cm_req_schema),
	MESSAGE(UMAD_CM_ATTR_MRA, "mra", "MsgRcptAck", cm_mra_schema),
	MESSAGE(UMAD_CM_ATTR_REJ, "rej", "ConnectReject", cm_rej_schema),
	MESSAGE(UMAD_CM_ATTR_REP, "rep", "ConnectReply", cm_rep_schema),
	MESSAGE(UMAD_CM_ATTR_RTU, "rtu", "ReadyToUse", cm_rtu_schema),
	MESSAGE(UMAD_CM_ATTR_DREQ, "dreq", "DisconnectRequest", cm_dreq_schema),
	MESSAGE(UMAD_CM_ATTR_DREP, "drep", "DisconnectReply", cm_drep_schema),
	MESSAGE(UMAD_CM_ATTR_SIDR_REQ, "sidr_req", "ServiceIDResReq", cm_sidr_req_schema),
	MESSAGE(UMAD_CM_ATTR_SIDR_REP, "sidr_rep", "ServiceIDResReqResp", cm_sidr_rep_schema),
	MESSAGE(UMAD_CM_ATTR_LAP, "lap", "LoadAlternatePath", cm_lap_schema),
	MESSAGE(UMAD_CM_ATTR_APR, "apr", "AlternatePathResponse", cm_apr_schema),
	{.schema = NULL},
};
