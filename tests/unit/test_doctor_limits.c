/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of limits and settings: exactly at each limit, each daemon and what it starts, what a
 * saved tree may lack, and where a setting of NCCL comes from.
 */
#include <errno.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "doctor/limits/limits.h"
#include "doctor_bed.h"

static int set_up(void **state)
{
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	bed->run.device = device_list_add(&bed->facts.inventory.devices, "mlx5_0");
	bed->run.profile = PROFILE_HPC;
	return 0;
}

static void describe(struct bed *bed, const char *text)
{
	struct device *device = &bed->facts.inventory.devices.items[0];

	free(device->node_description);
	device->node_description = mem_string(text);
}

/* Runs the check again; returns its first result, or NULL if it does not apply. */
static const struct doctor_result *run(struct bed *bed, enum doctor_check_id id)
{
	doctor_limits_free(bed->facts.limits);
	bed->facts.limits = NULL;
	doctor_results_free(&bed->results);
	bed->results = (struct doctor_results){.items = NULL};
	bed_run(bed, id);
	return bed->results.count ? bed->results.items : NULL;
}

static void expect(struct bed *bed, enum doctor_check_id id, enum severity verdict,
		   const char *summary)
{
	bed_assert(run(bed, id), verdict, summary);
}

static void put_limits(struct bed *bed, const char *process, const char *memory, const char *files)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/%s/limits", process);
	snprintf(text, sizeof(text),
		 "Max locked memory         %-20s %-20s bytes\n"
		 "Max open files            1024                 %-20s files",
		 memory, memory, files);
	tree_write(&bed->tree, path, text);
}

static void open_files(void **state)
{
	static const struct {
		const char *most;
		enum severity verdict;
		const char *summary;
	} cases[] = {
		{"65535", SEVERITY_NOTICE, "few files may be open at a time"},
		{"65536", SEVERITY_OK, "enough files may be open"},
		{"unlimited", SEVERITY_OK, "enough files may be open"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_limits(bed, "self", "unlimited", cases[i].most);
		expect(bed, CHECK_ID_nofile, cases[i].verdict, cases[i].summary);
	}
	assert_string_equal(bed->results.items[0].finding.evidence, "Max open files unlimited");
	tree_write(&bed->tree, "proc/self/limits", "Max locked memory unlimited unlimited bytes");
	expect(bed, CHECK_ID_nofile, SEVERITY_INFO, "the limit on open files cannot be read");
	assert_int_equal(bed->problems.count, 1);
}

/* 8 MiB are the default since Linux 5.16; a limit of the host's memory size is enough. */
static void this_shell(void **state)
{
	static const struct {
		const char *memory;
		enum doctor_profile profile;
		enum severity verdict;
	} cases[] = {
		{"8388607", PROFILE_HPC, SEVERITY_ERROR},
		{"8388608", PROFILE_HPC, SEVERITY_ERROR},
		{"8388609", PROFILE_HPC, SEVERITY_WARNING},
		{"8388608", PROFILE_GPU, SEVERITY_ERROR},
		{"8388608", PROFILE_ROCE, SEVERITY_WARNING},
		{"8388608", PROFILE_CONTAINER, SEVERITY_WARNING},
		{"1073741823", PROFILE_HPC, SEVERITY_WARNING},
		{"1073741824", PROFILE_HPC, SEVERITY_OK},
		{"unlimited", PROFILE_HPC, SEVERITY_OK},
	};
	/* The last two do not fit into 64 bits, in bytes or as they are. */
	static const char *const unknown[] = {
		"xMemTotal: 1024 kB",
		"MemTotal: 18014398509481985 kB",
		"MemTotal: 18446744073709551617 kB",
	};
	struct bed *bed = *state;

	tree_write(&bed->tree, "proc/meminfo", "Cached: 3 kB\nMemTotal:        1048576 kB");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_limits(bed, "self", cases[i].memory, "9");
		bed->run.profile = cases[i].profile;
		expect(bed, CHECK_ID_memlock, cases[i].verdict,
		       cases[i].verdict == SEVERITY_OK
			       ? "memory can be pinned without a limit"
			       : "pinned memory is limited, so registering more fails");
		assert_string_equal(bed->results.items[0].expected, "unlimited");
	}
	/* If the memory size is unknown, only "unlimited" is enough. */
	bed->run.profile = PROFILE_HPC;
	put_limits(bed, "self", "1073741824", "9");
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++) {
		tree_write(&bed->tree, "proc/meminfo", unknown[i]);
		expect(bed, CHECK_ID_memlock, SEVERITY_WARNING,
		       "pinned memory is limited, so registering more fails");
	}
	tree_delete(&bed->tree, "proc/meminfo");
	expect(bed, CHECK_ID_memlock, SEVERITY_WARNING,
	       "pinned memory is limited, so registering more fails");
	/* CAP_IPC_LOCK is bit 14: include/uapi/linux/capability.h. */
	tree_write(&bed->tree, "proc/self/status", "CapEff:\t0000000000008000");
	expect(bed, CHECK_ID_memlock, SEVERITY_WARNING,
	       "pinned memory is limited, so registering more fails");
	tree_write(&bed->tree, "proc/self/status", "CapEff:\t0000000000004000");
	expect(bed, CHECK_ID_memlock, SEVERITY_OK,
	       "the limit on pinned memory does not apply to this process");
	tree_write(&bed->tree, "proc/self/uid_map", "         0          0 4294967295\n");
	expect(bed, CHECK_ID_memlock, SEVERITY_OK,
	       "the limit on pinned memory does not apply to this process");
	/* The capability only counts in the initial user namespace. */
	tree_write(&bed->tree, "proc/self/uid_map",
		   "         0       1000          1\n         1     100000      65536\n");
	bed->run.profile = PROFILE_CONTAINER;
	expect(bed, CHECK_ID_memlock, SEVERITY_WARNING,
	       "pinned memory is limited, so registering more fails");
	assert_string_equal(bed->results.items[0].finding.evidence,
			    "Max locked memory 1024 MiB (hard limit 1024 MiB), wanted "
			    "unlimited; "
			    "CAP_IPC_LOCK is held in a user namespace, where it does not lift the "
			    "limit");
	assert_string_equal(bed->results.items[0].finding.next_step,
			    "start the container with --ulimit memlock=-1");
	bed->run.profile = PROFILE_HPC;
	tree_write(&bed->tree, "proc/self/uid_map", "0 100000 65536\n");
	expect(bed, CHECK_ID_memlock, SEVERITY_WARNING,
	       "pinned memory is limited, so registering more fails");
}

