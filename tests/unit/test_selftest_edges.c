/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tests of each transport do not cover: the rights and keys of memory, the addresses of
 * groups, and layouts of which some are not possible; on a device in memory.
 */
#include "perfect_cm.h"
#include "rooted.h"

#include <netinet/in.h>

/* ---- Rights of memory ---- */

static struct {
	int access[8];
	unsigned int count;
	unsigned int refused; /* number of the registration that fails, from 1 */
	int error;
	unsigned int same; /* number of the region with the key of the previous one */
	struct ibv_mr *last;
} regions;

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	struct ibv_mr *mr;

	if (regions.count < ARRAY_SIZE(regions.access))
		regions.access[regions.count] = access;
	if (++regions.count == regions.refused) {
		errno = regions.error;
		return NULL;
	}
	mr = soft_register(pd, bytes, length, access);
	if (regions.count == regions.same)
		mr->rkey = regions.last->rkey;
	regions.last = mr;
	return mr;
}

static void begin(struct soft_trial *bed, unsigned int side)
{
	memset(&regions, 0, sizeof(regions));
	soft_begin(bed);
	((side ? bed->far : bed->trial.near.agent)->api.ibv_reg_mr) = reg_mr;
}

/* Each right alone, and that of this side. */
static void rights(void **state)
{
	static const int wanted[] = {IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ,
				     IBV_ACCESS_REMOTE_ATOMIC};

	(void)state;
	for (unsigned int side = 0; side < 2; side++) {
		struct soft_trial bed;

		begin(&bed, side);
		soft_pass(&bed, setup_tests, "setup-rights", NULL);
		assert_int_equal(regions.count, 3);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(regions.access[i], IBV_ACCESS_LOCAL_WRITE | wanted[i]);
		soft_end(&bed);
		begin(&bed, side);
		if (side)
			bed.trial.far.can.atomics = 0;
		else
			bed.trial.near.can.atomics = 0;
		soft_pass(&bed, setup_tests, "setup-rights", NULL);
		assert_int_equal(regions.count, 2);
		soft_end(&bed);
	}
}

static void equal_keys(void **state)
{
	(void)state;
	for (unsigned int side = 0; side < 2; side++)
		/* The third region may share the key of the second only. */
		for (unsigned int same = 2; same <= 3; same++) {
			struct soft_trial bed;
			char *reason;

			begin(&bed, side);
			regions.same = same;
			/* The keys of a device increase by 0x100. */
			reason = mem_format("%s gave the same rkey 0x%08x to two regions",
					    side ? "the other side's device" : "the device",
					    soft.next_key + 0x100 * (same - 1 + side * 3));
			soft_expect(&bed, setup_tests, "setup-rights", SELFTEST_FAIL, reason);
			free(reason);
			soft_end(&bed);
		}
}

static void refused_rights(void **state)
{
	static const char *const names[] = {"IBV_ACCESS_REMOTE_WRITE", "IBV_ACCESS_REMOTE_READ",
					    "IBV_ACCESS_REMOTE_ATOMIC"};

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		struct soft_trial bed;
		char *reason = mem_format("%s supports no such memory: it refuses %s",
					  i / 3 ? "the other side's device" : "the device",
					  names[i % 3]);

		begin(&bed, i / 3);
		regions.refused = i % 3 + 1;
		regions.error = EOPNOTSUPP;
		soft_skip(&bed, setup_tests, "setup-rights", reason);
		free(reason);
		soft_end(&bed);
	}
}

static void refuse_on_quiet_port(const struct saved_tree *tree, FILE *out, void *context)
{
	struct soft_trial bed;

	(void)tree;
	begin(&bed, 0);
	bed.request.peer = "hostb";
	counter_list_add(&bed.trial.before[0], "port_xmit_packets", 1);
	counter_list_add(&bed.trial.before[0], "port_rcv_packets", 4);
	regions.refused = 1;
	regions.error = *(int *)context;
	soft_run(&bed, setup_tests, "setup-rights");
	fprintf(out, "%s", bed.trial.blocked ? bed.trial.blocked : "not blocked");
}

/* Another program only sends: memory that cannot be had does not mean that nothing gets through. */
static void refused_on_quiet_port(void **state)
{
	const struct saved_tree *tree = *state;
	int errors[] = {EOPNOTSUPP, ENOMEM};

	tree_write(tree, "sys/class/infiniband/none0/ports/1/counters/port_xmit_packets", "9");
	tree_write(tree, "sys/class/infiniband/none0/ports/1/counters/port_rcv_packets", "4");
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		rooted_expect(tree, refuse_on_quiet_port, &errors[i], "not blocked");
}

/* ---- Inline data ---- */

static int inline_error;

static struct ibv_qp *qp_without_inline(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	if (attr->cap.max_inline_data && inline_error) {
		errno = inline_error;
		return NULL;
	}
	attr->cap.max_inline_data = 0;
	return soft_qp(pd, attr);
}

