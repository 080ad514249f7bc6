/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the chain from the RDMA device to programs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "doctor/stack/stack.h"
#include "kernel/sysfs.h"
#include "kernel/verbs/verbs.h"

bool stack_has_devices(struct doctor_context *run)
{
	return run->facts->inventory.devices.count;
}

/* Subnets of these transports have a manager, and tools that reach it through ib_umad. */
static bool has_umad(const struct device *device)
{
	return doctor_transports(device, NULL) & (ON_TRANSPORT(INFINIBAND) | ON_TRANSPORT(OPA));
}

/* The RDMA CM serves all transports but EFA and usNIC: rdma_cap_ib_cm() and rdma_cap_iw_cm(). */
static bool has_cm(const struct device *device)
{
	return has_umad(device) ||
	       doctor_transports(device, NULL) & (ON_TRANSPORT(ROCE) | ON_TRANSPORT(IWARP));
}

/*
 * A path that each module creates; if it does not exist, the module is neither loaded nor built in.
 */
static const struct user_module {
	const char *module, *path;
	bool (*is_for)(const struct device *device); /* NULL: for every device */
	bool on_demand;
} user_modules[] = {
	{"ib_uverbs", "sys/class/infiniband_verbs", NULL, true},
	{"rdma_ucm", "sys/class/misc/rdma_cm", has_cm, true},
	{"ib_umad", "sys/class/infiniband_mad", has_umad, false},
};

static bool is_wanted(const struct doctor_context *run, const struct user_module *row)
{
	for_each (device, &run->facts->inventory.devices)
		if (!row->is_for || row->is_for(device))
			return true;
	return false;
}

/* Adds the configured rule that keeps a module from being loaded; returns false if none does. */
static bool blame(struct doctor_context *run, const char *module)
{
	const struct module_rule *rule;

	if (!stack_sees_modules(run))
		return false;
	rule = module_rules_find(doctor_module_rules(run->facts), module, false);
	if (rule)
		doctor_blame_rule(run, rule, module);
	return rule;
}

struct judged check_verbs_modules(struct doctor_context *run)
{
	_cleanup_(freep) char *missing = NULL, *there = NULL;
	bool verbs = true, needed = false, prevented = false;

	for (size_t i = 0; i < ARRAY_SIZE(user_modules); i++) {
		const char *module = user_modules[i].module;
		int rc = sysfs_open_directory(&run->facts->root, user_modules[i].path);

		if (rc && rc != -ENOENT) {
			_cleanup_(freep) char *source = mem_format("/%s", user_modules[i].path);

			return doctor_unread(run, "a class directory", source, rc, false);
		}
		if (!rc) {
			mem_extend(&there, "%s%s", there ? ", " : "", module);
		} else if (is_wanted(run, &user_modules[i])) {
			verbs &= i > 0;
			mem_extend(&missing, "%s%s", missing ? " " : "", module);
		}
	}
	if (!missing) {
		doctor_evidence(run, "/sys/class", "%s", there);
		return doctor_ok(run, "the modules for user space are loaded");
	}
	/* Every host has /sys/module: a tree without it has only a part of a host's files. */
	if (!run->facts->root.live && !sysfs_has_directory(&run->facts->root, "sys/module")) {
		doctor_evidence(run, "/sys/module", "the saved tree has no /sys/module");
		return doctor_not_checked(run, NEEDS_LIVE,
					  "the saved tree lacks the loaded modules");
	}
	doctor_evidence(run, "/sys/class", "not loaded: %s", missing);
	doctor_next_step(run,
			 "%smodprobe -a %s; to load them at every start, list them in "
			 "/etc/modules-load.d/rdma.conf",
			 doctor_on_host(run), missing);
	/*
	 * libibverbs and librdmacm ask netlink for their device files, and the kernel loads the
	 * module to answer (ib_get_client_nl_info() in drivers/infiniband/core/device.c); for
	 * libibumad it does not. Without ib_uverbs, there are no device files to check.
	 */
	for (size_t i = ARRAY_SIZE(user_modules); i-- > 0;) {
		if (!strstr(missing, user_modules[i].module))
			continue;
		prevented = blame(run, user_modules[i].module);
		needed |= prevented || !user_modules[i].on_demand;
	}
	if (!verbs)
		doctor_blocks(run);
	if (!verbs && prevented)
		return doctor_error(
			run, "programs cannot use the RDMA devices: ib_uverbs is not loaded");
	if (needed)
		return doctor_warning(run, "a module for user space is not loaded");
	return doctor_note(run,
			   "a module for user space is not loaded; the kernel tries to load it "
			   "when a program needs it");
}

