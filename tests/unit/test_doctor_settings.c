/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of settings that name devices, of control groups, of controlled Q_Keys and of
 * interrupts, and the advice about daemons: everything that they report.
 */
#include <errno.h>

#include "base/cleanup.h"
#include "borrowed.h"
#include "doctor/limits/limits.h"
#include "doctor_told.h"
#include "kernel/netlink/nldev.h"
#include "kernel/recording.h"
#include "netlink_message.h"

#define FUNCTION "sys/devices/pci0000:00/0000:01:00.0"

static int set_up(void **state)
{
	struct device *device;
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	device = device_list_add(&bed->facts.inventory.devices, "mlx5_0");
	device->pci_address = mem_string("0000:01:00.0");
	bed->run.device = device;
	bed->run.profile = PROFILE_HPC;
	bed->request.root = bed->tree.path;
	tree_write(&bed->tree, FUNCTION "/vendor", "0x15b3");
	tree_on_bus(&bed->tree, "pci0000:00/0000:01:00.0");
	return 0;
}

static void run(struct bed *bed, enum doctor_check_id id)
{
	doctor_limits_free(bed->facts.limits);
	bed->facts.limits = NULL;
	pci_list_clear(&bed->facts.pci);
	bed->facts.pci = (struct pci_list){.items = NULL};
	bed->facts.pci_was_read = false;
	doctor_pci(&bed->facts);
	assert_int_equal(bed->facts.pci_rc, 0);
	bed->run.function = pci_list_find(&bed->facts.pci, "0000:01:00.0");
	bed_run(bed, id);
}

/* A variable, the missing objects that it names, and the names that exist. */
static void names(void **state)
{
	static const char devices[] = "the names are mlx5_0, mlx5_1, mlx5_bond_0";
	static const char ports[] = "the names are mlx5_0:1, mlx5_1:2, mlx5_bond_0:1";
	static const char netdevs[] = "the names are eth0, ib0";
	static const struct {
		const char *variable, *missing; /* NULL: all of them exist */
		const char *guess;
		bool exact, excludes, of_netdevs;
	} cases[] = {
		{"NCCL_IB_HCA=mlx5_0", NULL, NULL, false, false, false},
		{"NCCL_IB_HCA=mlx5", NULL, NULL, false, false, false},
		{"NCCL_IB_HCA=mlx5_0:1,mlx5_1:2", NULL, NULL, false, false, false},
		{"NCCL_IB_HCA=mlx5:2", NULL, NULL, false, false, false},
		{"NCCL_IB_HCA=mlx5_0,mlx5_2", "mlx5_2", NULL, false, false, false},
		{"NCCL_IB_HCA=mlx50", "mlx50", "mlx5_0", false, false, false},
		{"NCCL_IB_HCA=mlx5_0:2", "mlx5_0:2", "mlx5_0:1", false, false, false},
		{"NCCL_IB_HCA==mlx5", "mlx5", NULL, true, false, false},
		{"NCCL_IB_HCA=qedr0,mlx5_9:1,mlx5_1", "qedr0, mlx5_9:1", NULL, false, false, false},
		{"NCCL_IB_HCA=^mlx5_2", "mlx5_2", NULL, false, true, false},
		{"NCCL_IB_HCA=^=mlx5_0", NULL, NULL, false, true, false},
		{"NCCL_SOCKET_IFNAME=ib", NULL, NULL, false, false, true},
		{"NCCL_SOCKET_IFNAME==ib", "ib", NULL, true, false, true},
		{"NCCL_SOCKET_IFNAME=^docker", NULL, NULL, false, true, true},
		{"NCCL_SOCKET_IFNAME=mlx5_0", "mlx5_0", NULL, false, false, true},
		{"UCX_NET_DEVICES=mlx5_0:1,ib0", NULL, NULL, true, false, false},
		{"UCX_NET_DEVICES=all", NULL, NULL, true, false, false},
		{"UCX_NET_DEVICES=ib0:1", "ib0:1", NULL, true, false, false},
		{"UCX_NET_DEVICES=mlx5_[0-2]:1", "mlx5_1:1, mlx5_2:1", "mlx5_1:2", true, false,
		 false},
		{"UCX_NET_DEVICES=mlx5_2", "mlx5_2", NULL, true, false, false},
		{"UCX_NET_DEVICES=mlx5:1", "mlx5:1", NULL, true, false, false},
		{"UCX_NET_DEVICES=^mlx5_7:1", "mlx5_7:1", NULL, true, true, false},
	};
	struct bed *bed = *state;
	char *environment[2] = {NULL};

	bed->facts.environment = environment;
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_0/ports/1");
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_1/ports/2");
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_bond_0/ports/1");
	tree_directory(&bed->tree, "sys/class/net/ib0");
	tree_directory(&bed->tree, "sys/class/net/eth0");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "%s", "");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *variable = mem_string(cases[i].variable);
		_cleanup_(freep) char *name = mem_format("%.*s", (int)strcspn(variable, "="),
							 variable);

		environment[0] = variable;
		run(bed, CHECK_ID_stale_env);
		if (!cases[i].missing)
			assert_told(bed,
				    "ok %s: the setting fits the devices of the host | %s "
				    "(environment) < environment\n",
				    name, variable);
		else
			assert_told(bed,
				    "%s %s: the setting %s devices that do not exist | %s "
				    "(environment); nothing is called %s%s < environment -> "
				    "correct %s: %s%s%s%s\n",
				    cases[i].excludes ? "note" : "warning", name,
				    cases[i].excludes ? "excludes" : "names", variable,
				    cases[i].missing,
				    cases[i].exact ? "" : ", or has a name that begins like that",
				    name, cases[i].guess ? "did you mean " : "",
				    cases[i].guess ? cases[i].guess : "",
				    cases[i].guess ? "? " : "",
				    cases[i].of_netdevs				    ? netdevs
				    : cases[i].guess && strchr(cases[i].guess, ':') ? ports
				    : !strncmp(variable, "UCX_", 4)		    ? ports
										    : devices);
	}
}