/* A pod has no option for limits, and files of limits.d do not count in a container. */
static void pod(void **state)
{
	static const char few[] = "few files may be open at a time";
	char kubernetes[] = "KUBERNETES_SERVICE_HOST=10.0.0.1";
	char *environment[] = {kubernetes, NULL};
	struct bed *bed = *state;

	bed->run.profile = PROFILE_CONTAINER;
	bed->facts.environment = environment;
	put_limits(bed, "self", "1024", "9");
	assert_string_equal(run(bed, CHECK_ID_memlock)->finding.next_step,
			    "on the node: systemctl edit containerd (or crio): "
			    "LimitMEMLOCK=infinity below [Service], restart it, and start the pod "
			    "again, or, if it runs as root, give it CAP_IPC_LOCK");
	tree_write(&bed->tree, "proc/self/limits",
		   "Max open files            1024                 4096                 files\n");
	expect(bed, CHECK_ID_nofile, SEVERITY_NOTICE, few);
	assert_string_equal(bed->results.items[0].finding.next_step,
			    "on the node: systemctl edit containerd (or crio): "
			    "LimitNOFILE=1048576 below [Service], restart it, and start the pod "
			    "again");
	bed->facts.environment = NULL;
	expect(bed, CHECK_ID_nofile, SEVERITY_NOTICE, few);
	assert_string_equal(bed->results.items[0].finding.next_step,
			    "start the container with --ulimit nofile=1048576");
	bed->run.profile = PROFILE_HPC;
	/* The answer to whether it is a container is kept: another run. */
	bed->facts.container = TRISTATE_UNKNOWN;
	expect(bed, CHECK_ID_nofile, SEVERITY_NOTICE, few);
	assert_non_null(strstr(bed->results.items[0].finding.next_step, "limits.d"));
}

