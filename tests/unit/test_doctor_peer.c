/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The verdict on the data path to a peer, and what is reported if no port leads to it. */
#include <errno.h>

#include "borrowed.h"
#include "doctor_bed.h"
#include "selftest/record/record.h"

static int set_up(void **state)
{
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	bed->run.id = CHECK_ID_peer_data;
	bed->run.check = doctor_check(CHECK_ID_peer_data);
	return 0;
}

static void add(struct selftest_results *results, enum selftest_verdict verdict, unsigned int port,
		const char *test, const char *reason, const char *next_step)
{
	struct selftest_result *row = selftest_results_add(results);

	row->verdict = number_of(verdict);
	row->device = mem_string("mlx5_0");
	row->port = number_of(port);
	row->test = mem_string(test);
	row->reason = mem_string_or_null(reason);
	row->next_step = mem_string_or_null(next_step);
}

/* Each failed test is an error with separate evidence; passed tests are then not shown. */
static void failed_tests(void **state)
{
	struct bed *bed = *state;
	struct selftest_results results = {.items = NULL};
	const struct finding *finding;

	add(&results, SELFTEST_PASS, 2, "connect", NULL, NULL);
	add(&results, SELFTEST_FAIL, 2, "rc-write", "no answer", "look at the cable");
	add(&results, SELFTEST_SKIP, 2, "rc-read", "cannot read", "in vain");
	add(&results, SELFTEST_FAIL, 3, "ud-send", "nothing came", NULL);
	doctor_judge_peer(&bed->run, "host", &results);
	assert_int_equal(bed->results.count, 2);
	finding = &bed->results.items[0].finding;
	bed_assert(&bed->results.items[0], SEVERITY_ERROR,
		   "a test of the data path to the peer fails");
	assert_string_equal(finding->object, "host");
	assert_string_equal(finding->evidence, "mlx5_0/2: rc-write: no answer");
	assert_string_equal(finding->next_step, "look at the cable");
	assert_string_equal(bed->results.items[0].sources.items[0], "rdmactl selftest");
	finding = &bed->results.items[1].finding;
	bed_assert(&bed->results.items[1], SEVERITY_ERROR,
		   "a test of the data path to the peer fails");
	assert_string_equal(finding->object, "host");
	assert_string_equal(finding->evidence, "mlx5_0/3: ud-send: nothing came");
	assert_string_equal(finding->next_step, bed->run.check->remedy);
	selftest_results_free(&results);
}

/* One passed test is enough, if none fails. */
static void passed_tests(void **state)
{
	struct bed *bed = *state;
	struct selftest_results results = {.items = NULL};

	add(&results, SELFTEST_SKIP, 1, "rc-read", "cannot read", NULL);
	add(&results, SELFTEST_PASS, 1, "connect", NULL, NULL);
	doctor_judge_peer(&bed->run, "host", &results);
	assert_int_equal(bed->results.count, 1);
	bed_assert(bed_last(bed), SEVERITY_OK, "data reaches the peer and comes back");
	assert_string_equal(bed_last(bed)->finding.object, "host");
	assert_string_equal(bed_last(bed)->finding.evidence, "1 test passed");
	add(&results, SELFTEST_PASS, 1, "rc-write", "a remark", "in vain");
	doctor_judge_peer(&bed->run, "host", &results);
	assert_int_equal(bed->results.count, 2);
	assert_string_equal(bed_last(bed)->finding.evidence, "2 tests passed");
	assert_null(bed_last(bed)->finding.next_step);
	selftest_results_free(&results);
}

/* Tests that could not run say nothing about the path. */
static void no_tests(void **state)
{
	struct bed *bed = *state;
	struct selftest_results results = {.items = NULL};

	for (size_t i = 0; i < 2; i++) {
		doctor_judge_peer(&bed->run, "host", &results);
		assert_int_equal(bed->results.count, i + 1);
		bed_assert(bed_last(bed), SEVERITY_INFO, "no test of the data path could be run");
		assert_false(bed_last(bed)->needs.known);
		assert_string_equal(bed_last(bed)->finding.object, "host");
		assert_string_equal(bed_last(bed)->finding.evidence, "0 tests passed");
		add(&results, SELFTEST_SKIP, 1, "rc-read", "cannot read", NULL);
	}
	selftest_results_free(&results);
}

/*
 * No device has that name, so no path is looked for; control characters in the peer's name are
 * replaced.
 */
static void no_path(void **state)
{
	struct bed *bed = *state;
	char *const words[] = {borrowed("no-such-device"), NULL};
	struct objects objects = {.items = NULL};

	assert_int_equal(objects_parse(&objects, words, false, NULL), 0);
	bed->request.objects = &objects;
	bed->request.peer = "a\tpeer";
	bed_run(bed, CHECK_ID_peer_data);
	assert_int_equal(bed->results.count, 1);
	bed_assert(bed_last(bed), SEVERITY_ERROR, "no path to the peer is known");
	assert_string_equal(bed_last(bed)->finding.object, "a\\x09peer");
	assert_string_equal(bed_last(bed)->finding.evidence, "the devices cannot be listed");
	assert_int_equal(bed_last(bed)->sources.count, 0);
	assert_string_equal(bed_last(bed)->finding.next_step, bed->run.check->remedy);
	objects_free(&objects);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(failed_tests),
		TEST(passed_tests),
		TEST(no_tests),
		TEST(no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
