/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The checks of the path between adapters and accelerators, and of how the platform treats an
 * adapter: everything that they report for a small tree of functions.
 */
#include <errno.h>

#include "doctor/frame/growth.h"
#include "doctor_told.h"
#include "host/object.h"

/* An adapter and an accelerator below one switch, and an accelerator elsewhere. */
#define ROOT   "sys/devices/pci0000:00/0000:00:01.0"
#define SWITCH ROOT "/0000:01:00.0"
#define PORT_A SWITCH "/0000:02:00.0"
#define PORT_B SWITCH "/0000:02:01.0"
#define NIC    PORT_A "/0000:03:00.0"
#define GPU    PORT_B "/0000:04:00.0"
#define FAR    "sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0"
#define FILES  "/sys/bus/pci/devices/"

static struct objects objects;

static void put(struct bed *bed, const char *directory, const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, file);
	tree_write(&bed->tree, path, text);
}

static void put_function(struct bed *bed, const char *directory, const char *class,
			 const char *vendor, const char *device)
{
	tree_function(&bed->tree, directory + strlen("sys/devices/"), class, vendor, device, NULL);
}

static void put_driver(struct bed *bed, const char *directory, const char *driver)
{
	char path[256], target[64];

	snprintf(path, sizeof(path), "%s/driver", directory);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	tree_link(&bed->tree, path, target);
}

static void put_group(struct bed *bed, const char *directory, const char *group, const char *type)
{
	char path[256], target[256];

	snprintf(path, sizeof(path), "sys/kernel/iommu_groups/%s", group);
	tree_directory(&bed->tree, path);
	if (type)
		put(bed, path, "type", type);
	snprintf(path, sizeof(path), "%s/iommu_group", directory);
	/* There is nothing above the root of the tree. */
	snprintf(target, sizeof(target), "../../../../../../../../sys/kernel/iommu_groups/%s",
		 group);
	tree_link(&bed->tree, path, target);
}

/* A config space that ends with the capability for access control services: pci_regs.h. */
static void put_acs(struct bed *bed, const char *directory, unsigned int control)
{
	uint8_t bytes[0x108] = {[0x100] = 0x0d, [0x102] = 1, [0x106] = (uint8_t)control};
	char path[256];

	snprintf(path, sizeof(path), "%s/config", directory);
	tree_delete(&bed->tree, path);
	tree_write_bytes(&bed->tree, path, bytes, sizeof(bytes));
}

static int set_up(void **state)
{
	struct device *device;
	struct bed *bed;

	bed_set_up(state);
	bed = *state;
	bed->request.objects = &objects;
	put_function(bed, ROOT, "0x060400", "0x8086", "0x1");
	put_function(bed, SWITCH, "0x060400", "0x1000", "0xc010");
	put_function(bed, PORT_A, "0x060400", "0x1000", "0xc010");
	put_function(bed, PORT_B, "0x060400", "0x1000", "0xc010");
	put_function(bed, NIC, "0x020700", "0x15b3", "0x1021");
	put_function(bed, GPU, "0x030200", "0x10de", "0x2330");
	put_function(bed, "sys/devices/pci0000:80/0000:80:01.0", "0x060400", "0x8086", "0x1");
	put_function(bed, FAR, "0x030200", "0x10de", "0x2330");
	device = device_list_add(&bed->facts.inventory.devices, "mlx5_0");
	device->pci_address = mem_string("0000:03:00.0");
	bed->run.device = device;
	bed->run.profile = PROFILE_HPC;
	return 0;
}

static void run(struct bed *bed, enum doctor_check_id id)
{
	pci_list_clear(&bed->facts.pci);
	bed->facts.pci = (struct pci_list){.items = NULL};
	bed->facts.pci_was_read = false;
	doctor_pci(&bed->facts);
	assert_int_equal(bed->facts.pci_rc, 0);
	bed->run.function = pci_list_find(&bed->facts.pci, "0000:03:00.0");
	assert_non_null(bed->run.function);
	/* Like the engine: `applies` reads what shows a virtual function. */
	bed->run.check = doctor_check(id);
	if (bed->run.check->applies)
		bed->run.check->applies(&bed->run);
	bed_run(bed, id);
}

