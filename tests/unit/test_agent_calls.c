/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls that an agent makes for its queues and queue pairs with all their arguments, what it
 * counts towards a server's memory limit, and in which order it takes everything apart.
 */
#include "logged_device.h"

#include <fcntl.h>

#include "host/device.h"

/* ---- A device that logs its calls ---- */

static int reserve(void *context, int64_t bytes)
{
	int64_t *left = context;

	if (bytes > *left)
		return -ENOMEM;
	*left -= bytes;
	device_note("%+" PRId64 " bytes\n", bytes);
	return 0;
}

static struct ibv_comp_channel *create_channel(struct ibv_context *context)
{
	assert_ptr_equal(context, &device.context);
	device_note("create channel\n");
	return &device.channels[0];
}

static int destroy_channel(struct ibv_comp_channel *channel)
{
	assert_ptr_equal(channel, &device.channels[0]);
	device_note("destroy channel\n");
	return 0;
}

static struct ibv_cq *create_cq(struct ibv_context *context, int entries, void *of,
				struct ibv_comp_channel *channel, int vector)
{
	(void)context;
	assert_null(of);
	device_note("create queue of %d%s at %d\n", entries, channel ? " with channel" : "",
		    vector);
	return &device.cqs[0];
}

static int destroy_cq(struct ibv_cq *cq)
{
	assert_ptr_equal(cq, &device.cqs[0]);
	device_note("destroy queue\n");
	return 0;
}

static void acknowledge(struct ibv_cq *cq, unsigned int count)
{
	assert_ptr_equal(cq, &device.cqs[0]);
	device_note("acknowledge %u\n", count);
}

static struct ibv_srq *create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *attr)
{
	assert_ptr_equal(pd, &device.pd);
	device_note("create shared queue of %u, %u elements, limit %u\n", attr->attr.max_wr,
		    attr->attr.max_sge, attr->attr.srq_limit);
	return &device.srq;
}

static int destroy_srq(struct ibv_srq *srq)
{
	assert_ptr_equal(srq, &device.srq);
	device_note("destroy shared queue\n");
	return 0;
}

static struct ibv_pd second;

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	const struct ibv_qp_cap *cap = &attr->cap;
	static const char *const words[] = {
		[IBV_QPT_RC] = "RC", [IBV_QPT_UC] = "UC", [IBV_QPT_UD] = "UD"};

	assert_ptr_equal(attr->send_cq, &device.cqs[0]);
	assert_ptr_equal(attr->recv_cq, &device.cqs[0]);
	device_note("create %s of domain %d: sends %u of %u, receives %u of %u%s%s, inline %u\n",
		    words[attr->qp_type], pd == &second, cap->max_send_wr, cap->max_send_sge,
		    cap->max_recv_wr, cap->max_recv_sge, attr->srq ? " shared" : "",
		    attr->sq_sig_all ? ", all signaled" : "", cap->max_inline_data);
	attr->cap.max_inline_data += 4;
	device.qps[0].pd = pd;
	return &device.qps[0];
}

static int destroy_qp(struct ibv_qp *qp)
{
	assert_ptr_equal(qp, &device.qps[0]);
	device_note("destroy queue pair\n");
	return 0;
}

static void note_address(const struct ibv_ah_attr *attr)
{
	device_note(" lid %u sl %u port %u", attr->dlid, attr->sl, attr->port_num);
	if (attr->is_global)
		device_note(" gid %02x..%02x index %u hops %u class %u flow %x",
			    attr->grh.dgid.raw[0], attr->grh.dgid.raw[15], attr->grh.sgid_index,
			    attr->grh.hop_limit, attr->grh.traffic_class, attr->grh.flow_label);
}

