/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Making and ending a connection: IBA 1, 12.6.4 to 12.6.12. */
#include <string.h>

#include "base/mem.h"
#include "mad/format/cm_table.h"
#include "mad/format/mad_names.h"

static const unsigned char *data_of(const void *record)
{
	return ((const struct mad_record *)record)->data;
}

static void get_hex(const unsigned char *bytes, size_t size, struct value *value)
{
	static const char digits[] = "0123456789abcdef", cut[] = "...";
	const size_t room = (sizeof(value->scratch) - sizeof(cut)) / 2;
	const size_t shown = size < room ? size : room;
	char *out = value->scratch;

	for (size_t i = 0; i < shown; i++) {
		*out++ = digits[bytes[i] >> 4];
		*out++ = digits[bytes[i] & 15];
	}
	if (shown < size)
		memcpy(out, cut, sizeof(cut));
	else
		*out = '\0';
	value_set_string(value, value->scratch);
}

void cm_get_private(const void *record, size_t at, size_t size, struct value *value)
{
	const unsigned char *bytes = data_of(record) + at;

	while (size && !bytes[size - 1])
		size--;
	get_hex(bytes, size, value);
}

void cm_get_info(const void *record, size_t at, size_t length, struct value *value)
{
	get_hex(data_of(record) + at, length < CM_INFO_BYTES ? length : CM_INFO_BYTES, value);
}

/* A path of REQ, 12.6.5: the alternate one has the same layout 44 bytes on. */
#define PATH_FIELDS(base_, key_, heading_, flags_)                                               \
	CM_NUMBER((base_), 0, 16, key_ "_local_lid", heading_ " LLID", flags_,                   \
		  "LID of the sender's port"),                                                   \
		CM_NUMBER((base_) + 2, 0, 16, key_ "_remote_lid", heading_ " RLID", flags_,      \
			  "LID of the receiver's port"),                                         \
		MAD_GID(MAD_AT((base_) + 4, 0), key_ "_local_gid", heading_ " LGID", flags_,     \
			"GID of the sender's port"),                                             \
		MAD_GID(MAD_AT((base_) + 20, 0), key_ "_remote_gid", heading_ " RGID", flags_,   \
			"GID of the receiver's port"),                                           \
		MAD_HEX(MAD_AT((base_) + 36, 0), 20, key_ "_flow_label", heading_ " FLOW", 0,    \
			"flow label of the path"),                                               \
		CM_RATE((base_) + 39, key_ "_rate_gbps", heading_ " RATE", "rate of the path"),  \
		CM_NUMBER((base_) + 40, 0, 8, key_ "_traffic_class", heading_ " TCLASS", 0,      \
			  "traffic class of the path"),                                          \
		CM_NUMBER((base_) + 41, 0, 8, key_ "_hop_limit", heading_ " HOPS", 0,            \
			  "hop limit of the path"),                                              \
		CM_NUMBER((base_) + 42, 0, 4, key_ "_sl", heading_ " SL", 0,                     \
			  "service level of the path"),                                          \
		MAD_BOOL(MAD_AT((base_) + 42, 4), 1, key_ "_subnet_local", heading_ " LOCAL", 0, \
			 "whether the path stays in the subnet"),                                \
		CM_TIMEOUT((base_) + 43, 0, key_ "_local_ack_timeout_usec", heading_ " ACK us",  \
			   "how long to wait for an acknowledgement")

static void get_req_data(const void *record, struct value *value)
{
	cm_get_private(record, 140, 92, value);
}

