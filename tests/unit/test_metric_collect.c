/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A scrape that cannot read its counters reports so in a sample. */
#include "saved_tree.h"

#include <errno.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "counter/counters.h"
#include "metric/metric.h"

/* Descriptors may run out between the inventory and the counters. */
int counter_loader_open(const struct counters_request *request, struct counter_loader **ret_loader)
{
	(void)request;
	(void)ret_loader;
	return -EMFILE;
}

void counter_loader_read(struct counter_loader *loader, struct counter_readings *readings,
			 struct problems *problems, struct problems *notes)
{
	(void)loader;
	(void)readings;
	(void)problems;
	(void)notes;
	fail();
}

void counter_loader_free(struct counter_loader *loader)
{
	(void)loader;
}

static const struct metric_family *find(const struct metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (!strcmp(metrics->families[i].name, name))
			return &metrics->families[i];
	return NULL;
}

static void no_counters(void **state)
{
	struct saved_tree *tree = *state;
	const struct objects none = {.items = NULL};
	const struct metrics_request request = {
		.root = tree->path, .objects = &none, .version = "1"};
	struct problems problems = {.items = NULL};
	struct metrics metrics = {.families = NULL};
	const struct metric_family *family;
	_cleanup_(freep) char *wanted = NULL;

	tree_write(tree, "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error", "3");
	tree_write(tree, "sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
	assert_int_equal(metrics_collect(&request, &metrics, &problems), 0);
	family = find(&metrics, "rdma_scrape_problem");
	assert_non_null(family);
	assert_true(family->sample_count);
	wanted = mem_format("attribute=\"counters\",source=\"sysfs\",error=\"%s\"",
			    strerror(EMFILE));
	/* The samples are sorted: one without an object comes first. */
	assert_string_equal(family->samples[0].labels, wanted);
	metrics_clear(&metrics);
	problems_free(&problems);
}

/*
 * A problem found twice is one series; the time for many problems does not grow with their pairs.
 */
static void many_problems(void **state)
{
	enum { MANY = 30000, MOST_SECONDS = 4 };
	struct saved_tree *tree = *state;
	const struct objects none = {.items = NULL};
	const struct metrics_request request = {
		.root = tree->path, .objects = &none, .version = "1"};
	struct problems problems = {.items = NULL};
	struct metrics metrics = {.families = NULL};
	const struct metric_family *family;
	clock_t began;

	tree_directory(tree, "sys");
	for (unsigned int i = 0; i < 2 * MANY; i++) {
		_cleanup_(freep) char *object = mem_format("mlx5_%u", i % MANY);

		problem_add(&problems, object, "counters", "sysfs", -EIO, NULL);
	}
	began = clock();
	assert_int_equal(metrics_collect(&request, &metrics, &problems), -ENODEV);
	assert_true((clock() - began) / CLOCKS_PER_SEC < MOST_SECONDS);
	family = find(&metrics, "rdma_scrape_problem");
	assert_non_null(family);
	/* The additional one says that there is no device. */
	assert_int_equal(family->sample_count, MANY + 1);
	metrics_clear(&metrics);
	problems_free(&problems);
}

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct saved_tree));
}

static int teardown(void **state)
{
	tree_become_oneself();
	tree_close(*state);
	free(*state);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(many_problems, setup, teardown),
	};

	return cmocka_run_group_tests_name("metric_collect", tests, NULL, NULL);
}