/* In the order of the bits of enum ibv_qp_attr_mask. */
static int modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	const struct {
		int bit;
		const char *name;
		uint32_t value;
	} rows[] = {
		{IBV_QP_ACCESS_FLAGS, "access", attr->qp_access_flags},
		{IBV_QP_PKEY_INDEX, "pkey", attr->pkey_index},
		{IBV_QP_PORT, "port", attr->port_num},
		{IBV_QP_QKEY, "qkey", attr->qkey},
		{IBV_QP_PATH_MTU, "mtu", attr->path_mtu},
		{IBV_QP_TIMEOUT, "timeout", attr->timeout},
		{IBV_QP_RETRY_CNT, "retries", attr->retry_cnt},
		{IBV_QP_RNR_RETRY, "rnr_retries", attr->rnr_retry},
		{IBV_QP_RQ_PSN, "rq_psn", attr->rq_psn},
		{IBV_QP_MAX_QP_RD_ATOMIC, "reads", attr->max_rd_atomic},
		{IBV_QP_MIN_RNR_TIMER, "rnr_timer", attr->min_rnr_timer},
		{IBV_QP_SQ_PSN, "sq_psn", attr->sq_psn},
		{IBV_QP_MAX_DEST_RD_ATOMIC, "dest_reads", attr->max_dest_rd_atomic},
		{IBV_QP_DEST_QPN, "qpn", attr->dest_qp_num},
	};

	assert_true(mask & IBV_QP_STATE);
	mask &= ~IBV_QP_STATE;
	device_note("qp%u to %s:", (unsigned int)(qp - device.qps),
		    agent_state_word(attr->qp_state));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (mask & rows[i].bit)
			device_note(" %s %u", rows[i].name, rows[i].value);
		mask &= ~rows[i].bit;
	}
	if (mask & IBV_QP_AV)
		note_address(&attr->ah_attr);
	assert_int_equal(mask & ~IBV_QP_AV, 0);
	device_note("\n");
	return 0;
}

static enum ibv_qp_state now; /* what a query says */
static int asked;	      /* its mask */

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	assert_ptr_equal(qp, &device.qps[0]);
	asked = mask;
	attr->qp_state = now;
	attr->path_mtu = IBV_MTU_4096;
	attr->qp_access_flags = 5;
	init->cap.max_inline_data = 77;
	return 0;
}

static struct ibv_ah *create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	assert_ptr_equal(pd, &device.pd);
	device_note("create address:");
	note_address(attr);
	device_note("\n");
	return &device.ah;
}

static int destroy_ah(struct ibv_ah *ah)
{
	assert_ptr_equal(ah, &device.ah);
	device_note("destroy address\n");
	return 0;
}

static int destroy_id(struct rdma_cm_id *id)
{
	assert_non_null(id);
	device_note("destroy id\n");
	return 0;
}

static int64_t left;

/* A new agent without queues, queue pairs and memory. */
static struct agent *make(void)
{
	struct agent *agent = device_make(QP_RC, 0);
	struct api *api = &agent->api;

	agent->cqs[0] = agent->cqs[1] = (struct agent_cq){0};
	agent->buffers[0] = (struct agent_buffer){0};
	left = INT64_MAX;
	agent->reserve = reserve;
	agent->owner = &left;
	agent->domains[0] = &device.pd;
	agent->domains[1] = &second;
	agent->limits.max_cqe = 1000;
	agent->random = 1;
	agent->context = &device.context;
	device.context.num_comp_vectors = 3;
	device.qps[0].context = &device.context;
	device.qps[0].qp_num = 0x7000123;
	api->ibv_create_comp_channel = create_channel;
	api->ibv_destroy_comp_channel = destroy_channel;
	api->ibv_create_cq = create_cq;
	api->ibv_destroy_cq = destroy_cq;
	api->ibv_ack_cq_events = acknowledge;
	api->ibv_create_srq = create_srq;
	api->ibv_destroy_srq = destroy_srq;
	api->ibv_create_qp = create_qp;
	api->ibv_destroy_qp = destroy_qp;
	api->ibv_modify_qp = modify_qp;
	api->ibv_query_qp = query_qp;
	api->ibv_create_ah = create_ah;
	api->ibv_destroy_ah = destroy_ah;
	api->rdma_destroy_id = destroy_id;
	return agent;
}

/* Takes everything apart; `text` is the expected log. */
static void end(const char *text)
{
	struct agent *agent = device.agent;

	agent_reset(agent);
	device_expect(text);
	assert_int_equal(left, INT64_MAX);
	assert_true(agent->work == 0 && agent->pairs == 0);
	agent->context = NULL;
	agent->domains[0] = agent->domains[1] = NULL;
	device_free();
}

/* ---- Completion queues ---- */

/* 4096 bytes for the object, and entries of 64: one more than asked for, rounded up to a power of
 * two. */