enum node_fault doctor_judge_node(const struct stat *status, int stat_error, int access_error,
				  const char *number)
{
	char found[64];

	if (stat_error == ENOENT || stat_error == ENOTDIR)
		return NODE_MISSING;
	if (stat_error)
		return stat_error == EACCES ? NODE_DENIED : NODE_UNREADABLE;
	if (!S_ISCHR(status->st_mode))
		return NODE_NO_DEVICE;
	snprintf(found, sizeof(found), "%u:%u", major(status->st_rdev), minor(status->st_rdev));
	if (number && strcmp(number, found))
		return NODE_OTHER_NUMBER;
	if (access_error == EACCES)
		return NODE_DENIED;
	/* devcgroup_inode_permission(), called last by inode_permission() of fs/namei.c. */
	if (access_error == EPERM)
		return NODE_FORBIDDEN;
	/* EROFS concerns regular files: access(2). */
	return access_error && access_error != EROFS ? NODE_UNREADABLE : NODE_FINE;
}

/* A saved tree may have the names of the nodes, but nothing else about them. */
static struct device_node read_saved_node(struct doctor_facts *facts, const char *name)
{
	_cleanup_(freep) char *path = mem_format("dev/infiniband/%s", name);
	_cleanup_(closep) int fd = -1;
	struct device_node node = {.fault = NODE_NOT_SAVED};

	if (!sysfs_has_directory(&facts->root, "dev/infiniband"))
		return node;
	fd = sysfs_open(&facts->root, path, 0);
	node.rc = fd < 0 ? fd : 0;
	node.fault = fd == -EACCES ? NODE_DENIED : NODE_FINE;
	if (fd == -ENOENT)
		node.fault = NODE_MISSING;
	if (fd == -EPERM)
		node.fault = NODE_FORBIDDEN;
	return node;
}

/*
 * Whether access(2) itself is refused, by a system call filter: control groups do not apply to a
 * directory (devcgroup_inode_permission() again).
 */
static bool is_call_refused(void)
{
	return access("/dev/infiniband", F_OK) && errno == EPERM;
}

struct device_node doctor_read_node(struct doctor_facts *facts, const char *class, const char *name)
{
	_cleanup_(freep) char *path = mem_format("/dev/infiniband/%s", name);
	char number[SYSFS_TEXT_SIZE];
	struct device_node node = {0};
	int stat_error, access_error = 0;

	if (!facts->root.live)
		return read_saved_node(facts, name);
	stat_error = stat(path, &node.status) ? errno : 0;
	/* With the effective user ID, like open(2). */
	if (!stat_error && faccessat(AT_FDCWD, path, R_OK | W_OK, AT_EACCESS))
		access_error = errno;
	/* System call filters that do not know faccessat2(2) refuse it with EPERM, too. */
	if (access_error == EPERM)
		access_error = access(path, R_OK | W_OK) ? errno : 0;
	if (sysfs_read(&facts->root, number, "sys/class/%s/%s/dev", class, name) <= 0)
		number[0] = '\0';
	node.fault = doctor_judge_node(&node.status, stat_error, access_error,
				       number[0] ? number : NULL);
	if (node.fault == NODE_FORBIDDEN && is_call_refused())
		node.fault = NODE_UNREADABLE;
	node.rc = stat_error ? -stat_error : -access_error;
	node.known = !stat_error;
	return node;
}

static void add_node(struct doctor_context *run, const char *name, const struct device_node *node)
{
	_cleanup_(freep) char *path = mem_format("/dev/infiniband/%s", name);

	if (node->fault == NODE_MISSING)
		doctor_evidence(run, path, "%s is missing", name);
	else if (node->known)
		doctor_evidence(run, path, "%s has mode %04o, owner %u:%u, number %u:%u", name,
				node->status.st_mode & 07777, node->status.st_uid,
				node->status.st_gid, major(node->status.st_rdev),
				minor(node->status.st_rdev));
	else
		doctor_evidence(run, path, "%s is there", name);
	if (node->fault == NODE_FORBIDDEN || node->fault == NODE_DENIED)
		doctor_evidence(run, path, "%s: %s", name, strerror(-node->rc));
}

