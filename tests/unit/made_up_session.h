/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * For the tests of interop's runs: a session on a made-up device. Each test says what completions,
 * events and librdmacm events it gets.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/device.h"
#include "host/port.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/interop.h"

#define MOST_COMPLETIONS 64

/* ibv_cq and the others come first, so that the functions find the rest. */
struct made_up_device {
	struct ibv_cq cq;
	struct ibv_context context;
	struct ibv_qp qp;
	struct ibv_srq srq;
	struct ibv_mr mr;
	struct ibv_wc completions[MOST_COMPLETIONS];
	size_t completion_count, taken;
	uint32_t srq_depth, imm_data;
	struct rdma_event_channel channel;
	struct rdma_cm_event cm_event;
	struct rdma_cm_id id;
	bool cm_event_comes;
};

/* The device of the running test, for calls without an argument that leads to it. */
static struct made_up_device *current;

/* Each reading is at least a nanosecond after the previous one. */
static int poll_cq(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	struct made_up_device *device = (struct made_up_device *)cq;

	(void)count;
	if (device->taken == device->completion_count)
		return 0;
	usleep(1);
	*wc = device->completions[device->taken++];
	return 1;
}

static int take_send(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	(void)qp;
	(void)bad;
	current->imm_data = work->imm_data;
	return 0;
}

static int take_receive(struct ibv_qp *qp, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	(void)qp, (void)work, (void)bad;
	return 0;
}

static int take_srq_receive(struct ibv_srq *srq, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	(void)srq, (void)work, (void)bad;
	return 0;
}

static struct ibv_cq *make_cq(struct ibv_context *context, int entries, void *of,
			      struct ibv_comp_channel *channel, int vector)
{
	(void)context, (void)entries, (void)of, (void)channel, (void)vector;
	return &current->cq;
}

static int destroy_cq(struct ibv_cq *cq)
{
	(void)cq;
	return 0;
}

static void take_cq_events(struct ibv_cq *cq, unsigned int count)
{
	(void)cq, (void)count;
}

static struct ibv_srq *make_srq(struct ibv_pd *domain, struct ibv_srq_init_attr *attr)
{
	(void)domain;
	current->srq_depth = attr->attr.max_wr;
	return &current->srq;
}

static int destroy_srq(struct ibv_srq *srq)
{
	(void)srq;
	return 0;
}

static struct ibv_qp *make_qp(struct ibv_pd *domain, struct ibv_qp_init_attr *attr)
{
	(void)domain, (void)attr;
	return &current->qp;
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp, (void)attr, (void)mask;
	return 0;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	(void)qp, (void)mask, (void)init;
	attr->qp_state = IBV_QPS_RTR;
	return 0;
}

static int destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	return 0;
}

static struct ibv_mr *register_memory(struct ibv_pd *domain, void *bytes, size_t length, int access)
{
	(void)domain, (void)bytes, (void)length, (void)access;
	return &current->mr;
}

static int deregister_memory(struct ibv_mr *mr)
{
	(void)mr;
	return 0;
}

/* One event for each byte written to the descriptor: a GID of the port has changed. */
static int get_async_event(struct ibv_context *context, struct ibv_async_event *event)
{
	eventfd_t count;

	if (eventfd_read(context->async_fd, &count))
		return -1;
	*event = (struct ibv_async_event){
		.event_type = count > 1 ? IBV_EVENT_PORT_ERR : IBV_EVENT_GID_CHANGE,
		.element.port_num = 1,
	};
	return 0;
}

static void acknowledge(struct ibv_async_event *event)
{
	(void)event;
}

static int get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
	(void)channel;
	if (!current->cm_event_comes) {
		errno = EAGAIN;
		return -1;
	}
	current->cm_event_comes = false;
	*event = &current->cm_event;
	return 0;
}

static int acknowledge_cm(struct rdma_cm_event *event)
{
	(void)event;
	return 0;
}

static inline void add(struct made_up_device *device, unsigned int what, uint32_t bytes)
{
	assert_true(device->completion_count < MOST_COMPLETIONS);
	device->completions[device->completion_count++] = (struct ibv_wc){
		.wr_id = what,
		.byte_len = bytes,
		.status = IBV_WC_SUCCESS,
		.qp_num = device->qp.qp_num,
	};
}

