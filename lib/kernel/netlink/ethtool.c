/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "kernel/netlink/ethtool.h"

#include <errno.h>
#include <string.h>

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "base/mem.h"
#include "kernel/netlink/genl.h"

_Static_assert((int)ETHTOOL_FEC_IS_OFF == (int)ETHTOOL_LINK_MODE_FEC_NONE_BIT, "one constant");
/* All messages have the netdev in attribute 1. */
_Static_assert((int)ETHTOOL_A_PAUSE_HEADER == (int)ETHTOOL_A_FEC_HEADER &&
		       (int)ETHTOOL_A_PAUSE_HEADER == (int)ETHTOOL_A_LINKSTATE_HEADER &&
		       (int)ETHTOOL_A_PAUSE_HEADER == (int)ETHTOOL_A_MODULE_HEADER &&
		       (int)ETHTOOL_A_PAUSE_HEADER == (int)ETHTOOL_A_MODULE_EEPROM_HEADER,
	       "one request for all");

const struct enum_name ethtool_fec_names[] = {
	{ETHTOOL_LINK_MODE_FEC_NONE_BIT, "none"},
	{ETHTOOL_LINK_MODE_FEC_RS_BIT, "RS"},
	{ETHTOOL_LINK_MODE_FEC_BASER_BIT, "BASER"},
	{ETHTOOL_LINK_MODE_FEC_LLRS_BIT, "LLRS"},
	{0, NULL},
};

/* Configured modes: bits in the order of the names above, and the port's automatic choice. */
enum { FEC_AUTO_BIT = 4 };
const struct enum_name ethtool_fec_mode_names[] = {
	{1 << 0, "none"},
	{1 << 1, "RS"},
	{1 << 2, "BASER"},
	{1 << 3, "LLRS"},
	{1 << FEC_AUTO_BIT, "auto"},
	{0, NULL},
};

static const struct nla_policy pause_policy[ETHTOOL_A_PAUSE_TX + 1] = {
	[ETHTOOL_A_PAUSE_AUTONEG] = {.type = NLA_U8},
	[ETHTOOL_A_PAUSE_RX] = {.type = NLA_U8},
	[ETHTOOL_A_PAUSE_TX] = {.type = NLA_U8},
};

static const struct nla_policy fec_policy[ETHTOOL_A_FEC_STATS + 1] = {
	[ETHTOOL_A_FEC_AUTO] = {.type = NLA_U8},
	[ETHTOOL_A_FEC_ACTIVE] = {.type = NLA_U32},
};

static const struct nla_policy bitset_policy[ETHTOOL_A_BITSET_BITS + 1];
static const struct nla_policy bit_policy[ETHTOOL_A_BITSET_BIT_INDEX + 1] = {
	[ETHTOOL_A_BITSET_BIT_INDEX] = {.type = NLA_U32},
};

static const struct nla_policy fec_stat_policy[ETHTOOL_FEC_STAT_HISTOGRAM + 1];
static const struct nla_policy fec_bin_policy[ETHTOOL_FEC_BIN_VALUE + 1];

static const struct nla_policy link_state_policy[ETHTOOL_LINK_STATE_DOWN_COUNT + 1];
static const struct nla_policy module_policy[ETHTOOL_A_MODULE_POWER_MODE + 1];
static const struct nla_policy module_bytes_policy[ETHTOOL_A_MODULE_EEPROM_DATA + 1];

/* linux/ethtool.h explains each. */
const struct enum_name ethtool_reason_names[] = {
	{ETHTOOL_LINK_EXT_STATE_AUTONEG, "autoneg", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE, "link-training", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH, "logical-mismatch", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY, "bad-signal-integrity", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_NO_CABLE, "no-cable", TONE_WARNING, NULL},
	{ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE, "cable-issue", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_EEPROM_ISSUE, "eeprom-issue", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_CALIBRATION_FAILURE, "calibration-failure", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_POWER_BUDGET_EXCEEDED, "power-budget-exceeded", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_OVERHEAT, "overheat", TONE_BAD, NULL},
	{ETHTOOL_LINK_EXT_STATE_MODULE, "module", TONE_BAD, NULL},
	{0, NULL, TONE_PLAIN, NULL},
};

const struct enum_name ethtool_power_mode_names[] = {
	{ETHTOOL_MODULE_POWER_MODE_LOW, "low", TONE_WARNING, NULL},
	{ETHTOOL_MODULE_POWER_MODE_HIGH, "high", TONE_PLAIN, NULL},
	{0, NULL, TONE_PLAIN, NULL},
};

