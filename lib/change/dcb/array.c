/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings that consist of eight numbers: for traffic classes and for buffers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "change/dcb/netdev.h"

enum { ENTRIES = 8, EVERY_ENTRY = 0xff };
_Static_assert(DCB_PRIORITIES == (int)ENTRIES && DCB_CLASSES == (int)ENTRIES &&
		       DCB_BUFFERS == (int)ENTRIES,
	       "one form for all");

#define PLACE(member) offsetof(struct dcb, member), sizeof(((struct dcb *)NULL)->member) / ENTRIES

static const struct array_form forms[] = {
	{&dcb_priority_class_setting, PART_ETS, PLACE(ets.prio_tc), DCB_CLASSES - 1},
	{&dcb_class_algorithm_setting, PART_ETS, PLACE(ets.tc_tsa), UINT8_MAX, dcb_algorithm_names},
	{&dcb_class_bandwidth_setting, PART_ETS, PLACE(ets.tc_tx_bw), 100},
	{&dcb_maxrate_setting, PART_RATES, PLACE(rates.tc_maxrate), UINT64_MAX, .is_rate = true},
	{&dcb_priority_buffer_setting, PART_BUFFERS, PLACE(buffers.prio2buffer), DCB_BUFFERS - 1},
	{&dcb_buffer_size_setting, PART_BUFFERS, PLACE(buffers.buffer_size), UINT32_MAX},
};

const struct array_form *array_find(const struct setting *setting)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].setting == setting)
			return &forms[i];
	return NULL;
}

bool array_known(const struct array_form *form, const struct dcb *dcb)
{
	return form->part == PART_ETS	  ? dcb->ets_known
	       : form->part == PART_RATES ? dcb->rates_known
					  : dcb->buffers_known;
}

/* A number of 1, 4 or 8 bytes. */
static uint64_t get_number(const struct array_form *form, const struct dcb *dcb, unsigned int i)
{
	const void *place = (const char *)dcb + form->offset + i * form->size;

	return form->size == sizeof(__u8)    ? *(const __u8 *)place
	       : form->size == sizeof(__u32) ? *(const __u32 *)place
					     : *(const __u64 *)place;
}

static void set_number(const struct array_form *form, struct dcb *dcb, unsigned int i,
		       uint64_t value)
{
	void *place = (char *)dcb + form->offset + i * form->size;

	if (form->size == sizeof(__u8))
		*(__u8 *)place = (__u8)value;
	else if (form->size == sizeof(__u32))
		*(__u32 *)place = (__u32)value;
	else
		*(__u64 *)place = value;
}

/* Rate units, largest first; a rate is printed in the largest unit that divides it. */
static const struct enum_name rate_units[] = {
	{1000000, "gbit"}, {1000, "mbit"}, {1, "kbit"}, {0, NULL}};

static void add_rate(char **text, uint64_t rate)
{
	const struct enum_name *unit = rate_units;

	if (!rate) {
		mem_extend(text, "unlimited");
		return;
	}
	while (rate % unit->value)
		unit++;
	mem_extend(text, "%" PRIu64 "%s", rate / unit->value, unit->word);
}

static char *array_text(const struct array_form *form, const struct dcb *dcb)
{
	char *text = NULL;

	for (unsigned int i = 0; i < ENTRIES; i++) {
		const uint64_t value = get_number(form, dcb, i);
		const struct enum_name *name = form->words ? enum_find(form->words, value) : NULL;

		mem_extend(&text, "%s%u:", i ? "," : "", i);
		if (form->is_rate)
			add_rate(&text, value);
		else if (name)
			mem_extend(&text, "%s", name->word);
		else
			mem_extend(&text, "%" PRIu64, value);
	}
	return text;
}

/*
 * Only a class that ETS serves has a share of the bandwidth. For all others mlx5 reports 100, and
 * ignores what is set: mlx5e_dcbnl_ieee_getets() of Linux 6.12, en_dcbnl.c.
 */
