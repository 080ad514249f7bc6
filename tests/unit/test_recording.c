/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recordings of netlink and verbs: written, read back, malformed, and replayed through sockets. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "kernel/kmsg.h"
#include "kernel/netlink/netlink_record.h"
#include "kernel/netlink/nldev.h"
#include "kernel/recording.h"
#include "kernel/root.h"
#include "kernel/verbs/verbs.h"
#include "kernel/verbs/verbs_record.h"
#include "netlink_message.h"

#if defined(__i386__)
#define HEAD "rdmactl-recording/1 little 32 i386\n"
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define HEAD "rdmactl-recording/1 little 64\n"
#else
#define HEAD "rdmactl-recording/1 big 64\n"
#endif

static struct recording *parse(const char *text)
{
	struct recording *recording = NULL;

	assert_int_equal(recording_parse(mem_string(text), strlen(text), &recording, NULL), 0);
	return recording;
}

static const struct recorded_message *find(const struct recording *recording, uint32_t protocol,
					   uint16_t type, const char *payload, size_t *ret_count)
{
	const struct recorded_message question = {
		.type = type,
		.flags = 1,
		.length = (uint32_t)strlen(payload),
		.payload = (const uint8_t *)payload,
	};

	return recording_find(recording, protocol, &question, ret_count);
}

static void test_find(void **state)
{
	struct recording *recording = parse(HEAD "ask 20 7 1 6162\n"
						 "got 8 2 00ff\n"
						 "got 3 0 -\n"
						 "end\n"
						 "ask 0 7 1 6162\n"
						 "end\n"
						 "ask 20 7 1 -\n"
						 "got 9 0 01\n"
						 "end\n");
	const struct recorded_message *answer;
	size_t count = 99;

	(void)state;
	answer = find(recording, 20, 7, "ab", &count);
	assert_non_null(answer);
	assert_int_equal(count, 2);
	assert_int_equal(answer[0].type, 8);
	assert_int_equal(answer[0].flags, 2);
	assert_int_equal(answer[0].length, 2);
	assert_memory_equal(answer[0].payload, "\0\377", 2);
	assert_int_equal(answer[1].length, 0);
	answer = find(recording, 20, 7, "", &count);
	assert_int_equal(answer->type, 9);
	/* A request that was recorded without an answer. */
	assert_non_null(find(recording, 0, 7, "ab", &count));
	assert_int_equal(count, 0);
	assert_null(find(recording, 20, 6, "ab", &count));
	assert_null(find(recording, 20, 7, "aB", &count));
	assert_null(find(recording, 20, 7, "abc", &count));
	assert_null(find(recording, 1000, 7, "ab", &count));
	recording_free(recording);
}

static void test_last_answer_counts(void **state)
{
	struct recording *recording = parse(HEAD "ask 20 7 1 -\ngot 1 0 01\nend\n"
						 "ask 20 5 1 -\ngot 2 0 02\nend\n"
						 "ask 20 7 1 -\ngot 3 0 03\nend\n");
	struct text_buffer text = {.text = NULL};
	size_t count;

	(void)state;
	assert_int_equal(find(recording, 20, 7, "", &count)->type, 3);
	recording_format(recording, 0, 999, &text);
	assert_string_equal(text.text, HEAD "ask 20 5 1 -\ngot 2 0 02\nend\n"
					    "ask 20 7 1 -\ngot 3 0 03\nend\n");
	free(text_buffer_take(&text));
	recording_format(recording, 1000, 1000, &text);
	assert_string_equal(text.text, HEAD);
	free(text_buffer_take(&text));
	recording_free(recording);
}

static void test_empty(void **state)
{
	struct recording *recording = parse(HEAD);
	size_t count;

	(void)state;
	assert_null(find(recording, 20, 7, "", &count));
	recording_free(recording);
}

