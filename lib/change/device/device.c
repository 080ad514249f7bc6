/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/device/device.h"

#include <ctype.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/device/netns.h"
#include "change/holders.h"
#include "change/system.h"
#include "host/inventory/inventory.h"
#include "host/need.h"
#include "kernel/netlink/nldev.h"
#include "kernel/sysfs.h"
#include "schema/problem.h"
#include "schema/rows.h"

#define RECORD struct device_settings
static const struct field fields[] = {
	TEXT(device, "DEVICE", SHOWN, 0, "name of the device"),
	TEXT(netns, "NETNS", SHOWN, NEED_NETLINK,
	     "its network namespace; shared if it is in all; may be missing in a snapshot"),
	YES_NO(adaptive_moderation, "ADAPTIVE MODERATION", SHOWN, NEED_NETLINK,
	       "whether new completion queues moderate interrupts, where the driver can"),
	TEXT(node_description, "NODE DESCRIPTION", SHOWN, 0,
	     "name by which subnet managers know it"),
	TEXT(parent, "PARENT", 0, NEED_NETLINK, "device that this sub-device belongs to"),
	WORD_AS("sub_device_type", sub_type, sub_device_types, "SUB-TYPE", 0, NEED_NETLINK,
		"type of a sub-device"),
	NUMBER(index, "INDEX", 0, NEED_NETLINK, "index in RDMA netlink"),
};
#undef RECORD

const struct schema device_settings_schema = SCHEMA("dev", struct device_settings, fields,
						    "settings of an RDMA device");

void device_settings_clear(struct device_settings *settings)
{
	record_clear(&device_settings_schema, settings);
	*settings = (struct device_settings){.device = NULL};
}

static int take_settings(void *context, const void *payload, size_t length)
{
	struct device_settings *settings = context;
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct number moderation = {0};

	if (nldev_parse(payload, length, table) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_INDEX], &settings->index) ||
	    netlink_get_number(table[RDMA_NLDEV_ATTR_DEV_DIM], &moderation) ||
	    netlink_get_number(table[NLDEV_ATTR_DEV_TYPE], &settings->sub_type))
		return -EBADMSG;
	settings->device = nldev_get_kernel_name(table[RDMA_NLDEV_ATTR_DEV_NAME]);
	netlink_get_text(table[NLDEV_ATTR_PARENT_NAME], &settings->parent);
	settings->adaptive_moderation = number_state(&moderation);
	return settings->device ? 0 : -EBADMSG;
}

int device_settings_read(struct netlink *nldev, const struct number *index,
			 struct device_settings *ret)
{
	_cleanup_(device_settings_clear) struct device_settings settings = {.device = NULL};
	struct netlink_request request = {.count = 0};
	int rc;

	/* 0 is the index of the first device, so it must not be used for an unknown one. */
	if (!index->known)
		return -ENODEV;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_GET), 0, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)index->value);
	rc = netlink_ask(nldev, &request, take_settings, &settings);
	/*
	 * nldev_get_doit(), drivers/infiniband/core/nldev.c, returns -EINVAL for an unknown index.
	 */
	if (rc == -EINVAL)
		return -ENODEV;
	if (rc)
		return rc;
	*ret = settings;
	settings = (struct device_settings){.device = NULL};
	return 0;
}

static void fill_settings(struct device_settings *settings, const struct device *device,
			  struct netlink *nldev, struct problems *problems)
{
	_cleanup_(device_settings_clear) struct device_settings now = {.device = NULL};
	int rc;

	settings->device = mem_string(device->name);
	settings->index = device->index;
	settings->node_description = mem_string_or_null(device->node_description);
	settings->parent = mem_string_or_null(device->parent);
	settings->sub_type = device->sub_type;
	if (!nldev || !device->index.known)
		return;
	rc = device_settings_read(nldev, &device->index, &now);
	if (rc)
		problem_add(problems, device->name, "adaptive_moderation", "nldev", rc, NULL);
	else
		settings->adaptive_moderation = now.adaptive_moderation;
}

/* Returns the word for the network namespace of the visible devices; NULL: unknown. */
static char *read_netns(const struct inventory *inventory, struct problems *problems)
{
	struct system_settings settings = {.netns_mode = {0}};
	int rc = system_settings_read(inventory->root, &settings);
	_cleanup_(closep) int fd = -1;

	if (rc)
		problem_add(problems, NULL, "netns", "nldev", rc, NULL);
	if (rc || !settings.netns_mode.known)
		return NULL;
	if (settings.netns_mode.value)
		return mem_string("shared");
	/* A snapshot was made in a namespace of its host and does not name it. */
	if (inventory->root || netns_open_own(&fd))
		return NULL;
	return netns_word(fd);
}

struct device_settings *device_settings_list(const struct inventory *inventory,
					     struct problems *problems)
{
	const struct device_list *devices = &inventory->devices;
	struct device_settings *settings = mem_alloc_zero(devices->count, sizeof(*settings));
	_cleanup_(freep) char *netns = NULL;
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;

