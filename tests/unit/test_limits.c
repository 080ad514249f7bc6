/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The texts that the checks of limits read: limits, units, control groups, lists of devices. */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "doctor/limits/name_filter.h"
#include "doctor/limits/limit_files.h"
#include "kernel/config_files.h"
#include "kernel/procfs.h"
#include "kernel/sysfs.h"

static void task(void **state)
{
	struct procfs_task task = {.process = {0}}, damaged = {.process = {0}};

	(void)state;
	procfs_parse_status(
		"Name:\tsshd\nPPid:\t1\nUid:\t0\t1000\t0\t0\nCapEff:\t000001ffffffffff\n", &task);
	assert_int_equal(task.parent.value, 1);
	assert_int_equal(task.user.value, 1000); /* effective UID */
	assert_int_equal(task.capabilities.value, 0x1ffffffffff);
	procfs_task_clear(&task);
	procfs_parse_status("Uid:\t0\nCapEff:\tnone\nPPid:\t-1\n", &damaged);
	assert_false(damaged.user.known || damaged.capabilities.known || damaged.parent.known);
}

static void open_files(void **state)
{
	struct limit soft = {{0}}, hard = {{0}};

	(void)state;
	procfs_parse_limit(
		"Max open files            1024                 524288               files",
		"Max open files", &soft, &hard);
	assert_int_equal(soft.value.value, 1024);
	assert_int_equal(hard.value.value, 524288);
	procfs_parse_limit("Max open files", "Max file size", &soft, &hard);
	assert_int_equal(soft.value.value, 1024);
}

static void expect_unit(const char *text, const char *expected)
{
	_cleanup_(freep) char *value = limit_parse_unit(text, "LimitMEMLOCK");

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
}

static void units(void **state)
{
	(void)state;
	expect_unit("[Service]\nLimitMEMLOCK=infinity\n", "infinity");
	expect_unit("  LimitMEMLOCK = 8M \r\n", "8M");
	expect_unit("LimitMEMLOCK=8M\nLimitMEMLOCK=64M", "64M");
	expect_unit("LimitMEMLOCK=8M\nLimitMEMLOCK=\nLimitMEMLOCK= \t", "8M");
	expect_unit("LimitMEMLOCK=", NULL);
	expect_unit("#LimitMEMLOCK=8M\nLimitMEMLOCKSOFT=8M\nDefaultLimitMEMLOCK=8M\n", NULL);
	expect_unit("LimitMEMLOCK=\x1b[31m", "\\x1b[31m");
	expect_unit("LimitMEMLOCK", NULL);
	expect_unit("[Service]\nLimitMEMLOCKSOFT=1\n#LimitMEMLOCK=2\nLimitMEMLOCK=8M\nLimitX=3\n",
		    "8M");
	expect_unit("LimitMEMLOCK=\t8 M\t", "8 M");
	expect_unit("", NULL);
}

static void expect_crio(const char *text, const char *expected)
{
	_cleanup_(freep) char *value = limit_parse_crio(text, "memlock");

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
}

static void crio(void **state)
{
	(void)state;
	expect_crio("[crio.runtime]\ndefault_ulimits = [ \"nofile=1:2\", \"memlock=-1:-1\" ]\n",
		    "-1:-1");
	expect_crio("default_ulimits = [\n\t\"nofile=1048576:1048576\",\n\t\"memlock=-1\",\n]\n",
		    "-1");
	expect_crio("default_ulimits = [ 'nofile=1:2', 'memlock=65536:-1' ]\n", "65536:-1");
	expect_crio("# \"memlock=-1:-1\"\n#default_ulimits = [\n#]\n", NULL);
	expect_crio("  default_ulimits=[\n# \"memlock=-1:-1\"\n]\nx = \"memlock=-1\"\n", "");
	expect_crio("default_ulimits = [\"memlock=\x1b", "\\x1b");
	expect_crio("", NULL);
}

static void expect_login(const char *text, const char *expected)
{
	_cleanup_(freep) char *value = limit_parse_logins(text, "soft");

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
}

static void logins(void **state)
{
	(void)state;
	expect_login("* - memlock unlimited\n", "unlimited");
	expect_login("*\tsoft\tmemlock\t64 # little\n* hard memlock unlimited", "64");
	expect_login("* soft memlock 64\n* - memlock -1", "-1");
	expect_login("# * - memlock unlimited\n@hpc - memlock unlimited\n* - nofile 9\n", NULL);
	/* A line that is not a rule, or another rule, does not hide later ones. */
	expect_login("# note\n\n* - nofile 9\n@hpc - memlock 1\n* hard memlock 2\n* - memlock 64\n",
		     "64");
	expect_login("* - memlock\n- - - -\n*", NULL);
}