/* Truncated, in the wrong order, or too large in one way or another. */
static void test_hostile(void **state)
{
	static const char *const bad[] = {
		"",
		"ask 20 7 1 -\nend\n",
		"rdmactl-recording/2 little 64\n",
		HEAD "ask 20 7 1 -\n",
		HEAD "ask 20 7 1 -\ngot 1 1 -\n",
		HEAD "ask 20 7 1 -\nend",
		HEAD "got 1 1 -\nend\n",
		HEAD "end\n",
		HEAD "ask 20 7 1 -\nask 20 7 1 -\nend\n",
		HEAD "ask 20 7 1 -\nend\nend\n",
		HEAD "ask 20 7 1 -\nend\ngot 1 1 -\n",
		HEAD "ask 20 7 1 0\nend\n",
		HEAD "ask 20 7 1 0g\nend\n",
		HEAD "ask 20 7 1 \nend\n",
		HEAD "ask 20 7 1\nend\n",
		HEAD "ask 20 7 1 00 \nend\n",
		HEAD "ask 20 65536 1 00\nend\n",
		HEAD "ask 20 7 65536 00\nend\n",
		HEAD "ask 99999999999999999999 7 1 00\nend\n",
		HEAD "ask -1 7 1 00\nend\n",
		HEAD "ask  7 1 00\nend\n",
		HEAD "\n",
		HEAD "what\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		_cleanup_(freep) char *message = NULL;
		struct recording *recording = (void *)&bad;

		if (recording_parse(mem_string(bad[i]), strlen(bad[i]), &recording, &message) !=
		    -EBADMSG)
			fail_msg("taken: %s", bad[i]);
		assert_ptr_equal(recording, &bad);
		assert_non_null(message);
	}
}

static void test_nul_inside(void **state)
{
	char text[] = HEAD "ask 20 7 1 -\nend\n";
	struct recording *recording;
	char *copy = mem_alloc_zero(sizeof(text), 1);

	(void)state;
	memcpy(copy, text, sizeof(text));
	copy[sizeof(HEAD) + 3] = '\0';
	assert_int_equal(recording_parse(copy, sizeof(text) - 1, &recording, NULL), -EBADMSG);
}

static void test_message_names_the_line(void **state)
{
	static const char text[] = HEAD "ask 20 7 1 -\nend\nask 20 7 1 x\nend\n";
	_cleanup_(freep) char *message = NULL;
	struct recording *recording;

	(void)state;
	assert_int_equal(recording_parse(mem_string(text), strlen(text), &recording, &message),
			 -EBADMSG);
	assert_string_equal(message, "the recording is damaged at line 4");
}

static void test_other_byte_order(void **state)
{
	static const char text[] = "rdmactl-recording/1 middle 64\n";
	_cleanup_(freep) char *message = NULL;
	struct recording *recording;

	(void)state;
	assert_int_equal(recording_parse(mem_string(text), strlen(text), &recording, &message),
			 -ENOEXEC);
	assert_string_equal(message, "the recording is of a host with another kind of processor");
}

/* A snapshot in its own folder. */
struct bed {
	char folder[64];
	struct root root;
};

static void write_file(const struct bed *bed, const char *name, const char *text)
{
	_cleanup_(freep) char *path = mem_format("%s/%s", bed->folder, name);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) < 0, 0);
	assert_int_equal(fclose(file), 0);
}

static void make_folder(const struct bed *bed, const char *name)
{
	_cleanup_(freep) char *path = mem_format("%s/%s", bed->folder, name);

	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	struct bed *bed = mem_alloc_zero(1, sizeof(*bed));

	snprintf(bed->folder, sizeof(bed->folder), "/tmp/test_recording.XXXXXX");
	assert_non_null(mkdtemp(bed->folder));
	write_file(bed, "manifest.json", "{}\n");
	make_folder(bed, "root");
	make_folder(bed, "netlink");
	make_folder(bed, "verbs");
	*state = bed;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {"manifest.json", "kmsg",	      "netlink/answers",
					    "netlink",	     "verbs/answers", "verbs",
					    "root"};
	struct bed *bed = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_(freep) char *path = mem_format("%s/%s", bed->folder, names[i]);

		remove(path);
	}
	rmdir(bed->folder);
	free(bed);
	return 0;
}

static void open_bed(struct bed *bed)
{
	assert_int_equal(root_open(bed->folder, &bed->root), 0);
	assert_true(bed->root.recorded);
	assert_true(root_answers(&bed->root));
	assert_false(bed->root.live);
}

