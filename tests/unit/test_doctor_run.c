/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The engine of rdmactl doctor on small saved trees: which checks are made on which objects, what
 * keeps a check from being made, the profile that a host suggests, and what two readings say.
 */
#include "borrowed.h"
#include "doctor/frame/growth.h"
#include "doctor_bed.h"
#include "host/object.h"

#define CLASS "sys/class/infiniband/"

struct host {
	struct saved_tree tree;
	struct objects objects;
	struct doctor_request request;
	struct doctor_results results;
	struct problems problems;
};

static int set_up(void **state)
{
	struct host *host = mem_alloc_zero(1, sizeof(*host));

	tree_open(&host->tree);
	tree_directory(&host->tree, "sys");
	host->request.root = host->tree.path;
	host->request.objects = &host->objects;
	*state = host;
	return 0;
}

static int tear_down(void **state)
{
	struct host *host = *state;

	doctor_results_free(&host->results);
	problems_free(&host->problems);
	objects_free(&host->objects);
	tree_close(&host->tree);
	free(host);
	return 0;
}

/* Adds an InfiniBand port, with its device if it is the first. */
static void add_port(struct host *host, const char *device, unsigned int port, const char *state)
{
	const struct {
		const char *file, *text;
	} files[] = {
		{"state", state},
		{"phys_state", "5: LinkUp"},
		{"rate", "100 Gb/sec (4X EDR)"},
		{"link_layer", "InfiniBand"},
		{"pkeys/0", "0xffff"},
		{"lid", "0x1"},
		{"lid_mask_count", "0"},
		{"sm_lid", "0x2"},
		{"sm_sl", "0"},
		{"cap_mask", "0x2651e848"},
	};
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), CLASS "%s/ports/%u/%s", device, port, files[i].file);
		tree_write(&host->tree, path, files[i].text);
	}
	snprintf(path, sizeof(path), CLASS "%s/node_type", device);
	tree_write(&host->tree, path, "1: CA");
	snprintf(path, sizeof(path), CLASS "%s/node_guid", device);
	tree_write(&host->tree, path, "0011:2233:4455:6677");
	/* It distinguishes InfiniBand from Omni-Path. */
	snprintf(path, sizeof(path), CLASS "%s/device/driver", device);
	tree_link(&host->tree, path, "../../../../bus/pci/drivers/mlx5_core");
}

/* Makes the checks again; returns the result of doctor_run(). */
static int run(struct host *host, const char *checks)
{
	char *bad;

	doctor_results_free(&host->results);
	problems_free(&host->problems);
	memset(host->request.run, 0, sizeof(host->request.run));
	if (*checks)
		assert_int_equal(doctor_select(checks, true, host->request.run, &bad), 0);
	return doctor_run(&host->request, &host->results, &host->problems);
}

/* "CHECK OBJECT VERDICT" for each result, with the cause or what is needed. */
static void assert_results(const struct host *host, const char *wanted)
{
	char *text = mem_string("");

	for (size_t i = 0; i < host->results.count; i++) {
		const struct doctor_result *result = &host->results.items[i];

		mem_extend(&text, "%s %s %s",
			   enum_word(doctor_check_names, result->finding.id.value, "?"),
			   result->finding.object ? result->finding.object : "-",
			   enum_word(verdict_names, result->finding.severity.value, "?"));
		if (result->because.known)
			mem_extend(&text, " <- %s",
				   enum_word(doctor_check_names, result->because.value, "?"));
		if (result->needs.known)
			mem_extend(&text, " needs %u", (unsigned int)result->needs.value);
		mem_extend(&text, "\n");
	}
	assert_string_equal(text, wanted);
	free(text);
}

static void assert_not_applicable(const struct host *host, const char *wanted)
{
	char *text = mem_string("");

	for (size_t i = 0; i < host->results.not_applicable.count; i++)
		mem_extend(&text, "%s%s", i ? " " : "", host->results.not_applicable.items[i]);
	assert_true(host->results.not_applicable.known);
	assert_string_equal(text, wanted);
	free(text);
}

