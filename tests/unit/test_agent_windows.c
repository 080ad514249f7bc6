/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory windows and the proof of a port, call by call; and devices that cannot be opened. */
#include "logged_device.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/gid.h"
#include "host/device.h"

/* ---- A device that logs its calls ---- */

static struct ibv_mr *register_memory(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	assert_ptr_equal(pd, &device.pd);
	device_note("register %s%zu access %x\n", bytes == device.bytes ? "buffer " : "", length,
		    (unsigned int)access);
	return &device.mr;
}

static int deregister(struct ibv_mr *mr)
{
	assert_ptr_equal(mr, &device.mr);
	device_note("deregister\n");
	return 0;
}

static struct ibv_mw windows[2];
static size_t made;

static struct ibv_mw *alloc_window(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct ibv_mw *mw = &windows[made++];

	*mw = (struct ibv_mw){.context = &device.context, .pd = pd, .rkey = 0x12fe, .type = type};
	device_note("window of type %d\n", type == IBV_MW_TYPE_1 ? 1 : 2);
	return mw;
}

static int free_window(struct ibv_mw *mw)
{
	device_note("free window %zu\n", (size_t)(mw - windows));
	return 0;
}

static void note_info(const struct ibv_mw_bind_info *info)
{
	assert_ptr_equal(info->mr, &device.mr);
	if (info->addr)
		device_note(" %" PRIu64, info->addr - (uintptr_t)device.bytes);
	device_note("+%" PRIu64 " access %x", info->length, info->mw_access_flags);
}

static int failing; /* what the next call returns */

static int bind_window(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *how)
{
	assert_ptr_equal(qp, &device.qps[0]);
	if (failing)
		return failing;
	assert_int_equal(how->send_flags, IBV_SEND_SIGNALED);
	device_note("bind #%" PRIu64, how->wr_id);
	note_info(&how->bind_info);
	device_note("\n");
	mw->rkey = 0x3301;
	return 0;
}

static int post(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **refused)
{
	assert_ptr_equal(qp, &device.qps[0]);
	*refused = work;
	if (failing)
		return failing;
	assert_int_equal(work->send_flags, IBV_SEND_SIGNALED);
	assert_null(work->next);
	if (work->opcode == IBV_WR_LOCAL_INV) {
		device_note("invalidate %x #%" PRIu64 "\n", work->invalidate_rkey, work->wr_id);
		return 0;
	}
	assert_int_equal(work->opcode, IBV_WR_BIND_MW);
	device_note("post bind of %zu as %x #%" PRIu64, (size_t)(work->bind_mw.mw - windows),
		    work->bind_mw.rkey, work->wr_id);
	note_info(&work->bind_mw.bind_info);
	device_note("\n");
	return 0;
}

static struct agent *make(uint32_t kind)
{
	struct agent *agent = device_make(kind, 1);

	made = 0;
	failing = 0;
	agent->domains[0] = &device.pd;
	device.pd.context = &device.context;
	device.mr.pd = &device.pd;
	device.qps[0].pd = &device.pd;
	(agent->api.ibv_reg_mr) = register_memory;
	agent->api.ibv_dereg_mr = deregister;
	device.context.ops.alloc_mw = alloc_window;
	device.context.ops.dealloc_mw = free_window;
	device.context.ops.bind_mw = bind_window;
	device.context.ops.post_send = post;
	return agent;
}

static void end(void)
{
	device.agent->domains[0] = NULL;
	device_free();
}

static uint32_t order(uint32_t action, uint32_t type, uint32_t slot, uint64_t bytes)
{
	const struct message_window window = {
		.action = action,
		.type = type,
		.slot = slot,
		.offset = 64,
		.bytes = bytes,
		.access = ACCESS_LOCAL | ACCESS_READ,
		.id = 5,
	};
	struct message_windowed reply = {0};
	const int rc = agent_window(device.agent, &window, &reply);

	if (rc)
		device_note("failed: %s\n", device.agent->refused.text);
	return reply.rkey;
}

/* ---- Windows ---- */

