/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects in use on the devices of a host, from recorded answers of the kernel: all of them, those
 * of named devices and ports, and tables that end early.
 */
#include "saved_tree.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "kernel/netlink/nldev.h"
#include "kernel/recording.h"
#include "netlink_message.h"
#include "resource/resources.h"

#define DUMP (NLM_F_REQUEST | NLM_F_DUMP)

struct bed {
	struct saved_tree tree;
	struct text_buffer file;
	struct inventory inventory;
	struct objects objects;
	struct problems problems, notes;
};

static int setup(void **state)
{
	int rc = tree_set_up(state, sizeof(struct bed));
	struct bed *bed = *state;

	tree_write(&bed->tree, "manifest.json", "{}");
	tree_directory(&bed->tree, "root");
	recording_begin(&bed->file);
	bed->inventory.root = bed->tree.path;
	for (unsigned int i = 0; i < 2; i++)
		device_list_add(&bed->inventory.devices, i ? "rxb" : "rxa")->index = number_of(3 +
											       i);
	return rc;
}

static int teardown(void **state)
{
	struct bed *bed = *state;

	tree_close(&bed->tree);
	device_list_clear(&bed->inventory.devices);
	objects_free(&bed->objects);
	problems_free(&bed->problems);
	problems_free(&bed->notes);
	free(bed->file.text);
	free(bed);
	return 0;
}

static void got(struct bed *bed, uint16_t type, uint16_t flags, const struct bytes *payload)
{
	recording_got(&bed->file, &(struct recorded_message){
					  .type = type,
					  .flags = flags,
					  .length = (uint32_t)payload->length,
					  .payload = payload->data,
				  });
}

static void ask(struct bed *bed, uint32_t device, uint8_t command, uint16_t flags)
{
	struct bytes payload = {0};

	if (device)
		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	recording_ask(&bed->file, NETLINK_RDMA,
		      &(struct recorded_message){
			      .type = (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
			      .flags = flags,
			      .length = (uint32_t)payload.length,
			      .payload = payload.data,
		      });
}

/* Ends a dump, or a command that is refused. */
static void end(struct bed *bed, int error, bool refused)
{
	const struct nlmsgerr refusal = {.error = error};
	struct bytes payload = {0};

	bytes_put(&payload, refused ? (const void *)&refusal : &error,
		  refused ? sizeof(refusal) : sizeof(error));
	got(bed, refused ? NLMSG_ERROR : NLMSG_DONE, refused ? 0 : NLM_F_MULTI, &payload);
	text_buffer_add(&bed->file, "end\n");
}

struct entry {
	uint32_t number, port, thread;
	const char *kernel;
};

static void table(struct bed *bed, uint32_t device, const struct entry *entries, size_t count)
{
	struct bytes all = {0}, payload = {0};

	for (size_t i = 0; i < count; i++) {
		struct bytes one = {0};

		put_u32(&one, RDMA_NLDEV_ATTR_RES_LQPN, entries[i].number);
		if (entries[i].port)
			put_u32(&one, RDMA_NLDEV_ATTR_PORT_INDEX, entries[i].port);
		if (entries[i].kernel)
			put_string(&one, RDMA_NLDEV_ATTR_RES_KERN_NAME, entries[i].kernel);
		else
			put_u32(&one, RDMA_NLDEV_ATTR_RES_PID, entries[i].thread);
		put_nest(&all, RDMA_NLDEV_ATTR_RES_QP_ENTRY, &one);
	}
	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, device);
	put_nest(&payload, RDMA_NLDEV_ATTR_RES_QP, &all);
	got(bed, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_QP_GET), NLM_F_MULTI,
	    &payload);
}

static const struct entry first[] = {{17, 1, 148, NULL}, {18, 2, 148, NULL}, {19, 0, 149, NULL}};
static const struct entry second[] = {{1, 1, 0, "ib_core"}, {33, 1, 148, NULL}};

