/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/mem.h"

/* Runs `function` in a child and expects it to return 0. */
static void in_child(int (*function)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(function());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* The hexadecimal value of a line of /proc/self/status. */
static unsigned long long status_value(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long value = ~0ull;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			value = strtoull(line + strlen(name) + 1, NULL, 16);
	if (file)
		fclose(file);
	return value;
}

static int keep_none(void)
{
	const struct confinement nothing = {.capabilities = 0};

	if (confine(&nothing))
		return 1;
	if (status_value("CapPrm") || status_value("CapEff") || status_value("CapInh") ||
	    status_value("CapAmb"))
		return 2;
	return status_value("NoNewPrivs") == 1 ? 0 : 3;
}

static int keep_one(void)
{
	const struct confinement one = {.capabilities = CONFINE_CAPABILITY(CAP_IPC_LOCK)};
	const unsigned long long before = status_value("CapPrm");

	if (confine(&one))
		return 1;
	if (status_value("CapPrm") != (before & CONFINE_CAPABILITY(CAP_IPC_LOCK)))
		return 2;
	/* A capability that was not held is not gained, and a dropped one does not come back. */
	return confine(&one) || status_value("CapEff") & ~CONFINE_CAPABILITY(CAP_IPC_LOCK) ? 3 : 0;
}

static int bounding_set(void)
{
	const struct confinement nothing = {.capabilities = 0};
	const bool may = status_value("CapEff") & CONFINE_CAPABILITY(CAP_SETPCAP);

	return confine(&nothing) || (may && status_value("CapBnd"));
}

static bool is_limit(int resource, rlim_t most)
{
	struct rlimit limit;

	return !getrlimit(resource, &limit) && limit.rlim_cur <= most && limit.rlim_max <= most;
}

static int limits(void)
{
	const struct confinement few = {
		.most_files = 9, .most_processes = 8, .most_cpu_seconds = 7};
	const struct confinement more = {
		.most_files = 19, .most_processes = 18, .most_cpu_seconds = 17};

	for (int i = 0; i < 2; i++) {
		/* The second call cannot raise what the first one has lowered. */
		if (confine(i ? &more : &few))
			return 1;
		if (!is_limit(RLIMIT_NOFILE, 9) || !is_limit(RLIMIT_NPROC, 8) ||
		    !is_limit(RLIMIT_CPU, 7) || !is_limit(RLIMIT_CORE, 0))
			return 2;
	}
	return dup2(0, 9) < 0 && errno == EBADF ? 0 : 3;
}

static int address_space(void)
{
	const struct confinement small = {.most_address_bytes = (rlim_t)64 << 20};

	return confine(&small) || !is_limit(RLIMIT_AS, (rlim_t)64 << 20);
}

static char directory[] = "/tmp/test_confine.XXXXXX";

/* Opens a file in that directory for writing; returns 0 or errno. */
static int try_write(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int changes(void)
{
	char inside[64];
	const struct confinement there = {.writable_directory = inside};
	FILE *file;

	snprintf(inside, sizeof(inside), "%s/inside", directory);
	if (confine(&there))
		return 1;
	if (try_write("inside/file"))
		return 2;
	if (try_write("file") != EACCES || try_write("new") == 0)
		return 3;
	/* Reading still works, and so do open files. */
	file = fopen("/proc/self/status", "re");
	if (!file || fclose(file))
		return 4;
	snprintf(inside, sizeof(inside), "%s/file", directory);
	return unlink(inside) && errno == EACCES ? 0 : 5;
}

static void touch(const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fclose(file);
}

static void test_files(void **state)
{
	char command[80];

	(void)state;
	if (syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
		skip();
	assert_non_null(mkdtemp(directory));
	snprintf(command, sizeof(command), "mkdir %s/inside", directory);
	assert_int_equal(system(command), 0);
	touch("inside/file");
	touch("file");
	in_child(changes);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
}

static void test_capabilities(void **state)
{
	(void)state;
	in_child(keep_none);
	in_child(keep_one);
	in_child(bounding_set);
}

static void test_limits(void **state)
{
	(void)state;
	in_child(limits);
	in_child(address_space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capabilities),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
