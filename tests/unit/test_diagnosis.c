/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The facts of a failed test, and the sentence made from them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "base/mem.h"
#include "host/device.h"
#include "selftest/diagnosis/diagnosis.h"

#define PEER "10.9.0.2"

struct bed {
	struct endpoint local, remote;
	struct diagnosis_facts facts;
	struct diagnosis diagnosis;
};

static struct endpoint make_endpoint(const char *device, const char *netdev, const char *ip)
{
	struct endpoint endpoint = {
		.port = 1,
		.gid_index = 1,
		.gid_type = GID_TYPE_ROCE_V2,
		.link_layer = LINK_LAYER_ETHERNET,
		.transport = TRANSPORT_ROCE,
		.state = 4,
		.operstate = 6,
		.mtu_bytes = 1024,
	};

	memcpy(endpoint.device, device, strlen(device));
	memcpy(endpoint.netdev, netdev, strlen(netdev));
	assert_int_equal(ip_parse(ip, &endpoint.ip), 0);
	endpoint.gid = ip_to_gid(&endpoint.ip);
	return endpoint;
}

static int setup(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	bed->local = make_endpoint("rxa", "va", "10.9.0.1");
	bed->remote = make_endpoint("rxb", "vb", PEER);
	bed->facts = (struct diagnosis_facts){
		.peer = PEER,
		.tcp_port = 18777,
		.local = &bed->local,
		.remote = &bed->remote,
		.path_mtu_bytes = 1024,
	};
	*state = bed;
	return 0;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	diagnosis_clear(&bed->diagnosis);
	free(bed);
	return 0;
}

static void ask(struct bed *bed)
{
	diagnosis_clear(&bed->diagnosis);
	diagnose(&bed->facts, &bed->diagnosis);
	assert_non_null(bed->diagnosis.sentence);
}

/* Expects this sentence, and these words in the next step. */
static void check(struct bed *bed, const char *sentence, const char *hint)
{
	ask(bed);
	assert_string_equal(bed->diagnosis.sentence, sentence);
	if (!hint) {
		assert_null(bed->diagnosis.hint);
		return;
	}
	assert_non_null(bed->diagnosis.hint);
	if (!strstr(bed->diagnosis.hint, hint))
		fail_msg("'%s' is not in '%s'", hint, bed->diagnosis.hint);
}

static void failed(struct bed *bed, enum stage stage, int error)
{
	bed->facts.stage = stage;
	bed->facts.error = error;
}

static void completed(struct bed *bed, unsigned int status)
{
	bed->facts.stage = STAGE_TRANSFER;
	bed->facts.status = number_of(status);
}

static void count(struct counter_sums *counts, uint64_t sent, uint64_t received)
{
	counts->by_class[COUNTER_TRAFFIC_SENT] = number_of(sent);
	counts->by_class[COUNTER_TRAFFIC_RECEIVED] = number_of(received);
}

static void reaching_the_peer(void **state)
{
	struct bed *bed = *state;

	failed(bed, STAGE_RESOLVE, ENETUNREACH);
	check(bed, "no route to 10.9.0.2: Network is unreachable", "ip route get 10.9.0.2");
	bed->facts.local = bed->facts.remote = NULL;
	failed(bed, STAGE_TCP, ECONNREFUSED);
	check(bed,
	      "10.9.0.2 refused the connection: nothing listens on its TCP port 18777, or a "
	      "firewall rejects it",
	      "rdmactl selftest --serve --port 18777");
	bed->facts.server_hint = "ibv_rc_pingpong -d rxb";
	check(bed,
	      "10.9.0.2 refused the connection: nothing listens on its TCP port 18777, or a "
	      "firewall rejects it",
	      "if it runs, let TCP port 18777 pass in its firewall (nft list ruleset); if not, "
	      "start there: ibv_rc_pingpong -d rxb");
	bed->facts.server_hint = NULL;
	failed(bed, STAGE_TCP, ETIMEDOUT);
	check(bed,
	      "no answer from 10.9.0.2 on TCP port 18777: a firewall drops it, or the address is "
	      "wrong",
	      "nft list ruleset");
	failed(bed, STAGE_TCP, EHOSTUNREACH);
	check(bed,
	      "10.9.0.2 cannot be reached: no host answers for the address, or a firewall rejects "
	      "it",
	      "ip neigh");
	failed(bed, STAGE_TCP, ENETUNREACH);
	check(bed, "no route to 10.9.0.2: Network is unreachable", "ip route get");
	failed(bed, STAGE_TCP, EMFILE);
	check(bed, "cannot connect to 10.9.0.2 on TCP port 18777: Too many open files",
	      "ping 10.9.0.2");
}

static void handshake(void **state)
{
	struct bed *bed = *state;

	failed(bed, STAGE_HANDSHAKE, EPROTO);
	check(bed, "the program on TCP port 18777 of 10.9.0.2 does not speak this protocol",
	      "--serve");
	failed(bed, STAGE_HANDSHAKE, ECONNRESET);
	check(bed, "10.9.0.2 closed the connection during the exchange: Connection reset by peer",
	      "--serve");
	failed(bed, STAGE_HANDSHAKE, ETIMEDOUT);
	check(bed, "10.9.0.2 accepted the connection on TCP port 18777 but sent nothing",
	      "--serve");
	failed(bed, STAGE_HANDSHAKE, EPROTONOSUPPORT);
	bed->facts.peer_lowest = 2;
	bed->facts.peer_highest = 3;
	check(bed,
	      "this side speaks version 1 of the exchange protocol, 10.9.0.2 speaks versions 2 to "
	      "3",
	      "same release");
}

