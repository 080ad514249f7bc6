/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/diagnosis/diagnosis.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "selftest/diagnosis/diagnosis_cm.h"
#include "selftest/diagnosis/diagnosis_path.h"

#define _words_ _cleanup_(diagnosis_words_clear)

static const char kernel_log_hint[] =
	"the kernel logs of both hosts (dmesg) and the firmware's version (rdmactl devices) tell "
	"more";

static char *serve_hint(const struct diagnosis_facts *facts)
{
	if (facts->server_hint)
		return mem_format("start there: %s", facts->server_hint);
	if (facts->tcp_port)
		return mem_format("start there: rdmactl selftest --serve --port %u",
				  facts->tcp_port);
	return mem_string("start there: rdmactl selftest --serve");
}

static bool say_end(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		    struct diagnosis *ret)
{
	switch (facts->end) {
	case END_INTERRUPTED:
		return diagnosis_say(ret, mem_string("interrupted before the test was done"), NULL);
	case END_DEVICE_REMOVED:
		return diagnosis_say(
			ret,
			mem_format("device %s was removed during the test", words->near_device),
			mem_string("the kernel log (dmesg) tells who did it: a driver unloaded, "
				   "rdma link delete, a reset of the adapter"));
	case END_PORT_DOWN:
		return diagnosis_say(
			ret, mem_format("port %s went down during the test", words->near),
			mem_format("rdmactl ports %s shows its state now, the kernel log (dmesg) "
				   "when it went down",
				   words->near));
	case END_PEER_GONE:
		return diagnosis_say(
			ret,
			mem_format("%s ended the exchange during the test: its rdmactl "
				   "was stopped or killed",
				   words->peer),
			serve_hint(facts));
	default:
		return false;
	}
}

/* Nothing came for so long, and no error told why. */
static bool say_timeout(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			struct diagnosis *ret)
{
	_cleanup_(freep) char *lead = NULL;

	if (facts->stage == STAGE_TRANSFER || facts->stage == STAGE_CM) {
		lead = mem_format("nothing came within %" PRIu32 " ms", facts->timeout_msec);
		diagnose_delivery(facts, words, lead, ret);
		return true;
	}
	return diagnosis_say(ret,
			     mem_format("%s did not answer within %" PRIu32
					" ms on TCP port %u: what listens there may be another "
					"program, or a host that hangs",
					words->peer, facts->timeout_msec, facts->tcp_port),
			     serve_hint(facts));
}

static bool say_version(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			struct diagnosis *ret)
{
	_cleanup_(
		freep) char *theirs = facts->peer_lowest == facts->peer_highest
					      ? mem_format("version %" PRIu32, facts->peer_highest)
					      : mem_format("versions %" PRIu32 " to %" PRIu32,
							   facts->peer_lowest, facts->peer_highest);

	return diagnosis_say(ret,
			     mem_format("this side speaks version %" PRIu32
					" of the exchange protocol, %s speaks %s",
					facts->version, words->peer,
					facts->peer_highest ? theirs : "another one"),
			     mem_string("install the same release on both hosts: rdmactl --version "
					"shows it"));
}

static bool say_refusal(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			struct diagnosis *ret)
{
	static const char *const reasons[DIAGNOSIS_REFUSALS][2] = {
		[DIAGNOSIS_REFUSED_TOKEN] = {"the token is not the one that it asks for",
					     "give the same --token on both sides"},
		[DIAGNOSIS_REFUSED_BUSY] = {"it serves as many clients as it may",
					    "wait until other tests end, and try again"},
		[DIAGNOSIS_REFUSED_LIMIT] = {"the test asks for more than it grants",
					     "ask for less: smaller --sizes, fewer --qps or a "
					     "smaller --depth"},
		[DIAGNOSIS_REFUSED_ORDER] = {"it does not take an order with these values",
					     "the releases may not fit: rdmactl --version on both "
					     "hosts"},
		[DIAGNOSIS_REFUSED_NO_PORT] =
			{"it has no active port and GID that fit",
			 "rdmactl gids shows what there is; name a port there: rdmactl selftest "
			 "--serve DEV/PORT"},
		[DIAGNOSIS_REFUSED_GID_TYPE] = {"it has no GID of the same type and family",
						"choose another GID here with --gid-index: rdmactl "
						"gids shows them on both sides"},
	};
	const char *const *reason = reasons[facts->refusal];

	if (facts->refusal == DIAGNOSIS_REFUSED_VERSION)
		return say_version(facts, words, ret);
	return diagnosis_say(ret,
			     mem_format("%s refused: %s%s%s%s", words->peer, reason[0],
					facts->refusal_text ? " (" : "",
					facts->refusal_text ? facts->refusal_text : "",
					facts->refusal_text ? ")" : ""),
			     mem_string(reason[1]));
}

