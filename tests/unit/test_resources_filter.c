/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which objects pass the options of rdmactl resources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "cmd/resources/resources_run.h"

/* A queue pair of a thread of process 148, in RTS. */
static struct resource queue_pair(void)
{
	static char command[] = "a-name-of-15-by";

	return (struct resource){
		.id = number_of(17),
		.type = number_of(2),
		.state = number_of(3),
		.pid = number_of(148),
		.thread = number_of(150),
		.kernel = TRISTATE_NO,
		.command = command,
	};
}

static bool passes(const struct resources_args *args, enum resource_kind kind,
		   const struct resource *resource)
{
	struct resources_filter filter;
	struct listing listing = {0};
	bool result;

	assert_true(resources_filter_init(&filter, args, kind, &listing));
	result = resources_filter_passes(&filter, resource);
	resources_filter_clear(&filter);
	return result;
}

static void words(void **state)
{
	static const struct {
		struct resources_args args;
		bool passes;
	} rows[] = {
		{{.raw = false}, true},
		{{.state = "rts"}, true},
		{{.state = "rtr"}, false},
		{{.state = "rtr,rts"}, true},
		{{.state = "rts,rtr"}, true},
		{{.state = "unknown-3"}, true},
		{{.state = "unknown-4"}, false},
		{{.type = "rc"}, true},
		{{.type = "ud"}, false},
		{{.state = "rts", .type = "ud"}, false},
		{{.state = "rtr", .type = "rc"}, false},
		{{.where = "state=rts"}, true},
		{{.where = "state=rtr"}, false},
		{{.where = "lqpn=17"}, true},
		{{.where = "lqpn=18-20"}, false},
		{{.where = "comm=a-name-of-15-by,qp-type=rc"}, true},
		{{.state = "rts", .type = "rc", .where = "qpn=16"}, false},
	};
	struct resource qp = queue_pair(), without = queue_pair();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (passes(&rows[i].args, RESOURCE_QP, &qp) != rows[i].passes)
			fail_msg("row %zu", i);
	/* An unknown value matches none of the words. */
	without.state.known = without.type.known = false;
	without.state.value = 0;
	assert_true(passes(&(struct resources_args){0}, RESOURCE_QP, &without));
	assert_false(passes(&(struct resources_args){.state = "reset"}, RESOURCE_QP, &without));
	assert_false(passes(&(struct resources_args){.type = "rc"}, RESOURCE_QP, &without));
}

/* The number may be that of the process or of one of its threads. */
static void numbers(void **state)
{
	static const struct {
		uint64_t pid;
		bool passes;
	} rows[] = {{148, true}, {150, true}, {147, false}, {149, false}, {0, false}};
	struct resource qp = queue_pair(), kernel = {.kernel = TRISTATE_YES};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct resources_args args = {.pid = number_of(rows[i].pid)};

		assert_int_equal(passes(&args, RESOURCE_QP, &qp), rows[i].passes);
		assert_false(passes(&args, RESOURCE_QP, &kernel));
	}
}

static bool is_called(struct resource *resource, const char *name)
{
	return passes(&(struct resources_args){.comm = name}, RESOURCE_MR, resource);
}

/* The kernel keeps 15 bytes of a name (TASK_COMM_LEN), and its own parts have names in brackets. */
static void names(void **state)
{
	struct resource cut = queue_pair(), short_one = queue_pair(), nobody = queue_pair();
	struct resource kernel = {.kernel = TRISTATE_YES,
				  .kernel_name = (char[]){"ib_core"},
				  .command = (char[]){"[ib_core]"}};
	struct resource long_kernel = {.kernel = TRISTATE_YES,
				       .kernel_name = (char[]){"a-name-of-15-byt"},
				       .command = (char[]){"a-name-of-15-by"}};

	(void)state;
	assert_true(is_called(&cut, "a-name-of-15-by"));
	assert_true(is_called(&cut, "a-name-of-15-bytes"));
	assert_true(is_called(&cut, "a-name-of-15-byX"));
	assert_false(is_called(&cut, "a-name-of-15-bY-and-more"));
	assert_false(is_called(&cut, "a-name-of-15-b"));
	short_one.command = (char[]){"a-name-of-14-b"};
	assert_true(is_called(&short_one, "a-name-of-14-b"));
	assert_false(is_called(&short_one, "a-name-of-14-bytes"));
	nobody.command = NULL;
	assert_false(is_called(&nobody, "rping"));
	assert_true(is_called(&kernel, "ib_core"));
	assert_true(is_called(&kernel, "[ib_core]"));
	assert_false(is_called(&kernel, "ib_cor"));
	/* Names of kernel parts are not cut. */
	assert_true(is_called(&long_kernel, "a-name-of-15-byt"));
	assert_false(is_called(&long_kernel, "a-name-of-15-bytes"));
}

/* The options are refused with this message. */
static void refuses(const struct resources_args *args, const char *message)
{
	struct resources_filter filter;
	struct listing listing = {0};

	assert_false(resources_filter_init(&filter, args, RESOURCE_QP, &listing));
	assert_int_equal(listing.status, STATUS_USAGE);
	assert_int_equal(listing.problems.count, 1);
	assert_string_equal(listing.problems.items[0].error, message);
	resources_filter_clear(&filter);
	problems_free(&listing.problems);
}

/* The number of words is not limited. */
static void many_words(void **state)
{
	const struct resources_args args = {
		.state = "rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,"
			 "rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,rts,sqe"};
	_cleanup_(freep) char *more = mem_format("%s,sqd", args.state);
	struct resource qp = queue_pair();

	(void)state;
	assert_true(passes(&args, RESOURCE_QP, &qp));
	qp.state = number_of(5);
	assert_true(passes(&args, RESOURCE_QP, &qp));
	qp.state = number_of(4);
	assert_false(passes(&args, RESOURCE_QP, &qp));
	assert_true(passes(&(struct resources_args){.state = more}, RESOURCE_QP, &qp));
}

/* Unknown words in each option, and codes that are not valid numbers. */
static void wrong_words(void **state)
{
	static const struct {
		struct resources_args args;
		const char *message;
	} rows[] = {
		{{.state = "listen"}, "--state: 'listen' is not a state"},
		{{.state = "rts,Rtr"}, "--state: 'Rtr' is not a state"},
		{{.state = ""}, "--state: '' is not a state"},
		{{.state = "rts,"}, "--state: '' is not a state"},
		{{.state = "unknown-"}, "--state: 'unknown-' is not a state"},
		{{.state = "unknown-x"}, "--state: 'unknown-x' is not a state"},
		{{.state = "unknown-4294967296"}, "--state: 'unknown-4294967296' is not a state"},
		{{.state = "a\033b"}, "--state: 'a\\x1bb' is not a state"},
		{{.type = "rc,rts"}, "--type: 'rts' is not a type"},
		{{.state = "rts", .type = "x"}, "--type: 'x' is not a type"},
		{{.where = "state"}, "--where: 'state' is not FIELD=VALUE"},
	};
	struct resource qp = queue_pair();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		refuses(&rows[i].args, rows[i].message);
	qp.state = number_of(UINT32_MAX);
	assert_true(
		passes(&(struct resources_args){.state = "unknown-4294967295"}, RESOURCE_QP, &qp));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),       cmocka_unit_test(numbers),
		cmocka_unit_test(names),       cmocka_unit_test(many_words),
		cmocka_unit_test(wrong_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
