/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication management messages, each a struct mad_record with the 232 bytes after the common
 * header. IBA 1: 12.6 (connections), 12.8 (alternate paths), 12.11.1 (SIDR); the same layouts are
 * in include/rdma/ibta_vol1_c12.h.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mad/format/rows.h"

/* enum ib_cm_rej_reason, include/rdma/ib_cm.h */
static const struct enum_name cm_reject_reason_names[] = {
	{1, "no-qp"},
	{2, "no-eec"},
	{3, "no-resources"},
	{4, "timeout"},
	{5, "unsupported-request"},
	{6, "invalid-comm-id"},
	{7, "invalid-comm-instance"},
	{8, "invalid-service-id"}, /* no listener */
	{9, "invalid-transport-type"},
	{10, "stale-connection"},
	{11, "rdc-does-not-exist"},
	{12, "invalid-gid"},
	{13, "invalid-lid"},
	{14, "invalid-sl"},
	{15, "invalid-traffic-class"},
	{16, "invalid-hop-limit"},
	{17, "invalid-packet-rate"},
	{18, "invalid-alternate-gid"},
	{19, "invalid-alternate-lid"},
	{20, "invalid-alternate-sl"},
	{21, "invalid-alternate-traffic-class"},
	{22, "invalid-alternate-hop-limit"},
	{23, "invalid-alternate-packet-rate"},
	{24, "port-and-cm-redirect"},
	{25, "port-redirect"},
	{26, "invalid-mtu"},
	{27, "insufficient-responder-resources"},
	{28, "consumer-reject"},
	{29, "invalid-rnr-retry-count"},
	{30, "duplicate-local-comm-id"},
	{31, "invalid-class-version"},
	{32, "invalid-flow-label"},
	{33, "invalid-alternate-flow-label"},
	{35, "vendor-option-not-supported"},
	{0, NULL},
};

/* enum cm_msg_response, drivers/infiniband/core/cm_msgs.h; in an MRA, 2 is a LAP */
static const struct enum_name cm_response_names[] = {
	{0, "req"},
	{1, "rep"},
	{2, "other"},
	{0, NULL},
};

static const struct enum_name cm_transport_names[] = {
	{0, "rc"}, {1, "uc"}, {2, "rd"}, {3, "extended"}, /* see the extended transport type */
	{0, NULL},
};

static const struct enum_name cm_extended_transport_names[] = {
	{0, "none"},
	{1, "xrc"},
	{0, NULL},
};

/* 9.7.5.2.8: seven means unlimited */
static const struct enum_name cm_rnr_retry_names[] = {
	{0, "0"}, {1, "1"}, {2, "2"},	     {3, "3"},	{4, "4"},
	{5, "5"}, {6, "6"}, {7, "infinite"}, {0, NULL},
};

static const struct enum_name cm_failover_names[] = {
	{0, "accepted"},
	{1, "not-supported"},
	{2, "rejected"},
	{0, NULL},
};

/* enum ib_cm_apr_status, include/rdma/ib_cm.h */
static const struct enum_name cm_apr_status_names[] = {
	{0, "success"},
	{1, "invalid-comm-id"},
	{2, "unsupported"},
	{3, "rejected"},
	{4, "redirect"},
	{5, "already-current"},
	{6, "invalid-qpn-or-eecn"},
	{7, "invalid-lid"},
	{8, "invalid-gid"},
	{9, "invalid-flow-label"},
	{10, "invalid-traffic-class"},
	{11, "invalid-hop-limit"},
	{12, "invalid-packet-rate"},
	{13, "invalid-sl"},
	{0, NULL},
};

/* enum ib_cm_sidr_status, include/rdma/ib_cm.h */
static const struct enum_name cm_sidr_status_names[] = {
	{0, "success"},	 {1, "unsupported"}, /* of the service */
	{2, "rejected"}, {3, "no-qp"},	     {4, "redirect"}, {5, "unsupported-version"}, {0, NULL},
};

#define CM_BYTES      232
#define CM_INFO_BYTES 72 /* additional information of REJ, APR and SIDR_REP */

#define CM_HEX_FIELD(get_, key_, heading_, help_) \
	COMPUTED_FIELD(FIELD_STRING, get_, key_, heading_, 0, 0, help_)
