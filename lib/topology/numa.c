/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The NUMA nodes of the host, its hypervisor, and the NUMA node of each device. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/sysfs.h"
#include "topology/place.h"

#define NODES "sys/devices/system/node"
/* The object of problems with the files that tell it. */
#define HYPERVISOR "hypervisor"

/* More than any kernel has: CONFIG_NODES_SHIFT is at most 10. */
enum { NODE_MOST = UINT16_MAX };

const struct numa_node *topology_numa(const struct topology *topology, uint64_t number)
{
	for_each_in (numa, topology->numa, topology->numa_count)
		if (numa->number == number)
			return numa;
	return NULL;
}

bool topology_is_same_numa(const struct topology_node *a, const struct topology_node *b)
{
	return a->numa_node.known == b->numa_node.known &&
	       (!a->numa_node.known || a->numa_node.value == b->numa_node.value);
}

/* Reads a file as text; NULL if it does not exist. Read failures become problems. */
static char *read_text(const struct root *root, struct problems *problems, const char *object,
		       const char *directory, const char *file)
{
	char text[SYSFS_TEXT_SIZE];
	ssize_t length = sysfs_read(root, text, "%s/%s", directory, file);

	if (length < 0 && length != -ENOENT)
		problem_add(problems, object, file, "sysfs", (int)length, NULL);
	return length < 0 ? NULL : text_clean(text, (size_t)length);
}

/* Finds the package of the first CPU in a list such as 0-15,32-47. */
static void find_package(const struct topology_request *request, const char *name,
			 struct numa_node *node)
{
	struct number package = {.known = false};
	const char *cpus = node->cpus ? node->cpus : "";
	unsigned long cpu, last;
	int rc;

	if (!sysfs_take_range(&cpus, &cpu, &last))
		return;
	rc = sysfs_read_number(request->root, &package,
			       "sys/devices/system/cpu/cpu%lu/topology/physical_package_id", cpu);
	/*
	 * Where firmware does not say, it is -1, which is not accepted: the package stays unknown.
	 */
	if (rc && rc != -ENOENT && rc != -EINVAL)
		problem_add(request->problems, name, "package", "sysfs", rc, NULL);
	node->package = package;
}

/* Splits "10 21": the distances to all nodes, in their order. */
static void split_distances(struct numa_node *node, char *text)
{
	char *state = NULL;

	for (char *word = strtok_r(text, " ", &state); word; word = strtok_r(NULL, " ", &state))
		strings_add(&node->distances, word);
}

static void read_nodes(struct topology *topology, const struct topology_request *request)
{
	struct strings names = {0};
	int rc = sysfs_list(request->root, &names, NODES);

	if (rc && rc != -ENOENT)
		problem_add(request->problems, NULL, "NUMA nodes", "sysfs", rc, NULL);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_(freep) char *directory = mem_path(NODES, names.items[i]);
		_cleanup_(freep) char *distances = NULL;
		struct numa_node *node;
		uint64_t number;

		if (strncmp(names.items[i], "node", 4) ||
		    text_parse_u64(names.items[i] + 4, 10, NODE_MOST, &number))
			continue;
		node = mem_append(&topology->numa, &topology->numa_count, sizeof(*topology->numa));
		node->number = (unsigned int)number;
		node->cpus = read_text(request->root, request->problems, names.items[i], directory,
				       "cpulist");
		find_package(request, names.items[i], node);
		distances = read_text(request->root, request->problems, names.items[i], directory,
				      "distance");
		if (distances)
			split_distances(node, distances);
	}
	strings_free(&names);
}

/*
 * Beginnings of DMI strings of virtual machines, as in systemd-detect-virt(1), and that of
 * arch/src/x86_64/smbios.rs of Cloud Hypervisor.
 */
static const char *const hypervisors[] = {
	"VMware",     "innotek",   "KubeVirt",	       "BHYVE",	     "Xen", "OpenStack",
	"QEMU",	      "Parallels", "Hyper-V",	       "Amazon EC2", "VMW", "Google Compute Engine",
	"VirtualBox", "Bochs",	   "Cloud Hypervisor", "KVM",
};

