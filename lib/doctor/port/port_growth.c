/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks for growth at a port: links that go down and up, and bits that arrive damaged. */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "counter/names/counter_names.h"
#include "doctor/frame/check.h"
#include "doctor/frame/growth.h"

enum { MINUTE = 60, HOUR = 3600, DAY = 24 * HOUR };

/* This many events establish a rate even if the limit's period is longer than the reading. */
enum { EVENTS_THAT_TELL_A_RATE = 10 };

bool growth_exceeds(uint64_t growth, double seconds, uint64_t limit, unsigned int period)
{
	const uint64_t enough = limit < EVENTS_THAT_TELL_A_RATE ? limit + 1
								: EVENTS_THAT_TELL_A_RATE;

	if (seconds <= 0)
		return growth > limit;
	/* Over a full period or more, whatever exceeds the limit is always enough. */
	return (double)growth * period > (double)limit * seconds && growth >= enough;
}

/*
 * leptonai/gpud warns from 3 flaps in 12 hours; Azure's azurehpc-health-checks fails from 5 in 24
 * hours. A single flap in a few minutes already extrapolates to more than the first rate; the
 * second requires five observed flaps.
 */
enum severity judge_flaps(uint64_t flaps, double seconds)
{
	const double count = (double)flaps;

	if (!flaps)
		return SEVERITY_OK;
	if (seconds <= 0)
		return flaps >= 3 ? SEVERITY_WARNING : SEVERITY_NOTICE;
	if (flaps >= 5 && count * DAY >= 5 * seconds)
		return SEVERITY_ERROR;
	return count * 12 * HOUR >= 3 * seconds ? SEVERITY_WARNING : SEVERITY_NOTICE;
}

char *growth_window(double seconds)
{
	if (seconds <= 0)
		return mem_string("an unknown time");
	if (seconds < 2 * MINUTE)
		return mem_format("%.1f s", seconds);
	if (seconds < 2 * HOUR)
		return mem_format("%.0f min", seconds / MINUTE);
	return mem_format("%.1f h", seconds / HOUR);
}

static const char *const source_of[] = {
	[COUNTER_SOURCE_PMA] = "ports/N/counters",
	[COUNTER_SOURCE_HW] = "ports/N/hw_counters",
	[COUNTER_SOURCE_NETDEV] = "statistics of the netdev",
};

/* Findings about one port so far. */
struct judgement {
	struct doctor_context *run;
	const char *window;
	size_t known;	   /* numbers whose growth is known */
	size_t unreadable; /* exist, but cannot be read */
	size_t stuck;	   /* at their maximum */
	size_t reset;	   /* lower than before */
	size_t unmatched;  /* in one of the readings only */
	bool carrier;	   /* a netdev's number is among the known ones */
	bool link;	   /* the link itself exceeds its error limits */
	uint64_t most;	   /* largest known growth */
	enum severity worst;
};

/* Explains why the growth of a number is unknown; silent if there is no such number. */
static void explain_unknown(struct judgement *judgement, const char *what, int rc)
{
	if (rc == -EIO) {
		judgement->unreadable++;
		doctor_evidence(judgement->run, NULL, "%s cannot be read", what);
	} else if (rc == -EOVERFLOW) {
		judgement->stuck++;
		doctor_evidence(judgement->run, NULL, "%s is at its maximum and no longer counts",
				what);
	} else if (rc == -ERANGE) {
		judgement->reset++;
		doctor_evidence(judgement->run, NULL, "%s was reset in between", what);
	} else if (rc == -ESTALE) {
		judgement->unmatched++;
		doctor_evidence(judgement->run, NULL, "%s is in one reading only", what);
	}
}

static void count_flaps(struct judgement *judgement, const char *what, const char *source, int rc,
			uint64_t growth)
{
	if (rc) {
		explain_unknown(judgement, what, rc);
		return;
	}
	judgement->known++;
	if (growth > judgement->most)
		judgement->most = growth;
	doctor_evidence(judgement->run, source, "%s +%llu in %s", what, (unsigned long long)growth,
			judgement->window);
}

