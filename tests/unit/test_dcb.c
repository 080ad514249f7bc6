/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Data center bridging: hand-made answers, complete and damaged, and the kernel of this machine. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/rtnl.h"
#include "kernel/netlink/dcb.h"
#include "netlink_message.h"

/* Linux 6.12's include/uapi/linux/dcbnl.h */
enum { APP_TRUST_TABLE = 11, PCP_APP = 2, SELECTOR_PCP = 255 };

/* Messages are copied to memory of their exact size, so that the sanitizer sees every overrun. */
static int parse(const struct bytes *bytes, size_t length, struct dcb *dcb)
{
	_cleanup_(freep) void *copy = mem_alloc_zero(length, 1);

	memcpy(copy, bytes->data, length);
	*dcb = (struct dcb){.ets_known = false};
	return dcb_parse(dcb, copy, length);
}

static void put_app(struct bytes *table, uint8_t selector, uint16_t protocol, uint8_t priority)
{
	const struct dcb_app app = {
		.selector = selector, .priority = priority, .protocol = protocol};

	put_attribute(table, DCB_ATTR_IEEE_APP, &app, sizeof(app));
}

static void put_message_of(struct bytes *bytes, const struct bytes *ieee)
{
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_GET};

	bytes_put(bytes, &header, sizeof(header));
	put_string(bytes, DCB_ATTR_IFNAME, "eth0");
	put_nest(bytes, DCB_ATTR_IEEE, ieee);
	put_u8(bytes, DCB_ATTR_DCBX, 5);
}

/* PFC on 3, priorities in classes of their own, DSCP 26 and 24 to 3, and DSCP trusted first. */
static void put_lossless(struct bytes *bytes)
{
	const struct ieee_ets ets = {.prio_tc = {0, 1, 2, 3, 4, 5, 6, 7}};
	const struct ieee_pfc pfc = {.pfc_cap = 8, .pfc_en = 0x08};
	struct bytes ieee = {0}, apps = {0}, trust = {0};

	put_attribute(&ieee, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	put_attribute(&ieee, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 26, 3);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 24, 3);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_ETHERTYPE, 0x8915, 4);
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &apps);
	put_u8(&trust, DCB_ATTR_IEEE_APP, IEEE_8021QAZ_APP_SEL_DSCP);
	put_u8(&trust, PCP_APP, SELECTOR_PCP);
	put_nest(&ieee, APP_TRUST_TABLE | NLA_F_NESTED, &trust);
	put_u32(&ieee, 200, 1);
	put_message_of(bytes, &ieee);
}

static void lossless(void **state)
{
	struct bytes bytes = {0};
	struct dcb dcb;

	(void)state;
	put_lossless(&bytes);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_true(dcb.pfc_known);
	assert_int_equal(dcb.pfc.pfc_en, 0x08);
	assert_true(dcb.ets_known);
	assert_int_equal(dcb.ets.prio_tc[3], 3);
	assert_int_equal(dcb.dscp_count, 2);
	assert_int_equal(dcb.dscp_priorities[26], 0x08);
	assert_int_equal(dcb.dscp_priorities[24], 0x08);
	assert_int_equal(dcb.dscp_priorities[0], 0);
	assert_true(dcb.trusted.known);
	assert_int_equal(dcb.trusted.value, DCB_TRUST_DSCP | DCB_TRUST_PCP);
}

