/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An agent's memory on a made-up device and a made-up accelerator; windows and the GID. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "selftest/agent/agent.h"

#define STORE_BYTES 16384u
#define BUFFER	    0u

/* Arguments of the last call of the library. */
struct asked {
	int access, fd, error;
	uint64_t offset, iova;
	size_t length;
};

/* The calls during a window's life, one letter each. */
struct device {
	struct verbs_context verbs;
	struct ibv_pd domain;
	struct ibv_qp qp;
	struct ibv_mr mr, plain;
	struct ibv_mw mw;
	struct asked asked;
	struct ibv_odp_caps odp;
	union ibv_gid gid;
	struct ibv_send_wr posted;
	char calls[32];
};

static void note(struct device *device, char call)
{
	const size_t used = strlen(device->calls);

	assert_true(used + 1 < sizeof(device->calls));
	device->calls[used] = call;
}

static struct device *device_of(struct ibv_context *context)
{
	return (struct device *)((char *)context - offsetof(struct device, verbs.context));
}

static struct ibv_mr *register_dmabuf(struct ibv_pd *domain, uint64_t offset, size_t length,
				      uint64_t iova, int fd, int access)
{
	struct device *device = device_of(domain->context);

	if (device->asked.error) {
		errno = device->asked.error;
		return NULL;
	}
	device->asked = (struct asked){
		.access = access, .fd = fd, .offset = offset, .iova = iova, .length = length};
	return &device->mr;
}

static struct ibv_mr *register_plain(struct ibv_pd *domain, void *bytes, size_t length, int access)
{
	struct device *device = device_of(domain->context);

	note(device, 'r');
	device->asked = (struct asked){
		.access = access, .fd = -1, .iova = (uintptr_t)bytes, .length = length};
	return &device->plain;
}

static int deregister(struct ibv_mr *mr)
{
	note(device_of(mr->context), 'd');
	return 0;
}

static int query_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
		    struct ibv_device_attr_ex *attr, size_t size)
{
	(void)input;
	assert_true(size >= sizeof(attr->odp_caps));
	attr->odp_caps = device_of(context)->odp;
	return 0;
}

static int query_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	assert_int_equal(port, 1);
	assert_int_equal(index, 3);
	*gid = device_of(context)->gid;
	return 0;
}

static struct ibv_mw *allocate_window(struct ibv_pd *domain, enum ibv_mw_type type)
{
	struct device *device = device_of(domain->context);

	note(device, 'A');
	device->mw = (struct ibv_mw){
		.context = domain->context, .pd = domain, .rkey = 0x500, .type = type};
	return &device->mw;
}

static int bind_window(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
	note(device_of(qp->context), bind->bind_info.length ? 'B' : 'U');
	mw->rkey = ibv_inc_rkey(mw->rkey);
	return 0;
}

static int free_window(struct ibv_mw *mw)
{
	note(device_of(mw->context), 'F');
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
	struct device *device = device_of(qp->context);

	(void)bad;
	note(device, 'P');
	device->posted = *work;
	return 0;
}

static int destroy_qp(struct ibv_qp *qp)
{
	note(device_of(qp->context), 'Q');
	return 0;
}

static struct agent *make_agent(struct device *device)
{
	struct agent *agent = agent_new(-1, -1);
	struct ibv_context *context = &device->verbs.context;

	*device = (struct device){.calls = ""};
	context->abi_compat = __VERBS_ABI_IS_EXTENDED;
	context->async_fd = context->cmd_fd = -1;
	context->ops.alloc_mw = allocate_window;
	context->ops.bind_mw = bind_window;
	context->ops.dealloc_mw = free_window;
	context->ops.post_send = post_send;
	device->verbs.sz = sizeof(device->verbs);
	device->verbs.query_device_ex = query_ex;
	device->domain.context = device->qp.context = context;
	device->mr = device->plain = (struct ibv_mr){.context = context, .lkey = 7, .rkey = 8};
	device->mr.pd = device->plain.pd = &device->domain;
	agent->context = context;
	agent->domains[0] = agent->domains[1] = &device->domain;
	agent->api.ibv_reg_dmabuf_mr = register_dmabuf;
	(agent->api.ibv_reg_mr) = register_plain;
	agent->api.ibv_dereg_mr = deregister;
	agent->api.ibv_query_gid = query_gid;
	agent->api.ibv_destroy_qp = destroy_qp;
	return agent;
}