static void look_at_carrier(struct judgement *judgement, const char *netdev)
{
	const struct doctor_facts *facts = judgement->run->facts;
	_cleanup_(freep) char *downs = mem_format("%s carrier_down_count", netdev);
	_cleanup_(freep) char *changes = mem_format("%s carrier_changes", netdev);
	const size_t known = judgement->known;
	uint64_t growth = 0;
	int rc = doctor_growth(facts, &growth, "%s", downs);

	if (rc != -ENODATA) {
		count_flaps(judgement, downs, "/sys/class/net/NETDEV/carrier_down_count", rc,
			    growth);
	} else {
		/* Two changes are one flap; an odd one means that a flap is in progress. */
		rc = doctor_growth(facts, &growth, "%s", changes);
		count_flaps(judgement, changes, "/sys/class/net/NETDEV/carrier_changes", rc,
			    (growth + 1) / 2);
	}
	judgement->carrier |= judgement->known > known;
}

static void look_at_link_downed(struct judgement *judgement, enum counter_source source)
{
	struct doctor_context *run = judgement->run;
	_cleanup_(freep) char *object = port_object(run->port);
	uint64_t growth = 0;
	int rc = doctor_growth(run->facts, &growth, "%s %s link_downed", object,
			       enum_word(counter_source_names, source, "other"));

	count_flaps(judgement, "link_downed", source_of[source], rc, growth);
}

static struct judged tell_stuck(struct doctor_context *run)
{
	_cleanup_(freep) char *object = port_object(run->port), *quoted = text_quote(object);

	doctor_next_step(run, "clear them, then look again: rdmactl perf --via %s --errors --reset",
			 quoted);
	return doctor_note(run, "error counters are at their maximum, so growth cannot be seen");
}

/* Ends a check for which the growth of all numbers, or of some that matter, is unknown. */
static struct judged give_up(struct judgement *judgement, const char *nothing)
{
	struct doctor_context *run = judgement->run;

	if (judgement->unreadable)
		return doctor_unread(run, "the counters of the port", "ports/N/counters", -EIO,
				     false);
	if (judgement->stuck)
		return tell_stuck(run);
	if (judgement->reset)
		return doctor_not_checked(run, 0,
					  "the counters were reset between the two readings");
	if (judgement->unmatched && judgement->known)
		return doctor_not_checked(run, 0,
					  "some counters of the port are in one reading only");
	if (judgement->unmatched && run->facts->request->since) {
		doctor_next_step(run, "rdmactl counters --save FILE, without naming devices, saves "
				      "those of all");
		return doctor_not_checked(run, 0,
					  "the saved file does not have the counters of this port");
	}
	if (judgement->unmatched)
		return doctor_not_checked(run, 0,
					  "the counters of the port were not there both times");
	return doctor_not_checked(run, 0, "%s", nothing);
}

static struct judgement begin(struct doctor_context *run, char **ret_window)
{
	*ret_window = growth_window(doctor_growth_seconds(run->facts));
	return (struct judgement){.run = run, .window = *ret_window};
}

struct judged check_link_flaps(struct doctor_context *run)
{
	_cleanup_(freep) char *window = NULL;
	_cleanup_(strings_free) struct strings netdevs = growth_netdevs(run->facts, run->port);
	struct judgement judgement = begin(run, &window);
	const bool ethernet = number_is(&run->port->link_layer, LINK_LAYER_ETHERNET);
	enum severity severity;

	look_at_link_downed(&judgement, COUNTER_SOURCE_PMA);
	look_at_link_downed(&judgement, COUNTER_SOURCE_HW);
	/*
	 * The carrier of IPoIB also goes off when the LID or the P_Keys change, or the netdev is
	 * switched off: ipoib_event(), ipoib_verbs.c; ipoib_ib_dev_down(), ipoib_ib.c.
	 */
	if (!port_is_infiniband(run->port) || !judgement.known)
		for (size_t i = 0; i < netdevs.count; i++)
			look_at_carrier(&judgement, netdevs.items[i]);
	severity = judge_flaps(judgement.most, doctor_growth_seconds(run->facts));
	if (severity == SEVERITY_OK && ethernet && !judgement.carrier &&
	    run->facts->request->since) {
		/* link_downed is an InfiniBand counter: no growth of it proves nothing here. */
		doctor_next_step(run, "take two readings instead: rdmactl doctor --interval 10s");
		return doctor_not_checked(
			run, NEEDS_INTERVAL,
			"the saved file does not have the carrier counts of netdevs");
	}
	if (!judgement.known)
		return give_up(&judgement, "nothing counts how often the link goes down");
	if (severity == SEVERITY_OK)
		return doctor_nothing_grew(run, "the link did not go down");
	doctor_evidence(run, NULL, "3 in 12 h are a warning, 5 in 24 h an error");
	return doctor_verdict(run, severity, "the link went down");
}

