/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication management messages, each a struct mad_record with the 232 bytes after the common
 * header. IBA 1: 12.6 (connections), 12.8 (alternate paths), 12.11.1 (SIDR); the same layouts are
 * in include/rdma/ibta_vol1_c12.h.
 */
#include "base/mem.h"
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

static const struct enum_name cm_extended_transport_names[] = {{0, "none"}, {1, "xrc"}, {0, NULL}};

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

#define CM_HEX_FIELD(get_, key_) PLAIN_COMPUTED(FIELD_STRING, get_, key_)
/* The consumer's own data. */
#define CM_PRIVATE_DATA(get_) CM_HEX_FIELD(get_, "private_data")

#define CM_LOCAL_ID		      PLAIN_HEX(0, 0, 32, "local_comm_id")
#define CM_REMOTE_ID		      PLAIN_HEX(4, 0, 32, "remote_comm_id")
#define CM_TIMEOUT(byte_, bit_, key_) PLAIN_REAL(byte_, bit_, 5, time_usec_numbers, key_)
#define CM_RATE(byte_, key_)	      PLAIN_REAL(byte_, 2, 6, rate_numbers, key_)

/*
 * Shows private data, from byte `at` to the end, as hexadecimal digits, without the zeros at the
 * end: the field has a fixed size and shorter data are padded with zeros.
 */
static void cm_get_private(const void *record, size_t at, struct value *value)
{
	const unsigned char *bytes = mad_data(record);
	size_t end = CM_BYTES;

	_Static_assert(sizeof(value->scratch) > 2 * CM_BYTES, "no room for private data");
	while (end > at && !bytes[end - 1])
		end--;
	mad_get_hex(bytes + at, end - at, value);
}

/* Shows the additional information, whose length is in the message. */
static void cm_get_info(const void *record, size_t at, size_t length, struct value *value)
{
	mad_get_hex(mad_data(record) + at, length < CM_INFO_BYTES ? length : CM_INFO_BYTES, value);
}

#define PRIVATE(name_, at_)                                        \
	static void name_(const void *record, struct value *value) \
	{                                                          \
		cm_get_private(record, at_, value);                \
	}
#define INFO(name_, at_, length_)                                  \
	static void name_(const void *record, struct value *value) \
	{                                                          \
		cm_get_info(record, at_, length_, value);          \
	}

/* A path of REQ, 12.6.5: the alternate one has the same layout 44 bytes on. */
#define PATH_FIELDS(base_, key_)                                      \
	PLAIN_NUM((base_), 0, 16, key_ "_local_lid"),                 \
		PLAIN_NUM((base_) + 2, 0, 16, key_ "_remote_lid"),    \
		PLAIN_GID(base_ + 4, key_ "_local_gid"),              \
		PLAIN_GID(base_ + 20, key_ "_remote_gid"),            \
		PLAIN_HEX(base_ + 36, 0, 20, key_ "_flow_label"),     \
		CM_RATE((base_) + 39, key_ "_rate_gbps"),             \
		PLAIN_NUM((base_) + 40, 0, 8, key_ "_traffic_class"), \
		PLAIN_NUM((base_) + 41, 0, 8, key_ "_hop_limit"),     \
		PLAIN_NUM((base_) + 42, 0, 4, key_ "_sl"),            \
		PLAIN_BOOL(base_ + 42, 4, key_ "_subnet_local"),      \
		CM_TIMEOUT((base_) + 43, 0, key_ "_local_ack_timeout_usec")

PRIVATE(get_req_data, 140)