static void drop_shares(struct dcb *dcb)
{
	for (unsigned int i = 0; i < DCB_CLASSES; i++)
		if (dcb->ets.tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			dcb->ets.tc_tx_bw[i] = 0;
}

char *array_value(const struct array_form *form, const struct dcb *dcb)
{
	struct dcb shared = *dcb;

	drop_shares(&shared);
	return array_text(form, &shared);
}

/*
 * 0 is refused because it would mean the opposite of what it looks like: drivers take it as no
 * limit, mlx5e_dcbnl_ieee_setmaxrate() and mlx4_en_dcbnl_ieee_setmaxrate().
 */
static bool parse_rate(const char *text, uint64_t *ret_value)
{
	const size_t digits = strspn(text, "0123456789");
	_cleanup_(freep) char *number = mem_format("%.*s", (int)digits, text);
	const struct enum_name *unit;

	if (!strcmp(text, "unlimited")) {
		*ret_value = 0;
		return true;
	}
	unit = enum_find_word(rate_units, text + digits);
	if (!unit || text_parse_u64(number, 10, UINT64_MAX / unit->value, ret_value) || !*ret_value)
		return false;
	*ret_value *= unit->value;
	return true;
}

static bool parse_number(const struct array_form *form, const char *text, uint64_t *ret_value)
{
	const struct enum_name *name = form->words ? enum_find_word(form->words, text) : NULL;

	if (form->is_rate)
		return parse_rate(text, ret_value);
	if (name)
		*ret_value = name->value;
	return name || !text_parse_u64(text, 10, form->most, ret_value);
}

/* Parses one entry, `3:50` or `all:50`. */
static bool parse_entry(const struct array_form *form, char *entry, struct dcb *dcb,
			unsigned int *given)
{
	char *colon = strchr(entry, ':');
	uint64_t place = 0, value;
	unsigned int mask;

	if (!colon)
		return false;
	*colon = '\0';
	if (strcmp(entry, "all") && text_parse_u64(entry, 10, ENTRIES - 1, &place))
		return false;
	mask = strcmp(entry, "all") ? 1u << place : EVERY_ENTRY;
	if (*given & mask || !parse_number(form, colon + 1, &value))
		return false;
	*given |= mask;
	for (unsigned int i = 0; i < ENTRIES; i++)
		if (mask & 1u << i)
			set_number(form, dcb, i, value);
	return true;
}

bool array_parse(const struct array_form *form, const char *text, struct dcb *dcb,
		 unsigned int *ret_given)
{
	unsigned int given = 0;

	for_each_word (entry, text, ",")
		if (!parse_entry(form, entry, dcb, &given))
			return false;
	*ret_given = given;
	return true;
}

int array_setting_parse(struct change *change, const char *text, char **ret_value)
{
	const struct array_form *form = array_find(change->setting);
	struct dcb dcb = {.ets_known = false};
	unsigned int given;
	int rc;

	if (!array_parse(form, text, &dcb, &given)) {
		rc = change_refuse_value(change, text, change->setting->keyword.metavar);
		if (form->is_rate)
			change->next_step = mem_string(
				"the minimum is 1kbit; for no limit, give unlimited, not 0");
		return rc;
	}
	/* The entries not given keep their values. */
	if (given != EVERY_ENTRY) {
		rc = netdev_get_dcb(change, &dcb);
		if (rc)
			return rc;
		drop_shares(&dcb);
		array_parse(form, text, &dcb, &given);
	}
	*ret_value = array_text(form, &dcb);
	return 0;
}

/*
 * Builds the record that results from this change and from the others of this call to the same
 * structure: drivers check a structure as a whole, so bandwidths and algorithms that are valid only
 * together must be sent together.
 */
static int make_target(struct change *change, const char *value, bool forward, struct dcb *dcb)
{
	const struct array_form *own = array_find(change->setting);
	unsigned int given;
	int rc = netdev_get_dcb(change, dcb);

	if (rc)
		return rc;
	if (!array_known(own, dcb))
		return -EOPNOTSUPP;
	/* Otherwise they stay as they are: ice counts those of all classes, ice_dcb_bwchk(). */
	if (own->setting != &dcb_priority_class_setting)
		drop_shares(dcb);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const struct change *sibling = netdev_sibling(change, forms[i].setting);

		/* If the change is undone, so is the sibling. */
		if (sibling && forms[i].part == own->part && &forms[i] != own)
			array_parse(&forms[i],
				    forward || !sibling->before ? sibling->wanted : sibling->before,
				    dcb, &given);
	}
	array_parse(own, value, dcb, &given);
	return 0;
}