/* Judges a uverbs device file that is not fine. */
static struct judged judge_uverbs(struct doctor_context *run, const char *name,
				  const struct device_node *node)
{
	const bool given = !doctor_is_contained(run) ||
			   !run->facts->request->run[CHECK_ID_container_devices];

	if (!given && (node->fault == NODE_MISSING || node->fault == NODE_FORBIDDEN))
		return doctor_because(run, CHECK_ID_container_devices);
	switch (node->fault) {
	case NODE_FORBIDDEN:
		doctor_next_step(run, "allow the device where this process is started: --device of "
				      "a container, DeviceAllow of a unit, gres.conf of Slurm");
		return doctor_error(
			run, "a control group keeps this process from the uverbs device file");
	case NODE_MISSING:
		doctor_next_step(run,
				 "udevadm trigger --action=add --subsystem-match=infiniband_verbs; "
				 "without udev: mknod with the number in "
				 "/sys/class/infiniband_verbs/%s/dev",
				 name);
		return doctor_error(run, "the uverbs device file is missing");
	case NODE_NO_DEVICE:
	case NODE_OTHER_NUMBER:
		doctor_evidence(run, "/sys/class/infiniband_verbs",
				"the kernel's number is in /sys/class/infiniband_verbs/%s/dev",
				name);
		doctor_next_step(run,
				 "remove /dev/infiniband/%s, then: udevadm trigger --action=add "
				 "--subsystem-match=infiniband_verbs",
				 name);
		return doctor_error(run, "the uverbs device file leads to another device");
	case NODE_DENIED:
		if (node->known)
			doctor_evidence(run, NULL, "this user is %u", geteuid());
		doctor_evidence(run, NULL, "the kernel's mode is 0666");
		doctor_next_step(
			run,
			"grep -r infiniband /etc/udev/rules.d for a rule that sets the mode or the "
			"group, or join that group; for now: chmod 0666 /dev/infiniband/%s",
			name);
		return doctor_error(run, "this user may not open the uverbs device file");
	default:
		return doctor_unread(run, "the uverbs device file", "/dev/infiniband", node->rc,
				     false);
	}
}

static bool has_missing_umad(struct doctor_context *run)
{
	for (size_t i = 0; i < run->device->umads.count; i++) {
		const char *name = run->device->umads.items[i];
		struct device_node node = doctor_read_node(run->facts, "infiniband_mad", name);

		if (node.fault != NODE_MISSING)
			continue;
		add_node(run, name, &node);
		return true;
	}
	return false;
}

struct judged check_device_nodes(struct doctor_context *run)
{
	const struct device *device = run->device;
	struct device_node uverbs, cm;
	bool cm_wanted;

	if (!device->uverbs) {
		/* A sub-device for subnet management has none: ib_uverbs_add_one(). */
		if (device->sub_type.known || device->parent)
			return doctor_does_not_apply(run);
		if (run->facts->request->root)
			return doctor_not_checked(run, NEEDS_LIVE,
						  "it has no uverbs device, which only "
						  "sub-devices may lack");
		if (device->uverbs_unknown)
			return doctor_unknown(run, "its uverbs device");
		doctor_evidence(run, "/sys/class/infiniband_verbs", "no entry for %s",
				device->name);
		doctor_next_step(run, "dmesg | grep uverbs");
		return doctor_error(run, "ib_uverbs has created no device for it");
	}
	uverbs = doctor_read_node(run->facts, "infiniband_verbs", device->uverbs);
	if (uverbs.fault == NODE_NOT_SAVED)
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no device files");
	add_node(run, device->uverbs, &uverbs);
	if (uverbs.fault != NODE_FINE)
		return judge_uverbs(run, device->uverbs, &uverbs);
	cm = doctor_read_node(run->facts, "misc", "rdma_cm");
	cm_wanted = has_cm(device) &&
		    sysfs_has_directory(&run->facts->root, "sys/class/misc/rdma_cm");
	/* Without its module there is no such file, and nothing is missing. */
	if (cm_wanted || cm.fault == NODE_FINE)
		add_node(run, "rdma_cm", &cm);
	if (cm.fault != NODE_FINE && cm_wanted) {
		doctor_next_step(run, "udevadm trigger --action=add --subsystem-match=misc; in a "
				      "container, add the device /dev/infiniband/rdma_cm");
		return doctor_warning(run,
				      "connections by IP address fail: rdma_cm cannot be opened");
	}
	if (has_umad(device) && !doctor_is_contained(run) && has_missing_umad(run)) {
		doctor_next_step(run,
				 "udevadm trigger --action=add --subsystem-match=infiniband_mad");
		return doctor_note(run, "a device file for management datagrams is missing");
	}
	return doctor_ok(run, run->facts->root.live ? "this user may open the device files"
						    : "the device files are there");
}

