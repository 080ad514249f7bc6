/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Extended reliable connections between two agents with made-up devices: what one posts is copied
 * into the memory or the receive queue of the other, if the numbers lead there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "host/device.h"
#include "selftest/agent/agent.h"
#include "selftest/tests/tests_measure.h"

enum { MOST_OBJECTS = 64, FIRST_QPN = 0x100, FIRST_SRQN = 0x9000, MOST_ENTRIES_OF_CQ = 4096 };

struct domain {
	struct ibv_xrcd xrcd;
};

struct queue {
	struct ibv_cq cq;
	struct ibv_wc items[MOST_ENTRIES_OF_CQ];
	size_t first, last;
};

struct posted {
	uint64_t id;
	struct ibv_sge part;
};

struct receives {
	struct ibv_srq srq;
	struct posted items[MOST_ENTRIES_OF_CQ];
	size_t first, last;
	struct queue *queue;
	struct ibv_xrcd *xrcd;
	uint32_t number;
};

struct pair {
	struct ibv_qp qp;
	struct ibv_xrcd *xrcd; /* of one that receives */
	enum ibv_qp_state state;
	uint32_t to;
};

/* The functions of libibverbs have no argument that leads here. */
static struct {
	pthread_mutex_t lock;
	struct pair *pairs[MOST_OBJECTS];
	struct receives *receives[MOST_OBJECTS];
	int objects;	      /* that were created and not destroyed */
	int messages, others; /* sends; writes, reads and atomics */
	int fail_at;	      /* creating the queue pair with that number fails; 0: none */
	bool no_queues;	      /* of receives: the device answers EINVAL */
	uint32_t most_inline; /* bytes */
} fabric = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Threads of both sides create and destroy objects, partly without the lock. */
static void count_object(int change)
{
	__atomic_add_fetch(&fabric.objects, change, __ATOMIC_RELAXED);
}

static struct ibv_xrcd *open_domain(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	struct domain *domain = mem_alloc_zero(1, sizeof(*domain));

	assert_int_equal(attr->comp_mask, IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS);
	assert_int_equal(attr->fd, -1);
	domain->xrcd.context = context;
	count_object(1);
	return &domain->xrcd;
}

static int close_domain(struct ibv_xrcd *xrcd)
{
	count_object(-1);
	free(xrcd);
	return 0;
}

static struct ibv_cq *create_cq(struct ibv_context *context, int entries, void *cookie,
				struct ibv_comp_channel *channel, int vector)
{
	struct queue *queue = mem_alloc_zero(1, sizeof(*queue));

	(void)cookie, (void)channel, (void)vector;
	assert_true(entries <= MOST_ENTRIES_OF_CQ);
	queue->cq.context = context;
	count_object(1);
	return &queue->cq;
}

static int destroy_cq(struct ibv_cq *cq)
{
	count_object(-1);
	free(cq);
	return 0;
}

static void ack_events(struct ibv_cq *cq, unsigned int count)
{
	(void)cq, (void)count;
}

static int poll_cq(struct ibv_cq *cq, int room, struct ibv_wc *items)
{
	struct queue *queue = (struct queue *)cq;
	int count = 0;

	pthread_mutex_lock(&fabric.lock);
	while (count < room && queue->first < queue->last)
		items[count++] = queue->items[queue->first++ % MOST_ENTRIES_OF_CQ];
	pthread_mutex_unlock(&fabric.lock);
	return count;
}

static void complete(struct queue *queue, uint64_t id, enum ibv_wc_status status,
		     enum ibv_wc_opcode opcode, uint32_t bytes)
{
	assert_true(queue->last - queue->first < MOST_ENTRIES_OF_CQ);
	queue->items[queue->last++ % MOST_ENTRIES_OF_CQ] = (struct ibv_wc){
		.wr_id = id, .status = status, .opcode = opcode, .byte_len = bytes};
}

