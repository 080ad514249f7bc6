/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a work request ended: the codes of enum ibv_wc_status, infiniband/verbs.h, which the model
 * does not include. InfiniBand Architecture Specification volume 1, 10.8.6 and 11.6.2.
 */
#pragma once

enum completion_status {
	COMPLETION_SUCCESS,
	COMPLETION_LOCAL_LENGTH,
	COMPLETION_LOCAL_QP_OPERATION,
	COMPLETION_LOCAL_EEC_OPERATION,
	COMPLETION_LOCAL_PROTECTION,
	COMPLETION_FLUSHED,
	COMPLETION_WINDOW_BIND,
	COMPLETION_BAD_RESPONSE,
	COMPLETION_LOCAL_ACCESS,
	COMPLETION_REMOTE_INVALID_REQUEST,
	COMPLETION_REMOTE_ACCESS,
	COMPLETION_REMOTE_OPERATION,
	COMPLETION_RETRIES_EXCEEDED,
	COMPLETION_RNR_RETRIES_EXCEEDED,
	COMPLETION_LOCAL_RDD,
	COMPLETION_REMOTE_INVALID_RD_REQUEST,
	COMPLETION_REMOTE_ABORTED,
	COMPLETION_INVALID_EEC_NUMBER,
	COMPLETION_INVALID_EEC_STATE,
	COMPLETION_FATAL,
	COMPLETION_RESPONSE_TIMEOUT,
	COMPLETION_GENERAL,
	COMPLETION_TAG_MATCHING,
	COMPLETION_TAG_RENDEZVOUS,
	COMPLETION_STATUSES,
};

/* As ibv_wc_status_str() says it; "unknown" for a number that is none. */
const char *completion_status_name(unsigned int status);
/* One clause on what it means and what usually causes it. */
const char *completion_status_meaning(unsigned int status);
