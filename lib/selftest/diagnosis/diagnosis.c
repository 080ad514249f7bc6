/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Selects the row of the table that fits the facts. */
#include "selftest/diagnosis/diagnosis_rows.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/endpoint/endpoint.h"
#include "schema/problem.h"

/* ---- The ports and the path between them ---- */

static bool is_infiniband(const struct endpoint *endpoint)
{
	return endpoint->link_layer == LINK_LAYER_INFINIBAND;
}

bool diagnose_port_state(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	return endpoint_is_down(facts->local, NULL, &ret_diagnosis->sentence,
				&ret_diagnosis->hint) ||
	       endpoint_is_down(facts->remote, facts->peer ? facts->peer : "this host",
				&ret_diagnosis->sentence, &ret_diagnosis->hint);
}

bool diagnose_mismatch(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	_words_ struct diagnosis_words words = {0};

	if (!local || !remote)
		return false;
	diagnosis_words_make(&words, facts);
	return endpoint_mismatch(local, diagnosis_word(&words, "near"), remote,
				 diagnosis_word(&words, "far"), &ret_diagnosis->sentence,
				 &ret_diagnosis->hint);
}

bool diagnose_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	_words_ struct diagnosis_words words = {0};
	_cleanup_(freep) char *netdev = NULL;
	const struct endpoint *smaller;
	const char *name;

	if (!local || !remote || !local->mtu_bytes || !remote->mtu_bytes ||
	    local->mtu_bytes == remote->mtu_bytes)
		return false;
	smaller = local->mtu_bytes < remote->mtu_bytes ? local : remote;
	netdev = text_clean(smaller->netdev, sizeof(smaller->netdev));
	name = netdev[0] ? netdev : "the netdev";
	diagnosis_words_make(&words, facts);
	if (smaller == local)
		diagnosis_words_add(&words, "smaller_netdev", "%s", name);
	else
		diagnosis_words_add(&words, "smaller_netdev", "%s on %s", name,
				    diagnosis_word(&words, "peer"));
	return diagnosis_say(ret_diagnosis, &words, LIST_MTU, (int)words.carrier);
}

/* Removing an address also removes its GID table entry (roce_gid_mgmt.c in the kernel). */
static bool diagnose_gid(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	const bool here = facts->local_gid_gone && local;
	const struct endpoint *lost = here ? local : facts->remote_gid_gone ? remote : NULL;
	_words_ struct diagnosis_words words = {0};
	_cleanup_(freep) char *netdev = NULL;
	struct ip_address ip;
	char text[GID_TEXT_SIZE > IP_TEXT_SIZE ? GID_TEXT_SIZE : IP_TEXT_SIZE];

	if (!lost)
		return false;
	ip = gid_to_ip(&lost->gid);
	if (ip.family && !is_infiniband(lost))
		ip_format(&ip, text);
	else
		gid_format(&lost->gid, text);
	netdev = text_clean(lost->netdev, sizeof(lost->netdev));
	diagnosis_words_make(&words, facts);
	diagnosis_words_add(&words, "gid", "%s", text);
	diagnosis_words_add(&words, "gid_index", "%" PRIu32, lost->gid_index);
	diagnosis_words_add(&words, "gid_port", "%s",
			    diagnosis_word(&words, here ? "near" : "far"));
	diagnosis_words_add(&words, "gid_netdev", "%s", netdev[0] ? netdev : "the netdev");
	diagnosis_words_add(&words, "gid_option", here ? "--gid-index" : "--peer-gid-index");
	if (!here)
		diagnosis_words_add(&words, "gid_host", " on %s", diagnosis_word(&words, "peer"));
	return diagnosis_say(ret, &words, LIST_GID, (int)words.carrier);
}

/* Explains that the queue pairs use an MTU that one of the ports does not have. */
static bool diagnose_path_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	uint32_t smaller;

	if (!facts->local || !facts->remote)
		return false;
	smaller = facts->local->mtu_bytes < facts->remote->mtu_bytes ? facts->local->mtu_bytes
								     : facts->remote->mtu_bytes;
	/* rdmactl uses the smaller one on both sides; other programs use that of their options. */
	if (facts->path_mtu_bytes && facts->path_mtu_bytes <= smaller)
		return false;
	return diagnose_mtu(facts, ret_diagnosis);
}

