/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The PCIe links between an adapter and the processor: speed, width, bandwidth. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/frame/check.h"
#include "host/pci/rdma_drivers.h"
#include "kernel/sysfs.h"
#include "mad/format/codes.h"

bool pcie_is_physical(struct doctor_context *run)
{
	return run->function &&
	       !rdma_is_virtual(&run->facts->root, run->function, run->facts->problems);
}

/*
 * A link: its lower end is the function or the upstream port of a switch, its upper end the port
 * that this is wired to.
 */
struct hop {
	struct pci_function *lower, *upper; /* upper NULL: not visible */
	bool both_known;		    /* the capabilities of both ends */
	struct real speed, most_speed;	    /* current, and possible by both ends */
	struct number lanes, most_lanes;
};

static struct hop read_hop(struct doctor_context *run, struct pci_function *lower)
{
	struct hop hop = {.lower = lower, .upper = lower->parent};

	pci_read(&run->facts->root, lower, PCI_LINK, run->facts->problems);
	hop.speed = lower->speed_gtps;
	hop.lanes = lower->width_lanes;
	if (hop.upper)
		pci_read(&run->facts->root, hop.upper, PCI_LINK, run->facts->problems);
	pci_possible_link(lower, &hop.most_speed, &hop.most_lanes);
	if (!hop.upper)
		return hop;
	if (!hop.speed.known)
		hop.speed = hop.upper->speed_gtps;
	if (!hop.lanes.known)
		hop.lanes = hop.upper->width_lanes;
	hop.both_known = hop.upper->max_speed_gtps.known && hop.upper->max_width_lanes.known;
	return hop;
}

/*
 * Returns the lower end of the next link upwards; NULL: this was the last. There is no link between
 * the downstream and the upstream port of a switch.
 */
static struct pci_function *next_lower(const struct hop *hop)
{
	return hop->upper ? hop->upper->parent : NULL;
}

/* Returns "16 GT/s x8"; the caller frees it. */
static char *describe(const struct real *speed, const struct number *lanes)
{
	char *text = speed->known ? mem_format("%g GT/s x", speed->value) : mem_string("? GT/s x");

	if (lanes->known)
		mem_extend(&text, "%llu", (unsigned long long)lanes->value);
	else
		mem_extend(&text, "?");
	return text;
}

static bool is_known(const struct hop *hop)
{
	return hop->speed.known && hop->lanes.known && hop->most_speed.known &&
	       hop->most_lanes.known;
}

static bool is_slow(const struct hop *hop)
{
	return (hop->speed.known && hop->most_speed.known &&
		hop->speed.value < hop->most_speed.value) ||
	       (hop->lanes.known && hop->most_lanes.known &&
		hop->lanes.value < hop->most_lanes.value);
}

/* Whether the upper port is slower or narrower than the device plugged into it. */
static bool is_limited(const struct hop *hop)
{
	const struct pci_function *lower = hop->lower, *upper = hop->upper;

	return upper && ((upper->max_speed_gtps.known && lower->max_speed_gtps.known &&
			  upper->max_speed_gtps.value < lower->max_speed_gtps.value) ||
			 (upper->max_width_lanes.known && lower->max_width_lanes.known &&
			  upper->max_width_lanes.value < lower->max_width_lanes.value));
}

/* Adds the link to the evidence; if its upper end is not visible, only the lower one. */
static void show_hop(struct doctor_context *run, const struct hop *hop)
{
	_cleanup_(freep) char *source = doctor_pci_source(hop->lower, "current_link_speed");
	_cleanup_(freep) char *now = describe(&hop->speed, &hop->lanes);
	_cleanup_(freep) char *most = describe(&hop->most_speed, &hop->most_lanes);

	if (hop->both_known)
		doctor_evidence(run, source, "%s to %s: %s, both ends can do %s",
				hop->lower->address, hop->upper->address, now, most);
	else
		doctor_evidence(run, source, "%s: %s, it can do %s", hop->lower->address, now,
				most);
	doctor_expected(run, most, now);
}

static struct judged judge_first(struct doctor_context *run, const struct hop *first)
{
	_cleanup_(freep) char *own = describe(&first->lower->max_speed_gtps,
					      &first->lower->max_width_lanes);

	show_hop(run, first);
	if (is_slow(first)) {
		doctor_next_step(run, "%s",
				 "check on the host of this virtual machine, or in the manual of "
				 "the board, what the slot can do");
		return doctor_note(
			run, "the PCIe link runs below what the adapter can do; the port above "
			     "it may be the limit, but what it can do is not known");
	}
	if (!is_limited(first))
		return doctor_ok(
			run, "the PCIe links run as fast and as wide as both of their ends can");
	doctor_evidence(run, NULL, "the adapter can do %s", own);
	doctor_next_step(run, "%s",
			 "if the bandwidth matters (pcie-enough), move the adapter to a slot that "
			 "can do as much as the adapter");
	return doctor_note(run, "the slot can do less than the adapter");
}

