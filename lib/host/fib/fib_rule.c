/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rules determine which tables are searched: fib_rules_lookup(), net/core/fib_rules.c. */
#include <errno.h>
#include <string.h>

#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "host/fib/fib_search.h"

enum match { MATCH_NO, MATCH_YES, MATCH_MAYBE };

/* The outcome of a rule that may or may not match. */
struct detour {
	const struct fib_rule *rule;
	struct fib_found found;
	int rc;
};

/* No more detours than this are compared with the answer. */
enum { MOST_DETOURS = 16 };

/* The kernel accepts more rules, but every packet walks through them one by one. */
enum { MOST_RULES = 4096 };

/* Packets of this host "come in" through the loopback, and leave through the named netdev. */
struct packet {
	const struct link *in, *out;
	uint32_t vrf;
};

static struct packet describe_packet(const struct fib_search *search)
{
	const struct number in = {.value = LOOPBACK_INDEX, .known = true};
	const struct number out = {.value = search->question->link_index, .known = true};

	return (struct packet){
		.in = link_by_index(search->links, &in),
		.out = link_by_index(search->links, &out),
		.vrf = fib_vrf_of(search, search->question->link_index),
	};
}

static bool is_named(const struct link *link, const char *name)
{
	return link && link->name && !strcmp(link->name, name);
}

static bool names_fit(const struct packet *packet, const struct fib_rule *rule)
{
	if (rule->in[0] && (rule->flags & FIB_RULE_IIF_DETACHED || !is_named(packet->in, rule->in)))
		return false;
	return !rule->out[0] ||
	       (!(rule->flags & FIB_RULE_OIF_DETACHED) && is_named(packet->out, rule->out));
}

static bool addresses_fit(const struct fib_search *search, const struct fib_rule *rule)
{
	const struct route_question *question = search->question;
	const struct ip_address none = {.family = question->destination.family};

	if (!ip_network_contains(&rule->to, &question->destination))
		return false;
	if (!rule->from.bits || rule->flags & FIB_RULE_FIND_SADDR)
		return true;
	/* fib6_rule_match() demands a source; fib4_rule_match() compares with 0.0.0.0. */
	if (!question->source.family)
		return none.family == AF_INET && ip_network_contains(&rule->from, &none);
	return ip_network_contains(&rule->from, &question->source);
}

static enum match match(const struct fib_search *search, const struct packet *packet,
			const struct fib_rule *rule)
{
	bool fits = names_fit(packet, rule) && addresses_fit(search, rule) && !rule->marked &&
		    !rule->tos && (!rule->vrf || packet->vrf);

	if (fits && (rule->unjudged || rule->vrf))
		return MATCH_MAYBE;
	return fits == !(rule->flags & FIB_RULE_INVERT) ? MATCH_YES : MATCH_NO;
}

static bool is_standard(const struct fib_rule *rule, uint32_t priority, uint32_t table)
{
	return rule->priority == priority && rule->table == table &&
	       rule->action == FR_ACT_TO_TBL && !rule->to.bits && !rule->from.bits &&
	       !rule->marked && !rule->tos && !rule->vrf && !rule->unjudged && !rule->in[0] &&
	       !rule->out[0] && !(rule->flags & FIB_RULE_INVERT) && rule->least_prefix < 0;
}

/* Counts the rules of the family, which are adjacent; *ret_first is the first one. */
static size_t count_rules(const struct fib_search *search, const struct fib_rule **ret_first)
{
	const struct fib *fib = search->fib;
	size_t count = 0;

	for (size_t i = 0; i < fib->rule_count; i++)
		if (fib->rules[i].to.address.family == search->question->destination.family &&
		    !count++)
			*ret_first = &fib->rules[i];
	return count;
}

static int apply(const struct fib_search *search, const struct fib_rule *rule,
		 struct fib_found *ret_found)
{
	struct fib_found found = {.route = NULL};
	int rc;