static struct ibv_srq *create_srq(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	struct receives *receives;

	errno = EINVAL;
	if (fabric.no_queues)
		return NULL;
	receives = mem_alloc_zero(1, sizeof(*receives));
	assert_int_equal(attr->srq_type, IBV_SRQT_XRC);
	assert_int_equal(attr->comp_mask, IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
						  IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ);
	receives->srq.context = context;
	receives->queue = (struct queue *)attr->cq;
	receives->xrcd = attr->xrcd;
	pthread_mutex_lock(&fabric.lock);
	for (uint32_t i = 0; i < MOST_OBJECTS && !receives->number; i++) {
		if (fabric.receives[i])
			continue;
		fabric.receives[i] = receives;
		receives->number = FIRST_SRQN + i;
	}
	count_object(1);
	pthread_mutex_unlock(&fabric.lock);
	return &receives->srq;
}

static int get_srq_number(struct ibv_srq *srq, uint32_t *number)
{
	*number = ((struct receives *)srq)->number;
	return 0;
}

static int destroy_srq(struct ibv_srq *srq)
{
	struct receives *receives = (struct receives *)srq;

	pthread_mutex_lock(&fabric.lock);
	fabric.receives[receives->number - FIRST_SRQN] = NULL;
	count_object(-1);
	pthread_mutex_unlock(&fabric.lock);
	free(receives);
	return 0;
}

static int post_srq_receive(struct ibv_srq *srq, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	struct receives *receives = (struct receives *)srq;

	(void)bad;
	pthread_mutex_lock(&fabric.lock);
	assert_true(receives->last - receives->first < MOST_ENTRIES_OF_CQ);
	receives->items[receives->last++ % MOST_ENTRIES_OF_CQ] = (struct posted){work->wr_id,
										 work->sg_list[0]};
	pthread_mutex_unlock(&fabric.lock);
	return 0;
}

static struct ibv_qp *create_qp(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct pair *pair = NULL;

	errno = EINVAL;
	if (attr->cap.max_inline_data > fabric.most_inline)
		return NULL;
	pthread_mutex_lock(&fabric.lock);
	for (uint32_t i = 0; i < MOST_OBJECTS && !pair && fabric.fail_at != 1; i++) {
		if (fabric.pairs[i])
			continue;
		pair = fabric.pairs[i] = mem_alloc_zero(1, sizeof(*pair));
		pair->qp.qp_num = FIRST_QPN + i;
		count_object(1);
	}
	fabric.fail_at -= !!fabric.fail_at;
	pthread_mutex_unlock(&fabric.lock);
	errno = ENOMEM;
	if (!pair)
		return NULL;
	pair->qp.context = context;
	pair->qp.qp_type = attr->qp_type;
	if (attr->qp_type == IBV_QPT_XRC_RECV) {
		assert_int_equal(attr->comp_mask, IBV_QP_INIT_ATTR_XRCD);
		pair->xrcd = attr->xrcd;
	} else {
		assert_int_equal(attr->qp_type, IBV_QPT_XRC_SEND);
		assert_int_equal(attr->comp_mask, IBV_QP_INIT_ATTR_PD);
		pair->qp.send_cq = attr->send_cq;
	}
	return &pair->qp;
}

static int destroy_qp(struct ibv_qp *qp)
{
	pthread_mutex_lock(&fabric.lock);
	fabric.pairs[qp->qp_num - FIRST_QPN] = NULL;
	count_object(-1);
	pthread_mutex_unlock(&fabric.lock);
	free(qp);
	return 0;
}

/* Exactly what the kernel wants: drivers/infiniband/core/verbs.c, qp_state_table. */
static int wanted(enum ibv_qp_type type, enum ibv_qp_state state)
{
	const int path = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;

	if (state == IBV_QPS_INIT)
		return IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	if (state == IBV_QPS_RTR)
		return type == IBV_QPT_XRC_SEND
			       ? path
			       : path | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (state == IBV_QPS_RTS)
		return type == IBV_QPT_XRC_SEND
			       ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC
			       : IBV_QP_TIMEOUT | IBV_QP_SQ_PSN;
	return 0;
}

static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct pair *pair = (struct pair *)qp;

	if (attr->qp_state != IBV_QPS_ERR &&
	    (mask != (wanted(qp->qp_type, attr->qp_state) | IBV_QP_STATE) ||
	     attr->qp_state != pair->state + 1))
		return EINVAL;
	pthread_mutex_lock(&fabric.lock);
	pair->state = attr->qp_state;
	if (mask & IBV_QP_DEST_QPN)
		pair->to = attr->dest_qp_num;
	pthread_mutex_unlock(&fabric.lock);
	return 0;
}