/* Request redirection is bit 2, that of completions bit 3: PCI_ACS_RR and PCI_ACS_CR. */
static void redirection(void **state)
{
	static const struct {
		unsigned int adapter, accelerator;
		const char *port, *control; /* NULL: neither */
	} cases[] = {
		{0x00, 0x00, NULL, NULL},
		{0x04, 0x00, "0000:02:00.0", "0x04"},
		{0x08, 0x00, "0000:02:00.0", "0x08"},
		{0x00, 0x04, "0000:02:01.0", "0x04"},
		{0x00, 0x1d, "0000:02:01.0", "0x1d"},
		{0x1d, 0x0c, "0000:02:00.0", "0x1d"},
		{0x53, 0x73, NULL, NULL},
	};
	static const char *const keepers[] = {"vfio-pci", "mlx5_vfio_pci"};
	static const char below[] = "accelerators below the same switch: 1";
	struct bed *bed = *state;

	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed,
		    "not-checked 0000:03:00.0: IOMMU groups do not show whether the switch "
		    "redirects | %s needs 1\n",
		    below);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put_acs(bed, PORT_A, cases[i].adapter);
		put_acs(bed, PORT_B, cases[i].accelerator);
		run(bed, CHECK_ID_gdr_acs);
		if (cases[i].port)
			assert_told(bed,
				    "warning 0000:03:00.0: the switch redirects traffic between "
				    "adapter and accelerator to the processor | %s; port %s: ACS "
				    "control %s (0x0c redirects) < " FILES
				    "%s/config -> switch ACS off in the firmware setup, or add "
				    "pci=disable_acs_redir=%s (all such ports, separated by ;) to "
				    "the kernel's command line and restart\n",
				    below, cases[i].port, cases[i].control, cases[i].port,
				    cases[i].port);
		else
			assert_told(bed, "ok 0000:03:00.0: the switch does not redirect | %s\n",
				    below);
	}
	/* Virtual machines need redirection. */
	put_acs(bed, PORT_B, 0x04);
	for (size_t i = 0; i < ARRAY_SIZE(keepers); i++) {
		put_driver(bed, FAR, keepers[i]);
		run(bed, CHECK_ID_gdr_acs);
		assert_told(bed,
			    "ok 0000:03:00.0: the switch redirects traffic, which virtual machines "
			    "need | %s; port 0000:02:01.0: ACS control 0x04 (0x0c redirects); "
			    "functions are bound to %s < " FILES "0000:02:01.0/config\n",
			    below, keepers[i]);
	}
	put_driver(bed, FAR, "nvidia");
	/* A Direct NIC's data function next to them. */
	put_function(bed, PORT_A "/0000:03:00.1", "0x020700", "0x15b3", "0x2100");
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed,
		    "ok 0000:03:00.0: a Direct NIC carries the data; rdma_topo check tests its "
		    "settings | %s; a data function 15b3:2100 next to them\n",
		    below);
	put_function(bed, PORT_A "/0000:03:00.1", "0x020700", "0x15b4", "0x2100");
	put_acs(bed, PORT_A, 0);
	put_acs(bed, PORT_B, 0);
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed, "ok 0000:03:00.0: the switch does not redirect | %s\n", below);
	tree_link(&bed->tree, GPU "/physfn", "../0000:04:01.0");
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed, "%s", "");
}

/* What groups prove, and an unreadable port. */
static void groups(void **state)
{
	static const char below[] = "accelerators below the same switch: 1";
	struct bed *bed = *state;

	put_group(bed, PORT_A, "7", NULL);
	put_group(bed, NIC, "7", NULL);
	put_group(bed, PORT_B, "8", NULL);
	put_group(bed, GPU, "8", NULL);
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed,
		    "not-checked 0000:03:00.0: IOMMU groups do not show whether the switch "
		    "redirects | %s needs 1\n",
		    below);
	put_group(bed, GPU, "9", NULL);
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed,
		    "warning 0000:03:00.0: the switch probably redirects traffic between "
		    "adapter and accelerator to the processor | %s; 0000:04:00.0 is in IOMMU "
		    "group 9, the port 0000:02:01.0 above it in group 8 < " FILES
		    "0000:04:00.0/iommu_group -> run as root, to see the bits themselves: "
		    "rdmactl doctor --only gdr-acs\n",
		    below);
	/* The bits prove more than the groups. */
	put_acs(bed, PORT_A, 0);
	put_acs(bed, PORT_B, 0);
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed, "ok 0000:03:00.0: the switch does not redirect | %s\n", below);
	put_group(bed, GPU, "8", NULL);
	tree_delete(&bed->tree, PORT_B "/config");
	tree_link(&bed->tree, PORT_B "/config", "!EIO");
	run(bed, CHECK_ID_gdr_acs);
	assert_int_equal(bed->results.count, 1);
	assert_string_equal(bed->results.items[0].finding.summary,
			    "the config space of a port cannot be read");
	assert_string_equal(bed->results.items[0].sources.items[0], FILES "0000:02:01.0/config");
	free(doctor_told(&bed->results, &bed->problems));
	tree_link(&bed->tree, PORT_B "/config", "!EACCES");
	run(bed, CHECK_ID_gdr_acs);
	assert_int_equal(bed->results.items[0].needs.value, NEEDS_ROOT);
	free(doctor_told(&bed->results, &bed->problems));
	tree_delete(&bed->tree, PORT_B "/config");
	put_acs(bed, PORT_B, 0);
	/* One of two accelerators is beyond a port about which nothing is known. */
	put_function(bed, SWITCH "/0000:02:02.0", "0x060400", "0x1000", "0xc010");
	put_function(bed, SWITCH "/0000:02:02.0/0000:05:00.0", "0x120000", "0x1234", "0x1");
	run(bed, CHECK_ID_gdr_acs);
	assert_told(bed, "not-checked 0000:03:00.0: IOMMU groups do not show whether the switch "
			 "redirects | accelerators below the same switch: 2 needs 1\n");
}

