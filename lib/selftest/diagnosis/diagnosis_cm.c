/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis_cm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/diagnosis/diagnosis_path.h"

/* enum rdma_cm_event_type, rdma/rdma_cma.h; words of rdma_event_str(). */
enum cm_event {
	CM_ADDR_ERROR = 1,
	CM_ROUTE_ERROR = 3,
	CM_CONNECT_ERROR = 6,
	CM_UNREACHABLE = 7,
	CM_REJECTED = 8,
	CM_DISCONNECTED = 10,
	CM_DEVICE_REMOVAL = 11,
	CM_MULTICAST_ERROR = 13,
	CM_ADDR_CHANGE = 14,
};

static const struct enum_name event_names[] = {
	{0, "ADDR_RESOLVED"},
	{1, "ADDR_ERROR"},
	{2, "ROUTE_RESOLVED"},
	{3, "ROUTE_ERROR"},
	{4, "CONNECT_REQUEST"},
	{5, "CONNECT_RESPONSE"},
	{6, "CONNECT_ERROR"},
	{7, "UNREACHABLE"},
	{8, "REJECTED"},
	{9, "ESTABLISHED"},
	{10, "DISCONNECTED"},
	{11, "DEVICE_REMOVAL"},
	{12, "MULTICAST_JOIN"},
	{13, "MULTICAST_ERROR"},
	{14, "ADDR_CHANGE"},
	{15, "TIMEWAIT_EXIT"},
	{0, NULL},
};

/*
 * Why the peer's connection manager rejects: InfiniBand Architecture Specification volume
 * 1, 12.6.7, REJ; the same in enum ib_cm_rej_reason, include/rdma/ib_cm.h. Of iWARP it is -errno.
 */
enum reject {
	REJECT_NO_QP = 1,
	REJECT_NO_RESOURCES = 3,
	REJECT_TIMEOUT = 4,
	REJECT_SERVICE_ID = 8,
	REJECT_STALE = 10,
	REJECT_GID = 12,
	REJECT_MTU = 26,
	REJECT_RESPONDER_RESOURCES = 27,
	REJECT_CONSUMER = 28,
};

static const struct enum_name reject_words[] = {
	{REJECT_NO_QP, "it has no queue pair left"},
	{REJECT_NO_RESOURCES, "it lacks resources"},
	{REJECT_TIMEOUT, "an answer of this side came too late"},
	{REJECT_STALE, "it still has a connection of this queue pair"},
	{REJECT_GID, "the GID is not its own"},
	{REJECT_MTU, "it does not have the MTU"},
	{REJECT_RESPONDER_RESOURCES, "it cannot answer so many outstanding reads"},
	{REJECT_CONSUMER, "the program there does not want it"},
	{0, NULL},
};

static char *serve_hint(const struct diagnosis_facts *facts)
{
	return mem_format("start there: %s",
			  facts->server_hint ? facts->server_hint : "rdmactl selftest --serve");
}

/* A call of librdmacm failed before anything was sent. */
static bool say_call(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		     struct diagnosis *ret)
{
	switch (facts->error) {
	case EACCES:
	case EPERM:
		return diagnosis_say(ret,
				     mem_format("may not open /dev/infiniband/rdma_cm: %s",
						strerror(facts->error)),
				     mem_string(
					     "run as root, or let the device file's group in (ls "
					     "-l /dev/infiniband); a container needs --device "
					     "/dev/infiniband"));
	case ENOENT:
	case ENXIO:
	case ENOSYS:
		return diagnosis_say(ret,
				     mem_string("there is no device file /dev/infiniband/rdma_cm"),
				     mem_string("modprobe rdma_ucm; a container needs --device "
						"/dev/infiniband"));
	case ENODEV:
	case EADDRNOTAVAIL:
		return diagnosis_say(
			ret,
			mem_format("librdmacm finds no RDMA device for the address of %s",
				   words->near),
			mem_string("the netdev of an RDMA device must have it: rdmactl netdevs, ip "
				   "addr"));
	case EADDRINUSE:
		return diagnosis_say(
			ret,
			mem_format("port %u of librdmacm is taken by another program",
				   facts->tcp_port),
			mem_string("choose another --port; rdma resource show cm_id tells who has "
				   "it"));
	case EXDEV:
		return diagnosis_say(
			ret,
			mem_format("rdma_cm takes the device %s for the address of %s",
				   facts->call ? facts->call : "of another name", words->near),
			mem_string("two RDMA devices share this address, and rdma_cm can only use "
				   "one of them: test that one, or remove it"));
	case ETIMEDOUT:
		return diagnosis_say(
			ret,
			mem_format("%s got no answer to its connection request from %s",
				   words->near, words->far),
			mem_string("rdma_cm goes by the IP addresses of the RDMA netdevs: check "
				   "them and the routes between them; rping tests the same way"));
	default:
		return diagnosis_say(ret,
				     mem_format("%s failed on %s: %s",
						facts->call ? facts->call : "librdmacm",
						words->near, strerror(facts->error)),
				     mem_string("the kernel log (dmesg) tells more"));
	}
}

