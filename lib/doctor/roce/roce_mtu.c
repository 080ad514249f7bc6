/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* roce-mtu: the RDMA MTU that the MTUs of the netdevs allow. */
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"
#include "host/endpoint/endpoint_search.h"

/*
 * Whether the device is a full adapter port: virtual functions and subfunctions serve other
 * purposes and may have another MTU.
 */
static bool is_physical(const struct doctor_context *run, const struct device *device)
{
	struct pci_function *function = doctor_function_of(run->facts, device);

	if (!function)
		return false;
	pci_read(&run->facts->root, function, PCI_VIRTUAL, NULL);
	return !function->physfn && !device_is_subfunction(&run->facts->root, device);
}

/* Active ports of the same board have the same purpose, unless the user says otherwise. */
static bool is_peer(struct doctor_context *run, const struct device *device,
		    const struct port *port)
{
	return port != run->port && device->board_id && roce_is_alike(run, device, port) &&
	       is_physical(run, device) && is_physical(run, run->device);
}

/* Returns the largest RDMA MTU of any port's netdev: most hosts use a single MTU. */
static unsigned int largest_mtu(struct doctor_context *run)
{
	struct doctor_roce *roce = DOCTOR_PART(run->facts, roce);

	if (!doctor_is_first(&roce->largest_mtu_is_known))
		return roce->largest_mtu;
	for_each_port (device, port, &run->facts->inventory.devices) {
		const struct link *link = roce_port_link(&run->facts->inventory, port);
		const unsigned int mtu = link && link->mtu_bytes.known
						 ? roce_mtu(link->mtu_bytes.value)
						 : 0;

		if (mtu > roce->largest_mtu)
			roce->largest_mtu = mtu;
	}
	return roce->largest_mtu;
}

/* Whether a port with the same purpose has a larger MTU; names it in the evidence. */
static bool is_less_than_peers(struct doctor_context *run, unsigned int mtu)
{
	if (mtu >= largest_mtu(run))
		return false;
	for_each_port (device, port, &run->facts->inventory.devices) {
		const struct link *link = roce_port_link(&run->facts->inventory, port);

		if (!link || !link->mtu_bytes.known || roce_mtu(link->mtu_bytes.value) <= mtu ||
		    !is_peer(run, device, port))
			continue;
		doctor_evidence(run, NULL, "%s of %s/%u on the same board has %u", link->name,
				device->name, (unsigned int)port->port.value,
				roce_mtu(link->mtu_bytes.value));
		return true;
	}
	return false;
}

static void advise_mtu_of(struct doctor_context *run, const struct link *link,
			  const struct link *own)
{
	_cleanup_(freep) char *name = text_quote(link->name);

	doctor_next_step(run,
			 "if every switch and host of the fabric supports it: ip link set dev %s "
			 "mtu %u, the MTU of %s",
			 name, (unsigned int)own->mtu_bytes.value, own->name);
}

/*
 * Counts members of the bond and VLANs of the port that allow a smaller RDMA MTU than the port's
 * netdev. The next step is for the first of them, to match the port.
 */
static size_t count_smaller(struct doctor_context *run, const struct link *own, bool legs)
{
	const struct link_list *links = &run->facts->inventory.links;
	const struct link *bond = roce_port_bond(&run->facts->inventory, run->port);
	size_t smaller = 0;

	for_each (link, links) {
		const bool leg = bond && link_by_index(links, &link->master_index) == bond;

		/* Compare the MTU first: finding the port of a netdev takes longer. */
		if (link == own || !link->mtu_bytes.known || leg != legs ||
		    roce_mtu(link->mtu_bytes.value) >= roce_mtu(own->mtu_bytes.value) ||
		    (!leg && !endpoint_is_of_port(&run->facts->inventory, run->port, link)))
			continue;
		doctor_evidence(run, NULL, "%s: MTU %u, RDMA MTU %u", link->name,
				(unsigned int)link->mtu_bytes.value,
				roce_mtu(link->mtu_bytes.value));
		if (!smaller++)
			advise_mtu_of(run, link, own);
	}
	return smaller;
}

