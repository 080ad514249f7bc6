/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the platform treats an adapter: IOMMU, PCI Express settings, NUMA node, GUID of a VF. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "host/pci/config.h"
#include "kernel/sysfs.h"
#include "topology/topology.h"

/* Judges a function without an IOMMU group, as far as is known. */
static struct judged judge_no_group(struct doctor_context *run, const char *source)
{
	const struct root *root = &run->facts->root;
	_cleanup_(freep) char *target = NULL;
	const int rc = sysfs_link(root, &target, PCI_FUNCTION "/iommu_group",
				  run->function->address);

	if (rc == -ENOENT)
		doctor_evidence(run, source, "the function has no IOMMU group");
	if (rc != -ENOENT)
		return doctor_unknown(run, "the IOMMU group");
	if (!root->live && !sysfs_has_directory(root, "sys/kernel/iommu_groups"))
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no IOMMU groups");
	return doctor_ok(run, "no IOMMU translates for the function");
}

/* A network adapter that may lack RDMA does not need to be fast. */
static enum severity severity_of_translation(struct doctor_context *run)
{
	return (run->profile == PROFILE_GPU || run->profile == PROFILE_HPC) &&
			       doctor_has_rdma(run->facts, run->function)
		       ? SEVERITY_WARNING
		       : SEVERITY_NOTICE;
}

struct judged check_iommu_mode(struct doctor_context *run)
{
	struct pci_function *function = run->function;
	_cleanup_(freep) char *source = doctor_pci_source(function, "iommu_group/type");

	pci_read(&run->facts->root, function, PCI_DRIVER | PCI_IOMMU, run->facts->problems);
	/* Guests need the translation, through a domain that the type does not describe. */
	if (pci_driver_is_for_guests(function->driver))
		return doctor_does_not_apply(run);
	if (!function->iommu_group.known)
		return judge_no_group(run, source);
	if (!function->iommu_type) {
		doctor_evidence(run, source, "IOMMU group %llu without a type",
				(unsigned long long)function->iommu_group.value);
		return doctor_not_checked(
			run, 0,
			"the kernel does not report the type of IOMMU groups: it is "
			"older than 4.19, or the file cannot be read");
	}
	doctor_evidence(run, source, "IOMMU group %llu has the type %s",
			(unsigned long long)function->iommu_group.value, function->iommu_type);
	doctor_expected(run, "identity", function->iommu_type);
	if (!strcmp(function->iommu_type, "identity"))
		return doctor_ok(run, "the IOMMU does not translate for the function");
	if (!strncmp(function->iommu_type, "DMA", 3))
		return doctor_verdict(run, severity_of_translation(run),
				      "the IOMMU translates every access by the adapter");
	/* The group has no kernel domain: iommu_group_show_type(), iommu.c. */
	return doctor_not_checked(
		run, 0, "the type of the IOMMU group does not show whether it translates");
}

/* The limit in fwts, src/pci/maxreadreq, which warns up to 128. */
enum { LEAST_READ_REQUEST = 256 };

static struct judged judge_control(struct doctor_context *run,
				   const struct pci_device_control *control)
{
	const bool small = control->max_read_request_bytes < LEAST_READ_REQUEST;

	doctor_evidence(run, NULL, "read requests up to %u bytes (should be at least %u)",
			control->max_read_request_bytes, LEAST_READ_REQUEST);
	doctor_evidence(run, NULL, "relaxed ordering %s (should be on)",
			control->relaxed_ordering ? "on" : "off");
	if (small && !control->relaxed_ordering)
		return doctor_note(run, "the adapter may read in small requests only, and relaxed "
					"ordering is off");
	if (small)
		return doctor_note(run, "the adapter may read in small requests only");
	if (!control->relaxed_ordering)
		return doctor_note(run, "relaxed ordering is off");
	return doctor_ok(run, "read requests are large enough and relaxed ordering is on");
}