static bool has_no_lid(const struct endpoint *endpoint)
{
	return diagnosis_known(endpoint) && is_infiniband(endpoint) &&
	       (!endpoint->lid || endpoint->lid == 0xffff); /* the permissive LID: not assigned */
}

static bool is_none(const struct number *count)
{
	return count->known && !count->value;
}

static bool is_less(const struct number *received, const struct number *sent)
{
	return received->known && sent->known && received->value < sent->value;
}

/*
 * Whether packets are missing in one direction. Without the far counters, only a transport that
 * gave up after its retries shows that.
 */
static bool shows_loss(const struct diagnosis_facts *facts)
{
	const struct number *here = facts->local_counts.by_class;
	const struct number *there = facts->peer ? facts->remote_counts.by_class : here;

	if (!there[COUNTER_TRAFFIC_RECEIVED].known)
		return facts->status.known;
	return is_less(&there[COUNTER_TRAFFIC_RECEIVED], &here[COUNTER_TRAFFIC_SENT]) ||
	       is_less(&here[COUNTER_TRAFFIC_RECEIVED], &there[COUNTER_TRAFFIC_SENT]);
}

/*
 * Whether only packets to this side are missing, some of which arrived: those of the answers. A
 * side that sent nothing is at fault itself.
 */
static bool loses_answers(const struct diagnosis_facts *facts)
{
	const struct number *here = facts->local_counts.by_class;
	const struct number *there = facts->remote_counts.by_class;
	const struct number *received = &here[COUNTER_TRAFFIC_RECEIVED];

	return here[COUNTER_TRAFFIC_SENT].value && received->value &&
	       there[COUNTER_TRAFFIC_RECEIVED].value &&
	       !is_less(&there[COUNTER_TRAFFIC_RECEIVED], &here[COUNTER_TRAFFIC_SENT]) &&
	       is_less(received, &there[COUNTER_TRAFFIC_SENT]);
}

/*
 * Some packets arrive on both sides, so they are not blocked: they are lost, or too long, or all of
 * them arrived and the answer is missing for another reason.
 */
static bool say_loss(const struct diagnosis_facts *facts, struct diagnosis_words *words,
		     struct diagnosis *ret)
{
	const struct number *again = &facts->local_counts.by_class[COUNTER_RETRANSMISSION];

	if (diagnose_path_mtu(facts, ret))
		return true;
	if (again->known && again->value)
		diagnosis_words_add(words, "again", ", %" PRIu64 " retransmission event%s here",
				    again->value, text_plural_s(again->value));
	if (!shows_loss(facts))
		return diagnosis_say(ret, words, LIST_DELIVERY, DELIVERY_ARRIVED);
	return diagnosis_say(ret, words, LIST_LOST, (int)words->carrier);
}

/*
 * Packets were sent and no answer came: finds where they got stuck, as far as the counters of both
 * sides tell. The word "lead" says what was noticed.
 */
static bool diagnose_delivery(const struct diagnosis_facts *facts, struct diagnosis_words *words,
			      struct diagnosis *ret_diagnosis)
{
	const struct counter_sums *here = &facts->local_counts;
	const struct counter_sums *there = facts->peer ? &facts->remote_counts : here;
	const struct number *sent = &here->by_class[COUNTER_TRAFFIC_SENT];
	const struct number *received = &here->by_class[COUNTER_TRAFFIC_RECEIVED];
	const struct number *arrived = &there->by_class[COUNTER_TRAFFIC_RECEIVED];
	const char *near = diagnosis_word(words, "near"), *far = diagnosis_word(words, "far");
	_cleanup_(diagnosis_clear) struct diagnosis blocked = {0};
	const bool seen_here = !arrived->known && received->known && received->value;
	/* Without acknowledgements only the far port sends what this side waits for. */
	const bool back = (facts->stop == STOP_TIMED_OUT && facts->stage == STAGE_TRANSFER &&
			   !facts->at_peer && is_none(sent) &&
			   there->by_class[COUNTER_TRAFFIC_SENT].value) ||
			  loses_answers(facts);
	/* What the peer waits for comes from here, and perhaps nothing is to come back. */
	const bool answers = !facts->at_peer && !is_none(&there->by_class[COUNTER_TRAFFIC_SENT]);

