/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What prevents a module from being loaded, and which modules a kernel has. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "kernel/modules.h"

struct bed {
	struct saved_tree tree;
	struct module_rules rules;
	struct module_files files;
};

static int setup(void **state)
{
	return tree_set_up(state, sizeof(struct bed));
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	module_rules_clear(&bed->rules);
	module_files_clear(&bed->files);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static void expect_rule(const struct module_rules *rules, const char *module,
			enum module_rule_kind kind, const char *place)
{
	const struct module_rule *rule = module_rules_find(rules, module, false);

	assert_non_null(rule);
	assert_int_equal(rule->kind, kind);
	assert_string_equal(rule->place, place);
}

static void configuration(void **state)
{
	struct bed *bed = *state;
	struct module_rules *rules = &bed->rules;

	module_rules_parse(rules,
			   "# blacklist commented\n"
			   "blacklist mlx5-ib\n"
			   "\n"
			   "  \tblacklist\tirdma  # and more\n"
			   "install ib_umad /bin/false\n"
			   "install rdma_ucm /sbin/modprobe --ignore-install rdma_ucm; true\n"
			   "install bare\n"
			   "blacklist \\\n   bnxt_re\n"
			   "blacklistx efa\n"
			   "options mlx4_ib blacklist hfi1\n"
			   "alias x blacklist\n"
			   "blacklist last",
			   "/etc/modprobe.d/x.conf");
	expect_rule(rules, "mlx5_ib", MODULE_BLACKLIST, "/etc/modprobe.d/x.conf:2");
	expect_rule(rules, "irdma", MODULE_BLACKLIST, "/etc/modprobe.d/x.conf:4");
	expect_rule(rules, "ib_umad", MODULE_INSTALL, "/etc/modprobe.d/x.conf:5");
	expect_rule(rules, "bnxt_re", MODULE_BLACKLIST, "/etc/modprobe.d/x.conf:8");
	expect_rule(rules, "last", MODULE_BLACKLIST, "/etc/modprobe.d/x.conf:13");
	assert_int_equal(rules->count, 5);
	assert_string_equal(rules->items[2].text, "install ib_umad /bin/false");
	/* A dependency is loaded by its name, to which a blacklist does not apply. */
	assert_null(module_rules_find(rules, "mlx5_ib", true));
	assert_non_null(module_rules_find(rules, "ib_umad", true));
}

/* Blanks, backslashes and names, one at a time; "-" if the line is not a rule. */
static void lines_of_configuration(void **state)
{
	static const struct {
		const char *text, *module;
		enum module_rule_kind kind;
	} samples[] = {
		{"blacklist a-b-c", "a_b_c", MODULE_BLACKLIST},
		{"blacklist\t \ta \t", "a", MODULE_BLACKLIST},
		{" blacklist a", "a", MODULE_BLACKLIST},
		{"black\\\nlist a", "a", MODULE_BLACKLIST},
		{"blacklist \\a", "a", MODULE_BLACKLIST},
		{"blacklist a\\", "a\\", MODULE_BLACKLIST},
		{"#blacklist a", "-", MODULE_BLACKLIST},
		{"blacklis a", "-", MODULE_BLACKLIST},
		{"blacklistb a", "-", MODULE_BLACKLIST},
		{"install a /bin/true", "a", MODULE_INSTALL},
		{"install a :", "a", MODULE_INSTALL},
		{"install a  ", "-", MODULE_INSTALL},
		{"install a insmod /x/a.ko", "-", MODULE_INSTALL},
		{"install a true && modprobe -i a", "-", MODULE_INSTALL},
		{"install a modprobe -i a # always", "-", MODULE_INSTALL},
		{"install a x#y; modprobe -i a", "-", MODULE_INSTALL},
		{"install a /bin/false # use modprobe -i a", "a", MODULE_INSTALL},
		{"install a /bin/false;# insmod a.ko", "a", MODULE_INSTALL},
		{"install a # modprobe -i a", "a", MODULE_INSTALL},
		{"instal a /bin/true", "-", MODULE_INSTALL},
		{"installx a /bin/true", "-", MODULE_INSTALL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct module_rules rules = {.count = 0};

		module_rules_parse(&rules, samples[i].text, "p");
		assert_int_equal(rules.count, *samples[i].module != '-');
		if (rules.count) {
			assert_string_equal(rules.items[0].module, samples[i].module);
			assert_int_equal(rules.items[0].kind, samples[i].kind);
			assert_string_equal(rules.items[0].place, "p:1");
		}
		module_rules_clear(&rules);
		assert_int_equal(rules.count, 0);
	}
}

static void many_rules(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *text = mem_alloc_zero(65540, strlen("blacklist a\n"));

	for (size_t i = 0; i < 65539; i++)
		memcpy(text + i * strlen("blacklist a\n"), "blacklist a\n",
		       strlen("blacklist a\n"));
	module_rules_parse(&bed->rules, text, "x");
	assert_int_equal(bed->rules.count, 65536);
	assert_string_equal(bed->rules.items[65535].place, "x:65536");
}

/* Which of several rules for a module applies, and which if it is loaded by its name. */
static void choice_of_rules(void **state)
{
	static const struct {
		const char *boot, *file;
		int any, by_name; /* -1: none */
	} samples[] = {
		{"", "", -1, -1},
		{"", "blacklist a", MODULE_BLACKLIST, -1},
		{"", "install a false", MODULE_INSTALL, MODULE_INSTALL},
		{"", "blacklist a\ninstall a false", MODULE_BLACKLIST, MODULE_INSTALL},
		{"", "install a false\nblacklist a", MODULE_INSTALL, MODULE_INSTALL},
		{"module_blacklist=b,a", "", MODULE_BOOT_REFUSED, MODULE_BOOT_REFUSED},
		{"modprobe.blacklist=b,,a", "", MODULE_BOOT_BLACKLIST, -1},
		{"rd.driver.blacklist=a", "", MODULE_BOOT_INITIAL, -1},
		{"rd.driver.blacklist=a modprobe.blacklist=a", "", MODULE_BOOT_BLACKLIST, -1},
		{"modprobe.blacklist=a rd.driver.blacklist=a", "", MODULE_BOOT_BLACKLIST, -1},
		{"rd.driver.blacklist=a", "install a false", MODULE_INSTALL, MODULE_INSTALL},
		{"modprobe-blacklist=a", "", -1, -1},
		{"modprobe.blacklist a", "", -1, -1},
		{"module_blacklist=a module_blacklist=b", "", -1, -1},
		{"module_blacklist=a module_blacklist", "", -1, -1},
		{"modprobe.blacklist=a module_blacklist=b", "", MODULE_BOOT_BLACKLIST, -1},
		{"x=\"1 module_blacklist=a\"", "", -1, -1},
		{"module_blacklist=\"a\"", "", MODULE_BOOT_REFUSED, MODULE_BOOT_REFUSED},
		{"-- module_blacklist=a", "", -1, -1},
		{"--x\tmodule_blacklist=a", "", MODULE_BOOT_REFUSED, MODULE_BOOT_REFUSED},
		{"quiet\nmodule_blacklist=a", "", MODULE_BOOT_REFUSED, MODULE_BOOT_REFUSED},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct module_rules rules = {.count = 0};
		const struct module_rule *rule;

		module_rules_parse_boot(&rules, samples[i].boot);
		module_rules_parse(&rules, samples[i].file, "x");
		rule = module_rules_find(&rules, "a", false);
		assert_int_equal(rule ? (int)rule->kind : -1, samples[i].any);
		rule = module_rules_find(&rules, "a", true);
		assert_int_equal(rule ? (int)rule->kind : -1, samples[i].by_name);
		module_rules_clear(&rules);
	}
}

static void hostile_configuration(void **state)
{
	struct bed *bed = *state;
	struct module_rules *rules = &bed->rules;

	module_rules_parse(rules, "", "x");
	module_rules_parse(rules, "\\", "x");
	module_rules_parse(rules, "blacklist", "x");
	module_rules_parse(rules, "blacklist \nblacklist\t", "x");
	assert_int_equal(rules->count, 0);
	module_rules_parse(rules, "blacklist a\033[31mb", "x");
	assert_int_equal(rules->count, 1);
	assert_string_equal(rules->items[0].module, "a\\x1b[31mb");
}

static void command_line(void **state)
{
	struct bed *bed = *state;
	struct module_rules *rules = &bed->rules;

	module_rules_parse_boot(rules,
				"BOOT_IMAGE=/vmlinuz ro module_blacklist=gone,hfi1 quiet "
				"modprobe.blacklist=mlx5_ib,nouveau \"rd.driver.blacklist=efa\" "
				"module-blacklist=mlx4-ib,ib_qib xmodule_blacklist=no "
				"-- module_blacklist=later\n");
	expect_rule(rules, "mlx5_ib", MODULE_BOOT_BLACKLIST, "/proc/cmdline");
	expect_rule(rules, "mlx4_ib", MODULE_BOOT_REFUSED, "/proc/cmdline");
	expect_rule(rules, "ib_qib", MODULE_BOOT_REFUSED, "/proc/cmdline");
	expect_rule(rules, "efa", MODULE_BOOT_INITIAL, "/proc/cmdline");
	/* The last rule counts. */
	assert_null(module_rules_find(rules, "gone", false));
	assert_null(module_rules_find(rules, "no", false));
	assert_null(module_rules_find(rules, "later", false));
	assert_non_null(module_rules_find(rules, "mlx4_ib", true));
	assert_null(module_rules_find(rules, "mlx5_ib", true));
	module_rules_parse(rules, "blacklist efa", "y");
	expect_rule(rules, "efa", MODULE_BLACKLIST, "y:1");
}

static void precedence_of_directories(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	tree_write(tree, "lib/modprobe.d/rdma.conf", "blacklist masked\n");
	tree_write(tree, "lib/modprobe.d/off.conf", "blacklist switched_off\n");
	tree_write(tree, "lib/modprobe.d/only.conf", "blacklist only\n");
	tree_write(tree, "lib/modprobe.d/no-config.txt", "blacklist text\n");
	tree_write(tree, "lib/modprobe.d/.hidden.conf", "blacklist hidden\n");
	tree_write(tree, "run/modprobe.d/rdma.conf", "blacklist masked_too\n");
	tree_write(tree, "etc/modprobe.d/rdma.conf", "\nblacklist first\n");
	tree_link(tree, "etc/modprobe.d/off.conf", "/dev/null");
	tree_link(tree, "etc/modprobe.d/unread.conf", "!EACCES");
	tree_write(tree, "proc/cmdline", "modprobe.blacklist=boot\n");
	module_rules_read(&tree->root, &bed->rules);
	expect_rule(&bed->rules, "first", MODULE_BLACKLIST, "/etc/modprobe.d/rdma.conf:2");
	expect_rule(&bed->rules, "only", MODULE_BLACKLIST, "/lib/modprobe.d/only.conf:1");
	expect_rule(&bed->rules, "boot", MODULE_BOOT_BLACKLIST, "/proc/cmdline");
	assert_int_equal(bed->rules.count, 3);
	assert_int_equal(bed->rules.unread.count, 1);
	assert_string_equal(bed->rules.unread.items[0], "/etc/modprobe.d/unread.conf");
	assert_int_equal(bed->rules.unread_rc, -EACCES);
}

/* All files, ordered by name, and those that could not be read. */
static void order_of_files(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	module_rules_read(&tree->root, &bed->rules);
	assert_false(bed->rules.has_config || bed->rules.has_boot);
	assert_int_equal(bed->rules.unread.count, 0);
	module_rules_clear(&bed->rules);
	tree_write(tree, "etc/modprobe.d/b.conf", "blacklist b");
	tree_write(tree, "usr/lib/modprobe.d/a.conf", "blacklist a");
	tree_write(tree, "usr/local/lib/modprobe.d/c.conf", "blacklist c");
	tree_write(tree, "usr/lib/modprobe.d/.conf", "blacklist no");
	tree_write(tree, "usr/lib/modprobe.d/x.confx", "blacklist no");
	tree_write(tree, "lib/modprobe.d", "no directory");
	tree_link(tree, "run/modprobe.d", "!EACCES");
	tree_link(tree, "proc/cmdline", "!EPERM");
	module_rules_read(&tree->root, &bed->rules);
	assert_true(bed->rules.has_config);
	assert_false(bed->rules.has_boot);
	assert_int_equal(bed->rules.count, 3);
	assert_string_equal(bed->rules.items[0].place, "/usr/lib/modprobe.d/a.conf:1");
	assert_string_equal(bed->rules.items[1].place, "/etc/modprobe.d/b.conf:1");
	assert_string_equal(bed->rules.items[2].place, "/usr/local/lib/modprobe.d/c.conf:1");
	assert_int_equal(bed->rules.unread.count, 2);
	assert_string_equal(bed->rules.unread.items[0], "/run/modprobe.d");
	assert_string_equal(bed->rules.unread.items[1], "/proc/cmdline");
	assert_int_equal(bed->rules.unread_rc, -EACCES);
	module_rules_clear(&bed->rules);
	tree_write(tree, "proc/cmdline", "quiet");
	module_rules_read(&tree->root, &bed->rules);
	assert_true(bed->rules.has_boot);
}

static void loaded_modules(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;
	enum module_origin origin;

	tree_write(tree, "sys/module/ib_core/taint", "OE\n");
	tree_write(tree, "sys/module/mlx5_ib/taint", "\n");
	tree_directory(tree, "sys/module/mlx5_core");
	tree_link(tree, "sys/module/irdma", "!EACCES");
	assert_int_equal(module_is_loaded(&tree->root, "ib_core"), TRISTATE_YES);
	assert_int_equal(module_is_loaded(&tree->root, "bnxt_re"), TRISTATE_NO);
	assert_int_equal(module_is_loaded(&tree->root, "irdma"), TRISTATE_UNKNOWN);
	assert_int_equal(module_loaded_origin(&tree->root, "ib_core", &origin), 0);
	assert_int_equal(origin, MODULE_ORIGIN_OTHER);
	assert_int_equal(module_loaded_origin(&tree->root, "mlx5_ib", &origin), 0);
	assert_int_equal(origin, MODULE_ORIGIN_KERNEL);
	assert_int_equal(module_loaded_origin(&tree->root, "mlx5_core", &origin), -ENOENT);
	assert_int_equal(module_loaded_origin(&tree->root, "irdma", &origin), -EACCES);
}

static void expect_file(const struct module_files *files, const char *module, const char *wanted)
{
	char *file = module_file(files, module);

	if (wanted)
		assert_string_equal(file, wanted);
	else
		assert_null(file);
	free(file);
}

static void modules_on_disk(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;
	char *built_in;

	tree_write(tree, "proc/sys/kernel/osrelease", "6.12.1-amd64\n");
	tree_write(tree, "lib/modules/6.12.1-amd64/modules.dep",
		   "kernel/drivers/infiniband/hw/mlx5/mlx5_ib.ko.xz: kernel/x/ib_uverbs.ko.xz "
		   "kernel/x/ib_core.ko.xz\n"
		   "updates/dkms/bnxt-re.ko.zst:\n"
		   "kernel/drivers/infiniband/core/ib_core.ko:\n"
		   "plain\n");
	tree_write(tree, "lib/modules/6.12.1-amd64/modules.builtin",
		   "kernel/drivers/infiniband/core/ib_uverbs.ko\nkernel/lib/x.ko");
	tree_directory(tree, "lib/modules/6.1.0-amd64");
	module_files_read(&tree->root, &bed->files);
	assert_int_equal(bed->files.rc, 0);
	assert_string_equal(bed->files.release, "6.12.1-amd64");
	assert_int_equal(bed->files.others.count, 2);
	expect_file(&bed->files, "mlx5_ib", "kernel/drivers/infiniband/hw/mlx5/mlx5_ib.ko.xz");
	expect_file(&bed->files, "bnxt_re", "updates/dkms/bnxt-re.ko.zst");
	expect_file(&bed->files, "ib_core", "kernel/drivers/infiniband/core/ib_core.ko");
	/* Neither dependencies of another module nor parts of a name are found. */
	expect_file(&bed->files, "ib_uverbs", NULL);
	expect_file(&bed->files, "mlx5", NULL);
	built_in = modules_read_built_in(&tree->root);
	assert_true(module_is_built_in(built_in, "ib_uverbs"));
	assert_true(module_is_built_in(built_in, "x"));
	assert_false(module_is_built_in(built_in, "ib_core"));
	free(built_in);
	assert_int_equal(module_file_origin("kernel/a/b.ko"), MODULE_ORIGIN_KERNEL);
	assert_int_equal(module_file_origin("extra/mlnx-ofa_kernel/b.ko"), MODULE_ORIGIN_OTHER);
}

static void no_modules_on_disk(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	module_files_read(&tree->root, &bed->files);
	assert_null(bed->files.release);
	assert_int_equal(bed->files.rc, -ENODATA);
	assert_null(modules_read_built_in(&tree->root));
	assert_false(module_is_built_in(NULL, "x"));
	expect_file(&bed->files, "x", NULL);
	module_files_clear(&bed->files);
	/* A name that would lead elsewhere is not a release. */
	tree_write(tree, "proc/sys/kernel/osrelease", "../../etc\n");
	module_files_read(&tree->root, &bed->files);
	assert_null(bed->files.release);
	module_files_clear(&bed->files);
	tree_write(tree, "proc/sys/kernel/osrelease", "..\n");
	module_files_read(&tree->root, &bed->files);
	assert_null(bed->files.release);
	module_files_clear(&bed->files);
	tree_write(tree, "proc/sys/kernel/osrelease", "6.1\n");
	tree_directory(tree, "lib/modules/5.10");
	module_files_read(&tree->root, &bed->files);
	assert_int_equal(bed->files.rc, -ENOENT);
	assert_string_equal(bed->files.others.items[0], "5.10");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(configuration, setup, teardown),
		cmocka_unit_test(lines_of_configuration),
		cmocka_unit_test_setup_teardown(many_rules, setup, teardown),
		cmocka_unit_test(choice_of_rules),
		cmocka_unit_test_setup_teardown(hostile_configuration, setup, teardown),
		cmocka_unit_test_setup_teardown(order_of_files, setup, teardown),
		cmocka_unit_test_setup_teardown(command_line, setup, teardown),
		cmocka_unit_test_setup_teardown(precedence_of_directories, setup, teardown),
		cmocka_unit_test_setup_teardown(loaded_modules, setup, teardown),
		cmocka_unit_test_setup_teardown(modules_on_disk, setup, teardown),
		cmocka_unit_test_setup_teardown(no_modules_on_disk, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