/* Linux 5.12 was the first with dma-buf for RDMA: ib_umem_dmabuf_get(). */
static void peer_memory(void **state)
{
	static const struct {
		const char *release;
		const char *told; /* NULL: nothing */
	} cases[] = {
		{"5.11.9", "before 5.12: no dma-buf, unless the distribution added it"},
		{"5.12.0", "5.12 or later: dma-buf may work, a guess"},
		{"6.0", "5.12 or later: dma-buf may work, a guess"},
		{"4.18.0-553.el8", "before 5.12: no dma-buf, unless the distribution added it"},
		{"next", NULL},
		{"6", NULL},
	};
	struct bed *bed = *state;

	assert_true(doctor_check(CHECK_ID_gdr_path)->applies(&bed->run));
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "not-checked -: no driver is bound to the accelerators | no module for "
			 "peer memory < /sys/kernel/mm/memory_peers\n");
	put_driver(bed, GPU, "nvgrace_gpu_vfio_pci");
	put_driver(bed, NIC, "mlx5_core");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "not-checked -: no driver is bound to the accelerators | no module for "
			 "peer memory < /sys/kernel/mm/memory_peers\n");
	put_driver(bed, FAR, "nvidia");
	bed->request.probe = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&bed->tree, "proc/sys/kernel/osrelease", cases[i].release);
		run(bed, CHECK_ID_gdr_path);
		if (cases[i].told)
			assert_told(bed,
				    "not-checked -: whether the devices register dma-buf is not "
				    "known | no module for peer memory; Linux %s (%s) < "
				    "/sys/kernel/mm/memory_peers, /proc/sys/kernel/osrelease "
				    "needs 2\n",
				    cases[i].release, cases[i].told);
		else
			assert_told(bed, "not-checked -: whether the devices register dma-buf is "
					 "not known | no module for peer memory < "
					 "/sys/kernel/mm/memory_peers needs 2\n");
	}
	tree_link(&bed->tree, "sys/kernel/mm/memory_peers", "!EIO");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed,
		    "not-checked -: the modules for peer memory cannot be read | %s < "
		    "/sys/kernel/mm/memory_peers\n"
		    "unread -: the modules for peer memory < /sys/kernel/mm/memory_peers: %s\n",
		    strerror(EIO), strerror(EIO));
	tree_directory(&bed->tree, "sys/module/nvidia_peermem");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "ok -: a module for peer memory is loaded | nvidia_peermem is loaded < "
			 "/sys/module/nvidia_peermem\n");
	tree_delete(&bed->tree, "sys/kernel/mm/memory_peers");
	tree_directory(&bed->tree, "sys/kernel/mm/memory_peers/amdkfd");
	tree_delete(&bed->tree, "sys/module/nvidia_peermem");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "ok -: a module for peer memory is loaded | amdkfd provides peer memory < "
			 "/sys/kernel/mm/memory_peers\n");
	device_list_clear(&bed->facts.inventory.devices);
	bed->facts.inventory.devices = (struct device_list){.items = NULL};
	assert_false(doctor_check(CHECK_ID_gdr_path)->applies(&bed->run));
}

#define EFA_A "sys/class/infiniband/rdmap16s27/device/p2p"
#define EFA_B "sys/class/infiniband/rdmap32s27/device/p2p"

