/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path from a TOS to a lossless class: complete, broken at each step, and unknown. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/dcb.h"
#include "roce/chain.h"
#include "roce/tos.h"

/* PFC on 3, DSCP 26 to 3, DSCP 0 to 0, a class and a buffer for each priority. */
static struct roce_facts good(void)
{
	struct roce_facts facts = {
		.object = "mlx5_0/1",
		.netdev = "eth0",
		.tos = 106,
		.tos_source = TOS_CONFIGURED,
		.driver = "mlx5_core",
		.netdev_mtu = number_of(9000),
		.active_mtu = number_of(4096),
		.ecn = {.vendor = true, .send = 1 << 3, .receive = 1 << 3},
		.pause = {.receive = TRISTATE_NO, .transmit = TRISTATE_NO},
		.dcb = {.pfc_known = true,
			.pfc.pfc_en = 1 << 3,
			.ets_known = true,
			.buffers_known = true,
			.dscp_count = 2},
	};

	facts.dcb.dscp_priorities[26] = 1 << 3;
	facts.dcb.dscp_priorities[0] = 1 << 0;
	for (unsigned int i = 0; i < DCB_PRIORITIES; i++) {
		facts.dcb.ets.prio_tc[i] = (uint8_t)i;
		facts.dcb.ets.tc_tsa[i] = IEEE_8021QAZ_TSA_ETS;
		facts.dcb.ets.tc_tx_bw[i] = i == 3 ? 50 : 7;
		facts.dcb.buffers.prio2buffer[i] = i == 3;
		facts.dcb.buffers.buffer_size[i] = i < 2 ? 100000 : 0;
	}
	return facts;
}

static const struct roce_step *step(const struct roce_chain *chain, enum roce_step_id id)
{
	const struct roce_step *steps = chain->steps.rows;

	assert_int_equal(chain->steps.count, ROCE_MTU + 1);
	return &steps[id];
}

static void clear_chain(struct roce_chain *chain)
{
	records_clear(&roce_step_schema, &chain->steps);
	free(chain->reason);
	free(chain->next_step);
}

static void expect_step(const struct roce_facts *facts, enum roce_step_id id,
			enum roce_verdict verdict, const char *value, const char *text)
{
	struct roce_chain chain;

	roce_chain_follow(facts, &chain);
	assert_int_equal(step(&chain, id)->verdict.value, verdict);
	if (value)
		assert_string_equal(step(&chain, id)->value, value);
	else
		assert_null(step(&chain, id)->value);
	assert_string_equal(step(&chain, id)->text, text);
	clear_chain(&chain);
}

/* Checks whether the path is lossless, the broken step (`at`, -1 if none) and the next step. */
static void expect_end(const struct roce_facts *facts, enum tristate lossless, int at,
		       const char *next_step)
{
	struct roce_chain chain;

	roce_chain_follow(facts, &chain);
	assert_int_equal(chain.lossless, lossless);
	assert_int_equal(chain.breaks_at.known ? (int)chain.breaks_at.value : -1, at);
	if (at >= 0)
		assert_string_equal(chain.reason, step(&chain, (enum roce_step_id)at)->text);
	if (next_step)
		assert_string_equal(chain.next_step, next_step);
	else
		assert_null(chain.next_step);
	clear_chain(&chain);
}

#define PROFILE "rdmactl roce set mlx5_0/1 --profile lossless"

/* A device name may contain any character. */
static void quoted(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.object = "mlx;5/1";
	facts.dcb.trusted = number_of(DCB_TRUST_PCP);
	expect_end(&facts, TRISTATE_NO, ROCE_TRUST,
		   "rdmactl roce set 'mlx;5/1' --profile lossless");
}