static int query_pkey(struct ibv_context *context, uint8_t port, int index, __be16 *pkey)
{
	(void)context, (void)port, (void)index;
	*pkey = htons(0xffff);
	return 0;
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	(void)mask, (void)init;
	attr->qp_state = ((struct pair *)qp)->state;
	return 0;
}

/*
 * Where a message of the queue pair goes, or NULL: both must lead to each other and to the queue.
 */
static struct receives *find(const struct pair *from, uint32_t srqn)
{
	const uint32_t to = from->to - FIRST_QPN, shared = srqn - FIRST_SRQN;
	const struct pair *target = to < MOST_OBJECTS ? fabric.pairs[to] : NULL;
	struct receives *receives = shared < MOST_OBJECTS ? fabric.receives[shared] : NULL;

	if (from->state != IBV_QPS_RTS || !target || target->qp.qp_type != IBV_QPT_XRC_RECV ||
	    target->state < IBV_QPS_RTR || target->to != from->qp.qp_num || !receives ||
	    receives->xrcd != target->xrcd)
		return NULL;
	return receives;
}

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static enum ibv_wc_status carry_out(const struct ibv_send_wr *work, struct receives *receives)
{
	const struct ibv_sge *part = work->num_sge ? work->sg_list : NULL;
	const uint32_t bytes = part ? part->length : 0;
	const struct posted *posted;
	uint64_t sum;

	if (!receives)
		return IBV_WC_REM_INV_REQ_ERR;
	fabric.messages += work->opcode == IBV_WR_SEND;
	fabric.others += work->opcode != IBV_WR_SEND;
	switch ((int)work->opcode) {
	case IBV_WR_RDMA_WRITE:
		memcpy(pointer(work->wr.rdma.remote_addr), pointer(part->addr), bytes);
		return IBV_WC_SUCCESS;
	case IBV_WR_RDMA_READ:
		memcpy(pointer(part->addr), pointer(work->wr.rdma.remote_addr), bytes);
		return IBV_WC_SUCCESS;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		memcpy(&sum, pointer(work->wr.atomic.remote_addr), sizeof(sum));
		memcpy(pointer(part->addr), &sum, sizeof(sum));
		sum += work->wr.atomic.compare_add;
		memcpy(pointer(work->wr.atomic.remote_addr), &sum, sizeof(sum));
		return IBV_WC_SUCCESS;
	}
	if (receives->first == receives->last)
		return IBV_WC_RNR_RETRY_EXC_ERR;
	posted = &receives->items[receives->first++ % MOST_ENTRIES_OF_CQ];
	if (bytes > posted->part.length)
		return IBV_WC_REM_INV_REQ_ERR;
	if (bytes)
		memcpy(pointer(posted->part.addr), pointer(part->addr), bytes);
	complete(receives->queue, posted->id, IBV_WC_SUCCESS, IBV_WC_RECV, bytes);
	return IBV_WC_SUCCESS;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	const struct pair *pair = (struct pair *)qp;

	(void)bad;
	pthread_mutex_lock(&fabric.lock);
	for (; work; work = work->next) {
		enum ibv_wc_status status = carry_out(work,
						      find(pair, work->qp_type.xrc.remote_srqn));

		if (status != IBV_WC_SUCCESS || work->send_flags & IBV_SEND_SIGNALED)
			complete((struct queue *)qp->send_cq, work->wr_id, status, IBV_WC_SEND, 0);
	}
	pthread_mutex_unlock(&fabric.lock);
	return 0;
}

static int post_receive(struct ibv_qp *qp, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
	(void)qp;
	*bad = work;
	return EINVAL;
}

/* The inline limit of this device says nothing about the other kind. */
static struct ibv_qp *create_usual_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	(void)pd, (void)attr;
	errno = EINVAL;
	return NULL;
}

static struct ibv_mr *register_memory(struct ibv_pd *pd, void *bytes, size_t length,
				      uint64_t address, unsigned int access)
{
	struct ibv_mr *mr = mem_alloc_zero(1, sizeof(*mr));

	(void)pd, (void)bytes, (void)length, (void)address, (void)access;
	return mr;
}