/* Type 1: a call binds it, and the device chooses the key. */
static void first_type(void **state)
{
	struct agent *agent = make(QP_RC);

	(void)state;
	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW_TYPE_2A |
					 IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	assert_int_equal(order(WINDOW_MAKE, 1, 0, 0), 0);
	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW;
	assert_int_equal(order(WINDOW_MAKE, 2, 0, 0), 0);
	device_expect("failed: no memory windows of type 1 (device_cap_flags)\n"
		      "failed: no memory windows of type 2 (device_cap_flags)\n");
	assert_int_equal(agent->refused.error, EOPNOTSUPP);
	assert_int_equal(agent->refused.stage, STAGE_MEMORY);
	assert_int_equal(order(WINDOW_MAKE, 1, 0, 0), 0x12fe);
	assert_int_equal(order(WINDOW_BIND, 1, 0, 128), 0x3301);
	assert_ptr_equal(agent->windows[0].qp, &agent->qps[0]);
	/*
	 * The region already exists. A window of no memory: the other side cannot reach any of it.
	 */
	assert_int_equal(order(WINDOW_BIND, 1, 0, 0), 0x3301);
	failing = ENOMEM;
	assert_int_equal(order(WINDOW_BIND, 1, 0, 128), 0);
	assert_int_equal(agent->refused.error, ENOMEM);
	assert_int_equal(agent->refused.stage, STAGE_TRANSFER);
	assert_int_equal(order(WINDOW_FREE, 1, 0, 0), 0);
	assert_null(agent->windows[0].mw);
	device_expect("window of type 1\n"
		      "register buffer 16384 access 17\n"
		      "bind #5 64+128 access 4\n"
		      "bind #5+0 access 4\n"
		      "failed: ibv_bind_mw\n"
		      "free window 0\n"
		      "deregister\n");
	end();
}

/* Type 2: a request binds it to a key with the next variant, and another one invalidates it. */
static void second_type(void **state)
{
	struct agent *agent = make(QP_RC);

	(void)state;
	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW_TYPE_2A;
	agent->limits.atomic_cap = IBV_ATOMIC_HCA;
	assert_int_equal(order(WINDOW_MAKE, 2, 0, 0), 0x12fe);
	failing = ENOMEM;
	assert_int_equal(order(WINDOW_BIND, 2, 0, 128), 0);
	assert_null(agent->windows[0].qp);
	failing = 0;
	assert_int_equal(order(WINDOW_BIND, 2, 0, 128), 0x12ff);
	assert_int_equal(windows[0].rkey, 0x12ff);
	/* The variant is the lowest byte of the key. */
	assert_int_equal(order(WINDOW_BIND, 2, 0, 8), 0x1200);
	assert_int_equal(order(WINDOW_INVALIDATE, 2, 0, 0), 0x1200);
	failing = EINVAL;
	assert_int_equal(order(WINDOW_INVALIDATE, 2, 0, 0), 0);
	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	/* The next window in this slot replaces it. */
	assert_int_equal(order(WINDOW_MAKE, 2, 0, 0), 0x12fe);
	device_expect("window of type 2\n"
		      "register buffer 16384 access 1f\n"
		      "failed: ibv_post_send of IBV_WR_BIND_MW\n"
		      "post bind of 0 as 12ff #5 64+128 access 4\n"
		      "post bind of 0 as 1200 #5 64+8 access 4\n"
		      "invalidate 1200 #5\n"
		      "failed: ibv_post_send of IBV_WR_LOCAL_INV\n"
		      "free window 0\n"
		      "deregister\n"
		      "window of type 2\n");
	order(WINDOW_FREE, 2, 0, 0);
	device_expect("free window 1\n");
	end();
}

