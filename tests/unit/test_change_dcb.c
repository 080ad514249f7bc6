/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Settings of data center bridging: words and their canonical form, and what is written to the
 * kernel and read back, with a hand-made kernel that has it on lo.
 */
#include <errno.h>
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "change/dcb.h"
#include "change/dcb/netdev.h"
#include "kernel/netlink/netlink.h"
#include "change_bed.h"
#include "roce/ecn.h"
#include "roce/table/profile.h"
#include "rooted.h"

/* Linux 6.12's include/uapi/linux/dcbnl.h */
enum { APP_TRUST_TABLE = 11, PCP_APP = 2 };

/* What the driver has, and how it misbehaves. */
struct driver {
	struct dcb dcb;
	int hidden;   /* -errno in the answer to a set */
	bool ignores; /* ignores sets */
	bool single;  /* one priority for each DSCP, as in mlx5 */
	bool strict;  /* the same, but without replacing it: ice */
	bool rounds;  /* to rates that it has, as mlx5 */
	bool full;    /* reports 100 percent for classes that ETS does not serve, as mlx5 */
	bool refuses_dcbx;
	unsigned int sets;
};

static void put_record(struct bytes *payload, const struct dcb *dcb, bool full)
{
	const struct dcbmsg header = {.cmd = DCB_CMD_IEEE_GET};
	struct bytes ieee = {0}, apps = {0}, trust = {0};
	struct ieee_ets ets = dcb->ets;

	for (unsigned int i = 0; full && i < DCB_CLASSES; i++)
		if (ets.tc_tsa[i] != IEEE_8021QAZ_TSA_ETS)
			ets.tc_tx_bw[i] = 100;
	bytes_put(payload, &header, sizeof(header));
	if (dcb->ets_known)
		put_attribute(&ieee, DCB_ATTR_IEEE_ETS, &ets, sizeof(ets));
	if (dcb->pfc_known)
		put_attribute(&ieee, DCB_ATTR_IEEE_PFC, &dcb->pfc, sizeof(dcb->pfc));
	if (dcb->rates_known)
		put_attribute(&ieee, DCB_ATTR_IEEE_MAXRATE, &dcb->rates, sizeof(dcb->rates));
	if (dcb->buffers_known)
		put_attribute(&ieee, DCB_ATTR_DCB_BUFFER, &dcb->buffers, sizeof(dcb->buffers));
	for (unsigned int i = 0; i < DCB_DSCPS * DCB_PRIORITIES; i++) {
		const struct dcb_app app = {.selector = IEEE_8021QAZ_APP_SEL_DSCP,
					    .priority = (uint8_t)(i % DCB_PRIORITIES),
					    .protocol = (uint16_t)(i / DCB_PRIORITIES)};

		if (dcb->dscp_priorities[app.protocol] & 1u << app.priority)
			put_attribute(&apps, DCB_ATTR_IEEE_APP, &app, sizeof(app));
	}
	put_nest(&ieee, DCB_ATTR_IEEE_APP_TABLE, &apps);
	for (unsigned int i = 0; i < dcb->trust_count; i++)
		put_u8(&trust,
		       dcb->trust_order[i] == DCB_SELECTOR_PCP ? PCP_APP : DCB_ATTR_IEEE_APP,
		       dcb->trust_order[i]);
	if (dcb->trusted.known)
		put_nest(&ieee, APP_TRUST_TABLE, &trust);
	put_nest(payload, DCB_ATTR_IEEE, &ieee);
	if (dcb->dcbx.known)
		put_u8(payload, DCB_ATTR_DCBX, (uint8_t)dcb->dcbx.value);
}

/* The attributes between two addresses: the one after `attribute`, or the first after NULL. */
static const struct nlattr *next_attribute(const void *begin, const void *end,
					   const struct nlattr *attribute)
{
	const uint8_t *at = attribute ? (const uint8_t *)attribute + NLA_ALIGN(attribute->nla_len)
				      : begin;

	return at + NLA_HDRLEN <= (const uint8_t *)end ? (const struct nlattr *)at : NULL;
}

#define for_each_attribute(attribute, begin, end)                                          \
	for (const struct nlattr *attribute = next_attribute(begin, end, NULL); attribute; \
	     attribute = next_attribute(begin, end, attribute))

static const void *data_of(const struct nlattr *attribute)
{
	return (const uint8_t *)attribute + NLA_HDRLEN;
}

static const void *end_of(const struct nlattr *attribute)
{
	return (const uint8_t *)attribute + attribute->nla_len;
}

static int set_apps(struct driver *driver, const struct nlattr *table, bool deletes)
{
	for_each_attribute(entry, data_of(table), end_of(table))
	{
		struct dcb_app app;
		uint8_t *mask, bit;

		memcpy(&app, data_of(entry), sizeof(app));
		mask = &driver->dcb.dscp_priorities[app.protocol];
		bit = (uint8_t)(1u << app.priority);
		if (deletes && !(*mask & bit))
			return -ENOENT;
		if (!deletes && *mask & bit)
			return -EEXIST;
		if (!deletes && *mask && driver->strict)
			return -EINVAL;
		*mask = deletes ? (uint8_t)(*mask & ~bit) : driver->single ? bit : *mask | bit;
	}
	return 0;
}

static int set_trust(struct driver *driver, const struct nlattr *table)
{
	driver->dcb.trust_count = 0;
	for_each_attribute(entry, data_of(table), end_of(table))
		driver->dcb.trust_order[driver->dcb.trust_count++] = *(const uint8_t *)data_of(
		entry);
	return 0;
}

/* mlx5e_dcbnl_ieee_setmaxrate() of Linux 6.12, in kilobits per second */
static uint64_t round_rate(uint64_t rate)
{
	const uint64_t unit = 100000, large = 1000000;

	if (!rate)
		return 0;
	if (rate >= 26 * large)
		return (uint8_t)(rate / large) * large;
	return (uint8_t)(rate / unit ? rate / unit : 1) * unit;
}

static int set_ieee(struct driver *driver, const struct nlattr *ieee, bool deletes)
{
	struct dcb *dcb = &driver->dcb;

	if (driver->hidden || driver->ignores)
		return driver->hidden;
	for_each_attribute(part, data_of(ieee), end_of(ieee))
	{
		int rc = 0;

		switch (part->nla_type & NLA_TYPE_MASK) {
		case DCB_ATTR_IEEE_ETS:
			memcpy(&dcb->ets, data_of(part), sizeof(dcb->ets));
			break;
		case DCB_ATTR_IEEE_PFC:
			memcpy(&dcb->pfc, data_of(part), sizeof(dcb->pfc));
			break;
		case DCB_ATTR_IEEE_MAXRATE:
			memcpy(&dcb->rates, data_of(part), sizeof(dcb->rates));
			for (unsigned int i = 0; driver->rounds && i < DCB_CLASSES; i++)
				dcb->rates.tc_maxrate[i] = round_rate(dcb->rates.tc_maxrate[i]);
			break;
		case DCB_ATTR_DCB_BUFFER:
			memcpy(&dcb->buffers, data_of(part), sizeof(dcb->buffers));
			break;
		case DCB_ATTR_IEEE_APP_TABLE:
			rc = set_apps(driver, part, deletes);
			break;
		case APP_TRUST_TABLE:
			rc = set_trust(driver, part);
			break;
		default:
			rc = -EINVAL;
		}
		if (rc)
			return rc;
	}
	return 0;
}

static uint8_t set_dcbx(struct driver *driver, uint8_t mode)
{
	if (driver->refuses_dcbx || mode & DCB_CAP_DCBX_LLD_MANAGED)
		return 1;
	if (mode)
		driver->dcb.dcbx.value = mode;
	else
		driver->dcb.dcbx.value &= ~(uint64_t)DCB_CAP_DCBX_HOST;
	return 0;
}

