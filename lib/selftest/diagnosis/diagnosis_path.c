/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "host/link.h"
#include "mad/format/codes.h"

#define _words_ _cleanup_(diagnosis_words_clear)

enum { OPER_DOWN = 2, OPER_LOWER_LAYER_DOWN = 3 }; /* IF_OPER_*, linux/if.h */

static bool is_infiniband(const struct endpoint *endpoint)
{
	return endpoint->link_layer == LINK_LAYER_INFINIBAND;
}

static char *state_hint(const struct endpoint *endpoint, const char *port)
{
	_cleanup_(freep) char *netdev = diagnosis_netdev(endpoint, "");

	if (is_infiniband(endpoint) &&
	    (endpoint->state == PORT_STATE_INIT || endpoint->state == PORT_STATE_ARMED))
		return mem_string("no subnet manager has brought it up: sminfo tells if one runs, "
				  "opensm is one");
	if (is_infiniband(endpoint) || !netdev[0])
		return mem_format("check the cable and the other end; rdmactl ports %s shows the "
				  "physical state",
				  port);
	if (endpoint->operstate == OPER_DOWN)
		return mem_format("ip link set %s up", netdev);
	if (endpoint->operstate == OPER_LOWER_LAYER_DOWN)
		return mem_format("%s has no carrier: check the cable and the other end (ethtool "
				  "%s, ip link show %s)",
				  netdev, netdev, netdev);
	return mem_format("ip link show %s and the kernel log (dmesg) tell more", netdev);
}

static bool say_state(const struct endpoint *endpoint, const char *peer, struct diagnosis *ret)
{
	_cleanup_(freep) char *port = diagnosis_port(endpoint, "");
	_cleanup_(freep) char *netdev = diagnosis_netdev(endpoint, "");
	_cleanup_(freep) char *hint = state_hint(endpoint, port);
	const char *state = enum_word(port_state_names, endpoint->state, "in an unknown state");
	_cleanup_(freep) char *carrier = NULL;

	if (netdev[0] && endpoint->operstate)
		carrier = mem_format(" (its netdev %s is %s)", netdev,
				     enum_word(operstate_names, endpoint->operstate, "unknown"));
	return diagnosis_say(ret,
			     mem_format("port %s%s%s is not ACTIVE but %s%s", port,
					peer ? " of " : "", peer ? peer : "", state,
					carrier ? carrier : ""),
			     peer ? mem_format("on %s: %s", peer, hint) : mem_string(hint));
}

static bool is_inactive(const struct endpoint *endpoint)
{
	return diagnosis_known(endpoint) && endpoint->state && endpoint->state != PORT_STATE_ACTIVE;
}

bool diagnose_port_state(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			 struct diagnosis *ret_diagnosis)
{
	if (is_inactive(facts->local))
		return say_state(facts->local, NULL, ret_diagnosis);
	if (is_inactive(facts->remote))
		return say_state(facts->remote, words->peer, ret_diagnosis);
	return false;
}

static const char *family_of(const struct endpoint *endpoint)
{
	return gid_is_ipv4_mapped(&endpoint->gid) ? "IPv4" : "IPv6";
}

bool diagnose_mismatch(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	_words_ struct diagnosis_words words = {0};

	if (!local || !remote)
		return false;
	diagnosis_words_make(&words, facts);
	if (local->transport != remote->transport || local->link_layer != remote->link_layer)
		return diagnosis_say(
			ret_diagnosis,
			mem_format("%s is %s, %s is %s: they do not talk to each other", words.near,
				   diagnosis_kind(local), words.far, diagnosis_kind(remote)),
			mem_string("name ports of one kind on both sides: rdmactl devices shows "
				   "the transport"));
	if (local->transport != TRANSPORT_ROCE)
		return false;
	if (local->gid_type != remote->gid_type)
		return diagnosis_say(
			ret_diagnosis,
			mem_format("GIDs of different types do not talk to each other: index "
				   "%" PRIu32 " of %s is %s, index %" PRIu32 " of %s is %s",
				   local->gid_index, words.near, diagnosis_kind(local),
				   remote->gid_index, words.far, diagnosis_kind(remote)),
			mem_string("choose one type with --gid-index on both sides: rdmactl gids "
				   "--type roce-v2 shows them"));
	if (gid_is_ipv4_mapped(&local->gid) != gid_is_ipv4_mapped(&remote->gid))
		return diagnosis_say(
			ret_diagnosis,
			mem_format("GIDs of different families do not talk to each other: index "
				   "%" PRIu32 " of %s is %s, index %" PRIu32 " of %s is %s",
				   local->gid_index, words.near, family_of(local),
				   remote->gid_index, words.far, family_of(remote)),
			mem_string("choose one family with --gid-index on both sides: rdmactl gids "
				   "shows the IP addresses"));
	return false;
}

