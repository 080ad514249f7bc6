/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Findings about single hosts, and about what was not judged. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "mesh/judge/judge_parts.h"

void finding_set_host(struct judge_finding *finding, const struct judge *judge, uint32_t host)
{
	finding->host = number_of(host);
	finding->host_name = mem_string(words_host(judge, host));
}

void finding_set_port(struct judge_finding *finding, const struct judge *judge, uint32_t port)
{
	finding_set_host(finding, judge, port_host(port));
	finding->rail = number_of(port_rail(port));
	finding->device = mesh_host_device(&judge->hosts[port_host(port)], port_rail(port));
}

struct judge_finding *finding_add_port(struct conclusion *conclusion, enum judge_finding_id id,
				       uint32_t port, char *evidence)
{
	const struct judge *judge = conclusion->judge;
	struct judge_finding *finding = finding_add(
		conclusion->findings, id,
		mem_format("%s rail %u", words_host(judge, port_host(port)), port_rail(port)),
		evidence);

	finding_set_port(finding, judge, port);
	return finding;
}

bool conclusion_lists(struct conclusion *conclusion, enum judge_finding_id id,
		      enum severity severity)
{
	if (conclusion->listed[id]++ < conclusion->judge->limits.most_single_rows)
		return true;
	if (severity > conclusion->unlisted[id])
		conclusion->unlisted[id] = severity;
	return false;
}

/*
 * Results are compared with those of the same distance, so that a fabric that is thinner at the top
 * is not called bad. It is reported nevertheless, because equal damage to every uplink looks the
 * same.
 */
static void compare_distances(struct conclusion *conclusion, uint16_t rail, unsigned int rate)
{
	const struct judge *judge = conclusion->judge;
	const struct class *nearest = NULL;
	unsigned int shortest = 0;

	for (unsigned int distance = 1; distance <= MOST_DISTANCE; distance++) {
		const struct class *class = class_of_pairs(judge, rail, distance, rate);
		struct judge_finding *finding;
		double share;

		if (!class || !class->bandwidth.judged || class->bandwidth.median <= 0)
			continue;
		if (!nearest) {
			nearest = class;
			shortest = distance;
			continue;
		}
		share = class->bandwidth.median / nearest->bandwidth.median;
		if (share >= LEAST_SHARE_EXCUSED ||
		    !conclusion_lists(conclusion, JUDGE_DISTANCE,
				      judge_kinds[JUDGE_DISTANCE].severity))
			continue;
		finding = finding_add(
			conclusion->findings, JUDGE_DISTANCE,
			mem_format("rail %u, %u switches apart", rail, distance),
			mem_format("the %s of %" PRIu64 " figures is %.3g Gb/s, %.0f %% of the "
				   "%.3g Gb/s of those that have %u switch%s between them",
				   class->bandwidth.split ? "upper quartile" : "median",
				   class->bandwidth.spread.count, class->bandwidth.median,
				   share * 100, nearest->bandwidth.median, shortest,
				   shortest == 1 ? "" : "es"));
		finding->rail = number_of(rail);
		finding->share = real_of(share);
	}
}

void conclude_distances(struct conclusion *conclusion)
{
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		for (unsigned int rate = 0; rate <= MOST_RATES; rate++)
			compare_distances(conclusion, rail, rate);
}

/* What is usual on a rail, as a speed: for latencies, their inverse. */
struct usual {
	uint16_t rail;
	double speed; /* 0: not judged */
	double least; /* slower ones are bad there */
	uint64_t count;
	const char *name;
};

static struct usual usual_of(const struct class *class, uint16_t rail, enum judge_figure figure)
{
	const struct band *band = figure == JUDGE_BOTH_SUM ? &class->both : &class->bandwidth;

	if (figure == JUDGE_LATENCY)
		return class->most_latency > 0 ? (struct usual){rail, 1 / class->usual_latency,
								1 / class->most_latency,
								class->latency.count, "usual value"}
					       : (struct usual){0};
	return band->judged ? (struct usual){rail, band->median, band->least, band->spread.count,
					     band->split ? "upper quartile" : "median"}
			    : (struct usual){0};
}

/* A figure of a rail that is bad by what is usual on the middle one of some rails. */
struct slowness {
	struct usual own, middle;
	double share; /* of its speed */
	uint16_t rails;
	unsigned int distance;
	enum judge_figure figure;
};

/*
 * Compares rails of the same rate by one figure at one distance; of two, the faster one is the
 * middle. Fills the worst of each rail; without any, the number of rails is 0.
 */