static struct ibv_mr *register_plainly(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	return register_memory(pd, bytes, length, 0, (unsigned int)access);
}

static int deregister(struct ibv_mr *mr)
{
	free(mr);
	return 0;
}

/* The device does not know whether the GID still exists. */
static int query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context, (void)port, (void)index, (void)gid;
	return -1;
}

static void make_device(struct verbs_context *verbs, struct agent *agent)
{
	*verbs = (struct verbs_context){
		.get_srq_num = get_srq_number,
		.create_srq_ex = create_srq,
		.create_qp_ex = create_qp,
		.open_xrcd = open_domain,
		.close_xrcd = close_domain,
		.sz = sizeof(*verbs),
		.context = {.abi_compat = __VERBS_ABI_IS_EXTENDED},
	};
	verbs->context.ops.poll_cq = poll_cq;
	verbs->context.ops.post_send = post_send;
	verbs->context.ops.post_recv = post_receive;
	verbs->context.ops.post_srq_recv = post_srq_receive;
	agent->context = &verbs->context;
	agent->limits.max_cqe = MOST_ENTRIES_OF_CQ;
	agent->api.ibv_query_gid = query_gid;
	agent->api.ibv_query_pkey = query_pkey;
	agent->api.ibv_create_cq = create_cq;
	agent->api.ibv_destroy_cq = destroy_cq;
	agent->api.ibv_ack_cq_events = ack_events;
	agent->api.ibv_create_qp = create_usual_qp;
	agent->api.ibv_destroy_qp = destroy_qp;
	agent->api.ibv_modify_qp = modify_qp;
	agent->api.ibv_query_qp = query_qp;
	agent->api.ibv_destroy_srq = destroy_srq;
	(agent->api.ibv_reg_mr) = register_plainly;
	agent->api.ibv_reg_mr_iova2 = register_memory;
	agent->api.ibv_dereg_mr = deregister;
}

/* Both sides; the far one has a thread. */
struct bed {
	struct verbs_context verbs[2];
	struct trial trial;
	struct selftest_request request;
	struct selftest_results results;
	struct agent *far;
	int channels[2];
	pthread_t thread;
};

static void *serve(void *context)
{
	struct bed *bed = context;
	struct agent_served served;

	agent_serve(bed->far, bed->channels[1], 60000, &served);
	return NULL;
}

static void make_bed(struct bed *bed)
{
	const struct message_opened can = {
		.far = {.port = 1,
			.mtu_bytes = 1024,
			.transport = TRANSPORT_INFINIBAND,
			.device = "mlx5_0"},
		.max_depth = 1024,
		.max_sges = 4,
		.max_rd_atomic = 16,
		.atomics = 1,
	};

	*bed = (struct bed){.request = {.signals = -1, .iterations = 300, .queue_pairs = 3}};
	bed->request.ways.transport = SELFTEST_BY_XRC;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bed->channels), 0);
	bed->far = agent_new(bed->channels[1], -1);
	bed->trial.near.trial = &bed->trial;
	bed->trial.near.agent = agent_new(bed->channels[0], -1);
	bed->trial.near.agent->watch.patient = true;
	/* A busy machine runs one side after the other, so one that polls in vain yields. */
	bed->trial.near.agent->shares_processor = bed->far->shares_processor = true;
	make_device(&bed->verbs[0], bed->trial.near.agent);
	make_device(&bed->verbs[1], bed->far);
	bed->trial.far = (struct side){.trial = &bed->trial,
				       .channel = bed->channels[0],
				       .watch = &bed->trial.near.agent->watch};
	bed->trial.request = &bed->request;
	bed->trial.results = &bed->results;
	bed->trial.near.can = bed->trial.far.can = can;
	bed->trial.granted = (struct message_admitted){.qps = LIMIT_QPS, .bytes = LIMIT_BYTES};
	assert_int_equal(pthread_create(&bed->thread, NULL, serve, bed), 0);
}

static void free_bed(struct bed *bed)
{
	close(bed->channels[0]);
	pthread_join(bed->thread, NULL);
	close(bed->channels[1]);
	agent_free(bed->trial.near.agent);
	agent_free(bed->far);
	selftest_results_free(&bed->results);
	assert_int_equal(fabric.objects, 0);
}

