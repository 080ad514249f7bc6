/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Parts of a snapshot that come from the files of a host: its manifest, its modules, and its kernel
 * log. kmsg_read() is replaced here, so that the linker takes nothing from lib/kernel/kmsg.c.
 */
#include "saved_tree.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "kernel/kmsg.h"
#include "snapshot/collect.h"
#include "snapshot/manifest.h"
#include "snapshot/modules.h"

/* ---- The kernel's log ---- */

struct line {
	unsigned int level;
	uint64_t usec;
	const char *text, *device;
};

static struct {
	const struct line *lines;
	size_t count;
	int error;
	size_t text_length; /* 0: the length of the text */
} kernel_log;

int kmsg_read(const struct root *root,
	      void (*take)(void *context, const struct kmsg_record *record), void *context)
{
	assert_null(root);
	for (size_t i = 0; !kernel_log.error && i < kernel_log.count; i++) {
		const struct line *line = &kernel_log.lines[i];
		/* Bytes after the text in the device's buffer do not belong to it. */
		_cleanup_(freep) char *buffer = mem_format("%s;%s", line->text,
							   line->device ? line->device : "");
		const struct kmsg_record record = {
			.level = line->level,
			.usec = line->usec,
			.text = kernel_log.text_length ? line->text : buffer,
			.text_length = kernel_log.text_length ? kernel_log.text_length
							      : strlen(line->text),
			.device = line->device ? strchr(buffer, ';') + 1 : NULL,
			.device_length = line->device ? strlen(line->device) : 0,
		};

		take(context, &record);
	}
	return kernel_log.error;
}

struct bed {
	struct saved_tree tree;
	struct contents contents;
	struct problems problems;
	struct collection collection;
};

static int set_up(void **state)
{
	struct bed *bed;

	tree_set_up(state, sizeof(*bed));
	bed = *state;
	bed->collection = (struct collection){
		.root = &bed->tree.root, .contents = &bed->contents, .problems = &bed->problems};
	memset(&kernel_log, 0, sizeof(kernel_log));
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	contents_clear(&bed->contents);
	problems_free(&bed->problems);
	tree_close(&bed->tree);
	free(bed);
	return 0;
}

static const struct content *only_content(const struct bed *bed)
{
	assert_int_equal(bed->contents.count, 1);
	assert_int_equal(bed->contents.items[0].kind, CONTENT_FILE);
	assert_string_equal(bed->contents.items[0].path, "kmsg");
	return &bed->contents.items[0];
}

/* Level, time, text and device of each line; its origin and sequence number are not kept. */
static void log_lines(void **state)
{
	static const struct line lines[] = {
		{4, 999999, "mlx5_core 0000:3b:00.0: before", NULL},
		{6, 1000000, "mlx5_core 0000:3b:00.0: at", "+pci:0000:3b:00.0"},
		{0, 1000001, "infiniband mlx5_0: after", NULL},
		{7, UINT64_C(18446744073709551615), "ib_core: much later", NULL},
		{3, 1000002, "usb 1-1: not of RDMA", "+usb:1-1"},
	};
	static const char wanted[] = "6,0,1000000,-;mlx5_core 0000:3b:00.0: at\n"
				     " DEVICE=+pci:0000:3b:00.0\n"
				     "0,0,1000001,-;infiniband mlx5_0: after\n"
				     "7,0,18446744073709551615,-;ib_core: much later\n";
	struct bed *bed = *state;

	kernel_log.lines = lines;
	kernel_log.count = ARRAY_SIZE(lines);
	bed->collection.since_usec = 1000000;
	collect_kernel_log(&bed->collection);
	assert_int_equal(only_content(bed)->length, strlen(wanted));
	assert_string_equal(only_content(bed)->bytes, wanted);
	assert_int_equal(bed->problems.count, 0);
	/* All lines. */
	contents_clear(&bed->contents);
	bed->collection.since_usec = 0;
	collect_kernel_log(&bed->collection);
	assert_int_equal(strncmp(only_content(bed)->bytes, "4,0,999999,-;mlx5_core", 22), 0);
}