static void completion_queues(void **state)
{
	static const struct {
		uint32_t entries, vector;
		const char *text;
	} rows[] = {
		{1, 0, "+4224 bytes\ncreate queue of 1 at 0\n"},
		{3, 2, "+4352 bytes\ncreate queue of 3 at 2\n"},
		{4, 3, "+4608 bytes\ncreate queue of 4 at 0\n"},
		{1000, 7, "+69632 bytes\ncreate queue of 1000 at 1\n"},
	};
	struct agent *agent = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message_cq order = {.slot = 1, .entries = rows[i].entries};

		assert_int_equal(
			agent_vector(agent, &(struct message_vector){.vector = rows[i].vector}), 0);
		assert_int_equal(agent_cq(agent, &order), 0);
		assert_ptr_equal(agent->cqs[1].cq, &device.cqs[0]);
		device_expect(rows[i].text);
		order.entries = 0;
		assert_int_equal(agent_cq(agent, &order), 0);
		assert_null(agent->cqs[1].cq);
		device.length = 0;
	}
	/* Completion vectors that the device does not have. */
	device.context.num_comp_vectors = 0;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
	device.context.num_comp_vectors = 1;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 2}), 0);
	device_expect("+4224 bytes\ncreate queue of 1 at 0\n"
		      "acknowledge 0\ndestroy queue\n-4224 bytes\n"
		      "+4352 bytes\ncreate queue of 2 at 0\n");
	end("acknowledge 0\ndestroy queue\n-4352 bytes\n");
}

/* The descriptor of the channel does not block, and its events are acknowledged before it goes. */
static void queue_with_channel(void **state)
{
	struct agent *agent = make();

	(void)state;
	device.channels[0].fd = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 7, .channel = 1}), 0);
	assert_true(fcntl(device.channels[0].fd, F_GETFL) & O_NONBLOCK);
	device_expect("+4608 bytes\ncreate channel\ncreate queue of 7 with channel at 0\n");
	agent->cqs[0].unacknowledged = 5;
	end("acknowledge 5\ndestroy queue\ndestroy channel\n-4608 bytes\n");
	close(device.channels[0].fd);
}

/* ---- Queue pairs ---- */

/*
 * 4096 bytes for each queue, plus its entries: their number and their size in bytes are powers of
 * two. A send entry has 208 bytes and the elements or the inline data, a receive entry 40 bytes and
 * the elements.
 */
static void queue_pairs(void **state)
{
	static const struct {
		struct message_qp order;
		const char *text;
	} rows[] = {
		{{.send_depth = 3, .receive_depth = 3, .sges = 1},
		 "+9472 bytes\n"
		 "create RC of domain 0: sends 3 of 1, receives 3 of 1, inline 0\n"},
		/* 256 + 4096 and 128 * 2 + 4096 */
		{{.kind = QP_UC, .send_depth = 0, .receive_depth = 1, .sges = 3, .domain = 1},
		 "+8704 bytes\n"
		 "create UC of domain 1: sends 0 of 3, receives 1 of 3, inline 0\n"},
		{{.kind = QP_UD,
		  .send_depth = 1,
		  .receive_depth = 0,
		  .sges = 1,
		  .inline_bytes = 48,
		  .signal_all = 1},
		 "+8768 bytes\n"
		 "create UD of domain 0: sends 1 of 1, receives 0 of 1, all signaled, inline 48\n"},
		{{.send_depth = 1, .receive_depth = 0, .sges = 1, .inline_bytes = 49},
		 "+9280 bytes\n"
		 "create RC of domain 0: sends 1 of 1, receives 0 of 1, inline 49\n"},
		{{.send_depth = 1, .receive_depth = 0, .sges = 4, .inline_bytes = 48},
		 "+9344 bytes\n"
		 "create RC of domain 0: sends 1 of 4, receives 0 of 4, inline 48\n"},
	};
	struct agent *agent = make();

	(void)state;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
	device.length = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message_qp order = rows[i].order;
		struct message_qp_created created = {0};

		order.slot = (uint32_t)i;
		agent->random = 1;
		assert_int_equal(agent_qp(agent, &order, &created), 0);
		device_expect(rows[i].text);
		assert_int_equal(created.qpn, 0x123);
		/* The first number of xorshift (13, 17, 5), starting from 1, is 270369. */
		assert_int_equal(created.psn, 270369);
		assert_int_equal(created.inline_bytes, order.inline_bytes + 4);
		assert_int_equal(agent->work, order.send_depth + order.receive_depth);
		assert_int_equal(agent->pairs, 1);
		assert_int_equal(agent->qp_end, i + 1);
		assert_int_equal(agent->qps[i].kind, order.kind);
		assert_int_equal(agent->qps[i].sges, order.sges);
		assert_int_equal(agent->qps[i].send_depth, order.send_depth);
		assert_int_equal(agent->qps[i].signal_all, order.signal_all);
		order.destroy = 1;
		assert_int_equal(agent_qp(agent, &order, &created), 0);
		assert_null(agent->qps[i].qp);
		device.length = 0;
	}
	end("acknowledge 0\ndestroy queue\n-4224 bytes\n");
}