static bool say_no_way(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		       struct diagnosis *ret)
{
	if (facts->error == EHOSTUNREACH && facts->stage == STAGE_TCP)
		return diagnosis_say(
			ret,
			mem_format("%s cannot be reached: nobody answers for the address, or a "
				   "firewall rejects it",
				   words->peer),
			mem_format("check the address: ping %s; ip neigh shows FAILED if there is "
				   "no such host",
				   words->peer));
	return diagnosis_say(ret,
			     mem_format("no route to %s: %s", words->peer, strerror(facts->error)),
			     mem_format("ip route get %s shows what the kernel does", words->peer));
}

static bool say_tcp(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		    struct diagnosis *ret)
{
	switch (facts->error) {
	case ECONNREFUSED:
		return diagnosis_say(ret,
				     mem_format("%s refused the connection: nothing listens on its "
						"TCP port %u",
						words->peer, facts->tcp_port),
				     serve_hint(facts));
	case ETIMEDOUT:
		return diagnosis_say(
			ret,
			mem_format("no answer from %s on TCP port %u: a firewall drops it, or the "
				   "address is wrong",
				   words->peer, facts->tcp_port),
			mem_format("ping %s, and let TCP port %u pass in its firewall (nft list "
				   "ruleset)",
				   words->peer, facts->tcp_port));
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EHOSTDOWN:
		return say_no_way(facts, words, ret);
	default:
		return diagnosis_say(ret,
				     mem_format("cannot connect to %s on TCP port %u: %s",
						words->peer, facts->tcp_port,
						strerror(facts->error)),
				     mem_format("ping %s tells if the host is there", words->peer));
	}
}

static bool say_handshake(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			  struct diagnosis *ret)
{
	switch (facts->error) {
	case EPROTONOSUPPORT:
		return say_version(facts, words, ret);
	case EPROTO:
	case EBADMSG:
	case EMSGSIZE:
		return diagnosis_say(ret,
				     mem_format("what answers on TCP port %u of %s does not speak "
						"this protocol",
						facts->tcp_port, words->peer),
				     serve_hint(facts));
	case ETIMEDOUT:
		return diagnosis_say(ret,
				     mem_format("%s took the connection on TCP port %u and then "
						"said nothing",
						words->peer, facts->tcp_port),
				     serve_hint(facts));
	default:
		return diagnosis_say(
			ret,
			mem_format("%s closed the connection during the exchange: %s", words->peer,
				   facts->error ? strerror(facts->error) : "no reason given"),
			serve_hint(facts));
	}
}

static bool say_open(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		     struct diagnosis *ret)
{
	const char *device = words->near_device;

	switch (facts->error) {
	case EACCES:
	case EPERM:
		return diagnosis_say(ret,
				     mem_format("may not open the uverbs device file of %s: %s",
						device, strerror(facts->error)),
				     mem_string("run as root, or join the group that ls -l "
						"/dev/infiniband shows; a container needs --device "
						"/dev/infiniband"));
	case ENOENT:
	case ENXIO:
	case ENOSYS:
		return diagnosis_say(ret, mem_format("%s has no uverbs device file", device),
				     mem_string("modprobe ib_uverbs; a container needs --device "
						"/dev/infiniband"));
	case ENODEV:
		return diagnosis_say(
			ret,
			mem_format("libibverbs does not know %s: its provider library or its "
				   "uverbs device file is missing",
				   device),
			mem_string("install the providers (ibverbs-providers, or rdma-core) and "
				   "look for /dev/infiniband/uverbs*"));
	default:
		return diagnosis_say(
			ret, mem_format("cannot open %s: %s", device, strerror(facts->error)),
			mem_string(kernel_log_hint));
	}
}

static bool say_library(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	if (facts->error == ENOSYS || facts->error == ENOENT)
		return diagnosis_say(ret, mem_string("the kernel offers no verbs to programs"),
				     mem_string("modprobe ib_uverbs rdma_ucm"));
	return diagnosis_say(ret,
			     mem_format("libibverbs or librdmacm cannot be loaded: %s",
					strerror(facts->error)),
			     mem_string("install them: libibverbs1, librdmacm1 and "
					"ibverbs-providers, or rdma-core"));
}