static void add_message(struct text_buffer *text,
			void (*add)(struct text_buffer *, const struct recorded_message *),
			uint16_t type, uint16_t flags, const struct bytes *payload)
{
	add(text, &(struct recorded_message){.type = type,
					     .flags = flags,
					     .length = (uint32_t)payload->length,
					     .payload = payload->data});
}

struct seen {
	unsigned int messages;
	char name[64];
	int error;
	char text[64];
};

static int take(void *context, unsigned int request, const struct netlink_answer *answer)
{
	struct nlattr *table[NLDEV_ATTR_KNOWN];
	struct seen *seen = context;
	char *name;

	(void)request;
	seen->messages++;
	seen->error = answer->error;
	if (answer->text)
		snprintf(seen->text, sizeof(seen->text), "%s", answer->text);
	if (!answer->payload || nldev_parse(answer->payload, answer->length, table))
		return answer->error;
	name = nldev_get_kernel_name(table[RDMA_NLDEV_ATTR_DEV_NAME]);
	snprintf(seen->name, sizeof(seen->name), "%s", name ? name : "");
	free(name);
	return 0;
}

static int take_payload(void *context, const void *payload, size_t length)
{
	return take(context, 0, &(struct netlink_answer){.payload = payload, .length = length});
}

static int dump(struct netlink *nldev, struct seen *seen)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_GET), NLM_F_DUMP, NULL, 0);
	return netlink_dump(nldev, &request, take_payload, seen);
}

static int ask(struct netlink *nldev, uint32_t index, struct seen *seen)
{
	struct netlink_request request = {.count = 0};

	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_GET), 0, NULL, 0);
	netlink_put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	return netlink_ask_batch(nldev, &request, take, seen);
}