static struct agent *make_device(struct made_up_device *device)
{
	struct agent *agent = agent_new(-1, -1);

	*device = (struct made_up_device){
		.context = {.async_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .cmd_fd = -1},
		.channel.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.qp.qp_num = 0x11,
	};
	device->context.ops.poll_cq = poll_cq;
	device->context.ops.post_send = take_send;
	device->context.ops.post_recv = take_receive;
	device->context.ops.post_srq_recv = take_srq_receive;
	device->cq.context = device->qp.context = device->srq.context = &device->context;
	agent->api.ibv_create_cq = make_cq;
	agent->api.ibv_destroy_cq = destroy_cq;
	agent->api.ibv_ack_cq_events = take_cq_events;
	agent->api.ibv_create_srq = make_srq;
	agent->api.ibv_destroy_srq = destroy_srq;
	agent->api.ibv_create_qp = make_qp;
	agent->api.ibv_modify_qp = modify_qp;
	agent->api.ibv_query_qp = query_qp;
	agent->api.ibv_destroy_qp = destroy_qp;
	(agent->api.ibv_reg_mr) = register_memory;
	agent->api.ibv_dereg_mr = deregister_memory;
	agent->api.ibv_get_async_event = get_async_event;
	agent->api.ibv_ack_async_event = acknowledge;
	agent->api.rdma_get_cm_event = get_cm_event;
	agent->api.rdma_ack_cm_event = acknowledge_cm;
	agent->limits.max_cqe = INT32_MAX;
	agent->cm = &device->channel;
	watch_device(&agent->watch, &device->context, 1);
	current = device;
	return agent;
}

/* A session of that role, ready for a run. */
struct bed {
	struct made_up_device device;
	struct interop_role role;
	struct selftest_request request;
	struct endpoint local;
	struct selftest_results results;
	struct interop session;
};

static inline void make_bed(struct bed *bed, bool server, const struct interop_role *role)
{
	struct ip_address ip;

	memset(bed, 0, sizeof(*bed));
	bed->role = *role;
	bed->request = (struct selftest_request){.signals = -1, .peer = "hostb"};
	bed->local = (struct endpoint){
		.device = "none0",
		.port = 1,
		.transport = TRANSPORT_ROCE,
		.link_layer = LINK_LAYER_ETHERNET,
		.gid_type = GID_TYPE_ROCE_V2,
	};
	assert_int_equal(ip_parse("10.9.0.2", &ip), 0);
	bed->local.gid = ip_to_gid(&ip);
	bed->session = (struct interop){
		.request = &bed->request,
		.local = &bed->local,
		.results = &bed->results,
		.role = &bed->role,
		.server = server,
		.agent = make_device(&bed->device),
		.peer = mem_string("hostb"),
		.command = mem_string("ib_send_bw -d DEV"),
		.bytes = 64,
		.iterations = 5,
		.qps = 1,
		.depth = 4,
		.mtu_bytes = 1024,
		.timeout_msec = 20000,
	};
}

static inline void free_bed(struct bed *bed)
{
	struct interop *session = &bed->session;
	struct agent *agent = session->agent;

	agent->cm = NULL;
	interop_release(session);
	agent->watch.context = NULL;
	agent_free(agent);
	close(bed->device.context.async_fd);
	close(bed->device.channel.fd);
	counter_list_clear(&session->before);
	free(session->sampler.nsec);
	free(session->peer);
	free(session->command);
	selftest_results_free(&bed->results);
}

static inline const struct selftest_result *row_of(const struct bed *bed)
{
	assert_int_equal(bed->results.count, 1);
	return bed->results.items[0];
}

static inline void assert_reason(const struct bed *bed, const char *part)
{
	const struct selftest_result *row = row_of(bed);

	assert_int_equal(row->verdict.value, SELFTEST_FAIL);
	if (!strstr(row->reason, part))
		fail_msg("'%s' does not say '%s'", row->reason, part);
}