#define CM_PRIVATE_DATA(get_) \
	CM_HEX_FIELD(get_, "private_data", "PRIVATE DATA", "the consumer's own data, as hex")

#define CM_LOCAL_ID \
	HEX(0, 0, 32, "local_comm_id", "LOCAL ID", SHOW, "the sender's number for the connection")
#define CM_REMOTE_ID                                       \
	HEX(4, 0, 32, "remote_comm_id", "REMOTE ID", SHOW, \
	    "the receiver's number for the connection")
#define CM_TIMEOUT(byte_, bit_, key_, heading_, help_) \
	REAL(byte_, bit_, 5, time_usec_numbers, key_, heading_, 0, help_)
#define CM_RATE(byte_, key_, heading_, help_) \
	REAL(byte_, 2, 6, rate_numbers, key_, heading_, 0, help_)

static void get_hex(const unsigned char *bytes, size_t size, struct value *value)
{
	static const char cut[] = "...";
	const size_t room = (sizeof(value->scratch) - sizeof(cut)) / 2;

	text_write_hex(value->scratch, bytes, size < room ? size : room);
	if (size > room)
		memcpy(value->scratch + 2 * room, cut, sizeof(cut));
	value_set_string(value, value->scratch);
}

/*
 * Shows private data at byte `at` as hexadecimal digits, without the zeros at the end: the field
 * has a fixed size and shorter data are padded with zeros. Three dots replace what does not fit in
 * the value.
 */
static void cm_get_private(const void *record, size_t at, size_t size, struct value *value)
{
	const unsigned char *bytes = mad_data(record) + at;

	while (size && !bytes[size - 1])
		size--;
	get_hex(bytes, size, value);
}

/* Shows the additional information, whose length is in the message. */
static void cm_get_info(const void *record, size_t at, size_t length, struct value *value)
{
	get_hex(mad_data(record) + at, length < CM_INFO_BYTES ? length : CM_INFO_BYTES, value);
}

#define PRIVATE(name_, at_, size_)                                 \
	static void name_(const void *record, struct value *value) \
	{                                                          \
		cm_get_private(record, at_, size_, value);         \
	}
#define INFO(name_, at_, length_)                                  \
	static void name_(const void *record, struct value *value) \
	{                                                          \
		cm_get_info(record, at_, length_, value);          \
	}

/* A path of REQ, 12.6.5: the alternate one has the same layout 44 bytes on. */
#define PATH_FIELDS(base_, key_, heading_, flags_)                                              \
	NUM((base_), 0, 16, key_ "_local_lid", heading_ " LLID", flags_,                        \
	    "LID of the sender's port"),                                                        \
		NUM((base_) + 2, 0, 16, key_ "_remote_lid", heading_ " RLID", flags_,           \
		    "LID of the receiver's port"),                                              \
		GID(base_ + 4, key_ "_local_gid", heading_ " LGID", flags_,                     \
		    "GID of the sender's port"),                                                \
		GID(base_ + 20, key_ "_remote_gid", heading_ " RGID", flags_,                   \
		    "GID of the receiver's port"),                                              \
		HEX(base_ + 36, 0, 20, key_ "_flow_label", heading_ " FLOW", 0,                 \
		    "flow label of the path"),                                                  \
		CM_RATE((base_) + 39, key_ "_rate_gbps", heading_ " RATE", "rate of the path"), \
		NUM((base_) + 40, 0, 8, key_ "_traffic_class", heading_ " TCLASS", 0,           \
		    "traffic class of the path"),                                               \
		NUM((base_) + 41, 0, 8, key_ "_hop_limit", heading_ " HOPS", 0,                 \
		    "hop limit of the path"),                                                   \
		NUM((base_) + 42, 0, 4, key_ "_sl", heading_ " SL", 0,                          \
		    "service level of the path"),                                               \
		BOOL(base_ + 42, 4, key_ "_subnet_local", heading_ " LOCAL", 0,                 \
		     "whether the path stays in the subnet"),                                   \
		CM_TIMEOUT((base_) + 43, 0, key_ "_local_ack_timeout_usec", heading_ " ACK us", \
			   "how long to wait for an acknowledgement")

PRIVATE(get_req_data, 140, 92)