static void refusals(void **state)
{
	struct bed *bed = *state;

	bed->facts.stage = STAGE_HANDSHAKE;
	bed->facts.refusal = REFUSAL_VERSION;
	bed->facts.peer_lowest = bed->facts.peer_highest = 2;
	check(bed, "this side speaks version 1 of the exchange protocol, 10.9.0.2 speaks version 2",
	      "same release");
	bed->facts.refusal = REFUSAL_TOKEN;
	check(bed, "10.9.0.2 refused: the token is missing or wrong", "--token");
	bed->facts.refusal = REFUSAL_BUSY;
	check(bed, "10.9.0.2 refused: it accepts no more clients now", "--max-clients");
	bed->facts.refusal = REFUSAL_NO_PORT;
	bed->facts.refusal_text = "no port has 10.9.0.2";
	check(bed,
	      "10.9.0.2 refused: it has no matching active port and GID (no port has 10.9.0.2)",
	      "rdmactl gids lists them there; name a port: rdmactl selftest --serve DEV/PORT");
	bed->facts.chose_peer_gid = true;
	check(bed,
	      "10.9.0.2 refused: it has no matching active port and GID (no port has 10.9.0.2)",
	      "rdmactl gids lists them there; choose another --peer-gid-index, or omit it");
	bed->facts.chose_peer_device = true;
	check(bed,
	      "10.9.0.2 refused: it has no matching active port and GID (no port has 10.9.0.2)",
	      "rdmactl gids lists them there; choose another --peer-device or --peer-gid-index");
	bed->facts.chose_peer_gid = false;
	check(bed,
	      "10.9.0.2 refused: it has no matching active port and GID (no port has 10.9.0.2)",
	      "rdmactl gids lists them there; choose another --peer-device, or omit it");
	for (int refusal = 1; refusal < REFUSALS; refusal++) {
		bed->facts.refusal = (enum refusal)refusal;
		ask(bed);
		assert_null(strstr(bed->diagnosis.sentence, "(null)"));
		assert_non_null(bed->diagnosis.hint);
	}
}

static void states(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_RETRY_EXC_ERR);
	bed->local.state = 1;
	bed->local.operstate = 2;
	check(bed, "port rxa/1 is not ACTIVE but down (its netdev va is down)",
	      "ip link set va up");
	bed->local.operstate = 3;
	check(bed, "port rxa/1 is not ACTIVE but down (its netdev va is lower-layer-down)",
	      "cable");
	/* Failures that are not related to the port. */
	failed(bed, STAGE_TCP, ETIMEDOUT);
	ask(bed);
	assert_null(strstr(bed->diagnosis.sentence, "ACTIVE"));
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	bed->local.state = 4;
	bed->remote.state = 1;
	bed->remote.operstate = 2;
	check(bed, "port rxb/1 of 10.9.0.2 is not ACTIVE but down (its netdev vb is down)",
	      "on 10.9.0.2: ip link set vb up");
	/* The same side has the fault, whichever side reports the failure. */
	bed->facts.at_peer = true;
	check(bed, "port rxb/1 of 10.9.0.2 is not ACTIVE but down (its netdev vb is down)",
	      "on 10.9.0.2: ip link set vb up");
	bed->local.state = 1;
	bed->local.operstate = 2;
	check(bed, "port rxa/1 is not ACTIVE but down (its netdev va is down)",
	      "ip link set va up");
	assert_null(strstr(bed->diagnosis.hint, PEER));
	bed->facts.at_peer = false;
	bed->local.state = 4;
	bed->remote = bed->local;
	bed->local.link_layer = LINK_LAYER_INFINIBAND;
	bed->local.transport = TRANSPORT_INFINIBAND;
	bed->local.operstate = 0;
	bed->local.state = 2;
	check(bed, "port rxa/1 is not ACTIVE but init", "subnet manager");
}

static void kinds(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_RETRY_EXC_ERR);
	bed->local.gid_type = GID_TYPE_ROCE_V1;
	bed->local.gid_index = 0;
	check(bed,
	      "GIDs of different types cannot talk to each other: index 0 of rxa/1 is RoCE v1, "
	      "index 1 of rxb/1 of 10.9.0.2 is RoCE v2",
	      "--gid-index");
	bed->local.gid_type = GID_TYPE_ROCE_V2;
	assert_int_equal(gid_parse("fe80::1", &bed->local.gid), 0);
	check(bed,
	      "GIDs of different families cannot talk to each other: index 0 of rxa/1 is IPv6, "
	      "index 1 of rxb/1 of 10.9.0.2 is IPv4",
	      "--gid-index");
	bed->local.transport = TRANSPORT_IWARP;
	check(bed, "rxa/1 is iWARP, rxb/1 of 10.9.0.2 is RoCE v2: they cannot talk to each other",
	      "rdmactl devices");
}

/* What is known to be gone outweighs what may have happened to the packets. */
static void gid_removed(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 100, 40);
	count(&bed->facts.remote_counts, 50, 60);
	bed->facts.local_gid_gone = true;
	check(bed, "GID index 1 of rxa/1, 10.9.0.1, was removed during the test",
	      "ip addr show dev va");
	bed->facts.local_gid_gone = false;
	bed->facts.remote_gid_gone = true;
	for (int at_peer = 0; at_peer < 2; at_peer++) {
		bed->facts.at_peer = at_peer;
		check(bed,
		      "GID index 1 of rxb/1 of 10.9.0.2, 10.9.0.2, was removed during the test",
		      "give vb on 10.9.0.2 that address again (ip addr show dev vb), or name "
		      "another entry with --peer-gid-index");
	}
	bed->facts.at_peer = false;
	bed->facts.stop = STOP_INTERRUPTED;
	ask(bed);
	assert_null(strstr(bed->diagnosis.sentence, "GID"));
}

/* A server that says why it leaves. */
static void peer_lost_its_device(void **state)
{
	struct bed *bed = *state;

	bed->facts.stage = STAGE_TRANSFER;
	bed->facts.stop = STOP_DEVICE_GONE;
	bed->facts.at_peer = true;
	check(bed, "on 10.9.0.2: device rxb was removed during the test", "kernel log");
}