/* Amazon's driver needs neither a module for peer memory nor dma-buf. */
static void own_way(void **state)
{
	struct bed *bed = *state;
	struct device_list *devices = &bed->facts.inventory.devices;

	device_list_clear(devices);
	*devices = (struct device_list){.items = NULL};
	device_list_add(devices, "rxe0")->software = true;
	device_list_add(devices, "rdmap16s27");
	device_list_add(devices, "rdmap32s27");
	put_driver(bed, FAR, "nvidia");
	tree_write(&bed->tree, "sys/module/nvidia/taint", "POE");
	tree_write(&bed->tree, EFA_A, "NVIDIA");
	tree_write(&bed->tree, EFA_B, "NVIDIA");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed,
		    "ok -: the driver of the adapters registers memory of accelerators | the "
		    "driver of 2 of 2 adapters registers memory by itself (p2p NVIDIA) < /" EFA_A
		    "\n");
	tree_delete(&bed->tree, EFA_A);
	tree_write(&bed->tree, "sys/class/infiniband/rdmap16s27/device/gdr", "1");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "ok -: the driver of the adapters registers memory of accelerators | the "
			 "driver of 2 of 2 adapters registers memory by itself (gdr 1) < "
			 "/sys/class/infiniband/rdmap16s27/device/gdr\n");
	/* The driver found no driver of accelerators, or is another one. */
	tree_write(&bed->tree, "sys/class/infiniband/rdmap16s27/device/gdr", "0");
	tree_write(&bed->tree, EFA_A, "");
	run(bed, CHECK_ID_gdr_path);
	assert_told(
		bed,
		"warning -: memory of accelerators cannot be registered: no module for peer "
		"memory, no dma-buf | the driver of 1 of 2 adapters registers memory by itself "
		"(p2p NVIDIA); no module for peer memory; nvidia is the proprietary module, which "
		"offers no dma-buf < /" EFA_B ", /sys/kernel/mm/memory_peers, "
		"/sys/module/nvidia/taint -> the remedy\n");
	tree_delete(&bed->tree, EFA_B);
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed,
		    "warning -: memory of accelerators cannot be registered: no module for peer "
		    "memory, no dma-buf | no module for peer memory; nvidia is the proprietary "
		    "module, which offers no dma-buf < /sys/kernel/mm/memory_peers, "
		    "/sys/module/nvidia/taint -> the remedy\n");
	/* EFA does not use a module for peer memory. */
	tree_directory(&bed->tree, "sys/module/nvidia_peermem");
	devices->items[1].driver = mem_string("efa");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "ok -: a module for peer memory is loaded | nvidia_peermem is loaded < "
			 "/sys/module/nvidia_peermem\n");
	devices->items[2].driver = mem_string("efa");
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "warning -: memory of accelerators cannot be registered: EFA's driver "
			 "uses no module for peer memory, and there is no dma-buf | nvidia_peermem "
			 "is loaded; nvidia is the "
			 "proprietary module, which offers no dma-buf < "
			 "/sys/module/nvidia_peermem, /sys/module/nvidia/taint -> install Amazon's "
			 "driver of EFA, which registers memory of GPUs by itself, or NVIDIA's "
			 "open modules, for dma-buf\n");
	/* Without an adapter, it is not that of EFA. */
	device_list_clear(devices);
	device_list_add(devices, "rxe0")->software = true;
	run(bed, CHECK_ID_gdr_path);
	assert_told(bed, "ok -: a module for peer memory is loaded | nvidia_peermem is loaded < "
			 "/sys/module/nvidia_peermem\n");
}

static void put_numa(struct bed *bed, const char *nic, const char *gpu, const char *far)
{
	put(bed, NIC, "numa_node", nic);
	put(bed, GPU, "numa_node", gpu);
	put(bed, FAR, "numa_node", far);
}

static void expect_far(struct bed *bed, const char *verdict)
{
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed,
		    "%s 0000:81:00.0: the accelerator has no adapter on its NUMA node | gpu1 on "
		    "NUMA node 1, its nearest adapter mlx5_0 on node 0; 1 other accelerator has "
		    "one on its node < numa_node -> the remedy\n",
		    verdict);
}

/* A single card cannot be near both accelerators. A second one counts without its RDMA device. */
static void count_cards(struct bed *bed)
{
	put_numa(bed, "0", "0", "1");
	expect_far(bed, "note");
	put_function(bed, "sys/devices/pci0000:00/0000:44:00.0", "0x020700", "0x15b3", "0x101e");
	tree_link(&bed->tree, "sys/devices/pci0000:00/0000:44:00.0/physfn", "../0000:03:00.0");
	expect_far(bed, "note");
	tree_delete(&bed->tree, "sys/devices/pci0000:00/0000:44:00.0/physfn");
	put_function(bed, "sys/devices/pci0000:00/0000:44:00.0", "0x020700", "0x15b3", "0x1021");
	put(bed, "sys/devices/pci0000:00/0000:44:00.0", "numa_node", "0");
	expect_far(bed, "warning");
	device_list_add(&bed->facts.inventory.devices, "mlx5_1")->pci_address = mem_string(
		"0000:44:00.0");
	expect_far(bed, "warning");
}