/* How lines of drivers and kernel subsystems begin, and lines of neither. */
static const struct {
	const char *text;
	bool wanted;
} log_cases[] = {
	{"infiniband mlx5_0: x", true},
	{"ib_srp: x", true},
	{"rdma_rxe: x", true},
	{"iw_cm: x", true},
	{"mlx4_core x", true},
	{"hfi1 x", true},
	{"qib x", true},
	{"bnxt_re: x", true},
	{"irdma: x", true},
	{"ice 0000:18:00.0: x", true},
	{"i40e 0000:x", true},
	{"i40iw: x", true},
	{"efa 0000:x", true},
	{"mana 7870:x", true},
	{"hns3 x", true},
	{"hns_roce x", true},
	{"erdma x", true},
	{"ocrdma0 x", true},
	{"qedr x", true},
	{"cxgb4 x", true},
	{"iw_cxgb4 x", true},
	{"usnic_verbs x", true},
	{"siw: x", true},
	{"rxe0 x", true},
	{"ionic x", true},
	{"vmw_pvrdma x", true},
	{"isert: x", true},
	{"iser: x", true},
	{"srpt x", true},
	{"rpcrdma: x", true},
	{"rds x", true},
	{"smc: x", true},
	{"nvme nvme0: x", true},
	{"nvidia x", true},
	{"NVRM: x", true},
	{"amdgpu x", true},
	{"pcieport 0000:x", true},
	{"pcie_mp2 x", true},
	{"AER: x", true},
	{"DMAR: x", true},
	{"iommu: x", true},
	{"AMD-Vi: x", true},
	{"bonding: x", true},
	{"bond0: x", true},
	{"rdmavt x", true},
	{"LustreError: x", true},
	{"LNetError: x", true},
	{"RDS/IB: x", true},
	{"IPv6: ADDRCONF(x", true},
	/* drivers[] of lib/host/pci/rdma_drivers.c: irdma writes under the name of idpf. */
	{"bnge 0000:x", true},
	{"bng_re 0000:x", true},
	{"idpf 0000:x", true},
	{"enic 0000:x", true},
	{"be2net 0000:x", true},
	/* shost_printk() of ib_srp puts the host before its own name, if that comes at all. */
	{"scsi host7: ib_srp: failed receive status", true},
	{"scsi host7:   REJ reason 0xffffff98", true},
	{"mlx", true},
	{"ml", false},
	{"", false},
	{"icehouse x", false},
	{"i40evf x", false},
	{"e1000e x", false},
	{"IPv6: x", false},
	{"a mlx5_core x", false},
	{"MLX5_CORE x", false},
	{"audit: x", false},
};

static void log_drivers(void **state)
{
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(log_cases); i++) {
		const struct line line = {6, 5, log_cases[i].text, NULL};

		kernel_log.lines = &line;
		kernel_log.count = 1;
		collect_kernel_log(&bed->collection);
		if ((only_content(bed)->length > 0) != log_cases[i].wanted)
			fail_msg("%s", log_cases[i].text);
		contents_clear(&bed->contents);
	}
	assert_int_equal(bed->problems.count, 0);
}

/* Only the last 4 MiB are kept, which is reported once, and only whole records. */
static void log_limit(void **state)
{
	enum { COUNT = 30 };
	/* "6,0,5,-;" and the newline take 9 bytes of each line, " DEVICE=+x" and its newline 11. */
	const size_t whole = (1 << 20) - 9;
	struct bed *bed = *state;
	_cleanup_(freep) char *text = mem_alloc_zero(whole + 1, 1);
	struct line lines[COUNT];
	const struct content *content;

	memset(text, 'x', whole);
	memcpy(text, "mlx", 3);
	for (size_t i = 0; i < COUNT; i++)
		lines[i] = (struct line){6, 5, text, NULL};
	kernel_log.lines = lines;
	kernel_log.text_length = whole;
	kernel_log.count = 4;
	collect_kernel_log(&bed->collection);
	assert_int_equal(only_content(bed)->length, 4 << 20);
	assert_int_equal(bed->problems.count, 0);
	contents_clear(&bed->contents);
	/* The last line has a device: what is left of 4 MiB is less than three others. */
	lines[COUNT - 1] = (struct line){7, 5, text, "+x"};
	kernel_log.count = COUNT;
	collect_kernel_log(&bed->collection);
	content = only_content(bed);
	assert_int_equal(content->length, (4 << 20) + 11 - (1 << 20));
	assert_memory_equal(content->bytes, "6,0,5,-;mlx", 11);
	assert_memory_equal(content->bytes + (2 << 20), "7,0,5,-;mlx", 11);
	assert_string_equal(content->bytes + (3 << 20), " DEVICE=+x\n");
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "kernel log");
	assert_string_equal(bed->problems.items[0].source, "/dev/kmsg");
	assert_string_equal(bed->problems.items[0].error, "only the last 4 MiB were taken");
}

static void log_errors(void **state)
{
	static const struct {
		int error;
		const char *hint;
	} cases[] = {{-EPERM, "run it as root"}, {-EACCES, "run it as root"}, {-ENOENT, NULL}};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct problem *problem;

		kernel_log.error = cases[i].error;
		collect_kernel_log(&bed->collection);
		assert_int_equal(bed->contents.count, 0);
		assert_int_equal(bed->problems.count, i + 1);
		problem = &bed->problems.items[i];
		assert_string_equal(problem->error, strerror(-cases[i].error));
		assert_string_equal(problem->attribute, "kernel log");
		if (cases[i].hint)
			assert_string_equal(problem->hint, cases[i].hint);
		else
			assert_null(problem->hint);
	}
	/* An empty log becomes a file without lines. */
	kernel_log.error = 0;
	collect_kernel_log(&bed->collection);
	assert_int_equal(only_content(bed)->length, 0);
}