/* Drop-ins come after the unit's own file, and limits.d after limits.conf. */
static void places(void **state)
{
	const struct saved_tree *tree = *state;
	struct limit_setting setting;

	limit_of_unit(&tree->root, "slurmd.service", "LimitMEMLOCK", &setting);
	assert_null(setting.value);
	assert_false(limit_is_none(&setting));
	tree_write(tree, "etc/systemd/system/slurmd.service.d/a.conf", "LimitMEMLOCK=1G");
	tree_write(tree, "etc/systemd/system/slurmd.service.d/b.conf", "LimitMEMLOCK=infinity");
	tree_write(tree, "etc/systemd/system/slurmd.service.d/c.conf.off", "LimitMEMLOCK=1");
	tree_write(tree, "usr/lib/systemd/system/slurmd.service", "LimitMEMLOCK=8M");
	limit_of_unit(&tree->root, "slurmd.service", "LimitMEMLOCK", &setting);
	assert_string_equal(setting.value, "infinity");
	assert_string_equal(setting.file, "/etc/systemd/system/slurmd.service.d/b.conf");
	assert_true(limit_is_none(&setting));
	limit_setting_clear(&setting);
	limit_of_unit(&tree->root, "../../secret", "LimitMEMLOCK", &setting);
	assert_null(setting.value);
	tree_write(tree, "etc/systemd/system.conf", "[Manager]\nDefaultLimitMEMLOCK=64M\n");
	limit_of_manager(&tree->root, "DefaultLimitMEMLOCK", &setting);
	assert_string_equal(setting.value, "64M");
	assert_false(limit_is_none(&setting));
	limit_setting_clear(&setting);
	tree_write(tree, "etc/security/limits.d/rdma.conf", "* - memlock unlimited");
	tree_write(tree, "etc/security/limits.conf", "* - memlock 64");
	assert_true(limit_of_logins(&tree->root, false, &setting));
	assert_string_equal(setting.file, "/etc/security/limits.d/rdma.conf");
	limit_setting_clear(&setting);
}

static void expect_place(const struct saved_tree *tree, const char *value, const char *file)
{
	_cleanup_(limit_setting_clear) struct limit_setting setting;

	limit_of_unit(&tree->root, "slurmd.service", "LimitMEMLOCK", &setting);
	assert_string_equal(setting.value ? setting.value : "none", value);
	assert_string_equal(setting.file ? setting.file : "none", file);
}

#define UNIT "systemd/system/slurmd.service"

/* A file in /etc hides others of the same name, but not files with later names elsewhere. */
static void order_of_files(void **state)
{
	_cleanup_(limit_setting_clear) struct limit_setting logins = {.value = NULL};
	const struct saved_tree *tree = *state;

	tree_write(tree, "usr/lib/" UNIT, "LimitMEMLOCK=infinity");
	expect_place(tree, "infinity", "/usr/lib/" UNIT);
	tree_write(tree, "run/" UNIT, "LimitMEMLOCK=2M");
	expect_place(tree, "2M", "/run/" UNIT);
	tree_write(tree, "etc/" UNIT, "[Service]");
	expect_place(tree, "none", "none");
	tree_write(tree, "usr/lib/" UNIT ".d/9-x.conf", "LimitMEMLOCK=9M");
	tree_write(tree, "etc/" UNIT ".d/10-y.conf", "LimitMEMLOCK=10M");
	tree_write(tree, "etc/" UNIT ".d/8-z.conf", "LimitMEMLOCK=8M");
	expect_place(tree, "9M", "/usr/lib/" UNIT ".d/9-x.conf");
	tree_write(tree, "run/" UNIT ".d/9-x.conf", "LimitMEMLOCK=90M");
	expect_place(tree, "90M", "/run/" UNIT ".d/9-x.conf");
	tree_write(tree, "etc/" UNIT ".d/9-x.conf", "");
	expect_place(tree, "8M", "/etc/" UNIT ".d/8-z.conf");
	tree_write(tree, "etc/security/limits.d/20-nproc.conf", "* soft memlock 20");
	tree_write(tree, "etc/security/limits.d/100-rdma.conf", "* - memlock unlimited");
	assert_false(limit_of_logins(&tree->root, false, &logins));
	assert_string_equal(logins.value, "20");
}