/* Job scripts list the prefixes of all their hosts' netdevs. */
static void prefixes(void **state)
{
	struct bed *bed = *state;
	char *environment[2] = {borrowed("NCCL_SOCKET_IFNAME=en,eth,em,bond")};

	bed->facts.environment = environment;
	tree_directory(&bed->tree, "sys/class/net/eth0");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "note NCCL_SOCKET_IFNAME: not every name in the setting matches a netdev "
			 "| NCCL_SOCKET_IFNAME=en,eth,em,bond (environment); nothing is called en, "
			 "em, bond, or has a name that begins like that < environment -> nothing "
			 "to do if the list is for several kinds of hosts, such as en,eth,bond\n");
	/* A name with a slip is no prefix, and every host has lo. */
	tree_directory(&bed->tree, "sys/class/net/lo");
	environment[0] = borrowed("NCCL_SOCKET_IFNAME=eth,bond,ethO");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "warning NCCL_SOCKET_IFNAME: the setting names devices that do not exist "
			 "| NCCL_SOCKET_IFNAME=eth,bond,ethO (environment); nothing is called "
			 "bond, ethO, or has a name that begins like that < environment -> "
			 "correct NCCL_SOCKET_IFNAME: did you mean eth0? the names are eth0, lo\n");
	environment[0] = borrowed("NCCL_SOCKET_IFNAME=lo,bond");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "warning NCCL_SOCKET_IFNAME: the setting names devices that do not exist "
			 "| NCCL_SOCKET_IFNAME=lo,bond (environment); nothing is called bond, or "
			 "has a name that begins like that < environment -> correct "
			 "NCCL_SOCKET_IFNAME: the names are eth0, lo\n");
	/* Exact names are no prefixes. */
	environment[0] = borrowed("NCCL_SOCKET_IFNAME==eth0,eth1");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "warning NCCL_SOCKET_IFNAME: the setting names devices that do not exist "
			 "| NCCL_SOCKET_IFNAME==eth0,eth1 (environment); nothing is called eth1 "
			 "< environment -> correct NCCL_SOCKET_IFNAME: the names are eth0, lo\n");
}

