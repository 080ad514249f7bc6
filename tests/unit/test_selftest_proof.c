/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A server that does not know yet whether its client has the port that it names: the proof by a
 * packet, and what the server does for the client with and without it; and what else both sides are
 * told before the tests.
 */
#include "perfect_trial.h"

/* The far side is a server, and the client's port has another address than its connection. */
static void begin(struct soft_trial *bed)
{
	soft_begin(bed);
	bed->request.peer = "hostb";
	bed->far->guard = (struct guard){
		.strict = true,
		.opened = true,
		.peer = soft.ports[0].endpoint,
		.most_msec = 60000,
	};
	trial_add_row(&bed->trial, SELFTEST_SETUP, "connect", "");
}

static void proven(void **state)
{
	struct soft_trial bed;

	(void)state;
	begin(&bed);
	trial_prove(&bed.trial);
	assert_null(bed.trial.blocked);
	assert_true(bed.far->guard.proven);
	assert_false(bed.far->guard.asked);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_PASS);
	/* Nothing is left, and no proof is requested again. */
	assert_null(bed.far->qps[0].qp);
	assert_int_equal(soft.objects, 0);
	trial_prove(&bed.trial);
	assert_int_equal(soft.next_qpn, 2);
	soft_end(&bed);
}

static void drop_datum(struct ibv_wc *wc, bool receive)
{
	if (receive)
		wc->byte_len--;
}

static void another_nonce(enum ibv_wr_opcode opcode, uint8_t *to, uint8_t *from, size_t bytes)
{
	(void)opcode, (void)from;
	to[bytes - 1] ^= 1;
}

static void not_proven(void **state)
{
	struct soft_trial bed;

	(void)state;
	begin(&bed);
	soft.spoil = drop_datum;
	trial_prove(&bed.trial);
	assert_string_equal(bed.trial.blocked, "connect");
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
	assert_string_equal(bed.trial.result->reason,
			    "a packet from none0/1 of hostb to GID "
			    "0000:0000:0000:0000:0000:ffff:0a09:0001 of none0/1 did not arrive, so "
			    "the server cannot tell whose port that is, and runs no tests with it");
	assert_string_equal(bed.trial.result->next_step,
			    "let UDP port 4791 (RoCE v2) pass, or give --peer an address in the "
			    "network of that GID");
	/* The other tests are not even tried. */
	soft_skip(&bed, rc_tests, "rc-send", "nothing gets through: see connect");
	soft_end(&bed);
	/* A nonce other than the one that was sent. */
	begin(&bed);
	soft.damage = another_nonce;
	trial_prove(&bed.trial);
	assert_string_equal(bed.trial.blocked, "connect");
	assert_false(bed.far->guard.proven);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
	soft_end(&bed);
	/* The same failure over InfiniBand has another next step. */
	begin(&bed);
	bed.trial.near.can.far.transport = TRANSPORT_INFINIBAND;
	soft.spoil = drop_datum;
	trial_prove(&bed.trial);
	assert_string_equal(bed.trial.result->next_step,
			    "see whether both ports are in one subnet: rdmactl ports");
	soft_end(&bed);
	/* RoCE v1 has no UDP. */
	begin(&bed);
	bed.trial.near.can.far.transport = TRANSPORT_ROCE;
	bed.trial.near.can.far.gid_type = GID_TYPE_ROCE_V1;
	soft.spoil = drop_datum;
	trial_prove(&bed.trial);
	assert_string_equal(bed.trial.result->next_step,
			    "no router forwards RoCE v1: both ports must be in one VLAN; or choose "
			    "RoCE v2 GIDs with --gid-index and --peer-gid-index");
	soft_end(&bed);
	/* EFA has no UDP, either, and the kernel's firewall does not see its packets. */
	begin(&bed);
	bed.trial.near.can.far.transport = TRANSPORT_UNSPECIFIED;
	bed.trial.near.can.far.link_layer = LINK_LAYER_UNSPECIFIED;
	bed.far->endpoint.transport = TRANSPORT_UNSPECIFIED;
	bed.far->endpoint.link_layer = LINK_LAYER_UNSPECIFIED;
	soft.spoil = drop_datum;
	trial_prove(&bed.trial);
	assert_string_equal(bed.trial.result->next_step,
			    "both adapters must be in a security group that allows all traffic "
			    "from itself and to itself, inbound and outbound");
	soft_end(&bed);
	/* The format of its packets is unknown. */
	begin(&bed);
	bed.trial.near.can.far.transport = TRANSPORT_USNIC;
	bed.far->endpoint.transport = TRANSPORT_USNIC;
	soft.spoil = drop_datum;
	trial_prove(&bed.trial);
	assert_string_equal(bed.trial.result->next_step, "check the path between the two ports");
	soft_end(&bed);
}

