/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Communication management: the schemas of its messages, all of struct mad_record with the 232
 * bytes behind the common header, and what their tables share. IBA 1, 12.6; the same layouts are in
 * include/rdma/ibta_vol1_c12.h.
 */
#pragma once

#include "mad/format/attribute.h"

#define CM_BYTES      232
#define CM_INFO_BYTES 72 /* additional information of REJ, APR and SIDR_REP */

extern const struct enum_name cm_reject_reason_names[]; /* 12.6.7.2 */
extern const struct enum_name cm_response_names[];	/* which message an MRA or REJ answers */
extern const struct enum_name cm_transport_names[];
extern const struct enum_name cm_extended_transport_names[];
extern const struct enum_name cm_rnr_retry_names[];
extern const struct enum_name cm_failover_names[];
extern const struct enum_name cm_apr_status_names[];
extern const struct enum_name cm_sidr_status_names[];

extern const struct schema cm_req_schema;
extern const struct schema cm_mra_schema;
extern const struct schema cm_rej_schema;
extern const struct schema cm_rep_schema;
extern const struct schema cm_rtu_schema;
extern const struct schema cm_dreq_schema;
extern const struct schema cm_drep_schema;
extern const struct schema cm_sidr_req_schema;
extern const struct schema cm_sidr_rep_schema;
extern const struct schema cm_lap_schema;
extern const struct schema cm_apr_schema;

/*
 * Private data at byte `at`, as hexadecimal digits without the zeros at the end: the size is fixed,
 * whoever sends less fills up with zeros. What the value has no room for is left out, and three
 * dots stand for it.
 */
void cm_get_private(const void *record, size_t at, size_t size, struct value *value);
/* Additional information of the length that the message tells. */
void cm_get_info(const void *record, size_t at, size_t length, struct value *value);

#define CM_HEX_FIELD(get_, key_, heading_, help_) \
	COMPUTED_FIELD(FIELD_STRING, get_, key_, heading_, 0, 0, help_)
#define CM_PRIVATE_DATA(get_) \
	CM_HEX_FIELD(get_, "private_data", "PRIVATE DATA", "the consumer's own data, as hex")

#define CM_LOCAL_ID                                                           \
	MAD_HEX(MAD_AT(0, 0), 32, "local_comm_id", "LOCAL ID", FIELD_DEFAULT, \
		"the sender's number of the connection")
#define CM_REMOTE_ID                                                            \
	MAD_HEX(MAD_AT(4, 0), 32, "remote_comm_id", "REMOTE ID", FIELD_DEFAULT, \
		"the receiver's number of the connection")
#define CM_NUMBER(byte_, bit_, width_, key_, heading_, flags_, help_) \
	MAD_UNSIGNED(MAD_AT(byte_, bit_), width_, key_, heading_, flags_, help_)
#define CM_TIMEOUT(byte_, bit_, key_, heading_, help_) \
	MAD_CODED(FIELD_REAL, MAD_AT(byte_, bit_), 5, time_usec_numbers, key_, heading_, 0, help_)
#define CM_RATE(byte_, key_, heading_, help_) \
	MAD_CODED(FIELD_REAL, MAD_AT(byte_, 2), 6, rate_numbers, key_, heading_, 0, help_)
