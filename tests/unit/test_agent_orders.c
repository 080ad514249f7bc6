/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An agent's answers to orders on a device in memory: what it refuses and why, at which stage a
 * call failed, and what it passes to the device.
 */
#include "perfect_trial.h"

#include <limits.h>
#include <sys/resource.h>
#include <time.h>

#include "kernel/privilege.h"
#include "selftest/measure/measure.h"

static struct agent *make_agent(void)
{
	struct agent *agent = agent_new(-1, -1);

	soft.next_qpn = 0;
	soft_attach(agent, 0);
	return agent;
}

static const struct message_qp usual = {.send_depth = 16, .receive_depth = 16, .sges = 1};

/* A completion queue of 64 entries, a queue pair in slot 0, and 4096 bytes. */
static void equip(struct agent *agent, uint32_t kind)
{
	struct message_qp qp = usual;
	struct message_qp_created created;
	struct message_buffered buffered;

	qp.kind = kind;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 64}), 0);
	assert_int_equal(agent_qp(agent, &qp, &created), 0);
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.access = 15, .bytes = 4096},
				      &buffered),
			 0);
}

static void expect_refusal(struct agent *agent, int rc, enum refusal refusal, const char *text)
{
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(agent->refused.refusal, refusal);
	assert_string_equal(agent->refused.text, text);
	assert_int_equal(agent->refused.stage, STAGE_HANDSHAKE);
	assert_int_equal(agent->refused.error, 0);
}

static void limits(void **state)
{
	struct message_qp qp = usual;
	struct message_qp_created created;
	struct message_buffered buffered;
	struct agent *agent = make_agent();

	(void)state;
	agent->limits.max_cqe = 100;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 100}), 0);
	expect_refusal(agent, agent_cq(agent, &(struct message_cq){.entries = 101}), REFUSAL_LIMIT,
		       "a completion queue of 101 entries, the device's limit is 100");
	expect_refusal(agent, agent_qp(agent, &qp, &created), REFUSAL_ORDER,
		       "no completion queue 0");
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 100}), 0);
	agent->most_qps = 2;
	qp.slot = 1;
	assert_int_equal(agent_qp(agent, &qp, &created), 0);
	assert_int_equal(created.qpn, 0x101);
	expect_refusal(agent, agent_cq(agent, &(struct message_cq){.entries = 0}), REFUSAL_ORDER,
		       "completion queue 0 is in use");
	qp.slot = 2;
	expect_refusal(agent, agent_qp(agent, &qp, &created), REFUSAL_LIMIT,
		       "more than 2 queue pairs");
	/* 65536 work requests in all, of which the first has 32. */
	qp.slot = 0;
	qp.send_depth = 65536 - 32 - 16 + 1;
	expect_refusal(agent, agent_qp(agent, &qp, &created), REFUSAL_LIMIT,
		       "queues of more than 65536 work requests");
	qp.send_depth--;
	assert_int_equal(agent_qp(agent, &qp, &created), 0);
	assert_int_equal(agent->work, 65536);
	qp.destroy = 1;
	assert_int_equal(agent_qp(agent, &qp, &created), 0);
	assert_int_equal(agent->work, 32);
	/* The memory limit applies to all buffers together. */
	agent->most_bytes = 8192;
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 8192}, &buffered),
			 0);
	expect_refusal(agent,
		       agent_buffer(agent, &(struct message_buffer){.slot = 1, .bytes = 1},
				    &buffered),
		       REFUSAL_LIMIT, "buffers of more than 8192 bytes");
	/* The slot is free again. */
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 8191}, &buffered),
			 0);
	assert_int_equal(
		agent_buffer(agent, &(struct message_buffer){.slot = 1, .bytes = 1}, &buffered), 0);
	expect_refusal(agent,
		       agent_buffer(agent, &(struct message_buffer){.bytes = 8193}, &buffered),
		       REFUSAL_LIMIT, "buffers of more than 8192 bytes");
	agent_free(agent);
	assert_int_equal(soft.objects, 0);
}