/* A soft limit cannot exceed the hard one, whether that is of a line or of the daemon. */
static void hard_limits(void **state)
{
	static const struct {
		const char *lines;
		bool hard_is_none, lifted;
		const char *decides;
	} cases[] = {
		{"* - memlock unlimited", false, true, "unlimited"},
		{"* soft memlock unlimited\n* hard memlock unlimited", false, true, "unlimited"},
		{"* soft memlock unlimited", false, false, "unlimited"},
		{"* soft memlock unlimited", true, true, "unlimited"},
		{"* - memlock unlimited\n* hard memlock 64", true, false, "64"},
		{"* hard memlock unlimited", true, false, NULL},
		{"", true, false, NULL},
	};
	const struct saved_tree *tree = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(limit_setting_clear) struct limit_setting logins = {.value = NULL};

		tree_write(tree, "etc/security/limits.conf", cases[i].lines);
		assert_int_equal(limit_of_logins(&tree->root, cases[i].hard_is_none, &logins),
				 cases[i].lifted);
		if (cases[i].decides)
			assert_string_equal(logins.value, cases[i].decides);
		else
			assert_null(logins.value);
	}
}

#define V2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"

/* Each group on the way to the root counts, and groups without the controller are skipped. */
static void cgroup_levels(void **state)
{
	const struct saved_tree *tree = *state;
	struct procfs_cgroups cgroups;
	struct cgroup_levels levels = {.count = 7};

	tree_write(tree, "proc/self/mountinfo", V2);
	assert_int_equal(procfs_find_cgroups(&tree->root, &cgroups), 0);
	assert_int_equal(procfs_read_rdma_cgroups(&tree->root, &cgroups, "self", &levels), -ENOENT);
	assert_int_equal(levels.count, 7);
	tree_write(tree, "proc/self/cgroup", "0::/jobs/one/step");
	tree_write(tree, "sys/fs/cgroup/jobs/rdma.max", "rxa hca_handle=7 hca_object=max");
	tree_write(tree, "sys/fs/cgroup/jobs/rdma.current", "rxa hca_handle=1 hca_object=4");
	tree_directory(tree, "sys/fs/cgroup/jobs/one/step");
	tree_write(tree, "sys/fs/cgroup/jobs/one/rdma.max", "rxa hca_handle=max hca_object=9");
	tree_write(tree, "sys/fs/cgroup/jobs/one/rdma.current", "rxa hca_handle=1 hca_object=4");
	assert_int_equal(procfs_read_rdma_cgroups(&tree->root, &cgroups, "self", &levels), 0);
	assert_int_equal(levels.count, 2);
	assert_string_equal(levels.items[0].group, "/jobs/one");
	assert_int_equal(levels.items[0].devices.items[0].most_objects.value.value, 9);
	assert_string_equal(levels.items[1].group, "/jobs");
	assert_int_equal(levels.items[1].devices.items[0].most_handles.value.value, 7);
	cgroup_levels_clear(&levels);
	tree_delete(tree, "sys/fs/cgroup/jobs/rdma.max");
	tree_link(tree, "sys/fs/cgroup/jobs/rdma.max", "!EACCES");
	assert_int_equal(procfs_read_rdma_cgroups(&tree->root, &cgroups, "self", &levels), -EACCES);
	assert_int_equal(levels.count, 0);
	procfs_cgroups_clear(&cgroups);
}

static void ranges(void **state)
{
	(void)state;
	assert_true(sysfs_ranges_overlap("0-15,32-47", "40"));
	assert_true(sysfs_ranges_overlap("7", "0-3,7"));
	assert_false(sysfs_ranges_overlap("16-31", "0-15,32-47"));
	assert_false(sysfs_ranges_overlap("", "0-3"));
	assert_false(sysfs_ranges_overlap("x", "0-3"));
	assert_false(sysfs_ranges_overlap("0-3", "3-"));
	assert_true(sysfs_ranges_overlap("0-18446744073709551616", "5"));
	assert_int_equal(sysfs_ranges_count("0-15,32-47,64"), 33);
	assert_int_equal(sysfs_ranges_count("7"), 1);
	assert_int_equal(sysfs_ranges_count(""), 0);
	assert_int_equal(sysfs_ranges_count("0-"), 0);
	assert_int_equal(sysfs_ranges_count("0-1,3-2"), 0);
	assert_int_equal(sysfs_ranges_count("0-1 4"), 0);
}

/* ---- Lists of devices ---- */

static void make_list(struct strings *list, const char *words)
{
	_cleanup_(freep) char *copy = mem_string(words);
	char *rest = copy, *word;

	*list = (struct strings){.known = true};
	while ((word = strsep(&rest, " ")))
		strings_add(list, word);
}