/* openucx/ucx#11142: before that, UCX's device names include the port. */
static void without_port(void **state)
{
	static const struct {
		const char *value, *ports; /* NULL: nothing to report */
	} cases[] = {
		{"mlx5_0:1", NULL},
		{"all", NULL},
		{"mlx5_0", "mlx5_0:1"},
		{"^mlx5_1,ib0", "mlx5_1:2"},
		{"mlx5_bond_0:1,mlx5_[0-1]", "mlx5_0:1, mlx5_1:2"},
	};
	struct bed *bed = *state;
	char *environment[2] = {NULL};

	bed->facts.environment = environment;
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_0/ports/1");
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_1/ports/2");
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_bond_0/ports/1");
	tree_directory(&bed->tree, "sys/class/net/ib0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *variable = mem_format("UCX_NET_DEVICES=%s", cases[i].value);
		_cleanup_(freep) char *step = mem_format(" -> name the ports: %s",
							 cases[i].ports ? cases[i].ports : "");

		environment[0] = variable;
		run(bed, CHECK_ID_stale_env);
		assert_told(bed, "%s UCX_NET_DEVICES: %s | %s (environment) < environment%s\n",
			    cases[i].ports ? "note" : "ok",
			    cases[i].ports
				    ? "UCX before 1.21 does not recognise a device without its port"
				    : "the setting fits the devices of the host",
			    variable, cases[i].ports ? step : "");
	}
}

/* Lists without an RDMA device or transport of UCX are a note. */
static void ucx_without_rdma(void **state)
{
	static const struct {
		const char *variable, *verdict;
	} cases[] = {
		{"UCX_NET_DEVICES=ib0", "note UCX_NET_DEVICES: UCX uses no RDMA device with this "
					"setting"},
		{"UCX_NET_DEVICES=^ib0", "ok UCX_NET_DEVICES: the setting fits the devices of the "
					 "host"},
		{"UCX_TLS=tcp,self,sm", "note UCX_TLS: UCX sends no messages by RDMA with this "
					"setting"},
		{"UCX_TLS=rc,self,sm", "ok UCX_TLS: the setting does not keep UCX from using RDMA"},
	};
	struct bed *bed = *state;
	char *environment[2] = {NULL};

	bed->facts.environment = environment;
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_0/ports/1");
	tree_directory(&bed->tree, "sys/class/net/ib0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *step = *cases[i].verdict == 'o' ? ""
				   : strstr(cases[i].variable, "TLS")
					   ? " -> remove UCX_TLS, or let it have ib, "
					     "without ^, unless UCX is meant to use TCP"
					   : " -> add RDMA devices to UCX_NET_DEVICES, or remove "
					     "it, unless UCX is meant to use TCP: rdmactl devices "
					     "lists the names";

		environment[0] = borrowed(cases[i].variable);
		run(bed, CHECK_ID_stale_env);
		assert_told(bed, "%s | %s (environment) < environment%s\n", cases[i].verdict,
			    cases[i].variable, step);
	}
}

/* A device whose driver is not known may be one of mlx5, unless it is a software device. */
static void ucx_without_driver(void **state)
{
	struct bed *bed = *state;
	char *environment[] = {borrowed("UCX_TLS=dc"), NULL};

	bed->facts.environment = environment;
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_0/ports/1");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "ok UCX_TLS: the setting does not keep UCX from using RDMA | UCX_TLS=dc "
			 "(environment) < environment\n");
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_0/parent", "eth0");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "note UCX_TLS: UCX sends no messages by RDMA with this setting | "
			 "UCX_TLS=dc (environment) < environment -> remove UCX_TLS, or let it have "
			 "ib, without ^, unless UCX is meant to use TCP\n");
}