/* Accelerators near an adapter, and those that are not. */
static void nearness(void **state)
{
	struct bed *bed = *state;

	put(bed, "sys/devices/system/node", "online", "0-1");
	put(bed, "sys/devices/system/node/node0", "cpulist", "0-3");
	put(bed, "sys/devices/system/node/node1", "cpulist", "4-7");
	put_numa(bed, "0", "0", "0");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "ok -: each accelerator has an adapter on its NUMA node | 2 accelerators "
			 "near an adapter, 0 far, 0 unknown < numa_node\n");
	count_cards(bed);
	put_numa(bed, "0", "0", "-1");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "not-checked -: the distance of 1 accelerator is not known | 1 "
			 "accelerator near an adapter, 0 far, 1 unknown < numa_node\n");
	/* One accelerator without an adapter on its node, next to two that have one. */
	put_function(bed, FAR "/0000:82:00.0", "0x030200", "0x10de", "0x2330");
	put(bed, FAR "/0000:82:00.0", "numa_node", "0");
	put_numa(bed, "0", "0", "1");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "warning 0000:81:00.0: the accelerator has no adapter on its NUMA node | "
			 "gpu1 on NUMA node 1, its nearest adapter mlx5_0 on node 0; 2 other "
			 "accelerators have one on their node < numa_node -> the remedy\n");
	put_function(bed, FAR "/0000:82:00.0", "0x020000", "0x1234", "0x1");
	tree_delete(&bed->tree, "sys/bus/pci/devices/0000:44:00.0");
	/* The nearest of several counts, wherever it is in the list. */
	put_numa(bed, "0", "0", "0");
	device_list_clear(&bed->facts.inventory.devices);
	bed->facts.inventory.devices = (struct device_list){.items = NULL};
	device_list_add(&bed->facts.inventory.devices, "rxe0");
	device_list_add(&bed->facts.inventory.devices, "mlx5_8")->pci_address = mem_string(
		"0000:99:00.0");
	device_list_add(&bed->facts.inventory.devices, "mlx5_0")->pci_address = mem_string(
		"0000:03:00.0");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "ok -: each accelerator has an adapter on its NUMA node | 2 accelerators "
			 "near an adapter, 0 far, 0 unknown < numa_node\n");
	objects.count = 1;
	run(bed, CHECK_ID_gpu_nic);
	objects.count = 0;
	assert_told(bed, "not-checked -: only some devices were named\n");
	/* No accelerator has one: this is how the host works, not a fault of one accelerator. */
	put_function(bed, GPU, "0x020000", "0x1234", "0x1");
	put_numa(bed, "0", "0", "1");
	run(bed, CHECK_ID_gpu_nic);
	/* One adapter is far, and the place of the other is unknown. */
	assert_told(bed, "not-checked -: the distance of 1 accelerator is not known | 0 "
			 "accelerators near an adapter, 0 far, 1 unknown < numa_node\n");
	put_function(bed, "sys/devices/pci0000:00/0000:99:00.0", "0x020000", "0x15b3", "0x1021");
	put(bed, "sys/devices/pci0000:00/0000:99:00.0", "numa_node", "0");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed,
		    "note -: no accelerator is known to have an adapter on its NUMA node | 0 "
		    "accelerators near an adapter, 1 far, 0 unknown < numa_node -> the remedy\n");
	tree_delete(&bed->tree, "sys/bus/pci/devices");
	put_function(bed, FAR, "0x030200", "0x10de", "0x2330");
	put_function(bed, "sys/devices/pci0000:00/0000:03:00.0", "0x020700", "0x15b3", "0x1021");
	/* A virtual machine would not show its topology. */
	tree_link(&bed->tree, "sys/class/dmi/id/sys_vendor", "!EIO");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed,
		    "not-checked -: whether this is a virtual machine is not known\n"
		    "unread hypervisor: sys_vendor < sysfs: %s\n",
		    strerror(EIO));
	tree_delete(&bed->tree, "sys/class/dmi/id");
	put(bed, "sys/class/dmi/id", "sys_vendor", "QEMU");
	run(bed, CHECK_ID_gpu_nic);
	assert_true(bed->results.count == 1);
	assert_string_equal(bed->results.items[0].finding.summary,
			    "the virtual machine does not show its topology");
}

static void add_link(struct bed *bed, const char *name, unsigned int index, unsigned int master,
		     const char *place)
{
	struct link *link = link_list_add(&bed->facts.inventory.links);
	char path[128], target[128];

	link->name = mem_string(name);
	link->index = number_of(index);
	if (master)
		link->master_index = number_of(master);
	else
		link->kind = mem_string("bond");
	snprintf(path, sizeof(path), "sys/class/net/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s/net/%s", place, name);
	tree_link(&bed->tree, path, target);
}

/* A bond has a function on each of two nodes: the nearer one counts. */
static void bond_on_two_nodes(void **state)
{
#define MEMBER "pci0000:40/0000:41:00.0"
#define THIRD  "sys/devices/pci0000:c0/0000:c1:00.0"
#define NODES  "sys/devices/system/node"
	struct bed *bed = *state;
	struct device *device = bed->facts.inventory.devices.items;

	device_add_port(device, 1)->netdev = mem_string("bond0");
	add_link(bed, "bond0", 5, 0, "virtual");
	add_link(bed, "eth0", 6, 5, NIC + strlen("sys/devices/"));
	add_link(bed, "eth1", 7, 5, MEMBER);
	put_function(bed, "sys/devices/" MEMBER, "0x020000", "0x15b3", "0x1021");
	put_function(bed, THIRD, "0x030200", "0x10de", "0x2330");
	put(bed, NODES, "online", "0-2");
	put(bed, NODES "/node0", "distance", "10 20 30");
	put(bed, NODES "/node1", "distance", "20 10 20");
	put(bed, NODES "/node2", "distance", "30 20 10");
	put_numa(bed, "0", "0", "1");
	put(bed, "sys/devices/" MEMBER, "numa_node", "1");
	put(bed, THIRD, "numa_node", "2");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "warning 0000:c1:00.0: the accelerator has no adapter on its NUMA node | "
			 "gpu2 on NUMA node 2, its nearest adapter mlx5_0 on node 1; 2 other "
			 "accelerators have one on their node < numa_node -> the remedy\n");
	/* The other function may be near. */
	put(bed, NIC, "numa_node", "-1");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "not-checked -: the distance of 1 accelerator is not known | 2 "
			 "accelerators near an adapter, 0 far, 1 unknown < numa_node\n");
	put(bed, NIC, "numa_node", "0");
	put(bed, "sys/devices/" MEMBER, "numa_node", "-1");
	put(bed, FAR, "numa_node", "0");
	run(bed, CHECK_ID_gpu_nic);
	assert_told(bed, "not-checked -: the distance of 1 accelerator is not known | 2 "
			 "accelerators near an adapter, 0 far, 1 unknown < numa_node\n");