/* The next one is 67634689, of which a PSN has 24 bits; from 0, xorshift would yield 0 forever. */
static void psns(void **state)
{
	struct message_qp order = {.send_depth = 1, .receive_depth = 1, .sges = 1};
	struct message_qp_created created;
	struct agent *agent = make();

	(void)state;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	assert_int_equal(created.psn, 270369);
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	assert_int_equal(created.psn, 67634689 & 0xffffff);
	assert_int_equal(agent->random, 67634689);
	agent->random = 0;
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	assert_int_equal(created.psn, 270369);
	device.length = 0;
	end("qp0 to ERR:\ndestroy queue pair\n-8832 bytes\n"
	    "acknowledge 0\ndestroy queue\n-4224 bytes\n");
}

/* The shared queue is created once, with room for the receives of all queue pairs. */
static void shared_queue(void **state)
{
	struct message_qp order = {.send_depth = 1, .receive_depth = 3, .sges = 2, .srq = 1};
	struct message_qp_created created;
	struct agent *agent = make();

	(void)state;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	order.slot = 1;
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	assert_int_equal(agent->pairs, 2);
	assert_int_equal(agent->work, 8);
	device_expect("+4224 bytes\ncreate queue of 1 at 0\n"
		      "+4608 bytes\ncreate shared queue of 3, 2 elements, limit 0\n"
		      "+4608 bytes\n"
		      "create RC of domain 0: sends 1 of 2, receives 0 of 0 shared, inline 0\n"
		      "+4608 bytes\n"
		      "create RC of domain 0: sends 1 of 2, receives 0 of 0 shared, inline 0\n");
	end("qp0 to ERR:\nqp0 to ERR:\n"
	    "destroy queue pair\n-4608 bytes\ndestroy queue pair\n-4608 bytes\n"
	    "destroy shared queue\n-4608 bytes\n"
	    "acknowledge 0\ndestroy queue\n-4224 bytes\n");
}

/* If memory runs out for one of them, none is left. */
static void no_memory(void **state)
{
	struct message_qp order = {.send_depth = 1, .receive_depth = 3, .sges = 1, .srq = 1};
	struct message_qp_created created;
	struct agent *agent = make();

	(void)state;
	left = 4223;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), -EINVAL);
	assert_string_equal(
		agent->refused.text,
		"1 MiB of memory, more than the server's --memory leaves for this client");
	assert_int_equal(agent->refused.refusal, REFUSAL_LIMIT);
	left++;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
	assert_int_equal(left, 0);
	left = 4351;
	assert_int_equal(agent_qp(agent, &order, &created), -EINVAL);
	assert_null(agent->srq);
	left = 4352 + 4607;
	assert_int_equal(agent_qp(agent, &order, &created), -EINVAL);
	assert_null(agent->qps[0].qp);
	assert_int_equal(left, 4607);
	left++;
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	assert_int_equal(left, 0);
	device.length = 0;
	left = INT64_MAX - 4224 - 4352 - 4608;
	end("qp0 to ERR:\ndestroy queue pair\n-4608 bytes\n"
	    "destroy shared queue\n-4352 bytes\n"
	    "acknowledge 0\ndestroy queue\n-4224 bytes\n");
}

/* The queue pair is destroyed before its id, and an address before both. */
static void taken_apart(void **state)
{
	struct message_qp order = {.send_depth = 1, .receive_depth = 1, .sges = 1};
	struct message_qp_created created;
	struct rdma_cm_id id;
	struct agent *agent = make();

	(void)state;
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
	assert_int_equal(agent_qp(agent, &order, &created), 0);
	agent->qps[0].ah = &device.ah;
	agent->qps[0].cm_id = &id;
	agent->told.sl.known = true;
	agent->vector = 2;
	agent->way.both = 1;
	device.length = 0;
	end("qp0 to ERR:\ndestroy address\ndestroy queue pair\ndestroy id\n-8832 bytes\n"
	    "acknowledge 0\ndestroy queue\n-4224 bytes\n");
}

