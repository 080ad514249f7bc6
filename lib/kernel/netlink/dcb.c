/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/dcb.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/netlink.h"

const struct enum_name dcb_selector_names[] = {
	{IEEE_8021QAZ_APP_SEL_ETHERTYPE, "ethertype"},
	{IEEE_8021QAZ_APP_SEL_STREAM, "stream-port"},
	{IEEE_8021QAZ_APP_SEL_DGRAM, "dgram-port"},
	{IEEE_8021QAZ_APP_SEL_ANY, "port"},
	{IEEE_8021QAZ_APP_SEL_DSCP, "dscp"},
	{DCB_SELECTOR_PCP, "pcp"},
	{0, NULL},
};

const struct enum_name dcb_algorithm_names[] = {
	{IEEE_8021QAZ_TSA_STRICT, "strict"},
	{IEEE_8021QAZ_TSA_CB_SHAPER, "credit-shaper"},
	{IEEE_8021QAZ_TSA_ETS, "ets"},
	{IEEE_8021QAZ_TSA_VENDOR, "vendor"},
	{0, NULL},
};

static const struct nla_policy message_policy[DCB_ATTR_DCBX + 1] = {
	[DCB_ATTR_DCBX] = {.type = NLA_U8},
};

static const struct nla_policy result_policy[DCB_ATTR_DCBX + 1] = {
	[DCB_ATTR_IEEE] = {.type = NLA_U8},
	[DCB_ATTR_DCBX] = {.type = NLA_U8},
};

/* The structures of 2011 (buffers: 2018); later kernels may append members. */
static const struct nla_policy ieee_policy[DCB_ATTR_TRUST_TABLE + 1] = {
	[DCB_ATTR_IEEE_ETS] = {.minlen = sizeof(struct ieee_ets)},
	[DCB_ATTR_IEEE_PFC] = {.minlen = sizeof(struct ieee_pfc)},
	[DCB_ATTR_IEEE_MAXRATE] = {.minlen = sizeof(struct ieee_maxrate)},
	[DCB_ATTR_DCB_BUFFER] = {.minlen = sizeof(struct dcbnl_buffer)},
};

/* Copies a structure whose length the policy has checked. */
static bool take_structure(const struct nlattr *attribute, void *structure, size_t size)
{
	if (attribute)
		memcpy(structure, nla_data(attribute), size);
	return attribute;
}

static int take_app(void *context, const struct nlattr *attribute)
{
	struct dcb *dcb = context;
	struct dcb_app app;

	if (nla_len(attribute) < (int)sizeof(app))
		return -EBADMSG;
	memcpy(&app, nla_data(attribute), sizeof(app));
	if (app.selector == IEEE_8021QAZ_APP_SEL_DSCP && app.protocol < DCB_DSCPS &&
	    app.priority < DCB_PRIORITIES) {
		dcb->dscp_priorities[app.protocol] |= (uint8_t)(1u << app.priority);
		dcb->dscp_count++;
	}
	return 0;
}

static int take_trust(struct dcb *dcb, const struct nlattr *attribute)
{
	uint8_t selector;

	if (nla_len(attribute) < (int)sizeof(selector))
		return -EBADMSG;
	memcpy(&selector, nla_data(attribute), sizeof(selector));
	if (dcb->trust_count < DCB_SELECTORS)
		dcb->trust_order[dcb->trust_count++] = selector;
	if (selector == IEEE_8021QAZ_APP_SEL_DSCP)
		dcb->trusted.value |= DCB_TRUST_DSCP;
	else if (selector == DCB_SELECTOR_PCP)
		dcb->trusted.value |= DCB_TRUST_PCP;
	return 0;
}

/* PCP has a separate attribute type, dcbnl_app_attr_type_get(); the order spans both types. */
static int take_trusts(struct dcb *dcb, const struct nlattr *table)
{
	const struct nlattr *entry;
	int left;

	nla_for_each_nested(entry, table, left)
	{
		const int type = nla_type(entry);
		int rc = type == DCB_ATTR_IEEE_APP || type == DCB_ATTR_PCP_APP
				 ? take_trust(dcb, entry)
				 : 0;

		if (rc)
			return rc;
	}
	/* An empty table is a definite answer: nothing is trusted. */
	dcb->trusted.known = true;
	return left < (int)sizeof(*entry) ? 0 : -EBADMSG;
}

