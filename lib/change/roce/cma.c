/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rdma_cm defaults for the connections of a port: roce/cma.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb/netdev.h"
#include "change/device/device.h"
#include "change/roce.h"
#include "roce/cma.h"
#include "roce/tos.h"

static unsigned int port_of(const struct change *change)
{
	return (unsigned int)change->port.value;
}

/* Explains the errors of cma_configfs.c and of making a directory in configfs. */
static int explain(struct change *change, int rc)
{
	if (rc == -ENOSYS)
		change_explain(change,
			       "modprobe rdma_cm; mount -t configfs none /sys/kernel/config",
			       "there is no " CMA_DIRECTORY
			       ": rdma_cm is not loaded, or configfs is not mounted");
	else if (rc == -EACCES || rc == -EPERM)
		change_explain(change, "run it as root",
			       "only root can see it: the kernel shows it in a directory of "
			       "configfs that has to be created first");
	return rc;
}

/*
 * Finds the current name by the index: another change of this call may rename the device and give
 * its old name to another one.
 */
static int find_name(struct change *change, char **ret_name)
{
	_cleanup_(device_settings_clear) struct device_settings settings = {.device = NULL};
	int rc = change->device_index.known ? device_read_change(change, &settings) : 0;

	if (!rc)
		*ret_name = mem_string(settings.device ? settings.device : change->data);
	return rc;
}

static int read_text(struct change *change, const char *attribute,
		     char text[static SYSFS_TEXT_SIZE])
{
	_cleanup_(freep) char *name = NULL;
	int rc = find_name(change, &name);
	ssize_t length;

	if (rc)
		return rc;
	length = cma_defaults_read(NULL, name, port_of(change), attribute, text);
	free(change->path);
	change->path = mem_string(CMA_DIRECTORY);
	return length < 0 ? explain(change, (int)length) : 0;
}

static int write_text(struct change *change, const char *attribute, const char *text)
{
	_cleanup_(freep) char *name = NULL;

	return find_name(change, &name)
		       ?: cma_defaults_write(name, port_of(change), attribute, text);
}

static int read_mode(struct change *change, char **ret_value)
{
	char text[SYSFS_TEXT_SIZE];
	struct number mode;
	int rc = read_text(change, CMA_MODE, text);

	if (rc)
		return rc;
	mode = roce_mode_of(text);
	*ret_value = mode.known ? mem_string(enum_word(roce_mode_names, mode.value, ""))
				: text_clean(text, strlen(text));
	return 0;
}

static int write_mode(struct change *change, const char *value)
{
	const struct enum_name *name = enum_find_word(roce_mode_names, value);
	int rc = name ? write_text(change, CMA_MODE, roce_mode_text(name->value)) : -EINVAL;

	/*
	 * cma_set_default_gid_type(), core/cma.c, accepts only versions that the port has GIDs for.
	 */
	if (rc == -EINVAL)
		change_explain(change, "rdmactl gids shows for which versions the port has GIDs",
			       "the port does not speak %s", value);
	return explain(change, rc);
}

static int parse_tos(struct change *change, const char *text, char **ret_value)
{
	unsigned int tos;

	if (tos_parse(text, &tos))
		return change_refuse_value(change, text, "0 to 255 (106 is DSCP 26 with ECN)");
	*ret_value = mem_format("%u", tos);
	return 0;
}

static int read_tos(struct change *change, char **ret_value)
{
	char text[SYSFS_TEXT_SIZE];
	int rc = read_text(change, CMA_TOS, text);

	if (!rc)
		*ret_value = text_clean(text, strlen(text));
	return rc;
}

static int write_tos(struct change *change, const char *value)
{
	return explain(change, write_text(change, CMA_TOS, value));
}

static void guard(struct change *change)
{
	change_note(
		change,
		"it applies to new connections of programs that use librdmacm, and of kernel users "
		"of rdma_cm, unless they set their own, and only until the device goes away");
}

/* Returns the name that the device has when this change is made. */
static const char *name_then(const struct change *change)
{
	const char *name = change->data;

	for (const struct change *other = change->all ? change->all->items : change; other < change;
	     other++)
		if (other->setting == &device_name_setting && change->device_index.known &&
		    other->device_index.value == change->device_index.value)
			name = other->wanted;
	return name;
}

static char *undo(const struct change *change)
{
	_cleanup_(freep) char *port = mem_format("%s/%u", name_then(change), port_of(change));

	return change_as_command_on(change, port, change->before);
}

static void persist(struct change *change)
{
	_cleanup_(freep) char *name = mem_format("%s-%u", name_then(change), port_of(change));
	_cleanup_(freep) char *port = mem_format("%s/%u", name_then(change), port_of(change));

	netdev_persist_as(change, port, name);
}

#define CMA_SETTING                                                                         \
	.interface = "configfs rdma_cm", .right = RIGHT_FILE, .guard = guard, .undo = undo, \
	.command = NETDEV_COMMAND, .persist = persist

const struct setting cma_mode_setting = {
	CMA_SETTING,
	.keyword = {"default-mode", "roce-v1|roce-v2",
		    "default RoCE version of rdma_cm's connections", roce_mode_names},
	.read = read_mode,
	.write = write_mode,
};

const struct setting cma_tos_setting = {
	CMA_SETTING,
	.keyword = {"default-tos", "N", "default TOS of rdma_cm's connections: 0 to 255", NULL},
	.parse = parse_tos,
	.read = read_tos,
	.write = write_tos,
};

const struct setting *const cma_setting_table[] = {&cma_mode_setting, &cma_tos_setting, NULL};
