/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The settings of data center bridging, except DSCP and trust. */
#include "change/dcb.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb/netdev.h"

static const struct enum_name owners[] = {
	{DCB_CAP_DCBX_HOST, "host"},
	{DCB_CAP_DCBX_LLD_MANAGED, "firmware"},
	{0, NULL},
};

char *priorities_text(unsigned int mask)
{
	char *text = NULL;

	for (unsigned int i = 0; i < DCB_PRIORITIES; i++)
		if (mask & 1u << i)
			mem_extend(&text, "%s%u", text ? "," : "", i);
	return text ? text : mem_string("none");
}

bool priorities_parse(const char *text, unsigned int *ret_mask)
{
	unsigned int mask = 0;
	uint64_t priority;

	if (!strcmp(text, "all"))
		mask = (1u << DCB_PRIORITIES) - 1;
	else if (strcmp(text, "none"))
		for_each_word (word, text, ",") {
			if (text_parse_u64(word, 10, DCB_PRIORITIES - 1, &priority))
				return false;
			mask |= 1u << priority;
		}
	*ret_mask = mask;
	return true;
}

char *dcb_value(const struct setting *setting, const struct dcb *dcb, const char *driver)
{
	const struct array_form *form = array_find(setting);

	if (form)
		return array_known(form, dcb) ? array_value(form, dcb) : NULL;
	if (setting == &dcb_trust_setting)
		return trust_text(dcb, driver);
	if (setting == &dcb_dscp_priority_setting)
		return dscp_map_text(dcb->dscp_priorities);
	if (setting == &dcb_pfc_setting && dcb->pfc_known)
		return priorities_text(dcb->pfc.pfc_en);
	if (setting == &dcb_pfc_delay_setting && dcb->pfc_known)
		return mem_format("%u", dcb->pfc.delay);
	if (setting == &dcb_dcbx_setting && dcb->dcbx.known)
		return mem_string(dcb->dcbx.value & DCB_CAP_DCBX_HOST ? "host" : "firmware");
	return NULL;
}

static int parse_pfc(struct change *change, const char *text, char **ret_value)
{
	unsigned int mask;

	if (!priorities_parse(text, &mask))
		return change_refuse_value(change, text,
					   "none, all, or priorities 0 to 7, such as 3 or 3,4");
	*ret_value = priorities_text(mask);
	return 0;
}

static int parse_delay(struct change *change, const char *text, char **ret_value)
{
	uint64_t delay;

	if (text_parse_u64(text, 10, UINT16_MAX, &delay))
		return change_refuse_value(change, text, "a number from 0 to 65535");
	*ret_value = mem_format("%u", (unsigned int)delay);
	return 0;
}

/* Returns the mask of the classes of these priorities. */
static unsigned int classes_of(const struct dcb *dcb, unsigned int priorities)
{
	unsigned int classes = 0;

	for (unsigned int i = 0; i < DCB_PRIORITIES; i++)
		if (priorities & 1u << i && dcb->ets.prio_tc[i] < DCB_CLASSES)
			classes |= 1u << dcb->ets.prio_tc[i];
	return classes;
}

static int write_pfc(struct change *change, const char *value)
{
	struct dcb dcb;
	unsigned int mask;
	uint64_t delay;
	int rc = netdev_get_dcb(change, &dcb);

	if (rc)
		return rc;
	if (!dcb.pfc_known)
		return -EOPNOTSUPP;
	if (change->setting == &dcb_pfc_delay_setting &&
	    !text_parse_u64(value, 10, UINT16_MAX, &delay))
		dcb.pfc.delay = (uint16_t)delay;
	else if (priorities_parse(value, &mask))
		dcb.pfc.pfc_en = (uint8_t)mask;
	else
		return -EINVAL;
	rc = netdev_set_dcb(change, &(struct dcb_wish){.pfc = &dcb.pfc});
	/* bnxt_hwrm_queue_pfc_cfg(), bnxt_dcb.c, refuses PFC until the host has set the classes. */
	if (rc == -EINVAL && change->setting == &dcb_pfc_setting && dcb.pfc.pfc_en &&
	    dcb.ets_known && classes_of(&dcb, UINT8_MAX) == 1)
		change_explain(change,
			       "give the priority a class of its own first: bnxt needs "
			       "priority-class before pfc, which one call can do",
			       "the driver does not accept this value");
	return rc;
}

