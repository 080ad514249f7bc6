/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The field tables of selftest rows, and the values computed for them. */
#include "selftest/record/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/port.h"

static const struct enum_name direction_names[] = {
	{DIRECTION_OUT, "out", TONE_PLAIN, "data flow to the peer"},
	{DIRECTION_IN, "in", TONE_PLAIN, "data flow from the peer"},
	{DIRECTION_BOTH, "both", TONE_PLAIN, "data flow both ways at once"},
	{0, NULL},
};

static const struct enum_name counterpart_names[] = {
	{RAIL_SUBNET, "subnet", TONE_PLAIN, "no other port is in its subnet"},
	{RAIL_ORDER, "guess", TONE_WARNING, "the same position in the order of PCI addresses"},
	{0, NULL},
};

static const struct enum_name side_names[] = {
	{SIDE_LOCAL, "local"},
	{SIDE_PEER, "peer"},
	{0, NULL},
};

static const struct field bucket_fields[] = {
	REAL_FIELD(struct selftest_bucket, least_usec, "least_usec", "LEAST us", FIELD_RIGHT, 0,
		   "latencies from this one, in microseconds"),
	REAL_FIELD(struct selftest_bucket, below_usec, "below_usec", "BELOW us", FIELD_RIGHT, 0,
		   "up to, but not including, this latency"),
	UNSIGNED_FIELD(struct selftest_bucket, count, "count", "COUNT", FIELD_RIGHT, 0,
		       "how many of them there were"),
};

static const struct schema bucket_schema = SCHEMA("buckets", struct selftest_bucket, bucket_fields,
						  "a range of latencies and how many there were");

/* Signed: a counter may have been reset. */
static void get_delta(const void *record, struct value *value)
{
	const struct selftest_counter *counter = record;

	if (!counter->before.known || !counter->after.known)
		return;
	value->kind = VALUE_SIGNED;
	value->integer = (int64_t)(counter->after.value - counter->before.value);
}

static const struct field counter_fields[] = {
	ENUM_FIELD(struct selftest_counter, side, side_names, "side", "SIDE", 0, 0,
		   "local or peer"),
	STRING_FIELD(struct selftest_counter, device, "device", "DEVICE", 0, 0,
		     "name of the device"),
	UNSIGNED_FIELD(struct selftest_counter, port, "port", "PORT", FIELD_RIGHT, 0,
		       "number of the port"),
	STRING_FIELD(struct selftest_counter, name, "name", "NAME", 0, 0, "name of the counter"),
	UNSIGNED_FIELD(struct selftest_counter, before, "before", "BEFORE", FIELD_RIGHT, 0,
		       "its value before the test"),
	UNSIGNED_FIELD(struct selftest_counter, after, "after", "AFTER", FIELD_RIGHT, 0,
		       "its value after the test"),
	COMPUTED_FIELD(FIELD_SIGNED, get_delta, "delta", "DELTA", FIELD_RIGHT, 0, "the difference"),
};

static const struct schema counter_schema = SCHEMA(
	"counters", struct selftest_counter, counter_fields, "a counter before and after a test");

static void get_histogram(const void *record, struct value *value)
{
	const struct selftest_result *result = record;

	if (!result->histogram_count)
		return;
	value_set_records(value, result->histogram, result->histogram_count);
}

static void get_counters(const void *record, struct value *value)
{
	const struct selftest_result *result = record;

	if (!result->counter_count)
		return;
	value_set_records(value, result->counters, result->counter_count);
}

static bool ratio(const struct real *part, const struct real *total, double scale, double *ret)
{
	if (!part->known || !total->known || !(total->value > 0))
		return false;
	*ret = part->value / total->value * scale;
	return true;
}

static void get_ratio(const struct real *part, const struct real *total, double scale,
		      struct value *value)
{
	double computed;

	if (!ratio(part, total, scale, &computed))
		return;
	value_set_real(value, computed);
}

static bool is_both_ways(const struct selftest_result *result)
{
	return result->sent_gbps.known && result->received_gbps.known;
}