/* FI_PROVIDER matters on hosts with EFA only. */
static void libfabric(void **state)
{
	static const struct {
		const char *value;
		bool efa;
	} cases[] = {
		{"efa", true},		{"tcp,EFA", true},   {"efa;ofi_rxd", true}, {"^tcp", true},
		{"^efa;ofi_rxd", true}, {"tcp", false},	     {"verbs,efa2", false}, {"^efa", false},
		{"^tcp,efa", false},	{"^shm,Efa", false},
	};
	struct bed *bed = *state;
	char *environment[2] = {NULL};

	bed->facts.environment = environment;
	environment[0] = borrowed("FI_PROVIDER=tcp");
	tree_directory(&bed->tree, "sys/class/infiniband/mlx5_0/ports/1");
	tree_write(&bed->tree, "sys/class/infiniband/mlx5_0/device/uevent", "DRIVER=mlx5_core");
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "%s", "");
	tree_directory(&bed->tree, "sys/class/infiniband/efa_0/ports/1");
	tree_write(&bed->tree, "sys/class/infiniband/efa_0/device/uevent", "DRIVER=efa");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *variable = mem_format("FI_PROVIDER=%s", cases[i].value);

		environment[0] = variable;
		run(bed, CHECK_ID_stale_env);
		if (cases[i].efa)
			assert_told(
				bed,
				"ok FI_PROVIDER: the setting does not keep libfabric from using "
				"EFA | %s (environment) < environment\n",
				variable);
		else
			assert_told(
				bed,
				"note FI_PROVIDER: libfabric does not use EFA with this setting "
				"| %s (environment) < environment -> remove FI_PROVIDER, or let "
				"it have efa, unless libfabric is meant to use TCP\n",
				variable);
	}
}

/*
 * libfabric takes its own file before the environment if told to, in either of them. There are two
 * libfabrics, of which each reads only its own file.
 */
static void libfabric_file(void **state)
{
	static const char host[] = "/etc/libfabric.conf", amazon[] = "/opt/amazon/efa/etc/"
								     "libfabric.conf";
	static const struct {
		const char *prefer, *provider; /* in the environment; NULL: not set */
		const char *host, *amazon;     /* the files; NULL: none */
		const char *value, *source;    /* NULL: not set */
	} cases[] = {
		{NULL, NULL, "FI_PROVIDER=tcp\nFI_PROVIDER=efa", NULL, "tcp", host},
		{NULL, NULL, "FI_PROVIDER=tcp", "FI_PROVIDER=efa", "efa", amazon},
		{NULL, NULL, "FI_PROVIDER=tcp", "FI_HMEM=cuda", NULL, NULL},
		{NULL, "efa", "FI_PREFER_SYSCONFIG=1", "FI_PROVIDER=tcp", "efa", "environment"},
		{NULL, "efa", "FI_PROVIDER=tcp", "FI_PREFER_SYSCONFIG=1", "efa", "environment"},
		{NULL, NULL, "#FI_PROVIDER=tcp\n FI_PROVIDER=tcp\nfi_provider=tcp", NULL, NULL,
		 NULL},
		{NULL, "efa", "FI_PROVIDER=tcp", NULL, "efa", "environment"},
		{"1", "efa", "FI_PROVIDER=tcp", NULL, "tcp", host},
		{"YES", "efa", "FI_PROVIDER=tcp", NULL, "tcp", host},
		{"1", "efa", "FI_HMEM=cuda", NULL, "efa", "environment"},
		{"2", "efa", "FI_PROVIDER=tcp", NULL, "efa", "environment"},
		{NULL, "efa", "FI_PROVIDER=tcp\nFI_PREFER_SYSCONFIG=true", NULL, "tcp", host},
		{"off", "efa", "FI_PROVIDER=tcp\nFI_PREFER_SYSCONFIG=true", NULL, "efa",
		 "environment"},
	};
	struct bed *bed = *state;

	for_each_in (row, cases, ARRAY_SIZE(cases)) {
		_cleanup_(freep) char *prefer = mem_format("FI_PREFER_SYSCONFIG=%s",
							   row->prefer ?: "");
		_cleanup_(freep) char *provider = mem_format("FI_PROVIDER=%s", row->provider ?: "");
		_cleanup_(freep) char *value = NULL, *source = NULL;
		char *environment[3] = {row->provider ? provider : borrowed("A=1"),
					row->prefer ? prefer : NULL, NULL};

		bed->facts.environment = environment;
		if (row->host)
			tree_write(&bed->tree, host + 1, row->host);
		if (row->amazon)
			tree_write(&bed->tree, amazon + 1, row->amazon);
		value = doctor_setting(&bed->facts, "FI_PROVIDER", &source);
		if (row->value)
			assert_string_equal(value, row->value);
		else
			assert_null(value);
		if (row->source)
			assert_string_equal(source, row->source);
		if (row->host)
			tree_delete(&bed->tree, host + 1);
		if (row->amazon)
			tree_delete(&bed->tree, "opt/amazon/efa");
		doctor_limits_free(bed->facts.limits);
		bed->facts.limits = NULL;
	}
}

