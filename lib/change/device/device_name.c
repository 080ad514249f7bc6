/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The name of a device, and the files that mention the old one. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/device.h"
#include "host/inventory/inventory.h"
#include "kernel/netlink/nldev.h"
#include "kernel/sysfs.h"

static int parse_name(struct change *change, const char *text, char **ret_value)
{
	if (!device_check_name(change, text, DEVICE_NAME_SIZE - 1))
		return -EINVAL;
	*ret_value = mem_string(text);
	return 0;
}

static int read_name(struct change *change, char **ret_value)
{
	_cleanup_(device_settings_clear) struct device_settings settings = {.device = NULL};
	int rc = device_read_change(change, &settings);

	if (!rc)
		*ret_value = text_clean(settings.device, strlen(settings.device));
	return rc;
}

/*
 * The class directory follows the name at once, device_rename(), unless sysfs was mounted in
 * another network namespace; then it did not have the old name either.
 */
static int check_class(struct change *change, bool had, const char *value)
{
	if (!had) {
		change_note(change,
			    "/sys/class/infiniband here belongs to another network namespace");
		return 0;
	}
	if (device_is_in_class(value))
		return 0;
	return change_fail(change, -ENOENT, "ls /sys/class/infiniband shows what is there",
			   "RDMA netlink accepted the name, but /" SYSFS_RDMA_CLASS
			   "/%s does not exist",
			   value);
}

static int write_name(struct change *change, const char *value)
{
	_cleanup_(freep) char *now = NULL;
	bool had;
	int rc = read_name(change, &now);

	if (rc)
		return rc;
	had = device_is_in_class(now);
	rc = device_request(change, RDMA_NLDEV_CMD_SET, RDMA_NLDEV_ATTR_DEV_NAME, value,
			    strlen(value) + 1);
	/* ib_device_rename() compares with all devices, including those in other namespaces. */
	if (rc == -EEXIST)
		change_explain(change, "rdmactl devices lists the names",
			       "another device has the name %s, perhaps in another network "
			       "namespace",
			       value);
	return rc ?: check_class(change, had, value);
}

/* Where the name of an RDMA device may be written. A path that ends with / is a directory. */
static const char *const places[] = {
	"etc/nccl.conf",     "etc/environment",	    "etc/profile.d/",
	"etc/ucx/",	     "etc/libfabric.conf", /* load_conf(), src/var.c of libfabric */
	"etc/udev/rules.d/", "etc/rdma/",	    "etc/rdma/modules/",
	"etc/modprobe.d/",   "etc/systemd/system/", "etc/opensm/",
};

/* Characters that names consist of: mlx5_1 is not found in mlx5_10. */
static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '-';
}

static const char *find_name(const char *text, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at++)
		if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
			return at;
	return NULL;
}

enum { MOST_OF_LINE = 100 };

/* Notes the first line of a text that has the name; one line per file is enough. */
static void note_text(struct change *change, const char *path, const char *text, const char *name)
{
	const char *line = text, *at = find_name(text, name);
	size_t number = 1, length;

	if (!at)
		return;
	for (const char *c = text; c < at; c++) {
		if (*c == '\n') {
			line = c + 1;
			number++;
		}
	}
	length = strcspn(line, "\n");
	change_note(change, "/%s:%zu names %s: %.*s", path, number, name,
		    (int)(length < MOST_OF_LINE ? length : MOST_OF_LINE), line);
}

static void note_file(struct change *change, const struct root *root, const char *path,
		      const char *name)
{
	_cleanup_(freep) char *text = NULL;
	int rc = sysfs_read_long(root, &text, "%s", path);

	if (!rc)
		note_text(change, path, text, name);
	else if (rc != -ENOENT && rc != -EISDIR && rc != -ENOTDIR)
		change_note(change, "/%s could not be searched for %s: %s", path, name,
			    strerror(-rc));
}

static void note_place(struct change *change, const struct root *root, const char *place,
		       const char *name)
{
	_cleanup_(strings_free) struct strings files = {0};

	if (place[strlen(place) - 1] != '/') {
		note_file(change, root, place, name);
		return;
	}
	if (!sysfs_list(root, &files, "%s", place))
		for (size_t i = 0; i < files.count; i++) {
			_cleanup_(freep) char *path = mem_format("%s%s", place, files.items[i]);

			note_file(change, root, path, name);
		}
}

/* NCCL_IB_HCA, UCX_NET_DEVICES and the like. */
static void note_environment(struct change *change, const char *name)
{
	_cleanup_(freep) char *text = NULL;
	size_t length;

	if (file_read("/proc/self/environ", 1 << 20, &text, &length))
		return;
	for (const char *c = text; c < text + length; c += strlen(c) + 1) {
		const char *value = strchr(c, '=');

		if (value && find_name(value + 1, name))
			change_note(change, "the environment names %s: %.*s", name, MOST_OF_LINE,
				    c);
	}
}

