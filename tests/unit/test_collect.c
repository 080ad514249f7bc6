/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which files of a tree a snapshot takes, how it reaches them, and what it keeps of each: on saved
 * trees, and on one that serves as the live system.
 */
#include "rooted.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "kernel/recording.h"
#include "snapshot/collect.h"

/* A control group that keeps everyone from one device file, and modes that do so for others. */
int faccessat(int folder, const char *path, int mode, int flags)
{
	const bool forbidden = strstr(path, "uverbs_forbidden");

	if ((forbidden || strstr(path, "_denied") || strstr(path, "_other")) && mode != F_OK) {
		errno = forbidden ? EPERM : strstr(path, "_denied") ? EACCES : EIO;
		return -1;
	}
	return (int)syscall(SYS_faccessat, folder, path, mode, flags);
}

/* The errno of listing a folder named "infiniband"; 0: none. */
static int list_error;

/* On i386 sanitizers call this themselves, before they are ready for the checks that are in it. */
#ifndef __i386__
long syscall(long number, ...)
{
	long (*const real)(long number, ...) = (long (*)(long number, ...))dlsym(RTLD_NEXT,
										 "syscall");
	char place[64], path[PATH_MAX] = "";
	long words[6];
	va_list arguments;

	va_start(arguments, number);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	snprintf(place, sizeof(place), "/proc/self/fd/%ld", words[0]);
	if (list_error && number == SYS_getdents64 && readlink(place, path, sizeof(path) - 1) > 0 &&
	    text_ends_with(path, "/infiniband")) {
		errno = list_error;
		return -1;
	}
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
#endif

#define DENIED "Permission denied run it as root for a snapshot of all that root can read\n"

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

/* Each item as a line; the lines of a file are joined by |. Then the problems. */
static char *describe(const struct contents *contents, const struct problems *problems)
{
	char *text = mem_string("");

	for (size_t i = 0; i < contents->count; i++) {
		const struct content *item = &contents->items[i];
		_cleanup_(freep) char *bytes = mem_string(item->bytes);

		for (char *at = bytes; *at; at++)
			*at = *at == '\n' ? '|' : *at;
		assert_int_equal(strlen(bytes), item->length);
		mem_extend(&text, "%s%s%s\n", item->path,
			   item->kind == CONTENT_FILE	? ": "
			   : item->kind == CONTENT_LINK ? " -> "
							: "/",
			   bytes);
	}
	for (size_t i = 0; i < problems->count; i++) {
		const struct problem *problem = &problems->items[i];
		/* A value that cannot be read, or what is told of the file itself. */
		const char *path = problem->attribute ? problem->attribute : problem->object;

		assert_true(!problem->attribute || !problem->object);
		mem_extend(&text, "! %s %s %s %s\n", path ? path : "-", problem->source,
			   problem->error, problem->hint ? problem->hint : "-");
	}
	return text;
}

static void expect(struct bed *bed, const char *wanted)
{
	_cleanup_(freep) char *text = NULL;
	uint64_t bytes = 0;

	collect(&bed->collection);
	text = describe(&bed->contents, &bed->problems);
	assert_string_equal(text, wanted);
	for (size_t i = 0; i < bed->contents.count; i++) {
		const struct content *item = &bed->contents.items[i];

		bytes += strlen(item->path) + item->length;
		/*
		 * There may be hundreds of thousands: none keeps the page-sized buffer that it was
		 * read into.
		 */
		assert_true(item->length > 3000 || malloc_usable_size(item->bytes) < 4096);
	}
	assert_int_equal(bed->contents.bytes, bytes);
	contents_clear(&bed->contents);
	problems_free(&bed->problems);
}

#define FUNCTION "sys/devices/pci0000:00/0000:00:01.0"
#define DEVICE	 FUNCTION "/infiniband/mlx5_0"

/*
 * Links are kept, and their targets are taken in place; a device is taken with all that is in it.
 */
static void device(void **state)
{
	struct bed *bed = *state;
	const struct saved_tree *tree = &bed->tree;

	tree_link(tree, "sys/class/infiniband/mlx5_0",
		  "../../devices/pci0000:00/0000:00:01.0/"
		  "infiniband/./mlx5_0/");
	tree_write(tree, DEVICE "/node_type", "1: CA");
	tree_write(tree, DEVICE "/modalias", "left out");
	tree_write(tree, DEVICE "/uevent", "left out");
	tree_write(tree, DEVICE "/power/control", "left out");
	tree_write(tree, DEVICE "/ports/1/.hidden", "0");
	tree_link(tree, DEVICE "/ports/1/rate", "!EINVAL");
	tree_directory(tree, DEVICE "/ports/1/empty");
	tree_link(tree, DEVICE "/device", "../../../0000:00:01.0");
	tree_link(tree, DEVICE "/subsystem", "/sys/class/infiniband");
	tree_write(tree, FUNCTION "/infiniband_mad/umad0/ibdev", "mlx5_0");
	tree_write(tree, FUNCTION "/infiniband_mad/umad0/port", "only the class has it");
	tree_write(tree, FUNCTION "/vendor", "0x15b3");
	tree_write(tree, FUNCTION "/vendors", "no such name");
	tree_write(tree, FUNCTION "/uevent", "DRIVER=mlx5_core");
	tree_write(tree, FUNCTION "/sriov_numvfs", "0");
	tree_write(tree, FUNCTION "/current_link_width/a", "a folder is no file");
	tree_write(tree, "sys/devices/pci0000:00/vendor", "another device");
	tree_write(tree, "sys/class/other/x", "1");
	expect(bed, "root/sys/class/infiniband/\n"
		    "root/sys/class/infiniband/mlx5_0 -> "
		    "../../devices/pci0000:00/0000:00:01.0/infiniband/./mlx5_0/\n"
		    "root/" FUNCTION "/\n"
		    "root/" DEVICE "/\n"
		    "root/" DEVICE "/device -> ../../../0000:00:01.0\n"
		    "root/" DEVICE "/node_type: 1: CA|\n"
		    "root/" DEVICE "/ports/\n"
		    "root/" DEVICE "/ports/1/\n"
		    "root/" DEVICE "/ports/1/.hidden: 0|\n"
		    "root/" DEVICE "/ports/1/empty/\n"
		    "root/" DEVICE "/ports/1/rate -> !EINVAL\n"
		    "root/" FUNCTION "/infiniband_mad/\n"
		    "root/" FUNCTION "/infiniband_mad/umad0/\n"
		    "root/" FUNCTION "/infiniband_mad/umad0/ibdev: mlx5_0|\n"
		    "root/" FUNCTION "/sriov_numvfs: 0|\n"
		    "root/" FUNCTION "/uevent: DRIVER=mlx5_core|\n"
		    "root/" FUNCTION "/vendor: 0x15b3|\n"
		    "! " DEVICE "/subsystem file left out: the link leads out of the tree -\n");
}

/* In a copy that followed the links, the device is a directory, whose uevent says what it is. */
static void followed_copy(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, "sys/class/infiniband/m/device/uevent", "DRIVER=x");
	tree_write(&bed->tree, "sys/class/infiniband/m/device/modalias", "left out");
	tree_write(&bed->tree, "sys/class/infiniband/m/xdevice/uevent", "left out");
	tree_write(&bed->tree, "sys/class/infiniband/m/uevent", "left out");
	expect(bed, "root/sys/class/infiniband/\n"
		    "root/sys/class/infiniband/m/\n"
		    "root/sys/class/infiniband/m/device/\n"
		    "root/sys/class/infiniband/m/device/uevent: DRIVER=x|\n"
		    "root/sys/class/infiniband/m/xdevice/\n");
}