/* Several settings, one of them empty; up to 120 characters of a value are shown. */
static void several(void **state)
{
	char value[160] = "NCCL_IB_HCA=";
	char *environment[] = {borrowed("NCCL_SOCKET_IFNAME="), borrowed("NCCL_IB_GID_INDEX=3"),
			       value, NULL};
	struct bed *bed = *state;
	char path[64];

	bed->facts.environment = environment;
	run(bed, CHECK_ID_stale_env);
	assert_told(bed, "note NCCL_IB_GID_INDEX: a fixed GID index can become wrong when an "
			 "address changes | NCCL_IB_GID_INDEX=3 (environment) < environment -> "
			 "remove NCCL_IB_GID_INDEX: NCCL 2.21 and later choose the GID themselves; "
			 "rdmactl gids shows the current indexes\n");
	environment[1] = borrowed("NCCL_IB_GID_INDEX=-1");
	for (unsigned int i = 0; i < 9; i++) {
		snprintf(path, sizeof(path), "sys/class/infiniband/d%u", i);
		tree_directory(&bed->tree, path);
	}
	memset(value + strlen(value), 'x', 121);
	run(bed, CHECK_ID_stale_env);
	assert_told(bed,
		    "warning NCCL_IB_HCA: the setting names devices that do not exist | "
		    "NCCL_IB_HCA=%.120s (environment); nothing is called %s, or has a name that "
		    "begins like that < environment -> correct NCCL_IB_HCA: the names are d0, d1, "
		    "d2, d3, d4, d5, d6, d7 ...\n"
		    "ok NCCL_IB_GID_INDEX: the library chooses the GID | NCCL_IB_GID_INDEX=-1 "
		    "(environment) < environment\n",
		    value + strlen("NCCL_IB_HCA="), value + strlen("NCCL_IB_HCA="));
	tree_delete(&bed->tree, "sys/class/infiniband/d8");
	run(bed, CHECK_ID_stale_env);
	assert_null(strstr(bed->results.items[0].finding.next_step, "..."));
	tree_delete(&bed->tree, "sys/class/infiniband");
	run(bed, CHECK_ID_stale_env);
	assert_string_equal(bed_last(bed)[-1].finding.next_step,
			    "correct NCCL_IB_HCA: there are no names to choose from");
}

static void put_quota(struct bed *bed, const char *group, const char *most, const char *used)
{
	char path[96];

	snprintf(path, sizeof(path), "sys/fs/cgroup/%s/rdma.max", group);
	tree_write(&bed->tree, path, most);
	snprintf(path, sizeof(path), "sys/fs/cgroup/%s/rdma.current", group);
	tree_write(&bed->tree, path, used);
}