/* With --probe, the device itself reports its active MTU. */
static bool is_active_less(struct doctor_context *run, unsigned int mtu)
{
	const struct port *port = run->port;

	if (!port->active_mtu_bytes.known)
		return false;
	if (port->max_mtu_bytes.known)
		doctor_evidence(run, "verbs", "active RDMA MTU %u, at most %u",
				(unsigned int)port->active_mtu_bytes.value,
				(unsigned int)port->max_mtu_bytes.value);
	else
		doctor_evidence(run, "verbs", "active RDMA MTU %u",
				(unsigned int)port->active_mtu_bytes.value);
	return port->active_mtu_bytes.value < mtu &&
	       (!port->max_mtu_bytes.known ||
		port->active_mtu_bytes.value < port->max_mtu_bytes.value);
}

/* Returns the MTU to set: the usual one, or less if the driver does not allow that. */
static unsigned int best_mtu(struct doctor_context *run, const struct link *own)
{
	enum { USUAL = 9000 };
	uint64_t best = USUAL;

	for (const struct link *leg = roce_next_member(&run->facts->inventory, own, NULL); leg;
	     leg = roce_next_member(&run->facts->inventory, own, leg)) {
		const struct number *most = &leg->max_mtu_bytes;

		if (!most->known || !most->value || most->value >= best)
			continue;
		best = most->value;
		doctor_evidence(run, NULL, "the driver of %s allows at most %u", leg->name,
				(unsigned int)best);
	}
	return (unsigned int)best;
}

static struct judged judge(struct doctor_context *run, const struct link *own)
{
	const unsigned int mtu = roce_mtu(own->mtu_bytes.value), best = best_mtu(run, own);
	const bool less = is_active_less(run, mtu);
	_cleanup_(freep) char *name = text_quote(own->name);

	if (roce_mtu(best) > mtu)
		doctor_next_step(run,
				 "if every switch and host of the fabric supports it: rdmactl roce "
				 "set %s mtu %u",
				 name, best);
	else
		doctor_next_step(run, "the driver does not allow an MTU that is large enough for "
				      "a larger RDMA MTU");
	if (!mtu)
		return doctor_error(run, "the MTU of the netdev leaves no room for RDMA");
	if (count_smaller(run, own, true))
		return doctor_warning(run, "members of the bond have a smaller MTU than the bond");
	if (is_less_than_peers(run, mtu))
		return doctor_warning(
			run, "the RDMA MTU is smaller than that of other ports of the same "
			     "board");
	if (less) {
		_cleanup_(freep) char *device = text_quote(run->device->name);

		doctor_next_step(run,
				 "the kernel log may have the reason: dmesg | grep -e %s -e %s",
				 device, name);
		return doctor_warning(run, "the active RDMA MTU is smaller than the netdev allows");
	}
	if (count_smaller(run, own, false))
		return doctor_note(run, "VLANs of the port have a smaller RDMA MTU than the port");
	if (mtu < PORT_LARGEST_MTU && !endpoint_is_active(run->port))
		return doctor_not_checked(run, 0,
					  "the port is not active, so its MTU does not matter yet");
	if (mtu < PORT_LARGEST_MTU && roce_mtu(best) <= mtu)
		return doctor_ok(
			run, "the RDMA MTU is the largest that the driver of the netdev allows");
	if (mtu < PORT_LARGEST_MTU)
		return doctor_note(
			run, "the MTU of the netdev does not allow the full RDMA MTU of 4096");
	return doctor_ok(run, "the netdev allows the full RDMA MTU of 4096");
}

struct judged check_roce_mtu(struct doctor_context *run)
{
	const struct link *own = roce_own_netdev(run);
	static const char expected[] = "4192"; /* 4096 and the 96 bytes of headers of roce_mtu() */
	_cleanup_(freep) char *actual = NULL;

	if (!own)
		return doctor_judged(run);
	if (!own->mtu_bytes.known)
		return doctor_unknown(run, "the MTU of the netdev");
	actual = mem_format("%u", (unsigned int)own->mtu_bytes.value);
	doctor_expected(run, expected, actual);
	doctor_evidence(run, "netdev mtu", "%s: MTU %s, so the RDMA MTU is %u; 4096 needs %s",
			own->name, actual, roce_mtu(own->mtu_bytes.value), expected);
	return judge(run, own);
}