/* A counter, and how much growth of it is too much. */
static const struct error_rule {
	enum counter_source source;
	const char *counter; /* canonical name */
	enum severity severity;
	uint64_t limit;	     /* more than this per period; 0 without period: any */
	unsigned int period; /* seconds */
	const char *words;
} error_rules[] = {
	/* Any growth of these two is fatal in NVSentinel's NIC monitor. */
	{COUNTER_SOURCE_PMA, "local_link_integrity_errors", SEVERITY_ERROR, 0, 0, "limit 0"},
	{COUNTER_SOURCE_PMA, "excessive_buffer_overruns", SEVERITY_ERROR, 0, 0, "limit 0"},
	/* A bit error rate of 10^-12, the maximum that InfiniBand allows: 120 an hour. */
	{COUNTER_SOURCE_PMA, "symbol_errors", SEVERITY_WARNING, 120, HOUR, "limit 120 per hour"},
	{COUNTER_SOURCE_PMA, "link_error_recoveries", SEVERITY_WARNING, 5, MINUTE,
	 "limit 5 per minute"},
	/* Ethernet has the same bit error rate: IEEE 802.3, 80.1.3 and 105.1.2. */
	{COUNTER_SOURCE_NETDEV, "rx_crc_errors", SEVERITY_WARNING, 120, HOUR, "limit 120 per hour"},
	/* Every link's checksum was correct, so packets were damaged elsewhere on the path. */
	{COUNTER_SOURCE_HW, "rx_icrc_errors", SEVERITY_WARNING, 0, 0, "limit 0"},
};

static void look_at_counter(struct judgement *judgement, const struct error_rule *rule,
			    const char *object)
{
	struct doctor_context *run = judgement->run;
	const double seconds = doctor_growth_seconds(run->facts);
	enum severity severity = SEVERITY_NOTICE;
	uint64_t growth;
	int rc = doctor_growth(run->facts, &growth, "%s %s %s", object,
			       enum_word(counter_source_names, rule->source, "other"),
			       rule->counter);

	if (rc) {
		explain_unknown(judgement, rule->counter, rc);
		return;
	}
	judgement->known++;
	if (!growth)
		return;
	if (!rule->period || growth_exceeds(growth, seconds, rule->limit, rule->period))
		severity = rule->severity;
	if (severity > judgement->worst)
		judgement->worst = severity;
	judgement->link |= rule->source != COUNTER_SOURCE_HW && severity >= SEVERITY_WARNING;
	doctor_evidence(run, source_of[rule->source], "%s +%llu in %s (%s)", rule->counter,
			(unsigned long long)growth, judgement->window, rule->words);
}

/* The link checksums were correct, or computed only after the packets were damaged. */
static struct judged tell_changed(struct doctor_context *run)
{
	doctor_next_step(run, "find what the paths of these packets share, a switch or an adapter: "
			      "no cable does this");
	return doctor_warning(run, "packets were damaged or changed on the way, but not by a link");
}

struct judged check_link_errors(struct doctor_context *run)
{
	_cleanup_(freep) char *window = NULL, *object = port_object(run->port);
	struct judgement judgement = begin(run, &window);

	for_each_in (rule, error_rules, ARRAY_SIZE(error_rules))
		if (rule->source != COUNTER_SOURCE_NETDEV)
			look_at_counter(&judgement, rule, object);
		else if (run->port->netdev)
			look_at_counter(&judgement, rule, run->port->netdev);
	if (judgement.worst == SEVERITY_ERROR)
		return doctor_error(run, "the link damages data, or overruns the buffers");
	if (judgement.worst == SEVERITY_WARNING && judgement.link)
		return doctor_warning(run, "the link has more errors than its standard allows");
	if (judgement.worst == SEVERITY_WARNING)
		return tell_changed(run);
	if (judgement.worst == SEVERITY_NOTICE)
		return doctor_note(run, "the link has a few errors, below the limits");
	/* What the others did not count, these may have. */
	if (!judgement.known || judgement.unreadable || judgement.stuck || judgement.reset ||
	    judgement.unmatched)
		return give_up(&judgement, "nothing counts link errors");
	doctor_evidence(run, NULL, "%zu counter%s did not grow in %s", judgement.known,
			text_plural_s(judgement.known), window);
	return doctor_nothing_grew(run, "the link has no errors");
}