/* A user namespace with an identity mapping is still not the initial one. */
static void other_namespace(void **state)
{
	struct bed *bed = *state;
	int status;
	pid_t pid;

	put_limits(bed, "self", "1024", "9");
	tree_write(&bed->tree, "proc/self/status", "CapEff:\t0000000000004000");
	tree_write(&bed->tree, "proc/self/uid_map", "         0          0 4294967295\n");
	expect(bed, CHECK_ID_memlock, SEVERITY_OK,
	       "the limit on pinned memory does not apply to this process");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (unshare(CLONE_NEWUSER))
			_exit(0);
		bed->facts.root.live = true;
		_exit(run(bed, CHECK_ID_memlock)->finding.severity.value == SEVERITY_ERROR ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Files for root only are not a problem of the command for the root user of a user namespace. */
static void root_of_a_namespace(void **state)
{
	struct bed *bed = *state;
	const uid_t user = geteuid();
	int status;
	pid_t pid;

	tree_link(&bed->tree, "sys/kernel/security/lockdown", "!EACCES");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		FILE *map = unshare(CLONE_NEWUSER) ? NULL : fopen("/proc/self/uid_map", "w");

		if (!map || fprintf(map, "0 %u 1", (unsigned int)user) < 0 || fclose(map))
			_exit(0);
		run(bed, CHECK_ID_lockdown);
		_exit(!geteuid() && bed->results.items[0].needs.value == NEEDS_ROOT &&
				      !bed->problems.count
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void put_daemon(struct bed *bed, const char *pid, const char *name, const char *parent,
		       const char *group)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/%s/comm", pid);
	tree_write(&bed->tree, path, name);
	snprintf(path, sizeof(path), "proc/%s/status", pid);
	snprintf(text, sizeof(text), "PPid:\t%s\nUid:\t0\t0\t0\t0", parent);
	tree_write(&bed->tree, path, text);
	snprintf(path, sizeof(path), "proc/%s/cgroup", pid);
	snprintf(text, sizeof(text), "0::%s", group);
	tree_write(&bed->tree, path, text);
	put_limits(bed, pid, "8388608", "9");
}

/* What each daemon starts, and thus how much its limit matters. */
static void daemons(void **state)
{
	static const struct {
		const char *name, *summary;
		enum severity verdict, in_kubernetes;
	} cases[] = {
		{"slurmd", "jobs inherit a limit on pinned memory", SEVERITY_ERROR, SEVERITY_ERROR},
		{"pbs_mom", "jobs inherit a limit on pinned memory", SEVERITY_ERROR,
		 SEVERITY_ERROR},
		{"sshd", "logins probably inherit a limit on pinned memory", SEVERITY_WARNING,
		 SEVERITY_WARNING},
		{"crio", "containers inherit a limit on pinned memory", SEVERITY_NOTICE,
		 SEVERITY_ERROR},
		{"containerd", "containers inherit a limit on pinned memory", SEVERITY_NOTICE,
		 SEVERITY_ERROR},
		{"dockerd", "containers inherit a limit on pinned memory", SEVERITY_NOTICE,
		 SEVERITY_ERROR},
		{"kubelet",
		 "pinned memory of the daemon is limited; containers have the limit of their "
		 "runtime",
		 SEVERITY_NOTICE, SEVERITY_NOTICE},
	};
	struct bed *bed = *state;

	put_limits(bed, "self", "unlimited", "9");
	for (int kubernetes = 0; kubernetes < 2; kubernetes++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			const struct doctor_result *result;
			char object[32];

			snprintf(object, sizeof(object), "%s[70]", cases[i].name);
			tree_delete(&bed->tree, "proc/80");
			put_daemon(bed, "70", cases[i].name, "1", "/system.slice/x.service");
			if (kubernetes)
				put_daemon(bed, "80", "kubelet", "1", "/x.service");
			run(bed, CHECK_ID_memlock);
			assert_int_equal(bed->results.count, 2 + kubernetes);
			result = &bed->results.items[1];
			assert_string_equal(result->finding.object, object);
			assert_string_equal(result->finding.summary, cases[i].summary);
			assert_int_equal(result->finding.severity.value,
					 kubernetes ? cases[i].in_kubernetes : cases[i].verdict);
		}
	put_daemon(bed, "70", "bash", "1", "/x.service");
	run(bed, CHECK_ID_memlock);
	assert_int_equal(bed->results.count, 2);
}

/* The service of a daemon is the last one in the name of its control group. */
static void services(void **state)
{
	static const struct {
		const char *group, *unit;
	} cases[] = {
		{"/system.slice/slurmd.service", "slurmd.service"},
		{"/system.slice/my-slurm.service", "my-slurm.service"},
		{"/user.slice/user@0.service/app.slice/own.service", "own.service"},
		{"/system.slice/own.service/job_1", "own.service"},
		{"/system.slice/.service", "slurmd.service"},
		{"/system.slice/slurmd.scope", "slurmd.service"},
		/* systemd's name for a-b: a shell would drop the backslash. */
		{"/system.slice/a\\x2db.service", "'a\\x2db.service'"},
		{"/", "slurmd.service"},
	};
	struct bed *bed = *state;

	put_limits(bed, "self", "unlimited", "9");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *wanted = mem_format(
			"systemctl edit %s: LimitMEMLOCK=infinity below [Service], then systemctl "
			"restart %s, and keep Slurm from passing on the submitting shell's limit "
			"(PropagateResourceLimitsExcept=MEMLOCK)",
			cases[i].unit, cases[i].unit);

		put_daemon(bed, "70", "slurmd", "1", cases[i].group);
		run(bed, CHECK_ID_memlock);
		assert_string_equal(bed->results.items[1].finding.next_step, wanted);
	}
	put_daemon(bed, "70", "pbs_mom", "1", "/system.slice/pbs.service");
	run(bed, CHECK_ID_memlock);
	assert_string_equal(bed->results.items[1].finding.next_step,
			    "systemctl edit pbs.service: LimitMEMLOCK=infinity below [Service], "
			    "then systemctl restart pbs.service");
	put_daemon(bed, "70", "slurmd", "1", "/");
	/*
	 * Processes forked by a daemon have its limits; a different daemon below it has separate
	 * ones.
	 */
	put_daemon(bed, "71", "slurmd", "70", "/");
	put_daemon(bed, "72", "sshd", "70", "/");
	run(bed, CHECK_ID_memlock);
	assert_int_equal(bed->results.count, 3);
	assert_string_equal(bed->results.items[1].finding.object, "slurmd[70]");
	assert_string_equal(bed->results.items[2].finding.object, "sshd[72]");
	assert_non_null(
		strstr(bed->results.items[2].finding.next_step,
		       "systemctl restart sshd.service, or put '* - memlock unlimited' into "
		       "/etc/security/limits.d/rdma.conf, which applies to logins through PAM"));
	/* A saved tree may lack some of it. */
	tree_delete(&bed->tree, "proc/70/limits");
	run(bed, CHECK_ID_memlock);
	assert_string_equal(bed->results.items[1].finding.summary,
			    "the saved tree lacks the daemon's limit on pinned memory");
	assert_int_equal(bed->problems.count, 0);
}

/* A file missing from a saved tree is neither a fault nor a problem. */
static void what_a_tree_lacks(void **state)
{
	struct bed *bed = *state;

	expect(bed, CHECK_ID_numa_balancing, SEVERITY_INFO,
	       "the saved tree lacks the setting numa_balancing");
	assert_int_equal(bed->results.items[0].needs.value, NEEDS_LIVE);
	expect(bed, CHECK_ID_cpu_power, SEVERITY_INFO,
	       "the saved tree lacks the processors' frequency governor");
	expect(bed, CHECK_ID_hugepages, SEVERITY_INFO,
	       "the saved tree lacks the reserved huge pages");
	assert_null(run(bed, CHECK_ID_lockdown));
	assert_null(run(bed, CHECK_ID_pstore));
	assert_int_equal(bed->problems.count, 0);
	describe(bed, "x");
	expect(bed, CHECK_ID_node_desc, SEVERITY_INFO, "the saved tree lacks the host's name");
	assert_int_equal(bed->problems.count, 0);
	tree_link(&bed->tree, "proc/sys/kernel/hostname", "!EIO");
	expect(bed, CHECK_ID_node_desc, SEVERITY_INFO, "the host's name cannot be read");
	assert_int_equal(bed->problems.count, 1);
}

static void put_state(struct bed *bed, unsigned int number, const char *name, const char *latency,
		      const char *disable)
{
	const char *files[] = {"name", "latency", "disable"}, *texts[] = {name, latency, disable};
	char path[96];

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu0/cpuidle/state%u/%s",
			 number, files[i]);
		if (texts[i])
			tree_write(&bed->tree, path, texts[i]);
	}
}