const struct enum_name ethtool_power_policy_names[] = {
	{ETHTOOL_MODULE_POWER_MODE_POLICY_HIGH, "high", TONE_PLAIN, "always full power"},
	{ETHTOOL_MODULE_POWER_MODE_POLICY_AUTO, "auto", TONE_PLAIN, "low power while it is down"},
	{0, NULL, TONE_PLAIN, NULL},
};

/* Codes of a detail, from 1 (enum ethtool_link_ext_substate_..., linux/ethtool.h). */
enum { DETAILS_MOST = 7 };
static const char *const details[][DETAILS_MOST] = {
	[ETHTOOL_LINK_EXT_STATE_AUTONEG] = {NULL, "no partner detected", "ack not received",
					    "next page exchange failed",
					    "no partner detected in forced mode",
					    "FEC mismatch during override", "no common mode"},
	[ETHTOOL_LINK_EXT_STATE_LINK_TRAINING_FAILURE] = {NULL, "frame lock not acquired",
							  "link inhibit timeout",
							  "the partner did not set receiver ready",
							  "remote fault"},
	[ETHTOOL_LINK_EXT_STATE_LINK_LOGICAL_MISMATCH] = {NULL, "no block lock",
							  "no alignment marker lock",
							  "no align status", "FC FEC is not locked",
							  "RS FEC is not locked"},
	[ETHTOOL_LINK_EXT_STATE_BAD_SIGNAL_INTEGRITY] = {NULL, "many physical errors",
							 "unsupported rate",
							 "SerDes reference clock lost",
							 "SerDes sees no signal"},
	[ETHTOOL_LINK_EXT_STATE_CABLE_ISSUE] = {NULL, "unsupported cable", "cable test failure"},
	[ETHTOOL_LINK_EXT_STATE_MODULE] = {NULL, "the module is not ready"},
};

const char *ethtool_reason_detail(uint64_t reason, uint64_t detail)
{
	return reason < ARRAY_SIZE(details) && detail < DETAILS_MOST ? details[reason][detail]
								     : NULL;
}

static int get_tristate(const struct nlattr *attribute, enum tristate *value)
{
	struct number number = {.known = false};

	if (netlink_get_number(attribute, &number))
		return -EBADMSG;
	*value = number_state(&number);
	return 0;
}

int ethtool_parse_pause(void *record, const void *payload, size_t length)
{
	struct ethtool_pause *pause = record;
	struct nlattr *table[ARRAY_SIZE(pause_policy)];

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), pause_policy) ||
	    get_tristate(table[ETHTOOL_A_PAUSE_AUTONEG], &pause->autoneg) ||
	    get_tristate(table[ETHTOOL_A_PAUSE_RX], &pause->receive) ||
	    get_tristate(table[ETHTOOL_A_PAUSE_TX], &pause->transmit))
		return -EBADMSG;
	return 0;
}

/* The total, followed by a number for each lane; empty if the driver does not count this. */
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

/* A malformed bin invalidates the reply; bins beyond the maximum are skipped. */
static int take_bin(void *context, const struct nlattr *entry)
{
	struct ethtool_fec *fec = context;
	struct nlattr *table[ARRAY_SIZE(fec_bin_policy)];
	struct ethtool_fec_bin bin = {.low.known = false};

	if (netlink_parse_nest(entry, table, ARRAY_SIZE(table), fec_bin_policy) ||
	    netlink_get_number(table[ETHTOOL_FEC_BIN_LOW], &bin.low) ||
	    netlink_get_number(table[ETHTOOL_FEC_BIN_HIGH], &bin.high) ||
	    netlink_get_number(table[ETHTOOL_FEC_BIN_VALUE], &bin.blocks))
		return -EBADMSG;
	if (fec->bin_count < ETHTOOL_FEC_BINS_MOST)
		fec->bins[fec->bin_count++] = bin;
	return 0;
}

/* Takes a link mode; modes other than error correction are skipped. */
static int take_mode(void *context, const struct nlattr *entry)
{
	struct number *modes = context;
	struct nlattr *table[ARRAY_SIZE(bit_policy)];
	struct number mode = {.known = false};

	if (netlink_parse_nest(entry, table, ARRAY_SIZE(table), bit_policy) ||
	    netlink_get_number(table[ETHTOOL_A_BITSET_BIT_INDEX], &mode))
		return -EBADMSG;
	for (unsigned int i = 0; mode.known && i < FEC_AUTO_BIT; i++)
		if (ethtool_fec_names[i].value == mode.value)
			modes->value |= UINT64_C(1) << i;
	return 0;
}

