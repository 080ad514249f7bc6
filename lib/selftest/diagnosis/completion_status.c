/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/completion_status.h"

struct status_words {
	const char *name, *meaning;
};

static const struct status_words statuses[COMPLETION_STATUSES] = {
	[COMPLETION_SUCCESS] = {"success", "the work request was carried out"},
	[COMPLETION_LOCAL_LENGTH] = {"local length error",
				     "a message was longer than the receive buffer, the port's "
				     "largest message or, with "
				     "UD, the MTU"},
	[COMPLETION_LOCAL_QP_OPERATION] =
		{"local QP operation error",
		 "the adapter found the work request or its own state inconsistent: a bug of the "
		 "program, the driver or the firmware"},
	[COMPLETION_LOCAL_EEC_OPERATION] =
		{"local EE context operation error",
		 "the end-to-end context of a reliable datagram is inconsistent; no adapter of "
		 "today has them"},
	[COMPLETION_LOCAL_PROTECTION] =
		{"local protection error",
		 "the local buffer is not within a memory region of that local key and the queue "
		 "pair's protection domain"},
	[COMPLETION_FLUSHED] =
		{"Work Request Flushed Error",
		 "the queue pair went to the error state before this work request's turn; the one "
		 "that failed first, or the connection's end, is the cause"},
	[COMPLETION_WINDOW_BIND] = {"memory management operation error",
				    "a memory window could not be bound or a fast registration not "
				    "be made: wrong key, "
				    "range or access rights"},
	[COMPLETION_BAD_RESPONSE] =
		{"bad response error",
		 "the answer came with an opcode that does not belong to the request: a fault of "
		 "the peer's adapter or a damaged packet"},
	[COMPLETION_LOCAL_ACCESS] =
		{"local access error",
		 "data that the peer sent with immediate could not be placed: the local memory "
		 "region does not allow the write"},
	[COMPLETION_REMOTE_INVALID_REQUEST] =
		{"remote invalid request error",
		 "the peer refused the request: longer than its receive buffer or MTU allow, or an "
		 "operation that its queue pair does not allow"},
	[COMPLETION_REMOTE_ACCESS] =
		{"remote access error",
		 "the peer's memory region has another key, a smaller range or not the right that "
		 "the operation needs"},
	[COMPLETION_REMOTE_OPERATION] =
		{"remote operation error",
		 "the peer could not carry out the request for a reason of its own: its queue pair "
		 "or adapter is in error"},
	[COMPLETION_RETRIES_EXCEEDED] =
		{"transport retry counter exceeded",
		 "packets were sent again and again and none was acknowledged in time"},
	[COMPLETION_RNR_RETRIES_EXCEEDED] =
		{"RNR retry counter exceeded",
		 "the peer answered that it has no receive buffer posted, each time until the "
		 "retries were used up"},
	[COMPLETION_LOCAL_RDD] =
		{"local RDD violation error",
		 "the reliable datagram domains of queue pair and end-to-end context differ"},
	[COMPLETION_REMOTE_INVALID_RD_REQUEST] =
		{"remote invalid RD request",
		 "the peer refused a reliable datagram: its Q_Key or domain differs"},
	[COMPLETION_REMOTE_ABORTED] =
		{"aborted error",
		 "the operation was aborted: the peer, or the adapter's command, gave it up"},
	[COMPLETION_INVALID_EEC_NUMBER] = {"invalid EE context number",
					   "there is no end-to-end context of that number"},
	[COMPLETION_INVALID_EEC_STATE] =
		{"invalid EE context state",
		 "the end-to-end context is in a state that does not allow the operation"},
	[COMPLETION_FATAL] = {"fatal error",
			      "the adapter failed in a way that no retry mends: the kernel log "
			      "and a reset of the device come next"},
	[COMPLETION_RESPONSE_TIMEOUT] = {"response timeout error",
					 "the answer did not come in time"},
	[COMPLETION_GENERAL] = {"general error",
				"the driver has no word for what went wrong: the vendor error "
				"code and the kernel log may tell"},
	[COMPLETION_TAG_MATCHING] = {"TM error", "tag matching failed in the adapter"},
	[COMPLETION_TAG_RENDEZVOUS] =
		{"TM software rendezvous",
		 "a tag-matching rendezvous has to be finished by software; no error"},
};

const char *completion_status_name(unsigned int status)
{
	return status < COMPLETION_STATUSES ? statuses[status].name : "unknown";
}

const char *completion_status_meaning(unsigned int status)
{
	return status < COMPLETION_STATUSES ? statuses[status].meaning
					    : "a status that no version of verbs knows";
}