/* Spans of a buffer of 4096 bytes. */
static void spans(void **state)
{
	static const struct {
		struct span span;
		bool fits;
	} rows[] = {
		{{.blocks = 1, .offset = 0, .block_bytes = 4096}, true},
		{{.blocks = 1, .offset = 0, .block_bytes = 4097}, false},
		{{.blocks = 1, .offset = 1, .block_bytes = 4096}, false},
		{{.blocks = 1, .offset = 4095, .block_bytes = 1}, true},
		{{.blocks = 1, .offset = 4096, .block_bytes = 1}, false},
		{{.blocks = 2, .offset = 0, .block_bytes = 96, .stride = 4000}, true},
		{{.blocks = 2, .offset = 0, .block_bytes = 97, .stride = 4000}, false},
		{{.blocks = 2, .offset = 1, .block_bytes = 96, .stride = 4000}, false},
		/*
		 * A count of zero blocks does not fit anywhere; a block in a missing buffer does
		 * not fit.
		 */
		{{.blocks = 0, .offset = 9999, .block_bytes = 9999}, true},
		{{.buffer = 1, .blocks = 1, .block_bytes = 1}, false},
		/* Blocks may overlap, but their number is limited. */
		{{.blocks = 65536, .offset = 0, .block_bytes = 4096, .stride = 0}, true},
		{{.blocks = 65537, .offset = 0, .block_bytes = 4096, .stride = 0}, false},
	};
	struct agent *agent = make_agent();

	(void)state;
	equip(agent, QP_RC);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const int rc = agent_check_span(agent, &rows[i].span);

		assert_int_equal(agent_span_fits(agent, &rows[i].span), rows[i].fits);
		assert_int_equal(rc, rows[i].fits ? 0 : -EINVAL);
	}
	assert_string_equal(agent->refused.text, "bytes outside of buffer 0");
	agent_free(agent);
}

static void posts(void **state)
{
	struct message_post post = {.operation = POST_SEND,
				    .count = 1,
				    .span = {.blocks = 32, .block_bytes = 1, .stride = 1}};
	struct message_receive receive = {
		.count = 2, .span = {.blocks = 1, .block_bytes = 2048}, .step = 2048};
	struct message_wait wait = {.count = 1, .timeout_msec = 1};
	struct message_waited waited;
	struct agent *agent = make_agent();

	(void)state;
	expect_refusal(agent, agent_post(agent, &post), REFUSAL_ORDER, "queue pair 0 cannot send");
	expect_refusal(agent, agent_receive(agent, &receive), REFUSAL_ORDER,
		       "no queue to post receives to");
	receive.srq = 1;
	expect_refusal(agent, agent_receive(agent, &receive), REFUSAL_ORDER,
		       "no queue to post receives to");
	receive.srq = 0;
	expect_refusal(agent, agent_wait(agent, &wait, &waited), REFUSAL_ORDER,
		       "no completion queue 0 to wait for");
	equip(agent, QP_UD);
	/* A datagram needs an address. */
	expect_refusal(agent, agent_post(agent, &post), REFUSAL_ORDER, "queue pair 0 cannot send");
	wait.by_event = 1;
	expect_refusal(agent, agent_wait(agent, &wait, &waited), REFUSAL_ORDER,
		       "no completion queue 0 to wait for");
	wait.by_event = 0;
	assert_int_equal(agent_wait(agent, &wait, &waited), 0);
	assert_int_equal(waited.stop, STOP_TIMED_OUT);
	agent_reset(agent);
	equip(agent, QP_RC);
	/* The last of them must also fit; a device has refused before it looked. */
	assert_int_equal(agent_receive(agent, &receive), -EINVAL);
	assert_int_equal(agent->refused.refusal, REFUSAL_FAILED);
	assert_int_equal(agent->refused.stage, STAGE_TRANSFER);
	assert_string_equal(agent->refused.text, "ibv_post_recv");
	receive.step = 2049;
	agent_modify(agent, &(struct message_modify){.state = IBV_QPS_INIT});
	expect_refusal(agent, agent_receive(agent, &receive), REFUSAL_ORDER,
		       "bytes outside of buffer 0");
	receive.step = 2048;
	assert_int_equal(agent_receive(agent, &receive), 0);
	assert_int_equal(agent_post(agent, &post), -EINVAL);
	assert_string_equal(agent->refused.text, "ibv_post_send");
	post.span.blocks = 33;
	expect_refusal(agent, agent_post(agent, &post), REFUSAL_ORDER, "bytes outside of buffer 0");
	agent_free(agent);
}

/* ---- Calls that fail ---- */

static struct ibv_cq *no_cq(struct ibv_context *context, int entries, void *of,
			    struct ibv_comp_channel *channel, int vector)
{
	(void)context, (void)entries, (void)of, (void)channel, (void)vector;
	errno = EPERM;
	return NULL;
}

static struct ibv_comp_channel *no_channel(struct ibv_context *context)
{
	(void)context;
	errno = EMFILE;
	return NULL;
}

static struct ibv_qp *no_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	(void)pd, (void)attr;
	errno = ENOMEM;
	return NULL;
}