static void mtu(void **state)
{
	struct bed *bed = *state;

	assert_false(diagnose_mtu(&bed->facts, &bed->diagnosis));
	bed->local.mtu_bytes = 4096;
	assert_true(diagnose_mtu(&bed->facts, &bed->diagnosis));
	assert_string_equal(bed->diagnosis.sentence,
			    "the MTUs differ: rxa/1 has 4096 bytes, rxb/1 of 10.9.0.2 has 1024");
	assert_non_null(strstr(bed->diagnosis.hint, "vb on 10.9.0.2 has the smaller one"));
	/* This is the reason if the queue pair uses the larger MTU. */
	completed(bed, IBV_WC_REM_INV_REQ_ERR);
	bed->facts.path_mtu_bytes = 4096;
	check(bed, "the MTUs differ: rxa/1 has 4096 bytes, rxb/1 of 10.9.0.2 has 1024", "vb");
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 40, 3);
	count(&bed->facts.remote_counts, 3, 5);
	check(bed, "the MTUs differ: rxa/1 has 4096 bytes, rxb/1 of 10.9.0.2 has 1024", "vb");
	bed->facts.path_mtu_bytes = 1024;
	ask(bed);
	assert_null(strstr(bed->diagnosis.sentence, "MTU"));
	failed(bed, STAGE_CONNECT_QP, EINVAL);
	bed->facts.path_mtu_bytes = 0;
	bed->local.mtu_bytes = 256;
	check(bed, "the MTUs differ: rxa/1 has 256 bytes, rxb/1 of 10.9.0.2 has 1024", "va has");
}

static void blocked(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 8, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): UDP port 4791 "
	      "(RoCE v2) seems to be blocked: rxa/1 sent 8 packets, rxb/1 of 10.9.0.2 received no "
	      "packets",
	      "let UDP port 4791 pass in both directions: check the access lists of the network "
	      "between the hosts, and for rxe and siw also the firewalls of both hosts");
	count(&bed->facts.remote_counts, 8, 8);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): UDP port 4791 "
	      "(RoCE v2) seems to be blocked on the return path: rxb/1 of 10.9.0.2 received 8 "
	      "packets, but rxa/1 received no packets",
	      "let UDP port 4791 pass");
	bed->facts.remote_counts = (struct counter_sums){0};
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): rxa/1 sent 8 "
	      "packets and received none; whether they arrived is unknown, because the counters of "
	      "rxb/1 of 10.9.0.2 are not known",
	      "if no packet arrived there: let UDP port 4791 pass");
	bed->facts.local_counts = (struct counter_sums){0};
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): how many "
	      "packets rxa/1 sent is not known; whether they arrived is unknown, because the "
	      "counters of rxb/1 of "
	      "10.9.0.2 are not known",
	      "4791");
	count(&bed->facts.local_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): rxa/1 has not "
	      "sent a single packet",
	      "ip neigh");
	bed->local.gid_type = bed->remote.gid_type = GID_TYPE_ROCE_V1;
	count(&bed->facts.local_counts, 1, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): RoCE v1 "
	      "frames (Ethertype 0x8915) do not get through: rxa/1 sent 1 packet, rxb/1 of "
	      "10.9.0.2 received no packets",
	      "one VLAN");
}

/* EFA has neither a netdev nor a switch that the user could examine. */
static void efa(void **state)
{
	struct bed *bed = *state;

	bed->local.transport = bed->remote.transport = TRANSPORT_UNSPECIFIED;
	bed->local.link_layer = bed->remote.link_layer = LINK_LAYER_UNSPECIFIED;
	bed->local.mtu_bytes = 4096;
	assert_true(diagnose_mtu(&bed->facts, &bed->diagnosis));
	assert_non_null(strstr(bed->diagnosis.hint, "the MTU of an EFA adapter is fixed"));
	bed->local.mtu_bytes = bed->remote.mtu_bytes;
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 1, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): EFA's packets "
	      "do not get through: rxa/1 sent 1 packet, rxb/1 of 10.9.0.2 received no packets",
	      "security group");
	count(&bed->facts.local_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): rxa/1 has not "
	      "sent a single packet",
	      "the port or its firmware holds them back");
	count(&bed->facts.local_counts, 3, 1);
	count(&bed->facts.remote_counts, 1, 2);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets are "
	      "lost on the path, though some get through: rxa/1 sent 3 packets, rxb/1 of 10.9.0.2 "
	      "received 2 packets",
	      "rx_discards");
	bed->facts.local_gid_gone = true;
	check(bed, "GID index 1 of rxa/1, 10.9.0.1, was removed during the test",
	      "the GID comes from the adapter itself");
}

/* Out-of-tree drivers have no node type either, and do not use security groups. */
static void unknown_carrier(void **state)
{
	struct bed *bed = *state;

	bed->local.transport = bed->remote.transport = TRANSPORT_UNSPECIFIED;
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 1, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets do "
	      "not get through: rxa/1 sent 1 packet, rxb/1 of 10.9.0.2 received no packets",
	      "check the path between the two ports");
}

/* Everything that was sent arrived, in both directions: no packets were lost. */
static void no_loss(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 100, 40);
	count(&bed->facts.remote_counts, 40, 100);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded), and the "
	      "counters show no lost packets: rxa/1 sent 100 packets, rxb/1 of 10.9.0.2 received "
	      "100 packets",
	      "kernel logs (dmesg) of both hosts");
	/* Without the far counters, a wait in vain says nothing about the packets. */
	bed->facts.stop = STOP_TIMED_OUT;
	bed->facts.timeout_msec = 2000;
	bed->facts.status.known = false;
	bed->facts.remote_counts = (struct counter_sums){0};
	check(bed,
	      "nothing arrived within 2000 ms, and the counters show no lost packets: rxa/1 sent "
	      "100 packets, it received 40 packets",
	      "their packets can hide a loss");
}

