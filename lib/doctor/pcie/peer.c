/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The path between adapters and accelerators: PCIe switches, distance. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "host/pci/config.h"
#include "host/pci/pci.h"
#include "topology/topology.h"

bool pcie_has_accelerator(struct doctor_context *run)
{
	return run->facts->inventory.devices.count && doctor_has_accelerator(run->facts);
}

/* Returns a driver for passing functions to virtual machines that is in use, or NULL. */
static const char *driver_of_guests(struct doctor_context *run)
{
	for_each (function, &run->facts->pci) {
		pci_read(&run->facts->root, function, PCI_DRIVER, NULL);
		if (pci_driver_is_for_guests(function->driver))
			return function->driver;
	}
	return NULL;
}

/* Findings on all accelerators that share a switch with the adapter. */
struct comparison {
	struct doctor_context *run;
	size_t accelerators;
	size_t redirected, direct;	   /* by the bits of all ports on the path */
	const struct pci_function *port;   /* a port with the bits */
	const struct pci_function *apart;  /* outside the IOMMU group of the port above it */
	const struct pci_function *unread; /* config space unreadable despite privilege */
	bool direct_nic;
	/* Ports on the path to the current accelerator. */
	size_t redirecting, unknown;
};

static void read_port(void *context, struct pci_function *port, struct pci_function *below)
{
	struct comparison *found = context;
	struct doctor_context *run = found->run;

	pci_read(&run->facts->root, port, PCI_ACS | PCI_IOMMU, run->facts->problems);
	pci_read(&run->facts->root, below, PCI_IOMMU, run->facts->problems);
	if (!port->acs_control.known) {
		found->unknown++;
		if (port->acs_error != -EPERM && port->acs_error != -EACCES &&
		    port->acs_error != -ENOENT)
			found->unread = port;
	} else if (port->acs_control.value &
		   (PCI_ACS_REQUEST_REDIRECT | PCI_ACS_COMPLETION_REDIRECT)) {
		found->redirecting++;
		if (!found->port)
			found->port = port;
	}
}

static void compare(struct comparison *found, struct pci_function *accelerator)
{
	struct pci_function *function = found->run->function;

	found->redirecting = found->unknown = 0;
	if (!pci_for_each_port_between(function, accelerator, read_port, found))
		return;
	found->accelerators++;
	if (found->redirecting)
		found->redirected++;
	else if (!found->unknown)
		found->direct++;
	else if (!found->apart)
		found->apart = pci_find_redirected(function, accelerator);
}

static void compare_all(struct comparison *found)
{
	struct doctor_context *run = found->run;
	const struct root *root = &run->facts->root;

	for_each (other, &run->facts->pci) {
		if (other == run->function || !pci_common_ancestor(run->function, other))
			continue;
		if (pci_kind(root, other, NULL) != PCI_KIND_ACCELERATOR) {
			found->direct_nic |= pci_is_data_direct(root, other, run->facts->problems);
			continue;
		}
		pci_read(root, other, PCI_VIRTUAL, run->facts->problems);
		if (!other->physfn)
			compare(found, other);
	}
}

static void show_redirection(const struct comparison *found)
{
	struct doctor_context *run = found->run;
	const struct pci_function *apart = found->apart;
	_cleanup_(freep) char *source = found->redirected ? doctor_pci_source(found->port, "config")
							  : doctor_pci_source(apart, "iommu_group");

	if (found->redirected)
		doctor_evidence(run, source, "port %s: ACS control 0x%02llx (0x0c redirects)",
				found->port->address,
				(unsigned long long)found->port->acs_control.value);
	else
		doctor_evidence(run, source,
				"%s is in IOMMU group %llu, the port %s above it in group %llu",
				apart->address, (unsigned long long)apart->iommu_group.value,
				apart->parent->address,
				(unsigned long long)apart->parent->iommu_group.value);
}

static struct judged judge_redirection(const struct comparison *found)
{
	struct doctor_context *run = found->run;
	const char *keeper = driver_of_guests(run);

