/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/ethtool.h"

#include <errno.h>
#include <string.h>

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/netlink/genl.h"

_Static_assert((int)ETHTOOL_FEC_IS_OFF == (int)ETHTOOL_LINK_MODE_FEC_NONE_BIT, "one constant");
/* Both messages keep the netdev in their attribute 1. */
_Static_assert((int)ETHTOOL_A_PAUSE_HEADER == (int)ETHTOOL_A_FEC_HEADER, "one request for both");

const struct enum_name ethtool_fec_names[] = {
	{ETHTOOL_LINK_MODE_FEC_NONE_BIT, "none"},
	{ETHTOOL_LINK_MODE_FEC_RS_BIT, "RS"},
	{ETHTOOL_LINK_MODE_FEC_BASER_BIT, "BASE-R"},
	{ETHTOOL_LINK_MODE_FEC_LLRS_BIT, "LLRS"},
	{0, NULL},
};

static const struct nla_policy pause_policy[ETHTOOL_A_PAUSE_TX + 1] = {
	[ETHTOOL_A_PAUSE_AUTONEG] = {.type = NLA_U8},
	[ETHTOOL_A_PAUSE_RX] = {.type = NLA_U8},
	[ETHTOOL_A_PAUSE_TX] = {.type = NLA_U8},
};

static const struct nla_policy fec_policy[ETHTOOL_A_FEC_STATS + 1] = {
	[ETHTOOL_A_FEC_ACTIVE] = {.type = NLA_U32},
	[ETHTOOL_A_FEC_STATS] = {.type = NLA_NESTED},
};

static const struct nla_policy fec_stat_policy[ETHTOOL_A_FEC_STAT_CORR_BITS + 1];

static int get_tristate(const struct nlattr *attribute, enum tristate *value)
{
	struct number number = {.known = false};

	if (netlink_get_number(attribute, &number))
		return -EBADMSG;
	if (number.known)
		*value = number.value ? TRISTATE_YES : TRISTATE_NO;
	return 0;
}

int ethtool_parse_pause(const void *payload, size_t length, struct ethtool_pause *pause)
{
	struct nlattr *table[ARRAY_SIZE(pause_policy)];

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), pause_policy) ||
	    get_tristate(table[ETHTOOL_A_PAUSE_AUTONEG], &pause->autoneg) ||
	    get_tristate(table[ETHTOOL_A_PAUSE_RX], &pause->receive) ||
	    get_tristate(table[ETHTOOL_A_PAUSE_TX], &pause->transmit))
		return -EBADMSG;
	return 0;
}

/* The total, then one number for each lane; empty if the driver does not count this. */
static int get_total(const struct nlattr *attribute, struct number *total)
{
	uint64_t value;

	if (!attribute || !nla_len(attribute))
		return 0;
	if (nla_len(attribute) % (int)sizeof(value))
		return -EBADMSG;
	memcpy(&value, nla_data(attribute), sizeof(value));
	number_set(total, value);
	return 0;
}

int ethtool_parse_fec(const void *payload, size_t length, struct ethtool_fec *fec)
{
	struct nlattr *table[ARRAY_SIZE(fec_policy)], *stats[ARRAY_SIZE(fec_stat_policy)];

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), fec_policy) ||
	    netlink_get_number(table[ETHTOOL_A_FEC_ACTIVE], &fec->active))
		return -EBADMSG;
	if (!table[ETHTOOL_A_FEC_STATS])
		return 0;
	if (netlink_parse_nest(table[ETHTOOL_A_FEC_STATS], stats, ARRAY_SIZE(stats),
			       fec_stat_policy) ||
	    get_total(stats[ETHTOOL_A_FEC_STAT_CORRECTED], &fec->corrected_blocks) ||
	    get_total(stats[ETHTOOL_A_FEC_STAT_UNCORR], &fec->uncorrectable_blocks) ||
	    get_total(stats[ETHTOOL_A_FEC_STAT_CORR_BITS], &fec->corrected_bits))
		return -EBADMSG;
	return 0;
}

/* The kernel is strict in this family: a nest without its flag is refused. */
static void add_request(struct netlink_request *request, uint16_t family, uint8_t command,
			uint16_t message_flags, uint32_t index, uint32_t flags)
{
	const struct {
		struct nlattr index_header;
		uint32_t index;
		struct nlattr flags_header;
		uint32_t flags;
	} netdev = {
		.index_header = {.nla_len = NLA_HDRLEN + sizeof(uint32_t),
				 .nla_type = ETHTOOL_A_HEADER_DEV_INDEX},
		.index = index,
		.flags_header = {.nla_len = NLA_HDRLEN + sizeof(uint32_t),
				 .nla_type = ETHTOOL_A_HEADER_FLAGS},
		.flags = flags,
	};

	genl_add(request, family, command, message_flags);
	netlink_put(request, ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED, &netdev, sizeof(netdev));
}

struct question {
	int (*parse)(const void *payload, size_t length, void *record);
	void *record;
};

static int parse_pause(const void *payload, size_t length, void *record)
{
	return ethtool_parse_pause(payload, length, record);
}

static int parse_fec(const void *payload, size_t length, void *record)
{
	return ethtool_parse_fec(payload, length, record);
}

static int take(void *context, unsigned int request, const struct netlink_answer *answer)
{
	const struct question *question = context;

	(void)request;
	if (answer->error)
		return answer->error;
	return answer->payload ? question->parse(answer->payload, answer->length, question->record)
			       : -EBADMSG;
}

int ethtool_get_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      struct ethtool_pause *ret_pause)
{
	struct netlink_request request = {.count = 0};
	struct ethtool_pause pause = {TRISTATE_UNKNOWN};
	struct question question = {parse_pause, &pause};
	int error;

	add_request(&request, family, ETHTOOL_MSG_PAUSE_GET, 0, index, 0);
	error = netlink_ask(generic, &request, take, &question);
	if (!error)
		*ret_pause = pause;
	return error;
}

static void put_tristate(struct netlink_request *request, uint16_t type, enum tristate value)
{
	const uint8_t byte = value == TRISTATE_YES;

	if (value != TRISTATE_UNKNOWN)
		netlink_put(request, type, &byte, sizeof(byte));
}

/* ethnl_set_pause(), net/ethtool/pause.c, starts from what the driver has. */
int ethtool_set_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      const struct ethtool_pause *pause, char **ret_text)
{
	struct netlink_request request = {.count = 0};

	add_request(&request, family, ETHTOOL_MSG_PAUSE_SET, NLM_F_ACK, index, 0);
	put_tristate(&request, ETHTOOL_A_PAUSE_AUTONEG, pause->autoneg);
	put_tristate(&request, ETHTOOL_A_PAUSE_RX, pause->receive);
	put_tristate(&request, ETHTOOL_A_PAUSE_TX, pause->transmit);
	return netlink_ask_plain(generic, &request, ret_text);
}

int ethtool_get_fec(struct netlink *generic, uint16_t family, uint32_t index, bool counts,
		    struct ethtool_fec *ret_fec)
{
	struct netlink_request request = {.count = 0};
	struct ethtool_fec fec = {.active.known = false};
	struct question question = {parse_fec, &fec};
	int error;

	add_request(&request, family, ETHTOOL_MSG_FEC_GET, 0, index,
		    counts ? ETHTOOL_FLAG_STATS : 0);
	error = netlink_ask(generic, &request, take, &question);
	if (!error)
		*ret_fec = fec;
	return error;
}
