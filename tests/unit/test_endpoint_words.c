/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the user is told about the ends of a test that cannot work: every state, every mismatch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "host/device.h"
#include "host/endpoint/endpoint_search.h"
#include "host/port.h"

/* RFC 2863: IF_OPER_*, linux/if.h */
enum { NONE, NOT_PRESENT, DOWN, LOWER_LAYER_DOWN, TESTING, DORMANT, UP };

#define CABLE "check the cable and the other end; rdmactl ports mlx5_0/2 shows the physical state"
#define OPENSM                                                                             \
	"no subnet manager has brought it up: rdmactl smp sminfo shows whether one (such " \
	"as opensm) is running"
#define LOG "check ip link show eth0 and the kernel log (dmesg)"

static void states(void **state)
{
	static const struct {
		uint32_t state, layer, operstate;
		const char *netdev, *peer, *reason, *hint;
	} samples[] = {
		{PORT_STATE_ACTIVE, LINK_LAYER_ETHERNET, DOWN, "eth0", NULL, NULL, NULL},
		{0, LINK_LAYER_ETHERNET, DOWN, "eth0", NULL, NULL, NULL},
		{PORT_STATE_INIT, LINK_LAYER_INFINIBAND, NONE, "", NULL,
		 "port mlx5_0/2 is not ACTIVE but init", OPENSM},
		{PORT_STATE_ARMED, LINK_LAYER_INFINIBAND, DOWN, "ib0", NULL,
		 "port mlx5_0/2 is not ACTIVE but armed (its netdev ib0 is down)", OPENSM},
		{PORT_STATE_DOWN, LINK_LAYER_INFINIBAND, DOWN, "ib0", NULL,
		 "port mlx5_0/2 is not ACTIVE but down (its netdev ib0 is down)", CABLE},
		{PORT_STATE_DOWN, LINK_LAYER_ETHERNET, NONE, "", "n2",
		 "port mlx5_0/2 of n2 is not ACTIVE but down", "on n2: " CABLE},
		{PORT_STATE_INIT, LINK_LAYER_ETHERNET, NONE, "", NULL,
		 "port mlx5_0/2 is not ACTIVE but init", CABLE},
		{PORT_STATE_DOWN, LINK_LAYER_ETHERNET, DOWN, "eth0", NULL,
		 "port mlx5_0/2 is not ACTIVE but down (its netdev eth0 is down)",
		 "ip link set eth0 up"},
		{PORT_STATE_DOWN, LINK_LAYER_ETHERNET, LOWER_LAYER_DOWN, "eth0", "n2",
		 "port mlx5_0/2 of n2 is not ACTIVE but down (its netdev eth0 is lower-layer-down)",
		 "on n2: eth0 has no carrier: check the cable and the other end (ethtool eth0, ip "
		 "link show eth0)"},
		{PORT_STATE_DOWN, LINK_LAYER_ETHERNET, UP, "eth0", NULL,
		 "port mlx5_0/2 is not ACTIVE but down (its netdev eth0 is up)", LOG},
		{PORT_STATE_DOWN, LINK_LAYER_ETHERNET, 77, "eth0", NULL,
		 "port mlx5_0/2 is not ACTIVE but down (its netdev eth0 is unknown)", LOG},
		{PORT_STATE_DOWN, LINK_LAYER_ETHERNET, NONE, "eth0", NULL,
		 "port mlx5_0/2 is not ACTIVE but down", LOG},
		{99, LINK_LAYER_ETHERNET, NONE, "eth0", NULL,
		 "port mlx5_0/2 is not ACTIVE but in an unknown state", LOG},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct endpoint endpoint = {
			.device = "mlx5_0",
			.port = 2,
			.state = samples[i].state,
			.link_layer = samples[i].layer,
			.operstate = samples[i].operstate,
		};
		char *reason = NULL, *hint = NULL;

		strcpy(endpoint.netdev, samples[i].netdev);
		assert_int_equal(endpoint_is_down(&endpoint, samples[i].peer, &reason, &hint),
				 samples[i].reason != NULL);
		if (samples[i].reason) {
			assert_string_equal(reason, samples[i].reason);
			assert_string_equal(hint, samples[i].hint);
		}
		free(reason);
		free(hint);
	}
}

/* Nothing is known about it. */
static void unknown(void **state)
{
	const struct endpoint nameless = {.state = PORT_STATE_DOWN};
	char *reason = NULL, *hint = NULL;

	(void)state;
	assert_false(endpoint_is_down(NULL, NULL, &reason, &hint));
	assert_false(endpoint_is_down(&nameless, NULL, &reason, &hint));
	assert_null(reason);
	assert_null(hint);
}

#define KIND_HINT "name ports of one kind on both sides: rdmactl devices shows the transport"
#define TYPE_HINT                                                                              \
	"choose GIDs of one type with --gid-index on both sides: rdmactl gids --type roce-v2 " \
	"lists them"
#define FAMILY_HINT                                                                            \
	"choose GIDs of one family with --gid-index on both sides: rdmactl gids shows the IP " \
	"addresses"

static void check_mismatch(const struct endpoint *near, const struct endpoint *far,
			   const char *wanted, const char *wanted_hint)
{
	char *reason = NULL, *hint = NULL;

	assert_int_equal(endpoint_mismatch(near, "here", far, "there", &reason, &hint),
			 wanted != NULL);
	if (wanted) {
		assert_string_equal(reason, wanted);
		assert_string_equal(hint, wanted_hint);
	}
	free(reason);
	free(hint);
}