	show_redirection(found);
	if (keeper) {
		doctor_evidence(run, NULL, "functions are bound to %s", keeper);
		return doctor_ok(run, "the switch redirects traffic, which virtual machines need");
	}
	if (found->redirected) {
		doctor_next_step(
			run,
			"switch ACS off in the firmware setup, or add pci=disable_acs_redir=%s "
			"(all such ports, separated by ;) to the kernel's command line and restart",
			found->port->address);
		return doctor_warning(
			run, "the switch redirects traffic between adapter and accelerator "
			     "to the processor");
	}
	doctor_next_step(run, "run as root, to see the bits themselves: rdmactl doctor --only "
			      "gdr-acs");
	return doctor_warning(run, "the switch probably redirects traffic between adapter and "
				   "accelerator to the processor");
}

struct judged check_gdr_acs(struct doctor_context *run)
{
	struct comparison found = {.run = run};

	if (!doctor_has_rdma(run->facts, run->function))
		return doctor_does_not_apply(run);
	compare_all(&found);
	if (!found.accelerators)
		return doctor_does_not_apply(run);
	doctor_evidence(run, NULL, "accelerators below the same switch: %zu", found.accelerators);
	if (found.direct_nic) {
		doctor_evidence(run, NULL, "a data function 15b3:2100 next to them");
		return doctor_ok(
			run, "a Direct NIC carries the data; rdma_topo check tests its settings");
	}
	if (found.redirected || found.apart)
		return judge_redirection(&found);
	if (found.direct == found.accelerators)
		return doctor_ok(run, "the switch does not redirect");
	if (found.unread && found.unread->acs_error == -EOPNOTSUPP)
		return doctor_not_checked(
			run, 0,
			"the kernel does not reach the part of a port's config space "
			"that has the settings");
	if (found.unread) {
		_cleanup_(freep) char *source = doctor_pci_source(found.unread, "config");

		return doctor_unread(run, "the config space of a port", source,
				     found.unread->acs_error, false);
	}
	return doctor_not_checked(run, NEEDS_ROOT,
				  "IOMMU groups do not show whether the switch redirects");
}

/* Whether it is an adapter, or another function of one: a bond may span several NUMA nodes. */
static bool is_adapter(const struct topology_node *node)
{
	return node->kind.value == TOPOLOGY_PART ||
	       (node->kind.value == TOPOLOGY_NIC && node->role.value != TOPOLOGY_SOFTWARE);
}

static bool is_nearer(const struct topology_pair *pair, const struct topology_pair *best)
{
	if (pair->class.value != best->class.value)
		return pair->class.value < best->class.value;
	return pair->slit.known && best->slit.known && pair->slit.value < best->slit.value;
}

/*
 * Returns the class of the nearest adapter. CLASS_UNKNOWN if no distance is known, or if all known
 * ones are far and one of the others may be near.
 */
static enum topology_class find_nearest(const struct topology *topology,
					const struct topology_node *accelerator,
					const struct topology_node **ret_nearest)
{
	struct topology_pair best = {.class = number_of(TOPOLOGY_CLASS_UNKNOWN)};
	bool unknown = false;

	for_each_in (node, topology->nodes, topology->count) {
		struct topology_pair pair;

		if (!is_adapter(node))
			continue;
		topology_compare(topology, accelerator, node, &pair);
		unknown |= pair.class.value == TOPOLOGY_CLASS_UNKNOWN;
		if (!is_nearer(&pair, &best))
			continue;
		best = pair;
		*ret_nearest = pair.near_node;
	}
	return best.class.value == TOPOLOGY_SYSTEM && unknown
		       ? TOPOLOGY_CLASS_UNKNOWN
		       : (enum topology_class)best.class.value;
}

struct nearness {
	size_t near, far, unknown;
};

static void count_nearness(const struct topology *topology, struct nearness *nearness)
{
	for_each_in (node, topology->nodes, topology->count) {
		const struct topology_node *nearest = NULL;
		enum topology_class class;

		if (node->kind.value != TOPOLOGY_ACCELERATOR)
			continue;
		class = find_nearest(topology, node, &nearest);
		if (class == TOPOLOGY_CLASS_UNKNOWN)
			nearness->unknown++;
		else if (class == TOPOLOGY_SYSTEM)
			nearness->far++;
		else
			nearness->near++;
	}
}