/* A device without inline data, or with less, is no fault; one that fails is. */
static void refused_inline(void **state)
{
	static const struct {
		int error;
		enum selftest_verdict verdict;
	} samples[] = {
		{0, SELFTEST_SKIP},
		{EINVAL, SELFTEST_SKIP},
		{EOPNOTSUPP, SELFTEST_SKIP},
		{ENOMEM, SELFTEST_FAIL},
	};

	(void)state;
	for (unsigned int i = 0; i < 2 * ARRAY_SIZE(samples); i++) {
		const unsigned int side = i % 2;
		const enum selftest_verdict verdict = samples[i / 2].verdict;
		struct soft_trial bed;
		const char *reason, *said;

		soft_begin(&bed);
		((side ? bed.far : bed.trial.near.agent)->api.ibv_create_qp) = qp_without_inline;
		inline_error = samples[i / 2].error;
		reason = soft_run(&bed, rc_tests, "rc-inline")->reason;
		said = verdict == SELFTEST_FAIL ? strerror(inline_error)
		       : side ? "the other side's device creates no queue pair with 28 bytes of "
			      : "the device creates no queue pair with 28 bytes of ";
		assert_int_equal(bed.results.items[0]->verdict.value, verdict);
		if (!strstr(reason, said))
			fail_msg("'%s' does not say '%s'", reason, said);
		soft_end(&bed);
	}
}

/* ---- Groups ---- */

static struct sockaddr_storage joined[2];

static int join_near(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *how, void *context)
{
	memcpy(&joined[0], how->addr, soft_cm_length(how->addr));
	return soft_cm_join(id, how, context);
}

static int join_far(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *how, void *context)
{
	memcpy(&joined[1], how->addr, soft_cm_length(how->addr));
	return soft_cm_join(id, how, context);
}

static void begin_group(struct soft_trial *bed)
{
	soft_cm_begin(bed);
	bed->trial.near.agent->api.rdma_join_multicast_ex = join_near;
	bed->far->api.rdma_join_multicast_ex = join_far;
}

/*
 * 239.255 and the two highest bytes of (interface id + queue pair) * 0x9e3779b97f4a7c15: for
 * ::ffff:10.9.0.1 and 0x101, and for the next queue pair of this side.
 */
static void group_of_ipv4(void **state)
{
	static const uint8_t wanted[][4] = {{239, 255, 247, 49}, {239, 255, 51, 160}};
	struct soft_trial bed;

	(void)state;
	begin_group(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		soft_pass(&bed, datagram_tests, "multicast", NULL);
		for (size_t side = 0; side < 2; side++) {
			const struct sockaddr_in *in = (const void *)&joined[side];

			assert_int_equal(in->sin_family, AF_INET);
			assert_memory_equal(&in->sin_addr, wanted[i], 4);
		}
	}
	soft_cm_end(&bed);
}

/* ---- Layouts ---- */

/* A layout that is not possible is skipped, and the next one is measured. */
static void some_layouts(void **state)
{
	struct soft_trial bed;

	(void)state;
	soft_begin(&bed);
	bed.request.block_bytes[0] = 256;
	bed.request.block_bytes[1] = 64;
	bed.request.block_count[0] = 2;
	bed.request.block_bytes_count = 2;
	bed.request.block_count_count = 1;
	bed.request.stride = 100;
	soft_pass(&bed, gather_tests, "gather-write", NULL);
	assert_int_equal(bed.results.count, 2);
	assert_int_equal(bed.results.items[0]->verdict.value, SELFTEST_SKIP);
	assert_string_equal(bed.results.items[0]->reason, "blocks of 256 bytes every 100 overlap");
	assert_true(bed.results.items[1]->transfer_usec.known);
	soft_end(&bed);
	/* Both layouts use the same queue pairs. */
	soft_begin(&bed);
	bed.request.block_bytes[0] = 256;
	bed.request.block_bytes[1] = 64;
	bed.request.block_count[0] = 2;
	bed.request.block_bytes_count = 2;
	bed.request.block_count_count = 1;
	soft_pass(&bed, gather_tests, "gather-write", NULL);
	assert_true(bed.results.items[0]->link.qpn.known);
	assert_memory_equal(&bed.results.items[1]->link, &bed.results.items[0]->link,
			    sizeof(bed.results.items[0]->link));
	soft_end(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights),	  cmocka_unit_test(equal_keys),
		cmocka_unit_test(refused_rights), cmocka_unit_test(refused_inline),
		cmocka_unit_test(group_of_ipv4),  cmocka_unit_test(some_layouts),
	};

	const struct CMUnitTest rooted[] = {cmocka_unit_test_setup_teardown(
		refused_on_quiet_port, tree_only_set_up, tree_only_tear_down)};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed || !rooted_is_possible() ? failed
					       : cmocka_run_group_tests(rooted, NULL, NULL);
}
