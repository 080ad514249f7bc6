/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The exchange with a test of perftest, as its client and server. */
#include <arpa/inet.h>
#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/device.h"
#include "mad/format/codes.h"
#include "selftest/memory/pattern.h"
#include "selftest/agent/watch.h"
#include "selftest/interop/perftest.h"

/* Outstanding reads and atomics; perftest itself offers as many as its device has. */
#define PERFTEST_READS 16u

/* How long a client that has connected may take to start. */
#define FIRST_MSEC 3000u

/* A test that takes years is not a measurement. */
#define MOST_NSEC 1e17

/* MIN_ITER, perftest_parameters.h of perftest. */
#define PERFTEST_LEAST_ITERATIONS 5

#define CYCLE_BYTES 4096u
#define CACHE_LINE  64u

/* The receives that an ib_send_bw server posts, unless -r says otherwise. */
#define PERFTEST_RECEIVES 512u

/* ---- Steps of the exchange ---- */

/* The client writes first, the server reads first. `got` has room for `length` bytes. */
static int swap(struct perftest *run, const void *bytes, void *got, size_t length,
		unsigned int msec)
{
	struct watch *watch = &run->session->agent->watch;

	if (run->session->server)
		return tcp_read(watch, run->fd, got, length, msec)
			       ?: tcp_write(watch, run->fd, bytes, length, msec);
	return tcp_write(watch, run->fd, bytes, length, msec)
		       ?: tcp_read(watch, run->fd, got, length, msec);
}

/* A peer that closes the connection after sending its address has ended during the test. */
static int fail_step(struct perftest *run, int rc, unsigned int msec)
{
	const bool closed = rc == -ECONNRESET || rc == -EPIPE;

	/*
	 * Only the wait for the end of the test is that long. Meanwhile the peer may have sent as
	 * much as it could, which nobody notices here.
	 */
	if (rc == -ETIMEDOUT && msec == run->measure_msec)
		return interop_fail_with(run->session, LIST_INTEROP_LINE, ETIME, "%u", msec / 1000);
	return closed && run->remote.qpn ? interop_fail(run->session, LIST_INTEROP_CLOSED, 0)
					 : interop_fail_exchange(run->session, rc, msec);
}

static int swap_version(struct perftest *run)
{
	static const char own[PERFTEST_VERSION_BYTES] = PERFTEST_VERSION;
	struct interop *session = run->session;
	char got[PERFTEST_VERSION_BYTES];
	int rc = swap(run, own, got, sizeof(got),
		      session->server ? FIRST_MSEC : session->timeout_msec)
			 ?: perftest_parse_version(got, &run->version);

	if (rc)
		return interop_fail_exchange(session, rc, FIRST_MSEC);
	interop_remark(session, "the peer has perftest %.2f", run->version);
	if (run->version < PERFTEST_OLDEST)
		return interop_fail_with(session, LIST_INTEROP_VERSION, 0, "%.2f", run->version);
	return 0;
}

static int swap_number(struct perftest *run, uint32_t own, uint32_t *ret)
{
	uint32_t put = htonl(own), got;
	int rc = swap(run, &put, &got, sizeof(got), run->session->timeout_msec);

	if (!rc)
		*ret = ntohl(got);
	return rc;
}

static int swap_sizes(struct perftest *run, uint32_t *ret_cycle)
{
	struct interop *session = run->session;
	char own[PERFTEST_MTU_BYTES] = {(char)('0' + mtu_code(session->mtu_bytes)), '\0'};
	char got[PERFTEST_MTU_BYTES];
	uint32_t cycle, line, mtu;
	int rc = swap_number(run, CYCLE_BYTES, &cycle) ?: swap_number(run, CACHE_LINE, &line)
			 ?: swap(run, own, got, sizeof(got), session->timeout_msec)
			 ?: perftest_parse_mtu(got, &mtu);

	if (rc)
		return interop_fail_exchange(session, rc, session->timeout_msec);
	if (cycle > PERFTEST_MOST_CYCLE)
		return interop_fail_with(session, LIST_INTEROP_CYCLE, 0, "%u", cycle);
	if (mtu < session->mtu_bytes)
		session->mtu_bytes = mtu;
	*ret_cycle = cycle > CYCLE_BYTES ? cycle : CYCLE_BYTES;
	return 0;
}