/* ---- Transitions ---- */

/* The attributes that each kind gets in each transition: ibv_modify_qp(3). */
static void transitions(void **state)
{
	static const struct {
		uint32_t kind;
		const char *text;
	} rows[] = {
		{QP_RC, "qp0 to INIT: access 11 pkey 3 port 2\n"
			"qp0 to RTR: mtu 4 rq_psn 6 rnr_timer 12 dest_reads 9 qpn 7 lid 8 sl 3 "
			"port 2 gid 20..09 index 4 hops 64 class 0 flow 0\n"
			"qp0 to RTS: timeout 14 retries 5 rnr_retries 6 reads 9 sq_psn 270369\n"
			"qp0 to SQD:\n"
			"qp0 to ERR:\n"
			"qp0 to RESET:\n"},
		{QP_UC, "qp0 to INIT: access 11 pkey 3 port 2\n"
			"qp0 to RTR: mtu 4 rq_psn 6 qpn 7 lid 8 sl 3 "
			"port 2 gid 20..09 index 4 hops 64 class 0 flow 0\n"
			"qp0 to RTS: sq_psn 270369\n"
			"qp0 to SQD:\n"
			"qp0 to ERR:\n"
			"qp0 to RESET:\n"},
		{QP_UD, "qp0 to INIT: pkey 3 port 2 qkey 1234\n"
			"qp0 to RTR:\n"
			"qp0 to RTS: sq_psn 270369\n"
			"qp0 to SQD:\n"
			"qp0 to ERR:\n"
			"qp0 to RESET:\n"},
	};
	static const enum ibv_qp_state states[] = {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
						   IBV_QPS_SQD,	 IBV_QPS_ERR, IBV_QPS_RESET};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct message_qp qp = {
			.kind = rows[i].kind, .send_depth = 1, .receive_depth = 1, .sges = 1};
		struct message_modify order = {
			.access = ACCESS_LOCAL | ACCESS_WRITE | ACCESS_ATOMIC,
			.qpn = 7,
			.psn = 6,
			.to.lid = 8,
			.mtu_bytes = 2048,
			.max_rd_atomic = 9,
			.timeout = 14,
			.retries = 5,
			.rnr_retries = 6,
			.rnr_timer = 12,
			.qkey = 1234,
			.sl = 3,
		};
		struct message_qp_created created;
		struct agent *agent = make();

		order.to.gid.raw[0] = 0x20;
		order.to.gid.raw[15] = 0x09;
		agent->endpoint.port = 2;
		agent->endpoint.gid_index = 4;
		agent->endpoint.link_layer = LINK_LAYER_ETHERNET;
		agent->pkey_index = 3;
		assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 1}), 0);
		assert_int_equal(agent_qp(agent, &qp, &created), 0);
		device.length = 0;
		now = IBV_QPS_RTR;
		for (size_t n = 0; n < ARRAY_SIZE(states); n++) {
			order.state = states[n];
			assert_int_equal(agent_modify(agent, &order), 0);
		}
		device_expect(rows[i].text);
		/*
		 * A queue pair that is already in RTS: only datagram ones have attributes to set.
		 */
		now = IBV_QPS_RTS;
		order.state = IBV_QPS_RTS;
		assert_int_equal(agent_modify(agent, &order), 0);
		device_expect(rows[i].kind == QP_UD ? "qp0 to RTS: qkey 1234\n" : "qp0 to RTS:\n");
		end("qp0 to ERR:\ndestroy queue pair\n-8832 bytes\n"
		    "acknowledge 0\ndestroy queue\n-4224 bytes\n");
	}
}

/* One bit for each known fact: the P_Key, the address, and so on. */
static unsigned int told(const struct agent *agent)
{
	const struct agent_told *it = &agent->told;
	const struct number *const all[] = {&it->pkey_index,	 &it->sl,	&it->traffic_class,
					    &it->path_mtu_bytes, &it->peer_psn, &it->psn,
					    &it->ack_timeout,	 &it->retries,	&it->rnr_retries};
	unsigned int bits = 0;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		bits |= (unsigned int)all[i]->known << i;
	return bits;
}