static struct ibv_srq *no_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	(void)pd, (void)attr;
	errno = ENOSPC;
	return NULL;
}

static struct ibv_ah *no_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	(void)pd, (void)attr;
	errno = EHOSTUNREACH;
	return NULL;
}

static struct ibv_mr *no_mr(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	(void)pd, (void)bytes, (void)length, (void)access;
	errno = EAGAIN;
	return NULL;
}

static void set_memlock(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

static int no_change(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	(void)qp, (void)attr, (void)mask;
	return ENETUNREACH;
}

static int no_query(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	(void)qp, (void)attr, (void)mask, (void)init;
	return EBADF;
}

static int no_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context, (void)port, (void)index, (void)gid;
	errno = ENODATA;
	return -1;
}

static struct ibv_mw *no_window(struct ibv_pd *pd, enum ibv_mw_type type)
{
	(void)pd, (void)type;
	errno = EDQUOT;
	return NULL;
}

static int no_poll(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	(void)cq, (void)count, (void)wc;
	return -1;
}

static int no_arming(struct ibv_cq *cq, int solicited_only)
{
	(void)cq, (void)solicited_only;
	errno = ENXIO;
	return -1;
}

static void expect_failure(struct agent *agent, int rc, int error, enum stage stage,
			   const char *text)
{
	assert_int_equal(rc, -error);
	assert_int_equal(agent->refused.refusal, REFUSAL_FAILED);
	assert_int_equal(agent->refused.error, error);
	assert_int_equal(agent->refused.stage, stage);
	assert_string_equal(agent->refused.text, text);
}

static void failed_calls(void **state)
{
	const struct message_cq cq = {.slot = 1, .entries = 4, .channel = 1};
	struct message_qp qp = {
		.slot = 1, .send_depth = 1, .receive_depth = 1, .sges = 1, .srq = 1};
	struct message_qp_created created;
	struct message_buffered buffered;
	struct message_gid_seen seen;
	struct message_queried queried;
	struct message_windowed windowed;
	struct agent *agent = make_agent();

	(void)state;
	equip(agent, QP_RC);
	agent->api.ibv_create_comp_channel = no_channel;
	expect_failure(agent, agent_cq(agent, &cq), EMFILE, STAGE_CREATE_QP,
		       "ibv_create_comp_channel");
	assert_null(agent->cqs[1].cq);
	agent->api.ibv_create_comp_channel = soft_channel;
	agent->api.ibv_create_cq = no_cq;
	expect_failure(agent, agent_cq(agent, &cq), EPERM, STAGE_CREATE_QP, "ibv_create_cq");
	assert_null(agent->cqs[1].channel);
	agent->api.ibv_create_srq = no_srq;
	expect_failure(agent, agent_qp(agent, &qp, &created), ENOSPC, STAGE_CREATE_QP,
		       "ibv_create_srq");
	agent->api.ibv_create_srq = soft_srq;
	agent->api.ibv_create_qp = no_qp;
	expect_failure(agent, agent_qp(agent, &qp, &created), ENOMEM, STAGE_CREATE_QP,
		       "ibv_create_qp");
	assert_int_equal(agent->work, 32);
	agent->api.ibv_create_ah = no_ah;
	expect_failure(agent, agent_address(agent, &(struct message_address){0}), EHOSTUNREACH,
		       STAGE_CONNECT_QP, "ibv_create_ah");
	agent->api.ibv_modify_qp = no_change;
	expect_failure(agent, agent_modify(agent, &(struct message_modify){.state = IBV_QPS_RTR}),
		       ENETUNREACH, STAGE_CONNECT_QP, "ibv_modify_qp to RTR");
	agent->api.ibv_modify_qp = soft_modify;
	agent->api.ibv_query_qp = no_query;
	expect_failure(agent, agent_query(agent, &(struct message_query){0}, &queried), EBADF,
		       STAGE_CREATE_QP, "ibv_query_qp");
	(agent->api.ibv_reg_mr) = no_mr;
	set_memlock(4096);
	expect_failure(agent,
		       agent_buffer(agent, &(struct message_buffer){.slot = 1, .bytes = 100},
				    &buffered),
		       EAGAIN, STAGE_MEMORY, "ibv_reg_mr");
	assert_int_equal(agent->refused.wanted_bytes, 100);
	/* Root is not subject to this limit. */
	assert_true(agent->refused.limit_bytes ==
		    (privilege_held(PRIVILEGE_IPC_LOCK) && privilege_is_first_namespace()
			     ? UINT64_MAX
			     : 4096));
	assert_null(agent->buffers[1].bytes);
	agent->api.ibv_query_gid = no_gid;
	expect_failure(agent, agent_gid_look(agent, &(struct message_none){}, &seen), ENODATA,
		       STAGE_OPEN, "ibv_query_gid");
	soft.ports[0].context.ops.alloc_mw = no_window;
	expect_failure(agent,
		       agent_window(agent,
				    &(struct message_window){.action = WINDOW_MAKE, .type = 1},
				    &windowed),
		       EDQUOT, STAGE_MEMORY, "ibv_alloc_mw");
	agent_free(agent);
}

