/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The files of a saved tree, which the input changes, as the rest of the program reads them: the
 * first byte chooses the user's session, who uses a device, ibstat, the topology, the checks of
 * doctor, the counters, what doctor learns, or the metrics. All text that results is clean, and all
 * numbers are within their bounds.
 */
#include <sys/socket.h>

#include "change/holders.h"
#include "change/session.h"
#include "counter/counters.h"
#include "doctor/frame/doctor.h"
#include "host/compat/channel_adapter.h"
#include "metric/metric.h"
#include "topology/topology.h"
#include "tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct objects everything;

static bool is_address(const struct ip_address *address)
{
	char text[IP_TEXT_SIZE];
	struct ip_address again;

	ip_format(address, text);
	return !ip_parse(text, &again) && ip_equal(address, &again);
}

static void find_session(void)
{
	struct session_socket found = {.process = 0};
	struct root tree;
	int rc;

	expect(!root_open(top, &tree));
	rc = session_find_socket(&tree, 40, &found);
	if (rc) {
		expect(rc == -ENOENT || rc == -EACCES || rc == -ENOTCONN);
		expect(!found.process);
	} else {
		expect(found.process && is_address(&found.local));
		expect(found.remote.family == AF_UNSPEC || is_address(&found.remote));
	}
	root_close(&tree);
}

static void check_strings(const struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		check_clean(strings->items[i]);
}

static void find_users(void)
{
	static const struct setting setting = {.keyword = {.word = "link"}};
	struct change_host host = {.inventory = NULL};
	struct changes changes = {.count = 0};
	struct change *change = changes_add(&changes, &host, &setting, "mlx5_0", CHANGE_ABSENT);
	struct device_users users = {.count = 0};
	struct root tree;

	/* A connection of the kernel, to the server of the tree. */
	MEM_ADD(users.peers, users.peer_count) = (struct ip_address){AF_INET, {10, 0, 0, 2}};
	expect(!root_open(top, &tree));
	device_users_look(&users, &tree, "mlx5_0", change);
	device_users_tell(&users, change);
	check_strings(&change->disturbs);
	check_strings(&change->notes);
	root_close(&tree);
	device_users_clear(&users);
	changes_clear(&changes);
}

/* ibstat prints the bytes of the files, whatever they are. */
#define ENDS(array) (memchr(array, '\0', sizeof(array)) != NULL)

static void check_adapter(const struct channel_adapters *adapters, const char *name)
{
	struct channel_adapter adapter;

	if (channel_adapter_read(adapters, name, &adapter))
		expect(adapter.error >= 0);
	expect(adapter.last_port < CHANNEL_ADAPTER_PORTS);
	for (unsigned int i = 0; i < CHANNEL_ADAPTER_PORTS; i++) {
		expect(!adapter.ports[i].present || i <= adapter.last_port);
		expect(ENDS(adapter.ports[i].link_layer));
	}
	expect(ENDS(adapter.name) && ENDS(adapter.firmware) && ENDS(adapter.hardware) &&
	       ENDS(adapter.type));
	channel_adapter_is_endpoint(adapters, name, 1);
}

static void read_adapters(void)
{
	struct channel_adapters *adapters;
	struct strings names = {0};

	expect(!channel_adapters_open(top, &adapters));
	if (!channel_adapter_names(adapters, &names))
		for (size_t i = 0; i < names.count; i++)
			check_adapter(adapters, names.items[i]);
	strings_free(&names);
	channel_adapters_close(adapters);
}

static bool has_function(const struct topology *topology, const struct pci_function *function)
{
	return function >= topology->pci.items &&
	       function < topology->pci.items + topology->pci.count;
}