static void run(struct bed *bed, const char *test)
{
	bed->request.tests = &test;
	bed->request.test_count = 1;
	trial_run_table(&bed->trial, measure_tests);
}

static void assert_all(const struct bed *bed, enum selftest_verdict verdict, const char *reason)
{
	assert_true(bed->results.count > 0);
	for (size_t i = 0; i < bed->results.count; i++) {
		const struct selftest_result *row = bed->results.items[i];

		if (row->verdict.value != verdict)
			print_message("%s: %s\n", row->test, row->reason);
		assert_int_equal(row->verdict.value, verdict);
		if (reason)
			assert_string_equal(row->reason, reason);
	}
}

/* Each measurement checks its data; the device carries none unless the numbers are right. */
static void every_measurement(void **state)
{
	static const char *const names[] = {
		"latency-send",	  "latency-write",   "latency-read",   "latency-atomic",
		"bandwidth-send", "bandwidth-write", "bandwidth-read", "bandwidth-atomic",
	};
	static const uint64_t sizes[] = {64, 3000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const bool sends = strstr(names[i], "send");
		const struct selftest_result *row;
		struct bed bed;

		make_bed(&bed);
		memcpy(bed.request.sizes, sizes, sizeof(sizes));
		bed.request.size_count = ARRAY_SIZE(sizes);
		fabric.messages = fabric.others = 0;
		run(&bed, names[i]);
		assert_all(&bed, SELFTEST_PASS, NULL);
		row = bed.results.items[0];
		assert_int_equal(bed.results.count, strstr(names[i], "atomic") ? 1 : 2);
		assert_int_equal(row->transport.value, SELFTEST_BY_XRC);
		assert_int_equal(row->iterations.value, 300);
		assert_int_equal(row->link.path_mtu_bytes.value, 1024);
		assert_true(row->link.qpn.known && row->link.peer_qpn.known);
		assert_true(sends ? fabric.messages >= 600 : !fabric.messages);
		assert_true(fabric.others >= (sends ? 0 : 300));
		free_bed(&bed);
	}
}

static void both_ways_and_reversed(void **state)
{
	static const char *const names[] = {"bandwidth-send", "bandwidth-write", "bandwidth-read"};

	(void)state;
	for (uint32_t direction = DIRECTION_IN; direction <= DIRECTION_BOTH; direction++) {
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			struct bed bed;

			make_bed(&bed);
			bed.request.ways.direction = direction;
			run(&bed, names[i]);
			assert_all(&bed, SELFTEST_PASS, NULL);
			assert_int_equal(bed.results.items[0]->received_gbps.known, true);
			free_bed(&bed);
		}
	}
}

/* In the words of this libc. */
static char *without_xrc(const char *whose)
{
	return mem_format("the %sdevice has no extended reliable connected (XRC) queue pairs: "
			  "ibv_open_xrcd: %s",
			  whose, strerror(EOPNOTSUPP));
}

/* The error of a device without them is the reason why a row is skipped. */
static void device_without(void **state)
{
	struct bed bed;

	(void)state;
	for (int side = 0; side < 2; side++) {
		_cleanup_(freep) char *reason = NULL;

		make_bed(&bed);
		bed.request.peer = "10.0.0.2";
		bed.trial.granted.run_msec = 60000;
		bed.verbs[side].open_xrcd = NULL;
		run(&bed, "latency-send");
		reason = without_xrc(side ? "peer's " : "");
		assert_all(&bed, SELFTEST_SKIP, reason);
		free_bed(&bed);
	}
	make_bed(&bed);
	bed.trial.near.can.far.transport = bed.trial.far.can.far.transport = TRANSPORT_IWARP;
	run(&bed, "latency-send");
	assert_all(&bed, SELFTEST_SKIP, "iWARP has no extended reliable connections (XRC)");
	free_bed(&bed);
}

/* If any object cannot be created, none is left. */
static void half_a_connection(void **state)
{
	(void)state;
	for (int at = 1; at <= 4; at++) {
		struct bed bed;

		make_bed(&bed);
		bed.request.sizes[0] = 64;
		bed.request.size_count = 1;
		bed.request.ways.inline_bytes = number_of(0);
		fabric.fail_at = at;
		run(&bed, "latency-send");
		assert_all(&bed, SELFTEST_FAIL, NULL);
		assert_non_null(strstr(bed.results.items[0]->reason, strerror(ENOMEM)));
		free_bed(&bed);
	}
	fabric.fail_at = 0;
}