	switch (rule->action) {
	case FR_ACT_TO_TBL:
		break;
	case FR_ACT_UNREACHABLE:
		return -ENETUNREACH;
	case FR_ACT_PROHIBIT:
		return -EACCES;
	case FR_ACT_NOP:
		return -EAGAIN;
	default:
		return -EINVAL;
	}
	rc = fib_search_table(search, rule->table, &found);
	if (!rc && (int32_t)found.route->to.bits <= rule->least_prefix)
		return -EAGAIN;
	*ret_found = found;
	return rc;
}

static void add_detour(const struct fib_search *search, const struct fib_rule *rule,
		       struct detour *detours, size_t *count)
{
	struct detour detour = {.rule = rule};

	if (rule->vrf || rule->action == FR_ACT_GOTO || *count == MOST_DETOURS) {
		fib_doubt(search, "rule %u may lead elsewhere: it depends on %s", rule->priority,
			  rule->unjudged ? rule->unjudged : "the VRF of the netdev");
		return;
	}
	detour.rc = apply(search, rule, &detour.found);
	if (detour.rc != -EAGAIN)
		detours[(*count)++] = detour;
}

static void judge_detours(const struct fib_search *search, const struct detour *detours,
			  size_t count, int rc, const struct fib_found *found)
{
	for (size_t i = 0; i < count; i++)
		if (detours[i].rc != rc || (!rc && !fib_is_same(&detours[i].found, found)))
			fib_doubt(search, "rule %u may lead elsewhere: it depends on %s",
				  detours[i].rule->priority, detours[i].rule->unjudged);
}

/*
 * Until the first rule is added (fib_unmerge()), the tables local and main are merged: the longest
 * prefix of both wins, rather than local's.
 */
static int search_merged(const struct fib_search *search, struct fib_found *ret_found)
{
	struct fib_found parted = {.route = NULL}, found = {.route = NULL};
	int rc = fib_search_merged(search, &found);
	int rc_parted = fib_search_table(search, RT_TABLE_LOCAL, &parted);

	if (rc_parted == -EAGAIN)
		rc_parted = fib_search_table(search, RT_TABLE_MAIN, &parted);
	if (rc != rc_parted || (!rc && !fib_is_same(&found, &parted)))
		fib_doubt(search, "the tables local and main disagree, and which one is asked "
				  "first depends on whether the host ever had other rules");
	if (rc == -EAGAIN)
		rc = fib_search_table(search, RT_TABLE_DEFAULT, &found);
	*ret_found = found;
	return rc == -EAGAIN ? -ENETUNREACH : rc;
}

int fib_search_rules(const struct fib_search *search, struct fib_found *ret_found)
{
	const bool ipv4 = search->question->destination.family == AF_INET;
	const struct fib_rule *rules = NULL;
	const size_t count = count_rules(search, &rules);
	const struct packet packet = describe_packet(search);
	struct detour detours[MOST_DETOURS];
	size_t detour_count = 0;
	int rc = count > MOST_RULES ? -E2BIG : -EAGAIN;

	if (ipv4 && count == 3 && is_standard(&rules[0], 0, RT_TABLE_LOCAL) &&
	    is_standard(&rules[1], 32766, RT_TABLE_MAIN) &&
	    is_standard(&rules[2], 32767, RT_TABLE_DEFAULT))
		return search_merged(search, ret_found);
	for (size_t i = 0; i < count && rc == -EAGAIN; i++) {
		const struct fib_rule *rule = &rules[i];
		const enum match fits = match(search, &packet, rule);

		if (fits == MATCH_MAYBE)
			add_detour(search, rule, detours, &detour_count);
		if (fits != MATCH_YES)
			continue;
		if (rule->action != FR_ACT_GOTO) {
			rc = apply(search, rule, ret_found);
			continue;
		}
		/* Jumps only lead forward; without a target the rule is skipped. */
		for (size_t j = i + 1; j < count; j++)
			if (rules[j].priority == rule->go_to) {
				i = j - 1;
				break;
			}
	}
	if (rc == -EAGAIN)
		rc = -ENETUNREACH;
	judge_detours(search, detours, detour_count, rc, ret_found);
	return rc;
}
