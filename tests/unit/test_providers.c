/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How libibverbs is installed. */
#include "saved_tree.h"

#include "kernel/verbs/providers.h"

struct bed {
	struct saved_tree tree;
	struct providers providers;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	providers_clear(&bed->providers);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void configuration(void **state)
{
	struct bed *bed = *state;
	struct strings *names = &bed->providers.names;

	providers_parse("# driver commented\n"
			"driver mlx5\n"
			"\n"
			"  driver\tmlx4  rest\n"
			"drivers no\n"
			"driver\n"
			"driver   \n"
			"driver a\033b\n"
			"driver /opt/x/libefa",
			names);
	assert_int_equal(names->count, 4);
	assert_string_equal(names->items[0], "mlx5");
	assert_string_equal(names->items[1], "mlx4");
	assert_string_equal(names->items[2], "a\\x1bb");
	assert_string_equal(names->items[3], "/opt/x/libefa");
	providers_parse("", names);
	providers_parse("driver", names);
	assert_int_equal(names->count, 4);
}

static void expect_abi(const char *bytes, size_t length, const char *wanted)
{
	char *abi = providers_find_abi(bytes, length);

	if (wanted)
		assert_string_equal(abi, wanted);
	else
		assert_null(abi);
	free(abi);
}

static void abi_of_library(void **state)
{
	static const char library[] = "\177ELF\0-rdmav\0x-rdmav12\0lib%s-rdmav34.so\0";

	(void)state;
	expect_abi(library, sizeof(library), "34");
	/* Truncated within the name, and within the number. */
	expect_abi(library, sizeof(library) - 3, NULL);
	expect_abi("-rdmav3", 7, NULL);
	expect_abi("-rdmav.so", 9, NULL);
	expect_abi("", 0, NULL);
}

static void expect_state(struct bed *bed, const char *name, enum provider_state state,
			 const char *wanted)
{
	char *library = NULL;

	assert_int_equal(providers_find(&bed->tree.root, &bed->providers, name, &library), state);
	if (wanted)
		assert_string_equal(library, wanted);
	else
		assert_null(library);
	free(library);
}

static void installed(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	tree_write(tree, "etc/libibverbs.d/a.driver", "driver mlx5\ndriver mlx4\ndriver hfi1verbs");
	tree_write(tree, "etc/libibverbs.d/b", "driver efa\ndriver /opt/x/librxe");
	tree_directory(tree, "etc/libibverbs.d/directory");
	tree_write(tree, "usr/lib64/libibverbs.so.1", "lib%s-rdmav34.so");
	tree_write(tree, "usr/lib64/libibverbs/libmlx5-rdmav34.so", "");
	tree_write(tree, "usr/lib64/libibverbs/libmlx4-rdmav59.so", "");
	tree_write(tree, "usr/lib64/libibverbs/libsiw-rdmav34.so", "");
	/* The historical directory, and names that only look alike. */
	tree_write(tree, "usr/lib64/libefa-rdmav34.so", "");
	tree_write(tree, "usr/lib64/libibverbs/libhfi1verbs2-rdmav34.so", "");
	tree_write(tree, "usr/lib64/libibverbs/libhfi1verbs-rdmav34.so.1", "");
	providers_read(&tree->root, &bed->providers);
	assert_int_equal(bed->providers.rc, 0);
	assert_string_equal(bed->providers.directory, "usr/lib64");
	assert_string_equal(bed->providers.abi, "34");
	expect_state(bed, "mlx5", PROVIDER_THERE, "libmlx5-rdmav34.so");
	expect_state(bed, "mlx4", PROVIDER_OTHER_ABI, "libmlx4-rdmav59.so");
	expect_state(bed, "efa", PROVIDER_THERE, "libefa-rdmav34.so");
	expect_state(bed, "siw", PROVIDER_NOT_CONFIGURED, "libsiw-rdmav34.so");
	expect_state(bed, "rxe", PROVIDER_ELSEWHERE, NULL);
	expect_state(bed, "hfi1verbs", PROVIDER_NO_LIBRARY, NULL);
	expect_state(bed, "irdma", PROVIDER_NOT_CONFIGURED, NULL);
}

/* If libibverbs' number is unknown, any provider will do. */
static void unknown_abi(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	tree_write(tree, "etc/libibverbs.d/mlx5.driver", "driver mlx5");
	tree_write(tree, "usr/lib/x86_64-linux-gnu/libibverbs.so.1", "");
	tree_write(tree, "usr/lib/x86_64-linux-gnu/libibverbs/libmlx5-rdmav7.so", "");
	providers_read(&tree->root, &bed->providers);
	assert_string_equal(bed->providers.directory, "usr/lib/x86_64-linux-gnu");
	assert_null(bed->providers.abi);
	expect_state(bed, "mlx5", PROVIDER_THERE, "libmlx5-rdmav7.so");
}

static void not_installed(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	providers_read(&tree->root, &bed->providers);
	assert_null(bed->providers.directory);
	assert_int_equal(bed->providers.rc, -ENOENT);
	providers_clear(&bed->providers);
	tree_link(tree, "etc/libibverbs.d", "!EACCES");
	providers_read(&tree->root, &bed->providers);
	assert_int_equal(bed->providers.rc, -EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(configuration, setup, teardown),
		cmocka_unit_test(abi_of_library),
		cmocka_unit_test_setup_teardown(installed, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_abi, setup, teardown),
		cmocka_unit_test_setup_teardown(not_installed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
