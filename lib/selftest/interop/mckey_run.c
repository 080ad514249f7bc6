/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The datagrams of mckey. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "host/device.h"
#include "selftest/agent/agent_cm.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/mckey.h"

/* How often a receiver looks for the first datagram. */
#define FIRST_LOOK_MSEC 20

/* Over IPv4, RoCE v2 has its IPv4 header in the last 20 bytes: IBTA annex A17, A17.4.5.2. */
#define GRH_IPV4_SOURCE 32
#define GRH_SOURCE	8

/* An event that does not concern the port does not end the pause. */
int mckey_pause(struct mckey *run, unsigned int msec)
{
	struct watch *watch = &run->session->agent->watch;
	const uint64_t end = clock_msec() + msec;
	enum stop stop = STOP_NONE;

	while (!stop && !watch->port_down)
		stop = watch_wait(watch, -1, clock_msec_until(end));
	return stop == STOP_TIMED_OUT ? 0 : interop_fail_stop(run->session, stop);
}

static int send_all(struct mckey *run)
{
	struct interop *session = run->session;
	struct ibv_wc wc;

	session->send.imm_data = htonl(session->agent->qps[INTEROP_QP].qp->qp_num);
	for (uint64_t i = 0; i < session->iterations; i++)
		if (interop_post_send(session, &session->send))
			return -EIO;
	while (session->done < session->iterations) {
		if (interop_next_completion(session, &wc))
			return -ECANCELED;
		if (wc.status != IBV_WC_SUCCESS)
			return interop_fail_status(session, &wc);
		session->done++;
	}
	return 0;
}

int mckey_send(struct mckey *run)
{
	int rc = interop_run_begin(run->session, -1);

	return rc ? rc : interop_run_end(run->session, send_all(run));
}

/* Finds out where a datagram came from. */
static void sender_of(const struct interop *session, const uint8_t *grh,
		      struct sockaddr_storage *ret)
{
	const struct endpoint *local = session->local;
	struct ip_address ip = {.family = AF_INET};
	struct gid gid;

	memcpy(gid.raw, grh + GRH_SOURCE, sizeof(gid.raw));
	if (local->gid_type == GID_TYPE_ROCE_V2 && gid_is_ipv4_mapped(&local->gid))
		memcpy(ip.raw, grh + GRH_IPV4_SOURCE, sizeof(struct in_addr));
	else
		ip = gid_to_ip(&gid);
	socket_address(&ip, 0, 0, ret);
}

static int take(struct mckey *run, const struct ibv_wc *wc)
{
	struct interop *session = run->session;
	struct sockaddr_storage sender;

	if (!session->row) {
		sender_of(session, session->received - DATAGRAM_HEADER_BYTES, &sender);
		interop_client_came(session, &sender);
	}
	if (wc->status != IBV_WC_SUCCESS)
		return interop_fail_status(session, wc);
	if (wc->byte_len != DATAGRAM_HEADER_BYTES + session->bytes)
		return interop_fail(session, LIST_INTEROP_LENGTH, 0,
				    mem_format("%" PRIu32, wc->byte_len - DATAGRAM_HEADER_BYTES));
	session->done++;
	return 0;
}

/*
 * After RDMA_CM_EVENT_MULTICAST_ERROR the kernel has ended the membership (process_group_error() in
 * drivers/infiniband/core/multicast.c), and no more datagrams come: rdma_get_cm_event(3).
 */
static int look_at_group(struct mckey *run)
{
	struct interop *session = run->session;
	struct agent *agent = session->agent;
	struct cm_news news;
	int rc = agent_cm_next(agent, clock_nsec() + FIRST_LOOK_MSEC * 1000000ull, &news);

	if (!rc && news.type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		agent->watch.device_gone = true;
	if (interop_is_over(session))
		return -ECANCELED;
	if (rc)
		return rc == -ETIMEDOUT ? 0 : interop_fail_agent(session);
	return news.type == RDMA_CM_EVENT_MULTICAST_ERROR
		       ? interop_fail(session, LIST_INTEROP_MEMBERSHIP, 0, NULL)
		       : 0;
}

static int await_first(struct mckey *run)
{
	struct ibv_wc wc;
	int got, rc;

	while (!(got = ibv_poll_cq(run->session->agent->cqs[INTEROP_CQ].cq, 1, &wc))) {
		rc = look_at_group(run);
		if (rc)
			return rc;
	}
	if (got < 0)
		wc = (struct ibv_wc){.status = IBV_WC_FATAL_ERR};
	return take(run, &wc);
}

static int receive_rest(struct mckey *run)
{
	struct interop *session = run->session;
	struct ibv_wc wc;
	int rc = 0;

	if (interop_run_begin(session, -1))
		return -EIO;
	while (!rc && session->done < session->iterations)
		rc = interop_next_completion(session, &wc) ? -ECANCELED : take(run, &wc);
	if (rc == -ECANCELED && atomic_load(&session->agent->watch.stop) == STOP_TIMED_OUT)
		rc = interop_fail(session, LIST_INTEROP_UNSENT, 0, NULL);
	return interop_run_end(session, rc);
}

int mckey_receive(struct mckey *run)
{
	struct interop *session = run->session;
	int rc = await_first(run);

	if (!rc)
		return receive_rest(run);
	if (rc == -ECANCELED && session->agent->watch.device_gone)
		return interop_fail_stop(session, STOP_NONE);
	return rc;
}
