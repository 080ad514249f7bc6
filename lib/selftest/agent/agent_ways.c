/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The orders that set what packets carry and how runs are done, and report what the last run cost.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "kernel/procfs.h"
#include "mad/format/codes.h"
#include "mad/format/mad.h"
#include "selftest/agent/agent.h"

/*
 * Finds the index of a P_Key of the port: the same value, or else one of the same partition,
 * because full and limited members (the highest bit) of a partition may communicate (IBTA 1,
 * 10.9.1.1). Returns -ENOENT if there is none.
 */
static int find_pkey(struct agent *agent, uint32_t pkey, int length, uint32_t *ret_index)
{
	int rc = -ENOENT;

	for (int i = 0; i < length; i++) {
		uint16_t raw, entry;

		if (agent->api.ibv_query_pkey(agent->context, (uint8_t)agent->endpoint.port, i,
					      &raw))
			continue;
		entry = ntohs(raw);
		if (entry != pkey && (!rc || (entry ^ pkey) & ~PKEY_FULL_MEMBER))
			continue;
		*ret_index = (uint32_t)i;
		rc = 0;
		if (entry == pkey)
			break;
	}
	return rc;
}

int agent_path(struct agent *agent, const struct message_path *order)
{
	struct ibv_port_attr port = {.pkey_tbl_len = 0};
	uint32_t index = order->pkey_index;
	int rc = (agent->api.ibv_query_port)(agent->context, (uint8_t)agent->endpoint.port,
					     (struct _compat_ibv_port_attr *)&port);

	if (rc)
		return agent_fail(agent, STAGE_OPEN, rc, "ibv_query_port");
	if (order->with_pkey && find_pkey(agent, order->pkey, port.pkey_tbl_len, &index))
		return agent_refuse(agent, REFUSAL_NO_PORT, "%s/%u has no P_Key 0x%04x",
				    agent->endpoint.device, agent->endpoint.port, order->pkey);
	/* rxe would accept any index. An iWARP port has no P_Keys: 0 asks for none there. */
	if (index && index >= port.pkey_tbl_len)
		return agent_refuse(agent, REFUSAL_NO_PORT, "%s/%u has %u P_Keys, and no index %u",
				    agent->endpoint.device, agent->endpoint.port, port.pkey_tbl_len,
				    index);
	agent->path = *order;
	agent->pkey_index = index;
	return 0;
}

static void note_address(struct agent_told *told, const struct ibv_ah_attr *attr)
{
	number_set(&told->sl, attr->sl);
	if (attr->is_global)
		number_set(&told->traffic_class, attr->grh.traffic_class);
}

void agent_note_told(struct agent *agent, const struct agent_qp *qp, const struct ibv_qp_attr *attr,
		     int mask)
{
	struct agent_told *told = &agent->told;

	if (qp != &agent->qps[0])
		return;
	if (mask & IBV_QP_PKEY_INDEX)
		number_set(&told->pkey_index, attr->pkey_index);
	if (mask & IBV_QP_AV)
		note_address(told, &attr->ah_attr);
	if (mask & IBV_QP_PATH_MTU)
		number_set(&told->path_mtu_bytes, mtu_bytes(attr->path_mtu));
	if (mask & IBV_QP_RQ_PSN)
		number_set(&told->peer_psn, attr->rq_psn);
	if (mask & IBV_QP_SQ_PSN)
		number_set(&told->psn, attr->sq_psn);
	if (mask & IBV_QP_TIMEOUT)
		number_set(&told->ack_timeout, attr->timeout);
	if (mask & IBV_QP_RETRY_CNT)
		number_set(&told->retries, attr->retry_cnt);
	if (mask & IBV_QP_RNR_RETRY)
		number_set(&told->rnr_retries, attr->rnr_retry);
}

struct number agent_told_pkey(struct agent *agent)
{
	const struct number *index = &agent->told.pkey_index;
	uint16_t raw;

	if (!index->known ||
	    agent->api.ibv_query_pkey(agent->context, (uint8_t)agent->endpoint.port,
				      (int)index->value, &raw))
		return (struct number){.known = false};
	return number_of(ntohs(raw));
}

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

static char *read_own(const char *path)
{
	char *text = NULL;
	size_t length;

	return file_read(path, PROCFS_STATUS_MOST, &text, &length) ? mem_string("") : text;
}

/*
 * Returns the peak resident memory of this process; 0: unknown. Not from getrusage(2), which starts
 * with the peak of the program that called exec (Linux, fs/exec.c, exec_mmap()). VmHWM may lack
 * pages that a driver has just mapped while the kernel counts them for the task alone
 * (SPLIT_RSS_COUNTING, before 6.2), so the pages mapped now are read, too.
 */
static uint64_t peak_bytes(void)
{
	_cleanup_(freep) char *status = read_own("/proc/self/status");
	_cleanup_(freep) char *now = read_own("/proc/self/smaps_rollup");
	const struct number peak = procfs_kilobytes(status, "VmHWM:");
	const struct number resident = procfs_kilobytes(now, "Rss:");

	return peak.value > resident.value ? peak.value : resident.value;
}

int agent_report(struct agent *agent, const struct message_none *order,
		 struct message_reported *reply)
{
	(void)order;
	*reply = agent->report;
	reply->peak_bytes = peak_bytes();
	return 0;
}