/* The deepest state takes the longest to leave; a disabled or unknown one does not count. */
static void idle_states(void **state)
{
	struct bed *bed = *state;

	tree_directory(&bed->tree, "sys/devices/system/cpu/cpufreq");
#define EVIDENCE(text)                                                             \
	do {                                                                       \
		run(bed, CHECK_ID_cpu_power);                                      \
		assert_string_equal(bed->results.items[0].finding.evidence, text); \
	} while (0)
	EVIDENCE("no frequency scaling");
	put_state(bed, 0, "POLL", "0", "0");
	EVIDENCE("no frequency scaling; deepest idle state POLL takes 0 us to leave");
	put_state(bed, 1, "C6", "133", NULL);
	put_state(bed, 2, "C1", "2", "0");
	EVIDENCE("no frequency scaling; deepest idle state C6 takes 133 us to leave");
	put_state(bed, 3, "C8", "133", "0");
	EVIDENCE("no frequency scaling; deepest idle state C8 takes 133 us to leave");
	put_state(bed, 4, "C10", "800", "1");
	put_state(bed, 5, "C9", "many", "0");
	EVIDENCE("no frequency scaling; deepest idle state C8 takes 133 us to leave");
#undef EVIDENCE
}

/* Only directories named policy count, and only if they have a governor. */
static void governors(void **state)
{
	struct bed *bed = *state;

	tree_write(&bed->tree, "sys/devices/system/cpu/cpufreq/boost", "1");
	tree_directory(&bed->tree, "sys/devices/system/cpu/cpufreq/policy7");
	tree_directory(&bed->tree, "sys/devices/system/cpu/cpufreq/ondemand");
	tree_write(&bed->tree, "sys/devices/system/cpu/cpufreq/ondemand/scaling_governor", "x");
	expect(bed, CHECK_ID_cpu_power, SEVERITY_OK,
	       "the kernel does not scale the processors' frequency");
	for (unsigned int i = 0; i < 3; i++) {
		static const char *const words[] = {"performance", "powersave", "schedutil"};
		char path[96];

		snprintf(path, sizeof(path),
			 "sys/devices/system/cpu/cpufreq/policy%u/scaling_governor", i);
		tree_write(&bed->tree, path, words[i]);
	}
	expect(bed, CHECK_ID_cpu_power, SEVERITY_NOTICE,
	       "processors do not always run at their full frequency");
	assert_string_equal(bed->results.items[0].finding.evidence,
			    "governor powersave (?) on 2 of 3 policies, wanted performance");
}