struct judged check_pcie_link(struct doctor_context *run)
{
	const struct hop first = read_hop(run, run->function);
	bool slow = false;

	for (struct pci_function *at = run->function; at;) {
		const struct hop hop = read_hop(run, at);

		if (hop.both_known && is_slow(&hop)) {
			show_hop(run, &hop);
			slow = true;
		}
		at = next_lower(&hop);
	}
	if (slow)
		return doctor_warning(run, "a PCIe link runs below what both of its ends can do");
	if (is_known(&first))
		return judge_first(run, &first);
	if (first.most_speed.known || first.most_lanes.known)
		return doctor_not_checked(run, 0,
					  "the PCIe link does not report its speed and width");
	return doctor_not_checked(run, 0,
				  "the function has no PCIe link attributes (an old kernel or "
				  "card, or a virtual machine)");
}

/*
 * Returns the data rate of a port: up to QDR, two of ten bits on InfiniBand are coding overhead
 * (InfiniBand Architecture Specification, volume 2, 8b/10b coding), which the kernel's rate
 * includes.
 */
static double data_rate(const struct port *port)
{
	static const char *const coded[] = {"SDR", "DDR", "QDR"};

	if (port_is_infiniband(port) && port->speed)
		for (size_t i = 0; i < ARRAY_SIZE(coded); i++)
			if (!strcmp(port->speed, coded[i]))
				return port->rate_gbps.value * 8 / 10;
	return port->rate_gbps.value;
}

/* Adds up the rates of the active ports; *ret_fastest is the highest. */
static double sum_rates(const struct device *device, double *ret_fastest)
{
	double sum = 0, fastest = 0;

	for_each_in (port, device->ports, device->port_count) {
		double rate;

		if (!number_is(&port->state, PORT_STATE_ACTIVE) || !port->rate_gbps.known)
			continue;
		rate = data_rate(port);
		sum += rate;
		if (rate > fastest)
			fastest = rate;
	}
	*ret_fastest = fastest;
	return sum;
}

/*
 * Returns the maximum that RDMA devices of this function can send: a subfunction shares the port.
 */
static double function_rate(const struct device_list *devices, const char *address)
{
	double most = 0, fastest;

	for_each (device, devices) {
		const double sum = device->pci_address && !strcmp(device->pci_address, address)
					   ? sum_rates(device, &fastest)
					   : 0;

		if (sum > most)
			most = sum;
	}
	return most;
}

/* Adds up all functions of the card that have their own port. */
static double card_rate(struct doctor_context *run)
{
	const struct pci_function *function = run->function;
	double sum = 0;

	for_each (other, &run->facts->pci) {
		if (!pci_is_same_card(other, function))
			continue;
		pci_read(&run->facts->root, other, PCI_VIRTUAL, run->facts->problems);
		if (!other->physfn)
			sum += function_rate(&run->facts->inventory.devices, other->address);
	}
	return sum;
}

/* Finds the narrowest link with a known bandwidth; unknown if that of the first link is. */
static struct hop find_narrowest(struct doctor_context *run, struct pci_function *function,
				 struct real *ret_gbps)
{
	struct hop hop = read_hop(run, function), narrowest = hop;

	*ret_gbps = pci_link_gbps(&hop.speed, &hop.lanes);
	if (!ret_gbps->known)
		return narrowest;
	for (struct pci_function *at = next_lower(&hop); at; at = next_lower(&hop)) {
		struct real gbps;

		hop = read_hop(run, at);
		gbps = pci_link_gbps(&hop.speed, &hop.lanes);
		if (gbps.known && gbps.value < ret_gbps->value) {
			*ret_gbps = gbps;
			narrowest = hop;
		}
	}
	return narrowest;
}

static char *image_guid(struct doctor_context *run, const char *device)
{
	return sysfs_text(&run->facts->root, SYSFS_RDMA_CLASS "/%s/sys_image_guid", device);
}

/* Returns an RDMA device of the function, also of one that was not asked about. */
static char *device_of(struct doctor_context *run, const struct pci_function *function)
{
	_cleanup_(strings_free) struct strings names = {.known = false};

	sysfs_list(&run->facts->root, &names, "sys/bus/pci/devices/%s/infiniband",
		   function->address);
	return names.count ? mem_string(names.items[0]) : NULL;
}