/* Links that are errors, dangle, leave the tree, or form a circle. */
static void links(void **state)
{
	static const char out[] = "left out: the link leads out of the tree";
	struct bed *bed = *state;
	_cleanup_(
		freep) char *wanted = mem_format("root/sys/class/infiniband/\n"
						 "root/sys/class/infiniband/broken -> ../nowhere\n"
						 "root/sys/class/infiniband/denied -> !EACCES\n"
						 "root/sys/class/infiniband/one -> two\n"
						 "root/sys/class/infiniband/plain: text|\n"
						 "root/sys/class/infiniband/two -> one\n"
						 "! sys/class/infiniband/absolute file %s -\n"
						 "! sys/class/infiniband/high file %s -\n",
						 out, out);

	tree_link(&bed->tree, "sys/class/infiniband/broken", "../nowhere");
	tree_link(&bed->tree, "sys/class/infiniband/denied", "!EACCES");
	tree_link(&bed->tree, "sys/class/infiniband/one", "two");
	tree_link(&bed->tree, "sys/class/infiniband/two", "one");
	tree_link(&bed->tree, "sys/class/infiniband/absolute", "/sys/nowhere");
	tree_link(&bed->tree, "sys/class/infiniband/high", "../../../../x");
	tree_write(&bed->tree, "sys/class/infiniband/plain", "text");
	expect(bed, wanted);
}

/* Reported file names contain no terminal control characters. */
static void terminal(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, "sys/module/mlx5_core/parameters/key\x1b[7m", "1");
	tree_link(&bed->tree, "sys/class/infiniband/\x9b[7m", "/b");
	expect(bed,
	       "root/sys/class/infiniband/\n"
	       "root/sys/module/\n"
	       "root/sys/module/mlx5_core/\n"
	       "root/sys/module/mlx5_core/parameters/\n"
	       "! sys/module/mlx5_core/parameters/key\\x1b[7m file left out, because it may be a "
	       "key -\n"
	       "! sys/class/infiniband/\\x9b[7m file left out: the link leads out of the tree -\n");
}

/* An absolute link, and one that climbs to the root, are followed within the tree. */
static void ways(void **state)
{
	struct bed *bed = *state;

	tree_link(&bed->tree, "sys/class/infiniband", "/sys/a");
	tree_link(&bed->tree, "sys/a/m", "../../../sys/b");
	tree_link(&bed->tree, "sys/a/n", "../../sys/c");
	tree_write(&bed->tree, "sys/b/file", "beyond the root");
	tree_write(&bed->tree, "sys/c/file", "found");
	expect(bed, "root/sys/a/\n"
		    "root/sys/a/n -> ../../sys/c\n"
		    "root/sys/c/\n"
		    "root/sys/c/file: found|\n"
		    "! sys/a/m file left out: the link leads out of the tree -\n"
		    "! sys/class/infiniband file left out: the link leads out of the tree -\n");
}