/* The kernel takes the headers off the netdev's MTU: iboe_get_mtu(), include/rdma/ib_addr.h. */
static char *mtu_hint(const struct endpoint *smaller, const char *where)
{
	_cleanup_(freep) char *netdev = diagnosis_netdev(smaller, "the netdev");

	if (is_infiniband(smaller))
		return mem_string("the subnet manager sets the MTU of InfiniBand ports: smpquery "
				  "portinfo shows what each port can");
	return mem_format("give the netdevs of both sides, and the switches between them, one MTU: "
			  "%s%s has the smaller one (an MTU of 1500 makes 1024, 4200 makes 4096)",
			  netdev, where);
}

bool diagnose_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	const struct endpoint *local = diagnosis_known(facts->local);
	const struct endpoint *remote = diagnosis_known(facts->remote);
	_words_ struct diagnosis_words words = {0};
	_cleanup_(freep) char *there = NULL;
	bool near;

	if (!local || !remote || !local->mtu_bytes || !remote->mtu_bytes ||
	    local->mtu_bytes == remote->mtu_bytes)
		return false;
	diagnosis_words_make(&words, facts);
	near = local->mtu_bytes < remote->mtu_bytes;
	there = mem_format(" on %s", words.peer);
	return diagnosis_say(ret_diagnosis,
			     mem_format("the MTUs differ: %s has %" PRIu32
					" bytes, %s has %" PRIu32,
					words.near, local->mtu_bytes, words.far, remote->mtu_bytes),
			     mtu_hint(near ? local : remote, near ? "" : there));
}

bool diagnose_path_mtu(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	uint32_t smaller;

	if (!facts->local || !facts->remote)
		return false;
	smaller = facts->local->mtu_bytes < facts->remote->mtu_bytes ? facts->local->mtu_bytes
								     : facts->remote->mtu_bytes;
	/* Two rdmactl agree on the smaller one; other programs go by what they are told. */
	if (facts->path_mtu_bytes && facts->path_mtu_bytes <= smaller)
		return false;
	return diagnose_mtu(facts, ret_diagnosis);
}

/* "rxa/1 sent 12 packets", or that it is not known. */
static char *count_words(const char *port, const char *verb, const struct number *count)
{
	if (!count->known)
		return mem_format("what %s %s is not known", port, verb);
	if (!count->value)
		return mem_format("%s %s no packet", port, verb);
	return mem_format("%s %s %" PRIu64 " packet%s", port, verb, count->value,
			  count->value == 1 ? "" : "s");
}

/* What does not get through, and where to look. */
struct blockage {
	const char *what;
	const char *hint;
};

static struct blockage blockage_of(enum diagnosis_carrier carrier)
{
	switch (carrier) {
	case CARRIER_ROCE_V2:
		return (struct blockage){
			"UDP port 4791 (RoCE v2) seems to be blocked",
			"let UDP port 4791 pass, both ways, in the firewalls of both hosts (nft "
			"list ruleset) and in the access lists of the switches between them"};
	case CARRIER_ROCE_V1:
		return (struct blockage){
			"RoCE v1 frames (Ethertype 0x8915) do not get through",
			"no router passes them on: both ports must be in one VLAN; or choose RoCE "
			"v2 GIDs with --gid-index"};
	case CARRIER_IWARP:
		return (struct blockage){
			"iWARP's TCP segments do not get through",
			"check the firewalls of both hosts and the way between them: ip route get, "
			"ping"};
	case CARRIER_INFINIBAND:
		return (struct blockage){
			"packets do not get from LID to LID",
			"check the way with the subnet manager: ibtracert LID LID; both ports must "
			"be in one subnet and one partition (rdmactl pkeys)"};
	default:
		return (struct blockage){"packets do not get through",
					 "check the way between the two ports"};
	}
}

static char *loss_hint(const struct diagnosis_facts *facts, const struct diagnosis_words *words)
{
	_cleanup_(freep) char *netdev = diagnosis_netdev(facts->local, "NETDEV");

	if (words->carrier == CARRIER_INFINIBAND)
		return mem_string(
			"look for ports with errors on the way: perfquery, ibqueryerrors; "
			"then cables and buffers");
	return mem_format(
		"look for drops on the way (ip -s link show %s, ethtool -S, the switches' "
		"counters), for flow control (PFC) that is not on all the way, and for an MTU "
		"smaller than the ports' between them (ping -M do -s SIZE)",
		netdev);
}