static void failed_queues(void **state)
{
	struct message_wait wait = {.cq = 1, .count = 1, .timeout_msec = 1};
	struct message_waited waited;
	struct agent *agent = make_agent();

	(void)state;
	equip(agent, QP_RC);
	assert_int_equal(
		agent_cq(agent, &(struct message_cq){.slot = 1, .entries = 4, .channel = 1}), 0);
	soft.ports[0].context.ops.poll_cq = no_poll;
	expect_failure(agent, agent_wait(agent, &wait, &waited), EIO, STAGE_TRANSFER,
		       "ibv_poll_cq");
	wait.by_event = 1;
	expect_failure(agent, agent_wait(agent, &wait, &waited), EIO, STAGE_TRANSFER,
		       "ibv_poll_cq");
	soft.ports[0].context.ops.req_notify_cq = no_arming;
	expect_failure(agent, agent_wait(agent, &wait, &waited), ENXIO, STAGE_TRANSFER,
		       "ibv_req_notify_cq");
	agent_free(agent);
}

/* Calls for a queue pair that does not exist, and words for its states. */
static void no_queue_pair(void **state)
{
	static const char *const states[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
	struct message_queried queried;
	struct agent *agent = make_agent();

	(void)state;
	expect_refusal(agent, agent_query(agent, &(struct message_query){.slot = 7}, &queried),
		       REFUSAL_ORDER, "no queue pair 7");
	expect_refusal(agent, agent_modify(agent, &(struct message_modify){.slot = 6}),
		       REFUSAL_ORDER, "no queue pair 6");
	expect_refusal(agent, agent_address(agent, &(struct message_address){.slot = 5}),
		       REFUSAL_ORDER, "no queue pair 5");
	for (uint32_t i = 0; i < ARRAY_SIZE(states); i++)
		assert_string_equal(agent_state_word(i), states[i]);
	assert_string_equal(agent_state_word(ARRAY_SIZE(states)), "unknown");
	agent_free(agent);
}

/* ---- The attributes that a queue pair gets ---- */

/* 0: it cannot be read. */
static const uint16_t pkeys[] = {0xffff, 0x8001, 0x0002, 0, 0x8002, 0x0003, 0x8001};

static int query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	(void)context;
	assert_int_equal(port, 1);
	if (!pkeys[index])
		return EIO;
	*pkey = htons(pkeys[index]);
	return 0;
}

static void expect_known(const struct number *number, uint64_t value)
{
	assert_true(number->known);
	assert_int_equal(number->value, value);
}

/* A row shows the properties of the queue pair that the device was given. */
static void expect_told(struct agent *agent, const struct ibv_qp_attr *attr)
{
	const struct agent_told *told = &agent->told;
	struct number pkey;

	expect_known(&told->sl, 6);
	expect_known(&told->traffic_class, 106);
	expect_known(&told->path_mtu_bytes, 2048);
	expect_known(&told->peer_psn, 0x5678);
	expect_known(&told->psn, attr->sq_psn);
	expect_known(&told->ack_timeout, 9);
	expect_known(&told->retries, 5);
	expect_known(&told->rnr_retries, 4);
	expect_known(&told->pkey_index, 0);
	agent->told.pkey_index = number_of(4);
	pkey = agent_told_pkey(agent);
	expect_known(&pkey, 0x8002);
	/* This entry cannot be read. */
	agent->told.pkey_index = number_of(3);
	assert_false(agent_told_pkey(agent).known);
}

