/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The number of virtual functions in sysfs: sriov_numvfs_store() in drivers/pci/iov.c. */
#include "change/sriov/sriov.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/holders.h"
#include "change/session.h"
#include "host/sriov/card.h"
#include "host/sriov/function.h"

#define TOTAL_FILE     "sriov_totalvfs"
#define AUTOPROBE_FILE "sriov_drivers_autoprobe"

enum { MOST_VFS = UINT16_MAX }; /* kstrtou16() in the kernel */

const struct enum_name sriov_on_off[] = {
	{0, "off", TONE_PLAIN, NULL},
	{1, "on", TONE_PLAIN, NULL},
	{0},
};

/* Reads an attribute of the function on the live system. 0 or -errno. */
static int read_file(const struct change *change, const char *file, char text[SYSFS_TEXT_SIZE])
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	ssize_t length;
	int rc = root_open(NULL, &root);

	if (rc)
		return rc;
	length = sysfs_read(&root, text, "%s/%s", (const char *)change->data, file);
	/* The directory is gone if the function is. */
	return length == -ENOENT ? -ENODEV : length < 0 ? (int)length : 0;
}

static int parse_vfs(struct change *change, const char *text, char **ret_value)
{
	char total_text[SYSFS_TEXT_SIZE];
	uint64_t count, total = MOST_VFS;

	if (text_parse_u64(text, 10, MOST_VFS, &count))
		return change_fail(change, -EINVAL, NULL,
				   "'%s' is not a number of VFs: it takes 0 to %d", text, MOST_VFS);
	if (!read_file(change, TOTAL_FILE, total_text) &&
	    !text_parse_u64(total_text, 10, MOST_VFS, &total) && count > total)
		return change_fail(
			change, -EINVAL,
			"raise the limit in the adapter, then restart the host: NUM_OF_VFS of "
			"mlxconfig, total_vfs of devlink dev param, or the vendor's tool",
			"the function has at most %llu VFs", (unsigned long long)total);
	*ret_value = mem_format("%llu", (unsigned long long)count);
	return 0;
}

static int read_vfs(struct change *change, char **ret_value)
{
	char text[SYSFS_TEXT_SIZE];
	int rc = read_file(change, SRIOV_COUNT_FILE, text);

	if (!rc)
		*ret_value = text_clean(text, strlen(text));
	return rc;
}

void sriov_explain_vfs(struct change *change, int error, bool removes, bool there)
{
	/* Those VFs are not ours to remove again. */
	if (error == -EBUSY && there && !removes)
		change->written = false;
	/* This error comes from the driver: ice and idpf return EBUSY, i40e EINVAL, ixgbe EPERM. */
	if (removes && (error == -EBUSY || error == -EINVAL || error == -EPERM))
		change_explain(change, "shut down the virtual machines; dmesg | tail may say more",
			       "the driver does not remove the VFs: virtual machines may be using "
			       "some of them");
	else if (error == -ENOENT)
		change_explain(change, "load the driver of the physical function",
			       "the driver of the function does not create VFs through sysfs");
	/* sriov_enable(), drivers/pci/iov.c */
	else if (error == -ERANGE || error == -ENOMEM)
		change_explain(change,
			       "ask for fewer; if dmesg | tail tells of MMIO, switch SR-IOV and "
			       "decoding above 4G on in the BIOS, or boot with pci=realloc",
			       "the function or its PCI bus has no room for this many VFs");
	/* ice_set_per_vf_res(), ice_sriov.c */
	else if (error == -ENOSPC)
		change_explain(change, "ask for fewer; dmesg | tail may say what is missing",
			       "the driver has no interrupts, or no queues, for this many VFs");
	else if (error == -EBUSY && there)
		change_explain(change, "check it, then run the command again",
			       "somebody else created VFs meanwhile");
	/* From the driver: ionic, while its firmware is reset, ionic_sriov_configure(). */
	else if (error == -EBUSY)
		change_explain(change, "dmesg | tail may say why",
			       "the driver is busy, and creates no VFs");
	else if (error == -EPERM)
		change_explain(change, "switch SR-IOV on in the firmware or the BIOS",
			       "the driver refuses it");
}

