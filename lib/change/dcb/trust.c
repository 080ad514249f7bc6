/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a port takes the priority of a packet from, and the priority of each DSCP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb/netdev.h"
#include "kernel/netlink/dcb.h"

/* 64 entries of 8 bytes fit into one request. */
enum { ENTRIES_AT_ONCE = 64 };

/*
 * mlx5 has no trust functions: adding the first DSCP entry makes it trust the DSCP, and deleting
 * the last one makes it trust the VLAN priority again (mlx5e_dcbnl_ieee_setapp() and _delapp(),
 * en_dcbnl.c).
 */
static bool trusts_by_entries(const struct dcb *dcb, const char *driver)
{
	return !dcb->trusted.known && driver && !strcmp(driver, "mlx5_core");
}

char *trust_text(const struct dcb *dcb, const char *driver)
{
	char *text = NULL;

	if (trusts_by_entries(dcb, driver))
		return mem_string(dcb->dscp_count ? "dscp" : "pcp");
	if (!dcb->trusted.known)
		return NULL;
	for (unsigned int i = 0; i < dcb->trust_count; i++) {
		const struct enum_name *name = enum_find(dcb_selector_names, dcb->trust_order[i]);

		if (name)
			mem_extend(&text, "%s%s", text ? "," : "", name->word);
		else
			mem_extend(&text, "%s%u", text ? "," : "", dcb->trust_order[i]);
	}
	return text ? text : mem_string("none");
}

/* False: a word is unknown or repeated; the kernel refuses repeated selectors, too. */
static bool parse_selectors(const char *text, uint8_t selectors[static DCB_SELECTORS],
			    size_t *ret_count)
{
	size_t count = 0;

	*ret_count = 0;
	if (!strcmp(text, "none"))
		return true;
	for_each_word (word, text, ",") {
		const struct enum_name *name = enum_find_word(dcb_selector_names, word);

		if (!name || memchr(selectors, (int)name->value, count))
			return false;
		selectors[count++] = (uint8_t)name->value;
	}
	*ret_count = count;
	return true;
}

static int parse_trust(struct change *change, const char *text, char **ret_value)
{
	uint8_t selectors[DCB_SELECTORS];
	size_t count;

	if (!parse_selectors(text, selectors, &count))
		return change_refuse_value(change, text,
					   "pcp, dscp, or an ordered list of ethertype, "
					   "stream-port, dgram-port, port, dscp, pcp");
	*ret_value = mem_string(text);
	return 0;
}

static size_t list_entries(const uint8_t map[static DCB_DSCPS], const uint8_t without[],
			   struct dcb_app *apps)
{
	size_t count = 0;

	for (unsigned int i = 0; i < DCB_DSCPS * DCB_PRIORITIES; i++) {
		const unsigned int dscp = i / DCB_PRIORITIES, priority = i % DCB_PRIORITIES;

		if ((map[dscp] & ~without[dscp]) & 1u << priority)
			apps[count++] = (struct dcb_app){.selector = IEEE_8021QAZ_APP_SEL_DSCP,
							 .priority = (uint8_t)priority,
							 .protocol = (uint16_t)dscp};
	}
	return count;
}

static int add_apps(struct change *change, const struct dcb_app *apps, size_t count)
{
	return netdev_set_dcb(change, &(struct dcb_wish){.apps = apps, .app_count = count});
}

/* Sends the entries that the first map has and the second does not. */
static int send_entries(struct change *change, const uint8_t map[static DCB_DSCPS],
			const uint8_t without[static DCB_DSCPS],
			int (*send)(struct change *, const struct dcb_app *, size_t))
{
	struct dcb_app apps[DCB_DSCPS * DCB_PRIORITIES];
	const size_t count = list_entries(map, without, apps);
	int rc = 0;

	for (size_t i = 0; i < count && !rc; i += ENTRIES_AT_ONCE) {
		const size_t left = count - i;

		rc = send(change, &apps[i], left < ENTRIES_AT_ONCE ? left : ENTRIES_AT_ONCE);
	}
	return rc;
}