static void serve(struct fake_kernel *kernel, const struct bytes *requests)
{
	const struct nlmsghdr *message = message_at(requests, 0);
	const struct dcbmsg *header = NLMSG_DATA(message);
	struct driver *driver = kernel->context;
	struct bytes payload = {0}, datagram = {0};

	if (message->nlmsg_type == RTM_GETDCB) {
		put_record(&payload, &driver->dcb, driver->full);
	} else {
		bytes_put(&payload, header, sizeof(*header));
		driver->sets++;
	}
	for_each_attribute(attribute, header + 1, (const uint8_t *)message + message->nlmsg_len)
	{
		const unsigned int type = attribute->nla_type & NLA_TYPE_MASK;

		if (message->nlmsg_type == RTM_SETDCB && type == DCB_ATTR_IEEE)
			put_u8(&payload, DCB_ATTR_IEEE,
			       (uint8_t)set_ieee(driver, attribute,
						 header->cmd == DCB_CMD_IEEE_DEL));
		else if (message->nlmsg_type == RTM_SETDCB && type == DCB_ATTR_DCBX)
			put_u8(&payload, DCB_ATTR_DCBX,
			       set_dcbx(driver, *(const uint8_t *)data_of(attribute)));
	}
	put_message(&datagram, message->nlmsg_type, 0, message->nlmsg_seq, payload.data,
		    payload.length);
	fake_send(kernel, &datagram);
}

struct bed {
	struct driver driver;
	struct fake_kernel kernel;
	struct change_host host;
	struct changes changes;
};

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));
	struct dcb *dcb = &bed->driver.dcb;

	dcb->ets_known = dcb->pfc_known = dcb->rates_known = dcb->buffers_known = true;
	dcb->ets.ets_cap = 8;
	for (uint8_t i = 0; i < DCB_PRIORITIES; i++)
		dcb->ets.prio_tc[i] = i;
	dcb->pfc.delay = 7;
	dcb->pfc.mbc = 1;
	dcb->rates.tc_maxrate[1] = 1500;
	dcb->dcbx = number_of(DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE);
	bed->kernel.serve = serve;
	bed->kernel.context = &bed->driver;
	bed->host.rtnl = netlink_from_fd(fake_start(&bed->kernel), 32768);
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	struct bed *bed = *state;

	change_bed_end(&bed->kernel, &bed->host, &bed->changes);
	free(bed);
	return 0;
}

static struct change *add(struct bed *bed, const struct setting *setting, const char *text)
{
	struct change *change = changes_add(&bed->changes, &bed->host, setting, "lo", NULL);

	change->netdev_index = number_of(if_nametoindex("lo"));
	if (change_parse(change, text, &change->wanted))
		return NULL;
	return change;
}

static void clear(struct bed *bed)
{
	changes_clear(&bed->changes);
}

/* Writes the new value, then the old one; both are read back. */
static void there_and_back(struct bed *bed, const struct setting *setting, const char *text,
			   const char *wanted)
{
	struct change *change = add(bed, setting, text);
	const struct dcb before = bed->driver.dcb;

	assert_non_null(change);
	assert_string_equal(change->wanted, wanted);
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	assert_int_equal(change->state.value, CHANGE_PLANNED);
	assert_int_equal(setting->write(change, change->wanted), 0);
	assert_reads(change, wanted);
	assert_int_equal(setting->write(change, change->before), 0);
	assert_memory_equal(&bed->driver.dcb.ets, &before.ets, sizeof(before.ets));
	assert_memory_equal(&bed->driver.dcb.pfc, &before.pfc, sizeof(before.pfc));
	assert_memory_equal(&bed->driver.dcb.rates, &before.rates, sizeof(before.rates));
	assert_memory_equal(&bed->driver.dcb.buffers, &before.buffers, sizeof(before.buffers));
	assert_memory_equal(bed->driver.dcb.dscp_priorities, before.dscp_priorities,
			    sizeof(before.dscp_priorities));
	clear(bed);
}

static void each_setting(void **state)
{
	struct bed *bed = *state;
	struct dcb *dcb = &bed->driver.dcb;

	there_and_back(bed, &dcb_pfc_setting, "4,3", "3,4");
	there_and_back(bed, &dcb_pfc_setting, "all", "0,1,2,3,4,5,6,7");
	there_and_back(bed, &dcb_pfc_delay_setting, "65535", "65535");
	there_and_back(bed, &dcb_priority_class_setting, "3:1,4:1",
		       "0:0,1:1,2:2,3:1,4:1,5:5,6:6,7:7");
	there_and_back(bed, &dcb_maxrate_setting, "0:10gbit,1:unlimited,2:64kbit",
		       "0:10gbit,1:unlimited,2:64kbit,3:unlimited,4:unlimited,5:unlimited,"
		       "6:unlimited,7:unlimited");
	there_and_back(bed, &dcb_priority_buffer_setting, "all:1",
		       "0:1,1:1,2:1,3:1,4:1,5:1,6:1,7:1");
	there_and_back(bed, &dcb_buffer_size_setting, "1:131072",
		       "0:0,1:131072,2:0,3:0,4:0,5:0,6:0,7:0");
	dcb->trusted = number_of(DCB_TRUST_PCP);
	dcb->trust_order[0] = DCB_SELECTOR_PCP;
	dcb->trust_count = 1;
	there_and_back(bed, &dcb_trust_setting, "dscp,pcp", "dscp,pcp");
	assert_int_equal(dcb->trust_count, 1);
	there_and_back(bed, &dcb_dscp_priority_setting, "26:3,24:3", "24:3,26:3");
	there_and_back(bed, &dcb_dscp_priority_setting, "10:5,10:3", "10:3,10:5");
	there_and_back(bed, &dcb_dscp_priority_setting, "af31:3,CS3:3,EF:6", "24:3,26:3,46:6");
}

/* The parts of a structure that a setting does not name stay unchanged. */
static void the_rest_stays(void **state)
{
	struct bed *bed = *state;
	struct change *change;

	bed->driver.dcb.ets.tc_reco_bw[0] = 77;
	change = add(bed, &dcb_pfc_setting, "3");
	assert_int_equal(change->setting->write(change, "3"), 0);
	assert_int_equal(bed->driver.dcb.pfc.delay, 7);
	assert_int_equal(bed->driver.dcb.pfc.mbc, 1);
	change = add(bed, &dcb_priority_class_setting, "7:0");
	assert_int_equal(change->setting->write(change, change->wanted), 0);
	assert_int_equal(bed->driver.dcb.ets.tc_reco_bw[0], 77);
}

