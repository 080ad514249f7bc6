/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis_rows.h"

#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"

const char *diagnosis_word(const struct diagnosis_words *words, const char *name)
{
	for (size_t i = 0; i < words->count; i++)
		if (!strcmp(words->items[i].name, name))
			return words->items[i].text;
	return "";
}

/* Replaces the {words} in one pass, so braces in a replacement stay. */
static char *expand(const struct diagnosis_words *words, const char *template)
{
	char *text = mem_string("");

	while (*template) {
		size_t plain = strcspn(template, "{");
		size_t length = template[plain] ? strcspn(template + plain + 1, "}") : 0;
		_cleanup_(freep) char *before = text;
		_cleanup_(freep) char *name = mem_format("%.*s", (int)length,
							 template + plain + (length ? 1 : 0));

		text = mem_format("%s%.*s%s", before, (int)plain, template,
				  length ? diagnosis_word(words, name) : "");
		template += plain + (length ? length + 2 : 0);
	}
	return text;
}

static const struct diagnosis_row {
	unsigned int list;
	int code;
	const char *sentence; /* NULL: the row shares the texts of the next one */
	const char *hint;     /* NULL: there is nothing to do */
} rows[] = {
#include "selftest/diagnosis/diagnosis_rows.def"
};

bool diagnosis_say(struct diagnosis *diagnosis, const struct diagnosis_words *words,
		   unsigned int list, int code)
{
	const struct diagnosis_row *row = &rows[0];

	while (row < rows + ARRAY_SIZE(rows) - 1 &&
	       (row->list != list || (row->code != code && row->code != ANY)))
		row++;
	while (!row->sentence)
		row++;
	diagnosis->sentence = expand(words, row->sentence);
	diagnosis->hint = row->hint ? expand(words, row->hint) : NULL;
	return true;
}

void diagnosis_words_add(struct diagnosis_words *words, const char *name, const char *format, ...)
{
	va_list values;

	if (words->count == MOST_WORDS)
		return;
	va_start(values, format);
	words->items[words->count].name = name;
	words->items[words->count++].text = mem_format_list(format, values);
	va_end(values);
}

void diagnosis_words_add_count(struct diagnosis_words *words, const char *name, const char *port,
			       const char *verb, const struct number *count)
{
	if (!count->known)
		diagnosis_words_add(words, name, "how many packets %s %s is not known", port, verb);
	else if (!count->value)
		diagnosis_words_add(words, name, "%s %s no packets", port, verb);
	else
		diagnosis_words_add(words, name, "%s %s %" PRIu64 " packet%s", port, verb,
				    count->value, text_plural_s(count->value));
}

void diagnosis_words_clear(struct diagnosis_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i].text);
	*words = (struct diagnosis_words){0};
}

const struct endpoint *diagnosis_known(const struct endpoint *endpoint)
{
	return endpoint && endpoint->device[0] ? endpoint : NULL;
}

static enum carrier carrier_of(const struct endpoint *endpoint)
{
	if (!diagnosis_known(endpoint))
		return CARRIER_UNKNOWN;
	switch (endpoint->transport) {
	case TRANSPORT_ROCE:
		return endpoint->gid_type == GID_TYPE_ROCE_V1 ? CARRIER_ROCE_V1 : CARRIER_ROCE_V2;
	case TRANSPORT_IWARP:
		return CARRIER_IWARP;
	case TRANSPORT_INFINIBAND:
	case TRANSPORT_OPA:
		return CARRIER_INFINIBAND;
	default:
		return endpoint_is_efa(endpoint) ? CARRIER_EFA : CARRIER_UNKNOWN;
	}
}

/* Names in an endpoint come from the peer, so they are cleaned here. */
static void add_endpoints(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	static const struct endpoint none;
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	const struct endpoint *near = local ? local : &none, *far = remote ? remote : &none;
	_cleanup_(freep) char *device = text_clean(near->device, sizeof(near->device));
	_cleanup_(freep) char *far_device = text_clean(far->device, sizeof(far->device));
	_cleanup_(freep) char *netdev = text_clean(near->netdev, sizeof(near->netdev));
	_cleanup_(freep) char *port = local ? mem_format("%s/%" PRIu32, device, local->port)
					    : mem_string("the local port");
	_cleanup_(freep) char *far_port = remote ? mem_format("%s/%" PRIu32, far_device, far->port)
						 : mem_string("the port");

	diagnosis_words_add(words, "device", "%s", local ? device : "the device");
	diagnosis_words_add(words, "near", "%s", port);
	if (facts->peer)
		diagnosis_words_add(words, "far", "%s of %s", far_port, facts->peer);
	else
		diagnosis_words_add(words, "far", "%s", port);
	diagnosis_words_add(words, "netdev", "%s", netdev[0] ? netdev : "the netdev");
	diagnosis_words_add(words, "near_mtu", "%" PRIu32, near->mtu_bytes);
	diagnosis_words_add(words, "far_mtu", "%" PRIu32, far->mtu_bytes);
	words->carrier = carrier_of(local ? local : remote);
}