	if (facts->silent)
		return diagnosis_say(ret_diagnosis, words, LIST_TIMEOUT, true);
	diagnosis_say(&blocked, words, LIST_BLOCKED, (int)words->carrier);
	diagnosis_words_add(words, "blocked", "%s", blocked.sentence);
	diagnosis_words_add(words, "unblock", "%s", blocked.hint);
	diagnosis_words_add(words, "without_lid", "%s", has_no_lid(facts->local) ? near : far);
	diagnosis_words_add(words, "uncounted", "%s", back ? near : far);
	diagnosis_words_add(words, "none_back", "%s",
			    is_none(received) ? " and received none" : "");
	if (words->carrier == CARRIER_INFINIBAND && diagnosis_known(facts->local) &&
	    diagnosis_known(facts->remote))
		diagnosis_words_add(words, "lids", " (LID %" PRIu32 " to LID %" PRIu32 ")",
				    (back ? facts->remote : facts->local)->lid,
				    (back ? facts->local : facts->remote)->lid);
	if (back) {
		sent = &there->by_class[COUNTER_TRAFFIC_SENT];
		arrived = received;
	}
	diagnosis_words_add_count(words, "sent", back ? far : near, "sent", sent);
	diagnosis_words_add_count(words, "arrived",
				  back	      ? near
				  : seen_here ? "it"
					      : far,
				  "received", seen_here ? received : arrived);
	if (has_no_lid(facts->local) || has_no_lid(facts->remote))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_NO_LID);
	if (is_none(sent))
		return diagnosis_say(ret_diagnosis, words, LIST_UNSENT, (int)words->carrier);
	if (!arrived->known && !seen_here)
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_UNKNOWN);
	if (is_none(arrived))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_BLOCKED);
	if (!back && answers && arrived->known && facts->peer && is_none(received))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_BLOCKED_BACK);
	return say_loss(facts, words, ret_diagnosis);
}

/* ---- The row that fits the facts ---- */

/* Nothing came before the timeout, and no error said why. A peer with a known port has answered. */
static bool say_timeout(const struct diagnosis_facts *facts, struct diagnosis_words *words,
			struct diagnosis *ret)
{
	if (facts->stage != STAGE_TRANSFER && facts->stage != STAGE_CM)
		return diagnosis_say(ret, words, LIST_TIMEOUT, facts->remote != NULL);
	diagnosis_words_add(words, "lead", "nothing arrived%s%s within %" PRIu32 " ms",
			    facts->at_peer ? " at " : "",
			    facts->at_peer ? diagnosis_word(words, "far") : "",
			    facts->timeout_msec);
	return diagnose_delivery(facts, words, ret);
}

/*
 * Registered memory is locked: RLIMIT_MEMLOCK, getrlimit(2). Beyond it the kernel returns ENOMEM,
 * or EPERM if the limit is 0: Linux, drivers/infiniband/core/umem.c, ib_umem_get(), and
 * can_do_mlock().
 */
static bool say_memory(const struct diagnosis_facts *facts, struct diagnosis_words *words,
		       struct diagnosis *ret)
{
	const struct number *limit = &facts->memlock_limit_bytes, *size = &facts->wanted_bytes;
	_cleanup_(freep) char *wanted = size->known ? text_bytes(size->value)
						    : mem_string("memory");
	_cleanup_(freep) char *most = text_bytes(limit->value);
	enum memory_case code = MEMORY_OVER_LIMIT;

	diagnosis_words_add(words, "wanted", "%s", wanted);
	diagnosis_words_add(words, "limit", "%s", most);
	if (facts->error != ENOMEM && (facts->error != EPERM || !limit->known || limit->value))
		code = MEMORY_OTHER;
	else if (!limit->known)
		code = MEMORY_LIMIT_UNKNOWN;
	else if (limit->value == UINT64_MAX)
		code = MEMORY_UNLIMITED;
	else if (size->known && size->value <= limit->value)
		code = MEMORY_WITHIN_LIMIT;
	return diagnosis_say(ret, words, LIST_MEMORY, code);
}

static bool say_status(const struct diagnosis_facts *facts, struct diagnosis_words *words,
		       struct diagnosis *ret)
{
	const struct number *rnr = &facts->local_counts.by_class[COUNTER_RNR];
	const unsigned int status = (unsigned int)facts->status.value;
	const char *name = completion_status_name(status);