static const struct field req_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	HEX(5, 0, 24, "vendor_id", "VENDOR", 0, "vendor of the adapter"),
	HEX(8, 0, 64, "service_id", "SERVICE", SHOW, "service to connect to"),
	GUID(16, "local_ca_guid", "CA GUID", SHOW, "node GUID of the sender"),
	HEX(28, 0, 32, "local_qkey", "QKEY", 0, "the sender's queue key"),
	NUM(32, 0, 24, "local_qpn", "QP", SHOW, "the sender's queue pair"),
	NUM(35, 0, 8, "responder_resources", "RESPONDER", 0,
	    "reads and atomics that the sender can answer at a time"),
	NUM(36, 0, 24, "local_eecn", "EEC", 0, "the sender's end-to-end context"),
	NUM(39, 0, 8, "initiator_depth", "INITIATOR", 0,
	    "reads and atomics that the sender will have outstanding"),
	NUM(40, 0, 24, "remote_eecn", "REMOTE EEC", 0, "the receiver's end-to-end context"),
	CM_TIMEOUT(43, 0, "remote_response_timeout_usec", "REMOTE us",
		   "how long the receiver may take to answer"),
	WORD(43, 5, 2, cm_transport_names, "transport", "TRANSPORT", SHOW,
	     "transport service of the connection"),
	BOOL(43, 7, "flow_control", "FLOW CONTROL", 0,
	     "whether the sender has end-to-end flow control"),
	NUM(44, 0, 24, "starting_psn", "PSN", 0, "PSN that the sender starts with"),
	CM_TIMEOUT(47, 0, "local_response_timeout_usec", "LOCAL us",
		   "how long the sender may take to answer"),
	NUM(47, 5, 3, "retry_count", "RETRIES", 0, "retries of a packet"),
	HEX(48, 0, 16, "pkey", "PKEY", SHOW, "partition of the connection"),
	CODE(50, 0, 4, mtu_numbers, "mtu_bytes", "MTU", SHOW, "MTU of the path"),
	BOOL(50, 4, "rdc_exists", "RDC", 0, "whether there is a reliable datagram channel"),
	WORD(50, 5, 3, cm_rnr_retry_names, "rnr_retry_count", "RNR RETRIES", 0,
	     "retries while the receiver is not ready"),
	NUM(51, 0, 4, "max_cm_retries", "CM RETRIES", 0,
	    "retries of a connection management message"),
	BOOL(51, 4, "srq", "SRQ", 0, "whether there is a shared receive queue"),
	WORD(51, 5, 3, cm_extended_transport_names, "extended_transport", "EXTENDED TRANSPORT", 0,
	     "kind of extended transport, if it is extended"),
	PATH_FIELDS(52, "primary", "PRIMARY", SHOW),
	PATH_FIELDS(96, "alternate", "ALTERNATE", 0),
	BOOL(139, 5, "sap_supported", "SAP", 0,
	     "whether the sender accepts suggestions of an alternate path"),
	CM_PRIVATE_DATA(get_req_data),
};

PRIVATE(get_mra_data, 10, 222)

static const struct field mra_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	WORD(8, 0, 2, cm_response_names, "message", "MESSAGE", SHOW,
	     "the message that it is about"),
	REAL(9, 0, 5, time_usec_numbers, "service_timeout_usec", "TIMEOUT us", SHOW,
	     "how long the answer will take"),
	CM_PRIVATE_DATA(get_mra_data),
};

INFO(get_rej_ari, 12, mad_data(record)[9] >> 1)

PRIVATE(get_rej_data, 84, 148)

static const struct field rej_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	WORD(8, 0, 2, cm_response_names, "message", "MESSAGE", SHOW,
	     "the message that it is about"),
	WORD(10, 0, 16, cm_reject_reason_names, "reason", "REASON", SHOW, "why it was rejected"),
	NUM(10, 0, 16, "reason_code", "CODE", SHOW, "the reason as a number"),
	NUM(9, 0, 7, "reject_info_length_bytes", "ARI LENGTH", 0,
	    "length of the additional information"),
	CM_HEX_FIELD(get_rej_ari, "additional_info", "ARI",
		     "the acceptable value, after the reason, as hex"),
	CM_PRIVATE_DATA(get_rej_data),
};

PRIVATE(get_rep_data, 36, 196)