/*
 * ice_dcbnl_setapp(), ice_dcb_nl.c, returns EINVAL for a second priority of a DSCP, so the first
 * one has to be deleted before. -EINVAL: no DSCP has another priority, so that is not the reason.
 */
static int replace_entries(struct change *change, const uint8_t map[static DCB_DSCPS])
{
	struct dcb dcb;
	int rc = netdev_get_dcb(change, &dcb);
	bool replaces = false;

	if (rc)
		return rc;
	for (unsigned int i = 0; i < DCB_DSCPS; i++) {
		uint8_t *there = &dcb.dscp_priorities[i];

		/* An entry with nothing to add stays for now. */
		if (map[i] & ~*there && *there & ~map[i])
			replaces = true;
		else
			*there &= map[i];
	}
	if (!replaces)
		return -EINVAL;
	free(change->reason);
	free(change->next_step);
	change->reason = change->next_step = NULL;
	return send_entries(change, dcb.dscp_priorities, map, netdev_delete_apps)
			?: netdev_get_dcb(change, &dcb)
			?: send_entries(change, map, dcb.dscp_priorities, add_apps);
}

/*
 * Adds first, and reads again before it deletes: a driver that holds one priority per DSCP (mlx5)
 * has replaced the old one by then, and a port that trusts the DSCP only while it has entries does
 * not switch back and forth.
 */
static int write_map(struct change *change, const uint8_t map[static DCB_DSCPS])
{
	struct dcb dcb;
	int rc = netdev_get_dcb(change, &dcb);

	if (rc)
		return rc;
	rc = send_entries(change, map, dcb.dscp_priorities, add_apps);
	if (rc == -EINVAL)
		rc = replace_entries(change, map);
	return rc ?: netdev_get_dcb(change, &dcb)
			     ?: send_entries(change, dcb.dscp_priorities, map, netdev_delete_apps);
}

/* change->data is the map before the change, from which mlx5's trust derives, or NULL. */
static int write_trust_by_entries(struct change *change, const char *value, const struct dcb *dcb)
{
	static const uint8_t none[DCB_DSCPS];
	const uint8_t *saved = change->data;

	if (!strcmp(value, dcb->dscp_count ? "dscp" : "pcp"))
		return 0;
	if (!strcmp(value, "pcp"))
		return write_map(change, none);
	if (!strcmp(value, "dscp") && saved)
		return write_map(change, saved);
	return change_fail(
		change, -EOPNOTSUPP, "set dscp-priority before it, in the same call",
		"the driver trusts the DSCP as soon as one has a priority, and pcp otherwise");
}

static int write_trust(struct change *change, const char *value)
{
	_cleanup_(freep) char *driver = netdev_driver(change);
	uint8_t selectors[DCB_SELECTORS];
	struct dcb dcb;
	size_t count;
	int rc = netdev_get_dcb(change, &dcb);

	if (rc)
		return rc;
	if (trusts_by_entries(&dcb, driver))
		return write_trust_by_entries(change, value, &dcb);
	if (!parse_selectors(value, selectors, &count))
		return -EINVAL;
	return netdev_set_dcb(change, &(struct dcb_wish){.trust = selectors, .trust_count = count});
}

static void guard_trust(struct change *change)
{
	_cleanup_(freep) char *driver = netdev_driver(change);
	struct dcb dcb;

	netdev_guard(change);
	if (netdev_peek_dcb(change, &dcb) || !trusts_by_entries(&dcb, driver))
		return;
	if (dcb.dscp_count) {
		free(change->data);
		change->data = mem_alloc_zero(1, sizeof(dcb.dscp_priorities));
		memcpy(change->data, dcb.dscp_priorities, sizeof(dcb.dscp_priorities));
	}
	change_note(change, "mlx5 trusts the DSCP while dscp-priority has an entry: pcp deletes "
			    "them all");
}