static void free_agent(struct agent *agent)
{
	for (uint32_t slot = 0; slot < LIMIT_BUFFERS; slot++)
		agent_buffer(agent, &(struct message_buffer){.slot = slot},
			     &(struct message_buffered){0});
	agent_windows_forget(agent, NULL, NULL);
	agent->context = NULL;
	agent->domains[0] = agent->domains[1] = NULL;
	agent->qps[0] = (struct agent_qp){0};
	agent_free(agent);
}

/*
 * An accelerator whose addresses the processor cannot reach: any access except a copy kills the
 * test. A file serves as the dma-buf.
 */
static int fake_take(struct memory_source *source, size_t bytes, struct memory *memory,
		     const char **ret_call)
{
	void *address;

	if (source->choice.number) {
		*ret_call = "fakeDeviceGet";
		return -ENODEV;
	}
	address = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(address, MAP_FAILED);
	assert_true(bytes <= STORE_BYTES);
	memory->bytes = address;
	memory->dmabuf = memfd_create("fake", MFD_CLOEXEC);
	memory->is_dmabuf = true;
	memory->offset = 4096;
	return 0;
}

static void fake_give(struct memory_source *source, struct memory *memory)
{
	(void)source;
	close(memory->dmabuf);
	munmap(memory->bytes, memory->length);
}

/* All buffers of the fake share one store: a test has only one at a time. */
static uint8_t store[STORE_BYTES];

static int fake_copy(struct memory_source *source, void *to, const void *from, size_t bytes,
		     bool in)
{
	const uintptr_t page = 4095;

	(void)source;
	if (in)
		memcpy(store + ((uintptr_t)to & page), from, bytes);
	else
		memcpy(to, store + ((uintptr_t)from & page), bytes);
	return 0;
}

static const struct memory_ops fake = {
	.hidden = true, .take = fake_take, .give = fake_give, .copy = fake_copy};
static const struct memory_ops *const fakes[MEMORY_EXPORTERS] = {[EXPORTER_CUDA] = &fake};

static const struct message_memory cuda = {.kind = MEMORY_DMABUF, .exporter = EXPORTER_CUDA};

static void hidden_memory(void **state)
{
	const struct span span = {.blocks = 2, .offset = 3, .block_bytes = 700, .stride = 1000};
	struct message_fill fill = {.span = span, .seed = 5};
	const struct message_run run = {.mode = RUN_BANDWIDTH,
					.operation = RUN_SEND,
					.qps = 1,
					.bytes = 8,
					.depth = 1,
					.batch = 1,
					.signal_every = 1,
					.iterations = 1};
	struct message_memory_ready ready = {0};
	struct message_buffered buffered;
	struct message_checked checked;
	struct message_ran ran;
	struct device device;
	struct agent *agent = make_agent(&device);
	struct ibv_cq cq = {0};

	(void)state;
	agent->source.exporters = fakes;
	memset(store, 0xee, sizeof(store));
	unsetenv("MLX5_SCATTER_TO_CQE");
	assert_int_equal(agent_memory(agent, &(struct message_memory){0}, &ready), 0);
	assert_null(getenv("MLX5_SCATTER_TO_CQE"));
	assert_int_equal(agent_memory(agent, &cuda, &ready), 0);
	assert_true(ready.hidden);
	/* Otherwise libmlx5 would write to it. */
	assert_string_equal(getenv("MLX5_SCATTER_TO_CQE"), "0");
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 4000, .access = 3},
				      &buffered),
			 0);
	assert_int_equal(device.asked.offset, 4096);
	assert_int_equal(device.asked.length, 4000);
	assert_int_equal(device.asked.iova, buffered.address);
	assert_int_equal(device.asked.access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	/* Relaxed ordering needs the same right as with other memory. */
	agent->way.relaxed = true;
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 4000, .access = 1},
				      &buffered),
			 0);
	assert_int_equal(device.asked.access, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	/* The previous memory is gone, as with any other new memory. */
	assert_int_equal(store[0], 0);
	assert_int_equal(agent_fill(agent, &fill), 0);
	assert_int_equal(agent_check(agent, &fill, &checked), 0);
	assert_true(checked.equal);
	store[3 + 1000 + 4] ^= 1;
	assert_int_equal(agent_check(agent, &fill, &checked), 0);
	assert_false(checked.equal);
	assert_int_equal(checked.offset, 704);
	assert_int_equal(checked.different, 1);
	agent->cqs[0].cq = &cq;
	assert_int_equal(agent_run(agent, &run, &ran), -EINVAL);
	assert_non_null(strstr(agent->refused.text, "cannot reach"));
	agent->cqs[0].cq = NULL;
	free_agent(agent);
}

