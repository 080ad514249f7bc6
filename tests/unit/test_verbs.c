/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Libraries loaded at run time, and verbs, with the answers of a simulated libibverbs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <infiniband/verbs.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/library.h"
#include "kernel/verbs/verbs.h"
#include "host/verbs.h"
#include "kernel/verbs/verbs_library.h"

#define assert_number(number, expected)                     \
	do {                                                \
		assert_true((number).known);                \
		assert_int_equal((number).value, expected); \
	} while (0)
#define assert_unknown(number) assert_false((number).known)

/* ---- library.c ---- */

typedef __typeof__(ibv_get_device_list) list_function;

struct functions {
	list_function *oldest, *newest, *missing;
};

#define FUNCTION(name, version, member, optional)                           \
	{                                                                   \
		name, version, offsetof(struct functions, member), optional \
	}
/* libibverbs still has the functions of its first release. */
#define FUNCTIONS(optional)                                                                \
	{                                                                                  \
		FUNCTION("ibv_get_device_list", "IBVERBS_1.0", oldest, false),             \
			FUNCTION("ibv_get_device_list", "IBVERBS_1.1", newest, false),     \
			FUNCTION("ibv_get_device_list", "IBVERBS_0.9", missing, optional), \
	}
static const struct library_symbol mandatory[] = FUNCTIONS(false);
static const struct library_symbol optional[] = FUNCTIONS(true);

static struct ibv_device **canary(int *count)
{
	(void)count;
	return NULL;
}

static void assert_hint(const char *name, int error, const char *words)
{
	_cleanup_(freep) char *hint = library_hint(name, error, "install");

	assert_non_null(strstr(hint, words));
}

static void test_library_missing(void **state)
{
	struct functions functions = {canary, canary, canary};
	char path[] = "/tmp/\033XXXXXX";
	int fd;

	(void)state;
	assert_int_equal(library_open("libno-such-library.so.1", mandatory, 3, &functions),
			 -ELIBACC);
	assert_ptr_equal(functions.oldest, canary);
	assert_null(library_path("libno-such-library.so.1"));
	assert_hint("libno-such-library.so.1", -ELIBACC, "install");
	/* It has been installed meanwhile. */
	assert_hint(LIBIBVERBS, -ELIBACC, "install");
	assert_hint(LIBIBVERBS, -ELIBBAD, "lacks a function");
	/* What is there but cannot be loaded need not be installed. */
	assert_hint("/dev/null", -ELIBACC, "/dev/null: ");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_hint(path, -ELIBACC, "/\\x1b");
	close(fd);
	unlink(path);
}

static void test_library_symbol_missing(void **state)
{
	struct functions functions = {canary, canary, canary};

	(void)state;
	assert_int_equal(library_open(LIBIBVERBS, mandatory, 3, &functions), -ELIBBAD);
	assert_ptr_equal(functions.oldest, canary);
	assert_ptr_equal(functions.missing, canary);
}

static void test_library_optional(void **state)
{
	struct functions functions = {canary, canary, canary};
	_cleanup_(freep) char *path = NULL;

	(void)state;
	assert_int_equal(library_open(LIBIBVERBS, optional, 3, &functions), 0);
	assert_non_null(functions.oldest);
	assert_non_null(functions.newest);
	assert_ptr_not_equal(functions.oldest, functions.newest);
	assert_null(functions.missing);
	path = library_path(LIBIBVERBS);
	assert_non_null(path);
	assert_non_null(strstr(path, "libibverbs"));
}

/* The version from a function of the library, and from the name of its file. */
static void test_library_version(void **state)
{
	_cleanup_(freep) char *called = library_version(LIBGNUTLS, "gnutls_check_version");
	_cleanup_(freep) char *file = library_version(LIBIBVERBS, NULL), *path = NULL;
	_cleanup_(freep) char *real = NULL;

	(void)state;
	assert_non_null(called);
	assert_int_equal(strspn(called, "0123456789."), strlen(called));
	path = library_path(LIBIBVERBS);
	real = realpath(path, NULL);
	assert_non_null(real);
	assert_non_null(file);
	assert_string_equal(strstr(real, ".so.") + strlen(".so."), file);
	assert_null(library_version(LIBGNUTLS, "gnutls_no_such_function"));
	assert_null(library_version("libno-such-library.so.1", "version"));
	assert_null(library_version("libno-such-library.so.1", NULL));
}