static int swap_keys(struct perftest *run, unsigned int msec)
{
	const struct perftest_keys *known = &run->remote;
	struct interop *session = run->session;
	const bool with_gid = session->local->link_layer != LINK_LAYER_INFINIBAND;
	const size_t length = with_gid ? PERFTEST_GID_BYTES : PERFTEST_LINE_BYTES;
	char own[PERFTEST_GID_BYTES], got[PERFTEST_GID_BYTES];
	struct perftest_keys keys;
	int rc;

	perftest_format_keys(&run->own, with_gid, own);
	rc = swap(run, own, got, length, msec);
	if (rc)
		return fail_step(run, rc, msec);
	if (perftest_parse_keys(got, with_gid, &keys))
		return interop_fail(session, LIST_INTEROP_KEYS, with_gid);
	/* Each queue pair has a line of its own, so another address means several queue pairs. */
	if (!known->qpn)
		run->remote = keys;
	else if (keys.qpn != known->qpn || keys.psn != known->psn || keys.lid != known->lid)
		return interop_fail(session, LIST_INTEROP_OTHER, 0);
	return 0;
}

static int swap_keys_times(struct perftest *run, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		if (swap_keys(run, run->session->timeout_msec))
			return -EIO;
	return 0;
}

static int swap_report(struct perftest *run)
{
	struct interop *session = run->session;
	uint64_t own[PERFTEST_REPORT_ITEMS] = {0}, got[PERFTEST_REPORT_ITEMS];
	double rate;
	int rc = 0;

	if (!session->server)
		perftest_format_report(session->bytes, session->done,
				       (double)session->done * 1e3 / (double)session->bulk_nsec,
				       own);
	for (size_t i = 0; !rc && i < PERFTEST_REPORT_ITEMS; i++)
		rc = swap(run, &own[i], &got[i], sizeof(own[i]), session->timeout_msec);
	if (rc)
		return fail_step(run, rc, session->timeout_msec);
	if (!session->server)
		return 0;
	if (perftest_parse_report(got, &session->bytes, &session->done, &rate))
		return interop_fail(session, LIST_INTEROP_REPORT, 0);
	if ((double)session->done * 1e3 < rate * MOST_NSEC)
		session->bulk_nsec = (uint64_t)((double)session->done * 1e3 / rate);
	session->bulk_messages = session->done;
	return 0;
}

/* ---- Queue pair and memory ---- */

static uint32_t reads(int limit)
{
	return limit < (int)PERFTEST_READS ? (uint32_t)(limit > 0 ? limit : 1) : PERFTEST_READS;
}

static int make(struct perftest *run, uint32_t cycle)
{
	struct interop *session = run->session;
	const struct agent_qp *qp = &session->agent->qps[INTEROP_QP];

	if (interop_make_qp(session, INTEROP_QP) ||
	    interop_make_buffers(session, session->bytes > cycle ? session->bytes : cycle,
				 ACCESS_LOCAL | run->kind->access))
		return -EIO;
	run->own = (struct perftest_keys){
		.lid = session->local->lid,
		.reads = run->kind->operation == SELFTEST_READ
				 ? reads(session->agent->limits.max_qp_rd_atom)
				 : 1,
		.qpn = qp->qp->qp_num,
		.psn = qp->psn,
		.rkey = session->agent->buffers[INTEROP_RECEIVED_BUFFER].mr->rkey,
		.address = (uintptr_t)session->received,
		.gid = interop_own_gid(session),
	};
	return 0;
}

static int connect_qp(struct perftest *run)
{
	struct interop *session = run->session;
	const uint32_t initiator = reads(session->agent->limits.max_qp_init_rd_atom);
	struct message_modify order = {
		.slot = INTEROP_QP,
		.state = IBV_QPS_INIT,
		.access = ACCESS_WRITE | ACCESS_READ,
		.qpn = run->remote.qpn,
		.psn = run->remote.psn,
		.max_rd_atomic = run->own.reads,
	};

	for (; order.state <= IBV_QPS_RTS; order.state++) {
		/* Up to here the reads to answer, from here on those to request. */
		if (order.state == IBV_QPS_RTS)
			order.max_rd_atomic = run->remote.reads < initiator ? run->remote.reads
									    : initiator;
		if (interop_modify(session, &order))
			return -EIO;
		if (order.state == IBV_QPS_INIT && perftest_post_receives(run))
			return -EIO;
	}
	return 0;
}

static int begin(struct perftest *run)
{
	struct interop *session = run->session;
	uint32_t cycle = 0;

	if (swap_version(run) || swap_sizes(run, &cycle) || make(run, cycle) ||
	    swap_keys_times(run, run->kind->before) ||
	    interop_set_remote(session, run->remote.lid, &run->remote.gid) || connect_qp(run))
		return -EIO;
	/* Posts all of the message, to or from the start of the peer's memory. */
	run->request = session->send;
	run->request.opcode = run->kind->opcode;
	run->request.wr.rdma.remote_addr = run->remote.address;
	run->request.wr.rdma.rkey = run->remote.rkey;
	pattern_fill(session->sent, 0, session->bytes, 0);
	return swap_keys_times(run, run->kind->after);
}