/* At most 24 directories of a device, however deep the tree is. */
static void depth(void **state)
{
	struct bed *bed = *state;
	char path[256] = "sys/class/infiniband/m";
	_cleanup_(freep) char *wanted = mem_format("root/sys/class/infiniband/\nroot/%s/\n", path);

	for (unsigned int i = 1; i <= 26; i++) {
		strcat(path, "/f");
		if (i <= 24)
			mem_extend(&wanted, "root/%s/\n", path);
		tree_directory(&bed->tree, path);
	}
	tree_write(&bed->tree, "sys/class/infiniband/m/z", "z");
	mem_extend(&wanted,
		   "root/sys/class/infiniband/m/z: z|\n"
		   "! %.*s file left out: it is 24 folders deep -\n",
		   (int)strlen(path) - 2, path);
	expect(bed, wanted);
}

/* Configuration and vital product data: only of the classes that need them. */
static void pci_functions(void **state)
{
	static const struct {
		const char *class;
		bool config, vpd;
		const char *vendor; /* NULL: no such file */
	} cases[] = {
		{"0x020000", true, true},
		{"0x0207ff", true, true},
		{"0x028000", true, true},
		{"0x0c0600", true, true},
		{"0x0c06ff", true, true},
		{"0x0c0500", false, false},
		{"0x0c0700", false, false},
		{"0x030200", true, false},
		{"0x060400", true, false},
		{"0x120000", true, false},
		{"0x010802", false, false},
		{"0x000000", false, false},
		{"0x110000", false, false},
		{"0x1020000", false, false},
		{"network", false, false},
		{NULL, false, false},
		/* A Data Direct function, and DMA controllers of others. */
		{"0x080100", false, true, "0x15b3"},
		{"0x080100", false, false, "0x8086"},
		{"0x080100", false, false},
		{"0x088000", false, false, "0x15b3"},
	};
	struct bed *bed = *state;
	_cleanup_(freep) char *wanted = mem_string("root/sys/bus/pci/devices/\n");
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *folder = mem_format("sys/bus/pci/devices/0000:%02zx:00.0",
							   i);

		mem_extend(&wanted, "root/%s/\n", folder);
		snprintf(path, sizeof(path), "%s/class", folder);
		if (cases[i].class) {
			tree_write(&bed->tree, path, cases[i].class);
			mem_extend(&wanted, "root/%s: %s|\n", path, cases[i].class);
		}
		snprintf(path, sizeof(path), "%s/config", folder);
		tree_write(&bed->tree, path, "C");
		if (cases[i].config)
			mem_extend(&wanted, "root/%s: C|\n", path);
		snprintf(path, sizeof(path), "%s/vendor", folder);
		if (cases[i].vendor) {
			tree_write(&bed->tree, path, cases[i].vendor);
			mem_extend(&wanted, "root/%s: %s|\n", path, cases[i].vendor);
		}
		snprintf(path, sizeof(path), "%s/vpd", folder);
		tree_write(&bed->tree, path, "V");
		if (cases[i].vpd)
			mem_extend(&wanted, "root/%s: V|\n", path);
	}
	expect(bed, wanted);
}

/* Parameters of the modules that matter, except possible keys. */
static void parameters(void **state)
{
	static const struct {
		const char *name;
		bool taken;
	} cases[] = {
		{"prof_sel", true},   {"m_key", false},	  {"MKEY_x", false}, {"pkey_tbl", true},
		{"P_Key_a", true},    {"pkeykey", false}, {"passwd", false}, {"PassPhrase", false},
		{"secretive", false}, {"token1", false},  {"psk", false},    {"pas", true},
		{"toke", true},
	};
	struct bed *bed = *state;
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(path, sizeof(path), "sys/module/mlx5_core/parameters/%s", cases[i].name);
		tree_write(&bed->tree, path, "1");
	}
	tree_write(&bed->tree, "sys/module/e1000e/parameters/debug", "of no use");
	tree_write(&bed->tree, "sys/module/e1000e/version", "3");
	collect(&bed->collection);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool told = false;

		snprintf(path, sizeof(path), "root/sys/module/mlx5_core/parameters/%s",
			 cases[i].name);
		assert_int_equal(!!contents_find(&bed->contents, path), cases[i].taken);
		for (size_t j = 0; j < bed->problems.count; j++) {
			const struct problem *problem = &bed->problems.items[j];

			told |= !strcmp(problem->object, path + strlen("root/")) &&
				!strcmp(problem->error, "left out, because it may be a key");
		}
		assert_int_equal(told, !cases[i].taken);
	}
	assert_int_equal(bed->problems.count, 8);
	assert_null(contents_find(&bed->contents, "root/sys/module/e1000e/parameters/debug"));
	assert_non_null(contents_find(&bed->contents, "root/sys/module/e1000e/version"));
}