/* The far side learns which call failed, and its memory is unchanged. */
static void memory_that_is_not_there(void **state)
{
	const struct message_memory second = {
		.kind = MEMORY_DMABUF, .exporter = EXPORTER_CUDA, .number = 1};
	struct message_memory_ready ready = {0};
	struct message_buffered buffered;
	struct device device;
	struct agent *agent = make_agent(&device);

	(void)state;
	agent->source.exporters = fakes;
	device.asked.error = EOPNOTSUPP;
	assert_int_equal(agent_memory(agent, &cuda, &ready), -EOPNOTSUPP);
	assert_string_equal(agent->refused.text, "ibv_reg_dmabuf_mr");
	assert_int_equal(agent->refused.stage, STAGE_MEMORY);
	assert_int_equal(agent_memory(agent, &second, &ready), -ENODEV);
	assert_string_equal(agent->refused.text, "fakeDeviceGet");
	/* The library of rdma-core before 34 lacks this function. */
	agent->api.ibv_reg_dmabuf_mr = NULL;
	assert_int_equal(agent_memory(agent, &cuda, &ready), -ENOSYS);
	assert_int_equal(agent->source.choice.kind, MEMORY_PAGES);
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 4096, .access = 1},
				      &buffered),
			 0);
	assert_int_equal(device.asked.fd, -1);
	free_agent(agent);
}

static void libraries_that_are_missing(void **state)
{
	struct message_memory order = cuda;
	struct message_memory_ready ready = {0};
	struct device device;
	struct agent *agent = make_agent(&device);
	int rc;

	(void)state;
	rc = agent_memory(agent, &order, &ready);
	/* A host with an accelerator has the library, but perhaps no device. */
	if (rc == -ELIBACC)
		assert_string_equal(agent->refused.text, "libcuda.so.1");
	order.exporter = EXPORTER_HIP;
	rc = agent_memory(agent, &order, &ready);
	if (rc == -ELIBACC)
		assert_non_null(strstr(agent->refused.text, "lib"));
	free_agent(agent);
}

static void on_demand(void **state)
{
	const struct message_memory order = {.kind = MEMORY_ODP};
	const uint32_t all = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV | IBV_ODP_SUPPORT_WRITE |
			     IBV_ODP_SUPPORT_READ;
	struct message_memory_ready ready = {0};
	struct device device;
	struct agent *agent = make_agent(&device);

	(void)state;
	assert_int_equal(agent_memory(agent, &order, &ready), -EOPNOTSUPP);
	assert_string_equal(agent->refused.text, "the device has no on-demand paging (odp_caps)");
	device.odp.general_caps = IBV_ODP_SUPPORT;
	device.odp.per_transport_caps.rc_odp_caps = all & ~(uint32_t)IBV_ODP_SUPPORT_READ;
	assert_int_equal(agent_memory(agent, &order, &ready), -EOPNOTSUPP);
	assert_non_null(strstr(agent->refused.text, "rc_odp_caps"));
	device.odp.per_transport_caps.rc_odp_caps = all;
	assert_int_equal(agent_memory(agent, &order, &ready), 0);
	assert_true(device.asked.access & IBV_ACCESS_ON_DEMAND);
	assert_false(ready.hidden);
	device.verbs.query_device_ex = NULL;
	assert_int_equal(agent_memory(agent, &order, &ready), -EOPNOTSUPP);
	assert_string_equal(agent->refused.text, "ibv_query_device_ex");
	free_agent(agent);
}

static struct message_window window_of(uint32_t type, uint32_t action, uint64_t bytes)
{
	return (struct message_window){.type = type,
				       .action = action,
				       .access = ACCESS_LOCAL | ACCESS_WRITE,
				       .offset = bytes ? 64 : 0,
				       .bytes = bytes,
				       .id = 9};
}

static int use(struct agent *agent, uint32_t type, uint32_t action, uint64_t bytes, uint32_t *rkey)
{
	const struct message_window order = window_of(type, action, bytes);
	struct message_windowed reply = {0};
	int rc = agent_window(agent, &order, &reply);

	*rkey = reply.rkey;
	return rc;
}

static struct agent *make_windows(struct device *device)
{
	struct agent *agent = make_agent(device);
	struct message_buffered buffered;

	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	agent->qps[0] = (struct agent_qp){.qp = &device->qp, .kind = QP_RC};
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 4096, .access = 3},
				      &buffered),
			 0);
	return agent;
}