/* Whether an address, or a card, is of another card than the first, which it is if none was. */
static bool is_of_other_card(const char **first, const char *address)
{
	const size_t length = strcspn(address, ".");

	if (!*first)
		*first = address;
	return strcspn(*first, ".") != length || strncmp(*first, address, length) != 0;
}

/*
 * Whether the adapters are on several cards: a single one can be near one NUMA node only. Those
 * whose RDMA device is missing count, too.
 */
static bool has_several_cards(struct doctor_context *run, const struct topology *topology)
{
	const struct pci_list *pci = doctor_pci(run->facts);
	const char *first = NULL;

	for_each_in (node, topology->nodes, topology->count)
		if (is_adapter(node) && node->card && is_of_other_card(&first, node->card))
			return true;
	for_each (function, pci) {
		if (!doctor_has_rdma(run->facts, function))
			continue;
		pci_read(&run->facts->root, function, PCI_VIRTUAL, run->facts->problems);
		if (is_of_other_card(&first, function->physfn ?: function->address))
			return true;
	}
	return false;
}

/* Reports each accelerator that has to cross to another node although others do not. */
static struct judged report_far(struct doctor_context *run, const struct topology *topology,
				const struct nearness *nearness)
{
	for_each_in (node, topology->nodes, topology->count) {
		const struct topology_node *nearest = NULL;

		if (node->kind.value != TOPOLOGY_ACCELERATOR ||
		    find_nearest(topology, node, &nearest) != TOPOLOGY_SYSTEM)
			continue;
		doctor_object(run, "%s", node->pci_address);
		doctor_evidence(run, "numa_node",
				"%s on NUMA node %llu, its nearest adapter %s on "
				"node %llu",
				node->name, (unsigned long long)node->numa_node.value,
				nearest->kind.value == TOPOLOGY_PART ? nearest->parent
								     : nearest->name,
				(unsigned long long)nearest->numa_node.value);
		doctor_evidence(run, NULL, "%zu other accelerator%s one on %s node", nearness->near,
				nearness->near == 1 ? " has" : "s have",
				nearness->near == 1 ? "its" : "their");
		doctor_verdict(
			run, has_several_cards(run, topology) ? SEVERITY_WARNING : SEVERITY_NOTICE,
			"the accelerator has no adapter on its NUMA node");
	}
	return doctor_judged(run);
}

static struct judged judge_nearness(struct doctor_context *run, const struct topology *topology)
{
	struct nearness nearness = {.near = 0};

	count_nearness(topology, &nearness);
	if (nearness.near && nearness.far)
		return report_far(run, topology, &nearness);
	doctor_evidence(run, "numa_node", "%zu accelerator%s near an adapter, %zu far, %zu unknown",
			nearness.near, text_plural_s(nearness.near), nearness.far,
			nearness.unknown);
	if (nearness.far)
		return doctor_note(run,
				   "no accelerator is known to have an adapter on its NUMA node");
	if (nearness.unknown)
		return doctor_not_checked(run, 0, "the distance of %zu accelerator%s is not known",
					  nearness.unknown, text_plural_s(nearness.unknown));
	return doctor_ok(run, "each accelerator has an adapter on its NUMA node");
}

struct judged check_gpu_nic(struct doctor_context *run)
{
	struct problems problems = {.items = NULL};
	const struct topology_request request = {
		.root = &run->facts->root,
		.inventory = &run->facts->inventory,
		.pci = doctor_pci(run->facts),
		.problems = &problems,
	};
	struct problems notes = {.items = NULL};
	struct topology topology = {.nodes = NULL};

	/* With only some of the devices, an accelerator's own adapter may be missing. */
	if (run->facts->request->objects->count)
		return doctor_not_checked(run, 0, "only some devices were named");
	/* The checks of the functions report what cannot be read of these. */
	topology_load(&topology, &request, &notes, NULL);
	if (topology.flat && !topology.file)
		doctor_not_checked(run, 0, "the virtual machine does not show its topology");
	else if (!topology.hypervisor && !topology.switch_count && !topology.file &&
		 !doctor_hypervisor(run->facts) && run->facts->hypervisor_hidden)
		doctor_unknown(run, "whether this is a virtual machine");
	else
		judge_nearness(run, &topology);
	topology_clear(&topology);
	problems_free(&problems);
	problems_free(&notes);
	return doctor_judged(run);
}