/* Facts that tell a host from a container, and the settings of a vendor's library. */
static void other_places(void **state)
{
	struct bed *bed = *state;
	struct saved_tree *tree = &bed->tree;

	tree_write(tree, "proc/1/mountinfo", "24 1 0:22 / /proc rw\n1 0 254:0 / / rw\n");
	tree_write(tree, "proc/self/mountinfo",
		   "1 0 254:0 / / rw - ext4 /dev/vda rw\n2 1 0:5 /x / \n3 1 0:5 /\n4 1 0:5 / /x "
		   "/\n5 1 0:5 / /x / / /\n");
	tree_link(tree, "proc/self/ns/pid", "pid:[4026531836]");
	tree_link(tree, "proc/self/ns/net", "net:[4026531840]");
	tree_write(tree, "opt/amazon/efa/etc/libfabric.conf", "FI_PROVIDER=tcp");
	tree_write(tree, "opt/amazon/efa/etc/other.conf", "not read");
	expect(bed, "root/opt/amazon/efa/\n"
		    "root/opt/amazon/efa/etc/\n"
		    "root/opt/amazon/efa/etc/libfabric.conf: FI_PROVIDER=tcp|\n"
		    "root/proc/\n"
		    "root/proc/1/\n"
		    "root/proc/1/mountinfo: 1 0 254:0 / / rw|\n"
		    "root/proc/self/\n"
		    "root/proc/self/mountinfo: 1 0 254:0 / / rw - ext4 /dev/vda rw|2 1 0:5 /x / |\n"
		    "root/proc/self/ns/\n"
		    "root/proc/self/ns/pid -> pid:[4026531836]\n");
}

/*
 * Some files are reduced to the lines or words that somebody reads, and links to them become
 * files.
 */
static void parts_of_files(void **state)
{
	struct bed *bed = *state;
	const struct saved_tree *tree = &bed->tree;

	tree_link(tree, "etc/modprobe.d/a.conf", "../../usr/lib/other");
	tree_write(tree, "usr/lib/other", "options mlx5_core m_key=0x12 debug=1");
	tree_link(tree, "etc/modprobe.d/b.conf", "../nowhere");
	tree_write(tree, "usr/lib64/libibverbs.so.1", "..lib%s-rdmav.so -rdmav34.so ..");
	tree_write(tree, "usr/local/lib/libibverbs.so.1", "no such words");
	tree_write(tree, "usr/lib64/libibverbs/libmlx5-rdmav34.so", "its contents are left out");
	tree_link(tree, "usr/lib64/libibverbs/libx-rdmav34.so", "broken");
	tree_write(tree, "usr/lib64/libibverbs/libmlx5.so", "another name");
	tree_write(tree, "dev/infiniband/uverbs0", "not opened");
	tree_link(tree, "dev/infiniband/uverbs1", "!EPERM");
	tree_write(tree, ".dockerenv", "");
	tree_write(tree, ".singularity.d/runscript", "not opened");
	tree_write(tree, ".singularity.d/env", "not a sign");
	tree_write(tree, "sys/fs/pstore/dmesg-efi-1", "not opened");
	tree_write(tree, "sys/fs/pstore/console-1", "not a crash");
	tree_write(tree, "run/systemd/container", "lxc");
	tree_write(tree, "proc/stat",
		   "cpu  1 2 3\ncpu0 1 2 3\nintr 5\nbtime 1700000000\nbtimes 3\nprocesses 4");
	tree_write(tree, "proc/self/mountinfo",
		   "24 1 0:22 / /proc rw - proc proc rw\n"
		   "25 1 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
		   "26 1 0:24 / /cgroup rw - tmpfs cgroup rw\n"
		   "27 1 0:25 / /sys/fs/pstore rw - pstore pstore rw\n");
	tree_write(tree, "etc/systemd/system/a.service",
		   "[Service]\n \tLimitMEMLOCK=8M\nxLimitMEMLOCK=1\nLimitNOFILE=3\n"
		   "DefaultLimitMEMLOCK=9M");
	tree_write(tree, "etc/systemd/system/b.service", "[Service]\nExecStart=/bin/true");
	tree_write(tree, "etc/systemd/system/c.timer", "LimitMEMLOCK=1");
	tree_write(tree, "etc/systemd/system/d.service.d/x.conf", "LimitMEMLOCK=2");
	tree_write_bytes(tree, "etc/systemd/system.conf", "LimitMEMLOCK=3", 14);
	expect(bed,
	       "root/.dockerenv: \n"
	       "root/.singularity.d/\n"
	       "root/.singularity.d/runscript: \n"
	       "root/dev/infiniband/\n"
	       "root/dev/infiniband/uverbs0: \n"
	       "root/dev/infiniband/uverbs1 -> !EPERM\n"
	       "root/etc/\n"
	       "root/etc/modprobe.d/\n"
	       "root/etc/modprobe.d/a.conf: options mlx5_core m_key=xxxx debug=1|\n"
	       "root/etc/systemd/\n"
	       "root/etc/systemd/system/\n"
	       "root/etc/systemd/system.conf: LimitMEMLOCK=3\n"
	       "root/etc/systemd/system/a.service:  \tLimitMEMLOCK=8M|DefaultLimitMEMLOCK=9M|\n"
	       "root/etc/systemd/system/d.service.d/\n"
	       "root/etc/systemd/system/d.service.d/x.conf: LimitMEMLOCK=2|\n"
	       "root/proc/\n"
	       "root/proc/self/\n"
	       "root/proc/self/mountinfo: 25 1 0:23 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw|"
	       "27 1 0:25 / /sys/fs/pstore rw - pstore pstore rw|\n"
	       "root/proc/stat: cpu  1 2 3|btime 1700000000|\n"
	       "root/run/\n"
	       "root/run/systemd/\n"
	       "root/run/systemd/container: \n"
	       "root/sys/fs/pstore/\n"
	       "root/sys/fs/pstore/dmesg-efi-1: \n"
	       "root/usr/lib/\n"
	       "root/usr/lib64/\n"
	       "root/usr/lib64/libibverbs/\n"
	       "root/usr/lib64/libibverbs.so.1: lib%s-rdmav34.so|\n"
	       "root/usr/lib64/libibverbs/libmlx5-rdmav34.so: \n"
	       "root/usr/lib64/libibverbs/libx-rdmav34.so: \n"
	       "root/usr/local/lib/\n"
	       "root/usr/local/lib/libibverbs.so.1: \n");
}