/* Quotas of the group itself and of its parent groups. */
static void quotas(void **state)
{
	struct bed *bed = *state;

	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "not-checked mlx5_0: the saved tree lacks the control group | the saved "
			 "tree has no /proc/self/cgroup < /proc/self/cgroup needs 2\n");
	tree_write(&bed->tree, "proc/self/mountinfo",
		   "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw");
	tree_write(&bed->tree, "proc/self/cgroup", "0::/jobs/one");
	/* As after nsenter -C. */
	tree_write(&bed->tree, "proc/self/cgroup", "0::/../jobs/one");
	bed->facts.root.live = bed->facts.root.below = true;
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "not-checked mlx5_0: the control group cannot be seen from here\n");
	bed->facts.root.live = bed->facts.root.below = false;
	tree_write(&bed->tree, "proc/self/cgroup", "0::/jobs/one");
	tree_directory(&bed->tree, "sys/fs/cgroup/jobs/one");
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "ok mlx5_0: no control group limits RDMA objects | 0 groups with the "
			 "controller, none with a limit < rdma.max\n");
	put_quota(bed, "jobs/one", "mlx5_1 hca_handle=1 hca_object=1",
		  "mlx5_1 hca_handle=1 hca_object=1");
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "ok mlx5_0: no control group limits RDMA objects | 1 group with the "
			 "controller, none with a limit < rdma.max\n");
	put_quota(bed, "jobs",
		  "mlx5_1 hca_handle=1 hca_object=1\nmlx5_0 hca_handle=max "
		  "hca_object=20",
		  "mlx5_0 hca_handle=9 hca_object=19");
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "note mlx5_0: a control group limits the RDMA objects of this process | "
			 "/jobs: hca_object 19 of at most 20 < rdma.max -> the remedy\n");
	put_quota(bed, "jobs", "mlx5_0 hca_handle=max hca_object=20",
		  "mlx5_0 hca_handle=9 hca_object=20");
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "error mlx5_0: a control group's quota of RDMA objects is used up | "
			 "/jobs: hca_object 20 of at most 20 < rdma.max -> the remedy\n");
	put_quota(bed, "jobs/one", "mlx5_0 hca_handle=10 hca_object=max", "");
	put_quota(bed, "jobs", "mlx5_0 hca_handle=4 hca_object=20",
		  "mlx5_0 hca_handle=3 hca_object=21");
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "error mlx5_0: a control group's quota of RDMA objects is used up | "
			 "/jobs/one: hca_handle 0 of at most 10; /jobs: hca_handle 3 of at most 4; "
			 "/jobs: hca_object 21 of at most 20 < rdma.max -> the remedy\n");
	put_quota(bed, "jobs", "mlx5_0 hca_handle=max hca_object=max", "");
	run(bed, CHECK_ID_rdma_cgroup);
	assert_told(bed, "note mlx5_0: a control group limits the RDMA objects of this process | "
			 "/jobs/one: hca_handle 0 of at most 10 < rdma.max -> the remedy\n");
}

static void put_irq(struct bed *bed, unsigned int number, const char *processors)
{
	char path[96];

	snprintf(path, sizeof(path), FUNCTION "/msi_irqs/%u", number);
	tree_write(&bed->tree, path, "msix");
	snprintf(path, sizeof(path), "proc/irq/%u/effective_affinity_list", number);
	if (processors)
		tree_write(&bed->tree, path, processors);
}

static void interrupts(void **state)
{
	static const char file[] = "/proc/irq/N/effective_affinity_list";
	struct bed *bed = *state;

	run(bed, CHECK_ID_irq_local);
	assert_told(bed, "not-checked mlx5_0: the device's local processors are not known\n");
	tree_write(&bed->tree, FUNCTION "/local_cpulist", "0-3,8");
	run(bed, CHECK_ID_irq_local);
	assert_told(bed, "not-checked mlx5_0: the device has no message-signalled "
			 "interrupts\n");
	put_irq(bed, 30, NULL);
	tree_write(&bed->tree, FUNCTION "/msi_irqs/a", "x");
	run(bed, CHECK_ID_irq_local);
	assert_told(bed,
		    "not-checked mlx5_0: the saved tree lacks the processors that serve the "
		    "interrupts | the saved tree has no %s < %s needs 2\n",
		    file, file);
	bed->facts.root.live = bed->facts.root.below = true;
	run(bed, CHECK_ID_irq_local);
	assert_told(bed, "not-checked mlx5_0: the kernel does not report which processors serve "
			 "interrupts\n");
	bed->facts.root.live = bed->facts.root.below = false;
	put_irq(bed, 31, "");
	put_irq(bed, 32, "8");
	put_irq(bed, 33, "3-4");
	run(bed, CHECK_ID_irq_local);
	assert_told(bed,
		    "ok mlx5_0: processors close to the device serve its interrupts | 0 "
		    "of 2 interrupts on processors other than 0-3,8 < %s\n",
		    file);
	put_irq(bed, 34, "4-7");
	put_irq(bed, 35, "9");
	put_irq(bed, 36, "0");
	run(bed, CHECK_ID_irq_local);
	assert_told(bed,
		    "note mlx5_0: processors far from the device serve its interrupts | "
		    "2 of 5 interrupts on processors other than 0-3,8; such as 34 on 4-7 < %s "
		    "-> the remedy\n",
		    file);
	tree_delete(&bed->tree, FUNCTION "/msi_irqs");
	tree_link(&bed->tree, FUNCTION "/msi_irqs", "!EIO");
	run(bed, CHECK_ID_irq_local);
	assert_told(bed,
		    "not-checked mlx5_0: the interrupts cannot be read | %s < msi_irqs\n"
		    "unread mlx5_0: the interrupts < msi_irqs: %s\n",
		    strerror(EIO), strerror(EIO));
}