static void wrong_words(void **state)
{
	static const struct {
		const struct setting *setting;
		const char *text;
	} cases[] = {
		{&dcb_pfc_setting, ""},
		{&dcb_pfc_setting, "8"},
		{&dcb_pfc_setting, "3,"},
		{&dcb_pfc_setting, "3 4"},
		{&dcb_pfc_setting, "none,3"},
		{&dcb_pfc_delay_setting, "65536"},
		{&dcb_pfc_delay_setting, "-1"},
		{&dcb_trust_setting, "both"},
		{&dcb_trust_setting, "dscp,dscp"},
		{&dcb_trust_setting, ""},
		{&dcb_dscp_priority_setting, "64:3"},
		{&dcb_dscp_priority_setting, "26:8"},
		{&dcb_dscp_priority_setting, "AF35:3"},
		{&dcb_dscp_priority_setting, "+none"},
		{&dcb_dscp_priority_setting, "26"},
		{&dcb_dscp_priority_setting, ""},
		{&dcb_dscp_priority_setting, "26:none"},
		{&dcb_dscp_priority_setting, "+26:8"},
		{&dcb_priority_class_setting, "0:8"},
		{&dcb_priority_class_setting, "8:0"},
		{&dcb_priority_class_setting, "0:0,0:1"},
		{&dcb_priority_class_setting, "0"},
		{&dcb_priority_class_setting, ""},
		{&dcb_priority_class_setting, "all:1,2:1"},
		{&dcb_class_bandwidth_setting, "0:101"},
		{&dcb_class_algorithm_setting, "0:fair"},
		{&dcb_class_algorithm_setting, "0:256"},
		{&dcb_maxrate_setting, "0:10"},
		{&dcb_maxrate_setting, "0:gbit"},
		{&dcb_maxrate_setting, "3:0kbit"},
		{&dcb_maxrate_setting, "all:0gbit"},
		{&dcb_maxrate_setting, "0:-1kbit"},
		{&dcb_maxrate_setting, "0:99999999999999999gbit"},
		{&dcb_buffer_size_setting, "0:4294967296"},
		{&dcb_priority_buffer_setting, "0:8"},
		{&dcb_dcbx_setting, "switch"},
		{&link_pause_setting, "both"},
		{&link_pause_setting, "rx,none"},
		{&link_pause_setting, ""},
		{&link_mtu_setting, "67"},
		{&link_mtu_setting, "2147483648"},
		{&link_mtu_setting, "9k"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_null(add(bed, cases[i].setting, cases[i].text));
		assert_non_null(bed->changes.items[i].reason);
		assert_non_null(
			strstr(bed->changes.items[i].reason, cases[i].setting->keyword.word));
	}
	assert_int_equal(bed->kernel.datagrams, 0);
}

static void pause_words(void **state)
{
	static const char *const cases[][2] = {
		{"none", "none"}, {"tx,rx", "rx,tx"},	  {"rx", "rx"},
		{"tx", "tx"},	  {"auto,rx", "rx,auto"}, {"none,auto", "none,auto"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(add(bed, &link_pause_setting, cases[i][0])->wanted,
				    cases[i][1]);
	assert_string_equal(add(bed, &link_mtu_setting, "4200")->wanted, "4200");
}

/* Entries are added to the existing ones, replaced, and removed. */
static void increments(void **state)
{
	struct bed *bed = *state;

	bed->driver.dcb.dscp_priorities[10] = 0x28;
	bed->driver.dcb.dscp_priorities[24] = 0x08;
	assert_string_equal(add(bed, &dcb_dscp_priority_setting, "+26:3")->wanted,
			    "10:3,10:5,24:3,26:3");
	assert_string_equal(add(bed, &dcb_dscp_priority_setting, "+10:none,24:4")->wanted, "24:4");
	assert_string_equal(add(bed, &dcb_dscp_priority_setting, "+10:none,24:none")->wanted,
			    "none");
}

/* A driver with one priority for each DSCP replaces the old entry itself. */
static void one_priority_for_each(void **state)
{
	struct bed *bed = *state;

	bed->driver.single = true;
	bed->driver.dcb.dscp_priorities[26] = 0x01;
	bed->driver.dcb.dscp_priorities[0] = 0x01;
	there_and_back(bed, &dcb_dscp_priority_setting, "26:3", "26:3");
}

/* A driver that refuses a second priority for a DSCP has the old entry deleted first. */
static void one_priority_and_no_other(void **state)
{
	struct bed *bed = *state;
	struct change *change;

	bed->driver.strict = true;
	bed->driver.dcb.dscp_priorities[26] = 0x01;
	bed->driver.dcb.dscp_priorities[0] = 0x01;
	bed->driver.dcb.dscp_priorities[8] = 0x02;
	there_and_back(bed, &dcb_dscp_priority_setting, "8:1,10:2,26:3", "8:1,10:2,26:3");
	change = add(bed, &dcb_dscp_priority_setting, "26:3");
	assert_int_equal(change->setting->write(change, change->wanted), 0);
	assert_null(change->reason);
	assert_null(change->next_step);
	/* If it refuses for another reason, that is final. */
	change = add(bed, &dcb_dscp_priority_setting, "11:3,11:4");
	assert_int_equal(change->setting->write(change, change->wanted), -EINVAL);
	assert_string_equal(change->reason, "the driver does not accept this value");
}

/* The entire table at once would take more than one message. */
static void a_full_map(void **state)
{
	struct bed *bed = *state;
	char *text = NULL;

	for (unsigned int i = 0; i < DCB_DSCPS; i++)
		mem_extend(&text, "%s%u:0,%u:%u", i ? "," : "", i, i, 1 + i % 7);
	there_and_back(bed, &dcb_dscp_priority_setting, text, text);
	free(text);
}

/* One request holds 64 entries; each entry is sent once, and no request is empty. */
static void entries_per_request(void **state)
{
	static const unsigned int counts[][2] = {{1, 1},   {63, 1},  {64, 1},  {65, 2},
						 {100, 2}, {128, 2}, {129, 3}, {512, 8}};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		_cleanup_(freep) char *text = NULL;
		struct change *change;

		for (unsigned int j = 0; j < counts[i][0]; j++)
			mem_extend(&text, "%s%u:%u", j ? "," : "", j / 8, j % 8);
		change = add(bed, &dcb_dscp_priority_setting, text);
		bed->driver.sets = 0;
		assert_int_equal(change->setting->write(change, text), 0);
		assert_int_equal(bed->driver.sets, counts[i][1]);
		assert_reads(change, text);
		assert_int_equal(change->setting->write(change, text), 0);
		assert_int_equal(bed->driver.sets, counts[i][1]);
		assert_int_equal(change->setting->write(change, "none"), 0);
		assert_int_equal(bed->driver.sets, 2 * counts[i][1]);
		assert_reads(change, "none");
		clear(bed);
	}
}

static void algorithms_with_bandwidths(void **state)
{
	struct bed *bed = *state;
	struct change *changes;

	add(bed, &dcb_class_algorithm_setting, "0:ets,1:ets");
	add(bed, &dcb_class_bandwidth_setting, "0:60,1:40");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	changes = bed->changes.items;
	/* So do the commands that undo them. */
	assert_string_equal(changes[1].undo,
			    "rdmactl roce set lo class-bandwidth 0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0 "
			    "class-algorithm 0:strict,1:strict,2:strict,3:strict,4:strict,"
			    "5:strict,6:strict,7:strict");
	assert_string_equal(changes[0].undo,
			    "rdmactl roce set lo class-algorithm 0:strict,1:strict,2:strict,"
			    "3:strict,4:strict,5:strict,6:strict,7:strict class-bandwidth "
			    "0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0");
	/* They only fit together, so the first takes the other along, when set and when undone. */
	assert_int_equal(changes[0].setting->write(&changes[0], changes[0].wanted), 0);
	assert_int_equal(bed->driver.dcb.ets.tc_tx_bw[0], 60);
	assert_int_equal(bed->driver.dcb.ets.tc_tsa[1], IEEE_8021QAZ_TSA_ETS);
	assert_int_equal(changes[1].setting->write(&changes[1], changes[1].before), 0);
	assert_int_equal(bed->driver.dcb.ets.tc_tx_bw[0], 0);
	assert_int_equal(bed->driver.dcb.ets.tc_tsa[1], IEEE_8021QAZ_TSA_STRICT);
}

/* mlx5 refuses a lossless buffer without room, so both go along here, too. */
static void buffers_with_sizes(void **state)
{
	struct bed *bed = *state;
	struct change *changes;

	add(bed, &dcb_priority_buffer_setting, "3:1");
	add(bed, &dcb_buffer_size_setting, "1:131072");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	changes = bed->changes.items;
	assert_non_null(strstr(changes[0].persist_text,
			       "roce set lo priority-buffer 0:0,1:0,2:0,3:1,4:0,5:0,6:0,7:0 "
			       "buffer-size 0:0,1:131072,2:0,3:0,4:0,5:0,6:0,7:0 --yes\n"));
	assert_string_equal(changes[1].undo,
			    "rdmactl roce set lo buffer-size 0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0 "
			    "priority-buffer 0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0");
	bed->driver.hidden = -ENOMEM;
	assert_int_equal(changes[0].setting->write(&changes[0], changes[0].wanted), -ENOMEM);
	assert_non_null(strstr(changes[0].reason, "a buffer of lossless priorities too small"));
}

static void expect_refusal(struct bed *bed, const char *words)
{
	assert_false(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	assert_int_equal(bed->changes.items[0].state.value, CHANGE_REFUSED);
	assert_non_null(strstr(bed->changes.items[0].reason, words));
	assert_int_equal(bed->driver.sets, 0);
	clear(bed);
}

static void sums(void **state)
{
	struct bed *bed = *state;

	add(bed, &dcb_class_algorithm_setting, "0:ets,1:ets");
	expect_refusal(bed, "add up to 0 percent, not 100");
	add(bed, &dcb_class_bandwidth_setting, "0:50,1:60");
	add(bed, &dcb_class_algorithm_setting, "0:ets,1:ets");
	changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE);
	assert_string_equal(bed->changes.items[0].next_step,
			    "give the classes with the algorithm ets 100 percent in total, and the "
			    "others 0");
	expect_refusal(bed, "add up to 110 percent, not 100");
	add(bed, &dcb_class_bandwidth_setting, "0:50,1:50");
	changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE);
	assert_string_equal(bed->changes.items[0].next_step,
			    "set class-algorithm and class-bandwidth in one call");
	expect_refusal(bed, "class 0 has a bandwidth, but its algorithm is not ets");
	bed->driver.dcb.ets.ets_cap = 2;
	add(bed, &dcb_priority_class_setting, "all:1,7:2");
	clear(bed);
	add(bed, &dcb_priority_class_setting, "0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:2");
	expect_refusal(bed,
		       "priority 7 cannot go to class 2: the adapter has only the classes 0 to 1");
}

/* mlx5 reports all of the bandwidth for a class that ETS does not serve, whatever is set. */
static void full_shares(void **state)
{
	static const char none[] = "0:0,1:0,2:0,3:0,4:0,5:0,6:0,7:0";
	struct bed *bed = *state;
	struct change *changes;

	bed->driver.full = true;
	memset(bed->driver.dcb.ets.tc_tsa, IEEE_8021QAZ_TSA_VENDOR, DCB_CLASSES);
	add(bed, &dcb_class_algorithm_setting, "0:ets,1:ets,7:strict");
	add(bed, &dcb_class_bandwidth_setting, "0:60,1:40");
	changes = bed->changes.items;
	assert_string_equal(changes[1].wanted, "0:60,1:40,2:0,3:0,4:0,5:0,6:0,7:0");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	assert_string_equal(changes[1].before, none);
	assert_true(changes_write(&bed->changes));
	assert_reads(&changes[1], changes[1].wanted);
	assert_true(changes_undo(&bed->changes));
	assert_int_equal(changes[1].state.value, CHANGE_REVERTED);
	assert_reads(&changes[1], none);
	clear(bed);
	/* Its share is not known before it is set. */
	bed->driver.sets = 0;
	add(bed, &dcb_class_algorithm_setting, "0:ets");
	expect_refusal(bed, "add up to 0 percent, not 100: class-bandwidth 0:0,1:0");
	/* A write that is not about shares sends them as they are. */
	add(bed, &dcb_priority_class_setting, "7:0");
	changes = bed->changes.items;
	assert_int_equal(changes[0].setting->write(&changes[0], changes[0].wanted), 0);
	assert_int_equal(bed->driver.dcb.ets.tc_tx_bw[5], 100);
}

/* mlx5 has rates in steps of 100 Mbit/s or 1 Gbit/s; a rate far from the wanted one is no success.
 */
static void rounded_rates(void **state)
{
	static const struct {
		const char *text;
		enum change_state state;
		uint64_t rate; /* of class 0, in the end */
	} cases[] = {
		{"0:1550mbit", CHANGE_CHANGED, 1500000},
		{"0:1500mbit", CHANGE_UNCHANGED, 1500000}, /* before anything is written */
		{"0:1599mbit", CHANGE_UNCHANGED, 1500000}, /* after it was written */
		{"0:30999mbit", CHANGE_CHANGED, 30000000},
		{"0:64kbit", CHANGE_UNVERIFIED, 30000000},    /* 100 Mbit/s */
		{"0:25650mbit", CHANGE_UNVERIFIED, 30000000}, /* no limit, by an overflow */
		{"0:300gbit", CHANGE_UNVERIFIED, 30000000},   /* 44 Gbit/s, by an overflow */
		{"0:unlimited", CHANGE_CHANGED, 0},
	};
	struct bed *bed = *state;
	struct change *change;

	bed->driver.rounds = true;
	bed->driver.dcb.rates.tc_maxrate[1] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const bool good = cases[i].state != CHANGE_UNVERIFIED;

		change = add(bed, &dcb_maxrate_setting, cases[i].text);
		assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
		assert_int_equal(changes_write(&bed->changes), good);
		assert_int_equal(change->state.value, cases[i].state);
		assert_int_equal(bed->driver.dcb.rates.tc_maxrate[0], cases[i].rate);
		assert_int_equal(!change->reason, good);
		clear(bed);
	}
	/* An old value that is further away than the adapter's steps was not rounded to. */
	bed->driver.dcb.rates.tc_maxrate[0] = 100000;
	bed->driver.ignores = true;
	change = add(bed, &dcb_maxrate_setting, "0:900mbit");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	assert_false(changes_write(&bed->changes));
	assert_int_equal(change->state.value, CHANGE_UNVERIFIED);
	clear(bed);
	bed->driver.ignores = false;
	bed->driver.dcb.rates.tc_maxrate[0] = 0;
	change = add(bed, &dcb_maxrate_setting, "all:150mbit");
	changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE);
	assert_true(changes_write(&bed->changes));
	assert_string_equal(change->notes.items[change->notes.count - 1],
			    "0:150mbit,1:150mbit,2:150mbit,3:150mbit,"
			    "4:150mbit,5:150mbit,6:150mbit,7:150mbit became "
			    "0:100mbit,1:100mbit,2:100mbit,3:100mbit,"
			    "4:100mbit,5:100mbit,6:100mbit,7:100mbit, "
			    "the nearest that the adapter has");
	assert_true(changes_undo(&bed->changes));
	clear(bed);
	change = add(bed, &dcb_maxrate_setting, "7:1kbit");
	changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE);
	assert_false(changes_write(&bed->changes));
	assert_string_equal(change->reason,
			    "it was accepted but not applied: it reads 0:unlimited,1:unlimited,"
			    "2:unlimited,3:unlimited,4:unlimited,5:unlimited,6:unlimited,"
			    "7:100mbit; it was undone");
	assert_string_equal(change->next_step,
			    "rdmactl roce set lo maxrate 0:unlimited,1:unlimited,2:unlimited,"
			    "3:unlimited,4:unlimited,5:unlimited,6:unlimited,7:100mbit");
}

