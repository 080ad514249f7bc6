/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "snapshot/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/gid.h"
#include "base/mem.h"
#include "kernel/recording.h"
#include "kernel/root.h"
#include "schema/problem.h"
#include "schema/value.h"
#include "snapshot/content.h"

/* How long one command may take, in milliseconds. */
#define COMMAND_MSEC 30000

enum { COMMAND_WORDS = 4 };

/* Each costs a process. */
#define MOST_NEIGHBOURS 32
#define ARP_BYTES	(1u << 20)

/* Every command that queries netlink or verbs, with the options that make it query more. */
static const char *const commands[][COMMAND_WORDS] = {
	{"devices"},
	{"ports"},
	{"gids", "--all"},
	{"gids"},
	{"pkeys", "--all"},
	{"netdevs"},
	{"caps"},
	{"counters", "--all"},
	{"counters", "--optional"},
	{"counters", "qp", "--all"},
	{"counters", "mr", "--all"},
	{"counters", "mode"},
	{"resources"},
	{"resources", "--by", "process"},
	{"resources", "qp"},
	{"resources", "cm_id"},
	{"resources", "cq"},
	{"resources", "mr"},
	{"resources", "pd"},
	{"resources", "ctx"},
	{"resources", "srq"},
	{"metrics"},
	{"cables"},
	{"doctor", "--all"},
	{"topo", "--all"},
	{"link"},
	{"dev"},
	{"system"},
	{"roce"},
	{"sriov"},
	{"ipoib"},
	{"version"},
};

/*
 * All routing tables, so that gids --to can be asked about any peer. They may be larger than all
 * the rest: this comes last, so that they do not displace anything.
 */
static const char *const last_command[COMMAND_WORDS] = {"gids", "--to", "127.0.0.1"};

/* Runs in the child process, which has inherited the descriptor. */
static void become(const char *const *words, int fd)
{
	char program[] = "/proc/self/exe", json[] = "--json", live[] = "RDMACTL_ROOT=";
	_cleanup_(freep) char *record = mem_format("RDMACTL_RECORD_FD=%d", fd);
	char *arguments[COMMAND_WORDS + 3] = {program}, *environment[] = {live, record, NULL};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	size_t count = 1;

	for (size_t i = 0; i < COMMAND_WORDS && words[i]; i++)
		arguments[count++] = mem_string(words[i]);
	/* Metrics are not records. */
	if (strcmp(words[0], "metrics"))
		arguments[count++] = json;
	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 &&
	    dup2(null, STDERR_FILENO) >= 0)
		execve(program, arguments, environment);
	/* Run nothing of this program on exit, neither its buffers nor its handlers. */
	kill(getpid(), SIGKILL);
}

/* Waits for the end of the child, which keeps the other end of a pipe open until then. */
static void wait_for(pid_t child, int ended, int *ret_status)
{
	struct pollfd fd = {.fd = ended, .events = POLLIN};
	int rc;

	do
		rc = poll(&fd, 1, COMMAND_MSEC);
	while (rc < 0 && errno == EINTR);
	if (!rc)
		kill(child, SIGKILL);
	while (waitpid(child, ret_status, 0) < 0 && errno == EINTR)
		;
}

static int run(const char *const *words, int fd, struct problems *problems)
{
	_cleanup_(closep) int ended = -1;
	int ends[2], status = 0;
	off_t before = lseek(fd, 0, SEEK_END);
	pid_t child;

	if (pipe2(ends, 0))
		return -errno;
	ended = ends[0];
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	child = fork();
	if (!child)
		become(words, fd);
	close(ends[1]);
	if (child < 0)
		return -errno;
	wait_for(child, ended, &status);
	if (!WIFSIGNALED(status))
		return 0;
	problem_add_text(
		problems, words[0], NULL, "netlink",
		"the command was killed by a signal: what it asks the kernel is not recorded",
		NULL);
	/* The last record may be incomplete: drop all that the command has recorded. */
	return ftruncate(fd, before) ? -errno : 0;
}