/* Returns the device's kernel module, by the driver in the inventory. */
static const char *module_of(const struct device *device)
{
	const struct rdma_driver *row = rdma_driver_of_module(device->driver);

	return row ? row->module : device->driver;
}

static struct judged find_no_library(struct doctor_context *run, const struct providers *providers)
{
	if (run->facts->request->root && !providers->names.count)
		return doctor_not_checked(run, NEEDS_LIVE, "the saved tree has no libraries");
	doctor_evidence(run, NULL, "no libibverbs.so.1 in the loader's directories");
	doctor_next_step(run,
			 "apt install libibverbs1 ibverbs-providers, or dnf install libibverbs");
	return doctor_warning(
		run, "libibverbs is not installed: no program can use the device through verbs");
}

/* Such a library has no effect: dlopen() of libibverbs finds none of its bare name. */
static struct judged find_not_searched(struct doctor_context *run, const char *library)
{
	const int length = (int)(strrchr(library, '/') - library);

	doctor_evidence(run, "/etc/ld.so.conf",
			"%s is there, but the configuration of the loader does not name its "
			"directory",
			library);
	doctor_next_step(run, "add the line %.*s to /etc/ld.so.conf, and run ldconfig", length,
			 library);
	return doctor_warning(run,
			      "the loader is not configured to find the library for the driver");
}

struct judged check_provider(struct doctor_context *run)
{
	const struct providers *providers = doctor_providers(run->facts);
	const char *module = run->device->driver ? module_of(run->device) : NULL;
	const char *name = verbs_provider(module);
	_cleanup_(freep) char *library = NULL, *directory = NULL;
	enum provider_state state;

	if (!module)
		return doctor_unknown(run, "the driver of the device");
	if (!name) {
		/* usNIC is used through libfabric: rdma-hw-modules.rules of rdma-core. */
		if (!strcmp(module, "usnic_verbs"))
			return doctor_does_not_apply(run);
		return doctor_not_checked(run, 0, "the provider of %s is not known", module);
	}
	if (!providers->directory)
		return find_no_library(run, providers);
	if (providers->rc && providers->rc != -ENOENT) {
		doctor_evidence(run, "/" PROVIDERS_CONFIG, "%s", strerror(-providers->rc));
		return doctor_unknown(run, "the configuration of libibverbs");
	}
	state = providers_find(&run->facts->root, providers, name, &library);
	directory = mem_format("/%s", providers->directory);
	if (providers->abi)
		doctor_evidence(run, directory, "libibverbs expects lib%s-rdmav%s.so", name,
				providers->abi);
	switch (state) {
	case PROVIDER_ELSEWHERE:
		return doctor_not_checked(run, 0, "the provider %s is configured by its path",
					  name);
	case PROVIDER_NOT_SEARCHED:
		return find_not_searched(run, library);
	case PROVIDER_LOCAL:
		doctor_evidence(run, "/" PROVIDERS_CONFIG,
				"%s is there, but what /etc/ld.so.conf says of its directory is "
				"not known",
				library);
		doctor_next_step(run, "ldconfig -p | grep lib%s shows whether the loader finds it",
				 name);
		return doctor_not_checked(run, run->facts->root.live ? 0 : NEEDS_LIVE,
					  "whether the loader finds the library for the driver is "
					  "not known");
	case PROVIDER_THERE:
		doctor_evidence(run, "/" PROVIDERS_CONFIG, "%s is there", library);
		return doctor_ok(run, "the library for the driver is installed");
	case PROVIDER_NOT_CONFIGURED:
		doctor_evidence(run, "/" PROVIDERS_CONFIG, "no line \"driver %s\"%s%s", name,
				library ? "; the library is there: " : "", library ? library : "");
		return doctor_error(run, "libibverbs is not configured to load the provider %s",
				    name);
	case PROVIDER_OTHER_ABI:
		doctor_evidence(run, NULL, "there is only %s", library);
		doctor_next_step(run,
				 "install libibverbs and its providers from one source, in one "
				 "release");
		return doctor_error(
			run, "the provider %s is from another rdma-core than libibverbs", name);
	case PROVIDER_NO_LIBRARY:
		doctor_evidence(run, directory, "no lib%s-rdmav*.so", name);
		break;
	}
	return doctor_error(run, "the library of the provider %s is missing", name);
}