int array_setting_write(struct change *change, const char *value)
{
	const struct array_form *form = array_find(change->setting);
	struct dcb_wish wish = {.ets = NULL};
	struct dcb dcb;
	int rc = make_target(change, value, !strcmp(value, change->wanted), &dcb);

	if (rc)
		return rc;
	if (form->part == PART_ETS)
		wish.ets = &dcb.ets;
	else if (form->part == PART_RATES)
		wish.rates = &dcb.rates;
	else
		wish.buffers = &dcb.buffers;
	return netdev_set_dcb(change, &wish);
}

/*
 * mlx5 rounds down to multiples of 100 Mbit/s, or of 1 Gbit/s above 25.5 Gbit/s; newer adapters do
 * so only above 6.5 Tbit/s. Anything lower becomes 100 Mbit/s, and rates that are too high overflow
 * in older drivers: mlx5e_dcbnl_ieee_setmaxrate(), en_dcbnl.c.
 */
bool array_setting_is_nearest(const struct change *change, const char *value)
{
	/* Kilobits per second. */
	const uint64_t gbit = 1000000, steps_until = 26 * gbit;
	struct dcb wanted = {.ets_known = false}, now = {.ets_known = false};
	unsigned int given;

	if (!array_parse(array_find(change->setting), change->wanted, &wanted, &given) ||
	    !array_parse(array_find(change->setting), value, &now, &given))
		return false;
	for (unsigned int i = 0; i < DCB_CLASSES; i++) {
		const uint64_t asked = wanted.rates.tc_maxrate[i], got = now.rates.tc_maxrate[i];

		if (!asked != !got || got > asked ||
		    asked - got >= (asked < steps_until ? gbit / 10 : gbit))
			return false;
	}
	return true;
}

/* Drivers require a sum of 100: mlx5e_dbcnl_validate_ets(), en_dcbnl.c. */
static int check_bandwidths(struct change *change, const struct dcb *dcb)
{
	_cleanup_(freep) char *text = dcb_value(&dcb_class_bandwidth_setting, dcb, NULL);
	static const char both[] = "set class-algorithm and class-bandwidth in one call";
	static const char right[] = "give the classes with the algorithm ets 100 percent in total, "
				    "and the others 0";
	const bool shares = netdev_sibling(change, &dcb_class_bandwidth_setting);
	unsigned int sum = 0, classes = 0;

	for (unsigned int i = 0; i < DCB_CLASSES; i++) {
		if (dcb->ets.tc_tsa[i] == IEEE_8021QAZ_TSA_ETS) {
			sum += dcb->ets.tc_tx_bw[i];
			classes++;
		} else if (dcb->ets.tc_tx_bw[i] &&
			   change->setting == &dcb_class_bandwidth_setting) {
			return change_fail(
				change, -EINVAL,
				netdev_sibling(change, &dcb_class_algorithm_setting) ? right : both,
				"class %u has a bandwidth, but its algorithm is not ets", i);
		}
	}
	if (!classes || sum == 100)
		return 0;
	return change_fail(
		change, -EINVAL, shares ? right : both,
		"the bandwidths of the classes with the algorithm ets add up to %u percent, "
		"not 100: class-bandwidth %s",
		sum, text);
}

int array_setting_check(struct change *change)
{
	struct dcb dcb;
	int rc = make_target(change, change->wanted, true, &dcb);

	if (rc)
		return rc;
	if (change->setting == &dcb_class_algorithm_setting ||
	    change->setting == &dcb_class_bandwidth_setting)
		return check_bandwidths(change, &dcb);
	for (unsigned int i = 0; change->setting == &dcb_priority_class_setting &&
				 dcb.ets.ets_cap && i < DCB_PRIORITIES;
	     i++) {
		if (dcb.ets.prio_tc[i] < dcb.ets.ets_cap)
			continue;
		return change_fail(change, -EINVAL, NULL,
				   "priority %u cannot go to class %u: the adapter has only the "
				   "classes 0 to %u",
				   i, dcb.ets.prio_tc[i], dcb.ets.ets_cap - 1);
	}
	return 0;
}