/* bnxt has one or two lossless classes: bnxt_hwrm_queue_pfc_cfg(), bnxt_dcb.c. */
static int check_pfc(struct change *change)
{
	const struct change *sibling = netdev_earlier(change, &dcb_priority_class_setting);
	unsigned int mask, given, count;
	struct dcb dcb;
	int rc = netdev_get_dcb(change, &dcb);

	if (rc || !dcb.ets_known || !dcb.pfc.pfc_cap || !priorities_parse(change->wanted, &mask))
		return rc;
	if (sibling)
		array_parse(array_find(sibling->setting), sibling->wanted, &dcb, &given);
	count = (unsigned int)__builtin_popcount(classes_of(&dcb, mask));
	if (count <= dcb.pfc.pfc_cap)
		return 0;
	return change_fail(
		change, -EINVAL,
		"name fewer priorities, or give them the same class first: priority-class "
		"before pfc",
		"these priorities are in %u classes, and the adapter can pause only %u", count,
		dcb.pfc.pfc_cap);
}

/*
 * An adapter does only one of the two: mlx4 switches pause frames off when PFC is set
 * (mlx4_en_dcbnl_ieee_setpfc(), en_dcb_nl.c).
 */
static void guard_pfc(struct change *change)
{
	const struct change *pause = netdev_earlier(change, &link_pause_setting);
	_cleanup_(freep) char *now = NULL;

	netdev_guard(change);
	if (!strcmp(change->wanted, "none"))
		return;
	if (pause)
		now = mem_string(pause->wanted);
	else
		now = link_pause_now(change);
	if (now && (strstr(now, "rx") || strstr(now, "tx")))
		change_disturbs(change,
				"the pause frames of the link, which rule out PFC: global-pause is "
				"%s, set it to none before pfc",
				now);
}

/*
 * Keeps the protocol versions: ice accepts one, bnxt only IEEE, mlx5 any (ice_dcbnl_setdcbx(),
 * bnxt_dcbnl_setdcbx(), mlx5e_dcbnl_setdcbx()). The mlx5 firmware takes over with 0 and refuses
 * LLD_MANAGED; other drivers know only LLD_MANAGED.
 */
static int set_owner(struct netlink *rtnl, const char *name, const struct dcb *dcb, bool host)
{
	const unsigned int versions = (unsigned int)dcb->dcbx.value &
				      (DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE);
	const unsigned int mode = versions ? versions : DCB_CAP_DCBX_VER_IEEE;
	int rc;

	if (host)
		return dcb_set_dcbx(rtnl, name, (uint8_t)(mode | DCB_CAP_DCBX_HOST));
	rc = dcb_set_dcbx(rtnl, name, (uint8_t)(mode | DCB_CAP_DCBX_LLD_MANAGED));
	return rc == -EREMOTEIO ? dcb_set_dcbx(rtnl, name, 0) : rc;
}

static int write_dcbx(struct change *change, const char *value)
{
	const bool host = !strcmp(value, "host");
	char name[IF_NAMESIZE];
	struct netlink *rtnl;
	struct dcb dcb;
	int rc = netdev_get_dcb(change, &dcb)
			?: netdev_name(change, name)
			?: change_host_rtnl(change->host, &rtnl);

	if (rc)
		return rc;
	rc = set_owner(rtnl, name, &dcb, host);
	if (rc != -EREMOTEIO)
		return netdev_explain(change, rc);
	return change_fail(change, rc,
			   host ? "stop the LLDP agent of the firmware first, with the vendor's "
				  "tool (mlxconfig, niccli, ethtool --set-priv-flags)"
				: NULL,
			   "the driver refuses to hand data center bridging over to the %s",
			   host ? "host" : "firmware");
}

