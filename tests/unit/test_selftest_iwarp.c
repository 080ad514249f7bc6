/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The tests of reliable connections and of faults on an iWARP device in memory: whatever the far
 * side refuses ends the stream (RFC 5040, 7), and the queue pairs of both sides with it.
 */
#include "perfect_cm.h"

/* ---- Turns a device of perfect_cm.h into an iWARP device ---- */

static struct iwarp {
	/* Changes a completion once its effect on the stream has happened. */
	void (*change)(struct ibv_wc *wc, bool receive);
	unsigned int side;  /* the side that `change` is for; 2: both */
	bool drops;	    /* drops the receives that wait when the stream ends */
	uint64_t swallowed; /* id of a posted work request that vanishes */
	int state;	    /* of a new queue pair, as a query shows it; 0: RESET */
	bool ended;
} iwarp;

static struct soft_qp *qp_of(const struct soft_cm_id *id)
{
	return id && id->peer && id->param.qp_num ? soft_find_qp(id->param.qp_num) : NULL;
}

/* Ends all connections: there is only one at a time. */
static void end_stream(void)
{
	iwarp.ended = true;
	for (size_t i = 0; i < SOFT_IDS; i++) {
		struct soft_cm_id *id = soft_cm.ids[i];
		struct soft_qp *qp = qp_of(id);

		if (!qp || id->told)
			continue;
		id->told = true;
		soft_cm_push(id, RDMA_CM_EVENT_DISCONNECTED);
		if (iwarp.drops)
			qp->receives.head = qp->receives.count;
		soft_break(qp);
	}
}

static void terminate(struct ibv_wc *wc, bool receive)
{
	const struct soft_qp *qp = soft_find_qp(wc->qp_num);

	/* A flushed request results from another failure, or from the state. */
	if (wc->status && wc->status != IBV_WC_WR_FLUSH_ERR && !iwarp.ended)
		end_stream();
	if (iwarp.change && qp &&
	    (iwarp.side == 2 || (unsigned int)soft_side(qp->qp.context) == iwarp.side))
		iwarp.change(wc, receive);
}

/* A queue pair is destroyed with its connection. */
static int destroy_id(struct rdma_cm_id *id)
{
	pthread_mutex_lock(&soft.lock);
	if (((struct soft_cm_id *)id)->peer && !iwarp.ended)
		end_stream();
	pthread_mutex_unlock(&soft.lock);
	return soft_cm_destroy(id);
}

/* The next connection begins. */
static int create_id(struct rdma_event_channel *channel, struct rdma_cm_id **ret, void *context,
		     enum rdma_port_space space)
{
	iwarp.ended = false;
	return soft_cm_create(channel, ret, context, space);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	return iwarp.swallowed && work->wr_id == iwarp.swallowed ? 0
								 : soft_post_send(qp, work, bad);
}

static int query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		    struct ibv_qp_init_attr *init)
{
	int rc = soft_query(qp, attr, mask, init);

	if (attr->qp_state == IBV_QPS_RESET)
		attr->qp_state = (enum ibv_qp_state)iwarp.state;
	return rc;
}

static int unknown_state(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
			 struct ibv_qp_init_attr *init)
{
	int rc = soft_query(qp, attr, mask, init);

	attr->qp_state = IBV_QPS_RESET;
	return rc;
}

static void begin(struct soft_trial *bed)
{
	iwarp = (struct iwarp){.side = 2};
	soft_cm_begin(bed);
	for (unsigned int side = 0; side < 2; side++) {
		struct agent *agent = side ? bed->far : bed->trial.near.agent;

		agent->api.rdma_create_id = create_id;
		agent->api.rdma_destroy_id = destroy_id;
		agent->api.ibv_query_qp = query_qp;
		soft.ports[side].context.ops.post_send = post_send;
	}
	bed->trial.near.can.far.transport = bed->trial.far.can.far.transport = TRANSPORT_IWARP;
	soft.spoil = terminate;
}

/* ---- A perfect device ---- */