static bool say_address(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			struct diagnosis *ret)
{
	switch (-facts->cm_status) {
	case ENODEV:
		return diagnosis_say(
			ret,
			mem_format("the route to %s leaves by a netdev without an RDMA device",
				   words->peer),
			mem_format("ip route get %s names it, rdmactl netdevs those with one",
				   words->peer));
	case ETIMEDOUT:
	case EHOSTUNREACH:
		return diagnosis_say(
			ret, mem_format("nobody answers for the address of %s", words->peer),
			mem_format("ping %s; ip neigh shows FAILED if there is no such host",
				   words->peer));
	default:
		return diagnosis_say(
			ret,
			mem_format("no route to %s: %s", words->peer, strerror(-facts->cm_status)),
			mem_format("ip route get %s shows what the kernel does", words->peer));
	}
}

static bool say_route(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		      struct diagnosis *ret)
{
	if (words->carrier == CARRIER_INFINIBAND)
		return diagnosis_say(
			ret,
			mem_format("the subnet manager knows no path from %s to %s: %s",
				   words->near, words->far, strerror(abs(facts->cm_status))),
			mem_string("sminfo tells if one runs; both ports must be in one subnet and "
				   "one partition (rdmactl pkeys)"));
	return diagnosis_say(ret,
			     mem_format("no path from %s to %s: %s", words->near, words->far,
					strerror(abs(facts->cm_status))),
			     mem_format("ip route get %s shows what the kernel does", words->peer));
}

static bool say_rejected(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			 struct diagnosis *ret)
{
	const int reason = facts->cm_status;
	const char *word = reason > 0 ? enum_word(reject_words, (uint64_t)reason, NULL)
				      : strerror(-reason);

	if (reason == REJECT_SERVICE_ID || reason == -ECONNREFUSED)
		return diagnosis_say(
			ret,
			mem_format("%s refused the connection: nothing listens on port "
				   "%u of its librdmacm",
				   words->far, facts->tcp_port),
			serve_hint(facts));
	if (reason == REJECT_MTU && diagnose_mtu(facts, ret))
		return true;
	return diagnosis_say(ret,
			     mem_format("%s rejected the connection: %s (reason %d)", words->far,
					word ? word : "no reason that is known here", reason),
			     mem_string("look at what runs there: its messages, and the kernel log "
					"(dmesg)"));
}

static bool say_unreachable(const struct diagnosis_facts *facts,
			    const struct diagnosis_words *words, struct diagnosis *ret)
{
	_cleanup_(freep) char *lead = mem_format("%s did not answer the connect request",
						 words->far);

	diagnose_delivery(facts, words, lead, ret);
	return true;
}

static bool say_event(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		      struct diagnosis *ret)
{
	const char *event = enum_word(event_names, facts->cm_event.value, "unknown");

	if (facts->cm_status < 0)
		return diagnosis_say(ret,
				     mem_format("librdmacm gave up on %s: %s, %s", words->far,
						event, strerror(-facts->cm_status)),
				     mem_string("the kernel logs of both hosts (dmesg) tell more"));
	return diagnosis_say(ret,
			     mem_format("librdmacm gave up on %s: %s, status %d", words->far, event,
					facts->cm_status),
			     mem_string("the kernel logs of both hosts (dmesg) tell more"));
}

bool diagnose_cm(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		 struct diagnosis *ret_diagnosis)
{
	struct diagnosis_facts changed = *facts;

	/* siw connects its TCP socket within rdma_connect(), which fails then. */
	if (!facts->cm_event.known && facts->error == ECONNREFUSED) {
		changed.cm_status = -ECONNREFUSED;
		return say_rejected(&changed, words, ret_diagnosis);
	}
	if (!facts->cm_event.known)
		return say_call(facts, words, ret_diagnosis);
	switch (facts->cm_event.value) {
	case CM_ADDR_ERROR:
		return say_address(facts, words, ret_diagnosis);
	case CM_ROUTE_ERROR:
		return say_route(facts, words, ret_diagnosis);
	case CM_UNREACHABLE:
		return say_unreachable(facts, words, ret_diagnosis);
	case CM_REJECTED:
		return say_rejected(facts, words, ret_diagnosis);
	case CM_CONNECT_ERROR:
		/* iWARP's TCP connection, or the queue pair's own state */
		if (facts->cm_status == -ETIMEDOUT)
			return say_unreachable(facts, words, ret_diagnosis);
		if (facts->cm_status == -ECONNREFUSED)
			return say_rejected(facts, words, ret_diagnosis);
		return say_event(facts, words, ret_diagnosis);
	case CM_DISCONNECTED:
		changed.end = END_PEER_GONE;
		break;
	case CM_DEVICE_REMOVAL:
		changed.end = END_DEVICE_REMOVED;
		break;
	case CM_MULTICAST_ERROR:
		return diagnosis_say(
			ret_diagnosis,
			mem_format("%s could not join the multicast group: status %d", words->near,
				   facts->cm_status),
			mem_string(words->carrier == CARRIER_INFINIBAND
					   ? "the subnet manager grants it: sminfo tells if one "
					     "runs"
					   : "the switches must pass multicast (IGMP), and the "
					     "adapter must have it: rdmactl caps"));
	default:
		return say_event(facts, words, ret_diagnosis);
	}
	changed.at_peer = false;
	diagnose(&changed, ret_diagnosis);
	return true;
}