static void loss(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 100, 40);
	count(&bed->facts.remote_counts, 50, 60);
	bed->facts.local_counts.by_class[COUNTER_RETRANSMISSION] = number_of(17);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets are "
	      "lost on the path, though some get through: rxa/1 sent 100 packets, rxb/1 of "
	      "10.9.0.2 received 60 packets, 17 retransmission events here",
	      "ip -s link show va");
	bed->facts.remote_counts = (struct counter_sums){0};
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets are "
	      "lost on the path, though some get through: rxa/1 sent 100 packets, it received 40 "
	      "packets, 17 retransmission events here",
	      "ping -M do");
	/* Fewer packets came back than were returned: these are the ones that were lost. */
	count(&bed->facts.remote_counts, 41, 100);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets are "
	      "lost on the path, though some get through: rxb/1 of 10.9.0.2 sent 41 packets, "
	      "rxa/1 received 40 packets, 17 retransmission events here",
	      "ping -M do");
	/* The far side does not count what it receives. */
	bed->facts.remote_counts.by_class[COUNTER_TRAFFIC_RECEIVED].known = false;
	bed->facts.remote_counts.by_class[COUNTER_TRAFFIC_RECEIVED].value = 0;
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets are "
	      "lost on the path, though some get through: rxa/1 sent 100 packets, it received 40 "
	      "packets, 17 retransmission events here",
	      "ping -M do");
	/* A side that sent nothing, whatever the other one lost. */
	count(&bed->facts.local_counts, 0, 3);
	count(&bed->facts.remote_counts, 50, 5);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): rxa/1 has not "
	      "sent a single packet",
	      "ip neigh");
	count(&bed->facts.local_counts, 100, 40);
	bed->facts.stop = STOP_TIMED_OUT;
	bed->facts.timeout_msec = 2000;
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "nothing arrived within 2000 ms: UDP port 4791 (RoCE v2) seems to be blocked: rxa/1 "
	      "sent 100 packets, rxb/1 of 10.9.0.2 received no packets",
	      "4791");
}

/* A side that waits for a message does not send; the other one does. */
static void waits(void **state)
{
	struct bed *bed = *state;

	bed->facts.stage = STAGE_TRANSFER;
	bed->facts.stop = STOP_TIMED_OUT;
	bed->facts.timeout_msec = 2000;
	bed->facts.at_peer = true;
	count(&bed->facts.local_counts, 8, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "nothing arrived at rxb/1 of 10.9.0.2 within 2000 ms: UDP port 4791 (RoCE v2) seems "
	      "to be blocked: rxa/1 sent 8 packets, rxb/1 of 10.9.0.2 received no packets",
	      "let UDP port 4791 pass in both directions");
	bed->facts.at_peer = false;
	count(&bed->facts.local_counts, 0, 0);
	count(&bed->facts.remote_counts, 5, 0);
	check(bed,
	      "nothing arrived within 2000 ms: UDP port 4791 (RoCE v2) seems to be blocked: rxb/1 "
	      "of 10.9.0.2 sent 5 packets, rxa/1 received no packets",
	      "if rdmactl selftest --test rc-one-byte passes, the path has a smaller MTU");
	count(&bed->facts.local_counts, 0, 3);
	check(bed,
	      "nothing arrived within 2000 ms: packets are lost on the path, though some get "
	      "through: rxb/1 of 10.9.0.2 sent 5 packets, rxa/1 received 3 packets",
	      "ping -M do");
	count(&bed->facts.local_counts, 0, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed, "nothing arrived within 2000 ms: rxa/1 has not sent a single packet",
	      "ip neigh");
	/* A port that had to send, and did not, whatever the other port sends. */
	count(&bed->facts.remote_counts, 5, 0);
	bed->facts.at_peer = true;
	check(bed,
	      "nothing arrived at rxb/1 of 10.9.0.2 within 2000 ms: rxa/1 has not sent a single "
	      "packet",
	      "ip neigh");
	/* A peer that has only to receive sends nothing back: the path is not blocked. */
	count(&bed->facts.local_counts, 8, 0);
	count(&bed->facts.remote_counts, 0, 7);
	check(bed,
	      "nothing arrived at rxb/1 of 10.9.0.2 within 2000 ms: packets are lost on the path, "
	      "though some get through: rxa/1 sent 8 packets, rxb/1 of 10.9.0.2 received 7 packets",
	      "ping -M do");
	/* Over TCP the peer is silent, too. */
	bed->facts.silent = true;
	check(bed,
	      "10.9.0.2 stopped answering, with no reply for 2000 ms: its rdmactl was stopped, the "
	      "host hangs, or the network to it broke",
	      "ping 10.9.0.2");
	bed->facts.stop = STOP_NONE;
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	check(bed,
	      "10.9.0.2 stopped answering, with no reply for 2000 ms: its rdmactl was stopped, the "
	      "host hangs, or the network to it broke",
	      "ping 10.9.0.2");
}

static void loopback(void **state)
{
	struct bed *bed = *state;

	bed->facts.peer = NULL;
	bed->facts.remote = bed->facts.local;
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 8, 0);
	check(bed,
	      "rxa/1 did not answer (transport retry counter exceeded): UDP port 4791 (RoCE v2) "
	      "seems to be blocked: rxa/1 sent 8 packets, rxa/1 received no packets",
	      "4791");
	/* There is no far side whose counters could say anything. */
	count(&bed->facts.local_counts, 8, 3);
	count(&bed->facts.remote_counts, 9, 8);
	check(bed,
	      "rxa/1 did not answer (transport retry counter exceeded): packets are lost on the "
	      "path, though some get through: rxa/1 sent 8 packets, rxa/1 received 3 packets",
	      "ping -M do");
}

