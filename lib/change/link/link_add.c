/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a software device, and explains why the kernel refuses one. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "change/link/link.h"
#include "host/nldev_devices.h"
#include "kernel/modules.h"
#include "kernel/sysfs.h"

enum {
	READY_MSEC = 5000, /* for the port and its GIDs */
	FIRST_PAUSE_MSEC = 1,
	LONGEST_PAUSE_MSEC = 50,
};

/* Checks in the kernel's order: nldev_newlink(), rxe_newlink(), ib_register_device(). */
int link_check_add(struct change *change, const struct link_list *netdevs,
		   const struct link_wish *wish)
{
	const struct link *netdev = link_by_name(netdevs, wish->netdev);
	_cleanup_(freep) char *next = NULL;
	struct link_wish before;

	if (!netdev && netdevs->count && !netdevs->missing)
		return link_explain_add(change, wish, -ENODEV);
	if (netdev && netdev->kind && !strcmp(netdev->kind, "vlan") && !strcmp(wish->type, "rxe"))
		return link_explain_add(change, wish, -EPERM);
	if (strcmp(change->before, CHANGE_ABSENT)) {
		if (link_wish_parse(change->before, &before))
			next = mem_format("choose another name, or first: rdmactl link del %s",
					  change->object);
		return change_fail(change, -ENFILE, next ? next : "choose another name",
				   "%s already exists: %s", change->object, change->before);
	}
	return 0;
}

void link_note_module(struct change *change, const struct link_wish *wish)
{
	const char *module = enum_find_word(link_type_names, wish->type)->help;
	_cleanup_(root_close) struct root root = {.fd = -1};
	_cleanup_(freep) char *built_in = NULL;

	if (root_open(NULL, &root) || module_is_loaded(&root, module) != TRISTATE_NO)
		return;
	built_in = modules_read_built_in(&root);
	if (!module_is_built_in(built_in, module))
		change_note(change, "the kernel loads the module %s for it", module);
}

/*
 * The kernel knows the type only once its module is loaded; the request has tried to load it.
 * False: it is loaded, or that is unknown.
 */
static bool explain_missing_module(struct change *change, const struct link_wish *wish)
{
	const char *module = enum_find_word(link_type_names, wish->type)->help;
	const struct module_rule *rule;
	_cleanup_(module_rules_clear) struct module_rules rules = {.count = 0};
	_cleanup_(module_files_clear) struct module_files files = {.rc = 0};
	_cleanup_(freep) char *file = NULL, *next = NULL;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(NULL, &root) || module_is_loaded(&root, module) != TRISTATE_NO)
		return false;
	module_rules_read(&root, &rules);
	module_files_read(&root, &files);
	rule = module_rules_find(&rules, module, false);
	file = module_file(&files, module);
	if (rule) {
		next = mem_format("remove '%s' from %s", rule->text, rule->place);
		change_explain(change, next, "the kernel is not allowed to load the module %s: %s",
			       module, rule->place);
	} else if (!files.rc && !file) {
		next = mem_format("install the package with the additional modules of Linux %s "
				  "(linux-modules-extra, kernel-modules-extra), or another kernel",
				  files.release);
		change_explain(change, next, "Linux %s is installed without the module %s",
			       files.release, module);
	} else {
		next = mem_format("modprobe %s says why", module);
		change_explain(change, next, "the kernel could not load the module %s", module);
	}
	return true;
}

int link_explain_add(struct change *change, const struct link_wish *wish, int error)
{
	switch (error) {
	case -ENFILE: /* assign_name(), drivers/infiniband/core/device.c */
		change_explain(change, "rdmactl devices lists the names; choose another one",
			       "another device has the name %s", change->object);
		break;
	case -EEXIST: /* rxe_newlink(), siw_newlink() */
		change_explain(change, "rdmactl link lists the software devices",
			       "%s already has a device of type %s", wish->netdev, wish->type);
		break;
	case -EPERM: /* rxe_newlink(): is_vlan_dev() */
		change_explain(change,
			       "create it on the netdev below the VLAN: it also gets the VLAN's "
			       "addresses as GIDs",
			       "%s is a VLAN, on which the kernel allows no device of type rxe",
			       wish->netdev);
		break;
	case -ENODEV: /* nldev_newlink(): dev_get_by_name() */
		change_explain(change, "ip link lists those of this network namespace",
			       "no netdev '%s'", wish->netdev);
		break;
	case -ENOENT: /* rxe_icrc_init(): crypto_alloc_shash() */
		change_explain(change, "install the module crc32_generic of this kernel",
			       "the kernel has no crc32, which rxe needs");
		break;
	case -EINVAL: /* siw_dev_qualified(); or link_ops_get() found nothing */
		if (!explain_missing_module(change, wish))
			change_explain(change, "choose an Ethernet netdev",
				       "%s does not work on a netdev such as %s", wish->type,
				       wish->netdev);
		break;
	default:
		break;
	}
	return error;
}

static bool has_gid(const struct root *root, const char *name)
{
	char gid[SYSFS_TEXT_SIZE];

	return sysfs_read(root, gid, SYSFS_RDMA_CLASS "/%s/ports/1/gids/0", name) > 0 &&
	       strspn(gid, "0:") != strlen(gid);
}

/* Finds it by name, or by type and netdev if udev has already renamed it, see link_follow(). */
static const char *find_made(const struct software_links *links, const struct change *change,
			     const struct link_wish *wish)
{
	const struct software_link *link = software_links_find(links, change->object);

	if (!link)
		link = software_links_find_on(links, wish->type, wish->netdev);
	return link ? link->name : NULL;
}

/* Waits until the device has its port and a GID. A port without any is noted, but is no failure. */
static int wait_until_ready(struct change *change, const struct link_wish *wish)
{
	const uint64_t end = clock_msec() + READY_MSEC;
	unsigned int pause = FIRST_PAUSE_MSEC;
	_cleanup_(root_close) struct root root = {.fd = -1};
	bool ready = false, late = false;
	int rc = root_open(NULL, &root);

	while (!rc && !ready && !late) {
		_cleanup_(software_links_clear) struct software_links links = {.count = 0};
		const char *name;

		/* Set before the last check, because this process may be stopped after it. */
		late = clock_msec() >= end;
		rc = software_links_read(NULL, &links, NULL);
		rc = rc == -ENODEV ? 0 : rc;
		name = find_made(&links, change, wish);
		ready = name && has_gid(&root, name);
		if (rc || ready || late)
			break;
		nanosleep(&(struct timespec){.tv_nsec = pause * 1000000L}, NULL);
		pause = pause * 2 < LONGEST_PAUSE_MSEC ? pause * 2 : LONGEST_PAUSE_MSEC;
	}
	if (!rc && !ready)
		change_note(change,
			    "its port has no GID yet: is %s up, and does it have an address?",
			    wish->netdev);
	return rc;
}

int link_add(struct change *change, const struct link_wish *wish)
{
	struct netlink *nldev;
	int rc = change_host_nldev(change->host, &nldev)
			 ?: nldev_add_link(nldev, change->object, wish->type, wish->netdev);

	if (!rc)
		return wait_until_ready(change, wish);
	/* If the device exists now, somebody else made it at the same time. */
	change->written = false;
	return link_explain_add(change, wish, rc);
}