static void whole(void **state)
{
	struct roce_facts facts = good();
	struct roce_chain chain;

	(void)state;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	roce_chain_follow(&facts, &chain);
	assert_true(chain.steps.known);
	assert_int_equal(chain.dscp.value, 26);
	assert_int_equal(chain.priority.value, 3);
	assert_int_equal(chain.traffic_class.value, 3);
	assert_int_equal(chain.ecn, TRISTATE_YES);
	for (unsigned int i = 0; i <= ROCE_MTU; i++)
		assert_int_equal(step(&chain, i)->verdict.value, ROCE_OK);
	clear_chain(&chain);
	expect_step(&facts, ROCE_DSCP, ROCE_OK, "26 (AF31)", "TOS 106 has DSCP 26");
	expect_step(&facts, ROCE_CLASS, ROCE_OK, "3",
		    "priority 3 is in traffic class 3 (ets, 50 % of the bandwidth)");
	expect_step(&facts, ROCE_BUFFER, ROCE_OK, "1",
		    "priority 3 is received into buffer 1 of 100000 bytes");
	/* A fault that loses no packets does not break the path. */
	facts.ecn.send = 0;
	facts.dcb.buffers_known = false;
	facts.netdev_mtu.value = 1500;
	facts.active_mtu.value = 1024;
	facts.dcb.ets.prio_tc[2] = 3;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "none",
		    "receivers notify of congestion for the priority, but senders do not slow "
		    "down");
	expect_step(&facts, ROCE_CLASS, ROCE_NOTE, "3",
		    "priority 3 is in traffic class 3 (ets, 50 % of the bandwidth) with "
		    "priorities that are not lossless (2), which have to wait while it is paused");
	expect_step(&facts, ROCE_MTU, ROCE_NOTE, "1500",
		    "the MTU of eth0 leaves room for an RDMA MTU of 1024");
}

static void broken(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.tos = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	expect_step(&facts, ROCE_PFC, ROCE_BROKEN, "3",
		    "PFC is on for priority 3, but the packets have priority 0");
	facts = good();
	facts.is_v1 = true;
	expect_end(&facts, TRISTATE_NO, ROCE_DSCP,
		   "rdmactl roce set mlx5_0/1 default-mode roce-v2");
	facts.tos_source = TOS_ASKED;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts = good();
	facts.dcb.trusted = number_of(DCB_TRUST_PCP);
	expect_end(&facts, TRISTATE_NO, ROCE_TRUST, PROFILE);
	facts.dcb.trusted = number_of(DCB_TRUST_DSCP); /* reported by the vendor's driver */
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts = good();
	facts.dcb.dscp_priorities[26] = 1 << 4;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	facts = good();
	facts.dcb.pfc.pfc_en = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	expect_step(&facts, ROCE_PFC, ROCE_BROKEN, "none", "PFC is off for all priorities");
	/* Pause frames for the full link stop every priority; in one direction they do not. */
	facts.pause.receive = TRISTATE_YES;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	facts.pause.transmit = TRISTATE_YES;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts = good();
	facts.dcb.buffers.buffer_size[1] = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_BUFFER, PROFILE);
	facts = good();
	facts.netdev_mtu.value = 1500;
	expect_end(&facts, TRISTATE_NO, ROCE_MTU,
		   "rdmactl roce set mlx5_0/1 mtu 9000, if every switch and host supports it");
	expect_step(&facts, ROCE_MTU, ROCE_BROKEN, "1500",
		    "the RDMA MTU of the port is 4096, but the MTU of eth0 leaves room for 1024");
	facts.netdev_mtu.value = 300;
	facts.active_mtu.known = false;
	expect_step(&facts, ROCE_MTU, ROCE_BROKEN, "300",
		    "the MTU of eth0 leaves no room for RDMA packets");
}

static void unknown(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.dcb_rc = -EOPNOTSUPP;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TRUST, NULL);
	expect_step(&facts, ROCE_TRUST, ROCE_UNKNOWN, NULL,
		    "what the port trusts is not known: the driver of eth0 has no data center "
		    "bridging");
	facts = good();
	facts.dcb.pfc_known = false;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_PFC, PROFILE);
	facts = good();
	facts.dcb.dscp_priorities[26] = 0;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_PRIORITY, PROFILE);
	facts.dcb.dscp_priorities[26] = 1 << 3 | 1 << 4;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_PRIORITY, PROFILE);
	facts.dcb.pfc.pfc_en = 1 << 3 | 1 << 4;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts = good();
	facts.netdev_mtu.known = false;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_MTU,
		   "rdmactl roce set mlx5_0/1 mtu 9000, if every switch and host supports it");
	/* A broken step counts even if earlier steps are unknown. */
	facts = good();
	facts.dcb.dscp_priorities[26] = 0;
	facts.dcb.pfc.pfc_en = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
}