/* Each value is in the member that the device reads: ibv_modify_qp(3). */
static void attributes(void **state)
{
	struct message_modify order = {
		.state = IBV_QPS_INIT,
		.access = ACCESS_LOCAL | ACCESS_READ,
		.qpn = 0x1234,
		.psn = 0x5678,
		.mtu_bytes = 2048,
		.max_rd_atomic = 3,
		.timeout = 9,
		.retries = 5,
		.rnr_retries = 4,
		.rnr_timer = 12,
		.sl = 6,
	};
	struct agent *agent = make_agent();
	const struct ibv_qp_attr *attr = &soft.qps[0].attr;
	struct message_queried queried;

	(void)state;
	equip(agent, QP_RC);
	order.to = soft.ports[0].endpoint;
	order.to.gid.raw[15] = 77;
	agent->endpoint.gid_index = 5;
	agent->api.ibv_query_pkey = query_pkey;
	agent->path = (struct message_path){.traffic_class = 106, .flow_label = 0xabcde, .sl = 2};
	assert_int_equal(agent_modify(agent, &order), 0);
	assert_int_equal(attr->qp_access_flags, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	order.state = IBV_QPS_RTR;
	assert_int_equal(agent_modify(agent, &order), 0);
	assert_int_equal(attr->path_mtu, IBV_MTU_2048);
	assert_int_equal(attr->dest_qp_num, 0x1234);
	assert_int_equal(attr->rq_psn, 0x5678);
	assert_int_equal(attr->max_dest_rd_atomic, 3);
	assert_int_equal(attr->min_rnr_timer, 12);
	assert_int_equal(attr->ah_attr.is_global, 1);
	assert_int_equal(attr->ah_attr.sl, 6);
	assert_int_equal(attr->ah_attr.port_num, 1);
	assert_int_equal(attr->ah_attr.grh.sgid_index, 5);
	assert_int_equal(attr->ah_attr.grh.traffic_class, 106);
	assert_int_equal(attr->ah_attr.grh.flow_label, 0xabcde);
	assert_int_equal(attr->ah_attr.grh.hop_limit, 64);
	assert_int_equal(attr->ah_attr.grh.dgid.raw[15], 77);
	order.state = IBV_QPS_RTS;
	assert_int_equal(agent_modify(agent, &order), 0);
	assert_int_equal(attr->timeout, 9);
	assert_int_equal(attr->retry_cnt, 5);
	assert_int_equal(attr->rnr_retry, 4);
	assert_int_equal(attr->max_rd_atomic, 3);
	assert_int_equal(attr->sq_psn, agent->qps[0].psn);
	expect_told(agent, attr);
	assert_int_equal(agent_query(agent, &(struct message_query){0}, &queried), 0);
	assert_int_equal(queried.state, IBV_QPS_RTS);
	assert_int_equal(queried.qpn, 0x101);
	assert_int_equal(queried.mtu_bytes, 2048);
	assert_int_equal(queried.access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	agent_reset(agent);
	assert_false(agent->told.sl.known || agent->told.psn.known || agent->told.retries.known);
	assert_false(agent_told_pkey(agent).known);
	agent_free(agent);
}

/* An address: on InfiniBand a global header is only used to reach another subnet, IBTA 1, 8.3. */
static void addresses(void **state)
{
	struct message_address order = {.to = {.lid = 7}};
	struct agent *agent = make_agent();
	const struct ibv_ah_attr *attr;

	(void)state;
	equip(agent, QP_UD);
	agent->path = (struct message_path){.hop_limit = 3, .sl = 2};
	agent->endpoint.link_layer = LINK_LAYER_INFINIBAND;
	order.to.gid = agent->endpoint.gid;
	order.to.gid.raw[15]++;
	assert_int_equal(agent_address(agent, &order), 0);
	attr = &((const struct soft_ah *)agent->qps[0].ah)->attr;
	assert_int_equal(attr->is_global, 0);
	assert_int_equal(attr->dlid, 7);
	assert_int_equal(attr->sl, 2);
	expect_known(&agent->told.sl, 2);
	assert_false(agent->told.traffic_class.known);
	/* If the port needs one, and the GID is known. */
	agent->needs_header = true;
	assert_int_equal(agent_address(agent, &order), 0);
	attr = &((const struct soft_ah *)agent->qps[0].ah)->attr;
	assert_int_equal(attr->is_global, 1);
	assert_memory_equal(attr->grh.dgid.raw, order.to.gid.raw, 16);
	order.to.gid = (struct gid){0};
	assert_int_equal(agent_address(agent, &order), 0);
	attr = &((const struct soft_ah *)agent->qps[0].ah)->attr;
	assert_int_equal(attr->is_global, 0);
	agent->needs_header = false;
	assert_int_equal(agent_address(agent, &order), 0);
	attr = &((const struct soft_ah *)agent->qps[0].ah)->attr;
	assert_int_equal(attr->is_global, 0);
	order.to.gid = agent->endpoint.gid;
	order.to.gid.raw[7]++;
	assert_int_equal(agent_address(agent, &order), 0);
	attr = &((const struct soft_ah *)agent->qps[0].ah)->attr;
	assert_int_equal(attr->is_global, 1);
	assert_int_equal(attr->grh.hop_limit, 3);
	expect_known(&agent->told.traffic_class, 0);
	agent_free(agent);
}

static int query_flags(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		       size_t size)
{
	(void)context;
	assert_int_equal(size, sizeof(*attr));
	attr->flags = port == 2 ? IBV_QPF_GRH_REQUIRED : 0;
	return port == 3;
}

static void header_need(void **state)
{
	struct verbs_context verbs = {.sz = sizeof(verbs), .query_port = query_flags};
	struct agent *agent = agent_new(-1, -1);

	(void)state;
	agent->context = &verbs.context;
	for (agent->endpoint.port = 1; agent->endpoint.port < 4; agent->endpoint.port++) {
		verbs.context.abi_compat = NULL;
		assert_false(agent_find_header_need(agent));
		verbs.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
		assert_int_equal(agent_find_header_need(agent), agent->endpoint.port == 2);
	}
	agent->context = NULL;
	agent_free(agent);
}

/* What either side has said once holds for both. */
static void header_order(void **state)
{
	struct agent *agent = make_agent();
	struct message order = {.type = MESSAGE_HEADER}, reply;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		order.header.needed = i == 1;
		agent_execute(agent, &order, &reply);
		assert_int_equal(reply.type, MESSAGE_HEADER_AGREED);
		assert_int_equal(reply.header_agreed.needed, i > 0);
		assert_int_equal(agent->needs_header, i > 0);
	}
	agent_free(agent);
}

/* ---- P_Keys ---- */

static int query_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	(void)context, (void)port;
	((struct ibv_port_attr *)(void *)attr)->pkey_tbl_len = ARRAY_SIZE(pkeys);
	return 0;
}