/* A port can send and receive at its full rate at the same time. */
static double percent_of_rate(const struct selftest_result *result)
{
	return is_both_ways(result) ? 50 : 100;
}

static void get_rate_percent(const void *record, struct value *value)
{
	const struct selftest_result *result = record;

	get_ratio(&result->bandwidth_gbps, &result->rate_gbps, percent_of_rate(result), value);
}

static void get_together_percent(const void *record, struct value *value)
{
	const struct selftest_result *result = record;

	get_ratio(&result->together_gbps, &result->alone_gbps, 100, value);
}

static void get_packed_ratio(const void *record, struct value *value)
{
	const struct selftest_result *result = record;

	get_ratio(&result->transfer_usec, &result->packed_usec, 1, value);
}

static void get_bandwidth_mibps(const void *record, struct value *value)
{
	static const struct real gigabits_in_mib = {8.0 * 1024 * 1024 / 1e9, true};
	const struct selftest_result *result = record;

	get_ratio(&result->bandwidth_gbps, &gigabits_in_mib, 1, value);
}

/* Returns the number of decimals for three digits from 1 on, and for about two below. */
static int decimals(double number)
{
	static const double limits[] = {99.95, 9.995, 0.0995, 0.00995};
	int count = 0;

	while (count < (int)ARRAY_SIZE(limits) && number < limits[count])
		count++;
	return count;
}

#define FIGURES_MOST 63u /* characters */
/* For such small messages the message rate says more than the bandwidth. */
#define SMALL_MESSAGE 512u

/* Appends a piece, or skips it if it does not fit into a table cell. */
__attribute__((format(printf, 2, 3))) static void append(struct value *value, const char *format,
							 ...)
{
	size_t used = value->kind == VALUE_STRING ? strlen(value->scratch) : 0;
	const char *comma = used ? ", " : "";
	char piece[FIGURES_MOST + 1];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(piece, sizeof(piece), format, arguments);
	va_end(arguments);
	if (length < 0 || used + strlen(comma) + (size_t)length > FIGURES_MOST)
		return;
	snprintf(value->scratch + used, sizeof(value->scratch) - used, "%s%s", comma, piece);
	value_set_string(value, value->scratch);
}

static void append_known(struct value *value, const char *before, const struct real *figure,
			 const char *unit)
{
	if (figure->known)
		append(value, "%s%.*f %s", before, decimals(figure->value), figure->value, unit);
}

/* "11.9 Gb/s, 48 % of 25 Gb/s" */
static void append_bandwidth(const struct selftest_result *result, struct value *value)
{
	const struct real *gbps = &result->bandwidth_gbps;
	double percent;

	if (!gbps->known)
		return;
	append_known(value, "", gbps, "Gb/s");
	if (ratio(gbps, &result->rate_gbps, percent_of_rate(result), &percent))
		append(value, "%.*f %% of %s%g Gb/s", percent < 9.95 ? 1 : 0, percent,
		       is_both_ways(result) ? "2 x " : "", result->rate_gbps.value);
	if (is_both_ways(result))
		append(value, "%.*f out + %.*f in", decimals(result->sent_gbps.value),
		       result->sent_gbps.value, decimals(result->received_gbps.value),
		       result->received_gbps.value);
}

/* "CPU 100 %, peer 97 %", preceded by the message rate in millions for small messages */
static void append_cost(const struct selftest_result *result, struct value *value)
{
	double millions = result->messages_per_second.value / 1e6;

	if (result->messages_per_second.known && result->size_bytes.value <= SMALL_MESSAGE)
		append(value, "%.*f M/s", decimals(millions), millions);
	if (result->cpu_percent.known)
		append(value, "CPU %.0f %%", result->cpu_percent.value);
	if (result->peer_cpu_percent.known)
		append(value, "peer %.0f %%", result->peer_cpu_percent.value);
}

