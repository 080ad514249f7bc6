/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What an agent says about its host, and the server that it starts for peers: its settings, what it
 * keeps of the agent's files, and how it ends. The devices and the tests are made up here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/socket.h"
#include "mesh/agent/runner.h"
#include "resource/resources.h"
#include "selftest/selftest.h"

/* Types and states of the kernel (include/rdma/ib_verbs.h); rdma-core has only some of them. */
enum { SMI = 0, GSI = 1, RC = 2, UC = 3, UD = 4, XRC_INI = 9, INIT = 1, RTR = 2, RTS = 3, SQD = 4 };

struct made_up_qp {
	enum tristate kernel;
	struct number type, state;
};

/* The host's properties, and the errors that its parts return. */
static struct made_up {
	int load, rails, loader;
	bool explained, incomplete;
	const struct made_up_qp *queue_pairs;
	size_t count, next;
	unsigned int blocks, open;
	enum resource_kind kind;
} host;

/* The settings of the server, a separate process, and what it inherited from the agent. */
struct served {
	int listener_listens, files_open;
	bool all_ports;
	int has_token, once, status;
	uint32_t most_clients, idle_msec, run_msec;
	uint64_t memory_bytes;
	int ignored, death, ended_by;
	pid_t parent;
	_Atomic bool ready;
};

static struct served *served;

/* ---- Replacements for library functions ---- */

int inventory_load(struct inventory *inventory, const struct inventory_request *request,
		   struct problems *problems, struct problems *notes)
{
	(void)inventory;
	assert_int_equal(request->needs, MESH_RAIL_NEEDS);
	assert_int_equal(request->objects->count, 0);
	assert_null(notes);
	if (host.explained)
		problem_add_text(problems, NULL, NULL, NULL, "no RDMA device", NULL);
	return host.load;
}

void inventory_free(struct inventory *inventory)
{
	(void)inventory;
}

int mesh_rails_find(const struct inventory *inventory, struct mesh_host *found, char **ret_reason,
		    char **ret_hint)
{
	(void)inventory;
	found->firmware = mem_string("1.2");
	if (host.rails) {
		*ret_reason = mem_string("no active port");
		*ret_hint = mem_string("rdmactl ports");
	}
	return host.rails;
}

int resource_loader_open(const struct inventory *inventory, const struct objects *objects,
			 struct processes *processes, struct resource_loader **ret_loader)
{
	(void)inventory;
	assert_int_equal(objects->count, 0);
	assert_null(processes);
	if (host.loader)
		return host.loader;
	host.open++;
	*ret_loader = (struct resource_loader *)&host;
	return 0;
}

void resource_loader_free(struct resource_loader *loader)
{
	assert_ptr_equal(loader, &host);
	host.open--;
}

void resource_loader_begin(struct resource_loader *loader, enum resource_kind kind)
{
	assert_ptr_equal(loader, &host);
	host.kind = kind;
	host.next = 0;
}

/* Blocks of three; the last one may be smaller or empty. */
bool resource_loader_next(struct resource_loader *loader, struct resource_list *list,
			  struct problems *problems, struct problems *notes)
{
	assert_ptr_equal(loader, &host);
	assert_int_equal(list->count, 0);
	host.blocks++;
	problem_add_text(notes, "mlx5_0", NULL, "nldev", "harmless", NULL);
	for (size_t i = 0; i < 3 && host.next < host.count; i++) {
		const struct made_up_qp *from = &host.queue_pairs[host.next++];
		struct resource *to = mem_append(&list->items, &list->count, sizeof(*to));

		to->kernel = from->kernel;
		to->type = from->type;
		to->state = from->state;
	}
	if (host.next < host.count)
		return true;
	if (host.incomplete)
		problem_add_text(problems, "mlx5_0", NULL, "nldev", "it changes all the time",
				 NULL);
	return false;
}

int selftest_run(const struct selftest_request *request, const struct endpoint *local,
		 struct selftest_results *results)
{
	(void)request, (void)local, (void)results;
	return 0;
}