/* Returns what to do about a peer that has no port as requested. */
static const char *another_port(const struct diagnosis_facts *facts)
{
	if (facts->chose_peer_gid && facts->chose_peer_device)
		return "choose another --peer-device or --peer-gid-index";
	if (facts->chose_peer_gid)
		return "choose another --peer-gid-index, or omit it";
	return facts->chose_peer_device ? "choose another --peer-device, or omit it"
					: "name a port: rdmactl selftest --serve DEV/PORT";
}

static void add_peer(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	const char *text = facts->refusal_text;
	const bool several = facts->peer_lowest != facts->peer_highest;

	diagnosis_words_add(words, "peer", "%s", facts->peer ? facts->peer : "this host");
	diagnosis_words_add(words, "port", "%u", facts->tcp_port);
	if (facts->server_hint)
		diagnosis_words_add(words, "serve", "%s", facts->server_hint);
	else if (facts->tcp_port && facts->stage != STAGE_CM)
		diagnosis_words_add(words, "serve", "rdmactl selftest --serve --port %u",
				    facts->tcp_port);
	else
		diagnosis_words_add(words, "serve", "rdmactl selftest --serve");
	diagnosis_words_add(words, "refusal", "%s%s%s", text ? " (" : "", text ? text : "",
			    text ? ")" : "");
	diagnosis_words_add(words, "choose", "%s", another_port(facts));
	diagnosis_words_add(words, "version", "%u", PROTOCOL_VERSION);
	if (!facts->peer_highest)
		diagnosis_words_add(words, "versions", "another version");
	else if (several)
		diagnosis_words_add(words, "versions", "versions %" PRIu32 " to %" PRIu32,
				    facts->peer_lowest, facts->peer_highest);
	else
		diagnosis_words_add(words, "versions", "version %" PRIu32, facts->peer_highest);
}

void diagnosis_words_make(struct diagnosis_words *words, const struct diagnosis_facts *facts)
{
	add_endpoints(words, facts);
	add_peer(words, facts);
	if (facts->group) {
		char group[IP_TEXT_SIZE];

		ip_format(facts->group, group);
		diagnosis_words_add(words, "group", "%s", group);
	}
	diagnosis_words_add(words, "error", "%s", strerror(facts->error));
	diagnosis_words_add(words, "call", "%s", facts->call ? facts->call : "librdmacm");
	diagnosis_words_add(words, "msec", "%" PRIu32, facts->timeout_msec);
}

const char *rejection_meaning(unsigned int reason)
{
	static const char *const reasons[] = {
		[REJECT_NO_QP] = "it has no queue pair left",
		[REJECT_NO_RESOURCES] = "it lacks resources",
		[REJECT_TIMEOUT] = "a reply from this side came too late, or the "
				   "program there has ended",
		[REJECT_STALE] = "it still has a connection with this queue pair",
		[REJECT_GID] = "the GID is not its own",
		[REJECT_MTU] = "it does not support the MTU",
		[REJECT_RESPONDER_RESOURCES] = "it cannot answer this many outstanding reads",
		[REJECT_CONSUMER] = "the program there did not accept it",
	};
	const char *known = reason < ARRAY_SIZE(reasons) ? reasons[reason] : NULL;

	return known ? known : "the reason is unknown to this version";
}

