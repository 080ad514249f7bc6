/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The way from a TOS to a lossless class: whole, broken at each step, and not known. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/dscp.h"
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
	assert_int_equal(steps[id].step.value, id);
	return &steps[id];
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
	roce_chain_clear(&chain);
}

/* Lossless or not, the step and the next step; `at` -1: it does not break. */
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
	roce_chain_clear(&chain);
}

#define PROFILE "rdmactl roce set mlx5_0/1 --profile lossless"

static void whole(void **state)
{
	struct roce_facts facts = good();
	struct roce_chain chain;

	(void)state;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	roce_chain_follow(&facts, &chain);
	assert_int_equal(chain.dscp.value, 26);
	assert_int_equal(chain.priority.value, 3);
	assert_int_equal(chain.traffic_class.value, 3);
	assert_int_equal(chain.ecn, TRISTATE_YES);
	for (unsigned int i = 0; i <= ROCE_MTU; i++)
		assert_int_equal(step(&chain, i)->verdict.value, ROCE_OK);
	roce_chain_clear(&chain);
	expect_step(&facts, ROCE_DSCP, ROCE_OK, "26 (AF31)", "TOS 106 has DSCP 26");
	expect_step(&facts, ROCE_CLASS, ROCE_OK, "3",
		    "priority 3 is in traffic class 3 (ets, 50 % of the bandwidth)");
	expect_step(&facts, ROCE_BUFFER, ROCE_OK, "1",
		    "priority 3 is received into buffer 1 of 100000 bytes");
	/* What loses nothing does not break it. */
	facts.ecn.send = 0;
	facts.dcb.buffers_known = false;
	facts.netdev_mtu.value = 1500;
	facts.active_mtu.value = 1024;
	facts.dcb.ets.prio_tc[2] = 3;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	expect_step(&facts, ROCE_ECN, ROCE_NOTE, "none",
		    "congestion control is off for the priority: only PFC holds senders back");
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
		    "PFC is on for priority 3, and the packets have priority 0");
	facts = good();
	facts.is_v1 = true;
	expect_end(&facts, TRISTATE_NO, ROCE_DSCP,
		   "rdmactl roce set mlx5_0/1 default-mode roce-v2");
	facts.tos_source = TOS_ASKED;
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts = good();
	facts.dcb.trusted = number_of(DCB_TRUST_PCP);
	expect_end(&facts, TRISTATE_NO, ROCE_TRUST, PROFILE);
	facts.trust = "dscp"; /* of the vendor's own driver */
	expect_end(&facts, TRISTATE_YES, -1, NULL);
	facts = good();
	facts.dcb.dscp_priorities[26] = 1 << 4;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	facts = good();
	facts.dcb.pfc.pfc_en = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	expect_step(&facts, ROCE_PFC, ROCE_BROKEN, "none", "PFC is off for all priorities");
	/* Pause frames of the whole link stop every priority; in one direction they do not. */
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
		   "rdmactl roce set mlx5_0/1 mtu 9000, if every switch and host takes it");
	expect_step(&facts, ROCE_MTU, ROCE_BROKEN, "1500",
		    "the RDMA MTU of the port is 4096, and the MTU of eth0 leaves room for 1024");
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
		   "rdmactl roce set mlx5_0/1 mtu 9000, if every switch and host takes it");
	/* A broken step counts, whatever is unknown before it. */
	facts = good();
	facts.dcb.dscp_priorities[26] = 0;
	facts.dcb.pfc.pfc_en = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
}

/* The default TOS cannot be seen, and 0 is only what it most likely is. */
static void assumed(void **state)
{
	struct roce_facts facts = good();

	(void)state;
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TOS, "rdmactl roce set mlx5_0/1 default-tos 106");
	/* Whatever it is, there is no lossless priority. */
	facts.dcb.pfc.pfc_en = 0;
	expect_end(&facts, TRISTATE_NO, ROCE_PFC, PROFILE);
	facts = good();
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	facts.netdev_mtu.value = 300;
	expect_end(&facts, TRISTATE_NO, ROCE_MTU,
		   "rdmactl roce set mlx5_0/1 mtu 9000, if every switch and host takes it");
	facts = good();
	facts.tos_source = TOS_UNTOUCHED;
	facts.tos = 0;
	facts.dcb_rc = -ENODATA;
	expect_end(&facts, TRISTATE_UNKNOWN, ROCE_TRUST, NULL);
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
		cmocka_unit_test(whole),   cmocka_unit_test(broken), cmocka_unit_test(unknown),
		cmocka_unit_test(assumed), cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
