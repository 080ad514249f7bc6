/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/dcb.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "kernel/netlink/netlink.h"

/*
 * Names that are newer than the oldest kernel headers the project builds with:
 * DCB_ATTR_DCB_APP_TRUST_TABLE, DCB_ATTR_DCB_APP and DCB_APP_SEL_PCP of include/uapi/linux/dcbnl.h.
 */
enum { ATTR_APP_TRUST_TABLE = 11, ATTR_PCP_APP = 2, SELECTOR_PCP = 255 };

static const struct nla_policy message_policy[DCB_ATTR_IEEE + 1] = {
	[DCB_ATTR_IEEE] = {.type = NLA_NESTED},
};

/* The structures are those of 2011; a later kernel may append to them. */
static const struct nla_policy ieee_policy[ATTR_APP_TRUST_TABLE + 1] = {
	[DCB_ATTR_IEEE_ETS] = {.minlen = sizeof(struct ieee_ets)},
	[DCB_ATTR_IEEE_PFC] = {.minlen = sizeof(struct ieee_pfc)},
	[DCB_ATTR_IEEE_APP_TABLE] = {.type = NLA_NESTED},
	[ATTR_APP_TRUST_TABLE] = {.type = NLA_NESTED},
};

static void take_classes(const struct nlattr *attribute, struct dcb *dcb)
{
	struct ieee_ets ets;

	if (!attribute)
		return;
	memcpy(&ets, nla_data(attribute), sizeof(ets));
	memcpy(dcb->priority_class, ets.prio_tc, sizeof(dcb->priority_class));
	dcb->classes_known = true;
}

static void take_pfc(const struct nlattr *attribute, struct dcb *dcb)
{
	struct ieee_pfc pfc;

	if (!attribute)
		return;
	memcpy(&pfc, nla_data(attribute), sizeof(pfc));
	dcb->pfc_priorities = number_of(pfc.pfc_en);
}

static int take_app(void *context, const struct nlattr *attribute)
{
	struct dcb *dcb = context;
	struct dcb_app app;

	if (nla_len(attribute) < (int)sizeof(app))
		return -EBADMSG;
	memcpy(&app, nla_data(attribute), sizeof(app));
	if (app.selector != IEEE_8021QAZ_APP_SEL_DSCP || app.protocol >= DCB_DSCPS ||
	    app.priority >= DCB_PRIORITIES)
		return 0;
	dcb->dscp_priorities[app.protocol] |= (uint8_t)(1u << app.priority);
	dcb->dscp_count++;
	return 0;
}

static int take_trust(void *context, const struct nlattr *attribute)
{
	struct dcb *dcb = context;
	uint8_t selector;

	if (nla_len(attribute) < (int)sizeof(selector))
		return -EBADMSG;
	memcpy(&selector, nla_data(attribute), sizeof(selector));
	if (selector == IEEE_8021QAZ_APP_SEL_DSCP)
		dcb->trusted.value |= DCB_TRUST_DSCP;
	else if (selector == SELECTOR_PCP)
		dcb->trusted.value |= DCB_TRUST_PCP;
	return 0;
}

static int take_tables(struct nlattr *const *ieee, struct dcb *dcb)
{
	const struct nlattr *apps = ieee[DCB_ATTR_IEEE_APP_TABLE];
	const struct nlattr *trust = ieee[ATTR_APP_TRUST_TABLE];
	int rc = apps ? netlink_each(apps, DCB_ATTR_IEEE_APP, take_app, dcb) : 0;

	if (rc || !trust)
		return rc;
	/* An empty table trusts nothing, which is known. */
	dcb->trusted.known = true;
	/* PCP has a type of its own: dcbnl_app_attr_type_get(), net/dcb/dcbnl.c. */
	rc = netlink_each(trust, DCB_ATTR_IEEE_APP, take_trust, dcb);
	if (!rc)
		rc = netlink_each(trust, ATTR_PCP_APP, take_trust, dcb);
	return rc;
}

int dcb_parse(const void *payload, size_t length, struct dcb *dcb)
{
	struct nlattr *table[ARRAY_SIZE(message_policy)], *ieee[ARRAY_SIZE(ieee_policy)];

	if (netlink_parse(payload, length, sizeof(struct dcbmsg), table, ARRAY_SIZE(table),
			  message_policy))
		return -EBADMSG;
	if (!table[DCB_ATTR_IEEE])
		return 0;
	if (netlink_parse_nest(table[DCB_ATTR_IEEE], ieee, ARRAY_SIZE(ieee), ieee_policy))
		return -EBADMSG;
	take_classes(ieee[DCB_ATTR_IEEE_ETS], dcb);
	take_pfc(ieee[DCB_ATTR_IEEE_PFC], dcb);
	return take_tables(ieee, dcb);
}

static int handle(void *context, unsigned int request, const struct netlink_answer *answer)
{
	(void)request;
	if (answer->error || !answer->payload)
		return answer->error ? answer->error : -EBADMSG;
	return dcb_parse(answer->payload, answer->length, context);
}

int dcb_get(struct netlink *rtnl, const char *netdev, struct dcb *ret_dcb)
{
	const struct dcbmsg header = {.dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET};
	struct netlink_request request = {0};
	struct dcb dcb = {.classes_known = false};
	int rc;

	netlink_add(&request, RTM_GETDCB, 0, &header, sizeof(header));
	netlink_put_string(&request, DCB_ATTR_IFNAME, netdev);
	rc = netlink_ask(rtnl, &request, handle, &dcb);
	if (!rc)
		*ret_dcb = dcb;
	return rc;
}