static const struct field rep_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	HEX(8, 0, 32, "local_qkey", "QKEY", 0, "the sender's queue key"),
	NUM(12, 0, 24, "local_qpn", "QP", SHOW, "the sender's queue pair"),
	HEX(15, 0, 8, "vendor_id_high", "VENDOR HIGH", 0, "vendor of the adapter, first byte"),
	NUM(16, 0, 24, "local_eecn", "EEC", 0, "the sender's end-to-end context"),
	HEX(19, 0, 8, "vendor_id_middle", "VENDOR MIDDLE", 0, "vendor of the adapter, second byte"),
	NUM(20, 0, 24, "starting_psn", "PSN", SHOW, "PSN that the sender starts with"),
	HEX(23, 0, 8, "vendor_id_low", "VENDOR LOW", 0, "vendor of the adapter, third byte"),
	NUM(24, 0, 8, "responder_resources", "RESPONDER", SHOW,
	    "reads and atomics that the sender can answer at a time"),
	NUM(25, 0, 8, "initiator_depth", "INITIATOR", SHOW,
	    "reads and atomics that the sender will have outstanding"),
	CM_TIMEOUT(26, 0, "target_ack_delay_usec", "ACK DELAY us",
		   "how long the sender may take to acknowledge"),
	WORD(26, 5, 2, cm_failover_names, "failover", "FAILOVER", 0,
	     "what becomes of the alternate path"),
	BOOL(26, 7, "flow_control", "FLOW CONTROL", 0,
	     "whether the sender has end-to-end flow control"),
	WORD(27, 0, 3, cm_rnr_retry_names, "rnr_retry_count", "RNR RETRIES", 0,
	     "retries while the sender is not ready"),
	BOOL(27, 3, "srq", "SRQ", 0, "whether there is a shared receive queue"),
	GUID(28, "local_ca_guid", "CA GUID", SHOW, "node GUID of the sender"),
	CM_PRIVATE_DATA(get_rep_data),
};

/* RTU and DREP differ only in their names. */
PRIVATE(get_plain_data, 8, 224)

static const struct field plain_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	CM_PRIVATE_DATA(get_plain_data),
};

PRIVATE(get_dreq_data, 12, 220)

static const struct field dreq_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	NUM(8, 0, 24, "remote_qpn", "REMOTE QP", SHOW,
	    "the receiver's queue pair or end-to-end context"),
	CM_PRIVATE_DATA(get_dreq_data),
};

PRIVATE(get_sidr_req_data, 16, 216)

static const struct field sidr_req_fields[] = {
	MAD_OBJECT_FIELDS(0),
	HEX(0, 0, 32, "request_id", "REQUEST", SHOW, "the sender's number for the request"),
	HEX(4, 0, 16, "pkey", "PKEY", SHOW, "partition of the service"),
	HEX(8, 0, 64, "service_id", "SERVICE", SHOW, "the requested service"),
	CM_PRIVATE_DATA(get_sidr_req_data),
};

INFO(get_sidr_rep_info, 24, mad_data(record)[5])

PRIVATE(get_sidr_rep_data, 96, 136)

static const struct field sidr_rep_fields[] = {
	MAD_OBJECT_FIELDS(0),
	HEX(0, 0, 32, "request_id", "REQUEST", SHOW, "the sender's number for the request"),
	WORD(4, 0, 8, cm_sidr_status_names, "status", "STATUS", SHOW, "how the request went"),
	NUM(5, 0, 8, "additional_info_length_bytes", "INFO LENGTH", 0,
	    "length of the additional information"),
	HEX(6, 0, 16, "vendor_id_high", "VENDOR HIGH", 0, "vendor of the adapter, first two bytes"),
	NUM(8, 0, 24, "qpn", "QP", SHOW, "queue pair of the service"),
	HEX(11, 0, 8, "vendor_id_low", "VENDOR LOW", 0, "vendor of the adapter, third byte"),
	HEX(12, 0, 64, "service_id", "SERVICE", SHOW, "the requested service"),
	HEX(20, 0, 32, "qkey", "QKEY", SHOW, "queue key of the queue pair"),
	CM_HEX_FIELD(get_sidr_rep_info, "additional_info", "INFO",
		     "address to use instead, a ClassPortInfo as hex"),
	CM_PRIVATE_DATA(get_sidr_rep_data),
};