/* The default TOS cannot be read, and 0 is only its most likely value. */
static void assumed(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TOS, "rdmactl roce set mlx5_0/1 default-tos 106");
	/* Whatever the TOS is, no priority is lossless. */
	facts.dcb.pfc.pfc_en = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	facts = good();
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	facts.netdev_mtu.value = 300;
	expect_end(&facts, TRISTATE_NO, ROCE_MTU,
		   "rdmactl roce set mlx5_0/1 mtu 9000, if every switch and host supports it");
	facts = good();
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	facts.dcb_rc = -ENODATA;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TRUST, NULL);
}

/* Where the TOS comes from, in words; its lower two bits belong to ECN. */
static void sources(void **state)
{
	static const struct {
		enum tos_source source;
		enum roce_verdict verdict;
		const char *text;
	} cases[] = {
		{TOS_ASKED, ROCE_OK, "packets with TOS 106, as requested"},
		{TOS_GLOBAL, ROCE_OK,
		 "the driver gives every queue pair of the port traffic class 106"},
		{TOS_CONFIGURED, ROCE_OK,
		 "rdma_cm gives connections TOS 106, unless the application sets another"},
		{TOS_UNTOUCHED, ROCE_UNKNOWN,
		 "the default TOS of rdma_cm cannot be seen: configfs has no directory for the "
		 "device, or it cannot be read; if nobody changed it, it is 106"},
	};
	_cleanup_(freep) char *unread = mem_format(
		"the traffic class that the driver gives every queue pair of the port cannot be "
		"read: %s; if it gives none, the TOS is 106",
		strerror(EIO));
	struct roce_facts facts = good();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		facts.tos_source = cases[i].source;
		expect_step(&facts, ROCE_TOS, cases[i].verdict, "106", cases[i].text);
	}
	facts.tos_source = TOS_CONFIGURED;
	facts.global_rc = -EIO;
	expect_step(&facts, ROCE_TOS, ROCE_UNKNOWN, "106", unread);
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TOS, NULL);
	/* It may override a TOS that is not lossless with one that is. */
	facts.tos = 0;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TOS, NULL);
	facts = good();
	facts.tos = 107;
	expect_step(&facts, ROCE_DSCP, ROCE_OK, "26 (AF31)", "TOS 107 has DSCP 26");
	facts.tos = 108;
	expect_step(&facts, ROCE_DSCP, ROCE_OK, "27", "TOS 108 has DSCP 27");
	facts.is_v1 = true;
	expect_step(&facts, ROCE_DSCP, ROCE_BROKEN, NULL,
		    "rdma_cm makes RoCE v1 connections by default, whose packets have no IP header "
		    "and so no DSCP");
}