static void infiniband(void **state)
{
	struct bed *bed = *state;

	bed->local.transport = bed->remote.transport = TRANSPORT_INFINIBAND;
	bed->local.link_layer = bed->remote.link_layer = LINK_LAYER_INFINIBAND;
	bed->local.lid = 3;
	bed->remote.lid = 7;
	completed(bed, IBV_WC_RETRY_EXC_ERR);
	count(&bed->facts.local_counts, 8, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): packets do not "
	      "get from LID to LID (LID 3 to LID 7): rxa/1 sent 8 packets, rxb/1 of 10.9.0.2 "
	      "received no packets",
	      "one partition, at least one of them as a full member (rdmactl pkeys)");
	bed->remote.lid = 0xffff;
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer (transport retry counter exceeded): port rxb/1 of "
	      "10.9.0.2 has no LID",
	      "rdmactl smp sminfo");
}

static void memory(void **state)
{
	struct bed *bed = *state;

	failed(bed, STAGE_MEMORY, ENOMEM);
	bed->facts.wanted_bytes = number_of(64 << 20);
	bed->facts.memlock_limit_bytes = number_of(64 << 10);
	check(bed, "cannot lock 64 MiB for rxa: RLIMIT_MEMLOCK is 64 KiB", "ulimit -l unlimited");
	assert_non_null(strstr(bed->diagnosis.hint, "LimitMEMLOCK=infinity"));
	assert_non_null(strstr(bed->diagnosis.hint, "container"));
	bed->facts.memlock_limit_bytes = number_of(65 << 20);
	check(bed,
	      "cannot lock 64 MiB for rxa: RLIMIT_MEMLOCK is 65 MiB, which also counts memory that "
	      "is already locked",
	      "ulimit -l");
	bed->facts.memlock_limit_bytes = number_of(UINT64_MAX);
	check(bed,
	      "cannot register 64 MiB for rxa: Cannot allocate memory, though RLIMIT_MEMLOCK sets "
	      "no limit",
	      "free memory");
	/* Other errors have other causes. */
	bed->facts.memlock_limit_bytes = number_of(64 << 10);
	bed->facts.error = EINVAL;
	check(bed, "cannot register 64 MiB for rxa: Invalid argument", "dmesg");
	bed->facts.error = EPERM;
	check(bed, "cannot register 64 MiB for rxa: Operation not permitted", "dmesg");
	bed->facts.memlock_limit_bytes = number_of(0);
	check(bed, "cannot lock 64 MiB for rxa: RLIMIT_MEMLOCK is 0 bytes", "ulimit -l");
	bed->facts.at_peer = true;
	check(bed, "on 10.9.0.2: cannot lock 64 MiB for rxb: RLIMIT_MEMLOCK is 0 bytes",
	      "on 10.9.0.2: raise it");
	/* That limit is one of several causes if queues ran out of memory. */
	failed(bed, STAGE_CREATE_QP, ENOMEM);
	check(bed, "on 10.9.0.2: rxb cannot create queues: Cannot allocate memory",
	      "or the capacity of the device");
}

static void opening(void **state)
{
	struct bed *bed = *state;

	failed(bed, STAGE_OPEN, EACCES);
	check(bed, "cannot open the uverbs device file of rxa: Permission denied", "run as root");
	failed(bed, STAGE_OPEN, ENOENT);
	check(bed, "rxa has no uverbs device file", "modprobe ib_uverbs");
	failed(bed, STAGE_OPEN, ENODEV);
	check(bed,
	      "libibverbs does not know rxa: its provider library or its uverbs device file is "
	      "missing",
	      "ibverbs-providers");
	failed(bed, STAGE_OPEN, EMFILE);
	check(bed, "cannot open rxa: Too many open files", "ulimit -n");
	failed(bed, STAGE_LIBRARY, ELIBACC);
	ask(bed);
	assert_non_null(strstr(bed->diagnosis.hint, "librdmacm1"));
	/* Without -a, modprobe(8) treats later words as module parameters. */
	failed(bed, STAGE_LIBRARY, ENOENT);
	check(bed, "the kernel does not offer verbs to programs", "modprobe -a ib_uverbs rdma_ucm");
	failed(bed, STAGE_CREATE_QP, EINVAL);
	ask(bed);
	assert_non_null(strstr(bed->diagnosis.hint, "rdmactl caps rxa"));
	failed(bed, STAGE_CONNECT_QP, ETIMEDOUT);
	check(bed,
	      "no host answers for the GID of rxb/1 of 10.9.0.2: va finds no hardware address for "
	      "it",
	      "ip neigh show dev va");
}

static void ends(void **state)
{
	struct bed *bed = *state;

	completed(bed, IBV_WC_WR_FLUSH_ERR);
	bed->facts.stop = STOP_INTERRUPTED;
	check(bed, "interrupted before the test was done", NULL);
	bed->facts.stop = STOP_DEVICE_GONE;
	check(bed, "device rxa was removed during the test", "dmesg");
	bed->facts.stop = STOP_PORT_DOWN;
	check(bed, "port rxa/1 went down during the test", "rdmactl ports rxa/1");
	bed->facts.stop = STOP_PEER_GONE;
	check(bed, "10.9.0.2 ended the exchange during the test: its rdmactl was stopped or killed",
	      "--serve");
	/* A server that gives its reason is believed. */
	bed->facts.farewell = STOP_TIMED_OUT;
	check(bed,
	      "10.9.0.2 ended the exchange during the test: it heard nothing from this side for "
	      "longer than its --idle",
	      "a larger --idle");
	bed->facts.farewell = STOP_INTERRUPTED;
	check(bed,
	      "10.9.0.2 ended the exchange during the test: its rdmactl was stopped, or this side "
	      "reached its time limit for a client",
	      "--serve");
	bed->facts.stop = STOP_TIMED_OUT;
	bed->facts.timeout_msec = 5000;
	bed->facts.stage = STAGE_HANDSHAKE;
	check(bed,
	      "10.9.0.2 stopped answering, with no reply for 5000 ms: its rdmactl was stopped, the "
	      "host hangs, or the network to it broke",
	      "--serve");
	/* Before its first answer, it is unknown what it is. */
	bed->facts.remote = NULL;
	check(bed,
	      "10.9.0.2 did not answer within 5000 ms on TCP port 18777: another program may "
	      "listen there, or the host hangs",
	      "--serve");
}