/* All structures are present; trust in its order, and entries of other selectors besides DSCP. */
static void everything(void **state)
{
	const struct ieee_ets ets = {.willing = 1,
				     .ets_cap = 8,
				     .tc_tx_bw = {50, 50},
				     .tc_tsa = {2, 2, 0, 255},
				     .tc_reco_bw = {100}};
	const struct ieee_pfc pfc = {.pfc_cap = 8,
				     .pfc_en = 0x81,
				     .mbc = 1,
				     .delay = 700,
				     .requests = {1},
				     .indications = {[7] = UINT64_MAX}};
	const struct ieee_maxrate rates = {.tc_maxrate = {0, 10000000}};
	const struct dcbnl_buffer buffers = {
		.prio2buffer = {[3] = 1}, .buffer_size = {1, 2}, .total_size = 3};
	struct bytes bytes = {0}, ieee = {0}, apps = {0}, trust = {0};
	const struct dcb_app pcp = {.selector = DCB_SELECTOR_PCP, .priority = 2, .protocol = 9};
	struct dcb dcb;

	(void)state;
	put_attribute(&ieee, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	put_attribute(&ieee, DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	put_attribute(&ieee, DCB_ATTR_IEEE_MAXRATE, &rates, sizeof(rates));
	put_attribute(&ieee, DCB_ATTR_DCB_BUFFER, &buffers, sizeof(buffers));
	put_app(&apps, IEEE_8021QAZ_APP_SEL_ETHERTYPE, 0x8915, 4);
	put_attribute(&apps, PCP_APP, &pcp, sizeof(pcp));
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &apps);
	put_u8(&trust, PCP_APP, SELECTOR_PCP);
	put_u8(&trust, DCB_ATTR_IEEE_APP, IEEE_8021QAZ_APP_SEL_DSCP);
	put_nest(&ieee, APP_TRUST_TABLE, &trust);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_true(dcb.ets_known && dcb.pfc_known && dcb.rates_known && dcb.buffers_known);
	assert_memory_equal(&dcb.ets, &ets, sizeof(ets));
	assert_memory_equal(&dcb.pfc, &pfc, sizeof(pfc));
	assert_memory_equal(&dcb.rates, &rates, sizeof(rates));
	assert_memory_equal(&dcb.buffers, &buffers, sizeof(buffers));
	assert_int_equal(dcb.dcbx.value, 5);
	assert_int_equal(dcb.trust_count, 2);
	assert_int_equal(dcb.trust_order[0], DCB_SELECTOR_PCP);
	assert_int_equal(dcb.trust_order[1], IEEE_8021QAZ_APP_SEL_DSCP);
	/* Entries for other selectors do not count as DSCP. */
	assert_int_equal(dcb.dscp_count, 0);
}

/* More selectors than exist. */
static void too_many(void **state)
{
	struct bytes bytes = {0}, ieee = {0}, trust = {0};
	struct dcb dcb;

	(void)state;
	for (unsigned int i = 0; i < 2 * DCB_SELECTORS; i++)
		put_u8(&trust, DCB_ATTR_IEEE_APP, (uint8_t)i);
	put_nest(&ieee, APP_TRUST_TABLE, &trust);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_int_equal(dcb.trust_count, DCB_SELECTORS);
}

static int result_of(uint8_t value, unsigned int attribute)
{
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_SET};
	struct bytes bytes = {0};
	_cleanup_(freep) void *copy = NULL;

	bytes_put(&bytes, &header, sizeof(header));
	put_u8(&bytes, attribute, value);
	copy = mem_alloc_zero(bytes.length, 1);
	memcpy(copy, bytes.data, bytes.length);
	return dcb_parse_result(copy, bytes.length, attribute);
}

/* The errno hides in a byte; positive driver codes are not errors, a refusal of DCBX is one. */
static void results(void **state)
{
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_SET};
	struct bytes bytes = {0};

	(void)state;
	assert_int_equal(result_of(0, DCB_ATTR_IEEE), 0);
	assert_int_equal(result_of((uint8_t)-EINVAL, DCB_ATTR_IEEE), -EINVAL);
	assert_int_equal(result_of((uint8_t)-EOPNOTSUPP, DCB_ATTR_IEEE), -EOPNOTSUPP);
	assert_int_equal(result_of((uint8_t)-1, DCB_ATTR_IEEE), -EPERM);
	assert_int_equal(result_of(128, DCB_ATTR_IEEE), -128);
	assert_int_equal(result_of(2, DCB_ATTR_IEEE), 0);
	assert_int_equal(result_of(0, DCB_ATTR_DCBX), 0);
	assert_int_equal(result_of(1, DCB_ATTR_DCBX), -EREMOTEIO);
	assert_int_equal(result_of((uint8_t)-EINVAL, DCB_ATTR_DCBX), -EREMOTEIO);
	bytes_put(&bytes, &header, sizeof(header));
	assert_int_equal(dcb_parse_result(bytes.data, bytes.length, DCB_ATTR_IEEE), -EBADMSG);
	put_u8(&bytes, DCB_ATTR_DCBX, 0);
	assert_int_equal(dcb_parse_result(bytes.data, bytes.length, DCB_ATTR_IEEE), -EBADMSG);
	assert_int_equal(dcb_parse_result(bytes.data, 3, DCB_ATTR_IEEE), -EBADMSG);
	put_u32(&bytes, DCB_ATTR_IEEE, 0x1234);
	assert_int_equal(dcb_parse_result(bytes.data, bytes.length, DCB_ATTR_IEEE), -EBADMSG);
}