/*
 * Bare-metal instances have the vendor of the others. Amazon's have a name of their own:
 * c6gn.metal, m7i.metal-48xl. Google's do not, but only virtual machines have
 * X86_FEATURE_HYPERVISOR (detect_vm() of systemd), 4*32+31 in the modalias of the processors
 * (print_cpu_modalias(), arch/x86/kernel/cpu/match.c); on Arm, nothing tells them apart.
 */
static bool is_metal(const struct root *root, struct problems *problems, const char *product)
{
	const char *metal = strstr(product, ".metal");
	const char after = metal ? metal[strlen(".metal")] : 'x';
	_cleanup_(freep) char *cpu = NULL;

	if (!strncmp(product, "Google", strlen("Google")))
		cpu = read_text(root, problems, HYPERVISOR, "sys/devices/system/cpu", "modalias");
	if (cpu)
		return strstr(cpu, "type:x86") && !strstr(cpu, ",009F");
	return !after || after == '-';
}

static bool is_hypervisor(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(hypervisors); i++)
		if (!strncmp(text, hypervisors[i], strlen(hypervisors[i])))
			return true;
	return false;
}

/*
 * The domain of Xen that has the hardware is no guest: XENFEAT_dom0 in include/xen/interface/
 * features.h, and features_show() in drivers/xen/sys-hypervisor.c.
 */
static bool is_xen_host(const struct root *root, struct problems *problems)
{
	enum { DOM0 = 1 << 11 };
	_cleanup_(freep) char *text = read_text(root, problems, HYPERVISOR,
						"sys/hypervisor/properties", "features");

	return text && strtoull(text, NULL, 16) & DOM0;
}

char *topology_hypervisor(const struct root *root, struct problems *problems)
{
	static const char dmi[] = "sys/class/dmi/id";
	_cleanup_(freep) char *type = read_text(root, problems, HYPERVISOR, "sys/hypervisor",
						"type");
	_cleanup_(freep) char *vendor = read_text(root, problems, HYPERVISOR, dmi, "sys_vendor");
	_cleanup_(freep) char *product = read_text(root, problems, HYPERVISOR, dmi, "product_name");

	vendor = vendor ?: mem_string("");
	product = product ?: mem_string("");
	if (type && *type && !is_xen_host(root, problems))
		return mem_string(type);
	if (is_metal(root, problems, product))
		return NULL;
	if (!strcmp(vendor, "Microsoft Corporation") && !strcmp(product, "Virtual Machine"))
		return mem_string("Hyper-V");
	return is_hypervisor(product)  ? mem_string(product)
	       : is_hypervisor(vendor) ? mem_string(vendor)
				       : NULL;
}

static void find_hypervisor(struct topology *topology, const struct topology_request *request)
{
	topology->hypervisor = topology_hypervisor(request->root, request->problems);
	for (size_t i = 0; !topology->hypervisor && i < topology->count; i++)
		if (topology->nodes[i].function && pci_is_of_vmbus(topology->nodes[i].function))
			topology->hypervisor = mem_string("Hyper-V");
}

void topology_read_host(struct topology *topology, const struct topology_request *request)
{
	bool switches = false;

	read_nodes(topology, request);
	find_hypervisor(topology, request);
	for_each_in (node, topology->nodes, topology->count)
		switches |= node->above != NULL;
	topology->flat = topology->hypervisor && !switches;
}

/*
 * Hyper-V's PCI driver assigns node 0 to functions for which the host gives none, so node 0
 * everywhere in a guest with several nodes is not a measurement
 * (Documentation/virt/hyperv/vpci.rst).
 */
static bool is_invented(const struct topology *topology)
{
	bool found = false;

	for_each_in (node, topology->nodes, topology->count) {
		if (!node->function || node->numa_source.value != TOPOLOGY_MEASURED)
			continue;
		if (!pci_is_of_vmbus(node->function) || !node->numa_node.known ||
		    node->numa_node.value)
			return false;
		found = true;
	}
	return found && topology->numa_count > 1;
}