/* If the change deleted the map, only the map undoes it. */
static char *undo_trust(const struct change *change)
{
	const uint8_t *saved = change->data;
	_cleanup_(freep) char *map = NULL, *object = NULL;

	if (!saved || strcmp(change->wanted, "pcp"))
		return change_as_command(change, change->before);
	map = dscp_map_text(saved);
	object = change_quote_object(change, change->object);
	return mem_format("rdmactl " NETDEV_COMMAND " %s dscp-priority %s", object, map);
}

char *dscp_map_text(const uint8_t map[static DCB_DSCPS])
{
	char *text = NULL;

	for (unsigned int i = 0; i < DCB_DSCPS * DCB_PRIORITIES; i++)
		if (map[i / DCB_PRIORITIES] & 1u << i % DCB_PRIORITIES)
			mem_extend(&text, "%s%u:%u", text ? "," : "", i / DCB_PRIORITIES,
				   i % DCB_PRIORITIES);
	return text ? text : mem_string("none");
}

/*
 * Puts 26:3 into the map. With `replaces`, an entry replaces the DSCP's other entries, and 26:none
 * removes them.
 */
static bool parse_entry(char *entry, bool replaces, uint8_t map[static DCB_DSCPS])
{
	char *colon = strchr(entry, ':');
	unsigned int dscp;
	uint64_t priority;

	if (!colon)
		return false;
	*colon++ = '\0';
	if (dscp_parse(entry, &dscp))
		return false;
	if (replaces)
		map[dscp] = 0;
	if (replaces && !strcmp(colon, "none"))
		return true;
	if (text_parse_u64(colon, 10, DCB_PRIORITIES - 1, &priority))
		return false;
	map[dscp] |= (uint8_t)(1u << priority);
	return true;
}

static bool parse_map(const char *text, bool replaces, uint8_t map[static DCB_DSCPS])
{
	if (!replaces && !strcmp(text, "none"))
		return true;
	for_each_word (entry, text, ",")
		if (!parse_entry(entry, replaces, map))
			return false;
	return true;
}

static int parse_dscp(struct change *change, const char *text, char **ret_value)
{
	const bool adds = text[0] == '+';
	uint8_t map[DCB_DSCPS] = {0};
	struct dcb dcb;

	/* Check the syntax before asking the kernel. */
	if (!parse_map(text + adds, adds, map))
		return change_refuse_value(change, text,
					   "none, DSCP:PRIORITY,... (26:3, AF31:3), or "
					   "+DSCP:PRIORITY,... to add to the existing ones");
	if (adds) {
		int rc = netdev_get_dcb(change, &dcb);

		if (rc)
			return rc;
		memcpy(map, dcb.dscp_priorities, sizeof(map));
		parse_map(text + 1, true, map);
	}
	*ret_value = dscp_map_text(map);
	return 0;
}

static int write_dscp(struct change *change, const char *value)
{
	uint8_t map[DCB_DSCPS] = {0};

	return parse_map(value, false, map) ? write_map(change, map) : -EINVAL;
}

const struct setting dcb_trust_setting = {
	DCB_SETTING,
	.keyword = {"trust", "pcp|dscp|LIST",
		    "what a packet's priority is taken from: VLAN tag or DSCP", NULL},
	.interface = "rtnetlink IEEE_SET APPTRUST",
	.flags = SETTING_STOPS_TRAFFIC,
	.parse = parse_trust,
	.write = write_trust,
	.guard = guard_trust,
	.undo = undo_trust,
};

const struct setting dcb_dscp_priority_setting = {
	DCB_SETTING,
	.keyword = {"dscp-priority", "[+]DSCP:PRIORITY,...|none",
		    "priority of each DSCP; with +, added to the existing ones", NULL},
	.interface = "rtnetlink IEEE_SET APP, IEEE_DEL",
	.parse = parse_dscp,
	.write = write_dscp,
	.guard = netdev_guard,
};