#undef MEMBER
#undef THIRD
#undef NODES
}

static void translation(void **state)
{
	static const struct {
		const char *type;
		enum doctor_profile profile;
		const char *verdict;
	} cases[] = {
		{"DMA", PROFILE_HPC, "warning"}, {"DMA-FQ", PROFILE_GPU, "warning"},
		{"DMA", PROFILE_ROCE, "note"},	 {"DMA-FQ", PROFILE_CONTAINER, "note"},
		{"identity", PROFILE_HPC, "ok"}, {"identity", PROFILE_GPU, "ok"},
	};
	struct bed *bed = *state;

	run(bed, CHECK_ID_iommu_mode);
	assert_told(bed, "not-checked 0000:03:00.0: the saved tree has no IOMMU groups | the "
			 "function has no IOMMU group < " FILES "0000:03:00.0/iommu_group/type "
			 "needs 2\n");
	tree_directory(&bed->tree, "sys/kernel/iommu_groups");
	run(bed, CHECK_ID_iommu_mode);
	assert_told(bed, "ok 0000:03:00.0: no IOMMU translates for the function | the function has "
			 "no IOMMU group < " FILES "0000:03:00.0/iommu_group/type\n");
	put_group(bed, NIC, "12", NULL);
	run(bed, CHECK_ID_iommu_mode);
	assert_told(bed, "not-checked 0000:03:00.0: the kernel does not report the type of IOMMU "
			 "groups: it is older than 4.19, or the file cannot be read | IOMMU group "
			 "12 without a type < " FILES "0000:03:00.0/iommu_group/type\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool ok = *cases[i].verdict == 'o';

		put_group(bed, NIC, "12", cases[i].type);
		bed->run.profile = cases[i].profile;
		run(bed, CHECK_ID_iommu_mode);
		assert_told(bed,
			    "%s 0000:03:00.0: %s | IOMMU group 12 has the type %s < " FILES
			    "0000:03:00.0/iommu_group/type%s [%s, wanted identity]\n",
			    cases[i].verdict,
			    ok ? "the IOMMU does not translate for the function"
			       : "the IOMMU translates every access by the adapter",
			    cases[i].type, ok ? "" : " -> the remedy", cases[i].type);
	}
	/* The kernel's type for a group without a default domain. */
	put_group(bed, NIC, "12", "unknown");
	run(bed, CHECK_ID_iommu_mode);
	assert_told(bed, "not-checked 0000:03:00.0: the type of the IOMMU group does not show "
			 "whether it translates | IOMMU group 12 has the type unknown < " FILES
			 "0000:03:00.0/iommu_group/type [unknown, wanted identity]\n");
}

/* Device control of PCI Express: relaxed ordering is bit 4, the read request in bits 12 to 14. */
static void tuning(void **state)
{
	static const struct {
		unsigned int control;
		const char *verdict, *summary, *bytes, *ordering;
	} cases[] = {
		{0x1010, "ok", "read requests are large enough and relaxed ordering is on", "256",
		 "on"},
		{0x5010, "ok", "read requests are large enough and relaxed ordering is on", "4096",
		 "on"},
		{0x0010, "note", "the adapter may read in small requests only", "128", "on"},
		{0x1000, "note", "relaxed ordering is off", "256", "off"},
		{0x0fef, "note",
		 "the adapter may read in small requests only, and relaxed ordering is off", "128",
		 "off"},
	};
	static const char file[] = FILES "0000:03:00.0/config";
	uint8_t bytes[256] = {[0] = 0xb3, [6] = 0x10, [0x34] = 0x40, [0x40] = 0x10};
	struct bed *bed = *state;

	run(bed, CHECK_ID_pcie_tuning);
	assert_told(bed, "not-checked 0000:03:00.0: the saved tree has no config space needs 2\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bytes[0x48] = (uint8_t)cases[i].control;
		bytes[0x49] = (uint8_t)(cases[i].control >> 8);
		tree_write_bytes(&bed->tree, NIC "/config", bytes, sizeof(bytes));
		run(bed, CHECK_ID_pcie_tuning);
		assert_told(bed,
			    "%s 0000:03:00.0: %s | device control of PCI Express; read requests up "
			    "to %s bytes (should be at least 256); relaxed ordering %s (should be "
			    "on) < %s%s\n",
			    cases[i].verdict, cases[i].summary, cases[i].bytes, cases[i].ordering,
			    file, *cases[i].verdict == 'n' ? " -> the remedy" : "");
	}
	tree_write_bytes(&bed->tree, NIC "/config", bytes, 64);
	run(bed, CHECK_ID_pcie_tuning);
	assert_told(bed,
		    "not-checked 0000:03:00.0: only root can read the settings | 64 bytes can "
		    "be read < %s needs 1\n",
		    file);
	bytes[0x49] = 0x60; /* reserved */
	tree_write_bytes(&bed->tree, NIC "/config", bytes, sizeof(bytes));
	run(bed, CHECK_ID_pcie_tuning);
	bytes[6] = 0;
	tree_write_bytes(&bed->tree, NIC "/config", bytes, sizeof(bytes));
	run(bed, CHECK_ID_pcie_tuning);
	bytes[0] = bytes[1] = 0xff;
	tree_write_bytes(&bed->tree, NIC "/config", bytes, sizeof(bytes));
	run(bed, CHECK_ID_pcie_tuning);
	assert_told(bed,
		    "not-checked 0000:03:00.0: the config space is damaged | 256 bytes can be read "
		    "< %s\n"
		    "not-checked 0000:03:00.0: the function is not a PCI Express function | 256 "
		    "bytes can be read < %s\n"
		    "not-checked 0000:03:00.0: the function does not answer | 256 bytes can be "
		    "read < %s\n",
		    file, file, file);
	tree_delete(&bed->tree, NIC "/config");
	tree_link(&bed->tree, NIC "/config", "!EIO");
	run(bed, CHECK_ID_pcie_tuning);
	assert_told(bed,
		    "not-checked 0000:03:00.0: the config space cannot be read | %s < %s\n"
		    "unread 0000:03:00.0: the config space < %s: %s\n",
		    strerror(EIO), file, file, strerror(EIO));
}

