/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How libibverbs is installed. */
#include "saved_tree.h"

#include "kernel/verbs/loader_config.h"
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

struct named {
	const char *config, *part; /* contents of ld.so.conf and of ld.so.conf.d/local.conf */
	int wanted;
};

static const struct named named[] = {
	{NULL, "/usr/local/lib", -ENOENT},
	{"", NULL, 0},
	{"!EACCES", NULL, -EACCES},
	/* Whole lines, without comments, blanks around them and slashes at the end. */
	{"/usr/local/lib", NULL, 1},
	{"/opt\n\t /usr/local/lib// \t# of the vendor\n", NULL, 1},
	{"/usr/local/lib#64", NULL, 1},
	{"/usr/local/lib/cuda", NULL, 0},
	{"/usr/local/lib cuda", NULL, 0},
	{"/usr/local/lib64", NULL, 0},
	{"/usr/local/li", NULL, 0},
	{"# /usr/local/lib\n#/usr/local/lib", NULL, 0},
	{"include /usr/local/lib", NULL, -ENOTSUP},
	{"/\n\n # x\n", NULL, 0},
	/* The folder counts only if it is included, and the files that match. */
	{"", "/usr/local/lib", 0},
	{"include ld.so.conf.d/*.conf", "/usr/local/lib", 1},
	{"include /etc/ld.so.conf.d/*.conf # all", "# of a vendor\n/usr/local/lib/\n", 1},
	{"include\told.conf ld.so.conf.d/l?cal.conf", "/usr/local/lib", 1},
	{"# include ld.so.conf.d/*.conf", "/usr/local/lib", 0},
	{"includes ld.so.conf.d/*.conf", "/usr/local/lib", 0},
	{"include", "/usr/local/lib", 0},
	{"include ld.so.conf.d/*.cnf", "/usr/local/lib", 0},
	{"include ld.so.conf.d/*.conf", "/usr/local/lib64\n/usr/local/lib/cuda", 0},
	{"include ld.so.conf.d/*.conf", NULL, 0},
	{"include ld.so.conf.d/*.conf", "!EACCES", -EACCES},
	{"include ld.so.conf.d/*.conf\n/usr/local/lib", "!EACCES", 1},
	{"/opt\ninclude ld.so.conf.d/*.conf\n/opt", "!EIO", -EIO},
	/* What else is included is not looked at. */
	{"include ld.so.conf.d/*.conf", "include more/*\n/opt", -ENOTSUP},
	{"include ld.so.conf.d/*.conf", "include more/*\n/usr/local/lib", 1},
	{"include /opt/*.conf\n/opt", NULL, -ENOTSUP},
	{"include /opt/*.conf ld.so.conf.d/a/*.conf ld.so.conf.d/*", "/usr/local/lib", 1},
};

static void put(struct saved_tree *tree, const char *path, const char *text)
{
	if (text && text[0] == '!')
		tree_link(tree, path, text);
	else if (text)
		tree_write(tree, path, text);
}

static void loader_configuration(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		put(tree, "etc/ld.so.conf", named[i].config);
		put(tree, "etc/ld.so.conf.d/local.conf", named[i].part);
		/* Patterns match no hidden file. */
		tree_write(tree, "etc/ld.so.conf.d/.conf", "/usr/local/lib");
		if (loader_config_names(&tree->root, "/usr/local/lib") != named[i].wanted)
			fail_msg("'%s' and '%s': not %d", named[i].config, named[i].part,
				 named[i].wanted);
		if (named[i].config)
			tree_delete(tree, "etc/ld.so.conf");
		if (named[i].part)
			tree_delete(tree, "etc/ld.so.conf.d/local.conf");
	}
}

/* A vendor's provider below /usr/local, next to a libibverbs of the distribution. */
static void local(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	tree_write(tree, "etc/libibverbs.d/mlx5.driver", "driver mlx5");
	tree_write(tree, "usr/lib64/libibverbs.so.1", "lib%s-rdmav34.so");
	tree_write(tree, "usr/lib64/libibverbs/libmlx5-rdmav59.so", "");
	tree_write(tree, "usr/local/lib64/libmlx5-rdmav34.so", "");
	providers_read(&tree->root, &bed->providers);
	expect_state(bed, "mlx5", PROVIDER_LOCAL, "/usr/local/lib64/libmlx5-rdmav34.so");
	tree_write(tree, "etc/ld.so.conf", "/usr/local/lib\n");
	expect_state(bed, "mlx5", PROVIDER_NOT_SEARCHED, "/usr/local/lib64/libmlx5-rdmav34.so");
	tree_write(tree, "usr/local/lib/libmlx5-rdmav34.so", "");
	expect_state(bed, "mlx5", PROVIDER_THERE, "/usr/local/lib/libmlx5-rdmav34.so");
	/* The second one of both. */
	tree_write(tree, "etc/ld.so.conf", "/usr/local/lib64\n");
	expect_state(bed, "mlx5", PROVIDER_THERE, "/usr/local/lib64/libmlx5-rdmav34.so");
	tree_write(tree, "etc/ld.so.conf", "/opt\n");
	expect_state(bed, "mlx5", PROVIDER_NOT_SEARCHED, "/usr/local/lib/libmlx5-rdmav34.so");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(configuration, setup, teardown),
		cmocka_unit_test(abi_of_library),
		cmocka_unit_test_setup_teardown(installed, setup, teardown),
		cmocka_unit_test_setup_teardown(unknown_abi, setup, teardown),
		cmocka_unit_test_setup_teardown(not_installed, setup, teardown),
		cmocka_unit_test_setup_teardown(loader_configuration, setup, teardown),
		cmocka_unit_test_setup_teardown(local, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