static void find_node(struct topology *topology, const struct topology_request *request,
		      struct topology_node *node)
{
	struct pci_function *from = NULL;

	if (node->numa_source.known)
		return;
	number_set(&node->numa_source, TOPOLOGY_UNKNOWN);
	if (node->function)
		node->numa_node = pci_numa_node(request->root, node->function, &from,
						request->problems);
	if (node->numa_node.known && node->numa_node.value > NODE_MOST) {
		problem_add_text(request->problems, node->name, "numa_node", "sysfs",
				 "no node has a number that large", NULL);
		node->numa_node.known = false;
		return;
	}
	if (node->numa_node.known) {
		number_set(&node->numa_source,
			   from == node->function ? TOPOLOGY_MEASURED : TOPOLOGY_INHERITED);
	} else if (node->function && topology->numa_count == 1) {
		number_set(&node->numa_node, topology->numa[0].number);
		number_set(&node->numa_source, TOPOLOGY_INFERRED);
	}
}

static void find_cpus(const struct topology *topology, struct topology_node *node)
{
	const struct numa_node *numa = node->numa_node.known
					       ? topology_numa(topology, node->numa_node.value)
					       : NULL;

	if (numa) {
		node->cpus = mem_string_or_null(numa->cpus);
		node->package = numa->package;
	} else if (node->function && node->numa_source.value == TOPOLOGY_MEASURED) {
		node->cpus = mem_string_or_null(node->function->local_cpulist);
	}
}

void topology_find_numa(struct topology *topology, const struct topology_request *request)
{
	for (size_t i = 0; i < topology->count; i++)
		find_node(topology, request, &topology->nodes[i]);
	topology->numa_distrusted = is_invented(topology);
	for_each_in (node, topology->nodes, topology->count) {
		if (topology->numa_distrusted && node->numa_source.value == TOPOLOGY_MEASURED) {
			node->numa_node.known = false;
			number_set(&node->numa_source, TOPOLOGY_UNKNOWN);
		}
		find_cpus(topology, node);
	}
}

/* ---- The user's list of NUMA nodes, for firmware that gives none or wrong ones ---- */

/* Whether the word names the node, its function or its host bridge. */
static bool is_meant(const struct topology_node *node, const char *word)
{
	return !strcmp(node->name, word) || strings_contain(&node->functions, word) ||
	       (node->host_bridge && !strcmp(node->host_bridge, word));
}

/* Takes a line "WORD NODE". Returns NULL, or a message for the caller to free. */
static char *take_line(struct topology *topology, char *line)
{
	_cleanup_(freep) char *clean = NULL;
	char *state = NULL, *word, *number;
	uint64_t value;
	bool found = false;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, " \t\r", &state);
	if (!word)
		return NULL;
	number = strtok_r(NULL, " \t\r", &state);
	if (!number || strtok_r(NULL, " \t\r", &state) ||
	    text_parse_u64(number, 10, UINT16_MAX, &value))
		return mem_string("expected a device, PCI address or host bridge, and a NUMA node");
	for_each_in (node, topology->nodes, topology->count) {
		if (!is_meant(node, word))
			continue;
		number_set(&node->numa_node, value);
		number_set(&node->numa_source, TOPOLOGY_LOCALITY);
		found = true;
	}
	if (found)
		return NULL;
	clean = text_clean(word, strlen(word));
	return mem_format("there is no '%s'", clean);
}

int topology_take_locality(struct topology *topology, const char *text, char **ret_message)
{
	_cleanup_(freep) char *copy = mem_string(text);
	char *rest = copy, *line;

	/* Line numbers include empty lines. */
	for (unsigned int number = 1; (line = strsep(&rest, "\n")); number++) {
		_cleanup_(freep) char *message = take_line(topology, line);

		if (!message)
			continue;
		*ret_message = mem_format("line %u: %s", number, message);
		return -EINVAL;
	}
	return 0;
}