static void windows(void **state)
{
	struct device device;
	struct agent *agent = make_windows(&device);
	uint32_t rkey, next;

	(void)state;
	assert_int_equal(use(agent, 1, WINDOW_BIND, 64, &rkey), -EINVAL); /* no such entry */
	assert_int_equal(use(agent, 1, WINDOW_MAKE, 0, &rkey), 0);
	assert_int_equal(use(agent, 1, WINDOW_BIND, 4096, &next), -EINVAL); /* past the end */
	assert_int_equal(use(agent, 1, WINDOW_BIND, 64, &next), 0);
	assert_true(device.asked.access & IBV_ACCESS_MW_BIND);
	assert_int_equal(next, ibv_inc_rkey(rkey));
	assert_int_equal(use(agent, 1, WINDOW_BIND, 0, &next), 0);
	/*
	 * The region of the window is registered once. The window goes before the region and its
	 * queue pair.
	 */
	agent_qp_destroy(agent, &agent->qps[0]);
	assert_string_equal(device.calls, "rArBUFdQ");
	free_agent(agent);
}

/* A dma-buf cannot have windows: the call that said so is named. */
static void windows_of_a_dmabuf(void **state)
{
	struct message_memory_ready ready = {0};
	struct message_buffered buffered;
	struct device device;
	struct agent *agent = make_windows(&device);
	uint32_t rkey;

	(void)state;
	agent->source.exporters = fakes;
	assert_int_equal(agent_memory(agent, &cuda, &ready), 0);
	assert_int_equal(agent_buffer(agent, &(struct message_buffer){.bytes = 4096, .access = 3},
				      &buffered),
			 0);
	assert_int_equal(use(agent, 1, WINDOW_MAKE, 0, &rkey), 0);
	device.asked.error = EINVAL;
	assert_int_equal(use(agent, 1, WINDOW_BIND, 64, &rkey), -EINVAL);
	assert_string_equal(agent->refused.text, "ibv_reg_dmabuf_mr");
	free_agent(agent);
}

static void second_windows(void **state)
{
	struct device device;
	struct agent *agent = make_windows(&device);
	uint32_t rkey, next;

	(void)state;
	assert_int_equal(use(agent, 2, WINDOW_MAKE, 0, &rkey), 0);
	assert_int_equal(use(agent, 2, WINDOW_BIND, 64, &next), 0);
	assert_int_equal(device.posted.opcode, IBV_WR_BIND_MW);
	assert_int_equal(device.posted.bind_mw.rkey, next);
	assert_int_equal(device.posted.bind_mw.bind_info.mw_access_flags, IBV_ACCESS_REMOTE_WRITE);
	assert_int_equal(next, ibv_inc_rkey(rkey));
	assert_int_equal(use(agent, 2, WINDOW_INVALIDATE, 0, &rkey), 0);
	assert_int_equal(device.posted.opcode, IBV_WR_LOCAL_INV);
	assert_int_equal(device.posted.invalidate_rkey, next);
	/* The buffer is freed, and its window first. */
	agent_buffer(agent, &(struct message_buffer){.slot = BUFFER},
		     &(struct message_buffered){0});
	assert_string_equal(device.calls, "rArPPFdd");
	agent->limits.device_cap_flags = IBV_DEVICE_MEM_WINDOW;
	assert_int_equal(use(agent, 2, WINDOW_MAKE, 0, &rkey), -EOPNOTSUPP);
	free_agent(agent);
}

static void gid_is_looked_for(void **state)
{
	struct message_gid_seen seen = {0};
	struct device device;
	struct agent *agent = make_agent(&device);

	(void)state;
	agent->endpoint.port = 1;
	agent->endpoint.gid_index = 3;
	memset(agent->endpoint.gid.raw, 0x3c, sizeof(agent->endpoint.gid.raw));
	memcpy(device.gid.raw, agent->endpoint.gid.raw, sizeof(device.gid.raw));
	assert_int_equal(agent_gid_look(agent, &(struct message_none){}, &seen), 0);
	assert_false(seen.gone);
	/* An empty entry, and one with a different address. */
	memset(device.gid.raw, 0, sizeof(device.gid.raw));
	assert_int_equal(agent_gid_look(agent, &(struct message_none){}, &seen), 0);
	assert_true(seen.gone);
	free_agent(agent);
}

/* Returns the type of the message that an agent sends when its device goes; 0: none. */
static uint32_t last_words(enum stop *ret_stop)
{
	struct message message = {.type = 0};
	struct agent_served served;
	const char *complaint;
	struct agent *agent;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	agent = agent_new(pair[1], -1);
	agent->watch.device_gone = true;
	agent_serve(agent, pair[1], 1000, &served);
	assert_int_equal(served.stop, STOP_DEVICE_GONE);
	agent_free(agent);
	close(pair[1]);
	if (exchange_receive(pair[0], -1, 1000, &message, &complaint))
		message.type = 0;
	*ret_stop = (enum stop)message.leaving.stop;
	close(pair[0]);
	return message.type;
}