static void put_pages(struct bed *bed, const char *size, const char *total, const char *unused)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/kernel/mm/hugepages/%s/nr_hugepages", size);
	tree_write(&bed->tree, path, total);
	snprintf(path, sizeof(path), "sys/kernel/mm/hugepages/%s/free_hugepages", size);
	tree_write(&bed->tree, path, unused);
}

/* One exhausted size is reported, even if another is not. */
static void huge_pages(void **state)
{
	struct bed *bed = *state;

	put_pages(bed, "hugepages-1048576kB", "4", "0");
	put_pages(bed, "hugepages-2048kB", "10", "1");
	put_pages(bed, "hugepages-64kB", "0", "0");
	expect(bed, CHECK_ID_hugepages, SEVERITY_NOTICE, "reserved huge pages are used up");
	assert_string_equal(bed->results.items[0].finding.evidence,
			    "hugepages-2048kB: 1 of 10 free; hugepages-1048576kB: 0 of 4 free");
	put_pages(bed, "hugepages-1048576kB", "4", "4");
	expect(bed, CHECK_ID_hugepages, SEVERITY_OK, "reserved huge pages are free");
	/* A mapping that has not touched its pages yet has reserved them. */
	tree_write(&bed->tree, "sys/kernel/mm/hugepages/hugepages-2048kB/resv_hugepages", "1");
	expect(bed, CHECK_ID_hugepages, SEVERITY_NOTICE, "reserved huge pages are used up");
	assert_non_null(
		strstr(bed->results.items[0].finding.evidence,
		       "hugepages-2048kB: 0 of 10 free, not counting those of resv_hugepages"));
}