/* bnxt can pause one or two classes, however many priorities they have. */
static void lossless_classes(void **state)
{
	struct bed *bed = *state;

	bed->driver.dcb.pfc.pfc_cap = 1;
	add(bed, &dcb_pfc_setting, "3,4");
	expect_refusal(bed, "these priorities are in 2 classes, and the adapter can pause only 1");
	add(bed, &dcb_priority_class_setting, "4:3");
	add(bed, &dcb_pfc_setting, "3,4");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	clear(bed);
	add(bed, &dcb_pfc_setting, "3");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	clear(bed);
	/* Not every driver tells how many, or what is in which class. */
	bed->driver.dcb.pfc.pfc_cap = 0;
	add(bed, &dcb_pfc_setting, "all");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
	clear(bed);
	bed->driver.dcb.pfc.pfc_cap = 1;
	bed->driver.dcb.ets_known = false;
	add(bed, &dcb_pfc_setting, "all");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY | CHANGE_FORCE));
}

static void hidden_errors(void **state)
{
	struct bed *bed = *state;
	struct change *change = add(bed, &dcb_pfc_setting, "3");

	bed->driver.hidden = -EINVAL;
	assert_int_equal(change->setting->write(change, "3"), -EINVAL);
	assert_non_null(strstr(change->reason, "does not accept this value"));
	assert_non_null(strstr(change->next_step, "dmesg"));
	memset(bed->driver.dcb.ets.prio_tc, 0, DCB_PRIORITIES);
	assert_int_equal(change->setting->write(change, "3"), -EINVAL);
	assert_non_null(strstr(change->next_step, "a class of its own first"));
	bed->driver.hidden = -EOPNOTSUPP;
	assert_int_equal(change->setting->write(change, "3"), -EOPNOTSUPP);
	bed->driver.hidden = -EIO;
	assert_int_equal(change->setting->write(change, "3"), -EIO);
	/* An ignored write succeeds, and the old value is read. */
	bed->driver.hidden = 0;
	bed->driver.ignores = true;
	assert_int_equal(change->setting->write(change, "3"), 0);
	assert_reads(change, "none");
}