static const struct field req_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	MAD_HEX(MAD_AT(5, 0), 24, "vendor_id", "VENDOR", 0, "vendor of the adapter"),
	MAD_HEX(MAD_AT(8, 0), 64, "service_id", "SERVICE", FIELD_DEFAULT, "what to connect to"),
	MAD_GUID(MAD_AT(16, 0), "local_ca_guid", "CA GUID", FIELD_DEFAULT,
		 "node GUID of the sender"),
	MAD_HEX(MAD_AT(28, 0), 32, "local_qkey", "QKEY", 0, "the sender's queue key"),
	CM_NUMBER(32, 0, 24, "local_qpn", "QP", FIELD_DEFAULT, "the sender's queue pair"),
	CM_NUMBER(35, 0, 8, "responder_resources", "RESPONDER", 0,
		  "reads and atomics that the sender can answer at a time"),
	CM_NUMBER(36, 0, 24, "local_eecn", "EEC", 0, "the sender's end-to-end context"),
	CM_NUMBER(39, 0, 8, "initiator_depth", "INITIATOR", 0,
		  "reads and atomics that the sender will have outstanding"),
	CM_NUMBER(40, 0, 24, "remote_eecn", "REMOTE EEC", 0, "the receiver's end-to-end context"),
	CM_TIMEOUT(43, 0, "remote_response_timeout_usec", "REMOTE us",
		   "how long the receiver may take to answer"),
	MAD_ENUM(MAD_AT(43, 5), 2, cm_transport_names, "transport", "TRANSPORT", FIELD_DEFAULT,
		 "transport service of the connection"),
	MAD_BOOL(MAD_AT(43, 7), 1, "flow_control", "FLOW CONTROL", 0,
		 "whether the sender has end-to-end flow control"),
	CM_NUMBER(44, 0, 24, "starting_psn", "PSN", 0, "packet number that the sender begins with"),
	CM_TIMEOUT(47, 0, "local_response_timeout_usec", "LOCAL us",
		   "how long the sender may take to answer"),
	CM_NUMBER(47, 5, 3, "retry_count", "RETRIES", 0, "retries of a packet"),
	MAD_HEX(MAD_AT(48, 0), 16, "pkey", "PKEY", FIELD_DEFAULT, "partition of the connection"),
	MAD_CODED(FIELD_UNSIGNED, MAD_AT(50, 0), 4, mtu_numbers, "mtu_bytes", "MTU", FIELD_DEFAULT,
		  "MTU of the path"),
	MAD_BOOL(MAD_AT(50, 4), 1, "rdc_exists", "RDC", 0,
		 "whether there is a reliable datagram channel"),
	MAD_ENUM(MAD_AT(50, 5), 3, cm_rnr_retry_names, "rnr_retry_count", "RNR RETRIES", 0,
		 "retries while the receiver is not ready"),
	CM_NUMBER(51, 0, 4, "max_cm_retries", "CM RETRIES", 0, "retries of a message of these"),
	MAD_BOOL(MAD_AT(51, 4), 1, "srq", "SRQ", 0, "whether there is a shared receive queue"),
	MAD_ENUM(MAD_AT(51, 5), 3, cm_extended_transport_names, "extended_transport",
		 "EXTENDED TRANSPORT", 0, "where the transport is extended, which it is"),
	PATH_FIELDS(52, "primary", "PRIMARY", FIELD_DEFAULT),
	PATH_FIELDS(96, "alternate", "ALTERNATE", 0),
	MAD_BOOL(MAD_AT(139, 5), 1, "sap_supported", "SAP", 0,
		 "whether the sender takes suggestions of an alternate path"),
	CM_PRIVATE_DATA(get_req_data),
};

static void get_mra_data(const void *record, struct value *value)
{
	cm_get_private(record, 10, 222, value);
}

static const struct field mra_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	MAD_ENUM(MAD_AT(8, 0), 2, cm_response_names, "message", "MESSAGE", FIELD_DEFAULT,
		 "the message that it is about"),
	MAD_CODED(FIELD_REAL, MAD_AT(9, 0), 5, time_usec_numbers, "service_timeout_usec",
		  "TIMEOUT us", FIELD_DEFAULT, "how long the answer will take"),
	CM_PRIVATE_DATA(get_mra_data),
};

static void get_rej_ari(const void *record, struct value *value)
{
	cm_get_info(record, 12, data_of(record)[9] >> 1, value);
}

static void get_rej_data(const void *record, struct value *value)
{
	cm_get_private(record, 84, 148, value);
}

static const struct field rej_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	MAD_ENUM(MAD_AT(8, 0), 2, cm_response_names, "message", "MESSAGE", FIELD_DEFAULT,
		 "the message that it is about"),
	MAD_ENUM(MAD_AT(10, 0), 16, cm_reject_reason_names, "reason", "REASON", FIELD_DEFAULT,
		 "why it was rejected"),
	MAD_UNSIGNED(MAD_AT(10, 0), 16, "reason_code", "CODE", FIELD_DEFAULT,
		     "the reason as a number"),
	CM_NUMBER(9, 0, 7, "reject_info_length_bytes", "ARI LENGTH", 0,
		  "length of the additional information"),
	CM_HEX_FIELD(get_rej_ari, "additional_info", "ARI",
		     "the value that would do, after the reason, as hex"),
	CM_PRIVATE_DATA(get_rej_data),
};