/*
 * A device that supports them says EINVAL to queues that are too large: that is not lack of
 * support.
 */
static void queue_too_large(void **state)
{
	struct bed bed;

	(void)state;
	make_bed(&bed);
	fabric.no_queues = true;
	run(&bed, "latency-send");
	fabric.no_queues = false;
	assert_all(&bed, SELFTEST_FAIL,
		   "mlx5_0 cannot create such queues: they have more entries, elements or inline "
		   "data than it supports");
	free_bed(&bed);
}

/* The receives are in a shared queue: both devices' limits for it bound the messages in flight. */
static void depth_of_the_shared_queue(void **state)
{
	static const struct {
		uint32_t near, far; /* max_srq_wr; 0: not known */
		const char *id;
		uint64_t depth;
	} rows[] = {
		{1024, 1024, "bandwidth-send", 128}, {256, 1024, "bandwidth-send", 128},
		{255, 1024, "bandwidth-send", 127},  {1024, 21, "bandwidth-send", 10},
		{1, 1024, "bandwidth-write", 128},   {0, 0, "bandwidth-send", 128},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;

		make_bed(&bed);
		bed.trial.near.can.max_srq_depth = rows[i].near;
		bed.trial.far.can.max_srq_depth = rows[i].far;
		bed.request.sizes[0] = 64;
		bed.request.size_count = 1;
		run(&bed, rows[i].id);
		assert_all(&bed, SELFTEST_PASS, NULL);
		assert_int_equal(bed.results.items[0]->depth.value, rows[i].depth);
		free_bed(&bed);
	}
}

/*
 * The exchange connects them, however the others are connected: the row says so, and has the PSNs.
 */
static void never_by_cm(void **state)
{
	struct bed bed;

	(void)state;
	make_bed(&bed);
	bed.trial.by_cm = true;
	run(&bed, "latency-send");
	assert_all(&bed, SELFTEST_PASS, NULL);
	assert_int_equal(bed.results.items[0]->connection.value, CONNECTION_EXCHANGE);
	assert_true(bed.results.items[0]->link.psn.known &&
		    bed.results.items[0]->link.peer_psn.known);
	free_bed(&bed);
}

/* The device is probed with a queue pair of this kind. */
static void inline_data(void **state)
{
	_cleanup_(freep) char *without = without_xrc("");
	const struct {
		uint32_t device, wish;
		bool without; /* queue pairs of this kind */
		enum selftest_verdict verdict;
		const char *reason;
	} rows[] = {
		{64, 64, false, SELFTEST_PASS, NULL},
		{63, 64, false, SELFTEST_SKIP, "a device cannot send 64 bytes inline"},
		{64, 64, true, SELFTEST_SKIP, without},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct bed bed;

		make_bed(&bed);
		fabric.most_inline = rows[i].device;
		bed.request.sizes[0] = 64;
		bed.request.size_count = 1;
		bed.request.ways.inline_bytes = number_of(rows[i].wish);
		if (rows[i].without)
			bed.verbs[0].open_xrcd = NULL;
		run(&bed, "latency-send");
		fabric.most_inline = 0;
		assert_all(&bed, rows[i].verdict, rows[i].reason);
		free_bed(&bed);
	}
}