/*
 * /proc/net/arp has one line for each neighbour, which begins with the address
 * (arp_format_neigh_entry(), net/ipv4/arp.c).
 */
void recording_neighbours(char *arp, struct strings *neighbours)
{
	char *line;

	while (neighbours->count < MOST_NEIGHBOURS && (line = strsep(&arp, "\n"))) {
		struct ip_address address;

		line[strcspn(line, " ")] = '\0';
		if (!ip_parse(line, &address))
			strings_add(neighbours, line);
	}
}

/* Records how the kernel would reach its neighbours, as gids --to queries it. */
static int ask_routes(int fd, struct problems *problems)
{
	_cleanup_(strings_free) struct strings neighbours = {.items = NULL};
	_cleanup_(freep) char *text = NULL;
	size_t length;
	int rc = 0;

	if (file_read("/proc/net/arp", ARP_BYTES, &text, &length))
		return 0;
	recording_neighbours(text, &neighbours);
	for (size_t i = 0; !rc && i < neighbours.count; i++) {
		const char *const words[COMMAND_WORDS] = {"gids", "--to", neighbours.items[i]};

		rc = run(words, fd, problems);
	}
	return rc;
}

static int read_notes(int fd, struct problems *problems, struct text_buffer *text)
{
	_cleanup_(freep) char *notes = NULL;
	size_t length;
	int rc = lseek(fd, 0, SEEK_SET) < 0 ? -errno
					    : file_read_some(fd, SIZE_MAX, &notes, &length);

	if (rc)
		return rc;
	if (recording_count_lost(notes))
		problem_add_text(problems, NULL, NULL, "netlink",
				 "answers that do not fit are not recorded: the snapshot has at "
				 "most 32 MiB of them in all",
				 NULL);
	recording_begin(text);
	text_buffer_add(text, "%s", notes);
	return 0;
}

static void add_file(struct contents *contents, const char *path, const struct recording *recording,
		     uint32_t first, uint32_t last)
{
	struct text_buffer text = {.text = NULL};
	size_t length;

	recording_format(recording, first, last, &text);
	length = text.length;
	contents_take(contents, CONTENT_FILE, path, text_buffer_take(&text), length);
}

int recording_collect(struct contents *contents, struct problems *problems)
{
	_cleanup_(closep) int fd = memfd_create("rdmactl-record", 0);
	struct text_buffer notes = {.text = NULL};
	struct recording *recording;
	size_t length;
	int rc = 0;

	if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND))
		return -errno;
	for (size_t i = 0; !rc && i < ARRAY_SIZE(commands); i++)
		rc = run(commands[i], fd, problems);
	if (!rc)
		rc = ask_routes(fd, problems);
	if (!rc)
		rc = run(last_command, fd, problems);
	if (!rc)
		rc = read_notes(fd, problems, &notes);
	if (rc)
		return rc;
	length = notes.length;
	rc = recording_parse(text_buffer_take(&notes), length, &recording, NULL);
	if (rc)
		return rc;
	add_file(contents, RECORDING_NETLINK_FILE, recording, 0, RECORDING_VERBS - 1);
	add_file(contents, RECORDING_VERBS_FILE, recording, RECORDING_VERBS, RECORDING_VERBS);
	recording_free(recording);
	return 0;
}

int recording_check(const char *directory, char **ret_message)
{
	static const char *const paths[] = {RECORDING_NETLINK_FILE, RECORDING_VERBS_FILE};
	struct root root;
	int rc = 0;

	/* The command itself reports what is wrong with the root. */
	if (root_open(directory, &root))
		return 0;
	for (size_t i = 0; !rc && root.recorded && i < ARRAY_SIZE(paths); i++) {
		_cleanup_(freep) char *why = NULL;
		struct recording *recording;

		rc = recording_open(&root, paths[i], &recording, &why);
		if (!rc)
			recording_free(recording);
		else if (rc == -ENODATA)
			rc = 0;
		else
			*ret_message = mem_format("%s: %s", paths[i], why ? why : strerror(-rc));
	}
	root_close(&root);
	return rc;
}