static void check_topology(const struct topology *topology)
{
	for (size_t i = 0; i < topology->numa_count; i++) {
		check_clean(topology->numa[i].cpus);
		check_strings(&topology->numa[i].distances);
	}
	for (size_t i = 0; i < topology->link_count; i++)
		expect(has_function(topology, topology->links[i].from) &&
		       has_function(topology, topology->links[i].to) &&
		       topology->links[i].from != topology->links[i].to);
	for (size_t i = 0; i < topology->count; i++) {
		check_record(&topology_schema, &topology->nodes[i]);
		for (size_t j = 0; j < topology->count; j++) {
			struct topology_pair to, back;

			topology_compare(topology, &topology->nodes[i], &topology->nodes[j], &to);
			topology_compare(topology, &topology->nodes[j], &topology->nodes[i], &back);
			check_record(&topology_pair_schema, &to);
			/* The way back is as long. */
			expect(to.class.value == back.class.value &&
			       to.class.value <= TOPOLOGY_CLASS_UNKNOWN);
			expect((to.class.value == TOPOLOGY_SELF) == (i == j));
		}
	}
}

static void load_topology(void)
{
	const struct inventory_request request = {
		.root = top,
		.needs = topology_needs,
		.objects = &everything,
	};
	struct problems problems = {0}, notes = {0};
	struct topology topology = {.count = 0};
	struct inventory inventory;
	char *message = NULL;
	struct root tree;
	const struct topology_request wanted = {
		.root = &tree, .inventory = &inventory, .problems = &problems};

	expect(!root_open(top, &tree));
	/* The input may have removed the device; the topology can do without. */
	inventory_load(&inventory, &request, &problems, NULL);
	expect(!topology_load(&topology, &wanted, &notes, &message));
	check_topology(&topology);
	check_problems(&problems);
	check_problems(&notes);
	topology_clear(&topology);
	inventory_free(&inventory);
	root_close(&tree);
}

/* A cause that kept a check from running has a verdict of its own. */
static void check_results(const struct doctor_results *results)
{
	struct doctor_coverage coverage;
	struct doctor_blocks blocks;

	for (size_t i = 0; i < results->count; i++) {
		const struct doctor_result *result = &results->items[i];

		check_record(&doctor_schema, result);
		check_strings(&result->sources);
		expect(!result->because.known || doctor_first(results, result->because.value));
	}
	doctor_count(results, &coverage);
	expect(coverage.checked == coverage.made[SEVERITY_OK] + coverage.made[SEVERITY_NOTICE] +
					   coverage.made[SEVERITY_WARNING] +
					   coverage.made[SEVERITY_ERROR]);
	doctor_blocks_make(results, &blocks);
	for (size_t i = 0; i < blocks.count; i++) {
		_cleanup_(freep) char *object = doctor_block_object(&blocks.items[i]);
		_cleanup_(freep) char *step = doctor_block_step(&blocks.items[i]);

		check_clean(object);
		check_clean(step);
	}
	doctor_blocks_free(&blocks);
}

static void run_doctor(void)
{
	char *const environment[] = {NULL};
	struct doctor_request request = {
		.root = top,
		.objects = &everything,
		.environment = environment,
	};
	struct problems problems = {0};
	struct doctor_results results;

	for (size_t i = 0; i < DOCTOR_CHECKS; i++)
		request.run[i] = true;
	if (!doctor_run(&request, &results, &problems)) {
		check_results(&results);
		doctor_results_free(&results);
	}
	check_problems(&problems);
}

static void expect_no_fault(const struct doctor_results *results)
{
	for (size_t i = 0; i < results->count; i++)
		expect(results->items[i].finding.severity.value < SEVERITY_WARNING);
}

/* What doctor learns from a host is true of it. */
static void learn(void)
{
	_cleanup_(freep) char *path = mem_format("%s/expect", top);
	_cleanup_(freep) char *text = NULL, *message = NULL;
	struct problems problems = {0};
	struct doctor_results results;
	struct doctor_request request = {
		.root = top,
		.objects = &everything,
		.expect = path,
	};
	FILE *file;

	if (!doctor_learn(&request, &text, &problems)) {
		file = fopen(path, "we");
		expect(file && fputs(text, file) >= 0 && !fclose(file));
		expect(!doctor_select("expect", true, request.run, &message));
		expect(!doctor_run(&request, &results, &problems));
		expect_no_fault(&results);
		doctor_results_free(&results);
	}
	check_problems(&problems);
}