static const char memlock_hint[] =
	"raise it: ulimit -l unlimited (memlock in /etc/security/limits.conf), "
	"LimitMEMLOCK=infinity in a systemd unit, --ulimit memlock=-1 for a container";

/* Registered memory, and the driver's own queues, are locked: RLIMIT_MEMLOCK, getrlimit(2). */
static bool say_memory(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		       struct diagnosis *ret)
{
	const struct number *limit = &facts->memlock_limit_bytes;
	_cleanup_(freep) char *wanted = facts->wanted_bytes.known
						? diagnosis_bytes(facts->wanted_bytes.value)
						: mem_string("memory");
	_cleanup_(freep) char *most = diagnosis_bytes(limit->value);
	const char *what = facts->stage == STAGE_MEMORY ? wanted : "the memory of queues";

	if (!limit->known || limit->value == UINT64_MAX)
		return diagnosis_say(
			ret,
			mem_format("cannot register %s for %s: %s%s", what, words->near_device,
				   strerror(facts->error),
				   limit->known ? ", though RLIMIT_MEMLOCK sets no limit" : ""),
			mem_string("free memory on the host, or ask for less with --sizes, --qps "
				   "and --depth; ulimit -l shows the limit"));
	return diagnosis_say(ret,
			     mem_format("cannot lock %s for %s: RLIMIT_MEMLOCK is %s%s", what,
					words->near_device, most,
					facts->wanted_bytes.known &&
							facts->wanted_bytes.value <= limit->value
						? ", and what is locked already counts, too"
						: ""),
			     mem_string(memlock_hint));
}

static bool say_queues(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		       struct diagnosis *ret)
{
	if (facts->error == EINVAL)
		return diagnosis_say(ret,
				     mem_format("%s does not make such queues: more entries, "
						"elements or inline data than it can",
						words->near_device),
				     mem_format("ask for less with --depth and --qps; rdmactl caps "
						"%s shows its limits",
						words->near_device));
	if (facts->error == EOPNOTSUPP || facts->error == ENOSYS)
		return diagnosis_say(
			ret,
			mem_format("%s does not have queue pairs of that type", words->near_device),
			mem_format("rdmactl caps %s shows what it can", words->near_device));
	return diagnosis_say(ret,
			     mem_format("%s cannot create queues: %s", words->near_device,
					strerror(facts->error)),
			     mem_string(kernel_log_hint));
}

static bool say_connect_qp(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			   struct diagnosis *ret)
{
	_cleanup_(freep) char *netdev = diagnosis_netdev(facts->local, "the netdev");

	switch (facts->error) {
	case ETIMEDOUT:
	case EHOSTUNREACH:
	case EHOSTDOWN:
		return diagnosis_say(
			ret,
			mem_format("nobody answers for the GID of %s: %s finds no hardware address "
				   "for it",
				   words->far, netdev),
			mem_format("ip neigh show dev %s shows FAILED for it: both GIDs must be in "
				   "one subnet, or routed between",
				   netdev));
	case ENETUNREACH:
		return diagnosis_say(
			ret,
			mem_format("no route from %s to the GID of %s", words->near, words->far),
			mem_string("ip route get ADDRESS shows what the kernel does with the "
				   "address of that GID: rdmactl gids"));
	case EINVAL:
		if (diagnose_path_mtu(facts, ret))
			return true;
		break;
	default:
		break;
	}
	return diagnosis_say(
		ret,
		mem_format("%s does not connect its queue pair to %s: %s", words->near, words->far,
			   strerror(facts->error)),
		mem_format("the GID may have gone: rdmactl gids %s; else the kernel log (dmesg)",
			   words->near));
}

static bool say_rnr(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		    struct diagnosis *ret)
{
	const struct number *rnr = &facts->local_counts.by_class[COUNTER_RNR];
	_cleanup_(freep) char *times = rnr->known && rnr->value
					       ? mem_format(", %" PRIu64 " such events", rnr->value)
					       : mem_string("");

	return diagnosis_say(
		ret,
		mem_format("%s was not ready to receive (%s): it had no receive buffer "
			   "posted when the messages came%s",
			   words->far, completion_status_name((unsigned int)facts->status.value),
			   times),
		mem_string("the program there is too slow or hangs: try a smaller "
			   "--depth, and look at its load (top)"));
}