/* Each step that needs data center bridging says why that is unknown. */
static void without_dcb(void **state)
{
	_cleanup_(freep) char *refused = mem_format(
		"data center bridging of eth0 cannot be read: %s", strerror(EIO));
	const struct {
		int rc;
		const char *why;
	} cases[] = {
		{-EOPNOTSUPP, "the driver of eth0 has no data center bridging"},
		{-ENODATA, "a saved tree does not hold it"},
		{-ENODEV, "no netdev of the port can be seen in this network namespace"},
		{-EIO, refused},
	};
	struct roce_facts facts = good();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *trust = mem_format("what the port trusts is not known: %s",
							  cases[i].why);
		_cleanup_(freep) char *priority = mem_format(
			"the priority of DSCP 26 is not known: %s", cases[i].why);
		_cleanup_(freep) char *pfc = mem_format(
			"which priorities PFC pauses is not known: %s", cases[i].why);
		_cleanup_(freep) char *buffer = mem_format(
			"the receive buffer of the priority is not known: %s", cases[i].why);

		facts.dcb_rc = cases[i].rc;
		expect_step(&facts, ROCE_TRUST, ROCE_UNKNOWN, NULL, trust);
		expect_step(&facts, ROCE_PRIORITY, ROCE_UNKNOWN, NULL, priority);
		expect_step(&facts, ROCE_PFC, ROCE_UNKNOWN, NULL, pfc);
		expect_step(&facts, ROCE_CLASS, ROCE_UNKNOWN, NULL, "the priority is not known");
		expect_step(&facts, ROCE_BUFFER, ROCE_UNKNOWN, NULL, buffer);
	}
	/* The trust reported by the vendor's driver counts even without data center bridging. */
	facts.dcb.trusted = number_of(DCB_TRUST_DSCP);
	expect_step(&facts, ROCE_TRUST, ROCE_OK, "dscp",
		    "the port takes the priority from the DSCP");
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_PRIORITY, NULL);
	/* A link paused in both directions needs no data center bridging. */
	facts.pause.receive = facts.pause.transmit = TRISTATE_YES;
	expect_step(&facts, ROCE_PFC, ROCE_OK, NULL,
		    "pause frames of the whole link stop all priorities");
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts.dcb_rc = 0;
	expect_step(&facts, ROCE_PFC, ROCE_OK, "3",
		    "pause frames of the whole link stop all priorities");
}

/* If the whole link is paused, it does not matter which priority a packet has. */
static void link_paused(void **state)
{
	struct roce_facts facts = good();
	const char *found = "the port takes the priority from the VLAN tag, not from the DSCP, and "
			    "packets without a tag have the default priority";

	(void)state;
	facts.dcb.trusted = number_of(DCB_TRUST_PCP);
	expect_step(&facts, ROCE_TRUST, ROCE_BROKEN, "pcp", found);
	/* PFC on all priorities does not suffice: a switch may pause another than the port's. */
	facts.dcb.pfc.pfc_en = 0xff;
	expect_step(&facts, ROCE_TRUST, ROCE_BROKEN, "pcp", found);
	expect_end(&facts, TRISTATE_NO, ROCE_TRUST, "rdmactl roce set mlx5_0/1 --profile lossless");
	facts.pause.receive = TRISTATE_YES;
	expect_step(&facts, ROCE_TRUST, ROCE_BROKEN, "pcp", found);
	facts.pause.transmit = TRISTATE_YES;
	expect_step(&facts, ROCE_TRUST, ROCE_NOTE, "pcp", found);
	expect_end(&facts, TRISTATE_YES, -1, NULL);
}

static void priorities(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	expect_step(&facts, ROCE_PRIORITY, ROCE_OK, "3", "DSCP 26 has priority 3");
	facts.dcb.dscp_priorities[26] = 1 << 3 | 1 << 4;
	expect_step(&facts, ROCE_PRIORITY, ROCE_UNKNOWN, "3, 4",
		    "DSCP 26 has several priorities: 3, 4");
	expect_step(&facts, ROCE_PFC, ROCE_UNKNOWN, "3",
		    "PFC is on for priority 3; it is not known whether the packets have it");
	facts.dcb.pfc.pfc_en = 0x38;
	expect_step(&facts, ROCE_PRIORITY, ROCE_OK, "3, 4", "DSCP 26 has several priorities: 3, 4");
	expect_step(&facts, ROCE_PFC, ROCE_OK, "3, 4, 5",
		    "PFC pauses the priority instead of dropping its packets");
	expect_step(&facts, ROCE_BUFFER, ROCE_UNKNOWN, NULL, "the priority is not known");
	expect_step(&facts, ROCE_CLASS, ROCE_UNKNOWN, NULL, "the priority is not known");
	facts.dcb.dscp_priorities[26] = 0;
	expect_step(&facts, ROCE_PRIORITY, ROCE_UNKNOWN, NULL,
		    "the driver reports no priority for DSCP 26, so its firmware chooses one");
	facts = good();
	facts.dcb.trusted = number_of(DCB_TRUST_PCP);
	expect_step(&facts, ROCE_TRUST, ROCE_BROKEN, "pcp",
		    "the port takes the priority from the VLAN tag, not from the DSCP, and packets "
		    "without a tag have the default priority");
	expect_step(&facts, ROCE_PRIORITY, ROCE_UNKNOWN, NULL,
		    "the priority is not that of the DSCP");
	/* A driver that reports no trust and has no entry that would show it. */
	facts = good();
	facts.driver = "bnxt_en";
	facts.dcb.dscp_count = 0;
	expect_step(&facts, ROCE_PRIORITY, ROCE_UNKNOWN, NULL,
		    "it is not known whether the priority is that of the DSCP");
	facts = good();
	facts.dcb.dscp_count = 0;
	facts.driver = "bnxt_en";
	expect_step(&facts, ROCE_TRUST, ROCE_UNKNOWN, NULL,
		    "what the port trusts is not known: the driver of eth0 does not report it");
}