struct judged check_pcie_tuning(struct doctor_context *run)
{
	_cleanup_(freep) char *source = doctor_pci_source(run->function, "config");
	uint8_t bytes[PCI_CONFIG_SIZE];
	struct pci_device_control control;
	const ssize_t length = pci_config_read(&run->facts->root, run->function, PCI_CONFIG_SIZE,
					       bytes);
	int rc;

	if (length == -ENOENT && !run->facts->root.live)
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no config space");
	if (length < 0)
		return doctor_unread(run, "the config space", source, (int)length, true);
	rc = pci_config_device_control(bytes, (size_t)length, &control);
	if (!rc) {
		doctor_evidence(run, source, "device control of PCI Express");
		return judge_control(run, &control);
	}
	doctor_evidence(run, source, "%zd bytes can be read", length);
	if (rc == -EPERM)
		return doctor_not_checked(run, NEEDS_ROOT, "only root can read the settings");
	if (rc == -ENODATA)
		return doctor_not_checked(run, 0, "the function is not a PCI Express function");
	if (rc == -ENODEV)
		return doctor_not_checked(run, 0, "the function does not answer");
	return doctor_not_checked(run, 0, "the config space is damaged");
}

#define ONLINE_NODES "sys/devices/system/node/online"

/* Counts the NUMA nodes of the host; -ENOENT: the kernel (or the saved tree) has no such list. */
static int count_nodes(const struct root *root, uint64_t *ret_count)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, ONLINE_NODES);
	uint64_t count = length > 0 ? sysfs_ranges_count(text) : 0;

	if (length < 0)
		return (int)length;
	if (!count)
		return -EINVAL;
	*ret_count = count;
	return 0;
}

/* Hyper-V's PCI driver sets node 0 if the host gives none, but 0 may also be true. */
static bool is_invented(struct doctor_context *run)
{
	if (!pci_is_of_vmbus(run->function))
		return false;
	for_each (other, &run->facts->pci) {
		if (!pci_is_of_vmbus(other))
			continue;
		pci_read(&run->facts->root, other, PCI_NUMA, NULL);
		if (!other->numa_node.known || other->numa_node.value)
			return false;
	}
	return true;
}

/* Returns where the provider of the virtual machine publishes topology files, for GPUs; or NULL. */
static const char *topology_files(struct doctor_context *run, const char *hypervisor)
{
	if (!doctor_has_accelerator(run->facts))
		return NULL;
	if (!strcmp(hypervisor, "Hyper-V"))
		return "topology/ of Azure's azhpc-images";
	return strcmp(hypervisor, "Amazon EC2") ? NULL : "topology/ of Amazon's aws-ofi-nccl";
}

/* The operator of a virtual machine cannot update the firmware of its host. */
static void advise_guest(struct doctor_context *run)
{
	const char *hypervisor = doctor_hypervisor(run->facts);
	_cleanup_(freep) char *file = NULL;
	const char *files = hypervisor ? topology_files(run, hypervisor) : NULL;

	if (!sysfs_read_long(&run->facts->root, &file, VIRTUAL_TOPOLOGY))
		doctor_next_step(run,
				 "nothing to do for NCCL, which finds /" VIRTUAL_TOPOLOGY
				 "; place other programs by rdmactl topo, which reads it, too");
	else if (files)
		doctor_next_step(run,
				 "the virtual machine (%s) does not tell: if %s has a topology "
				 "file for this kind of machine, take it for NCCL in "
				 "NCCL_TOPO_FILE, and for rdmactl topo with --topology-file; "
				 "otherwise ask the provider",
				 hypervisor, files);
	else if (hypervisor)
		doctor_next_step(run,
				 "the virtual machine (%s) does not tell: ask its provider for the "
				 "NUMA node of the adapter, and give it to rdmactl topo with "
				 "--locality; if you run the hypervisor, let it tell (QEMU: "
				 "numa_node of pxb-pcie)",
				 hypervisor);
}