static bool ignores(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* Serves until the signal comes. */
int selftest_serve(const struct selftest_service *service, struct selftest_results *results,
		   char **ret_reason, char **ret_hint)
{
	struct pollfd signals = {.fd = service->signals, .events = POLLIN};
	struct signalfd_siginfo info = {.ssi_signo = 0};
	socklen_t length = sizeof(served->listener_listens);

	(void)results, (void)ret_reason, (void)ret_hint;
	getsockopt(service->listener, SOL_SOCKET, SO_ACCEPTCONN, &served->listener_listens,
		   &length);
	for (int i = 3; i < 64; i++)
		served->files_open += i != service->listener && i != service->signals &&
				      fcntl(i, F_GETFD) >= 0;
	served->all_ports = !service->objects->count && !service->gid_index.known &&
			    !service->lists_ports;
	served->has_token = service->token && !strcmp(service->token, "secret");
	served->once = service->once;
	served->most_clients = service->most_clients;
	served->memory_bytes = service->memory_bytes;
	served->idle_msec = service->idle_msec;
	served->run_msec = service->run_msec;
	served->ignored = ignores(SIGINT) && ignores(SIGHUP) && !ignores(SIGTERM);
	prctl(PR_GET_PDEATHSIG, &served->death);
	served->parent = getppid();
	served->ready = true;
	if (poll(&signals, 1, 20000) == 1 &&
	    read(signals.fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		served->ended_by = (int)info.ssi_signo;
	return served->status;
}

/* ---- Tests ---- */

static int set_up(void **state)
{
	(void)state;
	host = (struct made_up){.load = 0};
	*served = (struct served){.all_ports = false};
	return 0;
}

/* Starts and ends the server; returns what the host said about itself. */
static struct mesh_local serve(int status)
{
	const struct mesh_runner_setup setup = {.token = "secret", .timeout_msec = 30000};
	struct mesh_local local = {.server = 0};
	char *reason = NULL, *hint = NULL;
	void *state = NULL;
	int ended;

	assert_int_equal(mesh_runner_selftest.open(&setup, &local, &state, &reason, &hint), 0);
	assert_null(reason);
	assert_true(local.server > 0);
	assert_int_equal(host.open, 0);
	for (int i = 0; i < 20000 && !served->ready; i++)
		usleep(1000);
	served->ready = false;
	mesh_runner_selftest.close(state);
	assert_int_equal(waitpid(local.server, &ended, 0), local.server);
	assert_true(WIFEXITED(ended));
	assert_int_equal(WEXITSTATUS(ended), status);
	return local;
}

static void server(void **state)
{
	const int fds[] = {open("/dev/null", O_RDONLY), fcntl(STDIN_FILENO, F_DUPFD, 50)};
	struct mesh_local local;

	(void)state;
	assert_true(fds[0] > 2 && fds[1] >= 50);
	/* Whatever the agent does with SIGTERM, the server must receive it. */
	signal(SIGTERM, SIG_IGN);
	local = serve(0);
	signal(SIGTERM, SIG_DFL);
	close(fds[0]);
	close(fds[1]);
	assert_true(local.host.server_port > 0);
	assert_string_equal(local.host.firmware, "1.2");
	assert_true(served->listener_listens);
	assert_int_equal(served->files_open, 0);
	/* The best port of all, as the client requests it. */
	assert_true(served->all_ports);
	assert_true(served->has_token);
	assert_false(served->once);
	/*
	 * 128 rails and peers, doubled, with 64 MiB each; silent clients are dropped after a
	 * minute.
	 */
	assert_int_equal(served->most_clients, 256);
	assert_int_equal(served->memory_bytes, UINT64_C(16) << 30);
	assert_int_equal(served->idle_msec, 60000);
	/* A measurement may take as long as an order, but no longer. */
	assert_int_equal(served->run_msec, 30000);
	/* The agent handles the terminal's signals, and the server ends with the agent. */
	assert_true(served->ignored);
	assert_int_equal(served->death, SIGTERM);
	assert_int_equal(served->parent, getpid());
	assert_int_equal(served->ended_by, SIGTERM);
	mesh_host_clear(&local.host);
}

static void server_fails(void **state)
{
	struct mesh_local local;

	(void)state;
	served->status = -EINTR;
	local = serve(1);
	mesh_host_clear(&local.host);
}

/* The connected queue pairs of other programs, if their list is complete. */
static void others(void **state)
{
	static const struct made_up_qp all[] = {
		/* Counted: queue pairs of programs that are connected and can send. */
		{TRISTATE_NO, {RC, true}, {RTS, true}},
		{TRISTATE_NO, {UC, true}, {RTS, true}},
		{TRISTATE_NO, {XRC_INI, true}, {RTS, true}},
		/* Not counted: the kernel's, and those with an unknown owner. */
		{TRISTATE_YES, {RC, true}, {RTS, true}},
		{TRISTATE_UNKNOWN, {RC, true}, {RTS, true}},
		/* Not counted: datagrams, and queue pairs for management. */
		{TRISTATE_NO, {UD, true}, {RTS, true}},
		{TRISTATE_NO, {SMI, true}, {RTS, true}},
		{TRISTATE_NO, {GSI, true}, {RTS, true}},
		{TRISTATE_NO, {RC, false}, {RTS, true}},
		/* Not counted: those that cannot send yet, or no longer can. */
		{TRISTATE_NO, {RC, true}, {INIT, true}},
		{TRISTATE_NO, {RC, true}, {RTR, true}},
		{TRISTATE_NO, {RC, true}, {SQD, true}},
		{TRISTATE_NO, {RC, true}, {RTS, false}},
		/* The last one also counts. */
		{TRISTATE_NO, {RC, true}, {RTS, true}},
	};
	struct mesh_local local = serve(0);

	(void)state;
	assert_int_equal(host.kind, RESOURCE_QP);
	assert_true(local.host.others_qps.known);
	assert_int_equal(local.host.others_qps.value, 0);
	mesh_host_clear(&local.host);
	host.queue_pairs = all;
	host.count = ARRAY_SIZE(all);
	host.blocks = 0;
	local = serve(0);
	assert_int_equal(local.host.others_qps.value, 4);
	assert_true(local.host.others_qps.known);
	assert_int_equal(host.blocks, 5);
	mesh_host_clear(&local.host);
	/* An incomplete or missing list gives no number. */
	host.incomplete = true;
	local = serve(0);
	assert_false(local.host.others_qps.known);
	mesh_host_clear(&local.host);
	host.loader = -EOPNOTSUPP;
	local = serve(0);
	assert_false(local.host.others_qps.known);
	mesh_host_clear(&local.host);
}

static void expect_none(int rc, const char *reason, const char *hint)
{
	const struct mesh_runner_setup setup = {.token = NULL};
	char *got_reason = NULL, *got_hint = NULL;
	struct mesh_local local = {.server = 0};
	void *runner = NULL;

	assert_int_equal(mesh_runner_selftest.open(&setup, &local, &runner, &got_reason, &got_hint),
			 rc);
	assert_string_equal(got_reason, reason);
	if (hint)
		assert_string_equal(got_hint, hint);
	else
		assert_null(got_hint);
	assert_null(runner);
	/* No server is left running. */
	assert_int_equal(local.server, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	free(got_reason);
	free(got_hint);
}

/* A host that cannot take part gives the reason. */
static void none(void **state)
{
	struct rlimit files, few;
	char text[100];

	(void)state;
	host.load = -EIO;
	expect_none(-EIO, "the RDMA devices cannot be listed", NULL);
	host.load = -ENODEV;
	host.explained = true;
	expect_none(-ENODEV, "no RDMA device", NULL);
	host.load = 0;
	host.rails = -ENODEV;
	expect_none(-ENODEV, "no active port", "rdmactl ports");
	host.rails = 0;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	few = files;
	few.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	snprintf(text, sizeof(text), "cannot serve the other hosts: %s", strerror(EMFILE));
	expect_none(-EMFILE, text, NULL);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, NULL)
	const struct CMUnitTest tests[] = {
		TEST(server),
		TEST(server_fails),
		TEST(others),
		TEST(none),
	};

	served = mmap(NULL, sizeof(*served), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (served == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