/* The queue and the buffer of the priority. */
static void queues(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.dcb.ets.prio_tc[3] = 5;
	facts.dcb.ets.tc_tsa[5] = IEEE_8021QAZ_TSA_STRICT;
	facts.dcb.ets.prio_tc[5] = 0;
	expect_step(&facts, ROCE_CLASS, ROCE_OK, "5", "priority 3 is in traffic class 5 (strict)");
	facts.dcb.ets.tc_tsa[5] = 77;
	expect_step(&facts, ROCE_CLASS, ROCE_OK, "5",
		    "priority 3 is in traffic class 5 (another algorithm)");
	/*
	 * Another lossless priority in the class does not delay it; nor does any if it is lossy
	 * itself.
	 */
	facts = good();
	facts.dcb.ets.prio_tc[4] = facts.dcb.ets.prio_tc[7] = 3;
	facts.dcb.pfc.pfc_en = 1 << 3 | 1 << 4;
	expect_step(&facts, ROCE_CLASS, ROCE_NOTE, "3",
		    "priority 3 is in traffic class 3 (ets, 50 % of the bandwidth) with priorities "
		    "that are not lossless (7), which have to wait while it is paused");
	facts.dcb.pfc.pfc_en = 1 << 4;
	expect_step(&facts, ROCE_CLASS, ROCE_OK, "3",
		    "priority 3 is in traffic class 3 (ets, 50 % of the bandwidth)");
	facts.dcb.ets_known = false;
	expect_step(&facts, ROCE_CLASS, ROCE_UNKNOWN, NULL,
		    "the driver does not report the traffic classes");
	facts = good();
	facts.dcb.buffers.buffer_size[1] = 1;
	expect_step(&facts, ROCE_BUFFER, ROCE_OK, "1",
		    "priority 3 is received into buffer 1 of 1 bytes");
	facts.dcb.buffers.buffer_size[1] = 0;
	expect_step(&facts, ROCE_BUFFER, ROCE_BROKEN, "1",
		    "priority 3 is received into buffer 1, which has 0 bytes");
	facts.dcb.buffers.buffer_size[DCB_BUFFERS - 1] = 4096;
	facts.dcb.buffers.prio2buffer[3] = DCB_BUFFERS - 1;
	expect_step(&facts, ROCE_BUFFER, ROCE_OK, "7",
		    "priority 3 is received into buffer 7 of 4096 bytes");
	facts.dcb.buffers.prio2buffer[3] = DCB_BUFFERS;
	facts.dcb.buffers.total_size = 5;
	expect_step(&facts, ROCE_BUFFER, ROCE_BROKEN, "8",
		    "priority 3 is received into buffer 8, which has 0 bytes");
	facts.dcb.buffers_known = false;
	expect_step(&facts, ROCE_BUFFER, ROCE_UNKNOWN, NULL,
		    "the receive buffer of the priority is not known: the driver of eth0 does not "
		    "report it");
}