static void get_rep_data(const void *record, struct value *value)
{
	cm_get_private(record, 36, 196, value);
}

static const struct field rep_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	MAD_HEX(MAD_AT(8, 0), 32, "local_qkey", "QKEY", 0, "the sender's queue key"),
	CM_NUMBER(12, 0, 24, "local_qpn", "QP", FIELD_DEFAULT, "the sender's queue pair"),
	MAD_HEX(MAD_AT(15, 0), 8, "vendor_id_high", "VENDOR HIGH", 0,
		"vendor of the adapter, first byte"),
	CM_NUMBER(16, 0, 24, "local_eecn", "EEC", 0, "the sender's end-to-end context"),
	MAD_HEX(MAD_AT(19, 0), 8, "vendor_id_middle", "VENDOR MIDDLE", 0,
		"vendor of the adapter, second byte"),
	CM_NUMBER(20, 0, 24, "starting_psn", "PSN", FIELD_DEFAULT,
		  "packet number that the sender begins with"),
	MAD_HEX(MAD_AT(23, 0), 8, "vendor_id_low", "VENDOR LOW", 0,
		"vendor of the adapter, third byte"),
	CM_NUMBER(24, 0, 8, "responder_resources", "RESPONDER", FIELD_DEFAULT,
		  "reads and atomics that the sender can answer at a time"),
	CM_NUMBER(25, 0, 8, "initiator_depth", "INITIATOR", FIELD_DEFAULT,
		  "reads and atomics that the sender will have outstanding"),
	CM_TIMEOUT(26, 0, "target_ack_delay_usec", "ACK DELAY us",
		   "how long the sender may take to acknowledge"),
	MAD_ENUM(MAD_AT(26, 5), 2, cm_failover_names, "failover", "FAILOVER", 0,
		 "what becomes of the alternate path"),
	MAD_BOOL(MAD_AT(26, 7), 1, "flow_control", "FLOW CONTROL", 0,
		 "whether the sender has end-to-end flow control"),
	MAD_ENUM(MAD_AT(27, 0), 3, cm_rnr_retry_names, "rnr_retry_count", "RNR RETRIES", 0,
		 "retries while the sender is not ready"),
	MAD_BOOL(MAD_AT(27, 3), 1, "srq", "SRQ", 0, "whether there is a shared receive queue"),
	MAD_GUID(MAD_AT(28, 0), "local_ca_guid", "CA GUID", FIELD_DEFAULT,
		 "node GUID of the sender"),
	CM_PRIVATE_DATA(get_rep_data),
};

/* RTU and DREP are the same but for their names. */
static void get_plain_data(const void *record, struct value *value)
{
	cm_get_private(record, 8, 224, value);
}

static const struct field plain_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	CM_PRIVATE_DATA(get_plain_data),
};

static void get_dreq_data(const void *record, struct value *value)
{
	cm_get_private(record, 12, 220, value);
}

static const struct field dreq_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	CM_NUMBER(8, 0, 24, "remote_qpn", "REMOTE QP", FIELD_DEFAULT,
		  "the receiver's queue pair or end-to-end context"),
	CM_PRIVATE_DATA(get_dreq_data),
};

#define SUMMARY "a message of communication management: "

const struct schema cm_req_schema = MAD_SCHEMA("cm_req", req_fields,
					       SUMMARY "request for a connection");
const struct schema cm_mra_schema = MAD_SCHEMA(
	"cm_mra", mra_fields, SUMMARY "it was received, the answer will take a while");
const struct schema cm_rej_schema = MAD_SCHEMA("cm_rej", rej_fields, SUMMARY "reject");
const struct schema cm_rep_schema = MAD_SCHEMA("cm_rep", rep_fields, SUMMARY "reply");
const struct schema cm_rtu_schema = MAD_SCHEMA("cm_rtu", plain_fields, SUMMARY "ready to use");
const struct schema cm_dreq_schema = MAD_SCHEMA("cm_dreq", dreq_fields,
						SUMMARY "request for the end of a connection");
const struct schema cm_drep_schema = MAD_SCHEMA("cm_drep", plain_fields,
						SUMMARY "reply to the request for the end");