static struct ibv_mr *refuse_nonce(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	if (length == NONCE_BYTES && !access) {
		errno = EPERM;
		return NULL;
	}
	return soft_register(pd, bytes, length, access);
}

/* The server may lock no memory, not even for the nonce: its limit of locked memory says why. */
static void nonce_not_locked(void **state)
{
	struct soft_trial bed;

	(void)state;
	begin(&bed);
	(bed.far->api.ibv_reg_mr) = refuse_nonce;
	trial_prove(&bed.trial);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
	assert_int_equal(bed.trial.far.refused.error, EPERM);
	assert_int_equal(bed.trial.far.refused.wanted_bytes, NONCE_BYTES);
	assert_true(bed.trial.far.refused.limit_bytes);
	/* Nobody knows whether packets get through. */
	soft_skip(&bed, rc_tests, "rc-send",
		  "the server runs no tests with an unproven port: see connect");
	soft_end(&bed);
}

/* Orders for the proof itself, without a client that follows the protocol. */
static void orders(void **state)
{
	struct message_is_proven answer = {.proven = 9};
	struct message_proof proof = {.nonce = {0}};
	const struct message_prove prove = {.qpn = 0x101};
	struct agent *agent = agent_new(-1, -1);
	struct message_qp_created created;

	(void)state;
	soft_attach(agent, 0);
	assert_int_equal(agent_proven(agent, &(struct message_none){}, &answer), 0);
	assert_int_equal(answer.proven, 1);
	agent->guard.strict = true;
	assert_int_equal(agent_proven(agent, &(struct message_none){}, &answer), 0);
	assert_int_equal(answer.proven, 0);
	/* A nonce that was not sent proves nothing, even if it is right. */
	assert_int_equal(agent_proof(agent, &proof), -EINVAL);
	assert_string_equal(agent->refused.text, "not what was sent to that port");
	assert_false(agent->guard.proven);
	agent->guard.asked = true;
	assert_int_equal(agent_proof(agent, &proof), 0);
	assert_true(agent->guard.proven);
	assert_int_equal(agent_proof(agent, &proof), -EINVAL);
	assert_true(agent->guard.proven);
	agent->guard.proven = false;
	assert_int_equal(agent_prove(agent, &prove), -EINVAL);
	assert_string_equal(agent->refused.text, "no connected queue pair for the proof");
	assert_int_equal(agent_cq(agent, &(struct message_cq){.entries = 4}), 0);
	assert_int_equal(
		agent_qp(agent,
			 &(struct message_qp){
				 .kind = QP_UD, .send_depth = 1, .receive_depth = 1, .sges = 1},
			 &created),
		0);
	assert_int_equal(agent_prove(agent, &prove), -EINVAL);
	assert_string_equal(agent->refused.text, "no connected queue pair for the proof");
	assert_int_equal(agent_address(agent, &(struct message_address){.to = agent->guard.peer}),
			 0);
	assert_int_equal(agent_prove(agent, &prove), -EINVAL);
	assert_string_equal(agent->refused.text, "the proof requires a connected queue pair");
	assert_false(agent->guard.asked);
	agent_free(agent);
}

static unsigned int polls;

static int poll_later(struct ibv_cq *cq, int count, struct ibv_wc *wc)
{
	return polls++ < 3 ? 0 : soft_poll(cq, count, wc);
}

/* An event of the device, before the packet is sent, does not cost the connection. */
static void event_meanwhile(void **state)
{
	const struct trial_retries retries = {.rnr_retries = 7, .timeout = 17};
	const struct qp_shape shape = {.retries = &retries};
	const struct span span = trial_span(0, NONCE_BYTES);
	const struct message_receive receive = {.id = 1, .count = 1, .span = span};
	struct message_prove prove = {.qkey = TRIAL_QKEY};
	struct ibv_context *context = &soft.ports[1].context;
	struct qp_numbers numbers;
	struct soft_trial bed;

	(void)state;
	begin(&bed);
	polls = 0;
	context->ops.poll_cq = poll_later;
	context->async_fd = eventfd(1, EFD_CLOEXEC);
	bed.far->watch.context = context;
	assert_int_equal(trial_connect(&bed.trial, &shape, &numbers), 0);
	assert_int_equal(trial_buffer(&bed.trial.near, TRIAL_DATA, NONCE_BYTES, ACCESS_LOCAL), 0);
	assert_int_equal(trial_receive(&bed.trial.near, &receive), 0);
	prove.qpn = numbers.near;
	assert_int_equal(side_prove(&bed.trial.far, &prove), 0);
	assert_non_null(bed.far->qps[0].qp);
	bed.far->watch.context = NULL;
	close(context->async_fd);
	soft_end(&bed);
}