static void congestion(void **state)
{
	struct roce_facts facts = good();
	struct roce_chain chain;

	(void)state;
	facts.ecn.send = 1 << 3 | 1 << 5;
	facts.ecn.receive = 1 << 3 | 1 << 5 | 1 << 6;
	expect_step(&facts, ROCE_ECN, ROCE_OK, "3, 5", "congestion control is on for the priority");
	facts.ecn.receive = 1 << 5;
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "5",
		    "senders slow down for the priority, but receivers do not notify of "
		    "congestion");
	facts.ecn.send = 1 << 5;
	facts.ecn.receive = 1 << 3 | 1 << 5;
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "5",
		    "receivers notify of congestion for the priority, but senders do not slow "
		    "down");
	facts.ecn.receive = 1 << 5;
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "5",
		    "congestion control is off for the priority: only PFC holds senders back");
	roce_chain_follow(&facts, &chain);
	assert_int_equal(chain.ecn, TRISTATE_NO);
	clear_chain(&chain);
	facts.dcb.dscp_priorities[26] = 0;
	expect_step(&facts, ROCE_ECN, ROCE_UNKNOWN, "5", "congestion control is on for priority 5");
	roce_chain_follow(&facts, &chain);
	assert_int_equal(chain.ecn, TRISTATE_UNKNOWN);
	clear_chain(&chain);
	/* This holds for any priority. */
	facts.ecn.receive = 1 << 3 | 1 << 4;
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "none",
		    "no priority has congestion control at both ends: senders slow down on 5, "
		    "receivers notify on 3, 4");
	roce_chain_follow(&facts, &chain);
	assert_int_equal(chain.ecn, TRISTATE_NO);
	clear_chain(&chain);
	facts.ecn.send = 0;
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "none",
		    "no priority has congestion control at both ends: senders slow down on none, "
		    "receivers notify on 3, 4");
	facts.ecn.receive = 0;
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "none",
		    "congestion control is off for all priorities: only PFC holds senders back");
	roce_chain_follow(&facts, &chain);
	assert_int_equal(chain.ecn, TRISTATE_NO);
	clear_chain(&chain);
	facts.ecn = (struct roce_ecn){.params = true};
	expect_step(&facts, ROCE_ECN, ROCE_UNKNOWN, NULL,
		    "the driver reports how congestion control is tuned, but not whether it is on");
	facts.ecn = (struct roce_ecn){.rc = -EACCES};
	expect_step(&facts, ROCE_ECN, ROCE_UNKNOWN, NULL,
		    "congestion control cannot be read: Permission denied");
	facts.ecn.rc = -ENOENT;
	expect_step(&facts, ROCE_ECN, ROCE_UNKNOWN, NULL,
		    "the driver does not report congestion control");
	facts.ecn.rc = 0;
	expect_step(&facts, ROCE_ECN, ROCE_UNKNOWN, NULL,
		    "the driver does not report congestion control");
	facts.ecn.rc = -ENOENT;
	facts.dcb_rc = -ENODEV;
	expect_step(&facts, ROCE_ECN, ROCE_UNKNOWN, NULL,
		    "nothing reports congestion control of a port without a netdev");
}

/* The exact need of the RDMA MTU: 96 bytes more (iboe_get_mtu(), include/rdma/ib_addr.h). */
static void mtu(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.netdev_mtu.value = 4192;
	expect_step(&facts, ROCE_MTU, ROCE_OK, "4192",
		    "the MTU of eth0 leaves room for an RDMA MTU of 4096");
	facts.netdev_mtu.value = 4191;
	expect_step(&facts, ROCE_MTU, ROCE_BROKEN, "4191",
		    "the RDMA MTU of the port is 4096, but the MTU of eth0 leaves room for 2048");
	facts.active_mtu.value = 2048;
	expect_step(&facts, ROCE_MTU, ROCE_NOTE, "4191",
		    "the MTU of eth0 leaves room for an RDMA MTU of 2048");
	facts.active_mtu.known = false;
	facts.netdev_mtu.value = 352;
	expect_step(&facts, ROCE_MTU, ROCE_NOTE, "352",
		    "the MTU of eth0 leaves room for an RDMA MTU of 256");
	facts.netdev_mtu.value = 351;
	expect_step(&facts, ROCE_MTU, ROCE_BROKEN, "351",
		    "the MTU of eth0 leaves no room for RDMA packets");
	facts.netdev_mtu.known = false;
	expect_step(&facts, ROCE_MTU, ROCE_UNKNOWN, NULL, "the MTU of eth0 is not known");
}

