/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "selftest/agent/serve_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

void serve_report_check(struct serve_report *report)
{
	report->text[sizeof(report->text) - 1] = '\0';
	report->local.device[sizeof(report->local.device) - 1] = '\0';
}

void serve_report_set_crash(struct serve_report *report, int status, bool stopping)
{
	/* Whether it was welcomed nobody knows: a row is better than none. */
	*report = (struct serve_report){.welcomed = true};
	if (stopping && WIFSIGNALED(status))
		snprintf(report->text, sizeof(report->text), "the server was ended");
	else if (WIFSIGNALED(status))
		snprintf(report->text, sizeof(report->text),
			 "the process that served it was killed by signal %d", WTERMSIG(status));
	else
		snprintf(report->text, sizeof(report->text),
			 "the process that served it failed with status %d", WEXITSTATUS(status));
}

char *serve_report_line(const struct serve_report *report, uint64_t msec)
{
	const struct endpoint *local = &report->local;
	_cleanup_(freep) char *port = local->device[0]
					      ? mem_format(" by %s/%u", local->device, local->port)
					      : mem_string("");

	if (!report->welcomed)
		return mem_string(report->text);
	return mem_format("served%s, %" PRIu64 " %s in %.1f s%s%s", port, report->orders,
			  report->orders == 1 ? "order" : "orders", (double)msec / 1000,
			  report->well ? "" : "; ", report->text);
}

static void fill_ends(struct selftest_result *row, const struct serve_report *report)
{
	const struct endpoint *local = &report->local, *remote = &report->remote;

	if (local->device[0]) {
		row->device = text_clean(local->device, sizeof(local->device));
		row->port = number_of(local->port);
		row->gid_index = number_of(local->gid_index);
		row->gid = (struct known_gid){.gid = local->gid, .known = true};
		row->gid_type = number_of(local->gid_type);
	}
	if (local->netdev[0])
		row->netdev = text_clean(local->netdev, sizeof(local->netdev));
	if (remote->device[0]) {
		row->peer_device = text_clean(remote->device, sizeof(remote->device));
		row->peer_port = number_of(remote->port);
		row->peer_gid = (struct known_gid){.gid = remote->gid, .known = true};
	}
}

void serve_report_fill_row(const struct serve_report *report, const struct ip_address *address,
			   uint64_t msec, struct selftest_result *row)
{
	char name[IP_TEXT_SIZE];

	ip_format(address, name);
	row->peer = mem_string(name);
	row->group = number_of(SELFTEST_SERVE);
	row->test = mem_string("serve");
	row->summary = mem_string("carries out the orders of a client");
	row->verdict = number_of(report->well ? SELFTEST_PASS : SELFTEST_FAIL);
	if (!report->well)
		row->reason = text_clean(report->text, sizeof(report->text));
	row->iterations = number_of(report->orders);
	row->duration_msec = (struct real){.value = (double)msec, .known = true};
	fill_ends(row, report);
}
