/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How a snapshot records netlink and verbs: it runs commands of its own program, which is the test
 * here. As one of these commands, the test records how it was started, as if that were a request.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/gid.h"
#include "base/mem.h"
#include "kernel/recording.h"
#include "saved_tree.h"
#include "schema/problem.h"
#include "snapshot/collect.h"
#include "snapshot/content.h"

/* ---- A command ---- */

/* Checks for character device 1:3, which is /dev/null, mem(4). */
static bool is_null(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
}

static void note(int fd, uint32_t protocol, const char *text)
{
	struct text_buffer piece = {.text = NULL};
	const struct recorded_message question = {
		.type = 1, .length = (uint32_t)strlen(text), .payload = (const uint8_t *)text};

	recording_ask(&piece, protocol, &question);
	recording_end(fd, &piece);
}

/*
 * `resources cq` is killed in the middle of a piece, `link` loses one, and `dev` merely fails.
 * Whatever is wrong with the start of another command is appended to its words.
 */
static int command(int fd, int count, char **words)
{
	_cleanup_(freep) char *text = mem_string("");

	for (int i = 1; i < count; i++)
		mem_extend(&text, "%s%s", i > 1 ? " " : "", words[i]);
	if (!getenv("RDMACTL_ROOT") || *getenv("RDMACTL_ROOT") || getenv("HOME"))
		mem_extend(&text, ": environment");
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (!is_null(i))
			mem_extend(&text, ": descriptor %d", i);
	/* NETLINK_RDMA, and for one command NETLINK_ROUTE, which has the lowest number. */
	note(fd, strcmp(text, "netdevs --json") ? 20 : 0, text);
	if (!strcmp(text, "ports --json"))
		note(fd, RECORDING_VERBS, "verbs of ports");
	if (!strcmp(text, "link --json"))
		recording_lose(fd);
	if (!strcmp(text, "resources cq --json")) {
		dprintf(fd, "ask 20 1 0 61");
		raise(SIGKILL);
	}
	return !strcmp(text, "dev --json");
}

/* ---- The snapshot ---- */

static struct recording *parse(const struct contents *contents, const char *path)
{
	struct recording *recording = NULL;

	for (size_t i = 0; i < contents->count; i++) {
		const struct content *file = &contents->items[i];

		if (strcmp(file->path, path))
			continue;
		assert_int_equal(file->kind, CONTENT_FILE);
		assert_int_equal(strlen(file->bytes), file->length);
		assert_int_equal(recording_parse(mem_string(file->bytes), file->length, &recording,
						 NULL),
				 0);
	}
	assert_non_null(recording);
	return recording;
}

/* Returns the position of a request, from 1 on; 0 if it was not sent. */
static size_t place_of(const struct recording *recording, const char *text)
{
	struct recorded_exchange exchange;

	for (size_t i = 0; recording_at(recording, i, &exchange); i++)
		if (exchange.question.length == strlen(text) &&
		    !memcmp(exchange.question.payload, text, strlen(text)))
			return i + 1;
	return 0;
}

static void read_neighbours(char text[static 8192])
{
	FILE *file = fopen("/proc/net/arp", "re");

	text[file ? fread(text, 1, 8191, file) : 0] = '\0';
	if (file)
		fclose(file);
}

/*
 * Counts the neighbours of this host that were also there when *before was read: others come and go
 * at any time. At most 32 are queried.
 */
static size_t neighbours(const struct recording *recording, const char *before)
{
	FILE *file = fopen("/proc/net/arp", "re");
	char line[256], question[300];
	struct ip_address address;
	size_t count = 0;

	while (file && count < 32 && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " ")] = '\0';
		if (ip_parse(line, &address) || !strstr(before, line))
			continue;
		snprintf(question, sizeof(question), "gids --to %s --json", line);
		assert_true(place_of(recording, question) > 0);
		count++;
	}
	if (file)
		fclose(file);
	return count;
}