/* Reads the configured modes: net/ethtool/fec.c sends a list of bits, always both attributes. */
static int take_configured(struct nlattr *const *table, struct number *ret_modes)
{
	struct nlattr *bitset[ARRAY_SIZE(bitset_policy)];
	struct number automatic = {.known = false};

	if (!table[ETHTOOL_A_FEC_MODES] || !table[ETHTOOL_A_FEC_AUTO])
		return 0;
	if (netlink_get_number(table[ETHTOOL_A_FEC_AUTO], &automatic) ||
	    netlink_parse_nest(table[ETHTOOL_A_FEC_MODES], bitset, ARRAY_SIZE(bitset),
			       bitset_policy))
		return -EBADMSG;
	number_set(ret_modes, automatic.value ? 1 << FEC_AUTO_BIT : 0);
	return bitset[ETHTOOL_A_BITSET_BITS]
		       ? netlink_each(bitset[ETHTOOL_A_BITSET_BITS], ETHTOOL_A_BITSET_BITS_BIT,
				      take_mode, ret_modes)
		       : 0;
}

int ethtool_parse_fec(void *record, const void *payload, size_t length)
{
	struct ethtool_fec *fec = record;
	struct nlattr *table[ARRAY_SIZE(fec_policy)], *stats[ARRAY_SIZE(fec_stat_policy)];

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), fec_policy) ||
	    netlink_get_number(table[ETHTOOL_A_FEC_ACTIVE], &fec->active) ||
	    take_configured(table, &fec->configured))
		return -EBADMSG;
	if (!table[ETHTOOL_A_FEC_STATS])
		return 0;
	if (netlink_parse_nest(table[ETHTOOL_A_FEC_STATS], stats, ARRAY_SIZE(stats),
			       fec_stat_policy) ||
	    get_total(stats[ETHTOOL_A_FEC_STAT_CORRECTED], &fec->corrected_blocks) ||
	    get_total(stats[ETHTOOL_A_FEC_STAT_UNCORR], &fec->uncorrectable_blocks) ||
	    get_total(stats[ETHTOOL_A_FEC_STAT_CORR_BITS], &fec->corrected_bits))
		return -EBADMSG;
	return netlink_each(table[ETHTOOL_A_FEC_STATS], ETHTOOL_FEC_STAT_HISTOGRAM, take_bin, fec);
}

int ethtool_parse_link_state(void *record, const void *payload, size_t length)
{
	struct ethtool_link_state *state = record;
	struct nlattr *table[ARRAY_SIZE(link_state_policy)];

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), link_state_policy) ||
	    get_tristate(table[ETHTOOL_A_LINKSTATE_LINK], &state->up) ||
	    netlink_get_number(table[ETHTOOL_A_LINKSTATE_SQI], &state->quality) ||
	    netlink_get_number(table[ETHTOOL_A_LINKSTATE_SQI_MAX], &state->most_quality) ||
	    netlink_get_number(table[ETHTOOL_A_LINKSTATE_EXT_STATE], &state->reason) ||
	    netlink_get_number(table[ETHTOOL_A_LINKSTATE_EXT_SUBSTATE], &state->detail) ||
	    netlink_get_number(table[ETHTOOL_LINK_STATE_DOWN_COUNT], &state->down_count))
		return -EBADMSG;
	return 0;
}

int ethtool_parse_module(void *record, const void *payload, size_t length)
{
	struct ethtool_module *module = record;
	struct nlattr *table[ARRAY_SIZE(module_policy)];

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), module_policy) ||
	    netlink_get_number(table[ETHTOOL_A_MODULE_POWER_MODE], &module->power_mode) ||
	    netlink_get_number(table[ETHTOOL_A_MODULE_POWER_MODE_POLICY], &module->power_policy))
		return -EBADMSG;
	return 0;
}

int ethtool_parse_module_bytes(const void *payload, size_t length, uint8_t *bytes, uint8_t room,
			       uint8_t *ret_length)
{
	struct nlattr *table[ARRAY_SIZE(module_bytes_policy)], *data;

	if (genl_parse(payload, length, table, ARRAY_SIZE(table), module_bytes_policy))
		return -EBADMSG;
	data = table[ETHTOOL_A_MODULE_EEPROM_DATA];
	if (!data || nla_len(data) > room)
		return -EBADMSG;
	memcpy(bytes, nla_data(data), (size_t)nla_len(data));
	*ret_length = (uint8_t)nla_len(data);
	return 0;
}

