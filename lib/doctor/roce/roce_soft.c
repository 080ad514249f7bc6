/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* firewall: what may filter the packets of software RDMA devices. */
#include <unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/roce/roce.h"
#include "doctor/stack/stack.h"

bool roce_is_software(struct doctor_context *run)
{
	return run->device->software && run->device->driver &&
	       (!strcmp(run->device->driver, "rdma_rxe") || !strcmp(run->device->driver, "siw"));
}

/*
 * Modules that filter, or that rules are kept in. The tables of iptables exist as soon as their
 * module is loaded; nf_tables holds whatever was put into it, and may be empty.
 */
static const char *const filters[] = {
	"nf_tables",	"iptable_filter", "ip6table_filter", "iptable_raw",
	"ip6table_raw", "iptable_mangle", "ip6table_mangle", "ebtable_filter",
};

/* Whether the module is in the text of /proc/modules: "nf_tables 372736 0 - Live 0x0 ...". */
static bool is_loaded(const char *modules, const char *name)
{
	const size_t length = strlen(name);

	for (const char *line = modules; *line;) {
		const size_t end = strcspn(line, "\n");

		if (!strncmp(line, name, length) && line[length] == ' ')
			return true;
		line += end + (line[end] == '\n');
	}
	return false;
}

/* Those of `filters` that the kernel has, with commas between; NULL: none. -errno in ret_rc. */
static char *find_filters(const struct doctor_context *run, int *ret_rc)
{
	_cleanup_(freep) char *modules = NULL;
	char *found = NULL;

	*ret_rc = sysfs_read_long(&run->facts->root, &modules, "proc/modules");
	for (size_t i = 0; !*ret_rc && i < ARRAY_SIZE(filters); i++)
		if (is_loaded(modules, filters[i]) ||
		    module_is_built_in(doctor_module_files(run->facts), filters[i]))
			mem_extend(&found, "%s%s", found ? ", " : "", filters[i]);
	return found;
}

/*
 * Whether rules of the loaded filters let the packets pass is not asked: a socket of nfnetlink
 * could load modules and needs CAP_NET_ADMIN, and what a set of rules does to a packet only the
 * kernel can tell.
 */
void check_firewall(struct doctor_context *run)
{
	const bool rxe = !strcmp(run->device->driver, "rdma_rxe");
	const char *packets = rxe ? "UDP port 4791" : "the TCP ports of its connections";
	_cleanup_(freep) char *found = NULL;
	int rc;

	found = find_filters(run, &rc);
	if (rc == -ENOENT && !run->facts->inventory.live) {
		doctor_not_checked(run, NEEDS_LIVE,
				   "a saved tree does not hold the loaded modules");
		return;
	}
	if (rc) {
		doctor_unread(run, "the loaded modules", "/proc/modules", rc, false);
		return;
	}
	if (!found) {
		doctor_evidence(run, "/proc/modules",
				"neither nf_tables nor a table of iptables, loaded or built in");
		doctor_ok(run, "the kernel has no packet filter");
		return;
	}
	doctor_evidence(run, "/proc/modules", "in the kernel: %s; the device needs %s", found,
			packets);
	doctor_next_step(run,
			 rxe ? "as root: nft list ruleset, and look for what happens to udp dport "
			       "4791 in the chains of input and output"
			     : "as root: nft list ruleset, and look for what happens to tcp in the "
			       "chains of input and output");
	doctor_not_checked(run, geteuid() ? NEEDS_ROOT : 0,
			   "the kernel has a packet filter; whether it drops the packets of the "
			   "device is not known");
}
