/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "change/system.h"

#include <errno.h>
#include <linux/netlink.h>

#include "base/mem.h"
#include "kernel/netlink/nldev.h"
#include "schema/rows.h"

/* RDMA_NLDEV_SYS_ATTR_NETNS_MODE: ib_devices_shared_netns, drivers/infiniband/core/device.c */
static const struct enum_name netns_modes[] = {
	{0, "exclusive", TONE_PLAIN, "each device is in one network namespace"},
	{1, "shared", TONE_PLAIN, "each device is in all network namespaces"},
	{0},
};

#define RECORD struct system_settings
static const struct field fields[] = {
	WORD(netns_mode, netns_modes, "NETNS MODE", SHOWN, 0,
	     "whether network namespaces share the RDMA devices"),
	YES_NO(privileged_qkey, "PRIVILEGED QKEY", SHOWN, 0,
	       "whether programs may use controlled Q_Keys without CAP_NET_RAW"),
	YES_NO(monitor, "MONITOR", SHOWN, 0,
	       "whether the kernel notifies of devices that come and go"),
};
#undef RECORD

const struct schema system_schema = SCHEMA("system", struct system_settings, fields,
					   "what the RDMA subsystem is set to");

static enum tristate tristate_of(const struct number *number)
{
	if (!number->known)
		return TRISTATE_UNKNOWN;
	return number->value ? TRISTATE_YES : TRISTATE_NO;
}

int system_settings_read(struct system_settings *ret_settings)
{
	struct nldev_settings settings;
	int rc = nldev_read_settings(&settings);

	if (rc)
		return rc;
	*ret_settings = (struct system_settings){
		.netns_mode = settings.shared_netns,
		.privileged_qkey = tristate_of(&settings.privileged_qkey),
		.monitor = tristate_of(&settings.notifies),
	};
	return 0;
}

static int read_netns_mode(struct change *change, char **ret_value)
{
	struct system_settings settings;
	int rc = system_settings_read(&settings);

	(void)change;
	if (rc)
		return rc;
	if (!settings.netns_mode.known)
		return -EOPNOTSUPP;
	*ret_value = mem_string(enum_word(netns_modes, settings.netns_mode.value, "unknown"));
	return 0;
}

static int write_netns_mode(struct change *change, const char *value)
{
	const uint8_t mode = (uint8_t)enum_find_word(netns_modes, value)->value;
	struct netlink_request request = {.count = 0};
	struct netlink *nldev;
	int rc = change_host_nldev(change->host, &nldev);

	if (rc)
		return rc;
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_SYS_SET), NLM_F_ACK, NULL, 0);
	netlink_put(&request, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &mode, sizeof(mode));
	rc = netlink_ask_plain(nldev, &request, NULL);
	/* rdma_compatdev_set(), drivers/infiniband/core/device.c: only without other namespaces. */
	if (rc == -EBUSY)
		change_explain(change,
			       "put 'options ib_core netns_mode=0' into /etc/modprobe.d/rdma.conf, "
			       "and restart the host",
			       "the kernel refuses it while another network namespace exists");
	return rc;
}

static void persist_netns_mode(struct change *change)
{
	change->persist_file = mem_string("/etc/modprobe.d/rdma.conf");
	change->persist_text = mem_format("options ib_core netns_mode=%d",
					  (int)enum_find_word(netns_modes, change->wanted)->value);
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

const struct setting *const system_setting_table[] = {&netns_mode, NULL};