/* Forgets the windows of a queue pair, of a buffer, or all; only connections have windows. */
static void windows_are_forgotten(void **state)
{
	struct agent *agent = make(QP_UC);

	(void)state;
	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW;
	order(WINDOW_MAKE, 1, 0, 0);
	order(WINDOW_MAKE, 1, 3, 0);
	order(WINDOW_BIND, 1, 3, 128);
	agent->qps[0].kind = QP_RC;
	order(WINDOW_BIND, 1, 3, 128);
	device_expect("window of type 1\n"
		      "window of type 1\n"
		      "failed: no window, or no queue pair for it\n"
		      "register buffer 16384 access 17\n"
		      "bind #5 64+128 access 4\n");
	agent_windows_forget(agent, &agent->qps[1], NULL);
	agent_windows_forget(agent, NULL, &agent->buffers[1]);
	device_expect("");
	agent_windows_forget(agent, &agent->qps[0], NULL);
	device_expect("free window 1\nderegister\n");
	agent_windows_forget(agent, NULL, NULL);
	device_expect("free window 0\n");
	agent_windows_forget(agent, NULL, NULL);
	device_expect("");
	end();
}

/* ---- The proof ---- */

static bool completes;

static int post_nonce(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **refused)
{
	*refused = work;
	if (failing)
		return failing;
	assert_ptr_equal(qp, &device.qps[0]);
	assert_int_equal(work->num_sge, 1);
	assert_int_equal(work->sg_list->length, NONCE_BYTES);
	assert_int_equal(work->sg_list->lkey, DEVICE_LKEY);
	assert_memory_equal((const void *)(uintptr_t)work->sg_list->addr, device.agent->guard.nonce,
			    NONCE_BYTES);
	assert_true(work->opcode == IBV_WR_SEND && work->send_flags == IBV_SEND_SIGNALED);
	device_note("send the nonce");
	if (device.agent->qps[0].kind == QP_UD)
		device_note(" to %s %u key %u", work->wr.ud.ah == &device.ah ? "far" : "nowhere",
			    work->wr.ud.remote_qpn, work->wr.ud.remote_qkey);
	device_note("\n");
	/* A proof for an earlier request, and one for this request. */
	device_complete(0, (struct ibv_wc){.wr_id = work->wr_id + 1});
	if (completes)
		device_complete(0, (struct ibv_wc){.wr_id = work->wr_id});
	return 0;
}

static int destroy_qp(struct ibv_qp *qp)
{
	assert_ptr_equal(qp, &device.qps[0]);
	device_note("destroy queue pair\n");
	return 0;
}

static void prove(int expected)
{
	struct agent *agent = device.agent;

	agent->guard.asked = true;
	assert_int_equal(agent_prove(agent, &(struct message_prove){.qpn = 70, .qkey = 80}),
			 expected);
	assert_int_equal(agent->guard.asked, !expected);
	if (expected)
		device_note("failed: %s\n", agent->refused.text);
}

static struct ibv_mr *register_nothing(struct ibv_pd *pd, void *bytes, size_t length, int access)
{
	(void)pd, (void)bytes, (void)length, (void)access;
	errno = ENOSPC;
	return NULL;
}

/* The memory lasts as long as the request. */
static void nonce_goes_out(void **state)
{
	struct message_proof proof;
	struct agent *agent = make(QP_RC);

	(void)state;
	device.context.ops.post_send = post_nonce;
	agent->api.ibv_destroy_qp = destroy_qp;
	device.idle = NULL;
	completes = true;
	prove(0);
	memcpy(proof.nonce, agent->guard.nonce, sizeof(proof.nonce));
	assert_int_equal(agent_proof(agent, &proof), 0);
	assert_true(agent->guard.proven);
	device_expect("register 32 access 0\nsend the nonce\nderegister\n");
	/* A different one each time. */
	prove(0);
	assert_memory_not_equal(proof.nonce, agent->guard.nonce, sizeof(proof.nonce));
	device.length = 0;
	failing = ENOMEM;
	prove(-ENOMEM);
	device_expect("register 32 access 0\nderegister\nfailed: ibv_post_send\n");
	failing = 0;
	(agent->api.ibv_reg_mr) = register_nothing;
	prove(-ENOSPC);
	assert_int_equal(agent->refused.error, ENOSPC);
	device_expect("failed: ibv_reg_mr\n");
	(agent->api.ibv_reg_mr) = register_memory;
	/* The request is not complete: it must not go on once the memory is gone. */
	completes = false;
	agent->watch.interrupted = true;
	prove(0);
	device_expect("register 32 access 0\nsend the nonce\ndestroy queue pair\nderegister\n");
	assert_null(agent->qps[0].qp);
	end();
}