/* On a host without a merged /usr, whose Slurm puts steps into control groups of their own. */
static void unmerged(void **state)
{
	struct bed *bed = *state;
	const struct saved_tree *tree = &bed->tree;

	tree_write(tree, "lib64/libibverbs.so.1", "lib%s-rdmav34.so");
	tree_write(tree, "lib/libibverbs.so.1", "lib%s-rdmav22.so");
	tree_write(tree, "lib/libmlx4-rdmav22.so", "its contents are left out");
	tree_write(tree, "proc/self/cgroup", "0::/a/b/c/d/e/f");
	/* system.slice/slurmstepd.scope/job_1/step_0/user/task_0 */
	tree_write(tree, "sys/fs/cgroup/a/b/c/d/e/f/rdma.max", "mlx5_0 hca_handle=2");
	expect(bed, "root/lib/\n"
		    "root/lib/libibverbs.so.1: lib%s-rdmav22.so|\n"
		    "root/lib/libmlx4-rdmav22.so: \n"
		    "root/lib64/\n"
		    "root/lib64/libibverbs.so.1: lib%s-rdmav34.so|\n"
		    "root/proc/\n"
		    "root/proc/self/\n"
		    "root/proc/self/cgroup: 0::/a/b/c/d/e/f|\n"
		    "root/sys/fs/cgroup/\n"
		    "root/sys/fs/cgroup/a/\n"
		    "root/sys/fs/cgroup/a/b/\n"
		    "root/sys/fs/cgroup/a/b/c/\n"
		    "root/sys/fs/cgroup/a/b/c/d/\n"
		    "root/sys/fs/cgroup/a/b/c/d/e/\n"
		    "root/sys/fs/cgroup/a/b/c/d/e/f/\n"
		    "root/sys/fs/cgroup/a/b/c/d/e/f/rdma.max: mlx5_0 hca_handle=2|\n");
}

/* After a crash of the host, a file may have zeros in it, and its lines are still settings. */
static void binary(void **state)
{
	struct bed *bed = *state;
	const struct content *content;

	tree_write_bytes(&bed->tree, "etc/modprobe.d/x", "key=1\0key=2", 11);
	collect(&bed->collection);
	content = contents_find(&bed->contents, "root/etc/modprobe.d/x");
	assert_non_null(content);
	assert_int_equal(content->length, 11);
	assert_memory_equal(content->bytes, "key=x\0xxxxx", 12);
}

/* The first 8 MiB of a file, which is reported. */
static void long_files(void **state)
{
	const size_t most = 8 << 20;
	struct bed *bed = *state;
	_cleanup_(freep) char *text = mem_alloc_zero(most + 10, 1);
	const struct content *content;

	memset(text, 'x', most + 10);
	for (size_t i = 63; i < most; i += 64)
		text[i] = '\n';
	tree_write_bytes(&bed->tree, "etc/modprobe.d/longer", text, most + 10);
	tree_write_bytes(&bed->tree, "etc/modprobe.d/shorter", text, most - 1);
	collect(&bed->collection);
	content = contents_find(&bed->contents, "root/etc/modprobe.d/longer");
	assert_int_equal(content->length, most);
	assert_int_equal(strlen(content->bytes), most);
	content = contents_find(&bed->contents, "root/etc/modprobe.d/shorter");
	assert_int_equal(content->length, most - 1);
	assert_int_equal(strlen(content->bytes), most - 1);
	assert_int_equal(bed->problems.count, 1);
	assert_string_equal(bed->problems.items[0].object, "etc/modprobe.d/longer");
	assert_string_equal(bed->problems.items[0].error, "only the beginning was taken");
}

