/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Allocation, and the program's exit when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"

static void zeroed(void **state)
{
	_cleanup_(freep) char *bytes = mem_alloc_zero(100, 3);
	_cleanup_(freep) char *none = mem_alloc_zero(0, 8);
	_cleanup_(freep) char *empty = mem_alloc_zero(8, 0);

	(void)state;
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(bytes[i], 0);
	assert_non_null(none);
	assert_non_null(empty);
}

static void resized(void **state)
{
	_cleanup_(freep) uint32_t *numbers = mem_resize(NULL, 2, sizeof(*numbers));

	(void)state;
	numbers[0] = 1;
	numbers[1] = 2;
	numbers = mem_resize(numbers, 1000, sizeof(*numbers));
	assert_int_equal(numbers[0], 1);
	assert_int_equal(numbers[1], 2);
	numbers[999] = 3;
	/* An allocation of 0 bytes can be freed. */
	numbers = mem_resize(numbers, 0, sizeof(*numbers));
	assert_non_null(numbers);
}

static void strings(void **state)
{
	const char *original = "mlx5_0";
	_cleanup_(freep) char *copy = mem_string(original);
	_cleanup_(freep) char *formatted = mem_format("%s/%u", "mlx5_0", 255u);
	_cleanup_(freep) char *longer = mem_format("%0*d", 5000, 7);
	_cleanup_(freep) char *path = mem_path("sys/class", "net");
	_cleanup_(freep) char *bare = mem_path("", "");

	(void)state;
	assert_string_equal(copy, original);
	assert_ptr_not_equal(copy, original);
	assert_string_equal(formatted, "mlx5_0/255");
	assert_int_equal(strlen(longer), 5000);
	assert_int_equal(longer[4999], '7');
	assert_string_equal(path, "sys/class/net");
	assert_string_equal(bare, "/");
}

static void extended(void **state)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(freep) char *copy = mem_string_or_null("x");

	(void)state;
	mem_extend(&text, "%s", "");
	assert_string_equal(text, "");
	mem_extend(&text, "%s/%d", "mlx5_0", 1);
	mem_extend(&text, ", ");
	mem_extend(&text, "%d", 2);
	assert_string_equal(text, "mlx5_0/1, 2");
	assert_string_equal(copy, "x");
	assert_null(mem_string_or_null(NULL));
	assert_ptr_equal(mem_check(text), text);
}

struct element {
	uint64_t number;
	char text[5];
};

static void appended(void **state)
{
	_cleanup_(freep) struct element *array = NULL;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		struct element *element = mem_append(&array, &count, sizeof(*array));

		assert_ptr_equal(element, &array[i]);
		assert_int_equal(count, i + 1);
		assert_int_equal(element->number, 0);
		assert_int_equal(element->text[4], 0);
		element->number = i;
		memset(element->text, 'x', sizeof(element->text));
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(array[i].number, i);
}

/* Elements may be removed from the end and new ones appended: no old bytes reappear. */
static void appended_after_removal(void **state)
{
	_cleanup_(freep) struct element *array = NULL;
	size_t count = 0;

	(void)state;
	for (size_t kept = 0; kept <= 40; kept++) {
		while (count < 40)
			memset(mem_append(&array, &count, sizeof(*array)), 0xff, sizeof(*array));
		count = kept;
		while (count < 70) {
			const struct element *element = mem_append(&array, &count, sizeof(*array));

			assert_int_equal(element->number, 0);
			assert_int_equal(element->text[0], 0);
		}
		count = 0;
	}
}

enum failure { FAIL_ALLOC, FAIL_ALLOC_OVERFLOW, FAIL_RESIZE, FAIL_RESIZE_OVERFLOW };

static void ask_too_much(enum failure failure)
{
	const size_t huge = SIZE_MAX / 4 * 3; /* more than half of the addresses */

	switch (failure) {
	case FAIL_ALLOC:
		free(mem_alloc_zero(huge, 1));
		break;
	case FAIL_ALLOC_OVERFLOW:
		free(mem_alloc_zero(huge, 16));
		break;
	case FAIL_RESIZE:
		free(mem_resize(NULL, huge, 1));
		break;
	case FAIL_RESIZE_OVERFLOW:
		free(mem_resize(NULL, huge, 16));
		break;
	}
}

/* One line on standard error and status 1, whatever was requested. */
static void out_of_memory(void **state)
{
	(void)state;
	for (enum failure failure = FAIL_ALLOC; failure <= FAIL_RESIZE_OVERFLOW; failure++) {
		char text[4096] = "";
		int ends[2], status = 0;
		size_t length = 0;
		ssize_t got;
		pid_t child;

		assert_int_equal(pipe(ends), 0);
		child = fork();
		assert_true(child >= 0);
		if (!child) {
			dup2(ends[1], STDERR_FILENO);
			ask_too_much(failure);
			_exit(0);
		}
		close(ends[1]);
		while ((got = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0)
			length += (size_t)got;
		close(ends[0]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 1);
		/* The sanitizer may have printed a report before. */
		assert_non_null(strstr(text, "rdmactl: out of memory\n"));
	}
}

#ifdef __SANITIZE_ADDRESS__
/* An oversized request also returns NULL under the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_leaks=1";
}
#endif

struct pair {
	int key, place;
};

DEFINE_ORDER(compare_keys, struct pair, COMPARE(a->key, b->key), 0)

/* Each run of equal elements begins where the search must end, wherever the halving meets it. */
static void first_of_equals(void **state)
{
	const struct pair pairs[] = {{1, 0}, {1, 1}, {1, 2}, {2, 0}, {4, 0}, {4, 1}, {4, 2},
				     {4, 3}, {4, 4}, {5, 0}, {7, 0}, {7, 1}, {7, 2}, {7, 3}};
	const struct pair *none = NULL;

	(void)state;
	for (int key = 0; key < 9; key++) {
		const struct pair wanted = {.key = key};
		const struct pair *found = MEM_FIND_FIRST(&wanted, pairs, ARRAY_SIZE(pairs),
							  compare_keys);

		if (strchr("12457", '0' + key)) {
			assert_non_null(found);
			assert_int_equal(found->key, key);
			assert_int_equal(found->place, 0);
		} else {
			assert_null(found);
		}
		assert_null(MEM_FIND_FIRST(&wanted, none, 0, compare_keys));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeroed),	   cmocka_unit_test(resized),
		cmocka_unit_test(strings),	   cmocka_unit_test(extended),
		cmocka_unit_test(appended),	   cmocka_unit_test(appended_after_removal),
		cmocka_unit_test(first_of_equals), cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