/*
 * May succeed with VFs left: bnxt_sriov_configure(), bnxt_sriov.c, can accept 0 without acting on
 * it, so the number is read again.
 */
static int remove_vfs(struct change *change)
{
	char text[SYSFS_TEXT_SIZE];
	int rc = sysfs_write(change->path, "0");

	if (rc)
		sriov_explain_vfs(change, rc, true, true);
	else
		rc = read_file(change, SRIOV_COUNT_FILE, text);
	if (rc || !strcmp(text, "0"))
		return rc;
	return change_fail(
		change, -EBUSY, "dmesg | tail may say why",
		"the driver accepted the removal of the VFs, but kept them: its netdev may "
		"be down, or virtual machines may be using some of them");
}

/* A number can be changed only by way of 0: otherwise the kernel returns EBUSY. */
static int write_vfs(struct change *change, const char *value)
{
	const bool removes = !strcmp(value, "0");
	char text[SYSFS_TEXT_SIZE];
	int rc = read_file(change, SRIOV_COUNT_FILE, text);

	if (!rc && strcmp(text, "0") && !removes)
		rc = remove_vfs(change);
	if (rc)
		return rc;
	rc = sysfs_write(change->path, value);
	sriov_explain_vfs(change, rc, removes,
			  rc && !read_file(change, SRIOV_COUNT_FILE, text) && strcmp(text, "0"));
	return rc;
}

static void guard_vf(struct change *change, const struct root *root, unsigned int vf,
		     const char *driver)
{
	_cleanup_(strings_free) struct strings netdevs = {.known = false};
	_cleanup_(strings_free) struct strings devices = {.known = false};
	const char *path = change->data;

	if (function_is_kept(driver)) {
		change_disturbs(change, "VF %u, which %s holds for a virtual machine or a program",
				vf, driver);
		return;
	}
	if (!sysfs_list(root, &devices, "%s/virtfn%u/infiniband", path, vf) && !devices.count)
		change_disturbs(change, "VF %u, whose RDMA device is in another network namespace",
				vf);
	for (size_t i = 0; i < devices.count; i++)
		change_guard_device(change, devices.items[i]);
	if (!sysfs_list(root, &netdevs, "%s/virtfn%u/net", path, vf) && !netdevs.count)
		change_disturbs(change, "VF %u, whose netdev is in another network namespace", vf);
	for (size_t i = 0; i < netdevs.count; i++) {
		change_guard_way(change, netdevs.items[i], WAY_IS_GONE);
		change_note(change, "the netdev %s goes away with VF %u", netdevs.items[i], vf);
	}
}

/* Every change of the number removes all existing VFs. */
static void guard_vfs(struct change *change)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	uint64_t count;

	if (text_parse_u64(change->before, 10, MOST_VFS, &count) || !count ||
	    root_open(NULL, &root))
		return;
	if (count == 1)
		change_note(change, "the existing VF is removed first, with its settings");
	else
		change_note(change, "the %llu existing VFs are removed first, with their settings",
			    (unsigned long long)count);
	sriov_note_vfs(change);
	for (unsigned int vf = 0; vf < count; vf++) {
		_cleanup_(freep) char *driver = NULL;

		if (!sysfs_link_name(&root, &driver, "%s/virtfn%u/driver",
				     (const char *)change->data, vf))
			guard_vf(change, &root, vf, driver);
	}
}

/*
 * udev(7): the attribute is set once a driver is bound to the function, which the kernel announces
 * since 4.14; before, sriov_numvfs_store() refuses it. At "add", udev loads drivers only after all
 * rules (80-drivers.rules); a driver bound by then was loaded before udev.
 */
static void persist_vfs(struct change *change)
{
	const char *name = strrchr(change->data, '/') + 1;

	if (!sysfs_is_pci_address(name, strlen(name)))
		return;
	change->persist_file = mem_string("/etc/udev/rules.d/90-sriov.rules");
	change->persist_text = mem_format(
		"ACTION==\"add|bind\", SUBSYSTEM==\"pci\", KERNEL==\"%s\", "
		"DRIVER==\"?*\", ATTR{sriov_numvfs}=\"%s\"",
		name, change->wanted);
}

