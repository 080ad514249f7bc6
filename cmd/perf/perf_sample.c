/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rdmactl perf --samples and --sample: the sampling of ports. */
#include "mad/perf/perf_sample.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "cmd/perf/perf_run.h"
#include "mad/format/header.h"

/* The length of a tick is in the port's own code, so the time to wait cannot be computed. */
#define SAMPLE_POLL_MSEC 50u
#define SAMPLE_MOST_MSEC 10000u

struct samples {
	struct perf_run *run;
	const struct perf_sampling *own; /* NULL: only read */
	struct perf_sample *rows;
	size_t row_count;
	bool asked;	  /* a port may have begun to sample for us */
	bool interrupted; /* before all results were read */
};

static void report(struct samples *samples, const struct perf_port *port, char *text,
		   const char *hint)
{
	const struct mad_session *session = samples->run->perf.session;

	problem_add_text(session->problems, session->destinations[port->destination].name, NULL,
			 NULL, text, hint);
	free(text);
}

/* Sends one request to a port. Without data it is a Get. */
static bool call(struct samples *samples, const struct perf_port *port, uint16_t attribute,
		 const unsigned char *data, size_t bytes, unsigned char *ret_data)
{
	struct perf *perf = &samples->run->perf;
	const unsigned char select[2] = {0, port->port};
	struct mad_item item = {0};
	bool good;

	mad_gmp_request(&perf->session->destinations[port->destination].place, UMAD_CLASS_PERF_MGMT,
			data ? UMAD_METHOD_SET : UMAD_METHOD_GET, attribute, 0, &item.request);
	item.request.data = data ? data : select;
	item.request.data_bytes = data ? bytes : sizeof(select);
	mad_gather(perf->session->engine, &item, 1);
	samples->interrupted |= mad_session_interrupted(perf->session, &item);
	good = data ? perf_check_set(perf, port, "starting to sample", &item, NULL)
		    : perf_check(perf, port, mad_attribute_name(UMAD_CLASS_PERF_MGMT, attribute),
				 &item);
	if (!good)
		return false;
	memcpy(ret_data, item.data, MAD_DATA_MOST);
	return true;
}

static void report_other(struct samples *samples, const struct perf_port *port)
{
	report(samples, port, mem_format("port %u is sampling for another request", port->port),
	       "rdmactl perf --samples shows its result when it is done");
}

/* Returns whether sampling with this control has a result; reports what is wrong with it. */
static bool is_good(struct samples *samples, const struct perf_port *port,
		    const unsigned char *control)
{
	switch (perf_sampling_check(samples->own, control)) {
	case -EBUSY:
		report_other(samples, port);
		return false;
	case -ERANGE:
		report(samples, port, mem_format("the interval of port %u is 0 ticks", port->port),
		       "give an interval: --ticks N");
		return false;
	case -EOPNOTSUPP:
		report(samples, port,
		       mem_format("port %u did not accept all of these quantities", port->port),
		       "request fewer quantities, or different ones");
		return true;
	default:
		return true;
	}
}

/* Whether a signal has asked for the end, which prevents what would follow. */
static bool is_stopped(struct samples *samples)
{
	samples->interrupted |= mad_session_stopped(&samples->run->mad.session);
	return samples->interrupted;
}

static bool start(struct samples *samples, const struct perf_port *port, unsigned char *control)
{
	unsigned char data[PERF_SAMPLE_CONTROL_BYTES];
	bool good;

	if (perf_sampling_runs(control)) {
		report(samples, port,
		       mem_format("port %u reports that it is already sampling", port->port),
		       "rdmactl perf --samples shows its result when it is done");
		return false;
	}
	perf_sampling_write(samples->own, port->port, control, data);
	/* Check the request, which may have no interval, then what the port made of it. */
	if (!is_good(samples, port, data) || is_stopped(samples))
		return false;
	good = call(samples, port, MAD_PM_SAMPLES_CONTROL, data, sizeof(data), control);
	samples->asked |= good || samples->interrupted;
	return good && is_good(samples, port, control);
}

/* Waits until the interval is over. The port's last answer is in `result`. */
static bool wait_for_end(struct samples *samples, const struct perf_port *port,
			 const unsigned char *control, unsigned char *result)
{
	struct mad_session *session = &samples->run->mad.session;
	const uint64_t end = clock_msec() + SAMPLE_MOST_MSEC;

	for (;;) {
		/* Before the request: this process may be suspended after the answer. */
		const bool late = clock_msec() >= end;

		if (!call(samples, port, MAD_PM_SAMPLES_RESULT, NULL, 0, result))
			return false;
		if (!perf_sampling_matches(control, result)) {
			report_other(samples, port);
			return true;
		}
		/* The status is the same two bits in both attributes, but in different bytes. */
		if (!samples->own || !(result[3] & 3))
			return true;
		if (late) {
			report(samples, port,
			       mem_format("port %u is still sampling after %u s", port->port,
					  SAMPLE_MOST_MSEC / 1000),
			       "rdmactl perf --samples shows the result later");
			return true;
		}
		if (!mad_session_wait(session, clock_msec() + SAMPLE_POLL_MSEC)) {
			samples->interrupted = true;
			return true;
		}
	}
}