	/* If RDMA netlink is missing, the inventory has reported it. */
	if (inventory->answers && !inventory_open_nldev(inventory, &nldev))
		netns = read_netns(inventory, problems);
	for (size_t i = 0; i < devices->count; i++) {
		fill_settings(&settings[i], &devices->items[i], nldev, problems);
		settings[i].netns = mem_string_or_null(netns);
	}
	return settings;
}

bool device_check_name(struct change *change, const char *name, size_t most)
{
	static const char also[] = "_.-";
	size_t good = 0;

	while (isalnum((unsigned char)name[good]) ||
	       (good && name[good] && strchr(also, name[good])))
		good++;
	if (good && !name[good] && good <= most)
		return true;
	if (good && !name[good])
		change_explain(change, NULL, "'%s' is too long: a name has at most %zu characters",
			       name, most);
	else
		change_explain(change, NULL,
			       "'%s' cannot be a name: it takes letters and digits, and after the "
			       "first character also _ . -",
			       name);
	return false;
}

bool device_is_in_class(const char *name)
{
	_cleanup_(freep) char *path = mem_format(SYSFS_RDMA_CLASS "/%s", name);
	_cleanup_(root_close) struct root root = {.fd = -1};

	return !strchr(name, '/') && !root_open(NULL, &root) && sysfs_has_directory(&root, path);
}

static struct device_data *data_of(const struct change *change)
{
	return change->data;
}

void device_begin_change(struct change *change)
{
	change->data = mem_alloc_zero(1, sizeof(struct device_data));
}

void device_fill_change(struct change *change, const struct device *device)
{
	struct device_data *data = data_of(change);

	change->device_index = device->index;
	text_clean_into(data->name, sizeof(data->name), device->name, strlen(device->name));
	if (change->setting->right == RIGHT_FILE)
		change->path = mem_format("/" SYSFS_RDMA_CLASS "/%s/node_desc",
					  device->kernel_name);
}

/* The list may include changes of other subjects, whose data is something else. */
static bool is_of_device(const struct change *change, const struct change *other)
{
	for (size_t i = 0; device_setting_table[i]; i++)
		if (change->setting == device_setting_table[i])
			return change->device_index.value == other->device_index.value;
	return false;
}

void device_follow_names(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct change *change = &changes->items[i];

		if (change->setting != &device_name_setting)
			continue;
		for (size_t j = i + 1; j < changes->count; j++)
			if (is_of_device(&changes->items[j], change))
				text_clean_into(data_of(&changes->items[j])->name, DEVICE_NAME_SIZE,
						change->wanted, strlen(change->wanted));
	}
}

/* Returns the command that sets it back, with the name that the device has after this change. */
static char *undo_setting(const struct change *change)
{
	return change_as_command_on(change, data_of(change)->name, change->before);
}

int device_read_change(struct change *change, struct device_settings *ret)
{
	struct netlink *nldev;

	return change_host_nldev(change->host, &nldev)
		       ?: device_settings_read(nldev, &change->device_index, ret);
}

int device_request(struct change *change, unsigned int command, unsigned int attribute,
		   const void *data, size_t length)
{
	struct netlink_request request = {.count = 0};
	struct netlink *nldev;
	/* As in device_settings_read(); a device that was made but not read back has no index. */
	int rc = change->device_index.known ? change_host_nldev(change->host, &nldev) : -ENODEV;

	if (rc)
		return rc;
	netlink_add(&request, nldev_message_type(command), NLM_F_ACK, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)change->device_index.value);
	if (data)
		netlink_put(&request, (uint16_t)attribute, data, length);
	rc = netlink_ask_plain(nldev, &request, NULL);
	return nldev_explain(nldev, (uint32_t)change->device_index.value, rc);
}

static int read_moderation(struct change *change, char **ret_value)
{
	_cleanup_(device_settings_clear) struct device_settings settings = {.device = NULL};
	int rc = device_read_change(change, &settings);

	if (rc)
		return rc;
	if (settings.adaptive_moderation == TRISTATE_UNKNOWN)
		return change_fail(change, -EOPNOTSUPP, NULL,
				   "this kernel does not support it: it needs Linux 5.3 or later");
	*ret_value = mem_string(settings.adaptive_moderation == TRISTATE_YES ? "on" : "off");
	return 0;
}

static int write_moderation(struct change *change, const char *value)
{
	const uint8_t on = !strcmp(value, "on");

	return device_request(change, RDMA_NLDEV_CMD_SET, RDMA_NLDEV_ATTR_DEV_DIM, &on, sizeof(on));
}

/* ib_device_set_dim() sets a flag on any device; rdma_dim_init(), core/cq.c, evaluates it. */
static void guard_moderation(struct change *change)
{
	change_note(change, "every driver accepts it; it affects completion queues that the kernel "
			    "creates from now on, where the driver can moderate them");
}