static const struct field req_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	PLAIN_HEX(5, 0, 24, "vendor_id"),
	PLAIN_HEX(8, 0, 64, "service_id"),
	PLAIN_GUID(16, "local_ca_guid"),
	PLAIN_HEX(28, 0, 32, "local_qkey"),
	PLAIN_NUM(32, 0, 24, "local_qpn"),
	PLAIN_NUM(35, 0, 8, "responder_resources"),
	PLAIN_NUM(36, 0, 24, "local_eecn"), /* of an end-to-end context */
	PLAIN_NUM(39, 0, 8, "initiator_depth"),
	PLAIN_NUM(40, 0, 24, "remote_eecn"),
	CM_TIMEOUT(43, 0, "remote_response_timeout_usec"),
	PLAIN_WORD(43, 5, 2, cm_transport_names, "transport"),
	PLAIN_BOOL(43, 7, "flow_control"),
	PLAIN_NUM(44, 0, 24, "starting_psn"),
	CM_TIMEOUT(47, 0, "local_response_timeout_usec"),
	PLAIN_NUM(47, 5, 3, "retry_count"),
	PLAIN_HEX(48, 0, 16, "pkey"),
	PLAIN_CODE(50, 0, 4, mtu_numbers, "mtu_bytes"),
	PLAIN_BOOL(50, 4, "rdc_exists"), /* a reliable datagram channel */
	PLAIN_WORD(50, 5, 3, cm_rnr_retry_names, "rnr_retry_count"),
	PLAIN_NUM(51, 0, 4, "max_cm_retries"),
	PLAIN_BOOL(51, 4, "srq"),
	PLAIN_WORD(51, 5, 3, cm_extended_transport_names, "extended_transport"),
	PATH_FIELDS(52, "primary"),
	PATH_FIELDS(96, "alternate"),
	PLAIN_BOOL(139, 5, "sap_supported"), /* suggestions of an alternate path */
	CM_PRIVATE_DATA(get_req_data),
};

PRIVATE(get_mra_data, 10)

static const struct field mra_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	PLAIN_WORD(8, 0, 2, cm_response_names, "message"),
	PLAIN_REAL(9, 0, 5, time_usec_numbers, "service_timeout_usec"), /* until the answer */
	CM_PRIVATE_DATA(get_mra_data),
};

INFO(get_rej_ari, 12, mad_data(record)[9] >> 1)

PRIVATE(get_rej_data, 84)

static const struct field rej_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	PLAIN_WORD(8, 0, 2, cm_response_names, "message"),
	PLAIN_WORD(10, 0, 16, cm_reject_reason_names, "reason"),
	PLAIN_NUM(10, 0, 16, "reason_code"),
	PLAIN_NUM(9, 0, 7, "reject_info_length_bytes"),
	CM_HEX_FIELD(get_rej_ari, "additional_info"), /* the acceptable value, after the reason */
	CM_PRIVATE_DATA(get_rej_data),
};

PRIVATE(get_rep_data, 36)

static const struct field rep_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	PLAIN_HEX(8, 0, 32, "local_qkey"),
	PLAIN_NUM(12, 0, 24, "local_qpn"),
	PLAIN_HEX(15, 0, 8, "vendor_id_high"),
	PLAIN_NUM(16, 0, 24, "local_eecn"),
	PLAIN_HEX(19, 0, 8, "vendor_id_middle"),
	PLAIN_NUM(20, 0, 24, "starting_psn"),
	PLAIN_HEX(23, 0, 8, "vendor_id_low"),
	PLAIN_NUM(24, 0, 8, "responder_resources"),
	PLAIN_NUM(25, 0, 8, "initiator_depth"),
	CM_TIMEOUT(26, 0, "target_ack_delay_usec"),
	PLAIN_WORD(26, 5, 2, cm_failover_names, "failover"),
	PLAIN_BOOL(26, 7, "flow_control"),
	PLAIN_WORD(27, 0, 3, cm_rnr_retry_names, "rnr_retry_count"),
	PLAIN_BOOL(27, 3, "srq"),
	PLAIN_GUID(28, "local_ca_guid"),
	CM_PRIVATE_DATA(get_rep_data),
};

/* RTU and DREP differ only in their names. */
PRIVATE(get_plain_data, 8)

static const struct field plain_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	CM_PRIVATE_DATA(get_plain_data),
};

PRIVATE(get_dreq_data, 12)

static const struct field dreq_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	PLAIN_NUM(8, 0, 24, "remote_qpn"),
	CM_PRIVATE_DATA(get_dreq_data),
};

PRIVATE(get_sidr_req_data, 16)

static const struct field sidr_req_fields[] = {
	MAD_OBJECT_FIELDS(0),
	PLAIN_HEX(0, 0, 32, "request_id"),
	PLAIN_HEX(4, 0, 16, "pkey"),
	PLAIN_HEX(8, 0, 64, "service_id"),
	CM_PRIVATE_DATA(get_sidr_req_data),
};

INFO(get_sidr_rep_info, 24, mad_data(record)[5])

PRIVATE(get_sidr_rep_data, 96)