/* A row shows a property of the first queue pair only once it was set. */
static void known_when_told(void **state)
{
	static const int masks[] = {IBV_QP_PKEY_INDEX, IBV_QP_AV,	 IBV_QP_AV,
				    IBV_QP_PATH_MTU,   IBV_QP_RQ_PSN,	 IBV_QP_SQ_PSN,
				    IBV_QP_TIMEOUT,    IBV_QP_RETRY_CNT, IBV_QP_RNR_RETRY};
	const struct ibv_qp_attr attr = {.ah_attr.is_global = 1};
	const struct ibv_qp_attr local = {.ah_attr.sl = 1};
	struct agent *agent = make();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		memset(&agent->told, 0, sizeof(agent->told));
		agent_note_told(agent, &agent->qps[1], &attr, masks[i]);
		assert_int_equal(told(agent), 0);
		agent_note_told(agent, &agent->qps[0], &attr, masks[i]);
		assert_int_equal(told(agent), masks[i] == IBV_QP_AV ? 6 : 1 << i);
	}
	memset(&agent->told, 0, sizeof(agent->told));
	agent_note_told(agent, &agent->qps[0], &local, IBV_QP_AV);
	assert_int_equal(told(agent), 2);
	assert_int_equal(agent->told.sl.value, 1);
	end("");
}

/* The receiving queue pair of an XRC connection follows the sending one. */
static void transitions_of_xrc(void **state)
{
	struct message_modify order = {
		.access = ACCESS_READ,
		.psn = 6,
		.qpn = 7,
		.mtu_bytes = 512,
		.max_rd_atomic = 9,
		.timeout = 14,
		.retries = 5,
		.rnr_retries = 6,
		.rnr_timer = 12,
	};
	struct agent *agent = make();
	struct agent_qp *qp = &agent->qps[0];

	(void)state;
	agent->endpoint.port = 1;
	agent->endpoint.link_layer = LINK_LAYER_INFINIBAND;
	agent->path.sl = 2;
	*qp = (struct agent_qp){.qp = &device.qps[0],
				.target = &device.qps[1],
				.kind = QP_XRC,
				.psn = 77,
				.peer_qpn = 88};
	now = IBV_QPS_RTR;
	for (order.state = IBV_QPS_INIT; order.state <= IBV_QPS_SQD; order.state++)
		assert_int_equal(agent_modify(agent, &order), 0);
	device_expect("qp0 to INIT: access 4 pkey 0 port 1\n"
		      "qp1 to INIT: access 4 pkey 0 port 1\n"
		      "qp0 to RTR: mtu 2 rq_psn 6 qpn 7 lid 0 sl 2 port 1\n"
		      "qp1 to RTR: mtu 2 rq_psn 6 rnr_timer 12 dest_reads 9 qpn 88 lid 0 sl 2 "
		      "port 1\n"
		      "qp0 to RTS: timeout 14 retries 5 rnr_retries 6 reads 9 sq_psn 77\n"
		      "qp1 to RTS: timeout 14 sq_psn 77\n"
		      "qp0 to SQD:\n"
		      "qp1 to SQD:\n");
	*qp = (struct agent_qp){0};
	end("");
}

/* The entire path; the previous address is destroyed. */
static void addresses(void **state)
{
	struct message_address order = {.to = {.lid = 9}, .sl = 1};
	struct message_queried queried = {0};
	struct agent *agent = make();

	(void)state;
	order.to.gid.raw[0] = 0xfe;
	order.to.gid.raw[15] = 0x33;
	device.qps[0].pd = &device.pd;
	agent->qps[0] = (struct agent_qp){.qp = &device.qps[0], .kind = QP_UD};
	agent->endpoint.port = 3;
	agent->endpoint.gid_index = 7;
	agent->endpoint.link_layer = LINK_LAYER_INFINIBAND;
	agent->path = (struct message_path){
		.traffic_class = 104, .flow_label = 0xfffff, .hop_limit = 5, .sl = 6};
	assert_int_equal(agent_address(agent, &order), 0);
	order.sl = 0;
	order.to.gid = agent->endpoint.gid;
	assert_int_equal(agent_address(agent, &order), 0);
	device_expect("create address: lid 9 sl 1 port 3 gid fe..33 index 7 hops 5 class 104 "
		      "flow fffff\n"
		      "destroy address\n"
		      "create address: lid 9 sl 6 port 3\n");
	assert_ptr_equal(agent->qps[0].ah, &device.ah);
	now = IBV_QPS_SQD;
	assert_int_equal(agent_query(agent, &(struct message_query){0}, &queried), 0);
	assert_int_equal(asked, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS);
	assert_int_equal(queried.state, IBV_QPS_SQD);
	assert_int_equal(queried.qpn, 0x123);
	assert_int_equal(queried.mtu_bytes, 4096);
	assert_int_equal(queried.inline_bytes, 77);
	assert_int_equal(queried.access, 5);
	end("qp0 to ERR:\ndestroy address\ndestroy queue pair\n");
}