/* The command has the number of this function in the physical function, and that one's netdev. */
static void guids(void **state)
{
	static const char source[] = "/sys/class/infiniband/mlx5_0/node_guid";
	struct bed *bed = *state;
	struct device *device = &bed->facts.inventory.devices.items[0], *other;

	run(bed, CHECK_ID_sriov_guid);
	assert_false(doctor_check(CHECK_ID_sriov_guid)->applies(&bed->run));
	device->node_guid = number_of(0x1234);
	assert_false(doctor_check(CHECK_ID_sriov_guid)->applies(&bed->run));
	run(bed, CHECK_ID_sriov_guid);
	device->node_guid = number_of(0);
	assert_true(doctor_check(CHECK_ID_sriov_guid)->applies(&bed->run));
	run(bed, CHECK_ID_sriov_guid);
	assert_told(bed,
		    "not-checked mlx5_0: the node GUID is not known\n"
		    "ok mlx5_0: the virtual function has a node GUID | node GUID 0000000000001234 "
		    "(must not be zero) < %s\n"
		    "error mlx5_0: the node GUID is zero | node GUID 0000000000000000 (must not be "
		    "zero) < %s -> the remedy\n",
		    source, source);
	tree_link(&bed->tree, NIC "/physfn", "../../0000:02:01.0/0000:04:00.0");
	tree_link(&bed->tree, GPU "/virtfn0", "../0000:03:00.7");
	tree_link(&bed->tree, GPU "/virtfn12", "../../0000:02:00.0/0000:03:00.0");
	tree_link(&bed->tree, GPU "/virtfnx", "../../0000:02:00.0/0000:03:00.0");
	tree_link(&bed->tree, GPU "/other13", "../../0000:02:00.0/0000:03:00.0");
	run(bed, CHECK_ID_sriov_guid);
	assert_told(bed,
		    "error mlx5_0: the node GUID is zero | node GUID 0000000000000000 (must not be "
		    "zero) < %s -> ip link set NETDEV vf 12 node_guid GUID, and the same with "
		    "port_guid; 0000:04:00.0 is the physical function; then bind 0000:03:00.0 to "
		    "its driver again\n",
		    source);
	other = device_list_add(&bed->facts.inventory.devices, "mlx5_1");
	other->pci_address = mem_string("0000:04:00.0");
	bed->run.device = &bed->facts.inventory.devices.items[0];
	run(bed, CHECK_ID_sriov_guid);
	assert_non_null(strstr(bed_last(bed)->finding.next_step, "ip link set NETDEV vf 12 "));
	device_add_port(other, 1)->netdev = mem_string("ib7");
	run(bed, CHECK_ID_sriov_guid);
	assert_non_null(strstr(bed_last(bed)->finding.next_step, "ip link set ib7 vf 12 "));
	bed->facts.inventory.devices.items[0].node_guid = number_of(1);
	assert_true(doctor_check(CHECK_ID_sriov_guid)->applies(&bed->run));
}

static void grow(struct bed *bed, const char *key, uint64_t before, uint64_t after)
{
	growth_add(&bed->facts.growth->before, before, "%s", key);
	growth_add(&bed->facts.growth->after, after, "%s", key);
}

/*
 * Errors of the adapter and of everything above it; totals are only shown for errors without a
 * name.
 */