/* The client reports that it is done, which is all a server that only waits hears of the test. */
static int end(struct perftest *run)
{
	struct interop *session = run->session;
	const bool waits = session->server && !run->kind->server_moves;
	unsigned int msec = waits ? run->measure_msec : session->timeout_msec;

	if (run->kind->report) {
		if (swap_keys(run, msec) || swap_report(run))
			return -EIO;
		msec = session->timeout_msec;
	}
	if (!run->kind->close)
		return 0;
	if (swap_keys(run, msec))
		return -EIO;
	/* An error does not matter: nobody reads this, and it may come too late. */
	tcp_write(&session->agent->watch, run->fd, PERFTEST_DONE, sizeof(PERFTEST_DONE),
		  session->timeout_msec);
	return 0;
}

void perftest_exchange(struct perftest *run)
{
	struct interop *session = run->session;

	if (begin(run) || perftest_run(run) || end(run))
		return;
	if (session->server && !run->kind->server_moves) {
		session->unseen = !run->kind->report;
		interop_remark(session, "the peer has perftest %.2f; %s", run->version,
			       run->kind->report ? "measured by its client"
						 : "only its client knows the result");
	}
	/* The last acknowledgement to an ib_write_lat peer may be lost. */
	if (!run->kind->close)
		watch_wait(&session->agent->watch, -1, INTEROP_LINGER_MSEC);
}

static void exchange(struct interop *session, int fd)
{
	struct perftest run = {
		.session = session,
		.kind = (const struct perftest_kind *)session->role,
		.fd = fd,
		.measure_msec = PERFTEST_MEASURE_MSEC,
	};

	perftest_exchange(&run);
}

static void run(struct interop *session)
{
	int fd;

	if (session->server) {
		interop_serve_tcp(session, exchange);
	} else if (!interop_connect_tcp(session, &fd)) {
		exchange(session, fd);
		close(fd);
	}
}

/* ---- The tests ---- */

#define PERFTEST(program_, client_, server_, bytes_, iterations_)                               \
	.test = program_, .program = program_, .client_summary = client_,                       \
	.server_summary = server_, .connection = CONNECTION_EXCHANGE, .kind = QP_RC,            \
	.by_active_mtu = true, .port = PINGPONG_PORT, .most_bytes = LIMIT_BYTES / 4,            \
	.least_iterations = PERFTEST_LEAST_ITERATIONS, .command = perftest_command, .run = run, \
	.bytes = bytes_, .iterations = iterations_
#define BANDWIDTH(program, client, server, iterations) \
	.role = {PERFTEST(program, client, server, 65536, iterations), .depth = PERFTEST_RECEIVES}
#define LATENCY(program, client, server) \
	.role = {PERFTEST(program, client, server, 2, 1000)}, .latency = true

#define SENDS(before_)                                                                    \
	.operation = SELFTEST_SEND, .opcode = IBV_WR_SEND, .before = before_, .after = 3, \
	.close = true, .server_moves = true
#define WRITES(before_)                                                                   \
	.operation = SELFTEST_WRITE, .opcode = IBV_WR_RDMA_WRITE, .access = ACCESS_WRITE, \
	.before = before_, .after = 2
#define READS(before_)                                                                 \
	.operation = SELFTEST_READ, .opcode = IBV_WR_RDMA_READ, .access = ACCESS_READ, \
	.before = before_, .after = 2, .close = true

static const struct perftest_kind kinds[] = {
	{BANDWIDTH("ib_send_bw", "messages to an ib_send_bw server, bandwidth",
		   "messages of an ib_send_bw client, bandwidth", 1000),
	 SENDS(1)},
	{BANDWIDTH("ib_write_bw", "writes into the memory of an ib_write_bw server, bandwidth",
		   "writes of an ib_write_bw client, which measures them", 5000),
	 WRITES(1), .report = true, .close = true},
	{BANDWIDTH("ib_read_bw", "reads of the memory of an ib_read_bw server, bandwidth",
		   "reads of an ib_read_bw client, which measures them", 1000),
	 READS(1), .report = true},
	{LATENCY("ib_send_lat", "messages to an ib_send_lat server and back, latency",
		 "messages of an ib_send_lat client and back, latency"),
	 SENDS(1)},
	{LATENCY("ib_write_lat", "writes to an ib_write_lat server and back, latency",
		 "writes of an ib_write_lat client and back, latency"),
	 WRITES(2), .server_moves = true},
	{LATENCY("ib_read_lat", "reads of the memory of an ib_read_lat server, latency",
		 "reads of an ib_read_lat client, which measures them"),
	 READS(2)},
};

const struct interop_role *perftest_role(const struct selftest_request *request)
{
	const unsigned int operation = request->operations ? request->operations : SELFTEST_WRITE;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].operation == operation && kinds[i].latency == request->latency)
			return &kinds[i].role;
	return NULL;
}