/* The kernel is strict in this family: it refuses a nest without its flag. */
static void add_request(struct netlink_request *request, uint16_t family, uint8_t command,
			uint16_t message_flags, uint32_t index, uint32_t flags)
{
	struct nlattr *netdev;

	genl_add(request, family, command, message_flags);
	netdev = netlink_nest_begin(request, ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED);
	netlink_put_u32(request, ETHTOOL_A_HEADER_DEV_INDEX, index);
	netlink_put_u32(request, ETHTOOL_A_HEADER_FLAGS, flags);
	netlink_nest_end(request, netdev);
}

int ethtool_get_pause(struct netlink *generic, uint16_t family, uint32_t index,
		      struct ethtool_pause *ret_pause)
{
	struct netlink_request request = {.count = 0};

	add_request(&request, family, ETHTOOL_MSG_PAUSE_GET, 0, index, 0);
	return netlink_ask_record(generic, &request, ethtool_parse_pause, ret_pause,
				  sizeof(*ret_pause));
}

static void put_tristate(struct netlink_request *request, uint16_t type, enum tristate value)
{
	const uint8_t byte = value == TRISTATE_YES;

	if (value != TRISTATE_UNKNOWN)
		netlink_put(request, type, &byte, sizeof(byte));
}

/* ethnl_set_pause(), net/ethtool/pause.c, starts from the driver's current settings. */
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

	add_request(&request, family, ETHTOOL_MSG_FEC_GET, 0, index,
		    counts ? ETHTOOL_FLAG_STATS : 0);
	return netlink_ask_record(generic, &request, ethtool_parse_fec, ret_fec, sizeof(*ret_fec));
}

int ethtool_get_link_state(struct netlink *generic, uint16_t family, uint32_t index,
			   struct ethtool_link_state *ret_state)
{
	struct netlink_request request = {.count = 0};

	add_request(&request, family, ETHTOOL_MSG_LINKSTATE_GET, 0, index, 0);
	return netlink_ask_record(generic, &request, ethtool_parse_link_state, ret_state,
				  sizeof(*ret_state));
}

int ethtool_get_module(struct netlink *generic, uint16_t family, uint32_t index,
		       struct ethtool_module *ret_module)
{
	struct netlink_request request = {.count = 0};

	add_request(&request, family, ETHTOOL_MSG_MODULE_GET, 0, index, 0);
	return netlink_ask_record(generic, &request, ethtool_parse_module, ret_module,
				  sizeof(*ret_module));
}

struct module_reading {
	uint8_t *bytes;
	uint8_t room;
	uint8_t length;
};

static int take_module_bytes(void *record, const void *payload, size_t length)
{
	struct module_reading *reading = record;

	return ethtool_parse_module_bytes(payload, length, reading->bytes, reading->room,
					  &reading->length);
}

/* eeprom_parse_request(), net/ethtool/eeprom.c */
int ethtool_get_module_bytes(struct netlink *generic, uint16_t family, uint32_t index,
			     const struct ethtool_module_bytes *which, uint8_t *bytes,
			     uint8_t *ret_length)
{
	struct netlink_request request = {.count = 0};
	struct module_reading reading = {.bytes = bytes, .room = which->length};
	int error;

	add_request(&request, family, ETHTOOL_MSG_MODULE_EEPROM_GET, 0, index, 0);
	netlink_put_u32(&request, ETHTOOL_A_MODULE_EEPROM_OFFSET, which->offset);
	netlink_put_u32(&request, ETHTOOL_A_MODULE_EEPROM_LENGTH, which->length);
	netlink_put(&request, ETHTOOL_A_MODULE_EEPROM_PAGE, &which->page, sizeof(which->page));
	netlink_put(&request, ETHTOOL_A_MODULE_EEPROM_BANK, &which->bank, sizeof(which->bank));
	netlink_put(&request, ETHTOOL_A_MODULE_EEPROM_I2C_ADDRESS, &which->address,
		    sizeof(which->address));
	error = netlink_ask(generic, &request, take_module_bytes, &reading);
	if (!error)
		*ret_length = reading.length;
	return error;
}