/* Answers to a dump of two devices, and to a request for device 3. */
static char *made_up_answers(bool cut)
{
	const uint16_t type = nldev_message_type(RDMA_NLDEV_CMD_GET);
	const struct recorded_message question = {.type = type,
						  .flags = NLM_F_REQUEST | NLM_F_DUMP};
	struct bytes one = {0}, two = {0}, done = {.length = 4}, index = {0}, refusal = {0};
	const struct nlmsgerr error = {.error = -ENODEV};
	struct text_buffer text = {.text = NULL};

	put_u32(&one, RDMA_NLDEV_ATTR_DEV_INDEX, 1);
	put_string(&one, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_0");
	put_u32(&two, RDMA_NLDEV_ATTR_DEV_INDEX, 2);
	put_string(&two, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_1");
	put_u32(&index, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	bytes_put(&refusal, &error, sizeof(error));
	recording_begin(&text);
	recording_ask(&text, NETLINK_RDMA, &question);
	add_message(&text, recording_got, type, NLM_F_MULTI, &one);
	add_message(&text, recording_got, type, NLM_F_MULTI, &two);
	if (!cut)
		add_message(&text, recording_got, NLMSG_DONE, NLM_F_MULTI, &done);
	text_buffer_add(&text, "end\n");
	recording_ask(&text, NETLINK_RDMA,
		      &(struct recorded_message){.type = type,
						 .flags = NLM_F_REQUEST,
						 .length = (uint32_t)index.length,
						 .payload = index.data});
	add_message(&text, recording_got, NLMSG_ERROR, 0, &refusal);
	text_buffer_add(&text, "end\n");
	return text_buffer_take(&text);
}

static void test_replay(void **state)
{
	_cleanup_(freep) char *answers = made_up_answers(false);
	struct bed *bed = *state;
	struct netlink *nldev;

	write_file(bed, RECORDING_NETLINK_FILE, answers);
	open_bed(bed);
	assert_int_equal(nldev_open(&bed->root, &nldev), 0);
	root_close(&bed->root);
	/* The answer can be replayed any number of times. */
	for (int i = 0; i < 2; i++) {
		struct seen seen = {0};

		assert_int_equal(dump(nldev, &seen), 0);
		assert_int_equal(seen.messages, 2);
		assert_string_equal(seen.name, "mlx5_1");
		seen = (struct seen){0};
		assert_int_equal(ask(nldev, 3, &seen), -ENODEV);
		assert_int_equal(seen.error, -ENODEV);
		/* A request that was not recorded. */
		seen = (struct seen){0};
		assert_int_equal(ask(nldev, 4, &seen), -ENODATA);
		assert_string_equal(seen.text, RECORDING_LACKS);
	}
	netlink_free(nldev);
}

static void put_index(void *context, size_t which, struct netlink_request *request)
{
	(void)context;
	netlink_add(request, nldev_message_type(RDMA_NLDEV_CMD_GET), 0, NULL, 0);
	netlink_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, (uint32_t)which);
}

static void take_error(void *context, size_t which, const struct netlink_answer *answer)
{
	int *errors = context;

	errors[which] = answer->error;
}

/* More requests than fit in one batch, one of which was recorded. */
static void test_replay_of_many(void **state)
{
	_cleanup_(freep) char *answers = made_up_answers(false);
	int errors[2 * NETLINK_BATCH + 3] = {0};
	struct bed *bed = *state;
	struct netlink *nldev;

	write_file(bed, RECORDING_NETLINK_FILE, answers);
	open_bed(bed);
	assert_int_equal(nldev_open(&bed->root, &nldev), 0);
	root_close(&bed->root);
	netlink_ask_all(nldev, &(struct netlink_series){ARRAY_SIZE(errors), put_index, take_error,
							errors});
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		assert_int_equal(errors[i], i == 3 ? -ENODEV : -ENODATA);
	netlink_free(nldev);
}

/* A dump without its end is damaged, and the reader does not wait forever. */
static void test_replay_is_cut(void **state)
{
	_cleanup_(freep) char *answers = made_up_answers(true);
	struct seen seen = {0};
	struct bed *bed = *state;
	struct netlink *nldev;

	write_file(bed, RECORDING_NETLINK_FILE, answers);
	open_bed(bed);
	assert_int_equal(nldev_open(&bed->root, &nldev), 0);
	root_close(&bed->root);
	assert_int_equal(dump(nldev, &seen), -EBADMSG);
	assert_int_equal(seen.messages, 2);
	netlink_free(nldev);
}

static void test_open_fails(void **state)
{
	struct bed *bed = *state;
	struct netlink *nldev = (void *)bed;
	struct root tree = {.fd = -1};
	struct verbs *verbs = NULL;

	/* A snapshot without a recording is an ordinary saved tree. */
	assert_int_equal(root_open(bed->folder, &bed->root), 0);
	assert_false(root_answers(&bed->root));
	assert_int_equal(nldev_open(&bed->root, &nldev), -EOPNOTSUPP);
	root_close(&bed->root);
	/* One of the two recordings is missing. */
	write_file(bed, RECORDING_NETLINK_FILE, HEAD);
	open_bed(bed);
	assert_int_equal(verbs_open(&bed->root, &verbs), -ENODATA);
	write_file(bed, RECORDING_NETLINK_FILE, "damaged\n");
	assert_int_equal(nldev_open(&bed->root, &nldev), -EBADMSG);
	/* An ordinary saved tree. */
	assert_int_equal(nldev_open(&tree, &nldev), -EOPNOTSUPP);
	assert_int_equal(verbs_open(&tree, &verbs), -EOPNOTSUPP);
	assert_ptr_equal(nldev, bed);
	root_close(&bed->root);
}

/* A symbolic link instead of a folder or file is not followed. */
static void test_links(void **state)
{
	struct bed *bed = *state;
	_cleanup_(freep) char *root = mem_format("%s/root", bed->folder);
	_cleanup_(freep) char *manifest = mem_format("%s/manifest.json", bed->folder);

	assert_int_equal(rmdir(root), 0);
	assert_int_equal(symlink("/", root), 0);
	assert_int_equal(root_open(bed->folder, &bed->root), 0);
	assert_false(bed->root.recorded);
	root_close(&bed->root);
	remove(root);
	assert_int_equal(mkdir(root, 0700), 0);
	remove(manifest);
	assert_int_equal(root_open(bed->folder, &bed->root), 0);
	assert_false(root_answers(&bed->root));
	root_close(&bed->root);
}

static void test_verbs(void **state)
{
	static const char answers[] = HEAD
		"ask 1000 1 0 -\ngot 1 0 00000000\nend\n"
		"ask 1000 2 0 6d\ngot 2 0 000000000100000004000000\nend\n"
		"ask 1000 2 0 6e\ngot 2 0 f3ffffff\nend\n"
		"ask 1000 2 0 6f\ngot 2 0 01000000\nend\n"
		"ask 1000 2 0 70\ngot 2 0 00\nend\n";
	struct verbs_device *device = NULL;
	struct bed *bed = *state;
	struct verbs *verbs;

	if (!strstr(HEAD, "little"))
		skip();
	write_file(bed, RECORDING_VERBS_FILE, answers);
	open_bed(bed);
	assert_int_equal(verbs_open(&bed->root, &verbs), 0);
	root_close(&bed->root);
	assert_int_equal(verbs_open_device(verbs, "n", &device), -EACCES);
	/* A recording without the result of a call, and one that is too short for it. */
	assert_int_equal(verbs_open_device(verbs, "o", &device), -EBADMSG);
	assert_int_equal(verbs_open_device(verbs, "p", &device), -EBADMSG);
	assert_int_equal(verbs_open_device(verbs, "q", &device), -ENODATA);
	assert_null(device);
	assert_int_equal(verbs_open_device(verbs, "m", &device), 0);
	assert_int_equal(verbs_probe_dmabuf(device), -ENODATA);
	verbs_close_device(device);
	verbs_free(verbs);
}

static void count_record(void *context, const struct kmsg_record *record)
{
	struct seen *seen = context;

	seen->messages++;
	snprintf(seen->name, sizeof(seen->name), "%.*s|%.*s", (int)record->text_length,
		 record->text, (int)record->device_length, record->device ? record->device : "");
}

static void test_kmsg(void **state)
{
	struct bed *bed = *state;
	struct seen seen = {0};

	write_file(bed, RECORDING_NETLINK_FILE, HEAD);
	open_bed(bed);
	assert_int_equal(kmsg_read(&bed->root, count_record, &seen), -ENODATA);
	write_file(bed, "kmsg",
		   "3,0,17,-;mlx5_core: one\n DEVICE=+pci:0000:3b:00.0\nnonsense\n"
		   "3,0,18,-;two");
	assert_int_equal(kmsg_read(&bed->root, count_record, &seen), 0);
	assert_int_equal(seen.messages, 2);
	assert_string_equal(seen.name, "two|");
	write_file(bed, "kmsg", "3,0,17,-;mlx5_core: one\n DEVICE=+pci:0000:3b:00.0\n");
	assert_int_equal(kmsg_read(&bed->root, count_record, &seen), 0);
	assert_string_equal(seen.name, "mlx5_core: one|+pci:0000:3b:00.0");
	root_close(&bed->root);
}

/* Offers a memory file opened for appending in the environment; NULL offers none. */
static void offer(const char *value)
{
	if (value)
		setenv("RDMACTL_RECORD_FD", value, 1);
	else
		unsetenv("RDMACTL_RECORD_FD");
}

static int memory_file(bool appends)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd > STDERR_FILENO);
	if (appends)
		assert_int_equal(fcntl(fd, F_SETFL, O_APPEND), 0);
	return fd;
}