/* Which list entries choose a device: "+-" for two entries of which only the first one does. */
static void expect_filter(void (*parse)(struct name_filter *, const char *), const char *value,
			  const char *expected)
{
	struct strings devices, ports;
	struct name_filter filter;
	char answer[16] = "";

	make_list(&devices, "mlx5_0 mlx5_1 mlx5_10");
	make_list(&ports, "mlx5_0/1 mlx5_1/1 mlx5_10/1 mlx5_10/2");
	parse(&filter, value);
	assert_int_equal(filter.count, strlen(expected));
	for (size_t i = 0; i < filter.count; i++)
		strcat(answer,
		       name_entry_matches(&filter, &filter.items[i], &devices, &ports) ? "+" : "-");
	assert_string_equal(answer, expected);
	name_filter_clear(&filter);
	strings_free(&devices);
	strings_free(&ports);
}

static void nccl(void **state)
{
	struct name_filter filter;

	(void)state;
	expect_filter(name_filter_parse_nccl, "mlx5", "+");
	expect_filter(name_filter_parse_nccl, "mlx5_0,mlx5_9", "+-");
	expect_filter(name_filter_parse_nccl, "=mlx5", "-");
	expect_filter(name_filter_parse_nccl, "=mlx5_0:1,mlx5_1:2,mlx5_10:2", "+-+");
	expect_filter(name_filter_parse_nccl, "mlx5_1:2", "+"); /* mlx5_10/2 has the same prefix */
	expect_filter(name_filter_parse_nccl, "=mlx5_0::0:1", "+");
	/* No port has the number 0, which is also what a word is taken for. */
	expect_filter(name_filter_parse_nccl, "mlx5_0:0,mlx5_0:x", "--");
	expect_filter(name_filter_parse_nccl, "^=mlx5_2", "-");
	expect_filter(name_filter_parse_nccl, ",,:1,", "");
	expect_filter(name_filter_parse_nccl, "", "");
	name_filter_parse_nccl(&filter, "^=a");
	assert_true(filter.exclude && filter.exact);
	name_filter_clear(&filter);
	name_filter_parse_nccl(&filter, "=^a");
	assert_false(filter.exclude);
	name_filter_clear(&filter);
}

static void ucx(void **state)
{
	(void)state;
	expect_filter(name_filter_parse_ucx, "all", "");
	expect_filter(name_filter_parse_ucx, "mlx5_0:1,mlx5_9:1", "+-");
	expect_filter(name_filter_parse_ucx, "mlx5_0", "+");
	expect_filter(name_filter_parse_ucx, "mlx5", "-");
	expect_filter(name_filter_parse_ucx, "mlx5_[0-2]:1", "++-");
	expect_filter(name_filter_parse_ucx, "mlx5_[1-1]:1,mlx5_[0-1", "+-");
	expect_filter(name_filter_parse_ucx, "^mlx5_10:2", "+");
	expect_filter(name_filter_parse_ucx, "mlx5_[2-1]:1,mlx5_[a-b],x[", "---");
	expect_filter(name_filter_parse_ucx, " mlx5_0:1 , mlx5_1:1", "++");
}

/* A range of a hundred thousand names is not expanded. */
static void wide_range(void **state)
{
	struct name_filter filter;

	(void)state;
	name_filter_parse_ucx(&filter, "x[0-99999],y[0-99999]");
	assert_int_equal(filter.count, 1024);
	name_filter_clear(&filter);
}

/* A range has no signs: it would end at the largest number, and never without a name. */
static void signed_range(void **state)
{
	struct name_filter filter;

	(void)state;
	name_filter_parse_ucx(&filter, "x[-2--1],x[+1-+2],:[-2--1]");
	assert_int_equal(filter.count, 2);
	assert_string_equal(filter.items[0].name, "x[-2--1]");
	assert_string_equal(filter.items[1].name, "x[+1-+2]");
	name_filter_clear(&filter);
}

static void expect_conf(const char *text, const char *expected)
{
	_cleanup_(freep) char *value = nccl_conf_find(text, "NCCL_IB_HCA");

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
}

static void conf(void **state)
{
	(void)state;
	expect_conf("# x\nNCCL_DEBUG=INFO\nNCCL_IB_HCA==mlx5_0\nNCCL_IB_HCA=mlx5_1\n", "=mlx5_0");
	expect_conf("NCCL_IB_HCA=", "");
	expect_conf(" NCCL_IB_HCA=a\n#NCCL_IB_HCA=a\nNCCL_IB_HCA =a\nNCCL_IB_HCA", NULL);
}

