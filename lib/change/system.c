/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/system.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/nldev.h"
#include "schema/rows.h"

/* RDMA_NLDEV_SYS_ATTR_NETNS_MODE: ib_devices_shared_netns, drivers/infiniband/core/device.c */
static const struct enum_name netns_modes[] = {
	{0, "exclusive", TONE_PLAIN, "each device is in one network namespace"},
	{1, "shared", TONE_PLAIN, "each device is in all network namespaces"},
	{0},
};

/*
 * It has copies of modules and of /etc/modprobe.d from when it was built: if ib_core is loaded from
 * it, a newer file has no effect.
 */
#define REBUILD "rebuild the initial RAM disk if it has ib_core (update-initramfs -u, dracut -f)"

/*
 * modprobe.d(5) is only for modules that are loaded, and the parameter's file in /sys is read-only
 * (0444 in drivers/infiniband/core/device.c): what is built into the kernel takes its parameters
 * from the kernel's command line (start_kernel(), init/main.c).
 */
#define BUILT_IN                                                                              \
	"if ib_core is built into the kernel, put ib_core.netns_mode=%d on its command line " \
	"instead"

#define RECORD struct system_settings
static const struct field fields[] = {
	WORD(netns_mode, netns_modes, "NETNS MODE", SHOWN, 0,
	     "whether network namespaces share the RDMA devices"),
	YES_NO(privileged_qkey, "PRIVILEGED QKEY", SHOWN, 0,
	       "whether programs may use controlled Q_Keys without CAP_NET_RAW"),
	YES_NO(copy_on_fork, "COPY ON FORK", SHOWN, 0,
	       "whether a forked child gets copies of registered memory, so that fork is safe"),
	YES_NO(monitor, "MONITOR", SHOWN, 0, "whether the kernel reports devices that come and go"),
};
#undef RECORD

const struct schema system_schema = SCHEMA("system", struct system_settings, fields,
					   "settings of the RDMA subsystem");

int system_settings_get(struct netlink *nldev, struct system_settings *ret_settings)
{
	struct nldev_settings settings;
	int rc = nldev_get_settings(nldev, &settings);

	if (!rc)
		*ret_settings = (struct system_settings){
			.netns_mode = settings.shared_netns,
			.privileged_qkey = number_state(&settings.privileged_qkey),
			.copy_on_fork = number_state(&settings.copy_on_fork),
			.monitor = number_state(&settings.notifies),
		};
	return rc;
}

int system_settings_read(const char *directory, struct system_settings *ret_settings)
{
	_cleanup_(netlink_freep) struct netlink *nldev = NULL;

	return nldev_open_at(directory, &nldev) ?: system_settings_get(nldev, ret_settings);
}

static int read_now(struct change *change, struct system_settings *ret_settings)
{
	struct netlink *nldev;

	return change_host_nldev(change->host, &nldev) ?: system_settings_get(nldev, ret_settings);
}

static int read_netns_mode(struct change *change, char **ret_value)
{
	struct system_settings settings;
	int rc = read_now(change, &settings);

	if (!rc && !settings.netns_mode.known)
		rc = -EOPNOTSUPP;
	if (!rc)
		*ret_value = mem_string(
			enum_word(netns_modes, settings.netns_mode.value, "unknown"));
	return rc;
}

/* nldev_set_sys_set_doit() handles only one attribute per message. */
static int set(struct change *change, uint16_t attribute, uint8_t value)
{
	struct netlink_request request = {.count = 0};
	struct netlink *nldev;
	int rc = change_host_nldev(change->host, &nldev);

	if (rc)
		return rc;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_SYS_SET), NLM_F_ACK, NULL, 0);
	netlink_put(&request, attribute, &value, sizeof(value));
	return netlink_ask_plain(nldev, &request, NULL);
}

static int write_netns_mode(struct change *change, const char *value)
{
	const int mode = (int)enum_find_word(netns_modes, value)->value;
	int rc = set(change, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, (uint8_t)mode);
	_cleanup_(freep) char *step = NULL;

	/*
	 * rdma_compatdev_set(), drivers/infiniband/core/device.c, needs the absence of other
	 * namespaces.
	 */
	if (rc == -EBUSY) {
		step = mem_format("end the containers and services that have one (lsns -t net "
				  "lists them), or put 'options ib_core netns_mode=%d' into "
				  "/etc/modprobe.d/rdma.conf, " REBUILD
				  ", and restart the host; " BUILT_IN,
				  mode, mode);
		change_explain(change, step,
			       "the kernel refuses it while another network namespace exists");
	}
	return rc;
}

static void persist_netns_mode(struct change *change)
{
	const int mode = (int)enum_find_word(netns_modes, change->wanted)->value;

	change->persist_file = mem_string("/etc/modprobe.d/rdma.conf");
	change->persist_text = mem_format(
		"options ib_core netns_mode=%d\n# then " REBUILD "\n# " BUILT_IN, mode, mode);
}

static const struct setting netns_mode = {
	.keyword = {"netns-mode", "exclusive|shared",
		    "whether network namespaces share the RDMA devices", netns_modes},
	.interface = "RDMA netlink SYS_SET",
	.right = RIGHT_RDMA_ADMIN,
	.flags = SETTING_STOPS_TRAFFIC,
	.read = read_netns_mode,
	.write = write_netns_mode,
	.command = "system set",
	.persist = persist_netns_mode,
};

static const struct enum_name on_off[] = {
	{1, "on", TONE_PLAIN, "any program may set them"},
	{0, "off", TONE_PLAIN, "it takes CAP_NET_RAW"},
	{0},
};

static int read_qkey(struct change *change, char **ret_value)
{
	struct system_settings settings;
	int rc = read_now(change, &settings);

	if (rc)
		return rc;
	if (settings.privileged_qkey == TRISTATE_UNKNOWN)
		return change_fail(
			change, -EOPNOTSUPP, NULL,
			"this kernel does not support it: it came with Linux 6.7, and was "
			"backported to some older ones");
	*ret_value = mem_string(settings.privileged_qkey == TRISTATE_YES ? "on" : "off");
	return 0;
}

static int write_qkey(struct change *change, const char *value)
{
	return set(change, NLDEV_SYS_ATTR_PRIVILEGED_QKEY, !strcmp(value, "on"));
}

/* modify_qp(), drivers/infiniband/core/uverbs_cmd.c */
static void guard_qkey(struct change *change)
{
	if (!strcmp(change->wanted, "on"))
		change_note(change, "it weakens security: every program that can open a device may "
				    "then use the Q_Keys that are reserved for management");
}

static const struct setting privileged_qkey = {
	.keyword = {"privileged-qkey", "on|off",
		    "whether programs may use controlled Q_Keys without CAP_NET_RAW", on_off},
	.interface = "RDMA netlink SYS_SET",
	.right = RIGHT_RDMA_ADMIN,
	.read = read_qkey,
	.write = write_qkey,
	.guard = guard_qkey,
	.command = "system set",
};

const struct setting *const system_setting_table[] = {&netns_mode, &privileged_qkey, NULL};