/* A host without devices gets a verdict; only a named device that is missing is a problem. */
static void no_devices(void **state)
{
	char *const words[] = {borrowed("mlx5_9"), NULL};
	struct host *host = *state;

	assert_int_equal(run(host, "port-state,pkey"), 0);
	assert_results(host, "");
	assert_not_applicable(host, "port-state pkey");
	assert_false(host->results.hardware);
	assert_int_equal(host->problems.count, 0);
	assert_int_equal(objects_parse(&host->objects, words, true, NULL), 0);
	assert_int_equal(run(host, "port-state,pkey"), -ENODEV);
	assert_true(host->problems.count > 0);
	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	assert_int_equal(run(host, "port-state"), -ENODEV);
	assert_results(host, "");
	assert_int_equal(host->problems.count, 1);
	assert_string_equal(host->problems.items[0].object, "mlx5_9");
	assert_string_equal(host->problems.items[0].error, OBJECT_NO_DEVICE);
}

static void no_root(void **state)
{
	struct host *host = *state;
	char *root = mem_format("%s/none", host->tree.path), *wanted;

	host->request.root = root;
	assert_int_equal(run(host, "port-state"), -ENOENT);
	assert_int_equal(host->problems.count, 1);
	wanted = mem_format("cannot open the root directory %s: %s", root, strerror(ENOENT));
	assert_string_equal(host->problems.items[0].error, wanted);
	assert_true(host->results.not_applicable.known);
	free(wanted);
	free(root);
}

/* A port that is down leaves nothing to judge on it, but the port next to it is judged. */
static void causes(void **state)
{
	struct host *host = *state;

	add_port(host, "mlx5_0", 1, "1: DOWN");
	add_port(host, "mlx5_0", 2, "4: ACTIVE");
	add_port(host, "mlx5_10", 1, "4: ACTIVE");
	assert_int_equal(run(host, "pkey,port-state"), 0);
	assert_results(host, "port-state mlx5_0/1 note\n"
			     "port-state mlx5_0/2 ok\n"
			     "port-state mlx5_10/1 ok\n"
			     "pkey mlx5_0/1 not-checked <- port-state\n"
			     "pkey mlx5_0/2 ok\n"
			     "pkey mlx5_10/1 ok\n");
	assert_string_equal(host->results.items[3].finding.summary,
			    "not checked because of port-state");
	assert_true(host->results.hardware);
	/* A check that was not requested is not a cause. */
	assert_int_equal(run(host, "pkey"), 0);
	assert_results(host, "pkey mlx5_0/1 not-checked\npkey mlx5_0/2 ok\npkey mlx5_10/1 ok\n");
	/* A port with an error is also a cause. */
	add_port(host, "mlx5_0", 2, "2: INIT");
	assert_int_equal(run(host, "pkey,port-state"), 0);
	assert_results(host, "port-state mlx5_0/1 note\n"
			     "port-state mlx5_0/2 error\n"
			     "port-state mlx5_10/1 ok\n"
			     "pkey mlx5_0/1 not-checked <- port-state\n"
			     "pkey mlx5_0/2 not-checked <- port-state\n"
			     "pkey mlx5_10/1 ok\n");
	/* A cause may follow ports without faults. */
	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	add_port(host, "mlx5_0", 2, "4: ACTIVE");
	add_port(host, "mlx5_10", 1, "1: DOWN");
	assert_int_equal(run(host, "pkey,port-state"), 0);
	assert_results(host, "port-state mlx5_0/1 ok\n"
			     "port-state mlx5_0/2 ok\n"
			     "port-state mlx5_10/1 note\n"
			     "pkey mlx5_0/1 ok\n"
			     "pkey mlx5_0/2 ok\n"
			     "pkey mlx5_10/1 not-checked <- port-state\n");
	/* A RoCE port has P_Keys, but no partitions. */
	tree_write(&host->tree, CLASS "mlx5_10/ports/1/link_layer", "Ethernet");
	assert_int_equal(run(host, "pkey"), 0);
	assert_results(host, "pkey mlx5_0/1 ok\npkey mlx5_0/2 ok\n");
	/* A check of devices is made on each device. */
	assert_int_equal(run(host, "provider"), 0);
	assert_int_equal(host->results.count, 2);
	assert_string_equal(host->results.items[0].finding.object, "mlx5_0");
	assert_string_equal(host->results.items[1].finding.object, "mlx5_10");
}

static void add_function(struct host *host, const char *address)
{
	_cleanup_(freep) char *place = mem_format("pci0000:00/%s", address);

	tree_function(&host->tree, place, "0x020700", "0x15b3", "0x1021", NULL);
}