/* ---- verbs.c, on a simulated libibverbs ---- */

struct made_up {
	struct verbs_context context; /* its last member is the struct ibv_context */
	struct ibv_device device;
	struct verbs_functions call;
	struct verbs_device opened;
	const struct ibv_gid_entry *gids;
	size_t gid_count;
	int gid_calls;
	int gid_error;
	int port_error;
	uint8_t bad_port;
	uint32_t port_count; /* 0: the two ports of the older answer */
	int device_error;
};

static struct made_up *made_up_of(struct ibv_context *context)
{
	struct verbs_context *extended = verbs_get_ctx(context);

	return (struct made_up *)(void *)((char *)extended - offsetof(struct made_up, context));
}

static int answer_port(struct ibv_context *context, uint8_t number, struct ibv_port_attr *attr,
		       size_t size)
{
	const struct made_up *made_up = made_up_of(context);

	assert_int_equal(size, sizeof(*attr));
	if (number == made_up->bad_port)
		return made_up->port_error;
	*attr = (struct ibv_port_attr){
		.max_mtu = IBV_MTU_4096,
		.active_mtu = IBV_MTU_2048,
		.gid_tbl_len = 1024,
		.pkey_tbl_len = 128,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
	};
	return 0;
}

static int answer_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *in,
			    struct ibv_device_attr_ex *attr, size_t size)
{
	const struct made_up *made_up = made_up_of(context);

	assert_null(in);
	assert_int_equal(size, sizeof(*attr));
	if (made_up->device_error)
		return made_up->device_error;
	*attr = (struct ibv_device_attr_ex){
		.orig_attr = {.vendor_part_id = 4119, .phys_port_cnt = 2},
		.phys_port_cnt_ex = made_up->port_count,
	};
	return 0;
}

static int answer_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	*attr = (struct ibv_device_attr){.vendor_part_id = 4119, .phys_port_cnt = 2};
	return 0;
}

static ssize_t answer_gids(struct ibv_context *context, struct ibv_gid_entry *entries, size_t most,
			   uint32_t flags, size_t size)
{
	struct made_up *made_up = made_up_of(context);

	assert_int_equal(flags, 0);
	assert_int_equal(size, sizeof(*entries));
	made_up->gid_calls++;
	if (made_up->gid_error)
		return made_up->gid_error;
	if (made_up->gid_count > most)
		return -EINVAL;
	if (made_up->gid_count)
		memcpy(entries, made_up->gids, made_up->gid_count * size);
	return (ssize_t)made_up->gid_count;
}

static int set_up(void **state)
{
	struct made_up *made_up = mem_alloc_zero(1, sizeof(*made_up));

	made_up->context.sz = sizeof(made_up->context);
	made_up->context.query_port = answer_port;
	made_up->context.query_device_ex = answer_device_ex;
	made_up->context.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	made_up->context.context.device = &made_up->device;
	made_up->context.context.num_comp_vectors = 63;
	made_up->device.transport_type = IBV_TRANSPORT_IB;
	made_up->opened.identity = (struct verbs_identity){IBV_TRANSPORT_IB, 63};
	snprintf(made_up->device.name, sizeof(made_up->device.name), "mlx5_0");
	snprintf(made_up->device.dev_name, sizeof(made_up->device.dev_name), "no-such-node");
	made_up->call.ibv_query_device = answer_device;
	made_up->call._ibv_query_gid_table = answer_gids;
	made_up->opened.call = &made_up->call;
	made_up->opened.context = &made_up->context.context;
	*state = made_up;
	return 0;
}

static int tear_down(void **state)
{
	free(*state);
	return 0;
}