static void commands(void **state)
{
	static const char *const asked[] = {"devices --json", "gids --all --json",
					    "gids --json",    "counters mr --all --json",
					    "metrics",	      "dev --json",
					    "netdevs --json", "resources --by process --json",
					    "version --json"};
	struct contents contents = {.items = NULL};
	struct problems problems = {.items = NULL};
	struct recorded_exchange exchange;
	struct recording *recording;
	char before[8192];
	size_t count = 0;

	(void)state;
	read_neighbours(before);
	setenv("HOME", "/", 1);
	setenv("RDMACTL_ROOT", "/nonexistent", 1);
	assert_int_equal(recording_collect(&contents, &problems), 0);
	recording = parse(&contents, "netlink/answers");
	for (size_t i = 0; i < ARRAY_SIZE(asked); i++)
		if (!place_of(recording, asked[i]))
			fail_msg("'%s' was not asked", asked[i]);
	/* Nothing was wrong with any command, and all requests are for netlink. */
	for (; recording_at(recording, count, &exchange); count++) {
		assert_true(exchange.protocol == 20 || !exchange.protocol);
		assert_null(memchr(exchange.question.payload, ':', exchange.question.length));
	}
	assert_true(count > 30 + neighbours(recording, before));
	assert_true(place_of(recording, "gids --to 127.0.0.1 --json") > 0);
	/* A killed command has recorded nothing. */
	assert_int_equal(place_of(recording, "resources cq --json"), 0);
	recording_free(recording);
	recording = parse(&contents, "verbs/answers");
	assert_int_equal(place_of(recording, "verbs of ports"), 1);
	assert_false(recording_at(recording, 1, &exchange));
	recording_free(recording);
	assert_int_equal(contents.count, 2);
	assert_int_equal(problems.count, 2);
	assert_string_equal(problems.items[0].object, "resources");
	assert_string_equal(problems.items[0].source, "netlink");
	assert_string_equal(problems.items[0].error, "the command was killed by a signal: "
						     "what it asks the kernel is not recorded");
	assert_string_equal(problems.items[1].error,
			    "answers that do not fit are not recorded: the snapshot has at "
			    "most 32 MiB of them in all");
	assert_null(problems.items[1].object);
	contents_clear(&contents);
	problems_free(&problems);
}

/* The columns of arp_seq_show(), net/ipv4/arp.c. */
#define ARP_TITLE "IP address       HW type     Flags       HW address            Mask     Device\n"
#define ARP_REST  "       0x1         0x2         02:fc:00:00:00:05     *        eth0\n"

static void most_neighbours(void **state)
{
	char arp[8192] = ARP_TITLE;
	struct strings neighbours = {.items = NULL};
	size_t lines = 0;

	(void)state;
	/* The title, a truncated line and an empty one are not neighbours. */
	for (; lines < 33; lines++)
		snprintf(arp + strlen(arp), sizeof(arp) - strlen(arp), "10.0.0.%zu%s%s", lines + 1,
			 ARP_REST, lines == 3 ? "10.0.\n\n" : "");
	recording_neighbours(arp, &neighbours);
	assert_int_equal(neighbours.count, 32);
	for (size_t i = 0; i < neighbours.count; i++) {
		char wanted[32];

		snprintf(wanted, sizeof(wanted), "10.0.0.%zu", i + 1);
		assert_string_equal(neighbours.items[i], wanted);
	}
	strings_free(&neighbours);
}

static void few_neighbours(void **state)
{
	static const struct {
		const char *arp;
		size_t count;
	} cases[] = {
		{"", 0},	 {ARP_TITLE, 0},     {ARP_TITLE "10.9.8.7" ARP_REST, 1},
		{"10.9.8.7", 1}, {" 10.9.8.7\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(freep) char *arp = mem_string(cases[i].arp);
		struct strings neighbours = {.items = NULL};

		recording_neighbours(arp, &neighbours);
		assert_int_equal(neighbours.count, cases[i].count);
		if (cases[i].count)
			assert_string_equal(neighbours.items[0], "10.9.8.7");
		strings_free(&neighbours);
	}
}

/* ---- Recordings that can be read ---- */

static void check(const struct saved_tree *tree, const char *folder, int rc, const char *message)
{
	_cleanup_(freep) char *path = mem_format("%s/%s", tree->path, folder), *got = NULL;

	assert_int_equal(recording_check(path, &got), rc);
	if (message)
		assert_string_equal(got, message);
	else
		assert_null(got);
}

static void checks(void **state)
{
	_cleanup_(freep) char *good = NULL;
	const struct saved_tree *tree = *state;
	struct text_buffer text = {.text = NULL};

	recording_begin(&text);
	good = text_buffer_take(&text);
	good[strcspn(good, "\n")] = '\0';
	check(tree, "nonexistent", 0, NULL);
	tree_directory(tree, "tree/sys");
	check(tree, "tree", 0, NULL);
	/* A snapshot without recordings, with valid ones, and with an invalid one. */
	tree_directory(tree, "snapshot/root/sys");
	tree_write(tree, "snapshot/manifest.json", "{}");
	check(tree, "snapshot", 0, NULL);
	tree_write(tree, "snapshot/verbs/answers", good);
	check(tree, "snapshot", 0, NULL);
	tree_write(tree, "snapshot/netlink/answers", good);
	check(tree, "snapshot", 0, NULL);
	tree_write(tree, "snapshot/verbs/answers", "x");
	check(tree, "snapshot", -EBADMSG,
	      "verbs/answers: this is not an rdmactl recording, or it is too large");
	tree_write(tree, "snapshot/netlink/answers", "rdmactl-recording/1 middle 64");
	check(tree, "snapshot", -ENOEXEC,
	      "netlink/answers: the recording is of a host with another kind of processor");
}

int main(int count, char **words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands),
		cmocka_unit_test(most_neighbours),
		cmocka_unit_test(few_neighbours),
		cmocka_unit_test_setup_teardown(checks, tree_only_set_up, tree_only_tear_down),
	};
	const char *fd = getenv("RDMACTL_RECORD_FD");

	if (fd)
		return command(atoi(fd), count, words);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