	if (status == IBV_WC_RETRY_EXC_ERR || status == IBV_WC_RESP_TIMEOUT_ERR) {
		diagnosis_words_add(words, "lead", "%s did not answer (%s)",
				    diagnosis_word(words, "far"), name);
		return diagnose_delivery(facts, words, ret);
	}
	if ((status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_REM_INV_REQ_ERR) &&
	    diagnose_path_mtu(facts, ret))
		return true;
	diagnosis_words_add(words, "status", "%s", name);
	diagnosis_words_add(words, "status_number", "%u", status);
	diagnosis_words_add(words, "meaning", "%s", completion_status_meaning(status));
	if (rnr->known && rnr->value)
		diagnosis_words_add(words, "rnr", ", %" PRIu64 " such events", rnr->value);
	return diagnosis_say(ret, words, LIST_STATUS, (int)status);
}

static bool say_rejected(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			 struct diagnosis *ret)
{
	if (facts->cm_status == REJECT_MTU && diagnose_mtu(facts, ret))
		return true;
	return diagnosis_say(ret, words, LIST_CM_REJECTED, facts->cm_status);
}

static bool say_unreachable(const struct diagnosis_facts *facts, struct diagnosis_words *words,
			    struct diagnosis *ret)
{
	diagnosis_words_add(words, "lead", "%s did not answer the connect request",
			    diagnosis_word(words, "far"));
	return diagnose_delivery(facts, words, ret);
}

static bool say_stop(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		     enum stop stop, struct diagnosis *ret)
{
	if (stop == STOP_PEER_GONE || stop == STOP_PEER_SPOKE)
		return diagnosis_say(ret, words, LIST_LEFT, (int)facts->farewell);
	return diagnosis_say(ret, words, LIST_STOP, (int)stop);
}

static bool say_cm(const struct diagnosis_facts *facts, struct diagnosis_words *words,
		   struct diagnosis *ret)
{
	/* The names used by rdma_event_str(). */
	static const char *const events[] = {
		"ADDR_RESOLVED",   "ADDR_ERROR",       "ROUTE_RESOLVED", "ROUTE_ERROR",
		"CONNECT_REQUEST", "CONNECT_RESPONSE", "CONNECT_ERROR",	 "UNREACHABLE",
		"REJECTED",	   "ESTABLISHED",      "DISCONNECTED",	 "DEVICE_REMOVAL",
		"MULTICAST_JOIN",  "MULTICAST_ERROR",  "ADDR_CHANGE",	 "TIMEWAIT_EXIT",
	};
	const uint64_t event = facts->cm_event.value;
	const int status = facts->cm_status;

	/* siw connects its TCP socket within rdma_connect(), so the call fails. */
	if (!facts->cm_event.known && facts->error == ECONNREFUSED)
		return diagnosis_say(ret, words, LIST_CM_REJECTED, REJECT_SERVICE_ID);
	if (!facts->cm_event.known)
		return diagnosis_say(ret, words,
				     facts->group && facts->error == ETIMEDOUT ? LIST_CM_GROUP
									       : STAGE_CM,
				     facts->error);
	diagnosis_words_add(words, "cm_event", "%s",
			    event < ARRAY_SIZE(events) ? events[event] : "unknown");
	diagnosis_words_add(words, "cm_status", "%d", status);
	diagnosis_words_add(words, "cm_error", "%s",
			    event == RDMA_CM_EVENT_REJECTED && status > 0
				    ? rejection_meaning((unsigned int)status)
				    : strerror(abs(status)));
	switch (event) {
	case RDMA_CM_EVENT_ADDR_ERROR:
		return diagnosis_say(ret, words, facts->group ? LIST_CM_GROUP : LIST_CM_ADDRESS,
				     -status);
	case RDMA_CM_EVENT_ROUTE_ERROR:
		return diagnosis_say(ret, words, LIST_CM_ROUTE, (int)words->carrier);
	case RDMA_CM_EVENT_UNREACHABLE:
		return say_unreachable(facts, words, ret);
	case RDMA_CM_EVENT_REJECTED:
		return say_rejected(facts, words, ret);
	case RDMA_CM_EVENT_CONNECT_ERROR:
		/* caused by iWARP's TCP connection, or the queue pair's own state */
		if (status == -ETIMEDOUT)
			return say_unreachable(facts, words, ret);
		if (status == -ECONNREFUSED)
			return say_rejected(facts, words, ret);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		return say_stop(facts, words, STOP_PEER_GONE, ret);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		return say_stop(facts, words, STOP_DEVICE_GONE, ret);
	case RDMA_CM_EVENT_MULTICAST_ERROR:
		return diagnosis_say(ret, words, LIST_CM_MULTICAST, (int)words->carrier);
	default:
		break;
	}
	return diagnosis_say(ret, words, LIST_CM_EVENT, status < 0);
}