PRIVATE(get_lap_data, 64, 168)

static const struct field lap_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	NUM(12, 0, 24, "remote_qpn", "REMOTE QP", SHOW,
	    "the receiver's queue pair or end-to-end context"),
	CM_TIMEOUT(15, 0, "remote_response_timeout_usec", "REMOTE us",
		   "how long the receiver may take to answer"),
	NUM(20, 0, 16, "alternate_local_lid", "LLID", SHOW, "LID of the sender's port"),
	NUM(22, 0, 16, "alternate_remote_lid", "RLID", SHOW, "LID of the receiver's port"),
	GID(24, "alternate_local_gid", "LGID", SHOW, "GID of the sender's port"),
	GID(40, "alternate_remote_gid", "RGID", SHOW, "GID of the receiver's port"),
	HEX(56, 0, 20, "alternate_flow_label", "FLOW", 0, "flow label of the path"),
	NUM(59, 0, 8, "alternate_traffic_class", "TCLASS", 0, "traffic class of the path"),
	NUM(60, 0, 8, "alternate_hop_limit", "HOPS", 0, "hop limit of the path"),
	CM_RATE(61, "alternate_rate_gbps", "RATE", "rate of the path"),
	NUM(62, 0, 4, "alternate_sl", "SL", 0, "service level of the path"),
	BOOL(62, 4, "alternate_subnet_local", "LOCAL", 0, "whether the path stays in the subnet"),
	CM_TIMEOUT(63, 0, "alternate_local_ack_timeout_usec", "ACK us",
		   "how long to wait for an acknowledgement"),
	CM_PRIVATE_DATA(get_lap_data),
};

INFO(get_apr_info, 12, mad_data(record)[8])

PRIVATE(get_apr_data, 84, 148)

static const struct field apr_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	NUM(8, 0, 8, "additional_info_length_bytes", "INFO LENGTH", 0,
	    "length of the additional information"),
	WORD(9, 0, 8, cm_apr_status_names, "status", "STATUS", SHOW, "how loading the path went"),
	CM_HEX_FIELD(get_apr_info, "additional_info", "INFO",
		     "the acceptable value, after the status, as hex"),
	CM_PRIVATE_DATA(get_apr_data),
};

#define MESSAGE(id_, word_, name_, fields_, summary_)                                     \
	ATTRIBUTE(UMAD_CLASS_CM, id_, word_, NULL, name_, CM_BYTES, "cm_" word_, fields_, \
		  "a message of communication management: " summary_)

/* 12.6.3: the messages are distinguished by the attribute; they are sent rather than queried. */
const struct mad_attribute cm_attributes[] = {
	MESSAGE(UMAD_CM_ATTR_REQ, "req", "ConnectRequest", req_fields, "request for a connection"),
	MESSAGE(UMAD_CM_ATTR_MRA, "mra", "MsgRcptAck", mra_fields,
		"it was received, the answer will take a while"),
	MESSAGE(UMAD_CM_ATTR_REJ, "rej", "ConnectReject", rej_fields, "reject"),
	MESSAGE(UMAD_CM_ATTR_REP, "rep", "ConnectReply", rep_fields, "reply"),
	MESSAGE(UMAD_CM_ATTR_RTU, "rtu", "ReadyToUse", plain_fields, "ready to use"),
	MESSAGE(UMAD_CM_ATTR_DREQ, "dreq", "DisconnectRequest", dreq_fields,
		"request for the end of a connection"),
	MESSAGE(UMAD_CM_ATTR_DREP, "drep", "DisconnectReply", plain_fields,
		"reply to the request for the end"),
	MESSAGE(UMAD_CM_ATTR_SIDR_REQ, "sidr_req", "ServiceIDResReq", sidr_req_fields,
		"which queue pair has a service"),
	MESSAGE(UMAD_CM_ATTR_SIDR_REP, "sidr_rep", "ServiceIDResReqResp", sidr_rep_fields,
		"the queue pair of a service"),
	MESSAGE(UMAD_CM_ATTR_LAP, "lap", "LoadAlternatePath", lap_fields, "load an alternate path"),
	MESSAGE(UMAD_CM_ATTR_APR, "apr", "AlternatePathResponse", apr_fields,
		"how loading an alternate path went"),
	{.schema = NULL},
};