/* ---- The manifest ---- */

static void manifests(void **state)
{
	struct bed *bed = *state;
	struct manifest manifest;
	_cleanup_(freep) char *before = NULL, *after = NULL;

	tree_write(&bed->tree, "proc/sys/kernel/hostname", "node\033[1m");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "6.12.3");
	before = utc_now();
	manifest_read(&manifest, &bed->tree.root);
	after = utc_now();
	assert_string_equal(manifest.host, "node\\x1b[1m");
	assert_string_equal(manifest.kernel, "6.12.3");
	assert_null(manifest.boot_id);
	assert_null(manifest.file);
	assert_string_equal(manifest.version, RDMACTL_VERSION);
	/* RFC 3339 times in UTC sort in the order of time. */
	assert_true(strcmp(before, manifest.time) <= 0 && strcmp(manifest.time, after) <= 0);
	assert_int_equal(manifest.anonymised, TRISTATE_NO);
	assert_false(manifest.members.known || manifest.bytes.known ||
		     manifest.archive_bytes.known || manifest.unreadable.known ||
		     manifest.left_out.known);
	manifest_clear(&manifest);
	assert_null(manifest.host);
	tree_write(&bed->tree, "proc/sys/kernel/random/boot_id", "b00");
	tree_write(&bed->tree, "proc/sys/kernel/osrelease", "");
	manifest_read(&manifest, &bed->tree.root);
	assert_string_equal(manifest.boot_id, "b00");
	assert_null(manifest.kernel);
	manifest_clear(&manifest);
}

/* ---- Modules ---- */

/* Each module with its state; the folder of a built-in module has none. */
static void modules(void **state)
{
	static const char *const wanted[] = {"bng_re", "bonding",   "hns_roce_hw_v2", "ib_core",
					     "idpf",   "mlx5_core", "nv_peer_mem",    "rdma_rxe"};
	static const char *const others[] = {"e1000e", "bondin", "bonding2", "xmlx5", "ib", "nvme"};
	struct bed *bed = *state;
	struct loaded_modules list = {.items = NULL};
	char path[128];

	assert_int_equal(loaded_modules_read(bed->tree.path, &list), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		snprintf(path, sizeof(path), "sys/module/%s/initstate", wanted[i]);
		tree_write(&bed->tree, path, "live");
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		snprintf(path, sizeof(path), "sys/module/%s/initstate", others[i]);
		tree_write(&bed->tree, path, "live");
	}
	tree_write(&bed->tree, "sys/module/ib_uverbs/parameters/built", "in");
	tree_write(&bed->tree, "sys/module/mlx5_core/version", "24.10");
	tree_write(&bed->tree, "sys/module/mlx5_core/srcversion", "AB\033C");
	tree_write(&bed->tree, "sys/module/mlx5_core/parameters/prof_sel", "2");
	tree_write(&bed->tree, "sys/module/mlx5_core/parameters/debug_mask", "0");
	tree_write(&bed->tree, "sys/module/mlx5_core/parameters/guids", "");
	/* Cannot be read, like what may only be written. */
	tree_directory(&bed->tree, "sys/module/mlx5_core/parameters/add");
	assert_int_equal(loaded_modules_read(bed->tree.path, &list), 0);
	assert_int_equal(list.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < list.count; i++) {
		assert_string_equal(list.items[i].name, wanted[i]);
		assert_true(list.items[i].parameters.known);
		if (strcmp(wanted[i], "mlx5_core")) {
			assert_null(list.items[i].version);
			assert_null(list.items[i].source_version);
			assert_int_equal(list.items[i].parameters.count, 0);
			continue;
		}
		assert_string_equal(list.items[i].version, "24.10");
		assert_string_equal(list.items[i].source_version, "AB\\x1bC");
		assert_int_equal(list.items[i].parameters.count, 3);
		assert_string_equal(list.items[i].parameters.items[0], "debug_mask=0");
		assert_string_equal(list.items[i].parameters.items[1], "guids=");
		assert_string_equal(list.items[i].parameters.items[2], "prof_sel=2");
	}
	loaded_modules_clear(&list);
	assert_int_equal(list.count, 0);
	assert_int_equal(loaded_modules_read("/nonexistent", &list), -ENOENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(log_lines),  TEST(log_drivers), TEST(log_limit),
		TEST(log_errors), TEST(manifests),   TEST(modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