/* The key figures, for people; JSON has a key for each. */
static void get_figures(const void *record, struct value *value)
{
	const struct selftest_result *result = record;
	double packed;

	if (ratio(&result->transfer_usec, &result->packed_usec, 1, &packed))
		append(value, "%.*f x packed", decimals(packed), packed);
	append_known(value, "", &result->connections_per_second, "connections/s");
	append_known(value, "p50 ", &result->latency_p50_usec, "us");
	append_known(value, "p99 ", &result->latency_p99_usec, "us");
	append_bandwidth(result, value);
	append_cost(result, value);
	append_known(value, "", &result->alone_gbps, "Gb/s alone");
	append_known(value, "", &result->together_gbps, "Gb/s together");
}

#define TEXT(member, heading, flags, help) \
	STRING_FIELD(struct selftest_result, member, #member, heading, flags, 0, help)
#define NUMBER(member, heading, flags, help)                                                       \
	UNSIGNED_FIELD(struct selftest_result, member, #member, heading, FIELD_RIGHT | (flags), 0, \
		       help)
#define LINK(member, heading, help) \
	UNSIGNED_FIELD(struct selftest_result, link.member, #member, heading, FIELD_RIGHT, 0, help)
#define REAL(member, heading, help) \
	REAL_FIELD(struct selftest_result, member, #member, heading, FIELD_RIGHT, 0, help)
#define RATIO(get, key, heading, help) \
	COMPUTED_FIELD(FIELD_REAL, get, key, heading, FIELD_RIGHT, 0, help)

static const struct field selftest_fields[] = {
	TEXT(device, "DEVICE", FIELD_DEFAULT, "name of the device"),
	NUMBER(port, "PORT", FIELD_DEFAULT, "number of the port"),
	TEXT(netdev, "NETDEV", 0, "netdev that carries the GID"),
	NUMBER(gid_index, "GID INDEX", 0, "index in the port's GID table"),
	GID_FIELD(struct selftest_result, gid, "gid", "GID", 0, 0, "the port's GID"),
	ENUM_FIELD(struct selftest_result, gid_type, gid_type_names, "gid_type", "GID TYPE", 0, 0,
		   "ib, roce-v1 or roce-v2"),
	TEXT(peer, "PEER", 0, "the peer as it was named; none: loopback, or a group"),
	TEXT(peer_device, "PEER DEVICE", 0, "name of the peer's device"),
	NUMBER(peer_port, "PEER PORT", 0, "number of the peer's port"),
	GID_FIELD(struct selftest_result, peer_gid, "peer_gid", "PEER GID", 0, 0, "the peer's GID"),
	ENUM_FIELD(struct selftest_result, connection, selftest_connection_names, "connection",
		   "CONNECTION", 0, 0, "how the queue pairs were connected: exchange or cm"),
	LINK(traffic_class, "TCLASS", "traffic class of the packets (their TOS)"),
	LINK(flow_label, "FLOW LABEL", "flow label of the packets, if it was chosen"),
	LINK(hop_limit, "HOP LIMIT", "hop limit of the packets, if it was chosen"),
	LINK(sl, "SL", "service level of the packets"),
	HEX_FIELD(struct selftest_result, link.pkey, 4, "pkey", "P_KEY", 0, 0,
		  "P_Key of the queue pair"),
	LINK(qpn, "QPN", "number of the first queue pair"),
	LINK(peer_qpn, "PEER QPN", "number of the peer's first queue pair"),
	LINK(psn, "PSN", "first packet sequence number of that queue pair"),
	LINK(peer_psn, "PEER PSN", "the peer's first packet sequence number"),
	LINK(path_mtu_bytes, "PATH MTU", "path MTU of the queue pair"),
	LINK(ack_timeout, "ACK TIMEOUT",
	     "code of the ACK timeout: 4.096 us * 2 ^ code; 0: infinite"),
	LINK(retries, "RETRIES", "how often an unacknowledged packet is sent again"),
	LINK(rnr_retries, "RNR RETRIES", "the same for a receiver that is not ready; 7: forever"),
	ENUM_FIELD(struct selftest_result, group, selftest_group_names, "group", "GROUP", 0, 0,
		   "kind of the test"),
	TEXT(test, "TEST", FIELD_DEFAULT, "name of the test"),
	TEXT(summary, "SUMMARY", 0, "what the test does"),
	ENUM_FIELD(struct selftest_result, verdict, selftest_verdict_names, "result", "RESULT",
		   FIELD_DEFAULT, 0, "pass, fail or skip"),
	NUMBER(size_bytes, "SIZE", FIELD_DEFAULT, "bytes of a message"),
	COMPUTED_FIELD(FIELD_STRING, get_figures, "figures", "FIGURES", FIELD_DEFAULT, 0,
		       "what was measured, in short"),
	TEXT(reason, "REASON", FIELD_DEFAULT, "why it failed or was skipped"),
	TEXT(next_step, "NEXT STEP", 0, "what to do about it"),
	TEXT(status, "STATUS", 0, "status of the completion"),
	HEX_FIELD(
		struct selftest_result, vendor_error, 2, "vendor_error", "VENDOR ERROR", 0, 0,
		"what else the driver reported with it (vendor_err), for the maker of the device"),
	NUMBER(iterations, "ITERATIONS", 0, "how often the operation was done"),
	NUMBER(queue_pairs, "QPS", 0, "queue pairs in use"),
	NUMBER(depth, "DEPTH", 0, "operations outstanding on a queue pair"),
	NUMBER(batch, "BATCH", 0, "work requests posted at once"),
	NUMBER(signal_every, "SIGNAL EVERY", 0, "one completion for this many operations"),
	NUMBER(inline_bytes, "INLINE", 0, "messages up to this size go inline"),
	ENUM_FIELD(struct selftest_result, transport, selftest_transport_names, "transport",
		   "TRANSPORT", 0, 0, "transport of the queue pairs of a measurement"),
	ENUM_FIELD(struct selftest_result, direction, direction_names, "direction", "DIRECTION", 0,
		   0, "direction of the data of a bandwidth test: out, in or both"),
	BOOL_FIELD(struct selftest_result, events, "events", "EVENTS", 0, 0,
		   "sleeps until completions arrive, instead of polling"),
	BOOL_FIELD(struct selftest_result, relaxed_ordering, "relaxed_ordering", "RELAXED", 0, 0,
		   "asked for memory with relaxed ordering; a driver may ignore that"),
	NUMBER(interval, "INTERVAL", 0, "number of the interval; none: all of them together"),
	NUMBER(lost_messages, "LOST", 0, "messages of UC or UD that did not arrive"),
	NUMBER(memory_bytes, "MEMORY", 0, "peak memory of this program so far, in bytes"),
	NUMBER(peer_memory_bytes, "PEER MEMORY", 0, "the same for the peer's program"),
	REAL(cpu_percent, "CPU %", "processor time of the measuring thread, in percent of the run"),
	REAL(peer_cpu_percent, "PEER CPU %", "the same for the peer's"),
	NUMBER(completion_queues, "CQS", 0,
	       "completion queues of each side, which its queue pairs use in turn"),
	NUMBER(completion_vectors, "VECTORS", 0,
	       "completion vectors that the test spreads its completion queues over"),
	TEXT(memory, "BUFFERS", 0, "kind of memory of the buffers: pages, huge, odp or a dma-buf"),
	TEXT(peer_memory, "PEER BUFFERS", 0,
	     "the same at the peer, or at the other end of loopback"),
	NUMBER(block_bytes, "BLOCK", 0, "size of a block that is gathered or scattered"),
	NUMBER(block_count, "BLOCKS", 0, "how many blocks a transfer has"),
	REAL(duration_msec, "DURATION ms", "how long the test took, in milliseconds"),
	REAL(latency_min_usec, "MIN us", "smallest latency, in microseconds"),
	REAL(latency_p50_usec, "P50 us", "median of the latency, in microseconds"),
	REAL(latency_p90_usec, "P90 us", "90th percentile of the latency, in microseconds"),
	REAL(latency_p99_usec, "P99 us", "99th percentile of the latency, in microseconds"),
	REAL(latency_p999_usec, "P99.9 us", "99.9th percentile of the latency, in microseconds"),
	REAL(latency_max_usec, "MAX us", "largest latency, in microseconds"),
	REAL(latency_mean_usec, "MEAN us", "mean latency, in microseconds"),
	REAL(latency_stddev_usec, "STDDEV us",
	     "standard deviation of the latency, in microseconds"),
	REAL(bandwidth_gbps, "BANDWIDTH Gb/s", "bandwidth, gigabits a second; both ways: the sum"),
	REAL(sent_gbps, "SENT Gb/s", "bandwidth to the peer, gigabits a second"),
	REAL(received_gbps, "RECEIVED Gb/s", "bandwidth from the peer, gigabits a second"),
	RATIO(get_bandwidth_mibps, "bandwidth_mibps", "BANDWIDTH MiB/s",
	      "bandwidth, mebibytes a second"),
	REAL(messages_per_second, "MESSAGES /s", "messages a second"),
	REAL(rate_gbps, "RATE Gb/s", "active rate of the port, gigabits a second"),
	RATIO(get_rate_percent, "rate_percent", "RATE %", "bandwidth in percent of that rate"),
	REAL(transfer_usec, "TRANSFER us", "time of a gather or scatter transfer, in microseconds"),
	REAL(packed_usec, "PACKED us",
	     "time of packing by the CPU and one contiguous transfer, in microseconds"),
	RATIO(get_packed_ratio, "packed_ratio", "PACKED RATIO",
	      "transfer_usec / packed_usec: below 1, gather or scatter is faster"),
	REAL(connections_per_second, "CONNECTIONS /s", "connections a second"),
	REAL(address_usec, "ADDRESS us",
	     "rdma_cm: time to resolve the address, in microseconds; for many, their median"),
	REAL(route_usec, "ROUTE us", "the same to resolve the route"),
	REAL(connect_usec, "CONNECT us",
	     "the same from the request, or the exchange, to a queue pair that can send"),
	REAL(disconnect_usec, "DISCONNECT us", "the same to disconnect"),
	ENUM_FIELD(struct selftest_result, counterpart, counterpart_names, "counterpart",
		   "COUNTERPART", 0, 0, "how --all-ports found the peer's port: subnet or guess"),
	REAL(alone_gbps, "ALONE Gb/s", "bandwidth of the port alone, gigabits a second"),
	REAL(together_gbps, "TOGETHER Gb/s", "the same while all ports carry data"),
	RATIO(get_together_percent, "together_percent", "TOGETHER %",
	      "bandwidth together in percent of that alone"),
	TEXT(cpus, "CPUS", 0, "processors near the device, to which the test was pinned"),
	TEXT(peer_cpus, "PEER CPUS", 0, "the same on the peer"),
	HEADED_RECORDS_FIELD(get_histogram, &bucket_schema, "histogram", "HISTOGRAM",
			     "distribution of the latencies"),
	HEADED_RECORDS_FIELD(get_counters, &counter_schema, "counters", "COUNTERS",
			     "counters of both ports before and after"),
};

static const struct column_view views[] = {
	{"--all-gids", "device,port,gid_index,gid_type,gid,netdev,result,reason"},
	{"--all-ports", "device,port,peer_device,peer_port,test,size_bytes,"
			"alone_gbps,together_gbps,result,reason"},
	{"--serve", "peer,peer_device,device,port,result,iterations,duration_msec,reason"},
	{"--list-tests", "test,group,summary"},
	{NULL, NULL},
};

const struct schema selftest_schema = SCHEMA("selftest", struct selftest_result, selftest_fields,
					     "a data path test and what it found", .views = views);

void selftest_result_free(struct selftest_result *result)
{
	for (size_t i = 0; i < result->counter_count; i++)
		record_clear(&counter_schema, &result->counters[i]);
	free(result->counters);
	free(result->histogram);
	record_clear(&selftest_schema, result);
	free(result);
}
