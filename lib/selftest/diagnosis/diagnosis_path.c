/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of a diagnosis that concerns the ports and the path between them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "host/device.h"
#include "host/endpoint/endpoint.h"
#include "selftest/diagnosis/diagnosis_rows.h"

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
	return diagnosis_say(ret_diagnosis, &words, LIST_MTU,
			     is_infiniband(smaller) ? CARRIER_INFINIBAND : CARRIER_UNKNOWN);
}

bool diagnose_path_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	uint32_t smaller;

	if (!facts->local || !facts->remote)
		return false;
	smaller = facts->local->mtu_bytes < facts->remote->mtu_bytes ? facts->local->mtu_bytes
								     : facts->remote->mtu_bytes;
	/* Two rdmactl agree on the smaller one; other programs use the MTU of their options. */
	if (facts->path_mtu_bytes && facts->path_mtu_bytes <= smaller)
		return false;
	return diagnose_mtu(facts, ret_diagnosis);
}

/* "rxa/1 sent 12 packets", or that it is not known. */
static void add_count(struct diagnosis_words *words, const char *name, const char *port,
		      const char *verb, const struct number *count)
{
	if (!count->known)
		diagnosis_words_add(words, name, "how many packets %s %s is not known", port, verb);
	else if (!count->value)
		diagnosis_words_add(words, name, "%s %s no packet", port, verb);
	else
		diagnosis_words_add(words, name, "%s %s %" PRIu64 " packet%s", port, verb,
				    count->value, count->value == 1 ? "" : "s");
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

/* Some packets arrive on both sides: they are not blocked but lost, or too long. */
static bool say_loss(const struct diagnosis_facts *facts, struct diagnosis_words *words,
		     struct diagnosis *ret)
{
	const struct number *again = &facts->local_counts.by_class[COUNTER_RETRANSMISSION];

	if (diagnose_path_mtu(facts, ret))
		return true;
	if (again->known && again->value)
		diagnosis_words_add(words, "again", ", %" PRIu64 " retransmission event%s here",
				    again->value, again->value == 1 ? "" : "s");
	return diagnosis_say(ret, words, LIST_DELIVERY,
			     words->carrier == CARRIER_INFINIBAND ? DELIVERY_LOST_INFINIBAND
								  : DELIVERY_LOST);
}

bool diagnose_delivery(const struct diagnosis_facts *facts, struct diagnosis_words *words,
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

	diagnosis_say(&blocked, words, LIST_BLOCKED, (int)words->carrier);
	diagnosis_words_add(words, "blocked", "%s", blocked.sentence);
	diagnosis_words_add(words, "unblock", "%s", blocked.hint);
	diagnosis_words_add(words, "without_lid", "%s", has_no_lid(facts->local) ? near : far);
	diagnosis_words_add(words, "none_back", "%s",
			    is_none(received) ? " and received none" : "");
	if (words->carrier == CARRIER_INFINIBAND && diagnosis_known(facts->local) &&
	    diagnosis_known(facts->remote))
		diagnosis_words_add(words, "lids", " (LID %" PRIu32 " to LID %" PRIu32 ")",
				    facts->local->lid, facts->remote->lid);
	add_count(words, "sent", near, "sent", sent);
	add_count(words, "arrived", seen_here ? "it" : far, "received",
		  seen_here ? received : arrived);
	if (has_no_lid(facts->local) || has_no_lid(facts->remote))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_NO_LID);
	if (is_none(sent))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_NOT_SENT);
	if (!arrived->known && !seen_here)
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_UNKNOWN);
	if (is_none(arrived))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_BLOCKED);
	if (arrived->known && facts->peer && is_none(received))
		return diagnosis_say(ret_diagnosis, words, LIST_DELIVERY, DELIVERY_BLOCKED_BACK);
	return say_loss(facts, words, ret_diagnosis);
}