/* Some packets arrive on both sides: not blocked but lost, or too long. */
static void say_loss(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		     const char *lead, const char *sent, const char *received,
		     struct diagnosis *ret)
{
	const struct number *again = &facts->local_counts.by_class[COUNTER_RETRANSMISSION];
	_cleanup_(freep) char *anew = NULL;

	if (diagnose_path_mtu(facts, ret))
		return;
	if (again->known && again->value)
		anew = mem_format(", %" PRIu64 " event%s of retransmission on this side",
				  again->value, again->value == 1 ? "" : "s");
	diagnosis_say(ret,
		      mem_format("%s: packets are lost on the way, though some get through: %s, "
				 "%s%s",
				 lead, sent, received, anew ? anew : ""),
		      loss_hint(facts, words));
}

/* The counters of this side alone are known. */
static void say_open(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		     const char *lead, const char *sent, struct diagnosis *ret)
{
	const struct blockage blockage = blockage_of(words->carrier);
	const struct counter_sums *here = &facts->local_counts;

	if (diagnosis_is_some(here, COUNTER_TRAFFIC_RECEIVED)) {
		_cleanup_(freep) char *received = count_words(
			"it", "received", &here->by_class[COUNTER_TRAFFIC_RECEIVED]);

		say_loss(facts, words, lead, sent, received, ret);
		return;
	}
	diagnosis_say(ret,
		      mem_format("%s: %s%s; whether they arrived is open, because the counters of "
				 "%s are not known",
				 lead, sent,
				 diagnosis_is_none(here, COUNTER_TRAFFIC_RECEIVED)
					 ? " and received none"
					 : "",
				 words->far),
		      mem_format("if nothing arrived there: %s", blockage.hint));
}

static bool has_no_lid(const struct endpoint *endpoint)
{
	return diagnosis_known(endpoint) && is_infiniband(endpoint) &&
	       (!endpoint->lid || endpoint->lid == 0xffff); /* the permissive LID: not assigned */
}

/* " (LID 3 to LID 7)" on InfiniBand. */
static char *lid_words(const struct diagnosis_facts *facts, const struct diagnosis_words *words)
{
	if (words->carrier != CARRIER_INFINIBAND || !diagnosis_known(facts->local) ||
	    !diagnosis_known(facts->remote))
		return mem_string("");
	return mem_format(" (LID %" PRIu32 " to LID %" PRIu32 ")", facts->local->lid,
			  facts->remote->lid);
}

void diagnose_delivery(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		       const char *lead, struct diagnosis *ret_diagnosis)
{
	const struct counter_sums *here = &facts->local_counts;
	const struct counter_sums *there = facts->peer ? &facts->remote_counts : here;
	const struct number *sent = &here->by_class[COUNTER_TRAFFIC_SENT];
	const struct number *arrived = &there->by_class[COUNTER_TRAFFIC_RECEIVED];
	const struct blockage blockage = blockage_of(words->carrier);
	_cleanup_(freep) char *sent_words = count_words(words->near, "sent", sent);
	_cleanup_(freep) char *arrived_words = count_words(words->far, "received", arrived);
	_cleanup_(freep) char *lids = lid_words(facts, words);

	if (has_no_lid(facts->local) || has_no_lid(facts->remote))
		diagnosis_say(ret_diagnosis,
			      mem_format("%s: port %s has no LID", lead,
					 has_no_lid(facts->local) ? words->near : words->far),
			      mem_string("no subnet manager has configured it: sminfo tells if one "
					 "runs, opensm is one"));
	else if (diagnosis_is_none(here, COUNTER_TRAFFIC_SENT))
		diagnosis_say(ret_diagnosis,
			      mem_format("%s: %s has not sent a single packet", lead, words->near),
			      mem_string("the port, its netdev or its firmware holds them back: ip "
					 "neigh and the kernel log (dmesg) tell more"));
	else if (!arrived->known)
		say_open(facts, words, lead, sent_words, ret_diagnosis);
	else if (!arrived->value)
		diagnosis_say(ret_diagnosis,
			      mem_format("%s: %s%s: %s, %s", lead, blockage.what, lids, sent_words,
					 arrived_words),
			      mem_string(blockage.hint));
	else if (facts->peer && diagnosis_is_none(here, COUNTER_TRAFFIC_RECEIVED))
		diagnosis_say(ret_diagnosis,
			      mem_format("%s: %s on the way back%s: %s, but %s received no packet",
					 lead, blockage.what, lids, arrived_words, words->near),
			      mem_string(blockage.hint));
	else
		say_loss(facts, words, lead, sent_words, arrived_words, ret_diagnosis);
}
