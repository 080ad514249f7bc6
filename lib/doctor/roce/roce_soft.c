/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* firewall: filters that may affect the packets of software RDMA devices. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/roce/roce.h"
#include "doctor/stack/stack.h"

bool roce_is_software(struct doctor_context *run)
{
	return run->device->software && run->device->driver &&
	       (!strcmp(run->device->driver, "rdma_rxe") || !strcmp(run->device->driver, "siw"));
}

/*
 * Modules that filter packets or hold rules. The tables of iptables exist as soon as their module
 * is loaded; nf_tables holds whatever rules were added, and may be empty.
 */
static const char *const filters[] = {
	"nf_tables",	     "iptable_filter", "ip6table_filter", "iptable_raw",
	"ip6table_raw",	     "iptable_mangle", "ip6table_mangle", "iptable_security",
	"ip6table_security", "ebtable_filter",
};

/* Whether the text of /proc/modules has the module: "nf_tables 372736 0 - Live 0x0 ...". */
static bool is_loaded(const char *modules, const char *name)
{
	_cleanup_(freep) char *label = mem_format("%s ", name);

	return text_line(modules, label);
}

/*
 * Lists those of `filters` that the kernel has, separated by commas; NULL: none. 0 or -errno. They
 * are looked for once: for eight devices, that was half of the instructions of a whole run.
 */
static int find_filters(struct doctor_facts *facts, const char **ret_found)
{
	_cleanup_(freep) char *modules = NULL;

	if (doctor_is_first(&facts->filters_were_read)) {
		facts->filters_rc = sysfs_read_long(&facts->root, &modules, "proc/modules");
		for (size_t i = 0; modules && i < ARRAY_SIZE(filters); i++)
			if (is_loaded(modules, filters[i]) ||
			    module_is_built_in(doctor_built_in_modules(facts), filters[i]))
				mem_extend(&facts->filters, "%s%s", facts->filters ? ", " : "",
					   filters[i]);
	}
	*ret_found = facts->filters;
	return facts->filters_rc;
}

/* nft does not list the rules of the legacy tables, nor vice versa: xtables-nft(8). */
static void advise(struct doctor_context *run, const char *found, bool rxe)
{
	const bool nft = strstr(found, "nf_tables"), old = strstr(found, "table_");

	doctor_next_step(
		run, "as root: %s%s%s, and see what the chains of input and output do with %s",
		nft ? "nft list ruleset" : "", nft && old ? "; " : "",
		old ? "iptables-legacy-save; ip6tables-legacy-save (or without -legacy)" : "",
		rxe ? "udp dport 4791" : "tcp");
}

static struct judged find_no_filter(struct doctor_context *run)
{
	if (!doctor_built_in_modules(run->facts)) {
		doctor_evidence(run, "/proc/modules",
				"neither nf_tables nor an iptables table; no modules.builtin");
		return doctor_not_checked(
			run, run->facts->request->root ? NEEDS_LIVE : 0,
			"no packet filter is loaded; whether one is built into the "
			"kernel is not known");
	}
	doctor_evidence(run, "/proc/modules",
			"neither nf_tables nor an iptables table, loaded or built in");
	return doctor_ok(run, "the kernel has no nftables or iptables packet filter");
}

/*
 * Does not examine whether the rules let the packets pass: an nfnetlink socket could load modules
 * and needs CAP_NET_ADMIN, and only the kernel knows what a set of rules does to a packet.
 */
struct judged check_firewall(struct doctor_context *run)
{
	const bool rxe = !strcmp(run->device->driver, "rdma_rxe");
	const char *packets = rxe ? "UDP port 4791" : "the TCP ports of its connections";
	const char *found;
	const int rc = find_filters(run->facts, &found);

	if (rc == -ENOENT && !run->facts->inventory.answers)
		return doctor_not_checked(run, NEEDS_LIVE,
					  "a saved tree does not hold the loaded modules");
	if (rc)
		return doctor_unread(run, "the loaded modules", "/proc/modules", rc, false);
	if (!found)
		return find_no_filter(run);
	doctor_evidence(run, "/proc/modules", "in the kernel: %s; the device needs %s", found,
			packets);
	advise(run, found, rxe);
	return doctor_not_checked(
		run, 0,
		"the kernel has a packet filter; whether it drops the packets of the "
		"device is not known");
}