static struct endpoint roce(uint32_t index, uint32_t type, const char *gid)
{
	struct endpoint endpoint = {
		.transport = TRANSPORT_ROCE,
		.link_layer = LINK_LAYER_ETHERNET,
		.gid_index = index,
		.gid_type = type,
	};

	assert_int_equal(gid_parse(gid, &endpoint.gid), 0);
	return endpoint;
}

static void mismatches(void **state)
{
	const struct endpoint v2 = roce(3, GID_TYPE_ROCE_V2, "::ffff:10.0.0.1");
	const struct endpoint v1 = roce(2, GID_TYPE_ROCE_V1, "::ffff:10.0.0.1");
	const struct endpoint v6 = roce(1, GID_TYPE_ROCE_V2, "fe80::1");
	const struct endpoint old6 = roce(0, GID_TYPE_ROCE_V1, "fe80::1");
	const struct endpoint ib = {.transport = TRANSPORT_INFINIBAND,
				    .link_layer = LINK_LAYER_INFINIBAND};
	const struct endpoint iwarp = {.transport = TRANSPORT_IWARP,
				       .link_layer = LINK_LAYER_ETHERNET};
	const struct endpoint opa = {.transport = TRANSPORT_OPA,
				     .link_layer = LINK_LAYER_INFINIBAND};
	const struct endpoint efa = {.transport = TRANSPORT_UNSPECIFIED,
				     .link_layer = LINK_LAYER_UNSPECIFIED};
	struct endpoint ib6 = ib, strange = v2;

	(void)state;
	assert_int_equal(gid_parse("fe80::1", &ib6.gid), 0);
	strange.link_layer = LINK_LAYER_INFINIBAND;
	check_mismatch(&v2, &v2, NULL, NULL);
	check_mismatch(&v6, &v6, NULL, NULL);
	check_mismatch(&v1, &v1, NULL, NULL);
	/* Only RoCE GIDs have types and families. */
	check_mismatch(&ib, &ib6, NULL, NULL);
	check_mismatch(&iwarp, &iwarp, NULL, NULL);
	check_mismatch(&v2, &ib,
		       "here is RoCE v2, there is InfiniBand: they cannot talk to each other",
		       KIND_HINT);
	check_mismatch(&v1, &iwarp,
		       "here is RoCE v1, there is iWARP: they cannot talk to each other",
		       KIND_HINT);
	check_mismatch(&opa, &ib,
		       "here is Omni-Path, there is InfiniBand: they cannot talk to each other",
		       KIND_HINT);
	check_mismatch(
		&efa, &ib,
		"here is of another transport, there is InfiniBand: they cannot talk to each "
		"other",
		KIND_HINT);
	check_mismatch(&v2, &strange,
		       "here is RoCE v2, there is RoCE v2: they cannot talk to each other",
		       KIND_HINT);
	check_mismatch(&v2, &v1,
		       "GIDs of different types cannot talk to each other: index 3 of here is RoCE "
		       "v2, index 2 of there is RoCE v1",
		       TYPE_HINT);
	check_mismatch(&old6, &v2,
		       "GIDs of different types cannot talk to each other: index 0 of here is RoCE "
		       "v1, index 3 of there is RoCE v2",
		       TYPE_HINT);
	check_mismatch(&v2, &v6,
		       "GIDs of different families cannot talk to each other: index 3 of here is "
		       "IPv4, index 1 of there is IPv6",
		       FAMILY_HINT);
	check_mismatch(&v6, &v2,
		       "GIDs of different families cannot talk to each other: index 1 of here is "
		       "IPv6, index 3 of there is IPv4",
		       FAMILY_HINT);
}

/* The description of a port for the other side, in members of fixed size. */
static void descriptions(void **state)
{
	char name[80] = "", netdev[] = "fifteen-letters";
	struct device device = {.kernel_name = name, .transport = number_of(TRANSPORT_ROCE)};
	struct port port = {.port = number_of(2),
			    .link_layer = number_of(LINK_LAYER_ETHERNET),
			    .state = number_of(PORT_STATE_ACTIVE),
			    .netdev = netdev,
			    .netdev_operstate = number_of(UP),
			    .active_mtu_bytes = number_of(4096),
			    .rate_gbps = real_of(2.5),
			    .lid = number_of(7)};
	struct endpoint endpoint;

	(void)state;
	for (size_t length = 62; length < 66; length++) {
		memset(name, 'n', length);
		endpoint_describe_port(&device, &port, &endpoint);
		assert_int_equal(strlen(endpoint.device), length < 63 ? length : 63);
	}
	assert_string_equal(endpoint.netdev, netdev);
	assert_int_equal(endpoint.port, 2);
	assert_int_equal(endpoint.transport, TRANSPORT_ROCE);
	assert_int_equal(endpoint.link_layer, LINK_LAYER_ETHERNET);
	assert_int_equal(endpoint.state, PORT_STATE_ACTIVE);
	assert_int_equal(endpoint.operstate, UP);
	assert_int_equal(endpoint.mtu_bytes, 4096);
	assert_int_equal(endpoint.rate_mbps, 2500);
	/* Only InfiniBand has LIDs. */
	assert_int_equal(endpoint.lid, 0);
	port.link_layer = number_of(LINK_LAYER_INFINIBAND);
	port.state.known = false;
	port.netdev = NULL;
	endpoint_describe_port(&device, &port, &endpoint);
	assert_int_equal(endpoint.lid, 7);
	assert_int_equal(endpoint.state, 0);
	assert_string_equal(endpoint.netdev, "");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(states),
		cmocka_unit_test(unknown),
		cmocka_unit_test(mismatches),
		cmocka_unit_test(descriptions),
	};

	return cmocka_run_group_tests_name("endpoint-words", tests, NULL, NULL);
}