static const struct enum_name on_off[] = {
	{1, "on", TONE_PLAIN, "interrupts are moderated by load"},
	{0, "off", TONE_PLAIN, "interrupts are not moderated"},
	{0},
};

static const struct setting moderation_setting = {
	.keyword = {"adaptive-moderation", "on|off",
		    "whether new completion queues moderate interrupts by load", on_off},
	.interface = "RDMA netlink SET",
	.right = RIGHT_RDMA_ADMIN,
	.flags = SETTING_OF_NAME,
	.read = read_moderation,
	.write = write_moderation,
	.guard = guard_moderation,
	.undo = undo_setting,
	.command = "dev set",
};

static int parse_description(struct change *change, const char *text, char **ret_value)
{
	_cleanup_(freep) char *clean = text_clean(text, strlen(text));
	const size_t length = strlen(text);

	if (length >= DEVICE_DESCRIPTION_SIZE)
		return change_fail(change, -EINVAL, NULL,
				   "the text has %zu bytes, but a node description at most %d",
				   length, DEVICE_DESCRIPTION_SIZE - 1);
	if (strcmp(clean, text))
		return change_fail(
			change, -EINVAL, NULL,
			"'%s' contains a newline or another character that cannot be printed",
			clean);
	/* White space at the end cannot be told from the file's own when it is read. */
	if (length && text[length - 1] == ' ')
		return change_fail(change, -EINVAL, NULL, "the text ends with a space");
	*ret_value = mem_string(text);
	return 0;
}

/* Returns the absolute path under the device's current name. */
static int find_description(struct change *change, char **ret_path)
{
	_cleanup_(device_settings_clear) struct device_settings settings = {.device = NULL};
	int rc = device_read_change(change, &settings);

	if (!rc)
		*ret_path = mem_format("/" SYSFS_RDMA_CLASS "/%s/node_desc", settings.device);
	return rc;
}

static int read_description(struct change *change, char **ret_value)
{
	struct device_data *data = data_of(change);
	_cleanup_(freep) char *path = NULL;
	char text[SYSFS_TEXT_SIZE];
	_cleanup_(root_close) struct root root = {.fd = -1};
	ssize_t length;
	int rc = find_description(change, &path) ?: root_open(NULL, &root);

	if (rc)
		return rc;
	length = sysfs_read(&root, text, "%s", path + 1);
	if (length < 0)
		return (int)length == -ENOENT ? -ENODEV : (int)length;
	if (!data->seen && (size_t)length < sizeof(data->description)) {
		memcpy(data->description, text, (size_t)length);
		data->seen = true;
	}
	*ret_value = text_clean(text, (size_t)length);
	return 0;
}

static int write_description(struct change *change, const char *value)
{
	const struct device_data *data = data_of(change);
	const bool undoes = change->before && !strcmp(value, change->before);
	_cleanup_(freep) char *path = NULL;
	int rc = find_description(change, &path);

	/* node_desc_store(), drivers/infiniband/core/sysfs.c, truncates at 64 bytes. */
	if (!rc)
		rc = sysfs_write(path, undoes ? data->description : value);
	if (rc == -EOPNOTSUPP)
		change_explain(change, NULL, "the driver of %s has no way to set it", data->name);
	return rc == -ENOENT ? -ENODEV : rc;
}

static void guard_description(struct change *change)
{
	if (change_find_processes(change, "rdma-ndd"))
		change_note(change,
			    "rdma-ndd is running: it writes its own text when it starts, when a "
			    "device appears and when the host name changes (--persist)");
}

/* rdma-ndd/rdma-ndd.8.in.rst of rdma-core: %h is the host, %d the device; systemd needs %%. */
static void persist_description(struct change *change)
{
	struct text_buffer text = {0};

	text_buffer_add(&text, "[Service]\nEnvironment=\"RDMA_NDD_ND_FORMAT=");
	for (const char *c = change->wanted; *c; c++)
		text_buffer_add(&text,
				*c == '%'		  ? "%%%%"
				: *c == '"' || *c == '\\' ? "\\%c"
							  : "%c",
				*c);
	text_buffer_add(&text,
			"\"\n# for all devices: %%%%d in the text is replaced by the name of each");
	change->persist_file = mem_string("/etc/systemd/system/rdma-ndd.service.d/nd-format.conf");
	change->persist_text = text_buffer_take(&text);
}

static const struct setting description_setting = {
	.keyword = {"node-description", "TEXT",
		    "name by which subnet managers know the device, at most 64 bytes", NULL},
	.interface = "sysfs node_desc",
	.right = RIGHT_FILE,
	.flags = SETTING_OF_NAME,
	.parse = parse_description,
	.read = read_description,
	.write = write_description,
	.guard = guard_description,
	.undo = undo_setting,
	.command = "dev set",
	.persist = persist_description,
};

const struct setting *const device_setting_table[] = {
	&device_name_setting,
	&device_netns_setting,
	&moderation_setting,
	&description_setting,
	NULL,
};