/* cma_configfs_params_get(), core/cma_configfs.c, looks the device up by the directory's name. */
static void note_configfs(struct change *change, const struct root *root, const char *name)
{
	_cleanup_(freep) char *path = mem_format("sys/kernel/config/rdma_cm/%s", name);

	if (sysfs_has_directory(root, path))
		change_note(change,
			    "the settings in /%s return ENODEV afterwards: rmdir it, and mkdir it "
			    "with the new name",
			    path);
}

static void guard_name(struct change *change)
{
	const char *name = change->before;
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(NULL, &root))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		note_place(change, &root, places[i], name);
	note_environment(change, name);
	note_configfs(change, &root, name);
}

static char *undo_name(const struct change *change)
{
	return change_as_command_on(change, change->wanted, change->before);
}

/*
 * A sub-device has its parent's GUID. The inventory may have only the device named on the command
 * line, so sysfs is read.
 */
static bool is_only_guid(const struct root *root, const char *kernel_name, const char *guid)
{
	_cleanup_(strings_free) struct strings names = {.known = false};
	char other[SYSFS_TEXT_SIZE];
	bool only = !sysfs_list(root, &names, SYSFS_RDMA_CLASS);

	for (size_t i = 0; i < names.count; i++)
		if (strcmp(names.items[i], kernel_name) &&
		    sysfs_read(root, other, SYSFS_RDMA_CLASS "/%s/node_guid", names.items[i]) > 0 &&
		    !strcmp(other, guid))
			only = false;
	return only;
}

/*
 * Matches the device of a PCI function, but not those of its subfunctions, which are below it and
 * have no stable name of their own: mlx5_core.sf.2. For the caller to free; NULL: it is on a
 * subfunction.
 */
static char *match_function(const struct root *root, const struct device *device)
{
	_cleanup_(freep) char *path = NULL, *end = NULL;

	if (!device->pci_address ||
	    sysfs_link(root, &path, SYSFS_RDMA_CLASS "/%s", device->kernel_name))
		return NULL;
	end = mem_format("/%s/infiniband/%s", device->pci_address, device->kernel_name);
	if (strlen(path) < strlen(end) || strcmp(path + strlen(path) - strlen(end), end))
		return NULL;
	return mem_format("DEVPATH==\"*/%s/infiniband/*\"", device->pci_address);
}

static char *match_device(const struct device *device)
{
	char guid[GUID_TEXT_SIZE];
	_cleanup_(root_close) struct root root = {.fd = -1};

	if (root_open(NULL, &root))
		return NULL;
	guid_format(device->node_guid.value, guid);
	if (device->node_guid.known && device->node_guid.value &&
	    is_only_guid(&root, device->kernel_name, guid))
		return mem_format("ATTR{node_guid}==\"%s\"", guid);
	return match_function(&root, device);
}

/*
 * kernel-boot/rdma-persistent-naming.rules and rdma_rename.c of rdma-core: NAME_FIXED takes the
 * name as the next argument. rdma_rename finds a device by the name that it had when it appeared,
 * so only the first rule that renames it counts: this file comes before
 * 60-rdma-persistent-naming.rules of rdma-core. Since Linux 6.12, a device that was named when it
 * was made (a software device) is not renamed.
 */
static void persist_name(struct change *change)
{
	const struct device *device = change_device(change);
	_cleanup_(freep) char *match = NULL;

	if (!device)
		return;
	if (device->software) {
		change->persist_text = mem_format("a software device gets its name when it is "
						  "created: rdmactl link add %s ...",
						  change->wanted);
		return;
	}
	match = match_device(device);
	if (!match)
		return;
	change->persist_file = mem_string("/etc/udev/rules.d/59-rdma-names.rules");
	change->persist_text = mem_format("ACTION==\"add\", SUBSYSTEM==\"infiniband\", %s, "
					  "PROGRAM=\"rdma_rename %%k NAME_FIXED %s\"",
					  match, change->wanted);
}

const struct setting device_name_setting = {
	.keyword = {"name", "NAME",
		    "new name: letters and digits, after the first character also _ . -", NULL},
	.interface = "RDMA netlink SET",
	.right = RIGHT_RDMA_ADMIN,
	.parse = parse_name,
	.read = read_name,
	.write = write_name,
	.guard = guard_name,
	.undo = undo_name,
	.command = "dev set",
	.persist = persist_name,
};