static void test_get_port(void **state)
{
	struct made_up *made_up = *state;
	struct port port = {.port = number_of(1)};

	assert_int_equal(verbs_get_port(&made_up->opened, &port), 0);
	assert_number(port.active_mtu_bytes, 2048);
	assert_number(port.max_mtu_bytes, 4096);
	assert_number(port.gid_table_length, 1024);
	assert_number(port.pkey_table_length, 128);
}

static void test_get_port_fails(void **state)
{
	struct made_up *made_up = *state;
	struct port port = {.port = number_of(3)};

	made_up->bad_port = 3;
	made_up->port_error = EIO;
	assert_int_equal(verbs_get_port(&made_up->opened, &port), -EIO);
	made_up->port_error = -1;
	errno = ENODEV;
	assert_int_equal(verbs_get_port(&made_up->opened, &port), -ENODEV);
	assert_unknown(port.active_mtu_bytes);
	assert_unknown(port.gid_table_length);
	port.port = number_of(256);
	assert_int_equal(verbs_get_port(&made_up->opened, &port), -EINVAL);
	port.port = number_of(0);
	assert_int_equal(verbs_get_port(&made_up->opened, &port), -EINVAL);
}

static struct device *add_device(struct device_list *list)
{
	struct device *device = device_list_add(list, "mlx5_0");

	device_add_port(device, 1);
	device_add_port(device, 2);
	return device;
}

static void test_gids(void **state)
{
	static const struct ibv_gid_entry gids[] = {
		{.gid.raw = {0xfe, 0x80, 3}, .port_num = 2, .gid_index = 7, .gid_type = 9},
		{.gid.raw = {0xfe, 0x80, 2},
		 .port_num = 1,
		 .gid_index = 3,
		 .gid_type = IBV_GID_TYPE_ROCE_V2,
		 .ndev_ifindex = 5},
		{.gid.raw = {0xfe, 0x80, 1},
		 .port_num = 1,
		 .gid_index = 0,
		 .gid_type = IBV_GID_TYPE_ROCE_V1},
		{.gid.raw = {0xfe, 0x80, 4}, .port_num = 3, .gid_index = 0},
	};
	struct made_up *made_up = *state;
	struct device_list list = {0};
	struct device *device = add_device(&list);
	const struct gid_entry *gid;

	made_up->gids = gids;
	made_up->gid_count = ARRAY_SIZE(gids);
	assert_int_equal(verbs_get_gids(&made_up->opened, device), 0);
	assert_int_equal(made_up->gid_calls, 1);
	assert_int_equal(device->ports[0].gid_count, 2);
	assert_int_equal(device->ports[1].gid_count, 1);
	gid = &device->ports[0].gids[0];
	assert_string_equal(gid->device, "mlx5_0");
	assert_number(gid->port, 1);
	assert_number(gid->index, 0);
	assert_number(gid->type, GID_TYPE_ROCE_V1);
	assert_number(gid->source, GID_SOURCE_VERBS);
	assert_unknown(gid->netdev_index);
	gid = &device->ports[0].gids[1];
	assert_number(gid->index, 3);
	assert_number(gid->type, GID_TYPE_ROCE_V2);
	assert_number(gid->netdev_index, 5);
	assert_true(gid->gid.known);
	assert_int_equal(gid->gid.gid.raw[2], 2);
	assert_unknown(device->ports[1].gids[0].type); /* a type newer than this program */
	device_list_clear(&list);
}

/* More entries than the first buffer holds: a second call has room for the full table. */
static void test_gids_many(void **state)
{
	struct made_up *made_up = *state;
	struct device_list list = {0};
	struct device *device = add_device(&list);
	struct ibv_gid_entry *gids = mem_alloc_zero(2048, sizeof(*gids));

	for (uint32_t i = 0; i < 2048; i++) {
		gids[i].port_num = 1 + i / 1024;
		gids[i].gid_index = i % 1024;
	}
	made_up->gids = gids;
	made_up->gid_count = 2048;
	assert_int_equal(verbs_get_gids(&made_up->opened, device), 0);
	assert_int_equal(made_up->gid_calls, 2);
	assert_int_equal(device->ports[0].gid_count, 1024);
	assert_int_equal(device->ports[1].gid_count, 1024);
	assert_number(device->ports[1].gids[1023].index, 1023);
	device_list_clear(&list);
	free(gids);
}

