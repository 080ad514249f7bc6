/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path of a traffic class to a lossless priority, and each place where it can break. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "roce/tos.h"

/* PFC on 3 and 4; DSCP 26 to 3, 46 to 6, 10 to 3 and 5, 11 to 3 and 4. */
static struct dcb port(void)
{
	struct dcb dcb = {.pfc_known = true, .pfc.pfc_en = 0x18, .dscp_count = 6};

	dcb.dscp_priorities[26] = 1 << 3;
	dcb.dscp_priorities[46] = 1 << 6;
	dcb.dscp_priorities[10] = 1 << 3 | 1 << 5;
	dcb.dscp_priorities[11] = 1 << 3 | 1 << 4;
	return dcb;
}

static void expect(unsigned int tos, const struct dcb *dcb, enum tristate trust, enum tos_end end,
		   const char *words)
{
	const struct tos_chain chain = tos_follow(tos, dcb, trust);
	_cleanup_(freep) char *text = tos_describe(&chain);

	assert_int_equal(chain.end, end);
	assert_string_equal(text, words);
}

static void whole(void **state)
{
	struct dcb dcb = port();

	(void)state;
	expect(106, &dcb, TRISTATE_YES, TOS_LOSSLESS,
	       "traffic class 106: DSCP 26, priority 3, which is lossless");
	/* The two lowest bits belong to ECN, not to the DSCP. */
	for (unsigned int tos = 104; tos < 108; tos++)
		assert_int_equal(tos_follow(tos, &dcb, TRISTATE_YES).end, TOS_LOSSLESS);
	assert_int_equal(tos_follow(103, &dcb, TRISTATE_YES).end, TOS_NOT_MAPPED);
	assert_int_equal(tos_follow(108, &dcb, TRISTATE_YES).end, TOS_NOT_MAPPED);
	dcb.ets_known = true;
	dcb.ets.prio_tc[3] = 5;
	expect(106, &dcb, TRISTATE_YES, TOS_LOSSLESS,
	       "traffic class 106: DSCP 26, priority 3 in hardware queue 5, which is lossless");
	/* One DSCP with several priorities, all of them lossless. */
	expect(44, &dcb, TRISTATE_YES, TOS_LOSSLESS,
	       "traffic class 44: DSCP 11, which is lossless");
}

static void broken(void **state)
{
	struct dcb dcb = port();

	(void)state;
	expect(184, &dcb, TRISTATE_YES, TOS_LOSSY,
	       "traffic class 184: DSCP 46, priority 6, which is not lossless");
	expect(40, &dcb, TRISTATE_YES, TOS_AMBIGUOUS,
	       "traffic class 40: DSCP 10, which has several priorities, not all lossless");
	expect(0, &dcb, TRISTATE_YES, TOS_NOT_MAPPED,
	       "traffic class 0: DSCP 0, for which the driver reports no priority");
	expect(106, &dcb, TRISTATE_NO, TOS_NOT_TRUSTED,
	       "traffic class 106: DSCP 26, which the port ignores: it trusts the VLAN tag");
	expect(106, &dcb, TRISTATE_UNKNOWN, TOS_UNKNOWN,
	       "traffic class 106: DSCP 26, whose priority is not known");
	dcb.pfc.pfc_en = 0;
	expect(106, &dcb, TRISTATE_YES, TOS_NO_PFC,
	       "traffic class 106: DSCP 26, priority 3, no priority is lossless");
	dcb.pfc_known = false;
	expect(106, &dcb, TRISTATE_YES, TOS_UNKNOWN,
	       "traffic class 106: DSCP 26, whose priority is not known");
	expect(255, &dcb, TRISTATE_YES, TOS_UNKNOWN,
	       "traffic class 255: DSCP 63, whose priority is not known");
}

static void trust(void **state)
{
	struct dcb dcb = {.dscp_count = 0};

	(void)state;
	assert_int_equal(tos_trusts_dscp(&dcb, "mlx5_core"), TRISTATE_NO);
	assert_int_equal(tos_trusts_dscp(&dcb, "bnxt_en"), TRISTATE_UNKNOWN);
	assert_int_equal(tos_trusts_dscp(&dcb, NULL), TRISTATE_UNKNOWN);
	dcb.dscp_count = 1;
	assert_int_equal(tos_trusts_dscp(&dcb, "mlx5_core"), TRISTATE_YES);
	assert_int_equal(tos_trusts_dscp(&dcb, "bnxt_en"), TRISTATE_YES);
	/* The trust that the driver reports outweighs what its entries suggest. */
	dcb.trusted = number_of(DCB_TRUST_PCP);
	assert_int_equal(tos_trusts_dscp(&dcb, "mlx5_core"), TRISTATE_NO);
	dcb.trusted = number_of(DCB_TRUST_PCP | DCB_TRUST_DSCP);
	assert_int_equal(tos_trusts_dscp(&dcb, "bnxt_en"), TRISTATE_YES);
}

static void advice(void **state)
{
	struct dcb dcb = port();

	(void)state;
	assert_int_equal(tos_find_lossless(&dcb), 11 << 2 | 2);
	dcb.dscp_priorities[11] = 0;
	assert_int_equal(tos_find_lossless(&dcb), 106);
	dcb.pfc.pfc_en = 1 << 7;
	assert_int_equal(tos_find_lossless(&dcb), 0);
	dcb.pfc_known = false;
	assert_int_equal(tos_find_lossless(&dcb), 0);
}

static void parse(void **state)
{
	unsigned int tos = 77;

	(void)state;
	assert_int_equal(tos_parse("256", &tos), -22);
	assert_int_equal(tos_parse("-1", &tos), -22);
	assert_int_equal(tos_parse("auto", &tos), -22);
	assert_int_equal(tos_parse("", &tos), -22);
	assert_int_equal(tos, 77);
	assert_int_equal(tos_parse("0x6a", &tos), 0);
	assert_int_equal(tos, 106);
	assert_int_equal(tos_parse("255", &tos), 0);
	assert_int_equal(tos, 255);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),  cmocka_unit_test(broken), cmocka_unit_test(trust),
		cmocka_unit_test(advice), cmocka_unit_test(parse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