/* rdma-ndd writes the name up to the first dot. */
static void names(void **state)
{
	static const struct {
		const char *host, *description;
		bool names_it;
	} cases[] = {
		{"node1", "node1 HCA-1", true},
		{"node1.example.org", "node1 mlx5_0", true},
		{"node1", "MT4119", false},
		{"node1", "node", false},
		{"", "node1", false},
		{".example.org", "x", false},
		{"node1", "node12 mlx5_0", false},
		{"node1", "gnode1 node12", false},
		{"node1", "node12 node1", true},
		{"node1", "mlx5_0/node1-hca", true},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&bed->tree, "proc/sys/kernel/hostname", cases[i].host);
		describe(bed, cases[i].description);
		expect(bed, CHECK_ID_node_desc, cases[i].names_it ? SEVERITY_OK : SEVERITY_NOTICE,
		       cases[i].names_it ? "the node description names the host"
					 : "the node description does not name the host");
	}
}

static void lockdown(void **state)
{
	static const struct {
		const char *text;
		enum severity verdict;
	} cases[] = {
		{"[none] integrity confidentiality", SEVERITY_OK},
		{"none [integrity] confidentiality", SEVERITY_NOTICE},
		{"none integrity [confidentiality]", SEVERITY_NOTICE},
		{"none integrity", SEVERITY_INFO},
		{"none [integrity", SEVERITY_INFO},
		{"]none[", SEVERITY_INFO},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&bed->tree, "sys/kernel/security/lockdown", cases[i].text);
		assert_int_equal(run(bed, CHECK_ID_lockdown)->finding.severity.value,
				 cases[i].verdict);
	}
	assert_int_equal(bed->problems.count, 3);
}

/*
 * The newest record is found by its time, wherever it is in the list; other files are not records.
 */
static void crashes(void **state)
{
	static const char *const files[] = {"dmesg-efi-1", "dmesg-efi-2", "dmesg-efi-3",
					    "console-1"};
	static const time_t times[] = {1000000, 3000000, 2000000, 9000000};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct timespec both[2] = {{.tv_sec = times[i]}, {.tv_sec = times[i]}};
		char path[64];

		snprintf(path, sizeof(path), "sys/fs/pstore/%s", files[i]);
		tree_write(&bed->tree, path, "x");
		assert_int_equal(utimensat(bed->tree.root.fd, path, both, 0), 0);
	}
	expect(bed, CHECK_ID_pstore, SEVERITY_NOTICE, "the kernel has saved a record of a crash");
	assert_string_equal(bed->results.items[0].finding.evidence,
			    "3 dmesg records, the newest of 1970-02-04T17:20:00Z");
}

/* The files are read once a run. */
static void next_run(struct bed *bed)
{
	doctor_limits_free(bed->facts.limits);
	bed->facts.limits = NULL;
}

static void assert_setting(struct bed *bed, const char *wanted, const char *from)
{
	_cleanup_(freep) char *source = NULL;
	_cleanup_(freep) char *value = doctor_setting(&bed->facts, "NCCL_IB_HCA", &source);

	assert_string_equal(value, wanted);
	assert_string_equal(source, from);
	next_run(bed);
}