int dcb_parse(void *record, const void *payload, size_t length)
{
	struct nlattr *table[ARRAY_SIZE(message_policy)], *ieee[ARRAY_SIZE(ieee_policy)];
	struct dcb *dcb = record;
	int rc = 0;

	if (netlink_parse(payload, length, sizeof(struct dcbmsg), table, ARRAY_SIZE(table),
			  message_policy) ||
	    netlink_get_number(table[DCB_ATTR_DCBX], &dcb->dcbx))
		return -EBADMSG;
	if (!table[DCB_ATTR_IEEE])
		return 0;
	if (netlink_parse_nest(table[DCB_ATTR_IEEE], ieee, ARRAY_SIZE(ieee), ieee_policy))
		return -EBADMSG;
	dcb->ets_known = take_structure(ieee[DCB_ATTR_IEEE_ETS], &dcb->ets, sizeof(dcb->ets));
	dcb->pfc_known = take_structure(ieee[DCB_ATTR_IEEE_PFC], &dcb->pfc, sizeof(dcb->pfc));
	dcb->rates_known = take_structure(ieee[DCB_ATTR_IEEE_MAXRATE], &dcb->rates,
					  sizeof(dcb->rates));
	dcb->buffers_known = take_structure(ieee[DCB_ATTR_DCB_BUFFER], &dcb->buffers,
					    sizeof(dcb->buffers));
	if (ieee[DCB_ATTR_IEEE_APP_TABLE])
		rc = netlink_each(ieee[DCB_ATTR_IEEE_APP_TABLE], DCB_ATTR_IEEE_APP, take_app, dcb);
	if (!rc && ieee[DCB_ATTR_TRUST_TABLE])
		rc = take_trusts(dcb, ieee[DCB_ATTR_TRUST_TABLE]);
	return rc;
}

static void begin(struct netlink_request *request, uint16_t type, uint8_t command,
		  const char *netdev)
{
	const struct dcbmsg header = {.dcb_family = AF_UNSPEC, .cmd = command};

	netlink_add(request, type, 0, &header, sizeof(header));
	netlink_put_string(request, DCB_ATTR_IFNAME, netdev);
}

int dcb_get(struct netlink *rtnl, const char *netdev, struct dcb *ret_dcb)
{
	struct netlink_request request = {.count = 0};

	begin(&request, RTM_GETDCB, DCB_CMD_IEEE_GET, netdev);
	return netlink_ask_record(rtnl, &request, dcb_parse, ret_dcb, sizeof(*ret_dcb));
}

/*
 * dcbnl_ieee_set() and _del() put their errno into a u8, and return the success of sending it; some
 * drivers return a positive code (ICE_DCB_HW_CHG), which is no error. dcbnl_setdcbx() puts the
 * driver's result there: not 0 if it refuses.
 */
int dcb_parse_result(const void *payload, size_t length, unsigned int attribute)
{
	struct nlattr *table[ARRAY_SIZE(result_policy)];
	struct number result = {.known = false};

	if (netlink_parse(payload, length, sizeof(struct dcbmsg), table, ARRAY_SIZE(table),
			  result_policy) ||
	    netlink_get_number(table[attribute], &result) || !result.known ||
	    result.value > UINT8_MAX)
		return -EBADMSG;
	if (attribute == DCB_ATTR_DCBX)
		return result.value ? -EREMOTEIO : 0;
	return result.value > INT8_MAX ? (int)result.value - UINT8_MAX - 1 : 0;
}

static int take_result(void *context, const void *payload, size_t length)
{
	const unsigned int *attribute = context;

	return dcb_parse_result(payload, length, *attribute);
}

static int write_request(struct netlink *rtnl, struct netlink_request *request,
			 unsigned int attribute)
{
	return netlink_ask(rtnl, request, take_result, &attribute);
}

static void put_structure(struct netlink_request *request, uint16_t type, const void *structure,
			  size_t size)
{
	if (structure)
		netlink_put(request, type, structure, size);
}