/*
 * Adds up what the links of the same adapter in other slots carry for its port: Socket Direct, or
 * the two links of DGX Spark. Its functions share the system image GUID, as mlx5_same_hw_devs() of
 * mlx5/core/dev.c knows, and have the number of the port. All adapters of a host share that of
 * hfi1, hfi1_register_ib_device(). A hypervisor may put functions with one link into several slots.
 */
static double rate_of_other_slots(struct doctor_context *run)
{
	_cleanup_(freep) char *own = image_guid(run, run->device->kernel_name);
	double sum = 0;

	if (!own || !own[strspn(own, "0:")] ||
	    !number_is(&run->function->vendor_id, PCI_VENDOR_MELLANOX) ||
	    doctor_hypervisor(run->facts))
		return 0;
	for_each (other, &run->facts->pci) {
		_cleanup_(freep) char *device = device_of(run, other);
		_cleanup_(freep) char *guid = device ? image_guid(run, device) : NULL;
		_cleanup_(freep) char *name = NULL;
		struct real gbps;

		if (!guid || strcmp(own, guid) != 0 || other->function != run->function->function ||
		    pci_is_same_card(other, run->function) ||
		    pci_common_ancestor(other, run->function) ||
		    rdma_is_virtual(&run->facts->root, other, run->facts->problems))
			continue;
		find_narrowest(run, other, &gbps);
		if (!gbps.known)
			continue;
		name = text_clean(device, strlen(device));
		doctor_evidence(run, NULL, "%s at %s is the same adapter, with %.1f Gb/s", name,
				other->address, gbps.value);
		sum += gbps.value;
	}
	return sum;
}

/* Traffic of accelerators need not use the links to the processor. */
static struct judged judge_slow_links(struct doctor_context *run)
{
	struct pci_function *direct;

	switch (pci_find_data_direct(&run->facts->root, &run->facts->pci, run->function, &direct,
				     run->facts->problems)) {
	case PCI_PAIRING_NONE:
		return doctor_warning(run, "the PCIe links carry less than a port can send");
	case PCI_PAIRING_UNKNOWN:
		return doctor_not_checked(
			run, run->facts->root.live ? NEEDS_ROOT : NEEDS_LIVE,
			"the PCIe links carry less than a port can send, but the adapter may have "
			"a Data Direct function, which only serial numbers show");
	case PCI_PAIRING_GUESSED:
		doctor_evidence(
			run, NULL,
			"Data Direct function %s, if these are in the order of the adapters",
			direct->address);
		break;
	case PCI_PAIRING_KNOWN:
		doctor_evidence(run, NULL, "Data Direct function %s", direct->address);
		break;
	}
	doctor_next_step(run, "nothing to do for memory of accelerators; transfers from the host's "
			      "own memory cannot use all of the port's rate");
	return doctor_note(run,
			   "the PCIe links to the processor carry less than a port can send, but "
			   "traffic of accelerators has links of its own");
}

struct judged check_pcie_enough(struct doctor_context *run)
{
	struct real gbps;
	const struct hop hop = find_narrowest(run, run->function, &gbps);
	_cleanup_(freep) char *words = describe(&hop.speed, &hop.lanes);
	_cleanup_(freep) char *source = doctor_pci_source(hop.lower, "current_link_speed");
	double fastest, card;

	sum_rates(run->device, &fastest);
	if (!gbps.known)
		return doctor_unknown(run, "the bandwidth of the PCIe link");
	if (!fastest)
		return doctor_not_checked(
			run, 0, "no port is active, so the rate that is needed is not known");
	card = card_rate(run);
	doctor_evidence(run, source, "%s: %s, %.1f Gb/s", hop.lower->address, words, gbps.value);
	doctor_evidence(run, NULL, "the fastest port has %.1f Gb/s", fastest);
	if (card > fastest)
		doctor_evidence(run, NULL, "all ports of the card %.1f Gb/s", card);
	if (gbps.value >= card)
		return doctor_ok(run, "the PCIe links can carry what the ports can send");
	if (gbps.value >= fastest)
		return doctor_note(run,
				   "the PCIe links can carry one port, but not all ports of the "
				   "card at once");
	if (doctor_earlier(run, CHECK_ID_pcie_link) >= SEVERITY_WARNING)
		return doctor_because(run, CHECK_ID_pcie_link);
	if (gbps.value + rate_of_other_slots(run) >= fastest) {
		doctor_next_step(run, "let programs use the RDMA devices of all slots of the "
				      "adapter: one alone cannot use all of the port's rate");
		return doctor_note(run, "the PCIe links carry less than a port can send, but the "
					"adapter has others for it");
	}
	return judge_slow_links(run);
}