/* 512 MiB minus the room for later additions; the limit is reported once. */
static void no_room(void **state)
{
	static const char told[] = "! sys/class/infiniband file the rest was left out: a "
				   "snapshot has at most 512 MiB -\n";
	const uint64_t most = (512 - 64) << 20;
	struct bed *bed = *state;
	_cleanup_(freep) char *none = NULL, *one = NULL;

	tree_write(&bed->tree, "sys/class/infiniband/a", "1");
	tree_write(&bed->tree, "etc/modprobe.d/x", "2");
	bed->contents.bytes = most;
	collect(&bed->collection);
	none = describe(&bed->contents, &bed->problems);
	assert_string_equal(none, told);
	problems_free(&bed->problems);
	/* A byte less: the directories that lead there, without the file. */
	bed->contents.bytes = most - 1;
	collect(&bed->collection);
	one = describe(&bed->contents, &bed->problems);
	assert_int_equal(strncmp(one, "root/sys/class/infiniband/\n", 27), 0);
	assert_string_equal(one + 27, told);
}

/* An unreadable file is a link to its error; what is below an unreadable directory is skipped. */
static void unreadable(void **state)
{
	static const char hint[] = "run it as root for a snapshot of all that root can read";
	struct bed *bed = *state;
	const struct saved_tree *tree = &bed->tree;
	_cleanup_(freep) char *text = NULL;
	size_t told = 0;

	if (geteuid())
		skip();
	tree_write(tree, "sys/class/infiniband/m/open", "1");
	tree_write(tree, "sys/class/infiniband/m/file", "1");
	tree_write(tree, "sys/class/infiniband/m/\x1b", "1");
	tree_write(tree, "sys/class/infiniband/m/closed/x", "1");
	/* This directory may only be searched, not listed. */
	tree_write(tree, "sys/class/infiniband/n/device/vendor", "1");
	assert_int_equal(fchmodat(tree->root.fd, "sys/class/infiniband/m/file", 0600, 0), 0);
	assert_int_equal(fchmodat(tree->root.fd, "sys/class/infiniband/m/\x1b", 0600, 0), 0);
	assert_int_equal(fchmodat(tree->root.fd, "sys/class/infiniband/m/closed", 0700, 0), 0);
	assert_int_equal(fchmodat(tree->root.fd, "sys/class/infiniband/n", 0711, 0), 0);
	tree_become_nobody();
	collect(&bed->collection);
	tree_become_oneself();
	for (size_t i = 0; i < bed->problems.count; i++) {
		const struct problem *problem = &bed->problems.items[i];

		told += !strcmp(problem->attribute, "sys/class/infiniband/m/file") ||
			!strcmp(problem->attribute, "sys/class/infiniband/m/\\x1b") ||
			!strcmp(problem->attribute, "sys/class/infiniband/m/closed");
		assert_string_equal(problem->error, strerror(EACCES));
		assert_string_equal(problem->hint, hint);
		assert_string_equal(problem->source, "file");
	}
	assert_int_equal(told, 3);
	assert_int_equal(bed->collection.unreadable, bed->problems.count);
	text = describe(&bed->contents, &(struct problems){.count = 0});
	assert_string_equal(text, "root/sys/class/infiniband/\n"
				  "root/sys/class/infiniband/m/\n"
				  "root/sys/class/infiniband/m/\x1b -> !EACCES\n"
				  "root/sys/class/infiniband/m/closed -> !EACCES\n"
				  "root/sys/class/infiniband/m/file -> !EACCES\n"
				  "root/sys/class/infiniband/m/open: 1|\n"
				  "root/sys/class/infiniband/n -> !EACCES\n");
}

/* A folder on the way that may not be searched hides what is in it. */
static void unreachable(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *text = NULL;

	if (geteuid())
		skip();
	tree_write(&bed->tree, "sys/kernel/debug/mlx5/0000:01:00.0/cc_params/x", "1");
	assert_int_equal(fchmodat(bed->tree.root.fd, "sys/kernel/debug", 0700, 0), 0);
	/* As a saved tree, and as the live system, where a link may lead to such a place. */
	for (int live = 0; live < 2; live++) {
		bed->tree.root.live = bed->tree.root.below = live;
		if (live)
			tree_link(&bed->tree, "etc/modprobe.d/x", "../../sys/kernel/debug/x");
		tree_become_nobody();
		collect(&bed->collection);
		tree_become_oneself();
		free(text);
		text = describe(&bed->contents, &bed->problems);
		assert_string_equal(text, live ? "root/etc/\n"
						 "root/etc/modprobe.d/\n"
						 "root/etc/modprobe.d/x -> !EACCES\n"
						 "root/sys/kernel/debug/mlx5 -> !EACCES\n"
						 "! sys/kernel/debug/mlx5 file " DENIED
						 "! etc/modprobe.d/x file " DENIED
					       : "root/sys/kernel/debug/mlx5 -> !EACCES\n"
						 "! sys/kernel/debug/mlx5 file " DENIED);
		contents_clear(&bed->contents);
		problems_free(&bed->problems);
	}
}