static int query_iwarp(struct ibv_context *context, uint8_t port,
		       struct _compat_ibv_port_attr *attr)
{
	(void)context, (void)port;
	((struct ibv_port_attr *)(void *)attr)->pkey_tbl_len = 0;
	return 0;
}

static int no_port(struct ibv_context *context, uint8_t port, struct _compat_ibv_port_attr *attr)
{
	(void)context, (void)port, (void)attr;
	return ENODEV;
}

/*
 * The first entry of the same value, or of the same partition: full and limited members may
 * communicate.
 */
static void partitions(void **state)
{
	static const struct {
		uint32_t pkey, index;
	} rows[] = {{0xffff, 0}, {0x7fff, 0}, {0x8001, 1}, {0x0001, 1},
		    {0x0002, 2}, {0x8002, 4}, {0x8003, 5}, {0x0003, 5}};
	struct message_path path = {.with_pkey = 1, .traffic_class = 8};
	struct agent *agent = make_agent();

	(void)state;
	agent->api.ibv_query_pkey = query_pkey;
	(agent->api.ibv_query_port) = query_port;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		path.pkey = rows[i].pkey;
		assert_int_equal(agent_path(agent, &path), 0);
		assert_int_equal(agent->pkey_index, rows[i].index);
		assert_int_equal(agent->path.traffic_class, 8);
	}
	path.pkey = 0x8004;
	path.traffic_class = 9;
	expect_refusal(agent, agent_path(agent, &path), REFUSAL_NO_PORT,
		       "none0/1 has no P_Key 0x8004");
	path.with_pkey = 0;
	path.pkey_index = 5;
	assert_int_equal(agent_path(agent, &path), 0);
	assert_int_equal(agent->pkey_index, 5);
	path.pkey_index = 7;
	expect_refusal(agent, agent_path(agent, &path), REFUSAL_NO_PORT,
		       "none0/1 has 7 P_Keys, and no index 7");
	assert_int_equal(agent->pkey_index, 5);
	(agent->api.ibv_query_port) = no_port;
	expect_failure(agent, agent_path(agent, &path), ENODEV, STAGE_OPEN, "ibv_query_port");
	agent_free(agent);
}

/* An iWARP port has no P_Keys, which is no reason to refuse a traffic class. */
static void no_partitions(void **state)
{
	struct message_path path = {.traffic_class = 8};
	struct agent *agent = make_agent();

	(void)state;
	(agent->api.ibv_query_port) = query_iwarp;
	assert_int_equal(agent_path(agent, &path), 0);
	assert_int_equal(agent->path.traffic_class, 8);
	path.pkey_index = 1;
	expect_refusal(agent, agent_path(agent, &path), REFUSAL_NO_PORT,
		       "none0/1 has 0 P_Keys, and no index 1");
	agent_free(agent);
}