/* InfiniBand Architecture Specification volume 1, 10.8.6 and 11.6.2. */
static const struct {
	const char *name, *meaning;
} statuses[] = {
	[IBV_WC_SUCCESS] = {"success", "the work request was carried out"},
	[IBV_WC_LOC_LEN_ERR] = {"local length error",
				"a message was longer than the receive buffer, the port's largest "
				"message or, with UD, the MTU"},
	[IBV_WC_LOC_QP_OP_ERR] = {"local QP operation error",
				  "the adapter found the work request or its own state "
				  "inconsistent: a bug in the program, the driver or the firmware"},
	[IBV_WC_LOC_EEC_OP_ERR] = {"local EE context operation error",
				   "the end-to-end context of a reliable datagram is inconsistent; "
				   "today's adapters have none"},
	[IBV_WC_LOC_PROT_ERR] =
		{"local protection error",
		 "the local buffer is not within a memory region of that lkey in the queue pair's "
		 "protection domain, or the region is not writable"},
	[IBV_WC_WR_FLUSH_ERR] =
		{"Work Request Flushed Error",
		 "the queue pair entered the error state before this work request was processed: "
		 "look for the request that failed first, or the end of the connection"},
	[IBV_WC_MW_BIND_ERR] = {"memory management operation error",
				"a memory window could not be bound, or a fast registration "
				"failed: wrong key, range or access rights"},
	[IBV_WC_BAD_RESP_ERR] = {"bad response error",
				 "the answer came with an opcode that does not belong to the "
				 "request: a fault of the peer's adapter or a damaged packet"},
	[IBV_WC_LOC_ACCESS_ERR] = {"local access error",
				   "data that the peer sent with immediate could not be placed: "
				   "the local memory region does not allow the write"},
	/*
	 * IBTA 1, 9.9.3, lists more causes; these are the likely ones. Soft-RoCE has all of these
	 * but the last, which is a remote operation error there: RESPST_ERR_LENGTH,
	 * RESPST_ERR_UNSUPPORTED_OPCODE and RESPST_ERR_TOO_MANY_RDMA_ATM_REQ in
	 * drivers/infiniband/sw/rxe/rxe_resp.c.
	 */
	[IBV_WC_REM_INV_REQ_ERR] = {"remote invalid request error",
				    "the peer refused the request, perhaps because the two queue "
				    "pairs have different MTUs, because its own does not allow the "
				    "operation, or because the message is longer than the receive"},
	[IBV_WC_REM_ACCESS_ERR] = {"remote access error",
				   "the peer's memory region has another key or a smaller range, "
				   "or lacks the right that the operation needs"},
	[IBV_WC_REM_OP_ERR] =
		{"remote operation error",
		 "the peer could not carry out the request: its queue pair or adapter is in error"},
	[IBV_WC_RETRY_EXC_ERR] = {"transport retry counter exceeded",
				  "packets were retransmitted and never acknowledged in time"},
	[IBV_WC_RNR_RETRY_EXC_ERR] = {"RNR retry counter exceeded",
				      "the peer answered that it has no receive buffer posted, "
				      "each time until the retries were used up"},
	[IBV_WC_LOC_RDD_VIOL_ERR] =
		{"local RDD violation error",
		 "the reliable datagram domains of queue pair and end-to-end context differ"},
	/* EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN: rdma-core, providers/efa/verbs.c. */
	[IBV_WC_REM_INV_RD_REQ_ERR] = {"remote invalid RD request",
				       "the peer refused a reliable datagram; with EFA, it has no "
				       "such queue pair, or one that is in error"},
	[IBV_WC_REM_ABORT_ERR] =
		{"aborted error",
		 "the operation was aborted by the peer or by a command of the adapter"},
	[IBV_WC_INV_EECN_ERR] = {"invalid EE context number",
				 "there is no end-to-end context with that number"},
	[IBV_WC_INV_EEC_STATE_ERR] =
		{"invalid EE context state",
		 "the end-to-end context is in a state that does not allow the operation"},
	[IBV_WC_FATAL_ERR] = {"fatal error", "the adapter failed and no retry helps: look at the "
					     "kernel log, then reset the device"},
	[IBV_WC_RESP_TIMEOUT_ERR] = {"response timeout error", "the answer did not come in time"},
	[IBV_WC_GENERAL_ERR] =
		{"general error",
		 "an error that has no other status: see the vendor error (rdmactl selftest -o "
		 "+vendor_error) and the kernel log"},
	[IBV_WC_TM_ERR] = {"TM error", "tag matching failed in the adapter"},
	[IBV_WC_TM_RNDV_INCOMPLETE] =
		{"TM software rendezvous",
		 "a tag-matching rendezvous has to be finished by software; no error"},
};

const char *completion_status_name(unsigned int status)
{
	return status < ARRAY_SIZE(statuses) ? statuses[status].name : "unknown";
}

const char *completion_status_meaning(unsigned int status)
{
	return status < ARRAY_SIZE(statuses) ? statuses[status].meaning
					     : "a status that rdmactl does not know";
}