/* A driver omits what it does not know. */
static void nothing_told(void **state)
{
	struct bytes bytes = {0}, ieee = {0}, empty = {0};
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_GET};
	struct dcb dcb;

	(void)state;
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &empty);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_false(dcb.pfc_known);
	assert_false(dcb.ets_known);
	assert_false(dcb.trusted.known);
	assert_int_equal(dcb.dscp_count, 0);
	bytes.length = 0;
	bytes_put(&bytes, &header, sizeof(header));
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_false(dcb.pfc_known);
}

/* An empty trust table is known: the port trusts nothing. */
static void trusts_nothing(void **state)
{
	struct bytes bytes = {0}, ieee = {0}, empty = {0};
	struct dcb dcb;

	(void)state;
	put_nest(&ieee, APP_TRUST_TABLE, &empty);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_true(dcb.trusted.known);
	assert_int_equal(dcb.trusted.value, 0);
}

/* Numbers out of range, one DSCP with two priorities, entries of the wrong size. */
static void hostile(void **state)
{
	struct bytes bytes = {0}, ieee = {0}, apps = {0};
	struct dcb dcb;

	(void)state;
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 64, 3);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 65535, 3);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 63, 8);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 63, 255);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 63, 7);
	put_app(&apps, IEEE_8021QAZ_APP_SEL_DSCP, 63, 0);
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &apps);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), 0);
	assert_int_equal(dcb.dscp_count, 2);
	assert_int_equal(dcb.dscp_priorities[63], 0x81);

	bytes.length = ieee.length = apps.length = 0;
	put_u16(&apps, DCB_ATTR_IEEE_APP, 5);
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &apps);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), -EBADMSG);

	bytes.length = ieee.length = 0;
	put_u32(&ieee, DCB_ATTR_IEEE_PFC, 8);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), -EBADMSG);

	bytes.length = ieee.length = apps.length = 0;
	put_attribute(&apps, DCB_ATTR_IEEE_APP, "", 0);
	put_nest(&ieee, APP_TRUST_TABLE, &apps);
	put_message_of(&bytes, &ieee);
	assert_int_equal(parse(&bytes, bytes.length, &dcb), -EBADMSG);
}

static void cut_short(void **state)
{
	struct bytes whole = {0};

	(void)state;
	put_lossless(&whole);
	for (size_t length = 0; length < whole.length; length++) {
		struct dcb dcb;
		int rc = parse(&whole, length, &dcb);

		assert_true(!rc || rc == -EBADMSG);
		if (length < sizeof(struct dcbmsg))
			assert_int_equal(rc, -EBADMSG);
	}
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct dcbmsg *header = NLMSG_DATA(message);
	struct bytes payload = {0}, datagram = {0}, name = {0};

	put_string(&name, DCB_ATTR_IFNAME, "eth0");
	if (message->nlmsg_type != RTM_GETDCB || header->cmd != DCB_CMD_IEEE_GET) {
		put_error(&datagram, message->nlmsg_seq, -EINVAL, NULL);
	} else if (memcmp(header + 1, name.data, name.length)) {
		put_error(&datagram, message->nlmsg_seq, -EOPNOTSUPP, NULL);
	} else {
		put_lossless(&payload);
		put_message(&datagram, RTM_GETDCB, 0, message->nlmsg_seq, payload.data,
			    payload.length);
	}
	fake_send(kernel, &datagram);
}

static void asked(void **state)
{
	struct fake_kernel kernel = {.serve = serve};
	struct netlink *rtnl = netlink_from_fd(fake_start(&kernel), 32768);
	struct dcb dcb = {.dscp_count = 77};

	(void)state;
	assert_int_equal(dcb_get(rtnl, "lo", &dcb), -EOPNOTSUPP);
	assert_int_equal(dcb.dscp_count, 77);
	assert_int_equal(dcb_get(rtnl, "eth0", &dcb), 0);
	assert_int_equal(dcb.dscp_count, 2);
	netlink_free(rtnl);
	fake_stop(&kernel);
}

/* lo has no data center bridging in any kernel, whether or not it knows the request. */
static void own_kernel(void **state)
{
	struct netlink *rtnl;
	struct dcb dcb;

	(void)state;
	if (rtnl_open(NULL, &rtnl))
		skip();
	assert_int_equal(dcb_get(rtnl, "lo", &dcb), -EOPNOTSUPP);
	netlink_free(rtnl);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything),	cmocka_unit_test(too_many),
		cmocka_unit_test(results),	cmocka_unit_test(lossless),
		cmocka_unit_test(nothing_told), cmocka_unit_test(trusts_nothing),
		cmocka_unit_test(hostile),	cmocka_unit_test(cut_short),
		cmocka_unit_test(asked),	cmocka_unit_test(own_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