/* The environment, the user's file, the host's file: the first that has the setting. */
static void nccl_settings(void **state)
{
	char home[PATH_MAX + 8], file[PATH_MAX + 32], variable[] = "NCCL_IB_HCA=env";
	char *environment[4] = {NULL};
	struct bed *bed = *state;
	_cleanup_(freep) char *none = NULL, *path = NULL;

	tree_write(&bed->tree, "etc/nccl.conf", "UCX_NET_DEVICES=host");
	assert_null(doctor_setting(&bed->facts, "NCCL_IB_HCA", &none));
	tree_write(&bed->tree, "etc/nccl.conf", "NCCL_IB_HCA=host\nUCX_NET_DEVICES=host");
	assert_null(doctor_setting(&bed->facts, "NCCL_IB_HCA", &none));
	next_run(bed);
	assert_setting(bed, "host", "/etc/nccl.conf");
	/* These files belong to NCCL. */
	assert_null(doctor_setting(&bed->facts, "UCX_NET_DEVICES", &none));
	assert_null(none);
	snprintf(home, sizeof(home), "HOME=%s", bed->tree.path);
	snprintf(file, sizeof(file), "NCCL_CONF_FILE=%s/own", bed->tree.path);
	path = mem_format("%s/.nccl.conf", bed->tree.path);
	bed->facts.environment = environment;
	environment[0] = home;
	assert_setting(bed, "host", "/etc/nccl.conf");
	tree_write(&bed->tree, ".nccl.conf", "NCCL_IB_HCA=home");
	assert_setting(bed, "home", path);
	tree_write(&bed->tree, "own", "NCCL_IB_HCA=own");
	environment[1] = file;
	assert_setting(bed, "own", file + strlen("NCCL_CONF_FILE="));
	/*
	 * An empty file name does not count, and a file without the setting does not hide the
	 * host's.
	 */
	file[strlen("NCCL_CONF_FILE=")] = '\0';
	assert_setting(bed, "home", path);
	tree_write(&bed->tree, ".nccl.conf", "NCCL_DEBUG=INFO");
	assert_setting(bed, "host", "/etc/nccl.conf");
	environment[2] = variable;
	assert_setting(bed, "env", "environment");
}

static void assert_ucx(struct bed *bed, const char *wanted, const char *from)
{
	_cleanup_(freep) char *source = NULL;
	_cleanup_(freep) char *value = doctor_setting(&bed->facts, "UCX_TLS", &source);

	assert_string_equal(value, wanted);
	assert_string_equal(source, from);
	next_run(bed);
}

/* The environment, the folder that it names, the user's file, the host's file. */
static void ucx_settings(void **state)
{
	char home[PATH_MAX + 8], folder[PATH_MAX + 24], variable[] = "UCX_TLS=env";
	char *environment[4] = {NULL};
	struct bed *bed = *state;
	_cleanup_(freep) char *own = mem_format("%s/own/ucx.conf", bed->tree.path);
	_cleanup_(freep) char *path = mem_format("%s/ucx.conf", bed->tree.path), *none = NULL;

	tree_write(&bed->tree, "etc/ucx/ucx.conf", "UCX_TLS=host\nNCCL_IB_HCA=host");
	assert_ucx(bed, "host", "/etc/ucx/ucx.conf");
	assert_null(doctor_setting(&bed->facts, "NCCL_IB_HCA", &none));
	next_run(bed);
	snprintf(home, sizeof(home), "HOME=%s", bed->tree.path);
	snprintf(folder, sizeof(folder), "UCX_CONFIG_DIR=%s/own", bed->tree.path);
	bed->facts.environment = environment;
	environment[0] = home;
	assert_ucx(bed, "host", "/etc/ucx/ucx.conf");
	tree_write(&bed->tree, "ucx.conf", "UCX_TLS=home");
	assert_ucx(bed, "home", path);
	environment[1] = folder;
	assert_ucx(bed, "home", path);
	tree_write(&bed->tree, "own/ucx.conf", "UCX_TLS=own");
	assert_ucx(bed, "own", own);
	environment[2] = variable;
	assert_ucx(bed, "env", "environment");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(open_files),      TEST(this_shell),	TEST(pod),
		TEST(other_namespace), TEST(daemons),		TEST(services),
		TEST(governors),       TEST(idle_states),	TEST(huge_pages),
		TEST(names),	       TEST(lockdown),		TEST(crashes),
		TEST(nccl_settings),   TEST(what_a_tree_lacks), TEST(root_of_a_namespace),
		TEST(ucx_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