static void test_record_fd(void **state)
{
	const struct root live = {.fd = -1, .live = true}, tree = {.fd = -1};
	const int good = memory_file(true), bad = memory_file(false);
	const int file = open("/dev/null", O_RDWR | O_APPEND | O_CLOEXEC);
	_cleanup_(freep) char *number = mem_format("%d", good);
	_cleanup_(freep) char *other = mem_format("%d", bad);
	_cleanup_(freep) char *device = mem_format("%d", file);

	(void)state;
	offer(NULL);
	assert_int_equal(recording_fd(&live), -1);
	offer(number);
	assert_int_equal(recording_fd(&live), good);
	assert_int_equal(recording_fd(&tree), -1);
	assert_int_equal(recording_fd(NULL), -1);
	offer(other);
	assert_int_equal(recording_fd(&live), -1);
	offer(device);
	assert_int_equal(recording_fd(&live), -1);
	offer("1");
	assert_int_equal(recording_fd(&live), -1);
	offer("999");
	assert_int_equal(recording_fd(&live), -1);
	offer("x");
	assert_int_equal(recording_fd(&live), -1);
	offer(NULL);
	close(good);
	close(bad);
	close(file);
}

/*
 * Records what a simulated kernel answers: without sequence numbers or keys, and nothing of an
 * exchange that was not completed.
 */