static void errors(void **state)
{
	struct bed *bed = *state;

	run(bed, CHECK_ID_pcie_errors);
	assert_string_equal(bed_last(bed)->finding.next_step,
			    "take two readings instead: rdmactl doctor --interval 10s");
	assert_told(bed, "not-checked 0000:03:00.0: the counters were read only once needs 4\n");
	bed->request.interval_msec = 1;
	bed->facts.growth = mem_alloc_zero(1, sizeof(*bed->facts.growth));
	bed->facts.growth->seconds = 2.5;
	bed->facts.root.live = bed->facts.root.below = true;
	tree_link(&bed->tree, "sys/bus/pci_express/devices/0000:00:01.0:pcie002/driver", "../aer");
	run(bed, CHECK_ID_pcie_errors);
	assert_told(bed, "not-checked 0000:03:00.0: no function on the path counts PCIe errors\n");
	grow(bed, "0000:01:00.0 aer_dev_correctable RxErr", 3, 3);
	grow(bed, "0000:01:00.0 aer_dev_correctable TOTAL_ERR_COR", 3, 3);
	grow(bed, "0000:04:00.0 aer_dev_fatal TLP", 0, 9);
	run(bed, CHECK_ID_pcie_errors);
	assert_told(bed,
		    "ok 0000:03:00.0: no PCIe error counter grew | 2 counters on the path, none "
		    "grew in 2.5 s < aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal\n");
	bed->facts.growth->after.items[1].value = 5;
	run(bed, CHECK_ID_pcie_errors);
	assert_told(bed, "warning 0000:03:00.0: correctable PCIe errors are increasing | "
			 "0000:01:00.0: correctable unnamed +2 in 2.5 s (0 expected) < "
			 "/sys/bus/pci/devices/0000:01:00.0/aer_dev_correctable -> the remedy\n");
	bed->facts.growth->after.items[0].value = 4;
	run(bed, CHECK_ID_pcie_errors);
	assert_told(bed, "warning 0000:03:00.0: correctable PCIe errors are increasing | "
			 "0000:01:00.0: correctable RxErr +1 in 2.5 s (0 expected) < "
			 "/sys/bus/pci/devices/0000:01:00.0/aer_dev_correctable -> the remedy\n");
	bed->facts.growth->before.count = bed->facts.growth->after.count = 2;
	free(bed->facts.growth->before.items[2].key);
	free(bed->facts.growth->after.items[2].key);
	grow(bed, "0000:03:00.0 aer_dev_nonfatal DLP", 7, 8);
	run(bed, CHECK_ID_pcie_errors);
	assert_told(bed,
		    "error 0000:03:00.0: uncorrectable PCIe errors are increasing | 0000:03:00.0: "
		    "nonfatal DLP +1 in 2.5 s (0 expected); 0000:01:00.0: correctable RxErr +1 in "
		    "2.5 s (0 expected) < /sys/bus/pci/devices/0000:03:00.0/aer_dev_nonfatal, "
		    "/sys/bus/pci/devices/0000:01:00.0/aer_dev_correctable -> the remedy\n");
}

/* What a reading covers: the requested adapters, and what is above them. */
static void readings(void **state)
{
	static const char *const wanted[] = {
		"0000:01:00.0 aer_dev_fatal TLP=5",
		"0000:03:00.0 aer_dev_correctable Bad DLLP=2",
		"0000:03:00.0 aer_dev_correctable RxErr=1",
	};
	struct growth_reading reading = {.items = NULL};
	struct bed *bed = *state;
	char text[128];

	put(bed, NIC, "aer_dev_correctable", "Bad DLLP 2\nRxErr 1");
	put(bed, SWITCH, "aer_dev_fatal", "TLP 5");
	put(bed, GPU, "aer_dev_fatal", "TLP 6");
	put(bed, PORT_B, "aer_dev_nonfatal", "TLP 7");
	run(bed, CHECK_ID_pcie_errors);
	growth_read_aer(&bed->facts, &reading);
	assert_int_equal(reading.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < reading.count; i++) {
		snprintf(text, sizeof(text), "%s=%llu", reading.items[i].key,
			 (unsigned long long)reading.items[i].value);
		assert_string_equal(text, wanted[i]);
		free(reading.items[i].key);
	}
	free(reading.items);
	/*
	 * A counter that was there and cannot be read any more is reported, if nothing else has
	 * grown.
	 */
	bed->request.interval_msec = 1;
	bed->facts.growth = mem_alloc_zero(1, sizeof(*bed->facts.growth));
	free(doctor_told(&bed->results, &bed->problems));
	tree_delete(&bed->tree, SWITCH "/aer_dev_fatal");
	tree_link(&bed->tree, SWITCH "/aer_dev_nonfatal", "!EIO");
	tree_delete(&bed->tree, NIC "/aer_dev_correctable");
	run(bed, CHECK_ID_pcie_errors);
	assert_told(bed,
		    "not-checked 0000:03:00.0: the PCIe error counters cannot be read | %s < " FILES
		    "0000:01:00.0/aer_dev_nonfatal\n"
		    "unread 0000:03:00.0: the PCIe error counters < " FILES
		    "0000:01:00.0/aer_dev_nonfatal: %s\n",
		    strerror(EIO), strerror(EIO));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, bed_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(redirection), TEST(groups),   TEST(peer_memory),
		TEST(own_way),	   TEST(nearness), TEST(bond_on_two_nodes),
		TEST(translation), TEST(tuning),   TEST(guids),
		TEST(errors),	   TEST(readings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