static void queue_pairs(struct bed *bed)
{
	ask(bed, 3, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	table(bed, 3, first, ARRAY_SIZE(first));
	end(bed, 0, false);
	ask(bed, 4, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	table(bed, 4, second, ARRAY_SIZE(second));
	end(bed, 0, false);
}

static struct resource_loader *open_loader(struct bed *bed, struct processes *processes)
{
	struct resource_loader *loader = NULL;

	tree_write_bytes(&bed->tree, RECORDING_NETLINK_FILE, bed->file.text, bed->file.length);
	assert_int_equal(resource_loader_open(&bed->inventory, &bed->objects, processes, &loader),
			 0);
	return loader;
}

/* Formats the list as "rxa 17 18, rxb 1", and checks the number of blocks. */
static char *list(struct bed *bed, enum resource_kind kind, unsigned int blocks)
{
	struct resource_loader *loader = open_loader(bed, NULL);
	struct resource_list objects = {0};
	struct text_buffer text = {0};
	const char *device = NULL;

	/* A second reading gives the same: nothing is left of the first. */
	for (int i = 0; i < 2; i++) {
		resource_list_clear(&objects);
		resource_loader_begin(loader, kind);
		for (unsigned int k = 0; k < blocks; k++)
			assert_true(resource_loader_next(loader, &objects, &bed->problems,
							 &bed->notes));
		assert_false(resource_loader_next(loader, &objects, &bed->problems, &bed->notes));
	}
	text_buffer_add(&text, "%s", "");
	for (size_t i = 0; i < objects.count; i++) {
		const struct resource *object = &objects.items[i];
		_cleanup_(freep) char *number = mem_format(" %u", (unsigned int)object->id.value);

		if (object->device != device) {
			text_buffer_add(&text, "%s", device ? ", " : "");
			text_buffer_add(&text, "%s", object->device);
		}
		device = object->device;
		text_buffer_add(&text, "%s", number);
	}
	resource_list_clear(&objects);
	resource_loader_free(loader);
	return text.text;
}

static void expect(struct bed *bed, unsigned int blocks, const char *wanted)
{
	_cleanup_(freep) char *text = list(bed, RESOURCE_QP, blocks);

	assert_string_equal(text, wanted);
}

static void all(void **state)
{
	struct bed *bed = *state;

	queue_pairs(bed);
	expect(bed, 2, "rxa 17 18 19, rxb 1 33");
	assert_int_equal(bed->problems.count + bed->notes.count, 0);
}

/* Selects by device or port; an object without a port belongs to none. */
static void named(void **state)
{
	static const struct {
		const char *words[3], *wanted;
	} rows[] = {
		{{"rxb"}, "rxb 1 33"},
		{{"rxa/1"}, "rxa 17"},
		{{"rxa/2", "rxb"}, "rxa 18, rxb 1 33"},
		{{"rxa", "rxa/2"}, "rxa 17 18 19"},
		{{"rxb/2"}, ""},
		{{"kernels"}, "rxb 1 33"},
	};
	struct bed *bed = *state;
	struct device *device = &bed->inventory.devices.items[1];

	queue_pairs(bed);
	free(device->kernel_name);
	device->kernel_name = mem_string("kernels");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *message = NULL, *words[3] = {0};

		for (size_t k = 0; rows[i].words[k]; k++)
			words[k] = (char *)(uintptr_t)rows[i].words[k];
		objects_free(&bed->objects);
		assert_int_equal(objects_parse(&bed->objects, words, true, &message), 0);
		expect(bed, 2, rows[i].wanted);
	}
}

static void expect_problem(const struct problems *problems, const char *object,
			   const char *attribute, const char *error, const char *hint)
{
	const struct problem *problem = problems->items;

	assert_int_equal(problems->count, 2); /* once for each reading */
	assert_string_equal(problem->source, "nldev");
	assert_string_equal(problem->error, error);
	if (object)
		assert_string_equal(problem->object, object);
	else
		assert_null(problem->object);
	if (attribute)
		assert_string_equal(problem->attribute, attribute);
	else
		assert_null(problem->attribute);
	if (hint)
		assert_string_equal(problem->hint, hint);
	else
		assert_null(problem->hint);
}

/* Objects read before the early end are kept, and so is the other device. */
static void cut(void **state)
{
	struct bed *bed = *state;

	ask(bed, 3, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	table(bed, 3, first, 1);
	end(bed, -EIO, false);
	ask(bed, 4, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	table(bed, 4, second, 2);
	end(bed, 0, false);
	expect(bed, 2, "rxa 17, rxb 1 33");
	expect_problem(&bed->problems, "rxa", "queue pairs", "Input/output error",
		       "the rest of its list is missing");
}

static void stalled(void **state)
{
	struct bed *bed = *state;

	ask(bed, 3, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	table(bed, 3, first, 2);
	for (int i = 0; i < 100; i++)
		table(bed, 3, NULL, 0);
	end(bed, 0, false);
	ask(bed, 4, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	table(bed, 4, second, 1);
	end(bed, 0, false);
	expect(bed, 2, "rxa 17 18, rxb 1");
	expect_problem(&bed->problems, "rxa", NULL,
		       "the kernel's list of queue pairs stops at an object too large for a "
		       "message: the list is incomplete",
		       NULL);
}

/* A device that has been removed meanwhile is no problem. */
static void removed(void **state)
{
	struct bed *bed = *state;

	queue_pairs(bed);
	bed->inventory.devices.items[0].index = number_of(7);
	ask(bed, 7, RDMA_NLDEV_CMD_RES_QP_GET, DUMP);
	end(bed, -ENODEV, false);
	expect(bed, 2, "rxb 1 33");
	assert_int_equal(bed->problems.count, 0);
	expect_problem(&bed->notes, "rxa", "queue pairs", "No such device",
		       "it was removed meanwhile");
}

static void without_index(void **state)
{
	struct bed *bed = *state;

	queue_pairs(bed);
	bed->inventory.devices.items[0].index.known = false;
	expect(bed, 2, "rxb 1 33");
	expect_problem(&bed->problems, "rxa", "queue pairs", "No data available",
		       "the rest of its list is missing");
}

/* The kernel does not know the command: that is reported once, and no other device is queried. */
static void old_kernel(void **state)
{
	static const struct {
		enum resource_kind kind;
		uint8_t command;
		const char *error, *hint;
	} rows[] = {
		{RESOURCE_QP, RDMA_NLDEV_CMD_RES_QP_GET, "this kernel does not list queue pairs",
		 "this needs Linux 4.16 or later"},
		{RESOURCE_CM_ID, RDMA_NLDEV_CMD_RES_CM_ID_GET,
		 "this kernel does not list connection identifiers",
		 "this needs Linux 4.17 or later"},
		{RESOURCE_CTX, RDMA_NLDEV_CMD_RES_CTX_GET,
		 "this kernel does not list contexts: opened devices",
		 "this needs Linux 5.13 or later"},
		{RESOURCE_SRQ, RDMA_NLDEV_CMD_RES_SRQ_GET,
		 "this kernel does not list shared receive queues",
		 "this needs Linux 5.13 or later"},
	};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_(freep) char *text = NULL;

		ask(bed, 3, rows[i].command, DUMP);
		end(bed, -EINVAL, true);
		text = list(bed, rows[i].kind, 1);
		assert_string_equal(text, "");
		expect_problem(&bed->problems, NULL, NULL, rows[i].error, rows[i].hint);
		problems_free(&bed->problems);
	}
}

static bool passes(const void *context, const struct resource *resource)
{
	return resource->id.value != *(const uint64_t *)context;
}

/* Objects by holder, of the kinds that were requested and that the kernel supports. */
static void counted(void **state)
{
	const uint64_t not_this = 18;
	struct bed *bed = *state;
	struct process_usage_list usages = {0};
	struct resource_loader *loader;
	struct processes *processes;
	unsigned int known;

	queue_pairs(bed);
	ask(bed, 3, RDMA_NLDEV_CMD_RES_MR_GET, DUMP);
	end(bed, -EINVAL, true);
	tree_write(&bed->tree, "root/proc/148/status", "Name:\trping\nTgid:\t148\nPid:\t148");
	tree_write(&bed->tree, "root/proc/149/status", "Name:\tother\nTgid:\t149\nPid:\t149");
	tree_write_bytes(&bed->tree, RECORDING_NETLINK_FILE, bed->file.text, bed->file.length);
	assert_int_equal(processes_open(bed->tree.path, &processes), 0);
	loader = open_loader(bed, processes);
	known = resource_loader_count(loader, processes, 1u << RESOURCE_QP | 1u << RESOURCE_MR,
				      passes, &not_this, &bed->problems, &bed->notes);
	assert_int_equal(known, 1u << RESOURCE_QP);
	assert_false(resource_loader_knows(loader));
	processes_sum_up(processes, known, USAGE_NEED_TASK, &usages, &bed->problems);
	assert_int_equal(usages.count, 3);
	for (size_t i = 0; i < usages.count; i++) {
		const struct process_usage *usage = &usages.items[i];

		assert_false(usage->counts[RESOURCE_MR].known);
		assert_int_equal(usage->counts[RESOURCE_QP].value,
				 usage->pid.known && usage->pid.value == 148 ? 2 : 1);
		assert_string_equal(usage->command, !usage->pid.known	      ? "[ib_core]"
						    : usage->pid.value == 148 ? "rping"
									      : "other");
		assert_int_equal(usage->devices.count,
				 usage->pid.known && usage->pid.value == 148 ? 2 : 1);
	}
	process_usage_list_clear(&usages);
	resource_loader_free(loader);
	processes_free(processes);
}

/* Queue pairs and memory regions are counted for each process; no other kind is requested. */
static void of_processes(void **state)
{
	struct bed *bed = *state;
	struct process_usage_list usages = {0};

	queue_pairs(bed);
	for (uint32_t device = 3; device <= 4; device++) {
		ask(bed, device, RDMA_NLDEV_CMD_RES_MR_GET, DUMP);
		end(bed, 0, false);
	}
	tree_write_bytes(&bed->tree, RECORDING_NETLINK_FILE, bed->file.text, bed->file.length);
	resources_of_processes(&bed->inventory, &bed->objects, &usages, &bed->problems);
	assert_int_equal(bed->problems.count, 0);
	assert_int_equal(usages.count, 3);
	for (size_t i = 0; i < usages.count; i++)
		for (unsigned int kind = 0; kind < RESOURCE_KINDS; kind++)
			assert_int_equal(usages.items[i].counts[kind].known,
					 kind == RESOURCE_QP || kind == RESOURCE_MR);
	process_usage_list_clear(&usages);
}

/* The summaries have the order of the inventory, and only its devices. */
static void summaries(void **state)
{
	static const uint32_t indexes[] = {4, 9, 3};
	struct resource_summary_list found = {0};
	struct bed *bed = *state;

	ask(bed, 0, RDMA_NLDEV_CMD_RES_GET, DUMP);
	for (uint32_t i = 0; i < 3; i++) {
		struct bytes payload = {0}, entries = {0}, entry = {0}, other = {0};

		put_string(&entry, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, "mr");
		put_u64(&entry, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, 10 + i);
		put_nest(&entries, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, &entry);
		put_string(&other, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, "new");
		put_u64(&other, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, i);
		put_nest(&entries, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY, &other);
		put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, indexes[i]);
		put_nest(&payload, RDMA_NLDEV_ATTR_RES_SUMMARY, &entries);
		got(bed, (uint16_t)RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET),
		    NLM_F_MULTI, &payload);
	}
	end(bed, 0, false);
	tree_write_bytes(&bed->tree, RECORDING_NETLINK_FILE, bed->file.text, bed->file.length);
	assert_int_equal(resource_summaries_load(&bed->inventory, &found), 0);
	assert_int_equal(found.count, 2);
	assert_string_equal(found.items[0].device, "rxa");
	assert_int_equal(found.items[0].counts[RESOURCE_MR].value, 12);
	assert_int_equal(found.items[0].index.value, 3);
	assert_true(found.items[0].others.known);
	assert_string_equal(found.items[0].others.items[0], "new=2");
	assert_string_equal(found.items[1].device, "rxb");
	assert_int_equal(found.items[1].counts[RESOURCE_MR].value, 10);
	resource_summary_list_clear(&found);
	/* A device without an index matches no summary. */
	bed->inventory.devices.items[0].index = (struct number){.value = 3};
	assert_int_equal(resource_summaries_load(&bed->inventory, &found), 0);
	assert_int_equal(found.count, 1);
	resource_summary_list_clear(&found);
	assert_null(found.items);
}

static void no_answers(void **state)
{
	struct bed *bed = *state;
	struct resource_summary_list found = {0};
	struct resource_loader *loader = NULL;

	assert_true(resource_loader_open(&bed->inventory, &bed->objects, NULL, &loader) < 0);
	assert_null(loader);
	resource_loader_free(NULL);
	assert_true(resource_summaries_load(&bed->inventory, &found) < 0);
	assert_int_equal(found.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(all),	 TEST(named),	      TEST(cut),	  TEST(stalled),
		TEST(removed),	 TEST(without_index), TEST(old_kernel),	  TEST(counted),
		TEST(summaries), TEST(no_answers),    TEST(of_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