/* Puts entries of the APP table, or of trust: each begins with its selector. */
static void put_entries(struct netlink_request *request, uint16_t table, const void *entries,
			size_t size, size_t count)
{
	struct nlattr *nest = netlink_nest_begin(request, table);

	for (const uint8_t *entry = entries; count--; entry += size)
		netlink_put(request,
			    *entry == DCB_SELECTOR_PCP ? DCB_ATTR_PCP_APP : DCB_ATTR_IEEE_APP,
			    entry, size);
	netlink_nest_end(request, nest);
}

int dcb_set(struct netlink *rtnl, const char *netdev, const struct dcb_wish *wish)
{
	struct netlink_request request = {.count = 0};
	struct nlattr *ieee;

	begin(&request, RTM_SETDCB, DCB_CMD_IEEE_SET, netdev);
	ieee = netlink_nest_begin(&request, DCB_ATTR_IEEE);
	put_structure(&request, DCB_ATTR_IEEE_ETS, wish->ets, sizeof(*wish->ets));
	put_structure(&request, DCB_ATTR_IEEE_MAXRATE, wish->rates, sizeof(*wish->rates));
	put_structure(&request, DCB_ATTR_IEEE_PFC, wish->pfc, sizeof(*wish->pfc));
	put_structure(&request, DCB_ATTR_DCB_BUFFER, wish->buffers, sizeof(*wish->buffers));
	if (wish->apps)
		put_entries(&request, DCB_ATTR_IEEE_APP_TABLE, wish->apps, sizeof(*wish->apps),
			    wish->app_count);
	if (wish->trust)
		put_entries(&request, DCB_ATTR_TRUST_TABLE, wish->trust, sizeof(*wish->trust),
			    wish->trust_count);
	netlink_nest_end(&request, ieee);
	return write_request(rtnl, &request, DCB_ATTR_IEEE);
}

int dcb_delete_apps(struct netlink *rtnl, const char *netdev, const struct dcb_app *apps,
		    size_t count)
{
	struct netlink_request request = {.count = 0};
	struct nlattr *ieee;

	begin(&request, RTM_SETDCB, DCB_CMD_IEEE_DEL, netdev);
	ieee = netlink_nest_begin(&request, DCB_ATTR_IEEE);
	put_entries(&request, DCB_ATTR_IEEE_APP_TABLE, apps, sizeof(*apps), count);
	netlink_nest_end(&request, ieee);
	return write_request(rtnl, &request, DCB_ATTR_IEEE);
}

int dcb_set_dcbx(struct netlink *rtnl, const char *netdev, uint8_t mode)
{
	struct netlink_request request = {.count = 0};

	begin(&request, RTM_SETDCB, DCB_CMD_SDCBX, netdev);
	netlink_put(&request, DCB_ATTR_DCBX, &mode, sizeof(mode));
	return write_request(rtnl, &request, DCB_ATTR_DCBX);
}

static const char *const dscp_names[DCB_DSCPS] = {
	[0] = "CS0",   [1] = "LE",    [8] = "CS1",   [10] = "AF11", [12] = "AF12",
	[14] = "AF13", [16] = "CS2",  [18] = "AF21", [20] = "AF22", [22] = "AF23",
	[24] = "CS3",  [26] = "AF31", [28] = "AF32", [30] = "AF33", [32] = "CS4",
	[34] = "AF41", [36] = "AF42", [38] = "AF43", [40] = "CS5",  [44] = "VOICE-ADMIT",
	[46] = "EF",   [48] = "CS6",  [56] = "CS7",
};

const char *dscp_name(unsigned int dscp)
{
	return dscp < DCB_DSCPS ? dscp_names[dscp] : NULL;
}

int dscp_parse(const char *text, unsigned int *ret_dscp)
{
	uint64_t number;

	for (unsigned int i = 0; i < DCB_DSCPS; i++)
		if (dscp_names[i] && !strcasecmp(dscp_names[i], text)) {
			*ret_dscp = i;
			return 0;
		}
	if (text_parse_u64(text, 0, DCB_DSCPS - 1, &number))
		return -EINVAL;
	*ret_dscp = (unsigned int)number;
	return 0;
}