static void server_says_why(void **state)
{
	enum stop stop;

	(void)state;
	assert_int_equal(last_words(&stop), MESSAGE_LEAVING);
	assert_int_equal(stop, STOP_DEVICE_GONE);
}

/* A client that never stops sending does not keep the agent from ending. */
static void client_that_never_stops(void **state)
{
	static const uint8_t bytes[8 * MESSAGE_MOST_BYTES];
	struct agent_served served;
	struct agent *agent;
	int pair[2], left = 0;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(send(pair[0], bytes, sizeof(bytes), MSG_DONTWAIT), sizeof(bytes));
	agent = agent_new(pair[1], -1);
	agent->watch.device_gone = true;
	agent_serve(agent, pair[1], 1000, &served);
	assert_int_equal(ioctl(pair[1], FIONREAD, &left), 0);
	assert_int_equal(left, sizeof(bytes) - 4 * MESSAGE_MOST_BYTES);
	agent_free(agent);
	close(pair[0]);
	close(pair[1]);
}

/*
 * The client's host answers nothing more: its socket drops incoming data without acknowledgement.
 */
static void host_that_is_gone(void **state)
{
	struct sock_filter drop = {.code = BPF_RET | BPF_K};
	const struct sock_fprog program = {.len = 1, .filter = &drop};
	const struct message release = {.type = MESSAGE_RELEASE};
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const unsigned int msec = 300;
	socklen_t length = sizeof(address);
	struct agent_served served;
	struct agent *agent;
	int channel;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&address, length), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &length), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(connect(client, (struct sockaddr *)&address, length), 0);
	channel = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	assert_int_equal(setsockopt(channel, IPPROTO_TCP, TCP_USER_TIMEOUT, &msec, sizeof(msec)),
			 0);
	assert_int_equal(exchange_send(client, &release, 5000), 0);
	assert_int_equal(
		setsockopt(client, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)), 0);
	agent = agent_new(channel, -1);
	agent_serve(agent, channel, 60000, &served);
	assert_int_equal(served.stop, STOP_TIMED_OUT);
	assert_int_equal(served.orders, 1);
	assert_string_equal(served.lost,
			    "TCP gave up the connection: the client's host acknowledged nothing");
	agent_free(agent);
	close(channel);
	close(client);
	close(listener);
}

/* The kernel says how large hugepages are; other pages have the size of the processor's. */
static void size_of_pages(void **state)
{
	const struct message_memory huge = {.kind = MEMORY_HUGE}, plain = {.kind = MEMORY_PAGES};
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct memory_source source = {.choice.kind = MEMORY_PAGES};
	FILE *file = fopen("/proc/meminfo", "re");
	const char *call = NULL, *at = NULL;
	uint64_t bytes = 0;
	char text[8192];
	int rc;

	(void)state;
	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		at = strstr(text, "\nHugepagesize:");
		fclose(file);
	}
	if (at)
		bytes = 1024 * strtoull(at + strlen("\nHugepagesize:"), NULL, 10);
	rc = memory_source_open(&source, &huge, &call);
	assert_int_equal(rc, bytes ? 0 : -EOPNOTSUPP);
	if (bytes) {
		assert_int_equal(source.choice.kind, MEMORY_HUGE);
		assert_int_equal(source.page_bytes, bytes);
		assert_int_equal(memory_bytes(&source, 1), bytes);
		assert_int_equal(memory_bytes(&source, bytes), bytes);
		assert_int_equal(memory_bytes(&source, bytes + 1), 2 * bytes);
	} else {
		assert_string_equal(call, "the kernel has no hugepages");
	}
	assert_int_equal(memory_source_open(&source, &plain, &call), 0);
	assert_int_equal(source.page_bytes, 0);
	assert_int_equal(memory_bytes(&source, page), page);
	assert_int_equal(memory_bytes(&source, page + 1), 2 * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_memory),
		cmocka_unit_test(memory_that_is_not_there),
		cmocka_unit_test(libraries_that_are_missing),
		cmocka_unit_test(on_demand),
		cmocka_unit_test(windows),
		cmocka_unit_test(windows_of_a_dmabuf),
		cmocka_unit_test(second_windows),
		cmocka_unit_test(gid_is_looked_for),
		cmocka_unit_test(server_says_why),
		cmocka_unit_test(client_that_never_stops),
		cmocka_unit_test(host_that_is_gone),
		cmocka_unit_test(size_of_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