static bool say_transfer(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
			 struct diagnosis *ret)
{
	const unsigned int status = (unsigned int)facts->status.value;
	_cleanup_(freep) char *lead = NULL;

	if (!facts->status.known)
		return diagnosis_say(ret,
				     mem_format("the transfer from %s to %s failed: %s",
						words->near, words->far, strerror(facts->error)),
				     mem_string(kernel_log_hint));
	switch (status) {
	case COMPLETION_RETRIES_EXCEEDED:
	case COMPLETION_RESPONSE_TIMEOUT:
		lead = mem_format("%s did not answer (%s)", words->far,
				  completion_status_name(status));
		diagnose_delivery(facts, words, lead, ret);
		return true;
	case COMPLETION_RNR_RETRIES_EXCEEDED:
		return say_rnr(facts, words, ret);
	case COMPLETION_LOCAL_LENGTH:
	case COMPLETION_REMOTE_INVALID_REQUEST:
		if (diagnose_path_mtu(facts, ret))
			return true;
		break;
	default:
		break;
	}
	return diagnosis_say(ret,
			     mem_format("%s to %s: %s (status %u): %s", words->near, words->far,
					completion_status_name(status), status,
					completion_status_meaning(status)),
			     mem_string(kernel_log_hint));
}

static bool say_stage(const struct diagnosis_facts *facts, const struct diagnosis_words *words,
		      struct diagnosis *ret)
{
	switch (facts->stage) {
	case STAGE_RESOLVE:
		return say_no_way(facts, words, ret);
	case STAGE_TCP:
		return say_tcp(facts, words, ret);
	case STAGE_HANDSHAKE:
		return say_handshake(facts, words, ret);
	case STAGE_LIBRARY:
		return say_library(facts, ret);
	case STAGE_OPEN:
		return say_open(facts, words, ret);
	case STAGE_MEMORY:
		return say_memory(facts, words, ret);
	case STAGE_QUEUES:
		if (facts->error == ENOMEM)
			return say_memory(facts, words, ret);
		return say_queues(facts, words, ret);
	case STAGE_CONNECT_QP:
		return say_connect_qp(facts, words, ret);
	case STAGE_CM:
		return diagnose_cm(facts, words, ret);
	case STAGE_TRANSFER:
		return say_transfer(facts, words, ret);
	default:
		return diagnosis_say(ret, mem_format("failed: %s", strerror(facts->error)), NULL);
	}
}

/* A step that needs no more than this host, or TCP, fails whatever the ports are. */
static bool concerns_ports(enum diagnosis_stage stage)
{
	return stage <= STAGE_RESOLVE || stage >= STAGE_CONNECT_QP;
}

static void diagnose_here(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	_words_ struct diagnosis_words words = {0};

	diagnosis_words_make(&words, facts);
	if (say_end(facts, &words, ret))
		return;
	if (facts->refusal && say_refusal(facts, &words, ret))
		return;
	if (concerns_ports(facts->stage) &&
	    (diagnose_port_state(facts, &words, ret) || diagnose_mismatch(facts, ret)))
		return;
	if (facts->end == END_TIMED_OUT)
		say_timeout(facts, &words, ret);
	else
		say_stage(facts, &words, ret);
}

/* The same with both sides swapped: to the peer, this side is the other one. */
static void diagnose_there(const struct diagnosis_facts *facts, struct diagnosis *ret)
{
	struct diagnosis_facts swapped = *facts;
	struct diagnosis found = {0};

	swapped.local = facts->remote;
	swapped.remote = facts->local;
	swapped.local_counts = facts->remote_counts;
	swapped.remote_counts = facts->local_counts;
	swapped.peer = "this host";
	diagnose_here(&swapped, &found);
	diagnosis_say(ret, mem_format("on %s: %s", facts->peer, found.sentence),
		      found.hint ? mem_format("on %s: %s", facts->peer, found.hint) : NULL);
	diagnosis_clear(&found);
}

void diagnose(const struct diagnosis_facts *facts, struct diagnosis *ret_diagnosis)
{
	if (facts->at_peer && facts->peer)
		diagnose_there(facts, ret_diagnosis);
	else
		diagnose_here(facts, ret_diagnosis);
}

void diagnosis_clear(struct diagnosis *diagnosis)
{
	free(diagnosis->sentence);
	free(diagnosis->hint);
	*diagnosis = (struct diagnosis){0};
}
