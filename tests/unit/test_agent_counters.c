/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The counters that an agent reports: those that help a diagnosis come first, then others while
 * they fit; and what a trial remembers of them.
 */
#include "rooted.h"

#include "base/cleanup.h"
#include "base/mem.h"

#include "selftest/trial/trial.h"

#define PORT "sys/class/infiniband/mlx5_0/ports/1/"

static void tell(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct message_none order = {};
	static struct message_counted reply;
	static struct agent agent;
	const char *device = context;
	int rc;

	(void)tree;
	snprintf(agent.endpoint.device, sizeof(agent.endpoint.device), "%s", device);
	agent.endpoint.port = 1;
	rc = agent_counters(&agent, &order, &reply);
	fprintf(out, "%d:", rc);
	for (uint32_t i = 0; i < reply.count; i++)
		fprintf(out, " %s %llu", reply.items[i].name,
			(unsigned long long)reply.items[i].value);
}

static void helpful_first(void **state)
{
	const struct saved_tree *tree = *state;
	char device[] = "mlx5_0";

	tree_write(tree, PORT "counters/VL15_dropped", "3");
	tree_write(tree, PORT "counters/symbol_error", "5");
	tree_write(tree, PORT "hw_counters/lifespan", "12");
	tree_write(tree, PORT "hw_counters/a_new_one", "7");
	tree_write(tree, PORT "hw_counters/out_of_sequence", "11");
	rooted_expect(tree, tell, device,
		      "0: VL15_dropped 3 symbol_error 5 out_of_sequence 11 a_new_one 7");
}

/* As many counters as a message has room for. */
static void too_many(void **state)
{
	const struct saved_tree *tree = *state;
	_cleanup_(freep) char *wanted = mem_string("0: symbol_error 1 out_of_sequence 2");
	char device[] = "mlx5_0";

	for (int i = 0; i < 80; i++) {
		_cleanup_(freep) char *path = mem_format(PORT "hw_counters/new_%02d", i);

		tree_write(tree, path, "9");
		if (i < 70)
			mem_extend(&wanted, " new_%02d 9", i);
	}
	tree_write(tree, PORT "counters/symbol_error", "1");
	tree_write(tree, PORT "hw_counters/out_of_sequence", "2");
	rooted_expect(tree, tell, device, wanted);
}

static void none(void **state)
{
	const struct saved_tree *tree = *state;
	char device[] = "mlx5_0";

	tree_directory(tree, PORT "counters");
	rooted_expect(tree, tell, device, "0:");
}

static int no_gid(struct ibv_context *context, uint8_t port, int index, union ibv_gid *gid)
{
	(void)context, (void)port, (void)index, (void)gid;
	errno = ENOENT;
	return -1;
}

static void block(const struct saved_tree *tree, FILE *out, void *context)
{
	const struct message nothing = {.type = MESSAGE_COUNTED};
	struct selftest_request request = {.peer = "hostb", .signals = -1};
	struct selftest_results results = {0};
	struct trial trial = {.request = &request, .results = &results};
	struct agent *agent = agent_new(-1, -1);
	static struct ibv_context device;
	int ends[2];

	(void)tree, (void)context;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return;
	agent->context = &device;
	agent->api.ibv_query_gid = no_gid;
	agent->endpoint = (struct endpoint){.device = "mlx5_0", .port = 1};
	trial.near.trial = &trial;
	trial.near.agent = agent;
	trial.far = (struct side){.trial = &trial, .channel = ends[0], .watch = &agent->watch};
	counter_list_add(&trial.before[0], "port_xmit_packets", 1);
	counter_list_add(&trial.before[0], "port_rcv_packets", 4);
	exchange_send(ends[1], &nothing, 1000);
	trial_add_row(&trial, SELFTEST_BANDWIDTH, "bandwidth-send", "");
	trial_explain_end(&trial.near, STOP_TIMED_OUT, 100);
	selftest_results_free(&results);
	fprintf(out, "blocked: see %s", trial.blocked);
}

/* The row that found it may be gone by then: rows of intervals are freed once they are printed. */
static void blocked_after_its_row(void **state)
{
	const struct saved_tree *tree = *state;

	tree_write(tree, PORT "counters/port_xmit_packets", "9");
	tree_write(tree, PORT "counters/port_rcv_packets", "4");
	rooted_expect(tree, block, NULL, "blocked: see bandwidth-send");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, tree_only_set_up, tree_only_tear_down)
	const struct CMUnitTest tests[] = {TEST(helpful_first), TEST(too_many), TEST(none),
					   TEST(blocked_after_its_row)};

	return rooted_is_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