#define ARRAY_SETTING                                                                          \
	DCB_SETTING, .parse = array_setting_parse, .write = array_setting_write,               \
		     .check = array_setting_check, .guard = netdev_guard, .undo = netdev_undo, \
		     .flags = SETTING_STOPS_TRAFFIC

const struct setting dcb_dcbx_setting = {
	DCB_SETTING,
	.keyword = {"dcbx", "host|firmware",
		    "who negotiates these settings with the switch and applies them", owners},
	.interface = "rtnetlink SDCBX",
	.write = write_dcbx,
};

/* mlx5 takes the link down and up again: mlx5_toggle_port_link() in mlx5e_dcbnl_ieee_setpfc(). */
const struct setting dcb_pfc_setting = {
	DCB_SETTING,
	.keyword = {"pfc", "LIST|none|all", "priorities that priority flow control pauses", NULL},
	.interface = "rtnetlink IEEE_SET PFC",
	.flags = SETTING_STOPS_TRAFFIC | SETTING_CUTS_WAY,
	.parse = parse_pfc,
	.write = write_pfc,
	.check = check_pfc,
	.guard = guard_pfc,
};

const struct setting dcb_pfc_delay_setting = {
	DCB_SETTING,
	.keyword = {"pfc-delay", "N",
		    "allowance for the cable, in bit times; mlx5: its length in metres", NULL},
	.interface = "rtnetlink IEEE_SET PFC",
	.flags = SETTING_STOPS_TRAFFIC,
	.parse = parse_delay,
	.write = write_pfc,
	.guard = netdev_guard,
};

const struct setting dcb_priority_class_setting = {
	ARRAY_SETTING,
	.keyword = {"priority-class", "PRIORITY:CLASS,...", "traffic class of each priority", NULL},
	.interface = "rtnetlink IEEE_SET ETS",
};

const struct setting dcb_class_algorithm_setting = {
	ARRAY_SETTING,
	.keyword = {"class-algorithm", "CLASS:strict|ets|credit-shaper|vendor,...",
		    "how the traffic classes share the link", NULL},
	.interface = "rtnetlink IEEE_SET ETS",
};

const struct setting dcb_class_bandwidth_setting = {
	ARRAY_SETTING,
	.keyword = {"class-bandwidth", "CLASS:PERCENT,...",
		    "bandwidth of the classes with the algorithm ets, in total 100", NULL},
	.interface = "rtnetlink IEEE_SET ETS",
};

const struct setting dcb_maxrate_setting = {
	ARRAY_SETTING,
	.keyword = {"maxrate", "CLASS:NUMBER(kbit|mbit|gbit)|unlimited,...",
		    "rate limit of each traffic class, at least 1kbit; the adapter may round it",
		    NULL},
	.interface = "rtnetlink IEEE_SET MAXRATE",
	.is_nearest = array_setting_is_nearest,
};

const struct setting dcb_priority_buffer_setting = {
	ARRAY_SETTING,
	.keyword = {"priority-buffer", "PRIORITY:BUFFER,...", "receive buffer of each priority",
		    NULL},
	.interface = "rtnetlink IEEE_SET BUFFER",
};

const struct setting dcb_buffer_size_setting = {
	ARRAY_SETTING,
	.keyword = {"buffer-size", "BUFFER:BYTES,...", "size of each receive buffer", NULL},
	.interface = "rtnetlink IEEE_SET BUFFER",
};

const struct setting *const dcb_setting_table[] = {
	&dcb_dcbx_setting,
	&dcb_dscp_priority_setting,
	&dcb_trust_setting,
	&dcb_priority_class_setting,
	&dcb_class_algorithm_setting,
	&dcb_class_bandwidth_setting,
	&dcb_maxrate_setting,
	&link_pause_setting,
	&dcb_pfc_setting,
	&dcb_pfc_delay_setting,
	&dcb_priority_buffer_setting,
	&dcb_buffer_size_setting,
	&link_mtu_setting,
	NULL,
};