/* What the other side may request: at least one read and one atomic, and as many reads as fit. */
static void opened(void **state)
{
	struct message_opened reply;
	struct agent *agent = make();

	(void)state;
	agent->limits.vendor_id = 0x2c9;
	assert_int_equal(agent_open(agent, &(struct message_open){0}, &reply), 0);
	assert_true(reply.max_sges == 1 && reply.max_depth == 1);
	assert_true(reply.max_rd_atomic == 0 && reply.vendor == 0x2c9);
	assert_true(!reply.atomics && !reply.srq && !reply.multicast);
	assert_int_equal(reply.max_srq_depth, 0);
	agent->limits.max_sge = 30;
	agent->limits.max_qp_wr = 100;
	agent->limits.max_qp_rd_atom = 256;
	agent->limits.atomic_cap = IBV_ATOMIC_GLOB;
	agent->limits.max_srq = 1;
	agent->limits.max_srq_wr = 1;
	agent->limits.max_mcast_grp = 1;
	assert_int_equal(agent_open(agent, &(struct message_open){0}, &reply), 0);
	assert_true(reply.max_sges == 30 && reply.max_depth == 100);
	/* The field of a queue pair has eight bits. */
	assert_int_equal(reply.max_rd_atomic, 255);
	assert_true(reply.atomics == 1 && reply.srq == 1 && reply.multicast == 1);
	assert_int_equal(reply.max_srq_depth, 1);
	/* It requests fewer at a time than it answers. */
	agent->limits.max_qp_init_rd_atom = 4;
	assert_int_equal(agent_open(agent, &(struct message_open){0}, &reply), 0);
	assert_int_equal(reply.max_rd_atomic, 4);
	agent->limits.max_qp_init_rd_atom = 255;
	agent->limits.max_qp_rd_atom = 16;
	assert_int_equal(agent_open(agent, &(struct message_open){0}, &reply), 0);
	assert_int_equal(reply.max_rd_atomic, 16);
	end("");
}

/* Fractions of a MiB are rounded up. */
static void reservations(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} rows[] = {{1, "1 MiB of"}, {1 << 20, "1 MiB of"}, {(1 << 20) + 1, "2 MiB of"}};
	struct agent *agent = make();
	uint64_t reserved = 0;

	(void)state;
	left = 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(agent_reserve(agent, rows[i].bytes, &reserved), -EINVAL);
		assert_memory_equal(agent->refused.text, rows[i].text, strlen(rows[i].text));
		assert_int_equal(reserved, 0);
	}
	left = INT64_MAX;
	end("");
}

/* enum buffer_access, one bit each. */
static void rights(void **state)
{
	static const struct {
		uint32_t access;
		int flags;
	} rows[] = {
		{0, 0},
		{ACCESS_LOCAL, IBV_ACCESS_LOCAL_WRITE},
		{ACCESS_WRITE, IBV_ACCESS_REMOTE_WRITE},
		{ACCESS_READ, IBV_ACCESS_REMOTE_READ},
		{ACCESS_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC},
		{ACCESS_LOCAL | ACCESS_WRITE | ACCESS_READ | ACCESS_ATOMIC,
		 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_ATOMIC},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(agent_access(rows[i].access), rows[i].flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completion_queues), cmocka_unit_test(queue_with_channel),
		cmocka_unit_test(queue_pairs),	     cmocka_unit_test(psns),
		cmocka_unit_test(shared_queue),	     cmocka_unit_test(no_memory),
		cmocka_unit_test(taken_apart),	     cmocka_unit_test(transitions),
		cmocka_unit_test(known_when_told),   cmocka_unit_test(transitions_of_xrc),
		cmocka_unit_test(addresses),	     cmocka_unit_test(opened),
		cmocka_unit_test(reservations),	     cmocka_unit_test(rights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