/* Nothing grows while nothing changes. */
static void check_counters(const struct counter_readings *before,
			   const struct counter_readings *after)
{
	expect(before->count == after->count);
	for (size_t i = 0; i < before->count; i++) {
		const struct counter_reading *reading = &after->items[i];
		const struct number growth = counter_reading_growth(&before->items[i], reading);

		check_record(&counter_schema, reading);
		expect(!counter_reading_compare(&before->items[i], reading));
		expect(!growth.known || !growth.value);
		expect(!reading->value.known == !!reading->problem || !reading->counter);
	}
}

static void read_counters(void)
{
	const struct inventory_request request = {
		.root = top,
		.needs = COUNTERS_NEEDS_NETDEV | NEED_DRIVER,
		.objects = &everything,
	};
	struct counter_readings before = {.items = NULL}, after = {.items = NULL};
	struct problems problems = {0}, notes = {0};
	struct inventory inventory;
	const struct counters_request wanted = {
		.root = top,
		.inventory = &inventory,
		.sources = COUNTERS_ALL_SOURCES,
	};
	struct counter_loader *loader;

	inventory_load(&inventory, &request, &problems, NULL);
	expect(!counter_loader_open(&wanted, &loader));
	counter_loader_read(loader, &before, &problems, &notes);
	counter_loader_read(loader, &after, NULL, NULL);
	check_counters(&before, &after);
	counter_readings_clear(&before);
	counter_readings_clear(&after);
	counter_loader_free(loader);
	inventory_free(&inventory);
	check_problems(&problems);
	check_problems(&notes);
}

/* Returns the end of the name of a metric or a label. */
static const char *skip_name(const char *name)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";

	expect(*name && strchr(letters + 10, *name));
	return name + strspn(name, letters);
}

/* device="mlx5_0",port="1", with quotation marks only where a value begins or ends. */
static void check_labels(const char *labels)
{
	while (labels && *labels) {
		labels = skip_name(labels);
		expect(labels[0] == '=' && labels[1] == '"');
		for (labels += 2; *labels != '"'; labels++) {
			labels += *labels == '\\';
			expect(*labels && *labels != '\n');
		}
		labels++;
		expect(!*labels || (*labels == ',' && labels[1]));
		labels += *labels == ',';
	}
}

/* Prometheus refuses all samples if a family or a series is there twice. */
static void check_metrics(const struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++) {
		const struct metric_family *family = &metrics->families[i];

		expect(!*skip_name(family->name));
		check_clean(family->help);
		for (size_t j = 0; j < i; j++)
			expect(strcmp(metrics->families[j].name, family->name));
		for (size_t j = 0; j < family->sample_count; j++) {
			const char *labels = family->samples[j].labels;

			check_labels(labels);
			for (size_t k = 0; k < j; k++)
				expect(labels && strcmp(family->samples[k].labels, labels));
		}
	}
}

static void collect_metrics(void)
{
	for (int i = 0; i < 2; i++) {
		const struct metrics_request request = {
			.root = top,
			.objects = &everything,
			.top = 2,
			.checks = !i,
			.node_exporter = i,
			.version = "1",
		};
		struct problems problems = {0};
		struct metrics metrics = {0};

		metrics_collect(&request, &metrics, &problems);
		check_metrics(&metrics);
		metrics_clear(&metrics);
		check_problems(&problems);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(void) = {
		find_session, find_users,    read_adapters, load_topology,
		run_doctor,   read_counters, learn,	    collect_metrics,
	};

	if (size && data[0] >= '0' && data[0] - '0' < (int)ARRAY_SIZE(readers))
		with_tree(data + 1, size - 1, readers[data[0] - '0']);
	return 0;
}