/*
 * Findings on a function are shown for its device; of those on the host, only the ones on all
 * objects.
 */
static void parts(void **state)
{
	static const char checks[] = "pci-driver,rdma-module,verbs-modules,provider";
	char *const words[] = {borrowed("mlx5_0"), NULL};
	struct host *host = *state;

	tree_directory(&host->tree, "sys/module");
	add_function(host, "0000:01:00.0");
	add_function(host, "0000:02:00.0");
	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	assert_int_equal(run(host, checks), 0);
	assert_results(host, "pci-driver 0000:01:00.0 error\n"
			     "pci-driver 0000:02:00.0 error\n"
			     "rdma-module 0000:01:00.0 not-checked <- pci-driver\n"
			     "rdma-module 0000:02:00.0 not-checked <- pci-driver\n"
			     "verbs-modules - not-checked <- pci-driver\n"
			     "provider mlx5_0 not-checked needs 2\n");
	tree_delete(&host->tree, CLASS "mlx5_0/device");
	tree_link(&host->tree, CLASS "mlx5_0/device", "../../../devices/pci0000:00/0000:01:00.0");
	tree_link(&host->tree, "sys/devices/pci0000:00/0000:01:00.0/driver",
		  "../../../bus/pci/drivers/mlx5_core");
	assert_int_equal(run(host, checks), 0);
	assert_results(host, "pci-driver 0000:01:00.0 ok\n"
			     "pci-driver 0000:02:00.0 error\n"
			     "rdma-module 0000:01:00.0 ok\n"
			     "rdma-module 0000:02:00.0 not-checked <- pci-driver\n"
			     "verbs-modules - warning\n"
			     "provider mlx5_0 not-checked needs 2\n");
	/* Functions of devices that were not named are skipped. */
	assert_int_equal(objects_parse(&host->objects, words, true, NULL), 0);
	assert_int_equal(run(host, checks), 0);
	assert_results(host, "pci-driver 0000:01:00.0 ok\n"
			     "rdma-module 0000:01:00.0 ok\n"
			     "verbs-modules - warning\n"
			     "provider mlx5_0 not-checked needs 2\n");
}

/* Growth is unknown without a second reading; with one, it is known for each port. */
static void needs(void **state)
{
	struct host *host = *state;

	assert_int_equal(run(host, "link-flaps"), 0);
	assert_results(host, "");
	assert_not_applicable(host, "link-flaps");
	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	tree_write(&host->tree, CLASS "mlx5_0/ports/1/counters/link_downed", "3");
	tree_write(&host->tree, CLASS "mlx5_0/ports/1/counters/symbol_error", "5");
	assert_int_equal(run(host, "link-flaps,link-errors,peer-data,expect"), 0);
	assert_results(host, "link-flaps - not-checked needs 4\n"
			     "link-errors - not-checked needs 4\n");
	assert_string_equal(host->results.items[0].finding.summary,
			    "links that come and go: needs interval");
	assert_string_equal(host->results.items[0].finding.next_step,
			    "add --interval TIME, or --since FILE from rdmactl counters --save");
	assert_not_applicable(host, "expect peer-data");
	host->request.interval_msec = 1;
	assert_int_equal(run(host, "link-flaps,link-errors"), 0);
	/* A saved tree does not change, which does not prove that the host is healthy. */
	assert_results(host, "link-flaps mlx5_0/1 not-checked needs 2\n"
			     "link-errors mlx5_0/1 not-checked needs 2\n");
	/* The time between the readings, shown in seconds up to two minutes. */
	assert_non_null(strstr(host->results.items[0].finding.evidence, " s"));
	assert_null(strstr(host->results.items[0].finding.evidence, " h"));
	/* A saturated counter does not count any further. */
	tree_write(&host->tree, CLASS "mlx5_0/ports/1/counters/link_downed", "255");
	tree_write(&host->tree, CLASS "mlx5_0/ports/1/counters/symbol_error", "65535");
	assert_int_equal(run(host, "link-flaps,link-errors"), 0);
	assert_results(host, "link-flaps mlx5_0/1 note\n"
			     "link-errors mlx5_0/1 note\n");
	/* A port that is down cannot have errors, but may have gone down. */
	add_port(host, "mlx5_0", 1, "1: DOWN");
	tree_write(&host->tree, CLASS "mlx5_0/ports/1/counters/link_downed", "3");
	assert_int_equal(run(host, "port-state,link-flaps,link-errors"), 0);
	assert_results(host, "port-state mlx5_0/1 note\n"
			     "link-flaps mlx5_0/1 not-checked needs 2\n"
			     "link-errors mlx5_0/1 not-checked <- port-state\n");
}