/*
 * Any other error hides as much, and is not the kernel's answer, as that of a file may be. It is
 * told once, though several sources list the folder.
 */
static void unlisted(void **state)
{
	static const int errors[] = {EIO, ETIMEDOUT, ENOMEM, ENOENT};
	struct bed *bed = *state;

#ifdef __i386__
	skip(); /* syscall() is not replaced there */
#endif
	tree_write(&bed->tree, "sys/class/infiniband/m/node_type", "1: CA");
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		const bool vanished = errors[i] == ENOENT;
		_cleanup_(freep) char *saved = mem_format(
			"root/sys/class/infiniband -> %s\n! sys/class/infiniband file %s -\n",
			sysfs_saved_error(-errors[i]), strerror(errors[i]));

		list_error = errors[i];
		expect(bed, vanished ? "" : saved);
		list_error = 0;
	}
}

/* Other errors are answers: they are kept, and not reported. */
static void errors(void **state)
{
	static const struct {
		int error;
		bool told;
	} cases[] = {{-EACCES, true}, {-EPERM, true}, {-EINVAL, false}, {-EIO, false}};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		collect_error(&bed->collection, "sys/a", cases[i].error);
		assert_int_equal(bed->collection.unreadable, i + 1);
		assert_int_equal(bed->contents.count, 1);
		assert_int_equal(bed->contents.items[0].kind, CONTENT_LINK);
		assert_string_equal(bed->contents.items[0].path, "root/sys/a");
		assert_string_equal(bed->contents.items[0].bytes,
				    sysfs_saved_error(cases[i].error));
		assert_int_equal(bed->problems.count, cases[i].told);
		contents_clear(&bed->contents);
		problems_free(&bed->problems);
	}
}

/* What a snapshot contains besides its tree. */
static void recorded(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *text = NULL;

	bed->tree.root.snapshot = bed->tree.root.fd;
	tree_write(&bed->tree, RECORDING_NETLINK_FILE, "net");
	tree_write(&bed->tree, "kmsg", "line");
	tree_write(&bed->tree, "manifest.json", "{}");
	collect_recorded(&bed->collection);
	text = describe(&bed->contents, &bed->problems);
	assert_string_equal(text, RECORDING_NETLINK_FILE ": net|\nkmsg: line|\n");
	tree_write(&bed->tree, RECORDING_VERBS_FILE, "verbs");
	contents_clear(&bed->contents);
	collect_recorded(&bed->collection);
	free(text);
	text = describe(&bed->contents, &bed->problems);
	assert_string_equal(text, RECORDING_NETLINK_FILE ": net|\n" RECORDING_VERBS_FILE
							 ": verbs|\nkmsg: line|\n");
}