static void unreported(void **state)
{
	static const struct setting *const settings[] = {
		&dcb_pfc_setting,
		&dcb_pfc_delay_setting,
		&dcb_trust_setting,
		&dcb_priority_class_setting,
		&dcb_maxrate_setting,
		&dcb_buffer_size_setting,
		&dcb_class_algorithm_setting,
		&dcb_dcbx_setting,
	};
	struct bed *bed = *state;

	bed->driver.dcb = (struct dcb){.ets_known = false};
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct change *change = changes_add(&bed->changes, &bed->host, settings[i], "lo",
						    "x");
		char *value = NULL;

		change->netdev_index = number_of(if_nametoindex("lo"));
		assert_int_equal(settings[i]->read(change, &value), -EOPNOTSUPP);
		assert_null(value);
		assert_non_null(strstr(change->reason, "does not report it"));
	}
}

/* Each setting of eight numbers is reported if its structure is. */
static void reported_apart(void **state)
{
	static const struct {
		const struct setting *setting;
		int part; /* 0: ETS, 1: rates, 2: buffers */
	} cases[] = {
		{&dcb_priority_class_setting, 0},  {&dcb_class_algorithm_setting, 0},
		{&dcb_class_bandwidth_setting, 0}, {&dcb_maxrate_setting, 1},
		{&dcb_priority_buffer_setting, 2}, {&dcb_buffer_size_setting, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int part = 0; part < 3; part++) {
			const struct dcb dcb = {.ets_known = part == 0,
						.rates_known = part == 1,
						.buffers_known = part == 2};
			_cleanup_(freep) char *text = dcb_value(cases[i].setting, &dcb, NULL);

			assert_int_equal(text != NULL, part == cases[i].part);
		}
}

static void owners(void **state)
{
	struct bed *bed = *state;
	struct change *change;

	change = add(bed, &dcb_dcbx_setting, "firmware");
	assert_int_equal(change->setting->write(change, "firmware"), 0);
	assert_reads(change, "firmware");
	/*
	 * Other settings disturb a firmware in control, unless an earlier change of this call takes
	 * control from it.
	 */
	clear(bed);
	add(bed, &dcb_pfc_setting, "3");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	assert_int_equal(bed->changes.items[0].disturbs.count, 1);
	assert_non_null(strstr(bed->changes.items[0].disturbs.items[0], "the firmware"));
	clear(bed);
	add(bed, &dcb_dcbx_setting, "host");
	add(bed, &dcb_pfc_setting, "3");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	assert_int_equal(bed->changes.items[1].disturbs.count, 0);
	change = &bed->changes.items[0];
	assert_int_equal(change->setting->write(change, "host"), 0);
	assert_int_equal(bed->driver.dcb.dcbx.value,
			 DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_CEE | DCB_CAP_DCBX_VER_IEEE);
	bed->driver.refuses_dcbx = true;
	assert_int_equal(change->setting->write(change, "firmware"), -EREMOTEIO);
	assert_non_null(strstr(change->reason, "refuses to hand"));
}

/* What the errors of dcb_doit(), net/dcb/dcbnl.c, and of drivers mean. */
static void explained(void **state)
{
	static const struct {
		int error;
		const char *reason, *next_step;
	} cases[] = {
		{-EOPNOTSUPP,
		 "the driver or kernel has no data center bridging, or not this part of it",
		 "name the netdev of the adapter itself: a VLAN or bond has none; the manual of "
		 "the driver says whether it supports it"},
		{-EINVAL, "the driver does not accept this value",
		 "dmesg may have the reason: the reply has no room for it"},
		{-EPERM,
		 "the driver refuses it: this function does not own the port, or the firmware owns "
		 "it",
		 NULL},
		{-EEXIST, "somebody else changed the table meanwhile",
		 "check the table, then run the command again"},
		{-ENOENT, "somebody else changed the table meanwhile",
		 "check the table, then run the command again"},
		{-EIO, NULL, NULL},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct change *change = add(bed, &dcb_pfc_setting, "3");

		bed->driver.hidden = cases[i].error;
		assert_int_equal(change->setting->write(change, "3"), cases[i].error);
		if (cases[i].reason)
			assert_string_equal(change->reason, cases[i].reason);
		else
			assert_null(change->reason);
		if (cases[i].next_step)
			assert_string_equal(change->next_step, cases[i].next_step);
		else
			assert_null(change->next_step);
		clear(bed);
	}
}

/* Checks what the last change of the call would disturb. */
static void assert_disturbs(struct bed *bed, const char *wanted)
{
	struct change *change = &bed->changes.items[bed->changes.count - 1];

	for (size_t i = 0; i < bed->changes.count; i++)
		bed->changes.items[i].all = &bed->changes;
	change->setting->guard(change);
	assert_int_equal(change->disturbs.count, wanted ? 1 : 0);
	if (wanted)
		assert_string_equal(change->disturbs.items[0], wanted);
	clear(bed);
}

/* An adapter does only one of the two: PFC, or pause frames for the entire link. */
static void pause_or_pfc(void **state)
{
	struct bed *bed = *state;
	struct change *other;

	add(bed, &link_pause_setting, "rx");
	add(bed, &dcb_pfc_setting, "3");
	assert_disturbs(bed, "the pause frames of the link, which rule out PFC: global-pause is "
			     "rx, set it to none before pfc");
	add(bed, &link_pause_setting, "tx");
	add(bed, &dcb_pfc_setting, "3");
	assert_disturbs(bed, "the pause frames of the link, which rule out PFC: global-pause is "
			     "tx, set it to none before pfc");
	add(bed, &link_pause_setting, "none");
	add(bed, &dcb_pfc_setting, "3");
	assert_disturbs(bed, NULL);
	/* PFC is on already, and is switched off. */
	bed->driver.dcb.pfc.pfc_en = 8;
	add(bed, &dcb_pfc_setting, "none");
	assert_disturbs(bed, NULL);
	bed->driver.dcb.pfc.pfc_en = 0;
	/* Pause frames of another netdev do not matter. */
	other = add(bed, &link_pause_setting, "rx");
	other->netdev_index.value++;
	add(bed, &dcb_pfc_setting, "3");
	assert_disturbs(bed, NULL);
}

/* The same from the view of the pause frames: PFC that is on, or is set in this call. */
static void pfc_or_pause(void **state)
{
	static const struct {
		const char *pause, *pfc; /* NULL: it stays at 3 and 4 */
		const char *is;		 /* NULL: nobody is disturbed */
	} cases[] = {
		{"rx", NULL, "3,4"},  {"tx", NULL, "3,4"}, {"none", NULL, NULL},
		{"rx", "none", NULL}, {"rx", "5", "5"},	   {"none,auto", "5", NULL},
	};
	struct bed *bed = *state;

	bed->driver.dcb.pfc.pfc_en = 0x18;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *wanted = mem_format(
			"priority flow control, which pause frames rule out: pfc is %s",
			cases[i].is ? cases[i].is : "");

		if (cases[i].pfc)
			add(bed, &dcb_pfc_setting, cases[i].pfc);
		add(bed, &link_pause_setting, cases[i].pause);
		assert_disturbs(bed, cases[i].is ? wanted : NULL);
	}
	bed->driver.dcb.pfc_known = false;
	add(bed, &link_pause_setting, "rx");
	assert_disturbs(bed, NULL);
}

/* Changes are made in the order of the words: a later change has no effect on earlier ones. */
static void words_in_order(void **state)
{
	struct bed *bed = *state;
	const struct change *items;

	bed->driver.dcb.pfc.pfc_en = 0x18;
	bed->driver.dcb.dcbx.value &= ~(uint64_t)DCB_CAP_DCBX_HOST;
	add(bed, &link_pause_setting, "rx");
	add(bed, &dcb_pfc_setting, "none");
	add(bed, &dcb_dcbx_setting, "host");
	items = bed->changes.items;
	for (size_t i = 0; i < 2; i++) {
		bed->changes.items[i].all = &bed->changes;
		items[i].setting->guard(&bed->changes.items[i]);
		assert_int_equal(items[i].disturbs.count, 1);
	}
	assert_string_equal(items[0].disturbs.items[0],
			    "priority flow control, which pause frames rule out: pfc is 3,4");
	assert_memory_equal(items[1].disturbs.items[0], "the firmware", strlen("the firmware"));
}