/* A saved tree answers no queries that only the kernel answers, and sends nothing to a peer. */
static void live_needs(void **state)
{
	struct host *host = *state;

	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	host->request.peer = "127.0.0.1";
	assert_int_equal(run(host, "peer-data,rdma-disabled"), 0);
	assert_results(host, "rdma-disabled - not-checked needs 2\n"
			     "peer-data - not-checked needs 2\n");
}

/* The requested profile, or the one that fits the host. */
static void profiles(void **state)
{
	static const char kubernetes[] = "KUBERNETES_SERVICE_HOST=10.0.0.1";
	char *const environment[] = {borrowed(kubernetes), NULL};
	struct host *host = *state;

	assert_int_equal(run(host, ""), 0);
	assert_int_equal(host->results.profile, PROFILE_HPC);
	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	assert_int_equal(run(host, ""), 0);
	assert_int_equal(host->results.profile, PROFILE_HPC);
	tree_write(&host->tree, CLASS "mlx5_0/ports/1/link_layer", "Ethernet");
	assert_int_equal(run(host, ""), 0);
	assert_int_equal(host->results.profile, PROFILE_ROCE);
	/* A host with both kinds gets the InfiniBand profile. */
	add_port(host, "mlx5_1", 1, "4: ACTIVE");
	assert_int_equal(run(host, ""), 0);
	assert_int_equal(host->results.profile, PROFILE_HPC);
	/* The variables are those of this process, not of the saved host. */
	host->request.environment = environment;
	assert_int_equal(run(host, ""), 0);
	assert_int_equal(host->results.profile, PROFILE_HPC);
	tree_write(&host->tree, ".dockerenv", "");
	assert_int_equal(run(host, ""), 0);
	assert_int_equal(host->results.profile, PROFILE_CONTAINER);
	for (enum doctor_profile wanted = PROFILE_HPC; wanted <= PROFILE_CONTAINER; wanted++) {
		host->request.profile = wanted;
		assert_int_equal(run(host, ""), 0);
		assert_int_equal(host->results.profile, wanted);
	}
}

/* mlx4 has adapters with a port of each kind: the first port does not decide for the other. */
static void mixed_ports(void **state)
{
	struct host *host = *state;

	tree_directory(&host->tree, "sys/module");
	for (unsigned int ethernet = 1; ethernet <= 2; ethernet++) {
		add_port(host, "mlx4_0", 1, "4: ACTIVE");
		add_port(host, "mlx4_0", 2, "4: ACTIVE");
		tree_write(&host->tree,
			   ethernet == 1 ? CLASS "mlx4_0/ports/1/link_layer"
					 : CLASS "mlx4_0/ports/2/link_layer",
			   "Ethernet");
		tree_write(&host->tree, CLASS "mlx4_0/node_desc", "host");
		tree_write(&host->tree, "proc/sys/kernel/hostname", "host");
		tree_directory(&host->tree, "sys/class/infiniband_verbs");
		assert_int_equal(run(host, "pkey,node-desc,verbs-modules"), 0);
		assert_results(host, ethernet == 1 ? "verbs-modules - warning\n"
						     "pkey mlx4_0/2 ok\n"
						     "node-desc mlx4_0 ok\n"
						   : "verbs-modules - warning\n"
						     "pkey mlx4_0/1 ok\n"
						     "node-desc mlx4_0 ok\n");
		assert_string_equal(host->results.items[0].finding.evidence,
				    "not loaded: rdma_ucm ib_umad");
		assert_int_equal(host->results.profile, PROFILE_HPC);
	}
}

/* Two ports of one kind are as good as one. */
static void equal_ports(void **state)
{
	struct host *host = *state;

	add_port(host, "mlx5_0", 1, "4: ACTIVE");
	add_port(host, "mlx5_0", 2, "4: ACTIVE");
	tree_write(&host->tree, CLASS "mlx5_0/node_desc", "host");
	tree_write(&host->tree, "proc/sys/kernel/hostname", "host");
	assert_int_equal(run(host, "node-desc"), 0);
	assert_results(host, "node-desc mlx5_0 ok\n");
}