static bool say_stage(const struct diagnosis_facts *facts, struct diagnosis_words *words,
		      struct diagnosis *ret)
{
	if (facts->stage == STAGE_MEMORY)
		return say_memory(facts, words, ret);
	if (facts->stage == STAGE_CONNECT_QP && facts->error == EINVAL &&
	    diagnose_path_mtu(facts, ret))
		return true;
	if (facts->stage == STAGE_CM)
		return say_cm(facts, words, ret);
	if (facts->stage == STAGE_TRANSFER && facts->status.known)
		return say_status(facts, words, ret);
	return diagnosis_say(ret, words, facts->stage, facts->error);
}

/* Finds a fault of the ports, which is the same whichever side reports the failure. */
static bool diagnose_ports(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	const bool explained = (facts->stop && facts->stop != STOP_TIMED_OUT) || facts->refusal;
	/* A step that needs only this host, or only TCP, does not depend on the ports. */
	const bool concerns = facts->stage <= STAGE_RESOLVE || facts->stage >= STAGE_CONNECT_QP;

	return !explained && concerns &&
	       (diagnose_gid(facts, ret) || diagnose_port_state(facts, ret) ||
		diagnose_mismatch(facts, ret));
}

static void diagnose_here(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	_words_ struct diagnosis_words words = {0};

	diagnosis_words_make(&words, facts);
	if (facts->stop && facts->stop != STOP_TIMED_OUT)
		say_stop(facts, &words, facts->stop, ret);
	else if (facts->refusal)
		diagnosis_say(ret, &words, LIST_REFUSAL, (int)facts->refusal);
	else if (facts->stop == STOP_TIMED_OUT)
		say_timeout(facts, &words, ret);
	else
		say_stage(facts, &words, ret);
}

void diagnosis_take_failure(struct diagnosis_facts *facts, const struct message_refused *failed,
			    const char *call)
{
	/* A librdmacm status, -errno or a reason, from a peer that may send any 32 bits. */
	const int cm_status = (int)failed->cm_status;

	facts->stage = failed->stage < STAGES ? (enum stage)failed->stage : STAGE_NONE;
	facts->error = (int)failed->error;
	facts->call = *call ? call : NULL;
	if (failed->cm_event || failed->cm_status)
		facts->cm_event = number_of(failed->cm_event);
	facts->cm_status = cm_status < -ERRNO_MOST ? -EIO : cm_status;
	if (failed->wanted_bytes) {
		facts->wanted_bytes = number_of(failed->wanted_bytes);
		facts->memlock_limit_bytes = number_of(failed->limit_bytes);
	}
}

/* Diagnoses with both sides swapped: to the peer, this host is the other side. */
static void diagnose_there(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	struct diagnosis_facts swapped = *facts;
	_cleanup_(diagnosis_clear) struct diagnosis found = {0};

	swapped.local = facts->remote;
	swapped.remote = facts->local;
	swapped.local_counts = facts->remote_counts;
	swapped.remote_counts = facts->local_counts;
	swapped.peer = "this host";
	diagnose_here(&swapped, &found);
	ret->sentence = mem_format("on %s: %s", facts->peer, found.sentence);
	ret->hint = found.hint ? mem_format("on %s: %s", facts->peer, found.hint) : NULL;
}

void diagnose(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	if (diagnose_ports(facts, ret_diagnosis))
		return;
	/* What the peer has waited for comes from this side. */
	if (facts->at_peer && facts->peer && facts->stop != STOP_TIMED_OUT && !facts->silent)
		diagnose_there(facts, ret_diagnosis);
	else
		diagnose_here(facts, ret_diagnosis);
}

void diagnose_unproven(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	_words_ struct diagnosis_words words = {0};
	char gid[GID_TEXT_SIZE];

	gid_format(&facts->local->gid, gid);
	diagnosis_words_make(&words, facts);
	diagnosis_words_add(&words, "gid", "%s", gid);
	diagnosis_say(ret_diagnosis, &words, LIST_UNPROVEN, (int)words.carrier);
}

void diagnosis_clear(struct diagnosis *diagnosis)
{
	free(diagnosis->sentence);
	free(diagnosis->hint);
	*diagnosis = (struct diagnosis){0};
}