static void compare_rails(const struct judge *judge, unsigned int rate, unsigned int distance,
			  enum judge_figure figure, struct slowness *worst)
{
	struct usual sorted[MESH_MOST_RAILS] = {0}; /* the slowest first */
	const struct usual *middle;
	uint16_t count = 0;

	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++) {
		const struct class *class = class_of_pairs(judge, rail, distance, rate);
		const struct usual own = class ? usual_of(class, rail, figure) : (struct usual){0};
		uint16_t at = count;

		if (own.speed <= 0)
			continue;
		for (; at && sorted[at - 1].speed > own.speed; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = own;
		count++;
	}
	middle = &sorted[count / 2];
	for (uint16_t i = 0; i < count / 2 && sorted[i].speed < middle->least; i++) {
		const double share = sorted[i].speed / middle->speed;
		struct slowness *own = &worst[sorted[i].rail];

		if (!own->rails || share < own->share)
			*own = (struct slowness){sorted[i], *middle,  share,
						 count,	    distance, figure};
	}
}

static void add_slow_rail(struct conclusion *conclusion, unsigned int rate,
			  const struct slowness *slow)
{
	static const char *const names[JUDGE_FIGURES] = {
		[JUDGE_BANDWIDTH] = "figures",
		[JUDGE_LATENCY] = "latencies",
		[JUDGE_BOTH_SUM] = "sums of both directions at once",
	};
	const struct usual *own = &slow->own, *middle = &slow->middle;
	struct judge_finding *finding;

	if (!conclusion_lists(conclusion, JUDGE_SLOW_RAIL, judge_kinds[JUDGE_SLOW_RAIL].severity))
		return;
	finding = finding_add(conclusion->findings, JUDGE_SLOW_RAIL,
			      mem_format("rail %u", own->rail),
			      mem_format("the %s of %" PRIu64 " %s is ", own->name, own->count,
					 names[slow->figure]));
	finding->rail = number_of(own->rail);
	if (slow->figure == JUDGE_LATENCY) {
		finding_say(finding, "%.3g us, %.3g times the %.3g us", 1 / own->speed,
			    1 / slow->share, 1 / middle->speed);
	} else {
		finding_say(finding, "%.4g Gb/s, %.0f %% of the %.4g Gb/s", own->speed,
			    slow->share * 100, middle->speed);
		finding->share = real_of(slow->share);
	}
	finding_say(finding, " of rail %u, ", middle->rail);
	if (slow->rails > 2)
		finding_say(finding, "in the middle of %u rails ", slow->rails);
	finding_say(finding, "at the same rate (%.4g Gb/s)",
		    (double)conclusion->judge->rates[rate] / 1000);
	if (slow->distance)
		finding_say(finding, " and distance (%u switch%s)", slow->distance,
			    slow->distance == 1 ? "" : "es");
}

/*
 * Most hosts of a rail may be alike, and slow. It is compared with other rails of the same rate: it
 * is slow if what is usual on it would be bad there. It may be built so. Ports of unknown rate are
 * not compared, nor results that depend on how many others share what they measure, because rails
 * need not have equally many hosts.
 */
void conclude_rails(struct conclusion *conclusion)
{
	for (unsigned int rate = 1; rate <= MOST_RATES; rate++) {
		struct slowness worst[MESH_MOST_RAILS] = {0};

		for (unsigned int distance = 0; distance <= MOST_DISTANCE; distance++)
			for (unsigned int figure = 0; figure < JUDGE_FIGURES; figure++)
				compare_rails(conclusion->judge, rate, distance, figure, worst);
		for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
			if (worst[rail].rails)
				add_slow_rail(conclusion, rate, &worst[rail]);
	}
}

/*
 * If all pairs are alike, none is an outlier. But a port can send and receive at its full rate at
 * the same time, so what all of them lack is reported. It may be built so.
 */
static void compare_directions(struct conclusion *conclusion, uint16_t rail,
			       const struct class *class)
{
	const double one = class->bandwidth.median, both = class->both.median;
	struct judge_finding *finding;

	if (!class->bandwidth.judged || !class->both.judged ||
	    both >= LEAST_SHARE_EXCUSED * 2 * one ||
	    !conclusion_lists(conclusion, JUDGE_BOTH, SEVERITY_NOTICE))
		return;
	finding = finding_add(
		conclusion->findings, JUDGE_BOTH, mem_format("rail %u", rail),
		mem_format("the %s of %" PRIu64
			   " pairs is %.4g Gb/s for both directions together, %.0f %% of twice the "
			   "%.4g Gb/s of one alone: it is not just one host or pair",
			   class->both.split ? "upper quartile" : "median",
			   class->both.spread.count, both, both / one * 50, one));
	finding->rail = number_of(rail);
	finding->share = real_of(both / one / 2);
	finding->finding.severity = number_of(SEVERITY_NOTICE);
	finding_set_next_step(finding, "unless it is built that way, look at the PCIe links and at "
				       "what all hosts have in common");
}

void conclude_directions(struct conclusion *conclusion)
{
	for (uint16_t rail = 0; rail < MESH_MOST_RAILS; rail++)
		for (unsigned int distance = 0; distance <= MOST_DISTANCE; distance++)
			for (unsigned int rate = 0; rate <= MOST_RATES; rate++) {
				const struct class *class = class_of_pairs(conclusion->judge, rail,
									   distance, rate);

				if (class)
					compare_directions(conclusion, rail, class);
			}
}