static void take_port(struct samples *samples, const struct perf_port *port)
{
	const struct perf *perf = &samples->run->perf;
	const struct mad_destination *at = &perf->session->destinations[port->destination];
	unsigned char control[MAD_DATA_MOST], result[MAD_DATA_MOST];
	size_t first = samples->row_count;
	bool answered;

	if (!call(samples, port, MAD_PM_SAMPLES_CONTROL, NULL, 0, control) ||
	    (samples->own && !start(samples, port, control)))
		return;
	answered = wait_for_end(samples, port, control, result);
	perf_sampling_rows(control, answered ? result : NULL, samples->own, &samples->rows,
			   &samples->row_count);
	for (size_t i = first; i < samples->row_count; i++) {
		struct perf_sample *row = &samples->rows[i];

		row->object = mem_string(at->name);
		row->node = mem_string_or_null(perf->nodes[port->destination].description);
		row->lid = mad_place_lid(&at->place);
		row->port = number_of(port->port);
	}
}

static void take_ports(struct samples *samples)
{
	const struct perf *perf = &samples->run->perf;

	for (size_t i = 0; i < perf->port_count && !is_stopped(samples); i++)
		take_port(samples, &perf->ports[i]);
}

static void tell_interrupted(struct samples *samples)
{
	const bool none = samples->own && !samples->asked;

	problem_add_text(&samples->run->mad.listing.problems, NULL, NULL, NULL,
			 none ? "interrupted: no port was asked to sample"
			      : "interrupted: not all results were read",
			 samples->asked ? "rdmactl perf --samples shows them later" : NULL);
}

static bool parse(struct perf_run *run, struct perf_sampling *sampling)
{
	static const char hint[] =
		"xmit-data, rcv-data, xmit-packets, rcv-packets, xmit-wait, or a number";
	const struct perf_args *args = run->args;
	_cleanup_(freep) char *wrong = NULL;
	int rc = perf_sampling_parse(args->sample, sampling, &wrong);

	if (!rc)
		return true;
	if (rc == -E2BIG)
		return listing_fail_format(&run->mad.listing, STATUS_USAGE, hint,
					   "--sample: a port counts at most %d quantities",
					   PERF_SAMPLE_COUNTERS);
	return listing_fail_format(&run->mad.listing, STATUS_USAGE, hint,
				   "--sample: '%s' is not a quantity", wrong);
}

/* Process IDs would be worse: in containers they are small, and often the same. */
static uint16_t make_tag(void)
{
	uint16_t tag;

	if (getrandom(&tag, sizeof(tag), GRND_NONBLOCK) != (ssize_t)sizeof(tag))
		tag = (uint16_t)clock_nsec();
	return tag;
}

int perf_sample(struct perf_run *run, bool found)
{
	const struct perf_args *args = run->args;
	struct listing *listing = &run->mad.listing;
	struct samples samples = {.run = run};
	struct perf_sampling sampling = {
		.tag = make_tag(),
		.op_code = (uint8_t)args->op_code.value,
		.start_ticks = (uint32_t)args->start.value,
		.interval_ticks = (uint32_t)args->ticks.value,
	};
	const struct perf_options wanted = {
		.all_ports = args->all_ports,
		.names = columns_needs(&listing->columns) & MAD_NEED_NODE,
	};
	int status;

	samples.own = args->sample ? &sampling : NULL;
	if (found && (!args->sample || parse(run, &sampling))) {
		if (mad_listing_take(&run->mad, perf_plan(&run->perf, &run->mad.session, &wanted)))
			take_ports(&samples);
		else
			is_stopped(&samples);
		if (samples.interrupted)
			tell_interrupted(&samples);
		for (size_t i = 0; i < samples.row_count; i++)
			listing_add(listing, &samples.rows[i]);
		if (!samples.row_count && listing->problems.count && listing->status == STATUS_DONE)
			listing->status = STATUS_FAILED;
	}
	status = mad_listing_end(&run->mad);
	records_clear(&perf_samples_schema, &(struct records){samples.rows, samples.row_count});
	return status;
}