/* Each of them takes two queue pairs of the device, for both the user and a server. */
static void two_queue_pairs_each(void **state)
{
	struct message_qp make = {.kind = QP_XRC, .send_depth = 1, .receive_depth = 1, .sges = 1};
	struct message_qp_created created;
	struct agent *agent;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	bed.trial.granted.qps = 6;
	run(&bed, "bandwidth-write");
	assert_all(&bed, SELFTEST_PASS, NULL);
	free_bed(&bed);
	make_bed(&bed);
	bed.trial.granted.qps = 5;
	run(&bed, "bandwidth-write");
	assert_all(&bed, SELFTEST_SKIP, "it needs 6 queue pairs, the limit is 5");
	agent = bed.trial.near.agent;
	agent->most_qps = 5;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 4}), 0);
	for (make.slot = 0; make.slot < 2; make.slot++)
		assert_int_equal(agent_qp(agent, &make, &created), 0);
	assert_int_equal(agent_qp(agent, &make, &created), -EINVAL);
	assert_int_equal(agent->refused.refusal, REFUSAL_LIMIT);
	assert_string_equal(agent->refused.text, "more than 5 queue pairs");
	/* One that is recreated, and one fewer. */
	make.slot = 1;
	assert_int_equal(agent_qp(agent, &make, &created), 0);
	assert_int_equal(agent->pairs, 4);
	make.destroy = 1;
	assert_int_equal(agent_qp(agent, &make, &created), 0);
	assert_int_equal(agent->pairs, 2);
	free_bed(&bed);
}

static int count_bytes(void *context, int64_t bytes)
{
	*(int64_t *)context += bytes;
	return 0;
}

/* All objects count, and an order to release them leaves none. */
static void memory_of_a_server(void **state)
{
	const struct message_qp make = {
		.kind = QP_XRC, .send_depth = 1, .receive_depth = 1, .sges = 1};
	const uint64_t queues = 2 * 256 + 2 * 64; /* as rxe rounds them up */
	struct message_qp_created created;
	int64_t bytes = 0, before;
	struct agent *agent;
	struct bed bed;

	(void)state;
	make_bed(&bed);
	agent = bed.trial.near.agent;
	agent->reserve = count_bytes;
	agent->owner = &bytes;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 4}), 0);
	before = bytes;
	assert_int_equal(agent_qp(agent, &make, &created), 0);
	/* The domain, both queue pairs and the receive queue. */
	assert_int_equal(bytes - before, 4 * OBJECT_BYTES + queues);
	assert_int_equal(agent_qp(agent, &(struct message_qp){.slot = 1, .destroy = 1}, &created),
			 0);
	assert_int_equal(agent_release(agent, &(struct message_none){}), 0);
	assert_int_equal(bytes, 0);
	assert_int_equal(fabric.objects, 0);
	assert_null(agent->xrcd);
	free_bed(&bed);
}

/* A server refuses orders that lead to a management queue pair, or to nobody. */
static void hostile_orders(void **state)
{
	const struct message_qp make = {
		.kind = QP_XRC, .send_depth = 1, .receive_depth = 1, .sges = 1};
	struct message_modify modify = {.state = IBV_QPS_INIT, .qpn = 17};
	struct message_xrc tell = {.qpn = 1, .srqn = 5};
	struct message_qp_created created;
	struct message_xrc_ready ready;
	struct bed bed;
	struct agent *agent;

	(void)state;
	make_bed(&bed);
	agent = bed.trial.near.agent;
	assert_int_equal(agent_xrc(agent, &tell, &ready), -EINVAL);
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 4}), 0);
	assert_int_equal(agent_qp(agent, &make, &created), 0);
	agent->guard.strict = true;
	assert_int_equal(agent_modify(agent, &modify), 0);
	modify.state = IBV_QPS_RTR;
	assert_int_equal(agent_modify(agent, &modify), -EINVAL);
	assert_int_equal(agent_xrc(agent, &tell, &ready), 0);
	assert_int_equal(agent_modify(agent, &modify), -EINVAL);
	assert_int_equal(agent->refused.refusal, REFUSAL_ORDER);
	tell.qpn = 2;
	assert_int_equal(agent_xrc(agent, &tell, &ready), 0);
	assert_int_equal(agent_modify(agent, &modify), 0);
	tell.slot = LIMIT_QPS - 1;
	assert_int_equal(agent_xrc(agent, &tell, &ready), -EINVAL);
	free_bed(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_measurement),
		cmocka_unit_test(both_ways_and_reversed),
		cmocka_unit_test(device_without),
		cmocka_unit_test(half_a_connection),
		cmocka_unit_test(hostile_orders),
		cmocka_unit_test(queue_too_large),
		cmocka_unit_test(never_by_cm),
		cmocka_unit_test(inline_data),
		cmocka_unit_test(two_queue_pairs_each),
		cmocka_unit_test(memory_of_a_server),
		cmocka_unit_test(depth_of_the_shared_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