static void add_both(struct doctor_growth *growth, const char *key, uint64_t before,
		     enum growth_state before_state, uint64_t after, enum growth_state after_state)
{
	growth_add(&growth->before, before, "%s", key)->state = before_state;
	growth_add(&growth->after, after, "%s", key)->state = after_state;
}

/* Checks what grew, of the numbers whose keys begin with the prefix. */
static void assert_growths(const struct doctor_facts *facts, const char *prefix, const char *wanted)
{
	char *text = mem_string("");
	const char *rest;
	uint64_t growth;

	for (size_t at = 0; (rest = doctor_growth_next(facts, prefix, &at, &growth));)
		mem_extend(&text, "%s=%llu ", rest, (unsigned long long)growth);
	assert_string_equal(text, wanted);
	free(text);
}

/* The growth between two readings of a number, in each state. */
static void growth(void **state)
{
	static const struct {
		const char *key;
		uint64_t before, after;
		enum growth_state before_state, after_state;
		int rc;
		uint64_t growth;
	} cases[] = {
		{"a 0", 5, 5, GROWTH_KNOWN, GROWTH_KNOWN, 0, 0},
		{"a 1", 5, 6, GROWTH_KNOWN, GROWTH_KNOWN, 0, 1},
		{"a 2", 0, UINT64_MAX, GROWTH_KNOWN, GROWTH_KNOWN, 0, UINT64_MAX},
		{"a 3", 6, 5, GROWTH_KNOWN, GROWTH_KNOWN, -ERANGE, 0},
		/* A lower bound. */
		{"a 4", 5, 255, GROWTH_KNOWN, GROWTH_SATURATED, 0, 250},
		{"a 5", 255, 255, GROWTH_SATURATED, GROWTH_SATURATED, -EOVERFLOW, 0},
		/* The counter was reset in between. */
		{"a 6", 255, 3, GROWTH_SATURATED, GROWTH_KNOWN, -ERANGE, 0},
		{"a 7", 0, 5, GROWTH_UNREADABLE, GROWTH_KNOWN, -EIO, 0},
		{"a 8", 5, 0, GROWTH_KNOWN, GROWTH_UNREADABLE, -EIO, 0},
		{"b", 1, 2, GROWTH_KNOWN, GROWTH_KNOWN, 0, 1},
	};
	struct doctor_growth *growth = mem_alloc_zero(1, sizeof(*growth));
	struct doctor_facts facts = {.growth = NULL};
	uint64_t value = 7;

	(void)state;
	assert_int_equal(doctor_growth(&facts, &value, "b"), -ENODATA);
	assert_growths(&facts, "", "");
	assert_true(doctor_growth_seconds(&facts) == 0);
	facts.growth = growth;
	assert_int_equal(doctor_growth(&facts, &value, "b"), -ENODATA);
	growth->seconds = 2.5;
	assert_true(doctor_growth_seconds(&facts) == 2.5);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		add_both(growth, cases[i].key, cases[i].before, cases[i].before_state,
			 cases[i].after, cases[i].after_state);
	growth_add(&growth->before, 1, "c before");
	growth_add(&growth->after, 1, "d after");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		value = 7;
		assert_int_equal(doctor_growth(&facts, &value, "%s", cases[i].key), cases[i].rc);
		assert_true(value == (cases[i].rc ? 7 : cases[i].growth));
	}
	assert_int_equal(doctor_growth(&facts, &value, "c before"), -ESTALE);
	assert_int_equal(doctor_growth(&facts, &value, "d after"), -ESTALE);
	assert_int_equal(doctor_growth(&facts, &value, "a"), -ENODATA);
	/* Every number whose key has that prefix and that did not shrink; without the prefix. */
	growth->after.items[7].state = growth->before.items[8].state = GROWTH_KNOWN;
	assert_growths(&facts, "b", "=1 ");
	growth->after.count = 5;
	assert_growths(&facts, "a ", "0=0 1=1 2=18446744073709551615 4=250 ");
	growth->after.count = ARRAY_SIZE(cases) + 1;
	doctor_growth_free(growth);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(no_devices),  TEST(no_root),    TEST(causes),   TEST(parts),
		TEST(needs),	   TEST(live_needs), TEST(profiles), TEST(mixed_ports),
		TEST(equal_ports), TEST(growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
