/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of control groups, of services and of storage: which of them change, and that they change
 * consistently.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "snapshot/anonymise/anonymise.h"

/* The result for one file, whose path also changes. */
static char *changed(const char *path, const char *text, char **ret_path)
{
	struct contents contents = {.items = NULL};
	struct anonymiser *anonymiser;
	struct strings dropped = {0};
	size_t answers;
	char *result;

	assert_int_equal(anonymiser_new("key", 3, &anonymiser), 0);
	contents_add(&contents, CONTENT_FILE, path, text, strlen(text));
	anonymise_contents(anonymiser, &contents, &dropped, &answers);
	assert_int_equal(contents.count, 1);
	assert_int_equal(contents.items[0].length, strlen(contents.items[0].bytes));
	result = mem_string(contents.items[0].bytes);
	if (ret_path)
		*ret_path = mem_string(contents.items[0].path);
	contents_clear(&contents);
	anonymiser_free(anonymiser);
	return result;
}

static char *changed_text(const char *path, const char *text)
{
	return changed(path, text, NULL);
}

/* Services keep their names, because limits depend on them; the others are private. */
static void control_groups(void **state)
{
	static const char text[] =
		"0::/user.slice/user-1000.slice/job77\n1:cpu:/system.slice/sshd.service\n2:x\n";
	_cleanup_(freep) char *now = changed_text("root/proc/7/cgroup", text);
	_cleanup_(freep) char *pod = changed_text(
		"root/proc/7/cgroup", "0::/kubepods-pod7a3c.slice:cri-containerd:dead12\n0::/");
	_cleanup_(freep) char *mounts = changed_text(
		"root/proc/self/mountinfo",
		"30 23 0:26 /user.slice/../job77 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
	_cleanup_(freep) char *other = NULL;
	const char *line = strchr(now, '\n'), *job = strrchr(mounts, '.') + 2, *own, *next;

	(void)state;
	assert_memory_equal(now, "0::/group-", 10);
	assert_null(strstr(now, "job77"));
	assert_null(strstr(now, "1000"));
	assert_memory_equal(line, "\n1:cpu:/group-", 14);
	assert_string_equal(strrchr(now, '/'), "/sshd.service\n2:x\n");
	/* A Kubernetes container has colons in its name. */
	assert_memory_equal(pod, "0::/group-", 10);
	assert_null(strstr(pod, "pod7a3c"));
	assert_null(strstr(pod, "dead12"));
	assert_string_equal(strchr(pod, '\n'), "\n0::/");
	/* The same group has the same name everywhere. */
	assert_memory_equal(mounts, "30 23 0:26 /group-", 18);
	assert_memory_equal(mounts + 11, now + 3, strlen("/group-0123456789ab/"));
	assert_memory_equal(job, line - strlen("group-0123456789ab"), strlen("group-0123456789ab"));
	assert_string_equal(strchr(job, ' '), " /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
	/* No files of the snapshot are below the others. */
	other = changed_text("root/proc/self/mountinfo",
			     "30 23 0:26 / /home/alice/sys/fs/cgroup rw - cgroup2 cgroup rw\n"
			     "31 23 0:26 / /sys/fs/cgroups rw - cgroup2 cgroup rw\n31 23 0:27\n"
			     "32 23 0:26 / /sys/fs/cgroup/rdma rw - cgroup cgroup rw,rdma");
	assert_string_equal(other, "32 23 0:26 / /sys/fs/cgroup/rdma rw - cgroup cgroup rw,rdma");
	free(other);
	other = changed_text("root/proc/self/mountinfo",
			     "33 24 0:28 / /sys/fs/pstore rw - pstore pstore rw\n");
	assert_string_equal(other, "33 24 0:28 / /sys/fs/pstore rw - pstore pstore rw\n");
	free(other);
	/* A line that ends with its path has no place, even if the next line looks like one. */
	other = changed_text("root/proc/self/mountinfo",
			     "30 23 0:26 /home/alice\n: /sys/fs/cgroup rw - cgroup2 cgroup rw\n");
	assert_string_equal(other, "");
	free(other);
	/* The directory at /, which doctor compares, and nothing else that may be a name. */
	other = changed_text(
		"root/proc/1/mountinfo",
		"1 0 254:0 / / rw,relatime shared:1 - ext4 /dev/alice-root rw,x=alice\n"
		"2 1 254:0 /alice.service / ro - btrfs /dev/vda rw\n"
		"3 1 254:0 /alice /\n4 1 254:0 /alice / \n5 1 254:0 / /alice / rw\n"
		"6 1 254:0 /alice.service / ro");
	assert_memory_equal(other, "1 0 254:0 / / rw,relatime\n2 1 254:0 /group-", 43);
	own = strstr(other, "/group-");
	next = strchr(own, '\n') + 1;
	assert_memory_equal(own + strlen("/group-0123456789ab"), " / ro\n6 1 254:0 /group-", 23);
	assert_string_equal(strstr(next, "/group-") + strlen("/group-0123456789ab"), " / ro\n");
	assert_memory_equal(own, strstr(next, "/group-"), strlen("/group-0123456789ab"));
	free(other);
	/* A file of that name elsewhere is something different. */
	other = changed_text("root/sys/fs/cgroup", "0::/abc\n");
	assert_string_equal(other, "0::/abc\n");
}

/* * is what comes after group- */
static void assert_group(const char *path, const char *wanted)
{
	_cleanup_(freep) char *now = NULL, *text = changed(path, "x", &now);
	char *at = now;

	assert_string_equal(text, "x");
	while ((at = strstr(at, "group-"))) {
		at += strlen("group-");
		assert_int_equal(strspn(at, "0123456789abcdef"), 12);
		*at++ = '*';
		memmove(at, at + 11, strlen(at + 11) + 1);
	}
	assert_string_equal(now, wanted);
}

/* The directories of the groups have the names that the processes' files refer to. */
static void folders_of_control_groups(void **state)
{
	(void)state;
	assert_group("root/sys/fs/cgroup/rdma.current", "root/sys/fs/cgroup/rdma.current");
	assert_group("root/sys/fs/cgroup/user.slice/job77/rdma.max",
		     "root/sys/fs/cgroup/group-*/group-*/rdma.max");
	assert_group("root/sys/fs/cgroup/system.slice/sshd.service/rdma.max",
		     "root/sys/fs/cgroup/group-*/sshd.service/rdma.max");
	assert_group("root/sys/fs/cgroup/rdma/job77/rdma.max",
		     "root/sys/fs/cgroup/rdma/group-*/rdma.max");
	assert_group("root/sys/fs/cgroup/cpu,cpuacct/rdma.max",
		     "root/sys/fs/cgroup/cpu,cpuacct/rdma.max");
	assert_group("root/sys/fs/cgroup/rdma,job/rdma.max", "root/sys/fs/cgroup/group-*/rdma.max");
}

/* What could not be read is a link in an archive, and a path in a message. */
static void unreadable_groups(void **state)
{
	static const char *const paths[][2] = {
		{"root/sys/fs/cgroup/alice.slice/rdma.max", "/rdma.max"},
		{"root/sys/fs/cgroup/alice.slice/rdma.max: cut", "/rdma.max: cut"},
		{"root/sys/fs/cgroup/alice.slice", ""},
	};
	struct anonymiser *anonymiser;

	(void)state;
	assert_int_equal(anonymiser_new("key", 3, &anonymiser), 0);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		_cleanup_(freep) char *now = anonymise_member(anonymiser, paths[i][0]);

		assert_memory_equal(now, "root/sys/fs/cgroup/group-", 25);
		assert_string_equal(now + strlen("root/sys/fs/cgroup/group-0123456789ab"),
				    paths[i][1]);
	}
	anonymiser_free(anonymiser);
}

/*
 * Instances are addresses and users, both in the groups of processes and in the directories of
 * settings.
 */
static void instances(void **state)
{
	_cleanup_(freep) char *now = changed_text(
		"root/proc/7/cgroup", "0::/s/sshd@0-10.0.0.5:22-10.0.0.9:50000.service\n"
				      "0::/s/u@.service/jupyter@alice.service\n");
	_cleanup_(freep) char *text = NULL, *path = NULL;
	const char *alice = strstr(now, "/jupyter@group-");

	(void)state;
	assert_null(strstr(now, "10.0"));
	assert_null(strstr(now, "alice"));
	assert_non_null(strstr(now, "/sshd@group-"));
	assert_non_null(strstr(now, "/u@.service/"));
	assert_non_null(alice);
	text = changed("root/etc/systemd/system/jupyter@alice.service.d/a.conf", "x", &path);
	assert_memory_equal(path + strlen("root/etc/systemd/system"), alice, strcspn(alice, "\n"));
	assert_string_equal(path + strlen(path) - strlen(".service.d/a.conf"), ".service.d/a.conf");
	assert_group("root/etc/systemd/system/jupyter@alice.service",
		     "root/etc/systemd/system/jupyter@group-*.service");
	assert_group("root/sys/fs/cgroup/jupyter@alice.service/rdma.max",
		     "root/sys/fs/cgroup/jupyter@group-*.service/rdma.max");
}

/* Names of hosts and targets of NVMe and iSCSI in the kernel's log. */
static void qualified_names(void **state)
{
	static const char text[] =
		"4,0,1,-;isert: iqn.2003-01.org.linux-iscsi.gpu17.x8664:sn.7a3c from (iqn.1994-05."
		"com.redhat:gpu18)\n4,0,2,-;nvme nvme0: NQN \"nqn.1992-08.com.netapp:sn.ab12:s\", "
		"qn."
		"2014-08.x nqn.2014-08.org.nvmexpress.discovery xqn.2014-08.x nqn.2014-8.x\n";
	_cleanup_(freep) char *now = changed_text("kmsg", text);

	(void)state;
	assert_int_equal(strlen(now), strlen(text));
	assert_null(strstr(now, "gpu1"));
	assert_null(strstr(now, "7a3c"));
	assert_null(strstr(now, "ab12"));
	assert_memory_equal(now, text, 27);
	assert_non_null(strstr(now, " from (iqn.1994-05."));
	assert_string_equal(strstr(now, "\", qn."), strstr(text, "\", qn."));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_groups),    cmocka_unit_test(folders_of_control_groups),
		cmocka_unit_test(unreadable_groups), cmocka_unit_test(instances),
		cmocka_unit_test(qualified_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
