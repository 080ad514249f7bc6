/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is parsed from attributes and links: addresses, drivers, numbers of bytes, saved errors. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "schema/problem.h"

/* Domain, bus, device and function, as the kernel's pci_setup_device() writes them. */
static void addresses(void **state)
{
	static const char *const good[] = {"0000:3b:00.0", "ffff:FF:1f.7", "10000:3b:00.0",
					   "123456789:3b:00.0"};
	static const char *const bad[] = {
		"",
		"000:3b:00.0",
		"0000:3b:00.",
		"0000:3b:00.00",
		"0000:3b:00",
		"0000-3b:00.0",
		"0000:3b.00.0",
		"0000:3b:00:0",
		"0000:3b:00-0",
		"g000:3b:00.0",
		"000g:3b:00.0",
		"0000:g3:00.0",
		"0000:3b:0g.0",
		"0000:3b:00.g",
		"x0000:3b:00.0",
		" 0000:3b:00.0",
		"0000:3b:00.0 ",
		"pci0000:3b",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(sysfs_is_pci_address(good[i], strlen(good[i])));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(sysfs_is_pci_address(bad[i], strlen(bad[i])));
	assert_true(sysfs_is_pci_address("0000:3b:00.0/x", 12));
	assert_false(sysfs_is_pci_address("0000:3b:00.0", 11));
}

static void functions_in_links(void **state)
{
	static const struct {
		const char *target, *address, *rest;
	} samples[] = {
		{"../../devices/pci0000:64/0000:64:00.0/0000:65:00.0/mlx5_core.sf.4/infiniband/x",
		 "0000:65:00.0", "/mlx5_core.sf.4/infiniband/x"},
		{"0000:65:00.1", "0000:65:00.1", ""},
		{"/0000:65:00.1/", "0000:65:00.1", "/"},
		{"a//0000:65:00.1//b", "0000:65:00.1", "//b"},
		{"../../devices/virtual/net/eth0", NULL, NULL},
		{"", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const char *target = samples[i].target;
		_cleanup_(freep) char *address = mem_string("before");
		const size_t length = sysfs_find_pci(target, &address);

		assert_string_equal(address, samples[i].address ? samples[i].address : "before");
		if (samples[i].address)
			assert_string_equal(target + length, samples[i].rest);
		else
			assert_int_equal(length, 0);
	}
}

static void expect_text(char *text, const char *wanted)
{
	assert_int_equal(text != NULL, wanted != NULL);
	if (wanted)
		assert_string_equal(text, wanted);
	free(text);
}

static void drivers(void **state)
{
	const struct saved_tree *tree = *state;

	expect_text(sysfs_driver(&tree->root, "d"), NULL);
	tree_write(tree, "d/device/uevent",
		   "XDRIVER=a\nDRIVER\nDRIVERS=b\nDRIVER=mlx5_core\nDRIVER=z");
	expect_text(sysfs_driver(&tree->root, "d"), "mlx5_core");
	tree_directory(tree, "d/device/driver");
	expect_text(sysfs_driver(&tree->root, "d"), "mlx5_core");
	tree_delete(tree, "d/device/driver");
	tree_link(tree, "d/device/driver", "../../bus/auxiliary/drivers/mlx5_core.mlx5_core.sf");
	expect_text(sysfs_driver(&tree->root, "d"), "mlx5_core");
	tree_link(tree, "d/device/driver", "irdma");
	expect_text(sysfs_driver(&tree->root, "d"), "irdma");
	tree_write(tree, "e/device/uevent", "DRIVER=first\nDRIVER=second");
	expect_text(sysfs_driver(&tree->root, "e"), "first");
	tree_write(tree, "e/device/uevent", "");
	expect_text(sysfs_driver(&tree->root, "e"), NULL);
}

static void slots(void **state)
{
	const struct saved_tree *tree = *state;

	expect_text(sysfs_pci_slot(&tree->root, "d"), NULL);
	tree_write(tree, "d/uevent", "DRIVER=x\nPCI_SLOT_NAME=0000:3b:00.0\nMODALIAS=y");
	expect_text(sysfs_pci_slot(&tree->root, "d"), "0000:3b:00.0");
	tree_write(tree, "d/uevent", "PCI_SLOT_NAME=elsewhere");
	expect_text(sysfs_pci_slot(&tree->root, "d"), NULL);
}

static void bytes(void **state)
{
	const struct saved_tree *tree = *state;
	char got[8] = "xxxxxxx";

	assert_int_equal(sysfs_read_bytes(&tree->root, got, 4, "config"), -ENOENT);
	tree_write_bytes(tree, "config", "ab\0de", 5);
	assert_int_equal(sysfs_read_bytes(&tree->root, got, 4, "%s", "config"), 4);
	assert_memory_equal(got, "ab\0dx", 5);
	assert_int_equal(sysfs_read_bytes(&tree->root, got, 0, "config"), 0);
	errno = EINTR;
	assert_int_equal(sysfs_read_bytes(&tree->root, got, 7, "config"), 5);
	assert_memory_equal(got, "ab\0dex", 6);
	tree_directory(tree, "folder");
	assert_int_equal(sysfs_read_bytes(&tree->root, got, 7, "folder"), -EISDIR);
}

/* Files that can be long are read up to 8 MiB, and other files up to 64 KiB. */
static void long_files(void **state)
{
	const struct saved_tree *tree = *state;
	static const size_t sizes[] = {4094, 4095, 4096, 8191, 65534, 65535, 65536, 100000};
	_cleanup_(freep) char *all = mem_alloc_zero(100001, 1);
	char *text;

	memset(all, 'x', 100000);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		tree_write_bytes(tree, "file", all, sizes[i]);
		assert_int_equal(sysfs_read_long(&tree->root, &text, "file"), 0);
		assert_int_equal(strlen(text), sizes[i] < 65535 ? sizes[i] : 65535);
		free(text);
		assert_int_equal(sysfs_read_file(&tree->root, &text, "file"), 0);
		assert_int_equal(strlen(text), sizes[i]);
		free(text);
	}
	text = NULL;
	tree_directory(tree, "folder");
	assert_int_equal(sysfs_read_long(&tree->root, &text, "folder"), -EISDIR);
	assert_null(text);
}

static void saved_errors(void **state)
{
	static const struct {
		int error;
		const char *target;
	} rows[] = {
		{-EINVAL, "!EINVAL"},	      {-EIO, "!EIO"},	      {-EACCES, "!EACCES"},
		{-EPERM, "!EPERM"},	      {-ENODEV, "!ENODEV"},   {-ENXIO, "!ENXIO"},
		{-EOPNOTSUPP, "!EOPNOTSUPP"}, {-EBUSY, "!EBUSY"},     {-ETIMEDOUT, "!ETIMEDOUT"},
		{-EAGAIN, "!EAGAIN"},	      {-ENODATA, "!ENODATA"}, {-ERANGE, "!ERANGE"},
	};
	const struct saved_tree *tree = *state;
	char text[SYSFS_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_string_equal(sysfs_saved_error(rows[i].error), rows[i].target);
		tree_link(tree, "file", rows[i].target);
		assert_int_equal(sysfs_read(&tree->root, text, "file"), rows[i].error);
		assert_int_equal(sysfs_read(&tree->root, text, "file/below/it"), rows[i].error);
	}
	/* A rare error is saved as another one. */
	assert_string_equal(sysfs_saved_error(-ENOTDIR), "!EIO");
	tree_link(tree, "file", "!ENOTDIR");
	assert_int_equal(sysfs_read(&tree->root, text, "file"), -ENOENT);
}

static void hidden_names(void **state)
{
	const struct saved_tree *tree = *state;
	struct strings names = {.known = false};

	tree_write(tree, "folder/.hidden", "x");
	tree_write(tree, "folder/shown", "x");
	assert_int_equal(sysfs_list(&tree->root, &names, "%s", "folder"), 0);
	assert_int_equal(names.count, 1);
	strings_free(&names);
	names = (struct strings){.known = false};
	assert_int_equal(sysfs_list_all(&tree->root, &names, "%s", "folder"), 0);
	assert_int_equal(names.count, 2);
	assert_true(strings_contain(&names, ".hidden"));
	strings_free(&names);
	assert_int_equal(sysfs_open_directory(&tree->root, "folder"), 0);
	assert_int_equal(sysfs_open_directory(&tree->root, "folder/shown"), -ENOTDIR);
	assert_int_equal(sysfs_open_directory(&tree->root, "none"), -ENOENT);
}

static void notes(void **state)
{
	static const struct {
		const char *text, *error;
	} samples[] = {
		{"", "the file is empty"},
		{"a\033b", "unexpected text 'a\\x1bb'"},
		{"123456789012345678901234567890123456789012345678901234567890",
		 "unexpected text '123456789012345678901234567890123456789012345678901234567890'"},
		{"1234567890123456789012345678901234567890123456789012345678901",
		 "unexpected text '123456789012345678901234567890123456789012345678901234567890'"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct problems problems = {.count = 0};

		sysfs_note_text(&problems, "mlx5_0/1", "rate", samples[i].text);
		assert_int_equal(problems.count, 1);
		assert_string_equal(problems.items[0].object, "mlx5_0/1");
		assert_string_equal(problems.items[0].attribute, "rate");
		assert_string_equal(problems.items[0].source, "sysfs");
		assert_string_equal(problems.items[0].error, samples[i].error);
		problems_free(&problems);
	}
}

static void writes(void **state)
{
	const struct saved_tree *tree = *state;
	char path[PATH_MAX + 16], text[SYSFS_TEXT_SIZE];

	snprintf(path, sizeof(path), "%s/file", tree->path);
	assert_int_equal(sysfs_write(path, "1"), -ENOENT);
	tree_write(tree, "file", "00");
	assert_int_equal(sysfs_write(path, "12"), 0);
	assert_int_equal(sysfs_read(&tree->root, text, "file"), 2);
	assert_string_equal(text, "12");
	assert_int_equal(sysfs_write(path, ""), 0);
	assert_int_equal(sysfs_read_bytes(&tree->root, text, 2, "file"), 2);
	assert_memory_equal(text, "\0002", 2);
	if (has_full_device())
		assert_int_equal(sysfs_write("/dev/full", "1"), -ENOSPC);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(functions_in_links),
		TEST(drivers),
		TEST(slots),
		TEST(bytes),
		TEST(long_files),
		TEST(saved_errors),
		TEST(hidden_names),
		cmocka_unit_test(notes),
		TEST(writes),
	};

	return cmocka_run_group_tests_name("sysfs-text", tests, NULL, NULL);
}