static void put_limit(struct bed *bed, const char *pid, const char *soft)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/%s/limits", pid);
	snprintf(text, sizeof(text), "Max locked memory         %-20s %-20s bytes", soft,
		 "unlimited");
	tree_write(&bed->tree, path, text);
}

static void put_daemon(struct bed *bed, const char *pid, const char *name, const char *parent,
		       const char *user)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "proc/%s/comm", pid);
	tree_write(&bed->tree, path, name);
	snprintf(path, sizeof(path), "proc/%s/status", pid);
	snprintf(text, sizeof(text), "PPid:\t%s\nUid:\t%s\t%s\t%s\t%s", parent, user, user, user,
		 user);
	tree_write(&bed->tree, path, text);
	put_limit(bed, pid, "8388609");
}

/* Where the limit of a daemon is set, and how to change it. */
static void daemons(void **state)
{
	static const char shell[] =
		"ok this shell: memory can be pinned without a limit | Max locked memory unlimited "
		"(hard limit unlimited), wanted unlimited < /proc/self/limits [unlimited, wanted "
		"unlimited]\n";
	static const char jobs[] =
		"warning slurmd[70]: jobs inherit a limit on pinned memory | Max locked memory "
		"8388609 bytes (hard limit unlimited), wanted unlimited";
	static const char edit[] =
		"-> systemctl edit slurmd.service: LimitMEMLOCK=infinity below [Service], then "
		"systemctl restart slurmd.service, and keep Slurm from passing on the submitting "
		"shell's limit (PropagateResourceLimitsExcept=MEMLOCK) [8388609 bytes, wanted "
		"unlimited]\n";
	struct bed *bed = *state;

	put_limit(bed, "self", "unlimited");
	put_daemon(bed, "70", "slurmd", "1", "0");
	/* One of a user, and one started by a daemon of the same name. */
	put_daemon(bed, "71", "sshd", "1", "1000");
	put_daemon(bed, "72", "slurmd", "70", "0");
	run(bed, CHECK_ID_memlock);
	assert_told(bed, "%s%s < /proc/70/limits %s", shell, jobs, edit);
	tree_write(&bed->tree, "etc/systemd/system.conf", "[Manager]\nDefaultLimitMEMLOCK=8M");
	run(bed, CHECK_ID_memlock);
	assert_told(bed,
		    "%s%s; DefaultLimitMEMLOCK=8M in /etc/systemd/system.conf < "
		    "/proc/70/limits, /etc/systemd/system.conf %s",
		    shell, jobs, edit);
	tree_write(&bed->tree, "etc/systemd/system/slurmd.service", "[Service]\nLimitMEMLOCK=9M");
	run(bed, CHECK_ID_memlock);
	assert_told(bed,
		    "%s%s; LimitMEMLOCK=9M in /etc/systemd/system/slurmd.service < "
		    "/proc/70/limits, /etc/systemd/system/slurmd.service %s",
		    shell, jobs, edit);
	tree_write(&bed->tree, "etc/systemd/system/slurmd.service",
		   "[Service]\nLimitMEMLOCK=infinity");
	run(bed, CHECK_ID_memlock);
	assert_told(bed,
		    "%s%s; LimitMEMLOCK=infinity in /etc/systemd/system/slurmd.service < "
		    "/proc/70/limits, /etc/systemd/system/slurmd.service -> the process does not "
		    "have the limit that the file sets: systemctl daemon-reload, then systemctl "
		    "restart slurmd.service [8388609 bytes, wanted unlimited]\n",
		    shell, jobs);
	/* Logins through PAM have separate limits. */
	tree_delete(&bed->tree, "proc/70");
	tree_delete(&bed->tree, "proc/72");
	put_daemon(bed, "73", "sshd", "1", "0");
	tree_write(&bed->tree, "etc/security/limits.conf", "* - memlock unlimited");
	run(bed, CHECK_ID_memlock);
	assert_told(bed,
		    "%sok sshd[73]: logins get more than the daemon has | Max locked memory "
		    "8388609 bytes (hard limit unlimited), wanted unlimited; memlock "
		    "unlimited for logins in /etc/security/limits.conf < /proc/73/limits, "
		    "/etc/security/limits.conf [8388609 bytes, wanted unlimited]\n",
		    shell);
	put_limit(bed, "73", "unlimited");
	run(bed, CHECK_ID_memlock);
	assert_told(bed,
		    "%sok sshd[73]: processes that it starts can pin memory without a limit | Max "
		    "locked memory unlimited (hard limit unlimited), wanted unlimited < "
		    "/proc/73/limits [unlimited, wanted unlimited]\n",
		    shell);
	/* A process with an unreadable name may be another daemon. */
	tree_link(&bed->tree, "proc/1/comm", "!EIO");
	run(bed, CHECK_ID_memlock);
	assert_int_equal(bed->results.count, 3);
	assert_string_equal(bed_last(bed)->finding.object, "daemons");
	assert_string_equal(bed_last(bed)->finding.summary,
			    "the processes of other users cannot be read");
}