/* Whether UCX may use RDMA with the list, for devices with these drivers. */
static void transports(void **state)
{
	static const struct {
		const char *value, *drivers;
		bool rdma;
	} cases[] = {
		{"all", "mlx5_core", true},
		{"^all", "mlx5_core", true},
		{"rc,self,sm", "mlx5_core", true},
		{"tcp,self,sm", "mlx5_core", false},
		{"tcp,ud_x", "bnxt_en mlx5_core", true},
		{"tcp,ud_x", "bnxt_en", false},
		{"dc", "mlx5_core", true},
		{"dc,rc_x", "irdma", false},
		{"dc,rc_v", "irdma", true},
		{"dc", DRIVER_UNKNOWN, true}, /* a driver that is not known may be that of mlx5 */
		{"srd", DRIVER_UNKNOWN, true},
		{"tcp", DRIVER_UNKNOWN, false},
		{"dc", DRIVER_OF_SOFTWARE, false},
		{"rc_verbs", DRIVER_OF_SOFTWARE, true},
		{"\\rc_verbs", "irdma", true},
		{"\\rc", "irdma", false},
		{"tcp,ud:aux", "mlx5_core", false},
		{"ud:aux,rc", "mlx5_core", true},
		{"^rc,dc", "mlx5_core", true},
		{"^rc,dc,ud", "mlx5_core", false},
		{"^rc,dc,ud", "mlx5_core efa", true},
		{"^ib", "mlx5_core efa", false},
		{"^rc_x,ud_x,dc", "mlx5_core", true},
		{"^rc,ud:aux", "irdma", true},
		{"rc", "efa", false},
		{"srd", "efa", true},
		{"srd,tcp", "mlx5_core", false},
		{"^srd", "efa", true}, /* ud_verbs */
		{"^srd,ud", "efa", false},
		{"gga,rc_gda,tcp", "mlx5_core", false},
	};
	const struct strings none = {.count = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(name_filter_clear) struct name_filter filter;
		_cleanup_(strings_free) struct strings drivers;

		make_list(&drivers, cases[i].drivers);
		name_filter_parse_ucx(&filter, cases[i].value);
		if (ucx_transports_have_rdma(&filter, &drivers) != cases[i].rdma)
			fail_msg("%s with %s", cases[i].value, cases[i].drivers);
		if (cases[i].rdma)
			assert_true(ucx_transports_have_rdma(&filter, &none));
	}
}

static void expect_ucx_conf(const char *text, const char *expected)
{
	_cleanup_(freep) char *value = ucx_conf_find(text, "UCX_TLS");

	if (expected)
		assert_string_equal(value, expected);
	else
		assert_null(value);
}

static void ucx_conf(void **state)
{
	(void)state;
	expect_ucx_conf("UCX_TLS=rc\nUCX_TLS=ud\n", "ud");
	expect_ucx_conf("  UCX_TLS \t: rc,self \r\n", "rc,self");
	expect_ucx_conf("#UCX_TLS=rc\n ; UCX_TLS=rc\nUCX_TLSX=rc\nUCX_TLS\n", NULL);
	expect_ucx_conf("UCX_TLS=rc;ud ; x ;y", "rc;ud");
	expect_ucx_conf("UCX_TLS=", "");
	expect_ucx_conf("UCX_TLS=; x", "; x");
	expect_ucx_conf("UCX_TLS=rc\n\n  ud ; x\n#y\n", "ud ; x");
	expect_ucx_conf("UCX_LOG=a\n  UCX_TLS=rc\n", NULL);
	expect_ucx_conf("UCX_TLS=rc\n[Grace]\nUCX_TLS=ud\n", "rc");
	expect_ucx_conf("[Grace\nUCX_TLS=ud\n[Grace]", "ud");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transports),
		cmocka_unit_test(ucx_conf),
		cmocka_unit_test(task),
		cmocka_unit_test(open_files),
		cmocka_unit_test(units),
		cmocka_unit_test(crio),
		cmocka_unit_test(logins),
		cmocka_unit_test_setup_teardown(places, tree_only_set_up, tree_only_tear_down),
		cmocka_unit_test_setup_teardown(hard_limits, tree_only_set_up, tree_only_tear_down),
		cmocka_unit_test_setup_teardown(order_of_files, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(cgroup_levels, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test(ranges),
		cmocka_unit_test(nccl),
		cmocka_unit_test(ucx),
		cmocka_unit_test(wide_range),
		cmocka_unit_test(signed_range),
		cmocka_unit_test(conf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