static void event(struct bed *bed, enum rdma_cm_event_type type, int status)
{
	bed->facts.stage = STAGE_CM;
	bed->facts.cm_event = number_of(type);
	bed->facts.cm_status = status;
}

static void connection_manager(void **state)
{
	struct bed *bed = *state;

	failed(bed, STAGE_CM, EACCES);
	check(bed, "cannot open /dev/infiniband/rdma_cm: Permission denied", "run as root");
	failed(bed, STAGE_CM, ENOENT);
	check(bed, "there is no device file /dev/infiniband/rdma_cm", "modprobe rdma_ucm");
	event(bed, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	check(bed, "the route to 10.9.0.2 leaves by a netdev without an RDMA device",
	      "rdmactl netdevs");
	event(bed, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
	check(bed, "no host answers for the address of 10.9.0.2", "ip neigh");
	event(bed, RDMA_CM_EVENT_REJECTED, 8);
	check(bed,
	      "rxb/1 of 10.9.0.2 refused the connection: nothing listens on port 18777 of its "
	      "librdmacm",
	      "--serve");
	/* irdma reports this when the program refuses; siw reports ECONNRESET. */
	for (int i = 0; i < 2; i++) {
		event(bed, RDMA_CM_EVENT_REJECTED, i ? -ECONNREFUSED : -ECONNRESET);
		check(bed,
		      "rxb/1 of 10.9.0.2 refused the connection: nothing listens on port 18777 of "
		      "its librdmacm, or the program there rejected it",
		      "--serve");
	}
	event(bed, RDMA_CM_EVENT_REJECTED, 28);
	check(bed,
	      "rxb/1 of 10.9.0.2 rejected the connection: the program there did not accept it "
	      "(reason "
	      "28)",
	      "messages");
	event(bed, RDMA_CM_EVENT_REJECTED, 99);
	ask(bed);
	assert_non_null(strstr(bed->diagnosis.sentence, "(reason 99)"));
	event(bed, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	count(&bed->facts.local_counts, 5, 0);
	count(&bed->facts.remote_counts, 0, 0);
	check(bed,
	      "rxb/1 of 10.9.0.2 did not answer the connect request: UDP port 4791 (RoCE v2) seems "
	      "to be blocked: rxa/1 sent 5 packets, rxb/1 of 10.9.0.2 received no packets",
	      "4791");
	event(bed, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	check(bed, "device rxa was removed during the test", "dmesg");
	event(bed, RDMA_CM_EVENT_DISCONNECTED, 0);
	ask(bed);
	assert_non_null(strstr(bed->diagnosis.sentence, "10.9.0.2 ended"));
	event(bed, RDMA_CM_EVENT_TIMEWAIT_EXIT, 4);
	check(bed, "librdmacm gave up on rxb/1 of 10.9.0.2: TIMEWAIT_EXIT, status 4", "dmesg");
}

/* The address of the group is resolved, and nobody is connected. */
static void multicast_group(void **state)
{
	struct bed *bed = *state;
	struct ip_address group;

	assert_int_equal(ip_parse("239.255.1.2", &group), 0);
	bed->facts.group = &group;
	failed(bed, STAGE_CM, ETIMEDOUT);
	check(bed, "rxa/1 could not join the multicast group 239.255.1.2 in time",
	      "rdmactl smp sminfo");
	event(bed, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
	check(bed,
	      "the route to the multicast group 239.255.1.2 leaves by a netdev without an RDMA "
	      "device",
	      "ip route get 239.255.1.2");
	bed->facts.at_peer = true;
	event(bed, RDMA_CM_EVENT_ADDR_ERROR, -EACCES);
	check(bed, "on 10.9.0.2: no route to the multicast group 239.255.1.2: Permission denied",
	      "ip route get 239.255.1.2");
}

/*
 * What each error means in each stage, reported by this side and by the peer. A row with error 0 is
 * for the errors of the stage without a row. {here} and {there} are the sides as the reporting side
 * sees them.
 */
static const struct {
	enum stage stage;
	int error;
	const char *words;
} meanings[] = {
	{STAGE_RESOLVE, 0, "no route to {peer}: {error}"},
	{STAGE_TCP, ECONNREFUSED, "nothing listens on its TCP port 18777"},
	{STAGE_TCP, ETIMEDOUT, "no answer from {peer} on TCP port 18777"},
	{STAGE_TCP, EHOSTUNREACH, "{peer} cannot be reached"},
	{STAGE_TCP, ENETUNREACH, "no route to {peer}: {error}"},
	{STAGE_TCP, EHOSTDOWN, "no route to {peer}: {error}"},
	{STAGE_TCP, 0, "cannot connect to {peer} on TCP port 18777: {error}"},
	{STAGE_HANDSHAKE, EPROTO, "does not speak this protocol"},
	{STAGE_HANDSHAKE, EBADMSG, "does not speak this protocol"},
	{STAGE_HANDSHAKE, EMSGSIZE, "does not speak this protocol"},
	{STAGE_HANDSHAKE, EPROTONOSUPPORT, "of the exchange protocol, {peer} speaks"},
	{STAGE_HANDSHAKE, ETIMEDOUT, "{peer} accepted the connection on TCP port 18777"},
	{STAGE_HANDSHAKE, 0, "{peer} closed the connection during the exchange: {error}"},
	{STAGE_LIBRARY, ENOSYS, "the kernel does not offer verbs to programs"},
	{STAGE_LIBRARY, ENOENT, "the kernel does not offer verbs to programs"},
	{STAGE_LIBRARY, ELIBBAD, "libibverbs or librdmacm lacks a function"},
	{STAGE_LIBRARY, 0, "libibverbs or librdmacm cannot be loaded: {error}"},
	{STAGE_OPEN, EACCES, "cannot open the uverbs device file of {device}: {error}"},
	{STAGE_OPEN, EPERM, "cannot open the uverbs device file of {device}: {error}"},
	{STAGE_OPEN, ENOENT, "{device} has no uverbs device file"},
	{STAGE_OPEN, ENXIO, "{device} has no uverbs device file"},
	{STAGE_OPEN, ENOSYS, "{device} has no uverbs device file"},
	{STAGE_OPEN, ENODEV, "libibverbs does not know {device}"},
	{STAGE_OPEN, EMFILE, "cannot open {device}: {error}"},
	{STAGE_OPEN, 0, "cannot open {device}: {error}"},
	{STAGE_CREATE_QP, EINVAL, "{device} cannot create such queues"},
	{STAGE_CREATE_QP, EOPNOTSUPP, "{device} does not support queue pairs of that type"},
	{STAGE_CREATE_QP, ENOSYS, "{device} does not support queue pairs of that type"},
	{STAGE_CREATE_QP, 0, "{device} cannot create queues: {error}"},
	{STAGE_CONNECT_QP, ETIMEDOUT, "no host answers for the GID of {there}"},
	{STAGE_CONNECT_QP, EHOSTUNREACH, "no host answers for the GID of {there}"},
	{STAGE_CONNECT_QP, EHOSTDOWN, "no host answers for the GID of {there}"},
	{STAGE_CONNECT_QP, ENETUNREACH, "no route from {here} to the GID of {there}"},
	{STAGE_CONNECT_QP, 0, "{here} cannot connect its queue pair to {there}"},
	{STAGE_CM, EACCES, "cannot open /dev/infiniband/rdma_cm: {error}"},
	{STAGE_CM, EPERM, "cannot open /dev/infiniband/rdma_cm: {error}"},
	{STAGE_CM, ENOENT, "there is no device file /dev/infiniband/rdma_cm"},
	{STAGE_CM, ENXIO, "there is no device file /dev/infiniband/rdma_cm"},
	{STAGE_CM, ENOSYS, "there is no device file /dev/infiniband/rdma_cm"},
	{STAGE_CM, ENODEV, "librdmacm finds no RDMA device for the address of {here}"},
	{STAGE_CM, EADDRNOTAVAIL, "librdmacm finds no RDMA device for the address of {here}"},
	{STAGE_CM, EADDRINUSE, "another program uses port 18777 of librdmacm"},
	{STAGE_CM, EXDEV, "rdma_cm uses device rdma_call() for the address of {here}"},
	{STAGE_CM, ETIMEDOUT, "{here} got no answer to its connection request from {there}"},
	{STAGE_CM, ECONNREFUSED,
	 "{there} refused the connection: nothing listens on port 18777 of its librdmacm"},
	{STAGE_CM, 0, "rdma_call() failed on {here}: {error}"},
	{STAGE_TRANSFER, EOVERFLOW, "a completion queue of {device} is in error"},
	{STAGE_TRANSFER, ENOTRECOVERABLE, "a shared receive queue of {device} is in error"},
	{STAGE_TRANSFER, 0, "the transfer from {here} to {there} failed: {error}"},
};

/* The text with the reporting side's words for those in braces. */
static char *expand(const char *text, bool at_peer, int error)
{
	const struct {
		const char *name, *value;
	} words[] = {
		{"{here}", at_peer ? "rxb/1" : "rxa/1"},
		{"{there}", at_peer ? "rxa/1 of this host" : "rxb/1 of " PEER},
		{"{peer}", at_peer ? "this host" : PEER},
		{"{device}", at_peer ? "rxb" : "rxa"},
		{"{error}", strerror(error)},
	};
	char *out = mem_string("");

	while (*text) {
		const char *piece = NULL;
		size_t skip = 1;
		char *longer;

		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (!strncmp(text, words[i].name, strlen(words[i].name))) {
				piece = words[i].value;
				skip = strlen(words[i].name);
			}
		longer = piece ? mem_format("%s%s", out, piece) : mem_format("%s%c", out, *text);
		free(out);
		out = longer;
		text += skip;
	}
	return out;
}

static void expect_meaning(struct bed *bed, enum stage stage, int error)
{
	const char *start = "on " PEER ": ", *words = NULL;
	char *wanted;

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].stage == stage &&
		    (meanings[i].error == error || (!meanings[i].error && !words)))
			words = meanings[i].words;
	if (!words)
		return;
	failed(bed, stage, error);
	ask(bed);
	wanted = expand(words, bed->facts.at_peer, error);
	if (!strstr(bed->diagnosis.sentence, wanted))
		fail_msg("stage %d, %s%s: '%s', without '%s'", (int)stage, strerror(error),
			 bed->facts.at_peer ? ", at the peer" : "", bed->diagnosis.sentence,
			 wanted);
	if (bed->facts.at_peer && strncmp(bed->diagnosis.sentence, start, strlen(start)) != 0)
		fail_msg("'%s' does not say where", bed->diagnosis.sentence);
	assert_non_null(bed->diagnosis.hint);
	free(wanted);
}

static void errors_by_stage_and_side(void **state)
{
	static const int errors[] = {
		EACCES,	  EPERM,      ENOENT,	     ENXIO,	   ENOSYS,	    ENODEV,
		EINVAL,	  EOPNOTSUPP, ETIMEDOUT,     EHOSTUNREACH, EHOSTDOWN,	    ENETUNREACH,
		ENOMEM,	  EIO,	      ECONNREFUSED,  ECONNRESET,   EPROTO,	    EBADMSG,
		EMSGSIZE, EXDEV,      EADDRNOTAVAIL, EADDRINUSE,   EPROTONOSUPPORT, ELIBBAD,
	};
	struct bed *bed = *state;

	bed->facts.call = "rdma_call()";
	for (int side = 0; side < 2; side++)
		for (unsigned int stage = STAGE_NONE + 1; stage < STAGES; stage++)
			for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
				bed->facts.at_peer = side;
				expect_meaning(bed, (enum stage)stage, errors[i]);
			}
}

/* enum ib_cm_rej_reason, include/rdma/ib_cm.h; other reasons are numbers only. */
static void rejections(void **state)
{
	static const struct {
		int reason;
		const char *words;
	} wanted[] = {
		{1, "it has no queue pair left"},
		{3, "it lacks resources"},
		{4, "a reply from this side came too late"},
		{8, "nothing listens on port 18777"},
		{10, "it still has a connection with this queue pair"},
		{12, "the GID is not its own"},
		{26, "it does not support the MTU"},
		{27, "it cannot answer this many outstanding reads"},
		{28, "the program there did not accept it"},
	};
	struct bed *bed = *state;

	for (int reason = 1; reason < 36; reason++) {
		event(bed, RDMA_CM_EVENT_REJECTED, reason);
		ask(bed);
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			if ((wanted[i].reason == reason) !=
			    !!strstr(bed->diagnosis.sentence, wanted[i].words))
				fail_msg("reason %d: '%s'", reason, bed->diagnosis.sentence);
	}
	/* If the peer reports the failure, the counters change sides, too. */
	bed->facts.at_peer = true;
	count(&bed->facts.local_counts, 5, 0);
	count(&bed->facts.remote_counts, 3, 2);
	event(bed, RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	check(bed,
	      "on 10.9.0.2: rxa/1 of this host did not answer the connect request: UDP port 4791 "
	      "(RoCE v2) seems to be blocked: rxb/1 sent 3 packets, rxa/1 of this host received "
	      "no packets",
	      "4791");
	bed->facts.at_peer = false;
	/* If the MTUs of the ports differ, that is the cause. */
	bed->remote.mtu_bytes = 4096;
	event(bed, RDMA_CM_EVENT_REJECTED, 26);
	check(bed, "the MTUs differ: rxa/1 has 1024 bytes, rxb/1 of 10.9.0.2 has 4096", "MTU");
}

/* Each status has a name and a meaning. */
static void statuses(void **state)
{
	struct bed *bed = *state;

	for (unsigned int status = 0; status <= IBV_WC_TM_RNDV_INCOMPLETE; status++) {
		assert_string_not_equal(completion_status_name(status), "unknown");
		assert_true(strlen(completion_status_meaning(status)) > 20);
	}
	assert_string_equal(completion_status_name(IBV_WC_RETRY_EXC_ERR),
			    "transport retry counter exceeded");
	assert_string_equal(completion_status_name(IBV_WC_WR_FLUSH_ERR),
			    "Work Request Flushed Error");
	assert_string_equal(completion_status_name(24), "unknown");
	assert_non_null(completion_status_meaning(UINT32_MAX));
	completed(bed, IBV_WC_REM_ACCESS_ERR);
	check(bed,
	      "rxa/1 to rxb/1 of 10.9.0.2: remote access error (status 10): the peer's memory "
	      "region has another key or a smaller range, or lacks the right that the operation "
	      "needs",
	      "dmesg");
	completed(bed, IBV_WC_REM_INV_RD_REQ_ERR);
	ask(bed);
	assert_non_null(strstr(bed->diagnosis.sentence, "with EFA, it has no such queue pair"));
	completed(bed, IBV_WC_RNR_RETRY_EXC_ERR);
	bed->facts.local_counts.by_class[COUNTER_RNR] = number_of(8);
	check(bed,
	      "rxb/1 of 10.9.0.2 was not ready to receive (RNR retry counter exceeded): it had no "
	      "receive buffer posted when the messages came, 8 such events",
	      "--depth");
}

/* There is always a sentence, whatever is missing, without terminal control characters. */
static void any_facts(void **state)
{
	struct bed *bed = *state;

	memcpy(bed->local.device, "a\033[31m", 6);
	memset(bed->remote.device, 'x', sizeof(bed->remote.device));
	memset(bed->remote.netdev, 'y', sizeof(bed->remote.netdev));
	for (int known = 0; known < 8; known++) {
		bed->facts.local = known & 1 ? &bed->local : NULL;
		bed->facts.remote = known & 2 ? &bed->remote : NULL;
		bed->facts.peer = known & 4 ? PEER : NULL;
		for (int stage = 0; stage < STAGES; stage++)
			for (unsigned int i = 0; i < 30 * 16 * 2; i++) {
				failed(bed, (enum stage)stage, (int)(i % 140));
				bed->facts.at_peer = i & 1;
				bed->facts.status = (struct number){i % 30, i % 7};
				bed->facts.cm_event = (struct number){i % 17, i % 5};
				bed->facts.cm_status = (int)(i % 200) - 130;
				bed->facts.stop = i % 11 ? STOP_NONE : (enum stop)(i / 11 % STOPS);
				ask(bed);
				assert_null(strchr(bed->diagnosis.sentence, '\033'));
				assert_null(strstr(bed->diagnosis.sentence, "(null)"));
				assert_null(strchr(bed->diagnosis.sentence, '{'));
				if (bed->diagnosis.hint)
					assert_null(strchr(bed->diagnosis.hint, '{'));
			}
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(reaching_the_peer),
		TEST(handshake),
		TEST(refusals),
		TEST(states),
		TEST(kinds),
		TEST(gid_removed),
		TEST(peer_lost_its_device),
		TEST(mtu),
		TEST(blocked),
		TEST(efa),
		TEST(unknown_carrier),
		TEST(no_loss),
		TEST(loss),
		TEST(loopback),
		TEST(waits),
		TEST(infiniband),
		TEST(memory),
		TEST(opening),
		TEST(ends),
		TEST(connection_manager),
		TEST(multicast_group),
		TEST(errors_by_stage_and_side),
		TEST(rejections),
		TEST(statuses),
		TEST(any_facts),
	};

	return cmocka_run_group_tests_name("diagnosis", tests, NULL, NULL);
}