/* With an assumed TOS, the broken step may belong to another path. */
static void assumed_and_broken(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	/* The buffer of priority 0. */
	facts.dcb.pfc.pfc_en = 1 << 3 | 1 << 0;
	facts.dcb.buffers.buffer_size[0] = 0;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TOS, "rdmactl roce set mlx5_0/1 default-tos 2");
	/* RoCE v1 and the VLAN tag break the path with every TOS. */
	facts.is_v1 = true;
	expect_end(&facts, TRISTATE_NO, ROCE_DSCP,
		   "rdmactl roce set mlx5_0/1 default-mode roce-v2");
	facts.is_v1 = false;
	facts.dcb.trusted = number_of(DCB_TRUST_PCP);
	expect_end(&facts, TRISTATE_NO, ROCE_TRUST, PROFILE);
	/* Link pause ignores priorities, so only the buffer of the link counts. */
	facts.dcb.trusted = (struct number){.known = false};
	facts.pause.receive = facts.pause.transmit = TRISTATE_YES;
	expect_end(&facts, TRISTATE_NO, ROCE_BUFFER, PROFILE);
	facts.dcb.buffers.buffer_size[0] = 1;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	/* No TOS leads to a lossless priority, so none is proposed. */
	facts = good();
	facts.tos_source = TOS_UNTOUCHED;
	facts.dcb.dscp_priorities[26] = 1 << 4;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	facts = good();
	facts.tos_source = TOS_UNTOUCHED;
	facts.dcb.pfc.pfc_en = 1 << 3;
	facts.dcb.dscp_priorities[26] = 0;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TOS, "rdmactl roce set mlx5_0/1 default-tos 106");
}

static void names(void **state)
{
	unsigned int value = 7;

	(void)state;
	assert_int_equal(dscp_parse("af31", &value), 0);
	assert_int_equal(value, 26);
	assert_int_equal(dscp_parse("EF", &value), 0);
	assert_int_equal(value, 46);
	assert_int_equal(dscp_parse("0x3f", &value), 0);
	assert_int_equal(value, 63);
	assert_int_equal(dscp_parse("64", &value), -EINVAL);
	assert_int_equal(dscp_parse("AF", &value), -EINVAL);
	assert_int_equal(dscp_parse("", &value), -EINVAL);
	assert_int_equal(value, 63);
	/* AFxy is 8x + 2y, CSx is 8x: RFC 2597 6, RFC 2474 4.2.2. */
	for (unsigned int x = 1; x <= 4; x++)
		for (unsigned int y = 1; y <= 3; y++) {
			_cleanup_(freep) char *name = mem_format("AF%u%u", x, y);

			assert_string_equal(dscp_name(8 * x + 2 * y), name);
		}
	for (unsigned int x = 0; x <= 7; x++) {
		_cleanup_(freep) char *name = mem_format("CS%u", x);

		assert_string_equal(dscp_name(8 * x), name);
	}
	assert_null(dscp_name(63));
	assert_null(dscp_name(64));
	assert_int_equal(tos_parse_dscp("AF31", &value), 0);
	assert_int_equal(value, 106);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quoted),      cmocka_unit_test(whole),
		cmocka_unit_test(broken),      cmocka_unit_test(unknown),
		cmocka_unit_test(assumed),     cmocka_unit_test(sources),
		cmocka_unit_test(without_dcb), cmocka_unit_test(link_paused),
		cmocka_unit_test(priorities),  cmocka_unit_test(queues),
		cmocka_unit_test(congestion),  cmocka_unit_test(mtu),
		cmocka_unit_test(names),       cmocka_unit_test(assumed_and_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