/* ---- Memory ---- */

static void memory(void **state)
{
	static const struct {
		struct message_memory memory;
		const char *call, *reason, *hint;
	} rows[] = {
		{{MEMORY_ODP},
		 NULL,
		 "none0/1 has no memory of kind odp: ibv_query_device_ex: ",
		 "with mlx5 the firmware must allow it (mlxconfig), and Soft-RoCE has it since "
		 "Linux 6.15; otherwise choose another kind"},
		{{MEMORY_DMABUF, EXPORTER_CUDA},
		 NULL,
		 "none0/1 has no memory of kind dmabuf:cuda:0: ",
		 "the accelerator's driver must be loaded and its library installed; a server "
		 "cannot open its device files: start the test from the host with the accelerator"},
	};
	struct soft_trial bed;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		soft_begin(&bed);
		trial_add_row(&bed.trial, SELFTEST_SETUP, "connect", "");
		bed.request.memory = rows[i].memory;
		assert_int_not_equal(trial_set_memory(&bed.trial), 0);
		assert_int_equal(bed.trial.result->verdict.value, SELFTEST_FAIL);
		if (strncmp(bed.trial.result->reason, rows[i].reason, strlen(rows[i].reason)))
			fail_msg("'%s' instead of '%s'", bed.trial.result->reason, rows[i].reason);
		assert_string_equal(bed.trial.result->next_step, rows[i].hint);
		soft_end(&bed);
		/* The same for the peer, which is named. */
		soft_begin(&bed);
		trial_add_row(&bed.trial, SELFTEST_SETUP, "connect", "");
		bed.request.peer = "hostb";
		bed.request.peer_memory = rows[i].memory;
		assert_int_not_equal(trial_set_memory(&bed.trial), 0);
		assert_int_equal(strncmp(bed.trial.result->reason, "on hostb: none0/1 has no ", 25),
				 0);
		assert_int_equal(strncmp(bed.trial.result->next_step, "on hostb: ", 10), 0);
		assert_string_equal(bed.trial.result->next_step + 10, rows[i].hint);
		soft_end(&bed);
	}
	/* Ordinary pages, without a request for them. */
	soft_begin(&bed);
	trial_add_row(&bed.trial, SELFTEST_SETUP, "connect", "");
	assert_int_equal(trial_set_memory(&bed.trial), 0);
	assert_int_equal(bed.trial.result->verdict.value, SELFTEST_PASS);
	soft_end(&bed);
}

/* ---- Ports ---- */

static int list_ports(void *context, uint32_t first, struct message_listed *ret_ports,
		      char **ret_reason)
{
	const int *rc = context;

	*ret_ports = (struct message_listed){.total = 40 + first, .count = 1};
	if (*rc == -ENODEV)
		*ret_reason = mem_string("there is no port");
	return *rc;
}

static void ports(void **state)
{
	const struct message_list_ports order = {.first = 2};
	struct agent *agent = agent_new(-1, -1);
	struct message_listed listed = {0};
	int rc = 0;

	(void)state;
	assert_int_equal(agent_list_ports(agent, &order, &listed), -EINVAL);
	assert_string_equal(agent->refused.text, "no ports are listed here");
	assert_int_equal(agent->refused.refusal, REFUSAL_ORDER);
	agent->list = list_ports;
	agent->owner = &rc;
	assert_int_equal(agent_list_ports(agent, &order, &listed), 0);
	assert_int_equal(listed.total, 42);
	rc = -ENODEV;
	assert_int_equal(agent_list_ports(agent, &order, &listed), -EINVAL);
	assert_string_equal(agent->refused.text, "there is no port");
	assert_int_equal(agent->refused.refusal, REFUSAL_NO_PORT);
	rc = -EACCES;
	assert_int_equal(agent_list_ports(agent, &order, &listed), -EINVAL);
	assert_string_equal(agent->refused.text, "Permission denied");
	agent_free(agent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proven),
		cmocka_unit_test(not_proven),
		cmocka_unit_test(nonce_not_locked),
		cmocka_unit_test(event_meanwhile),
		cmocka_unit_test(orders),
		cmocka_unit_test(memory),
		cmocka_unit_test(ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
