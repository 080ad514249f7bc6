/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The orders of version 4 that say how runs are done, and what the last one took. */
#include <errno.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "selftest/agent/agent.h"

int agent_way(struct agent *agent, const struct message_way *order)
{
	agent->way = *order;
	return 0;
}

int agent_target(struct agent *agent, const struct message_target *order)
{
	struct agent_qp *qp = &agent->qps[order->slot];

	if (!qp->qp || qp->kind != QP_UD || !qp->ah)
		return agent_refuse(agent, REFUSAL_ORDER,
				    "no datagram queue pair %u with an address", order->slot);
	if (guard_target(agent, order->qpn, order->qkey))
		return -EINVAL;
	qp->target_qpn = order->qpn;
	qp->target_qkey = order->qkey;
	return 0;
}

/* What the thread took of a processor, in user and kernel mode. */
static uint64_t cpu_nsec(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void agent_begin_report(struct agent *agent)
{
	agent->report.cpu_nsec = cpu_nsec();
	agent->report.wall_nsec = clock_nsec();
}

void agent_end_report(struct agent *agent)
{
	agent->report.cpu_nsec = cpu_nsec() - agent->report.cpu_nsec;
	agent->report.wall_nsec = clock_nsec() - agent->report.wall_nsec;
}

int agent_report(struct agent *agent, const struct message_none *order,
		 struct message_reported *reply)
{
	struct rusage usage = {0};

	(void)order;
	*reply = agent->report;
	getrusage(RUSAGE_SELF, &usage);
	reply->peak_bytes = (uint64_t)usage.ru_maxrss * 1024; /* kibibytes: getrusage(2) */
	return 0;
}