/* ---- Windows and runs ---- */

static void windows(void **state)
{
	struct message_window order = {.action = WINDOW_BIND, .type = 2, .bytes = 64};
	struct message_windowed reply;
	struct message_buffered buffered;
	struct agent *agent = make_agent();

	(void)state;
	equip(agent, QP_RC);
	expect_refusal(agent, agent_window(agent, &order, &reply), REFUSAL_ORDER,
		       "no window, or no queue pair for it");
	order.action = WINDOW_MAKE;
	assert_int_equal(agent_window(agent, &order, &reply), 0);
	order.action = WINDOW_BIND;
	order.qp = 1;
	expect_refusal(agent, agent_window(agent, &order, &reply), REFUSAL_ORDER,
		       "no window, or no queue pair for it");
	order.qp = 0;
	order.offset = 4033;
	expect_refusal(agent, agent_window(agent, &order, &reply), REFUSAL_ORDER,
		       "bytes outside of buffer 0");
	order.offset = 4032;
	/* The queue pair is in RESET, where nothing can be posted. */
	expect_failure(agent, agent_window(agent, &order, &reply), EINVAL, STAGE_TRANSFER,
		       "ibv_post_send of IBV_WR_BIND_MW");
	order.action = WINDOW_INVALIDATE;
	expect_failure(agent, agent_window(agent, &order, &reply), EINVAL, STAGE_TRANSFER,
		       "ibv_post_send of IBV_WR_LOCAL_INV");
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.slot = 1, .bytes = 4096},
				      &buffered),
			 0);
	order.action = WINDOW_BIND;
	order.buffer = 1;
	expect_refusal(agent, agent_window(agent, &order, &reply), REFUSAL_ORDER,
		       "a window has one buffer");
	/* The region of the window goes with the buffer. */
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 0}, &buffered), 0);
	assert_null(agent->windows[0].mw);
	agent_free(agent);
	assert_int_equal(soft.objects, 0);
}

static const struct message_run run = {
	.mode = RUN_BANDWIDTH,
	.operation = RUN_WRITE,
	.active = 0,
	.qps = 1,
	.bytes = 64,
	.iterations = 10,
	.warmup = 10,
	.depth = 4,
	.batch = 4,
	.signal_every = 4,
};

static void expect_run(struct agent *agent, struct message_run order, enum refusal refusal,
		       const char *text)
{
	struct message_ran reply;
	const int rc = agent_run(agent, &order, &reply);

	if (text)
		expect_refusal(agent, rc, refusal, text);
	else
		assert_int_equal(rc, 0);
}

/* A client that is measuring stays silent for that long, which is no reason to drop it. */
static void be_silent(uint64_t iterations)
{
	struct message order = {.type = MESSAGE_RUN, .run = run}, reply;
	const uint64_t begin = clock_msec();
	struct agent *agent = make_agent();
	struct agent_served served;
	const char *complaint;
	int pair[2];

	equip(agent, QP_RC);
	agent->guard.most_msec = iterations ? 600 : 0;
	order.run.iterations = iterations;
	order.run.duration_msec = iterations ? 0 : 600;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(exchange_send(pair[0], &order, 1000), 0);
	agent->watch.channel = pair[1];
	agent_serve(agent, pair[1], 100, &served);
	assert_int_equal(served.stop, STOP_TIMED_OUT);
	assert_int_equal(served.orders, 1);
	assert_true(clock_msec() - begin >= 700);
	assert_int_equal(exchange_receive(pair[0], -1, 1000, &reply, &complaint), 0);
	assert_int_equal(reply.type, MESSAGE_RAN);
	close(pair[0]);
	close(pair[1]);
	agent_free(agent);
}

static void silence_of_a_run(void **state)
{
	(void)state;
	be_silent(0);
	/* The time that so many messages take is unknown. */
	be_silent(10);
}

static void *leave_later(void *context)
{
	const struct timespec pause = {.tv_sec = 1};

	nanosleep(&pause, NULL);
	shutdown(*(const int *)context, SHUT_WR);
	return NULL;
}

/* The far side of a loopback waits as long as the number allows, whatever a run adds to it. */
static void silence_without_end(void **state)
{
	struct message order = {.type = MESSAGE_RUN, .run = run};
	struct agent *agent = make_agent();
	struct agent_served served;
	pthread_t thread;
	int pair[2];

	(void)state;
	equip(agent, QP_RC);
	order.run.iterations = 0;
	order.run.duration_msec = 100;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(exchange_send(pair[0], &order, 1000), 0);
	assert_int_equal(pthread_create(&thread, NULL, leave_later, &pair[0]), 0);
	agent->watch.channel = pair[1];
	agent_serve(agent, pair[1], UINT_MAX, &served);
	assert_int_equal(served.stop, STOP_PEER_GONE);
	assert_int_equal(served.orders, 1);
	pthread_join(thread, NULL);
	close(pair[0]);
	close(pair[1]);
	agent_free(agent);
}