/* A port that accepts the switch's settings, and one whose firmware does. */
static void the_switch_rules(void **state)
{
	struct bed *bed = *state;

	bed->driver.dcb.ets.willing = 1;
	add(bed, &dcb_pfc_setting, "3");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	/* An ordinary user may not see the path of the session, which is another note. */
	assert_true(bed->changes.items[0].notes.count > 0);
	assert_string_equal(bed->changes.items[0].notes.items[0],
			    "the port is willing to accept the switch's settings");
	clear(bed);
	bed->driver.dcb.dcbx.value &= ~(uint64_t)DCB_CAP_DCBX_HOST;
	add(bed, &dcb_pfc_setting, "3");
	assert_disturbs(bed, "the firmware, which negotiates these settings with the switch (dcbx "
			     "firmware) and restores its own: dcbx host takes control from it");
	bed->driver.dcb.dcbx.known = false;
	bed->driver.dcb.ets.willing = 0;
	add(bed, &dcb_pfc_setting, "3");
	assert_disturbs(bed, NULL);
}

/* The explanation for a value that is refused, and the values that are possible. */
static void whole_messages(void **state)
{
	static const struct {
		const struct setting *setting;
		const char *text, *reason;
	} cases[] = {
		{&dcb_pfc_setting, "8",
		 "'8' is not a value of pfc: it takes none, all, or priorities 0 to 7, such as 3 "
		 "or 3,4"},
		{&dcb_pfc_delay_setting, "65536",
		 "'65536' is not a value of pfc-delay: it takes a number from 0 to 65535"},
		{&dcb_trust_setting, "\033x",
		 "'\\x1bx' is not a value of trust: it takes pcp, dscp, or an ordered list of "
		 "ethertype, stream-port, dgram-port, port, dscp, pcp"},
		{&dcb_dscp_priority_setting, "+26",
		 "'+26' is not a value of dscp-priority: it takes none, DSCP:PRIORITY,... (26:3, "
		 "AF31:3), or +DSCP:PRIORITY,... to add to the existing ones"},
		{&dcb_maxrate_setting, "0:1",
		 "'0:1' is not a value of maxrate: it takes "
		 "CLASS:NUMBER(kbit|mbit|gbit)|unlimited,..."},
		{&dcb_dcbx_setting, "x", "'x' is not a value of dcbx: it takes host, firmware"},
		{&link_pause_setting, "x",
		 "'x' is not a value of global-pause: it takes none, rx, tx or rx,tx, plus ,auto "
		 "to negotiate them"},
		{&link_mtu_setting, "67",
		 "'67' is not a value of mtu: it takes a number of bytes, at least 68"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_null(add(bed, cases[i].setting, cases[i].text));
		assert_string_equal(bed->changes.items[i].reason, cases[i].reason);
	}
	/* The smallest and the largest value of each. */
	assert_string_equal(add(bed, &link_mtu_setting, "68")->wanted, "68");
	assert_string_equal(add(bed, &link_mtu_setting, "65535")->wanted, "65535");
	assert_string_equal(add(bed, &dcb_pfc_delay_setting, "0")->wanted, "0");
	assert_string_equal(add(bed, &dcb_pfc_setting, "0,7")->wanted, "0,7");
	assert_string_equal(add(bed, &dcb_trust_setting, "none")->wanted, "none");
}

static void algorithms(void **state)
{
	struct bed *bed = *state;

	bed->driver.dcb.ets.tc_tsa[7] = 77;
	assert_string_equal(add(bed, &dcb_class_algorithm_setting,
				"0:strict,1:credit-shaper,2:ets,3:vendor,4:0,5:254")
				    ->wanted,
			    "0:strict,1:credit-shaper,2:ets,3:vendor,4:strict,5:254,6:strict,7:77");
	assert_string_equal(add(bed, &dcb_buffer_size_setting, "all:4294967295")->wanted,
			    "0:4294967295,1:4294967295,2:4294967295,3:4294967295,4:4294967295,"
			    "5:4294967295,6:4294967295,7:4294967295");
	assert_string_equal(add(bed, &dcb_maxrate_setting, "all:999kbit,0:1mbit")
				    ? "taken"
				    : bed->changes.items[2].reason,
			    "'all:999kbit,0:1mbit' is not a value of maxrate: it takes "
			    "CLASS:NUMBER(kbit|mbit|gbit)|unlimited,...");
	assert_string_equal(bed->changes.items[2].next_step,
			    "the minimum is 1kbit; for no limit, give unlimited, not 0");
	assert_string_equal(add(bed, &dcb_maxrate_setting, "all:1000kbit")->wanted,
			    "0:1mbit,1:1mbit,2:1mbit,3:1mbit,4:1mbit,5:1mbit,6:1mbit,7:1mbit");
	assert_string_equal(add(bed, &dcb_maxrate_setting, "all:18446744073709gbit")->wanted,
			    "0:18446744073709gbit,1:18446744073709gbit,2:18446744073709gbit,"
			    "3:18446744073709gbit,4:18446744073709gbit,5:18446744073709gbit,"
			    "6:18446744073709gbit,7:18446744073709gbit");
	assert_null(add(bed, &dcb_maxrate_setting, "all:18446744073710gbit"));
	clear(bed);
	/* Exactly 100 percent, or no class that is served by its share, needs nothing more. */
	add(bed, &dcb_class_algorithm_setting, "0:ets,1:ets");
	add(bed, &dcb_class_bandwidth_setting, "0:1,1:99");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	clear(bed);
	add(bed, &dcb_class_algorithm_setting, "0:ets,1:ets");
	add(bed, &dcb_class_bandwidth_setting, "0:1,1:98");
	expect_refusal(bed, "the bandwidths of the classes with the algorithm ets add up to 99 "
			    "percent, not 100: class-bandwidth 0:1,1:98,2:0,3:0,4:0,5:0,6:0,7:0");
	add(bed, &dcb_class_algorithm_setting, "7:strict");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	clear(bed);
	/* The last class of the adapter, and one beyond it. */
	bed->driver.dcb.ets.ets_cap = 6;
	add(bed, &dcb_priority_class_setting, "all:5");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
	clear(bed);
	bed->driver.dcb.ets.ets_cap = 0;
	add(bed, &dcb_priority_class_setting, "all:7");
	assert_true(changes_prepare(&bed->changes, CHANGE_DRY));
}

static void gone(void **state)
{
	struct bed *bed = *state;
	struct change *change = add(bed, &dcb_pfc_setting, "3");
	char *value = NULL;

	change->netdev_index = number_of(INT32_MAX);
	assert_int_equal(change->setting->read(change, &value), -ENODEV);
	change->netdev_index.known = false;
	assert_int_equal(change->setting->write(change, "3"), -ENODEV);
	assert_null(value);
}

static void derived_trust(void **state)
{
	struct dcb dcb = {.dscp_count = 1};
	_cleanup_(freep) char *dscp = dcb_value(&dcb_trust_setting, &dcb, "mlx5_core");
	_cleanup_(freep) char *pcp = NULL, *none = NULL;

	(void)state;
	assert_string_equal(dscp, "dscp");
	assert_null(dcb_value(&dcb_trust_setting, &dcb, "ice"));
	assert_null(dcb_value(&dcb_trust_setting, &dcb, NULL));
	dcb.dscp_count = 0;
	pcp = dcb_value(&dcb_trust_setting, &dcb, "mlx5_core");
	assert_string_equal(pcp, "pcp");
	dcb.trusted.known = true;
	none = dcb_value(&dcb_trust_setting, &dcb, "mlx5_core");
	assert_string_equal(none, "none");
}

static void persisted(void **state)
{
	struct bed *bed = *state;
	struct change *change = add(bed, &dcb_pfc_setting, "3");

	change->setting->persist(change);
	assert_string_equal(change->persist_file, "/etc/systemd/system/rdmactl-lo-pfc.service");
	assert_non_null(strstr(change->persist_text,
			       "ExecStart=/usr/bin/env rdmactl roce set lo pfc 3 --yes\n"));
	assert_non_null(strstr(change->persist_text, "WantedBy=rdma-hw.target"));
}

/* A % begins a specifier in a unit, and a unit's name has none: systemd.unit(5). */
static void persisted_with_percent(void **state)
{
	struct bed *bed = *state;
	struct change *change = add(bed, &link_pause_setting, "none");

	netdev_persist_as(change, "eth%0", "eth%0");
	assert_string_equal(change->persist_file,
			    "/etc/systemd/system/rdmactl-eth\\x250-global-pause.service");
	assert_non_null(strstr(change->persist_text, "Description=global-pause of eth\\x250\n"));
	assert_non_null(strstr(change->persist_text, " rdmactl-eth\\x250-maxrate.service\n"));
	assert_non_null(strstr(change->persist_text, "roce set eth%%0 global-pause none --yes\n"));
}

/*
 * Units start in parallel: which one has to be first is stated, and so is which settings only fit
 * together.
 */
static void persisted_together(void **state)
{
	struct bed *bed = *state;
	struct change *change;

	add(bed, &dcb_class_algorithm_setting, "all:ets");
	add(bed, &dcb_class_bandwidth_setting, "0:10,1:10,2:10,3:10,4:10,5:10,6:10,7:30");
	add(bed, &dcb_pfc_setting, "3");
	for (size_t i = 0; i < bed->changes.count; i++) {
		change = &bed->changes.items[i];
		change->all = &bed->changes;
		if (i == 2)
			change_disturbs(change, "lldpad");
		change->setting->persist(change);
	}
	change = bed->changes.items;
	assert_non_null(strstr(change[0].persist_text,
			       "After=rdma-hw.target rdmactl-lo-dcbx.service "
			       "rdmactl-lo-dscp-priority.service rdmactl-lo-trust.service "
			       "rdmactl-lo-priority-class.service\n"));
	assert_non_null(
		strstr(change[0].persist_text,
		       "roce set lo class-algorithm 0:ets,1:ets,2:ets,3:ets,4:ets,5:ets,"
		       "6:ets,7:ets class-bandwidth 0:10,1:10,2:10,3:10,4:10,5:10,6:10,7:30 "
		       "--yes\n"));
	assert_non_null(strstr(change[1].persist_text, "rdmactl-lo-class-algorithm.service\n"));
	assert_non_null(
		strstr(change[1].persist_text,
		       "roce set lo class-bandwidth 0:10,1:10,2:10,3:10,4:10,5:10,6:10,7:30 "
		       "class-algorithm 0:ets,"));
	assert_non_null(strstr(change[2].persist_text, "rdmactl-lo-global-pause.service\n"));
	assert_non_null(strstr(change[2].persist_text, "roce set lo pfc 3 --yes --force\n"));
}

static void assert_parts(const struct roce_parts *parts, const char *wanted)
{
	_cleanup_(freep) char *text = NULL;

	for (size_t i = 0; i < parts->count; i++)
		mem_extend(&text, "%s%s %s", text ? "; " : "",
			   parts->items[i].setting->keyword.word, parts->items[i].text);
	assert_string_equal(text, wanted);
}

static void assert_profile(struct bed *bed, enum roce_profile profile, const char *wanted)
{
	const struct roce_wish wish = {.profile = profile, .dscp = 26, .priority = 3};
	struct roce_parts parts;

	roce_profile_of_netdev(&wish, &bed->host, "lo", &parts);
	assert_parts(&parts, wanted);
	roce_parts_clear(&parts);
}

/* Congestion control that only one end has for another priority stays at that end. */
static void profile_ecn(void **state)
{
	const struct {
		unsigned int send, receive;
		const char *wanted;
	} cases[] = {
		{0, 0, "3"},
		{1 << 5, 1 << 5, "3,5"},
		{1 << 4, 1 << 0 | 1 << 7, "3,4/0,3,7"},
		{1 << 3 | 1 << 5, 0, "3,5/3"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct roce_ecn ecn = {.send = cases[i].send, .receive = cases[i].receive};
		_cleanup_(freep) char *text = roce_profile_ecn(&ecn, 3);

		assert_string_equal(text, cases[i].wanted);
	}
}

#define LOSSLESS(wanted) \
	assert_profile(bed, ROCE_PROFILE_LOSSLESS, "dscp-priority +26:3; " wanted "pfc 3")

/* What a profile sets depends on what the driver has. */
static void profiles(void **state)
{
	const struct roce_wish wish = {.profile = ROCE_PROFILE_LOSSLESS, .dscp = 26, .priority = 3};
	struct bed *bed = *state;
	struct dcb *dcb = &bed->driver.dcb;
	struct roce_parts parts;

	LOSSLESS("");
	assert_profile(bed, ROCE_PROFILE_LOSSY, "dscp-priority +26:3; pfc none");
	dcb->trusted = number_of(DCB_TRUST_PCP);
	LOSSLESS("trust dscp; ");
	dcb->trusted.known = false;
	dcb->ets.prio_tc[3] = 0;
	dcb->ets_known = false;
	LOSSLESS("");
	dcb->ets_known = true;
	/* There is no such class: the driver's answer is not one of IEEE 802.1Qaz. */
	dcb->ets.prio_tc[3] = DCB_CLASSES;
	LOSSLESS("");
	roce_profile_of_port(&wish, &parts);
	assert_parts(&parts, "default-mode roce-v2; default-tos 106");
	roce_parts_clear(&parts);
}

/* A class for this priority alone: that of its number, otherwise the highest empty one. */
static void class_of_its_own(void **state)
{
	static const struct {
		uint8_t classes, priority_class[DCB_PRIORITIES];
		const char *wanted; /* NULL: none is possible, or it has one */
	} cases[] = {
		{8, {0}, "3:3"},
		{0, {0}, "3:3"},
		{4, {0}, "3:3"},
		{3, {0}, "3:2"},
		{2, {0}, "3:1"},
		{2, {0, 1}, NULL},
		{2, {1, 1, 1, 1, 1, 1, 1, 1}, "3:0"},
		{1, {0}, NULL},
		{8, {0, 0, 0, 0, 0, 3}, "3:7"},
		{9, {0, 0, 0, 0, 0, 3}, "3:7"},
		{8, {0, 0, 0, 0, 0, 3, 7, 5}, "3:6"},
		{4, {0, 0, 0, 0, 0, 3, 2, 1}, NULL},
		{8, {0, 0, 0, 7, 0, 3, 0, 7}, "3:6"},
		{8, {0, 0, 0, 7, 0, 3, 0, 0}, NULL},
		{8, {7, 0, 0, 7, 0, 0, 0, 0}, "3:3"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *wanted = mem_format("dscp-priority +26:3; %s%s%spfc 3",
							   cases[i].wanted ? "priority-class " : "",
							   cases[i].wanted ? cases[i].wanted : "",
							   cases[i].wanted ? "; " : "");

		bed->driver.dcb.ets.ets_cap = cases[i].classes;
		memcpy(bed->driver.dcb.ets.prio_tc, cases[i].priority_class, DCB_PRIORITIES);
		assert_profile(bed, ROCE_PROFILE_LOSSLESS, wanted);
	}
}

/* Half of the bandwidth for a class without any; all shares together are 100. */
static void bandwidths(void **state)
{
	struct bed *bed = *state;
	struct ieee_ets *ets = &bed->driver.dcb.ets;

	ets->tc_tsa[3] = IEEE_8021QAZ_TSA_ETS;
	LOSSLESS("class-bandwidth 0:0,1:0,2:0,3:100,4:0,5:0,6:0,7:0; ");
	ets->tc_tx_bw[3] = 1;
	LOSSLESS("");
	ets->tc_tx_bw[3] = 0;
	ets->tc_tsa[0] = IEEE_8021QAZ_TSA_ETS;
	ets->tc_tx_bw[0] = 100;
	/* The bandwidth of a class with another algorithm does not count. */
	ets->tc_tx_bw[1] = 40;
	LOSSLESS("class-bandwidth 0:50,1:0,2:0,3:50,4:0,5:0,6:0,7:0; ");
	ets->tc_tsa[1] = ets->tc_tsa[7] = IEEE_8021QAZ_TSA_ETS;
	ets->tc_tx_bw[0] = 0;
	ets->tc_tx_bw[1] = ets->tc_tx_bw[7] = 33;
	ets->tc_tx_bw[2] = 34;
	ets->tc_tsa[2] = IEEE_8021QAZ_TSA_ETS;
	LOSSLESS("class-bandwidth 0:0,1:17,2:17,3:50,4:0,5:0,6:0,7:16; ");
	/* More than 100 percent is the driver's mistake, and leaves nothing to give. */
	ets->tc_tx_bw[0] = 100;
	LOSSLESS("class-bandwidth 0:50,1:16,2:17,3:50,4:0,5:0,6:0,7:16; ");
}

/* A port whose driver has no functions for the trust; with the entries 24:3 and 26:3, or none. */
struct mlx5 {
	bool has_entries;
	const char *wanted, *then; /* written one after the other; NULL: no write */
};

static void tell_map(FILE *out, struct change *change, const struct driver *driver)
{
	_cleanup_(freep) char *value = NULL;
	int rc = change->setting->read(change, &value);

	fprintf(out, "%s;", rc ? strerror(-rc) : value);
	for (unsigned int i = 0; i < DCB_DSCPS; i++)
		if (driver->dcb.dscp_priorities[i])
			fprintf(out, " %u:%#x", i, driver->dcb.dscp_priorities[i]);
	fprintf(out, " %u\n", driver->sets);
}

static void tell_strings(FILE *out, const char *what, const struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		fprintf(out, "%s %s\n", what, strings->items[i]);
}

static void set_trust_of_mlx5(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct mlx5 *mlx5 = context;
	struct driver driver = {.single = true};
	struct fake_kernel kernel = {.serve = serve, .context = &driver};
	struct change_host host = {.nldev = NULL};
	struct changes changes = {.items = NULL};
	struct change *change;

	(void)tree;
	if (mlx5->has_entries)
		driver.dcb.dscp_priorities[24] = driver.dcb.dscp_priorities[26] = 1 << 3;
	host.rtnl = netlink_from_fd(fake_start(&kernel), 32768);
	change = changes_add(&changes, &host, &dcb_trust_setting, "lo", mlx5->wanted);
	change->netdev_index = number_of(if_nametoindex("lo"));
	changes_prepare(&changes, CHANGE_DRY);
	tell_map(out, change, &driver);
	tell_strings(out, "disturbs", &change->disturbs);
	tell_strings(out, "note", &change->notes);
	if (change->undo)
		fprintf(out, "undo %s\n", change->undo);
	for (int i = 0; i < 2; i++) {
		const char *value = i ? mlx5->then : mlx5->wanted;
		int rc = value ? change->setting->write(change, value) : 0;

		if (rc)
			fprintf(out, "write: %s\n", strerror(-rc));
		if (value)
			tell_map(out, change, &driver);
	}
	if (change->reason)
		fprintf(out, "reason %s\nnext %s\n", change->reason,
			change->next_step ? change->next_step : "-");
}

#define MLX5_NOTE \
	"note mlx5 trusts the DSCP while dscp-priority has an entry: pcp deletes them all\n"

/* The trust is whether there are entries: undoing brings them back. */
static void trust_by_entries(void **state)
{
	_cleanup_(freep) char *refused = mem_format(
		"pcp; 0\n" MLX5_NOTE
		"undo rdmactl roce set lo trust pcp\nwrite: %s\npcp; 0\nreason the driver trusts "
		"the DSCP as soon as one has a priority, and pcp otherwise\nnext set dscp-priority "
		"before it, in the same call\n",
		strerror(EOPNOTSUPP));
	_cleanup_(freep) char *several = mem_format(
		"dscp; 24:0x8 26:0x8 0\n" MLX5_NOTE
		"undo rdmactl roce set lo trust dscp\nwrite: %s\ndscp; 24:0x8 26:0x8 0\nreason the "
		"driver trusts the DSCP as soon as one has a priority, and pcp otherwise\nnext set "
		"dscp-priority before it, in the same call\n",
		strerror(EOPNOTSUPP));
	struct mlx5 pcp = {true, "pcp", "dscp"}, same = {true, "dscp", "dscp"},
		    none = {false, "dscp", NULL}, list = {true, "dscp,pcp", NULL},
		    stays = {false, "pcp", NULL};

	tree_link(*state, "sys/class/net/lo/device/driver", "../../../mlx5_core");
	rooted_expect(*state, set_trust_of_mlx5, &pcp,
		      "dscp; 24:0x8 26:0x8 0\n" MLX5_NOTE
		      "undo rdmactl roce set lo dscp-priority 24:3,26:3\n"
		      "pcp; 1\ndscp; 24:0x8 26:0x8 2\n");
	rooted_expect(*state, set_trust_of_mlx5, &same,
		      "dscp; 24:0x8 26:0x8 0\ndscp; 24:0x8 26:0x8 0\ndscp; 24:0x8 26:0x8 0\n");
	rooted_expect(*state, set_trust_of_mlx5, &stays, "pcp; 0\npcp; 0\n");
	rooted_expect(*state, set_trust_of_mlx5, &none, refused);
	rooted_expect(*state, set_trust_of_mlx5, &list, several);
}

/* For another driver without these functions the trust is unknown. */
static void trust_not_told(void **state)
{
	_cleanup_(freep) char *text = mem_format(
		"%s; 24:0x8 26:0x8 0\nreason the driver ice does not report it\nnext -\n",
		strerror(EOPNOTSUPP));
	struct mlx5 pcp = {true, NULL, NULL};

	tree_link(*state, "sys/class/net/lo/device/driver", "../../../ice");
	rooted_expect(*state, set_trust_of_mlx5, &pcp, text);
}

/* The daemon that negotiates with the switch: every process of that name. */
static void daemons(void **state)
{
	struct mlx5 pcp = {true, "pcp", NULL};

	tree_link(*state, "sys/class/net/lo/device/driver", "../../../mlx5_core");
	tree_write(*state, "proc/12/comm", "lldpad");
	tree_write(*state, "proc/7/comm", "lldpad");
	tree_write(*state, "proc/8/comm", "lldpa");
	tree_write(*state, "proc/self/comm", "lldpad");
	rooted_expect(*state, set_trust_of_mlx5, &pcp,
		      "dscp; 24:0x8 26:0x8 0\n"
		      "disturbs lldpad (process 7, 12), which may set what it negotiates with the "
		      "switch instead\n" MLX5_NOTE
		      "undo rdmactl roce set lo dscp-priority 24:3,26:3\n"
		      "pcp; 1\n");
}

/* In their order; a selector without a word is a number. */
static void selectors(void **state)
{
	static const struct {
		uint8_t order[3];
		unsigned int count;
		const char *text;
	} rows[] = {
		{{0}, 0, "none"},
		{{5}, 1, "dscp"},
		{{9}, 1, "9"},
		{{5, 9, 1}, 3, "dscp,9,ethertype"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dcb dcb = {.trusted = number_of(0), .trust_count = rows[i].count};
		_cleanup_(freep) char *text = NULL;

		memcpy(dcb.trust_order, rows[i].order, sizeof(rows[i].order));
		text = dcb_value(&dcb_trust_setting, &dcb, "ice");
		assert_string_equal(text, rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(each_setting),
		TEST(the_rest_stays),
		TEST(wrong_words),
		TEST(pause_words),
		TEST(increments),
		TEST(one_priority_for_each),
		TEST(one_priority_and_no_other),
		TEST(a_full_map),
		TEST(algorithms_with_bandwidths),
		TEST(buffers_with_sizes),
		TEST(full_shares),
		TEST(sums),
		TEST(hidden_errors),
		TEST(unreported),
		TEST(rounded_rates),
		TEST(lossless_classes),
		TEST(owners),
		TEST(gone),
		TEST(derived_trust),
		TEST(persisted),
		TEST(persisted_with_percent),
		TEST(persisted_together),
		TEST(profile_ecn),
		TEST(profiles),
		TEST(bandwidths),
		TEST(class_of_its_own),
		TEST(entries_per_request),
		TEST(reported_apart),
		TEST(explained),
		TEST(pause_or_pfc),
		TEST(pfc_or_pause),
		TEST(words_in_order),
		TEST(the_switch_rules),
		TEST(whole_messages),
		TEST(algorithms),
		cmocka_unit_test(selectors),
#undef TEST
	};
	static const struct CMUnitTest rooted[] = {
		cmocka_unit_test_setup_teardown(trust_by_entries, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(trust_not_told, tree_only_set_up,
						tree_only_tear_down),
		cmocka_unit_test_setup_teardown(daemons, tree_only_set_up, tree_only_tear_down),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (!failed && rooted_is_possible())
		failed = cmocka_run_group_tests(rooted, NULL, NULL);
	return failed;
}