static const char *const refused[] = {
	"fault-bad-rkey",      "fault-out-of-bounds", "fault-no-permission", "fault-short-receive",
	"fault-peer-vanished", "fault-wrong-domain",  "fault-bad-key",
};

static void perfect(void **state)
{
	struct soft_trial bed;

	(void)state;
	begin(&bed);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		const struct selftest_result *row;

		soft_pass(&bed, fault_tests, refused[i], NULL);
		row = bed.trial.result;
		/* librdmacm has its own time-out for a peer that is gone. */
		assert_int_equal(row->link.retries.value,
				 !strcmp(refused[i], "fault-peer-vanished") ? 0 : 2);
		assert_int_equal(row->link.rnr_retries.value, 1);
	}
	soft_skip(
		&bed, fault_tests, "fault-rnr",
		"iWARP has no RNR NAK: a message without a receive ends the connection (RFC 5041, "
		"7.1)");
	soft_skip(&bed, memory_tests, "rc-window-1",
		  "a refused iWARP write ends the connection (RFC 5040, 7), and says nothing about "
		  "the window");
	soft_pass(&bed, rc_tests, "rc-send", NULL);
	soft_pass(&bed, rc_tests, "rc-write", NULL);
	soft_pass(&bed, rc_tests, "rc-read", NULL);
	soft_pass(&bed, rc_tests, "rc-zero-length", NULL);
	soft_cm_end(&bed);
}

static void states(void **state)
{
	static const char remark[] =
		"iWARP has no RTR and no SQD: rdma_cm brings a queue pair from IDLE to RTS";
	struct soft_trial bed;

	(void)state;
	/* Some drivers report a new queue pair in RESET, others in INIT. */
	for (int first = IBV_QPS_RESET; first <= IBV_QPS_INIT; first++) {
		begin(&bed);
		iwarp.state = first;
		soft_pass(&bed, rc_tests, "rc-states", remark);
		soft_pass(&bed, setup_tests, "setup-pair", NULL);
		soft_cm_end(&bed);
	}
	begin(&bed);
	iwarp.state = IBV_QPS_RTR;
	soft_expect(&bed, rc_tests, "rc-states", SELFTEST_FAIL,
		    "the local queue pair is in state RTR, not RESET");
	soft_expect(&bed, setup_tests, "setup-pair", SELFTEST_FAIL,
		    "the local queue pair is in state RTR, not RESET");
	/* InfiniBand allows only one state here. */
	iwarp.state = IBV_QPS_INIT;
	bed.trial.near.can.far.transport = TRANSPORT_ROCE;
	soft_expect(&bed, setup_tests, "setup-pair", SELFTEST_FAIL,
		    "the local queue pair is in state INIT, not RESET");
	soft_cm_end(&bed);
}

/* ---- The statuses that drivers choose ---- */

static unsigned int chosen;

/* The ids of the posted work requests. */
enum { ID = 0xf000, ID_LATER = 0xf002, ID_RECEIVE = 0xf003 };

static void request_ends_as(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->wr_id == ID)
		wc->status = (enum ibv_wc_status)chosen;
}

static bool ends_a_stream(unsigned int status)
{
	switch (status) {
	case IBV_WC_SUCCESS: /* a write or a send that has left */
	case IBV_WC_LOC_QP_OP_ERR:
	case IBV_WC_WR_FLUSH_ERR:
	case IBV_WC_REM_ACCESS_ERR:
	case IBV_WC_REM_INV_REQ_ERR:
	case IBV_WC_REM_OP_ERR:
	case IBV_WC_REM_ABORT_ERR:
	case IBV_WC_FATAL_ERR:
	case IBV_WC_GENERAL_ERR:
		return true;
	default:
		return false;
	}
}