/* The passive side of writes has nothing to do; every order that contradicts itself is refused. */
static void runs(void **state)
{
	struct run_layout layout;
	struct agent *agent = make_agent();

	(void)state;
	equip(agent, QP_RC);
/* A run that differs from the usual one in these members. */
#define RUN(text, ...)                                      \
	do {                                                \
		struct message_run it = run;                \
		it.__VA_ARGS__;                             \
		expect_run(agent, it, REFUSAL_ORDER, text); \
	} while (0)
	RUN(NULL, bytes = 64);
	RUN(NULL, bytes = 0);
	RUN("a latency is that of one queue pair", mode = RUN_LATENCY);
	RUN("a latency is that of one queue pair", batch = 1, it.qps = 2, it.mode = RUN_LATENCY);
	RUN("a ping-pong of writes without data", mode = RUN_LATENCY, it.batch = 1, it.bytes = 0);
	RUN("an atomic operation has 8 bytes", operation = RUN_ATOMIC, it.bytes = 7);
	RUN("an atomic operation has 8 bytes", operation = RUN_ATOMIC, it.bytes = 9);
	RUN(NULL, operation = RUN_ATOMIC, it.bytes = 8);
	RUN("a run without an end", iterations = 0, it.warmup = 0);
	RUN(NULL, iterations = 0, it.duration_msec = 1, it.warmup = 11);
	RUN("a run that is over before it counts", warmup = 11);
	RUN("more at once than may be outstanding", batch = 5);
	RUN("more at once than may be outstanding", signal_every = 5);
	RUN("a run without queue pair 1", qps = 2);
	RUN("a run without memory", buffer = 1);
	RUN("more inline than possible", inline_bytes = 1);
	/* Messages and answers begin at multiples of 64 bytes, and 64 bytes are for control. */
	run_layout_set(&layout, QP_RC, 1, 1985);
	assert_int_equal(layout.bytes, 2 * 2048 + 64);
	RUN(NULL, bytes = 1984);
	RUN("a run without memory", bytes = 1985);
	agent_reset(agent);
	equip(agent, QP_UC);
	RUN("a run without queue pair 0", operation = RUN_READ);
	RUN(NULL, operation = RUN_WRITE);
	agent_free(agent);
}

/* After a completion queue has overflowed, no order that awaits completions can be trusted. */
static void lost_completions(void **state)
{
	const struct message waits = {.type = MESSAGE_WAIT, .wait = {.count = 1}};
	const struct message queries = {.type = MESSAGE_QUERY};
	const struct message release = {.type = MESSAGE_RELEASE};
	struct agent *agent = make_agent();
	struct message reply;

	(void)state;
	equip(agent, QP_RC);
	agent->watch.queue_error = EOVERFLOW;
	agent_execute(agent, &waits, &reply);
	assert_int_equal(reply.type, MESSAGE_REFUSED);
	assert_int_equal(reply.refused.refusal, REFUSAL_FAILED);
	assert_int_equal(reply.refused.stage, STAGE_TRANSFER);
	assert_int_equal(reply.refused.error, EOVERFLOW);
	agent_execute(agent, &queries, &reply);
	assert_int_equal(reply.type, MESSAGE_QUERIED);
	/* The next test has queues of its own. */
	agent_execute(agent, &release, &reply);
	assert_int_equal(reply.type, MESSAGE_DONE);
	equip(agent, QP_RC);
	agent_execute(agent, &waits, &reply);
	assert_int_equal(reply.type, MESSAGE_WAITED);
	agent_free(agent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(spans),
		cmocka_unit_test(posts),
		cmocka_unit_test(failed_calls),
		cmocka_unit_test(failed_queues),
		cmocka_unit_test(no_queue_pair),
		cmocka_unit_test(attributes),
		cmocka_unit_test(header_need),
		cmocka_unit_test(header_order),
		cmocka_unit_test(addresses),
		cmocka_unit_test(partitions),
		cmocka_unit_test(no_partitions),
		cmocka_unit_test(windows),
		cmocka_unit_test(runs),
		cmocka_unit_test(silence_of_a_run),
		cmocka_unit_test(silence_without_end),
		cmocka_unit_test(lost_completions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