/* Which queue pairs lead to the port that the order opens. */
static void queue_pair_of_the_proof(void **state)
{
	struct sockaddr_in peer = {.sin_family = AF_INET};
	struct rdma_cm_id id = {0};
	struct agent *agent = make(QP_UD);

	(void)state;
	device.context.ops.post_send = post_nonce;
	device.idle = NULL;
	completes = true;
	agent->endpoint.transport = TRANSPORT_ROCE;
	prove(-EINVAL);
	agent->endpoint.transport = TRANSPORT_USNIC;
	prove(0);
	agent->qps[0].ah = NULL;
	prove(-EINVAL);
	agent->qps[0].kind = QP_XRC;
	prove(-EINVAL);
	device_expect("failed: the proof requires a connected queue pair\n"
		      "register 32 access 0\nsend the nonce to far 70 key 80\nderegister\n"
		      "failed: no connected queue pair for the proof\n"
		      "failed: the proof requires a connected queue pair\n");
	/* librdmacm reports the address of an iWARP connection. */
	agent->qps[0].kind = QP_RC;
	agent->qps[0].cm_id = &id;
	assert_int_equal(ip_parse("10.9.0.7", &agent->guard.peer.ip), 0);
	memcpy(&peer.sin_addr, agent->guard.peer.ip.raw, 4);
	memcpy(&id.route.addr.dst_addr, &peer, sizeof(peer));
	prove(-EINVAL);
	agent->endpoint.transport = TRANSPORT_IWARP;
	prove(0);
	agent->guard.peer.ip.raw[3]++;
	prove(-EINVAL);
	device_expect("failed: the proof requires a queue pair that leads to the port of the open "
		      "request\n"
		      "register 32 access 0\nsend the nonce\nderegister\n"
		      "failed: the proof requires a queue pair that leads to the port of the open "
		      "request\n");
	agent->qps[0].cm_id = NULL;
	end();
}

/* ---- Devices ---- */

/* Returns 0 if a process that may open no file says that, and not that the library is missing. */
static int open_without_files(struct agent *agent, const struct endpoint *endpoint)
{
	const pid_t pid = fork();
	int status;

	if (!pid) {
		const bool set = !setrlimit(RLIMIT_NOFILE, &(struct rlimit){0});

		_exit(!set || agent_open_device(agent, endpoint) != -EMFILE ||
		      agent->refused.stage != STAGE_OPEN);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void device_to_open(void **state)
{
	struct endpoint endpoint = {.device = "no such device", .port = 1, .gid_index = 256};
	struct agent *agent = agent_new(-1, -1);

	(void)state;
	assert_int_equal(agent_open_device(agent, &endpoint), -EINVAL);
	assert_string_equal(agent->refused.text,
			    "GID index 256: queue pairs can use only indexes up to 255");
	assert_int_equal(agent->refused.refusal, REFUSAL_ORDER);
	/* Without the library or the device, nothing stays open. */
	endpoint.gid_index = 255;
	assert_int_equal(open_without_files(agent, &endpoint), 0);
	assert_true(agent_open_device(agent, &endpoint) < 0);
	assert_int_equal(agent->refused.refusal, REFUSAL_FAILED);
	assert_true(agent->refused.stage == STAGE_LIBRARY || agent->refused.stage == STAGE_OPEN);
	assert_true(agent->refused.error > 0);
	assert_true(!agent->context && !agent->verbs && !agent->device && !agent->domains[0]);
	agent->context = &device.context;
	assert_int_equal(agent_open_device(agent, &endpoint), -EINVAL);
	assert_string_equal(agent->refused.text, "a device is open already");
	agent->context = NULL;
	agent_free(agent);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_type),
		cmocka_unit_test(second_type),
		cmocka_unit_test(windows_are_forgotten),
		cmocka_unit_test(nonce_goes_out),
		cmocka_unit_test(queue_pair_of_the_proof),
		cmocka_unit_test(device_to_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