/* Only the values are hidden, whatever is between name and value. */
static void secrets(void **state)
{
	static const char *const cases[][2] = {
		{"key=12", "key=xx"},
		{"key = 12 34", "key = xx 34"},
		{"KEY:\t'12' b", "KEY:\t'xx' b"},
		{"mkey\n12\n", "mkey\n12\n"},
		{"a key\nb", "a key\nb"},
		{"x=key\"1\"", "x=key\"x\""},
		{"pkey=1 mpkeykey=2", "pkey=1 mpkeykey=x"},
		{"p_key=1 P_KEY=2", "p_key=1 P_KEY=2"},
		{"secret==1", "secret==x"},
		{"psk:1\tpassword 2", "psk:x\tpassword x"},
		{"token", "token"},
		{"=key=", "=key="},
		{"key=\"1 2\" b", "key=\"xxx\" b"},
		{"key='1 \"2' b", "key='xxxx' b"},
		{"key=1\"2 3\"4 b", "key=x\"xxx\"x b"},
		{"key=\"1 2\nb", "key=\"xxx\nb"},
		{"\"a.key=1 2\" b", "\"a.key=xxx\" b"},
		{"\"key\": \"1 2\", b", "\"key\": \"xxx\"x b"},
		{"key=\\\n1\\\n2 b", "key=\\\nx\\\nx b"},
	};
	static const char zeros[][2][32] = {
		{"key=1\0\0002 b\n\0key=3", "key=x\0\0x b\n\0key=x"},
		{"key=\0\0001 b\0token\0 2", "key=\0\0x b\0token\0 x"},
		{"key \0 \"1\0 2\" b", "key \0 \"x\0xx\" b"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *text = mem_string(cases[i][0]);

		collect_hide_secrets(text, strlen(text));
		assert_string_equal(text, cases[i][1]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(zeros); i++) {
		char text[32];

		memcpy(text, zeros[i][0], sizeof(text));
		collect_hide_secrets(text, sizeof(text) - 1);
		assert_memory_equal(text, zeros[i][1], sizeof(text));
	}
}

/* ---- The live system ---- */

static void collect_live(const struct saved_tree *tree, FILE *out, void *context)
{
	struct contents contents = {.count = 0};
	struct problems problems = {.count = 0};
	struct root root;
	struct collection collection = {
		.root = &root, .contents = &contents, .problems = &problems};
	char *text;

	(void)tree;
	(void)context;
	if (root_open(NULL, &root))
		return;
	collect(&collection);
	text = describe(&contents, &problems);
	fputs(text, out);
	free(text);
	contents_clear(&contents);
	problems_free(&problems);
	root_close(&root);
}

/* Write-only files are not read, and neither is anything else than regular files. */
static void live(void **state)
{
	struct bed *bed = *state;
	const struct saved_tree *tree = &bed->tree;

	tree_write(tree, "sys/class/infiniband/m/readable", "1");
	tree_write(tree, "sys/class/infiniband/m/written", "1");
	assert_int_equal(fchmodat(tree->root.fd, "sys/class/infiniband/m/written", 0200, 0), 0);
	assert_int_equal(mkfifoat(tree->root.fd, "sys/class/infiniband/m/pipe", 0644), 0);
	tree_directory(tree, "dev/infiniband");
	assert_int_equal(mkfifoat(tree->root.fd, "dev/infiniband/umad0", 0644), 0);
	tree_write(tree, "dev/infiniband/uverbs_forbidden", "not opened");
	tree_write(tree, "dev/infiniband/uverbs_denied", "not opened");
	tree_write(tree, "dev/infiniband/uverbs_other", "not opened");
	tree_link(tree, "sys/class/infiniband/m/link", "readable");
	tree_write(tree, "etc/modprobe.d/real", "text");
	tree_link(tree, "etc/modprobe.d/link", "real");
	tree_link(tree, "etc/modprobe.d/broken", "nowhere");
	rooted_expect(tree, collect_live, NULL,
		      "root/dev/infiniband/\n"
		      "root/dev/infiniband/umad0: \n"
		      "root/dev/infiniband/uverbs_denied -> !EACCES\n"
		      "root/dev/infiniband/uverbs_forbidden -> !EPERM\n"
		      "root/dev/infiniband/uverbs_other: \n"
		      "root/etc/\n"
		      "root/etc/modprobe.d/\n"
		      "root/etc/modprobe.d/link: text|\n"
		      "root/etc/modprobe.d/real: text|\n"
		      "root/sys/class/infiniband/\n"
		      "root/sys/class/infiniband/m/\n"
		      "root/sys/class/infiniband/m/link -> readable\n"
		      "root/sys/class/infiniband/m/readable: 1|\n");
}

#define PORT "sys/class/infiniband/m/ports/1"

static bool is_closed(const char *name)
{
	return (name[0] - 'a') % 2;
}

/* Reads as nobody. The expectation follows from the order in which the directory is listed. */
static void collect_counters(const struct saved_tree *tree, FILE *out, void *context)
{
	static const char *const folders[] = {"counters", "hw_counters"};
	struct contents contents = {.count = 0};
	struct problems problems = {.count = 0};
	struct root root;
	struct collection collection = {
		.root = &root, .contents = &contents, .problems = &problems};

	(void)tree;
	(void)context;
	if (root_open(NULL, &root) || seteuid(65534))
		return;
	collect(&collection);
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		struct strings names = {.known = false};
		bool failed = false;

		if (sysfs_list_all(&root, &names, PORT "/%s", folders[i]))
			return;
		for (size_t j = 0; j < names.count; j++) {
			_cleanup_(freep) char *path = mem_format("root/" PORT "/%s/%s", folders[i],
								 names.items[j]);
			const struct content *found = contents_find(&contents, path);

			failed = is_closed(names.items[j]) || (failed && i == 0);
			if (!found || (found->kind == CONTENT_LINK) != failed)
				fprintf(out, "%s\n", path);
		}
		strings_free(&names);
	}
	fprintf(out, "%d\n", collection.unreadable == problems.count);
	contents_clear(&contents);
	problems_free(&problems);
	root_close(&root);
}

/* After the first unreadable counter of a port, its other counters are not read. */
static void counters(void **state)
{
	struct bed *bed = *state;
	char path[128];

	if (geteuid())
		skip();
	for (unsigned int i = 0; i < 16; i++) {
		char name[2] = {(char)('a' + i)};

		for (unsigned int j = 0; j < 2; j++) {
			snprintf(path, sizeof(path), PORT "/%s/%s", j ? "hw_counters" : "counters",
				 name);
			tree_write(&bed->tree, path, "7");
			if (is_closed(name))
				assert_int_equal(fchmodat(bed->tree.root.fd, path, 0600, 0), 0);
		}
	}
	rooted_expect(&bed->tree, collect_counters, NULL, "1\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(device),	      TEST(followed_copy), TEST(links),		TEST(terminal),
		TEST(ways),	      TEST(depth),	   TEST(pci_functions), TEST(parameters),
		TEST(parts_of_files), TEST(other_places),  TEST(unmerged),	TEST(binary),
		TEST(long_files),     TEST(no_room),	   TEST(unreadable),	TEST(unreachable),
		TEST(unlisted),	      TEST(errors),	   TEST(recorded),	TEST(secrets),
	};
	const struct CMUnitTest live_tests[] = {TEST(live), TEST(counters)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (rooted_is_possible())
		failed += cmocka_run_group_tests(live_tests, NULL, NULL);
	return failed;
}
