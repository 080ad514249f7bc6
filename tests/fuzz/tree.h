/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A saved tree of a host with one device, whose files the input changes: one byte names the file,
 * one is a length, then the text follows; a length above MOST_TEXT makes a link that leads
 * elsewhere instead. A link with a text gets another target.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ftw.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "schema/problem.h"
#include "clean.h"

#define DEVICE "sys/class/infiniband/mlx5_0"
#define PCI    "sys/devices/pci0000:3a/0000:3b:00.0/"
#define BRIDGE "sys/devices/pci0000:3a/"
#define REAL   PCI "infiniband/mlx5_0/"
#define PORT   REAL "ports/1/"
#define NET    "sys/class/net/"
#define NODES  "sys/devices/system/node/"
#define KFD    "sys/class/kfd/kfd/topology/nodes/"
#define SOCKETS \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"

enum { MOST_TEXT = 240 };

/* The contents of the tree before the input changes it. Inputs name a file by its place here. */
static const struct file {
	const char *path;
	const char *text;
	const char *target; /* of a link instead */
} files[] = {
	{REAL "node_type", "1: CA\n"},
	{REAL "fw_ver", "20.31.1014\n"},
	{REAL "node_guid", "ec0d:9a03:0078:1a2c\n"},
	{REAL "sys_image_guid", "ec0d:9a03:0078:1a2c\n"},
	{REAL "board_id", "MT_0000000222\n"},
	{REAL "hca_type", "MT4123\n"},
	{REAL "hw_rev", "0\n"},
	{REAL "node_desc", "host mlx5_0\n"},
	{PCI "numa_node", "0\n"},
	{PCI "vendor", "0x15b3\n"},
	{PCI "device", "0x101b\n"},
	{PCI "current_link_speed", "16.0 GT/s PCIe\n"},
	{PCI "max_link_speed", "16.0 GT/s PCIe\n"},
	{PCI "current_link_width", "16\n"},
	{PCI "max_link_width", "16\n"},
	{PORT "link_layer", "Ethernet\n"},
	{PORT "state", "4: ACTIVE\n"},
	{PORT "phys_state", "5: LinkUp\n"},
	{PORT "rate", "100 Gb/sec (4X EDR)\n"},
	{PORT "lid", "0x11\n"},
	{PORT "lid_mask_count", "0\n"},
	{PORT "sm_lid", "0x1\n"},
	{PORT "sm_sl", "0\n"},
	{PORT "cap_mask", "0x2651e848\n"},
	{PORT "gids/0", "fe80:0000:0000:0000:ec0d:9a03:0078:1a2c\n"},
	{PORT "gids/1", "0000:0000:0000:0000:0000:ffff:0a09:0001\n"},
	{PORT "gid_attrs/types/0", "IB/RoCE v1\n"},
	{PORT "gid_attrs/types/1", "RoCE v2\n"},
	{PORT "gid_attrs/ndevs/0", "eth0\n"},
	{PORT "gid_attrs/ndevs/1", "eth0.5\n"},
	{PORT "pkeys/0", "0xffff\n"},
	{PORT "pkeys/1", "0x8001\n"},
	{PCI "net/eth0/ifindex", "4\n"},
	{PCI "net/eth0/iflink", "4\n"},
	{PCI "net/eth0/type", "1\n"},
	{PCI "net/eth0/mtu", "1500\n"},
	{PCI "net/eth0/operstate", "up\n"},
	{PCI "net/eth0/address", "02:00:00:00:00:01\n"},
	{PCI "net/eth0/speed", "100000\n"},
	{PCI "net/eth0/carrier_changes", "1\n"},
	{PCI "net/eth0/uevent", "INTERFACE=eth0\nIFINDEX=4\n"},
	{NET "eth0.5/ifindex", "5\n"},
	{NET "eth0.5/iflink", "4\n"},
	{NET "eth0.5/uevent", "DEVTYPE=vlan\nINTERFACE=eth0.5\n"},
	{"proc/net/vlan/eth0.5", "eth0.5  VID: 5\t REORDER_HDR: 1\n"},
	{NET "ib0/ifindex", "6\n"},
	{NET "ib0/iflink", "6\n"},
	{NET "ib0/type", "32\n"},
	{NET "ib0/pkey", "0xffff\n"},
	{NET "ib0/address", "00:00:10:8c:fe:80:00:00:00:00:00:00:ec:0d:9a:03:00:78:1a:2c\n"},
	{"sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n"},
	{"sys/class/infiniband_mad/umad0/ibdev", "mlx5_0\n"},
	{PORT "linkcontrol/status", "0x1e1\n"},
	{PORT "linkcontrol/status_str", "Initted Present IB_link_up IB_configured\n"},
	{PORT "linkcontrol/qsfp", "PWR:1.5W\nTECH:Copper\nVendor:Molex Inc.  \nPart#:1  Rev:A\n"},
	{PORT "sl2vl/0", "0\n"},
	{"proc/1/status", "Name:\tsystemd\nPid:\t1\nPPid:\t0\n"},
	{"proc/20/status", "Name:\tsshd\nTgid:\t20\nPPid:\t1\n"},
	{"proc/40/status", "Name:\tbash\nTgid:\t40\nPPid:\t20\n"},
	{"proc/20/fd/3", NULL, "socket:[50]"},
	{"proc/20/fd/4", NULL, "socket:[51]"},
	{"proc/40/fd/0", NULL, "/dev/pts/0"},
	{"proc/20/net/tcp", SOCKETS "   1: 0501010A:0016 0909090A:C001 01 00000000:00000000 "
				    "02:000A 00000000     0        0 51 4 0 20 4 30 10 -1\n"},
	{"proc/20/net/tcp6", SOCKETS},
	{"proc/20/net/udp", SOCKETS},
	{"proc/self/mountinfo", "24 1 0:22 / /data\\040set rw,nosuid shared:7 - nfs4 srv:/data "
				"rw,proto=rdma,addr=10.0.0.2\n"},
	{"sys/class/nvme/nvme0/transport", "rdma\n"},
	{"sys/class/nvme/nvme0/address", "traddr=10.0.0.2,trsvcid=4420\n"},
	{PCI "net/ib0/type", "32\n"},
	{PCI "net/ib0/flags", "0x1003\n"},
	{"sys/class/infiniband_verbs/uverbs0/dev", "231:192\n"},
	{NODES "node0/cpulist", "0-15,32-47\n"},
	{NODES "node0/distance", "10 21\n"},
	{NODES "node1/cpulist", "16-31,48-63\n"},
	{NODES "node1/distance", "21 10\n"},
	{"sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"},
	{"sys/class/dmi/id/sys_vendor", "Dell Inc.\n"},
	{"sys/class/dmi/id/product_name", "PowerEdge R750\n"},
	{KFD "0/properties", "cpu_cores_count 32\nlocation_id 0\n"},
	{KFD "1/properties", "simd_count 880\nlocation_id 12544\ndomain 0\n"},
	{KFD "2/properties", "simd_count 880\nlocation_id 12800\ndomain 0\n"},
	{KFD "1/io_links/0/properties", "type 11\nnode_from 1\nnode_to 2\n"},
	{KFD "2/io_links/0/properties", "type 2\nnode_from 2\nnode_to 0\n"},
	{BRIDGE "0000:31:00.0/class", "0x038000\n"},
	{BRIDGE "0000:31:00.0/vendor", "0x1002\n"},
	{BRIDGE "0000:31:00.0/numa_node", "1\n"},
	{BRIDGE "0000:32:00.0/class", "0x038000\n"},
	{BRIDGE "0000:32:00.0/vendor", "0x1002\n"},
	{PCI "class", "0x020700\n"},
	{"sys/bus/pci/devices/0000:3b:00.0", NULL, "../../../devices/pci0000:3a/0000:3b:00.0"},
	{"sys/bus/pci/devices/0000:31:00.0", NULL, "../../../devices/pci0000:3a/0000:31:00.0"},
	{"sys/bus/pci/devices/0000:32:00.0", NULL, "../../../devices/pci0000:3a/0000:32:00.0"},
	{REAL "device", NULL, "../../../0000:3b:00.0"},
	{"proc/self/limits",
	 "Max locked memory         8388608              unlimited            bytes\n"},
	{"proc/self/status", "Name:\trdmactl\nCapEff:\t0000000000000000\n"},
	{"proc/self/uid_map", "         0          0 4294967295\n"},
	{"proc/self/cgroup", "0::/user.slice\n"},
	{"proc/20/comm", "sshd\n"},
	{"proc/20/limits",
	 "Max locked memory         8388608              8388608              bytes\n"},
	{"proc/20/cgroup", "0::/system.slice/ssh.service\n"},
	{"proc/meminfo", "MemTotal:       263703644 kB\n"},
	{"proc/modules", "mlx5_ib 430080 0 - Live 0x0000000000000000\n"},
	{"proc/cmdline", "BOOT_IMAGE=/vmlinuz ro iommu=pt\n"},
	{"proc/net/route",
	 "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
	 "eth0\t0000090A\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"},
	{"proc/net/bonding/bond0", "Bonding Mode: IEEE 802.3ad\nSlave Interface: eth0\n"},
	{"proc/sys/net/ipv4/conf/eth0/arp_ignore", "0\n"},
	{"proc/sys/net/ipv4/conf/all/arp_announce", "0\n"},
	{"proc/sys/kernel/hostname", "n1\n"},
	{"proc/sys/kernel/osrelease", "6.12.0\n"},
	{"proc/sys/kernel/numa_balancing", "0\n"},
	{"proc/irq/60/effective_affinity_list", "3\n"},
	{PCI "msi_irqs/60", "msix\n"},
	{PCI "aer_dev_correctable", "RxErr 0\nBadTLP 2\nTOTAL_ERR_COR 2\n"},
	{PCI "local_cpulist", "0-15,32-47\n"},
	{NODES "online", "0-1\n"},
	{"sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n"},
	{"sys/devices/system/cpu/cpu0/cpuidle/state3/name", "C6\n"},
	{"sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "133\n"},
	{"sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "8\n"},
	{"sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "8\n"},
	{"sys/kernel/security/lockdown", "[none] integrity confidentiality\n"},
	{"sys/fs/pstore/dmesg-efi-1", "Oops#1 Part1\n"},
	{"sys/module/ib_core/parameters/netns_mode", "Y\n"},
	{"sys/module/mlx5_ib/initstate", "live\n"},
	{"etc/modprobe.d/x.conf", "blacklist mlx5_ib\n"},
	{"etc/nccl.conf", "NCCL_IB_HCA=mlx5_0:1\nNCCL_IB_GID_INDEX=3\n"},
	{"etc/security/limits.conf", "* soft memlock unlimited\n"},
	{PCI "net/eth0/qos/trust", "dscp\n"},
	{DEVICE, NULL, "../../devices/pci0000:3a/0000:3b:00.0/infiniband/mlx5_0"},
	{PORT "counters/symbol_error", "0\n"},
	{PORT "counters/port_xmit_data", "4096\n"},
	{PORT "hw_counters/out_of_buffer", "17\n"},
	{REAL "hw_counters/memory_translation_faults", "1\n"},
	{REAL "stats", "Port 1:\nRC timeouts       2\nPort 2:\nRC timeouts       3\n"},
	{PCI "net/eth0/statistics/rx_bytes", "100\n"},
	{NET "eth0", NULL, "../../devices/pci0000:3a/0000:3b:00.0/net/eth0"},
};

/* The tree lasts for the complete run, because libFuzzer has no hook to remove it. */
static char top[] = "/dev/shm/rdmactl-fuzz.XXXXXX";
static int root = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv);

static void expect(bool condition)
{
	if (!condition)
		abort();
}

static void write_bytes(const struct file *file, const void *bytes, size_t length)
{
	int fd;

	unlinkat(root, file->path, 0);
	if (file->target) {
		_cleanup_(freep) char *target = mem_format("%.*s", (int)length,
							   (const char *)bytes);

		if (*target)
			expect(!symlinkat(target, root, file->path));
		return;
	}
	fd = openat(root, file->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	expect(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	close(fd);
}

static void write_whole(const struct file *file)
{
	const char *text = file->target ? file->target : file->text;

	write_bytes(file, text, strlen(text));
}

static void make_directories(const char *path)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		_cleanup_(freep) char *part = mem_format("%.*s", (int)(slash - path), path);

		expect(!mkdirat(root, part, 0755) || errno == EEXIST);
	}
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *level)
{
	(void)status;
	(void)kind;
	(void)level;
	return remove(path);
}

static void remove_all(void)
{
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	expect(mkdtemp(top));
	atexit(remove_all);
	root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		make_directories(files[i].path);
		write_whole(&files[i]);
	}
	return 0;
}

static void make_link(const char *path, size_t number)
{
	static const char *const targets[] = {"!EINVAL", "!EACCES", "!ENODATA", ".",
					      "..",	 "gone",    "loop"};

	unlinkat(root, path, 0);
	/* The last kind of link is a missing file. */
	if (number % (ARRAY_SIZE(targets) + 1) < ARRAY_SIZE(targets))
		expect(!symlinkat(targets[number % (ARRAY_SIZE(targets) + 1)], root, path));
}

/* Changes the tree as the input says, calls the function, and restores the tree. */
static inline void with_tree(const uint8_t *data, size_t size, void (*function)(void))
{
	bool changed[ARRAY_SIZE(files)] = {false};

	while (size >= 2) {
		const struct file *file = &files[data[0] % ARRAY_SIZE(files)];
		size_t length = data[1];

		data += 2;
		size -= 2;
		changed[file - files] = true;
		if (length > MOST_TEXT) {
			make_link(file->path, length);
			continue;
		}
		if (length > size)
			length = size;
		write_bytes(file, data, length);
		data += length;
		size -= length;
	}
	function();
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (changed[i])
			write_whole(&files[i]);
}

static inline void check_problems(struct problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		check_record(&problem_schema, &problems->items[i]);
	problems_free(problems);
}