static const struct setting vfs = {
	.keyword = {"vfs", "N", "number of virtual functions; 0 removes them", NULL},
	.interface = "sysfs sriov_numvfs",
	.right = RIGHT_FILE,
	.flags = SETTING_STOPS_TRAFFIC,
	.parse = parse_vfs,
	.read = read_vfs,
	.write = write_vfs,
	.guard = guard_vfs,
	.persist = persist_vfs,
	.command = "sriov set",
};

static int read_autoprobe(struct change *change, char **ret_value)
{
	char text[SYSFS_TEXT_SIZE];
	int rc = read_file(change, AUTOPROBE_FILE, text);

	if (!rc)
		*ret_value = mem_string(strcmp(text, "0") ? "on" : "off");
	return rc;
}

static int write_autoprobe(struct change *change, const char *value)
{
	return sysfs_write(change->path, strcmp(value, "on") ? "0" : "1");
}

static const struct setting autoprobe = {
	.keyword = {"autoprobe", "on|off", "whether drivers are bound to new VFs", sriov_on_off},
	.interface = "sysfs sriov_drivers_autoprobe",
	.right = RIGHT_FILE,
	.read = read_autoprobe,
	.write = write_autoprobe,
	.command = "sriov set",
};

const struct setting *const sriov_setting_table[] = {
	&vfs, &autoprobe, &sriov_roce_setting, &sriov_rdma_setting, &sriov_iwarp_setting, NULL,
};

bool sriov_fill(struct change *change, void *context)
{
	const struct sriov_target *target = context;
	_cleanup_(freep) char *directory = NULL;
	const char *file = change->setting == &vfs	   ? SRIOV_COUNT_FILE
			   : change->setting == &autoprobe ? AUTOPROBE_FILE
							   : NULL;
	_cleanup_(root_close) struct root root = {.fd = -1};
	int rc = 0;

	change->netdev_index = target->netdev_index;
	change->port = target->vf;
	if (!file) {
		change->data = mem_string(target->path);
		return true;
	}
	rc = root_open(NULL, &root) ?: card_find_file(&root, target->path, file, &directory);
	if (rc) {
		change_explain(change,
			       "it may be switched off in the firmware or the BIOS, or this may be "
			       "a VF itself: rdmactl sriov lists the functions",
			       "%s has no SR-IOV (%s: %s)", change->object, file, strerror(-rc));
		return false;
	}
	change->path = mem_format("/%s/%s", directory, file);
	change->data = directory;
	directory = NULL;
	return true;
}

/* Finds the netdev that was named, or the function's own. */
static void find_netdev(const struct root *root, struct sriov_target *target,
			const struct device_list *devices, const char *word)
{
	_cleanup_(freep) char *directory = NULL, *own = NULL;

	if (!strchr(word, '/') &&
	    !sysfs_read_number(root, &target->netdev_index, "sys/class/net/%s/ifindex", word))
		return;
	if (card_find_file(root, target->path, SRIOV_COUNT_FILE, &directory))
		directory = mem_string(target->path);
	own = card_own_netdev(root, directory, devices);
	if (own)
		sysfs_read_number(root, &target->netdev_index, "sys/class/net/%s/ifindex", own);
}

int sriov_target_find(struct sriov_target *target, const struct device_list *devices,
		      const char *word, const char *vf, char **ret_reason)
{
	_cleanup_(root_close) struct root root = {.fd = -1};
	uint64_t number;
	int rc;

	if (vf && text_parse_u64(vf, 10, MOST_VFS, &number)) {
		*ret_reason = mem_format("'%s' is not the number of a VF", vf);
		return -EINVAL;
	}
	rc = root_open(NULL, &root);
	if (rc)
		return rc;
	rc = card_find(&root, devices, word, &target->path);
	if (rc)
		*ret_reason = mem_format("there is no RDMA device, netdev or PCI function '%s'",
					 word);
	else
		find_netdev(&root, target, devices, word);
	if (vf)
		number_set(&target->vf, number);
	return rc;
}

void sriov_target_clear(struct sriov_target *target)
{
	free(target->path);
	*target = (struct sriov_target){.path = NULL};
}