static void statuses(void **state)
{
	static const unsigned int odd[] = {31, 32, 42, 0x400};

	(void)state;
	for (unsigned int i = 0; i <= IBV_WC_TM_RNDV_INCOMPLETE + ARRAY_SIZE(odd); i++) {
		struct soft_trial bed;
		char *reason;

		begin(&bed);
		chosen = i <= IBV_WC_TM_RNDV_INCOMPLETE ? i
							: odd[i - IBV_WC_TM_RNDV_INCOMPLETE - 1];
		iwarp.change = request_ends_as;
		reason = mem_format(
			"message of 65 bytes for a receive of 64: the request completed "
			"with '%s', not with 'remote invalid request error'",
			completion_status_name(chosen));
		if (ends_a_stream(chosen))
			soft_pass(&bed, fault_tests, "fault-short-receive", NULL);
		else
			soft_expect(&bed, fault_tests, "fault-short-receive", SELFTEST_FAIL,
				    reason);
		free(reason);
		soft_cm_end(&bed);
	}
}

/* A refused read has fetched no data: it cannot be a success. */
static void read_as_success(void **state)
{
	struct soft_trial bed;

	(void)state;
	begin(&bed);
	chosen = IBV_WC_SUCCESS;
	iwarp.change = request_ends_as;
	soft_expect(
		&bed, fault_tests, "fault-bad-rkey", SELFTEST_FAIL,
		"RDMA read with an invalid rkey: the request completed with 'success', not with "
		"'remote access error'");
	assert_string_equal(bed.trial.result->status, "success");
	assert_string_equal(
		bed.trial.result->next_step,
		"do not connect this device to untrusted peers; update its firmware and "
		"its driver");
	soft_cm_end(&bed);
}

/* ---- Other differences ---- */

static void receive_flushed(struct ibv_wc *wc, bool receive)
{
	if (receive && wc->status == IBV_WC_LOC_LEN_ERR)
		wc->status = IBV_WC_WR_FLUSH_ERR;
}

static void receive_aborted(struct ibv_wc *wc, bool receive)
{
	if (receive && wc->wr_id == ID_RECEIVE)
		wc->status = IBV_WC_REM_ABORT_ERR;
}

static void later_succeeds(struct ibv_wc *wc, bool receive)
{
	(void)receive;
	if (wc->wr_id == ID_LATER)
		wc->status = IBV_WC_SUCCESS;
}

static void later_is_another(struct ibv_wc *wc, bool receive)
{
	(void)receive;
	if (wc->wr_id == ID_LATER)
		wc->wr_id = ID_RECEIVE;
}

static void own_flushed(struct ibv_wc *wc, bool receive)
{
	if (!receive && wc->status == IBV_WC_LOC_PROT_ERR)
		wc->status = IBV_WC_WR_FLUSH_ERR;
}

#define TOO_LONG "message of 65 bytes for a receive of 64: "
#define DROPPED	 "a receive is not flushed when the connection ends"
#define STAYS	 "a queue pair stays in RTS when its connection ends"
#define SILENT	 "a request posted after the end neither completes nor is refused"