static const struct field sidr_rep_fields[] = {
	MAD_OBJECT_FIELDS(0),
	PLAIN_HEX(0, 0, 32, "request_id"),
	PLAIN_WORD(4, 0, 8, cm_sidr_status_names, "status"),
	PLAIN_NUM(5, 0, 8, "additional_info_length_bytes"),
	PLAIN_HEX(6, 0, 16, "vendor_id_high"),
	PLAIN_NUM(8, 0, 24, "qpn"),
	PLAIN_HEX(11, 0, 8, "vendor_id_low"),
	PLAIN_HEX(12, 0, 64, "service_id"),
	PLAIN_HEX(20, 0, 32, "qkey"),
	CM_HEX_FIELD(get_sidr_rep_info,
		     "additional_info"), /* address to use instead, a ClassPortInfo */
	CM_PRIVATE_DATA(get_sidr_rep_data),
};

PRIVATE(get_lap_data, 64)

static const struct field lap_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	PLAIN_NUM(12, 0, 24, "remote_qpn"),
	CM_TIMEOUT(15, 0, "remote_response_timeout_usec"),
	PLAIN_NUM(20, 0, 16, "alternate_local_lid"),
	PLAIN_NUM(22, 0, 16, "alternate_remote_lid"),
	PLAIN_GID(24, "alternate_local_gid"),
	PLAIN_GID(40, "alternate_remote_gid"),
	PLAIN_HEX(56, 0, 20, "alternate_flow_label"),
	PLAIN_NUM(59, 0, 8, "alternate_traffic_class"),
	PLAIN_NUM(60, 0, 8, "alternate_hop_limit"),
	CM_RATE(61, "alternate_rate_gbps"),
	PLAIN_NUM(62, 0, 4, "alternate_sl"),
	PLAIN_BOOL(62, 4, "alternate_subnet_local"),
	CM_TIMEOUT(63, 0, "alternate_local_ack_timeout_usec"),
	CM_PRIVATE_DATA(get_lap_data),
};

INFO(get_apr_info, 12, mad_data(record)[8])

PRIVATE(get_apr_data, 84)

static const struct field apr_fields[] = {
	MAD_OBJECT_FIELDS(0),
	CM_LOCAL_ID,
	CM_REMOTE_ID,
	PLAIN_NUM(8, 0, 8, "additional_info_length_bytes"),
	PLAIN_WORD(9, 0, 8, cm_apr_status_names, "status"),
	CM_HEX_FIELD(get_apr_info, "additional_info"), /* the acceptable value, after the status */
	CM_PRIVATE_DATA(get_apr_data),
};

#define MESSAGE(id_, word_, name_, fields_) \
	ATTRIBUTE(UMAD_CLASS_CM, id_, word_, NULL, name_, CM_BYTES, "cm_" word_, fields_, name_)

/* 12.6.3: the messages are distinguished by the attribute; they are sent rather than queried. */
const struct mad_attribute cm_attributes[] = {
	MESSAGE(UMAD_CM_ATTR_REQ, "req", "ConnectRequest", req_fields),
	MESSAGE(UMAD_CM_ATTR_MRA, "mra", "MsgRcptAck", mra_fields),
	MESSAGE(UMAD_CM_ATTR_REJ, "rej", "ConnectReject", rej_fields),
	MESSAGE(UMAD_CM_ATTR_REP, "rep", "ConnectReply", rep_fields),
	MESSAGE(UMAD_CM_ATTR_RTU, "rtu", "ReadyToUse", plain_fields),
	MESSAGE(UMAD_CM_ATTR_DREQ, "dreq", "DisconnectRequest", dreq_fields),
	MESSAGE(UMAD_CM_ATTR_DREP, "drep", "DisconnectReply", plain_fields),
	MESSAGE(UMAD_CM_ATTR_SIDR_REQ, "sidr_req", "ServiceIDResReq", sidr_req_fields),
	MESSAGE(UMAD_CM_ATTR_SIDR_REP, "sidr_rep", "ServiceIDResReqResp", sidr_rep_fields),
	MESSAGE(UMAD_CM_ATTR_LAP, "lap", "LoadAlternatePath", lap_fields),
	MESSAGE(UMAD_CM_ATTR_APR, "apr", "AlternatePathResponse", apr_fields),
	{.schema = NULL},
};