void conclude_rates(struct conclusion *conclusion)
{
	const struct judge *judge = conclusion->judge;
	_cleanup_(freep) bool *blamed = blamed_ports(judge);

	for (uint32_t i = 0; i < judge->port_count; i++)
		if (judge->ports[i].slow_rate && !blamed[i] &&
		    conclusion_lists(conclusion, JUDGE_RATE, judge_kinds[JUDGE_RATE].severity))
			finding_add_port(
				conclusion, JUDGE_RATE, i,
				mem_format("the port runs at %.4g Gb/s, most others at %.4g",
					   (double)words_endpoint(judge, i)->rate_mbps / 1000,
					   (double)judge->rates[judge->ports[i].rate] / 1000));
}

static void conclude_gap(struct conclusion *conclusion, uint32_t host, const struct mesh_gap *gap)
{
	const struct judge *judge = conclusion->judge;
	const uint32_t port = port_number(host, (uint16_t)gap->rail.value);
	struct judge_finding *finding = finding_add_port(conclusion, JUDGE_UNUSABLE, port, NULL);

	finding_say(finding, "%s", gap->reason ?: "its agent does not say why");
	words_add_port_facts(finding, judge, port);
	if (gap->hint) {
		_cleanup_(freep) char *hint = mem_format("on %s: %s", words_host(judge, host),
							 gap->hint);

		finding_set_next_step(finding, hint);
	}
	strings_add(&finding->hosts, words_host(judge, host));
}

void conclude_gaps(struct conclusion *conclusion)
{
	const struct judge *judge = conclusion->judge;

	for (uint32_t i = 0; i < judge->host_count; i++) {
		const struct mesh_host *host = &judge->hosts[i];

		for (size_t j = 0; j < host->gap_count; j++)
			if (host->presence == MESH_PRESENT && host->gaps[j].rail.known)
				conclude_gap(conclusion, i, &host->gaps[j]);
	}
}

void conclude_presence(struct conclusion *conclusion)
{
	static const enum judge_finding_id ids[] = {
		[MESH_ABSENT] = JUDGE_ABSENT,
		[MESH_REFUSED] = JUDGE_REFUSED,
		[MESH_LOST] = JUDGE_LOST,
	};
	const struct judge *judge = conclusion->judge;

	for (uint32_t i = 0; i < judge->host_count; i++) {
		const struct mesh_host *host = &judge->hosts[i];
		struct judge_finding *finding;

		if (host->presence == MESH_PRESENT)
			continue;
		finding = finding_add(
			conclusion->findings, ids[host->presence], mem_string(words_host(judge, i)),
			mem_string(host->reason ? host->reason : "no agent connected"));
		if (host->hint)
			finding_set_next_step(finding, host->hint);
		finding_set_host(finding, judge, i);
		/* Where a twin is, a job can run: its first name is tested. */
		if (!host->twin)
			strings_add(&finding->hosts, words_host(judge, i));
	}
}

/* Reports results with too few like them to compare them with. */
static void note_unjudged(struct conclusion *conclusion, const char *of, size_t count,
			  const char *what)
{
	if (count)
		finding_add(conclusion->findings, JUDGE_NOT_JUDGED, NULL,
			    mem_format("%s%zu result%s of a rail and distance with fewer than "
				       "%" PRIu32 " %s",
				       of, count, count == 1 ? " is" : "s are",
				       conclusion->judge->limits.least_results, what));
}

/*
 * Reports the findings of each id that are not listed, and whatever was not judged, stored or
 * retried.
 */
void conclude_rest(struct conclusion *conclusion)
{
	const struct judge *judge = conclusion->judge;

	for (unsigned int id = 0; id < ARRAY_SIZE(conclusion->listed); id++) {
		const uint32_t count = conclusion->listed[id];
		struct judge_finding *finding;

		if (count <= judge->limits.most_single_rows)
			continue;
		finding = finding_add(conclusion->findings, (enum judge_finding_id)id, NULL,
				      mem_format("%" PRIu32 " more, which are not listed",
						 count - judge->limits.most_single_rows));
		finding->finding.severity = number_of(conclusion->unlisted[id]);
	}
	note_unjudged(conclusion, "", judge->row_count - judge->partly_left, "figures");
	note_unjudged(conclusion, "latency: ", judge->latencies_left, "latencies");
	note_unjudged(conclusion, "both ways at once: ", judge->sums_left, "sums");
	if (judge->lost_edges)
		finding_add(conclusion->findings, JUDGE_NOT_KEPT, NULL,
			    mem_format("%" PRIu64 " bad pairs are counted for their ports, but "
				       "were not looked at one by one",
				       judge->lost_edges));
	if (judge->retests_left_out)
		finding_add(conclusion->findings, JUDGE_NOT_RETRIED, NULL,
			    mem_format("%zu suspects were not tried again alone",
				       judge->retests_left_out));
}