static const struct {
	const char *id;
	void (*change)(struct ibv_wc *wc, bool receive);
	unsigned int side, lenient;
	bool drops, unknown;
	uint64_t swallowed;
	enum selftest_verdict verdict;
	const char *reason;
} rows[] = {
	/* The receive may be flushed, like all others that wait. */
	{"fault-short-receive", receive_flushed, 2, 0, false, false, 0, SELFTEST_PASS,
	 "reported as 'Work Request Flushed Error', the specification says 'local length error'"},
	{"fault-short-receive", receive_aborted, 0, 0, false, false, 0, SELFTEST_FAIL,
	 TOO_LONG "the local receive completed with 'aborted error', not with 'Work Request "
		  "Flushed Error'"},
	{"fault-short-receive", receive_aborted, 1, 0, false, false, 0, SELFTEST_FAIL,
	 TOO_LONG "the far receive completed with 'aborted error', not with 'local length error'"},
	{"fault-bad-key", receive_aborted, 1, 0, false, false, 0, SELFTEST_FAIL,
	 "send with an invalid lkey: the far receive completed with 'aborted error', not with "
	 "'Work "
	 "Request Flushed Error'"},
	{"fault-bad-key", own_flushed, 2, 0, false, false, 0, SELFTEST_PASS,
	 "reported as 'Work Request Flushed Error', the specification says 'local protection "
	 "error'"},
	{"fault-no-permission", later_succeeds, 2, 0, false, false, 0, SELFTEST_FAIL,
	 "RDMA write to memory that may only be read: a later request completed with 'success', "
	 "not "
	 "with 'Work Request Flushed Error'"},
	{"fault-no-permission", later_is_another, 2, 0, false, false, 0, SELFTEST_FAIL,
	 "RDMA write to memory that may only be read: a later request completed with the id "
	 "0xf003, "
	 "not with 0xf002"},
	/* Each remark appears once, whatever the number of faults. */
	{"fault-out-of-bounds", NULL, 2, 0, true, false, 0, SELFTEST_PASS, DROPPED},
	{"fault-out-of-bounds", NULL, 2, LENIENT_STATE, false, false, 0, SELFTEST_PASS, STAYS},
	{"fault-out-of-bounds", NULL, 2, LENIENT_STATE, true, false, 0, SELFTEST_PASS,
	 DROPPED "; " STAYS},
	{"fault-out-of-bounds", NULL, 2, 0, false, true, 0, SELFTEST_PASS,
	 "the driver does not report the state of a queue pair"},
	{"fault-out-of-bounds", NULL, 2, 0, false, false, ID_LATER, SELFTEST_PASS, SILENT},
	{"fault-out-of-bounds", NULL, 2, 0, true, false, ID_LATER, SELFTEST_PASS,
	 DROPPED "; " SILENT},
	{"fault-peer-vanished", NULL, 2, 0, true, false, 0, SELFTEST_PASS, DROPPED},
	/* Refusing the request is just as good. */
	{"fault-out-of-bounds", NULL, 2, REFUSE_IN_ERROR, false, false, 0, SELFTEST_PASS, NULL},
};

static void differences(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct soft_trial bed;

		begin(&bed);
		iwarp.change = rows[i].change;
		iwarp.side = rows[i].side;
		iwarp.drops = rows[i].drops;
		iwarp.swallowed = rows[i].swallowed;
		soft.lenient = rows[i].lenient;
		if (rows[i].unknown) {
			bed.trial.near.can.vendor = bed.trial.far.can.vendor = 0x626d74;
			bed.trial.near.agent->api.ibv_query_qp = bed.far->api.ibv_query_qp =
				unknown_state;
		}
		soft_expect(&bed, fault_tests, rows[i].id, rows[i].verdict, rows[i].reason);
		soft_cm_end(&bed);
	}
}

/* The events of a side before its connection ends: those of the next one do not reach it. */
static void connection_stays(void **state)
{
	static const struct {
		unsigned int side, events;
		int error;
		const char *reason;
	} sides[] = {
		{0, 3, ETIMEDOUT,
		 "RDMA write across the end of the memory region: the connection does not end on "
		 "this side"},
		{1, 2, ETIMEDOUT,
		 "RDMA write across the end of the memory region: the connection does not end on "
		 "the far side"},
		/* Another failure is no fault of the device. */
		{0, 3, EINVAL,
		 "RDMA write across the end of the memory region: rdma_get_cm_event failed on "
		 "none0/1: Invalid argument"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sides); i++) {
		struct soft_trial bed;

		begin(&bed);
		soft_cm.refused = "rdma_get_cm_event";
		soft_cm.refused_side = sides[i].side;
		soft_cm.spared = sides[i].events;
		soft_cm.error = sides[i].error;
		soft_expect(&bed, fault_tests, "fault-out-of-bounds", SELFTEST_FAIL,
			    sides[i].reason);
		soft_cm_end(&bed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfect),     cmocka_unit_test(states),
		cmocka_unit_test(statuses),    cmocka_unit_test(read_as_success),
		cmocka_unit_test(differences), cmocka_unit_test(connection_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