static void test_note(void **state)
{
	const struct root live = {.fd = -1, .live = true};
	const int fd = memory_file(true);
	_cleanup_(freep) char *number = mem_format("%d", fd);
	struct bytes key = {0}, entry = {0}, table = {0}, payload = {0}, datagram = {0};
	struct netlink_request request = {.count = 0};
	struct netlink_exchange exchange = {.sequence = 77, .count = 1, .left = 1, .handle = take};
	struct seen seen = {0};
	char text[4096] = {0};

	(void)state;
	offer(number);
	assert_int_equal(netlink_record_open(&live, NETLINK_RDMA, &exchange.record), 0);
	offer(NULL);
	assert_non_null(exchange.record);
	exchange.context = &seen;
	put_u32(&key, RDMA_NLDEV_ATTR_RES_RKEY, 0xabcdef12);
	put_u32(&key, RDMA_NLDEV_ATTR_RES_MRN, 0x55);
	put_nest(&entry, RDMA_NLDEV_ATTR_RES_MR_ENTRY, &key);
	put_nest(&table, RDMA_NLDEV_ATTR_RES_MR, &entry);
	put_u32(&payload, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	bytes_put(&payload, table.data, table.length);
	put_message(&datagram, nldev_message_type(RDMA_NLDEV_CMD_RES_MR_GET), 0, 77, payload.data,
		    payload.length);
	netlink_add(&request, nldev_message_type(RDMA_NLDEV_CMD_RES_MR_GET), 0, NULL, 0);
	/* The first request is given up. */
	netlink_record_ask(exchange.record, &request);
	netlink_record_ask(exchange.record, &request);
	assert_int_equal(netlink_take(&exchange, datagram.data, datagram.length), 0);
	netlink_request_clear(&request);
	netlink_record_free(exchange.record);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	assert_memory_equal(text, "ask 20 ", 7);
	assert_string_equal(text + strlen(text) - 5, "\nend\n");
	assert_null(strstr(text + 1, "ask"));
	if (strstr(HEAD, "little")) {
		assert_non_null(strstr(text, "55000000"));
		assert_null(strstr(text, "12efcdab"));
	}
	close(fd);
}

/* A piece that does not fit is reported, and leaves nothing in the recording. */
static void test_lost(void **state)
{
	const int fd = memory_file(true);
	const char question[] = "q";
	struct text_buffer piece = {.text = NULL}, large = {.text = NULL};
	const struct recorded_message message = {
		.type = 1, .flags = 1, .length = 1, .payload = (const uint8_t *)question};
	_cleanup_(freep) char *digits = mem_alloc_zero((32u << 20) + 1, 1);
	struct recording *recording;
	char text[4096] = HEAD;
	size_t count;

	(void)state;
	memset(digits, '0', 32u << 20);
	recording_ask(&large, 20, &message);
	text_buffer_add(&large, "got 1 1 %s\n", digits);
	recording_end(fd, &large);
	recording_ask(&piece, 20, &message);
	recording_got(&piece, &message);
	recording_end(fd, &piece);
	recording_lose(fd);
	assert_true(pread(fd, text + strlen(HEAD), sizeof(text) - strlen(HEAD) - 1, 0) > 0);
	assert_int_equal(recording_count_lost(text), 2);
	assert_int_equal(recording_count_lost(text), 0);
	recording = parse(text);
	assert_non_null(find(recording, 20, 1, "q", &count));
	assert_int_equal(count, 1);
	recording_free(recording);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_last_answer_counts),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_nul_inside),
		cmocka_unit_test(test_message_names_the_line),
		cmocka_unit_test(test_other_byte_order),
		cmocka_unit_test_setup_teardown(test_replay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replay_of_many, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_replay_is_cut, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_open_fails, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_links, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_verbs, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kmsg, set_up, tear_down),
		cmocka_unit_test(test_record_fd),
		cmocka_unit_test(test_note),
		cmocka_unit_test(test_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