/* The kernel's answer to the query for its settings: `answer`, or an error if that is NULL. */
static void record_settings(struct bed *bed, const struct bytes *answer, int error)
{
	const uint16_t type = nldev_message_type(RDMA_NLDEV_CMD_SYS_GET);
	const struct nlmsgerr refusal = {.error = error};
	struct text_buffer file = {.text = NULL};

	recording_begin(&file);
	recording_ask(&file, NETLINK_RDMA,
		      &(struct recorded_message){.type = type, .flags = NLM_F_REQUEST});
	recording_got(&file, &(struct recorded_message){
				     .type = answer ? type : NLMSG_ERROR,
				     .length = answer ? (uint32_t)answer->length : sizeof(refusal),
				     .payload = answer ? answer->data : (const uint8_t *)&refusal,
			     });
	text_buffer_add(&file, "end");
	tree_write(&bed->tree, RECORDING_NETLINK_FILE, file.text);
	free(file.text);
}

static void privileged_qkey(void **state)
{
	struct bytes answer = {.length = 0};
	struct bed *bed = *state;

	bed->facts.root.recorded = true;
	bed->facts.root.snapshot = dup(bed->tree.root.fd);
	put_u8(&answer, NLDEV_SYS_ATTR_PRIVILEGED_QKEY, 1);
	record_settings(bed, &answer, 0);
	/* Without the core, no query is sent. */
	run(bed, CHECK_ID_privileged_qkey);
	assert_told(bed, "%s", "");
	tree_directory(&bed->tree, SYSFS_RDMA_CLASS);
	run(bed, CHECK_ID_privileged_qkey);
	assert_told(bed, "note -: every user may send with controlled Q_Keys | privileged-qkey on, "
			 "wanted off < RDMA netlink SYS_GET -> the remedy\n");
	answer.length = 0;
	put_u8(&answer, NLDEV_SYS_ATTR_PRIVILEGED_QKEY, 0);
	record_settings(bed, &answer, 0);
	run(bed, CHECK_ID_privileged_qkey);
	assert_told(bed, "ok -: controlled Q_Keys need CAP_NET_RAW | privileged-qkey off, wanted "
			 "off < RDMA netlink SYS_GET\n");
	/* Before Linux 6.7. */
	answer.length = 0;
	put_u8(&answer, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
	record_settings(bed, &answer, 0);
	run(bed, CHECK_ID_privileged_qkey);
	assert_told(bed, "%s", "");
	record_settings(bed, NULL, -EPERM);
	run(bed, CHECK_ID_privileged_qkey);
	assert_told(bed,
		    "not-checked -: the setting privileged-qkey cannot be read | Operation not "
		    "permitted < RDMA netlink\nunread -: the setting privileged-qkey < RDMA "
		    "netlink: Operation not permitted\n");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(names),
		TEST(prefixes),
		TEST(without_port),
		TEST(several),
		TEST(ucx_without_driver),
		TEST(ucx_without_rdma),
		TEST(libfabric),
		TEST(libfabric_file),
		TEST(quotas),
		TEST(interrupts),
		TEST(daemons),
		TEST(privileged_qkey),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