static void test_gids_fail(void **state)
{
	struct made_up *made_up = *state;
	struct device_list list = {0};
	struct device *device = add_device(&list);

	made_up->gid_error = -EPERM;
	assert_int_equal(verbs_get_gids(&made_up->opened, device), -EPERM);
	made_up->gid_error = -EINVAL;
	made_up->bad_port = 2;
	made_up->port_error = ENODEV;
	assert_int_equal(verbs_get_gids(&made_up->opened, device), -ENODEV);
	made_up->call._ibv_query_gid_table = NULL;
	assert_int_equal(verbs_get_gids(&made_up->opened, device), -EOPNOTSUPP);
	assert_int_equal(device->ports[0].gid_count, 0);
	device_list_clear(&list);
}

static void test_get_caps(void **state)
{
	struct made_up *made_up = *state;
	struct caps caps = {0};

	made_up->bad_port = 2;
	made_up->port_error = EINVAL;
	assert_int_equal(verbs_get_caps(&made_up->opened, &caps), 0);
	assert_string_equal(caps.device, "mlx5_0");
	assert_number(caps.transport, TRANSPORT_ROCE);
	assert_number(caps.num_comp_vectors, 63);
	assert_true(caps.device_cap_flags_ex.known);
	assert_int_equal(caps.port_caps_count, 2);
	assert_ptr_equal(caps.ports[1].device, caps.device);
	assert_int_equal(caps.ports[0].error, 0);
	assert_number(caps.ports[0].active_mtu_bytes, 2048);
	assert_int_equal(caps.ports[1].error, -EINVAL);
	assert_number(caps.ports[1].port, 2);
	assert_unknown(caps.ports[1].active_mtu_bytes);
	caps_clear(&caps);
	assert_int_equal(caps.port_caps_count, 0);
}

/* Representors are ports: an adapter may have more of them than verbs can number. */
static void test_get_caps_many_ports(void **state)
{
	struct made_up *made_up = *state;
	struct caps caps = {0};

	made_up->port_count = 300;
	assert_int_equal(verbs_get_caps(&made_up->opened, &caps), 0);
	assert_number(caps.port_count, 300);
	assert_int_equal(caps.port_caps_count, 255);
	assert_int_equal(caps.ports[254].error, 0);
	caps_clear(&caps);
	made_up->port_count = 65536;
	assert_int_equal(verbs_get_caps(&made_up->opened, &caps), -EBADMSG);
}

static void test_get_caps_legacy(void **state)
{
	struct made_up *made_up = *state;
	struct caps caps = {0};

	made_up->device_error = EOPNOTSUPP;
	assert_int_equal(verbs_get_caps(&made_up->opened, &caps), 0);
	assert_unknown(caps.device_cap_flags_ex);
	assert_number(caps.vendor_part_id, 4119);
	caps_clear(&caps);
	made_up->context.query_device_ex = NULL;
	assert_int_equal(verbs_get_caps(&made_up->opened, &caps), 0);
	assert_number(caps.vendor_part_id, 4119);
	caps_clear(&caps);
}

static void test_get_caps_fails(void **state)
{
	struct made_up *made_up = *state;
	struct caps caps = {0};

	made_up->device_error = EIO;
	assert_int_equal(verbs_get_caps(&made_up->opened, &caps), -EIO);
	assert_null(caps.device);
	assert_null(caps.ports);
}