static struct judged judge_node(struct doctor_context *run, struct number node,
				const struct pci_function *from, uint64_t nodes)
{
	_cleanup_(freep) char *source = doctor_pci_source(from, "numa_node");

	doctor_evidence(run, source, "node %llu", (unsigned long long)node.value);
	if (from != run->function)
		doctor_evidence(run, NULL, "taken from %s above it", from->address);
	if (nodes > 1 && is_invented(run)) {
		doctor_evidence(run, "/" ONLINE_NODES,
				"%llu nodes, all Hyper-V functions on node 0",
				(unsigned long long)nodes);
		advise_guest(run);
		return doctor_note(run,
				   "the NUMA node is 0, which Hyper-V's driver may have invented");
	}
	return doctor_ok(run, "the NUMA node is known");
}

struct judged check_numa_known(struct doctor_context *run)
{
	const struct root *root = &run->facts->root;
	_cleanup_(freep) char *source = doctor_pci_source(run->function, "numa_node");
	struct pci_function *from = NULL;
	const struct number node = pci_numa_node(root, run->function, &from, run->facts->problems);
	uint64_t nodes = 0;
	const int rc = count_nodes(root, &nodes);

	if (node.known)
		return judge_node(run, node, from, nodes);
	if (rc == -ENOENT) {
		doctor_evidence(run, source, "no node");
		return doctor_not_checked(
			run, 0, "the kernel reports no NUMA nodes (/sys/devices/system/node)");
	}
	if (rc)
		return doctor_unread(run, "the list of NUMA nodes", "/" ONLINE_NODES, rc, false);
	if (nodes == 1) {
		doctor_evidence(run, "/" ONLINE_NODES, "1 node");
		return doctor_ok(run, "the host has one NUMA node");
	}
	doctor_evidence(run, source, "no node, nor one of a port above it");
	doctor_evidence(run, "/" ONLINE_NODES, "%llu nodes", (unsigned long long)nodes);
	advise_guest(run);
	return doctor_note(run, "the kernel does not know the NUMA node of the adapter");
}

bool pcie_may_be_virtual(struct doctor_context *run)
{
	const struct device *device = run->device;

	/* In a virtual machine only the IDs of some drivers show that a function is virtual. */
	return (run->function && !pcie_is_physical(run)) ||
	       (device->node_guid.known && !device->node_guid.value);
}

/* Suggests the exact commands, to be run on the host of the physical function. */
static void suggest_guid(struct doctor_context *run)
{
	struct pci_function *function = run->function;
	const struct number number = function ? pci_virtual_number(&run->facts->root, function, 0)
					      : (struct number){0};
	_cleanup_(freep) char *name = NULL;
	const struct device *whole;

	if (!number.known)
		return;
	whole = doctor_device_at(run->facts, function->physfn);
	name = text_quote(whole && whole->port_count && whole->ports[0].netdev
				  ? whole->ports[0].netdev
				  : "NETDEV");
	doctor_next_step(
		run,
		"ip link set %s vf %llu node_guid GUID, and the same with port_guid; %s is "
		"the physical function; then bind %s to its driver again",
		name, (unsigned long long)number.value, function->physfn, function->address);
}

struct judged check_sriov_guid(struct doctor_context *run)
{
	const struct device *device = run->device;
	_cleanup_(freep) char *source = mem_format("/" SYSFS_RDMA_CLASS "/%s/node_guid",
						   device->name);

	if (!device->node_guid.known)
		return doctor_unknown(run, "the node GUID");
	doctor_evidence(run, source, "node GUID %016llx (must not be zero)",
			(unsigned long long)device->node_guid.value);
	if (device->node_guid.value)
		return doctor_ok(run, "the virtual function has a node GUID");
	suggest_guid(run);
	return doctor_error(run, "the node GUID is zero");
}