/* Opens verbs in a process that may have that many files; the exit status is 0 if it cannot. */
static int open_with(rlim_t soft, rlim_t hard)
{
	const struct rlimit files = {soft, hard};
	const pid_t pid = fork();
	struct verbs *verbs;
	int status;

	if (!pid)
		_exit(setrlimit(RLIMIT_NOFILE, &files) ? 2 : verbs_open(NULL, &verbs) != -EMFILE);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The library finds nothing then, and would say that it is not installed or has no device. */
static void test_few_files(void **state)
{
	(void)state;
	assert_int_equal(open_with(15, 15), 0);
	assert_int_equal(open_with(16, 16), 1);
	/* The limit is raised if it can be. */
	assert_int_equal(open_with(8, 16), 1);
}

/* The node is tried before libibverbs, whose ibv_open_device is not even set here. */
static void test_open_device(void **state)
{
	struct made_up *made_up = *state;
	struct ibv_device *devices[] = {&made_up->device, NULL};
	struct verbs verbs = {.call = made_up->call, .list = devices};
	struct verbs_device *device = NULL;

	assert_int_equal(verbs_open_device(&verbs, "mlx5_0", &device), -ENODEV);
	assert_int_equal(verbs_open_device(&verbs, "mlx5_1", &device), -ENODEV);
	assert_null(device);
	verbs_close_device(NULL);
	verbs_free(NULL);
}

/* A protection domain, and the error of registering a dma-buf without a descriptor. */
struct registration {
	bool no_domain;
	int error; /* 0: a region, which no driver should return */
	unsigned int domains;
};

static struct registration *registration; /* of the running test */

static struct ibv_pd *fake_alloc_pd(struct ibv_context *context)
{
	static struct ibv_pd domain;

	(void)context;
	if (registration->no_domain) {
		errno = ENOMEM;
		return NULL;
	}
	registration->domains++;
	return &domain;
}

static int fake_dealloc_pd(struct ibv_pd *domain)
{
	(void)domain;
	registration->domains--;
	errno = EBUSY;
	return 0;
}

static struct ibv_mr *fake_reg_dmabuf_mr(struct ibv_pd *domain, uint64_t offset, size_t length,
					 uint64_t iova, int fd, int access)
{
	static struct ibv_mr region;

	assert_non_null(domain);
	assert_int_equal(offset + length + iova + (uint64_t)access, 0);
	assert_int_equal(fd, -1);
	errno = registration->error;
	return registration->error ? NULL : &region;
}

/* EBADF: the driver checked the descriptor, so it would accept a valid one. */
static void test_probe_dmabuf(void **state)
{
	static const struct {
		int error, result;
	} cases[] = {
		{EBADF, 0},
		{EOPNOTSUPP, -EOPNOTSUPP},
		{EPROTONOSUPPORT, -EOPNOTSUPP},
		{ENOSYS, -EOPNOTSUPP},
		{EINVAL, -EINVAL},
		{0, -EIO},
	};
	struct made_up *made_up = *state;
	struct registration made = {.error = 0};

	registration = &made;
	made_up->call.ibv_alloc_pd = fake_alloc_pd;
	made_up->call.ibv_dealloc_pd = fake_dealloc_pd;
	/* A library that is too old for the function. */
	assert_int_equal(verbs_probe_dmabuf(&made_up->opened), -EOPNOTSUPP);
	made_up->call.ibv_reg_dmabuf_mr = fake_reg_dmabuf_mr;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		made.error = cases[i].error;
		assert_int_equal(verbs_probe_dmabuf(&made_up->opened), cases[i].result);
		assert_int_equal(made.domains, 0);
	}
	made.no_domain = true;
	assert_int_equal(verbs_probe_dmabuf(&made_up->opened), -ENOMEM);
	registration = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library_missing),
		cmocka_unit_test(test_library_symbol_missing),
		cmocka_unit_test(test_library_optional),
		cmocka_unit_test(test_library_version),
		cmocka_unit_test_setup_teardown(test_get_port, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_get_port_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gids, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gids_many, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gids_fail, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_get_caps, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_get_caps_many_ports, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_get_caps_legacy, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_get_caps_fails, set_up, tear_down),
		cmocka_unit_test(test_few_files),
		cmocka_unit_test_setup_teardown(test_open_device, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_probe_dmabuf, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
